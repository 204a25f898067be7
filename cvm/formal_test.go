package cvm_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/concord-nn/concord/cvm/fault"
	"github.com/concord-nn/concord/internal/testing/cvm/cases"
	"github.com/concord-nn/concord/internal/testing/cvm/formal"
)

// TestFormalConformance holds the evaluation written from the text against the shared cases, which tell what the text means where it can be read in two ways.
func TestFormalConformance(t *testing.T) { cases.Operators(t, checkCase) }

// formalTensors returns operands or results in the form of package formal.
func formalTensors(list []cases.Tensor) []*formal.Tensor {
	out := make([]*formal.Tensor, len(list))
	for i, x := range list {
		out[i] = &formal.Tensor{Precision: x.Precision}
		for _, d := range x.Shape {
			out[i].Shape = append(out[i].Shape, int64(d))
		}
		for _, v := range x.Data {
			out[i].Data = append(out[i].Data, int64(v))
		}
	}
	return out
}

func checkCase(t *testing.T, c *cases.Operator) {
	in, want := formalTensors(c.Inputs), formalTensors(c.Expect.Outputs)
	for _, x := range in {
		if x.Len() >= 1<<20 && x.Data == nil { // only gas and shapes are asked for
			return
		}
	}
	out, gas, err := formal.Infer(c.Op, c.Attrs, in, false)
	if c.Refused() {
		var refusal *formal.Refusal
		if !errors.As(err, &refusal) {
			t.Fatalf("accepted, but must be refused at %s", c.Expect.Stage)
		}
		if class := map[bool]fault.Class{true: fault.Runtime, false: fault.Logic}[refusal.Runtime]; class != c.Expect.Class {
			t.Errorf("%v: class %v, want %v", err, class, c.Expect.Class)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range in {
		gas += 5 * x.Len()
	}
	if c.Expect.Gas != nil && gas != *c.Expect.Gas {
		t.Errorf("gas %d, want %d", gas, *c.Expect.Gas)
	}
	evaluated := false
	if in[0].Data != nil {
		if out, _, err = formal.Eval(c.Op, c.Attrs, in, false); err != nil {
			t.Fatal(err)
		}
		evaluated = true
	}
	for i, want := range want {
		got := out[i]
		if !slices.Equal(got.Shape, want.Shape) || got.Precision != want.Precision {
			t.Errorf("output %d has shape %v and precision %d, want %v and %d", i, got.Shape, got.Precision, want.Shape, want.Precision)
		}
		if evaluated && want.Data != nil && !slices.Equal(got.Data, want.Data) {
			t.Errorf("output %d is %v, want %v", i, got.Data, want.Data)
		}
	}
}

// TestFormalOperators names the operators in the count that the reference has.
func TestFormalOperators(t *testing.T) {
	if n := len(formal.Operators()); n != 37 {
		t.Errorf("%d operators, want 37", n)
	}
}
