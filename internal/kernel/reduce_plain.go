package kernel

import (
	"github.com/concord-nn/concord/internal/simd"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// Reductions in Go: of integers, whose order does not count, and to the place of an element.

// reduceKernels has the rows of reductions of integers and truths, and of those to places.
var reduceKernels = func() (rows []Kernel) {
	rows = integerReductions(nil, op.Integers, "sum_reduce", "max_reduce", "min_reduce", "product_reduce", "l1_reduce", "sum_square_reduce")
	for _, name := range []string{"argmax_reduce", "argmin_reduce"} {
		rows = append(rows, Kernel{Name: "places", Op: name, In: []op.Types{op.Integers | op.TypeSet(tensor.Float32, tensor.Float64)}, Prepare: alone(func(a *application) *Plan {
			least := name == "argmin_reduce"
			switch a.in[0].DType {
			case tensor.Float32:
				return placeOf[float32](a, least)
			case tensor.Float64:
				return placeOf[float64](a, least)
			}
			prepare := integer(a.in[0].DType, placeOf[int8], placeOf[int16], placeOf[int32], placeOf[int64], placeOf[uint8], placeOf[uint16], placeOf[uint32], placeOf[uint64])
			return prepare(a, least)
		})})
	}
	return rows
}()

// integerReductions returns rows of operators on integers, and of those on truths. With a tier they combine its vectors.
func integerReductions(t *simd.Tier, types op.Types, names ...string) (rows []Kernel) {
	for _, name := range names {
		rows = append(rows, Kernel{Name: "integers", Op: name, In: []op.Types{types}, Prepare: alone(func(a *application) *Plan {
			prepare := integer(a.in[0].DType, reduceIntegers[int8], reduceIntegers[int16], reduceIntegers[int32], reduceIntegers[int64],
				reduceIntegers[uint8], reduceIntegers[uint16], reduceIntegers[uint32], reduceIntegers[uint64])
			return prepare(t, a, name)
		})})
	}
	for _, name := range []string{"any_reduce", "all_reduce"} {
		rows = append(rows, Kernel{Name: "integers", Op: name, In: []op.Types{op.Bools}, Prepare: alone(func(a *application) *Plan { return reduceIntegers[uint8](t, a, name) })})
	}
	return rows
}

// integerFoldings says how an element is added to a partial result.
var integerFoldings = map[string]string{
	"sum_reduce":        "add",
	"max_reduce":        "max",
	"min_reduce":        "min",
	"any_reduce":        "max", // of truths, which are 0 and 1
	"all_reduce":        "min",
	"product_reduce":    "mul",
	"l1_reduce":         "add_abs",
	"sum_square_reduce": "add_square",
}

// foldLoop returns the loop that adds elements x to partial results acc, each to its own.
func foldLoop[T tensor.Integer](name string) func(acc, x []T) {
	switch name {
	case "add_abs":
		return func(acc, x []T) {
			for i, v := range x {
				if v < 0 {
					v = -v
				}
				acc[i] += v
			}
		}
	case "max", "min":
		if tensor.TypeOf[T]().Size() == 8 {
			break
		}
		if name == "max" { // in words, of which a processor chooses one without a jump
			return func(acc, x []T) {
				for i, v := range x {
					acc[i] = T(max(int64(v), int64(acc[i])))
				}
			}
		}
		return func(acc, x []T) {
			for i, v := range x {
				acc[i] = T(min(int64(v), int64(acc[i])))
			}
		}
	case "add_square":
		return func(acc, x []T) {
			for i, v := range x {
				acc[i] += v * v
			}
		}
	}
	loop := wrapping[T](name)
	return func(acc, x []T) { loop(acc[:len(x)], x, acc) }
}

// foldRun returns the loop that adds all elements of a run to one partial result.
func foldRun[T tensor.Integer](name string) func(acc T, x []T) T {
	switch name {
	case "add":
		return func(acc T, x []T) T {
			for _, v := range x {
				acc += v
			}
			return acc
		}
	case "mul":
		return func(acc T, x []T) T {
			for _, v := range x {
				acc *= v
			}
			return acc
		}
	case "add_abs":
		return func(acc T, x []T) T {
			for _, v := range x {
				if v < 0 {
					v = -v
				}
				acc += v
			}
			return acc
		}
	case "add_square":
		return func(acc T, x []T) T {
			for _, v := range x {
				acc += v * v
			}
			return acc
		}
	case "max":
		if tensor.TypeOf[T]() == tensor.Uint64 {
			return func(acc T, x []T) T {
				for _, v := range x {
					acc = max(acc, v)
				}
				return acc
			}
		}
		return func(acc T, x []T) T { // in words, as above, by four that do not wait for one another
			a, b, c, d := int64(acc), int64(acc), int64(acc), int64(acc)
			for ; len(x) >= 4; x = x[4:] {
				a, b, c, d = max(a, int64(x[0])), max(b, int64(x[1])), max(c, int64(x[2])), max(d, int64(x[3]))
			}
			for _, v := range x {
				a = max(a, int64(v))
			}
			return T(max(a, b, c, d))
		}
	}
	if tensor.TypeOf[T]() == tensor.Uint64 {
		return func(acc T, x []T) T {
			for _, v := range x {
				acc = min(acc, v)
			}
			return acc
		}
	}
	return func(acc T, x []T) T {
		a, b, c, d := int64(acc), int64(acc), int64(acc), int64(acc)
		for ; len(x) >= 4; x = x[4:] {
			a, b, c, d = min(a, int64(x[0])), min(b, int64(x[1])), min(c, int64(x[2])), min(d, int64(x[3]))
		}
		for _, v := range x {
			a = min(a, int64(v))
		}
		return T(min(a, b, c, d))
	}
}

// foldStart returns what changes nothing.
func foldStart[T tensor.Integer](name string) T {
	least, most := tensor.TypeOf[T]().IntRange()
	switch name {
	case "max":
		return T(least)
	case "min":
		return T(most)
	case "mul":
		return 1
	}
	return 0
}

// plainLanes is how many groups beside each other are reduced at a time.
const plainLanes = 256

// reduceIntegers prepares a reduction of integers: a group at a time, or groups beside each other.
func reduceIntegers[T tensor.Integer](t *simd.Tier, a *application, name string) *Plan {
	g, kind := a.reducing(), integerFoldings[name]
	if g == nil || name == "sum_reduce" && a.Bool("normalize") {
		return nil
	}
	var pairs simd.Routine[simd.PairsArgs]
	if t != nil {
		var ok bool
		if pairs, ok = pairRoutine(t, kind, tensor.TypeOf[T]()); !ok {
			return nil
		}
	}
	beside, along, start := foldLoop[T](kind), foldRun[T](kind), foldStart[T](kind)
	each := pairBytes / a.in[0].DType.Size()
	p := g.plain(0, func(c *op.Call, group, n int, watch *op.Watch) {
		x, y := elementsOfType[T](c.In[0].Bytes())[g.begin(group):], elementsOfType[T](c.Out[0].Bytes())[group:][:n]
		for i := range y {
			y[i] = start
		}
		for row := range size(g.rows) {
			run := x[offset(g.rows, row):]
			if g.across {
				if watch.Stops(n) {
					return
				}
				at := 0
				if whole := n / each; pairs.Exists() && whole > 0 {
					pairs.Run(&simd.PairsArgs{X: simd.At(y, 0), Y: simd.At(run, 0), Out: simd.At(y, 0), YMask: -1, N: whole})
					at = whole * each
				}
				beside(y[at:], run[at:n])
				continue
			}
			for run = run[:g.run]; len(run) > 0; run = run[min(len(run), portion):] {
				part := run[:min(len(run), portion)]
				if watch.Stops(len(part)) {
					return
				}
				for pairs.Exists() && len(part) >= 2*each { // halves with one another
					half := len(part) / each / 2
					to := elementsOfType[T](c.Scratch)[:half*each]
					pairs.Run(&simd.PairsArgs{X: simd.At(part, 0), Y: simd.At(part, half*each), Out: simd.At(to, 0), YMask: -1, N: half})
					y[0], part = along(y[0], part[2*half*each:]), to
				}
				y[0] = along(y[0], part)
			}
		}
	})
	if t != nil && !g.across {
		p.Scratch = portion / 2 * a.in[0].DType.Size()
	}
	return p
}

// begin returns where a group begins.
func (g *groups) begin(group int) int {
	if g.across {
		return offset(g.kept, group/g.run) + group%g.run
	}
	return offset(g.kept, group)
}

// plain returns the plan of a reduction that is told a group, or the first one of n beside each other. Working memory is of plainLanes elements of
// some bytes.
func (g *groups) plain(bytes int, reduce func(c *op.Call, group, n int, watch *op.Watch)) *Plan {
	p := evenly(g.all, func(c *op.Call, lo, hi int) {
		watch := c.Watch()
		for lo < hi {
			n := 1
			if g.across {
				n = min(hi-lo, plainLanes, g.run-lo%g.run)
			}
			if reduce(c, lo, n, &watch); watch.Stops(n) {
				return
			}
			lo += n
		}
	})
	p.Scratch, p.Nanos = bytes*plainLanes, int64(g.all)*int64(10+g.count)
	return p
}

// placeOf prepares the place of the greatest or least element: the first one, if there are several, or of NaN, if there is one.
func placeOf[T tensor.Number](a *application, least bool) *Plan {
	g := a.reducing()
	if g == nil {
		return nil
	}
	put := placing(a.out[0].DType)
	if g.across {
		return g.plain(16, func(c *op.Call, group, n int, watch *op.Watch) {
			x := tensor.Data[T](c.In[0])[g.begin(group):]
			best, at := elementsOfType[T](c.Scratch[8*plainLanes:])[:n], elementsOfType[int64](c.Scratch)[:n]
			copy(best, x)
			clear(at)
			for row := range size(g.rows) {
				if watch.Stops(n) {
					return
				}
				betterBeside(best, at, x[offset(g.rows, row):][:n], int64(row), least)
			}
			for i, k := range at {
				put(c.Out[0], group+i, int(k))
			}
		})
	}
	return g.plain(0, func(c *op.Call, group, _ int, watch *op.Watch) {
		x := tensor.Data[T](c.In[0])[g.begin(group):]
		best, at := x[0], 0
		for row := range size(g.rows) {
			for run, first := x[offset(g.rows, row):][:g.run], row*g.run; len(run) > 0 && best == best; {
				n := min(len(run), portion)
				if watch.Stops(n) {
					return
				}
				if k := better(best, run[:n], least); k >= 0 {
					best, at = run[k], first+k
				}
				run, first = run[n:], first+n
			}
		}
		put(c.Out[0], group, at)
	})
}

// better returns the place of the first element of a run before which none comes, if that is better than one before the run, and else -1.
func better[T tensor.Number](best T, run []T, least bool) int {
	at := -1
	if least {
		for i, v := range run {
			if v < best || v != v {
				if best, at = v, i; v != v {
					break
				}
			}
		}
		return at
	}
	for i, v := range run {
		if v > best || v != v {
			if best, at = v, i; v != v {
				break
			}
		}
	}
	return at
}

// betterBeside takes note of the elements of a row that are better than the best ones so far.
func betterBeside[T tensor.Number](best []T, at []int64, row []T, k int64, least bool) {
	best, at = best[:len(row)], at[:len(row)]
	if least {
		for i, v := range row {
			if b := best[i]; b == b && (v < b || v != v) {
				best[i], at[i] = v, k
			}
		}
		return
	}
	for i, v := range row {
		if b := best[i]; b == b && (v > b || v != v) {
			best[i], at[i] = v, k
		}
	}
}
