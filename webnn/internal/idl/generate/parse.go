package main

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/webnn/internal/idl"
)

// What of WebIDL the standard uses: interfaces, mixins, dictionaries, enumerations and type definitions, partial or not,
// with read-only attributes, operations and constructors.

// tokens are names, numbers, strings, comments, which are left out, and single characters.
var tokens = regexp.MustCompile(`//.*|[A-Za-z_]\w*|[-.\d][\w.+-]*|"[^"]*"|\S`)

// maxDepth bounds how deep types are nested.
const maxDepth = limits.IDLDepth

// webidl reads definitions into a document. After the first mistake every token is empty.
type webidl struct {
	doc    idl.Document
	at     string   // the anchor of the section
	tokens []string // of the block
	depth  int
	err    error
}

// tok is the next token; "" at the end.
func (p *webidl) tok() string {
	if len(p.tokens) == 0 {
		return ""
	}
	return p.tokens[0]
}

// next reads a token.
func (p *webidl) next() string {
	t := p.tok()
	p.tokens = p.tokens[min(1, len(p.tokens)):]
	return t
}

// fail notes the first mistake: something else was expected. Nothing is read after it.
func (p *webidl) fail(want string) {
	if p.err == nil {
		p.err = fmt.Errorf("%s: %q is found; %s was expected", p.at, p.tok(), want)
	}
	p.tokens = nil
}

// accept reads this token if it is the next one.
func (p *webidl) accept(s string) bool {
	if p.tok() != s {
		return false
	}
	p.next()
	return true
}

func (p *webidl) expect(s string) {
	if !p.accept(s) {
		p.fail(s)
	}
}

// starts reports whether the next token begins with one of the characters.
func (p *webidl) starts(with string) bool {
	return p.tok() != "" && strings.IndexByte(with, p.tok()[0]) >= 0
}

func (p *webidl) name() string {
	if !p.starts("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_") {
		p.fail("a name")
		return ""
	}
	return p.next()
}

// each reads items until the closing token, with a separator between them or behind each.
func (p *webidl) each(closing, separator string, trailing bool, item func()) {
	for n := 0; p.err == nil && !p.accept(closing); n++ {
		if n > 0 && !trailing {
			p.expect(separator)
		}
		item()
		if trailing {
			p.expect(separator)
		}
	}
}

// extended reads a list of extended attributes, if one stands here, and returns their texts.
func (p *webidl) extended() []string {
	var list []string
	if p.accept("[") {
		p.each("]", ",", false, func() {
			text := p.name()
			if p.accept("=") {
				text += "="
				if !p.starts("(") {
					text += p.name()
				} else {
					var names []string
					p.next()
					p.each(")", ",", false, func() { names = append(names, p.name()) })
					text += "(" + strings.Join(names, ",") + ")"
				}
			}
			list = append(list, text)
		})
	}
	return list
}

// typ reads a type.
func (p *webidl) typ() idl.Type {
	if p.depth++; p.depth > maxDepth {
		p.fail("a type that is not nested too deep")
	}
	defer func() { p.depth-- }()
	var t idl.Type
	for _, x := range p.extended() {
		if t.EnforceRange = x == "EnforceRange"; !t.EnforceRange {
			p.fail("EnforceRange")
		}
	}
	if p.accept("(") {
		t.Name = "or"
		for t.Params = []idl.Type{p.typ()}; p.accept("or"); {
			t.Params = append(t.Params, p.typ())
		}
		p.expect(")")
		return t
	}
	t.Name = p.name()
	switch t.Name {
	case "unsigned", "unrestricted", "long":
		for p.tok() == "long" || p.tok() == "short" || p.tok() == "double" || p.tok() == "float" { // a type of several words
			t.Name += " " + p.next()
		}
	case "sequence", "FrozenArray", "Promise", "record":
		p.expect("<")
		t.Params = []idl.Type{p.typ()}
		if t.Name == "record" {
			p.expect(",")
			t.Params = append(t.Params, p.typ())
		}
		p.expect(">")
	}
	return t
}

// typed reads a type, a name and a default value, if there is one.
func (p *webidl) typed() (t idl.Type, name, fallback string) {
	t, name = p.typ(), p.name()
	switch {
	case !p.accept("="):
	case p.accept("{"):
		fallback = "{}"
		p.expect("}")
	case p.starts(`"-.0123456789`) || p.tok() == "true" || p.tok() == "false":
		fallback = p.next()
	default:
		p.fail("a value")
	}
	return t, name, fallback
}

// block reads all definitions of a block.
func (p *webidl) block(source string) {
	p.tokens = nil
	for _, t := range tokens.FindAllString(source, -1) {
		if !strings.HasPrefix(t, "//") {
			p.tokens = append(p.tokens, t)
		}
	}
	for p.err == nil && p.tok() != "" {
		p.definition(p.extended())
		p.expect(";")
	}
}

func (p *webidl) definition(extended []string) {
	partial := p.accept("partial")
	switch {
	case p.accept("interface"):
		p.interfaceBody(extended, partial)
	case p.accept("dictionary"):
		p.dictionary(partial)
	case partial:
		p.fail("interface or dictionary")
	case p.accept("enum"):
		e := idl.Enum{Name: p.define(false), Anchor: p.at}
		p.expect("{")
		p.each("}", ",", false, func() {
			if !p.starts(`"`) || len(p.tok()) < 2 {
				p.fail("a string")
			}
			e.Values = append(e.Values, strings.Trim(p.next(), `"`))
		})
		p.doc.Enums = append(p.doc.Enums, e)
	case p.accept("typedef"):
		t := p.typ()
		p.doc.Typedefs = append(p.doc.Typedefs, idl.Typedef{Name: p.define(false), Anchor: p.at, Type: t})
	default:
		by := p.name()
		p.expect("includes")
		if i := p.doc.Interface(p.name()); i != nil && i.Mixin {
			i.IncludedBy = append(i.IncludedBy, by)
		} else {
			p.fail("a mixin")
		}
	}
}

// define reads the name of a definition, which must be new unless that is partial.
func (p *webidl) define(partial bool) string {
	name, d := p.name(), &p.doc
	if !partial && (d.Interface(name) != nil || d.Dictionary(name) != nil || d.Enum(name) != nil || d.Typedef(name) != nil) {
		p.fail("another name than " + name)
	}
	return name
}

func (p *webidl) interfaceBody(extended []string, partial bool) {
	mixin := p.accept("mixin")
	name := p.define(partial)
	if !partial {
		p.doc.Interfaces = append(p.doc.Interfaces, idl.Interface{Name: name, Anchor: p.at, Mixin: mixin, Extended: extended})
	}
	i := p.doc.Interface(name)
	if i == nil {
		p.fail("an interface")
		return
	}
	p.expect("{")
	p.each("}", ";", true, func() {
		if extended := p.extended(); extended != nil || p.tok() == "readonly" {
			p.expect("readonly")
			p.expect("attribute")
			i.Attributes = append(i.Attributes, idl.Attribute{Type: p.typ(), Name: p.name(), Extended: extended})
			return
		}
		o := idl.Operation{Anchor: p.at, Name: "constructor"}
		if !p.accept(o.Name) {
			o.Result, o.Name = p.typ(), p.name()
		}
		p.expect("(")
		p.each(")", ",", false, func() {
			a := idl.Argument{Optional: p.accept("optional")}
			a.Type, a.Name, a.Default = p.typed()
			o.Args = append(o.Args, a)
		})
		i.Operations = append(i.Operations, o)
	})
}

func (p *webidl) dictionary(partial bool) {
	name := p.define(partial)
	if !partial {
		p.doc.Dictionaries = append(p.doc.Dictionaries, idl.Dictionary{Name: name, Anchor: p.at})
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
	p.each("}", ";", true, func() {
		m := idl.Member{Required: p.accept("required")}
		m.Type, m.Name, m.Default = p.typed()
		d.Members = append(d.Members, m)
	})
}
