package wasm

import (
	"github.com/concord-nn/concord/internal/geometry"
	"github.com/concord-nn/concord/internal/wasmobj"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// lines is how windows move over planes in blocks of channels, from line to line and along a line. A piece is a line of some channels of an item.
type lines struct {
	in, out       tensor.Shape
	rows, columns geometry.Slide // one line of one where windows move along one dimension only
	channels      int            // of the result that a piece has
	each          bool           // whether each channel is made of its own one of the input
	up            [2]int         // lines and pixels of the result that each of the input makes, by a window of as many positions, in place of 1

	pixel, line, item, blockStep int // bytes of the input between neighbouring pixels, lines, items, blocks
	element                      int // bytes of an element of the result
}

// slide says how windows move. There is one line if the planes have one dimension, or the geometry has made one of two, as where windows cover the whole
// plane. The input lies in blocks, with so many bytes for a pixel.
func (l *lines) slide(s *geometry.Sliding, pixel int) {
	if l.rows, l.columns = geometry.Unmoved, *s.Last(); s.Rank == 2 {
		l.rows = s.Dim[0]
	}
	l.pixel, l.line, l.blockStep = pixel, l.columns.In*pixel, l.in[2:].Len()*pixel
	l.item = geometry.CeilDiv(l.in[1], block) * l.blockStep
}

// parts returns how many parts the channels of the result have.
func (l *lines) parts() int { return geometry.CeilDiv(l.out[1], l.channels) }

// places returns how many elements of a plane of the result one of the input makes.
func (l *lines) places() int { return max(l.up[0]*l.up[1], 1) }

// outPixel returns the bytes between pixels of the result that neighbouring pixels make.
func (l *lines) outPixel() int { return max(l.up[1], 1) * block * l.element }

// table returns the datum with, for each line of the result, bytes from the begin of the input to the first line that taps meet, of weights in front of
// the first such tap, and how many lines of taps there are. It is given the bytes of the weights of a line of taps.
func (l *lines) table(m *maker, weights int) int {
	d := newMemory(12 * l.rows.Out)
	for o := range l.rows.Out {
		from, to := l.rows.Inside(o)
		if i, _ := l.rows.Source(o, from); from < to {
			d.word(12*o, i*l.line)
		}
		d.word(12*o+4, from*weights)
		d.word(12*o+8, to-from)
	}
	return m.add(d)
}

// packed is where weights lie, and how many bytes a tap and a part of the channels have; nothing for windows without weights.
type packed struct{ at, tap, part int }

// tileAt are locals with where the input, the weights and the result of a tile begin, the lines of taps, and where the first channel lies in a list by
// channel of numbers of 32 bits.
type tileAt struct{ x, weights, out, taps, channel int }

// make adds the function that computes the lines, by tiles of at most so many of n pixels that the same columns of taps meet.
func (l *lines) make(m *maker, c *op.Call, weights packed, most func(n int) int, tile func(f *function, at tileAt, pixels int, columns geometry.Stretch)) (int, error) {
	table, plane := l.table(m, l.columns.Size*weights.tap), l.out[2:].Len()*block*l.element
	width := l.channels * l.element // bytes of a pixel of a part
	f := m.newFunction(kernelType)
	f.pieces(func(piece int) {
		rest, line := f.divided(piece, l.rows.Out)
		place := -1
		if l.places() > 1 {
			rest, place = f.divided(rest, l.places())
		}
		item, part := f.divided(rest, l.parts())
		outer, inner := f.divided(part, block/l.channels) // the block of a part, and its place there
		x, w, out, taps, channel, at := f.i32(), f.i32(), f.i32(), f.i32(), f.i32(), f.i32()
		f.address(out, func() { m.push(f.Code, c.Out[0]) }, term{item, geometry.CeilDiv(l.out[1], block) * plane}, term{outer, plane}, term{inner, width},
			term{line, max(l.up[0], 1) * l.columns.Out * l.outPixel()})
		f.address(channel, func() { f.I32(0) }, term{part, 4 * l.channels})
		f.address(at, func() { f.Ref(wasmobj.ToData, table, 0) }, term{line, 12})
		word := func(offset int) { f.Get(at); f.Uint(i32Load, 2, uint64(offset)) }
		in := []term{{item, l.item}}
		if l.each {
			in = append(in, term{outer, l.blockStep}, term{inner, l.channels * l.pixel / block})
		}
		f.address(x, func() { m.push(f.Code, c.In[0]); word(0); f.Op(i32Add) }, in...)
		if weights.tap > 0 {
			f.address(w, func() { f.Ref(wasmobj.ToData, m.weights, weights.at); word(4); f.Op(i32Add) }, term{part, weights.part})
		}
		if place >= 0 {
			down, across := f.divided(place, l.up[1])
			f.address(out, func() { f.Get(out) }, term{down, l.columns.Out * l.outPixel()}, term{across, block * l.element})
			f.address(w, func() { f.Get(w) }, term{place, l.parts() * weights.part})
		}
		word(8)
		f.Set(taps)
		for _, r := range l.columns.Stretches(0, l.columns.Out) {
			l.run(f, r, tileAt{x, w, out, taps, channel}, most(r.N), tile)
		}
	})
	return m.addFunc("", kernelType, f.Code), nil
}

// run computes the pixels of a line that the same taps meet, given what a tile is for the whole line.
func (l *lines) run(f *function, r geometry.Stretch, at tileAt, pixels int, tile func(f *function, at tileAt, pixels int, columns geometry.Stretch)) {
	first, _ := l.columns.Source(r.First, r.Begin)
	if r.Begin == r.End { // Without this it would begin where nothing is read.
		first = 0
	}
	x := f.sum(func() { f.I32(int32(first * l.pixel)) }, term{at.x, 1})
	out := f.sum(func() { f.I32(int32(r.First * l.outPixel())) }, term{at.out, 1})
	at.x, at.out = x, out
	f.runs(r.N, pixels, func(pixels int) {
		tile(f, at, pixels, r)
		f.move(x, pixels*l.columns.Stride*l.pixel)
		f.move(out, pixels*l.outPixel())
	})
}

// callTile calls the function of a tile, whose columns begin so many bytes of weights further on.
func (f *function) callTile(fn int, at tileAt, skipped int) {
	f.Get(at.x)
	f.Get(at.weights)
	f.I32(int32(skipped))
	f.Op(i32Add)
	f.Get(at.out)
	f.Get(at.taps)
	f.Get(at.channel)
	f.Ref(wasmobj.ToFunc, fn, 0)
}
