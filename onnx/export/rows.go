package export

import (
	"slices"
	"strings"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// Constructors of rows.

// Element types that operators of the standard take.
var (
	floats  = op.Floats
	signed  = floats | op.Signed
	numbers = op.Numbers
	sums    = floats | op.TypeSet(tensor.Int32, tensor.Int64, tensor.Uint32, tensor.Uint64) // of sums and products
	moved   = op.AnyType | op.TypeSet(tensor.Float64)                                       // what most operators that move elements take
	stored  = op.Stored                                                                     // what some of them take
	bools   = op.Bools
)

// direct is the row of an operator that one of the standard means, for a first operand of some types.
func direct(name, to string, types op.Types, exact func(c *emission) []val, note ...string) row {
	return row{Row: Row{Op: name, Form: Direct, To: to, Note: strings.Join(note, "")}, exact: ifTyped(types, exact)}
}

// several is direct for an operator that takes more than one node.
func several(name, to string, types op.Types, exact func(c *emission) []val, note ...string) row {
	r := direct(name, to, types, exact, note...)
	r.Form = Nodes
	return r
}

// own is the row of an operator that is no operator of the standard, but can be said in some.
func own(name, to string, body func(c *emission) []val) row {
	return row{Row: Row{Op: name, Form: Own, To: to}, body: body}
}

// otherwise adds a body to a row, for the applications that it does not take.
func (r row) otherwise(body func(c *emission) []val) row {
	r.body = body
	return r
}

// ifTyped restricts an emission to a first operand of some types.
func ifTyped(types op.Types, exact func(c *emission) []val) func(c *emission) []val {
	return func(c *emission) []val {
		if !types.Has(c.in[0].DType) {
			return nil
		}
		return exact(c)
	}
}

// same makes rows of operators and those of the standard, in turn, that take the same operands and yield the same.
func same(types op.Types, pairs ...string) []row {
	var out []row
	for i := 0; i+1 < len(pairs); i += 2 {
		out = append(out, with(pairs[i], pairs[i+1], types))
	}
	return out
}

// with makes a row of an operator that has attributes of the same meaning: names of ours and of the standard, in turn. Numbers among them
// are rounded to float32, as the operator rounds them too.
func with(name, to string, types op.Types, pairs ...string) row {
	return direct(name, to, types, func(c *emission) []val { return one(c.node1(to, c.out(0), c.renamed(pairs), c.in...)) })
}

// renamed returns attributes by their names in the standard: names of ours and of the standard, in turn.
func (c *emission) renamed(pairs []string) graph.Attrs {
	attrs := at()
	for i := 0; i+1 < len(pairs); i += 2 {
		attrs = append(attrs, graph.Attr{Name: pairs[i+1], Value: c.Attrs.Get(pairs[i])})
	}
	return attrs
}

// widened lets a body compute in another type than that of the operands, which have d or are of a narrower type, and converts the result.
func (c *emission) widened(d tensor.DType, f func(in []val) val) []val {
	in := slices.Clone(c.in)
	for i := range in {
		in[i] = c.cast(in[i], d)
	}
	return one(c.cast(f(in), c.out(0).DType))
}

// wider says an operator that moves, adds or compares numbers in simpler ones, for types of which ONNX Runtime does so.
func wider(c *emission) []val {
	in := slices.Clone(c.in)
	for i, x := range in {
		switch {
		case x.DType.IsHalf():
			in[i] = c.cast(x, tensor.Float32)
		case op.Integers.Has(x.DType) && x.DType != tensor.Uint64:
			in[i] = c.cast(x, tensor.Int64)
		}
	}
	return c.simpler(in)
}

// realOf returns the type of floats in which numbers of a type are computed: float64 for float64, and else float32.
func realOf(d tensor.DType) tensor.DType {
	if d == tensor.Float64 {
		return d
	}
	return tensor.Float32
}
