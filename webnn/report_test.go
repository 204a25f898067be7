package webnn_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/concord-nn/concord/tensor"
	"github.com/concord-nn/concord/webnn"
)

// TestCallMessages holds the messages about Go values to what a Go caller can write in their place.
func TestCallMessages(t *testing.T) {
	b, err := webnn.NewGraphBuilder(newContext(t, nil))
	if err != nil {
		t.Fatal(err)
	}
	x, err := b.Input("x", webnn.OperandDescriptor{DataType: tensor.Float32, Shape: tensor.Shape{2, 3}})
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		method  string
		args    []any
		options webnn.Options
		want    string // of the error; "" if there is none
	}{
		{"softmax", []any{x, int64(1)}, nil, "axis: the value is int64; it must be an int"},
		{"softmax", []any{x, 1}, webnn.Options{"lable": "a"}, `there is no option "lable"; the options are: label`},
		{"reshape", []any{x, []int64{6}}, nil, "the value is []int64; it must be a []int"},
		{"reshape", []any{x, tensor.Shape{6}}, nil, ""},
		{"elu", []any{x}, webnn.Options{"alpha": "1"}, "alpha: the value is string; it must be a float64"},
		{"elu", []any{x}, webnn.Options{"alpha": float32(0.5)}, ""},
		{"clamp", []any{x}, webnn.Options{"minValue": float32(0), "maxValue": float32(1)}, ""},
		{"matmul", []any{x, nil}, nil, "b: the value is <nil>; it must be an *Operand"},
	} {
		_, err := b.Call(tt.method, tt.args, tt.options)
		if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: the error is %v; want %q", tt.method, err, tt.want)
		}
	}
	for _, tt := range []struct {
		d    tensor.DType
		data any
		want string
	}{
		{tensor.Int64, []int{1}, "the buffer is a []int; for int64 it must be a []int64 or []byte"},
		{tensor.Float16, []float32{1}, "it must be a []tensor.F16, a []uint16 with the bits, or []byte"},
		{tensor.Uint8, nil, "the buffer is nil; it must be a []uint8"},
	} {
		_, err := b.Constant(webnn.OperandDescriptor{DataType: tt.d, Shape: tensor.Shape{1}}, tt.data)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%v: the error is %v; want %q", tt.d, err, tt.want)
		}
	}
}

// TestRetryAfterDeadline names the reason for which a builder can not build any more.
func TestRetryAfterDeadline(t *testing.T) {
	b, err := webnn.NewGraphBuilder(newContext(t, nil))
	if err != nil {
		t.Fatal(err)
	}
	x, err := b.Input("x", webnn.OperandDescriptor{DataType: tensor.Float32, Shape: tensor.Shape{2}})
	if err != nil {
		t.Fatal(err)
	}
	y, err := b.Neg(x, nil)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithDeadline(t.Context(), time.Unix(0, 0))
	defer cancel()
	outputs := webnn.NamedOperands{"y": y}
	if _, err := b.Build(ctx, outputs); err == nil {
		t.Fatal("a build after its deadline succeeds")
	}
	if _, err := b.Build(t.Context(), outputs); err == nil || !strings.Contains(err.Error(), "its build has failed: context deadline exceeded") {
		t.Errorf("the error is %v", err)
	}
}

// TestLimitsAsJSON writes the value like the pointer.
func TestLimitsAsJSON(t *testing.T) {
	limits := newContext(t, nil).OpSupportLimits()
	value, err := json.Marshal(*limits)
	if err != nil {
		t.Fatal(err)
	}
	pointer, err := json.Marshal(limits)
	if err != nil || string(value) != string(pointer) || !strings.Contains(string(value), `"conv2d":{`) {
		t.Errorf("the value is %.100s; the pointer %.100s, %v", value, pointer, err)
	}
}
