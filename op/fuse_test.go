package op

import (
	"testing"

	"github.com/concord-nn/concord/internal/fmath/fusetest"
)

// TestNotFused holds the kernels to rounding where the source says so, on a processor that could fuse.
func TestNotFused(t *testing.T) {
	fusetest.Check(t, "github.com/concord-nn/concord/op")
}
