package op_test

import (
	"testing"

	"github.com/concord-nn/concord/internal/testdata"
	"github.com/concord-nn/concord/internal/testing/fusetest"
)

// TestNotFused holds the kernels to rounding where the source says so, on a processor that could fuse.
func TestNotFused(t *testing.T) {
	testdata.Exhaustive(t, "it compiles for arm64")
	fusetest.Check(t, "github.com/concord-nn/concord/op")
}
