package cvm_test

import (
	"context"
	"fmt"
	"log"

	"github.com/concord-nn/concord/cvm"
	"github.com/concord-nn/concord/cvm/params"
	"github.com/concord-nn/concord/cvm/symbol"
	"github.com/concord-nn/concord/tensor"
)

// matrix is a model that multiplies two numbers by a matrix, and brings the result back to 8 bits.
func matrix() cvm.Files {
	s := symbol.Symbol{
		Version: symbol.V110,
		Nodes: []symbol.Node{
			{Op: "null", Name: "data"},
			{Op: "null", Name: "weight"},
			{Op: "cvm_op", Name: "product", Inputs: []symbol.Entry{{Node: 0}, {Node: 1}}, Attrs: &symbol.NodeAttrs{FuncName: "dense"}},
			{Op: "cvm_op", Name: "output", Inputs: []symbol.Entry{{Node: 2}}, Attrs: &symbol.NodeAttrs{FuncName: "cvm_right_shift"}},
		},
		Heads:     []symbol.Entry{{Node: 3}},
		OpAttrs:   []string{"{}", "{}", `{"units": "3", "use_bias": "False"}`, `{"precision": "8", "shift_bit": "1"}`},
		Shape:     []tensor.Shape{{1, 2}, {3, 2}, {1, 3}, {1, 3}},
		StorageID: []int{0, 1, 2, 2},
		Precision: []int{8, 8, -1, -1},
	}
	weight, err := tensor.FromSlice([]int8{1, 2, 3, 4, -5, -6}, 3, 2)
	if err != nil {
		log.Fatal(err)
	}
	f, err := cvm.Encode(&s, []params.Param{{Name: "weight", Tensor: weight}})
	if err != nil {
		log.Fatal(err)
	}
	return f
}

// A model is admitted, which says what a run costs, and run on bytes.
func Example() {
	model, err := cvm.Open("../examples/ledger/digits.cvm", cvm.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer model.Close()
	fmt.Println("gas", model.Admission().Gas)
	input := make([]byte, model.Admission().InputLength)
	output, err := model.Run(context.Background(), input) // the bytes of the original's interface
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(output), "bytes")
	// Output:
	// gas 3389038
	// 40 bytes
}

func ExampleLoad() {
	m, err := cvm.Load(matrix(), cvm.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer m.Close()
	a := m.Admission()
	fmt.Println("gas", a.Gas, "storage", a.Storage)
	for _, t := range a.Tensors {
		fmt.Println(t.Name, t.Shape, t.Precision, t.Type)
	}
	// Output:
	// gas 91 storage 44
	// data [1,2] 8 int8
	// weight [3,2] 8 int8
	// product [1,3] 18 int32
	// output [1,3] 8 int8
}

func ExampleModel_Run() {
	m, err := cvm.Load(matrix(), cvm.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer m.Close()
	out, err := m.Run(context.Background(), []byte{10, 1})
	if err != nil {
		log.Fatal(err)
	}
	for _, b := range out {
		fmt.Println(int8(b))
	}
	_, err = m.Run(context.Background(), []byte{10})
	fmt.Println(err)
	// Output:
	// 6
	// 17
	// -28
	// input: the input has 1 bytes; want 2
}
