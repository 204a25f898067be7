package symbol

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/concord-nn/concord/cvm/fault"
)

// end is what peek returns at the end of the text.
const end = -1

// scanner reads the tokens of the dialect. What it meets and cannot read is a panic with a *fault.Error. Line ends stand between tokens only,
// so that skipping space counts all of them.
type scanner struct {
	text  []byte
	pos   int
	stage fault.Stage // of errors
	part  string      // what is being read: the innermost key

	line, begin int // the number of the current line and its offset
}

func newScanner(text []byte, stage fault.Stage) scanner {
	return scanner{text: text, stage: stage, line: 1}
}

// at returns the place of the next byte.
func (s *scanner) at() Pos { return Pos{s.line, s.pos - s.begin + 1} }

// fail ends reading with an error at a place.
func (s *scanner) fail(at Pos, class fault.Class, want, format string, args ...any) {
	e := fault.New(class, s.stage, format, args...).With(s.part, want)
	e.Line, e.Column = at.Line, at.Column
	panic(e)
}

// unexpected ends reading as the next byte is not what is wanted, with an error of class Runtime, which is that of every error in the text
// itself.
func (s *scanner) unexpected(want string) {
	if s.peek() != end {
		s.fail(s.at(), fault.Runtime, want, "found %q", s.text[s.pos:s.pos+1])
	}
	s.fail(s.at(), fault.Runtime, want, "the text ends")
}

// peek returns the next byte.
func (s *scanner) peek() int {
	if s.pos == len(s.text) {
		return end
	}
	return int(s.text[s.pos])
}

// token returns the next byte that is no space, and stops before it.
func (s *scanner) token() int {
	for ; s.pos < len(s.text); s.pos++ {
		switch s.text[s.pos] {
		case '\n':
			s.line++
			s.begin = s.pos + 1
		case ' ', '\t', '\r', '\v', '\f':
		default:
			return int(s.text[s.pos])
		}
	}
	return end
}

// next returns the place of the next byte that is no space.
func (s *scanner) next() Pos {
	s.token()
	return s.at()
}

// expect takes a byte after space.
func (s *scanner) expect(c byte) {
	if s.token() != int(c) {
		s.unexpected(strconv.Quote(string(rune(c))))
	}
	s.pos++
}

// more takes what stands before item n of a list or object and reports whether there is such an item.
func (s *scanner) more(n int, closing byte) bool {
	switch c := s.token(); {
	case c == int(closing):
		s.pos++
		return false
	case n == 0:
		return true // that there is an item at all is seen by who reads it
	case c == end:
		return false
	case c == ',':
		s.pos++
		return true
	}
	s.unexpected(fmt.Sprintf("a comma or %q", string(rune(closing))))
	return false
}

// array reads a list. It calls item for each, which must read it, with its index, and returns their number.
func (s *scanner) array(item func(i int)) (n int) {
	for s.expect('['); s.more(n, ']'); n++ {
		item(n)
	}
	return n
}

// object reads an object. It calls item for each key, which must read the value and not keep the key; at is the place of the key.
func (s *scanner) object(item func(key []byte, at Pos)) {
	s.expect('{')
	for n := 0; s.more(n, '}'); n++ {
		at := s.next()
		key := s.string()
		s.expect(':')
		item(key, at)
	}
}

// The bytes for which a letter stands behind a backslash.
const (
	escaped = "\r\n\t\\\""
	letters = `rnt\"`
)

// escaper writes them so.
var escaper = strings.NewReplacer("\r", `\r`, "\n", `\n`, "\t", `\t`, `\`, `\\`, `"`, `\"`)

// string reads a string. The result may share the text.
func (s *scanner) string() []byte {
	if s.token() != '"' {
		s.unexpected("a string")
	}
	s.pos++
	var long []byte // what is before start, where there are escapes
	for start := s.pos; ; s.pos++ {
		switch s.peek() {
		case end, '\r', '\n':
			s.unexpected(`"\"", which ends the string`)
		case '"':
			s.pos++
			part := s.text[start : s.pos-1]
			if long == nil {
				return part
			}
			return append(long, part...)
		case '\\':
			long = append(long, s.text[start:s.pos]...)
			s.pos++
			c := s.peek()
			i := strings.IndexByte(letters, byte(c))
			if c == end || i < 0 {
				s.unexpected(`one of r n t \ " after a backslash`)
			}
			long = append(long, escaped[i])
			start = s.pos + 1
		}
	}
}

// number is a type of integers.
type number struct {
	bits   int
	signed bool
}

// The types of numbers in a graph.
var (
	int32Number  = number{32, true}
	int64Number  = number{64, true}
	uint32Number = number{32, false}
	uint64Number = number{64, false}
)

func (n number) String() string {
	if n.signed {
		return fmt.Sprintf("an integer of %d bits", n.bits)
	}
	return fmt.Sprintf("an unsigned integer of %d bits", n.bits)
}

// holds reports whether the type has a number.
func (n number) holds(x int64) bool {
	if n.signed {
		return x>>(n.bits-1) == x>>63
	}
	return x >= 0 && x>>1>>(n.bits-1) == 0
}

// number reads an integer as C++ streams do. A negative one that should be unsigned wraps around. Where int has 32 bits only, an unsigned number
// of 32 bits keeps its bits, so that numbers of entries wrap as they do elsewhere; others beyond int are the nearest int.
func (s *scanner) number(n number) int {
	sign := s.token()
	at, begin := s.at(), s.pos
	if sign == '-' || sign == '+' {
		s.pos++
	}
	digits := s.pos
	for s.pos < len(s.text) && '0' <= s.text[s.pos] && s.text[s.pos] <= '9' {
		s.pos++
	}
	if s.pos == digits {
		s.unexpected(n.String())
	}
	var v int64
	var u uint64
	var err error
	if n.signed {
		v, err = strconv.ParseInt(string(s.text[begin:s.pos]), 10, n.bits)
	} else if u, err = strconv.ParseUint(string(s.text[digits:s.pos]), 10, n.bits); sign == '-' {
		u = -u
	}
	switch {
	case err != nil:
		s.fail(at, fault.Runtime, n.String(), "the number is out of range")
	case n == uint32Number:
		return int(uint32(u))
	case !n.signed:
		return int(min(u, math.MaxInt))
	}
	return int(min(max(v, math.MinInt), math.MaxInt))
}
