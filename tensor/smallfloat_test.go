package tensor_test

import (
	"bytes"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"sort"
	"testing"

	"github.com/concord-nn/concord/tensor"
)

// smallFloats lists the floats of 8 and 4 bits.
func smallFloats() []tensor.DType {
	return slices.DeleteFunc(tensor.DTypes(), func(d tensor.DType) bool { return !d.IsSmallFloat() })
}

// smallValue returns what a code stands for by the standard's formulas: signs, exponents and fractions of ONNX's pages on float4 and
// float8, and of the OCP's on microscaling formats.
func smallValue(d tensor.DType, code byte) float64 {
	layout := map[tensor.DType]struct {
		exponent, fraction, bias int
		special                  func(mag byte) float64 // of codes that are no numbers; 0 for one that is
	}{
		tensor.Float4E2M1: {2, 1, 1, func(byte) float64 { return 0 }},
		tensor.Float8E4M3FN: {4, 3, 7, func(mag byte) float64 {
			if mag == 0x7F {
				return math.NaN()
			}
			return 0
		}},
		tensor.Float8E4M3FNUZ: {4, 3, 8, func(byte) float64 { return 0 }},
		tensor.Float8E5M2: {5, 2, 15, func(mag byte) float64 {
			switch {
			case mag == 0x7C:
				return math.Inf(1)
			case mag > 0x7C:
				return math.NaN()
			}
			return 0
		}},
		tensor.Float8E5M2FNUZ: {5, 2, 16, func(byte) float64 { return 0 }},
	}
	l, ok := layout[d]
	if !ok { // float8e8m0
		if code == 0xFF {
			return math.NaN()
		}
		return math.Ldexp(1, int(code)-127)
	}
	width := 1 + l.exponent + l.fraction
	negative := code>>(width-1) == 1
	mag := code & (1<<(width-1) - 1)
	if negative && mag == 0 && (d == tensor.Float8E4M3FNUZ || d == tensor.Float8E5M2FNUZ) {
		return math.NaN()
	}
	v := l.special(mag)
	if v == 0 {
		e, f := int(mag>>l.fraction), float64(mag&(1<<l.fraction-1))/float64(int(1)<<l.fraction)
		if e == 0 {
			v = math.Ldexp(f, 1-l.bias)
		} else {
			v = math.Ldexp(1+f, e-l.bias)
		}
	}
	if negative {
		v = -v
	}
	return v
}

// smallMiddles returns for each number of a type without sign what lies in the middle between it and the next one; beyond the greatest,
// numbers go on in its steps.
var smallMiddles = func() func(d tensor.DType) []*big.Float {
	var kept [tensor.NumDTypes][]*big.Float
	return func(d tensor.DType) []*big.Float {
		if kept[d] == nil {
			for code := range byte(1) << (d.Bits() - 1) {
				v, next := smallValue(d, code), smallValue(d, code+1)
				if v != v || math.IsInf(v, 0) {
					break
				}
				if !(next > v && !math.IsInf(next, 0)) {
					next = v + (v - smallValue(d, code-1))
				}
				kept[d] = append(kept[d], big.NewFloat((v+next)/2))
			}
		}
		return kept[d]
	}
}()

// nearestSmall returns the code that a number becomes, found among all codes; ok is false for NaN. It is ONNX's tables on Cast.
func nearestSmall(d tensor.DType, x *big.Float, ok bool, o tensor.CastOptions) byte {
	nan := map[tensor.DType]byte{tensor.Float4E2M1: 0x8, tensor.Float8E4M3FN: 0x7F, tensor.Float8E4M3FNUZ: 0x80, tensor.Float8E5M2: 0x7E, tensor.Float8E5M2FNUZ: 0x80, tensor.Float8E8M0: 0xFF}[d]
	if !ok {
		return nan
	}
	abs := new(big.Float).SetPrec(300).Abs(x)
	if d == tensor.Float8E8M0 {
		least, most := big.NewFloat(0x1p-127), big.NewFloat(0x1p127)
		switch {
		case abs.Cmp(least) < 0 || abs.Cmp(most) > 0:
			if o.Unbounded {
				return nan
			}
			return map[bool]byte{true: 0, false: 0xFE}[abs.Cmp(least) < 0]
		}
		e := abs.MantExp(nil) - 1 // abs = 1.… · 2^e
		low := new(big.Float).SetMantExp(big.NewFloat(1), e)
		middle := new(big.Float).SetMantExp(big.NewFloat(1.5), e)
		if o.Round == tensor.RoundUp && abs.Cmp(low) > 0 || o.Round == tensor.RoundNearest && abs.Cmp(middle) >= 0 {
			e++
		}
		return byte(e + 127)
	}
	middles := smallMiddles(d)
	sign, most := 1<<(d.Bits()-1), len(middles)-1
	code := sort.Search(len(middles), func(i int) bool {
		c := abs.Cmp(middles[i])
		return c < 0 || c == 0 && i%2 == 0
	})
	fnuz := d == tensor.Float8E4M3FNUZ || d == tensor.Float8E5M2FNUZ
	switch {
	case code <= most:
	case !o.Unbounded || d == tensor.Float4E2M1:
		code = most
	case fnuz:
		return nan
	default: // an infinity or, in float8e4m3fn, NaN
		code = most + 1
	}
	if x.Signbit() && (!fnuz || code != 0) {
		code |= sign
	}
	return byte(code)
}

// TestSmallValues decodes every code of every small float.
func TestSmallValues(t *testing.T) {
	for _, d := range smallFloats() {
		for code := range 1 << d.Bits() {
			got, want := tensor.SmallFloat32(d, byte(code)), smallValue(d, byte(code))
			if want != want {
				if math.Float32bits(got) != canonicalNaN {
					t.Errorf("%v %#x is %v; want NaN", d, code, got)
				}
			} else if float64(got) != want || math.Signbit(float64(got)) != math.Signbit(want) {
				t.Errorf("%v %#x is %v; want %v", d, code, got, want)
			}
		}
	}
}

// allOptions lists all combinations of options.
func allOptions() []tensor.CastOptions {
	var list []tensor.CastOptions
	for _, unbounded := range []bool{false, true} {
		for _, r := range []tensor.Rounding{tensor.RoundUp, tensor.RoundDown, tensor.RoundNearest} {
			list = append(list, tensor.CastOptions{unbounded, r})
		}
	}
	return list
}

// TestSmallRounding rounds numbers, midpoints and what lies beside them, of every wide type, with all options.
func TestSmallRounding(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 8))
	for _, d := range smallFloats() {
		list := []float64{0, math.Copysign(0, -1), math.Inf(1), math.NaN(), 1e-300, math.MaxFloat32, math.MaxFloat64, 0x1p-149, 0x1p-128, 0x1.8p-128, 0x1.8p127}
		around := func(x float64) {
			list = append(list, x, math.Nextafter(x, 0), math.Nextafter(x, math.Inf(1)), float64(math.Nextafter32(float32(x), 0)),
				float64(math.Nextafter32(float32(x), float32(math.Inf(1)))))
		}
		for code := range 1 << d.Bits() {
			if v, next := smallValue(d, byte(code)), smallValue(d, byte(code+1)); v >= 0 && !math.IsInf(v, 0) {
				around(v)
				around((v + next) / 2)
				around(v * (1 + r.Float64()))
			}
		}
		n := len(list)
		for _, x := range list[:n] {
			list = append(list, -x)
		}
		for _, from := range []tensor.DType{tensor.Float16, tensor.BFloat16, tensor.Float32, tensor.Float64, tensor.Int32, tensor.Uint64, tensor.Float8E5M2} {
			src := must(tensor.Cast(must(tensor.FromSlice(list, len(list))), from))
			exacts, known := make([]*big.Float, len(list)), make([]bool, len(list))
			for i := range list {
				exacts[i], known[i] = exact(from, get(src, i))
			}
			for _, o := range allOptions() {
				got := must(o.Cast(src, d))
				for i, x := range exacts {
					if want := nearestSmall(d, x, known[i], o); get(got, i) != uint64(want) {
						t.Fatalf("%v of type %v with %+v becomes the %v %#x; want %#x", x, from, o, d, get(got, i), want)
					}
				}
			}
		}
	}
}

// TestONNXCasts has rows of ONNX's cases for Cast, bit by bit: values that are ordinary, too great, too small and special.
func TestONNXCasts(t *testing.T) {
	x := []float32{0.47892547, 0.48033667, 0.49968487, 0.81910545, 0.47031248, 0.7229038, 1000000, 1e-7, float32(math.NaN()),
		float32(math.Inf(1)), float32(math.Inf(1)), float32(math.Inf(-1)), -0.0000001, 0.0000001, -1000000}
	count := func(from, to int) (list []float32) {
		for i := from; i < to; i++ {
			list = append(list, float32(i))
		}
		return list
	}
	four := []float32{0.48, 0.25, 1.05, -3.5, -8, 9, 1000000, 1e-7, float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(1)), float32(math.Inf(-1)),
		-4, 0.01, float32(math.Copysign(0, -1))}
	powers := []float32{0, 0.124, 0.25, 0.5, 1.1, 2, 4, 8}
	all := tensor.CastOptions{Unbounded: true}
	for _, c := range []struct {
		x    []float32
		to   tensor.DType
		o    tensor.CastOptions
		want string
	}{
		{x, tensor.Float8E4M3FN, tensor.CastOptions{}, "\x2f\x2f\x30\x35\x2f\x34\x7e\x00\x7f\x7e\x7e\xfe\x80\x00\xfe"},
		{x, tensor.Float8E4M3FN, all, "\x2f\x2f\x30\x35\x2f\x34\x7f\x00\x7f\x7f\x7f\xff\x80\x00\xff"},
		{x, tensor.Float8E4M3FNUZ, tensor.CastOptions{}, "\x37\x37\x38\x3d\x37\x3c\x7f\x00\x80\x7f\x7f\xff\x00\x00\xff"},
		{x, tensor.Float8E4M3FNUZ, all, "\x37\x37\x38\x3d\x37\x3c\x80\x00\x80\x80\x80\x80\x00\x00\x80"},
		{x, tensor.Float8E5M2, tensor.CastOptions{}, "\x38\x38\x38\x3b\x38\x3a\x7b\x00\x7e\x7b\x7b\xfb\x80\x00\xfb"},
		{x, tensor.Float8E5M2, all, "\x38\x38\x38\x3b\x38\x3a\x7c\x00\x7e\x7c\x7c\xfc\x80\x00\xfc"},
		{x, tensor.Float8E5M2FNUZ, tensor.CastOptions{}, "\x3c\x3c\x3c\x3f\x3c\x3e\x7f\x00\x80\x7f\x7f\xff\x00\x00\xff"},
		{x, tensor.Float8E5M2FNUZ, all, "\x3c\x3c\x3c\x3f\x3c\x3e\x80\x00\x80\x80\x80\x80\x00\x00\x80"},
		{powers, tensor.Float8E8M0, tensor.CastOptions{}, "\x00\x7c\x7d\x7e\x80\x80\x81\x82"},
		{four, tensor.Float4E2M1, tensor.CastOptions{}, "\x01\xe2\x7f\x07\x78\xf7\x0e\x08"},
		{count(-9, 16), tensor.Int4, tensor.CastOptions{}, "\x87\xa9\xcb\xed\x0f\x21\x43\x65\x87\xa9\xcb\xed\x0f"},
		{count(-9, 16), tensor.Uint4, tensor.CastOptions{}, "\x87\xa9\xcb\xed\x0f\x21\x43\x65\x87\xa9\xcb\xed\x0f"},
		{count(-3, 4), tensor.Int2, tensor.CastOptions{}, "\x39\x39"},
		{count(-3, 4), tensor.Uint2, tensor.CastOptions{}, "\x39\x39"},
	} {
		got := must(c.o.Cast(must(tensor.FromSlice(c.x, len(c.x))), c.to))
		if !bytes.Equal(got.Bytes(), []byte(c.want)) {
			t.Errorf("%v with %+v: % x; want % x", c.to, c.o, got.Bytes(), c.want)
		}
	}
	for d, want := range map[tensor.DType][]int8{tensor.Int2: {1, -2, -1, 0, 1, -2, -1}, tensor.Uint2: {1, 2, 3, 0, 1, 2, 3}} {
		if got := tensor.Data[int8](must(tensor.Cast(must(tensor.FromBytes(d, tensor.Shape{7}, []byte("\x39\x39"))), tensor.Int8))); !slices.Equal(got, want) {
			t.Errorf("%v: %v; want %v", d, got, want)
		}
	}
}
