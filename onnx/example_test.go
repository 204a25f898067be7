package onnx_test

import (
	"context"
	"fmt"

	"github.com/concord-nn/concord/engine"
	"github.com/concord-nn/concord/model"
	"github.com/concord-nn/concord/onnx"
	"github.com/concord-nn/concord/onnx/proto"
	"github.com/concord-nn/concord/tensor"
)

// A model whose batch is open runs on inputs of any. This one is made here; onnx.Open reads one from a file.
func Example() {
	shape := &proto.Shape{Dim: []*proto.Dim{{Param: "batch"}, {Value: 2, Known: true}}}
	file, err := onnx.New(&proto.Model{
		IRVersion:   10,
		OpsetImport: []*proto.OperatorSet{{Version: 21}},
		Graph: &proto.Graph{
			Name:   "rectifier",
			Node:   []*proto.Node{{OpType: "Relu", Input: []string{"x"}, Output: []string{"y"}}},
			Input:  []*proto.ValueInfo{proto.NewValueInfo("x", proto.DataTypeOf(tensor.Float32), shape)},
			Output: []*proto.ValueInfo{proto.NewValueInfo("y", proto.DataTypeOf(tensor.Float32), shape)},
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer file.Close()
	network, err := file.Network()
	if err != nil {
		fmt.Println(err) // *onnx.Error names the node, the operator and the operand
		return
	}
	fmt.Println(network.Inputs()[0])

	programs := model.NewPrograms(network, engine.Options{}, model.DefaultPrograms)
	defer programs.Close()
	x, err := tensor.FromSlice([]float32{-1, 2, 3, -4}, 2, 2)
	if err != nil {
		fmt.Println(err)
		return
	}
	out, err := programs.Run(context.Background(), model.Values{"x": x})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(out["y"])
	// Output:
	// x: float32[batch,2]
	// float32[2,2] [[0 2] [3 0]]
}
