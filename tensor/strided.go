package tensor

import (
	"fmt"
	"math/bits"
	"slices"
	"unsafe"
)

// FromStrided returns a view of memory that others may own: the element at index i, j, … is the one at i*strides[0] + j*strides[1] + …,
// counted in elements from the beginning of data. Strides must not be negative, every element must lie inside data, and data must be
// aligned for the type. The view shares data, which may go on after the last element.
//
// The bytes of a bool tensor may have any value; all but 0 are true. Such a tensor does not count as contiguous, so that others see its
// elements in copies only.
func FromStrided(d DType, shape Shape, strides []int, data []byte) (*Tensor, error) {
	if err := checkType(d, shape); err != nil {
		return nil, err
	}
	if err := checkView(d, shape); err != nil {
		return nil, err
	}
	size, err := StridedLen(shape, strides)
	if err != nil {
		return nil, err
	}
	if size > len(data)/d.Size() {
		return nil, fmt.Errorf("a %v%v with strides %v takes %d elements of memory; %d bytes hold %d",
			d, shape, strides, size, len(data), len(data)/d.Size())
	}
	if address := uintptr(unsafe.Pointer(unsafe.SliceData(data))); size > 0 && address%uintptr(d.Size()) != 0 {
		return nil, fmt.Errorf("memory of %v elements must be aligned to %d bytes; it begins %d bytes after such an address",
			d, d.Size(), address%uintptr(d.Size()))
	}
	t := &Tensor{dtype: d, mem: data, foreign: true}
	return t.view(shape.Clone(), slices.Clone(strides), 0)
}

// StridedLen returns how many elements of memory a tensor of the given shape and strides takes, from the first to the last of its own;
// 0 if it has none. It fails on strides that are negative or of another number, and where the result would overflow.
func StridedLen(shape Shape, strides []int) (int, error) {
	if err := shape.Check(); err != nil {
		return 0, err
	}
	if len(strides) != len(shape) {
		return 0, fmt.Errorf("%d strides are given for shape %v", len(strides), shape)
	}
	last, none := uint(0), false
	for i, n := range shape {
		if strides[i] < 0 {
			return 0, fmt.Errorf("stride %d of dimension %d is negative", strides[i], i)
		}
		if n == 0 {
			none = true
			continue
		}
		hi, lo := bits.Mul(uint(n-1), uint(strides[i]))
		if last += lo; hi > 0 || lo > MaxElements || last >= MaxElements {
			return 0, fmt.Errorf("shape %v with strides %v takes more elements than can be addressed", shape, strides)
		}
	}
	if none {
		return 0, nil
	}
	return int(last) + 1, nil
}
