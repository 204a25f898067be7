package main

import (
	"image"
	"math"
	"slices"
)

// A canvas is a square picture of ink: 0 is paper, 1 is full ink, row by row from the top.
type canvas struct {
	side int
	ink  []float64
}

func newCanvas(side int) canvas { return canvas{side, make([]float64, side*side)} }

// clip limits the pixels from lo up to but without hi to the canvas.
func (c canvas) clip(lo, hi float64) (int, int) {
	return min(max(int(math.Floor(lo)), 0), c.side), min(max(int(math.Ceil(hi)), 0), c.side)
}

// segment draws a line whose radius and darkness go from those at a to those at b.
func (c canvas) segment(a, b point, radiusA, radiusB, darkA, darkB float64) {
	dx, dy := b.x-a.x, b.y-a.y
	length2 := float64(dx*dx) + float64(dy*dy)
	reach := max(radiusA, radiusB) + 1
	x0, x1 := c.clip(min(a.x, b.x)-reach, max(a.x, b.x)+reach)
	y0, y1 := c.clip(min(a.y, b.y)-reach, max(a.y, b.y)+reach)
	for y := y0; y < y1; y++ {
		row := c.ink[y*c.side:][:c.side]
		for x := x0; x < x1; x++ {
			px, py := float64(x)+0.5-a.x, float64(y)+0.5-a.y
			t := 0.0
			if length2 > 0 {
				t = min(max((float64(px*dx)+float64(py*dy))/length2, 0), 1)
			}
			ex, ey := px-float64(t*dx), py-float64(t*dy)
			away := math.Sqrt(float64(ex*ex) + float64(ey*ey))
			covered := min(max(radiusA+float64(t*(radiusB-radiusA))+0.5-away, 0), 1)
			row[x] = max(row[x], float64(covered*(darkA+float64(t*(darkB-darkA)))))
		}
	}
}

// fill paints the inside of closed outlines (the points around which they wind), antialiased.
func (c canvas) fill(outlines []path, dark float64) {
	const lines = 4 // scan lines in a pixel row
	type crossing struct {
		x    float64
		turn int
	}
	var crossings []crossing
	for sub := range c.side * lines {
		y := (float64(sub) + 0.5) / lines
		crossings = crossings[:0]
		for _, outline := range outlines {
			a := outline[len(outline)-1]
			for _, b := range outline {
				if (a.y <= y) != (b.y <= y) {
					turn := 1
					if a.y > b.y {
						turn = -1
					}
					crossings = append(crossings, crossing{mix(a, b, (y-a.y)/(b.y-a.y)).x, turn})
				}
				a = b
			}
		}
		slices.SortFunc(crossings, func(a, b crossing) int {
			switch {
			case a.x < b.x:
				return -1
			case a.x > b.x:
				return 1
			}
			return a.turn - b.turn
		})
		row := c.ink[sub/lines*c.side:][:c.side]
		winding := 0
		for i, cross := range crossings {
			if winding != 0 {
				from, to := crossings[i-1].x, cross.x
				x0, x1 := c.clip(from, to)
				for x := x0; x < x1; x++ {
					covered := min(to, float64(x)+1) - max(from, float64(x))
					row[x] = min(row[x]+float64(covered*dark)/lines, dark)
				}
			}
			winding += cross.turn
		}
	}
}

// blur softens the picture: every pixel becomes a quarter of its neighbours and half of itself, along rows and
// along columns.
func (c canvas) blur() {
	line := make([]float64, c.side)
	pass := func(start, step int) {
		at := func(i int) float64 { return c.ink[start+min(max(i, 0), c.side-1)*step] }
		for i := range line {
			line[i] = (at(i-1) + float64(2*at(i)) + at(i+1)) / 4
		}
		for i, v := range line {
			c.ink[start+i*step] = v
		}
	}
	for i := range c.side {
		pass(i*c.side, 1)
		pass(i, c.side)
	}
}

// photograph turns ink into a grey picture: dark ink on paper that is not quite white, with grain of the given
// strength. Zero for both gives black on white.
func (c canvas) photograph(r random, paper, grain float64) *image.Gray {
	m := image.NewGray(image.Rect(0, 0, c.side, c.side))
	for i, ink := range c.ink {
		light := float64((1 - ink) * (1 - paper))
		if grain > 0 {
			light += r.about(grain)
		}
		m.Pix[i] = uint8(math.Round(255 * min(max(light, 0), 1)))
	}
	return m
}
