package fmath

import (
	"testing"

	"github.com/concord-nn/concord/internal/fmath/fusetest"
	"github.com/concord-nn/concord/internal/testdata"
)

func TestNoFusedInstructions(t *testing.T) {
	testdata.Exhaustive(t, "it compiles for arm64")
	fusetest.Check(t, ".")
}
