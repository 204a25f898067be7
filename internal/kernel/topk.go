package kernel

import (
	"math"
	"math/bits"
	"slices"

	"github.com/concord-nn/concord/internal/fmath"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// The greatest or least elements of lines: of those that pass a bound, as many as there is room for are collected; then the best of them stay, and the last
// of these is the bound.
var topKernels = []Kernel{{Name: "collected", Op: "top_k", In: []op.Types{float32s | op.Integers}, Prepare: alone(collect)}}

// How many elements there is room for at least, and how many may be taken at most.
const (
	leastCollected = 24
	mostTaken      = 1 << 20
)

// collector takes the best elements of a line: numbers that stand in their order, the index in the low half.
type collector struct {
	sign   float32 // that makes the best element the greatest
	flip   uint32
	sorted bool

	list  []uint64 // of which count are collected
	count int
	last  uint64 // the last one that may be taken
	watch op.Watch
}

// lineCollector is what all lines of an application have in common.
type lineCollector struct {
	like              collector
	n, inner, k, room int
	reference         op.Kernel // for lines in which an element has no number
}

func collect(a *application) *Plan {
	in, axis, k := a.in[0].Shape, a.Int("axis"), a.Int("k")
	n, inner := in[axis], in[axis+1:].Len()
	if k > mostTaken || uint64(n) > math.MaxUint32 {
		return nil
	}
	like := collector{sign: 1, flip: math.MaxUint32, sorted: a.Bool("sorted")}
	if !a.Bool("largest") {
		like.sign, like.flip = -1, 0
	}
	dtype, room := a.in[0].DType, min(n, max(2*k, leastCollected))
	l, run := &lineCollector{like, n, inner, k, room, referenceOf("top_k", dtype)}, collectLines[float32]
	if dtype != tensor.Float32 {
		run = integer(dtype, collectLines[int8], collectLines[int16], collectLines[int32], collectLines[int64],
			collectLines[uint8], collectLines[uint16], collectLines[uint32], collectLines[uint64])
	}
	work := int64(in.Len() + 4*k*bits.Len(uint(k)))
	return &Plan{Pieces: in.Len() / n, Scratch: 8 * (room + k), Nanos: work, Run: func(c *op.Call, lo, hi int) { run(l, c, lo, hi) }}
}

// collectLines takes the best elements of the lines lo…hi-1.
func collectLines[T tensor.Number](l *lineCollector, c *op.Call, lo, hi int) {
	x, values, indices := tensor.Data[T](c.In[0]), tensor.Data[T](c.Out[0]), tensor.Data[int64](c.Out[1])
	g, memory := l.like, scratch[uint64](c)
	g.list, g.watch = memory[:l.room], c.Watch()
	for line := lo; line < hi; line++ {
		from := x[line/l.inner*l.n*l.inner+line%l.inner:]
		best, ok := choices(&g, memory[l.room:], from, l.n, l.inner)
		if g.watch.Stops(l.k) {
			return
		}
		if !ok {
			l.reference(c, line, line+1)
			continue
		}
		to := line/l.inner*l.k*l.inner + line%l.inner
		for _, b := range best {
			i := int(uint32(b))
			values[to], indices[to] = from[i*l.inner], int64(i)
			to += l.inner
		}
	}
}

// choices returns the best of n elements of a line, as many as there is room for in other, in the order in which they are wanted; false if there is no
// number for one of them.
func choices[T tensor.Number](g *collector, other []uint64, x []T, n, step int) (best []uint64, ok bool) {
	k := len(other)
	g.count, g.last = 0, math.MaxUint64
	for first := 0; first < n; first += longRun {
		end := min(first+longRun, n)
		if g.watch.Stops(end - first) {
			return nil, true
		}
		if floats, ok := any(x).([]float32); ok {
			g.floats(floats, first, end, step, k)
		} else if !collectIntegers(g, x, first, end, step, k) {
			return nil, false
		}
	}
	list := g.list[:g.count]
	if g.count > k {
		leastFirst(list, k, &g.watch)
	}
	return g.order(list[:k], other, &g.watch), true
}

// keep keeps the k best of what is collected, and returns the last one that may be taken from then on.
func (g *collector) keep(k int) uint64 {
	leastFirst(g.list, k, &g.watch)
	return g.list[k-1]
}

// floats collects elements first…end-1 of a line, so far apart, that may be among the k best. What it needs at each of them stands in registers.
func (g *collector) floats(x []float32, first, end, step, k int) {
	list, count, last, bound, sign, flip := g.list, g.count, g.last, fmath.NaN(), g.sign, g.flip
	if last != math.MaxUint64 {
		bound = x[int(uint32(last))*step] * sign
	}
	for i, at := first, first*step; ; i, at = i+1, at+step {
		for i < end && x[at]*sign <= bound { // of equal ones the one before is taken
			i, at = i+1, at+step
		}
		if i >= end {
			break
		}
		key := rank(x[at], flip)<<32 | uint64(i)
		if key >= last {
			continue
		}
		if count == len(list) {
			count, last = k, g.keep(k)
			bound = x[int(uint32(last))*step] * sign
		}
		list[count] = key // which the next selection drops if it is none of the best any more
		count++
	}
	g.count, g.last = count, last
}

// collectIntegers is [collector.floats] for integers, or for none: those of 64 bits that do not fit into 32 have no numbers.
func collectIntegers[T tensor.Number](g *collector, x []T, first, end, step, k int) bool {
	list, count, last, bias, flip := g.list, g.count, g.last, uint64(0), uint64(g.flip)
	if !tensor.TypeOf[T]().IsUnsigned() {
		bias = 1 << 31
	}
	for i, at := first, first*step; i < end; i, at = i+1, at+step {
		r := uint64(x[at]) + bias
		if r > math.MaxUint32 {
			return false
		}
		key := (r^flip)<<32 | uint64(i)
		if key >= last {
			continue
		}
		if count == len(list) {
			count, last = k, g.keep(k)
		}
		list[count] = key
		count++
	}
	g.count, g.last = count, last
	return true
}

// rank returns what is the greater, the greater an element is, or if all bits are flipped the less; never 0, if none are. Zeros of both signs are equal; a NaN
// is greater than all numbers. It has no branch that data decide.
func rank(x float32, flip uint32) uint64 {
	b := int32(math.Float32bits(x))
	magnitude, sign := b&math.MaxInt32, b>>31
	k := (magnitude ^ sign) - sign
	if magnitude > 0x7f800000 {
		k = math.MaxInt32
	}
	return uint64(uint32(k) ^ 1<<31 ^ flip)
}

// order sorts what is taken, and returns it in one of two parts of working memory.
func (g *collector) order(list, other []uint64, watch *op.Watch) []uint64 {
	if !g.sorted { // as they stand
		for i := range list {
			list[i] = uint64(uint32(list[i]))
		}
	}
	if len(list) <= 128 {
		slices.Sort(list)
		return list
	}
	return sortByBits(list, other, differing(list), watch)
}

// differing returns the bits in which some numbers differ.
func differing(list []uint64) uint64 {
	some, all := uint64(0), ^uint64(0)
	for _, k := range list {
		some, all = some|k, all&k
	}
	return some &^ all
}

// leastFirst brings the k least of different numbers to the front, the greatest of these to the end of that.
func leastFirst(list []uint64, k int, watch *op.Watch) {
	lo, hi := 0, len(list)
	for rounds := 2 * bits.Len(uint(hi)); rounds > 0 && hi-lo > 12 && !watch.Stops(hi-lo); rounds-- {
		a, b, c := list[lo], list[(lo+hi)/2], list[hi-1]
		middle := max(min(a, b), min(max(a, b), c))
		i, j := lo, hi-1
		for i <= j {
			for list[i] < middle {
				i++
			}
			for list[j] > middle {
				j--
			}
			if i <= j {
				list[i], list[j] = list[j], list[i]
				i, j = i+1, j-1
			}
		}
		switch {
		case k <= j+1:
			hi = j + 1
		case k > i:
			lo = i
		default: // the one between is the last one
			return
		}
	}
	slices.Sort(list[lo:hi])
}
