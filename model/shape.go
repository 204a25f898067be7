package model

import (
	"strconv"
	"strings"

	"github.com/concord-nn/concord/tensor"
)

// Dim is the extent of a dimension: a number, or a symbol that stands for a number to be given, the same wherever the symbol stands.
type Dim struct {
	Extent int
	Symbol string // if not empty, Extent is unused
}

// Shape lists the extents of an input, outermost first.
type Shape []Dim

// Fixed returns the shape with the given extents.
func Fixed(s tensor.Shape) Shape {
	out := make(Shape, len(s))
	for i, d := range s {
		out[i].Extent = d
	}
	return out
}

// Extents returns the shape as numbers, and false if it has symbols.
func (s Shape) Extents() (tensor.Shape, bool) {
	out := make(tensor.Shape, len(s))
	for i, d := range s {
		if d.Symbol != "" {
			return nil, false
		}
		out[i] = d.Extent
	}
	return out, true
}

// open reports whether an extent is a symbol.
func (s Shape) open() bool {
	_, fixed := s.Extents()
	return !fixed
}

// String writes the shape as [1,N,3].
func (s Shape) String() string {
	items := make([]string, len(s))
	for i, d := range s {
		if items[i] = d.Symbol; d.Symbol == "" {
			items[i] = strconv.Itoa(d.Extent)
		}
	}
	return "[" + strings.Join(items, ",") + "]"
}
