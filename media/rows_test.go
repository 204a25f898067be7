package media

import (
	"image"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/concord-nn/concord/manifest"
)

func TestInRows(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(5))
	for _, n := range []int{0, 1, rowsEach, 2*rowsEach + 1, 1000} {
		seen := make([]atomic.Int32, n)
		inRows(n, func(from, to int) {
			for i := from; i < to; i++ {
				seen[i].Add(1)
			}
		})
		for i := range seen {
			if k := seen[i].Load(); k != 1 {
				t.Fatalf("row %d of %d is taken %d times", i, n, k)
			}
		}
	}
}

// TestSampleInRows resizes a picture at once and in parts.
func TestSampleInRows(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	for _, channels := range []int{1, 3} {
		r := &raster{width: 97, height: 131, channels: channels, pad: []float64{3, 5, 7}, picture: image.NewRGBA(image.Rect(0, 0, 97, 131))}
		if channels == 1 {
			r.colour = manifest.Gray
		}
		for i := range r.picture.Pix {
			r.picture.Pix[i] = uint8(i * i >> 3)
		}
		for _, filter := range []manifest.Filter{manifest.Bilinear, manifest.Area} {
			w := rectangle{-10, -4, 120.5, 139}
			want := make([]float32, 40*300*channels)
			r.sampleRows(want, spans(filter, w.x, w.width, r.width, 40), spans(filter, w.y, w.height, r.height, 300), 0, 300)
			if !slices.Equal(r.sample(w, filter, 40, 300), want) {
				t.Errorf("%d channels, %v: in parts other samples are taken", channels, filter)
			}
		}
	}
}
