package op

import (
	"bytes"
	"testing"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/tensor"
)

// TestStored evaluates the operators that take every element type, in portions too, on the types that generators do not draw.
func TestStored(t *testing.T) {
	for seed := range uint64(600) {
		r := NewRand(seed, 1+int(seed)/60)
		d, to, shape := r.DType(Stored), r.DType(Stored), r.Shape(0, 3)
		x := r.Tensor(d, shape)
		ones := append(shape.Clone(), 1)
		for _, c := range []struct {
			op    *Def
			attrs graph.Attrs
			shape tensor.Shape
			to    tensor.DType
		}{
			{castDef, graph.Attrs{with("dtype", to)}, shape, to},
			{byName["copy"], nil, shape, d},
			{reshapeDef, graph.Attrs{with("shape", []int{-1})}, tensor.Shape{shape.Len()}, d},
			{unsqueezeDef, graph.Attrs{with("axes", []int{len(shape)})}, ones, d},
		} {
			out, err := Eval(c.op, []*tensor.Tensor{x}, c.attrs)
			if err != nil {
				t.Fatalf("%s of %v: %v", c.op.Name, x, err)
			}
			want := must(tensor.Cast(x, c.to))
			if !out[0].Shape().Equal(c.shape) || !bytes.Equal(out[0].Bytes(), want.Bytes()) {
				t.Fatalf("%s of %v %v: %v % x; want % x", c.op.Name, x, c.attrs, out[0], out[0].Bytes(), want.Bytes())
			}
			checkPieces(t, c.op, Case{In: []*tensor.Tensor{x}, Attrs: c.attrs}, out, r)
			if s, types, err := c.op.Bind([]Type{{DType: d, Shape: shape}}, c.attrs); err != nil || c.op.Cost(s, types).Written != int64(len(out[0].Bytes())) {
				t.Fatalf("%s of %v: the cost of %v is wrong: %v", c.op.Name, x, types, err)
			}
		}
	}
}

// TestStoredOnly holds operators that compute to refusing the types that are only stored, by an error that says what would be right.
func TestStoredOnly(t *testing.T) {
	takes := map[string]bool{"copy": true, "cast": true, "reshape": true, "squeeze": true, "unsqueeze": true, "bit_cast": true}
	for _, d := range all {
		for _, dt := range (Stored &^ AnyType).List() {
			for i, o := range d.In {
				quantizes := o.Types == quantizedTypes && dt != tensor.Float64 && dt != tensor.Float8E8M0
				if o.Types.Has(dt) != (takes[d.Name] || o.Name == "values" && len(d.Blocks) > 0 || quantizes) {
					t.Errorf("operand %d of %s takes %v: %v", i, d.Name, dt, o.Types.Has(dt))
				}
			}
		}
	}
	if got := Stored.String(); got != "any, float64, int4, uint4, int2, uint2, float4e2m1, float8e4m3fn, float8e4m3fnuz, float8e5m2, float8e5m2fnuz, float8e8m0" {
		t.Error(got)
	}
}
