package engine

import (
	"errors"
	"fmt"
	"runtime"

	"github.com/concord-nn/concord/engine/internal/pass"
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// Options say how a graph is compiled. The zero Options are right for most uses.
type Options struct {
	// Limits bound what the model may take.
	Limits Limits
	// Threads is the greatest number of goroutines that compute one node at the same time, the caller's included. 0 is
	// runtime.GOMAXPROCS(0), 1 runs everything on the caller's goroutine. It never changes a result.
	Threads int
	// NoOptimize leaves out every pass that a run could do without, and the sharing of memory by views. It never changes
	// a result.
	NoOptimize bool
}

// maxThreads bounds Options.Threads; no machine has as many processors.
const maxThreads = 4096

// Compile makes a program from a graph, which must not change any more. Errors are those of the graph, every one that
// graph.Verify finds, or a *LimitError.
func Compile(g *graph.Graph, opts Options) (p *Program, err error) {
	defer guard("compile", &err)
	if g == nil {
		return nil, errors.New("compile: the graph is nil")
	}
	if opts.Threads < 0 || opts.Threads > maxThreads {
		return nil, fmt.Errorf("compile: %d threads are asked for; it must be 0 … %d", opts.Threads, maxThreads)
	}
	limits := opts.Limits.resolved()
	if n := len(g.Nodes); n > limits.Nodes {
		return nil, &LimitError{What: "nodes", Need: int64(n), Allowed: int64(limits.Nodes), Node: place(g.Nodes[limits.Nodes])}
	}
	if err := graph.Verify(g, op.Rules); err != nil {
		return nil, fmt.Errorf("compile: %w", err)
	}
	given := g
	for _, s := range pass.All {
		if opts.NoOptimize && !s.Required {
			continue
		}
		if g, err = s.Run(g); err != nil {
			return nil, fmt.Errorf("compile: pass %s: %w", s.Name, err)
		}
	}
	return assemble(g, foldedBytes(given, g), limits, opts)
}

// assemble makes a program from a graph that has passed all passes.
func assemble(g *graph.Graph, folded int64, limits Limits, opts Options) (*Program, error) {
	if folded > limits.Memory {
		return nil, &LimitError{What: "memory", Need: folded, Allowed: limits.Memory}
	}
	cost, scratch, err := measure(g)
	if err != nil {
		return nil, err
	}
	layout, err := plan(g, scratch, !opts.NoOptimize, limits.Memory-folded)
	if err != nil {
		if e := (*LimitError)(nil); errors.As(err, &e) {
			e.Need, e.Allowed = pass.Add(e.Need, folded), limits.Memory
		}
		return nil, err
	}
	layout.Folded = folded
	if err := cost.total(layout.views, limits.Operations); err != nil {
		return nil, err
	}
	threads := opts.Threads
	if threads == 0 {
		threads = min(runtime.GOMAXPROCS(0), maxThreads)
	}
	p := &Program{graph: g, layout: layout, cost: cost, limits: limits, pool: newPool(threads - 1)}
	for _, v := range g.Inputs {
		p.inputs = append(p.inputs, Port{v.Name, v.Type})
	}
	for _, o := range g.Outputs {
		p.outputs = append(p.outputs, Port{o.Name, o.Value.Type})
	}
	// The workers know the pool but not the program, so that they end when nobody can run it any more.
	runtime.AddCleanup(p, (*pool).close, p.pool)
	return p, nil
}

// measure returns the cost and the bytes of working memory of each node, after checking that there is an evaluation for
// it.
func measure(g *graph.Graph) (Cost, []int64, error) {
	cost, scratch := Cost{Nodes: make([]NodeCost, len(g.Nodes))}, make([]int64, len(g.Nodes))
	for i, n := range g.Nodes {
		d, ok := op.Lookup(n.Op)
		if !ok {
			return Cost{}, nil, &NodeError{Node: n, Err: fmt.Errorf("there is no operator %q", n.Op)}
		}
		if d.Control != nil {
			return Cost{}, nil, &NodeError{Node: n, Err: errors.New("programs do not evaluate blocks yet")}
		}
		c, bytes, err := op.NodeCost(n)
		if err != nil {
			return Cost{}, nil, &NodeError{Node: n, Err: err}
		}
		if by := n.In[d.Ref.By]; by == nil || d.Ref.Kernels[by.Type.DType] == nil {
			return Cost{}, nil, &NodeError{Node: n, Err: fmt.Errorf("there is no evaluation for operand %s", d.In[d.Ref.By].Name)}
		}
		cost.Nodes[i], scratch[i] = NodeCost{n, c}, bytes
	}
	return cost, scratch, nil
}

// foldedBytes returns the bytes of the constants of compiled whose memory is not that of constants of given.
func foldedBytes(given, compiled *graph.Graph) int64 {
	own := make(map[*byte]bool)
	for v := range given.Constants() {
		own[start(v.Const)] = true
	}
	var sum int64
	for v := range compiled.Constants() {
		if at := start(v.Const); at != nil && !own[at] {
			own[at] = true
			sum = pass.Add(sum, bytes(v))
		}
	}
	return sum
}

// start returns where the elements of a contiguous tensor begin; nil if there are none.
func start(t *tensor.Tensor) *byte {
	if b := t.Bytes(); len(b) > 0 {
		return &b[0]
	}
	return nil
}

// Cost is what one run of a program takes.
type Cost struct {
	Nodes []NodeCost // in the order of the program's graph
	Total op.Cost
}

// NodeCost is what one evaluation of a node takes; nothing for a view, which shares its operand's memory.
type NodeCost struct {
	Node *graph.Node
	op.Cost
}

// total sets the total, counting nothing for views, and fails with a *LimitError where it exceeds the limit.
func (c *Cost) total(views map[*graph.Node]bool, limit int64) error {
	for i := range c.Nodes {
		n := &c.Nodes[i]
		if views[n.Node] {
			n.Cost = op.Cost{}
		}
		t := &c.Total
		t.MACs = pass.Add(t.MACs, n.MACs)
		t.Ops = pass.Add(t.Ops, n.Ops)
		t.Read = pass.Add(t.Read, n.Read)
		t.Written = pass.Add(t.Written, n.Written)
		if need := pass.Add(t.MACs, t.Ops); need > limit {
			return &LimitError{What: "operations", Need: need, Allowed: limit, Node: place(n.Node)}
		}
	}
	return nil
}
