package feed

import (
	"slices"
	"strings"

	"github.com/concord-nn/concord/manifest"
	"github.com/concord-nn/concord/model"
	"github.com/concord-nn/concord/pipeline"
	"github.com/concord-nn/concord/tensor"
)

// Shapes returns the shapes that the arrays among the arguments give to the inputs that a model leaves open, wholly or in extents, and
// those that the manifest gives to the others. Of a folder or a pattern the first array counts. Files that are no arrays are left to the run.
func Shapes(inputs []model.Input, description *manifest.Manifest, args []string, stdin *Stream) model.Shapes {
	shapes := pipeline.Shapes(inputs, description)
	if !slices.ContainsFunc(inputs, isOpen) {
		return shapes
	}
	add := func(name string, shape tensor.Shape) {
		for _, in := range inputs {
			if shape != nil && isOpen(in) && (in.Name == name || in.Sequence && strings.HasPrefix(name, in.Name+"[")) {
				shapes[name] = shape
			}
		}
	}
	names := make([]string, len(inputs))
	for i, in := range inputs {
		names[i] = in.Name
	}
	plain := 0
	for _, a := range args {
		_, name, file, ok := named(a, names)
		if !ok {
			file = a
			if name = ""; plain < len(inputs) {
				name = inputs[plain].Name
			}
			plain++
		}
		if files, several, _ := StandsFor(file, []Form{Array, Archive}); several && len(files) > 0 {
			file = files[0]
		}
		form := FormOf(file, nil)
		if file == Stdin {
			form = stdin.form(nil)
		}
		switch form { // errors are told when the files are read for the run
		case Array:
			if t, err := firstArray(file, stdin); err == nil {
				add(name, t.Shape())
			}
		case Archive:
			_ = firstArchive(file, stdin, func(a *tensor.NPZ) error {
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

// firstArray reads an array that the run reads again.
func firstArray(file string, stdin *Stream) (*tensor.Tensor, error) {
	if file != Stdin {
		return ReadNPY(file)
	}
	return stdin.npy()
}

// firstArchive calls a function with an archive that the run reads again.
func firstArchive(file string, stdin *Stream, f func(a *tensor.NPZ) error) error {
	if file != Stdin {
		return withNPZ(file, f)
	}
	a, err := stdin.npz()
	if err != nil {
		return err
	}
	return f(a)
}

// isOpen reports whether what is given to an input decides about its shape, or about whether it is there.
func isOpen(in model.Input) bool {
	_, fixed := in.Shape.Extents()
	return !fixed || in.Unranked || in.Sequence || in.Optional
}
