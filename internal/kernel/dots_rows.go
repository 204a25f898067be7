package kernel

import (
	"encoding/binary"
	"fmt"
	"math"
	"unsafe"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/geometry"
	"github.com/concord-nn/concord/internal/simd"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// Linear layers of integers of 8 or 16 bits: each element of the result is the dot product of a row of the input and a row of the filter, which are
// read where they lie. A few columns of a row of the result are a piece. So are products of a row of bytes with a known matrix, of which the columns are
// packed as rows, as bytes less their zero points, with their sums, by which the zero point of the input is made good.
//
// Sums of 64 bits are made of sums of 32 bits as in dots_wide.go, but by the magnitudes of the input, of which a row is short: it is divided into runs, or
// taken apart into its low and its high bits.

// rowColumns is how many columns of the result are a piece.
const rowColumns = 32

// rowsMost is the greatest number of elements of a row, of bytes in a call: with 32 columns it takes less than 100 µs.
const rowsMost = 1 << 16

// rowDots is a linear layer.
type rowDots struct {
	*geometry.Product
	tier  *simd.Tier
	args  simd.RowDotsArgs
	codes *codes
	bias  int // the operand that is one; 0 if there is none
	size  int // of an element, in bytes
	packs bool
	zero  int // the operand that is the zero point of the input; 0 if there is none
	wide  bool
}

// rowDotRows returns the rows of a tier for linear layers.
func rowDotRows(t *simd.Tier) []Kernel {
	if !t.RowDots.Exists() {
		return nil
	}
	words, prepare := op.TypeSet(tensor.Int16), func(r Region) *Plan { return multiplyRows(t, r) }
	return []Kernel{{Name: "dot products of rows", Op: "linear", In: []op.Types{bits8, bits8}, Prepare: prepare},
		{Name: "dot products of rows", Op: "matmul", In: []op.Types{bits8, bits8}, Prepare: prepare},
		{Name: "dot products of rows of words", Op: "linear", In: []op.Types{words, words}, Prepare: prepare}}
}

func multiplyRows(t *simd.Tier, r Region) *Plan {
	n := r.Root()
	a := application{n.Attrs, graph.TypesOf(n.In), graph.TypesOf(n.Out)}
	l := &rowDots{Product: a.product(), tier: t, size: a.in[0].DType.Size(), wide: a.wide()}
	if a.out[0].Shape.Len() == 0 {
		return nil
	}
	var f *dotFilter
	if n.Op == "matmul" {
		if f = newDotFilter(n, 3); !l.single(&a, f) {
			return nil
		}
		l.packs = true
		if r, l.bias = addedTo(r, l.N); a.has(2) {
			l.zero = 2
		}
	} else if a.has(2) {
		l.bias = 2
	}
	if l.codes = codesOf(r, -1); l.wide != (l.size == 2) || len(a.out[0].Shape) != 2 && !l.packs || l.K == 0 || l.K > rowsMost || len(r.Nodes) > 1 && l.codes == nil {
		return nil
	}
	sign := func(i int) int {
		if a.in[i].DType.IsSigned() {
			return 1
		}
		return 0
	}
	l.args = simd.RowDotsArgs{WRow: l.K * l.size, K: l.K / 16, XSigned: sign(0), WSigned: sign(1), Words: l.size - 1}
	p := &Plan{Pieces: l.M * geometry.CeilDiv(l.N, rowColumns), Scratch: 4 * rowColumns, Nanos: int64(l.M) * int64(l.N) * int64(l.K) / 30, Run: l.run}
	if l.packs {
		l.args.WSigned = 1
		form := fmt.Sprintf("rows of %d columns of %d by %+v", l.N, l.K, f.dotOrder)
		p.Pack = []Pack{{From: f.elements, Form: form, Size: l.sumsAt() + 4*l.N, Fill: func(dst []byte, i, n int) { l.pack(dst, f, i, n) }}}
	}
	if l.wide {
		p.Scratch, p.Run = l.wideScratch(), l.runWide
	}
	return p
}

// single reports whether a product is one of a row with a known matrix of bytes, which takes as long as that is read.
func (l *rowDots) single(a *application, f *dotFilter) bool {
	if a.out[0].Shape.Len() != l.N || f == nil || f.elements == nil || a.in[1].Shape.Len() != l.K*l.N || l.K == 0 || l.AK != 1 || a.wide() || a.in[0].DType.Size() > 1 || a.in[1].DType.Size() > 1 ||
		!a.zerosAlong(3, 1) || len(f.zeros) > 1 && len(f.zeros) != l.N || a.has(2) && a.in[2].Shape.Len() != 1 || !f.within(8) {
		return false
	}
	f.channel, f.step = l.BCol, l.BK
	return true
}

// sumsAt is where the packed form has the sums of columns.
func (l *rowDots) sumsAt() int { return (l.N*l.K + 3) &^ 3 }

// pack writes part i of n of the packed form of a matrix: some rows of some columns at a time, which have their lines of the cache in common.
func (l *rowDots) pack(dst []byte, f *dotFilter, i, n int) {
	const together = 64
	var block [together]int16
	for j, end := l.N*i/n, l.N*(i+1)/n; j < end; j += together {
		var sums [together]int32
		columns := min(together, end-j)
		for k := 0; k < l.K; k += together {
			part := block[:min(together, l.K-k)]
			for c := range columns {
				f.row(part, (j+c)*f.channel+k*f.step, f.step, j+c)
				to := dst[(j+c)*l.K+k:][:len(part)]
				for i, v := range part {
					to[i] = byte(v)
					sums[c] += int32(v)
				}
			}
		}
		for c, sum := range sums[:columns] {
			binary.LittleEndian.PutUint32(dst[l.sumsAt()+4*(j+c):], uint32(sum))
		}
	}
}

func (l *rowDots) run(c *op.Call, lo, hi int) {
	x, w, watch, zero := c.In[0].Bytes(), c.In[1].Bytes(), c.Watch(), int32(0)
	var ofColumns []byte
	if l.packs {
		w, ofColumns = c.Packed[0], c.Packed[0][l.sumsAt():]
	}
	if l.zero > 0 {
		zero = int32(integerAt(c.In[l.zero], 0))
	}
	sums, whole := scratch[int32](c), l.K&^15
	for ; lo < hi; lo++ {
		m, first := lo%l.M, lo/l.M*rowColumns
		sums := sums[:min(rowColumns, l.N-first)]
		if watch.Stops(len(sums) * l.K) {
			return
		}
		clear(sums)
		if whole > 0 {
			args := l.args
			args.X, args.W, args.Out, args.N = simd.At(x, m*l.K), simd.At(w, first*l.K), simd.At(sums, 0), len(sums)
			l.tier.RowDots.Run(&args)
		}
		for j := range sums {
			for k := whole; k < l.K; k++ {
				sums[j] += byteAt(x[m*l.K+k], l.args.XSigned) * byteAt(w[(first+j)*l.K+k], l.args.WSigned)
			}
		}
		for j := 0; j < len(sums) && zero != 0; j++ {
			sums[j] -= zero * int32(binary.LittleEndian.Uint32(ofColumns[4*(first+j):]))
		}
		if l.bias > 0 {
			addBiases(sums, tensor.Data[int32](c.In[l.bias]), first)
		}
		l.write(c, sums, m*l.N+first, first)
	}
}

// The working memory of sums of 64 bits: these, sums of 32 bits, the ends of runs of a row of the input, and the two parts of a row.
const (
	rowPartsAt = 8 * rowColumns
	rowEndsAt  = rowPartsAt + 4*rowColumns
)

func (l *rowDots) wideScratch() int { return rowEndsAt + 4*(l.args.K+1) + 4*l.K }

// wideRow is a row of the input of words, or its low and its high bits, and the ends of runs in groups of sixteen elements.
type wideRow struct {
	parts [2][]int16
	n     int // of parts
	ends  []int32
}

// runWide is run for sums of 64 bits.
func (l *rowDots) runWide(c *op.Call, lo, hi int) {
	x, w, watch, columns := tensor.Data[int16](c.In[0]), tensor.Data[int16](c.In[1]), c.Watch(), geometry.CeilDiv(l.N, rowColumns)
	sums, part := unsafe.Slice((*int64)(unsafe.Pointer(&c.Scratch[0])), rowColumns), unsafe.Slice((*int32)(unsafe.Pointer(&c.Scratch[rowPartsAt])), rowColumns)
	var row wideRow
	for begin := lo; lo < hi; lo++ {
		m, first := lo/columns, lo%columns*rowColumns
		sums := sums[:min(rowColumns, l.N-first)]
		if watch.Stops(len(sums) * l.K) {
			return
		}
		if lo == begin || first == 0 {
			row = l.divide(x[m*l.K:][:l.K], c.Scratch[rowEndsAt:])
		}
		for j := range sums {
			sums[j] = 0
			if l.bias > 0 {
				bias := tensor.Data[int64](c.In[2])
				sums[j] = bias[(first+j)%len(bias)]
			}
			for k := l.K &^ 15; k < l.K; k++ {
				sums[j] += int64(x[m*l.K+k]) * int64(w[(first+j)*l.K+k])
			}
		}
		for i, x := range row.parts[:row.n] {
			from := 0
			for _, end := range row.ends {
				args := l.args
				args.X, args.W, args.Out = simd.At(x, 16*from), simd.At(w, first*l.K+16*from), simd.At(part, 0)
				args.K, args.N = int(end)-from, len(sums)
				l.tier.RowDots.Run(&args)
				for j, sum := range part[:len(sums)] {
					sums[j] += int64(sum) << (8 * i)
				}
				from = int(end)
			}
		}
		l.writeWide(c, sums, m*l.N+first)
	}
}

// divide divides a row, or its parts, so that the magnitudes of a run add up to so little that no sum of 32 bits wraps.
func (l *rowDots) divide(x []int16, memory []byte) wideRow {
	const (
		most           = math.MaxInt32 / (1 << 15)
		least, longest = 4, rowsMost / 2 / 16 // groups of a run: as it is on average if the row is not taken apart, and of any
	)
	groups := l.args.K
	row := wideRow{n: 1, ends: unsafe.Slice((*int32)(unsafe.Pointer(&memory[0])), groups+1)[:0]}
	if row.parts[0] = x; groups == 0 {
		return row
	}
	sum, whole := int32(0), true
	for i := range groups {
		own := int32(0)
		for _, v := range x[16*i:][:16] {
			own += abs(v)
		}
		if sum += own; i > 0 && (sum > most || i%longest == 0) {
			row.ends, sum = append(row.ends, int32(i)), own
		}
		whole = whole && own <= most
	}
	if row.ends = append(row.ends, int32(groups)); whole && least*(len(row.ends)-1) <= groups {
		return row
	}
	parts := unsafe.Slice((*int16)(unsafe.Pointer(&memory[4*(groups+1)])), 2*l.K)
	row.parts, row.n, row.ends = [2][]int16{parts[:l.K], parts[l.K:]}, 2, row.ends[:0]
	for i, v := range x {
		low := int16(int8(v))
		parts[i], parts[l.K+i] = low, int16((int32(v)-int32(low))>>8)
	}
	for at := 0; at < groups; {
		at = min(at+most>>7>>4, groups)
		row.ends = append(row.ends, int32(at))
	}
	return row
}

// writeWide stores sums, or what becomes of them, to the elements of the result from one on.
func (l *rowDots) writeWide(c *op.Call, sums []int64, at int) {
	if l.codes == nil {
		copy(tensor.Data[int64](c.Out[0])[at:], sums)
		return
	}
	y, a := c.Out[0].Bytes(), &l.codes.sums
	for j, sum := range sums {
		code := min(max(l.codes.round(sum), a.From), a.To)
		if y[(at+j)*a.Size] = byte(code); a.Size == 2 {
			y[(at+j)*2+1] = byte(code >> 8)
		}
	}
}

// byteAt returns the integer that a byte is.
func byteAt(b byte, signed int) int32 {
	if signed > 0 {
		return int32(int8(b))
	}
	return int32(b)
}

// write stores sums, or what becomes of them, to the elements of the result from one on; they are those of the columns from first on.
func (l *rowDots) write(c *op.Call, sums []int32, at, first int) {
	if l.codes == nil {
		copy(tensor.Data[int32](c.Out[0])[at:], sums)
		return
	}
	y, size := c.Out[0].Bytes(), l.codes.to.Size()
	for j, sum := range sums {
		code := l.codes.code(sum, first+j)
		if y[(at+j)*size] = byte(code); size == 2 {
			y[(at+j)*size+1] = byte(code >> 8)
		}
	}
}

// code returns what becomes of a sum of a channel, in the low bits.
func (c *codes) code(sum int32, channel int) int32 {
	a := &c.args
	if a.Form == 1 {
		r := rounder{-1 << 20, 1 << 20, int32(int16(a.Zero))} // beyond what bounds leave
		code := r.code(float32(float32(sum) * c.multipliers[channel%len(c.multipliers)]))
		return int32(byte(min(max(code, int32(byte(a.From))), int32(byte(a.To)))) ^ byte(a.Flip))
	}
	return min(max(int32(c.round(int64(sum))), a.From), a.To)
}
