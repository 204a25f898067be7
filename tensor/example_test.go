package tensor_test

import (
	"bytes"
	"fmt"

	"github.com/concord-nn/concord/tensor"
)

// A tensor shares the slice it is made of; views share it too.
func Example() {
	x, err := tensor.FromSlice([]float32{1, 2, 3, 4, 5, 6}, 2, 3)
	if err != nil {
		panic(err)
	}
	columns, err := x.Transpose() // copies nothing
	if err != nil {
		panic(err)
	}
	fmt.Println(x, columns.Describe(), columns.IsContiguous())
	fmt.Println(tensor.Data[float32](columns.Contiguous()))
	// Output:
	// float32[2,3] [[1 2 3] [4 5 6]] float32[3,2] false
	// [1 4 2 5 3 6]
}

func ExampleTensor_Slice() {
	x, err := tensor.FromSlice([]int32{0, 1, 2, 3, 4, 5}, 6)
	if err != nil {
		panic(err)
	}
	odd, err := x.Slice(0, 1, 6, 2)
	if err != nil {
		panic(err)
	}
	reversed, err := x.Slice(0, 5, -1, -1)
	if err != nil {
		panic(err)
	}
	fmt.Println(tensor.Data[int32](odd.Clone()), tensor.Data[int32](reversed.Clone()))
	// Output: [1 3 5] [5 4 3 2 1 0]
}

func ExampleCast() {
	x, err := tensor.FromSlice([]float32{1.9, -1.9, 300, -1e9}, 4)
	if err != nil {
		panic(err)
	}
	y, err := tensor.Cast(x, tensor.Int8)
	if err != nil {
		panic(err)
	}
	fmt.Println(tensor.Data[int8](y))
	// Output: [1 -1 127 -128]
}

func ExampleWriteNPZ() {
	x, err := tensor.FromSlice([]float32{1, 2, 3, 4}, 2, 2)
	if err != nil {
		panic(err)
	}
	var file bytes.Buffer
	list := []tensor.Named{{Name: "x", Tensor: x}, {Name: "threshold", Tensor: tensor.Scalar[float32](0.5)}}
	if err := tensor.WriteNPZ(&file, list, true); err != nil {
		panic(err)
	}
	back, err := tensor.ReadNPZ(bytes.NewReader(file.Bytes()), int64(file.Len()), tensor.Limits{})
	if err != nil {
		panic(err)
	}
	for _, n := range back {
		fmt.Println(n.Name, n.Tensor)
	}
	// Output:
	// x float32[2,2] [[1 2] [3 4]]
	// threshold float32[] 0.5
}

func ExampleReadNPY() {
	var file bytes.Buffer
	if err := tensor.WriteNPY(&file, tensor.Scalar[int64](42)); err != nil {
		panic(err)
	}
	x, err := tensor.ReadNPY(&file, tensor.Limits{})
	fmt.Println(x, err)

	_, err = tensor.ReadNPY(bytes.NewReader([]byte("not an array")), tensor.Limits{})
	fmt.Println(err)
	// Output:
	// int64[] 42 <nil>
	// npy: offset 0: the data begins with "not an"; an array begins with "\x93NUMPY"
}
