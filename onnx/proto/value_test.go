package proto

import (
	"bytes"
	"errors"
	"math"
	"strings"
	"testing"
	"unsafe"

	"github.com/concord-nn/concord/tensor"
)

// elements returns the bytes of a value, least significant first.
func elements(t *testing.T, m *Tensor) []byte {
	t.Helper()
	x, err := m.Value(nil)
	if err != nil {
		t.Fatal(err)
	}
	return tensor.AppendRaw(nil, x)
}

func TestTyped(t *testing.T) {
	for _, c := range []struct {
		m    Tensor
		want []byte
	}{
		{Tensor{DataType: Float, Dims: []int64{2}, FloatData: []float32{1, -2}}, []byte{0, 0, 0x80, 0x3F, 0, 0, 0, 0xC0}},
		{Tensor{DataType: Double, DoubleData: []float64{1}}, []byte{0, 0, 0, 0, 0, 0, 0xF0, 0x3F}},
		{Tensor{DataType: Int64, Dims: []int64{1}, Int64Data: []int64{-2}}, []byte("\xFE\xFF\xFF\xFF\xFF\xFF\xFF\xFF")},
		{Tensor{DataType: Uint64, Uint64Data: []uint64{1<<64 - 1}}, []byte("\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF")},
		{Tensor{DataType: Uint32, Uint64Data: []uint64{1<<32 - 2}}, []byte("\xFE\xFF\xFF\xFF")},
		{Tensor{DataType: Int32, Dims: []int64{2}, Int32Data: []int32{math.MinInt32, 1}}, []byte{0, 0, 0, 0x80, 1, 0, 0, 0}},
		{Tensor{DataType: Int16, Dims: []int64{2}, Int32Data: []int32{-2, 0x1234}}, []byte{0xFE, 0xFF, 0x34, 0x12}},
		{Tensor{DataType: Uint16, Int32Data: []int32{0xFFFE}}, []byte{0xFE, 0xFF}},
		{Tensor{DataType: Int8, Dims: []int64{3}, Int32Data: []int32{-128, 127, 255}}, []byte{0x80, 0x7F, 0xFF}},
		{Tensor{DataType: Uint8, Dims: []int64{1, 2}, Int32Data: []int32{0, 255}}, []byte{0, 0xFF}},
		{Tensor{DataType: Bool, Dims: []int64{3}, Int32Data: []int32{0, 1, 2}}, []byte{0, 1, 1}},
		{Tensor{DataType: Float16, Dims: []int64{2}, Int32Data: []int32{0x3C00, 0xBC00}}, []byte{0, 0x3C, 0, 0xBC}},
		{Tensor{DataType: BFloat16, Int32Data: []int32{0xBF80}}, []byte{0x80, 0xBF}},
		{Tensor{DataType: Int4, Dims: []int64{3}, Int32Data: []int32{0x21, 0xF3}}, []byte{0x21, 0x03}},
		{Tensor{DataType: Uint4, Dims: []int64{4}, Int32Data: []int32{0x21, -1}}, []byte{0x21, 0xFF}},
		{Tensor{DataType: Float, Dims: []int64{0, 7}}, nil},
		{Tensor{DataType: Int4, Dims: []int64{3, 0}}, nil},
	} {
		x, err := c.m.Value(nil)
		if err != nil {
			t.Errorf("%v: %v", c.m.DataType, err)
			continue
		}
		if got := tensor.AppendRaw(nil, x); !bytes.Equal(got, c.want) || len(x.Shape()) != len(c.m.Dims) {
			t.Errorf("%v is %v % x; want % x", c.m.DataType, x, got, c.want)
		}
		raw := c.m
		raw.FloatData, raw.DoubleData, raw.Int64Data, raw.Uint64Data, raw.Int32Data, raw.RawData = nil, nil, nil, nil, nil, append([]byte{}, c.want...)
		if got := elements(t, &raw); !bytes.Equal(got, c.want) {
			t.Errorf("raw %v is % x; want % x", c.m.DataType, got, c.want)
		}
	}
}

// TestRaw holds raw elements to staying where they are, unless some of their bits do not count.
func TestRaw(t *testing.T) {
	mem := tensor.AlignedBytes(64)
	for _, c := range []struct {
		d      DataType
		n      int64
		at     int // in mem
		raw    []byte
		want   []byte // nil if it is raw
		shared bool
	}{
		{Float, 2, 4, []byte("12345678"), nil, true},
		{Float16, 1, 2, []byte("12"), nil, true},
		{Int8, 3, 7, []byte("123"), nil, true},
		{Bool, 4, 9, []byte{0, 1, 1, 0}, nil, true},
		{Bool, 4, 9, []byte{0, 1, 2, 0xFF}, []byte{0, 1, 1, 1}, false},
		{Int4, 4, 3, []byte{0x12, 0x34}, nil, true},
		{Int4, 3, 3, []byte{0x12, 0x04}, nil, true},
		{Uint4, 3, 3, []byte{0x12, 0x34}, []byte{0x12, 0x04}, false},
	} {
		raw := mem[c.at : c.at+len(c.raw)]
		copy(raw, c.raw)
		x, err := (&Tensor{DataType: c.d, Dims: []int64{c.n}, RawData: raw}).Value(nil)
		if err != nil {
			t.Errorf("%v: %v", c.d, err)
			continue
		}
		want := c.want
		if want == nil {
			want = c.raw
		}
		if got := tensor.AppendRaw(nil, x); !bytes.Equal(got, want) || !bytes.Equal(raw, c.raw) {
			t.Errorf("%v is % x; want % x", c.d, got, want)
		}
		if shared := unsafe.SliceData(x.Bytes()) == unsafe.SliceData(raw); shared != c.shared && littleEndian() {
			t.Errorf("%v at %d: the memory is shared: %v", c.d, c.at, shared)
		}
	}
}

func littleEndian() bool { one := uint16(1); return *(*byte)(unsafe.Pointer(&one)) == 1 }

func TestNoValue(t *testing.T) {
	many := make([]int64, tensor.MaxRank+1)
	for want, m := range map[string]Tensor{
		"the elements have no data type":                               {},
		"tensors of strings are not supported":                         {DataType: String, StringData: []string{"x"}},
		"complex numbers (COMPLEX64) are not supported":                {DataType: Complex64, Dims: []int64{1}, FloatData: []float32{1, 2}},
		"complex numbers (COMPLEX128) are not supported":               {DataType: Complex128, RawData: make([]byte, 16)},
		"data type 99 is not known":                                    {DataType: 99},
		"data type -1 is not known":                                    {DataType: -1},
		"dims[1] is -1, which is no extent":                            {DataType: Float, Dims: []int64{0, -1}},
		"more elements than can be addressed":                          {DataType: Float, Dims: []int64{1 << 30, 1 << 30, 1 << 30}, RawData: []byte{}},
		"dims has 17 extents; at most 16":                              {DataType: Float, Dims: many, RawData: []byte{}},
		"the raw data has 3 bytes; float32[1] takes 4":                 {DataType: Float, Dims: []int64{1}, RawData: make([]byte, 3)},
		"the raw data has 0 bytes; float32[] takes 4":                  {DataType: Float, RawData: []byte{}},
		"the raw data has 1 bytes; uint4[3] takes 2":                   {DataType: Uint4, Dims: []int64{3}, RawData: make([]byte, 1)},
		"there are 0 numbers in float_data; float32[67108864] takes":   {DataType: Float, Dims: []int64{1 << 26}},
		"there are 3 numbers in int32_data; int4[3] takes 2":           {DataType: Int4, Dims: []int64{3}, Int32Data: make([]int32, 3)},
		"1 elements stand in float_data; those of type FLOAT16 must":   {DataType: Float16, Dims: []int64{1}, FloatData: []float32{1}},
		"1 elements stand in int64_data; those of type INT64":          {DataType: Int64, Int64Data: []int64{1}, RawData: make([]byte, 8)},
		"int32_data[1] is 256, which does not fit the 8 bits of UINT8": {DataType: Uint8, Dims: []int64{2}, Int32Data: []int32{0, 256}},
		"int32_data[0] is -129, which does not fit the 8 bits of INT8": {DataType: Int8, Int32Data: []int32{-129}},
		"int32_data[0] is 65536, which does not fit the 16 bits":       {DataType: Float16, Int32Data: []int32{65536}},
		"uint64_data[0] is 4294967296, which UINT32 cannot be":         {DataType: Uint32, Uint64Data: []uint64{1 << 32}},
		"tensors in segments are not supported":                        {DataType: Float, Segment: &Segment{0, 1}, FloatData: []float32{1}},
		"data_location 2 is not known":                                 {DataType: Float, DataLocation: 2},
		"1 elements stand in float_data; those of type FLOAT must":     {DataType: Float, DataLocation: DataExternal, FloatData: []float32{1}},
		"external_data says no location":                               {DataType: Float, DataLocation: DataExternal},
		"the elements stand in the file \"w.bin\", and there is only":  {DataType: Float, DataLocation: DataExternal, ExternalData: []*StringEntry{{"location", "w.bin"}}},
	} {
		if x, err := m.Value(nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, %v; want …%s…", x, err, want)
		}
	}
	_, err := (&Tensor{DataType: Complex64}).Value(nil)
	if e, ok := errors.AsType[UnsupportedError](err); !ok || e.DataType != Complex64 {
		t.Errorf("the error is %#v", err)
	}
}

// TestDataTypes holds the element types of tensors and those of the standard to each other.
func TestDataTypes(t *testing.T) {
	for _, d := range tensor.DTypes() {
		o := DataTypeOf(d)
		if back, err := o.DType(); err != nil || back != d {
			t.Errorf("%v is %v, and that is %v, %v", d, o, back, err)
		}
		x, err := tensor.New(d, tensor.Shape{3, 5})
		if err != nil {
			t.Fatal(err)
		}
		for i := range x.Bytes() {
			x.Bytes()[i] = byte(i % 2)
		}
		m, err := NewTensor("x", x)
		if err != nil {
			t.Errorf("%v: %v", d, err)
			continue
		}
		comesBack(t, m)
		if got := elements(t, m); !bytes.Equal(got, tensor.AppendRaw(nil, x)) {
			t.Errorf("%v comes back as % x", x, got)
		}
	}
	if d := DataTypeOf(tensor.Invalid); d != Undefined {
		t.Errorf("no type is %v", d)
	}
	if m, err := NewTensor("none", func() *tensor.Tensor { x, _ := tensor.New(tensor.Float32, tensor.Shape{0}); return x }()); err != nil || m.RawData == nil {
		t.Errorf("no elements are %+v, %v", m, err)
	}
}
