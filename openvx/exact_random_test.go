package openvx_test

import (
	"math/rand/v2"
	"slices"
)

// source makes cases of a layer. Those of low seeds are small.
type source struct {
	*rand.Rand
	layer string
	seed  uint64
}

// functions are those of activation, in the order of their constants.
var functions = []string{"logistic", "hyperbolic_tan", "relu", "brelu", "softrelu", "abs", "square", "sqrt", "linear"}

// one returns a number from low to high, low ones first.
func (r source) one(low, high int) int {
	if r.seed < 20 {
		high = min(high, low+1+int(r.seed)/5)
	}
	return low + r.IntN(high-low+1)
}

func (r source) pair(low, high int) [2]int { return [2]int{r.one(low, high), r.one(low, high)} }

func (r source) dims(rank, most int) []int {
	dims := make([]int, rank)
	for i := range dims {
		dims[i] = r.one(1, most)
	}
	return dims
}

// often is true three times of four.
func (r source) often() bool { return r.IntN(4) > 0 }

func (r source) coin() bool { return r.IntN(2) == 0 }

func pick[T any](r source, of ...T) T { return of[r.IntN(len(of))] }

func (r source) policy() Policy { return Policy{Wrap: r.coin(), NearestEven: r.coin()} }

// make starts a case.
func (r source) make(p layerParams) layerCase {
	return layerCase{Layer: r.layer, Format: pick(r, Formats...).Name, Params: p}
}

// operand adds a tensor: of any elements, of small ones, of the least and the greatest, or of one.
func (r source) operand(c *layerCase, dims ...int) *exactTensor {
	f, t := formats[c.Format], New(dims...)
	low, high := f.Min(), f.Max()
	switch r.IntN(6) {
	case 0:
		low, high = max(low, -3), 3
	case 1, 2:
		low, high = max(low, -6<<f.Fraction), min(high, 6<<f.Fraction)
	case 3:
		low = pick(r, low, high)
		high = low
	case 4:
		for i := range t.Values {
			t.Values[i] = pick(r, low, high, 0, 1)
		}
		c.Tensors = append(c.Tensors, t)
		return t
	}
	for i := range t.Values {
		t.Values[i] = low + r.Int64N(high-low+1)
	}
	c.Tensors = append(c.Tensors, t)
	return t
}

// absent adds an operand that is not given.
func (c *layerCase) absent() { c.Tensors = append(c.Tensors, nil) }

// biases adds those of an output: none, one for each channel, or one for each location.
func (r source) biases(c *layerCase, out []int) {
	switch r.IntN(3) {
	case 0:
		c.absent()
	case 1:
		r.operand(c, out[2])
	default:
		r.operand(c, out[:3]...)
	}
}

// batched adds batch dimensions.
func (r source) batched(most int, dims ...int) []int {
	return append(dims, r.dims(r.one(0, most), 2)...)
}

// windows returns how many windows leave span beside the first one, with some step that is reproducible.
func (r source) windows(span int, ceiling bool) int {
	skip := r.one(1, 4)
	if ceiling {
		return (span+skip-1)/skip + 1
	}
	return span/skip + 1
}

func (r source) convolution() layerCase {
	c := r.make(layerParams{Policy: r.policy(), Padding: r.pair(0, 3), Ceiling: r.coin()})
	if !r.often() {
		c.Params.Dilation = r.pair(0, 4)
	}
	in, weights, out := r.batched(3, 1, 1, r.one(1, 4)), []int{r.one(1, 4), r.one(1, 4), 0, r.one(1, 4)}, []int{1, 1, 0}
	for i := range 2 {
		extent := weights[i] + (weights[i]-1)*c.Params.Dilation[i]
		in[i] = max(1, extent-2*c.Params.Padding[i]) + r.one(0, 6)
		out[i] = r.windows(in[i]+2*c.Params.Padding[i]-extent, c.Params.Ceiling)
	}
	weights[2], out[2] = in[2], weights[3]
	c.Out.Dims = append(out, in[3:]...)
	r.operand(&c, in...)
	r.operand(&c, weights...)
	r.biases(&c, out)
	return c
}

func (r source) deconvolution() layerCase {
	in, weights := r.batched(1, r.one(1, 5), r.one(1, 5), r.one(1, 4)), []int{0, 0, 0, r.one(1, 4)}
	c, out := r.make(layerParams{Policy: r.policy()}), slices.Clone(in)
	for i := range 2 {
		up := r.one(1, 3)
		kernel, a := r.one(1, 4), r.IntN(up)
		padding := min(r.IntN(kernel), ((in[i]-1)*up+kernel+a-1)/2)
		weights[i], c.Params.Padding[i], c.Params.Extra[i] = kernel, padding, a
		out[i] = (in[i]-1)*up - 2*padding + kernel + a
	}
	weights[2], out[2] = in[2], weights[3]
	c.Out.Dims = out
	r.operand(&c, in...)
	r.operand(&c, weights...)
	r.biases(&c, out)
	return c
}

func (r source) fullyConnected() layerCase {
	c := r.make(layerParams{Policy: r.policy()})
	core, outputs := []int{r.one(1, 40)}, r.one(1, 6)
	if r.coin() {
		core = r.dims(3, 4)
	}
	batch := r.dims(r.one(0, 3), 3)
	weights := []int{Volume(core), outputs}
	if len(core) == 3 && r.coin() {
		weights = append(slices.Clone(core), outputs)
	}
	c.Out.Dims = append([]int{outputs}, batch...)
	r.operand(&c, append(core, batch...)...)
	r.operand(&c, weights...)
	if r.coin() {
		c.absent()
	} else {
		r.operand(&c, outputs)
	}
	return c
}

func (r source) pooling() layerCase {
	c := r.make(layerParams{Average: r.coin(), Size: r.pair(1, 4), Padding: r.pair(0, 3), Ceiling: r.coin()})
	in := r.batched(1, 1, 1, r.one(1, 3))
	out := slices.Clone(in)
	for i := range 2 {
		in[i] = max(1, c.Params.Size[i]-2*c.Params.Padding[i]) + r.one(0, 6)
		out[i] = r.windows(in[i]+2*c.Params.Padding[i]-c.Params.Size[i], c.Params.Ceiling)
	}
	c.Out.Dims = out
	r.operand(&c, in...)
	return c
}

func (r source) roiPooling() layerCase {
	c := r.make(layerParams{})
	in, regions := r.batched(1, r.one(1, 8), r.one(1, 8), r.one(1, 3)), r.one(1, 3)
	c.Out.Dims = append([]int{r.one(1, 5), r.one(1, 5), in[2], regions}, in[3:]...)
	r.operand(&c, in...)
	rois := New(append([]int{4, regions}, in[3:]...)...)
	for i := range rois.Values {
		if r.often() {
			rois.Values[i] = max(formats[c.Format].Min(), int64(r.IntN(14)-3))
		} else {
			rois.Values[i] = formats[c.Format].Min() + r.Int64N(1<<formats[c.Format].Bits)
		}
	}
	c.Tensors = append(c.Tensors, rois)
	return c
}

// unary makes a case of a result like the operand.
func (r source) unary(p layerParams, dims []int) layerCase {
	c := r.make(p)
	c.Out.Dims = dims
	r.operand(&c, dims...)
	return c
}

func (r source) softmax() layerCase { return r.unary(layerParams{}, r.dims(r.one(1, 4), 7)) }

func (r source) activation() layerCase {
	p := layerParams{
		Function: pick(r, functions...),
		Alpha:    pick[float32](r, 0, 0.5, 1, 1.7159, 6, 100), Beta: pick[float32](r, 0, 0.25, 2.0/3, 1, 3),
	}
	if !r.often() {
		p.Alpha, p.Beta = 10*r.Float32(), 10*r.Float32()
	}
	return r.unary(p, r.dims(r.one(1, 4), 5))
}

func (r source) localResponseNormalization() layerCase {
	return r.unary(layerParams{
		AcrossMaps: r.coin(), Size: [2]int{3 + 2*r.IntN(3)},
		Alpha: pick[float32](r, 1e-4, 0.01, 1, 2, 10), Beta: pick[float32](r, 0.5, 0.75, 1, 1.5), Bias: pick[float32](r, 0.5, 1, 2),
	}, r.batched(1, r.dims(3, 5)...))
}

func (r source) normalization() layerCase {
	c := r.localResponseNormalization()
	c.Params.Bias = 1
	return c
}

func (r source) arithmetic() layerCase {
	c := r.make(layerParams{Policy: r.policy()})
	c.Out.Dims = r.dims(r.one(1, 6), 4)
	r.operand(&c, c.Out.Dims...)
	second := slices.Clone(c.Out.Dims)
	for i := range second {
		if !r.often() {
			second[i] = 1
		}
	}
	r.operand(&c, second...)
	return c
}

func (r source) multiply() layerCase {
	c := r.arithmetic()
	c.Params.Scale = pick(r, 1, 1/float32(int(1)<<r.IntN(16)), 1.0/255, 0, 0.3, 3)
	return c
}

func (r source) tableLookup() layerCase {
	c := r.unary(layerParams{}, r.dims(r.one(1, 4), 5))
	if c.Format == "S8" {
		c.Format = "U8"
		for i := range c.Tensors[0].Values {
			c.Tensors[0].Values[i] &= 255
		}
	}
	f := formats[c.Format]
	table := layerCase{Format: c.Format}
	c.Table = r.operand(&table, 1<<f.Bits).Values
	return c
}

func (r source) transpose() layerCase {
	rank := r.one(2, 6)
	p := layerParams{Axes: [2]int{r.IntN(rank), r.IntN(rank)}}
	c := r.unary(p, r.dims(rank, 4))
	c.Out.Dims = slices.Clone(c.Out.Dims)
	c.Out.Dims[p.Axes[0]], c.Out.Dims[p.Axes[1]] = c.Out.Dims[p.Axes[1]], c.Out.Dims[p.Axes[0]]
	return c
}

func (r source) convertDepth() layerCase {
	c := r.unary(layerParams{
		Policy: Policy{Wrap: r.coin()},
		Norm:   pick[float32](r, 1, 2, 0.5, 3, 10, 255, 256), Offset: pick[float32](r, 0, 1, 128, -3.5, 0.1),
	}, r.dims(r.one(1, 6), 4))
	c.To = pick(r, Formats...).Name
	return c
}

func (r source) matrixMultiply() layerCase {
	c := r.make(layerParams{Transpose: [3]bool{r.coin(), r.coin(), r.coin()}})
	columns, inner, rows := r.one(1, 7), r.one(1, 9), r.one(1, 7)
	matrix := func(i, columns, rows int) {
		if c.Params.Transpose[i] {
			columns, rows = rows, columns
		}
		r.operand(&c, columns, rows)
	}
	c.Out.Dims = []int{columns, rows}
	matrix(0, inner, rows)
	matrix(1, columns, inner)
	if r.often() {
		matrix(2, columns, rows)
	} else {
		c.absent()
	}
	return c
}
