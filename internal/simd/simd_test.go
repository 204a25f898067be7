package simd

import (
	"slices"
	"testing"
	"time"
)

// tiers lists those with routines.
var tiers = []*Tier{&AVX512, &AVX2}

func TestHardware(t *testing.T) {
	for _, tier := range tiers {
		t.Logf("%s: this processor has it: %v", tier.Name, tier.Hardware())
	}
}

// TestCheck refuses names of tiers that there are not, or not on this processor.
func TestCheck(t *testing.T) {
	for _, name := range append([]string{"", "avx", "AVX2"}, order...) {
		t.Setenv(Variable, name)
		i := slices.IndexFunc([]*Tier{&VNNI, &AVX512, &AVX2}, func(t *Tier) bool { return t.Name == name })
		want := name == "" || name == "portable" || i >= 0 && []*Tier{&VNNI, &AVX512, &AVX2}[i].Hardware()
		if err := Check(); (err == nil) != want {
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
		if n := testing.AllocsPerRun(10, func() { tier.Peak.Run(&PeakArgs{Rounds: 1}) }); n != 0 {
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
				tier.Peak.Run(&PeakArgs{Rounds: rounds})
			}
			adds := float64(b.N) * rounds * PeakAdds * float64(tier.Lanes)
			b.ReportMetric(adds/time.Since(start).Seconds()/1e9, "GMAC/s")
		})
	}
}
