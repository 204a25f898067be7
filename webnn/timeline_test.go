package webnn

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/concord-nn/concord/engine"
	"github.com/concord-nn/concord/tensor"
)

// stage is a context whose timeline can be held, so that tests know what is queued.
type stage struct {
	*Context
	t testing.TB
}

func newStage(t testing.TB, options *ContextOptions) *stage {
	t.Helper()
	c, err := ML{}.CreateContext(options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Destroy)
	return &stage{c, t}
}

// hold stops the timeline and builds until the function that it returns is called.
func (s *stage) hold() (release func()) {
	gate := make(chan struct{})
	started := make(chan struct{})
	for _, t := range []*timeline{&s.timeline, &s.builds} {
		t.enqueue(func() { started <- struct{}{}; <-gate })
		<-started
	}
	return sync.OnceFunc(func() { close(gate) })
}

// inUse returns the bytes that the context holds.
func (s *stage) inUse() int64 {
	s.memory.mu.Lock()
	defer s.memory.mu.Unlock()
	return s.memory.held
}

// settle waits for what is queued.
func (s *stage) settle() {
	done := make(chan struct{})
	s.enqueue(func() { close(done) })
	<-done
}

func (s *stage) tensor(n int) *Tensor {
	s.t.Helper()
	x, err := s.CreateTensor(TensorDescriptor{OperandDescriptor{tensor.Float32, tensor.Shape{n}}, true, true})
	if err != nil {
		s.t.Fatal(err)
	}
	return x
}

func (s *stage) write(x *Tensor, data ...float32) {
	s.t.Helper()
	if err := s.WriteTensor(x, data); err != nil {
		s.t.Fatal(err)
	}
}

func (s *stage) dispatch(g *Graph, inputs, outputs NamedTensors) {
	s.t.Helper()
	if err := s.Dispatch(g, inputs, outputs); err != nil {
		s.t.Fatal(err)
	}
}

func (s *stage) read(x *Tensor) *Reading {
	s.t.Helper()
	r, err := s.EnqueueRead(x)
	if err != nil {
		s.t.Fatal(err)
	}
	return r
}

// expect waits for a reading and compares it.
func (s *stage) expect(r *Reading, want ...float32) {
	s.t.Helper()
	got, err := r.Wait(s.t.Context())
	wanted, _ := tensor.FromSlice(want, len(want))
	if content := tensor.Raw(wanted); err != nil || !slices.Equal(got, content) {
		s.t.Errorf("the content is %v, %v; want %v", got, err, content)
	}
}

func (s *stage) fails(r *Reading, rule string) {
	s.t.Helper()
	_, err := r.Wait(s.t.Context())
	var e *Error
	if !errors.As(err, &e) || e.Name != InvalidStateError || e.Rule != "readTensor."+rule {
		s.t.Errorf("the reading ends with %v; want an InvalidStateError by the rule %s", err, rule)
	}
}

// twice is a graph y = x + x of n elements.
func (s *stage) twice(n int) *Graph {
	s.t.Helper()
	return s.build(func(b *GraphBuilder, must *Must) *Operand {
		x := must.One(b.Input("x", OperandDescriptor{tensor.Float32, tensor.Shape{n}}))
		return must.All(b.Call("add", []any{x, x}, nil))[0]
	})
}

// endless is a graph that takes minutes.
func (s *stage) endless() *Graph {
	s.t.Helper()
	return s.build(func(b *GraphBuilder, must *Must) *Operand {
		x := must.One(b.Input("x", OperandDescriptor{tensor.Float32, tensor.Shape{1}}))
		m := must.All(b.Call("expand", []any{x, []int{2048, 2048}}, nil))[0]
		for range 100 {
			m = must.All(b.Call("matmul", []any{m, m}, nil))[0]
		}
		m = must.All(b.Call("reduceMax", []any{m}, nil))[0]
		return must.All(b.Call("reshape", []any{m, []int{1}}, Options{"label": "last\u202e"}))[0]
	})
}

// unbuilt is a graph that has not been built.
func (s *stage) unbuilt() (*GraphBuilder, NamedOperands) {
	s.t.Helper()
	b, outputs := s.builder(), NamedOperands{}
	err := Try(func(must *Must) {
		x := must.One(b.Input("x", OperandDescriptor{tensor.Float32, nil}))
		outputs["y"] = must.All(b.Call("relu", []any{x}, nil))[0]
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return b, outputs
}

func (s *stage) builder() *GraphBuilder {
	s.t.Helper()
	b, err := NewGraphBuilder(s.Context)
	if err != nil {
		s.t.Fatal(err)
	}
	return b
}

func (s *stage) build(define func(b *GraphBuilder, must *Must) *Operand) *Graph {
	s.t.Helper()
	b := s.builder()
	var g *Graph
	err := Try(func(must *Must) {
		y := define(b, must)
		var err error
		g, err = b.Build(s.t.Context(), NamedOperands{"y": y})
		must.One(nil, err)
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return g
}

// TestOrder enqueues while the timeline is held: every call returns at once, and each reading gets what the calls before it
// have left.
func TestOrder(t *testing.T) {
	s := newStage(t, nil)
	g, x, y, z := s.twice(1), s.tensor(1), s.tensor(1), s.tensor(1)
	release := s.hold()
	defer release()
	zeros := s.read(y)
	s.write(x, 1)
	s.dispatch(g, NamedTensors{"x": x}, NamedTensors{"y": y})
	s.write(x, 5)
	first := s.read(y)
	s.dispatch(g, NamedTensors{"x": y}, NamedTensors{"y": z})
	s.dispatch(g, NamedTensors{"x": z}, NamedTensors{"y": y})
	second, last := s.read(y), s.read(x)
	select {
	case <-zeros.Done():
		t.Error("a reading does not wait for the timeline")
	default:
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := first.Wait(ended); !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v", err)
	}
	release()
	s.expect(last, 5)
	s.expect(second, 8)
	s.expect(first, 2)
	s.expect(zeros, 0)
}

// TestContextEnds waits with a context that has ended.
func TestContextEnds(t *testing.T) {
	s := newStage(t, nil)
	x := s.tensor(2)
	s.write(x, 1, 2)
	release := s.hold()
	defer release()
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.ReadTensor(ended, x); !errors.Is(err, context.Canceled) {
		t.Errorf("ReadTensor: %v", err)
	}
	into := []float32{7, 7}
	if err := s.ReadTensorInto(ended, x, into); !errors.Is(err, context.Canceled) || !slices.Equal(into, []float32{7, 7}) {
		t.Errorf("ReadTensorInto: %v, %v", into, err)
	}
	b, outputs := s.unbuilt()
	if _, err := b.Build(ended, outputs); !errors.Is(err, context.Canceled) {
		t.Errorf("Build: %v", err)
	}
	if _, err := s.ReadTensor(nil, x); !errors.Is(err, TypeError) { //nolint:staticcheck // what a careless caller does
		t.Errorf("the error is %v", err)
	}
	release()
	s.settle()
	if into[0] != 7 {
		t.Error("a read that was given up writes into its buffer")
	}
	s.expect(s.read(x), 1, 2)
}

func TestTensorDestroyed(t *testing.T) {
	s := newStage(t, nil)
	g := s.twice(1)
	before := s.inUse()
	x, y := s.tensor(1), s.tensor(1)
	s.write(x, 4)
	release := s.hold()
	defer release()
	s.dispatch(g, NamedTensors{"x": x}, NamedTensors{"y": y})
	result, input := s.read(y), s.read(x)
	x.Destroy()
	x.Destroy()
	s.fails(input, "destroyed") // while the timeline is held
	if n := s.inUse() - before; n != 8 {
		t.Errorf("%d bytes are in use before queued work has run", n)
	}
	release()
	s.expect(result, 8) // the queued dispatch has run
	s.settle()
	if n := s.inUse() - before; n != 4 || x.store.data != nil {
		t.Errorf("%d bytes are in use after it", n)
	}
	late := s.read(y)
	s.settle()
	y.Destroy()
	s.fails(late, "destroyed") // the copy was made, but nobody had asked for it
	if _, err := result.Wait(t.Context()); err != nil {
		t.Errorf("a reading that has ended well fails: %v", err)
	}
}

func TestGraphDestroyed(t *testing.T) {
	s := newStage(t, nil)
	g, x, y := s.twice(1), s.tensor(1), s.tensor(1)
	s.write(x, 4)
	release := s.hold()
	defer release()
	s.dispatch(g, NamedTensors{"x": x}, NamedTensors{"y": y})
	g.Destroy()
	g.Destroy()
	if err := s.Dispatch(g, NamedTensors{"x": x}, NamedTensors{"y": y}); !errors.Is(err, InvalidStateError) {
		t.Errorf("the error is %v", err)
	}
	r := s.read(y)
	release()
	s.expect(r, 8)
	s.settle()
	if g.code.program != nil {
		t.Error("the graph is not released")
	}
}

func TestContextDestroyed(t *testing.T) {
	s := newStage(t, nil)
	g, x, y, copied := s.twice(1), s.tensor(1), s.tensor(1), s.tensor(1)
	early, kept := s.read(copied), s.read(copied)
	s.settle()
	s.expect(kept, 0)
	select {
	case <-s.Lost():
		t.Error("the context is lost")
	default:
	}
	if _, lost := s.LostInfo(); lost {
		t.Error("the context has information on its loss")
	}
	release := s.hold()
	defer release()
	s.dispatch(g, NamedTensors{"x": x}, NamedTensors{"y": y})
	pending := s.read(y)
	building := make(chan error)
	b, outputs := s.unbuilt()
	go func() {
		_, err := b.Build(t.Context(), outputs)
		building <- err
	}()
	s.Destroy()
	s.Destroy()
	<-s.Lost()
	if info, lost := s.LostInfo(); !lost || !strings.Contains(info.Message, "destroy was called") {
		t.Errorf("the information is %q", info.Message)
	}
	if err := <-building; !errors.Is(err, InvalidStateError) {
		t.Errorf("the build ends with %v", err)
	}
	s.fails(pending, "state")
	s.fails(early, "state")
	if _, err := kept.Wait(t.Context()); err != nil {
		t.Errorf("a reading that has ended well fails: %v", err)
	}
	g.Destroy()
	x.Destroy()
	release()
	s.settle()
	if s.inUse() != 0 || len(s.owned) != 0 || x.store.data != nil || g.code.program != nil {
		t.Errorf("%d bytes and %d resources are left", s.inUse(), len(s.owned))
	}
}

// TestCreateTensorWaits destroys the context while a tensor waits for memory, and a write for other writes.
func TestCreateTensorWaits(t *testing.T) {
	for name, act := range map[string]func(s *stage, x *Tensor) error{
		"create": func(s *stage, _ *Tensor) error {
			_, err := s.CreateTensor(TensorDescriptor{OperandDescriptor: OperandDescriptor{tensor.Float32, tensor.Shape{2}}})
			return err
		},
		"write": func(s *stage, x *Tensor) error {
			s.write(x, 1, 2)
			return s.WriteTensor(x, []float32{3, 4})
		},
	} {
		s := newStage(t, &ContextOptions{MaxMemory: 12})
		x := s.tensor(2)
		release := s.hold()
		ended := make(chan error)
		go func() { ended <- act(s, x) }()
		for waiting := false; !waiting; runtime.Gosched() {
			s.timeline.mu.Lock()
			waiting = len(s.tasks) > 0
			s.timeline.mu.Unlock()
		}
		s.Destroy()
		if err := <-ended; !errors.Is(err, InvalidStateError) {
			t.Errorf("%s: the error is %v", name, err)
		}
		release()
	}
}

// TestLongDispatchEnds loses the context while a dispatch of minutes runs.
func TestLongDispatchEnds(t *testing.T) {
	s := newStage(t, nil)
	g, x, y := s.endless(), s.tensor(1), s.tensor(1)
	s.dispatch(g, NamedTensors{"x": x}, NamedTensors{"y": y})
	s.dispatch(g, NamedTensors{"x": x}, NamedTensors{"y": y})
	r := s.read(y)
	s.Destroy()
	s.fails(r, "state")
	s.settle() // the timeline is free again
}

// TestDispatchFails has a run that exceeds its time.
func TestDispatchFails(t *testing.T) {
	s := newStage(t, &ContextOptions{Limits: engine.Limits{Time: 1}})
	g, x, y := s.endless(), s.tensor(1), s.tensor(1)
	release := s.hold()
	s.dispatch(g, NamedTensors{"x": x}, NamedTensors{"y": y})
	r := s.read(y)
	release()
	s.fails(r, "state")
	info, _ := s.LostInfo()
	for _, part := range []string{`outputs ["y"]`, "time limit", "node "} {
		if !strings.Contains(info.Message, part) {
			t.Errorf("the message %q does not have %q", info.Message, part)
		}
	}
}

// TestTaskPanics has a mistake of our own on the timeline.
func TestTaskPanics(t *testing.T) {
	s := newStage(t, nil)
	s.enqueue(func() { panic("mistake") })
	<-s.Lost()
	if info, _ := s.LostInfo(); info.Message != "internal error: mistake" {
		t.Errorf("the message is %q", info.Message)
	}
	s.settle()
}

// TestManyGoroutines uses one context, graph and builder from many goroutines, each with tensors of its own.
func TestManyGoroutines(t *testing.T) {
	s := newStage(t, nil)
	g := s.twice(3)
	b := s.builder()
	var all sync.WaitGroup
	for i := range 16 {
		all.Go(func() {
			x, y := s.tensor(3), s.tensor(3)
			for k := range 20 {
				v := float32(100*i + k)
				s.write(x, v, v+1, v+2)
				s.dispatch(g, NamedTensors{"x": x}, NamedTensors{"y": y})
				s.dispatch(g, NamedTensors{"x": y}, NamedTensors{"y": x})
				s.expect(s.read(x), 4*v, 4*v+4, 4*v+8)
			}
			x.Destroy()
			y.Destroy()
			in, err := b.Input(fmt.Sprint("x", i), OperandDescriptor{tensor.Float32, tensor.Shape{3}})
			if err != nil {
				t.Error(err)
				return
			}
			if _, err := b.Call("relu", []any{in}, nil); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	b.discard()
	g.Destroy()
	s.settle()
	if s.inUse() != 0 {
		t.Errorf("%d bytes are left", s.inUse())
	}
}

// TestMisuse destroys everything in the middle of the work of others: calls succeed or fail with typed errors.
func TestMisuse(t *testing.T) {
	s := newStage(t, nil)
	g, x, y := s.twice(2), s.tensor(2), s.tensor(2)
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for k := range 50 {
				errs := []error{
					s.WriteTensor(x, []float32{1, 2}),
					s.Dispatch(g, NamedTensors{"x": x}, NamedTensors{"y": y}),
				}
				_, err := s.ReadTensor(t.Context(), y)
				errs = append(errs, err)
				for _, err := range errs {
					var e *Error
					if err != nil && !errors.As(err, &e) {
						t.Errorf("an error has no type: %v", err)
					}
				}
				switch {
				case i == 0 && k == 20:
					x.Destroy()
				case i == 1 && k == 30:
					g.Destroy()
				case i == 2 && k == 40:
					s.Destroy()
				}
			}
		})
	}
	all.Wait()
}

// ownGoroutines counts the goroutines of timelines and of the engine; the runtime has others, which come and go.
func ownGoroutines() int {
	stacks := make([]byte, 1<<20)
	text := string(stacks[:runtime.Stack(stacks, true)])
	return strings.Count(text, "(*timeline).work(") + strings.Count(text, "(*pool).work(")
}

// TestNothingStays has contexts, tensors and graphs that are dropped or destroyed: no goroutine and no memory stays.
func TestNothingStays(t *testing.T) {
	before := ownGoroutines()
	for range 20 {
		s := newStage(t, &ContextOptions{Threads: 2})
		g, x, y := s.twice(100_000), s.tensor(100_000), s.tensor(100_000)
		release := s.hold()
		if ownGoroutines() == 0 {
			t.Fatal("the goroutine of a timeline at work is not counted")
		}
		release()
		s.dispatch(g, NamedTensors{"x": x}, NamedTensors{"y": y})
		if _, err := s.ReadTensor(t.Context(), y); err != nil {
			t.Fatal(err)
		}
		s.Destroy()
	}
	for ownGoroutines() > before { // until the test's own time is over
		time.Sleep(time.Millisecond)
	}

	s := newStage(t, nil)
	func() {
		g, x, y := s.twice(1), s.tensor(1), s.tensor(1)
		s.dispatch(g, NamedTensors{"x": x}, NamedTensors{"y": y})
	}()
	for left := 1; left > 0; {
		runtime.GC()
		s.settle()
		s.mu.Lock()
		left = len(s.owned) + int(s.inUse())
		s.mu.Unlock()
	}
}

// TestReadingKeepsTensor drops a tensor while it waits to be read.
func TestReadingKeepsTensor(t *testing.T) {
	s := newStage(t, nil)
	release := s.hold()
	defer release()
	r := func() *Reading {
		x := s.tensor(1)
		s.write(x, 3)
		return s.read(x)
	}()
	for range 3 {
		runtime.GC()
	}
	release()
	s.expect(r, 3)
}

func TestReadingsShareBytes(t *testing.T) {
	s := newStage(t, nil)
	x := s.tensor(1)
	r := s.read(x)
	a, _ := r.Wait(t.Context())
	b, _ := r.Wait(t.Context())
	if &a[0] != &b[0] {
		t.Error("two waits give two copies")
	}
	s.write(x, 9)
	s.settle()
	if a[0] != 0 {
		t.Error("a later write changes what was read")
	}
}

// BenchmarkDispatch is a tiny graph, dispatched and read, and the same graph run by a session of the engine.
func BenchmarkDispatch(b *testing.B) {
	s := newStage(b, nil)
	g, x, y := s.twice(1), s.tensor(1), s.tensor(1)
	in, out := NamedTensors{"x": x}, NamedTensors{"y": y}
	b.Run("dispatch and read", func(b *testing.B) {
		b.ReportAllocs()
		content := make([]float32, 1)
		for b.Loop() {
			if err := s.Dispatch(g, in, out); err != nil {
				b.Fatal(err)
			}
			if err := s.ReadTensorInto(b.Context(), y, content); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("dispatch", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if err := s.Dispatch(g, in, out); err != nil {
				b.Fatal(err)
			}
		}
		s.settle()
	})
	b.Run("session", func(b *testing.B) {
		b.ReportAllocs()
		session, err := g.code.program.NewSession()
		if err != nil {
			b.Fatal(err)
		}
		for b.Loop() {
			if err := session.Run(b.Context()); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func TestLowPower(t *testing.T) {
	for _, tt := range []struct {
		options ContextOptions
		want    int
	}{
		{ContextOptions{}, 0},
		{ContextOptions{PowerPreference: LowPower}, 1},
		{ContextOptions{PowerPreference: LowPower, Threads: 3}, 3},
		{ContextOptions{PowerPreference: HighPerformance}, 0},
	} {
		if got := newStage(t, &tt.options).options.Threads; got != tt.want {
			t.Errorf("%v: %d threads; want %d", tt.options.PowerPreference, got, tt.want)
		}
	}
}

// TestConstantsAreShared has one copy of a constant tensor for all graphs.
func TestConstantsAreShared(t *testing.T) {
	s := newStage(t, nil)
	k, err := s.CreateConstantTensor(OperandDescriptor{tensor.Float32, tensor.Shape{2}}, []float32{1, 2})
	if err != nil {
		t.Fatal(err)
	}
	g := s.build(func(b *GraphBuilder, must *Must) *Operand {
		x := must.One(b.Input("x", OperandDescriptor{tensor.Float32, tensor.Shape{2}}))
		return must.All(b.Call("add", []any{x, must.One(b.ConstantTensor(k))}, nil))[0]
	})
	for v := range g.code.program.Graph().Constants() {
		if &v.Const.Bytes()[0] != &k.store.data.Bytes()[0] {
			t.Error("the graph has a copy of the constant")
		}
	}
}
