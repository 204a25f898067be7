package main

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"go/types"
	"log"
	"path/filepath"
)

// structs knows where the fields of the arguments of routines lie, and constants.
type structs struct{ scope *types.Scope }

// loadStructs reads the files args_*.go of a folder, which import nothing.
func loadStructs(dir string) (*structs, error) {
	names, err := filepath.Glob(filepath.Join(dir, "args_*.go"))
	if err != nil {
		return nil, err
	}
	fset := token.NewFileSet()
	var files []*ast.File
	for _, name := range names {
		f, err := parser.ParseFile(fset, name, nil, 0)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	pkg, err := new(types.Config).Check("simd", fset, files, nil)
	if err != nil {
		return nil, fmt.Errorf("the structs of arguments: %w", err)
	}
	return &structs{pkg.Scope()}, nil
}

// offset returns where a field lies in a struct.
func (s *structs) offset(name, field string) int {
	object := s.scope.Lookup(name)
	if object == nil {
		log.Fatalf("there is no struct %s in args_*.go", name)
	}
	t := object.Type().Underlying().(*types.Struct)
	var fields []*types.Var
	for f := range t.Fields() {
		fields = append(fields, f)
	}
	for i, at := range types.SizesFor("gc", "amd64").Offsetsof(fields) {
		if fields[i].Name() == field {
			return int(at)
		}
	}
	log.Fatalf("struct %s has no field %s", name, field)
	return 0
}

// constant returns the value of a constant that the files define.
func (s *structs) constant(name string) int {
	c, ok := s.scope.Lookup(name).(*types.Const)
	if !ok {
		log.Fatalf("there is no constant %s in args_*.go", name)
	}
	v, _ := constant.Int64Val(c.Val())
	return int(v)
}

// size returns how many bytes a struct has.
func (s *structs) size(name string) int {
	return int(types.SizesFor("gc", "amd64").Sizeof(s.scope.Lookup(name).Type()))
}
