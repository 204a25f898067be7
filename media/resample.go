package media

import (
	"fmt"
	"math"

	"github.com/concord-nn/concord/internal/fmath"
	"github.com/concord-nn/concord/internal/limits"
)

// A sound is resampled by a windowed sinc: each new sample is a weighted sum of the samples around its moment, the weights those of a low pass
// just below half of the lower rate. At 0.9 of that and below, nothing is lost; what lies above half of the lower rate is 100 dB quieter.
const (
	sincZeros  = 64    // zeros of the sinc on either side, counted at the lower rate
	sincCutoff = 0.95  // of half of the lower rate: where the low pass has halved
	kaiserBeta = 10.06 // of the Kaiser window, for 100 dB
	maxPhases  = 1024  // weights between them are interpolated, with an error below 2^-21
	maxRatio   = 64    // of the rates
)

// Resample returns samples, taken from times a second, as they would be taken to times a second; both must be positive. The first sample of both
// is of the same moment, and before and after the sound there is silence. Sums are of float64, in an order that does not depend on the machine.
func Resample(samples []float32, from, to int) ([]float32, error) {
	return Limits{}.Resample(samples, from, to)
}

// Resample is the function [Resample] within limits.
func (l Limits) Resample(samples []float32, from, to int) ([]float32, error) {
	r, err := newRates(from, to)
	if err != nil || r.same() || len(samples) == 0 {
		return samples, err
	}
	n := r.count(int64(len(samples)))
	if n > limits.MediaSamples {
		return nil, fmt.Errorf("the sound has %d samples at %d a second; at most %d are allowed", n, to, limits.MediaSamples)
	}
	what := func() string { return fmt.Sprintf("the sound of %d samples at %d a second", n, to) }
	var out []float32
	err = l.within(r.bytes(int64(len(samples))), what, func() error {
		out = newPolyphase(r).resampled(samples, int(n), r.down)
		return nil
	})
	return out, err
}

// rates are two numbers of samples a second: down samples of the first take as long as up of the second.
type rates struct{ up, down int64 }

func newRates(from, to int) (rates, error) {
	if from < 1 || to < 1 || from > maxRate || to > maxRate || from > maxRatio*to || to > maxRatio*from {
		return rates{}, fmt.Errorf("a sound with %d samples a second cannot be changed to %d: both must be from 1 to %d, and neither more than %d times the other", from, to, maxRate, maxRatio)
	}
	common := gcd(from, to)
	return rates{int64(to / common), int64(from / common)}, nil
}

func (r rates) same() bool { return r.up == r.down }

// scale is that of the lower rate to that of the samples.
func (r rates) scale() float64 { return min(1, float64(r.up)/float64(r.down)) }

// count returns how many samples become of n.
func (r rates) count(n int64) int64 { return (n*r.up + r.down - 1) / r.down }

// bytes returns what resampling n samples takes beside them.
func (r rates) bytes(n int64) int64 {
	if r.same() || n == 0 {
		return 0
	}
	f := polyphaseOf(r)
	return sample*(n+int64(2*f.half)+r.count(n)) + sampleWeight*(f.phases+1)*int64(2*f.half)
}

// resampled returns n samples, each down moments behind the one before.
func (f *polyphase) resampled(samples []float32, n int, down int64) []float32 {
	padded := make([]float32, len(samples)+2*f.half) // with silence, so that every sum has all its terms
	copy(padded[f.half:], samples)
	out := make([]float32, n)
	inRows(len(out), func(a, b int) {
		for i := a; i < b; i++ {
			at := int64(i) * down
			out[i] = f.sample(padded[at/f.up+1:], at%f.up)
		}
	})
	return out
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// polyphase has the weights of the samples around a new one, for moments between two samples.
type polyphase struct {
	half   int         // samples before the moment, and after it
	up     int64       // moments that there are between two samples
	phases int64       // of which there are weights
	rows   [][]float64 // 2·half weights each, for the moments 0, 1/phases … 1
}

// polyphaseOf returns how many weights there will be, without making them.
func polyphaseOf(r rates) *polyphase {
	f := &polyphase{half: int(math.Ceil(sincZeros / r.scale())), up: r.up, phases: min(r.up, maxPhases)}
	f.half += f.half % 2 // the sums take four at once
	return f
}

func newPolyphase(r rates) *polyphase {
	f, scale := polyphaseOf(r), r.scale()
	f.rows = make([][]float64, f.phases+1)
	inRows(len(f.rows), func(a, b int) {
		for i := a; i < b; i++ {
			f.rows[i] = f.weights(float64(i)/float64(f.phases), scale)
		}
	})
	return f
}

// weights returns those of the samples at 1-half … half for the moment at a place from 0 to 1. Their sum is one.
func (f *polyphase) weights(place, scale float64) []float64 {
	row := make([]float64, 2*f.half)
	sum := 0.0
	for i := range row {
		t := float64((float64(i+1-f.half) - place) * scale)
		if u := t / sincZeros; u > -1 && u < 1 {
			row[i] = float64(sinc(float64(t*sincCutoff)) * bessel(float64(kaiserBeta*math.Sqrt(1-float64(u*u)))))
		}
		sum += row[i]
	}
	for i := range row {
		row[i] /= sum
	}
	return row
}

// sinc is sin(πx)/πx.
func sinc(x float64) float64 {
	if x == 0 {
		return 1
	}
	x = float64(x * math.Pi)
	return fmath.Sin(x) / x
}

// bessel is the modified Bessel function of the first kind and order 0, by its series; x is small.
func bessel(x float64) float64 {
	sum, term, z := 1.0, 1.0, float64(x*x)/4
	for k := 1.0; term > sum/(1<<53); k++ {
		term = float64(term*z) / float64(k*k)
		sum += term
	}
	return sum
}

// sample returns the sample at the moment p/up behind the one that lies half-1 places behind the first of x.
func (f *polyphase) sample(x []float32, p int64) float32 {
	row, rest := p*f.phases/f.up, p*f.phases%f.up
	y := weigh(f.rows[row], x)
	if rest != 0 {
		share := float64(rest) / float64(f.up)
		y += float64(share * (weigh(f.rows[row+1], x) - y))
	}
	return float32(y)
}

// weigh returns the sum of products, in four parts that are added in the end.
func weigh(weights []float64, x []float32) float64 {
	var a, b, c, d float64
	x = x[:len(weights)]
	for i := 0; i+3 < len(weights) && i+3 < len(x); i += 4 {
		a += float64(weights[i] * float64(x[i]))
		b += float64(weights[i+1] * float64(x[i+1]))
		c += float64(weights[i+2] * float64(x[i+2]))
		d += float64(weights[i+3] * float64(x[i+3]))
	}
	return (a + b) + (c + d)
}
