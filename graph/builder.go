package graph

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/concord-nn/concord/tensor"
)

// Builder makes a graph node by node. Each method checks its arguments and changes nothing if it returns an error, so
// that a caller may go on after a mistake. A Builder must not be used by several goroutines at once.
type Builder struct {
	rules Rules
	graph *Graph
	names map[string]bool
	kept  map[string]bool // names that nobody gets who has not wished for them
	own   map[*Value]bool
	next  map[string]int // the number to try next, by prefix
	tried map[string]int // what next is if Try fails, for the prefixes that it has used; nil outside of it
	added []*Value       // in the order of addition

	outputs map[string]bool // the names of outputs
}

// NewBuilder returns a builder of a graph with the given name, whose operators follow rules.
func NewBuilder(rules Rules, name string) *Builder { return newBuilder(rules, name, 0) }

// newBuilder returns a builder with room for so many nodes.
func newBuilder(rules Rules, name string, nodes int) *Builder {
	return &Builder{
		rules: rules,
		graph: &Graph{Name: Identifier(name)},
		names: make(map[string]bool, 2*nodes),
		own:   make(map[*Value]bool, 2*nodes),
		next:  make(map[string]int),

		outputs: make(map[string]bool),
	}
}

// made returns an error for a builder that [NewBuilder] has not made.
func (b *Builder) made() error {
	if b == nil || b.graph == nil {
		return errors.New("there is no builder: it is the zero Builder; NewBuilder makes one")
	}
	return nil
}

// Reserve keeps names for those who wish for them: what has no name of its own gets others.
func (b *Builder) Reserve(names map[string]bool) {
	if b.made() == nil {
		b.kept = names
	}
}

// Input adds a graph input. The name must not be in use.
func (b *Builder) Input(name string, t Type) (*Value, error) {
	if err := b.made(); err != nil {
		return nil, err
	}
	if err := checkType(t); err != nil {
		return nil, fmt.Errorf("input %q: %w", name, err)
	}
	if b.names[name] { // every input has reserved its name
		return nil, fmt.Errorf("input %q: the name is already in use", name)
	}
	b.names[name] = true
	v := b.add(&Value{Name: name, Type: t})
	b.graph.Inputs = append(b.graph.Inputs, v)
	return v, nil
}

// Constant adds a constant, which shares the tensor's memory. The tensor must be contiguous and must not change. The
// name is a wish: it is made an identifier and unique; the label may be empty.
func (b *Builder) Constant(name, label string, t *tensor.Tensor) (*Value, error) {
	if err := b.made(); err != nil {
		return nil, err
	}
	if t == nil {
		return nil, fmt.Errorf("constant %q: the tensor is nil", name)
	}
	if !t.IsContiguous() {
		return nil, fmt.Errorf("constant %q: the tensor %v is not contiguous", name, t.Describe())
	}
	return b.add(&Value{Name: b.unique(name, "const"), Type: TypeOf(t), Const: t, Label: label}), nil
}

// State adds a value that persists between runs and holds init before the first one.
func (b *Builder) State(name, label string, init *tensor.Tensor) (*Value, error) {
	if err := b.made(); err != nil {
		return nil, err
	}
	if init == nil {
		return nil, fmt.Errorf("state %q: the tensor is nil", name)
	}
	if !init.IsContiguous() {
		return nil, fmt.Errorf("state %q: the tensor %v is not contiguous", name, init.Describe())
	}
	v := b.add(&Value{Name: b.unique(name, "state"), Type: TypeOf(init), Label: label})
	b.graph.States = append(b.graph.States, &State{Value: v, Init: init})
	return v, nil
}

// Update makes next the content of a state after each run. A state takes one update, of its own type.
func (b *Builder) Update(state, next *Value) error {
	if err := b.made(); err != nil {
		return err
	}
	if !b.own[next] {
		return fmt.Errorf("update: the new value does not belong to this graph")
	}
	for _, s := range b.graph.States {
		if s.Value != state {
			continue
		}
		if s.Next != nil {
			return fmt.Errorf("update: state %s is updated twice", state.Name)
		}
		if !next.Type.Equal(state.Type) {
			return fmt.Errorf("update: state %s is %v; the new value %s is %v", state.Name, state.Type, next.Name, next.Type)
		}
		s.Next = next
		return nil
	}
	return fmt.Errorf("update: the value is not a state of this graph")
}

// Node adds an application of op and returns its results, which are named after names where given. Absent optional
// operands are nil or left out at the end. The label identifies the node in diagnostics and may be empty.
func (b *Builder) Node(op string, in []*Value, attrs Attrs, label string, names ...string) ([]*Value, error) {
	return b.Add(Node{Op: op, In: in, Attrs: attrs, Label: label}, names...)
}

// Add is [Builder.Node] for an application that is written as a node, of which the results are ignored. Operators that own graphs take
// them as its blocks, which must not change any more.
func (b *Builder) Add(n Node, names ...string) ([]*Value, error) {
	if err := b.made(); err != nil {
		return nil, err
	}
	place := n.Op
	if n.Label != "" {
		place = fmt.Sprintf("%s [%s]", n.Op, n.Label)
	}
	for i, v := range n.In {
		if v != nil && !b.own[v] {
			return nil, fmt.Errorf("%s: operand %d does not belong to this graph", place, i)
		}
	}
	full, types, err := b.rules.Infer(n.Op, TypesOf(n.In), n.Attrs, n.Blocks)
	if err != nil {
		if n.Label != "" {
			return nil, fmt.Errorf("[%s] %w", n.Label, err)
		}
		return nil, err
	}
	n.Attrs = full
	return b.append(&n, types, names), nil
}

// append adds a node whose results have the given types.
func (b *Builder) append(n *Node, types []Type, names []string) []*Value {
	n.In, n.Out = slices.Clone(n.In), make([]*Value, len(types))
	for i, t := range types {
		name := ""
		if i < len(names) {
			name = names[i]
		}
		n.Out[i] = b.add(&Value{Name: b.unique(name, n.Op), Type: t, Producer: n})
	}
	b.graph.Nodes = append(b.graph.Nodes, n)
	return n.Out
}

// One is Node for an operator with one result.
func (b *Builder) One(op string, in []*Value, attrs Attrs, label string, names ...string) (*Value, error) {
	out, err := b.Node(op, in, attrs, label, names...)
	if err != nil {
		return nil, err
	}
	if len(out) != 1 {
		return nil, fmt.Errorf("%s yields %d results where one is expected", op, len(out))
	}
	return out[0], nil
}

// Inline adds the nodes of a valid graph with its states and the constants that they need, and returns the values that stand for its
// outputs. The values in take the place of its inputs and have their types. Names are kept as far as they are free.
func (b *Builder) Inline(g *Graph, in []*Value) ([]*Value, error) {
	return b.inline(g, in, func(n *Node, operands []*Value) ([]*Value, error) { return b.keep(n, operands), nil })
}

// keep adds a node like n whose operands have the types of those of n.
func (b *Builder) keep(n *Node, in []*Value) []*Value {
	names := make([]string, len(n.Out))
	for i, v := range n.Out {
		names[i] = v.Name
	}
	return b.append(&Node{Op: n.Op, In: in, Attrs: n.Attrs, Blocks: n.Blocks, Label: n.Label}, TypesOf(n.Out), names)
}

// inline is [Builder.Inline] with what add returns in place of the results of each node.
func (b *Builder) inline(g *Graph, in []*Value, add func(n *Node, operands []*Value) ([]*Value, error)) ([]*Value, error) {
	if err := b.made(); err != nil {
		return nil, err
	}
	if g == nil {
		return nil, errors.New("the graph to put in is nil")
	}
	if len(in) != len(g.Inputs) {
		return nil, fmt.Errorf("%d values are given for the %d inputs of graph %s", len(in), len(g.Inputs), g.Name)
	}
	t := translation{b, g, make(map[*Value]*Value)}
	for i, v := range g.Inputs {
		if !b.own[in[i]] {
			return nil, fmt.Errorf("the value for input %s does not belong to this graph", v.Name)
		}
		if !in[i].Type.Equal(v.Type) {
			return nil, fmt.Errorf("the value for input %s of graph %s is %v; it must be %v", v.Name, g.Name, in[i].Type, v.Type)
		}
		t.is[v] = in[i]
	}
	return t.apply(add)
}

// translation adds what a graph has to a builder.
type translation struct {
	b  *Builder
	g  *Graph
	is map[*Value]*Value // what stands for values of the graph: for its inputs already
}

// apply adds the graph's states and what add returns for each node, and returns what the outputs are. Constants are added where they are used first.
func (t *translation) apply(add func(n *Node, operands []*Value) ([]*Value, error)) ([]*Value, error) {
	for _, s := range t.g.States {
		var err error
		if t.is[s.Value], err = t.b.State(s.Value.Name, s.Value.Label, s.Init); err != nil {
			return nil, err
		}
	}
	for _, n := range t.g.Nodes {
		operands, err := t.values(n.In...)
		if err != nil {
			return nil, err
		}
		made, err := add(n, operands)
		if err != nil {
			return nil, err
		}
		for i, v := range n.Out {
			t.is[v] = made[i]
		}
	}
	for _, s := range t.g.States {
		if s.Next == nil {
			continue
		}
		next, err := t.values(s.Next)
		if err == nil {
			err = t.b.Update(t.is[s.Value], next[0])
		}
		if err != nil {
			return nil, err
		}
	}
	outputs := make([]*Value, len(t.g.Outputs))
	for i, o := range t.g.Outputs {
		outputs[i] = o.Value
	}
	return t.values(outputs...)
}

// values returns what stands for values of the graph; nil stands for nil.
func (t *translation) values(list ...*Value) ([]*Value, error) {
	out := make([]*Value, len(list))
	for i, v := range list {
		if made, ok := t.is[v]; ok || v == nil {
			out[i] = made
			continue
		}
		if v.Const == nil {
			return nil, fmt.Errorf("graph %s: value %s is used before it is computed", t.g.Name, v.Name)
		}
		made, err := t.b.Constant(v.Name, v.Label, v.Const)
		if err != nil {
			return nil, err
		}
		out[i], t.is[v] = made, made
	}
	return out, nil
}

// Rename gives a result of a node another name: a wish, as when it was made.
func (b *Builder) Rename(v *Value, wish string) {
	if b.made() != nil || !b.own[v] || v.Producer == nil || Identifier(wish) == v.Name {
		return
	}
	delete(b.names, v.Name)
	v.Name = b.unique(wish, v.Name)
}

// Nodes returns how many nodes there are so far.
func (b *Builder) Nodes() int { return len(b.Since(0)) }

// Since returns the nodes that were added when there were n. The caller must not change the list.
func (b *Builder) Since(n int) []*Node {
	if b.made() != nil {
		return nil
	}
	return b.graph.Nodes[n:]
}

// Outputs returns how many outputs there are so far.
func (b *Builder) Outputs() int {
	if b.made() != nil {
		return 0
	}
	return len(b.graph.Outputs)
}

// Output names a value as an output of the graph. The name must not be an output already.
func (b *Builder) Output(name string, v *Value) error {
	if err := b.made(); err != nil {
		return err
	}
	if !b.own[v] {
		return fmt.Errorf("output %q: the value does not belong to this graph", name)
	}
	if b.outputs[name] {
		return fmt.Errorf("output %q is named twice", name)
	}
	b.outputs[name] = true
	b.graph.Outputs = append(b.graph.Outputs, Output{name, v})
	return nil
}

// Prune removes the nodes on which no output and no state depends so far.
func (b *Builder) Prune() {
	if b.made() != nil {
		return
	}
	live := b.graph.Reachable()
	b.graph.Nodes = slices.DeleteFunc(b.graph.Nodes, func(n *Node) bool {
		dead := !slices.ContainsFunc(n.Out, func(v *Value) bool { return live[v] })
		for _, v := range n.Out {
			if dead {
				delete(b.own, v)
				delete(b.names, v.Name)
			}
		}
		return dead
	})
}

// Build returns the graph. The builder must not be used after it.
func (b *Builder) Build() (*Graph, error) {
	if err := b.made(); err != nil {
		return nil, err
	}
	if len(b.graph.Outputs) == 0 {
		return nil, fmt.Errorf("graph %s has no output", b.graph.Name)
	}
	return b.graph, nil
}

func (b *Builder) add(v *Value) *Value {
	b.own[v] = true
	b.added = append(b.added, v)
	return v
}

// Try calls f and, if it fails, takes back the constants and nodes that f has added, and returns the error. What f adds
// must not have become an output or the update of a state.
func (b *Builder) Try(f func() error) error {
	if err := b.made(); err != nil {
		return err
	}
	nodes, values := len(b.graph.Nodes), len(b.added)
	b.tried = make(map[string]int)
	err := f()
	tried := b.tried
	b.tried = nil
	if err == nil {
		return nil
	}
	for _, v := range b.added[values:] {
		delete(b.own, v)
		delete(b.names, v.Name)
	}
	maps.Copy(b.next, tried) // the numbers are free again
	b.graph.Nodes, b.added = b.graph.Nodes[:nodes], b.added[:values]
	return err
}

// unique reserves and returns a name like the wished one, or like prefix with a number if there is no wish.
func (b *Builder) unique(wish, prefix string) string {
	if wish != "" {
		wish = Identifier(wish)
		if !b.names[wish] {
			b.names[wish] = true
			return wish
		}
		prefix = wish + "_"
	}
	for {
		b.next[prefix]++
		name := prefix + strconv.Itoa(b.next[prefix])
		if b.names[name] || b.kept[name] {
			continue
		}
		b.names[name] = true
		if _, known := b.tried[prefix]; b.tried != nil && !known {
			b.tried[prefix] = b.next[prefix] - 1 // those before are taken whatever becomes of what is tried
		}
		return name
	}
}

func checkType(t Type) error {
	if t.DType == tensor.Invalid || int(t.DType) >= tensor.NumDTypes {
		return fmt.Errorf("%v is not an element type", t.DType)
	}
	return t.Shape.Check()
}

// Identifier returns name with every character that an NNEF identifier cannot have replaced by an underscore. A name
// that is empty, starts with a digit or is a keyword gets an underscore in front.
func Identifier(name string) string {
	out := []byte(name)
	for i, c := range out {
		letter := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_'
		if !letter && (c < '0' || c > '9') {
			out[i] = '_'
		}
	}
	if len(out) == 0 || '0' <= out[0] && out[0] <= '9' || keywords[string(out)] {
		return "_" + string(out)
	}
	return string(out)
}

// keywords are those of both NNEF dialects.
var keywords = map[string]bool{
	"version": true, "extension": true, "graph": true, "fragment": true, "tensor": true, "integer": true,
	"scalar": true, "logical": true, "string": true, "extent": true, "shape_of": true, "length_of": true,
	"range_of": true, "for": true, "in": true, "yield": true, "if": true, "else": true, "true": true, "false": true,
}
