package wire

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unsafe"
)

// Table has the fields of the messages of type M, which what reads and what writes follows. Only this surface knows the types of messages: the
// rest is compiled once, not for each of them.
type Table[M any] struct{ *table }

// Of returns the table of a type, whose fields say by tags what they are in the format: `wire:"5,attribute"` is a number and a name, and ",packed"
// behind them that numbers are written together. A field of type any is one of several alternatives, of which a message has the last one: its tag has
// them all, separated by spaces, each with its kind, as in "1,bool_param,bool". Fields without a tag are none of the format.
func Of[M any]() Table[M] { return Table[M]{tableOf(reflect.TypeFor[M]())} }

// Refine says what tags do not, when the table of a type is made. It is called by an init function, before anything asks for the table.
func Refine[M any](by func(t Table[M])) {
	refinements[reflect.TypeFor[M]()] = func(t *table) { by(Table[M]{t}) }
}

var refinements = make(map[reflect.Type]func(t *table))

// When replaces the rule that a value of a field which is zero is not written.
func (t Table[M]) When(number int, present func(m *M) bool) {
	t.at[number].when = func(m unsafe.Pointer) bool { return present((*M)(m)) }
}

// Then says what else changes when a field is read.
func (t Table[M]) Then(number int, after func(m *M)) {
	t.at[number].after = func(m unsafe.Pointer) { after((*M)(m)) }
}

// table has the fields of a message, of which only the place in memory is known.
type table struct {
	Fields []*Field // in the order of their numbers
	Size   int      // of a message in memory, with what points to it
	of     reflect.Type
	at     []*Field // by number; nil where there is none
}

// Field is a field of a message.
type Field struct {
	Number int
	Name   string
	*codec
	offset uintptr
	when   func(m unsafe.Pointer) bool // whether the field is written, where more than its value decides
	after  func(m unsafe.Pointer)      // what else reading the field changes, or nil
}

func (t *table) fresh() unsafe.Pointer { return reflect.New(t.of).UnsafePointer() }

var (
	tables sync.Map // that are complete, by their types
	making sync.Mutex
)

func tableOf(of reflect.Type) *table {
	if t, ok := tables.Load(of); ok {
		return t.(*table)
	}
	making.Lock()
	defer making.Unlock()
	begun := make(map[reflect.Type]*table)
	t := newTable(of, begun)
	for of, t := range begun {
		tables.Store(of, t)
	}
	return t
}

// newTable makes a table, and those of messages in the message that are not begun.
func newTable(of reflect.Type, begun map[reflect.Type]*table) *table {
	if t, ok := tables.Load(of); ok {
		return t.(*table)
	}
	if t := begun[of]; t != nil {
		return t
	}
	t := &table{of: of, Size: int(reflect.TypeFor[uintptr]().Size() + of.Size())}
	begun[of] = t
	for m := range of.Fields() {
		for alternative := range strings.FieldsSeq(m.Tag.Get("wire")) {
			tag := append(strings.Split(alternative, ","), "")
			number, err := strconv.Atoi(tag[0])
			c := codecOf(m.Type, tag[2], begun)
			if err != nil || c == nil {
				panic(fmt.Sprintf("wire: %v.%s has the tag %q", of, m.Name, m.Tag))
			}
			t.Fields = append(t.Fields, &Field{Number: number, Name: tag[1], codec: c, offset: m.Offset})
		}
	}
	slices.SortFunc(t.Fields, func(a, b *Field) int { return cmp.Compare(a.Number, b.Number) })
	if n := len(t.Fields); n > 0 {
		t.at = make([]*Field, t.Fields[n-1].Number+1)
	}
	for _, f := range t.Fields {
		t.at[f.Number] = f
	}
	if refine := refinements[of]; refine != nil {
		refine(t)
	}
	return t
}

// codecOf returns how values of a type are encoded, of which the tag says more; nil for one that no field has.
func codecOf(of reflect.Type, more string, begun map[reflect.Type]*table) *codec {
	switch kind := of.Kind(); {
	case kind == reflect.Interface && more == reflect.String.String():
		return choiceText
	case kind == reflect.Interface:
		for kind, c := range scalars {
			if kind.String() == more {
				return c.choice
			}
		}
		return nil
	case kind == reflect.String:
		return text
	case kind == reflect.Pointer:
		return one(newTable(of.Elem(), begun))
	case kind != reflect.Slice:
		return scalars[kind].number
	}
	switch item := of.Elem(); {
	case item.Kind() == reflect.String:
		return texts
	case item.Kind() == reflect.Uint8:
		return data
	case item == reflect.TypeFor[[]byte]():
		return datas
	case item.Kind() == reflect.Pointer:
		return many(newTable(item.Elem(), begun))
	case more == "packed":
		return scalars[item.Kind()].packed
	default:
		return scalars[item.Kind()].numbers
	}
}
