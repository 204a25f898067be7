package media_test

import (
	"fmt"
	"image"
	"image/color"

	"github.com/concord-nn/concord/manifest"
	"github.com/concord-nn/concord/media"
	"github.com/concord-nn/concord/tensor"
)

func ExamplePrepareImage() {
	picture := image.NewRGBA(image.Rect(0, 0, 2, 1))
	picture.Set(0, 0, color.Gray{255})
	picture.Set(1, 0, color.Gray{51})
	m, err := manifest.Parse("concord.json", []byte(`{
  "version": 1,
  "inputs": {"x": {"kind": "image", "colour": "gray", "invert": true, "std": 255}},
  "outputs": {}
}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	x := manifest.Type{Name: "x", DType: tensor.Float32, Shape: tensor.Shape{1, 1, 1, 2}}
	t, _, err := media.PrepareImage(m.Input("x").(*manifest.Image), x, picture)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(t)
	// Output:
	// float32[1,1,1,2] [[[[0 0.8]]]]
}

func ExampleClasses() {
	spec := &manifest.Classes{Labels: manifest.Labels{Names: []string{"cat", "dog", "bird"}}, Top: 2}
	y, err := tensor.FromSlice([]float32{0.125, 0.75, 0.125}, 1, 3)
	if err != nil {
		fmt.Println(err)
		return
	}
	classes, err := media.Classes(spec, y)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, line := range media.ClassTable(classes, media.Style{Width: 40}) {
		fmt.Println(line)
	}
	// Output:
	// dog  ███████████████████▌        75.00 %
	// cat  ███▎                        12.50 %
}
