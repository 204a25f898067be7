package wasm_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/evaluate"
	"github.com/concord-nn/concord/internal/testdata"
	"github.com/concord-nn/concord/internal/testdata/single"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// TestOperators makes modules of generated cases of every operator, of which some operands are constants, and compares what they yield with the
// references, bit by bit.
func TestOperators(t *testing.T) {
	e, ok := evaluate.Find("wasm")
	if !ok {
		t.Fatal("there is no engine wasm")
	}
	const together = 4 // cases in a module: to compile one takes long
	for _, d := range op.All() {
		t.Run(d.Name, func(t *testing.T) {
			t.Parallel()
			for group := range uint64(testdata.Cases(1, 100/together)) {
				b := graph.NewBuilder(op.Rules, d.Name)
				inputs, want := make(map[string]*tensor.Tensor), make(map[string]*tensor.Tensor)
				for seed := group * together; seed < (group+1)*together; seed++ {
					addCase(t, b, d, seed, inputs, want)
				}
				g, err := b.Build()
				if err != nil {
					t.Fatal(err)
				}
				w, err := e.Open(g, evaluate.Options{})
				if err != nil {
					t.Fatalf("group %d: %v", group, err)
				}
				got, err := evaluate.Run(t.Context(), w, g, inputs)
				w.Close()
				if err != nil {
					t.Fatalf("group %d: %v", group, err)
				}
				for name, x := range want {
					if y := got[name]; !bytes.Equal(y.Bytes(), x.Bytes()) {
						t.Fatalf("%s is %v; want %v", name, y, x)
					}
				}
			}
		})
	}
}

// kernelTypes are the element types that most kernels work on.
var kernelTypes = op.TypeSet(tensor.Float32, tensor.Int8, tensor.Uint8)

// addCase adds an application of an operator to inputs and constants, and what it yields, if possible one of types that kernels work on.
func addCase(t *testing.T, b *graph.Builder, d *op.Def, seed uint64, inputs, want map[string]*tensor.Tensor) {
	t.Helper()
	r := op.NewRand(seed, 4)
	c := d.Draw(r)
	for range 8 {
		if x := c.In[0]; x != nil && !kernelTypes.Has(x.DType()) {
			c = d.Draw(r)
		}
	}
	results, err := op.Eval(d, c.In, c.Attrs, c.Blocks...)
	if err != nil {
		t.Fatal(err)
	}
	prefix := fmt.Sprintf("%d_", seed)
	single.Add(t, b, d, c, prefix, inputs, func(i int) bool { return [4]bool{false, i > 0, i == 1, i == 0}[seed%4] })
	for i, x := range results {
		want[fmt.Sprintf("%sout%d", prefix, i)] = x
	}
}
