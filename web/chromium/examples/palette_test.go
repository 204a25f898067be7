package examples_test

import (
	"bytes"
	"cmp"
	"image"
	"image/color"
	"image/png"
	"slices"
)

// small returns a PNG file of the picture with so many colours at most: a fraction of the size, and hardly another look.
func small(m image.Image, colours int) ([]byte, error) {
	size := m.Bounds()
	count := map[color.RGBA]int{}
	at := func(x, y int) color.RGBA {
		return color.RGBAModel.Convert(m.At(x, y)).(color.RGBA)
	}
	for y := size.Min.Y; y < size.Max.Y; y++ {
		for x := size.Min.X; x < size.Max.X; x++ {
			count[at(x, y)]++
		}
	}
	all := box3{}
	for c, n := range count {
		all = append(all, shade{[3]uint8{c.R, c.G, c.B}, n})
	}
	slices.SortFunc(all, func(a, b shade) int { return slices.Compare(a.rgb[:], b.rgb[:]) }) // maps have no order
	boxes := []box3{all}
	for len(boxes) < colours {
		widest := slices.MaxFunc(boxes, func(a, b box3) int { return cmp.Compare(a.weight(), b.weight()) })
		if widest.weight() == 0 {
			break
		}
		i := slices.IndexFunc(boxes, func(b box3) bool { return &b[0] == &widest[0] })
		low, high := widest.split()
		boxes[i] = low
		boxes = append(boxes, high)
	}
	palette, index := color.Palette{}, map[color.RGBA]uint8{}
	for i, b := range boxes {
		palette = append(palette, b.mean())
		for _, s := range b {
			index[color.RGBA{s.rgb[0], s.rgb[1], s.rgb[2], 255}] = uint8(i)
		}
	}
	out := image.NewPaletted(size, palette)
	for y := size.Min.Y; y < size.Max.Y; y++ {
		for x := size.Min.X; x < size.Max.X; x++ {
			out.SetColorIndex(x, y, index[at(x, y)])
		}
	}
	var b bytes.Buffer
	err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&b, out)
	return b.Bytes(), err
}

// shade is a colour and how many pixels have it; box3 is shades near one another.
type shade struct {
	rgb [3]uint8
	n   int
}

type box3 []shade

// widest returns the channel in which the shades differ most, and by how much.
func (b box3) widest() (channel, extent int) {
	for c := range 3 {
		low, high := 255, 0
		for _, s := range b {
			low, high = min(low, int(s.rgb[c])), max(high, int(s.rgb[c]))
		}
		if high-low > extent {
			channel, extent = c, high-low
		}
	}
	return channel, extent
}

// weight says how much there is to gain by splitting the box; few pixels of many shades count, too, as they may be letters.
func (b box3) weight() float64 {
	n := 0
	for _, s := range b {
		n += s.n
	}
	_, extent := b.widest()
	return float64(extent) * float64(extent) * float64(min(n, 40000))
}

// split divides the box in the middle of its longest side.
func (b box3) split() (low, high box3) {
	c, _ := b.widest()
	slices.SortStableFunc(b, func(x, y shade) int { return cmp.Compare(x.rgb[c], y.rgb[c]) })
	middle := (int(b[0].rgb[c]) + int(b[len(b)-1].rgb[c]) + 1) / 2
	i := max(1, slices.IndexFunc(b, func(s shade) bool { return int(s.rgb[c]) >= middle }))
	return b[:i], b[i:]
}

func (b box3) mean() color.RGBA {
	var sum [3]int
	n := 0
	for _, s := range b {
		n += s.n
		for c := range 3 {
			sum[c] += s.n * int(s.rgb[c])
		}
	}
	return color.RGBA{uint8((sum[0] + n/2) / n), uint8((sum[1] + n/2) / n), uint8((sum[2] + n/2) / n), 255}
}
