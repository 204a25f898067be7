package operators_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/concord-nn/concord/cvm/fault"
	"github.com/concord-nn/concord/cvm/operators"
	"github.com/concord-nn/concord/internal/testdata"
	"github.com/concord-nn/concord/tensor"
)

// sharedCase is one case of the shared conformance data; see the README beside them.
type sharedCase struct {
	ID     string            `json:"id"`
	Op     string            `json:"op"`
	Attrs  map[string]string `json:"attrs"`
	Inputs []struct {
		Shape     tensor.Shape `json:"shape"`
		Precision int          `json:"precision"`
	} `json:"inputs"`
	Expect struct {
		Status  string `json:"status"`
		Stage   string `json:"stage"`
		Class   string `json:"error_class"`
		Outputs []struct {
			Shape     tensor.Shape `json:"shape"`
			Precision int          `json:"precision"`
		} `json:"outputs"`
		Gas int64 `json:"graph_gas"`
	} `json:"expect"`
}

// TestSharedCases judges the shared cases as far as this package decides them: everything but values and storage, with the deployed
// rules of precisions. CONCORD_CVM_OPS may name a folder with further cases of the same form.
func TestSharedCases(t *testing.T) {
	dir := os.Getenv("CONCORD_CVM_OPS")
	if dir == "" {
		dir = testdata.Shared(t, "conformance", "cvm", "ops")
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatal("no cases", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var cases []sharedCase
		if err := json.Unmarshal(text, &cases); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		for _, c := range cases {
			t.Run(c.ID, func(t *testing.T) { c.run(t) })
		}
	}
}

func (c *sharedCase) run(t *testing.T) {
	call, precisions, err := c.admit()
	if c.Expect.Status != "ok" {
		var e *fault.Error
		if !errors.As(err, &e) {
			t.Fatalf("accepted; want an error of class %s at %s", c.Expect.Class, c.Expect.Stage)
		}
		if e.Class.String() != c.Expect.Class || string(e.Stage) != c.Expect.Stage {
			t.Fatalf("%s error at %s: %v; want %s at %s", e.Class, e.Stage, e, c.Expect.Class, c.Expect.Stage)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	if len(call.Out) != len(c.Expect.Outputs) {
		t.Fatalf("%d outputs; want %d", len(call.Out), len(c.Expect.Outputs))
	}
	for i, want := range c.Expect.Outputs {
		if !call.Out[i].Equal(want.Shape) || precisions[i] != want.Precision {
			t.Errorf("output %d is %v with precision %d; want %v with %d", i, call.Out[i], precisions[i], want.Shape, want.Precision)
		}
	}
	if gas := gasOf(call); gas != c.Expect.Gas {
		t.Errorf("gas is %d; want %d", gas, c.Expect.Gas)
	}
}

// admit does what a graph of this one operator has to pass, with the checks that are package cvm's own.
func (c *sharedCase) admit() (*operators.Call, []int, error) {
	o, _ := operators.Lookup(c.Op)
	if o == nil {
		return nil, nil, fault.Runtimef(fault.Lookup, "no operator")
	}
	attrs, err := o.ParseAttrs(c.Attrs)
	if err != nil {
		return nil, nil, err
	}
	call := &operators.Call{Operator: o, Attrs: attrs, Compat: true}
	if err := o.CheckInputs(attrs, len(c.Inputs)); err != nil {
		return nil, nil, err
	}
	for _, in := range c.Inputs {
		if in.Precision == 0 || in.Precision < -1 || in.Precision > operators.MaxPrecision {
			return nil, nil, fault.Logicf(fault.Limits, "precision %d", in.Precision)
		}
		call.In = append(call.In, operators.Tensor{Shape: in.Shape, Precision: in.Precision})
	}
	if call.Out, err = o.Shapes(call); err != nil {
		return nil, nil, err
	}
	for _, in := range c.Inputs {
		if in.Precision < 0 {
			return nil, nil, fault.Logicf(fault.Precision, "precision not given")
		}
	}
	precisions, err := o.Precisions(call)
	if err != nil {
		return nil, nil, err
	}
	for _, p := range precisions {
		if p < 1 || p > operators.MaxPrecision {
			return nil, nil, fault.Logicf(fault.Precision, "precision %d", p)
		}
	}
	return call, precisions, nil
}

// gasOf is the gas of the graph with this operator and a variable for each operand.
func gasOf(c *operators.Call) int64 {
	base := int64(1)
	if c.Operator.Base != nil {
		base = c.Operator.Base(c)
	}
	gas := base * int64(c.Out[0].Len())
	for _, in := range c.In {
		gas += 5 * int64(in.Shape.Len())
	}
	for _, out := range c.Out {
		gas += 5 * int64(out.Len())
	}
	return gas
}
