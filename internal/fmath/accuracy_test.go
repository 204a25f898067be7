package fmath

import (
	"fmt"
	"math"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/concord-nn/concord/internal/testdata"
)

// function is a one-argument function with its reference and the error that docs/numerics.md states.
type function struct {
	name  string
	f     func(float32) float32
	ref   func(float64) float64
	bound float64 // in units in the last place
}

// functions lists every one-argument function of the package.
var functions = []function{
	{"Exp", Exp[float32], math.Exp, 1},
	{"Log", Log[float32], math.Log, 1},
	{"Tanh", Tanh[float32], math.Tanh, 1},
	{"Sigmoid", Sigmoid[float32], sigmoid64, 1},
	{"Erf", Erf[float32], math.Erf, 1},
	{"Gelu", Gelu[float32], gelu64, 2.3},
	{"Sin", Sin[float32], math.Sin, 1},
	{"Cos", Cos[float32], math.Cos, 1},
	{"Tan", Tan[float32], math.Tan, 1},
	{"Softplus", Softplus[float32], softplus64, 1.2},
	{"Sqrt", Sqrt[float32], math.Sqrt, 0.5},
	{"Rsqrt", Rsqrt[float32], rsqrt64, 0.50001},
	{"Reciprocal", Reciprocal[float32], func(x float64) float64 { return 1 / x }, 0.5000001},
	{"Expm1", Expm1[float32], math.Expm1, 0.50001},
	{"Log2", Log2[float32], math.Log2, 0.50001},
	{"Sinh", Sinh[float32], func(x float64) float64 { return math.Copysign(math.Sinh(math.Abs(x)), x) }, 0.50001}, // on s390x Go's is +Inf far below 0
	{"Cosh", Cosh[float32], math.Cosh, 0.50001},
	{"Asinh", Asinh[float32], math.Asinh, 0.50001},
	{"Acosh", Acosh[float32], math.Acosh, 0.50001},
	{"Atanh", Atanh[float32], math.Atanh, 0.50001},
	{"Asin", Asin[float32], math.Asin, 0.50001},
	{"Acos", Acos[float32], math.Acos, 0.50001},
	{"Atan", Atan[float32], math.Atan, 0.50001},
}

func sigmoid64(x float64) float64 {
	e := math.Exp(-math.Abs(x))
	if x < 0 {
		return e / (1 + e)
	}
	return 1 / (1 + e)
}

func gelu64(x float64) float64 { return x * 0.5 * math.Erfc(-x/math.Sqrt2) }

func softplus64(x float64) float64 { return max(x, 0) + math.Log1p(math.Exp(-math.Abs(x))) }

func rsqrt64(x float64) float64 { return 1 / math.Sqrt(x) }

// ulps returns the distance of got from the true value want, in units in the last place of a
// float32 of want's size. Infinite means wrong in kind: NaN, infinity, sign of zero.
func ulps(got float32, want float64) float64 {
	if math.IsNaN(want) {
		if math.Float32bits(got) == canonicalNaN {
			return 0
		}
		return math.Inf(1)
	}
	g := float64(got)
	if math.Signbit(g) != math.Signbit(want) || g != g {
		return math.Inf(1)
	}
	if math.IsInf(g, 0) {
		if math.Abs(want) >= 0x1p128 {
			return 0
		}
		g = math.Copysign(0x1p128, g) // what an infinity stands for when the true value is finite
	}
	// The exponent field of want, at least that of 2^-126 and at most that of 2^127, less 23.
	e := min(max(math.Float64bits(want)>>52&0x7FF, 1023-126), 1023+127) - 23
	return math.Abs(g-want) / math.Float64frombits(e<<52)
}

// worst is the largest error seen, and where.
type worst struct {
	err float64
	at  uint32
}

func (w *worst) see(err float64, at uint32) {
	if err > w.err {
		w.err, w.at = err, at
	}
}

// measure returns the worst case of fn over the arguments with bit patterns first, first+step … below end.
func measure(fn function, first, end, step uint64) (w worst) {
	for b := first; b < end; b += step {
		x := math.Float32frombits(uint32(b))
		w.see(ulps(fn.f(x), fn.ref(float64(x))), uint32(b))
	}
	return w
}

func (fn function) judge(t *testing.T, w worst) {
	t.Helper()
	x := math.Float32frombits(w.at)
	msg := fmt.Sprintf("%-10s %.6f ULP at %v (%#08x): got %v, true %v",
		fn.name, w.err, x, w.at, fn.f(x), fn.ref(float64(x)))
	if w.err > fn.bound {
		t.Errorf("%s, more than %v", msg, fn.bound)
	} else {
		t.Log(msg)
	}
}

func TestAccuracySampled(t *testing.T) {
	step := 1<<32/uint64(testdata.Cases(70_000, 700_000)) | 1 // odd: all exponents
	near := uint64(testdata.Cases(500, 2000))
	for _, fn := range functions {
		t.Run(fn.name, func(t *testing.T) {
			t.Parallel()
			w := measure(fn, 0, 1<<32, step)
			// Every function's neighbourhoods of 0, ±1, ±2^k and the bounds of overflow and underflow.
			for _, c := range []float64{0, 0x1p-149, 0x1p-126, 1. / 3, 0.5, 2. / 3, 0.75, 1, math.Pi / 2, 2, 4, 9.01, 14.36, 14.5, 88.72, 89.41, -87.33, -103.97, 32768, math.MaxFloat32, math.Inf(1)} {
				for _, s := range []uint64{0, 1 << 31} {
					b := uint64(math.Float32bits(float32(c))) ^ s
					v := measure(fn, max(b, near)-near, min(b+near, 1<<32), 1)
					w.see(v.err, v.at)
				}
			}
			fn.judge(t, w)
		})
	}
}

func TestAccuracyExhaustive(t *testing.T) {
	testdata.Exhaustive(t, "it measures all 2^32 arguments, for an hour")
	const chunk = 1 << 22
	for _, fn := range functions {
		t.Run(fn.name, func(t *testing.T) {
			var (
				next atomic.Uint64
				mu   sync.Mutex
				all  worst
				wg   sync.WaitGroup
			)
			for range runtime.GOMAXPROCS(0) {
				wg.Go(func() {
					for {
						first := next.Add(chunk) - chunk
						if first >= 1<<32 {
							return
						}
						w := measure(fn, first, first+chunk, 1)
						mu.Lock()
						all.see(w.err, w.at)
						mu.Unlock()
					}
				})
			}
			wg.Wait()
			fn.judge(t, all)
		})
	}
}
