package export_test

import (
	"math"
	"regexp"
	"testing"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/testdata/single"
	"github.com/concord-nn/concord/internal/testing/exported"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
	"github.com/concord-nn/concord/webnn"
	"github.com/concord-nn/concord/webnn/export"
)

// exporter builds the graph again from the calls.
var exporter = exported.Exporter{
	Rows: export.Table(),
	Export: func(t testing.TB, g *graph.Graph) (m exported.Model, err error) {
		c, err := webnn.ML{}.CreateContext(nil)
		if err != nil {
			t.Fatal(err)
		}
		b, err := webnn.NewGraphBuilder(c)
		if err != nil {
			t.Fatal(err)
		}
		var near []export.Approximation
		outputs, err := export.Build(b, g, export.Options{Approximate: func(a export.Approximation) { near = append(near, a) }})
		if err != nil {
			return m, err
		}
		again, err := b.Network(outputs)
		if err != nil {
			t.Fatal(err)
		}
		return computing(t, again, near), nil
	},
	Constants: func(r *op.Rand, operator string, c op.Case) func(i int) bool {
		mask := exported.Mask(r, operator, c)
		all := operator == "rescale" && r.IntN(4) > 0 // otherwise it is refused
		return func(i int) bool { return i > 0 && (all || mask(i)) }
	},
	Aside:    regexp.MustCompile("does not exist in WebNN"),
	Moderate: 1e18,
	Equal:    exported.Bits,
	Distance: func(got, want *tensor.Tensor) float64 { // leaves out what is infinite, and neighbouring 16-bit floats
		return single.Distance(got, want, func(i int, _, y float64) bool {
			if !want.DType().IsHalf() {
				return math.IsInf(y, 0)
			}
			n := int(tensor.Words[uint16](got)[i]) - int(tensor.Words[uint16](want)[i])
			return math.IsInf(y, 0) || -1 <= n && n <= 1
		})
	},
}

func computing(t testing.TB, g *graph.Graph, near []export.Approximation) exported.Model {
	return exported.Model{Tolerance: exported.Announced(near), Run: func(in map[string]*tensor.Tensor) (map[string]*tensor.Tensor, error) {
		return exported.Run(t, g, in), nil
	}}
}

// TestOperators exports generated cases of every operator.
func TestOperators(t *testing.T) { exporter.Operators(t, 48, 600) }

// FuzzOperators does so for seeds.
func FuzzOperators(f *testing.F) { exporter.Fuzz(f) }

// TestDocuments exports NNEF documents of the conformance cases, and reads the files that they become.
func TestDocuments(t *testing.T) {
	files := exporter
	files.Export = func(t testing.TB, g *graph.Graph) (exported.Model, error) {
		m, err := export.New(g, export.Options{})
		if err != nil {
			return exported.Model{}, err
		}
		return computing(t, replayed(t, m), m.Approximations), nil
	}
	files.Documents(t, 0.8)
}
