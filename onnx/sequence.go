package onnx

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/emit"
	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/tensor"
)

// Operators on sequences of tensors and on optionals. Which tensors a sequence has is decided when the graph is made, so that none of them
// is left in it.
var sequenceRows = family{"Sequences and optionals", []row{
	{name: "SequenceConstruct", forms: forms("11", "inputs... -> output_sequence"), items: sequenceConstruct},
	{name: "SequenceEmpty", forms: forms("11", "; dtype=1 -> output"), items: func(c *lowering) []item {
		return []item{{kind: sequence, elem: c.ElemType("dtype")}}
	}},
	{name: "SequenceInsert", forms: forms("11", "input_sequence, tensor, position? -> output_sequence"), items: sequenceInsert},
	{name: "SequenceErase", forms: forms("11", "input_sequence, position? -> output_sequence"), items: sequenceErase},
	{name: "SequenceAt", forms: forms("11", "input_sequence, position -> tensor"), items: sequenceAt},
	{name: "SequenceLength", forms: forms("11", "input_sequence -> length"), items: func(c *lowering) []item {
		return []item{scalar(c, int64(len(c.sequence().list)))}
	}},
	{name: "SplitToSequence", forms: forms("11 24", "input, split?; axis=0, keepdims=1 -> output_sequence"), items: splitToSequence},
	{name: "ConcatFromSequence", forms: forms("11", "input_sequence; axis: int!, new_axis=0 -> concat_result"), items: concatFromSequence},
	{name: "SequenceMap", forms: forms("17", "input_sequence, additional_inputs...; body: graph! -> out_sequence..."), items: sequenceMap},
	{name: "Optional", forms: forms("15", "input?; type: type -> output"), items: func(c *lowering) []item { return []item{c.item(0)} }},
	{name: "OptionalHasElement", forms: forms("15", "input -> output", "18", "input? -> output"), items: func(c *lowering) []item {
		return []item{scalar(c, c.item(0).kind != absent)}
	}},
	{name: "OptionalGetElement", forms: forms("15 18", "input -> output"), items: func(c *lowering) []item {
		if c.item(0).kind == absent {
			c.failf("input", "the optional has no value")
		}
		return []item{c.item(0)}
	}},
}}

// sequence returns the first operand, which must be a sequence.
func (c *lowering) sequence() item {
	x := c.item(0)
	if x.kind != sequence {
		c.failf(c.operandName(0), "it is %v; it must be a sequence", x.kind)
	}
	return x
}

// listed makes a sequence of tensors, which must be of one element type.
func (c *lowering) listed(elem tensor.DType, list []*graph.Value) []item {
	for _, v := range list {
		elem = c.member(elem, v)
	}
	c.charge(len(list) / crowd)
	return []item{{kind: sequence, list: list, elem: elem}}
}

// member returns the element type of a sequence that gets a tensor, and had the given type or none.
func (c *lowering) member(elem tensor.DType, v *graph.Value) tensor.DType {
	if v == nil {
		c.failf("", "a sequence cannot have an element that is absent; all must be tensors")
	}
	if elem != tensor.Invalid && v.Type.DType != elem {
		c.failf("", "a sequence of %v cannot have the tensor %v", elem, v.Type)
	}
	return v.Type.DType
}

// longer returns a list with one more value at its end. Lists that begin alike may share their memory: its first place that is nil is nobody's.
func (c *lowering) longer(list []*graph.Value, v *graph.Value) []*graph.Value {
	n := len(list)
	if n == cap(list) || list[:n+1][n] != nil {
		c.charge(n / crowd)
		list = append(make([]*graph.Value, 0, 2*n+4), list...)
	}
	return append(list, v)
}

// tensor returns what an output of a graph in the node is, which must be a tensor.
func (c *lowering) tensor(x item, output string) *graph.Value {
	if x.kind != aTensor {
		c.failf("body", "output %q is %v; it must be a tensor", output, x.kind)
	}
	return x.value
}

func sequenceConstruct(c *lowering) []item { return c.listed(tensor.Invalid, c.All(0)) }

// position returns the operand that says where in a sequence of n elements; otherwise stands for one that is left out.
func (c *lowering) position(i, n, otherwise int) int {
	if c.item(i).kind == absent {
		return otherwise
	}
	p := c.KnownInt(i)
	if p < 0 {
		p += len(c.sequence().list)
	}
	if p < 0 || p >= n {
		c.failf(c.operandName(i), "position %d is outside of the sequence of %d elements", c.KnownInt(i), len(c.sequence().list))
	}
	return p
}

func sequenceInsert(c *lowering) []item {
	s := c.sequence()
	at := c.position(2, len(s.list)+1, len(s.list))
	if at == len(s.list) {
		elem := c.member(s.elem, c.In(1))
		return []item{{kind: sequence, list: c.longer(s.list, c.In(1)), elem: elem}}
	}
	return c.listed(s.elem, slices.Concat(s.list[:at], []*graph.Value{c.In(1)}, s.list[at:]))
}

func sequenceErase(c *lowering) []item {
	s := c.sequence()
	if len(s.list) == 0 {
		c.failf("input_sequence", "the sequence is empty")
	}
	at := c.position(1, len(s.list), len(s.list)-1)
	return c.listed(s.elem, slices.Concat(s.list[:at], s.list[at+1:]))
}

func sequenceAt(c *lowering) []item {
	s := c.sequence()
	return tensors(s.list[c.position(1, len(s.list), -1)])
}

func splitToSequence(c *lowering) []item {
	x := c.In(0)
	axis := c.Axis("axis", c.Int("axis"), len(x.Type.Shape))
	extent := x.Type.Shape[axis]
	var sizes []int
	size, keep := 1, true
	switch split := c.In(1); {
	case split == nil:
		keep = c.Flag("keepdims")
	case len(split.Type.Shape) == 0:
		if size = c.KnownInt(1); size < 1 {
			c.failf("split", "%d is no size", size)
		}
	default:
		sizes, size = c.KnownInts(1), 0
	}
	if size > 0 {
		if extent/size > limits.ONNXList {
			c.Fail(&Error{Operand: "input", Err: ErrLimit, Msg: fmt.Sprintf("the extent %d is split to tensors of %d; at most %d are allowed", extent, size, limits.ONNXList)})
		}
		for left := extent; left > 0; left -= size {
			sizes = append(sizes, min(size, left))
		}
	}
	var out []*graph.Value
	begin := 0
	for _, n := range sizes {
		if n < 0 || n > extent-begin {
			c.failf("split", "the sizes %v do not fit the extent %d", sizes, extent)
		}
		v := c.Section(x, axis, begin, begin+n)
		if begin += n; !keep {
			v = c.Squeeze(v, axis)
		}
		out = append(out, v)
	}
	if begin != extent {
		c.failf("split", "the sizes %v do not make the extent %d", sizes, extent)
	}
	return c.listed(x.Type.DType, out)
}

func concatFromSequence(c *lowering) []item {
	s := c.sequence()
	if len(s.list) == 0 {
		c.failf("input_sequence", "the sequence is empty")
	}
	rank := len(s.list[0].Type.Shape)
	if c.Flag("new_axis") {
		return tensors(c.Node("stack", emit.Attr("axis", c.Axis("axis", c.Int("axis"), rank+1)), s.list...))
	}
	return tensors(c.Node("concat", emit.Attr("axis", c.Axis("axis", c.Int("axis"), rank)), s.list...))
}

// sequenceMap has the nodes of the body follow once for each element.
func sequenceMap(c *lowering) []item {
	net := c.Graph("body")
	if len(net.inputs) != len(c.in) {
		c.failf("body", "the graph has %d inputs; it must have %d", len(net.inputs), len(c.in))
	}
	n, outputs := len(c.sequence().list), len(net.outputs)
	names, yielded := make([]string, n*outputs), make(map[string]bool)
	for i := range names {
		names[i] = strconv.Itoa(i)
		yielded[names[i]] = true
	}
	found := c.inner(&network{names: yielded}, "") // for what the graph yields, element by element
	c.then(found, names, nil, func(d *lowering) []item {
		lists := make([]item, outputs)
		for i := range lists {
			list := make([]*graph.Value, n)
			for k := range list {
				list[k] = d.tensor(d.in[k*outputs+i], net.outputs[i])
			}
			lists[i] = d.listed(tensor.Invalid, list)[0]
		}
		return lists
	})
	for k := n - 1; k >= 0; k-- {
		s := c.repeated(net, "in body: ", int64(k))
		for i, name := range net.inputs {
			x := c.item(i)
			if x.kind == sequence {
				if len(x.list) != n {
					c.failf(c.operandName(i), "the sequence has %d elements; it must have %d", len(x.list), n)
				}
				x = item{kind: aTensor, value: x.list[k]}
			}
			s.items[name] = x
		}
		c.finish(s, net.outputs)
		yields := c.later[len(c.later)-1].sequel
		yields.into, yields.outputs = found, names[k*outputs:(k+1)*outputs]
		c.follow(s)
	}
	return nil
}
