package op

import (
	"slices"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/geometry"
	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/tensor"
)

// maxResults bounds the results of one node: an extent of a tensor without elements may be any number.
const maxResults = limits.OpResults

var concatDef = &Def{
	Name: "concat",
	Doc: "Concat joins tensors along a dimension, in the order given. " +
		"Their other extents are equal (NNEF shape operations, WebNN concat, CVM concatenate).",
	Spec: Spec{NNEF: "concat", WebNN: "concat", CVM: "concatenate"},
	In: []Operand{{Name: "values", Types: Movable, Like: "values", Rank: AtLeast(1), Variadic: true,
		Doc: "the tensors, of one type and rank"}},
	Out:   []Result{{Name: "value", Like: "values", Doc: "the joined tensor"}},
	Attrs: []Attr{{Name: "axis", Kind: graph.KindInt, Doc: "the dimension along which to join"}},
	Shape: func(s *Sig) ([]tensor.Shape, error) {
		first := s.In[0].Shape
		axis, err := s.axis("axis", first)
		if err != nil {
			return nil, err
		}
		out := first.Clone()
		for i, t := range s.In[1:] {
			if len(t.Shape) != len(first) {
				return nil, s.Errorf("values", "the ranks of item 0, %v, and item %d, %v, differ", first, i+1, t.Shape)
			}
			for d, n := range t.Shape {
				if d != axis && n != first[d] {
					return nil, s.Errorf("values", "the extents of item 0, %v, and item %d, %v, differ in dimension %d; only dimension %d may differ",
						first, i+1, t.Shape, d, axis)
				}
			}
			if out[axis] += t.Shape[axis]; out[axis] > tensor.MaxElements {
				return nil, s.Errorf("values", "the sum of the extents of dimension %d is more than can be addressed", axis)
			}
		}
		return []tensor.Shape{out}, nil
	},
	Ref:      Reference{Kernels: everyType(joinElements), PerElement: true},
	Join:     joined,
	Simplify: ifPieces,
	Work:     func(s *Sig, out []tensor.Shape) Work { return chunkWork(out[0], s.Int("axis"), len(s.In)) },
	Lane:     allLane(besideAxis),
	Generate: func(r *Rand) Case {
		shape := r.Shape(1, 4)
		axis := r.IntN(len(shape))
		c := Case{Attrs: graph.Attrs{{Name: "axis", Value: axis}}}
		d := r.DType(AnyType)
		for range r.Between(1, 4) {
			shape[axis] = r.Extent()
			c.In = append(c.In, r.Tensor(d, shape))
		}
		return c
	},
}

// ifPieces simplifies a concat of all slices of a value, one behind the other.
func ifPieces(n *graph.Node) (*graph.Value, *graph.Node) {
	first := n.In[0].Producer
	if len(n.In) == 1 || first == nil || first.Op != "slice" || !first.In[0].Type.Equal(n.Out[0].Type) || n.Out[0].Type.Shape.Len() == 0 {
		return ifSingle(n)
	}
	x, axis, at := first.In[0], n.Attrs.Int("axis"), 0
	apart := geometry.Distances(x.Type.Shape)
	for _, v := range n.In {
		p := v.Producer
		if p == nil || p.Op != "slice" || p.In[0] != x {
			return nil, nil
		}
		offset, stride, _ := Selection(p)
		if offset != at*apart[axis] || !slices.Equal(stride, apart) {
			return nil, nil
		}
		at += v.Type.Shape[axis]
	}
	return x, nil
}

var stackDef = &Def{
	Name: "stack",
	Doc:  "Stack joins tensors of one shape along a new dimension, in the order given (NNEF shape operations).",
	Spec: Spec{NNEF: "stack"},
	In: []Operand{{Name: "values", Types: Movable, Like: "values", Rank: AnyRank, Variadic: true,
		Doc: "the tensors, of one type and shape"}},
	Out:   []Result{{Name: "value", Like: "values", Doc: "the joined tensor, one rank higher"}},
	Attrs: []Attr{{Name: "axis", Kind: graph.KindInt, Doc: "the position of the new dimension in the result; its extent is the number of tensors"}},
	Shape: func(s *Sig) ([]tensor.Shape, error) {
		first, axis := s.In[0].Shape, s.Int("axis")
		if axis < 0 || axis > len(first) {
			return nil, s.Errorf("axis", "%d is not a position for a new dimension of shape %v; it must be from 0 to %d", axis, first, len(first))
		}
		for i, t := range s.In {
			if !t.Shape.Equal(first) {
				return nil, s.Errorf("values", "the shapes of item 0, %v, and item %d, %v, differ", first, i, t.Shape)
			}
		}
		return []tensor.Shape{slices.Insert(first.Clone(), axis, len(s.In))}, nil
	},
	Ref:  Reference{Kernels: everyType(joinElements), PerElement: true},
	Join: joined,
	Body: "value = concat([for v in values yield unsqueeze(v, axes = [axis])], axis = axis);",
	Lane: stackLane,
	Generate: func(r *Rand) Case {
		shape := r.Shape(0, 4)
		d := r.DType(AnyType)
		c := Case{Attrs: graph.Attrs{{Name: "axis", Value: r.IntN(len(shape) + 1)}}}
		for range r.Between(1, 4) {
			c.In = append(c.In, r.Tensor(d, shape))
		}
		return c
	},
}

var splitDef = &Def{
	Name: "split",
	Doc: "Split cuts a tensor along a dimension into parts whose extents have the given ratios. " +
		"The sum of the ratios divides the extent; ratios that add up to it are the extents themselves " +
		"(NNEF shape operations, WebNN split).",
	Spec: Spec{NNEF: "split", WebNN: "split"},
	In:   []Operand{{Name: "value", Types: Movable, Rank: AtLeast(1), Doc: "the tensor"}},
	Out:  []Result{{Name: "values", Like: "value", Variadic: true, Doc: "the parts, in order"}},
	Attrs: []Attr{
		{Name: "axis", Kind: graph.KindInt, Doc: "the dimension along which to cut"},
		{Name: "ratios", Kind: graph.KindInts, Range: [2]float64{1, tensor.MaxElements}, Doc: "the relative extents of the parts, each at least 1"},
	},
	Shape: func(s *Sig) ([]tensor.Shape, error) {
		in, ratios := s.In[0].Shape, s.Ints("ratios")
		axis, err := s.axis("axis", in)
		if err != nil {
			return nil, err
		}
		if len(ratios) == 0 || len(ratios) > maxResults {
			return nil, s.Errorf("ratios", "%d ratios are given; there must be 1 to %d", len(ratios), maxResults)
		}
		sum := 0
		for _, r := range ratios {
			if sum += r; sum > tensor.MaxElements {
				break // more than any extent but 0, which it divides
			}
		}
		if in[axis]%sum != 0 {
			return nil, s.Misfit("ratios", "the sum of %v does not divide the extent %d of dimension %d", ratios, in[axis], axis)
		}
		shapes := make([]tensor.Shape, len(ratios))
		for i, r := range ratios {
			shapes[i] = in.Clone()
			shapes[i][axis] = in[axis] / sum * r
		}
		return shapes, nil
	},
	Expand: expandSplit,
	Ref:    Reference{Kernels: everyType(partElements), Pieces: perOperandElement},
	View:   parts,
	Work:   func(s *Sig, out []tensor.Shape) Work { return chunkWork(s.In[0].Shape, s.Int("axis"), len(out)) },
	Lane:   firstLane(besideAxis),
	Generate: func(r *Rand) Case {
		shape := r.Shape(1, 4)
		axis := r.IntN(len(shape))
		ratios := make([]int, r.Between(1, 4))
		sum := 0
		for i := range ratios {
			ratios[i] = r.Between(1, 3)
			sum += ratios[i]
		}
		shape[axis] = sum * r.Between(1, 2)
		return Case{
			In:    []*tensor.Tensor{r.arbitrary(shape)},
			Attrs: graph.Attrs{{Name: "axis", Value: axis}, {Name: "ratios", Value: ratios}},
		}
	},
}

var unstackDef = &Def{
	Name:  "unstack",
	Doc:   "Unstack cuts a tensor along a dimension into its items, each without that dimension (NNEF shape operations).",
	Spec:  Spec{NNEF: "unstack"},
	In:    []Operand{{Name: "value", Types: Movable, Rank: AtLeast(1), Doc: "the tensor"}},
	Out:   []Result{{Name: "values", Like: "value", Variadic: true, Doc: "the items, in order, one rank lower"}},
	Attrs: []Attr{{Name: "axis", Kind: graph.KindInt, Doc: "the dimension to take apart; its extent is the number of results"}},
	Shape: func(s *Sig) ([]tensor.Shape, error) {
		in := s.In[0].Shape
		axis, err := s.axis("axis", in)
		if err != nil {
			return nil, err
		}
		if in[axis] < 1 || in[axis] > maxResults {
			return nil, s.Errorf("axis", "dimension %d of shape %v gives %d results; there must be 1 to %d", axis, in, in[axis], maxResults)
		}
		shapes := make([]tensor.Shape, in[axis])
		for i := range shapes {
			shapes[i] = slices.Delete(in.Clone(), axis, axis+1)
		}
		return shapes, nil
	},
	Ref:  Reference{Kernels: everyType(partElements), Pieces: perOperandElement},
	View: parts,
	Body: "values = [for part in split(value, axis = axis, ratios = [1] * shape_of(value)[axis]) " +
		"yield squeeze(part, axes = [axis])];",
	Lane: unstackLane,
	Generate: func(r *Rand) Case {
		shape := r.Shape(1, 4)
		return Case{
			In:    []*tensor.Tensor{r.arbitrary(shape)},
			Attrs: graph.Attrs{{Name: "axis", Value: r.IntN(len(shape))}},
		}
	},
}

// chunkWork counts the elements of a tensor and the chunks, many of which may be empty, of which its rows consist.
func chunkWork(whole tensor.Shape, axis, parts int) Work {
	if whole.Len() == 0 {
		return Work{}
	}
	return Work{Ops: limits.Add(int64(whole.Len()), times(whole[:axis].Len(), parts))}
}

// perOperandElement makes each element of the first operand a piece.
func perOperandElement(s *Sig, _ []Type) int { return s.In[0].Shape.Len() }

// joinElements copies elements of several operands into one result. The result consists of rows, the indices before
// the axis; each row is made of one chunk of every operand.
func joinElements(c *Call, lo, hi int) {
	rowsAndChunks(c.Out[0], c.In, c.Int("axis"), lo, hi, func(whole, part []byte) { copy(whole, part) })
}

// partElements copies elements of one operand into several results, the reverse of joinElements.
func partElements(c *Call, lo, hi int) {
	rowsAndChunks(c.In[0], c.Out, c.Int("axis"), lo, hi, func(whole, part []byte) { copy(part, whole) })
}

// rowsAndChunks calls move for every run of the elements lo…hi-1 of whole that lies in one part.
func rowsAndChunks(whole *tensor.Tensor, parts []*tensor.Tensor, axis, lo, hi int, move func(whole, part []byte)) {
	size := whole.DType().Size()
	row := whole.Shape()[axis:].Len() * size
	bytes := whole.Bytes()
	at, end := lo*size, hi*size
	r, in := at/row, at%row // the row, and the position in it
	for first := 0; at < end; {
		// Find the part that holds position in, which is first bytes before it.
		for k := 0; k < len(parts) && at < end; k++ {
			chunk := parts[k].Shape()[axis:].Len() * size
			if in < first+chunk {
				n := min(first+chunk-in, end-at)
				from := r*chunk + in - first
				move(bytes[at:at+n], parts[k].Bytes()[from:from+n])
				at, in = at+n, in+n
			}
			first += chunk
		}
		r, in, first = r+1, 0, 0
	}
}
