package limits

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/concord-nn/concord/internal/testdata"
)

// TestTable holds each row to what a reader needs, and the constants to being rows.
func TestTable(t *testing.T) {
	name := regexp.MustCompile(`^[a-z]+(\.[a-zA-Z]+)+$`)
	seen := make(map[string]bool)
	for _, r := range All {
		if !name.MatchString(r.Name) || seen[r.Name] {
			t.Errorf("the name %q is taken or none", r.Name)
		}
		seen[r.Name] = true
		if r.Value <= 0 || r.Unit == "" || !strings.HasSuffix(r.Bounds, ".") || r.Beyond == "" {
			t.Errorf("%s: value, unit, a sentence and what happens beyond must be given", r.Name)
		}
	}
	constants, values := source(t)
	for c := range constants {
		if values[c] != 1 {
			t.Errorf("the constant %s is the value of %d rows; it must be that of one", c, values[c])
		}
	}
	if len(values) != len(constants) || len(All) != len(constants) {
		t.Error("the value of each row must be a constant of its own")
	}
}

// TestRowsAreReached holds that the test of every row is there.
func TestRowsAreReached(t *testing.T) {
	tests := make(map[string]map[string]bool) // by folder
	for _, r := range All {
		at := strings.LastIndex(r.Test, ".")
		folder, test := r.Test[:max(at, 0)], r.Test[at+1:]
		if tests[folder] == nil {
			tests[folder] = testsIn(t, filepath.Join(testdata.Root(t), folder))
		}
		if !tests[folder][test] {
			t.Errorf("%s: there is no test %s", r.Name, r.Test)
		}
	}
}

// TestConstantsAreUsed looks for each constant in the source: a bound that nothing takes from here is none.
func TestConstantsAreUsed(t *testing.T) {
	used, use := make(map[string]bool), regexp.MustCompile(`limits\.([A-Z]\w*)`)
	err := filepath.WalkDir(testdata.Root(t), func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Name() == ".git" {
			return fs.SkipDir
		}
		use := use
		if filepath.Dir(path) == filepath.Join(testdata.Root(t), "internal", "limits") {
			use = regexp.MustCompile(`\b([A-Z]\w*)`)
			if d.Name() == "table.go" {
				return err
			}
		}
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		for _, m := range use.FindAllSubmatch(text, -1) {
			used[string(m[1])] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	constants, _ := source(t)
	for c := range constants {
		if !used[c] {
			t.Errorf("nothing uses limits.%s", c)
		}
	}
}

// source returns the constants of the table, and how often each stands as the value of a row.
func source(t *testing.T) (constants map[string]bool, values map[string]int) {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), "table.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	constants, values = make(map[string]bool), make(map[string]int)
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GenDecl:
			if n.Tok == token.CONST {
				for _, s := range n.Specs {
					constants[s.(*ast.ValueSpec).Names[0].Name] = true
				}
			}
		case *ast.CompositeLit:
			if n.Type == nil { // a row
				values[n.Elts[1].(*ast.Ident).Name]++
			}
		}
		return true
	})
	return constants, values
}

// testsIn returns the tests of a folder, on whatever processor they run.
func testsIn(t *testing.T, folder string) map[string]bool {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(folder, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	tests := make(map[string]bool)
	for _, name := range names {
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && strings.HasPrefix(fn.Name.Name, "Test") {
				tests[fn.Name.Name] = true
			}
		}
	}
	return tests
}
