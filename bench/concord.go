package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/concord-nn/concord"
	"github.com/concord-nn/concord/engine"
	"github.com/concord-nn/concord/internal/kernel"
	"github.com/concord-nn/concord/internal/measure"
	"github.com/concord-nn/concord/model"
	"github.com/concord-nn/concord/tensor"
)

// concordPlayer plays a model in Concord.
type concordPlayer struct{ session *model.Session }

func (p *concordPlayer) perform(r *request) (*answer, error) {
	switch {
	case r.Do == "load":
		return p.load(r)
	case p.session == nil:
		return nil, errors.New("no model is loaded")
	case r.Do == "run":
		return p.run(r)
	case r.Do == "outputs":
		return p.outputs(r)
	}
	return nil, fmt.Errorf("there is no request %q", r.Do)
}

func (p *concordPlayer) load(r *request) (*answer, error) {
	began := time.Now()
	m, err := concord.Open(r.Model)
	if err != nil {
		return nil, err
	}
	shapes := make(model.Shapes)
	for _, in := range r.Inputs {
		shapes[in.Name] = in.Shape
	}
	if p.session, err = m.Programs(concord.Options{Threads: r.Threads}).Session(shapes); err != nil {
		return nil, err
	}
	a := &answer{Load: float64(time.Since(began)) / 1e6, Tier: kernel.TiersInUse()[0]}
	for i, port := range p.session.Inputs() {
		for _, in := range r.Inputs {
			if in.Name != port.Name {
				continue
			}
			elements, err := os.ReadFile(in.File)
			if err != nil {
				return nil, err
			}
			t, err := tensor.FromRaw(port.Type.DType, port.Type.Shape, elements)
			if err == nil {
				err = p.session.SetInput(i, t)
			}
			if err != nil {
				return nil, fmt.Errorf("%s: %w", in.File, err)
			}
		}
	}
	if !r.Count {
		return a, nil
	}
	a.MACs = make(map[string]int64)
	p.session.Observe(&engine.Observer{Unit: func(u *engine.Unit, _ time.Time, _ time.Duration) {
		if u.Blocks == nil {
			a.MACs[u.DType().String()] += u.Cost.MACs
		}
	}})
	err = p.session.Run(context.Background())
	p.session.Observe(nil)
	return a, err
}

func (p *concordPlayer) run(r *request) (*answer, error) {
	run := func() error { return p.session.Run(context.Background()) }
	if err := run(); err != nil {
		return nil, err
	}
	before := cpuTime()
	var times measure.Times
	for began := time.Now(); len(times) < r.Least || float64(time.Since(began)) < r.Milliseconds*1e6; {
		at := time.Now()
		if err := run(); err != nil {
			return nil, err
		}
		times = append(times, time.Since(at))
	}
	a := &answer{CPU: float64(cpuTime()-before) / 1e6 / float64(max(len(times), 1)), RSS: float64(measure.PeakMemory()) / (1 << 20)}
	for _, t := range times {
		a.Times = append(a.Times, float64(t)/1e6)
	}
	return a, nil
}

func (p *concordPlayer) outputs(r *request) (*answer, error) {
	p.session.Reset()
	if err := p.session.Run(context.Background()); err != nil {
		return nil, err
	}
	a := new(answer)
	for i, port := range p.session.Outputs() {
		file := filepath.Join(r.Folder, fmt.Sprintf("concord-%d.bin", i))
		if err := os.WriteFile(file, tensor.AppendRaw(nil, p.session.Output(i)), 0o600); err != nil {
			return nil, err
		}
		a.Outputs = append(a.Outputs, array{port.Name, port.Type.DType.String(), port.Type.Shape, file})
	}
	return a, nil
}
