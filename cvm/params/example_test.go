package params_test

import (
	"fmt"

	"github.com/concord-nn/concord/cvm/params"
	"github.com/concord-nn/concord/tensor"
)

func Example() {
	weight, _ := tensor.FromSlice([]int8{1, 2, 3, 4}, 2, 2)
	bias, _ := tensor.FromSlice([]int32{-100, 100}, 2)
	file, err := params.Append(nil, []params.Param{{Name: "weight", Tensor: weight}, {Name: "bias", Tensor: bias}})
	if err != nil {
		panic(err)
	}
	list, err := params.Parse(file)
	if err != nil {
		panic(err)
	}
	for _, p := range list {
		fmt.Println(p.Name, p.Tensor.Describe(), p.Offset)
	}
	_, err = params.Parse(file[:len(file)-1])
	fmt.Println(err)
	// Output:
	// weight int8[2,2] 58
	// bias int32[2] 118
	// offset 166: bias: the file has 7 bytes of the last array; want 8
}
