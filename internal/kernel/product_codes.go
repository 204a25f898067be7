package kernel

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/geometry"
	"github.com/concord-nn/concord/internal/simd"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// Right matrices of constant codes, with a scale and a zero point for all of a column or for blocks of rows in it, as weights of large language models
// have them. Each worker decodes a panel right before its rows are multiplied by it: the codes take an eighth of the time to come from memory that floats
// would take, and of the memory.

// codeTypes are the element types of codes that routines decode.
var codeTypes = op.TypeSet(tensor.Uint2, tensor.Int2, tensor.Uint4, tensor.Int4, tensor.Uint8, tensor.Int8)

// isCoded reports whether a node makes numbers of constant codes.
func isCoded(n *graph.Node) bool {
	return n.Op == "dequantize_linear" && codeTypes.Has(n.In[0].Type.DType) && n.In[0].Const != nil && n.In[1].Const != nil && n.In[2].Const != nil
}

// codedMatrix is a right matrix of codes.
type codedMatrix struct {
	codes, scale, zero *tensor.Tensor
	form               string // of what is packed
	panel, row         *simd.Routine[simd.DecodeArgs]
	bits               int
	group              int // rows of which a dword has the codes
	block, count       int // rows that have a scale, and how often such are in all rows
	columns            int // that have a scale
	down, along        int // from one scale of a column to the next, and from that of some columns to that of those behind them
	groups             int // in all rows
	rows               int // of the working memory for a panel
}

// decode makes the right matrix that of a region's dequantisation, if routines can decode it.
func (x *tiles) decode(r Region) bool {
	n, made := r.Nodes[0], r.Nodes[0].Out[0]
	_, turned := geometry.Transposed(r.Root().Attrs)
	for _, s := range r.Nodes[1:r.Sources] {
		if s.In[0] != made || s.Op != "transpose" && s.Op != "unsqueeze" {
			return false
		}
		turned = turned != (s.Op == "transpose")
		made = s.Out[0]
	}
	if made != r.Root().In[1] { // but what a node of the tail reads
		return false
	}
	if x.BK, x.BCol = x.N, 1; turned {
		x.BK, x.BCol = 1, x.K
	}
	m := &codedMatrix{codes: n.In[0].Const, scale: n.In[1].Const, zero: n.In[2].Const}
	if !isCoded(n) || m.scale.DType() != tensor.Float32 || m.codes.Len() != x.K*x.N {
		return false
	}
	block := n.Attrs.Ints("block")
	m.bits = m.codes.DType().Bits()
	m.group = 32 / m.bits
	switch t := x.tier; m.bits {
	case 2:
		m.panel, m.row = &t.Decode2, &t.DecodeRow2
	case 4:
		m.panel, m.row = &t.Decode4, &t.DecodeRow4
	case 8:
		m.panel, m.row = &t.Decode8, &t.DecodeRow8
	}
	m.block, m.count, m.columns = x.K, 1, x.N
	if shape := m.scale.Shape(); len(shape) > 0 {
		blocks, distances := geometry.NewBlocks(m.codes.Shape(), shape, block), geometry.Distances(shape)
		k, j := len(shape)-2, len(shape)-1
		if turned {
			k, j = j, k
		}
		m.block, m.count, m.columns = blocks.Size(k), shape[k], blocks.Size(j)
		m.down, m.along = distances[k], distances[j]
	}
	if m.block%m.group != 0 && m.count > 1 {
		return false
	}
	m.groups = geometry.CeilDiv(x.K, m.group)
	m.form = fmt.Sprintf("panels of %d of %v by %d,%d in blocks of %v", x.panel, m.codes.Shape(), x.BK, x.BCol, block)
	x.coded, x.right, x.leftIn = m, decoded, len(n.In)
	return true
}

// code returns code i of a tensor as it is packed: without a sign, greater by half of the codes.
func (m *codedMatrix) code(from []byte, i int) uint32 {
	code := uint32(tensor.CodeAt(from, i, m.bits))
	if m.codes.DType().IsSigned() {
		code ^= 1 << (m.bits - 1)
	}
	return code
}

// packCodes returns the packed form of the codes: for each panel and group of rows a dword for each column.
func (x *tiles) packCodes() Pack {
	m := x.coded
	panels := geometry.CeilDiv(x.N, x.panel)
	return Pack{From: m.codes, Form: "codes in " + m.form, Size: 4 * panels * m.groups * x.panel, Fill: func(dst []byte, part, parts int) {
		from := m.codes.Bytes()
		for panel := panels * part / parts; panel < panels*(part+1)/parts; panel++ {
			for j := panel * x.panel; j < min((panel+1)*x.panel, x.N); j++ {
				to := dst[4*(panel*m.groups*x.panel+j-panel*x.panel):]
				for k := 0; k < x.K; k += m.group {
					word, at := uint32(0), k*x.BK+j*x.BCol
					if x.BK == 1 && at*m.bits%8 == 0 && k+m.group <= x.K { // as they lie, but for signs
						word = binary.LittleEndian.Uint32(from[at*m.bits/8:])
						if m.codes.DType().IsSigned() {
							word ^= math.MaxUint32 / (1<<m.bits - 1) << (m.bits - 1)
						}
					} else {
						for i := range min(m.group, x.K-k) {
							word |= m.code(from, at+i*x.BK) << (i * m.bits)
						}
					}
					binary.LittleEndian.PutUint32(to[4*k/m.group*x.panel:], word)
				}
			}
		}
	}}
}

// packEach returns the packed form of a number of each block: for each panel and each block of rows that of each column; or, where all blocks have the
// same, a vector of it.
func (x *tiles) packEach(t *tensor.Tensor, name string, of func(i int) float32) Pack {
	m := x.coded
	panels, count := geometry.CeilDiv(x.N, x.panel), m.count
	if t.Len() == 1 {
		panels, count = 1, 1
	}
	return Pack{From: t, Form: name + " in " + m.form, Size: 4 * panels * count * x.panel, Fill: func(dst []byte, part, parts int) {
		to := floatsOf(dst)
		for at := panels * part / parts; at < panels*(part+1)/parts; at++ {
			for b := range count {
				for lane := range x.panel {
					i := 0
					if t.Len() > 1 {
						i = b*m.down + min(at*x.panel+lane, x.N-1)/m.columns*m.along
					}
					to[(at*count+b)*x.panel+lane] = of(i)
				}
			}
		}
	}}
}

// packCoded returns what is packed of a matrix of codes.
func (x *tiles) packCoded() []Pack {
	m := x.coded
	return []Pack{
		x.packCodes(),
		x.packEach(m.scale, "scales", func(i int) float32 { return tensor.Data[float32](m.scale)[i] }),
		x.packEach(m.zero, "zero points", func(i int) float32 { return float32(simd.DecodeZero + m.code(m.zero.Bytes(), i)) }),
	}
}

// divideRows chooses how many rows are decoded at a time, and how many numbers the working memory for them has.
func (x *tiles) divideRows() {
	m, most := x.coded, 0
	switch {
	case x.byRow(): // all but the last ones are multiplied in registers
		m.rows, x.kBlock = m.group, (x.K-1)/m.group*m.group
		x.rightFloats = 4 * m.rows * x.panel
		return
	case x.M <= 2:
		most = decodedFlat / (4 / x.M * x.panel) / m.group * m.group
	default:
		most = evenBlock(x.K, decodedK)
	}
	m.rows = geometry.CeilDiv(max(min(most, x.K), 1), m.group) * m.group
	x.kBlock = m.rows
	x.rightFloats = m.rows * x.panel * max(1, 4/x.M)
}

// byRow reports whether a single row is multiplied by codes, but for the last group of rows, behind which the tail comes.
func (x *tiles) byRow() bool {
	return x.M == 1 && x.AK == 1 && x.N%(2*x.panel) == 0 && x.K > x.coded.group
}

// rowsOf calls a routine for so many rows, from row k on, of the panel in which column j is, as long as that is wanted: for whole blocks, or for parts of one.
func (w *tiling) rowsOf(k, rows, j int, args simd.DecodeArgs, routine *simd.Routine[simd.DecodeArgs]) {
	x, m := w.tiles, w.coded
	panel := j / x.panel
	args.FromPanel = uintptr(4 * m.groups * x.panel)
	each := func(packed []byte, block int) (at, step, next uintptr) {
		if len(packed) == 4*x.panel {
			return simd.At(packed, 0), 0, 0
		}
		return simd.At(packed, 4*(panel*m.count+block)*x.panel), uintptr(4 * x.panel), uintptr(4 * m.count * x.panel)
	}
	for end := k + rows; k < end; {
		most := min(end-k, flatK) // so that no call takes long
		if w.watch.Stops(most * x.panel) {
			return
		}
		args.Blocks, args.Groups = 1, geometry.CeilDiv(min(most, m.block-k%m.block), m.group)
		if full := most / m.block; full > 0 && k%m.block == 0 {
			args.Blocks, args.Groups = full, geometry.CeilDiv(m.block, m.group)
		}
		args.From = simd.At(w.c.Packed[0], 4*(panel*m.groups+k/m.group)*x.panel)
		args.Scale, args.ScaleStep, args.ScalePanel = each(w.c.Packed[1], k/m.block)
		args.Zero, args.ZeroStep, args.ZeroPanel = each(w.c.Packed[2], k/m.block)
		routine.Run(&args)
		done := args.Blocks * args.Groups * m.group
		k += done
		args.To += uintptr(4 * done * x.panel)
		args.X += uintptr(4 * done)
		args.First = 0
	}
}

// decodePanels decodes so many rows, from row k on, of the panels of some columns.
func (w *tiling) decodePanels(k, rows, j, columns int) {
	x, m := w.tiles, w.coded
	for c := 0; c < columns; c += x.panel {
		w.rowsOf(k, rows, j+c, simd.DecodeArgs{To: simd.At(w.panels, c*m.rows)}, m.panel)
	}
}

// multiplyRow multiplies the first so many numbers of a row by two panels, and leaves their sums in the result.
func (w *tiling) multiplyRow(a, y []float32, rows, j int) {
	w.rowsOf(0, rows, j, simd.DecodeArgs{X: simd.At(a, 0), C: simd.At(y, j), First: 1}, w.coded.row)
}
