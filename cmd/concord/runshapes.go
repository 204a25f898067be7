package main

import (
	"slices"
	"strings"

	"github.com/concord-nn/concord"
	"github.com/concord-nn/concord/manifest"
	"github.com/concord-nn/concord/model"
	"github.com/concord-nn/concord/pipeline"
	"github.com/concord-nn/concord/tensor"
)

// openShapes returns the shapes that the arrays among the arguments give to the inputs that a model leaves open, wholly or in extents, and
// those that the manifest gives to the others. Files that are no arrays are left to the run.
func openShapes(m *concord.Model, description *manifest.Manifest, args []string) model.Shapes {
	inputs := m.Inputs()
	shapes := pipeline.Shapes(inputs, description)
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
		switch ext(file) {
		case ".npy":
			t, _ := readNPY(file)
			add(name, t)
		case ".npz":
			all, _ := readNPZ(file)
			for name, t := range all {
				add(name, t)
			}
		}
	}
	return shapes
}

// isOpen reports whether what is given to an input decides about its shape, or about whether it is there.
func isOpen(in model.Input) bool {
	_, fixed := in.Shape.Extents()
	return !fixed || in.Unranked || in.Sequence || in.Optional
}
