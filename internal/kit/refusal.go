package kit

import (
	"cmp"
	"fmt"
	"strings"
)

// Refusal is one part of a graph that a standard cannot express.
type Refusal struct {
	Op     string // the operator, or "input", "output", "constant", "state" or "graph"
	Label  string // the label of the node; may be empty
	Value  string // the name of the first result, or of the input, output, constant or state; empty for a graph
	Reason string
}

// String writes the refusal as "conv [first] (value y): the reason".
func (r *Refusal) String() string {
	r = cmp.Or(r, new(Refusal))
	s := r.Op
	if r.Label != "" {
		s += " [" + r.Label + "]"
	}
	if r.Value != "" {
		s += " (value " + r.Value + ")"
	}
	return s + ": " + r.Reason
}

// Error lists all parts of a graph that a standard cannot express.
type Error struct {
	Standard string // "WebNN", …
	Graph    string // its name
	Refusals []Refusal
}

// Error writes a line for each of them.
func (e *Error) Error() string {
	e = cmp.Or(e, new(Error))
	var b strings.Builder
	fmt.Fprintf(&b, "graph %s cannot be expressed in %s:", e.Graph, e.Standard)
	for i := range e.Refusals {
		b.WriteString("\n" + e.Refusals[i].String())
	}
	return b.String()
}

// stop is the panic of [Refuse].
type stop struct{ reason string }

// Refuse ends the work on a part of a graph, up to where [Try] began it.
func Refuse(format string, args ...any) { panic(stop{fmt.Sprintf(format, args...)}) }

// Try works on a part of a graph, and returns the reason if [Refuse] has ended that. Other panics go on.
func Try(work func()) (why string) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case stop:
			why = r.reason
		default:
			panic(r)
		}
	}()
	work()
	return ""
}

// Must returns a result, or ends the work on a part of a graph.
func Must[T any](x T, err error) T {
	if err != nil {
		Refuse("%v", err)
	}
	return x
}

// List collects refusals.
type List []Refusal

// Add adds one with the fields of [Refusal].
func (l *List) Add(op, label, value, reason string) {
	*l = append(*l, Refusal{op, label, value, reason})
}

// Err returns an [Error] of the refusals, nil if there are none.
func (l List) Err(standard, graph string) error {
	if len(l) == 0 {
		return nil
	}
	return &Error{standard, graph, l}
}
