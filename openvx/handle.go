package openvx

import "slices"

// CreateTensorFromHandle makes a tensor of memory that the application owns (vxCreateTensorFromHandle): data begins with the first
// element, and strides, in bytes, say where the others are. Strides[0] must be the size of an element, the others multiples of it, and
// no two elements may share memory. Data may be nil: [Tensor.SwapHandle] gives it later. The application must leave the memory alone
// except between [Tensor.MapPatch] and [Tensor.UnmapPatch].
func (c *Context) CreateTensorFromHandle(dims []int, dtype Type, fixed int8, strides []int, data []byte) (*Tensor, error) {
	return create(c, ".CreateTensorFromHandle", func() *Tensor {
		f := format{dtype, fixed, dims}
		c.checkFormat(f, false)
		checkStrides(f, strides)
		t := c.bareTensor(f, nil)
		t.strides = slices.Clone(strides)
		t.adopt(data)
		c.register(&t.object, t, TypeTensor)
		return t
	})
}

// checkStrides reports strides with which elements of a tensor are not where they can be, or share memory.
func checkStrides(f format, strides []int) {
	size := f.size()
	if len(strides) != len(f.dims) {
		refuse(ErrorInvalidDimension, "%d strides are given for %d dimensions", len(strides), len(f.dims))
	}
	if strides[0] != size {
		refuse(ErrorInvalidValue, "the stride of dimension 0 is %d; it must be %d, the size of an element", strides[0], size)
	}
	for i, s := range strides {
		if s < 0 || s%size != 0 && f.dims[i] > 1 {
			refuse(ErrorInvalidValue, "stride %d of dimension %d must be a multiple of %d, the size of an element", s, i, size)
		}
	}
	p := patch{extents: f.dims, strides: strides, size: size}
	_, err := p.span()
	because(err, ErrorInvalidValue, "the tensor does not fit into memory")
	p.disjoint(ErrorInvalidValue)
}

// adopt makes data, which may be nil, the memory of a tensor.
func (t *Tensor) adopt(data []byte) {
	m := &memory{version: t.ctx.number()}
	if data != nil {
		if need := t.span(); len(data) < need {
			refuse(ErrorInvalidParameters, "the tensor takes %d bytes of memory; %d are given", need, len(data))
		}
		whole, err := t.patch(t.dims, data).as(t.element())
		because(err, ErrorInvalidParameters, "the memory does not suit the tensor")
		m.data, m.whole = data, whole
	}
	t.memory = m
}

// MemoryBytes returns how many bytes the memory of a tensor must have for [Tensor.SwapHandle]; 0 if its extents are not known.
func (t *Tensor) MemoryBytes() int {
	return query(t, func() int {
		if t.strides == nil {
			return 0
		}
		return t.span()
	})
}

// SwapHandle makes data the memory of a tensor and of all its views, and returns what was its memory until now, which belongs to the
// application from then on (vxSwapTensorHandle). It has the same layout. Data may be nil: the tensor has no memory then. Beyond
// the standard, memory that this package has made can be taken in the same way: with [Options].Memory, the application frees it.
//
// It fails on a view, on a virtual tensor, and while a patch is mapped (Failure) or a graph that uses it runs (ErrorGraphScheduled).
func (t *Tensor) SwapHandle(data []byte) (old []byte, err error) {
	err = t.replaceMemory(".SwapHandle", data, func(m *memory) {
		old = m.data
		t.ctx.forget(old)
	})
	return old, err
}

// ReplaceHandle is SwapHandle for an application that does not ask for the memory until now: what this package has made is freed.
func (t *Tensor) ReplaceHandle(data []byte) error {
	return t.replaceMemory(".ReplaceHandle", data, (*memory).abandon)
}

// replaceMemory calls release with the memory that there was, if any, when other memory has taken its place.
func (t *Tensor) replaceMemory(call string, data []byte, release func(*memory)) error {
	return do(t, call, func() {
		switch {
		case t.scope != nil:
			refuse(ErrorOptimizedAway, "a virtual tensor has no memory that the application could exchange")
		case t.root != t:
			refuse(ErrorInvalidParameters, "the tensor is a view; the memory is that of the tensor it was created from")
		}
		before := t.memory
		before.checkIdle()
		t.adopt(data)
		if before != nil {
			release(before)
		}
	})
}
