package syntax

import (
	"fmt"
	"slices"
	"strings"
)

// Parse reads a whole document of either dialect. name is the file for messages. The error, if any, is a [Diagnostics]
// list with everything that was found; the document is nil then. A byte order mark at the start is skipped.
func Parse(name string, text []byte, opts Options) (*Document, error) {
	return read(name, string(text), opts, (*parser).document)
}

// ParseFragments reads fragment declarations that stand alone, in the final dialect and with all its extensions: a
// library of operations.
func ParseFragments(name, text string) ([]*Fragment, error) {
	return read(name, text, Options{}, func(p *parser) (list []*Fragment) {
		for p.tok.kind != tokEOF {
			if p.tok.kind == tokFragment {
				list = append(list, p.fragment())
				continue
			}
			p.try(func() { p.unexpected("'fragment'") })
			p.skipTo(tokFragment)
		}
		return list
	})
}

// ParseBody reads the assignments of a body without its braces, in the final dialect and with all its extensions. name
// stands for the text in messages; NewSource(name, text) turns the positions of the nodes into lines and columns.
func ParseBody(name, text string) ([]Assignment, error) {
	return read(name, text, Options{}, func(p *parser) []Assignment {
		if p.tok.kind == tokEOF {
			p.errorAt(CodeEmpty, p.tok.span(), "", "a body needs at least one assignment")
		}
		list, _ := p.statements(tokEOF)
		return list
	})
}

// ParseExpr reads one expression of the final dialect. name stands for the text in messages.
func ParseExpr(name, text string) (Expr, error) {
	return read(name, text, Options{}, func(p *parser) (x Expr) {
		p.try(func() {
			x = p.expr()
			if p.tok.kind != tokEOF {
				p.unexpected("an operator or the end of the expression")
			}
		})
		return x
	})
}

// read reads a text, or part of one, and returns what was found wrong in it in the place of what it holds.
func read[T any](name, text string, opts Options, parse func(*parser) T) (result T, err error) {
	p, err := newParser(name, text, opts)
	if err != nil {
		return result, err
	}
	x := parse(p)
	p.list.Sort()
	if err := p.list.Err(); err != nil {
		return result, err
	}
	p.doc.Warnings = p.list
	return x, nil
}

// parser reads tokens one at a time and builds the tree. A function that meets an error reports it and gives up, by a
// panic that try recovers where the reading can go on: behind the statement or the head of the declaration.
type parser struct {
	lexer
	opts Options
	doc  *Document

	tok   token
	last  Pos // end of the token before tok
	mark  Pos // end of the declaration or statement before tok: comments behind it belong to what follows
	depth int // of the recursion
	nest  int // brackets and parentheses open in the statement
	high  int // height of the tree of the last expression, pattern or type

	flat         flatRule
	flatReported bool          // in this statement
	reported     map[Code]bool // extensions that were found missing
	blamed       bool          // the version statement was pointed to
	inCall       int           // calls around the current expression
}

// flatRule says whether expressions beyond the flat syntax are allowed, and if not, why.
type flatRule uint8

const (
	flatOff         flatRule = iota
	flatProvisional          // the graph of a provisional document
	flatExtension            // the operator extension is missing
)

const byteOrderMark = "\ufeff"

func newParser(name, text string, opts Options) (*parser, error) {
	p := &parser{opts: opts, doc: &Document{Source: NewSource(name, text), Tract: opts.Tract}}
	limits := opts.Limits.Filled()
	p.lexer = lexer{
		reporter: &reporter{src: p.doc.Source, limit: limits.Errors},
		text:     text, lenient: opts.Lenient, tract: opts.Tract, limits: limits, left: limits.Tokens,
	}
	if len(text) > limits.Bytes {
		p.errorAt(CodeSize, span(limits.Bytes, limits.Bytes), "", "the text has %d bytes; the limit is %d", len(text), limits.Bytes)
		return nil, p.list
	}
	if what, hint := binary(text); what != "" {
		p.errorAt(CodeCharacter, Span{}, hint, "this is %s, which is no text of NNEF", what)
		return nil, p.list
	}
	if strings.HasPrefix(text, byteOrderMark) {
		p.pos = len(byteOrderMark)
	}
	p.mark = Pos(p.pos)
	p.next()
	return p, nil
}

// gaveUp is what a function panics with after it reported an error.
type gaveUp struct{}

// try calls read and tells whether it did not give up.
func (p *parser) try(read func()) (whole bool) {
	depth := p.depth
	defer func() {
		if whole {
			return
		}
		if r := recover(); r != (gaveUp{}) { // Without this a mistake of the parser would count as one of the text.
			panic(r)
		}
		p.depth = depth
	}()
	read()
	return true
}

// fail reports an error and gives up.
func (p *parser) fail(code Code, span Span, hint, format string, args ...any) {
	p.errorAt(code, span, hint, format, args...)
	panic(gaveUp{})
}

func (p *parser) next() {
	p.last = p.tok.to
	p.tok = p.scan()
}

// take consumes the current token and returns it.
func (p *parser) take() token {
	t := p.tok
	p.next()
	return t
}

// word returns the text of the current token, which is there also when the lexer was stopped.
func (p *parser) word() string { return p.src.Text[p.tok.from:p.tok.to] }

// ahead calls look, which may read tokens, and then restores the state.
func (p *parser) ahead(look func() bool) bool {
	tok, last, lx := p.tok, p.last, p.lexer
	rep := *p.reporter
	found := look()
	*p.reporter = rep
	p.tok, p.last, p.lexer = tok, last, lx
	return found
}

// peek returns the kind of the token behind the current one.
func (p *parser) peek() (k kind) {
	p.ahead(func() bool {
		p.next()
		k = p.tok.kind
		return true
	})
	return k
}

// peekAssign tells whether '=' follows the current token. Mostly that can be seen without reading a token.
func (p *parser) peekAssign() bool {
	rest := p.text[p.pos:]
	return strings.HasPrefix(rest, " = ") || rest != "" && !endsItem[rest[0]] && p.peek() == '='
}

// bracketAssigned tells whether '=' follows the bracket or parenthesis at the current token, in which only tokens of some kinds stand.
func (p *parser) bracketAssigned(allowed func(kind) bool) bool {
	return p.ahead(func() bool {
		for depth := 0; ; p.next() {
			switch k := p.tok.kind; {
			case k == '[' || k == '(':
				depth++
			case k == ']' || k == ')':
				if depth--; depth == 0 {
					p.next()
					return p.tok.kind == '='
				}
			case !allowed(k):
				return false
			}
		}
	})
}

// found describes the current token for a message.
func (p *parser) found() string {
	switch k := p.tok.kind; {
	case k == tokEOF:
		return k.text()
	case k.isKeyword():
		return "the keyword " + abbreviate(p.word())
	case k == tokString:
		return "a string"
	}
	return abbreviate(p.word())
}

// unexpected reports that something else was expected in place of the current token, and gives up.
func (p *parser) unexpected(want string) { p.unexpectedHint(want, p.hintAt()) }

// unexpectedHint is unexpected with a hint. What follows a string without an end is left aside, because the string may
// hold it, and so is what follows characters that were skipped.
func (p *parser) unexpectedHint(want, hint string, related ...Related) {
	if !p.consequence() {
		p.report(Diagnostic{Code: CodeUnexpected, Span: p.tok.span(), Hint: hint, Related: related,
			Message: fmt.Sprintf("expected %s, found %s", want, p.found())})
	}
	panic(gaveUp{})
}

// consequence tells whether the lexer reported what stands directly before the current token.
func (p *parser) consequence() bool {
	return p.cut > 0 && p.cut == p.last || p.errors > 0 && p.lastErr >= p.last && p.lastErr < p.tok.from
}

// expect consumes a token of the kind.
func (p *parser) expect(k kind, where string) {
	if p.tok.kind != k {
		p.unexpected(k.text() + " " + where)
	}
	p.next()
}

// open consumes an opening bracket.
func (p *parser) open(k kind, where string) token {
	t := p.tok
	p.expect(k, where)
	p.nest++
	return t
}

// closes holds the closing brackets.
var closes = [256]kind{'(': ')', '[': ']', '<': '>'}

// closing consumes the bracket that closes the one in open. An error points to both.
func (p *parser) closing(open token, where string) {
	k := closes[open.kind]
	if p.tok.kind == k {
		p.nest--
		p.next()
		return
	}
	hint := p.hintAt()
	if hint == "" && strings.HasPrefix(where, "or ','") && p.lines(p.last, p.tok.from) == 0 {
		switch p.tok.kind {
		case tokIdent, tokInteger, tokScalar, tokString, tokTrue, tokFalse, '(', '[':
			hint = "put a ',' before it"
		}
	}
	p.unexpectedHint(k.text()+" "+where, hint, Related{Span: open.span(),
		Message: "this " + open.kind.text() + " is not closed"})
}

// commas reads items with commas between them; high becomes that of the highest.
func (p *parser) commas(item func()) {
	for high := 0; ; p.next() {
		item()
		high = max(high, p.high)
		if p.tok.kind != ',' {
			p.high = high
			return
		}
	}
}

// further reads the items that stand behind a first one and a comma, and returns all.
func (p *parser) further(first Expr, item func() Expr) []Expr {
	items, high := []Expr{first}, p.high
	for p.tok.kind == ',' {
		p.next()
		items = append(items, item())
		high = max(high, p.high)
	}
	p.high = high
	return items
}

// only reports a construct of one dialect in a document of the other, as a warning if the reader is lenient.
func (p *parser) only(of Dialect, span Span, hint, format string, args ...any) {
	if p.dialect == of {
		return
	}
	d := Diagnostic{Code: CodeOtherDialect, Span: span, Message: fmt.Sprintf(format, args...), Hint: hint}
	if end := p.doc.Version.To; end > 0 && !p.blamed && !p.lenient {
		// A semicolon forgotten or added there makes every line after it one of the other dialect.
		p.blamed = true
		d.Related = []Related{{Span: Span{end, end}, Message: "without ';' here the document is provisional"}}
		if p.dialect == Final {
			d.Related = []Related{{Span: Span{end - 1, end}, Message: "with ';' here the document is final"}}
		}
	}
	p.tolerate(d, p.lenient)
}

// needOps reports an expression where the flat syntax is required; hint says what else may have been meant. In the graph of a
// provisional document that is a mistake of each statement; a missing extension is one mistake of the whole document.
func (p *parser) needOps(span Span, what, hint string) {
	p.doc.Expressions = true
	if p.flat == flatOff || p.flatReported {
		return
	}
	p.flatReported = true
	if p.flat == flatProvisional {
		p.tolerate(Diagnostic{Code: CodeGraphNotFlat, Span: span, Hint: "move it into a fragment, or assign intermediate results",
			Message: what + " may not stand in the graph of a provisional document"}, p.lenient)
		return
	}
	if hint != "" {
		hint += "; else "
	}
	p.missing(CodeNeedsOperators, ExtOperators, span, hint, what)
}

// missing reports, once, what no extension of the document enables.
func (p *parser) missing(code Code, extension string, span Span, hint, what string) {
	if p.reported == nil {
		p.reported = make(map[Code]bool)
	}
	if p.reported[code] {
		return
	}
	p.reported[code] = true
	p.tolerate(Diagnostic{Code: code, Span: span, Message: what + " needs the extension " + extension,
		Hint: hint + "add 'extension " + extension + ";' below the version"}, p.lenient)
}

// tooDeep ends the reading.
func (p *parser) tooDeep() {
	p.errorAt(CodeDepth, p.tok.span(), "", "nesting deeper than %d levels", p.limits.Depth)
	p.stop()
	p.tok = p.scan()
	panic(gaveUp{})
}

// enter goes one level down in the recursion.
func (p *parser) enter() {
	if p.depth >= p.limits.Depth {
		p.tooDeep()
	}
	p.depth++
}

// grow notes that a node was put on top of trees of the given height and of that of the last one.
func (p *parser) grow(height int) {
	p.high = max(p.high, height) + 1
	if p.high > p.limits.Depth {
		p.tooDeep()
	}
}

// ident consumes an identifier; what says what it names.
func (p *parser) ident(what string) *Ident {
	if p.tok.kind.isKeyword() {
		p.fail(CodeKeyword, p.tok.span(), p.keywordHint(), "%s cannot be %s", p.found(), what)
	} else if p.tok.kind != tokIdent {
		p.unexpected(what)
	}
	return p.takeIdent()
}

// keywordHint says what to write for a keyword in place of a name.
func (p *parser) keywordHint() string {
	if p.tok.kind == tokTensor && p.peek() == '<' {
		return "the name comes first: 'x: tensor<scalar>'"
	}
	return "choose another name"
}

// takeIdent turns the current token into an identifier.
func (p *parser) takeIdent() *Ident {
	id := &Ident{p.tok.span(), p.text[p.tok.from:p.tok.to]}
	if id.Name[len(id.Name)-1] == '"' {
		id.Name = p.unquote(p.tok)
	}
	p.high = 1
	p.next()
	return id
}

// skipTo skips tokens up to one of the given kinds or the end.
func (p *parser) skipTo(kinds ...kind) {
	for p.tok.kind != tokEOF && !slices.Contains(kinds, p.tok.kind) {
		p.next()
	}
}

// lines counts the newlines between two places.
func (p *parser) lines(from, to Pos) int { return strings.Count(p.src.Text[from:max(from, to)], "\n") }

func (p *parser) commentText(c Span) string {
	return strings.TrimRight(p.src.Text[c.From:c.To], " \t\r\v\f")
}

// leading takes the comments before the current token and the empty lines around them, starting at mark. An empty line
// at the very start is kept only if keepFirst is set.
func (p *parser) leading(keepFirst bool) (list []string) {
	from := p.mark
	for _, c := range p.comments {
		if p.lines(from, c.From) > 1 && (keepFirst || len(list) > 0) {
			list = append(list, "")
		}
		list = append(list, p.commentText(c))
		from = c.To
	}
	if p.lines(from, p.tok.from) > 1 && (keepFirst || len(list) > 0) {
		list = append(list, "")
	}
	p.comments = p.comments[:0]
	return list
}

// attach returns the comments of a construct that ended at last: those before, given, those inside and the one behind
// it in the same line.
func (p *parser) attach(before []string) *Comments {
	p.mark = p.last
	inside := 0
	for inside < len(p.comments) && p.comments[inside].From < p.last {
		before = append(before, p.commentText(p.comments[inside]))
		inside++
	}
	after := ""
	if rest := p.comments[inside:]; len(rest) > 0 && p.lines(p.last, rest[0].From) == 0 {
		after = p.commentText(rest[0])
		p.mark = rest[0].To
		inside++
	}
	if inside > 0 {
		p.comments = append(p.comments[:0], p.comments[inside:]...)
	}
	if before == nil && after == "" {
		return nil
	}
	return &Comments{Before: before, After: after}
}

// tail takes the comments at the end of a body or document.
func (p *parser) tail(keepFirst bool) []string {
	list := p.leading(keepFirst)
	for len(list) > 0 && list[len(list)-1] == "" {
		list = list[:len(list)-1]
	}
	return list
}

// withInner adds the comments of a body's end to those of its declaration.
func withInner(c *Comments, inner []string) *Comments {
	if inner == nil {
		return c
	}
	if c == nil {
		c = new(Comments)
	}
	c.Inner = inner
	return c
}
