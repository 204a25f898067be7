package op

import (
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/geometry"
	"github.com/concord-nn/concord/tensor"
)

// updatesOperand is the operand of new values.
func updatesOperand(doc string) Operand {
	return Operand{Name: "updates", Types: Movable, Like: "input", Rank: AnyRank, Doc: doc}
}

var scatterElementsDef = &Def{
	Name: "scatter_elements",
	Doc: "Scatter_elements returns input with one element replaced for each index: with axis = 0, output[indices[i,j,…],j,…] = updates[i,j,…]. " +
		indexRule + "Of several updates of one element the last in row-major order wins (WebNN scatterElements).",
	Spec: Spec{WebNN: "scatterElements"},
	In: append(indexOperands(AtLeast(1), AtLeast(1), "the indices, of the rank of input; the other extents are those of input"),
		updatesOperand("the new elements, of the shape of indices")),
	Out: []Result{{Name: "output", Like: "input", Doc: "input with the new elements"}},
	Attrs: []Attr{
		{Name: "axis", Kind: graph.KindInt, Default: 0, Doc: "the dimension of input that is indexed"},
		negativeAttr,
	},
	Shape: func(s *Sig) ([]tensor.Shape, error) {
		if err := s.alongAxis(); err != nil {
			return nil, err
		}
		if !s.In[2].Shape.Equal(s.In[1].Shape) {
			return nil, s.Errorf("updates", "shape %v must be that of indices, %v", s.In[2].Shape, s.In[1].Shape)
		}
		return []tensor.Shape{s.In[0].Shape}, nil
	},
	Ref: byIndex(scatterSingles, func(s *Sig, _ []Type) int {
		return s.In[0].Shape[:s.Int("axis")].Len()
	}),
	Work:     scatterWork,
	Lane:     allLane(besideAxis),
	Generate: func(r *Rand) Case { return r.alongAxis(true) },
}

// scatterWork counts the elements of the result and those that replace some of them, perhaps many times.
func scatterWork(s *Sig, out []tensor.Shape) Work {
	return Work{Ops: int64(out[0].Len()) + int64(s.In[2].Shape.Len())}
}

// scatterSingles computes blocks of the result, the parts from the axis on: an update never leaves its block.
func scatterSingles(c *Call, lo, hi int) {
	in, axis, negative := c.In[0].Shape(), c.Int("axis"), c.Bool("negative")
	indices, updates := geometry.IndicesOf(c.In[1]), c.In[2].Bytes()
	src, dst, size := c.In[0].Bytes(), c.Out[0].Bytes(), c.In[0].DType().Size()
	n, inner, block := in[axis], in[axis+1:].Len(), c.In[1].Shape()[axis:].Len()
	copy(dst[lo*n*inner*size:hi*n*inner*size], src[lo*n*inner*size:])
	for i := lo * block; i < hi*block; i++ {
		to := ((i/block*n+locate(indices.At(i), n, negative))*inner + i%inner) * size
		copy(dst[to:to+size], updates[i*size:])
	}
}

var scatterNDDef = &Def{
	Name: "scatter_nd",
	Doc: "Scatter_nd returns input with one part replaced for each coordinate: output[indices[i…,0], …, indices[i…,k-1], …] = updates[i…, …]. " +
		indexRule + "The last dimension of indices, of extent k, holds the coordinates along the first k dimensions of input. " +
		"Of several updates of one part the last in row-major order wins (WebNN scatterND).",
	Spec: Spec{WebNN: "scatterND"},
	In: append(indexOperands(AtLeast(1), AtLeast(1), "the coordinates; its last extent is at most the rank of input"),
		updatesOperand("the new parts: the extents of indices without the last, then those of a part of input")),
	Out:   []Result{{Name: "output", Like: "input", Doc: "input with the new parts"}},
	Attrs: []Attr{negativeAttr},
	Shape: func(s *Sig) ([]tensor.Shape, error) {
		want, err := s.atCoordinates()
		if err != nil {
			return nil, err
		}
		if !s.In[2].Shape.Equal(want) {
			return nil, s.Errorf("updates", "shape %v must be %v: the extents of indices without the last, then those of a part of input", s.In[2].Shape, want)
		}
		return []tensor.Shape{s.In[0].Shape}, nil
	},
	Ref:  byIndex(scatterParts, nil),
	Work: scatterWork,
	Generate: func(r *Rand) Case {
		shape := r.Shape(1, 4)
		k := r.Between(1, len(shape))
		outer := r.Shape(0, 2)
		input := r.arbitrary(shape)
		return Case{
			In: []*tensor.Tensor{input, r.indices(append(outer.Clone(), k), max(shape[0], shape[k-1])),
				r.Tensor(input.DType(), append(outer.Clone(), shape[k:]...))},
			Attrs: graph.Attrs{{Name: "negative", Value: r.Bool()}},
		}
	},
}

// scatterParts computes the whole result: two updates may name one part, so their order counts.
func scatterParts(c *Call, _, _ int) {
	in, negative := c.In[0].Shape(), c.Bool("negative")
	_, k := rowsOf(c.In[1].Shape())
	indices, updates, dst := geometry.IndicesOf(c.In[1]), c.In[2].Bytes(), c.Out[0].Bytes()
	part := in[k:].Len() * c.In[0].DType().Size()
	copy(dst, c.In[0].Bytes())
	for i := range coordinates(c.In[1].Shape()) {
		to := partAt(&indices, i, in[:k], negative) * part
		copy(dst[to:to+part], updates[i*part:])
	}
}
