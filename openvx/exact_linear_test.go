package openvx_test

import "math/big"

// sum is a sum of products in a format, in units of 2^(-2 Fraction). It is exact: 2^33 products of 16 bits fit in.
type sum struct {
	total int64
	f     Format
}

func (s *sum) product(a, b int64) { s.total += a * b }

func (s *sum) add(raw int64) { s.total += raw << s.f.Fraction }

func (s *sum) value() *big.Rat { return big.NewRat(s.total, 1<<(2*s.f.Fraction)) }

// bias adds the bias of an output location: there may be none, one for each channel, or one for each channel and location.
func (s *sum) bias(biases *exactTensor, index []int) {
	switch {
	case biases == nil:
	case len(biases.Dims) == 1:
		s.add(biases.at(index[2]))
	default:
		s.add(biases.at(index[:3]...))
	}
}

// Convolution is vxConvolutionLayer.
type Convolution struct {
	Policy
	Padding, Dilation [2]int
	Ceiling           bool
	// Compatible has the first weight of a dilated kernel stand as many places behind the window's origin as zeros are inserted.
	Compatible bool
}

// Apply returns the result of extents out.
func (c Convolution) Apply(f Format, in, weights, biases *exactTensor, out []int) Result {
	var skip [2]int
	for i := range skip {
		k := weights.Dims[i]
		skip[i] = mustSkip(in.Dims[i]+2*c.Padding[i]-k-(k-1)*c.Dilation[i], out[i], c.Ceiling)
	}
	// tap is where a weight reads the input; what lies outside is zero.
	tap := func(axis, at, weight int) (int, bool) {
		p := at*skip[axis] - c.Padding[axis] + weight*(c.Dilation[axis]+1)
		if c.Compatible {
			p += c.Dilation[axis]
		}
		return p, p >= 0 && p < in.Dims[axis]
	}
	return c.correlate(f, in, weights, biases, out, tap)
}

// Deconvolution is vxDeconvolutionLayer.
type Deconvolution struct {
	Policy
	Padding, A [2]int
	// Compatible lets only as many places of the upscaled input take part as the input has elements.
	Compatible bool
}

// Apply returns the result of extents out.
func (d Deconvolution) Apply(f Format, in, weights, biases *exactTensor, out []int) Result {
	var up [2]int
	for i := range up {
		up[i] = Upscale(in.Dims[i], out[i], weights.Dims[i], d.Padding[i], d.A[i])
		if up[i] == 0 {
			panic("exact: the extents of a deconvolution are inconsistent")
		}
	}
	tap := func(axis, at, weight int) (int, bool) {
		p := at + weight - (weights.Dims[axis] - d.Padding[axis] - 1)
		bound := (in.Dims[axis]-1)*up[axis] + 1
		if d.Compatible {
			bound = in.Dims[axis]
		}
		return p / up[axis], p >= 0 && p < bound && p%up[axis] == 0
	}
	return d.correlate(f, in, weights, biases, out, tap)
}

// Upscale returns the factor of upscaling that follows from the extents, or 0 if there is none. It is 1 if every factor would do.
func Upscale(in, out, kernel, padding, a int) int {
	n := out + 2*padding - kernel - a
	switch {
	case in == 1 && n == 0:
		return max(1, a+1)
	case in == 1 || n <= 0 || n%(in-1) != 0 || a >= n/(in-1):
		return 0
	}
	return n / (in - 1)
}

// correlate sums inputs times weights and adds the bias. tap says where on an axis a weight of an output location reads, if anywhere.
func (p Policy) correlate(f Format, in, weights, biases *exactTensor, out []int, tap func(axis, at, weight int) (int, bool)) Result {
	return certain(out, func(index []int) int64 {
		s := sum{f: f}
		s.bias(biases, index)
		from := append([]int{0, 0, 0}, index[3:]...)
		each(weights.Dims[:3], func(w []int) {
			x, insideX := tap(0, index[0], w[0])
			y, insideY := tap(1, index[1], w[1])
			if insideX && insideY {
				from[0], from[1], from[2] = x, y, w[2]
				s.product(in.at(from...), weights.at(w[0], w[1], w[2], index[2]))
			}
		})
		return f.encode(s.value(), p)
	})
}

// FullyConnected is vxFullyConnectedLayer.
type FullyConnected struct{ Policy }

// Apply returns the result of extents out. One dimension of the input, or three, are the features, and so are all but the last of the
// weights: in memory they follow each other.
func (c FullyConnected) Apply(f Format, in, weights, biases *exactTensor, out []int) Result {
	features := len(weights.Values) / out[0]
	i := -1
	return certain(out, func(index []int) int64 {
		i++
		s := sum{f: f}
		if biases != nil {
			s.add(biases.at(index[0]))
		}
		for j := range features {
			s.product(in.Values[i/out[0]*features+j], weights.Values[index[0]*features+j])
		}
		return f.encode(s.value(), c.Policy)
	})
}

// MatrixMultiply is vxTensorMatrixMultiplyNode.
type MatrixMultiply struct{ Transpose [3]bool }

// Apply returns a*b+c, where c may be nil. The text rounds to the nearest and does not say where a tie goes.
func (m MatrixMultiply) Apply(f Format, a, b, c *exactTensor) Result {
	at := func(i int, t *exactTensor, column, row int) int64 {
		if m.Transpose[i] {
			column, row = row, column
		}
		return t.at(column, row)
	}
	dims := func(i int, t *exactTensor) (columns, rows int) {
		if m.Transpose[i] {
			return t.Dims[1], t.Dims[0]
		}
		return t.Dims[0], t.Dims[1]
	}
	inner, rows := dims(0, a)
	columns, _ := dims(1, b)
	return within([]int{columns, rows}, func(index []int) (low, high int64) {
		s := sum{f: f}
		for k := range inner {
			s.product(at(0, a, k, index[1]), at(1, b, index[0], k))
		}
		if c != nil {
			s.add(at(2, c, index[0], index[1]))
		}
		v := f.scaled(s.value())
		return f.fit(ceil(new(big.Rat).Sub(v, half)), false), f.fit(floor(new(big.Rat).Add(v, half)), false)
	})
}
