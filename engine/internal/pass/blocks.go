package pass

import (
	"slices"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/geometry"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// LayBlocks makes of transposed convolutions to few channels whose windows lie side by side convolutions of one position to a channel for each element of
// a window, which are then put into place: each result takes one tap, the same in the same order, and vectors are channels.
func LayBlocks(g *graph.Graph) (*graph.Graph, error) {
	if !has(g, laysBlocks) { // Without this the graph would be made anew.
		return g, nil
	}
	return rewrite(g, LayBlocks, func(r *graph.Rewriter, n *graph.Node, in []*graph.Value) ([]*graph.Value, error) {
		if !laysBlocks(n) {
			return r.Keep(in)
		}
		x, filter, out := n.In[0].Type.Shape, n.In[1].Type.Shape, n.Out[0].Type.Shape
		channels, volume, d := filter[1], filter[2:].Len(), len(filter)-2
		var window []int // the dimensions of the filter behind its channels
		place := []int{0, 1}
		for i := range d {
			window, place = append(window, 2+i), append(place, 2+d+i, 2+i)
		}
		var err error
		do := func(name string, v *graph.Value, attr string, list []int, names ...string) *graph.Value {
			if err == nil {
				v, err = r.One(name, []*graph.Value{v}, graph.AttrsOf(attr, list), n.Label, names...)
			}
			return v
		}
		wide := []int{channels * volume}
		w := do("transpose", in[1], "axes", slices.Concat([]int{1}, window, []int{0}))
		operands := []*graph.Value{in[0], do("reshape", w, "shape", slices.Concat(wide, filter[:1], slices.Repeat([]int{1}, d)))}
		if len(in) > 2 && in[2] != nil {
			bias := do("reshape", in[2], "shape", []int{in[2].Type.Shape.Len(), 1})
			operands = append(operands, do("reshape", do("expand", bias, "shape", []int{channels, volume}), "shape", wide))
		}
		if err != nil {
			return nil, err
		}
		y, err := r.One("conv", operands, graph.AttrsOf("padding", make([]int, 2*d)), n.Label)
		if err != nil {
			return nil, err
		}
		y = do("transpose", do("reshape", y, "shape", slices.Concat(x[:1], filter[1:], x[2:])), "axes", place)
		y = do("reshape", y, "shape", out, n.Out[0].Name)
		return []*graph.Value{y}, err
	})
}

// laysBlocks reports whether a node is a transposed convolution of float32 as [LayBlocks] takes it.
func laysBlocks(n *graph.Node) bool {
	if n.Op != "deconv" || n.In[0].Type.DType != tensor.Float32 {
		return false
	}
	in, filter, out := n.In[0].Type.Shape, n.In[1].Type.Shape, n.Out[0].Type.Shape
	d := len(filter) - 2
	if out.Len() == 0 || filter.Len() == 0 || op.Groups(n.Attrs, out[1]) != 1 || 2+2*d > tensor.MaxRank || slices.ContainsFunc(n.Attrs.Ints("padding"), func(k int) bool { return k != 0 }) {
		return false
	}
	w := geometry.WindowOf(n.Attrs, filter[2:])
	for i, size := range filter[2:] {
		if w.Stride[i] != size || w.Dilation[i] != 1 && size > 1 || out[2+i] != size*in[2+i] {
			return false
		}
	}
	const vector = 16
	volume := filter[2:].Len()
	return 2*geometry.CeilDiv(filter[1]*volume, vector) <= volume*geometry.CeilDiv(filter[1], vector)
}
