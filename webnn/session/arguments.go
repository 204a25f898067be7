package session

import (
	"fmt"
	"math"
	"math/big"

	"github.com/concord-nn/concord/internal/naming"
	"github.com/concord-nn/concord/tensor"
	"github.com/concord-nn/concord/webnn"
)

// infinity is what a string says in the place of a number that JSON does not have.
const infinity = "Infinity"

// nonFinite has the numbers that JSON does not have.
var nonFinite = map[string]float64{"NaN": math.NaN(), infinity: math.Inf(1), "-" + infinity: math.Inf(-1), "-0": math.Copysign(0, -1)}

// NonFinite returns the text that JavaScript has for a number without digits, NaN, Infinity or -Infinity, and false for all
// other numbers. Scripts take it for the number, and so do the numeric arguments of a session, where it stands in a string.
func NonFinite(f float64) (string, bool) {
	for text, x := range nonFinite {
		if text != "-0" && (f == x || f != f && x != x) {
			return text, true
		}
	}
	return "", false
}

// number returns the number that a value is: float64, or *big.Int.
func number(v any) any {
	if text, ok := v.(string); ok {
		if f, ok := nonFinite[text]; ok {
			return f
		}
	}
	return v
}

// resolve returns a value as package webnn takes it: objects in the place of their ids, []any, map[string]any, and numbers that stand in strings,
// but for labels.
func (x *execution) resolve(v Value) (any, error) {
	switch v := v.(type) {
	case Ref:
		o, err := x.turn.host.object(v)
		if err != nil {
			return nil, err
		}
		return o.value, nil
	case Dict:
		out := make(map[string]any, len(v))
		for name, item := range v {
			r, err := x.resolve(item)
			if err != nil {
				return nil, err
			}
			if name == "label" {
				r = item
			}
			out[name] = r
		}
		return out, nil
	case []Value:
		out := make([]any, len(v))
		for i, item := range v {
			var err error
			if out[i], err = x.resolve(item); err != nil {
				return nil, err
			}
		}
		return out, nil
	}
	return number(v), nil
}

// arguments are those of a call, which are read one after the other. The first error sticks: what is read after it is of no use.
type arguments struct {
	*execution
	read int
	err  error
}

func (a *arguments) fail(name, format string, args ...any) {
	if a.err == nil {
		a.err = a.reject(name+".conversion", "%s: %s", name, fmt.Sprintf(format, args...))
	}
}

// more says whether there is another argument.
func (a *arguments) more() bool { return a.read < len(a.call.Args) }

// next reads an argument.
func (a *arguments) next(name string) (v Value) {
	if !a.more() {
		a.fail(name, "the argument is missing; there are %d", a.read)
	} else {
		v = a.call.Args[a.read]
	}
	a.read++
	return v
}

// argument reads an argument of type T.
func argument[T any](a *arguments, name, what string) T {
	v := a.next(name)
	if ref, ok := v.(Ref); ok && a.err == nil {
		var o any
		if o, a.err = a.resolve(ref); a.err != nil {
			o = nil
		}
		if t, ok := o.(T); ok {
			return t
		}
	}
	t, ok := v.(T)
	if !ok {
		a.fail(name, "the value is %s; it must be %s", nameOf(v), what)
	}
	return t
}

// named reads a record of objects.
func named[T any](a *arguments, name, what string) map[string]T {
	out := make(map[string]T)
	given := argument[Dict](a, name, "a dictionary")
	for _, key := range naming.Sorted(given) { // so that the error is always the same
		r, err := a.resolve(given[key])
		if err != nil {
			a.err = err
			return nil
		}
		t, ok := r.(T)
		if !ok {
			a.fail(name, "%q is %s; it must be %s", key, nameOf(given[key]), what)
		}
		out[key] = t
	}
	return out
}

// flag returns a member that is a boolean, and whether it is there.
func (a *arguments) flag(d Dict, name string) (is, given bool) {
	v, given := d[name]
	is, ok := v.(bool)
	if given && !ok {
		a.fail(name, "the value is %s; it must be true or false", nameOf(v))
	}
	return is, given
}

// dataType returns the type of the argument or member dataType.
func (a *arguments) dataType(v Value) tensor.DType {
	text, _ := v.(string)
	d, err := tensor.ParseDType(text)
	if err != nil {
		a.fail("dataType", "the value is %s, which is no MLOperandDataType", nameOf(v))
	}
	return d
}

// descriptor reads an MLTensorDescriptor, of which an MLOperandDescriptor is a part.
func (a *arguments) descriptor() (d webnn.TensorDescriptor) {
	dict := argument[Dict](a, "descriptor", "a dictionary")
	d.DataType = a.dataType(dict["dataType"])
	list, ok := dict["shape"].([]Value)
	if !ok {
		a.fail("shape", "the value is %s; it must be a list", nameOf(dict["shape"]))
	}
	for _, v := range list {
		n, ok := v.(float64)
		if !ok || n != math.Trunc(n) || math.Abs(n) > math.MaxUint32 {
			a.fail("shape", "an extent is %v; it must be an integer", v)
			n = 0
		}
		d.Shape = append(d.Shape, int(n))
	}
	d.Readable, _ = a.flag(dict, "readable")
	d.Writable, _ = a.flag(dict, "writable")
	return d
}

// buffer reads a buffer.
func (a *arguments) buffer(name string) *Buffer {
	return orZero(argument[*Buffer](a, name, "a buffer or a view of one"))
}

// contents reads a buffer with the contents of an operand of type d.
func (a *arguments) contents(name string, d tensor.DType) any {
	b := a.buffer(name)
	if !b.holds(d) {
		a.fail(name, "the buffer is a %s; for %v it must be a %s or an ArrayBuffer", b.Type, d, TypedArray(d))
	}
	return b.content()
}

// nameOf says for a message what kind of value v is.
func nameOf(v Value) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case bool:
		return "a boolean"
	case float64:
		return "a number"
	case string:
		return fmt.Sprintf("%q", v)
	case *big.Int:
		return "a BigInt"
	case Ref:
		return fmt.Sprintf("the object %q", string(v))
	case Dict:
		return "a dictionary"
	case []Value:
		return "a list"
	}
	return "a buffer"
}
