package main

import (
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/concord-nn/concord/manifest"
	"github.com/concord-nn/concord/media"
	"github.com/concord-nn/concord/tensor"
)

// What the manifest says is what the network was trained with: every drawing becomes the same input both ways.
func TestManifest(t *testing.T) {
	m, err := manifest.Open(filepath.Join("..", "model.nnef", manifest.FileName))
	if err != nil {
		t.Fatal(err)
	}
	x := manifest.Type{Name: "x", DType: tensor.Float32, Shape: tensor.Shape{1, 1, side, side}}
	folder := filepath.Join("..", "drawings")
	files, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		picture, err := media.OpenPicture(filepath.Join(folder, f.Name()))
		if err != nil {
			t.Fatal(err)
		}
		got, _, err := media.PrepareImage(m.Input("x").(*manifest.Image), x, picture)
		if err != nil {
			t.Fatal(err)
		}
		drawing, err := readPicture(filepath.Join(folder, f.Name()))
		if err != nil {
			t.Fatal(err)
		}
		want := prepare(drawing)
		for i, v := range tensor.Data[float32](got) {
			if math.Abs(float64(v-want[i])) > 1e-6 {
				t.Errorf("%s: element %d is %v, the training program says %v", f.Name(), i, v, want[i])
				break
			}
		}
	}
}
