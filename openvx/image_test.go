package openvx

import (
	"bytes"
	"math"
	"slices"
	"testing"

	"github.com/concord-nn/concord/internal/testdata"
)

func TestCreateImage(t *testing.T) {
	testdata.Wide(t)
	c := dataContext(t, Options{MaxTensorBytes: 1 << 40})
	g := must(c.CreateGraph())
	for _, test := range []struct {
		name          string
		width, height int
		format        ImageFormat
		plain, hidden Status // of CreateImage and CreateVirtualImage
	}{
		{"U8", 3, 2, DFImageU8, Success, Success},
		{"U16", 3, 2, DFImageU16, Success, Success},
		{"S16", 3, 2, DFImageS16, Success, Success},
		{"U32", 3, 2, DFImageU32, Success, Success},
		{"S32", 3, 2, DFImageS32, Success, Success},
		{"three channels", 3, 2, DFImageRgb, ErrorNotSupported, ErrorNotSupported},
		{"bits", 3, 2, DFImageU1, ErrorNotSupported, ErrorNotSupported},
		{"an open format", 3, 2, DFImageVirt, ErrorNotSupported, Success},
		{"an open width", 0, 2, DFImageU8, ErrorInvalidDimension, Success},
		{"a negative height", 3, -2, DFImageU8, ErrorInvalidDimension, ErrorInvalidDimension},
		{"lines that cannot be addressed", 1 << 30, 1, DFImageS16, ErrorInvalidDimension, ErrorInvalidDimension},
		{"too many pixels", math.MaxInt, math.MaxInt, DFImageU8, ErrorNoMemory, ErrorNoMemory},
	} {
		plain, err := c.CreateImage(test.width, test.height, test.format)
		wantStatus(t, test.name, err, test.plain)
		hidden, err := g.CreateVirtualImage(test.width, test.height, test.format)
		wantStatus(t, test.name+", virtual", err, test.hidden)
		for _, i := range []*Image{plain, hidden} {
			if i != nil && (i.Width() != test.width || i.Height() != test.height || i.Format() != test.format) {
				t.Errorf("%s: queries return %d, %d, %v", test.name, i.Width(), i.Height(), i.Format())
			}
		}
	}
}

// TestImagePatches writes and reads a region of an image in several ways.
func TestImagePatches(t *testing.T) {
	c := dataContext(t, Options{})
	before := c.References()
	i := must(c.CreateImage(4, 3, DFImageU8))
	whole := Rectangle{0, 0, 4, 3}
	lines := ImageAddressing{DimX: 4, DimY: 3, StrideX: 1, StrideY: 5}
	wantStatus(t, "write", i.CopyPatch(whole, 0, lines, []byte("abcd-efgh-ijkl"), WriteOnly), Success)
	roi := must(i.CreateFromROI(Rectangle{1, 1, 4, 3}))
	if roi.Width() != 3 || roi.Height() != 2 || roi.Format() != DFImageU8 {
		t.Error("size of a region")
	}
	p := must(roi.MapPatch(Rectangle{1, 0, 3, 2}, 0, ReadAndWrite))
	want := ImageAddressing{DimX: 2, DimY: 2, StrideX: 1, StrideY: 4, ScaleX: 1024, ScaleY: 1024, StepX: 1, StepY: 1}
	if p.Addressing != want || string(p.Data) != "ghijkl" {
		t.Errorf("%+v %q", p.Addressing, p.Data)
	}
	p.Data[5] = '!'
	wantStatus(t, "another image's patch", i.UnmapPatch(p.ID), ErrorInvalidParameters)
	wantStatus(t, "release of a mapped image", roi.Release(), Success)
	wantStatus(t, "release of its parent", i.Release(), Success)
	wantStatus(t, "unmap", roi.UnmapPatch(p.ID), Success)
	_, err := roi.MapPatch(whole, 0, ReadOnly)
	wantStatus(t, "map of a dead image", err, ErrorInvalidReference)
	if n := c.References(); n != before {
		t.Errorf("%d references are left", n-before)
	}
	i = must(c.CreateImage(4, 3, DFImageU8))
	data := make([]byte, 15)
	for name, err := range map[string]error{
		"plane 1":            i.CopyPatch(whole, 1, lines, data, ReadOnly),
		"an empty rectangle": i.CopyPatch(Rectangle{1, 1, 1, 2}, 0, lines, data, ReadOnly),
		"beyond the end":     i.CopyPatch(Rectangle{0, 0, 5, 1}, 0, lines, data, ReadOnly),
		"far beyond the end": i.CopyPatch(Rectangle{0, 0, 4, math.MaxUint32}, 0, lines, data, ReadOnly),
		"overlapping pixels": i.CopyPatch(whole, 0, ImageAddressing{DimX: 4, DimY: 3, StrideX: 2, StrideY: 5}, make([]byte, 99), ReadOnly),
		"no stride":          i.CopyPatch(whole, 0, ImageAddressing{DimX: 4, DimY: 3, StrideX: 0, StrideY: 8}, make([]byte, 99), ReadOnly),
		"overlapping lines":  i.CopyPatch(whole, 0, ImageAddressing{DimX: 4, DimY: 3, StrideX: 1, StrideY: 3}, data, ReadOnly),
		"a negative stride":  i.CopyPatch(whole, 0, ImageAddressing{DimX: 4, DimY: 3, StrideX: 1, StrideY: -4}, data, ReadOnly),
		"narrow memory":      i.CopyPatch(whole, 0, ImageAddressing{DimX: 3, DimY: 3, StrideX: 1, StrideY: 4}, data, ReadOnly),
		"low memory":         i.CopyPatch(whole, 0, ImageAddressing{DimX: 4, DimY: 2, StrideX: 1, StrideY: 4}, data, ReadOnly),
		"too few bytes":      i.CopyPatch(whole, 0, lines, data[:13], ReadOnly),
		"usage":              i.CopyPatch(whole, 0, lines, data, ReadAndWrite),
	} {
		wantStatus(t, name, err, ErrorInvalidParameters)
	}
	gaps := make([]byte, 99)
	wantStatus(t, "write", i.CopyPatch(whole, 0, lines, []byte("abcdefghijklmnop"), WriteOnly), Success)
	wantStatus(t, "gaps between pixels", i.CopyPatch(whole, 0, ImageAddressing{DimX: 4, DimY: 3, StrideX: 2, StrideY: 9}, gaps, ReadOnly), Success)
	if string(gaps[:8]) != "a\x00b\x00c\x00d\x00" || gaps[9] == 0 {
		t.Errorf("%q", gaps)
	}
	wantStatus(t, "just enough bytes", i.CopyPatch(whole, 0, lines, data[:14], ReadOnly), Success)
	_, err = i.CreateFromROI(Rectangle{0, 0, 5, 1})
	wantStatus(t, "a region beyond the end", err, ErrorInvalidParameters)
}

func TestValidRectangle(t *testing.T) {
	c := dataContext(t, Options{})
	i := must(c.CreateImage(8, 8, DFImageS16))
	if r := must(i.ValidRectangle()); r != (Rectangle{0, 0, 8, 8}) {
		t.Error(r)
	}
	valid := Rectangle{2, 1, 6, 8}
	wantStatus(t, "set", i.SetValidRectangle(&valid), Success)
	wantStatus(t, "set beyond the end", i.SetValidRectangle(&Rectangle{0, 0, 9, 1}), ErrorInvalidParameters)
	for roi, want := range map[Rectangle]Rectangle{
		{0, 0, 8, 8}: valid,
		{3, 2, 5, 4}: {0, 0, 2, 2},
		{1, 0, 4, 3}: {1, 1, 3, 3},
		{6, 0, 8, 8}: {},
		{0, 0, 2, 8}: {},
	} {
		if got := must(must(i.CreateFromROI(roi)).ValidRectangle()); got != want {
			t.Errorf("region %v: %v; want %v", roi, got, want)
		}
	}
	wantStatus(t, "reset", i.SetValidRectangle(nil), Success)
	if r := must(i.ValidRectangle()); r != (Rectangle{0, 0, 8, 8}) {
		t.Error(r)
	}
}

func TestVirtualImage(t *testing.T) {
	c := dataContext(t, Options{})
	g := must(c.CreateGraph())
	i := must(g.CreateVirtualImage(0, 4, DFImageVirt))
	_, err := i.MapPatch(Rectangle{0, 0, 1, 1}, 0, ReadOnly)
	wantStatus(t, "map", err, ErrorOptimizedAway)
	g.calling = 1
	_, err = i.MapPatch(Rectangle{0, 0, 1, 1}, 0, ReadOnly)
	wantStatus(t, "map of what is open", err, ErrorInvalidParameters)
	wantStatus(t, "set the valid region of what is open", i.SetValidRectangle(nil), ErrorInvalidParameters)
	wantStatus(t, "resolve", try(func() { i.resolve(5, 4, DFImageU16) }), Success)
	if p := must(i.MapPatch(Rectangle{0, 0, 5, 4}, 0, ReadOnly)); len(p.Data) != 40 || i.Format() != DFImageU16 || i.Width() != 5 {
		t.Error(p)
	}
	wantStatus(t, "resolve to a format that is not supported", try(func() { i.resolve(5, 4, DFImageRgb) }), ErrorNotSupported)
}

// TestImageObjectArray checks that the images are the tensor's elements.
func TestImageObjectArray(t *testing.T) {
	for _, format := range []struct {
		dtype Type
		image ImageFormat
		size  int
	}{{TypeUint8, DFImageU8, 1}, {TypeInt16, DFImageS16, 2}} {
		c := dataContext(t, Options{})
		before := c.References()
		x := must(c.CreateTensor([]int{4, 3, 5}, format.dtype, 0))
		data := make([]byte, 60*format.size)
		for i := range data {
			data[i] = byte(i)
		}
		plane := 12 * format.size
		wantStatus(t, "write", x.CopyPatch([]int{0, 0, 0}, []int{4, 3, 5}, []int{format.size, 4 * format.size, plane}, data, WriteOnly), Success)
		a := must(x.CreateImageObjectArray(Rectangle{1, 1, 3, 3}, 3, 2*plane, format.image))
		if a.ItemType() != TypeImage || a.NumItems() != 3 || c.References() != before+5 {
			t.Errorf("%v of %d; %d references", a.ItemType(), a.NumItems(), c.References()-before)
		}
		for k := range 3 {
			i := must(a.Item(k)).(*Image)
			p := must(i.MapPatch(Rectangle{0, 0, 2, 2}, 0, ReadAndWrite))
			begin := k*2*plane + 5*format.size
			if !bytes.Equal(p.Data, data[begin:begin+6*format.size]) {
				t.Errorf("image %d: %v", k, p.Data)
			}
			p.Data[0] = 200
			wantStatus(t, "unmap", i.UnmapPatch(p.ID), Success)
			wantStatus(t, "release of an image", i.Release(), Success)
			wantStatus(t, "another release", i.Release(), ErrorInvalidReference)
		}
		got := make([]byte, len(data))
		wantStatus(t, "read", x.CopyPatch([]int{0, 0, 0}, []int{4, 3, 5}, []int{format.size, 4 * format.size, plane}, got, ReadOnly), Success)
		if got[5*format.size] != 200 {
			t.Error("writing to an image does not reach the tensor")
		}
		kept := must(a.Item(1))
		wantStatus(t, "release of the tensor", x.Release(), Success)
		wantStatus(t, "release of the array", a.Release(), Success)
		_, err := a.Item(0)
		wantStatus(t, "an item of a dead array", err, ErrorInvalidReference)
		if must(kept.(*Image).MapPatch(Rectangle{0, 0, 1, 1}, 0, ReadOnly)).Data[0] != 200 {
			t.Error("an image does not keep the memory")
		}
	}
}

func TestImageObjectArrayRefused(t *testing.T) {
	c := dataContext(t, Options{})
	x, flat := must(c.CreateTensor([]int{4, 3, 5}, TypeUint8, 0)), must(c.CreateTensor([]int{4, 3}, TypeUint8, 0))
	wide := must(c.CreateTensor([]int{4, 3, 5}, TypeFloat32, 0))
	whole := Rectangle{0, 0, 4, 3}
	before := c.References()
	for _, test := range []struct {
		name        string
		of          *Tensor
		rect        Rectangle
		count, jump int
		format      ImageFormat
		want        Status
	}{
		{"two dimensions", flat, whole, 1, 12, DFImageU8, ErrorInvalidDimension},
		{"another format", x, whole, 1, 12, DFImageS16, ErrorInvalidFormat},
		{"an unknown format", x, whole, 1, 12, 5, ErrorInvalidFormat},
		{"floats", wide, whole, 1, 48, DFImageU32, ErrorInvalidFormat},
		{"an empty rectangle", x, Rectangle{}, 1, 12, DFImageU8, ErrorInvalidParameters},
		{"a large rectangle", x, Rectangle{0, 0, 5, 3}, 1, 12, DFImageU8, ErrorInvalidParameters},
		{"none", x, whole, 0, 12, DFImageU8, ErrorInvalidParameters},
		{"very many", x, whole, math.MaxInt, 0, DFImageU8, ErrorInvalidParameters},
		{"more than there are", x, whole, 6, 12, DFImageU8, ErrorInvalidParameters},
		{"too far apart", x, whole, 3, 36, DFImageU8, ErrorInvalidParameters},
		{"between planes", x, whole, 2, 6, DFImageU8, ErrorInvalidParameters},
		{"backwards", x, whole, 2, -12, DFImageU8, ErrorInvalidParameters},
		{"the same again", x, whole, 2, 0, DFImageU8, ErrorInvalidParameters},
		{"all", x, whole, 5, 12, DFImageU8, Success},
		{"one, with any jump", x, whole, 1, 1200, DFImageU8, Success},
	} {
		a, err := test.of.CreateImageObjectArray(test.rect, test.count, test.jump, test.format)
		wantStatus(t, test.name, err, test.want)
		if a != nil {
			_, err := a.Item(test.count)
			wantStatus(t, "no such item", err, ErrorInvalidParameters)
			wantStatus(t, "release", a.Release(), Success)
		}
	}
	if c.References() != before {
		t.Errorf("%d references are left", c.References()-before)
	}
	if !slices.Equal(x.Dims(), []int{4, 3, 5}) {
		t.Error("the tensor has changed")
	}
}
