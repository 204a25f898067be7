package engine

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/kernel"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// Observer looks at what runs of a session do: node by node of the graph that was given to Compile, or unit by unit of the program.
type Observer struct {
	// Values says that operands and results shall be there to be looked at. It costs a copy of every value.
	Values bool
	// Node is called for each node of the given graph, in its order, and for those of its blocks each time that one is evaluated. It is
	// called during the run, on its goroutine.
	Node func(o *Observation)
	// Unit is called after each evaluation of a unit, on the run's goroutine, with when it began and how long it took. That includes the units
	// of its node's blocks, which are reported before it. It costs two looks at the clock.
	Unit func(u *Unit, began time.Time, took time.Duration)
	// Chunk is called when a worker has computed the pieces lo…hi-1 of a unit, on its goroutine: by several at the same time. Worker 0 is the
	// run's own.
	Chunk func(u *Unit, worker, lo, hi int, began time.Time, took time.Duration)
}

// Observation is what a run did for one node.
type Observation struct {
	Node *graph.Node // of the graph given to Compile, or of one of its blocks
	// Unit has computed the results. It is nil where nothing had to be computed: constants decide the results, or they lie in the memory of
	// others already, or nothing depends on them.
	Unit *Unit
	// Took is the time of the unit if the node is its first, else 0, with the changes of layout that the node needs, and without the nodes of
	// blocks: the times of all observations add up to that of the run.
	Took time.Duration
	// Turn counts the evaluations of the block that the node stands in from 0; it is 0 outside of blocks.
	Turn int
	// Operands and Results have the values, nil for absent operands, if [Observer.Values] asks for them. What a unit does not leave in memory,
	// such as a value between two of its nodes, is computed by the references; the bits are the same. They must not be changed.
	Operands, Results []*tensor.Tensor
}

// Observe makes every run report to o, until o is nil. It must not be called during a run. A session that nobody observes pays nothing.
func (s *Session) Observe(o *Observer) {
	if o == nil {
		o = &Observer{}
	}
	s.unit, s.task.chunk, s.watch = o.Unit, o.Chunk, nil
	if o.Node != nil {
		s.watch = &watch{observer: o, program: s.program, codes: make(map[*code]*watched)}
	}
}

// steps evaluates steps, and tells how long each took if somebody wants to know.
func (s *Session) steps(list []step) error {
	if s.unit == nil {
		return s.task.run(s.program.pool, list)
	}
	for i := range list {
		began := time.Now()
		err := s.task.run(s.program.pool, list[i:i+1])
		s.unit(list[i].Unit, began, time.Since(began))
		if err != nil {
			return err
		}
	}
	return nil
}

// watch is an observer of nodes at work.
type watch struct {
	observer *Observer
	program  *Program
	codes    map[*code]*watched
	nested   time.Duration // what blocks have taken since it was set to 0
}

// watched is code beside the graph that it was made of.
type watched struct {
	given  *graph.Graph
	unit   map[*graph.Node]*Unit           // by node of given, the one that computes its results
	booked map[*Unit]*graph.Node           // the node of given that a unit's time belongs to
	leaves map[*Unit][]*graph.Value        // values of given that are in memory after a unit
	uses   map[*graph.Value]int            // how often nodes of given read its values
	lies   map[*graph.Value]*tensor.Tensor // where inputs, states and what units leave lie, in row-major order
	turns  int
}

// begin forgets what an earlier run has counted.
func (w *watch) begin() {
	for _, c := range w.codes {
		c.turns = 0
	}
}

// of returns what belongs to code that was made of a graph.
func (w *watch) of(f *frame, given *graph.Graph) *watched {
	c := f.code
	if known := w.codes[c]; known != nil {
		return known
	}
	d := &watched{given: given, unit: make(map[*graph.Node]*Unit), booked: make(map[*Unit]*graph.Node),
		leaves: make(map[*Unit][]*graph.Value), uses: make(map[*graph.Value]int), lies: f.tensors()}
	w.codes[c] = d
	computes := make(map[*graph.Node]*Unit)
	leaves := make(map[*graph.Value]*Unit)
	for _, u := range c.units {
		d.booked[u] = w.program.origin.Nodes[u.first()]
		for i := range u.parts {
			for _, n := range u.parts[i].nodes {
				computes[n] = u
			}
		}
		for _, s := range u.parts[len(u.parts)-1].out {
			leaves[s.value] = u
		}
	}
	for _, n := range given.Nodes {
		for _, v := range n.In {
			d.uses[v]++
		}
		for _, v := range n.Out {
			made := w.program.origin.Values[v]
			if made == nil {
				continue
			}
			if u := computes[made.Producer]; u != nil {
				d.unit[n] = u
			}
			if u := leaves[made]; u != nil { // Without this references would compute it again.
				d.leaves[u] = append(d.leaves[u], v)
			}
		}
	}
	return d
}

// tensors returns where inputs, states and what units leave lie, as far as it is in row-major order.
func (f *frame) tensors() map[*graph.Value]*tensor.Tensor {
	lies, g := make(map[*graph.Value]*tensor.Tensor), f.code.graph
	for i, t := range slices.Concat(f.inputs, f.captures) {
		lies[g.Inputs[i]] = t
	}
	for i, s := range g.States {
		lies[s.Value] = f.states[i].value
	}
	for i := range f.steps {
		st := &f.steps[i]
		last := len(st.parts) - 1
		for k, s := range st.parts[last].out {
			if s.layout == kernel.Plain { // Without this references would compute it again.
				lies[s.value] = st.calls[0][last].Out[k]
			}
		}
	}
	return lies
}

// evaluate is [Session.evaluate] for a session that is observed.
func (w *watch) evaluate(s *Session, f *frame, given *graph.Graph) error {
	started := time.Now()
	outer := w.nested
	d := w.of(f, given)
	r := &watchedRun{watch: w, watched: d, ctx: s.task.ctx, ran: make(map[*Unit]bool), took: make(map[*graph.Node]time.Duration),
		values: make(map[*graph.Value]*tensor.Tensor), left: make(map[*graph.Value]int), turn: d.turns}
	d.turns++
	r.begin()
	steps := f.steps
	for _, u := range f.code.units {
		if len(steps) > 0 && steps[0].Unit == u {
			w.nested = 0
			before := time.Now()
			if err := s.steps(steps[:1]); err != nil {
				return err
			}
			if took := time.Since(before) - w.nested; d.booked[u] != nil {
				r.took[d.booked[u]] += took
			}
			steps = steps[1:]
		}
		if err := r.after(u); err != nil {
			return err
		}
	}
	if err := r.report(); err != nil {
		return err
	}
	for _, m := range f.copies {
		copyElements(m.to, m.from)
	}
	w.nested = outer + time.Since(started)
	return nil
}

// watchedRun is one evaluation of code that is observed.
type watchedRun struct {
	*watch
	*watched
	ctx    context.Context
	turn   int
	next   int // the node of given to be reported next
	ran    map[*Unit]bool
	took   map[*graph.Node]time.Duration
	values map[*graph.Value]*tensor.Tensor // of given, as long as they are needed
	left   map[*graph.Value]int            // readers that have not been reported
}

// begin notes the values that are there before any node.
func (r *watchedRun) begin() {
	if !r.observer.Values { // Without this values would be kept that nobody asks for.
		return
	}
	for v, n := range r.uses {
		if r.left[v] = n; v == nil || v.Producer != nil {
			continue
		}
		if made := r.program.origin.Values[v]; v.Const != nil {
			r.values[v] = v.Const
		} else if t := r.lies[made]; t != nil {
			r.values[v] = t // nothing overwrites it during the run
		}
	}
}

// after notes what a unit leaves in memory, and reports the nodes that are complete.
func (r *watchedRun) after(u *Unit) error {
	r.ran[u] = true
	if r.observer.Values { // Without this references would compute them again.
		for _, v := range r.leaves[u] {
			if t := r.lies[r.program.origin.Values[v]]; t != nil { // Without this references would compute it again.
				var err error
				if r.values[v], err = t.Copy(); err != nil {
					return err
				}
			}
		}
	}
	return r.report()
}

// report reports the nodes whose units have run, in their order.
func (r *watchedRun) report() error {
	for ; r.next < len(r.given.Nodes); r.next++ {
		n := r.given.Nodes[r.next]
		u := r.unit[n]
		if u != nil && !r.ran[u] {
			return nil
		}
		o := &Observation{Node: n, Unit: u, Took: r.took[n], Turn: r.turn}
		if r.observer.Values {
			if err := r.look(r.ctx, o); err != nil {
				return &NodeError{Node: n, Err: err}
			}
		}
		r.observer.Node(o)
	}
	return nil
}

// look completes an observation with values.
func (r *watchedRun) look(ctx context.Context, o *Observation) error {
	n := o.Node
	o.Operands, o.Results = make([]*tensor.Tensor, len(n.In)), make([]*tensor.Tensor, len(n.Out))
	missing := false
	for i, v := range n.In {
		if v == nil {
			continue
		}
		if o.Operands[i] = r.values[v]; o.Operands[i] == nil { // Without this a mistake of the engine would be a panic.
			return fmt.Errorf("the value %s is not known", v.Name)
		}
	}
	for i, v := range n.Out {
		o.Results[i] = r.values[v]
		missing = missing || o.Results[i] == nil
	}
	if missing {
		results, err := op.EvalNode(ctx, n, o.Operands)
		if err != nil {
			return err
		}
		o.Results = results
	}
	for i, v := range n.Out {
		if r.left[v] > 0 {
			r.values[v] = o.Results[i]
		}
	}
	for _, v := range n.In {
		if r.left[v]--; r.left[v] == 0 { // Without this it takes more memory.
			delete(r.values, v)
		}
	}
	return nil
}
