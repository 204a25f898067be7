package engine

import (
	"context"
	"errors"
	"sort"
	"sync"
	"sync/atomic"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/mapfile"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// Program is a compiled graph. It does not change and may be used by any number of goroutines. Its worker goroutines
// start with the first run that has use for them and end with [Program.Close] or [Program.EndWorkers], or when the program and its sessions are
// no longer reachable.
type Program struct {
	*code
	given    *graph.Graph  // to Compile
	origin   *graph.Origin // leads from given to the graph
	inputs   []Port
	outputs  []Port
	packs    *packs
	limits   Limits
	pool     *pool
	sessions sync.Pool // of *Session, for Run
	closed   atomic.Bool
}

// Port is an input or an output of a program.
type Port struct {
	Name string
	Type op.Type
}

// String writes the port as "image: float32[1,3,240,320]".
func (p Port) String() string { return p.Name + ": " + p.Type.String() }

// Inputs returns the inputs in the order of the graph. The caller must not change them.
func (p *Program) Inputs() []Port { return p.inputs }

// Outputs returns the outputs in the order of the graph. The caller must not change them.
func (p *Program) Outputs() []Port { return p.outputs }

// Graph returns the graph that is executed: specialised and rewritten. The caller must not change it. Constants that Compile has computed and
// that only kernels read, in a form of their own, are let go of when the first session is made: see [tensor.Tensor.Discard].
func (p *Program) Graph() *graph.Graph {
	if p.code == nil {
		return nil
	}
	return p.graph
}

// Units returns what is evaluated, in order. The caller must not change it.
func (p *Program) Units() []*Unit {
	if p.code == nil {
		return nil
	}
	return p.units
}

// Cost returns what one run takes: the sum of the costs of the units.
func (p *Program) Cost() op.Cost {
	if p.code == nil {
		return op.Cost{}
	}
	return p.cost
}

// Plan returns how a session lays out its memory. The caller must not change it.
func (p *Program) Plan() Plan {
	if p.code == nil {
		return Plan{}
	}
	return p.layout.Plan
}

// errClosed is the error of new work of a program that was closed.
var errClosed = mapfile.Closed("the program")

// Close ends the program for new work: [Program.Run] and [Program.NewSession] are an error afterwards, fs.ErrClosed. Runs under way end as they
// would have, and sessions that were made run on, with the same results, on their callers' goroutines alone. It may be called at any time, by any
// goroutine, and more than once.
func (p *Program) Close() {
	if p != nil {
		p.closed.Store(true)
		p.EndWorkers()
	}
}

// EndWorkers ends the program's worker goroutines for good, as of a program that will hardly be used again: runs under way, and runs that follow,
// compute on their callers' goroutines alone.
func (p *Program) EndWorkers() {
	if p != nil && p.pool != nil {
		p.pool.close()
	}
}

// Run evaluates the program on the inputs of the given names, which may be strided views, and returns its outputs, which
// belong to the caller. Any number of goroutines may call it at the same time. States start from their first content in
// every call; a [Session] keeps them. Inputs that are not as they must be are *InputError, joined if there are several.
func (p *Program) Run(ctx context.Context, inputs map[string]*tensor.Tensor) (_ map[string]*tensor.Tensor, err error) {
	defer mapfile.Recover(mapfile.Watch(), &err)
	if p == nil {
		return nil, errNoProgram
	}
	if p.closed.Load() {
		return nil, errClosed
	}
	s, _ := p.sessions.Get().(*Session)
	if s == nil {
		if s, err = p.NewSession(); err != nil {
			return nil, err
		}
	}
	defer p.sessions.Put(s)
	s.Reset()
	if err := s.setAll(inputs); err != nil {
		return nil, err
	}
	if err := s.Run(ctx); err != nil {
		return nil, err
	}
	out := make(map[string]*tensor.Tensor, len(p.outputs))
	for i, o := range p.outputs {
		if out[o.Name], err = s.frame.outputs[i].Copy(); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// setAll copies the inputs of the given names and reports everything that is wrong with them.
func (s *Session) setAll(inputs map[string]*tensor.Tensor) error {
	var errs []error
	for i, in := range s.program.inputs {
		if err := s.SetInput(i, inputs[in.Name]); err != nil {
			errs = append(errs, err)
		}
	}
	if errs == nil && len(inputs) == len(s.program.inputs) { // Without this it takes longer: nothing is unknown.
		return nil
	}
	var unknown []string
	known := make(map[string]bool, len(s.program.inputs))
	for _, in := range s.program.inputs {
		known[in.Name] = true
	}
	for name := range inputs {
		if !known[name] {
			unknown = append(unknown, name)
		}
	}
	sort.Strings(unknown)
	for _, name := range unknown {
		errs = append(errs, &InputError{Name: name, Got: inputs[name].Describe()})
	}
	return errors.Join(errs...)
}
