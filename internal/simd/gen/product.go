package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// productHeight returns how many rows the highest tile has: with two vectors of columns its sums leave registers for the two of b, and on AVX2 for
// an element of a.
func (i *isa) productHeight() int {
	if i.wide() {
		return 14
	}
	return 6
}

// product builds the routine of ProductArgs: a part for each height of tiles and number of vectors of columns.
func product(f *file) {
	if f.isa.vnni {
		return
	}
	r := f.routine("product", "ProductArgs")
	height, columns := r.load("Height"), r.load("Columns")
	type part struct{ height, vectors int }
	var parts []part
	for h := 1; h <= f.isa.productHeight(); h++ {
		for _, v := range []int{8, 4, 2, 1} {
			if v > 2 && v*h != 8 {
				continue
			}
			parts = append(parts, part{h, v})
			next := fmt.Sprintf("not%dx%d", h, v)
			r.CMPQ(height, operand.U8(h))
			r.JNE(operand.LabelRef(next))
			if v > 1 {
				r.CMPQ(columns, operand.U32(v*f.isa.lanes()))
				r.JNE(operand.LabelRef(next))
			}
			r.JMP(operand.LabelRef(fmt.Sprintf("tile%dx%d", h, v)))
			r.Label(next)
		}
	}
	r.RET() // no such tile
	for _, p := range parts {
		t := &productTile{routine: r, rows: p.height, width: p.vectors}
		t.build(fmt.Sprintf("%dx%d", p.height, p.vectors))
	}
}

// productTile builds tiles of so many rows and vectors of columns. A tile of a single vector is masked.
type productTile struct {
	*routine
	rows, width int
	sums        [][]reg.VecVirtual
	mask        operand.Op // of the columns; for a single vector

	row, row3, row5 reg.GPVirtual // distances of rows of a
	a               [2]reg.GPVirtual
	step            reg.GPVirtual
	b, bStep        reg.GPVirtual
	panel, panel3   reg.GPVirtual
}

// near is how many rows are reached from one register.
const near = 7

func (t *productTile) build(name string) {
	t.Label("tile" + name)
	t.sums = make([][]reg.VecVirtual, t.rows)
	for i := range t.sums {
		t.sums[i] = t.vectors(t.width)
	}
	if t.width == 1 {
		t.mask = t.columnMask(t.load("Columns"))
	}
	tiles, c, tileA := t.load("Tiles"), t.load("C"), t.load("A")
	t.step, t.bStep = t.load("AStep"), t.load("BStep")
	fetch, fetchStep := t.load("Fetch"), t.load("FetchStep")
	if t.rows > 1 {
		t.row = t.load("ARow")
	}
	if t.rows > 3 {
		t.row3 = t.GP64()
		t.LEAQ(operand.Mem{Base: t.row, Index: t.row, Scale: 2}, t.row3)
	}
	if t.rows > 5 {
		t.row5 = t.GP64()
		t.LEAQ(operand.Mem{Base: t.row, Index: t.row, Scale: 4}, t.row5)
	}
	if t.width > 2 {
		t.panel = t.load("BPanel")
	}
	if t.width > 6 {
		t.panel3 = t.GP64()
		t.LEAQ(operand.Mem{Base: t.panel, Index: t.panel, Scale: 2}, t.panel3)
	}

	t.Label("next" + name)
	base := t.arguments()
	t.begin(name, base, c)
	t.b = t.GP64()
	t.MOVQ(base.field("B"), t.b)
	t.a[0] = t.GP64()
	t.MOVQ(tileA, t.a[0])
	if t.rows > near {
		t.a[1] = t.GP64()
		t.LEAQ(operand.Mem{Base: tileA, Index: t.row3, Scale: 2}, t.a[1])
		t.ADDQ(t.row, t.a[1])
	}
	k := t.GP64()
	t.MOVQ(base.field("K"), k)

	t.Label("k" + name)
	t.multiply()
	t.PREFETCHT1(at(fetch, 0))
	t.ADDQ(fetchStep, fetch)
	t.ADDQ(t.bStep, t.b)
	for i := range (t.rows-1)/near + 1 {
		t.ADDQ(t.step, t.a[i])
	}
	t.DECQ(k)
	t.JNZ(operand.LabelRef("k" + name))

	base = t.arguments()
	t.finish(name, base, c)
	for range t.rows {
		t.ADDQ(base.field("ARow"), tileA)
	}
	t.DECQ(tiles)
	t.JNZ(operand.LabelRef("next" + name))
	t.end()
}

// arguments returns the routine with the address of the arguments in a new register, which is not occupied in between.
func (t *productTile) arguments() *routine {
	r := *t.routine
	r.base = t.GP64()
	t.Load(t.Param("a"), r.base)
	return &r
}

// eachRow calls f with the address of each row of a tile of c, from the given register on, which then is that of the next tile.
func (t *productTile) eachRow(args *routine, c reg.GPVirtual, f func(i int)) {
	row := args.load("CRow")
	for i := range t.rows {
		f(i)
		t.ADDQ(row, c)
	}
}

// begin sets the sums: to +0, or to what there is in c.
func (t *productTile) begin(name string, args *routine, c reg.GPVirtual) {
	row := t.GP64()
	t.MOVQ(c, row)
	t.CMPQ(args.field("Add"), operand.U8(0))
	t.JNE(operand.LabelRef("add" + name))
	t.eachRow(args, row, func(i int) {
		for j, s := range t.sums[i] {
			if t.width <= 2 && (t.isa.wide() || j == 0) {
				t.PREFETCHT0(t.cAt(row, j))
			}
			t.VXORPS(s, s, s)
		}
	})
	t.JMP(operand.LabelRef("begin" + name))
	t.Label("add" + name)
	t.eachRow(args, row, func(i int) {
		for j, s := range t.sums[i] {
			t.read(t.cAt(row, j), s)
		}
	})
	t.Label("begin" + name)
}

// cAt returns where vector j of a row of c lies.
func (t *productTile) cAt(row reg.Register, j int) operand.Mem { return at(row, j*t.isa.bytes) }

// bAt returns where vector j of a row of b lies.
func (t *productTile) bAt(j int) operand.Mem {
	m := at(t.b, j%2*t.isa.bytes)
	switch panel := j / 2; panel {
	case 1, 2:
		m.Index, m.Scale = t.panel, uint8(panel)
	case 3:
		m.Index, m.Scale = t.panel3, 1
	}
	return m
}

// aAt returns where the element of row i of a lies.
func (t *productTile) aAt(i int) operand.Mem {
	m := at(t.a[i/near], 0)
	switch i % near {
	case 1, 2, 4:
		m.Index, m.Scale = t.row, uint8(i%near)
	case 3, 6:
		m.Index, m.Scale = t.row3, uint8(i%near/3)
	case 5:
		m.Index, m.Scale = t.row5, 1
	}
	return m
}

// multiply adds the products for one k.
func (t *productTile) multiply() {
	if t.rows == 1 {
		a := t.vector()
		t.VBROADCASTSS(t.aAt(0), a)
		for j, s := range t.sums[0] {
			if t.width > 1 {
				t.VFMADD231PS(t.bAt(j), a, s)
				continue
			}
			b := t.vector()
			t.read(t.bAt(j), b)
			t.VFMADD231PS(b, a, s)
		}
		return
	}
	b := t.vectors(t.width)
	for j := range b {
		t.read(t.bAt(j), b[j])
	}
	for i, sums := range t.sums {
		if t.isa.wide() {
			for j, s := range sums {
				t.VFMADD231PS_BCST(t.aAt(i), b[j], s)
			}
			continue
		}
		a := t.vector()
		t.VBROADCASTSS(t.aAt(i), a)
		for j, s := range sums {
			t.VFMADD231PS(b[j], a, s)
		}
	}
}

// finish adds the bias, makes every NaN the canonical one, and writes the sums to c, which then is the next tile.
func (t *productTile) finish(name string, args *routine, c reg.GPVirtual) {
	bias := args.load("Bias")
	t.TESTQ(bias, bias)
	t.JZ(operand.LabelRef("unbiased" + name))
	for j := range t.width {
		b := t.vector()
		t.read(at(bias, j*t.isa.bytes), b)
		for i := range t.rows {
			t.VADDPS(b, t.sums[i][j], t.sums[i][j])
		}
	}
	t.Label("unbiased" + name)
	var all []reg.VecVirtual
	for _, s := range t.sums {
		all = append(all, s...)
	}
	t.canonical(name, all)
	t.eachRow(args, c, func(i int) {
		for j, s := range t.sums[i] {
			t.write(s, t.cAt(c, j))
		}
	})
}

// columnMask returns a mask of so many lanes.
func (f *file) columnMask(n reg.GPVirtual) operand.Op {
	if f.isa.wide() {
		ones, mask := f.GP64(), f.K()
		f.MOVQ(operand.I32(-1), ones)
		f.BZHIQ(n, ones, ones)
		f.KMOVW(ones.As32(), mask)
		return mask
	}
	numbers, lanes, mask := f.GP64(), f.YMM(), f.YMM()
	f.MOVQ(operand.U64(0x0706050403020100), numbers)
	f.VMOVQ(numbers, lanes.AsX())
	f.VPMOVZXBD(lanes.AsX(), lanes)
	f.VMOVQ(n, mask.AsX())
	f.VPBROADCASTD(mask.AsX(), mask)
	f.VPCMPGTD(lanes, mask, mask)
	return mask
}

// read loads a vector, of the columns in the mask.
func (t *productTile) read(from operand.Mem, to reg.VecVirtual) {
	switch {
	case t.mask == nil:
		t.VMOVUPS(from, to)
	case t.isa.wide():
		t.VMOVUPS_Z(from, t.mask, to)
	default:
		t.VMASKMOVPS(from, t.mask, to)
	}
}

// write stores a vector, of the columns in the mask.
func (t *productTile) write(from reg.VecVirtual, to operand.Mem) {
	switch {
	case t.mask == nil:
		t.VMOVUPS(from, to)
	case t.isa.wide():
		t.VMOVUPS(from, t.mask, to)
	default:
		t.VMASKMOVPS(from, t.mask, to)
	}
}

// canonical makes every NaN in the vectors the canonical one. There is rarely one.
func (f *productTile) canonical(name string, vectors []reg.VecVirtual) {
	pair := func(i int) reg.VecVirtual { return vectors[min(i+1, len(vectors)-1)] }
	done := operand.LabelRef("canonical" + name)
	nan := f.GP32()
	if f.isa.wide() {
		k := f.K()
		f.KXNORW(k, k, k)
		for i := 0; i < len(vectors); i += 2 {
			f.VCMPPS(operand.U8(7), vectors[i], pair(i), k, k)
		}
		f.KORTESTW(k, k)
		f.JCS(done)
		canonical := f.ZMM()
		f.MOVL(operand.U32(0x7FC00000), nan)
		f.VPBROADCASTD(nan, canonical)
		for _, v := range vectors {
			f.VCMPPS(operand.U8(3), v, v, k)
			f.VMOVAPS(canonical, k, v)
		}
	} else {
		found, t := f.YMM(), f.YMM()
		f.VCMPPS(operand.U8(3), vectors[0], pair(0), found)
		for i := 2; i < len(vectors); i += 2 {
			f.VCMPPS(operand.U8(3), vectors[i], pair(i), t)
			f.VORPS(t, found, found)
		}
		f.VTESTPS(found, found)
		f.JZ(done)
		canonical := f.YMM()
		f.MOVL(operand.U32(0x7FC00000), nan)
		f.VMOVD(nan, canonical.AsX())
		f.VPBROADCASTD(canonical.AsX(), canonical)
		for _, v := range vectors {
			f.VCMPPS(operand.U8(3), v, v, t)
			f.VBLENDVPS(t, canonical, v, v)
		}
	}
	f.Label("canonical" + name)
}
