package export_test

import (
	"bytes"
	"math"
	"regexp"
	"testing"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/kit"
	"github.com/concord-nn/concord/internal/testdata/single"
	"github.com/concord-nn/concord/internal/testing/exported"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/openvx"
	"github.com/concord-nn/concord/openvx/export"
	"github.com/concord-nn/concord/tensor"
)

// exporter builds networks in float32.
var exporter = exported.Exporter{
	Rows: export.Table(),
	Export: func(t testing.TB, g *graph.Graph) (exported.Model, error) {
		n, err := export.New(g, export.Options{Float: export.Float32})
		if err != nil {
			return exported.Model{}, err
		}
		return exported.Model{Tolerance: exported.Announced(n.Approximations), Run: func(in map[string]*tensor.Tensor) (map[string]*tensor.Tensor, error) {
			return built(t, n).Run(n, in)
		}}, nil
	},
	Constants: func(r *op.Rand, operator string, c op.Case) func(i int) bool {
		if len(c.In) > 1 && c.In[0] != nil && c.In[1] != nil && c.In[0].DType() == tensor.Float16 {
			return nil // in float32 halves are rounded less often
		}
		if operator == "conv" && !single.Moderate(c, 1e9) {
			return nil // zeros around a filter make NaN of what is infinite
		}
		constants := 1<<len(c.In) - 1
		if r.IntN(4) == 0 {
			constants = r.IntN(1 << len(c.In))
		}
		return func(i int) bool { return i > 0 && constants>>i&1 == 1 }
	},
	Aside: regexp.MustCompile("layers do not compute with elements|it has no exact expression for elements|no elements"),
	Rare: func(r kit.Row) bool { // tables are for Q7.8
		return r.Op == "deconv" || r.To == "vxTensorTableLookupNode" && r.Op != "lookup"
	},
	Moderate: 1e9,
	Equal:    equal,
	Distance: distance,
}

// built makes a network in a context of its own, and verifies it.
func built(t testing.TB, n *export.Network) *export.Built {
	t.Helper()
	ctx, err := openvx.NewContext(openvx.Options{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	b, err := n.Build(ctx)
	if err == nil {
		err = b.Graph.Verify()
	}
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// runs returns the outputs of a network, in the types and shapes of its graph.
func runs(t testing.TB, n *export.Network, in map[string]*tensor.Tensor) map[string]*tensor.Tensor {
	t.Helper()
	out, err := built(t, n).Run(n, in)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestOperators exports generated cases of every operator.
func TestOperators(t *testing.T) { exporter.Operators(t, 300, 1000) }

// TestDocuments exports NNEF documents of the conformance cases.
func TestDocuments(t *testing.T) { exporter.Documents(t, 0) }

// equal reports whether two tensors have the same shape and numbers. Zeros may differ in their signs.
func equal(got, want *tensor.Tensor) bool {
	if got.DType() != want.DType() || !got.Shape().Equal(want.Shape()) {
		return false
	}
	if bytes.Equal(got.Contiguous().Bytes(), want.Contiguous().Bytes()) {
		return true
	}
	if !want.DType().IsFloat() {
		return false
	}
	a, _ := tensor.Cast(got, tensor.Float32)
	b, _ := tensor.Cast(want, tensor.Float32)
	for i, x := range tensor.Data[float32](a) {
		if y := tensor.Data[float32](b)[i]; x != y && (x == x || y == y) {
			return false
		}
	}
	return true
}

// distance leaves out what is infinite in want, and 16-bit floats within a hundredth.
func distance(got, want *tensor.Tensor) float64 {
	return single.Distance(got, want, func(_ int, x, y float64) bool {
		return math.IsInf(y, 0) || want.DType().IsHalf() && math.Abs(x-y) <= math.Abs(y)/100
	})
}
