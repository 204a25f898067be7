package main

import (
	"bytes"
	"image"
	"image/png"
	"math"
	"os"
)

// writeSheet writes a picture of the first samples of a seed, as the network sees them, a digit a column.
func writeSheet(file string, seed uint64) error {
	const columns, rows, zoom, cell = 20, 15, 2, side*2 + 2
	sheet := image.NewGray(image.Rect(0, 0, columns*cell, rows*cell))
	for n := range columns * rows {
		s := newSample(seed, uint64(n))
		left, top := n%columns*cell, n/columns*cell
		for y := range side * zoom {
			for x := range side * zoom {
				v := s.input[y/zoom*side+x/zoom]
				sheet.Pix[sheet.PixOffset(left+x, top+y)] = 255 - uint8(math.Round(float64(255*v)))
			}
		}
	}
	var b bytes.Buffer
	if err := png.Encode(&b, sheet); err != nil {
		return err
	}
	return os.WriteFile(file, b.Bytes(), 0o644)
}
