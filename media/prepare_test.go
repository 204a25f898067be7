package media

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"image"
	"image/color"
	"math"
	"path/filepath"
	"slices"
	"testing"

	"github.com/concord-nn/concord/internal/testdata"
	"github.com/concord-nn/concord/manifest"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// spec returns the image kind that the JSON text describes.
func spec(t *testing.T, text string) *manifest.Image {
	t.Helper()
	m, err := manifest.Parse("test.json", []byte(`{"version": 1, "inputs": {"x": {"kind": "image"`+text+`}}, "outputs": {}}`))
	if err != nil {
		t.Fatal(err)
	}
	return m.Input("x").(*manifest.Image)
}

func grays(values ...uint8) []color.RGBA {
	row := make([]color.RGBA, len(values))
	for i, v := range values {
		row[i] = color.RGBA{v, v, v, 255}
	}
	return row
}

func TestPrepareImage(t *testing.T) {
	two := picture([]color.RGBA{{10, 20, 30, 255}, {40, 50, 60, 255}})
	row := picture(grays(0, 100, 200, 40))
	glass := picture([]color.RGBA{{0, 0, 0, 0}, {100, 50, 0, 128}})
	ring := picture(grays(9, 9, 9, 9, 9), grays(9, 9, 200, 9, 9), grays(9, 9, 180, 9, 9), grays(9, 9, 9, 9, 9), grays(9, 9, 9, 9, 9))
	whole := func(w, h float64, columns, rows int) View { return View{0, 0, w, h, columns, rows} }
	f32 := tensor.Float32
	for _, test := range []struct {
		name, spec string
		m          *image.RGBA
		dtype      tensor.DType
		shape      tensor.Shape
		want       []float64
		view       View
	}{
		{"NCHW", ``, two, f32, tensor.Shape{1, 3, 1, 2}, []float64{10, 40, 20, 50, 30, 60}, whole(2, 1, 2, 1)},
		{"NHWC", ``, two, f32, tensor.Shape{1, 1, 2, 3}, []float64{10, 20, 30, 40, 50, 60}, whole(2, 1, 2, 1)},
		{"CHW, BGR", `, "colour": "bgr"`, two, f32, tensor.Shape{3, 1, 2}, []float64{30, 60, 20, 50, 10, 40}, whole(2, 1, 2, 1)},
		{"gray", `, "colour": "gray"`, two, f32, tensor.Shape{1, 2}, []float64{18, 48}, whole(2, 1, 2, 1)},
		{"NHW", `, "colour": "gray", "layout": "NHW"`, two, f32, tensor.Shape{1, 1, 2}, []float64{18, 48}, whole(2, 1, 2, 1)},
		{"inverted", `, "invert": true`, two, f32, tensor.Shape{1, 1, 2, 3}, []float64{245, 235, 225, 215, 205, 195}, whole(2, 1, 2, 1)},
		{"normalised", `, "mean": [10, 20, 40], "std": [1, 2, 4]`, two, f32, tensor.Shape{1, 1, 2, 3}, []float64{0, 0, -2.5, 30, 15, 5}, whole(2, 1, 2, 1)},
		{"normalised alike", `, "mean": 10, "std": 10`, two, f32, tensor.Shape{1, 1, 2, 3}, []float64{0, 1, 2, 3, 4, 5}, whole(2, 1, 2, 1)},
		{"bytes", `, "mean": 24.5`, two, tensor.Uint8, tensor.Shape{1, 1, 2, 3}, []float64{0, 0, 6, 16, 26, 36}, whole(2, 1, 2, 1)},
		{"signed bytes", `, "std": 0.25`, two, tensor.Int8, tensor.Shape{1, 1, 2, 3}, []float64{40, 80, 120, 127, 127, 127}, whole(2, 1, 2, 1)},
		{"half", `, "std": 3`, two, tensor.Float16, tensor.Shape{1, 1, 2, 3},
			[]float64{float64(tensor.ToF16(10. / 3).Float32()), float64(tensor.ToF16(20. / 3).Float32()), 10, float64(tensor.ToF16(40. / 3).Float32()),
				float64(tensor.ToF16(50. / 3).Float32()), 20}, whole(2, 1, 2, 1)},
		{"bilinear, smaller", `, "colour": "gray"`, row, f32, tensor.Shape{1, 2}, []float64{50, 120}, whole(4, 1, 2, 1)},
		{"bilinear, larger", `, "colour": "gray"`, picture(grays(0, 100)), f32, tensor.Shape{1, 4}, []float64{0, 25, 75, 100}, whole(2, 1, 4, 1)},
		{"bilinear skips pixels", `, "colour": "gray"`, row, f32, tensor.Shape{1, 1}, []float64{150}, whole(4, 1, 1, 1)},
		{"area", `, "colour": "gray", "filter": "area"`, row, f32, tensor.Shape{1, 1}, []float64{85}, whole(4, 1, 1, 1)},
		{"rounded", `, "colour": "gray", "resize": "fit", "pad": 8, "filter": "area", "round": true, "std": 2`, row, f32, tensor.Shape{2, 2},
			[]float64{9, 18, 9, 18}, View{0, -1.5, 4, 4, 2, 2}},
		{"area of parts", `, "colour": "gray", "filter": "area"`, row, f32, tensor.Shape{1, 3}, []float64{25, 150, 80}, whole(4, 1, 3, 1)},
		// The rows have their centres at -1, 0, 1 and 2; only that of the second lies in the picture.
		{"fit", `, "colour": "gray", "resize": "fit", "pad": 7`, row, f32, tensor.Shape{4, 4},
			[]float64{7, 7, 7, 7, 0, 100, 200, 40, 7, 7, 7, 7, 7, 7, 7, 7}, View{0, -1.5, 4, 4, 4, 4}},
		{"fit by area", `, "colour": "gray", "resize": "fit", "pad": 8, "filter": "area"`, row, f32, tensor.Shape{2, 2}, []float64{18.5, 36, 18.5, 36}, View{0, -1.5, 4, 4, 2, 2}},
		{"fill", `, "colour": "gray", "resize": "fill"`, row, f32, tensor.Shape{1, 2}, []float64{100, 200}, View{1, 0, 2, 1, 2, 1}},
		{"transparent", `, "pad": [255, 100, 0]`, glass, f32, tensor.Shape{1, 1, 2, 3}, []float64{255, 100, 0, 227, 100, 0}, whole(2, 1, 2, 1)},
		{"content", `, "colour": "gray", "crop": "content"`, ring, f32, tensor.Shape{2, 1}, []float64{200, 180}, View{2, 1, 1, 2, 1, 2}},
		{"content with margin", `, "colour": "gray", "crop": "content", "margin": 0.5, "resize": "fit"`, ring, f32, tensor.Shape{4, 4},
			[]float64{9, 9, 9, 9, 9, 104.5, 104.5, 9, 9, 94.5, 94.5, 9, 9, 9, 9, 9}, View{0.5, 0, 4, 4, 4, 4}},
		{"content of colour", `, "crop": "content"`, picture([]color.RGBA{black, green, blue}), f32, tensor.Shape{1, 1, 1, 3}, []float64{0, 255, 0}, View{1, 0, 1, 1, 1, 1}},
		{"no content", `, "colour": "gray", "crop": "content"`, picture(grays(5, 5)), f32, tensor.Shape{1, 2}, []float64{5, 5}, whole(2, 1, 2, 1)},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, view, err := PrepareImage(spec(t, test.spec), manifest.Type{Name: "x", DType: test.dtype, Shape: test.shape}, test.m)
			if err != nil {
				t.Fatal(err)
			}
			if got.DType() != test.dtype || !got.Shape().Equal(test.shape) {
				t.Fatalf("the input is %v", got)
			}
			wide, err := tensor.Cast(got, f32)
			if err != nil {
				t.Fatal(err)
			}
			for i, v := range tensor.Data[float32](wide) {
				if math.Abs(float64(v)-test.want[i]) > 1e-5 {
					t.Errorf("the values are %v, want %v", tensor.Data[float32](wide), test.want)
					break
				}
			}
			if view != test.view {
				t.Errorf("the view is %+v, want %+v", view, test.view)
			}
		})
	}
}

func TestPrepareImageErrors(t *testing.T) {
	x := manifest.Type{Name: "x", DType: tensor.Float32, Shape: tensor.Shape{1, 3, 2, 2}}
	if _, _, err := PrepareImage(spec(t, `, "colour": "gray"`), x, picture(grays(1))); err == nil {
		t.Error("a gray picture was made three channels")
	}
	if _, _, err := PrepareImage(spec(t, ``), x, image.NewRGBA(image.Rect(0, 0, 0, 3))); err == nil {
		t.Error("an empty picture was prepared")
	}
}

// A picture stretched with the bilinear filter is what the operator resample makes of it.
func TestBilinearIsResample(t *testing.T) {
	m := image.NewRGBA(image.Rect(0, 0, 23, 17))
	for i := range m.Pix {
		m.Pix[i] = uint8(i * i * 7 >> 3)
		if i%4 == 3 {
			m.Pix[i] = 255
		}
	}
	for _, size := range []image.Point{{7, 5}, {46, 34}, {23, 40}, {1, 1}} {
		got, _, err := PrepareImage(spec(t, `, "layout": "HWC"`), manifest.Type{Name: "x", DType: tensor.Float32, Shape: tensor.Shape{size.Y, size.X, 3}}, m)
		if err != nil {
			t.Fatal(err)
		}
		pixels := make([]float32, 0, 3*23*17)
		for i, v := range m.Pix {
			if i%4 != 3 {
				pixels = append(pixels, float32(v))
			}
		}
		var e eval
		want := e.op("resample", append(attrs("mode", "linear"), attrs("sizes", []int{size.Y, size.X, 3})...), e.keep(tensor.FromSlice(pixels, 17, 23, 3)))
		if e.err != nil {
			t.Fatal(e.err)
		}
		for i, v := range tensor.Data[float32](got) {
			if w := tensor.Data[float32](want)[i]; math.Abs(float64(v-w)) > 1e-4 {
				t.Fatalf("size %v: element %d is %v, resample gives %v", size, i, v, w)
			}
		}
	}
}

// The bits of a prepared picture are fixed: these sums were computed on amd64.
func TestPreparedBits(t *testing.T) {
	root := testdata.Root(t)
	m, err := manifest.Open(filepath.Join(root, "examples", "digits", "model.nnef", "concord.json"))
	if err != nil {
		t.Fatal(err)
	}
	x := manifest.Type{Name: "x", DType: tensor.Float32, Shape: tensor.Shape{1, 1, 28, 28}}
	y := manifest.Type{Name: "y", DType: tensor.Float32, Shape: tensor.Shape{1, 10}}
	if err := m.Check([]manifest.Type{x}, []manifest.Type{y}); err != nil {
		t.Fatal(err)
	}
	drawing, err := OpenPicture(filepath.Join(root, "examples", "digits", "drawings", "seven.png"))
	if err != nil {
		t.Fatal(err)
	}
	got, _, err := PrepareImage(m.Input("x").(*manifest.Image), x, drawing)
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(tensor.Raw(got))
	if hash := hex.EncodeToString(sum[:8]); hash != "941edc0b16357601" {
		t.Errorf("the prepared drawing has the sum %s", hash)
	}
	data := tensor.Data[float32](got)
	if low, high := slices.Min(data), slices.Max(data); low != 0 || high < 0.9 || high > 1 {
		t.Errorf("its values are %v … %v", low, high)
	}
}

// TestAdjust compares what is done to pixels in place with the operators that pages do it by.
func TestAdjust(t *testing.T) {
	rng := op.NewRand(1, 2)
	for _, spec := range []manifest.Image{
		{Mean: []float64{0}, Std: []float64{1}},
		{Mean: []float64{0}, Std: []float64{1}, Round: true},
		{Mean: []float64{127}, Std: []float64{128}, Round: true},
		{Mean: []float64{123.675, 116.28, 103.53}, Std: []float64{58.395, 57.12, 57.375}},
		{Mean: []float64{0}, Std: []float64{-0.7, 1e-60, 3}},
		{Mean: []float64{1e-40}, Std: []float64{1e-44}, Round: true},
	} {
		for _, whole := range []bool{false, true} {
			pixels := rng.Uniform(tensor.Float32, tensor.Shape{5, 7, 3}, -1, 260)
			copy(tensor.Data[float32](pixels), []float32{0, 0, 0, 0.5, 1.5, 255, float32(math.Copysign(0, -1)), 1e-44, 127})
			e := recording("adjusted")
			x, err := e.graph.Constant("", "", pixels)
			e.values[pixels], e.err = x, err
			want := e.adjusted(&spec, whole, pixels)
			if e.err != nil {
				t.Fatal(e.err)
			}
			got := pixels.Clone()
			adjust(tensor.Data[float32](got), &spec, whole)
			if !bytes.Equal(got.Bytes(), want.Bytes()) {
				t.Errorf("%v, whole %v: other bits than those of the operators", spec, whole)
			}
		}
	}
}
