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
		bind("version", &version, d.from(Version, Version)),
		bind("title", &m.Title, d.upTo(4*maxName)),
		field{key: "inputs", decode: func(n *node) {
			d.named(n, func(name string, place Place, n *node) {
				note := d.note(n)
				kind, ok := d.kind(n, inputKinds).(InputKind)
				if !ok {
					kind = &Tensor{} // of which nothing is said
				}
				m.Inputs = append(m.Inputs, Input{name, place, kind, note})
			})
		}},
		field{key: "outputs", decode: func(n *node) {
			d.named(n, func(name string, place Place, n *node) {
				note := d.note(n)
				kind, ok := d.kind(n, outputKinds).(OutputKind)
				if !ok {
					kind = &Plain{}
				}
				m.Outputs = append(m.Outputs, Output{name, place, kind, note})
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

// The kinds of inputs and of outputs by name, with what their keys are if a document does not say it.
var (
	inputKinds = map[string]func() any{
		"image": func() any {
			return &Image{
				Colour: RGB, Crop: CropNone, Resize: Stretch, Filter: Bilinear,
				Pad: []float64{0}, Mean: []float64{0}, Std: []float64{1},
			}
		},
		"audio":  func() any { return &Audio{Scale: 1} },
		"tensor": func() any { return &Tensor{} },
		"state":  func() any { return &State{} },
	}
	outputKinds = map[string]func() any{
		"classes": func() any { return &Classes{Top: 5} },
		"boxes": func() any {
			return &Boxes{Background: -1, Format: Corners, Units: Unit, ScoreThreshold: 0.5, IoUThreshold: 0.5}
		},
		"track":  func() any { return &Track{Index: -1, Threshold: 0.5} },
		"tensor": func() any { return &Plain{} },
	}
)

// fields returns the keys of a kind in the order in which they are written, and those among them that must be there.
func (d *document) fields(kind any) (required string, list []field) {
	switch k := kind.(type) {
	case *Image:
		return "", []field{
			d.sizeField("size", &k.Width, &k.Height),
			word(d, "layout", &k.Layout, Layouts...),
			word(d, "colour", &k.Colour, RGB, BGR, Gray),
			bind("invert", &k.Invert, d.flag),
			word(d, "crop", &k.Crop, CropNone, CropContent),
			bind("margin", &k.Margin, d.within(0, 10)),
			word(d, "resize", &k.Resize, Stretch, Fit, Fill),
			word(d, "filter", &k.Filter, Bilinear, Area),
			bind("round", &k.Round, d.flag),
			numbers("pad", &k.Pad, func(n *node) { d.channels(n, &k.Pad, 0, 255) }),
			numbers("mean", &k.Mean, func(n *node) { d.channels(n, &k.Mean, 0, 255) }),
			numbers("std", &k.Std, func(n *node) { d.std(n, &k.Std) }),
		}
	case *Audio:
		return "rate", []field{
			bind("rate", &k.Rate, d.from(1, maxRate)),
			bind("window", &k.Window, d.from(1, maxWindow)),
			bind("hop", &k.Hop, d.from(1, maxWindow)),
			bind("context", &k.Context, d.from(0, maxWindow)),
			bind("scale", &k.Scale, d.scale),
		}
	case *Tensor:
		return "", []field{numbers("value", &k.Value, func(n *node) {
			nodes, ok := n.value.([]*node)
			if !ok {
				nodes = []*node{n}
			} else if len(nodes) == 0 {
				d.wrong(n, "a number or a list of numbers")
			}
			k.Value = make([]float64, len(nodes))
			for i, item := range nodes {
				d.float(item, &k.Value[i], -math.MaxFloat64, math.MaxFloat64)
			}
		})}
	case *State:
		return "from", []field{bind("from", &k.From, d.name)}
	case *Classes:
		return "", append(d.labelFields(&k.Labels),
			bind("softmax", &k.Logits, d.flag),
			bind("top", &k.Top, d.from(0, maxLabels)))
	case *Boxes:
		labels := d.labelFields(&k.Labels)
		units := word(d, "units", &k.Units, Unit, Pixels)
		if k.Format == Deltas {
			units.value = func() any { return nil }
		}
		return "scores", []field{
			bind("scores", &k.Scores, d.name), labels[0], labels[1],
			bind("background", &k.Background, d.from(0, maxLabels)),
			word(d, "format", &k.Format, Corners, Centre, Deltas),
			units,
			d.priorsField(&k.Priors),
			bind("score_threshold", &k.ScoreThreshold, d.within(-maxNumber, maxNumber)),
			bind("iou_threshold", &k.IoUThreshold, d.within(0, 1)),
			bind("limit", &k.Limit, d.from(0, maxPriors)),
		}
	case *Track:
		return "", []field{
			bind("label", &k.Label, d.upTo(maxName)),
			bind("index", &k.Index, d.from(0, maxLabels)),
			bind("threshold", &k.Threshold, d.within(-maxNumber, maxNumber)),
		}
	}
	return "", nil
}

// check finds what keys that are right one by one cannot be together.
func (d *document) check(n *node, kind any) {
	switch k := kind.(type) {
	case *Image:
		if margin := n.member("margin"); margin != nil && k.Crop == CropNone {
			d.fail(margin.at, n.path(), `"margin" is only of use with "crop": "content"`)
		}
		if values := max(len(k.Mean), len(k.Std)); values > k.Colour.Channels() {
			d.fail(n.at, n.path(), `"mean" and "std" of a gray picture have 1 value, not %d`, values)
		}
		if len(k.Layout) > 0 && !strings.Contains(k.Layout, "C") && k.Colour != Gray {
			d.fail(n.at, n.path(), `the layout %q has no channels; "colour" must be "gray"`, k.Layout)
		}
	case *Boxes:
		units := n.member("units")
		switch {
		case k.Format == Deltas && k.Priors == nil:
			d.fail(n.at, n.path(), `the format "ssd" needs the key "priors"`)
		case k.Format != Deltas && k.Priors != nil:
			d.fail(n.at, n.path(), `the key "priors" is only of use with the format "ssd"`)
		case k.Format == Deltas && units != nil:
			d.fail(units.at, n.path(), `"units" is of no use with the format "ssd", whose boxes are relative to the priors`)
		}
	}
}

// std decodes divisors, which must not be zero.
func (d *document) std(n *node, to *[]float64) {
	before := len(d.errs)
	if d.channels(n, to, -maxNumber, maxNumber); len(d.errs) > before {
		return // what is no number is not zero
	}
	for _, v := range *to {
		if math.Abs(v) < 1/maxNumber {
			d.wrong(n, "a divisor other than zero")
			return
		}
	}
}

// scale decodes a factor, which must not be zero either.
func (d *document) scale(n *node, to *float64) {
	before := len(d.errs)
	if d.float(n, to, -maxNumber, maxNumber); *to == 0 && len(d.errs) == before {
		d.wrong(n, "a factor other than zero")
	}
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
		}, func() any {
			if l.Names == nil {
				return nil
			}
			return l.Names
		}},
		{"labels_file", func(n *node) {
			if both(n) {
				return
			}
			d.text(n, &l.File, 4*maxName)
			if l.File != "" && (!fs.ValidPath(l.File) || l.File == "." || strings.ContainsAny(l.File, `\:`)) {
				d.wrong(n, "a path below the manifest's folder, with slashes and without ..")
				l.File = "" // there is nothing to read
			}
		}, func() any {
			if l.Names != nil {
				return nil
			}
			return l.File
		}},
	}
}

// standardPriors has what priors are if a document does not say it.
var standardPriors = Priors{Variance: [2]float64{0.1, 0.2}}

func (d *document) priorsField(to **Priors) field {
	return field{"priors", func(n *node) {
		p := standardPriors
		d.object(n, "maps", d.priors(&p)...)
		*to = &p
	}, func() any {
		if *to == nil {
			return nil
		}
		p := standardPriors
		return changed(d.priors(*to), d.priors(&p))
	}}
}

func (d *document) priors(p *Priors) []field {
	return []field{
		d.sizeField("size", &p.Width, &p.Height),
		{"maps", func(n *node) {
			total := 0
			for _, item := range d.items(n, 1, limits.ManifestMaps, "feature maps") {
				m := PriorMap{}
				d.object(item, "cells boxes", d.priorMap(&m)...)
				if total += m.Columns * m.Rows * len(m.Boxes); total > maxPriors {
					d.fail(item.at, item.path(), "there are more than %d priors", maxPriors)
					return
				}
				p.Maps = append(p.Maps, m)
			}
		}, func() any {
			maps := make([]object, len(p.Maps))
			for i := range maps {
				maps[i] = changed(d.priorMap(&p.Maps[i]), d.priorMap(&PriorMap{}))
			}
			return maps
		}},
		bind("clamp", &p.Clamp, d.flag),
		{"variance", func(n *node) { d.pair(n, &p.Variance, 0) }, func() any { return p.Variance[:] }},
	}
}

func (d *document) priorMap(m *PriorMap) []field {
	return []field{
		d.sizeField("cells", &m.Columns, &m.Rows),
		{"boxes", func(n *node) {
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
		}, func() any {
			boxes := make([]any, len(m.Boxes))
			for i, b := range m.Boxes {
				if boxes[i] = b[0]; b[0] != b[1] {
					boxes[i] = b[:]
				}
			}
			return boxes
		}},
	}
}

// pair decodes two numbers of at least lo.
func (d *document) pair(n *node, to *[2]float64, lo float64) {
	if v := d.items(n, 2, 2, "numbers"); v != nil {
		d.float(v[0], &to[0], lo, maxNumber)
		d.float(v[1], &to[1], lo, maxNumber)
	}
}
