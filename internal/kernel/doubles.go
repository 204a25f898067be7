package kernel

import (
	"math"
	"slices"

	"github.com/concord-nn/concord/internal/fmath"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// Operators on float64 in Go, without a call for each element.

// doubleKernels has the rows of element-wise operators, reductions and normalizations of float64.
var doubleKernels = slices.Concat(
	doubleRows("elements", twoDoubles, func(a *application, _ string, loop func(z, x, y []float64)) *Plan { return pairwise(a, loop) }),
	doubleRows("elements", oneDouble, func(a *application, _ string, loop func(z, x []float64)) *Plan {
		return mapped(a, func(_ *op.Call, z, x []float64) { loop(z, x) })
	}),
	doubleRows("elements", doublePredicates, func(a *application, _ string, loop func(z []bool, x []float64)) *Plan {
		return mapped(a, func(_ *op.Call, z []bool, x []float64) { loop(z, x) })
	}),
	doubleRows("elements", map[string]preparation{"clamp": clampDoubles}, prepared),
	doubleRows("doubles", doubleReductions, func(a *application, name string, _ doubleReduction) *Plan { return reduceDoubles(a, name) }),
	doubleRows("doubles", map[string]preparation{
		"softmax":             func(a *application) *Plan { return softmaxOfDoubles(a, 0, expOfDoubles) },
		"layer_normalization": layerOfDoubles,
	}, prepared),
)

// preparation prepares one operator.
type preparation func(a *application) *Plan

func prepared(a *application, _ string, prepare preparation) *Plan { return prepare(a) }

// clampDoubles prepares clamp between two numbers.
func clampDoubles(a *application) *Plan {
	return clampBetween(a, math.Inf(-1), math.Inf(1), func(z, x []float64, least, most float64) {
		for i, v := range x {
			z[i] = fmath.Canonical(max(min(v, most), least))
		}
	})
}

// doubleRows returns the rows, of that name, of operators on float64, of which a table says what they do.
func doubleRows[F any](row string, table map[string]F, prepare func(a *application, name string, f F) *Plan) (rows []Kernel) {
	for _, d := range op.All() {
		if f, ok := table[d.Name]; ok {
			rows = append(rows, Kernel{Name: row, Op: d.Name, In: []op.Types{float64s}, Prepare: alone(func(a *application) *Plan {
				return prepare(a, d.Name, f)
			})})
		}
	}
	return rows
}

// twoDoubles has the loops of operators with two operands.
var twoDoubles = map[string]func(z, x, y []float64){
	"add": func(z, x, y []float64) {
		for i, v := range x {
			z[i] = fmath.Canonical(v + y[i])
		}
	},
	"sub": func(z, x, y []float64) {
		for i, v := range x {
			z[i] = fmath.Canonical(v - y[i])
		}
	},
	"mul": func(z, x, y []float64) {
		for i, v := range x {
			z[i] = fmath.Canonical(v * y[i])
		}
	},
	"div": func(z, x, y []float64) {
		for i, v := range x {
			z[i] = fmath.Canonical(v / y[i])
		}
	},
	"max": func(z, x, y []float64) {
		for i, v := range x {
			z[i] = fmath.Canonical(max(v, y[i]))
		}
	},
	"pow": func(z, x, y []float64) {
		for i, v := range x {
			z[i] = fmath.Pow(v, y[i])
		}
	},
	"min": func(z, x, y []float64) {
		for i, v := range x {
			z[i] = fmath.Canonical(min(v, y[i]))
		}
	},
}

// oneDouble has those of operators with one.
var oneDouble = map[string]func(z, x []float64){
	"sqrt": func(z, x []float64) {
		for i, v := range x {
			z[i] = fmath.Canonical(math.Sqrt(v))
		}
	},
	"abs": func(z, x []float64) {
		for i, v := range x {
			z[i] = fmath.Canonical(math.Abs(v))
		}
	},
	"neg": func(z, x []float64) {
		for i, v := range x {
			z[i] = fmath.Canonical(-v)
		}
	},
	"sqr": func(z, x []float64) {
		for i, v := range x {
			z[i] = fmath.Canonical(v * v)
		}
	},
	"relu": func(z, x []float64) {
		for i, v := range x {
			z[i] = fmath.Canonical(max(v, 0))
		}
	},
	"rcp": func(z, x []float64) {
		for i, v := range x {
			z[i] = fmath.Canonical(1 / v)
		}
	},
	"floor": func(z, x []float64) {
		for i, v := range x {
			z[i] = fmath.Canonical(math.Floor(v))
		}
	},
	"ceil": func(z, x []float64) {
		for i, v := range x {
			z[i] = fmath.Canonical(math.Ceil(v))
		}
	},
	"round_even": func(z, x []float64) {
		for i, v := range x {
			z[i] = fmath.Canonical(math.RoundToEven(v))
		}
	},
	"sign": func(z, x []float64) {
		for i, v := range x {
			s := 0.0
			if math.Abs(v) > 0 {
				s = math.Copysign(1, v)
			}
			z[i] = s
		}
	},
	"exp": func(z, x []float64) {
		copy(z, x)
		expOfDoubles(nil, z)
	},
}

// doublePredicates has those of operators that say whether something holds.
var doublePredicates = map[string]func(z []bool, x []float64){
	"is_nan": func(z []bool, x []float64) {
		for i, v := range x {
			z[i] = v != v
		}
	},
	"is_infinite": func(z []bool, x []float64) {
		for i, v := range x {
			z[i] = math.Abs(v) > math.MaxFloat64
		}
	},
}

// doubleFold is how a reduction joins elements.
type doubleFold uint8

const (
	addDoubles doubleFold = iota
	addSquares            // of what elements have above a number
	addMagnitudes
	multiplyDoubles
	greatestDouble
	leastDouble
)

// start returns what changes nothing.
func (f doubleFold) start() float64 {
	switch f {
	case multiplyDoubles:
		return 1
	case greatestDouble:
		return math.Inf(-1)
	case leastDouble:
		return math.Inf(1)
	}
	return 0
}

// beside adds elements to partial results, each to its own.
func (f doubleFold) beside(acc, x []float64, above float64) {
	acc = acc[:len(x)]
	switch f {
	case addDoubles:
		for i, v := range x {
			acc[i] += v
		}
	case addSquares:
		for i, v := range x {
			acc[i] = math.FMA(v-above, v-above, acc[i])
		}
	case addMagnitudes:
		for i, v := range x {
			acc[i] += math.Abs(v)
		}
	case multiplyDoubles:
		for i, v := range x {
			acc[i] = float64(acc[i] * v)
		}
	case greatestDouble:
		for i, v := range x {
			acc[i] = max(acc[i], v)
		}
	default:
		for i, v := range x {
			acc[i] = min(acc[i], v)
		}
	}
}

// along adds elements to lanes, the first one to that of a number.
func (f doubleFold) along(acc *[lanes]float64, first int, x []float64, above float64) {
	if head := min((lanes-first)%lanes, len(x)); head > 0 {
		f.beside(acc[first:], x[:head], above)
		x = x[head:]
	}
	whole := len(x) / lanes * lanes
	for half := 0; half < lanes && whole > 0; half += lanes / 2 { // as many as there are registers for
		a, x := (*[lanes / 2]float64)(acc[half:]), x[half:whole-(lanes/2-half)]
		a0, a1, a2, a3, a4, a5, a6, a7 := a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7]
		switch f {
		case addDoubles:
			for ; len(x) >= lanes/2; x = x[min(lanes, len(x)):] {
				a0, a1, a2, a3, a4, a5, a6, a7 = a0+x[0], a1+x[1], a2+x[2], a3+x[3], a4+x[4], a5+x[5], a6+x[6], a7+x[7]
			}
		case addSquares:
			for ; len(x) >= lanes/2; x = x[min(lanes, len(x)):] {
				x0, x1, x2, x3, x4, x5, x6, x7 := x[0]-above, x[1]-above, x[2]-above, x[3]-above, x[4]-above, x[5]-above, x[6]-above, x[7]-above
				a0, a1, a2, a3 = math.FMA(x0, x0, a0), math.FMA(x1, x1, a1), math.FMA(x2, x2, a2), math.FMA(x3, x3, a3)
				a4, a5, a6, a7 = math.FMA(x4, x4, a4), math.FMA(x5, x5, a5), math.FMA(x6, x6, a6), math.FMA(x7, x7, a7)
			}
		case addMagnitudes:
			for ; len(x) >= lanes/2; x = x[min(lanes, len(x)):] {
				a0, a1, a2, a3 = a0+math.Abs(x[0]), a1+math.Abs(x[1]), a2+math.Abs(x[2]), a3+math.Abs(x[3])
				a4, a5, a6, a7 = a4+math.Abs(x[4]), a5+math.Abs(x[5]), a6+math.Abs(x[6]), a7+math.Abs(x[7])
			}
		case multiplyDoubles:
			for ; len(x) >= lanes/2; x = x[min(lanes, len(x)):] {
				a0, a1, a2, a3, a4, a5, a6, a7 = a0*x[0], a1*x[1], a2*x[2], a3*x[3], a4*x[4], a5*x[5], a6*x[6], a7*x[7]
			}
		case greatestDouble:
			for ; len(x) >= lanes/2; x = x[min(lanes, len(x)):] {
				a0, a1, a2, a3, a4, a5, a6, a7 = max(a0, x[0]), max(a1, x[1]), max(a2, x[2]), max(a3, x[3]), max(a4, x[4]), max(a5, x[5]), max(a6, x[6]), max(a7, x[7])
			}
		default:
			for ; len(x) >= lanes/2; x = x[min(lanes, len(x)):] {
				a0, a1, a2, a3, a4, a5, a6, a7 = min(a0, x[0]), min(a1, x[1]), min(a2, x[2]), min(a3, x[3]), min(a4, x[4]), min(a5, x[5]), min(a6, x[6]), min(a7, x[7])
			}
		}
		*a = [lanes / 2]float64{a0, a1, a2, a3, a4, a5, a6, a7}
	}
	f.beside(acc[:], x[whole:], above)
}

// join joins sixteen lanes of n partial results to the first n.
func (f doubleFold) join(acc []float64, n int) {
	if f == addSquares || f == addMagnitudes {
		f = addDoubles
	}
	for half := lanes / 2 * n; half >= n; half /= 2 {
		f.beside(acc, acc[half:2*half], 0)
	}
}

// group reduces a group.
func (f doubleFold) group(g *groups, x []float64, above float64, watch *op.Watch) float64 {
	var acc [lanes]float64
	for i := range acc {
		acc[i] = f.start()
	}
	first := 0
	for row := range size(g.rows) {
		for run := x[offset(g.rows, row):][:g.run]; len(run) > 0; {
			n := min(len(run), portion)
			if watch.Stops(n) {
				return 0
			}
			f.along(&acc, first, run[:n], above)
			first, run = (first+n)%lanes, run[n:]
		}
	}
	f.join(acc[:], 1)
	return acc[0]
}

// doubleReduction is an operator that reduces axes: a fold, and what becomes of its result with n elements.
type doubleReduction struct {
	fold   doubleFold
	finish func(x float64, n int) float64
}

var doubleReductions = map[string]doubleReduction{
	"sum_reduce":        {fold: addDoubles},
	"mean_reduce":       {addDoubles, func(x float64, n int) float64 { return x / float64(n) }},
	"l1_reduce":         {fold: addMagnitudes},
	"product_reduce":    {fold: multiplyDoubles},
	"max_reduce":        {fold: greatestDouble},
	"min_reduce":        {fold: leastDouble},
	"l2_reduce":         {addSquares, func(x float64, _ int) float64 { return math.Sqrt(x) }},
	"sum_square_reduce": {fold: addSquares},
	"log_sum_reduce":    {addDoubles, func(x float64, _ int) float64 { return fmath.Log(x) }},
}

// reduceDoubles prepares a reduction, of that name.
func reduceDoubles(a *application, name string) *Plan {
	g, f, finish := a.reducing(), doubleReductions[name].fold, doubleReductions[name].finish
	if normalize, ok := a.Get("normalize").(bool); ok && normalize {
		finish = doubleReductions["mean_reduce"].finish
	}
	if g == nil {
		return nil
	}
	p := g.plain(8*lanes, func(c *op.Call, group, n int, watch *op.Watch) {
		x, y := tensor.Data[float64](c.In[0])[g.begin(group):], tensor.Data[float64](c.Out[0])[group:][:n]
		if g.across {
			acc := elementsOfType[float64](c.Scratch)[:lanes*n]
			for i := range acc {
				acc[i] = f.start()
			}
			for row := range size(g.rows) {
				if watch.Stops(n) {
					return
				}
				f.beside(acc[row%lanes*n:], x[offset(g.rows, row):][:n], 0)
			}
			f.join(acc, n)
			copy(y, acc)
		} else {
			if y[0] = f.group(g, x, 0, watch); watch.Stops(0) {
				return
			}
		}
		for i, v := range y {
			if finish != nil {
				v = finish(v, g.count)
			}
			y[i] = fmath.Canonical(v)
		}
	})
	if finish != nil {
		rescue[float64](p, name, g.all)
	}
	return p
}

// softmaxOfDoubles prepares softmax of groups that are runs, by exponentials in place that need so many bytes of working memory.
func softmaxOfDoubles(a *application, room int, exp func(work []byte, x []float64)) *Plan {
	g := a.reducing()
	return g.planOfRuns(room, func(c *op.Call, lo, hi int) {
		watch := c.Watch()
		for ; lo < hi && !watch.Stops(g.run); lo++ {
			x, y := tensor.Data[float64](c.In[0])[lo*g.run:][:g.run], tensor.Data[float64](c.Out[0])[lo*g.run:][:g.run]
			greatest := greatestDouble.group(g, x, 0, &watch)
			inParts(len(x), &watch, func(from, n int) {
				for i, v := range x[from:][:n] {
					y[from+i] = v - greatest
				}
				exp(c.Scratch, y[from:][:n])
			})
			sum := addDoubles.group(g, y, 0, &watch)
			inParts(len(y), &watch, func(from, n int) {
				for i, v := range y[from:][:n] {
					y[from+i] = fmath.Canonical(v / sum)
				}
			})
		}
	})
}

// expOfDoubles is exp in place.
func expOfDoubles(_ []byte, x []float64) {
	for i, v := range x {
		x[i] = fmath.Exp(v)
	}
}

// layerOfDoubles prepares layer normalization of groups that are runs. The reference computes those whose variance is no finite number.
func layerOfDoubles(a *application) *Plan {
	if !a.ascending() {
		return nil
	}
	g, epsilon, reference := groupsOf(a.in[0].Shape, a.Ints("axes")), a.Float("epsilon"), referenceOf("layer_normalization", tensor.Float64)
	return g.planOfRuns(0, func(c *op.Call, lo, hi int) {
		var scales, biases []float64
		if c.Has(1) {
			scales = tensor.Data[float64](c.In[1])
		}
		if c.Has(2) {
			biases = tensor.Data[float64](c.In[2])
		}
		watch := c.Watch()
		for ; lo < hi && !watch.Stops(g.run); lo++ {
			x, y := tensor.Data[float64](c.In[0])[lo*g.run:][:g.run], tensor.Data[float64](c.Out[0])[lo*g.run:][:g.run]
			mean := addDoubles.group(g, x, 0, &watch) / float64(g.run)
			variance := addSquares.group(g, x, mean, &watch) / float64(g.run)
			if !finite(variance) {
				reference(c, lo, lo+1)
				continue
			}
			factor := fmath.Rsqrt(variance + epsilon)
			inParts(len(x), &watch, func(from, n int) {
				for i := from; i < from+n; i++ {
					k, bias := factor, 0.0
					if scales != nil {
						k = float64(k * scales[i])
					}
					if biases != nil {
						bias = biases[i]
					}
					y[i] = fmath.FMA(x[i]-mean, k, bias)
				}
			})
		}
	})
}
