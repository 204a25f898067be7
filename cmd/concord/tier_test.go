package main

import (
	"strings"
	"testing"

	"github.com/concord-nn/concord/internal/simd"
)

// TestTier refuses an environment that names no tier of this processor, whatever the command is.
func TestTier(t *testing.T) {
	t.Setenv(simd.Variable, "abacus")
	if out, code := execute(t, "run", digits(t, "model.nnef"), "--random"); code != exitUsage || !strings.Contains(out, "CONCORD_TIER=abacus: this processor has no such tier; it has ") {
		t.Errorf("code %d: %s", code, out)
	}
	t.Setenv(simd.Variable, "portable")
	if out, code := execute(t, "run", digits(t, "model.nnef"), "--random"); code != 0 {
		t.Errorf("code %d: %s", code, out)
	}
}
