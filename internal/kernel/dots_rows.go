package kernel

import (
	"math"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/geometry"
	"github.com/concord-nn/concord/internal/simd"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// Linear layers of integers of 8 bits: each element of the result is the dot product of a row of the input and a row of the filter, which are
// read where they lie. A few columns of a row of the result are a piece.

// rowColumns is how many columns of the result are a piece.
const rowColumns = 32

// rowsMost is the greatest number of elements of a row: with 32 columns a call takes less than 100 µs.
const rowsMost = 1 << 16

// rowDots is a linear layer.
type rowDots struct {
	*geometry.Product
	tier  *simd.Tier
	args  simd.RowDotsArgs
	codes *codes
	bias  bool
}

// rowDotRows returns the rows of a tier for linear layers.
func rowDotRows(t *simd.Tier) []Kernel {
	if !t.RowDots.Exists() {
		return nil
	}
	return []Kernel{{Name: "dot products of rows", Op: "linear", In: []op.Types{bits8, bits8}, Prepare: func(r Region) *Plan { return multiplyRows(t, r) }}}
}

func multiplyRows(t *simd.Tier, r Region) *Plan {
	n := r.Root()
	a := application{n.Attrs, graph.TypesOf(n.In), graph.TypesOf(n.Out)}
	l := &rowDots{Product: a.product(), tier: t, codes: codesOf(r, -1), bias: a.has(2)}
	if a.out[0].Shape.Len() == 0 || len(a.out[0].Shape) != 2 || a.wide() || l.K == 0 || l.K > rowsMost || len(r.Nodes) > 1 && l.codes == nil {
		return nil
	}
	sign := func(i int) int {
		if a.in[i].DType.IsSigned() {
			return 1
		}
		return 0
	}
	l.args = simd.RowDotsArgs{WRow: l.K, K: l.K / 16, XSigned: sign(0), WSigned: sign(1)}
	return &Plan{Pieces: l.M * geometry.CeilDiv(l.N, rowColumns), Scratch: 4 * rowColumns, Nanos: int64(l.M) * int64(l.N) * int64(l.K) / 30, Run: l.run}
}

func (l *rowDots) run(c *op.Call, lo, hi int) {
	x, w, watch, columns := c.In[0].Bytes(), c.In[1].Bytes(), c.Watch(), geometry.CeilDiv(l.N, rowColumns)
	sums, whole := scratch[int32](c), l.K&^15
	for ; lo < hi; lo++ {
		m, first := lo/columns, lo%columns*rowColumns
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
		if l.bias {
			bias := tensor.Data[int32](c.In[2])
			for j := range sums {
				sums[j] += bias[(first+j)%len(bias)]
			}
		}
		l.write(c, sums, m*l.N+first, first)
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
		q := min(float32(float32(sum)*c.multipliers[channel%len(c.multipliers)]), a.Most)
		code := int32(math.MinInt32)
		if q > -1<<30 {
			code = int32(math.RoundToEven(float64(q))) + a.Zero
		}
		return min(max(code, a.From), a.To) ^ a.Flip
	}
	if sum < 0 {
		sum += a.Below
	}
	return min(max((sum>>a.Shift+a.Half)>>a.Rest, a.From), a.To)
}
