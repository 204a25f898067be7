package manifest

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/concord-nn/concord/tensor"
)

// Grid is the tensor that a picture becomes: everything that was left to the tensor's shape is settled.
type Grid struct {
	DType         tensor.DType
	Layout        string // one of Layouts
	Width, Height int
	Channels      int
}

// Shape returns the extents in the order of the layout.
func (g Grid) Shape() tensor.Shape {
	shape := make(tensor.Shape, len(g.Layout))
	for i, dim := range g.Layout {
		shape[i] = map[rune]int{'N': 1, 'C': g.Channels, 'H': g.Height, 'W': g.Width}[dim]
	}
	return shape
}

// Grid returns the tensor that a picture becomes for an input of type t. It fails if the picture and the type do not
// go together, or leave the size or the layout open.
func (im *Image) Grid(t Type) (Grid, error) {
	im = cmp.Or(im, new(Image))
	g := Grid{DType: t.DType, Layout: im.Layout, Width: im.Width, Height: im.Height, Channels: im.Colour.Channels()}
	if !t.DType.IsFloat() && !t.DType.IsInteger() {
		return g, fmt.Errorf("the input is %v; for a picture it must hold numbers", t)
	}
	if g.Layout == "" {
		var fitting []string
		for _, l := range Layouts {
			if g.Layout = l; g.fits(t.Shape) {
				fitting = append(fitting, l)
			}
		}
		if len(fitting) > 1 {
			return g, fmt.Errorf("the input is %v, which could be %s; \"layout\" must say which", t, list(fitting))
		}
		if len(fitting) == 0 {
			return g, fmt.Errorf("the input is %v; that is no %s", t, g.describe())
		}
		g.Layout = fitting[0]
	}
	if !g.fits(t.Shape) {
		return g, fmt.Errorf("the input is %v; that is no %s in the layout %s", t, g.describe(), g.Layout)
	}
	for i, dim := range g.Layout {
		switch {
		case dim == 'W' && g.Width == 0:
			g.Width = t.Shape[i]
		case dim == 'H' && g.Height == 0:
			g.Height = t.Shape[i]
		}
	}
	switch {
	case g.Width == Unknown || g.Height == Unknown:
		return g, fmt.Errorf("the input is %v; its size is open, so \"size\" must give it", t)
	case g.Width == 0 || g.Height == 0 || g.Width > maxPixels/g.Height:
		return g, fmt.Errorf("the input is %v; a picture of %d×%d must have 1 to %d pixels", t, g.Width, g.Height, maxPixels)
	}
	return g, nil
}

// fits reports whether the grid's layout may have the shape.
func (g Grid) fits(s tensor.Shape) bool {
	if len(s) != len(g.Layout) || !strings.Contains(g.Layout, "C") && g.Channels != 1 {
		return false
	}
	for i, dim := range g.Layout {
		want := map[rune]int{'N': 1, 'C': g.Channels, 'H': g.Height, 'W': g.Width}[dim]
		if s[i] != Unknown && want != 0 && s[i] != want {
			return false
		}
	}
	return true
}

func (g Grid) describe() string {
	size := ""
	if g.Width > 0 {
		size = fmt.Sprintf(" of %d×%d pixels", g.Width, g.Height)
	}
	return fmt.Sprintf("picture with %d channels%s", g.Channels, size)
}

// Frame is the tensor that one window of a sound becomes.
type Frame struct {
	DType                tensor.DType
	Shape                tensor.Shape
	Window, Hop, Context int // in samples; Context + Window is the number of elements
}

// Frame returns the tensor that a window becomes for an input of type t. It fails if they do not go together or leave
// the size of the window open. An unknown first extent is 1, an unknown last one what the window needs.
func (a *Audio) Frame(t Type) (Frame, error) {
	a = cmp.Or(a, new(Audio))
	f := Frame{DType: t.DType, Shape: t.Shape.Clone(), Window: a.Window, Hop: a.Hop, Context: a.Context}
	if !t.DType.IsFloat() {
		return f, fmt.Errorf("the input is %v; for a sound it must hold floats", t)
	}
	if len(t.Shape) == 0 {
		return f, fmt.Errorf("the input is %v; a window of a sound needs a dimension", t)
	}
	for i := range f.Shape {
		if f.Shape[i] == Unknown && i < len(f.Shape)-1 {
			f.Shape[i] = 1
		}
	}
	last := len(f.Shape) - 1
	if f.Shape[last] == Unknown {
		if f.Window == 0 {
			return f, fmt.Errorf("the input is %v; its size is open, so \"window\" must give it", t)
		}
		f.Shape[last] = f.Context + f.Window
	}
	if err := f.Shape.Check(); err != nil {
		return f, err
	}
	if f.Window == 0 {
		f.Window = f.Shape.Len() - f.Context
	}
	if f.Window < 1 || f.Window > maxWindow || f.Context+f.Window != f.Shape.Len() {
		return f, fmt.Errorf("the input %v has %d elements; context %d and window %d make %d", t, f.Shape.Len(), f.Context, f.Window, f.Context+f.Window)
	}
	if f.Hop == 0 {
		f.Hop = f.Window
	}
	return f, nil
}
