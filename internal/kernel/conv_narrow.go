package kernel

import (
	"encoding/binary"

	"github.com/concord-nn/concord/internal/geometry"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// Convolution of integers of 8 bits with a filter of such, or of integers of 16 bits. Sums of integers do not depend on their order, so it
// gives what the general kernel gives, faster: float64 has the products and their sums exactly, and of 8 bits, in one number, those for two
// positions.
const (
	octet       = 8   // positions of a result plane at a time of elements of 8 bits, in pairs; half as many of 16 bits
	octetPlanes = 32  // output channels in a piece
	octetWindow = 128 // window positions at a time
	octetTaps   = 512 // taps at a time; their sums, up to 255² each, are within half of pairBits
	pairBits    = 26  // the second of a pair of integers in a float64 counts 2^pairBits
	fewPlanes   = 2   // output channels of a group for which making pairs does not pay
)

// convolveNarrow returns the function that prepares a convolution of elements of the given size. Some positions of the result in some output
// channels are a piece.
func convolveNarrow(size int) func(a *application, q *requantization) *Plan {
	return func(a *application, q *requantization) *Plan {
		v := a.convolution()
		o := octets{v: v, size: size, positions: geometry.CeilDiv(v.OutPlane, octet/size), planes: geometry.CeilDiv(v.Channels, octetPlanes),
			bias: a.has(2), inputZero: a.has(3), filterZeros: a.has(4)}
		p := &Plan{Pieces: a.out[0].Shape[0] * o.positions * o.planes}
		if q != nil {
			p.Scratch = o.planes * octetPlanes * octet * a.out[0].DType.Size()
		}
		if a.wide() {
			write := storing[int64](q)
			p.Run = func(c *op.Call, lo, hi int) { convolveOctets(c, &o, write, lo, hi) }
		} else {
			write := storing[int32](q)
			p.Run = func(c *op.Call, lo, hi int) { convolveOctets(c, &o, write, lo, hi) }
		}
		return p
	}
}

// octets is the geometry of a convolution that is computed by octets, and what there is besides input and filter.
type octets struct {
	v                            *geometry.Convolution
	size                         int // of an element of the operands, in bytes
	positions, planes            int // of octets in a plane of the result, and of pieces at each
	bias, inputZero, filterZeros bool
}

// convolveOctets computes the pieces lo…hi-1: of each batch item, so many groups of positions, and for each of these so many of planes. Sums that
// are not the result are kept in working memory until they are complete.
func convolveOctets[A tensor.Integer](c *op.Call, of *octets, write store[A], lo, hi int) {
	p := octetPart[A]{octets: of, x: narrowOf(c.In[0]), filter: narrowOf(c.In[1]), watch: c.Watch()}
	if write == nil {
		p.y = tensor.Data[A](c.Out[0])
	} else {
		p.sums = scratch[A](c)
	}
	if of.bias {
		p.biases = tensor.Data[A](c.In[2])
	}
	if of.inputZero {
		p.x.zero = integerAt(c.In[3], 0)
	}
	if of.filterZeros {
		p.zeros = c.In[4]
	}
	p.x.fill()
	p.tabulate()
	for lo < hi && !p.watch.Stops(0) {
		n := min(hi-lo, of.planes-lo%of.planes)
		p.batch, p.first = lo/of.planes/of.positions, lo/of.planes%of.positions*(octet/of.size)
		p.n = min(octet/of.size, of.v.OutPlane-p.first)
		from := lo % of.planes * octetPlanes
		to := min(from+n*octetPlanes, of.v.Channels)
		p.compute(from, to)
		for o := from; write != nil && o < to; o++ {
			write(c, p.plane(o), p.at(o), o, false)
		}
		lo += n
	}
}

// narrowed is the elements, of 8 or 16 bits, of a tensor of integers, as their differences from a zero point.
type narrowed struct {
	b8   []uint8 // their bits; one of these is nil
	b16  []uint16
	sign uint64 // the sign bit, if there is one
	zero int64
	none uint64 // as many elements as zero as 64 bits have
}

func narrowOf(t *tensor.Tensor) narrowed {
	n := narrowed{b8: tensor.Words[uint8](t), b16: tensor.Words[uint16](t)}
	if t.DType().IsSigned() {
		n.sign = 1 << (8*t.DType().Size() - 1)
	}
	return n
}

// fill sets none.
func (n *narrowed) fill() {
	if n.b8 != nil {
		n.none = uint64(uint8(n.zero)) * 0x0101010101010101
	} else {
		n.none = uint64(uint16(n.zero)) * 0x0001000100010001
	}
}

// number returns the difference for an element by its bits.
func (n *narrowed) number(bits uint64) int64 { return int64((bits^n.sign)-n.sign) - n.zero }

// octetPart is the part of the result at n positions of the planes of a batch item, from the first on.
type octetPart[A tensor.Integer] struct {
	*octets
	x, filter       narrowed
	y, sums, biases []A            // sums are those at n positions of all planes, where they are not written to the result; else nil
	zeros           *tensor.Tensor // of the filter: one or one for each output channel; nil if they are 0
	floats          [256]float64   // what counts for elements of the filter of 8 bits, by their bits; reading it is faster than a conversion
	batch, first, n int
	begin, window   int // the window positions at work
	watch           op.Watch
	met             [octetWindow]octetMet         // what they meet
	pairs           [octetTaps][octet / 2]float64 // these elements by input channel and window position; of 8 bits, each with the one octet/2 behind it
}

// octetMet says which elements of a plane of the input the octet meets at a window position: those from at[0] on as far as mask has
// their bits, or else, if run is not set, those at the given places, of which -1 is none.
type octetMet struct {
	run  bool
	mask uint64
	at   [octet]int32
}

// at returns where the part in an output channel begins in the result.
func (p *octetPart[A]) at(o int) int { return (p.batch*p.v.Channels+o)*p.v.OutPlane + p.first }

// plane returns the sums of the part in an output channel.
func (p *octetPart[A]) plane(o int) []A {
	if p.sums != nil {
		return p.sums[o*octet:][:p.n]
	}
	return p.y[p.at(o):][:p.n]
}

// zero sets the zero point of the filter to that of an output channel.
func (p *octetPart[A]) zero(o int) {
	if p.zeros == nil {
		return
	}
	if zero := integerAt(p.zeros, o%p.zeros.Len()); zero != p.filter.zero {
		p.filter.zero = zero
		p.tabulate()
	}
}

// tabulate sets floats.
func (p *octetPart[A]) tabulate() {
	for bits := range p.floats {
		p.floats[bits] = float64(p.filter.number(uint64(bits)))
	}
}

// compute sets the part in the output channels from…to-1.
func (p *octetPart[A]) compute(from, to int) {
	for o := from; o < to; o++ {
		bias := A(0)
		if len(p.biases) > 0 {
			bias = p.biases[o%len(p.biases)]
		}
		for q, y := 0, p.plane(o); q < len(y); q++ {
			y[q] = bias
		}
	}
	var k geometry.Position
	for p.begin = 0; p.begin < p.v.Taps; p.begin += p.window {
		p.window = min(octetWindow, p.v.Taps-p.begin)
		p.locate(&k)
		for o := from; o < to; {
			end := min(to, (o/p.v.GroupOut+1)*p.v.GroupOut)
			if end-o <= fewPlanes && p.size == 1 {
				for ; o < end; o++ {
					p.addPlane(o)
				}
			} else {
				p.addPlanes(o, end)
			}
			o = end
		}
	}
}

// locate sets met for the window positions from k on, which it moves behind them.
func (p *octetPart[A]) locate(k *geometry.Position) {
	g, last, end := &p.v.Sliding, p.v.Last(), p.v.Rank-1
	first := g.Result(p.first)
	inRow := first[end]+p.n <= last.Out
	var base, col [octet]int // of the row that a position meets, and in it
	for i := range p.window {
		if i == 0 || k[end] == 0 {
			o := first
			for q := range p.n {
				if col[q] = o[end] * last.Stride; q == 0 || o[end] == 0 {
					base[q] = g.Offset(&o, k, end)
				} else {
					base[q] = base[q-1]
				}
				g.NextResult(&o)
			}
		}
		m, shift := &p.met[i], k[end]*last.Dilation-last.Before
		g.NextPosition(k)
		*m = octetMet{}
		m.run = inRow && last.Stride == 1 && g.Border == geometry.BorderIgnore
		if m.run {
			from, to := max(-col[0]-shift, 0), min(last.In-col[0]-shift, p.n)
			if m.at[0] = int32(base[0] + col[0] + shift); base[0] >= 0 && from < to {
				m.mask = ^uint64(0) >> (8 * (octet - (to-from)*p.size)) << (8 * from * p.size)
			}
			continue
		}
		for q := range m.at {
			m.at[q] = -1
			if q < p.n && base[q] >= 0 {
				if j := g.Border.Index(col[q]+shift, last.In); j >= 0 {
					m.at[q] = int32(base[q] + j)
				}
			}
		}
	}
}

// elements returns the bits of the elements that are met in the plane that begins there, the first in the lowest ones, zero points for none.
func (p *octetPart[A]) elements(m *octetMet, plane int) uint64 {
	if at := plane + int(m.at[0]); m.run && at >= 0 && at+octet <= len(p.x.b8) {
		return binary.LittleEndian.Uint64(p.x.b8[at:])&m.mask | p.x.none&^m.mask
	}
	if p.size == 1 {
		return gathered(p.x.b8, m, plane, octet, p.x.none)
	}
	return gathered(p.x.b16, m, plane, octet/2, p.x.none)
}

// gathered returns the elements of x that are met, of n positions, among those that stand for none.
func gathered[X uint8 | uint16](x []X, m *octetMet, plane, n int, e uint64) uint64 {
	bits := 8 * octet / n
	for q, at := range m.at[:n] {
		if m.run {
			at = m.at[0] + int32(q)
			if m.mask>>(bits*q)&1 == 0 {
				at = -1
			}
		}
		if at >= 0 {
			e = e&^(uint64(^X(0))<<(bits*q)) | uint64(x[plane+int(at)])<<(bits*q)
		}
	}
	return e
}

// addPlane adds the products of elements of 8 bits for one output channel. It computes with those of int8 plus 128, which are not negative,
// so that pairs of them are in one word at once, and takes what these are too great by, the zero point too, from the sums.
func (p *octetPart[A]) addPlane(o int) {
	const each, pair = 0x0101010101010101, 0x000000FF000000FF
	y, signs, offset := p.plane(o), p.x.sign*each, int64(p.x.sign)+p.x.zero
	p.zero(o)
	for c := range p.v.GroupIn {
		if p.watch.Stops(octet * p.window) {
			return
		}
		plane, total := p.v.Input(p.batch, o)+c*p.v.InPlane, int64(0)
		var s0, s1, s2, s3 int64
		for i, w := range p.filter.b8[(o*p.v.GroupIn+c)*p.v.Taps+p.begin:][:p.window] {
			e, w := p.elements(&p.met[i], plane)^signs, p.filter.number(uint64(w))
			s0 += int64(e&pair) * w
			s1 += int64(e>>8&pair) * w
			s2 += int64(e>>16&pair) * w
			s3 += int64(e>>24&pair) * w
			total += w
		}
		sums := [octet / 2]int64{s0, s1, s2, s3}
		for q := range y {
			sum := sums[q%(octet/2)]
			if low := int64(int32(sum)); q < octet/2 {
				sum = low
			} else {
				sum = (sum - low) >> 32
			}
			y[q] += A(sum - offset*total)
		}
	}
}

// addPlanes adds the products for the output channels from…to-1, which are of one group.
func (p *octetPart[A]) addPlanes(from, to int) {
	channels := 1
	if p.window == p.v.Taps {
		channels = octetTaps / p.window
	}
	for c := 0; c < p.v.GroupIn; c += channels {
		m := min(channels, p.v.GroupIn-c)
		if p.watch.Stops(octet * m * p.window * (to - from)) {
			return
		}
		pairs := p.pairs[:m*p.window]
		for j := range m {
			p.load(pairs[j*p.window:][:p.window], p.v.Input(p.batch, from)+(c+j)*p.v.InPlane)
		}
		for o := from; o < to; o++ {
			y, at := p.plane(o), (o*p.v.GroupIn+c)*p.v.Taps+p.begin
			p.zero(o)
			if p.size == 1 {
				addPairs(y, sumPairs(pairs, p.filter.b8[at:][:len(pairs)], &p.floats))
			} else {
				addSingles(y, sumSingles(pairs, p.filter.b16[at:][:len(pairs)], p.filter))
			}
		}
	}
}

// load sets pairs to the elements of the plane that begins there.
func (p *octetPart[A]) load(pairs [][octet / 2]float64, plane int) {
	x := &p.x
	for i := range pairs {
		e, to := p.elements(&p.met[i], plane), &pairs[i]
		if p.size == 1 {
			to[0], to[1], to[2], to[3] = x.pair(e), x.pair(e>>8), x.pair(e>>16), x.pair(e>>24)
		} else {
			to[0], to[1], to[2], to[3] = x.single(e), x.single(e>>16), x.single(e>>32), x.single(e>>48)
		}
	}
}

// pair returns the integer in the lowest 8 bits and the one octet/2 behind it in one number.
func (n *narrowed) pair(e uint64) float64 {
	return float64(n.number(e&0xFF) + n.number(e>>(8*octet/2)&0xFF)<<pairBits)
}

// single returns the integer in the lowest 16 bits.
func (n *narrowed) single(e uint64) float64 { return float64(n.number(e & 0xFFFF)) }

// sumPairs returns the sums of products of pairs with the elements of a filter. Two at a time leave time to add to each sum.
func sumPairs(pairs [][octet / 2]float64, filter []uint8, floats *[256]float64) [octet / 2]float64 {
	var a, b, c, d float64
	filter = filter[:len(pairs)]
	for i := 1; i < len(pairs); i += 2 {
		x, y, v, w := &pairs[i-1], &pairs[i], floats[filter[i-1]], floats[filter[i]]
		a += float64(x[0]*v) + float64(y[0]*w)
		b += float64(x[1]*v) + float64(y[1]*w)
		c += float64(x[2]*v) + float64(y[2]*w)
		d += float64(x[3]*v) + float64(y[3]*w)
	}
	if n := len(pairs) - 1; n%2 == 0 {
		x, v := &pairs[n], floats[filter[n]]
		a += float64(x[0] * v)
		b += float64(x[1] * v)
		c += float64(x[2] * v)
		d += float64(x[3] * v)
	}
	return [octet / 2]float64{a, b, c, d}
}

// sumSingles is sumPairs for elements of 16 bits.
func sumSingles(singles [][octet / 2]float64, filter []uint16, n narrowed) [octet / 2]float64 {
	var a, b, c, d float64
	filter = filter[:len(singles)]
	for i := 1; i < len(singles); i += 2 {
		x, y, v, w := &singles[i-1], &singles[i], n.single(uint64(filter[i-1])), n.single(uint64(filter[i]))
		a += float64(x[0]*v) + float64(y[0]*w)
		b += float64(x[1]*v) + float64(y[1]*w)
		c += float64(x[2]*v) + float64(y[2]*w)
		d += float64(x[3]*v) + float64(y[3]*w)
	}
	if last := len(singles) - 1; last%2 == 0 {
		x, v := &singles[last], n.single(uint64(filter[last]))
		a += float64(x[0] * v)
		b += float64(x[1] * v)
		c += float64(x[2] * v)
		d += float64(x[3] * v)
	}
	return [octet / 2]float64{a, b, c, d}
}

// addPairs adds pairs of integers to the elements that they belong to.
func addPairs[A tensor.Integer](y []A, pairs [octet / 2]float64) {
	for q, pair := range pairs {
		both := int64(pair)
		low := both << (64 - pairBits) >> (64 - pairBits)
		if q < len(y) {
			y[q] += A(low)
		}
		if q += octet / 2; q < len(y) {
			y[q] += A((both - low) >> pairBits)
		}
	}
}

// addSingles adds integers to elements.
func addSingles[A tensor.Integer](y []A, singles [octet / 2]float64) {
	for q := range y {
		y[q] += A(int64(singles[q]))
	}
}
