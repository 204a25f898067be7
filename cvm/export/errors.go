package export

import (
	"fmt"
	"strings"
)

// Refusal is why a part of a graph cannot be expressed by CVM.
type Refusal struct {
	Op     string // the operator; "input", "state", "constant" or "graph" for what is none
	Label  string // of the node; may be empty
	Value  string // the name of the value, or of the node's first result
	Reason string
}

// String names the node and the reason.
func (r Refusal) String() string {
	what := r.Op
	if r.Value != "" {
		what += " " + r.Value
	}
	if r.Label != "" && r.Label != r.Value {
		what += " [" + r.Label + "]"
	}
	return what + ": " + r.Reason
}

// Error lists all that CVM cannot express of a graph.
type Error struct {
	Graph    string
	Refusals []Refusal
}

// Error lists the refusals, one a line.
func (e *Error) Error() string {
	lines := []string{fmt.Sprintf("graph %s cannot be a model of CVM:", e.Graph)}
	for _, r := range e.Refusals {
		lines = append(lines, "  "+r.String())
	}
	return strings.Join(lines, "\n")
}

// stop ends the conversion of a node.
type stop struct{ reason string }

func refuse(format string, args ...any) { panic(stop{fmt.Sprintf(format, args...)}) }
