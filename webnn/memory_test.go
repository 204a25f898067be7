package webnn

import (
	"context"
	"errors"
	"runtime"
	"testing"

	"github.com/concord-nn/concord/tensor"
)

var kilobytes = OperandDescriptor{tensor.Uint8, tensor.Shape{100_000}}

func unknown(t *testing.T, what string, err error) {
	t.Helper()
	if !errors.Is(err, UnknownError) {
		t.Errorf("%s: the error is %v; want an UnknownError", what, err)
	}
}

// TestConstantsAreBounded counts constants until the graph and everybody who could build one are gone.
func TestConstantsAreBounded(t *testing.T) {
	s := newStage(t, &ContextOptions{MaxMemory: 250_000})
	fill := func() *Operand {
		b := s.builder()
		var o *Operand
		for range 2 {
			var err error
			if o, err = b.Constant(kilobytes, make([]byte, 100_000)); err != nil {
				t.Fatal(err)
			}
		}
		_, err := b.Constant(kilobytes, make([]byte, 100_000))
		unknown(t, "a third constant", err)
		_, err = s.CreateTensor(TensorDescriptor{OperandDescriptor: kilobytes})
		unknown(t, "a tensor", err)
		if shared, err := b.SharedConstant(o.value.Const); err != nil || shared.value.Const != o.value.Const {
			t.Errorf("a shared constant: %v", err)
		}
		return o
	}
	fill() // and forget
	k := fill()
	y, err := k.owner.Identity(k, nil)
	if err != nil {
		t.Fatal(err)
	}
	_, err = k.owner.Build(t.Context(), NamedOperands{"y": y})
	if !errors.Is(err, OperationError) { // for want of room for the output
		t.Fatalf("the error is %v", err)
	}
	x := TensorDescriptor{OperandDescriptor: kilobytes}
	for range 2 { // the operands that are left keep nothing
		if _, err := s.CreateTensor(x); err != nil {
			t.Error(err)
		}
	}
	runtime.KeepAlive(y)
}

// TestConstantTensorIsKept destroys a tensor that a graph has as a constant: its bytes count until the graph is gone.
func TestConstantTensorIsKept(t *testing.T) {
	s := newStage(t, &ContextOptions{MaxMemory: 1 << 20})
	k, err := s.CreateConstantTensor(kilobytes, make([]byte, 100_000))
	if err != nil {
		t.Fatal(err)
	}
	b := s.builder()
	o, err := b.ConstantTensor(k)
	if err != nil {
		t.Fatal(err)
	}
	y, err := b.Identity(o, nil)
	if err != nil {
		t.Fatal(err)
	}
	g, err := b.Build(t.Context(), NamedOperands{"y": y})
	if err != nil {
		t.Fatal(err)
	}
	with := s.inUse()
	k.Destroy()
	s.settle()
	if s.inUse() != with {
		t.Errorf("%d bytes are in use when the tensor is destroyed; want %d", s.inUse(), with)
	}
	g.Destroy()
	s.settle()
	if s.inUse() != 0 {
		t.Errorf("%d bytes are left", s.inUse())
	}
}

// TestBuilderIsBounded has a builder that is never built.
func TestBuilderIsBounded(t *testing.T) {
	s := newStage(t, &ContextOptions{MaxMemory: 100_000})
	b := s.builder()
	o, err := b.Input("x", OperandDescriptor{tensor.Float32, nil})
	calls := 0
	for ; err == nil && calls < 1000; calls++ {
		o, err = b.Neg(o, nil)
	}
	unknown(t, "many operators", err)
	nodes := len(b.operands)
	if _, err := b.Neg(b.operands[0], nil); err == nil || nodes != calls {
		t.Errorf("%d calls have made %d values, and the error is %v", calls, nodes, err)
	}
}

// TestGraphsAreBounded counts what running a graph takes, and gives it back.
func TestGraphsAreBounded(t *testing.T) {
	s := newStage(t, &ContextOptions{MaxMemory: 1 << 20})
	s.twice(50_000).Destroy() // 400 kB
	for range 5 {
		s.twice(50_000)
	}
	graphs := []*Graph{s.twice(50_000), s.twice(50_000)}
	b := s.builder()
	x, err := b.Input("x", OperandDescriptor{tensor.Float32, tensor.Shape{50_000}})
	if err != nil {
		t.Fatal(err)
	}
	y, err := b.Add(x, x, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.Build(t.Context(), NamedOperands{"y": y}); !errors.Is(err, OperationError) {
		t.Errorf("a third graph: %v", err)
	}
	runtime.KeepAlive(graphs)
}

// TestReadingsAreBounded has readings that nobody collects.
func TestReadingsAreBounded(t *testing.T) {
	s := newStage(t, &ContextOptions{MaxMemory: 10_000})
	x := s.tensor(1000)
	first, second := s.read(x), s.read(x)
	_, err := s.EnqueueRead(x)
	unknown(t, "a third reading", err)
	if _, err := first.Wait(t.Context()); err != nil {
		t.Error(err)
	}
	s.read(x) // and forget
	s.read(x)
	runtime.KeepAlive(second)
}

// TestSharedMemory has contexts that take from one memory.
func TestSharedMemory(t *testing.T) {
	m := NewMemory(2*contextBytes + 4000)
	options := &ContextOptions{Memory: m}
	a, b := newStage(t, options), newStage(t, options)
	_, err := ML{}.CreateContext(options)
	unknown(t, "a third context", err)
	x := a.tensor(1000)
	_, err = b.CreateTensor(TensorDescriptor{OperandDescriptor: OperandDescriptor{tensor.Float32, nil}})
	unknown(t, "a tensor of the other", err)
	a.Destroy()
	a.settle()
	b.tensor(1000)
	newStage(t, options)
	runtime.KeepAlive(x)
}

// TestBuildDoesNotBlock ends a build early, while the timeline goes on.
func TestBuildDoesNotBlock(t *testing.T) {
	s := newStage(t, nil)
	gate, started := make(chan struct{}), make(chan struct{})
	s.builds.enqueue(func() { close(started); <-gate })
	<-started
	b := s.builder()
	k, err := b.Constant(kilobytes, make([]byte, 100_000))
	if err != nil {
		t.Fatal(err)
	}
	y, err := b.Identity(k, nil)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() {
		_, err := b.Build(ctx, NamedOperands{"y": y})
		ended <- err
	}()
	for waiting := false; !waiting; runtime.Gosched() {
		s.builds.mu.Lock()
		waiting = len(s.builds.tasks) > 0
		s.builds.mu.Unlock()
	}
	x := s.tensor(1)
	s.write(x, 3)
	s.expect(s.read(x), 3)
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v", err)
	}
	close(gate)
	for s.inUse() > 4 { // until the test's own time is over
		runtime.Gosched()
	}
}
