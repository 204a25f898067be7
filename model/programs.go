package model

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/concord-nn/concord/engine"
	"github.com/concord-nn/concord/tensor"
)

// DefaultPrograms is how many programs [Programs] keeps unless it is told otherwise.
const DefaultPrograms = 8

// Programs compiles a model for the shapes that are asked for, and keeps the programs that were used last. Any number of goroutines may use
// it at the same time.
type Programs struct {
	model *Model
	opts  engine.Options
	keep  int

	mu     sync.Mutex
	kept   []*entry // the last used one at the end
	closed bool
}

// errPanicked is what those are told who wait for a compilation that panics.
var errPanicked = errors.New("the compilation for these shapes has panicked")

// entry is a program that is compiled once, by whoever has made the entry.
type entry struct {
	key     string
	ready   chan struct{} // closed when the fields below are set
	program *engine.Program
	err     error
}

// NewPrograms returns the programs of a model, of which it keeps so many, or [DefaultPrograms] if keep is 0.
func NewPrograms(m *Model, opts engine.Options, keep int) *Programs {
	if keep <= 0 {
		keep = DefaultPrograms
	}
	return &Programs{model: m, opts: opts, keep: keep}
}

// For returns the program for inputs of the given shapes; see [Model.Graph]. It may run even after it is not kept any more.
func (p *Programs) For(given Shapes) (*engine.Program, error) {
	shapes, err := p.model.Complete(given)
	if err != nil {
		return nil, err
	}
	e, mine := p.entry(p.model.Key(shapes))
	if !mine {
		<-e.ready
		return e.program, e.err
	}
	defer func() {
		if close(e.ready); e.err != nil {
			p.drop(e) // another time it may not fail
		}
	}()
	e.err = errPanicked // unless it ends
	g, err := p.model.Graph(shapes)
	if err == nil {
		e.program, err = engine.Compile(g, p.opts)
	}
	e.err = err
	return e.program, err
}

// entry returns the entry of a key, which is the last used one then, and whether the caller is to compile it. It ends the program that was
// not used for the longest time if there are too many.
func (p *Programs) entry(key string) (e *entry, mine bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i, e := range p.kept {
		if e.key == key {
			p.kept = append(append(p.kept[:i:i], p.kept[i+1:]...), e)
			return e, false
		}
	}
	e = &entry{key: key, ready: make(chan struct{})}
	if p.closed {
		return e, true
	}
	if p.kept = append(p.kept, e); len(p.kept) > p.keep {
		p.kept[0].end()
		p.kept = p.kept[1:]
	}
	return e, true
}

// drop forgets an entry.
func (p *Programs) drop(e *entry) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.kept = slices.DeleteFunc(p.kept, func(x *entry) bool { return x == e })
}

// end ends the workers of a program, after its compilation, for which nobody waits who needs the room.
func (e *entry) end() {
	go func() {
		<-e.ready
		if e.program != nil {
			e.program.Close()
		}
	}()
}

// Run runs the program for the shapes of the inputs; see [engine.Program.Run].
func (p *Programs) Run(ctx context.Context, inputs map[string]*tensor.Tensor) (map[string]*tensor.Tensor, error) {
	shapes := make(Shapes, len(inputs))
	for name, t := range inputs {
		if t != nil {
			shapes[name] = t.Shape()
		}
	}
	program, err := p.For(shapes)
	if err != nil {
		return nil, err
	}
	return program.Run(ctx, inputs)
}

// Close ends the workers of all programs. Programs that are compiled later are not kept.
func (p *Programs) Close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, e := range p.kept {
		e.end()
	}
	p.kept, p.closed = nil, true
}
