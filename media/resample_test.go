package media

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math"
	"strings"
	"testing"

	"github.com/concord-nn/concord/internal/fmath"
	"github.com/concord-nn/concord/internal/limits"
)

// tone returns samples of a sine.
func tone(hertz float64, rate, n int) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(fmath.Sin(2 * math.Pi * hertz * float64(i) / float64(rate)))
	}
	return x
}

// TestResample compares tones below half of the lower rate with the same at the other rate, and listens for those above.
func TestResample(t *testing.T) {
	for _, c := range []struct {
		from, to int
		hertz    float64
		heard    bool
	}{
		{44100, 16000, 440, true}, {44100, 16000, 7000, true}, {44100, 16000, 8200, false}, {44100, 16000, 15000, false},
		{8000, 16000, 3500, true}, {48000, 16000, 7000, true}, {48000, 16000, 9000, false}, {11025, 16000, 4900, true},
		{44099, 16000, 6000, true}, {44099, 16000, 9000, false}, {192000, 8000, 1000, true}, {8000, 48000, 1000, true},
	} {
		n := c.from / 25
		got, err := Resample(tone(c.hertz, c.from, n), c.from, c.to)
		if err != nil {
			t.Fatal(err)
		}
		if want := (n*c.to + c.from - 1) / c.from; len(got) != want {
			t.Errorf("%d to %d: %d samples, want %d", c.from, c.to, len(got), want)
		}
		want := tone(c.hertz, c.to, len(got))
		worst, edge := 0.0, 70*(1+c.to/c.from)
		for i := edge; i < len(got)-edge; i++ {
			x := float64(want[i])
			if !c.heard {
				x = 0
			}
			worst = max(worst, math.Abs(float64(got[i])-x))
		}
		if !(worst < 3e-5) {
			t.Errorf("%v Hz, %d to %d: the error is %.2g", c.hertz, c.from, c.to, worst)
		}
	}
}

// TestResampleBits holds the bits, which must be the same on every processor.
func TestResampleBits(t *testing.T) {
	h := sha256.New()
	for _, rates := range [][2]int{{44100, 16000}, {8000, 16000}, {44099, 16000}, {16000, 44101}} {
		x, err := Resample(tone(523.25, rates[0], 1500), rates[0], rates[1])
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range x {
			h.Write(binary.LittleEndian.AppendUint32(nil, math.Float32bits(v)))
		}
	}
	if got, want := hex.EncodeToString(h.Sum(nil)[:8]), "fa866a3582f02dc4"; got != want {
		t.Errorf("the bits are %s, want %s", got, want)
	}
}

func TestResampleLimits(t *testing.T) {
	if x, err := Resample([]float32{1, 2}, 8000, 8000); err != nil || len(x) != 2 {
		t.Errorf("the same rate: %v, %v", x, err)
	}
	if x, err := Resample([]float32{1, 1, 1, 1}, 1, maxRatio); err != nil || len(x) != 4*maxRatio {
		t.Errorf("the greatest ratio: %d, %v", len(x), err)
	}
	for _, rates := range [][2]int{{1, maxRatio + 1}, {maxRatio + 1, 1}, {0, 1}, {1, 0}, {1 << 20, 1<<20 + 1}, {math.MaxInt, math.MaxInt}} {
		if _, err := Resample(make([]float32, 4), rates[0], rates[1]); err == nil || !strings.Contains(err.Error(), "64 times") {
			t.Errorf("%v: %v", rates, err)
		}
	}
	if _, err := Resample(make([]float32, limits.MediaSamples/maxRatio+1), 1, maxRatio); err == nil || !strings.Contains(err.Error(), "are allowed") {
		t.Errorf("a long sound: %v", err)
	}
}
