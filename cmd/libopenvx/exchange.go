package main

// #include "shim.h"
import "C"

import "github.com/concord-nn/concord/openvx"

// The export and import of objects (vx_khr_ix).

//export vxExportObjectsToMemory
func vxExportObjectsToMemory(context, n uintptr, references *uintptr, uses *int32, p **uint8, length *uintptr) int32 {
	return do(context, func(*openvx.Context) error {
		*output("the address", p), *output("the length", length) = nil, 0
		refuse(openvx.ErrorNotSupported, "objects cannot be exported")
		return nil
	})
}

//export vxReleaseExportedMemory
func vxReleaseExportedMemory(context uintptr, p **uint8) int32 {
	return do(context, func(*openvx.Context) error {
		refuse(openvx.ErrorInvalidParameters, "%p is not the address of exported objects", *output("the address", p))
		return nil
	})
}

//export vxImportObjectsFromMemory
func vxImportObjectsFromMemory(context, n uintptr, references *uintptr, uses *int32, p *uint8, length uintptr) uintptr {
	return create(context, func(*openvx.Context) (openvx.Reference, error) {
		refuse(openvx.ErrorNotSupported, "objects cannot be imported")
		return nil, nil
	})
}

//export vxReleaseImport
func vxReleaseImport(handle *uintptr) int32 { return int32(openvx.ErrorInvalidReference) }

//export vxGetImportReferenceByName
func vxGetImportReferenceByName(handle uintptr, name *C.char) uintptr { return 0 }
