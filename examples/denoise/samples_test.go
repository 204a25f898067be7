package main

import (
	"math"
	"path/filepath"
	"slices"
	"testing"

	"github.com/concord-nn/concord/internal/fmath"
	"github.com/concord-nn/concord/internal/testdata"
	"github.com/concord-nn/concord/media"
)

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

// TestLeavesSamples asserts that samples come out as they went in where all noise is kept.
func TestLeavesSamples(t *testing.T) {
	in := hiss(6, 0.5)[:5*hop+100]
	out, err := through(t.Context(), in, 1)
	if err != nil || len(out) != len(in) {
		t.Fatalf("%d samples, %v", len(out), err)
	}
	for i, x := range in {
		if y := out[i]; max(x-y, y-x) > 1e-6 {
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
	out, err := through(t.Context(), in, 0)
	if err != nil {
		t.Fatal(err)
	}
	noise, rest := decibels(in[60*hop:quiet*hop]), decibels(out[60*hop:(quiet-1)*hop])
	if rest > noise-15 {
		t.Errorf("noise of %.1f dB is %.1f dB loud afterwards", noise, rest)
	}
	tone, kept := decibels(in[110*hop:]), decibels(out[110*hop:])
	if math.Abs(tone-kept) > 1 {
		t.Errorf("a tone of %.1f dB is %.1f dB loud afterwards", tone, kept)
	}
}

// TestKeepsSpeech asserts that noise between the words of a person goes, and that the words stay.
func TestKeepsSpeech(t *testing.T) {
	s, err := media.OpenSound(testdata.Shared(t, "models", "silero-vad", "speech-20s.wav"))
	if err != nil {
		t.Fatal(err)
	}
	speech, err := media.Resample(s.Mono()[:5*s.Rate], s.Rate, 48000)
	if err != nil {
		t.Fatal(err)
	}
	noise := hiss(len(speech)/hop, 0.02)
	in := make([]float32, len(noise))
	for i, x := range noise {
		in[i] = speech[i] + x
	}
	out, err := through(t.Context(), in, 0)
	if err != nil {
		t.Fatal(err)
	}
	var before, after [2][]float32                // between words, and in them
	for at := 94 * hop; at < len(in); at += hop { // after a second, in which floors settle
		level, k := decibels(speech[at:at+hop])-decibels(noise[at:at+hop]), 0
		switch {
		case level > 10:
			k = 1
		case level > -6:
			continue
		}
		before[k] = append(before[k], in[at:at+hop]...)
		after[k] = append(after[k], out[at:at+hop]...)
	}
	if gone := decibels(before[0]) - decibels(after[0]); gone < 18 {
		t.Errorf("between words %.1f dB are gone", gone)
	}
	if gone := decibels(before[1]) - decibels(after[1]); gone > 1 {
		t.Errorf("of words %.1f dB are gone", gone)
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

// TestFile asserts that a file becomes one of the same length, with the samples of the network.
func TestFile(t *testing.T) {
	dir := t.TempDir()
	from, to := filepath.Join(dir, "from.wav"), filepath.Join(dir, "to.wav")
	in := hiss(5, 0.1)[:4*hop+17]
	if err := write(from, in, 44100); err != nil {
		t.Fatal(err)
	}
	if err := file(t.Context(), from, to); err != nil {
		t.Fatal(err)
	}
	want, err := through(t.Context(), in, left)
	if err != nil {
		t.Fatal(err)
	}
	s, err := media.OpenSound(to)
	if err != nil || s.Rate != 44100 || !slices.Equal(s.Samples, want) {
		t.Errorf("the file has other samples: %v", err)
	}
}
