package export

import (
	"slices"

	"github.com/concord-nn/concord/graph"
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
func Table() []Row {
	out := make([]Row, len(rows))
	for i := range rows {
		out[i] = rows[i].Row
	}
	return out
}

// row is a row with what adds the nodes.
type row struct {
	Row
	// exact adds nodes that package onnx reads as what gives the same bits. It returns nil, and adds nothing, where there are none.
	exact func(c *call) []val
	// body adds nodes that say the same, perhaps not to the bit, for a function; nil stands for the operator's own body.
	body func(c *call) []val
}

// standard adds nodes of the standard that mean the operator to the bit, if there are some.
func (r *row) standard(c *call) []val {
	if r.exact == nil || c.loses() {
		return nil
	}
	return r.exact(c)
}

// loses reports whether attributes of the standard, which are float32, lose digits of the operator's. Operators round numbers to the type in
// which they compute: to float32, unless it is float64.
func (c *call) loses() bool {
	if c.function || len(c.in) == 0 || c.in[0].DType != tensor.Float64 {
		return false
	}
	return slices.ContainsFunc(c.n.Attrs, func(a graph.Attr) bool {
		switch v := a.Value.(type) {
		case float64:
			return !singles(v)
		case []float64:
			return !singles(v...)
		}
		return false
	})
}

// rows has a row for each operator of package op.
var rows = arrange(slices.Concat(
	elementwiseRows,
	reductionRows,
	shapeRows,
	indexRows,
	linearRows,
	windowRows,
	convRows,
	normRows,
	resizeRows,
	recurrentRows,
	regionRows,
	searchRows,
	integerRows,
	controlRows,
))

var rowOf = func() map[string]*row {
	m := make(map[string]*row, len(rows))
	for i := range rows {
		m[rows[i].Op] = &rows[i]
	}
	return m
}()

// arrange brings rows into the order of the operators. An operator without a row is a node of its own, said by its body if it has one.
func arrange(list []row) []row {
	byName := make(map[string]row, len(list))
	for _, r := range list {
		byName[r.Op] = r
	}
	out := make([]row, 0, len(op.All()))
	for _, d := range op.All() {
		r, ok := byName[d.Name]
		switch {
		case ok:
		case d.Body != "":
			r = row{Row: Row{Op: d.Name, Form: Own}}
		default:
			r = row{Row: Row{Op: d.Name, Form: Alone}}
		}
		out = append(out, r)
	}
	return out
}
