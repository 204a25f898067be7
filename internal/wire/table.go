package wire

import (
	"math"
	"reflect"
	"slices"
	"strconv"

	"github.com/concord-nn/concord/tensor"
)

// Table has the fields of a message. What reads and what writes follow it. It is a variable that [Table.Set] fills before the first use, so that
// tables can name one another.
type Table[M any] struct {
	Fields []Field[M]  // in the order of their numbers
	at     []*Field[M] // by number; nil where there is none
	Size   int         // of a message in memory, with what points to it
}

// Field is a field of a message.
type Field[M any] struct {
	Number int
	Name   string
	Codec[M]
}

// Codec reads and writes the value of a field.
type Codec[M any] struct {
	Type    Type
	List    bool // of numbers, which may also stand packed together
	present func(m *M) bool
	read    func(r *reader, m *M, w Type) *Error
	after   func(m *M) // what else reading the field changes, or nil
	write   func(w *writer, m *M, number int)
}

// When replaces the rule that a value which is zero is not written.
func (c Codec[M]) When(present func(m *M) bool) Codec[M] {
	c.present = present
	return c
}

// Then says what else changes when the field is read.
func (c Codec[M]) Then(after func(m *M)) Codec[M] {
	c.after = after
	return c
}

// Row returns a field.
func Row[M any](number int, name string, c Codec[M]) Field[M] { return Field[M]{number, name, c} }

// Set fills the table with fields in the order of their numbers.
func (t *Table[M]) Set(fields ...Field[M]) {
	*t = Table[M]{Fields: fields, Size: int(reflect.TypeFor[*M]().Size() + reflect.TypeFor[M]().Size())}
	if len(fields) > 0 {
		t.at = make([]*Field[M], fields[len(fields)-1].Number+1)
	}
	for i := range fields {
		t.at[fields[i].Number] = &fields[i]
	}
}

// decode reads fields up to the end of the message.
func (t *Table[M]) decode(r *reader, m *M) *Error {
	for r.pos < r.end {
		at := r.pos
		number, w, err := r.tag()
		if err != nil {
			return err
		}
		var f *Field[M]
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
func (t *Table[M]) encode(w *writer, m *M) {
	for i := range t.Fields {
		if f := &t.Fields[i]; f.present(m) {
			f.write(w, m, f.Number)
		}
	}
}

// One is a field with a message. A message that stands there twice is the fields of both.
func One[M, E any](t *Table[E], get func(*M) **E) Codec[M] {
	return Codec[M]{
		Type:    Lengthed,
		present: func(m *M) bool { return *get(m) != nil },
		read: func(r *reader, m *M, _ Type) *Error {
			p := get(m)
			if *p == nil {
				*p = new(E)
			}
			return nested(r, t, *p)
		},
		write: func(w *writer, m *M, number int) { put(w, number, t, *get(m)) },
	}
}

// Many is a field with messages.
func Many[M, E any](t *Table[E], get func(*M) *[]*E) Codec[M] {
	return Codec[M]{
		Type:    Lengthed,
		present: func(m *M) bool { return len(*get(m)) > 0 },
		read: func(r *reader, m *M, _ Type) *Error {
			p, e := get(m), new(E)
			*p = append(*p, e)
			if err := nested(r, t, e); err != nil {
				return err.below("[" + strconv.Itoa(len(*p)-1) + "]")
			}
			return nil
		},
		write: func(w *writer, m *M, number int) {
			for _, e := range *get(m) {
				put(w, number, t, e)
			}
		},
	}
}

// nested reads a message in another one.
func nested[M any](r *reader, t *Table[M], m *M) *Error {
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
func put[M any](w *writer, number int, t *Table[M], m *M) {
	w.tag(number, Lengthed)
	mark := w.begin()
	if m != nil {
		t.encode(w, m)
	}
	w.end(mark)
}

// Text is a field with a string.
func Text[M any](get func(*M) *string) Codec[M] {
	return Codec[M]{
		Type:    Lengthed,
		present: func(m *M) bool { return *get(m) != "" },
		read: func(r *reader, m *M, _ Type) *Error {
			b, err := r.bytes()
			if err == nil {
				*get(m), err = r.text(b)
			}
			return err
		},
		write: func(w *writer, m *M, number int) { putText(w, number, *get(m)) },
	}
}

// Texts is a field with strings.
func Texts[M any](get func(*M) *[]string) Codec[M] {
	size := int(reflect.TypeFor[string]().Size())
	return Codec[M]{
		Type:    Lengthed,
		present: func(m *M) bool { return len(*get(m)) > 0 },
		read: func(r *reader, m *M, _ Type) *Error {
			b, err := r.bytes()
			if err == nil {
				err = r.spend(size)
			}
			if err == nil {
				var s string
				s, err = r.text(b)
				p := get(m)
				*p = append(*p, s)
			}
			return err
		},
		write: func(w *writer, m *M, number int) {
			for _, s := range *get(m) {
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

// Data is a field with bytes that stay where they are.
func Data[M any](get func(*M) *[]byte) Codec[M] {
	return Codec[M]{
		Type:    Lengthed,
		present: func(m *M) bool { return *get(m) != nil },
		read: func(r *reader, m *M, _ Type) (err *Error) {
			*get(m), err = r.bytes()
			return err
		},
		write: func(w *writer, m *M, number int) {
			w.tag(number, Lengthed)
			mark := w.begin()
			w.bytes(*get(m))
			w.end(mark)
		},
	}
}

// Datas is a field with any number of bytes that stay where they are.
func Datas[M any](get func(*M) *[][]byte) Codec[M] {
	size := int(reflect.TypeFor[[]byte]().Size())
	return Codec[M]{
		Type:    Lengthed,
		present: func(m *M) bool { return len(*get(m)) > 0 },
		read: func(r *reader, m *M, _ Type) *Error {
			b, err := r.bytes()
			if err == nil {
				err = r.spend(size)
			}
			if err == nil {
				p := get(m)
				*p = append(*p, b)
			}
			return err
		},
		write: func(w *writer, m *M, number int) {
			for _, b := range *get(m) {
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

// Number is a field with a number.
func Number[M, T any](s Scalar[T], get func(*M) *T) Codec[M] {
	return Codec[M]{
		Type:    s.wire,
		present: func(m *M) bool { return s.Bits(*get(m)) != 0 },
		read: func(r *reader, m *M, w Type) *Error {
			b, err := r.word(w)
			*get(m) = s.from(b)
			return err
		},
		write: func(w *writer, m *M, number int) {
			w.tag(number, s.wire)
			w.word(s.wire, s.Bits(*get(m)))
		},
	}
}

// Enum is a field with an int32 or an enumeration.
func Enum[M any, T ~int32](get func(*M) *T) Codec[M] { return Number(Narrow[T](), get) }

// Numbers is a field with numbers, written one by one.
func Numbers[M, T any](s Scalar[T], get func(*M) *[]T) Codec[M] {
	size := int(reflect.TypeFor[T]().Size())
	return Codec[M]{
		Type:    s.wire,
		List:    true,
		present: func(m *M) bool { return len(*get(m)) > 0 },
		read: func(r *reader, m *M, w Type) *Error {
			if w == Lengthed {
				return s.unpack(r, get(m))
			}
			at := r.pos
			b, err := r.word(w)
			if err == nil {
				err = r.spend(size - (r.pos - at))
			}
			if err == nil {
				p := get(m)
				*p = append(*p, s.from(b))
			}
			return err
		},
		write: func(w *writer, m *M, number int) {
			for _, v := range *get(m) {
				w.tag(number, s.wire)
				w.word(s.wire, s.Bits(v))
			}
		},
	}
}

// Packed is a field with numbers, written together.
func Packed[M, T any](s Scalar[T], get func(*M) *[]T) Codec[M] {
	c := Numbers(s, get)
	c.write = func(w *writer, m *M, number int) {
		w.tag(number, Lengthed)
		mark := w.begin()
		for _, v := range *get(m) {
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

// Viewed is a type of numbers that may lie in the bytes of the file: elements of tensors, which nothing changes.
func Viewed[T tensor.Element](s Scalar[T]) Scalar[T] {
	d := tensor.TypeOf[T]()
	s.view = func(b []byte) []T {
		t, err := tensor.FromRaw(d, tensor.Shape{len(b) / d.Size()}, b)
		if err != nil {
			panic(err) // any whole number of them is a tensor
		}
		return slices.Clip(tensor.Data[T](t))
	}
	return s
}

// Choice is a field with a number that is one of several alternatives: of these a message has the last one, in a value of its type.
func Choice[M, T any](s Scalar[T], get func(*M) *any) Codec[M] {
	return Codec[M]{
		Type: s.wire,
		present: func(m *M) bool {
			_, ok := (*get(m)).(T)
			return ok
		},
		read: func(r *reader, m *M, w Type) *Error {
			b, err := r.word(w)
			*get(m) = s.from(b)
			return err
		},
		write: func(w *writer, m *M, number int) {
			w.tag(number, s.wire)
			w.word(s.wire, s.Bits((*get(m)).(T)))
		},
	}
}

// ChoiceText is [Choice] for a string.
func ChoiceText[M any](get func(*M) *any) Codec[M] {
	return Codec[M]{
		Type: Lengthed,
		present: func(m *M) bool {
			_, ok := (*get(m)).(string)
			return ok
		},
		read: func(r *reader, m *M, _ Type) *Error {
			b, err := r.bytes()
			if err == nil {
				*get(m), err = r.text(b)
			}
			return err
		},
		write: func(w *writer, m *M, number int) { putText(w, number, (*get(m)).(string)) },
	}
}
