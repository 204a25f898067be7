package op_test

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"testing"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/testdata"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// hostileInts are the numbers that break careless arithmetic of shapes.
var hostileInts = []int{0, -1, 1, 2, 3, 7, -2, 15, 16, 17, 1 << 15, 1 << 30, 1<<31 - 1, -1 << 31, math.MaxInt/16 - 1, math.MaxInt / 8,
	math.MaxInt & (1 << 31), math.MaxInt & (1 << 32), math.MaxInt & (1 << 40), // 0 where an int has 32 bits
	math.MaxInt / 2, math.MaxInt, math.MinInt, math.MinInt + 1, tensor.MaxElements, tensor.MaxElements + 1, -tensor.MaxElements}

var hostileFloats = []float64{0, math.Copysign(0, -1), 1, -1, 0.5, 1e-300, 5e-324, 1e300, math.MaxFloat64, -math.MaxFloat64, math.Inf(1), math.NaN(), 1 << 53}

// TestHostile applies every operator to types and attributes that no honest model has. Bind must give an error or legal
// types and never panic; the declared cost must not be less than what the results alone take; and what is cheap by its
// declaration can be evaluated.
func TestHostile(t *testing.T) {
	cases := testdata.Cases(240, 3000)
	for _, d := range op.All() {
		t.Run(d.Name, func(t *testing.T) {
			t.Parallel()
			evaluated := 0
			for seed := range cases {
				r := op.NewRand(uint64(seed), 1+seed%4)
				types, attrs, blocks := hostile(r, d)
				if bindHostile(t, d, types, attrs, blocks, r) {
					evaluated++
				}
			}
			if evaluated == 0 {
				t.Error("no case was evaluated")
			}
		})
	}
}

// bindHostile holds one application to the rules, and reports whether it was evaluated.
func bindHostile(t *testing.T, d *op.Def, types []op.Type, attrs graph.Attrs, blocks []*graph.Graph, r *op.Rand) (evaluated bool) {
	t.Helper()
	describe := func() string { return fmt.Sprintf("operands %v, attributes %v", types, attrs) }
	defer func() {
		if p := recover(); p != nil {
			t.Errorf("panic: %v: %s", p, describe())
			panic(p)
		}
	}()
	s, out, err := d.Bind(types, attrs, blocks...)
	if err != nil {
		return false
	}
	written, elements := new(big.Int), new(big.Int)
	for i, o := range out {
		if err := o.Shape.Check(); err != nil || o.DType == tensor.Invalid {
			t.Fatalf("result %d is %v: %s", i, o, describe())
		}
		written.Add(written, big.NewInt(o.Bytes()))
	}
	for _, x := range s.In {
		elements.Add(elements, big.NewInt(x.Bytes()))
	}
	cost := d.Cost(s, out)
	if cost.MACs < 0 || cost.Ops < 0 || !counts(cost.Written, written) || !counts(cost.Read, elements) {
		t.Fatalf("the cost is %+v; the results have %v bytes, the operands %v: %s", cost, written, elements, describe())
	}
	scratch := int64(0)
	if d.Ref.Scratch != nil {
		if scratch = int64(d.Ref.Scratch(s, out)); scratch < 0 {
			t.Fatalf("%d bytes of working memory: %s", scratch, describe())
		}
	}
	const most = 1 << 16
	if cost.MACs > most || cost.Ops > most || cost.Read > most || cost.Written > most || scratch > most {
		return false
	}
	in := make([]*tensor.Tensor, len(types))
	for i, x := range types {
		if x.DType != tensor.Invalid {
			in[i] = anything(r, x)
		}
	}
	if _, err := op.Eval(d, in, attrs, blocks...); err != nil && !errors.As(err, new(*op.TurnsError)) {
		t.Fatalf("Bind accepts what Eval refuses: %v: %s", err, describe())
	}
	return true
}

// counts reports whether a count is exact or, beyond its range, the greatest one.
func counts(got int64, want *big.Int) bool {
	if !want.IsInt64() {
		return got == math.MaxInt64
	}
	return got == want.Int64()
}

// hostile returns a legal application of d with a few of its parts replaced.
func hostile(r *op.Rand, d *op.Def) ([]op.Type, graph.Attrs, []*graph.Graph) {
	c := d.Draw(r)
	types := make([]op.Type, len(c.In))
	for i, x := range c.In {
		if x != nil {
			types[i] = op.Type{DType: x.DType(), Shape: x.Shape().Clone()}
		}
	}
	attrs := make(graph.Attrs, 0, len(d.Attrs))
	for _, a := range d.Attrs {
		if v := c.Attrs.Get(a.Name); v != nil {
			attrs = append(attrs, graph.Attr{Name: a.Name, Value: v})
		} else if a.Default != nil {
			attrs = append(attrs, graph.Attr{Name: a.Name, Value: a.Default})
		}
	}
	for range r.IntN(4) {
		if len(attrs) > 0 && r.IntN(3) > 0 {
			a := &attrs[r.IntN(len(attrs))]
			a.Value = spoiled(r, a.Value)
		} else {
			spoilType(r, types)
		}
	}
	return types, attrs, c.Blocks
}

func hostileInt(r *op.Rand) int {
	if r.Bool() {
		return r.Between(-3, 9)
	}
	return op.Pick(r, hostileInts)
}

// spoiled returns another value in place of that of an attribute, mostly of the same kind.
func spoiled(r *op.Rand, v any) any {
	if r.IntN(20) == 0 {
		return op.Pick(r, []any{1, 1.5, "", true, []int{1}, []float64{}, []string{""}, tensor.Float16, nil, []any{}})
	}
	switch v := v.(type) {
	case int:
		return hostileInt(r)
	case float64:
		return op.Pick(r, hostileFloats)
	case bool:
		return !v
	case tensor.DType:
		return tensor.DType(r.IntN(300))
	case string:
		return op.Pick(r, []string{"", "constant", "ignore", "reflect", "replicate", "both", "linear", "\x00"})
	case []int:
		return spoiledList(r, v, func() int { return hostileInt(r) })
	case []float64:
		return spoiledList(r, v, func() float64 { return op.Pick(r, hostileFloats) })
	case []string:
		return spoiledList(r, v, func() string { return op.Pick(r, []string{"", "relu", "nothing"}) })
	}
	return v
}

// spoiledList replaces, adds or removes items.
func spoiledList[T any](r *op.Rand, list []T, item func() T) []T {
	out := append([]T{}, list...)
	switch r.IntN(5) {
	case 0:
		if len(out) > 0 {
			return out[:r.IntN(len(out))]
		}
	case 1:
		for range r.Between(1, 20) {
			out = append(out, item())
		}
		return out
	case 2:
		for i := range out {
			out[i] = item()
		}
		return out
	}
	if len(out) > 0 {
		out[r.IntN(len(out))] = item()
	}
	return out
}

// spoilType changes the type of one operand: an extent of all that have it, or of this one alone, the rank, the element
// type, or whether it is there.
func spoilType(r *op.Rand, types []op.Type) {
	t := &types[r.IntN(len(types))]
	switch r.IntN(9) {
	case 8: // no elements, whatever the other extents are
		if n := len(t.Shape); n > 0 {
			t.Shape[r.IntN(n)], t.Shape[r.IntN(n)] = op.Pick(r, hostileInts), 0
		}
	case 0:
		*t = op.Type{}
	case 1:
		t.DType = tensor.DType(r.IntN(300))
	case 2:
		t.Shape = append(t.Shape, hostileInt(r))
	case 3:
		if len(t.Shape) > 0 {
			t.Shape = t.Shape[:r.IntN(len(t.Shape))]
		}
	case 4:
		for range 16 {
			t.Shape = append(t.Shape, r.Between(0, 2))
		}
	default:
		if len(t.Shape) == 0 {
			return
		}
		i, n := r.IntN(len(t.Shape)), hostileInt(r)
		old := t.Shape[i]
		t.Shape[i] = n
		if r.Bool() {
			return
		}
		for k := range types {
			for j, m := range types[k].Shape {
				if m == old {
					types[k].Shape[j] = n
				}
			}
		}
	}
}

// anything returns a tensor of random bits, or of extreme values.
func anything(r *op.Rand, t op.Type) *tensor.Tensor {
	if t.DType.IsFloat() && r.Bool() {
		return r.Extremes(t.DType, t.Shape)
	}
	x := must(tensor.New(t.DType, t.Shape))
	for i := range x.Bytes() {
		x.Bytes()[i] = byte(r.Uint32())
		if t.DType == tensor.Bool {
			x.Bytes()[i] &= 1
		}
	}
	return x
}
