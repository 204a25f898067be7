package geometry

import (
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/tensor"
)

// Convolution is the geometry of a conv or, with Up, of a deconv: a window over the planes of an input, and which of them go into which
// plane of the result.
type Convolution struct {
	Sliding
	Channels          int // of the result
	GroupIn, GroupOut int // channels of a group
	InPlane, OutPlane int // elements of a channel
	Taps              int // window positions
	Up                bool
	inChannels        int
}

// NewConvolution returns the geometry that the attributes give for these shapes.
func NewConvolution(a graph.Attrs, in, filter, out tensor.Shape) Convolution {
	up := SlidesUp(a)
	v := Convolution{
		Sliding:  NewSliding(a, in[2:], out[2:], filter[2:], up),
		Channels: out[1],
		GroupIn:  filter[1], GroupOut: filter[0],
		InPlane: in[2:].Len(), OutPlane: out[2:].Len(), Taps: filter[2:].Len(),
		Up: up, inChannels: in[1],
	}
	if up {
		v.GroupIn, v.GroupOut = filter[0]*filter[1]/max(out[1], 1), filter[1]
	} else {
		v.GroupOut = max(filter[0]*filter[1]/max(in[1], 1), 1)
	}
	return v
}

// Input returns the offset of the first input plane of the group of output channel o, in batch item b.
func (v *Convolution) Input(b, o int) int {
	return (b*v.inChannels + o/v.GroupOut*v.GroupIn) * v.InPlane
}

// Weights returns the offset of the first filter element of output channel o, and the distance of input channels.
func (v *Convolution) Weights(o int) (at, step int) {
	if !v.Up {
		return o * v.GroupIn * v.Taps, v.Taps
	}
	return (o/v.GroupOut*v.GroupIn*v.GroupOut + o%v.GroupOut) * v.Taps, v.GroupOut * v.Taps
}
