package manifest_test

import (
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/concord-nn/concord/manifest"
)

// TestResolved gives zero fields the defaults of the document, and names the fields that are wrong.
func TestResolved(t *testing.T) {
	m, err := manifest.Parse("m", []byte(`{"version": 1, "inputs": {"x": {"kind": "image"}, "s": {"kind": "audio", "rate": 1}}, "outputs": {}}`))
	if err != nil {
		t.Fatal(err)
	}
	if im, err := new(manifest.Image).Resolved(); err != nil || !reflect.DeepEqual(im, m.Input("x")) {
		t.Errorf("the zero Image is %+v, %v", im, err)
	}
	if a, err := (&manifest.Audio{Rate: 1}).Resolved(); err != nil || !reflect.DeepEqual(a, m.Input("s")) {
		t.Errorf("an Audio of a rate is %+v, %v", a, err)
	}
	if b, err := new(manifest.Boxes).Resolved(); err != nil || b.Format != manifest.Corners || b.Units != manifest.Unit {
		t.Errorf("the zero Boxes is %+v, %v", b, err)
	}
	image := func(im *manifest.Image) error { _, err := im.Resolved(); return err }
	audio := func(a *manifest.Audio) error { _, err := a.Resolved(); return err }
	boxes := func(b *manifest.Boxes) error { _, err := b.Resolved(); return err }
	for want, err := range map[string]error{
		`Image.Colour is "grey"; it must be "rgb", "bgr" or "gray"`:         image(&manifest.Image{Colour: "grey"}),
		`Image.Resize is "crop"`:                                            image(&manifest.Image{Resize: "crop"}),
		`Image.Layout is "CWH"; it must be "NCHW", `:                        image(&manifest.Image{Layout: "CWH"}),
		`Image.Mean has 2 numbers; there must be 1 or 3`:                    image(&manifest.Image{Mean: []float64{1, 2}}),
		`Image.Std has 3 numbers; there must be 1 or 1`:                     image(&manifest.Image{Colour: manifest.Gray, Std: []float64{1, 2, 3}}),
		`Image.Std has the number 0`:                                        image(&manifest.Image{Std: []float64{0}}),
		`Image.Mean has the number -1`:                                      image(&manifest.Image{Mean: []float64{-1}}),
		`Image.Mean has the number NaN`:                                     image(&manifest.Image{Mean: []float64{math.NaN()}}),
		`Image.Pad has the number 256`:                                      image(&manifest.Image{Pad: []float64{256}}),
		`Image.Width and Image.Height are 3 and 0`:                          image(&manifest.Image{Width: 3}),
		`Image.Margin is -1`:                                                image(&manifest.Image{Margin: -1}),
		`Image is nil`:                                                      image(nil),
		`Audio.Rate is 0; it must be from 1 to `:                            audio(&manifest.Audio{}),
		`Audio.Hop is -1; it must be from 0 to `:                            audio(&manifest.Audio{Rate: 1, Hop: -1}),
		`Audio.Scale is +Inf`:                                               audio(&manifest.Audio{Rate: 1, Scale: math.Inf(1)}),
		`Audio is nil`:                                                      audio(nil),
		`Boxes.Format is "center"; it must be "corners", "centre" or "ssd"`: boxes(&manifest.Boxes{Format: "center"}),
		`Boxes.Units is "px"`:                                               boxes(&manifest.Boxes{Units: "px"}),
		`Boxes.Priors goes with the Format "ssd", and only with it`:         boxes(&manifest.Boxes{Format: manifest.Deltas}),
		`Boxes.IoUThreshold is 2; it must be from 0 to 1`:                   boxes(&manifest.Boxes{IoUThreshold: 2}),
		`Boxes.ScoreThreshold is not a number`:                              boxes(&manifest.Boxes{ScoreThreshold: math.NaN()}),
		`Boxes.Limit is -1`:                                                 boxes(&manifest.Boxes{Limit: -1}),
		`Boxes is nil`:                                                      boxes(nil),
	} {
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("got %v; want %s", err, want)
		}
	}
}
