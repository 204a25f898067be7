package wasm

import (
	"github.com/concord-nn/concord/internal/kernel"
	"github.com/concord-nn/concord/op"
)

// Operators that only move elements: boxes of them, by runs as long as they are.

const (
	mostBoxes = 64  // of operands that are joined: each has code of its own
	longBytes = 128 // from which on a run is moved by an instruction of its own
	atOnce    = 8   // elements that lie apart, between two looks at a counter
)

// wordCodes are the instructions that load and store a word of so many bytes.
var wordCodes = map[int][2]byte{1: {0x2D, 0x3A}, 2: {0x2F, 0x3B}, 4: {0x28, 0x36}, 8: {0x29, 0x37}}

func moveElements(r kernel.Region) *kernel.Plan {
	boxes, in, out := kernel.Moves(r)
	if len(boxes) == 0 || len(boxes) > mostBoxes {
		return nil
	}
	if in == nil {
		in = make([]kernel.Layout, len(r.Root().In))
	}
	if out == nil {
		out = []kernel.Layout{kernel.Plain}
	}
	p := &kernel.Plan{In: in, Out: out}
	for i := range boxes {
		p.Pieces += boxPieces(&boxes[i])
	}
	size := r.Root().In[0].Type.DType.Size()
	p.Code = makes(func(m *maker, c *op.Call) (int, error) {
		f := m.newFunction(kernelType)
		f.pieces(func(piece int) {
			rest := f.i32()
			f.Get(piece)
			f.Set(rest)
			f.moveBoxes(boxes, c, rest, size)
		})
		return m.addFunc("", kernelType, f.Code), nil
	})
	return p
}

// boxPieces returns how many pieces a box has: those of its outermost loop, if there are others within.
func boxPieces(b *kernel.Box) int {
	if len(b.Loops) == 1 {
		return 1
	}
	return b.Loops[0].N
}

// moveBoxes moves the piece of boxes of which a local has the number. It changes the local.
func (f *function) moveBoxes(boxes []kernel.Box, c *op.Call, piece, size int) {
	b, loops := &boxes[0], boxes[0].Loops
	if len(boxes) > 1 {
		f.Get(piece)
		f.I32(int32(boxPieces(b)))
		f.Op(i32LtU, opIf, noResult)
	}
	x, y := f.i32(), f.i32()
	var from, to []term
	if len(loops) > 1 {
		from, to = []term{{piece, loops[0].From * size}}, []term{{piece, loops[0].To * size}}
		loops = loops[1:]
	}
	f.address(x, func() { f.m.push(f.Code, c.In[b.Operand].Bytes()); f.I32(int32(b.From * size)); f.Op(i32Add) }, from...)
	f.address(y, func() { f.m.push(f.Code, c.Out[0].Bytes()); f.I32(int32(b.To * size)); f.Op(i32Add) }, to...)
	f.moveLoops(loops, x, y, size)
	if len(boxes) > 1 {
		f.Op(opElse)
		f.move(piece, -boxPieces(b))
		f.moveBoxes(boxes[1:], c, piece, size)
		f.Op(opEnd)
	}
}

// moveLoops moves the elements that loops go through, from the address in a local to that in another, and leaves both behind the outermost loop.
func (f *function) moveLoops(loops []kernel.Loop, x, y, size int) {
	l := loops[0]
	switch {
	case len(loops) > 1:
		within := loops[1]
		f.loop(l.N, func() {
			f.moveLoops(loops[1:], x, y, size)
			f.move(x, (l.From-within.N*within.From)*size)
			f.move(y, (l.To-within.N*within.To)*size)
		})
	case l.From == 1 && l.To == 1:
		f.moveRun(x, y, l.N*size)
	default:
		some := func(n int) {
			for k := range n {
				f.Get(y)
				f.Get(x)
				f.Uint(wordCodes[size][0], 0, uint64(k*l.From*size))
				f.Uint(wordCodes[size][1], 0, uint64(k*l.To*size))
			}
			f.move(x, n*l.From*size)
			f.move(y, n*l.To*size)
		}
		n := atOnce
		if l.From < 0 { // which no instruction adds to an address
			n = 1
		}
		if l.N >= n {
			f.loop(l.N/n, func() { some(n) })
		}
		if l.N%n > 0 {
			some(l.N % n)
		}
	}
}

// moveRun moves bytes that lie behind each other.
func (f *function) moveRun(x, y, n int) {
	if n >= longBytes {
		f.Get(y)
		f.Get(x)
		f.I32(int32(n))
		f.Op(opMemory, memoryCopy, 0, 0)
	} else {
		at := 0
		for ; n-at >= 16; at += 16 {
			f.Get(y)
			f.load(x, at)
			f.SIMD(v128Store, 0, uint64(at))
		}
		for size := 8; size > 0; size /= 2 {
			if n-at >= size {
				f.Get(y)
				f.Get(x)
				f.Uint(wordCodes[size][0], 0, uint64(at))
				f.Uint(wordCodes[size][1], 0, uint64(at))
				at += size
			}
		}
	}
	f.move(x, n)
	f.move(y, n)
}
