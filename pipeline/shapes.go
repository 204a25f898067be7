package pipeline

import (
	"cmp"

	"github.com/concord-nn/concord/manifest"
	"github.com/concord-nn/concord/model"
	"github.com/concord-nn/concord/tensor"
)

// Shapes returns the shapes of inputs that leave extents open and that a manifest describes, as what they are made from says: a picture of a
// size, windows of a sound, a state. Extents that nothing says, such as that of a batch, are 1.
func Shapes(inputs []model.Input, d *manifest.Manifest) model.Shapes {
	d = cmp.Or(d, new(manifest.Manifest))
	shapes := make(model.Shapes)
	for _, in := range inputs {
		if s := described(in, d.Input(in.Name)); s != nil {
			shapes[in.Name] = s
		}
	}
	return shapes
}

// described returns the shape of one input, nil if nothing describes it.
func described(in model.Input, kind manifest.InputKind) tensor.Shape {
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
