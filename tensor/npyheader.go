package tensor

import (
	"fmt"
	"strconv"
	"strings"
)

// parseNPYHeader parses the text of a header: a Python dictionary with the keys descr, fortran_order and shape, then
// spaces. The text begins at the given offset of the data, which only errors use.
func parseNPYHeader(text string, offset int64) (npyHeader, error) {
	p := pyParser{text: text, offset: offset}
	var h npyHeader
	seen := make(map[string]bool)
	p.expect("{")
	for !p.accept("}") && p.err == nil {
		start := p.pos
		key := p.str()
		if seen[key] {
			p.failAt(start, "the key %q is given twice", key)
		}
		seen[key] = true
		p.expect(":")
		switch key {
		case "descr":
			h.order, h.code = p.dtype()
		case "fortran_order":
			h.fortran = p.boolean()
		case "shape":
			h.shape = p.shape()
		default:
			p.failAt(start, "the key %q is unknown; the keys are descr, fortran_order and shape", key)
		}
		if !p.accept(",") {
			p.expect("}")
			break
		}
	}
	p.space()
	if p.pos < len(p.text) {
		p.failAt(p.pos, "text follows the dictionary")
	}
	for _, key := range []string{"descr", "fortran_order", "shape"} {
		if !seen[key] {
			p.failAt(0, "the key %q is missing", key)
		}
	}
	return h, p.err
}

// pyParser reads the few Python literals that headers consist of. It keeps the first error and reads nothing after it.
type pyParser struct {
	text   string
	pos    int
	offset int64
	err    error
}

func (p *pyParser) failAt(pos int, format string, args ...any) {
	if p.err == nil {
		p.err = &FormatError{Offset: p.offset + int64(pos), Msg: "the header is malformed: " + fmt.Sprintf(format, args...)}
	}
	p.pos = len(p.text)
}

func (p *pyParser) space() {
	for p.pos < len(p.text) && strings.IndexByte(" \t\r\n", p.text[p.pos]) >= 0 {
		p.pos++
	}
}

// accept skips the token if it comes next.
func (p *pyParser) accept(token string) bool {
	p.space()
	if strings.HasPrefix(p.text[p.pos:], token) {
		p.pos += len(token)
		return true
	}
	return false
}

func (p *pyParser) expect(token string) {
	if !p.accept(token) {
		p.failAt(p.pos, "%q is expected", token)
	}
}

// str reads a string without escapes, which headers do not need.
func (p *pyParser) str() string {
	p.space()
	start := p.pos
	for _, quote := range []string{"'", `"`} {
		if !p.accept(quote) {
			continue
		}
		s, _, ok := strings.Cut(p.text[p.pos:], quote)
		if !ok || strings.ContainsAny(s, "\\\n") {
			p.failAt(start, "a string has no end or holds escapes")
			return ""
		}
		p.pos += len(s) + 1
		return s
	}
	p.failAt(start, "a string is expected")
	return ""
}

func (p *pyParser) boolean() bool {
	switch {
	case p.accept("True"):
		return true
	case p.accept("False"):
		return false
	}
	p.failAt(p.pos, "True or False is expected")
	return false
}

// dtype reads an element type: the byte order, a letter and the size in bytes.
func (p *pyParser) dtype() (order byte, code string) {
	p.space()
	start := p.pos
	if strings.HasPrefix(p.text[start:], "[") {
		p.failAt(start, "structured element types are not supported")
		return 0, ""
	}
	s := p.str()
	if p.err != nil {
		return 0, ""
	}
	if len(s) > 1 && strings.IndexByte("<>|", s[0]) >= 0 {
		order, code = s[0], s[1:]
	}
	// Only a single byte and raw bytes have no order.
	if _, ok := npyTypes[code]; !ok || order == '|' && !strings.HasSuffix(code, "1") && code != "V2" {
		p.failAt(start, "the element type %q is not supported", s)
	}
	return order, code
}

// shape reads a tuple of integers.
func (p *pyParser) shape() Shape {
	p.space()
	start := p.pos
	s := Shape{}
	p.expect("(")
	for !p.accept(")") && p.err == nil {
		p.space()
		from := p.pos
		for p.pos < len(p.text) && '0' <= p.text[p.pos] && p.text[p.pos] <= '9' {
			p.pos++
		}
		n, err := strconv.Atoi(p.text[from:p.pos])
		if err != nil {
			p.failAt(from, "an extent that fits an int is expected")
			return nil
		}
		p.accept("L") // Python 2 marks long integers
		if s = append(s, n); len(s) > MaxRank {
			p.failAt(start, "the shape has more than %d dimensions", MaxRank)
			return nil
		}
		if !p.accept(",") {
			if len(s) == 1 {
				p.failAt(start, "(%d) is a number; a shape of one dimension is (%d,)", n, n)
			}
			p.expect(")")
			break
		}
	}
	if err := s.Check(); err != nil {
		p.failAt(start, "%v", err)
	}
	return s
}
