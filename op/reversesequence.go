package op

import (
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/geometry"
	"github.com/concord-nn/concord/tensor"
)

var reverseSequenceDef = &Def{
	Name: "reverse_sequence",
	Doc: "Reverse_sequence reverses the first elements of each sequence of a batch along a time axis (ONNX ReverseSequence). " +
		"The element at time t of batch b is that at lengths[b]-1-t if t < lengths[b], and else that at t. A length below 0 counts as 0, one beyond the extent of the axis as that.",
	In: []Operand{
		{Name: "input", Types: Movable, Rank: AtLeast(2), Doc: "the sequences"},
		{Name: "lengths", Types: wholeIndices, Rank: Rank(1), Doc: "how many elements of each sequence are reversed"},
	},
	Out: []Result{{Name: "output", Like: "input", Doc: "the elements in the new order"}},
	Attrs: []Attr{
		{Name: "batch_axis", Kind: graph.KindInt, Default: 1, Doc: "the dimension along which there are sequences"},
		{Name: "time_axis", Kind: graph.KindInt, Default: 0, Doc: "the dimension along which sequences lie"},
	},
	Shape: func(s *Sig) ([]tensor.Shape, error) {
		in := s.In[0].Shape
		batch, err := s.axis("batch_axis", in)
		if err != nil {
			return nil, err
		}
		time, err := s.axis("time_axis", in)
		if err != nil {
			return nil, err
		}
		if batch == time {
			return nil, s.Errorf("time_axis", "it is batch_axis, %d; they must differ", batch)
		}
		if n := s.In[1].Shape[0]; n != in[batch] {
			return nil, s.Errorf("lengths", "there are %d lengths; shape %v has %d sequences in dimension %d", n, in, in[batch], batch)
		}
		return sameShape(s)
	},
	Ref: Reference{Kernels: everyType(reverseSequences), Pieces: func(s *Sig, _ []Type) int {
		return s.In[0].Shape[:innerAxis(s.Attrs)+1].Len()
	}},
	Takes: fromFirst,
	Lane:  reverseSequenceLane,
	Generate: func(r *Rand) Case {
		shape := r.Shape(2, 4)
		axes := r.Perm(len(shape))[:2]
		lengths := r.Integers(tensor.Int64, tensor.Shape{shape[axes[0]]}, -1, shape[axes[1]]+1)
		return Case{
			In:    []*tensor.Tensor{r.arbitrary(shape), must(tensor.Cast(lengths, r.DType(wholeIndices)))},
			Attrs: graph.Attrs{{Name: "batch_axis", Value: axes[0]}, {Name: "time_axis", Value: axes[1]}},
		}
	},
}

// innerAxis returns the later one of the two axes. Behind it lie items, which are moved as a whole.
func innerAxis(a graph.Attrs) int { return max(a.Int("batch_axis"), a.Int("time_axis")) }

// reverseSequences moves items, counted over the dimensions up to [innerAxis].
func reverseSequences(c *Call, lo, hi int) {
	shape, batch, time, inner := c.In[0].Shape(), c.Int("batch_axis"), c.Int("time_axis"), innerAxis(c.Attrs)
	src, dst, lengths := c.In[0].Bytes(), c.Out[0].Bytes(), geometry.IndicesOf(c.In[1])
	item := shape[inner+1:].Len() * c.In[0].DType().Size()
	// How many items lie between neighbours of the batch and of a sequence.
	perBatch, perTime := shape[batch+1:inner+1].Len(), shape[time+1:inner+1].Len()
	watch := c.Watch()
	for i := lo; i < hi; i++ {
		t, from := i/perTime%shape[time], i
		if n := min(lengths.At(i/perBatch%shape[batch]), int64(shape[time])); int64(t) < n {
			from += (int(n) - 1 - 2*t) * perTime
		}
		if watch.Copy(dst[i*item:(i+1)*item], src[from*item:]) {
			return
		}
	}
}
