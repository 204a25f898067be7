package kernel

import (
	"encoding/binary"
	"slices"
	"unsafe"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/geometry"
	"github.com/concord-nn/concord/internal/simd"
	"github.com/concord-nn/concord/tensor"
)

// dotFilter is a filter of integers, or matrices.
type dotFilter struct {
	dtype    tensor.DType
	elements *tensor.Tensor // (O, …); nil if it is not known
	first    int            // the first element of a matrix
	zero     int            // the operand that is the zero point, of a filter that is not known either; else 0
	dotOrder
}

// dotOrder says where elements of a filter lie, and their zero points.
type dotOrder struct {
	zeros   []int64 // one, or one for each output channel
	channel int     // distance of the elements of output channels, and
	step    int     // of those of an output channel

	outs int // of the filter of a deconvolution, (C, O/groups, …), the output channels of a group; else 0
	y, x upTaps
}

// upTaps says which n positions of the window of a deconvolution belong to a phase: from the last, which is the least, on a step apart. There may be
// none, but n is at least 1.
type upTaps struct{ n, last, step, size int }

// at returns the position that element i of the phase's window is; it may lie behind the last one of the window.
func (t *upTaps) at(i int) int { return t.last + (t.n-1-i)*t.step }

// newDotFilter returns the filter or matrix that is operand 1 of a node, whose zero points are another operand; nil if several of these are not known, or of
// what is.
func newDotFilter(n *graph.Node, zero int) *dotFilter {
	f := &dotFilter{dtype: n.In[1].Type.DType, elements: n.In[1].Const}
	f.zeros = []int64{0}
	if len(n.In) > zero && n.In[zero] != nil {
		zeros := n.In[zero].Const
		if zeros == nil {
			f.zero = zero
			if f.elements != nil || n.In[zero].Type.Shape.Len() != 1 {
				return nil
			}
			return f
		}
		f.zeros = make([]int64, zeros.Len())
		geometry.Load(f.zeros, zeros, 0, 1)
	}
	return f
}

// load sets w to the elements of output channel o, less its zero point.
func (f *dotFilter) load(w []int16, o int) {
	if f.outs == 0 {
		f.row(w, o*f.channel, f.step, o)
		return
	}
	taps, in := f.y.size*f.x.size, len(w)/(f.y.n*f.x.n)
	for c := range in {
		at := ((o/f.outs*in+c)*f.outs + o%f.outs) * taps
		for i := range f.y.n {
			row := w[(c*f.y.n+i)*f.x.n:][:f.x.n]
			if y, x := f.y.at(i), f.x.at(0); y < f.y.size && x < f.x.size {
				f.row(row, at+y*f.x.size+x, -f.x.step, o)
			} else {
				clear(row)
			}
		}
	}
}

// row sets w to elements a distance apart, less the zero point of an output channel.
func (f *dotFilter) row(w []int16, at, step, o int) {
	geometry.Load(w, f.elements, f.first+at, step)
	if zero := int16(f.zeros[o%len(f.zeros)]); zero != 0 {
		for i := range w {
			w[i] -= zero
		}
	}
}

// within reports whether all elements, less any of the zero points, are signed integers of so many bits.
func (f *dotFilter) within(bits int) bool {
	least, most := int64(-1)<<(bits-1), int64(1)<<(bits-1)-1
	from, to := f.dtype.IntRange()
	if lo, hi := from-slices.Max(f.zeros), int64(to)-slices.Min(f.zeros); lo >= least && hi <= most {
		return true
	}
	if f.elements == nil {
		return false
	}
	var some [256]int64
	for at := 0; at < f.elements.Len(); at += len(some) {
		w := some[:min(len(some), f.elements.Len()-at)]
		geometry.Load(w, f.elements, at, 1)
		if slices.Min(w)-slices.Max(f.zeros) < least || slices.Max(w)-slices.Min(f.zeros) > most {
			return false
		}
	}
	return true
}

// fill writes part i of n of the packed form of a filter.
func (d *dotConv) fill(dst []byte, f *dotFilter, i, n int) {
	buffer := make([]int16, d.bufferLen())
	for ; i < d.Matrices*d.chunks; i += n {
		d.packChunk(dst, f, buffer, i)
	}
}

// bufferLen is how many elements of the filter belong to a chunk.
func (d *dotConv) bufferLen() int { return d.Blocks * block * d.GroupIn * d.Y.Size * d.X.Size }

// packChunk writes what of the packed form belongs to a chunk, those of all matrices one after the other, with memory for its part of the filter. The first one
// of a matrix writes the offsets of steps.
func (d *dotConv) packChunk(dst []byte, f *dotFilter, buffer []int16, chunk int) {
	if matrix := chunk / d.chunks; matrix > 0 {
		of := *f
		of.first = matrix * d.In * d.Channels
		dst, f, chunk = dst[matrix*d.packedApart:], &of, chunk%d.chunks
	}
	if chunk == 0 && !d.Pairs {
		d.eachStep(func(step, offset int, _ [4]dword) { binary.LittleEndian.PutUint64(dst[8*step:], uint64(offset)) })
	}
	first := chunk * d.Blocks * block
	if d.product && d.Size == 2 && !d.Wide && f.dtype.Size() == 1 && len(f.zeros) == 1 && (f.channel == 1 || f.step == 1 && d.In >= 2*leastColumns) {
		memory := unsafe.Slice((*byte)(unsafe.Pointer(&buffer[0])), 2*len(buffer))
		d.packBytes(dst[d.weightsAt+chunk*d.chunkBytes:][:d.chunkBytes], f, memory, first)
		return
	}
	w := d.loadChunk(f, buffer, first, min(d.Blocks*block, d.Channels-first))
	for k, sum := range w.sums[:w.channels] {
		binary.LittleEndian.PutUint32(dst[d.sumsAt+4*(first+k):], uint32(sum))
	}
	weights := dst[d.weightsAt+chunk*d.chunkBytes:][:d.chunkBytes]
	if d.Pairs {
		d.fillPairs(weights, &w, chunk)
		return
	}
	if clear(weights); d.Depth {
		d.fillDepth(weights, w.elements, w.channels)
	} else {
		d.fillChunk(weights, &w, chunk)
	}
	if d.Wide {
		d.end(d.ends(dst, chunk), weights, d.stepBytes(d.blocksOf(chunk)), d.steps <= endSteps && slices.Max(w.sums[:w.channels]) <= d.magnitudes())
	}
}

// packBytes writes the weights of a chunk of a matrix of bytes, from a column on, as pairs of words. The last columns go by way of the memory.
// What only AVX2 has serves all tiers, whose processors have that.
func (d *dotConv) packBytes(dst []byte, f *dotFilter, memory []byte, first int) {
	clear(dst)
	lanes, zero, signed, pairs := d.blocksOf(first/block/d.Blocks)*block*4, int16(f.zeros[0]), 0, d.In/2
	if f.dtype.IsSigned() {
		signed = 1
	}
	change := 0x00010001 * uint32(uint16(zero))
	for b := range lanes / 64 {
		column := first + b*block
		n, x, to := min(block, d.Channels-column), f.elements.Bytes()[f.first+column*f.channel:], dst[b*64:]
		switch {
		case pairs == 0:
		case f.channel > 1:
			// The bytes of a pair of rows lie in the second half of what their words take, which are written from the first one on.
			bytes := simd.At(to, 2*block)
			args := simd.InterleaveArgs{Groups: bytes, Step: lanes, Columns: pairs}
			for i := range args.Rows {
				args.Rows[i] = simd.At(x, min(i, n-1)*f.channel)
			}
			simd.Common.Interleave2.Run(&args)
			d.tier.CopyRows.Run(&simd.CopyRowsArgs{From: bytes, FromRow: lanes, To: simd.At(to, 0), ToRow: lanes, ToPixel: 2 * block, Rows: pairs, N: 2, Signed: signed, Change: change})
		default:
			from, step := x, f.step
			if n < block {
				for k := range d.In {
					copy(memory[k*block:][:n], x[k*f.step:])
				}
				from, step = memory, block
			}
			simd.Common.PairRows.Run(&simd.PairRowsArgs{From: simd.At(from, 0), FromRow: step, To: simd.At(to, 0), ToRow: lanes, Rows: pairs, Signed: signed, Change: change})
		}
		for i := 0; i < n && d.In%2 > 0; i++ {
			d.put(to[pairs*lanes+4*i:], int16(byteAt(x[i*f.channel+(d.In-1)*f.step], signed))-zero)
		}
	}
}

// chunkFilter is the part of a filter that belongs to a chunk: element i of channel k lies at k·channel + i·step.
type chunkFilter struct {
	elements                []int16
	channels, channel, step int
	sums                    [2 * block]int32 // of the elements of a channel, or, if sums of products are wide, of their magnitudes; they wrap
}

// loadChunk loads the part of some channels into memory: channel by channel, or all channels together if they are neighbours in a matrix.
func (d *dotConv) loadChunk(f *dotFilter, memory []int16, first, channels int) (w chunkFilter) {
	each := d.GroupIn * d.Y.Size * d.X.Size
	w = chunkFilter{elements: memory, channels: channels, channel: each, step: 1}
	if f.outs == 0 && f.channel == 1 && len(f.zeros) == 1 && !d.Depth {
		w.channel, w.step = 1, channels
		for i := range each {
			row := memory[i*channels:][:channels]
			f.row(row, first+i*f.step, 1, 0)
			d.sum(w.sums[:len(row)], row, 1)
		}
		return w
	}
	for k := range channels {
		row := memory[k*each:][:each]
		f.load(row, first+k)
		d.sum(w.sums[k:k+1], row, 0)
	}
	return w
}

// sum adds elements, or their magnitudes, to sums, of which neighbours are so far apart.
func (d *dotConv) sum(sums []int32, elements []int16, step int) {
	switch {
	case d.Wide:
		for i, v := range elements {
			sums[i*step] += abs(v)
		}
	case d.Size == 1:
		for i, v := range elements {
			sums[i*step] += int32(v)
		}
	}
}

// fillChunk writes the weights of a chunk.
func (d *dotConv) fillChunk(dst []byte, w *chunkFilter, chunk int) {
	var channels [2 * block]int // the first one of the input's blocks, among those of the group of an output channel
	for k := range w.channels {
		channels[k] = d.start(chunk)*block - (chunk*d.Blocks*block+k)/d.GroupOut*d.GroupIn
	}
	lanes, each, window := d.blocksOf(chunk)*block, 4/d.Size, d.Y.Size*d.X.Size
	d.eachStep(func(step, _ int, dwords [4]dword) {
		for g, at := range dwords {
			if at.x >= d.X.Size {
				continue
			}
			to, place := dst[(step*4+g)*lanes*4:][:4*lanes], at.y*d.X.Size+at.x
			if channel := channels[0] + at.channel; d.GroupIn == d.In && channel+each <= d.GroupIn { // the same for all
				from, next := w.elements[(channel*window+place)*w.step:], window*w.step
				for k := range w.channels {
					of := from[k*w.channel:]
					if d.Size == 2 {
						binary.LittleEndian.PutUint32(to[4*k:], uint32(uint16(of[0]))|uint32(uint16(of[next]))<<16)
					} else {
						binary.LittleEndian.PutUint32(to[4*k:], uint32(uint8(of[0]))|uint32(uint8(of[next]))<<8|uint32(uint8(of[2*next]))<<16|uint32(uint8(of[3*next]))<<24)
					}
				}
				continue
			}
			if d.Under > 1 {
				for j := range min(each, d.Under*d.In-at.channel) {
					under, channel := (at.channel+j)/d.In, (at.channel+j)%d.In
					for k := 0; k < w.channels && at.y+under < d.Y.Size; k++ {
						d.put(to[4*k+j*d.Size:], w.elements[k*w.channel+(channel*window+under*d.X.Size+place)*w.step])
					}
				}
				continue
			}
			for k, channel := range channels[:w.channels] {
				channel += at.channel
				for j := max(-channel, 0); j < min(each, d.GroupIn-channel); j++ {
					d.put(to[4*k+j*d.Size:], w.elements[k*w.channel+((channel+j)*window+place)*w.step])
				}
			}
		}
	})
}

// put writes an element.
func (d *dotConv) put(to []byte, w int16) {
	if to[0] = byte(w); d.Size == 2 {
		to[1] = byte(w >> 8)
	}
}

// fillDepth is fillChunk where each channel stays by itself.
func (d *dotConv) fillDepth(dst []byte, elements []int16, channels int) {
	d.eachStep(func(step, _ int, dwords [4]dword) {
		y, x := dwords[0].y, dwords[0].x
		for k := range channels {
			for j, w := range elements[(k*d.Y.Size+y)*d.X.Size+x:][:min(d.together(), d.X.Size-x)] {
				d.put(dst[step*64+4*k+j*d.Size:], w)
			}
		}
	})
}
