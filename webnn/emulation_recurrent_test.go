package webnn_test

import (
	"slices"
	"strings"

	"github.com/concord-nn/concord/tensor"
	"github.com/concord-nn/concord/webnn"
)

// The recurrent networks: cells by matrix products, sequences by cells.

// cellOptions are the options that a network passes on to its cell.
var cellOptions = []string{"resetAfter", "layout", "activations"}

// cellTrial draws arguments and options of a cell with that many gates and states, or of a network of such cells if steps is
// not 0.
func (e *emulator) cellTrial(gates, states, steps int, layouts ...string) ([]any, webnn.Options) {
	b, i, h := e.r.Extent(), e.r.Extent(), e.r.Extent()
	o := webnn.Options{}
	lead := []int(nil)
	if steps > 0 {
		lead = []int{1}
		direction := []string{"forward", "backward", "both"}[e.r.IntN(3)]
		if direction == "both" {
			lead = []int{2}
		}
		o["direction"], o["returnSequence"] = direction, e.r.Bool()
	}
	sized := func(extents ...int) []int { return append(slices.Clone(lead), extents...) }
	e.optional(o, "bias", sized(gates*h)...)
	e.optional(o, "recurrentBias", sized(gates*h)...)
	if gates == 4 {
		e.optional(o, "peepholeWeight", sized(3*h)...)
	} else {
		o["resetAfter"] = e.r.Bool()
	}
	o["layout"] = layouts[e.r.IntN(len(layouts))]
	if e.r.Bool() {
		functions := make([]string, states+1)
		for k := range functions {
			functions[k] = []string{"relu", "sigmoid", "tanh"}[e.r.IntN(3)]
		}
		o["activations"] = functions
	}
	weight, recurrent := e.uniform(-1, 1, sized(gates*h, i)...), e.uniform(-1, 1, sized(gates*h, h)...)
	if steps > 0 {
		e.optional(o, "initialHiddenState", sized(b, h)...)
		if states == 2 {
			e.optional(o, "initialCellState", sized(b, h)...)
		}
		return []any{e.uniform(-1, 1, steps, b, i), weight, recurrent, steps, h}, o
	}
	args := []any{e.uniform(-1, 1, b, i), weight, recurrent}
	for range states {
		args = append(args, e.uniform(-1, 1, b, h))
	}
	return append(args, h), o
}

func gruTrial(e *emulator) ([]any, webnn.Options) {
	return e.cellTrial(3, 1, e.r.Between(1, 4), "zrn", "rzn")
}

func gruCellTrial(e *emulator) ([]any, webnn.Options) { return e.cellTrial(3, 1, 0, "zrn", "rzn") }

func lstmTrial(e *emulator) ([]any, webnn.Options) {
	return e.cellTrial(4, 2, e.r.Between(1, 4), "iofg", "ifgo")
}

func lstmCellTrial(e *emulator) ([]any, webnn.Options) { return e.cellTrial(4, 2, 0, "iofg", "ifgo") }

// gates has the parts of a cell by the letters of its gates.
type gates struct {
	*emulator
	layout    string
	hidden    int
	input     *webnn.Operand
	weight    *webnn.Operand
	recurrent *webnn.Operand
	options   webnn.Options
	functions []string
}

// part returns the rows of a gate, or its vector.
func (c *gates) part(x *webnn.Operand, at int) *webnn.Operand {
	starts, sizes := make([]int, len(x.Shape())), slices.Clone([]int(x.Shape()))
	starts[0], sizes[0] = at*c.hidden, c.hidden
	return c.call("slice", x, starts, sizes)
}

// bias returns a gate's part of an option, or 0 if it is absent.
func (c *gates) bias(option, gate string) *webnn.Operand {
	if x, ok := c.options[option].(*webnn.Operand); ok {
		return c.part(x, strings.Index(c.layout, gate))
	}
	return c.constant(c.input, 0)
}

// product returns x times the transposed rows of a gate.
func (c *gates) product(x, weight *webnn.Operand, gate string) *webnn.Operand {
	return c.call("matmul", x, c.call("transpose", c.part(weight, strings.Index(c.layout, gate))))
}

// sum returns the sum of both biases and both products of a gate, for the state h.
func (c *gates) sum(h *webnn.Operand, gate string) *webnn.Operand {
	return c.add(c.add(c.bias("bias", gate), c.bias("recurrentBias", gate)),
		c.add(c.product(c.input, c.weight, gate), c.product(h, c.recurrent, gate)))
}

// apply applies activation function number k.
func (c *gates) apply(k int, x *webnn.Operand) *webnn.Operand { return c.call(c.functions[k], x) }

func (e *emulator) gates(args []any, o webnn.Options, functions ...string) *gates {
	if given, ok := o["activations"].([]string); ok {
		functions = given
	}
	return &gates{e, o["layout"].(string), args[len(args)-1].(int),
		args[0].(*webnn.Operand), args[1].(*webnn.Operand), args[2].(*webnn.Operand), o, functions}
}

func emulateGruCell(e *emulator, args []any, o webnn.Options) []*webnn.Operand {
	c, h := e.gates(args, o, "sigmoid", "tanh"), args[3].(*webnn.Operand)
	z, r := c.apply(0, c.sum(h, "z")), c.apply(0, c.sum(h, "r"))
	var n *webnn.Operand
	if o["resetAfter"].(bool) {
		reset := e.mul(r, e.add(c.bias("recurrentBias", "n"), c.product(h, c.recurrent, "n")))
		n = c.apply(1, e.add(c.bias("bias", "n"), e.add(c.product(c.input, c.weight, "n"), reset)))
	} else {
		n = c.apply(1, c.sum(e.mul(r, h), "n"))
	}
	return one(e.add(e.mul(z, h), e.mul(n, e.sub(e.constant(h, 1), z))))
}

func emulateLstmCell(e *emulator, args []any, o webnn.Options) []*webnn.Operand {
	c := e.gates(args, o, "sigmoid", "tanh", "tanh")
	h, cell := args[3].(*webnn.Operand), args[4].(*webnn.Operand)
	gate := func(name string) *webnn.Operand {
		peephole := e.constant(h, 0)
		if p, ok := o["peepholeWeight"].(*webnn.Operand); ok {
			peephole = c.part(p, strings.Index("iof", name)) // in this order whatever the layout
		}
		return c.apply(0, e.add(e.mul(cell, peephole), c.sum(h, name)))
	}
	i, f, g, output := gate("i"), gate("f"), c.apply(1, c.sum(h, "g")), gate("o")
	next := e.add(e.mul(f, cell), e.mul(i, g))
	return []*webnn.Operand{e.mul(output, c.apply(2, next)), next}
}

func emulateGru(e *emulator, args []any, o webnn.Options) []*webnn.Operand {
	return e.sequence("gruCell", []string{"initialHiddenState"}, args, o)
}

func emulateLstm(e *emulator, args []any, o webnn.Options) []*webnn.Operand {
	return e.sequence("lstmCell", []string{"initialHiddenState", "initialCellState"}, args, o)
}

// sequence runs a cell over the steps in each direction. The initial states are options of these names.
func (e *emulator) sequence(cell string, initial []string, args []any, o webnn.Options) []*webnn.Operand {
	x, steps, hidden := args[0].(*webnn.Operand), args[3].(int), args[4].(int)
	batch, dirs := x.Shape()[1], args[1].(*webnn.Operand).Shape()[0]
	final := make([][]*webnn.Operand, len(initial)) // by state, then direction
	var sequences []*webnn.Operand
	for dir := range dirs {
		states := make([]*webnn.Operand, len(initial))
		for k, name := range initial {
			state, ok := o[name].(*webnn.Operand)
			if !ok {
				zeros, err := tensor.New(e.dtype, tensor.Shape{dirs, batch, hidden})
				if err != nil {
					e.t.Fatal(err)
				}
				state = e.data(zeros)
			}
			states[k] = e.row(state, dir)
		}
		options := webnn.Options{}
		for _, name := range []string{"bias", "recurrentBias", "peepholeWeight"} {
			if p, ok := o[name].(*webnn.Operand); ok {
				options[name] = e.row(p, dir)
			}
		}
		for _, name := range cellOptions {
			if v, ok := o[name]; ok {
				options[name] = v
			}
		}
		weight, recurrent := e.row(args[1].(*webnn.Operand), dir), e.row(args[2].(*webnn.Operand), dir)
		after := make([]*webnn.Operand, steps)
		for step := range steps {
			now := step
			if dir == 1 || o["direction"] == "backward" {
				now = steps - 1 - step
			}
			in := []any{e.row(x, now), weight, recurrent}
			for _, s := range states {
				in = append(in, s)
			}
			states = e.list(cell, append(in, hidden), options)
			after[now] = e.reshape(states[0], 1, 1, batch, hidden)
		}
		sequences = append(sequences, e.call("concat", after, 0))
		for k, s := range states {
			final[k] = append(final[k], e.reshape(s, 1, batch, hidden))
		}
	}
	var out []*webnn.Operand
	for _, list := range final {
		out = append(out, e.call("concat", list, 0))
	}
	if o["returnSequence"].(bool) {
		out = append(out, e.call("concat", sequences, 1))
	}
	return out
}

// row returns x[i], without the first dimension.
func (e *emulator) row(x *webnn.Operand, i int) *webnn.Operand {
	shape := x.Shape()
	starts, sizes := make([]int, len(shape)), slices.Clone([]int(shape))
	starts[0], sizes[0] = i, 1
	return e.reshape(e.call("slice", x, starts, sizes), shape[1:]...)
}
