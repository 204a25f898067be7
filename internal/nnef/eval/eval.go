package eval

import (
	"errors"
	"fmt"

	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/nnef/syntax"
)

// Limits bound the work of one Evaluator. A field of 0 stands for the default in parentheses. Exceeding a limit ends the
// evaluation with an error.
type Limits struct {
	Depth  int // nested invocations of fragments (200)
	Steps  int // expressions evaluated, parameters and names bound; literals in lists left aside (8 Mi)
	Items  int // items of arrays and bytes of strings that are made, compared or checked, nested ones each time they occur (8 Mi)
	Calls  int // atomic operations applied (128 Ki)
	Errors int // diagnostics (50)
}

// DefaultLimits hold where [Limits] has a 0.
var DefaultLimits = Limits{
	Depth: limits.EvalDepth, Steps: limits.EvalSteps, Items: limits.EvalItems, Calls: limits.EvalCalls, Errors: limits.EvalErrors,
}

// Filled returns the limits with the defaults in place of each 0.
func (l Limits) Filled() Limits { return limits.Filled(l, DefaultLimits) }

// Evaluator evaluates or checks bodies and collects diagnostics. It must not be used by several goroutines at once.
type Evaluator struct {
	// Expanded, if not nil, is told of each body that was evaluated. The lists must not be kept.
	Expanded func(op *Operation, args, results []Value)

	limits              Limits
	dialect             syntax.Dialect
	tract               bool // what the engine tract adds is allowed
	operators           bool // the operations are Concord's operators
	checking            bool // values are not known
	steps, items, calls int
	errors              int
	diagnostics         syntax.Diagnostics
	stopped             bool // a limit was exceeded; nothing more is evaluated

}

// New returns an Evaluator with the given limits.
func New(limits Limits) *Evaluator { return &Evaluator{limits: limits.Filled()} }

// For sets the dialect of the texts to that of a document, and returns the Evaluator. Without it the dialect is
// [syntax.Final].
func (e *Evaluator) For(doc *syntax.Document) *Evaluator {
	e.dialect, e.tract = doc.Dialect, doc.Tract
	e.operators = doc.Declares(syntax.ExtConcord)
	return e
}

// Used returns what the evaluation has counted so far of what the limits bound.
func (e *Evaluator) Used() Limits { return Limits{Steps: e.steps, Items: e.items, Calls: e.calls} }

// Diagnostics returns what was found so far, in the order of the text.
func (e *Evaluator) Diagnostics() syntax.Diagnostics {
	e.diagnostics.Sort()
	return e.diagnostics
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
	e.diagnostics = append(e.diagnostics, d)
}

// report adds an error unless it follows from another one.
func (e *Evaluator) report(err error) {
	var d *fault
	if !errors.As(err, &d) {
		return // it follows from an error that was reported
	}
	if e.stopped {
		return
	}
	e.stopped = d.Code == CodeLimit
	e.Report(d.Diagnostic)
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
