package check

import (
	"fmt"
	"sync"

	"github.com/concord-nn/concord/internal/nnef/eval"
	"github.com/concord-nn/concord/internal/nnef/std"
	"github.com/concord-nn/concord/nnef/syntax"
)

// standard holds the operations of the standard by dialect. Only their declarations are used.
var standard = map[syntax.Dialect]func() map[string]*eval.Operation{
	syntax.Final:       sync.OnceValue(func() map[string]*eval.Operation { return operations(syntax.Final) }),
	syntax.Provisional: sync.OnceValue(func() map[string]*eval.Operation { return operations(syntax.Provisional) }),
}

func operations(d syntax.Dialect) map[string]*eval.Operation {
	m := make(map[string]*eval.Operation)
	for _, f := range std.Of(d).Fragments() {
		op := eval.FromFragment(f, nil)
		op.Source = nil
		m[op.Name] = op
	}
	return m
}

// scope is the library that a body of the document sees: the fragments declared so far, and what the document does not
// declare itself. It implements [eval.Explainer].
type scope struct {
	doc       *syntax.Document
	opts      Options
	declared  map[string]*eval.Operation
	standard  map[string]*eval.Operation
	ahead     map[string]*eval.Operation  // fragments that were used before their declaration, where that is allowed
	other     map[string]*syntax.Fragment // all fragments; nil until one is missed
	operators bool                        // the operations are those of package op
}

func newScope(doc *syntax.Document, opts Options) *scope {
	return &scope{doc: doc, opts: opts,
		declared: make(map[string]*eval.Operation, len(doc.Fragments)), standard: standard[doc.Dialect](),
		operators: extended(doc, syntax.ExtConcord)}
}

// Operation implements [eval.Library].
func (s *scope) Operation(name string) *eval.Operation {
	if len(s.declared) > 0 {
		if op := s.declared[name]; op != nil {
			return op
		}
	}
	if op := s.shared(name); op != nil || len(s.doc.Fragments) == 0 || !s.opts.Lenient && !s.doc.Tract {
		return op
	}
	return s.forward(name)
}

// forward returns an operation that is declared below, if there is one.
func (s *scope) forward(name string) *eval.Operation {
	if op := s.ahead[name]; op != nil {
		return op
	}
	f := s.later(name)
	if f == nil {
		return nil
	}
	if s.ahead == nil {
		s.ahead = make(map[string]*eval.Operation)
	}
	s.ahead[name] = eval.FromFragment(f, s)
	return s.ahead[name]
}

// shared returns an operation that does not come from the document.
func (s *scope) shared(name string) *eval.Operation {
	for _, l := range s.opts.Libraries {
		if op := l.Operation(name); op != nil {
			return op
		}
	}
	return s.standard[name]
}

// Explain implements [eval.Explainer].
func (s *scope) Explain(name string) (string, []syntax.Related) {
	if f := s.later(name); f != nil {
		return "move the declaration of " + name + " above this one", here(f.Name.Span, "%s is declared here, after its use", name)
	}
	other, final := syntax.Provisional, s.doc.Dialect == syntax.Final
	if !final {
		other = syntax.Final
	}
	if standard[other]()[name] != nil {
		hint := fmt.Sprintf("%s is an operation of the %v dialect", name, other)
		if final {
			hint += replacements[name]
		}
		return hint, nil
	}
	if word := castNames[s.doc.Dialect]; name == castNames[other] {
		return fmt.Sprintf("the %v dialect has %s(…)", s.doc.Dialect, word), nil
	}
	var names []string
	for n := range s.declared {
		names = append(names, n)
	}
	for _, f := range std.Of(s.doc.Dialect).Fragments() {
		names = append(names, f.Name.Name)
	}
	if hint := eval.DoYouMean(name, names); hint != "" {
		return hint, nil
	}
	return "take an operation of the standard, or declare a fragment of that name before its use", nil
}

// castNames are the functions that the dialects convert to integers by.
var castNames = map[syntax.Dialect]string{
	syntax.Final: syntax.ToInteger.Text(syntax.Final), syntax.Provisional: syntax.ToInteger.Text(syntax.Provisional),
}

// replacements are what the final dialect has in place of operations of the provisional one.
var replacements = map[string]string{
	"idn":              "; the final one has copy",
	"planewise_conv":   "; the final one has conv with groups = 0",
	"planewise_deconv": "; the final one has deconv with groups = 0",
}

// later returns a fragment of the document that is not declared yet.
func (s *scope) later(name string) *syntax.Fragment {
	if s.other == nil {
		s.other = make(map[string]*syntax.Fragment, len(s.doc.Fragments))
		for _, f := range s.doc.Fragments {
			s.other[f.Name.Name] = f
		}
	}
	if s.declared[name] != nil {
		return nil
	}
	return s.other[name]
}
