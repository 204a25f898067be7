package syntax

import "strings"

// body reads the assignments in braces and the comments before the closing one.
func (p *parser) body(graph bool) ([]Assignment, []string) {
	switch {
	case p.dialect == Provisional && graph:
		p.flat = flatProvisional
	case p.strict() && !p.doc.Declares(ExtOperators):
		p.flat = flatExtension
	}
	// Comments of the declaration's head stay with the declaration: body is entered before they are attached, so
	// statements take only those behind the brace.
	head := p.comments
	p.comments = nil
	open := p.take().span()
	p.mark = p.last
	if p.tok.kind == '}' {
		p.errorAt(CodeEmpty, p.tok.span(), "", "a body needs at least one assignment")
	}
	list, tail := p.statements('}')
	p.flat = flatOff
	if p.tok.kind == '}' {
		p.next()
	} else {
		p.report(Diagnostic{Code: CodeUnexpected, Span: p.tok.span(),
			Message: "expected '}' at the end of the body, found " + p.found(),
			Related: []Related{{Span: open, Message: "the body starts here"}}})
	}
	p.comments = append(head, p.comments...)
	return list, tail
}

// statements reads assignments up to a token of the kind end, which it leaves, or up to what starts a declaration.
func (p *parser) statements(end kind) (list []Assignment, tail []string) {
	for p.tok.kind != end && p.tok.kind != tokEOF && !p.atDeclaration() {
		before := p.leading(len(list) > 0)
		var a Assignment
		whole := p.statement(func() { p.assignment(&a) })
		a.Comments = p.attach(before)
		if whole {
			list = append(list, a)
		}
	}
	return list, p.tail(len(list) > 0)
}

// atDeclaration tells whether a keyword with a name begins a declaration: a closing brace is missing.
func (p *parser) atDeclaration() bool {
	if p.tok.kind != tokFragment && p.tok.kind != tokGraph {
		return false
	}
	k := p.peek()
	return k == tokIdent || k.isKeyword()
}

// statement reads one; if it is broken, the rest of it is skipped, one token at least.
func (p *parser) statement(read func()) bool {
	start := p.tok.from
	if p.try(read) {
		return true
	}
	indent := -1 // columns before the statement, counted when they are needed first
	for p.tok.kind != tokEOF && p.tok.kind != '}' && !p.atDeclaration() {
		if p.tok.kind == ';' {
			p.next()
			return false
		}
		// Without semicolons a statement ends where a line that is not indented more starts with 'name ='.
		if p.dialect == Provisional && p.tok.from > start && p.tok.kind == tokIdent && p.lines(p.last, p.tok.from) > 0 {
			if indent < 0 {
				indent = p.column(start)
			}
			if p.column(p.tok.from) <= indent && p.peekAssign() {
				return false
			}
		}
		p.next()
	}
	if p.tok.from == start && p.tok.kind != tokEOF {
		p.next()
	}
	return false
}

// column returns the number of bytes before a place in its line.
func (p *parser) column(at Pos) int {
	return int(at) - 1 - strings.LastIndexByte(p.src.Text[:at], '\n')
}

// assignment reads one statement with its semicolon.
func (p *parser) assignment(a *Assignment) {
	p.nest, p.inCall, p.flatReported = 0, 0, false
	a.From = p.tok.from
	if a.Left = p.pattern(); p.tok.kind == ',' { // at the top a tuple needs no parentheses
		a.Left = p.bareTuple(a.Left, p.pattern)
	}
	switch p.tok.kind {
	case '=':
	case '(':
		p.callOnLeft(a.Left)
	case '[', tokIdent:
		p.unexpectedHint("'=' after the left side of an assignment", leftHint)
	default:
		p.unexpected("'=' after the left side of an assignment")
	}
	p.next()
	a.Right = p.rightSide()
	a.To = p.last
	p.terminator(a)
	if _, ok := a.Right.(*Call); !ok {
		p.needOps(SpanOf(a.Right), "a right side that is not an invocation", "")
	}
}

const leftHint = "the left side holds only names, arrays and tuples of them"

// callOnLeft reports an invocation in place of the left side, or without one.
func (p *parser) callOnLeft(name Expr) {
	if p.bracketAssigned(func(k kind) bool { return k != tokEOF && k != ';' }) {
		p.fail(CodeUnexpected, p.tok.span(), leftHint, "a call cannot be assigned to")
	}
	p.fail(CodeUnexpected, p.tok.span(), "write 'name = "+abbreviated(p.src.Text[name.Pos():name.End()])+"(…);'",
		"the result of an invocation must be assigned")
}

// terminator reads the semicolon after an assignment.
func (p *parser) terminator(a *Assignment) {
	if p.tok.kind == ';' {
		p.next()
		a.To = p.last
		return
	}
	starts := false // a new statement, or the end of the body
	switch p.tok.kind {
	case tokIdent, '[', '(':
		starts = p.dialect == Provisional || p.lines(p.last, p.tok.from) > 0
	case '}', tokEOF:
		starts = true
	}
	switch {
	case p.consequence():
		panic(gaveUp{})
	case starts && p.dialect == Final:
		p.missingSemicolon("every assignment of a final document ends with ';'")
	case starts:
	case p.dialect == Provisional && p.tok.kind.isKeyword() && p.peekAssign():
		p.ident("the left side of an assignment")
	case p.dialect == Provisional:
		p.unexpected("an operator or a new assignment")
	case p.tok.kind == ')' || p.tok.kind == ']':
		p.unexpectedHint("';' after the assignment", "no bracket is open here")
	default:
		p.unexpected("';' after the assignment")
	}
}

// missingSemicolon reports that there is no semicolon before the current token.
func (p *parser) missingSemicolon(hint string) {
	p.tolerate(Diagnostic{Code: CodeSemicolon, Span: p.tok.span(), Message: "expected ';' before " + p.found(), Hint: hint,
		Related: []Related{{Span: Span{p.last, p.last}, Message: "the ';' belongs here"}}}, p.lenient)
}

// bareTuple reads the further items of a tuple without parentheses.
func (p *parser) bareTuple(x Expr, item func() Expr) Expr {
	items := p.further(x, item)
	p.grow(0)
	return &Tuple{Span{x.Pos(), p.last}, items}
}

// pattern reads an identifier or an array or tuple of patterns.
func (p *parser) pattern() Expr {
	switch p.tok.kind {
	case '[', '(':
		return p.bracketed("or ',' in the left side of an assignment", p.pattern)
	case ';':
		p.unexpectedHint("the left side of an assignment", "remove the ';'")
	}
	return p.ident("the left side of an assignment")
}

// bracketed reads an array or tuple, whose opening token is the current one; where says what should close it.
func (p *parser) bracketed(where string, item func() Expr) Expr {
	p.enter()
	open := p.open(p.tok.kind, "")
	var items []Expr
	if p.high = 0; p.tok.kind != closes[open.kind] {
		items = p.further(item(), item)
	}
	x := p.group(open, where, items)
	p.depth--
	return x
}

// group makes an array or tuple of items, told by its opening token; where says what should close it.
func (p *parser) group(open token, where string, items []Expr) Expr {
	p.closing(open, where)
	p.grow(0)
	span := Span{open.from, p.last}
	if open.kind == '[' {
		return &Array{span, items}
	}
	if len(items) < 2 {
		p.fail(CodeTuple, span, "", "a tuple needs at least two items")
	}
	return &Tuple{span, items}
}

// rightSide reads the value of an assignment. At the top a provisional tuple needs no parentheses.
func (p *parser) rightSide() Expr {
	x := p.expr()
	if p.tok.kind != ',' {
		return x
	}
	if p.dialect == Final {
		comma := p.ahead(func() bool {
			p.next()
			return p.lines(p.last, p.tok.from) > 0 && p.tok.kind == tokIdent && p.peekAssign()
		})
		if comma {
			p.unexpectedHint("';' after the assignment", "put a ';' in its place")
		}
		p.only(Provisional, p.tok.span(), "write '( …, … )'", "a tuple on the right needs parentheses")
	}
	return p.bareTuple(x, p.expr)
}

// assignmentAhead tells whether the bracket or parenthesis at the current token begins the left side of a new
// assignment instead of continuing the expression before it: it holds nothing but a pattern and '=' follows. That is
// possible outside of all brackets where semicolons are optional; in a final document a line that starts so shows that
// one is missing.
func (p *parser) assignmentAhead() bool {
	if p.nest > 0 || p.dialect == Final && p.lines(p.last, p.tok.from) == 0 {
		return false
	}
	return p.bracketAssigned(func(k kind) bool { return k == tokIdent || k == ',' })
}
