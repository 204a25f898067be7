package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/concord-nn/concord/internal/testdata"
	"github.com/concord-nn/concord/internal/testdata/golden"
	"github.com/concord-nn/concord/webnn/internal/idl"
)

// TestFilesAreFresh: the generated files follow from the data.
func TestFilesAreFresh(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "webnn")
	if err := errors.Join(os.Mkdir(dir, 0o700), os.Mkdir(filepath.Join(dir, "../web"), 0o700), run(dir)); err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		got, err1 := os.ReadFile(filepath.Join(testdata.Root(t), "webnn", file))
		want, err2 := os.ReadFile(filepath.Join(dir, file))
		if err := errors.Join(err1, err2); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is stale (%v): run go generate ./webnn", file, err)
		}
	}
	if err := run(filepath.Join(dir, "nothing")); err == nil {
		t.Error("a folder that is absent is written to")
	}
}

// TestWords: every entry of words.txt is about something, and says it.
func TestWords(t *testing.T) {
	words := readWords(wordsFile)
	known := make(map[string]bool)
	for _, o := range idl.WebNN.Operators() {
		known[o.Name], known[words.names[o.Name]] = true, true
	}
	for _, d := range idl.WebNN.Dictionaries {
		known[d.Name] = isOptions(d)
		for _, m := range d.Members {
			key := d.Name + "." + m.Name
			known[key] = isOptions(d)
			if text := words.texts[key]; isOptions(d) && m.Name != "label" && !strings.HasSuffix(text, ".") {
				t.Errorf("%s: %q is no sentence", key, text)
			}
		}
	}
	for _, e := range idl.WebNN.Enums {
		known[e.Name] = true
		for _, v := range e.Values {
			known[e.Name+"."+v] = true
		}
	}
	for key, text := range words.texts {
		if !known[key] && key[0] != '@' {
			t.Errorf("%s is nothing of the interface", key)
		}
		if strings.Contains(text, "@") {
			t.Errorf("%s: there is no such text: %s", key, text)
		}
	}
}

// TestCoverage: every member of the interface has a Go form, which the page says.
func TestCoverage(t *testing.T) {
	page, err := coveragePage(&idl.WebNN, testdata.Root(t))
	if err != nil {
		t.Fatal(err)
	}
	golden.Compare(t, filepath.Join(testdata.Root(t), coverageFile), string(page.text))
	for _, gap := range page.gaps {
		t.Error(gap)
	}
	if last := page.text[bytes.LastIndexByte(bytes.TrimSpace(page.text), '\n')+1:]; !bytes.HasSuffix(last, []byte(" members, 0 gaps\n")) {
		t.Errorf("the page ends with %q", last)
	}
}

// TestCoverageFindsGaps: a member that Go does not have, and one that it has otherwise, are noted.
func TestCoverageFindsGaps(t *testing.T) {
	const source = `{#x}<script type=idl>
		enum MLRoundingType { "floor", "round" };
		enum MLOperandDataType { "float31" };
		interface MLOperand {};
		interface MLTensor { undefined explode(); readonly attribute Date date; };
		dictionary MLOperatorOptions { USVString label = ""; };
		dictionary MLElResult {};
		dictionary MLEluOptions : MLOperatorOptions { double alpha = 0; double beta; };
		dictionary MLHardSigmoidOptions : MLOperatorOptions { double alpha = 0.2; };
		[Magic] interface MLGraphBuilder {
			MLOperand relu(MLOperand input, MLOperand other, optional MLOperatorOptions options = {});
			MLOperand elu(MLOperand input, optional MLEluOptions options = {});
			MLOperand dream(MLOperand input);
		};
		dictionary MLOpSupportLimits { MLEluSupportLimits elu; };
		dictionary MLEluSupportLimits { MLTensorLimits input; };
		typedef long MLTime;
	</script>`
	doc, err := parse(source)
	if err != nil {
		t.Fatal(err)
	}
	page, err := coveragePage(doc, testdata.Root(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"MLTensor.explode(): package webnn does not declare Tensor.Explode",
		"MLTensor.date: package webnn does not declare Tensor.Date",
		"dream: no operator has this name in WebNN",
		"MLGraphBuilder.dream(input): package webnn does not declare GraphBuilder.Dream",
		"MLElResult: package webnn does not declare ElResult",
		"MLEluOptions.beta: package webnn does not declare EluOptions.Beta",
		"MLOpSupportLimits.elu: the table has the operands []; they must be [input]",
		`MLRoundingType: package webnn does not declare `,
		`MLOperandDataType: unknown element type "float31"`,
		"MLTime: package webnn does not declare Time",
	} {
		if !slices.ContainsFunc(page.gaps, func(gap string) bool { return strings.HasPrefix(gap, want) }) {
			t.Errorf("no gap says %q; there are\n%s", want, strings.Join(page.gaps, "\n"))
		}
	}
	if !bytes.Contains(page.text, []byte("**gap**")) || bytes.Contains(page.text, []byte(" 0 gaps")) {
		t.Error("the page does not show the gaps")
	}
}
