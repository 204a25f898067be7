package export

import (
	"slices"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/kit"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// Form is how an operator is expressed.
type Form string

// The forms.
const (
	Direct Form = "direct" // a node of the standard means the same
	Nodes  Form = "nodes"  // several nodes together do
	Own    Form = "own"    // a node of the domain of Concord, with a function for others
	Alone  Form = "alone"  // a node of the domain of Concord, which others cannot run
)

// Row says how one operator is expressed.
type Row struct {
	Op   string
	Form Form
	To   string // the operators of the standard, in the function if the form is Own; "" for those of the operator's body
	Note string // when it is expressed otherwise; may be empty
}

// Table returns a row for each operator, in the order of op.All.
func Table() []Row { return kit.Described(table, func(r *row) Row { return r.Row }) }

// row is a row with what adds the nodes.
type row struct {
	Row
	// exact adds nodes that package onnx reads as what gives the same bits. It returns nil, and adds nothing, where there are none.
	exact func(c *emission) []val
	// body adds nodes that say the same, perhaps not to the bit, for a function; nil stands for the operator's own body.
	body func(c *emission) []val
}

// standard adds nodes of the standard that mean the operator to the bit, if there are some.
func (r *row) standard(c *emission) []val {
	if r.exact == nil || c.loses() {
		return nil
	}
	return r.exact(c)
}

// loses reports whether attributes of the standard, which are float32, lose digits of the operator's. Operators round numbers to the type in
// which they compute: to float32, unless it is float64.
func (c *emission) loses() bool {
	if c.function || len(c.in) == 0 || c.in[0].DType != tensor.Float64 {
		return false
	}
	return slices.ContainsFunc(c.Attrs, func(a graph.Attr) bool {
		switch v := a.Value.(type) {
		case float64:
			return !singles(v)
		case []float64:
			return !singles(v...)
		}
		return false
	})
}

// table has a row for each operator. An operator without one is a node of its own, said by its body if it has one.
var table = kit.NewTable(
	func(r *row) string { return r.Op },
	func(d *op.Def) row {
		if d.Body == "" {
			return row{Row: Row{Op: d.Name, Form: Alone}}
		}
		return row{Row: Row{Op: d.Name, Form: Own}}
	},
	elementwiseRows, reductionRows, shapeRows, indexRows, linearRows, windowRows, convRows, normRows, resizeRows,
	recurrentRows, regionRows, searchRows, integerRows, controlRows)
