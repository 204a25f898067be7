package random

import (
	"math"
	"math/rand/v2"
	"slices"
	"sort"

	"github.com/concord-nn/concord/onnx/proto"
	"github.com/concord-nn/concord/tensor"
)

// Quantised networks as exporters write them: floats between dequantizations and a quantization.

// coded is a tensor of codes.
type coded struct {
	name  string
	d     tensor.DType
	shape []int
	scale float64
	zero  int64
	off   int // by how much codes of two right evaluations may differ
}

// reach is how great a number is that a code stands for, about.
func (c *coded) reach() float64 { return c.scale * float64(int64(1)<<(c.d.Bits()-1)) }

// between is what stands between dequantizations and a quantization.
type between struct {
	name  string
	shape []int
	reach float64 // of its elements
	gain  float64 // by how much elements may differ as codes of operands do
}

// quantiser makes a quantised network.
type quantiser struct {
	*maker
	have []*coded
}

// codeds are operators that are quantised. Each takes codes, the first one those that were made last, and returns nil if it is not for them.
var codeds = map[string]func(q *quantiser, x *coded) *between{
	"Conv": convCoded, "ConvTranspose": deconvCoded, "MatMul": matmulCoded, "Gemm": gemmCoded, "Add": addCoded, "Sub": addCoded, "Mul": mulCoded,
	"Concat": concatCoded, "AveragePool": poolCoded, "GlobalAveragePool": globalCoded, "ReduceMean": meanCoded, "Function": functionCoded, "Move": moveCoded,
}

// Quantised returns a network of n quantised operators in a row, 1 or more. Quanta says by how much codes of right evaluations may differ: 1
// behind one operator.
func Quantised(seed uint64, n int) *Model {
	random := rand.New(rand.NewPCG(seed, uint64(n)))
	q := &quantiser{maker: newMaker(random)}
	q.opset = 13 + q.IntN(MostOpset-12)
	var ops []string
	for op := range codeds {
		ops = append(ops, op)
	}
	sort.Strings(ops)
	x := q.codes(one(q.maker, q.codeTypes()...), q.extents(one(q.maker, 2, 3, 4, 4, 4), 1, 6))
	done := ""
	for range n {
		op := one(q.maker, ops...)
		y := codeds[op](q, x)
		for y == nil {
			op = one(q.maker, ops...)
			y = codeds[op](q, x)
		}
		done += " " + op
		x = q.quantized(y)
	}
	name := x.name
	switch x.d {
	case tensor.Int4:
		name = q.cast(name, tensor.Int8)
	case tensor.Uint4:
		name = q.cast(name, tensor.Uint8)
	}
	q.output(name)
	return &Model{Op: "quantised" + done, Seed: seed, Opset: q.opset, Proto: q.model(), Inputs: q.inputs, Loose: 1, Quanta: x.off}
}

// most4 is how many codes of 4 bits ONNX Runtime 1.30 casts right: of more it misplaces some.
const most4 = 256

func (q *quantiser) codeTypes() []tensor.DType {
	list := []tensor.DType{tensor.Uint8, tensor.Uint8, tensor.Int8}
	if q.opset >= 21 {
		list = append(list, tensor.Uint16, tensor.Int16, tensor.Int4, tensor.Uint4)
	}
	return list
}

// codes adds codes that the network is fed with.
func (q *quantiser) codes(d tensor.DType, shape []int) *coded {
	if product(shape) > most4 && d.IsPacked() {
		d = tensor.Uint8
	}
	least, most := d.IntRange()
	c := &coded{d: d, shape: shape, scale: float64(float32(0.002 + q.Float64())), zero: q.zeroPoint(d)}
	c.scale = float64(float32(c.scale * 8 / float64(int64(1)<<(d.Bits()-1))))
	c.name = q.place(q.fill(d, shape, values{lo: float64(least), hi: float64(most)}), false)
	q.have = append(q.have, c)
	return c
}

func (q *quantiser) zeroPoint(d tensor.DType) int64 {
	least, most := d.IntRange()
	middle := (least + int64(most) + 1) / 2
	switch q.IntN(4) {
	case 0:
		return middle
	case 1:
		return min(max(0, least), int64(most))
	default:
		return middle + int64(q.between(-int(most/8), int(most/8)))
	}
}

// add adds a node and returns the name of its result.
func (q *quantiser) add(op string, in []string, a ...any) string {
	n := &proto.Node{OpType: op, Input: in, Output: []string{q.name()}}
	for i := 0; i+1 < len(a); i += 2 {
		n.Attribute = append(n.Attribute, attribute(a[i].(string), a[i+1]))
	}
	q.graph.Node = append(q.graph.Node, n)
	return n.Output[0]
}

func (q *quantiser) stored(x *tensor.Tensor) string { return q.place(x, true) }

// float dequantizes codes.
func (q *quantiser) float(c *coded) string {
	return q.add("DequantizeLinear", []string{c.name, q.stored(scalar(tensor.Float32, c.scale)), q.stored(scalar(c.d, float64(c.zero)))})
}

// quantized quantizes numbers.
func (q *quantiser) quantized(b *between) *coded {
	d := one(q.maker, q.codeTypes()...)
	for product(b.shape) > most4 && d.IsPacked() {
		d = one(q.maker, q.codeTypes()...)
	}
	c := &coded{d: d, shape: b.shape, zero: q.zeroPoint(d)}
	c.scale = float64(float32(b.reach * (0.2 + q.Float64()) / float64(int64(1)<<(d.Bits()-1))))
	c.name = q.add("QuantizeLinear", []string{b.name, q.stored(scalar(tensor.Float32, c.scale)), q.stored(scalar(d, float64(c.zero)))})
	c.off = 1 + int(b.gain/c.scale+0.05)
	q.have = append(q.have, c)
	return c
}

// filter is a constant of codes.
type filter struct {
	name   string
	scales []float64 // one, or one for each output
	reach  float64
	sum    float64 // the greatest sum of magnitudes of what makes an output
}

// filter adds codes of weights. Dimension axis is that of the outputs, which may have scales of their own.
func (q *quantiser) filter(shape []int, axis int) *filter {
	types := []tensor.DType{tensor.Int8, tensor.Int8, tensor.Uint8}
	if q.opset >= 21 {
		types = append(types, tensor.Int4, tensor.Uint4, tensor.Int16)
	}
	d := one(q.maker, types...)
	least, most := d.IntRange()
	codes := q.fill(d, shape, values{lo: float64(least), hi: float64(most)})
	n, per := 1, []int{}
	if q.chance(0.5) {
		n, per = shape[axis], []int{shape[axis]}
	}
	f := &filter{}
	scales, zeros := make([]float64, n), make([]float64, n)
	for i := range scales {
		scales[i] = float64(float32((0.1 + q.Float64()) / float64(int64(1)<<(d.Bits()-1))))
		if zeros[i] = 0; d.IsUnsigned() {
			zeros[i] = float64(q.zeroPoint(d))
		} else if q.chance(0.2) {
			zeros[i] = float64(q.between(-3, 3))
		}
		f.reach = max(f.reach, scales[i]*float64(most))
	}
	f.scales = scales
	in := []string{q.stored(codes), q.stored(reshape(cast(slice(scales), tensor.Float32), per)), q.stored(reshape(cast(slice(zeros), d), per))}
	var a []any
	if len(per) > 0 {
		a = []any{"axis", axis}
	}
	f.name = q.add("DequantizeLinear", in, a...)
	f.sum = magnitudes(codes, shape, axis, scales, zeros)
	return f
}

// magnitudes returns the greatest sum of magnitudes along all dimensions but one.
func magnitudes(codes *tensor.Tensor, shape []int, axis int, scales, zeros []float64) float64 {
	sums := make([]float64, shape[axis])
	inner := product(shape[axis+1:])
	for i, x := range tensor.Data[float64](cast(codes, tensor.Float64)) {
		k := i / inner % shape[axis]
		j := min(k, len(scales)-1)
		sums[k] += math.Abs(x-zeros[j]) * scales[j]
	}
	return slices.Max(sums)
}

// bias adds one to operands, or does not: of 32 bits with the product of the scales, or of floats.
func (q *quantiser) bias(in []string, x *coded, f *filter, n int) []string {
	switch q.IntN(3) {
	case 0:
		return in
	case 1:
		return append(in, q.stored(q.fill(tensor.Float32, []int{n}, values{lo: -x.reach(), hi: x.reach()})))
	}
	codes := q.fill(tensor.Int32, []int{n}, values{lo: -1000, hi: 1000})
	scales := make([]float64, n)
	for i := range scales {
		scales[i] = float64(float32(x.scale) * float32(f.scales[min(i, len(f.scales)-1)]))
	}
	zeros := q.stored(cast(slice(make([]float64, n)), tensor.Int32))
	return append(in, q.add("DequantizeLinear", []string{q.stored(codes), q.stored(cast(slice(scales), tensor.Float32)), zeros}, "axis", 0))
}

// weighted is a sum of k products of codes and weights.
func weighted(name string, shape []int, x *coded, f *filter, k int) *between {
	return &between{name, shape, x.reach() * f.reach * math.Sqrt(float64(k)), f.sum * x.scale * float64(x.off)}
}

func convCoded(q *quantiser, x *coded) *between {
	if len(x.shape) < 3 {
		return nil
	}
	spatial := x.shape[2:]
	kernel, pads := make([]int, len(spatial)), make([]int, 2*len(spatial))
	group := 1
	if q.chance(0.3) {
		group = x.shape[1]
	}
	shape := []int{x.shape[0], group * q.between(1, 3)}
	for i, n := range spatial {
		kernel[i] = q.between(1, min(3, n))
		pads[i] = q.IntN(kernel[i])
		shape = append(shape, n+pads[i]-kernel[i]+1)
	}
	f := q.filter(join([]int{shape[1], x.shape[1] / group}, kernel), 0)
	y := q.add("Conv", q.bias([]string{q.float(x), f.name}, x, f, shape[1]), "pads", pads, "group", group)
	return q.then(weighted(y, shape, x, f, product(kernel)*x.shape[1]/group))
}

func deconvCoded(q *quantiser, x *coded) *between {
	if len(x.shape) != 4 {
		return nil
	}
	kernel := q.extents(2, 1, 3)
	shape := []int{x.shape[0], q.between(1, 3), x.shape[2] + kernel[0] - 1, x.shape[3] + kernel[1] - 1}
	f := q.filter(join([]int{x.shape[1], shape[1]}, kernel), 1)
	y := q.add("ConvTranspose", q.bias([]string{q.float(x), f.name}, x, f, shape[1]))
	return weighted(y, shape, x, f, product(kernel)*x.shape[1])
}

// then may apply what bounds elements.
func (q *quantiser) then(b *between) *between {
	switch q.IntN(4) {
	case 0:
		b.name = q.add("Relu", []string{b.name})
	case 1:
		lo, hi := -b.reach*q.Float64()/2, b.reach*q.Float64()
		b.name = q.add("Clip", []string{b.name, q.stored(scalar(tensor.Float32, lo)), q.stored(scalar(tensor.Float32, hi))})
	}
	return b
}

func matmulCoded(q *quantiser, x *coded) *between {
	rank := len(x.shape)
	k, n := x.shape[rank-1], q.between(1, 5)
	f := q.filter([]int{k, n}, 1)
	y := q.add("MatMul", []string{q.float(x), f.name})
	return q.then(weighted(y, join(x.shape[:rank-1], []int{n}), x, f, k))
}

func gemmCoded(q *quantiser, x *coded) *between {
	if len(x.shape) != 2 {
		return nil
	}
	k, n, turned := x.shape[1], q.between(1, 5), q.IntN(2)
	s := []int{k, n}
	if turned == 1 {
		s = []int{n, k}
	}
	f := q.filter(s, 1-turned)
	in := q.bias([]string{q.float(x), f.name}, x, f, n)
	if len(in) == 2 && q.chance(0.3) {
		in = append(in, q.stored(q.fill(tensor.Float32, q.broadcast([]int{x.shape[0], n}), values{lo: -x.reach(), hi: x.reach()})))
	}
	y := q.add("Gemm", in, "transB", turned)
	return q.then(weighted(y, []int{x.shape[0], n}, x, f, k))
}

// other returns further codes of a shape.
func (q *quantiser) other(shape []int) *coded {
	for _, c := range q.have {
		if slices.Equal(c.shape, shape) && q.chance(0.3) {
			return c
		}
	}
	return q.codes(one(q.maker, q.codeTypes()...), shape)
}

func addCoded(q *quantiser, x *coded) *between {
	y := q.other(q.broadcast(x.shape))
	name := q.add(one(q.maker, "Add", "Add", "Sub"), []string{q.float(x), q.float(y)})
	return q.then(&between{name, x.shape, x.reach() + y.reach(), x.scale*float64(x.off) + y.scale*float64(y.off)})
}

func mulCoded(q *quantiser, x *coded) *between {
	y := q.other(q.broadcast(x.shape))
	name := q.add("Mul", []string{q.float(x), q.float(y)})
	dx, dy := x.scale*float64(x.off), y.scale*float64(y.off)
	return &between{name, x.shape, x.reach() * y.reach(), 2 * (dx*y.reach() + dy*x.reach() + dx*dy)} // codes reach twice as far from a zero point at an end
}

func concatCoded(q *quantiser, x *coded) *between {
	axis := q.IntN(len(x.shape))
	y := q.other(with(x.shape, axis, q.between(1, 3)))
	name := q.add("Concat", []string{q.float(x), q.float(y)}, "axis", axis)
	return &between{name, with(x.shape, axis, x.shape[axis]+y.shape[axis]), max(x.reach(), y.reach()), max(x.scale*float64(x.off), y.scale*float64(y.off))}
}

func poolCoded(q *quantiser, x *coded) *between {
	if len(x.shape) < 3 {
		return nil
	}
	n := len(x.shape) - 2
	kernel, pads, shape := make([]int, n), make([]int, 2*n), slices.Clone(x.shape[:2])
	for i, k := range x.shape[2:] {
		kernel[i] = q.between(1, min(3, k))
		pads[i], pads[n+i] = q.IntN(kernel[i]), q.IntN(kernel[i])
		shape = append(shape, k+pads[i]+pads[n+i]-kernel[i]+1)
	}
	op, a := "MaxPool", []any{"kernel_shape", kernel, "pads", pads}
	if q.chance(0.8) {
		op, a = "AveragePool", append(a, "count_include_pad", q.IntN(2))
	}
	return &between{q.add(op, []string{q.float(x)}, a...), shape, x.reach(), x.scale * float64(x.off)}
}

func globalCoded(q *quantiser, x *coded) *between {
	if len(x.shape) < 3 {
		return nil
	}
	shape := slices.Clone(x.shape[:2])
	for range x.shape[2:] {
		shape = append(shape, 1)
	}
	return &between{q.add("GlobalAveragePool", []string{q.float(x)}), shape, x.reach(), x.scale * float64(x.off)}
}

func meanCoded(q *quantiser, x *coded) *between {
	if q.opset >= 18 {
		return nil
	}
	axis := q.IntN(len(x.shape))
	return &between{q.add("ReduceMean", []string{q.float(x)}, "axes", []int{axis}), with(x.shape, axis, 1), x.reach(), x.scale * float64(x.off)}
}

func functionCoded(q *quantiser, x *coded) *between {
	op := one(q.maker, "Sigmoid", "Tanh", "LeakyRelu", "HardSigmoid", "Softmax", "Elu", "Erf")
	b := &between{q.add(op, []string{q.float(x)}), x.shape, 1, x.scale * float64(x.off) * 1.2}
	if op == "LeakyRelu" || op == "Elu" {
		b.reach = x.reach()
	}
	return b
}

func moveCoded(q *quantiser, x *coded) *between {
	b := &between{shape: x.shape, reach: x.reach(), gain: x.scale * float64(x.off)}
	switch q.IntN(4) {
	case 0:
		perm := q.Perm(len(x.shape))
		b.shape = nil
		for _, d := range perm {
			b.shape = append(b.shape, x.shape[d])
		}
		b.name = q.add("Transpose", []string{q.float(x)}, "perm", perm)
	case 1:
		b.shape = []int{product(x.shape[:1]), product(x.shape[1:])}
		b.name = q.add("Flatten", []string{q.float(x)})
	case 2:
		b.name = q.add("Relu", []string{q.float(x)})
	case 3:
		pads := make([]int, 2*len(x.shape))
		b.shape = slices.Clone(x.shape)
		pads[0], pads[len(pads)-1] = q.IntN(2), q.IntN(2)
		b.shape[0], b.shape[len(b.shape)-1] = b.shape[0]+pads[0], b.shape[len(b.shape)-1]+pads[len(pads)-1]
		b.name = q.add("Pad", []string{q.float(x), q.stored(vector(tensor.Int64, pads...)), q.stored(scalar(tensor.Float32, x.reach()*q.Float64()))})
	}
	return q.then(b)
}
