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
// those that the manifest gives to the others. Of a folder or a pattern the first array counts. Files that are no arrays are left to the run.
func openShapes(m *concord.Model, description *manifest.Manifest, args []string, stdin func() *stream) model.Shapes {
	shapes, inputs := make(model.Shapes), m.Inputs()
	for _, in := range inputs {
		if s := describedShape(in, description.Input(in.Name)); s != nil {
			shapes[in.Name] = s
		}
	}
	if !slices.ContainsFunc(inputs, isOpen) {
		return shapes
	}
	add := func(name string, t *tensor.Tensor) {
		for _, in := range inputs {
			if t != nil && isOpen(in) && (in.Name == name || in.Sequence && strings.HasPrefix(name, in.Name+"[")) {
				shapes[name] = t.Shape()
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
		if files, several, _ := standsFor(file, []fileForm{arrayForm, archiveForm}); several && len(files) > 0 {
			file = files[0]
		}
		form := formOf(file, nil)
		if file == stdinArg {
			form = stdin().form(nil)
		}
		switch form {
		case arrayForm:
			add(name, firstArray(file, stdin))
		case archiveForm:
			for name, t := range firstArchive(file, stdin) {
				add(name, t)
			}
		}
	}
	return shapes
}

// firstArray reads an array that the run reads again, and then says what is wrong with it.
func firstArray(file string, stdin func() *stream) *tensor.Tensor {
	if file != stdinArg {
		t, _ := readNPY(file)
		return t
	}
	t, _ := stdin().npy()
	return t
}

// firstArchive is firstArray for an archive.
func firstArchive(file string, stdin func() *stream) map[string]*tensor.Tensor {
	if file != stdinArg {
		all, _ := readNPZ(file)
		return all
	}
	all, _ := stdin().npz()
	return all
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
		if g, err := k.Grid(manifest.Type{Name: in.Name, DType: in.DType, Shape: shape}); err == nil {
			return g.Shape()
		}
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
