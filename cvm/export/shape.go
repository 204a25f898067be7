package export

import (
	"slices"

	"github.com/concord-nn/concord/internal/kit"
	"github.com/concord-nn/concord/tensor"
)

// reshaped gives an entry another shape of as many elements.
func (c *call) reshaped(x int, shape tensor.Shape) int {
	if c.shape(x).Equal(shape) {
		return x
	}
	return c.do("reshape", attributes("shape", []int(shape)), x)
}

func reshape(c *call) []operand {
	return []operand{{entry: c.reshaped(c.in[0].entry, c.outShape(0)), truth: c.in[0].truth}}
}

// transpose leaves dimensions that the node does not name where they are.
func transpose(c *call) []operand {
	axes := slices.Clone(c.Ints("axes"))
	for d := len(axes); d < len(c.shape(c.in[0].entry)); d++ {
		axes = append(axes, d)
	}
	if len(axes) < 2 {
		return c.in[:1]
	}
	return one(c.do("transpose", attributes("axes", axes), c.in[0].entry))
}

// tile is for expand, too: both repeat an operand as a whole.
func tile(c *call) []operand {
	x, out := c.in[0].entry, c.outShape(0)
	reps := make([]int, len(out))
	for d, n := range c.shape(x) {
		reps[d] = out[d] / n
	}
	if c.shape(x).Equal(out) {
		return one(x)
	}
	return one(c.do("tile", attributes("reps", reps), x))
}

func concat(c *call) []operand {
	var in []int
	for _, x := range c.in {
		in = append(in, x.entry)
	}
	return one(c.do("concatenate", attributes("axis", c.Int("axis")), in...))
}

func split(c *call) []operand {
	x, axis := c.in[0].entry, c.Int("axis")
	whole := rangesOf(c.shape(x))
	var out []operand
	at := 0
	for i := range c.Out {
		extent := c.outShape(i)[axis]
		r := whole.clone()
		r.begin[axis], r.end[axis] = at, at+extent
		at += extent
		out = append(out, operand{entry: c.cut(x, r)})
	}
	return out
}

// ranges is what strided_slice takes of each dimension.
type ranges struct{ begin, end, stride []int }

// rangesOf takes all elements.
func rangesOf(s tensor.Shape) *ranges {
	return &ranges{make([]int, len(s)), slices.Clone(s), slices.Repeat([]int{1}, len(s))}
}

func (r *ranges) clone() *ranges {
	return &ranges{slices.Clone(r.begin), slices.Clone(r.end), slices.Clone(r.stride)}
}

func (c *call) cut(x int, r *ranges) int {
	return c.do("strided_slice", attributes("begin", r.begin, "end", r.end, "stride", r.stride), x)
}

// slice begins where the node begins and ends behind as many elements as its result has.
func slice(c *call) []operand {
	x, a, out := c.in[0].entry, c.Attrs, c.outShape(0)
	r := rangesOf(c.shape(x))
	strides := a.Ints("stride")
	for i, d := range a.Ints("axes") {
		n, begin, stride := c.shape(x)[d], a.Ints("begin")[i], 1
		if len(strides) > 0 {
			stride = strides[i]
		}
		if begin < 0 {
			begin += n
		}
		begin = min(max(begin, 0), n)
		if stride < 0 {
			begin = min(begin, n-1)
		}
		r.begin[d], r.stride[d] = begin, stride
		r.end[d] = min(begin+stride*out[d], n)
		if stride < 0 && r.end[d] < 0 {
			r.end[d] = -n - 1 // a negative end counts from the end
		}
	}
	return one(c.cut(x, r))
}

func gather(c *call) []operand {
	if c.Bool("negative") {
		kit.Refuse("it counts negative indices from the end; CVM takes the first item for them")
	}
	axis := c.Int("axis")
	y := c.do("take", attributes("axis", &axis), c.in[0].entry, c.in[1].entry)
	return one(c.reshaped(y, c.outShape(0)))
}
