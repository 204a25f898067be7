package onnx

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

//go:generate go run ../internal/testing/onnx/generate ../docs/onnx-operators.md

// Operator is an operator of ONNX that is read.
type Operator struct {
	Family string
	Name   string // with the domain in front, unless it is the standard's own
	Forms  []Form // by versions, ascending
	Remark string // what differs from the standard, or is worth knowing; may be empty
}

// Form is how some versions of an operator declare it.
type Form struct {
	Since      []int    // the versions of the operator set that declare it so
	Operands   []string // a question mark is behind what may be left out, three points behind what may be repeated
	Attributes []string // with types or defaults, as in "axis=1" and "pads: ints"
	Results    []string
}

// Operators returns what is read, family by family, in the order of the tables; without the operators of Concord itself, which
// [github.com/concord-nn/concord/op.All] lists.
func Operators() []Operator {
	var out []Operator
	for _, f := range families {
		for i := range f.rows {
			r := &f.rows[i]
			if strings.HasPrefix(r.name, OwnDomain+".") {
				continue
			}
			o := Operator{Family: f.name, Name: r.name, Remark: r.remark}
			for _, x := range r.forms() {
				o.Forms = append(o.Forms, x.public())
			}
			out = append(out, o)
		}
	}
	return out
}

// Refused returns the operators that are out of scope, by name, or by domain with a point behind it, and why.
func Refused() map[string]string {
	out := make(map[string]string)
	for name, why := range refusals {
		out[name] = why
	}
	return out
}

func (f *form) public() Form {
	out := Form{Since: slices.Clone(f.since), Operands: paramTexts(f.in), Results: paramTexts(f.out)}
	for _, a := range f.attrs {
		out.Attributes = append(out.Attributes, a.text())
	}
	return out
}

func paramTexts(list []param) []string {
	out := make([]string, len(list))
	for i, p := range list {
		if out[i] = p.name; p.variadic {
			out[i] += "…"
		} else if p.optional {
			out[i] += "?"
		}
	}
	return out
}

// text writes an attribute as declarations do.
func (a *attribute) text() string {
	switch v := a.value.(type) {
	case nil:
	case string:
		return fmt.Sprintf("%s=%q", a.name, v)
	case float64:
		return a.name + "=" + strconv.FormatFloat(v, 'g', -1, 32)
	default:
		return fmt.Sprintf("%s=%v", a.name, v)
	}
	for name, k := range kinds {
		if k == a.kind {
			text := a.name + ": " + name
			if a.required {
				text += "!"
			}
			return text
		}
	}
	return a.name + ": " + attributeNames[a.kind]
}
