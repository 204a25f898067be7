package main

// #include "shim.h"
import "C"

import (
	"slices"
	"unsafe"

	"github.com/concord-nn/concord/openvx"
)

var metaFormatAttributes = attributes[*openvx.MetaFormat]{
	C.VX_TENSOR_NUMBER_OF_DIMS: ofMeta(tensorOf, (*metaTensor).set,
		func(t *metaTensor) uintptr { return uintptr(len(t.dims)) },
		func(t *metaTensor, rank uintptr) {
			if n := count("the number of dimensions", rank); n < 1 || n > openvx.MaxTensorDims {
				refuse(openvx.ErrorInvalidDimension, "a tensor has 1 to %d dimensions, not %d", openvx.MaxTensorDims, n)
			} else if n != len(t.dims) {
				t.dims = make([]int, n)
			}
		}),
	C.VX_TENSOR_DIMS: {
		get: listed(func(m *openvx.MetaFormat) []uintptr { return toC(tensorOf(m).dims) }).get,
		set: func(m *openvx.MetaFormat, p unsafe.Pointer, n uintptr) error {
			t := tensorOf(m)
			t.dims = sizes("the size", n/unsafe.Sizeof(uintptr(0)), (*uintptr)(p))
			if len(t.dims) == 0 || slices.Contains(t.dims, 0) {
				refuse(openvx.ErrorInvalidDimension, "no tensor has the extents %v", t.dims)
			}
			return t.set(m)
		},
	},
	C.VX_TENSOR_DATA_TYPE: ofMeta(tensorOf, (*metaTensor).set,
		func(t *metaTensor) openvx.Type { return t.dtype },
		func(t *metaTensor, dtype openvx.Type) {
			if t.dtype != openvx.TypeInvalid && t.dtype != dtype {
				t.fixed = 0 // what another tensor had, which the new type may not allow; a program sets one attribute at a time
			}
			t.dtype = needed(dtype)
		}),
	C.VX_TENSOR_FIXED_POINT_POSITION: ofMeta(tensorOf, (*metaTensor).set,
		func(t *metaTensor) int8 { return t.fixed }, func(t *metaTensor, fixed int8) { t.fixed = fixed }),
	C.VX_SCALAR_TYPE: writable((*openvx.MetaFormat).ScalarType, (*openvx.MetaFormat).SetScalarType),
	C.VX_LUT_TYPE: ofMeta(lutOf, (*metaLUT).set,
		func(l *metaLUT) openvx.Type { return l.dtype }, func(l *metaLUT, dtype openvx.Type) { l.dtype = needed(dtype) }),
	C.VX_LUT_COUNT: ofMeta(lutOf, (*metaLUT).set,
		func(l *metaLUT) uintptr { return uintptr(l.count) },
		func(l *metaLUT, n uintptr) {
			if l.count = count("the number of elements", n); n == 0 {
				refuse(openvx.ErrorInvalidParameters, "a table cannot have 0 elements")
			}
		}),
	C.VX_IMAGE_FORMAT: ofMeta(imageOf, (*metaImage).set,
		func(i *metaImage) openvx.ImageFormat { return i.format }, func(i *metaImage, f openvx.ImageFormat) { i.format = f }),
	C.VX_IMAGE_WIDTH: ofMeta(imageOf, (*metaImage).set,
		func(i *metaImage) uint32 { return uint32(i.width) }, func(i *metaImage, n uint32) { i.width = pixels(n) }),
	C.VX_IMAGE_HEIGHT: ofMeta(imageOf, (*metaImage).set,
		func(i *metaImage) uint32 { return uint32(i.height) }, func(i *metaImage, n uint32) { i.height = pixels(n) }),
	C.VX_VALID_RECT_CALLBACK: {set: func(*openvx.MetaFormat, unsafe.Pointer, uintptr) error { return nil }}, // no valid regions are computed
}

// ofMeta is an attribute that is a part of what a MetaFormat describes: the description of, which is changed and set again.
func ofMeta[D, V any](of func(*openvx.MetaFormat) *D, set func(*D, *openvx.MetaFormat) error, get func(*D) V, change func(*D, V)) attribute[*openvx.MetaFormat] {
	return writable(func(m *openvx.MetaFormat) V { return get(of(m)) }, func(m *openvx.MetaFormat, v V) error {
		d := of(m)
		change(d, v)
		return set(d, m)
	})
}

type metaTensor struct {
	dims  []int
	dtype openvx.Type
	fixed int8
}

func tensorOf(m *openvx.MetaFormat) *metaTensor {
	dims, dtype, fixed := m.Tensor()
	return &metaTensor{dims, dtype, fixed}
}

func (t *metaTensor) set(m *openvx.MetaFormat) error { return m.SetTensor(t.dims, t.dtype, t.fixed) }

type metaLUT struct {
	dtype openvx.Type
	count int
}

func lutOf(m *openvx.MetaFormat) *metaLUT {
	dtype, n := m.LUT()
	return &metaLUT{dtype, n}
}

func (l *metaLUT) set(m *openvx.MetaFormat) error { return m.SetLUT(l.dtype, l.count) }

type metaImage struct {
	format        openvx.ImageFormat
	width, height int
}

func imageOf(m *openvx.MetaFormat) *metaImage {
	f, width, height := m.Image()
	return &metaImage{f, width, height}
}

func (i *metaImage) set(m *openvx.MetaFormat) error { return m.SetImage(i.format, i.width, i.height) }

// needed refuses the type that package openvx has for what is open.
func needed(dtype openvx.Type) openvx.Type {
	if dtype == openvx.TypeInvalid {
		refuse(openvx.ErrorInvalidType, "%v is no type of elements", dtype)
	}
	return dtype
}

// pixels refuses the number that package openvx has for what is open.
func pixels(n uint32) int {
	if n == 0 {
		refuse(openvx.ErrorInvalidDimension, "an image cannot have 0 pixels in a direction")
	}
	return int(n)
}
