package syntax

import (
	"math"
	"strconv"
	"strings"
)

var binaryOp = [numKinds]Op{tokPlus: Plus, tokMinus: Minus, tokStar: Times, tokSlash: Divide, tokCaret: Power,
	tokLT: Less, tokLE: LessEqual, tokGT: Greater, tokGE: GreaterEqual, tokEQ: Equal, tokNE: NotEqual, tokAnd: And,
	tokOr: Or, tokIn: In}

// levelOf is the level of a token as a binary operator, 0 if it is none.
var levelOf = func() (levels [numKinds]uint8) {
	for k, op := range binaryOp {
		if op != 0 {
			levels[k] = uint8(op.level())
		}
	}
	return levels
}()

// endsItem are the characters behind which no part of an item can stand.
var endsItem = [256]bool{',': true, ')': true, ']': true}

var builtinOf = [numKinds]Builtin{tokShapeOf: ShapeOf, tokLengthOf: LengthOf, tokRangeOf: RangeOf,
	tokIntegerType: ToInteger, tokScalarType: ToScalar, tokLogicalType: ToLogical, tokStringType: ToString}

// expr reads an expression of any kind.
func (p *parser) expr() Expr {
	// Most operands stand alone, which a comma or bracket directly behind them tells.
	if p.pos < len(p.text) && endsItem[p.text[p.pos]] {
		switch p.tok.kind {
		case tokInteger, tokScalar:
			return p.number(p.tok.from, false)
		case tokIdent:
			return p.takeIdent()
		case tokString:
			return p.str()
		}
	}
	x := p.iterated()
	if x != nil && p.tok.kind == tokIf {
		if p.depth >= p.limits.Depth {
			p.tooDeep()
			return nil
		}
		p.depth++
		x = p.selection(x)
		p.depth--
	}
	return x
}

// iterated reads an expression without if-else at the top, such as the array of a comprehension: an 'if' behind that is
// the filter.
func (p *parser) iterated() Expr {
	if p.depth >= p.limits.Depth {
		p.tooDeep()
		return nil
	}
	p.depth++
	from := p.tok.from
	x := p.unary()
	if x != nil && levelOf[p.tok.kind] > 0 {
		x = p.operators(from, x, levelIn)
	}
	p.depth--
	return x
}

// selection reads 'if cond else other' behind an expression.
func (p *parser) selection(then Expr) Expr {
	p.needOps(p.tok.span(), "an if-else expression")
	high := p.high
	p.next()
	cond := p.expr()
	if cond == nil {
		return nil
	}
	high = max(high, p.high)
	if p.tok.kind != tokElse {
		hint := p.hintAt()
		if hint == "" || p.tok.kind == tokSemicolon {
			hint = "a choice is written 'a if c else b'"
		}
		p.unexpectedHint("'else' after the condition of 'if'", hint)
		return nil
	}
	p.next()
	other := p.expr()
	if other == nil || !p.grow(max(high, p.high)) {
		return nil
	}
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
		if op.kind == tokIn && p.dialect == Provisional {
			p.foreign(op.span(), "compare with '==', "+finalHint, "the provisional dialect has no operator 'in'")
		}
		p.needOpsHint(op.span(), "an operator", p.operatorHint(op, x))
		high := p.high
		p.next()
		right := p.tok.from
		y := p.unary()
		if y != nil {
			y = p.operators(right, y, found+1)
		}
		if y == nil || !p.grow(max(high, p.high)) {
			return nil
		}
		b := p.binaries.new()
		b.Span, b.Op, b.OpPos, b.X, b.Y = Span{from, p.last}, binaryOp[op.kind], op.from, x, y
		x = b
	}
}

// operatorHint says what an operator that is not enabled may have been meant for.
func (p *parser) operatorHint(op token, x Expr) string {
	switch {
	case op.kind == tokEQ && p.inCall > 0 && isIdent(x):
		return "an argument is named with '='"
	case op.kind == tokStar && p.peekIs('*'):
		return wordHints["**"]
	case op.kind == tokSlash && isIdent(x) && x.End() == op.from:
		return "names hold letters, digits and underscores"
	}
	return ""
}

// signHint says what a sign before the current token may have been meant for.
func (p *parser) signHint() string {
	switch strings.ToLower(p.src.Text[p.tok.from:p.tok.to]) {
	case "inf", "infinity", "nan":
		return "infinity and NaN have no literal"
	}
	return ""
}

func isIdent(x Expr) bool {
	_, ok := x.(*Ident)
	return ok
}

// unary reads operators before an operand. A minus sign directly before a number belongs to the number.
func (p *parser) unary() Expr {
	var op Op
	switch p.tok.kind {
	case tokPlus:
		op = Plus
	case tokMinus:
		op = Minus
	case tokNot:
		op = Not
	default:
		return p.postfix()
	}
	sign := p.tok
	p.next()
	if op == Minus && (p.tok.kind == tokInteger || p.tok.kind == tokScalar) && !p.subscriptAhead() {
		return p.number(sign.from, true)
	}
	p.needOpsHint(sign.span(), "an operator", p.signHint())
	if p.depth >= p.limits.Depth {
		p.tooDeep()
		return nil
	}
	p.depth++
	x := p.unary()
	p.depth--
	if x == nil || !p.grow(p.high) {
		return nil
	}
	return &Unary{Span{sign.from, p.last}, op, x}
}

// postfix reads an operand and the subscripts behind it.
func (p *parser) postfix() Expr {
	from := p.tok.from
	x := p.primary()
	for x != nil && p.tok.kind == tokLBracket && !p.assignmentAhead() {
		p.needOps(p.tok.span(), "a subscript")
		x = p.subscript(from, x)
	}
	return x
}

// subscriptAhead tells whether a subscript follows the current token; it binds tighter than a sign.
func (p *parser) subscriptAhead() bool {
	return p.peekIs('[') && !p.ahead(func() bool {
		p.next()
		return p.assignmentAhead()
	})
}

// subscript reads [index] or [first:last].
func (p *parser) subscript(from Pos, x Expr) Expr {
	open, high := p.tok, p.high
	p.next()
	p.nest++
	var first, last Expr
	if p.tok.kind != tokColon {
		if p.tok.kind == tokRBracket {
			p.errorAt(CodeEmpty, p.tok.span(), "write [index] or [first:last]", "an empty subscript")
			return nil
		}
		if first = p.expr(); first == nil {
			return nil
		}
		high = max(high, p.high)
	}
	isRange := p.tok.kind == tokColon
	if isRange {
		p.next()
		if p.tok.kind != tokRBracket {
			if last = p.expr(); last == nil {
				return nil
			}
			high = max(high, p.high)
		}
	}
	if !p.closing(open, "after a subscript") || !p.grow(high) {
		return nil
	}
	p.nest--
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
	case tokLBracket:
		return p.array()
	case tokLParen:
		return p.parenthesis()
	}
	if builtinOf[t.kind] != 0 {
		p.next()
		return p.builtin(t, builtinOf[t.kind])
	}
	hint := p.hintAt()
	switch t.kind {
	case tokRParen, tokRBracket, tokRBrace, tokSemicolon:
		if hint = ""; p.last > 0 && p.src.Text[p.last-1] == ',' {
			hint = "remove the ',' before it"
		}
	}
	p.unexpectedHint("an expression", hint)
	return nil
}

const literalHint = "a default is a literal, or an array or tuple of literals"

// literal reads a default value: a literal, or an array or tuple of them.
func (p *parser) literal() Expr {
	open := p.tok
	switch open.kind {
	case tokMinus:
		p.next()
		if p.tok.kind == tokInteger || p.tok.kind == tokScalar {
			return p.number(open.from, true)
		}
	case tokInteger, tokScalar:
		return p.number(open.from, false)
	case tokString:
		return p.str()
	case tokTrue, tokFalse:
		return p.logical()
	case tokLBracket, tokLParen:
		return p.bracketed(open, "or ',' in a literal", p.literal)
	}
	p.unexpectedHint("a literal", literalHint)
	return nil
}

func (p *parser) str() *StringLit {
	s := p.strings.new()
	s.Span, s.Value = p.tok.span(), p.unquote(p.tok)
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
	t := p.tok
	text := p.text[t.from:t.to]
	p.high = 1
	p.next()
	span := Span{from, t.to}
	if t.kind == tokInteger {
		lit := p.integers.new()
		lit.Span = span
		if t.bad() {
			return lit
		}
		var ok bool
		if lit.Value, ok = parseInteger(text, negative); !ok {
			p.errorAt(CodeRange, span, "integers have 64 bits", "integer %s is out of range", abbreviate(text))
		}
		return lit
	}
	lit := p.scalars.new()
	lit.Span = span
	if t.bad() {
		return lit
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		p.errorAt(CodeRange, span, "scalars lie between ±1.8e308", "scalar %s is out of range", abbreviate(text))
		v = 0
	}
	if negative {
		v = -v
	}
	lit.Value = v
	return lit
}

// parseInteger returns the value of decimal digits; it is false if 64 bits cannot hold it.
func parseInteger(digits string, negative bool) (int64, bool) {
	limit := uint64(math.MaxInt64)
	if negative {
		limit++
	}
	v := uint64(0)
	for i := range len(digits) {
		d := uint64(digits[i] - '0')
		if v > (limit-d)/10 {
			return 0, false
		}
		v = v*10 + d
	}
	if negative {
		return int64(-v), true
	}
	return int64(v), true
}

// array reads [items], or a comprehension of either dialect.
func (p *parser) array() Expr {
	open := p.tok
	p.next()
	p.nest++
	if p.tok.kind == tokFor {
		return p.comprehension(open)
	}
	base, high := len(p.exprs), 0
	for p.tok.kind != tokRBracket || len(p.exprs) > base {
		x := p.expr()
		if x == nil {
			p.exprs = p.exprs[:base]
			return nil
		}
		high = max(high, p.high)
		if p.tok.kind == tokFor && len(p.exprs) == base {
			return p.comprehensionAfter(open, x)
		}
		p.exprs = append(p.exprs, x)
		if p.tok.kind != tokComma {
			break
		}
		p.next()
	}
	items := p.pop(base)
	if !p.closing(open, "or ',' in an array") || !p.grow(high) {
		return nil
	}
	p.nest--
	return p.group(open, items)
}

// comprehension reads 'for i in a, j in b if c yield item]'.
func (p *parser) comprehension(open token) Expr {
	if p.dialect == Provisional {
		p.foreign(p.tok.span(), "write '[item for i in a if c]'", "this comprehension belongs to the final dialect")
	}
	p.needOps(p.tok.span(), "a comprehension")
	c := &Comprehension{}
	p.next()
	high, ok := p.iterators(c)
	if !ok {
		return nil
	}
	// In a lenient reading of a provisional text 'yield' is no keyword.
	isYield := p.tok.kind == tokYield ||
		p.dialect == Provisional && p.tok.kind == tokIdent && p.src.Text[p.tok.from:p.tok.to] == "yield"
	if !isYield {
		p.unexpected("'yield' in a comprehension")
		return nil
	}
	p.next()
	if c.Item = p.expr(); c.Item == nil {
		return nil
	}
	return p.endComprehension(open, c, max(high, p.high))
}

// comprehensionAfter reads 'for i in a if c]' behind the item.
func (p *parser) comprehensionAfter(open token, item Expr) Expr {
	if p.dialect == Final {
		p.foreign(p.tok.span(), "write '[for i in a if c yield item]'", "this comprehension belongs to the provisional dialect")
	}
	p.needOps(p.tok.span(), "a comprehension")
	c := &Comprehension{Item: item}
	high := p.high
	p.next()
	h, ok := p.iterators(c)
	if !ok {
		return nil
	}
	if p.dialect == Provisional && len(c.Iterators) > 1 {
		it := c.Iterators[1]
		p.foreign(Span{it.Pos(), it.End()}, "iterate over range_of and use subscripts",
			"a provisional comprehension has one iterator")
	}
	return p.endComprehension(open, c, max(high, h))
}

// iterators reads 'i in a, j in b if c'. It returns the height of the trees.
func (p *parser) iterators(c *Comprehension) (high int, ok bool) {
	for {
		it := Iterator{Name: p.ident("the name of an iterator")}
		if it.Name == nil || !p.expect(tokIn, "after the name of an iterator") {
			return 0, false
		}
		if it.In = p.iterated(); it.In == nil {
			return 0, false
		}
		high = max(high, p.high)
		c.Iterators = append(c.Iterators, it)
		if p.tok.kind != tokComma {
			break
		}
		p.next()
	}
	if p.tok.kind == tokIf {
		p.next()
		if c.Cond = p.expr(); c.Cond == nil {
			return 0, false
		}
		high = max(high, p.high)
	}
	return high, true
}

func (p *parser) endComprehension(open token, c *Comprehension, high int) Expr {
	if !p.closing(open, "at the end of a comprehension") || !p.grow(high) {
		return nil
	}
	p.nest--
	c.Span = Span{open.from, p.last}
	return c
}

// parenthesis reads a tuple, or an expression in parentheses.
func (p *parser) parenthesis() Expr {
	open := p.tok
	p.next()
	p.nest++
	if p.tok.kind == tokRParen {
		p.errorAt(CodeTuple, Span{open.from, p.tok.to}, "", "a tuple needs at least two items")
		return nil
	}
	x := p.expr()
	if x == nil {
		return nil
	}
	if p.tok.kind != tokComma {
		if !p.closing(open, "after the expression") {
			return nil
		}
		p.nest--
		p.needOpsHint(Span{open.from, p.last}, "an expression in parentheses", "a tuple has at least two items")
		return x
	}
	base, high := len(p.exprs), p.high
	p.exprs = append(p.exprs, x)
	for p.tok.kind == tokComma {
		p.next()
		if x = p.expr(); x == nil {
			p.exprs = p.exprs[:base]
			return nil
		}
		high = max(high, p.high)
		p.exprs = append(p.exprs, x)
	}
	items := p.pop(base)
	if !p.closing(open, "or ',' in a tuple") || !p.grow(high) {
		return nil
	}
	p.nest--
	return p.group(open, items)
}

// builtin reads the argument of a builtin function whose name was read.
func (p *parser) builtin(name token, f Builtin) Expr {
	p.needOps(name.span(), "the function '"+f.Text(p.dialect)+"'")
	open := p.tok
	if !p.expect(tokLParen, "after the function '"+f.Text(p.dialect)+"'") {
		return nil
	}
	p.nest++
	arg := p.expr()
	if arg == nil {
		return nil
	}
	if p.tok.kind == tokComma {
		p.errorAt(CodeUnexpected, p.tok.span(), "", "the function '%s' has one argument", f.Text(p.dialect))
		return nil
	}
	if !p.closing(open, "after the argument") || !p.grow(p.high) {
		return nil
	}
	p.nest--
	return &BuiltinCall{Span{name.from, p.last}, f, arg}
}

// identOrCall reads an identifier and, if one follows, its generic type and arguments.
func (p *parser) identOrCall() Expr {
	t := p.tok
	id := p.takeIdent()
	switch p.tok.kind {
	case tokLParen:
		if p.assignmentAhead() {
			return id
		}
		if p.isForeignCast(id) {
			other := Provisional - p.dialect
			p.foreign(t.span(), "write '"+ToInteger.Text(p.dialect)+"'", "the %s dialect has no function '%s'", p.dialect,
				ToInteger.Text(other))
			return p.builtin(t, ToInteger)
		}
		return p.call(id, NoPrimitive)
	case tokLT:
		if p.genericAhead() {
			if p.dialect == Provisional {
				p.foreign(p.tok.span(), "remove the generic type, "+finalHint, "a provisional document has no generic invocations")
			}
			open := p.tok
			p.next()
			kind := p.primitive()
			if kind == NoPrimitive || !p.closing(open, "after the generic type") {
				return nil
			}
			return p.call(id, kind)
		}
	}
	return id
}

// isForeignCast tells whether a lenient reader should take a call for the integer cast of the other dialect.
func (p *parser) isForeignCast(id *Ident) bool {
	if !p.lenient || id.Name != ToInteger.Text(Provisional-p.dialect) {
		return false
	}
	for _, f := range p.doc.Fragments {
		if f.Name != nil && f.Name.Name == id.Name {
			return false
		}
	}
	return true
}

// genericAhead tells whether '<' after an identifier begins the generic type of a call: a type or word, '>' and '('
// follow. As operators these could only compare the result of a comparison, which has no order.
func (p *parser) genericAhead() bool {
	i := p.peek()
	word := i
	for i < len(p.text) && isWord[p.text[i]] {
		i++
	}
	switch {
	case i < len(p.text) && i == word && p.text[i] == '?':
		i++
	case i > word && classOf[p.text[word]] == clsDigit:
		return false
	}
	if k := keyword(p.text[word:i], p.dialect); p.flat != flatOff && k >= tokTensor && k <= tokStringType {
		return true // no operator may stand here
	}
	if i = p.skipSpace(i); i >= len(p.text) || p.text[i] != '>' {
		return false
	}
	i = p.skipSpace(i + 1)
	return i < len(p.text) && p.text[i] == '('
}

// call reads the arguments of an invocation.
func (p *parser) call(id *Ident, kind Primitive) Expr {
	if p.inCall > 0 {
		p.needOps(id.Span, "an invocation inside of another one")
	}
	open := p.tok
	if !p.expect(tokLParen, "after the name of an operation") {
		return nil
	}
	p.nest++
	p.inCall++
	base, high := len(p.args), 0
	if p.tok.kind == tokRParen && !p.tract {
		p.tolerate(Diagnostic{Code: CodeEmpty, Span: p.tok.span(), Message: "an invocation needs at least one argument"},
			p.lenient)
	}
	for p.tok.kind != tokRParen || len(p.args) > base {
		arg := Arg{}
		if p.tok.kind == tokIdent && p.peekAssign() {
			arg.Name = p.takeIdent()
			p.next()
		} else if p.tok.kind.isKeyword() && p.peekAssign() {
			p.ident("the name of an argument") // reports the keyword
			return nil
		}
		if arg.Value = p.expr(); arg.Value == nil {
			p.args = p.args[:base]
			return nil
		}
		high = max(high, p.high)
		p.args = append(p.args, arg)
		if p.tok.kind != tokComma {
			break
		}
		p.next()
	}
	args := p.argLists.list(p.args[base:])
	p.args = p.args[:base]
	if p.tok.kind == tokColon && len(args) > 0 && isIdent(args[len(args)-1].Value) {
		p.unexpectedHint("')' or ',' after an argument", "an argument is named with '='")
		return nil
	}
	if !p.closing(open, "or ',' after an argument") || !p.grow(high) {
		return nil
	}
	p.nest--
	p.inCall--
	c := p.calls.new()
	c.Span, c.Name, c.Type, c.Args = Span{id.From, p.last}, id, kind, args
	return c
}
