package safetensors_test

import (
	"strings"
	"testing"

	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/internal/nnef/safetensors"
)

func TestHeaderLimit(t *testing.T) {
	for _, n := range []int{limits.SafetensorsHeader, limits.SafetensorsHeader + 1} {
		_, err := safetensors.Open(file("{}" + strings.Repeat(" ", n-2)))
		if (err == nil) != (n <= limits.SafetensorsHeader) {
			t.Errorf("a header of %d bytes: %v", n, err)
		}
	}
}
