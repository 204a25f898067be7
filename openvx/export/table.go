package export

import (
	"slices"

	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// Form is how an operator is expressed.
type Form string

// The forms.
const (
	Direct     Form = "direct"     // a call means the same
	Decomposed Form = "decomposed" // several calls together mean the same, or nearly
	Free       Form = "free"       // no call is needed
	Refused    Form = "refused"    // OpenVX has no means for it
)

// Row says how one operator is expressed.
type Row struct {
	Op   string
	Form Form
	To   string // the calls, or why it is refused
	// Tolerance is the greatest difference between the operator and what it becomes in float32, relative to max(1, |result|). Zero means
	// equal bits.
	Tolerance float64
	Note      string // what is expressed otherwise, or refused; may be empty
}

// Table returns a row for each operator, in the order of op.All.
func Table() []Row {
	out := make([]Row, len(rows))
	for i := range rows {
		out[i] = rows[i].Row
	}
	return out
}

// row is a row with what makes the calls, for results of some types.
type row struct {
	Row
	types op.Types
	emit  func(c *call)
	wide  bool // integers that no tensor can have may be part of what a layer does: what reads them emits them
}

// rows has a row for each operator of package op.
var rows = arrange(slices.Concat(elementwiseRows, sumRows, windowRows, normRows, shapeRows, integerRows))

var rowOf = func() map[string]*row {
	m := make(map[string]*row, len(rows))
	for i := range rows {
		m[rows[i].Op] = &rows[i]
	}
	return m
}()

// arrange brings rows into the order of the operators. An operator without a row is refused.
func arrange(list []row) []row {
	byName := make(map[string]row, len(list))
	for _, r := range list {
		byName[r.Op] = r
	}
	out := make([]row, 0, len(op.All()))
	for _, d := range op.All() {
		r, ok := byName[d.Name]
		if !ok {
			r = row{Row{Op: d.Name, Form: Refused, To: "no layer computes it"}, anyType, func(*call) { refuse("no layer computes it") }, false}
		}
		out = append(out, r)
	}
	return out
}

// anyType are the types of tensors that calls can be about: all but those that OpenVX has no place for.
var anyType = op.Singles | op.Integers | op.Bools

// layerTypes are the types of elements that layers compute with.
var layerTypes = op.Singles | op.TypeSet(tensor.Int16, tensor.Uint8, tensor.Int8)

// direct is a row of an operator that a call means.
func direct(name, function string, types op.Types, emit func(c *call), note ...string) row {
	return noted(row{Row{Op: name, Form: Direct, To: function}, types, emit, false}, note)
}

// decomposed is a row of an operator that several calls express.
func decomposed(name, functions string, tolerance float64, types op.Types, emit func(c *call), note ...string) row {
	return noted(row{Row{Op: name, Form: Decomposed, To: functions, Tolerance: tolerance}, types, emit, false}, note)
}

// widening lets wide integers be part of what a layer does.
func widening(r row) row {
	r.wide = true
	return r
}

func noted(r row, note []string) row {
	if len(note) > 0 {
		r.Note = note[0]
	}
	return r
}
