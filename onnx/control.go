package onnx

import (
	"fmt"
	"math"
	"slices"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/emit"
	"github.com/concord-nn/concord/onnx/proto"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// Operators that own graphs. Each becomes the operator of ours that runs blocks where the shapes in its graphs are known; else the nodes of
// its graphs take its place, turn by turn, which may need to know what the turn before has computed.
var controlRows = family{"Control flow", []row{
	{name: "If", forms: forms("1 11 13 16 19 21 23 24 25", "cond; then_branch: graph!, else_branch: graph! -> outputs..."), items: lowerIf},
	{name: "Loop", forms: forms("1 11 13 16 19 21 23 24 25", "M?, cond?, v_initial...; body: graph! -> v_final_and_scan_outputs..."), items: lowerLoop},
	{name: "Scan", forms: forms(
		"8", "sequence_lens?, initial_state_and_scan_inputs...; body: graph!, num_scan_inputs: int!, directions: ints -> final_state_and_scan_outputs...",
		"9 11 16 19 21 23 24 25", "initial_state_and_scan_inputs...; body: graph!, num_scan_inputs: int!, scan_input_axes: ints, "+
			"scan_input_directions: ints, scan_output_axes: ints, scan_output_directions: ints -> final_state_and_scan_outputs..."), items: lowerScan},
}}

// emitter returns one for the lowering's builder.
func (c *lowering) emitter() *emit.Emitter {
	return &emit.Emitter{Target: target{c.w.b, c.w.work}, Label: label(c.node)}
}

// name returns a name for an input or output of a block.
func name(prefix string, i int) string { return fmt.Sprintf("%s%d", prefix, i) }

// add adds a node with blocks.
func (c *lowering) add(n graph.Node) []*graph.Value {
	n.Label = c.Label
	out, err := c.w.b.Add(n)
	c.Fail(err)
	return out
}

// condition makes a tensor of one boolean a scalar.
func (c *lowering) condition(v *graph.Value) *graph.Value {
	if n := v.Type.Shape.Len(); v.Type.DType != tensor.Bool || n != 1 {
		c.failf("cond", "it is %v; it must be one boolean", v.Type)
	}
	return c.Reshape(v)
}

func lowerIf(c *lowering) []item {
	branches := []*network{c.Graph("then_branch"), c.Graph("else_branch")}
	for i, b := range branches {
		if len(b.outputs) != len(c.node.Output) {
			c.failf(c.form.attrs[i].name, "the graph has %d outputs; the node has %d results", len(b.outputs), len(c.node.Output))
		}
		if len(b.inputs) > 0 {
			c.failf(c.form.attrs[i].name, "the graph has inputs; it must have none")
		}
	}
	cond := c.condition(c.In(0))
	if t := c.constant(cond); t != nil {
		return c.branch(branches[truth(t)])
	}
	captured := c.captured(branches...)
	blocks := make([]*graph.Graph, 2)
	for i, b := range branches {
		var err error
		blocks[i], err = c.block(b, nil, captured, func([]*graph.Value, *lowering) []item { return nil },
			func(out []*graph.Value, _ *lowering) []*graph.Value { return out })
		if err != nil {
			return c.branch(branches[truth(c.Known(0))]) // one of them may be wrong that is never taken
		}
	}
	d, _ := op.Lookup("if")
	in := append([]*graph.Value{cond}, captured...)
	if _, _, err := d.Bind(graph.TypesOf(in), nil, blocks...); err != nil {
		return c.branch(branches[truth(c.Known(0))]) // the results have other shapes
	}
	return tensors(c.add(graph.Node{Op: "if", In: in, Blocks: blocks})...)
}

// truth returns the number of the branch that a condition chooses.
func truth(t *tensor.Tensor) int {
	if tensor.Data[bool](t)[0] {
		return 0
	}
	return 1
}

// branch has the nodes of a graph take the place of the node.
func (c *lowering) branch(net *network) []item {
	s := c.inner(net, "in "+c.node.OpType+": ")
	c.finish(s, net.outputs)
	c.follow(s)
	return nil
}

func lowerLoop(c *lowering) []item {
	net := c.Graph("body")
	carried := max(len(c.in)-2, 0)
	parts := len(net.outputs) - 1 - carried
	switch {
	case len(net.inputs) != carried+2:
		c.failf("body", "the graph has %d inputs; it must have %d", len(net.inputs), carried+2)
	case parts < 0:
		c.failf("body", "the graph has %d outputs; it must have %d or more", len(net.outputs), carried+1)
	}
	l := &looping{net: net, carried: carried, parts: parts}
	if out, ok := c.realLoop(l); ok {
		return out
	}
	return c.turn(l, 0, append([]item(nil), c.in[min(2, len(c.in)):]...), make([]collected, parts), item{})
}

// looping describes a Loop.
type looping struct {
	net            *network
	carried, parts int
}

// trips returns the greatest number of turns: that which constants say, -1 if something else decides, or the greatest one if the operand is
// absent.
func (c *lowering) trips() int64 {
	v := c.In(0)
	if v == nil {
		return math.MaxInt64
	}
	if v.Type.Shape.Len() != 1 || v.Type.DType != tensor.Int64 {
		c.failf("M", "it is %v; it must be one int64", v.Type)
	}
	if t := c.constant(v); t != nil {
		return max(tensor.Data[int64](t)[0], 0)
	}
	return -1
}

// realLoop makes the operator loop, if the shapes of what is carried stay the same and the results' are known.
func (c *lowering) realLoop(l *looping) ([]item, bool) {
	trips := c.trips()
	most := trips
	if trips < 0 || trips > math.MaxInt32 {
		most = math.MaxInt32
	}
	unbounded := l.parts > 0 && most == math.MaxInt32 // no tensor has room for so many parts
	body, values, always, err := c.body(l, c.in[2:], !unbounded)
	if err != nil {
		return nil, false // as it is, turn by turn
	}
	in := []*graph.Value{nil, nil}
	if v := c.In(0); v != nil {
		in[0] = c.Reshape(v)
	}
	if v := c.In(1); v != nil {
		in[1] = c.condition(v)
		t := c.constant(in[1])
		always = always && t != nil && tensor.Data[bool](t)[0]
	}
	in = append(in, values...)
	node := graph.Node{Op: "loop", In: in, Attrs: emit.Attr("carried", l.carried, "most", int(most)), Blocks: []*graph.Graph{body}}
	d, _ := op.Lookup("loop")
	if _, _, err := d.Bind(graph.TypesOf(in), node.Attrs, body); err != nil {
		return nil, false // what is carried changes its shape
	}
	switch {
	case unbounded && always:
		return nil, false // the number of turns is asked of the run
	case unbounded:
		return c.countedLoop(l, node)
	case l.parts > 0 && !always:
		// The number of turns decides about the extent of the parts: it is not known before the loop has run.
		out := c.add(node)
		return c.Then(out[0], out[1:], func(d *lowering, count *tensor.Tensor, out []*graph.Value) []*graph.Value {
			n := int(tensor.Data[int64](count)[0])
			for i := l.carried; i < len(out); i++ {
				out[i] = d.Section(out[i], 0, 0, n)
			}
			return out
		}), true
	}
	return tensors(c.add(node)[1:]...), true
}

// countedLoop makes two of a loop that nothing bounds beforehand: the given one, without parts, only counts turns, so that there is room for the parts that
// another one yields.
func (c *lowering) countedLoop(l *looping, counting graph.Node) ([]item, bool) {
	body, values, _, err := c.body(l, c.in[2:], true)
	if err != nil {
		return nil, false
	}
	d, _ := op.Lookup("loop")
	if _, _, err := d.Bind(graph.TypesOf(counting.In), emit.Attr("carried", l.carried, "most", 1), body); err != nil {
		return nil, false // parts of the type cannot be joined
	}
	return c.Then(c.add(counting)[0], values, func(d *lowering, count *tensor.Tensor, values []*graph.Value) []*graph.Value {
		n := tensor.Data[int64](count)[0]
		return d.add(graph.Node{Op: "loop", In: append([]*graph.Value{d.Constant(tensor.Scalar(n)), nil}, values...),
			Attrs: emit.Attr("carried", l.carried, "most", int(n)), Blocks: []*graph.Graph{body}})[1:]
	}), true
}

// body makes a block of what is repeated, with what turns yield as parts or without. It returns also what is carried, which must be tensors, and captured,
// and whether every turn is followed by another one, as far as the body decides that.
func (c *lowering) body(l *looping, carried []item, parts bool) (body *graph.Graph, values []*graph.Value, always bool, err error) {
	types := []op.Type{{DType: tensor.Int64, Shape: tensor.Shape{}}}
	for _, x := range carried {
		if x.kind != aTensor {
			return nil, nil, false, errOpen
		}
		values = append(values, x.value)
		types = append(types, x.value.Type)
	}
	captured := c.captured(l.net)
	body, err = c.block(l.net, types, captured, func(in []*graph.Value, inner *lowering) []item {
		inner.scope.site.counter = in[0]
		return append([]item{{kind: aTensor, value: in[0]}, scalar(inner, true)}, tensors(in[1:]...)...)
	}, func(out []*graph.Value, inner *lowering) []*graph.Value {
		out[0] = inner.condition(out[0])
		if t := inner.constant(out[0]); t != nil {
			always = tensor.Data[bool](t)[0]
		}
		if !parts {
			return out[:1+l.carried]
		}
		for i := 1 + l.carried; i < len(out); i++ {
			out[i] = inner.Unsqueeze(out[i], 0)
		}
		return out
	})
	return body, append(values, captured...), always, err
}

// turn takes turn i of a loop that is unrolled: it decides whether there is one, which must be known, and if so has the nodes of the body
// follow, and then the next turn.
func (c *lowering) turn(l *looping, i int64, carried []item, parts []collected, cond item) []item {
	trips := c.trips()
	if trips < 0 {
		c.Known(0)
	}
	more := i < trips
	if more && cond.kind == aTensor {
		t := c.constant(c.condition(cond.value))
		if t == nil {
			c.Fail(&askError{"cond", cond.value})
		}
		more = tensor.Data[bool](t)[0]
	} else if more && c.In(1) != nil {
		more = c.KnownFlag(1)
	}
	if !more {
		if i == 0 {
			return append(carried, c.nothing(l, carried)...)
		}
		out := carried
		for _, p := range parts {
			out = append(out, item{kind: aTensor, value: c.collected(p)})
		}
		return out
	}
	s := c.repeated(l.net, fmt.Sprintf("in turn %d of %s: ", i, c.node.OpType), i)
	s.items[l.net.inputs[0]] = scalar(c, i)
	s.items[l.net.inputs[1]] = scalar(c, true)
	for k, x := range carried {
		s.items[l.net.inputs[2+k]] = x
	}
	node, form, attrs, opset := c.in[:min(2, len(c.in))], c.form, c.attrs, c.opset
	operands := append([]item(nil), node...)
	joined := make([]int, l.parts) // not the values, which are of this part of the model
	for k, p := range parts {
		operands, joined[k] = append(operands, item{kind: sequence, list: p.list}), p.joined
	}
	before := c.w.work.before
	next := func(d *lowering) []item {
		d.form, d.attrs, d.opset = form, attrs, opset
		n := len(l.net.outputs)
		out, rest := d.in[:n], d.in[n:]
		d.in = rest[:len(node)]
		more := make([]collected, l.parts)
		for k := range more {
			at := 1 + l.carried + k
			yielded := collected{rest[len(node)+k].list, joined[k]}
			if d.w.work.before != before {
				yielded = d.gather(yielded)
			}
			yielded.list = d.longer(yielded.list, d.tensor(out[at], l.net.outputs[at]))
			more[k] = yielded
		}
		return d.turn(l, i+1, append([]item(nil), out[1:1+l.carried]...), more, out[0])
	}
	c.then(s, l.net.outputs, operands, next)
	c.follow(s)
	return nil
}

// collected is what the turns of a loop have yielded so far.
type collected struct {
	list   []*graph.Value
	joined int // how many at the beginning are what several turns have yielded, along dimension 0
}

// gather joins what turns in earlier parts of the model have yielded. Tensors of as many turns or fewer are joined again and again, so that each part takes only
// as many along as the number of turns has bits.
func (c *lowering) gather(p collected) collected {
	single := p.list[p.joined:]
	if len(single) == 0 || single[0].Type.DType.IsPacked() || slices.ContainsFunc(single, func(v *graph.Value) bool { return !v.Type.Equal(single[0].Type) }) {
		return p // which are left to the end, that tells what is wrong
	}
	v, n := c.Node("stack", emit.Attr("axis", 0), single...), p.joined
	for ; n > 0 && p.list[n-1].Type.Shape[0] <= v.Type.Shape[0] && p.list[n-1].Type.Shape[1:].Equal(v.Type.Shape[1:]); n-- {
		v = c.Node("concat", emit.Attr("axis", 0), p.list[n-1], v)
	}
	return collected{append(slices.Clone(p.list[:n]), v), n + 1}
}

// collected joins what all turns have yielded.
func (c *lowering) collected(p collected) *graph.Value {
	all := slices.Clone(p.list[:p.joined])
	if single := p.list[p.joined:]; len(single) > 0 {
		all = append(all, c.Node("stack", emit.Attr("axis", 0), single...))
	}
	if len(all) == 1 {
		return all[0]
	}
	return c.Node("concat", emit.Attr("axis", 0), all...)
}

// nothing returns what the turns of a loop yield that takes none: tensors without elements, of the shapes that a turn would give them or, where a turn
// could not be taken, as it reads elements that there are not, of those that its graph declares, with 0 for every extent that is not a number.
func (c *lowering) nothing(l *looping, carried []item) []item {
	if l.parts == 0 {
		return nil
	}
	body, _, _, err := c.body(l, carried, true)
	out := make([]*graph.Value, l.parts)
	for k := range out {
		at := 1 + l.carried + k
		var t op.Type
		if err == nil {
			t = body.Outputs[at].Value.Type
			t.Shape = t.Shape.Clone()
			t.Shape[0] = 0
		} else if t = empty(l.net.types[at]); t.DType == tensor.Invalid {
			c.failf("body", "the loop takes no turn, and the shapes of its outputs are not known: %v", err)
		}
		x, err := tensor.New(t.DType, t.Shape)
		c.Fail(err)
		out[k] = c.Constant(x)
	}
	return tensors(out...)
}

// empty returns the type of no tensors of a declared type, put together; the zero type if what is declared is none of a tensor.
func empty(t *proto.Type) op.Type {
	if t == nil || t.Tensor == nil {
		return op.Type{}
	}
	d, err := t.Tensor.ElemType.DType()
	if err != nil {
		return op.Type{}
	}
	shape := tensor.Shape{0}
	if s := t.Tensor.Shape; s != nil {
		for _, n := range s.Dim {
			if shape = append(shape, 0); n.Known && n.Value > 0 && n.Value <= tensor.MaxElements {
				shape[len(shape)-1] = int(n.Value)
			}
		}
	}
	return op.Type{DType: d, Shape: shape}
}
