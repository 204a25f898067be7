package concord

import (
	"testing"

	"github.com/concord-nn/concord/cvm"
	"github.com/concord-nn/concord/engine"
)

// TestLimitsOfFormats holds that what is admitted as a CVM model is compiled by the same limits.
func TestLimitsOfFormats(t *testing.T) {
	given := Options{Limits: engine.Limits{Time: 1}}
	if got, want := (&Model{cvm: &cvm.Model{}}).engine(&given).Limits, cvm.Limits(given.Limits); got != want || got.Nodes != -1 {
		t.Errorf("the limits of a CVM model are %+v; want %+v", got, want)
	}
	if got := (&Model{}).engine(&given).Limits; got != given.Limits {
		t.Errorf("the limits of another model are %+v; want %+v", got, given.Limits)
	}
}
