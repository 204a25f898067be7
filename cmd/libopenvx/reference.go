package main

// #include "shim.h"
import "C"

import (
	"unsafe"

	"github.com/concord-nn/concord/openvx"
)

var referenceAttributes = attributes[openvx.Reference]{
	C.VX_REFERENCE_COUNT: readable(func(r openvx.Reference) uint32 { return uint32(r.Count()) }),
	C.VX_REFERENCE_TYPE:  readable(openvx.Reference.Type),
	C.VX_REFERENCE_NAME:  readable(nameOf),
}

// nameOf returns the name of an object in memory that belongs to the object's handle.
func nameOf(r openvx.Reference) (name unsafe.Pointer) {
	handles.keep(r, func(b *belongings) {
		if b.name == nil {
			b.name = C.calloc(openvx.MaxReferenceName+1, 1)
		}
		name = b.name
	})
	putText(name, openvx.MaxReferenceName+1, r.Name())
	return name
}

//export vxQueryReference
func vxQueryReference(reference uintptr, which int32, p unsafe.Pointer, n uintptr) int32 {
	if errorObject(reference) && which == C.VX_REFERENCE_TYPE && p != nil && n == unsafe.Sizeof(openvx.TypeError) {
		*(*openvx.Type)(p) = openvx.TypeError
		return int32(openvx.Success)
	}
	return query(reference, referenceAttributes, which, p, n)
}

// errorObject reports whether a handle stands for the failure to make an object. Such an object needs no release, and bears it.
func errorObject(handle uintptr) bool {
	e := handles.find(handle)
	return e != nil && e.ref == nil
}

//export vxGetStatus
func vxGetStatus(reference uintptr) int32 {
	e := handles.find(reference)
	switch {
	case reference == 0:
		return int32(openvx.ErrorNoResources)
	case e == nil:
		return int32(openvx.ErrorInvalidReference)
	}
	return int32(e.status)
}

//export vxGetContext
func vxGetContext(reference uintptr) uintptr {
	e := handles.find(reference)
	if e == nil {
		return 0
	}
	return handleOf(e.context)
}

//export vxRetainReference
func vxRetainReference(reference uintptr) int32 {
	if errorObject(reference) {
		return int32(openvx.Success)
	}
	return do(reference, openvx.Reference.Retain)
}

//export vxReleaseReference
func vxReleaseReference(reference *uintptr) int32 {
	if reference != nil && errorObject(*reference) {
		*reference = 0
		return int32(openvx.Success)
	}
	return release[openvx.Reference](reference)
}

//export vxSetReferenceName
func vxSetReferenceName(reference uintptr, name *C.char) int32 {
	return do(reference, func(r openvx.Reference) error {
		return r.SetName(textOrNone("the name", name, openvx.MaxReferenceName))
	})
}

//export vxDirective
func vxDirective(reference uintptr, directive int32) int32 {
	return do(reference, func(r openvx.Reference) error { return r.Context().Directive(r, openvx.Directive(directive)) })
}

//export vxHint
func vxHint(reference uintptr, hint int32, data unsafe.Pointer, n uintptr) int32 {
	return do(reference, func(r openvx.Reference) error { return r.Context().Hint(r, openvx.Hint(hint), memory(data, n)) })
}

// belongings are memory of C that lives as long as an object's handle. The lock of the table guards them.
type belongings struct {
	name     unsafe.Pointer      // what a query of VX_REFERENCE_NAME returned
	callback C.vx_nodecomplete_f // of a node: the function that vxAssignNodeCallback was given
}

// discard frees the memory.
func (b *belongings) discard() {
	C.free(b.name)
	*b = belongings{}
}
