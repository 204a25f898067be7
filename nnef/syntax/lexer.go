package syntax

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/concord-nn/concord/internal/escape"
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
	doubleOf = make(map[string]kind)
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
	for _, c := range "()[]{}:,;?+*/^" {
		classOf[c] = clsSingle
	}
	for k := tokArrow; k < firstKeyword; k++ {
		doubleOf[strings.Trim(k.text(), "'")] = k
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
	left     int // tokens that the limit still allows
	dialect  Dialect
	lenient  bool
	tract    bool
	limits   Limits
	cut      Pos    // end of the last string without an end: what follows is a consequence
	comments []Span // those that the parser has not attached yet, from '#' to the end of the line
}

// stop ends the text where the lexer stands, after a limit was exceeded.
func (l *lexer) stop() {
	l.stopped = true
	l.text = l.text[:min(l.pos, len(l.text))]
}

// tolerate reports what a lenient reader accepts: as a warning if this one does, and else with a hint at that.
func (l *lexer) tolerate(d Diagnostic, accepted bool) {
	if accepted {
		d.Severity = Warning
	} else {
		d.Hint = strings.TrimPrefix(d.Hint+"; --lenient accepts it", "; ")
	}
	l.report(d)
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
			if i < len(text) && text[i] >= utf8.RuneSelf {
				if end := l.foreignWord(i); end > i {
					return l.emit(tokIdent, from, end)
				}
			}
			return l.emit(keyword(text[from:i], l.dialect), from, i)
		case clsDigit:
			return l.number(i)
		case clsQuote:
			return l.quoted(i, i, tokString)
		case clsSingle:
			return l.emit(kind(c), i, i+1)
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
			i = l.pointed(i + 1) // a name with points is one mistake
		default:
			var t token
			if t, i = l.unknown(i); t.kind != tokEOF {
				return t
			}
		}
	}
	l.pos = len(text)
	return token{kind: tokEOF, from: Pos(len(text)), to: Pos(len(text))}
}

// emit advances behind a token and counts it.
func (l *lexer) emit(k kind, from, to int) token {
	l.pos = to
	l.left--
	if l.left < 0 || to-from > l.limits.Literal {
		return l.beyond(k, from, to)
	}
	return token{kind: k, from: Pos(from), to: Pos(to)}
}

// beyond reports a token that exceeds a limit.
func (l *lexer) beyond(k kind, from, to int) token {
	if to-from > l.limits.Literal {
		l.errorAt(CodeLiteralLength, span(from, from+1), "", "identifier or literal of %d bytes; the limit is %d", to-from,
			l.limits.Literal)
	}
	if l.left < 0 {
		l.errorAt(CodeSize, span(from, to), "", "more than %d tokens", l.limits.Tokens)
		l.stop()
		return token{kind: tokEOF, from: Pos(from), to: Pos(from)}
	}
	return token{kind: k, from: Pos(from), to: Pos(to)}
}

// symbol reads an operator of one or two characters. It returns false after reporting a point, which is to be skipped.
func (l *lexer) symbol(c byte, i int) (token, bool) {
	if i+1 < len(l.text) {
		if k, ok := doubleOf[l.text[i:i+2]]; ok {
			return l.emit(k, i, i+2), true
		}
		if c == '.' && classOf[l.text[i+1]] == clsDigit {
			return l.number(i), true
		}
	}
	k := kind(c)
	switch c {
	case '&', '|': // taken for the operator that is meant
		k = tokAnd
		l.errorAt(CodeCharacter, span(i, i+1), fmt.Sprintf("the operator is '%c%c'", c, c), "unexpected character '%c'", c)
	case '.':
		l.errorAt(CodeCharacter, span(i, i+1), wordHints[string(c)], "unexpected character '%c'", c)
		return token{}, false
	}
	return l.emit(k, i, i+1), true
}

// unknown reports bytes that begin no token. It returns the token that they may stand for, or tokEOF, and where they end.
func (l *lexer) unknown(i int) (token, int) {
	r, size := utf8.DecodeRuneInString(l.text[i:])
	if c, ok := lookalikes[r]; ok {
		return l.lookalike(r, c, i, i+size), i + size
	}
	if end := l.foreignWord(i); end > i {
		return l.emit(tokIdent, i, end), end
	}
	from := i
	for i += size; i < len(l.text) && classOf[l.text[i]] == clsOther && (l.text[i] < utf8.RuneSelf) == (r < utf8.RuneSelf); i++ {
		if next, _ := utf8.DecodeRuneInString(l.text[i:]); lookalikes[next] != 0 {
			break
		}
	}
	switch {
	case r == utf8.RuneError && size == 1:
		l.errorAt(CodeCharacter, span(from, i), "texts are ASCII; only comments may hold more", "byte 0x%02x is not text", l.text[from])
	case unicode.IsSpace(r):
		l.errorAt(CodeCharacter, span(from, i), "write a plain space", "unexpected character %U, which looks like a space", r)
	case r < utf8.RuneSelf:
		l.errorAt(CodeCharacter, span(from, from+1), wordHints[string(r)], "unexpected character %q", r)
	default:
		l.errorAt(CodeCharacter, span(from, i), "names and operators are ASCII", "unexpected character %q", r)
	}
	return token{}, i
}

// foreignWord reports a name with letters beyond ASCII, of which the first stands at i or later, and returns where the
// name ends; i if there is no such letter.
func (l *lexer) foreignWord(i int) int {
	end := i
	for end < len(l.text) {
		r, size := utf8.DecodeRuneInString(l.text[end:])
		if r >= utf8.RuneSelf && (!foreignLetter(r) || r == utf8.RuneError) || r < utf8.RuneSelf && !isWord[r] {
			break
		}
		end += size
	}
	if end == i || l.text[i] < utf8.RuneSelf {
		return i
	}
	r, size := utf8.DecodeRuneInString(l.text[i:])
	l.errorAt(CodeCharacter, span(i, i+size), "names hold the letters a-z and A-Z, digits and underscores",
		"character %q in a name", r)
	return end
}

// lookalike reports a character that looks like c and reads it as that one.
func (l *lexer) lookalike(r rune, c byte, from, to int) token {
	l.errorAt(CodeCharacter, span(from, to), fmt.Sprintf("write %c", c), "unexpected character %q", r)
	if classOf[c] != clsQuote {
		return l.emit(kind(c), from, to)
	}
	// A string between such quotes ends at the next one in the line, of whatever form.
	line := l.text[to:]
	if n := strings.IndexByte(line, '\n'); n >= 0 {
		line = line[:n]
	}
	end := to
	if n := strings.IndexFunc(line, func(r rune) bool { return r == rune(c) || lookalikes[r] == c }); n >= 0 {
		_, size := utf8.DecodeRuneInString(line[n:])
		end += n + size
	}
	t := l.emit(tokString, from, end)
	t.flags |= flagBad
	return t
}

// digits returns where a run of digits ends.
func (l *lexer) digits(i int) int {
	return len(l.text) - len(strings.TrimLeft(l.text[i:], "0123456789"))
}

// pointed returns where a run of letters, digits and points ends.
func (l *lexer) pointed(i int) int {
	for i < len(l.text) && (isWord[l.text[i]] || l.text[i] == '.') {
		i++
	}
	return i
}

// number reads digits, an optional fraction and an optional exponent.
func (l *lexer) number(from int) token {
	text, k := l.text, tokInteger
	i := l.digits(from)
	right := i > from
	if i < len(text) && text[i] == '.' {
		end := l.digits(i + 1)
		k, right, i = tokScalar, right && end > i+1, end
	}
	if i < len(text) && text[i]|0x20 == 'e' {
		if i++; i < len(text) && (text[i] == '+' || text[i] == '-') {
			i++
		}
		end := l.digits(i)
		k, right, i = tokScalar, right && end > i, end
	}
	if end := l.pointed(i); end > i {
		right, i = false, end
	}
	if !right {
		l.errorAt(CodeNumber, span(from, i), numberHint(text[from:i]), "malformed number %s", abbreviate(text[from:i]))
	}
	t := l.emit(k, from, i)
	if !right {
		t.flags |= flagBad
	}
	return t
}

// numberHint says what is wrong with a malformed number.
func numberHint(text string) string {
	const digits = "0123456789"
	whole, fraction, isScalar := strings.Cut(text, ".")
	rest := strings.TrimLeft(fraction, digits)
	switch {
	case whole == "":
		return "write 0." + abbreviated(fraction[:len(fraction)-len(rest)])
	case isScalar && len(rest) == len(fraction):
		return "write " + abbreviated(whole) + ".0"
	case strings.ContainsRune("eE+-", rune(text[len(text)-1])):
		return "digits must follow the e of an exponent"
	case strings.Count(text, ".") > 1:
		return "a number has one point"
	case len(text) > 1 && text[0] == '0' && strings.ContainsRune("xXbBoO", rune(text[1])):
		return "numbers are decimal"
	case strings.Trim(text, digits+"_") == "":
		return "numbers hold no underscores"
	case strings.EqualFold(strings.Trim(text, digits+".eE+-"), "f"):
		return "numbers have no suffix"
	}
	return "names do not begin with a digit, and numbers hold no letters but the e of an exponent"
}

// quoted reads a string whose opening quote is at start; from is where the token begins.
func (l *lexer) quoted(from, start int, k kind) token {
	text := l.text
	quote := text[start]
	flags := tokenFlags(0)
	i := start + 1
	for i < len(text) && text[i] != quote {
		switch c := text[i]; {
		case c == '\\':
			if i+1 < len(text) && (text[i+1] == quote || text[i+1] == '\\') {
				flags |= flagEscaped
				i += 2
				continue
			}
			if i+1 < len(text) && text[i+1] != '\n' && text[i+1] != '\r' {
				l.badEscape(i, quote)
			}
		case c == '\n' || strings.HasPrefix(text[i:], "\r\n"):
			return l.unterminated(from, i, k)
		case c < ' ' || c >= 0x7f:
			r, size := utf8.DecodeRuneInString(text[i:])
			wrong := ""
			switch {
			case c <= 0x7f:
				wrong = fmt.Sprintf("control character 0x%02x", c)
			case r == utf8.RuneError && size == 1:
				wrong = fmt.Sprintf("byte 0x%02x", c)
			case !l.tract:
				wrong = fmt.Sprintf("character %q", r)
			}
			if wrong != "" && flags&flagBad == 0 {
				l.errorAt(CodeStringContent, span(i, i+size), "strings hold printable ASCII", "%s in a string", wrong)
				flags |= flagBad
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
	t.flags = flags
	return t
}

func (l *lexer) unterminated(from, to int, k kind) token {
	l.errorAt(CodeUnterminated, span(from, from+1), "the closing quote must stand in the same line", "string without an end")
	t := l.emit(k, from, to)
	if t.kind == k {
		t.flags |= flagBad
		l.cut = Pos(to)
	}
	return t
}

// badEscape reports a backslash that escapes nothing. Lenient readers keep it: labels are full of Windows paths.
func (l *lexer) badEscape(i int, quote byte) {
	d := Diagnostic{Code: CodeEscape, Span: Span{Pos(i), Pos(i + 2)}, Message: "a backslash that escapes nothing",
		Hint: fmt.Sprintf(`write \\ for a backslash; only it and %c can be escaped`, quote)}
	l.tolerate(d, l.lenient || l.tract)
}

// unquote returns the content of a string token or escaped identifier.
func (l *lexer) unquote(t token) string {
	s := l.src.Text[t.from:t.to]
	if s[0] == 'i' {
		s = s[1:]
	}
	quote := s[0]
	s = s[1:]
	if !t.bad() {
		s = s[:len(s)-1]
	}
	if !t.escaped() { // Without this it would be copied.
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

// abbreviate quotes a part of the text for a message.
func abbreviate(s string) string { return "'" + abbreviated(s) + "'" }

func abbreviated(s string) string {
	const most = 40
	if len(s) > most {
		s = s[:most] + "…"
	}
	return escape.Text(s)
}
