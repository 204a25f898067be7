package fmath

import (
	"testing"

	"github.com/concord-nn/concord/internal/fmath/fusetest"
)

func TestNoFusedInstructions(t *testing.T) { fusetest.Check(t, ".") }
