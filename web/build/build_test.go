package main

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/concord-nn/concord"
	"github.com/concord-nn/concord/engine/wasm"
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/testdata"
	"github.com/concord-nn/concord/internal/testdata/single"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/webnn/export"
	"github.com/concord-nn/concord/webnn/session"
)

// TestModules compiles graphs by the program for pages, from which references and kernels are cut, and compares the modules with those that the whole
// compiler makes: a model, and generated cases of every operator, in each of which all operands are constants, some, or none.
func TestModules(t *testing.T) {
	node, out := built(t)
	cases := t.TempDir()
	want := make(map[string]string)
	m, err := concord.Open("../../examples/digits/model.nnef")
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	digits, err := m.Graph(nil)
	if err != nil {
		t.Fatal(err)
	}
	want["digits"] = written(t, cases, "digits", digits)
	for _, d := range op.All() {
		for seed, constant := range []func(i int) bool{
			func(int) bool { return true }, func(i int) bool { return i%2 == 1 }, func(i int) bool { return i == 0 }, func(int) bool { return false },
		} {
			name := fmt.Sprint(d.Name, seed)
			g, _ := single.Graph(t, d, d.Draw(op.NewRand(uint64(seed), 4)), constant)
			if hash := written(t, cases, name, g); hash != "" {
				want[name] = hash
			}
		}
	}
	if len(want) < len(op.All()) {
		t.Errorf("only %d cases can be said in WebNN", len(want))
	}
	var stderr bytes.Buffer
	run := exec.Command(node, "testdata/hashes.mjs", out, cases)
	run.Stderr = &stderr
	text, err := run.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, stderr.String())
	}
	for lines := bufio.NewScanner(bytes.NewReader(text)); lines.Scan(); {
		name, got, _ := strings.Cut(lines.Text(), " ")
		if got != want[name] {
			t.Errorf("%s: the program makes %s, the compiler %s", name, got, want[name])
		}
		delete(want, name)
	}
	for name := range want {
		t.Errorf("%s: the program says nothing", name)
	}
}

// written writes a graph as a session to a folder and returns what must become of it, "" if WebNN cannot say it.
func written(t *testing.T, folder, name string, g *graph.Graph) string {
	t.Helper()
	m, err := export.New(g, export.Options{})
	if err != nil {
		return ""
	}
	files, err := m.Files("weights")
	if err != nil {
		t.Fatal(err)
	}
	weights := testdata.Written(t, files.Weights)
	made, err := compiled(files.Session, weights)
	if err != nil {
		return err.Error()
	}
	for suffix, content := range map[string][]byte{".json": files.Session, ".bin": weights} {
		if err := os.WriteFile(filepath.Join(folder, name+suffix), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	hash := sha256.New()
	hash.Write(made.Code)
	hash.Write(testdata.Written(t, made.WriteWeights))
	return hex.EncodeToString(hash.Sum(nil))
}

// compiled is what the program does with a session.
func compiled(text, weights []byte) (*wasm.Module, error) {
	s, err := session.Decode(text, weights, nil)
	if err != nil {
		return nil, err
	}
	g, err := s.Graph(nil)
	if err != nil {
		return nil, err
	}
	return wasm.Compile(g, wasm.Options{Level: wasm.Fused})
}

// TestCuts: each file that the program is built from is Go, and every cut cuts something.
func TestCuts(t *testing.T) {
	for _, c := range cuts {
		replace := make(map[string]string)
		if err := c.apply("../..", t.TempDir(), replace); err != nil {
			t.Errorf("%s: %v", c.folder, err)
		}
		if len(replace) == 0 {
			t.Errorf("%s loses nothing", c.folder)
		}
		for _, name := range replace {
			if name == "" {
				continue
			}
			source, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := parseFile(name, source); err != nil {
				t.Error(err)
			}
		}
	}
	if err := (&cut{folder: "op", vars: map[string]string{"nothing": "int"}}).apply("../..", t.TempDir(), make(map[string]string)); err == nil {
		t.Error("a variable that does not exist is cut")
	}
}

// TestSegments writes memory as a data section and reads it again.
func TestSegments(t *testing.T) {
	memory := make([]byte, 5000)
	for _, i := range []int{0, 1, 600, 1112, 1624, 1626, 4999} { // with gaps of 511 and more
		memory[i] = byte(i) | 1
	}
	section := segments(memory)
	got, err := initial(section)
	if err != nil || !bytes.Equal(got, memory) {
		t.Errorf("got %v, %v", got, err)
	}
	if section[0] != 3 {
		t.Errorf("there are %d segments", section[0])
	}
	for n := range section {
		if _, err := initial(section[:n]); n > 0 && !errors.Is(err, errDamaged) {
			t.Errorf("the first %d bytes: %v", n, err)
		}
	}
	if err := dropLines(memory); !errors.Is(err, errLines) {
		t.Errorf("got %v", err)
	}
}
