package session

import (
	"encoding/base64"
	"slices"
)

// The objects of the form, each of which is one table, by which it is read and written.

// member is a member of an object: what reads it, told its name for messages, and the value that is written.
type member struct {
	name  string
	read  func(p *parser, name string)
	value Value
}

// absent is the value of a member that is left out.
type absent struct{}

// unless returns v, or absent if that is one of the values that are left out.
func unless[T comparable](v T, out ...T) Value {
	if slices.Contains(out, v) {
		return absent{}
	}
	return v
}

// into reads a member into a variable.
func into[T any](variable *T, read func(p *parser, name string) T) func(p *parser, name string) {
	return func(p *parser, name string) { *variable = read(p, name) }
}

// versionMember is the first member of every document.
const versionMember = "webnnSession"

func (s *Session) form() []member {
	return []member{
		{versionMember, func(p *parser, name string) { p.integer(name, Version, Version) }, Version},
		{"weights", into(&s.Weights, (*parser).fileName), unless(s.Weights, "")},
		{"calls", into(&s.Calls, (*parser).calls), s.Calls},
	}
}

func (c *Call) form() []member {
	var on, ids Value = nil, absent{}
	if c.On != "" {
		on = c.On
	}
	if c.IDs != nil {
		ids = c.IDs
	}
	return []member{
		{"on", into(&c.On, (*parser).receiver), on},
		{"call", into(&c.Method, (*parser).string), c.Method},
		{"args", into(&c.Args, (*parser).arguments), c.Args},
		{"id", into(&c.ID, (*parser).id), unless(c.ID, "")},
		{"ids", into(&c.IDs, (*parser).ids), ids},
	}
}

// bufferForm is a buffer as it is written. Of the members that give the contents one is there.
type bufferForm struct {
	Buffer
	at               []int64 // offset and length
	values           []Value
	fill             Value
	length, elements int64 // -1 if absent

	content string // the member that gives the contents
}

func (b *bufferForm) form() []member {
	content := func(read func(p *parser, name string)) func(p *parser, name string) {
		return func(p *parser, name string) {
			if b.content != "" {
				p.fail("%s and %s are both given; one of them gives the contents", b.content, name)
			}
			b.content = name
			read(p, name)
		}
	}
	var at, bytes Value = b.at, absent{}
	if b.at == nil {
		at, bytes = absent{}, base64.StdEncoding.EncodeToString(b.Data)
	}
	return []member{
		{"type", into(&b.Type, (*parser).bufferType), unless(b.Type, "", arrayBuffer)},
		{"at", content(into(&b.at, (*parser).place)), at},
		{"base64", content(into(&b.Data, (*parser).bytes)), bytes},
		{"values", content(into(&b.values, (*parser).elements)), absent{}},
		{"fill", content(into(&b.fill, (*parser).element)), absent{}},
		{"byteLength", into(&b.length, count[int64]), absent{}},
		{"length", into(&b.elements, count[int64]), absent{}},
		{"byteOffset", into(&b.ByteOffset, count[int]), unless(b.ByteOffset, 0)},
		{"bufferByteLength", into(&b.BufferByteLength, count[int]), unless(b.BufferByteLength, 0)},
		{"shared", into(&b.Shared, (*parser).boolean), unless(b.Shared, false)},
	}
}
