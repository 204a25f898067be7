package main

import (
	"context"

	"github.com/concord-nn/concord/tensor"
	"github.com/concord-nn/concord/webnn"
)

// state is a recurrent layer, whose state goes from frame to frame in tensors.
type state struct {
	name  string
	size  int
	start float32 // what the state holds before the first frame
	cells cells
}

// states are the recurrent layers in their order. Each hears the results of all that come before it.
var states = []state{
	{"voice", bands, 1, averages()}, // loud, so that no floor begins below the noise
	{"noise", bands, 1, floors()},   // everything is noise until it is found to be quieter
	{"gain", 2 * bands, -1, evidence()},
}

func floats(shape ...int) webnn.OperandDescriptor {
	return webnn.OperandDescriptor{DataType: tensor.Float32, Shape: shape}
}

// network is a builder whose calls are nested; the first error ends the building.
type network struct {
	*webnn.GraphBuilder
	*webnn.Must
}

func (n *network) constant(m matrix, shape ...int) *webnn.Operand {
	return n.One(n.Constant(floats(shape...), m.data))
}

// recurrent adds one step of a recurrent layer.
func (n *network) recurrent(x, before *webnn.Operand, s state) *webnn.Operand {
	weight := n.constant(s.cells.weight, 1, 3*s.size, s.cells.weight.cols)
	recurrent := n.constant(s.cells.recurrent, 1, 3*s.size, s.size)
	return n.All(n.Gru(x, weight, recurrent, 1, s.size, &webnn.GruOptions{
		Label: s.name, Bias: n.constant(s.cells.bias, 1, 3*s.size), InitialHiddenState: before}))[0]
}

// build makes the graph of one frame: the inputs are the levels and the states, the outputs are the gains and the states
// after the frame.
func build(ctx context.Context, c *webnn.Context) (*webnn.Graph, error) {
	b, err := webnn.NewGraphBuilder(c)
	if err != nil {
		return nil, err
	}
	outputs := webnn.NamedOperands{}
	if err := webnn.Try(func(must *webnn.Must) { define(&network{b, must}, outputs) }); err != nil {
		return nil, err
	}
	return b.Build(ctx, outputs)
}

// define adds the layers and names their outputs.
func define(n *network, outputs webnn.NamedOperands) {
	levels := n.One(n.Input("levels", floats(1, 1, bands)))
	heard := n.One(n.Tanh(n.One(n.Matmul(levels, n.constant(diagonal(bands, 1), bands, bands), nil)), nil))
	last := heard
	for _, s := range states {
		before := n.One(n.Input(s.name, floats(1, 1, s.size)))
		after := n.recurrent(heard, before, s)
		if s.name == "noise" {
			// The more the average is above the floor, the slower a gru lets the floor rise. Where noise has become louder for good, it has to catch up.
			up := n.One(n.Add(before, n.constant(catchUp(), 1, 1, 1), nil))
			after = n.One(n.Max(after, n.One(n.Min(up, last, nil)), nil))
		}
		last = after
		outputs[s.name+" after"] = last
		heard = n.One(n.Concat([]*webnn.Operand{heard, last}, 2, nil))
	}
	weight := output()
	scores := n.One(n.Matmul(last, n.constant(weight, weight.rows, weight.cols), nil))
	outputs["gains"] = n.One(n.Sigmoid(scores, nil))
}
