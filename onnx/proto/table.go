package proto

import (
	"math"
	"reflect"
	"slices"
	"strconv"

	"github.com/concord-nn/concord/tensor"
)

// table has the fields of a message. What reads and what writes follow it.
type table[M any] struct {
	fields []field[M]  // in the order of their numbers
	at     []*field[M] // by number; nil where there is none
	size   int         // of a message in memory, with what points to it
}

// field is a field of a message.
type field[M any] struct {
	number int
	name   string
	codec[M]
}

// codec reads and writes the value of a field.
type codec[M any] struct {
	wire    wire
	list    bool // of numbers, which may also stand packed together
	present func(m *M) bool
	read    func(r *reader, m *M, w wire) *Error
	after   func(m *M) // what else reading the field changes, or nil
	write   func(w *writer, m *M, number int)
}

// when replaces the rule that a value which is zero is not written.
func (c codec[M]) when(present func(m *M) bool) codec[M] {
	c.present = present
	return c
}

// then says what else changes when the field is read.
func (c codec[M]) then(after func(m *M)) codec[M] {
	c.after = after
	return c
}

// message is a type that has a table.
type message[M any] interface {
	*M
	table() any // a *table[M], which every package that has to do with messages would compile again if it were said here
}

func tableOf[M any, P message[M]](m P) *table[M] { return m.table().(*table[M]) }

func row[M any](number int, name string, c codec[M]) field[M] { return field[M]{number, name, c} }

// rows makes a table.
func rows[M any](fields ...field[M]) *table[M] {
	last := fields[len(fields)-1].number
	t := &table[M]{fields: fields, at: make([]*field[M], last+1), size: int(reflect.TypeFor[*M]().Size() + reflect.TypeFor[M]().Size())}
	for i := range fields {
		t.at[fields[i].number] = &fields[i]
	}
	return t
}

// decode reads fields up to the end of the message.
func (t *table[M]) decode(r *reader, m *M) *Error {
	for r.pos < r.end {
		at := r.pos
		number, w, err := r.tag()
		if err != nil {
			return err
		}
		var f *field[M]
		if number < uint64(len(t.at)) {
			f = t.at[number]
		}
		switch {
		case f == nil:
			if err := r.skip(w); err != nil {
				return err
			}
			continue
		case w != f.wire && (!f.list || w != lengthed):
			err := errorAt(at, "the field is encoded as %v; it must be %v", w, f.wire)
			err.Err = ErrWireType
			return err.below(f.name)
		}
		if err := f.read(r, m, w); err != nil {
			return err.below(f.name)
		}
		if f.after != nil {
			f.after(m)
		}
	}
	return nil
}

// encode writes the fields.
func (t *table[M]) encode(w *writer, m *M) {
	for i := range t.fields {
		if f := &t.fields[i]; f.present(m) {
			f.write(w, m, f.number)
		}
	}
}

// one is a field with a message. A message that stands there twice is the fields of both.
func one[M, E any, P message[E]](get func(*M) **E) codec[M] {
	return codec[M]{
		wire:    lengthed,
		present: func(m *M) bool { return *get(m) != nil },
		read: func(r *reader, m *M, _ wire) *Error {
			p := get(m)
			if *p == nil {
				*p = new(E)
			}
			return nested(r, tableOf(P(*p)), *p)
		},
		write: func(w *writer, m *M, number int) { put(w, number, tableOf(P(*get(m))), *get(m)) },
	}
}

// many is a field with messages.
func many[M, E any, P message[E]](get func(*M) *[]*E) codec[M] {
	return codec[M]{
		wire:    lengthed,
		present: func(m *M) bool { return len(*get(m)) > 0 },
		read: func(r *reader, m *M, _ wire) *Error {
			p, e := get(m), new(E)
			*p = append(*p, e)
			if err := nested(r, tableOf(P(e)), e); err != nil {
				return err.below("[" + strconv.Itoa(len(*p)-1) + "]")
			}
			return nil
		},
		write: func(w *writer, m *M, number int) {
			for _, e := range *get(m) {
				put(w, number, tableOf(P(e)), e)
			}
		},
	}
}

// nested reads a message in another one.
func nested[M any](r *reader, t *table[M], m *M) *Error {
	end, err := r.enter()
	if err == nil {
		err = r.spend(t.size)
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
func put[M any](w *writer, number int, t *table[M], m *M) {
	w.tag(number, lengthed)
	mark := w.begin()
	if m != nil {
		t.encode(w, m)
	}
	w.end(mark)
}

// text is a field with a string.
func text[M any](get func(*M) *string) codec[M] {
	return codec[M]{
		wire:    lengthed,
		present: func(m *M) bool { return *get(m) != "" },
		read: func(r *reader, m *M, _ wire) *Error {
			b, err := r.bytes()
			if err == nil {
				*get(m) = r.text(b)
			}
			return err
		},
		write: func(w *writer, m *M, number int) { putText(w, number, *get(m)) },
	}
}

// texts is a field with strings.
func texts[M any](get func(*M) *[]string) codec[M] {
	size := int(reflect.TypeFor[string]().Size())
	return codec[M]{
		wire:    lengthed,
		present: func(m *M) bool { return len(*get(m)) > 0 },
		read: func(r *reader, m *M, _ wire) *Error {
			b, err := r.bytes()
			if err == nil {
				err = r.spend(size)
			}
			if err == nil {
				p := get(m)
				*p = append(*p, r.text(b))
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
	w.tag(number, lengthed)
	mark := w.begin()
	w.string(s)
	w.end(mark)
}

// data is a field with bytes that stay where they are.
func data[M any](get func(*M) *[]byte) codec[M] {
	return codec[M]{
		wire:    lengthed,
		present: func(m *M) bool { return *get(m) != nil },
		read: func(r *reader, m *M, _ wire) (err *Error) {
			*get(m), err = r.bytes()
			return err
		},
		write: func(w *writer, m *M, number int) {
			w.tag(number, lengthed)
			mark := w.begin()
			w.bytes(*get(m))
			w.end(mark)
		},
	}
}

// scalar is a type of numbers: how it is encoded, and its bits there.
type scalar[T any] struct {
	wire wire
	bits func(T) uint64
	from func(uint64) T
	view func(b []byte) []T // the numbers that stand together in bytes, without copying them where that is possible; nil for others
}

// narrow is the scalar for int32 and for enumerations, of which protobuf keeps the low 32 bits.
func narrow[T ~int32]() scalar[T] {
	return scalar[T]{varint, func(v T) uint64 { return uint64(int64(v)) }, func(b uint64) T { return T(int32(b)) }, nil}
}

var (
	signed   = scalar[int64]{varint, func(v int64) uint64 { return uint64(v) }, func(b uint64) int64 { return int64(b) }, nil}
	unsigned = scalar[uint64]{varint, func(v uint64) uint64 { return v }, func(b uint64) uint64 { return b }, nil}
	single   = scalar[float32]{fixed32, func(v float32) uint64 { return uint64(math.Float32bits(v)) },
		func(b uint64) float32 { return math.Float32frombits(uint32(b)) }, nil}
	double = scalar[float64]{fixed64, math.Float64bits, math.Float64frombits, nil}
)

// number is a field with a number.
func number[M, T any](s scalar[T], get func(*M) *T) codec[M] {
	return codec[M]{
		wire:    s.wire,
		present: func(m *M) bool { return s.bits(*get(m)) != 0 },
		read: func(r *reader, m *M, w wire) *Error {
			b, err := r.word(w)
			*get(m) = s.from(b)
			return err
		},
		write: func(w *writer, m *M, number int) {
			w.tag(number, s.wire)
			w.word(s.wire, s.bits(*get(m)))
		},
	}
}

// enum is a field with an int32 or an enumeration.
func enum[M any, T ~int32](get func(*M) *T) codec[M] { return number(narrow[T](), get) }

// numbers is a field with numbers, written one by one.
func numbers[M, T any](s scalar[T], get func(*M) *[]T) codec[M] {
	size := int(reflect.TypeFor[T]().Size())
	return codec[M]{
		wire:    s.wire,
		list:    true,
		present: func(m *M) bool { return len(*get(m)) > 0 },
		read: func(r *reader, m *M, w wire) *Error {
			if w == lengthed {
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
				w.word(s.wire, s.bits(v))
			}
		},
	}
}

// packed is a field with numbers, written together.
func packed[M, T any](s scalar[T], get func(*M) *[]T) codec[M] {
	c := numbers(s, get)
	c.write = func(w *writer, m *M, number int) {
		w.tag(number, lengthed)
		mark := w.begin()
		for _, v := range *get(m) {
			w.word(s.wire, s.bits(v))
		}
		w.end(mark)
	}
	return c
}

// unpack reads numbers that stand together.
func (s scalar[T]) unpack(r *reader, p *[]T) *Error {
	b, err := r.bytes()
	if err != nil {
		return err
	}
	n, size := len(b), int(reflect.TypeFor[T]().Size())
	if s.wire == varint {
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

// viewed is a type of numbers that may lie in the bytes of the file: elements of tensors, which nothing changes.
func viewed[T tensor.Element](s scalar[T]) scalar[T] {
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
