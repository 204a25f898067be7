package rest

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/serve/internal/budget"
	"github.com/concord-nn/concord/serve/internal/oip"
)

// reader reads JSON from its beginning to its end, each value as what it has to be.
type reader struct {
	text  []byte
	at    int // the next byte
	depth int // of values that nobody asked for
	lease *budget.Lease
}

// errorf says what is wrong, and where.
func (p *reader) errorf(format string, args ...any) error {
	err := oip.Errorf(oip.InvalidArgument, format, args...)
	err.Message = "byte " + strconv.Itoa(p.at) + " of the request: " + err.Message
	return err
}

// wanted says that something else stands where a value, or a sign, has to be.
func (p *reader) wanted(what string) error {
	if p.at >= len(p.text) {
		return p.errorf("the JSON ends where %s has to be", what)
	}
	end := min(p.at+12, len(p.text))
	return p.errorf("there is %s where %s has to be", oip.Quote(string(p.text[p.at:end])), what)
}

// space passes white space.
func (p *reader) space() {
	for p.at < len(p.text) {
		switch p.text[p.at] {
		case ' ', '\t', '\n', '\r':
			p.at++
		default:
			return
		}
	}
}

// peek returns the next sign, or 0 at the end.
func (p *reader) peek() byte {
	p.space()
	if p.at == len(p.text) {
		return 0
	}
	return p.text[p.at]
}

// take passes a sign if it is the next one.
func (p *reader) take(sign byte) bool {
	if p.peek() != sign || p.at == len(p.text) {
		return false
	}
	p.at++
	return true
}

// word passes a word if it is the next one.
func (p *reader) word(w string) bool {
	if p.peek() == w[0] && len(p.text)-p.at >= len(w) && string(p.text[p.at:p.at+len(w)]) == w {
		p.at += len(w)
		return true
	}
	return false
}

// end makes sure that nothing follows.
func (p *reader) end() error {
	if p.peek(); p.at < len(p.text) {
		return p.wanted("the end")
	}
	return nil
}

// object reads an object. Members that member does not know are passed; the same one twice is an error.
func (p *reader) object(what string, member func(name string) (known bool, err error)) error {
	if !p.take('{') {
		return p.wanted(what + ", an object,")
	}
	if p.take('}') {
		return nil
	}
	seen := make([]string, 0, 8) // the names that are known
	for {
		at := p.at
		name, err := p.string("the name of a member")
		if err != nil {
			return err
		}
		if slices.Contains(seen, name) {
			p.at = at
			return p.errorf("the member %s of %s is there twice", oip.Quote(name), what)
		}
		if !p.take(':') {
			return p.wanted("a colon")
		}
		known, err := member(name)
		if known {
			seen = append(seen, name)
		} else if err == nil {
			err = p.skip()
		}
		if err != nil {
			return err
		}
		if p.take('}') {
			return nil
		}
		if !p.take(',') {
			return p.wanted("a comma or the end of " + what)
		}
		p.space()
	}
}

// array reads an array of at most so many items.
func (p *reader) array(what string, most int, item func() error) error {
	if !p.take('[') {
		return p.wanted(what + ", an array,")
	}
	if p.take(']') {
		return nil
	}
	for n := 0; ; n++ {
		if n == most {
			return p.errorf("%s have more than %d items", what, most)
		}
		if err := item(); err != nil {
			return err
		}
		if p.take(']') {
			return nil
		}
		if !p.take(',') {
			return p.wanted("a comma or the end of " + what)
		}
	}
}

// string reads a string.
func (p *reader) string(what string) (string, error) {
	if p.peek() != '"' || p.at == len(p.text) {
		return "", p.wanted(what + ", a string,")
	}
	escaped := false
	for i := p.at + 1; i < len(p.text); i++ {
		switch c := p.text[i]; {
		case c == '\\':
			escaped = true
			i++
		case c == '"':
			raw := p.text[p.at : i+1]
			if !utf8.Valid(raw) {
				return "", p.errorf("the string is not UTF-8")
			}
			s := string(raw[1 : len(raw)-1])
			if escaped {
				if err := json.Unmarshal(raw, &s); err != nil {
					return "", p.errorf("the string is not JSON: %v", err)
				}
			}
			p.at = i + 1
			return s, nil
		case c < ' ':
			p.at = i
			return "", p.errorf("a string has the control character %d", c)
		}
	}
	p.at = len(p.text)
	return "", p.wanted("the end of a string")
}

func (p *reader) boolean() (bool, error) {
	switch {
	case p.word("true"):
		return true, nil
	case p.word("false"):
		return false, nil
	}
	return false, p.wanted("true or false")
}

// numeral is a number as it is written: its digits as an integer, unless there are more than 19, times a power of ten.
type numeral struct {
	text     []byte
	mantissa uint64
	digits   int
	exponent int
	integer  bool // there is neither a fraction nor an exponent
}

// digits passes digits, adds them to the mantissa, and reports whether there were any.
func (p *reader) digits(n *numeral) bool {
	text, mantissa, i := p.text[p.at:], n.mantissa, 0 // in registers, as most of a large request is digits
	for ; i < len(text) && text[i]-'0' <= 9; i++ {
		mantissa = mantissa*10 + uint64(text[i]-'0')
	}
	n.mantissa = mantissa
	n.digits += i
	p.at += i
	return i > 0
}

// number reads a number as JSON writes it.
func (p *reader) number() (n numeral, err error) {
	p.space()
	begin := p.at
	if p.at < len(p.text) && p.text[p.at] == '-' {
		p.at++
	}
	zero := p.at < len(p.text) && p.text[p.at] == '0'
	n.integer = true
	ok := p.digits(&n) && (!zero || n.digits == 1)
	if ok && p.at < len(p.text) && p.text[p.at] == '.' {
		p.at++
		before := n.digits
		ok, n.integer = p.digits(&n), false
		n.exponent = before - n.digits
	}
	if ok && p.at < len(p.text) && p.text[p.at]|0x20 == 'e' {
		p.at++
		negative := p.at < len(p.text) && p.text[p.at] == '-'
		if negative || p.at < len(p.text) && p.text[p.at] == '+' {
			p.at++
		}
		var e numeral
		ok, n.integer = p.digits(&e), false
		switch shift := int(min(e.mantissa, 1<<20)); {
		case e.digits > 19:
			n.exponent = 1 << 20 // or so: it is not used
		case negative:
			n.exponent -= shift
		default:
			n.exponent += shift
		}
	}
	if !ok {
		p.at = begin
		return numeral{}, p.wanted("a number")
	}
	n.text = p.text[begin:p.at]
	return n, nil
}

// tens are the powers of ten that an FP64 has exactly.
var tens = [...]float64{1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22}

// float returns the nearest float of so many bits. Most numbers are short: then both digits and power are exact in FP64, and one operation rounds
// their product or quotient once. To FP32 that rounds once more, which matters only from the middle between two of them.
func (n *numeral) float(bits int) (float64, error) {
	if n.digits <= 15 && n.exponent >= -22 && n.exponent <= 22 {
		x := float64(n.mantissa)
		if n.exponent < 0 {
			x /= tens[-n.exponent]
		} else {
			x *= tens[n.exponent]
		}
		if n.text[0] == '-' {
			x = -x
		}
		const middle, below = 1 << 28, 1<<29 - 1 // of the bits that FP32 lacks
		if bits == 64 || math.Float64bits(x)&below != middle {
			return x, nil
		}
	}
	return strconv.ParseFloat(string(n.text), bits)
}

// integer reads a whole number: its magnitude, and whether there is a sign before it.
func (p *reader) integer() (magnitude uint64, negative bool, err error) {
	p.space()
	begin := p.at
	if p.at < len(p.text) && p.text[p.at] == '-' {
		negative = true
		p.at++
	}
	first := p.at
	for ; p.at < len(p.text) && p.text[p.at]-'0' <= 9; p.at++ {
		digit := uint64(p.text[p.at] - '0')
		if magnitude > (math.MaxUint64-digit)/10 {
			p.at = begin
			return 0, false, p.wanted("an integer of at most 64 bits")
		}
		magnitude = magnitude*10 + digit
	}
	if n := p.at - first; n == 0 || n > 1 && p.text[first] == '0' || p.at < len(p.text) && (p.text[p.at] == '.' || p.text[p.at]|0x20 == 'e') {
		p.at = begin
		return 0, false, p.wanted("an integer, without fraction and exponent,")
	}
	return magnitude, negative, nil
}

// skip passes a value that nobody asked for.
func (p *reader) skip() error {
	if p.depth++; p.depth > limits.ServeDepth {
		return p.errorf("values are nested deeper than %d", limits.ServeDepth)
	}
	defer func() { p.depth-- }()
	switch c := p.peek(); {
	case c == '{':
		return p.object("an object", func(string) (bool, error) { return false, nil })
	case c == '[':
		return p.array("an array", math.MaxInt, p.skip)
	case c == '"':
		_, err := p.string("a string")
		return err
	case p.word("true"), p.word("false"), p.word("null"), p.word("NaN"), p.word("Infinity"), p.word("-Infinity"):
		return nil
	case c == '-' || c-'0' <= 9:
		_, err := p.number()
		return err
	}
	return p.wanted("a value")
}
