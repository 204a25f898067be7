package export

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/concord-nn/concord/cvm/params"
	"github.com/concord-nn/concord/cvm/symbol"
	"github.com/concord-nn/concord/internal/cvm/operators"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// builder makes a symbol node by node. It infers shapes and precisions as it goes, by the rules of the operators; what else a model must
// keep to is left to admission.
type builder struct {
	nodes []node
	outs  []output // by entry
}

// node is a variable or the application of an operator.
type node struct {
	name  string
	call  *operators.Call // nil for a variable
	data  *tensor.Tensor  // of a variable; nil for that which takes the input
	in    []int           // entries
	first int             // its first entry

	operator, attrs string // as they are spelled
}

// output is an entry: an output of a node.
type output struct {
	operators.Tensor
	node, number int
	storage      int
}

// variable adds a variable, whose shape and precision must be legal, and returns its entry.
func (b *builder) variable(name string, t operators.Tensor, data *tensor.Tensor) int {
	b.nodes = append(b.nodes, node{name: name, data: data, first: len(b.outs), attrs: "{}"})
	b.outs = append(b.outs, output{Tensor: t, node: len(b.nodes) - 1})
	return len(b.outs) - 1
}

// apply adds an operator, with attributes as the symbol has them: a JSON object. It returns the entry of its first output; the others
// follow.
func (b *builder) apply(name, operator, attrs string, in []int) (int, error) {
	o, _ := operators.Lookup(operator)
	if o == nil {
		return 0, fmt.Errorf("there is no operator %q", operator)
	}
	dict, err := symbol.ParseAttrs(attrs, symbol.Pos{})
	if err != nil {
		return 0, err
	}
	values, err := o.ParseAttrs(dict)
	if err != nil {
		return 0, err
	}
	c := &operators.Call{Operator: o, Attrs: values}
	for _, e := range in {
		c.In = append(c.In, b.outs[e].Tensor)
	}
	if c.Out, err = o.Shapes(c); err != nil {
		return 0, err
	}
	precisions, err := o.Precisions(c)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", operator, err)
	}
	first := len(b.outs)
	for k, p := range precisions {
		b.outs = append(b.outs, output{Tensor: operators.Tensor{Shape: c.Out[k], Precision: p}, node: len(b.nodes), number: k})
	}
	b.nodes = append(b.nodes, node{name: name, call: c, in: in, first: first, operator: operator, attrs: attrs})
	return first, nil
}

// symbol returns the symbol, with the lists of every version.
func (b *builder) symbol(version, postprocess string, heads []int) *symbol.Symbol {
	s := &symbol.Symbol{Version: version, Postprocess: postprocess, Heads: b.entries(heads)}
	for i := range b.nodes {
		n := &b.nodes[i]
		sn := symbol.Node{Op: symbol.Variable, Name: n.name, Inputs: b.entries(n.in)}
		if n.call == nil {
			s.ArgNodes = append(s.ArgNodes, i)
		} else {
			sn.Op = symbol.Operator
			sn.Attrs = &symbol.NodeAttrs{FuncName: n.operator, NumInputs: strconv.Itoa(len(n.in)), NumOutputs: strconv.Itoa(n.call.Operator.Outputs),
				FlattenData: "0", OpAttrs: n.attrs}
		}
		s.Nodes = append(s.Nodes, sn)
		s.OpAttrs = append(s.OpAttrs, n.attrs)
		s.NodeRowPtr = append(s.NodeRowPtr, n.first)
	}
	s.NodeRowPtr = append(s.NodeRowPtr, len(b.outs))
	for i := range b.outs {
		o := &b.outs[i]
		s.Shape = append(s.Shape, o.Shape)
		s.StorageID = append(s.StorageID, o.storage)
		s.Precision = append(s.Precision, o.Precision)
		s.DLType = append(s.DLType, "int32")
	}
	return s
}

// entries returns entries as the symbol has them.
func (b *builder) entries(list []int) []symbol.Entry {
	out := make([]symbol.Entry, len(list))
	for i, e := range list {
		out[i] = symbol.Entry{Node: b.outs[e].node, Output: b.outs[e].number}
	}
	return out
}

// params returns the parameters. Those whose precision allows it are stored in 8 bits.
func (b *builder) params() ([]params.Param, error) {
	var list []params.Param
	for i := range b.nodes {
		n := &b.nodes[i]
		if n.call != nil || n.data == nil {
			continue
		}
		d := tensor.Int32
		if b.outs[n.first].Precision <= 8 {
			d = tensor.Int8
		}
		t, err := tensor.Cast(n.data, d)
		if err != nil {
			return nil, err
		}
		list = append(list, params.Param{Name: n.name, Tensor: t})
	}
	return list, nil
}

// precisionOf returns the least precision that holds all elements of a tensor of integers.
func precisionOf(t *tensor.Tensor) (int, error) {
	digits, err := eval("bit_length", t)
	if err != nil {
		return 0, err
	}
	if digits, err = digits.Reshape(digits.Len()); err != nil {
		return 0, err
	}
	most, err := eval("max_reduce", digits, "axes", []int{0})
	if err != nil {
		return 0, err
	}
	if most, err = tensor.Cast(most, tensor.Int64); err != nil {
		return 0, err
	}
	return int(tensor.Data[int64](most)[0]) + 1, nil
}

// eval evaluates an operator with one operand and one result.
func eval(operator string, x *tensor.Tensor, attrs ...any) (*tensor.Tensor, error) {
	d, _ := op.Lookup(operator)
	out, err := op.Eval(d, []*tensor.Tensor{x}, attributes(attrs...))
	if err != nil {
		return nil, err
	}
	return out[0], nil
}

// lastUses returns for each entry the last node that reads it; the number of nodes for heads, and its own node if nothing does.
func (b *builder) lastUses(heads []int) []int {
	last := make([]int, len(b.outs))
	for e := range b.outs {
		last[e] = b.outs[e].node
	}
	for i := range b.nodes {
		for _, e := range b.nodes[i].in {
			last[e] = i
		}
	}
	for _, e := range heads {
		last[e] = len(b.nodes)
	}
	return last
}

// plan gives each entry a storage. Variables have their own. Other storages are taken again when nothing reads their tensor any more, by
// the node that reads it last only where the operator may work in place.
func (b *builder) plan(heads []int) {
	last := b.lastUses(heads)
	var free []int  // storages
	var sizes []int // elements, by storage
	take := func(size int) int {
		best := -1
		for i, id := range free { // the smallest that is large enough, else the largest
			if best < 0 || fits(sizes[id], sizes[free[best]], size) {
				best = i
			}
		}
		if best < 0 {
			sizes = append(sizes, size)
			return len(sizes) - 1
		}
		id := free[best]
		free = slices.Delete(free, best, best+1)
		sizes[id] = max(sizes[id], size)
		return id
	}
	for i := range b.nodes {
		n := &b.nodes[i]
		if n.call == nil {
			sizes = append(sizes, b.outs[n.first].Shape.Len())
			b.outs[n.first].storage = len(sizes) - 1
			continue
		}
		var done []int // operands that nothing reads any more
		for _, e := range n.in {
			if last[e] == i && b.nodes[b.outs[e].node].call != nil && !slices.Contains(done, e) {
				done = append(done, e)
			}
		}
		outputs := n.call.Operator.Outputs
		for e := n.first; e < n.first+outputs; e++ {
			o := &b.outs[e]
			if n.call.Operator.InPlace && len(done) > 0 {
				o.storage, done = b.outs[done[0]].storage, done[1:]
				sizes[o.storage] = max(sizes[o.storage], o.Shape.Len())
				continue
			}
			o.storage = take(o.Shape.Len())
		}
		for _, e := range done {
			free = append(free, b.outs[e].storage)
		}
		for e := n.first; e < n.first+outputs; e++ {
			if last[e] == i {
				free = append(free, b.outs[e].storage)
			}
		}
	}
}

// fits reports whether a storage is a better choice than another for a tensor of some size.
func fits(size, other, want int) bool {
	if (size >= want) != (other >= want) {
		return size >= want
	}
	return (size < other) == (size >= want) && size != other
}
