package cvm

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"testing"

	"github.com/concord-nn/concord/cvm/fault"
)

// TestPlans runs models whose storage plans overlap tensors in use, and compares with what the deployed runtime returned, run after run:
// readings of what others have written, tails of longer tensors, parameters that stay overwritten, counts among their rows. Every form
// agrees, and strict mode refuses them all.
func TestPlans(t *testing.T) {
	text, err := os.ReadFile("testdata/plans.json")
	if err != nil {
		t.Fatal(err)
	}
	var plans []struct {
		Symbol          json.RawMessage
		Params          []byte
		Inputs, Outputs [][]byte
	}
	if err := json.Unmarshal(text, &plans); err != nil {
		t.Fatal(err)
	}
	for i, p := range plans {
		f := Files{Symbol: p.Symbol, Params: p.Params}
		if _, err := Load(f, Options{}); fault.ClassOf(err) != fault.Logic {
			t.Errorf("plan %d, strict: %v", i, err)
		}
		m, err := Load(f, Options{Compat: true})
		if err != nil {
			t.Fatalf("plan %d: %v", i, err)
		}
		for k, input := range p.Inputs {
			if got, err := m.Run(context.Background(), input); err != nil || !bytes.Equal(got, p.Outputs[k]) {
				t.Errorf("plan %d, run %d: %x, %v; want %x", i, k, got, err, p.Outputs[k])
			}
		}
		m.Close()
		heads(t, f, true, p.Inputs...)
	}
}
