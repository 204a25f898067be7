package near_test

import (
	"strings"
	"testing"

	"github.com/concord-nn/concord/internal/near"
)

func TestBest(t *testing.T) {
	names := []string{"relu", "prelu", "conv", "deconv", "max_pool", "x"}
	for name, want := range map[string]string{
		"rleu": "relu", "conv2": "conv", "maxpool": "max_pool", "CONV": "conv", "z": "", "softmax": "", "relu": "prelu", "": "", strings.Repeat("x", 1000): "",
	} {
		if got := near.Best(name, names); got != want {
			t.Errorf("%s: %q; want %q", name, got, want)
		}
	}
}
