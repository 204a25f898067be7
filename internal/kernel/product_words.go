package kernel

import (
	"unsafe"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/fmath"
	"github.com/concord-nn/concord/internal/geometry"
	"github.com/concord-nn/concord/internal/simd"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// Products of float64 or int32 matrices: of a block of the left matrix with one panel of columns of the right one after the other.

// wordTiles is the plan of a product of such numbers.
type wordTiles[T float64 | int32] struct {
	*geometry.Product
	tier   *simd.Tier
	tile   *simd.Routine[simd.ProductArgs]
	panel  int    // columns
	right  source // inPlace, copied or packed
	addend [2]int // the distances of rows and of columns of operand 2

	// finish does what is done with a row of sums, and brings them to their places; with elements of operand 2, so far apart, unless there are none.
	finish func(to, sums, addend []T, apart int)

	rows, columns           int // of a piece
	rowPieces, columnPieces int
	leftStep                int // from one line of a block of the left matrix that is copied to the next; 0 if none is
}

const (
	wordsK     = 256     // rows of a panel that are copied, and passed over, at a time
	nearWords  = 1 << 15 // elements of the left matrix that are read again and again
	nearPacked = 1 << 17 // elements of panels that are not whole: more took many times the memory of the matrix, and no less time than to copy that
)

// wordRows returns the rows for products of float64 and of int32.
func wordRows(t *simd.Tier, name string) []Kernel {
	rows := []Kernel{
		{Name: "tiles of float64", Op: name, In: []op.Types{float64s, float64s}, Prepare: func(r Region) *Plan {
			s := scalingOf[float64](&application{Attrs: r.Root().Attrs})
			return multiplyWords(t, &t.ProductDoubles, r, func(to, sums, addend []float64, apart int) {
				for i, v := range sums {
					to[i] = fmath.Canonical(v)
				}
				s.finish(to, addend, apart)
			})
		}},
	}
	if ints := op.TypeSet(tensor.Int32); name != "gemm" {
		rows = append(rows, Kernel{Name: "tiles of int32", Op: name, In: []op.Types{ints, ints}, Prepare: func(r Region) *Plan {
			if n := r.Root(); n.Out[0].Type.DType != tensor.Int32 || n.Op == "matmul" && len(n.In) > 2 {
				return nil // zero points
			}
			return multiplyWords(t, &t.ProductInts, r, finishInts)
		}})
	}
	return rows
}

// multiplyWords returns the plan for a product by tiles of a routine.
func multiplyWords[T float64 | int32](t *simd.Tier, tile *simd.Routine[simd.ProductArgs], r Region, finish func(to, sums, addend []T, apart int)) *Plan {
	n, size := r.Root(), int(unsafe.Sizeof(T(0)))
	a := application{n.Attrs, graph.TypesOf(n.In), graph.TypesOf(n.Out)}
	if len(r.Nodes) > 1 || a.out[0].Shape.Len() == 0 {
		return nil
	}
	x := &wordTiles[T]{Product: a.flatProduct(), tier: t, tile: tile, panel: 8 * t.Lanes / size, finish: finish}
	if x.K == 0 {
		return nil
	}
	if a.has(2) {
		x.addend[0], x.addend[1] = geometry.MatrixSteps(a.in[2].Shape)
	}
	few := x.M <= 2*t.ProductRows()
	switch {
	case n.In[1].Const != nil && (x.N >= x.panel || a.in[1].Shape.Len()/x.N*x.panel <= nearPacked):
		x.right = packed
	case x.BCol == 1 && few:
		x.right = inPlace
	default:
		x.right = copied
	}
	matrices := a.out[0].Shape.Len() / (x.M * x.N)
	work := float64(matrices) * float64(x.M) * float64(x.N) * float64(x.K)
	x.rows = min(geometry.CeilDiv(min(mostRows, max(nearWords/min(x.K, wordsK), 1)), t.ProductRows())*t.ProductRows(), x.M)
	x.rowPieces = geometry.CeilDiv(x.M, x.rows)
	panels := geometry.CeilDiv(x.N, x.panel)
	pieces := min(panels, max(1, int(min(work/pieceWork, mostPieces))/(matrices*x.rowPieces)))
	x.columns = geometry.CeilDiv(panels, pieces) * x.panel
	x.columnPieces = geometry.CeilDiv(x.N, x.columns)
	left := 0
	if !few && x.N > 2*x.panel && leftCollides(x.Product, size) {
		lines, each := leftLines(x.Product, x.rows, wordsK)
		x.leftStep = apart(each)
		left = lines * x.leftStep
	}
	p := &Plan{Run: x.run, Pieces: matrices * x.rowPieces * x.columnPieces, Nanos: 1 + int64(work/24), Scratch: size * ((wordsK+x.rows)*x.panel + left)}
	if x.right == packed {
		p.Pack = []Pack{x.pack(n.In[1].Const)}
	}
	return p
}

// pack returns the form of the right matrices in which panel comes after panel, the last one with zeros in the place of columns that are not there.
func (x *wordTiles[T]) pack(b *tensor.Tensor) Pack {
	panels, each := geometry.CeilDiv(x.N, x.panel), x.K*x.panel
	matrices, size := b.Len()/(x.K*x.N), int(unsafe.Sizeof(T(0)))
	return Pack{From: b, Form: "whole " + panelsForm(x.Product, x.panel), Size: size * matrices * panels * each, Fill: func(dst []byte, i, n int) {
		to, from := elementsOfType[T](dst), tensor.Data[T](b)
		for at := i * matrices * panels / n; at < (i+1)*matrices*panels/n; at++ {
			j := at % panels * x.panel
			x.copyPanel(to[at*each:][:each], from[at/panels*x.K*x.N+j*x.BCol:], x.K, min(x.panel, x.N-j))
		}
	}}
}

// copyPanel copies k rows of some columns of the right matrix to a panel; the other columns become zeros.
func (x *wordTiles[T]) copyPanel(to, b []T, k, columns int) {
	size := unsafe.Sizeof(T(0))
	if x.BCol == 1 && columns == x.panel {
		copyPanels(x.tier, simd.PanelArgs{To: simd.At(to, 0), ToStep: size * uintptr(x.panel), From: simd.At(b, 0), FromStep: size * uintptr(x.BK), K: k, Panels: 1})
		return
	}
	if columns < x.panel {
		clear(to[:k*x.panel])
	}
	const together = 8
	j := 0
	for ; x.BK == 1 && j+together <= columns; j += together {
		var c [together][]T
		for i := range c {
			c[i] = b[(j+i)*x.BCol:][:k]
		}
		c0, c1, c2, c3, c4, c5, c6, c7 := c[0], c[1][:k], c[2][:k], c[3][:k], c[4][:k], c[5][:k], c[6][:k], c[7][:k]
		for i, v := range c0 {
			*(*[together]T)(to[i*x.panel+j:]) = [together]T{v, c1[i], c2[i], c3[i], c4[i], c5[i], c6[i], c7[i]}
		}
	}
	for ; j < columns; j++ {
		column, to := b[j*x.BCol:], to[j:]
		for i := range k {
			to[i*x.panel] = column[i*x.BK]
		}
	}
}

func (x *wordTiles[T]) run(c *op.Call, lo, hi int) {
	for watch := c.Watch(); lo < hi && !watch.Stops(0); lo++ {
		matrix, row, column := lo/x.columnPieces/x.rowPieces, lo/x.columnPieces%x.rowPieces*x.rows, lo%x.columnPieces*x.columns
		x.piece(c, &watch, matrix, row, min(x.rows, x.M-row), column, min(column+x.columns, x.N))
	}
}

// piece computes some rows and columns of a matrix. The sums of a last panel that is not whole are kept in working memory.
func (x *wordTiles[T]) piece(c *op.Call, watch *op.Watch, matrix, first, rows, column, columns int) {
	size, work := unsafe.Sizeof(T(0)), elementsOfType[T](c.Scratch)
	panel, rest, block := work[:wordsK*x.panel], work[wordsK*x.panel:][:x.rows*x.panel], work[(wordsK+x.rows)*x.panel:]
	a, b, y := tensor.Data[T](c.In[0]), tensor.Data[T](c.In[1]), tensor.Data[T](c.Out[0])
	left, right := x.Factors(matrix * x.M * x.N)
	at := (matrix*x.M + first) * x.N
	sumsOf := func(j int) (sums []T, step int) {
		if j+x.panel > x.N {
			return rest, x.panel
		}
		return y[at+j:], x.N
	}
	var args simd.ProductArgs
	args.Columns = x.panel
	for k := 0; k < x.K; k += wordsK {
		args.K = min(wordsK, x.K-k)
		from, down, along := a[left+first*x.ARow+k*x.AK:], x.ARow, x.AK
		if x.leftStep > 0 {
			lines, each := leftLines(x.Product, rows, args.K)
			copyLines(block, from, x.leftStep, leftLine(x.Product), lines, each)
			from = block
			down, along = leftSteps(x.Product, x.leftStep)
		}
		args.ARow, args.AStep = size*uintptr(down), size*uintptr(along)
		for j := column; j < columns; j += x.panel {
			if watch.Stops(args.K * x.panel * rows) {
				return
			}
			args.BStep = size * uintptr(x.panel)
			switch there := b[right+k*x.BK+j*x.BCol:]; {
			case x.right == packed:
				whole := geometry.CeilDiv(x.N, x.panel) * x.K * x.panel
				args.B = simd.At(elementsOfType[T](c.Packed[0]), right/(x.K*x.N)*whole+j*x.K+k*x.panel)
			case x.right == inPlace && j+x.panel <= x.N:
				args.B, args.BStep = simd.At(there, 0), size*uintptr(x.BK)
			default:
				x.copyPanel(panel, there, args.K, min(x.panel, x.N-j))
				args.B = simd.At(panel, 0)
			}
			sums, step := sumsOf(j)
			args.CRow = size * uintptr(step)
			x.pass(args, from, sums, down, step, rows)
		}
		args.Add = 1
	}
	whole := column + (columns-column)/x.panel*x.panel
	for i := range rows {
		if watch.Stops(columns - column) {
			return
		}
		row := y[at+i*x.N:]
		for _, part := range [][2]int{{column, whole}, {whole, columns}} {
			j, to, addend := part[0], row[part[0]:part[1]], []T(nil)
			if len(to) == 0 {
				continue
			}
			sums := to
			if j == whole {
				sums = rest[i*x.panel:][:len(to)]
			}
			if c.Has(2) {
				addend = tensor.Data[T](c.In[2])[(first+i)*x.addend[0]+j*x.addend[1]:]
			}
			x.finish(to, sums, addend, x.addend[1])
		}
	}
}

// pass lets rows of the left matrix pass over a panel.
func (x *wordTiles[T]) pass(args simd.ProductArgs, from, sums []T, down, step, rows int) {
	args.Fetch = args.B
	for i := 0; i < rows; {
		now := args
		now.Rows = x.tier.PlainRows(rows - i)
		now.Tiles = (rows - i) / now.Rows
		now.A, now.C = simd.At(from, i*down), simd.At(sums, i*step)
		i += now.Tiles * now.Rows
		x.tile.Run(&now)
	}
}

// finishInts adds others to sums.
func finishInts(to, sums, addend []int32, apart int) {
	copy(to, sums)
	for i := range to {
		if addend != nil {
			to[i] += addend[i*apart]
		}
	}
}
