package tensor_test

import (
	"archive/zip"
	"bytes"
	"errors"
	"io/fs"
	"slices"
	"testing"

	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/tensor"
)

// TestNPZRatio opens members that claim to be so much longer than what is packed.
func TestNPZRatio(t *testing.T) {
	for _, c := range []struct {
		packed, size uint64
		ok           bool
	}{
		{10, limits.ArchiveFree, true}, {10, limits.ArchiveFree + 1, false},
		{1 << 20, limits.NPZRatio << 20, true}, {1<<20 - 1, limits.NPZRatio << 20, false}, {100, 1 << 62, false},
	} {
		var b bytes.Buffer
		z := zip.NewWriter(&b)
		_, err := z.CreateRaw(&zip.FileHeader{Name: "x.npy", Method: zip.Deflate, CompressedSize64: c.packed, UncompressedSize64: c.size})
		if err == nil {
			err = z.Close()
		}
		if err != nil {
			t.Fatal(err)
		}
		a, err := tensor.OpenNPZ(bytes.NewReader(b.Bytes()), int64(b.Len()), tensor.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := a.Type("x"); errors.Is(err, tensor.ErrLimit) == c.ok {
			t.Errorf("%d bytes packed to %d: %v", c.size, c.packed, err)
		}
	}
}

// TestOpenNPZ reads arrays one by one: those that nobody wants are not.
func TestOpenNPZ(t *testing.T) {
	var b bytes.Buffer
	first, _ := tensor.FromSlice([]float32{1, 2, 3}, 3)
	second, _ := tensor.FromSlice([]int8{4, 5}, 1, 2)
	if err := tensor.WriteNPZ(&b, []tensor.Named{{"first", first}, {"second", second}, {"broken", first}}, false); err != nil {
		t.Fatal(err)
	}
	data := b.Bytes()
	at := bytes.LastIndex(data, []byte("\x93NUMPY"))
	data[at] = 0
	a, err := tensor.OpenNPZ(bytes.NewReader(data), int64(len(data)), tensor.Limits{Bytes: 139})
	if err != nil || !slices.Equal(a.Names(), []string{"first", "second", "broken"}) {
		t.Fatal(a, err)
	}
	if d, s, err := a.Type("second"); err != nil || d != tensor.Int8 || !s.Equal(tensor.Shape{1, 2}) {
		t.Errorf("the type is %v%v, %v", d, s, err)
	}
	if x, err := a.Read("second"); err != nil || !slices.Equal(tensor.Data[int8](x), []int8{4, 5}) {
		t.Errorf("the array is %v, %v", x, err)
	}
	var format *tensor.FormatError
	if _, err := a.Read("broken"); !errors.As(err, &format) || format.Member != "broken.npy" {
		t.Errorf("a broken array gives %v", err)
	}
	if _, err := a.Read("none"); !errors.As(err, &format) || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("an array that is not there gives %v", err)
	}
	if _, err := a.Read("first"); !errors.Is(err, tensor.ErrLimit) {
		t.Errorf("beyond the limit of all arrays: %v", err)
	}
}
