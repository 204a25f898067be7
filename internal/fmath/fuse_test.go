package fmath

import (
	"testing"

	"github.com/concord-nn/concord/internal/testdata"
	"github.com/concord-nn/concord/internal/testing/fusetest"
)

func TestNoFusedInstructions(t *testing.T) {
	testdata.Exhaustive(t, "it compiles for arm64")
	fusetest.Check(t, ".")
}
