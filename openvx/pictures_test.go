package openvx_test

import (
	"slices"
	"testing"

	"github.com/concord-nn/concord/openvx"
)

// TestPictures computes what the pictures in docs/openvx.md show.
func TestPictures(t *testing.T) {
	row := func(c *openvx.Context, values ...int8) *openvx.Tensor {
		x := must(c.CreateTensor([]int{len(values), 1, 1, 1}, openvx.TypeInt8, 0))
		if err := x.Write(values); err != nil {
			t.Fatal(err)
		}
		return x
	}
	for _, test := range []struct {
		name                 string
		width                int
		layer                func(c *openvx.Context, out *openvx.Tensor) error
		standard, compatible []int8
	}{
		{"dilation", 8, func(c *openvx.Context, out *openvx.Tensor) error {
			return c.ConvolutionLayer(row(c, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9), row(c, 1, 10, 0), nil,
				openvx.ConvolutionParams{PaddingX: 1, DilationX: 1, OverflowPolicy: openvx.ConvertPolicySaturate,
					RoundingPolicy: openvx.RoundPolicyToZero, DownScaleSize: openvx.SizeRoundingFloor}, out)
		}, []int8{10, 20, 31, 42, 53, 64, 75, 86}, []int8{20, 31, 42, 53, 64, 75, 86, 97}},
		{"deconvolution", 12, func(c *openvx.Context, out *openvx.Tensor) error {
			return c.DeconvolutionLayer(row(c, 1, 2, 3, 4), row(c, 100, 10, 1), nil,
				openvx.DeconvolutionParams{OverflowPolicy: openvx.ConvertPolicySaturate, RoundingPolicy: openvx.RoundPolicyToZero}, out)
		}, []int8{1, 10, 100, 2, 20, 127, 3, 30, 127, 4, 40, 127}, []int8{1, 10, 100, 2, 20, 127, 0, 0, 0, 0, 0, 0}},
		{"pooling: maximum", 3, func(c *openvx.Context, out *openvx.Tensor) error {
			return c.PoolingLayer(row(c, -2, -4, -6, -3, -9, -9), openvx.PoolingMax, 3, 1, 1, 0, openvx.SizeRoundingCeiling, out)
		}, []int8{0, -3, 0}, []int8{-2, -3, -9}},
		{"pooling: average", 3, func(c *openvx.Context, out *openvx.Tensor) error {
			return c.PoolingLayer(row(c, -2, -4, -6, -3, -9, -9), openvx.PoolingAvg, 3, 1, 1, 0, openvx.SizeRoundingCeiling, out)
		}, []int8{-2, -6, -4}, []int8{-2, -6, -3}},
	} {
		for _, compatible := range []bool{false, true} {
			c := must(openvx.NewContext(openvx.Options{Compatible: compatible}))
			out := must(c.CreateTensor([]int{test.width, 1, 1, 1}, openvx.TypeInt8, 0))
			got, want := make([]int8, test.width), test.standard
			if compatible {
				want = test.compatible
			}
			if err := test.layer(c, out); err != nil {
				t.Errorf("%s: %v", test.name, err)
			} else if err := out.Read(got); err != nil || !slices.Equal(got, want) {
				t.Errorf("%s, compatible %v: %v (%v); want %v", test.name, compatible, got, err, want)
			}
		}
	}
	for _, compatible := range []bool{false, true} {
		c := must(openvx.NewContext(openvx.Options{Compatible: compatible}))
		rois, out := must(c.CreateTensor([]int{4, 1}, openvx.TypeInt8, 0)), must(c.CreateTensor([]int{2, 1, 1, 1}, openvx.TypeInt8, 0))
		data := must(c.CreateTensor([]int{8, 1, 1}, openvx.TypeInt8, 0))
		got, want := make([]int8, 2), []int8{10, 13}
		if compatible {
			want[0] = 0
		}
		for _, err := range []error{data.Write([]int8{10, 11, 12, 13, 14, 15, 16, 17}), rois.Write([]int8{-2, 0, 3, 0}),
			c.ROIPoolingLayer(data, rois, openvx.ROIPoolParams{PoolType: openvx.PoolingMax}, out), out.Read(got)} {
			if err != nil {
				t.Fatal(err)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("regions, compatible %v: %v; want %v", compatible, got, want)
		}
	}
}
