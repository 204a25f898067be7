package session

import (
	"slices"
	"testing"

	"github.com/concord-nn/concord/webnn"
	"github.com/concord-nn/concord/webnn/internal/idl"
)

// TestInterface holds the members that a host has to the standard's declarations.
func TestInterface(t *testing.T) {
	known := make(map[string]bool)
	for _, i := range idl.WebNN.Interfaces {
		for _, o := range i.Operations {
			method := i.Name + "." + o.Name
			known[method] = true
			if m, ok := operations[method]; ok && m.async != (o.Result.Name == "Promise") {
				t.Errorf("%s returns a promise: %v", method, m.async)
			} else if !ok && (i.Name != "MLGraphBuilder" || !slices.Contains(webnn.Methods(), o.Name)) {
				t.Errorf("there is no %s", method)
			}
		}
		for _, a := range i.Attributes {
			known[i.Name+"."+a.Name] = true
		}
	}
	for method := range operations {
		if !known[method] {
			t.Errorf("the standard has no %s", method)
		}
	}
}
