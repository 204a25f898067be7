package main

import (
	"slices"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// element is a function of the elements of some operands and some parameters, which are in all lanes of p.
type element struct {
	name   string
	in     int // operands
	params int
	f      func(f *file, in, p []vec) vec
	// again stands for f where one operand leaves too few registers: what it reads, of that and of the parameters, it reads where it needs it.
	again func(f *file, x func() vec, p func(k int) vec) vec
	// quick stands for it, where it is, unless any lane of the mask says that it does not know.
	quick func(f *file, x vec) (vec, mask)
	// begun and ended stand for f where there are 16 registers, unless any lane of the mask says that they do not know: what the first one yields for
	// some vectors is kept in memory until the second one goes on with it.
	begun func(f *file, x vec) (kept []vec, unknown mask)
	ended func(f *file, x vec, kept []vec) vec
}

// unroll returns how many vectors a routine takes at a time: as many as registers allow.
func (e *element) unroll(i *isa) int {
	if slices.Contains(elementsOfDoubles, e.name) || !i.wide() && slices.Contains(elementsOfOne, e.name) {
		return 1
	}
	return mostVectors
}

// elementsOfOne lists the functions that take one vector at a time where there are 16 registers, elementsOfDoubles those that always do: they make two of
// it, which masks choose from.
var (
	elementsOfOne = []string{
		"expm1", "elu", "selu", "gelu", "gelu_tanh", "gelu_sigmoid", "silu", "sigmoid", "softplus", "sin", "tan",
	}
	elementsOfDoubles = []string{"atan", "asin", "acos", "sinh", "cosh", "asinh", "acosh", "atanh", "pow", "cube"}
)

func of1(name string, g func(f *file, x vec) vec) element {
	return element{name: name, in: 1, f: func(f *file, in, _ []vec) vec { return g(f, in[0]) }}
}

func with(name string, params int, g func(f *file, x vec, p []vec) vec) element {
	return element{name: name, in: 1, params: params, f: func(f *file, in, p []vec) vec { return g(f, in[0], p) }}
}

func of2(name string, g func(f *file, x, y vec) vec) element {
	return element{name: name, in: 2, f: func(f *file, in, _ []vec) vec { return g(f, in[0], in[1]) }}
}

// elementFunctions lists the routines of Tier.Elements, by what package kernel looks them up. Those without a comment are the operators of that name.
var elementFunctions = []element{
	of1("neg", func(f *file, x vec) vec { return f.canonical(f.xor(x, signBit)) }),
	of1("abs", func(f *file, x vec) vec { return f.canonical(f.abs(x)) }),
	of1("sign", func(f *file, x vec) vec {
		y := f.blend(f.compare(more, x, num(0)), num(1), f.zero())
		return f.blend(f.compare(less, x, num(0)), num(-1), y)
	}),
	of1("floor", func(f *file, x vec) vec { return f.canonical(f.round(x, 1)) }),
	of1("ceil", func(f *file, x vec) vec { return f.canonical(f.round(x, 2)) }),
	of1("round_even", func(f *file, x vec) vec { return f.canonical(f.round(x, 0)) }),
	of1("round", func(f *file, x vec) vec {
		down := f.round(x, 1)
		up := f.compare(moreEqual, f.sub(x, down), num(0.5))
		return f.canonical(f.blend(up, f.add(down, num(1)), down))
	}),
	of1("rcp", func(f *file, x vec) vec { return f.canonical(f.div(f.set(num(1)), x)) }),
	of1("sqr", func(f *file, x vec) vec { return f.canonical(f.mul(x, x)) }),
	of1("rsqr", func(f *file, x vec) vec {
		r := f.div(f.set(num(1)), x)
		return f.canonical(f.mul(r, r))
	}),
	of1("sqrt", func(f *file, x vec) vec { return f.canonical(f.sqrt(x)) }),
	of1("rsqrt", (*file).rsqrt),
	of1("exp", (*file).exp),
	of1("expm1", (*file).expm1),
	{name: "log2", in: 1, again: (*file).log2},
	of1("log", (*file).log),
	of1("tanh", (*file).tanh),
	of1("erf", (*file).erf),
	of1("relu", func(f *file, x vec) vec { return f.canonicalAs(f.greater(x, f.zero()), x) }),
	with("leaky_relu", 1, func(f *file, x vec, p []vec) vec { return f.leaky(x, p[0]) }),
	with("elu", 1, func(f *file, x vec, p []vec) vec { return f.elu(x, p[0]) }),
	with("selu", 2, func(f *file, x vec, p []vec) vec { return f.canonical(f.mul(f.elu(x, p[0]), p[1])) }),
	of1("gelu", (*file).gelu),
	gated("gelu_tanh", func(f *file, x vec) vec {
		cubic := f.mul(f.mul(f.mul(x, x), x), num(0.044715))
		return f.mul(f.add(x, cubic), num(1.5957691216057307117))
	}),
	gated("gelu_sigmoid", func(f *file, x vec) vec { return f.mul(x, num(1.702)) }),
	// ((erf(x / A) + B)·x)·C, each rounded
	{name: "gelu_by_erf", in: 1, params: 3, again: func(f *file, x func() vec, p func(k int) vec) vec {
		y := f.add(f.erf(f.div(x(), p(0))), p(1))
		return f.canonical(f.mul(f.mul(y, x()), p(2)))
	}},
	gated("silu", func(_ *file, x vec) vec { return x }),
	{name: "sigmoid", in: 1, f: func(f *file, in, _ []vec) vec { return f.sigmoid(in[0]) }, begun: (*file).sigmoidBegun,
		ended: func(f *file, x vec, kept []vec) vec {
			q, power := f.sigmoidEnded(x, kept)
			return f.mul(q, power)
		}},
	with("hard_sigmoid", 2, func(f *file, x vec, p []vec) vec {
		y := f.fma(x, p[0], p[1])
		return f.canonicalAs(f.greater(f.lesser(y, num(1)), f.zero()), y)
	}),
	of1("hard_swish", func(f *file, x vec) vec {
		gate := f.greater(f.lesser(f.fmaBy(x, 0.125, f.set(num(0.375))), num(0.75)), f.zero())
		return f.canonical(f.div(f.mul(x, gate), f.set(num(0.75))))
	}),
	of1("softplus", (*file).softplus),
	of1("softsign", func(f *file, x vec) vec { return f.canonical(f.div(x, f.add(f.abs(x), num(1)))) }),
	with("affine", 2, func(f *file, x vec, p []vec) vec { return f.canonical(f.fma(x, p[0], p[1])) }),

	of2("add", func(f *file, x, y vec) vec { return f.canonical(f.add(x, y)) }),
	of2("sub", func(f *file, x, y vec) vec { return f.canonical(f.sub(x, y)) }),
	of2("mul", func(f *file, x, y vec) vec { return f.canonical(f.mul(x, y)) }),
	of2("div", func(f *file, x, y vec) vec { return f.canonical(f.div(x, y)) }),
	of2("max", (*file).max),
	of2("min", (*file).min),
	of2("prelu", (*file).leaky),
	// x rounded to float16
	of1("half", func(f *file, x vec) vec {
		y := f.canonical(x)
		for _, r := range y {
			f.toHalf(r, f.vector())
		}
		return y
	}),

	// 1 where a comparison holds, and else 0
	truth("eq", equal), truth("ne", unequal), truth("lt", less), truth("le", lessEqual), truth("gt", more), truth("ge", moreEqual),
	// 1 where nothing takes the place of x, the greatest or least number so far, or the first NaN: not y
	kept("keeps_greatest", moreEqual), kept("keeps_least", lessEqual),
	// the bits of y where x is not 0, and else those of v
	{name: "select", in: 3, f: func(f *file, in, _ []vec) vec { return f.blend(f.compare(unequal, in[0], num(0)), in[1], in[2]) }},
	of1("atan", (*file).atan),
	of1("asin", (*file).asin),
	of1("acos", (*file).acos),
	of1("sinh", (*file).sinh),
	of1("cosh", (*file).cosh),
	of1("asinh", (*file).asinh),
	of1("acosh", (*file).acosh),
	of1("atanh", (*file).atanh),
	of2("pow", (*file).powOf),
	// for |x| < 2¹⁵
	of1("tan", (*file).tan),
	of1("sin", func(f *file, x vec) vec { return f.xor(f.sinCos(f.quarters(f.abs(x))), f.and(x, signBit)) }),
	of1("cos", func(f *file, x vec) vec {
		q, rh, rl := f.quarters(f.abs(x))
		return f.sinCos(f.addInt(q, word(1)), rh, rl)
	}),

	// fma(x - y, v, w)
	{name: "normalize", in: 4, f: func(f *file, in, _ []vec) vec { return f.canonical(f.fma(f.sub(in[0], in[1]), in[2], in[3])) }},
	// fma(x - A, B·y, v)
	{name: "layer", in: 3, params: 2, f: func(f *file, in, p []vec) vec {
		return f.canonical(f.fma(f.sub(in[0], p[0]), f.mul(in[1], p[1]), in[2]))
	}},
	// x·(A·y)
	{name: "rms", in: 2, params: 1, f: func(f *file, in, p []vec) vec { return f.canonical(f.mul(f.mul(in[1], p[0]), in[0])) }},
	// x to the power of A, see pow
	{name: "pow_whole", in: 1, params: 4, again: func(f *file, x func() vec, p func(k int) vec) vec { return f.pow(x, p, true) }},
	{name: "pow_fraction", in: 1, params: 4, again: func(f *file, x func() vec, p func(k int) vec) vec { return f.pow(x, p, false) }},
	// x to the power of 3
	{name: "cube", in: 1, quick: (*file).cube, again: func(f *file, x func() vec, _ func(k int) vec) vec {
		return f.pow(x, func(k int) vec { return f.set([]src{num(3), signBit, num(0), infinity}[k]) }, true)
	}},
	// (x / A)·B + C
	with("response", 3, func(f *file, x vec, p []vec) vec { return f.canonical(f.add(f.mul(f.div(x, p[0]), p[1]), p[2])) }),
	// y + x·x, each rounded
	of2("add_rounded_square", func(f *file, x, y vec) vec { return f.canonical(f.add(y, f.mul(x, x))) }),
	// y + |x|, fma(x, x, y) and fma(x - v, x - v, y)
	of2("add_abs", func(f *file, x, y vec) vec { return f.canonical(f.add(y, f.abs(x))) }),
	of2("add_square", func(f *file, x, y vec) vec { return f.canonical(f.fma(x, x, y)) }),
	{name: "add_square_of_difference", in: 3, f: func(f *file, in, _ []vec) vec {
		d := f.sub(in[0], in[2])
		return f.canonical(f.fma(d, d, in[1]))
	}},
	// x / A
	with("div_by", 1, func(f *file, x vec, p []vec) vec { return f.canonical(f.div(x, p[0])) }),
	// exp(x - y)
	of2("exp_of_difference", func(f *file, x, y vec) vec { return f.exp(f.sub(x, y)) }),
}

// gated is x times the sigmoid of a function of it, which is no smaller where that is less than -1/4.
func gated(name string, of func(f *file, x vec) vec) element {
	e := of1(name, func(f *file, x vec) vec { return f.canonical(f.mul(f.sigmoidOf(of(f, x)), x)) })
	e.begun = func(f *file, x vec) ([]vec, mask) { return f.sigmoidBegun(of(f, x)) }
	e.ended = func(f *file, x vec, kept []vec) vec {
		q, power := f.sigmoidEnded(of(f, x), kept)
		return f.mul(q, f.mul(power, x))
	}
	return e
}

// truth is the function that says whether a comparison holds.
func truth(name string, how operand.U8) element {
	return of2(name, func(f *file, x, y vec) vec { return f.blend(f.compare(how, x, y), num(1), f.zero()) })
}

// kept is the function that says whether x is NaN, or a comparison with y holds.
func kept(name string, how operand.U8) element {
	return of2(name, func(f *file, x, y vec) vec {
		return f.blend(f.compare(how, x, y), num(1), f.blend(f.compare(unordered, x, x), num(1), f.zero()))
	})
}

// canonicalAs returns y with the canonical NaN where x is one.
func (f *file) canonicalAs(y, x vec) vec { return f.blend(f.compare(unordered, x, x), nan, y) }

// max and min are those of the operators. Of zeros of both signs, the bits that both orders have in common are +0, those of either -0.
func (f *file) max(x, y vec) vec {
	z := f.and(f.greater(x, y), f.greater(y, x))
	return f.blend(f.compare(unordered, x, y), nan, z)
}

func (f *file) min(x, y vec) vec {
	z := f.or(f.lesser(x, y), f.lesser(y, x))
	return f.blend(f.compare(unordered, x, y), nan, z)
}

// elu returns x, or alpha·expm1(x) for x < 0.
func (f *file) elu(x, alpha vec) vec {
	return f.canonical(f.blend(f.compare(less, x, num(0)), f.mul(f.expm1(x), alpha), x))
}

// leaky returns x, or alpha·x for x < 0.
func (f *file) leaky(x, alpha vec) vec {
	return f.canonical(f.blend(f.compare(less, x, num(0)), f.mul(x, alpha), x))
}

// elements builds the routines of Tier.Elements: a loop over vectors, and the rest under a mask.
func elements(f *file) {
	if f.isa.vnni {
		return
	}
	for _, e := range elementFunctions {
		r := f.entry("Elements", e.name)
		param := func(k int) vec {
			v := f.vector()
			r.VBROADCASTSS(r.field([]string{"A", "B", "C", "D"}[k]), v)
			return vec{v}
		}
		var p []vec
		for k := 0; k < e.params && e.again == nil; k++ {
			p = append(p, param(k))
		}
		w := r.walk(e.unroll(f.isa), []string{"X", "Y", "V", "W"}[:e.in])
		z := r.load("Z")
		if e.begun != nil && !f.isa.wide() {
			w.inTwo(&e, z)
		}
		w.each(func(tail func() mask) {
			whole := func() { w.put(e.again(f, func() vec { return w.get(0, tail) }, param), z, tail) }
			switch {
			case e.quick != nil:
				y, unknown := e.quick(f, w.get(0, tail))
				slow, done := r.label("slow"), r.label("known")
				r.anyOf(unknown)
				r.JNZ(operand.LabelRef(slow))
				w.put(y, z, tail)
				r.Label(done)
				r.cold(slow, done, whole)
				return
			case e.again != nil:
				whole()
				return
			}
			in := make([]vec, e.in)
			for k := range in {
				in[k] = w.get(k, tail)
			}
			w.put(e.f(f, in, p), z, tail)
		})
		r.end()
	}
}

// walk walks through operands of N float32, some of which may repeat.
type walk struct {
	*routine
	n       int // vectors at a time
	base    []reg.GPVirtual
	mask    []reg.GPVirtual // nil for the only operand, which does not repeat
	at, end reg.GPVirtual   // in bytes
}

// walk begins a walk, so many vectors at a time, through the operands of the given names, whose masks have these names and Mask.
func (r *routine) walk(n int, names []string) *walk {
	w := &walk{routine: r, n: n, at: r.GP64(), end: r.load("N")}
	for _, name := range names {
		w.base = append(w.base, r.load(name))
		if len(names) > 1 {
			w.mask = append(w.mask, r.load(name+"Mask"))
		}
	}
	r.SHLQ(operand.U8(2), w.end)
	r.XORQ(w.at, w.at)
	return w
}

// each calls body for a loop over whole vectors, with nil, and for what is left, with what yields the mask of the lanes that are.
func (w *walk) each(body func(tail func() mask)) {
	loop, rest, done := w.label("loop"), w.label("rest"), w.label("done")
	width := operand.U32(w.n * w.isa.bytes)
	w.SUBQ(width, w.end)
	w.CMPQ(w.at, w.end)
	w.unless(w.JG, rest, func() {
		w.Label(loop)
		body(nil)
		w.ADDQ(width, w.at)
		w.CMPQ(w.at, w.end)
		w.JLE(operand.LabelRef(loop))
	})
	w.ADDQ(width, w.end)
	w.SUBQ(w.at, w.end)
	w.unless(w.JEQ, done, func() { body(w.firstLanes(w.end)) })
}

// vectorsInTwo is how many vectors functions of two steps take at a time: as the second step of one need not wait for the first one, the processor
// does more of them at once.
const vectorsInTwo = 8

// inTwo walks through as many whole vectors of the only operand as it takes at a time, once for each step.
func (w *walk) inTwo(e *element, z reg.GPVirtual) {
	loop, rest, some := w.label("two"), w.label("rest_of_two"), vectorsInTwo*w.isa.bytes
	slow, done := w.label("slow"), w.label("known")
	stop, work, unknown := w.GP64(), w.GP64(), w.vector() // the second one from where at counts, as those of the operands
	var kept []operand.Mem
	w.SUBQ(operand.U32(some), w.end)
	w.CMPQ(w.at, w.end)
	w.unless(w.JG, rest, func() {
		w.Label(loop)
		w.LEAQ(at(w.at, some), stop)
		first := w.AllocLocal(0)
		w.LEAQ(at(first.Base, first.Disp+w.isa.bytes-1), work)
		w.ANDQ(operand.I8(-w.isa.bytes), work)
		w.SUBQ(w.at, work)
		w.clear(unknown)
		w.through(stop, "begun", func() {
			list, m := e.begun(w.file, w.get(0, nil))
			for i, k := range list {
				to := operand.Mem{Base: work, Index: w.at, Scale: 1, Disp: i * some}
				w.VMOVUPS(k[0], to)
				kept = append(kept, to)
			}
			w.VORPS(m.v[0], unknown, unknown)
		})
		w.AllocLocal(len(kept)*some + w.isa.bytes)
		w.SUBQ(operand.U32(some), w.at)
		w.VPTEST(unknown, unknown)
		w.JNZ(operand.LabelRef(slow))
		w.through(stop, "ended", func() {
			list := make([]vec, len(kept))
			for i, m := range kept {
				list[i] = w.set(m)
			}
			w.put(e.ended(w.file, w.get(0, nil), list), z, nil)
		})
		w.Label(done)
		w.CMPQ(w.at, w.end)
		w.JLE(operand.LabelRef(loop))
		w.cold(slow, done, func() {
			w.through(stop, "whole", func() { w.put(e.f(w.file, []vec{w.get(0, nil)}, nil), z, nil) })
		})
	})
	w.ADDQ(operand.U32(some), w.end)
}

// through repeats a body for one vector after another up to a place.
func (w *walk) through(stop reg.GPVirtual, name string, body func()) {
	label := w.label(name)
	w.Label(label)
	body()
	w.ADDQ(operand.U32(w.isa.bytes), w.at)
	w.CMPQ(w.at, stop)
	w.JLT(operand.LabelRef(label))
}

// get reads from operand k.
func (w *walk) get(k int, tail func() mask) vec {
	lanes := w.lanes(tail)
	to := w.vectors(w.n)
	for i, r := range to {
		from := operand.Mem{Base: w.base[k], Index: w.at, Scale: 1, Disp: i * w.isa.bytes}
		if w.mask != nil {
			index := w.GP64()
			if i == 0 {
				w.MOVQ(w.at, index)
			} else {
				w.LEAQ(operand.Mem{Base: w.at, Disp: from.Disp}, index)
			}
			w.ANDQ(w.mask[k], index)
			from.Index, from.Disp = index, 0
		}
		switch {
		case tail == nil:
			w.VMOVUPS(from, r)
		case w.isa.wide():
			w.VMOVUPS_Z(from, lanes.k[i], r)
		default:
			w.VMASKMOVPS(from, lanes.v[i], r)
		}
	}
	return to
}

// lanes returns the mask of the lanes, if they are not all.
func (w *walk) lanes(tail func() mask) (m mask) {
	if tail != nil {
		m = tail()
	}
	return m
}

// put writes.
func (w *walk) put(x vec, to reg.GPVirtual, tail func() mask) {
	lanes := w.lanes(tail)
	for i := range w.n {
		at := operand.Mem{Base: to, Index: w.at, Scale: 1, Disp: i * w.isa.bytes}
		switch {
		case tail == nil:
			w.VMOVUPS(x.at(i), at)
		case w.isa.wide():
			w.VMOVUPS(x.at(i), lanes.k[i], at)
		default:
			w.VMASKMOVPS(x.at(i), lanes.v[i], at)
		}
	}
}

// mostVectors is how many vectors a walk takes at a time at most.
const mostVectors = 2

// firstLanes returns what yields the mask of the first lanes of the vectors at a time, of so many bytes, fewer than these have.
func (w *walk) firstLanes(bytes reg.GPVirtual) func() mask {
	const name = "lanes"
	half := mostVectors * w.isa.bytes
	table, ok := w.constants[name]
	if !ok {
		table = w.StaticGlobal(name)
		w.DataAttributes(attr.RODATA | attr.NOPTR)
		for i := range 2 * half / 8 {
			all := ^uint64(0)
			if i >= half/8 {
				all = 0
			}
			w.AppendDatum(operand.U64(all))
		}
		w.keep(name, table)
	}
	from := w.GP64()
	w.LEAQ(table, from)
	w.SUBQ(bytes, from)
	return again(w.file, func() mask {
		lanes := vec(w.vectors(w.n))
		for i, r := range lanes {
			w.VMOVUPS(at(from, half+i*w.isa.bytes), r)
		}
		return w.negative(lanes)
	})
}
