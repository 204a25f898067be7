package random

import (
	"slices"

	"github.com/concord-nn/concord/tensor"
)

// Steps that move elements, and those that compute shapes.

func transposition(g *grower) {
	if x := g.number(1, 4); x != nil {
		perm := g.Perm(x.rank())
		var shape []int
		for _, d := range perm {
			shape = append(shape, x.shape[d])
		}
		g.move(shape, []*wire{x}, "Transpose", namesOf(x), "perm", perm)
	}
}

func concatenation(g *grower) {
	x := g.number(1, 4)
	axis := g.IntN(x.rank())
	in := []*wire{x}
	total := x.shape[axis]
	for range g.between(1, 2) {
		y := g.pick(func(w *wire) bool {
			return w.d == x.d && w.known() && w.rank() == x.rank() && slices.Equal(with(w.shape, axis, 0), with(x.shape, axis, 0))
		})
		if y == nil || y == x && g.chance(0.6) {
			y = g.weights(x.d, with(x.shape, axis, g.between(1, 3)), 4)
		}
		in, total = append(in, y), total+y.shape[axis]
	}
	g.move(with(x.shape, axis, total), in, "Concat", namesOf(in...), "axis", g.written(axis, x.rank()))
}

func splitting(g *grower) {
	x := g.number(1, 4, func(w *wire) bool { return slices.ContainsFunc(w.shape, func(n int) bool { return n > 1 }) })
	if x == nil {
		return
	}
	axis := g.IntN(x.rank())
	for x.shape[axis] < 2 {
		axis = g.IntN(x.rank())
	}
	first := g.between(1, x.shape[axis]-1)
	sizes := []int{first, x.shape[axis] - first}
	in, a := namesOf(x), attrs{"axis", axis}
	if g.opset >= 13 {
		in = append(in, g.list(sizes...))
	} else {
		a = append(a, "split", sizes)
	}
	out := g.node("Split", in, 2, a)
	for i, name := range out {
		w := *x
		w.name, w.shape = name, with(x.shape, axis, sizes[i])
		*g.tape = append(*g.tape, func() { w.err = x.err })
		g.wires = append(g.wires, &w)
	}
}

func cutting(g *grower) {
	x := g.number(1, 4)
	axis := g.IntN(x.rank())
	n := x.shape[axis]
	step := one(g.maker, 1, 1, 2, -1, -2)
	from, to := g.IntN(n), 0
	count := 0
	if step > 0 {
		to = g.between(from+1, n)
		count = (to - from + step - 1) / step
		if to == n && g.chance(0.4) {
			to = 1<<31 - 1
		}
	} else {
		from = n - 1 - from
		to = g.between(-n-1, from-n-1)
		count = (from - (to + n) - step - 1) / -step
		if g.chance(0.4) {
			from -= n
		}
	}
	in := []string{x.name, g.list(from), g.list(to), g.list(g.written(axis, x.rank())), g.list(step)}
	g.move(with(x.shape, axis, count), []*wire{x}, "Slice", in)
}

func padding(g *grower) {
	x := g.number(1, 4, func(w *wire) bool { return isFloat(w) || g.opset >= 13 })
	if x == nil {
		return
	}
	mode := one(g.maker, "constant", "constant", "edge", "reflect")
	pads := g.pads(x.shape, mode)
	shape := slices.Clone(x.shape)
	for i := range shape {
		if shape[i] += pads[i] + pads[i+len(shape)]; shape[i] < 1 {
			return
		}
	}
	in := []string{x.name, g.list(pads...)}
	if mode == "constant" && g.chance(0.5) {
		in = append(in, g.scalarOf(x.d, float64(g.between(0, 4)))) // no more than any operand
	}
	w := *x
	w.most, w.step = max(w.most, 4), min(w.step, 1)
	w.shape = shape
	g.put(w, 0, worst(x), "Pad", in, "mode", mode)
}

func tiling(g *grower) {
	x := g.number(1, 3)
	repeats := g.extents(x.rank(), 1, 2)
	shape := slices.Clone(x.shape)
	for i, r := range repeats {
		shape[i] *= r
	}
	g.move(shape, []*wire{x}, "Tile", []string{x.name, g.list(repeats...)})
}

func expanding(g *grower) {
	x := g.number(0, 3)
	shape := join(g.extents(g.between(0, 1), 1, 3), x.shape)
	for i := range shape {
		if shape[i] == 1 && g.chance(0.5) {
			shape[i] = g.between(1, 3)
		}
	}
	g.move(shape, []*wire{x}, "Expand", []string{x.name, g.list(shape...)})
}

func squeezing(g *grower) {
	x := g.number(0, 4)
	if i := slices.Index(x.shape, 1); i >= 0 && g.chance(0.7) {
		in, a := g.axesFrom(13, namesOf(x), []int{i})
		g.move(slices.Delete(slices.Clone(x.shape), i, i+1), []*wire{x}, "Squeeze", in, a...)
		return
	}
	if x.rank() < 4 {
		i := g.IntN(x.rank() + 1)
		in, a := g.axesFrom(13, namesOf(x), []int{i})
		g.move(slices.Insert(slices.Clone(x.shape), i, 1), []*wire{x}, "Unsqueeze", in, a...)
	}
}

// indices adds indices of up to n elements, as codes or as the model computes them.
func (g *grower) indices(shape []int, n int) string {
	x := g.fill(tensor.Int64, shape, values{lo: float64(-n), hi: float64(n - 1)})
	return g.hold(x, g.kind != whole || g.chance(0.6))
}

func gathering(g *grower) {
	x := g.number(1, 3)
	axis := g.IntN(x.rank())
	at := g.extents(g.between(0, 2), 1, 3)
	in := []string{x.name, g.indices(at, x.shape[axis])}
	g.move(join(x.shape[:axis], at, x.shape[axis+1:]), []*wire{x}, "Gather", in, "axis", axis)
}

func gatheringElements(g *grower) {
	x := g.number(1, 4)
	axis := g.IntN(x.rank())
	at := with(x.shape, axis, g.between(1, 4))
	g.move(at, []*wire{x}, "GatherElements", []string{x.name, g.indices(at, x.shape[axis])}, "axis", axis)
}

func depth(g *grower) {
	x := g.number(4, 4, isSingle)
	if x == nil {
		return
	}
	s := x.shape
	switch {
	case s[1]%4 == 0:
		g.move([]int{s[0], s[1] / 4, s[2] * 2, s[3] * 2}, []*wire{x}, "DepthToSpace", namesOf(x), "blocksize", 2, "mode", one(g.maker, "DCR", "CRD"))
	case s[2]%2 == 0 && s[3]%2 == 0:
		g.move([]int{s[0], s[1] * 4, s[2] / 2, s[3] / 2}, []*wire{x}, "SpaceToDepth", namesOf(x), "blocksize", 2)
	}
}

func triangle(g *grower) {
	if x := g.number(2, 4, func(w *wire) bool { return w.d != tensor.Int32 }); x != nil && g.opset >= 14 {
		g.move(x.shape, []*wire{x}, "Trilu", []string{x.name, g.index(g.between(-2, 2))}, "upper", g.IntN(2))
	}
}

func flattening(g *grower) {
	if x := g.number(1, 4); x != nil {
		axis := g.between(0, x.rank())
		g.move([]int{product(x.shape[:axis]), product(x.shape[axis:])}, []*wire{x}, "Flatten", namesOf(x), "axis", axis)
	}
}

// extentOf adds nodes that take an extent from the shape of a value, as a list of one or a scalar.
func (g *grower) extentOf(x *wire, axis int, list bool) string {
	shape := g.node("Shape", namesOf(x), 1, nil)[0]
	if list && g.chance(0.5) {
		return g.node("Slice", []string{shape, g.list(axis), g.list(axis + 1)}, 1, nil)[0]
	}
	at := g.index(axis)
	if list {
		at = g.list(axis)
	}
	return g.node("Gather", []string{shape, at}, 1, nil)[0]
}

// plumbing makes a shape of parts of another one.
func plumbing(g *grower) {
	x := g.number(2, 4)
	perm := g.Perm(x.rank())
	var parts []string
	var shape []int
	for _, d := range perm {
		shape = append(shape, x.shape[d])
		if g.chance(0.4) {
			parts = append(parts, g.list(x.shape[d]))
		} else {
			parts = append(parts, g.extentOf(x, d, true))
		}
	}
	if g.chance(0.6) {
		parts[g.IntN(len(parts))] = g.list(-1)
	}
	to := g.node("Concat", parts, 1, attrs{"axis", 0})[0]
	g.move(shape, []*wire{x}, "Reshape", []string{x.name, to})
}

// flatPlumbing multiplies extents that the model takes from a shape.
func flatPlumbing(g *grower) {
	x := g.number(2, 4)
	a, b := g.extentOf(x, 0, false), g.extentOf(x, 1, false)
	n := g.node("Mul", []string{a, b}, 1, nil)[0]
	in, at := g.axesFrom(13, []string{n}, []int{0})
	first := g.node("Unsqueeze", in, 1, at)[0]
	to := g.node("Concat", []string{first, g.list(x.shape[2:]...)}, 1, attrs{"axis", 0})[0]
	g.move(join([]int{x.shape[0] * x.shape[1]}, x.shape[2:]), []*wire{x}, "Reshape", []string{x.name, to})
}

// filled makes a tensor of one number, as great as another one.
func filled(g *grower) {
	x := g.number(1, 3)
	d := one(g.maker, tensor.Float32, tensor.Int64)
	n := float64(g.between(-3, 3))
	shape := g.node("Shape", namesOf(x), 1, nil)[0]
	g.integers(d, x.shape, 3, "ConstantOfShape", []string{shape}, "value", message(cast(slice([]float64{n}), d)))
}

// counting makes a range up to an extent.
func counting(g *grower) {
	x := g.number(1, 3)
	axis := g.IntN(x.rank())
	to := g.extentOf(x, axis, false)
	g.integers(tensor.Int64, x.shape[axis:axis+1], float64(x.shape[axis]), "Range", []string{g.scalarOf(tensor.Int64, 0), to, g.scalarOf(tensor.Int64, 1)})
}

func topK(g *grower) {
	x := g.number(1, 3, isSame)
	if x == nil {
		return
	}
	axis := g.IntN(x.rank())
	k := g.between(1, x.shape[axis])
	a := attrs{"axis", axis, "largest", g.IntN(2)}
	out := g.node("TopK", []string{x.name, g.list(k)}, 2, a)
	best, at := *x, wire{name: out[1], d: tensor.Int64, most: float64(x.shape[axis]), step: 1, same: true}
	best.name, best.shape, at.shape = out[0], with(x.shape, axis, k), with(x.shape, axis, k)
	g.wires = append(g.wires, &best, &at)
}

// nonZero finds elements, and maybe gathers them.
func nonZero(g *grower) {
	x := g.number(1, 3, isSame, func(w *wire) bool { return w.d != tensor.Float64 })
	if x == nil || g.kind != whole {
		return
	}
	at := g.integers(tensor.Int64, []int{x.rank(), -1}, 8, "NonZero", namesOf(x))
	if at == nil || g.opset < 12 || g.chance(0.3) {
		return
	}
	turned := g.integers(tensor.Int64, []int{-1, x.rank()}, 8, "Transpose", namesOf(at), "perm", []int{1, 0})
	g.move([]int{-1}, []*wire{x}, "GatherND", namesOf(x, turned))
}

func compressed(g *grower) {
	x := g.number(1, 3)
	if g.kind != whole {
		return
	}
	axis := g.IntN(x.rank())
	c := g.pick(func(w *wire) bool { return isBool(w) && w.rank() == 1 && w.shape[0] <= x.shape[axis] })
	if c == nil {
		c = g.weights(tensor.Bool, x.shape[axis:axis+1], 1)
	}
	g.move(with(x.shape, axis, -1), []*wire{x}, "Compress", namesOf(x, c), "axis", axis)
}

func unique(g *grower) {
	x := g.number(1, 2, isSame, func(w *wire) bool { return w.d != tensor.Int32 })
	if x == nil || g.kind != whole {
		return
	}
	g.move([]int{-1}, []*wire{x}, "Unique", namesOf(x))
}
