package model

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/concord-nn/concord/engine"
	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/internal/mapfile"
)

// DefaultPrograms is how many programs [Programs] keeps unless it is told otherwise.
const DefaultPrograms = 8

// Programs compiles a model for the shapes that are asked for, and keeps the programs that were used last. Any number of goroutines may use
// it at the same time.
type Programs struct {
	model *Model
	opts  engine.Options
	first *cache // by the shapes of the inputs
	rest  *cache // of parts that follow, by the key of the part before and what it asks for

	closed atomic.Bool
}

// NewPrograms returns the programs of a model, of which it keeps so many, or [DefaultPrograms] if keep is 0. Of a model in parts it keeps
// as many beginnings, and 128 times as many parts that follow them.
func NewPrograms(m *Model, opts engine.Options, keep int) *Programs {
	if keep <= 0 {
		keep = DefaultPrograms
	}
	return &Programs{model: m, opts: opts, first: &cache{keep: keep, bytes: math.MaxInt64},
		rest: &cache{keep: keep * limits.ModelKept, bytes: opts.Limits.Resolved().Memory}}
}

// For returns the program for inputs of the given shapes; see [Model.Graph]. It may run even after it is not kept any more.
func (p *Programs) For(given Shapes) (*engine.Program, error) {
	e, err := p.start(given)
	if err != nil {
		return nil, err
	}
	if e.part.Rest != nil {
		return nil, &PartsError{e.part.Asked, e.part.Why}
	}
	if e.program == nil {
		return nil, errNothing
	}
	return e.program, nil
}

// start returns the first part for inputs of the given shapes.
func (p *Programs) start(given Shapes) (*entry, error) {
	if p == nil {
		return nil, errNone
	}
	shapes, err := p.model.Complete(given)
	if err != nil {
		return nil, err
	}
	if p.closed.Load() {
		return nil, mapfile.ErrClosed
	}
	e, mine := p.first.entry(p.model.Key(shapes))
	if !mine {
		<-e.ready
		return e, e.err
	}
	defer p.first.settle(e)
	e.part, e.err = p.model.Part(shapes)
	e.compile(p.opts)
	return e, e.err
}

// next returns the part that follows an entry when a run has yielded the given values.
func (p *Programs) next(before *entry, values Values) (*entry, error) {
	key, err := before.part.key(before.key, values)
	if err != nil {
		return nil, err
	}
	e, mine := p.rest.entry(key)
	if !mine {
		<-e.ready
		return e, e.err
	}
	defer p.rest.settle(e)
	e.part, e.err = before.part.Rest(before.part.asked(values))
	if e.compile(p.opts); e.err != nil {
		e.err = &RestError{e.err}
	}
	return e, e.err
}

// Run runs the model on inputs of any shapes that it can have; see [engine.Program.Run]. The limit of time is one for all parts.
func (p *Programs) Run(ctx context.Context, inputs Values) (Values, error) {
	e, err := p.start(shapesOf(inputs))
	if err != nil {
		return nil, err
	}
	if e.part.Rest == nil && e.program != nil {
		return e.program.Run(ctx, inputs)
	}
	if err := p.check(inputs); err != nil {
		return nil, err
	}
	return p.follow(ctx, e, inputs, evaluate)
}

// check holds inputs against what the model declares, which programs of parts do only for those that they read.
func (p *Programs) check(inputs Values) error {
	for _, in := range p.model.inputs {
		if inputs[in.Name] == nil && !in.Optional && !in.Sequence {
			return fmt.Errorf("input %v is missing", in)
		}
	}
	for name, t := range inputs {
		if in := p.model.input(name); t != nil && in.DType != t.DType() {
			return fmt.Errorf("input %v is given as %v", in, t.Describe())
		}
	}
	return nil
}

// follow runs part after part, from e on; run runs a program on values among which are its inputs.
func (p *Programs) follow(ctx context.Context, e *entry, inputs Values,
	run func(ctx context.Context, program *engine.Program, values Values) (Values, error)) (Values, error) {
	bounds := p.opts.Limits.Resolved()
	begin := time.Now()
	ctx, cancel := context.WithDeadlineCause(ctx, begin.Add(min(bounds.Time, math.MaxInt64/4)), errTime)
	defer cancel()
	late := func() error {
		return &engine.LimitError{What: "time", Need: int64(time.Since(begin)), Allowed: int64(bounds.Time)}
	}
	left := bounds.Operations
	values := maps.Clone(inputs)
	for range limits.ModelParts {
		if e.program != nil {
			cost := e.program.Cost()
			if left -= limits.Add(cost.MACs, cost.Ops); left < 0 {
				return nil, &engine.LimitError{What: "operations", Need: limits.Add(bounds.Operations, -left), Allowed: bounds.Operations}
			}
			out, err := run(ctx, e.program, values)
			if err != nil && errors.Is(context.Cause(ctx), errTime) {
				return nil, late()
			}
			if err != nil {
				return nil, err
			}
			maps.Copy(values, out)
		}
		if e.part.Rest == nil {
			return p.model.results(e.part, values), nil
		}
		if n := e.part.forget(values, inputs); n > bounds.Memory {
			return nil, &engine.LimitError{What: "memory", Need: n, Allowed: bounds.Memory}
		}
		if errors.Is(context.Cause(ctx), errTime) {
			return nil, late()
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		var err error
		if e, err = p.next(e, values); err != nil {
			return nil, err
		}
	}
	return nil, &engine.LimitError{What: "parts", Need: limits.ModelParts + 1, Allowed: limits.ModelParts}
}

// errTime is why a run in parts is stopped that exceeds its limit.
var errTime = errors.New("the time is over")

// Close ends them for new work: everything that is asked afterwards is an error, fs.ErrClosed. What runs ends as it would have, and programs and
// sessions that were made go on, on their callers' goroutines alone. It may be called at any time, by any goroutine, and more than once.
func (p *Programs) Close() {
	if p == nil || p.first == nil { // nobody has made it
		return
	}
	p.closed.Store(true)
	p.first.close()
	p.rest.close()
}

// cache has the entries that were used last.
type cache struct {
	keep  int
	bytes int64 // that they may take, with the constants of their programs

	mu     sync.Mutex
	kept   []*entry // the last used one at the end
	most   int64    // bytes that they take, if they have nothing in common
	closed bool
}

// entry is a part of a model, compiled once, by whoever has made the entry.
type entry struct {
	key     string
	ready   chan struct{} // closed when the fields below are set
	part    *Part
	program *engine.Program // nil if the part has no graph
	bytes   int64           // that constants of the program take, and what makes the next part; under the cache's lock
	err     error
}

// errPanicked is what those are told who wait for a compilation that panics.
var errPanicked = errors.New("the compilation has panicked")

// compile makes the program of the entry's part, unless there was an error.
func (e *entry) compile(opts engine.Options) {
	if e.err != nil || e.part.Graph == nil {
		return
	}
	e.err = errPanicked // unless it ends
	e.program, e.err = engine.Compile(e.part.Graph, opts)
}

// settle lets those go on who wait for an entry, and forgets one that has failed, as another time it may not, or those that were not used for
// the longest time if they take too much.
func (c *cache) settle(e *entry) {
	if close(e.ready); e.err != nil {
		c.drop(e)
		return
	}
	bytes := limits.Add(e.part.Size, engine.Shared(e.program))
	c.mu.Lock()
	defer c.mu.Unlock()
	if !slices.Contains(c.kept, e) {
		return
	}
	e.bytes = bytes
	for c.most = limits.Add(c.most, e.bytes); c.most > c.bytes && len(c.kept) > 0 && c.used() > c.bytes; {
		c.forget()
	}
}

// used returns how many bytes the entries take, of which programs may have some in common.
func (c *cache) used() (bytes int64) {
	var programs []*engine.Program
	for _, e := range c.kept {
		if e.bytes > 0 {
			programs = append(programs, e.program)
			bytes = limits.Add(bytes, e.part.Size)
		}
	}
	return limits.Add(bytes, engine.Shared(programs...))
}

// forget ends the entry that was not used for the longest time.
func (c *cache) forget() {
	e := c.kept[0]
	c.kept = c.kept[1:]
	c.most -= e.bytes
	e.end()
}

// evaluate runs a program on those of the values that it reads.
func evaluate(ctx context.Context, program *engine.Program, values Values) (Values, error) {
	in := make(Values)
	for _, port := range program.Inputs() {
		in[port.Name] = values[port.Name]
	}
	return program.Run(ctx, in)
}

// entry returns the entry of a key, which is the last used one then, and whether the caller is to compile it. It ends the program that was
// not used for the longest time if there are too many.
func (c *cache) entry(key string) (e *entry, mine bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i, e := range c.kept {
		if e.key == key {
			c.kept = append(append(c.kept[:i:i], c.kept[i+1:]...), e)
			return e, false
		}
	}
	e = &entry{key: key, ready: make(chan struct{}), err: errPanicked}
	if c.closed {
		return e, true
	}
	if c.kept = append(c.kept, e); len(c.kept) > c.keep {
		c.forget()
	}
	return e, true
}

// drop forgets an entry.
func (c *cache) drop(e *entry) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.kept = slices.DeleteFunc(c.kept, func(x *entry) bool { return x == e })
}

// close ends the workers of all programs.
func (c *cache) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, e := range c.kept {
		e.end()
	}
	c.kept, c.closed = nil, true
}

// end ends the workers of a program, after its compilation, for which nobody waits who needs the room.
func (e *entry) end() {
	go func() {
		<-e.ready
		if e.program != nil {
			e.program.EndWorkers()
		}
	}()
}
