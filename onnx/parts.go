package onnx

import (
	"fmt"
	"maps"
	"slices"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/internal/mapfile"
	"github.com/concord-nn/concord/model"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// maker makes the parts of a network for given shapes of its inputs, one after the other.
type maker struct {
	file *File
	work *work // of all parts so far

	number int                     // of the part that is made
	names  map[*graph.Value]string // by which a run knows values
	done   map[string]bool         // the outputs of the model that earlier parts yield
	kept   []string                // what they are called in the run, sequences element by element
}

// first makes the first part.
func (f *File) first(shapes model.Shapes) (_ *model.Part, err error) {
	defer guard(f.path, "the translation", mapfile.Watch(), &err)
	if f.closed.Load() {
		return nil, mapfile.ErrClosed
	}
	w, s, m, err := f.start(shapes)
	if err != nil {
		return nil, err
	}
	if err := w.begin(s); err != nil {
		return nil, w.place(step{scope: s}, err)
	}
	return m.finish(w, s)
}

// start returns what makes the first part, with the inputs in the graph.
func (f *File) start(shapes model.Shapes) (*walker, *scope, *maker, error) {
	m := &maker{file: f, work: newWork(), names: make(map[*graph.Value]string), done: make(map[string]bool)}
	w := f.walker(m.work)
	s := &scope{net: f.main, items: make(map[string]item), opsets: imports{own: f.opsets}}
	input := func(name string, d tensor.DType) (item, error) {
		shape, ok := shapes[name]
		if !ok {
			return item{}, nil
		}
		v, err := w.b.Input(name, graph.Type{DType: d, Shape: shape})
		if err != nil {
			return item{}, &Error{File: f.path, Msg: err.Error(), Err: err}
		}
		m.names[v] = name
		return item{kind: aTensor, value: v}, nil
	}
	for _, in := range f.inputs {
		x, err := input(in.Name, in.DType)
		if _, given := shapes[model.Element(in.Name, 0)]; in.Sequence && (given || !in.Optional) {
			x = item{kind: sequence, elem: in.DType}
			for i := 0; shapes[model.Element(in.Name, i)] != nil && err == nil; i++ {
				var e item
				e, err = input(model.Element(in.Name, i), in.DType)
				x.list = append(x.list, e.value)
			}
		}
		if err != nil {
			return nil, nil, nil, err
		}
		s.items[in.Name] = x
	}
	return w, s, m, nil
}

// walker returns a walker of the file that has nothing to do yet.
func (f *File) walker(w *work) *walker {
	return &walker{
		file:   f,
		b:      graph.NewBuilder(op.Rules, f.Model.Graph.Name),
		folder: op.NewFolder(op.Budget{Bytes: limits.ONNXFolded, Operations: limits.FoldOperations, Result: limits.ONNXFolded}),
		work:   w,
	}
}

// finish walks to the end and makes the part.
func (m *maker) finish(w *walker, main *scope) (*model.Part, error) {
	if err := w.walk(); err != nil {
		return nil, err
	}
	p, err := m.outputs(w, main)
	if err != nil || len(w.waiting) == 0 {
		return p, err
	}
	if len(w.asked) == 0 {
		return nil, &Error{File: w.file.path, Msg: "nodes wait for values that nothing yields"}
	}
	p.Why = w.place(w.asked[0].step, w.asked[0].why).Error()
	rest := &remainder{maker: *m, main: main, waiting: w.waiting, constants: make(map[*graph.Value]*tensor.Tensor)}
	rest.number++
	if p.Asked, err = m.asked(w); err != nil {
		return nil, err
	}
	p.Keep = slices.Clone(m.kept)
	for _, v := range rest.needs() {
		if t, err := w.folder.Constant(v); err == nil && t != nil {
			rest.constants[v] = t
			continue
		}
		name, err := m.live(w, v)
		if err != nil {
			return nil, err
		}
		p.Keep = append(p.Keep, name)
	}
	if p.Graph, err = m.build(w); err != nil {
		return nil, err
	}
	p.Rest, p.Size = rest.make, rest.size
	return p, nil
}

// asked returns the names of the values whose elements must be known, or of some if all are much; those who ask for the others ask again.
func (m *maker) asked(w *walker) ([]string, error) {
	var names []string
	bytes, seen := int64(0), make(map[*graph.Value]bool)
	for _, a := range w.asked {
		if seen[a.value] {
			continue
		}
		n := a.value.Type.Bytes()
		if n > limits.ONNXAsked {
			return nil, w.place(a.step, &Error{Err: ErrLimit, Msg: fmt.Sprintf("%v; they take %d bytes, and at most %d may decide how to go on", a.why, n, limits.ONNXAsked)})
		}
		if bytes += n; bytes > limits.ONNXAsked {
			break
		}
		name, err := m.live(w, a.value)
		if err != nil {
			return nil, err
		}
		seen[a.value], names = true, append(names, name)
	}
	return names, nil
}

// outputs makes what the walker has left of the outputs of the model outputs of the graph.
func (m *maker) outputs(w *walker, main *scope) (*model.Part, error) {
	p := &model.Part{}
	for i, name := range w.file.outputs {
		if m.done[name] {
			continue
		}
		x, ok, err := w.lookup(main, w.file.main.outputs[i])
		switch {
		case err != nil:
			return nil, w.place(step{scope: main}, err)
		case !ok:
			return nil, &Error{File: w.file.path, Operand: name, Msg: "nothing yields this output of the model"}
		case x.kind == pending:
			continue
		case x.kind == sequence:
			for k, e := range x.list {
				if err := m.output(w, model.Element(name, k), e); err != nil {
					return nil, err
				}
			}
		case x.kind == aTensor:
			if err := m.output(w, name, x.value); err != nil {
				return nil, err
			}
		}
		m.done[name] = true
	}
	if len(w.waiting) > 0 {
		return p, nil
	}
	g, err := m.build(w)
	p.Graph = g
	return p, err
}

// output makes a tensor an output of the model.
func (m *maker) output(w *walker, name string, v *graph.Value) error {
	if err := w.b.Output(name, v); err != nil {
		return &Error{File: w.file.path, Operand: name, Msg: err.Error(), Err: err}
	}
	if m.names[v] == "" {
		m.names[v] = name
	}
	m.kept = append(m.kept, name)
	return nil
}

// build returns the graph of a walker, nil if it has no outputs.
func (m *maker) build(w *walker) (*graph.Graph, error) {
	if w.b.Outputs() == 0 {
		return nil, nil
	}
	w.b.Prune() // what shapes were computed by, above all
	return w.b.Build()
}

// live makes a value known to the run and returns its name there.
func (m *maker) live(w *walker, v *graph.Value) (string, error) {
	if name, ok := m.names[v]; ok {
		return name, nil
	}
	name := fmt.Sprintf("%d/%s", m.number, v.Name)
	for w.file.named[name] {
		name += "'"
	}
	m.names[v] = name
	return name, w.b.Output(name, v)
}

// remainder is what there is to do when some elements are known. It does not change.
type remainder struct {
	maker
	main      *scope
	waiting   []step
	size      int64 // about how many bytes of them there are
	constants map[*graph.Value]*tensor.Tensor
}

// needs returns the values of the part before that steps read, and forgets the others.
func (r *remainder) needs() []*graph.Value {
	var out []*graph.Value
	seen := make(map[*graph.Value]bool)
	c := &copier{items: func(x item) item {
		return x.each(func(v *graph.Value) *graph.Value {
			if !seen[v] {
				seen[v] = true
				out = append(out, v)
			}
			return v
		})
	}, file: r.file, scopes: make(map[*scope]*scope)}
	r.main, r.waiting = c.scope(r.main), c.steps(r.waiting)
	for _, s := range c.scopes {
		r.size += int64(len(s.items)) * itemSize
	}
	r.size += int64(len(r.waiting)) * stepSize
	return out
}

// About how many bytes a step takes, and an item in the table of its scope.
const stepSize, itemSize = 32, 100

// make makes the next part.
func (r *remainder) make(asked model.Values) (_ *model.Part, err error) {
	defer guard(r.file.path, "the translation", mapfile.Watch(), &err)
	m := r.maker
	m.work = r.work.next() // others may go on with other elements
	w := r.file.walker(m.work)
	if err := m.work.charge(len(r.waiting) / 4); err != nil { // most of them only go on waiting
		return nil, w.place(step{scope: r.main}, err)
	}
	m.names, m.done, m.kept = make(map[*graph.Value]string), maps.Clone(r.done), slices.Clip(r.kept)
	is := make(map[*graph.Value]*graph.Value)
	var failed error
	value := func(v *graph.Value) *graph.Value {
		if is[v] != nil {
			return is[v]
		}
		name := r.names[v]
		t := asked[name]
		if t == nil {
			t = r.constants[v]
		}
		var made *graph.Value
		var err error
		if t != nil {
			made, err = w.b.Constant(v.Name, v.Label, t)
		} else {
			made, err = w.b.Input(name, v.Type)
			m.names[made] = name
		}
		if err != nil {
			failed = err
			return v
		}
		is[v] = made
		return made
	}
	c := &copier{items: func(x item) item { return x.each(value) }, file: r.file, scopes: make(map[*scope]*scope)}
	main := c.scope(r.main)
	steps := c.steps(r.waiting)
	if failed != nil {
		return nil, &Error{File: r.file.path, Msg: failed.Error(), Err: failed}
	}
	slices.Reverse(steps)
	w.todo = steps
	return m.finish(w, main)
}

// each replaces the values of an item.
func (x item) each(f func(v *graph.Value) *graph.Value) item {
	if x.value != nil {
		x.value = f(x.value)
	}
	if x.list != nil {
		x.list = slices.Clone(x.list)
		for i, v := range x.list {
			x.list[i] = f(v)
		}
	}
	return x
}

// copier copies steps with their scopes, of which it takes along what the steps read.
type copier struct {
	file   *File
	items  func(x item) item
	scopes map[*scope]*scope
}

func (c *copier) scope(s *scope) *scope {
	if s == nil {
		return nil
	}
	if c.scopes[s] == nil {
		made := *s
		c.scopes[s] = &made
		made.items = make(map[string]item)
		c.scopes[s].parent = c.scope(s.parent)
	}
	return c.scopes[s]
}

func (c *copier) steps(steps []step) []step {
	out := make([]step, len(steps))
	for i, s := range steps {
		out[i] = step{c.scope(s.scope), s.node, s.number, c.sequel(s.sequel)}
		if s.sequel == nil {
			for _, name := range s.node.Input {
				c.name(s.scope, name)
			}
		}
		c.file.networks.around(s.node, func(name string) { c.name(s.scope, name) }) // turns to come read it, too
	}
	return out
}

func (c *copier) sequel(r *sequel) *sequel {
	if r == nil {
		return nil
	}
	made := *r
	made.from, made.into = c.scope(r.from), c.scope(r.into)
	made.operands = make([]item, len(r.operands))
	for k, x := range r.operands {
		made.operands[k] = c.items(x)
	}
	for _, name := range r.reads {
		c.name(r.from, name)
	}
	return &made
}

// name takes a name along, from where it is found.
func (c *copier) name(s *scope, name string) {
	for ; s != nil; s = s.parent {
		if x, ok := s.items[name]; ok {
			into := c.scope(s)
			if _, done := into.items[name]; !done {
				into.items[name] = c.items(x)
			}
			return
		}
		if s.net.names[name] {
			return // it is pending, or is found again where it is stored
		}
	}
}
