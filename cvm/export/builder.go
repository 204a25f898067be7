package export

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/concord-nn/concord/cvm/params"
	"github.com/concord-nn/concord/cvm/symbol"
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/cvm/operators"
	"github.com/concord-nn/concord/internal/kit"
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
	attrs string          // of the operator, as the symbol has them
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

// apply adds an operator that there is, and returns the entry of its first output; the others follow.
func (b *builder) apply(operator string, attrs graph.Attrs, in []int) (int, error) {
	o, _ := operators.Lookup(operator)
	spelled := o.FormatAttrs(attrs)
	values, err := o.ParseAttrs(spelled)
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
	b.nodes = append(b.nodes, node{call: c, in: in, first: first, attrs: symbol.FormatAttrs(spelled)})
	return first, nil
}

// symbol returns the symbol, without the lists that its version derives.
func (b *builder) symbol(postprocess string, heads []int) *symbol.Symbol {
	s := &symbol.Symbol{Version: symbol.V110, Postprocess: postprocess, Heads: b.entries(heads)}
	for i := range b.nodes {
		n := &b.nodes[i]
		sn := symbol.Node{Op: symbol.Variable, Name: n.name, Inputs: b.entries(n.in)}
		if n.call != nil {
			o := n.call.Operator
			sn.Op = symbol.Operator
			sn.Attrs = &symbol.NodeAttrs{FuncName: o.Name, NumInputs: strconv.Itoa(len(n.in)), NumOutputs: strconv.Itoa(o.Outputs),
				FlattenData: "0", OpAttrs: n.attrs}
		}
		s.Nodes, s.OpAttrs = append(s.Nodes, sn), append(s.OpAttrs, n.attrs)
	}
	for i := range b.outs {
		o := &b.outs[i]
		s.Shape, s.StorageID, s.Precision = append(s.Shape, o.Shape), append(s.StorageID, o.storage), append(s.Precision, o.Precision)
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

// params returns the parameters.
func (b *builder) params() ([]params.Param, error) {
	var list []params.Param
	for i := range b.nodes {
		if n := &b.nodes[i]; n.data != nil {
			p, err := parameter(n.name, n.data)
			if err != nil {
				return nil, err
			}
			list = append(list, p)
		}
	}
	return list, nil
}

// parameter returns a parameter, in 8 bits if its precision allows it.
func parameter(name string, t *tensor.Tensor) (p params.Param, err error) {
	precision, err := precisionOf(t)
	if err != nil {
		return p, err
	}
	d := tensor.Int32
	if precision <= 8 {
		d = tensor.Int8
	}
	t, err = tensor.Cast(t, d)
	return params.Param{Name: name, Tensor: t}, err
}

// whole is the budget of what is read whole anyway.
var whole = op.Budget{Bytes: math.MaxInt64, Operations: math.MaxInt64, Result: math.MaxInt64}

// precisionOf returns the least precision that holds all elements of a tensor of integers.
func precisionOf(t *tensor.Tensor) (p int, err error) {
	if why := kit.Try(func() {
		digits := kit.Must(kit.Eval(whole, "bit_length", nil, t).Reshape(t.Len()))
		most := kit.Must(tensor.Cast(kit.Eval(whole, "max_reduce", graph.AttrsOf("axes", []int{0}), digits), tensor.Int64))
		p = int(tensor.Data[int64](most)[0]) + 1
	}); why != "" {
		err = errors.New(why)
	}
	return p, err
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
	take := func(size int) (id int) {
		if id = len(sizes); len(free) > 0 {
			// the smallest that is large enough, else the largest
			id = slices.MinFunc(free, func(a, b int) int { return cmp.Compare(misfit(sizes[a]-size), misfit(sizes[b]-size)) })
			free = slices.DeleteFunc(free, func(other int) bool { return other == id })
			return id
		}
		sizes = append(sizes, size)
		return id
	}
	for i := range b.nodes {
		n := &b.nodes[i]
		var done []int // storages of operands that nothing reads any more
		for _, e := range n.in {
			if id := b.outs[e].storage; last[e] == i && b.nodes[b.outs[e].node].call != nil && !slices.Contains(done, id) {
				done = append(done, id)
			}
		}
		for e := n.first; e < len(b.outs) && b.outs[e].node == i; e++ {
			o := &b.outs[e]
			switch {
			case n.call == nil:
				o.storage, sizes = len(sizes), append(sizes, 0)
			case n.call.Operator.InPlace && len(done) > 0:
				o.storage, done = done[0], done[1:]
			default:
				o.storage = take(o.Shape.Len())
			}
			sizes[o.storage] = max(sizes[o.storage], o.Shape.Len())
		}
		free = append(free, done...)
		for e := n.first; e < len(b.outs) && b.outs[e].node == i; e++ {
			if last[e] == i && n.call != nil {
				free = append(free, b.outs[e].storage)
			}
		}
	}
}

// misfit says how bad a storage is that is larger than a tensor by some elements.
func misfit(larger int) int {
	if larger < 0 {
		return math.MaxInt/2 - larger
	}
	return larger
}
