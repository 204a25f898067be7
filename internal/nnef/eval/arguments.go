package eval

import (
	"slices"

	"github.com/concord-nn/concord/nnef/syntax"
)

// arguments sets one value for each parameter.
func (e *Evaluator) arguments(f *frame, x syntax.Node, op *Operation, args []argument, values []Value) error {
	named := false
	for i := range args {
		a := &args[i]
		at := i
		if a.name == nil {
			switch {
			case i >= len(op.Params):
				return f.fail(CodeTooMany, syntax.SpanOf(a.x), "", "%s has %s; %s are given", op.Name, plural(len(op.Params), "parameter"),
					plural(len(args), "argument")).with(op.declaration(-1)...)
			case e.tract:
			case named:
				return f.fail(CodePositional, syntax.SpanOf(a.x), "name it, or move it before the named ones",
					"an argument without a name follows a named one")
			case !op.Params[i].IsTensor():
				p := &op.Params[i]
				hint := "write " + p.Name + " = …"
				if i > 0 && op.Params[i-1].isTensorList() {
					hint = "tensors for " + op.Params[i-1].Name + " stand in brackets: [a, b]"
				}
				return f.fail(CodePositional, syntax.SpanOf(a.x), hint,
					"%s is an attribute of %s; attributes are given by name", p.Name, op.Name).with(op.declaration(i)...)
			}
			if e.tract && values[at] != nil { // a named argument took its place
				at = slices.Index(values, nil)
			}
		} else {
			named = true
			if at >= len(op.Params) || op.Params[at].Name != a.name.Name { // not in the order of the parameters
				if err := e.step(f, a.name.Span, len(op.Params)/16); err != nil {
					return err
				}
				at = op.Index(a.name.Name)
			}
			if at < 0 {
				if e.tract && op.Body == nil && !op.hasAttributes() {
					continue // exporters for tract write abs(x, axes = …), which it overlooks
				}
				return f.fail(CodeParameter, a.name.Span, op.ParamHint(a.name.Name), "%s has no parameter %s", op.Name, a.name.Name).
					with(op.declaration(-1)...)
			}
			if values[at] != nil {
				first, _ := op.argument(x, at)
				return f.fail(CodeDuplicate, a.name.Span, "", "the argument %s is given twice", a.name.Name).
					with(syntax.Related{Source: f.op.Source, Span: syntax.SpanOf(first), Message: a.name.Name + " is given here"})
			}
		}
		values[at] = a.value
	}
	for i := range op.Params {
		if values[i] == nil {
			if values[i] = op.Params[i].Default; values[i] == nil {
				p := &op.Params[i]
				hint := "write " + p.Name + " = …"
				if p.IsTensor() {
					hint = ""
				}
				return f.fail(CodeMissing, syntax.SpanOf(x), hint, "the argument %s of %s is missing", p.Name, op.Name).with(op.declaration(i)...)
			}
		}
	}
	return nil
}

// hasAttributes reports whether an operation has parameters that are no tensors.
func (op *Operation) hasAttributes() bool {
	return slices.ContainsFunc(op.Params, func(p Param) bool { return !p.IsTensor() })
}

// check compares the arguments with the declared types and returns the generic type.
func (e *Evaluator) check(f *frame, x syntax.Node, op *Operation, generic syntax.Primitive, args []Value,
) (syntax.Primitive, error) {
	if generic != syntax.NoPrimitive && !op.Generic {
		err := f.fail(CodeGeneric, syntax.SpanOf(x), "remove <"+e.genericText(generic)+">", "%s is not generic", op.Name)
		if !e.checking {
			return 0, err
		}
		e.report(err)
	}
	if generic == syntax.NoPrimitive {
		generic = op.GenericDefault
	}
	m := e.match(generic)
	deduced := -1 // the parameter from which the generic type follows
	var failed error
	unsure := false // what the results are
	for i := range op.Params {
		p, v := &op.Params[i], args[i]
		switch v.(type) {
		case Absent:
			continue
		case poisoned:
			m.any = true
			failed = first(failed, follows{})
			continue
		case Array, Tuple, string:
			if n := weigh(v, e.limits.Items-e.items); n >= 0 {
				e.items = e.limits.Items - n
				break
			}
			arg, _ := op.argument(x, i)
			return 0, e.spendOn(f, syntax.SpanOf(arg), v)
		}
		if e.tract && op.Body != nil { // other operations convert their arguments themselves
			v = relax(v, p.Type)
			args[i] = v
		}
		before := m.generic
		if m.suits(p, v) || e.tract {
			if before != m.generic {
				deduced = i
			}
			continue
		}
		at, from := i, deduced
		if usesGeneric(p.Type) && deduced >= 0 && blame(args[deduced], v) {
			at, from = deduced, i
			p, v, before = &op.Params[at], args[at], itemOf(v.(Tensor))
		}
		if _, given := op.argument(x, at); !given && op.Decl != nil && !op.Generic {
			continue // the default of a declaration, where the mistake is reported
		}
		d := e.unsuitable(f, x, op, at, args, before)
		if from >= 0 && before < syntax.GenericType && usesGeneric(p.Type) {
			if arg, given := op.argument(x, from); given {
				d = d.with(syntax.Related{Source: f.op.Source, Span: syntax.SpanOf(arg),
					Message: "? = " + before.Text(e.dialect) + " follows from " + op.Params[from].Name})
			}
		}
		d = d.with(op.declaration(at)...)
		if failed = first(failed, d); !e.checking {
			break
		}
		e.report(d)
		m.any = true
		unsure = unsure || isGeneric(v)
		if _, operator := operatorOf(x); operator {
			break // it is said of both operands
		}
	}
	switch {
	case unsure:
		return 0, follows{}
	case failed != nil && e.checking:
		return unless(generic, op), nil
	case failed != nil:
		return 0, failed
	}
	if op.Generic && m.generic == syntax.NoPrimitive {
		if e.tract {
			return syntax.Scalar, nil
		}
		if m.any {
			return anyItem, nil
		}
		err := f.fail(CodeGeneric, syntax.SpanOf(x), "write "+op.Name+"<scalar>(…)",
			"the generic type of %s does not follow from its arguments", op.Name)
		if !e.checking {
			return 0, err
		}
		e.report(err)
		return anyItem, nil
	}
	return m.generic, nil
}

// blame reports whether of two arguments that disagree about the generic type the first one is to blame: a literal is
// easier to change than a tensor.
func blame(first, second Value) bool {
	_, tensor := second.(Tensor)
	switch first.(type) {
	case int64, float64, bool:
		return tensor
	}
	return false
}

// isGeneric reports whether a value is a tensor of the type '?' of a generic body.
func isGeneric(v Value) bool {
	t, ok := v.(Tensor)
	return ok && itemOf(t) == syntax.GenericType
}

// suits reports whether a value can be an argument for a parameter.
func (m *match) suits(p *Param, v Value) bool {
	if p.Type != nil {
		return m.fits(v, p.Type)
	}
	if !p.List {
		return isOperand(v)
	}
	items, array := itemsIn(v)
	return array && !slices.ContainsFunc(items, func(x Value) bool { return !isOperand(x) })
}

// isOperand reports whether a value can stand for a tensor of any type.
func isOperand(v Value) bool {
	switch v.(type) {
	case Tensor:
		return true
	case Symbol:
		return false
	}
	p := primitiveOf(v)
	return p != syntax.NoPrimitive && p != syntax.String
}
