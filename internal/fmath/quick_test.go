package fmath

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/concord-nn/concord/internal/testdata"
)

// TestQuickExp holds functions that take the quick exponential to those by the one of many digits, bit for bit, and its error to what it says.
func TestQuickExp(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	unsure, n := 0, testdata.Cases(200_000, 10_000_000)
	for i := range n {
		x := (r.Float64() - 0.5) * []float64{2, 20, 100, 1500}[i%4]
		if at := i/2 - 48_000; at < 48_000 { // between two powers of the table
			x = math.Nextafter((float64(at)+0.5)*math.Ln2/128, float64(i%2*2-1)*1e9)
		}
		x = max(-750, min(x, 710))
		m, n := quickPair(x)
		w, k := expOf(pair{x, 0})
		if off := w.scaled(pow2By64(float64(k - n))).plus(m.neg()); math.Abs(off.value()) > quickError/2 {
			t.Fatalf("quickExp(%x) is off by %x", x, off.value())
		}
		if !m.sure(quickError) {
			unsure++
		}
		if got, want := expDouble(x), scale64(w.value(), k); got != want {
			t.Fatalf("Exp(%x) = %x, want %x", x, got, want)
		}
		w, k = expOf(pair{-math.Abs(x), 0})
		d := pair{1, 0}.plus(w.scaled(pow2By64(float64(max(k, -200)))))
		want := pair{1, 0}.over(d).value()
		if x < 0 {
			want = scale64(w.over(d).value(), k)
		}
		if got := sigmoidDouble(x); got != want {
			t.Fatalf("Sigmoid(%x) = %x, want %x", x, got, want)
		}
		u := expm1Of(pair{2 * min(math.Abs(x), 22), 0})
		if got, want := tanhDouble(x), math.Copysign(u.over(u.plus(pair{2, 0})).value(), x); got != want {
			t.Fatalf("Tanh(%x) = %x, want %x", x, got, want)
		}
	}
	for range n {
		x, y := math.Ldexp(1+r.Float64(), r.IntN(20)-10), (r.Float64()-0.5)*[]float64{4, 40, 180}[r.IntN(3)]
		if r.IntN(8) == 0 {
			x, y = math.Float64frombits(r.Uint64N(0x7FF<<52-1)+1), float64(r.IntN(20))/4-2
		}
		w := logOf(pair{x, 0})
		if off := w.plus(quickLog(x).neg()); math.Abs(off.value()) > quickError/2 {
			t.Fatalf("quickLog(%x) is off by %x", x, off.value())
		}
		if got, want := logDouble(x), w.value(); got != want {
			t.Fatalf("Log(%x) = %x, want %x", x, got, want)
		}
		if p := w.times(pair{y, 0}); math.Abs(p.hi) < 750 {
			m, k := expOf(p)
			if got, want := powDouble(x, y), scale64(m.value(), k); got != want {
				t.Fatalf("Pow(%x, %x) = %x, want %x", x, y, got, want)
			}
		}
	}
	if unsure > n/100 {
		t.Errorf("%d of %d exponentials are found twice", unsure, n)
	}
}
