package main

// #include "shim.h"
import "C"

import (
	"unsafe"

	"github.com/concord-nn/concord/openvx"
)

var scalarAttributes = attributes[*openvx.Scalar]{
	C.VX_SCALAR_TYPE: readable((*openvx.Scalar).Kind),
}

//export vxCreateScalar
func vxCreateScalar(context uintptr, dtype int32, p unsafe.Pointer) uintptr {
	return create(context, func(c *openvx.Context) (*openvx.Scalar, error) {
		return c.CreateScalarBytes(openvx.Type(dtype), memory(p, uintptr(c.SizeOf(openvx.Type(dtype)))))
	})
}

//export vxCreateScalarWithSize
func vxCreateScalarWithSize(context uintptr, dtype int32, p unsafe.Pointer, n uintptr) uintptr {
	return create(context, func(c *openvx.Context) (*openvx.Scalar, error) {
		return c.CreateScalarBytes(openvx.Type(dtype), memory(p, n))
	})
}

//export vxCopyScalar
func vxCopyScalar(scalar uintptr, p unsafe.Pointer, usage, memoryType int32) int32 {
	return do(scalar, func(s *openvx.Scalar) error {
		host(memoryType)
		output("the value", (*byte)(p))
		return s.Copy(memory(p, uintptr(s.Size())), openvx.Usage(usage))
	})
}

//export vxCopyScalarWithSize
func vxCopyScalarWithSize(scalar, n uintptr, p unsafe.Pointer, usage, memoryType int32) int32 {
	return do(scalar, func(s *openvx.Scalar) error {
		host(memoryType)
		output("the value", (*byte)(p))
		return s.Copy(memory(p, n), openvx.Usage(usage))
	})
}

//export vxReadScalarValue
func vxReadScalarValue(scalar uintptr, p unsafe.Pointer) int32 {
	return vxCopyScalar(scalar, p, C.VX_READ_ONLY, C.VX_MEMORY_TYPE_HOST)
}

//export vxWriteScalarValue
func vxWriteScalarValue(scalar uintptr, p unsafe.Pointer) int32 {
	return vxCopyScalar(scalar, p, C.VX_WRITE_ONLY, C.VX_MEMORY_TYPE_HOST)
}
