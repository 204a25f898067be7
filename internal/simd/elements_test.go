package simd_test

import (
	"flag"
	"maps"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/concord-nn/concord/internal/fmath"
	"github.com/concord-nn/concord/internal/simd"
)

var every = flag.Uint64("every", 9973, "compare functions at every so many of the 2^32 operands; 1 for all")

// functions are the ones of package fmath that routines repeat.
var functions = map[string]func(float32) float32{
	"exp":      fmath.Exp[float32],
	"log":      fmath.Log[float32],
	"tanh":     fmath.Tanh[float32],
	"erf":      fmath.Erf[float32],
	"sigmoid":  fmath.Sigmoid[float32],
	"softplus": fmath.Softplus[float32],
	"sqrt":     fmath.Sqrt[float32],
	"rcp":      fmath.Reciprocal[float32],
	"rsqrt":    fmath.Rsqrt[float32],
	"expm1":    fmath.Expm1[float32],
	"log2":     fmath.Log2[float32],
	"asin":     fmath.Asin[float32],
	"acos":     fmath.Acos[float32],
	"atan":     fmath.Atan[float32],
	"sinh":     fmath.Sinh[float32],
	"cosh":     fmath.Cosh[float32],
	"asinh":    fmath.Asinh[float32],
	"acosh":    fmath.Acosh[float32],
	"atanh":    fmath.Atanh[float32],
	"cube":     func(x float32) float32 { return fmath.Pow(x, 3) },
	"sin":      fmath.Sin[float32],
	"cos":      fmath.Cos[float32],
	"tan":      fmath.Tan[float32],
}

// moderate are those whose routines are for |x| < 2¹⁵.
var moderate = []string{"sin", "cos", "tan"}

// TestFunctions compares the bits of functions, of which package kernel sees only some thousand, with those of package fmath: at many operands, or at all.
func TestFunctions(t *testing.T) {
	const n = 1 << 12
	step := max(*every, 1)
	for _, tier := range tiers {
		if !tier.Hardware() {
			continue
		}
		for name, want := range functions {
			t.Run(tier.Name+"/"+name, func(t *testing.T) {
				t.Parallel()
				x, y := make([]float32, n), make([]float32, n)
				routine := tier.Elements[name]
				for first := uint64(0); first < 1<<32; first += n * step {
					for i := range x {
						x[i] = math.Float32frombits(uint32(first + uint64(i)*step))
					}
					routine.Run(&simd.ElementsArgs{X: simd.At(x, 0), Z: simd.At(y, 0), N: n})
					for i, v := range x {
						if !(math.Abs(float64(v)) < 1<<15) && slices.Contains(moderate, name) {
							continue
						}
						if w := want(v); math.Float32bits(y[i]) != math.Float32bits(w) {
							t.Fatalf("%s(%x) = %x, want %x", name, math.Float32bits(v), math.Float32bits(y[i]), math.Float32bits(w))
						}
					}
				}
			})
		}
	}
}

// BenchmarkElements says how long a routine takes for an element, with operands in the first-level cache.
func BenchmarkElements(b *testing.B) {
	const n = 1 << 11
	x, y, z := make([]float32, n), make([]float32, n), make([]float32, n)
	for i := range x {
		x[i], y[i] = float32(i%97)/16-3, float32(i%31)/8-2
	}
	for _, e := range slices.Sorted(maps.Keys(simd.AVX2.Elements)) {
		for _, tier := range tiers {
			if !tier.Hardware() {
				continue
			}
			b.Run(e+"/"+tier.Name, func(b *testing.B) {
				routine := tier.Elements[e]
				args := &simd.ElementsArgs{X: simd.At(x, 0), Y: simd.At(y, 0), V: simd.At(y, 0), W: simd.At(y, 0), Z: simd.At(z, 0), XMask: -1, YMask: -1, VMask: -1, WMask: -1, N: n, A: 0.5}
				least := time.Hour // others use the machine, too
				for range b.N {
					start := time.Now()
					routine.Run(args)
					least = min(least, time.Since(start))
				}
				b.ReportMetric(float64(least.Nanoseconds())/n, "ns/element")
			})
		}
	}
}
