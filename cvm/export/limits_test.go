package export_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/concord-nn/concord/cvm"
	"github.com/concord-nn/concord/cvm/export"
	"github.com/concord-nn/concord/internal/limits"
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
	for _, n := range []int{rows, rows + 1} {
		var notes []string
		_, err := export.FromGraph(g, export.Options{Note: func(note string) { notes = append(notes, note) }, Statements: []string{"concord_cvm 'cvm_1.1.0' '' 2", "concord_cvm_variable 'data' 1,2 8 0",
			fmt.Sprintf("concord_cvm_variable 'w' %d,8192 8 1", n), "concord_cvm_node 'y' 'relu' '{}' 0 2"}})
		if err != nil || len(notes) != 1 || strings.Contains(notes[0], "no result depends on have more than") != (n > rows) {
			t.Errorf("%d rows: %v, %q", n, err, notes)
		}
	}
}
