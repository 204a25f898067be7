package main

import (
	"slices"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Tiles of sums and what is done with them in the end, for all routines that make sums of products.

// tile is the sums of a tile in registers. A routine makes one with sums and spare registers, sets rows and step, and ends by [tile.finish]:
//
//	t := &tile{routine: r, sums: sums, spare: r.vectors(2), rows: r.load("Pixels"), step: r.field("OutStep")}
//	t.finish(r.load("Steps"), r.load("Out"))
//
// The other fields are for tiles that are masked, of blocks, or part of a vector of channels at a time.
type tile struct {
	*routine
	sums    [][]reg.VecVirtual // by row and vector
	spare   []reg.VecVirtual   // registers for anything: one for each vector, and at least two
	blocked bool               // whether vectors are in blocks of 16 channels that lie apart, or else all behind each other
	mask    operand.Op         // of the lanes that are there, if not all are: of tiles of one vector
	// rows is a register with a bit for each row that is there. The address of a row is that of the one before it and the step; of a block
	// likewise.
	rows            reg.GPVirtual
	step, blockStep operand.Mem
	first           int        // the number of the first vector, in lists of operands by channel
	list            int        // bytes between lists of operands by channel, if that is not as many as the vectors have
	lane            operand.Op // bytes from the first operand of a list to the one that belongs to the first vector, if that is not 0
}

// operands returns the memory of the operands of a vector in a list behind so many others.
func (t *tile) operands(address reg.GPVirtual, list, v int) operand.Mem {
	each := t.list
	if each == 0 {
		each = len(t.sums[0]) * t.isa.bytes
	}
	return at(address, list*each+(t.first+v)*t.isa.bytes)
}

// places emits f for each sum with its place in a tensor at the address, which is used up. Rows that are not there are passed over.
func (t *tile) places(address reg.GPVirtual, f func(sum reg.VecVirtual, place operand.Mem)) {
	t.parts(address, len(t.sums), func(*tile) {}, f)
}

// parts does what places does for one part of the sums after the other: of a block of channels and so many rows at most. It emits what comes before.
func (t *tile) parts(address reg.GPVirtual, rows int, before func(part *tile), f func(sum reg.VecVirtual, place operand.Mem)) {
	vectors := len(t.sums[0])
	each := vectors
	if t.blocked {
		each = min(vectors, 64/t.isa.bytes)
	}
	row, step := t.GP64(), t.GP64()
	t.MOVQ(t.step, step)
	for first := 0; first < vectors; first += each {
		if first > 0 {
			t.ADDQ(t.blockStep, address)
		}
		t.MOVQ(address, row)
		for lo := 0; lo < len(t.sums); lo += rows {
			part := *t
			part.sums, part.first = nil, first
			if t.list == 0 {
				part.list = vectors * t.isa.bytes
			}
			for _, sums := range t.sums[lo:min(lo+rows, len(t.sums))] {
				part.sums = append(part.sums, sums[first:min(first+each, vectors)])
			}
			before(&part)
			t.part(&part, lo, row, step, f)
		}
	}
}

// part emits f for the sums of a part whose first row is that of a number, and lies where row says, with the registers of the address and of the step.
func (t *tile) part(part *tile, lo int, row, step reg.GPVirtual, f func(sum reg.VecVirtual, place operand.Mem)) {
	some, done := t.label("some_rows"), t.label("rows")
	t.CMPL(t.rows.As32(), operand.U32(1<<len(t.sums)-1))
	t.JNE(operand.LabelRef(some))
	for _, whole := range []bool{true, false} {
		if !whole {
			t.JMP(operand.LabelRef(done))
			t.Label(some)
		}
		for i, sums := range part.sums {
			if !whole {
				t.TESTL(operand.U32(1<<(lo+i)), t.rows.As32())
				t.JZ(operand.LabelRef(done))
			}
			place := at(row, 0)
			if whole {
				place = strided(row, i%3, 0, step)
			}
			for _, sum := range sums {
				f(sum, place)
				place.Disp += t.isa.bytes
			}
			switch {
			case lo+i+1 == len(t.sums):
			case !whole:
				t.ADDQ(step, row)
			case i%3 == 2:
				t.LEAQ(operand.Mem{Base: row, Index: step, Scale: 2}, row)
				t.ADDQ(step, row)
			case i+1 == len(part.sums):
				t.LEAQ(operand.Mem{Base: row, Index: step, Scale: uint8(i%3 + 1)}, row)
			}
		}
	}
	t.Label(done)
}

// each emits f for each sum with its vector.
func (t *tile) each(f func(v int, sum reg.VecVirtual)) {
	for _, sums := range t.sums {
		for v, sum := range sums {
			f(v, sum)
		}
	}
}

// channels emits f for each sum, with the vector of channels that belongs to it, in a list behind so many others.
func (t *tile) channels(address reg.GPVirtual, list int, f func(sum, c reg.VecVirtual)) {
	for v := range t.sums[0] {
		t.VMOVUPS(t.operands(address, list, v), t.spare[v])
	}
	t.each(func(v int, sum reg.VecVirtual) { f(sum, t.spare[v]) })
}

// finish takes the steps of a list, if its address is not 0, and writes the sums. The addresses are used up. The last step is taken, and written, for one
// part of the sums after the other, because what waits for its operands keeps what follows out of the processor.
func (t *tile) finish(steps, out reg.GPVirtual) {
	kind, operands := t.GP64(), t.GP64()
	next, last := t.label("step"), t.label("last")
	t.XORQ(kind, kind)
	t.MOVQ(steps, operands) // so that it is set where there are no steps
	t.TESTQ(steps, steps)
	t.JZ(operand.LabelRef(last))
	t.Label(next)
	t.MOVQ(at(steps, 0), kind)
	t.MOVQ(at(steps, 8), operands)
	t.ADDQ(operand.U8(16), steps)
	if t.lane != nil {
		t.ADDQ(t.lane, operands)
	}
	t.TESTL(operand.U32(t.file.args.constant("TailUsual")), kind.As32())
	t.JNZ(operand.LabelRef(last))
	t.CMPQ(kind, operand.U8(t.file.args.constant("TailEnd")))
	t.JE(operand.LabelRef(last))
	all := t.tailSteps()
	for i, s := range all {
		after := t.label("not")
		if i < len(all)-1 {
			t.CMPQ(kind, operand.U8(t.file.args.constant(s.kind)))
			t.JNE(operand.LabelRef(after))
		}
		s.emit(operands, out, 0)
		t.JMP(operand.LabelRef(next))
		t.Label(after)
	}
	t.Label(last)
	rows := len(t.sums)
	if t.isa.wide() {
		rows = min(rows, 5) // with as many registers, more sums wait at a time
	}
	t.parts(out, rows, func(part *tile) { part.usual(kind, operands) }, t.write)
}

// usual emits the last step of a list, which may be of several kinds.
func (t *tile) usual(kind, operands reg.GPVirtual) {
	list, all := 0, t.tailSteps()
	for _, u := range []struct {
		kind  string
		lists int
	}{{"TailAddChannels", 1}, {"TailNormalize", 3}, {"TailMin", 1}, {"TailCanonical", 0}, {"TailRelu", 0}} {
		not := t.label("not")
		t.TESTL(operand.U32(t.file.args.constant("TailUsual")<<t.file.args.constant(u.kind)), kind.As32())
		t.unless(t.JZ, not, func() {
			all[slices.IndexFunc(all, func(s tailStep) bool { return s.kind == u.kind })].emit(operands, nil, list)
			list += u.lists
		})
	}
}

// tailStep is the code of a kind of step, whose operands by channel are behind so many other lists.
type tailStep struct {
	kind string
	emit func(operands, out reg.GPVirtual, list int)
}

// tailSteps lists the kinds of steps, those first that are met most.
func (t *tile) tailSteps() []tailStep {
	vectors := len(t.sums[0])
	byChannel := func(f func(sum, c reg.VecVirtual)) func(operands, out reg.GPVirtual, list int) {
		return func(operands, _ reg.GPVirtual, list int) { t.channels(operands, list, f) }
	}
	return []tailStep{
		{"TailAddChannels", byChannel(func(sum, c reg.VecVirtual) { t.VADDPS(c, sum, sum) })},
		{"TailCanonical", func(_, _ reg.GPVirtual, _ int) { t.canonical() }},
		{"TailRelu", func(_, _ reg.GPVirtual, _ int) {
			t.clear(t.spare[0])
			t.each(func(_ int, sum reg.VecVirtual) { t.VPMAXSD(t.spare[0], sum, sum) })
		}},
		{"TailAddTensor", func(operands, out reg.GPVirtual, _ int) {
			if t.lane != nil {
				t.SUBQ(t.lane, operands)
			}
			t.ADDQ(out, operands)
			t.places(operands, func(sum reg.VecVirtual, place operand.Mem) {
				if t.mask == nil {
					t.VADDPS(place, sum, sum)
					return
				}
				t.read(place, t.spare[0])
				t.VADDPS(t.spare[0], sum, sum)
			})
		}},
		// The second operand of VMINPS and VMAXPS, the first one here, is the result if there is a NaN, and of two zeros.
		{"TailMin", byChannel(func(sum, c reg.VecVirtual) { t.VMINPS(sum, c, sum) })},
		{"TailMax", byChannel(func(sum, c reg.VecVirtual) { t.VMAXPS(sum, c, sum) })},
		{"TailMulChannels", byChannel(func(sum, c reg.VecVirtual) { t.VMULPS(c, sum, sum) })},
		{"TailHalf", func(_, _ reg.GPVirtual, _ int) { t.each(func(_ int, sum reg.VecVirtual) { t.toHalf(sum, t.spare[0]) }) }},
		{"TailNormalize", func(operands, _ reg.GPVirtual, list int) {
			t.channels(operands, list, func(sum, c reg.VecVirtual) { t.VSUBPS(c, sum, sum) })
			for v := range vectors {
				factor, summand := t.spare[0], t.spare[1]
				t.VMOVUPS(t.operands(operands, list+1, v), factor)
				t.VMOVUPS(t.operands(operands, list+2, v), summand)
				for _, sums := range t.sums {
					t.VFMADD213PS(summand, factor, sums[v])
				}
			}
		}},
		{"TailLeaky", func(operands, _ reg.GPVirtual, _ int) { t.leaky(operands, vectors) }},
		{"TailHardSwish", func(operands, _ reg.GPVirtual, _ int) {
			number := func(i int) operand.Mem { return t.operands(operands, i, 0) }
			t.each(func(_ int, sum reg.VecVirtual) {
				gate := t.spare[0] // where it is not what the reference has, with NaNs, the product is a NaN nevertheless
				t.VMOVUPS(number(3), gate)
				t.VFMADD213PS(number(0), sum, gate)
				t.VMINPS(number(1), gate, gate)
				t.VMAXPS(number(2), gate, gate)
				t.VMULPS(gate, sum, sum)
				t.VDIVPS(number(1), sum, sum)
			})
		}},
	}
}

// canonical makes every NaN the canonical one, which takes time only where there is one.
func (t *tile) canonical() {
	none, nan := t.label("numbers"), t.spare[0]
	var all []reg.VecVirtual
	t.each(func(_ int, sum reg.VecVirtual) { all = append(all, sum) })
	if t.isa.wide() {
		x, y := t.total(all)
		k := t.K()
		t.VCMPPS(unordered, x, y, k)
		t.KORTESTW(k, k)
	} else {
		found, x1 := t.spare[0], t.spare[1]
		for i := 0; i < len(all); i += 2 {
			x, y := all[i], all[min(i+1, len(all)-1)]
			if i == 0 {
				t.VCMPPS(unordered, x, y, found)
				continue
			}
			t.VCMPPS(unordered, x, y, x1)
			t.VORPS(x1, found, found)
		}
		t.VPTEST(found, found)
	}
	t.unless(t.JZ, none, func() {
		t.ones(nan)
		t.VPSRLD(operand.U8(23), nan, nan)
		t.VPSLLD(operand.U8(22), nan, nan)
		for _, sum := range all {
			if t.isa.wide() {
				k := t.K()
				t.VCMPPS(unordered, sum, sum, k)
				t.VMOVAPS(nan, k, sum)
			} else {
				t.VCMPPS(unordered, sum, sum, t.spare[1])
				t.VBLENDVPS(t.spare[1], nan, sum, sum)
			}
		}
	})
}

// total returns two vectors of which one has a NaN where any of all has one, and perhaps where two are infinite. Comparing into masks takes time from
// multiply-adds, adding does not.
func (t *tile) total(all []reg.VecVirtual) (x, y reg.VecVirtual) {
	x, y = all[0], all[len(all)-1]
	for i := 1; i < len(all)-1; i++ {
		sum := t.spare[i%2]
		t.VADDPS(all[i], x, sum)
		x, y = y, sum
	}
	return x, y
}

// leaky multiplies what is below zero.
func (t *tile) leaky(operands reg.GPVirtual, vectors int) {
	for v := range vectors {
		c, zero := t.operands(operands, 0, v), t.operands(operands, 1, v)
		for _, sums := range t.sums {
			sum := sums[v]
			if t.isa.wide() {
				k := t.K()
				t.VCMPPS(less, zero, sum, k)
				t.VMULPS(c, sum, k, sum)
			} else {
				mask, product := t.spare[0], t.spare[1]
				t.VMULPS(c, sum, product)
				t.VCMPPS(less, zero, sum, mask)
				t.VBLENDVPS(mask, product, sum, sum)
			}
		}
	}
}

// ones sets all bits of a vector.
func (f *file) ones(v reg.VecVirtual) {
	f.clear(v) // so that what it held before has no need of a register
	if f.isa.wide() {
		f.VPTERNLOGD(operand.U8(255), v, v, v)
	} else {
		f.VPCMPEQD(v, v, v)
	}
}

// read loads a vector, of the lanes that are there.
func (t *tile) read(from operand.Mem, to reg.VecVirtual) {
	switch {
	case t.mask == nil:
		t.VMOVUPS(from, to)
	case t.isa.wide():
		t.VMOVUPS_Z(from, t.mask, to)
	default:
		t.VMASKMOVPS(from, t.mask, to)
	}
}

// write stores a vector, of the lanes that are there.
func (t *tile) write(from reg.VecVirtual, to operand.Mem) {
	switch {
	case t.mask == nil:
		t.VMOVUPS(from, to)
	case t.isa.wide():
		t.VMOVUPS(from, t.mask, to)
	default:
		t.VMASKMOVPS(from, t.mask, to)
	}
}
