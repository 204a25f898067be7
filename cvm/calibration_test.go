package cvm

import (
	"context"
	"testing"
	"time"

	"github.com/concord-nn/concord/engine"
	"github.com/concord-nn/concord/internal/testdata"
	"github.com/concord-nn/concord/internal/testing/cvm/random"
)

// views are operators that only give their operand's elements another shape. They cost nothing unless they copy an output, and then as much
// as operators without weights of their own.
var views = map[string]bool{"reshape": true, "unsqueeze": true, "squeeze": true}

// TestCostWeights makes sure that every operator to which models are lowered has been measured.
func TestCostWeights(t *testing.T) {
	for operator, w := range costWeights {
		if w.perOp < 0 || w.perElement < 0 || w.perOp+w.perElement <= 0 || w.perNode <= 0 {
			t.Errorf("%q has the weights %+v", operator, w)
		}
	}
	missing := make(map[string]bool)
	for seed := range uint64(150) {
		m := random.New(seed, random.Options{Strict: true})
		model, err := Load(Files{Symbol: m.Symbol, Params: m.Params}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, u := range model.program.Units() {
			for _, n := range u.Nodes {
				if _, ok := costWeights[n.Op]; !ok && !views[n.Op] {
					missing[n.Op] = true
				}
			}
		}
		model.Close()
	}
	for operator := range missing {
		t.Errorf("%s has no weights: run go generate ./cvm", operator)
	}
}

// BenchmarkCost measures models and reports how long a unit of cost takes for each: the numbers should be alike, and like the time of a
// multiply-add in a large convolution.
func BenchmarkCost(b *testing.B) {
	for _, name := range []string{"lenet", "mobilenet-mini", "resnet-mini", "resnet20-cifar", "text-embed", "shape-zoo"} {
		b.Run(name, func(b *testing.B) {
			model, err := Open(testdata.Shared(b, "conformance", "cvm", "models", name), Options{Engine: engine.Options{Threads: 1}})
			if err != nil {
				b.Fatal(err)
			}
			defer model.Close()
			s, err := model.session(context.Background())
			if err != nil {
				b.Fatal(err)
			}
			took := time.Duration(0)
			s.Observe(&engine.Observer{Node: func(o *engine.Observation) { took += o.Took }})
			for b.Loop() {
				if err := s.Run(context.Background()); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(took.Nanoseconds())/float64(b.N)/float64(model.Admission().Cost), "ns/cost")
		})
	}
}
