package diff

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/concord-nn/concord/engine"
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/evaluate"
	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/internal/mapfile"
	"github.com/concord-nn/concord/tensor"
)

// Subject is one of the two networks of a [Run].
type Subject struct {
	Graph  *graph.Graph     // every shape must be known
	Engine *evaluate.Engine // nil for the first of evaluate.Engines
	Place  func(*graph.Node) string
}

// RunOptions say how two networks are run.
type RunOptions struct {
	// Inputs returns the inputs of A, in their order, for a run; steps count from 0. B gets those of the same names, or
	// else of the same position.
	Inputs func(step int) ([]*tensor.Tensor, error)
	// Feedback says which inputs of A take an output of the run before, by their positions, instead of what Inputs gives,
	// from the second run on. Each network is fed with its own outputs.
	Feedback map[int]int
	// Steps is the number of runs, between which states are kept. 0 is 1.
	Steps int
	// Tolerance is what values may differ by.
	Tolerance Tolerance
	// Threads is the number of threads, as in engine.Options.
	Threads int
	// Limits bound what the engines may take, as in engine.Options; a time, if it is given, is that of the whole comparison.
	Limits engine.Limits
	// Progress is called after each operator; it may be nil.
	Progress func(done, of int)
}

// Row compares one result of two operators that correspond, or an output, over all steps.
type Row struct {
	Value string    `json:"value"` // its name in A
	Kind  string    `json:"kind"`  // the operator; "output" for outputs
	A     *Item     `json:"a"`
	B     *Item     `json:"b"`
	Types [2]string `json:"types"`
	// Match is how the operators were found: "" for those that correspond in structure, "replaced" for others in the same
	// place, "by name" for those whose results are called alike.
	Match string `json:"match,omitempty"`
	// Delta is that of the step with the greatest difference; nil if the types differ.
	Delta *Delta `json:"difference,omitempty"`
	// Step is the first step, from 1, in which they differ by more than the tolerance; 0 if there is none.
	Step int `json:"step,omitempty"`

	nodes [2]*graph.Node
}

// outputKind is the Kind of the rows of outputs.
const outputKind = "output"

// Agrees reports whether the values differ by no more than the tolerance.
func (r *Row) Agrees() bool { return r.Step == 0 }

// Summary says in words how far the values are apart.
func (r *Row) Summary() string {
	if r.Delta == nil {
		return r.Types[0] + " in A, " + r.Types[1] + " in B"
	}
	return r.Delta.summary()
}

// First is where two runs part: the first operator, in the order of A, whose results differ by more than the tolerance.
type First struct {
	Row        *Row      `json:"row"`
	Attributes []Change  `json:"attributes"` // all of them, on both sides
	Operands   []Operand `json:"operands"`
}

// Operand is an operand of the operator where two runs part.
type Operand struct {
	Name  string `json:"name"` // the parameter
	A     string `json:"a"`
	B     string `json:"b"`
	State string `json:"state"` // how the two compare
}

// Divergence is what a [Run] has found.
type Divergence struct {
	Rows    []*Row `json:"operators"` // in the order of A
	Outputs []*Row `json:"outputs"`
	First   *First `json:"first,omitempty"` // nil if all agree
	Steps   int    `json:"steps"`
	// Alone counts the operators of A and of B that have no counterpart.
	Alone [2]int `json:"withoutCounterpart"`
}

// Agrees reports whether all outputs agree.
func (d *Divergence) Agrees() bool {
	for _, r := range d.Outputs {
		if !r.Agrees() {
			return false
		}
	}
	return true
}

// Run executes two networks on the same inputs, operator by operator, and compares the results of operators that
// correspond in structure, or else in name. Errors are those of the engine; an input that the two do not share is one.
func Run(ctx context.Context, a, b Subject, opts RunOptions) (_ *Divergence, err error) {
	defer mapfile.Recover(mapfile.Watch(), &err)
	if a.Graph == nil || b.Graph == nil || opts.Inputs == nil {
		return nil, errors.New("Subject.Graph of both networks and RunOptions.Inputs must be given")
	}
	if opts.Limits.Time > 0 {
		whole, begin := ctx, time.Now()
		limited, cancel := context.WithTimeout(ctx, opts.Limits.Time)
		defer cancel()
		defer func() {
			if errors.Is(err, context.DeadlineExceeded) && whole.Err() == nil {
				err = &engine.LimitError{What: "time", Need: int64(time.Since(begin)), Allowed: int64(opts.Limits.Time)}
			}
		}()
		ctx = limited
	}
	r := &runner{
		opts: opts, subjects: [2]Subject{a, b}, out: &Divergence{Steps: max(opts.Steps, 1)},
		partners: make(map[*graph.Node]*graph.Node), wanted: make(map[*graph.Node]bool), rows: make(map[*graph.Node][]*Row),
		last: make(map[int][2]*tensor.Tensor),
	}
	if err := r.match(); err != nil {
		return nil, err
	}
	need, allowed := limits.Add(held(a.Graph), held(b.Graph)), opts.Limits.Resolved().Memory
	if need > allowed { // which engines that compute node by node do not see
		return nil, &engine.LimitError{What: "memory", Need: need, Allowed: allowed}
	}
	for i, s := range r.subjects {
		if s.Engine == nil {
			s.Engine = &evaluate.Engines[0]
		}
		e, err := s.Engine.Open(s.Graph, evaluate.Options{Options: engine.Options{Threads: opts.Threads, Limits: opts.Limits}, Nodes: true})
		if err != nil {
			return nil, fmt.Errorf("%s: %w", sideName[i], err)
		}
		defer e.Close()
		r.executions[i] = e
	}
	for k := range r.out.Steps {
		if err := r.step(ctx, k); err != nil {
			return nil, err
		}
	}
	r.locate()
	return r.out, nil
}

// held returns the most bytes of inputs and results that a run of a graph holds which forgets results that no later node reads.
func held(g *graph.Graph) (most int64) {
	left := make(map[*graph.Value]int)
	for v, nodes := range g.Uses() {
		left[v] = len(nodes)
	}
	for _, o := range g.Outputs {
		left[o.Value]++
	}
	for _, s := range g.States {
		left[s.Next]++
	}
	var now int64
	for _, v := range g.Inputs {
		now = limits.Add(now, v.Type.Bytes())
	}
	most = now
	for _, n := range g.Nodes {
		for _, v := range n.Out {
			now = limits.Add(now, v.Type.Bytes())
		}
		most = max(most, now)
		for _, v := range n.Out {
			if left[v] == 0 {
				now -= v.Type.Bytes()
			}
		}
		for _, v := range n.In {
			if left[v]--; v != nil && v.Producer != nil && left[v] == 0 {
				now -= v.Type.Bytes()
			}
		}
	}
	return most
}

var sideName = [2]string{"A", "B"}

type runner struct {
	opts       RunOptions
	subjects   [2]Subject
	networks   [2]*Network
	executions [2]evaluate.Evaluation
	inputs     []int                       // for each input of B, that of A
	partners   map[*graph.Node]*graph.Node // from A to B
	wanted     map[*graph.Node]bool        // nodes of B that have a partner
	rows       map[*graph.Node][]*Row      // by the node of A
	outputs    [][2]*graph.Value
	positions  []int                     // of the outputs among those of A
	last       map[int][2]*tensor.Tensor // the outputs of the step before by position, if they are fed back
	out        *Divergence
	done       int
}

// match finds the pairs to compare.
func (r *runner) match() error {
	a, b := r.subjects[0], r.subjects[1]
	for i, s := range r.subjects {
		r.networks[i] = FromGraph(s.Graph, s.Place)
	}
	r.inputs = make([]int, len(b.Graph.Inputs))
	index := make(map[*graph.Value]int)
	for i, v := range b.Graph.Inputs {
		index[v] = i
	}
	for i, p := range pairPorts(a.Graph.Inputs, b.Graph.Inputs, func(v *graph.Value) string { return v.Name }) {
		switch {
		case p.b == nil:
		case p.a == nil:
			return fmt.Errorf("input %s of B has no counterpart in A, so that the two cannot run on the same inputs", (*p.b).Name)
		case (*p.a).Type.String() != (*p.b).Type.String():
			return fmt.Errorf("input %s is %v in A and %v in B; to run on the same inputs they must be alike",
				(*p.a).Name, (*p.a).Type, (*p.b).Type)
		default:
			r.inputs[index[*p.b]] = i
		}
	}
	r.matchOperators()
	for i, p := range pairPorts(a.Graph.Outputs, b.Graph.Outputs, func(o graph.Output) string { return o.Name }) {
		if p.a == nil || p.b == nil {
			continue
		}
		r.positions = append(r.positions, i) // those of A come first
		v, w := p.a.Value, p.b.Value
		r.outputs = append(r.outputs, [2]*graph.Value{v, w})
		row := &Row{Value: p.a.Name, Kind: outputKind, A: &Item{Name: p.a.Name, Text: p.a.Name}, B: &Item{Name: p.b.Name, Text: p.b.Name}}
		row.Types, row.nodes = [2]string{v.Type.String(), w.Type.String()}, [2]*graph.Node{v.Producer, w.Producer}
		r.out.Outputs = append(r.out.Outputs, row)
	}
	return nil
}

// matchOperators pairs the operators: by structure, by place, and by name.
func (r *runner) matchOperators() {
	c := comparer{alignment: align(r.networks[0], r.networks[1]), replaced: make(map[*operator]*operator)}
	c.findReplaced()
	byName := make(map[string]*operator)
	for _, q := range r.networks[1].ops {
		if c.sides[1].match[q.id] < 0 && c.replaced[q] == nil {
			byName[q.item().Name] = q
		}
	}
	for _, p := range r.networks[0].ops {
		q, how := c.partner(p), ""
		if q == nil {
			q, how = c.replaced[p], "replaced"
		}
		if q == nil {
			q, how = byName[p.item().Name], "by name"
			delete(byName, p.item().Name)
		}
		if q == nil {
			r.out.Alone[0]++
			continue
		}
		r.pair(p, q, how)
	}
	r.out.Alone[1] = len(r.networks[1].ops) - len(r.partners)
}

// pair makes the rows of two operators.
func (r *runner) pair(p, q *operator, how string) {
	r.partners[p.node], r.wanted[q.node] = q.node, true
	for i := range min(len(p.out), len(q.out)) {
		row := &Row{
			Value: p.out[i].name, Kind: p.name, A: p.item(), B: q.item(), Types: [2]string{p.out[i].typ, q.out[i].typ},
			Match: how, nodes: [2]*graph.Node{p.node, q.node},
		}
		r.rows[p.node] = append(r.rows[p.node], row)
		r.out.Rows = append(r.out.Rows, row)
	}
}

// step runs both networks once, B as far as A needs it, so that few values are held at a time.
func (r *runner) step(ctx context.Context, k int) error {
	given, err := r.opts.Inputs(k)
	if err != nil {
		return err
	}
	if err := fits(r.subjects[0].Graph, given); err != nil {
		return err
	}
	for i, in := range r.fed(given) {
		if err := r.executions[i].Begin(ctx, in); err != nil {
			return fmt.Errorf("%s: %w", sideName[i], err)
		}
	}
	next, pending := 0, make(map[*graph.Node][]*tensor.Tensor)
	nodesB := r.subjects[1].Graph.Nodes
	advance := func() error {
		n := nodesB[next]
		next++
		out, err := r.compute(ctx, 1, n)
		if err == nil && r.wanted[n] {
			pending[n] = out
		}
		return err
	}
	for _, n := range r.subjects[0].Graph.Nodes {
		out, err := r.compute(ctx, 0, n)
		if err != nil {
			return err
		}
		m := r.partners[n]
		if m == nil {
			continue
		}
		for pending[m] == nil {
			if err := advance(); err != nil {
				return err
			}
		}
		for i, row := range r.rows[n] {
			r.compare(row, out[i], pending[m][i], k)
		}
		delete(pending, m)
	}
	for next < len(nodesB) {
		if err := advance(); err != nil {
			return err
		}
	}
	for i, o := range r.outputs {
		if len(r.opts.Feedback) > 0 {
			r.last[r.positions[i]] = [2]*tensor.Tensor{r.executions[0].Value(o[0]).Clone(), r.executions[1].Value(o[1]).Clone()}
		}
		r.compare(r.out.Outputs[i], r.executions[0].Value(o[0]), r.executions[1].Value(o[1]), k)
	}
	for _, e := range r.executions {
		e.End()
	}
	return nil
}

// fits finds whether tensors are what the inputs of a graph take.
func fits(g *graph.Graph, given []*tensor.Tensor) error {
	if len(given) != len(g.Inputs) {
		return fmt.Errorf("%d inputs are given; A has %d", len(given), len(g.Inputs))
	}
	for i, v := range g.Inputs {
		if given[i] == nil || graph.TypeOf(given[i]).String() != v.Type.String() {
			return fmt.Errorf("input %s is %v; it must be %v", v.Name, given[i].Describe(), v.Type)
		}
	}
	return nil
}

// fed returns the inputs of both networks.
func (r *runner) fed(given []*tensor.Tensor) [2][]*tensor.Tensor {
	in := [2][]*tensor.Tensor{slices.Clone(given), make([]*tensor.Tensor, len(r.inputs))}
	var own [2]map[int]*tensor.Tensor // by the input of A
	for i := range own {
		own[i] = make(map[int]*tensor.Tensor)
		for to, from := range r.opts.Feedback {
			if t := r.last[from][i]; t != nil {
				own[i][to] = t
			}
		}
	}
	for to, t := range own[0] {
		in[0][to] = t
	}
	for i, from := range r.inputs {
		if in[1][i] = given[from]; own[1][from] != nil {
			in[1][i] = own[1][from]
		}
	}
	return in
}

func (r *runner) compute(ctx context.Context, side int, n *graph.Node) ([]*tensor.Tensor, error) {
	out, err := r.executions[side].Node(ctx, n)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", sideName[side], err)
	}
	if r.done++; r.opts.Progress != nil {
		r.opts.Progress(r.done, r.out.Steps*(len(r.subjects[0].Graph.Nodes)+len(r.subjects[1].Graph.Nodes)))
	}
	return out, nil
}

// compare notes how two tensors differ in step k.
func (r *runner) compare(row *Row, a, b *tensor.Tensor, k int) {
	d, err := Measure(a, b, r.opts.Tolerance)
	beyond := err != nil || d.Beyond > 0
	if beyond && row.Step == 0 {
		row.Step = k + 1
	}
	if err == nil && (row.Delta == nil || d.worse(row.Delta)) {
		row.Delta = &d
	}
}

// worse reports whether a difference is greater than another one.
func (d *Delta) worse(e *Delta) bool {
	if lone, other := d.NaN[0] != d.NaN[1], e.NaN[0] != e.NaN[1]; lone != other {
		return lone
	}
	return d.MaxAbs > e.MaxAbs || d.MaxAbs == e.MaxAbs && d.Differ > e.Differ
}
