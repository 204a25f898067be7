package flat_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/internal/nnef/flat"
)

// TestLimits makes as many tensors as are allowed, and one more.
func TestLimits(t *testing.T) {
	copies := func(result string, n int) string {
		return fmt.Sprintf("%s = add_n(copy_n(x, times = %d)); ", result, n)
	}
	// Each statement adds one to the bound, which its result takes: the copies of y are one.
	full := copies("z", limits.FlatArray-1)
	for i := range limits.FlatTensors/limits.FlatArray - 1 {
		full += copies(fmt.Sprint("z", i), limits.FlatArray)
	}
	for name, c := range map[string]struct {
		body func(n int) string
		most int
		code string
	}{
		"copies": {func(n int) string { return copies("y", n) }, limits.FlatArray, "NNEF1101"},
		"parts": {func(n int) string {
			return fmt.Sprintf("u = variable(shape = [%d], label = 'u'); y = add_n(unstack(u, axis = 0));", n)
		}, limits.FlatArray, "NNEF1005"},
		"tensors": {func(n int) string { return full + copies("y", n) }, 1, "NNEF1005"},
	} {
		for _, n := range []int{c.most, c.most + 1} {
			_, err := flatten(head+"graph net( x ) -> ( y )\n{\nx = external(shape = [1,4]);\n"+c.body(n)+"\n}\n", flat.Options{Shapes: &fixed{}})
			if beyond := err != nil && strings.Contains(err.Error(), c.code); beyond != (n > c.most) || err != nil && !beyond {
				t.Errorf("%s: %d give %v", name, n, err)
			}
		}
	}
}
