package wasm

import (
	"encoding/binary"
	"fmt"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/geometry"
	"github.com/concord-nn/concord/internal/kernel"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// Convolutions of integers of 8 bits by dot products of pairs of 16 bits: differences from zero points have 9 bits, and sums of 32 bits wrap as the
// reference's do, in any order.

const (
	octet       = 8 // channels that are extended to 16 bits at once, and of the result that a tile has
	octetPixels = 4 // of a tile, at most
	octetBytes  = octet * octet * 2
	mostTaps    = 16 // in a row of a window for each channel: their code has no loop
	tapOfEach   = 64 // bytes of weights that eight channels, each its own group, have for a tap: with the next tap, and alone
)

var bits8 = op.TypeSet(tensor.Int8, tensor.Uint8)

// integerConvolution is a conv of 8 bits with constant weights and zero points, in one group or with one for each channel.
type integerConvolution struct {
	geometry.Convolution
	lines
	n      *graph.Node
	tail   *integerTail
	tiles  map[tileKind]int
	signed bool // whether the input's elements have signs
	zero   int32
}

func convolveIntegers(r kernel.Region) *kernel.Plan {
	n := r.Root()
	in, filter, out := n.In[0].Type.Shape, n.In[1].Type.Shape, n.Out[0].Type.Shape
	if n.In[1].Const == nil || in.Len() == 0 || out.Len() == 0 || filter.Len() == 0 || len(in) < 3 || n.Out[0].Type.DType != tensor.Int32 {
		return nil
	}
	for _, v := range n.In[2:] {
		if v != nil && v.Const == nil {
			return nil
		}
	}
	v := &integerConvolution{Convolution: geometry.NewConvolution(n.Attrs, in, filter, out), n: n, lines: lines{in: in, out: out, channels: octet}}
	v.Sliding = v.WithoutZeros()
	v.each = v.GroupIn == 1 && v.GroupOut == 1 && in[1] > 1
	if v.GroupIn != in[1] && !v.each || v.Border != geometry.BorderIgnore || v.Rank > 2 {
		return nil
	}
	if v.tail = integerTailOf(r, out[1], 1); v.tail == nil {
		return nil
	}
	v.slide(&v.Sliding, block)
	if v.each && v.columns.Size > mostTaps { // Without this there would be more code.
		return nil
	}
	v.signed, v.zero = n.In[0].Type.DType == tensor.Int8, integersOf(n.In, 3)[0]
	v.element = v.tail.size()
	p := &kernel.Plan{In: make([]kernel.Layout, len(r.Operands())), Out: []kernel.Layout{kernel.Blocked16}}
	p.In[0] = kernel.Blocked16
	p.Pieces = in[0] * v.parts() * v.rows.Out
	p.Code = makes(v.make)
	return p
}

// integersOf returns the elements of a constant operand of integers, one 0 if it is absent.
func integersOf(in []*graph.Value, i int) []int32 {
	if i >= len(in) || in[i] == nil {
		return []int32{0}
	}
	list := make([]int32, in[i].Const.Len())
	geometry.Load(list, in[i].Const.Contiguous(), 0, 1)
	return list
}

// octets returns the number of blocks of channels that sums go through, and in how many octets the channels of the last one are.
func (v *integerConvolution) octets() (blocks, last int) {
	blocks = geometry.CeilDiv(v.GroupIn, block)
	return blocks, geometry.CeilDiv(v.GroupIn-(blocks-1)*block, octet)
}

// tapBytes returns the bytes of weights that a part has for a tap and a block of channels.
func (v *integerConvolution) tapBytes() int {
	if v.each {
		return tapOfEach
	}
	if blocks, last := v.octets(); blocks == 1 { // Without this weights would take more memory.
		return last * octetBytes
	}
	return block / octet * octetBytes
}

// packedBytes returns how many bytes the packed weights take.
func (v *integerConvolution) packedBytes() int {
	blocks, _ := v.octets()
	return v.parts() * blocks * v.Taps * v.tapBytes()
}

// pack writes the weights, less their zero points, by part, block, tap, pair of channels of the input, channel of the result; of groups by part, tap.
func (v *integerConvolution) pack(out []byte) {
	w, zeros := make([]int32, v.n.In[1].Const.Len()), integersOf(v.n.In, 4)
	geometry.Load(w, v.n.In[1].Const.Contiguous(), 0, 1)
	blocks, _ := v.octets()
	tap := v.tapBytes()
	put := func(at int, x int32) { binary.LittleEndian.PutUint16(out[at:], uint16(x)) }
	for o := range v.out[1] {
		part, lane := o/octet, o%octet
		for c := range v.GroupIn {
			for k := range v.Taps {
				x := w[(o*v.GroupIn+c)*v.Taps+k] - zeros[o%len(zeros)]
				if !v.each {
					put(((part*blocks+c/block)*v.Taps+k)*tap+c%block/2*4*octet+4*lane+c%2*2, x)
					continue
				}
				at := (part*v.Taps+k)*tap + 4*lane
				put(at, x)
				put(at+4*octet, x)
				if k > 0 {
					put(at-tap+2, x)
				}
			}
		}
	}
}

// make adds the function that computes the convolution.
func (v *integerConvolution) make(m *maker, c *op.Call) (int, error) {
	v.tail.bind(m, v.out[1], integersOf(v.n.In, 2))
	v.tiles = make(map[tileKind]int)
	blocks, _ := v.octets()
	weights := packed{m.held.packed(v, v.packedBytes(), v.pack), v.tapBytes(), blocks * v.Taps * v.tapBytes()}
	most := func(int) int { return octetPixels }
	return v.lines.make(m, c, weights, most, func(f *function, at tileAt, pixels int, r geometry.Stretch) {
		f.callTile(v.tile(m, tileKind{pixels: pixels, columns: r.End - r.Begin}), at, r.Begin*weights.tap)
	})
}

// tile returns the function of a tile, which is given what [tileAt] has.
func (v *integerConvolution) tile(m *maker, key tileKind) int {
	if fn, ok := v.tiles[key]; ok { // Without this each run would have a function of its own.
		return fn
	}
	f := m.newFunction(tileType)
	x, w, out, channel := 0, 1, 2, 4
	d := newDots(f, key.pixels, v.signed, v.zero)
	v.tail.begin(f, d.sums, channel)
	blocks, last := v.octets()
	tap, step := v.tapBytes(), v.columns.Stride*block
	v.window(f, key.columns, tap, [3]int{blocks, block / octet, last}, func(octets int) {
		moved := 0 // taps that x and w have gone through
		if v.each {
			d.taps(x, w, key.columns, v.columns.Dilation*block, step)
		} else {
			f.loop(key.columns, func() {
				for i := range octets {
					d.add(x, w, i*octet, i*octetBytes, step)
				}
				f.move(x, v.columns.Dilation*block)
				f.move(w, tap)
			})
			moved = key.columns
		}
		f.move(x, v.rows.Dilation*v.line-moved*v.columns.Dilation*block)
		f.move(w, (v.columns.Size-moved)*tap)
	})
	for p := range key.pixels {
		v.tail.write(f, d.sums[2*p:][:2], out, p*v.outPixel(), channel, octet)
	}
	v.tiles[key] = m.addFunc(fmt.Sprintf("tile %d×%d", key.pixels, key.columns), tileType, f.Code)
	return v.tiles[key]
}
