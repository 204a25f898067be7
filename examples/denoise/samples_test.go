package main

import (
	"math"
	"testing"

	"github.com/concord-nn/concord/engine"
	"github.com/concord-nn/concord/internal/fmath"
	"github.com/concord-nn/concord/tensor"
)

// through returns what the whole network makes of samples, with a share of the noise left.
func through(t *testing.T, samples []float32, keep float32) []float32 {
	t.Helper()
	g, err := whole()
	if err != nil {
		t.Fatal(err)
	}
	p, err := engine.Compile(g, engine.Options{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	s, err := p.NewSession()
	if err != nil {
		t.Fatal(err)
	}
	tensor.Data[float32](s.Input(1))[0] = keep
	var clean []float32
	for ; len(samples) >= hop; samples = samples[hop:] {
		copy(tensor.Data[float32](s.Input(0)), samples)
		if err := s.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		clean = append(clean, tensor.Data[float32](s.Output(0))...)
	}
	return clean
}

// hiss returns frames of noise of the level, from -level to level.
func hiss(frames int, level float32) []float32 {
	samples, state := make([]float32, frames*hop), uint32(1)
	for i := range samples {
		state = state*1664525 + 1013904223
		samples[i] = level * (float32(state>>8)/(1<<23) - 1)
	}
	return samples
}

// decibels is the level of samples.
func decibels(samples []float32) float64 {
	var sum float64
	for _, x := range samples {
		sum += float64(x) * float64(x)
	}
	return 10 / math.Ln10 * fmath.Log(sum/float64(len(samples))+1e-20)
}

// TestLeavesSamples asserts that samples come out as they went in, a frame later, where all noise is kept.
func TestLeavesSamples(t *testing.T) {
	in := hiss(6, 0.5)
	out := through(t, in, 1)
	for i, x := range in[:len(in)-hop] {
		if y := out[i+hop]; max(x-y, y-x) > 1e-6 {
			t.Fatalf("sample %d is %g instead of %g", i, y, x)
		}
	}
}

// TestRemovesNoise asserts that steady noise goes and a tone in it stays.
func TestRemovesNoise(t *testing.T) {
	const quiet, all = 100, 130
	in := hiss(all, 0.02)
	for i := quiet * hop; i < len(in); i++ {
		sin, _ := fmath.Turn(int64(i%48), 48)
		in[i] += 0.2 * float32(sin)
	}
	out := through(t, in, 0)
	noise, left := decibels(in[60*hop:quiet*hop]), decibels(out[61*hop:quiet*hop])
	if left > noise-15 {
		t.Errorf("noise of %.1f dB is %.1f dB loud afterwards", noise, left)
	}
	tone, kept := decibels(in[110*hop:(all-1)*hop]), decibels(out[111*hop:])
	if math.Abs(tone-kept) > 1 {
		t.Errorf("a tone of %.1f dB is %.1f dB loud afterwards", tone, kept)
	}
}

// TestPage asserts that the page has all that it loads, and is small.
func TestPage(t *testing.T) {
	s, err := page()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"index.html", "page.js", "worklet.js", "style.css", "denoise.js", "denoise.wasm", "denoise.exact.wasm", "denoise.bin"} {
		if len(s[name]) == 0 {
			t.Errorf("the page has no %s", name)
		}
	}
	if n := len(s["denoise.wasm"]) + len(s["denoise.bin"]) + len(s["denoise.js"]); n > 300<<10 {
		t.Errorf("the network takes %d bytes of a page", n)
	}
}
