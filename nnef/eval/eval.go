package eval

import (
	"errors"
	"fmt"

	"github.com/concord-nn/concord/nnef/syntax"
)

// Limits bound the work of one Evaluator. A field of 0 stands for the default in parentheses. Exceeding a limit ends the
// evaluation with an error.
type Limits struct {
	Depth  int // nested invocations of fragments (200)
	Steps  int // expressions evaluated, parameters and names bound; literals in lists left aside (8 Mi)
	Items  int // items of arrays and bytes of strings that are made, compared or checked, nested ones each time they occur (32 Mi)
	Calls  int // atomic operations applied (128 Ki)
	Errors int // diagnostics (50)
}

// DefaultLimits hold where [Limits] has a 0.
var DefaultLimits = Limits{Depth: 200, Steps: 8 << 20, Items: 32 << 20, Calls: 128 << 10, Errors: 50}

func (l Limits) filled() Limits {
	pick := func(v, def int) int {
		if v > 0 {
			return v
		}
		return def
	}
	d := DefaultLimits
	return Limits{pick(l.Depth, d.Depth), pick(l.Steps, d.Steps), pick(l.Items, d.Items), pick(l.Calls, d.Calls), pick(l.Errors, d.Errors)}
}

// Evaluator evaluates bodies and collects diagnostics. It must not be used by several goroutines at once.
type Evaluator struct {
	limits              Limits
	steps, items, calls int
	errors              int
	list                syntax.Diagnostics
	stopped             bool // a limit was exceeded; nothing more is evaluated
}

// New returns an Evaluator with the given limits.
func New(limits Limits) *Evaluator { return &Evaluator{limits: limits.filled()} }

// Diagnostics returns what was found so far, in the order of the text.
func (e *Evaluator) Diagnostics() syntax.Diagnostics {
	e.list.Sort()
	return e.list
}

// Report adds a finding of the caller.
func (e *Evaluator) Report(d syntax.Diagnostic) {
	if d.Severity == syntax.Error {
		if e.errors == e.limits.Errors {
			e.stopped = true
			d = syntax.Diagnostic{Code: syntax.CodeTooMany, Source: d.Source, Span: d.Span,
				Message: fmt.Sprintf("too many errors; the first %d are shown", e.limits.Errors)}
		}
		if e.errors++; e.errors > e.limits.Errors+1 {
			return
		}
	}
	e.list = append(e.list, d)
}

// report adds an error unless it follows from another one.
func (e *Evaluator) report(err error) {
	var d *fault
	if !errors.As(err, &d) {
		return
	}
	e.stopped = e.stopped || d.Code == CodeLimit
	e.Report(d.Diagnostic)
}

// frame is one body under evaluation.
type frame struct {
	op      string // the operation whose body it is, for messages
	lib     Library
	src     *syntax.Source // the text of the body; nil if it is not the caller's
	vars    map[string]Value
	isParam map[string]bool
	wishes  map[string][]string // the names that results shall have
	generic syntax.Primitive    // what '?' stands for
	caller  *frame
	site    syntax.Span // of the invocation, in the caller's text
	depth   int
}

// poisoned is the value of an identifier whose assignment failed.
type poisoned struct{}

// Graph evaluates the body of a graph and returns the values of its identifiers; the known ones are defined before. Each
// identifier is one tensor; a literal that is assigned to a result, or yielded by a fragment, becomes one by the operation
// copy. Errors are in Diagnostics.
func (e *Evaluator) Graph(g *syntax.Graph, lib Library, known map[string]Value) map[string]Value {
	f := &frame{op: g.Name.Name, lib: lib, src: g.Source, vars: make(map[string]Value), isParam: make(map[string]bool)}
	isResult := make(map[string]bool)
	for _, id := range g.Results {
		isResult[id.Name] = true
	}
	for name, v := range known {
		f.vars[name], f.isParam[name] = v, true
	}
	for i := range g.Body {
		if e.stopped {
			break
		}
		if err := e.graphAssignment(f, &g.Body[i], isResult); err != nil {
			e.report(err)
			for id := range g.Body[i].Names() {
				if _, ok := f.vars[id.Name]; !ok {
					f.vars[id.Name] = poisoned{}
				}
			}
		}
	}
	for _, id := range g.Results {
		if _, ok := f.vars[id.Name]; !ok && !e.stopped {
			e.report(f.fail(CodeUnassigned, id.Span, "", "the result %s is never assigned", id.Name))
		}
	}
	for name, v := range f.vars {
		if _, bad := v.(poisoned); bad {
			delete(f.vars, name)
		}
	}
	return f.vars
}

func (e *Evaluator) graphAssignment(f *frame, a *syntax.Assignment, isResult map[string]bool) error {
	if err := e.fresh(f, a); err != nil {
		return err
	}
	var names []string
	for id := range a.Names() {
		names = append(names, id.Name)
	}
	v, err := e.eval(f, a.Right, names)
	if err != nil {
		return err
	}
	return e.bind(f, a.Left, v, func(id *syntax.Ident, v Value) error {
		t, err := e.tensor(f, id, a.Right, v, isResult[id.Name])
		f.vars[id.Name] = t
		return err
	})
}

// tensor returns the value of an identifier of a graph.
func (e *Evaluator) tensor(f *frame, id *syntax.Ident, right syntax.Expr, v Value, isResult bool) (Value, error) {
	switch v := v.(type) {
	case Tensor:
		return v, nil
	case int, float64, bool:
		_, called := right.(*syntax.Call) // a fragment's result is a tensor, even if it is a literal
		if copying := f.lib.Operation("copy"); copying != nil && (isResult || called) {
			return e.invoke(f, spanOf(right), copying, syntax.NoPrimitive, []argument{{value: v, span: spanOf(right)}}, []string{id.Name})
		}
	}
	hint := "write the value where it is used"
	if _, list := v.(Array); list {
		hint = "name each item with a pattern in brackets"
	}
	return poisoned{}, f.fail(CodeGraph, id.Span, hint, "an identifier of a graph is one tensor; %s would be %s", id.Name, typeName(v))
}

// fresh checks that the identifiers on a left side have no value yet.
func (e *Evaluator) fresh(f *frame, a *syntax.Assignment) error {
	seen := make(map[string]bool)
	for id := range a.Names() {
		if err := e.step(f, id.Span, 1); err != nil {
			return err
		}
		_, defined := f.vars[id.Name]
		switch {
		case f.isParam[id.Name]:
			return f.fail(CodeRedefined, id.Span, "choose another name", "%s is a parameter and cannot be assigned", id.Name)
		case defined || seen[id.Name]:
			return f.fail(CodeRedefined, id.Span, "choose another name", "%s is assigned twice", id.Name)
		}
		seen[id.Name] = true
	}
	return nil
}

// bind matches a value with a left side and calls set for each identifier.
func (e *Evaluator) bind(f *frame, pattern syntax.Expr, v Value, set func(*syntax.Ident, Value) error) error {
	var items []syntax.Expr
	var values []Value
	what := "tuple"
	switch p := pattern.(type) {
	case *syntax.Ident:
		if t, ok := v.(Tuple); ok {
			return f.fail(CodePattern, p.Span, fmt.Sprintf("write (%s, …) with %d names", p.Name, len(t)),
				"the right side yields %d results; the left side has one name", len(t))
		}
		return set(p, v)
	case *syntax.Array:
		a, ok := v.(Array)
		if !ok {
			return f.fail(CodePattern, p.Span, "", "the left side is an array; the right side is %s", typeName(v))
		}
		items, values, what = p.Items, a, "array"
	case *syntax.Tuple:
		t, ok := v.(Tuple)
		if !ok {
			return f.fail(CodePattern, p.Span, "", "the left side is a tuple; the right side is %s", typeName(v))
		}
		items, values = p.Items, t
	}
	if len(items) != len(values) {
		return f.fail(CodePattern, spanOf(pattern), "", "the left side is an %s of %d names; the right side has %d items", what, len(items), len(values))
	}
	for i, item := range items {
		if err := e.bind(f, item, values[i], set); err != nil {
			return err
		}
	}
	return nil
}

// step counts n expressions, or what costs as much as they.
func (e *Evaluator) step(f *frame, at syntax.Span, n int) error {
	if e.steps += n; e.steps > e.limits.Steps {
		return f.fail(CodeLimit, at, "", "the evaluation takes more than %d steps", e.limits.Steps)
	}
	return nil
}

// spend counts items of arrays and bytes of strings that are made or looked at.
func (e *Evaluator) spend(f *frame, at syntax.Span, n int) error {
	if n > e.limits.Items-e.items {
		return f.fail(CodeLimit, at, "", "arrays and strings of more than %d items are made or compared", e.limits.Items)
	}
	e.items += n
	return nil
}

// spendOn counts all items of values, on every level. Arrays may share items, so that few statements make a value that
// takes for ever to walk through: nothing may be walked through that was not counted.
func (e *Evaluator) spendOn(f *frame, at syntax.Span, values ...Value) error {
	left := e.limits.Items - e.items
	for _, v := range values {
		left = weigh(v, left)
	}
	return e.spend(f, at, e.limits.Items-e.items-left)
}

// Expand evaluates the body of an operation for the given arguments, one for each parameter, and returns one value for
// each result. Tensors that become results get the given names.
func (e *Evaluator) Expand(op *Operation, args []Value, names []string) ([]Value, error) {
	f := &frame{op: op.Name, lib: op.Scope, src: op.Source}
	out, err := e.expand(f, syntax.Span{}, op, syntax.NoPrimitive, args, names)
	if err != nil {
		e.report(err)
		return nil, e.Diagnostics().Err()
	}
	return out, nil
}

// expand evaluates a body within an invocation at site.
func (e *Evaluator) expand(caller *frame, site syntax.Span, op *Operation, generic syntax.Primitive, args []Value, names []string) ([]Value, error) {
	f := &frame{op: op.Name, lib: op.Scope, src: op.Source, vars: make(map[string]Value, len(args)+len(op.Body)),
		isParam: make(map[string]bool, len(args)), wishes: wishes(op, names), generic: generic, caller: caller, site: site, depth: caller.depth + 1}
	if f.depth > e.limits.Depth {
		return nil, caller.fail(CodeLimit, site, "", "invocations are nested more than %d deep", e.limits.Depth)
	}
	for i := range op.Params {
		f.vars[op.Params[i].Name], f.isParam[op.Params[i].Name] = args[i], true
	}
	for i := range op.Body {
		a := &op.Body[i]
		if err := e.fresh(f, a); err != nil {
			return nil, err
		}
		v, err := e.eval(f, a.Right, f.wished(a))
		if err != nil {
			return nil, err
		}
		if err := f.unpacked(a, v); err != nil {
			return nil, err
		}
		err = e.bind(f, a.Left, v, func(id *syntax.Ident, v Value) error {
			f.vars[id.Name] = v
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	out := make([]Value, len(op.Results))
	for i, r := range op.Results {
		v, ok := f.vars[r.Name]
		if !ok {
			return nil, caller.fail(CodeUnassigned, site, "", "the body of %s does not assign its result %s", op.Name, r.Name)
		}
		if _, absent := v.(Absent); !absent && r.Type != nil {
			if err := e.spendOn(caller, site, v); err != nil {
				return nil, err
			}
			m := match{generic: generic}
			if !m.fits(v, r.Type) {
				return nil, caller.fail(CodeResultType, site, "", "the result %s of %s is %s; it is declared as %s",
					r.Name, op.Name, typeName(v), syntax.TypeText(r.Type, syntax.Final))
			}
		}
		out[i] = v
	}
	return out, nil
}

// unpacked checks that an array which an atomic operation yields is assigned to a pattern: the number of its items must
// be seen in the text.
func (f *frame) unpacked(a *syntax.Assignment, v Value) error {
	id, single := a.Left.(*syntax.Ident)
	c, call := a.Right.(*syntax.Call)
	list, array := v.(Array)
	if !single || !call || !array {
		return nil
	}
	if op := f.lib.Operation(c.Name.Name); op == nil || op.Body != nil {
		return nil
	}
	return f.fail(CodePattern, id.Span, fmt.Sprintf("write [%s, …] with %d names", id.Name, len(list)),
		"%s yields an array of %d tensors; the left side has one name", c.Name.Name, len(list))
}

// wishes divides the names of an invocation's results among the results.
func wishes(op *Operation, names []string) map[string][]string {
	if len(names) == 0 {
		return nil
	}
	if len(op.Results) == 1 {
		return map[string][]string{op.Results[0].Name: names}
	}
	m := make(map[string][]string)
	for i, r := range op.Results {
		if _, list := r.Type.(*syntax.ArrayType); list || i >= len(names) {
			break
		}
		m[r.Name] = names[i : i+1]
	}
	return m
}

// wished returns the names that the tensors assigned to a left side shall get.
func (f *frame) wished(a *syntax.Assignment) []string {
	if len(f.wishes) == 0 {
		return nil
	}
	if id, ok := a.Left.(*syntax.Ident); ok {
		return f.wishes[id.Name]
	}
	var names []string
	for id := range a.Names() {
		name := ""
		if w := f.wishes[id.Name]; len(w) == 1 {
			name = w[0]
		}
		names = append(names, name)
	}
	return names
}
