package nnef

import (
	"testing"

	"github.com/concord-nn/concord/internal/nnef/flat"
	"github.com/concord-nn/concord/internal/nnef/std"
)

// LowerWithin lowers a document whose graph may have so many nodes.
func LowerWithin(text string, most int) error {
	f, err := OpenText("doc", []byte(text), Options{})
	if err != nil {
		return err
	}
	fg, err := f.flatten(flat.User, true, newInferrer(f))
	if err != nil {
		return err
	}
	d := newDocument(f, f.source)
	d.most = most
	_, err = d.build(fg)
	return err
}

// TractOperations returns the names of the operations that are lowered in tract's way.
func TractOperations() []string {
	names := make([]string, len(tractBindings))
	for i, b := range tractBindings {
		names[i] = b.name
	}
	return names
}

// TestTractBindings holds the table to the declarations.
func TestTractBindings(t *testing.T) {
	for _, f := range std.Tract().Fragments() {
		name := f.Name.Name
		o := new(tract).declared(name)
		if own := o.Apply != nil || o.Rewrite != nil; own == (tractOverrides[name] != nil) {
			t.Errorf("%s has a row: %v, and is evaluated otherwise: %v", name, !own, own)
		}
	}
	if len(tractOverrides) != len(tractBindings) {
		t.Error("two rows have one name")
	}
	for name := range tractOverrides {
		if _, ok := std.Tract().Lookup(name); ok {
			continue
		}
		if _, ok := std.Lookup(name); !ok {
			t.Errorf("%s has a row and no declaration", name)
		}
	}
}
