package main

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/testdata/golden"
	"github.com/concord-nn/concord/tensor"
)

// TestDraw compares pictures of graphs with golden files.
func TestDraw(t *testing.T) {
	dir := filepath.Join("testdata", "draw")
	for model, name := range map[string]string{filepath.Join(dir, "residual.nnef"): "residual", filepath.Join("testdata", "session", "ok.json"): "session", digits(t, "model.nnef"): "digits"} {
		svg, code := execute(t, "inspect", model, "--svg", "-")
		if code != 0 {
			t.Fatal(svg)
		}
		wellFormed(t, svg)
		golden.Compare(t, filepath.Join(dir, name+".svg"), svg)
		dot, code := execute(t, "inspect", model, "--dot", "-")
		if code != 0 {
			t.Fatal(dot)
		}
		golden.Compare(t, filepath.Join(dir, name+".dot"), dot)
	}
}

// wellFormed reads a picture as XML.
func wellFormed(t *testing.T, svg string) {
	t.Helper()
	for d := xml.NewDecoder(strings.NewReader(svg)); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			t.Fatalf("%v in\n%s", err, svg)
		}
	}
}

// TestDrawFiles writes files, replaces none unasked, and draws the graph as the engine runs it.
func TestDrawFiles(t *testing.T) {
	model, dir := digits(t, "model.nnef"), t.TempDir()
	svg, dot := filepath.Join(dir, "a.svg"), filepath.Join(dir, "a.dot")
	out, code := execute(t, "inspect", model, "--svg", svg, "--dot", dot)
	if code != 0 || strings.Count(out, "written: ") != 2 || !strings.Contains(readString(t, svg), ">conv2<") || !strings.Contains(readString(t, dot), "n1 -> n2\n") {
		t.Errorf("code %d: %s", code, out)
	}
	for want, args := range map[string][]string{
		"a.svg: it exists; --force replaces it": {"--svg", svg},
		"only one of":                           {"--svg", "-", "--dot", "-"},
		"--text, --svg and --dot go without it": {"--svg", "-", "--json"},
	} {
		if out, code := execute(t, append([]string{"inspect", model}, args...)...); code != exitUsage || !strings.Contains(out, want) {
			t.Errorf("%v: code %d: %s", args, code, out)
		}
	}
	if out, code := execute(t, "inspect", model, "--compiled", "--svg", svg, "--force"); code != 0 {
		t.Errorf("code %d: %s", code, out)
	}
	wellFormed(t, readString(t, svg))
}

// TestDrawHostile escapes names, which come from models.
func TestDrawHostile(t *testing.T) {
	v := &graph.Value{Name: "<a&\"\x1b[2J\\n]]>\u202e", Type: graph.Type{DType: tensor.Float32, Shape: tensor.Shape{1}}}
	g := drawGraph("</title>\x00", &graph.Graph{Inputs: []*graph.Value{v}, Outputs: []graph.Output{{Name: v.Name, Value: v}}})
	var svg, dot bytes.Buffer
	if err := errors.Join(g.svg(&svg), g.dot(&dot)); err != nil {
		t.Fatal(err)
	}
	wellFormed(t, svg.String())
	for _, text := range []string{svg.String(), dot.String()} {
		if strings.ContainsAny(text, "\x1b\x00\u202e") {
			t.Errorf("raw characters in\n%s", text)
		}
	}
}

// TestShortened keeps what names differ in.
func TestShortened(t *testing.T) {
	const head = "If_0_then_branch__Inline_0__/decoder/decoder/"
	for name, want := range map[string]string{head + "0/Relu": "If_0_then_b…decoder/decoder/0/Relu", head + "1/Relu": "If_0_then_b…decoder/decoder/1/Relu", "ähnlich": "ähnlich"} {
		if got := shortened(name, 34); got != want {
			t.Errorf("%s becomes %q", name, got)
		}
	}
}
