package tensor

import (
	"bytes"
	"strings"
	"testing"
)

// TestRaw writes elements in the order of the logical index, little-endian, and reads them back.
func TestRaw(t *testing.T) {
	matrix, err := FromSlice([]int32{1, 2, 3, -4}, 2, 2)
	if err != nil {
		t.Fatal(err)
	}
	turned, err := matrix.Transpose()
	if err != nil {
		t.Fatal(err)
	}
	got := AppendRaw([]byte{9}, turned)
	if want := []byte{9, 1, 0, 0, 0, 3, 0, 0, 0, 2, 0, 0, 0, 0xFC, 0xFF, 0xFF, 0xFF}; !bytes.Equal(got, want) {
		t.Errorf("got % x; want % x", got, want)
	}
	for _, d := range DTypes() {
		raw := make([]byte, d.Bytes(3))
		raw[d.Size()] = 1
		x, err := FromRaw(d, Shape{3}, raw)
		if err != nil {
			t.Fatal(err)
		}
		if back := AppendRaw(nil, x); back[d.Size()] != 1 || len(back) != d.Bytes(3) {
			t.Errorf("%v: got % x", d, back)
		}
	}
}

// TestFromRawRejects holds bytes that are no tensor to an error that says why.
func TestFromRawRejects(t *testing.T) {
	for want, f := range map[string]func() (*Tensor, error){
		"3 bytes do not fill a tensor of type int16[2], which takes 4":    func() (*Tensor, error) { return FromRaw(Int16, Shape{2}, make([]byte, 3)) },
		"byte 1 of a bool tensor is 2; it must be 0 or 1":                 func() (*Tensor, error) { return FromRaw(Bool, Shape{2}, []byte{1, 2}) },
		"0 bytes do not fill a tensor of type uint64[1,1], which takes 8": func() (*Tensor, error) { return FromRaw(Uint64, Shape{1, 1}, nil) },
		"negative": func() (*Tensor, error) { return FromRaw(Int8, Shape{-1}, nil) },
	} {
		if _, err := f(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v; want %q", err, want)
		}
	}
}
