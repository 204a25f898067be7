package main

import (
	"flag"
	"math"
	"runtime"
	"slices"
	"testing"
)

var retrain = flag.Bool("retrain", false, "train the committed network again and compare (takes minutes)")

// loss is minus the logarithm of the probability that a network gives to the right digit.
func loss(n network, s sample) float64 {
	return -math.Log(float64(n.forward(newWorkspace(), s.input)[s.label]))
}

// The gradient must agree with what the loss does when the parameters move a little, in random directions.
func TestGradient(t *testing.T) {
	for index := range uint64(4) {
		net, grad, w := newTraining(5).net, newNetwork(), newWorkspace()
		s := newSample(5, index)
		r := newRandom(6, index)
		for _, bias := range [][]float32{net.conv1.bias, net.conv2.bias, net.conv3.bias, net.dense.bias} {
			for i := range bias {
				bias[i] = float32(r.about(0.1)) // at zero, empty paper would lie on the kink of the rectifier
			}
		}
		net.forward(w, s.input)
		net.backward(w, grad, s.label)
		gradients := grad.tensors()
		for k, p := range net.tensors() {
			const step = 1e-3
			before := slices.Clone(*p.data)
			direction := make([]float32, len(before))
			want := 0.0
			for i, g := range *gradients[k].data {
				// Along the gradient with noise, so that the slope is far from zero.
				direction[i] = float32(r.about(1)) + g/(1e-3+float32(math.Abs(float64(g))))
				want += float64(g) * float64(direction[i])
			}
			length := 0.0
			for _, d := range direction {
				length += float64(d) * float64(d)
			}
			length = math.Sqrt(length)
			moved := func(by float64) float64 {
				for i, d := range direction {
					(*p.data)[i] = before[i] + float32(by*float64(d)/length)
				}
				return loss(net, s)
			}
			got := (moved(step) - moved(-step)) / (2 * step)
			copy(*p.data, before)
			want /= length
			if math.Abs(got-want) > 1e-3+0.02*math.Abs(want) {
				t.Errorf("sample %d, %s: slope %g, the gradient says %g", index, p.name, got, want)
			}
		}
	}
}

func TestConvFollowsItsDefinition(t *testing.T) {
	c := conv{in: 2, out: 3, side: 5, filter: make([]float32, 3*2*9), bias: []float32{1, -2, 3}}
	src, got := make([]float32, 2*5*5), make([]float32, 3*3*3)
	for i := range c.filter {
		c.filter[i] = float32(i%7 - 3)
	}
	for i := range src {
		src[i] = float32(i%11 - 5)
	}
	c.forward(got, src)
	for o := range 3 {
		for y := range 3 {
			for x := range 3 {
				want := c.bias[o]
				for i := range 2 {
					for ky := range 3 {
						for kx := range 3 {
							want += c.filter[((o*2+i)*3+ky)*3+kx] * src[(i*5+y+ky)*5+x+kx]
						}
					}
				}
				if v := got[(o*3+y)*3+x]; v != want {
					t.Errorf("output %d,%d,%d is %g, want %g", o, y, x, v, want)
				}
			}
		}
	}
}

func TestExp(t *testing.T) {
	for x := float32(0); x > -100; x -= 0.37 {
		if got, want := float64(exp(x)), math.Exp(float64(x)); math.Abs(got-want) > 1e-7*want+1e-34 {
			t.Errorf("exp(%g) = %g, want %g", x, got, want)
		}
	}
}

// Training depends on the seed alone, not on the number of processors.
func TestTrainingIsReproducible(t *testing.T) {
	quiet := func(int, float64) {}
	run := func(processors int, seed uint64) []float32 {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(processors))
		return train(seed, 3*batch, 1e-3, quiet).all
	}
	one := run(1, 3)
	if !slices.Equal(one, run(4, 3)) {
		t.Error("one and four processors give different networks")
	}
	if slices.Equal(one, run(4, 4)) {
		t.Error("two seeds give the same network")
	}
}

func TestCommittedNetworkReadsDrawings(t *testing.T) {
	net, err := readModel("../model.nnef")
	if err != nil {
		t.Fatal(err)
	}
	readings, err := readDrawings(net, "../drawings")
	if err != nil {
		t.Fatal(err)
	}
	var count [10]int
	right := 0
	for _, r := range readings {
		count[r.want]++
		if r.read == r.want {
			right++
		} else {
			t.Logf("%s is read as %d with probability %.3f", r.name, r.read, r.probability)
		}
	}
	if count != [10]int{2, 2, 2, 2, 2, 2, 2, 2, 2, 2} {
		t.Errorf("drawings of each digit: %v, want two", count)
	}
	if right < 18 {
		t.Errorf("%d drawings are read right, want at least 18", right)
	}
}

func TestCommittedNetworkReadsFreshSamples(t *testing.T) {
	net, err := readModel("../model.nnef")
	if err != nil {
		t.Fatal(err)
	}
	sum := 0.0
	for _, share := range accuracy(net, 7, 1500) {
		sum += share / 10
	}
	if sum < 0.98 {
		t.Errorf("%.2f %% of fresh samples are read right, want at least 98 %%", 100*sum)
	}
}

// The committed network is what training gives, bit for bit.
func TestRetrain(t *testing.T) {
	if !*retrain {
		t.Skip("takes minutes; run with -retrain -timeout 30m")
	}
	committed, err := readModel("../model.nnef")
	if err != nil {
		t.Fatal(err)
	}
	net := train(defaultSeed, defaultSamples, defaultRate, func(seen int, confidence float64) {
		t.Logf("%d samples: %.3f", seen, confidence)
	})
	if !slices.Equal(net.all, committed.all) {
		t.Error("training gives another network than the committed one")
	}
}
