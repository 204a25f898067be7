package op

import (
	"slices"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/emit"
	"github.com/concord-nn/concord/tensor"
)

// Operators that change the shape or the order of elements. They move elements of any type without looking at them.
var reshapeOps = []*Def{
	reshapeDef,
	squeezeDef,
	unsqueezeDef,
	transposeDef,
	expandDef,
	tileDef,
	concatDef,
	stackDef,
	splitDef,
	unstackDef,
}

var reshapeDef = &Def{
	Name: "reshape",
	Doc: "Reshape returns the elements of input, in row-major order, with another shape of the same size. " +
		"The dimensions axis_start … axis_start+axis_count-1 are replaced by shape, the others stay " +
		"(NNEF shape operations, WebNN reshape).",
	Spec: Spec{NNEF: "reshape", WebNN: "reshape", CVM: "reshape, flatten"},
	In:   []Operand{{Name: "input", Types: Stored, Rank: AnyRank, Doc: "the tensor"}},
	Out:  []Result{{Name: "output", Like: "input", Doc: "the same elements in the new shape"}},
	Attrs: []Attr{
		{Name: "shape", Kind: graph.KindInts, Range: [2]float64{-1, tensor.MaxElements},
			Doc: "the new extents; 0 keeps the extent at axis_start plus its position, one item may be -1 and is inferred from the size"},
		{Name: "axis_start", Kind: graph.KindInt, Default: 0, Range: [2]float64{0, tensor.MaxRank}, Doc: "the first dimension to replace"},
		{Name: "axis_count", Kind: graph.KindInt, Default: -1, Range: [2]float64{-1, tensor.MaxRank},
			Doc: "how many dimensions to replace; -1 for all from axis_start on"},
	},
	Shape:    reshapeShape,
	Ref:      copyReference,
	View:     whole,
	Simplify: shorter,
	Generate: func(r *Rand) Case {
		in := r.Shape(0, 5)
		start := r.IntN(len(in) + 1)
		count := r.IntN(len(in) - start + 1)
		var shape []int
		for _, n := range in[start : start+count] {
			switch d := r.divisor(n); r.IntN(3) {
			case 0:
				shape = append(shape, n)
			case 1:
				shape = append(shape, d, n/d)
			default:
				shape = append(shape, n/d, d)
			}
		}
		if n := len(shape); n > 0 {
			if at := r.IntN(n); r.Bool() {
				shape[at] = -1
			} else if start+at < len(in) && shape[at] == in[start+at] {
				shape[at] = 0
			}
		}
		if shape == nil {
			shape = []int{}
		}
		if start+count == len(in) && r.Bool() {
			count = -1
		}
		return Case{
			In: []*tensor.Tensor{r.arbitrary(in)},
			Attrs: graph.Attrs{{Name: "shape", Value: shape}, {Name: "axis_start", Value: start},
				{Name: "axis_count", Value: count}},
		}
	},
}

func reshapeShape(s *Sig) ([]tensor.Shape, error) {
	in, items, start, count := s.In[0].Shape, s.Ints("shape"), s.Int("axis_start"), s.Int("axis_count")
	if start > len(in) {
		return nil, s.Errorf("axis_start", "%d is not a dimension of shape %v", start, in)
	}
	if count < 0 {
		count = len(in) - start
	}
	if start+count > len(in) {
		return nil, s.Errorf("axis_count", "shape %v does not have %d dimensions from %d on", in, count, start)
	}
	if len(items) > tensor.MaxRank {
		return nil, s.Errorf("shape", "%d extents are given; at most %d are allowed", len(items), tensor.MaxRank)
	}
	volume, infer := 1, -1 // of the items but the inferred one
	fresh := slices.Clone(items)
	for i, n := range items {
		switch {
		case n == -1 && infer >= 0:
			return nil, s.Errorf("shape", "items %d and %d of %v are both -1; at most one extent can be inferred", infer, i, items)
		case n == -1:
			infer = i
			continue
		case n == 0 && start+i >= len(in):
			return nil, s.Errorf("shape", "item %d is 0, but shape %v has no dimension %d to copy", i, in, start+i)
		case n == 0:
			fresh[i] = in[start+i]
		}
		if n := fresh[i]; n > 0 && volume > tensor.MaxElements/n {
			return nil, s.Errorf("shape", "%v has more elements than can be addressed", tensor.Shape(items))
		}
		volume *= fresh[i]
	}
	replaced := in[start : start+count]
	want := replaced.Len()
	if infer >= 0 {
		if volume == 0 || want%volume != 0 {
			return nil, s.Misfit("shape", "no extent for the -1 in %v gives the %d elements of %v, which it replaces",
				tensor.Shape(items), want, replaced)
		}
		fresh[infer] = want / volume
	} else if volume != want {
		return nil, s.Misfit("shape", "%v has %d elements; %v, which it replaces, has %d", tensor.Shape(fresh), volume, replaced, want)
	}
	return []tensor.Shape{slices.Concat(in[:start], fresh, in[start+count:])}, nil
}

// copyReference is that of operators that only change the shape.
var copyReference = Reference{Kernels: alike(copyElements, Stored), PerElement: true}

func copyElements(c *Call, lo, hi int) {
	size := max(c.In[0].DType().Size(), 1)
	copy(c.Out[0].Bytes()[lo*size:hi*size], c.In[0].Bytes()[lo*size:])
}

var squeezeDef = &Def{
	Name: "squeeze",
	Doc:  "Squeeze returns input without the listed dimensions, whose extents are 1 (NNEF shape operations).",
	Spec: Spec{NNEF: "squeeze", CVM: "squeeze"},
	In:   []Operand{{Name: "input", Types: Stored, Rank: AnyRank, Doc: "the tensor"}},
	Out:  []Result{{Name: "output", Like: "input", Doc: "the same elements"}},
	Attrs: []Attr{{Name: "axes", Kind: graph.KindInts,
		Doc: "the dimensions of input to remove, each of extent 1"}},
	Shape: func(s *Sig) ([]tensor.Shape, error) {
		in := s.In[0].Shape
		listed, err := s.axes(in)
		if err != nil {
			return nil, err
		}
		out := tensor.Shape{}
		for d, n := range in {
			if !listed[d] {
				out = append(out, n)
			} else if n != 1 {
				return nil, s.Misfit("axes", "dimension %d of shape %v has extent %d; only extents of 1 can be removed", d, in, n)
			}
		}
		return []tensor.Shape{out}, nil
	},
	Ref:      copyReference,
	View:     whole,
	Simplify: shorter,
	Generate: func(r *Rand) Case {
		shape := r.Shape(0, 5)
		axes := r.Axes(len(shape), r.IntN(len(shape)+1))
		for _, a := range axes {
			shape[a] = 1
		}
		return Case{In: []*tensor.Tensor{r.arbitrary(shape)}, Attrs: graph.Attrs{{Name: "axes", Value: axes}}}
	},
}

var unsqueezeDef = &Def{
	Name: "unsqueeze",
	Doc:  "Unsqueeze returns input with new dimensions of extent 1 at the listed positions (NNEF shape operations).",
	Spec: Spec{NNEF: "unsqueeze", CVM: "expand_dims"},
	In:   []Operand{{Name: "input", Types: Stored, Rank: AnyRank, Doc: "the tensor"}},
	Out:  []Result{{Name: "output", Like: "input", Doc: "the same elements"}},
	Attrs: []Attr{{Name: "axes", Kind: graph.KindInts,
		Doc: "the positions of the new dimensions in the result"}},
	Shape: func(s *Sig) ([]tensor.Shape, error) {
		in := s.In[0].Shape
		rank := len(in) + len(s.Ints("axes"))
		if rank > tensor.MaxRank {
			return nil, s.Errorf("axes", "the result would have rank %d; at most %d is allowed", rank, tensor.MaxRank)
		}
		for _, a := range s.Ints("axes") {
			if a < 0 || a >= rank {
				return nil, s.Errorf("axes", "axis %d is not a dimension of the result, whose rank is %d", a, rank)
			}
		}
		out := make(tensor.Shape, rank)
		added, err := s.axes(out)
		if err != nil {
			return nil, err
		}
		next := 0
		for d := range out {
			if out[d] = 1; !added[d] {
				out[d] = in[next]
				next++
			}
		}
		return []tensor.Shape{out}, nil
	},
	Ref:      copyReference,
	View:     whole,
	Simplify: shorter,
	Generate: func(r *Rand) Case {
		shape := r.Shape(0, 4)
		added := r.IntN(3)
		return Case{
			In:    []*tensor.Tensor{r.arbitrary(shape)},
			Attrs: graph.Attrs{{Name: "axes", Value: r.Axes(len(shape)+added, added)}},
		}
	},
}

var transposeDef = &Def{
	Name: "transpose",
	Doc: "Transpose returns input with its dimensions reordered: dimension i of the result is dimension axes[i] of input. " +
		"Dimensions beyond those listed stay (NNEF shape operations, WebNN transpose, CVM transpose).",
	Spec: Spec{NNEF: "transpose", WebNN: "transpose", OpenVX: "vxTensorTransposeNode", CVM: "transpose"},
	In:   []Operand{{Name: "input", Types: Movable, Rank: AnyRank, Doc: "the tensor"}},
	Out:  []Result{{Name: "output", Like: "input", Doc: "the elements in the new order"}},
	Attrs: []Attr{{Name: "axes", Kind: graph.KindInts,
		Doc: "a permutation of 0 … n-1, where n is at most the rank of input"}},
	Shape: func(s *Sig) ([]tensor.Shape, error) {
		in, axes := s.In[0].Shape, s.Ints("axes")
		if len(axes) > len(in) {
			return nil, s.Errorf("axes", "%d dimensions are listed; shape %v has %d", len(axes), in, len(in))
		}
		if _, err := s.axes(in[:len(axes)]); err != nil {
			return nil, s.Errorf("axes", "%v is not a permutation of the first %d dimensions of shape %v", axes, len(axes), in)
		}
		out := in.Clone()
		for i, a := range axes {
			out[i] = in[a]
		}
		return []tensor.Shape{out}, nil
	},
	Ref:      Reference{Kernels: viewKernels(transposed), PerElement: true},
	View:     contiguous(transposed),
	Simplify: simplerTranspose,
	Lane:     transposeLane,
	Generate: func(r *Rand) Case {
		shape := r.Shape(0, 5)
		return Case{
			In:    []*tensor.Tensor{r.arbitrary(shape)},
			Attrs: graph.Attrs{{Name: "axes", Value: r.Perm(r.IntN(len(shape) + 1))}},
		}
	},
}

func transposed(in, _ tensor.Shape, attrs graph.Attrs) stridedView {
	from := viewOf(in)
	v := from
	for i, a := range attrs.Ints("axes") {
		v.extent[i], v.stride[i] = from.extent[a], from.stride[a]
	}
	return v
}

// simplerTranspose joins a transpose with the one above it, and replaces one that keeps the order of the elements.
func simplerTranspose(n *graph.Node) (*graph.Value, *graph.Node) {
	from, axes := n.In[0], Permutation(n.Attrs, len(n.In[0].Type.Shape))
	if slices.IsSorted(axes) {
		return from, nil
	}
	if p := from.Producer; p != nil && p.Op == n.Op {
		first, joined := Permutation(p.Attrs, len(axes)), make([]int, len(axes))
		for i, a := range axes {
			joined[i] = first[a]
		}
		return nil, &graph.Node{Op: n.Op, In: p.In, Out: n.Out, Attrs: graph.Attrs{{Name: "axes", Value: joined}}, Label: n.Label}
	}
	if Reshapes(n) {
		return nil, asReshape(n, from)
	}
	return nil, nil
}

// Permutation returns the axes of a transpose of so many dimensions, one for each of them.
func Permutation(attrs graph.Attrs, rank int) []int {
	axes := slices.Clone(attrs.Ints("axes"))
	return append(axes, emit.Counting(len(axes), rank-len(axes))...)
}

// Inverse returns the axes of the transpose that undoes another one.
func Inverse(axes []int) []int {
	back := make([]int, len(axes))
	for i, d := range axes {
		back[d] = i
	}
	return back
}

var expandDef = &Def{
	Name: "expand",
	Doc: "Expand repeats input along its dimensions of extent 1 up to the given shape. " +
		"The ranks are equal; a front-end whose operation aligns shapes of different rank inserts a reshape (WebNN expand).",
	Spec: Spec{WebNN: "expand"},
	In:   []Operand{{Name: "input", Types: Movable, Rank: AnyRank, Doc: "the tensor"}},
	Out:  []Result{{Name: "output", Like: "input", Doc: "input, repeated to the given shape"}},
	Attrs: []Attr{{Name: "shape", Kind: graph.KindInts, Range: [2]float64{0, tensor.MaxElements},
		Doc: "the extents of the result; each is that of input, or any if that is 1"}},
	Shape: func(s *Sig) ([]tensor.Shape, error) {
		in, out := s.In[0].Shape, tensor.Shape(s.Ints("shape")).Clone()
		if len(in) != len(out) {
			return nil, s.Errorf("shape", "%v has rank %d; input has rank %d", out, len(out), len(in))
		}
		for d, n := range in {
			if n != 1 && n != out[d] {
				return nil, s.Errorf("shape", "extent %d of dimension %d cannot be expanded to %d: it must be 1 or equal", n, d, out[d])
			}
		}
		return []tensor.Shape{out}, nil
	},
	Ref:      Reference{Kernels: viewKernels(expanded), PerElement: true},
	View:     contiguous(expanded),
	Simplify: ifSameType, // equal shapes leave nothing to repeat
	Lane:     single("shape", expandLane),
	Generate: func(r *Rand) Case {
		shape := r.Shape(0, 5)
		in := shape.Clone()
		for d := range in {
			if r.Bool() {
				in[d] = 1
			}
		}
		return Case{In: []*tensor.Tensor{r.arbitrary(in)}, Attrs: graph.Attrs{{Name: "shape", Value: []int(shape)}}}
	},
}

func expanded(in, out tensor.Shape, _ graph.Attrs) stridedView {
	v := viewOf(in)
	for d, n := range out {
		if n != v.extent[d] {
			v.extent[d], v.stride[d] = n, 0
		}
	}
	return v
}

// divisor returns a number that divides n, which must be positive.
func (r *Rand) divisor(n int) int {
	for {
		if d := r.Between(1, n); n%d == 0 {
			return d
		}
	}
}
