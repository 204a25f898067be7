package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/concord-nn/concord/manifest"
)

// overrides are the flags that change or replace what the manifest says.
type overrides struct {
	flags      *pflag.FlagSet
	size       []int
	colour     string
	layout     string
	resize     string
	filter     string
	crop       string
	margin     float64
	pad        []float64
	mean, std  []float64
	invert     bool
	rate       int
	labels     string
	softmax    bool
	top        int
	score, iou float64

	kinds map[string]any // what each flag that is given says, as an input or output of a manifest
	names []string       // of classes
}

func (o *overrides) register(f *pflag.FlagSet) {
	o.flags = f
	f.IntSliceVar(&o.size, "size", nil, "picture: `WIDTH,HEIGHT` that it is resized to")
	f.StringVar(&o.colour, "colour", "", "picture: rgb, bgr or gray")
	f.StringVar(&o.layout, "layout", "", "picture: order of dimensions, such as NCHW or NHWC")
	f.StringVar(&o.resize, "resize", "", "picture: stretch, fit or fill")
	f.StringVar(&o.filter, "filter", "", "picture: bilinear or area")
	f.StringVar(&o.crop, "crop", "", "picture: none, or content for what is bright (after --invert)")
	f.Float64Var(&o.margin, "margin", 0, "picture: space around the content, as a share of its longer side, 0 … 10")
	f.Float64SliceVar(&o.pad, "pad", nil, "picture: what lies outside of it, one `NUMBER[,...]` or red, green and blue, 0 … 255")
	f.Float64SliceVar(&o.mean, "mean", nil, "picture: mean of each channel, one `NUMBER[,...]` or three, 0 … 255; (x - mean) / std goes in")
	f.Float64SliceVar(&o.std, "std", nil, "picture: divisor of each channel, one `NUMBER[,...]` or three")
	f.BoolVar(&o.invert, "invert", false, "picture: replace x by 255 - x")
	f.IntVar(&o.rate, "rate", 0, "sound: samples a second that the model takes")
	f.StringVar(&o.labels, "labels", "", "classes: a `file` with one label a line")
	f.BoolVar(&o.softmax, "softmax", false, "classes: turn logits into probabilities")
	f.IntVar(&o.top, "top", 0, "classes: how many are shown, 0 for all")
	f.Float64Var(&o.score, "score", 0, "boxes: least score")
	f.Float64Var(&o.iou, "iou", 0, "boxes: overlap from which on the worse of two is dropped, 0 … 1")
}

// manifestFlag is a flag that stands for a key of a manifest. What it says is read as the manifest would be, so that both have the same ranges.
type manifestFlag struct {
	name  string
	kind  string // of the inputs or outputs that have the key
	key   string
	value func(o *overrides) any
	set   func(to, from any) // of that kind
}

func ofPicture(name, key string, value func(o *overrides) any, set func(to, from *manifest.Image)) manifestFlag {
	return manifestFlag{name, "image", key, value, func(to, from any) { set(to.(*manifest.Image), from.(*manifest.Image)) }}
}

var manifestFlags = []manifestFlag{
	ofPicture("size", "size", func(o *overrides) any { return o.size }, func(to, from *manifest.Image) { to.Width, to.Height = from.Width, from.Height }),
	ofPicture("colour", "colour", func(o *overrides) any { return o.colour }, func(to, from *manifest.Image) { to.Colour = from.Colour }),
	ofPicture("layout", `colour":"gray","layout`, func(o *overrides) any { return strings.ToUpper(o.layout) }, func(to, from *manifest.Image) { to.Layout = from.Layout }),
	ofPicture("resize", "resize", func(o *overrides) any { return o.resize }, func(to, from *manifest.Image) { to.Resize = from.Resize }),
	ofPicture("filter", "filter", func(o *overrides) any { return o.filter }, func(to, from *manifest.Image) { to.Filter = from.Filter }),
	ofPicture("crop", "crop", func(o *overrides) any { return o.crop }, func(to, from *manifest.Image) { to.Crop = from.Crop }),
	ofPicture("margin", `crop":"content","margin`, func(o *overrides) any { return o.margin }, func(to, from *manifest.Image) { to.Margin = from.Margin }),
	ofPicture("pad", "pad", func(o *overrides) any { return o.pad }, func(to, from *manifest.Image) { to.Pad = from.Pad }),
	ofPicture("mean", "mean", func(o *overrides) any { return o.mean }, func(to, from *manifest.Image) { to.Mean = from.Mean }),
	ofPicture("std", "std", func(o *overrides) any { return o.std }, func(to, from *manifest.Image) { to.Std = from.Std }),
	ofPicture("invert", "invert", func(o *overrides) any { return o.invert }, func(to, from *manifest.Image) { to.Invert = from.Invert }),
	{"rate", "audio", "rate", func(o *overrides) any { return o.rate }, func(to, from any) { to.(*manifest.Audio).Rate = from.(*manifest.Audio).Rate }},
	{"softmax", "classes", "softmax", func(o *overrides) any { return o.softmax }, func(to, from any) { to.(*manifest.Classes).Logits = from.(*manifest.Classes).Logits }},
	{"top", "classes", "top", func(o *overrides) any { return o.top }, func(to, from any) { to.(*manifest.Classes).Top = from.(*manifest.Classes).Top }},
	{"score", "boxes", "score_threshold", func(o *overrides) any { return o.score }, func(to, from any) { to.(*manifest.Boxes).ScoreThreshold = from.(*manifest.Boxes).ScoreThreshold }},
	{"iou", "boxes", "iou_threshold", func(o *overrides) any { return o.iou }, func(to, from any) { to.(*manifest.Boxes).IoUThreshold = from.(*manifest.Boxes).IoUThreshold }},
}

// flagsOf returns the names of the flags that describe a kind of input or output: one of those of pictures or classes makes an input or output of
// that kind of the only one, if nothing describes it.
func flagsOf(kind string) []string {
	var names []string
	for _, f := range manifestFlags {
		if f.kind == kind {
			names = append(names, f.name)
		}
	}
	if kind == "classes" {
		names = append(names, "labels")
	}
	return names
}

func (o *overrides) given(names ...string) bool {
	return slices.ContainsFunc(names, o.flags.Changed)
}

// listed names the flags that are given and describe a kind of input or output.
func (o *overrides) listed(kind string) string {
	return "--" + strings.Join(slices.DeleteFunc(flagsOf(kind), func(name string) bool { return !o.given(name) }), ", --")
}

// check finds what is wrong with the flags themselves, before any file is read but that of the labels.
func (o *overrides) check() (err error) {
	o.kinds = make(map[string]any)
	for _, f := range manifestFlags {
		if !o.given(f.name) {
			continue
		}
		if o.kinds[f.name], err = f.read(o); err != nil {
			return &codedError{exitUsage, err}
		}
	}
	if o.given("labels") {
		if o.names, err = manifest.ReadLabels(o.labels); errors.Is(err, fs.ErrNotExist) {
			return &codedError{exitInput, fmt.Errorf("--labels %s: there is no such file or folder", o.labels)}
		} else if err != nil {
			return fmt.Errorf("--labels: %w", err)
		}
	}
	return nil
}

// change changes an input or output of a kind as the flags say.
func (o *overrides) change(kind string, to any) {
	for _, f := range manifestFlags {
		if f.kind == kind && o.kinds[f.name] != nil {
			f.set(to, o.kinds[f.name])
		}
	}
}

// read reads the flag as a manifest that says nothing else.
func (f *manifestFlag) read(o *overrides) (any, error) {
	value := f.value(o)
	text, err := json.Marshal(value)
	if err != nil { // JSON has no such numbers
		text = fmt.Appendf(nil, "%q", strings.ReplaceAll(fmt.Sprint(value), " ", ","))
	}
	inputs, outputs, own := "", "", fmt.Sprintf(`"x":{"kind":%q,"%s":%s}`, f.kind, f.key, text)
	switch f.kind {
	case "image", "audio":
		inputs = own
	case "boxes":
		outputs = strings.Replace(own, "{", `{"scores":"x",`, 1)
	default:
		outputs = own
	}
	m, err := manifest.Parse("", fmt.Appendf(nil, `{"version":1,"inputs":{%s},"outputs":{%s}}`, inputs, outputs))
	if wrong := (manifest.Errors)(nil); errors.As(err, &wrong) { // in words for values of JSON
		why, must, both := strings.Cut(wrong[0].Msg, "; ")
		if !both {
			must = why
		}
		return nil, fmt.Errorf("--%s %s: %s", f.name, strings.Trim(string(text), `[]"`), must)
	}
	if err != nil {
		return nil, err
	}
	if inputs != "" {
		return m.Inputs[0].Kind, nil
	}
	return m.Outputs[0].Kind, nil
}

// applyInputs changes what the manifest says of inputs, whose names are given.
func (o *overrides) applyInputs(m *manifest.Manifest, names []string) error {
	images, sounds := 0, 0
	for _, in := range m.Inputs {
		switch in.Kind.(type) {
		case *manifest.Image:
			images++
		case *manifest.Audio:
			sounds++
		}
	}
	pictures := o.given(flagsOf("image")...)
	if pictures && images == 0 {
		if len(names) != 1 || m.Input(names[0]) != nil {
			return fmt.Errorf("%s: no picture is described", o.listed("image"))
		}
		m.Inputs = append(m.Inputs, manifest.Input{Name: names[0], Kind: &manifest.Image{Colour: manifest.RGB, Crop: manifest.CropNone, Resize: manifest.Stretch,
			Filter: manifest.Bilinear, Mean: []float64{0}, Std: []float64{1}, Pad: []float64{0}}})
	}
	if o.given("rate") && sounds == 0 {
		return errors.New("--rate: no sound is described")
	}
	for _, in := range m.Inputs {
		switch k := in.Kind.(type) {
		case *manifest.Image:
			if o.change("image", k); pictures {
				if err := consistent(k); err != nil {
					return err
				}
			}
		case *manifest.Audio:
			o.change("audio", k)
		}
	}
	return nil
}

// blamed is the error of a manifest that does not fit the model, which is the command line's where flags say what does not fit.
func (o *overrides) blamed(err error) error {
	wrong := (manifest.Errors)(nil)
	if !errors.As(err, &wrong) {
		return err
	}
	decisive := []string{"labels"}
	if strings.HasPrefix(wrong[0].Path, "inputs.") {
		decisive = []string{"size", "layout", "colour"}
	}
	decisive = slices.DeleteFunc(decisive, func(name string) bool { return !o.given(name) })
	if len(decisive) == 0 {
		return err
	}
	return refused("--%s: %s", strings.Join(decisive, ", --"), wrong[0].Msg)
}

// consistent finds flags that do not go together with what else is said of a picture.
func consistent(im *manifest.Image) error {
	switch n := im.Colour.Channels(); {
	case len(im.Mean) > n || len(im.Std) > n:
		return fmt.Errorf("--mean, --std: %d and %d numbers; there must be one, or one for each of the %d channels", len(im.Mean), len(im.Std), n)
	case im.Layout != "" && !strings.Contains(im.Layout, "C") && n > 1:
		return fmt.Errorf("--layout %s: it has no channels, which is for --colour gray", im.Layout)
	case im.Margin > 0 && im.Crop == manifest.CropNone:
		return errors.New("--margin is only of use with --crop content")
	}
	return nil
}

// applyOutputs changes what the manifest says of outputs, whose names are given.
func (o *overrides) applyOutputs(m *manifest.Manifest, names []string) error {
	lists, boxes := 0, 0
	for _, out := range m.Outputs {
		switch out.Kind.(type) {
		case *manifest.Classes:
			lists++
		case *manifest.Boxes:
			boxes++
		}
	}
	if o.given(flagsOf("classes")...) && lists == 0 {
		if len(names) != 1 || m.Output(names[0]) != nil {
			return fmt.Errorf("%s: no classes are described", o.listed("classes"))
		}
		m.Outputs = append(m.Outputs, manifest.Output{Name: names[0], Kind: &manifest.Classes{Top: 5}})
	}
	if o.given(flagsOf("boxes")...) && boxes == 0 {
		return fmt.Errorf("%s: no boxes are described", o.listed("boxes"))
	}
	for _, out := range m.Outputs {
		switch k := out.Kind.(type) {
		case *manifest.Classes:
			if o.change("classes", k); o.given("labels") {
				k.Names = o.names
			}
		case *manifest.Boxes:
			o.change("boxes", k)
		}
	}
	return nil
}
