package manifest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/concord-nn/concord/tensor"
)

// Draft returns a first manifest for a model, of what its inputs and outputs look like, with notes that say what was guessed. It fits the
// model ([Manifest.Check]). probabilities says of an output whether it is known to hold probabilities, and not logits.
func Draft(inputs, outputs []Type, probabilities func(output string) bool) *Manifest {
	d := &draft{inputs: listable(inputs), outputs: listable(outputs), probabilities: probabilities}
	inputs, outputs = d.inputs, d.outputs
	for _, t := range inputs {
		kind, note := d.input(t)
		d.m.Inputs = append(d.m.Inputs, Input{Name: t.Name, Kind: kind, Note: note})
	}
	d.images, d.sounds = count[*Image](d.m.Inputs), count[*Audio](d.m.Inputs)
	for i := range d.m.Inputs {
		if t, ok := d.m.Inputs[i].Kind.(*Tensor); ok && d.sounds == 1 && named(inputs[i].Name, "sr", "rate") && inputs[i].Shape.Len() == 1 {
			t.Value, d.m.Inputs[i].Note = []float64{draftRate}, "guessed from the name: the samples a second of the sound"
		}
	}
	for _, t := range outputs {
		if kind, note := d.output(t); kind != nil {
			d.m.Outputs = append(d.m.Outputs, Output{Name: t.Name, Kind: kind, Note: note})
		}
	}
	return &d.m
}

// listable returns the types whose names can stand in a manifest, and as many as can.
func listable(types []Type) []Type {
	var list []Type
	for _, t := range types {
		if t.Name != "" && len(t.Name) <= maxName && printable(t.Name) && len(list) < maxNamed {
			list = append(list, t)
		}
	}
	return list
}

// What a draft says of what a model leaves open.
const (
	draftSize   = 224   // pixels
	draftRate   = 16000 // samples a second
	draftWindow = 512   // samples
	leastSide   = 8     // of what is taken for a picture
	leastWindow = 160   // of what is taken for a sound
	leastBoxes  = 16    // of what is taken for boxes, where 4 numbers may be anything
)

type draft struct {
	m               Manifest
	inputs, outputs []Type
	probabilities   func(output string) bool
	images, sounds  int
}

func (d *draft) input(t Type) (InputKind, string) {
	if from, ok := d.state(t); ok {
		return &State{From: from}, "guessed from the names and types: what this output was in the run before"
	}
	if im, note := pictureOf(t); im != nil {
		return im, note
	}
	if a, note := soundOf(t); a != nil {
		return a, note
	}
	return &Tensor{}, ""
}

// pictureOf describes an input that looks like a picture.
func pictureOf(t Type) (*Image, string) {
	if !t.DType.IsFloat() && t.DType != tensor.Uint8 && t.DType != tensor.Int8 {
		return nil, ""
	}
	for _, layout := range []string{"NCHW", "NHWC", "CHW", "HWC"} {
		for _, colour := range []Colour{RGB, Gray} {
			im := &Image{Layout: layout, Colour: colour}
			if !(Grid{Layout: layout, Channels: colour.Channels()}).fits(t.Shape) || t.Shape[strings.Index(layout, "C")] == Unknown {
				continue
			}
			height, width := t.Shape[strings.Index(layout, "H")], t.Shape[strings.Index(layout, "W")]
			if height != Unknown && height < leastSide || width != Unknown && width < leastSide {
				continue
			}
			note := fmt.Sprintf("guessed from the shape: a picture, %s, %s; ", colour, layout)
			if height == Unknown || width == Unknown {
				im.Width, im.Height = pick(width), pick(height)
				note += "the model leaves the size open; "
			}
			switch {
			case t.DType.IsFloat():
				im.Std = []float64{255}
				note += "values from 0 to 1, where the authors of the model may say another mean and std, times 255"
			case t.DType == tensor.Int8:
				im.Mean = []float64{128}
				note += "values from -128 to 127"
			default:
				note += "values from 0 to 255"
			}
			if _, err := im.Grid(t); err == nil {
				return im, note
			}
		}
	}
	return nil, ""
}

func pick(extent int) int {
	if extent == Unknown {
		return draftSize
	}
	return extent
}

// soundOf describes an input that looks like a window of a sound.
func soundOf(t Type) (*Audio, string) {
	last := len(t.Shape) - 1
	if !t.DType.IsFloat() || last < 0 || slices.ContainsFunc(t.Shape[:last], func(n int) bool { return n != 1 && n != Unknown }) {
		return nil, ""
	}
	n := t.Shape[last]
	told := named(t.Name, "audio", "wav", "wave", "waveform", "sound", "speech", "pcm", "samples")
	if !told && (n == Unknown || n < leastWindow || n%leastWindow != 0 && n&(n-1) != 0) {
		return nil, ""
	}
	a := &Audio{Rate: draftRate, Scale: 1}
	note := "guessed: windows of a sound; the authors of the model say how many samples a second"
	if n == Unknown {
		a.Window = draftWindow
		note += ", and how many a window has, which the model leaves open"
	}
	if _, err := a.Frame(t); err != nil {
		return nil, ""
	}
	return a, note
}

// state finds the output that an input was in the run before: one with nearly the same name and, where it is known, of the same type.
func (d *draft) state(t Type) (string, bool) {
	for _, o := range d.outputs {
		same := o.DType == t.DType && o.Shape.Equal(t.Shape) || o.DType == tensor.Invalid // which only a run shows
		if same && len(t.Shape) > 0 && stem(o.Name) == stem(t.Name) && stem(t.Name) != "" {
			return o.Name, true
		}
	}
	return "", false
}

// stem is a name without what tells a state from the next one.
func stem(name string) string {
	words := slices.DeleteFunc(words(name), func(w string) bool {
		return slices.Contains([]string{"in", "out", "input", "output", "n", "new", "next", "prev", "previous", "initial", "final"}, w)
	})
	return strings.Join(words, "_")
}

// words divides a name at what is no letter or digit, and where a small letter is followed by a great one.
func words(name string) []string {
	var b strings.Builder
	last := rune(0)
	for _, r := range name {
		switch {
		case r >= 'A' && r <= 'Z':
			if last >= 'a' && last <= 'z' {
				b.WriteByte(' ')
			}
			b.WriteRune(r + 'a' - 'A')
		case r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r > 0x7f:
			b.WriteRune(r)
		default:
			b.WriteByte(' ')
		}
		last = r
	}
	return strings.Fields(b.String())
}

// named reports whether one of the words of a name is among some.
func named(name string, among ...string) bool {
	return slices.ContainsFunc(words(name), func(w string) bool { return slices.Contains(among, w) })
}

// output describes an output; nil if another one's meaning takes it in.
func (d *draft) output(t Type) (OutputKind, string) {
	numbers := t.DType.IsFloat() || t.DType.IsInteger()
	elements, known := size(t.Shape)
	if t.DType == tensor.Invalid || !numbers {
		return &Plain{}, ""
	}
	if slices.ContainsFunc(d.m.Inputs, func(in Input) bool { s, ok := in.Kind.(*State); return ok && s.From == t.Name }) {
		return nil, ""
	}
	if scores := d.scoresOf(t); scores != nil && d.images == 1 {
		return &Boxes{Scores: scores.Name, Background: -1, Format: Corners, Units: Unit, ScoreThreshold: 0.5, IoUThreshold: 0.5},
			"guessed from the shapes: corners of boxes, as shares of the picture, with their scores; labels, background, format and units the authors of the model say"
	}
	if slices.ContainsFunc(d.outputs, func(o Type) bool { s := d.scoresOf(o); return s != nil && s.Name == t.Name }) && d.images == 1 {
		return nil, "" // these are the scores
	}
	if d.sounds == 1 && known && elements == 1 {
		return &Track{Index: -1, Threshold: 0.5}, "guessed: the probability of something in each window; label says what"
	}
	if known && elements > 1 && elements <= maxLabels && t.Shape[len(t.Shape)-1] == elements && len(t.Shape) <= 2 {
		c := &Classes{Top: 5, Logits: t.DType.IsFloat() && !d.probabilities(t.Name)}
		note := "guessed from the shape: a value for each class; labels or labels_file names them"
		if c.Logits {
			note += "; logits, as the model does not end in probabilities"
		}
		return c, note
	}
	return &Plain{}, ""
}

// scoresOf returns the output with the scores of boxes; nil if an output does not look like boxes.
func (d *draft) scoresOf(t Type) *Type {
	n, ok := rows(t.Shape)
	if !ok || n == Unknown || n < leastBoxes || t.Shape[len(t.Shape)-1] != 4 {
		return nil
	}
	for i := range d.outputs {
		o := &d.outputs[i]
		if m, ok := rows(o.Shape); ok && o.Name != t.Name && m == n && len(o.Shape) == len(t.Shape) && o.DType.IsFloat() && o.Shape[len(o.Shape)-1] != 4 {
			return o
		}
	}
	return nil
}
