package export_test

import (
	"errors"
	"testing"

	"github.com/concord-nn/concord/engine"
	"github.com/concord-nn/concord/internal/testdata"
	"github.com/concord-nn/concord/nnef"
	"github.com/concord-nn/concord/webnn/export"
)

// TestDocuments exports NNEF documents of the conformance cases that can be loaded, and runs what was exported: the bits
// must be the same, or the results within the tolerance that is announced.
func TestDocuments(t *testing.T) {
	var loaded, exported, near int
	reasons := make(map[string]int)
	for _, path := range testdata.Documents(t) {
		n, err := nnef.Load(path, nnef.Options{})
		if err != nil {
			continue // cases of mistakes
		}
		defer n.Close()
		p, err := engine.Compile(n.Graph, engine.Options{Threads: 1})
		if err != nil {
			continue // cases of limits, and of shapes that are left open
		}
		p.Close()
		loaded++
		m, err := export.New(n.Graph, export.Options{Expand: nnef.ExpandBody})
		if err != nil {
			var refused *export.Error
			if !errors.As(err, &refused) {
				t.Errorf("%s: %v", path, err)
				continue
			}
			for _, r := range refused.Refusals {
				reasons[r.Op+": "+numerals.ReplaceAllString(r.Reason, "#")]++
			}
			continue
		}
		exported++
		tolerance := 0.0
		for _, a := range m.Approximations {
			tolerance = max(tolerance, a.Tolerance)
		}
		inputs := inputsOf(n.Graph, 1)
		got, want := run(t, replayed(t, m), inputs), run(t, n.Graph, inputs)
		same := true
		for name, w := range want {
			if !equal(got[name], w) {
				same = false
			}
			if far := distance(t, got[name], w); far > tolerance || tolerance == 0 && !equal(got[name], w) {
				t.Errorf("%s: output %s differs by %v; %v is announced", path, name, far, tolerance)
			}
		}
		if !same {
			near++
		}
	}
	t.Logf("%d documents are loaded, %d exported, %d of them with equal bits; refused: %v", loaded, exported, exported-near, reasons)
	if exported < loaded*8/10 {
		t.Errorf("only %d of %d documents are exported", exported, loaded)
	}
}
