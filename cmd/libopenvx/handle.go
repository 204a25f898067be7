//go:build cgo

package main

import (
	"sync"
	"sync/atomic"

	"github.com/concord-nn/concord/openvx"
)

// A handle stands for an object in C. It is a number, never an address:
//
//	bits 56…63  handleMark, which no address has
//	bits 28…55  how many handles the slot has had
//	bits  4…27  the slot in the table
//	bits  0… 3  handleMark again, which makes it odd
//
// so that whatever C passes can be looked up without being touched, and a handle of an object that is gone is recognised, unless its
// slot has been used 2²⁸ times since.
const (
	handleMark = 0x5E<<56 | 0xD
	slotBits   = 24
	slotShift  = 4
	usesShift  = slotShift + slotBits
	usesMask   = 1<<28 - 1
	slabBits   = 10
	slabMask   = 1<<slabBits - 1
	slotMask   = 1<<slotBits - 1
	slabNumber = 1 << (slotBits - slabBits)
)

// entry is what a handle stands for: an object, or the failure to make one. It does not change, apart from belongings.
type entry struct {
	handle  uintptr
	ref     openvx.Reference // nil for an error object
	context *openvx.Context
	status  openvx.Status // of an error object
	belongings
}

// handleTable has the entries of all objects that C knows. Look-ups take no lock.
type handleTable struct {
	slabs [slabNumber]atomic.Pointer[slab]

	mu     sync.RWMutex
	slots  uintptr // that have been used
	free   []uintptr
	of     map[openvx.Reference]*entry
	errors map[errorKey]*entry
}

type slab [1 << slabBits]struct {
	entry atomic.Pointer[entry]
	uses  uintptr
}

// errorKey says which error object is meant: there is one for each status in a context.
type errorKey struct {
	context *openvx.Context
	status  openvx.Status
}

var handles = handleTable{of: map[openvx.Reference]*entry{}, errors: map[errorKey]*entry{}}

// find returns what a handle stands for, or nil if it is none or stands for nothing any more.
func (t *handleTable) find(handle uintptr) *entry {
	slot := handle >> slotShift & slotMask
	c := t.slabs[slot>>slabBits].Load()
	if c == nil {
		return nil
	}
	if e := c[slot&slabMask].entry.Load(); e != nil && e.handle == handle {
		return e
	}
	return nil
}

// entryOf returns the entry of an object, which it makes when C first hears of the object. Nil stands for no free slot.
func (t *handleTable) entryOf(r openvx.Reference) *entry {
	if e := t.known(r); e != nil {
		return e
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	e := t.of[r]
	if e == nil {
		e = t.add(&entry{ref: r, context: r.Context()})
		if e != nil {
			t.of[r] = e
		}
	}
	return e
}

// known returns the entry of an object that C has heard of, or nil.
func (t *handleTable) known(r openvx.Reference) *entry {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.of[r]
}

// keep calls f with what belongs to an object's handle.
func (t *handleTable) keep(r openvx.Reference, f func(b *belongings)) {
	e := t.entryOf(r)
	t.mu.Lock()
	defer t.mu.Unlock()
	f(&e.belongings)
}

// errorOf returns the entry of the error object for a status.
func (t *handleTable) errorOf(c *openvx.Context, s openvx.Status) *entry {
	t.mu.Lock()
	defer t.mu.Unlock()
	key := errorKey{c, s}
	e := t.errors[key]
	if e == nil {
		e = t.add(&entry{context: c, status: s})
		if e != nil {
			t.errors[key] = e
		}
	}
	return e
}

// add gives an entry a slot and a handle. The caller holds the lock.
func (t *handleTable) add(e *entry) *entry {
	var slot uintptr
	switch n := len(t.free); {
	case n > 0:
		slot = t.free[n-1]
		t.free = t.free[:n-1]
	case t.slots <= slotMask:
		slot = t.slots
		t.slots++
	default:
		return nil
	}
	c := t.slabs[slot>>slabBits].Load()
	if c == nil {
		c = new(slab)
		t.slabs[slot>>slabBits].Store(c)
	}
	s := &c[slot&slabMask]
	s.uses++
	e.handle = handleMark | s.uses&usesMask<<usesShift | slot<<slotShift
	s.entry.Store(e)
	return e
}

// remove makes an entry's handle invalid. The caller holds the lock.
func (t *handleTable) remove(e *entry) {
	slot := e.handle >> slotShift & slotMask
	t.slabs[slot>>slabBits].Load()[slot&slabMask].entry.Store(nil)
	t.free = append(t.free, slot)
	e.discard()
}

// forget makes the handle of a dead object invalid, and that of everything in a context when it is one.
func (t *handleTable) forget(r openvx.Reference) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if e := t.of[r]; e != nil {
		delete(t.of, r)
		t.remove(e)
	}
	c, ok := r.(*openvx.Context)
	if !ok {
		return
	}
	for r, e := range t.of {
		if e.context == c {
			delete(t.of, r)
			t.remove(e)
		}
	}
	for key, e := range t.errors {
		if e.context == c {
			delete(t.errors, key)
			t.remove(e)
		}
	}
}
