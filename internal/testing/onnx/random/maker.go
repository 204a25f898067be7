package random

import (
	"hash/fnv"
	"math/rand/v2"
	"strconv"
	"strings"

	"github.com/concord-nn/concord/onnx/proto"
	"github.com/concord-nn/concord/tensor"
)

// Model is a model with inputs to run it on.
type Model struct {
	Op     string // what it is a model of, or "graph"
	Seed   uint64
	Opset  int
	Proto  *proto.Model
	Node   *proto.Node // of the operator; others make operands or read results
	Inputs map[string]*tensor.Tensor

	// Loose widens how close results must be to each other, as a factor. Quanta is by how much integers may differ.
	Loose  float64
	Quanta int
	// Errors says of a graph of several operators by how much elements of values may differ instead, in right evaluations.
	Errors map[string]float64
}

// rule says how models of an operator are made.
type rule struct {
	op     string // with the domain in front, unless it is the standard's own
	opsets string // "7", from there on, or "9-10"
	types  string // what the element type t of a maker is drawn from
	make   func(m *maker)
	loose  float64
	quanta int
}

// The opsets of the models: those that ONNX Runtime 1.30 evaluates.
const (
	LeastOpset = 7
	MostOpset  = 26
)

// maker makes one model.
type maker struct {
	*rand.Rand
	opset  int
	t      tensor.DType
	graph  *proto.Graph
	inputs map[string]*tensor.Tensor
	node   *proto.Node
	after  []*proto.Node // what reads its result in its place

	loose   float64 // see Model
	quanta  int
	returns []tensor.DType // what results have that are not of type t
	names   *int           // so far
}

// Ops returns what there are rules for.
func Ops() []string {
	var out []string
	for _, r := range rules() {
		if len(out) == 0 || out[len(out)-1] != r.op {
			out = append(out, r.op)
		}
	}
	return out
}

// Of returns a model of one operator.
func Of(op string, seed uint64) *Model {
	var all []*rule
	for _, r := range rules() {
		if r.op == op {
			all = append(all, r)
		}
	}
	h := fnv.New64()
	h.Write([]byte(op))
	random := rand.New(rand.NewPCG(seed, h.Sum64()))
	r := all[random.IntN(len(all))]
	m := newMaker(random)
	m.begin(r)
	r.make(m)
	for _, name := range m.end() {
		m.output(name)
	}
	return &Model{Op: op, Seed: seed, Opset: m.opset, Proto: m.model(), Node: m.node, Inputs: m.inputs,
		Loose: max(r.loose, m.loose, 1), Quanta: max(r.quanta, m.quanta)}
}

func newMaker(random *rand.Rand) *maker {
	return &maker{Rand: random, graph: &proto.Graph{Name: "random"}, inputs: make(map[string]*tensor.Tensor), names: new(int)}
}

// span returns the opsets of a rule.
func (r *rule) span() (least, most int) {
	from, to, closed := strings.Cut(r.opsets, "-")
	least, _ = strconv.Atoi(from)
	if most = MostOpset; closed {
		most, _ = strconv.Atoi(to)
	}
	return max(least, LeastOpset), most
}

// begin starts a model of one operator: it chooses an opset and an element type.
func (m *maker) begin(r *rule) {
	least, most := r.span()
	for m.t = one(m, types(r.types)...); firstOpset[m.t] > most; {
		m.t = one(m, types(r.types)...)
	}
	least = max(least, firstOpset[m.t])
	m.opset = least + m.IntN(most-least+1)
	m.start(r)
}

// start begins a node.
func (m *maker) start(r *rule) {
	m.node = &proto.Node{OpType: r.op}
	if i := strings.LastIndex(r.op, "."); i >= 0 {
		m.node.Domain, m.node.OpType = r.op[:i], r.op[i+1:]
	}
	m.returns, m.after = nil, nil
}

// end adds the node of the rule and returns its results.
func (m *maker) end() []string {
	for n := len(m.node.Input); n > 0 && m.node.Input[n-1] == ""; n-- {
		m.node.Input = m.node.Input[:n-1]
	}
	if m.node.Output == nil {
		m.results(1)
	}
	m.graph.Node = append(append(m.graph.Node, m.node), m.after...)
	results := m.node.Output
	for _, n := range m.after {
		results = n.Output
	}
	var out []string
	for i, name := range results {
		if name == "" {
			continue
		}
		d := m.t
		if i < len(m.returns) {
			d = m.returns[i]
		}
		out = append(out, m.fetched(name, d))
	}
	return out
}

// model returns what was made.
func (m *maker) model() *proto.Model {
	return &proto.Model{IRVersion: 10, Graph: m.graph, OpsetImport: []*proto.OperatorSet{{Version: int64(m.opset)}, {Domain: "com.microsoft", Version: 1}}}
}

// output makes a value an output of the model.
func (m *maker) output(name string) {
	m.graph.Output = append(m.graph.Output, &proto.ValueInfo{Name: name})
}

// name returns one that is not in use.
//
//go:noinline
func (m *maker) name() string {
	*m.names++
	return "v" + strconv.Itoa(*m.names)
}

// chance says yes as often as p says. Inlined, it and what else rules are made of would make the package a sixth larger.
//
//go:noinline
func (m *maker) chance(p float64) bool { return m.Float64() < p }

// between returns a number from lo to hi.
//
//go:noinline
func (m *maker) between(lo, hi int) int { return lo + m.IntN(hi-lo+1) }

// one returns one of some.
//
//go:noinline
func one[T any](m *maker, list ...T) T { return list[m.IntN(len(list))] }

// results names n results of the node; those behind the first may be left out.
func (m *maker) results(n int) {
	for i := range n {
		if name := m.name(); i == 0 || m.chance(0.7) {
			m.node.Output = append(m.node.Output, name)
		} else {
			m.node.Output = append(m.node.Output, "")
		}
	}
	for n := len(m.node.Output); m.node.Output[n-1] == ""; n-- {
		m.node.Output = m.node.Output[:n-1]
	}
}

// exactly names n results of the node.
func (m *maker) exactly(n int) {
	for range n {
		m.node.Output = append(m.node.Output, m.name())
	}
}

// in adds an operand with elements at random.
func (m *maker) in(d tensor.DType, shape []int, v values) {
	m.give(m.fill(d, shape, v), m.chance(0.3))
}

// give adds an operand with the given elements, which the model stores or else is fed with.
//
//go:noinline
func (m *maker) give(x *tensor.Tensor, stored bool) {
	m.node.Input = append(m.node.Input, m.place(x, stored))
}

// skip leaves an operand out.
func (m *maker) skip() { m.node.Input = append(m.node.Input, "") }

// ints adds an operand that is a list of integers.
func (m *maker) ints(list ...int) { m.give(vector(tensor.Int64, list...), m.chance(0.85)) }

// int adds an operand that is one integer, as a scalar.
func (m *maker) int(d tensor.DType, x int) { m.give(scalar(d, float64(x)), m.chance(0.85)) }

// place makes a tensor a value of the graph: of an initializer, of a node or an input.
func (m *maker) place(x *tensor.Tensor, stored bool) string {
	name := m.name()
	if !stored {
		return m.fed(name, x)
	}
	p, err := proto.NewTensor(name, x)
	if err != nil {
		panic(err)
	}
	switch {
	case m.chance(0.2) && m.opset >= firstOpset[x.DType()]:
		p.Name = ""
		m.graph.Node = append(m.graph.Node, &proto.Node{OpType: "Constant", Output: []string{name}, Attribute: []*proto.Attribute{attribute("value", p)}})
	case m.chance(0.05) && feedable(x.DType()):
		m.graph.Input = append(m.graph.Input, m.info(name, x)) // a default of an input that is not fed
		fallthrough
	default:
		m.graph.Initializer = append(m.graph.Initializer, p)
	}
	return name
}

// fed makes a tensor an input. One of a type that cannot be fed everywhere is cast in the model.
func (m *maker) fed(name string, x *tensor.Tensor) string {
	d := x.DType()
	if feedable(d) {
		m.graph.Input = append(m.graph.Input, m.info(name, x))
		m.inputs[name] = x
		return name
	}
	wide := tensor.Float32
	if d.IsInteger() {
		wide = tensor.Int8
		if d.IsUnsigned() {
			wide = tensor.Uint8
		}
	}
	return m.cast(m.fed(name, cast(x, wide)), d)
}

// fetched is what an output is in place of a value whose type cannot be fetched everywhere.
func (m *maker) fetched(name string, d tensor.DType) string {
	if feedable(d) {
		return name
	}
	return m.cast(name, tensor.Float32)
}

func (m *maker) cast(name string, d tensor.DType) string {
	out := m.name()
	m.graph.Node = append(m.graph.Node, &proto.Node{OpType: "Cast", Input: []string{name}, Output: []string{out},
		Attribute: []*proto.Attribute{attribute("to", int(proto.DataTypeOf(d)))}})
	return out
}

// info declares an input: with its shape, with symbols for extents, or without.
func (m *maker) info(name string, x *tensor.Tensor) *proto.ValueInfo {
	shape := proto.NewShape(x.Shape())
	open := m.chance(0.3)
	for i, n := range x.Shape() {
		if open && m.chance(0.5) {
			shape.Dim[i] = &proto.Dim{Param: "n" + strconv.Itoa(n)} // equal extents may share a symbol
		}
	}
	if m.chance(0.03) {
		shape = nil
	}
	return proto.NewValueInfo(name, proto.DataTypeOf(x.DType()), shape)
}

// attr adds an attribute.
//
//go:noinline
func (m *maker) attr(name string, value any) {
	m.node.Attribute = append(m.node.Attribute, attribute(name, value))
}

// maybe adds an attribute, or does not.
func (m *maker) maybe(name string, value any) {
	if m.chance(0.5) {
		m.attr(name, value)
	}
}

// option returns the value of an attribute: the default, which may or may not be stated, or one of others.
func option[T comparable](m *maker, name string, value T, others ...T) T {
	if len(others) > 0 && m.chance(0.65) {
		value = one(m, others...)
		m.attr(name, value)
	} else {
		m.maybe(name, value)
	}
	return value
}

// flag returns the value of an attribute that says yes or no.
//
//go:noinline
func (m *maker) flag(name string, value bool) bool { return option(m, name, value, !value) }

// real adds an attribute that is a number from lo to hi, or leaves it at a value.
func (m *maker) real(name string, value, lo, hi float32) {
	option(m, name, value, lo+(hi-lo)*m.Float32())
}

func attribute(name string, value any) *proto.Attribute {
	a, err := proto.NewAttribute(name, value)
	if err != nil {
		panic(err)
	}
	return a
}
