package media

import (
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"math"
	"strconv"

	"github.com/concord-nn/concord/internal/limits"
	"golang.org/x/image/vector"
)

// The limits and proportions of a plot.
const (
	minPlot    = 120
	maxPlot    = limits.MediaPlot
	plotMargin = 48 // around the curve, for the scales
)

var (
	paper = color.RGBA{0xff, 0xff, 0xff, 0xff}
	grid  = color.RGBA{0xe4, 0xe8, 0xec, 0xff}
	faint = color.RGBA{0x60, 0x68, 0x70, 0xff}
	curve = color.RGBA{0x18, 0x64, 0xc8, 0xff}
	under = color.RGBA{0x18 / 5, 0x64 / 5, 0xc8 / 5, 0xff / 5} // premultiplied
	limit = color.RGBA{0xd0, 0x40, 0x30, 0xff}
)

// DrawTrack draws a track over time: values from 0 to 1 upwards, seconds to the right, the threshold dashed, the
// stretches at or above it tinted. Width and height are those of the picture, from 120 to 16384 pixels.
func DrawTrack(t *Track, width, height int) (*image.RGBA, error) {
	if width < minPlot || height < minPlot || width > maxPlot || height > maxPlot || width > MaxPixels/height {
		return nil, fmt.Errorf("a plot of %d×%d pixels is not possible; each side must be %d to %d", width, height, minPlot, maxPlot)
	}
	if len(t.Values) == 0 || t.Step <= 0 {
		return nil, fmt.Errorf("there is nothing to draw: the track has %d values, %v seconds apart", len(t.Values), t.Step)
	}
	face, err := newFace(12)
	if err != nil {
		return nil, err
	}
	defer func() { _ = face.Close() }()
	m := image.NewRGBA(image.Rect(0, 0, width, height))
	fill := func(r image.Rectangle, c color.Color) { draw.Draw(m, r, image.NewUniform(c), image.Point{}, draw.Over) }
	fill(m.Rect, paper)

	p := plot{image.Rect(plotMargin, plotMargin/2, width-plotMargin/2, height-plotMargin), float64(len(t.Values)) * t.Step}
	for _, s := range t.Segments() {
		fill(image.Rect(round(p.x(s.Begin)), p.Min.Y, round(p.x(s.End)), p.Max.Y), under)
	}
	for i := range 5 {
		v := float64(i) / 4
		y := round(p.y(v))
		fill(image.Rect(p.Min.X, y, p.Max.X, y+1), grid)
		write(m, face, faint, fmt.Sprintf("%.2f", v), p.Min.X-32, y+4)
	}
	tick := tickStep(p.seconds, float64(p.Dx())/90)
	for i := 0; float64(i)*tick <= p.seconds*(1+1e-9); i++ {
		x := round(p.x(float64(i) * tick))
		fill(image.Rect(x, p.Min.Y, x+1, p.Max.Y+4), grid)
		write(m, face, faint, strconv.FormatFloat(float64(i)*tick, 'g', 6, 64)+" s", x-8, p.Max.Y+18)
	}
	for x, y := p.Min.X, round(p.y(t.Threshold)); x < p.Max.X; x += 10 {
		fill(image.Rect(x, y, min(x+6, p.Max.X), y+1).Intersect(p.Rectangle), limit)
	}
	p.stroke(m, t)
	write(m, face, ink, shorten(t.Label, width/16), p.Min.X, height-10)
	return m, nil
}

// A plot maps time and value to pixels.
type plot struct {
	image.Rectangle
	seconds float64
}

func (p plot) x(seconds float64) float64 {
	return float64(p.Min.X) + float64(seconds/p.seconds*float64(p.Dx()))
}

func (p plot) y(value float64) float64 {
	if math.IsNaN(value) {
		value = 0
	}
	return float64(p.Max.Y) - float64(max(0, min(value, 1))*float64(p.Dy()))
}

func round(x float64) int { return int(math.Round(x)) }

// stroke draws the curve through the middle of each window. Where several windows share a column of pixels, the line
// goes from the least to the greatest of them.
func (p plot) stroke(m *image.RGBA, t *Track) {
	type point struct{ x, y float64 }
	var points []point
	for i := 0; i < len(t.Values); {
		column := math.Floor(p.x((float64(i) + 0.5) * t.Step))
		low, high, first := i, i, i
		for ; i < len(t.Values) && math.Floor(p.x((float64(i)+0.5)*t.Step)) == column; i++ {
			if t.Values[i] < t.Values[low] {
				low = i
			}
			if t.Values[i] > t.Values[high] {
				high = i
			}
		}
		x := p.x((float64(first) + 0.5) * t.Step)
		for _, at := range []int{min(low, high), max(low, high)} {
			points = append(points, point{x, p.y(float64(t.Values[at]))})
		}
	}
	const half = 0.9 // half of the line's width
	r := vector.NewRasterizer(m.Rect.Dx(), m.Rect.Dy())
	for i := range len(points) - 1 {
		a, b := points[i], points[i+1]
		dx, dy := b.x-a.x, b.y-a.y
		length := math.Sqrt(float64(dx*dx) + float64(dy*dy))
		if length == 0 {
			continue
		}
		dx, dy = half*dx/length, half*dy/length
		// A little longer than the segment, so that there is no gap at a bend.
		corner := func(x, y float64) (float32, float32) { return float32(x), float32(y) }
		r.MoveTo(corner(a.x-dx/2-dy, a.y-dy/2+dx))
		r.LineTo(corner(b.x+dx/2-dy, b.y+dy/2+dx))
		r.LineTo(corner(b.x+dx/2+dy, b.y+dy/2-dx))
		r.LineTo(corner(a.x-dx/2+dy, a.y-dy/2-dx))
		r.ClosePath()
	}
	r.Draw(m, m.Rect, image.NewUniform(curve), image.Point{})
}

// tickStep returns 1, 2 or 5 times a power of ten such that there are at most the given number of steps.
func tickStep(length, most float64) float64 {
	step := 1e-6
	for {
		for _, f := range []float64{1, 2, 5} {
			if length/(step*f) <= max(most, 1) {
				return step * f
			}
		}
		step *= 10
	}
}
