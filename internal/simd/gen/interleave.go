package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// interleave builds the routines between sixteen rows and groups of sixteen: tiles of eight groups in registers. Wider vectors would not help
// what memory bounds, so that these serve all tiers.
func interleave(f *file) {
	if f.isa.name != "avx2" {
		return
	}
	f.tiles("Interleave4", 4, (*weave).interleaveWords)
	f.tiles("Deinterleave4", 4, (*weave).deinterleaveWords)
	f.tiles("Interleave2", 2, (*weave).interleaveShorts)
	f.tiles("Deinterleave2", 2, (*weave).deinterleaveShorts)
	f.tiles("Interleave1", 1, (*weave).interleaveBytes)
	f.tiles("Deinterleave1", 1, (*weave).deinterleaveBytes)
}

// tileColumns is how many groups of a tile there are.
const tileColumns = 8

// weave is where a routine stands: at eight groups, of which the first begins at an address, and at a column of the rows.
type weave struct {
	*routine
	groups, next reg.GPVirtual // the first two groups
	step, triple reg.GPVirtual // the distance of groups, and that of every third
	column       reg.GPVirtual
	size         int // of an element
}

// tiles builds a routine that moves one tile after the other. The last one ends with the last column, and may repeat some of those before.
func (f *file) tiles(name string, size int, move func(t *weave)) {
	r := f.routine(name, "InterleaveArgs")
	t := &weave{r, r.load("Groups"), r.GP64(), r.load("Step"), r.GP64(), r.GP64(), size}
	last, back := r.load("Columns"), r.GP64()
	r.SUBQ(operand.Imm(tileColumns), last)
	r.LEAQ(operand.Mem{Base: t.step, Index: t.step, Scale: 2}, t.triple)
	r.XORQ(t.column, t.column)
	r.Label("tile")
	r.LEAQ(operand.Mem{Base: t.groups, Index: t.step, Scale: 1}, t.next)
	move(t)
	r.LEAQ(operand.Mem{Base: t.groups, Index: t.step, Scale: 8}, t.groups)
	r.ADDQ(operand.Imm(tileColumns), t.column)
	r.CMPQ(t.column, last)
	r.JLE(operand.LabelRef("tile"))
	r.CMPQ(t.column, r.field("Columns"))
	r.unless(r.JGE, "done", func() {
		r.MOVQ(t.column, back) // to the last tile, by columns that are there already
		r.SUBQ(last, back)
		r.IMULQ(t.step, back)
		r.SUBQ(back, t.groups)
		r.MOVQ(last, t.column)
		r.JMP(operand.LabelRef("tile"))
	})
	r.end()
}

// row returns the memory of the elements of a row, some bytes on.
func (t *weave) row(i, bytes int) operand.Mem {
	p := t.GP64()
	from := t.field("Rows")
	from.Disp += 8 * i
	t.MOVQ(from, p)
	return operand.Mem{Base: p, Index: t.column, Scale: uint8(t.size), Disp: bytes}
}

// group returns the memory of group k of the tile, some bytes on.
func (t *weave) group(k, bytes int) operand.Mem {
	from := [tileColumns]operand.Mem{
		{Base: t.groups}, {Base: t.next}, {Base: t.groups, Index: t.step, Scale: 2}, {Base: t.groups, Index: t.triple, Scale: 1},
		{Base: t.groups, Index: t.step, Scale: 4}, {Base: t.next, Index: t.step, Scale: 4},
		{Base: t.groups, Index: t.triple, Scale: 2}, {Base: t.next, Index: t.triple, Scale: 2},
	}[k]
	from.Disp = bytes
	return from
}

// transposed returns four vectors, of which vector k has word k of each of eight runs of four words.
func (t *weave) transposed(run func(i int) operand.Mem) []reg.VecVirtual {
	var pairs [4]reg.VecVirtual // runs i and i+4
	for i := range pairs {
		pairs[i] = t.YMM()
		t.VBROADCASTF128(run(i), pairs[i])
		t.VINSERTF128(operand.Imm(1), run(i+4), pairs[i], pairs[i])
	}
	x := t.vectors(4)
	t.VUNPCKLPS(pairs[1], pairs[0], x[0])
	t.VUNPCKHPS(pairs[1], pairs[0], x[1])
	t.VUNPCKLPS(pairs[3], pairs[2], x[2])
	t.VUNPCKHPS(pairs[3], pairs[2], x[3])
	y := t.vectors(4)
	for i := range 2 {
		t.VUNPCKLPD(x[i+2], x[i], y[2*i])
		t.VUNPCKHPD(x[i+2], x[i], y[2*i+1])
	}
	return y
}

func (t *weave) interleaveWords() {
	for first := 0; first < tileColumns; first += 4 {
		for half := range 2 {
			columns := t.transposed(func(i int) operand.Mem { return t.row(8*half+i, 4*first) })
			for k, x := range columns {
				t.VMOVUPS(x, t.group(first+k, 32*half))
			}
		}
	}
}

func (t *weave) deinterleaveWords() {
	for first := 12; first >= 0; first -= 4 {
		rows := t.transposed(func(k int) operand.Mem { return t.group(k, 4*first) })
		for i := 3; i >= 0; i-- {
			t.VMOVUPS(rows[i], t.row(first+i, 0))
		}
	}
}

// shuffle returns a register with the elements, of one or two bytes, of two, alternating: those of their lower or of their upper halves.
func (t *weave) shuffle(upper bool, a, b reg.VecVirtual) reg.VecVirtual {
	c := t.XMM()
	switch {
	case upper && t.size == 2:
		t.VPUNPCKHWD(b, a, c)
	case upper:
		t.VPUNPCKHBW(b, a, c)
	case t.size == 2:
		t.VPUNPCKLWD(b, a, c)
	default:
		t.VPUNPCKLBW(b, a, c)
	}
	return c
}

// riffle puts each register of the first half of a list beside its fellow of the second half: two registers with their elements alternating.
// The sum of such steps is a transpose.
func (t *weave) riffle(x []reg.VecVirtual) (out []reg.VecVirtual) {
	for i := range len(x) / 2 {
		a, b := x[i], x[i+len(x)/2]
		out = append(out, t.shuffle(false, a, b), t.shuffle(true, a, b))
	}
	return out
}

// octets moves an eight by eight of elements of two bytes, between addresses of eight in a row.
func (t *weave) octets(from, to func(i int) operand.Mem) {
	x := make([]reg.VecVirtual, 8)
	for i := range x {
		x[i] = t.XMM()
		t.VMOVDQU(from(i), x[i])
	}
	for range 3 {
		x = t.riffle(x)
	}
	for i := 7; i >= 0; i-- {
		t.VMOVDQU(x[i], to(i))
	}
}

func (t *weave) interleaveShorts() {
	for half := range 2 {
		t.octets(func(i int) operand.Mem { return t.row(8*half+i, 0) }, func(k int) operand.Mem { return t.group(k, 16*half) })
	}
}

func (t *weave) deinterleaveShorts() {
	for half := 1; half >= 0; half-- {
		t.octets(func(k int) operand.Mem { return t.group(k, 16*half) }, func(i int) operand.Mem { return t.row(8*half+i, 0) })
	}
}

func (t *weave) interleaveBytes() {
	x := make([]reg.VecVirtual, 8) // rows i and i+8
	for i := range x {
		a, b := t.XMM(), t.XMM()
		t.VMOVQ(t.row(i, 0), a)
		t.VMOVQ(t.row(i+8, 0), b)
		x[i] = t.shuffle(false, a, b)
	}
	for range 3 {
		x = t.riffle(x)
	}
	for k := range x {
		t.VMOVDQU(x[k], t.group(k, 0))
	}
}

func (t *weave) deinterleaveBytes() {
	x := make([]reg.VecVirtual, 8)
	for k := range x {
		x[k] = t.XMM()
		t.VMOVDQU(t.group(k, 0), x[k])
	}
	for range 3 {
		x = t.riffle(x)
	}
	for k := 7; k >= 0; k-- {
		t.VMOVHPS(x[k], t.row(2*k+1, 0))
		t.VMOVQ(x[k], t.row(2*k, 0))
	}
}
