package operators_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/concord-nn/concord/cvm/fault"
	"github.com/concord-nn/concord/internal/cvm/operators"
	"github.com/concord-nn/concord/internal/limits"
)

// TestLimitsAreReached has shapes and attributes that are as large as is allowed, and larger.
func TestLimitsAreReached(t *testing.T) {
	for name, c := range map[string]struct {
		most int
		make func(n int) error
	}{
		"rank":     {limits.CVMRank, func(n int) error { return operators.CheckShape(slices.Repeat(s{1}, n)) }},
		"extent":   {limits.CVMExtent, func(n int) error { return operators.CheckShape(s{n}) }},
		"elements": {limits.CVMElements / limits.CVMExtent, func(n int) error { return operators.CheckShape(s{limits.CVMExtent, n}) }},
		"attribute": {limits.CVMAttr, func(n int) error {
			_, err := call(t, "tile", dict{"reps": fmt.Sprintf("(%d,)", n)}, s{1})
			return err
		}},
	} {
		for _, n := range []int{c.most, c.most + 1} {
			if err := c.make(n); (err == nil) != (n == c.most) || err != nil && fault.ClassOf(err) != fault.Logic {
				t.Errorf("%s: %d give %v", name, n, err)
			}
		}
	}
}
