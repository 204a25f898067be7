package op_test

import (
	"math"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// roundedQuotient is v / 2^s rounded, in rational arithmetic.
func roundedQuotient(v *big.Int, s uint, mode string) *big.Int {
	unit := new(big.Int).Lsh(big.NewInt(1), s)
	floor, rest := new(big.Int).DivMod(v, unit, new(big.Int)) // rest ≥ 0
	above := new(big.Int).Add(floor, big.NewInt(1))
	half := new(big.Int).Lsh(rest, 1).Cmp(unit) // the fraction against one half
	pick := func(up bool) *big.Int {
		if up {
			return above
		}
		return floor
	}
	switch mode {
	case "to_zero":
		return new(big.Int).Quo(v, unit)
	case "half_up":
		return pick(half >= 0)
	case "half_even":
		return pick(half > 0 || half == 0 && floor.Bit(0) == 1)
	case "half_away":
		return pick(half > 0 || half == 0 && v.Sign() > 0)
	case "half_up_to_zero":
		if s == 0 {
			return v
		}
		sum := new(big.Int).Add(v, new(big.Int).Rsh(unit, 1))
		return sum.Quo(sum, unit)
	}
	return floor
}

func rescaling(rounding, overflow string, d tensor.DType) graph.Attrs {
	return graph.AttrsOf("rounding", rounding, "overflow", overflow, "dtype", d)
}

// by returns the operands that rescale x with one shift and one multiplier.
func by(x *tensor.Tensor, shift, multiplier int) []*tensor.Tensor {
	return []*tensor.Tensor{x, tensor.Scalar(int64(shift)), tensor.Scalar(int64(multiplier))}
}

// TestRescale compares every rounding with rational arithmetic on small ranges, complete, and at the ends of wide types.
func TestRescale(t *testing.T) {
	wide := []int64{math.MinInt64, math.MinInt64 + 1, math.MaxInt64, math.MaxInt64 - 1, 1 << 62, -1 << 62, 1<<40 + 1, -1<<40 - 1, 0, 1, -1}
	for _, c := range []struct {
		x                       []int64
		multiplier, first, last int
	}{
		{everyInt[int64](-600, 600), 1, -3, 9},
		{everyInt[int64](-60, 60), -7, 0, 6},
		{wide, 1, -64, 70},
		{wide, math.MaxInt, -64, 127},
		{wide, math.MinInt, -64, 127},
	} {
		for shift := c.first; shift <= c.last; shift++ {
			for _, mode := range namesOf(def("rescale"), "rounding") {
				exact := make([]*big.Int, len(c.x))
				for i, v := range c.x {
					p := new(big.Int).Mul(big.NewInt(v), big.NewInt(int64(c.multiplier)))
					exact[i] = roundedQuotient(p.Lsh(p, uint(max(-shift, 0))), uint(max(shift, 0)), mode)
				}
				checkRescale[int64](t, c.x, exact, shift, c.multiplier, mode)
				checkRescale[int8](t, c.x, exact, shift, c.multiplier, mode)
				checkRescale[uint32](t, c.x, exact, shift, c.multiplier, mode)
			}
		}
	}
}

func checkRescale[T tensor.Integer](t *testing.T, x []int64, exact []*big.Int, shift, multiplier int, mode string) {
	t.Helper()
	d := tensor.TypeOf[T]()
	least, most := d.IntRange()
	lo, hi := big.NewInt(least), new(big.Int).SetUint64(most)
	wrapped := apply[T](t, "rescale", rescaling(mode, "wrap", d), by(vec(x...), shift, multiplier)...)
	saturated := apply[T](t, "rescale", rescaling(mode, "saturate", d), by(vec(x...), shift, multiplier)...)
	low := new(big.Int).SetUint64(math.MaxUint64)
	for i, e := range exact {
		if want := T(new(big.Int).And(e, low).Uint64()); wrapped[i] != want {
			t.Fatalf("%d·%d / 2^%d %s, wrapped to %v: %d, want %d", x[i], multiplier, shift, mode, d, wrapped[i], want)
		}
		bounded := e
		if e.Cmp(lo) < 0 {
			bounded = lo
		} else if e.Cmp(hi) > 0 {
			bounded = hi
		}
		if want := T(new(big.Int).And(bounded, low).Uint64()); saturated[i] != want {
			t.Fatalf("%d·%d / 2^%d %s, saturated to %v: %d, want %d", x[i], multiplier, shift, mode, d, saturated[i], want)
		}
	}
}

// TestRescaleChannels compares shifts and factors that differ along an axis, in range and out of it, with rational arithmetic.
func TestRescaleChannels(t *testing.T) {
	for seed := range uint64(400) {
		r := op.NewRand(seed, 1+int(seed)/60)
		shape := r.Shape(1, 4)
		axis := r.IntN(len(shape))
		per := func(d tensor.DType, lo, hi int) *tensor.Tensor {
			n := shape[axis]
			if r.IntN(3) == 0 {
				n = 1
			}
			return r.Integers(d, tensor.Shape{n}, lo, hi)
		}
		x := r.Tensor(r.DType(op.Integers), shape)
		shift := per(tensor.Int16, -9, 12)
		if r.IntN(4) == 0 {
			shift = per(tensor.Int16, -300, 300)
		}
		in := []*tensor.Tensor{x, shift, nil}
		if r.IntN(4) > 0 {
			in[2] = per(op.Pick(r, []tensor.DType{tensor.Int32, tensor.Int64, tensor.Uint8}), 0, 200)
		}
		mode, overflow, d := op.Pick(r, namesOf(def("rescale"), "rounding")), op.Pick(r, []string{"wrap", "saturate"}), r.DType(op.Integers)
		attrs := append(rescaling(mode, overflow, d), with("axis", axis))
		out, err := op.Eval(def("rescale"), in, attrs)
		if err != nil {
			t.Fatal(err)
		}
		checkPieces(t, def("rescale"), op.Case{In: in, Attrs: attrs}, out, r)
		shifts, factors, got := integers(shift), []*big.Int{big.NewInt(1)}, integers(out[0])
		if in[2] != nil {
			factors = integers(in[2])
		}
		inner := shape[axis+1:].Len()
		for i, v := range integers(x) {
			channel := i / inner % shape[axis]
			s := int(min(max(shifts[min(channel, len(shifts)-1)].Int64(), -64), 127))
			p := new(big.Int).Mul(v, factors[min(channel, len(factors)-1)])
			want := inType(roundedQuotient(p.Lsh(p, uint(max(-s, 0))), uint(max(s, 0)), mode), overflow, d)
			if got[i].Cmp(want) != 0 {
				t.Fatalf("seed %d: %v by shift %v and multiplier %v, %v: element %d is %v; want %v", seed, x, shifts, factors, attrs, i, got[i], want)
			}
		}
	}
}

// inType brings an integer into the range of a type.
func inType(n *big.Int, overflow string, d tensor.DType) *big.Int {
	least, most := d.IntRange()
	lo, hi := big.NewInt(least), new(big.Int).SetUint64(most)
	switch {
	case overflow == "saturate" && n.Cmp(lo) < 0:
		return lo
	case overflow == "saturate" && n.Cmp(hi) > 0:
		return hi
	}
	return wrapped(n, d)
}

// TestRescaleRefuses holds shifts and factors that do not fit to errors that say what would.
func TestRescaleRefuses(t *testing.T) {
	x := must(tensor.New(tensor.Int32, tensor.Shape{2, 3}))
	for _, c := range []struct {
		in   []*tensor.Tensor
		axis int
		says string
	}{
		{[]*tensor.Tensor{x}, 1, "shift: the operand is missing"},
		{[]*tensor.Tensor{x, vec[int8](1, 2)}, 1, "shift: it has 2 elements; it must have one, or 3, the extent of x along axis 1"},
		{[]*tensor.Tensor{x, vec[int8](1, 2), vec[int8](1, 2, 3)}, 0, "multiplier: it has 3 elements; it must have one, or 2"},
		{[]*tensor.Tensor{x, vec[int8](1, 2, 3)}, 2, "shift: it has 3 elements, but shape [2,3] of x has no dimension 2"},
		{[]*tensor.Tensor{x, vec[int8]()}, 1, "shift: it has 0 elements"},
		{[]*tensor.Tensor{x, vec[uint64](1)}, 1, "shift: the element type uint64 is not allowed"},
		{[]*tensor.Tensor{x, vec[float32](1)}, 1, "shift: the element type float32 is not allowed"},
		{[]*tensor.Tensor{x, x}, 1, "shift: rank 2"},
		{[]*tensor.Tensor{x, vec[int8](1)}, -1, "axis: -1 is out of range"},
	} {
		_, err := op.Eval(def("rescale"), c.in, append(rescaling("floor", "wrap", tensor.Int8), with("axis", c.axis)))
		if err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%v, axis %d: %v; want %q", c.in, c.axis, err, c.says)
		}
	}
	if _, err := op.Eval(def("rescale"), by(tensor.Scalar(int8(3)), 1, 1), rescaling("floor", "wrap", tensor.Int8)); err != nil {
		t.Errorf("one shift for a scalar: %v", err) // although it has no axis 1
	}
}

// TestRescaleStandards has values from the two standards.
func TestRescaleStandards(t *testing.T) {
	// CVM: ((x >> (s-1)) + 1) >> 1, with -1.5 to -1 and no overflow at 2^31-1.
	x := vec[int32](-3, 3, math.MaxInt32, -math.MaxInt32)
	if got := apply[int32](t, "rescale", rescaling("half_up", "wrap", tensor.Int32), by(x, 1, 1)...); !slices.Equal(got, []int32{-1, 2, 1 << 30, -(1<<30 - 1)}) {
		t.Errorf("cvm_right_shift = %v", got)
	}
	// OpenVX sample: (v + 128) / 256 with C's division, then the low or the nearest 16 bits.
	for v := int32(-70000); v <= 70000; v += 7 {
		if got := apply[int16](t, "rescale", rescaling("half_up_to_zero", "saturate", tensor.Int16), by(vec(v), 8, 1)...)[0]; int32(got) != (v+128)/256 {
			t.Fatalf("%d / 256 = %d, want %d", v, got, (v+128)/256)
		}
	}
	if got := apply[int16](t, "rescale", rescaling("floor", "wrap", tensor.Int16), by(vec[int32](40000), 0, 1)...); got[0] != -25536 {
		t.Errorf("40000 wraps to %d", got[0])
	}
	if got := apply[uint64](t, "rescale", rescaling("floor", "wrap", tensor.Uint64), by(vec[uint64](math.MaxUint64), 1, 1)...); got[0] != math.MaxInt64 {
		t.Errorf("the greatest uint64 halves to %d", got[0])
	}
	rejected(t, "rescale", rescaling("nearest", "wrap", tensor.Int32), by(x, 1, 1)...)
	rejected(t, "rescale", rescaling("floor", "wrap", tensor.Float32), by(x, 1, 1)...)
}

func TestClampPrecision(t *testing.T) {
	x := vec[int32](math.MinInt32, -128, -127, 0, 127, 128, math.MaxInt32)
	for precision, want := range map[int][]int32{
		1:  {0, 0, 0, 0, 0, 0, 0},
		8:  {-127, -127, -127, 0, 127, 127, 127},
		32: {-math.MaxInt32, -128, -127, 0, 127, 128, math.MaxInt32},
	} {
		if got := apply[int32](t, "clamp_precision", graph.Attrs{{Name: "precision", Value: precision}}, x); !slices.Equal(got, want) {
			t.Errorf("precision %d: %v, want %v", precision, got, want)
		}
	}
	for precision, want := range map[int][]int8{8: {-127, 127}, 9: {-128, 127}, 2: {-1, 1}} {
		if got := apply[int8](t, "clamp_precision", graph.Attrs{{Name: "precision", Value: precision}}, vec[int8](-128, 127)); !slices.Equal(got, want) {
			t.Errorf("int8 with precision %d: %v, want %v", precision, got, want)
		}
	}
	if got := apply[uint8](t, "clamp_precision", graph.Attrs{{Name: "precision", Value: 4}}, vec[uint8](0, 7, 8, 255)); !slices.Equal(got, []uint8{0, 7, 7, 7}) {
		t.Errorf("uint8 with precision 4: %v", got)
	}
}

func TestLookup(t *testing.T) {
	table := must(tensor.FromSlice([]int32{10, 11, 12, 13}, 1, 4))
	if got := apply[int32](t, "lookup", nil, vec[int64](math.MinInt64, -1, 0, 2, 3, 4, math.MaxInt64), table); !slices.Equal(got, []int32{10, 10, 10, 12, 13, 13, 13}) {
		t.Errorf("lookup = %v", got)
	}
	if got := apply[int32](t, "lookup", graph.Attrs{{Name: "offset", Value: 2}}, vec[int16](-3, -2, -1, 0, 1, 2), table); !slices.Equal(got, []int32{10, 10, 11, 12, 13, 13}) {
		t.Errorf("lookup with offset = %v", got)
	}
	if got := apply[tensor.F16](t, "lookup", graph.Attrs{{Name: "offset", Value: -1}}, vec[uint64](math.MaxUint64, 1, 0), vec[tensor.F16](0x7C01, 5)); !slices.Equal(got, []tensor.F16{5, 0x7C01, 0x7C01}) {
		t.Errorf("lookup of float16 = %04x", got)
	}
	rejected(t, "lookup", nil, vec[int8](1), must(tensor.New(tensor.Int8, tensor.Shape{0})))
}
