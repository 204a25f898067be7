package export_test

import (
	"errors"
	"testing"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/testdata/networks"
	"github.com/concord-nn/concord/openvx/export"
)

// TestDocuments exports NNEF documents of the conformance cases that can be loaded, and runs what was exported: the bits must be the
// same, or the results within the tolerances that are announced.
func TestDocuments(t *testing.T) {
	var loaded, exported, near int
	reasons := make(map[string]int)
	networks.Documents(t, func(path string, g *graph.Graph) {
		loaded++
		m, err := export.New(g, export.Options{Float: export.Float32})
		if err != nil {
			var refused *export.Error
			if !errors.As(err, &refused) {
				t.Errorf("%s: %v", path, err)
				return
			}
			for _, r := range refused.Refusals {
				reasons[r.Op+": "+numerals.ReplaceAllString(r.Reason, "#")]++
			}
			return
		}
		exported++
		tolerance := 0.0
		for _, a := range m.Approximations {
			tolerance = max(tolerance, a.Tolerance)
		}
		inputs := inputsOf(t, g, 1, 1)
		got, want := runs(t, m, inputs), run(t, g, inputs)
		same := true
		for name, w := range want {
			if equal(got[name], w) {
				continue
			}
			same = false
			if far := distance(got[name], w); far > tolerance {
				t.Errorf("%s: output %s differs by %v; %v is announced", path, name, far, tolerance)
			}
		}
		if !same {
			near++
		}
	})
	t.Logf("%d documents are loaded, %d exported, %d of them with equal bits", loaded, exported, exported-near)
	for why, n := range reasons {
		t.Logf("%3d %s", n, why)
	}
}
