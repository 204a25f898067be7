package openvx

import (
	"bytes"
	"math"
	"slices"
	"testing"

	"github.com/concord-nn/concord/tensor"
)

func TestCreateTensorFromHandle(t *testing.T) {
	c := dataContext(t, Options{})
	data := tensor.AlignedBytes(64)
	for _, test := range []struct {
		name    string
		dims    []int
		strides []int
		data    []byte
		want    Status
	}{
		{"dense", []int{4, 3}, []int{2, 8}, data, Success},
		{"gaps", []int{4, 3}, []int{2, 16}, data, Success},
		{"dimension 2 before 1", []int{2, 3, 4}, []int{2, 16, 4}, data, Success},
		{"any stride where there is one element", []int{4, 1, 3}, []int{2, 0, 8}, data, Success},
		{"no memory yet", []int{4, 3}, []int{2, 8}, nil, Success},
		{"just enough", []int{4, 3}, []int{2, 8}, data[:24], Success},
		{"too little", []int{4, 3}, []int{2, 8}, data[:23], ErrorInvalidParameters},
		{"none, but not nil", []int{4, 3}, []int{2, 8}, []byte{}, ErrorInvalidParameters},
		{"misaligned", []int{4, 3}, []int{2, 8}, data[1:], ErrorInvalidParameters},
		{"no dimensions", nil, nil, data, ErrorInvalidDimension},
		{"extent 0", []int{4, 0}, []int{2, 8}, data, ErrorInvalidDimension},
		{"few strides", []int{4, 3}, []int{2}, data, ErrorInvalidDimension},
		{"gaps between elements", []int{4, 3}, []int{4, 16}, data, ErrorInvalidValue},
		{"stride 0 of one element", []int{1, 3}, []int{0, 2}, data, ErrorInvalidValue},
		{"part of an element", []int{4, 3}, []int{2, 9}, data, ErrorInvalidValue},
		{"a negative stride", []int{4, 3}, []int{2, -8}, data, ErrorInvalidValue},
		{"the same element", []int{4, 3}, []int{2, 0}, data, ErrorInvalidValue},
		{"lines that share elements", []int{4, 3}, []int{2, 6}, data, ErrorInvalidValue},
		{"an overflow", []int{4, 3, 3}, []int{2, math.MaxInt - 1, math.MaxInt - 1}, data, ErrorInvalidValue},
	} {
		dims, strides := slices.Clone(test.dims), slices.Clone(test.strides)
		x, err := c.CreateTensorFromHandle(dims, TypeInt16, 8, strides, test.data)
		wantStatus(t, test.name, err, test.want)
		if err != nil {
			if x != nil {
				t.Errorf("%s: a tensor is returned", test.name)
			}
			continue
		}
		dims[0], strides[1] = 1, 2 // they are the caller's
		p, err := x.MapPatch(nil, nil, ReadAndWrite)
		if test.data == nil {
			wantStatus(t, "map of no memory", err, ErrorNotAllocated)
			wantStatus(t, "copy of no memory", x.CopyPatch([]int{0}, []int{1}, []int{2}, data, ReadOnly), ErrorNotAllocated)
			continue
		}
		if err != nil || !slices.Equal(p.Strides, test.strides) || &p.Data[0] != &test.data[0] {
			t.Errorf("%s: mapped %v, %v; it must be the application's memory", test.name, p, err)
		}
	}
	_, err := c.CreateTensorFromHandle([]int{1}, TypeFloat64, 0, []int{8}, data)
	wantStatus(t, "float64", err, ErrorInvalidType)
}

// TestSwapHandle exchanges memory, which views show too.
func TestSwapHandle(t *testing.T) {
	c := dataContext(t, Options{})
	a, b := []byte{1, 2, 3, 4}, []byte{5, 6, 7, 8, 9}
	x := must(c.CreateTensorFromHandle([]int{2, 2}, TypeUint8, 0, []int{1, 2}, a))
	half := must(x.CreateView([]int{0, 1}, []int{2, 2}))
	v := must(half.CreateView([]int{1}, []int{2}))
	wantStatus(t, "release", half.Release(), Success)
	shows := func(want ...byte) {
		t.Helper()
		all, one := make([]byte, 4), make([]byte, 1)
		if err := x.Read(all); err != nil || !slices.Equal(all, want) {
			t.Errorf("%v (%v); want %v", all, err, want)
		}
		if err := v.Read(one); err != nil || one[0] != want[3] {
			t.Errorf("the view has %v (%v); want %v", one, err, want[3])
		}
	}
	shows(1, 2, 3, 4)
	version := x.version()
	old, err := x.SwapHandle(b)
	if err != nil || &old[0] != &a[0] || x.version() == version || x.MemoryBytes() != 4 {
		t.Errorf("got back %v (%v)", old, err)
	}
	shows(5, 6, 7, 8)
	_, err = v.SwapHandle(a)
	wantStatus(t, "swap of a view", err, ErrorInvalidParameters)
	_, err = x.SwapHandle(a[:3])
	wantStatus(t, "swap of too little", err, ErrorInvalidParameters)
	shows(5, 6, 7, 8)
	wantStatus(t, "write", x.Write([]uint8{10, 11, 12, 13}), Success)
	old, err = x.SwapHandle(nil)
	if err != nil || !bytes.Equal(old, []byte{10, 11, 12, 13, 9}) {
		t.Errorf("got back %v (%v); it must have what was written", old, err)
	}
	wantStatus(t, "read of no memory", v.Read(make([]uint8, 1)), ErrorNotAllocated)
	if old, err = x.SwapHandle(a); old != nil || err != nil {
		t.Errorf("got back %v (%v); there was nothing", old, err)
	}
	shows(1, 2, 3, 4)
	wantStatus(t, "release", x.Release(), Success)
	_, err = x.SwapHandle(a)
	if StatusOf(err) != Success { // alive as long as its view is
		t.Error(err)
	}
	wantStatus(t, "release", v.Release(), Success)
	_, err = x.SwapHandle(a)
	wantStatus(t, "swap of a dead tensor", err, ErrorInvalidReference)
}

// TestSwapOwn takes the memory of a tensor that was not created from a handle, as the public suite does.
func TestSwapOwn(t *testing.T) {
	m := &counted{}
	c := dataContext(t, Options{Memory: m.alloc})
	x := must(c.CreateTensor([]int{4}, TypeUint8, 0))
	if old, err := x.SwapHandle(nil); old != nil || err != nil {
		t.Errorf("got back %v (%v); there was nothing", old, err)
	}
	x = must(c.CreateTensor([]int{4}, TypeUint8, 0))
	wantStatus(t, "write", x.Write([]uint8{1, 2, 3, 4}), Success)
	old, err := x.SwapHandle([]byte{5, 6, 7, 8})
	if err != nil || !bytes.Equal(old, []byte{1, 2, 3, 4}) {
		t.Errorf("got back %v (%v)", old, err)
	}
	wantStatus(t, "release", x.Release(), Success)
	if m.given != 1 || m.freed != 0 {
		t.Error("memory that the application has got is freed")
	}
	x = must(c.CreateTensor([]int{4}, TypeUint8, 0))
	wantStatus(t, "write", x.Write([]uint8{1, 2, 3, 4}), Success)
	wantStatus(t, "replace", x.ReplaceHandle([]byte{5, 6, 7, 8}), Success)
	if m.given != 2 || m.freed != 1 {
		t.Error("memory that nobody has got is kept")
	}
	got := make([]uint8, 4)
	if err := x.Read(got); err != nil || !bytes.Equal(got, []byte{5, 6, 7, 8}) {
		t.Errorf("%v (%v)", got, err)
	}
}
