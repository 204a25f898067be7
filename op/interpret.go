package op

import (
	"context"
	"errors"
	"fmt"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/mapfile"
	"github.com/concord-nn/concord/tensor"
)

// Interpreter evaluates a graph node by node by the operators' references: what everything else that evaluates it must equal. It keeps
// states from run to run, and forgets values that no later node reads. It must not be used by several goroutines at once.
//
// Results may share memory with inputs, constants and states.
type Interpreter struct {
	// Node evaluates the nodes of the graph, those of blocks excepted, in place of their references.
	Node func(ctx context.Context, n *graph.Node, in []*tensor.Tensor) ([]*tensor.Tensor, error)

	g      *graph.Graph
	broken error                // why there is none
	uses   map[*graph.Value]int // of the whole graph, outputs and updates included
	left   map[*graph.Value]int // in this run
	values map[*graph.Value]*tensor.Tensor
	states map[*graph.Value]*tensor.Tensor
}

// NewInterpreter returns an interpreter of a valid graph. Runs of one that is not are errors.
func NewInterpreter(g *graph.Graph) *Interpreter {
	if err := g.Complete(); err != nil {
		return &Interpreter{broken: err}
	}
	p := &Interpreter{g: g, uses: make(map[*graph.Value]int), left: make(map[*graph.Value]int),
		values: make(map[*graph.Value]*tensor.Tensor), states: make(map[*graph.Value]*tensor.Tensor)}
	for v, list := range g.Uses() {
		p.uses[v] = len(list)
	}
	for _, o := range g.Outputs {
		p.uses[o.Value]++
	}
	for _, s := range g.States {
		p.states[s.Value] = s.Init
		if s.Next != nil {
			p.uses[s.Next]++
		}
	}
	return p
}

// made is the error of an Interpreter without a graph.
func (p *Interpreter) made() error {
	if p == nil || p.g == nil && p.broken == nil {
		return errors.New("there is no graph: the interpreter is nil or the zero Interpreter; NewInterpreter makes one")
	}
	return p.broken
}

// Run evaluates the graph on inputs in its order, and returns the outputs in its order.
func (p *Interpreter) Run(ctx context.Context, in []*tensor.Tensor) (_ []*tensor.Tensor, err error) {
	defer mapfile.Recover(mapfile.Watch(), &err)
	if err := p.Begin(in); err != nil {
		return nil, err
	}
	for _, n := range p.g.Nodes {
		if _, err := p.Step(ctx, n); err != nil {
			return nil, err
		}
	}
	out := make([]*tensor.Tensor, len(p.g.Outputs))
	for i, o := range p.g.Outputs {
		out[i] = p.Value(o.Value)
	}
	p.End()
	return out, nil
}

// RunNamed is [Interpreter.Run] with inputs and outputs by their names.
func (p *Interpreter) RunNamed(ctx context.Context, in map[string]*tensor.Tensor) (map[string]*tensor.Tensor, error) {
	if err := p.made(); err != nil {
		return nil, err
	}
	list := make([]*tensor.Tensor, len(p.g.Inputs))
	for i, v := range p.g.Inputs {
		list[i] = in[v.Name]
	}
	results, err := p.Run(ctx, list)
	if err != nil {
		return nil, err
	}
	out := make(map[string]*tensor.Tensor, len(results))
	for i, o := range p.g.Outputs {
		out[o.Name] = results[i]
	}
	return out, nil
}

// Begin starts a run. [Interpreter.Step] is then to be called for each node in order, and [Interpreter.End] after the last one.
func (p *Interpreter) Begin(in []*tensor.Tensor) error {
	if err := p.made(); err != nil {
		return err
	}
	if len(in) != len(p.g.Inputs) {
		return fmt.Errorf("%d inputs are given; graph %s has %d", len(in), p.g.Name, len(p.g.Inputs))
	}
	clear(p.values)
	for i, v := range p.g.Inputs {
		if in[i] == nil {
			return fmt.Errorf("input %s is missing", v.Name)
		}
		if t := graph.TypeOf(in[i]); !t.Equal(v.Type) {
			return fmt.Errorf("input %s is %v; it must be %v", v.Name, t, v.Type)
		}
		p.values[v] = in[i]
	}
	for v, t := range p.states {
		p.values[v] = t
	}
	for v, n := range p.uses {
		p.left[v] = n
	}
	return nil
}

// Step evaluates a node and returns its results.
func (p *Interpreter) Step(ctx context.Context, n *graph.Node) (_ []*tensor.Tensor, err error) {
	defer mapfile.Recover(mapfile.Watch(), &err)
	if err := p.made(); err != nil {
		return nil, err
	}
	if n == nil {
		return nil, errNoNode
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	in := make([]*tensor.Tensor, len(n.In))
	for i, v := range n.In {
		if v != nil {
			in[i] = p.Value(v)
		}
	}
	eval := p.Node
	if eval == nil {
		eval = EvalNode
	}
	out, err := eval(ctx, n, in)
	if err == nil && len(out) < len(n.Out) {
		err = fmt.Errorf("the node has %d results; the operator yields %d", len(n.Out), len(out))
	}
	if err != nil && len(n.Out) > 0 {
		err = fmt.Errorf("%s: %w", n.Out[0].Name, err)
	}
	if err != nil {
		return nil, err
	}
	for i, v := range n.Out {
		if p.left[v] > 0 {
			p.values[v] = out[i]
		}
	}
	for _, v := range n.In {
		if p.left[v]--; p.left[v] == 0 { // Without this it takes more memory.
			delete(p.values, v)
		}
	}
	return out, nil
}

// Value returns a value that the run has computed and still needs, such as an output after the last node.
func (p *Interpreter) Value(v *graph.Value) *tensor.Tensor {
	if v != nil && v.Const != nil {
		return v.Const
	}
	if p == nil {
		return nil
	}
	return p.values[v]
}

// End finishes a run: states take their next content.
func (p *Interpreter) End() {
	if p.made() != nil {
		return
	}
	for _, s := range p.g.States {
		if s.Next == nil {
			continue
		}
		if p.states[s.Value] = p.Value(s.Next); s.Next.Producer == nil {
			p.states[s.Value] = p.Value(s.Next).Clone() // the caller may change an input after the run
		}
	}
	clear(p.values)
}

// interpreted runs the blocks of one evaluation by interpreters.
type interpreted struct {
	ctx    context.Context
	blocks []interpretedBlock
}

type interpretedBlock struct {
	*Interpreter
	in, out []*tensor.Tensor
}

// interpret returns a runner of the blocks of s, whose captures are among the operands.
func interpret(ctx context.Context, s *Sig, operands []*tensor.Tensor) (*interpreted, error) {
	r := &interpreted{ctx, make([]interpretedBlock, len(s.Blocks))}
	for i, g := range s.Blocks {
		b := interpretedBlock{NewInterpreter(g), make([]*tensor.Tensor, len(g.Inputs)), make([]*tensor.Tensor, len(g.Outputs))}
		input, operand, n := s.Def.Captures(s, i)
		copy(b.in[input:input+n], operands[operand:])
		for k, v := range g.Inputs {
			if b.in[k] != nil {
				continue
			}
			var err error
			if b.in[k], err = tensor.New(v.Type.DType, v.Type.Shape); err != nil {
				return nil, err
			}
		}
		r.blocks[i] = b
	}
	return r, nil
}

func (r *interpreted) In(block, i int) *tensor.Tensor { return r.blocks[block].in[i] }

func (r *interpreted) Out(block, i int) *tensor.Tensor { return r.blocks[block].out[i] }

func (r *interpreted) Run(block int) error {
	b := &r.blocks[block]
	if err := r.ctx.Err(); err != nil {
		return err // a block may have no nodes
	}
	out, err := b.Run(r.ctx, b.in)
	if err != nil {
		return fmt.Errorf("block %s: %w", b.g.Name, err)
	}
	for i, t := range out {
		b.out[i] = t.Clone() // it may be an input
	}
	return nil
}
