package manifest_test

import (
	"fmt"

	"github.com/concord-nn/concord/manifest"
	"github.com/concord-nn/concord/tensor"
)

func Example() {
	m, err := manifest.Parse("concord.json", []byte(`{
  "version": 1,
  "inputs": {"x": {"kind": "image", "colour": "gray", "std": 255}},
  "outputs": {"y": {"kind": "classes", "labels": ["cat", "dog"]}}
}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	err = m.Check(
		[]manifest.Type{{Name: "x", DType: tensor.Float32, Shape: tensor.Shape{1, 1, 28, 28}}},
		[]manifest.Type{{Name: "y", DType: tensor.Float32, Shape: tensor.Shape{1, 3}}},
	)
	fmt.Println(err)
	// Output:
	// concord.json:4:50: outputs.y: there are 2 labels for 3 classes
}
