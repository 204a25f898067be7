package webnn

import (
	"context"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"

	"github.com/concord-nn/concord/engine"
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/escape"
	"github.com/concord-nn/concord/internal/naming"
)

// Graph is MLGraph (https://www.w3.org/TR/webnn/#api-mlgraph): a compiled graph. It is made by [GraphBuilder.Build]. Its
// methods may be called by any number of goroutines.
type Graph struct {
	handle
	inputs  map[string]OperandDescriptor
	outputs map[string]OperandDescriptor
	code    *executable
}

// executable is what runs a graph. Dispatches of one context run one after the other, so that one session serves them all. There is no program
// where a context only checks.
type executable struct {
	program *engine.Program
	session *engine.Session
	held    *holding // with the constants
}

func (*executable) doom(*Context) {}

func (e *executable) free(*Context) {
	e.close()
	e.program, e.session = nil, nil
	e.held.release()
}

func (e *executable) close() {
	if e.program != nil {
		e.program.Close()
	}
}

const buildMethod = "MLGraphBuilder.build"

// compile makes a graph of the context from a network, and waits for it. Nothing on the timeline can depend on it before it has ended, and so
// it does not hold that up. The holding, which counts the constants, becomes that of the graph.
func (c *Context) compile(ctx context.Context, g *graph.Graph, held *holding) (*Graph, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.checkState(buildMethod); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		c.discard(held)
		return nil, err
	}
	if c.options.CheckOnly {
		return c.build(ctx, g, held)
	}
	var built *Graph
	var err error
	done := make(chan struct{})
	c.builds.enqueue(func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		built, err = c.build(ctx, g, held)
		close(done) // not if there was a panic, by which the context is lost
	})
	c.unlocked(func() {
		select {
		case <-done:
		case <-c.lost:
		case <-ctx.Done():
		}
	})
	switch {
	case built != nil || err != nil:
		return built, err
	case c.isLost():
		return nil, c.checkState(buildMethod)
	}
	return nil, ctx.Err() // by which build knows that nobody waits
}

// build compiles a network, for as long as ctx lasts. The context is locked before and after, not in between.
func (c *Context) build(ctx context.Context, g *graph.Graph, held *holding) (*Graph, error) {
	code, err := (*executable)(nil), ctx.Err()
	if err == nil {
		c.unlocked(func() { code, err = c.newExecutable(g, held) })
	}
	if lost := c.checkState(buildMethod); lost != nil {
		err = lost
	} else if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		c.discard(held)
		if code != nil {
			code.close()
		}
		return nil, err
	}
	delete(c.owned, lone{held})
	return c.newGraph(g, code), nil
}

func (c *Context) newExecutable(g *graph.Graph, held *holding) (*executable, error) {
	o := c.options
	if o.CheckOnly {
		return &executable{held: held}, nil
	}
	p, err := engine.Compile(g, engine.Options{Threads: o.Threads, Limits: o.Limits})
	if err != nil {
		return nil, reject(OperationError, buildMethod, "compile", "the graph cannot be compiled: %w", err)
	}
	c.mu.Lock()
	plan := p.Plan()
	err = c.reserve(OperationError, buildMethod, held, plan.Session()+plan.Packed+plan.Folded)
	c.mu.Unlock()
	if err != nil {
		p.Close()
		return nil, err
	}
	s, err := p.NewSession()
	if err != nil {
		p.Close()
		return nil, reject(OperationError, buildMethod, "compile", "the graph cannot be compiled: %w", err)
	}
	return &executable{p, s, held}, nil
}

func (c *Context) newGraph(network *graph.Graph, code *executable) *Graph {
	g := &Graph{handle: c.own(code), inputs: make(map[string]OperandDescriptor), outputs: make(map[string]OperandDescriptor), code: code}
	for _, v := range network.Inputs {
		g.inputs[v.Name] = OperandDescriptor{v.Type.DType, v.Type.Shape}
	}
	for _, o := range network.Outputs {
		g.outputs[o.Name] = OperandDescriptor{o.Value.Type.DType, o.Value.Type.Shape}
	}
	runtime.AddCleanup(g, c.drop, resource(code))
	return g
}

// Destroy is MLGraph.destroy (https://www.w3.org/TR/webnn/#api-mlgraph-destroy). Queued dispatches run; after them the memory
// is given back. Destroying it again does nothing. A graph that is no longer reachable is destroyed by itself.
func (g *Graph) Destroy() { orZero(g).destroy() }

// Inputs returns the descriptors of the inputs that the outputs depend on, by name. The caller owns the map.
func (g *Graph) Inputs() map[string]OperandDescriptor { return cloneDescriptors(orZero(g).inputs) }

// Outputs returns the descriptors of the outputs by name. The caller owns the map.
func (g *Graph) Outputs() map[string]OperandDescriptor { return cloneDescriptors(orZero(g).outputs) }

func cloneDescriptors(m map[string]OperandDescriptor) map[string]OperandDescriptor {
	out := maps.Clone(m)
	for name, d := range out {
		d.Shape = d.Shape.Clone()
		out[name] = d
	}
	return out
}

// NamedTensors is MLNamedTensors: the tensors for the inputs or outputs of a graph by their names.
type NamedTensors map[string]*Tensor

// Dispatch is MLContext.dispatch (https://www.w3.org/TR/webnn/#api-mlcontext-dispatch): it enqueues one run of the graph and
// returns at once. The names must be exactly those of the graph's inputs and outputs, the tensors must have their types and
// shapes, must belong to this context, and must not be constant, destroyed or used twice; else it is a TypeError. A destroyed
// graph, also by the loss of its context, is an InvalidStateError. If the run fails, by a limit or an internal error, the
// context is lost. The maps may be changed after the call.
func (c *Context) Dispatch(g *Graph, inputs, outputs NamedTensors) error {
	c = orZero(c)
	const method = "MLContext.dispatch"
	switch {
	case g == nil:
		return reject(TypeError, method, "graph.kind", "the graph is nil")
	case g.context != c:
		return reject(TypeError, method, "graph.context", "the graph belongs to another context")
	}
	size := taskBytes + linkBytes*int64(len(inputs)+len(outputs))
	c.mu.Lock()
	defer c.mu.Unlock()
	check := func() error { return c.dispatchable(method, g, inputs, outputs) }
	if c.options.CheckOnly {
		return check()
	}
	if err := c.bring(method, size, check); err != nil {
		return err
	}
	code := g.code
	from, to := stores(code.program.Inputs(), inputs), stores(code.program.Outputs(), outputs)
	c.bringing(size, func() {
		if err := code.run(c.running, from, to); err != nil {
			c.lose(escape.Text(fmt.Sprintf("the dispatch of the graph with the outputs %q failed: %v", portNames(code.program.Outputs()), err)))
		}
	})
	return nil
}

// dispatchable makes the checks of a dispatch.
func (c *Context) dispatchable(method string, g *Graph, inputs, outputs NamedTensors) error {
	if err := c.checkState(method); err != nil {
		return err
	}
	if g.isDestroyed() {
		return reject(InvalidStateError, method, "graph.destroyed", "the graph is destroyed")
	}
	in, out := sorted(inputs), sorted(outputs)
	if err := c.checkTensors(method, slices.Concat(in, out)); err != nil {
		return err
	}
	if err := matchDescriptors(method, "inputs", in, g.inputs); err != nil {
		return err
	}
	return matchDescriptors(method, "outputs", out, g.outputs)
}

// namedTensor is an item of NamedTensors.
type namedTensor struct {
	name string
	*Tensor
}

// sorted lists tensors in the order of their names, so that errors do not depend on the order of maps.
func sorted(tensors NamedTensors) []namedTensor {
	list := make([]namedTensor, 0, len(tensors))
	for name, t := range tensors {
		list = append(list, namedTensor{name, t})
	}
	slices.SortFunc(list, func(a, b namedTensor) int { return strings.Compare(a.name, b.name) })
	return list
}

// checkTensors makes the checks of dispatch that need no descriptors.
func (c *Context) checkTensors(method string, tensors []namedTensor) error {
	seen := make(map[*Tensor]string)
	for _, t := range tensors {
		if t.Tensor == nil {
			return reject(TypeError, method, "tensor.kind", "the tensor %q is nil", t.name)
		}
		if other, twice := seen[t.Tensor]; twice {
			return reject(TypeError, method, "duplicate", "%q and %q are one tensor; each must be another", other, t.name)
		}
		seen[t.Tensor] = t.name
	}
	for _, t := range tensors {
		if t.context != c {
			return reject(TypeError, method, "tensor.context", "the tensor %q belongs to another context", t.name)
		}
		if t.isDestroyed() {
			return reject(TypeError, method, "tensor.destroyed", "the tensor %q is destroyed", t.name)
		}
	}
	return nil
}

// matchDescriptors is "validate tensors with descriptors".
func matchDescriptors(method, group string, tensors []namedTensor, want map[string]OperandDescriptor) error {
	if len(tensors) != len(want) {
		return reject(TypeError, method, group+".names", "there are %d %s; the graph's are %q", len(tensors), group, naming.Sorted(want))
	}
	for _, t := range tensors {
		d, known := want[t.name]
		switch {
		case t.constant:
			return reject(TypeError, method, group+".constant", "the tensor %q is constant", t.name)
		case !known:
			return reject(TypeError, method, group+".names", "the graph has no %q among its %s, which are %q", t.name, group,
				naming.Sorted(want))
		case t.descriptor.DataType != d.DataType || !t.descriptor.Shape.Equal(d.Shape):
			return reject(TypeError, method, group+".descriptor", "the tensor %q is %v%v; the graph takes %v%v", t.name,
				t.descriptor.DataType, t.descriptor.Shape, d.DataType, d.Shape)
		}
	}
	return nil
}

// stores returns the memory of tensors in the order of ports.
func stores(ports []engine.Port, tensors NamedTensors) []*store {
	out := make([]*store, len(ports))
	for i, p := range ports {
		out[i] = tensors[p.Name].store
	}
	return out
}

func portNames(ports []engine.Port) []string {
	names := make([]string, len(ports))
	for i, p := range ports {
		names[i] = p.Name
	}
	return names
}

// run is one dispatch, on the timeline.
func (e *executable) run(ctx context.Context, in, out []*store) error {
	for i, s := range in {
		if err := e.session.SetInput(i, s.data); err != nil {
			return err
		}
	}
	if err := e.session.Run(ctx); err != nil {
		return err
	}
	for i, s := range out {
		if err := s.data.CopyFrom(e.session.Output(i)); err != nil {
			return err
		}
	}
	return nil
}
