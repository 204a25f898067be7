package syntax

import "strings"

// document reads version, extensions, fragments and graph.
func (p *parser) document() *Document {
	doc := p.doc
	doc.From = p.tok.from
	if !p.try(p.version) {
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
			p.try(func() { p.unexpected(want) })
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
func (p *parser) version() {
	before := p.leading(false)
	doc := p.doc
	if p.tok.kind != tokVersion {
		d := Diagnostic{Code: CodeVersion, Span: p.tok.span(),
			Message: "a document starts with the version statement, found " + p.found(),
			Hint:    "the first line is 'version 1.0;'"}
		if p.tok.kind == tokEOF {
			d.Message = "the text is empty; a document starts with the version statement"
		}
		switch p.word() {
		case "import", "operator", "graph", "fragment":
			if p.looksLikeNNEF2() {
				d.Code = CodeNNEF2
				d.Message = "this is an NNEF 2.0 (SkriptND) document, which is another language"
				d.Hint = "only NNEF 1.0 documents are read"
			}
		}
		p.report(d)
		panic(gaveUp{})
	}
	doc.Version.From = p.tok.from
	p.next()
	if p.tok.bad() && len(p.list) > 0 {
		p.list[len(p.list)-1].Hint = versionHint
	}
	number := p.word()
	major, minor, isPair := strings.Cut(number, ".")
	if p.tok.kind != tokScalar || !isPair || !isDigits(major) || !isDigits(minor) {
		p.fail(CodeVersion, p.tok.span(), "write 'version 1.0;'", "expected a version number of two parts, found %s", p.found())
	}
	if strings.TrimLeft(major, "0") != "1" || strings.TrimLeft(minor, "0") != "" {
		p.fail(CodeUnsupportedVersion, p.tok.span(), versionHint, "version %s is not supported", abbreviate(number))
	}
	if p.peek() != ';' {
		doc.Dialect = Provisional
	}
	p.dialect = doc.Dialect
	p.next()
	if doc.Dialect == Final {
		p.next()
	}
	doc.Version.To = p.last
	doc.Comments = p.attach(before)
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
	if p.dialect == Final || p.tok.kind != tokIdent || p.word() != "extension" {
		return false
	}
	p.only(Final, p.tok.span(), "remove it, "+finalHint, "a provisional document has no extension statements")
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
	whole := p.try(func() {
		if p.tok.kind == tokIdent && hasText(p.word()) {
			p.textExtension()
		} else {
			p.extensionNames()
		}
		p.expect(';', "after the name of an extension")
	})
	if !whole {
		p.skipTo(';', tokExtension, tokFragment, tokGraph)
		if p.tok.kind == ';' {
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

// extensionNames reads names with or without commas between them.
func (p *parser) extensionNames() {
	for {
		id := p.ident("the name of an extension")
		p.doc.Extensions = append(p.doc.Extensions, Extension{Span: id.Span, Name: id.Name})
		p.tractName(id.Name)
		if p.tok.kind == ',' {
			p.next()
		} else if p.tok.kind != tokIdent {
			return
		}
	}
}

// textExtension reads the name of an extension and the text behind it up to the semicolon, which has a syntax of its
// own.
func (p *parser) textExtension() {
	ext := Extension{Span: p.tok.span(), Name: p.word()}
	n := extensionText(ext.Name, p.text[p.pos:])
	if n < 0 {
		p.next()
		p.skipTo(tokEOF)
		p.unexpected("';' after the extension")
	}
	ext.Text = strings.TrimSpace(p.text[p.pos : p.pos+n])
	if strings.HasPrefix(ext.Name, tractPrefix) || !strings.Contains(ext.Text, "'") {
		ext.Text = strings.Join(strings.Fields(ext.Text), " ")
	}
	p.pos += n
	ext.To = Pos(p.pos)
	p.doc.Extensions = append(p.doc.Extensions, ext)
	p.tractName(ext.Name)
	p.next()
}

// tractName notes that a name with tract's prefix makes the document one of tract's.
func (p *parser) tractName(name string) {
	if strings.HasPrefix(name, tractPrefix) {
		p.doc.Tract, p.tract = true, true
	}
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

// strict tells whether the document has to declare what it uses. The engine tract leaves the statements out, and Concord's
// text form needs none.
func (p *parser) strict() bool {
	return p.opts.Strict && p.dialect == Final && !p.tract && !p.doc.Declares(ExtConcord)
}

// fragment reads a declaration with its body. After an error it returns what it has.
func (p *parser) fragment() *Fragment {
	f := &Fragment{Source: p.src}
	f.From = p.tok.from
	before := p.leading(false)
	keyword := p.take().span()
	whole := p.try(func() { p.fragmentHead(f) })
	if p.strict() && !p.doc.Declares(ExtFragments) { // the name may have said that the document is one of tract's
		p.missing(CodeNeedsFragments, ExtFragments, keyword, "", "a fragment")
	}
	if !whole {
		p.skipTo('{', ';', tokFragment, tokGraph)
	}
	var inner []string
	switch {
	case p.tok.kind == '{':
		f.Body, inner = p.body(false)
	case p.tok.kind == ';':
		p.only(Final, p.tok.span(), "write the body in braces, "+finalHint, "a fragment of a provisional document needs a body")
		p.next()
	case whole:
		want := "'{' or ';' after the declaration"
		if p.dialect == Provisional {
			want = "'{': a fragment needs a body"
		}
		p.try(func() { p.unexpected(want) })
	}
	f.To = p.last
	f.Comments = withInner(p.attach(before), inner)
	return f
}

func (p *parser) fragmentHead(f *Fragment) {
	f.Name = p.ident("the name of the fragment")
	p.tractName(f.Name.Name) // tract writes such a fragment where it needs no extension
	if p.tok.kind == '<' {
		f.Generic = p.generic()
	}
	f.Params = p.params("parameter")
	p.expect(tokArrow, "between parameters and results")
	f.Results = p.params("result")
}

// generic reads <?> or <? = type>.
func (p *parser) generic() *Generic {
	p.only(Final, p.tok.span(), "remove the generic type, "+finalHint, "a provisional document has no generic fragments")
	open := p.open('<', "")
	g := &Generic{Span: open.span()}
	if p.tok.kind != '?' {
		p.unexpectedHint("'?' as the mark of a generic fragment", "the one generic type is written '?': 'fragment f<?>'")
	}
	p.next()
	if p.tok.kind == '=' {
		p.next()
		if at := p.tok.span(); p.tok.kind == '?' {
			p.next()
			p.fail(CodeUnexpected, at, "the types are integer, scalar, logical and string", "expected a type, found '?'")
		}
		g.Default = p.primitive()
	}
	p.closing(open, "after the generic type")
	g.To = p.last
	return g
}

// parenthesised reads what stands in parentheses in the head of a declaration, where what says what the items are; empty judges that
// there are none.
func (p *parser) parenthesised(what string, empty func(at Span), item func()) {
	open := p.open('(', "before the "+what+"s")
	if p.tok.kind == ')' {
		empty(p.tok.span())
		p.closing(open, "")
		return
	}
	p.commas(item)
	p.closing(open, "or ',' after a "+what)
}

// params reads a parenthesised list of parameters or results.
func (p *parser) params(what string) (list []Param) {
	isParam := what == "parameter"
	empty := func(at Span) {
		if !p.tract && (!isParam || !p.doc.Declares(ExtConcord)) {
			p.errorAt(CodeEmpty, at, "", "a fragment needs at least one %s", what)
		}
	}
	p.parenthesised(what, empty, func() {
		prm := Param{Name: p.ident("the name of a " + what)}
		prm.From = prm.Name.From
		if p.tok.kind != ':' {
			p.unexpectedHint("':' and a type after the name of a "+what, "write '"+prm.Name.Name+": "+tensorText(p.dialect)+"'")
		}
		p.next()
		prm.Type = p.typeSpec()
		if p.tok.kind == '=' {
			if !isParam {
				p.fail(CodeUnexpected, p.tok.span(), "remove the default", "a result cannot have a default")
			}
			p.next()
			prm.Default = p.literal()
			if levelOf[p.tok.kind] > 0 {
				p.fail(CodeUnexpected, p.tok.span(), literalHint, "an operator in the default of a parameter")
			}
		}
		prm.To = p.last
		list = append(list, prm)
	})
	return list
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
	whole := p.try(func() {
		g.Name = p.ident("the name of the graph")
		g.Params = p.names("parameter")
		p.expect(tokArrow, "between parameters and results")
		g.Results = p.names("result")
	})
	if !whole {
		p.skipTo('{', tokFragment, tokGraph)
	}
	var inner []string
	if p.tok.kind == '{' {
		g.Body, inner = p.body(true)
	} else if whole {
		p.try(func() { p.unexpected("'{' after the declaration of the graph") })
	}
	g.To = p.last
	g.Comments = withInner(p.attach(before), inner)
	return g
}

// names reads a parenthesised list of identifiers.
func (p *parser) names(what string) (list []*Ident) {
	empty := func(at Span) {
		if !p.tract && !p.doc.Declares(ExtConcord) {
			p.tolerate(Diagnostic{Code: CodeEmpty, Span: at, Message: "a graph needs at least one " + what}, p.lenient)
		}
	}
	p.parenthesised(what, empty, func() {
		list = append(list, p.ident("the name of a "+what))
		if p.tok.kind == ':' {
			p.fail(CodeUnexpected, p.tok.span(), "remove the type", "the %ss of a graph have no types", what)
		}
	})
	return list
}

var primitiveOf = [256]Primitive{tokIntegerType: Integer, tokScalarType: Scalar, tokLogicalType: Logical, tokStringType: String,
	'?': GenericType}

// primitive reads the name of a primitive type or '?'.
func (p *parser) primitive() Primitive {
	kind, other := primitiveOf[p.tok.kind], Provisional-p.dialect
	switch {
	case p.tok.kind == tokIdent && p.word() == Integer.Text(other):
		kind = Integer
		p.only(other, p.tok.span(), "write '"+Integer.Text(p.dialect)+"'", "the %s dialect has no type '%s'", p.dialect, Integer.Text(other))
	case kind == NoPrimitive:
		names := "integer, scalar, logical and string"
		if p.dialect == Provisional {
			names = "tensor, extent, scalar, logical and string"
		}
		p.unexpectedHint("a type", p.typeHint(names))
	}
	p.next()
	return kind
}

// typeSpec reads a type specification.
func (p *parser) typeSpec() Type {
	p.enter()
	t := p.plainType()
	p.depth--
	for p.tok.kind == '[' {
		p.grow(0)
		p.closing(p.open('[', ""), "to complete an array type")
		t = &ArrayType{Span{t.Pos(), p.last}, t}
	}
	return t
}

// plainType reads a type that is no array.
func (p *parser) plainType() Type {
	open := p.tok
	p.high = 1
	switch open.kind {
	case tokTensor:
		return p.tensorType()
	case '(':
		p.open('(', "")
		var items []Type
		p.commas(func() {
			t := p.typeSpec()
			items = append(items, t)
		})
		p.closing(open, "or ',' in a tuple type")
		p.grow(0)
		if len(items) < 2 {
			p.fail(CodeTuple, Span{open.from, p.last}, "remove the parentheses", "a tuple type needs at least two items")
		}
		return &TupleType{Span{open.from, p.last}, items}
	}
	kind := p.primitive()
	return &PrimitiveType{Span{open.from, p.last}, kind}
}

func (p *parser) tensorType() Type {
	t := &TensorType{Span: p.take().span()}
	if p.tok.kind != '<' {
		p.only(Provisional, t.Span, "write 'tensor<scalar>', or 'tensor<>' for any type", "'tensor' needs an item type in <>")
		if p.dialect == Final {
			t.Item = Scalar
		}
		return t
	}
	p.only(Final, p.tok.span(), "write 'tensor'", "tensors of a provisional document have no item type")
	open := p.open('<', "")
	if p.tok.kind != '>' {
		t.Item = p.primitive()
	}
	p.closing(open, "after the item type of a tensor")
	t.To = p.last
	return t
}
