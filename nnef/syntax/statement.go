package syntax

import "slices"

// body reads the assignments in braces and the comments before the closing one; about so many are expected.
func (p *parser) body(rule flatRule, expected int) ([]Assignment, []string) {
	open := p.tok.span()
	p.flat = rule
	// Comments of the declaration's head stay with the declaration: body is entered before they are attached, so
	// statements take only those behind the brace.
	head := p.comments
	p.comments = nil
	p.next()
	p.mark = p.last
	if p.tok.kind == tokRBrace {
		p.errorAt(CodeEmpty, p.tok.span(), "", "a body needs at least one assignment")
	}
	list, tail := p.statements(tokRBrace, expected)
	p.flat = flatOff
	if p.tok.kind == tokRBrace {
		p.next()
	} else {
		p.report(Diagnostic{Code: CodeUnexpected, Span: p.tok.span(),
			Message: "expected '}' at the end of the body, found " + p.found(),
			Related: []Related{{Span: open, Message: "the body starts here"}}})
	}
	p.comments = append(head, p.comments...)
	return list, tail
}

// statements reads assignments up to a token of the kind end, which it leaves, or up to what starts a declaration; about
// so many are expected.
func (p *parser) statements(end kind, expected int) ([]Assignment, []string) {
	list := slices.Grow([]Assignment(nil), expected)
	for p.tok.kind != end && p.tok.kind != tokEOF && !p.atDeclaration() {
		start := p.tok.from
		before := p.leading(len(list) > 0)
		a, ok := p.assignment()
		if !ok {
			p.recover(start)
		}
		if p.tok.from == start && p.tok.kind != tokEOF {
			p.next()
		}
		a.Comments = p.attach(before)
		if ok {
			list = appendDoubling(list, a)
		}
	}
	return list, p.tail(len(list) > 0)
}

// leastStatement is how many bytes a statement has but for short ones, so that the memory for statements which are
// expected is bounded.
const leastStatement = 16

// appendDoubling appends to a list that can become very long: append itself grows those in small steps, which copies and
// leaves behind several times their final size.
func appendDoubling[T any](list []T, item T) []T {
	if len(list) == cap(list) {
		list = slices.Grow(list, max(len(list), firstChunk))
	}
	return append(list, item)
}

// atDeclaration tells whether a keyword with a name begins a declaration: a closing brace is missing.
func (p *parser) atDeclaration() bool {
	if p.tok.kind != tokFragment && p.tok.kind != tokGraph {
		return false
	}
	i := p.peek()
	return i < len(p.text) && classOf[p.text[i]] == clsLetter
}

// recover skips the rest of a broken statement that began at start.
func (p *parser) recover(start Pos) {
	indent := -1 // columns before the statement, counted when they are needed first
	for p.tok.kind != tokEOF && p.tok.kind != tokRBrace && !p.atDeclaration() {
		if p.tok.kind == tokSemicolon {
			p.next()
			return
		}
		// Without semicolons a statement ends where a line that is not indented more starts with 'name ='.
		if p.dialect == Provisional && p.tok.from > start && p.tok.kind == tokIdent && p.lines(p.last, p.tok.from) > 0 {
			if indent < 0 {
				indent = p.column(start)
			}
			if p.column(p.tok.from) <= indent && p.peekAssign() {
				return
			}
		}
		p.next()
	}
}

// column returns the number of bytes before a place in its line.
func (p *parser) column(at Pos) int {
	n := 0
	for at > 0 && p.src.Text[at-1] != '\n' {
		at--
		n++
	}
	return n
}

// assignment reads one statement with its semicolon.
func (p *parser) assignment() (Assignment, bool) {
	p.nest, p.depth, p.inCall, p.flatReported = 0, 0, 0, false
	p.exprs, p.args = p.exprs[:0], p.args[:0]
	a := Assignment{}
	a.From = p.tok.from
	if a.Left = p.leftSide(); a.Left == nil {
		return a, false
	}
	if p.tok.kind == tokLParen {
		p.callOnLeft(a.Left)
		return a, false
	}
	if p.tok.kind != tokAssign {
		hint := p.hintAt()
		switch p.tok.kind {
		case tokLBracket, tokIdent:
			hint = leftHint
		}
		p.unexpectedHint("'=' after the left side of an assignment", hint)
		return a, false
	}
	p.next()
	if a.Right = p.rightSide(); a.Right == nil {
		return a, false
	}
	a.To = p.last
	if !p.terminator(&a) {
		return a, false
	}
	if p.flat != flatOff {
		if _, ok := a.Right.(*Call); !ok {
			p.needOps(Span{a.Right.Pos(), a.Right.End()}, "a right side that is not an invocation")
		}
	}
	return a, true
}

const leftHint = "the left side holds only names, arrays and tuples of them"

// callOnLeft reports an invocation in place of the left side, or without one.
func (p *parser) callOnLeft(name Expr) {
	assigned := p.ahead(func() bool {
		for depth := 0; p.tok.kind != tokEOF && p.tok.kind != tokSemicolon; p.next() {
			switch p.tok.kind {
			case tokLParen:
				depth++
			case tokRParen:
				depth--
			}
			if depth == 0 {
				p.next()
				return p.tok.kind == tokAssign
			}
		}
		return false
	})
	if assigned {
		p.errorAt(CodeUnexpected, p.tok.span(), leftHint, "a call cannot be assigned to")
		return
	}
	span := Span{name.Pos(), name.End()}
	p.errorAt(CodeUnexpected, p.tok.span(), "write 'name = "+abbreviated(p.src.Text[span.From:span.To])+"(…);'",
		"the result of an invocation must be assigned")
}

// terminator reads the semicolon after an assignment.
func (p *parser) terminator(a *Assignment) bool {
	if p.tok.kind == tokSemicolon {
		p.next()
		a.To = p.last
		return true
	}
	starts := false
	switch p.tok.kind {
	case tokIdent, tokLBracket, tokLParen:
		starts = p.dialect == Provisional || p.lines(p.last, p.tok.from) > 0
	case tokRBrace, tokEOF:
		starts = true
	}
	switch {
	case p.consequence():
		return false
	case !starts && p.dialect == Provisional && p.tok.kind.isKeyword() && p.peekAssign():
		p.ident("the left side of an assignment")
	case !starts && p.dialect == Provisional:
		p.unexpected("an operator or a new assignment")
	case !starts && (p.tok.kind == tokRParen || p.tok.kind == tokRBracket):
		p.unexpectedHint("';' after the assignment", "no bracket is open here")
	case !starts:
		p.unexpected("';' after the assignment")
	case p.dialect == Provisional:
	default:
		p.missingSemicolon("every assignment of a final document ends with ';'")
	}
	return starts
}

// missingSemicolon reports that there is no semicolon before the current token.
func (p *parser) missingSemicolon(hint string) {
	p.tolerate(Diagnostic{Code: CodeSemicolon, Span: p.tok.span(), Message: "expected ';' before " + p.found(), Hint: hint,
		Related: []Related{{Span: Span{p.last, p.last}, Message: "the ';' belongs here"}}}, p.lenient)
}

// leftSide reads a pattern; at the top a tuple needs no parentheses.
func (p *parser) leftSide() Expr {
	x := p.pattern()
	if x == nil || p.tok.kind != tokComma {
		return x
	}
	return p.bareTuple(x, p.pattern)
}

// bareTuple reads the further items of a tuple without parentheses.
func (p *parser) bareTuple(x Expr, item func() Expr) Expr {
	base, high := len(p.exprs), p.high
	p.exprs = append(p.exprs, x)
	for x != nil && p.tok.kind == tokComma {
		p.next()
		if x = item(); x != nil {
			high = max(high, p.high)
			p.exprs = append(p.exprs, x)
		}
	}
	items := p.pop(base)
	if x == nil || !p.grow(high) {
		return nil
	}
	t := p.tuples.new()
	t.Span, t.Items = Span{items[0].Pos(), p.last}, items
	return t
}

// pattern reads an identifier or an array or tuple of patterns.
func (p *parser) pattern() Expr {
	open := p.tok
	switch open.kind {
	case tokIdent:
		return p.takeIdent()
	case tokLBracket, tokLParen:
	default:
		if open.kind == tokSemicolon {
			p.unexpectedHint("the left side of an assignment", "remove the ';'")
		} else if id := p.ident("the left side of an assignment"); id != nil {
			return id
		}
		return nil
	}
	return p.bracketed(open, "or ',' in the left side of an assignment", p.pattern)
}

// bracketed reads an array or tuple, whose opening token is the current one; where says what should close it.
func (p *parser) bracketed(open token, where string, item func() Expr) Expr {
	if p.depth >= p.limits.Depth {
		p.tooDeep()
		return nil
	}
	p.depth++
	defer func() { p.depth-- }()
	p.next()
	base, high := len(p.exprs), 0
	for p.tok.kind != closes[open.kind] || len(p.exprs) > base {
		x := item()
		if x == nil {
			p.exprs = p.exprs[:base]
			return nil
		}
		high = max(high, p.high)
		p.exprs = append(p.exprs, x)
		if p.tok.kind != tokComma {
			break
		}
		p.next()
	}
	items := p.pop(base)
	if !p.closing(open, where) || !p.grow(high) {
		return nil
	}
	return p.group(open, items)
}

// group makes an array or tuple, told by its opening token, that ended at last.
func (p *parser) group(open token, items []Expr) Expr {
	span := Span{open.from, p.last}
	if open.kind == tokLBracket {
		a := p.arrays.new()
		a.Span, a.Items = span, items
		return a
	}
	if len(items) < 2 {
		p.errorAt(CodeTuple, span, "", "a tuple needs at least two items")
		return nil
	}
	t := p.tuples.new()
	t.Span, t.Items = span, items
	return t
}

// pop takes the items above base off the stack.
func (p *parser) pop(base int) []Expr {
	items := p.exprLists.list(p.exprs[base:])
	p.exprs = p.exprs[:base]
	return items
}

// rightSide reads the value of an assignment. At the top a provisional tuple needs no parentheses.
func (p *parser) rightSide() Expr {
	x := p.expr()
	if x == nil || p.tok.kind != tokComma {
		return x
	}
	if p.dialect == Final {
		comma := p.ahead(func() bool {
			p.next()
			return p.lines(p.last, p.tok.from) > 0 && p.tok.kind == tokIdent && p.peekAssign()
		})
		if comma {
			p.unexpectedHint("';' after the assignment", "put a ';' in its place")
			return nil
		}
		p.foreign(p.tok.span(), "write '( …, … )'", "a tuple on the right needs parentheses")
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
	return p.ahead(func() bool {
		depth := 0
		for {
			switch p.tok.kind {
			case tokLBracket, tokLParen:
				depth++
				p.next()
				if p.tok.kind == tokRBracket {
					continue
				}
				if p.tok.kind != tokIdent && p.tok.kind != tokLBracket && p.tok.kind != tokLParen {
					return false
				}
				continue
			case tokIdent:
				p.next()
			case tokRBracket, tokRParen:
				depth--
				p.next()
				if depth == 0 {
					return p.tok.kind == tokAssign
				}
			default:
				return false
			}
			// Behind an item: the next one or the end of the list.
			switch p.tok.kind {
			case tokComma:
				p.next()
			case tokRBracket, tokRParen:
			default:
				return false
			}
		}
	})
}
