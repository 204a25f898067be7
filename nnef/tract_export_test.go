package nnef

import (
	"maps"
	"slices"
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
	names := slices.Sorted(maps.Keys(tractRows))
	for _, f := range std.Tract().Fragments() {
		o := new(tract).declared(f.Name.Name)
		if o != nil && o.Apply == nil && o.Rewrite == nil {
			names = append(names, o.Name)
		}
	}
	return slices.DeleteFunc(names, func(name string) bool { return name == "tract_core_scan" })
}

// TestTractRows holds the rows to the declarations.
func TestTractRows(t *testing.T) {
	for _, f := range std.Tract().Fragments() {
		name := f.Name.Name
		o := new(tract).declared(name)
		if o != nil && f.Body == nil && o.Apply == nil && tractRows[name] == nil && name != "tract_core_external" {
			t.Errorf("%s has neither a row nor a body", name)
		}
		if f.Body != nil && tractRows[name] != nil {
			t.Errorf("%s has a row and a body", name)
		}
	}
	for name := range tractRows {
		if new(tract).declared(name) == nil {
			t.Errorf("%s has a row and no declaration", name)
		}
	}
}
