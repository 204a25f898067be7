package page_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"image"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/concord-nn/concord"
	"github.com/concord-nn/concord/engine"
	"github.com/concord-nn/concord/engine/wasm/export"
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/testdata"
	"github.com/concord-nn/concord/manifest"
	"github.com/concord-nn/concord/media"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/pipeline"
	"github.com/concord-nn/concord/pipeline/page"
	"github.com/concord-nn/concord/tensor"
)

// write writes files into a folder.
func write(t *testing.T, dir string, files map[string][]byte) {
	t.Helper()
	check(t, os.MkdirAll(dir, 0o700))
	for name, content := range files {
		check(t, os.WriteFile(filepath.Join(dir, name), content, 0o600))
	}
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// model writes a model with its manifest, and opens it.
func model(t *testing.T, text, description string) (*concord.Model, *manifest.Manifest, *graph.Graph) {
	t.Helper()
	dir := t.TempDir()
	write(t, dir, map[string][]byte{"graph.nnef": []byte("version 1.0;\nextension KHR_enable_operator_expressions;\n" + text), "concord.json": []byte(description)})
	m, err := concord.Open(dir)
	check(t, err)
	t.Cleanup(func() { _ = m.Close() })
	spec, err := manifest.Find(dir)
	check(t, err)
	g, err := m.Graph(nil)
	check(t, err)
	return m, spec, g
}

// odd is the name of a model whose characters mean something in scripts, in HTML and in addresses.
const odd = `n"e't<script>#1 50%?`

// exported writes what a page needs.
func exported(t *testing.T, dir string, m *manifest.Manifest, g *graph.Graph) {
	t.Helper()
	files, mark, err := export.Files(g, odd, engine.Limits{})
	check(t, err)
	more, err := page.Files(m, g, odd, mark, engine.Limits{})
	check(t, err)
	for _, f := range append(files, more...) {
		content := testdata.Written(t, f.Write)
		if bytes.Contains(content, []byte(`"$`)) || bytes.Contains(content, []byte(`/$`)) {
			t.Errorf("%s lacks something", f.Name)
		}
		write(t, dir, map[string][]byte{f.Name: content})
	}
}

// photo returns a picture; of one with glass, parts are transparent.
func photo(width, height int, glass bool) *image.NRGBA {
	m := image.NewNRGBA(image.Rect(0, 0, width, height))
	r := op.NewRand(uint64(width), 1)
	for i := range m.Pix {
		m.Pix[i] = uint8(r.IntN(256))
		if i%4 == 3 && (!glass || r.Bool()) {
			m.Pix[i] = 255
		}
	}
	return m
}

const detector = `
graph detector( image ) -> ( boxes, scores )
{
    image = external(shape = [1, 3, 4, 4]);
    boxes = reshape(image * 0.5, shape = [1, 12, 4]);
    scores = sigmoid(reshape(image * 2.0, shape = [1, 12, 4]));
}
`

const negative = `
graph negative( x ) -> ( y )
{
    x = external(shape = [%s]);
    y = -x;
}
`

const classifier = `
graph classifier( x ) -> ( y )
{
    x = external(shape = [1, 4, 4, 3]);
    y = reshape(x, shape = [1, 48]);
}
`

const counter = `
graph counter( x ) -> ( y )
{
    x = external<integer>(shape = [1, 2, 2, 3]);
    y = reshape(x, shape = [1, 12]);
}
`

const listener = `
graph listener( x, state, __proto__ ) -> ( loud, y, next )
{
    x = external(shape = [1, 10]);
    state = external(shape = [1, 1]);
    __proto__ = external(shape = [1]);
    next = state * 0.5 + mean_reduce(x * x, axes = [1]) + reshape(__proto__, shape = [1, 1]);
    loud = sigmoid(next);
    y = slice(x, axes = [1], begin = [2], end = [10]) * next;
}
`

func picture(spec string) string {
	return `{"version": 1, "inputs": {"x": {"kind": "image"` + spec + `}}, "outputs": {}}`
}

// TestBits holds what pages compute in Node to what a pipeline says, bit by bit.
func TestBits(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("Node is not installed")
	}
	tests := []struct {
		model, manifest string
		picture         *image.NRGBA
		samples         int
		integers        bool // classes have scores
	}{
		{model: fmt.Sprintf(negative, "1, 3, 7, 5"), manifest: picture(`, "mean": [1, 2, 3], "std": [3, 7, 11]`), picture: photo(23, 17, false)},
		{model: fmt.Sprintf(negative, "1, 9, 8, 3"), manifest: picture(`, "colour": "bgr", "filter": "area", "resize": "fit", "pad": [10, 20, 30], "std": 255`), picture: photo(40, 12, true)},
		{model: fmt.Sprintf(negative, "1, 28, 28"), manifest: picture(`, "layout": "NHW", "colour": "gray", "invert": true, "crop": "content", "margin": 0.2, "resize": "fit", "filter": "area", "pad": 255`), picture: photo(31, 30, true)},
		{model: fmt.Sprintf(negative, "3, 6, 20"), manifest: picture(`, "layout": "CHW", "resize": "fill", "round": true, "mean": 127, "std": 128`), picture: photo(11, 13, false)},
		{model: classifier, manifest: `{"version": 1, "inputs": {"x": {"kind": "image", "std": 51}}, "outputs": {"y": {"kind": "classes", "softmax": true, "top": 7}}}`,
			picture: photo(9, 9, false)},
		{model: counter, manifest: `{"version": 1, "inputs": {"x": {"kind": "image"}}, "outputs": {"y": {"kind": "classes", "top": 0}}}`, picture: photo(9, 9, false), integers: true},
		{model: detector, picture: photo(30, 20, false), manifest: `{"version": 1, "inputs": {"image": {"kind": "image", "resize": "fit", "mean": 100, "std": 50}}, "outputs": {"boxes": {
			"kind": "boxes", "scores": "scores", "labels": ["none", "cat", "dog", "cow"], "background": 0, "format": "ssd", "score_threshold": 0.6, "iou_threshold": 0.3,
			"priors": {"size": [8, 8], "maps": [{"cells": [3, 2], "boxes": [3, [4, 6]]}], "clamp": true}, "limit": 9}}}`},
		{model: detector, picture: photo(10, 20, false), manifest: `{"version": 1, "inputs": {"image": {"kind": "image", "std": 40}}, "outputs": {"boxes": {
			"kind": "boxes", "scores": "scores", "format": "centre", "units": "pixels", "score_threshold": 0.1}}}`},
		{model: listener, samples: 50, manifest: `{"version": 1, "inputs": {"x": {"kind": "audio", "rate": 16000, "window": 8, "context": 2, "scale": 0.7},
			"state": {"kind": "state", "from": "next"}, "__proto__": {"kind": "tensor", "value": 0.25}}, "outputs": {"loud": {"kind": "track", "label": "loud"}}}`},
	}
	args := []string{"testdata/check.mjs", odd}
	want := make([]*pipeline.Answer, len(tests))
	for i, test := range tests {
		m, spec, g := model(t, test.model, test.manifest)
		p, err := pipeline.New(m, spec, concord.Options{Threads: 1})
		check(t, err)
		dir, given := t.TempDir(), map[string]any{}
		in := pipeline.Inputs{}
		if test.picture != nil {
			in.Picture = test.picture
			given = map[string]any{"pixels": test.picture.Pix, "width": test.picture.Rect.Dx(), "height": test.picture.Rect.Dy()}
		} else {
			x := op.NewRand(1, 1).Uniform(tensor.Float32, tensor.Shape{test.samples}, -1, 1)
			in.Sound = &media.Sound{Rate: 16000, Channels: 1, Samples: tensor.Data[float32](x)}
			given["samples"] = tensor.Raw(x)
		}
		want[i], err = p.Run(t.Context(), in)
		check(t, err)
		text, err := json.Marshal(given)
		check(t, err)
		exported(t, dir, spec, g)
		write(t, dir, map[string][]byte{"given.json": text})
		args = append(args, dir)
	}
	var stderr bytes.Buffer
	cmd := exec.CommandContext(t.Context(), node, args...)
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, stderr.Bytes())
	}
	type class struct {
		media.Class
		Score *float32 `json:"score"`
	}
	type said struct {
		pipeline.Output
		Tensor  []byte  `json:"tensor"`
		Classes []class `json:"classes"`
	}
	var got [][]said
	check(t, json.Unmarshal(out, &got))
	for i, answer := range want {
		if len(got[i]) != len(answer.Outputs) {
			t.Fatalf("test %d: there are %d outputs", i, len(got[i]))
		}
		for k, o := range answer.Outputs {
			if y := o.Tensor; y != nil {
				if !bytes.Equal(got[i][k].Tensor, tensor.Raw(y)) {
					t.Errorf("test %d: output %s has other bits", i, o.Name)
				}
				continue
			}
			for _, c := range got[i][k].Classes {
				if (c.Score != nil) != tests[i].integers || (c.Score != nil) == (c.Probability != 0) {
					t.Errorf("test %d: %+v", i, c)
				} else if c.Score != nil {
					c.Probability = *c.Score
				}
				got[i][k].Output.Classes = append(got[i][k].Output.Classes, c.Class)
			}
			wanted, err := json.Marshal(o)
			check(t, err)
			have, err := json.Marshal(got[i][k].Output)
			check(t, err)
			if !bytes.Equal(wanted, have) || len(o.Classes)+len(o.Boxes) == 0 && o.Track == nil {
				t.Errorf("test %d: output %s is\n%s\nwant\n%s", i, o.Name, have, wanted)
			}
		}
	}
}

// TestMixed has files of another export of the same name among those of one, as a cache may.
func TestMixed(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("Node is not installed")
	}
	one, other := t.TempDir(), t.TempDir()
	for dir, y := range map[string]string{one: "-x", other: "1.0 - x"} {
		_, spec, g := model(t, strings.Replace(fmt.Sprintf(negative, "1, 3, 7, 5"), "-x", y, 1), picture(""))
		exported(t, dir, spec, g)
	}
	args, files := []string{"testdata/mixed.mjs", odd}, []string{".js", ".exact.wasm", ".bin", ".image.wasm", ".media.js"}
	for _, file := range files {
		dir := t.TempDir()
		check(t, os.CopyFS(dir, os.DirFS(one)))
		from, err := os.ReadFile(filepath.Join(other, odd+file))
		check(t, err)
		write(t, dir, map[string][]byte{odd + file: from})
		args = append(args, dir)
	}
	out, err := exec.CommandContext(t.Context(), node, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var said []string
	check(t, json.Unmarshal(out, &said))
	for i, file := range files {
		if said[i] == "" || file != ".js" && !strings.Contains(said[i], "is of another export than file:") {
			t.Errorf("with another %s it says %q", file, said[i])
		}
	}
}

// TestMissing has no module of a step: nothing of what was loaded beside is left.
func TestMissing(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("Node is not installed")
	}
	dir := t.TempDir()
	_, spec, g := model(t, fmt.Sprintf(negative, "1, 3, 7, 5"), picture(""))
	exported(t, dir, spec, g)
	check(t, os.Remove(filepath.Join(dir, odd+".image.wasm")))
	if out, err := exec.CommandContext(t.Context(), node, "testdata/missing.mjs", odd, dir).CombinedOutput(); err != nil || string(out) != "ENOENT 0" {
		t.Errorf("%v: %s", err, out)
	}
}

// TestPlain holds pages on what cannot be prepared to fields for numbers.
func TestPlain(t *testing.T) {
	_, spec, g := model(t, fmt.Sprintf(negative, "1, 3"), `{"version": 1, "title": "A < B", "inputs": {}, "outputs": {}}`)
	for _, m := range []*manifest.Manifest{nil, spec} {
		files, err := page.Files(m, g, "net", "", engine.Limits{})
		check(t, err)
		title := "net"
		if m != nil {
			title = "A &lt; B"
		}
		if len(files) != 1 || files[0].Name != page.Index || !strings.Contains(string(testdata.Written(t, files[0].Write)), "<title>"+title+"</title>") {
			t.Errorf("there are %d files", len(files))
		}
	}
}

// TestNames holds the page to what names and titles may not do to it.
func TestNames(t *testing.T) {
	for from, manifest := range map[string]string{"": "", page.MediaEnding: `{"version": 1, "title": "</title><script>", "inputs": {"x": {"kind": "image"}}, "outputs": {}}`} {
		_, spec, g := model(t, fmt.Sprintf(negative, "1, 3, 7, 5"), cmp.Or(manifest, `{"version": 1, "title": "</h1><script>", "inputs": {}, "outputs": {}}`))
		files, err := page.Files(spec, g, odd, "", engine.Limits{})
		check(t, err)
		index := string(testdata.Written(t, files[0].Write))
		if address := fmt.Sprintf(`from "./n%%22e%%27t%%3Cscript%%3E%%231%%2050%%25%%3F%s?`, cmp.Or(from, ".js")); !strings.Contains(index, address) {
			t.Errorf("the page does not import %s", address)
		}
		if n := strings.Count(index, "<script"); n != 2 {
			t.Errorf("the page has %d scripts", n)
		}
	}
}

// TestWords runs what pages make of floats of 16 bits.
func TestWords(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("Node is not installed")
	}
	if out, err := exec.CommandContext(t.Context(), node, "testdata/words.mjs", "words.js.txt").CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
