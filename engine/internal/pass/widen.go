package pass

import (
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// Widen makes explicit how operators on 16-bit floats compute: their operands are cast to float32, and their results
// are cast back, which rounds once. It is the graph's form of what op.Eval does for one operator. The casts between one
// operator and the next stay: each operator rounds.
func Widen(g *graph.Graph) (*graph.Graph, error) {
	// Without this the graph would be made anew.
	if !has(g, func(n *graph.Node) bool { d, _ := op.Lookup(n.Op); return widens(d, n) }) {
		return g, nil
	}
	wide := make(map[*graph.Value]*graph.Value) // operands that have been cast
	return rewrite(g, Widen, func(r *graph.Rewriter, n *graph.Node, in []*graph.Value) ([]*graph.Value, error) {
		d, _ := op.Lookup(n.Op)
		if !widens(d, n) {
			return r.Keep(in)
		}
		for i, v := range in {
			if v == nil || !d.Widens(v.Type.DType) {
				continue
			}
			if wide[v] == nil {
				c, err := cast(r, v, tensor.Float32, n.Label, v.Name+"_f32")
				if err != nil {
					return nil, err
				}
				wide[v] = c
			}
			in[i] = wide[v]
		}
		attrs := n.Attrs
		for i := range d.Out {
			// Without this all is the same as long as no operator that is widened has such an attribute.
			if a := d.Out[i].TypeAttr; a != "" && d.Widens(attrs.DType(a)) {
				attrs = attrs.With(a, tensor.Float32)
			}
		}
		names := make([]string, len(n.Out))
		for i, v := range n.Out {
			names[i] = v.Name
			if d.Widens(v.Type.DType) {
				names[i] += "_wide"
			}
		}
		out, err := r.Node(n.Op, in, attrs, n.Label, names...)
		if err != nil {
			return nil, err
		}
		out = append([]*graph.Value(nil), out...)
		for i, v := range n.Out {
			if out[i].Type.DType == v.Type.DType {
				continue
			}
			if out[i], err = cast(r, out[i], v.Type.DType, n.Label, v.Name); err != nil {
				return nil, err
			}
		}
		return out, nil
	})
}

func widens(d *op.Def, n *graph.Node) bool {
	for _, list := range [][]*graph.Value{n.In, n.Out} {
		for _, v := range list {
			if v != nil && d.Widens(v.Type.DType) {
				return true
			}
		}
	}
	return false
}

func cast(r *graph.Rewriter, v *graph.Value, to tensor.DType, label, name string) (*graph.Value, error) {
	return r.One("cast", []*graph.Value{v}, graph.Attrs{{Name: castType, Value: to}}, label, name)
}

// castType is the attribute of cast that gives the type of its result.
const castType = "dtype"
