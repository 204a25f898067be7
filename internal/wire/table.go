package wire

import (
	"reflect"
	"slices"
	"unsafe"

	"github.com/concord-nn/concord/tensor"
)

// What is said here by the types of messages and fields becomes codecs of places in memory, so that there is one of each and not one for each message.

// Table has the fields of a message. What reads and what writes follow it. It is a variable that [Table.Set] fills before the first use, so that
// tables can name one another.
type Table[M any] struct{ table }

// Field is a field of a message.
type Field[M any] struct{ field }

// Codec reads and writes the value of a field.
type Codec[M any] struct{ codec }

// When replaces the rule that a value which is zero is not written.
func (c Codec[M]) When(present func(m *M) bool) Codec[M] {
	c.present = func(m unsafe.Pointer) bool { return present((*M)(m)) }
	return c
}

// Then says what else changes when the field is read.
func (c Codec[M]) Then(after func(m *M)) Codec[M] {
	c.after = func(m unsafe.Pointer) { after((*M)(m)) }
	return c
}

// Row returns a field.
func Row[M any](number int, name string, c Codec[M]) Field[M] {
	return Field[M]{field{number, name, c.codec}}
}

// Set fills the table with fields in the order of their numbers.
func (t *Table[M]) Set(fields ...Field[M]) {
	list := make([]field, len(fields))
	for i, f := range fields {
		list[i] = f.field
	}
	t.set(list, int(reflect.TypeFor[*M]().Size()+reflect.TypeFor[M]().Size()))
}

// offset returns where a field lies in its message.
func offset[M, F any](get func(*M) *F) uintptr {
	m := new(M)
	return uintptr(unsafe.Pointer(get(m))) - uintptr(unsafe.Pointer(m))
}

// fresh makes a message.
func fresh[M any]() unsafe.Pointer { return unsafe.Pointer(new(M)) }

// One is a field with a message. A message that stands there twice is the fields of both.
func One[M, E any](t *Table[E], get func(*M) **E) Codec[M] {
	return Codec[M]{one(&t.table, fresh[E], offset(get))}
}

// Many is a field with messages.
func Many[M, E any](t *Table[E], get func(*M) *[]*E) Codec[M] {
	return Codec[M]{many(&t.table, fresh[E], offset(get))}
}

// Text is a field with a string.
func Text[M any](get func(*M) *string) Codec[M] { return Codec[M]{text(offset(get))} }

// Texts is a field with strings.
func Texts[M any](get func(*M) *[]string) Codec[M] { return Codec[M]{texts(offset(get))} }

// Data is a field with bytes that stay where they are.
func Data[M any](get func(*M) *[]byte) Codec[M] { return Codec[M]{data(offset(get))} }

// Datas is a field with any number of bytes that stay where they are.
func Datas[M any](get func(*M) *[][]byte) Codec[M] { return Codec[M]{datas(offset(get))} }

// Number is a field with a number.
func Number[M, T any](s Scalar[T], get func(*M) *T) Codec[M] { return Codec[M]{s.number(offset(get))} }

// Enum is a field with an int32 or an enumeration.
func Enum[M any, T ~int32](get func(*M) *T) Codec[M] {
	return Codec[M]{Narrow[int32]().number(offset(get))}
}

// Numbers is a field with numbers, written one by one.
func Numbers[M, T any](s Scalar[T], get func(*M) *[]T) Codec[M] {
	return Codec[M]{s.numbers(offset(get))}
}

// Packed is a field with numbers, written together.
func Packed[M, T any](s Scalar[T], get func(*M) *[]T) Codec[M] {
	return Codec[M]{s.packed(offset(get))}
}

// Choice is a field with a number that is one of several alternatives: of these a message has the last one, in a value of its type.
func Choice[M, T any](s Scalar[T], get func(*M) *any) Codec[M] {
	return Codec[M]{s.choice(offset(get))}
}

// ChoiceText is [Choice] for a string.
func ChoiceText[M any](get func(*M) *any) Codec[M] { return Codec[M]{choiceText(offset(get))} }

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
