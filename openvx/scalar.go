package openvx

import (
	"encoding/binary"
	"math"
	"reflect"
	"slices"

	"github.com/concord-nn/concord/tensor"
)

// Scalar is a single value: a number, an enumeration, or a structure (vx_scalar). The bytes are those of C on a 64-bit little-endian
// machine.
type Scalar struct {
	object
	dtype   Type
	data    []byte
	version uint64 // another one after each write
}

// numberTypes are the types of scalars and of elements that are numbers or the like.
var numberTypes = map[Type]struct {
	size    int          // bytes
	kind    reflect.Type // of a scalar's value in Go
	element tensor.DType // what an element of a tensor is in memory; Invalid if there are none
}{
	TypeChar:    {1, reflect.TypeFor[byte](), tensor.Invalid},
	TypeInt8:    {1, reflect.TypeFor[int8](), tensor.Int8},
	TypeUint8:   {1, reflect.TypeFor[uint8](), tensor.Uint8},
	TypeInt16:   {2, reflect.TypeFor[int16](), tensor.Int16},
	TypeUint16:  {2, reflect.TypeFor[uint16](), tensor.Uint16},
	TypeInt32:   {4, reflect.TypeFor[int32](), tensor.Int32},
	TypeUint32:  {4, reflect.TypeFor[uint32](), tensor.Uint32},
	TypeInt64:   {8, reflect.TypeFor[int64](), tensor.Int64},
	TypeUint64:  {8, reflect.TypeFor[uint64](), tensor.Uint64},
	TypeFloat16: {2, reflect.TypeFor[uint16](), tensor.Float16}, // its bits
	TypeFloat32: {4, reflect.TypeFor[float32](), tensor.Float32},
	TypeFloat64: {8, reflect.TypeFor[float64](), tensor.Invalid},
	TypeEnum:    {4, reflect.TypeFor[Enum](), tensor.Invalid},
	TypeSize:    {8, reflect.TypeFor[int](), tensor.Invalid},
	TypeDFImage: {4, reflect.TypeFor[ImageFormat](), tensor.Invalid},
	TypeBool:    {4, reflect.TypeFor[bool](), tensor.Int32}, // vx_bool: 0 or 1
}

// structType is a structure of the standard.
type structType struct {
	size int
	kind reflect.Type // in Go, of those that layers take; nil for bytes
}

// fields calls f with the fields of a structure and their bytes: as in C, a size has 8 of them and begins at a multiple of 8, and
// enumerations and bools have 4.
func fields(v reflect.Value, b []byte, f func(v reflect.Value, b []byte)) {
	at := 0
	for i := range v.NumField() {
		n := 4
		if v.Field(i).Kind() == reflect.Int {
			n = 8
			at = (at + 7) &^ 7
		}
		f(v.Field(i), b[at:at+n])
		at += n
	}
}

// put writes v, which is of one of the kinds of numberTypes, to all of b.
func put(v reflect.Value, b []byte) {
	var bits uint64
	switch {
	case v.CanInt():
		bits = uint64(v.Int())
	case v.CanUint():
		bits = v.Uint()
	case v.Kind() == reflect.Float32:
		bits = uint64(math.Float32bits(float32(v.Float())))
	case v.Kind() == reflect.Float64:
		bits = math.Float64bits(v.Float())
	case v.Bool():
		bits = 1
	}
	var bytes [8]byte
	binary.LittleEndian.PutUint64(bytes[:], bits)
	copy(b, bytes[:])
}

// take sets v to what put writes to b. A size that an int cannot hold becomes −1, which nothing accepts.
func take(v reflect.Value, b []byte) {
	var bytes [8]byte
	copy(bytes[:], b)
	bits := binary.LittleEndian.Uint64(bytes[:])
	switch shift := 64 - 8*len(b); v.Kind() {
	case reflect.Int:
		if bits > math.MaxInt {
			bits = math.MaxUint64
		}
		v.SetInt(int64(bits))
	case reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(int64(bits<<shift) >> shift)
	case reflect.Float32:
		v.SetFloat(float64(math.Float32frombits(uint32(bits))))
	case reflect.Float64:
		v.SetFloat(math.Float64frombits(bits))
	case reflect.Bool:
		v.SetBool(bits != 0)
	default:
		v.SetUint(bits)
	}
}

// SizeOf returns how many bytes a value of the type has in C, in a scalar or as an element of a tensor. It is 0 if there is no such type.
func (c *Context) SizeOf(t Type) int { return query(c, func() int { return c.scalarSize(t) }) }

// scalarSize returns the bytes of a scalar of the type: of a number, a structure of the standard or one of the application. It is 0 if
// there is no such type.
func (c *Context) scalarSize(t Type) int {
	if n, ok := numberTypes[t]; ok {
		return n.size
	}
	if s, ok := structTypes[t]; ok {
		return s.size
	}
	s, _ := c.structOf(t)
	return s.size
}

// zeros returns the bytes of a value of the type.
func (c *Context) zeros(kind Type) []byte {
	n := c.scalarSize(kind)
	if n == 0 {
		refuse(ErrorInvalidType, "%s is not the type of a scalar", kind)
	}
	return make([]byte, n)
}

// CreateScalar makes a scalar of a type (vxCreateScalar): a number, an enumeration, a bool, or the parameters of a layer; the value is
// what [Scalar.Value] would return, any Go number that fits, or nil for zeros. A type that is none of these is ErrorInvalidType, a value
// that it cannot have ErrorInvalidValue.
func (c *Context) CreateScalar(kind Type, value any) (*Scalar, error) {
	return create(c, ".CreateScalar", func() *Scalar {
		data := c.zeros(kind)
		if value != nil {
			encode(data, kind, value)
		}
		return c.newScalar(nil, kind, data)
	})
}

// CreateScalarBytes makes a scalar with the bytes of its value in C (vxCreateScalarWithSize); nil is zeros, and what exceeds the size of
// the type is ignored. Fewer bytes are ErrorInvalidParameters, a type that no scalar has ErrorInvalidType.
func (c *Context) CreateScalarBytes(kind Type, data []byte) (*Scalar, error) {
	return create(c, ".CreateScalarBytes", func() *Scalar {
		own := c.zeros(kind)
		if data != nil && len(data) < len(own) {
			refuse(ErrorInvalidParameters, "%d bytes are given for %s, which has %d", len(data), kind, len(own))
		}
		copy(own, data)
		return c.newScalar(nil, kind, own)
	})
}

// CreateVirtualScalar makes a scalar that only nodes of the graph can access (vxCreateVirtualScalar).
func (g *Graph) CreateVirtualScalar(kind Type) (*Scalar, error) {
	return create(g, ".CreateVirtualScalar", func() *Scalar {
		return g.ctx.newScalar(g, kind, g.ctx.zeros(kind))
	})
}

// newScalar makes a scalar of checked data, a virtual one if there is a scope. The caller holds the lock.
func (c *Context) newScalar(scope *Graph, kind Type, data []byte) *Scalar {
	s := &Scalar{object: object{scope: scope}, dtype: kind, data: data, version: c.number()}
	c.register(&s.object, s, TypeScalar)
	return s
}

// Value returns the value: the Go number of the type's width, byte for TypeChar, int for TypeSize, bool for TypeBool, Enum for TypeEnum,
// ImageFormat for TypeDFImage, the bits as uint16 for TypeFloat16, a structure such as ConvolutionParams for its type, and the bytes of
// any other. It is nil if the scalar is virtual or gone.
func (s *Scalar) Value() any {
	return query(s, func() any {
		if s.hidden() {
			return nil
		}
		return s.value()
	})
}

// value is Value with the lock held, for virtual scalars too.
func (s *Scalar) value() any {
	if n, ok := numberTypes[s.dtype]; ok {
		v := reflect.New(n.kind).Elem()
		take(v, s.data)
		return v.Interface()
	}
	if kind := structTypes[s.dtype].kind; kind != nil {
		v := reflect.New(kind).Elem()
		fields(v, s.data, take)
		return v.Interface()
	}
	return slices.Clone(s.data)
}

// Set changes the value; see [Context.CreateScalar] for what it may be. A virtual scalar is ErrorOptimizedAway.
func (s *Scalar) Set(value any) error {
	return do(s, ".Set", func() {
		s.checkVisible()
		data := make([]byte, len(s.data))
		encode(data, s.dtype, value)
		s.data, s.version = data, s.ctx.number()
	})
}

// Copy copies the value's bytes in C from the scalar, for ReadOnly, or into it, for WriteOnly (vxCopyScalar, vxCopyScalarWithSize). Fewer
// bytes than Size, or another usage, are ErrorInvalidParameters; a virtual scalar is ErrorOptimizedAway.
func (s *Scalar) Copy(data []byte, u Usage) error {
	return do(s, ".Copy", func() {
		s.checkVisible()
		transfer(s.data, data, u, "scalar")
		if u == WriteOnly {
			s.version = s.ctx.number()
		}
	})
}

// transfer copies all bytes of an object to the application, or from it.
func transfer(own, user []byte, u Usage, of string) {
	u.checkCopy()
	switch {
	case len(user) < len(own):
		refuse(ErrorInvalidParameters, "%d bytes are given for the %d of the %s", len(user), len(own), of)
	case u == ReadOnly:
		copy(user, own)
	default:
		copy(own, user)
	}
}

// encode writes a value of the type as C's bytes.
func encode(b []byte, kind Type, value any) {
	if n, ok := numberTypes[kind]; ok {
		encodeNumber(b, kind, n.kind, value)
		return
	}
	if as := structTypes[kind].kind; as != nil {
		v := reflect.ValueOf(value)
		if !v.IsValid() || v.Type() != as {
			refuse(ErrorInvalidValue, "a %T cannot be the value of %s", value, kind)
		}
		clear(b)
		fields(v, b, put)
		return
	}
	data, ok := value.([]byte)
	if !ok || len(data) != len(b) {
		refuse(ErrorInvalidValue, "the value of %s must be a []byte of length %d", kind, len(b))
	}
	copy(b, data)
}

// encodeNumber writes a number, an enumeration or a bool. Numbers of other Go types are converted if the value remains the same.
func encodeNumber(b []byte, kind Type, as reflect.Type, value any) {
	from, to := reflect.ValueOf(value), reflect.New(as).Elem()
	fits := false
	switch {
	case to.CanFloat():
		fits = from.CanFloat()
	case to.Kind() == reflect.Bool:
		fits = from.Kind() == reflect.Bool
	case from.CanInt():
		n := from.Int()
		fits = to.CanInt() && !to.OverflowInt(n) || to.CanUint() && n >= 0 && !to.OverflowUint(uint64(n))
	case from.CanUint():
		n := from.Uint()
		fits = to.CanUint() && !to.OverflowUint(n) || to.CanInt() && n <= math.MaxInt64 && !to.OverflowInt(int64(n))
	}
	if !fits || kind == TypeSize && from.Convert(as).Int() < 0 {
		refuse(ErrorInvalidValue, "the %T %v cannot be a value of %s", value, value, kind)
	}
	put(from.Convert(as), b)
}
