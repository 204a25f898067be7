package kernel

import (
	"slices"

	"github.com/concord-nn/concord/internal/geometry"
	"github.com/concord-nn/concord/internal/simd"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// Moving elements without looking at them: boxes of elements from one order to another.

// Box is elements of an operand that go to a result: those at any indices within the extents. It has loops from the outermost to the innermost.
type Box struct {
	Operand, From, To int // the first element, of that operand and in the result
	Loops             []Loop
}

// Loop is a dimension of a box: its extent, and how far neighbours lie apart in the operand and in the result.
type Loop struct{ N, From, To int }

// box is a box as it is moved here.
type box struct {
	Box
	chunks, pieces int // into which the loop before the last one is divided, and all pieces
	kind           boxKind
	still          bool // whether neighbours are as far apart in the operand as in the result
}

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

// addBox puts a box of the elements that loops go through into a list, if there are any. The last loop must go through the result without gaps.
func addBox(list []Box, operand, from, to int, loops ...Loop) []Box {
	b := Box{Operand: operand, From: from, To: to}
	for _, l := range loops {
		switch last := len(b.Loops) - 1; {
		case l.N == 0:
			return list
		case l.N == 1:
		case last >= 0 && b.Loops[last].From == l.N*l.From && b.Loops[last].To == l.N*l.To:
			b.Loops[last] = Loop{b.Loops[last].N * l.N, l.From, l.To}
		default:
			b.Loops = append(b.Loops, l)
		}
	}
	if last := len(b.Loops) - 1; last < 0 || b.Loops[last].To != 1 {
		b.Loops = append(b.Loops, Loop{1, 1, 1})
	}
	return append(list, b)
}

// divide puts a box into a list, as one or more that can be moved by chunks.
func divide(list []box, of Box) []box {
	b := box{Box: of}
	b.Loops = slices.Clone(of.Loops)
	last := len(b.Loops) - 1
	inner := b.Loops[last]
	if inner.N > 2*longRun {
		rest := inner.N % longRun
		if rest > 0 {
			end := inner.N - rest
			list = divide(list, Box{of.Operand, of.From + end*inner.From, of.To + end*inner.To, append(b.Loops[:last:last], Loop{rest, inner.From, inner.To})})
		}
		b.Loops = append(b.Loops[:last], Loop{inner.N / longRun, longRun * inner.From, longRun * inner.To}, Loop{longRun, inner.From, inner.To})
		last++
		inner = b.Loops[last]
	}
	if last == 0 {
		b.Loops = []Loop{{1, 0, 0}, inner}
		last = 1
	}
	switch inner.From {
	case 1:
		if b.kind = runs; inner.N < block/2 {
			b.kind = scattered // as a call of copy takes longer
		}
	case 0:
		b.kind = repeats
	default:
		b.kind = scattered
		for i := range last {
			if b.Loops[i].From == 1 {
				b.Loops[i], b.Loops[last-1] = b.Loops[last-1], b.Loops[i]
				b.kind = transposes
				break
			}
		}
	}
	b.still = b.kind == runs && !slices.ContainsFunc(b.Loops, func(l Loop) bool { return l.N > 1 && l.From != l.To })
	if b.kind != transposes { // pieces are of the longest loop
		longest := last - 1
		for i := range last {
			if b.Loops[i].N > b.Loops[longest].N {
				longest = i
			}
		}
		b.Loops[longest], b.Loops[last-1] = b.Loops[last-1], b.Loops[longest]
	}
	b.chunks = max(b.Loops[last-1].N*inner.N/boxChunk, 1)
	b.chunks = min(b.chunks, geometry.CeilDiv(b.Loops[last-1].N, 2*block))
	b.pieces = b.chunks
	for _, l := range b.Loops[:last-1] {
		b.pieces *= l.N
	}
	return append(list, b)
}

// movePlan returns the plan that moves boxes of elements of a size to a result, by the routines of a tier or, if it is nil, in Go. It is nil where
// elements have no bytes of their own.
func movePlan(t *simd.Tier, list []Box, size int) *Plan {
	p := &Plan{}
	var boxes []box
	for _, b := range list {
		boxes = divide(boxes, b)
	}
	for i := range boxes {
		p.Pieces += boxes[i].pieces
	}
	switch size {
	case 1:
		p.Run = moveBoxes(boxes, interleaverOf[uint8](t))
	case 2:
		p.Run = moveBoxes(boxes, interleaverOf[uint16](t))
	case 4:
		p.Run = moveBoxes(boxes, interleaverOf[uint32](t))
	case 8:
		p.Run = moveBoxes(boxes, interleaverOf[uint64](t))
	default:
		return nil
	}
	return p
}

func moveBoxes[W word](boxes []box, move interleaver[W]) op.Kernel {
	return func(c *op.Call, lo, hi int) {
		y, watch, first := tensor.Words[W](c.Out[0]), c.Watch(), 0
		for i := range boxes {
			b := &boxes[i]
			x := tensor.Words[W](c.In[b.Operand])
			if b.still && b.pieces > 0 && &x[b.From] == &y[b.To] { // the operand lies where it belongs, where others may read it meanwhile
				first += b.pieces
				continue
			}
			for p := max(lo-first, 0); p < min(hi-first, b.pieces); p++ {
				last := len(b.Loops) - 1
				outer, inner := b.Loops[last-1], b.Loops[last]
				begin, end := p%b.chunks*outer.N/b.chunks, (p%b.chunks+1)*outer.N/b.chunks
				if watch.Stops((end - begin) * inner.N) {
					return
				}
				from, to, rest := b.From+begin*outer.From, b.To+begin*outer.To, p/b.chunks
				for d := last - 2; d >= 0; d-- {
					l := &b.Loops[d]
					from += rest % l.N * l.From
					to += rest % l.N * l.To
					rest /= l.N
				}
				outer.N = end - begin
				moveBox(y, x, from, to, b.kind, outer, inner, &move)
			}
			first += b.pieces
		}
	}
}

// moveBox goes through two loops.
func moveBox[W word](y, x []W, from, to int, kind boxKind, outer, inner Loop, move *interleaver[W]) {
	switch kind {
	case runs:
		for range outer.N {
			if run := y[to : to+inner.N]; inner.N == block { // such as the channels of a pixel
				*(*[block]W)(run) = *(*[block]W)(x[from:])
			} else {
				copy(run, x[from:])
			}
			from += outer.From
			to += outer.To
		}
	case repeats:
		for range outer.N {
			run, w := y[to:to+inner.N], x[from]
			for i := range run {
				run[i] = w
			}
			from += outer.From
			to += outer.To
		}
	case scattered:
		const more = block / 2
		if end := to + outer.N*inner.N; inner.From == 1 && outer.To == inner.N && inner.N >= more/2 && inner.N < more {
			for ; outer.N > 0 && to+more <= end && from+more <= len(x); outer.N-- { // longer runs, of which the next one overwrites the end
				*(*[more]W)(y[to:]) = *(*[more]W)(x[from:])
				from += outer.From
				to += outer.To
			}
		}
		if inner.N < more/2 && inner.N < outer.N { // element by element of a run, as long loops are faster
			for i := range inner.N {
				from, to := from+i*inner.From, to+i
				for range outer.N {
					y[to] = x[from]
					from += outer.From
					to += outer.To
				}
			}
			return
		}
		for range outer.N {
			run, at := y[to:to+inner.N], from
			for i := range run {
				run[i] = x[at]
				at += inner.From
			}
			from += outer.From
			to += outer.To
		}
	case transposes:
		move.transpose(y[to:], outer.To, x[from:], inner.From, inner.N, outer.N)
	}
}

// transpose sets word i of group j to word j of row i, for n rows and so many columns, and nothing else. Of sixteen rows, or of sixteen columns,
// the routines move whole lengths.
func (m *interleaver[W]) transpose(groups []W, groupStep int, rows []W, rowStep, n, columns int) {
	switch {
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

func (m *interleaver[W]) plain(groups []W, groupStep int, rows []W, rowStep, n, columns int) {
	for j := range columns {
		group, at := groups[j*groupStep:][:n], j
		for i := range group {
			group[i] = rows[at]
			at += rowStep
		}
	}
}
