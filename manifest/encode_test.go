package manifest_test

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/internal/testdata"
	"github.com/concord-nn/concord/manifest"
)

// unplaced forgets where things stood in a document.
func unplaced(m *manifest.Manifest) *manifest.Manifest {
	m.Source = ""
	for i := range m.Inputs {
		m.Inputs[i].Place = manifest.Place{}
	}
	for i := range m.Outputs {
		m.Outputs[i].Place = manifest.Place{}
		switch k := m.Outputs[i].Kind.(type) {
		case *manifest.Classes:
			k.Labels = manifest.Labels{Names: k.Names, File: k.File}
		case *manifest.Boxes:
			k.Labels = manifest.Labels{Names: k.Names, File: k.File}
		}
	}
	return m
}

const everyKey = `{
  "version": 1, "title": "a <b> & \"c\"",
  "inputs": {
    "p": {"kind": "image", "size": [3, 4], "layout": "NHWC", "colour": "bgr", "invert": true, "crop": "content", "margin": 0.25, "resize": "fit",
      "filter": "area", "round": true, "pad": [1, 2, 3], "mean": [1.5, 2, 3e-9], "std": [4, 5, 6e25]},
    "g": {"kind": "image", "colour": "gray", "pad": 255, "mean": 7, "std": 8},
    "s": {"kind": "audio", "rate": 16000, "window": 512, "hop": 256, "context": 64, "scale": 32768},
    "t": {"kind": "tensor", "value": [1, 2.5, -3]}, "one": {"kind": "tensor", "value": 16000}, "none": {"kind": "tensor"},
    "h": {"kind": "state", "from": "hn", "note": "what was left"}
  },
  "outputs": {
    "c": {"kind": "classes", "labels": ["ä", ""], "softmax": true, "top": 0},
    "b": {"kind": "boxes", "scores": "sc", "labels": ["x"], "background": 0, "format": "centre", "units": "pixels", "score_threshold": 0.25,
      "iou_threshold": 1, "limit": 7},
    "d": {"kind": "boxes", "scores": "sc", "format": "ssd", "priors": {"size": [320, 240], "clamp": true, "variance": [1, 2],
      "maps": [{"cells": [2, 3], "boxes": [10, [16.5, 24]]}, {"cells": [1, 1], "boxes": [0.5]}]}},
    "k": {"kind": "track", "label": "speech", "index": 1, "threshold": 0.75},
    "hn": {"note": "n", "kind": "tensor"}
  }
}`

// TestEncode writes manifests that are read as the same ones.
func TestEncode(t *testing.T) {
	texts := map[string][]byte{"every key": []byte(everyKey), "nothing": []byte(`{"version": 1, "inputs": {}, "outputs": {}}`)}
	examples, err := filepath.Glob(filepath.Join(testdata.Root(t), "examples", "*", "*", "concord.json"))
	if err != nil || len(examples) < 2 {
		t.Fatal(examples, err)
	}
	for _, name := range examples {
		if texts[name], err = os.ReadFile(name); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range texts {
		m, err := manifest.Parse("m", text)
		if err != nil {
			t.Fatal(err)
		}
		written, err := m.Encode()
		if err != nil {
			t.Fatal(err)
		}
		got, err := manifest.Parse("m", written)
		if err != nil {
			t.Fatalf("%v in\n%s", err, written)
		}
		if !reflect.DeepEqual(unplaced(got), unplaced(m)) {
			t.Errorf("%s becomes\n%s", name, written)
		}
		if again, err := got.Encode(); err != nil || !bytes.Equal(again, written) {
			t.Errorf("%s, written again, becomes\n%s", name, again)
		}
	}
	digits := texts[filepath.Join(testdata.Root(t), "examples", "digits", "model.nnef", "concord.json")]
	m, err := manifest.Parse("m", digits)
	if err != nil {
		t.Fatal(err)
	}
	if written, err := m.Encode(); err != nil || !bytes.Equal(written, digits) {
		t.Errorf("the manifest of the example is written as\n%s", written)
	}
}

// TestEncodeLabels makes names that stood in a file part of the document, a line each where they are many.
func TestEncodeLabels(t *testing.T) {
	names := strings.Split(strings.TrimSuffix(strings.Repeat("a label\n", 20), "\n"), "\n")
	m := &manifest.Manifest{Outputs: []manifest.Output{{Name: "y", Kind: &manifest.Classes{Labels: manifest.Labels{Names: names, File: "labels.txt"}, Top: 5}}}}
	written, err := m.Encode()
	if err != nil || strings.Contains(string(written), "labels_file") || !strings.Contains(string(written), "\n        \"a label\",\n") {
		t.Errorf("%v in\n%s", err, written)
	}
	long := make([]string, manifest.MaxBytes/limits.ManifestName)
	for i := range long {
		long[i] = strings.Repeat("x", limits.ManifestName)
	}
	m.Outputs[0].Kind = &manifest.Classes{Labels: manifest.Labels{Names: long}}
	if _, err := m.Encode(); err == nil {
		t.Error("a manifest is written that is too large to be read")
	}
}

// TestRenamed follows names of outputs to where they are referred to.
func TestRenamed(t *testing.T) {
	m, err := manifest.Parse("m", []byte(everyKey))
	if err != nil {
		t.Fatal(err)
	}
	before, err := m.Encode()
	if err != nil {
		t.Fatal(err)
	}
	with := func(gone string) func(string) string {
		return func(name string) string {
			if name == gone {
				return ""
			}
			return name + "2"
		}
	}
	r := m.Renamed(with("t"), with("nothing"))
	if r.Input("h2").(*manifest.State).From != "hn2" || r.Output("d2").(*manifest.Boxes).Scores != "sc2" || r.Input("t2") != nil || len(r.Inputs) != len(m.Inputs)-1 {
		t.Errorf("renamed: %+v", r)
	}
	r = m.Renamed(with("nothing"), with("hn"))
	if r.Input("h2") != nil || r.Output("hn2") != nil || len(r.Outputs) != len(m.Outputs)-1 {
		t.Errorf("without its output a state is %+v", r)
	}
	if after, err := m.Encode(); err != nil || !bytes.Equal(before, after) {
		t.Error("the manifest itself has changed")
	}
}
