package openvx

import "slices"

// CreateView makes a tensor that shows the elements from start up to but without end of each dimension, and shares them
// (vxCreateTensorFromView). Fewer dimensions than the tensor's are its lower ones, at index 0 of the others; the view has so many. It has
// the tensor's format, is virtual if the tensor is, and keeps the memory alive.
func (t *Tensor) CreateView(start, end []int) (*Tensor, error) {
	return create(t, ".CreateView", func() *Tensor {
		if t.strides == nil {
			refuse(ErrorInvalidParameters, "the extents of the virtual tensor are not known before its graph is verified")
		}
		t.checkBox(start, end)
		v := t.cut(start, end)
		t.ctx.register(&v.object, v, TypeTensor)
		v.root.hold()
		v.root.views++
		return v
	})
}

// checkBox reports a box that has no elements or is not inside the tensor's extents, which are known.
func (t *Tensor) checkBox(start, end []int) {
	if len(start) == 0 || len(start) > len(t.dims) || len(end) != len(start) {
		refuse(ErrorInvalidParameters, "a box from %v to %v is given; it must have between 1 and the tensor's %d dimensions",
			start, end, len(t.dims))
	}
	for i, n := range t.dims[:len(start)] {
		if start[i] < 0 || start[i] >= end[i] || end[i] > n {
			refuse(ErrorInvalidParameters, "the box goes from %d to %d in dimension %d; it must have elements within 0 to %d",
				start[i], end[i], i, n)
		}
	}
}

// cut returns a view, which has been checked, as a tensor that is no reference.
func (t *Tensor) cut(start, end []int) *Tensor {
	v := &Tensor{object: object{ctx: t.ctx, kind: TypeTensor, scope: t.scope}, root: t.root}
	v.start = make([]int, len(t.root.dims))
	copy(v.start, t.start)
	v.format = format{t.dtype, t.fixed, make([]int, len(start))}
	for i := range start {
		v.start[i] += start[i]
		v.dims[i] = end[i] - start[i]
	}
	v.declared = v.format
	v.strides = slices.Clone(t.strides[:len(start)])
	return v
}
