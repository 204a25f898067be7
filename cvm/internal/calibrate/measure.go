package main

import (
	"context"
	"slices"
	"time"

	"github.com/concord-nn/concord/cvm"
	"github.com/concord-nn/concord/engine"
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/testing/cvm/random"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// measure runs a model and adds what each of its nodes takes.
func measure(m model, each time.Duration, samples map[string][]sample) error {
	files, err := random.Of(1, m.graph())
	if err != nil {
		return err
	}
	loaded, err := cvm.Load(cvm.Files{Symbol: files.Symbol, Params: files.Params}, cvm.Options{})
	if err != nil {
		return err
	}
	defer loaded.Close()
	g, err := loaded.Encoded()
	if err != nil {
		return err
	}
	p, err := engine.Compile(g, engine.Options{Threads: 1, NoOptimize: true}) // so that every node is a unit
	if err != nil {
		return err
	}
	s, err := p.NewSession()
	if err != nil {
		return err
	}
	for i, v := range m.in[0].Data {
		if narrow := tensor.Data[int8](s.Input(0)); narrow != nil {
			narrow[i] = int8(v)
		} else {
			tensor.Data[int32](s.Input(0))[i] = int32(v)
		}
	}

	took := make(map[*graph.Node][]time.Duration)
	s.Observe(&engine.Observer{Node: func(o *engine.Observation) {
		if o.Unit != nil {
			took[o.Node] = append(took[o.Node], o.Took)
		}
	}})
	for start, runs := time.Now(), 0; runs < 3 || time.Since(start) < each; runs++ {
		if err := s.Run(context.Background()); err != nil {
			return err
		}
	}
	for n, list := range took {
		c, _, err := op.NodeCost(n)
		if err != nil {
			return err
		}
		slices.Sort(list)
		elements := 0
		for _, v := range n.Out {
			elements += v.Type.Shape.Len()
		}
		samples[n.Op] = append(samples[n.Op], sample{
			float64(c.MACs + c.Ops), float64(elements), float64(list[len(list)/4].Nanoseconds()), // not what others on the machine make of it
		})
	}
	return nil
}
