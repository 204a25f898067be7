package main

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/concord-nn/concord/internal/testdata"
	"github.com/concord-nn/concord/internal/testdata/golden"
)

// TestDiffGolden holds what diff prints.
func TestDiffGolden(t *testing.T) {
	for _, tt := range []struct{ name, args string }{
		{"equal", "diff diff/a.nnef diff/renamed.nnef"},
		{"structure", "diff diff/a.nnef diff/b.nnef"},
		{"lowered", "diff diff/a.nnef diff/b.nnef --lowered"},
		{"shape", "diff diff/a.nnef diff/shape.nnef"},
		{"json", "diff diff/a.nnef diff/shape.nnef --json"},
		{"run", "diff diff/a.nnef diff/b.nnef --random"},
		{"run-equal", "diff diff/a.nnef diff/renamed.nnef --random --steps 3"},
		{"run-tolerance", "diff diff/a.nnef diff/b.nnef --random --atol 0.9"},
		{"run-shape", "diff diff/a.nnef diff/shape.nnef --random"},
		{"run-given-shape", "diff diff/a.nnef diff/shape.nnef --random --shape x=2,2,4,4"},
		{"engines", "diff diff/a.nnef --engines compiled,reference --random"},
		{"without-data", "diff net.nnef net.nnef"},
		{"custom", "diff custom.nnef custom.nnef"},
		{"dialects", "diff diff/a.nnef diff/old.nnef"},
		{"wrong", "diff check/shapes.nnef diff/a.nnef"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			golden.Compare(t, filepath.Join("diff", "golden", tt.name+".txt"), terminal(t, "", strings.Fields(tt.args)...))
		})
	}
}

func TestDiffUsage(t *testing.T) {
	a, b := filepath.Join("testdata", "diff", "a.nnef"), filepath.Join("testdata", "diff", "b.nnef")
	for _, tt := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"diff"}, exitUsage, "usage: concord diff A B"},
		{[]string{"diff", a}, exitUsage, "two models"},
		{[]string{"diff", a, b, "--engines", "compiled"}, exitUsage, "there must be two"},
		{[]string{"diff", a, "--engines", "compiled,warp"}, exitUsage, `no engine "warp"`},
		{[]string{"diff", a, b, "x.npy", "--random"}, exitUsage, "--seed"},
		{[]string{"diff", a, b, "--run"}, exitUsage, "x: float32[1,2,4,4]; 0 are given"},
		{[]string{"diff", a, b, "--random", "--steps", "0"}, exitUsage, "--steps"},
		{[]string{"diff", a, b, "--random", "--rtol", "-1"}, exitUsage, "--rtol"},
		{[]string{"diff", a, b, "--random", "--threads", "-1"}, exitUsage, "--threads"},
		{[]string{"diff", a, b, "--shape", "x"}, exitUsage, "NAME=EXTENTS"},
		{[]string{"diff", a, "absent.nnef"}, exitInput, "absent.nnef"},
		{[]string{"diff", a, filepath.Join("testdata", "golden")}, exitInput, "holds no model"},
		{[]string{"diff", a, b, "absent.npy"}, exitInput, "absent.npy"},
	} {
		out, code := execute(t, tt.args...)
		if code != tt.code || !strings.Contains(out, tt.want) {
			t.Errorf("%v: code %d; want %d and %q:\n%s", tt.args, code, tt.code, tt.want, out)
		}
	}
}

// TestDiffPicture runs a model on a picture and compares the weights of two models.
func TestDiffPicture(t *testing.T) {
	model, picture := digits(t, "model.nnef"), digits(t, "drawings", "seven.png")
	for _, engines := range []string{"nodes,compiled", "single,reference"} {
		out, code := execute(t, "diff", model, picture, "--engines", engines)
		if code != 0 || !strings.Contains(out, "the outputs agree to the bit") {
			t.Errorf("%s: code %d: %s", engines, code, out)
		}
	}
	other := copyModel(t, model)
	flipBit(t, filepath.Join(other, "conv2_bias.dat"), 131)
	out, code := execute(t, "diff", model, other)
	if code != exitFailure || !strings.Contains(out, "~ constant  conv2_bias: scalar[1,32]\n    1 of 32 elements differ") {
		t.Errorf("code %d: %s", code, out)
	}
	out, code = execute(t, "diff", model, other, picture)
	if code != exitFailure || !strings.Contains(out, "The runs part at  conv2 = conv(pool1, conv2_filter, conv2_bias)") ||
		!strings.Contains(out, "operand input: pool1: equal") || !strings.Contains(out, "operand bias: conv2_bias: constants, 1 of 32 elements differ") {
		t.Errorf("code %d: %s", code, out)
	}
	out, code = execute(t, "diff", model, other, picture, picture)
	if code != exitUsage || !strings.Contains(out, "2 inputs are given") {
		t.Errorf("code %d: %s", code, out)
	}
}

// TestDiffStates runs a stateful model of the conformance set for several steps.
func TestDiffStates(t *testing.T) {
	model := testdata.Shared(t, "conformance", "nnef", "models", "mdl-state")
	out, code := execute(t, "diff", model, "--engines", "compiled,reference", "--random", "--steps", "5", "--json")
	var report struct {
		Run struct {
			Steps     int
			Operators []struct{ Difference struct{ Differ int } }
		}
	}
	if err := json.Unmarshal([]byte(out), &report); err != nil || code != 0 || report.Run.Steps != 5 || len(report.Run.Operators) == 0 {
		t.Errorf("code %d, %v: %s", code, err, out)
	}
}
