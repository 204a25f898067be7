package media

import (
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"math"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gomedium"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"
)

// palette has the colours of boxes, by class: bright enough for dark text on them, and far from each other.
var palette = []color.RGBA{
	{0x4c, 0xe0, 0x6a, 0xff}, {0xff, 0xb0, 0x30, 0xff}, {0x5c, 0xc8, 0xff, 0xff}, {0xff, 0x7a, 0xa8, 0xff},
	{0xf4, 0xe8, 0x4a, 0xff}, {0xc8, 0xa0, 0xff, 0xff}, {0x40, 0xe0, 0xd0, 0xff}, {0xff, 0x8c, 0x66, 0xff},
}

var (
	ink   = color.RGBA{0x10, 0x14, 0x18, 0xff}
	shade = color.RGBA{0, 0, 0, 0x70} // premultiplied
)

// DrawBoxes returns a copy of the picture with a frame around each box and its score above it. The label is written, too,
// if there are several. Lines and letters grow with the picture.
func DrawBoxes(m *image.RGBA, boxes []Box) (*image.RGBA, error) {
	if _, err := RGBA(m); err != nil {
		return nil, err
	}
	out := image.NewRGBA(image.Rectangle{Max: m.Rect.Size()})
	draw.Draw(out, out.Rect, m, m.Rect.Min, draw.Src)
	longer := max(out.Rect.Dx(), out.Rect.Dy())
	line := max(2, (longer+250)/500)
	several := false
	for _, b := range boxes {
		several = several || b.Label != boxes[0].Label
	}
	frames := make([]image.Rectangle, len(boxes))
	for i, b := range boxes {
		frames[i] = b.pixels(out.Rect)
		frame(out, frames[i].Inset(-1), 1, shade)
		frame(out, frames[i].Inset(line), 1, shade)
	}
	// The worst are drawn first, so that the best lie on top.
	for i := len(boxes) - 1; i >= 0; i-- {
		frame(out, frames[i], line, paletteOf(boxes[i].Class))
	}
	for i := len(boxes) - 1; i >= 0; i-- {
		text := strconv.FormatFloat(float64(boxes[i].Score), 'f', 2, 32)
		if several {
			text = shorten(boxes[i].Label, 40) + " " + text
		}
		size := max(9, min(float64(frames[i].Dy())/3, float64(longer)/45))
		if err := tag(out, frames[i], line, text, size, paletteOf(boxes[i].Class)); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func paletteOf(class int) color.RGBA { return palette[max(class-1, 0)%len(palette)] }

// pixels returns the box in whole pixels, reaching at most a little beyond the picture, so that huge boxes do not
// overflow.
func (b *Box) pixels(within image.Rectangle) image.Rectangle {
	at := func(x float64, most int) int { return int(math.Round(max(-16, min(x, float64(most+16))))) }
	return image.Rect(at(b.Left, within.Dx()), at(b.Top, within.Dy()), at(b.Right, within.Dx()), at(b.Bottom, within.Dy()))
}

// frame draws the inner edge of a rectangle.
func frame(m *image.RGBA, r image.Rectangle, line int, c color.RGBA) {
	if r.Empty() {
		return
	}
	src := image.NewUniform(c)
	line = min(line, (min(r.Dx(), r.Dy())+1)/2)
	for _, side := range []image.Rectangle{
		{r.Min, image.Pt(r.Max.X, r.Min.Y+line)},
		{image.Pt(r.Min.X, r.Max.Y-line), r.Max},
		image.Rect(r.Min.X, r.Min.Y+line, r.Min.X+line, r.Max.Y-line),
		image.Rect(r.Max.X-line, r.Min.Y+line, r.Max.X, r.Max.Y-line),
	} {
		draw.Draw(m, side, src, image.Point{}, draw.Over)
	}
}

// tag writes text on a plate above a frame, or inside of it where there is no room above.
func tag(m *image.RGBA, r image.Rectangle, line int, text string, size float64, c color.RGBA) error {
	face, err := newFace(size)
	if err != nil {
		return err
	}
	defer func() { _ = face.Close() }()
	metrics := face.Metrics()
	pad := max(1, int(size/6))
	below := pad // the base line, where letters may hang down; digits do not
	if strings.ContainsFunc(text, unicode.IsLetter) {
		below = max(pad, metrics.Descent.Ceil())
	}
	plate := image.Rect(0, 0, font.MeasureString(face, text).Ceil()+2*pad, metrics.CapHeight.Ceil()+pad+below)
	at := image.Pt(r.Min.X, r.Min.Y-plate.Dy())
	if at.Y < 0 {
		at.Y = max(r.Min.Y+line, 0)
	}
	at.X = max(0, min(at.X, m.Rect.Dx()-plate.Dx()))
	plate = plate.Add(at)
	draw.Draw(m, plate, image.NewUniform(c), image.Point{}, draw.Over)
	write(m, face, ink, text, plate.Min.X+pad, plate.Max.Y-below)
	return nil
}

// write draws text from the left end of its base line.
func write(m *image.RGBA, face font.Face, c color.Color, text string, x, y int) {
	d := font.Drawer{Dst: m, Src: image.NewUniform(c), Face: face, Dot: fixed.P(x, y)}
	d.DrawString(text)
}

// goFont is the font of all text in pictures.
var goFont = sync.OnceValues(func() (*opentype.Font, error) { return opentype.Parse(gomedium.TTF) })

func newFace(size float64) (font.Face, error) {
	f, err := goFont()
	if err != nil {
		return nil, fmt.Errorf("the font: %w", err)
	}
	return opentype.NewFace(f, &opentype.FaceOptions{Size: size, DPI: 72, Hinting: font.HintingFull})
}
