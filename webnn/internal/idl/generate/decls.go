package main

import (
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
)

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
