package main

import (
	"math"
	"slices"
)

// sample is a measured evaluation.
type sample struct {
	operations, elements float64
	time                 float64 // nanoseconds
}

// rates are nanoseconds.
type rates struct{ perOp, perElement, perNode float64 }

// weight is rates in units of a thousandth of a multiply-add.
type weight struct{ perOp, perElement, perNode int64 }

func (r rates) predict(s sample) float64 {
	return r.perNode + r.perOp*s.operations + r.perElement*s.elements
}

func (r rates) per(unit float64) weight {
	return weight{int64(math.Round(r.perOp / unit)), int64(math.Round(r.perElement / unit)), max(1, int64(math.Round(r.perNode/unit)))}
}

// unitOf returns a thousandth of the time of a multiply-add in the convolution with the most of them.
func unitOf(convolutions []sample) float64 {
	large := slices.MaxFunc(convolutions, func(a, b sample) int { return int(a.operations - b.operations) })
	return large.time / large.operations / 1000
}

// fit finds the rates that miss the samples least, by trying all of a geometric series. An evaluation by itself takes the shortest time
// or, where that misses less, nothing.
func fit(samples []sample) rates {
	shortest := slices.MinFunc(samples, func(a, b sample) int { return int(a.time - b.time) }).time
	series := []float64{0}
	for ns := 1e-3; ns < 1e4; ns *= 1.1 {
		series = append(series, ns)
	}
	best := rates{perNode: shortest}
	least := best.miss(samples)
	for _, perNode := range []float64{shortest, 0} {
		for _, perOp := range series {
			for _, perElement := range series {
				r := rates{perOp, perElement, perNode}
				if m := r.miss(samples); m < least {
					best, least = r, m
				}
			}
		}
	}
	return best
}

// miss sums up by which factors predictions are too low or too high. Long evaluations, of which runs consist, count more.
func (r rates) miss(samples []sample) float64 {
	sum := 0.0
	for _, s := range samples {
		p := r.predict(s)
		sum += math.Sqrt(s.time) * max(p/s.time, s.time/max(p, 1e-9))
	}
	return sum
}
