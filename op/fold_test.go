package op_test

import (
	"errors"
	"math"
	"testing"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// TestFolder asks for values that constants, an input and a state decide, within budgets and beyond.
func TestFolder(t *testing.T) {
	plenty := op.Budget{Bytes: math.MaxInt64, Operations: math.MaxInt64, Result: math.MaxInt64}
	for _, tt := range []struct {
		name   string
		budget op.Budget
		build  func(b drawn) *graph.Value
		want   string // its elements, "" if something else decides it
		what   string // of a BudgetError
	}{
		{"constant", op.Budget{}, func(b drawn) *graph.Value { return b.num(listOf[int32](1, 2)) }, "int32[2][1 2]", ""},
		{"sum", plenty, func(b drawn) *graph.Value { k := b.num(listOf[int32](1, 2)); return b.op("add", k, b.op("add", k, k)) }, "int32[2][3 6]", ""},
		{"input", plenty, func(b drawn) *graph.Value { return b.op("add", b.in("x", tensor.Int32), b.num(scalar(int32(1)))) }, "", ""},
		{"state", plenty, func(b drawn) *graph.Value { return b.op("copy", must(b.State("", "", scalar(int32(1))))) }, "", ""},
		{"absent operand", plenty, func(b drawn) *graph.Value {
			k := b.num(listOf[int32](1, 5))
			return must(b.One("clamp", []*graph.Value{k, nil, b.num(scalar(int32(3)))}, nil, ""))
		}, "int32[2][1 3]", ""},
		{"view", op.Budget{}, func(b drawn) *graph.Value {
			return must(b.One("reshape", []*graph.Value{b.num(listOf[int32](1, 2))}, graph.AttrsOf("shape", []int{2, 1}), ""))
		}, "int32[2,1][1 2]", ""},
		{"blocks", plenty, func(b drawn) *graph.Value {
			in := []*graph.Value{b.num(scalar(true)), b.num(listOf[int32](5, 6)), b.num(listOf[int32](1, 2))}
			return must(b.Add(graph.Node{Op: "if", In: in, Blocks: sumDifference()}))[0]
		}, "int32[2][6 8]", ""},
		{"bytes", op.Budget{Bytes: 100, Operations: 100, Result: 7}, func(b drawn) *graph.Value {
			return b.op("neg", b.num(listOf[int32](1, 2)))
		}, "", "bytes"},
		{"bytes of the operands", op.Budget{Bytes: 100, Operations: 100, Result: 7, Growth: 1}, func(b drawn) *graph.Value {
			return b.op("neg", b.num(listOf[int32](1, 2)))
		}, "int32[2][-1 -2]", ""},
		{"all bytes", op.Budget{Bytes: 15, Operations: 100, Result: 8}, func(b drawn) *graph.Value {
			return b.op("neg", b.op("neg", b.num(listOf[int32](1, 2))))
		}, "", "bytes"},
		{"bytes of blocks", op.Budget{Bytes: 100, Operations: 100, Result: 15}, func(b drawn) *graph.Value {
			in := []*graph.Value{b.num(scalar(true)), b.num(listOf[int32](5, 6)), b.num(listOf[int32](1, 2))}
			return must(b.Add(graph.Node{Op: "if", In: in, Blocks: sumDifference()}))[0]
		}, "", "bytes"},
		{"bytes of working memory", op.Budget{Bytes: 100, Operations: 100, Result: 35}, func(b drawn) *graph.Value {
			return b.op("det", b.num(must(listOf[float32](1, 2, 3, 4).Reshape(2, 2))))
		}, "", "bytes"},
		{"operations", op.Budget{Bytes: 100, Operations: 1, Result: 100}, func(b drawn) *graph.Value {
			return b.op("neg", b.num(listOf[int32](1, 2)))
		}, "", "operations"},
		{"of what is too dear", op.Budget{Bytes: 100, Operations: 1, Result: 100}, func(b drawn) *graph.Value {
			return must(b.One("max_reduce", []*graph.Value{b.op("neg", b.num(listOf[int32](1, 2)))}, axesOf(0), ""))
		}, "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			v := tt.build(drawn{graph.NewBuilder(op.Rules, "g")})
			f := op.NewFolder(tt.budget)
			for range 2 { // the second answer is the first one
				got, err := f.Constant(v)
				var over *op.BudgetError
				switch {
				case tt.what != "":
					if !errors.As(err, &over) || over.What != tt.what {
						t.Errorf("got %v, %v", got, err)
					}
				case err != nil:
					t.Error(err)
				case tt.want == "" && got != nil, tt.want != "" && (got == nil || written([]*tensor.Tensor{got}) != tt.want):
					t.Errorf("got %v; want %q", got, tt.want)
				}
			}
		})
	}
	if got, err := op.NewFolder(plenty).Constant(nil); got != nil || err != nil {
		t.Errorf("got %v, %v", got, err)
	}
	if _, err := (op.Budget{}).Eval(def("neg"), []*tensor.Tensor{scalar(int32(1))}, nil); err == nil || err.Error() != "neg: to evaluate it beforehand takes 4 bytes; at most 0 are allowed" {
		t.Errorf("got %v", err)
	}
}
