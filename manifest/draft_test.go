package manifest_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/manifest"
	"github.com/concord-nn/concord/tensor"
)

// TestDraft describes models by their types, so that the description fits them and can be read again.
func TestDraft(t *testing.T) {
	f := func(name string, shape ...int) manifest.Type { return manifest.Type{name, tensor.Float32, shape} }
	for _, c := range []struct {
		inputs, outputs []manifest.Type
		want            string // the kinds
	}{
		{[]manifest.Type{f("x", 1, 3, 224, 224)}, []manifest.Type{f("y", 1, 1000)}, "x image NCHW rgb; y classes softmax"},
		{[]manifest.Type{f("x", 1, 28, 28, 1)}, []manifest.Type{f("p", 1, 10)}, "x image NHWC gray; p classes"},
		{[]manifest.Type{f("x", manifest.Unknown, 3, manifest.Unknown, manifest.Unknown)}, []manifest.Type{f("y", manifest.Unknown, 10)}, "x image NCHW rgb 224; y tensor"},
		{[]manifest.Type{{"x", tensor.Uint8, tensor.Shape{32, 32, 3}}}, []manifest.Type{f("y", 32, 32, 3)}, "x image HWC rgb; y tensor"},
		{[]manifest.Type{f("x", 4, 3, 224, 224)}, []manifest.Type{f("y", 4, 10)}, "x tensor; y tensor"},
		{[]manifest.Type{f("x", 1, 16)}, []manifest.Type{f("y", 1, 3)}, "x tensor; y classes softmax"},
		{[]manifest.Type{f("x", 1, 3, 2, 2)}, nil, "x tensor; "},
		{[]manifest.Type{f("image", 1, 3, 240, 320)}, []manifest.Type{f("scores", 1, 4420, 2), f("boxes", 1, 4420, 4)}, "image image NCHW rgb; boxes boxes of scores"},
		{[]manifest.Type{f("input", 1, 512), f("state", 2, 1, 128), {"sr", tensor.Int64, tensor.Shape{}}}, []manifest.Type{f("output", 1, 1), f("stateN", 2, 1, 128)},
			"input audio, state state of stateN, sr tensor 16000; output track"},
		{[]manifest.Type{f("audio", 1, manifest.Unknown)}, []manifest.Type{f("logit", 1)}, "audio audio 512; logit track"},
		{[]manifest.Type{{"ids", tensor.Int64, tensor.Shape{1, 128}}}, []manifest.Type{f("hidden", 1, 128, 64)}, "ids tensor; hidden tensor"},
		{[]manifest.Type{f("x", 1, 3, 8, 8)}, []manifest.Type{{Name: "y"}, {"mask", tensor.Bool, tensor.Shape{1, 2}}}, "x image NCHW rgb; y tensor, mask tensor"},
		{[]manifest.Type{f("a\x1b", 1, 3, 8, 8), f("", 1), f(strings.Repeat("x", limits.ManifestName+1), 1)}, nil, "; "},
		{[]manifest.Type{f("h", 1, 8)}, []manifest.Type{{Name: "h_out"}}, "h state of h_out; h_out tensor"},
		{nil, nil, "; "},
	} {
		m := manifest.Draft(c.inputs, c.outputs, func(output string) bool { return output == "p" })
		if got := kindsOf(m); got != c.want {
			t.Errorf("%v → %v: %s; want %s", c.inputs, c.outputs, got, c.want)
		}
		text, err := m.Encode()
		if err != nil {
			t.Fatal(err)
		}
		read, err := manifest.Parse("draft", text)
		if err != nil {
			t.Fatal(err)
		}
		if err := read.Check(c.inputs, c.outputs); err != nil {
			t.Errorf("the draft does not fit: %v in\n%s", err, text)
		}
	}
}

// kindsOf writes the kinds of a manifest with what was guessed of them.
func kindsOf(m *manifest.Manifest) string {
	var in, out []string
	for _, i := range m.Inputs {
		words := []string{i.Name, manifest.InputKindName(i.Kind)}
		switch k := i.Kind.(type) {
		case *manifest.Image:
			words = append(words, k.Layout, string(k.Colour))
			if k.Width > 0 {
				words = append(words, strconv.Itoa(k.Width))
			}
		case *manifest.Audio:
			if k.Window > 0 {
				words = append(words, strconv.Itoa(k.Window))
			}
			if k.Scale != 1 {
				words = append(words, "of another loudness")
			}
		case *manifest.State:
			words = append(words, "of", k.From)
		case *manifest.Tensor:
			if k.Value != nil {
				words = append(words, strconv.Itoa(int(k.Value[0])))
			}
		}
		in = append(in, strings.Join(words, " "))
	}
	for _, o := range m.Outputs {
		words := []string{o.Name, manifest.OutputKindName(o.Kind)}
		switch k := o.Kind.(type) {
		case *manifest.Classes:
			if k.Logits {
				words = append(words, "softmax")
			}
		case *manifest.Boxes:
			words = append(words, "of", k.Scores)
		}
		out = append(out, strings.Join(words, " "))
	}
	return strings.Join(in, ", ") + "; " + strings.Join(out, ", ")
}
