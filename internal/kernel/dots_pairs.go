package kernel

import (
	"encoding/binary"
	"math"
	"unsafe"

	"github.com/concord-nn/concord/internal/simd"
)

// Dot products of pairs of bytes. There the processor adds the products of two neighbouring bytes, unsigned by signed, in 16 bits, where the sum may not
// fit. But which bytes of the sixteen of a step are a pair is free, as sums of integers do not depend on their order; and two whose weights add up to
// a signed byte in each output channel of a chunk make sums that fit whatever the input is: 255 times as much has 16 bits. A byte that finds no partner is a
// pair with nothing. So a step of sixteen bytes becomes about four steps of two pairs; bytes whose weights are all 0 are left out.

const (
	// pairsMost is the greatest number of dwords that a step becomes, where no byte finds a partner.
	pairsMost = 8
	// pairsAt is where a chunk says what its first step of several dwords reads.
	pairsAt    = 16
	foursSize  = int(unsafe.Sizeof(simd.PairsFours{}))
	singleSize = int(unsafe.Sizeof(simd.PairsSingle{}))
	// nothing is what takes the place of one of the sixteen bytes that makes no product.
	nothing = 0x80
)

// The packed form of a chunk is the numbers of its steps of several dwords and of its single ones, where these read and what, as [simd.DotsArgs] says, with room
// for as many as there may be, and the weights.
func (d *dotConv) pairsSize() int      { return d.pairsWeightsAt() + 4*d.pairsChannels()*pairsMost*d.steps }
func (d *dotConv) pairsWeightsAt() int { return (pairsAt + foursSize*(2*d.steps+1) + 63) &^ 63 }

// pairsChannels returns how many channels the weights of a chunk have.
func (d *dotConv) pairsChannels() int {
	if d.Narrow {
		return block / 2
	}
	return block
}

// setPairs sets the steps of a chunk as arguments.
func (p *dotPart) setPairs(chunk int) {
	args, at := &p.args, p.weightsAt+chunk*p.chunkBytes
	args.Steps, args.Singles = int(binary.LittleEndian.Uint64(p.matrix[at:])), int(binary.LittleEndian.Uint64(p.matrix[at+8:]))
	args.Fours, args.Offsets = simd.At(p.matrix, at+pairsAt), simd.At(p.matrix, at+pairsAt+foursSize*(args.Steps+1))
	args.W = simd.At(p.matrix, at+p.pairsWeightsAt())
}

// pairsWell reports whether a filter, which must be known, makes so few dwords of pairs that words are not faster, as its first chunk tells.
func (d *dotConv) pairsWell(f *dotFilter) bool {
	if f.elements == nil || d.Direct && d.InBlocks*d.X.In*d.Y.In > math.MaxInt32/block {
		return false
	}
	const most = 5 // of a step, which has four if all find partners
	w := d.loadChunk(f, make([]int16, d.bufferLen()), 0, min(d.Blocks*block, d.Channels))
	fours, singles := d.pairs(&w, 0)
	return fours.dwords+singles.dwords <= most*d.steps
}

// fillPairs writes the steps of a chunk.
func (d *dotConv) fillPairs(dst []byte, w *chunkFilter, chunk int) {
	fours, singles := d.pairs(w, chunk)
	binary.LittleEndian.PutUint64(dst, uint64(len(fours.reads)/foursSize))
	binary.LittleEndian.PutUint64(dst[8:], uint64(len(singles.reads)/singleSize))
	at := pairsAt + copy(dst[pairsAt:], fours.reads)
	at += copy(dst[at:], append(fours.reads, make([]byte, foursSize)...)[:foursSize])
	copy(dst[at:], singles.reads)
	weights := dst[d.pairsWeightsAt():]
	copy(weights[copy(weights, singles.weights):], fours.weights)
}

// pairSteps is where steps read and what, and their weights.
type pairSteps struct {
	dwords         int
	reads, weights []byte
}

// pairs returns the steps of a chunk: those of two to four dwords, and of one.
func (d *dotConv) pairs(w *chunkFilter, chunk int) (fours, singles pairSteps) {
	bytes := make([]byte, d.steps*4*64) // the weights as dot products of bytes have them
	d.fillChunk(bytes, w, chunk)
	fours.weights = make([]byte, 0, d.steps*16*d.pairsChannels())
	var list [dotBytes + 1][2]byte
	d.eachStep(func(step, offset int, _ [4]dword) {
		t := tapsOf((*[4 * 64]byte)(bytes[step*4*64:]))
		n := t.pair(list[:0])
		list[n] = [2]byte{nothing, nothing}
		for i := 0; i < n; {
			to, dwords := &fours, min((n-i+1)/2, 4)
			if dwords == 1 {
				to = &singles
			}
			if to.reads = binary.LittleEndian.AppendUint32(to.reads, uint32(offset)); dwords > 1 {
				to.reads = binary.LittleEndian.AppendUint32(to.reads, uint32(dwords))
			}
			to.dwords += dwords
			for range dwords {
				one, other := list[i], list[i+1]
				to.reads = append(to.reads, one[0], one[1], other[0], other[1])
				a0, a1, b0, b1 := t.of(one[0]), t.of(one[1]), t.of(other[0]), t.of(other[1])
				for k := range d.pairsChannels() {
					to.weights = append(to.weights, a0[k], a1[k], b0[k], b1[k])
				}
				i += 2
			}
			for dwords > 1 && dwords < 4 {
				to.reads = append(to.reads, nothing, nothing, nothing, nothing)
				dwords++
			}
		}
	})
	return fours, singles
}

// taps has the weights that sixteen bytes have in the output channels of a chunk.
type taps [dotBytes][block]byte

var noTaps [block]byte

// tapsOf returns the taps of a step of bytes.
func tapsOf(weights *[4 * 64]byte) *taps {
	var t taps
	for g := range 4 {
		of := t[4*g:][:4]
		for k := range block {
			w := weights[64*g+4*k:][:4]
			of[0][k], of[1][k], of[2][k], of[3][k] = w[0], w[1], w[2], w[3]
		}
	}
	return &t
}

// of returns the weights of a byte.
func (t *taps) of(i byte) *[block]byte {
	if i == nothing {
		return &noTaps
	}
	return &t[i]
}

// fit reports whether two bytes can be a pair.
func (t *taps) fit(i, j byte) bool {
	const signs = 0x8080808080808080
	for at := 0; at < block; at += 8 {
		// With 128 more, the mean is from 64 to 191 if the sum is a signed byte: then its two highest bits differ.
		a, b := binary.LittleEndian.Uint64(t[i][at:])^signs, binary.LittleEndian.Uint64(t[j][at:])^signs
		if mean := a&b + (a^b)>>1&^signs; (mean^mean<<1)&signs != signs {
			return false
		}
	}
	return true
}

// pair appends pairs of bytes to a list and returns how many there are: as many bytes as can be found simply have a partner.
func (t *taps) pair(pairs [][2]byte) int {
	var memory, others [dotBytes]byte
	alone := memory[:0]
	for i := range byte(len(t)) {
		if t[i] == noTaps {
			continue
		}
		if k := t.partner(alone, i); k >= 0 {
			pairs, alone = append(pairs, [2]byte{alone[k], i}), without(alone, k)
		} else {
			alone = append(alone, i)
		}
	}
	for p := 0; p < len(pairs) && len(alone) > 1; p++ { // two that are left may each find a partner in one pair
		for _, pair := range [][2]byte{pairs[p], {pairs[p][1], pairs[p][0]}} {
			i := t.partner(alone, pair[0])
			if i < 0 {
				continue
			}
			rest := without(append(others[:0], alone...), i)
			if j := t.partner(rest, pair[1]); j >= 0 {
				pairs[p] = [2]byte{alone[i], pair[0]}
				pairs, alone = append(pairs, [2]byte{rest[j], pair[1]}), append(alone[:0], without(rest, j)...)
				break
			}
		}
	}
	for _, i := range alone {
		pairs = append(pairs, [2]byte{i, nothing})
	}
	return len(pairs)
}

// without takes an element out of a list, whose order does not matter.
func without(list []byte, i int) []byte {
	list[i] = list[len(list)-1]
	return list[:len(list)-1]
}

// partner returns which of some bytes fits to one; negative if none does.
func (t *taps) partner(of []byte, i byte) int {
	for k, j := range of {
		if t.fit(j, i) {
			return k
		}
	}
	return -1
}
