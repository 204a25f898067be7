package symbol

import (
	"fmt"
	"math"
	"strconv"

	"github.com/concord-nn/concord/cvm/fault"
)

// end is what peek returns at the end of the text.
const end = -1

// scanner reads the tokens of the dialect. Line ends stand between tokens only, so that skipping space counts all of them.
type scanner struct {
	text  []byte
	pos   int
	stage fault.Stage // of errors

	line, begin int // the number of the current line and its offset
}

func newScanner(text []byte, stage fault.Stage) scanner {
	return scanner{text: text, stage: stage, line: 1}
}

// at returns the place of the next byte.
func (s *scanner) at() Pos { return Pos{s.line, s.pos - s.begin + 1} }

// errorf returns an error of class Runtime at the next byte, which is that of every error in the text itself.
func (s *scanner) errorf(want, format string, args ...any) *fault.Error {
	return s.errorAt(s.at(), fault.Runtime, want, format, args...)
}

// errorAt returns an error at a place.
func (s *scanner) errorAt(at Pos, class fault.Class, want, format string, args ...any) *fault.Error {
	e := fault.New(class, s.stage, format, args...)
	e.Line, e.Column, e.Want = at.Line, at.Column, want
	return e
}

// unexpected returns the error that the next byte is not what is wanted.
func (s *scanner) unexpected(want string) *fault.Error {
	if c := s.peek(); c != end {
		return s.errorf(want, "found %q", s.text[s.pos:s.pos+1])
	}
	return s.errorf(want, "the text ends")
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

// expect takes a byte after space.
func (s *scanner) expect(c byte) error {
	if s.token() != int(c) {
		return s.unexpected(strconv.Quote(string(rune(c))))
	}
	s.pos++
	return nil
}

// more takes what stands before item n of a list or object and reports whether there is such an item.
func (s *scanner) more(n int, closing byte) (bool, error) {
	switch c := s.token(); {
	case c == int(closing):
		s.pos++
		return false, nil
	case n == 0:
		return true, nil // that there is an item at all is seen by who reads it
	case c == end:
		return false, nil
	case c == ',':
		s.pos++
		return true, nil
	}
	return false, s.unexpected(fmt.Sprintf("a comma or %q", string(rune(closing))))
}

// array reads a list. It calls item for each, which must read it, with its index, and returns their number.
func (s *scanner) array(item func(i int) error) (int, error) {
	if err := s.expect('['); err != nil {
		return 0, err
	}
	for n := 0; ; n++ {
		more, err := s.more(n, ']')
		if err != nil || !more {
			return n, err
		}
		if err := item(n); err != nil {
			return n, err
		}
	}
}

// object reads an object. It calls item for each key, which must read the value and not keep the key; at is the place of the key.
func (s *scanner) object(item func(key []byte, at Pos) error) error {
	if err := s.expect('{'); err != nil {
		return err
	}
	for n := 0; ; n++ {
		more, err := s.more(n, '}')
		if err != nil || !more {
			return err
		}
		s.token()
		at := s.at()
		key, err := s.string()
		if err != nil {
			return err
		}
		if err := s.expect(':'); err != nil {
			return err
		}
		if err := item(key, at); err != nil {
			return err
		}
	}
}

// escapes has the letters behind a backslash by the bytes that they stand for.
var escapes = [256]byte{'\r': 'r', '\n': 'n', '\t': 't', '\\': '\\', '"': '"'}

// unescape is the inverse of escapes.
var unescape = func() (u [256]byte) {
	for c, letter := range escapes {
		if letter != 0 {
			u[letter] = byte(c)
		}
	}
	return u
}()

// string reads a string. The result may share the text.
func (s *scanner) string() ([]byte, error) {
	if s.token() != '"' {
		return nil, s.unexpected("a string")
	}
	s.pos++
	var long []byte // what is before start, where there are escapes
	start := s.pos
	for {
		switch s.peek() {
		case end, '\r', '\n':
			return nil, s.unexpected(`"\"", which ends the string`)
		case '"':
			s.pos++
			part := s.text[start : s.pos-1]
			if long == nil {
				return part, nil
			}
			return append(long, part...), nil
		case '\\':
			long = append(long, s.text[start:s.pos]...)
			s.pos++
			c := s.peek()
			if c == end || unescape[c] == 0 {
				return nil, s.unexpected(`one of r n t \ " after a backslash`)
			}
			long = append(long, unescape[c])
			start = s.pos + 1
		}
		s.pos++
	}
}

// number is a type of integers.
type number struct {
	bits   uint
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
		return "an integer of " + strconv.Itoa(int(n.bits)) + " bits"
	}
	return "an unsigned integer of " + strconv.Itoa(int(n.bits)) + " bits"
}

// limit returns the greatest magnitude of a number with that sign.
func (n number) limit(negative bool) uint64 {
	most := uint64(math.MaxUint64) >> (64 - n.bits)
	if !n.signed {
		return most
	}
	most >>= 1
	if negative {
		most++
	}
	return most
}

// int returns a magnitude as an int. Where that has 32 bits only, one of 32 bits keeps its bits, so that numbers of entries wrap as
// they do elsewhere; others beyond int are the nearest int.
func (n number) int(magnitude uint64) int {
	if n.bits == 32 {
		return int(uint32(magnitude))
	}
	return int(min(magnitude, math.MaxInt))
}

// number reads an integer as C++ streams do. A negative one that should be unsigned wraps around.
func (s *scanner) number(n number) (int, error) {
	c := s.token()
	at := s.at()
	negative := c == '-'
	if negative || c == '+' {
		s.pos++
	}
	var magnitude uint64
	digits, limit, fits := s.pos, n.limit(negative), true
	for ; s.pos < len(s.text) && '0' <= s.text[s.pos] && s.text[s.pos] <= '9'; s.pos++ {
		d := uint64(s.text[s.pos] - '0')
		fits = fits && magnitude <= (limit-d)/10
		magnitude = magnitude*10 + d
	}
	switch {
	case s.pos == digits:
		return 0, s.unexpected(n.String())
	case !fits:
		return 0, s.errorAt(at, fault.Runtime, n.String(), "the number is out of range")
	case !negative:
		return n.int(magnitude), nil
	case n.signed:
		return int(max(-int64(magnitude), math.MinInt)), nil
	}
	return n.int(-magnitude & n.limit(false)), nil
}
