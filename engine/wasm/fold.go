package wasm

import (
	"math"
	"slices"

	"github.com/concord-nn/concord/internal/kernel"
)

// Groups of elements, which are rows in memory or columns that lie side by side, and folds of them in the lanes that package op defines.

const foldLanes = 16

// groups are (outer, count, inner) elements: a group has those that differ in the second index alone.
type groups struct{ outer, count, inner int }

// groupsOf returns the groups of what the only node of a region reads, and false if there are more nodes, no elements or axes that do not lie side by side.
func groupsOf(r kernel.Region, axes []int) (g groups, ok bool) {
	g = groups{1, 1, 1}
	between, shape := 1, r.Root().In[0].Type.Shape
	if len(r.Nodes) > 1 || shape.Len() == 0 {
		return g, false
	}
	for d, n := range shape {
		switch {
		case !slices.Contains(axes, d):
			between *= n
		case n != 1 && g.count == 1:
			g.outer, g.count, between = between, n, 1
		case n != 1 && between > 1:
			return g, false
		case n != 1:
			g.count *= n
		}
	}
	if g.count == 1 { // Without this it would take longer.
		return groups{between, 1, 1}, true
	}
	g.inner = between
	return g, true
}

// folding is how elements are folded.
type folding struct {
	start float32
	step  func(f *function, acc, v int)
	merge uint32
}

// stepBy is a step that is one instruction, of the lane and the element.
func stepBy(op uint32) func(f *function, acc, v int) {
	return func(f *function, acc, v int) {
		f.Get(acc)
		f.Get(v)
		f.SIMD(op)
		f.Set(acc)
	}
}

func addSquare(f *function, acc, v int) {
	f.madd(acc, func() { f.Get(v) }, func() { f.Get(v) })
}

var (
	summing     = folding{0, stepBy(f32x4Add), f32x4Add}
	squaring    = folding{0, addSquare, f32x4Add}
	greatest    = folding{float32(math.Inf(-1)), stepBy(f32x4Max), f32x4Max}
	least       = folding{float32(math.Inf(1)), stepBy(f32x4Min), f32x4Min}
	multiplying = folding{1, stepBy(f32x4Mul), f32x4Mul}
)

// absolutes adds absolute values.
var absolutes = folding{0, func(f *function, acc, v int) {
	f.Get(acc)
	f.Get(v)
	f.SIMD(f32x4Abs)
	f.SIMD(f32x4Add)
	f.Set(acc)
}, f32x4Add}

// starting returns n locals with that from which a fold starts.
func (f *function) starting(fo *folding, n int) []int {
	acc := make([]int, n)
	for i := range acc {
		acc[i] = f.v128()
		f.vector(fo.start)
		f.Set(acc[i])
	}
	return acc
}

// row folds n elements that lie together, and returns a local with the result four times.
func (f *function) row(fo *folding, x, n int) int {
	acc := [foldLanes / 4]int(f.starting(fo, foldLanes/4))
	at, v := f.copied(x), f.v128()
	take := func(i int) {
		f.load(at, 16*i)
		f.Set(v)
	}
	if n >= foldLanes {
		f.loop(n/foldLanes, func() {
			for i, a := range acc {
				take(i)
				fo.step(f, a, v)
			}
			f.move(at, 4*foldLanes)
		})
	}
	rest := n % foldLanes
	for i := range rest / 4 {
		take(i)
		fo.step(f, acc[i], v)
	}
	if last := rest % 4; last > 0 { // the other lanes stay
		a, before := acc[rest/4], f.v128()
		f.Get(a)
		f.Set(before)
		take(rest / 4)
		fo.step(f, a, v)
		f.Get(a)
		f.Get(before)
		f.lanes(last)
		f.SIMD(v128Select)
		f.Set(a)
	}
	return f.join(fo, acc)
}

// lanes pushes a mask of the first n lanes.
func (f *function) lanes(n int) {
	b := make([]byte, 16)
	for i := range 4 * n {
		b[i] = 0xFF
	}
	f.SIMD(v128Const)
	f.Op(b...)
}

// join joins the lanes of a row by halving.
func (f *function) join(fo *folding, acc [4]int) int {
	merge := func(to, from int) {
		f.Get(to)
		f.Get(from)
		f.SIMD(fo.merge)
		f.Set(to)
	}
	merge(acc[0], acc[2])
	merge(acc[1], acc[3])
	merge(acc[0], acc[1])
	for _, order := range [][]byte{{2, 3, 2, 3}, {1, 1, 1, 1}} {
		f.Get(acc[0])
		f.shuffled(acc[0], acc[0], order)
		f.SIMD(fo.merge)
		f.Set(acc[0])
	}
	f.shuffled(acc[0], acc[0], []byte{0, 0, 0, 0})
	f.Set(acc[0])
	return acc[0]
}

// shuffled pushes lanes of two vectors: four of the eight.
func (f *function) shuffled(a, b int, order []byte) {
	f.Get(a)
	f.Get(b)
	f.SIMD(i8x16Shuffle)
	for _, lane := range order {
		f.Op(4*lane, 4*lane+1, 4*lane+2, 4*lane+3)
	}
}

// columns folds n vectors that lie so many bytes apart, lane by lane of each, and returns a local with the four results.
func (f *function) columns(fo *folding, x, n, apart int) int {
	used := min(n, foldLanes)
	acc := f.starting(fo, used)
	at, v := f.copied(x), f.v128()
	f.runs(n, foldLanes, func(count int) {
		for i := range count {
			f.load(at, i*apart)
			f.Set(v)
			fo.step(f, acc[i], v)
		}
		f.move(at, count*apart)
	})
	for h := foldLanes / 2; h > 0; h /= 2 {
		for i := range min(h, used) {
			f.Get(acc[i])
			if i+h < used {
				f.Get(acc[i+h])
			} else {
				f.vector(fo.start)
			}
			f.SIMD(fo.merge)
			f.Set(acc[i])
		}
		used = min(used, h)
	}
	return acc[0]
}

// storeSome writes the first lanes of a vector: n of them, of a local, or all if it is more.
func (f *function) storeSome(at, v, n int) {
	f.Get(n)
	f.I32(4)
	f.Op(i32GeU, opIf, noResult)
	f.store(at, 0, v)
	f.Op(opElse)
	for lane := range byte(3) {
		f.Get(n)
		f.I32(int32(lane))
		f.Op(i32GtU, opIf, noResult)
		f.Get(at)
		f.Get(v)
		f.SIMD(v128Store32Lane, vectorMemory, uint64(4*lane))
		f.Op(lane, opEnd)
	}
	f.Op(opEnd)
}

// infinite pushes whether a lane is no finite number.
func (f *function) infinite(v int) {
	f.Get(v)
	f.Get(v)
	f.SIMD(f32x4Sub)
	f.vector(0)
	f.SIMD(f32x4Ne)
	f.SIMD(v128AnyTrue)
}
