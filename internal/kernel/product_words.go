package kernel

import (
	"strconv"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/fmath"
	"github.com/concord-nn/concord/internal/geometry"
	"github.com/concord-nn/concord/internal/simd"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// Products of float64 matrices, a panel of columns of the right matrix after the other, which some rows of the left one pass over.

// doubleTiles is the plan of a product of float64.
type doubleTiles struct {
	*geometry.Product
	tier        *simd.Tier
	panel       int    // columns
	right       source // inPlace, copied or packed
	alpha, beta float64
	addend      [2]int // the distances of rows and of columns of operand 2

	rows, columns           int // of a piece
	rowPieces, columnPieces int
}

const (
	doublesK = 256     // rows of a panel that are copied, and passed over, at a time
	leftNear = 1 << 15 // elements of the left matrix that are read again and again
	leftRows = 168     // of it in a piece
)

// multiplyDoubles returns the plan for a product of float64.
func multiplyDoubles(t *simd.Tier, r Region) *Plan {
	n := r.Root()
	a := application{n.Attrs, graph.TypesOf(n.In), graph.TypesOf(n.Out)}
	if len(r.Nodes) > 1 || a.out[0].Shape.Len() == 0 {
		return nil
	}
	x := &doubleTiles{Product: a.flatProduct(), tier: t, panel: t.Lanes, alpha: 1, beta: 1}
	switch {
	case x.K == 0:
		return nil
	case n.Op == "gemm":
		x.alpha, x.beta = a.Float("alpha"), a.Float("beta")
	}
	if a.has(2) {
		if x.addend = [2]int{0, min(a.in[2].Shape.Len()-1, 1)}; n.Op == "gemm" {
			x.addend[0], x.addend[1] = geometry.MatrixSteps(a.in[2].Shape)
		}
	}
	few := x.M <= 2*t.ProductRows()
	switch {
	case x.BCol == 1 && few:
		x.right = inPlace
	case n.In[1].Const != nil:
		x.right = packed
	default:
		x.right = copied
	}
	matrices := a.out[0].Shape.Len() / (x.M * x.N)
	work := float64(matrices) * float64(x.M) * float64(x.N) * float64(x.K)
	most := min(leftRows, max(leftNear/x.K, 1))
	x.rows = min(geometry.CeilDiv(most, t.ProductRows())*t.ProductRows(), x.M)
	x.rowPieces = geometry.CeilDiv(x.M, x.rows)
	panels := geometry.CeilDiv(x.N, x.panel)
	pieces := min(panels, max(1, int(min(work/pieceWork, mostPieces))/(matrices*x.rowPieces)))
	x.columns = geometry.CeilDiv(panels, pieces) * x.panel
	x.columnPieces = geometry.CeilDiv(x.N, x.columns)
	p := &Plan{Run: x.run, Pieces: matrices * x.rowPieces * x.columnPieces, Nanos: 1 + int64(work/24), Scratch: 8 * (doublesK + x.rows) * x.panel}
	if x.right == packed {
		p.Pack = []Pack{x.pack(n.In[1].Const)}
	}
	return p
}

// pack returns the form of the right matrices in which panel comes after panel, the last one with zeros in the place of columns that are not there.
func (x *doubleTiles) pack(b *tensor.Tensor) Pack {
	panels, each := geometry.CeilDiv(x.N, x.panel), x.K*x.panel
	matrices := b.Len() / (x.K * x.N)
	form := "panels of " + strconv.Itoa(x.panel) + " doubles from " + strconv.Itoa(x.BK) + "," + strconv.Itoa(x.BCol)
	return Pack{From: b, Form: form, Size: 8 * matrices * panels * each, Fill: func(dst []byte, i, n int) {
		to, from := elementsOfType[float64](dst), tensor.Data[float64](b)
		for at := i * matrices * panels / n; at < (i+1)*matrices*panels/n; at++ {
			j := at % panels * x.panel
			x.copyPanel(to[at*each:][:each], from[at/panels*x.K*x.N+j*x.BCol:], x.K, min(x.panel, x.N-j))
		}
	}}
}

// copyPanel copies k rows of some columns of the right matrix to a panel; the other columns become zeros.
func (x *doubleTiles) copyPanel(to, b []float64, k, columns int) {
	if x.BCol == 1 && columns == x.panel {
		copyPanels(x.tier, simd.PanelArgs{To: simd.At(to, 0), ToStep: 8 * uintptr(x.panel), From: simd.At(b, 0), FromStep: 8 * uintptr(x.BK), K: k, Panels: 1})
		return
	}
	if columns < x.panel {
		clear(to[:k*x.panel])
	}
	for j := range columns {
		column, to := b[j*x.BCol:], to[j:]
		for i := range k {
			to[i*x.panel] = column[i*x.BK]
		}
	}
}

func (x *doubleTiles) run(c *op.Call, lo, hi int) {
	for watch := c.Watch(); lo < hi && !watch.Stops(0); lo++ {
		matrix, row, column := lo/x.columnPieces/x.rowPieces, lo/x.columnPieces%x.rowPieces*x.rows, lo%x.columnPieces*x.columns
		for end := min(column+x.columns, x.N); column < end && !watch.Stops(0); column += x.panel {
			x.pass(c, &watch, matrix, row, min(x.rows, x.M-row), column)
		}
	}
}

// pass computes some rows of the columns of a panel.
func (x *doubleTiles) pass(c *op.Call, watch *op.Watch, matrix, row, rows, column int) {
	a, b, y := tensor.Data[float64](c.In[0]), tensor.Data[float64](c.In[1]), tensor.Data[float64](c.Out[0])
	work, columns := elementsOfType[float64](c.Scratch), min(x.panel, x.N-column)
	left, right := x.Factors(matrix * x.M * x.N)
	left, right = left+row*x.ARow, right+column*x.BCol
	sums, step := y[(matrix*x.M+row)*x.N+column:], x.N
	if columns < x.panel { // they are brought to their places then
		sums, step = work[doublesK*x.panel:], x.panel
	}
	args := simd.ProductArgs{CRow: 8 * uintptr(step), ARow: 8 * uintptr(x.ARow), AStep: 8 * uintptr(x.AK), Columns: x.panel}
	for k := 0; k < x.K; k += doublesK {
		n := min(doublesK, x.K-k)
		if watch.Stops(n * x.panel * rows) {
			return
		}
		args.BStep = 8 * uintptr(x.panel)
		switch {
		case x.right == packed:
			panel := right / (x.K * x.N) * geometry.CeilDiv(x.N, x.panel) * x.K * x.panel
			args.B = simd.At(elementsOfType[float64](c.Packed[0]), panel+(column*x.K+k*x.panel))
		case x.right == inPlace && columns == x.panel:
			args.B, args.BStep = simd.At(b, right+k*x.BK), 8*uintptr(x.BK)
		default:
			x.copyPanel(work, b[right+k*x.BK:], n, columns)
			args.B = simd.At(work, 0)
		}
		for i := 0; i < rows; i += args.Rows {
			now := args
			now.Tiles, now.Rows = (rows-i)/x.tier.ProductRows(), x.tier.ProductRows()
			if now.Tiles == 0 {
				now.Tiles, now.Rows = 1, rows-i
			}
			args.Rows = now.Tiles * now.Rows
			now.A, now.C, now.K, now.Fetch = simd.At(a, left+i*x.ARow+k*x.AK), simd.At(sums, i*step), n, now.B
			x.tier.ProductDoubles.Run(&now)
		}
		args.Add = 1
	}
	x.finish(c, sums, y[(matrix*x.M+row)*x.N+column:], step, row, rows, column, columns)
}

// finish does what is done with sums, and brings them to their places.
func (x *doubleTiles) finish(c *op.Call, sums, y []float64, step, row, rows, column, columns int) {
	plain := x.alpha == 1 && !c.Has(2)
	var addend []float64
	if c.Has(2) {
		addend = tensor.Data[float64](c.In[2])
	}
	for i := range rows {
		from, to := sums[i*step:][:columns], y[i*x.N:][:columns]
		if plain {
			for j, v := range from {
				to[j] = fmath.Canonical(v)
			}
			continue
		}
		for j, v := range from {
			if v = fmath.Canonical(v); x.alpha != 1 {
				v = fmath.Canonical(v * x.alpha)
			}
			if addend != nil {
				more := addend[(row+i)*x.addend[0]+(column+j)*x.addend[1]]
				if x.beta != 1 {
					more = float64(more * x.beta)
				}
				v = fmath.Canonical(v + more)
			}
			to[j] = v
		}
	}
}
