package main

// #include "shim.h"
import "C"

import "github.com/concord-nn/concord/openvx"

// Lengths of strings that the standard leaves open, in bytes.
const (
	maxTarget = 255
	maxModule = 255
	maxURL    = 1<<16 - 1
)

var kernelAttributes = attributes[*openvx.Kernel]{
	C.VX_KERNEL_PARAMETERS: readable(func(k *openvx.Kernel) uint32 { return uint32(k.NumParameters()) }),
	C.VX_KERNEL_NAME:       characters(openvx.MaxKernelName, (*openvx.Kernel).KernelName),
	C.VX_KERNEL_ENUM:       readable((*openvx.Kernel).ID),
	C.VX_KERNEL_LOCAL_DATA_SIZE: writable(
		func(k *openvx.Kernel) uintptr { return uintptr(k.LocalDataSize()) },
		func(k *openvx.Kernel, size uintptr) error { return k.SetLocalDataSize(count("the size", size)) }),
}

//export vxAddUserKernel
func vxAddUserKernel(
	context uintptr, name *C.char, id int32, run C.vx_kernel_f, params uint32,
	validate C.vx_kernel_validate_f, initialize C.vx_kernel_initialize_f, deinitialize C.vx_kernel_deinitialize_f,
) uintptr {
	return create(context, func(c *openvx.Context) (*openvx.Kernel, error) {
		if run == nil || validate == nil {
			refuse(openvx.ErrorInvalidParameters, "a kernel needs a function that runs it and one that validates its parameters")
		}
		return c.AddKernel(text("the name", name, openvx.MaxKernelName), openvx.KernelID(id), int(params),
			userKernel(run, validate, initialize, deinitialize))
	})
}
