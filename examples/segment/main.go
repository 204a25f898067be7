// Segment finds things in a picture with a small encoder and decoder, built with the WebNN builder: a sun, a tent, and the
// ground around them. It draws the picture itself.
//
//	go run ./examples/segment -picture picture.png -mask mask.png
package main

import (
	"context"
	"flag"
	"fmt"
	"image"
	"image/png"
	"io"
	"os"
)

func main() {
	seed := flag.Uint64("seed", 1, "seed of the picture's grain")
	picture := flag.String("picture", "", "file that receives the picture as PNG")
	mask := flag.String("mask", "", "file that receives the mask as PNG")
	flag.Parse()
	if err := run(context.Background(), os.Stdout, *seed, *picture, *mask); err != nil {
		fmt.Fprintln(os.Stderr, "segment:", err)
		os.Exit(1)
	}
}

// run paints a picture, segments it and writes the result, and both as files if they have names.
func run(ctx context.Context, w io.Writer, seed uint64, picture, mask string) error {
	p, truth := paint(seed)
	found, err := segment(ctx, p)
	if err != nil {
		return err
	}
	report(w, found, truth)
	if err := writePNG(picture, p); err != nil {
		return err
	}
	return writePNG(mask, maskImage(found.classes))
}

// report writes the mask as text, a mark for each 2×4 pixels, and how well it agrees with what was painted.
func report(w io.Writer, found *segments, truth []int32) {
	marks := [...]byte{ground: '.', sun: 'O', tent: '#'}
	for y := 2; y < side; y += 4 {
		line := make([]byte, 0, side/2)
		for x := 1; x < side; x += 2 {
			line = append(line, marks[found.classes[y*side+x]])
		}
		fmt.Fprintf(w, "%s\n", line)
	}
	for class, name := range classNames {
		fmt.Fprintf(w, "%-6s %4d pixels, overlap %.3f, mean probability %.3f\n",
			name, count(found.classes, class), overlap(found.classes, truth, class), found.certainty(class))
	}
}

// count returns how many pixels have a class.
func count(classes []int32, class int) int {
	n := 0
	for _, c := range classes {
		if int(c) == class {
			n++
		}
	}
	return n
}

// overlap returns the pixels that have the class in both masks divided by those that have it in either.
func overlap(a, b []int32, class int) float64 {
	both, either := 0, 0
	for i := range a {
		inA, inB := int(a[i]) == class, int(b[i]) == class
		if inA && inB {
			both++
		}
		if inA || inB {
			either++
		}
	}
	return float64(both) / float64(max(either, 1))
}

// writePNG writes one picture, if it has a name.
func writePNG(path string, m image.Image) error {
	if path == "" {
		return nil
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	if err := png.Encode(f, m); err != nil {
		f.Close()
		return fmt.Errorf("%s: %w", path, err)
	}
	return f.Close()
}
