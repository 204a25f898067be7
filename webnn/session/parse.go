package session

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/internal/mapfile"
)

// parser reads the tokens of a document. The first error sticks: what is read after it is of no use.
type parser struct {
	d       *json.Decoder
	mark    int64 // bytes of a byte order mark, which d does not see
	limits  Limits
	at      int       // index of the call; -1 outside
	data    int64     // bytes of buffers so far
	pending []pending // the buffers whose contents lie in the weights
	err     error
}

func newParser(text []byte, limits *Limits) *parser {
	inner := mapfile.Text(text)
	p := &parser{d: json.NewDecoder(bytes.NewReader(inner)), mark: int64(len(text) - len(inner)), limits: limits.orDefault(), at: -1}
	p.d.UseNumber()
	if int64(len(text)) > p.limits.Text {
		p.fail("the document has %d bytes; at most %d are read", len(text), p.limits.Text)
	}
	return p
}

// here is where the parser is, as an error without a reason.
func (p *parser) here() SyntaxError {
	return SyntaxError{Offset: p.mark + p.d.InputOffset(), Call: p.at}
}

func (p *parser) fail(format string, args ...any) { p.failAt(p.here(), format, args...) }

func (p *parser) failAt(place SyntaxError, format string, args ...any) {
	if p.err == nil {
		place.Reason = fmt.Sprintf(format, args...)
		p.err = &place
	}
}

func (p *parser) token() json.Token {
	if p.err != nil {
		return nil
	}
	t, err := p.d.Token()
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		p.fail("the document ends too early")
	} else if err != nil {
		p.fail("%v", err)
	}
	return t
}

// end checks that nothing follows.
func (p *parser) end() {
	if _, err := p.d.Token(); err != io.EOF {
		p.fail("something follows the document; nothing may")
	}
}

// tokenOf reads a token of one type.
func tokenOf[T json.Token](p *parser, name, kind string) T {
	t := p.token()
	v, ok := t.(T)
	if !ok {
		p.fail("%s is %v; it must be %s", name, tokenText(t), kind)
	}
	return v
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

func (p *parser) string(name string) string { return tokenOf[string](p, name, "a string") }
func (p *parser) boolean(name string) bool  { return tokenOf[bool](p, name, "true or false") }

// integer reads a whole number from lo to hi.
func (p *parser) integer(name string, lo, hi int64) int64 {
	t := p.token()
	number, _ := t.(json.Number)
	n, err := strconv.ParseInt(string(number), 10, 64)
	if err != nil || n < lo || n > hi {
		want := fmt.Sprintf("a whole number from %d to %d", lo, hi)
		if lo == hi {
			want = strconv.FormatInt(lo, 10)
		}
		p.fail("%s is %v; it must be %s", name, tokenText(t), want)
	}
	return n
}

// count reads a number of bytes or elements.
func count[T int | int64](p *parser, name string) T { return T(p.integer(name, 0, p.limits.Data)) }

// open reads the opening brace or bracket.
func (p *parser) open(delim json.Delim, name, kind string) {
	if t := p.token(); t != delim {
		p.fail("%s is %v; it must be %s", name, tokenText(t), kind)
	}
}

// members reads what follows an opening brace; each is called for each member and must read its value. It returns the names.
func (p *parser) members(what string, each func(key string)) (keys []string) {
	seen := make(map[string]bool)
	for p.err == nil && p.d.More() {
		key, _ := p.token().(string)
		if seen[key] {
			p.fail("%s has the member %q twice", what, key)
		}
		seen[key], keys = true, append(keys, key)
		each(key)
	}
	p.token()
	return keys
}

// object reads an object of that form, and returns the names of the members that are there.
func (p *parser) object(what string, form []member) []string {
	p.open('{', what, "an object")
	return p.members(what, func(key string) {
		i := slices.IndexFunc(form, func(m member) bool { return m.name == key })
		if i < 0 {
			p.fail("there is no member %q; the members of %s are %s", key, what,
				strings.Join(values(form, func(m member) string { return m.name }), ", "))
			return
		}
		form[i].read(p, key)
	})
}

// rest reads what follows an opening bracket; each must read one item.
func (p *parser) rest(each func()) {
	for p.err == nil && p.d.More() {
		each()
	}
	p.token()
}

// items reads an array.
func items[T any](p *parser, name string, item func() T) []T {
	list := []T{}
	p.open('[', name, "an array")
	p.rest(func() { list = append(list, item()) })
	return list
}

func (p *parser) session() *Session {
	s := &Session{}
	members := p.object("the document", s.form())
	switch {
	case p.err != nil:
	case !slices.Contains(members, versionMember) || !slices.Contains(members, "calls"):
		p.fail("the members %q and calls must be given", versionMember)
	case members[0] != versionMember:
		p.fail("the first member is %q; it must be %q", members[0], versionMember)
	}
	p.end()
	return s
}

func (p *parser) fileName(name string) string {
	file := p.string(name)
	if err := checkWeights(file); err != nil {
		p.fail("%v", err)
	}
	return file
}

func (p *parser) calls(name string) []Call {
	n := 0
	return items(p, name, func() Call {
		p.at, n = n, n+1
		defer func() { p.at = -1 }()
		if n > p.limits.Calls {
			p.fail("the document has more than %d calls", p.limits.Calls)
		}
		return p.call()
	})
}

func (p *parser) call() (c Call) {
	p.object("the call", c.form())
	if c.Method == "" {
		p.fail(`the call has no member "call", which names the method`)
	}
	if c.ID != "" && c.IDs != nil {
		p.fail("the call has both id and ids; it has one result or a list of them")
	}
	return c
}

func (p *parser) receiver(name string) string {
	t := p.token()
	id, ok := t.(string)
	if t != nil && (!ok || id == "") {
		p.fail("%s is %v; it must be null or the id of an object", name, tokenText(t))
	}
	return id
}

func (p *parser) id(name string) string {
	id := p.string(name)
	if id == "" {
		p.fail("%s is empty", name)
	}
	return id
}

func (p *parser) ids(name string) []string {
	return items(p, name, func() string { return p.id("an id") })
}

func (p *parser) arguments(name string) []Value {
	return items(p, name, func() Value { return p.value(p.limits.Depth) })
}

// valueBytes is about what a value of a list takes in memory, which may be many times what its text takes.
const valueBytes = 24

// grow counts bytes of data that the document makes out of text.
func (p *parser) grow(bytes int64) {
	if p.data += bytes; p.data > p.limits.Data {
		p.fail("the values and buffers take more than %d bytes", p.limits.Data)
	}
}

// value reads a value that may nest depth levels deep. A number is as on a page: the nearest double, beyond the range an infinity.
func (p *parser) value(depth int) Value {
	switch t := p.token().(type) {
	case json.Number:
		f, err := strconv.ParseFloat(string(t), 64)
		if err != nil && !errors.Is(err, strconv.ErrRange) {
			p.fail("%v", err)
		}
		return f
	case json.Delim:
		if depth == 0 {
			p.fail("values nest deeper than %d levels", p.limits.Depth)
		}
		if t == '{' {
			return p.dictionary(depth - 1)
		}
		list := []Value{}
		p.rest(func() {
			list = append(list, p.value(depth-1))
			p.grow(valueBytes)
		})
		return list
	default:
		return t // nil, bool or string
	}
}

// dictionary reads what follows an opening brace: a dictionary, or a value that JSON has no notation for.
func (p *parser) dictionary(depth int) Value {
	var special Value
	dict := Dict{}
	p.members("the dictionary", func(key string) {
		plain := !strings.HasPrefix(key, "$") || strings.HasPrefix(key, "$$")
		switch {
		case special != nil:
			p.fail("the member %q stands beside one that begins with $, which must stand alone", key)
		case plain:
			dict[strings.TrimPrefix(key, "$")] = p.value(depth) // "$$x" is the key "$x"
		case len(dict) > 0:
			p.fail("%q must stand alone; a key that begins with $ is written with $$", key)
		default:
			special = p.special(key)
		}
	})
	if special != nil {
		return special
	}
	return dict
}

// maxBigInt is how many digits a BigInt may have, which is far more than any conversion keeps.
const maxBigInt = limits.SessionBigInt

// readBigInt reads a decimal integer, unless it is too long: the time that this takes grows with the square of the length.
func readBigInt(digits string) (*big.Int, bool) {
	if len(digits) > maxBigInt {
		return nil, false
	}
	return new(big.Int).SetString(digits, 10)
}

func (p *parser) special(key string) Value {
	switch key {
	case "$ref":
		return Ref(p.id(key))
	case "$bigint":
		digits := p.string(key)
		n, ok := readBigInt(digits)
		if !ok {
			p.fail("$bigint is %v; it must be a decimal integer of at most %d digits", tokenText(digits), maxBigInt)
		}
		return n
	case "$buffer":
		return p.buffer(key)
	}
	p.fail("there is no %q; values are $ref, $bigint and $buffer, and a key that begins with $ is written with $$", key)
	return nil
}

func (p *parser) bufferType(name string) string {
	t := p.string(name)
	if viewOf(t) == nil {
		p.fail("%q is no type of a buffer; it must be ArrayBuffer, SharedArrayBuffer, DataView or a typed array", t)
	}
	return t
}

// place reads where the contents of a buffer lie.
func (p *parser) place(name string) []int64 {
	at := items(p, name, func() int64 { return p.integer("an item of at", 0, math.MaxInt64/2) }) // so that the sum is one
	if len(at) != 2 {
		p.fail("at has %d items; it must be [offset, length]", len(at))
	}
	return at
}

func (p *parser) bytes(name string) []byte {
	data, err := base64.StdEncoding.DecodeString(p.string(name))
	if err != nil {
		p.fail("%s: %v", name, err)
	}
	return data
}

func (p *parser) element(string) Value { return p.value(1) }

func (p *parser) elements(name string) []Value {
	return items(p, name, func() Value {
		p.grow(valueBytes)
		return p.value(1)
	})
}

// pending is a buffer whose contents lie in the weights, which are read when it is known how much of them is used.
type pending struct {
	buffer      *Buffer
	offset, end int64
	place       SyntaxError
}

// within refuses buffers in the weights that end behind so many bytes; what says where those are.
func (p *parser) within(size int64, what string) {
	for _, u := range p.pending {
		if u.end > size {
			p.failAt(u.place, "at is [%d, %d], which takes %d bytes; %s", u.offset, u.end-u.offset, u.end, what)
		}
	}
}

// fill gives the buffers their part of the bytes beside the document, and returns the error of all that was read.
func (p *parser) fill(weights []byte) error {
	if p.within(int64(len(weights)), fmt.Sprintf("there are %d beside the document", len(weights))); p.err != nil {
		return p.err
	}
	for _, u := range p.pending {
		u.buffer.Data = weights[u.offset:u.end:u.end]
	}
	return nil
}

// buffer reads a buffer, puts its contents together and checks its lengths.
func (p *parser) buffer(key string) *Buffer {
	b := &bufferForm{length: -1, elements: -1}
	if p.object(key, b.form()); p.err != nil {
		return &b.Buffer
	}
	w := viewOf(b.Type)
	p.agree(b, b.elements >= 0, b.elements*int64(w.size))
	p.agree(b, b.content == "values", int64(len(b.values)*w.size))
	p.agree(b, b.content == "base64", int64(len(b.Data)))
	if b.at != nil {
		p.agree(b, true, b.at[1])
	}
	if b.length < 0 || b.length%int64(w.size) != 0 {
		p.fail("byteLength is %d; it must be a multiple of %d", b.length, w.size)
	}
	if b.at != nil {
		p.pending = append(p.pending, pending{&b.Buffer, b.at[0], b.at[0] + b.at[1], p.here()})
	} else {
		p.grow(b.length)
	}
	end := int64(b.ByteOffset) + b.length
	switch {
	case int64(b.BufferByteLength) == end:
		b.BufferByteLength = 0
	case b.BufferByteLength != 0 && int64(b.BufferByteLength) < end:
		p.fail("bufferByteLength is %d; the view ends at byte %d", b.BufferByteLength, end)
	}
	if b.Data == nil && b.at == nil && p.err == nil {
		b.Data = make([]byte, b.length)
		if err := b.write(w); err != nil {
			p.fail("%v", err)
		}
	}
	if b.Type == arrayBuffer {
		b.Type = ""
	}
	return &b.Buffer
}

// agree takes the length of a buffer by one of its members, which must not differ from those before.
func (p *parser) agree(b *bufferForm, given bool, length int64) {
	if given && b.length >= 0 && b.length != length {
		p.fail("the buffer has %d bytes by one of its members and %d by another", b.length, length)
	}
	if given {
		b.length = length
	}
}

// write puts values or fill into the bytes.
func (b *bufferForm) write(w *view) error {
	for i, v := range b.values {
		if err := w.set(b.Data, i, v); err != nil {
			return fmt.Errorf("value %d: %w", i, err)
		}
	}
	if b.content == "fill" && len(b.Data) > 0 {
		if err := w.set(b.Data, 0, b.fill); err != nil {
			return fmt.Errorf("fill: %w", err)
		}
		for n := w.size; n < len(b.Data); n *= 2 {
			copy(b.Data[n:], b.Data[:n])
		}
	}
	return nil
}
