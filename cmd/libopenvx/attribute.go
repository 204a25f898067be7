package main

// #include "shim.h"
import "C"

import (
	"unsafe"

	"github.com/concord-nn/concord/openvx"
)

// attribute is something that C can ask of an object, or change.
type attribute[T any] struct {
	size func(o T) uintptr                            // of the caller's memory in bytes; nil if get and set look at it
	get  func(o T, p unsafe.Pointer, n uintptr) error // nil for what can only be set
	set  func(o T, p unsafe.Pointer, n uintptr) error // nil for what cannot be set
}

// attributes are those of a kind of object.
type attributes[T openvx.Reference] map[int32]attribute[T]

// The attributes of objects of which nothing else can be asked here.

var delayAttributes = attributes[*openvx.Delay]{
	C.VX_DELAY_TYPE:  readable((*openvx.Delay).Kind),
	C.VX_DELAY_SLOTS: readable(func(d *openvx.Delay) uintptr { return uintptr(d.Slots()) }),
}

var objectArrayAttributes = attributes[*openvx.ObjectArray]{
	C.VX_OBJECT_ARRAY_ITEMTYPE: readable((*openvx.ObjectArray).ItemType),
	C.VX_OBJECT_ARRAY_NUMITEMS: readable(func(a *openvx.ObjectArray) uintptr { return uintptr(a.NumItems()) }),
}

var parameterAttributes = attributes[*openvx.Parameter]{
	C.VX_PARAMETER_INDEX:     readable(func(p *openvx.Parameter) uint32 { return uint32(p.Index()) }),
	C.VX_PARAMETER_DIRECTION: readable((*openvx.Parameter).Direction),
	C.VX_PARAMETER_TYPE:      readable((*openvx.Parameter).Kind),
	C.VX_PARAMETER_STATE:     readable((*openvx.Parameter).State),
	C.VX_PARAMETER_REF: readable(func(p *openvx.Parameter) uintptr {
		if r := p.Reference(); r != nil {
			return handleOf(r)
		}
		return 0
	}),
	C.VX_PARAMETER_META_FORMAT: {
		size: func(*openvx.Parameter) uintptr { return unsafe.Sizeof(uintptr(0)) },
		get: func(p *openvx.Parameter, to unsafe.Pointer, _ uintptr) error {
			m, err := p.MetaFormat()
			if err == nil {
				*(*uintptr)(to) = handleOf(m)
			}
			return err
		},
	},
}

// query writes an attribute of a handle's object to p.
func query[T openvx.Reference](handle uintptr, table attributes[T], which int32, p unsafe.Pointer, n uintptr) int32 {
	return do(handle, func(o T) error {
		a, ok := table[which]
		if !ok || a.get == nil {
			refuse(openvx.ErrorNotSupported, "a %v has no attribute %#x that can be read", o.Type(), which)
		}
		a.check(o, which, p, n)
		return a.get(o, p, n)
	})
}

// set changes an attribute of a handle's object to what stands at p.
func set[T openvx.Reference](handle uintptr, table attributes[T], which int32, p unsafe.Pointer, n uintptr) int32 {
	return do(handle, func(o T) error {
		a, ok := table[which]
		if !ok || a.set == nil {
			refuse(openvx.ErrorNotSupported, "a %v has no attribute %#x that can be set", o.Type(), which)
		}
		a.check(o, which, p, n)
		return a.set(o, p, n)
	})
}

// check refuses memory of the caller that is not there or has the wrong size.
func (a attribute[T]) check(o T, which int32, p unsafe.Pointer, n uintptr) {
	if p == nil {
		refuse(openvx.ErrorInvalidParameters, "the pointer for attribute %#x is NULL", which)
	}
	if a.size != nil && n != a.size(o) {
		refuse(openvx.ErrorInvalidParameters, "attribute %#x has %d bytes, not %d", which, a.size(o), n)
	}
}

// readable is an attribute of C's type V, which get returns.
func readable[T openvx.Reference, V any](get func(o T) V) attribute[T] {
	return attribute[T]{
		size: func(T) uintptr { return unsafe.Sizeof(*new(V)) },
		get: func(o T, p unsafe.Pointer, _ uintptr) error {
			*(*V)(p) = get(o)
			return nil
		},
	}
}

// writable is an attribute of C's type V, which get returns and set changes.
func writable[T openvx.Reference, V any](get func(o T) V, set func(o T, v V) error) attribute[T] {
	a := readable(get)
	a.set = func(o T, p unsafe.Pointer, _ uintptr) error { return set(o, *(*V)(p)) }
	return a
}

// listed is an attribute that is an array of C's type V. The caller's memory must suffice.
func listed[T openvx.Reference, V any](get func(o T) []V) attribute[T] {
	return attribute[T]{get: func(o T, p unsafe.Pointer, n uintptr) error {
		from := get(o)
		if need := uintptr(len(from)) * unsafe.Sizeof(*new(V)); n < need {
			refuse(openvx.ErrorInvalidParameters, "%d bytes are given, and %d needed", n, need)
		}
		copy(unsafe.Slice((*V)(p), len(from)), from)
		return nil
	}}
}

// characters is an attribute that is a string of at most limit bytes with a zero at its end, which is cut if the caller has less room. A
// limit of 0 is none.
func characters[T openvx.Reference](limit uintptr, get func(o T) string) attribute[T] {
	return attribute[T]{get: func(o T, p unsafe.Pointer, n uintptr) error {
		if n == 0 || limit > 0 && n > limit+1 {
			refuse(openvx.ErrorInvalidParameters, "%d bytes are given for a string of at most %d and a zero", n, limit)
		}
		putText(p, n, get(o))
		return nil
	}}
}

// putText writes a string and a zero to the n bytes at p, cut if it does not fit. It writes no more than that, as the caller may say that
// there are more bytes than there are.
func putText(p unsafe.Pointer, n uintptr, s string) {
	to := unsafe.Slice((*byte)(p), min(n, uintptr(len(s))+1))
	to[copy(to[:len(to)-1], s)] = 0
}

// toC returns numbers as C's vx_size.
func toC(numbers []int) []uintptr {
	s := make([]uintptr, len(numbers))
	for i, v := range numbers {
		s[i] = uintptr(v)
	}
	return s
}

// boolean returns C's vx_bool.
func boolean(b bool) int32 {
	if b {
		return 1
	}
	return 0
}
