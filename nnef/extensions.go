package nnef

import (
	"regexp"
	"strings"

	"github.com/concord-nn/concord/nnef/eval"
	"github.com/concord-nn/concord/nnef/syntax"
	"github.com/concord-nn/concord/tensor"
)

// statements are what the extension statements of a document say beyond enabling parts of the syntax.
type statements struct {
	operators bool                    // the operations are Concord's operators
	symbols   map[string]eval.Value   // extents that are bound when the graph is compiled
	types     map[string]tensor.DType // element types of identifiers
	names     map[string]string       // names of inputs and outputs that are not identifiers
	found     syntax.Diagnostics
	tract     *tract // the operations of the engine tract; nil if the document does not use it
}

// ownStatements are the extensions of the text form. Each returns false if the rest of its statement is broken.
var ownStatements = map[string]func(s *statements, fields []string, text string) bool{
	syntax.ExtConcord: func(s *statements, fields []string, _ string) bool {
		s.operators = true
		return len(fields) == 0
	},
	"concord_symbol": func(s *statements, fields []string, _ string) bool {
		if len(fields) != 1 {
			return false
		}
		s.symbols[fields[0]] = eval.Symbol(fields[0])
		return true
	},
	"concord_type": func(s *statements, fields []string, _ string) bool {
		if len(fields) != 2 {
			return false
		}
		t, err := tensor.ParseDType(fields[1])
		s.types[fields[0]] = t
		return err == nil
	},
	"concord_name": func(s *statements, _ []string, text string) bool {
		m := nameStatement.FindStringSubmatch(text)
		if m == nil {
			return false
		}
		x, err := syntax.ParseExpr("", m[2])
		literal, ok := x.(*syntax.StringLit)
		if err != nil || !ok {
			return false
		}
		s.names[m[1]] = literal.Value
		return true
	},
}

var nameStatement = regexp.MustCompile(`^([A-Za-z_][A-Za-z0-9_]*)\s+('(?:[^'\\]|\\.)*')$`)

// readStatements reads the extension statements of a document. The shapes are those that the user gives to inputs.
func readStatements(doc *syntax.Document, shapes map[string]tensor.Shape) *statements {
	s := &statements{symbols: make(map[string]eval.Value), types: make(map[string]tensor.DType), names: make(map[string]string)}
	for i := range doc.Extensions {
		e := &doc.Extensions[i]
		own := ownStatements[e.Name]
		if own != nil && !own(s, strings.Fields(e.Text), e.Text) {
			s.found = append(s.found, syntax.Diagnostic{Code: CodeExtension, Source: doc.Source, Span: e.Span,
				Message: "the statement of extension " + e.Name + " is broken", Hint: "see the documentation of graph.Print"})
		}
	}
	if tractDocument(doc) {
		s.tract, s.found = newTract(doc, shapes)
		s.symbols, s.types = s.tract.symbols, s.tract.types
	}
	return s
}

// libraries returns the operations beside those of the standard.
func (s *statements) libraries() []eval.Library {
	switch {
	case s.tract != nil:
		return []eval.Library{s.tract}
	case s.operators:
		return []eval.Library{operators{}}
	}
	return nil
}
