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
var topKernels = []Kernel{{Name: "collected", Op: "top_k", In: []op.Types{float32s}, Prepare: alone(collect)}}

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
}

func collect(a *application) *Plan {
	in, axis, k := a.in[0].Shape, a.Int("axis"), a.Int("k")
	n, inner := in[axis], in[axis+1:].Len()
	if k > mostTaken || uint64(n) > math.MaxUint32 {
		return nil
	}
	g := collector{sign: 1, flip: math.MaxUint32, sorted: a.Bool("sorted")}
	if !a.Bool("largest") {
		g.sign, g.flip = -1, 0
	}
	room := min(n, max(2*k, leastCollected))
	work := int64(in.Len() + 4*k*bits.Len(uint(k)))
	return &Plan{Pieces: in.Len() / n, Scratch: 8 * (room + k), Nanos: work, Run: func(c *op.Call, lo, hi int) {
		x, values, indices := tensor.Data[float32](c.In[0]), tensor.Data[float32](c.Out[0]), tensor.Data[int64](c.Out[1])
		list, watch := scratch[uint64](c), c.Watch()
		for line := lo; line < hi; line++ {
			from := x[line/inner*n*inner+line%inner:]
			best := g.best(list[:room], list[room:], from, n, inner, &watch)
			if watch.Stops(k) {
				return
			}
			to := line/inner*k*inner + line%inner
			for _, b := range best {
				i := int(uint32(b))
				values[to], indices[to] = from[i*inner], int64(i)
				to += inner
			}
		}
	}}
}

// best returns the best of n elements of a line, as many as there is room for in other, in the order in which they are wanted.
func (g *collector) best(list, other []uint64, x []float32, n, step int, watch *op.Watch) []uint64 {
	k, count, bound, last := len(other), 0, fmath.NaN(), uint64(math.MaxUint64)
	for first := 0; first < n; first += longRun {
		end := min(first+longRun, n)
		if watch.Stops(end - first) {
			return nil
		}
		for i, at := first, first*step; i < end; i, at = i+1, at+step {
			v := x[at] * g.sign
			if v <= bound { // the one before is taken if they are equal
				continue
			}
			key := rank(x[at], g.flip)<<32 | uint64(i)
			if key >= last {
				continue
			}
			if count == len(list) {
				leastFirst(list, k, watch)
				count, last = k, list[k-1]
				bound = x[int(uint32(last))*step] * g.sign
				if key >= last {
					continue
				}
			}
			list[count] = key
			count++
		}
	}
	if list = list[:count]; count > k {
		leastFirst(list, k, watch)
	}
	return g.order(list[:k], other, watch)
}

// rank returns what is the greater, the greater an element is, or if all bits are flipped the less. Zeros of both signs are equal; a NaN is greater than all
// numbers.
func rank(x float32, flip uint32) uint64 {
	b := math.Float32bits(x)
	switch {
	case x == 0:
		b = 1 << 31
	case x != x:
		b = math.MaxUint32
	case b>>31 != 0:
		b = ^b
	default:
		b |= 1 << 31
	}
	return uint64(b ^ flip)
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
