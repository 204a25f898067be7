package formal

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

// Refusal is why a graph is not legal.
type Refusal struct {
	Runtime bool // class 2 of the original; else 1, logic
	Msg     string
}

// Error returns the message.
func (r *Refusal) Error() string { return r.Msg }

func refuse(msg string)        { panic(&Refusal{Msg: msg}) }
func refuseRuntime(msg string) { panic(&Refusal{Runtime: true, Msg: msg}) }

func check(ok bool, msg string) {
	if !ok {
		refuse(msg)
	}
}

// catch turns a refusal into an error.
func catch(err *error) {
	switch r := recover().(type) {
	case nil:
	case *Refusal:
		*err = r
	default:
		panic(r)
	}
}

// attrs are attributes as a graph spells them.
type attrs map[string]string

// parse refuses attributes that are malformed, missing or not declared. Declarations are names with a kind, :int, :bool, :tuple, :tuple32,
// :optional, :text or :dtype, and ! where there is no default.
func (a attrs) parse(declared string) {
	var names []string
	for d := range strings.FieldsSeq(declared) {
		d, required := strings.CutSuffix(d, "!")
		name, kind, _ := strings.Cut(d, ":")
		names = append(names, name)
		s, ok := a[name]
		switch {
		case !ok && required:
			refuseRuntime("missing attribute " + name)
		case !ok || kind == "text" || kind == "optional" && s == "None":
		case kind == "int" || kind == "optional":
			a.int(name)
		case kind == "bool":
			a.boolOr(name, false)
		case kind == "tuple":
			a.tuple(name)
		case kind == "tuple32": // whose elements are of 32 bits
			for _, x := range a.tuple(name) {
				number(strconv.FormatInt(x, 10), math.MinInt32, math.MaxInt32)
			}
		case kind == "dtype" && !slices.Contains(strings.Fields(types), s) && (s != "same" || name != "out_dtype"):
			refuseRuntime(name + " has another value")
		}
	}
	for name := range a {
		hidden := len(name) > 4 && strings.HasPrefix(name, "__") && strings.HasSuffix(name, "__")
		if !hidden && !slices.Contains(names, name) {
			refuseRuntime("unknown attribute " + name)
		}
	}
}

// number reads an integer between bounds.
func number(s string, lo, hi int64) int64 {
	n, err := strconv.ParseInt(strings.TrimSpace(s), 10, 64)
	if err != nil || n < lo || n > hi {
		refuseRuntime("malformed integer " + s)
	}
	return n
}

func (a attrs) int(name string) int64 { return number(a[name], math.MinInt32, math.MaxInt32) }

func (a attrs) intOr(name string, def int64) int64 {
	if _, ok := a[name]; !ok {
		return def
	}
	return a.int(name)
}

// boolOr reads true, false, 1 or 0 in any case.
func (a attrs) boolOr(name string, def bool) bool {
	s, ok := a[name]
	if !ok {
		return def
	}
	switch strings.ToLower(strings.TrimSpace(s)) {
	case "true", "1":
		return true
	case "false", "0":
		return false
	}
	refuseRuntime("malformed logical value " + s)
	return false
}

// types are what enumerated attributes called dtype may be. They are not used: everything is int32.
const types = "float16 float32 float64 uint8 uint16 uint32 uint64 int8 int16 int32 int64"

// oneOf refuses other values than those, as a rule of the operator.
func (a attrs) oneOf(name string, values ...string) {
	s, ok := a[name]
	check(!ok || slices.Contains(values, s), name+" has another value")
}

func (a attrs) tuple(name string) []int64 { return tuple(a[name]) }

func (a attrs) tupleOr(name string, def ...int64) []int64 {
	if _, ok := a[name]; !ok {
		return def
	}
	return a.tuple(name)
}

// pair reads a tuple of two from lo to the greatest number that attributes may be.
func (a attrs) pair(name string, def, lo int64) (h, w int64) {
	t := a.tupleOr(name, def, def)
	check(len(t) == 2, name+" must have two elements")
	for _, x := range t {
		check(lo <= x && x <= maxAttr, name+" is out of range")
	}
	return t[0], t[1]
}

// tuple reads (1, 2), [1,2], with a trailing comma or suffixes L, or a single integer.
func tuple(s string) []int64 {
	s = strings.TrimSpace(s)
	if s == "" {
		refuseRuntime("empty tuple")
	}
	if !strings.ContainsAny(s[:1], "([") {
		return []int64{number(s, math.MinInt64, math.MaxInt64)}
	}
	if !strings.ContainsAny(s[len(s)-1:], ")]") || len(s) < 2 {
		refuseRuntime("malformed tuple " + s)
	}
	s = strings.TrimSpace(s[1 : len(s)-1])
	s = strings.TrimSpace(strings.TrimSuffix(s, ","))
	t := []int64{}
	if s == "" {
		return t
	}
	for part := range strings.SplitSeq(s, ",") {
		t = append(t, number(strings.TrimSuffix(strings.TrimSpace(part), "L"), math.MinInt64, math.MaxInt64))
	}
	return t
}
