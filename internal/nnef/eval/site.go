package eval

import (
	"errors"

	"github.com/concord-nn/concord/nnef/syntax"
)

// Site is the place of one invocation in the text, with the invocations around it.
type Site struct {
	at *place
	op *Operation
	x  syntax.Node // the invocation, or the expression with an operator
}

// Frame is one step of a [Site.Trace].
type Frame struct {
	Name   string         // the graph or fragment in whose body the invocation stands
	Source *syntax.Source // the text of that body; nil if it is not the caller's
	Span   syntax.Span    // of the invocation in it
}

// Trace returns where the invocation stands: first its own place in the innermost body, then the place of the invocation
// of that body's fragment, and so on; the last one stands in the graph.
func (s *Site) Trace() []Frame {
	var list []Frame
	span := syntax.SpanOf(s.x)
	for f := s.at; f != nil; f = f.caller {
		list = append(list, Frame{f.op.Name, f.op.Source, span})
		span = f.site
	}
	return list
}

// Diagnostic returns the finding for an error about the invocation. An *[Error] names the argument at fault; other errors
// concern the whole invocation.
func (s *Site) Diagnostic(err error) syntax.Diagnostic { return s.fail(err).Diagnostic }

func (s *Site) fail(err error) *fault {
	at := &Error{Code: CodeShape, Msg: err.Error()}
	errors.As(err, &at)
	place := s.x
	if i := s.op.Index(at.Arg); i >= 0 {
		place, _ = s.op.argument(s.x, i)
	}
	return s.at.fail(at.Code, syntax.SpanOf(place), at.Hint, "%s", at.Msg)
}

// Given reports whether the text gives an argument for parameter i, so that its default is not taken.
func (s *Site) Given(i int) bool {
	_, given := s.op.argument(s.x, i)
	return given && i < len(s.op.Params)
}

// Names returns the identifiers in the argument that the text gives for parameter i, in their order.
func (s *Site) Names(i int) []string {
	var names []string
	if x, given := s.op.argument(s.x, i); given {
		syntax.Walk(x, func(n syntax.Node) bool {
			if id, ok := n.(*syntax.Ident); ok {
				names = append(names, id.Name)
			}
			return true
		})
	}
	return names
}

// argument returns the argument for a parameter in an expression that applies an operation, and the whole expression if
// there is none.
func (op *Operation) argument(x syntax.Node, param int) (arg syntax.Node, given bool) {
	switch x := x.(type) {
	case *syntax.Call:
		for i := range x.Args {
			a := &x.Args[i]
			if a.Name == nil && i == param || a.Name != nil && param < len(op.Params) && a.Name.Name == op.Params[param].Name {
				return a.Value, true
			}
		}
	case *syntax.Binary:
		if param == 0 {
			return x.X, true
		}
		return x.Y, true
	case *syntax.Unary:
		return x.X, true
	}
	return x, false
}
