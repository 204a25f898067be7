// Package refusal is what exporters have in common: the list of what a standard cannot express of a graph.
//
// An exporter looks at all nodes, so that its [Error] is complete. While it works on one, [Stop] ends that work from however deep in it, and
// [Caught], deferred where it began, has the reason.
package refusal

import (
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
	var b strings.Builder
	fmt.Fprintf(&b, "graph %s cannot be expressed in %s:", e.Graph, e.Standard)
	for i := range e.Refusals {
		b.WriteString("\n" + e.Refusals[i].String())
	}
	return b.String()
}

// stop is the panic of [Stop].
type stop struct{ reason string }

// Stop ends the work on a part of a graph, up to where [Caught] is deferred.
func Stop(format string, args ...any) { panic(stop{fmt.Sprintf(format, args...)}) }

// Caught must be deferred where the work on a part of a graph begins; it sets the reason if [Stop] has ended that. Other panics go on.
func Caught(why *string) {
	switch r := recover().(type) {
	case nil:
	case stop:
		*why = r.reason
	default:
		panic(r)
	}
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
