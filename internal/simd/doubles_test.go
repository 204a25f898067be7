package simd_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/concord-nn/concord/internal/fmath"
	"github.com/concord-nn/concord/internal/simd"
	"github.com/concord-nn/concord/internal/testdata"
)

// TestDoubles holds the functions of float64 that routines know, which must be nearly all of ordinary arguments, to those of package fmath.
func TestDoubles(t *testing.T) {
	one := func(f func(float64) float64) func(x, y float64) float64 {
		return func(x, _ float64) float64 { return f(x) }
	}
	functions := map[string]func(x, y float64) float64{"exp": one(fmath.Exp[float64]), "sigmoid": one(fmath.Sigmoid[float64]), "tanh": one(fmath.Tanh[float64]),
		"log": one(fmath.Log[float64]), "sin": one(fmath.Sin[float64]), "cos": one(fmath.Cos[float64]), "pow": fmath.Pow[float64]}
	const n = 1 << 10
	rounds := testdata.Cases(40, 10_000)
	for _, tier := range tiers {
		if !tier.Hardware() || tier.Doubles == nil {
			continue
		}
		for name, want := range functions {
			t.Run(tier.Name+"/"+name, func(t *testing.T) {
				t.Parallel()
				r := rand.New(rand.NewPCG(3, uint64(len(name))))
				x, y, z := make([]float64, n), make([]float64, n), make([]float64, n)
				table := fmath.Exponentials()
				if name == "sin" || name == "cos" {
					table = fmath.Sines()
				}
				routine, unknown, ordinary := tier.Doubles[name], 0, 0
				for round := range rounds {
					for i := range x {
						x[i], y[i] = (r.Float64()-0.5)*[]float64{4, 40, 1500, 33000}[round%4], (r.Float64()-0.5)*[]float64{4, 220}[min(round%20, i%2)]
						switch {
						case round%5 == 1: // between two entries of a table
							step := math.Ln2 / 128
							if name == "sin" || name == "cos" {
								step = math.Pi / 128
							}
							x[i] = (float64(r.IntN(1<<16)-1<<15)+float64(r.IntN(2))/2)*step + (r.Float64()-0.5)*0x1p-30
						case round%5 == 2 && i%4 == 0:
							x[i] = math.Float64frombits(r.Uint64())
						case round%5 == 3:
							x[i] = 1 + (r.Float64()-0.5)*math.Ldexp(1, -r.IntN(50))
						case round%5 == 4:
							x[i], y[i] = float64(r.IntN(64)), float64(r.IntN(40))/4-5
						}
						if name == "log" || name == "pow" && i%8 > 0 {
							x[i] = math.Abs(x[i])
						}
					}
					routine.Run(&simd.DoublesArgs{X: simd.At(x, 0), Y: simd.At(y, 0), Z: simd.At(z, 0), Table: simd.At(table, 0), N: n / 8})
					for i, v := range z {
						if round%20 == 0 && i%8 > 0 {
							if ordinary++; v != v {
								unknown++
							}
						}
						if w := want(x[i], y[i]); v == v && math.Float64bits(v) != math.Float64bits(w) {
							t.Fatalf("%s(%x, %x) = %x, want %x", name, x[i], y[i], v, w)
						}
					}
				}
				if unknown > ordinary/40 {
					t.Errorf("%d of %d ordinary results are unknown", unknown, ordinary)
				}
			})
		}
	}
}
