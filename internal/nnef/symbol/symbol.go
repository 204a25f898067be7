// Package symbol finds what the symbols in the shapes of a document's inputs stand for.
package symbol

import (
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"

	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/internal/naming"
	"github.com/concord-nn/concord/internal/nnef/eval"
	"github.com/concord-nn/concord/internal/nnef/flat"
	"github.com/concord-nn/concord/internal/pattern"
	"github.com/concord-nn/concord/nnef/syntax"
	"github.com/concord-nn/concord/tensor"
)

// Solver finds what the symbols of a document stand for.
type Solver struct {
	doc      *syntax.Document
	shapes   map[string]tensor.Shape
	values   map[string]int64
	declared map[string]bool
	elements map[string]tensor.DType // tract's names for element types, if the document is one of tract; nil for others
	list     syntax.Diagnostics

	Types map[string]tensor.DType // of external tensors, in a document of tract
	Open  []string                // inputs whose shapes hold symbols without values
}

func newSolver(doc *syntax.Document, shapes map[string]tensor.Shape) *Solver {
	return &Solver{doc: doc, shapes: shapes, values: make(map[string]int64), declared: make(map[string]bool),
		Types: make(map[string]tensor.DType)}
}

// Bind returns the symbols of the text form with the values that the shapes of inputs give them.
func Bind(doc *syntax.Document, symbols map[string]eval.Value, shapes map[string]tensor.Shape) (map[string]eval.Value, syntax.Diagnostics) {
	s := newSolver(doc, shapes)
	for name := range symbols {
		s.declared[name] = true
	}
	s.solve()
	return s.Symbols(), s.list
}

// input is an external tensor and the expressions of its extents.
type input struct {
	id     *syntax.Ident
	extent []syntax.Expr
	shape  tensor.Shape // that the user gives; nil if there is none
}

func (s *Solver) report(code syntax.Code, span syntax.Span, hint, format string, args ...any) {
	s.list = append(s.list, syntax.Diagnostic{Code: code, Source: s.doc.Source, Span: span,
		Message: fmt.Sprintf(format, args...), Hint: hint})
}

// solve finds the values of the symbols in the shapes of inputs, and holds these to what the document declares.
func (s *Solver) solve() {
	inputs := s.inputs()
	for changed := true; changed; {
		changed = false
		for _, in := range inputs {
			for i, x := range in.extent {
				changed = i < len(in.shape) && s.equation(x, int64(in.shape[i])) || changed
			}
		}
	}
	for _, in := range inputs {
		open := slices.ContainsFunc(in.extent, s.depends)
		if open || s.elements != nil {
			s.checkInput(in)
		}
		if slices.ContainsFunc(in.extent, func(x syntax.Expr) bool { l, ok := s.linear(x); return !ok || l.k != 0 }) {
			s.Open = append(s.Open, in.id.Name)
		}
	}
}

// depends reports whether a symbol stands in an extent.
func (s *Solver) depends(x syntax.Expr) bool {
	found := false
	syntax.Walk(x, func(n syntax.Node) bool {
		id, ok := n.(*syntax.Ident)
		found = found || ok && s.declared[id.Name]
		return true
	})
	return found
}

// Solve solves a document of tract, in which every identifier of an extent is a symbol, and extents without symbols are fixed, with its declarations
// of symbols and its assertions. The elements are tract's names for element types, in small letters.
func Solve(doc *syntax.Document, shapes map[string]tensor.Shape, elements map[string]tensor.DType) (*Solver, syntax.Diagnostics) {
	s := newSolver(doc, shapes)
	s.elements = elements
	for i := range s.doc.Extensions {
		e := &s.doc.Extensions[i]
		if e.Name != "tract_symbol" {
			continue
		}
		x, _ := syntax.ParseExpr("", strings.TrimSpace(e.Text))
		id, ok := x.(*syntax.Ident)
		if !ok {
			s.report(flat.CodeExtension, e.Span, "write 'extension tract_symbol S;'", "the statement of extension tract_symbol is broken")
			continue
		}
		s.declared[id.Name] = true
	}
	s.solve()
	s.assertions()
	return s, s.list
}

// inputs finds the external tensors in the body of the graph.
func (s *Solver) inputs() []input {
	var inputs []input
	for id, c := range Externals(s.doc) {
		in := input{id: id, shape: s.shapes[id.Name]}
		for _, arg := range c.Args {
			switch x := arg.Value.(type) { // an array is the shape and a string the element type, by whatever name or position
			case *syntax.StringLit:
				if s.elements != nil {
					s.element(id, x)
				}
			case *syntax.Array:
				in.extent = x.Items
			}
		}
		for _, x := range in.extent {
			syntax.Walk(x, func(n syntax.Node) bool {
				if name, ok := n.(*syntax.Ident); ok && s.elements != nil { // there it is a symbol, whether it is declared or not
					s.declared[name.Name] = true
				}
				return true
			})
		}
		inputs = append(inputs, in)
	}
	return inputs
}

// element notes the element type of an external tensor.
func (s *Solver) element(id *syntax.Ident, x *syntax.StringLit) {
	d, ok := s.elements[strings.ToLower(x.Value)]
	if !ok {
		s.report(eval.CodeAttribute, x.Span, "", "elements of tract's type %q are not supported", x.Value)
		return
	}
	s.Types[id.Name] = d
}

// Extent returns the number that an extent is, and false if it holds symbols or is no number.
func Extent(doc *syntax.Document, x syntax.Expr) (int64, bool) {
	l, ok := newSolver(doc, nil).linear(x)
	return l.c, ok && l.k == 0
}

// linear is k·symbol + c; the symbol is empty if k is 0.
type linear struct {
	symbol string
	k, c   int64
}

// bound keeps products of coefficients within 64 bits.
const bound int64 = limits.TractSymbol

// linear returns an extent as a linear function of one unknown symbol.
func (s *Solver) linear(x syntax.Expr) (linear, bool) {
	switch x := x.(type) {
	case *syntax.IntegerLit:
		return linear{c: x.Value}, -bound <= x.Value && x.Value <= bound
	case *syntax.Ident:
		if n, ok := s.values[x.Name]; ok {
			return linear{c: n}, n <= bound
		}
		return linear{symbol: x.Name, k: 1}, true
	case *syntax.Unary:
		a, ok := s.linear(x.X)
		return linear{a.symbol, -a.k, -a.c}, ok && x.Op == syntax.Minus
	case *syntax.Binary:
		a, ok := s.linear(x.X)
		b, okToo := s.linear(x.Y)
		if !ok || !okToo {
			return linear{}, false
		}
		return combined(x.Op, a, b)
	}
	return linear{}, false
}

func combined(o syntax.Op, a, b linear) (linear, bool) {
	if o == syntax.Minus {
		b.k, b.c = -b.k, -b.c
	}
	out := linear{symbol: a.symbol + b.symbol}
	if a.symbol == b.symbol {
		out.symbol = a.symbol
	}
	switch {
	case o == syntax.Plus || o == syntax.Minus:
		out.k, out.c = a.k+b.k, a.c+b.c
	case o == syntax.Times && a.symbol == "":
		out.k, out.c = a.c*b.k, a.c*b.c
	case o == syntax.Times && b.symbol == "":
		out.k, out.c = a.k*b.c, a.c*b.c
	case o == syntax.Divide && b.symbol == "" && a.symbol == "" && b.c > 0:
		out.c = int64(math.Floor(float64(a.c) / float64(b.c)))
	default:
		return linear{}, false
	}
	one := a.symbol == "" || b.symbol == "" || a.symbol == b.symbol
	return out, one && max(out.k, -out.k, out.c, -out.c) <= bound
}

// equation takes from an extent of a given value what an unknown symbol is, and reports whether it found one.
func (s *Solver) equation(x syntax.Expr, n int64) bool {
	l, ok := s.linear(x)
	if !ok || l.k == 0 || (n-l.c)%l.k != 0 || (n-l.c)/l.k < 0 {
		return false
	}
	s.values[l.symbol] = (n - l.c) / l.k
	return true
}

// checkInput reports a given shape that the document does not allow, and an extent that is not known.
func (s *Solver) checkInput(in input) {
	if in.shape != nil && len(in.shape) != len(in.extent) {
		s.report(eval.CodeShape, in.id.Span, "", "the input %s has rank %d; the given shape is %v", in.id.Name, len(in.extent), in.shape)
		return
	}
	for i, x := range in.extent {
		span := syntax.SpanOf(x)
		l, ok := s.linear(x)
		_, bare := x.(*syntax.Ident)
		switch known := ok && l.k == 0; {
		case !known && in.shape == nil && !bare:
			s.report(eval.CodeUnknown, span, "give the shape of "+in.id.Name,
				"extent %d of the input %s is not known; its symbols have no values", i, in.id.Name)
		case !known && in.shape != nil:
			s.report(eval.CodeUnknown, span, "give an extent for which there is one value",
				"the extent %d of the input %s does not say what the symbols are", in.shape[i], in.id.Name)
		case known && in.shape != nil && l.c != int64(in.shape[i]) && (s.elements != nil || s.depends(x)):
			s.report(eval.CodeShape, span, "", "extent %d of the input %s is %d; the given shape is %v", i, in.id.Name, l.c, in.shape)
		}
	}
}

// assertions checks the statements tract_assert whose symbols all have values. Those of scenarios, which are named and
// so no expressions, say nothing about one run.
func (s *Solver) assertions() {
	for i := range s.doc.Extensions {
		e := &s.doc.Extensions[i]
		if e.Name != "tract_assert" {
			continue
		}
		x, err := syntax.ParseExpr("", equals.Get().ReplaceAllString(e.Text, "$1==$2"))
		if c, ok := x.(*syntax.Binary); ok && err == nil {
			a, knownA := s.linear(c.X)
			b, knownB := s.linear(c.Y)
			if knownA && knownB && a.k == 0 && b.k == 0 && !holds(c.Op, a.c, b.c) {
				s.report(eval.CodeShape, e.Span, "give inputs other shapes", "the assertion %s does not hold for the given shapes: %s",
					strings.TrimSpace(e.Text), s.assignment())
			}
		}
	}
}

// equals is what tract also writes for ==.
var equals = pattern.Of(`([^<>=])=([^=])`)

func holds(op syntax.Op, a, b int64) bool {
	switch op {
	case syntax.LessEqual:
		return a <= b
	case syntax.GreaterEqual:
		return a >= b
	case syntax.Less:
		return a < b
	case syntax.Greater:
		return a > b
	case syntax.Equal:
		return a == b
	}
	return true // no assertion of these
}

// assignment writes the values of the symbols.
func (s *Solver) assignment() string {
	var parts []string
	for _, name := range naming.Sorted(s.values) {
		parts = append(parts, fmt.Sprintf("%s = %d", name, s.values[name]))
	}
	return strings.Join(parts, ", ")
}

// Symbols returns the values of the symbols.
func (s *Solver) Symbols() map[string]eval.Value {
	m := make(map[string]eval.Value)
	for name := range s.declared {
		m[name] = eval.Symbol(name)
		if n, ok := s.values[name]; ok {
			m[name] = n
		}
	}
	return m
}

// Externals yields the invocations that declare inputs, by the identifiers that they are assigned to.
func Externals(doc *syntax.Document) iter.Seq2[*syntax.Ident, *syntax.Call] {
	return func(yield func(*syntax.Ident, *syntax.Call) bool) {
		for i := range doc.Graph.Body {
			a := &doc.Graph.Body[i]
			id, named := a.Left.(*syntax.Ident)
			c, called := a.Right.(*syntax.Call)
			if named && called && (c.Name.Name == "external" || c.Name.Name == "tract_core_external") && !yield(id, c) {
				return
			}
		}
	}
}
