package engine_test

import (
	"testing"

	"github.com/concord-nn/concord/engine"
)

// TestZeroValues asks programs, sessions and units that nothing has made.
func TestZeroValues(t *testing.T) {
	var p engine.Program
	if p.Graph() != nil || len(p.Inputs())+len(p.Outputs())+len(p.Units()) > 0 || p.Cost().Ops != 0 || len(p.Plan().Buffers) > 0 {
		t.Error("the zero program has something")
	}
	if _, err := p.NewSession(); err == nil {
		t.Error("the zero program has a session")
	}
	if _, err := p.Run(t.Context(), nil); err == nil {
		t.Error("the zero program runs")
	}
	p.Close()
	var s engine.Session
	if s.Program() != nil || s.Input(0) != nil || s.Output(0) != nil || s.SetInput(0, nil) == nil || s.Run(t.Context()) == nil {
		t.Error("the zero session has something")
	}
	s.Reset()
	s.Observe(&engine.Observer{})
	var u engine.Unit
	if read, written := u.Traffic(); read+written > 0 || u.Converts() || !u.DType().IsFloat() {
		t.Error("the zero unit has something")
	}
}
