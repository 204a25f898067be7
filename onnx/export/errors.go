package export

import (
	"fmt"
	"strings"
)

// Refusal is one part of a graph that cannot be expressed.
type Refusal struct {
	Op     string // the operator, or "input", "output", "constant" or "state"
	Label  string // the label of the node; may be empty
	Value  string // the name of the first result, or of the input, output, constant or state
	Reason string
}

// String writes the refusal as "conv [first] (value y): the reason".
func (r *Refusal) String() string {
	s := r.Op
	if r.Label != "" {
		s += " [" + r.Label + "]"
	}
	return fmt.Sprintf("%s (value %s): %s", s, r.Value, r.Reason)
}

// Error lists all parts of a graph that cannot be expressed in ONNX.
type Error struct {
	Graph    string // its name
	Refusals []Refusal
}

// Error writes a line for each of them.
func (e *Error) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "graph %s cannot be expressed in ONNX:", e.Graph)
	for i := range e.Refusals {
		b.WriteString("\n" + e.Refusals[i].String())
	}
	return b.String()
}

// stop is the panic that ends the emission of one node; [stopped] catches it.
type stop struct{ reason string }

// refuse ends the emission of a node.
func refuse(format string, args ...any) { panic(stop{fmt.Sprintf(format, args...)}) }

// must returns a result, or ends the emission of a node.
func must[T any](x T, err error) T {
	if err != nil {
		refuse("%v", err)
	}
	return x
}

// stopped, deferred, is where an emission ends; it tells the reason.
func stopped(why *string) {
	switch r := recover().(type) {
	case nil:
	case stop:
		*why = r.reason
	default:
		panic(r)
	}
}
