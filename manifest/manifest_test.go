package manifest_test

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/concord-nn/concord/internal/testdata"
	"github.com/concord-nn/concord/manifest"
)

func parse(t *testing.T, text string) *manifest.Manifest {
	t.Helper()
	m, err := manifest.Parse("test.json", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestParse(t *testing.T) {
	m := parse(t, `{
  "version": 1,
  "title": "A test",
  "inputs": {
    "a": {"kind": "image"},
    "b": {"kind": "image", "size": [320, 240], "layout": "NHWC", "colour": "bgr", "invert": true, "crop": "content",
          "margin": 0.25, "resize": "fit", "filter": "area", "round": true, "pad": [1, 2, 3], "mean": [4, 5, 6], "std": 255},
    "c": {"kind": "audio", "rate": 16000},
    "d": {"kind": "audio", "rate": 8000, "window": 400, "hop": 160, "context": 64, "scale": 32768},
    "e": {"kind": "tensor"},
    "f": {"kind": "tensor", "value": [1, -2.5e3]},
    "g": {"kind": "state", "from": "r"}
  },
  "outputs": {
    "p": {"kind": "classes", "labels": ["x", ""], "softmax": true, "top": 0},
    "q": {"kind": "boxes", "scores": "s", "format": "ssd", "background": 0, "score_threshold": 0.7, "iou_threshold": 0.3, "limit": 9,
          "priors": {"size": [32, 24], "clamp": true, "variance": [1, 2], "maps": [{"cells": [4, 3], "boxes": [10, [16, 8]]}]}},
    "r": {"kind": "tensor"},
    "s": {"kind": "boxes", "scores": "s", "format": "centre", "units": "pixels"},
    "t": {"kind": "track", "label": "speech", "index": 1, "threshold": 0.25}
  }
}`)
	if m.Source != "test.json" || m.Title != "A test" {
		t.Errorf("source %q, title %q", m.Source, m.Title)
	}
	unplaced(m)
	inputs := []manifest.InputKind{
		&manifest.Image{Colour: manifest.RGB, Crop: manifest.CropNone, Resize: manifest.Stretch, Filter: manifest.Bilinear, Pad: []float64{0}, Mean: []float64{0}, Std: []float64{1}},
		&manifest.Image{Width: 320, Height: 240, Layout: "NHWC", Colour: manifest.BGR, Invert: true, Crop: manifest.CropContent, Margin: 0.25, Resize: manifest.Fit, Filter: manifest.Area, Round: true,
			Pad: []float64{1, 2, 3}, Mean: []float64{4, 5, 6}, Std: []float64{255}},
		&manifest.Audio{Rate: 16000, Scale: 1},
		&manifest.Audio{Rate: 8000, Window: 400, Hop: 160, Context: 64, Scale: 32768},
		&manifest.Tensor{},
		&manifest.Tensor{Value: []float64{1, -2500}},
		&manifest.State{From: "r"},
	}
	for i, in := range m.Inputs {
		if in.Name != string(rune('a'+i)) || !reflect.DeepEqual(in.Kind, inputs[i]) {
			t.Errorf("input %q is %+v, want %+v", in.Name, in.Kind, inputs[i])
		}
	}
	outputs := []manifest.OutputKind{
		&manifest.Classes{Labels: manifest.Labels{Names: []string{"x", ""}}, Logits: true},
		&manifest.Boxes{Scores: "s", Background: 0, Format: manifest.Deltas, Units: manifest.Unit, ScoreThreshold: 0.7, IoUThreshold: 0.3, Limit: 9,
			Priors: &manifest.Priors{Width: 32, Height: 24, Clamp: true, Variance: [2]float64{1, 2}, Maps: []manifest.PriorMap{{4, 3, [][2]float64{{10, 10}, {16, 8}}}}}},
		&manifest.Plain{},
		&manifest.Boxes{Scores: "s", Background: -1, Format: manifest.Centre, Units: manifest.Pixels, ScoreThreshold: 0.5, IoUThreshold: 0.5},
		&manifest.Track{Label: "speech", Index: 1, Threshold: 0.25},
	}
	for i, out := range m.Outputs {
		if out.Name != string(rune('p'+i)) || !reflect.DeepEqual(out.Kind, outputs[i]) {
			t.Errorf("output %q is %+v, want %+v", out.Name, out.Kind, outputs[i])
		}
	}
	if n := m.Output("q").(*manifest.Boxes).Priors.Len(); n != 24 {
		t.Errorf("%d priors, want 24", n)
	}
	if m.Input("z") != nil || m.Output("z") != nil {
		t.Error("a name that is not listed has a kind")
	}
	if got := m.Output("p").(*manifest.Classes).Label(0) + "," + m.Output("p").(*manifest.Classes).Label(2); got != "x,class 2" {
		t.Errorf("labels %q", got)
	}
}

func TestMistakes(t *testing.T) {
	wrap := func(in, out string) string {
		return `{"version": 1, "inputs": {` + in + `}, "outputs": {` + out + `}}`
	}
	for _, test := range []struct{ text, want string }{
		{"", "m:1:1: the document ends too early"},
		{"{\n\"version\": 1,", "m:2:14: the document ends too early"},
		{"{\n  \"version\" 1}", `m:2:13: this is not JSON: invalid character '1' after object key`},
		{"[]", "m:1:1: this is a list of 0; it must be an object {…}"},
		{"{\"a\":\"\xff\"}", "m:1:7: the document is not valid UTF-8"},
		{wrap("", "") + " 1", "m:1:45: the document must end after its object"},
		{strings.Repeat("[", 100), "m:1:17: objects and lists are nested too deeply; 16 levels are allowed"},
		{`{}`, "m:1:1: the key \"version\" is missing\nm:1:1: the key \"inputs\" is missing\nm:1:1: the key \"outputs\" is missing"},
		{`{"version": 2, "inputs": {}, "outputs": {}}`, "m:1:13: version: this is the number 2; it must be 1"},
		{`{"version": 1, "inputs": {}, "outputs": {}, "version": 1}`, `m:1:45: the key "version" is given twice`},
		{`{"version": 1, "version": 2, "inputs": {"x": {"kind": "image", "kind": "sound"}}, "outputs": {"y": 1}}`,
			"m:1:16: the key \"version\" is given twice\nm:1:27: version: this is the number 2; it must be 1\nm:1:64: inputs.x: the key \"kind\" is given twice\n" +
				"m:1:100: outputs.y: this is the number 1; it must be an object {…}"},
		{`{"version": 1, "inputs": [], "outputs": {}}`, "m:1:26: inputs: this is a list of 0; it must be an object with a key for each name"},
		{wrap(`"": {}`, ""), `m:1:27: inputs: the name "" is not allowed; it must have 1 to 256 bytes without control characters`},
		{wrap(`"x": {}`, ""), `m:1:32: inputs.x: the key "kind" is missing; it must be "audio", "image", "state" or "tensor"`},
		{wrap(`"x": 3`, ""), `m:1:32: inputs.x: this is the number 3; it must be an object {…}`},
		{wrap(`"x": {"kind": "picture"}`, ""), `m:1:41: inputs.x.kind: this is the string "picture"; it must be "audio", "image", "state" or "tensor"`},
		{wrap("\n\"ä.x\": {\"kind\": \"image\", \"color\": \"rgb\"}", ""), `m:2:26: inputs."ä.x": unknown key "color"; did you mean "colour"?`},
		{wrap(`"x": {"kind": "tensor", "size": 1}`, ""), `m:1:51: inputs.x: unknown key "size"; the keys here are "kind" and "value"`},
		{wrap(`"x": {"kind": "image", "size": [0, 1e2]}`, ""),
			"m:1:59: inputs.x.size[0]: this is the number 0; it must be an integer from 1 to 16384\n" +
				"m:1:62: inputs.x.size[1]: this is the number 1e2; it must be an integer from 1 to 16384"},
		{wrap(`"x": {"kind": "image", "size": [1]}`, ""), `m:1:58: inputs.x.size: this is a list of 1; it must be a list of 2 integers, width and height`},
		{wrap(`"x": {"kind": "image", "std": [1, "a", 1]}`, ""), `m:1:61: inputs.x.std[1]: this is the string "a"; it must be a number from -1e+30 to 1e+30`},
		{wrap(`"x": {"kind": "image", "std": [1, 0, 1]}`, ""), `m:1:57: inputs.x.std: this is a list of 3; it must be a divisor other than zero`},
		{wrap(`"x": {"kind": "image", "mean": 1e400}`, ""), `m:1:58: inputs.x.mean: this is the number 1e400; it must be a number from 0 to 255`},
		{wrap(`"x": {"kind": "image", "mean": [1, 2]}`, ""), `m:1:58: inputs.x.mean: this is a list of 2; it must be a number or a list of 1 or 3 numbers`},
		{wrap(`"x": {"kind": "image", "mean": [1, 2, 3], "colour": "gray"}`, ""), `m:1:32: inputs.x: "mean" and "std" of a gray picture have 1 value, not 3`},
		{wrap(`"x": {"kind": "image", "layout": "HW"}`, ""), `m:1:32: inputs.x: the layout "HW" has no channels; "colour" must be "gray"`},
		{wrap(`"x": {"kind": "image", "margin": 1}`, ""), `m:1:60: inputs.x: "margin" is only of use with "crop": "content"`},
		{wrap(`"x": {"kind": "image", "invert": 1}`, ""), `m:1:60: inputs.x.invert: this is the number 1; it must be true or false`},
		{wrap(`"x": {"kind": "audio"}`, ""), `m:1:32: inputs.x: the key "rate" is missing`},
		{wrap(`"x": {"kind": "state", "from": ""}`, ""), `m:1:58: inputs.x.from: this is the string ""; it must be the name of an output`},
		{wrap(`"x": {"kind": "tensor", "value": []}`, ""), `m:1:60: inputs.x.value: this is a list of 0; it must be a number or a list of numbers`},
		{wrap("", `"y": {"kind": "classes", "labels": ["a", null]}`), `m:1:83: outputs.y.labels[1]: this is null; it must be a string`},
		{wrap("", `"y": {"kind": "classes", "labels": ["\u001b[2J"]}`),
			`m:1:78: outputs.y.labels[0]: this is the string "\x1b[2J"; it must be a string of at most 256 bytes without control characters`},
		{wrap("", `"y": {"kind": "classes", "labels": ["a"], "labels_file": "b"}`), `m:1:99: outputs.y.labels_file: "labels" and "labels_file" exclude each other`},
		{wrap("", `"y": {"kind": "classes", "labels_file": "../b"}`),
			`m:1:82: outputs.y.labels_file: this is the string "../b"; it must be a path below the manifest's folder, with slashes and without ..`},
		{wrap("", `"y": {"kind": "classes", "labels_file": "C:\\b"}`),
			`m:1:82: outputs.y.labels_file: this is the string "C:\\b"; it must be a path below the manifest's folder, with slashes and without ..`},
		{wrap("", `"y": {"kind": "boxes"}`), `m:1:47: outputs.y: the key "scores" is missing`},
		{wrap("", `"y": {"kind": "boxes", "scores": "s", "format": "ssd"}`), `m:1:47: outputs.y: the format "ssd" needs the key "priors"`},
		{wrap("", `"y": {"kind": "boxes", "scores": "s", "priors": {"maps": [{"cells": [1, 1], "boxes": [1]}]}}`),
			`m:1:47: outputs.y: the key "priors" is only of use with the format "ssd"`},
		{wrap("", `"y": {"kind": "boxes", "scores": "s", "format": "ssd", "units": "unit", "priors": {"maps": [{"cells": [1, 1], "boxes": [1]}]}}`),
			`m:1:106: outputs.y: "units" is of no use with the format "ssd", whose boxes are relative to the priors`},
		{wrap("", `"y": {"kind": "boxes", "scores": "s", "format": "ssd", "priors": {"maps": [{"cells": [16384, 16384], "boxes": [1]}]}}`),
			`m:1:117: outputs.y.priors.maps[0]: there are more than 4194304 priors`},
		{wrap(`"x": {"kind": "image", "mean": 300}, "s": {"kind": "audio", "rate": 1, "scale": 0}`, ""), "m:1:58: inputs.x.mean: this is the number 300; it must be a number from 0 to 255\n" +
			"m:1:107: inputs.s.scale: this is the number 0; it must be a factor other than zero"},
		{"\ufeff" + wrap("", `"y": {"kind": "track", "index": -1}`), `m:1:74: outputs.y.index: this is the number -1; it must be an integer from 0 to 1048576`},
	} {
		_, err := manifest.Parse("m", []byte(test.text))
		if err == nil {
			t.Errorf("%s\nhas no mistake, want %s", test.text, test.want)
			continue
		}
		if err.Error() != test.want {
			t.Errorf("%s\ngives %s\nwant  %s", test.text, err, test.want)
		}
		var single *manifest.Error
		if !errors.As(err, &single) || single.Source != "m" || single.Line < 1 || single.Column < 1 {
			t.Errorf("%s: the mistake has no place: %+v", test.text, single)
		}
	}
}

func TestTooLarge(t *testing.T) {
	_, err := manifest.Parse("m", make([]byte, manifest.MaxBytes+1))
	if err == nil || !strings.Contains(err.Error(), "at most 4194304 are allowed") {
		t.Errorf("got %v", err)
	}
}

// Every example in the documentation is a manifest.
func TestDocumentation(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(testdata.Root(t), "docs", "manifest.md"))
	if err != nil {
		t.Fatal(err)
	}
	examples := regexp.MustCompile("(?s)```json\n(.*?)```").FindAllSubmatch(text, -1)
	if len(examples) < 6 {
		t.Fatalf("%d examples are found", len(examples))
	}
	for i, e := range examples {
		if _, err := manifest.Parse("manifest.md", e[1]); err != nil {
			t.Errorf("example %d: %v", i+1, err)
		}
	}
	for _, f := range allKeys {
		if !strings.Contains(string(text), "`"+f+"`") && !strings.Contains(string(text), `"`+f+`"`) {
			t.Errorf("the key %q is not documented", f)
		}
	}
}

// allKeys lists the keys of all kinds.
var allKeys = strings.Fields(`version title inputs outputs kind size layout colour invert crop margin resize filter round pad mean std
	rate window hop context scale value from labels labels_file softmax top scores background format units priors
	score_threshold iou_threshold limit maps cells boxes clamp variance label index threshold`)
