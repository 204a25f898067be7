package wasm

import (
	"encoding/binary"
	"math"

	"github.com/concord-nn/concord/internal/geometry"
	"github.com/concord-nn/concord/internal/kernel"
	"github.com/concord-nn/concord/internal/wasmobj"
	"github.com/concord-nn/concord/tensor"
)

// dots are sums of products of integers under construction: for each of some pixels those of eight channels, in two vectors.
type dots struct {
	*function
	sums   []int
	signed bool
	zero   int32
	by     int   // a local with the zero point, if it is computed; else -1
	x      []int // eight elements of each pixel, as 16 bits
	w      [2]int
	t      [2]int
}

func newDots(f *function, pixels int, signed bool, zero int32) *dots {
	d := &dots{function: f, signed: signed, zero: zero, by: -1, w: [2]int{f.v128(), f.v128()}, t: [2]int{f.v128(), f.v128()}}
	for range pixels {
		d.sums = append(d.sums, f.v128(), f.v128())
		d.x = append(d.x, f.v128())
	}
	return d
}

// bring sets a local to the eight elements at an address, less the zero point.
func (d *dots) bring(to, at, offset int) {
	load := uint32(v128Load8x8U)
	if d.signed {
		load = v128Load8x8S
	}
	d.Get(at)
	d.SIMD(load, 0, uint64(offset))
	switch {
	case d.by >= 0:
		d.Get(d.by)
		d.SIMD(i16x8Sub)
	case d.zero != 0:
		d.wideWords(uint32(uint16(d.zero)) * 0x10001)
		d.SIMD(i16x8Sub)
	}
	d.Set(to)
}

// product adds the dot products of a local's pairs with weights to a sum.
func (d *dots) product(sum, x, w int) {
	d.Get(x)
	d.Get(w)
	d.SIMD(i32x4Dot)
	d.Get(sum)
	d.SIMD(i32x4Add)
	d.Set(sum)
}

func (d *dots) weights(w, offset int) {
	for i := range d.w {
		d.load(w, offset+16*i)
		d.Set(d.w[i])
	}
}

// add adds, for pixels so many bytes apart, the products of eight channels of the input with those of the result.
func (d *dots) add(x, w, at, weights, apart int) {
	for p, to := range d.x {
		d.bring(to, x, at+p*apart)
	}
	for pair := range byte(octet / 2) {
		d.weights(w, weights+int(pair)*4*octet)
		for p, from := range d.x {
			d.shuffled(from, from, []byte{pair, pair, pair, pair})
			d.Set(d.t[0])
			for i := range d.w {
				d.product(d.sums[2*p+i], d.t[0], d.w[i])
			}
		}
	}
}

// taps adds, for pixels so many bytes apart, the products of some taps in a row with eight channels, each by itself.
func (d *dots) taps(x, w, taps, next, apart int) {
	a, b := d.t[0], d.t[1]
	for k := 0; k < taps; k += 2 {
		offset := k * tapOfEach
		if k == taps-1 {
			offset += tapOfEach / 2
		}
		d.weights(w, offset)
		for p, pair := range d.x {
			d.bring(a, x, k*next+p*apart)
			other := a
			if k < taps-1 {
				d.bring(b, x, (k+1)*next+p*apart)
				other = b
			}
			for i := range byte(2) {
				d.Get(a)
				d.Get(other)
				d.SIMD(i8x16Shuffle)
				for lane := 8 * i; lane < 8*i+8; lane += 2 {
					d.Op(lane, lane+1, lane+16, lane+17)
				}
				d.Set(pair)
				d.product(d.sums[2*p+int(i)], pair, d.w[i])
			}
		}
	}
}

// integerTail is what becomes of sums: a bias, and where they are requantized, other integers of 8 bits, perhaps bounded.
type integerTail struct {
	to           tensor.DType // of the result
	multiplier   []float32    // one, or one for each channel
	zero         int32
	bounds       [2]*int32 // the least and the greatest result
	bias, factor int       // data by channel, -1 for none
}

// integerTailOf returns the tail of a region of sums with so many channels along an axis; nil if a node is none that vectors have.
func integerTailOf(r kernel.Region, channels, axis int) *integerTail {
	t := &integerTail{to: tensor.Int32}
	last := r.Root().Out[0]
	for i, n := range r.Nodes[1:] {
		for _, v := range n.In {
			if v != nil && v != last && v.Const == nil {
				return nil
			}
		}
		switch {
		case i == 0 && n.Op == "requantize": // Without this references would compute it.
			factor, zero := n.In[1], n.In[2]
			if n.In[0] != last || zero.Type.Shape.Len() != 1 || !bits8.Has(zero.Type.DType) {
				return nil
			}
			if s := factor.Type.Shape; s.Len() != 1 && (s.Len() != channels || len(s) != len(last.Type.Shape) || s[axis] != channels) {
				return nil
			}
			t.to, t.zero, t.multiplier = zero.Type.DType, integersOf(n.In, 2)[0], tensor.Data[float32](factor.Const.Contiguous())
			for _, x := range t.multiplier {
				if !(math.Abs(float64(x)) <= math.MaxFloat32) { // which might make what is no number
					return nil
				}
			}
		case i == 1 && n.Op == "clamp" && n.In[0] == last: // Without this references would compute it.
			for k := range t.bounds {
				if k+1 >= len(n.In) || n.In[k+1] == nil {
					continue
				}
				list := integersOf(n.In, k+1)
				if len(list) != 1 {
					return nil
				}
				t.bounds[k] = &list[0]
			}
		default:
			return nil
		}
		last = n.Out[0]
	}
	return t
}

// size returns the bytes of an element of the result.
func (t *integerTail) size() int { return t.to.Size() }

// bind adds the lists by channel to a module.
func (t *integerTail) bind(m *maker, channels int, bias []int32) {
	list := func(word func(c int) uint32) int {
		d := newMemory(4 * block * geometry.CeilDiv(channels, block))
		d.Align = 16
		for c := range channels {
			binary.LittleEndian.PutUint32(d.Bytes[4*c:], word(c))
		}
		return m.add(d)
	}
	t.bias = list(func(c int) uint32 { return uint32(bias[c%len(bias)]) })
	if t.multiplier != nil {
		t.factor = list(func(c int) uint32 { return math.Float32bits(t.multiplier[c%len(t.multiplier)]) })
	}
}

// pushList pushes a vector of a list, from a channel on that a local has in bytes.
func (f *function) pushList(list, channel, offset int) {
	f.Ref(wasmobj.ToData, list, 0)
	f.Get(channel)
	f.Op(i32Add)
	f.SIMD(v128Load, vectorMemory, uint64(offset))
}

// begin sets sums to the bias.
func (t *integerTail) begin(f *function, sums []int, channel int) {
	for i := range 2 {
		f.pushList(t.bias, channel, 16*i)
		f.Set(sums[i])
		for p := 2 + i; p < len(sums); p += 2 {
			f.Get(sums[i])
			f.Set(sums[p])
		}
	}
}

// write writes the sums of eight channels, or of the first ones.
func (t *integerTail) write(f *function, sums []int, out, offset, channel, channels int) {
	if t.to == tensor.Int32 {
		for i, sum := range sums {
			if channels >= 4*i+4 {
				f.store(out, offset+16*i, sum)
			} else {
				f.storeLanes(v128Store32Lane, out, offset+16*i, sum, max(channels-4*i, 0), 4)
			}
		}
		return
	}
	v := sums[0]
	for i, sum := range sums {
		f.Get(sum)
		f.SIMD(f32x4ConvertS)
		f.pushList(t.factor, channel, 16*i)
		f.SIMD(f32x4Mul)
		f.round(t.zero)
		f.Set(sum)
	}
	f.narrow(v, sums[0], sums[1], t.to)
	limit := [2]uint32{i8x16MaxU, i8x16MinU}
	if t.to == tensor.Int8 {
		limit = [2]uint32{i8x16MaxS, i8x16MinS}
	}
	for k := 1; k >= 0; k-- { // max(min(x, b), a)
		if bound := t.bounds[k]; bound != nil {
			f.Get(v)
			f.wideWords(uint32(uint8(*bound)) * 0x1010101)
			f.SIMD(limit[k])
			f.Set(v)
		}
	}
	if channels == octet { // Without this each of them would be stored by itself.
		f.storeLanes(v128Store64Lane, out, offset, v, 1, 8)
	} else {
		f.storeLanes(v128Store8Lane, out, offset, v, channels, 1)
	}
}

// storeLanes writes the first n lanes of a local, of so many bytes each.
func (f *function) storeLanes(store uint32, at, offset, v, n, size int) {
	for lane := range n {
		f.Get(at)
		f.Get(v)
		f.SIMD(store, 0, uint64(offset+lane*size))
		f.Op(byte(lane))
	}
}

// round makes of floats that are pushed, but NaN, the nearest integers plus another of at most 9 bits. Great ones become such that are beyond 8 bits.
func (f *function) round(zero int32) {
	const most = 1 << 14 // what is added to it is exact, and fits into 16 bits
	f.vector(most)
	f.SIMD(f32x4PMin)
	f.vector(-most)
	f.SIMD(f32x4PMax)
	f.vector(0x1.8p23) // so that the integer is in the low bits
	f.SIMD(f32x4Add)
	f.wideWords(0x4B400000 - uint32(zero))
	f.SIMD(i32x4Sub)
}

// narrow sets the lower half of a local to eight integers of 8 bits, bounded, which two locals have.
func (f *function) narrow(to, low, high int, d tensor.DType) {
	f.Get(low)
	f.Get(high)
	f.SIMD(i16x8NarrowS)
	f.Tee(to)
	f.Get(to)
	if d == tensor.Int8 {
		f.SIMD(i8x16NarrowS)
	} else {
		f.SIMD(i8x16NarrowU)
	}
	f.Set(to)
}
