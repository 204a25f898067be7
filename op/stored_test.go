package op_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// TestStored evaluates the operators that take every element type, in portions too, on the types that generators do not draw.
func TestStored(t *testing.T) {
	for seed := range uint64(600) {
		r := op.NewRand(seed, 1+int(seed)/60)
		d, to, shape := op.Pick(r, op.Stored.List()), op.Pick(r, op.Stored.List()), r.Shape(0, 3)
		x := r.Tensor(d, shape)
		ones := append(shape.Clone(), 1)
		for _, c := range []struct {
			op    *op.Def
			attrs graph.Attrs
			shape tensor.Shape
			to    tensor.DType
		}{
			{def("cast"), graph.Attrs{with("dtype", to)}, shape, to},
			{def("copy"), nil, shape, d},
			{def("reshape"), graph.Attrs{with("shape", []int{-1})}, tensor.Shape{shape.Len()}, d},
			{def("unsqueeze"), graph.Attrs{with("axes", []int{len(shape)})}, ones, d},
		} {
			out, err := op.Eval(c.op, []*tensor.Tensor{x}, c.attrs)
			if err != nil {
				t.Fatalf("%s of %v: %v", c.op.Name, x, err)
			}
			want := must(tensor.Cast(x, c.to))
			if !out[0].Shape().Equal(c.shape) || !bytes.Equal(out[0].Bytes(), want.Bytes()) {
				t.Fatalf("%s of %v %v: %v % x; want % x", c.op.Name, x, c.attrs, out[0], out[0].Bytes(), want.Bytes())
			}
			checkPieces(t, c.op, op.Case{In: []*tensor.Tensor{x}, Attrs: c.attrs}, out, r)
			if s, types, err := c.op.Bind([]op.Type{{DType: d, Shape: shape}}, c.attrs); err != nil || c.op.Cost(s, types).Written != int64(len(out[0].Bytes())) {
				t.Fatalf("%s of %v: the cost of %v is wrong: %v", c.op.Name, x, types, err)
			}
		}
	}
}

// TestMoved evaluates operators that move elements of whole bytes, as small floats and as their codes.
func TestMoved(t *testing.T) {
	for _, d := range op.All() {
		if !d.In[0].Types.Has(tensor.Float8E5M2) || d.In[0].Types != op.Movable {
			continue
		}
		for seed := range uint64(40) {
			c := d.Generate(op.NewRand(seed, 3))
			codes := slices.Clone(c.In)
			for i, x := range c.In {
				if o := operand(d, i); x != nil && (o.Types == op.Movable) {
					codes[i] = must(tensor.Cast(x, tensor.Uint8))
					c.In[i] = must(codes[i].Reinterpret(tensor.Float8E4M3FN))
				}
			}
			want, err := op.Eval(d, codes, c.Attrs.With("value", 0.0)[:len(c.Attrs)])
			got := must(op.Eval(d, c.In, c.Attrs.With("value", 0.0)[:len(c.Attrs)]))
			if err != nil {
				t.Fatalf("%s: %v", d.Name, err)
			}
			for i, x := range got {
				if x.DType() != tensor.Float8E4M3FN || !bytes.Equal(x.Bytes(), want[i].Bytes()) {
					t.Fatalf("%s of %v: result %v is another", d.Name, c.In, x)
				}
			}
		}
	}
}

// TestStoredOnly holds operators that compute to refusing the types that are only stored, by an error that says what would be right.
func TestStoredOnly(t *testing.T) {
	for _, d := range op.All() {
		for _, dt := range (op.Stored &^ op.AnyType).List() {
			for i, o := range d.In {
				if o.Types.Has(dt) && o.Types != op.Stored && o.Types != def("dequantize_linear").In[0].Types && (o.Types != op.Movable || dt.IsPacked()) {
					t.Errorf("operand %d of %s takes %v", i, d.Name, dt)
				}
			}
		}
	}
	if _, _, err := def("relu").Bind([]op.Type{{DType: tensor.Float8E5M2}}, nil); err == nil || !strings.Contains(err.Error(), "relu: x: the element type float8e5m2 is not allowed; it must be number") {
		t.Error(err)
	}
	if got := op.Stored.String(); got != "any, int4, uint4, int2, uint2, float4e2m1, float8e4m3fn, float8e4m3fnuz, float8e5m2, float8e5m2fnuz, float8e8m0" {
		t.Error(got)
	}
}
