package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// windowKind is what is made of the elements in a window.
type windowKind struct {
	name   string
	size   int    // of an element, if that is an integer
	signed bool   // whether that is
	ahead  bool   // whether the row behind the window is fetched, which the next line needs
	signs  bool   // whether the signs that all elements have are kept
	pixels string // the constant that says how many a group has at most
	// take adds the elements at a position of the window, for so many pixels, and finish, if there is one, makes the results of the sums.
	take   func(w *window, pixels int)
	finish func(w *window)
	// nine, if there is one, is code of its own for windows of three rows and columns beside each other, which move by so many of these from pixel to
	// pixel; row is the distance of rows.
	nine func(w *window, pixels, stride int, row reg.GPVirtual)
}

// windowed builds the routines for windows that slide over planes, channel by channel.
func windowed(f *file) {
	if f.isa.vnni {
		return
	}
	const pixels = "WindowPixels"
	f.window(windowKind{name: "Depthwise", pixels: "DepthwisePixels", ahead: true, take: (*window).multiplyAdd, nine: (*window).multiplyAddNine})
	f.window(windowKind{name: "WindowMax", pixels: pixels, signs: true, take: (*window).greatest, finish: (*window).sign, nine: (*window).greatestNine})
	f.window(windowKind{name: "WindowSum", pixels: pixels, take: (*window).sum, finish: (*window).divide})
	f.window(windowKind{name: "WindowSquares", pixels: pixels, take: (*window).square, finish: (*window).root})
	if !f.isa.wide() { // a pixel is half a vector of this tier already
		f.window(windowKind{name: "WindowMaxInt8", pixels: pixels, size: 1, signed: true, take: greatestIntegers(f.VPMAXSB)})
		f.window(windowKind{name: "WindowMaxUint8", pixels: pixels, size: 1, take: greatestIntegers(f.VPMAXUB)})
		f.window(windowKind{name: "WindowMaxInt16", pixels: pixels, size: 2, signed: true, take: greatestIntegers(f.VPMAXSW)})
	}
}

// window is a routine that is built.
type window struct {
	*tile
	kind   windowKind
	part   reg.GPVirtual
	at     reg.GPVirtual    // the first pixel's element at the position of the window
	far    reg.GPVirtual    // the ninth pixel's, if there may be so many
	steps  [4]reg.GPVirtual // the distance of pixels, three, five and seven times
	weight reg.GPVirtual
	values []reg.VecVirtual // what the routine needs for each pixel beside its sum
}

func (f *file) window(kind windowKind) {
	r := f.routine(kind.name, "WindowArgs")
	w := &window{kind: kind, part: r.load("Parts"), at: r.GP64(), far: r.GP64(), weight: r.GP64()}
	w.tile = &tile{routine: r, spare: r.vectors(3), rows: r.GP64(), lane: r.field("Lane"), list: 64}
	w.step = w.of("OutStep")
	most := r.file.args.constant(kind.pixels)
	for range most {
		if w.kind.size == 1 {
			w.sums = append(w.sums, []reg.VecVirtual{r.XMM()})
		} else {
			w.sums = append(w.sums, r.vectors(1))
		}
	}
	if kind.signs {
		w.values = r.vectors(most)
	}

	r.loop("part", r.field("Count"), func() {
		w.distances()
		if w.kind.nine != nil {
			w.chooseWay()
		}
		for _, side := range []string{"In", "Out"} {
			from := w.load(side)
			r.ADDQ(w.of(side), from)
			r.MOVQ(from, r.field("Line"+side))
		}
		w.copy("Lines", "LinesLeft")
		r.loop("line", r.field("LinesLeft"), func() {
			lane := r.GP64()
			r.XORQ(lane, lane)
			r.Label("lane")
			r.MOVQ(lane, r.field("Lane"))
			w.copy("Groups", "GroupsLeft")
			for _, names := range [][2]string{{"LineIn", "GroupIn"}, {"LineOut", "Now"}} {
				line := w.load(names[0])
				r.ADDQ(lane, line)
				r.MOVQ(line, r.field(names[1]))
			}
			r.loop("group", r.field("GroupsLeft"), func() {
				if w.values != nil { // what has had signs has more of them
					r.CMPQ(r.field("Signs"), operand.U8(0))
					r.unless(r.JNE, "signs", func() { w.greatestNumbers(most, "signs") })
				}
				w.begin()
				w.take(most, kind.take, kind.ahead, "taken")
				r.Label("taken")
				if kind.finish != nil {
					kind.finish(w)
				}
				r.Label("finished")
				if out := w.load("Now"); w.kind.size > 0 {
					w.places(out, w.write)
				} else {
					w.finish(w.load("Steps"), out)
				}
				w.advance("In", "Group", "GroupIn")
				w.advance("Out", "Group", "Now")
			})
			r.MOVQ(r.field("Lane"), lane)
			r.ADDQ(operand.U8(w.bytes()), lane)
			r.CMPQ(lane, r.field("Width"))
			r.JB(operand.LabelRef("lane"))
			w.advance("In", "Line", "LineIn")
			w.advance("Out", "Line", "LineOut")
		})
		r.ADDQ(operand.U8(r.file.args.size("WindowPart")), w.part)
	})
	r.end()
}

// of returns the memory of a field of the part.
func (w *window) of(field string) operand.Mem {
	return at(w.part, w.file.args.offset("WindowPart", field))
}

// bytes returns how many bytes of a pixel are computed at a time.
func (w *window) bytes() int {
	if w.kind.size > 0 {
		return 16 * w.kind.size
	}
	return w.isa.bytes
}

// copy copies a field of the part to one of the arguments.
func (w *window) copy(from, to string) {
	r := w.GP64()
	w.MOVQ(w.of(from), r)
	w.MOVQ(r, w.field(to))
}

// advance moves an address in the arguments by a distance of the part, such as InGroup.
func (w *window) advance(side, unit, address string) {
	r := w.GP64()
	w.MOVQ(w.of(side+unit), r)
	w.ADDQ(r, w.field(address))
}

// distances sets those of the pixels of a group.
func (w *window) distances() {
	for i := range w.steps {
		w.steps[i] = w.GP64()
	}
	one := w.steps[0]
	w.MOVQ(w.of("InStep"), one)
	w.LEAQ(operand.Mem{Base: one, Index: one, Scale: 2}, w.steps[1])
	w.LEAQ(operand.Mem{Base: one, Index: one, Scale: 4}, w.steps[2])
	w.LEAQ(operand.Mem{Base: w.steps[1], Index: one, Scale: 4}, w.steps[3])
}

// element returns the memory of a pixel's element at the position of the window.
func (w *window) element(pixel int) operand.Mem {
	base := w.at
	if pixel >= 8 {
		base = w.far
	}
	return strided(base, pixel%8, 0, w.steps[:]...)
}

// reach sets the address of the ninth pixel's element.
func (w *window) reach(pixels int) {
	if pixels > 8 {
		w.LEAQ(operand.Mem{Base: w.at, Index: w.steps[0], Scale: 8}, w.far)
	}
}

// begin sets what pixels begin with.
func (w *window) begin() {
	if w.kind.size > 0 {
		w.each(func(_ int, sum reg.VecVirtual) { w.least(sum) })
	} else if w.values == nil {
		w.each(func(_ int, sum reg.VecVirtual) { w.clear(sum) })
	} else {
		w.infinite()
		for _, v := range w.values {
			w.ones(v)
		}
	}
	w.beginWindow()
}

// beginWindow leads to the first position of the window.
func (w *window) beginWindow() {
	w.MOVQ(w.field("GroupIn"), w.at)
	w.MOVQ(w.field("Weights"), w.weight)
	w.ADDQ(w.of("Weights"), w.weight)
	w.ADDQ(w.field("Lane"), w.weight)
}

// take goes through the positions of the window, by code for each number of pixels, and for some windows, and then to a label.
func (w *window) take(most int, take func(w *window, pixels int), some bool, taken string) {
	pixels, rows, columns, columnStep := w.GP64(), w.GP64(), w.GP64(), w.load("ColumnStep")
	w.MOVQ(w.of("Pixels"), pixels)
	labels := make([]string, most+1)
	for n := most; n > 1; n-- {
		labels[n] = w.label("pixels")
		w.CMPQ(pixels, operand.U8(n))
		w.JE(operand.LabelRef(labels[n]))
	}
	for n := 1; n <= most; n++ {
		if n > 1 {
			w.Label(labels[n])
		}
		w.MOVQ(operand.U32(1<<n-1), w.rows)
		w.copy("Layers", "LayersLeft")
		w.loop(w.label("layer"), w.field("LayersLeft"), func() {
			w.MOVQ(w.of("Rows"), rows)
			w.TESTQ(rows, rows)
			w.JZ(operand.LabelRef(taken))
			next, row, column := w.label("next"), w.label("row"), w.label("column")
			if some && n >= leastNine {
				w.nine(n, next)
			}
			if w.kind.ahead && n > 1 {
				w.neighbours(n, rows, columnStep, row, next)
			}
			w.loop(row, rows, func() {
				w.MOVQ(w.of("Columns"), columns)
				w.loop(column, columns, func() {
					w.reach(n)
					take(w, n)
					w.ADDQ(operand.U8(64), w.weight)
					w.ADDQ(columnStep, w.at)
				})
				w.ADDQ(w.of("RowSkip"), w.at)
				w.ADDQ(w.of("WeightsSkip"), w.weight)
			})
			w.Label(next)
			w.ADDQ(w.of("LayerSkip"), w.at)
			w.ADDQ(w.of("LayerWeightsSkip"), w.weight)
		})
		w.fetch(n)
		if n < most {
			w.JMP(operand.LabelRef(taken))
		}
	}
}

// leastNine is the least number of pixels of a group for which windows of three rows and columns have code of their own.
const leastNine = 5

// The ways to go through a window: wayTwo and wayOne for three rows of three columns beside each other, where it moves by two of these or by one.
const (
	wayAny = iota
	wayTwo
	wayOne
)

// chooseWay says which way windows of a part are gone through.
func (w *window) chooseWay() {
	chosen, way := w.label("way"), w.GP64()
	w.MOVQ(operand.U32(wayAny), way)
	for _, c := range []struct {
		m    operand.Mem
		want int
	}{{w.of("Rows"), 3}, {w.of("Columns"), 3}, {w.of("WeightsSkip"), 0}, {w.field("ColumnStep"), 64}} {
		w.CMPQ(c.m, operand.U8(c.want))
		w.JNE(operand.LabelRef(chosen))
	}
	for _, c := range []struct{ way, step int }{{wayTwo, 128}, {wayOne, 64}} {
		next := w.label("step")
		w.CMPQ(w.of("InStep"), operand.U32(c.step))
		w.unless(w.JNE, next, func() { w.MOVQ(operand.U32(c.way), way) })
	}
	w.Label(chosen)
	w.MOVQ(way, w.field("Way"))
}

// nine goes through three rows of three columns of windows, which move by one of these from pixel to pixel, or by two, and
// then to a label.
func (w *window) nine(pixels int, next string) {
	other, row := w.label("other"), w.GP64()
	w.CMPQ(w.field("Way"), operand.U8(wayTwo))
	w.unless(w.JB, other, func() {
		w.MOVQ(w.of("RowSkip"), row)
		w.LEAQ(at(row, 3*64), row) // which keeps the flags
		two := w.label("two")
		w.JE(operand.LabelRef(two))
		for _, stride := range []int{1, 2} {
			if stride == 2 {
				w.Label(two)
			}
			w.kind.nine(w, pixels, stride, row)
			w.JMP(operand.LabelRef(next))
		}
	})
}

// met calls a function for each pixel of a group, of three columns of a row, that has an element of the row, with the column.
func met(element, pixels, stride int, use func(pixel, column int)) {
	for column := range 3 {
		if p := element - column; p >= 0 && p%stride == 0 && p/stride < pixels {
			use(p/stride, column)
		}
	}
}

func (w *window) multiplyAddNine(pixels, stride int, row reg.GPVirtual) {
	x := w.vector()
	for r := range 3 {
		for i, v := range w.spare {
			w.VMOVUPS(at(w.weight, 64*(3*r+i)), v)
		}
		for i := range (pixels-1)*stride + 3 { // each element is read once
			w.VMOVUPS(at(w.at, 64*i), x)
			met(i, pixels, stride, func(pixel, column int) { w.VFMADD231PS(x, w.spare[column], w.sums[pixel][0]) })
		}
		w.ADDQ(row, w.at)
	}
	w.ADDQ(operand.U32(9*64), w.weight)
}

func (w *window) greatestNine(pixels, stride int, row reg.GPVirtual) {
	for i := range (pixels-1)*stride + 3 { // the greatest of each column serves all pixels that have it
		x, of := w.spare[i%3], operand.Mem{Base: w.at, Index: row, Scale: 1, Disp: 64 * i}
		w.VMOVUPS(at(w.at, 64*i), x)
		w.VPMAXUD(of, x, x)
		of.Scale = 2
		w.VPMAXUD(of, x, x)
		met(i, pixels, stride, func(pixel, _ int) { w.VPMAXUD(x, w.sums[pixel][0], w.sums[pixel][0]) })
	}
	for range 3 {
		w.ADDQ(row, w.at)
	}
}

// fetch brings near what a group of so many pixels in the next line needs.
func (w *window) fetch(pixels int) {
	if w.kind.ahead {
		w.reach(pixels)
		for i := range pixels {
			w.PREFETCHT0(w.element(i))
		}
	}
}

// neighbours goes through the positions of a window of three columns that moves by one of them from pixel to pixel: there an element is multiplied
// for all pixels whose windows have it. Other windows are left to the code behind a label;
// these go to the label next.
func (w *window) neighbours(pixels int, rows, columnStep reg.GPVirtual, other, next string) {
	w.CMPQ(w.of("Columns"), operand.U8(3))
	w.JNE(operand.LabelRef(other))
	w.CMPQ(columnStep, w.steps[0])
	w.JNE(operand.LabelRef(other))
	row, x := w.label("row"), w.vector()
	w.loop(row, rows, func() {
		for i, v := range w.spare {
			w.VMOVUPS(at(w.weight, 64*i), v)
		}
		w.reach(pixels + 2)
		for i := range pixels + 2 {
			w.VMOVUPS(w.element(i), x)
			for column := max(0, i-pixels+1); column <= min(i, 2); column++ {
				w.VFMADD231PS(x, w.spare[column], w.sums[i-column][0])
			}
		}
		w.ADDQ(operand.U32(3*64), w.weight)
		w.ADDQ(w.steps[1], w.at)
		w.ADDQ(w.of("RowSkip"), w.at)
		w.ADDQ(w.of("WeightsSkip"), w.weight)
	})
	w.JMP(operand.LabelRef(next))
}

func (w *window) multiplyAdd(pixels int) {
	w.VMOVUPS(at(w.weight, 0), w.spare[0])
	for i := range pixels {
		w.VFMADD231PS(w.element(i), w.spare[0], w.sums[i][0])
	}
}

func (w *window) sum(pixels int) {
	for i := range pixels {
		w.VADDPS(w.element(i), w.sums[i][0], w.sums[i][0])
	}
}

func (w *window) square(pixels int) {
	for i := range pixels {
		x := w.spare[i%3]
		w.VMOVUPS(w.element(i), x)
		w.VFMADD231PS(x, x, w.sums[i][0])
	}
}

// infinite sets the greatest elements to -Inf.
func (w *window) infinite() {
	for _, sum := range w.sums {
		w.ones(sum[0])
		w.VPSLLD(operand.U8(23), sum[0], sum[0])
	}
}

// greatestNumbers keeps the greatest elements as if they were integers without a sign, and goes to the label finished if none has one, as is behind a relu:
// then the order is the same, and that of a NaN is behind all numbers. One that has a sign is greater than those that have none, so that it is seen
// in the greatest. Windows of no elements go to the label of what follows.
func (w *window) greatestNumbers(most int, signs string) {
	w.CMPQ(w.of("Rows"), operand.U8(0))
	w.JE(operand.LabelRef(signs))
	w.each(func(_ int, sum reg.VecVirtual) { w.clear(sum) })
	w.beginWindow()
	w.take(most, greatestIntegers(w.VPMAXUD), true, "greatest")
	w.Label("greatest")
	all := w.spare[0]
	w.VORPS(w.sums[0][0], w.sums[1][0], all)
	for _, sum := range w.sums[2:] {
		w.VORPS(sum[0], all, all)
	}
	if w.isa.wide() {
		k := w.K()
		w.VPMOVD2M(all, k)
		w.KORTESTW(k, k)
	} else {
		w.VPSRAD(operand.Imm(31), all, all)
		w.VPTEST(all, all)
	}
	w.JZ(operand.LabelRef("finished"))
	w.MOVQ(operand.U32(1), w.field("Signs"))
}

// greatest keeps the greatest elements, or a NaN, and in the other values the signs that all elements have.
func (w *window) greatest(pixels int) {
	for i := range pixels {
		x, sum := w.spare[i%2], w.sums[i][0]
		w.VMOVUPS(w.element(i), x)
		w.VANDPS(x, w.values[i], w.values[i])
		w.VMAXPS(sum, x, sum) // the sum if that is a NaN, or the element
		if w.isa.wide() {
			k := w.K()
			w.VCMPPS(unordered, x, x, k)
			w.VMOVAPS(x, k, sum)
		} else {
			mask := w.spare[2]
			w.VCMPPS(unordered, x, x, mask)
			w.VORPS(mask, sum, sum)
		}
	}
}

// least sets a vector of integers to the least ones.
func (w *window) least(v reg.VecVirtual) {
	if !w.kind.signed {
		w.VPXOR(v, v, v)
		return
	}
	w.VPCMPEQD(v, v, v)
	w.VPSLLW(operand.U8(15), v, v)
	if w.kind.size == 1 {
		w.VPACKSSWB(v, v, v)
	}
}

// greatestIntegers returns what keeps the greatest elements by an instruction.
func greatestIntegers(greater inst) func(w *window, pixels int) {
	return func(w *window, pixels int) {
		for i := range pixels {
			greater(w.element(i), w.sums[i][0], w.sums[i][0])
		}
	}
}

// sign sets the signs of the greatest elements: minus if all have it, so that +0 is greater than -0.
func (w *window) sign() {
	mask := w.spare[0]
	w.ones(mask)
	w.VPSLLD(operand.U8(31), mask, mask)
	for i, v := range w.values {
		sum := w.sums[i][0]
		w.VANDPS(mask, v, v)
		w.VANDNPS(sum, mask, sum)
		w.VORPS(v, sum, sum)
	}
}

func (w *window) divide() {
	done := w.label("whole")
	w.CMPQ(w.field("Divide"), operand.U8(0))
	w.unless(w.JE, done, func() {
		divisor := w.spare[0]
		w.VBROADCASTSS(w.of("Divisor"), divisor)
		w.each(func(_ int, sum reg.VecVirtual) { w.VDIVPS(divisor, sum, sum) })
	})
}

func (w *window) root() {
	w.divide()
	w.each(func(_ int, sum reg.VecVirtual) { w.VSQRTPS(sum, sum) })
}
