package op

import (
	"slices"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/geometry"
	"github.com/concord-nn/concord/tensor"
)

// Operators that find elements by indices held in a tensor.
var gatherOps = []*Def{
	gatherDef,
	gatherElementsDef,
	gatherNDDef,
	scatterElementsDef,
	scatterNDDef,
}

// indexRule is what every operator of the family does with its indices.
const indexRule = "An index out of range counts as the nearest legal one. With negative = true, -1 … -n mean the elements from the end of a dimension of extent n first. "

var negativeAttr = Attr{Name: "negative", Kind: graph.KindBool, Default: false,
	Doc: "whether negative indices count from the end; if not, they count as 0"}

func indexOperands(input, indices Ranks, indicesDoc string) []Operand {
	return []Operand{
		{Name: "input", Types: Movable, Rank: input, Doc: "the tensor"},
		{Name: "indices", Types: Integers, Rank: indices, Doc: indicesDoc},
	}
}

// byIndex returns the kernel of an operator that moves bytes, for each type of operand 1, the indices.
func byIndex(k Kernel, pieces func(s *Sig, out []Type) int) Reference {
	return Reference{By: 1, Kernels: alike(k, Integers), Pieces: pieces}
}

// locate returns index i as a position in a dimension of extent n, which must not be 0.
func locate(i int64, n int, negative bool) int {
	if i < 0 && negative {
		i += int64(n)
	}
	return int(min(max(i, 0), int64(n-1)))
}

var gatherDef = &Def{
	Name: "gather",
	Doc: "Gather takes the items of a dimension that the indices name: with axis = 0, output[i…, …] = input[indices[i…], …]. " + indexRule +
		"The dimensions of indices take the place of the axis (NNEF shape operations, WebNN gather, CVM take).",
	Spec: Spec{NNEF: "gather", WebNN: "gather", CVM: "take"},
	In:   indexOperands(AtLeast(1), AnyRank, "the indices, a tensor of any shape"),
	Out:  []Result{{Name: "output", Like: "input", Doc: "the items, with the dimensions of indices in place of the axis"}},
	Attrs: []Attr{
		{Name: "axis", Kind: graph.KindInt, Default: 0, Doc: "the dimension of input that is indexed"},
		negativeAttr,
	},
	Shape: func(s *Sig) ([]tensor.Shape, error) {
		in, indices := s.In[0].Shape, s.In[1].Shape
		axis, err := s.axis("axis", in)
		if err != nil {
			return nil, err
		}
		return []tensor.Shape{slices.Concat(in[:axis], indices, in[axis+1:])}, s.indexable(in, axis, axis+1)
	},
	Ref: byIndex(gatherItems, func(s *Sig, _ []Type) int {
		return s.In[0].Shape[:s.Int("axis")].Len() * s.In[1].Shape.Len()
	}),
	Takes: fromFirst,
	Lane:  gatherLane,
	Generate: func(r *Rand) Case {
		shape := r.Shape(1, 4)
		axis := r.IntN(len(shape))
		return Case{
			In:    []*tensor.Tensor{r.arbitrary(shape), r.indices(r.Shape(0, 2), shape[axis])},
			Attrs: graph.Attrs{{Name: "axis", Value: axis}, {Name: "negative", Value: r.Bool()}},
		}
	},
}

// indexable reports that dimensions from … to-1 of shape have no element that an index could name.
func (s *Sig) indexable(shape tensor.Shape, from, to int) error {
	for d := from; d < to; d++ {
		if shape[d] == 0 && s.In[1].Shape.Len() > 0 {
			return s.Errorf("input", "dimension %d of shape %v is indexed but has no elements", d, shape)
		}
	}
	return nil
}

// indices returns indices for a dimension of extent n, some of them out of range.
func (r *Rand) indices(shape tensor.Shape, n int) *tensor.Tensor {
	d := r.DType(Integers)
	lo, hi := -n, n-1
	if r.IntN(3) == 0 {
		lo, hi = -2*n-1, 2*n
	}
	if d.IsUnsigned() {
		lo = 0
	}
	return r.Integers(d, shape, lo, hi)
}

// gatherItems copies items, the parts of the operand behind its axis, in the order of the result.
func gatherItems(c *Call, lo, hi int) {
	in, axis, negative := c.In[0].Shape(), c.Int("axis"), c.Bool("negative")
	indices, count := geometry.IndicesOf(c.In[1]), c.In[1].Len()
	src, dst := c.In[0].Bytes(), c.Out[0].Bytes()
	n, item := in[axis], in[axis+1:].Len()*c.In[0].DType().Size()
	watch := c.Watch()
	for i := lo; i < hi; i++ {
		from := (i/count*n + locate(indices.At(i%count), n, negative)) * item
		if watch.Copy(dst[i*item:(i+1)*item], src[from:]) {
			return
		}
	}
}

var gatherElementsDef = &Def{
	Name: "gather_elements",
	Doc: "Gather_elements takes one element for each index: with axis = 0, output[i,j,…] = input[indices[i,j,…],j,…]. " + indexRule +
		"Input and indices have the same extents in the other dimensions (WebNN gatherElements).",
	Spec: Spec{WebNN: "gatherElements"},
	In:   indexOperands(AtLeast(1), AtLeast(1), "the indices, of the rank of input"),
	Out:  []Result{{Name: "output", Like: "input", Doc: "one element for each index"}},
	Attrs: []Attr{
		{Name: "axis", Kind: graph.KindInt, Default: 0, Doc: "the dimension of input that is indexed"},
		negativeAttr,
	},
	Shape: func(s *Sig) ([]tensor.Shape, error) {
		return []tensor.Shape{s.In[1].Shape}, s.alongAxis()
	},
	Ref:      byIndex(gatherSingles, func(_ *Sig, out []Type) int { return out[0].Shape.Len() }),
	Takes:    fromFirst,
	Lane:     gatherElementsLane,
	Generate: func(r *Rand) Case { return r.alongAxis(false) },
}

// alongAxis generates a case of an operator whose indices differ from its input in the extent of the axis, with updates or without.
func (r *Rand) alongAxis(updates bool) Case {
	shape := r.Shape(1, 4)
	axis := r.IntN(len(shape))
	input := r.arbitrary(shape)
	n := shape[axis]
	shape[axis] = r.Extent()
	in := []*tensor.Tensor{input, r.indices(shape, n)}
	if updates {
		in = append(in, r.Tensor(input.DType(), shape))
	}
	return Case{In: in, Attrs: graph.Attrs{{Name: "axis", Value: axis}, {Name: "negative", Value: r.Bool()}}}
}

// alongAxis checks that the shapes of input and indices are equal but along the axis.
func (s *Sig) alongAxis() error {
	in, indices := s.In[0].Shape, s.In[1].Shape
	axis, err := s.axis("axis", in)
	if err != nil {
		return err
	}
	if len(in) != len(indices) {
		return s.Errorf("indices", "shape %v must have the rank of input, %v", indices, in)
	}
	for d, n := range indices {
		if d != axis && n != in[d] {
			return s.Errorf("indices", "shape %v differs from that of input, %v, in dimension %d; only dimension %d may differ",
				indices, in, d, axis)
		}
	}
	return s.indexable(in, axis, axis+1)
}

// gatherSingles copies single elements in the order of the result.
func gatherSingles(c *Call, lo, hi int) {
	in, axis, negative := c.In[0].Shape(), c.Int("axis"), c.Bool("negative")
	indices := geometry.IndicesOf(c.In[1])
	src, dst, size := c.In[0].Bytes(), c.Out[0].Bytes(), c.In[0].DType().Size()
	n, inner, block := in[axis], in[axis+1:].Len(), c.In[1].Shape()[axis:].Len()
	for i := lo; i < hi; i++ {
		from := ((i/block*n+locate(indices.At(i), n, negative))*inner + i%inner) * size
		copy(dst[i*size:(i+1)*size], src[from:])
	}
}

var gatherNDDef = &Def{
	Name: "gather_nd",
	Doc: "Gather_nd takes the parts of input whose coordinates the indices hold: output[i…, …] = input[indices[i…,0], …, indices[i…,k-1], …]. " +
		indexRule + "The last dimension of indices, of extent k, holds the coordinates along the first k dimensions of input (WebNN gatherND).",
	Spec:  Spec{WebNN: "gatherND"},
	In:    indexOperands(AtLeast(1), AtLeast(1), "the coordinates; its last extent is at most the rank of input"),
	Out:   []Result{{Name: "output", Like: "input", Doc: "the parts: the extents of indices without the last, then those of a part of input"}},
	Attrs: []Attr{negativeAttr},
	Shape: func(s *Sig) ([]tensor.Shape, error) {
		shape, err := s.atCoordinates()
		return []tensor.Shape{shape}, err
	},
	Ref:   byIndex(gatherParts, func(s *Sig, _ []Type) int { return coordinates(s.In[1].Shape) }),
	Takes: fromFirst,
	Lane:  gatherNDLane,
	Generate: func(r *Rand) Case {
		shape := r.Shape(1, 4)
		k := r.Between(1, len(shape))
		return Case{
			In:    []*tensor.Tensor{r.arbitrary(shape), r.indices(append(r.Shape(0, 2), k), slices.Max(shape[:k]))},
			Attrs: graph.Attrs{{Name: "negative", Value: r.Bool()}},
		}
	},
}

// atCoordinates returns the shape of the parts of input that the indices name: that of indices without its last
// dimension, then that of a part.
func (s *Sig) atCoordinates() (tensor.Shape, error) {
	in, indices := s.In[0].Shape, s.In[1].Shape
	outer, k := rowsOf(indices)
	if k > len(in) {
		return nil, s.Errorf("indices", "the last extent of shape %v is %d; shape %v of input has only %d dimensions", indices, k, in, len(in))
	}
	return slices.Concat(outer, in[k:]), s.indexable(in, 0, k)
}

// coordinates returns the number of coordinates in operand 1.
func coordinates(indices tensor.Shape) int {
	outer, _ := rowsOf(indices)
	return outer.Len()
}

// partAt returns the number of the part of a tensor that has the coordinates number i, one for each of these extents.
func partAt(coordinates *geometry.Indices, i int, extents []int, negative bool) int {
	at := 0
	for d, n := range extents {
		at = at*n + locate(coordinates.At(i*len(extents)+d), n, negative)
	}
	return at
}

// gatherParts copies parts, one for each coordinate.
func gatherParts(c *Call, lo, hi int) {
	in, negative := c.In[0].Shape(), c.Bool("negative")
	_, k := rowsOf(c.In[1].Shape())
	indices := geometry.IndicesOf(c.In[1])
	src, dst := c.In[0].Bytes(), c.Out[0].Bytes()
	part := in[k:].Len() * c.In[0].DType().Size()
	for i := lo; i < hi; i++ {
		from := partAt(&indices, i, in[:k], negative) * part
		copy(dst[i*part:(i+1)*part], src[from:])
	}
}
