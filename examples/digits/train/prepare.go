package main

import (
	"image"
	"math"
)

// side is the width and height of the network's input.
const side = 28

// margin is the space around the ink that prepare leaves, as a share of the ink's longer side.
const margin = 0.2

// rectangle is the square of a picture, in pixels, that becomes the network's input.
type rectangle struct{ x, y, side float64 }

// prepare turns a picture of dark ink on light paper into the network's input, as the model's manifest tells:
// grey, inverted, cropped to the ink with a margin, resized to 28×28 by averaging, scaled to 0 … 1.
func prepare(m *image.Gray) []float32 { return resize(m, content(m).grow(margin)) }

// content returns the smallest square around the ink, which is centred in it. Ink is what is closer in
// brightness to the darkest than to the lightest pixel; a picture of one brightness is taken as a whole.
func content(m *image.Gray) rectangle {
	darkest, lightest := uint8(255), uint8(0)
	for _, v := range m.Pix {
		darkest, lightest = min(darkest, v), max(lightest, v)
	}
	box := image.Rectangle{}
	for y := range m.Rect.Dy() {
		for x, v := range m.Pix[y*m.Stride:][:m.Rect.Dx()] {
			if darkest < lightest && 2*int(v) <= int(darkest)+int(lightest) {
				box = box.Union(image.Rect(x, y, x+1, y+1))
			}
		}
	}
	if box.Empty() {
		box = m.Rect.Sub(m.Rect.Min)
	}
	w := rectangle{side: float64(max(box.Dx(), box.Dy()))}
	w.x = (float64(box.Min.X+box.Max.X) - w.side) / 2
	w.y = (float64(box.Min.Y+box.Max.Y) - w.side) / 2
	return w
}

// grow adds a share of the rectangle's side on all four sides.
func (w rectangle) grow(share float64) rectangle {
	by := float64(share * w.side)
	return rectangle{w.x - by, w.y - by, w.side + float64(2*by)}
}

// resize returns the inverted picture inside the rectangle: every item is the mean of the part of the picture that
// it covers, 0 for white and 1 for black. Outside of the picture the paper is white.
func resize(m *image.Gray, w rectangle) []float32 {
	height := m.Rect.Dy()
	rows := make([]float64, height*side)
	for i := range side {
		spread(w.x, w.side, i, m.Rect.Dx(), func(x int, share float64) {
			for y := range height {
				rows[y*side+i] += float64(share * float64(255-m.Pix[y*m.Stride+x]))
			}
		})
	}
	out := make([]float32, side*side)
	for i := range side {
		var line [side]float64
		spread(w.y, w.side, i, height, func(y int, share float64) {
			for j := range line {
				line[j] += float64(share * rows[y*side+j])
			}
		})
		for j, v := range line {
			out[i*side+j] = float32(v / 255)
		}
	}
	return out
}

// spread calls visit for each of n pixels that output item i covers, with the share of the item that it fills.
func spread(origin, length float64, i, n int, visit func(pixel int, share float64)) {
	cell := length / side
	from := origin + float64(cell*float64(i))
	to := from + cell
	for p := max(int(math.Floor(from)), 0); p < n && float64(p) < to; p++ {
		if share := (min(to, float64(p+1)) - max(from, float64(p))) / cell; share > 0 {
			visit(p, share)
		}
	}
}
