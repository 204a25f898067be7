package tensorfile_test

import (
	"bytes"
	"fmt"

	"github.com/concord-nn/concord/internal/nnef/tensorfile"
	"github.com/concord-nn/concord/tensor"
)

func Example() {
	x, err := tensor.FromSlice([]float32{1, 2.5, -3}, 1, 3)
	if err != nil {
		fmt.Println(err)
		return
	}
	var file bytes.Buffer
	if err := tensorfile.Encode(&file, x); err != nil {
		fmt.Println(err)
		return
	}
	y, info, err := tensorfile.Decode(file.Bytes())
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(info.DType(), y.Shape(), tensor.Data[float32](y))

	_, _, err = tensorfile.Decode(file.Bytes()[:130])
	fmt.Println(err)
	// Output:
	// float32 [1,3] [1 2.5 -3]
	// byte 4: the header announces 12 bytes of items; only 2 follow, so the file is cut off
}
