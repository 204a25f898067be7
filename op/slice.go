package op

import (
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/geometry"
	"github.com/concord-nn/concord/tensor"
)

// Operators that select elements by their position, and pad.
var sliceOps = []*Def{
	sliceDef,
	padDef,
	reverseDef,
	reverseSequenceDef,
	triangularDef,
}

var sliceDef = &Def{
	Name: "slice",
	Doc: "Slice returns the elements begin, begin+stride, … up to but without end along each listed dimension. " +
		"A negative begin or end gets the extent n added; what is still out of range then counts as n or, below 0, as -1. " +
		"With strides that are all 1, end = 0 means n. With a negative stride begin is at or after end, and end = -(n+1) goes down to index 0. " +
		"The extent of the result is |end-begin| / |stride|, rounded up (NNEF shape operations, WebNN slice, CVM strided_slice).",
	Spec: Spec{NNEF: "slice", WebNN: "slice", CVM: "strided_slice, slice_like"},
	In:   []Operand{{Name: "input", Types: Movable, Rank: AnyRank, Doc: "the tensor"}},
	Out:  []Result{{Name: "output", Like: "input", Doc: "the elements taken"}},
	Attrs: []Attr{
		{Name: "axes", Kind: graph.KindInts, Doc: "the dimensions to slice"},
		{Name: "begin", Kind: graph.KindInts, Place: true, Doc: "the first index in each listed dimension"},
		{Name: "end", Kind: graph.KindInts, Place: true, Doc: "the index in each listed dimension to stop before"},
		{Name: "stride", Kind: graph.KindInts, Default: []int{}, Place: true, Doc: "the step in each listed dimension, not 0; empty for 1 everywhere"},
	},
	Shape: func(s *Sig) ([]tensor.Shape, error) {
		in, axes, stride := s.In[0].Shape, s.Ints("axes"), s.Ints("stride")
		if _, err := s.axes(in); err != nil {
			return nil, err
		}
		for _, attr := range []string{"begin", "end", "stride"} {
			if n := len(s.Ints(attr)); n != len(axes) && (attr != "stride" || n != 0) {
				return nil, s.Errorf(attr, "the number of items is %d; it must be %d, one for each axis", n, len(axes))
			}
		}
		out := in.Clone()
		for i, a := range axes {
			if len(stride) > 0 && stride[i] == 0 {
				return nil, s.Errorf("stride", "the stride of axis %d is 0; it must be positive or negative", a)
			}
			b := sliceBounds(s.Attrs, i, in[a])
			if b.Count < 0 {
				return nil, s.Errorf("end", "slice %d:%d of axis %d goes against its stride %d", s.Ints("begin")[i], s.Ints("end")[i], a, b.Stride)
			}
			out[a] = b.Count
		}
		return []tensor.Shape{out}, nil
	},
	Ref:      Reference{Kernels: viewKernels(taken), PerElement: true},
	View:     contiguous(taken),
	Simplify: ifWhole,
	Expand:   expandSlice,
	Lane:     sliceLane,
	Generate: func(r *Rand) Case {
		shape := r.Shape(0, 4)
		axes := r.Axes(len(shape), r.IntN(len(shape)+1))
		r.Shuffle(len(axes), func(i, j int) { axes[i], axes[j] = axes[j], axes[i] })
		begin, end, stride := make([]int, len(axes)), make([]int, len(axes)), make([]int, len(axes))
		plain := true
		for i, a := range axes {
			n := shape[a]
			first, last := r.IntN(n), r.IntN(n)
			if first <= last && r.IntN(3) > 0 {
				begin[i], end[i], stride[i] = first, last+1, 1
			} else {
				if first > last {
					first, last = last, first
				}
				begin[i], end[i], stride[i] = last, first-1, -r.Between(1, 3)
				if first == 0 {
					end[i] = -n - r.Between(1, 3)
				}
				if r.Bool() {
					begin[i], end[i], stride[i] = first, last+1, r.Between(1, 3)
				}
			}
			if r.IntN(3) == 0 {
				begin[i] -= n
			}
			plain = plain && stride[i] == 1
		}
		if plain && r.Bool() {
			stride = []int{}
		}
		return Case{
			In: []*tensor.Tensor{r.arbitrary(shape)},
			Attrs: graph.Attrs{{Name: "axes", Value: axes}, {Name: "begin", Value: begin},
				{Name: "end", Value: end}, {Name: "stride", Value: stride}},
		}
	},
}

func taken(in, _ tensor.Shape, attrs graph.Attrs) stridedView {
	v := viewOf(in)
	for i, a := range attrs.Ints("axes") {
		b := sliceBounds(attrs, i, v.extent[a])
		v.offset += b.Begin * v.stride[a]
		v.extent[a] = b.Count
		v.stride[a] *= b.Stride
	}
	return v
}

// Sliced is the part of a dimension that a slice takes: so many elements, from the first one on and a stride apart.
type Sliced struct{ Begin, Stride, Count int }

// Slices returns what a slice with these attributes takes of each dimension of its operand.
func Slices(attrs graph.Attrs, in tensor.Shape) []Sliced {
	out := make([]Sliced, len(in))
	for d, n := range in {
		out[d] = Sliced{0, 1, n}
	}
	for i, a := range attrs.Ints("axes") {
		out[a] = sliceBounds(attrs, i, in[a])
	}
	return out
}

// sliceBounds resolves item i of the attributes of slice for an extent n. A negative count says that the bounds run
// against the stride.
func sliceBounds(attrs graph.Attrs, i, n int) Sliced {
	begin, end, step, strides := attrs.Ints("begin")[i], attrs.Ints("end")[i], 1, attrs.Ints("stride")
	plain := true
	for _, s := range strides {
		plain = plain && s == 1
	}
	if len(strides) > 0 {
		step = strides[i]
	}
	if plain && end == 0 {
		end = n
	}
	begin, end = geometry.Place(begin, n, -1, n), geometry.Place(end, n, -1, n)
	// No element stands at -1 or n: a slice that begins there begins at the nearest one.
	if step > 0 {
		begin = max(begin, 0)
		if end < begin {
			return Sliced{Count: -1, Stride: step}
		}
		return Sliced{begin, step, stepCount(end-begin, uint(step))}
	}
	begin = min(begin, n-1)
	if begin < end {
		return Sliced{Count: -1, Stride: step}
	}
	return Sliced{begin, step, stepCount(begin-end, -uint(step))}
}

// stepCount returns a/b rounded up, for a ≥ 0 and b > 0.
func stepCount(a int, b uint) int {
	if a == 0 {
		return 0
	}
	return int(uint(a-1)/b) + 1
}

var reverseDef = &Def{
	Name:  "reverse",
	Doc:   "Reverse returns input with the order of the elements along each listed dimension reversed (WebNN reverse).",
	Spec:  Spec{WebNN: "reverse"},
	In:    []Operand{{Name: "input", Types: Movable, Rank: AnyRank, Doc: "the tensor"}},
	Out:   []Result{{Name: "output", Like: "input", Doc: "the elements in the new order"}},
	Attrs: []Attr{{Name: "axes", Kind: graph.KindInts, Doc: "the dimensions to reverse; none if empty"}},
	Shape: func(s *Sig) ([]tensor.Shape, error) {
		_, err := s.axes(s.In[0].Shape)
		return []tensor.Shape{s.In[0].Shape}, err
	},
	Ref:      Reference{Kernels: viewKernels(reversed), PerElement: true},
	View:     contiguous(reversed),
	Simplify: ifWhole,
	Body: "output = slice(input, axes = axes, begin = [for a in axes yield -1], " +
		"end = [for a in axes yield -(shape_of(input)[a] + 1)], stride = [for a in axes yield -1]);",
	Lane: firstLane(besideAxes),
	Generate: func(r *Rand) Case {
		shape := r.Shape(0, 4)
		return Case{
			In:    []*tensor.Tensor{r.arbitrary(shape)},
			Attrs: graph.Attrs{{Name: "axes", Value: r.Axes(len(shape), r.IntN(len(shape)+1))}},
		}
	},
}

func reversed(in, _ tensor.Shape, attrs graph.Attrs) stridedView {
	v := viewOf(in)
	for _, a := range attrs.Ints("axes") {
		v.offset += (v.extent[a] - 1) * v.stride[a]
		v.stride[a] = -v.stride[a]
	}
	return v
}

var triangularDef = &Def{
	Name: "triangular",
	Doc: "Triangular keeps the upper or lower triangle of each matrix and sets the rest to zero. " +
		"The matrices are the last two dimensions. The element of row i and column j is kept if j-i ≥ diagonal (upper) or " +
		"j-i ≤ diagonal (lower) (WebNN triangular).",
	Spec: Spec{WebNN: "triangular"},
	In:   []Operand{{Name: "input", Types: Movable, Rank: AtLeast(2), Doc: "the matrices"}},
	Out:  []Result{{Name: "output", Like: "input", Doc: "the triangles, in the shape of input"}},
	Attrs: []Attr{
		{Name: "upper", Kind: graph.KindBool, Default: true, Doc: "whether the upper triangle is kept"},
		{Name: "diagonal", Kind: graph.KindInt, Default: 0,
			Doc: "the last diagonal that is kept: 0 is the main one, positive ones lie above it"},
	},
	Shape: sameShape,
	Ref: Reference{Kernels: everyType(triangularRows), Pieces: func(_ *Sig, out []Type) int {
		shape := out[0].Shape
		return shape[:len(shape)-1].Len()
	}},
	Lane: firstLane(leading),
	Generate: func(r *Rand) Case {
		shape := r.Shape(2, 4)
		return Case{
			In: []*tensor.Tensor{r.arbitrary(shape)},
			Attrs: graph.Attrs{{Name: "upper", Value: r.Bool()},
				{Name: "diagonal", Value: r.Between(-r.Size-1, r.Size+1)}},
		}
	},
}

// triangularRows computes rows of the matrices. Zero is all bits clear in every element type.
func triangularRows(c *Call, lo, hi int) {
	shape, size := c.Out[0].Shape(), c.Out[0].DType().Size()
	rows, cols := shape[len(shape)-2], shape[len(shape)-1]
	src, dst := c.In[0].Bytes(), c.Out[0].Bytes()
	diagonal, upper := min(max(c.Int("diagonal"), -rows), cols), c.Bool("upper")
	for r := lo; r < hi; r++ {
		at := r * cols * size
		// The row splits before the first column above the diagonal, or on it for the upper triangle.
		cut := r%rows + diagonal
		if !upper {
			cut++
		}
		cut = at + min(max(cut, 0), cols)*size
		left, right := dst[at:cut], dst[cut:at+cols*size]
		if upper {
			clear(left)
			copy(right, src[cut:])
		} else {
			copy(left, src[at:])
			clear(right)
		}
	}
}
