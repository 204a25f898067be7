package measure

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"time"

	"github.com/concord-nn/concord/internal/fmath"
)

// Times are how long runs took, in the order of the runs.
type Times []time.Duration

// Quantile returns the time that a share p of the runs, from 0 to 1, did not exceed, interpolated between runs; 0 if there are none.
func (t Times) Quantile(p float64) time.Duration {
	s := slices.Clone(t)
	slices.Sort(s)
	return time.Duration(math.Round(quantile(s, p)))
}

// Sample returns the times in order of size, or as many of them as n, 2 at least, evenly chosen with the least and the greatest.
func (t Times) Sample(n int) Times {
	s := slices.Clone(t)
	slices.Sort(s)
	if len(s) <= n {
		return s
	}
	out := make(Times, n)
	for i := range out {
		out[i] = s[i*(len(s)-1)/(n-1)]
	}
	return out
}

// quantile interpolates in a sorted list.
func quantile[T ~int64 | ~float64](sorted []T, p float64) float64 {
	if len(sorted) == 0 {
		return 0
	}
	at := min(max(p, 0), 1) * float64(len(sorted)-1)
	i := int(at)
	j := min(i+1, len(sorted)-1)
	return float64(sorted[i]) + float64((at-float64(i))*float64(sorted[j]-sorted[i]))
}

// Milliseconds writes a time as a number of milliseconds with six significant digits.
func Milliseconds(d time.Duration) float64 { return Round(float64(d)/1e6, 6) }

// Round returns x with so many significant digits.
func Round(x float64, digits int) float64 {
	x, _ = strconv.ParseFloat(strconv.FormatFloat(x, 'g', digits, 64), 64) // which reads what it has written
	return x
}

// Loop says how often something is run.
type Loop struct {
	WarmUp time.Duration // runs until so much time has passed do not count; there is one at least
	Time   time.Duration // the time that the runs which count take together
	Least  int           // how many runs count at least, whatever their time
	Most   int           // and at most; 0 is no bound
}

// Run runs f and returns its times. It stops at the first error, or at that of ctx if it is done between two runs.
func (l Loop) Run(ctx context.Context, f func() error) (Times, error) {
	var t Times
	once := func() error {
		if err := ctx.Err(); err != nil {
			return err
		}
		before := time.Now()
		err := f()
		t = append(t, time.Since(before))
		return err
	}
	for begin := time.Now(); len(t) == 0 || time.Since(begin) < l.WarmUp; {
		if err := once(); err != nil {
			return nil, err
		}
	}
	t = t[:0]
	most := cmp.Or(l.Most, math.MaxInt)
	for begin := time.Now(); len(t) < most && (len(t) < l.Least || time.Since(begin) < l.Time); {
		if err := once(); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// Spread is a number with the range that it may be anywhere in.
type Spread struct {
	Value float64 `json:"value"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
}

// Rounded returns the spread with four significant digits.
func (s Spread) Rounded() Spread {
	return Spread{Round(s.Value, 4), Round(s.Low, 4), Round(s.High, 4)}
}

// Quartiles returns the median of numbers between their quartiles.
func Quartiles(list []float64) Spread {
	s := slices.Sorted(slices.Values(list))
	return Spread{quantile(s, 0.5), quantile(s, 0.25), quantile(s, 0.75)}
}

// GeometricMean returns the geometric mean of positive numbers, which is 1 of none.
func GeometricMean(list []float64) float64 {
	sum := 0.0
	for _, x := range list {
		sum += fmath.Log(x)
	}
	return fmath.Exp(sum / float64(max(len(list), 1)))
}

// resamples is how many draws stand behind an interval.
const resamples = 1000

// Ratio returns the median of a divided by the median of b, and the interval that holds 95 of 100 ratios of samples which are drawn from the two
// again and again. Noise that lasts longer than a run is not in it: it is for runs that were taken at the same time, or quietly.
func Ratio(a, b []float64) Spread {
	rng := rand.New(rand.NewPCG(1, 2)) // the same interval for the same times
	ratios := make([]float64, resamples)
	for i := range ratios {
		ratios[i] = drawnMedian(rng, a) / drawnMedian(rng, b)
	}
	slices.Sort(ratios)
	return Spread{median(a) / median(b), quantile(ratios, 0.025), quantile(ratios, 0.975)}
}

func median(list []float64) float64 {
	return quantile(slices.Sorted(slices.Values(list)), 0.5)
}

// drawnMedian returns the median of as many numbers as there are, each drawn from all.
func drawnMedian(rng *rand.Rand, list []float64) float64 {
	drawn := make([]float64, len(list))
	for i := range drawn {
		drawn[i] = list[rng.IntN(len(list))]
	}
	return median(drawn)
}
