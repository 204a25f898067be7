package media

import (
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"math"
	"strings"

	"github.com/concord-nn/concord/internal/fmath"
	"github.com/concord-nn/concord/manifest"
	"github.com/concord-nn/concord/tensor"
)

// View says which part of a picture a model sees, and in how many pixels, so that what it finds can be placed in the
// picture.
type View struct {
	X, Y, Width, Height float64 // the part, in pixels of the picture; it may reach beyond it
	Columns, Rows       int     // the size of the model's input
}

// PrepareImage makes a picture the input of type t, as spec says; the order of steps stands at manifest.Image.
func PrepareImage(spec *manifest.Image, t manifest.Type, m *image.RGBA) (*tensor.Tensor, View, error) {
	spec, err := spec.Resolved()
	var grid manifest.Grid
	if err == nil {
		grid, err = spec.Grid(t)
	}
	if err != nil {
		return nil, View{}, fmt.Errorf("input %q: %w", t.Name, err)
	}
	if err := check(m); err != nil {
		return nil, View{}, err
	}
	r := newRaster(spec, m)
	w := rectangle{0, 0, float64(r.width), float64(r.height)}
	if spec.Crop == manifest.CropContent {
		w = r.content(spec.Margin)
	}
	w = w.shaped(spec.Resize, float64(grid.Width)/float64(grid.Height))
	view := View{w.x, w.y, w.width, w.height, grid.Width, grid.Height}
	pixels, err := tensor.FromSlice(r.sample(w, spec.Filter, grid.Width, grid.Height), grid.Height, grid.Width, grid.Channels)
	if err != nil {
		return nil, View{}, err
	}
	var e eval
	return e.fill(spec, grid, pixels), view, e.err
}

// fill makes the input of the samples of a picture.
func (e *eval) fill(spec *manifest.Image, grid manifest.Grid, pixels *tensor.Tensor) *tensor.Tensor {
	if e.graph == nil {
		adjust(tensor.Data[float32](pixels), spec, grid.DType.IsInteger())
	} else {
		pixels = e.adjusted(spec, grid.DType.IsInteger(), pixels)
	}
	if before, after := "HWC", strings.ReplaceAll(grid.Layout, "N", ""); after != before && len(after) == len(before) {
		axes := make([]int, len(after))
		for i := range after {
			axes[i] = strings.IndexByte(before, after[i])
		}
		pixels = e.op("transpose", attrs("axes", axes), pixels)
	}
	return e.reshape(e.cast(pixels, grid.DType), grid.Shape()...)
}

// adjusted returns x rounded, if it is asked for, then (x - Mean) / Std, both given for all channels or for each, and that rounded if it is wanted whole.
func (e *eval) adjusted(spec *manifest.Image, whole bool, x *tensor.Tensor) *tensor.Tensor {
	if spec.Round {
		x = e.op("round_even", nil, x)
	}
	if mean := spec.Mean; len(mean) != 1 || mean[0] != 0 {
		x = e.op("sub", nil, x, e.constant(mean, 1, 1, len(mean)))
	}
	if std := spec.Std; len(std) != 1 || std[0] != 1 {
		x = e.op("div", nil, x, e.constant(std, 1, 1, len(std)))
	}
	if whole {
		x = e.op("round_even", nil, x)
	}
	return x
}

// adjust does in place what adjusted does, where nobody asks for operators.
func adjust(pixels []float32, spec *manifest.Image, whole bool) {
	for i, x := range pixels {
		if spec.Round {
			x = float32(math.RoundToEven(float64(x)))
		}
		x = fmath.Canonical((x - float32(spec.Mean[i%len(spec.Mean)])) / float32(spec.Std[i%len(spec.Std)]))
		if whole {
			x = float32(math.RoundToEven(float64(x)))
		}
		pixels[i] = x
	}
}

// newRaster reads a picture in the channels that spec wants.
func newRaster(spec *manifest.Image, m *image.RGBA) *raster {
	r := &raster{width: m.Rect.Dx(), height: m.Rect.Dy(), channels: spec.Colour.Channels(), colour: spec.Colour}
	pad := color.RGBA{byteOf(spec.Pad[0]), byteOf(spec.Pad[len(spec.Pad)/2]), byteOf(spec.Pad[len(spec.Pad)-1]), 255}
	if !m.Opaque() {
		flat := image.NewRGBA(image.Rect(0, 0, r.width, r.height))
		draw.Draw(flat, flat.Rect, image.NewUniform(pad), image.Point{}, draw.Src)
		draw.Draw(flat, flat.Rect, m, m.Rect.Min, draw.Over)
		m = flat
	}
	r.picture = m
	if spec.Invert {
		r.flip = 0xff // 255 - x
	}
	padding := make([]uint8, r.channels)
	convertRow(padding, []uint8{pad.R, pad.G, pad.B, pad.A}, r.colour, r.flip)
	for _, v := range padding {
		r.pad = append(r.pad, float64(v))
	}
	return r
}

// convertRow converts pixels of red, green, blue and alpha to the channels that a model wants.
func convertRow(to, from []uint8, colour manifest.Colour, flip uint8) {
	red, blue := 0, 2
	switch colour {
	case manifest.Gray:
		for i := range len(from) / 4 {
			p := from[4*i : 4*i+4]
			to[i] = luma(p[0], p[1], p[2]) ^ flip
		}
		return
	case manifest.BGR:
		red, blue = 2, 0
	}
	for ; len(from) >= 4; from, to = from[4:], to[3:] {
		to[red], to[1], to[blue] = from[0]^flip, from[1]^flip, from[2]^flip
	}
}

func byteOf(x float64) uint8 { return uint8(x + 0.5) }

// shaped returns the rectangle changed to the proportion of width to height, about its centre.
func (w rectangle) shaped(resize manifest.Resize, proportion float64) rectangle {
	if resize == manifest.Stretch {
		return w
	}
	width, height := w.width, w.height
	if wide := w.width > float64(w.height*proportion); wide == (resize == manifest.Fit) {
		height = w.width / proportion
	} else {
		width = float64(w.height * proportion)
	}
	return rectangle{w.x + (w.width-width)/2, w.y + (w.height-height)/2, width, height}
}
