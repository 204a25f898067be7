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
	given := slices.Sorted(maps.Keys(dict))
	if len(o.Attrs) == 0 && len(given) > 0 {
		return nil, fault.Logicf(fault.Attrs, "%s takes no attributes", o.Name).With(given[0], "")
	}
	values := make(Values, len(o.Attrs))
	for _, name := range given {
		i := slices.IndexFunc(o.Attrs, func(a Attr) bool { return a.Name == name })
		if i < 0 && hidden(name) {
			continue
		}
		if i < 0 {
			return nil, fault.Runtimef(fault.Attrs, "%s has no such attribute", o.Name).With(name, o.attrNames())
		}
		v, ok := o.Attrs[i].Kind.parse(&o.Attrs[i], dict[name])
		if !ok {
			return nil, fault.Runtimef(fault.Attrs, "%q is not legal", dict[name]).With(name, o.Attrs[i].Want())
		}
		values[name] = v
	}
	for i := range o.Attrs {
		a := &o.Attrs[i]
		if _, ok := values[a.Name]; ok {
			continue
		}
		if a.Default == nil {
			return nil, fault.Runtimef(fault.Attrs, "the attribute is missing").With(a.Name, a.Want())
		}
		values[a.Name] = a.Default
	}
	return values, nil
}

// FormatAttrs spells attributes so that ParseAttrs reads them back, without those that have their defaults.
func (o *Operator) FormatAttrs(v Values) map[string]string {
	dict := map[string]string{}
	for _, a := range o.Attrs {
		if value, ok := v[a.Name]; ok && !reflect.DeepEqual(value, a.Default) {
			dict[a.Name] = Format(value)
		}
	}
	return dict
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

// Kind is how an attribute is spelled.
type Kind struct {
	want  string // what is legal, in words
	bits  int    // of its numbers, unless the attribute has bounds; 0 if there are none
	zero  any    // of the Go type of the values
	parse func(a *Attr, text string) (any, bool)
}

// The kinds of attributes.
var (
	Int         = &Kind{"an integer", 32, 0, parseInt}
	Bool        = &Kind{"true or false", 0, false, parseBool}
	Tuple       = &Kind{"a tuple of integers, like (1, 2)", 64, []int(nil), parseTuple}
	OptionalInt = &Kind{"None or an integer", 32, none, parseOptionalInt} // nil for None
	Enum        = &Kind{"one of", 0, "", parseEnum}                       // one that is listed
	String      = &Kind{"a text", 0, "", parseString}                     // any, of which the rule of shapes accepts one
)

// String says what the values of the kind are, in words.
func (k *Kind) String() string { return k.want }

// is reports whether a value has the Go type of the kind.
func (k *Kind) is(v any) bool { return reflect.TypeOf(v) == reflect.TypeOf(k.zero) }

// Want says what is legal for an attribute, in words.
func (a *Attr) Want() string {
	switch least, most := a.bounds(); {
	case len(a.Enum) > 0:
		return a.Kind.want + " " + strings.Join(a.Enum, ", ")
	case a.Kind.bits == 0, least == math.MinInt64:
		return a.Kind.want
	default:
		return fmt.Sprintf("%s in %d…%d", a.Kind.want, least, most)
	}
}

// bounds returns those of a number: a single one has 32 bits, those of a tuple 64, unless the attribute says otherwise.
func (a *Attr) bounds() (least, most int64) {
	if a.Min != 0 || a.Max != 0 {
		return int64(a.Min), int64(a.Max)
	}
	return math.MinInt64 >> (64 - a.Kind.bits), math.MaxInt64 >> (64 - a.Kind.bits)
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

func parseString(_ *Attr, text string) (any, bool) { return text, true }

// none is the value None.
var none *int

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

// Format spells a value of an attribute.
func Format(v any) string {
	switch v := v.(type) {
	case *int:
		if v == nil {
			return "None"
		}
		return strconv.Itoa(*v)
	case []int:
		items := strings.ReplaceAll(strings.Trim(fmt.Sprint(v), "[]"), " ", ", ")
		if len(v) == 1 {
			items += ","
		}
		return "(" + items + ")"
	}
	return fmt.Sprint(v)
}
