package tract

import (
	"testing"

	"github.com/concord-nn/concord/internal/nnef/std"
)

// TestRows holds the rows to the declarations.
func TestRows(t *testing.T) {
	for _, f := range std.Tract().Fragments() {
		name := f.Name.Name
		o := new(Library).declared(name)
		if o != nil && f.Body == nil && o.Apply == nil && rows[name] == nil && name != "tract_core_external" {
			t.Errorf("%s has neither a row nor a body", name)
		}
		if f.Body != nil && rows[name] != nil {
			t.Errorf("%s has a row and a body", name)
		}
	}
	for name := range rows {
		if new(Library).declared(name) == nil {
			t.Errorf("%s has a row and no declaration", name)
		}
	}
}
