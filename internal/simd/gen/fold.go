package main

// folds lists the routines of Tier.Fold: what becomes of lanes.
var folds = []struct {
	name string
	step func(f *file, acc, x, a vec) vec
}{
	{"sum", func(f *file, acc, x, _ vec) vec { return f.add(acc, x) }},
	{"l1", func(f *file, acc, x, _ vec) vec { return f.add(acc, f.abs(x)) }},
	{"sum_square", func(f *file, acc, x, _ vec) vec { return f.fma(x, x, acc) }},
	{"variance", func(f *file, acc, x, a vec) vec {
		d := f.sub(x, a)
		return f.fma(d, d, acc)
	}},
	{"product", func(f *file, acc, x, _ vec) vec { return f.mul(acc, x) }},
	{"max", func(f *file, acc, x, _ vec) vec { return f.max(acc, x) }},
	{"min", func(f *file, acc, x, _ vec) vec { return f.min(acc, x) }},
}

// fold builds the routines of Tier.Fold: a loop over sixteen elements, and the rest under a mask.
func fold(f *file) {
	if f.isa.vnni {
		return
	}
	for _, e := range folds {
		r := f.entry("Fold", e.name)
		n := blockBytes / f.isa.bytes
		a, acc := f.vector(), vec(f.vectors(n))
		if e.name == "variance" {
			r.VBROADCASTSS(r.field("A"), a)
		}
		lanes := r.load("Acc")
		for i, v := range acc {
			r.VMOVUPS(at(lanes, i*f.isa.bytes), v)
		}
		w := r.walk(n, []string{"X"})
		w.each(func(tail *mask) {
			next := e.step(f, acc, w.get(0, tail), vec{a})
			if tail != nil {
				next = f.blend(*tail, next, acc)
			}
			for i, v := range acc {
				r.VMOVAPS(next[i], v)
			}
		})
		for i, v := range acc {
			r.VMOVUPS(v, at(lanes, i*f.isa.bytes))
		}
		r.end()
	}
}
