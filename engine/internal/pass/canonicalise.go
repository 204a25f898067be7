package pass

import (
	"slices"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// Canonicalise removes operators that return an operand unchanged, joins chains of reshapes and of transposes into one,
// and turns transposes that move no element into reshapes, which cost nothing. It keeps every bit: a rule that does not
// hold for a NaN, a signed zero or an overflow is not here. Nodes that it passes over are left for [RemoveDead].
func Canonicalise(g *graph.Graph) (*graph.Graph, error) {
	return rewrite(g, Canonicalise, func(r *graph.Rewriter, n *graph.Node, in []*graph.Value) ([]*graph.Value, error) {
		// Each rule shortens the chain of nodes above n or replaces a transpose by a reshape, so this ends.
		a := &graph.Node{Op: n.Op, In: in, Out: n.Out, Attrs: n.Attrs, Blocks: n.Blocks, Label: n.Label}
		for rules[a.Op] != nil {
			same, simpler := rules[a.Op](a)
			if same != nil {
				return []*graph.Value{same}, nil
			}
			if simpler == nil {
				break
			}
			a = simpler
		}
		names := make([]string, len(n.Out))
		for i, v := range n.Out {
			names[i] = v.Name
		}
		return r.Add(*a, names...)
	})
}

// rules has, by operator, what an application with one result may be replaced by: a value that equals the result bit
// for bit, or a simpler application, or neither. The operands are values of the new graph, the results, of which only the
// types are of interest, those of the old one.
var rules = map[string]func(n *graph.Node) (same *graph.Value, simpler *graph.Node){
	"copy":      operand,
	"reshape":   reshape,
	"squeeze":   reshape,
	"unsqueeze": reshape,
	"transpose": transpose,
	"expand":    ifSameType, // equal shapes leave nothing to repeat
	"tile":      ifSameType,
	"concat":    ifSingle,
	"slice":     slice,
	"pad":       pad,
	"cast":      castRule,
	"not":       not,
}

func operand(n *graph.Node) (*graph.Value, *graph.Node) { return n.In[0], nil }

func ifSameType(n *graph.Node) (*graph.Value, *graph.Node) {
	if n.In[0].Type.Equal(n.Out[0].Type) {
		return n.In[0], nil
	}
	return nil, nil
}

func ifSingle(n *graph.Node) (*graph.Value, *graph.Node) {
	if len(n.In) == 1 {
		return n.In[0], nil
	}
	return nil, nil
}

// reshape removes a change of shape that changes nothing, and joins one with those above it.
func reshape(n *graph.Node) (*graph.Value, *graph.Node) {
	from := n.In[0]
	if from.Type.Equal(n.Out[0].Type) {
		return from, nil
	}
	if p := from.Producer; p != nil && IsView(p) {
		return nil, asReshape(n, p.In[0])
	}
	return nil, nil
}

// asReshape returns a reshape of from that stands for n, or nil if an extent is 0, which a reshape reads as "keep".
func asReshape(n *graph.Node, from *graph.Value) *graph.Node {
	to := n.Out[0].Type.Shape
	if slices.Contains(to, 0) {
		return nil
	}
	return &graph.Node{Op: "reshape", In: []*graph.Value{from}, Out: n.Out, Attrs: graph.Attrs{{Name: "shape", Value: []int(to)}},
		Label: n.Label}
}

// transpose joins a transpose with the one above it, and replaces one that keeps the order of the elements.
func transpose(n *graph.Node) (*graph.Value, *graph.Node) {
	from, axes := n.In[0], permutation(n)
	if slices.IsSorted(axes) {
		return from, nil
	}
	if p := from.Producer; p != nil && p.Op == "transpose" {
		first, joined := permutation(p), make([]int, len(axes))
		for i, a := range axes {
			joined[i] = first[a]
		}
		return nil, &graph.Node{Op: "transpose", In: p.In, Out: n.Out, Attrs: graph.Attrs{{Name: "axes", Value: joined}}, Label: n.Label}
	}
	shape := from.Type.Shape
	moving := slices.DeleteFunc(axes, func(a int) bool { return shape[a] == 1 })
	if slices.IsSorted(moving) {
		return nil, asReshape(n, from)
	}
	return nil, nil
}

// permutation returns the axes of a transpose, one for each dimension.
func permutation(n *graph.Node) []int {
	axes := slices.Clone(n.Attrs.Ints("axes"))
	for d := len(axes); d < len(n.Out[0].Type.Shape); d++ {
		axes = append(axes, d)
	}
	return axes
}

// slice removes a slice that takes everything: as many elements as there are, in their order.
func slice(n *graph.Node) (*graph.Value, *graph.Node) {
	if slices.ContainsFunc(n.Attrs.Ints("stride"), func(s int) bool { return s < 0 }) {
		return nil, nil
	}
	return ifSameType(n)
}

// pad removes a padding by nothing.
func pad(n *graph.Node) (*graph.Value, *graph.Node) {
	if slices.ContainsFunc(n.Attrs.Ints("padding"), func(p int) bool { return p != 0 }) {
		return nil, nil
	}
	return ifSameType(n)
}

// castRule removes a cast to the type that the operand has already. A cast of floats makes every NaN canonical, so it
// stays unless they are so already.
func castRule(n *graph.Node) (*graph.Value, *graph.Node) {
	if n.In[0].Type.DType.IsFloat() && !canonicalNaNs(n.In[0]) {
		return nil, nil
	}
	return ifSameType(n)
}

// canonicalNaNs reports whether v is the result of arithmetic, whose NaNs are canonical. An operator that merely moves
// elements has kernels for 16-bit floats of its own.
func canonicalNaNs(v *graph.Value) bool {
	if v.Producer == nil {
		return false
	}
	d, ok := op.Lookup(v.Producer.Op)
	return ok && (d.Name == "cast" || d.Widens(tensor.Float16))
}

// not removes a double negation.
func not(n *graph.Node) (*graph.Value, *graph.Node) {
	if p := n.In[0].Producer; p != nil && p.Op == "not" {
		return p.In[0], nil
	}
	return nil, nil
}
