package webnn_test

import (
	"errors"
	"testing"

	"github.com/concord-nn/concord/tensor"
	"github.com/concord-nn/concord/webnn"
)

// newContext returns a context that is destroyed when the test ends.
func newContext(t testing.TB, options *webnn.ContextOptions) *webnn.Context {
	t.Helper()
	c, err := webnn.ML{}.CreateContext(options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Destroy)
	return c
}

// newBuilder returns a builder of the context.
func newBuilder(t testing.TB, c *webnn.Context) *webnn.GraphBuilder {
	t.Helper()
	b, err := webnn.NewGraphBuilder(c)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// rejected checks that an error is an *Error of the kind, with the rule and of the method, and says something.
func rejected(t testing.TB, err error, name webnn.ErrorName, method, rule string) {
	t.Helper()
	var e *webnn.Error
	if !errors.As(err, &e) || !errors.Is(err, name) || e.Name != name || e.Method != method || e.Rule != rule || e.Reason == "" {
		t.Errorf("the error is %#v; want %s of %s by the rule %s", err, name, method, rule)
	}
}

func TestCallRejects(t *testing.T) {
	c := newContext(t, nil)
	b, other := newBuilder(t, c), newBuilder(t, c)
	input := func(b *webnn.GraphBuilder, name string, d tensor.DType, shape ...int) *webnn.Operand {
		t.Helper()
		o, err := b.Input(name, webnn.OperandDescriptor{DataType: d, Shape: shape})
		if err != nil {
			t.Fatal(err)
		}
		return o
	}
	x := input(b, "x", tensor.Float32, 2, 3)
	foreign := input(other, "x", tensor.Float32, 2, 3)
	for _, tt := range []struct {
		method  string
		args    []any
		options webnn.Options
		rule    string
	}{
		{"nothing", nil, nil, "nothing.method"},
		{"relu", nil, nil, "relu.arguments"},
		{"relu", []any{foreign}, nil, "relu.input.builder"},
		{"relu", []any{3}, nil, "relu.input.kind"},
		{"relu", []any{(*webnn.Operand)(nil)}, nil, "relu.input.kind"},
		{"relu", []any{&webnn.Operand{}}, nil, "relu.input.builder"},
		{"elu", []any{x}, webnn.Options{"alpha": "much"}, "elu.alpha.kind"},
		{"logicalNot", []any{x}, nil, "logicalNot.a.dataType"},
	} {
		_, err := b.Call(tt.method, tt.args, tt.options)
		rejected(t, err, webnn.TypeError, "MLGraphBuilder."+tt.method, tt.rule)
	}
	y, err := b.Call("relu", []any{x}, nil)
	if err != nil {
		t.Fatal(err)
	}
	g, err := b.Network(webnn.NamedOperands{"y": y[0]})
	if err != nil {
		t.Fatal(err)
	}
	if len(g.Nodes) != 1 {
		t.Errorf("rejected calls have left nodes behind: %d", len(g.Nodes))
	}
	_, err = b.Call("relu", []any{x}, nil)
	rejected(t, err, webnn.InvalidStateError, "MLGraphBuilder.relu", "relu.state")
}
