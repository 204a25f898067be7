package kernel

import (
	"fmt"
	"unsafe"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/fmath"
	"github.com/concord-nn/concord/internal/geometry"
	"github.com/concord-nn/concord/internal/simd"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// Operators that take elements from places which data names: sums of the elements around, of a block of channels at a time.

// samplingRows has their rows, for tiers that add rows with weights.
func samplingRows(t *simd.Tier) []Kernel {
	if !t.Weigh.Exists() {
		return nil
	}
	floats := []op.Types{float32s, float32s}
	return []Kernel{
		{Name: "blocks", Op: "grid_sample", In: floats, Prepare: func(r Region) *Plan { return sampleGrid(t, r) }},
		{Name: "blocks", Op: "roi_align", In: append(floats, op.TypeSet(tensor.Int32, tensor.Int64)), Prepare: func(r Region) *Plan { return alignRegions(t, r) }},
		{Name: "blocks", Op: "deform_conv", In: floats, Prepare: func(r Region) *Plan { return deformConv(t, r) }},
	}
}

// leastSampled is the least number of channels of a plain operand for which blocks are worth making.
const leastSampled = 2

// sampled returns a node alone whose operand 0 has planes of channels to be taken in blocks; else nil.
func sampled(r Region) *application {
	n := r.Root()
	a := &application{n.Attrs, graph.TypesOf(n.In), graph.TypesOf(n.Out)}
	in := a.in[0].Shape
	if len(r.Nodes) > 1 || a.out[0].Shape.Len() == 0 || len(in) != 4 || in[1] < leastSampled && r.Layouts[n.In[0]] != Blocked16 || in.Len() > mostBetween {
		return nil
	}
	return a
}

// termList is a list of sums of rows.
type termList struct {
	rows    []int
	weights []float32
	counts  []int // of each sum, how many terms it has
	terms   int   // in the list
	sums    int
	zero    int  // where a row of zeros begins
	zeros   bool // whether there may be such a row
}

// termBytes is the memory of a term, of which each sum has at least one, and of the number of those of a sum.
const termBytes = 8 + 4 + 8

// termsIn returns an empty list of up to n terms in memory, and what is left of that.
func termsIn(memory []byte, n int) (termList, []byte) {
	n = (n + 1) &^ 1
	ints := elementsOfType[int](memory[:16*n])
	return termList{rows: ints[:n], weights: floatsOf(memory[16*n:][:4*n]), counts: ints[n:]}, memory[termBytes*n:]
}

func (l *termList) reset() { l.terms, l.sums, l.zeros = 0, 0, false }

// add appends a term to a sum.
func (l *termList) add(row int, weight float32) {
	l.rows[l.terms], l.weights[l.terms] = row, weight
	l.terms++
}

// end ends a sum of n terms.
func (l *termList) end(n int) {
	l.counts[l.sums] = n
	l.sums++
}

// of returns the sums of rows of x.
func (l *termList) of(x, y []float32, width int, first float32) weighed {
	return weighed{x: x, rows: l.rows[:l.terms], weights: l.weights[:l.terms], counts: l.counts[:l.sums], width: width, y: y, step: width, first: first, last: op.FirstBetween}
}

// over has zeros lie where they do for rows of x.
func (l *termList) over(w weigher, x []float32) {
	was := l.zero
	if l.zero = w.zero(x); !l.zeros || was == l.zero {
		return
	}
	for i, row := range l.rows[:l.terms] {
		if row == was {
			l.rows[i] = l.zero
		}
	}
}

// plane appends the sums along the second dimension for each term of the first, of elements of blocks that begin from elements on, and to between the sum
// of those, which lie width apart in what they make.
func (l *termList) plane(between *termList, p *op.Placed, from, width int) {
	for _, v := range p.Terms[0][:p.Count[0]] {
		if between.add(l.sums*width, v.Weight); v.At < 0 { // Of zeros the sum is zero.
			l.add(l.zero, 1)
			l.end(1)
			l.zeros = true
			continue
		}
		for _, h := range p.Terms[1][:p.Count[1]] {
			at := from + (v.At+h.At)*block
			if h.At < 0 {
				at, l.zeros = l.zero, true
			}
			l.add(at, h.Weight)
		}
		l.end(p.Count[1])
	}
	between.end(p.Count[0])
}

// gridSampling is a grid_sample of planes. A piece is a run of places.
type gridSampling struct {
	op.Sampling
	weigh          weigher
	in             tensor.Shape
	blocks, points int
	runs           int // of the places of an item
}

// sampleRun is how many places are looked up at a time.
const sampleRun = 64

func sampleGrid(t *simd.Tier, r Region) *Plan {
	a := sampled(r)
	if a == nil {
		return nil
	}
	g := &gridSampling{op.SamplingOf(a.Attrs), weigherOf(t), a.in[0].Shape, blocked(a.in[0].Shape)[1], a.out[0].Shape[2:].Len(), 0}
	g.runs = geometry.CeilDiv(g.points, sampleRun)
	return &Plan{In: []Layout{Blocked16}, Out: []Layout{Blocked16}, Pieces: g.in[0] * g.runs, Scratch: sampleRun * (20*termBytes + 4*blockBytes),
		Nanos: int64(g.in[0]*g.points) * int64(30+5*g.blocks), Run: g.run}
}

func (g *gridSampling) run(c *op.Call, lo, hi int) {
	x, places, y, watch := tensor.Data[float32](c.In[0]), tensor.Data[float32](c.In[1]), tensor.Data[float32](c.Out[0]), c.Watch()
	list, memory := termsIn(c.Scratch, 16*sampleRun)
	between, memory := termsIn(memory, 4*sampleRun)
	rows, plane := floatsOf(memory), g.in[2]*g.in[3]*block
	for ; lo < hi && !watch.Stops(sampleRun*(16+16*g.blocks)); lo++ {
		item, first := lo/g.runs, lo%g.runs*sampleRun
		list.reset()
		between.reset()
		list.zero = g.weigh.zero(x[item*g.blocks*plane:])
		for p := first; p < min(first+sampleRun, g.points); p++ {
			var at op.Placed
			to := places[(item*g.points+p)*2:]
			at.Count[0] = g.Terms(to[1], g.in[2], g.in[3], &at.Terms[0])
			at.Count[1] = g.Terms(to[0], g.in[3], 1, &at.Terms[1])
			list.plane(&between, &at, 0, block)
		}
		for b := item * g.blocks; b < (item+1)*g.blocks; b++ {
			from := x[b*plane:]
			list.over(g.weigh, from)
			sums := list.of(from, rows, block, g.First())
			g.weigh.run(&sums, &watch)
			sums = between.of(rows, y[(b*g.points+first)*block:], block, g.First())
			g.weigh.run(&sums, &watch)
		}
	}
}

// alignment is a roi_align of averages. A piece is a region.
type alignment struct {
	attrs   graph.Attrs
	weigh   weigher
	divide  simd.Routine[simd.ElementsArgs]
	in, out tensor.Shape
	blocks  int
}

const (
	alignTerms = 1 << 12 // of some cells, at a time
	alignTaps  = 1 << 6  // of a cell along a dimension, which are found once
)

func alignRegions(t *simd.Tier, r Region) *Plan {
	a := sampled(r)
	if a == nil || a.String("mode") != "avg" || a.out[0].Shape[2] > alignTerms {
		return nil
	}
	g := &alignment{a.Attrs, weigherOf(t), t.Elements["div"], a.in[0].Shape, a.out[0].Shape, blocked(a.in[0].Shape)[1]}
	return &Plan{In: []Layout{Blocked16}, Out: []Layout{Blocked16}, Pieces: g.out[0], Scratch: alignTerms*termBytes + alignTaps*32 + blockBytes, Run: g.run}
}

func (g *alignment) run(c *op.Call, lo, hi int) {
	watch := c.Watch()
	for ; lo < hi && !watch.Stops(1); lo++ {
		g.region(c, lo, &watch)
	}
}

// region computes a region, column of cells by column.
func (g *alignment) region(c *op.Call, n int, watch *op.Watch) {
	rows, columns, item := op.AligningOf(g.attrs, c, n, g.in, g.out)
	cells := alignedCells{alignment: g, x: tensor.Data[float32](c.In[0])[item*g.blocks*g.in[2]*g.in[3]*block:], y: tensor.Data[float32](c.Out[0])[n*g.blocks*g.out[2]*g.out[3]*block:]}
	var memory []byte
	cells.list, memory = termsIn(c.Scratch, alignTerms)
	known := elementsOfType[op.Between](memory[:24*alignTaps])
	for cells.column = range g.out[3] {
		left, right := columns.Within(cells.column)
		for q := range min(right-left, alignTaps) {
			known[q] = columns.At(cells.column, left+q)
		}
		for row := range g.out[2] {
			top, bottom := rows.Within(row)
			for p := top; p < bottom; p++ {
				if watch.Stops(1) {
					return
				}
				v := rows.At(row, p)
				for q := left; q < right && v.A >= 0; q++ {
					if watch.Stops(4 * g.blocks) {
						return
					}
					var h op.Between
					if q-left < alignTaps {
						h = known[q-left]
					} else {
						h = columns.At(cells.column, q)
					}
					if h.A >= 0 {
						cells.add(row, v, h, watch)
					}
				}
			}
			cells.list.end(cells.terms)
			if cells.terms = 0; cells.goesOn || row == g.out[2]-1 {
				cells.compute((row+1)%g.out[2], watch)
			}
		}
	}
	size := g.blocks * g.out[2] * g.out[3] * block
	if places := float32(float64(rows.Places) * float64(columns.Places)); places > 1 {
		by := floatsOf(memory[24*alignTaps:][:blockBytes])
		for i := range by {
			by[i] = places
		}
		for at := 0; at < size; at += weighMost {
			y := cells.y[at:min(at+weighMost, size)]
			g.divide.Run(&simd.ElementsArgs{X: simd.At(y, 0), Y: simd.At(by, 0), Z: simd.At(y, 0), XMask: -1, N: len(y)})
		}
	}
}

// alignedCells are the cells of a column of a region, of which some are in the list.
type alignedCells struct {
	*alignment
	x, y          []float32 // of the item, and of the region
	list          termList
	column, first int  // of the first cell in the list
	goesOn        bool // whether that has been begun before
	terms         int  // of the cell that is added to
}

// add adds the neighbours of a place to a row's cell.
func (a *alignedCells) add(row int, v, h op.Between, watch *op.Watch) {
	if a.list.terms+4 > alignTerms {
		a.list.end(a.terms)
		a.compute(row, watch)
		a.list.add(0, 1) // what there is of it
		a.terms, a.goesOn = 1, true
	}
	ty, tx := float32(v.T), float32(h.T)
	top, bottom := v.A*a.in[3], v.B*a.in[3]
	for _, term := range [4]op.Term{{At: top + h.A, Weight: (1 - ty) * (1 - tx)}, {At: top + h.B, Weight: (1 - ty) * tx},
		{At: bottom + h.A, Weight: ty * (1 - tx)}, {At: bottom + h.B, Weight: ty * tx}} {
		if term.Weight != 0 {
			a.list.add(term.At*block, term.Weight)
			a.terms++
		}
	}
}

// compute computes the cells in the list, which is empty then and goes on with that of another row.
func (a *alignedCells) compute(next int, watch *op.Watch) {
	plane, first := a.in[2]*a.in[3]*block, op.FirstWeighted
	for b := range a.blocks {
		x, y := a.x[b*plane:], a.y[((b*a.out[2]+a.first)*a.out[3]+a.column)*block:]
		if a.goesOn {
			a.list.rows[0], first = (int(simd.At(y, 0))-int(simd.At(x, 0)))/4, op.FirstBetween
		}
		sums := a.list.of(x, y, block, first)
		sums.step = a.out[3] * block
		a.weigh.run(&sums, watch)
	}
	a.list.reset()
	a.first, a.goesOn = next, false
}

// deforming is a deform_conv over planes. A piece is a result of all channels.
type deforming struct {
	op.Deforming
	weigh                   weigher
	in, out                 tensor.Shape
	window                  int // positions
	groups, perGroup, moved int // of channels; how many of them there are in one, and groups of offsets
	perOut                  int // channels of the result in a group
	unit                    int // channels that are moved together
	rows                    []int
}

// deformMost is how many elements of the input belong to a result of all channels at most.
const deformMost = 1 << 15

func deformConv(t *simd.Tier, r Region) *Plan {
	a := sampled(r)
	if a == nil {
		return nil
	}
	in, filter, out, weights := a.in[0].Shape, a.in[1].Shape, a.out[0].Shape, r.Root().In[1].Const
	g := &deforming{op.NewDeforming(a.Attrs, in, filter, out), weigherOf(t), in, out, filter[2:].Len(), a.Int("groups"), filter[1], a.Int("offset_groups"), out[1] / a.Int("groups"), block, nil}
	if weights == nil || in[1]*g.window > deformMost || g.groups > 1 && g.perGroup%block != 0 {
		return nil
	}
	if each := in[1] / g.moved; g.moved > 1 && each%block != 0 {
		if g.unit = each; block%each != 0 {
			return nil
		}
	}
	g.rows = make([]int, g.perGroup*g.window)
	for k := range g.rows {
		g.rows[k] = k * g.perOut
	}
	p := &Plan{In: []Layout{Blocked16}, Out: []Layout{Blocked16}, Pieces: out[0] * out[2:].Len(), Run: g.run, Scratch: g.scratch(), Pack: []Pack{g.pack(weights)}}
	p.Nanos = int64(p.Pieces) * (int64(in[1]*g.window)*int64(out[1]/g.groups+block)/16 + 100)
	return p
}

// pack is the filter, for each group and element of the input in the order in which they are added, of all channels of the result.
func (g *deforming) pack(from *tensor.Tensor) Pack {
	x, each := tensor.Data[float32](from), g.perGroup*g.window
	return Pack{From: from, Form: fmt.Sprintf("%d groups of rows of the result's channels", g.groups), Size: 4 * len(x), Fill: func(dst []byte, part, parts int) {
		to := floatsOf(dst)
		for group := part * g.groups / parts; group < (part+1)*g.groups/parts; group++ {
			for channel := range g.perGroup {
				first := channel / block * block
				for n := range g.window {
					k := first*g.window + n*min(block, g.perGroup-first) + channel - first
					for o := range g.perOut {
						to[(group*each+k)*g.perOut+o] = x[(group*g.perOut+o)*each+channel*g.window+n]
					}
				}
			}
		}
	}}
}

// moves returns how many places there are for the elements of a block of channels.
func (g *deforming) moves() int { return block / g.unit * g.window }

func (g *deforming) scratch() int {
	n := g.moves()
	floats := n + 2*n*block + len(g.rows) + block*g.window + g.perOut
	return g.moved*g.window*int(unsafe.Sizeof(op.Placed{})) + (6*n+len(g.rows)+6)*termBytes + 4*floats
}

func (g *deforming) run(c *op.Call, lo, hi int) {
	x, y, watch, at := tensor.Data[float32](c.In[0]), tensor.Data[float32](c.Out[0]), c.Watch(), g.Of(c)
	var bias []float32
	if c.Has(3) {
		bias = tensor.Data[float32](c.In[3])
	}
	n, size := g.moves(), g.moved*g.window*int(unsafe.Sizeof(op.Placed{}))
	places := elementsOfType[op.Placed](c.Scratch[:size])
	list, memory := termsIn(c.Scratch[size:], 4*n)
	between, memory := termsIn(memory, 2*n)
	taken, memory := termsIn(memory, len(g.rows))
	floats := floatsOf(memory)
	masks, floats := floats[:n], floats[n:]
	rows, floats := floats[:2*n*block], floats[2*n*block:]
	result, elements := floats[:g.perOut], floats[g.perOut:]
	plane, points := g.in[2]*g.in[3]*block, g.out[2:].Len()
	blocks, outBlocks, perMove := geometry.CeilDiv(g.in[1], block), geometry.CeilDiv(g.out[1], block), g.in[1]/g.moved
	for ; lo < hi && !watch.Stops((len(g.rows)*(g.perOut+block)/block+g.moved*g.window)*g.groups); lo++ {
		item, p, listed := lo/points, lo%points, -1
		all := at.Places(item, p, places)
		for group := range g.groups {
			taken.reset()
			for first := 0; first < g.perGroup; first += block {
				channel, each := group*g.perGroup+first, min(block, g.perGroup-first)
				width, which := min(g.unit, each), channel/perMove
				from := x[(item*blocks+channel/block)*plane:]
				if g.unit < block || which != listed { // or else the places are those of the block before
					list.reset()
					between.reset()
					list.zero, listed = g.weigh.zero(from), which
					for k := range g.window {
						for lane := 0; lane < each; lane += width {
							if at := &places[(channel+lane)/perMove*g.window+k]; at.OK {
								masks[between.sums] = at.Mask
								list.plane(&between, at, lane, g.unit)
							}
						}
					}
				}
				list.over(g.weigh, from)
				sums := list.of(from, rows, g.unit, op.FirstBetween)
				g.weigh.run(&sums, &watch)
				to := elements[taken.terms:][:between.sums*width]
				sums = between.of(rows, to, width, op.FirstBetween)
				g.weigh.run(&sums, &watch)
				if c.Has(4) {
					for i := range to {
						to[i] *= masks[i/width]
					}
				}
				if all {
					taken.terms += len(to)
					continue
				}
				for k := range g.window {
					for lane := 0; lane < each; lane += width {
						if places[(channel+lane)/perMove*g.window+k].OK {
							taken.terms += copy(taken.rows[taken.terms:], g.rows[first*g.window+k*each+lane:][:width])
						}
					}
				}
			}
			taken.end(taken.terms)
			sums := taken.of(floatsOf(c.Packed[0])[group*len(g.rows)*g.perOut:], result, g.perOut, op.FirstWeighted)
			if sums.weights = elements[:taken.terms]; all {
				sums.rows = g.rows
			}
			g.weigh.run(&sums, &watch)
			for begin, end := 0, 0; begin < g.perOut; begin = end {
				channel := group*g.perOut + begin
				end = min(begin+block-channel%block, g.perOut)
				to := y[((item*outBlocks+channel/block)*points+p)*block+channel%block:][:end-begin]
				if copy(to, result[begin:end]); bias == nil {
					continue
				}
				for i, v := range bias[channel:][:len(to)] {
					to[i] = fmath.Canonical(to[i] + v)
				}
			}
		}
	}
}
