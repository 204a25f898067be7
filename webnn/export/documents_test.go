package export_test

import (
	"errors"
	"testing"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/testdata/networks"
	"github.com/concord-nn/concord/webnn/export"
)

// TestDocuments exports NNEF documents of the conformance cases that can be loaded, and runs what was exported: the bits
// must be the same, or the results within the tolerance that is announced.
func TestDocuments(t *testing.T) {
	var loaded, exported, near int
	reasons := make(map[string]int)
	networks.Documents(t, func(path string, g *graph.Graph) {
		loaded++
		m, err := export.New(g, export.Options{})
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
		inputs := inputsOf(g, 1)
		got, want := run(t, replayed(t, m), inputs), run(t, g, inputs)
		same := true
		for name, w := range want {
			if !equal(got[name], w) {
				same = false
			}
			if far := distance(got[name], w); far > tolerance || tolerance == 0 && !equal(got[name], w) {
				t.Errorf("%s: output %s differs by %v; %v is announced", path, name, far, tolerance)
			}
		}
		if !same {
			near++
		}
	})
	t.Logf("%d documents are loaded, %d exported, %d of them with equal bits; refused: %v", loaded, exported, exported-near, reasons)
	if exported < loaded*8/10 {
		t.Errorf("only %d of %d documents are exported", exported, loaded)
	}
}
