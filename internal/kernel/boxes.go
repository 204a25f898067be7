package kernel

import (
	"slices"
	"unsafe"

	"github.com/concord-nn/concord/internal/geometry"
	"github.com/concord-nn/concord/internal/simd"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// Moving elements without looking at them: boxes of elements from one order to another.

// box is elements of an operand that go to a result: those at any indices within the extents. It has loops from the outermost to the innermost.
type box struct {
	operand, result int
	from, to        int // the first element, of that operand and in that result
	loops           []loop

	chunks, pieces int // into which the loop before the last one is divided, and all pieces
	kind           boxKind
	still          bool // whether neighbours are as far apart in the operand as in the result
}

// loop is a dimension of a box: its extent, and how far neighbours lie apart in the operand and in the result.
type loop struct{ n, from, to int }

// boxKind is what the two innermost loops of a box do.
type boxKind uint8

const (
	runs       boxKind = iota // copy elements that lie behind each other
	repeats                   // write one element several times
	scattered                 // copy elements that lie apart
	transposes                // copy rows to columns
)

// longRun is how many elements of a run are copied at a time, about boxChunk how many are a piece.
const (
	longRun  = 1 << 14
	boxChunk = 1 << 13
)

// addBox puts boxes into a list, from the first elements of one on, for the elements that the loops go through. The last loop must go through the result without gaps.
func addBox(list []box, b box, loops ...loop) []box {
	begin := b
	for _, l := range loops {
		switch last := len(b.loops) - 1; {
		case l.n == 0:
			return list
		case l.n == 1:
		case last >= 0 && b.loops[last].from == l.n*l.from && b.loops[last].to == l.n*l.to:
			b.loops[last] = loop{b.loops[last].n * l.n, l.from, l.to}
		default:
			b.loops = append(b.loops, l)
		}
	}
	last := len(b.loops) - 1
	if last < 0 || b.loops[last].to != 1 {
		b.loops = append(b.loops, loop{1, 1, 1})
		last++
	}
	inner := b.loops[last]
	if inner.n > 2*longRun {
		rest := inner.n % longRun
		more := append(b.loops[:last:last], loop{rest, inner.from, inner.to})
		begin.from += (inner.n - rest) * inner.from
		begin.to += (inner.n - rest) * inner.to
		list = addBox(list, begin, more...)
		b.loops = append(b.loops[:last], loop{inner.n / longRun, longRun * inner.from, longRun * inner.to}, loop{longRun, inner.from, inner.to})
		last++
		inner = b.loops[last]
	}
	if last == 0 {
		b.loops = []loop{{1, 0, 0}, inner}
		last = 1
	}
	switch inner.from {
	case 1:
		if b.kind = runs; inner.n < block/2 {
			b.kind = scattered // as a call of copy takes longer
		}
	case 0:
		b.kind = repeats
	default:
		b.kind = scattered
		for i := range last {
			if b.loops[i].from == 1 {
				b.loops[i], b.loops[last-1] = b.loops[last-1], b.loops[i]
				b.kind = transposes
				break
			}
		}
	}
	b.still = b.kind == runs && !slices.ContainsFunc(b.loops, func(l loop) bool { return l.n > 1 && l.from != l.to })
	if b.kind != transposes { // pieces are of the longest loop
		longest := last - 1
		for i := range last {
			if b.loops[i].n > b.loops[longest].n {
				longest = i
			}
		}
		b.loops[longest], b.loops[last-1] = b.loops[last-1], b.loops[longest]
	}
	b.chunks = max(b.loops[last-1].n*inner.n/boxChunk, 1)
	b.chunks = min(b.chunks, geometry.CeilDiv(b.loops[last-1].n, 2*block))
	b.pieces = b.chunks
	for _, l := range b.loops[:last-1] {
		b.pieces *= l.n
	}
	return append(list, b)
}

// inPairs returns the boxes with pairs of elements as one, where all runs begin and end with pairs and the first one is short; else nil.
func inPairs(boxes []box, size int) (list []box) {
	for _, b := range boxes {
		loops := slices.Clone(b.loops)
		odd, last := b.from|b.to, len(loops)-1
		for i := range loops[:last] {
			odd |= loops[i].from | loops[i].to
			loops[i].from /= 2
			loops[i].to /= 2
		}
		if inner := &loops[last]; inner.from != 1 || odd%2 != 0 || inner.n%2 != 0 || inner.n*size > 8 && list == nil {
			return nil
		}
		loops[last].n /= 2
		list = addBox(list, box{operand: b.operand, result: b.result, from: b.from / 2, to: b.to / 2}, loops...)
	}
	return list
}

// movePlan returns the plan that moves boxes of elements of a size to a result, by the routines of a tier or, if it is nil, in Go. It is nil where
// elements have no bytes of their own.
func movePlan(t *simd.Tier, boxes []box, size int) *Plan {
	for t != nil { // processors with tiers read words from anywhere
		list := inPairs(boxes, size)
		if list == nil {
			break
		}
		boxes, size = list, size*2
	}
	switch size {
	case 1:
		return movePlanOf[uint8](t, boxes)
	case 2:
		return movePlanOf[uint16](t, boxes)
	case 4:
		return movePlanOf[uint32](t, boxes)
	case 8:
		return movePlanOf[uint64](t, boxes)
	}
	return nil
}

// movePlanOf is movePlan for elements of a type.
func movePlanOf[W word](t *simd.Tier, boxes []box) *Plan {
	move := interleaverOf[W](t)
	if n := rowsOf(boxes); n > 1 {
		return evenly(n, moveInRows(boxes, move))
	}
	p := &Plan{Run: moveBoxes(boxes, move)}
	for i := range boxes {
		p.Pieces += boxes[i].pieces
	}
	return p
}

// rowsOf returns of how many rows a result consists, each with a part of each of some boxes; 0 if it does not. Elements that lie apart, and nothing else,
// become rows of one element.
func rowsOf(boxes []box) (rows int) {
	width, row := 0, 0
	for i := range boxes {
		b := &boxes[i]
		if len(b.loops) != 2 || b.kind == transposes {
			return 0
		}
		if len(boxes) == 1 && b.kind == scattered && b.loops[0].n == 1 {
			b.loops = []loop{b.loops[1], {1, 1, 1}}
		}
		if i == 0 {
			rows, row = b.loops[0].n, b.loops[0].to
		}
		if b.loops[0].n != rows || b.loops[0].to != row || b.to != width || b.result > 0 {
			return 0
		}
		width += b.loops[1].n
	}
	if width != row {
		return 0
	}
	return rows
}

// moveInRows is moveBoxes where pieces are rows of the result.
//
//go:noinline // tables of kernels would hold it more than once
func moveInRows[W word](boxes []box, move interleaver[W]) op.Kernel {
	return func(c *op.Call, lo, hi int) {
		y, watch := wordsOf[W](c.Out[0]), c.Watch()
		for i := range boxes {
			b := &boxes[i]
			x, outer, inner := wordsOf[W](c.In[b.operand]), b.loops[0], b.loops[1]
			if outer.n = hi - lo; watch.Stops(outer.n * inner.n) {
				return
			}
			if !lies(b, y, x) {
				moveBox(y, x, b.from+lo*outer.from, b.to+lo*outer.to, b.kind, outer, inner, &move)
			}
		}
	}
}

//go:noinline // tables of kernels would hold it more than once
func moveBoxes[W word](boxes []box, move interleaver[W]) op.Kernel {
	return func(c *op.Call, lo, hi int) {
		watch, first := c.Watch(), 0
		for i := range boxes {
			b := &boxes[i]
			x, y := wordsOf[W](c.In[b.operand]), wordsOf[W](c.Out[b.result])
			if lies(b, y, x) {
				first += b.pieces
				continue
			}
			for p := max(lo-first, 0); p < min(hi-first, b.pieces); p++ {
				last := len(b.loops) - 1
				outer, inner := b.loops[last-1], b.loops[last]
				begin, end := p%b.chunks*outer.n/b.chunks, (p%b.chunks+1)*outer.n/b.chunks
				if watch.Stops((end - begin) * inner.n) {
					return
				}
				from, to, rest := b.from+begin*outer.from, b.to+begin*outer.to, p/b.chunks
				for d := last - 2; d >= 0; d-- {
					l := &b.loops[d]
					from += rest % l.n * l.from
					to += rest % l.n * l.to
					rest /= l.n
				}
				outer.n = end - begin
				moveBox(y, x, from, to, b.kind, outer, inner, &move)
			}
			first += b.pieces
		}
	}
}

// lies reports whether the elements of a box lie where they belong, where others may read them meanwhile.
func lies[W word](b *box, y, x []W) bool { return b.still && &x[b.from] == &y[b.to] }

// wordsOf returns the elements of a tensor, or as many of them as a word has.
func wordsOf[W word](t *tensor.Tensor) []W {
	bytes := t.Bytes()
	return unsafe.Slice((*W)(unsafe.Pointer(unsafe.SliceData(bytes))), len(bytes)/int(unsafe.Sizeof(W(0))))
}

// moveBox goes through two loops.
func moveBox[W word](y, x []W, from, to int, kind boxKind, outer, inner loop, move *interleaver[W]) {
	switch kind {
	case runs:
		for range outer.n {
			if run := y[to : to+inner.n]; inner.n == block { // such as the channels of a pixel
				moveArray((*[block]W)(run), (*[block]W)(x[from:]))
			} else {
				copy(run, x[from:])
			}
			from += outer.from
			to += outer.to
		}
	case repeats:
		for range outer.n {
			run, w := y[to:to+inner.n], x[from]
			for i := range run {
				run[i] = w
			}
			from += outer.from
			to += outer.to
		}
	case scattered:
		const more = block / 2
		if end := to + outer.n*inner.n; inner.from == 1 && outer.to == inner.n && inner.n >= more/2 && inner.n < more {
			for ; outer.n > 0 && to+more <= end && from+more <= len(x); outer.n-- { // longer runs, of which the next one overwrites the end
				moveArray((*[more]W)(y[to:]), (*[more]W)(x[from:]))
				from += outer.from
				to += outer.to
			}
		}
		if inner.n < more/2 && inner.n < outer.n { // element by element of a run, as long loops are faster
			for i := range inner.n {
				moveApart(y, x, to+i, from+i*inner.from, outer)
			}
			return
		}
		for range outer.n {
			run, at := y[to:to+inner.n], from
			for i := range run {
				run[i] = x[at]
				at += inner.from
			}
			from += outer.from
			to += outer.to
		}
	case transposes:
		move.transpose(y[to:], outer.to, x[from:], inner.from, inner.n, outer.n)
	}
}

// moveArray copies an array, by way of registers: for arrays that may overlap, as those of slices, the compiler calls the runtime.
func moveArray[A any](to, from *A) {
	v := *from
	*to = v
}

// moveApart goes through one loop, of elements that may become wider ones. It is not inlined, as registers do not suffice for the loop where it is called.
//
//go:noinline
func moveApart[W word | float32, F word | int8 | int16 | float32](y []W, x []F, to, from int, l loop) {
	n := l.n
	for ; n > 1; n -= 2 {
		y[to] = W(x[from])
		y[to+l.to] = W(x[from+l.from])
		to += 2 * l.to
		from += 2 * l.from
	}
	if n > 0 {
		y[to] = W(x[from])
	}
}

// transpose sets word i of group j to word j of row i, for n rows and so many columns, and nothing else. Of sixteen rows, or of sixteen columns,
// the routines move whole lengths.
func (m *interleaver[W]) transpose(groups []W, groupStep int, rows []W, rowStep, n, columns int) {
	switch {
	case columns == 3:
		plainThree(groups, groupStep, rows, rowStep, n)
		return
	case n == 3:
		threePlain(groups, groupStep, rows, rowStep, columns)
		return
	case m.into == nil || min(n, columns) < leastColumns || max(n, columns) < block:
	case n >= block && (n <= columns || columns < block):
		for i := 0; i < n; i += block {
			i = min(i, n-block) // the last rows may be moved again
			m.interleave(groups[i:], groupStep, rows[i*rowStep:], rowStep, block, columns)
		}
		return
	case columns >= block:
		for j := 0; j < columns; j += block {
			j = min(j, columns-block)
			m.deinterleave(groups[j*groupStep:], groupStep, block, rows[j:], rowStep, n)
		}
		return
	}
	for first := 0; first < columns; first += block { // which stay in the nearest cache
		some := min(block, columns-first)
		m.plain(groups[first*groupStep:], groupStep, rows[first:], rowStep, n, some)
	}
}

// plainThree moves n rows of three columns, such as the pixels of a picture.
func plainThree[W word](groups []W, groupStep int, rows []W, rowStep, n int) {
	a, b, c := groups[:n], groups[groupStep:][:n], groups[2*groupStep:][:n]
	at := 0
	for i := range a {
		row := (*[3]W)(rows[at:])
		a[i], b[i], c[i] = row[0], row[1], row[2]
		at += rowStep
	}
}

// threePlain moves three rows, such as the planes of a picture.
func threePlain[W word](groups []W, groupStep int, rows []W, rowStep, columns int) {
	a, b, c := rows[:columns], rows[rowStep:][:columns], rows[2*rowStep:][:columns]
	to := 0
	for j := range a {
		*(*[3]W)(groups[to:]) = [3]W{a[j], b[j], c[j]}
		to += groupStep
	}
}

func (m *interleaver[W]) plain(groups []W, groupStep int, rows []W, rowStep, n, columns int) {
	for j := range columns {
		group, at := groups[j*groupStep:][:n], j
		for i := range group {
			group[i] = rows[at]
			at += rowStep
		}
	}
}
