package diff

import (
	"strings"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// Network is a graph in the form that is compared: operators with arguments, connected by values. Operators that only
// copy are left out. A Network does not change and may be compared any number of times.
type Network struct {
	inputs  []*value
	outputs []output
	states  []state
	ops     []*operator // in topological order
	values  []*value    // those that something reads or yields, by id

	labelled bool // whether the labels of constants have a meaning
}

// value is what an operator reads or yields.
type value struct {
	id    int
	name  string
	typ   string // as it is shown; empty if it is not known
	kind  valueKind
	label string         // where a constant or state is stored
	data  *tensor.Tensor // of a constant or state, if it is at hand
	from  *operator      // nil unless it is a result
	index int            // which result
	uses  []use
}

type valueKind uint8

const (
	result valueKind = iota
	input
	constant
	stateValue
)

// use is one place where an operator reads a value.
type use struct {
	by   *operator
	slot slot
}

// slot is the place of an operand: the argument and which of its operands.
type slot struct {
	arg   string
	index int
}

type output struct {
	name  string
	value *value
}

// state is a value kept between runs.
type state struct{ value, next *value }

// operator is one application.
type operator struct {
	id    int
	name  string
	args  []argument
	out   []*value
	place func() string // where it stands in the text; may be nil
	node  *graph.Node
}

// argument is an operand or attribute. In its text every % stands for the next of the operands, which are nil where an
// optional one is absent.
type argument struct {
	name  string
	text  string
	in    []*value
	usual bool // whether it is the default
}

// operands calls f for each operand with its slot; absent ones are nil.
func (o *operator) operands(f func(at slot, v *value)) {
	for i := range o.args {
		for k, v := range o.args[i].in {
			f(slot{o.args[i].name, k}, v)
		}
	}
}

func (n *Network) value(v value) *value {
	v.id = len(n.values)
	n.values = append(n.values, &v)
	return n.values[v.id]
}

func (n *Network) operator(o operator) *operator {
	o.id = len(n.ops)
	n.ops = append(n.ops, &o)
	p := n.ops[o.id]
	p.operands(func(at slot, v *value) {
		if v != nil {
			v.uses = append(v.uses, use{p, at})
		}
	})
	return p
}

// FromGraph returns the network of a graph. place says where a node stands in a text, for messages; it may be nil. The
// graph must be valid and must not change; of none the network is empty.
func FromGraph(g *graph.Graph, place func(*graph.Node) string) *Network {
	n, sigs := &Network{}, make(signatures)
	if g == nil {
		return n
	}
	values := make(map[*graph.Value]*value)
	for _, v := range g.Inputs {
		values[v] = n.value(value{name: v.Name, typ: v.Type.String(), kind: input, label: v.Label})
		n.inputs = append(n.inputs, values[v])
	}
	for _, s := range g.States {
		values[s.Value] = n.value(value{
			name: s.Value.Name, typ: s.Value.Type.String(), kind: stateValue, label: s.Value.Label, data: s.Init,
		})
	}
	lookup := func(v *graph.Value) *value {
		if v == nil {
			return nil
		}
		if values[v] == nil { // the graph is valid: it is a constant that is read for the first time
			values[v] = n.value(value{name: v.Name, typ: v.Type.String(), kind: constant, label: v.Label, data: v.Const})
		}
		return values[v]
	}
	for _, node := range g.Nodes {
		if isCopy(node) {
			values[node.Out[0]] = lookup(node.In[0])
			continue
		}
		o := operator{name: node.Op, args: nodeArguments(node, sigs.of(node.Op), lookup), node: node}
		if place != nil {
			o.place = func() string { return place(node) }
		}
		p := n.operator(o)
		for i, v := range node.Out {
			values[v] = n.value(value{name: v.Name, typ: v.Type.String(), from: p, index: i})
			p.out = append(p.out, values[v])
		}
	}
	for _, o := range g.Outputs {
		n.outputs = append(n.outputs, output{o.Name, lookup(o.Value)})
	}
	for _, s := range g.States {
		n.states = append(n.states, state{values[s.Value], lookup(s.Next)})
	}
	return n
}

func isCopy(n *graph.Node) bool {
	d, ok := op.Lookup(n.Op)
	return ok && d.Copies()
}

// nodeArguments lists the operands that are there and the attributes of a node.
func nodeArguments(node *graph.Node, sig *graph.Signature, lookup func(*graph.Value) *value) []argument {
	var args []argument
	for i := 0; i < len(node.In); i++ {
		var declared graph.OperandSig
		if i < len(sig.Operands) {
			declared = sig.Operands[i]
		}
		a := argument{name: declared.Name, text: "%", in: []*value{lookup(node.In[i])}}
		if declared.Variadic {
			for _, v := range node.In[i+1:] {
				a.in = append(a.in, lookup(v))
			}
			a.text = "[" + strings.Repeat("%, ", len(a.in)-1) + "%]"
			i = len(node.In)
		}
		if a.in[0] != nil {
			args = append(args, a)
		}
	}
	for _, a := range node.Attrs {
		arg := argument{name: a.Name, text: graph.Literal(a.Value)}
		for _, s := range sig.Attrs {
			if s.Name == a.Name {
				arg.text = s.Literal(a.Value)
				arg.usual = s.Default != nil && arg.text == s.Literal(s.Default)
			}
		}
		args = append(args, arg)
	}
	for i, b := range node.Blocks {
		args = append(args, argument{name: sig.Blocks[i], text: blockText(b)})
	}
	return args
}

// signatures remembers the signatures of operators.
type signatures map[string]*graph.Signature

func (s signatures) of(name string) *graph.Signature {
	if s[name] == nil {
		sig, _ := op.Rules.Signature(name)
		s[name] = &sig
	}
	return s[name]
}
