package main

// #include "shim.h"
import "C"

import (
	"unsafe"

	"github.com/concord-nn/concord/openvx"
)

// kernelInfo is vx_kernel_info_t.
type kernelInfo struct {
	id   openvx.KernelID
	name [openvx.MaxKernelName + 1]byte
}

var contextAttributes = attributes[*openvx.Context]{
	C.VX_CONTEXT_VENDOR_ID:           readable((*openvx.Context).VendorID),
	C.VX_CONTEXT_VERSION:             readable((*openvx.Context).Version),
	C.VX_CONTEXT_UNIQUE_KERNELS:      readable(func(c *openvx.Context) uint32 { return uint32(c.UniqueKernels()) }),
	C.VX_CONTEXT_MODULES:             readable(func(c *openvx.Context) uint32 { return uint32(c.Modules()) }),
	C.VX_CONTEXT_REFERENCES:          readable(func(c *openvx.Context) uint32 { return uint32(c.References()) }),
	C.VX_CONTEXT_IMPLEMENTATION:      characters(C.VX_MAX_IMPLEMENTATION_NAME-1, (*openvx.Context).Implementation),
	C.VX_CONTEXT_EXTENSIONS_SIZE:     readable(func(c *openvx.Context) uintptr { return uintptr(len(c.Extensions()) + 1) }),
	C.VX_CONTEXT_EXTENSIONS:          characters(0, (*openvx.Context).Extensions),
	C.VX_CONTEXT_UNIQUE_KERNEL_TABLE: listed(kernelTable),
	C.VX_CONTEXT_MAX_TENSOR_DIMS:     readable(func(*openvx.Context) uintptr { return openvx.MaxTensorDims }),

	// No kernel of this library needs these, and the standard does not allow less.
	C.VX_CONTEXT_CONVOLUTION_MAX_DIMENSION:         readable(func(*openvx.Context) uintptr { return 9 }),
	C.VX_CONTEXT_OPTICAL_FLOW_MAX_WINDOW_DIMENSION: readable(func(*openvx.Context) uintptr { return 9 }),
	C.VX_CONTEXT_NONLINEAR_MAX_DIMENSION:           readable(func(*openvx.Context) uintptr { return 9 }),

	C.VX_CONTEXT_IMMEDIATE_BORDER:        writable((*openvx.Context).ImmediateBorder, (*openvx.Context).SetImmediateBorder),
	C.VX_CONTEXT_IMMEDIATE_BORDER_POLICY: writable((*openvx.Context).ImmediateBorderPolicy, (*openvx.Context).SetImmediateBorderPolicy),
	C.VX_CONTEXT_COMPATIBLE_CONCORD: writable(
		func(c *openvx.Context) int32 { return boolean(c.Compatible()) },
		func(c *openvx.Context, on int32) error { return c.SetCompatible(on != 0) }),
	C.VX_CONTEXT_THREADS_CONCORD: writable(
		func(c *openvx.Context) uintptr { return uintptr(c.Threads()) },
		func(c *openvx.Context, n uintptr) error { return c.SetThreads(count("the number of threads", n)) }),
}

func kernelTable(c *openvx.Context) []kernelInfo {
	table := c.KernelTable()
	infos := make([]kernelInfo, len(table))
	for i, k := range table {
		infos[i].id = k.ID
		copy(infos[i].name[:openvx.MaxKernelName], k.Name)
	}
	return infos
}

//export vxCreateContext
func vxCreateContext() (handle uintptr) {
	defer func() {
		if r := recover(); r != nil {
			failure(0, r)
		}
	}()
	c, err := openvx.NewContext(openvx.Options{
		Memory:      allocate,
		Dead:        handles.forget,
		Importers:   importers,
		OpenLibrary: openLibrary,
	})
	if err != nil {
		return 0
	}
	return handleOf(c)
}

//export vxSetImmediateModeTarget
func vxSetImmediateModeTarget(context uintptr, target int32, name *C.char) int32 {
	return do(context, func(c *openvx.Context) error {
		return c.SetImmediateModeTarget(openvx.Target(target), targetName(target, name))
	})
}

//export vxRegisterUserStruct
func vxRegisterUserStruct(context, size uintptr) int32 {
	return registerStruct(context, size, func() string { return "" })
}

//export vxRegisterUserStructWithName
func vxRegisterUserStructWithName(context, size uintptr, name *C.char) int32 {
	return registerStruct(context, size, func() string { return textOrNone("the name", name, openvx.MaxReferenceName) })
}

// registerStruct returns the type of a new structure, which is TypeInvalid if that fails.
func registerStruct(context, size uintptr, name func() string) int32 {
	t := openvx.TypeInvalid
	do(context, func(c *openvx.Context) (err error) {
		t, err = c.RegisterUserStruct(int(size), name())
		return err
	})
	return int32(t)
}

//export vxGetUserStructNameByEnum
func vxGetUserStructNameByEnum(context uintptr, dtype int32, name *C.char, n uintptr) int32 {
	status := do(context, func(c *openvx.Context) error {
		s, err := c.UserStructName(openvx.Type(dtype))
		if err != nil {
			return err
		}
		if n <= uintptr(len(s)) {
			refuse(openvx.ErrorNoMemory, "%d bytes are given for the name, which takes %d", n, len(s)+1)
		}
		putText(unsafe.Pointer(output("the name", name)), n, s)
		return nil
	})
	if status == int32(openvx.ErrorInvalidReference) { // the standard knows no such status of this function
		return int32(openvx.ErrorInvalidParameters)
	}
	return status
}

//export vxGetUserStructEnumByName
func vxGetUserStructEnumByName(context uintptr, name *C.char, dtype *int32) int32 {
	return do(context, func(c *openvx.Context) error {
		to := output("the result", dtype)
		if name == nil {
			refuse(openvx.Failure, "the name is NULL")
		}
		t, err := c.UserStructType(text("the name", name, openvx.MaxReferenceName))
		if err == nil {
			*to = int32(t)
		}
		return err
	})
}

//export vxAllocateUserKernelId
func vxAllocateUserKernelId(context uintptr, id *int32) int32 {
	return do(context, func(c *openvx.Context) error {
		to := output("the result", id)
		k, err := c.AllocateKernelID()
		if err == nil {
			*to = int32(k)
		}
		return err
	})
}

//export vxAllocateUserKernelLibraryId
func vxAllocateUserKernelLibraryId(context uintptr, id *int32) int32 {
	return do(context, func(c *openvx.Context) error {
		to := output("the result", id)
		l, err := c.AllocateKernelLibraryID()
		if err == nil {
			*to = int32(l)
		}
		return err
	})
}
