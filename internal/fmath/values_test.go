package fmath

import (
	"math"
	"math/rand/v2"
	"testing"
)

// byName returns the function of the table with that name.
func byName(t *testing.T, name string) function {
	t.Helper()
	for _, fn := range functions {
		if fn.name == name {
			return fn
		}
	}
	t.Fatalf("no function %s", name)
	return function{}
}

// TestTrueValues compares with values computed to 90 digits, independently of package math:
// above all the arguments that lie nearest to a multiple of π/2, and bounds of ranges.
func TestTrueValues(t *testing.T) {
	cases := []struct {
		name string
		x    float32
		want float64
	}{
		{"Sin", 0x1.f9cbe2p+7, 0.99999999999999999124},
		{"Sin", 0x1.2d97c8p+2, -0.9999999999999999289},
		{"Sin", 0x1.f37c8ap+95, 0.9999999999999999987},
		{"Sin", 0x1.47d0fep+34, 0.99999999999999999797},
		{"Sin", 0x1.32ede2p+85, 0.99999999999999997908},
		{"Sin", 0x1.628d4cp+40, -0.99999999999999997608},
		{"Sin", 0x1.fffffep+127, -0.52187652333365854055},
		{"Sin", 0x1.921fb6p+1, -8.7422780003724745258e-8},
		{"Sin", 0x1p+15, 0.92785633341392467457},
		{"Sin", 0x1.fffffep+14, 0.92712616993417305555},
		{"Sin", 0x1p+100, -0.87218360541826730978},
		{"Cos", 0x1.f9cbe2p+7, -4.1857068037572076338e-9},
		{"Cos", 0x1.2d97c8p+2, 1.1924880454806034642e-8},
		{"Cos", 0x1.f37c8ap+95, -1.6147697982476211876e-9},
		{"Cos", 0x1.47d0fep+34, -2.0126460319185525729e-9},
		{"Cos", 0x1.32ede2p+85, -6.4678569845703548328e-9},
		{"Cos", 0x1.628d4cp+40, -6.9163597105729013946e-9},
		{"Cos", 0x1.fffffep+127, 0.85302103983030415805},
		{"Cos", 0x1.921fb6p+1, -0.99999999999999617863},
		{"Cos", 0x1p+15, 0.37293782932771495587},
		{"Cos", 0x1.fffffep+14, 0.37474933625450341253},
		{"Cos", 0x1p+100, 0.48917865697472144991},
		{"Tan", 0x1.f9cbe2p+7, -238908276.87748506168},
		{"Tan", 0x1.2d97c8p+2, -83858283.006684072519},
		{"Tan", 0x1.f37c8ap+95, -619283318.95061386812},
		{"Tan", 0x1.47d0fep+34, -496858356.68120495059},
		{"Tan", 0x1.32ede2p+85, -154610716.09740111254},
		{"Tan", 0x1.628d4cp+40, 144584729.80682596434},
		{"Tan", 0x1.fffffep+127, -0.61179794983424806116},
		{"Tan", 0x1.921fb6p+1, 8.7422780003725079333e-8},
		{"Tan", 0x1p+15, 2.4879651793076246916},
		{"Tan", 0x1.fffffep+14, 2.4739901588632411014},
		{"Tan", 0x1p+100, -1.7829551493767190886},
		{"Exp", 0x1.62e42ep+6, 3.4027985374118486567e38},
		{"Exp", -0x1.9fe368p+6, 7.0064970017955645061e-46},
		{"Exp", 0x1p-30, 1.000000000931322575},
		{"Log", 0x1.fffffep-1, -5.9604646551747534986e-8},
		{"Log", 0x1.000002p+0, 1.1920928244535445709e-7},
		{"Log", 0x1p-149, -103.2789299034318511},
		{"Log", 0x1.fffffep+127, 88.722839052068353054},
		{"Expm1", -0x1p-24, -5.9604642999033820893e-8},
		{"Expm1", 0x1.8p+0, 3.4816890703380648226},
		{"Sigmoid", -0x1.99999ap+6, 3.3747716367604555519e-45},
		{"Sigmoid", 0x1p-24, 0.50000001490116119385},
		{"Sigmoid", -0x1.4p+4, 2.0611536181902035814e-9},
		{"Tanh", 0x1p+0, 0.76159415595576488812},
		{"Tanh", 0x1p-12, 0.00024414062014936170619},
		{"Tanh", 0x1.2p+3, 0.99999996954004097448},
		{"Erf", 0x1p+0, 0.84270079294971486934},
		{"Erf", 0x1p-140, 8.0957234894185365864e-43},
		{"Erf", 0x1.f4p+1, 0.99999996691449191526},
		{"Softplus", -0x1.4p+4, 2.0611536203143807032e-9},
		{"Softplus", 0x0p+0, 0.69314718055994530942},
		{"Softplus", -0x1.99999ap+6, 3.3747716367604555519e-45},
		{"Asin", 0x1.fffffep-1, 1.5704510598101804156},
		{"Acos", 0x1.fffffep-1, 0.0003452669847162035876},
		{"Acos", -0x1.fffffep-1, 3.1412473866050770349},
		{"Atan", 0x1.fffffep+127, 1.5707963267948966192},
		{"Atan", 0x1.a8279ap-2, 0.39269908647784484454},
		{"Sinh", 0x1.65a9f8p+6, 3.4028196375086207895e38},
		{"Cosh", 0x1p-12, 1.0000000298023225357},
		{"Asinh", 0x1.fffffep+127, 89.415986232628298363},
		{"Acosh", 0x1.000002p+0, 0.00048828124514936172065},
		{"Atanh", 0x1.fffffep-1, 8.6643397420981549518},
		{"Log2", 0x1.fffffep-1, -8.599132799414562175e-8},
		{"Rsqrt", 0x1p-149, 2.6713738906281537971e22},
	}
	for _, c := range cases {
		fn := byName(t, c.name)
		if err := ulps(fn.f(c.x), c.want); err > fn.bound {
			t.Errorf("%s(%x) = %v, true %v: %.3f ULP", c.name, c.x, fn.f(c.x), c.want, err)
		}
	}
}

// TestSpecialValues has the cases that C99's annex F lists.
func TestSpecialValues(t *testing.T) {
	inf, nan := float32(math.Inf(1)), math.Float32frombits(0xFF812345)
	neg0 := float32(math.Copysign(0, -1))
	const pi, half = 0x1.921fb6p+1, 0x1.921fb6p+0
	cases := []struct {
		name    string
		x, want float32
	}{
		{"Exp", 0, 1}, {"Exp", neg0, 1}, {"Exp", inf, inf}, {"Exp", -inf, 0}, {"Exp", 88.8, inf}, {"Exp", -104, 0}, {"Exp", -0x1.9d1da0p+6, 0x1p-149},
		{"Log", 1, 0}, {"Log", 0, -inf}, {"Log", neg0, -inf}, {"Log", -1, nan}, {"Log", -inf, nan}, {"Log", inf, inf},
		{"Tanh", neg0, neg0}, {"Tanh", inf, 1}, {"Tanh", -inf, -1}, {"Tanh", 0x1p-149, 0x1p-149},
		{"Sigmoid", 0, 0.5}, {"Sigmoid", inf, 1}, {"Sigmoid", -inf, 0}, {"Sigmoid", -200, 0},
		{"Erf", neg0, neg0}, {"Erf", inf, 1}, {"Erf", -inf, -1},
		{"Sin", neg0, neg0}, {"Sin", 0x1p-149, 0x1p-149}, {"Sin", inf, nan}, {"Sin", -inf, nan},
		{"Cos", 0, 1}, {"Cos", inf, nan}, {"Tan", neg0, neg0}, {"Tan", -inf, nan},
		{"Softplus", -inf, 0}, {"Softplus", inf, inf}, {"Softplus", 100, 100},
		{"Sqrt", neg0, neg0}, {"Sqrt", -1, nan}, {"Sqrt", inf, inf}, {"Sqrt", 0x1p-148, 0x1p-74}, {"Sqrt", 9, 3},
		{"Rsqrt", 0, inf}, {"Rsqrt", neg0, -inf}, {"Rsqrt", -1, nan}, {"Rsqrt", inf, 0}, {"Rsqrt", 0.25, 2},
		{"Reciprocal", 0, inf}, {"Reciprocal", neg0, -inf}, {"Reciprocal", -inf, neg0}, {"Reciprocal", 0x1p127, 0x1p-127},
		{"Expm1", neg0, neg0}, {"Expm1", -inf, -1}, {"Expm1", inf, inf}, {"Expm1", 0x1p-149, 0x1p-149},
		{"Log2", 1, 0}, {"Log2", 0x1p-149, -149}, {"Log2", 0x1p127, 127}, {"Log2", 0, -inf}, {"Log2", -1, nan}, {"Log2", inf, inf},
		{"Sinh", neg0, neg0}, {"Sinh", inf, inf}, {"Sinh", -inf, -inf}, {"Cosh", 0, 1}, {"Cosh", -inf, inf},
		{"Asinh", neg0, neg0}, {"Asinh", -inf, -inf}, {"Acosh", 1, 0}, {"Acosh", 0.5, nan}, {"Acosh", -inf, nan}, {"Acosh", inf, inf},
		{"Atanh", neg0, neg0}, {"Atanh", 1, inf}, {"Atanh", -1, -inf}, {"Atanh", 1.5, nan},
		{"Asin", neg0, neg0}, {"Asin", 1, half}, {"Asin", -1, -half}, {"Asin", 1.5, nan}, {"Asin", inf, nan},
		{"Acos", 1, 0}, {"Acos", -1, pi}, {"Acos", 0, half}, {"Acos", -1.5, nan},
		{"Atan", neg0, neg0}, {"Atan", inf, half}, {"Atan", -inf, -half},
	}
	for _, c := range cases {
		got := byName(t, c.name).f(c.x)
		if math.Float32bits(got) != math.Float32bits(Canonical(c.want)) {
			t.Errorf("%s(%v) = %v (%#08x), want %v", c.name, c.x, got, math.Float32bits(got), c.want)
		}
	}
	for _, fn := range functions {
		for _, b := range []uint32{0x7FC00000, 0xFFC00000, 0x7F800001, 0xFFFFFFFF} {
			if got := math.Float32bits(fn.f(math.Float32frombits(b))); got != canonicalNaN {
				t.Errorf("%s(NaN %#08x) = %#08x, want the canonical NaN", fn.name, b, got)
			}
		}
	}
}

func TestSymmetry(t *testing.T) {
	odd := []string{"Tanh", "Erf", "Sin", "Tan", "Reciprocal", "Sinh", "Asinh", "Atanh", "Asin", "Atan"}
	even := []string{"Cos", "Cosh"}
	for i, name := range append(odd, even...) {
		f := byName(t, name).f
		r := rand.New(rand.NewPCG(9, uint64(i)))
		for range 20_000 {
			x := math.Float32frombits(r.Uint32())
			want := f(x)
			if i < len(odd) {
				want = Canonical(-want)
			}
			if got := f(-x); math.Float32bits(got) != math.Float32bits(want) {
				t.Errorf("%s(%v) = %v, but %s(%v) = %v", name, -x, got, name, x, f(x))
			}
		}
	}
}
