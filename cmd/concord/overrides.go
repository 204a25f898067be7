package main

import (
	"fmt"
	"os"
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
	mean, std  []float64
	invert     bool
	rate       int
	labels     string
	softmax    bool
	top        int
	score, iou float64
}

func (o *overrides) register(f *pflag.FlagSet) {
	o.flags = f
	f.IntSliceVar(&o.size, "size", nil, "picture: `WIDTH,HEIGHT` that it is resized to")
	f.StringVar(&o.colour, "colour", "", "picture: rgb, bgr or gray")
	f.StringVar(&o.layout, "layout", "", "picture: order of dimensions, NCHW or NHWC")
	f.StringVar(&o.resize, "resize", "", "picture: stretch, fit or fill")
	f.StringVar(&o.filter, "filter", "", "picture: bilinear or area")
	f.Float64SliceVar(&o.mean, "mean", nil, "picture: mean of each channel, 0 … 255; (x - mean) / std goes in")
	f.Float64SliceVar(&o.std, "std", nil, "picture: divisor of each channel")
	f.BoolVar(&o.invert, "invert", false, "picture: replace x by 255 - x")
	f.IntVar(&o.rate, "rate", 0, "sound: samples a second")
	f.StringVar(&o.labels, "labels", "", "classes: a `file` with one label a line")
	f.BoolVar(&o.softmax, "softmax", false, "classes: turn logits into probabilities")
	f.IntVar(&o.top, "top", 0, "classes: how many are shown")
	f.Float64Var(&o.score, "score", 0, "boxes: least score")
	f.Float64Var(&o.iou, "iou", 0, "boxes: overlap from which on the worse of two is dropped")
}

// Flags that describe a picture, and flags that describe classes: one of them makes the input or output that has no
// description one of that kind.
var (
	pictureFlags = []string{"size", "colour", "layout", "resize", "filter", "mean", "std", "invert"}
	classFlags   = []string{"labels", "softmax", "top"}
	boxFlags     = []string{"score", "iou"}
)

func (o *overrides) given(names ...string) bool {
	return slices.ContainsFunc(names, o.flags.Changed)
}

// apply changes the manifest.
func (o *overrides) apply(m *manifest.Manifest, inputs, outputs []manifest.Type) error {
	if o.given(pictureFlags...) {
		if err := o.pictures(m, inputs); err != nil {
			return err
		}
	}
	if o.given("rate") {
		audio := 0
		for _, in := range m.Inputs {
			if a, ok := in.Kind.(*manifest.Audio); ok {
				a.Rate = o.rate
				audio++
			}
		}
		if audio == 0 {
			return fmt.Errorf("--rate: no sound is described")
		}
	}
	if o.given(classFlags...) {
		if err := o.classes(m, outputs); err != nil {
			return err
		}
	}
	return o.boxes(m)
}

func (o *overrides) pictures(m *manifest.Manifest, inputs []manifest.Type) error {
	var images []*manifest.Image
	for _, in := range m.Inputs {
		if image, ok := in.Kind.(*manifest.Image); ok {
			images = append(images, image)
		}
	}
	if len(images) == 0 {
		if len(inputs) != 1 || m.Input(inputs[0].Name) != nil {
			return fmt.Errorf("the flags --%s describe a picture, but none is described", strings.Join(pictureFlags, ", --"))
		}
		image := &manifest.Image{Colour: manifest.RGB, Crop: manifest.CropNone, Resize: manifest.Stretch, Filter: manifest.Bilinear,
			Mean: []float64{0}, Std: []float64{1}, Pad: []float64{0}}
		m.Inputs = append(m.Inputs, manifest.Input{Name: inputs[0].Name, Kind: image})
		images = append(images, image)
	}
	for _, image := range images {
		if o.given("size") {
			if len(o.size) != 2 || o.size[0] < 1 || o.size[1] < 1 {
				return fmt.Errorf("--size: it must be WIDTH,HEIGHT")
			}
			image.Width, image.Height = o.size[0], o.size[1]
		}
		if o.given("layout") {
			image.Layout = strings.ToUpper(o.layout)
		}
		if o.given("invert") {
			image.Invert = o.invert
		}
		if o.given("mean") {
			image.Mean = o.mean
		}
		if o.given("std") {
			image.Std = o.std
		}
		for _, c := range []struct {
			flag, value string
			allowed     []string
			set         func(string)
		}{
			{"colour", o.colour, []string{"rgb", "bgr", "gray"}, func(s string) { image.Colour = manifest.Colour(s) }},
			{"resize", o.resize, []string{"stretch", "fit", "fill"}, func(s string) { image.Resize = manifest.Resize(s) }},
			{"filter", o.filter, []string{"bilinear", "area"}, func(s string) { image.Filter = manifest.Filter(s) }},
		} {
			if !o.given(c.flag) {
				continue
			}
			if !slices.Contains(c.allowed, c.value) {
				return fmt.Errorf("--%s: %q is not allowed; it must be one of %s", c.flag, c.value, strings.Join(c.allowed, ", "))
			}
			c.set(c.value)
		}
		if n := image.Colour.Channels(); len(image.Mean) != 1 && len(image.Mean) != n || len(image.Std) != 1 && len(image.Std) != n {
			return fmt.Errorf("--mean, --std: %d and %d numbers; there must be one, or one for each of the %d channels", len(image.Mean), len(image.Std), n)
		}
		if slices.ContainsFunc(image.Std, func(x float64) bool { return x == 0 || x != x }) {
			return fmt.Errorf("--std: %v; every divisor must be a number other than 0", image.Std)
		}
	}
	return nil
}

func (o *overrides) classes(m *manifest.Manifest, outputs []manifest.Type) error {
	var list []*manifest.Classes
	for _, out := range m.Outputs {
		if c, ok := out.Kind.(*manifest.Classes); ok {
			list = append(list, c)
		}
	}
	if len(list) == 0 {
		if len(outputs) != 1 || m.Output(outputs[0].Name) != nil {
			return fmt.Errorf("the flags --%s describe classes, but none are described", strings.Join(classFlags, ", --"))
		}
		c := &manifest.Classes{Top: 5}
		m.Outputs = append(m.Outputs, manifest.Output{Name: outputs[0].Name, Kind: c})
		list = append(list, c)
	}
	for _, c := range list {
		if o.given("softmax") {
			c.Softmax = o.softmax
		}
		if o.given("top") {
			if o.top < 1 {
				return fmt.Errorf("--top: it must be 1 or more")
			}
			c.Top = o.top
		}
		if o.given("labels") {
			text, err := os.ReadFile(o.labels)
			if err != nil {
				return err
			}
			c.Names = strings.Split(strings.TrimRight(strings.ReplaceAll(string(text), "\r\n", "\n"), "\n"), "\n")
		}
	}
	return nil
}

func (o *overrides) boxes(m *manifest.Manifest) error {
	if !o.given(boxFlags...) {
		return nil
	}
	found := false
	for _, out := range m.Outputs {
		b, ok := out.Kind.(*manifest.Boxes)
		if !ok {
			continue
		}
		found = true
		if o.given("score") {
			b.ScoreThreshold = o.score
		}
		if o.given("iou") {
			b.IoUThreshold = o.iou
		}
	}
	if !found {
		return fmt.Errorf("the flags --%s describe boxes, but none are described", strings.Join(boxFlags, ", --"))
	}
	return nil
}
