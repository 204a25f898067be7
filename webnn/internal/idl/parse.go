package idl

import (
	"errors"
	"fmt"
	"strings"
	"unicode"

	"github.com/concord-nn/concord/internal/limits"
)

// What of WebIDL the standard uses: interfaces, mixins, dictionaries, enumerations and type definitions, partial or not,
// with read-only attributes, operations and constructors.

type kind uint8

const (
	end kind = iota
	word
	number
	text   // with its quotes
	symbol // one character
)

type token struct {
	kind kind
	text string
}

// maxDepth bounds how deep types are nested.
const maxDepth = limits.IDLDepth

type parser struct {
	src   string
	tok   token
	doc   *Document
	seen  map[string]string // the kind of definition that has a name
	depth int
	err   error
	at    string // the anchor of the section
}

func newParser(src string) (*parser, error) {
	p := &parser{src: src, doc: &Document{}, seen: make(map[string]string)}
	p.next()
	return p, p.err
}

// next reads a token. Comments are space.
func (p *parser) next() {
	p.skipSpace()
	if p.src == "" || p.err != nil {
		p.tok = token{}
		return
	}
	n, k := 1, symbol
	switch c := p.src[0]; {
	case c == '"':
		i := strings.IndexByte(p.src[1:], '"')
		if i < 0 {
			p.fail("the end of a string")
			return
		}
		n, k = i+2, text
	case isLetter(c):
		n, k = span(p.src, func(c byte) bool { return isLetter(c) || isDigit(c) }), word
	case isDigit(c) || c == '-' || c == '.':
		n, k = 1+span(p.src[1:], func(c byte) bool { return isLetter(c) || isDigit(c) || strings.IndexByte("+-.", c) >= 0 }), number
	}
	p.tok = token{k, p.src[:n]}
	p.src = p.src[n:]
}

func (p *parser) skipSpace() {
	for {
		p.src = strings.TrimLeftFunc(p.src, unicode.IsSpace)
		if !strings.HasPrefix(p.src, "//") {
			return
		}
		_, p.src, _ = strings.Cut(p.src, "\n")
	}
}

func isLetter(c byte) bool { return c == '_' || c|0x20 >= 'a' && c|0x20 <= 'z' }
func isDigit(c byte) bool  { return c >= '0' && c <= '9' }

// span counts the leading bytes that belong.
func span(s string, belongs func(byte) bool) int {
	n := 0
	for n < len(s) && belongs(s[n]) {
		n++
	}
	return n
}

// fail notes the first mistake: something else was expected. Nothing is read after it.
func (p *parser) fail(want string) {
	if p.err == nil {
		p.err = fmt.Errorf("%s: %q is found; %s was expected", p.at, p.tok.text, want)
	}
	p.tok = token{}
}

// is reports whether the next token is this word or symbol.
func (p *parser) is(s string) bool {
	return (p.tok.kind == word || p.tok.kind == symbol) && p.tok.text == s
}

// accept reads this word or symbol if it is the next token.
func (p *parser) accept(s string) bool {
	if !p.is(s) {
		return false
	}
	p.next()
	return true
}

func (p *parser) expect(s string) {
	if !p.accept(s) {
		p.fail(s)
	}
}

func (p *parser) name() string {
	s := p.tok.text
	if p.tok.kind != word {
		p.fail("a name")
		return ""
	}
	p.next()
	return s
}

// extended reads a list of extended attributes, if one stands here, and returns their texts.
func (p *parser) extended() []string {
	if !p.accept("[") {
		return nil
	}
	var list []string
	depth, s := 0, ""
	for p.err == nil {
		switch {
		case p.tok.kind == end:
			p.fail("]")
		case p.is("("):
			depth++
		case p.is(")"):
			depth--
		}
		if depth == 0 && (p.is(",") || p.is("]")) {
			list = append(list, s)
			s = ""
			if p.accept("]") {
				return list
			}
			p.next()
			continue
		}
		s += p.tok.text
		p.next()
	}
	return nil
}

var errNested = errors.New("types are nested too deep")

// typ reads a type.
func (p *parser) typ() Type {
	if p.depth++; p.depth > maxDepth {
		p.err = errNested
		p.tok = token{}
	}
	defer func() { p.depth-- }()
	var t Type
	for _, x := range p.extended() {
		switch x {
		case "EnforceRange":
			t.EnforceRange = true
		default:
			p.fail("EnforceRange")
		}
	}
	if p.accept("(") {
		t.Name = "or"
		for t.Params = []Type{p.typ()}; p.accept("or"); {
			t.Params = append(t.Params, p.typ())
		}
		p.expect(")")
		return t
	}
	t.Name = p.name()
	switch t.Name {
	case "unsigned", "unrestricted", "long":
		for p.is("long") || p.is("short") || p.is("double") || p.is("float") { // a type of several words
			t.Name += " " + p.name()
		}
	case "sequence", "FrozenArray", "Promise", "record":
		p.expect("<")
		t.Params = []Type{p.typ()}
		if t.Name == "record" {
			p.expect(",")
			t.Params = append(t.Params, p.typ())
		}
		p.expect(">")
	}
	return t
}

// fallback reads a default value, if one stands here.
func (p *parser) fallback() string {
	if !p.accept("=") {
		return ""
	}
	s := p.tok.text
	switch {
	case p.accept("{"):
		s = "{}"
		p.expect("}")
	case p.tok.kind == number || p.tok.kind == text || p.is("true") || p.is("false"):
		p.next()
	default:
		p.fail("a value")
	}
	return s
}

// definitions reads all definitions of a block.
func (p *parser) definitions() {
	for p.err == nil && p.tok.kind != end {
		p.definition(p.extended())
		p.expect(";")
	}
}

func (p *parser) definition(extended []string) {
	partial := p.accept("partial")
	switch {
	case p.accept("interface"):
		p.interfaceBody(extended, partial)
	case p.accept("dictionary"):
		p.dictionary(partial)
	case partial:
		p.fail("interface or dictionary")
	case p.accept("enum"):
		p.enum()
	case p.accept("typedef"):
		t := p.typ()
		name := p.name()
		p.define(name, "typedef")
		p.doc.Typedefs = append(p.doc.Typedefs, Typedef{Name: name, Anchor: p.at, Type: t})
	default:
		p.includes(p.name())
	}
}

// define notes a name, which must be new.
func (p *parser) define(name, what string) {
	if p.seen[name] != "" {
		p.fail("another name than " + name)
	}
	p.seen[name] = what
}

func (p *parser) interfaceBody(extended []string, partial bool) {
	mixin := p.accept("mixin")
	name := p.name()
	if !partial {
		p.define(name, "interface")
		p.doc.Interfaces = append(p.doc.Interfaces, Interface{Name: name, Anchor: p.at, Mixin: mixin, Extended: extended})
	}
	i := p.doc.Interface(name)
	if i == nil {
		p.fail("an interface")
		return
	}
	p.expect("{")
	for p.err == nil && !p.accept("}") {
		p.interfaceMember(i)
		p.expect(";")
	}
}

func (p *parser) interfaceMember(i *Interface) {
	if p.is("[") {
		a := Attribute{Extended: p.extended()}
		p.expect("readonly")
		p.attribute(i, a)
		return
	}
	if p.accept("readonly") {
		p.attribute(i, Attribute{})
		return
	}
	o := Operation{Anchor: p.at}
	if p.accept("constructor") {
		o.Name = "constructor"
	} else {
		o.Result, o.Name = p.typ(), p.name()
	}
	p.expect("(")
	for p.err == nil && !p.accept(")") {
		if len(o.Args) > 0 {
			p.expect(",")
		}
		a := Argument{Optional: p.accept("optional")}
		a.Type, a.Name = p.typ(), p.name()
		a.Default = p.fallback()
		o.Args = append(o.Args, a)
	}
	i.Operations = append(i.Operations, o)
}

func (p *parser) attribute(i *Interface, a Attribute) {
	p.expect("attribute")
	a.Type, a.Name = p.typ(), p.name()
	i.Attributes = append(i.Attributes, a)
}

func (p *parser) dictionary(partial bool) {
	name := p.name()
	if !partial {
		p.define(name, "dictionary")
		p.doc.Dictionaries = append(p.doc.Dictionaries, Dictionary{Name: name, Anchor: p.at})
	}
	d := p.doc.Dictionary(name)
	if d == nil {
		p.fail("a dictionary")
		return
	}
	if !partial && p.accept(":") {
		d.Parent = p.name()
	}
	p.expect("{")
	for p.err == nil && !p.accept("}") {
		m := Member{Required: p.accept("required")}
		m.Type, m.Name = p.typ(), p.name()
		m.Default = p.fallback()
		d.Members = append(d.Members, m)
		p.expect(";")
	}
}

func (p *parser) enum() {
	e := Enum{Name: p.name(), Anchor: p.at}
	p.define(e.Name, "enum")
	p.expect("{")
	for p.err == nil && !p.accept("}") {
		if len(e.Values) > 0 {
			p.expect(",")
		}
		if p.tok.kind != text {
			p.fail("a string")
			return
		}
		e.Values = append(e.Values, strings.Trim(p.tok.text, `"`))
		p.next()
	}
	p.doc.Enums = append(p.doc.Enums, e)
}

func (p *parser) includes(name string) {
	p.expect("includes")
	mixin := p.name()
	i := p.doc.Interface(mixin)
	if i == nil || !i.Mixin {
		p.fail("a mixin")
		return
	}
	i.IncludedBy = append(i.IncludedBy, name)
}
