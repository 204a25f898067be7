package export_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/concord-nn/concord/cvm"
	"github.com/concord-nn/concord/cvm/export"
	"github.com/concord-nn/concord/cvm/symbol"
	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/tensor"
)

// TestUnusedLimit exports a model with a parameter that no result depends on.
func TestUnusedLimit(t *testing.T) {
	const rows = limits.CVMUnused >> 13
	f, err := export.FromGraph(parse(t, "extension concord_type x int8; graph g( x ) -> ( y ) { x = external<integer>(shape = [1,2]); y = relu(x); }"), export.Options{})
	if err != nil {
		t.Fatal(err)
	}
	g, err := cvm.Formal(f)
	if err != nil {
		t.Fatal(err)
	}
	s, err := symbol.Parse(f.Symbol)
	if err != nil {
		t.Fatal(err)
	}
	s.Nodes, s.Heads[0].Node = slices.Insert(s.Nodes, 1, symbol.Node{Op: symbol.Variable, Name: "w"}), 2
	s.OpAttrs, s.StorageID, s.Precision = append(s.OpAttrs, "{}"), []int{0, 1, 2}, []int{8, 8, -1}
	for _, n := range []int{rows, rows + 1} {
		var notes []string
		s.Shape = []tensor.Shape{{1, 2}, {n, 8192}, {1, 2}}
		_, err := export.FromGraph(g, export.Options{Note: func(note string) { notes = append(notes, note) }, Statements: []string{symbolOf(t, s)}})
		if err != nil || len(notes) != 1 || strings.Contains(notes[0], "no result depends on have more than") != (n > rows) {
			t.Errorf("%d rows: %v, %q", n, err, notes)
		}
	}
}
