package openvx

import (
	"slices"

	"github.com/concord-nn/concord/internal/emit"
	"github.com/concord-nn/concord/tensor"
)

// Patch is a box of a tensor's elements in memory, for the application to read and write until it is unmapped.
type Patch struct {
	ID      uint64 // for Tensor.UnmapPatch (vx_map_id)
	Strides []int  // in bytes
	Data    []byte // from the first element of the box to the end of the last, with other elements between its rows
}

// PatchBytes returns how many bytes a box of elements from start to end takes in memory with the given strides in bytes, from the first
// element to the end of the last.
func PatchBytes(start, end, strides []int, elementSize int) (int, error) {
	extents := make([]int, len(start))
	for i := range start {
		if len(end) != len(start) || start[i] < 0 || start[i] >= end[i] {
			return 0, failed(ErrorInvalidParameters, "a box from %v to %v has no elements", start, end)
		}
		extents[i] = end[i] - start[i]
	}
	n, err := patch{extents: extents, strides: strides, size: elementSize}.span()
	if err != nil {
		return 0, &Error{Status: ErrorInvalidParameters, Msg: "the patch does not fit into memory", Err: err}
	}
	return n, nil
}

// CopyPatch copies a box of elements, from start up to but without end of each dimension, from the tensor to data (ReadOnly) or from data
// to the tensor (WriteOnly) (vxCopyTensorPatch). Strides are in bytes and need not be multiples of an element's size nor, beyond the standard,
// begin with it, but no two elements may share memory: 0 is a stride only where there is one element. Fewer dimensions than the tensor's are its
// lower ones, at index 0 of the others.
func (t *Tensor) CopyPatch(start, end, strides []int, data []byte, u Usage) error {
	return do(t, ".CopyPatch", func() {
		t.checkVisible()
		t.copyPatch(start, end, strides, data, u)
	})
}

// copyPatch is CopyPatch of what the application can see.
func (t *Tensor) copyPatch(start, end, strides []int, data []byte, u Usage) {
	u.checkCopy()
	m := t.allocated()
	t.checkBox(start, end)
	if need := must(PatchBytes(start, end, strides, t.size())); len(data) < need {
		refuse(ErrorInvalidParameters, "the patch takes %d bytes; there are %d", need, len(data))
	}
	inside := t.cut(start, end)
	mine := patch{inside.dims, inside.strides, t.size(), m.data[inside.offset():]}
	theirs := patch{inside.dims, strides, t.size(), data}
	theirs.disjoint(ErrorInvalidParameters)
	to, from := mine, theirs
	if u == ReadOnly {
		to, from = theirs, mine
	} else {
		t.touched()
	}
	stop(to.copyFrom(from, t.element()))
}

// MapPatch gives the application direct access to a box of elements until [Tensor.UnmapPatch] (vxMapTensorPatch). If start is nil, the
// box begins at 0, and if end is nil it goes to the ends. Any number of patches may be mapped at a time. The memory stays where it
// is as long as one is: neither can its handle be swapped nor a delay age.
func (t *Tensor) MapPatch(start, end []int, u Usage) (*Patch, error) {
	return create(t, ".MapPatch", func() *Patch {
		t.checkVisible()
		p := t.mapPatch(start, end, u)
		t.hold() // or a patch of a tensor that has been released could not be unmapped
		return p
	})
}

// mapPatch is MapPatch of what the application can see.
func (t *Tensor) mapPatch(start, end []int, u Usage) *Patch {
	u.checkMap()
	m := t.allocated()
	if end == nil {
		end = t.dims
		if start != nil && len(start) < len(end) {
			end = end[:len(start)]
		}
	}
	if start == nil {
		start = make([]int, len(end))
	}
	t.checkBox(start, end)
	inside := t.cut(start, end)
	begin, size := inside.offset(), inside.span()
	return &Patch{ID: t.maps.add(t.ctx, m, u), Strides: inside.strides, Data: m.data[begin : begin+size : begin+size]}
}

// UnmapPatch ends the access to a patch that [Tensor.MapPatch] of the same tensor has given (vxUnmapTensorPatch).
func (t *Tensor) UnmapPatch(id uint64) error { return unmap(t, ".UnmapPatch", id) }

// unmap ends the access to a patch of an object's contents, which has kept the object alive.
func unmap(on Reference, call string, id uint64) error {
	return do(on, call, func() {
		contents(on).maps.remove(on.base().ctx, id)
		on.base().drop()
	})
}

// patch is a box of elements in memory, with strides in bytes, the fastest dimension first.
type patch struct {
	extents, strides []int
	size             int // of an element
	data             []byte
}

// patch returns a box that begins with the first element of data, in the layout of the tensor.
func (t *Tensor) patch(extents []int, data []byte) patch {
	return patch{extents, t.strides[:len(extents)], t.size(), data}
}

// copyFrom copies elements of q, a patch of the same extents: as elements of type d if both can be seen as such, and else as bytes.
func (p patch) copyFrom(q patch, d tensor.DType) error {
	to, err := p.as(d)
	if err == nil {
		if from, err := q.as(d); err == nil {
			return to.CopyFrom(from)
		}
	}
	if d == tensor.Uint8 {
		return err
	}
	return p.bytes().copyFrom(q.bytes(), tensor.Uint8)
}

// bytes returns the patch with the bytes of an element as a dimension of their own.
func (p patch) bytes() patch {
	return patch{slices.Insert(slices.Clone(p.extents), 0, p.size), slices.Insert(slices.Clone(p.strides), 0, 1), 1, p.data}
}

// as returns the patch as a tensor with elements of type d, which has p.size. It fails on strides and memory that d does not allow.
func (p patch) as(d tensor.DType) (*tensor.Tensor, error) {
	shape, strides := p.reversed()
	for i := range strides {
		if strides[i]%p.size != 0 && shape[i] > 1 {
			return nil, failed(ErrorInvalidValue, "stride %d is no multiple of an element's %d bytes", strides[i], p.size)
		}
		strides[i] /= p.size
	}
	return tensor.FromStrided(d, shape, strides, p.data)
}

// span returns how many bytes there are from the first element to the end of the last.
func (p patch) span() (int, error) {
	shape, strides := p.bytes().reversed()
	return tensor.StridedLen(shape, strides)
}

// disjoint reports elements that share memory, by an error of the status.
func (p patch) disjoint(status Status) {
	order := emit.Counting(0, len(p.strides))
	slices.SortStableFunc(order, func(i, j int) int { return p.strides[i] - p.strides[j] })
	span := p.size // of the dimensions before
	for _, i := range order {
		if p.extents[i] == 1 {
			continue
		}
		if p.strides[i] < span {
			refuse(status, "stride %d of dimension %d makes elements share memory; it must be at least %d", p.strides[i], i, span)
		}
		span += (p.extents[i] - 1) * p.strides[i]
	}
}

// reversed returns extents and strides with the slowest dimension first.
func (p patch) reversed() (tensor.Shape, []int) {
	shape, strides := slices.Clone(p.extents), slices.Clone(p.strides)
	slices.Reverse(shape)
	slices.Reverse(strides)
	return shape, strides
}
