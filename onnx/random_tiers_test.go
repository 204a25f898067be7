package onnx_test

import (
	"fmt"
	"testing"

	"github.com/concord-nn/concord/engine"
	"github.com/concord-nn/concord/internal/kernel"
	"github.com/concord-nn/concord/internal/simd"
	"github.com/concord-nn/concord/internal/testdata"
	"github.com/concord-nn/concord/internal/testing/onnx/random"
	"github.com/concord-nn/concord/model"
)

// TestRandomTiers compares random networks between tiers and numbers of threads, and with the references: results are the same, or there is none in all.
func TestRandomTiers(t *testing.T) {
	var cases []*random.Model
	for seed := range uint64(testdata.Cases(200, 20_000)) {
		cases = append(cases, random.Graph(seed), random.Quantised(seed, 1+int(seed)%5))
	}
	same := func(got, want model.Values) error {
		for name, w := range want {
			if g := got[name]; g == nil || g.Describe() != w.Describe() || string(g.Contiguous().Bytes()) != string(w.Contiguous().Bytes()) {
				return fmt.Errorf("%s is %v; want %v", name, g, w)
			}
		}
		return nil
	}
	for _, m := range cases {
		run := runs(m.Proto)
		want, refused := run(m.Inputs, engine.Options{Threads: 1, NoOptimize: true})
		for i, tier := range kernel.TiersInUse() {
			t.Setenv(simd.Variable, tier)
			got, err := run(m.Inputs, engine.Options{Threads: 1 + i%2})
			if (err == nil) != (refused == nil) {
				t.Errorf("tier %s: got error %v; want %v\n%s", tier, err, refused, describe(m))
			} else if err := same(got, want); err != nil {
				t.Errorf("tier %s: %v\n%s", tier, err, describe(m))
			}
		}
		t.Setenv(simd.Variable, "")
	}
}
