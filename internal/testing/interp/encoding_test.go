package interp_test

import (
	"path/filepath"
	"testing"

	"github.com/concord-nn/concord/internal/testing/interp"
)

// TestEncodings looks at what Go's assembler makes of the routines for AVX2: no instruction is encoded as those of AVX-512 are, which the assembler
// does without a word where a register, a mask or the instruction itself asks for it.
func TestEncodings(t *testing.T) {
	files, err := filepath.Glob("../../simd/*_avx2_amd64.s")
	if err != nil || len(files) == 0 {
		t.Fatalf("no files: %v", err)
	}
	for _, file := range files {
		all := interp.Encodings(t, file)
		if len(all) == 0 {
			t.Errorf("%s: the assembler lists nothing", file)
		}
		for _, e := range all {
			if e.Wide {
				t.Errorf("%s: %s is encoded for AVX-512", e.Place, e.Text)
			}
		}
	}
}
