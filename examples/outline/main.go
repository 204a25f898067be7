// Outline draws the outlines of what a picture shows, with a graph of OpenVX layers in 8-bit and Q7.8 arithmetic.
//
//	go run ./examples/outline -o outline.png examples/digits/drawings.png
package main

import (
	"flag"
	"fmt"
	"image"
	"os"

	"github.com/concord-nn/concord/media"
)

func main() {
	out := flag.String("o", "outline.png", "file that receives the outlines as PNG")
	flag.Parse()
	if flag.NArg() != 1 {
		fmt.Fprintln(os.Stderr, "usage: outline [-o FILE] PICTURE")
		os.Exit(2)
	}
	if err := run(flag.Arg(0), *out); err != nil {
		fmt.Fprintln(os.Stderr, "outline:", err)
		os.Exit(1)
	}
}

func run(picture, out string) error {
	m, err := media.OpenPicture(picture)
	if err != nil {
		return err
	}
	outlines, err := outline(gray(m))
	if err != nil {
		return err
	}
	return media.SavePNG(out, outlines)
}

// gray returns the brightness of a picture.
func gray(m *image.RGBA) *image.Gray {
	g := image.NewGray(image.Rect(0, 0, m.Rect.Dx(), m.Rect.Dy()))
	for y := range m.Rect.Dy() {
		for x := range m.Rect.Dx() {
			g.Set(x, y, m.At(m.Rect.Min.X+x, m.Rect.Min.Y+y))
		}
	}
	return g
}
