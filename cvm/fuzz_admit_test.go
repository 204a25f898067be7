package cvm

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/concord-nn/concord/cvm/fault"
	"github.com/concord-nn/concord/engine"
	"github.com/concord-nn/concord/internal/testdata"
)

// FuzzAdmit admits hostile models in both modes, within bounds of memory.
func FuzzAdmit(f *testing.F) {
	for _, name := range testdata.Glob(f, "conformance", "cvm", "models", "*", "graph.json") {
		graph, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		params, err := os.ReadFile(filepath.Join(filepath.Dir(name), "params.bin"))
		if err != nil {
			f.Fatal(err)
		}
		if len(graph)+len(params) < 1<<14 {
			f.Add(graph, params)
		}
	}
	f.Fuzz(func(t *testing.T, graph, params []byte) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		gas, gasErr := Gas(graph)
		for _, compat := range []bool{false, true} {
			for _, file := range [][]byte{params, nil} {
				a, err := Admit(Files{Symbol: graph, Params: file}, Options{
					Compat: compat, Engine: engine.Options{Limits: engine.Limits{Memory: 16 << 20}}})
				switch {
				case err != nil:
					if e, ok := errors.AsType[*fault.Error](err); !ok || e.Class == fault.OK || e.Stage == "" || e.Error() == "" {
						t.Errorf("an error without class or stage: %v", err)
					}
				case compat && (gasErr != nil || gas != a.Gas):
					t.Errorf("gas is %d, %v, but admitted with %d", gas, gasErr, a.Gas)
				default:
					checkSums(t, a)
				}
			}
		}
		runtime.ReadMemStats(&after)
		if took := after.TotalAlloc - before.TotalAlloc; took > 1<<29+uint64(len(graph)+len(params))<<12 {
			t.Errorf("%d bytes were allocated for a model of %d", took, len(graph)+len(params))
		}
	})
}
