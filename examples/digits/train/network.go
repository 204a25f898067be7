package main

import "math"

// The network reads one channel of 28×28: three times a 3×3 convolution, a rectifier and a pooling of 2×2, then a
// fully connected layer with a score for each digit. Only the first convolution pads, by one.
const (
	channels1, channels2, channels3 = 16, 32, 48
	side1                           = side + 2    // the padded input
	pooled1                         = side / 2    // 14
	pooled2                         = 12 / 2      // behind a convolution of 14 to 12
	conved3                         = pooled2 - 2 // 4
	pooled3                         = conved3 / 2
	features                        = channels3 * pooled3 * pooled3
	classes                         = 10
)

// A network is the parameters of the layers, as views of one vector.
type network struct {
	all                 []float32
	conv1, conv2, conv3 conv
	dense               dense
}

// newNetwork returns a network with all parameters zero, which also serves as a gradient.
func newNetwork() network {
	n := network{
		conv1: conv{in: 1, out: channels1, side: side1},
		conv2: conv{in: channels1, out: channels2, side: pooled1},
		conv3: conv{in: channels2, out: channels3, side: pooled2},
		dense: dense{in: features, out: classes},
	}
	tensors := n.tensors()
	size := 0
	for _, t := range tensors {
		size += t.volume()
	}
	n.all = make([]float32, size)
	rest := n.all
	for _, t := range tensors {
		*t.data, rest = rest[:t.volume():t.volume()], rest[t.volume():]
	}
	return n
}

// A parameter is one tensor of a network.
type parameter struct {
	name  string
	shape []int
	data  *[]float32
}

// volume is the number of items.
func (p parameter) volume() int {
	v := 1
	for _, n := range p.shape {
		v *= n
	}
	return v
}

// tensors lists the parameters in the order in which they lie in the vector, with the names and shapes that they
// have in a file. A bias has a leading axis of one, as NNEF wants it.
func (n *network) tensors() []parameter {
	return []parameter{
		{"conv1_filter", []int{channels1, 1, 3, 3}, &n.conv1.filter},
		{"conv1_bias", []int{1, channels1}, &n.conv1.bias},
		{"conv2_filter", []int{channels2, channels1, 3, 3}, &n.conv2.filter},
		{"conv2_bias", []int{1, channels2}, &n.conv2.bias},
		{"conv3_filter", []int{channels3, channels2, 3, 3}, &n.conv3.filter},
		{"conv3_bias", []int{1, channels3}, &n.conv3.bias},
		{"dense_filter", []int{classes, features}, &n.dense.filter},
		{"dense_bias", []int{1, classes}, &n.dense.bias},
	}
}

// initialise draws the weights so that every layer keeps the strength of its input (He et al., 2015).
func (n network) initialise(r random) {
	for _, t := range n.tensors() {
		if t.shape[0] == 1 && len(t.shape) == 2 {
			continue // a bias starts at zero
		}
		deviation := math.Sqrt(2 / float64(t.volume()/t.shape[0]))
		for i := range *t.data {
			(*t.data)[i] = float32(r.about(deviation))
		}
	}
}

// A workspace holds what a network computes on one input, layer by layer, and the gradients on the way back.
type workspace struct {
	input          []float32
	conv1, pool1   []float32
	conv2, pool2   []float32
	conv3, pool3   []float32
	scores         []float32
	dConv1, dPool1 []float32
	dConv2, dPool2 []float32
	dConv3, dPool3 []float32
}

// newWorkspace returns room for one input at a time.
func newWorkspace() *workspace {
	maps := func(channels, side int) []float32 { return make([]float32, channels*side*side) }
	return &workspace{
		input: maps(1, side1),
		conv1: maps(channels1, side), dConv1: maps(channels1, side),
		pool1: maps(channels1, pooled1), dPool1: maps(channels1, pooled1),
		conv2: maps(channels2, 2*pooled2), dConv2: maps(channels2, 2*pooled2),
		pool2: maps(channels2, pooled2), dPool2: maps(channels2, pooled2),
		conv3: maps(channels3, conved3), dConv3: maps(channels3, conved3),
		pool3: maps(channels3, pooled3), dPool3: maps(channels3, pooled3),
		scores: make([]float32, classes),
	}
}

// forward returns the probability of each digit for a picture of 28×28. The result is valid until the next call.
func (n network) forward(w *workspace, picture []float32) []float32 {
	for y := range side {
		copy(w.input[(y+1)*side1+1:][:side], picture[y*side:])
	}
	n.conv1.forward(w.conv1, w.input)
	poolForward(w.pool1, w.conv1, channels1, side)
	n.conv2.forward(w.conv2, w.pool1)
	poolForward(w.pool2, w.conv2, channels2, 2*pooled2)
	n.conv3.forward(w.conv3, w.pool2)
	poolForward(w.pool3, w.conv3, channels3, conved3)
	n.dense.forward(w.scores, w.pool3)
	softmax(w.scores)
	return w.scores
}

// backward adds to grad the gradient of the loss, which is minus the logarithm of the label's probability, for
// the input of the last call of forward.
func (n network) backward(w *workspace, grad network, label int) {
	// The softmax and the logarithm together have a simple derivative: probability minus one at the label.
	w.scores[label]--
	clear(w.dPool3)
	n.dense.backward(grad.dense, w.dPool3, w.pool3, w.scores)
	poolBackward(w.dConv3, w.conv3, w.pool3, w.dPool3, channels3, conved3)
	clear(w.dPool2)
	n.conv3.backward(grad.conv3, w.dPool2, w.pool2, w.dConv3)
	poolBackward(w.dConv2, w.conv2, w.pool2, w.dPool2, channels2, 2*pooled2)
	clear(w.dPool1)
	n.conv2.backward(grad.conv2, w.dPool1, w.pool1, w.dConv2)
	poolBackward(w.dConv1, w.conv1, w.pool1, w.dPool1, channels1, side)
	n.conv1.backward(grad.conv1, nil, w.input, w.dConv1)
}

// classify returns the most probable digit.
func (n network) classify(w *workspace, picture []float32) int {
	best := 0
	probabilities := n.forward(w, picture)
	for digit, p := range probabilities {
		if p > probabilities[best] {
			best = digit
		}
	}
	return best
}
