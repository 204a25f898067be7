package manifest_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/internal/testdata"
	"github.com/concord-nn/concord/manifest"
	"github.com/concord-nn/concord/tensor"
)

// labelsOf reads a file of labels that a manifest names.
func labelsOf(data []byte) ([]string, error) {
	text := `{"version": 1, "inputs": {}, "outputs": {"y": {"kind": "classes", "labels_file": "l"}}}`
	m, err := manifest.Load(fstest.MapFS{"m": {Data: []byte(text)}, "l": {Data: data}}, "m")
	if err != nil {
		return nil, err
	}
	return m.Output("y").(*manifest.Classes).Names, nil
}

// TestLimits reads manifests that are as large as is allowed, and larger.
func TestLimits(t *testing.T) {
	wrap := func(in, out string) string {
		return `{"version": 1, "inputs": {` + in + `}, "outputs": {` + out + `}}`
	}
	many := func(n int, item string) string { return strings.TrimSuffix(strings.Repeat(item+",", n), ",") }
	audio := func(keys string) string {
		return wrap(`"x": {"kind": "audio", "rate": 8000, "window": 1, `+keys+`}`, "")
	}
	maps := func(list string) string {
		return wrap("", `"y": {"kind": "boxes", "scores": "s", "format": "ssd", "priors": {"size": [9, 9], "maps": [`+list+`]}}`)
	}
	for name, c := range map[string]struct {
		most int
		text func(n int) string
	}{
		"bytes": {limits.ManifestBytes, func(n int) string { return wrap("", "") + strings.Repeat(" ", n-len(wrap("", ""))) }},
		"names": {limits.ManifestNames, func(n int) string {
			var list []string
			for i := range n {
				list = append(list, fmt.Sprintf(`"x%d": {"kind": "tensor"}`, i))
			}
			return wrap(strings.Join(list, ","), "")
		}},
		"name": {limits.ManifestName, func(n int) string { return wrap(`"`+strings.Repeat("x", n)+`": {"kind": "tensor"}`, "") }},
		"label": {limits.ManifestName, func(n int) string {
			return wrap("", `"y": {"kind": "classes", "labels": ["`+strings.Repeat("x", n)+`"]}`)
		}},
		"title": {4 * limits.ManifestName, func(n int) string { return `{"title": "` + strings.Repeat("x", n) + `", ` + wrap("", "")[1:] }},
		"file": {4 * limits.ManifestName, func(n int) string {
			return wrap("", `"y": {"kind": "classes", "labels_file": "`+strings.Repeat("x", n)+`"}`)
		}},
		"labels": {limits.ManifestLabels, func(n int) string { return wrap("", `"y": {"kind": "classes", "labels": [`+many(n, `""`)+`]}`) }},
		"side":   {limits.ManifestSide, func(n int) string { return wrap(fmt.Sprintf(`"x": {"kind": "image", "size": [1, %d]}`, n), "") }},
		"rate":   {limits.ManifestRate, func(n int) string { return wrap(fmt.Sprintf(`"x": {"kind": "audio", "window": 1, "rate": %d}`, n), "") }},
		"hop":    {limits.ManifestWindow, func(n int) string { return audio(fmt.Sprintf(`"hop": %d`, n)) }},
		"context": {limits.ManifestWindow, func(n int) string {
			return audio(fmt.Sprintf(`"context": %d`, n))
		}},
		"window": {limits.ManifestWindow, func(n int) string {
			return wrap(fmt.Sprintf(`"x": {"kind": "audio", "rate": 8000, "window": %d}`, n), "")
		}},
		"priors": {2, func(n int) string { // half of them in each of two maps, and one in each further one
			half := fmt.Sprintf(`{"cells": [1024, %d], "boxes": [1]}`, limits.ManifestPriors/2/1024)
			return maps(half + "," + half + strings.Repeat(`,{"cells": [1, 1], "boxes": [1]}`, n-2))
		}},
		"maps":  {limits.ManifestMaps, func(n int) string { return maps(many(n, `{"cells": [1, 1], "boxes": [1]}`)) }},
		"boxes": {limits.ManifestMaps, func(n int) string { return maps(`{"cells": [1, 1], "boxes": [` + many(n, "1") + `]}`) }},
	} {
		if name == "labels" && testdata.Cases(0, 1) == 0 {
			continue // a million of them take a second; those of a file are tried below
		}
		for _, n := range []int{c.most, c.most + 1} {
			_, err := manifest.Parse("m", []byte(c.text(n)))
			var list manifest.Errors
			if (err == nil) != (n == c.most) || err != nil && (!errors.As(err, &list) || len(list) != 1) {
				t.Errorf("%s: %d give %v", name, n, err)
			}
		}
	}
	for _, n := range []int{limits.ManifestDepth, limits.ManifestDepth + 1} {
		_, err := manifest.Parse("m", []byte(strings.Repeat("[", n)))
		if strings.Contains(err.Error(), "nested too deeply") != (n > limits.ManifestDepth) {
			t.Errorf("%d levels: %v", n, err)
		}
	}
	for _, n := range []int{limits.ManifestErrors - 1, limits.ManifestErrors, limits.ManifestErrors + 1} {
		_, err := manifest.Parse("m", []byte(wrap("", `"y": {"kind": "classes", "labels": [`+many(n, "0")+`]}`)))
		var list manifest.Errors
		if !errors.As(err, &list) || len(list) != min(n, limits.ManifestErrors) {
			t.Errorf("%d mistakes: %d are reported", n, len(list))
		}
	}
	for _, n := range []int{limits.ManifestLabels, limits.ManifestLabels + 1} {
		if _, err := labelsOf([]byte(strings.Repeat("\n", n))); (err == nil) != (n == limits.ManifestLabels) {
			t.Errorf("a file of %d labels: %v", n, err)
		}
	}
	line := strings.Repeat("x", limits.ManifestName-1) + "\n"
	for _, n := range []int{limits.ManifestBytes, limits.ManifestBytes + 1} {
		if _, err := labelsOf(bytes.Repeat([]byte(line), n/len(line)+1)[:n]); (err == nil) != (n == limits.ManifestBytes) {
			t.Errorf("a file of %d bytes: %v", n, err)
		}
	}
}

// TestPixelLimit takes the size of a picture from the shape of an input.
func TestPixelLimit(t *testing.T) {
	const side = 1 << 12
	for _, n := range []int{limits.ManifestPixels / side, limits.ManifestPixels/side + 1} {
		_, err := (&manifest.Image{Colour: manifest.RGB, Layout: "NCHW"}).Grid(manifest.Type{"x", tensor.Float32, tensor.Shape{1, 3, side, n}})
		if (err == nil) != (n == limits.ManifestPixels/side) {
			t.Errorf("%d pixels: %v", side*n, err)
		}
	}
}
