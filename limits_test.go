package concord_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/concord-nn/concord"
	"github.com/concord-nn/concord/engine"
	"github.com/concord-nn/concord/internal/limits"
)

// TestLimitsOfFormats compiles models with fewer nodes than they have: what is admitted as a CVM model is compiled nonetheless, unless a limit is given.
func TestLimitsOfFormats(t *testing.T) {
	before := engine.DefaultLimits
	t.Cleanup(func() { engine.DefaultLimits = before })
	engine.DefaultLimits.Nodes = 1
	for path, refused := range map[string]bool{"cmd/concord/testdata/cvm/strokes": false, "examples/digits/model.nnef": true} {
		m, err := concord.Open(filepath.FromSlash(path))
		if err != nil {
			t.Fatal(err)
		}
		defer m.Close()
		for given, refused := range map[int]bool{0: refused, 1: true} {
			p, err := m.Compile(concord.Options{Limits: engine.Limits{Nodes: given}})
			if e, ok := errors.AsType[*engine.LimitError](err); ok != refused || ok && e.Allowed != 1 {
				t.Errorf("%s with a limit of %d nodes: %v", path, given, err)
			}
			if err == nil {
				p.Close()
			}
		}
	}
}

// TestMemoryFollowsTheMachine has no limit of memory: what is left counts.
func TestMemoryFollowsTheMachine(t *testing.T) {
	large := filepath.Join(t.TempDir(), "large.nnef")
	text := "version 1.0;\ngraph g(x) -> (y)\n{\n    x = external<scalar>(shape = [1048576, 1048576, 64]);\n    y = neg(x);\n}\n"
	if err := os.WriteFile(large, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	m, err := concord.Open(large)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	_, err = m.Compile(concord.Options{})
	e, ok := errors.AsType[*engine.LimitError](err)
	if !ok || e.What != "memory" {
		t.Fatal(err)
	}
	left, known := limits.Free()
	if !known && e.Allowed != limits.EngineMemory || e.Allowed < limits.EngineMemoryLeast || known && e.Allowed > max(2*left, limits.EngineMemoryLeast) {
		t.Errorf("a model may take %d bytes; %d are left, %v", e.Allowed, left, known)
	}
}
