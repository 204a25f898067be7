package main

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/webnn/internal/idl"
)

// page is the coverage page while it is written.
type page struct {
	doc     *idl.Document
	decls   declarations
	words   words
	text    []byte
	members int      // rows written
	nothing int      // of them those without a Go form by nature
	gaps    []string // members without a Go form
}

// coveragePage writes the page that says for each member of the interface where it is in Go.
func coveragePage(doc *idl.Document, root string) (*page, error) {
	decls, err := readDeclarations(filepath.Join(root, "webnn"))
	if err != nil {
		return nil, err
	}
	p := &page{doc: doc, decls: decls, words: readWords(wordsFile)}
	p.printf("%s", introduction)
	p.interfaces()
	p.operators()
	p.limits()
	p.dictionaries()
	p.enumerations()
	p.printf("\n## Type definitions\n\n")
	p.table("WebIDL", "Go")
	for _, t := range doc.Typedefs {
		p.row(spec(t.Anchor, "typedef "+t.Type.String()+" "+t.Name), p.typeForm(t.Name))
	}
	p.types()
	p.conclusion()
	return p, nil
}

func (p *page) printf(format string, args ...any) { p.text = fmt.Appendf(p.text, format, args...) }

func (p *page) gap(format string, args ...any) string {
	p.gaps = append(p.gaps, fmt.Sprintf(format, args...))
	return "**gap**"
}

// spec writes WebIDL as a link to the section of the standard.
func spec(anchor, text string) string {
	return fmt.Sprintf("[`%s`](https://www.w3.org/TR/webnn/#%s)", text, anchor)
}

// table begins a table of members.
func (p *page) table(columns ...string) {
	p.printf("| %s |\n|%s\n", strings.Join(columns, " | "), strings.Repeat(" --- |", len(columns)))
}

// row writes a member, which counts.
func (p *page) row(cells ...string) {
	p.members++
	p.printf("| %s |\n", strings.Join(cells, " | "))
}

// form writes the Go form of a member: of those that forms lists that, and else the declaration of the name.
func (p *page) form(key, name string) (goForm, remark string) {
	f, listed := forms[key]
	if !listed {
		f.names = []string{name}
	}
	if len(f.names) == 0 {
		p.nothing++
		return "—", f.remark
	}
	var links []string
	for _, n := range f.names {
		links = append(links, p.link(key, n))
	}
	return strings.Join(links, "<br>"), f.remark
}

// typeForm writes the Go form of a type: its declaration, or the remark on a type of Go or of another package. A type is no
// member, and so does not count among those that have no form.
func (p *page) typeForm(name string) string {
	goForm, remark := p.form(name, goName(name))
	if remark == "" {
		return goForm
	}
	p.nothing--
	return remark
}

// link writes a declaration as a link to its file, from the folder docs, or notes a gap.
func (p *page) link(key, name string) string {
	d, ok := p.decls[name]
	if !ok {
		return p.gap("%s: package webnn does not declare %s", key, name)
	}
	if d.function {
		receiver, _, _ := strings.Cut(name, ".")
		name = d.text
		if receiver != d.name {
			name = receiver + "." + d.text
		}
	}
	return fmt.Sprintf("[`%s`](../webnn/%s)", name, d.file)
}

const introduction = `# WebNN coverage

Where each member of the WebNN interface is in Go, written by ` + "`go generate ./webnn`" + ` from the standard's WebIDL and tables
(` + "`webnn/internal/idl/table.go`" + `) and from the declarations of package ` + "`webnn`" + `. Options, enumerations and the methods that add operators
are written from the same table. A test fails if a member has no Go form, or if this page is stale.

The rules: a type has its name without the prefix ML, a method or member its name with a capital letter. Interfaces are
pointers, dictionaries structs, enumerations string types with constants. An optional dictionary is a pointer that may be
nil. A member of it whose default is not Go's zero value is a pointer, or an empty string where it is an enumeration. What the
standard throws, or rejects a promise with, is an error, and an ` + "`*webnn.Error`" + ` by type. Every method of a builder can be
called by its name in the standard, too: ` + "`GraphBuilder.Call`" + `.
`

func (p *page) interfaces() {
	p.printf("\n## Interfaces\n")
	operators := p.doc.Operators()
	for _, i := range p.doc.Interfaces {
		p.printf("\n### %s\n\n", i.Name)
		p.table("WebIDL", "Go", "remark")
		kind := "interface "
		if i.Mixin {
			kind += "mixin "
		}
		member := func(anchor, text, key, name string) {
			goForm, remark := p.form(key, name)
			p.row(spec(anchor, text), goForm, remark)
		}
		member(i.Anchor, kind+i.Name, i.Name, goName(i.Name))
		for _, by := range i.IncludedBy {
			member(i.Anchor, by+" includes "+i.Name, by, by)
		}
		for _, a := range i.Attributes {
			member(i.Anchor, "readonly attribute "+a.Type.String()+" "+a.Name, i.Name+"."+a.Name, goName(i.Name)+"."+title(a.Name))
		}
		for _, o := range i.Operations {
			if !slices.ContainsFunc(operators, func(x idl.Operation) bool { return x.Name == o.Name }) {
				member(o.Anchor, o.String(), i.Name+"."+o.Key(), goName(i.Name)+"."+title(o.Name))
			}
		}
	}
}

// operators writes the methods of MLGraphBuilder that make operands from operands, each with the operator of package op that
// it becomes.
func (p *page) operators() {
	p.printf("\n## Methods of MLGraphBuilder that add operators\n\n" +
		"Each is a method of `GraphBuilder` and becomes the operator of the same meaning.\n\n")
	p.table("WebIDL", "Go", "operator")
	definitions := make(map[string]string)
	for _, d := range op.All() {
		definitions[d.Spec.WebNN] = d.Name
	}
	for _, o := range p.doc.Operators() {
		key := "MLGraphBuilder." + o.Key()
		goForm := p.link(key, "GraphBuilder."+title(o.Name))
		if second := p.words.names[o.Name]; second != "" {
			goForm += "<br>" + p.link(key, "GraphBuilder."+second)
		}
		name := definitions[o.Name]
		operator := fmt.Sprintf("[%s](operators/%s.md)", name, name)
		if name == "" {
			operator = p.gap("%s: no operator has this name in WebNN", o.Name)
		}
		p.row(spec(o.Anchor, o.String()), goForm, operator)
	}
}

// limits writes the tables of tensor limits.
func (p *page) limits() {
	p.printf("\n## Tensor limits\n\n" +
		"The data types and ranks that the tables of a method allow, and in brackets those that every implementation must\n" +
		"support. N is any rank, which ends at 8. Concord supports all that is allowed, and `Context.OpSupportLimits` reports it:\n" +
		"but for `isNaN` and `isInfinite` the floats only, as steps of the algorithm let nothing else pass.\n\n" +
		"| methods | operand | data types | ranks |\n| --- | --- | --- | --- |\n")
	for _, l := range p.doc.Limits {
		for i, r := range l.Rows {
			names := ""
			if i == 0 {
				names = strings.Join(l.Methods, ", ")
			}
			types, ranks := strings.Join(r.Types, ", "), r.Ranks.String()
			if r.SameType != "" {
				types = "that of " + r.SameType
			}
			if r.SameRank != "" {
				ranks = "that of " + r.SameRank
			}
			p.printf("| %s | %s | %s (%s) | %s (%s) |\n",
				names, r.Operand, types, strings.Join(r.RequiredTypes, ", "), ranks, r.RequiredRanks)
		}
	}
}

const (
	supportLimits = "MLOpSupportLimits" // the dictionary with a member for each operator
	limitsSuffix  = "SupportLimits"     // of dictionaries with a member for each operand
)

func (p *page) dictionaries() {
	p.printf("\n## Dictionaries\n")
	for _, d := range p.doc.Dictionaries {
		p.printf("\n### %s\n\n", d.Name)
		p.table("WebIDL", "Go", "type")
		ofOperands := d.Name != supportLimits && strings.HasSuffix(d.Name, limitsSuffix)
		name, declared := goName(d.Name), "dictionary "+d.Name
		if ofOperands {
			name = "OperatorLimits"
		}
		if d.Parent != "" {
			declared += " : " + d.Parent
		}
		goForm, _ := p.form(d.Name, name)
		p.row(spec(d.Anchor, declared), goForm, "")
		for _, m := range d.Members {
			goForm, typ := fmt.Sprintf("`OperatorLimits[%q]`", m.Name), "TensorLimits"
			switch {
			case ofOperands:
			case d.Name == supportLimits && strings.HasSuffix(m.Type.Name, limitsSuffix):
				goForm, typ = p.operatorLimits(m), "OperatorLimits"
			default:
				field := name + "." + title(m.Name)
				goForm, typ = p.link(d.Name+"."+m.Name, field), p.decls[field].text
			}
			p.row("`"+m.String()+"`", goForm, "`"+typ+"`")
		}
	}
}

// operatorLimits is the entry of an operator in the map of limits. The operands of its table must be the members of its
// dictionary.
func (p *page) operatorLimits(m idl.Member) string {
	var operands, members []string
	for _, r := range p.doc.LimitsOf(m.Name) {
		operands = append(operands, r.Operand)
	}
	if d := p.doc.Dictionary(m.Type.Name); d != nil {
		for _, x := range d.Members {
			members = append(members, x.Name)
		}
	}
	if len(members) == 0 || !slices.Equal(slices.Sorted(slices.Values(operands)), slices.Sorted(slices.Values(members))) {
		p.gap("%s.%s: the table has the operands %v; they must be %v", supportLimits, m.Name, operands, members)
	}
	return fmt.Sprintf("`OpSupportLimits.Operators[%q]`", m.Name)
}

func (p *page) enumerations() {
	p.printf("\n## Enumerations\n\n")
	p.table("WebIDL", "Go")
	for _, e := range p.doc.Enums {
		p.row(spec(e.Anchor, "enum "+e.Name), p.typeForm(e.Name))
		for _, v := range e.Values {
			goForm := ""
			if e.Name != dataTypes {
				goForm = p.link(e.Name, p.words.names[e.Name+"."+v])
			} else if constant, err := dataTypeConstant(v); err == nil {
				goForm = fmt.Sprintf("[`%s`](../tensor/dtype.go)", constant)
			} else {
				goForm = p.gap("%s: %v", e.Name, err)
			}
			p.row(fmt.Sprintf("`%q`", v), goForm)
		}
	}
}

// types writes how the types and extended attributes of WebIDL that the declarations use stand in Go. They are no members
// and do not count.
func (p *page) types() {
	used, extended := p.used()
	p.printf("\n## Types of WebIDL\n\n")
	p.table("WebIDL", "Go", "remark")
	for _, name := range slices.Sorted(maps.Keys(used)) {
		if remark, ok := genericTypes[name]; ok {
			if name == "or" {
				name = "(… or …)"
			}
			p.printf("| `%s` | | %s |\n", name, remark)
			continue
		}
		plain, ok := plainTypes[name]
		if _, err := goType(p.doc, idl.Type{Name: name}); err != nil {
			p.gap("%v", err)
		}
		if ok && !strings.HasPrefix(name, "ML") {
			p.printf("| `%s` | %s | %s |\n", name, quoted(plain.goType), plain.remark)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(extended)) {
		remark, ok := extendedAttributes[name]
		if !ok {
			remark = p.gap("the extended attribute %s has no Go form", name)
		}
		p.printf("| `[%s]` | | %s |\n", name, remark)
	}
}

// quoted writes a Go type as code, if there is one.
func quoted(s string) string {
	if s == "" || s == "none" {
		return s
	}
	return "`" + s + "`"
}

// used returns the names of the types and extended attributes that the declarations use.
func (p *page) used() (types, extended map[string]bool) {
	types, extended = make(map[string]bool), make(map[string]bool)
	var visit func(...idl.Type)
	visit = func(list ...idl.Type) {
		for _, t := range list {
			if t.Name != "" { // the result of a constructor
				types[t.Name] = true
			}
			if t.EnforceRange {
				extended["EnforceRange"] = true
			}
			visit(t.Params...)
		}
	}
	for _, i := range p.doc.Interfaces {
		attributes := i.Extended
		for _, a := range i.Attributes {
			attributes = append(attributes[:len(attributes):len(attributes)], a.Extended...)
			visit(a.Type)
		}
		for _, x := range attributes {
			name, _, _ := strings.Cut(x, "=")
			extended[name] = true
		}
		for _, o := range i.Operations {
			visit(o.Result)
			for _, a := range o.Args {
				visit(a.Type)
			}
		}
	}
	for _, d := range p.doc.Dictionaries {
		for _, m := range d.Members {
			visit(m.Type)
		}
	}
	for _, t := range p.doc.Typedefs {
		visit(t.Type)
	}
	return types, extended
}

func (p *page) conclusion() {
	p.printf("\n## Count\n\n")
	if len(p.gaps) > 0 {
		p.printf("Gaps:\n\n- %s\n\n", strings.Join(p.gaps, "\n- "))
	}
	p.printf("Of the members %d have no Go form by nature; the remark says why.\n\n", p.nothing)
	p.printf("%d members, %d gaps\n", p.members, len(p.gaps))
}
