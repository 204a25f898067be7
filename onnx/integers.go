package onnx

import (
	"bytes"
	"math"
	"slices"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/emit"
	"github.com/concord-nn/concord/internal/geometry"
	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// Quantised networks as networks of integers: docs/numerics.md has the definition. It is made where a quantization is translated, by looking
// at what its operand has been made by. Floats that nothing else needs then are pruned with everything else that is not used.

// quantisation says which number a code stands for: (code - zero)·scale. Both are scalars or, if axes or blocks have their own, of the
// rank of the codes.
type quantisation struct {
	scale, zero *graph.Value
	block       []int // the extents of blocks, as our operators have them
}

// single reports whether there is one scale and one zero point for all elements.
func (q quantisation) single() bool {
	return len(q.scale.Type.Shape) == 0 && len(q.zero.Type.Shape) == 0
}

// ordered reports whether codes are known to be in the order of what they stand for, as they are with scales above 0.
func (c *lowering) ordered(q quantisation) bool {
	scale := c.constant(q.scale)
	if scale == nil {
		return false
	}
	wide, err := tensor.Cast(scale, tensor.Float32)
	return err == nil && !slices.ContainsFunc(tensor.Data[float32](wide), func(x float32) bool { return !(x > 0) })
}

// along reports whether scales and zero points differ along the given dimensions at most.
func (q quantisation) along(axes ...int) bool {
	for _, v := range []*graph.Value{q.scale, q.zero} {
		for d, n := range v.Type.Shape {
			if n != 1 && !slices.Contains(axes, d) {
				return false
			}
		}
	}
	return len(q.block) == 0
}

// coded is a tensor of codes.
type coded struct {
	codes *graph.Value
	quantisation
}

// dequantize returns what codes stand for.
func (c *lowering) dequantize(x coded) *graph.Value {
	return c.Node("dequantize_linear", emit.Attr("block", x.block), x.codes, x.scale, x.zero)
}

// quantize returns the codes of numbers. If they are made of codes in a way that integers can go, the codes are computed of those.
func (c *lowering) quantize(x *graph.Value, to quantisation, attrs ...any) *graph.Value {
	if d := to.zero.Type.DType; d.IsInteger() && d.Size() <= 2 && !d.IsPacked() {
		l := &coder{lowering: c, to: to, made: make(map[*graph.Node][]*graph.Value), left: limits.ONNXQuantised}
		label := c.Label
		y := l.value(x)
		if c.Label = label; y != nil {
			return y
		}
	}
	return c.Node("quantize_linear", emit.Attr(append(attrs, "block", to.block)...), x, to.scale, to.zero)
}

// coder makes the codes of one quantization.
type coder struct {
	*lowering
	to   quantisation
	made map[*graph.Node][]*graph.Value // the codes of the results of nodes, nil for nodes that stay what they are
	left int                            // nodes that may still be looked at
	room int64                          // where nothing is quantized: the magnitude of what may be added to sums
}

// value returns the codes of a value if it is computed with integers, and else nil.
func (l *coder) value(v *graph.Value) *graph.Value {
	n := v.Producer
	if n == nil {
		return nil
	}
	out, done := l.made[n]
	if !done && l.look() {
		out = l.node(n)
		l.made[n] = out
	}
	if out == nil {
		return nil
	}
	return out[slices.Index(n.Out, v)]
}

// look reports whether one more node may be looked at, which counts as a step of the walker.
func (l *coder) look() bool {
	if l.left--; l.left < 0 {
		return false
	}
	l.charge(1)
	return true
}

// codes returns the codes of a value, computed with integers or not.
func (l *coder) codes(v *graph.Value) *graph.Value {
	if y := l.value(v); y != nil {
		return y
	}
	return l.Node("quantize_linear", nil, v, l.to.scale, l.to.zero)
}

func (l *coder) node(n *graph.Node) []*graph.Value {
	if n.Op == "dequantize_linear" {
		if x := codedBy(n); x.codes.Type.DType == l.to.zero.Type.DType && l.equal(x.quantisation, l.to) {
			return one(x.codes)
		}
		return nil
	}
	if !l.to.single() {
		return nil
	}
	if of := l.w.exact[n]; of != nil {
		n = of
	}
	if s := op.TakenBy(n); s.To > 0 {
		return l.move(n, s)
	}
	if f := integerForms[n.Op]; f != nil {
		if y := f(l, n); y != nil {
			return one(y)
		}
	}
	return nil
}

// codedBy returns the operands of a node dequantize_linear.
func codedBy(n *graph.Node) coded {
	return coded{n.In[0], quantisation{n.In[1], n.In[2], n.Attrs.Ints("block")}}
}

// equal reports whether two quantizations are known to be the same.
func (c *lowering) equal(a, b quantisation) bool {
	return slices.Equal(a.block, b.block) && c.same(a.scale, b.scale) && c.same(a.zero, b.zero)
}

// same reports whether two values are known to have the same elements.
func (c *lowering) same(a, b *graph.Value) bool {
	if a == b {
		return true
	}
	if !a.Type.Equal(b.Type) {
		return false
	}
	s, t := c.constant(a), c.constant(b)
	return s != nil && t != nil && bytes.Equal(s.Bytes(), t.Bytes())
}

// move selects elements of codes in place of numbers, if those of some operand are computed with integers.
func (l *coder) move(n *graph.Node, s op.Taken) []*graph.Value {
	if s.Ordered && !l.ordered(l.to) {
		return nil
	}
	in, some := slices.Clone(n.In), false
	for _, v := range n.In[s.From:s.To] {
		some = v != nil && l.value(v) != nil || some
	}
	if !some {
		return nil
	}
	l.Label = n.Label
	for i := s.From; i < s.To; i++ {
		if v := n.In[i]; v != nil {
			in[i] = l.codes(v)
		}
	}
	return l.Nodes(n.Op, n.Attrs, in...)
}

// integerForms are the operators that integers compute. Each function returns the codes of the only result, nil if that must stay a float.
var integerForms map[string]func(l *coder, n *graph.Node) *graph.Value

func init() { // they look at each other
	integerForms = map[string]func(l *coder, n *graph.Node) *graph.Value{
		"add":         (*coder).add,
		"box":         (*coder).box,
		"conv":        (*coder).convolution,
		"deconv":      (*coder).convolution,
		"gemm":        (*coder).product,
		"matmul":      (*coder).product,
		"mean_reduce": (*coder).mean,
		"pad":         (*coder).pad,
		"relu":        (*coder).relu,
	}
}

// add adds codes of 8 bits in steps of the result, its zero point included.
func (l *coder) add(n *graph.Node) *graph.Value {
	a, b := l.factors(n)
	if a == nil || !a.single() || !b.single() || sums(*a, *b) != tensor.Int32 || l.to.zero.Type.DType.Size() > 1 {
		return nil
	}
	steps := func(x *coded) (ratio, codes *graph.Value) {
		ratio = l.Node("div", nil, l.Cast(x.scale, tensor.Float32), l.Cast(l.to.scale, tensor.Float32))
		return ratio, l.dequantize(coded{x.codes, quantisation{scale: ratio, zero: l.Number(0, x.codes.Type.DType)}})
	}
	offset := func(x *coded, ratio *graph.Value) *graph.Value {
		return l.Node("mul", nil, ratio, l.Cast(x.zero, tensor.Float32))
	}
	ra, x := steps(a)
	rb, y := steps(b)
	fixed := l.Node("sub", nil, l.Cast(l.to.zero, tensor.Float32), l.Node("add", nil, offset(a, ra), offset(b, rb)))
	sum := l.Node("add", nil, l.Node("add", nil, x, fixed), y)
	return l.Node("quantize_linear", nil, sum, l.Number(1, tensor.Float32), l.Number(0, l.to.zero.Type.DType))
}

// relu bounds codes by that of 0.
func (l *coder) relu(n *graph.Node) *graph.Value {
	y := l.value(n.In[0])
	if y == nil || !l.ordered(l.to) {
		return nil
	}
	if zero := l.constant(l.to.zero); zero != nil && l.to.zero.Type.DType.IsUnsigned() && isZero(zero) {
		return y // nothing is below
	}
	l.Label = n.Label
	return l.Node("max", nil, y, l.to.zero)
}

func isZero(t *tensor.Tensor) bool { return bytes.Count(t.Bytes(), []byte{0}) == len(t.Bytes()) }

// pad adds codes of what was added.
func (l *coder) pad(n *graph.Node) *graph.Value {
	y := l.value(n.In[0])
	if y == nil {
		return nil
	}
	l.Label = n.Label
	var fill *graph.Value
	if n.Attrs.String("border") == "constant" {
		if fill = l.Number(n.Attrs.Float("value"), n.In[0].Type.DType); len(n.In) > 1 && n.In[1] != nil {
			fill = n.In[1]
		}
		fill = l.codes(fill)
	}
	return l.Node("pad", n.Attrs.With("value", 0.0), y, fill)
}

// coded returns the codes that a value stands for, with what moves elements done with them; nil if there are none. Codes of less than 8 bits
// are widened.
func (l *coder) coded(v *graph.Value) *coded {
	n := v.Producer
	if n == nil || !l.look() {
		return nil
	}
	if n.Op == "dequantize_linear" {
		return l.widened(codedBy(n))
	}
	s := op.TakenBy(n)
	if s.From != 0 || s.To != 1 {
		return nil
	}
	x := l.coded(n.In[0])
	switch {
	case x == nil || s.Ordered && !l.ordered(x.quantisation):
		return nil
	case !x.single() && (len(x.block) > 0 || n.Op != "transpose" && n.Op != "unsqueeze" && n.Op != "squeeze"):
		return nil
	}
	result := slices.Index(n.Out, v)
	move := func(of *graph.Value) *graph.Value {
		in := slices.Clone(n.In)
		in[0] = of
		return l.Nodes(n.Op, n.Attrs, in...)[result]
	}
	if x.codes = move(x.codes); len(x.scale.Type.Shape) > 0 {
		x.scale = move(x.scale)
	}
	if len(x.zero.Type.Shape) > 0 {
		x.zero = move(x.zero)
	}
	return x
}

func (l *coder) widened(x coded) *coded {
	d := x.codes.Type.DType
	switch {
	case !d.IsInteger():
		return nil
	case d.IsPacked() && d.IsSigned():
		d = tensor.Int8
	case d.IsPacked():
		d = tensor.Uint8
	}
	x.codes, x.zero = l.Cast(x.codes, d), l.Cast(x.zero, d)
	return &x
}

// factor returns codes of 8 or 16 bits, which sums are made of.
func (l *coder) factor(v *graph.Value) *coded {
	if x := l.coded(v); x != nil && x.codes.Type.DType.Size() <= 2 {
		return x
	}
	return nil
}

// factors returns the codes of the first two operands of a node, nil if there are none of both.
func (l *coder) factors(n *graph.Node) (a, b *coded) {
	if a = l.factor(n.In[0]); a == nil {
		return nil, nil
	}
	if b = l.factor(n.In[1]); b == nil {
		return nil, nil
	}
	l.Label = n.Label
	return a, b
}

// sums returns the type of sums of products, or of elements: see docs/numerics.md.
func sums(factors ...coded) tensor.DType {
	for _, f := range factors {
		if f.codes.Type.DType.Size() > 1 {
			return tensor.Int64
		}
	}
	return tensor.Int32
}

// unit returns the product of two scales, which is what a sum of products of codes is counted in.
func (c *lowering) unit(a, b *graph.Value) *graph.Value {
	return c.Node("mul", nil, c.Cast(a, tensor.Float32), c.Cast(b, tensor.Float32))
}

// floats returns what sums are that are counted in a unit, which broadcasts to them.
func (c *lowering) floats(sums, unit *graph.Value) *graph.Value {
	y := c.Node("mul", nil, c.Cast(sums, tensor.Float32), unit)
	if !y.Type.Shape.Equal(sums.Type.Shape) {
		c.failf("scale", "those of the factors are for the sums of %v; the product is %v", y.Type.Shape, sums.Type.Shape)
	}
	return y
}

// requantize returns the codes of sums that are counted in a unit.
func (c *lowering) requantize(sums, unit *graph.Value, to quantisation) *graph.Value {
	return c.Node("requantize", nil, sums, c.Node("div", nil, unit, c.Cast(to.scale, tensor.Float32)), to.zero)
}

// counted returns how many units an addend is, as one of sums of type d; nil if that would be too coarse, or more than 32 bits count. Where nothing is
// quantized, it must be a number of units.
func (l *coder) counted(v, unit *graph.Value, d tensor.DType) *graph.Value {
	if x := l.coded(v); x != nil && x.codes.Type.DType == tensor.Int32 {
		if zero := l.constant(x.zero); zero != nil && isZero(zero) && l.same(l.Cast(x.scale, tensor.Float32), unit) {
			return l.Cast(x.codes, d)
		}
	}
	if l.to.scale == nil {
		return nil
	}
	v = l.Cast(v, tensor.Float32)
	fine := l.Node("le", nil, unit, l.Cast(l.to.scale, tensor.Float32))
	small := l.Each("lt", l.Node("abs", nil, v), l.Node("mul", nil, unit, l.Number(1<<31, tensor.Float32)))
	if t := l.constant(l.Each("and", fine, small)); t == nil || bytes.IndexByte(t.Bytes(), 0) >= 0 {
		return nil
	}
	return l.Cast(l.Node("quantize_linear", nil, v, unit, l.Number(0, tensor.Int32)), d)
}

// channels makes scales or zero points of a filter's output channels a list, and leaves a scalar.
func (c *lowering) channels(v *graph.Value) *graph.Value {
	if len(v.Type.Shape) == 0 {
		return v
	}
	return c.Reshape(v, v.Type.Shape.Len())
}

// convolution is conv or deconv.
func (l *coder) convolution(n *graph.Node) *graph.Value {
	channel := 0 // the dimension of output channels in the filter
	if geometry.SlidesUp(n.Attrs) {
		channel = 1
	}
	x, w := l.factors(n)
	if x == nil || !x.single() || !w.along(channel) || channel == 1 && !w.single() && n.Attrs.Int("groups") != 1 {
		return nil
	}
	var bias *graph.Value
	if len(n.In) > 2 && n.In[2] != nil {
		unit := l.unit(x.scale, l.channels(w.scale))
		bias = n.In[2]
		if len(unit.Type.Shape) > 0 {
			bias = l.Broadcast(l.Reshape(bias, bias.Type.Shape.Len()), unit.Type.Shape...)
		}
		if bias = l.counted(bias, unit, sums(*x, *w)); bias == nil {
			return nil
		}
	}
	return l.convolve(n.Op, n.Attrs, *x, *w, bias, l.to)
}

// convolve adds a convolution of codes and its requantization. The bias, which may be nil, is counted in the product of the scales.
func (c *lowering) convolve(operator string, attrs graph.Attrs, x, w coded, bias *graph.Value, to quantisation) *graph.Value {
	d := sums(x, w)
	y := c.Node(operator, attrs.With("dtype", d), x.codes, w.codes, c.Cast(bias, d), x.zero, c.channels(w.zero))
	unit := c.unit(x.scale, c.channels(w.scale))
	if len(unit.Type.Shape) > 0 {
		unit = c.Unsqueeze(unit, append([]int{0}, emit.Counting(2, len(y.Type.Shape)-2)...)...)
	}
	return c.requantize(y, unit, to)
}

func (l *coder) product(n *graph.Node) *graph.Value {
	y, unit := l.sums(n)
	if y == nil {
		return nil
	}
	return l.requantize(y, unit, l.to)
}

// exactProduct returns what a product of matrices of floats is if these stand for codes of 8 bits, by integers; else the product itself, as where its sums
// may not fit, or only the run knows what they are counted in. Where the product is quantized, it is its sums that are.
func (c *lowering) exactProduct(y *graph.Value) *graph.Value {
	const product = (1<<8 - 1) * (1<<8 - 1) // the greatest magnitude of one
	n := y.Producer
	terms := len(n.In[0].Type.Shape) - 1 // the dimension over which products are added
	if n.Attrs.Bool("transposeA") {
		terms--
	}
	l := &coder{lowering: c, left: limits.ONNXQuantised, room: math.MaxInt32 - product*int64(n.In[0].Type.Shape[terms])}
	if y.Type.DType != tensor.Float32 || l.room < 0 {
		return y
	}
	label := c.Label
	sums, unit := l.sums(n)
	if c.Label = label; sums == nil || sums.Type.DType != tensor.Int32 || c.constant(unit) == nil {
		return y
	}
	z := c.floats(sums, unit)
	if c.w.exact == nil {
		c.w.exact = make(map[*graph.Node]*graph.Node)
	}
	c.w.exact[z.Producer] = n
	return z
}

// sums returns the sums of a product of matrices, with what is added to it, and what they are counted in; nil if they are not to be had.
func (l *coder) sums(n *graph.Node) (y, unit *graph.Value) {
	var addend *graph.Value
	if n.Op == "gemm" {
		if len(n.In) > 2 {
			addend = n.In[2]
		}
		if n.Attrs.Float("alpha") != 1 || addend != nil && n.Attrs.Float("beta") != 1 {
			return nil, nil
		}
	}
	if y, unit = l.matmul(n); y == nil || addend == nil {
		return y, unit
	}
	if s := unit.Type.Shape; len(s) > 0 {
		addend = l.Broadcast(addend, s...)
	}
	if addend = l.counted(addend, unit, y.Type.DType); addend == nil || l.to.scale == nil && !l.fits(addend) {
		return nil, nil
	}
	return l.Each("add", y, addend), unit
}

// fits reports whether all of some integers are known to have room.
func (l *coder) fits(v *graph.Value) bool {
	t := l.constant(v)
	if t == nil {
		return false
	}
	list := make([]int64, t.Len())
	geometry.Load(list, t, 0, 1)
	return !slices.ContainsFunc(list, func(x int64) bool { return max(x, -x) > l.room })
}

// matmul returns the sums of a product of matrices, without what is added to it.
func (l *coder) matmul(n *graph.Node) (y, unit *graph.Value) {
	a, b := l.factors(n)
	if a == nil {
		return nil, nil
	}
	rows, columns := n.Attrs.Bool("transposeA"), n.Attrs.Bool("transposeB")
	rank := len(a.codes.Type.Shape)
	shared := func(transposed bool, d int) []int { // all dimensions but that over which products are added
		if transposed {
			d = 2*rank - 3 - d
		}
		return slices.DeleteFunc(emit.Counting(0, rank), func(i int) bool { return i == d })
	}
	if !a.along(shared(rows, rank-1)...) || !b.along(shared(columns, rank-2)...) {
		return nil, nil
	}
	y = l.Node("matmul", emit.Attr("transposeA", rows, "transposeB", columns, "dtype", sums(*a, *b)), a.codes, b.codes,
		l.upright(a.zero, rows), l.upright(b.zero, columns))
	return y, l.unit(l.upright(a.scale, rows), l.upright(b.scale, columns))
}

// upright transposes what matrices have for their rows or columns, if they are transposed.
func (c *lowering) upright(v *graph.Value, transposed bool) *graph.Value {
	rank := len(v.Type.Shape)
	if !transposed || rank == 0 {
		return v
	}
	return c.Transpose(v, append(emit.Counting(0, rank-2), rank-1, rank-2)...)
}

// mean is a reduction to averages.
func (l *coder) mean(n *graph.Node) *graph.Value {
	x := l.factor(n.In[0])
	if x == nil || !x.single() {
		return nil
	}
	l.Label = n.Label
	of := 1.0
	for _, a := range n.Attrs.Ints("axes") {
		of *= float64(n.In[0].Type.Shape[a])
	}
	y := l.Node("sum_reduce", emit.Attr("axes", n.Attrs.Ints("axes")), l.centred(x, of))
	return l.average(y, x, l.Number(of, tensor.Float32))
}

// box is a pooling of averages.
func (l *coder) box(n *graph.Node) *graph.Value {
	x := l.factor(n.In[0])
	if x == nil || !x.single() {
		return nil
	}
	l.Label = n.Label
	of, w := 1.0, geometry.WindowOf(n.Attrs, n.Attrs.Ints("size"))
	for _, k := range w.Size {
		of *= float64(k)
	}
	attrs := n.Attrs.With("normalize", false)
	y := l.Node("box", attrs, l.centred(x, of))
	if !n.Attrs.Bool("normalize") {
		return l.average(y, x, l.Number(1, tensor.Float32))
	}
	count := l.Number(of, tensor.Float32)
	if n.Attrs.String("border") == "ignore" && slices.ContainsFunc(n.Attrs.Ints("padding"), func(p int) bool { return p > 0 }) {
		// Windows that reach beyond the input have fewer elements. Those of no element have sum 0.
		one, shape := l.Number(1, tensor.Float32), n.In[0].Type.Shape.Clone()
		for d := range shape {
			if w.Idle(d) {
				shape[d] = 1
			}
		}
		count = l.Node("max", nil, l.Node("box", attrs, l.Broadcast(one, shape...)), one)
	}
	return l.average(y, x, count)
}

// centred returns codes less their zero point, in a type that holds the sum of so many.
func (l *coder) centred(x *coded, many float64) *graph.Value {
	d := sums(*x)
	if many > 1<<22 {
		d = tensor.Int64
	}
	return l.Node("sub", nil, l.Cast(x.codes, d), l.Cast(x.zero, d))
}

// average returns the codes of sums of codes divided by their number.
func (l *coder) average(sums *graph.Value, x *coded, count *graph.Value) *graph.Value {
	scale := l.Node("mul", nil, l.Cast(l.to.scale, tensor.Float32), count)
	return l.Node("requantize", nil, sums, l.Node("div", nil, l.Cast(x.scale, tensor.Float32), scale), l.to.zero)
}
