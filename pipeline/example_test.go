package pipeline_test

import (
	"context"
	"embed"
	"fmt"
	"image"
	"image/color"
	"log"

	"github.com/concord-nn/concord"
	"github.com/concord-nn/concord/engine"
	"github.com/concord-nn/concord/manifest"
	"github.com/concord-nn/concord/media"
	"github.com/concord-nn/concord/pipeline"
)

// A drawing is read by the model of an example.
func Example() {
	p, err := pipeline.Open("../examples/digits/model.nnef")
	if err != nil {
		log.Fatal(err)
	}
	defer p.Close()

	drawing, err := media.OpenPicture("../examples/digits/drawings/seven.png")
	if err != nil {
		log.Fatal(err)
	}
	answer, err := p.Picture(context.Background(), drawing)
	if err != nil {
		log.Fatal(err)
	}
	best := answer.Classes()[0]
	fmt.Printf("%s, by %.2f\n", best.Label, best.Probability)
	// Output: 7, by 1.00
}

//go:embed testdata/bright.nnef
var files embed.FS

// A model and its manifest are part of the program.
func ExampleOpenFS() {
	p, err := pipeline.OpenFS(files, "testdata/bright.nnef")
	if err != nil {
		log.Fatal(err)
	}
	defer p.Close()

	grey := image.NewUniform(color.Gray{Y: 204})
	answer, err := p.Picture(context.Background(), crop{grey, image.Rect(0, 0, 64, 48)})
	if err != nil {
		log.Fatal(err)
	}
	for _, c := range answer.Classes() {
		fmt.Printf("%s %.1f\n", c.Label, c.Probability)
	}
	// Output:
	// bright 0.8
	// dark 0.2
}

// crop is a part of a picture.
type crop struct {
	image.Image
	rect image.Rectangle
}

func (c crop) Bounds() image.Rectangle { return c.rect }

// A pipeline is put together of a model, a manifest, and options: here one thread, and limits for a model of others.
func ExampleNew() {
	const path = "../examples/digits/model.nnef"
	model, err := concord.Open(path)
	if err != nil {
		log.Fatal(err)
	}
	defer model.Close()
	description, err := manifest.Find(path)
	if err != nil {
		log.Fatal(err)
	}
	p, err := pipeline.New(model, description, concord.Options{
		Threads: 1,
		Limits:  engine.Limits{Memory: 64 << 20, Operations: 1e9},
	})
	if err != nil {
		log.Fatal(err)
	}
	defer p.Close()
	fmt.Println(description.Title)
	// Output: Reads a handwritten digit
}
