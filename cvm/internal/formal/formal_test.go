package formal

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/concord-nn/concord/internal/testdata"
)

type operatorCase struct {
	ID, Op string
	Attrs  map[string]string
	Inputs []*Tensor
	Expect struct {
		Status       string
		Stage        string
		Outputs      []*Tensor
		GraphGas     int64  `json:"graph_gas"`
		GraphStorage int64  `json:"graph_storage"`
		ErrorClass   string `json:"error_class"`
	}
}

// TestConformance holds the evaluation against the shared cases, which tell what the text means where it can be read in two ways.
func TestConformance(t *testing.T) {
	files, _ := filepath.Glob(filepath.Join(testdata.Shared(t, "conformance", "cvm", "ops"), "*.json"))
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var cases []operatorCase
		if err := json.Unmarshal(text, &cases); err != nil {
			t.Fatal(err)
		}
		for _, c := range cases {
			t.Run(c.ID, func(t *testing.T) { checkCase(t, c) })
		}
	}
}

func checkCase(t *testing.T, c operatorCase) {
	for _, in := range c.Inputs {
		if in.Len() >= 1<<20 && in.Data == nil { // only gas and shapes are asked for
			return
		}
	}
	out, gas, err := Infer(c.Op, c.Attrs, c.Inputs, false)
	if c.Expect.Status != "ok" {
		var refusal *Refusal
		if !errors.As(err, &refusal) {
			t.Fatalf("accepted, but must be refused at %s", c.Expect.Stage)
		}
		if class := map[bool]string{true: "runtime", false: "logic"}[refusal.Runtime]; class != c.Expect.ErrorClass {
			t.Errorf("%v: class %s, want %s", err, class, c.Expect.ErrorClass)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, in := range c.Inputs {
		gas += 5 * in.Len()
	}
	if gas != c.Expect.GraphGas {
		t.Errorf("gas %d, want %d", gas, c.Expect.GraphGas)
	}
	evaluated := false
	if c.Inputs[0].Data != nil {
		if out, _, err = Eval(c.Op, c.Attrs, c.Inputs, false); err != nil {
			t.Fatal(err)
		}
		evaluated = true
	}
	for i, want := range c.Expect.Outputs {
		got := out[i]
		if !slices.Equal(got.Shape, want.Shape) || got.Precision != want.Precision {
			t.Errorf("output %d has shape %v and precision %d, want %v and %d", i, got.Shape, got.Precision, want.Shape, want.Precision)
		}
		if evaluated && want.Data != nil && !slices.Equal(got.Data, want.Data) {
			t.Errorf("output %d is %v, want %v", i, got.Data, want.Data)
		}
	}
}

// TestOperators names the operators in the count that the reference has.
func TestOperators(t *testing.T) {
	if n := len(Operators()); n != 37 {
		t.Errorf("%d operators, want 37", n)
	}
}
