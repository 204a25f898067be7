package webnn

import (
	"slices"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/op"
)

// Inverse returns the arguments and options with which [GraphBuilder.Call] of the method that has an operator's name (op.Spec) says the operator for
// operands, nil where one is absent, and attributes. Dimensions that are reduced stay. It returns false if there is no such method, if it does not take
// operands of their types, or not so many, or one number where an attribute lists several. Attributes for which it has no parameter are left aside.
func Inverse(d *op.Def, in []*Operand, attrs graph.Attrs) (args []any, options Options, ok bool) {
	if d == nil || len(d.In) == 0 || methodOf(d.Spec.WebNN) == nil {
		return nil, nil, false
	}
	l := &lowering{name: d.Spec.WebNN, method: methodOf(d.Spec.WebNN)}
	values := map[string]any{"keepDimensions": true}
	for i, o := range in {
		if o == nil {
			continue
		}
		at := min(i, len(d.In)-1) // the last one may be several
		p := l.parameter(d.In[at].Name, at)
		if !l.method.takes(p, o) {
			return nil, nil, false
		}
		if list, many := values[p].([]*Operand); many || l.method.param(p).kind == kindOperands {
			values[p] = append(list, o)
		} else {
			values[p] = o
		}
	}
	for _, a := range attrs {
		p := l.method.param(l.parameter(a.Name, -1))
		if p == nil {
			continue
		}
		values[p.name] = a.Value
		if list, several := a.Value.([]int); several && p.kind == kindInt {
			if len(list) != 1 {
				return nil, nil, false
			}
			values[p.name] = list[0]
		}
	}
	for _, p := range l.method.args {
		v, given := values[p.name]
		if !given {
			return nil, nil, false
		}
		args = append(args, v)
	}
	options = make(Options)
	for _, p := range l.method.options {
		if v, given := values[p.name]; given {
			options[p.name] = v
		}
	}
	return args, options, true
}

// takes reports whether a parameter is an operand that may have the type of this one.
func (m *method) takes(name string, o *Operand) bool {
	if m.param(name) == nil {
		return false
	}
	i := slices.IndexFunc(m.limits, func(row operandLimits) bool { return row.name == name })
	return i < 0 || m.limits[i].types == nil || slices.Contains(m.limits[i].types, o.DataType())
}
