package kernel

import (
	"fmt"

	"github.com/concord-nn/concord/internal/geometry"
	"github.com/concord-nn/concord/internal/simd"
	"github.com/concord-nn/concord/tensor"
)

// pack returns the packed form of the right matrices: panel after panel, of which the last ones are narrower, and in them row after row.
func (x *tiles) pack(b *tensor.Tensor) Pack {
	matrices := b.Len() / (x.K * x.N)
	panels := geometry.CeilDiv(x.N, x.panel)
	return Pack{From: b, Form: panelsForm(&x.Product, x.panel), Size: 4 * b.Len(),
		Fill: func(dst []byte, i, n int) {
			to, from := floatsOf(dst), tensor.Data[float32](b)
			for at := i * matrices * panels / n; at < (i+1)*matrices*panels/n; at++ {
				matrix, first := at/panels*x.K*x.N, at%panels*x.panel
				x.copyPanels(to[matrix+first*x.K:], from[matrix:], x.K, first, min(first+x.panel, x.N))
			}
		}}
}

// panelsForm names the order of the packed right matrices of a product, in panels of so many columns.
func panelsForm(p *geometry.Product, panel int) string {
	return fmt.Sprintf("panels of %d of %d from %d,%d", panel, p.N, p.BK, p.BCol)
}

// width returns how many of the columns j…end-1 the first panel has. What is less than a panel has panels of a vector, and the rest.
func (x *tiles) width(j, end int) int {
	if end-j >= x.panel {
		return x.panel
	}
	return min(end-j, x.tier.Lanes)
}

// copyPanels copies k rows of the columns from…end-1 of a matrix to panels.
func (x *tiles) copyPanels(to, b []float32, k, from, end int) {
	if full := (end - from) / x.panel; full > 0 && x.BCol == 1 {
		x.copyRows(to, b[from:], k, full)
		to, from = to[full*x.panel*k:], from+full*x.panel
	}
	for from < end {
		w := x.width(from, end)
		x.copyPanel(to[:w*k], b[from*x.BCol:], k, w)
		to, from = to[w*k:], from+w
	}
}

// routineFloats is about how many numbers a routine may copy: for less than 100 µs, even from far away.
const routineFloats = 1 << 16

// copyRows copies k rows to whole panels.
func (x *tiles) copyRows(to, b []float32, k, panels int) {
	copyPanels(x.tier, simd.PanelArgs{To: simd.At(to, 0), ToStep: 4 * uintptr(x.panel), PanelStep: 4 * uintptr(k*x.panel),
		From: simd.At(b, 0), FromStep: 4 * uintptr(x.BK), K: k, Panels: panels})
}

// copyPanels copies rows by a routine, which is called for some of them at a time.
func copyPanels(t *simd.Tier, args simd.PanelArgs) {
	most := max(routineFloats/(args.Panels*2*t.Lanes), 1)
	for left := args.K; left > 0; left -= most {
		args.K = min(most, left)
		t.CopyPanels.Run(&args)
		args.To += uintptr(most) * args.ToStep
		args.From += uintptr(most) * args.FromStep
	}
}

// copyPanel copies k rows to a panel of any width.
func (x *tiles) copyPanel(to, b []float32, k, width int) {
	const block = 128 // of k, so that its part of the panel stays near
	columns, rows := 0, 0
	if x.BK == 1 {
		columns, rows = width/8*8, k/4*4
	}
	for i := 0; i < rows && columns > 0; i += block {
		x.tier.TransposePanel.Run(&simd.PanelArgs{To: simd.At(to, i*width), ToStep: 4 * uintptr(width),
			From: simd.At(b, i), FromStep: 4 * uintptr(x.BCol), K: min(block, rows-i), Panels: columns / 8})
	}
	for i := range k {
		first := 0
		if i < rows {
			first = columns
		}
		for j := first; j < width; j++ {
			to[i*width+j] = b[i*x.BK+j*x.BCol]
		}
	}
}
