package kernel

import (
	"slices"

	"github.com/concord-nn/concord/internal/fmath"
	"github.com/concord-nn/concord/internal/simd"
	"github.com/concord-nn/concord/op"
)

// quick is a function of float64 of which a routine finds nearly all results: it does not know those that are near the middle between two numbers, or no numbers.
type quick struct {
	routine  simd.Routine[simd.DoublesArgs]
	table    []float64
	function func(x, y float64) float64
}

// quickFunctions has the functions of one number, and pow has two.
var quickFunctions = map[string]func(x float64) float64{
	"exp": fmath.Exp[float64], "log": fmath.Log[float64], "tanh": fmath.Tanh[float64], "sigmoid": fmath.Sigmoid[float64], "sin": fmath.Sin[float64], "cos": fmath.Cos[float64],
}

func quickOf(t *simd.Tier, name string) *quick {
	q := &quick{t.Doubles[name], fmath.Exponentials(), fmath.Pow[float64]}
	if f, ok := quickFunctions[name]; ok {
		q.function = func(x, _ float64) float64 { return f(x) }
	}
	if name == "sin" || name == "cos" {
		q.table = fmath.Sines()
	}
	return q
}

// doublesBlock is how many numbers a routine takes at a time, and quickBytes the working memory of [quick.compute].
const (
	doublesBlock = 8
	quickBytes   = 8 * (spreadChunk + doublesBlock)
)

// quickRows returns the rows of functions of float64 that routines find.
func quickRows(t *simd.Tier) []Kernel {
	if t.Doubles == nil {
		return nil
	}
	return slices.Concat(
		doubleRows("elements", quickFunctions, func(a *application, name string, _ func(x float64) float64) *Plan {
			q := quickOf(t, name)
			p := mapped(a, func(c *op.Call, z, x []float64) { q.compute(c.Scratch, z, x, x) })
			p.Scratch, p.Nanos = quickBytes, 4*int64(a.out[0].Shape.Len())
			return p
		}),
		doubleRows("elements", map[string]*quick{"pow": quickOf(t, "pow")}, func(a *application, _ string, q *quick) *Plan {
			p := pairwiseIn(a, quickBytes, q.compute)
			p.Nanos = 8 * int64(a.out[0].Shape.Len())
			return p
		}),
		doubleRows("doubles", map[string]*quick{"softmax": quickOf(t, "exp")}, func(a *application, _ string, exp *quick) *Plan {
			return softmaxOfDoubles(a, quickBytes, func(work []byte, x []float64) { exp.compute(work, x, x, x) })
		}),
	)
}

// compute computes the function in working memory, and then what the routine does not know. The results may take the place of x or y.
func (q *quick) compute(work []byte, z, x, y []float64) {
	for n := 0; len(z) > 0; z, x, y = z[n:], x[n:], y[n:] {
		n = min(len(z), spreadChunk)
		found := elementsOfType[float64](work)
		q.run(found, x, y, n/doublesBlock)
		if whole := n / doublesBlock * doublesBlock; whole < n {
			last, other := found[whole:][:doublesBlock], found[spreadChunk:][:doublesBlock]
			copy(last, x[whole:n])
			copy(other, y[whole:n])
			q.run(last, last, other, 1)
		}
		for i, v := range found[:n] {
			if v != v {
				v = q.function(x[i], y[i])
			}
			z[i] = v
		}
	}
}

// run runs the routine for some blocks, if there are any.
func (q *quick) run(z, x, y []float64, blocks int) {
	if blocks > 0 {
		q.routine.Run(&simd.DoublesArgs{X: simd.At(x, 0), Y: simd.At(y, 0), Z: simd.At(z, 0), Table: simd.At(q.table, 0), N: blocks})
	}
}
