package syntax

import (
	"slices"
	"strconv"
	"strings"
)

var binaryOp = [256]Op{'+': Plus, '-': Minus, '*': Times, '/': Divide, '^': Power,
	'<': Less, tokLE: LessEqual, '>': Greater, tokGE: GreaterEqual, tokEQ: Equal, tokNE: NotEqual, tokAnd: And,
	tokOr: Or, tokIn: In}

// levelOf is the level of a token as a binary operator, 0 if it is none.
var levelOf = func() (levels [256]uint8) {
	for k, op := range binaryOp {
		if op != 0 {
			levels[k] = uint8(op.level())
		}
	}
	return levels
}()

// endsItem are the characters behind which no part of an item can stand.
var endsItem = [256]bool{',': true, ')': true, ']': true}

var builtinOf = [256]Builtin{tokShapeOf: ShapeOf, tokLengthOf: LengthOf, tokRangeOf: RangeOf,
	tokIntegerType: ToInteger, tokScalarType: ToScalar, tokLogicalType: ToLogical, tokStringType: ToString}

// expr reads an expression of any kind.
func (p *parser) expr() Expr {
	// Most operands stand alone, which a comma or bracket directly behind them tells.
	// Without this reading them takes longer.
	if p.pos < len(p.text) && endsItem[p.text[p.pos]] {
		switch p.tok.kind {
		case tokInteger, tokScalar, tokIdent, tokString:
			return p.primary()
		}
	}
	x := p.iterated()
	if p.tok.kind == tokIf {
		p.enter()
		x = p.selection(x)
		p.depth--
	}
	return x
}

// iterated reads an expression without if-else at the top, such as the array of a comprehension: an 'if' behind that is
// the filter.
func (p *parser) iterated() Expr {
	p.enter()
	from := p.tok.from
	x := p.operators(from, p.unary(), levelIn)
	p.depth--
	return x
}

// selection reads 'if cond else other' behind an expression.
func (p *parser) selection(then Expr) Expr {
	p.needOps(p.tok.span(), "an if-else expression", "")
	high := p.high
	p.next()
	cond := p.expr()
	high = max(high, p.high)
	if p.tok.kind != tokElse {
		hint := p.hintAt()
		if hint == "" || p.tok.kind == ';' {
			hint = "a choice is written 'a if c else b'"
		}
		p.unexpectedHint("'else' after the condition of 'if'", hint)
	}
	p.next()
	other := p.expr()
	p.grow(high)
	return &Select{Span{then.Pos(), p.last}, then, cond, other}
}

// operators reads operators of the given level and tighter ones behind an operand that starts at from, by precedence
// climbing.
func (p *parser) operators(from Pos, x Expr, level int) Expr {
	for {
		found := int(levelOf[p.tok.kind])
		if found == 0 || found < level {
			return x
		}
		op := p.tok
		if op.kind == tokIn {
			p.only(Final, op.span(), "compare with '==', "+finalHint, "the provisional dialect has no operator 'in'")
		}
		p.needOps(op.span(), "an operator", p.operatorHint(op, x))
		high := p.high
		p.next()
		right := p.tok.from
		y := p.operators(right, p.unary(), found+1)
		p.grow(high)
		x = &Binary{Span{from, p.last}, binaryOp[op.kind], x, y}
	}
}

// operatorHint says what an operator that is not enabled may have been meant for.
func (p *parser) operatorHint(op token, x Expr) string {
	switch {
	case op.kind == tokEQ && p.inCall > 0 && isIdent(x):
		return "an argument is named with '='"
	case op.kind == '*' && p.peek() == '*':
		return wordHints["**"]
	case op.kind == '/' && isIdent(x) && x.End() == op.from:
		return nameHint
	}
	return ""
}

// signHint says what a sign before the current token may have been meant for.
func (p *parser) signHint() string {
	switch strings.ToLower(p.word()) {
	case "inf", "infinity", "nan":
		return "infinity and NaN have no literal"
	}
	return ""
}

func isIdent(x Expr) bool {
	_, ok := x.(*Ident)
	return ok
}

var unaryOp = [256]Op{'+': Plus, '-': Minus, '!': Not}

// unary reads operators before an operand. A minus sign directly before a number belongs to the number.
func (p *parser) unary() Expr {
	op := unaryOp[p.tok.kind]
	if op == 0 {
		return p.postfix()
	}
	sign := p.take()
	if op == Minus && (p.tok.kind == tokInteger || p.tok.kind == tokScalar) && !p.subscriptAhead() {
		return p.number(sign.from, true)
	}
	p.needOps(sign.span(), "an operator", p.signHint())
	p.enter()
	x := p.unary()
	p.depth--
	p.grow(0)
	return &Unary{Span{sign.from, p.last}, op, x}
}

// postfix reads an operand and the subscripts behind it.
func (p *parser) postfix() Expr {
	from := p.tok.from
	x := p.primary()
	for p.tok.kind == '[' && !p.assignmentAhead() {
		p.needOps(p.tok.span(), "a subscript", "")
		x = p.subscript(from, x)
	}
	return x
}

// subscriptAhead tells whether a subscript follows the current token; it binds tighter than a sign.
func (p *parser) subscriptAhead() bool {
	return p.peek() == '[' && !p.ahead(func() bool {
		p.next()
		return p.assignmentAhead()
	})
}

// subscript reads [index] or [first:last].
func (p *parser) subscript(from Pos, x Expr) Expr {
	open, high := p.open('[', ""), p.high
	var first, last Expr
	if p.tok.kind == ']' {
		p.fail(CodeEmpty, p.tok.span(), "write [index] or [first:last]", "an empty subscript")
	}
	if p.tok.kind != ':' {
		first = p.expr()
		high = max(high, p.high)
	}
	isRange := p.tok.kind == ':'
	if isRange {
		if p.next(); p.tok.kind != ']' {
			last = p.expr()
		}
	}
	p.closing(open, "after a subscript")
	p.grow(high)
	if isRange {
		return &Range{Span{from, p.last}, x, first, last}
	}
	return &Subscript{Span{from, p.last}, x, first}
}

// primary reads an operand without operators around it.
func (p *parser) primary() Expr {
	t := p.tok
	switch t.kind {
	case tokIdent:
		return p.identOrCall()
	case tokInteger, tokScalar:
		return p.number(t.from, false)
	case tokString:
		return p.str()
	case tokTrue, tokFalse:
		return p.logical()
	case '[':
		return p.array()
	case '(':
		return p.parenthesis()
	case ')', ']', '}', ';':
		hint := ""
		if p.last > 0 && p.src.Text[p.last-1] == ',' {
			hint = "remove the ',' before it"
		}
		p.unexpectedHint("an expression", hint)
	}
	if builtinOf[t.kind] == 0 {
		p.unexpected("an expression")
	}
	return p.builtin(p.take(), builtinOf[t.kind])
}

const literalHint = "a default is a literal, or an array or tuple of literals"

// literal reads a default value: a literal, or an array or tuple of them.
func (p *parser) literal() Expr {
	from := p.tok.from
	switch p.tok.kind {
	case '-':
		if p.next(); p.tok.kind == tokInteger || p.tok.kind == tokScalar {
			return p.number(from, true)
		}
	case tokInteger, tokScalar, tokString, tokTrue, tokFalse:
		return p.primary()
	case '[', '(':
		return p.bracketed("or ',' in a literal", p.literal)
	}
	p.unexpectedHint("a literal", literalHint)
	return nil
}

func (p *parser) str() *StringLit {
	s := &StringLit{p.tok.span(), p.unquote(p.tok)}
	p.high = 1
	p.next()
	return s
}

func (p *parser) logical() Expr {
	x := &LogicalLit{p.tok.span(), p.tok.kind == tokTrue}
	p.high = 1
	p.next()
	return x
}

// number turns the current token into a literal that starts at from, where its sign may stand.
func (p *parser) number(from Pos, negative bool) Expr {
	text := p.word()
	t := p.take()
	p.high = 1
	signed, span := text, Span{from, t.to}
	if negative {
		signed = "-" + text
	}
	if t.kind == tokInteger {
		v, err := strconv.ParseInt(signed, 10, 64)
		if err != nil && !t.bad() {
			p.errorAt(CodeRange, span, "integers have 64 bits", "integer %s is out of range", abbreviate(text))
		}
		return &IntegerLit{span, v}
	}
	v, err := strconv.ParseFloat(signed, 64)
	if err != nil && !t.bad() {
		p.errorAt(CodeRange, span, "scalars lie between ±1.8e308", "scalar %s is out of range", abbreviate(text))
	}
	return &ScalarLit{span, v}
}

// array reads [items], or a comprehension of either dialect.
func (p *parser) array() Expr {
	open := p.open('[', "")
	if p.high = 0; p.tok.kind == ']' {
		return p.group(open, "or ',' in an array", nil)
	}
	if p.tok.kind == tokFor {
		return p.comprehension(open)
	}
	first := p.expr()
	if p.tok.kind == tokFor {
		return p.comprehensionAfter(open, first)
	}
	return p.group(open, "or ',' in an array", p.further(first, p.expr))
}

// comprehension reads 'for i in a, j in b if c yield item]'.
func (p *parser) comprehension(open token) Expr {
	p.only(Final, p.tok.span(), "write '[item for i in a if c]'", "this comprehension belongs to the final dialect")
	c := p.iterators()
	// In a lenient reading of a provisional text 'yield' is no keyword.
	isYield := p.tok.kind == tokYield || p.dialect == Provisional && p.tok.kind == tokIdent && p.word() == "yield"
	if !isYield {
		p.unexpected("'yield' in a comprehension")
	}
	high := p.high
	p.next()
	c.Item = p.expr()
	return p.endComprehension(open, c, high)
}

// comprehensionAfter reads 'for i in a if c]' behind the item.
func (p *parser) comprehensionAfter(open token, item Expr) Expr {
	p.only(Provisional, p.tok.span(), "write '[for i in a if c yield item]'", "this comprehension belongs to the provisional dialect")
	high := p.high
	c := p.iterators()
	c.Item = item
	if len(c.Iterators) > 1 {
		it := c.Iterators[1]
		p.only(Final, Span{it.Name.From, it.In.End()}, "iterate over range_of and use subscripts", "a provisional comprehension has one iterator")
	}
	return p.endComprehension(open, c, high)
}

// iterators reads 'for i in a, j in b if c'.
func (p *parser) iterators() *Comprehension {
	p.needOps(p.tok.span(), "a comprehension", "")
	p.next()
	c := &Comprehension{}
	p.commas(func() {
		it := Iterator{Name: p.ident("the name of an iterator")}
		p.expect(tokIn, "after the name of an iterator")
		it.In = p.iterated()
		c.Iterators = append(c.Iterators, it)
	})
	if p.tok.kind == tokIf {
		high := p.high
		p.next()
		c.Cond = p.expr()
		p.high = max(high, p.high)
	}
	return c
}

func (p *parser) endComprehension(open token, c *Comprehension, high int) Expr {
	p.closing(open, "at the end of a comprehension")
	p.grow(high)
	c.Span = Span{open.from, p.last}
	return c
}

// parenthesis reads a tuple, or an expression in parentheses.
func (p *parser) parenthesis() Expr {
	open := p.open('(', "")
	if p.tok.kind == ')' {
		p.fail(CodeTuple, Span{open.from, p.tok.to}, "", "a tuple needs at least two items")
	}
	x := p.expr()
	if p.tok.kind == ',' {
		return p.group(open, "or ',' in a tuple", p.further(x, p.expr))
	}
	p.closing(open, "after the expression")
	p.needOps(Span{open.from, p.last}, "an expression in parentheses", "a tuple has at least two items")
	return x
}

// builtin reads the argument of a builtin function whose name was read.
func (p *parser) builtin(name token, f Builtin) Expr {
	what := "the function '" + f.Text(p.dialect) + "'"
	p.needOps(name.span(), what, "")
	open := p.open('(', "after "+what)
	arg := p.expr()
	if p.tok.kind == ',' {
		p.fail(CodeUnexpected, p.tok.span(), "", "%s has one argument", what)
	}
	p.closing(open, "after the argument")
	p.grow(0)
	return &BuiltinCall{Span{name.from, p.last}, f, arg}
}

// identOrCall reads an identifier and, if one follows, its generic type and arguments.
func (p *parser) identOrCall() Expr {
	t := p.tok
	id := p.takeIdent()
	switch {
	case p.tok.kind == '(' && !p.assignmentAhead():
		if p.isForeignCast(id) {
			p.only(Provisional-p.dialect, t.span(), "write '"+ToInteger.Text(p.dialect)+"'", "the %s dialect has no function '%s'", p.dialect, id.Name)
			return p.builtin(t, ToInteger)
		}
		return p.call(id, NoPrimitive, p.expr)
	case p.tok.kind == '<' && p.genericAhead():
		p.only(Final, p.tok.span(), "remove the generic type, "+finalHint, "a provisional document has no generic invocations")
		open := p.open('<', "")
		kind := p.primitive()
		p.closing(open, "after the generic type")
		return p.call(id, kind, p.expr)
	}
	return id
}

// isForeignCast tells whether a lenient reader should take a call for the integer cast of the other dialect.
func (p *parser) isForeignCast(id *Ident) bool {
	if !p.lenient || id.Name != ToInteger.Text(Provisional-p.dialect) {
		return false
	}
	return !slices.ContainsFunc(p.doc.Fragments, func(f *Fragment) bool { return f.Name != nil && f.Name.Name == id.Name })
}

// genericAhead tells whether '<' after an identifier begins the generic type of a call: a type or word, '>' and '('
// follow. As operators these could only compare the result of a comparison, which has no order.
func (p *parser) genericAhead() bool {
	return p.ahead(func() bool {
		p.next()
		switch k := p.tok.kind; {
		case p.flat != flatOff && k >= tokTensor && k <= tokStringType:
			return true // no operator may stand here
		case k == tokIdent || k == '?' || k.isKeyword():
			p.next()
		}
		return p.tok.kind == '>' && p.peek() == '('
	})
}

// call reads the arguments of an invocation, and each by value.
func (p *parser) call(id *Ident, kind Primitive, value func() Expr) *Call {
	if p.inCall > 0 {
		p.needOps(id.Span, "an invocation inside of another one", "")
	}
	open := p.open('(', "after the name of an operation")
	p.inCall++
	var args []Arg
	if p.high = 0; p.tok.kind != ')' {
		p.commas(func() {
			arg := p.argument(value)
			args = append(args, arg)
		})
		if p.tok.kind == ':' && isIdent(args[len(args)-1].Value) {
			p.unexpectedHint("')' or ',' after an argument", "an argument is named with '='")
		}
	} else if !p.tract {
		p.tolerate(Diagnostic{Code: CodeEmpty, Span: p.tok.span(), Message: "an invocation needs at least one argument"}, p.lenient)
	}
	p.closing(open, "or ',' after an argument")
	p.grow(0)
	p.inCall--
	return &Call{Span{id.From, p.last}, id, kind, args}
}

// argument reads a value and the name that may stand before it.
func (p *parser) argument(value func() Expr) (a Arg) {
	if (p.tok.kind == tokIdent || p.tok.kind.isKeyword()) && p.peekAssign() {
		a.Name = p.ident("the name of an argument")
		p.next()
	}
	a.Value = value()
	return a
}
