package wire

import "unsafe"

// Table has the fields of a message. What reads and what writes follow it. It is a variable that [Table.Set] fills before the first use, so that
// tables can name one another. Only this surface knows the types of messages: what reads and writes is compiled once, not for each of them.
type Table[M any] struct{ table }

// Set fills the table with fields in the order of their numbers: those of m.
func (t *Table[M]) Set(fields func(m *M) []Field) {
	m := new(M)
	set(&t.table, fields(m), unsafe.Pointer(m), unsafe.Sizeof(m)+unsafe.Sizeof(*m))
}

// When replaces the rule that a value which is zero is not written.
func When[M any](f Field, present func(m *M) bool) Field {
	f.when = func(m unsafe.Pointer) bool { return present((*M)(m)) }
	return f
}

// Then says what else changes when the field is read.
func Then[M any](f Field, after func(m *M)) Field {
	f.after = func(m unsafe.Pointer) { after((*M)(m)) }
	return f
}

// One is a field with a message. A message that stands there twice is the fields of both.
func One[E any](number int, name string, t *Table[E], m **E) Field {
	return fieldOf(number, name, unsafe.Pointer(m), one(&t.table, fresh[E]))
}

// Many is a field with messages.
func Many[E any](number int, name string, t *Table[E], m *[]*E) Field {
	return fieldOf(number, name, unsafe.Pointer(m), many(&t.table, fresh[E]))
}

// fresh makes a message.
func fresh[M any]() unsafe.Pointer { return unsafe.Pointer(new(M)) }

// Text is a field with a string.
func Text(number int, name string, v *string) Field {
	return fieldOf(number, name, unsafe.Pointer(v), text)
}

// Texts is a field with strings.
func Texts(number int, name string, v *[]string) Field {
	return fieldOf(number, name, unsafe.Pointer(v), texts)
}

// Data is a field with bytes that stay where they are.
func Data(number int, name string, v *[]byte) Field {
	return fieldOf(number, name, unsafe.Pointer(v), data)
}

// Datas is a field with any number of bytes that stay where they are.
func Datas(number int, name string, v *[][]byte) Field {
	return fieldOf(number, name, unsafe.Pointer(v), datas)
}

// Number is a field with a number.
func Number[T any](number int, name string, s *Scalar[T], v *T) Field {
	return fieldOf(number, name, unsafe.Pointer(v), s.number)
}

// Enum is a field with an int32 or an enumeration.
func Enum[T ~int32](number int, name string, v *T) Field {
	return fieldOf(number, name, unsafe.Pointer(v), Narrow.number)
}

// Numbers is a field with numbers, written one by one.
func Numbers[T any](number int, name string, s *Scalar[T], v *[]T) Field {
	return fieldOf(number, name, unsafe.Pointer(v), s.numbers)
}

// Packed is a field with numbers, written together.
func Packed[T any](number int, name string, s *Scalar[T], v *[]T) Field {
	return fieldOf(number, name, unsafe.Pointer(v), s.packed)
}

// Choice is a field with a number that is one of several alternatives: of these a message has the last one, in a value of its type.
func Choice[T any](number int, name string, s *Scalar[T], v *any) Field {
	return fieldOf(number, name, unsafe.Pointer(v), s.choice)
}

// ChoiceText is [Choice] for a string.
func ChoiceText(number int, name string, v *any) Field {
	return fieldOf(number, name, unsafe.Pointer(v), choiceText)
}
