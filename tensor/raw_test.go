package tensor_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/concord-nn/concord/tensor"
)

// TestRaw writes elements in the order of the logical index, little-endian, and reads them back.
func TestRaw(t *testing.T) {
	matrix, err := tensor.FromSlice([]int32{1, 2, 3, -4}, 2, 2)
	if err != nil {
		t.Fatal(err)
	}
	turned, err := matrix.Transpose()
	if err != nil {
		t.Fatal(err)
	}
	got := tensor.AppendRaw([]byte{9}, turned)
	if want := []byte{9, 1, 0, 0, 0, 3, 0, 0, 0, 2, 0, 0, 0, 0xFC, 0xFF, 0xFF, 0xFF}; !bytes.Equal(got, want) {
		t.Errorf("got % x; want % x", got, want)
	}
	for _, d := range tensor.DTypes() {
		raw := make([]byte, d.Bytes(3))
		raw[d.Size()] = 1
		x, err := tensor.FromRaw(d, tensor.Shape{3}, raw)
		if err != nil {
			t.Fatal(err)
		}
		if back := tensor.AppendRaw(nil, x); back[d.Size()] != 1 || len(back) != d.Bytes(3) {
			t.Errorf("%v: got % x", d, back)
		}
	}
}

// TestFromRawRejects holds bytes that are no tensor to an error that says why.
func TestFromRawRejects(t *testing.T) {
	for want, f := range map[string]func() (*tensor.Tensor, error){
		"3 bytes do not fill a tensor of type int16[2], which takes 4":    func() (*tensor.Tensor, error) { return tensor.FromRaw(tensor.Int16, tensor.Shape{2}, make([]byte, 3)) },
		"byte 1 of a bool tensor is 2; it must be 0 or 1":                 func() (*tensor.Tensor, error) { return tensor.FromRaw(tensor.Bool, tensor.Shape{2}, []byte{1, 2}) },
		"0 bytes do not fill a tensor of type uint64[1,1], which takes 8": func() (*tensor.Tensor, error) { return tensor.FromRaw(tensor.Uint64, tensor.Shape{1, 1}, nil) },
		"negative": func() (*tensor.Tensor, error) { return tensor.FromRaw(tensor.Int8, tensor.Shape{-1}, nil) },
	} {
		if _, err := f(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v; want %q", err, want)
		}
	}
}
