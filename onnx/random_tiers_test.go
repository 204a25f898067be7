package onnx_test

import (
	"testing"

	"github.com/concord-nn/concord/engine"
	"github.com/concord-nn/concord/internal/kernel"
	"github.com/concord-nn/concord/internal/simd"
	"github.com/concord-nn/concord/internal/testdata"
	"github.com/concord-nn/concord/internal/testing/onnx/random"
)

// TestRandomTiers compares random networks between tiers and numbers of threads, and with the references: results are the same, or there is none in all.
func TestRandomTiers(t *testing.T) {
	for seed := range uint64(testdata.Cases(100, 20_000)) {
		for _, m := range []*random.Model{random.Graph(seed), random.Quantised(seed, 1+int(seed)%5)} {
			run := runs(m.Proto)
			want, refused := run(m.Inputs, engine.Options{Threads: 1, NoOptimize: true})
			if refused != nil && seed < 200 {
				t.Errorf("%v\n%s", refused, describe(m))
			}
			compare := func(tier string, o engine.Options) {
				got, err := run(m.Inputs, o)
				if (err == nil) != (refused == nil) {
					t.Errorf("tier %s, %+v: got error %v; want %v\n%s", tier, o, err, refused, describe(m))
				} else if err := sameBits(got, want); err != nil {
					t.Errorf("tier %s, %+v: %v\n%s", tier, o, err, describe(m))
				}
			}
			for i, tier := range kernel.TiersInUse() {
				t.Setenv(simd.Variable, tier)
				compare(tier, engine.Options{Threads: 1 + (i+int(seed))%2})
			}
			t.Setenv(simd.Variable, "")
			compare("any", engine.Options{Threads: 2, NoOptimize: true})
		}
	}
}
