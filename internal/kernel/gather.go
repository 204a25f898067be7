package kernel

import (
	"github.com/concord-nn/concord/internal/simd"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// Elements that are found by indices: first it is computed where they lie, some at a time, and then they are moved.

// gatherKernels are rows for all types of elements and indices.
var gatherKernels = []Kernel{
	indexed("gather", gatherItems),
	indexed("gather_elements", gatherSingles),
	indexed("gather_nd", gatherParts),
	indexed("scatter_elements", gatherSingles),
	indexed("scatter_nd", gatherParts),
}

// indexing says which elements indices mean: of the operand, or of the result of a scatter.
type indexing struct {
	negative bool  // whether those below 0 count from the end
	extents  []int // of the dimensions that are indexed
	item     int   // elements that one index, or one set of coordinates, means
	items    int

	per   int // items that have the same indices in front of the axis
	outer int // elements that these may mean
	inner int // elements between neighbours along the axis, and how many items have the same index but lie side by side
}

// indexChunk is how many items are found before they are moved.
const indexChunk = 512

// indexed returns the row of an operator.
//
//go:noinline // tables of kernels would hold it more than once
func indexed(name string, of func(a *application) *indexing) Kernel {
	return Kernel{Name: "indices", Op: name, In: []op.Types{wholeBytes, op.Integers}, Prepare: alone(func(a *application) *Plan {
		g := of(a)
		if g == nil {
			return nil
		}
		g.negative = a.Bool("negative")
		find := integer(a.in[1].DType, find[int8], find[int16], find[int32], find[int64], find[uint8], find[uint16], find[uint32], find[uint64])(g)
		scatters := len(a.in) > 2
		p := evenly(g.items, nil)
		if scatters {
			p = &Plan{Pieces: a.out[0].Shape.Len() / g.outer} // two updates may mean one element, so their order counts
		}
		size := a.in[0].DType.Size()
		p.Scratch, p.Nanos = 8*indexChunk, int64(g.items)*int64(3+g.item*size/16)
		p.Run = map[int]func(*indexing, bool, finder) op.Kernel{1: moveItems[uint8], 2: moveItems[uint16], 4: moveItems[uint32], 8: moveItems[uint64]}[size](g, scatters, find)
		return p
	})}
}

// gatherItems is for indices that mean items along an axis.
func gatherItems(a *application) *indexing {
	in, axis, n := a.in[0].Shape, a.Int("axis"), a.in[1].Shape.Len()
	item := in[axis+1:].Len()
	return &indexing{extents: in[axis : axis+1], item: item, items: in[:axis].Len() * n, per: n, outer: in[axis] * item}
}

// gatherSingles is for an index for each element.
func gatherSingles(a *application) *indexing {
	in, indices, axis := a.in[0].Shape, a.in[1].Shape, a.Int("axis")
	inner := in[axis+1:].Len()
	return &indexing{extents: in[axis : axis+1], item: 1, items: indices.Len(), per: indices[axis:].Len(), outer: in[axis] * inner, inner: inner}
}

// gatherParts is for coordinates.
func gatherParts(a *application) *indexing {
	in, indices := a.in[0].Shape, a.in[1].Shape
	last := len(indices) - 1
	k, n := indices[last], indices[:last].Len()
	if k == 0 {
		return nil // nothing is indexed
	}
	return &indexing{extents: in[:k], item: in[k:].Len(), items: n, per: n, outer: in.Len()}
}

// finder sets to to where the items from the first on begin.
type finder func(c *op.Call, to []int64, first int)

// find returns the finder of indices of a type.
//
//go:noinline // tables of kernels would hold it more than once
func find[I tensor.Integer](g *indexing) finder {
	return func(c *op.Call, to []int64, first int) {
		indices, n := tensor.Data[I](c.In[1]), g.extents[0]
		base, k := first/g.per*g.outer, first%g.per
		switch {
		case len(g.extents) > 1:
			for i := range to {
				at := 0
				for d, n := range g.extents {
					at = at*n + position(indices[(first+i)*len(g.extents)+d], n, g.negative)
				}
				to[i] = int64(at * g.item)
			}
		case g.inner > 0:
			side := k % g.inner
			for i := range to {
				to[i] = int64(base + position(indices[first+i], n, g.negative)*g.inner + side)
				if side++; side == g.inner {
					side = 0
				}
				if k++; k == g.per {
					base, k = base+g.outer, 0
				}
			}
		default:
			for i := range to {
				to[i] = int64(base + position(indices[k], n, g.negative)*g.item)
				if k++; k == g.per {
					base, k = base+g.outer, 0
				}
			}
		}
	}
}

// position returns index i as a position in a dimension of extent n: the nearest one, if it is out of range.
func position[I tensor.Integer](i I, n int, negative bool) int {
	if uint64(i) < uint64(n) { // below 0 it is great
		return int(i)
	}
	switch {
	case i < 0 && negative:
		return int(max(int64(i)+int64(n), 0))
	case i < 0:
		return 0
	}
	return n - 1
}

// moveItems returns the kernel that moves items: to the result, or for a scatter from operand 2 to a copy of operand 0.
//
//go:noinline // tables of kernels would hold it more than once
func moveItems[W word](g *indexing, scatters bool, find finder) op.Kernel {
	return func(c *op.Call, lo, hi int) {
		x, y, watch, places := tensor.Words[W](c.In[0]), tensor.Words[W](c.Out[0]), c.Watch(), scratch[int64](c)
		if scatters {
			if copyWatched(y[lo*g.outer:hi*g.outer], x[lo*g.outer:], &watch) {
				return
			}
			lo, hi, x = lo*g.per, hi*g.per, tensor.Words[W](c.In[2])
		}
		for lo < hi {
			some := places[:min(hi-lo, indexChunk)]
			if watch.Stops(len(some)) {
				return
			}
			find(c, some, lo)
			switch {
			case g.item > 1:
				for i, p := range some {
					to, from := (lo+i)*g.item, int(p)
					if scatters {
						to, from = from, to
					}
					if copyWatched(y[to:to+g.item], x[from:], &watch) {
						return
					}
				}
			case scatters:
				for i, p := range some {
					y[p] = x[lo+i]
				}
			default:
				to := y[lo:][:len(some)]
				for i, p := range some {
					to[i] = x[p]
				}
			}
			lo += len(some)
		}
	}
}

// reducePartRows returns the row of scatter_nd_reduce of parts that have the elements of a vector: they are combined one after the other, as an element-wise operator does.
func reducePartRows(t *simd.Tier) []Kernel {
	if t.Elements == nil {
		return nil
	}
	return []Kernel{{Name: "parts", Op: "scatter_nd_reduce", In: []op.Types{float32s, op.TypeSet(tensor.Int32, tensor.Int64)}, Prepare: alone(func(a *application) *Plan {
		g := gatherParts(a)
		if g == nil || g.item < block || g.items == 0 {
			return nil
		}
		g.negative = a.Bool("negative")
		find := integer(a.in[1].DType, nil, nil, find[int32], find[int64], nil, nil, nil, nil)(g)
		canonical, combine := t.Elements["max"], t.Elements[a.String("reduction")]
		return &Plan{Pieces: 1, Scratch: 8 * indexChunk, Nanos: int64(g.outer)/4 + int64(g.items)*int64(16+g.item/4), Run: func(c *op.Call, _, _ int) {
			x, updates, y, places, watch := tensor.Data[float32](c.In[0]), tensor.Data[float32](c.In[2]), tensor.Data[float32](c.Out[0]), scratch[int64](c), c.Watch()
			for at := 0; at < len(x); at += longRun {
				n := min(len(x)-at, longRun)
				if watch.Stops(n) {
					return
				}
				elementsOf(&canonical, n, simd.At(y, at), simd.At(x, at), simd.At(x, at)) // the greater of itself is itself
			}
			for first := 0; first < g.items; first += len(places) {
				places = places[:min(g.items-first, indexChunk)]
				find(c, places, first)
				for i, to := range places {
					for at := 0; at < g.item; at += longRun {
						n := min(g.item-at, longRun)
						if watch.Stops(n) {
							return
						}
						place := simd.At(y, int(to)+at)
						elementsOf(&combine, n, place, place, simd.At(updates, (first+i)*g.item+at))
					}
				}
			}
		}}
	})}}
}

// copyWatched copies words and reports whether the kernel should return.
func copyWatched[W word](to, from []W, watch *op.Watch) bool {
	for len(to) > longRun {
		if watch.Stops(copy(to[:longRun], from)) {
			return true
		}
		to, from = to[longRun:], from[longRun:]
	}
	return watch.Stops(copy(to, from))
}
