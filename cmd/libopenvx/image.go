package main

// #include "shim.h"
import "C"

import (
	"unsafe"

	"github.com/concord-nn/concord/openvx"
)

var imageAttributes = attributes[*openvx.Image]{
	C.VX_IMAGE_WIDTH:       readable(func(i *openvx.Image) uint32 { return uint32(i.Width()) }),
	C.VX_IMAGE_HEIGHT:      readable(func(i *openvx.Image) uint32 { return uint32(i.Height()) }),
	C.VX_IMAGE_FORMAT:      readable((*openvx.Image).Format),
	C.VX_IMAGE_PLANES:      readable(func(*openvx.Image) uintptr { return 1 }),
	C.VX_IMAGE_MEMORY_TYPE: readable(func(*openvx.Image) int32 { return C.VX_MEMORY_TYPE_NONE }),
	C.VX_IMAGE_IS_UNIFORM:  readable(func(*openvx.Image) int32 { return boolean(false) }),
}

//export vxGetValidRegionImage
func vxGetValidRegionImage(image uintptr, rect *C.vx_rectangle_t) int32 {
	return do(image, func(i *openvx.Image) error {
		to := output("the rectangle", rect)
		r, err := i.ValidRectangle()
		if err == nil {
			*(*openvx.Rectangle)(unsafe.Pointer(to)) = r
		}
		return err
	})
}

// Structures of Go that are laid out as those of C.
var (
	_ [unsafe.Sizeof(openvx.Rectangle{})]byte       = [C.sizeof_vx_rectangle_t]byte{}
	_ [unsafe.Sizeof(openvx.ImageAddressing{})]byte = [C.sizeof_vx_imagepatch_addressing_t]byte{}
	_ [unsafe.Sizeof(openvx.BorderValue{})]byte     = [C.sizeof_vx_border_t]byte{}
	_ [unsafe.Sizeof(performance{})]byte            = [C.sizeof_vx_perf_t]byte{}
	_ [unsafe.Sizeof(kernelInfo{})]byte             = [C.sizeof_vx_kernel_info_t]byte{}
)

// rectangle returns a rectangle of C's.
func rectangle(r *C.vx_rectangle_t) openvx.Rectangle {
	return *(*openvx.Rectangle)(unsafe.Pointer(output("the rectangle", r)))
}

//export vxCopyImagePatch
func vxCopyImagePatch(
	image uintptr, rect *C.vx_rectangle_t, plane uint32, address *C.vx_imagepatch_addressing_t, p unsafe.Pointer,
	usage, memoryType int32,
) int32 {
	return do(image, func(i *openvx.Image) error {
		host(memoryType)
		output("the pixels", (*byte)(p))
		a := *(*openvx.ImageAddressing)(unsafe.Pointer(output("the addressing", address)))
		r := rectangle(rect)
		data := patch(p, []int{int(r.StartX), int(r.StartY)}, []int{int(r.EndX), int(r.EndY)}, []int{int(a.StrideX), int(a.StrideY)},
			i.Format().PixelBytes())
		return i.CopyPatch(r, int(plane), a, data, openvx.Usage(usage))
	})
}

//export vxMapImagePatch
func vxMapImagePatch(
	image uintptr, rect *C.vx_rectangle_t, plane uint32, id *uintptr, address *C.vx_imagepatch_addressing_t, p *unsafe.Pointer,
	usage, memoryType int32, flags uint32,
) int32 {
	return do(image, func(i *openvx.Image) error {
		host(memoryType)
		output("the map's number", id)
		output("the addressing", address)
		output("the address", p)
		m, err := i.MapPatch(rectangle(rect), int(plane), openvx.Usage(usage))
		if err != nil {
			return err
		}
		*id = uintptr(m.ID)
		*p = unsafe.Pointer(unsafe.SliceData(m.Data))
		*(*openvx.ImageAddressing)(unsafe.Pointer(address)) = m.Addressing
		return nil
	})
}
