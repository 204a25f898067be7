package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/concord-nn/concord/internal/testdata"
	"github.com/concord-nn/concord/webnn/internal/idl"
)

// TestFilesAreFresh: the generated files follow from the data and the declarations.
func TestFilesAreFresh(t *testing.T) {
	root := testdata.Root(t)
	page, err := coveragePage(idl.Load(), root)
	if err != nil {
		t.Fatal(err)
	}
	data, err := encode(idl.Load())
	if err != nil {
		t.Fatal(err)
	}
	limits, err := limitsTable(idl.Load())
	if err != nil {
		t.Fatal(err)
	}
	for file, want := range map[string][]byte{coverageFile: page.text, dataFile: data, limitsFile: limits} {
		got, err := os.ReadFile(filepath.Join(root, file))
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is stale (%v): run go generate ./webnn", file, err)
		}
	}
}

// TestCoverage: every member of the interface has a Go form.
func TestCoverage(t *testing.T) {
	page, err := coveragePage(idl.Load(), testdata.Root(t))
	if err != nil {
		t.Fatal(err)
	}
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
	doc, err := idl.Parse(source)
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
		"MLGraphBuilder.relu(input, other, options): the method is Relu(",
		"MLGraphBuilder.elu(input, options): the documentation does not name the section x",
		"dream: no operator has this name in WebNN",
		"MLGraphBuilder.dream(input): package webnn does not declare GraphBuilder.Dream",
		"dream: there is no table of tensor limits",
		"MLElResult: package webnn does not declare ElResult",
		"MLEluOptions.alpha: the field has the type *float64; it must be float64",
		"MLEluOptions.beta: package webnn does not declare EluOptions.Beta",
		"HardSigmoidOptions.Beta: the dictionary has no such member",
		"MLOpSupportLimits.elu: the table has the operands []; they must be [input]",
		`MLRoundingType: there is no constant for "round"`,
		"MLRoundingType: RoundingCeil is no value of the enumeration",
		`MLOperandDataType: unknown element type "float31"`,
		"MLTime: package webnn does not declare Time",
		"the extended attribute Magic has no Go form",
		"the type Date has no Go form",
	} {
		if !slices.ContainsFunc(page.gaps, func(gap string) bool { return strings.HasPrefix(gap, want) }) {
			t.Errorf("no gap says %q; there are\n%s", want, strings.Join(page.gaps, "\n"))
		}
	}
	if !bytes.Contains(page.text, []byte("**gap**")) || bytes.Contains(page.text, []byte(" 0 gaps")) {
		t.Error("the page does not show the gaps")
	}
}

// TestRun: without a source the data stays as it is.
func TestRun(t *testing.T) {
	root := t.TempDir()
	for _, dir := range []string{"webnn/internal/idl", "docs"} {
		if err := os.MkdirAll(filepath.Join(root, dir), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	if err := run(root, ""); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(root, dataFile)); err == nil {
		t.Error("the data is written without a source")
	}
	source := filepath.Join(root, "index.bs")
	if err := os.WriteFile(source, []byte("<script type=idl>enum E { \"x\" };</script>"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := run(root, source); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(root, dataFile))
	if err != nil || !bytes.Contains(data, []byte(`"values":["x"]`)) {
		t.Errorf("the data is %s, %v", data, err)
	}
	if err := run(root, filepath.Join(root, "nothing")); err == nil {
		t.Error("a source that is absent is read")
	}
}
