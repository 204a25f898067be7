package tensor_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/concord-nn/concord/tensor"
)

// TestFromStrided reads elements of random strides, which may repeat elements, one by one.
func TestFromStrided(t *testing.T) {
	data := tensor.AlignedBytes(4 << 10)
	for i := range data {
		data[i] = byte(i * 7)
	}
	for seed := range uint64(2000) {
		r := rand.New(rand.NewPCG(seed, 2))
		shape, strides, last := make(tensor.Shape, r.IntN(5)), []int{}, 0
		for i := range shape {
			shape[i] = r.IntN(5)
			strides = append(strides, r.IntN(30))
			last += max(shape[i]-1, 0) * strides[i]
		}
		d := wholeTypes()[r.IntN(len(wholeTypes()))]
		need := (last + 1) * d.Size()
		if shape.Len() == 0 {
			need = 0
		}
		skip := d.Size() * r.IntN(8)
		x, err := tensor.FromStrided(d, shape, strides, data[skip:skip+need+r.IntN(d.Size())])
		if err != nil {
			t.Fatal(err)
		}
		if need > 0 {
			if _, err := tensor.FromStrided(d, shape, strides, data[skip:skip+need-1]); err == nil {
				t.Fatalf("%v with strides %v is accepted in %d bytes", x, strides, need-1)
			}
		}
		c := x.Clone()
		for i := range shape.Len() {
			pos := 0
			for k, rest := len(shape)-1, i; k >= 0; k-- {
				pos += rest % shape[k] * strides[k]
				rest /= shape[k]
			}
			want := data[skip+pos*d.Size() : skip+(pos+1)*d.Size()]
			got := c.Bytes()[i*d.Size() : (i+1)*d.Size()]
			if d == tensor.Bool {
				want = []byte{b2u(want[0] != 0)}
			}
			if !slices.Equal(got, want) {
				t.Fatalf("seed %d: %v with strides %v: element %d is %v; want %v", seed, x, strides, i, got, want)
			}
		}
	}
}

// TestForeignBools checks that bytes which are no bools never show as such.
func TestForeignBools(t *testing.T) {
	x := must(tensor.FromStrided(tensor.Bool, tensor.Shape{2, 2}, []int{2, 1}, []byte{0, 1, 2, 255}))
	views := []*tensor.Tensor{x, must(x.Slice(0, 0, 1, 1)), must(x.Transpose()), must(x.Reshape(4)), must(x.Slice(1, 0, 0, 1))}
	for _, v := range views {
		if v != views[3] && (v.IsContiguous() || v.Bytes() != nil || tensor.Data[bool](v) != nil) {
			t.Errorf("%v with strides %v shows foreign bytes", v, v.Strides())
		}
	}
	if got := views[3].Bytes(); !slices.Equal(got, []byte{0, 1, 1, 1}) {
		t.Error(got)
	}
	y := must(tensor.New(tensor.Bool, tensor.Shape{2, 2}))
	if err := y.CopyFrom(x); err != nil || !slices.Equal(y.Bytes(), []byte{0, 1, 1, 1}) {
		t.Error(y.Bytes(), err)
	}
}

// TestStridedWrites checks that a dense view shares memory in both directions.
func TestStridedWrites(t *testing.T) {
	data := tensor.AlignedBytes(8)
	x := must(tensor.FromStrided(tensor.Int16, tensor.Shape{3}, []int{1}, data))
	if !x.IsContiguous() || len(x.Bytes()) != 6 {
		t.Fatal("a dense view is not contiguous")
	}
	tensor.Data[int16](x)[2] = 0x0101
	if !slices.Equal(data, []byte{0, 0, 0, 0, 1, 1, 0, 0}) {
		t.Error(data)
	}
}

func TestStridedRefused(t *testing.T) {
	data := tensor.AlignedBytes(64)
	for name, c := range map[string]struct {
		d       tensor.DType
		shape   tensor.Shape
		strides []int
		data    []byte
		says    string
	}{
		"no type":           {tensor.Invalid, tensor.Shape{1}, []int{1}, data, "element type"},
		"negative extent":   {tensor.Int8, tensor.Shape{-1}, []int{1}, data, "negative"},
		"another rank":      {tensor.Int8, tensor.Shape{1, 1}, []int{1}, data, "1 strides"},
		"negative stride":   {tensor.Int8, tensor.Shape{2}, []int{-1}, data, "negative"},
		"no data":           {tensor.Int8, tensor.Shape{1}, []int{1}, nil, "takes 1"},
		"too few data":      {tensor.Int16, tensor.Shape{4, 8}, []int{9, 1}, data, "takes 35"},
		"overflow":          {tensor.Int8, tensor.Shape{3}, []int{math.MaxInt}, data, "addressed"},
		"overflow of a sum": {tensor.Int8, tensor.Shape{2, 2, 2, 2}, []int{math.MaxInt / 2, math.MaxInt / 2, math.MaxInt / 2, math.MaxInt / 2}, data, "addressed"},
		"packed":            {tensor.Int4, tensor.Shape{2}, []int{1}, data, "have no strides"},
		"misaligned":        {tensor.Int32, tensor.Shape{1}, []int{1}, data[2:], "aligned to 4"},
	} {
		_, err := tensor.FromStrided(c.d, c.shape, c.strides, c.data)
		if err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if x, err := tensor.FromStrided(tensor.Int32, tensor.Shape{0, 5}, []int{math.MaxInt, 1}, nil); err != nil || x.Clone().Len() != 0 {
		t.Error("a tensor without elements needs no memory:", err)
	}
}
