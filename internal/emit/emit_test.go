package emit_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/emit"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// counted counts what it hands on.
type counted struct {
	*graph.Builder
	added int
}

func (c *counted) Node(op string, in []*graph.Value, attrs graph.Attrs, label string, names ...string) ([]*graph.Value, error) {
	c.added++
	return c.Builder.Node(op, in, attrs, label, names...)
}

func (c *counted) Constant(name, label string, t *tensor.Tensor) (*graph.Value, error) {
	c.added++
	return c.Builder.Constant(name, label, t)
}

// started returns an emitter, what it adds to, and inputs of the given shapes.
func started(t *testing.T, shapes ...tensor.Shape) (*emit.Emitter, *counted, []*graph.Value) {
	t.Helper()
	c := &counted{Builder: graph.NewBuilder(op.Rules, "test")}
	in := make([]*graph.Value, len(shapes))
	for i, s := range shapes {
		v, err := c.Input("in"+string(rune('a'+i)), graph.Type{DType: tensor.Float32, Shape: s})
		if err != nil {
			t.Fatal(err)
		}
		in[i] = v
	}
	return &emit.Emitter{Target: c, Label: "here"}, c, in
}

// steps are the methods that return a value, applied so that each adds a node.
var steps = map[string]func(e *emit.Emitter, v *graph.Value) *graph.Value{
	"Node":       func(e *emit.Emitter, v *graph.Value) *graph.Value { return e.Node("relu", nil, v) },
	"Constant":   func(e *emit.Emitter, _ *graph.Value) *graph.Value { return e.Constant(tensor.Scalar[float32](1)) },
	"Stored":     func(e *emit.Emitter, _ *graph.Value) *graph.Value { return e.Stored("w", "w", tensor.Scalar[int32](1)) },
	"Cast":       func(e *emit.Emitter, v *graph.Value) *graph.Value { return e.Cast(v, tensor.Int8) },
	"Reshape":    func(e *emit.Emitter, v *graph.Value) *graph.Value { return e.Reshape(v, 3, 2, 1) },
	"Transpose":  func(e *emit.Emitter, v *graph.Value) *graph.Value { return e.Transpose(v, 1, 0, 2) },
	"Unsqueeze":  func(e *emit.Emitter, v *graph.Value) *graph.Value { return e.Unsqueeze(v, 0) },
	"Squeeze":    func(e *emit.Emitter, v *graph.Value) *graph.Value { return e.Squeeze(v, 2) },
	"AlignRight": func(e *emit.Emitter, v *graph.Value) *graph.Value { return e.AlignRight(v, wide)[0] },
	"AlignLeft":  func(e *emit.Emitter, v *graph.Value) *graph.Value { return e.AlignLeft(v, wide)[0] },
}

var wide = &graph.Value{Type: graph.Type{Shape: tensor.Shape{1, 1, 1, 1}}}

// TestSteps: each step adds one node; after an error none does, the error stays the first, and results have no type.
func TestSteps(t *testing.T) {
	for name, step := range steps {
		e, c, in := started(t, tensor.Shape{2, 3, 1})
		if v := step(e, in[0]); e.Err != nil || v == in[0] || v.Type.DType == tensor.Invalid || c.added != 1 {
			t.Errorf("%s: %v, error %v, %d nodes", name, v.Type, e.Err, c.added)
		}
		first := errors.New("first")
		e.Fail(first)
		e.Fail(errors.New("second"))
		if v := step(e, in[0]); v.Type.DType != tensor.Invalid || len(v.Type.Shape) != 0 {
			t.Errorf("%s after an error: %v", name, v.Type)
		}
		if !errors.Is(e.Err, first) || c.added != 1 {
			t.Errorf("%s after an error: error %v, %d nodes", name, e.Err, c.added)
		}
	}
}

// TestNothingToDo: what would change nothing adds nothing, and what is absent stays so.
func TestNothingToDo(t *testing.T) {
	e, c, in := started(t, tensor.Shape{2, 3, 1}, tensor.Shape{})
	for name, step := range map[string]func(v *graph.Value) *graph.Value{
		"Cast":       func(v *graph.Value) *graph.Value { return e.Cast(v, tensor.Float32) },
		"Reshape":    func(v *graph.Value) *graph.Value { return e.Reshape(v, 2, 3, 1) },
		"Transpose":  func(v *graph.Value) *graph.Value { return e.Transpose(v, 0, 1, 2) },
		"Unsqueeze":  func(v *graph.Value) *graph.Value { return e.Unsqueeze(v) },
		"Squeeze":    func(v *graph.Value) *graph.Value { return e.Squeeze(v) },
		"AlignRight": func(v *graph.Value) *graph.Value { return e.AlignRight(in[1], v)[1] },
		"AlignLeft":  func(v *graph.Value) *graph.Value { return e.AlignLeft(v, in[1])[0] },
	} {
		for _, v := range []*graph.Value{in[0], nil} {
			if step(v) != v {
				t.Errorf("%s of %v is another value", name, v)
			}
		}
	}
	if e.Fail(nil); e.Err != nil || c.added != 0 {
		t.Errorf("error %v, %d nodes", e.Err, c.added)
	}
}

func TestAlign(t *testing.T) {
	for _, right := range []bool{true, false} {
		e, _, in := started(t, tensor.Shape{3}, tensor.Shape{}, tensor.Shape{3, 3, 3})
		align, want := e.AlignLeft, tensor.Shape{3, 1, 1}
		if right {
			align, want = e.AlignRight, tensor.Shape{1, 1, 3}
		}
		before := slices.Clone(in)
		out := align(in...)
		if !out[0].Type.Shape.Equal(want) || out[1] != in[1] || out[2] != in[2] || !slices.Equal(in, before) || e.Err != nil {
			t.Errorf("aligned: %v, %v, %v, error %v; want %v first", out[0].Type, out[1].Type, out[2].Type, e.Err, want)
		}
	}
}

// TestResults: an operator of several results is none for Node; errors name the label.
func TestResults(t *testing.T) {
	e, _, in := started(t, tensor.Shape{4})
	if out := e.Nodes("split", emit.Attr("axis", 0, "ratios", []int{1, 3}), in[0]); len(out) != 2 || out[0].Producer.Label != "here" {
		t.Errorf("%d results, error %v", len(out), e.Err)
	}
	if out := e.Named([]string{"", "rest"}, "split", emit.Attr("axis", 0, "ratios", []int{1, 3}), in[0]); len(out) != 2 || out[1].Name != "rest" {
		t.Errorf("%d results, error %v", len(out), e.Err)
	}
	e.Node("split", emit.Attr("axis", 0, "ratios", []int{1, 3}), in[0])
	if e.Err == nil || e.Err.Error() != "split yields 2 results where one is expected" {
		t.Error(e.Err)
	}
	e.Err = nil
	e.Node("no_such_operator", nil)
	if e.Err == nil || e.Nodes("relu", nil, in[0]) != nil {
		t.Error(e.Err)
	}
}
