package main

import (
	"bytes"
	_ "embed"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"text/template"

	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/webnn/internal/idl"
)

// coverageFile is the page, from the root of the repository.
const coverageFile = "docs/webnn-coverage.md"

//go:embed coverage.md.tmpl
var coverageTemplate string

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
	parsed, err := template.New("coverage").Funcs(template.FuncMap{
		"interface": p.iface, "operator": p.operator, "limits": p.limits, "dictionary": p.dictionary,
		"enumeration": p.enumeration, "typedef": p.typedef, "count": p.count,
	}).Parse(coverageTemplate)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = parsed.Execute(&b, doc)
	p.text = b.Bytes()
	return p, err
}

func (p *page) gap(format string, args ...any) string {
	p.gaps = append(p.gaps, fmt.Sprintf(format, args...))
	return "**gap**"
}

// spec writes WebIDL as a link to the section of the standard.
func spec(anchor, text string) string {
	return fmt.Sprintf("[`%s`](https://www.w3.org/TR/webnn/#%s)", text, anchor)
}

// row writes a member, which counts.
func (p *page) row(cells ...string) string {
	p.members++
	return "| " + strings.Join(cells, " | ") + " |\n"
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

func (p *page) iface(i idl.Interface) string {
	kind := "interface "
	if i.Mixin {
		kind += "mixin "
	}
	rows := ""
	member := func(anchor, text, key, name string) {
		goForm, remark := p.form(key, name)
		rows += p.row(spec(anchor, text), goForm, remark)
	}
	member(i.Anchor, kind+i.Name, i.Name, goName(i.Name))
	for _, by := range i.IncludedBy {
		member(i.Anchor, by+" includes "+i.Name, by, by)
	}
	for _, a := range i.Attributes {
		member(i.Anchor, "readonly attribute "+a.Type.String()+" "+a.Name, i.Name+"."+a.Name, goName(i.Name)+"."+title(a.Name))
	}
	for _, o := range i.Operations {
		if !slices.ContainsFunc(p.doc.Operators(), func(x idl.Operation) bool { return x.Name == o.Name }) {
			member(o.Anchor, o.String(), i.Name+"."+o.Key(), goName(i.Name)+"."+title(o.Name))
		}
	}
	return rows
}

// operator writes a method of MLGraphBuilder that makes operands from operands, with the operator of package op that it becomes.
func (p *page) operator(o idl.Operation) string {
	key := "MLGraphBuilder." + o.Key()
	goForm := p.link(key, "GraphBuilder."+title(o.Name))
	if second := p.words.names[o.Name]; second != "" {
		goForm += "<br>" + p.link(key, "GraphBuilder."+second)
	}
	operator := ""
	for _, d := range op.All() {
		if d.Spec.WebNN == o.Name {
			operator = fmt.Sprintf("[%s](operators/%s.md)", d.Name, d.Name)
		}
	}
	if operator == "" {
		operator = p.gap("%s: no operator has this name in WebNN", o.Name)
	}
	return p.row(spec(o.Anchor, o.Name), goForm, operator)
}

// limits writes the rows of a table of tensor limits, which do not count. What is required stands in brackets where it is something else.
func (p *page) limits(l idl.Limits) (rows string) {
	names := strings.Join(l.Methods, ", ")
	for _, r := range l.Rows {
		types, ranks := strings.Join(r.Types, ", "), r.Ranks.String()
		if r.SameType != "" {
			types = "that of " + r.SameType
		}
		if r.SameRank != "" {
			ranks = "that of " + r.SameRank
		}
		same := func(is func(o idl.Row) bool) bool { return slices.ContainsFunc(l.Rows, is) }
		if required := strings.Join(r.RequiredTypes, ", "); types != required &&
			!same(func(o idl.Row) bool { return o.Operand == r.SameType && slices.Equal(o.RequiredTypes, r.RequiredTypes) }) {
			types += " (" + required + ")"
		}
		if required := r.RequiredRanks; (r.SameRank != "" || r.Ranks != required) &&
			!same(func(o idl.Row) bool { return o.Operand == r.SameRank && o.RequiredRanks == required }) {
			ranks += " (" + required.String() + ")"
		}
		rows += fmt.Sprintf("| %s | %s | %s | %s |\n", names, r.Operand, types, ranks)
		names = ""
	}
	return rows
}

const (
	supportLimits = "MLOpSupportLimits" // the dictionary with a member for each operator
	limitsSuffix  = "SupportLimits"     // of dictionaries with a member for each operand
)

// dictionary writes a row for a dictionary; the types of members in WebIDL follow from those in Go by the rules above.
func (p *page) dictionary(d idl.Dictionary) string {
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
		switch {
		case ofOperands:
			members = append(members, "`"+m.Name+"`")
		case d.Name == supportLimits && strings.HasSuffix(m.Type.Name, limitsSuffix):
			p.checkOperatorLimits(m)
		default:
			field := name + "." + title(m.Name)
			if form := p.link(d.Name+"."+m.Name, field); p.decls[field].text == "" {
				members = append(members, form)
			} else {
				members = append(members, fmt.Sprintf("`%s %s`", title(m.Name), p.decls[field].text))
			}
		}
	}
	p.members += len(d.Members)
	return p.row(spec(d.Anchor, declared), goForm, strings.Join(members, ", "))
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

func (p *page) enumeration(e idl.Enum) string {
	rows := p.row(spec(e.Anchor, "enum "+e.Name), p.typeForm(e.Name))
	for _, v := range e.Values {
		goForm := ""
		if e.Name != dataTypes {
			goForm = p.link(e.Name, p.words.names[e.Name+"."+v])
		} else if constant, err := dataTypeConstant(v); err == nil {
			goForm = fmt.Sprintf("[`%s`](../tensor/dtype.go)", constant)
		} else {
			goForm = p.gap("%s: %v", e.Name, err)
		}
		rows += p.row(fmt.Sprintf("`%q`", v), goForm)
	}
	return rows
}

func (p *page) typedef(t idl.Typedef) string {
	return p.row(spec(t.Anchor, "typedef "+t.Type.String()+" "+t.Name), p.typeForm(t.Name))
}

// count ends the page.
func (p *page) count() string {
	text := ""
	if len(p.gaps) > 0 {
		text = "Gaps:\n\n- " + strings.Join(p.gaps, "\n- ") + "\n\n"
	}
	return fmt.Sprintf("%sOf the members %d have no Go form by nature; the remark says why.\n\n%d members, %d gaps\n",
		text, p.nothing, p.members, len(p.gaps))
}

// form is the Go form of a member that does not follow the rule: the names of declarations, and a remark. Without names the
// remark says why Go has nothing like it.
type form struct {
	names  []string
	remark string
}

// forms has the members that do not follow the rule that a member is a declaration of the same name, by interface and
// overload.
var forms = map[string]form{
	"Navigator":                   {nil, noPage},
	"WorkerNavigator":             {nil, noPage},
	"NavigatorML":                 {nil, noPage},
	"NavigatorML.ml":              {[]string{"ML"}, "the zero value is ready"},
	"ML.createContext(gpuDevice)": {nil, "Concord computes on the processor"},
	"MLContext.lost": {[]string{"Context.Lost", "Context.LostInfo"},
		"a channel that is closed, and the reason"},
	"MLContext.readTensor(tensor)": {[]string{"Context.ReadTensor", "Context.EnqueueRead"},
		"waiting for the bytes, or for later"},
	"MLContext.readTensor(tensor, outputData)": {[]string{"Context.ReadTensorInto"}, ""},
	"MLGraphBuilder.constructor(context)":      {[]string{"NewGraphBuilder"}, ""},
	"MLGraphBuilder.constant(dataType, value)": {[]string{"GraphBuilder.ConstantNumber"}, ""},
	"MLGraphBuilder.constant(tensor)":          {[]string{"GraphBuilder.ConstantTensor"}, ""},
	"MLDataTypeList":                           {nil, "`[]tensor.DType`"},
	"MLOperandDataType":                        {nil, "`tensor.DType`; `DataTypes` lists its values"},
}

const noPage = "there is no page; the zero value of `ML` is the entry"

// declaration is a declaration of a Go package.
type declaration struct {
	name     string // without the type of a method or field
	file     string // the base name of its file
	text     string // methods and functions: name and signature; fields: the type
	function bool
}

// declarations of a package: types, functions and constants by their names, methods and fields as "Type.Name".
type declarations map[string]declaration

// readDeclarations parses the files of a package but not its tests.
func readDeclarations(dir string) (declarations, error) {
	d := make(declarations)
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, err
	}
	for _, path := range files {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			return nil, err
		}
		file := filepath.Base(path)
		for _, decl := range f.Decls {
			switch decl := decl.(type) {
			case *ast.FuncDecl:
				d.addFunc(file, decl)
			case *ast.GenDecl:
				for _, spec := range decl.Specs {
					d.addSpec(file, spec)
				}
			}
		}
	}
	return d, nil
}

func (d declarations) addFunc(file string, f *ast.FuncDecl) {
	name := f.Name.Name
	if f.Recv != nil {
		name = strings.TrimPrefix(written(f.Recv.List[0].Type), "*") + "." + name
	}
	d[name] = declaration{f.Name.Name, file, f.Name.Name + strings.TrimPrefix(written(f.Type), "func"), true}
}

func (d declarations) addSpec(file string, spec ast.Spec) {
	switch spec := spec.(type) {
	case *ast.ValueSpec:
		for _, name := range spec.Names {
			d[name.Name] = declaration{name: name.Name, file: file}
		}
	case *ast.TypeSpec:
		d[spec.Name.Name] = declaration{name: spec.Name.Name, file: file}
		if s, ok := spec.Type.(*ast.StructType); ok {
			for _, f := range s.Fields.List {
				for _, name := range f.Names {
					d[spec.Name.Name+"."+name.Name] = declaration{name.Name, file, written(f.Type), false}
				}
			}
		}
	}
}

// written is an expression as its file has it.
func written(e ast.Expr) string {
	var b strings.Builder
	if err := format.Node(&b, token.NewFileSet(), e); err != nil {
		return err.Error()
	}
	return b.String()
}
