package kernel

import (
	"github.com/concord-nn/concord/graph"
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
		rows = append(rows, Kernel{Name: "tiles", Op: name, In: []op.Types{float32s, float32s}, Sources: true,
			Prepare: func(r Region) *Plan { return multiplyTiles(t, r) }})
		rows = append(rows, wordRows(t, name)...)
	}
	return rows
}

// source says where a routine reads a matrix.
type source uint8

const (
	inPlace source = iota // where it is
	packed                // packed when the program was made
	copied                // in working memory, where each piece copies a block at a time
	shared                // in working memory of all, where the pieces of a first round copy everything
	decoded               // in working memory, where each panel of packed codes is decoded before it is used
)

// tiles is the plan of a product.
type tiles struct {
	geometry.Product
	tier  *simd.Tier
	panel int // columns

	leftIn, rightIn int // operands of the call
	left, right     source
	leftStep        int // from one row of a copied left matrix to the next, or if it is transposed from one column

	coded *codedMatrix // the right matrix, if it is decoded

	tail    *tail
	scaling scaling[float32]
	addend  int // the operand that is added behind the tail; -1 if there is none

	lines                   int // how many columns are read at once where they lie along lines; 0 if none are
	kBlock                  int // of K, that is read before anything else is
	rows, columns           int // of a piece
	rowPieces, columnPieces int
	rightCopies, leftCopies int // pieces of the first round, in which matrices are copied
	tailBytes               int // of working memory, in front of
	leftFloats, rightFloats int // copied blocks
	sharedRight, sharedLeft int // of what all workers share
}

// The sizes of blocks, in elements.
const (
	mostK       = 1024    // of k, so that a tile's rows stay in the nearest cache; sums are written and read again for every so many
	highK       = 3072    // the same for tiles of so many rows that they come from the next cache anyway
	highTile    = 12      // rows
	flatK       = 8192    // the same for up to 2 rows
	decodedK    = 2048    // the same where a panel is decoded, which lies in the next cache then
	decodedFlat = 1 << 12 // decoded numbers for up to 2 rows: they stay in the nearest cache
	decodedWork = 8       // multiply-adds that take as long as one with a number that is decoded for it
	mostRows    = 168     // of the left matrix in a block
	mostColumns = 512     // of the right matrix in a block that is copied
	manyRows    = 256     // of which every few read all of the right matrix
	nearRight   = 1 << 16 // a right matrix so small is read again for every few rows
	copyColumns = 128     // in a piece that copies the right matrix, and
	copyRows    = 32      // the left one
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
	x := &tiles{rightIn: 1, tier: t, panel: 2 * t.Lanes, addend: -1, scaling: scalingOf[float32](&a)}
	coded := r.Sources > 0 && r.Nodes[0].Op == "dequantize_linear"
	if r.Sources == 0 || coded {
		x.Product = *a.flatProduct()
	} else if !x.through(r, &a) {
		return nil
	}
	if x.K == 0 || coded && !x.decode(r) {
		return nil
	}
	right := n.In[1]
	swapped := !coded && x.N == 1 && x.M > 1 && x.BK == 1 && x.AK == 1 && (n.Op != "gemm" || !a.has(2) || a.in[2].Shape.Len() == 1)
	if swapped { // A column is a row of the transpose of the result.
		x.Product, x.leftIn, x.rightIn, right = x.Swapped(), x.rightIn, x.leftIn, n.In[0]
	}
	bias := len(n.In)
	switch n.Op {
	case "linear":
		bias = 2
	case "gemm":
		switch {
		case !a.has(2):
		case x.scaling == scaling[float32]{1, 1} && perColumn(a.in[2].Shape, x.N):
			bias = 2
		default:
			x.addend = 2 + sourceOperands(r)
		}
	}
	if len(r.Nodes) > r.Sources+1 && (x.scaling.alpha != 1 || x.addend >= 0) {
		return nil
	}
	var ok bool
	if x.tail, ok = tailOf(r, len(a.out[0].Shape)-1, bias); !ok {
		return nil
	}
	matrices := a.out[0].Shape.Len() / (x.M * x.N)
	if x.coded == nil {
		x.chooseRight(matrices, right.Type.Shape.Len()/(x.K*x.N), right.Const != nil)
	}
	x.divide(matrices)
	p := &Plan{Run: x.run, Pieces: matrices * x.rowPieces * x.columnPieces, Nanos: x.nanos(matrices)}
	switch x.right {
	case packed:
		p.Pack = []Pack{x.pack(right.Const)}
	case decoded:
		p.Pack = x.packCoded()
	}
	p.Scratch, p.Shared = x.tailBytes+4*(x.leftFloats+x.rightFloats), 4*(x.sharedRight+x.sharedLeft)
	if copies := x.rightCopies + x.leftCopies; copies > 0 {
		p.Rounds = []int{copies, p.Pieces}
		p.Pieces += copies
	}
	p.Even = x.columnPieces == 1 && x.rows*x.rowPieces == x.M
	p.Streams = p.Even && !swapped && x.leftCopies == 0 && x.AK == 1 && x.ARow == x.K && a.in[0].Shape.Len() == matrices*x.M*x.K
	return p
}

// through takes the geometry of a product whose operands are read through sources, each of which must be a transpose of one: nothing is moved then. But
// neighbours in a row or in a column must be neighbours there, too.
func (x *tiles) through(r Region, a *application) bool {
	x.Product = *a.product()
	transposeA, transposeB := geometry.Transposed(a.Attrs)
	for _, s := range r.Nodes[:r.Sources] {
		if s.Op != "transpose" || r.Layouts[s.In[0]] != Plain {
			return false
		}
		from, apart := geometry.Distances(s.In[0].Type.Shape), []int(nil)
		for _, axis := range s.Attrs.Ints("axes") {
			apart = append(apart, from[axis])
		}
		switch s.Out[0] {
		case r.Root().In[0]:
			x.LeftAt(a.in[0].Shape, apart, transposeA)
		case r.Root().In[1]:
			x.RightAt(a.in[1].Shape, apart, transposeB)
			if r.Sources == 1 {
				x.leftIn, x.rightIn = 1, 0
			}
		default:
			return false
		}
	}
	return (x.ARow == 1 || x.AK == 1) && (x.BK == 1 || x.BCol == 1)
}

// flatProduct returns the geometry of the product, as that of a single pair of matrices where all left ones meet the same right one.
func (a *application) flatProduct() *geometry.Product {
	left, right, out := a.in[0].Shape, a.in[1].Shape, a.out[0].Shape
	transposed, _ := geometry.Transposed(a.Attrs)
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

// chooseRight decides where panels of the right matrix are read, of so many.
func (x *tiles) chooseRight(matrices, rights int, constant bool) {
	rows := x.BCol == 1
	few := x.M <= 2*x.tier.ProductRows()
	near := x.K*x.N <= nearRight && x.BK == x.N && !collide(x.BK, 4)
	switch {
	case rows && x.N <= x.panel || rows && !constant && (few || near):
		x.right = inPlace
	case constant:
		x.right = packed
	case x.M == 1 && x.BK == 1 && x.AK == 1 && x.K >= 4:
		x.right, x.lines = copied, 4*x.panel // but for the last ones
	case few || rights != matrices || matrices > 1 && x.pieces(matrices) == 1 && x.M <= mostRows && x.N <= mostColumns:
		x.right = copied
	default:
		x.right = shared
	}
}

// divide chooses blocks and pieces.
func (x *tiles) divide(matrices int) {
	switch {
	case x.right == decoded:
		x.divideRows()
	case x.M <= 2:
		x.kBlock = evenBlock(x.K, flatK)
	case x.tier.ProductRows() >= highTile:
		x.kBlock = evenBlock(x.K, highK)
	default:
		x.kBlock = evenBlock(x.K, mostK)
	}
	if x.lines > 0 {
		x.kBlock = min(x.K, flatK) &^ 3
	}
	pieces := x.pieces(matrices)
	x.rows, x.columns, x.rowPieces, x.columnPieces = x.M, x.N, 1, 1
	switch {
	case x.right == copied:
		x.splitColumns(max(pieces, geometry.CeilDiv(x.N, mostColumns)))
	case x.right == decoded:
		x.splitColumns(pieces)
	case x.K*x.N <= nearRight || x.M >= manyRows:
		x.splitRows(max(pieces, geometry.CeilDiv(x.M, mostRows)))
	default:
		x.splitColumns(pieces)
	}
	x.tailBytes = tailStepSize + (x.tail.size(4*x.panel)+63)/64*64

	switch x.right {
	case copied:
		x.rightFloats = x.kBlock * x.columns
		if x.lines > 0 {
			x.rightFloats = max(x.kBlock*min(x.columns, x.lines), 4*x.columns)
		}
	case shared:
		x.rightCopies, x.sharedRight = matrices*geometry.CeilDiv(x.N, copyColumns), matrices*x.K*x.N
	}
	if !x.collides() {
		return
	}
	if x.left = copied; matrices == 1 && x.columnPieces > 1 {
		x.left = shared
	}
	switch lines, each := leftLines(&x.Product, min(x.M, mostRows), x.kBlock); x.left {
	case copied:
		x.leftStep = apart(each)
		x.leftFloats = lines * x.leftStep
	case shared:
		lines, each = leftLines(&x.Product, x.M, x.K)
		x.leftStep = apart(each)
		x.leftCopies, x.sharedLeft = geometry.CeilDiv(lines, copyRows), lines*x.leftStep
	}
}

// collides reports whether what is read of the left matrix for a tile shares cache sets, so that one element drives out another, and copying it pays.
func (x *tiles) collides() bool {
	return x.M > 4 && x.N > 2*x.panel && leftCollides(&x.Product, 4)
}

// pieces returns into how many pieces each matrix is worth being divided.
func (x *tiles) pieces(matrices int) int {
	work := x.work(matrices)
	if x.right == decoded && x.M <= 2 { // where decoding takes most of the time
		work *= decodedWork
	}
	return max(1, int(min(work/pieceWork, mostPieces))/matrices)
}

// work returns the number of multiply-adds.
func (x *tiles) work(matrices int) float64 {
	return float64(matrices) * float64(x.M) * float64(x.N) * float64(x.K)
}

// nanos returns about how many nanoseconds the product takes: for its multiply-adds, or for reading the right matrices.
func (x *tiles) nanos(matrices int) int64 {
	return 1 + int64(max(x.work(matrices)/48, x.work(matrices)/float64(x.M)/16))
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
