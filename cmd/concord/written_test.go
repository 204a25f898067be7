package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/concord-nn/concord/internal/escape"
	"github.com/concord-nn/concord/onnx/proto"
)

// foreign is a text that terminals obey: an escape sequence, one of a single character, a change of direction, and a delete.
const foreign = "\x1b[31mRED\x1b]0;pwned\a\u009b31m\u202e\x7f"

// TestNothingObeyed gives every command files with such names, and models with such text in all places that take it.
func TestNothingObeyed(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("file names have no control characters")
	}
	dir := filepath.Join(t.TempDir(), "d"+foreign)
	at := func(name string) string { return filepath.Join(dir, name) }
	for _, part := range []string{"check", "cvm", "diff", "quant", "session"} {
		if err := os.CopyFS(at(part), os.DirFS(filepath.Join("testdata", part))); err != nil {
			t.Fatal(err)
		}
	}
	write := func(name, text string) {
		if err := os.WriteFile(at(name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"messy.nnef", "net.nnef", "old.nnef"} {
		write(name, readString(t, "testdata", name))
	}
	write("comments.nnef", "version 1.0;\ngraph n( x ) -> ( y )\n{\n    x = external(shape = [1, 10]); # "+foreign+"\n    w = variable(shape = [1, 10], label = 'layer');\n    y = add(x, w);\n}\n")
	write("mistake.nnef", "version 1.0;\ngraph n( x ) -> ( y )\n{\n    x = external(shape = [1]);\n    y = copy('"+foreign+"'); # "+foreign+"\n}\n")
	write("labels.txt", strings.Repeat("l"+foreign+"\n", 10))
	write("model.concord.json", `{"version": 1, "`+foreign+`": 1}`)
	name := func(s string) string { return s + foreign }
	g := &proto.Graph{
		Name: name("graph"),
		Node: []*proto.Node{
			{Name: name("first"), OpType: "Relu", Input: []string{name("x")}, Output: []string{name("t")}, Doc: foreign},
			{Name: name("second"), OpType: "Gelu", Input: []string{name("t")}, Output: []string{name("y")}},
		},
	}
	tensorType := &proto.Type{Tensor: &proto.TensorType{ElemType: proto.Float, Shape: &proto.Shape{Dim: []*proto.Dim{{Value: 2, Known: true}}}}}
	g.Input = []*proto.ValueInfo{{Name: name("x"), Type: tensorType}}
	g.Output = []*proto.ValueInfo{{Name: name("y"), Type: tensorType}}
	model := &proto.Model{IRVersion: 10, ProducerName: name("producer"), OpsetImport: []*proto.OperatorSet{{Version: 20}}, Graph: g}
	if err := proto.WriteFile(at("names.onnx"), model, false); err != nil {
		t.Fatal(err)
	}
	g.Node[1].OpType = name("Nonsense")
	if err := proto.WriteFile(at("wrong.onnx"), model, false); err != nil {
		t.Fatal(err)
	}
	for _, args := range []string{
		"check comments.nnef", "check mistake.nnef", "check check/several.nnef", "check check/warnings.nnef session/cut.json session/wrong.json session/ok.json", "check session/method.json",
		"check names.onnx", "check wrong.onnx", "check --json names.onnx", "check --json mistake.nnef", "check absent.nnef",
		"inspect comments.nnef", "inspect net.nnef", "inspect --compiled session/ok.json", "inspect names.onnx", "inspect wrong.onnx", "inspect --json names.onnx", "inspect session/ok.json", "inspect cvm/strokes",
		"admit cvm/strokes", "admit cvm/wrong", "admit --json cvm/wrong", "admit net.nnef",
		"shapes comments.nnef", "shapes names.onnx", "shapes mistake.nnef", "shapes --json names.onnx",
		"explain comments.nnef", "explain comments.nnef w", "explain names.onnx", "explain names.onnx second" + foreign, "explain wrong.onnx", "explain comments.nnef nope" + foreign,
		"flatten mistake.nnef", "flatten names.onnx", "flatten comments.nnef -o labels.txt", "flatten comments.nnef -o absent/flat.nnef",
		"fmt mistake.nnef", "fmt -d messy.nnef", "fmt -l messy.nnef", "fmt -w absent.nnef",
		"migrate old.nnef -o new.nnef", "migrate comments.nnef", "migrate old.nnef --check", "migrate quant --check",
		"convert names.onnx out.nnef", "convert comments.nnef out2.nnef --force", "convert names.onnx out.onnx", "convert out.nnef out.tgz", "convert wrong.onnx out3.nnef", "convert names.onnx session/ok.json", "convert names.onnx ./cvm3 --to=cvm",
		"convert net.nnef out.xyz", "convert cvm/strokes strokes.nnef",
		"export --webnn names.onnx -o ./web", "export --openvx names.onnx -o ./vx", "export --openvx names.onnx -o ./vx --type float32 --name a --check", "export --webnn wrong.onnx -o ./web",
		"diff names.onnx session/ok.json", "diff names.onnx wrong.onnx", "diff names.onnx names.onnx --run --random", "diff diff/a.nnef diff/b.nnef", "diff --json names.onnx names.onnx",
		"run names.onnx --random", "run names.onnx --random -o ./absent", "run names.onnx --random --hash", "run names.onnx --random --json", "run names.onnx --random --profile", "run names.onnx labels.txt", "run names.onnx q" + foreign + "=labels.txt",
		"run names.onnx --random --labels labels.txt", "run session/ok.json --random", "run session/cut.json --random", "run wrong.onnx --random", "run cvm/strokes cvm/strokes/rising.bin", "run names.onnx --random --manifest model.concord.json",
		"run names.onnx --random --shape x" + foreign + "=1", "run names.onnx --" + foreign, "run names.onnx --top " + foreign, "nope" + foreign, "ops nope" + foreign, "help nope" + foreign,
		"bench names.onnx --compare labels.txt --runs 1", "profile names.onnx --runs 1 --svg labels.txt", "conform cvm", "conform ./absent", "inspect names.onnx --svg ./g.svg", "manifest init names.onnx -o -", "manifest init names.onnx", "manifest init wrong.onnx", "manifest check model.concord.json",
		"run names.onnx --random --format csv", "run names.onnx --random --format ndjson", "run names.onnx --random --save nope", "run names.onnx --json labels.txt", "check --json wrong.onnx",
	} {
		var list []string
		for i, word := range strings.Split(args, " ") {
			if _, err := os.Stat(filepath.Join("testdata", word)); i > 0 && !strings.HasPrefix(word, "-") && (err == nil || strings.ContainsAny(word, "./")) {
				word = at(word)
			} else if file, ok := strings.CutPrefix(word, "q"+foreign+"="); ok {
				word = "q" + foreign + "=" + at(file)
			}
			list = append(list, word)
		}
		var b bytes.Buffer
		root := newRoot()
		root.SetArgs(list)
		root.SetIn(strings.NewReader(""))
		root.SetOut(&b)
		root.SetErr(&b)
		if err := root.ExecuteContext(t.Context()); err != nil {
			printError(&b, err)
		}
		out := b.String()
		if fit := escape.Lines(out); out != fit || out == "" {
			t.Errorf("concord %s prints what terminals obey, or nothing:\n%s", escape.Text(args), fit)
		}
		if strings.Contains(args, "--json") && strings.HasPrefix(out, "{") && !json.Valid([]byte(out)) {
			t.Errorf("concord %s: no JSON", args)
		}
	}
}

// TestOneJSON: what else writes JSON would not escape it.
func TestOneJSON(t *testing.T) {
	sources, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range sources {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasSuffix(name, "_test.go") && name != "written.go" && (bytes.Contains(text, []byte("json.NewEncoder(")) || bytes.Contains(text, []byte("json.MarshalIndent("))) {
			t.Errorf("%s writes JSON by itself; use writeJSON", name)
		}
	}
}
