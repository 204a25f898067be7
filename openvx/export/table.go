package export

import (
	"strings"

	"github.com/concord-nn/concord/internal/kit"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// row is a row with what makes the calls, for results of some types.
type row struct {
	kit.Row // To names the calls, and the tolerance is that in float32
	types   op.Types
	emit    func(c *emission)
	wide    bool // integers that no tensor can have may be part of what a layer does: what reads them emits them
}

// table has a row for each operator. One without a row is refused.
var table = kit.NewTable(
	func(r *row) string { return r.Op },
	func(d *op.Def) row {
		return row{kit.Row{Op: d.Name, Form: kit.Refused, To: "no layer computes it"}, anyType, func(*emission) { kit.Refuse("no layer computes it") }, false}
	},
	elementwiseRows, sumRows, windowRows, normRows, shapeRows, integerRows)

// Table returns a row for each operator, in the order of op.All.
func Table() []kit.Row { return kit.Described(table, func(r *row) kit.Row { return r.Row }) }

// bodied is a row of an operator that its definition says in others that layers compute.
func bodied(name string) row {
	d, _ := op.Lookup(name)
	return row{Row: kit.Row{Op: name, Form: kit.Body, To: "its body", Tolerance: d.BodyTol}}
}

// anyType are the types of tensors that calls can be about: all but those that OpenVX has no place for.
var anyType = op.Singles | op.Integers | op.Bools

// layerTypes are the types of elements that layers compute with.
var layerTypes = op.Singles | op.TypeSet(tensor.Int16, tensor.Uint8, tensor.Int8)

// direct is a row of an operator that a call means.
func direct(name, function string, types op.Types, emit func(c *emission), note ...string) row {
	return row{kit.Row{Op: name, Form: kit.Direct, To: function, Note: strings.Join(note, "; ")}, types, emit, false}
}

// decomposed is a row of an operator that several calls express.
func decomposed(name, functions string, tolerance float64, types op.Types, emit func(c *emission), note ...string) row {
	r := direct(name, functions, types, emit, note...)
	r.Form, r.Tolerance = kit.Decomposed, tolerance
	return r
}

// widening lets wide integers be part of what a layer does.
func widening(r row) row {
	r.wide = true
	return r
}
