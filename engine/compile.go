package engine

import (
	"errors"
	"fmt"
	"runtime"

	"github.com/concord-nn/concord/engine/internal/pass"
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/kernel"
	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/internal/mapfile"
	"github.com/concord-nn/concord/internal/simd"
	"github.com/concord-nn/concord/op"
)

// Options say how a graph is compiled. The zero Options are right for most uses.
type Options struct {
	// Limits bound what the model may take.
	Limits Limits
	// Threads is the greatest number of goroutines that compute one node at the same time, the caller's included. 0 is
	// runtime.GOMAXPROCS(0), 1 runs everything on the caller's goroutine. It never changes a result.
	Threads int
	// NoOptimize leaves out every pass that a run could do without, fast kernels, units of several nodes, and the sharing of
	// memory. It never changes a result.
	NoOptimize bool
	// Tiers are the kernels that may be taken, for a program of which code is made instead of running it. Nil are those of this processor.
	Tiers []kernel.Tier
}

// maxThreads bounds Options.Threads; no machine has as many processors.
const maxThreads = limits.EngineThreads

// Compile makes a program from a graph, which must not change any more. It fails with all that graph.Verify finds wrong, with a *LimitError, or
// if the environment variable CONCORD_TIER names a tier that the processor does not have.
func Compile(g *graph.Graph, opts Options) (_ *Program, err error) {
	defer guard("compile", mapfile.Watch(), &err)
	if g == nil {
		return nil, errors.New("compile: the graph is nil")
	}
	if err := simd.Check(); err != nil {
		return nil, fmt.Errorf("compile: %w", err)
	}
	if opts.Threads < 0 || opts.Threads > maxThreads {
		return nil, fmt.Errorf("compile: Options.Threads is %d; it must be 0 … %d", opts.Threads, maxThreads)
	}
	allowed := opts.Limits.Resolved()
	if n := g.Size(); n > allowed.Nodes {
		e := &LimitError{What: "nodes", Need: int64(n), Allowed: int64(allowed.Nodes)}
		if len(g.Nodes) > allowed.Nodes {
			e.Node = nameOf(g.Nodes[allowed.Nodes])
		}
		return nil, e
	}
	if err := graph.Verify(g, op.Rules); err != nil {
		return nil, fmt.Errorf("compile: %w", err)
	}
	given, origin := g, graph.Identity(g)
	for _, s := range pass.All {
		if opts.NoOptimize && !s.Required {
			continue
		}
		made, err := s.Run(g)
		if err != nil {
			return nil, fmt.Errorf("compile: pass %s: %w", s.Name, err)
		}
		if made != g {
			g, origin = made, origin.Then(made.Origin())
		}
	}
	if opts.Tiers == nil {
		opts.Tiers = kernel.Tiers
	}
	if opts.Threads == 0 { // Without this one thread would have all to do.
		opts.Threads = min(runtime.GOMAXPROCS(0), maxThreads)
	}
	a := assembler{opts: opts, limits: allowed}
	folded := a.packs.claim(given, g)
	a.memory = allowed.Memory - folded // if it is negative, even nothing is too much
	p := &Program{given: given, origin: origin, limits: allowed, packs: &a.packs}
	if p.code, err = a.assemble(g, 0); err != nil {
		if e := (*LimitError)(nil); errors.As(err, &e) && e.What == "memory" {
			e.Need, e.Allowed = limits.Add(e.Need, folded), allowed.Memory
		}
		return nil, err
	}
	plan := &p.layout.Plan
	plan.Folded, plan.Packed, plan.Scratch, plan.Workers = folded, a.packs.bytes(), a.scratch, a.workers
	if need := limits.Add(plan.Session(), plan.Packed); need > a.memory {
		return nil, &LimitError{What: "memory", Need: limits.Add(need, folded), Allowed: allowed.Memory}
	}
	for _, v := range g.Inputs {
		p.inputs = append(p.inputs, Port{v.Name, v.Type})
	}
	for _, o := range g.Outputs {
		p.outputs = append(p.outputs, Port{o.Name, o.Value.Type})
	}
	// The workers know the pool but not the program, so that they end when nobody can run it any more.
	p.pool = newPool(opts.Threads - 1)
	runtime.AddCleanup(p, (*pool).close, p.pool)
	return p, nil
}
