package export

import (
	"testing"

	"github.com/concord-nn/concord/internal/geometry"
	"github.com/concord-nn/concord/internal/kit"
	"github.com/concord-nn/concord/internal/limits"
)

// TestLimits makes what is as large as is allowed, and refuses what is larger.
func TestLimits(t *testing.T) {
	attempt := kit.Try
	for name, c := range map[string]struct {
		most int
		make func(n int)
	}{
		"constants": {limits.ONNXMade, func(n int) { room(n) }},
		"positions": {limits.ONNXTaps, func(n int) { new(call).positions(&window{geometry.Window{Size: ints{n}}}) }},
	} {
		for _, n := range []int{c.most, c.most + 1} {
			if why := attempt(func() { c.make(n) }); (why == "") != (n == c.most) {
				t.Errorf("%s: %d give %q", name, n, why)
			}
		}
	}
}
