package wire

import (
	"math"
	"reflect"
	"slices"
	"strconv"
	"unsafe"

	"github.com/concord-nn/concord/tensor"
)

// codec reads and writes values at a place in memory.
type codec struct {
	Type    Type
	List    bool // of numbers, which may also stand packed together
	present func(v unsafe.Pointer) bool
	read    func(r *reader, v unsafe.Pointer, w Type) *Error
	write   func(w *writer, v unsafe.Pointer, number int)
}

// decode reads fields up to the end of the message.
func decode(t *table, r *reader, m unsafe.Pointer) *Error {
	for r.pos < r.end {
		at := r.pos
		number, w, err := r.tag()
		if err != nil {
			return err
		}
		var f *Field
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
		if err := f.read(r, unsafe.Add(m, f.offset), w); err != nil {
			return err.below(f.Name)
		}
		if f.after != nil {
			f.after(m)
		}
	}
	return nil
}

// encode writes the fields.
func encode(t *table, w *writer, m unsafe.Pointer) {
	for _, f := range t.Fields {
		v := unsafe.Add(m, f.offset)
		if f.when != nil && f.when(m) || f.when == nil && f.present(v) {
			f.write(w, v, f.Number)
		}
	}
}

// filled reports whether a list has items.
func filled[E any](v unsafe.Pointer) bool { return len(*(*[]E)(v)) > 0 }

// one is a message that is pointed to. One that stands there twice is the fields of both.
func one(t *table) *codec {
	return &codec{
		Type:    Lengthed,
		present: func(v unsafe.Pointer) bool { return *(*unsafe.Pointer)(v) != nil },
		read: func(r *reader, v unsafe.Pointer, _ Type) *Error {
			p := (*unsafe.Pointer)(v)
			if *p == nil {
				*p = t.fresh()
			}
			return nested(r, t, *p)
		},
		write: func(w *writer, v unsafe.Pointer, number int) { put(w, number, t, *(*unsafe.Pointer)(v)) },
	}
}

// many is a list of messages that are pointed to.
func many(t *table) *codec {
	return &codec{
		Type:    Lengthed,
		present: filled[unsafe.Pointer],
		read: func(r *reader, v unsafe.Pointer, _ Type) *Error {
			p, e := (*[]unsafe.Pointer)(v), t.fresh()
			*p = append(*p, e)
			if err := nested(r, t, e); err != nil {
				return err.below("[" + strconv.Itoa(len(*p)-1) + "]")
			}
			return nil
		},
		write: func(w *writer, v unsafe.Pointer, number int) {
			for _, e := range *(*[]unsafe.Pointer)(v) {
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
		err = decode(t, r, m)
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
		encode(t, w, m)
	}
	w.end(mark)
}

var text = &codec{
	Type:    Lengthed,
	present: func(v unsafe.Pointer) bool { return *(*string)(v) != "" },
	read: func(r *reader, v unsafe.Pointer, _ Type) *Error {
		b, err := r.bytes()
		if err == nil {
			*(*string)(v), err = r.text(b)
		}
		return err
	},
	write: func(w *writer, v unsafe.Pointer, number int) { putText(w, number, *(*string)(v)) },
}

var texts = &codec{
	Type:    Lengthed,
	present: filled[string],
	read: func(r *reader, v unsafe.Pointer, _ Type) *Error {
		b, err := r.bytes()
		if err == nil {
			err = r.spend(int(unsafe.Sizeof("")))
		}
		if err == nil {
			var s string
			s, err = r.text(b)
			p := (*[]string)(v)
			*p = append(*p, s)
		}
		return err
	},
	write: func(w *writer, v unsafe.Pointer, number int) {
		for _, s := range *(*[]string)(v) {
			putText(w, number, s)
		}
	},
}

func putText(w *writer, number int, s string) {
	w.tag(number, Lengthed)
	mark := w.begin()
	w.string(s)
	w.end(mark)
}

var data = &codec{
	Type:    Lengthed,
	present: func(v unsafe.Pointer) bool { return *(*[]byte)(v) != nil },
	read: func(r *reader, v unsafe.Pointer, _ Type) (err *Error) {
		*(*[]byte)(v), err = r.bytes()
		return err
	},
	write: func(w *writer, v unsafe.Pointer, number int) { putBytes(w, number, *(*[]byte)(v)) },
}

var datas = &codec{
	Type:    Lengthed,
	present: filled[[]byte],
	read: func(r *reader, v unsafe.Pointer, _ Type) *Error {
		b, err := r.bytes()
		if err == nil {
			err = r.spend(int(unsafe.Sizeof(b)))
		}
		if err == nil {
			p := (*[][]byte)(v)
			*p = append(*p, b)
		}
		return err
	},
	write: func(w *writer, v unsafe.Pointer, number int) {
		for _, b := range *(*[][]byte)(v) {
			putBytes(w, number, b)
		}
	},
}

func putBytes(w *writer, number int, b []byte) {
	w.tag(number, Lengthed)
	mark := w.begin()
	w.bytes(b)
	w.end(mark)
}

// choiceText is a string among alternatives.
var choiceText = &codec{
	Type: Lengthed,
	present: func(v unsafe.Pointer) bool {
		_, ok := (*(*any)(v)).(string)
		return ok
	},
	read: func(r *reader, v unsafe.Pointer, _ Type) *Error {
		b, err := r.bytes()
		if err == nil {
			*(*any)(v), err = r.text(b)
		}
		return err
	},
	write: func(w *writer, v unsafe.Pointer, number int) { putText(w, number, (*(*any)(v)).(string)) },
}

// scalars has the codecs of numbers, by their kinds: of one, of one among alternatives, and of lists that are written one by one or together.
var scalars = map[reflect.Kind]struct{ number, choice, numbers, packed *codec }{
	reflect.Bool: scalarOf(scalar[bool]{Varint, func(v bool) uint64 {
		if v {
			return 1
		}
		return 0
	}, func(b uint64) bool { return b != 0 }, nil}),
	// Of numbers that are longer the low 32 bits count.
	reflect.Int32:   scalarOf(scalar[int32]{Varint, func(v int32) uint64 { return uint64(int64(v)) }, func(b uint64) int32 { return int32(b) }, nil}),
	reflect.Uint32:  scalarOf(scalar[uint32]{Varint, func(v uint32) uint64 { return uint64(v) }, func(b uint64) uint32 { return uint32(b) }, nil}),
	reflect.Int64:   scalarOf(scalar[int64]{Varint, func(v int64) uint64 { return uint64(v) }, func(b uint64) int64 { return int64(b) }, nil}),
	reflect.Uint64:  scalarOf(scalar[uint64]{Varint, func(v uint64) uint64 { return v }, func(b uint64) uint64 { return b }, nil}),
	reflect.Float32: scalarOf(scalar[float32]{Fixed32, singleBits, singleFrom, view[float32]}),
	reflect.Float64: scalarOf(scalar[float64]{Fixed64, math.Float64bits, math.Float64frombits, view[float64]}),
}

// scalar is how a number is encoded.
type scalar[T any] struct {
	wire Type
	bits func(T) uint64
	from func(uint64) T
	view func(b []byte) []T // the numbers that stand together in bytes, without copying them where that is possible; nil for others
}

func scalarOf[T any](s scalar[T]) struct{ number, choice, numbers, packed *codec } {
	copied := s
	copied.view = nil
	return struct{ number, choice, numbers, packed *codec }{s.number(), s.choice(), copied.numbers(), s.packed()}
}

func singleBits(v float32) uint64 { return uint64(math.Float32bits(v)) }
func singleFrom(b uint64) float32 { return math.Float32frombits(uint32(b)) }

func view[T tensor.Element](b []byte) []T {
	d := tensor.TypeOf[T]()
	t, err := tensor.FromRaw(d, tensor.Shape{len(b) / d.Size()}, b)
	if err != nil {
		panic(err) // any whole number of them is a tensor
	}
	return slices.Clip(tensor.Data[T](t))
}

func (s *scalar[T]) put(w *writer, number int, v T) {
	w.tag(number, s.wire)
	w.word(s.wire, s.bits(v))
}

func (s *scalar[T]) number() *codec {
	return &codec{
		Type:    s.wire,
		present: func(v unsafe.Pointer) bool { return s.bits(*(*T)(v)) != 0 },
		read: func(r *reader, v unsafe.Pointer, w Type) *Error {
			b, err := r.word(w)
			*(*T)(v) = s.from(b)
			return err
		},
		write: func(w *writer, v unsafe.Pointer, number int) { s.put(w, number, *(*T)(v)) },
	}
}

// choice is a number among alternatives.
func (s *scalar[T]) choice() *codec {
	return &codec{
		Type: s.wire,
		present: func(v unsafe.Pointer) bool {
			_, ok := (*(*any)(v)).(T)
			return ok
		},
		read: func(r *reader, v unsafe.Pointer, w Type) *Error {
			b, err := r.word(w)
			*(*any)(v) = s.from(b)
			return err
		},
		write: func(w *writer, v unsafe.Pointer, number int) { s.put(w, number, (*(*any)(v)).(T)) },
	}
}

// numbers is a list that is written one by one.
func (s *scalar[T]) numbers() *codec {
	size := int(reflect.TypeFor[T]().Size())
	return &codec{
		Type:    s.wire,
		List:    true,
		present: filled[T],
		read: func(r *reader, v unsafe.Pointer, w Type) *Error {
			p := (*[]T)(v)
			if w == Lengthed {
				return s.unpack(r, p)
			}
			at := r.pos
			b, err := r.word(w)
			if err == nil {
				err = r.spend(size - (r.pos - at))
			}
			if err == nil {
				*p = append(*p, s.from(b))
			}
			return err
		},
		write: func(w *writer, v unsafe.Pointer, number int) {
			for _, x := range *(*[]T)(v) {
				s.put(w, number, x)
			}
		},
	}
}

// packed is a list that is written together. Floats of it may lie in the bytes that are read: elements of tensors, which nothing changes.
func (s *scalar[T]) packed() *codec {
	c := s.numbers()
	c.write = func(w *writer, v unsafe.Pointer, number int) {
		w.tag(number, Lengthed)
		mark := w.begin()
		for _, x := range *(*[]T)(v) {
			w.word(s.wire, s.bits(x))
		}
		w.end(mark)
	}
	return c
}

// unpack reads numbers that stand together.
func (s *scalar[T]) unpack(r *reader, p *[]T) *Error {
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
