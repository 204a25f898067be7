package operators

import (
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/concord-nn/concord/cvm/fault"
)

// ParseAttrs parses the attributes of an operator from their spellings, fills in defaults and checks the bounds of the spellings.
// Names like __x__ are ignored where an operator has attributes. Errors are *fault.Error of stage Attrs without a node, which the
// caller adds, and with the attribute as Part. Of several errors the first in the order of the names is returned.
func (o *Operator) ParseAttrs(dict map[string]string) (Values, error) {
	if len(o.Attrs) == 0 && len(dict) > 0 {
		e := fault.Logicf(fault.Attrs, "%s takes no attributes", o.Name)
		e.Part = slices.Min(slices.Collect(maps.Keys(dict)))
		return nil, e
	}
	values := make(Values, len(o.Attrs))
	for _, name := range slices.Sorted(maps.Keys(dict)) {
		a := o.attr(name)
		if a == nil {
			if hidden(name) {
				continue
			}
			e := fault.Runtimef(fault.Attrs, "%s has no such attribute", o.Name)
			e.Part, e.Want = name, o.attrNames()
			return nil, e
		}
		v, ok := spellings[a.Kind].parse(a, dict[name])
		if !ok {
			e := fault.Runtimef(fault.Attrs, "%q is not legal", dict[name])
			e.Part, e.Want = name, a.Want()
			return nil, e
		}
		values[name] = v
	}
	for i := range o.Attrs {
		a := &o.Attrs[i]
		if _, given := values[a.Name]; given {
			continue
		}
		if a.Default == nil {
			e := fault.Runtimef(fault.Attrs, "the attribute is missing")
			e.Part, e.Want = a.Name, a.Want()
			return nil, e
		}
		values[a.Name] = a.Default
	}
	return values, nil
}

// FormatAttrs spells attributes so that ParseAttrs reads them back, without those that have their defaults.
func (o *Operator) FormatAttrs(v Values) map[string]string {
	dict := map[string]string{}
	for i := range o.Attrs {
		a := &o.Attrs[i]
		if value, ok := v[a.Name]; ok && !reflect.DeepEqual(value, a.Default) {
			dict[a.Name] = a.Format(value)
		}
	}
	return dict
}

// Format spells a value, which must have the Go type of the attribute's kind.
func (a *Attr) Format(v any) string { return spellings[a.Kind].format(v) }

// String says what the values of the kind are, in words.
func (k Kind) String() string { return spellings[k].want }

func (o *Operator) attr(name string) *Attr {
	for i := range o.Attrs {
		if o.Attrs[i].Name == name {
			return &o.Attrs[i]
		}
	}
	return nil
}

func (o *Operator) attrNames() string {
	names := make([]string, len(o.Attrs))
	for i := range o.Attrs {
		names[i] = o.Attrs[i].Name
	}
	return strings.Join(names, ", ")
}

// hidden reports a name that no operator knows and none minds.
func hidden(name string) bool {
	return len(name) > 4 && strings.HasPrefix(name, "__") && strings.HasSuffix(name, "__")
}

// spelling is how the values of a kind are written.
type spelling struct {
	want   string // what is legal
	parse  func(a *Attr, text string) (any, bool)
	format func(v any) string
	is     func(v any) bool // whether a value has the Go type of the kind
}

func is[T any](v any) bool { _, ok := v.(T); return ok }

var spellings = map[Kind]spelling{
	Int:         {"an integer", parseInt, formatInt, is[int]},
	Bool:        {"true or false", parseBool, func(v any) string { return strconv.FormatBool(v.(bool)) }, is[bool]},
	Tuple:       {"a tuple of integers, like (1, 2)", parseTuple, formatTuple, is[[]int]},
	OptionalInt: {"None or an integer", parseOptionalInt, formatOptionalInt, is[*int]},
	Enum:        {"one of", parseEnum, formatString, is[string]},
	String:      {"a text", func(_ *Attr, text string) (any, bool) { return text, true }, formatString, is[string]},
}

// Want says what is legal for an attribute, in words.
func (a *Attr) Want() string {
	want := spellings[a.Kind].want
	switch least, most := a.bounds(); {
	case a.Kind == Enum:
		return want + " " + strings.Join(a.Enum, ", ")
	case a.Kind == Bool, a.Kind == String, least == math.MinInt64:
		return want
	default:
		return fmt.Sprintf("%s in %d…%d", want, least, most)
	}
}

// bounds returns those of a number: a single one has 32 bits, those of a tuple 64, unless the attribute says otherwise.
func (a *Attr) bounds() (least, most int64) {
	switch {
	case a.Min != 0 || a.Max != 0:
		return int64(a.Min), int64(a.Max)
	case a.Kind == Tuple:
		return math.MinInt64, math.MaxInt64
	}
	return math.MinInt32, math.MaxInt32
}

// legal checks the bounds of a number.
func (a *Attr) legal(v int64) bool {
	least, most := a.bounds()
	return v >= least && v <= most
}

// The blanks that C++ skips before a number, and those that the original allows after a value.
const (
	leading  = " \t\n\v\f\r"
	trailing = " \t\n\f\r"
)

// scanner reads a spelling as C++ reads a stream.
type scanner struct{ rest string }

// blanks skips blanks.
func (s *scanner) blanks() { s.rest = strings.TrimLeft(s.rest, leading) }

// accept reads one byte if it is one of these.
func (s *scanner) accept(bytes string) bool {
	if s.rest == "" || strings.IndexByte(bytes, s.rest[0]) < 0 {
		return false
	}
	s.rest = s.rest[1:]
	return true
}

// integer reads a decimal integer with leading blanks and an optional sign.
func (s *scanner) integer() (int64, bool) {
	s.blanks()
	text := s.rest
	s.accept("+-")
	s.rest = strings.TrimLeft(s.rest, "0123456789")
	v, err := strconv.ParseInt(text[:len(text)-len(s.rest)], 10, 64)
	return v, err == nil
}

// end reports whether nothing but blanks is left.
func (s *scanner) end() bool { return strings.Trim(s.rest, trailing) == "" }

func parseInt(a *Attr, text string) (any, bool) {
	s := scanner{text}
	v, ok := s.integer()
	return int(v), ok && s.end() && a.legal(v)
}

func parseBool(_ *Attr, text string) (any, bool) {
	switch strings.ToLower(text) {
	case "true", "1":
		return true, true
	case "false", "0":
		return false, true
	}
	return nil, false
}

func parseEnum(a *Attr, text string) (any, bool) { return text, slices.Contains(a.Enum, text) }

func parseOptionalInt(a *Attr, text string) (any, bool) {
	if rest, ok := strings.CutPrefix(text, "None"); ok {
		s := scanner{rest}
		return none, s.end()
	}
	s := scanner{text}
	v, ok := s.integer()
	s.accept("L")
	n := int(v)
	return &n, ok && s.end() && a.legal(v)
}

// parseTuple reads integers between brackets, of either form and not necessarily in pairs, with a comma behind each but the last and an
// L at the end of any; or one bare integer, which starts with a digit or a minus.
func parseTuple(a *Attr, text string) (any, bool) {
	s := scanner{text}
	s.blanks()
	list := []int{}
	if !s.accept("([") {
		if strings.HasPrefix(s.rest, "+") {
			return nil, false
		}
		v, ok := s.integer()
		return append(list, nearest(v)), ok && s.end() && a.legal(v)
	}
	s.blanks()
	for !s.accept(")]") {
		v, ok := s.integer()
		if !ok || !a.legal(v) {
			return nil, false
		}
		list = append(list, nearest(v))
		s.blanks()
		s.accept("L")
		if s.accept(")]") {
			break
		}
		if !s.accept(",") {
			return nil, false
		}
		s.blanks()
	}
	return list, s.end()
}

func formatInt(v any) string { return strconv.Itoa(v.(int)) }

func formatString(v any) string { return v.(string) }

func formatOptionalInt(v any) string {
	if p := v.(*int); p != nil {
		return strconv.Itoa(*p)
	}
	return "None"
}

func formatTuple(v any) string {
	list := v.([]int)
	texts := make([]string, len(list))
	for i, v := range list {
		texts[i] = strconv.Itoa(v)
	}
	if len(list) == 1 {
		return "(" + texts[0] + ",)"
	}
	return "(" + strings.Join(texts, ", ") + ")"
}
