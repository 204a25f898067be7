package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// A page compiles and does not compute: what Go's references and kernels compute, modules compute with the references of engine/wasm, which are
// WebAssembly already. So functions that nothing but a run, an exporter or a test calls lose their bodies, and tables of kernels their rows, in copies of
// the source files that the compiler is given in their place (go help build, -overlay).

// cut says what a package loses.
type cut struct {
	folder string
	// The functions with a receiver or a parameter of one of these types lose their bodies.
	params []string
	// The functions with one of these results return what it says.
	results map[string]string
	// The variables, as path.Match names them, have the zero value of a type.
	vars map[string]string
	// Declarations that the package has more.
	more string
	// Files that the package has not.
	files []string
}

const kernel = "func(*Call, int, int)"

var cuts = []cut{
	{
		folder:  "op",
		params:  []string{"*Rand", "*Expansion", kernel},
		results: map[string]string{"Kernel": "cutKernel", "*Lane": "nil", "laneRule": "nil"},
		more:    `func cutKernel(*Call, int, int) { panic("this program has no references: op.Evaluate is not set") }`,
	},
	{
		folder: "internal/kernel",
		vars:   map[string]string{"Tiers": "[]Tier", "portable": "Tier", "*Kernels": "[]Kernel"},
	},
	{
		folder: "internal/simd",
		vars:   map[string]string{"routines*": "Routines"},
	},
	{folder: "tensor", files: []string{"npz.go"}},
}

// gone is the body of a function that lost its own.
const gone = `{ panic("this program only compiles") }`

// reduce writes the source files that differ to a folder, and returns the file for -overlay.
func reduce(root, folder string) (string, error) {
	replace := make(map[string]string)
	for i := range cuts {
		if err := cuts[i].apply(root, folder, replace); err != nil {
			return "", fmt.Errorf("%s: %w", cuts[i].folder, err)
		}
	}
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	name := filepath.Join(folder, "overlay.json")
	return name, os.WriteFile(name, text, 0o666)
}

// apply writes the files of a package.
func (c *cut) apply(root, folder string, replace map[string]string) error {
	names, err := filepath.Glob(filepath.Join(root, c.folder, "*.go"))
	if err != nil {
		return err
	}
	left := maps.Clone(c.vars) // what no variable was found for
	write := func(name, text string) error {
		replace[name] = filepath.Join(folder, strings.ReplaceAll(c.folder, "/", "_")+"_"+filepath.Base(name))
		return os.WriteFile(replace[name], []byte(text), 0o666)
	}
	for _, name := range names {
		switch {
		case strings.HasSuffix(name, "_test.go"):
			continue
		case slices.Contains(c.files, filepath.Base(name)):
			replace[name] = ""
			continue
		}
		source, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		f, err := parseFile(name, source)
		if err != nil {
			return err
		}
		if c.edit(f, left); len(f.edits) > 0 {
			if err := write(name, f.text()); err != nil {
				return err
			}
		}
	}
	for name := range left {
		return fmt.Errorf("there is no variable %s with a value", name)
	}
	if c.more == "" {
		return nil
	}
	return write(filepath.Join(root, c.folder, "cut.go"), "package "+filepath.Base(c.folder)+"\n\n"+c.more+"\n")
}

// file is a source file with texts that are put into it.
type file struct {
	*ast.File
	set    *token.FileSet
	source []byte
	edits  []edit
}

// edit is a text that is put at an offset.
type edit struct {
	at   int
	text string
}

func parseFile(name string, source []byte) (*file, error) {
	f := &file{set: token.NewFileSet(), source: source}
	var err error
	f.File, err = parser.ParseFile(f.set, name, source, parser.SkipObjectResolution)
	return f, err
}

func (f *file) at(p token.Pos) int { return f.set.Position(p).Offset }

// between returns the source from one position to another.
func (f *file) between(from, to token.Pos) string { return string(f.source[f.at(from):f.at(to)]) }

func (f *file) put(p token.Pos, text string) { f.edits = append(f.edits, edit{f.at(p), text}) }

// text returns the file with its edits.
func (f *file) text() string {
	slices.SortStableFunc(f.edits, func(a, b edit) int { return a.at - b.at })
	var b bytes.Buffer
	last := 0
	for _, e := range f.edits {
		b.Write(f.source[last:e.at])
		b.WriteString(e.text)
		last = e.at
	}
	b.Write(f.source[last:])
	return b.String()
}

// edit cuts what the file has. What it cuts stays in functions without a name, which are checked and not compiled: so that all imports and variables are
// used, and no line moves.
func (c *cut) edit(f *file, left map[string]string) {
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if body := c.body(f, d); body != "" {
				receiver := ""
				if d.Recv != nil {
					receiver = f.between(d.Recv.Pos(), d.Recv.End())
				}
				f.put(d.Body.Pos(), body+"; func "+receiver+" _"+f.between(d.Name.End(), d.Body.Pos()))
				continue
			}
		case *ast.GenDecl:
			if s, ok := d.Specs[0].(*ast.ValueSpec); ok && len(d.Specs) == 1 && len(s.Values) == 1 {
				if pattern := c.pattern(s.Names[0].Name); pattern != "" {
					f.put(s.Names[0].End(), " "+c.vars[pattern]+"; func _() { _ ")
					f.put(s.Values[0].End(), "}")
					delete(left, pattern)
					continue
				}
			}
		}
		ast.Inspect(d, func(n ast.Node) bool {
			if l, ok := n.(*ast.FuncLit); ok && c.loses(f, l.Type) {
				f.put(l.Body.Lbrace+1, " panic(0); ")
				return false
			}
			return true
		})
	}
}

// pattern returns that of vars which a variable's name matches, "" if there is none.
func (c *cut) pattern(name string) string {
	for p := range c.vars {
		if ok, _ := path.Match(p, name); ok {
			return p
		}
	}
	return ""
}

// body returns the body that a function gets, "" if it keeps its own.
func (c *cut) body(f *file, d *ast.FuncDecl) string {
	if d.Body == nil {
		return ""
	}
	if d.Recv != nil && slices.Contains(c.params, f.between(d.Recv.List[0].Type.Pos(), d.Recv.List[0].Type.End())) || c.loses(f, d.Type) {
		return gone
	}
	if r := d.Type.Results; r != nil && len(r.List) == 1 && c.results[f.between(r.List[0].Type.Pos(), r.List[0].Type.End())] != "" {
		return "{ return " + c.results[f.between(r.List[0].Type.Pos(), r.List[0].Type.End())] + " }"
	}
	return ""
}

// loses reports whether functions of a type lose their bodies.
func (c *cut) loses(f *file, t *ast.FuncType) bool {
	var types []string
	for _, p := range t.Params.List {
		for range max(1, len(p.Names)) {
			types = append(types, f.between(p.Type.Pos(), p.Type.End()))
		}
	}
	signature := "func(" + strings.Join(types, ", ") + ")"
	return slices.Contains(c.params, signature) && t.Results == nil || slices.ContainsFunc(types, func(s string) bool { return slices.Contains(c.params, s) })
}
