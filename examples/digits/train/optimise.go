package main

import (
	"math"
	"runtime"
	"sync"
	"sync/atomic"
)

const (
	batch  = 64 // samples a step
	chunks = 8  // parts of a batch whose gradients are summed apart, whatever the number of processors
)

// training is the state between two steps of the optimiser Adam (Kingma and Ba, 2015).
type training struct {
	net          network
	mean, square []float32 // moving averages of the gradient and of its square
	decay        [2]float64
	grads        [chunks]network
	spaces       [chunks]*workspace
	right        [chunks]float64 // probabilities given to the right digits, summed over a chunk
}

func newTraining(seed uint64) *training {
	t := &training{net: newNetwork(), decay: [2]float64{1, 1}}
	t.net.initialise(newRandom(seed, math.MaxUint64))
	t.mean = make([]float32, len(t.net.all))
	t.square = make([]float32, len(t.net.all))
	for i := range chunks {
		t.grads[i], t.spaces[i] = newNetwork(), newWorkspace()
	}
	return t
}

// train trains on the samples of a seed, each of them seen once, and calls report now and then with the number of
// samples seen and the mean probability given to the right digit since the last report. The result depends on the
// arguments alone, not on the number of processors: the batch is always cut into the same chunks and their
// gradients are added in the same order.
func train(seed uint64, samples int, rate float64, report func(seen int, confidence float64)) network {
	t := newTraining(seed)
	steps := samples / batch
	confidence, since := 0.0, 0
	for step := range steps {
		first := uint64(step) * batch
		parallel(chunks, func(i int) { t.chunk(i, seed, first+uint64(i)*batch/chunks) })
		for _, c := range t.right {
			confidence += c
		}
		since += batch
		t.step(rate * schedule(step, steps))
		if (step+1)%250 == 0 || step+1 == steps {
			report((step+1)*batch, confidence/float64(since))
			confidence, since = 0, 0
		}
	}
	return t.net
}

// schedule is the share of the full learning rate to use at a step: it rises over the first steps and then falls
// to zero in a straight line.
func schedule(step, steps int) float64 {
	const rise = 100
	return min(float64(step+1)/rise, 1) * float64(steps-step) / float64(steps)
}

// chunk sums the gradients of one chunk's samples.
func (t *training) chunk(i int, seed, first uint64) {
	clear(t.grads[i].all)
	t.right[i] = 0
	for k := range uint64(batch / chunks) {
		s := newSample(seed, first+k)
		t.right[i] += float64(t.net.forward(t.spaces[i], s.input)[s.label])
		t.net.backward(t.spaces[i], t.grads[i], s.label)
	}
}

// step moves the parameters against the gradients of all chunks.
func (t *training) step(rate float64) {
	const beta1, beta2, epsilon = 0.9, 0.999, 1e-8
	t.decay[0] = float64(t.decay[0] * beta1)
	t.decay[1] = float64(t.decay[1] * beta2)
	scale1 := rate / (1 - t.decay[0])
	scale2 := 1 / (1 - t.decay[1])
	for k := range t.net.all {
		g := float32(0)
		for i := range t.grads {
			g += t.grads[i].all[k]
		}
		g /= batch
		t.mean[k] += float32((1 - beta1) * (g - t.mean[k]))
		t.square[k] += float32((1 - beta2) * (float32(g*g) - t.square[k]))
		move := float64(scale1*float64(t.mean[k])) / (math.Sqrt(float64(scale2*float64(t.square[k]))) + epsilon)
		t.net.all[k] -= float32(move)
	}
}

// accuracy returns the share of n samples of a seed that the network reads right, for each digit.
func accuracy(net network, seed uint64, n int) [10]float64 {
	const parts = 16
	var right, total [parts][10]int
	parallel(parts, func(part int) {
		w := newWorkspace()
		for i := part; i < n; i += parts {
			s := newSample(seed, uint64(i))
			total[part][s.label]++
			if net.classify(w, s.input) == s.label {
				right[part][s.label]++
			}
		}
	})
	var shares [10]float64
	for digit := range shares {
		r, t := 0, 0
		for part := range parts {
			r, t = r+right[part][digit], t+total[part][digit]
		}
		shares[digit] = float64(r) / float64(max(t, 1))
	}
	return shares
}

// parallel calls work for 0 … n−1 on all processors and waits for the end.
func parallel(n int, work func(i int)) {
	var next atomic.Int64
	var group sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), n) {
		group.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				work(i)
			}
		})
	}
	group.Wait()
}
