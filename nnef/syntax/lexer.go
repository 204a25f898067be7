package syntax

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// charClass says what a byte can begin.
type charClass uint8

const (
	clsOther charClass = iota
	clsSpace
	clsLetter
	clsDigit
	clsQuote
	clsSingle // always a token of its own
	clsSymbol // may begin a longer token
)

var (
	classOf  [256]charClass
	isWord   [256]bool // letters, digits and the underscore
	singleOf [256]kind
)

func init() {
	for _, c := range " \t\v\f\r\n" {
		classOf[c] = clsSpace
	}
	for c := range 256 {
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', c == '_':
			classOf[c], isWord[c] = clsLetter, true
		case '0' <= c && c <= '9':
			classOf[c], isWord[c] = clsDigit, true
		}
	}
	classOf['\''], classOf['"'] = clsQuote, clsQuote
	for c, k := range map[byte]kind{'(': tokLParen, ')': tokRParen, '[': tokLBracket, ']': tokRBracket, '{': tokLBrace,
		'}': tokRBrace, ':': tokColon, ',': tokComma, ';': tokSemicolon, '?': tokQuestion, '+': tokPlus, '*': tokStar,
		'/': tokSlash, '^': tokCaret} {
		classOf[c], singleOf[c] = clsSingle, k
	}
	for _, c := range "#-<>=!&|." {
		classOf[c] = clsSymbol
	}
}

// lexer turns text into tokens, one at a time. It never fails: what forms no token is reported and skipped or replaced.
type lexer struct {
	*reporter
	text     string
	pos      int
	tokens   int // so far
	dialect  Dialect
	lenient  bool
	tract    bool
	limits   Limits
	comments []Span // those that the parser has not attached yet, from '#' to the end of the line
}

// stop ends the text where the lexer stands, after a limit was exceeded.
func (l *lexer) stop() {
	l.stopped = true
	l.text = l.text[:min(l.pos, len(l.text))]
}

func (l *lexer) lexError(code Code, from, to int, hint, format string, args ...any) {
	l.report(Diagnostic{Code: code, Span: Span{Pos(from), Pos(to)}, Message: fmt.Sprintf(format, args...), Hint: hint})
}

// scan returns the next token; at the end of the text it returns tokEOF, again and again.
func (l *lexer) scan() token {
	text, i := l.text, l.pos
	for i < len(text) {
		c := text[i]
		switch classOf[c] {
		case clsSpace:
			i++
			continue
		case clsLetter:
			from := i
			for i++; i < len(text) && isWord[text[i]]; i++ {
			}
			if l.tract && i-from == 1 && c == 'i' && i < len(text) && text[i] == '"' {
				return l.quoted(from, i, tokIdent)
			}
			return l.emit(keyword(text[from:i], l.dialect), from, i)
		case clsDigit:
			return l.number(i)
		case clsQuote:
			return l.quoted(i, i, tokString)
		case clsSingle:
			return l.emit(singleOf[c], i, i+1)
		case clsSymbol:
			if c == '#' {
				from := i
				if n := strings.IndexByte(text[i:], '\n'); n >= 0 {
					i += n
				} else {
					i = len(text)
				}
				l.comments = append(l.comments, Span{Pos(from), Pos(i)})
				continue
			}
			if t, ok := l.symbol(c, i); ok {
				return t
			}
			i++
		default:
			i = l.unknown(i)
		}
	}
	l.pos = len(text)
	return token{kind: tokEOF, from: Pos(len(text)), to: Pos(len(text))}
}

// emit advances behind a token and counts it.
func (l *lexer) emit(k kind, from, to int) token {
	l.pos = to
	l.tokens++
	if to-from > l.limits.Literal {
		l.lexError(CodeLiteralLength, from, from+1, "", "identifier or literal of %d bytes; the limit is %d", to-from,
			l.limits.Literal)
	}
	if l.tokens > l.limits.Tokens {
		l.lexError(CodeSize, from, to, "", "more than %d tokens", l.limits.Tokens)
		l.stop()
		return token{kind: tokEOF, from: Pos(from), to: Pos(from)}
	}
	return token{kind: k, from: Pos(from), to: Pos(to)}
}

// symbol reads an operator of one or two characters. It returns false after reporting a character to be skipped.
func (l *lexer) symbol(c byte, i int) (token, bool) {
	next := byte(0)
	if i+1 < len(l.text) {
		next = l.text[i+1]
	}
	one := func(k kind) (token, bool) { return l.emit(k, i, i+1), true }
	two := func(k kind) (token, bool) { return l.emit(k, i, i+2), true }
	switch c {
	case '-':
		if next == '>' {
			return two(tokArrow)
		}
		return one(tokMinus)
	case '<':
		if next == '=' {
			return two(tokLE)
		}
		return one(tokLT)
	case '>':
		if next == '=' {
			return two(tokGE)
		}
		return one(tokGT)
	case '=':
		if next == '=' {
			return two(tokEQ)
		}
		return one(tokAssign)
	case '!':
		if next == '=' {
			return two(tokNE)
		}
		return one(tokNot)
	case '&', '|':
		k := tokAnd
		if c == '|' {
			k = tokOr
		}
		if next == c {
			return two(k)
		}
		l.lexError(CodeCharacter, i, i+1, fmt.Sprintf("the operator is '%c%c'", c, c), "unexpected character '%c'", c)
		return one(k)
	case '.':
		if classOf[next] == clsDigit {
			return l.number(i), true
		}
	}
	l.lexError(CodeCharacter, i, i+1, "", "unexpected character '%c'", c)
	return token{}, false
}

// unknown reports a run of bytes that begin no token and returns where it ends.
func (l *lexer) unknown(i int) int {
	from := i
	r, size := utf8.DecodeRuneInString(l.text[i:])
	for i += size; i < len(l.text) && classOf[l.text[i]] == clsOther; i++ {
	}
	if r == utf8.RuneError && size == 1 {
		l.lexError(CodeCharacter, from, i, "", "byte 0x%02x is not text", l.text[from])
	} else {
		l.lexError(CodeCharacter, from, i, "identifiers and operators are ASCII", "unexpected character %q", r)
	}
	return i
}

// digits returns where a run of digits ends.
func (l *lexer) digits(i int) int {
	for i < len(l.text) && classOf[l.text[i]] == clsDigit {
		i++
	}
	return i
}

// number reads digits, an optional fraction and an optional exponent.
func (l *lexer) number(from int) token {
	text, k, wrong := l.text, tokInteger, ""
	i := l.digits(from)
	if i == from {
		wrong = "a digit must stand before the point"
	}
	if i < len(text) && text[i] == '.' {
		k = tokScalar
		end := l.digits(i + 1)
		if end == i+1 && wrong == "" {
			wrong = "a digit must stand after the point"
		}
		i = end
	}
	if i < len(text) && text[i]|0x20 == 'e' {
		start := i + 1
		if start < len(text) && (text[start] == '+' || text[start] == '-') {
			start++
		}
		if end := l.digits(start); end > start {
			k, i = tokScalar, end
		} else if wrong == "" {
			wrong = "the exponent has no digits"
		}
	}
	if i < len(text) && (isWord[text[i]] || text[i] == '.') {
		for i < len(text) && (isWord[text[i]] || text[i] == '.') {
			i++
		}
		if wrong == "" {
			wrong = "numbers are decimal: digits, an optional fraction and an optional exponent"
		}
	}
	if wrong != "" {
		l.lexError(CodeNumber, from, i, wrong, "malformed number %s", abbreviate(text[from:i]))
	}
	t := l.emit(k, from, i)
	t.bad = wrong != ""
	return t
}

// quoted reads a string whose opening quote is at start; from is where the token begins.
func (l *lexer) quoted(from, start int, k kind) token {
	text := l.text
	quote := text[start]
	escaped, bad := false, false
	i := start + 1
	for i < len(text) && text[i] != quote {
		switch c := text[i]; {
		case c == '\\':
			if i+1 < len(text) && (text[i+1] == quote || text[i+1] == '\\') {
				escaped = true
				i += 2
				continue
			}
			if i+1 < len(text) && text[i+1] != '\n' && text[i+1] != '\r' {
				l.badEscape(i, quote)
			}
		case c == '\n':
			return l.unterminated(from, i, k)
		case c < ' ' || c == 0x7f:
			if c == '\r' && i+1 < len(text) && text[i+1] == '\n' {
				return l.unterminated(from, i, k)
			}
			if !bad {
				l.lexError(CodeStringContent, i, i+1, "strings hold printable ASCII", "control character 0x%02x in a string", c)
			}
			bad = true
		case c >= 0x80:
			r, size := utf8.DecodeRuneInString(text[i:])
			if valid := r != utf8.RuneError || size > 1; !bad && (!valid || !l.tract) {
				if valid {
					l.lexError(CodeStringContent, i, i+size, "strings hold printable ASCII", "character %q in a string", r)
				} else {
					l.lexError(CodeStringContent, i, i+1, "strings hold printable ASCII", "byte 0x%02x in a string", c)
				}
				bad = true
			}
			i += size
			continue
		}
		i++
	}
	if i >= len(text) {
		return l.unterminated(from, len(text), k)
	}
	t := l.emit(k, from, i+1)
	t.escaped, t.bad = escaped, bad
	return t
}

func (l *lexer) unterminated(from, to int, k kind) token {
	l.lexError(CodeUnterminated, from, from+1, "the closing quote must stand in the same line", "string without an end")
	t := l.emit(k, from, to)
	t.bad = true
	return t
}

// badEscape reports a backslash that escapes nothing. Lenient readers keep it: labels are full of Windows paths.
func (l *lexer) badEscape(i int, quote byte) {
	d := Diagnostic{Code: CodeEscape, Span: Span{Pos(i), Pos(i + 2)}, Message: "a backslash that escapes nothing",
		Hint: fmt.Sprintf(`write \\ for a backslash; only it and %c can be escaped`, quote)}
	if l.lenient || l.tract {
		d.Severity = Warning
	}
	l.report(d)
}

// unquote returns the content of a string token or escaped identifier.
func (l *lexer) unquote(t token) string {
	s := l.src.Text[t.from:t.to]
	if s[0] == 'i' {
		s = s[1:]
	}
	quote := s[0]
	s = s[1:]
	if !t.bad {
		s = s[:len(s)-1]
	}
	if !t.escaped {
		return s
	}
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) && (s[i+1] == quote || s[i+1] == '\\') {
			i++
		}
		b = append(b, s[i])
	}
	return string(b)
}

// abbreviate quotes a piece of text for a message.
func abbreviate(s string) string {
	const most = 40
	if len(s) > most {
		s = s[:most] + "…"
	}
	return "'" + printable(s) + "'"
}
