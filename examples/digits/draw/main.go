// Draw writes the twenty drawings of handwritten digits that examples/digits is tried on, and a sheet that
// shows all of them. The drawings are polylines as a mouse makes them, drawn with a round black pen on white
// paper.
//
//	go run ./examples/digits/draw
package main

import (
	"bytes"
	"flag"
	"fmt"
	"image"
	"image/png"
	"os"
	"path/filepath"
)

func main() {
	dir := flag.String("dir", "examples/digits/drawings", "folder that receives one PNG a drawing")
	sheet := flag.String("sheet", "examples/digits/drawings.png", "file that receives the sheet of all drawings")
	flag.Parse()
	if err := run(*dir, *sheet); err != nil {
		fmt.Fprintln(os.Stderr, "draw:", err)
		os.Exit(1)
	}
}

// run writes the drawings into dir and the sheet into a file.
func run(dir, sheet string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	var pictures []*image.Gray
	for _, d := range drawings {
		picture := d.paint()
		if err := writePNG(filepath.Join(dir, d.name+".png"), picture); err != nil {
			return err
		}
		pictures = append(pictures, picture)
	}
	return writePNG(sheet, contactSheet(pictures, 10, 60))
}

// writePNG writes one picture.
func writePNG(path string, m image.Image) error {
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return os.WriteFile(path, b.Bytes(), 0o644)
}
