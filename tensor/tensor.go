package tensor

import (
	"errors"
	"fmt"
	"slices"
	"unsafe"

	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/internal/mapfile"
)

// Alignment is the alignment in bytes of memory that this package allocates: one cache line, one AVX-512 register.
const Alignment = 64

// Tensor is a strided view of elements in memory. Its dtype and shape never change, nor do its strides before [Tensor.Discard]; its elements may.
// A Tensor may be read by many goroutines at once; writing needs the caller's own synchronisation.
//
// The elements of a tensor that was loaded may lie in a mapped file, which stays as long as such tensors can be reached; a slice of them alone,
// as [Data] and [Tensor.Bytes] return it, does not keep it. If somebody makes the file shorter, reading them ends the process, other than in
// functions of Concord, which return an error.
type Tensor struct {
	dtype   DType
	shape   Shape
	strides []int // in elements; may be zero (expanded) or negative (reversed)
	offset  int   // of the first element, in elements
	dense   bool  // row-major without gaps, beginning at offset; never of bools in foreign memory
	foreign bool  // others write the memory too: a bool may be any byte
	mem     []byte
	whole   []byte // of mem, the elements, if they are dense: kernels ask for them with every call

	mapping *mapfile.Mapping // what keeps mem, if it is that of a mapped file
}

// New returns a tensor of zeros. It fails on an invalid type or shape, and on more elements than the machine
// has memory for.
func New(d DType, shape Shape) (*Tensor, error) {
	if err := checkType(d, shape); err != nil {
		return nil, err
	}
	if n := shape.Len() / d.PerByte(); !limits.Fits(limits.Times(int64(n), int64(max(d.Size(), 1)))) {
		return nil, fmt.Errorf("a %v tensor of shape %v takes more memory than there is: %w", d, shape, ErrLimit)
	}
	return wrap(d, shape, AlignedBytes(d.Bytes(shape.Len()))), nil
}

func checkType(d DType, shape Shape) error {
	if d == Invalid || d >= numDTypes {
		return fmt.Errorf("a tensor cannot have the element type %v", d)
	}
	return shape.Check()
}

// AlignedBytes returns n zero bytes that start at a multiple of Alignment. It panics as make does if n is negative or
// beyond the address space.
func AlignedBytes(n int) []byte {
	buf := make([]byte, n+Alignment-1)
	skip := int(-uintptr(unsafe.Pointer(unsafe.SliceData(buf))) & (Alignment - 1))
	return buf[skip : skip+n : skip+n]
}

// FromSlice returns a row-major tensor that shares data. The number of elements must be that of the shape.
func FromSlice[T Element](data []T, shape ...int) (*Tensor, error) {
	return fromMemory(TypeOf[T](), shape, unsafe.Pointer(unsafe.SliceData(data)), len(data))
}

// fromMemory returns a tensor over n elements.
func fromMemory(d DType, shape Shape, first unsafe.Pointer, n int) (*Tensor, error) {
	if err := checkType(d, shape); err != nil {
		return nil, err
	}
	if shape.Len() != n {
		return nil, fmt.Errorf("%d elements do not fill shape %v, which has %d", n, shape, shape.Len())
	}
	return wrap(d, shape, unsafe.Slice((*byte)(first), d.Bytes(n))), nil
}

// FromBytes returns a row-major tensor over bytes in the machine's byte order. It shares them, unless they are not aligned for the type
// and the processor cannot read them so; then it copies them. Bytes of a bool tensor must be 0 or 1, and what no element of a packed type takes of the last
// byte must be 0.
func FromBytes(d DType, shape Shape, data []byte) (*Tensor, error) {
	if err := checkType(d, shape); err != nil {
		return nil, err
	}
	if want := d.Bytes(shape.Len()); len(data) != want {
		return nil, fmt.Errorf("%d bytes do not fill a tensor of type %v%v, which takes %d", len(data), d, shape, want)
	}
	if d == Bool {
		for i, b := range data {
			if b > 1 {
				return nil, fmt.Errorf("byte %d of a bool tensor is %d; it must be 0 or 1", i, b)
			}
		}
	}
	if used := shape.Len() % d.PerByte() * d.Bits(); used > 0 && data[len(data)-1]>>used != 0 {
		return nil, fmt.Errorf("the last byte of a tensor of type %v%v is %#x; its upper %d bits hold no element and must be 0",
			d, shape, data[len(data)-1], 8-used)
	}
	if !unalignedLoads && uintptr(unsafe.Pointer(unsafe.SliceData(data)))%uintptr(max(d.Size(), 1)) != 0 {
		aligned := AlignedBytes(len(data))
		copy(aligned, data)
		data = aligned
	}
	t := wrap(d, shape, data)
	t.mapping = mapfile.Of(data)
	return t, nil
}

// wrap returns a row-major tensor over mem, which has the right size and alignment.
func wrap(d DType, shape Shape, mem []byte) *Tensor {
	return (&Tensor{dtype: d, shape: shape.Clone(), strides: shape.Strides(), dense: true, mem: mem}).laid()
}

// Scalar returns a tensor of rank 0.
func Scalar[T Element](v T) *Tensor {
	t, _ := FromSlice([]T{v}) // one element always fills a scalar
	return t
}

// errNoTensor is what functions say of a nil *Tensor, and of a zero one.
var errNoTensor = errors.New("there is no tensor: it is nil, or the zero Tensor")

// missing reports whether one of the tensors is none.
func missing(list ...*Tensor) bool {
	return slices.ContainsFunc(list, func(t *Tensor) bool { return t == nil || t.dtype == Invalid })
}

// DType returns the type of the elements.
func (t *Tensor) DType() DType { return t.dtype }

// Shape returns the extents. The caller must not change them.
func (t *Tensor) Shape() Shape { return t.shape }

// Strides returns the distance between neighbours along each dimension, in elements. The caller must not change them.
func (t *Tensor) Strides() []int { return t.strides }

// Rank returns the number of dimensions.
func (t *Tensor) Rank() int { return len(t.shape) }

// Len returns the number of elements.
func (t *Tensor) Len() int { return t.shape.Len() }

// IsContiguous reports whether the elements lie in row-major order without gaps.
func (t *Tensor) IsContiguous() bool { return t.dense }

// laid sets what dense elements take of the memory, and returns t.
func (t *Tensor) laid() *Tensor {
	t.whole = nil
	if t.dense {
		t.whole = t.mem[t.dtype.Bytes(t.offset):t.dtype.Bytes(t.offset+t.Len())]
	}
	return t
}

// Bytes returns the memory of a contiguous tensor, and nil for another view.
func (t *Tensor) Bytes() []byte { return t.whole }

// Data returns the elements of a contiguous tensor in row-major order, sharing memory. It returns nil if T is not the
// Go type of t's elements or t is not contiguous.
//
//go:noinline
func Data[T Element](t *Tensor) []T { // inlined wherever it is called, it would make programs a megabyte larger
	if TypeOf[T]() != t.dtype {
		return nil
	}
	var zero T
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(t.whole))), len(t.whole)/int(unsafe.Sizeof(zero)))
}

// Discard lets go of the memory of a tensor whose elements nobody reads any more: from then on it is a view of zeros that takes none. Packed
// elements stay, as they have no strides. Nobody else may use the tensor at the same time.
func (t *Tensor) Discard() {
	if t.dtype.IsPacked() || t.Len() == 0 {
		return
	}
	t.strides, t.offset, t.foreign, t.mem, t.mapping = make([]int, len(t.shape)), 0, false, make([]byte, t.dtype.Size()), nil
	t.dense = isDense(t.shape, t.strides)
	t.laid()
}

// Contiguous returns t itself if it is contiguous, and else a row-major copy. A copy of an expanded view may be much
// larger than the memory it shows; like [AlignedBytes] it panics beyond the address space.
func (t *Tensor) Contiguous() *Tensor {
	if t.dense {
		return t
	}
	return t.Clone()
}

// Clone returns a row-major copy that shares nothing with t.
func (t *Tensor) Clone() *Tensor {
	c := wrap(t.dtype, t.shape, AlignedBytes(t.dtype.Bytes(t.Len())))
	t.copyTo(c)
	return c
}

// Copy is [Tensor.Clone] that fails, as [New] does, where the machine has no memory for the copy.
func (t *Tensor) Copy() (*Tensor, error) {
	if missing(t) {
		return nil, errNoTensor
	}
	c, err := New(t.dtype, t.shape)
	if err == nil {
		t.copyTo(c)
	}
	return c, err
}

// Reshape returns the elements of t, in row-major order, as another shape of the same size. A contiguous tensor is
// viewed, another one copied.
func (t *Tensor) Reshape(shape ...int) (*Tensor, error) {
	s := Shape(shape).Clone()
	if err := s.Check(); err != nil {
		return nil, err
	}
	if missing(t) {
		return nil, errNoTensor
	}
	if s.Len() != t.Len() {
		return nil, fmt.Errorf("cannot reshape %v to %v: %d elements do not fill %d", t.Describe(), s, t.Len(), s.Len())
	}
	c := t.Contiguous()
	return &Tensor{dtype: t.dtype, shape: s, strides: s.Strides(), offset: c.offset, dense: true, foreign: c.foreign, mem: c.mem, whole: c.whole, mapping: c.mapping}, nil
}

// Reinterpret returns the elements of t, in row-major order, as elements of type d with the same bits, which must be as many for each. A
// contiguous tensor is viewed, another one copied. Bytes that are to be bools must be 0 or 1.
func (t *Tensor) Reinterpret(d DType) (*Tensor, error) {
	if missing(t) {
		return nil, errNoTensor
	}
	if d.Bits() != t.dtype.Bits() {
		return nil, fmt.Errorf("elements of %v take %d bits, those of type %v %d", t.Describe(), t.dtype.Bits(), d, d.Bits())
	}
	return FromBytes(d, t.shape, t.Contiguous().Bytes())
}

// ErrPacked is the cause of errors of [Tensor.Transpose], [Tensor.Slice], [Tensor.Expand] and [FromStrided] on packed elements: strides
// count whole bytes, so such a tensor is always contiguous. A [Cast] to int8 or uint8 can be viewed.
var ErrPacked = errors.New("elements smaller than a byte have no strides")

// Transpose returns a view whose dimension i is t's dimension perm[i]. No argument reverses all dimensions.
func (t *Tensor) Transpose(perm ...int) (*Tensor, error) {
	if missing(t) {
		return nil, errNoTensor
	}
	if len(perm) == 0 {
		perm = make([]int, len(t.shape))
		for i := range perm {
			perm[i] = len(perm) - 1 - i
		}
	}
	if len(perm) != len(t.shape) {
		return nil, fmt.Errorf("permutation %v does not have the %d dimensions of %v", perm, len(t.shape), t.Describe())
	}
	shape, strides := make(Shape, len(perm)), make([]int, len(perm))
	var seen [MaxRank]bool
	for i, p := range perm {
		if p < 0 || p >= len(perm) || seen[p] {
			return nil, fmt.Errorf("%v is not a permutation of 0…%d", perm, len(perm)-1)
		}
		seen[p] = true
		shape[i], strides[i] = t.shape[p], t.strides[p]
	}
	return t.view(shape, strides, t.offset)
}

// Slice returns a view of the indices begin, begin+step, … along axis, up to but without end. With a negative step end
// may be -1, to reach index 0. Step must not be 0 and both bounds must lie within the dimension.
func (t *Tensor) Slice(axis, begin, end, step int) (*Tensor, error) {
	if missing(t) {
		return nil, errNoTensor
	}
	if axis < 0 || axis >= len(t.shape) {
		return nil, fmt.Errorf("axis %d is not a dimension of %v", axis, t.Describe())
	}
	n := t.shape[axis]
	var count int
	switch {
	case step > 0 && 0 <= begin && begin <= end && end <= n:
		count = steps(end-begin, uint(step))
	case step < 0 && -1 <= end && end <= begin && begin < n:
		count = steps(begin-end, -uint(step))
	default:
		return nil, fmt.Errorf("slice %d:%d:%d is not within dimension %d of %v", begin, end, step, axis, t.Describe())
	}
	shape, strides := t.shape.Clone(), slices.Clone(t.strides)
	shape[axis], strides[axis] = count, strides[axis]*step
	return t.view(shape, strides, t.offset+begin*t.strides[axis])
}

// steps returns how many steps of the given length a distance takes, the last of them begun but perhaps not finished.
func steps(distance int, step uint) int {
	if distance == 0 {
		return 0
	}
	return int(uint(distance-1)/step) + 1
}

// Expand returns a view in which dimensions of extent 1 are repeated to the given shape, which must have t's rank.
func (t *Tensor) Expand(shape ...int) (*Tensor, error) {
	s := Shape(shape).Clone()
	if err := s.Check(); err != nil {
		return nil, err
	}
	if missing(t) {
		return nil, errNoTensor
	}
	if len(s) != len(t.shape) {
		return nil, fmt.Errorf("cannot expand %v to %v: the ranks differ", t.Describe(), s)
	}
	strides := slices.Clone(t.strides)
	for i, d := range s {
		if d == t.shape[i] {
			continue
		}
		if t.shape[i] != 1 {
			return nil, fmt.Errorf("cannot expand %v to %v: dimension %d is neither 1 nor %d", t.Describe(), s, i, d)
		}
		strides[i] = 0
	}
	return t.view(s, strides, t.offset)
}

func (t *Tensor) view(shape Shape, strides []int, offset int) (*Tensor, error) {
	if err := checkView(t.dtype, shape); err != nil {
		return nil, err
	}
	if shape.Len() == 0 {
		offset = 0 // where nothing is need not lie inside the memory
	}
	dense := isDense(shape, strides) && (!t.foreign || t.dtype != Bool)
	v := &Tensor{dtype: t.dtype, shape: shape, strides: strides, offset: offset, dense: dense, foreign: t.foreign, mem: t.mem, mapping: t.mapping}
	return v.laid(), nil
}

// checkView reports a type whose elements cannot be reached by strides.
func checkView(d DType, shape Shape) error {
	if d.IsPacked() {
		return fmt.Errorf("a tensor of type %v%v cannot be a view: %w", d, shape, ErrPacked)
	}
	return nil
}

// isDense reports whether a view is row-major without gaps, as one without elements is.
func isDense(shape Shape, strides []int) bool {
	if shape.Len() == 0 {
		return true
	}
	n := 1
	for i := len(shape) - 1; i >= 0; i-- {
		if shape[i] != 1 && strides[i] != n {
			return false
		}
		n *= shape[i]
	}
	return true
}

// Words returns the elements of a contiguous tensor as unsigned words of their size, sharing memory, for code that
// moves elements without looking at them. It returns nil if the sizes differ or t is not contiguous.
func Words[W uint8 | uint16 | uint32 | uint64](t *Tensor) []W {
	size := int(unsafe.Sizeof(W(0)))
	if size != t.dtype.Size() {
		return nil
	}
	return unsafe.Slice((*W)(unsafe.Pointer(unsafe.SliceData(t.whole))), len(t.whole)/size)
}
