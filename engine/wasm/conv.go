package wasm

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/geometry"
	"github.com/concord-nn/concord/internal/kernel"
	"github.com/concord-nn/concord/internal/wasmobj"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

const (
	block      = 16        // channels of a block of kernel.Blocked16, after which convolutions turn to the next tap
	blockPixel = 4 * block // bytes
	partChans  = 8         // channels of the result that a tile has: two vectors
	mostPixels = 5         // of a tile: so many, twice, and what they are made of fit into sixteen registers
	plainChans = 15        // up to so many channels a plain input is read as it is
)

// convolution is a conv of float32 with constant weights, in one group or with one for each channel, or the maximum of windows.
type convolution struct {
	geometry.Convolution
	lines
	n     *graph.Node
	tail  *tail
	tiles map[tileKind]int
	wide  bool    // whether sums are those of float64
	least float32 // the least magnitude of a weight but 0
	plain bool    // whether the input lies in row-major order
	pool  *pool   // what is made of windows of a channel, in place of sums of products

	channel int // bytes of the input between neighbouring channels
}

// tileKind is what tiles of a convolution differ in.
type tileKind struct {
	pixels, columns int // of taps
	wide            bool
}

// newConvolution returns the convolution of a region of floats, nil if there are none of its elements.
func newConvolution(r kernel.Region) *convolution {
	n := r.Root()
	in, filter, out := n.In[0].Type.Shape, n.In[1].Type.Shape, n.Out[0].Type.Shape
	if n.In[1].Const == nil || in.Len() == 0 || out.Len() == 0 || filter.Len() == 0 || len(in) < 3 {
		return nil
	}
	return &convolution{Convolution: geometry.NewConvolution(n.Attrs, in, filter, out), n: n, lines: lines{in: in, out: out}}
}

func convolveTiles(r kernel.Region) *kernel.Plan {
	v := newConvolution(r)
	if v == nil {
		return nil
	}
	v.Sliding = v.WithoutZeros()
	switch {
	case v.GroupIn == v.in[1]:
		v.plain = v.in[1] <= plainChans
	case v.GroupIn == 1 && v.GroupOut == 1: // Without this references would compute it.
		v.each = true
	default:
		return nil
	}
	return v.plan(r, 2)
}

// convolveUp takes a deconv whose window moves by its own size, so that each element of the result meets one of its positions.
func convolveUp(r kernel.Region) *kernel.Plan {
	v := newConvolution(r)
	if v == nil || v.GroupIn != v.in[1] || v.Rank > 2 {
		return nil
	}
	v.up = [2]int{1, 1}
	for i := range v.Rank {
		d := &v.Dim[i]
		if d.Before != 0 || d.Size != d.Stride || d.Size > 1 && d.Dilation != 1 || d.Out != d.In*d.Stride {
			return nil
		}
		v.up[2-v.Rank+i] = d.Stride
		*d = geometry.Slide{In: d.In, Out: d.In, Size: 1, Stride: 1, Dilation: 1}
	}
	v.Border, v.Taps, v.plain = geometry.BorderIgnore, 1, v.in[1] <= plainChans
	return v.plan(r, 2)
}

// pool is what pooling makes of the elements of a window.
type pool struct {
	first   float32
	step    uint32 // the instruction that adds an element
	divisor int    // of the result; 0 for none, byInside for how many elements were inside
}

const byInside = -1

// poolWindows takes max_pool, and sums and averages, over planes.
func poolWindows(r kernel.Region) *kernel.Plan {
	n := r.Root()
	in, out := n.In[0].Type.Shape, n.Out[0].Type.Shape
	planes, ok := geometry.Spatial(n.Attrs, in, out)
	if !ok || in.Len() == 0 || out.Len() == 0 {
		return nil
	}
	v := &convolution{n: n, lines: lines{in: in, out: out, each: true}, pool: &pool{first: float32(math.Inf(-1)), step: f32x4Max}}
	v.Sliding = planes
	if n.Op == "box" {
		v.pool = &pool{step: f32x4Add}
		if n.Attrs.Bool("normalize") {
			if v.pool.divisor = v.Volume(); v.Border == geometry.BorderIgnore {
				v.pool.divisor = byInside
			}
		}
		v.Sliding = v.WithoutZeros()
	}
	v.GroupIn, v.Taps, v.InPlane, v.OutPlane = 1, v.Volume(), in[2:].Len(), out[2:].Len()
	return v.plan(r, len(n.In))
}

// plan completes a plan, of a root that has that operand as bias.
func (v *convolution) plan(r kernel.Region, bias int) *kernel.Plan {
	if v.Border != geometry.BorderIgnore || v.Rank > 2 {
		return nil
	}
	var ok bool
	if v.tail, ok = tailOf(r, bias); !ok {
		return nil
	}
	p := &kernel.Plan{In: make([]kernel.Layout, len(r.Operands())), Out: []kernel.Layout{kernel.Blocked16}}
	v.slide(&v.Sliding, blockPixel)
	v.channel, v.channels, v.element = 4, partChans, 4
	if v.each {
		v.channels = 4
	}
	if v.plain { // Without this the input would be brought into blocks.
		v.pixel, v.channel, v.line, v.item = 4, 4*v.InPlane, 4*v.columns.In, 4*v.InPlane*v.in[1]
	} else {
		p.In[0] = kernel.Blocked16
	}
	for _, i := range v.tail.tensors {
		p.In[i] = kernel.Blocked16
	}
	p.Pieces = v.in[0] * v.parts() * v.rows.Out * v.places()
	p.Code = makes(v.make)
	return p
}

// blocks returns the number of blocks of channels that sums go through, and the channels of the last one.
func (v *convolution) blocks() (n, last int) {
	n = geometry.CeilDiv(v.GroupIn, block)
	return n, v.GroupIn - (n-1)*block
}

// tapBytes returns the bytes of weights that a part has for a tap and a block of channels.
func (v *convolution) tapBytes() int {
	if v.each { // Without this weights would take more memory.
		return 16
	}
	if n, last := v.blocks(); n == 1 {
		return last * partChans * 4
	}
	return block * partChans * 4
}

// packedBytes returns how many bytes the packed weights take.
func (v *convolution) packedBytes() int {
	blocks, _ := v.blocks()
	return v.places() * v.parts() * blocks * v.Taps * v.tapBytes()
}

// pack writes the weights by place, part, block, tap, channel of the input, channel of the result; of groups by part, tap, channel.
func (v *convolution) pack(out []byte) {
	w := tensor.Data[float32](v.n.In[1].Const)
	blocks, _ := v.blocks()
	tap, size := v.tapBytes(), len(out)/v.places()
	if v.Up {
		for o := range v.out[1] {
			at, step := v.Weights(o)
			for place := range v.places() {
				for c := range v.GroupIn {
					to := place*size + (o/partChans*blocks+c/block)*tap + (c%block*partChans+o%partChans)*4
					binary.LittleEndian.PutUint32(out[to:], math.Float32bits(w[(at+c*step)*v.places()+place]))
				}
			}
		}
		return
	}
	put := func(at, o, c, k int) {
		binary.LittleEndian.PutUint32(out[at:], math.Float32bits(w[(o*v.GroupIn+c)*v.Taps+k]))
	}
	for o := range v.out[1] {
		for k := range v.Taps {
			if v.each {
				put((o/4*v.Taps+k)*tap+o%4*4, o, 0, k)
				continue
			}
			for c := range v.GroupIn {
				put(((o/partChans*blocks+c/block)*v.Taps+k)*tap+(c%block*partChans+o%partChans)*4, o, c, k)
			}
		}
	}
}

// make adds the function that computes the convolution.
func (v *convolution) make(m *maker, c *op.Call) (int, error) {
	v.tail.bind(m)
	v.tiles = make(map[tileKind]int)
	v.wide = m.level == Emulated && v.pool == nil
	var weights packed
	if v.pool == nil {
		blocks, _ := v.blocks()
		weights = packed{m.held.packed(v, v.packedBytes(), v.pack), v.tapBytes(), blocks * v.Taps * v.tapBytes()}
		v.least = leastOf(tensor.Data[float32](v.n.In[1].Const))
	}
	return v.lines.make(m, c, weights, v.mostPixels, func(f *function, at tileAt, pixels int, r geometry.Stretch) {
		f.callTile(v.tile(m, c, tileKind{pixels, r.End - r.Begin, v.wide}), at, r.Begin*weights.tap)
	})
}

// mostPixels returns how many pixels tiles have in a run of n.
func (v *convolution) mostPixels(n int) int {
	switch {
	case v.each && v.wide: // Without this tiles would have fewer pixels.
		return min(4, n)
	case v.each: // Without this tiles would have fewer pixels.
		return min(8, n)
	case v.wide:
		return min(2, n)
	}
	best := mostPixels
	for p := mostPixels; p >= 4; p-- {
		if geometry.CeilDiv(n, p)*p < geometry.CeilDiv(n, best)*best {
			best = p
		}
	}
	return best
}

var tileType = wasmobj.FuncType{Params: []wasmobj.ValType{wasmobj.I32, wasmobj.I32, wasmobj.I32, wasmobj.I32, wasmobj.I32}}

// leastOf returns the least magnitude of numbers but 0; 0 if there is none.
func leastOf(list []float32) float32 {
	least := float32(0)
	for _, x := range list {
		if x = max(x, -x); x > 0 && (least == 0 || x < least) {
			least = x
		}
	}
	return least
}

// tile returns the function of a tile, which is given what [tileAt] has.
func (v *convolution) tile(m *maker, c *op.Call, key tileKind) int {
	if fn, ok := v.tiles[key]; ok {
		return fn
	}
	pixels, columns := key.pixels, key.columns
	f := m.newFunction(tileType)
	x, w, out, taps, channel := 0, 1, 2, 3, 4
	vectors := 2
	if v.each {
		vectors = 1
	}
	sums := f.newSums(pixels*vectors, key.wide, v.least)
	weights := make([]factor, vectors)
	for i := range weights {
		weights[i] = sums.newFactor()
	}
	element := sums.newFactor()
	blocks, last := v.blocks()
	tap := v.tapBytes()
	step := v.columns.Stride * v.pixel
	// some channels, from the one at x on
	steps := func(n int) {
		for k := range n {
			for i := range weights {
				if v.pool == nil {
					sums.load(weights[i], w, k*vectors*16+16*i, false)
				}
			}
			for p := range pixels {
				if v.pool != nil {
					f.load(x, p*step)
					f.Get(sums.v[p])
					f.SIMD(v.pool.step)
					f.Set(sums.v[p])
					continue
				}
				if v.each {
					sums.load(element, x, p*step, true)
					sums.add(p, element, weights[0])
					continue
				}
				one := sums.splat(element, x, p*step+k*v.channel)
				for i := range vectors {
					sums.add(p*vectors+i, one, weights[i])
				}
			}
		}
	}
	if v.pool != nil {
		for _, sum := range sums.v {
			f.vector(v.pool.first)
			f.Set(sum)
		}
	}
	first := [2]int{}
	if key.wide {
		sums.clear()
		for i, at := range []int{x, w} {
			first[i] = f.copied(at)
		}
	}
	v.window(f, columns, tap, [3]int{blocks, block, last}, func(channels int) {
		unroll := channels
		if channels > 4 && channels%4 == 0 {
			unroll = 4
		}
		f.loop(columns, func() {
			f.loop(channels/unroll, func() {
				steps(unroll)
				if v.each {
					f.move(w, tap)
					return
				}
				f.move(x, unroll*v.channel)
				f.move(w, unroll*vectors*16)
			})
			if v.each {
				f.move(x, v.columns.Dilation*v.pixel)
				return
			}
			f.move(x, v.columns.Dilation*v.pixel-channels*v.channel)
			f.move(w, tap-channels*vectors*16)
		})
		f.move(x, v.rows.Dilation*v.line-columns*v.columns.Dilation*v.pixel)
		f.move(w, (v.columns.Size-columns)*tap)
	})
	if key.wide {
		exact := v.tile(m, c, tileKind{1, columns, false})
		sums.doubts()
		f.Op(opIf, noResult)
		for p := range pixels {
			from := f.sum(func() { f.I32(int32(p * step)) }, term{first[0], 1})
			to := f.sum(func() { f.I32(int32(p * v.outPixel())) }, term{out, 1})
			f.callTile(exact, tileAt{from, first[1], to, taps, channel}, 0)
		}
		f.Op(opReturn, opEnd)
	}
	if v.pool != nil && v.pool.divisor != 0 {
		v.pool.divide(f, sums.v, taps, columns)
	}
	v.tail.write(f, c, sums.finish(), vectors, [3]int{out, channel, v.outPixel()})
	v.tiles[key] = m.addFunc(fmt.Sprintf("tile %d×%d", pixels, columns), tileType, f.Code)
	return v.tiles[key]
}

// divide divides sums of windows, given a local with how many lines of taps and how many taps of a line are inside.
func (p *pool) divide(f *function, sums []int, lines, columns int) {
	by := f.v128()
	if p.divisor == byInside {
		n := f.i32()
		f.Get(lines)
		f.I32(int32(columns))
		f.Op(i32Mul)
		f.Tee(n)
		f.I32(1)
		f.Get(n)
		f.Op(opSelect) // of none the average is 0
		f.Op(f32ConvertI32S)
		f.SIMD(f32x4Splat)
	} else {
		f.vector(float32(p.divisor))
	}
	f.Set(by)
	for _, sum := range sums {
		f.Get(sum)
		f.Get(by)
		f.SIMD(f32x4Div)
		f.Set(sum)
	}
}

// window adds the taps of a window to the sums of a function of [tileType] if columns of them are inside: line by line, in blocks of channels. It is given
// the bytes of the weights of a tap, how many blocks there are and how much each and the last one has; line adds so much of a line of taps, at the locals
// of the input and of the weights, and moves these to the next line.
func (l *lines) window(f *function, columns, tap int, blocks [3]int, line func(n int)) {
	if columns == 0 {
		return
	}
	x, w, taps := 0, 1, 3
	pass := func(n, times int) {
		f.loop(times, func() {
			f.repeat(f.copied(taps), func() { line(n) })
			if blocks[0] > 1 {
				weights := l.columns.Size * tap
				f.nextBlock(taps, [2]int{x, w}, [2]int{l.blockStep, l.rows.Size * weights}, [2]int{l.rows.Dilation * l.line, weights})
			}
		})
	}
	f.Get(taps)
	f.Op(opIf, noResult)
	if blocks[0] > 1 {
		pass(blocks[1], blocks[0]-1)
	}
	pass(blocks[2], 1)
	f.Op(opEnd)
}

// nextBlock moves locals, as of the input and of the weights, from behind the last line of taps to the next block: that many bytes behind the first line,
// when there are so many bytes from line to line, and a local has how many lines there are.
func (f *function) nextBlock(lines int, locals, blocks, line [2]int) {
	for i, at := range locals {
		f.address(at, func() { f.Get(at); f.I32(int32(blocks[i])); f.Op(i32Add) }, term{lines, -line[i]})
	}
}
