package random

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sort"

	"github.com/concord-nn/concord/internal/testing/cvm/formal"
)

// Options say what models are made.
type Options struct {
	Strict  bool // precisions of the formalisation
	Overlap bool // a storage plan that overwrites tensors as it comes; else one that changes no result
	Nodes   int  // how many applications of operators; 0 for 3 to 40
}

// Model is a model in both forms: what package formal evaluates, and the files.
type Model struct {
	Graph  *formal.Graph
	Shapes [][]int64 // of the tensors, as the symbol declares them
	Symbol []byte
	Params []byte
	Order  []int    // the nodes of the parameters, in the order of the file
	Inputs [][]byte // of the right length
}

// maxElements bounds the tensors of a model, because their evaluation is slow.
const maxElements = 600

// maker is a model under way.
type maker struct {
	*rand.Rand
	graph   *formal.Graph
	tensors []*formal.Tensor
}

// New makes a model from a seed.
func New(seed uint64, o Options) *Model {
	m := made(seed, o)
	return m.model()
}

// Mutated makes a model and changes an attribute, an operand or the operator of one node, and nothing else. Every tensor has a storage of
// its own. Most such models are not legal: package formal knows which. The shapes that the graph declares are still those from before.
func Mutated(seed uint64, o Options) *Model {
	m := made(seed, o)
	m.mutate()
	m.graph.Storage = m.Perm(len(m.tensors))
	return m.model()
}

// Of writes a model of a given graph, in a form that the seed decides. The graph must be legal but for the elements of its variables.
func Of(seed uint64, g *formal.Graph) (*Model, error) { return Exchanged(seed, g, 0, g.Nodes[0]) }

// Exchanged is Of with another node in the place of one, while the declared shapes remain those of the graph.
func Exchanged(seed uint64, g *formal.Graph, node int, other formal.Node) (*Model, error) {
	tensors, _, err := g.Infer()
	if err != nil {
		return nil, err
	}
	g.Nodes[node] = other
	m := &maker{Rand: rand.New(rand.NewPCG(seed, 1)), graph: g, tensors: tensors}
	if g.Storage == nil {
		g.Storage = m.Perm(len(tensors))
	}
	return m.model(), nil
}

func made(seed uint64, o Options) *maker {
	m := &maker{Rand: rand.New(rand.NewPCG(seed, 1)), graph: &formal.Graph{Strict: o.Strict}}
	m.variable("data", m.fresh(1, 4, 32))
	if m.chance(0.1) { // the position of data among the variables and nodes must not matter
		m.graph.Nodes, m.tensors = nil, nil
		m.variable("first", m.filled(m.fresh(1, 3, 32)))
		m.variable("data", m.fresh(1, 4, 32))
	}
	nodes := o.Nodes
	if nodes == 0 {
		nodes = 3 + m.IntN(38)
	}
	for made, failed := 0, 0; made < nodes && failed < 2000; {
		if m.apply() {
			made++
		} else {
			failed++
		}
	}
	m.chooseHeads()
	m.planStorage(o.Overlap)
	return m
}

func (m *maker) model() *Model {
	model := &Model{Graph: m.graph, Symbol: m.symbol()}
	for _, t := range m.tensors {
		model.Shapes = append(model.Shapes, t.Shape)
	}
	model.Order, model.Params = m.params()
	for range 3 {
		model.Inputs = append(model.Inputs, m.input())
	}
	return model
}

func (m *maker) chance(p float64) bool { return m.Float64() < p }

// between returns an integer of [lo, hi].
func (m *maker) between(lo, hi int) int { return int(m.between64(int64(lo), int64(hi))) }

func (m *maker) between64(lo, hi int64) int64 { return lo + m.Int64N(hi-lo+1) }

func pick[T any](m *maker, list ...T) T { return list[m.IntN(len(list))] }

// fresh returns a tensor without data, of a rank and a precision in bounds.
func (m *maker) fresh(minRank, maxRank, maxPrecision int) *formal.Tensor {
	t := &formal.Tensor{Precision: m.precision(maxPrecision)}
	for range m.between(minRank, maxRank) {
		t.Shape = append(t.Shape, int64(pick(m, 1, 1, 2, 3, 4, 5)))
	}
	return t
}

// precision favours those of data and weights.
func (m *maker) precision(most int) int {
	if m.chance(0.5) {
		return min(most, m.between(2, 8))
	}
	return m.between(1, most)
}

// filled gives a tensor elements within its precision.
func (m *maker) filled(t *formal.Tensor) *formal.Tensor {
	most := int64(1)<<(t.Precision-1) - 1
	t.Data = make([]int64, t.Len())
	style := m.IntN(4)
	for i := range t.Data {
		v := m.Int64N(2*most+1) - most
		switch {
		case style == 0:
			v = pick(m, most, -most, 0, 1, -1, most-1, 1-most)
		case style == 1:
			v = int64(m.between(-3, 3))
		case style == 2 && m.chance(0.3):
			v = pick(m, most, -most)
		}
		t.Data[i] = max(-most, min(v, most))
	}
	return t
}

func (m *maker) variable(name string, t *formal.Tensor) int {
	m.graph.Nodes = append(m.graph.Nodes, formal.Node{Name: name, Variable: t})
	m.tensors = append(m.tensors, t)
	return len(m.tensors) - 1
}

// operand is an operand of a proposed application: a tensor that exists or a parameter to come.
type operand struct {
	number int
	*formal.Tensor
}

// apply proposes an application and keeps it if it is legal and small.
func (m *maker) apply() bool {
	op := m.operator()
	a := &application{maker: m, attrs: map[string]string{}}
	proposals[op](a)
	if len(a.in) == 0 {
		return false
	}
	var in []*formal.Tensor
	for _, t := range a.in {
		if t.Len() > maxElements {
			return false
		}
		in = append(in, t.Tensor)
	}
	out, _, err := formal.Infer(op, a.attrs, in, m.graph.Strict)
	if err != nil {
		return false
	}
	for _, t := range out {
		if t.Len() > maxElements {
			return false
		}
	}
	node := formal.Node{Op: op, Attrs: a.attrs}
	for _, t := range a.in {
		if t.number < 0 {
			t.number = m.variable(fmt.Sprintf("w%d", len(m.graph.Nodes)), t.Tensor)
		}
		node.In = append(node.In, t.number)
	}
	node.Name = pick(m, "node%d", "a/%d", "\"%d\"", "ü\t%d")
	node.Name = fmt.Sprintf(node.Name, len(m.graph.Nodes))
	m.graph.Nodes = append(m.graph.Nodes, node)
	m.tensors = append(m.tensors, out...)
	return true
}

var operatorNames = func() []string {
	names := formal.Operators()
	sort.Strings(names)
	return names
}()

// operator favours the operators that lower precisions, without which few others remain possible.
func (m *maker) operator() string {
	if m.chance(0.15) {
		return pick(m, "cvm_right_shift", "cvm_clip", "clip", "cvm_precision")
	}
	return pick(m, operatorNames...)
}

// chooseHeads makes the last tensor an output, and others that have as many rows.
func (m *maker) chooseHeads() {
	heads := []int{len(m.tensors) - 1}
	rows := func(t int) int64 { return m.tensors[t].Len() / m.tensors[t].Shape[len(m.tensors[t].Shape)-1] }
	if m.chance(0.6) {
		for range m.between(1, 4) {
			if t := m.IntN(len(m.tensors)); rows(t) == rows(heads[0]) || m.chance(0.01) {
				heads = append(heads, t)
			}
		}
	}
	m.graph.Heads = heads
	switch {
	case m.chance(0.15):
		m.graph.Postprocess = "argmax"
	case m.chance(0.15) && (len(heads) > 1 || m.chance(0.2)):
		m.graph.Postprocess = "detection"
	case m.chance(0.1):
		m.graph.Postprocess = "another"
	}
}

// inPlace are the operators of which an output may have the storage of an input.
var inPlace = []string{"flatten", "relu", "expand_dims", "reshape", "squeeze", "abs", "cvm_precision", "elemwise_add", "elemwise_sub",
	"clip", "cvm_clip", "cvm_right_shift", "cvm_left_shift"}

// planStorage gives each tensor a storage id of its own and then, where the rules allow it, that of another one.
func (m *maker) planStorage(overlap bool) {
	g := m.graph
	g.Storage = m.Perm(len(m.tensors))
	if !overlap && m.chance(0.3) {
		return
	}
	first := 0
	for _, n := range g.Nodes {
		outputs := formal.Outputs(n.Op)
		for t := first; t < first+outputs; t++ {
			if tries := m.IntN(4); !overlap || m.chance(0.5) {
				m.share(n, t, tries, overlap)
			}
		}
		first += outputs
	}
}

// share tries to give tensor t, of node n, the storage of an earlier one.
func (m *maker) share(n formal.Node, t, tries int, overlap bool) {
	g := m.graph
	own := g.Storage[t]
	for range tries {
		other := m.IntN(t + 1)
		if len(n.In) > 0 && m.chance(0.5) {
			other = pick(m, n.In...)
		}
		g.Storage[t] = g.Storage[other]
		clash := n.Op != "" && !slices.Contains(inPlace, n.Op) &&
			slices.ContainsFunc(n.In, func(i int) bool { return g.Storage[i] == g.Storage[t] })
		if !clash && (overlap || !g.Conflicts()) {
			return
		}
		g.Storage[t] = own
	}
}
