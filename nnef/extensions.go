package nnef

import (
	"slices"
	"strings"
	"unicode"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/naming"
	"github.com/concord-nn/concord/internal/nnef/eval"
	"github.com/concord-nn/concord/internal/nnef/symbol"
	"github.com/concord-nn/concord/internal/nnef/tract"
	"github.com/concord-nn/concord/nnef/syntax"
	"github.com/concord-nn/concord/tensor"
)

// statements are what the extension statements of a document say beyond enabling parts of the syntax.
type statements struct {
	operators bool                    // the operations are Concord's operators
	symbols   map[string]eval.Value   // extents: numbers, or eval.Symbol where the shapes of inputs do not say one
	types     map[string]tensor.DType // element types of identifiers
	names     map[string]string       // names of inputs and outputs that are not identifiers
	// nodeLabels are the labels of the nodes whose first results have these identifiers.
	nodeLabels map[string]string
	properties map[string]string // of the model; may be nil
	passedOn   []string          // statements for other packages
	found      syntax.Diagnostics
	fragments  map[string]*syntax.Fragment // those with a body, by name
	tract      *tract.Library              // the operations of the engine tract; nil if the document does not use it
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
	"concord_name":  func(s *statements, _ []string, text string) bool { return named(s.names, text) },
	"concord_label": func(s *statements, _ []string, text string) bool { return named(s.nodeLabels, text) },
	propertyStatement: func(s *statements, _ []string, text string) bool {
		key, value, ok := pair(text)
		if s.properties == nil {
			s.properties = make(map[string]string)
		}
		s.properties[key] = value
		return ok
	},
}

// passedOn are the extensions whose statements are not read here but given to callers, who check them: what makes a model of CVM of
// a graph.
var passedOn = []string{"concord_cvm"}

// propertyStatement is the extension that holds one of a model's properties: extension concord_property 'KEY' 'VALUE'.
const propertyStatement = "concord_property"

// named notes the text that a statement NAME 'TEXT' gives to an identifier.
func named(texts map[string]string, statement string) bool {
	name, text, ok := pair(statement)
	texts[name] = text
	fragment, own, qualified := strings.Cut(name, ".")
	return ok && graph.Identifier(fragment) == fragment && (!qualified || graph.Identifier(own) == own)
}

// pair reads two words.
func pair(statement string) (first, second string, ok bool) {
	first, rest, ok := word(statement)
	second, behind, okToo := word(strings.TrimSpace(rest))
	return first, second, ok && okToo && behind == "" && strings.TrimSpace(rest) != rest
}

// word reads an identifier, perhaps behind that of a block and a point, or a text as [graph.QuoteText] writes it, and returns what follows.
func word(s string) (text, rest string, ok bool) {
	if text, rest, ok = graph.UnquoteText(s); ok {
		return text, rest, true
	}
	n := len(s) - len(strings.TrimLeftFunc(s, func(r rune) bool { return !unicode.IsSpace(r) && r != '\'' && r != '"' }))
	plain := strings.Replace(s[:n], ".", "_", 1)
	return s[:n], s[n:], n > 0 && graph.Identifier(plain) == plain
}

// readStatements reads the extension statements of a document. The shapes are those that the user gives to inputs.
func readStatements(doc *syntax.Document, shapes map[string]tensor.Shape) *statements {
	s := &statements{fragments: make(map[string]*syntax.Fragment), symbols: make(map[string]eval.Value), types: make(map[string]tensor.DType),
		names: make(map[string]string), nodeLabels: make(map[string]string)}
	for _, f := range doc.Fragments {
		if f.Body != nil {
			s.fragments[f.Name.Name] = f
		}
	}
	for i := range doc.Extensions {
		e := &doc.Extensions[i]
		if slices.Contains(passedOn, e.Name) {
			s.passedOn = append(s.passedOn, strings.TrimSpace(e.Name+" "+e.Text))
		}
		own := ownStatements[e.Name]
		if own != nil && !own(s, strings.Fields(e.Text), e.Text) {
			s.found = append(s.found, syntax.Diagnostic{Code: CodeExtension, Source: doc.Source, Span: e.Span,
				Message: "the statement of extension " + e.Name + " is broken", Hint: "see the documentation of graph.Print"})
		}
	}
	if len(s.symbols) > 0 {
		var found syntax.Diagnostics
		s.symbols, found = symbol.Bind(doc, s.symbols, shapes)
		s.found = append(s.found, found...)
	}
	if doc.Tract {
		s.tract, s.found = tract.New(doc, shapes, s.fragments, func(name string) bool { return loweringOf(syntax.Final, name) != nil })
		s.symbols, s.types, s.properties = s.tract.Symbols, s.tract.Types, s.tract.Properties()
	}
	return s
}

// ownExtensions are the names of the extensions that are read here or by callers.
var ownExtensions = slices.Concat(naming.Sorted(ownStatements), passedOn)

// library returns the operations beside those of the standard, nil if there are none.
func (s *statements) library() eval.Library {
	switch {
	case s.tract != nil:
		return s.tract
	case s.operators:
		return operators{}
	}
	return nil
}
