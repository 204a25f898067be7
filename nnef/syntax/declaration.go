package syntax

import (
	"strings"
)

// document reads version, extensions, fragments and graph.
func (p *parser) document() *Document {
	doc := p.doc
	doc.From = p.tok.from
	if !p.version() {
		p.stop()
		return doc
	}
	for p.tok.kind == tokExtension || p.foreignExtension() {
		p.extension()
	}
	for p.tok.kind != tokEOF {
		switch {
		case p.tok.kind == tokFragment && doc.Graph != nil:
			p.errorAt(CodeOrder, p.tok.span(), "move the fragment before the graph", "a fragment after the graph")
			p.stop()
			return doc
		case p.tok.kind == tokFragment:
			doc.Fragments = append(doc.Fragments, p.fragment())
		case p.tok.kind == tokGraph && doc.Graph != nil:
			p.report(Diagnostic{Code: CodeOrder, Span: p.tok.span(), Message: "a document has only one graph",
				Related: []Related{{Span: doc.Graph.Span, Message: "the first graph is here"}}})
			p.stop()
			return doc
		case p.tok.kind == tokGraph:
			doc.Graph = p.graph()
		case p.tok.kind == tokExtension:
			p.errorAt(CodeOrder, p.tok.span(), "move it below the version", "an extension statement behind a declaration")
			p.extension()
		default:
			want := "'fragment' or 'graph'"
			if doc.Graph != nil {
				want = "the end of the text after the graph"
			}
			p.unexpected(want)
			p.next()
			p.skipTo(tokFragment, tokGraph)
		}
	}
	doc.To = p.last
	if doc.Graph == nil {
		p.errorAt(CodeOrder, p.tok.span(), "add 'graph name( inputs ) -> ( outputs ) { … }'", "the document has no graph")
	}
	doc.Comments = withInner(doc.Comments, p.tail(false))
	return doc
}

// Hints at what a document starts with.
const (
	versionHint = "all documents of NNEF 1.0 to 1.0.5 say 'version 1.0;'"
	finalHint   = "or write a final document, which starts with 'version 1.0;'"
)

// version reads the version statement and sets the dialect by the token after the number.
func (p *parser) version() bool {
	before := p.leading(false)
	doc := p.doc
	if p.tok.kind != tokVersion {
		d := Diagnostic{Code: CodeVersion, Span: p.tok.span(),
			Message: "a document starts with the version statement, found " + p.found(),
			Hint:    "the first line is 'version 1.0;'"}
		if p.tok.kind == tokEOF {
			d.Message = "the text is empty; a document starts with the version statement"
		}
		switch p.src.Text[p.tok.from:p.tok.to] {
		case "import", "operator", "graph", "fragment":
			if p.looksLikeNNEF2() {
				d.Code = CodeNNEF2
				d.Message = "this is an NNEF 2.0 (SkriptND) document, which is another language"
				d.Hint = "only NNEF 1.0 documents are read"
			}
		}
		p.report(d)
		return false
	}
	doc.Version.From = p.tok.from
	p.next()
	if p.tok.bad() && len(p.list) > 0 {
		p.list[len(p.list)-1].Hint = versionHint
	}
	number := p.src.Text[p.tok.from:p.tok.to]
	major, minor, isPair := strings.Cut(number, ".")
	if p.tok.kind != tokScalar || !isPair || !isDigits(major) || !isDigits(minor) {
		p.errorAt(CodeVersion, p.tok.span(), "write 'version 1.0;'", "expected a version number of two parts, found %s", p.found())
		return false
	}
	if strings.TrimLeft(major, "0") != "1" || strings.TrimLeft(minor, "0") != "" {
		p.errorAt(CodeUnsupportedVersion, p.tok.span(), versionHint,
			"version %s is not supported", abbreviate(number))
		return false
	}
	doc.Version.Major, doc.Version.Minor = 1, 0
	if !p.peekIs(';') {
		doc.Dialect = Provisional
	}
	p.dialect = doc.Dialect
	p.next()
	if doc.Dialect == Final {
		p.next()
	}
	doc.Version.To = p.last
	doc.Comments = p.attach(before)
	return true
}

// looksLikeNNEF2 tells whether blocks of the later language occur in the text.
func (p *parser) looksLikeNNEF2() bool {
	for _, block := range []string{"@input", "@output", "@dtype", "@attrib"} {
		if strings.Contains(p.text, block) {
			return true
		}
	}
	return strings.HasPrefix(p.text[p.tok.from:], "import")
}

func isDigits(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}

// foreignExtension tells whether an extension statement stands in a provisional document, and reports it.
func (p *parser) foreignExtension() bool {
	if p.dialect == Final || p.tok.kind != tokIdent || p.src.Text[p.tok.from:p.tok.to] != "extension" {
		return false
	}
	p.foreign(p.tok.span(), "remove it, "+finalHint,
		"a provisional document has no extension statements")
	return true
}

// Prefixes of the names of extensions whose statements hold further text: those of the engine tract, which also extend
// the language, and those of Concord.
const (
	tractPrefix   = "tract_"
	concordPrefix = "concord_"
)

// hasText tells whether the statement of an extension may hold text behind the name.
func hasText(name string) bool {
	return strings.HasPrefix(name, tractPrefix) || strings.HasPrefix(name, concordPrefix)
}

// extension reads a statement, which names one or several extensions.
func (p *parser) extension() {
	before := p.leading(false)
	first := len(p.doc.Extensions)
	p.next()
	if p.tok.kind == tokIdent && hasText(p.src.Text[p.tok.from:p.tok.to]) {
		if !p.textExtension() {
			return
		}
	} else {
		for {
			id := p.ident("the name of an extension")
			if id == nil {
				p.skipTo(tokSemicolon, tokFragment, tokGraph)
				break
			}
			p.doc.Extensions = append(p.doc.Extensions, Extension{Span: id.Span, Name: id.Name})
			if p.tok.kind == tokComma {
				p.next()
			} else if p.tok.kind != tokIdent {
				break
			}
		}
	}
	if !p.expect(tokSemicolon, "after the name of an extension") {
		p.skipTo(tokSemicolon, tokExtension, tokFragment, tokGraph)
		if p.tok.kind == tokSemicolon {
			p.next()
		}
	}
	comments := p.attach(before)
	if names := p.doc.Extensions[first:]; len(names) > 0 && comments != nil {
		names[0].Comments = &Comments{Before: comments.Before}
		last := &names[len(names)-1]
		if last.Comments == nil {
			last.Comments = new(Comments)
		}
		last.Comments.After = comments.After
	}
}

// textExtension reads the name of an extension and the text behind it up to the semicolon, which has a syntax of its
// own.
func (p *parser) textExtension() bool {
	ext := Extension{Span: p.tok.span(), Name: p.src.Text[p.tok.from:p.tok.to]}
	n := extensionText(ext.Name, p.text[p.pos:])
	if n < 0 {
		p.next()
		p.skipTo(tokEOF)
		p.unexpected("';' after the extension")
		return false
	}
	ext.Text = strings.TrimSpace(p.text[p.pos : p.pos+n])
	if strings.HasPrefix(ext.Name, tractPrefix) || !strings.Contains(ext.Text, "'") {
		ext.Text = strings.Join(strings.Fields(ext.Text), " ")
	}
	p.pos += n
	ext.To = Pos(p.pos)
	p.doc.Extensions = append(p.doc.Extensions, ext)
	if strings.HasPrefix(ext.Name, tractPrefix) {
		p.doc.Tract, p.tract = true, true
	}
	p.next()
	return true
}

// extensionText returns the number of bytes before the semicolon that ends the statement of an extension, or -1 if there
// is none. In the text of Concord's own extensions a semicolon may stand in single quotes, which end in the same line.
func extensionText(name, text string) int {
	if !strings.HasPrefix(name, concordPrefix) {
		return strings.IndexByte(text, ';')
	}
	quoted := false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == ';' && !quoted:
			return i
		case c == '\'':
			quoted = !quoted
		case c == '\\' && quoted:
			i++
		case c == '\n' && quoted:
			return -1
		}
	}
	return -1
}

// enabled tells whether the document declares the extension.
func (p *parser) enabled(name string) bool {
	for i := range p.doc.Extensions {
		if p.doc.Extensions[i].Name == name {
			return true
		}
	}
	return false
}

// strict tells whether the document has to declare what it uses. The engine tract leaves the statements out, and Concord's
// text form needs none.
func (p *parser) strict() bool {
	return p.opts.Strict && p.dialect == Final && !p.tract && !p.enabled(ExtConcord)
}

// flatIn returns the rule for a body.
func (p *parser) flatIn(graph bool) flatRule {
	switch {
	case p.dialect == Provisional && graph:
		return flatProvisional
	case p.strict() && !p.enabled(ExtOperators):
		return flatExtension
	}
	return flatOff
}

// fragment reads a declaration with its body. After an error it returns what it has.
func (p *parser) fragment() *Fragment {
	f := &Fragment{Source: p.src}
	f.From = p.tok.from
	before := p.leading(false)
	keyword := p.tok.span()
	p.next()
	whole := p.fragmentHead(f)
	if p.strict() && !p.enabled(ExtFragments) { // the name may have said that the document is one of tract's
		p.missing(CodeNeedsFragments, ExtFragments, keyword, "", "a fragment")
	}
	if !whole {
		p.skipTo(tokLBrace, tokSemicolon, tokFragment, tokGraph)
	}
	var inner []string
	switch {
	case p.tok.kind == tokLBrace:
		f.Body, inner = p.body(p.flatIn(false), 0)
	case p.tok.kind == tokSemicolon:
		if p.dialect == Provisional {
			p.foreign(p.tok.span(), "write the body in braces, "+finalHint, "a fragment of a provisional document needs a body")
		}
		p.next()
	case whole:
		want := "'{' or ';' after the declaration"
		if p.dialect == Provisional {
			want = "'{': a fragment needs a body"
		}
		p.unexpected(want)
	}
	f.To = p.last
	f.Comments = withInner(p.attach(before), inner)
	return f
}

func (p *parser) fragmentHead(f *Fragment) bool {
	if f.Name = p.ident("the name of the fragment"); f.Name == nil {
		return false
	}
	if strings.HasPrefix(f.Name.Name, tractPrefix) { // tract writes such a fragment where it needs no extension
		p.doc.Tract, p.tract = true, true
	}
	if p.tok.kind == tokLT {
		if f.Generic = p.generic(); f.Generic == nil {
			return false
		}
	}
	var ok bool
	if f.Params, ok = p.params("parameter", true); !ok {
		return false
	}
	if !p.expect(tokArrow, "between parameters and results") {
		return false
	}
	f.Results, ok = p.params("result", false)
	return ok
}

// generic reads <?> or <? = type>.
func (p *parser) generic() *Generic {
	open := p.tok
	g := &Generic{Span: open.span()}
	if p.dialect == Provisional {
		p.foreign(p.tok.span(), "remove the generic type, "+finalHint, "a provisional document has no generic fragments")
	}
	p.next()
	if p.tok.kind != tokQuestion {
		p.unexpectedHint("'?' as the mark of a generic fragment", "the one generic type is written '?': 'fragment f<?>'")
		return nil
	}
	p.next()
	if p.tok.kind == tokAssign {
		p.next()
		at := p.tok
		if g.Default = p.primitive(); g.Default == NoPrimitive || g.Default == GenericType {
			if g.Default == GenericType {
				p.errorAt(CodeUnexpected, at.span(), "the types are integer, scalar, logical and string", "expected a type, found '?'")
			}
			return nil
		}
	}
	if !p.closing(open, "after the generic type") {
		return nil
	}
	g.To = p.last
	return g
}

// params reads a parenthesised list of parameters or results.
func (p *parser) params(what string, defaults bool) ([]Param, bool) {
	open := p.tok
	if !p.expect(tokLParen, "before the "+what+"s") {
		return nil, false
	}
	if p.tok.kind == tokRParen {
		if block := what == "parameter" && p.enabled(ExtConcord); !p.tract && !block {
			p.errorAt(CodeEmpty, p.tok.span(), "", "a fragment needs at least one %s", what)
		}
		p.next()
		return nil, true
	}
	var list []Param
	for {
		prm := Param{}
		prm.From = p.tok.from
		if prm.Name = p.ident("the name of a " + what); prm.Name == nil {
			return nil, false
		}
		if p.tok.kind != tokColon {
			p.unexpectedHint("':' and a type after the name of a "+what, "write '"+prm.Name.Name+": "+tensorText(p.dialect)+"'")
			return nil, false
		}
		p.next()
		if prm.Type = p.typeSpec(); prm.Type == nil {
			return nil, false
		}
		if p.tok.kind == tokAssign && defaults {
			p.next()
			if prm.Default = p.literal(); prm.Default == nil {
				return nil, false
			}
			if levelOf[p.tok.kind] > 0 {
				p.errorAt(CodeUnexpected, p.tok.span(), literalHint, "an operator in the default of a parameter")
				return nil, false
			}
		} else if p.tok.kind == tokAssign {
			p.errorAt(CodeUnexpected, p.tok.span(), "remove the default", "a result cannot have a default")
			return nil, false
		}
		prm.To = p.last
		list = append(list, prm)
		if p.tok.kind != tokComma {
			break
		}
		p.next()
	}
	return list, p.closing(open, "or ',' after a "+what)
}

// tensorText is the type of most tensors in the dialect.
func tensorText(d Dialect) string {
	if d == Provisional {
		return "tensor"
	}
	return "tensor<scalar>"
}

// graph reads the graph of the document.
func (p *parser) graph() *Graph {
	g := &Graph{Source: p.src}
	g.From = p.tok.from
	before := p.leading(false)
	p.next()
	whole := p.graphHead(g)
	if !whole {
		p.skipTo(tokLBrace, tokFragment, tokGraph)
	}
	var inner []string
	if p.tok.kind == tokLBrace {
		rest := p.text[p.pos:] // most semicolons end a statement
		g.Body, inner = p.body(p.flatIn(true), min(strings.Count(rest, ";"), len(rest)/leastStatement))
	} else if whole {
		p.unexpected("'{' after the declaration of the graph")
	}
	g.To = p.last
	g.Comments = withInner(p.attach(before), inner)
	return g
}

func (p *parser) graphHead(g *Graph) bool {
	if g.Name = p.ident("the name of the graph"); g.Name == nil {
		return false
	}
	var ok bool
	if g.Params, ok = p.names("parameter"); !ok {
		return false
	}
	if !p.expect(tokArrow, "between parameters and results") {
		return false
	}
	g.Results, ok = p.names("result")
	return ok
}

// names reads a parenthesised list of identifiers.
func (p *parser) names(what string) ([]*Ident, bool) {
	open := p.tok
	if !p.expect(tokLParen, "before the "+what+"s") {
		return nil, false
	}
	if p.tok.kind == tokRParen {
		if !p.tract && !p.enabled(ExtConcord) {
			p.tolerate(Diagnostic{Code: CodeEmpty, Span: p.tok.span(), Message: "a graph needs at least one " + what}, p.lenient)
		}
		p.next()
		return nil, true
	}
	var list []*Ident
	for {
		id := p.ident("the name of a " + what)
		if id == nil {
			return nil, false
		}
		list = append(list, id)
		if p.tok.kind == tokColon {
			p.errorAt(CodeUnexpected, p.tok.span(), "remove the type", "the %ss of a graph have no types", what)
			return nil, false
		}
		if p.tok.kind != tokComma {
			break
		}
		p.next()
	}
	return p.identLists.list(list), p.closing(open, "or ',' after a "+what)
}

// primitive reads the name of a primitive type or '?'; it returns NoPrimitive after an error.
func (p *parser) primitive() Primitive {
	kind := NoPrimitive
	switch p.tok.kind {
	case tokIntegerType:
		kind = Integer
	case tokScalarType:
		kind = Scalar
	case tokLogicalType:
		kind = Logical
	case tokStringType:
		kind = String
	case tokQuestion:
		kind = GenericType
	case tokIdent:
		kind = p.foreignInteger()
	}
	if kind == NoPrimitive {
		names := "integer, scalar, logical and string"
		if p.dialect == Provisional {
			names = "tensor, extent, scalar, logical and string"
		}
		p.unexpectedHint("a type", p.typeHint(names))
		return NoPrimitive
	}
	p.next()
	return kind
}

// foreignInteger returns Integer, and reports it, if the current identifier is the other dialect's name of that type.
func (p *parser) foreignInteger() Primitive {
	other := Provisional - p.dialect
	if p.src.Text[p.tok.from:p.tok.to] != Integer.Text(other) {
		return NoPrimitive
	}
	p.foreign(p.tok.span(), "write '"+Integer.Text(p.dialect)+"'", "the %s dialect has no type '%s'", p.dialect,
		Integer.Text(other))
	return Integer
}

// typeSpec reads a type specification.
func (p *parser) typeSpec() Type {
	if p.depth >= p.limits.Depth {
		p.tooDeep()
		return nil
	}
	p.depth++
	t := p.plainType()
	p.depth--
	for t != nil && p.tok.kind == tokLBracket {
		if !p.grow(p.high) {
			return nil
		}
		open := p.tok
		p.next()
		if !p.closing(open, "to complete an array type") {
			return nil
		}
		t = &ArrayType{Span{t.Pos(), p.last}, t}
	}
	return t
}

// plainType reads a type that is no array.
func (p *parser) plainType() Type {
	open, from := p.tok, p.tok.from
	p.high = 1
	switch p.tok.kind {
	case tokTensor:
		return p.tensorType()
	case tokLParen:
		p.next()
		var items []Type
		high := 0
		for {
			t := p.typeSpec()
			if t == nil {
				return nil
			}
			high = max(high, p.high)
			items = append(items, t)
			if p.tok.kind != tokComma {
				break
			}
			p.next()
		}
		if !p.closing(open, "or ',' in a tuple type") || !p.grow(high) {
			return nil
		}
		if len(items) < 2 {
			p.errorAt(CodeTuple, Span{from, p.last}, "remove the parentheses", "a tuple type needs at least two items")
			return nil
		}
		return &TupleType{Span{from, p.last}, items}
	}
	kind := p.primitive()
	if kind == NoPrimitive {
		return nil
	}
	return &PrimitiveType{Span{from, p.last}, kind}
}

func (p *parser) tensorType() Type {
	t := &TensorType{Span: p.tok.span()}
	p.next()
	if p.tok.kind != tokLT {
		if p.dialect == Final {
			p.foreign(t.Span, "write 'tensor<scalar>', or 'tensor<>' for any type", "'tensor' needs an item type in <>")
			t.Item = Scalar
		}
		return t
	}
	if p.dialect == Provisional {
		p.foreign(p.tok.span(), "write 'tensor'", "tensors of a provisional document have no item type")
	}
	open := p.tok
	p.next()
	if p.tok.kind != tokGT {
		if t.Item = p.primitive(); t.Item == NoPrimitive {
			return nil
		}
	}
	if !p.closing(open, "after the item type of a tensor") {
		return nil
	}
	t.To = p.last
	return t
}
