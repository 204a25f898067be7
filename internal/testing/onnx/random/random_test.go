package random_test

import (
	"testing"

	"github.com/concord-nn/concord/internal/testdata"
	"github.com/concord-nn/concord/internal/testing/onnx/random"
)

// TestOf makes many models of every operator.
func TestOf(t *testing.T) {
	for _, op := range random.Ops() {
		func() {
			defer func() {
				if x := recover(); x != nil {
					t.Errorf("%s: %v", op, x)
				}
			}()
			for seed := range uint64(testdata.Cases(60, 300)) {
				random.Of(op, seed)
			}
		}()
	}
}
