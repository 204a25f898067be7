package main

import "math/rand/v2"

// random draws the numbers that make a sample. The generator of math/rand/v2 is specified and everything below
// is plain arithmetic, so a seed gives the same numbers on every processor.
type random struct{ *rand.Rand }

// newRandom returns the source of one sample: the same for the same seed and index, unrelated for others.
func newRandom(seed, index uint64) random { return random{rand.New(rand.NewPCG(seed, index))} }

// between returns a number from lo up to hi, evenly distributed.
func (r random) between(lo, hi float64) float64 { return lo + float64((hi-lo)*r.Float64()) }

// about returns a number around zero with the given standard deviation: the sum of four even ones, which is
// near enough to normal and never farther off than 3.5 deviations.
func (r random) about(deviation float64) float64 {
	const sqrt3 = 1.7320508075688772
	sum := r.Float64() + r.Float64() + r.Float64() + r.Float64() - 2
	return float64(sum * sqrt3 * deviation)
}

// chance reports true with probability p.
func (r random) chance(p float64) bool { return r.Float64() < p }
