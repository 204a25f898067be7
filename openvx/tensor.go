package openvx

import (
	"math"
	"slices"

	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/tensor"
)

// Tensor is an array of numbers in any number of dimensions, the first of which is the fastest (vx_tensor).
type Tensor struct {
	object
	format
	declared format  // what it was created with; of a virtual tensor, verification fills in what that leaves open
	strides  []int   // in bytes; nil as long as dims are not known
	root     *Tensor // whose memory this is: itself, or that which a view shows
	start    []int   // of a view: where it begins in root, in root's dimensions
	memory   *memory // of a root; nil as long as nobody needed it
	maps     mappings
	shown    struct { // of a view: what elements returned, and the memory of which
		of *memory
		as *tensor.Tensor
	}
	views int // of a root: live views of it
}

// format is what a tensor is. Extents of 0, TypeInvalid and no extents at all are for a virtual tensor's producer to decide.
type format struct {
	dtype Type
	fixed int8 // fixed point position: the number of fractional bits
	dims  []int
}

// elementType returns the type of elements of type t, and Invalid if a tensor cannot have such elements.
func (t Type) elementType() tensor.DType { return numberTypes[t].element }

// size returns the bytes of an element.
func (f format) size() int { return f.element().Size() }

// known reports whether a producer has nothing left to decide.
func (f format) known() bool {
	return f.dtype != TypeInvalid && len(f.dims) > 0 && !slices.Contains(f.dims, 0)
}

// extent returns the extent of a dimension, 0 if it is open.
func (f format) extent(axis int) int {
	if axis < len(f.dims) {
		return f.dims[axis]
	}
	return 0
}

// equal reports whether two formats are the same.
func (f format) equal(g format) bool {
	return f.dtype == g.dtype && f.fixed == g.fixed && slices.Equal(f.dims, g.dims)
}

// completed returns the format with what is open taken from another, of which nothing may be said either. The status is Success, or tells in
// what they differ: ErrorInvalidType, ErrorInvalidFormat for the fixed point position, or ErrorInvalidDimension.
func (f format) completed(by format) (format, Status) {
	if f.dtype == TypeInvalid {
		f.dtype, f.fixed = by.dtype, by.fixed
	}
	if f.dims = slices.Clone(f.dims); len(f.dims) == 0 {
		f.dims = make([]int, len(by.dims))
	}
	switch {
	case by.dtype != TypeInvalid && by.dtype != f.dtype:
		return f, ErrorInvalidType
	case by.dtype != TypeInvalid && by.fixed != f.fixed:
		return f, ErrorInvalidFormat
	case len(by.dims) > 0 && len(by.dims) != len(f.dims):
		return f, ErrorInvalidDimension
	}
	for axis, n := range by.dims {
		if f.dims[axis] == 0 {
			f.dims[axis] = n
		}
		if n != 0 && n != f.dims[axis] {
			return f, ErrorInvalidDimension
		}
	}
	return f, Success
}

// checkFormat reports what is wrong with the format of a tensor, a virtual one of which may leave open extents, their number, and the
// type. All places that take a format use it: ErrorInvalidDimension, ErrorInvalidType (ErrorInvalidFormat of a virtual tensor), and
// ErrorNoMemory for one larger than Options.MaxTensorBytes.
func (c *Context) checkFormat(f format, virtual bool) {
	if len(f.dims) > MaxTensorDims || len(f.dims) == 0 && !virtual {
		refuse(ErrorInvalidDimension, "a tensor has 1 to %d dimensions, not %d", MaxTensorDims, len(f.dims))
	}
	for i, n := range f.dims {
		if n < 0 || n == 0 && !virtual {
			refuse(ErrorInvalidDimension, "dimension %d has the extent %d; it must be at least 1", i, n)
		}
	}
	f.checkType(virtual)
	limit := c.maxTensorBytes()
	bytes := max(int64(f.size()), 1)
	for _, n := range f.dims {
		if n = max(n, 1); bytes > limit/int64(n) {
			refuse(ErrorNoMemory, "a tensor of extents %v takes more than the limit of %d bytes", f.dims, limit)
		}
		bytes *= int64(n)
	}
}

// checkType is the part of checkFormat that concerns elements.
func (f format) checkType(virtual bool) {
	status := ErrorInvalidType
	if virtual {
		if f.dtype == TypeInvalid {
			return
		}
		status = ErrorInvalidFormat
	}
	d, last := f.element(), 0
	if d == tensor.Invalid {
		refuse(status, "a tensor cannot have elements of %s: integers of 8 to 64 bits, FLOAT16, FLOAT32 and BOOL are possible", f.dtype)
	}
	if d.IsInteger() && f.dtype != TypeBool {
		last = d.Bits() - 1
	}
	if f.fixed < 0 || int(f.fixed) > last {
		refuse(status, "elements of %s cannot have the fixed point position %d: 0 to %d is possible", f.dtype, f.fixed, last)
	}
}

// maxTensorBytes returns the limit for one tensor, which an int can hold.
func (c *Context) maxTensorBytes() int64 {
	limit := c.opts.MaxTensorBytes
	if limit <= 0 {
		limit = limits.VXTensorBytes
	}
	return min(limit, math.MaxInt/4)
}

// CreateTensor makes a tensor of zeros with the given extents, the fastest first, type of elements and number of fractional bits
// (vxCreateTensor). Integers may have any position below their number of bits; Q7.8 is TypeInt16 with 8.
func (c *Context) CreateTensor(dims []int, dtype Type, fixed int8) (*Tensor, error) {
	return create(c, ".CreateTensor", func() *Tensor { return c.newTensor(format{dtype, fixed, dims}, nil) })
}

// CreateVirtualTensor makes a tensor that only nodes of the graph can see (vxCreateVirtualTensor). No dims, extents of 0 and TypeInvalid
// are what the node that writes it decides when the graph is verified.
func (g *Graph) CreateVirtualTensor(dims []int, dtype Type, fixed int8) (*Tensor, error) {
	return create(g, ".CreateVirtualTensor", func() *Tensor { return g.ctx.newTensor(format{dtype, fixed, dims}, g) })
}

// newTensor makes a tensor, of a graph if scope is not nil. It has one reference of the application.
func (c *Context) newTensor(f format, scope *Graph) *Tensor {
	c.checkFormat(f, scope != nil)
	t := c.bareTensor(f, scope)
	c.register(&t.object, t, TypeTensor)
	return t
}

// bareTensor makes a tensor that is not a reference, as the memory of images is.
func (c *Context) bareTensor(f format, scope *Graph) *Tensor {
	t := &Tensor{object: object{ctx: c, kind: TypeTensor, scope: scope}}
	t.root = t
	t.declared = f
	t.declared.dims = slices.Clone(f.dims)
	t.take(t.declared)
	return t
}

// resolve gives a virtual tensor the format that its producer decided, of which nothing is open. A view of it fixes its extents.
func (t *Tensor) resolve(f format) {
	t.ctx.checkFormat(f, false)
	if t.views > 0 && !f.equal(t.format) {
		refuse(ErrorInvalidFormat, "extents %v are needed; there are views of the virtual tensor, so that it must keep %v", f.dims, t.dims)
	}
	t.take(f)
}

// reopen makes open again what was open when the virtual tensor was created, for another verification.
func (t *Tensor) reopen() {
	if t.views == 0 {
		t.take(t.declared)
	}
}

// take gives a tensor that is no view a format, which has been checked. Memory of another format is given back.
func (t *Tensor) take(f format) {
	if f.equal(t.format) {
		return
	}
	if t.memory != nil {
		t.memory.abandon()
		t.memory = nil
	}
	t.format, t.strides = format{f.dtype, f.fixed, slices.Clone(f.dims)}, nil
	if f.known() {
		t.strides = denseStrides(f.dims, f.size())
	}
}

// denseStrides returns the strides in bytes of elements without gaps.
func denseStrides(dims []int, size int) []int {
	strides := make([]int, len(dims))
	for i, n := range dims {
		strides[i] = size
		size *= n
	}
	return strides
}

// destroy gives the memory back.
func (t *Tensor) destroy() {
	switch {
	case t.root != t:
		t.root.views--
		t.root.drop()
	case t.memory != nil:
		t.memory.abandon()
	}
}

// Write sets all elements: data is a slice of the Go type of the elements ([]int16 of TypeInt16, []tensor.F16 of TypeFloat16, and so
// on), in the order of the tensor without gaps.
func (t *Tensor) Write(data any) error {
	return do(t, ".Write", func() { t.transfer(data, true) })
}

// Read copies all elements into a slice like that of [Tensor.Write].
func (t *Tensor) Read(data any) error {
	return do(t, ".Read", func() { t.transfer(data, false) })
}

// transfer copies between a slice and the tensor.
func (t *Tensor) transfer(data any, write bool) {
	t.checkVisible()
	elements := t.elements()
	given := vectors[elements.DType()](data)
	switch {
	case given == nil:
		refuse(ErrorInvalidType, "%T is no slice of the tensor's elements, which are %v", data, elements.DType())
	case given.Len() != elements.Len():
		refuse(ErrorInvalidParameters, "the slice has %d elements, the tensor of extents %v has %d", given.Len(), t.dims, elements.Len())
	}
	given = must(given.Reshape(elements.Shape()...))
	if !write {
		stop(given.CopyFrom(elements))
		return
	}
	t.touched()
	stop(elements.CopyFrom(given))
}

// vectors return slices of elements as tensors that share them, and nil of anything else.
var vectors = map[tensor.DType]func(data any) *tensor.Tensor{
	tensor.Uint8:   vector[uint8],
	tensor.Int8:    vector[int8],
	tensor.Int16:   vector[int16],
	tensor.Uint16:  vector[uint16],
	tensor.Int32:   vector[int32],
	tensor.Uint32:  vector[uint32],
	tensor.Int64:   vector[int64],
	tensor.Uint64:  vector[uint64],
	tensor.Float16: vector[tensor.F16],
	tensor.Float32: vector[float32],
}

func vector[T tensor.Element](data any) *tensor.Tensor {
	s, ok := data.([]T)
	if !ok {
		return nil
	}
	return must(tensor.FromSlice(s, len(s)))
}
