package webnn_test

import (
	"errors"
	"testing"

	"github.com/concord-nn/concord/tensor"
	"github.com/concord-nn/concord/webnn"
)

// TestCheckOnly makes calls on a context that only checks, which has the errors of others, and on buffers of which only the length is known.
func TestCheckOnly(t *testing.T) {
	c, err := webnn.ML{}.CreateContext(&webnn.ContextOptions{CheckOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Destroy()
	d := webnn.OperandDescriptor{DataType: tensor.Float32, Shape: tensor.Shape{1 << 10, 1 << 10}}
	var x, y, w *webnn.Tensor
	var g *webnn.Graph
	define := func() error {
		b, err := webnn.NewGraphBuilder(c)
		if err != nil {
			return err
		}
		return webnn.Try(func(must *webnn.Must) {
			sum := must.One(b.Add(must.One(b.Input("x", d)), must.One(b.Constant(d, webnn.Length(4<<20))), nil))
			sum = must.One(b.Mul(sum, must.One(b.ConstantTensor(w)), nil))
			unused, err := b.Input("unused", d)
			must.One(unused, err)
			g, err = b.Build(t.Context(), webnn.NamedOperands{"y": sum})
			must.One(nil, err)
			if _, err := b.Relu(sum, nil); !errors.Is(err, webnn.InvalidStateError) {
				t.Errorf("a builder that has built: %v", err)
			}
		})
	}
	var errs [3]error
	x, errs[0] = c.CreateTensor(webnn.TensorDescriptor{OperandDescriptor: d, Writable: true})
	y, errs[1] = c.CreateTensor(webnn.TensorDescriptor{OperandDescriptor: d, Readable: true})
	w, errs[2] = c.CreateConstantTensor(d, webnn.Length(4<<20))
	if err := errors.Join(errs[:]...); err != nil {
		t.Fatal(err)
	}
	if err := define(); err != nil {
		t.Fatal(err)
	}
	if len(g.Inputs()) != 1 || !g.Inputs()["x"].Shape.Equal(d.Shape) || !g.Outputs()["y"].Shape.Equal(d.Shape) {
		t.Errorf("the graph has inputs %v and outputs %v", g.Inputs(), g.Outputs())
	}
	read, readErr := c.ReadTensor(t.Context(), y)
	for what, err := range map[string]error{
		"a write":          c.WriteTensor(x, webnn.Length(4<<20)),
		"a write of bytes": c.WriteTensor(x, make([]byte, 4<<20)),
		"a dispatch":       c.Dispatch(g, webnn.NamedTensors{"x": x}, webnn.NamedTensors{"y": y}),
		"a reading":        readErr,
	} {
		if err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
	if len(read) != 0 {
		t.Errorf("%d bytes are read", len(read))
	}
	for what, err := range map[string]error{
		"a write that is too short":      c.WriteTensor(x, webnn.Length(4)),
		"a write that is not allowed":    c.WriteTensor(y, webnn.Length(4<<20)),
		"a dispatch of other names":      c.Dispatch(g, webnn.NamedTensors{"z": x}, webnn.NamedTensors{"y": y}),
		"a dispatch of a constant":       c.Dispatch(g, webnn.NamedTensors{"x": w}, webnn.NamedTensors{"y": y}),
		"a length where there are bytes": withBytes(t, d),
	} {
		if !errors.Is(err, webnn.TypeError) {
			t.Errorf("%s: %v", what, err)
		}
	}
	g.Destroy()
	if err := c.Dispatch(g, webnn.NamedTensors{"x": x}, webnn.NamedTensors{"y": y}); !errors.Is(err, webnn.InvalidStateError) {
		t.Errorf("a dispatch of a destroyed graph: %v", err)
	}
}

// withBytes gives a length to a context that computes.
func withBytes(t *testing.T, d webnn.OperandDescriptor) error {
	c, err := webnn.ML{}.CreateContext(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Destroy()
	_, err = c.CreateConstantTensor(d, webnn.Length(4<<20))
	return err
}
