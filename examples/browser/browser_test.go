package main_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/concord-nn/concord/internal/testdata"
)

// page is what node runs in place of a page.
type page struct{ node, support, wasm, shell, dir string }

// compile builds the program for js/wasm.
func compile(t *testing.T) *page {
	t.Helper()
	testdata.Exhaustive(t, "it compiles for js/wasm")
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("node is not installed; it runs the program that a browser would run")
	}
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	p := &page{node: node, dir: t.TempDir()}
	p.support = filepath.Join(strings.TrimSpace(string(root)), "lib", "wasm", "wasm_exec.js")
	if _, err := os.Stat(p.support); err != nil {
		t.Skipf("this installation of Go lacks what runs js/wasm: %v", err)
	}
	p.wasm = filepath.Join(p.dir, "main.wasm")
	build := exec.Command("go", "build", "-o", p.wasm, ".")
	build.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	shell, err := os.ReadFile("shell.js")
	if err != nil {
		t.Fatal(err)
	}
	p.shell = p.write(t, "shell.mjs", shell) // node takes .js for another kind of module
	return p
}

// write makes a file beside the program and returns its path.
func (p *page) write(t *testing.T, name string, contents []byte) string {
	t.Helper()
	path := filepath.Join(p.dir, name)
	if err := os.WriteFile(path, contents, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// run lets node run a script with the program and returns what it prints.
func (p *page) run(t *testing.T, script string, args ...string) []byte {
	t.Helper()
	var stderr bytes.Buffer
	run := exec.Command(p.node, append([]string{script, p.support, p.wasm, p.shell}, args...)...)
	run.Stderr = &stderr
	out, err := run.Output()
	if err != nil {
		t.Fatalf("node: %v\n%s", err, &stderr)
	}
	return out
}

// TestUnderNode runs shell_test.mjs.
func TestUnderNode(t *testing.T) {
	checkResults(t, compile(t).run(t, "shell_test.mjs"))
}

func checkResults(t *testing.T, out []byte) {
	t.Helper()
	type example struct{ Read, Into []float32 }
	type results struct {
		Calls, Session             example
		Lists                      [][]int
		Joined                     []int
		Shape                      []int
		Thrown, Rejected, Detached string
		Undefined                  string
		ReadOnly, Illegal          string
		Classes                    []bool
		Lost, Promises             []string
		Limits                     struct{ Min, Max int }
	}
	var got results
	if err := json.Unmarshal(out, &got); err != nil {
		t.Fatalf("%v in %s", err, out)
	}
	ones := example{[]float32{1, 1, 1, 1}, []float32{0, 1, 1, 1, 1, 0}} // C = 0.2 * 1 + 0.8
	want := results{
		Calls: ones, Session: ones,
		Lists:  [][]int{{42}, {42}},
		Joined: []int{0, 1, 2},
		Shape:  []int{1, 4},
		// instanceof, and the names that the interface has and has not
		Classes: []bool{true, true, true, true, true, true, true, true, true},
		Lost:    []string{"message"},
		// What returns a promise rejects, the rest throws.
		Promises: []string{"rejects", "rejects", "rejects", "rejects", "rejects", "throws", "throws",
			"rejects", "rejects", "rejects", "throws", "throws"},
	}
	want.Limits.Max = 8
	for _, e := range []struct {
		got  *string
		want string
	}{
		{&got.Thrown, "TypeError: MLGraphBuilder.input: descriptor: shape: item 0"},
		{&got.Rejected, "TypeError: [soft] MLGraphBuilder.softmax: "},
		{&got.Detached, "TypeError: "},
		{&got.ReadOnly, "TypeError: Cannot set property shape"},
		{&got.Illegal, "TypeError: Illegal constructor"},
		{&got.Undefined, "TypeError: MLGraphBuilder.concat: "},
	} {
		if !strings.HasPrefix(*e.got, e.want) {
			t.Errorf("the error is %q; want %q", *e.got, e.want)
		}
		*e.got = ""
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v; want %+v", got, want)
	}
}
