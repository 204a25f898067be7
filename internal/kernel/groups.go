package kernel

import (
	"slices"

	"github.com/concord-nn/concord/internal/simd"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// groups is the geometry of an operator that reduces axes of float32: a group has the elements that differ only in their indices of these. What
// lies innermost is a run, either of one group, which is across false, or of as many groups, of each one element.
type groups struct {
	run    int
	across bool
	kept   []dimension // that tell groups, or runs of them
	rows   []dimension // that tell runs of a group

	count int // elements of a group
	all   int // groups
}

// dimension is an extent and the distance between neighbours.
type dimension struct{ extent, stride int }

// offset returns where the element i of some dimensions lies, in row-major order.
func offset(dims []dimension, i int) int {
	at := 0
	for k := len(dims) - 1; k >= 0; k-- {
		at += i % dims[k].extent * dims[k].stride
		i /= dims[k].extent
	}
	return at
}

func size(dims []dimension) int {
	n := 1
	for _, d := range dims {
		n *= d.extent
	}
	return n
}

// groupsOf returns the geometry of a reduction, or nil for one that reduces nothing.
func groupsOf(shape tensor.Shape, axes []int) *groups {
	g := &groups{count: 1, run: 1}
	stride, innermost := 1, true
	var last *[]dimension
	for d := len(shape) - 1; d >= 0; d-- {
		if shape[d] == 1 {
			continue
		}
		reduced := slices.Contains(axes, d)
		list := &g.kept
		if reduced {
			list = &g.rows
			g.count *= shape[d]
		}
		switch {
		case innermost && (g.run == 1 || reduced != g.across):
			g.across = !reduced
			g.run *= shape[d]
		case list == last:
			(*list)[len(*list)-1].extent *= shape[d]
		default:
			innermost = false
			*list, last = append(*list, dimension{shape[d], stride}), list
		}
		stride *= shape[d]
	}
	if g.count <= 1 {
		return nil
	}
	slices.Reverse(g.kept)
	slices.Reverse(g.rows)
	g.all = stride / g.count
	return g
}

// lanes is how many partial results a reduction has.
const lanes = 16

// width is how many groups beside each other are computed at a time, and wide how many whose elements are read but once: long runs of them.
const width, wide = 256, 1024

// folding is a reduction to a sum, a product, or the greatest or least element.
type folding struct {
	along simd.Routine[simd.FoldArgs]     // adds a run of a group to lanes
	step  simd.Routine[simd.ElementsArgs] // adds elements to those of a lane of groups beside each other
	join  simd.Routine[simd.ElementsArgs]
	start float32
}

// fold returns the reduction of the given name of [simd.Tier].Fold.
func fold(t *simd.Tier, name string) folding {
	kind := foldings[name]
	return folding{t.Fold[name], t.Elements[kind.step], t.Elements[kind.join], kind.start}
}

var foldings = map[string]struct {
	step, join string
	start      float32
}{
	"sum":        {"add", "add", 0},
	"l1":         {"add_abs", "add", 0},
	"sum_square": {"add_square", "add", 0},
	"variance":   {"add_square_of_difference", "add", 0},
	"product":    {"mul", "mul", 1},
	"max":        {"max", "max", negativeInfinity},
	"min":        {"min", "min", -negativeInfinity},
}

// group reduces the group that begins at an element of x, with a parameter of the routine.
func (f *folding) group(g *groups, x []float32, at int, a float32, work []float32, watch *op.Watch) float32 {
	acc := work[:lanes]
	args := simd.FoldArgs{X: simd.At(x, at), Acc: simd.At(acc, 0), N: g.run, First: 1, Start: f.start, A: a}
	if len(g.rows) > 0 || g.run > portion || watch.Stops(g.run) {
		args.N = 0
		g.each(x[at:], work[lanes:], watch, func(part []float32) {
			args.X, args.N = simd.At(part, 0), len(part)
			f.along.Run(&args)
			args.First, args.N = 0, 0
		})
	}
	args.Join = 1
	f.along.Run(&args)
	return acc[0]
}

// each calls f with the elements of the group at the beginning of x, in their order: at most [portion] at a time, and but for the last ones a
// multiple of the number of lanes. Several runs are brought together in working memory.
func (g *groups) each(x, work []float32, watch *op.Watch, f func(part []float32)) {
	if len(g.rows) == 0 {
		for run := x[:g.run]; len(run) > 0; {
			n := min(len(run), portion)
			if watch.Stops(n) {
				return
			}
			f(run[:n])
			run = run[n:]
		}
		return
	}
	work = work[:portion]
	n := 0
	for row := range size(g.rows) {
		if watch.Stops(g.run) {
			return
		}
		for run := x[offset(g.rows, row):][:g.run]; len(run) > 0; {
			k := copy(work[n:], run)
			run, n = run[k:], n+k
			if n == len(work) {
				f(work)
				n = 0
			}
		}
	}
	if n > 0 {
		f(work[:n])
	}
}

// beside is working memory for n groups beside each other.
type beside struct {
	n, lanes int       // lanes that their elements change: the others stay as they begin, which changes nothing when they are joined
	acc      []float32 // lanes, of n elements each
	temp     []float32
	one      []float32 // a number for all
}

// besideOf lays it out for groups of count elements.
func besideOf(c *op.Call, n, count int) beside {
	w, used := floatsOf(c.Scratch), 1
	for used < min(count, lanes) {
		used *= 2
	}
	return beside{n, used, w[:used*n], w[lanes*n:][:n], w[(lanes+1)*n:][:block]}
}

// besideBytes is how much it takes of width, and wideBytes of wide.
const besideBytes, wideBytes = 4 * ((lanes+1)*width + block), 4 * ((lanes+1)*wide + block)

// begin sets all lanes to the start.
func (f *folding) begin(b *beside) { splat(b.acc, f.start) }

// add adds elements of the groups, which are number k of these, to their lane.
func (f *folding) add(b *beside, k int, x uintptr) {
	acc := simd.At(b.acc, k%lanes*b.n)
	elementsOf(&f.step, b.n, acc, x, acc)
}

// end joins lanes and returns where the results lie.
func (f *folding) end(b *beside) uintptr {
	acc := simd.At(b.acc, 0)
	for half := b.lanes / 2; half > 0; half /= 2 {
		elementsOf(&f.join, half*b.n, acc, acc, simd.At(b.acc, half*b.n))
	}
	return acc
}

// elementsOf computes n elements of two operands.
func elementsOf(r *simd.Routine[simd.ElementsArgs], n int, z, x, y uintptr) {
	r.Run(&simd.ElementsArgs{N: n, Z: z, X: x, XMask: -1, Y: y, YMask: -1})
}

// elementsBy is elementsOf for a second operand of sixteen equal elements.
func elementsBy(r *simd.Routine[simd.ElementsArgs], n int, z, x, y uintptr) {
	r.Run(&simd.ElementsArgs{N: n, Z: z, X: x, XMask: -1, Y: y, YMask: 4*block - 1})
}

// portion is how many elements of a group are reduced at a time.
const portion = 2048
