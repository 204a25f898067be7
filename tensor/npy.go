package tensor

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/concord-nn/concord/internal/limits"
)

var errNoReader = &FormatError{Offset: -1, Msg: "there is nothing to read from: the reader is nil"}

// npyMagic begins every .npy file; the version follows.
const npyMagic = "\x93NUMPY"

// npyTypes maps the element types of .npy files, without the byte order, to ours.
var npyTypes = map[string]DType{
	"b1": Bool, "i1": Int8, "i2": Int16, "i4": Int32, "i8": Int64, "u1": Uint8, "u2": Uint16, "u4": Uint32, "u8": Uint64,
	"f2": Float16, "f4": Float32, "f8": Float64, "V2": BFloat16,
}

// ReadNPY reads one array in NumPy's .npy format, version 1.0, 2.0 or 3.0, as a contiguous tensor. It reads up to the
// end of the array and no further, so that several arrays may follow one another.
//
// Both byte orders, row-major (C) and column-major (Fortran) order are read. A void type of two bytes ("V2"), which is
// what NumPy's bfloat16 extension is stored as, is read as bfloat16. Other types are refused. All errors are of type
// [*FormatError].
func ReadNPY(r io.Reader, limits Limits) (*Tensor, error) {
	if r == nil {
		return nil, errNoReader
	}
	n := npyReader{r: r, limits: limits.withDefaults(), size: math.MaxInt64}
	if f, ok := r.(*os.File); ok {
		n.size, n.sure = rest(f)
	}
	return n.read()
}

// NPYOf is [ReadNPY] for an array in memory, of which the tensor shares the elements where they are row-major and in the machine's byte order.
// What stands behind the array is not looked at.
func NPYOf(data []byte, limits Limits) (*Tensor, error) {
	n := npyReader{data: data, limits: limits.withDefaults(), size: int64(len(data))}
	return n.read()
}

// rest returns how many bytes there are to be read of a regular file.
func rest(f *os.File) (int64, bool) {
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return math.MaxInt64, false
	}
	at, err := f.Seek(0, io.SeekCurrent)
	if err != nil {
		return math.MaxInt64, false
	}
	return info.Size() - at, true
}

// npyReader reads one array.
type npyReader struct {
	r      io.Reader
	data   []byte // instead of r
	limits Limits
	size   int64 // of all the data, as far as is known
	sure   bool  // the data are really there
	at     int64 // the bytes read so far
}

// npyHeader is what the text before the elements says.
type npyHeader struct {
	order   byte   // '<', '>' or '|'
	code    string // the type without the order
	fortran bool
	shape   Shape
}

func (n *npyReader) read() (*Tensor, error) {
	text, err := n.headerText()
	if err != nil {
		return nil, err
	}
	h, err := parseNPYHeader(text, n.at-int64(len(text)))
	if err != nil {
		return nil, err
	}
	return n.elements(h)
}

// fail returns an error at the present offset.
func (n *npyReader) fail(cause error, format string, args ...any) error {
	return &FormatError{Offset: n.at, Msg: fmt.Sprintf(format, args...), Err: cause}
}

// headerText reads up to the first element and returns the text of the header.
func (n *npyReader) headerText() (string, error) {
	prefix, err := n.bytes(8, "the magic number and version")
	if err != nil {
		return "", err
	}
	if string(prefix[:6]) != npyMagic {
		n.at = 0
		return "", n.fail(nil, `the data begins with %q; an array begins with %q`, prefix[:6], npyMagic)
	}
	var length int64
	switch major, minor := prefix[6], prefix[7]; {
	case major == 1 && minor == 0:
		b, err := n.bytes(2, "the length of the header")
		if err != nil {
			return "", err
		}
		length = int64(binary.LittleEndian.Uint16(b))
	case (major == 2 || major == 3) && minor == 0:
		b, err := n.bytes(4, "the length of the header")
		if err != nil {
			return "", err
		}
		length = int64(binary.LittleEndian.Uint32(b))
	default:
		n.at = 6
		return "", n.fail(nil, "version %d.%d is unknown; it must be 1.0, 2.0 or 3.0", major, minor)
	}
	if length > n.limits.Header {
		return "", n.fail(ErrLimit, "the header has %d bytes; at most %d are allowed", length, n.limits.Header)
	}
	text, err := n.bytes(length, "the header")
	return string(text), err
}

// bytes reads exactly count bytes, and never holds much more than twice what is there.
func (n *npyReader) bytes(count int64, what string) ([]byte, error) {
	if count > n.size-n.at {
		return nil, n.fail(io.ErrUnexpectedEOF, "%s takes %d bytes; there are %d", what, count, n.size-n.at)
	}
	if n.data != nil {
		n.at += count
		return n.data[n.at-count : n.at : n.at], nil
	}
	var buf []byte
	step := int64(1 << 16)
	if n.sure {
		if step = count; !limits.Fits(count) {
			return nil, n.fail(ErrLimit, "%s takes %d bytes, more than there is memory for", what, count)
		}
	}
	for have := 0; int64(have) < count; have = len(buf) {
		grown := AlignedBytes(int(min(count, max(step, 2*int64(have)))))
		copy(grown, buf)
		buf = grown
		m, err := io.ReadFull(n.r, buf[have:])
		n.at += int64(m)
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return nil, n.fail(io.ErrUnexpectedEOF, "%s takes %d bytes; there are %d", what, count, have+m)
		}
		if err != nil {
			return nil, n.fail(err, "%s cannot be read", what)
		}
	}
	return buf, nil
}

// elements reads the elements and returns the tensor.
func (n *npyReader) elements(h npyHeader) (*Tensor, error) {
	dtype := npyTypes[h.code]
	width := dtype.Size()
	count := int64(h.shape.Len())
	if count > n.limits.Elements {
		return nil, n.fail(ErrLimit, "shape %v has %d elements; at most %d are allowed", h.shape, count, n.limits.Elements)
	}
	if count > n.limits.Bytes/int64(width) || count > math.MaxInt/int64(width) {
		return nil, n.fail(ErrLimit, "%d elements of %d bytes are given; at most %d bytes are allowed", count, width, n.limits.Bytes)
	}
	begin := n.at
	data, err := n.bytes(count*int64(width), fmt.Sprintf("the array %q of shape %v", h.code, h.shape))
	if err != nil {
		return nil, err
	}
	if (h.order == '>') != bigEndian && width > 1 {
		if n.data != nil {
			data = append(AlignedBytes(0), data...)
		}
		swapBytes(data, width)
	}
	if dtype == Bool {
		if i := slices.IndexFunc(data, func(b byte) bool { return b > 1 }); i >= 0 {
			n.at = begin + int64(i)
			return nil, n.fail(nil, "a bool is %d; it must be 0 or 1", data[i])
		}
	}
	if !h.fortran {
		return FromBytes(dtype, h.shape, data)
	}
	// Column-major elements are row-major ones of the reversed shape.
	reversed := h.shape.Clone()
	slices.Reverse(reversed)
	t, err := wrap(dtype, reversed, data).Transpose()
	if err != nil {
		return nil, n.fail(err, "shape %v", h.shape)
	}
	return t.Contiguous(), nil
}

// bigEndian reports the byte order of this machine.
var bigEndian = binary.NativeEndian.Uint16([]byte{0, 1}) == 1

// swapBytes reverses the bytes of each element of the given width.
func swapBytes(data []byte, width int) {
	for i := 0; i < len(data); i += width {
		slices.Reverse(data[i : i+width])
	}
}

// WriteNPY writes a tensor in NumPy's .npy format, version 1.0, little-endian and row-major. The same tensor always
// gives the same bytes. bfloat16 is written as "<V2", as NumPy's bfloat16 extension does: NumPy without the extension
// shows two raw bytes for each element. The format has no types of less than a byte and no small floats, as which raw bytes could be any
// of five types: they are refused, [Cast] them before.
func WriteNPY(w io.Writer, t *Tensor) error {
	if missing(t) {
		return &FormatError{Offset: -1, Msg: "the array cannot be written", Err: errNoTensor}
	}
	if t.dtype.IsPacked() || t.dtype.IsSmallFloat() {
		return &FormatError{Offset: -1, Msg: fmt.Sprintf("the format has no type for %v; cast it to one that it has, such as %v", t.Describe(), npyStandIn(t.dtype))}
	}
	if _, err := w.Write(NPYHeader(npyDescr(t.dtype), t.shape)); err != nil {
		return &FormatError{Offset: -1, Msg: "the header cannot be written", Err: err}
	}
	data, width := t.Contiguous().Bytes(), t.dtype.Size()
	var buf []byte
	for len(data) > 0 {
		chunk := data
		if bigEndian && width > 1 {
			buf = append(buf[:0], data[:min(len(data), 1<<16)]...)
			swapBytes(buf, width)
			chunk = buf
		}
		if _, err := w.Write(chunk); err != nil {
			return &FormatError{Offset: -1, Msg: "the elements cannot be written", Err: err}
		}
		data = data[len(chunk):]
	}
	return nil
}

// npyDescr returns NumPy's name of a type of whole bytes, with the order of its bytes.
func npyDescr(d DType) string {
	order := "<"
	if d.Size() == 1 {
		order = "|"
	}
	return order + npyCode(d)
}

// NPYDescr returns the name that [NPYHeader] takes for an element type. It fails for types that the format does not have.
func NPYDescr(d DType) (string, error) {
	if d.IsPacked() || d.IsSmallFloat() || d.Size() == 0 {
		return "", &FormatError{Offset: -1, Msg: fmt.Sprintf("the format has no type for %v", d)}
	}
	return npyDescr(d), nil
}

// NPYHeader returns all that stands before the elements of an array in an .npy file, for those who write the elements themselves. The type is named
// as NumPy does, such as "<f4" or "|S20". The length is a multiple of 64.
func NPYHeader(descr string, shape Shape) []byte {
	items := make([]string, len(shape))
	for i, n := range shape {
		items[i] = strconv.Itoa(n)
	}
	extents := strings.Join(items, ", ")
	if len(items) == 1 {
		extents += ","
	}
	text := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", descr, extents)
	const before = len(npyMagic) + 2 + 2 // the magic number, the version and the length
	text += strings.Repeat(" ", (Alignment-(before+len(text)+1)%Alignment)%Alignment) + "\n"
	header := append([]byte(npyMagic), 1, 0)
	header = binary.LittleEndian.AppendUint16(header, uint16(len(text))) // the rank bounds it below 512
	return append(header, text...)
}

// npyStandIn returns the smallest type of .npy files that holds all numbers of d, a type that they do not have.
func npyStandIn(d DType) DType {
	switch {
	case d == Float8E8M0: // the least is subnormal
		return Float32
	case d.IsSmallFloat():
		return Float16
	case d.IsSigned():
		return Int8
	}
	return Uint8
}

// npyCode returns the type of .npy files that holds d.
func npyCode(d DType) string {
	size := strconv.Itoa(d.Size())
	switch {
	case d == Bool:
		return "b1"
	case d.IsSigned():
		return "i" + size
	case d.IsUnsigned():
		return "u" + size
	case d == BFloat16:
		return "V2"
	}
	return "f" + size
}
