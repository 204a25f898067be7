package eval

import (
	"errors"

	"github.com/concord-nn/concord/nnef/syntax"
)

// CheckGraph checks the body of a graph as [Evaluator.Graph] would evaluate it, but without values: every expression is
// looked at once, also in branches that would not be taken, and no operation is applied or expanded. It finds what is
// wrong with names, arguments, types and structure; what depends on values is left to the evaluation.
func (e *Evaluator) CheckGraph(g *syntax.Graph, lib Library, known map[string]Value) {
	e.checking = true
	e.graph(g, lib, known)
	e.checking = false
}

// CheckFragment checks the body of an operation that a fragment declares, like [Evaluator.CheckGraph], whatever its
// parameters are.
func (e *Evaluator) CheckFragment(op *Operation) {
	if e.stopped { // Without this it would be checked in vain.
		return
	}
	e.checking = true
	defer func() { e.checking = false }()
	generic := syntax.NoPrimitive
	if op.Generic {
		generic = syntax.GenericType
	}
	f := &frame{place: &place{op: op}, generic: generic}
	for i := range op.Params {
		p := &op.Params[i]
		e.checkDefault(f, op, i)
		v := unknownOf(bound(p.Type, generic, e.dialect == syntax.Provisional), -1)
		if f.vars.get(p.Name) != nil {
			v = poisoned{} // there are two of that name
		}
		f.vars.set(p.Name, v)
	}
	f.vars.params = len(f.vars.names)
	for i := range op.Body {
		if e.stopped { // Without this the rest would be checked in vain.
			return
		}
		a := &op.Body[i]
		err := e.assign(f, a, nil)
		if err == nil {
			err = e.unpacked(f, a)
		}
		if err != nil {
			e.recover(f, a, err)
		}
	}
	for i := range op.Results {
		if op.Body != nil && !e.stopped {
			e.checkResult(f, op, i)
		}
	}
}

// checkDefault checks that the default of a parameter has its type.
func (e *Evaluator) checkDefault(f *frame, op *Operation, i int) {
	p, x := &op.Params[i], op.Decl.Params[i].Default
	if x == nil {
		return
	}
	if _, err := e.eval(f, x, nil); err != nil {
		var wrong *fault
		if errors.As(err, &wrong) && wrong.Class() == syntax.ClassType {
			wrong.Code = CodeDefault // items without a common type
		}
		e.report(err)
		return
	}
	v := p.Default
	if m := e.match(syntax.NoPrimitive); !m.fits(v, p.Type) {
		e.report(f.fail(CodeDefault, syntax.SpanOf(x), e.castHint(v, p.Type, syntax.NoPrimitive),
			"the default of %s is %s; the parameter is %s",
			p.Name, e.typeName(v), e.typeText(p.Type)))
	}
}

// checkResult checks that a result has a value of its type.
func (e *Evaluator) checkResult(f *frame, op *Operation, i int) {
	r := &op.Results[i]
	id := op.Decl.Results[i].Name
	v := f.vars.get(r.Name)
	if v == nil {
		e.report(f.fail(CodeUnassigned, id.Span, DoYouMean(r.Name, f.vars.names), "the result %s is never assigned", r.Name))
		return
	}
	if _, bad := v.(poisoned); bad || f.vars.isParam(r.Name) {
		return
	}
	if err := e.spendOn(f, id.Span, v); err != nil {
		e.report(err)
		return
	}
	if m := e.match(f.generic); m.fits(v, r.Type) {
		return
	}
	span := id.Span
	for k := range op.Body {
		for assigned := range op.Body[k].Names() {
			if assigned.Name == r.Name {
				span = assigned.Span
			}
		}
	}
	e.report(f.fail(CodeResultType, span, e.castHint(v, r.Type, f.generic), "the result %s of %s is %s; it is declared as %s",
		r.Name, op.Name, e.typeName(v), e.typeText(r.Type)).
		with(syntax.Related{Source: f.op.Source, Span: op.Decl.Results[i].Span, Message: r.Name + " is declared here"}))
}

// unpacked checks that an array which an atomic operation yields is assigned to a pattern: the number of its items must
// be seen in the text.
func (e *Evaluator) unpacked(f *frame, a *syntax.Assignment) error {
	id, single := a.Left.(*syntax.Ident)
	c, call := a.Right.(*syntax.Call)
	if !single || !call {
		return nil
	}
	op := f.op.Scope.Operation(c.Name.Name)
	if _, list := length(f.vars.get(id.Name)); !list || op == nil || op.compound() || !syntax.HoldsTensor(op.Results[0].Type) {
		return nil
	}
	return f.fail(CodePattern, id.Span, "write ["+id.Name+", …] with one name for each tensor",
		"%s yields an array of tensors; the left side has one name", c.Name.Name)
}
