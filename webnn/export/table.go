package export

import (
	"slices"

	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/webnn"
)

// Form is how an operator is expressed.
type Form string

// The forms.
const (
	Direct     Form = "direct"     // a method means the same
	Decomposed Form = "decomposed" // several methods together mean the same, or nearly
	Body       Form = "body"       // the operator's body says it in other operators
	Refused    Form = "refused"    // WebNN has no means for it
)

// Row says how one operator is expressed.
type Row struct {
	Op   string
	Form Form
	To   string // the methods, or why it is refused
	// Tolerance is the greatest difference between the operator and what it becomes, relative to max(1, |result|). Zero
	// means equal bits.
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

// row is a row with what makes the calls.
type row struct {
	Row
	emit func(c *call) []*webnn.Operand
}

// rows has a row for each operator of package op.
var rows = arrange(slices.Concat(
	elementwiseRows,
	reductionRows,
	layerRows,
	windowRows,
	tapRows,
	convRows,
	resizeRows,
	shapeRows,
	indexRows,
	integerRows,
	refusedRows,
))

var rowOf = func() map[string]*row {
	m := make(map[string]*row, len(rows))
	for i := range rows {
		m[rows[i].Op] = &rows[i]
	}
	return m
}()

// arrange brings rows into the order of the operators. An operator without a row is expressed by its body or refused.
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
			r = row{Row{d.Name, Body, "", d.BodyTol, ""}, func(c *call) []*webnn.Operand { return c.byBody(c.d) }}
		default:
			r = refusedRow(d.Name, "no methods are known that express it")
		}
		out = append(out, r)
	}
	return out
}

// refusedRows are operators that WebNN has no means for.
var refusedRows = []row{
	refusedRow("avg_roi_pool", "the extents of the regions are data, and WebNN fixes every extent when a graph is built"),
	refusedRow("max_roi_pool", "the extents of the regions are data, and WebNN fixes every extent when a graph is built"),
	refusedRow("roi_pool", "the extents of the regions are data, and WebNN fixes every extent when a graph is built"),
	refusedRow("roi_resample", "WebNN does not sample at places that are data"),
	refusedRow("non_max_suppression", "WebNN has neither sorting nor loops over data"),
	refusedRow("valid_count", "WebNN does not move rows to places that depend on data"),
	refusedRow("box_suppression", "WebNN has neither sorting nor loops over data"),
	refusedRow("if", "WebNN evaluates no graphs within graphs"),
	refusedRow("loop", "WebNN evaluates no graphs within graphs"),
	refusedRow("scan", "WebNN evaluates no graphs within graphs"),
}

func refusedRow(name, why string) row {
	return row{Row{Op: name, Form: Refused, To: why}, func(*call) []*webnn.Operand {
		refuse("%s", why)
		return nil
	}}
}

// direct is a row of an operator that a method means.
func direct(name, method string, emit func(c *call) []*webnn.Operand, note ...string) row {
	r := row{Row{Op: name, Form: Direct, To: method}, emit}
	if len(note) > 0 {
		r.Note = note[0]
	}
	return r
}

// decomposed is a row of an operator that several methods express.
func decomposed(name, methods string, tolerance float64, emit func(c *call) []*webnn.Operand, note ...string) row {
	r := row{Row{Op: name, Form: Decomposed, To: methods, Tolerance: tolerance}, emit}
	if len(note) > 0 {
		r.Note = note[0]
	}
	return r
}

// rewritten is a row of an operator without a body of its own that this body expresses.
func rewritten(name, methods string, tolerance float64, body string) row {
	with := *lookup(name)
	with.Body, with.BodyTol = body, tolerance
	return decomposed(name, methods, tolerance, func(c *call) []*webnn.Operand { return c.byBody(&with) })
}
