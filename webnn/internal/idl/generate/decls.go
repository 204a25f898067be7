package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"strconv"
	"strings"
)

// declaration is an exported declaration of a Go package.
type declaration struct {
	name     string // without the type of a method or field
	file     string // the base name of its file
	doc      string // the comment
	text     string // methods and functions: name and signature; types and fields: the type; constants: the value
	function bool   // a method or function, with the types of its parameters and results
	params   []string
	result   []string
}

// declarations of a package: types and functions by their names, methods and fields as "Type.Name".
type declarations struct {
	byName    map[string]*declaration
	constants map[string]map[string]string // the name of the string constant with a value, by type and value
}

// readDeclarations parses the files of a package but not its tests.
func readDeclarations(dir string) (*declarations, error) {
	d := &declarations{byName: make(map[string]*declaration), constants: make(map[string]map[string]string)}
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, err
	}
	for _, path := range files {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments)
		if err != nil {
			return nil, err
		}
		for _, decl := range f.Decls {
			switch decl := decl.(type) {
			case *ast.FuncDecl:
				d.addFunc(filepath.Base(path), decl)
			case *ast.GenDecl:
				for _, spec := range decl.Specs {
					d.addSpec(filepath.Base(path), decl, spec)
				}
			}
		}
	}
	return d, nil
}

func (d *declarations) addFunc(file string, f *ast.FuncDecl) {
	if !f.Name.IsExported() {
		return
	}
	name := f.Name.Name
	if f.Recv != nil {
		receiver := f.Recv.List[0].Type
		if star, ok := receiver.(*ast.StarExpr); ok {
			receiver = star.X
		}
		name = types.ExprString(receiver) + "." + name
	}
	d.byName[name] = &declaration{
		name:     f.Name.Name,
		file:     file,
		function: true,
		text:     f.Name.Name + strings.TrimPrefix(types.ExprString(f.Type), "func"),
		doc:      f.Doc.Text(),
		params:   fieldTypes(f.Type.Params),
		result:   fieldTypes(f.Type.Results),
	}
}

// fieldTypes lists the types of parameters or results, one for each name.
func fieldTypes(list *ast.FieldList) []string {
	var out []string
	if list == nil {
		return nil
	}
	for _, f := range list.List {
		for range max(len(f.Names), 1) {
			out = append(out, types.ExprString(f.Type))
		}
	}
	return out
}

func (d *declarations) addSpec(file string, decl *ast.GenDecl, spec ast.Spec) {
	switch spec := spec.(type) {
	case *ast.TypeSpec:
		d.addType(file, decl, spec)
	case *ast.ValueSpec:
		if decl.Tok != token.CONST {
			return
		}
		for i, name := range spec.Names {
			if spec.Type == nil || i >= len(spec.Values) || !name.IsExported() {
				continue
			}
			literal, ok := spec.Values[i].(*ast.BasicLit)
			if !ok {
				continue
			}
			value, err := strconv.Unquote(literal.Value)
			if err != nil {
				continue
			}
			typ := types.ExprString(spec.Type)
			if d.constants[typ] == nil {
				d.constants[typ] = make(map[string]string)
			}
			d.constants[typ][value] = name.Name
			d.byName[name.Name] = &declaration{name: name.Name, file: file, text: literal.Value}
		}
	}
}

func (d *declarations) addType(file string, decl *ast.GenDecl, spec *ast.TypeSpec) {
	if !spec.Name.IsExported() {
		return
	}
	doc := spec.Doc.Text()
	if doc == "" {
		doc = decl.Doc.Text()
	}
	d.byName[spec.Name.Name] = &declaration{name: spec.Name.Name, file: file, text: types.ExprString(spec.Type), doc: doc}
	s, ok := spec.Type.(*ast.StructType)
	if !ok {
		return
	}
	for _, f := range s.Fields.List {
		for _, name := range f.Names {
			if name.IsExported() {
				d.byName[spec.Name.Name+"."+name.Name] = &declaration{
					name: name.Name, file: file, text: types.ExprString(f.Type), doc: f.Doc.Text() + f.Comment.Text(),
				}
			}
		}
	}
}

// fields lists the fields of a struct type.
func (d *declarations) fields(typ string) []string {
	var out []string
	for name, decl := range d.byName {
		if field, ok := strings.CutPrefix(name, typ+"."); ok && !decl.function {
			out = append(out, field)
		}
	}
	return out
}

// link writes a declaration as a link to its file, from the folder docs.
func (d *declarations) link(name, text string) (string, error) {
	decl := d.byName[name]
	if decl == nil {
		return "", fmt.Errorf("package webnn does not declare %s", name)
	}
	return fmt.Sprintf("[`%s`](../webnn/%s)", text, decl.file), nil
}
