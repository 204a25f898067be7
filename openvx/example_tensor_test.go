package openvx_test

import (
	"fmt"

	"github.com/concord-nn/concord/openvx"
)

// A view shows part of a tensor and shares its elements.
func ExampleTensor_CreateView() {
	c, err := openvx.NewContext(openvx.Options{})
	if err != nil {
		panic(err)
	}
	t, err := c.CreateTensor([]int{4, 3}, openvx.TypeInt16, 8) // 3 rows of 4
	if err != nil {
		panic(err)
	}
	middle, err := t.CreateView([]int{1, 1}, []int{3, 2})
	if err != nil {
		panic(err)
	}
	if err := middle.Write([]int16{5, 6}); err != nil {
		panic(err)
	}
	all := make([]int16, 12)
	if err := t.Read(all); err != nil {
		panic(err)
	}
	fmt.Println(all)
	_, err = t.CreateView([]int{0, 3}, []int{4, 4})
	fmt.Println(openvx.StatusOf(err) == openvx.ErrorInvalidParameters)
	// Output:
	// [0 0 0 0 0 5 6 0 0 0 0 0]
	// true
}

// A mapped patch is the tensor's own memory. Its strides say where the elements are.
func ExampleTensor_MapPatch() {
	c, err := openvx.NewContext(openvx.Options{})
	if err != nil {
		panic(err)
	}
	t, err := c.CreateTensor([]int{4, 3}, openvx.TypeUint8, 0)
	if err != nil {
		panic(err)
	}
	p, err := t.MapPatch([]int{2, 0}, []int{4, 3}, openvx.ReadAndWrite) // columns 2 and 3
	if err != nil {
		panic(err)
	}
	for y := range 3 {
		for x := range 2 {
			p.Data[x*p.Strides[0]+y*p.Strides[1]] = byte(10*y + x)
		}
	}
	if err := t.UnmapPatch(p.ID); err != nil {
		panic(err)
	}
	all := make([]uint8, 12)
	if err := t.Read(all); err != nil {
		panic(err)
	}
	fmt.Printf("%d\n", all)
	// Output:
	// [0 0 0 1 0 0 10 11 0 0 20 21]
}

// Interleaved pixels become the planes of a tensor by the strides of the copy.
func ExampleTensor_CopyPatch() {
	c, err := openvx.NewContext(openvx.Options{})
	if err != nil {
		panic(err)
	}
	t, err := c.CreateTensor([]int{2, 1, 3}, openvx.TypeUint8, 0) // width, height, channels
	if err != nil {
		panic(err)
	}
	pixels := []byte("rgbRGB")
	if err := t.CopyPatch([]int{0, 0, 0}, []int{2, 1, 3}, []int{3, 6, 1}, pixels, openvx.WriteOnly); err != nil {
		panic(err)
	}
	planes := make([]uint8, 6)
	if err := t.Read(planes); err != nil {
		panic(err)
	}
	fmt.Printf("%s\n", planes)
	// Output:
	// rRgGbB
}

// The memory of a tensor may be the application's: rows of 4 bytes with 2 elements each. Another buffer takes its place between runs.
func ExampleTensor_SwapHandle() {
	c, err := openvx.NewContext(openvx.Options{})
	if err != nil {
		panic(err)
	}
	first, second := []byte{1, 2, 0, 0, 3, 4, 0, 0}, []byte{5, 6, 0, 0, 7, 8, 0, 0}
	t, err := c.CreateTensorFromHandle([]int{2, 2}, openvx.TypeUint8, 0, []int{1, 4}, first)
	if err != nil {
		panic(err)
	}
	old, err := t.SwapHandle(second)
	if err != nil {
		panic(err)
	}
	now := make([]uint8, 4)
	if err := t.Read(now); err != nil {
		panic(err)
	}
	fmt.Printf("%d %d\n", old, now)
	// Output:
	// [1 2 0 0 3 4 0 0] [5 6 7 8]
}
