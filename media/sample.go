package media

import (
	"image"
	"iter"
	"math"

	"github.com/concord-nn/concord/manifest"
)

// rectangle is a part of a picture, in pixels; it may reach beyond the picture.
type rectangle struct{ x, y, width, height float64 }

// raster is a picture as the sampler reads it: interleaved channels, 8 bits each.
type raster struct {
	width, height, channels int
	pad                     []float64 // what lies outside, one value for each channel

	picture *image.RGBA
	colour  manifest.Colour
	flip    uint8 // of which bits are ones that are inverted
}

// pixels reads row y of the picture.
func (r *raster) pixels(to []uint8, y int) {
	convertRow(to, r.picture.Pix[y*r.picture.Stride:][:4*r.width], r.colour, r.flip)
}

// A tap is one pixel that contributes to a sample, with its weight.
type tap struct {
	at     int
	weight float64
}

// A span is what one sample consists of along one axis: pixels in ascending order, and the share that lies outside of
// the picture. The weights sum to one but for rounding.
type span struct {
	taps    []tap
	outside float64
}

// spans returns the samples that cover length pixels from origin, of a picture that has n.
func spans(filter manifest.Filter, origin, length float64, n, samples int) []span {
	out := make([]span, samples)
	cell := length / float64(samples)
	for i := range out {
		if filter == manifest.Area {
			from := origin + float64(cell*float64(i))
			out[i] = area(from, from+cell, n)
		} else {
			out[i] = bilinear(origin+float64(cell*(float64(i)+0.5)), n)
		}
	}
	return out
}

// bilinear interpolates at the coordinate between the centres of two pixels. At the picture's edge, the last pixel
// continues.
func bilinear(coordinate float64, n int) span {
	if coordinate < 0 || coordinate >= float64(n) {
		return span{outside: 1}
	}
	below := math.Floor(coordinate - 0.5)
	t := coordinate - 0.5 - below
	return span{taps: []tap{{max(int(below), 0), 1 - t}, {min(int(below)+1, n-1), t}}}
}

// area weighs each pixel with the share of from … to that it fills.
func area(from, to float64, n int) span {
	var s span
	cell := to - from
	for p := int(max(math.Floor(from), 0)); p < n && float64(p) < to; p++ {
		if weight := (min(to, float64(p+1)) - max(from, float64(p))) / cell; weight > 0 {
			s.taps = append(s.taps, tap{p, weight})
		}
	}
	s.outside = (max(0, min(to, 0)-from) + max(0, to-max(from, float64(n)))) / cell
	return s
}

// sample resizes the part of the picture inside the rectangle to width×height samples, rows first, channels interleaved.
// It is separable: each row of the picture is resized once, then the rows are. Sums are float64, in the order of the
// pixels, every product rounded before it is added, so that their bits do not depend on the processor.
func (r *raster) sample(w rectangle, filter manifest.Filter, width, height int) []float32 {
	columns, rows := spans(filter, w.x, w.width, r.width, width), spans(filter, w.y, w.height, r.height, height)
	out := make([]float32, width*height*r.channels)
	inRows(height, func(from, to int) { r.sampleRows(out, columns, rows, from, to) })
	return out
}

// sampleRows makes the rows from … to-1 of a result.
func (r *raster) sampleRows(out []float32, columns, rows []span, from, to int) {
	sum := make([]float64, len(columns)*r.channels)
	line, pixels, current := make([]float64, len(sum)), make([]uint8, r.width*r.channels), -1
	for y := from; y < to; y++ {
		for i := range sum {
			sum[i] = float64(rows[y].outside * r.pad[i%r.channels])
		}
		for _, t := range rows[y].taps {
			if t.weight == 0 {
				continue
			}
			if current != t.at {
				current = t.at
				r.pixels(pixels, current)
				r.resize(line, pixels, columns)
			}
			for i, v := range line {
				sum[i] += float64(t.weight * v)
			}
		}
		for i, v := range sum {
			out[y*len(sum)+i] = float32(v)
		}
	}
}

// resize resizes a row of the picture.
func (r *raster) resize(line []float64, pix []uint8, columns []span) {
	if r.channels == 3 {
		for x, c := range columns {
			a, b, d := float64(c.outside*r.pad[0]), float64(c.outside*r.pad[1]), float64(c.outside*r.pad[2])
			for _, t := range c.taps {
				p := pix[3*t.at : 3*t.at+3]
				a += float64(t.weight * float64(p[0]))
				b += float64(t.weight * float64(p[1]))
				d += float64(t.weight * float64(p[2]))
			}
			line[3*x], line[3*x+1], line[3*x+2] = a, b, d
		}
		return
	}
	for x, c := range columns {
		v := float64(c.outside * r.pad[0])
		for _, t := range c.taps {
			v += float64(t.weight * float64(pix[t.at]))
		}
		line[x] = v
	}
}

// content returns the smallest rectangle around the pixels that are nearer in brightness to the brightest than to the
// darkest, grown by margin times its longer side on all sides. A picture of one brightness is all content.
func (r *raster) content(margin float64) rectangle {
	darkest, brightest := uint8(255), uint8(0)
	for _, v := range r.brightness() {
		darkest, brightest = min(darkest, v), max(brightest, v)
	}
	box := image.Rect(0, 0, r.width, r.height)
	if darkest < brightest {
		box = image.Rectangle{}
		for at, v := range r.brightness() {
			if 2*int(v) >= int(darkest)+int(brightest) {
				box = box.Union(image.Rectangle{at, at.Add(image.Pt(1, 1))})
			}
		}
	}
	by := float64(margin * float64(max(box.Dx(), box.Dy())))
	return rectangle{
		float64(box.Min.X) - by, float64(box.Min.Y) - by,
		float64(box.Dx()) + float64(2*by), float64(box.Dy()) + float64(2*by),
	}
}

// brightness yields all pixels with their brightness.
func (r *raster) brightness() iter.Seq2[image.Point, uint8] {
	return func(yield func(image.Point, uint8) bool) {
		row := make([]uint8, r.width*r.channels)
		for y := range r.height {
			r.pixels(row, y)
			for x := range r.width {
				v := row[x*r.channels]
				if r.channels == 3 {
					v = luma(v, row[3*x+1], row[3*x+2])
				}
				if !yield(image.Pt(x, y), v) {
					return
				}
			}
		}
	}
}

// luma is 0.299 r + 0.587 g + 0.114 b, as JPEG defines it, in 16-bit fixed point.
func luma(r, g, b uint8) uint8 {
	return uint8((19595*uint32(r) + 38470*uint32(g) + 7471*uint32(b) + 1<<15) >> 16)
}
