package main

import (
	"crypto/sha256"
	"encoding/hex"
	"image"
	"image/color"
	"testing"

	"github.com/concord-nn/concord/media"
)

// TestDrawings holds the bits of the picture that the README shows.
func TestDrawings(t *testing.T) {
	m, err := media.OpenPicture("../digits/drawings.png")
	if err != nil {
		t.Fatal(err)
	}
	result, err := outline(gray(m))
	if err != nil {
		t.Fatal(err)
	}
	const want = "ff90381bca23728f92e333ad25c78a39d263807d0f64cba329b8c092fb559e7d"
	if sum := sha256.Sum256(result.Pix); hex.EncodeToString(sum[:]) != want {
		t.Errorf("the sum is %x", sum)
	}
}

// TestEdge looks at both sides of an edge and on it.
func TestEdge(t *testing.T) {
	m := image.NewGray(image.Rect(0, 0, 12, 6))
	for y := range 6 {
		for x := 6; x < 12; x++ {
			m.SetGray(x, y, color.Gray{255})
		}
	}
	result, err := outline(m)
	if err != nil {
		t.Fatal(err)
	}
	// Brightness rises over four softened pixels, by 1/4, 1/2 and 1/4.
	for x, want := range []int{0, 0, 63, 190, 190, 63, 0, 0} {
		if got := int(result.GrayAt(x, 0).Y); got < want-3 || got > want+3 {
			t.Errorf("pixel %d has %d; want about %d", x, got, want)
		}
	}
	if _, err := outline(image.NewGray(image.Rect(0, 0, 4, 9))); err == nil {
		t.Error("a picture that is too small is accepted")
	}
}
