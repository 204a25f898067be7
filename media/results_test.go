package media

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/concord-nn/concord/manifest"
	"github.com/concord-nn/concord/tensor"
)

func floats(t *testing.T, data []float32, shape ...int) *tensor.Tensor {
	t.Helper()
	x, err := tensor.FromSlice(data, shape...)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// output returns the kind of an output that the JSON text describes.
func output[K manifest.OutputKind](t *testing.T, text string) K {
	t.Helper()
	m, err := manifest.Parse("test.json", []byte(`{"version": 1, "inputs": {}, "outputs": {"y": {`+text+`}}}`))
	if err != nil {
		t.Fatal(err)
	}
	return m.Output("y").(K)
}

func TestClasses(t *testing.T) {
	nan := float32(math.NaN())
	for _, test := range []struct {
		name, spec string
		values     []float32
		want       []Class
	}{
		{"sorted", `"kind": "classes", "labels": ["a", "b", "c"]`, []float32{0.2, 0.7, 0.1}, []Class{{1, "b", 0.7}, {0, "a", 0.2}, {2, "c", 0.1}}},
		{"equal ones in order", `"kind": "classes", "labels": ["a", "b", "c"], "top": 2`, []float32{0.1, 0.3, 0.3}, []Class{{1, "b", 0.3}, {2, "c", 0.3}}},
		{"without labels", `"kind": "classes", "top": 0`, []float32{0, 1}, []Class{{1, "class 1", 1}, {0, "class 0", 0}}},
		{"NaN last", `"kind": "classes"`, []float32{nan, -1, 0}, []Class{{2, "class 2", 0}, {1, "class 1", -1}, {0, "class 0", nan}}},
		{"softmax", `"kind": "classes", "softmax": true`, []float32{5, 5}, []Class{{0, "class 0", 0.5}, {1, "class 1", 0.5}}},
		{"none", `"kind": "classes"`, nil, []Class{}},
	} {
		got, err := Classes(output[*manifest.Classes](t, test.spec), floats(t, test.values, 1, len(test.values)))
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
		}
		same := func(a, b Class) bool {
			return a.Index == b.Index && a.Label == b.Label && (a.Probability == b.Probability || a.Probability != a.Probability && b.Probability != b.Probability)
		}
		if !slices.EqualFunc(got, test.want, same) {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
	}
	half, err := tensor.Cast(floats(t, []float32{0.5, 0.25}, 2), tensor.Float16)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := Classes(&manifest.Classes{}, half); err != nil || got[0].Probability != 0.5 {
		t.Errorf("float16: %v, %v", got, err)
	}
}

func TestBoxes(t *testing.T) {
	view := View{100, 50, 200, 100, 40, 20} // a part of the picture, seen as 40×20 pixels
	one := []float32{0.9}
	for _, test := range []struct {
		name, spec    string
		boxes, scores []float32
		want          []Box
	}{
		{"corners", `"kind": "boxes", "scores": "s", "labels": ["cat"]`, []float32{0.25, 0.5, 0.75, 1}, one, []Box{{0, "cat", 0.9, 150, 100, 250, 150}}},
		{"corners in pixels", `"kind": "boxes", "scores": "s", "units": "pixels"`, []float32{10, 10, 30, 25}, one, []Box{{0, "class 0", 0.9, 150, 100, 250, 175}}},
		{"centre", `"kind": "boxes", "scores": "s", "format": "centre"`, []float32{0.5, 0.5, 0.5, 1}, one, []Box{{0, "class 0", 0.9, 150, 50, 250, 150}}},
		{"centre in pixels", `"kind": "boxes", "scores": "s", "format": "centre", "units": "pixels"`, []float32{20, 10, 20, 20}, one,
			[]Box{{0, "class 0", 0.9, 150, 50, 250, 150}}},
		{"priors", `"kind": "boxes", "scores": "s", "format": "ssd", "priors": {"maps": [{"cells": [1, 1], "boxes": [[20, 10]]}], "variance": [0.5, 1]}`,
			[]float32{1, 0, 0, 0}, one, []Box{{0, "class 0", 0.9, 200, 75, 300, 125}}},
		{"clamped priors", `"kind": "boxes", "scores": "s", "format": "ssd", "priors": {"size": [10, 10], "clamp": true, "maps": [{"cells": [1, 1], "boxes": [20]}]}`,
			[]float32{0, 0, 0, 0}, one, []Box{{0, "class 0", 0.9, 100, 50, 300, 150}}},
		{"low score", `"kind": "boxes", "scores": "s", "score_threshold": 0.9`, []float32{0, 0, 1, 1}, []float32{0.9}, nil},
		{"not finite", `"kind": "boxes", "scores": "s"`, []float32{float32(math.Inf(-1)), 0, 1, 1}, one, nil},
	} {
		s := floats(t, test.scores, 1, len(test.scores), 1)
		got, err := Boxes(output[*manifest.Boxes](t, test.spec), view, floats(t, test.boxes, 1, len(test.boxes)/4, 4), s)
		if err != nil || !slices.Equal(got, test.want) {
			t.Errorf("%s: %v, %v; want %v", test.name, got, err, test.want)
		}
	}
}

func TestSuppression(t *testing.T) {
	boxes := floats(t, []float32{0, 0, 10, 10, 1, 0, 11, 10, 0, 0, 10, 10, 50, 50, 60, 60}, 4, 4)
	scores := floats(t, []float32{
		0.0, 0.8, 0.1,
		0.1, 0.9, 0.0,
		0.1, 0.0, 0.7,
		0.9, 0.6, 0.0,
	}, 4, 3)
	text := `"kind": "boxes", "scores": "s", "labels": ["nothing", "cat", "dog"], "background": 0, "units": "pixels"`
	view := View{0, 0, 100, 100, 100, 100}
	for _, test := range []struct{ more, want string }{
		{"", "cat 0.9, dog 0.7, cat 0.6"},
		{`, "limit": 2`, "cat 0.9, dog 0.7"},
		{`, "iou_threshold": 0.9`, "cat 0.9, cat 0.8, dog 0.7, cat 0.6"},
		{`, "score_threshold": 0.65`, "cat 0.9, dog 0.7"},
	} {
		found, err := Boxes(output[*manifest.Boxes](t, text+test.more), view, boxes, scores)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, b := range found {
			names = append(names, fmt.Sprint(b.Label, " ", b.Score))
		}
		if got := strings.Join(names, ", "); got != test.want {
			t.Errorf("%s: %s, want %s", test.more, got, test.want)
		}
	}
	for _, wrong := range []*tensor.Tensor{floats(t, make([]float32, 9), 3, 3), floats(t, make([]float32, 12), 12), floats(t, make([]float32, 24), 2, 4, 3)} {
		if _, err := Boxes(output[*manifest.Boxes](t, text), view, boxes, wrong); err == nil {
			t.Errorf("scores %v were taken", wrong)
		}
	}
	deltas := output[*manifest.Boxes](t, `"kind": "boxes", "scores": "s", "format": "ssd", "priors": {"maps": [{"cells": [1, 1], "boxes": [1]}]}`)
	if _, err := Boxes(deltas, view, boxes, scores); err == nil || err.Error() != "there are 4 boxes for 1 priors" {
		t.Errorf("a wrong number of priors gives %v", err)
	}
}

func TestTrack(t *testing.T) {
	spec := output[*manifest.Track](t, `"kind": "track", "label": "speech"`)
	if v, err := TrackValue(spec, floats(t, []float32{0.25}, 1, 1)); err != nil || v != 0.25 {
		t.Errorf("%v, %v", v, err)
	}
	if _, err := TrackValue(spec, floats(t, []float32{0.25, 1}, 1, 2)); err == nil {
		t.Error("one of two elements was taken")
	}
	second := output[*manifest.Track](t, `"kind": "track", "index": 1`)
	if v, err := TrackValue(second, floats(t, []float32{0.25, 1}, 1, 2)); err != nil || v != 1 {
		t.Errorf("%v, %v", v, err)
	}
	if _, err := TrackValue(second, floats(t, []float32{0.25}, 1)); err == nil {
		t.Error("an element that does not exist was taken")
	}
	track := Track{Threshold: 0.5, Step: 0.25, Values: []float32{0.6, 0.4, 0.5, 0.9, float32(math.NaN()), 1}}
	if got, want := track.Segments(), []Segment{{0, 0.25}, {0.5, 1}, {1.25, 1.5}}; !slices.Equal(got, want) {
		t.Errorf("segments %v, want %v", got, want)
	}
}

func TestPrepareAudio(t *testing.T) {
	spec := &manifest.Audio{Rate: 10, Window: 4, Hop: 3, Context: 2, Scale: 2}
	x := manifest.Type{Name: "x", DType: tensor.Float32, Shape: tensor.Shape{manifest.Unknown, 6}}
	f, err := PrepareAudio(spec, x, &Sound{10, 1, []float32{1, 2, 3, 4, 5, 6, 7, 8}})
	if err != nil {
		t.Fatal(err)
	}
	want := [][]float32{{0, 0, 2, 4, 6, 8}, {4, 6, 8, 10, 12, 14}, {10, 12, 14, 16, 0, 0}}
	if f.Len() != len(want) || f.Step() != 0.3 {
		t.Fatalf("%d windows, %v seconds apart", f.Len(), f.Step())
	}
	for i, w := range want {
		got, err := f.At(i)
		if err != nil || got.Describe() != "float32[1,6]" || !slices.Equal(tensor.Data[float32](got), w) {
			t.Errorf("window %d is %v %v (%v), want %v", i, got, tensor.Data[float32](got), err, w)
		}
	}
	for _, i := range []int{-1, 3} {
		if _, err := f.At(i); err == nil {
			t.Errorf("there is a window %d", i)
		}
	}
	if f, err := PrepareAudio(spec, x, &Sound{20, 1, make([]float32, 14)}); err != nil || f.Len() != 2 || f.Step() != 0.3 {
		t.Errorf("another rate gives %v", err)
	}
	if _, err := PrepareAudio(spec, x, &Sound{641, 1, []float32{1}}); err == nil || !strings.Contains(err.Error(), "cannot be changed to 10") {
		t.Errorf("a rate far off gives %v", err)
	}
	if empty, err := PrepareAudio(spec, x, &Sound{10, 1, nil}); err != nil || empty.Len() != 0 {
		t.Errorf("silence of no length gives %v, %v", empty, err)
	}
	// A window longer than the hop and the sound: one run sees all of it.
	long := &manifest.Audio{Rate: 10, Window: 9, Hop: 1, Scale: 1}
	if f, err := PrepareAudio(long, manifest.Type{Name: "x", DType: tensor.Float16, Shape: tensor.Shape{9}}, &Sound{10, 1, []float32{1, 2}}); err != nil || f.Len() != 1 {
		t.Errorf("%v, %v", f, err)
	} else if got, err := f.At(0); err != nil || got.DType() != tensor.Float16 {
		t.Errorf("%v, %v", got, err)
	}
}

func TestValue(t *testing.T) {
	typ := func(d tensor.DType, shape ...int) manifest.Type {
		return manifest.Type{Name: "x", DType: d, Shape: shape}
	}
	got, err := Value(&manifest.Tensor{Value: []float64{16000}}, typ(tensor.Int64))
	if err != nil || got.Rank() != 0 || tensor.Data[int64](got)[0] != 16000 {
		t.Errorf("%v, %v", got, err)
	}
	got, err = Value(&manifest.Tensor{Value: []float64{0.5}}, typ(tensor.Float32, 2, 3))
	if err != nil || !slices.Equal(tensor.Data[float32](got), []float32{0.5, 0.5, 0.5, 0.5, 0.5, 0.5}) {
		t.Errorf("%v, %v", got, err)
	}
	got, err = Value(&manifest.Tensor{Value: []float64{1, 0}}, typ(tensor.Bool, 2, 1))
	if err != nil || !slices.Equal(tensor.Data[bool](got), []bool{true, false}) {
		t.Errorf("%v, %v", got, err)
	}
	if got, err := Value(&manifest.Tensor{}, typ(tensor.Float32, 2)); got != nil || err != nil {
		t.Errorf("%v, %v", got, err)
	}
	for _, test := range []struct {
		value []float64
		typ   manifest.Type
	}{
		{[]float64{1, 2}, typ(tensor.Float32, 3)},
		{[]float64{1}, typ(tensor.Float32, manifest.Unknown)},
		{[]float64{256}, typ(tensor.Uint8, 1)},
		{[]float64{0.5}, typ(tensor.Int32, 1)},
		{[]float64{1 << 63}, typ(tensor.Int64, 1)},
		{[]float64{2}, typ(tensor.Bool, 1)},
	} {
		if got, err := Value(&manifest.Tensor{Value: test.value}, test.typ); err == nil {
			t.Errorf("%v as %v gives %v", test.value, test.typ, got)
		}
	}
}
