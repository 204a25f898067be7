package export

import (
	"math"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/mapfile"
	"github.com/concord-nn/concord/webnn"
	"github.com/concord-nn/concord/webnn/session"
)

// Port is an input or output of an exported graph.
type Port struct {
	Name string
	webnn.OperandDescriptor
}

// Model is an exported graph.
type Model struct {
	// Session has the calls that build the graph. The ids of operands are the names of values of the graph, where these are
	// free.
	Session *session.Session
	Inputs  []Port // in the order of the graph; without those that no output depends on
	Outputs []Port // in the order of the graph
	// Approximations are the nodes whose results may differ from those of the graph.
	Approximations []Approximation
}

// New exports a graph. An *[Error] lists all that cannot be expressed.
func New(g *graph.Graph, opts Options) (_ *Model, err error) {
	defer mapfile.Recover(mapfile.Watch(), &err)
	c, err := webnn.ML{}.CreateContext(&webnn.ContextOptions{MaxMemory: math.MaxInt64}) // the graph is in memory already
	if err != nil {
		return nil, err
	}
	defer c.Destroy()
	b, err := webnn.NewGraphBuilder(c)
	if err != nil {
		return nil, err
	}
	m := &Model{}
	recorder := session.Record(b)
	opts.names = func(results ...string) {
		for i, name := range results {
			results[i] = graph.Identifier(name)
		}
		recorder.Name(results...)
	}
	tell := opts.Approximate
	opts.Approximate = func(a Approximation) {
		m.Approximations = append(m.Approximations, a)
		if tell != nil {
			tell(a)
		}
	}
	outputs, err := Build(b, g, opts)
	if err != nil {
		return nil, err
	}
	for _, o := range g.Outputs {
		x := outputs[o.Name]
		m.Outputs = append(m.Outputs, Port{o.Name, webnn.OperandDescriptor{DataType: x.DataType(), Shape: x.Shape()}})
	}
	built, err := b.Network(outputs)
	if err != nil {
		return nil, err
	}
	for _, v := range g.Inputs {
		if built.Input(v.Name) != nil {
			m.Inputs = append(m.Inputs, Port{v.Name, descriptor(v.Type)})
		}
	}
	m.Session, err = recorder.Session()
	return m, err
}
