package concord_test

import (
	"context"
	"fmt"
	"log"
	"slices"

	"github.com/concord-nn/concord"
	"github.com/concord-nn/concord/tensor"
)

// seven is a drawing of 14 rows of 14 dots, each of which stands for four pixels.
var seven = []string{
	"              ",
	"              ",
	"  #########   ",
	"          #   ",
	"         ##   ",
	"         #    ",
	"        ##    ",
	"        #     ",
	"       ##     ",
	"       #      ",
	"      ##      ",
	"      #       ",
	"              ",
	"              ",
}

// A model is loaded, compiled and run on a drawing: white strokes, 1, on black, 0.
func Example() {
	model, err := concord.Load("examples/digits/model.nnef")
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = model.Close() }() // it has only been read

	program, err := model.Compile(concord.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer program.Close()
	fmt.Println(program.Inputs()[0], "→", program.Outputs()[0])

	picture, err := tensor.New(tensor.Float32, program.Inputs()[0].Type.Shape)
	if err != nil {
		log.Fatal(err)
	}
	for i := range tensor.Data[float32](picture) {
		if row, column := i/28, i%28; seven[row/2][column/2] == '#' {
			tensor.Data[float32](picture)[i] = 1
		}
	}
	outputs, err := program.Run(context.Background(), map[string]*tensor.Tensor{"x": picture})
	if err != nil {
		log.Fatal(err)
	}
	probabilities := tensor.Data[float32](outputs["y"])
	likeliest := slices.Max(probabilities)
	fmt.Printf("a %d, by %.0f %%\n", slices.Index(probabilities, likeliest), 100*likeliest)
	// Output:
	// x: float32[1,1,28,28] → y: float32[1,10]
	// a 7, by 100 %
}
