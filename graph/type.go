package graph

import (
	"strconv"
	"strings"

	"github.com/concord-nn/concord/tensor"
)

// Dim is the extent of one dimension: a number, or a symbol that is bound to a number before the graph is compiled.
type Dim struct {
	Extent int
	Symbol string // if not empty, Extent is unused
}

// Shape lists the extents of a value, outermost first. A nil Shape is unknown: it depends on symbols and is inferred
// when they are bound. The shape of a scalar is empty but not nil.
type Shape []Dim

// Fixed returns the shape with the given extents.
func Fixed(s tensor.Shape) Shape {
	out := make(Shape, len(s))
	for i, d := range s {
		out[i].Extent = d
	}
	return out
}

// Extents returns the shape as numbers, and false if it is unknown or has symbols.
func (s Shape) Extents() (tensor.Shape, bool) {
	if s == nil {
		return nil, false
	}
	out := make(tensor.Shape, len(s))
	for i, d := range s {
		if d.Symbol != "" {
			return nil, false
		}
		out[i] = d.Extent
	}
	return out, true
}

// String writes the shape as [1,N,3], and an unknown one as [?].
func (s Shape) String() string {
	if s == nil {
		return "[?]"
	}
	var b strings.Builder
	b.WriteByte('[')
	for i, d := range s {
		if i > 0 {
			b.WriteByte(',')
		}
		if d.Symbol != "" {
			b.WriteString(d.Symbol)
		} else {
			b.WriteString(strconv.Itoa(d.Extent))
		}
	}
	b.WriteByte(']')
	return b.String()
}

// Type is the element type and shape of a value.
type Type struct {
	DType tensor.DType
	Shape Shape
}

// TypeOf returns the type of a tensor.
func TypeOf(t *tensor.Tensor) Type { return Type{t.DType(), Fixed(t.Shape())} }

// String writes the type as float32[1,N,3].
func (t Type) String() string { return t.DType.String() + t.Shape.String() }
