package wasm_test

import (
	"bytes"
	"testing"

	"github.com/concord-nn/concord/internal/evaluate"
	"github.com/concord-nn/concord/internal/testdata"
	"github.com/concord-nn/concord/internal/testdata/single"
	"github.com/concord-nn/concord/op"
)

// TestOperators makes modules of generated cases of every operator, and compares what they yield with the references, bit by bit.
func TestOperators(t *testing.T) {
	e, ok := evaluate.Find("wasm")
	if !ok {
		t.Fatal("there is no engine wasm")
	}
	for _, d := range op.All() { // to compile a module takes long
		t.Run(d.Name, func(t *testing.T) {
			t.Parallel()
			for seed := range uint64(testdata.Cases(1, 100)) {
				c := d.Draw(op.NewRand(seed, 4))
				want, err := op.Eval(d, c.In, c.Attrs, c.Blocks...)
				if err != nil {
					t.Fatal(err)
				}
				g, inputs := single.Graph(t, d, c, func(i int) bool { return (uint64(i)+seed)%3 == 0 })
				w, err := e.Open(g, evaluate.Options{})
				if err != nil {
					t.Fatalf("seed %d: %v", seed, err)
				}
				got, err := evaluate.Run(t.Context(), w, g, inputs)
				w.Close()
				if err != nil {
					t.Fatalf("seed %d: %v", seed, err)
				}
				for i, o := range g.Outputs {
					if y := got[o.Name]; !bytes.Equal(y.Bytes(), want[i].Bytes()) {
						t.Fatalf("seed %d: result %d is %v; want %v", seed, i, y, want[i])
					}
				}
			}
		})
	}
}
