package session

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"strconv"
	"strings"

	"github.com/concord-nn/concord/internal/limits"
)

// parser reads the tokens of a document, which nests too little for anything cleverer.
type parser struct {
	d       *json.Decoder
	limits  Limits
	at      int       // index of the call; -1 outside
	data    int64     // bytes of buffers so far
	pending []pending // the buffers whose contents lie in the weights
}

func newParser(text []byte, limits *Limits) (*parser, error) {
	p := &parser{d: json.NewDecoder(bytes.NewReader(text)), limits: limits.orDefault(), at: -1}
	p.d.UseNumber()
	if int64(len(text)) > p.limits.Text {
		return nil, p.errorf("the document has %d bytes; at most %d are read", len(text), p.limits.Text)
	}
	return p, nil
}

func (p *parser) errorf(format string, args ...any) *SyntaxError {
	return &SyntaxError{p.d.InputOffset(), p.at, fmt.Sprintf(format, args...)}
}

func (p *parser) token() (json.Token, error) {
	t, err := p.d.Token()
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, p.errorf("the document ends too early")
	}
	if err != nil {
		return nil, p.errorf("%v", err)
	}
	return t, nil
}

// end checks that nothing follows.
func (p *parser) end() error {
	if _, err := p.d.Token(); err != io.EOF {
		return p.errorf("something follows the document; nothing may")
	}
	return nil
}

// members reads an object; each is called for each member and must read its value.
func (p *parser) members(what string, each func(key string) error) error {
	if err := p.open('{', what, "an object"); err != nil {
		return err
	}
	return p.membersWithin(what, each)
}

// open reads the opening brace or bracket of what must be of that kind.
func (p *parser) open(delim json.Delim, what, kind string) error {
	t, err := p.token()
	if err == nil && t != delim {
		err = p.errorf("%s is %v; it must be %s", what, tokenText(t), kind)
	}
	return err
}

// membersWithin is members after the opening brace.
func (p *parser) membersWithin(what string, each func(key string) error) error {
	seen := make(map[string]bool)
	for p.d.More() {
		t, err := p.token()
		if err != nil {
			return err
		}
		key, _ := t.(string)
		if seen[key] {
			return p.errorf("%s has the member %q twice", what, key)
		}
		seen[key] = true
		if err := each(key); err != nil {
			return err
		}
	}
	_, err := p.token()
	return err
}

// items reads an array; each must read one item.
func (p *parser) items(what string, each func(i int) error) error {
	if err := p.open('[', what, "an array"); err != nil {
		return err
	}
	return p.itemsWithin(each)
}

func (p *parser) itemsWithin(each func(i int) error) error {
	for i := 0; p.d.More(); i++ {
		if err := each(i); err != nil {
			return err
		}
	}
	_, err := p.token()
	return err
}

func (p *parser) string(what string) (string, error) {
	t, err := p.token()
	if err != nil {
		return "", err
	}
	s, ok := t.(string)
	if !ok {
		return "", p.errorf("%s is %v; it must be a string", what, tokenText(t))
	}
	return s, nil
}

// integer reads a whole number from lo to hi.
func (p *parser) integer(what string, lo, hi int64) (int64, error) {
	t, err := p.token()
	if err != nil {
		return 0, err
	}
	number, _ := t.(json.Number)
	n, err := strconv.ParseInt(string(number), 10, 64)
	if err != nil || n < lo || n > hi {
		want := fmt.Sprintf("a whole number from %d to %d", lo, hi)
		if lo == hi {
			want = strconv.FormatInt(lo, 10)
		}
		return 0, p.errorf("%s is %v; it must be %s", what, tokenText(t), want)
	}
	return n, nil
}

// tokenText writes a token for a message.
func tokenText(t json.Token) string {
	switch t := t.(type) {
	case nil:
		return "null"
	case json.Delim:
		return map[json.Delim]string{'{': "an object", '[': "an array"}[t]
	case string:
		if len(t) > 40 {
			t = t[:40] + "…"
		}
		return strconv.Quote(t)
	}
	return fmt.Sprint(t)
}

func (p *parser) session() (*Session, error) {
	s := &Session{}
	first, calls := true, false
	err := p.members("the document", func(key string) error {
		if first && key != versionMember {
			return p.errorf("the first member is %q; it must be %q", key, versionMember)
		}
		first = false
		switch key {
		case versionMember:
			_, err := p.integer(key, Version, Version)
			return err
		case "weights":
			name, err := p.string(key)
			if err == nil {
				if e := checkWeights(name); e != nil {
					err = p.errorf("%v", e)
				}
			}
			s.Weights = name
			return err
		case "calls":
			calls = true
			return p.items(key, func(i int) error {
				p.at = i
				if i >= p.limits.Calls {
					return p.errorf("the document has more than %d calls", p.limits.Calls)
				}
				c, err := p.call()
				s.Calls = append(s.Calls, c)
				p.at = -1
				return err
			})
		}
		return p.errorf("there is no member %q; the members are %q, weights and calls", key, versionMember)
	})
	if err != nil {
		return nil, err
	}
	if first || !calls {
		return nil, p.errorf("the members %q and calls must be given", versionMember)
	}
	return s, p.end()
}

func (p *parser) call() (Call, error) {
	var c Call
	err := p.members("the call", func(key string) (err error) {
		switch key {
		case "on":
			t, err := p.token()
			if err != nil || t == nil {
				return err
			}
			name, ok := t.(string)
			if !ok || name == "" {
				return p.errorf("on is %v; it must be null or the id of an object", tokenText(t))
			}
			c.On = name
		case "call":
			c.Method, err = p.string(key)
		case "id":
			c.ID, err = p.name(key)
		case "ids":
			c.IDs = []string{}
			err = p.items(key, func(int) error {
				id, err := p.name("an id")
				c.IDs = append(c.IDs, id)
				return err
			})
		case "args":
			err = p.items(key, func(i int) error {
				v, err := p.value(p.limits.Depth)
				c.Args = append(c.Args, v)
				return err
			})
		default:
			err = p.errorf("there is no member %q; the members of a call are on, call, args, id and ids", key)
		}
		return err
	})
	if err == nil && c.Method == "" {
		err = p.errorf(`the call has no member "call", which names the method`)
	}
	if err == nil && c.ID != "" && c.IDs != nil {
		err = p.errorf("the call has both id and ids; it has one result or a list of them")
	}
	return c, err
}

func (p *parser) name(what string) (string, error) {
	s, err := p.string(what)
	if err == nil && s == "" {
		err = p.errorf("%s is empty", what)
	}
	return s, err
}

// valueBytes is about what a value of a list takes in memory, which may be many times what its text takes.
const valueBytes = 24

// grow counts bytes of data that the document makes out of text.
func (p *parser) grow(bytes int64) error {
	if p.data += bytes; p.data > p.limits.Data {
		return p.errorf("the values and buffers take more than %d bytes", p.limits.Data)
	}
	return nil
}

// value reads a value that may nest depth levels deep.
func (p *parser) value(depth int) (Value, error) {
	t, err := p.token()
	if err != nil {
		return nil, err
	}
	if _, nested := t.(json.Delim); nested && depth == 0 {
		return nil, p.errorf("values nest deeper than %d levels", p.limits.Depth)
	}
	switch t := t.(type) {
	case json.Number:
		return p.number(t)
	case json.Delim:
		if t == '{' {
			return p.object(depth - 1)
		}
		list := []Value{}
		err := p.itemsWithin(func(int) error {
			v, err := p.value(depth - 1)
			list = append(list, v)
			if err == nil {
				err = p.grow(valueBytes)
			}
			return err
		})
		return list, err
	}
	return t, nil // nil, bool or string
}

// number reads a number as a page does: the nearest double, beyond the range an infinity.
func (p *parser) number(n json.Number) (Value, error) {
	f, err := strconv.ParseFloat(string(n), 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		return nil, p.errorf("%v", err)
	}
	return f, nil
}

// object reads what follows an opening brace: a dictionary, or a value that JSON has no notation for.
func (p *parser) object(depth int) (Value, error) {
	var special Value
	dict := Dict{}
	err := p.membersWithin("the dictionary", func(key string) (err error) {
		if special != nil {
			return p.errorf("the member %q stands beside one that begins with $, which must stand alone", key)
		}
		name, isName := strings.CutPrefix(key, "$")
		if !isName || strings.HasPrefix(name, "$") {
			if isName {
				key = name // "$$x" is the key "$x"
			}
			dict[key], err = p.value(depth)
			return err
		}
		if len(dict) > 0 {
			return p.errorf("%q must stand alone; a key that begins with $ is written with $$", key)
		}
		special, err = p.special(key)
		return err
	})
	if err != nil {
		return nil, err
	}
	if special != nil {
		return special, nil
	}
	return dict, nil
}

// maxBigInt is how many digits a BigInt may have, which is far more than any conversion keeps.
const maxBigInt = limits.SessionBigInt

// readBigInt reads an integer, unless it is too long: the time that this takes grows with the square of the length.
func readBigInt(digits string, base int) (*big.Int, bool) {
	if len(digits) > maxBigInt {
		return nil, false
	}
	return new(big.Int).SetString(digits, base)
}

func (p *parser) special(key string) (Value, error) {
	switch key {
	case "$ref":
		id, err := p.name(key)
		return Ref(id), err
	case "$bigint":
		digits, err := p.string(key)
		if err != nil {
			return nil, err
		}
		n, ok := readBigInt(digits, 10)
		if !ok {
			return nil, p.errorf("$bigint is %v; it must be a decimal integer of at most %d digits", tokenText(digits), maxBigInt)
		}
		return n, nil
	case "$buffer":
		return p.buffer()
	}
	return nil, p.errorf("there is no %q; values are $ref, $bigint and $buffer, and a key that begins with $ is written with $$", key)
}
