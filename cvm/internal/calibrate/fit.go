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

// fit finds the rates with the least squares of relative errors. Rates are not negative: of the fits with either rate or both, the best
// that is not is taken. What an evaluation takes by itself is the shortest time or, where that gives a better fit, nothing.
func fit(samples []sample) rates {
	base := slices.MinFunc(samples, func(a, b sample) int { return int(a.time - b.time) }).time
	a, b := fitAbove(base, samples), fitAbove(0, samples)
	if mistake(b, samples) < mistake(a, samples) {
		return b
	}
	return a
}

func fitAbove(base float64, samples []sample) rates {
	var oo, oe, ee, ot, et float64
	for _, s := range samples {
		o, e, t := s.operations/s.time, s.elements/s.time, (s.time-base)/s.time
		oo, oe, ee, ot, et = oo+o*o, oe+o*e, ee+e*e, ot+o*t, et+e*t
	}
	best := rates{perNode: base}
	try := func(r rates) {
		if r.perOp >= 0 && r.perElement >= 0 && mistake(r, samples) < mistake(best, samples) {
			best = r
		}
	}
	if oo > 0 {
		try(rates{ot / oo, 0, base})
	}
	if ee > 0 {
		try(rates{0, et / ee, base})
	}
	if d := oo*ee - oe*oe; d > 1e-9*oo*ee {
		try(rates{(ot*ee - et*oe) / d, (et*oo - ot*oe) / d, base})
	}
	return best
}

func mistake(r rates, samples []sample) float64 {
	sum := 0.0
	for _, s := range samples {
		e := (r.predict(s) - s.time) / s.time
		sum += e * e
	}
	return sum
}
