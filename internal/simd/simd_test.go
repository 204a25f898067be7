package simd_test

import (
	"slices"
	"testing"
	"time"

	"github.com/concord-nn/concord/internal/simd"
)

// tiers lists those with routines.
var tiers = []*simd.Tier{&simd.AVX512, &simd.AVX2}

func TestHardware(t *testing.T) {
	for _, tier := range tiers {
		t.Logf("%s: this processor has it: %v", tier.Name, tier.Hardware())
	}
}

// TestCheck refuses names of tiers that there are not, or not on this processor.
func TestCheck(t *testing.T) {
	for _, name := range []string{"", "avx", "AVX2", simd.VNNI.Name, simd.AVX512.Name, simd.AVX2.Name, "portable"} {
		t.Setenv(simd.Variable, name)
		i := slices.IndexFunc([]*simd.Tier{&simd.VNNI, &simd.AVX512, &simd.AVX2}, func(t *simd.Tier) bool { return t.Name == name })
		want := name == "" || name == "portable" || i >= 0 && []*simd.Tier{&simd.VNNI, &simd.AVX512, &simd.AVX2}[i].Hardware()
		if err := simd.Check(); (err == nil) != want {
			t.Errorf("%q: %v", name, err)
		}
	}
}

// TestArgs runs a routine whose Args are on the stack.
func TestArgs(t *testing.T) {
	for _, tier := range tiers {
		if !tier.Hardware() {
			continue
		}
		if n := testing.AllocsPerRun(10, func() { tier.Peak.Run(&simd.PeakArgs{Rounds: 1}) }); n != 0 {
			t.Errorf("%s: %v allocations", tier.Name, n)
		}
	}
}

// BenchmarkPeak says how many multiply-adds a second the processor can do.
func BenchmarkPeak(b *testing.B) {
	for _, tier := range tiers {
		if !tier.Hardware() {
			continue
		}
		b.Run(tier.Name, func(b *testing.B) {
			const rounds = 1000
			start := time.Now()
			for range b.N {
				tier.Peak.Run(&simd.PeakArgs{Rounds: rounds})
			}
			adds := float64(b.N) * rounds * simd.PeakAdds * float64(tier.Lanes)
			b.ReportMetric(adds/time.Since(start).Seconds()/1e9, "GMAC/s")
		})
	}
}
