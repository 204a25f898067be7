package main

import (
	"cmp"
	"slices"
	"strings"

	"github.com/concord-nn/concord"
	"github.com/concord-nn/concord/manifest"
	"github.com/concord-nn/concord/model"
	"github.com/concord-nn/concord/tensor"
)

// openShapes returns the shapes that the arrays among the arguments give to the inputs that a model leaves open, wholly or in extents, and
// those that the manifest gives to the others. Files that are no arrays are left to the run.
func openShapes(m *concord.Model, description *manifest.Manifest, args []string) model.Shapes {
	shapes, inputs := make(model.Shapes), m.Inputs()
	for _, in := range inputs {
		if s := describedShape(in, description.Input(in.Name)); s != nil {
			shapes[in.Name] = s
		}
	}
	if !slices.ContainsFunc(inputs, isOpen) {
		return shapes
	}
	add := func(name string, shape tensor.Shape) {
		for _, in := range inputs {
			if isOpen(in) && (in.Name == name || in.Sequence && strings.HasPrefix(name, in.Name+"[")) {
				shapes[name] = shape
			}
		}
	}
	plain := 0
	for _, a := range args {
		name, file, named := strings.Cut(a, "=")
		if !named {
			file = a
			if name = ""; plain < len(inputs) {
				name = inputs[plain].Name
			}
			plain++
		}
		switch ext(file) {
		case ".npy":
			if t, err := readNPY(file); err == nil { // an error is told when it is read
				add(name, t.Shape())
			}
		case ".npz":
			_ = withNPZ(file, func(a *tensor.NPZ) error { // the same holds for these
				for _, name := range a.Names() {
					if _, shape, err := a.Type(name); err == nil {
						add(name, shape)
					}
				}
				return nil
			})
		}
	}
	return shapes
}

// isOpen reports whether what is given to an input decides about its shape, or about whether it is there.
func isOpen(in model.Input) bool {
	_, fixed := in.Shape.Extents()
	return !fixed || in.Unranked || in.Sequence || in.Optional
}

// describedShape returns the shape of an input that leaves extents open, as what it is made from says: a picture of a size, windows of a
// sound, a state. Extents that nothing says, such as that of a batch, are 1.
func describedShape(in model.Input, kind manifest.InputKind) tensor.Shape {
	if _, fixed := in.Shape.Extents(); fixed || in.Unranked {
		return nil
	}
	shape := make(tensor.Shape, len(in.Shape))
	for i, d := range in.Shape {
		if shape[i] = d.Extent; d.Symbol != "" {
			shape[i] = manifest.Unknown
		}
	}
	last := len(shape) - 1
	switch k := kind.(type) {
	case *manifest.Audio:
		if shape[last] == manifest.Unknown && k.Window > 0 {
			shape[last] = k.Window + k.Context
		}
	case *manifest.Image:
		for i, letter := range k.Layout {
			if len(k.Layout) == len(shape) && shape[i] == manifest.Unknown {
				shape[i] = map[rune]int{'N': 1, 'C': k.Colour.Channels(), 'H': cmp.Or(k.Height, 1), 'W': cmp.Or(k.Width, 1)}[letter]
			}
		}
	case *manifest.State:
	default:
		return nil
	}
	for i := range shape {
		if shape[i] == manifest.Unknown {
			shape[i] = 1
		}
	}
	return shape
}
