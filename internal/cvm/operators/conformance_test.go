package operators_test

import (
	"errors"
	"testing"

	"github.com/concord-nn/concord/cvm/fault"
	"github.com/concord-nn/concord/internal/cvm/operators"
	"github.com/concord-nn/concord/internal/testing/cvm/cases"
)

// TestSharedCases judges the shared cases as far as this package decides them: everything but values and storage, with the deployed
// rules of precisions.
func TestSharedCases(t *testing.T) { cases.Operators(t, checkCase) }

func checkCase(t *testing.T, c *cases.Operator) {
	call, precisions, err := admit(c)
	if c.Refused() {
		var e *fault.Error
		if !errors.As(err, &e) {
			t.Fatalf("accepted; want an error of class %s at %s", c.Expect.Class, c.Expect.Stage)
		}
		if e.Class != c.Expect.Class || e.Stage != c.Expect.Stage {
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
	if gas := gasOf(call); c.Expect.Gas != nil && gas != *c.Expect.Gas {
		t.Errorf("gas is %d; want %d", gas, *c.Expect.Gas)
	}
}

// admit does what a graph of this one operator has to pass, with the checks that are package cvm's own.
func admit(c *cases.Operator) (*operators.Call, []int, error) {
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
	return call, precisions, err
}

// gasOf is the gas of the graph with this operator and a variable for each operand.
func gasOf(c *operators.Call) int64 {
	gas := c.Operator.Base(c) * int64(c.Out[0].Len())
	for _, in := range c.In {
		gas += 5 * int64(in.Shape.Len())
	}
	for _, out := range c.Out {
		gas += 5 * int64(out.Len())
	}
	return gas
}
