package refusal_test

import (
	"fmt"

	"github.com/concord-nn/concord/internal/emit/refusal"
)

// An exporter asks each node what it becomes, and goes on behind one that becomes nothing.
func Example() {
	becomes := func(op string) (call, why string) {
		defer refusal.Caught(&why)
		if op == "loop" {
			refusal.Stop("there are no graphs within graphs")
		}
		return op + "()", ""
	}
	e := &refusal.Error{Standard: "Example", Graph: "net"}
	for i, op := range []string{"conv", "loop"} {
		if _, why := becomes(op); why != "" {
			e.Refusals = append(e.Refusals, refusal.Refusal{Op: op, Value: fmt.Sprint("y", i), Reason: why})
		}
	}
	fmt.Println(e)
	// Output:
	// graph net cannot be expressed in Example:
	// loop (value y1): there are no graphs within graphs
}
