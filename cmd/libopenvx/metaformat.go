package main

// #include "shim.h"
import "C"

import (
	"unsafe"

	"github.com/concord-nn/concord/openvx"
)

var metaFormatAttributes = attributes[*openvx.MetaFormat]{
	C.VX_TENSOR_NUMBER_OF_DIMS: writable(
		func(m *openvx.MetaFormat) uintptr { return uintptr(len(metaDims(m))) },
		func(m *openvx.MetaFormat, rank uintptr) error {
			return m.SetTensorRank(count("the number of dimensions", rank))
		}),
	C.VX_TENSOR_DIMS: {
		get: listed(func(m *openvx.MetaFormat) []uintptr { return toC(metaDims(m)) }).get,
		set: func(m *openvx.MetaFormat, p unsafe.Pointer, n uintptr) error {
			return m.SetTensorDims(sizes("the size", n/unsafe.Sizeof(uintptr(0)), (*uintptr)(p)))
		},
	},
	C.VX_TENSOR_DATA_TYPE: writable(
		func(m *openvx.MetaFormat) openvx.Type {
			_, dtype, _ := m.Tensor()
			return dtype
		},
		(*openvx.MetaFormat).SetTensorType),
	C.VX_TENSOR_FIXED_POINT_POSITION: writable(
		func(m *openvx.MetaFormat) int8 {
			_, _, fixed := m.Tensor()
			return fixed
		},
		(*openvx.MetaFormat).SetTensorFixedPoint),
	C.VX_SCALAR_TYPE: writable((*openvx.MetaFormat).ScalarType, (*openvx.MetaFormat).SetScalarType),
	C.VX_LUT_TYPE: writable(
		func(m *openvx.MetaFormat) openvx.Type {
			dtype, _ := m.LUT()
			return dtype
		},
		(*openvx.MetaFormat).SetLUTType),
	C.VX_LUT_COUNT: writable(
		func(m *openvx.MetaFormat) uintptr {
			_, n := m.LUT()
			return uintptr(n)
		},
		func(m *openvx.MetaFormat, n uintptr) error { return m.SetLUTCount(count("the number of elements", n)) }),
	C.VX_IMAGE_FORMAT: writable(
		func(m *openvx.MetaFormat) openvx.ImageFormat {
			f, _, _ := m.Image()
			return f
		},
		(*openvx.MetaFormat).SetImageFormat),
	C.VX_IMAGE_WIDTH: writable(
		func(m *openvx.MetaFormat) uint32 {
			_, width, _ := m.Image()
			return uint32(width)
		},
		func(m *openvx.MetaFormat, width uint32) error { return m.SetImageWidth(int(width)) }),
	C.VX_IMAGE_HEIGHT: writable(
		func(m *openvx.MetaFormat) uint32 {
			_, _, height := m.Image()
			return uint32(height)
		},
		func(m *openvx.MetaFormat, height uint32) error { return m.SetImageHeight(int(height)) }),
	C.VX_VALID_RECT_CALLBACK: {set: func(*openvx.MetaFormat, unsafe.Pointer, uintptr) error { return nil }}, // no valid regions are computed
}

func metaDims(m *openvx.MetaFormat) []int {
	dims, _, _ := m.Tensor()
	return dims
}
