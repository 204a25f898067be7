package main

import (
	"errors"
	"strings"

	"github.com/concord-nn/concord"
	"github.com/concord-nn/concord/model"
	"github.com/concord-nn/concord/tensor"
)

// openShapes returns the shapes that the arrays among the arguments give to the inputs of a model that leaves extents open; none if it
// leaves none open. Files that are no arrays are left to the run.
func openShapes(m *concord.Model, args []string) model.Shapes {
	var open *model.OpenError
	if _, err := m.Complete(nil); !errors.As(err, &open) {
		return nil
	}
	shapes, inputs := make(model.Shapes), m.Inputs()
	add := func(name string, t *tensor.Tensor) {
		for _, in := range inputs {
			if t != nil && in.Name == name {
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
			for _, in := range inputs {
				add(in.Name, all[in.Name])
			}
		}
	}
	return shapes
}
