package export

import (
	"fmt"
	"math"
	"slices"
	"strconv"

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
	var wishes [][]string // for each call
	opts.names = func(results ...string) { wishes = append(wishes, results) }
	tell := opts.Approximate
	opts.Approximate = func(a Approximation) {
		m.Approximations = append(m.Approximations, a)
		if tell != nil {
			tell(a)
		}
	}
	recorder := session.Record(b)
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
	if m.Session, err = recorder.Session(); err != nil {
		return nil, err
	}
	if err := m.rename(wishes); err != nil {
		return nil, err
	}
	m.prune()
	return m, nil
}

// prune drops constants that no call takes, as they have become others.
func (m *Model) prune() {
	taken := m.Session.References()
	m.Session.Calls = slices.DeleteFunc(m.Session.Calls, func(c session.Call) bool { return c.Method == "constant" && !taken[c.ID] })
}

// rename gives operands the names of values. Of several operands that one node becomes, the last one has the name itself.
func (m *Model) rename(wishes [][]string) error {
	calls := m.Session.Calls
	first := slices.IndexFunc(calls, func(c session.Call) bool { return c.Method == "MLGraphBuilder" }) + 1
	if len(calls) != first+len(wishes)+1 {
		return fmt.Errorf("%d calls are recorded for %d names", len(calls)-first-1, len(wishes))
	}
	used := make(map[string]bool)
	for _, c := range append(slices.Clone(calls[:first]), calls[len(calls)-1]) {
		used[c.ID] = true
	}
	names := make(map[string]string) // new ids by old ones
	number := make(map[string]int)
	for i, wish := range slices.Backward(wishes) {
		c := &calls[first+i]
		ids := c.IDs
		if c.ID != "" {
			ids = []string{c.ID}
		}
		for k, id := range ids {
			name := graph.Identifier(wish[min(k, len(wish)-1)])
			for base := name; used[name] || session.Reserved(name); {
				number[base]++
				name = base + "_" + strconv.Itoa(number[base])
			}
			used[name], names[id] = true, name
		}
	}
	m.Session.Rename(names)
	return nil
}
