package main

import (
	"encoding/binary"
	"hash/fnv"
	"image"
	"math"
	"slices"
	"testing"
)

func TestSamplesDependOnSeedAndIndexAlone(t *testing.T) {
	const n = 40
	samples := make([]sample, n)
	parallel(n, func(i int) { samples[i] = newSample(9, uint64(i)) })
	for i := n - 1; i >= 0; i-- {
		again := newSample(9, uint64(i))
		if again.label != i%10 || samples[i].label != i%10 {
			t.Errorf("sample %d shows a %d and a %d, want a %d", i, samples[i].label, again.label, i%10)
		}
		if !slices.Equal(again.input, samples[i].input) {
			t.Errorf("sample %d differs when it is made again", i)
		}
		if other := newSample(10, uint64(i)); slices.Equal(other.input, again.input) {
			t.Errorf("sample %d is the same for two seeds", i)
		}
	}
}

// The samples are the same on every processor: the hash must not change unless the generator does.
func TestSamplesAreTheSameEverywhere(t *testing.T) {
	h := fnv.New64a()
	for i := range uint64(200) {
		for _, v := range newSample(1, i).input {
			_ = binary.Write(h, binary.LittleEndian, math.Float32bits(v))
		}
	}
	const want = 0xc86be1acb5df335d
	if got := h.Sum64(); got != want {
		t.Errorf("hash of the first 200 samples is %#x, want %#x", got, uint64(want))
	}
}

func TestSamplesLookLikePictures(t *testing.T) {
	for i := range uint64(200) {
		s := newSample(11, i)
		ink := 0.0
		for _, v := range s.input {
			if v < 0 || v > 1 || v != v {
				t.Fatalf("sample %d holds %g, want 0 … 1", i, v)
			}
			ink += float64(v)
		}
		if ink < 5 || ink > 600 {
			t.Errorf("sample %d has ink %g of 784", i, ink)
		}
	}
}

func TestContentIsCentredSquareAroundInk(t *testing.T) {
	m := white(50, 40)
	black(m, image.Rect(10, 5, 20, 35))
	if got, want := content(m), (rectangle{0, 5, 30}); got != want {
		t.Errorf("content is %v, want %v", got, want)
	}
	if got, want := content(m).grow(0.2), (rectangle{-6, -1, 42}); got != want {
		t.Errorf("with a margin it is %v, want %v", got, want)
	}
	if got, want := content(white(50, 40)), (rectangle{0, -5, 50}); got != want {
		t.Errorf("content of an empty picture is %v, want %v", got, want)
	}
}

func TestResizeAverages(t *testing.T) {
	m := white(56, 56)
	black(m, image.Rect(0, 0, 3, 1))
	got := resize(m, rectangle{0, 0, 56})
	if want := []float32{0.5, 0.25, 0}; !slices.Equal(got[:3], want) {
		t.Errorf("three black of every four pixels give %v, want %v", got[:3], want)
	}
	for _, w := range []rectangle{{-7.5, 3.25, 61.5}, {0, 0, 17}, {-3, -9, 200}} {
		m := white(56, 56)
		black(m, image.Rect(5, 6, 15, 16))
		ink := 0.0
		for _, v := range resize(m, w) {
			ink += float64(v)
		}
		if area := ink * (w.side / side) * (w.side / side); math.Abs(area-100) > 1e-3 {
			t.Errorf("rectangle %v: 100 black pixels become %g", w, area)
		}
	}
}

// white returns a picture without ink.
func white(width, height int) *image.Gray {
	m := image.NewGray(image.Rect(0, 0, width, height))
	for i := range m.Pix {
		m.Pix[i] = 255
	}
	return m
}

// black fills a rectangle with ink.
func black(m *image.Gray, r image.Rectangle) {
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			m.Pix[m.PixOffset(x, y)] = 0
		}
	}
}
