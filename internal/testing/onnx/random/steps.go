package random

import (
	"math"
	"slices"
	"strings"

	"github.com/concord-nn/concord/tensor"
)

// steps are what graphs are made of, by families that are chosen equally often. A step does nothing if there is nothing to do it with.
var steps [][]func(g *grower)

func init() { // blocks are made of steps
	arithmetic := []func(g *grower){addition, addition, multiplication, extremes, quotient}
	elements := []func(g *grower){curve, curve, linear, rounding, comparison, logic, selection, conversion, clipping}
	places := []func(g *grower){transposition, transposition, concatenation, splitting, cutting, cutting, padding, tiling, expanding, squeezing, gathering,
		gatheringElements, depth, triangle, flattening}
	blocks := []func(g *grower){choice, loop, scan, call}
	steps = [][]func(g *grower){
		arithmetic, arithmetic, elements, elements, places, places, blocks, blocks, blocks,
		{matmul, gemm, convolution, convolution},
		{pool, averagePool, globalPool, instanceNorm, layerNorm, batchNorm, softmaxOf},
		{addUp, addUp, averages, accumulation, argument},
		{plumbing, plumbing, flatPlumbing, filled, counting},
		{topK, nonZero, compressed, unique, quantisedChain, quantisedProduct, sequences, constantNode, unchanged},
	}
}

func addition(g *grower) {
	x := g.number(0, 4)
	y := g.partner(x)
	w := gathered(x, y)
	w.shape, w.most = broadcastOf(x.shape, y.shape), x.most+y.most
	in := []*wire{x, y}
	if g.chance(0.3) {
		in = []*wire{y, x}
	}
	op := one(g.maker, "Add", "Add", "Sub")
	if isFloat(x) && g.chance(0.1) {
		op = "Sum"
	}
	g.put(w, 1, func() float64 { return x.err + y.err }, op, namesOf(in...))
}

func multiplication(g *grower) {
	x := g.number(0, 4)
	y := g.partner(x)
	w := gathered(x, y)
	w.shape, w.most, w.step = broadcastOf(x.shape, y.shape), x.most*y.most, x.step*y.step
	g.put(w, 1, product2(x, y), "Mul", namesOf(x, y))
}

// product2 is the error of a product.
func product2(x, y *wire) func() float64 {
	return func() float64 { return x.err*y.most + y.err*x.most + x.err*y.err }
}

func extremes(g *grower) {
	x := g.number(0, 4, func(w *wire) bool { return isFloat(w) || g.opset >= 12 })
	if x == nil {
		return
	}
	y := g.partner(x)
	g.move(broadcastOf(x.shape, y.shape), []*wire{x, y}, one(g.maker, "Max", "Min"), namesOf(x, y))
}

func quotient(g *grower) {
	x := g.number(0, 4)
	by := float64(one(g.maker, 2, 3, 4, 5))
	w := *x
	if !isFloat(x) {
		op := one(g.maker, "Div", "Mod")
		if w.step = 1; op == "Mod" {
			w.most = by
		}
		g.put(w, 0, nil, op, []string{x.name, g.scalarOf(x.d, by)})
		return
	}
	w.most, w.step = x.most/by, 0
	if by == 2 || by == 4 {
		w.step = x.step / by
	}
	g.put(w, 1, func() float64 { return x.err / by }, "Div", []string{x.name, g.scalarOf(x.d, by)})
}

func (g *grower) scalarOf(d tensor.DType, x float64) string {
	return g.hold(scalar(d, x), true)
}

// curveOf is a function of an element.
type curveOf struct {
	op     string
	opset  int
	gain   float64 // the greatest slope
	most   float64 // of its results, if they do not grow
	double bool    // evaluated for float64 too
}

var curves = []curveOf{
	{"Tanh", 7, 1, 1, true}, {"Sigmoid", 7, 0.25, 1, true}, {"Erf", 9, 1.2, 1, false}, {"Softsign", 7, 1, 1, false}, {"HardSigmoid", 7, 0.2, 1, false},
	{"Elu", 7, 1, 0, false}, {"Selu", 7, 1.8, 0, false}, {"Softplus", 7, 1, 0, false}, {"HardSwish", 14, 1.5, 0, false}, {"Gelu", 20, 1.2, 0, false}, {"Mish", 18, 1.2, 0, false},
	{"Cos", 7, 1, 1, false}, {"Sin", 7, 1, 1, false}, {"Atan", 7, 1, 1.6, false}, {"Celu", 12, 1, 0, false},
}

func curve(g *grower) {
	c := one(g.maker, curves...)
	x := g.number(0, 4, func(w *wire) bool { return w.d == tensor.Float32 || c.double && w.d == tensor.Float64 })
	if c.opset > g.opset || x == nil || c.op == "Cos" && x.most > 64 || c.op == "Sin" && x.most > 64 {
		return
	}
	w := *x
	w.step = 0
	if w.most = c.most; c.most == 0 {
		w.most = 1.8*x.most + 2
	}
	g.put(w, 20, func() float64 { return c.gain * x.err }, c.op, namesOf(x))
}

// linear does what only changes signs.
func linear(g *grower) {
	op := one(g.maker, "Abs", "Neg", "Relu", "Identity", "LeakyRelu")
	x := g.number(0, 4, func(w *wire) bool { return isFloat(w) || op == "Abs" || op == "Neg" || op == "Identity" })
	switch {
	case x == nil:
	case op == "LeakyRelu" && x.d == tensor.Float32:
		w := *x
		w.step /= 4
		g.put(w, 1, worst(x), op, namesOf(x), "alpha", float32(0.25))
	case op != "LeakyRelu":
		g.move(x.shape, []*wire{x}, op, namesOf(x))
	}
}

func rounding(g *grower) {
	x := g.number(0, 4, isFloat, isSame)
	if x == nil {
		return
	}
	w := *x
	w.step, w.most = 1, math.Ceil(x.most)
	op := one(g.maker, "Floor", "Ceil", "Round", "Sign")
	if op == "Sign" {
		w.most = 1
	}
	g.put(w, 0, nil, op, namesOf(x))
}

func comparison(g *grower) {
	x := g.number(0, 4, isSame)
	if x == nil {
		return
	}
	op := one(g.maker, "Less", "Greater", "Equal", "LessOrEqual", "GreaterOrEqual")
	if y := g.partner(x, isSame); g.opset >= 12 || !strings.HasSuffix(op, "OrEqual") {
		g.integers(tensor.Bool, broadcastOf(x.shape, y.shape), 1, op, namesOf(x, y))
	}
}

func isBool(w *wire) bool { return w.d == tensor.Bool && w.known() }

func logic(g *grower) {
	x := g.pick(isBool)
	if x == nil {
		return
	}
	if g.chance(0.4) {
		g.integers(tensor.Bool, x.shape, 1, "Not", namesOf(x))
		return
	}
	y := g.partner(x)
	g.integers(tensor.Bool, broadcastOf(x.shape, y.shape), 1, one(g.maker, "And", "Or", "Xor"), namesOf(x, y))
}

func selection(g *grower) {
	x := g.number(0, 4)
	y := g.partner(x)
	s := broadcastOf(x.shape, y.shape)
	c := g.pick(func(w *wire) bool { return isBool(w) && slices.Equal(broadcastOf(w.shape, s), s) })
	if c == nil {
		c = g.weights(tensor.Bool, g.broadcast(s), 1)
	}
	g.move(s, []*wire{x, y}, "Where", namesOf(c, x, y))
}

func conversion(g *grower) {
	to := one(g.maker, tensor.Float32, tensor.Float64, tensor.Int32, tensor.Int64, tensor.Bool)
	x := g.pick(func(w *wire) bool {
		return (isNumber(w) || w.d == tensor.Bool) && w.d != to && w.known() && (w.same || to == tensor.Float32 || to == tensor.Float64)
	})
	if x == nil {
		return
	}
	w := *x
	if w.d = to; to == tensor.Bool {
		w.most, w.step = 1, 1
	}
	if !isFloat(&w) {
		w.step, w.most = 1, math.Ceil(w.most)
	}
	rounds := 0.0
	if to == tensor.Float32 && (x.step == 0 || x.most/x.step >= 1<<24) {
		rounds = 1
	}
	g.put(w, rounds, worst(x), "Cast", namesOf(x), "to", to)
}

func clipping(g *grower) {
	x := g.number(0, 4, func(w *wire) bool { return isSingle(w) || g.opset >= 12 })
	if x == nil {
		return
	}
	w := *x
	lo, hi := float64(-g.between(0, 3)), float64(g.between(1, 4))
	in := []string{x.name, g.scalarOf(x.d, lo), g.scalarOf(x.d, hi)}
	w.most, w.step = min(w.most, 4), min(w.step, 1)
	if g.chance(0.2) {
		in[1], w.most = "", x.most
	}
	g.put(w, 0, worst(x), "Clip", in)
}

func matmul(g *grower) {
	x := g.number(1, 4, isSame32)
	if x == nil {
		return
	}
	k := x.shape[x.rank()-1]
	y := g.pick(func(w *wire) bool { return w.d == x.d && w.known() && w.rank() == 2 && w.shape[0] == k })
	if y == nil || g.chance(0.3) {
		y = g.weights(x.d, []int{k, g.between(1, 5)}, 4)
	}
	w := sums(x, y, k)
	w.shape = join(x.shape[:x.rank()-1], y.shape[1:])
	g.put(w, float64(k), terms(x, y, k), "MatMul", namesOf(x, y))
}

// isSame32 is for operators that ONNX Runtime evaluates for these types.
func isSame32(w *wire) bool { return w.d == tensor.Float32 || w.d == tensor.Float64 }

// sums is a value of sums of k products.
func sums(x, y *wire, k int) wire {
	w := gathered(x, y)
	w.most, w.step = x.most*y.most*float64(k), x.step*y.step
	return w
}

// terms is the error of such sums.
func terms(x, y *wire, k int) func() float64 {
	e := product2(x, y)
	return func() float64 { return float64(k) * e() }
}

func gemm(g *grower) {
	x := g.number(2, 2, isSame32)
	if x == nil {
		return
	}
	ta, tb := g.IntN(2), g.IntN(2)
	m, k, n := x.shape[ta], x.shape[1-ta], g.between(1, 5)
	s := []int{k, n}
	if tb == 1 {
		s = []int{n, k}
	}
	y := g.weights(x.d, s, 4)
	w := sums(x, y, k)
	w.shape = []int{m, n}
	in, e, a := namesOf(x, y), terms(x, y, k), attrs{"transA", ta, "transB", tb}
	if g.chance(0.6) {
		c := g.weights(x.d, g.broadcast(w.shape), 4)
		in, w.most, w.step = append(in, c.name), w.most+c.most, min(w.step, c.step)
	}
	if g.chance(0.3) {
		a, w.step = append(a, "alpha", float32(0.5)), w.step/2
	}
	g.put(w, float64(k+2), e, "Gemm", in, a...)
}

func convolution(g *grower) {
	x := g.number(3, 4, isSingle)
	if x == nil {
		return
	}
	n := x.rank() - 2
	group := 1
	if x.shape[1]%2 == 0 && g.chance(0.3) {
		group = 2
	} else if g.chance(0.2) {
		group = x.shape[1]
	}
	kernel, strides, dilations, pads := make([]int, n), make([]int, n), make([]int, n), make([]int, 2*n)
	shape := []int{x.shape[0], group * g.between(1, 3)}
	for i := range kernel {
		kernel[i], strides[i], dilations[i] = g.between(1, min(3, x.shape[2+i])), g.between(1, 2), 1
		if kernel[i] == 2 && x.shape[2+i] >= 3 && g.chance(0.2) {
			dilations[i] = 2
		}
		pads[i], pads[i+n] = g.IntN(kernel[i]), g.IntN(kernel[i])
		shape = append(shape, (x.shape[2+i]+pads[i]+pads[i+n]-dilations[i]*(kernel[i]-1)-1)/strides[i]+1)
	}
	y := g.weights(x.d, join([]int{shape[1], x.shape[1] / group}, kernel), 4)
	k := product(y.shape[1:])
	w := sums(x, y, k)
	w.shape = shape
	in := namesOf(x, y)
	if g.chance(0.6) {
		c := g.weights(x.d, shape[1:2], 4)
		in, w.most, w.step = append(in, c.name), w.most+c.most, min(w.step, c.step)
	}
	g.put(w, float64(k+1), terms(x, y, k), "Conv", in, "pads", pads, "strides", strides, "dilations", dilations, "group", group)
}

// pooled returns attributes of a pooling and its result's shape.
func (g *grower) pooled(x *wire) (shape []int, window int, a attrs) {
	n := x.rank() - 2
	kernel, strides, pads := make([]int, n), make([]int, n), make([]int, 2*n)
	shape, window = slices.Clone(x.shape[:2]), 1
	for i := range kernel {
		kernel[i], strides[i] = g.between(1, min(3, x.shape[2+i])), g.between(1, 2)
		pads[i], pads[i+n] = g.IntN(kernel[i]), g.IntN(kernel[i])
		shape = append(shape, (x.shape[2+i]+pads[i]+pads[i+n]-kernel[i])/strides[i]+1)
		window *= kernel[i]
	}
	return shape, window, attrs{"kernel_shape", kernel, "strides", strides, "pads", pads}
}

func pool(g *grower) {
	if x := g.number(3, 4, isSame32); x != nil {
		shape, _, a := g.pooled(x)
		g.move(shape, []*wire{x}, "MaxPool", namesOf(x), a...)
	}
}

func averagePool(g *grower) {
	if x := g.number(3, 4, isSingle); x != nil {
		shape, k, a := g.pooled(x)
		w := *x
		w.shape, w.step = shape, 0
		g.put(w, float64(k+1), worst(x), "AveragePool", namesOf(x), append(a, "count_include_pad", g.IntN(2))...)
	}
}

func globalPool(g *grower) {
	x := g.number(3, 4, isSingle)
	if x == nil {
		return
	}
	shape := slices.Clone(x.shape)
	for i := 2; i < len(shape); i++ {
		shape[i] = 1
	}
	if g.chance(0.4) {
		g.move(shape, []*wire{x}, "GlobalMaxPool", namesOf(x))
		return
	}
	w := *x
	w.shape, w.step = shape, 0
	g.put(w, float64(product(x.shape[2:])+1), worst(x), "GlobalAveragePool", namesOf(x))
}

// spread is what the roundings of a variance of n numbers, with 4 added so that nothing is divided by little, lead to, and errors of the numbers.
func spread(x *wire, n int) (rounds float64, gain float64) {
	k := float64(n)
	return k*x.most*x.most/8 + k + 20, 1 + math.Sqrt(k)*x.most/2
}

func instanceNorm(g *grower) {
	x := g.number(3, 4, isSingle, func(w *wire) bool { return w.most <= 16 })
	if x == nil {
		return
	}
	n := product(x.shape[2:])
	w := *x
	w.most, w.step = math.Sqrt(float64(n))*4+4, 0
	scale, b := g.weights(x.d, x.shape[1:2], 4), g.weights(x.d, x.shape[1:2], 4)
	rounds, gain := spread(x, n)
	g.put(w, rounds, func() float64 { return 4 * gain * x.err }, "InstanceNormalization", namesOf(x, scale, b), "epsilon", float32(4))
}

func layerNorm(g *grower) {
	x := g.number(1, 4, isSingle, func(w *wire) bool { return w.most <= 16 })
	if x == nil || g.opset < 17 {
		return
	}
	axis := g.IntN(x.rank())
	n := product(x.shape[axis:])
	w := *x
	w.most, w.step = math.Sqrt(float64(n))*4+4, 0
	rounds, gain := spread(x, n)
	in := namesOf(x, g.weights(x.d, x.shape[axis:], 4))
	if g.chance(0.6) {
		in = append(in, g.weights(x.d, x.shape[axis:], 4).name)
	}
	g.put(w, rounds, func() float64 { return 4 * gain * x.err }, "LayerNormalization", in, "axis", g.written(axis, x.rank()), "epsilon", float32(4))
}

func batchNorm(g *grower) {
	x := g.number(2, 4, isSingle)
	if x == nil {
		return
	}
	c := x.shape[1:2]
	variance := make([]float64, c[0])
	for i := range variance {
		variance[i] = float64(g.between(1, 4))
	}
	scale, b, mean := g.weights(x.d, c, 4), g.weights(x.d, c, 4), g.weights(x.d, c, 4)
	w := *x
	w.most, w.step = 4*(x.most+4)+4, 0
	in := append(namesOf(x, scale, b, mean), g.hold(cast(slice(variance), x.d), true))
	g.put(w, 8, func() float64 { return 4 * x.err }, "BatchNormalization", in)
}

func softmaxOf(g *grower) {
	x := g.number(1, 4, isSame32, func(w *wire) bool { return w.most <= 64 })
	if x == nil {
		return
	}
	axis, n := g.IntN(x.rank()), 0
	if n = x.shape[axis]; g.opset < 13 {
		n = product(x.shape[axis:])
	}
	w := *x
	w.step, w.most = 0, 1
	op := one(g.maker, "Softmax", "Softmax", "LogSoftmax")
	if op == "LogSoftmax" {
		w.most = 2*x.most + 7 // the logarithm of how many elements there may be
	}
	g.put(w, float64(n)+20+2*x.most, func() float64 { return 2 * x.err }, op, namesOf(x), "axis", axis)
}

// reduced returns axes of a value, at least one if there are any, and the shape without these; keep says whether extents of 1 stay.
func (g *grower) reduced(x *wire, keep bool) (axes, shape []int, n int) {
	axes, n = g.Perm(x.rank())[:g.between(min(1, x.rank()), x.rank())], 1
	shape = []int{}
	for d, k := range x.shape {
		switch {
		case !slices.Contains(axes, d):
			shape = append(shape, k)
			continue
		case keep:
			shape = append(shape, 1)
		}
		n *= k
	}
	return axes, shape, n
}

// reduce adds a reduction along axes; none is all of them.
func (g *grower) reduce(w wire, rounds float64, err func() float64, op string, x *wire, axes []int, keep bool) {
	in, operand := namesOf(x), 18
	if op == "ReduceSum" {
		operand = 13
	}
	a := attrs{"keepdims", keep}
	if len(axes) < x.rank() || g.chance(0.5) {
		var list []int
		for _, d := range axes {
			list = append(list, g.written(d, x.rank()))
		}
		var more attrs
		in, more = g.axesFrom(operand, in, list)
		a = append(a, more...)
	}
	g.put(w, rounds, err, op, in, a...)
}

func addUp(g *grower) {
	x := g.pick(func(w *wire) bool { return isNumber(w) && w.rank() > 0 })
	if x == nil {
		return
	}
	keep := g.chance(0.5)
	w := *x
	if !x.known() { // its extent is any of up to the greatest number of elements
		open := slices.Index(x.shape, -1)
		w.shape, w.most = slices.Delete(slices.Clone(x.shape), open, open+1), x.most*mostInGraph
		g.reduce(w, mostInGraph, func() float64 { return mostInGraph * x.err }, "ReduceSum", x, []int{open}, false)
		return
	}
	axes, shape, n := g.reduced(x, keep)
	w.shape = shape
	k := float64(n)
	switch op := one(g.maker, "ReduceSum", "ReduceSum", "ReduceMax", "ReduceMin", "ReduceL1", "ReduceSumSquare"); op {
	case "ReduceMax", "ReduceMin":
		g.reduce(w, 0, worst(x), op, x, axes, keep)
	case "ReduceSumSquare":
		w.most, w.step = x.most*x.most*k, x.step*x.step
		g.reduce(w, k, terms(x, x, n), op, x, axes, keep)
	default:
		w.most = x.most * k
		g.reduce(w, k, func() float64 { return k * x.err }, op, x, axes, keep)
	}
}

func averages(g *grower) {
	x := g.number(1, 4, isSame32)
	if x == nil {
		return
	}
	keep := g.chance(0.5)
	axes, shape, n := g.reduced(x, keep)
	w := *x
	w.shape, w.step = shape, 0
	g.reduce(w, float64(n+1), worst(x), "ReduceMean", x, axes, keep)
}

func accumulation(g *grower) {
	x := g.number(1, 4)
	axis := g.IntN(x.rank())
	k := float64(x.shape[axis])
	w := *x
	w.most = x.most * k
	in := []string{x.name, g.index(g.written(axis, x.rank()))}
	g.put(w, k, func() float64 { return k * x.err }, "CumSum", in, "exclusive", g.IntN(2), "reverse", g.IntN(2))
}

func argument(g *grower) {
	x := g.number(1, 4, isSame)
	if x == nil || g.opset < 12 {
		return
	}
	axis, keep := g.IntN(x.rank()), g.chance(0.5)
	shape := with(x.shape, axis, 1)
	if !keep {
		shape = slices.Delete(shape, axis, axis+1)
	}
	g.integers(tensor.Int64, shape, float64(x.shape[axis]), one(g.maker, "ArgMax", "ArgMin"), namesOf(x), "axis", g.written(axis, x.rank()), "keepdims", keep,
		"select_last_index", g.IntN(2))
}

// quantisedChain takes numbers to codes and back, by steps that are powers of two so that nothing is rounded but to codes.
func quantisedChain(g *grower) {
	if x := g.number(0, 4, isSingle, isSame); x != nil {
		g.dequantized(x, one(g.maker, tensor.Uint8, tensor.Int8), one(g.maker, 0.25, 0.5, 1))
	}
}

// dequantized quantizes a value and returns what its codes stand for, nil if there are too many nodes.
func (g *grower) dequantized(x *wire, d tensor.DType, scale float64) *wire {
	least, most := d.IntRange()
	zero := least + 128 + int64(g.between(-8, 8))
	s, z := g.scalarOf(tensor.Float32, scale), g.scalarOf(d, float64(zero))
	q := g.put(wire{d: d, shape: x.shape, most: float64(most), step: 1}, 0, nil, "QuantizeLinear", []string{x.name, s, z})
	if q == nil {
		return nil
	}
	w := *x
	w.step, w.most = scale, 140*scale
	return g.put(w, 0, nil, "DequantizeLinear", []string{q.name, s, z})
}

// quantisedProduct multiplies matrices between dequantizations and a quantization, which is exact as its steps are powers of two.
func quantisedProduct(g *grower) {
	x := g.number(2, 3, isSingle, isSame)
	if x == nil {
		return
	}
	x = g.dequantized(x, tensor.Uint8, 0.25)
	if x == nil {
		return
	}
	k, n := x.shape[x.rank()-1], g.between(1, 4)
	codes := g.fill(tensor.Int8, []int{k, n}, values{lo: -100, hi: 100})
	y := g.put(wire{d: tensor.Float32, shape: []int{k, n}, most: 25, step: 0.25}, 0, nil, "DequantizeLinear", []string{g.hold(codes, true), g.scalarOf(tensor.Float32, 0.25)})
	if y == nil {
		return
	}
	w := sums(x, y, k)
	w.shape = join(x.shape[:x.rank()-1], []int{n})
	if p := g.put(w, float64(k), nil, "MatMul", namesOf(x, y)); p != nil && p.same {
		g.dequantized(p, one(g.maker, tensor.Uint8, tensor.Int8), one(g.maker, 1.0, 4, 16))
	}
}

func constantNode(g *grower) {
	x := g.constant(g.numbers(), g.extents(g.between(0, 3), 1, 4), 4, true)
	g.wires = append(g.wires, x)
}

// unchanged does nothing, in one of the ways that there are.
func unchanged(g *grower) {
	x := g.number(0, 4, isFloat)
	if x == nil {
		return
	}
	g.move(x.shape, []*wire{x}, one(g.maker, "Identity", "Dropout"), namesOf(x))
}

// sequences takes values through a sequence.
func sequences(g *grower) {
	x := g.number(1, 3)
	in := []*wire{x}
	for range g.between(0, 2) {
		if y := g.pick(func(w *wire) bool { return w.d == x.d && slices.Equal(w.shape, x.shape) }); y != nil {
			in = append(in, y)
		}
	}
	list := g.node("SequenceConstruct", namesOf(in...), 1, nil)[0]
	if g.chance(0.3) {
		list = g.node("SequenceInsert", []string{list, x.name, g.index(0)}, 1, nil)[0]
		in = append([]*wire{x}, in...)
	}
	if g.chance(0.5) {
		i := g.IntN(len(in))
		g.move(x.shape, in[i:i+1], "SequenceAt", []string{list, g.index(i)})
		return
	}
	axis := g.IntN(x.rank())
	g.move(with(x.shape, axis, x.shape[axis]*len(in)), in, "ConcatFromSequence", []string{list}, "axis", axis)
}
