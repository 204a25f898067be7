package idl

import (
	_ "embed" // the interface
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

//go:embed webnn.txt
var source string

// WebNN is the interface as the standard declares it. It must not be changed.
var WebNN = func() Document {
	d, err := Parse(source)
	if err != nil {
		panic(err)
	}
	return *d
}()

// Parse reads an interface from sections. One that begins with a line "# " and an anchor has definitions in WebIDL; one that begins with
// "# limits of " and names of methods has the rows of their table "Tensor limits", with " | " between operand, allowed types, required types, allowed
// ranks and required ranks. An error names the section.
func Parse(source string) (*Document, error) {
	p := &webidl{}
	for section := range strings.SplitSeq("\n"+source, "\n# ") {
		title, body, _ := strings.Cut(section, "\n")
		methods, limits := strings.CutPrefix(title, "limits of ")
		if p.at = title; limits {
			p.limits(strings.Split(methods, ", "), body)
		} else {
			p.block(body)
		}
	}
	if p.err != nil {
		return nil, p.err
	}
	return &p.doc, nil
}

// columns is how many cells a row of limits has.
const columns = 5

func (p *webidl) limits(methods []string, body string) {
	l := Limits{Methods: methods}
	for line := range strings.Lines(strings.TrimSpace(body)) {
		cells := strings.Split(strings.TrimSpace(line), " | ")
		if len(cells) != columns {
			p.fail("a row has %d cells; it must have %d", len(cells), columns)
			return
		}
		r := Row{Operand: cells[0], RequiredTypes: strings.Split(cells[2], ", "), RequiredRanks: p.ranks(cells[4])}
		var same bool
		if r.SameType, same = strings.CutPrefix(cells[1], sameAs); !same {
			r.SameType, r.Types = "", strings.Split(cells[1], ", ")
		}
		if r.SameRank, same = strings.CutPrefix(cells[3], sameAs); !same {
			r.SameRank, r.Ranks = "", p.ranks(cells[3])
		}
		l.Rows = append(l.Rows, r)
	}
	p.doc.Limits = append(p.doc.Limits, l)
}

// sameAs stands before the operand that another one must be like.
const sameAs = "same as "

// ranks reads what [Ranks.String] writes.
func (p *webidl) ranks(text string) Ranks {
	low, high, ranged := strings.Cut(text, " to ")
	if text == "N" {
		low, high = "0", "N"
	} else if !ranged {
		high = low
	}
	r := Ranks{Max: AnyRank}
	var err, err2 error
	r.Min, err = strconv.Atoi(low)
	if high != "N" {
		r.Max, err2 = strconv.Atoi(high)
	}
	if err != nil || err2 != nil || r.Min < 0 || high != "N" && r.Max < r.Min {
		p.fail("%q is no range of ranks", text)
	}
	return r
}

// What of WebIDL the standard uses: interfaces, mixins, dictionaries, enumerations and type definitions, partial or not,
// with read-only attributes, operations and constructors. Space is one blank here, and comments are gone.
var (
	space      = regexp.MustCompile(`(?://.*)?\s+`)
	definition = regexp.MustCompile(`^ ?(?:\[([^]]*)\] )?(partial )?(?:(interface mixin|interface|dictionary) (\w+) ?(?:: (\w+) )?\{ ?(.*?) ?\}|` +
		`enum (\w+) \{ ?(.*?) ?\}|typedef (.+?) (\w+)|(\w+) includes (\w+)) ?; ?`)
	attribute = regexp.MustCompile(`^(?:\[(.*)\] )?readonly attribute (.+) (\w+)$`)
	operation = regexp.MustCompile(`^(?:(.+) )?(\w+)\((.*)\)$`)
	typed     = regexp.MustCompile(`^(required |optional )?(.+?) (\w+)(?: = (true|false|\{\}|"[^"]*"|[-.\d][\w.+-]*))?$`)
	text      = regexp.MustCompile(`^"([^"]*)"$`)
	generic   = regexp.MustCompile(`^(sequence|FrozenArray|Promise|record)(?:<(.*)>)?$`)
	plain     = regexp.MustCompile(`^((unsigned|unrestricted) )?(long )?\w+$`)
)

// maxDepth bounds how deep types are nested.
const maxDepth = 16

// webidl reads definitions into a document. The first mistake stays.
type webidl struct {
	doc Document
	at  string // the anchor of the section
	err error
}

func (p *webidl) fail(format string, args ...any) {
	if p.err == nil {
		p.err = fmt.Errorf("%s: %w", p.at, fmt.Errorf(format, args...))
	}
}

// split returns the items between separators that stand in no parentheses, brackets or braces; none if there is nothing.
func split(s, separator string) []string {
	var list []string
	depth, from := 0, 0
	for i := range len(s) {
		switch {
		case strings.IndexByte("(<[{", s[i]) >= 0:
			depth++
		case strings.IndexByte(")>]}", s[i]) >= 0:
			depth--
		case depth == 0 && i >= from && strings.HasPrefix(s[i:], separator):
			list = append(list, strings.TrimSpace(s[from:i]))
			from = i + len(separator)
		}
	}
	if rest := strings.TrimSpace(s[from:]); rest != "" || len(list) > 0 {
		list = append(list, rest)
	}
	return list
}

// typ reads a type.
func (p *webidl) typ(s string, depth int) (t Type) {
	if depth > maxDepth {
		p.fail("a type is nested too deep")
		return t
	}
	s, t.EnforceRange = strings.CutPrefix(strings.TrimSpace(s), "[EnforceRange] ")
	params, between := "", ","
	if m := generic.FindStringSubmatch(s); m != nil {
		t.Name, params = m[1], m[2]
	} else if strings.HasPrefix(s, "(") && strings.HasSuffix(s, ")") {
		t.Name, params, between = "or", s[1:len(s)-1], " or "
	} else if t.Name = s; !plain.MatchString(s) {
		p.fail("%q is no type", s)
	}
	for _, x := range split(params, between) {
		t.Params = append(t.Params, p.typ(x, depth+1))
	}
	if n := len(t.Params); t.Name == "or" && n < 2 || t.Name == "record" && n != 2 || generic.MatchString(s) && t.Name != "record" && n != 1 {
		p.fail("%q has %d parameters", s, n)
	}
	return t
}

// declaration reads an argument or a member: the word in front, the type, the name and the default.
func (p *webidl) declaration(s string) (word string, t Type, name, fallback string) {
	m := typed.FindStringSubmatch(s)
	if m == nil {
		p.fail("%q is no declaration", s)
		return "", t, "", ""
	}
	return m[1], p.typ(m[2], 1), m[3], m[4]
}

// attributes lists extended attributes.
func attributes(s string) []string { return split(strings.ReplaceAll(s, " ", ""), ",") }

// block reads all definitions of a block.
func (p *webidl) block(source string) {
	source = strings.TrimSpace(space.ReplaceAllString(source+"\n", " "))
	for source != "" && p.err == nil {
		m := definition.FindStringSubmatch(source)
		if m == nil {
			p.fail("%.60q is no definition", source)
			return
		}
		source = source[len(m[0]):]
		switch {
		case m[4] != "" && m[3] == "dictionary":
			p.dictionary(m[4], m[5], m[6], m[2] != "")
		case m[4] != "":
			p.interfaceBody(Interface{Name: m[4], Anchor: p.at, Mixin: m[3] != "interface", Extended: attributes(m[1])}, m[6], m[2] != "")
		case m[2] != "":
			p.fail("%q cannot be partial", m[0])
		case m[7] != "":
			p.define(m[7])
			e := Enum{Name: m[7], Anchor: p.at}
			for _, v := range split(m[8], ",") {
				value := text.FindStringSubmatch(v)
				if value == nil {
					p.fail("%q is no string", v)
					return
				}
				e.Values = append(e.Values, value[1])
			}
			p.doc.Enums = append(p.doc.Enums, e)
		case m[10] != "":
			p.define(m[10])
			p.doc.Typedefs = append(p.doc.Typedefs, Typedef{Name: m[10], Anchor: p.at, Type: p.typ(m[9], 1)})
		default:
			if i := p.doc.Interface(m[12]); i != nil && i.Mixin {
				i.IncludedBy = append(i.IncludedBy, m[11])
			} else {
				p.fail("%s is no mixin", m[12])
			}
		}
	}
}

// define checks that a name is new.
func (p *webidl) define(name string) {
	if d := &p.doc; d.Interface(name) != nil || d.Dictionary(name) != nil || d.Enum(name) != nil || d.Typedef(name) != nil {
		p.fail("%s is defined twice", name)
	}
}

func (p *webidl) interfaceBody(declared Interface, body string, partial bool) {
	if !partial {
		p.define(declared.Name)
		p.doc.Interfaces = append(p.doc.Interfaces, declared)
	}
	i := p.doc.Interface(declared.Name)
	if i == nil {
		p.fail("there is no interface %s", declared.Name)
		return
	}
	for _, s := range members(body) {
		if m := attribute.FindStringSubmatch(s); m != nil {
			i.Attributes = append(i.Attributes, Attribute{Name: m[3], Type: p.typ(m[2], 1), Extended: attributes(m[1])})
			continue
		}
		m := operation.FindStringSubmatch(s)
		if m == nil || m[1] == "" && m[2] != "constructor" {
			p.fail("%q is no member of an interface", s)
			return
		}
		o := Operation{Name: m[2], Anchor: p.at}
		if m[1] != "" {
			o.Result = p.typ(m[1], 1)
		}
		for _, x := range split(m[3], ",") {
			word, t, name, fallback := p.declaration(x)
			o.Args = append(o.Args, Argument{Name: name, Type: t, Optional: word == "optional ", Default: fallback})
		}
		i.Operations = append(i.Operations, o)
	}
}

func (p *webidl) dictionary(name, parent, body string, partial bool) {
	if !partial {
		p.define(name)
		p.doc.Dictionaries = append(p.doc.Dictionaries, Dictionary{Name: name, Anchor: p.at, Parent: parent})
	}
	d := p.doc.Dictionary(name)
	if d == nil {
		p.fail("there is no dictionary %s", name)
		return
	}
	for _, s := range members(body) {
		word, t, name, fallback := p.declaration(s)
		d.Members = append(d.Members, Member{Name: name, Type: t, Required: word == "required ", Default: fallback})
	}
}

// members returns the members of a body, each of which ends in a semicolon.
func members(body string) []string { return split(strings.TrimSuffix(body, ";"), ";") }
