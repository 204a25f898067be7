package pass

import (
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// inlineBudget bounds what is evaluated to know conditions and numbers of turns.
var inlineBudget = op.Budget{Bytes: limits.FoldFree, Operations: limits.InlineOperations, Result: foldSmall}

// Inline puts the nodes of a block in place of a node that is known to evaluate it exactly once: an if whose condition constants decide,
// a loop or a scan of one turn. Loops and scans of no turn are replaced by what they begin with.
func Inline(g *graph.Graph) (*graph.Graph, error) {
	l := &inliner{op.NewFolder(inlineBudget)}
	return l.run(g)
}

type inliner struct{ folder *op.Folder }

func (l *inliner) run(g *graph.Graph) (*graph.Graph, error) {
	if !ownsGraphs(g) {
		return g, nil
	}
	return rewrite(g, l.run, func(r *graph.Rewriter, n *graph.Node, in []*graph.Value) ([]*graph.Value, error) {
		if rule := inlineRules[n.Op]; rule != nil {
			if out, err := rule(l, r, n, in); out != nil || err != nil {
				return out, err
			}
		}
		return r.Keep(in)
	})
}

func ownsGraphs(g *graph.Graph) bool {
	for _, n := range g.Nodes {
		if len(n.Blocks) > 0 {
			return true
		}
	}
	return false
}

// inlineRules return what stands for the results of a node, or nothing. The operands are values of the new graph.
var inlineRules = map[string]func(l *inliner, r *graph.Rewriter, n *graph.Node, in []*graph.Value) ([]*graph.Value, error){
	"if":   (*inliner).branch,
	"loop": (*inliner).loop,
	"scan": (*inliner).scan,
}

func (l *inliner) branch(r *graph.Rewriter, n *graph.Node, in []*graph.Value) ([]*graph.Value, error) {
	switch condition, known := known[bool](l, in[0]); {
	case !known:
		return nil, nil
	case condition:
		return r.Inline(n.Blocks[0], in[1:])
	}
	return r.Inline(n.Blocks[1], in[1:])
}

func (l *inliner) loop(r *graph.Rewriter, n *graph.Node, in []*graph.Value) ([]*graph.Value, error) {
	carried, most := n.Attrs.Int("carried"), n.Attrs.Int("most")
	trips, bounded := known[int64](l, at(in, 0))
	more, decided := known[bool](l, at(in, 1))
	if at(in, 1) == nil {
		more, decided = true, true
	}
	parts := n.Out[1+carried:]
	switch {
	case bounded && trips <= 0, decided && !more:
		out, err := constant(r, tensor.Scalar(int64(0)))
		if err != nil {
			return nil, err
		}
		zeros, err := zeros(r, parts)
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

func (l *inliner) scan(r *graph.Rewriter, n *graph.Node, in []*graph.Value) ([]*graph.Value, error) {
	s, err := op.Of(n)
	if err != nil {
		return nil, err
	}
	turns, err := s.Turns()
	if err != nil || turns > 1 {
		return nil, err
	}
	if turns == 1 {
		return r.Inline(n.Blocks[0], in)
	}
	states := n.Attrs.Int("states")
	parts, err := zeros(r, n.Out[states:])
	if parts == nil || err != nil {
		return nil, err
	}
	return append(append([]*graph.Value{}, in[:states]...), parts...), nil
}

// known returns the only element of a value that constants decide.
func known[T tensor.Element](l *inliner, v *graph.Value) (x T, ok bool) {
	t, err := l.folder.Constant(v)
	if err != nil || t == nil {
		return x, false
	}
	return tensor.Data[T](t)[0], true
}

// at returns operand i, nil if it is absent.
func at(in []*graph.Value, i int) *graph.Value {
	if i < len(in) {
		return in[i]
	}
	return nil
}

// zeros returns constants of the types of values, and nil if they would be large.
func zeros(r *graph.Rewriter, values []*graph.Value) ([]*graph.Value, error) {
	out, bytes := make([]*graph.Value, len(values)), int64(0)
	for _, v := range values {
		bytes = limits.Add(bytes, v.Type.Bytes())
	}
	if bytes > foldSmall {
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
