package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// productWidths lists the tiles by vectors of columns, and the rows that those of several panels have.
var productWidths = []struct{ vectors, rows int }{{2, 0}, {1, 0}, {8, 1}, {4, 2}}

// product builds the routine of ProductArgs: a loop for each size of tiles, and for each width what is done with the sums in the end.
func product(f *file) {
	if f.isa.vnni {
		return
	}
	r := f.routine("Product", "ProductArgs")
	r.Label("tile")
	columns, rows := r.load("Columns"), r.load("Rows")
	type loop struct {
		*productTile
		rows int
	}
	var widths []*productTile
	var loops []loop
	for _, w := range productWidths {
		t := newProductTile(r, w.vectors, w.rows)
		widths = append(widths, t)
		other := fmt.Sprintf("not_%d", w.vectors)
		if w.vectors > 1 { // of which no part can be missing
			r.CMPQ(columns, operand.U32(w.vectors*f.isa.lanes()))
			r.JNE(operand.LabelRef(other))
		} else {
			r.CMPQ(columns, operand.U32(f.isa.lanes()))
			r.JA(operand.LabelRef(other))
		}
		for n := 1; n <= len(t.sums); n++ {
			if w.rows > 0 && n != w.rows {
				continue
			}
			loops = append(loops, loop{t, n})
			r.CMPQ(rows, operand.U8(n))
			r.JE(operand.LabelRef(t.name("begin", n)))
		}
		r.Label(other)
	}
	r.RET() // there is no such tile
	for _, l := range loops {
		l.sumRows(l.rows)
	}
	for _, t := range widths {
		t.finish()
	}
	plainProduct(f, "ProductDoubles", func(t *productTile, place operand.Mem, a reg.VecVirtual) { t.VBROADCASTSD(place, a) },
		func(t *productTile, b, a, sum reg.VecVirtual) { t.VFMADD231PD(b, a, sum) })
	plainProduct(f, "ProductInts", func(t *productTile, place operand.Mem, a reg.VecVirtual) { t.VPBROADCASTD(place, a) },
		func(t *productTile, b, a, sum reg.VecVirtual) {
			product := t.vector()
			t.VPMULLD(b, a, product)
			t.VPADDD(product, sum, sum)
		})
}

// plainProduct builds the routine of ProductArgs for other numbers than float32, of tiles of two vectors of columns: from how an element of a is read, and
// how a product is added.
func plainProduct(f *file, name string, broadcast func(t *productTile, place operand.Mem, a reg.VecVirtual), add func(t *productTile, b, a, sum reg.VecVirtual)) {
	r := f.routine(name, "ProductArgs")
	r.Label("tile")
	rows := r.load("Rows")
	t := newProductTile(r, 2, 0)
	t.broadcast, t.add = broadcast, add
	heights := []int{len(t.sums)} // two of those that are not there take hardly longer
	for n := 1; n <= f.args.constant("ProductRows8") && n < len(t.sums); n++ {
		heights = append(heights, n)
	}
	for _, n := range heights {
		r.CMPQ(rows, operand.U8(n))
		r.JE(operand.LabelRef(t.name("begin", n)))
	}
	r.RET() // there is no such tile
	for _, n := range heights {
		t.sumRows(n)
	}
	t.finish()
}

// productTile builds tiles of so many vectors of columns. Those of a single vector are masked.
type productTile struct {
	*tile
	vectors int
	// How an element of a is read, and a product added, in the place of those of float32. Such tiles have no tail.
	broadcast func(t *productTile, place operand.Mem, a reg.VecVirtual)
	add       func(t *productTile, b, a, sum reg.VecVirtual)

	there reg.GPVirtual // a bit for each row, in the end

	a               [2]reg.GPVirtual // the addresses of every seventh row
	row, row3, row5 reg.GPVirtual    // distances of rows of a
	b, b1, b3       reg.GPVirtual    // of the next row of b, the distances of rows and of three
	panel, panel3   reg.GPVirtual    // distances of panels of b
}

func newProductTile(r *routine, vectors, rows int) *productTile {
	t := &productTile{tile: &tile{routine: r, spare: r.vectors(max(vectors, 3))}, vectors: vectors, there: r.GP64()}
	if rows == 0 {
		rows = r.byLanes("ProductRows")
	}
	for range rows {
		t.sums = append(t.sums, r.vectors(vectors))
	}
	if vectors == 1 {
		t.mask = r.newMask()
	}
	return t
}

func (t *productTile) name(of string, rows int) string {
	return fmt.Sprintf("%s_%dx%d", of, rows, t.vectors)
}

// near is how many rows of a are reached from one register.
const near = 7

// sumRows builds the sums of so many rows.
func (t *productTile) sumRows(rows int) {
	t.Label(t.name("begin", rows))
	// What is not used for so few rows must have a value, too.
	t.each(func(_ int, sum reg.VecVirtual) { t.clear(sum) })
	t.again()
	if t.mask != nil {
		t.setMask(t.mask, t.load("Columns"))
	}
	t.start(rows)
	t.again()
	t.addresses(rows)
	step, bStep, fetch, fetchStep, k := t.load("AStep"), t.load("BStep"), t.load("Fetch"), t.load("FetchStep"), t.load("K")
	if t.dense() && rows >= denseRows {
		t.fours(rows, step, bStep, fetch, fetchStep, k)
	}
	if t.vectors == linesVectors {
		t.lines(t.name("k", rows), k)
	}
	t.loop(t.name("k", rows), k, func() {
		t.multiply(rows, 0)
		t.PREFETCHT0(at(fetch, 0))
		t.ADDQ(fetchStep, fetch)
		t.ADDQ(bStep, t.b)
		for i := range (rows-1)/near + 1 {
			t.ADDQ(step, t.a[i])
		}
	})
	t.Label(t.name("end", rows))
	t.again()
	t.MOVQ(fetch, t.field("Fetch"))
	t.MOVQ(operand.U32(1<<rows-1), t.there)
	t.JMP(operand.LabelRef(t.name("finish", 0)))
}

// denseRows is from how many rows on a loop is worth a second one that takes four k at a time.
const denseRows = 4

// dense reports whether a loop has so many instructions for each multiply-add that processors have more to do with reading instructions than
// with multiplying.
func (t *productTile) dense() bool { return !t.isa.wide() && t.vectors == 2 && t.add == nil }

// fours builds the loop that takes four k at a time as long as there are as many, where the elements of a row of a lie together.
func (t *productTile) fours(rows int, step, bStep, fetch, fetchStep, k reg.GPVirtual) {
	loop, rest, single := t.name("k4", rows), t.name("rest", rows), t.name("k", rows)
	t.CMPQ(step, operand.U8(4))
	t.JNE(operand.LabelRef(single))
	t.b1, t.b3 = bStep, t.GP64()
	t.LEAQ(operand.Mem{Base: bStep, Index: bStep, Scale: 2}, t.b3)
	t.SUBQ(operand.U8(4), k)
	t.unless(t.JB, rest, func() {
		t.Label(loop)
		for i := range 4 {
			t.multiply(rows, i)
		}
		t.PREFETCHT0(at(fetch, 0))
		t.LEAQ(operand.Mem{Base: fetch, Index: fetchStep, Scale: 4}, fetch)
		t.LEAQ(operand.Mem{Base: t.b, Index: bStep, Scale: 4}, t.b)
		t.ADDQ(operand.U8(16), t.a[0])
		t.SUBQ(operand.U8(4), k)
		t.JAE(operand.LabelRef(loop))
	})
	t.ADDQ(operand.U8(4), k)
	t.JZ(operand.LabelRef(t.name("end", rows)))
}

// linesVectors is of how many vectors the tile of one row is that has loops for columns that lie along lines.
const linesVectors = 8

// lines builds the loops for a right matrix whose columns lie along lines, if it is one: of a vector's columns, and sixteen k at most, after the other, so that
// what is read of each line is a line of the cache, and the sums of several vectors come about at the same time. Four k of each line are read at a time, and
// four vectors of columns made of them, as by transposePanel.
func (t *productTile) lines(rows string, k reg.GPVirtual) {
	line, line3, n := t.load("BLine"), t.GP64(), t.GP64()
	t.TESTQ(line, line)
	t.JZ(operand.LabelRef(rows))
	t.LEAQ(operand.Mem{Base: line, Index: line, Scale: 2}, line3)
	t.Label("lines")
	t.MOVQ(k, n)
	t.CMPQ(k, operand.U8(16))
	t.unless(t.JBE, "last_lines", func() { t.MOVQ(operand.U32(16), n) })
	parts, from := make([]reg.GPVirtual, t.isa.lanes()/4), t.GP64()
	for i := range parts {
		parts[i] = t.GP64()
	}
	a, left := t.GP64(), t.GP64()
	t.MOVQ(t.b, from)
	for v, sum := range t.sums[0] {
		t.MOVQ(from, parts[0])
		for i := range parts[1:] {
			t.LEAQ(operand.Mem{Base: parts[i], Index: line, Scale: 4}, parts[i+1])
		}
		t.LEAQ(operand.Mem{Base: parts[len(parts)-1], Index: line, Scale: 4}, from)
		for _, p := range parts {
			for i := range 4 {
				t.PREFETCHT0(strided(p, i, 64, line, line3))
			}
		}
		t.MOVQ(t.a[0], a)
		t.MOVQ(n, left)
		loop := fmt.Sprintf("lines_%d", v)
		t.Label(loop)
		x := t.file.vectors(4)
		for i, four := range x {
			for p, base := range parts {
				switch part := strided(base, i, 0, line, line3); {
				case p == 0 && t.isa.wide():
					t.VBROADCASTF32X4(part, four)
				case p == 0:
					t.VBROADCASTF128(part, four)
				case t.isa.wide():
					t.VINSERTF32X4(operand.U8(p), part, four, four)
				default:
					t.VINSERTF128(operand.U8(p), part, four, four)
				}
			}
		}
		y := t.file.vectors(4)
		t.VUNPCKLPS(x[1], x[0], y[0])
		t.VUNPCKLPS(x[3], x[2], y[1])
		t.VUNPCKHPS(x[1], x[0], y[2])
		t.VUNPCKHPS(x[3], x[2], y[3])
		for i := range 4 {
			b, one, pair := t.vector(), t.vector(), i/2*2
			t.VSHUFPS(operand.U8([2]uint8{0x44, 0xEE}[i%2]), y[pair+1], y[pair], b)
			t.VBROADCASTSS(at(a, 4*i), one)
			t.VFMADD231PS(b, one, sum)
		}
		for _, p := range parts {
			t.ADDQ(operand.U8(16), p)
		}
		t.ADDQ(operand.U8(16), a)
		t.SUBQ(operand.U8(4), left)
		t.JNZ(operand.LabelRef(loop))
	}
	t.ADDQ(operand.U8(64), t.b)
	t.ADDQ(operand.U8(64), t.a[0])
	t.SUBQ(n, k)
	t.JNZ(operand.LabelRef("lines"))
	t.MOVQ(operand.U32(1), t.there)
	t.JMP(operand.LabelRef(t.name("finish", 0)))
}

// again loads the address of the arguments once more, so that it needs no register in the loop.
func (t *productTile) again() {
	t.base = t.GP64()
	t.Load(t.Param("a"), t.base)
}

// start sets the sums of so many rows: to +0, or to what there is in c.
func (t *productTile) start(rows int) {
	row, step := t.load("C"), t.load("CRow")
	each := func(f func(sum reg.VecVirtual, place operand.Mem)) {
		for i, sums := range t.sums[:rows] {
			for v, sum := range sums {
				f(sum, at(row, v*t.isa.bytes))
			}
			if i+1 < rows {
				t.ADDQ(step, row)
			}
		}
	}
	t.CMPQ(t.field("Add"), operand.U8(0))
	t.either(t.JNE, t.name("add", rows), t.name("go", rows), func() {
		each(func(_ reg.VecVirtual, place operand.Mem) {
			if place.Disp%64 == 0 {
				t.PREFETCHT0(place) // so that it is near when the sums are there
			}
		})
	}, func() {
		each(func(sum reg.VecVirtual, place operand.Mem) { t.read(place, sum) })
	})
}

// addresses loads the addresses of the rows of a and of b, and what leads to others.
func (t *productTile) addresses(rows int) {
	t.a[0], t.b = t.load("A"), t.load("B")
	times := func(x reg.GPVirtual, scale uint8) reg.GPVirtual {
		y := t.GP64()
		t.LEAQ(operand.Mem{Base: x, Index: x, Scale: scale}, y)
		return y
	}
	if rows > 1 {
		t.row = t.load("ARow")
	}
	if rows > 3 {
		t.row3 = times(t.row, 2)
	}
	if rows > 5 {
		t.row5 = times(t.row, 4)
	}
	if rows > near {
		t.a[1] = t.GP64()
		t.LEAQ(operand.Mem{Base: t.a[0], Index: t.row3, Scale: 2}, t.a[1])
		t.ADDQ(t.row, t.a[1])
	}
	if t.vectors > 2 {
		t.panel = t.load("BPanel")
	}
	if t.vectors > 6 {
		t.panel3 = times(t.panel, 2)
	}
}

// aAt returns where the element of row i of a lies, so many k on.
func (t *productTile) aAt(i, k int) operand.Mem {
	return strided(t.a[i/near], i%near, 4*k, t.row, t.row3, t.row5)
}

// bAt returns where vector v of a row of b lies, so many k on: for these of two vectors only.
func (t *productTile) bAt(v, k int) operand.Mem {
	if k > 0 {
		return strided(t.b, k, v%2*t.isa.bytes, t.b1, t.b3)
	}
	return strided(t.b, v/2, v%2*t.isa.bytes, t.panel, t.panel3)
}

// multiply adds the products for one k, which lies so many behind where a and b point.
func (t *productTile) multiply(rows, k int) {
	if rows == 1 && t.mask == nil && t.add == nil {
		a := t.vector()
		t.VBROADCASTSS(t.aAt(0, k), a)
		for v, sum := range t.sums[0] {
			t.VFMADD231PS(t.bAt(v, k), a, sum)
		}
		return
	}
	b := t.file.vectors(t.vectors)
	for v := range b {
		t.read(t.bAt(v, k), b[v])
	}
	for i, sums := range t.sums[:rows] {
		a := t.vector() // not as part of the multiply-adds, which were then more reads than some processors can do
		if t.add != nil {
			t.broadcast(t, t.aAt(i, k), a)
			for v, sum := range sums {
				t.add(t, b[v], a, sum)
			}
			continue
		}
		t.VBROADCASTSS(t.aAt(i, k), a)
		for v, sum := range sums {
			t.VFMADD231PS(b[v], a, sum)
		}
	}
}

// finish ends a tile, and begins the next one.
func (t *productTile) finish() {
	t.Label(t.name("finish", 0))
	t.again()
	t.rows, t.step = t.there, t.field("CRow")
	if t.add != nil {
		t.places(t.load("C"), t.write)
	} else {
		t.tile.finish(t.load("Tail"), t.load("C"))
	}
	t.again()
	for _, m := range [][2]string{{"ARow", "A"}, {"CRow", "C"}} {
		d := t.load(m[0])
		t.IMULQ(t.field("Rows"), d)
		t.ADDQ(d, t.field(m[1]))
	}
	t.DECQ(t.field("Tiles"))
	t.JNZ(operand.LabelRef("tile"))
	t.end()
}

// newMask returns a register for a mask of lanes.
func (f *file) newMask() operand.Op {
	if f.isa.wide() {
		return f.K()
	}
	return f.YMM()
}

// setMask sets a mask to the first n lanes.
func (f *file) setMask(mask operand.Op, n reg.GPVirtual) {
	ones := f.GP64()
	if f.isa.wide() {
		f.MOVQ(operand.I32(-1), ones)
		f.BZHIQ(n, ones, ones)
		f.KMOVW(ones.As32(), mask)
		return
	}
	lanes, m := f.YMM(), mask.(reg.VecVirtual)
	f.MOVQ(operand.U64(0x0706050403020100), ones)
	f.VMOVQ(ones, lanes.AsX())
	f.VPMOVZXBD(lanes.AsX(), lanes)
	f.VMOVQ(n, m.AsX())
	f.VPBROADCASTD(m.AsX(), m)
	f.VPCMPGTD(lanes, m, m)
}
