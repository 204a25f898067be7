package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const (
	untidyGraph = "version 1.0;\ngraph net( x )->( y ) { # first\n x = external(shape=[1]); y = relu( x );}\n"
	tidyGraph   = "version 1.0;\n\ngraph net( x ) -> ( y )\n{\n    # first\n    x = external(shape = [1]);\n    y = relu(x);\n}\n"
	untidyQuant = "'x':linear_quantize(min=-1.0,max=1.50,bits=8);\n"
	tidyQuant   = "\"x\": linear_quantize(min = -1.0, max = 1.5, bits = 8);\n"
	brokenGraph = "version 1.0;\ngraph net( x ) -> ( y ) { y = relu(x; }\n"
)

// writeFiles writes files into a new folder and returns it.
func writeFiles(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func readString(t *testing.T, elem ...string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(elem...))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestFmt(t *testing.T) {
	dir := writeFiles(t, map[string]string{"graph.nnef": untidyGraph, "graph.quant": untidyQuant, "broken.nnef": brokenGraph,
		"model.tgz": "", "old.nnef": "version 1.0\ngraph g( x ) -> ( y ) { x = external(shape = [1]) y = relu(x) }"})
	graph, quant, broken := filepath.Join(dir, "graph.nnef"), filepath.Join(dir, "graph.quant"), filepath.Join(dir, "broken.nnef")
	for _, c := range []struct {
		args string
		code int
		want string // contained in what is printed
	}{
		{graph, 0, tidyGraph},
		{quant, 0, tidyQuant},
		{dir, 0, tidyGraph + tidyQuant},
		{filepath.Join(dir, "old.nnef"), 0, "version 1.0\n\ngraph g( x ) -> ( y )\n{\n    x = external(shape = [1]);"},
		{"-l " + dir, exitFailure, graph + "\n" + quant + "\n"},
		{"-d " + quant, exitFailure, "@@ -1,1 +1,1 @@\n-" + untidyQuant + "+" + tidyQuant},
		{broken, exitInput, "expected ')' or ',' after an argument"},
		{"-w " + broken, exitInput, ""},
		{"-w -", exitUsage, "-w needs files"},
		{filepath.Join(dir, "model.tgz"), exitInput, "it is an archive"},
		{filepath.Join(dir, "none"), exitInput, "no such file"},
		{t.TempDir(), exitInput, "is no model"},
	} {
		out, code := execute(t, append([]string{"fmt"}, strings.Fields(c.args)...)...)
		if code != c.code || !strings.Contains(out, c.want) {
			t.Errorf("fmt %s: code %d\n%s", c.args, code, out)
		}
	}
	if got := readString(t, broken); got != brokenGraph {
		t.Errorf("a file with a mistake was changed:\n%s", got)
	}
	if got := readString(t, graph); got != untidyGraph {
		t.Errorf("a file was changed without -w:\n%s", got)
	}
	if out, code := execute(t, "fmt", "-w", dir); code != 0 || out != "" {
		t.Errorf("fmt -w: code %d\n%s", code, out)
	}
	if readString(t, graph) != tidyGraph || readString(t, quant) != tidyQuant {
		t.Errorf("fmt -w wrote\n%s%s", readString(t, graph), readString(t, quant))
	}
	if info, err := os.Stat(graph); err != nil || info.Mode().Perm() != 0o644 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	if out, code := execute(t, "fmt", "-l", "-d", dir); code != 0 || out != "" {
		t.Errorf("a formatted model differs: code %d\n%s", code, out)
	}
}

// TestFmtInput formats what comes from the standard input.
func TestFmtInput(t *testing.T) {
	for _, c := range []struct {
		in, args, want string
		code           int
	}{
		{untidyGraph, "", tidyGraph, 0},
		{"# codes\n" + untidyQuant, "-", "# codes\n" + tidyQuant, 0},
		{"version 1.0;\ngraph g( x ) -> ( y ) { y = relu(x) }", "--lenient", "y = relu(x);", 0},
		{"version 1.0;\ngraph g( x ) -> ( y ) { y = relu(x) }", "", "expected ';'", exitInput},
	} {
		var b bytes.Buffer
		root := newRoot()
		root.SetArgs(append([]string{"fmt"}, strings.Fields(c.args)...))
		root.SetIn(strings.NewReader(c.in))
		root.SetOut(&b)
		root.SetErr(&b)
		code := 0
		if err := root.ExecuteContext(t.Context()); err != nil {
			code = exitCode(err)
			printError(&b, err)
		}
		if code != c.code || !strings.Contains(b.String(), c.want) {
			t.Errorf("%q: code %d\n%s", c.in, code, b.String())
		}
	}
}

// TestUnified applies differences with the patch program, where there is one.
func TestUnified(t *testing.T) {
	long := make([]string, 40)
	for i := range long {
		long[i] = strings.Repeat("x", i) + "\n"
	}
	text := strings.Join(long, "")
	texts := []string{"", "a\n", "a\nb\n", "b\na\n", "a", text, strings.Replace(text, "xxx\n", "y\n", 1),
		strings.Join(append(append([]string{"new\n"}, long[:20]...), append(long[25:], "end")...), ""), strings.Repeat("a\n", 9),
		strings.Repeat("a\n", 11), text + text}
	befores, afters, changes := make(map[string]string), make(map[string]string), ""
	for _, before := range texts {
		for _, after := range texts {
			name := fmt.Sprint("text", len(afters))
			got := unified(name, name, before, after)
			if (got == "") != (before == after) {
				t.Errorf("%q and %q: %q", before, after, got)
			}
			if got == "" || before == "" {
				continue
			}
			befores[name], afters[name] = before, after
			changes += got
		}
	}
	patch, err := exec.LookPath("patch")
	if err != nil {
		return
	}
	dir := writeFiles(t, befores)
	c := exec.Command(patch, "-s")
	c.Dir, c.Stdin = dir, strings.NewReader(changes)
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for name, after := range afters {
		if after != "" && readString(t, dir, name) != after {
			t.Errorf("%q and %q: patched to %q", befores[name], after, readString(t, dir, name))
		}
	}
}
