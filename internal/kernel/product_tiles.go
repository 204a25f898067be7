package kernel

import (
	"strconv"
	"unsafe"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/fmath"
	"github.com/concord-nn/concord/internal/geometry"
	"github.com/concord-nn/concord/internal/simd"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// Products of float32 matrices, tile by tile of the result. All columns of a panel, which the left matrix then passes over, lie together in
// the right matrix: constants are packed so, and others copied, unless they are small enough to be read as they are.

// productRows lists the kernels for products of float32 matrices that are made of a tier's routines.
func productRows(t *simd.Tier) []Kernel {
	if t.Product.Name == "" {
		return nil
	}
	var rows []Kernel
	for _, name := range []string{"matmul", "linear", "gemm"} {
		rows = append(rows, Kernel{Name: "tiles", Op: name, In: []op.Types{float32s, float32s},
			Prepare: func(r Region) *Plan { return multiplyTiles(t, r) }})
	}
	return rows
}

// right says where panels of the right matrix are read.
type right uint8

const (
	inPlace right = iota // in rows that are as far from each other as those of the matrix
	packed               // packed when the program was made
	copied               // in working memory, where each piece copies a block at a time
	shared               // in working memory of all, where the pieces of a first round copy everything
)

// tiles is the plan of a product.
type tiles struct {
	geometry.Product
	tier   *simd.Tier
	panel  int // columns
	right  right
	copies bool // whether blocks of the left matrix are copied, to rows that do not share cache sets

	tail        *tail
	alpha, beta float32
	addend      int // the operand that is added behind the tail, times beta; -1 if there is none

	kBlock, rowBlock int // what is read before anything else is
	rows, columns    int // of a piece
	rowPieces        int
	columnPieces     int
	copyPieces       int // that copy the right matrix, in front of the others

	tailBytes, leftFloats, rightFloats int // of working memory, for each in turn
}

// The sizes of blocks, in elements.
const (
	mostK       = 512     // of k, so that a panel and a tile's rows stay in the nearest cache or at least in the second
	mostRows    = 128     // of the left matrix in a block
	mostColumns = 512     // of the right matrix in a block that is copied
	nearRight   = 1 << 16 // a right matrix so small is read again for every few rows
	copyColumns = 128     // of a piece that copies the right matrix
	pieceWork   = 1 << 19 // multiply-adds that are worth a piece
	mostPieces  = 16      // more are made only where pieces would be too large
)

// multiplyTiles returns the plan for a product with a tail.
func multiplyTiles(t *simd.Tier, r Region) *Plan {
	n := r.Root()
	a := application{n.Attrs, graph.TypesOf(n.In), graph.TypesOf(n.Out)}
	if a.out[0].Shape.Len() == 0 {
		return nil
	}
	x := &tiles{Product: *a.flatProduct(), tier: t, panel: 2 * t.Lanes, addend: -1, alpha: 1, beta: 1}
	if x.K == 0 {
		return nil
	}
	bias := len(n.In)
	switch {
	case n.Op == "linear":
		bias = 2
	case n.Op == "gemm":
		x.alpha, x.beta = float32(a.Float("alpha")), float32(a.Float("beta"))
		switch {
		case !a.has(2):
		case x.alpha == 1 && x.beta == 1 && perColumn(a.in[2].Shape, x.N):
			bias = 2
		default:
			x.addend = 2
		}
	}
	if len(r.Nodes) > 1 && (x.alpha != 1 || x.addend >= 0) {
		return nil
	}
	var ok bool
	if x.tail, ok = tailOf(r, len(a.out[0].Shape)-1, bias); !ok {
		return nil
	}
	matrices := a.out[0].Shape.Len() / (x.M * x.N)
	x.chooseRight(matrices, n.In[1].Const != nil)
	x.divide(matrices)
	p := &Plan{Run: x.run, Pieces: matrices * x.rowPieces * x.columnPieces}
	switch x.right {
	case packed:
		p.Pack = []Pack{x.pack(n.In[1].Const)}
	case shared:
		x.copyPieces = geometry.CeilDiv(x.N, copyColumns)
		p.Rounds, p.Shared = []int{x.copyPieces, p.Pieces}, 4*x.K*x.N
		p.Pieces += x.copyPieces
	}
	p.Nanos = 1 + int64(x.work(matrices)/40)
	p.Even = x.right != shared && x.columnPieces == 1 && x.rows*x.rowPieces == x.M
	p.Scratch = x.tailBytes + 4*(x.leftFloats+x.rightFloats)
	return p
}

// flatProduct returns the geometry of the product, as that of a single pair of matrices where all left ones meet the same right one.
func (a *application) flatProduct() *geometry.Product {
	left, right, out := a.in[0].Shape, a.in[1].Shape, a.out[0].Shape
	transposed, _ := a.Get("transposeA").(bool)
	if lead := len(left) - 2; right[:lead].Len() == 1 && left[:lead].Len() == out[:lead].Len() && !transposed {
		flat := *a
		k, n := left[lead+1], out[lead+1]
		flat.in = append([]op.Type{}, a.in...)
		flat.in[0].Shape, flat.in[1].Shape = tensor.Shape{left[:lead+1].Len(), k}, right[lead:]
		flat.out = []op.Type{{DType: a.out[0].DType, Shape: tensor.Shape{left[:lead+1].Len(), n}}}
		a = &flat
	}
	return a.product()
}

// perColumn reports whether a shape broadcasts along rows: whether it has one element, or one for each of n columns.
func perColumn(s tensor.Shape, n int) bool { return s.Len() == 1 || s.Len() == n && s[len(s)-1] == n }

// chooseRight decides where panels of the right matrix are read.
func (x *tiles) chooseRight(matrices int, constant bool) {
	rows := x.BCol == 1
	few := x.M <= 2*x.tier.ProductRows()
	switch {
	case rows && x.N <= x.panel || rows && !constant && (few || x.K*x.N <= nearRight):
		x.right = inPlace
	case constant:
		x.right = packed
	case few || matrices > 1:
		x.right = copied
	default:
		x.right = shared
	}
}

// pack returns the packed form of the right matrices: panel after panel, of which the last ones are narrower, and in them row after row.
func (x *tiles) pack(b *tensor.Tensor) Pack {
	matrices := b.Len() / (x.K * x.N)
	panels := geometry.CeilDiv(x.N, x.panel)
	return Pack{From: b, Form: "panels of " + strconv.Itoa(x.panel) + " from " + strconv.Itoa(x.BK) + "," + strconv.Itoa(x.BCol), Size: 4 * b.Len(),
		Fill: func(dst []byte, i, n int) {
			to, from := floatsOf(dst), tensor.Data[float32](b)
			for at := i * matrices * panels / n; at < (i+1)*matrices*panels/n; at++ {
				matrix, first := at/panels*x.K*x.N, at%panels*x.panel
				x.copyPanels(to[matrix+first*x.K:], from[matrix:], x.K, first, min(first+x.panel, x.N))
			}
		}}
}

// width returns how many of the columns j…end-1 the first panel has, at most a vector less than a panel being divided further.
func (x *tiles) width(j, end int) int {
	if end-j >= x.panel {
		return x.panel
	}
	return min(end-j, x.tier.Lanes)
}

// copyPanels copies k rows of the columns from…end-1 of a matrix to panels.
func (x *tiles) copyPanels(to, b []float32, k, from, end int) {
	for j := from; j < end; {
		w := x.width(j, end)
		panel := to[(j-from)*k:][:w*k]
		if x.BCol == 1 {
			for i := range k {
				copy(panel[i*w:][:w], b[i*x.BK+j:])
			}
		} else {
			for c := range w {
				column := b[(j+c)*x.BCol:]
				for i := range k {
					panel[i*w+c] = column[i*x.BK]
				}
			}
		}
		j += w
	}
}

// divide chooses blocks and pieces.
func (x *tiles) divide(matrices int) {
	x.kBlock = evenBlock(x.K, mostK)
	if x.M <= 2 {
		x.kBlock = evenBlock(x.K, 8*mostK)
	}
	// Rows that share cache sets drive one another out.
	distance := x.ARow
	if x.AK != 1 {
		distance = x.AK
	}
	x.copies = x.M > 4 && x.N > 2*x.panel && (x.AK == 1 && distance%512 == 0 || x.AK != 1 && distance >= 128)

	pieces := max(1, int(min(x.work(matrices)/pieceWork, mostPieces))/matrices)
	x.rows, x.columns, x.rowPieces, x.columnPieces = x.M, x.N, 1, 1
	switch {
	case x.right == copied:
		x.splitColumns(max(pieces, geometry.CeilDiv(x.N, mostColumns)))
	case x.K*x.N <= nearRight || x.M >= 2*mostRows:
		x.splitRows(max(pieces, geometry.CeilDiv(x.M, mostRows)))
	default:
		x.splitColumns(pieces)
	}
	x.rowBlock = evenBlock(x.rows, mostRows)
	x.tailBytes = tailStepSize + (x.tail.size(4*x.panel)+63)/64*64
	if x.copies {
		x.leftFloats = x.leftDistance(x.kBlock, x.rowBlock) * min(x.rowBlock, x.M)
		if x.AK != 1 {
			x.leftFloats = x.leftDistance(x.kBlock, x.rowBlock) * x.kBlock
		}
	}
	if x.right == copied {
		x.rightFloats = x.kBlock * x.columns
	}
}

// work returns the number of multiply-adds.
func (x *tiles) work(matrices int) float64 {
	return float64(matrices) * float64(x.M) * float64(x.N) * float64(x.K)
}

// evenBlock returns the size of equal blocks of n, of at most so many.
func evenBlock(n, most int) int { return geometry.CeilDiv(n, geometry.CeilDiv(n, most)) }

// splitRows divides matrices into pieces of rows, if possible of equally many, and splitColumns into pieces of panels.
func (x *tiles) splitRows(pieces int) {
	pieces = min(pieces, geometry.CeilDiv(x.M, x.tier.ProductRows()))
	for n := pieces; n > pieces/2; n-- {
		if x.M%n == 0 {
			pieces = n
			break
		}
	}
	x.rows = geometry.CeilDiv(x.M, pieces)
	x.rowPieces = geometry.CeilDiv(x.M, x.rows)
}

func (x *tiles) splitColumns(pieces int) {
	unit := x.panel
	if x.M == 1 {
		unit *= 4
	}
	units := geometry.CeilDiv(x.N, unit)
	x.columns = geometry.CeilDiv(units, min(pieces, units)) * unit
	x.columnPieces = geometry.CeilDiv(x.N, x.columns)
	x.columns = min(x.columns, x.N)
}

// leftDistance returns how far rows of a copied block lie from each other.
func (x *tiles) leftDistance(k, rows int) int {
	n := k
	if x.AK != 1 {
		n = rows
	}
	return (n+31)/32*32 + 16
}

// tiling is the work on some pieces.
type tiling struct {
	*tiles
	c       *op.Call
	watch   op.Watch
	a, b, y []float32
	tails   []byte    // working memory, for a tail without steps and the steps of the tail
	block   []float32 // of the left matrix, and
	panels  []float32 // of the right one; working memory
	args    simd.ProductArgs
}

func (x *tiles) run(c *op.Call, lo, hi int) {
	w := tiling{tiles: x, c: c, watch: c.Watch(), a: tensor.Data[float32](c.In[0]), b: tensor.Data[float32](c.In[1]), y: tensor.Data[float32](c.Out[0])}
	w.tails = c.Scratch[:x.tailBytes]
	clear(w.tails[:tailStepSize])
	memory := floatsOf(c.Scratch[x.tailBytes:])
	w.block, w.panels = memory[:x.leftFloats], memory[x.leftFloats:][:x.rightFloats]
	switch x.right {
	case packed:
		w.b = floatsOf(c.Packed[0])
	case shared:
		w.b = floatsOf(c.Shared)
	}
	for ; lo < hi && lo < x.copyPieces; lo++ {
		from, to := lo*copyColumns, min(lo*copyColumns+copyColumns, x.N)
		if !w.copy(w.b[from*x.K:], tensor.Data[float32](c.In[1]), x.K, from, to) {
			return
		}
	}
	for lo < hi {
		n, at := 1, lo-x.copyPieces
		if x.columnPieces == 1 { // neighbouring rows
			n = min(hi-lo, x.rowPieces-at%x.rowPieces)
		}
		matrix, row, column := at/x.columnPieces/x.rowPieces, at/x.columnPieces%x.rowPieces*x.rows, at%x.columnPieces*x.columns
		if !w.piece(matrix, row, min(row+n*x.rows, x.M), column, min(column+x.columns, x.N)) {
			return
		}
		lo += n
	}
}

// copy copies some columns of a block of the right matrix to panels, and reports whether they are still wanted.
func (w *tiling) copy(to, b []float32, k, from, end int) bool {
	if w.watch.Stops(k * (end - from)) {
		return false
	}
	w.copyPanels(to, b, k, from, end)
	return true
}

// piece computes some rows and columns of one matrix, and reports whether it is still wanted.
func (w *tiling) piece(matrix, row, rows, column, columns int) bool {
	x := w.tiles
	at := matrix * x.M * x.N
	a, b := x.Factors(at)
	w.args.CRow, w.args.Add = 4*uintptr(x.N), 0
	for k := 0; k < x.K; k += x.kBlock {
		n := min(x.kBlock, x.K-k)
		w.args.K = n
		if x.right == copied && !w.copy(w.panels, w.b[b+k*x.BK:], n, column, columns) {
			return false
		}
		for i := row; i < rows; i += x.rowBlock {
			m := min(x.rowBlock, rows-i)
			if w.setLeft(a+i*x.ARow+k*x.AK, m, n) || w.setTiles(at+i*x.N, m, b, k, n, column, columns) {
				return false
			}
		}
		w.args.Add = 1
	}
	w.end(at, row, rows, column, columns)
	return true
}

// setLeft makes the block of the left matrix, of which the first element is given, one that can be read, and reports whether the work should end.
func (w *tiling) setLeft(at, rows, k int) bool {
	x := w.tiles
	if !x.copies {
		w.args.A, w.args.ARow, w.args.AStep = simd.At(w.a, at), 4*uintptr(x.ARow), 4*uintptr(x.AK)
		return false
	}
	if w.watch.Stops(rows * k) {
		return true
	}
	distance := x.leftDistance(x.kBlock, x.rowBlock)
	w.args.A, w.args.ARow, w.args.AStep = simd.At(w.block, 0), 4*uintptr(distance), 4
	if x.AK == 1 {
		for i := range rows {
			copy(w.block[i*distance:][:k], w.a[at+i*x.ARow:])
		}
		return false
	}
	w.args.ARow, w.args.AStep = 4, 4*uintptr(distance)
	for i := range k {
		copy(w.block[i*distance:][:rows], w.a[at+i*x.AK:])
	}
	return false
}

// setTiles computes so many rows of a block of k, of which the first element of the result is given, panel by panel, and reports whether the work
// should end.
func (w *tiling) setTiles(at, rows, b, k, n, column, columns int) bool {
	x, args := w.tiles, &w.args
	count := geometry.CeilDiv(rows, x.tier.ProductRows())
	height, higher := rows/count, rows%count
	left := args.A
	for j := column; j < columns; {
		width := x.width(j, columns)
		switch x.right {
		case inPlace:
			args.B, args.BStep, args.BPanel = simd.At(w.b, b+k*x.BK+j), 4*uintptr(x.BK), 4*uintptr(x.panel)
			args.Fetch, args.FetchStep = args.B, 0
		case packed, shared:
			args.B, args.BStep, args.BPanel = simd.At(w.b, b+x.K*j+k*width), 4*uintptr(width), 4*uintptr(x.K*x.panel)
			args.Fetch, args.FetchStep = args.B+4*uintptr(x.K*width), 4*uintptr(geometry.CeilDiv(width, count))
		case copied:
			args.B, args.BStep, args.BPanel = simd.At(w.panels, n*(j-column)), 4*uintptr(width), 4*uintptr(n*x.panel)
			args.Fetch, args.FetchStep = args.B, 0
		}
		if most := columns - j; rows <= 2 {
			if several := 4 / rows * x.panel; several <= most {
				width = several
				args.Fetch, args.FetchStep = args.B, 0
			}
		}
		if w.watch.Stops(rows * width * n) {
			return true
		}
		args.Tail = simd.At(w.tails, 0)
		if k+n == x.K {
			args.Tail = x.tail.set(w.c, w.tails[tailStepSize:], j, max(width, x.tier.Lanes))
		}
		a, c := left, simd.At(w.y, at+j)
		args.Columns = width
		if higher > 0 {
			args.A, args.C, args.Rows, args.Tiles = a, c, height+1, higher
			x.tier.Product.Run(args)
			done := uintptr(higher * (height + 1))
			a += done * args.ARow
			c += done * args.CRow
		}
		args.A, args.C, args.Rows, args.Tiles = a, c, height, count-higher
		x.tier.Product.Run(args)
		j += width
	}
	return false
}

// end does what is left of gemm.
func (w *tiling) end(at, row, rows, column, columns int) {
	x := w.tiles
	if x.alpha == 1 && x.addend < 0 {
		return
	}
	var addend []float32
	var down, along int
	if x.addend >= 0 {
		addend = tensor.Data[float32](w.c.In[x.addend])
		down, along = geometry.MatrixSteps(w.c.In[x.addend].Shape())
	}
	for i := row; i < rows; i++ {
		y := w.y[at+i*x.N:]
		for j := column; j < columns; j++ {
			v := y[j]
			if x.alpha != 1 {
				v = fmath.Canonical(v * x.alpha)
			}
			if addend != nil {
				c := addend[i*down+j*along]
				if x.beta != 1 {
					c = float32(c * x.beta)
				}
				v = fmath.Canonical(v + c)
			}
			y[j] = v
		}
	}
}

// floatsOf returns memory as numbers.
func floatsOf(b []byte) []float32 {
	return unsafe.Slice((*float32)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/4)
}
