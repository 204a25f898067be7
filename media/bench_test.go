package media

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/concord-nn/concord/manifest"
	"github.com/concord-nn/concord/tensor"
)

// BenchmarkPhoto measures the steps from a photo in to a picture out.
func BenchmarkPhoto(b *testing.B) {
	name := filepath.Join("..", "..", "shared", "models", "ultraface", "photos", "2.jpg")
	data, err := os.ReadFile(name)
	if err != nil {
		b.Skip(err)
	}
	m, err := DecodePicture(data)
	if err != nil {
		b.Fatal(err)
	}
	spec := &manifest.Image{
		Layout: "NCHW", Colour: manifest.RGB, Width: 320, Height: 240, Resize: manifest.Stretch, Filter: manifest.Bilinear,
		Mean: []float64{127}, Std: []float64{128}, Pad: []float64{0},
	}
	t := manifest.Type{Name: "x", DType: tensor.Float32, Shape: tensor.Shape{1, 3, 240, 320}}
	boxes := []Box{{Class: 1, Label: "face", Score: 0.9, Left: 100, Top: 100, Right: 200, Bottom: 220}}
	drawn, err := DrawBoxes(m, boxes)
	if err != nil {
		b.Fatal(err)
	}
	target := filepath.Join(b.TempDir(), "out.png")
	for _, step := range []struct {
		name string
		run  func() error
	}{
		{"decode", func() error { _, err := DecodePicture(data); return err }},
		{"prepare", func() error { _, _, err := PrepareImage(spec, t, m); return err }},
		{"draw", func() error { _, err := DrawBoxes(m, boxes); return err }},
		{"save", func() error { return SavePNG(target, drawn) }},
	} {
		b.Run(step.name, func(b *testing.B) {
			for b.Loop() {
				if err := step.run(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	if info, err := os.Stat(target); err == nil {
		b.Logf("%v: %d bytes", m.Rect.Max, info.Size())
	}
}
