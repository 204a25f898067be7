package op

import (
	"encoding/binary"
	"math"

	"github.com/concord-nn/concord/tensor"
)

// Convolution of int8 with an int8 filter to int32. Sums of integers do not depend on their order, so it gives what the general kernel
// gives, faster: one multiplication of float64 yields the products for two positions, exactly.
const (
	octet       = 8   // positions of a result plane at a time, in pairs
	octetPlanes = 32  // output channels in a piece
	octetWindow = 128 // window positions at a time
	octetTaps   = 512 // taps at a time; their sums are far within half of pairBits
	pairBits    = 26  // the second of a pair of integers in a float64 counts 2^pairBits
	fewPlanes   = 2   // output channels of a group for which making pairs does not pay
)

// isInt8Conv reports whether conv has a kernel of its own for the types. Places in a plane must fit 32 bits.
func isInt8Conv(c *Call) bool {
	return c.In[0].DType() == tensor.Int8 && c.In[1].DType() == tensor.Int8 && c.Out[0].DType() == tensor.Int32 &&
		c.In[0].Shape()[2:].Len() <= math.MaxInt32
}

// octets returns how many pieces there are for each batch item: of positions, and of output channels for each of these.
func (v *convolution) octets() (positions, planes int) {
	return ceilDiv(v.outPlane, octet), ceilDiv(v.channels, octetPlanes)
}

// convolveInt8 makes some positions of the result in some output channels a piece.
func convolveInt8(c *Call, lo, hi int) {
	p := octetPart{v: newConvolution(c, false), x: words[uint8](c.In[0]), filter: tensor.Data[int8](c.In[1]), y: tensor.Data[int32](c.Out[0]), watch: c.watch()}
	if c.Has(2) {
		p.bias = tensor.Data[int32](c.In[2])
	}
	positions, planes := p.v.octets()
	for lo < hi {
		n := min(hi-lo, planes-lo%planes)
		p.batch, p.first = lo/planes/positions, lo/planes%positions*octet
		p.n = min(octet, p.v.outPlane-p.first)
		from := lo % planes * octetPlanes
		p.compute(from, min(from+n*octetPlanes, p.v.channels))
		lo += n
	}
}

// octetPart is the part of the result at n positions of the planes of a batch item, from the first on.
type octetPart struct {
	v               convolution
	x               []uint8 // the input's bits
	filter          []int8
	y, bias         []int32
	batch, first, n int
	begin, window   int // the window positions at work
	watch           watch
	met             [octetWindow]octetMet         // what they meet
	pairs           [octetTaps][octet / 2]float64 // these elements by input channel and window position, each with the one octet/2 behind it
}

// octetMet says which elements of a plane of the input the octet meets at a window position: those from at[0] on as far as mask has
// their bits, or else, if run is not set, those at the given places, of which -1 is none.
type octetMet struct {
	run  bool
	mask uint64
	at   [octet]int32
}

// plane returns the part in an output channel.
func (p *octetPart) plane(o int) []int32 {
	at := (p.batch*p.v.channels+o)*p.v.outPlane + p.first
	return p.y[at : at+p.n]
}

// input returns where the plane of input channel c of a group begins.
func (p *octetPart) input(group, c int) int {
	return ((p.batch*p.v.channels/p.v.groupOut+group)*p.v.groupIn + c) * p.v.inPlane
}

// compute sets the part in the output channels from…to-1.
func (p *octetPart) compute(from, to int) {
	for o := from; o < to; o++ {
		bias := int32(0)
		if len(p.bias) > 0 {
			bias = p.bias[o%len(p.bias)]
		}
		for q, y := 0, p.plane(o); q < len(y); q++ {
			y[q] = bias
		}
	}
	var k position
	for p.begin = 0; p.begin < p.v.volume; p.begin += p.window {
		p.window = min(octetWindow, p.v.volume-p.begin)
		p.locate(&k)
		for o := from; o < to; {
			group := o / p.v.groupOut
			end := min(to, (group+1)*p.v.groupOut)
			if end-o <= fewPlanes {
				for ; o < end; o++ {
					p.addPlane(group, o)
				}
			} else {
				p.addPlanes(group, o, end)
			}
			o = end
		}
	}
}

// locate sets met for the window positions from k on, which it moves behind them.
func (p *octetPart) locate(k *position) {
	g, last, end := &p.v.sliding, p.v.last(), p.v.rank-1
	first := g.result(p.first)
	inRow := first[end]+p.n <= last.out
	var base, col [octet]int // of the row that a position meets, and in it
	for i := range p.window {
		if i == 0 || k[end] == 0 {
			o := first
			for q := range p.n {
				if col[q] = o[end] * last.stride; q == 0 || o[end] == 0 {
					base[q] = g.offset(&o, k, end)
				} else {
					base[q] = base[q-1]
				}
				g.nextResult(&o)
			}
		}
		m, shift := &p.met[i], k[end]*last.dilation-last.before
		g.nextPosition(k)
		*m = octetMet{}
		m.run = inRow && last.stride == 1 && g.border == borderConstant
		if m.run {
			from, to := max(-col[0]-shift, 0), min(last.in-col[0]-shift, p.n)
			if m.at[0] = int32(base[0] + col[0] + shift); base[0] >= 0 && from < to {
				m.mask = ^uint64(0) >> (8 * (octet - to + from)) << (8 * from)
			}
			continue
		}
		for q := range m.at {
			m.at[q] = -1
			if q < p.n && base[q] >= 0 {
				if j := g.border.index(col[q]+shift, last.in); j >= 0 {
					m.at[q] = int32(base[q] + j)
				}
			}
		}
	}
}

// elements returns the elements that are met in the plane that begins there, the first in the lowest bits, zeros for none.
func (p *octetPart) elements(m *octetMet, plane int) (e uint64) {
	if !m.run {
		for q, at := range m.at {
			if at >= 0 {
				e |= uint64(p.x[plane+int(at)]) << (8 * q)
			}
		}
		return e
	}
	at := plane + int(m.at[0])
	if at >= 0 && at+octet <= len(p.x) {
		return binary.LittleEndian.Uint64(p.x[at:]) & m.mask
	}
	for q := range octet {
		if m.mask>>(8*q)&0xFF != 0 {
			e |= uint64(p.x[at+q]) << (8 * q)
		}
	}
	return e
}

// addPlane adds the products for one output channel. It computes with the elements plus 128, which are not negative, so that pairs of
// them are in one word at once.
func (p *octetPart) addPlane(group, o int) {
	const offset, signs, pair = 1 << 7, 0x8080808080808080, 0x000000FF000000FF
	y := p.plane(o)
	for c := range p.v.groupIn {
		if p.watch.stops(octet * p.window) {
			return
		}
		plane, total := p.input(group, c), int64(0)
		var s0, s1, s2, s3 int64
		for i, w := range p.filter[(o*p.v.groupIn+c)*p.v.volume+p.begin:][:p.window] {
			e, w := p.elements(&p.met[i], plane)^signs, int64(w)
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
			y[q] += int32(sum - offset*total)
		}
	}
}

// addPlanes adds the products for the output channels from…to-1 of a group.
func (p *octetPart) addPlanes(group, from, to int) {
	channels := 1
	if p.window == p.v.volume {
		channels = octetTaps / p.window
	}
	for c := 0; c < p.v.groupIn; c += channels {
		m := min(channels, p.v.groupIn-c)
		if p.watch.stops(octet * m * p.window * (to - from)) {
			return
		}
		p.load(group, c, m)
		for o := from; o < to; o++ {
			pairs := p.pairs[:m*p.window]
			sums := pairSums(pairs, p.filter[(o*p.v.groupIn+c)*p.v.volume+p.begin:][:len(pairs)])
			addPairs(p.plane(o), &sums)
		}
	}
}

// load sets pairs to the elements of m channels from c on.
func (p *octetPart) load(group, c, m int) {
	for j := range m {
		plane := p.input(group, c+j)
		pairs := p.pairs[j*p.window:][:p.window]
		for i := range pairs {
			e, to := p.elements(&p.met[i], plane), &pairs[i]
			to[0], to[1], to[2], to[3] = pair(e), pair(e>>8), pair(e>>16), pair(e>>24)
		}
	}
}

// pair returns the int8 in the lowest bits and the one octet/2 behind it in one number.
func pair(e uint64) float64 { return float64(int64(int8(e)) + int64(int8(e>>(8*octet/2)))<<pairBits) }

// int8Floats has each int8, by the unsigned number of the same bits. Reading it is faster than a conversion.
var int8Floats = func() (floats [256]float64) {
	for i := range floats {
		floats[i] = float64(int8(i))
	}
	return floats
}()

// pairSums returns the sums of products of pairs with the elements of a filter. Two at a time leave time to add to each sum.
func pairSums(pairs [][octet / 2]float64, filter []int8) [octet / 2]float64 {
	var a, b, c, d float64
	filter = filter[:len(pairs)]
	for i := 1; i < len(pairs); i += 2 {
		x, y, v, w := &pairs[i-1], &pairs[i], int8Floats[uint8(filter[i-1])], int8Floats[uint8(filter[i])]
		a += float64(x[0]*v) + float64(y[0]*w)
		b += float64(x[1]*v) + float64(y[1]*w)
		c += float64(x[2]*v) + float64(y[2]*w)
		d += float64(x[3]*v) + float64(y[3]*w)
	}
	if n := len(pairs) - 1; n%2 == 0 {
		x, v := &pairs[n], int8Floats[uint8(filter[n])]
		a += float64(x[0] * v)
		b += float64(x[1] * v)
		c += float64(x[2] * v)
		d += float64(x[3] * v)
	}
	return [octet / 2]float64{a, b, c, d}
}

// addPairs adds pairs of integers to the elements that they belong to.
func addPairs(y []int32, pairs *[octet / 2]float64) {
	for q, pair := range pairs {
		both := int64(pair)
		low := both << (64 - pairBits) >> (64 - pairBits)
		if q < len(y) {
			y[q] += int32(low)
		}
		if q += octet / 2; q < len(y) {
			y[q] += int32((both - low) >> pairBits)
		}
	}
}
