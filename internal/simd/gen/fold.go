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
		lanes := r.load("Acc")
		r.VBROADCASTSS(r.field("Start"), acc[0])
		r.VMOVAPS(acc[0], acc[n-1])
		r.CMPQ(r.field("First"), operand.U8(0))
		r.JNE(operand.LabelRef("begin"))
		for i, v := range acc {
			r.VMOVUPS(at(lanes, i*f.isa.bytes), v)
		}
		r.Label("begin")
		w := r.walk(max(n, mostVectors), []string{"X"})
		var z reg.GPVirtual
		if e.name == "exp_sum" {
			z = r.load("Z")
		}
		w.each(func(tail func() mask) {
			x := w.get(0, tail)
			if e.name == "exp_sum" {
				x = f.exp(f.sub(x, vec{a}))
				w.put(x, z, tail)
			}
			for from := 0; from < len(x); from += n {
				next := e.step(f, acc, x[from:from+n], vec{a})
				if tail != nil {
					next = f.blend(tail().part(from, n), next, acc)
				}
				for i, v := range acc {
					r.VMOVAPS(next[i], v)
				}
			}
		})
		r.CMPQ(r.field("Join"), operand.U8(0))
		r.JNE(operand.LabelRef("join"))
		for i, v := range acc {
			r.VMOVUPS(v, at(lanes, i*f.isa.bytes))
		}
		r.end()
		r.Label("join")
		r.VMOVSS(f.joined(acc, e.join)[0].AsX(), at(lanes, 0))
		r.end()
	}
}

// joined joins the lanes of sixteen elements by halving. Above the lowest one there is something.
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
