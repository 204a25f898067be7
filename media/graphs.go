package media

import (
	"errors"
	"fmt"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/manifest"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// ImageGraph returns as a graph what [PrepareImage] does to the samples of a picture: its input pixels is float32 [height, width, channels], from 0 to 255,
// its output is the model's input t.
func ImageGraph(spec *manifest.Image, t manifest.Type) (*graph.Graph, manifest.Grid, error) {
	spec, err := spec.Resolved()
	var grid manifest.Grid
	if err == nil {
		grid, err = spec.Grid(t)
	}
	if err != nil {
		return nil, grid, fmt.Errorf("input %q: %w", t.Name, err)
	}
	e := recording("image")
	pixels := e.input("pixels", graph.Type{DType: tensor.Float32, Shape: tensor.Shape{grid.Height, grid.Width, grid.Channels}})
	e.output("input", e.fill(spec, grid, pixels))
	g, err := e.built()
	return g, grid, err
}

// ClassesGraph returns as a graph what [Classes] does to an output, its input values: its output is probabilities, float32 [1,N].
func ClassesGraph(spec *manifest.Classes, t graph.Type) (*graph.Graph, error) {
	if spec == nil {
		return nil, errors.New("nothing describes the classes")
	}
	e := recording("classes")
	values := e.input("values", t)
	if e.err != nil {
		return nil, e.err
	}
	e.output("probabilities", e.probabilities(spec, values))
	return e.built()
}

// BoxesGraph returns as a graph what [Boxes] does to a pair of outputs, its inputs boxes and scores, for a picture of which a view has as many columns and
// rows: its outputs are corners, float32 [1,N,4], as shares of the model's input, and for the class 7 scores_7, float32 [1,N], and kept_7, int64 [1,N],
// which boxes are kept, the best first, and then -1.
func BoxesGraph(spec *manifest.Boxes, view View, boxes, scores graph.Type) (*graph.Graph, error) {
	spec, err := spec.Resolved()
	if err != nil {
		return nil, err
	}
	e := recording("boxes")
	x, y := e.input("boxes", boxes), e.input("scores", scores)
	if e.err != nil {
		return nil, e.err
	}
	c := e.candidatesOf(spec, view, x, y)
	e.output("corners", c.corners)
	for i, class := range c.classes {
		e.output(fmt.Sprint("scores_", class), c.scores[i])
		e.output(fmt.Sprint("kept_", class), c.kept[i])
	}
	return e.built()
}

// recording returns an eval that makes a graph: it evaluates it once, on zeros.
func recording(name string) *eval {
	return &eval{graph: graph.NewBuilder(op.Rules, name), values: make(map[*tensor.Tensor]*graph.Value)}
}

func (e *eval) input(name string, t graph.Type) *tensor.Tensor {
	x := e.keep(tensor.New(t.DType, t.Shape))
	if e.err != nil {
		return nil
	}
	e.values[x], e.err = e.graph.Input(name, t)
	return x
}

func (e *eval) output(name string, t *tensor.Tensor) {
	if e.err == nil {
		e.err = e.graph.Output(name, e.values[t])
	}
}

func (e *eval) built() (*graph.Graph, error) {
	if e.err != nil {
		return nil, e.err
	}
	return e.graph.Build()
}
