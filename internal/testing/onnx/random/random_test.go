package random

import "testing"

// TestOf makes many models of every operator.
func TestOf(t *testing.T) {
	for _, op := range Ops() {
		func() {
			defer func() {
				if x := recover(); x != nil {
					t.Errorf("%s: %v", op, x)
				}
			}()
			for seed := range uint64(300) {
				Of(op, seed)
			}
		}()
	}
}
