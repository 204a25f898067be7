package openvx

import (
	"fmt"
	"testing"
)

// TestZeroValues calls objects that nobody has made: they have nothing, and what returns errors says so.
func TestZeroValues(t *testing.T) {
	for _, r := range []Reference{
		&Context{}, &Graph{}, &Node{}, &Kernel{}, &Parameter{}, &Tensor{}, &Scalar{}, &LUT{}, &Image{}, &Delay{}, &ObjectArray{}, &MetaFormat{},
	} {
		if r.Name() != "" || r.Count() != 0 {
			t.Errorf("%T has the name %q and %d references", r, r.Name(), r.Count())
		}
		wantStatus(t, fmt.Sprintf("%T", r), r.Release(), ErrorInvalidReference)
	}
	wantStatus(t, "verify", (&Graph{}).Verify(), ErrorInvalidReference)
	wantStatus(t, "read", (&Tensor{}).Read([]uint8{}), ErrorInvalidReference)
	_, err := (&Context{}).CreateGraph()
	wantStatus(t, "create", err, ErrorInvalidReference)
	if l, d := (&LUT{}), (&Delay{}); l.Kind() != TypeInvalid || l.Size() != 0 || l.Offset() != 0 || d.Kind() != TypeInvalid {
		t.Error("a table or a delay of nothing has a type")
	}
}
