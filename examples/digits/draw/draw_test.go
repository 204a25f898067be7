package main

import (
	"bytes"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestTwoDrawingsOfEachDigit(t *testing.T) {
	count := map[string]int{}
	for _, d := range drawings {
		digit, _, _ := strings.Cut(d.name, "-")
		count[digit]++
		for _, stroke := range d.strokes {
			for _, p := range stroke {
				if !p.In(image.Rectangle{Max: d.size}.Inset(int(d.pen))) {
					t.Errorf("%s: point %v is off the paper of %v", d.name, p, d.size)
				}
			}
		}
	}
	for _, digit := range strings.Fields("zero one two three four five six seven eight nine") {
		if count[digit] != 2 {
			t.Errorf("%d drawings of %s, want 2", count[digit], digit)
		}
	}
}

// The committed pictures are what the program paints.
func TestCommittedDrawings(t *testing.T) {
	for _, d := range drawings {
		data, err := os.ReadFile(filepath.Join("../drawings", d.name+".png"))
		if err != nil {
			t.Fatal(err)
		}
		m, err := png.Decode(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		grey, ok := m.(*image.Gray)
		if want := d.paint(); !ok || grey.Rect != want.Rect || !bytes.Equal(grey.Pix, want.Pix) {
			t.Errorf("%s.png differs from what is painted", d.name)
		}
	}
}
