package manifest_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/manifest"
	"github.com/concord-nn/concord/tensor"
)

// Whatever is read, a manifest that is refused has mistakes with places inside the document, and it can be checked against any model.
func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"version": 1, "inputs": {"x": {"kind": "image", "size": [4, 3], "mean": [1, 2, 3]}}, "outputs": {"y": {"kind": "classes", "labels": ["a"]}}}`))
	f.Add([]byte(`{"version": 1, "inputs": {"x": {"kind": "audio", "rate": 8000, "context": 2}}, "outputs": {"y": {"kind": "track", "index": 0}}}`))
	f.Add([]byte(`{"version": 1, "inputs": {"x": {"kind": "state", "from": "y"}}, "outputs": {"y": {"kind": "boxes", "scores": "s", "format": "ssd", "priors": {"maps": [{"cells": [2, 2], "boxes": [1, [2, 3]]}], "clamp": true}}}}`))
	f.Add([]byte(`{"version": 1, "inputs": {"x": {"kind": "tensor", "value": [1, 2]}}, "outputs": {"y": {"kind": "classes", "labels_file": "a/b"}}}`))
	f.Add([]byte("{\"version\": 1,\n\t\"in\\u0000puts\": [[]]"))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := manifest.Parse("m", data)
		var errs manifest.Errors
		if err != nil {
			if !errors.As(err, &errs) || len(errs) == 0 || len(errs) > limits.ManifestErrors {
				t.Fatalf("the error is %#v", err)
			}
			for _, e := range errs {
				if e.Line < 1 || e.Column < 1 || e.Line+e.Column > len(data)+2 || !utf8.ValidString(e.Error()) {
					t.Fatalf("the mistake %q has an impossible place in %d bytes", e, len(data))
				}
			}
		}
		for _, shape := range []tensor.Shape{{}, {4}, {1, 2}, {1, 3, 3, 4}, {manifest.Unknown, manifest.Unknown, 4}, {1, manifest.Unknown, manifest.Unknown, 3}} {
			types := []manifest.Type{{"x", tensor.Float32, shape}, {"y", tensor.Float32, shape}, {"s", tensor.Float32, shape}}
			var more manifest.Errors
			if errors.As(m.Check(types, types), &more); len(more) < len(errs) || len(more) > limits.ManifestErrors {
				t.Fatalf("beside a model, %v becomes %v", errs, more)
			}
		}
	})
}

// What is taken for labels has as many as the file has lines, and nothing that a terminal obeys.
func FuzzLabels(f *testing.F) {
	for _, text := range []string{"", "cat\ndog\n", "a\r\nb\r\n\r\n", "\xff\n", "\x1b[2J", "\u202ea\n", "\ufeffa", "a\rb"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		labels, err := labelsOf(data)
		if err != nil {
			return
		}
		lines := bytes.Count(bytes.TrimSuffix(data, []byte("\n")), []byte("\n")) + 1
		if len(labels) != lines || lines > limits.ManifestLabels {
			t.Fatalf("%d labels of %d lines", len(labels), lines)
		}
		for _, l := range labels {
			if len(l) > limits.ManifestName || !utf8.ValidString(l) || strings.ContainsAny(l, "\n\x00\x1b\u009b\u202e") {
				t.Fatalf("the label %q", l)
			}
		}
	})
}
