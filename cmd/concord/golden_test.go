package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/concord-nn/concord/internal/simd"
	"github.com/concord-nn/concord/internal/testdata"
	"github.com/concord-nn/concord/internal/testdata/golden"
)

// terminal runs the command in testdata and returns what a person sees: output, errors and the exit code.
func terminal(t *testing.T, stdin string, args ...string) string {
	t.Helper()
	t.Chdir("testdata")
	t.Setenv(simd.Variable, "portable") // what is planned depends on the kernels of the processor
	var b bytes.Buffer
	root := newRoot()
	root.SetArgs(args)
	root.SetIn(strings.NewReader(stdin))
	root.SetOut(&b)
	root.SetErr(&b)
	err := root.ExecuteContext(t.Context())
	code := 0
	if err != nil {
		printError(&b, err)
		code = exitCode(err)
	}
	return fmt.Sprintf("$ concord %s\n%sexit code %d\n", strings.Join(args, " "), b.String(), code)
}

// TestGolden holds what the commands that read documents print.
func TestGolden(t *testing.T) {
	document, err := os.ReadFile(filepath.Join("testdata", "net.nnef"))
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name string
		args string
	}{
		{"check-valid", "check net.nnef"},
		{"check-stdin", "check -"},
		{"check-several", "check net.nnef check/several.nnef check/absent.nnef check/warnings.nnef"},
		{"check-json", "check --json check/fragments.nnef check/warnings.nnef"},
		{"check-no-warnings", "check --no-warnings check/warnings.nnef"},
		{"check-lenient", "check --lenient check/provisional.nnef"},
		{"check-shape", "check --shape q=1 net.nnef"},
		{"check-data", "check --data net.nnef"},
		{"check-quant", "check quant/net.quant"},
		{"check-quant-alone", "check alone.quant"},
		{"check-explain", "check --explain NNEF0605"},
		{"check-explain-json", "check --explain 605 --json"},
		{"check-nothing", "check"},
		{"check-no-code", "check --explain 9999"},
		{"flatten", "flatten net.nnef"},
		{"flatten-stdin", "flatten -"},
		{"flatten-shapes", "flatten net.nnef --shapes"},
		{"flatten-all", "flatten --all open.nnef --shape x=2,8"},
		{"flatten-wrong", "flatten check/shapes.nnef"},
		{"shapes", "shapes net.nnef"},
		{"shapes-json", "shapes open.nnef --json"},
		{"shapes-open", "shapes open.nnef"},
		{"shapes-given", "shapes open.nnef --shape x=2,8"},
		{"shapes-custom", "shapes custom.nnef"},
		{"explain", "explain net.nnef"},
		{"explain-tensor", "explain net.nnef features"},
		{"explain-operation", "explain net.nnef max_pool"},
		{"explain-line", "explain net.nnef 11 29"},
		{"explain-up", "explain up.nnef up"},
		{"explain-json", "explain net.nnef pooled --json"},
		{"explain-open", "explain open.nnef"},
		{"explain-custom", "explain custom.nnef y"},
		{"explain-wrong", "explain check/shapes.nnef"},
		{"explain-nothing", "explain net.nnef nothing"},
		{"fmt-diff", "fmt -d messy.nnef"},
		{"migrate", "migrate old.nnef"},
		{"session-check", "check session/ok.json session/wrong.json session/cut.json session/method.json"},
		{"session-check-valid", "check session/ok.json"},
		{"session-check-json", "check --json session/wrong.json"},
		{"session-check-weights", "check session/weights.json"},
		{"session-check-shape", "check session/wrong.json --shape x=2,2"},
		{"session-explain", "explain session/ok.json"},
		{"session-inspect", "inspect session/ok.json"},
		{"session-run", "run session/ok.json --random"},
		{"session-run-wrong", "run session/method.json --random"},
		{"session-diff", "diff session/ok.json session/ok.json --random"},
		{"session-hash", "run session/ok.json --random --hash"},
		{"cvm-admit", "admit cvm/strokes"},
		{"cvm-admit-json", "admit cvm/strokes/graph.json --json"},
		{"cvm-admit-alone", "admit cvm/alone/graph.json"},
		{"cvm-admit-wrong", "admit cvm/wrong"},
		{"cvm-admit-wrong-json", "admit cvm/wrong --json"},
		{"cvm-admit-overlap", "admit cvm/overlap"},
		{"cvm-admit-compat", "admit cvm/overlap --compat"},
		{"cvm-admit-gas", "admit cvm/strokes --limit-gas 100"},
		{"cvm-admit-nothing", "admit cvm"},
		{"cvm-gas", "admit cvm/priced --gas"},
		{"cvm-gas-json", "admit cvm/priced --gas --json"},
		{"cvm-gas-wrong", "admit cvm/wrong --gas"},
		{"cvm-gas-wrong-json", "admit cvm/wrong --gas --json"},
		{"cvm-gas-limit", "admit cvm/priced --gas --limit-gas 43"},
		{"cvm-gas-alone", "admit cvm/priced"},
		{"cvm-inspect", "inspect cvm/strokes"},
		{"cvm-inspect-json", "inspect cvm/strokes --json"},
		{"cvm-inspect-text", "inspect cvm/strokes --text"},
		{"cvm-inspect-wrong", "inspect cvm/wrong"},
		{"cvm-inspect-alone", "inspect cvm/alone"},
		{"cvm-inspect-alone-json", "inspect cvm/alone --json"},
		{"cvm-inspect-alone-text", "inspect cvm/alone --text"},
		{"cvm-run", "run cvm/strokes cvm/strokes/rising.bin"},
		{"cvm-run-json", "run cvm/strokes cvm/strokes/rising.bin cvm/strokes/falling.bin --json --hash"},
		{"cvm-run-hash", "run cvm/strokes cvm/strokes/vertical.bin --hash"},
		{"cvm-run-hashes", "run cvm/strokes cvm/strokes/rising.bin cvm/strokes/falling.bin --hash --threads 1"},
		{"cvm-run-all", "run --compat cvm/overlap data=cvm/overlap/four.bin --hash"},
		{"cvm-run-hex", "run --compat cvm/overlap data=cvm/overlap/four.bin --hex"},
		{"cvm-run-strict", "run cvm/overlap data=cvm/overlap/four.bin --hex"},
		{"cvm-run-length", "run cvm/strokes cvm/overlap/four.bin"},
		{"cvm-run-long", "run cvm/strokes cvm/strokes/params.bin"},
		{"cvm-run-random", "run cvm/strokes --random --hash"},
		{"cvm-run-apart", "run cvm/apart --random"},
		{"cvm-run-apart-json", "run cvm/apart --random --json"},
		{"cvm-run-apart-hash", "run cvm/apart --random --hash"},
		{"cvm-run-apart-hex", "run cvm/apart --random --hex"},
		{"cvm-convert-overlap", "convert cvm/overlap absent.nnef"},
		{"cvm-export-overlap", "export --webnn cvm/overlap -o absent"},
		{"cvm-fmt", "fmt cvm/strokes/graph.json"},
		{"cvm-flatten", "flatten cvm/strokes"},
		{"cvm-migrate", "migrate cvm/strokes"},
		{"cvm-shapes", "shapes cvm/strokes"},
		{"cvm-explain", "explain cvm/strokes"},
		{"cvm-diff", "diff cvm/strokes cvm/strokes/graph.json cvm/strokes/vertical.bin"},
		{"cvm-check", "check cvm/strokes/graph.json"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := terminal(t, string(document), strings.Fields(tt.args)...)
			golden.Compare(t, filepath.Join("golden", tt.name+".txt"), got)
		})
	}
}

// TestGallery holds what check says about wrong documents.
func TestGallery(t *testing.T) {
	documents, err := filepath.Glob(filepath.Join("testdata", "check", "*.nnef"))
	if err != nil || len(documents) == 0 {
		t.Fatal(documents, err)
	}
	for _, name := range documents {
		name = filepath.ToSlash(name[len("testdata/"):])
		t.Run(name, func(t *testing.T) {
			golden.Compare(t, strings.TrimSuffix(name, ".nnef")+".txt", terminal(t, "", "check", name))
		})
	}
}

// TestJSON holds that JSON output is valid, also of models that are wrong.
func TestJSON(t *testing.T) {
	for _, args := range []string{"check --json check/several.nnef check/absent.nnef", "check --json --explain all",
		"flatten --json net.nnef", "shapes --json custom.nnef", "explain --json up.nnef", "explain --json open.nnef"} {
		out, _ := execute(t, inTestdata(args)...)
		dec := json.NewDecoder(strings.NewReader(out))
		var v any
		if err := dec.Decode(&v); err != nil {
			t.Errorf("%s: %v\n%s", args, err, out)
		}
	}
}

// inTestdata splits a command line and finds its files in testdata.
func inTestdata(line string) []string {
	args := strings.Fields(line)
	for i, a := range args {
		if strings.HasSuffix(a, ".nnef") {
			args[i] = filepath.Join("testdata", a)
		}
	}
	return args
}

var sample = regexp.MustCompile("(?s)```console\n\\$ concord ([^\n]*)\n.*?```\n")

// TestCommandLinePage holds the samples in docs/command-line.md to what the commands print.
func TestCommandLinePage(t *testing.T) {
	name := filepath.Join(testdata.Root(t), "docs", "command-line.md")
	page, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	samples := 0
	fresh := sample.ReplaceAllStringFunc(string(page), func(block string) string {
		samples++
		out := ""
		args := sample.FindStringSubmatch(block)[1]
		t.Run(args, func(t *testing.T) { out = terminal(t, "", strings.Fields(args)...) })
		if i := strings.LastIndex(out, "exit code"); i >= 0 {
			out = out[:i]
		}
		return "```console\n" + out + "```\n"
	})
	if samples < 5 {
		t.Errorf("only %d samples are found", samples)
	}
	golden.Compare(t, name, fresh)
}
