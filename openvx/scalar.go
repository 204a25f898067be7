package openvx

import (
	"encoding/binary"
	"math"
	"reflect"
	"slices"
)

// Scalar is a single value: a number, an enumeration, or a structure (vx_scalar). The bytes are those of C on a 64-bit little-endian
// machine.
type Scalar struct {
	object
	dtype   Type
	data    []byte
	version uint64 // another one after each write
	virtual bool
}

// numberTypes are the scalar types that are numbers or the like, with their sizes in bytes and the Go types of their values.
var numberTypes = map[Type]struct {
	size int
	kind reflect.Type
}{
	TypeChar:    {1, reflect.TypeFor[byte]()},
	TypeInt8:    {1, reflect.TypeFor[int8]()},
	TypeUint8:   {1, reflect.TypeFor[uint8]()},
	TypeInt16:   {2, reflect.TypeFor[int16]()},
	TypeUint16:  {2, reflect.TypeFor[uint16]()},
	TypeInt32:   {4, reflect.TypeFor[int32]()},
	TypeUint32:  {4, reflect.TypeFor[uint32]()},
	TypeInt64:   {8, reflect.TypeFor[int64]()},
	TypeUint64:  {8, reflect.TypeFor[uint64]()},
	TypeFloat16: {2, reflect.TypeFor[uint16]()}, // its bits
	TypeFloat32: {4, reflect.TypeFor[float32]()},
	TypeFloat64: {8, reflect.TypeFor[float64]()},
	TypeEnum:    {4, reflect.TypeFor[Enum]()},
	TypeSize:    {8, reflect.TypeFor[int]()},
	TypeDFImage: {4, reflect.TypeFor[ImageFormat]()},
	TypeBool:    {4, reflect.TypeFor[bool]()},
}

// structTypes are the sizes of the standard's structures, and how the values of those that layers take are read and written.
var structTypes = map[Type]struct {
	size int
	get  func(b []byte) any
	put  func(b []byte, v any) bool
}{
	TypeRectangle:     {size: 16},
	TypeKeypoint:      {size: 28},
	TypeCoordinates2d: {size: 8}, TypeCoordinates3d: {size: 12}, TypeCoordinates2df: {size: 8},
	TypeLine2d: {size: 16}, TypeHogParams: {size: 40}, TypeHoughLinesParams: {size: 28},
	TypeNNConvolutionParams: {48, func(b []byte) any {
		return ConvolutionParams{size(b), size(b[8:]), ConvertPolicy(word(b[16:])), RoundPolicy(word(b[20:])),
			SizeRounding(word(b[24:])), size(b[32:]), size(b[40:])}
	}, func(b []byte, v any) bool {
		p, ok := v.(ConvolutionParams)
		putSizes(b, p.PaddingX, p.PaddingY)
		putWords(b[16:], int32(p.OverflowPolicy), int32(p.RoundingPolicy), int32(p.DownScaleSize))
		putSizes(b[32:], p.DilationX, p.DilationY)
		return ok
	}},
	TypeNNDeconvolutionParams: {40, func(b []byte) any {
		return DeconvolutionParams{size(b), size(b[8:]), ConvertPolicy(word(b[16:])), RoundPolicy(word(b[20:])), size(b[24:]), size(b[32:])}
	}, func(b []byte, v any) bool {
		p, ok := v.(DeconvolutionParams)
		putSizes(b, p.PaddingX, p.PaddingY)
		putWords(b[16:], int32(p.OverflowPolicy), int32(p.RoundingPolicy))
		putSizes(b[24:], p.AX, p.AY)
		return ok
	}},
	TypeNNROIPoolParams: {4, func(b []byte) any { return ROIPoolParams{Pooling(word(b))} }, func(b []byte, v any) bool {
		p, ok := v.(ROIPoolParams)
		putWords(b, int32(p.PoolType))
		return ok
	}},
	TypeTensorMatrixMultiplyParams: {12, func(b []byte) any {
		return MatrixMultiplyParams{word(b) != 0, word(b[4:]) != 0, word(b[8:]) != 0}
	}, func(b []byte, v any) bool {
		p, ok := v.(MatrixMultiplyParams)
		for i, on := range []bool{p.TransposeA, p.TransposeB, p.TransposeC} {
			putBool(b[4*i:], on)
		}
		return ok
	}},
}

func word(b []byte) int32 { return int32(binary.LittleEndian.Uint32(b)) }

// size reads a vx_size. What an int cannot hold becomes −1, which nothing accepts.
func size(b []byte) int {
	n := binary.LittleEndian.Uint64(b)
	if n > math.MaxInt {
		return -1
	}
	return int(n)
}

func putWords(b []byte, values ...int32) {
	for i, v := range values {
		binary.LittleEndian.PutUint32(b[4*i:], uint32(v))
	}
}

func putSizes(b []byte, values ...int) {
	for i, v := range values {
		binary.LittleEndian.PutUint64(b[8*i:], uint64(v))
	}
}

func putBool(b []byte, v bool) {
	if v {
		putWords(b, 1)
	} else {
		putWords(b, 0)
	}
}

// SizeOf returns how many bytes a value of the type has in C, in a scalar or as an element of a tensor. It is 0 if there is no such type.
func (c *Context) SizeOf(t Type) int { return query(&c.object, func() int { return c.scalarSize(t) }) }

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

// CreateScalar makes a scalar of a type (vxCreateScalar): a number, an enumeration, a bool, or the parameters of a layer; the value is
// what [Scalar.Value] would return, any Go number that fits, or nil for zeros. A type that is none of these is ErrorInvalidType, a value
// that it cannot have ErrorInvalidValue.
func (c *Context) CreateScalar(kind Type, value any) (*Scalar, error) {
	return create(c, c, "Context.CreateScalar", func() (*Scalar, error) {
		n := c.scalarSize(kind)
		if n == 0 {
			return nil, failed(ErrorInvalidType, "%s is not the type of a scalar", kind)
		}
		data := make([]byte, n)
		if value != nil {
			if err := encode(data, kind, value); err != nil {
				return nil, err
			}
		}
		return c.newScalar(nil, kind, data), nil
	})
}

// CreateScalarBytes makes a scalar with the bytes of its value in C (vxCreateScalarWithSize); nil is zeros, and what exceeds the size of
// the type is ignored. Fewer bytes are ErrorInvalidParameters, a type that no scalar has ErrorInvalidType.
func (c *Context) CreateScalarBytes(kind Type, data []byte) (*Scalar, error) {
	return create(c, c, "Context.CreateScalarBytes", func() (*Scalar, error) {
		n := c.scalarSize(kind)
		switch {
		case n == 0:
			return nil, failed(ErrorInvalidType, "%s is not the type of a scalar", kind)
		case data == nil:
			data = make([]byte, n)
		case len(data) < n:
			return nil, failed(ErrorInvalidParameters, "%d bytes are given for %s, which has %d", len(data), kind, n)
		}
		return c.newScalar(nil, kind, slices.Clone(data[:n])), nil
	})
}

// CreateVirtualScalar makes a scalar that only nodes of the graph can access (vxCreateVirtualScalar).
func (g *Graph) CreateVirtualScalar(kind Type) (*Scalar, error) {
	return create(g.ctx, g, "Graph.CreateVirtualScalar", func() (*Scalar, error) {
		n := g.ctx.scalarSize(kind)
		if n == 0 {
			return nil, failed(ErrorInvalidType, "%s is not the type of a scalar", kind)
		}
		return g.ctx.newScalar(g, kind, make([]byte, n)), nil
	})
}

// newScalar makes a scalar of checked data, a virtual one if there is a scope. The caller holds the lock.
func (c *Context) newScalar(scope *Graph, kind Type, data []byte) *Scalar {
	s := &Scalar{dtype: kind, data: data, version: c.number(), virtual: scope != nil}
	c.register(&s.object, s, TypeScalar)
	s.scope = scope
	return s
}

// Kind returns the type of the value (VX_SCALAR_TYPE).
func (s *Scalar) Kind() Type { return s.dtype }

// Size returns the bytes of the value in C.
func (s *Scalar) Size() int { return query(&s.object, func() int { return len(s.data) }) }

// Virtual reports whether only nodes of one graph can access the value.
func (s *Scalar) Virtual() bool { return s.virtual }

// Value returns the value: the Go number of the type's width, byte for TypeChar, int for TypeSize, bool for TypeBool, Enum for TypeEnum,
// ImageFormat for TypeDFImage, the bits as uint16 for TypeFloat16, a structure such as ConvolutionParams for its type, and the bytes of
// any other. It is nil if the scalar is virtual or gone.
func (s *Scalar) Value() any {
	return query(&s.object, func() any {
		if s.visible() != nil {
			return nil
		}
		return s.value()
	})
}

// value is Value with the lock held, for virtual scalars too.
func (s *Scalar) value() any {
	if s.dtype == TypeSize {
		return size(s.data)
	}
	if kind, ok := numberTypes[s.dtype]; ok {
		var bits [8]byte
		copy(bits[:], s.data)
		v, u := reflect.New(kind.kind).Elem(), binary.LittleEndian.Uint64(bits[:])
		switch shift := 64 - 8*kind.size; {
		case v.CanInt():
			v.SetInt(int64(u<<shift) >> shift)
		case v.CanUint():
			v.SetUint(u)
		case s.dtype == TypeFloat32:
			v.SetFloat(float64(math.Float32frombits(uint32(u))))
		case s.dtype == TypeFloat64:
			v.SetFloat(math.Float64frombits(u))
		default:
			v.SetBool(u != 0)
		}
		return v.Interface()
	}
	if get := structTypes[s.dtype].get; get != nil {
		return get(s.data)
	}
	return slices.Clone(s.data)
}

// Set changes the value; see [Context.CreateScalar] for what it may be. A virtual scalar is ErrorOptimizedAway.
func (s *Scalar) Set(value any) error {
	return s.ctx.do(s, "Scalar.Set", func() error {
		if err := s.visible(); err != nil {
			return err
		}
		data := make([]byte, len(s.data))
		if err := encode(data, s.dtype, value); err != nil {
			return err
		}
		s.data, s.version = data, s.ctx.number()
		return nil
	})
}

// Copy copies the value's bytes in C from the scalar, for ReadOnly, or into it, for WriteOnly (vxCopyScalar, vxCopyScalarWithSize). Fewer
// bytes than Size, or another usage, are ErrorInvalidParameters; a virtual scalar is ErrorOptimizedAway.
func (s *Scalar) Copy(data []byte, u Usage) error {
	return s.ctx.do(s, "Scalar.Copy", func() error {
		if err := s.visible(); err != nil {
			return err
		}
		if err := transfer(s.data, data, u, "scalar"); err != nil {
			return err
		}
		if u == WriteOnly {
			s.version = s.ctx.number()
		}
		return nil
	})
}

// transfer copies all bytes of an object to the application, or from it.
func transfer(own, user []byte, u Usage, of string) error {
	if err := u.checkCopy(); err != nil {
		return err
	}
	switch {
	case len(user) < len(own):
		return failed(ErrorInvalidParameters, "%d bytes are given for the %d of the %s", len(user), len(own), of)
	case u == ReadOnly:
		copy(user, own)
	default:
		copy(own, user)
	}
	return nil
}

// encode writes a value of the type as C's bytes.
func encode(b []byte, kind Type, value any) error {
	if n, ok := numberTypes[kind]; ok {
		return encodeNumber(b, kind, n.kind, value)
	}
	if put := structTypes[kind].put; put != nil {
		if put(b, value) {
			return nil
		}
		return failed(ErrorInvalidValue, "a %T cannot be the value of %s", value, kind)
	}
	data, ok := value.([]byte)
	if !ok || len(data) != len(b) {
		return failed(ErrorInvalidValue, "the value of %s must be a []byte of length %d", kind, len(b))
	}
	copy(b, data)
	return nil
}

// encodeNumber writes a number, an enumeration or a bool. Numbers of other Go types are converted if the value remains the same.
func encodeNumber(b []byte, kind Type, as reflect.Type, value any) error {
	from, to := reflect.ValueOf(value), reflect.New(as).Elem()
	ok := false
	var bits uint64
	switch {
	case to.Kind() == reflect.Bool:
		if ok = from.Kind() == reflect.Bool; ok && from.Bool() {
			bits = 1
		}
	case to.CanFloat() && from.CanFloat():
		if ok = true; kind == TypeFloat32 {
			bits = uint64(math.Float32bits(float32(from.Float())))
		} else {
			bits = math.Float64bits(from.Float())
		}
	case to.CanInt() && from.CanInt():
		ok, bits = !to.OverflowInt(from.Int()), uint64(from.Int())
	case to.CanInt() && from.CanUint():
		ok, bits = from.Uint() <= math.MaxInt64 && !to.OverflowInt(int64(from.Uint())), from.Uint()
	case to.CanUint() && from.CanInt():
		ok, bits = from.Int() >= 0 && !to.OverflowUint(uint64(from.Int())), uint64(from.Int())
	case to.CanUint() && from.CanUint():
		ok, bits = !to.OverflowUint(from.Uint()), from.Uint()
	}
	if !ok || kind == TypeSize && int64(bits) < 0 {
		return failed(ErrorInvalidValue, "the %T %v cannot be a value of %s", value, value, kind)
	}
	var bytes [8]byte
	binary.LittleEndian.PutUint64(bytes[:], bits)
	copy(b, bytes[:len(b)])
	return nil
}
