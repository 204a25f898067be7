package main

// #include "shim.h"
import "C"

import (
	"sync"
	"unsafe"

	"github.com/concord-nn/concord/openvx"
)

// The export and import of objects (vx_khr_ix).

// blobs are the exported objects in memory of C that have not been released.
var blobs struct {
	sync.Mutex
	live map[*uint8]bool
}

//export vxExportObjectsToMemory
func vxExportObjectsToMemory(context, n uintptr, references *uintptr, uses *int32, p **uint8, length *uintptr) int32 {
	if p != nil {
		*p = nil
	}
	if length != nil {
		*length = 0
	}
	return do(context, func(c *openvx.Context) error {
		output("the address", p)
		output("the length", length)
		handles, list := exchanged(n, references, uses)
		refs := make([]openvx.Reference, n)
		for i, h := range handles {
			refs[i] = object[openvx.Reference](h)
		}
		blob, err := c.ExportObjects(refs, list)
		if err != nil {
			return err
		}
		to := (*uint8)(C.malloc(C.size_t(len(blob))))
		if to == nil {
			refuse(openvx.ErrorNoMemory, "the system has no %d bytes for the objects", len(blob))
		}
		copy(unsafe.Slice(to, len(blob)), blob)
		blobs.Lock()
		defer blobs.Unlock()
		if blobs.live == nil {
			blobs.live = map[*uint8]bool{}
		}
		blobs.live[to] = true
		*p, *length = to, uintptr(len(blob))
		return nil
	})
}

// exchanged returns lists of C's.
func exchanged(n uintptr, references *uintptr, uses *int32) ([]uintptr, []openvx.Use) {
	if n > slotMask {
		refuse(openvx.ErrorInvalidParameters, "%d references are more than there can be", n)
	}
	output("the references", references)
	return unsafe.Slice(references, n), unsafe.Slice((*openvx.Use)(output("the uses", uses)), n)
}

//export vxReleaseExportedMemory
func vxReleaseExportedMemory(context uintptr, p **uint8) int32 {
	return do(context, func(*openvx.Context) error {
		blob := *output("the address", p)
		blobs.Lock()
		defer blobs.Unlock()
		if !blobs.live[blob] {
			refuse(openvx.ErrorInvalidParameters, "%p is not the address of exported objects", blob)
		}
		delete(blobs.live, blob)
		C.free(unsafe.Pointer(blob))
		*p = nil
		return nil
	})
}

//export vxImportObjectsFromMemory
func vxImportObjectsFromMemory(context, n uintptr, references *uintptr, uses *int32, p *uint8, length uintptr) uintptr {
	return create(context, func(c *openvx.Context) (*openvx.Import, error) {
		output("the objects", p)
		handles, list := exchanged(n, references, uses)
		refs := make([]openvx.Reference, n)
		for i, h := range handles {
			if list[i] == openvx.UseApplicationCreate { // the others may be anything
				refs[i] = object[openvx.Reference](h)
			}
		}
		made, err := c.ImportObjects(memory(unsafe.Pointer(p), length), refs, list)
		if err != nil {
			return nil, err
		}
		for i, r := range refs {
			handles[i] = handleOf(r)
		}
		return made, nil
	})
}

//export vxReleaseImport
func vxReleaseImport(handle *uintptr) int32 { return release[*openvx.Import](handle) }

//export vxGetImportReferenceByName
func vxGetImportReferenceByName(handle uintptr, name *C.char) uintptr {
	return create(handle, func(i *openvx.Import) (openvx.Reference, error) {
		return i.Reference(text("the name", name, openvx.MaxReferenceName))
	})
}
