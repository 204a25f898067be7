package wire

import (
	"math"
	"reflect"
	"slices"
	"strconv"
	"unsafe"
)

// table has the fields of a message, of which only the place in memory is known.
type table struct {
	Fields []field  // in the order of their numbers
	Size   int      // of a message in memory, with what points to it
	at     []*field // by number; nil where there is none
}

// field is a field of a message.
type field struct {
	Number int
	Name   string
	codec
}

// codec reads and writes the value of a field in the message at m.
type codec struct {
	Type    Type
	List    bool // of numbers, which may also stand packed together
	present func(m unsafe.Pointer) bool
	read    func(r *reader, m unsafe.Pointer, w Type) *Error
	after   func(m unsafe.Pointer) // what else reading the field changes, or nil
	write   func(w *writer, m unsafe.Pointer, number int)
}

// place returns the value at a place of a message.
func place[F any](m unsafe.Pointer, offset uintptr) *F { return (*F)(unsafe.Add(m, offset)) }

func (t *table) set(fields []field, size int) {
	*t = table{Fields: fields, Size: size}
	if len(fields) > 0 {
		t.at = make([]*field, fields[len(fields)-1].Number+1)
	}
	for i := range fields {
		t.at[fields[i].Number] = &fields[i]
	}
}

// decode reads fields up to the end of the message.
func (t *table) decode(r *reader, m unsafe.Pointer) *Error {
	for r.pos < r.end {
		at := r.pos
		number, w, err := r.tag()
		if err != nil {
			return err
		}
		var f *field
		if number < uint64(len(t.at)) {
			f = t.at[number]
		}
		switch {
		case f == nil:
			if err := r.skip(w); err != nil {
				return err
			}
			continue
		case w != f.Type && (!f.List || w != Lengthed):
			err := errorAt(at, "the field is encoded as %v; it must be %v", w, f.Type)
			err.Err = ErrType
			return err.below(f.Name)
		}
		if err := f.read(r, m, w); err != nil {
			return err.below(f.Name)
		}
		if f.after != nil {
			f.after(m)
		}
	}
	return nil
}

// encode writes the fields.
func (t *table) encode(w *writer, m unsafe.Pointer) {
	for i := range t.Fields {
		if f := &t.Fields[i]; f.present(m) {
			f.write(w, m, f.Number)
		}
	}
}

// one is a field with a message. A message that stands there twice is the fields of both.
func one(t *table, fresh func() unsafe.Pointer, offset uintptr) codec {
	return codec{
		Type:    Lengthed,
		present: func(m unsafe.Pointer) bool { return *place[unsafe.Pointer](m, offset) != nil },
		read: func(r *reader, m unsafe.Pointer, _ Type) *Error {
			p := place[unsafe.Pointer](m, offset)
			if *p == nil {
				*p = fresh()
			}
			return nested(r, t, *p)
		},
		write: func(w *writer, m unsafe.Pointer, number int) { put(w, number, t, *place[unsafe.Pointer](m, offset)) },
	}
}

// many is a field with messages.
func many(t *table, fresh func() unsafe.Pointer, offset uintptr) codec {
	return codec{
		Type:    Lengthed,
		present: func(m unsafe.Pointer) bool { return len(*place[[]unsafe.Pointer](m, offset)) > 0 },
		read: func(r *reader, m unsafe.Pointer, _ Type) *Error {
			p, e := place[[]unsafe.Pointer](m, offset), fresh()
			*p = append(*p, e)
			if err := nested(r, t, e); err != nil {
				return err.below("[" + strconv.Itoa(len(*p)-1) + "]")
			}
			return nil
		},
		write: func(w *writer, m unsafe.Pointer, number int) {
			for _, e := range *place[[]unsafe.Pointer](m, offset) {
				put(w, number, t, e)
			}
		},
	}
}

// nested reads a message in another one.
func nested(r *reader, t *table, m unsafe.Pointer) *Error {
	end, err := r.enter()
	if err == nil {
		err = r.spend(t.Size)
	}
	if err == nil {
		err = t.decode(r, m)
	}
	if err == nil {
		r.leave(end)
	}
	return err
}

// put writes a message in another one; nil is one without fields.
func put(w *writer, number int, t *table, m unsafe.Pointer) {
	w.tag(number, Lengthed)
	mark := w.begin()
	if m != nil {
		t.encode(w, m)
	}
	w.end(mark)
}

// text is a field with a string.
func text(offset uintptr) codec {
	return codec{
		Type:    Lengthed,
		present: func(m unsafe.Pointer) bool { return *place[string](m, offset) != "" },
		read: func(r *reader, m unsafe.Pointer, _ Type) *Error {
			b, err := r.bytes()
			if err == nil {
				*place[string](m, offset), err = r.text(b)
			}
			return err
		},
		write: func(w *writer, m unsafe.Pointer, number int) { putText(w, number, *place[string](m, offset)) },
	}
}

// texts is a field with strings.
func texts(offset uintptr) codec {
	size := int(reflect.TypeFor[string]().Size())
	return codec{
		Type:    Lengthed,
		present: func(m unsafe.Pointer) bool { return len(*place[[]string](m, offset)) > 0 },
		read: func(r *reader, m unsafe.Pointer, _ Type) *Error {
			b, err := r.bytes()
			if err == nil {
				err = r.spend(size)
			}
			if err == nil {
				var s string
				s, err = r.text(b)
				p := place[[]string](m, offset)
				*p = append(*p, s)
			}
			return err
		},
		write: func(w *writer, m unsafe.Pointer, number int) {
			for _, s := range *place[[]string](m, offset) {
				putText(w, number, s)
			}
		},
	}
}

func putText(w *writer, number int, s string) {
	w.tag(number, Lengthed)
	mark := w.begin()
	w.string(s)
	w.end(mark)
}

// data is a field with bytes that stay where they are.
func data(offset uintptr) codec {
	return codec{
		Type:    Lengthed,
		present: func(m unsafe.Pointer) bool { return *place[[]byte](m, offset) != nil },
		read: func(r *reader, m unsafe.Pointer, _ Type) (err *Error) {
			*place[[]byte](m, offset), err = r.bytes()
			return err
		},
		write: func(w *writer, m unsafe.Pointer, number int) {
			w.tag(number, Lengthed)
			mark := w.begin()
			w.bytes(*place[[]byte](m, offset))
			w.end(mark)
		},
	}
}

// datas is a field with any number of bytes that stay where they are.
func datas(offset uintptr) codec {
	size := int(reflect.TypeFor[[]byte]().Size())
	return codec{
		Type:    Lengthed,
		present: func(m unsafe.Pointer) bool { return len(*place[[][]byte](m, offset)) > 0 },
		read: func(r *reader, m unsafe.Pointer, _ Type) *Error {
			b, err := r.bytes()
			if err == nil {
				err = r.spend(size)
			}
			if err == nil {
				p := place[[][]byte](m, offset)
				*p = append(*p, b)
			}
			return err
		},
		write: func(w *writer, m unsafe.Pointer, number int) {
			for _, b := range *place[[][]byte](m, offset) {
				w.tag(number, Lengthed)
				mark := w.begin()
				w.bytes(b)
				w.end(mark)
			}
		},
	}
}

// Scalar is a type of numbers: how it is encoded, and its bits there.
type Scalar[T any] struct {
	wire Type
	Bits func(T) uint64
	from func(uint64) T
	view func(b []byte) []T // the numbers that stand together in bytes, without copying them where that is possible; nil for others
}

// Narrow is the type for int32 and for enumerations, of which protobuf keeps the low 32 bits.
func Narrow[T ~int32]() Scalar[T] {
	return Scalar[T]{Varint, func(v T) uint64 { return uint64(int64(v)) }, func(b uint64) T { return T(int32(b)) }, nil}
}

// The types of numbers.
var (
	Bool = Scalar[bool]{Varint, func(v bool) uint64 {
		if v {
			return 1
		}
		return 0
	}, func(b uint64) bool { return b != 0 }, nil}
	Narrowed = Scalar[uint32]{Varint, func(v uint32) uint64 { return uint64(v) }, func(b uint64) uint32 { return uint32(b) }, nil} // the low 32 bits
	Signed   = Scalar[int64]{Varint, func(v int64) uint64 { return uint64(v) }, func(b uint64) int64 { return int64(b) }, nil}
	Unsigned = Scalar[uint64]{Varint, func(v uint64) uint64 { return v }, func(b uint64) uint64 { return b }, nil}
	Single   = Scalar[float32]{Fixed32, func(v float32) uint64 { return uint64(math.Float32bits(v)) },
		func(b uint64) float32 { return math.Float32frombits(uint32(b)) }, nil}
	Double = Scalar[float64]{Fixed64, math.Float64bits, math.Float64frombits, nil}
)

// number is a field with a number.
func (s Scalar[T]) number(offset uintptr) codec {
	return codec{
		Type:    s.wire,
		present: func(m unsafe.Pointer) bool { return s.Bits(*place[T](m, offset)) != 0 },
		read: func(r *reader, m unsafe.Pointer, w Type) *Error {
			b, err := r.word(w)
			*place[T](m, offset) = s.from(b)
			return err
		},
		write: func(w *writer, m unsafe.Pointer, number int) {
			w.tag(number, s.wire)
			w.word(s.wire, s.Bits(*place[T](m, offset)))
		},
	}
}

// numbers is a field with numbers, written one by one.
func (s Scalar[T]) numbers(offset uintptr) codec {
	size := int(reflect.TypeFor[T]().Size())
	return codec{
		Type:    s.wire,
		List:    true,
		present: func(m unsafe.Pointer) bool { return len(*place[[]T](m, offset)) > 0 },
		read: func(r *reader, m unsafe.Pointer, w Type) *Error {
			if w == Lengthed {
				return s.unpack(r, place[[]T](m, offset))
			}
			at := r.pos
			b, err := r.word(w)
			if err == nil {
				err = r.spend(size - (r.pos - at))
			}
			if err == nil {
				p := place[[]T](m, offset)
				*p = append(*p, s.from(b))
			}
			return err
		},
		write: func(w *writer, m unsafe.Pointer, number int) {
			for _, v := range *place[[]T](m, offset) {
				w.tag(number, s.wire)
				w.word(s.wire, s.Bits(v))
			}
		},
	}
}

// packed is a field with numbers, written together.
func (s Scalar[T]) packed(offset uintptr) codec {
	c := s.numbers(offset)
	c.write = func(w *writer, m unsafe.Pointer, number int) {
		w.tag(number, Lengthed)
		mark := w.begin()
		for _, v := range *place[[]T](m, offset) {
			w.word(s.wire, s.Bits(v))
		}
		w.end(mark)
	}
	return c
}

// unpack reads numbers that stand together.
func (s Scalar[T]) unpack(r *reader, p *[]T) *Error {
	b, err := r.bytes()
	if err != nil {
		return err
	}
	n, size := len(b), int(reflect.TypeFor[T]().Size())
	if s.wire == Varint {
		n = 0
		for _, c := range b {
			n += int(^c >> 7) // the last byte of a number has no high bit
		}
	} else if n /= size; n*size != len(b) {
		return errorAt(r.pos-len(b), "%d bytes cannot be divided into numbers of %d", len(b), size)
	}
	if err := r.spend(n*size - len(b)); err != nil {
		return err
	}
	if s.view != nil && len(*p) == 0 {
		*p = s.view(b)
		return nil
	}
	*p = slices.Grow(*p, n)
	end := r.end
	r.pos, r.end = r.pos-len(b), r.pos
	for r.pos < r.end {
		v, err := r.word(s.wire)
		if err != nil {
			return err
		}
		*p = append(*p, s.from(v))
	}
	r.end = end
	return nil
}

// choice is a field with a number that is one of several alternatives.
func (s Scalar[T]) choice(offset uintptr) codec {
	return codec{
		Type: s.wire,
		present: func(m unsafe.Pointer) bool {
			_, ok := (*place[any](m, offset)).(T)
			return ok
		},
		read: func(r *reader, m unsafe.Pointer, w Type) *Error {
			b, err := r.word(w)
			*place[any](m, offset) = s.from(b)
			return err
		},
		write: func(w *writer, m unsafe.Pointer, number int) {
			w.tag(number, s.wire)
			w.word(s.wire, s.Bits((*place[any](m, offset)).(T)))
		},
	}
}

// choiceText is choice for a string.
func choiceText(offset uintptr) codec {
	return codec{
		Type: Lengthed,
		present: func(m unsafe.Pointer) bool {
			_, ok := (*place[any](m, offset)).(string)
			return ok
		},
		read: func(r *reader, m unsafe.Pointer, _ Type) *Error {
			b, err := r.bytes()
			if err == nil {
				*place[any](m, offset), err = r.text(b)
			}
			return err
		},
		write: func(w *writer, m unsafe.Pointer, number int) { putText(w, number, (*place[any](m, offset)).(string)) },
	}
}
