package main

// #include "shim.h"
// #include <string.h>
import "C"

import (
	"math"
	"unsafe"

	"github.com/concord-nn/concord/openvx"
)

// alignment is that of tensors' memory in bytes: a line of the cache, and more than any instruction wants.
const alignment = 64

// allocate returns n bytes of zeros that do not belong to Go, so that C may keep their address or even free them, and a function that
// frees them.
func allocate(n int) (data []byte, free func(), err error) {
	var p unsafe.Pointer
	if C.posix_memalign(&p, alignment, C.size_t(n)) != 0 {
		return nil, nil, &openvx.Error{Status: openvx.ErrorNoMemory, Msg: "the system has no more memory"}
	}
	C.memset(p, 0, C.size_t(n))
	return unsafe.Slice((*byte)(p), n), func() { C.free(p) }, nil
}

// text returns a string of C of at most limit bytes.
func text(what string, s *C.char, limit int) string {
	if s == nil {
		refuse(openvx.ErrorInvalidParameters, "%s is NULL", what)
	}
	n := int(C.strnlen(s, C.size_t(limit)+1))
	if n > limit {
		refuse(openvx.ErrorInvalidParameters, "%s is longer than %d bytes", what, limit)
	}
	return C.GoStringN(s, C.int(n))
}

// textOrNone is text for a string that may be NULL, which stands for none.
func textOrNone(what string, s *C.char, limit int) string {
	if s == nil {
		return ""
	}
	return text(what, s, limit)
}

// memory returns n bytes of C's, and nil for NULL.
func memory(p unsafe.Pointer, n uintptr) []byte {
	if p == nil {
		return nil
	}
	if n > math.MaxInt || uintptr(p)+n < uintptr(p) {
		refuse(openvx.ErrorInvalidParameters, "%d bytes are more than there can be", n)
	}
	return unsafe.Slice((*byte)(p), n)
}

// host refuses memory that is not the host's.
func host(memoryType int32) {
	if memoryType != C.VX_MEMORY_TYPE_HOST {
		refuse(openvx.ErrorInvalidParameters, "memory type %#x is not VX_MEMORY_TYPE_HOST", memoryType)
	}
}

// sizes returns an array with a number for each dimension, and nil for NULL.
func sizes(what string, rank uintptr, array *uintptr) []int {
	if rank > openvx.MaxTensorDims {
		refuse(openvx.ErrorInvalidDimension, "%d dimensions are more than %d", rank, openvx.MaxTensorDims)
	}
	if array == nil {
		return nil
	}
	s := make([]int, rank)
	for i, v := range unsafe.Slice(array, rank) {
		if v > math.MaxInt {
			refuse(openvx.ErrorInvalidParameters, "%s of dimension %d, %d, is more than there can be", what, i, v)
		}
		s[i] = int(v)
	}
	return s
}

// given refuses an array that is NULL.
func given(what string, array []int) []int {
	if array == nil {
		refuse(openvx.ErrorInvalidParameters, "%s is NULL", what)
	}
	return array
}

// output refuses a pointer that is NULL.
func output[T any](what string, p *T) *T {
	if p == nil {
		refuse(openvx.ErrorInvalidParameters, "the pointer to %s is NULL", what)
	}
	return p
}

// count refuses a number that is more than there can be.
func count(what string, n uintptr) int {
	if n > math.MaxInt {
		refuse(openvx.ErrorInvalidParameters, "%s, %d, is more than there can be", what, n)
	}
	return int(n)
}

// structure returns a structure of which the caller says the size: later versions of the standard may have added to it.
func structure[T any](p *T, size uintptr) T {
	if output("the parameters", p); size < unsafe.Sizeof(*p) {
		refuse(openvx.ErrorInvalidParameters, "the parameters have %d bytes, not %d", size, unsafe.Sizeof(*p))
	}
	return *p
}
