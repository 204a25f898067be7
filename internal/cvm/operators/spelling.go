package operators

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/concord-nn/concord/cvm/fault"
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/naming"
	"github.com/concord-nn/concord/internal/pattern"
)

// ParseAttrs parses the attributes of an operator from their spellings, fills in defaults and checks the bounds of the spellings.
// Names like __x__ are ignored where an operator has attributes. Errors are *fault.Error of stage Attrs without a node, which the
// caller adds, and with the attribute as Part. Of several errors the first in the order of the names is returned.
func (o *Operator) ParseAttrs(dict map[string]string) (graph.Attrs, error) {
	given := naming.Sorted(dict)
	if len(o.Attrs) == 0 && len(given) > 0 {
		return nil, fault.Logicf(fault.Attrs, "%s takes no attributes", o.Name).With(given[0], "")
	}
	values := make(graph.Attrs, len(o.Attrs))
	for i, a := range o.Attrs {
		values[i] = graph.Attr{Name: a.Name, Value: a.Default}
	}
	for _, name := range given {
		i := slices.IndexFunc(o.Attrs, func(a Attr) bool { return a.Name == name })
		if i < 0 && hidden(name) {
			continue
		}
		if i < 0 {
			var names []string
			for _, a := range o.Attrs {
				names = append(names, a.Name)
			}
			return nil, fault.Runtimef(fault.Attrs, "%s has no such attribute", o.Name).With(name, strings.Join(names, ", "))
		}
		v, ok := o.Attrs[i].Kind.parse(&o.Attrs[i], dict[name])
		if !ok {
			return nil, fault.Runtimef(fault.Attrs, "%q is not legal", dict[name]).With(name, o.Attrs[i].Want())
		}
		values[i].Value = v
	}
	for i := range values {
		if values[i].Value == nil {
			return nil, fault.Runtimef(fault.Attrs, "the attribute is missing").With(values[i].Name, o.Attrs[i].Want())
		}
	}
	return values, nil
}

// FormatAttrs spells attributes so that ParseAttrs reads them back, without those that have their defaults.
func (o *Operator) FormatAttrs(attrs graph.Attrs) map[string]string {
	dict := map[string]string{}
	for _, a := range o.Attrs {
		if value := attrs.Get(a.Name); value != nil && !reflect.DeepEqual(value, a.Default) {
			dict[a.Name] = Format(value)
		}
	}
	return dict
}

// hidden reports a name that no operator knows and none minds.
func hidden(name string) bool {
	return len(name) > 4 && strings.HasPrefix(name, "__") && strings.HasSuffix(name, "__")
}

// Kind is how an attribute is spelled.
type Kind struct {
	want  string // what is legal, in words
	bits  int    // of its numbers, unless the attribute has bounds; 0 if there are none
	parse func(a *Attr, text string) (any, bool)
}

// The kinds of attributes.
var (
	Int         = &Kind{"an integer", 32, parseInt}
	Bool        = &Kind{"true or false", 0, parseBool}
	Tuple       = &Kind{"a tuple of integers, like (1, 2)", 64, parseTuple}
	OptionalInt = &Kind{"None or an integer", 32, parseOptionalInt} // *int, nil for None
	Enum        = &Kind{"one of", 0, parseEnum}                     // one that is listed
	String      = &Kind{"a text", 0, parseString}                   // any, of which the rule of shapes accepts one
)

// String says what the values of the kind are, in words.
func (k *Kind) String() string { return k.want }

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

// The spellings of numbers: with the blanks that C++ skips before a number, and those that the original allows after a value. A tuple has
// integers between brackets, of either form and not necessarily in pairs, with a comma behind each but the last and an L at the end of any; or it
// is one bare integer without a plus.
const (
	integer  = `[ \t\n\v\f\r]*[+-]?[0-9]+`
	leading  = `[ \t\n\v\f\r]*`
	trailing = `[ \t\n\f\r]*`
	item     = integer + leading + `L?`
)

var (
	aNone    = pattern.Of(`^None` + trailing + `$`)
	anInt    = pattern.Of(`^` + integer + trailing + `$`)
	aLongInt = pattern.Of(`^` + integer + `L?` + trailing + `$`)
	aTuple   = pattern.Of(`^` + leading + `(-?[0-9]+|[(\[]` + leading + `(` + item + `,` + leading + `)*(` + item + `)?[)\]])` + trailing + `$`)
	digits   = pattern.Of(`[+-]?[0-9]+`)
)

// numbers returns the integers of a text that has a form, if they are within bounds.
func (a *Attr) numbers(form *pattern.Pattern, text string) ([]int, bool) {
	least, most := a.bounds()
	list := []int{}
	for _, number := range digits.Get().FindAllString(text, -1) {
		v, err := strconv.ParseInt(number, 10, 64)
		if err != nil || v < least || v > most {
			return nil, false
		}
		list = append(list, nearest(v))
	}
	return list, form.Get().MatchString(text)
}

func parseInt(a *Attr, text string) (any, bool) {
	list, ok := a.numbers(anInt, text)
	if !ok {
		return nil, false
	}
	return list[0], true
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

func parseTuple(a *Attr, text string) (any, bool) { return a.numbers(aTuple, text) }

// none is the value None.
var none *int

func parseOptionalInt(a *Attr, text string) (any, bool) {
	if aNone.Get().MatchString(text) {
		return none, true
	}
	list, ok := a.numbers(aLongInt, text)
	if !ok {
		return nil, false
	}
	return &list[0], true
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
