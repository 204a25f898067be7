package main

// #include "shim.h"
import "C"

import (
	"fmt"
	"unsafe"

	"github.com/concord-nn/concord/openvx"
)

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

// userKernel makes a kernel of the functions of an application, of which initialize and deinitialize may be NULL. They are called on
// the thread that verifies or processes the graph.
func userKernel(
	run C.vx_kernel_f, validate C.vx_kernel_validate_f, initialize C.vx_kernel_initialize_f, deinitialize C.vx_kernel_deinitialize_f,
) openvx.UserKernel {
	return openvx.UserKernel{
		Run: callKernel(run),
		Validate: func(n *openvx.Node, params []openvx.Reference, metas []*openvx.MetaFormat) error {
			ofParams, ofMetas := handlesOf(params), handlesOf(metas)
			status := C.callValidate(validate, C.vx_node(handleOf(n)), unsafe.SliceData(ofParams), C.vx_uint32(len(params)),
				unsafe.SliceData(ofMetas))
			return statusError("the kernel's validator", openvx.Status(status))
		},
		Initialize: callKernel(C.vx_kernel_f(initialize)),
		Deinit:     callKernel(C.vx_kernel_f(deinitialize)),
	}
}

// callKernel makes a Go function of a vx_kernel_f, or of an initializer or deinitializer, which have the same type. NULL does nothing.
func callKernel(f C.vx_kernel_f) func(*openvx.Node, []openvx.Reference) error {
	return func(n *openvx.Node, params []openvx.Reference) error {
		if f == nil {
			return nil
		}
		ofParams := handlesOf(params)
		status := C.callKernel(f, C.vx_node(handleOf(n)), unsafe.SliceData(ofParams), C.vx_uint32(len(params)))
		return statusError("the kernel's function", openvx.Status(status))
	}
}

// statusError makes an error of the status that a function of the application returned.
func statusError(what string, s openvx.Status) error {
	if s == openvx.Success {
		return nil
	}
	return &openvx.Error{Status: s, Msg: fmt.Sprintf("%s returned %d", what, s)}
}

// handlesOf returns the handles of objects, with 0 for those that are not there.
func handlesOf[T interface {
	comparable
	openvx.Reference
}](objects []T) []C.vx_reference {
	var none T
	list := make([]C.vx_reference, len(objects))
	for i, o := range objects {
		if o != none {
			list[i] = C.vx_reference(handleOf(o))
		}
	}
	return list
}
