package op

import (
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/tensor"
)

// Inliner finds what may stand for nodes that own graphs, while a graph is rewritten.
type Inliner struct {
	folder *Folder
	small  int64 // bytes of constants that may stand for results
}

// NewInliner returns an inliner that may spend so much on conditions and numbers of turns.
func NewInliner(b Budget) *Inliner { return &Inliner{NewFolder(b), b.Result} }

// Inline returns what stands for the results of a node, or nothing: see [Def.Inline]. The operands are values of the new graph.
func (l *Inliner) Inline(r *graph.Rewriter, n *graph.Node, in []*graph.Value) ([]*graph.Value, error) {
	if d, ok := operator(n); ok && d.Inline != nil {
		return d.Inline(l, r, n, in)
	}
	return nil, nil
}

func inlineIf(l *Inliner, r *graph.Rewriter, n *graph.Node, in []*graph.Value) ([]*graph.Value, error) {
	switch condition, ok := known[bool](l, in[0]); {
	case !ok:
		return nil, nil
	case condition:
		return r.Inline(n.Blocks[0], in[1:])
	}
	return r.Inline(n.Blocks[1], in[1:])
}

func inlineLoop(l *Inliner, r *graph.Rewriter, n *graph.Node, in []*graph.Value) ([]*graph.Value, error) {
	carried, most := n.Attrs.Int("carried"), n.Attrs.Int("most")
	trips, bounded := known[int64](l, given(in, 0))
	more, decided := known[bool](l, given(in, 1))
	if given(in, 1) == nil {
		more, decided = true, true
	}
	parts := n.Out[1+carried:]
	switch {
	case bounded && trips <= 0, decided && !more:
		out, err := constant(r, tensor.Scalar(int64(0)))
		if err != nil {
			return nil, err
		}
		zeros, err := l.zeros(r, parts)
		if zeros == nil || err != nil {
			return nil, err
		}
		return append(append([]*graph.Value{out}, in[2:2+carried]...), zeros...), nil
	case bounded && trips == 1 && decided && (most == 1 || most > 1 && len(parts) == 0):
		first, err := constant(r, tensor.Scalar(int64(0)))
		if err != nil {
			return nil, err
		}
		out, err := r.Inline(n.Blocks[0], append([]*graph.Value{first}, in[2:]...))
		if err != nil {
			return nil, err
		}
		out[0], err = constant(r, tensor.Scalar(int64(1)))
		return out, err
	}
	return nil, nil
}

func inlineScan(l *Inliner, r *graph.Rewriter, n *graph.Node, in []*graph.Value) ([]*graph.Value, error) {
	s, err := Of(n)
	if err != nil {
		return nil, err
	}
	turns, err := s.turns()
	if err != nil || turns > 1 {
		return nil, err
	}
	if turns == 1 {
		return r.Inline(n.Blocks[0], in)
	}
	states := n.Attrs.Int("states")
	parts, err := l.zeros(r, n.Out[states:])
	if parts == nil || err != nil {
		return nil, err
	}
	return append(append([]*graph.Value{}, in[:states]...), parts...), nil
}

// known returns the only element of a value that constants decide.
func known[T tensor.Element](l *Inliner, v *graph.Value) (x T, ok bool) {
	t, err := l.folder.Constant(v)
	if err != nil || t == nil {
		return x, false
	}
	return tensor.Data[T](t)[0], true
}

// given returns operand i, nil if it is absent.
func given(in []*graph.Value, i int) *graph.Value {
	if i < len(in) {
		return in[i]
	}
	return nil
}

// zeros returns constants of the types of values, and nil if they would be large.
func (l *Inliner) zeros(r *graph.Rewriter, values []*graph.Value) ([]*graph.Value, error) {
	out, bytes := make([]*graph.Value, len(values)), int64(0)
	for _, v := range values {
		bytes = limits.Add(bytes, v.Type.Bytes())
	}
	if bytes > l.small {
		return nil, nil
	}
	for i, v := range values {
		t, err := tensor.New(v.Type.DType, v.Type.Shape)
		if err == nil {
			out[i], err = constant(r, t)
		}
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

func constant(r *graph.Rewriter, t *tensor.Tensor) (*graph.Value, error) {
	return r.Constant("", "", t)
}
