package kernel_test

import (
	"math/bits"
	"os"
	"runtime/debug"
	"sync"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/concord-nn/concord/internal/simd"
	"github.com/concord-nn/concord/op"
)

// region is memory between two pages that may not be touched.
type region []byte

// regions are those that nobody uses, by their pages as powers of two.
type regions struct {
	sync.Mutex
	free [64][]region
}

var spare regions

// class returns which regions have room for n bytes.
func class(n int) int { return bits.Len(uint((n - 1) / os.Getpagesize())) }

// take returns a region with room for n bytes, which are anything.
func (s *regions) take(n int) region {
	s.Lock()
	defer s.Unlock()
	list := &s.free[class(n)]
	if last := len(*list) - 1; last >= 0 {
		r := (*list)[last]
		*list = (*list)[:last]
		return r
	}
	page := os.Getpagesize()
	room := page << class(n)
	all := must(unix.Mmap(-1, 0, room+2*page, unix.PROT_NONE, unix.MAP_ANON|unix.MAP_PRIVATE))
	r := all[page : page+room]
	if err := unix.Mprotect(r, unix.PROT_READ|unix.PROT_WRITE); err != nil {
		panic(err)
	}
	return r
}

// give lets others use a region.
func (s *regions) give(r region) {
	s.Lock()
	defer s.Unlock()
	list := &s.free[class(len(r))]
	*list = append(*list, r)
}

// TestGuards lets a routine go an element too far.
func TestGuards(t *testing.T) {
	if !simd.AVX2.Hardware() {
		t.Skip("there is nothing to run")
	}
	x := &trial{T: t, r: op.NewRand(1, 1)}
	defer x.release()
	const n = 100
	from, to := floatsOf(x.memory(4*n, true)), floatsOf(x.memory(4*n, true))
	far := func(by int) (err any) {
		defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
		defer func() { err = recover() }()
		routine := simd.AVX2.Elements["exp"]
		routine.Run(&simd.ElementsArgs{X: simd.At(from, by), Z: simd.At(to, 0), N: n})
		return nil
	}
	if err := far(0); err != nil {
		t.Error(err)
	}
	if far(1) == nil {
		t.Error("an element behind the last one can be read")
	}
}
