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
	decls   *declarations
	text    []byte
	members int      // rows written
	nothing int      // of them those without a Go form by nature
	gaps    []string // members without a Go form, or with one of another type
}

// coveragePage writes the page that says for each member of the interface where it is in Go.
func coveragePage(doc *idl.Document, root string) (*page, error) {
	decls, err := readDeclarations(filepath.Join(root, "webnn"))
	if err != nil {
		return nil, err
	}
	p := &page{doc: doc, decls: decls}
	p.introduction()
	p.interfaces()
	p.operators()
	p.limits()
	p.dictionaries()
	p.enumerations()
	p.typedefs()
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

// link writes a declaration with its signature, or notes a gap.
func (p *page) link(key, name string) string {
	text := name
	if d := p.decls.byName[name]; d != nil && d.function {
		text = strings.TrimSuffix(name, d.name) + d.text
	}
	link, err := p.decls.link(name, text)
	if err != nil {
		return p.gap("%s: %v", key, err)
	}
	return link
}

func (p *page) introduction() {
	p.printf("%s", introduction)
}

const introduction = `# WebNN coverage

Where each member of the WebNN interface is in Go, written by ` + "`go generate ./webnn`" + ` from the standard's WebIDL and tables
(` + "`webnn/internal/idl/idl.json`" + `) and from the declarations of package ` + "`webnn`" + `. A test fails if a member has no Go
form, if its Go type is another one than the rules below say, or if this page is stale.

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
		goForm, remark := p.form(i.Name, goName(i.Name))
		p.row(spec(i.Anchor, kind+i.Name), goForm, remark)
		for _, by := range i.IncludedBy {
			goForm, remark := p.form(by, by)
			p.row(spec(i.Anchor, by+" includes "+i.Name), goForm, remark)
		}
		for _, a := range i.Attributes {
			goForm, remark := p.form(i.Name+"."+a.Name, goName(i.Name)+"."+title(a.Name))
			p.row(spec(i.Anchor, "readonly attribute "+a.Type.String()+" "+a.Name), goForm, remark)
		}
		for _, o := range i.Operations {
			if slices.ContainsFunc(operators, func(x idl.Operation) bool { return x.Name == o.Name }) {
				continue
			}
			goForm, remark := p.form(i.Name+"."+o.Key(), goName(i.Name)+"."+title(o.Name))
			p.row(spec(o.Anchor, o.String()), goForm, remark)
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
		goForm, _ := p.form(key, "GraphBuilder."+title(o.Name))
		p.checkOperator(key, o)
		name := definitions[o.Name]
		operator := fmt.Sprintf("[%s](operators/%s.md)", name, name)
		if name == "" {
			operator = p.gap("%s: no operator has this name in WebNN", o.Name)
		}
		p.row(spec(o.Anchor, o.Name), goForm, operator)
	}
}

// checkOperator compares the signature of a method with the one that its WebIDL gives, and looks for the section in its
// documentation.
func (p *page) checkOperator(key string, o idl.Operation) {
	name := "GraphBuilder." + title(o.Name)
	var params []string
	for _, a := range o.Args {
		t := a.Type
		if t.Name == "or" { // the first type has the plain name
			t = t.Params[0]
		}
		param, err := goType(p.doc, t)
		if err != nil {
			p.gap("%s: %v", key, err)
		}
		if a.Optional {
			param = "*" + param
		}
		params = append(params, param)
	}
	result, err := goType(p.doc, o.Result)
	if err != nil {
		p.gap("%s: %v", key, err)
	}
	d := p.decls.byName[name]
	switch {
	case d == nil: // noted already
	case !slices.Equal(d.params, params) || !slices.Equal(d.result, []string{result, "error"}):
		p.gap("%s: the method is %s; its types must be %v and %s", key, d.text, params, result)
	case !strings.Contains(d.doc, "#"+o.Anchor+"."):
		p.gap("%s: the documentation does not name the section %s", key, o.Anchor)
	}
}

// limits writes the tables of tensor limits.
func (p *page) limits() {
	p.printf("\n## Tensor limits\n\n" +
		"The data types and ranks that the tables of a method allow, and in brackets those that every implementation must\n" +
		"support, where they are others. N is any rank, which ends at 8. Concord supports all that is allowed, and `Context.OpSupportLimits` reports it:\n" +
		"but for `isNaN` and `isInfinite` the floats only, as steps of the algorithm let nothing else pass.\n\n" +
		"| methods | operand | data types | ranks |\n| --- | --- | --- | --- |\n")
	for _, l := range p.doc.Limits {
		for i, r := range l.Rows {
			names := ""
			if i == 0 {
				names = strings.Join(l.Methods, ", ")
			}
			p.printf("| %s | %s | %s | %s |\n", names, r.Operand, limitTypes(l.Rows, r), limitRanks(l.Rows, r))
		}
	}
	for _, o := range p.doc.Operators() {
		if p.doc.LimitsOf(o.Name) == nil {
			p.gap("%s: there is no table of tensor limits", o.Name)
		}
	}
}

// limitTypes writes the data types that a row allows, and in brackets those that are required where they are others.
func limitTypes(rows []idl.Row, r idl.Row) string {
	text, required := strings.Join(r.Types, ", "), strings.Join(r.RequiredTypes, ", ")
	if r.SameType != "" {
		text = "that of " + r.SameType
	}
	same := slices.ContainsFunc(rows, func(o idl.Row) bool { return o.Operand == r.SameType && slices.Equal(o.RequiredTypes, r.RequiredTypes) })
	if same || text == required {
		return text
	}
	return fmt.Sprintf("%s (%s)", text, required)
}

// limitRanks is [limitTypes] for ranks.
func limitRanks(rows []idl.Row, r idl.Row) string {
	text := r.Ranks.String()
	if r.SameRank != "" {
		text = "that of " + r.SameRank
	}
	same := slices.ContainsFunc(rows, func(o idl.Row) bool { return o.Operand == r.SameRank && o.RequiredRanks == r.RequiredRanks })
	if same || r.SameRank == "" && r.Ranks == r.RequiredRanks {
		return text
	}
	return fmt.Sprintf("%s (%s)", text, r.RequiredRanks)
}

const (
	supportLimits = "MLOpSupportLimits" // the dictionary with a member for each operator
	limitsSuffix  = "SupportLimits"     // of dictionaries with a member for each operand
)

// dictionaries writes a row for each dictionary; the types of members in WebIDL follow from those in Go by the rules above.
func (p *page) dictionaries() {
	p.printf("\n## Dictionaries\n\n" +
		"Limits of an operator are `OpSupportLimits.Operators[name]`, an `OperatorLimits`, which has a `TensorLimits` for each operand.\n\n")
	p.table("WebIDL", "Go", "members")
	for _, d := range p.doc.Dictionaries {
		ofOperands := d.Name != supportLimits && strings.HasSuffix(d.Name, limitsSuffix)
		name, declared := goName(d.Name), d.Name
		if ofOperands {
			name = "OperatorLimits"
		}
		if d.Parent != "" {
			declared += " : " + d.Parent
		}
		goForm, _ := p.form(d.Name, name)
		var members []string
		for _, m := range d.Members {
			if text := p.member(d, m, ofOperands); text != "" {
				members = append(members, text)
			}
		}
		p.row(spec(d.Anchor, declared), goForm, strings.Join(members, ", "))
		p.members += len(d.Members)
		p.checkFields(d, name, ofOperands)
	}
}

// member returns the name and type in Go of a member of a dictionary, the key alone where the type is the same for all, and nothing for the
// limits of an operator.
func (p *page) member(d idl.Dictionary, m idl.Member, ofOperands bool) string {
	switch {
	case ofOperands:
		return "`" + m.Name + "`"
	case d.Name == supportLimits && strings.HasSuffix(m.Type.Name, limitsSuffix):
		p.checkOperatorLimits(m)
		return ""
	}
	name := goName(d.Name) + "." + title(m.Name)
	goForm := p.link(d.Name+"."+m.Name, name)
	want, err := fieldType(p.doc, m)
	if err != nil {
		p.gap("%s.%s: %v", d.Name, m.Name, err)
	}
	decl := p.decls.byName[name]
	if decl == nil {
		return goForm
	}
	if d.Parent == "MLOperatorOptions" && decl.doc == "" {
		p.gap("%s.%s: the field is not documented", d.Name, m.Name)
	}
	if decl.text != want && (want != "[]int" || decl.text != "tensor.Shape") {
		p.gap("%s.%s: the field has the type %s; it must be %s", d.Name, m.Name, decl.text, want)
	}
	return fmt.Sprintf("`%s %s`", title(m.Name), decl.text)
}

// checkOperatorLimits notes operands of an operator's table of limits that are no members of its dictionary, and the reverse.
func (p *page) checkOperatorLimits(m idl.Member) {
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
}

// checkFields notes fields of an option struct that are no members of its dictionary.
func (p *page) checkFields(d idl.Dictionary, name string, ofOperands bool) {
	if ofOperands || d.Parent != "MLOperatorOptions" {
		return
	}
	for _, field := range p.decls.fields(name) {
		isMember := func(m idl.Member) bool { return title(m.Name) == field }
		if field != "Label" && !slices.ContainsFunc(d.Members, isMember) {
			p.gap("%s.%s: the dictionary has no such member", name, field)
		}
	}
	if label := p.decls.byName[name+".Label"]; label == nil || label.text != "string" {
		p.gap("%s: there is no field Label", name)
	}
}

func (p *page) enumerations() {
	p.printf("\n## Enumerations\n\n")
	p.table("WebIDL", "Go")
	for _, e := range p.doc.Enums {
		p.row(spec(e.Anchor, "enum "+e.Name), p.typeForm(e.Name))
		for _, v := range e.Values {
			p.row(fmt.Sprintf("`%q`", v), p.enumValue(e.Name, v))
		}
		for value, name := range p.decls.constants[goName(e.Name)] {
			if !slices.Contains(e.Values, value) {
				p.gap("%s: %s is no value of the enumeration", e.Name, name)
			}
		}
	}
}

func (p *page) enumValue(enum, value string) string {
	if enum == "MLOperandDataType" {
		name, err := dataTypeConstant(value)
		if err != nil {
			return p.gap("%s: %v", enum, err)
		}
		return fmt.Sprintf("[`%s`](../tensor/dtype.go)", name)
	}
	name := p.decls.constants[goName(enum)][value]
	if name == "" {
		return p.gap("%s: there is no constant for %q", enum, value)
	}
	return p.link(enum, name)
}

func (p *page) typedefs() {
	p.printf("\n## Type definitions\n\n")
	p.table("WebIDL", "Go")
	for _, t := range p.doc.Typedefs {
		p.row(spec(t.Anchor, "typedef "+t.Type.String()+" "+t.Name), p.typeForm(t.Name))
	}
}

// types writes how the types and extended attributes of WebIDL that the declarations use stand in Go. They are no members
// and do not count.
func (p *page) types() {
	used, extended := make(map[string]bool), make(map[string]bool)
	p.eachType(func(t idl.Type) {
		used[t.Name] = true
		if t.EnforceRange {
			extended["EnforceRange"] = true
		}
	}, extended)
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
			p.printf("| `%s` | %s | %s |\n", name, code(plain.goType), plain.remark)
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

// code writes a Go type as code, if there is one.
func code(s string) string {
	if s == "" || s == "none" {
		return s
	}
	return "`" + s + "`"
}

// eachType calls f for each type that the declarations use, and for the types within; it notes extended attributes.
func (p *page) eachType(f func(idl.Type), extended map[string]bool) {
	var visit func(idl.Type)
	visit = func(t idl.Type) {
		f(t)
		for _, x := range t.Params {
			visit(x)
		}
	}
	note := func(list []string) {
		for _, x := range list {
			name, _, _ := strings.Cut(x, "=")
			extended[name] = true
		}
	}
	for _, i := range p.doc.Interfaces {
		note(i.Extended)
		for _, a := range i.Attributes {
			note(a.Extended)
			visit(a.Type)
		}
		for _, o := range i.Operations {
			if o.Result.Name != "" {
				visit(o.Result)
			}
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
}

func (p *page) conclusion() {
	p.printf("\n## Count\n\n")
	if len(p.gaps) > 0 {
		p.printf("Gaps:\n\n")
		for _, g := range p.gaps {
			p.printf("- %s\n", g)
		}
		p.printf("\n")
	}
	p.printf("Of the members %d have no Go form by nature; the remark says why.\n\n", p.nothing)
	p.printf("%d members, %d gaps\n", p.members, len(p.gaps))
}
