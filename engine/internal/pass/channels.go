package pass

import (
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/tensor"
)

// RepeatChannels gives convolutions that make several channels of each one an input of as many channels, in which each is repeated: there are
// kernels for convolutions within channels. The products and their order stay.
func RepeatChannels(g *graph.Graph) (*graph.Graph, error) {
	if !has(g, func(n *graph.Node) bool { return multiplier(n) > 1 }) { // Without this the graph would be made anew.
		return g, nil
	}
	return rewrite(g, RepeatChannels, func(r *graph.Rewriter, n *graph.Node, in []*graph.Value) ([]*graph.Value, error) {
		m := multiplier(n)
		if m < 2 {
			return r.Keep(in)
		}
		shape := n.In[0].Type.Shape
		repeated := shape.Clone()
		repeated[1] *= m
		x := in[0]
		for _, step := range []struct {
			op    string
			shape tensor.Shape
		}{
			{"reshape", tensor.Shape{shape[0], shape[1], 1, shape[2:].Len()}},
			{"expand", tensor.Shape{shape[0], shape[1], m, shape[2:].Len()}},
			{"reshape", repeated},
		} {
			var err error
			if x, err = r.One(step.op, []*graph.Value{x}, graph.AttrsOf("shape", []int(step.shape)), n.Label, ""); err != nil {
				return nil, err
			}
		}
		in[0] = x
		return r.Node(n.Op, in, n.Attrs.With("groups", repeated[1]), n.Label, n.Out[0].Name)
	})
}

// mostChannels is from how many channels of each one on there are better kernels.
const mostChannels = 16

// mostRepeated is how many times as many elements as the result a repeated input may have: with strides it has more.
const mostRepeated = 16

// multiplier returns how many channels a convolution of float32 makes of each one, or 0 if it combines channels or its input is too large.
func multiplier(n *graph.Node) int {
	if n.Op != "conv" || n.In[0].Type.DType != tensor.Float32 {
		return 0
	}
	in, filter := n.In[0].Type.Shape, n.In[1].Type.Shape
	if in.Len() == 0 || in[1] < 2 || filter[1] != 1 || filter[0]%in[1] != 0 {
		return 0
	}
	m := filter[0] / in[1]
	if m >= mostChannels || in.Len()*m > mostRepeated*n.Out[0].Type.Shape.Len() {
		return 0
	}
	return m
}
