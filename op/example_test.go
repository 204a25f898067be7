package op_test

import (
	"errors"
	"fmt"
	"log"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// One operator is evaluated by its reference, without a graph.
func ExampleEval() {
	softmax, ok := op.Lookup("softmax")
	if !ok {
		log.Fatal("there is no softmax")
	}
	x, err := tensor.FromSlice([]float32{0, 0, 1, 1, 1, 1}, 2, 3)
	if err != nil {
		log.Fatal(err)
	}
	y, err := op.Eval(softmax, []*tensor.Tensor{x}, graph.Attrs{{Name: "axes", Value: []int{1}}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s %.3f\n", y[0].Describe(), tensor.Data[float32](y[0]))
	// Output: float32[2,3] [0.212 0.212 0.576 0.333 0.333 0.333]
}

// Bind checks an application by types alone: it completes the attributes and gives the types of the results, from which
// the cost follows, before any memory is needed.
func ExampleDef_Bind() {
	conv, ok := op.Lookup("conv")
	if !ok {
		log.Fatal("there is no conv")
	}
	picture := op.Type{DType: tensor.Float32, Shape: tensor.Shape{1, 3, 224, 224}}
	filter := op.Type{DType: tensor.Float32, Shape: tensor.Shape{64, 3, 7, 7}}
	attrs := graph.Attrs{{Name: "padding", Value: []int{3, 3, 3, 3}}, {Name: "stride", Value: []int{2, 2}}}

	s, out, err := conv.Bind([]op.Type{picture, filter}, attrs)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("result:", out[0])
	fmt.Println("groups:", s.Int("groups"))
	fmt.Println("multiply-adds:", conv.Cost(s, out).MACs)

	filter.Shape = tensor.Shape{64, 4, 7, 7}
	_, _, err = conv.Bind([]op.Type{picture, filter}, attrs)
	var wrong *op.Error
	fmt.Println(errors.As(err, &wrong), err)
	// Output:
	// result: float32[1,64,112,112]
	// groups: 1
	// multiply-adds: 118013952
	// true conv: filter: shape [64,4,7,7] has 4 input channels; it must have 3, those of a group
}
