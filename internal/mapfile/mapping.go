package mapfile

import (
	"errors"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"
	"weak"

	"github.com/concord-nn/concord/internal/limits"
)

// small is up to how many bytes a file is read: a mapping of it would take as much memory, and there are not many of them.
const small = 16 << 10

// Mapping keeps memory that a file is mapped to: it is given back when the file was closed and nobody has the Mapping any more. Whoever keeps
// bytes of a mapped file keeps its Mapping, which [Of] finds.
type Mapping struct {
	*region
	once sync.Once
}

// region is mapped memory.
type region struct {
	name  string // of the file
	data  []byte
	owner weak.Pointer[Mapping]
}

// table has the regions that are mapped, by their addresses.
type table struct {
	mu    sync.RWMutex
	list  []*region
	count atomic.Int64 // of the list, with those that are being mapped

	closed atomic.Bool // whether mappings were closed since the last collection that add has asked for
}

var mapped table

func (r *region) begin() uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(r.data))) }

// at returns the region that an address is in, or nil.
func (t *table) at(address uintptr) *region {
	if t.count.Load() == 0 {
		return nil
	}
	t.mu.RLock()
	defer t.mu.RUnlock()
	if i, ok := t.find(address); ok {
		return t.list[i]
	}
	return nil
}

// find returns where the region of an address stands, or would.
func (t *table) find(address uintptr) (int, bool) {
	return slices.BinarySearchFunc(t.list, address, func(r *region, address uintptr) int {
		switch begin := r.begin(); {
		case address < begin:
			return 1
		case address-begin >= uintptr(len(r.data)):
			return -1
		}
		return 0
	})
}

// add maps the memory of a file, or returns nil: there may be only so many mappings, as the system has no more than some tens of thousands, which
// Go needs, too.
func (t *table) add(name string, mmap func() ([]byte, error)) *Mapping {
	var data []byte
	err := errTooMany
	if t.count.Add(1) <= limits.FileMappings {
		data, err = mmap()
	}
	if err != nil {
		t.count.Add(-1)
		if t.closed.Swap(false) {
			runtime.GC() // the next file may have the place of one that nobody has any more
		}
		return nil
	}
	m := &Mapping{region: &region{name: name, data: data}}
	m.owner = weak.Make(m)
	t.mu.Lock()
	defer t.mu.Unlock()
	i, _ := t.find(m.begin())
	t.list = slices.Insert(t.list, i, m.region)
	return m
}

var errTooMany = errors.New("there are as many mappings as may be")

// release gives memory back.
func (t *table) release(r *region) {
	t.mu.Lock()
	if i, ok := t.find(r.begin()); ok {
		t.list = slices.Delete(t.list, i, i+1)
	}
	t.mu.Unlock()
	_ = munmap(r.data) // of what was mapped it cannot fail
	t.count.Add(-1)
}

// close lets go of the memory as soon as nobody has the Mapping. It may be called more than once.
func (m *Mapping) close() {
	m.once.Do(func() {
		runtime.AddCleanup(m, mapped.release, m.region)
		mapped.closed.Store(true)
	})
}

// Of returns what keeps bytes in memory that are those of a mapped file, and nil for others. The caller has them by way of somebody who keeps it.
func Of(b []byte) *Mapping {
	if len(b) == 0 {
		return nil
	}
	r := mapped.at(uintptr(unsafe.Pointer(&b[0])))
	runtime.KeepAlive(b)
	if r == nil {
		return nil
	}
	return r.owner.Value()
}
