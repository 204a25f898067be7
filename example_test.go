package concord_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
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
	model, err := concord.Open("examples/digits/model.nnef")
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

// A document that leaves the number of rows open runs on inputs of any.
func ExampleModel_Programs() {
	dir, err := os.MkdirTemp("", "concord")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "open.nnef")
	const text = `version 1.0;

extension concord_operators;
extension concord_symbol N;

graph sums( x ) -> ( y )
{
    x = external<scalar>(shape = [N, 3]);
    y = sum_reduce(x, axes = [1]);
}
`
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		log.Fatal(err)
	}
	model, err := concord.Open(path)
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = model.Close() }() // it has only been read
	fmt.Println(model.Inputs()[0])

	programs := model.Programs(concord.Options{})
	defer programs.Close()
	for _, rows := range []int{1, 2} {
		x, err := tensor.FromSlice([]float32{1, 2, 3, 4, 5, 6}[:3*rows], rows, 3)
		if err != nil {
			log.Fatal(err)
		}
		outputs, err := programs.Run(context.Background(), map[string]*tensor.Tensor{"x": x})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(outputs["y"], tensor.Data[float32](outputs["y"]))
	}
	// Output:
	// x: float32[N,3]
	// float32[1,1] [6]
	// float32[2,1] [6 15]
}
