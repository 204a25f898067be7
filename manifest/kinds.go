package manifest

import (
	"io/fs"
	"math"
	"slices"
	"strings"

	"github.com/concord-nn/concord/internal/limits"
)

// The limits of what a manifest may say. They bound what preparing an input or reading an output may allocate.
const (
	maxSide   = limits.ManifestSide   // pixels, or cells of a feature map
	maxPixels = limits.ManifestPixels // of an input
	maxRate   = limits.ManifestRate   // samples a second
	maxWindow = limits.ManifestWindow // samples
	maxPriors = limits.ManifestPriors
	maxNamed  = limits.ManifestNames // inputs, and outputs
	maxName   = limits.ManifestName  // bytes of a name or label
	maxLabels = limits.ManifestLabels
	maxNumber = 1e30 // of the order of what a float32 holds
)

// manifest decodes the whole document.
func (d *document) manifest(n *node, m *Manifest) {
	var version int
	d.object(n, "version inputs outputs",
		field{"version", func(n *node) { d.integer(n, &version, Version, Version) }},
		field{"title", func(n *node) { d.text(n, &m.Title, 4*maxName) }},
		field{"inputs", func(n *node) {
			d.named(n, func(name string, place Place, n *node) {
				note := d.note(n)
				m.Inputs = append(m.Inputs, Input{name, place, d.input(n), note})
			})
		}},
		field{"outputs", func(n *node) {
			d.named(n, func(name string, place Place, n *node) {
				note := d.note(n)
				m.Outputs = append(m.Outputs, Output{name, place, d.output(n), note})
			})
		}},
	)
}

// named decodes an object whose keys are names of inputs or outputs.
func (d *document) named(n *node, each func(name string, place Place, n *node)) {
	members, ok := n.value.([]member)
	if !ok {
		d.wrong(n, "an object with a key for each name")
		return
	}
	if len(members) > maxNamed {
		d.fail(n.at, n.path(), "there are %d names; at most %d are allowed", len(members), maxNamed)
		return
	}
	for _, m := range members {
		if m.key == "" || len(m.key) > maxName || !printable(m.key) {
			d.fail(m.at, n.path(), "the name %s is not allowed; it must have 1 to %d bytes without control characters", quote(m.key), maxName)
			continue
		}
		each(m.key, d.place(m.at), m.value)
	}
}

// note takes the key "note" from an object, which every kind has.
func (d *document) note(n *node) (text string) {
	members, _ := n.value.([]member)
	i := slices.IndexFunc(members, func(m member) bool { return m.key == "note" })
	if i >= 0 {
		d.text(members[i].value, &text, 4*maxName)
		n.value = slices.Delete(slices.Clone(members), i, i+1)
	}
	return text
}

// kindField is the key "kind", which is decoded before the others.
var kindField = field{"kind", func(*node) {}}

func (d *document) input(n *node) (kind InputKind) {
	d.kinds(n, map[string]func(){
		"image":  func() { kind = d.image(n) },
		"audio":  func() { kind = d.audio(n) },
		"tensor": func() { kind = d.tensor(n) },
		"state":  func() { kind = d.state(n) },
	})
	return kind
}

func (d *document) output(n *node) (kind OutputKind) {
	d.kinds(n, map[string]func(){
		"classes": func() { kind = d.classes(n) },
		"boxes":   func() { kind = d.boxes(n) },
		"track":   func() { kind = d.track(n) },
		"tensor":  func() { d.object(n, "", kindField); kind = &Plain{} },
	})
	return kind
}

func (d *document) image(n *node) *Image {
	im := &Image{
		Colour: RGB, Crop: CropNone, Resize: Stretch, Filter: Bilinear,
		Pad: []float64{0}, Mean: []float64{0}, Std: []float64{1},
	}
	marginAt := -1
	d.object(n, "", kindField,
		field{"size", func(n *node) { d.size(n, &im.Width, &im.Height) }},
		field{"layout", func(n *node) { oneOf(d, n, &im.Layout, Layouts...) }},
		field{"colour", func(n *node) { oneOf(d, n, &im.Colour, RGB, BGR, Gray) }},
		field{"invert", func(n *node) { d.flag(n, &im.Invert) }},
		field{"crop", func(n *node) { oneOf(d, n, &im.Crop, CropNone, CropContent) }},
		field{"margin", func(n *node) { marginAt = n.at; d.float(n, &im.Margin, 0, 10) }},
		field{"resize", func(n *node) { oneOf(d, n, &im.Resize, Stretch, Fit, Fill) }},
		field{"filter", func(n *node) { oneOf(d, n, &im.Filter, Bilinear, Area) }},
		field{"round", func(n *node) { d.flag(n, &im.Round) }},
		field{"pad", func(n *node) { d.channels(n, &im.Pad, 0, 255) }},
		field{"mean", func(n *node) { d.channels(n, &im.Mean, -maxNumber, maxNumber) }},
		field{"std", func(n *node) { d.std(n, &im.Std) }},
	)
	if marginAt >= 0 && im.Crop == CropNone {
		d.fail(marginAt, n.path(), `"margin" is only of use with "crop": "content"`)
	}
	if values := max(len(im.Mean), len(im.Std)); values > im.Colour.Channels() {
		d.fail(n.at, n.path(), `"mean" and "std" of a gray picture have 1 value, not %d`, values)
	}
	if len(im.Layout) > 0 && !strings.Contains(im.Layout, "C") && im.Colour != Gray {
		d.fail(n.at, n.path(), `the layout %q has no channels; "colour" must be "gray"`, im.Layout)
	}
	return im
}

// std decodes divisors, which must not be zero.
func (d *document) std(n *node, to *[]float64) {
	d.channels(n, to, -maxNumber, maxNumber)
	for _, v := range *to {
		if math.Abs(v) < 1/maxNumber {
			d.wrong(n, "a divisor other than zero")
			return
		}
	}
}

func (d *document) audio(n *node) *Audio {
	a := &Audio{Scale: 1}
	d.object(n, "rate", kindField,
		field{"rate", func(n *node) { d.integer(n, &a.Rate, 1, maxRate) }},
		field{"window", func(n *node) { d.integer(n, &a.Window, 1, maxWindow) }},
		field{"hop", func(n *node) { d.integer(n, &a.Hop, 1, maxWindow) }},
		field{"context", func(n *node) { d.integer(n, &a.Context, 0, maxWindow) }},
		field{"scale", func(n *node) { d.float(n, &a.Scale, -maxNumber, maxNumber) }},
	)
	return a
}

func (d *document) tensor(n *node) *Tensor {
	t := &Tensor{}
	d.object(n, "", kindField, field{"value", func(n *node) {
		nodes, ok := n.value.([]*node)
		if !ok {
			nodes = []*node{n}
		} else if len(nodes) == 0 {
			d.wrong(n, "a number or a list of numbers")
		}
		t.Value = make([]float64, len(nodes))
		for i, item := range nodes {
			d.float(item, &t.Value[i], -math.MaxFloat64, math.MaxFloat64)
		}
	}})
	return t
}

func (d *document) state(n *node) *State {
	s := &State{}
	d.object(n, "from", kindField, field{"from", func(n *node) { d.name(n, &s.From) }})
	return s
}

// labelFields are the two keys that name classes.
func (d *document) labelFields(l *Labels) []field {
	both := func(n *node) bool {
		if l.File == "" && l.Names == nil {
			l.place = d.place(n.at)
			return false
		}
		d.fail(n.at, n.path(), `"labels" and "labels_file" exclude each other`)
		return true
	}
	return []field{
		{"labels", func(n *node) {
			if both(n) {
				return
			}
			nodes := d.items(n, 1, maxLabels, "strings")
			l.Names = make([]string, len(nodes))
			for i, item := range nodes {
				d.text(item, &l.Names[i], maxName)
			}
		}},
		{"labels_file", func(n *node) {
			if both(n) {
				return
			}
			d.text(n, &l.File, 4*maxName)
			if l.File != "" && (!fs.ValidPath(l.File) || l.File == "." || strings.ContainsAny(l.File, `\:`)) {
				d.wrong(n, "a path below the manifest's folder, with slashes and without ..")
			}
		}},
	}
}

func (d *document) classes(n *node) *Classes {
	c := &Classes{Top: 5}
	d.object(n, "", append(d.labelFields(&c.Labels), kindField,
		field{"softmax", func(n *node) { d.flag(n, &c.Softmax) }},
		field{"top", func(n *node) { d.integer(n, &c.Top, 0, maxLabels) }},
	)...)
	return c
}

func (d *document) boxes(n *node) *Boxes {
	b := &Boxes{Background: -1, Format: Corners, Units: Unit, ScoreThreshold: 0.5, IoUThreshold: 0.5}
	unitsAt := -1
	d.object(n, "scores", append(d.labelFields(&b.Labels), kindField,
		field{"scores", func(n *node) { d.name(n, &b.Scores) }},
		field{"background", func(n *node) { d.integer(n, &b.Background, 0, maxLabels) }},
		field{"format", func(n *node) { oneOf(d, n, &b.Format, Corners, Centre, Deltas) }},
		field{"units", func(n *node) { unitsAt = n.at; oneOf(d, n, &b.Units, Unit, Pixels) }},
		field{"priors", func(n *node) { b.Priors = d.priors(n) }},
		field{"score_threshold", func(n *node) { d.float(n, &b.ScoreThreshold, -maxNumber, maxNumber) }},
		field{"iou_threshold", func(n *node) { d.float(n, &b.IoUThreshold, 0, 1) }},
		field{"limit", func(n *node) { d.integer(n, &b.Limit, 0, maxPriors) }},
	)...)
	switch {
	case b.Format == Deltas && b.Priors == nil:
		d.fail(n.at, n.path(), `the format "ssd" needs the key "priors"`)
	case b.Format != Deltas && b.Priors != nil:
		d.fail(n.at, n.path(), `the key "priors" is only of use with the format "ssd"`)
	case b.Format == Deltas && unitsAt >= 0:
		d.fail(unitsAt, n.path(), `"units" is of no use with the format "ssd", whose boxes are relative to the priors`)
	}
	return b
}

func (d *document) priors(n *node) *Priors {
	p := &Priors{Variance: [2]float64{0.1, 0.2}}
	d.object(n, "maps",
		field{"size", func(n *node) { d.size(n, &p.Width, &p.Height) }},
		field{"clamp", func(n *node) { d.flag(n, &p.Clamp) }},
		field{"variance", func(n *node) { d.pair(n, &p.Variance, 0) }},
		field{"maps", func(n *node) {
			total := 0
			for _, item := range d.items(n, 1, limits.ManifestMaps, "feature maps") {
				m := d.priorMap(item)
				if total += m.Columns * m.Rows * len(m.Boxes); total > maxPriors {
					d.fail(item.at, item.path(), "there are more than %d priors", maxPriors)
					return
				}
				p.Maps = append(p.Maps, m)
			}
		}},
	)
	return p
}

func (d *document) priorMap(n *node) PriorMap {
	m := PriorMap{}
	d.object(n, "cells boxes",
		field{"cells", func(n *node) { d.size(n, &m.Columns, &m.Rows) }},
		field{"boxes", func(n *node) {
			for _, item := range d.items(n, 1, limits.ManifestMaps, "sizes in pixels") {
				var box [2]float64
				if _, ok := item.value.([]*node); ok {
					d.pair(item, &box, 1e-3)
				} else {
					d.float(item, &box[0], 1e-3, maxNumber)
					box[1] = box[0]
				}
				m.Boxes = append(m.Boxes, box)
			}
		}},
	)
	return m
}

// pair decodes two numbers of at least lo.
func (d *document) pair(n *node, to *[2]float64, lo float64) {
	if v := d.items(n, 2, 2, "numbers"); v != nil {
		d.float(v[0], &to[0], lo, maxNumber)
		d.float(v[1], &to[1], lo, maxNumber)
	}
}

func (d *document) track(n *node) *Track {
	t := &Track{Index: -1, Threshold: 0.5}
	d.object(n, "", kindField,
		field{"label", func(n *node) { d.text(n, &t.Label, maxName) }},
		field{"index", func(n *node) { d.integer(n, &t.Index, 0, maxLabels) }},
		field{"threshold", func(n *node) { d.float(n, &t.Threshold, -maxNumber, maxNumber) }},
	)
	return t
}
