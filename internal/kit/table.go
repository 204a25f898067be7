package kit

import (
	"sync"

	"github.com/concord-nn/concord/op"
)

// Form is how an operator is expressed.
type Form string

// The forms.
const (
	Direct     Form = "direct"     // the target has what means the same
	Decomposed Form = "decomposed" // several things of the target together mean the same, or nearly
	Free       Form = "free"       // nothing is needed
	Body       Form = "body"       // the definition says it in simpler operators
	Refused    Form = "refused"    // the target has no means for it
)

// Row says how one operator is expressed.
type Row struct {
	Op   string
	Form Form
	To   string // what of the target expresses it, or why it is refused
	// Tolerance is the greatest difference between the operator and what it becomes, relative to max(1, |result|). Zero means equal bits.
	Tolerance float64
	Note      string // what is expressed otherwise, or refused; may be empty
}

// Table has a row of type R, which is or holds what an exporter knows of an operator, for each operator, in the order of op.All. It is made when it is
// first asked.
type Table[R any] struct {
	make func() ([]R, map[string]int)
}

// NewTable arranges the rows of families by the names of their operators. The others get what missing says.
func NewTable[R any](name func(r *R) string, missing func(d *op.Def) R, families ...[]R) *Table[R] {
	return &Table[R]{sync.OnceValues(func() (rows []R, by map[string]int) {
		given := make(map[string]*R)
		for _, f := range families {
			for i := range f {
				given[name(&f[i])] = &f[i]
			}
		}
		by = make(map[string]int)
		for _, d := range op.All() {
			by[d.Name] = len(rows)
			if r := given[d.Name]; r != nil {
				rows = append(rows, *r)
			} else {
				rows = append(rows, missing(d))
			}
		}
		return rows, by
	})}
}

// Described returns what is said of all rows.
func Described[R, D any](t *Table[R], describe func(r *R) D) []D {
	rows, _ := t.make()
	out := make([]D, len(rows))
	for i := range rows {
		out[i] = describe(&rows[i])
	}
	return out
}

// Of returns the row of an operator.
func (t *Table[R]) Of(op string) *R {
	rows, by := t.make()
	return &rows[by[op]]
}
