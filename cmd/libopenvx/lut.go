package main

// #include "shim.h"
import "C"

import (
	"unsafe"

	"github.com/concord-nn/concord/openvx"
)

var lutAttributes = attributes[*openvx.LUT]{
	C.VX_LUT_TYPE:   readable((*openvx.LUT).Kind),
	C.VX_LUT_COUNT:  readable(func(l *openvx.LUT) uintptr { return uintptr(l.NumElements()) }),
	C.VX_LUT_SIZE:   readable(func(l *openvx.LUT) uintptr { return uintptr(l.Size()) }),
	C.VX_LUT_OFFSET: readable(func(l *openvx.LUT) uint32 { return uint32(l.Offset()) }),
}

//export vxCopyLUT
func vxCopyLUT(lut uintptr, p unsafe.Pointer, usage, memoryType int32) int32 {
	return do(lut, func(l *openvx.LUT) error {
		host(memoryType)
		output("the elements", (*byte)(p))
		return l.Copy(memory(p, uintptr(l.Size())), openvx.Usage(usage))
	})
}

//export vxMapLUT
func vxMapLUT(lut uintptr, id *uintptr, p *unsafe.Pointer, usage, memoryType int32, flags uint32) int32 {
	return do(lut, func(l *openvx.LUT) error {
		host(memoryType)
		output("the map's number", id)
		output("the address", p)
		n, data, err := l.Map(openvx.Usage(usage))
		if err == nil {
			*id, *p = uintptr(n), unsafe.Pointer(unsafe.SliceData(data))
		}
		return err
	})
}
