package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// folds lists the routines of Tier.Fold: what becomes of lanes.
var folds = []struct {
	name string
	step func(f *file, acc, x, a vec) vec
	join func(f *file, x, y vec) vec
}{
	{"sum", func(f *file, acc, x, _ vec) vec { return f.add(acc, x) }, plus},
	{"l1", func(f *file, acc, x, _ vec) vec { return f.add(acc, f.abs(x)) }, plus},
	{"sum_square", func(f *file, acc, x, _ vec) vec { return f.fma(x, x, acc) }, plus},
	{"variance", func(f *file, acc, x, a vec) vec {
		d := f.sub(x, a)
		return f.fma(d, d, acc)
	}, plus},
	{"product", func(f *file, acc, x, _ vec) vec { return f.mul(acc, x) }, func(f *file, x, y vec) vec { return f.mul(x, y) }},
	{"max", func(f *file, acc, x, _ vec) vec { return f.max(acc, x) }, (*file).max},
	{"min", func(f *file, acc, x, _ vec) vec { return f.min(acc, x) }, (*file).min},
	{"exp_sum", func(f *file, acc, x, _ vec) vec { return f.add(acc, x) }, plus},
}

func plus(f *file, x, y vec) vec { return f.add(x, y) }

// fold builds the routines of Tier.Fold: a loop over sixteen elements or twice as many, and the rest under a mask.
func fold(f *file) {
	if f.isa.vnni {
		return
	}
	for _, e := range folds {
		r := f.entry("Fold", e.name)
		n := blockBytes / f.isa.bytes
		a, acc := f.vector(), vec(f.vectors(n))
		if e.name == "variance" || e.name == "exp_sum" {
			r.VBROADCASTSS(r.field("A"), a)
		}
		r.Label("row")
		lanes := r.load("Acc")
		r.VBROADCASTSS(r.field("Start"), acc[0])
		r.VMOVAPS(acc[0], acc[n-1])
		r.CMPQ(r.field("First"), operand.U8(0))
		r.unless(r.JNE, "begin", func() {
			for i, v := range acc {
				r.VMOVUPS(at(lanes, i*f.isa.bytes), v)
			}
		})
		w := r.walk(max(n, mostVectors), []string{"X"})
		var z reg.GPVirtual
		if e.name == "exp_sum" {
			z = r.load("Z")
		}
		w.fold(acc, func(tail func() mask) vec {
			x := w.get(0, tail)
			if e.name == "exp_sum" {
				x = f.exp(f.sub(x, vec{a}))
				w.put(x, z, tail)
			}
			return x
		}, func(x vec) vec { return e.step(f, acc, x, vec{a}) })
		r.CMPQ(r.field("Join"), operand.U8(0))
		r.unless(r.JNE, "join", func() {
			for i, v := range acc {
				r.VMOVUPS(v, at(lanes, i*f.isa.bytes))
			}
			r.end()
		})
		r.VMOVSS(f.joined(acc, e.join)[0].AsX(), at(lanes, 0))
		r.ADDQ(operand.U32(4), r.field("Acc"))
		r.nextRow("X")
	}
	softmax(f)
	moments(f)
}

// fold changes lanes by the elements that each yields at every place of a walk.
func (w *walk) fold(acc vec, each func(tail func() mask) vec, step func(x vec) vec) {
	w.each(func(tail func() mask) {
		x := each(tail)
		for from := 0; from < len(x); from += len(acc) {
			next := step(x[from : from+len(acc)])
			if tail != nil {
				next = w.blend(tail().part(from, len(acc)), next, acc)
			}
			for i, v := range acc {
				w.VMOVAPS(next[i], v)
			}
		}
	})
}

// softmax builds the routine of SoftmaxArgs, which leaves the greatest element of a row and the sum of exponentials in registers, and is at the next
// row while these come about.
func softmax(f *file) {
	r := f.routine("Softmax", "SoftmaxArgs")
	n := blockBytes / f.isa.bytes
	r.Label("row")
	z := r.load("Z")
	// Where a NaN is passed over here, the sum has it, and of zeros it is the same which sign is the greater one.
	greater := func(f *file, x, y vec) vec { return f.greater(y, x) }
	acc := f.lanes(lowest)
	w := r.walk(max(n, mostVectors), []string{"X"})
	w.fold(acc, func(tail func() mask) vec { return w.get(0, tail) }, func(x vec) vec { return greater(f, acc, x) })
	greatest := f.joined(acc, greater)

	acc = f.lanes(num(0))
	w = r.walk(max(n, mostVectors), []string{"X"})
	w.fold(acc, func(tail func() mask) vec {
		x := f.expBelow(f.sub(w.get(0, tail), greatest))
		w.put(x, z, tail)
		return x
	}, func(x vec) vec { return f.add(acc, x) })
	sum := f.joined(acc, plus)

	w = r.walk(mostVectors, []string{"Z"})
	// The sum of a row with a NaN is one, and no other row yields any.
	f.anyOf(f.compare(unordered, sum, sum))
	r.either(r.JNZ, "nan", "divided", func() {
		w.each(func(tail func() mask) { w.put(f.div(w.get(0, tail), sum), z, tail) })
	}, func() {
		w.each(func(tail func() mask) { w.put(f.set(nan), z, tail) })
	})
	r.nextRow("X", "Z")
}

// moments builds the routine of MomentsArgs.
func moments(f *file) {
	r := f.routine("Moments", "MomentsArgs")
	n := blockBytes / f.isa.bytes
	count, out := vec{f.vector()}, r.load("Out")
	r.VBROADCASTSS(r.field("Count"), count[0])
	r.Label("row")
	acc := f.lanes(num(0))
	w := r.walk(max(n, mostVectors), []string{"X"})
	w.fold(acc, func(tail func() mask) vec { return w.get(0, tail) }, func(x vec) vec { return f.add(acc, x) })
	mean := f.div(f.joined(acc, plus), count)
	r.VMOVSS(mean[0].AsX(), at(out, 0))

	acc = f.lanes(num(0))
	w = r.walk(max(n, mostVectors), []string{"X"})
	w.fold(acc, func(tail func() mask) vec { return f.sub(w.get(0, tail), mean) }, func(d vec) vec { return f.fma(d, d, acc) })
	r.VMOVSS(f.div(f.joined(acc, plus), count)[0].AsX(), at(out, 4))
	r.ADDQ(operand.U8(8), out)
	r.nextRow("X")
}

// lanes returns sixteen lanes that begin with a number.
func (f *file) lanes(x src) vec {
	acc := vec(f.vectors(blockBytes / f.isa.bytes))
	for _, v := range acc {
		f.VMOVAPS(f.set(x)[0], v)
	}
	return acc
}

// nextRow goes on with the label row, where fields are behind the N elements of a row, until there have been Rows of them, and then ends.
func (r *routine) nextRow(fields ...string) {
	bytes := r.load("N")
	r.SHLQ(operand.U8(2), bytes)
	for _, name := range fields {
		r.ADDQ(bytes, r.field(name))
	}
	r.DECQ(r.field("Rows"))
	r.JG(operand.LabelRef("row"))
	r.end()
}

// joined joins the lanes of sixteen elements by halving. All lanes have the result, but for the bits of a NaN.
func (f *file) joined(acc vec, join func(f *file, x, y vec) vec) vec {
	swapped := func(x vec, half int) vec {
		return f.op1(func(x, to operand.Op) {
			switch {
			case half == 2:
				f.VPERMILPS(operand.U8(0x4E), x, to)
			case half == 1:
				f.VPERMILPS(operand.U8(0xB1), x, to)
			case !f.isa.wide():
				f.VPERM2F128(operand.U8(0x01), x, x, to)
			case half == 8:
				f.VSHUFF64X2(operand.U8(0x4E), x, x, to)
			default:
				f.VSHUFF64X2(operand.U8(0xB1), x, x, to)
			}
		}, x)
	}
	half := 8
	if len(acc) == 2 {
		acc, half = join(f, acc[:1], acc[1:]), 4
	}
	for ; half > 0; half /= 2 {
		acc = join(f, acc, swapped(acc, half))
	}
	return acc
}
