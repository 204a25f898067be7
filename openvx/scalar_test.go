package openvx_test

import (
	"bytes"
	"fmt"
	"math"
	"reflect"
	"testing"

	"github.com/concord-nn/concord/openvx"
)

// The values of scalars, and their bytes as C has them.
var scalars = []struct {
	kind  openvx.Type
	value any
	data  []byte
}{
	{openvx.TypeChar, byte('a'), []byte{'a'}},
	{openvx.TypeInt8, int8(-2), []byte{0xfe}},
	{openvx.TypeUint8, uint8(200), []byte{200}},
	{openvx.TypeInt16, int16(-2), []byte{0xfe, 0xff}},
	{openvx.TypeUint16, uint16(0x1234), []byte{0x34, 0x12}},
	{openvx.TypeInt32, int32(math.MinInt32), []byte{0, 0, 0, 0x80}},
	{openvx.TypeUint32, uint32(math.MaxUint32), []byte{0xff, 0xff, 0xff, 0xff}},
	{openvx.TypeInt64, int64(-1), bytes.Repeat([]byte{0xff}, 8)},
	{openvx.TypeUint64, uint64(1 << 63), []byte{0, 0, 0, 0, 0, 0, 0, 0x80}},
	{openvx.TypeFloat16, uint16(0x3c00), []byte{0, 0x3c}},
	{openvx.TypeFloat32, float32(1), []byte{0, 0, 0x80, 0x3f}},
	{openvx.TypeFloat64, float64(-2), []byte{0, 0, 0, 0, 0, 0, 0, 0xc0}},
	{openvx.TypeEnum, openvx.Enum(openvx.RoundPolicyToZero), []byte{1, 0x20, 1, 0}},
	{openvx.TypeSize, 258, []byte{2, 1, 0, 0, 0, 0, 0, 0}},
	{openvx.TypeDFImage, openvx.DFImageU8, []byte("U008")},
	{openvx.TypeBool, true, []byte{1, 0, 0, 0}},
	{openvx.TypeRectangle, []byte("0123456789abcdef"), []byte("0123456789abcdef")},
	{openvx.TypeNNConvolutionParams,
		openvx.ConvolutionParams{1, 2, openvx.ConvertPolicyWrap, openvx.RoundPolicyToZero, openvx.SizeRoundingCeiling, 3, 4},
		[]byte{1, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0xa0, 0, 0, 1, 0x20, 1, 0, 1, 0xa0, 1, 0, 0, 0, 0, 0,
			3, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0}},
	{openvx.TypeNNDeconvolutionParams, openvx.DeconvolutionParams{1, 2, openvx.ConvertPolicySaturate, openvx.RoundPolicyToNearestEven, 3, 4},
		[]byte{1, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 1, 0xa0, 0, 0, 2, 0x20, 1, 0, 3, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0}},
	{openvx.TypeNNROIPoolParams, openvx.ROIPoolParams{PoolType: openvx.PoolingMax}, []byte{0, 0xb0, 1, 0}},
	{openvx.TypeTensorMatrixMultiplyParams, openvx.MatrixMultiplyParams{TransposeB: true}, []byte{0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0}},
}

func TestScalarValues(t *testing.T) {
	c := context(t)
	for _, test := range scalars {
		t.Run(test.kind.String(), func(t *testing.T) {
			s := must(c.CreateScalar(test.kind, test.value))
			defer s.Release()
			data := make([]byte, len(test.data)+3)
			status(t, s.Copy(data, openvx.ReadOnly), openvx.Success)
			if !bytes.Equal(data[:len(test.data)], test.data) || s.Kind() != test.kind || s.Size() != len(test.data) || s.Virtual() {
				t.Errorf("%v of %d bytes: % x", s.Kind(), s.Size(), data)
			}
			back := must(c.CreateScalarBytes(test.kind, append(test.data, 9))) // one more than needed
			defer back.Release()
			if !reflect.DeepEqual(back.Value(), test.value) {
				t.Errorf("got %#v, want %#v", back.Value(), test.value)
			}
			zero := must(c.CreateScalar(test.kind, nil))
			defer zero.Release()
			bare := must(c.CreateScalarBytes(test.kind, nil))
			defer bare.Release()
			if !reflect.DeepEqual(zero.Value(), bare.Value()) || reflect.DeepEqual(zero.Value(), test.value) {
				t.Errorf("zeros are %v and %v", zero.Value(), bare.Value())
			}
			status(t, zero.Set(test.value), openvx.Success)
			status(t, bare.Copy(test.data, openvx.WriteOnly), openvx.Success)
			if !reflect.DeepEqual(zero.Value(), test.value) || !reflect.DeepEqual(bare.Value(), test.value) {
				t.Errorf("set to %v and %v", zero.Value(), bare.Value())
			}
			for _, err := range []error{
				bare.Copy(test.data[1:], openvx.WriteOnly), bare.Copy(nil, openvx.ReadOnly), bare.Copy(test.data, openvx.ReadAndWrite),
			} {
				status(t, err, openvx.ErrorInvalidParameters)
			}
			_, err := c.CreateScalarBytes(test.kind, test.data[1:])
			status(t, err, openvx.ErrorInvalidParameters)
			status(t, zero.Set("text"), openvx.ErrorInvalidValue)
			status(t, zero.Set(nil), openvx.ErrorInvalidValue)
		})
	}
}

func TestScalarConverts(t *testing.T) {
	c := context(t)
	for _, test := range []struct {
		kind  openvx.Type
		value any
		want  any // nil if the value is refused
	}{
		{openvx.TypeInt8, 127, int8(127)}, {openvx.TypeInt8, 128, nil}, {openvx.TypeInt8, uint64(math.MaxUint64), nil},
		{openvx.TypeUint8, -1, nil}, {openvx.TypeUint8, 256, nil}, {openvx.TypeUint8, uint(255), uint8(255)},
		{openvx.TypeUint64, uint64(math.MaxUint64), uint64(math.MaxUint64)}, {openvx.TypeInt64, uint64(math.MaxUint64), nil},
		{openvx.TypeSize, uint8(7), 7}, {openvx.TypeSize, -1, nil}, {openvx.TypeSize, uint64(1 << 63), nil},
		{openvx.TypeEnum, openvx.PoolingMax, openvx.Enum(openvx.PoolingMax)}, {openvx.TypeEnum, 0x1b000, openvx.Enum(0x1b000)},
		{openvx.TypeEnum, int64(1 << 31), nil}, {openvx.TypeFloat32, 0.5, float32(0.5)}, {openvx.TypeFloat32, 1, nil},
		{openvx.TypeInt32, 1.0, nil}, {openvx.TypeBool, 1, nil}, {openvx.TypeBool, false, false},
		{openvx.TypeNNROIPoolParams, openvx.PoolingMax, nil}, {openvx.TypeRectangle, []byte{1}, nil},
	} {
		s, err := c.CreateScalar(test.kind, test.value)
		if test.want == nil {
			status(t, err, openvx.ErrorInvalidValue)
			continue
		}
		if err != nil || !reflect.DeepEqual(s.Value(), test.want) {
			t.Errorf("%v of %v: %v %v", test.kind, test.value, s, err)
		}
		s.Release()
	}
	for _, kind := range []openvx.Type{openvx.TypeInvalid, openvx.TypeTensor, openvx.TypeUserStructStart, -1} {
		_, err := c.CreateScalar(kind, nil)
		status(t, err, openvx.ErrorInvalidType)
		_, err = c.CreateScalarBytes(kind, make([]byte, 100))
		status(t, err, openvx.ErrorInvalidType)
	}
	kind := must(c.RegisterUserStruct(3, "three"))
	s := must(c.CreateScalar(kind, []byte{1, 2, 3}))
	if got := fmt.Sprint(s.Value()); got != "[1 2 3]" {
		t.Error(got)
	}
	s.Release()
}

func TestSizesOfOtherMachines(t *testing.T) {
	c := context(t)
	s := must(c.CreateScalarBytes(openvx.TypeSize, bytes.Repeat([]byte{0xff}, 8)))
	defer s.Release()
	if s.Value() != -1 {
		t.Errorf("a size that no int holds is %v", s.Value())
	}
}
