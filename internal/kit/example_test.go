package kit_test

import (
	"fmt"

	"github.com/concord-nn/concord/internal/kit"
)

// An exporter asks each node what it becomes, and goes on behind one that becomes nothing.
func ExampleTry() {
	becomes := func(op string) (call string) {
		if op == "loop" {
			kit.Refuse("there are no graphs within graphs")
		}
		return op + "()"
	}
	var refused kit.List
	for i, op := range []string{"conv", "loop"} {
		if why := kit.Try(func() { becomes(op) }); why != "" {
			refused.Add(op, "", fmt.Sprint("y", i), why)
		}
	}
	fmt.Println(refused.Err("Example", "net"))
	// Output:
	// graph net cannot be expressed in Example:
	// loop (value y1): there are no graphs within graphs
}
