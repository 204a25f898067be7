package openvx

import (
	"errors"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"unsafe"

	"github.com/concord-nn/concord/tensor"
)

// TestElements compares what the engine sees of random tensors with the oracle, and checks that it is made once.
func TestElements(t *testing.T) {
	c := dataContext(t, Options{})
	for seed := range uint64(500) {
		r := rand.New(rand.NewPCG(seed, 5))
		s := randomSubject(t, c, r)
		x := s.elements()
		if allocs := testing.AllocsPerRun(3, func() {
			if y := s.elements(); y != x {
				t.Error(y)
			}
		}); allocs != 0 {
			t.Fatalf("%v allocations", allocs)
		}
		want := []byte{}
		s.each(make([]int, len(s.dims())), s.dims(), make([]int, len(s.dims())), func(element []byte, _ int) { want = append(want, element...) })
		shape := slices.Clone(s.dims())
		slices.Reverse(shape)
		if got := x.Clone(); !got.Shape().Equal(shape) || !slices.Equal(got.Bytes(), want) {
			t.Fatalf("seed %d: %v has %v; want %v", seed, got, got.Bytes(), want)
		}
		s.memory = nil
		wantStatus(t, "release", s.Release(), Success)
	}
}

// dims are those of the tensor, not of the oracle.
func (s subject) dims() []int { return s.Tensor.dims }

// TestExchange gives memory to another tensor, as a delay does: what elements returned goes with it.
func TestExchange(t *testing.T) {
	c := dataContext(t, Options{})
	x, y := must(c.CreateTensor([]int{2}, TypeUint8, 0)), must(c.CreateTensor([]int{2}, TypeUint8, 0))
	v := must(x.CreateView([]int{1}, []int{2}))
	wantStatus(t, "write", x.Write([]uint8{1, 2}), Success)
	wantStatus(t, "write", y.Write([]uint8{3, 4}), Success)
	a, b := x.elements(), y.elements()
	before := v.elements().Clone()
	x.memory, y.memory = y.memory, x.memory
	if x.elements() != b || y.elements() != a || before.Bytes()[0] != 2 || v.elements().Bytes()[0] != 4 {
		t.Error("elements are not those of the memory")
	}
	if x.version() == y.version() || v.version() != x.version() {
		t.Error("versions do not tell contents apart")
	}
}

// counted gives memory and counts what is given back.
type counted struct {
	given, freed int
	fail         error
	short        bool
}

func (m *counted) alloc(n int) ([]byte, func(), error) {
	if m.fail != nil {
		return nil, nil, m.fail
	}
	m.given++
	freed := false
	free := func() {
		if freed {
			panic("memory is freed twice")
		}
		freed = true
		m.freed++
	}
	if m.short {
		n--
	}
	return tensor.AlignedBytes(n), free, nil
}

// TestMemory follows memory that the application gives.
func TestMemory(t *testing.T) {
	m := &counted{}
	c := dataContext(t, Options{Memory: m.alloc})
	x := must(c.CreateTensor([]int{3, 5}, TypeFloat32, 0))
	if m.given != 0 {
		t.Error("memory is taken before it is needed")
	}
	v := must(x.CreateView([]int{1}, []int{2}))
	wantStatus(t, "write", v.Write([]float32{7}), Success)
	wantStatus(t, "release", x.Release(), Success)
	if m.given != 1 || m.freed != 0 {
		t.Errorf("given %d, freed %d; a view needs the memory", m.given, m.freed)
	}
	memory := v.allocated()
	memory.pin()
	wantStatus(t, "release", v.Release(), Success)
	if m.freed != 0 {
		t.Error("memory is freed while a graph runs")
	}
	if memory.unpin(); m.freed != 1 {
		t.Error("memory is not freed after the run")
	}
	unused := must(c.CreateTensor([]int{3}, TypeUint8, 0))
	wantStatus(t, "release", unused.Release(), Success)
	if m.given != 1 {
		t.Error("memory is taken that nobody needed")
	}

	x = must(c.CreateTensor([]int{3}, TypeUint8, 0))
	m.short = true
	wantStatus(t, "too little memory", x.Write([]uint8{1, 2, 3}), ErrorNoMemory)
	if m.given != m.freed {
		t.Error("memory that does not suit is kept")
	}
	m.fail = errors.New("none left")
	err := x.Write([]uint8{1, 2, 3})
	wantStatus(t, "no memory", err, ErrorNoMemory)
	if !errors.Is(err, m.fail) {
		t.Errorf("%v hides the cause", err)
	}
	m.short, m.fail = false, nil
	wantStatus(t, "memory again", x.Write([]uint8{1, 2, 3}), Success)
	must(x.MapPatch(nil, nil, ReadOnly))
	wantStatus(t, "release of the context", c.Release(), Success)
	if m.given != m.freed {
		t.Error("memory outlives the context")
	}
	wantStatus(t, "use after the context", x.Write([]uint8{1, 2, 3}), ErrorInvalidReference)
}

// TestPins exchanges memory that is in use.
func TestPins(t *testing.T) {
	c := dataContext(t, Options{})
	x := must(c.CreateTensor([]int{4}, TypeUint8, 0))
	v := must(x.CreateView([]int{1}, []int{3}))
	swap := func() error {
		_, err := x.SwapHandle(make([]byte, 4))
		return err
	}
	memory := v.allocated()
	memory.pin()
	memory.pin()
	wantStatus(t, "swap while running", swap(), ErrorGraphScheduled)
	p := must(v.MapPatch(nil, nil, ReadOnly))
	wantStatus(t, "swap while mapped", swap(), Failure)
	memory.unpin()
	wantStatus(t, "swap while mapped", swap(), Failure)
	memory.unpin()
	wantStatus(t, "swap while mapped", swap(), Failure)
	wantStatus(t, "unmap", v.UnmapPatch(p.ID), Success)
	wantStatus(t, "swap", swap(), Success)
	h := must(c.CreateTensorFromHandle([]int{4}, TypeUint8, 0, []int{1}, nil))
	err := try(func() { h.allocated() })
	wantStatus(t, "no memory", err, ErrorNotAllocated)
}

// TestConcurrentTensors uses one tensor from many goroutines. The race detector sees whether its memory is guarded.
func TestConcurrentTensors(t *testing.T) {
	c := dataContext(t, Options{})
	x := must(c.CreateTensor([]int{16, 4}, TypeInt16, 8))
	before := c.References()
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			r := rand.New(rand.NewPCG(uint64(i), 6))
			data := make([]byte, 16*4*2)
			for range 200 {
				start, end := randomBox(r, []int{16, 4})
				usage := []Usage{ReadOnly, WriteOnly}[r.IntN(2)]
				if err := x.CopyPatch(start, end, []int{2, 32}[:len(start)], data, usage); err != nil {
					t.Error(err)
				}
				v, err := x.CreateView(start, end)
				if err != nil {
					t.Error(err)
					continue
				}
				p, err := v.MapPatch(nil, nil, ReadOnly)
				if err != nil {
					t.Error(err)
				}
				if _, err := x.SwapHandle(make([]byte, 128)); StatusOf(err) != Failure {
					t.Errorf("swapped under a map: %v", err)
				}
				if len(v.Dims()) != len(start) || v.DataType() != TypeInt16 {
					t.Error("queries")
				}
				if err := errors.Join(v.UnmapPatch(p.ID), v.Release()); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if n := c.References(); n != before {
		t.Errorf("%d references are left", n-before)
	}
}

// TestAlignment checks that memory of this package suits vector instructions.
func TestAlignment(t *testing.T) {
	c := dataContext(t, Options{})
	x := must(c.CreateTensor([]int{3}, TypeUint8, 0))
	p := must(x.MapPatch(nil, nil, ReadOnly))
	if uintptr(unsafe.Pointer(unsafe.SliceData(p.Data)))%tensor.Alignment != 0 {
		t.Error("memory is not aligned")
	}
}
