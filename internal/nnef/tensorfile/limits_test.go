package tensorfile

import (
	"strings"
	"testing"

	"github.com/concord-nn/concord/internal/limits"
)

// TestExtentLimit has files whose items are not there: the extents are looked at before.
func TestExtentLimit(t *testing.T) {
	for _, n := range []uint32{limits.TensorFileExtent, limits.TensorFileExtent + 1} {
		_, _, err := Decode(file(0, 1, []uint32{n}, 8, uint16(Unsigned), Khronos))
		if err == nil || strings.Contains(err.Error(), "which is too large") != (n > limits.TensorFileExtent) {
			t.Errorf("an extent of %d: %v", n, err)
		}
	}
}
