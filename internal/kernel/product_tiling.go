package kernel

import (
	"unsafe"

	"github.com/concord-nn/concord/internal/geometry"
	"github.com/concord-nn/concord/internal/simd"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// tiling is the work on some pieces of a product.
type tiling struct {
	*tiles
	c             *op.Call
	watch         op.Watch
	a, b, y       []float32 // the matrices where they are read, which may be copies, and the result
	tails         []byte    // working memory for a tail without steps, and behind it the steps of the tail
	lines, panels []float32 // working memory for blocks of the left and of the right matrix
	args          simd.ProductArgs
}

func (x *tiles) run(c *op.Call, lo, hi int) {
	w := tiling{tiles: x, c: c, watch: c.Watch(), y: tensor.Data[float32](c.Out[0])}
	w.tails = c.Scratch[:x.tailBytes]
	clear(w.tails[:tailStepSize])
	memory, all := floatsOf(c.Scratch[x.tailBytes:]), floatsOf(c.Shared)
	w.lines, w.panels = memory[:x.leftFloats], memory[x.leftFloats:][:x.rightFloats]
	left, right := tensor.Data[float32](c.In[x.leftIn]), []float32(nil)
	if x.right != decoded {
		right = tensor.Data[float32](c.In[x.rightIn])
	}
	switch w.a, w.b = left, right; x.right {
	case packed:
		w.b = floatsOf(c.Packed[0])
	case shared:
		w.b = all[:x.sharedRight]
	}
	if x.left == shared {
		w.a = all[x.sharedRight:][:x.sharedLeft]
	}
	for ; lo < hi && lo < x.rightCopies+x.leftCopies; lo++ {
		if i := lo - x.rightCopies; i >= 0 {
			lines, each := leftLines(&x.Product, x.M, x.K)
			w.copyLines(w.a[i*copyRows*x.leftStep:], left[i*copyRows*leftLine(&x.Product):], min(copyRows, lines-i*copyRows), each)
		} else {
			columns := geometry.CeilDiv(x.N, copyColumns)
			matrix, from := lo/columns, lo%columns*copyColumns
			_, b := x.Factors(matrix * x.M * x.N)
			w.copyColumns(w.b[matrix*x.K*x.N+from*x.K:], right[b:], x.K, from, min(from+copyColumns, x.N))
		}
	}
	for lo < hi && !w.watch.Stops(0) {
		n, at := 1, lo-x.rightCopies-x.leftCopies
		if x.columnPieces == 1 { // neighbouring rows
			n = min(hi-lo, x.rowPieces-at%x.rowPieces)
		}
		matrix, row, column := at/x.columnPieces/x.rowPieces, at/x.columnPieces%x.rowPieces*x.rows, at%x.columnPieces*x.columns
		w.piece(matrix, row, min(row+n*x.rows, x.M), column, min(column+x.columns, x.N))
		lo += n
	}
}

// copyLines copies lines of the left matrix, if that is still wanted.
func (w *tiling) copyLines(to, from []float32, lines, each int) {
	if !w.watch.Stops(lines * each) {
		copyLines(to, from, w.leftStep, leftLine(&w.Product), lines, each)
	}
}

// copyColumns copies some columns of k rows of the right matrix to panels, if that is still wanted.
func (w *tiling) copyColumns(to, from []float32, k, column, columns int) {
	if !w.watch.Stops(k * (columns - column)) {
		w.copyPanels(to, from, k, column, columns)
	}
}

// piece computes some rows and columns of one matrix, unless the work should end.
func (w *tiling) piece(matrix, row, rows, column, columns int) {
	x := w.tiles
	at := matrix * x.M * x.N
	a, b := x.Factors(at)
	if x.right == shared {
		b = matrix * x.K * x.N
	}
	w.args.CRow, w.args.Add = 4*uintptr(x.N), 0
	block := x.rowBlock(rows - row)
	for k := 0; k < x.K; k += x.kBlock {
		n := min(x.kBlock, x.K-k)
		w.args.K = n
		if x.right == decoded && k == 0 && x.byRow() {
			for j := column; j < columns && !w.watch.Stops(0); j += 2 * x.panel {
				w.multiplyRow(w.a[a:], w.y[at:], n, j)
			}
			w.args.Add = 1
			continue
		}
		first := column // of the columns that are copied
		if x.lines > 0 && n%4 == 0 {
			first += (columns - column) / x.lines * x.lines
		}
		if x.right == copied {
			w.copyColumns(w.panels, w.b[b+k*x.BK:], n, first, columns)
		}
		for i := row; i < rows; i += block {
			m := min(block, rows-i)
			w.setLeft(a, i, m, k, n)
			for j := column; j < columns; j += w.args.Columns {
				width := x.together(m, j, columns)
				if w.watch.Stops(m * width * n) {
					return
				}
				w.args.Columns = width
				if x.right == decoded && j%x.panel == 0 {
					w.decodePanels(k, n, j, min(max(width, x.panel), columns-j))
				}
				w.setRight(b, k, n, first, j, columns)
				next, nextK := j+width, k
				if next >= columns {
					next = column
					if i+m >= rows {
						nextK += n
					}
				}
				if nextK >= x.K {
					next, nextK = columns, 0
				}
				w.setFetch(b, nextK, next, m)
				w.args.Tail = simd.At(w.tails, 0)
				if k+n == x.K {
					w.args.Tail = x.tail.set(w.c, w.tails[tailStepSize:], j, max(width, x.tier.Lanes))
				}
				w.pass(simd.At(w.y, at+i*x.N+j), m)
			}
		}
		w.args.Add = 1
	}
	w.end(at, row, rows, column, columns)
}

// rowBlock returns how many of so many rows of the left matrix pass over a panel at a time: whole tiles.
func (x *tiles) rowBlock(rows int) int {
	height := x.tier.ProductRows()
	return geometry.CeilDiv(geometry.CeilDiv(rows, height), geometry.CeilDiv(rows, mostRows)) * height
}

// setLeft says where a block of the left matrix is read: of so many rows from a row on, and so many columns from k on. It is copied, if it has to be.
func (w *tiling) setLeft(a, row, rows, k, n int) {
	x, args := w.tiles, &w.args
	at, down, along := a+row*x.ARow+k*x.AK, x.ARow, x.AK
	switch x.left {
	case copied:
		lines, each := leftLines(&x.Product, rows, n)
		w.copyLines(w.lines, w.a[at:], lines, each)
		args.A = simd.At(w.lines, 0)
		down, along = leftSteps(&x.Product, x.leftStep)
	case shared:
		down, along = leftSteps(&x.Product, x.leftStep)
		args.A = simd.At(w.a, row*down+k*along)
	default:
		args.A = simd.At(w.a, at)
	}
	args.ARow, args.AStep = 4*uintptr(down), 4*uintptr(along)
}

// setRight says where the panel of column j is read, from row k on, in which a block of so many rows begins, in a piece of some columns. Those from a column
// on are copied, if any are.
func (w *tiling) setRight(b, k, rows, column, j, columns int) {
	x, args := w.tiles, &w.args
	step, panel := x.width(j, columns), x.K*x.panel
	switch x.right {
	case inPlace:
		args.B = simd.At(w.b, b+k*x.BK+j)
		step, panel = x.BK, x.panel
	case packed, shared:
		args.B = simd.At(w.b, b+x.K*j+k*step)
	case copied:
		if args.BLine = 0; j < column {
			args.B, args.BLine = simd.At(w.b, b+k+j*x.BCol), 4*uintptr(x.BCol)
			break
		}
		args.B = simd.At(w.panels, rows*(j-column))
		panel = rows * x.panel
	case decoded:
		args.B = simd.At(w.panels, j%x.panel)
		step, panel = x.panel, x.coded.rows*x.panel
	}
	args.BStep, args.BPanel = 4*uintptr(step), 4*uintptr(panel)
}

// setFetch says what the routine brings near while it passes so many rows over a panel: the panel that is read next.
func (w *tiling) setFetch(b, k, j, rows int) {
	x, args := w.tiles, &w.args
	args.Fetch, args.FetchStep = args.B, 0
	if (x.right == packed || x.right == shared) && rows > 2 && j < x.N {
		args.Fetch = simd.At(w.b, b+x.K*j+k*x.width(j, x.N))
		args.FetchStep = uintptr(geometry.CeilDiv(4*args.Columns, geometry.CeilDiv(rows, x.tier.ProductRows())))
	}
}

// together returns how many of the columns j…end-1 are computed at once: a panel, or of few rows several, as there are registers for their sums.
func (x *tiles) together(rows, j, end int) int {
	if x.right == decoded {
		rows = x.M // there is memory for the panels of a block of all rows, and a last block may have fewer
	}
	if rows <= 2 && end-j >= 4/rows*x.panel {
		return 4 / rows * x.panel
	}
	return x.width(j, end)
}

// pass computes so many rows for a panel, of which the result begins at an address: in tiles of all but equal heights.
func (w *tiling) pass(c uintptr, rows int) {
	count := geometry.CeilDiv(rows, w.tier.ProductRows())
	height, higher := rows/count, rows%count
	a, args := w.args.A, &w.args
	for _, part := range [2][2]int{{height + 1, higher}, {height, count - higher}} {
		if part[1] > 0 {
			now := *args
			now.A, now.C, now.Rows, now.Tiles = a, c, part[0], part[1]
			w.tier.Product.Run(&now)
			a += uintptr(part[0]*part[1]) * args.ARow
			c += uintptr(part[0]*part[1]) * args.CRow
		}
	}
}

// end does what is left of gemm.
func (w *tiling) end(at, row, rows, column, columns int) {
	x := w.tiles
	if x.scaling.alpha == 1 && x.addend < 0 {
		return
	}
	var addend []float32
	var down, along int
	if x.addend >= 0 {
		down, along = geometry.MatrixSteps(w.c.In[x.addend].Shape())
	}
	for i := row; i < rows && !w.watch.Stops(columns-column); i++ {
		if x.addend >= 0 {
			addend = tensor.Data[float32](w.c.In[x.addend])[i*down+column*along:]
		}
		x.scaling.finish(w.y[at+i*x.N:][column:columns], addend, along)
	}
}

// floatsOf returns memory as numbers.
func floatsOf(b []byte) []float32 {
	return unsafe.Slice((*float32)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/4)
}
