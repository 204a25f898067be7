package main

import (
	"image"
	"image/color"
	"math"
)

// paint draws the strokes in black on white paper with a round, antialiased pen.
func (d drawing) paint() *image.Gray {
	m := image.NewGray(image.Rectangle{Max: d.size})
	for i := range m.Pix {
		m.Pix[i] = 255
	}
	for _, stroke := range d.strokes {
		for i := range stroke[1:] {
			line(m, stroke[i], stroke[i+1], d.pen/2)
		}
	}
	return m
}

// line darkens the pixels within radius of the segment from a to b; a pixel at the edge by the part of it
// that the pen covers, to a good approximation.
func line(m *image.Gray, a, b image.Point, radius float64) {
	reach := int(radius) + 2
	box := image.Rectangle{Min: a, Max: b}.Canon().Inset(-reach).Intersect(m.Rect)
	for y := box.Min.Y; y < box.Max.Y; y++ {
		for x := box.Min.X; x < box.Max.X; x++ {
			covered := min(max(radius+0.5-distance(image.Pt(x, y), a, b), 0), 1)
			paper := uint8(math.Round(255 * (1 - covered)))
			m.SetGray(x, y, color.Gray{Y: min(paper, m.GrayAt(x, y).Y)})
		}
	}
}

// distance returns how far p is from the segment between a and b.
func distance(p, a, b image.Point) float64 {
	ab, ap := b.Sub(a), p.Sub(a)
	t := 0.0
	if length := dot(ab, ab); length > 0 {
		t = min(max(dot(ap, ab)/length, 0), 1)
	}
	dx := float64(ap.X) - float64(t*float64(ab.X))
	dy := float64(ap.Y) - float64(t*float64(ab.Y))
	return math.Sqrt(float64(dx*dx) + float64(dy*dy))
}

// dot returns the scalar product of two vectors.
func dot(a, b image.Point) float64 { return float64(a.X*b.X + a.Y*b.Y) }

// contactSheet shows pictures side by side, in rows of the given number of columns, each shrunk to fit a
// square cell with a thin frame.
func contactSheet(pictures []*image.Gray, columns, cell int) *image.Gray {
	rows := (len(pictures) + columns - 1) / columns
	sheet := image.NewGray(image.Rect(0, 0, columns*cell+1, rows*cell+1))
	for i := range sheet.Pix {
		sheet.Pix[i] = 200
	}
	for i, m := range pictures {
		inner := image.Rect(1, 1, cell, cell).Add(image.Pt(i%columns*cell, i/columns*cell))
		side := max(m.Rect.Dx(), m.Rect.Dy())
		for y := inner.Min.Y; y < inner.Max.Y; y++ {
			for x := inner.Min.X; x < inner.Max.X; x++ {
				from := image.Pt((x-inner.Min.X)*side/inner.Dx(), (y-inner.Min.Y)*side/inner.Dy())
				to := image.Pt((x-inner.Min.X+1)*side/inner.Dx(), (y-inner.Min.Y+1)*side/inner.Dy())
				centre := image.Pt((m.Rect.Dx()-side)/2, (m.Rect.Dy()-side)/2)
				sheet.SetGray(x, y, average(m, image.Rectangle{Min: from, Max: to}.Add(centre)))
			}
		}
	}
	return sheet
}

// average returns the mean grey of a rectangle of m; outside of m the paper is white.
func average(m *image.Gray, r image.Rectangle) color.Gray {
	sum, n := 0, 0
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			n++
			if p := image.Pt(x, y); p.In(m.Rect) {
				sum += int(m.GrayAt(x, y).Y)
			} else {
				sum += 255
			}
		}
	}
	return color.Gray{Y: uint8(sum / max(n, 1))}
}
