package codes_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/concord-nn/concord/internal/nnef/codes"
	"github.com/concord-nn/concord/internal/testdata"
	"github.com/concord-nn/concord/nnef/syntax"
)

// constants returns the codes that the packages of nnef declare, with the places of their declarations.
func constants(t *testing.T) map[syntax.Code]string {
	found := make(map[syntax.Code]string)
	visit := func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			spec, ok := n.(*ast.ValueSpec)
			if !ok || len(spec.Values) != 1 || !isCode(spec.Type, file.Name.Name) {
				return true
			}
			literal, ok := spec.Values[0].(*ast.BasicLit)
			if !ok {
				return true
			}
			n64, err := strconv.ParseUint(literal.Value, 10, 16)
			code := syntax.Code(n64)
			place := set.Position(spec.Pos()).String()
			if before, ok := found[code]; ok || err != nil {
				t.Errorf("%s: %v is declared at %s, too (%v)", place, code, before, err)
			}
			found[code] = place
			return true
		})
		return nil
	}
	for _, folder := range []string{"nnef", filepath.Join("internal", "nnef")} {
		if err := filepath.WalkDir(filepath.Join(testdata.Root(t), folder), visit); err != nil {
			t.Fatal(err)
		}
	}
	return found
}

// isCode tells whether a type is syntax.Code.
func isCode(x ast.Expr, pkg string) bool {
	switch x := x.(type) {
	case *ast.Ident:
		return pkg == "syntax" && x.Name == "Code"
	case *ast.SelectorExpr:
		return x.Sel.Name == "Code"
	}
	return false
}

// TestComplete holds the table to the constants.
func TestComplete(t *testing.T) {
	declared := constants(t)
	if len(declared) < 50 {
		t.Fatalf("only %d constants are found", len(declared))
	}
	for code, place := range declared {
		if _, ok := codes.Lookup(code); !ok {
			t.Errorf("%s: %v is not documented", place, code)
		}
	}
	last := syntax.Code(0)
	for _, e := range codes.All() {
		if declared[e.Code] == "" {
			t.Errorf("%v is documented but not declared", e.Code)
		}
		if e.Code <= last {
			t.Errorf("%v stands behind %v", e.Code, last)
		}
		if e.Title == "" || !strings.HasSuffix(e.Rule, ".") || (e.Wrong == "") != (e.Right == "") || e.Code.Class().String() == "unknown" ||
			(e.Level == "warning") != (e.Code%100 >= 90) {
			t.Errorf("%v is documented badly: %+v", e.Code, e)
		}
		last = e.Code
	}
}

func TestLookup(t *testing.T) {
	for _, e := range codes.All() {
		if got, ok := codes.Lookup(e.Code); !ok || got != e {
			t.Errorf("%v is not found", e.Code)
		}
	}
	if e, ok := codes.Lookup(100); ok {
		t.Errorf("there is %+v", e)
	}
}

func TestParse(t *testing.T) {
	for _, text := range []string{"NNEF0701", "nnef0701", "0701", "701"} {
		if code, err := codes.Parse(text); err != nil || code != 701 {
			t.Errorf("%s: %v, %v", text, code, err)
		}
	}
	for _, text := range []string{"", "NNEF", "E701", "NNEF-1", "70100000"} {
		if code, err := codes.Parse(text); err == nil {
			t.Errorf("%s: %v", text, code)
		}
	}
}

func TestDocument(t *testing.T) {
	for example, want := range map[string][]codes.File{
		"y = x;\n-- graph.quant --\n# none": {
			{"graph.nnef", "version 1.0;\nextension KHR_enable_operator_expressions;\n\ngraph net( x ) -> ( y )\n{\n" +
				"    x = external(shape = [1, 3, 8, 8]);\n    y = x;\n}\n"},
			{"graph.quant", "# none\n"}},
		"version 1.0;": {{"graph.nnef", "version 1.0;\n"}},
		"fragment f( x: scalar ) -> ( y: scalar );": {{"graph.nnef", "version 1.0;\nextension KHR_enable_fragment_definitions;\n\n" +
			"fragment f( x: scalar ) -> ( y: scalar );\n\ngraph net( x ) -> ( y )\n{\n    x = external(shape = [1, 3, 8, 8]);\n    y = copy(x);\n}\n"}},
		"fragment f( x: scalar ) -> ( y: scalar );\n\ny = f(x);": {{"graph.nnef", "version 1.0;\nextension KHR_enable_fragment_definitions;\n\n" +
			"fragment f( x: scalar ) -> ( y: scalar );\n\ngraph net( x ) -> ( y )\n{\n    x = external(shape = [1, 3, 8, 8]);\n    y = f(x);\n}\n"}},
	} {
		if got := codes.Document(example); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%q: %q; want %q", example, got, want)
		}
	}
}
