// Package pipeline answers what a model says of a picture or a sound, in one call: its manifest says how that becomes the model's inputs and
// what its outputs mean.
//
//	p, err := pipeline.Open("examples/digits/model.nnef")
//	…
//	defer p.Close()
//	answer, err := p.Picture(ctx, drawing)
//	…
//	fmt.Println(answer.Classes()[0].Label)
//
// A pipeline is a model of package concord, a manifest of package manifest, and what package media does by it. Whoever has tensors and wants
// tensors needs none of this.
package pipeline
