package main

// #include "shim.h"
import "C"

import (
	"unsafe"

	"github.com/concord-nn/concord/openvx"
)

var tensorAttributes = attributes[*openvx.Tensor]{
	C.VX_TENSOR_NUMBER_OF_DIMS:       readable(func(t *openvx.Tensor) uintptr { return uintptr(len(t.Dims())) }),
	C.VX_TENSOR_DIMS:                 listed(func(t *openvx.Tensor) []uintptr { return toC(t.Dims()) }),
	C.VX_TENSOR_DATA_TYPE:            readable((*openvx.Tensor).DataType),
	C.VX_TENSOR_FIXED_POINT_POSITION: readable((*openvx.Tensor).FixedPointPosition),
}

//export vxCreateTensorFromHandle
func vxCreateTensorFromHandle(
	context, rank uintptr, dims *uintptr, dtype int32, fixed int8, stride *uintptr, p unsafe.Pointer, memoryType int32,
) uintptr {
	return create(context, func(c *openvx.Context) (*openvx.Tensor, error) {
		host(memoryType)
		extents := given("the sizes", sizes("the size", rank, dims))
		strides := given("the strides", sizes("the stride", rank, stride))
		var data []byte
		if rank > 0 { // and then the first stride must be an element's size
			data = patch(p, make([]int, rank), extents, strides, strides[0])
		}
		return c.CreateTensorFromHandle(extents, openvx.Type(dtype), fixed, strides, data)
	})
}

//export vxCreateTensorFromView
func vxCreateTensorFromView(tensor, rank uintptr, start, end *uintptr) uintptr {
	return create(tensor, func(t *openvx.Tensor) (*openvx.Tensor, error) {
		within(t, rank)
		return t.CreateView(given("the starts", sizes("the start", rank, start)), given("the ends", sizes("the end", rank, end)))
	})
}

//export vxCreateImageObjectArrayFromTensor
func vxCreateImageObjectArrayFromTensor(tensor uintptr, rect *C.vx_rectangle_t, n, jump uintptr, format uint32) uintptr {
	return create(tensor, func(t *openvx.Tensor) (*openvx.ObjectArray, error) {
		return t.CreateImageObjectArray(rectangle(rect), count("the number of images", n), count("the jump", jump),
			openvx.ImageFormat(format))
	})
}

//export vxSwapTensorHandle
func vxSwapTensorHandle(tensor uintptr, p unsafe.Pointer, previous *unsafe.Pointer) int32 {
	return do(tensor, func(t *openvx.Tensor) error {
		data := memory(p, uintptr(t.MemoryBytes()))
		if previous == nil {
			return t.ReplaceHandle(data)
		}
		old, err := t.SwapHandle(data)
		if err == nil {
			*previous = unsafe.Pointer(unsafe.SliceData(old))
		}
		return err
	})
}

//export vxCopyTensorPatch
func vxCopyTensorPatch(tensor, rank uintptr, start, end, stride *uintptr, p unsafe.Pointer, usage, memoryType int32) int32 {
	return do(tensor, func(t *openvx.Tensor) error {
		host(memoryType)
		within(t, rank)
		from := given("the starts", sizes("the start", rank, start))
		to := given("the ends", sizes("the end", rank, end))
		strides := given("the strides", sizes("the stride", rank, stride))
		size := t.Context().SizeOf(t.DataType())
		if len(strides) > 0 && strides[0] != size {
			refuse(openvx.ErrorInvalidParameters, "the stride of dimension 0 is %d; it must be %d, the size of an element", strides[0], size)
		}
		output("the elements", (*byte)(p))
		return t.CopyPatch(from, to, strides, patch(p, from, to, strides, size), openvx.Usage(usage))
	})
}

// within refuses more dimensions than a tensor has, before arrays with a number for each are read. How many a virtual one has may be open.
func within(t *openvx.Tensor, rank uintptr) {
	if n := uintptr(len(t.Dims())); n > 0 && rank > n {
		refuse(openvx.ErrorInvalidParameters, "%d dimensions are given; the tensor has %d", rank, n)
	}
}

// patch returns the memory of a box of elements.
func patch(p unsafe.Pointer, start, end, strides []int, element int) []byte {
	n, err := openvx.PatchBytes(start, end, strides, element)
	if err != nil {
		refuse(openvx.ErrorInvalidParameters, "the strides do not suit: %v", err)
	}
	return memory(p, uintptr(n))
}

//export vxMapTensorPatch
func vxMapTensorPatch(
	tensor, rank uintptr, start, end, id, stride *uintptr, p *unsafe.Pointer, usage, memoryType int32,
) int32 {
	return do(tensor, func(t *openvx.Tensor) error {
		host(memoryType)
		output("the map's number", id)
		output("the strides", stride)
		output("the address", p)
		within(t, rank)
		m, err := t.MapPatch(sizes("the start", rank, start), sizes("the end", rank, end), openvx.Usage(usage))
		if err != nil {
			return err
		}
		*id = uintptr(m.ID)
		*p = unsafe.Pointer(unsafe.SliceData(m.Data))
		copy(unsafe.Slice(stride, rank), toC(m.Strides))
		return nil
	})
}
