package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/concord-nn/concord/internal/testdata"
)

// TestNumber numbers what is a guard, and only that.
func TestNumber(t *testing.T) {
	for _, c := range []struct{ body, want, reasons string }{
		{"if a { b() }", "if (a) && mutateGuard(0) { b() }", "n"},
		{"if x := f(); x || a { b() } else if !a { b() }", "if x := f(); (x || a) && mutateGuard(0) { b() } else if (!a) && mutateGuard(1) { b() }", "nn"},
		{"if err := g(); err != nil { return err }", "", ""},
		{"if err != nil { return wrap(err) }", "", ""},
		{"if err != nil { return nil }", "if (err != nil) && mutateGuard(0) { return nil }", "n"},
		{"if err == nil { return err }", "if (err == nil) && mutateGuard(0) { return err }", "n"},
		{"if err != nil { b(); return err }", "if (err != nil) && mutateGuard(0) { b(); return err }", "n"},
		{"switch {\ncase a, f():\n\tb()\ncase err != nil: return err\ndefault: b()\n}",
			"switch {\ncase (a) && mutateGuard(0), (f()) && mutateGuard(1):\n\tb()\ncase err != nil: return err\ndefault: b()\n}", "nn"},
		{"_ = func(r *Rand) { if r.Bool() { b() } }", "", ""},
		{"switch a { case true: b() }\nfor a { b() }", "", ""},
		{"if a { // Without this it takes longer.\nb() }", "if (a) && mutateGuard(0) { // Without this it takes longer.\nb() }", "y"},
		{"// What it is.\n\t// Without this it takes longer.\nif a ||\nf() { b() }",
			"// What it is.\n\t// Without this it takes longer.\nif (a ||\nf()) && mutateGuard(0) { b() }", "y"},
		{"// Without this it takes longer.\n\nif a { b() }", "// Without this it takes longer.\n\nif (a) && mutateGuard(0) { b() }", "n"},
	} {
		in := &instrumented{}
		head := "package p\n\nfunc _() error {\n"
		got, err := in.number("p.go", head+c.body+"\n}\n")
		if c.want == "" {
			c.want = c.body
		}
		reasons := ""
		for _, g := range in.guards {
			reasons += map[bool]string{true: "y", false: "n"}[g.reasoned]
		}
		if err != nil || got != head+c.want+"\n}\n" || reasons != c.reasons {
			t.Errorf("%s\nis numbered, with reasons %q: %v\n%s", c.body, reasons, err, got)
		}
	}
	in := &instrumented{only: regexp.MustCompile("p.go:4")}
	if _, err := in.number("p.go", "package p\n\nfunc _() {\nif a {}\nif b {}}"); err != nil || len(in.guards) != 1 || in.guards[0].text != "a" || in.guards[0].place != "p.go:4" {
		t.Errorf("one of two guards: %v, %v", in.guards, err)
	}
}

// TestMutate tries the guards of a package of four: the time misses one, another package's test one, nothing the others, of which one has a reason.
func TestMutate(t *testing.T) {
	testdata.Exhaustive(t, "two packages are compiled")
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module m\n\ngo 1.26\n",
		"a/a.go": `package a

func F(n int) int {
	for {
		if n <= 0 {
			break
		}
		n--
	}
	if n < 0 {
		return -1
	}
	if n == 7 { // Without this there is the same.
		return n
	}
	return n
}

func G(n int) int {
	if n == 3 {
		return 4
	}
	return n
}
`,
		"a/a_test.go": "package a\n\nimport \"testing\"\n\nfunc TestF(t *testing.T) { F(3); F(-3); G(3) }\n",
		"b/b_test.go": "package b\n\nimport (\n\t\"m/a\"\n\t\"testing\"\n)\n\nfunc TestG(t *testing.T) {\n\tif a.G(3) != 4 {\n\t\tt.Error()\n\t}\n}\n",
	} {
		if err := os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	var b strings.Builder
	survived, err := mutate(&b, strings.Fields("./a -- ./b"), "", nil, true)
	want := `a/a.go:5: n <= 0: missed by the time that it takes
a/a.go:10: n < 0: holds in 1 tests, of which none misses it
a/a.go:13: n == 7: has a reason
a/a.go:20: n == 3: missed by m/b
4 guards: 2 are missed, 1 have reasons, 1 neither
`
	if b.String() != want || survived != 1 || err != nil {
		t.Errorf("%d survived, %v:\n%s", survived, err, &b)
	}
}
