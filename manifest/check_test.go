package manifest_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/concord-nn/concord/manifest"
	"github.com/concord-nn/concord/tensor"
)

func float(name string, shape ...int) manifest.Type {
	return manifest.Type{name, tensor.Float32, shape}
}

func TestCheck(t *testing.T) {
	const (
		image = `"x": {"kind": "image"}`
		audio = `"x": {"kind": "audio", "rate": 16000, "context": 64}`
		boxes = `"y": {"kind": "boxes", "scores": "s", "labels": ["a", "b"], "background": 1}`
	)
	picture, sound := float("x", 1, 3, 24, 32), float("x", 1, 576)
	for _, test := range []struct {
		name, in, out string
		inputs        []manifest.Type
		outputs       []manifest.Type
		want          string // without place; empty for none
	}{
		{"fitting image", image, "", []manifest.Type{picture}, nil, ""},
		{"open batch", image, "", []manifest.Type{float("x", manifest.Unknown, 3, 24, 32)}, nil, ""},
		{"open size", image, "", []manifest.Type{float("x", 1, 3, manifest.Unknown, 32)}, nil, `inputs.x: the input is float32[1,3,?,32]; its size is open, so "size" must give it`},
		{"given size", `"x": {"kind": "image", "size": [32, 24]}`, "", []manifest.Type{float("x", 1, 3, manifest.Unknown, manifest.Unknown)}, nil, ""},
		{"wrong size", `"x": {"kind": "image", "size": [24, 32]}`, "", []manifest.Type{picture}, nil,
			"inputs.x: the input is float32[1,3,24,32]; that is no picture with 3 channels of 24×32 pixels"},
		{"unknown input", image, "", []manifest.Type{float("z", 1, 3, 2, 2), float("w")}, nil, `inputs.x: the model has no input "x"; it must be "z" or "w"`},
		{"no inputs", image, "", nil, nil, `inputs.x: the model has no input "x"; it has none at all`},
		{"ambiguous layout", image, "", []manifest.Type{float("x", 1, 3, 3, 3)}, nil,
			`inputs.x: the input is float32[1,3,3,3], which could be "NCHW" or "NHWC"; "layout" must say which`},
		{"wrong layout", `"x": {"kind": "image", "layout": "HWC"}`, "", []manifest.Type{picture}, nil,
			"inputs.x: the input is float32[1,3,24,32]; that is no picture with 3 channels in the layout HWC"},
		{"gray", `"x": {"kind": "image", "colour": "gray"}`, "", []manifest.Type{float("x", 28, 28)}, nil, ""},
		{"empty picture", image, "", []manifest.Type{float("x", 1, 3, 0, 4)}, nil, "inputs.x: the input is float32[1,3,0,4]; a picture of 4×0 must have 1 to 16777216 pixels"},
		{"batch of two", image, "", []manifest.Type{float("x", 2, 3, 24, 32)}, nil, "inputs.x: the input is float32[2,3,24,32]; that is no picture with 3 channels"},
		{"bool", image, "", []manifest.Type{{"x", tensor.Bool, tensor.Shape{1, 3, 4, 4}}}, nil, "inputs.x: the input is bool[1,3,4,4]; for a picture it must hold numbers"},
		{"audio", audio, "", []manifest.Type{sound}, nil, ""},
		{"short audio", audio, "", []manifest.Type{float("x", 1, 64)}, nil, "inputs.x: the input float32[1,64] has 64 elements; context 64 and window 0 make 64"},
		{"open audio", audio, "", []manifest.Type{float("x", manifest.Unknown, manifest.Unknown)}, nil, `inputs.x: the input is float32[?,?]; its size is open, so "window" must give it`},
		{"integer audio", audio, "", []manifest.Type{{"x", tensor.Int16, tensor.Shape{576}}}, nil, "inputs.x: the input is int16[576]; for a sound it must hold floats"},
		{"value", `"x": {"kind": "tensor", "value": [1, 2]}`, "", []manifest.Type{float("x", 3)}, nil, "inputs.x: the value has 2 numbers; float32[3] needs 3, or one for all"},
		{"state", `"x": {"kind": "state", "from": "y"}`, "", []manifest.Type{float("x", 2, 1)}, []manifest.Type{float("y", 2, manifest.Unknown)}, ""},
		{"state of another shape", `"x": {"kind": "state", "from": "y"}`, "", []manifest.Type{float("x", 2)}, []manifest.Type{float("y", 3)},
			`inputs.x: the output "y" is float32[3]; to become the state it must be float32[2]`},
		{"state from nowhere", `"x": {"kind": "state", "from": "z"}`, "", []manifest.Type{float("x", 2)}, []manifest.Type{float("y", 2)},
			`inputs.x: the model has no output "z"; it must be "y"`},
		{"classes", "", `"y": {"kind": "classes", "labels": ["a", "b"]}`, nil, []manifest.Type{float("y", 1, 2)}, ""},
		{"unknown outputs", `"x": {"kind": "state", "from": "z"}`, `"y": {"kind": "boxes", "scores": "s"}`, []manifest.Type{float("x", 2)}, nil, ""},
		{"one label", "", `"y": {"kind": "classes", "labels": ["a"]}`, nil, []manifest.Type{float("y", 1, 3)}, "outputs.y: there is 1 label for 3 classes"},
		{"too few labels", "", `"y": {"kind": "classes", "labels": ["a", "b"]}`, nil, []manifest.Type{float("y", 1, 3)}, "outputs.y: there are 2 labels for 3 classes"},
		{"boxes", image, boxes, []manifest.Type{picture}, []manifest.Type{float("y", 1, 9, 4), float("s", 9, 2)}, ""},
		{"boxes without image", "", boxes, nil, []manifest.Type{float("y", 1, 9, 4), float("s", 1, 9, 2)}, "outputs.y: boxes need one input that is an image; there are 0"},
		{"boxes of another shape", image, boxes, []manifest.Type{picture}, []manifest.Type{float("y", 1, 9, 5), float("s", 1, 9, 2)}, "outputs.y: the output is float32[1,9,5]; boxes must be [1,N,4]"},
		{"boxes of rank 0", image, boxes, []manifest.Type{picture}, []manifest.Type{float("y"), float("s", 1, 9, 2)}, "outputs.y: the output is float32[]; boxes must be [1,N,4]"},
		{"scores of another shape", image, boxes, []manifest.Type{picture}, []manifest.Type{float("y", 1, 9, 4), float("s", 9)}, `outputs.y: the scores "s" are float32[9]; they must be [1,N,C], numbers`},
		{"other number of scores", image, boxes, []manifest.Type{picture}, []manifest.Type{float("y", 1, 9, 4), float("s", 1, 8, 2)}, "outputs.y: there are 9 boxes but scores for 8"},
		{"missing scores", image, boxes, []manifest.Type{picture}, []manifest.Type{float("y", 1, 9, 4)}, `outputs.y: the model has no output "s"; it must be "y"`},
		{"background beyond scores", image, `"y": {"kind": "boxes", "scores": "s", "background": 3}`, []manifest.Type{picture}, []manifest.Type{float("y", 9, 4), float("s", 9, 2)},
			"outputs.y: the background is column 3; the scores have 2 columns"},
		{"priors", image, `"y": {"kind": "boxes", "scores": "s", "format": "ssd", "priors": {"maps": [{"cells": [2, 2], "boxes": [1, 2]}]}}`, []manifest.Type{picture},
			[]manifest.Type{float("y", 9, 4), float("s", 9, 2)}, "outputs.y: the maps make 8 priors; the output has 9 boxes"},
		{"track", audio, `"y": {"kind": "track"}`, []manifest.Type{sound}, []manifest.Type{float("y", 1, 1)}, ""},
		{"track of two", audio, `"y": {"kind": "track"}`, []manifest.Type{sound}, []manifest.Type{float("y", 1, 2)}, `outputs.y: the output float32[1,2] has 2 elements; "index" must say which of them is the track`},
		{"track beyond", audio, `"y": {"kind": "track", "index": 2}`, []manifest.Type{sound}, []manifest.Type{float("y", 1, 2)}, "outputs.y: the index is 2; float32[1,2] has 2 elements"},
		{"track without sound", "", `"y": {"kind": "track"}`, nil, []manifest.Type{float("y", 1)}, "outputs.y: a track needs one input that is audio; there are 0"},
	} {
		t.Run(test.name, func(t *testing.T) {
			m := parse(t, `{"version": 1, "inputs": {`+test.in+`}, "outputs": {`+test.out+`}}`)
			got := ""
			if err := m.Check(test.inputs, test.outputs); err != nil {
				var errs manifest.Errors
				if !errors.As(err, &errs) || len(errs) != 1 {
					t.Fatalf("not one mistake: %v", err)
				}
				got = errs[0].Path + ": " + errs[0].Msg
				if errs[0].Line != 1 || errs[0].Column < 2 {
					t.Errorf("the mistake has no place: %v", err)
				}
			}
			if got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}

// TestCheckAll finds what does not fit a model beside what is wrong without one, and nothing that only follows from that.
func TestCheckAll(t *testing.T) {
	m, err := manifest.Parse("m", []byte(`{"version": 1, "outputs": {"y": {"kind": "classes", "top": -1, "labels": ["a"]}, "q": {"kind": "nonsense"}, "q": {"kind": "tensor"}, "b": {"kind": "track", "index": -1}},
"inputs": {"x": {"kind": "image", "size": [0, 0]}, "z": {"kind": "tensor"}}}`))
	if err == nil {
		t.Error("nothing is wrong")
	}
	err = m.Check([]manifest.Type{float("x", 1, 3, manifest.Unknown, 2), float("s")}, []manifest.Type{float("y", 3), float("b", 2)})
	want := []string{"outputs.y.top", "outputs.y", "outputs.q", "outputs.q.kind", "outputs", "outputs.q", "outputs.b", "outputs.b.index", "inputs.x.size[0]", "inputs.x.size[1]", "inputs.z"}
	var errs manifest.Errors
	var got []string
	errors.As(err, &errs)
	for _, e := range errs {
		got = append(got, e.Path)
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q: %v", got, err)
	}
}

func TestGrid(t *testing.T) {
	for _, test := range []struct {
		image manifest.Image
		shape tensor.Shape
		want  string
	}{
		{manifest.Image{Colour: manifest.RGB}, tensor.Shape{1, 3, 24, 32}, "NCHW[1,3,24,32]"},
		{manifest.Image{Colour: manifest.RGB}, tensor.Shape{1, 24, 32, 3}, "NHWC[1,24,32,3]"},
		{manifest.Image{Colour: manifest.RGB}, tensor.Shape{24, 32, 3}, "HWC[24,32,3]"},
		{manifest.Image{Colour: manifest.Gray}, tensor.Shape{24, 32}, "HW[24,32]"},
		{manifest.Image{Colour: manifest.Gray, Layout: "NHW"}, tensor.Shape{1, 24, 32}, "NHW[1,24,32]"},
		{manifest.Image{Colour: manifest.RGB, Width: 7, Height: 5}, tensor.Shape{manifest.Unknown, 3, manifest.Unknown, manifest.Unknown}, "NCHW[1,3,5,7]"},
	} {
		g, err := test.image.Grid(manifest.Type{"x", tensor.Float32, test.shape})
		if got := g.Layout + g.Shape().String(); err != nil || got != test.want {
			t.Errorf("%v gives %s (%v), want %s", test.shape, got, err, test.want)
		}
	}
}
