package nnef

import (
	"slices"
	"strings"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/nnef/eval"
	"github.com/concord-nn/concord/tensor"
)

// term is an operand of a product of tensors with a letter for each dimension.
type term struct {
	v       *graph.Value
	letters string
}

// tractEinsum lowers products of tensors by letters for their dimensions, "ij,jk->ik".
func tractEinsum(l *tractLowering) []*graph.Value {
	in := l.tensors("inputs")
	if l.Err != nil {
		return nil
	}
	if acc := l.string("acc"); acc != "" {
		d := l.dtype("acc")
		for i := range in {
			if !in[i].Type.DType.IsInteger() || !d.IsInteger() {
				in[i] = l.Cast(in[i], d)
			}
		}
	} else {
		in = l.alike(in)
	}
	return l.product(in, l.string("expr"))
}

// product multiplies tensors as an expression says. The last step yields the result of the invocation.
func (l *tractLowering) product(in []*graph.Value, expr string) []*graph.Value {
	terms, out, ok := l.terms(in, strings.ReplaceAll(expr, " ", ""))
	if !ok && l.Err == nil {
		l.fail(eval.CodeAttribute, "expr", "the expression %q of %s is not supported", expr, l.c.Op.Name)
	}
	if l.Err != nil {
		return nil
	}
	t := terms[0]
	for i, next := range terms[1:] {
		later := out
		for _, x := range terms[i+2:] {
			later += x.letters
		}
		t = l.multiply(t, next, later)
	}
	t = l.without(t, func(c rune) bool { return !strings.ContainsRune(out, c) })
	if t.letters == out && l.Err == nil {
		if p := t.v.Producer; p != nil && p.Op != "cast" {
			return l.result("copy", []*graph.Value{t.v})
		}
	}
	return l.result("transpose", []*graph.Value{t.v}, attr("axes", order(t.letters, out)))
}

// terms reads an expression. It is not one that can be lowered if a letter occurs twice in an operand or in the result,
// or in the result alone.
func (l *tractLowering) terms(in []*graph.Value, expr string) (terms []term, out string, ok bool) {
	left, out, arrow := strings.Cut(expr, "->")
	names := strings.Split(left, ",")
	if !arrow || len(names) != len(in) || strings.Contains(expr, ".") || repeats(out) {
		return nil, "", false
	}
	for i, letters := range names {
		if repeats(letters) {
			return nil, "", false
		}
		if len([]rune(letters)) != rank(in[i]) {
			l.fail(eval.CodeAttribute, "expr", "the expression %q gives operand %d the rank %d; it has %d",
				expr, i, len([]rune(letters)), rank(in[i]))
			return nil, "", false
		}
		terms = append(terms, term{in[i], letters})
	}
	for _, c := range out {
		if !strings.ContainsRune(left, c) {
			return nil, "", false
		}
	}
	return terms, out, true
}

func repeats(letters string) bool {
	for i, c := range letters {
		if strings.ContainsRune(letters[:i], c) {
			return true
		}
	}
	return false
}

// order returns the permutation that turns one order of letters into another.
func order(from, to string) []int {
	source := []rune(from)
	axes := make([]int, 0, len(source))
	for _, c := range to {
		axes = append(axes, slices.Index(source, c))
	}
	return axes
}

// without sums over the dimensions whose letters are not needed.
func (l *tractLowering) without(t term, drop func(c rune) bool) term {
	var axes []int
	var rest strings.Builder
	for i, c := range []rune(t.letters) {
		if drop(c) {
			axes = append(axes, i)
		} else {
			rest.WriteRune(c)
		}
	}
	if len(axes) == 0 {
		return t
	}
	sum := l.step("sum_reduce", []*graph.Value{t.v}, attr("axes", axes))
	return term{l.Squeeze(sum, axes...), rest.String()}
}

// kept returns the letters of a for which f holds.
func kept(a string, f func(c rune) bool) string {
	return strings.Map(func(c rune) rune {
		if f(c) {
			return c
		}
		return -1
	}, a)
}

// multiply returns the product of two tensors, with the letters that are needed later.
func (l *tractLowering) multiply(a, b term, later string) term {
	in := func(s string) func(c rune) bool { return func(c rune) bool { return strings.ContainsRune(s, c) } }
	a = l.without(a, func(c rune) bool { return !in(b.letters)(c) && !in(later)(c) })
	b = l.without(b, func(c rune) bool { return !in(a.letters)(c) && !in(later)(c) })
	shared := kept(a.letters, in(b.letters))
	batch := kept(shared, in(later))
	inner := kept(shared, func(c rune) bool { return !in(later)(c) })
	rows := kept(a.letters, func(c rune) bool { return !in(shared)(c) })
	columns := kept(b.letters, func(c rune) bool { return !in(shared)(c) })
	if inner == "" {
		return l.elementwise(a, b, batch+rows+columns)
	}
	left, transposeA := l.matrix(a, batch, rows, inner)
	right, transposeB := l.matrix(b, batch, columns, inner)
	product := l.step("matmul", []*graph.Value{left, right}, attr("transposeA", transposeA), attr("transposeB", !transposeB),
		attr("dtype", integerSum(a.v, b.v)))
	letters := batch + rows + columns
	if len([]rune(rows)) == 1 && len([]rune(columns)) == 1 || l.Err != nil {
		return term{product, letters}
	}
	n := len([]rune(batch))
	shape := append(l.extents(a, rows), l.extents(b, columns)...)
	return term{l.step("reshape", []*graph.Value{product}, attr("shape", shape), attr("axis_start", n)), letters}
}

// extents returns the extents of dimensions of an operand.
func (l *tractLowering) extents(t term, letters string) []int {
	shape := l.shape(t.v)
	var list []int
	for _, axis := range order(t.letters, letters) {
		if l.Err == nil {
			list = append(list, shape[axis])
		}
	}
	return list
}

// elementwise multiplies tensors that share no dimension to sum over.
func (l *tractLowering) elementwise(a, b term, letters string) term {
	var in [2]*graph.Value
	for i, t := range []term{a, b} {
		own := kept(letters, func(c rune) bool { return strings.ContainsRune(t.letters, c) })
		var missing []int
		for k, c := range []rune(letters) {
			if !strings.ContainsRune(own, c) {
				missing = append(missing, k)
			}
		}
		in[i] = l.Unsqueeze(l.Transpose(t.v, order(t.letters, own)...), missing...)
	}
	if d := integerSum(in[0], in[1]); l.Err == nil && in[0].Type.DType.IsInteger() {
		in[0], in[1] = l.Cast(in[0], d), l.Cast(in[1], d)
	}
	return term{l.step("mul", in[:]), letters}
}

// matrix brings the dimensions of an operand into the order batch, rows, columns, or batch, columns, rows if they are so
// already, and makes one of several rows or columns.
func (l *tractLowering) matrix(t term, batch, rows, columns string) (v *graph.Value, transposed bool) {
	v = t.v
	first, second := rows, columns
	switch t.letters {
	case batch + rows + columns:
	case batch + columns + rows:
		first, second, transposed = columns, rows, true
	default:
		v = l.Transpose(v, order(t.letters, batch+rows+columns)...)
	}
	if len([]rune(first)) == 1 && len([]rune(second)) == 1 || l.Err != nil {
		return v, transposed
	}
	shape := []int{1, 1}
	for i, letters := range []string{first, second} {
		for _, n := range l.extents(t, letters) {
			shape[i] *= n
		}
	}
	return l.step("reshape", []*graph.Value{v}, attr("shape", shape), attr("axis_start", len([]rune(batch)))), transposed
}

// legacyAxes returns the expression of tract's older form of matrix products, which names the dimensions of rows,
// columns and inner products.
func (l *tractLowering) legacyAxes(a *graph.Value) string {
	axes := l.ints("axes")
	n := rank(a)
	if len(axes) != 6 || slices.Min(axes) < 0 || slices.Max(axes) >= n {
		l.fail(eval.CodeAttribute, "axes", "the axes are %v; they must be six dimensions of a tensor of rank %d", axes, n)
		return ""
	}
	letters := func(first, second int, one, two rune) string {
		list := make([]rune, n)
		next := 'A'
		for i := range list {
			switch i {
			case first:
				list[i] = one
			case second:
				list[i] = two
			default:
				list[i] = next
				next++
			}
		}
		return string(list)
	}
	return letters(axes[0], axes[1], 'm', 'k') + "," + letters(axes[2], axes[3], 'k', 'n') + "->" + letters(axes[4], axes[5], 'm', 'n')
}

func tractMatmul(l *tractLowering) []*graph.Value {
	a, b := l.tensor("A"), l.tensor("B")
	return l.product([]*graph.Value{a, b}, l.legacyAxes(a))
}

// shifted returns codes of a quantization as integers relative to their zero point.
func (l *tractLowering) shifted(v *graph.Value, zeroPoint string) *graph.Value {
	return l.op("sub", l.Cast(v, tensor.Int32), l.Cast(l.scalarOf(zeroPoint), tensor.Int32))
}

// scalarOf returns an argument of a quantization, which must be one number.
func (l *tractLowering) scalarOf(arg string) *graph.Value {
	v := l.tensor(arg)
	shape := l.shape(v)
	if l.Err == nil && shape.Len() != 1 {
		l.fail(eval.CodeShape, arg, "a quantization by %d numbers is not supported; only by one", shape.Len())
	}
	return l.Reshape(v)
}

// requantized turns sums of integer products into codes of the result: rounded to even, moved by the zero point, and
// kept within the type.
func (l *tractLowering) requantized(sum *graph.Value, d tensor.DType) []*graph.Value {
	scale := func(name string) *graph.Value { return l.Cast(l.scalarOf(name), tensor.Float32) }
	factor := l.op("div", l.op("mul", scale("a_scale"), scale("b_scale")), scale("c_scale"))
	value := l.op("mul", l.Cast(sum, tensor.Float32), factor)
	if d.IsFloat() {
		return l.result("cast", []*graph.Value{l.op("mul", value, scale("c_scale"))}, attr("dtype", d))
	}
	one := l.constant([]eval.Value{1.0}, tensor.Float32, tensor.Shape{})
	return l.result("quantize_linear", []*graph.Value{value, one, l.Cast(l.scalarOf("c0"), d)})
}

// quantizedProduct multiplies codes of quantizations.
func (l *tractLowering) quantizedProduct(a, b *graph.Value, expr string, d tensor.DType) []*graph.Value {
	names := l.c.Names
	l.c.Names = nil // they are for the last step
	sum := l.product([]*graph.Value{l.shifted(a, "a0"), l.shifted(b, "b0")}, expr)
	l.c.Names = names
	if l.Err != nil {
		return nil
	}
	v := sum[0]
	if !zero(l.c.Arg("bias")) {
		v = l.op("add", v, l.Cast(l.tensor("bias"), tensor.Int32))
	}
	return l.requantized(v, d)
}

func tractQMatmul(l *tractLowering) []*graph.Value {
	a := l.tensor("A")
	return l.quantizedProduct(a, l.tensor("B"), l.legacyAxes(a), l.dtype("output_type"))
}

func tractEinsumQ(l *tractLowering) []*graph.Value {
	in := l.tensors("inputs")
	if len(in) != 2 {
		l.fail(eval.CodeType, "inputs", "%d operands are given; there must be two", len(in))
		return nil
	}
	return l.quantizedProduct(in[0], in[1], l.string("expr"), l.dtype("output"))
}

// tractQConv is a convolution of codes. What lies in the padding stands for 0.
func tractQConv(l *tractLowering) []*graph.Value {
	x, filter := l.tensor("input"), l.tensor("filter")
	groups := l.int("groups")
	if groups == 0 {
		groups = l.int("group")
	}
	if l.Err != nil {
		return nil
	}
	d := l.dtypeOr("output_dt", x.Type.DType)
	window := l.slide(l.spatial(filter, "filter"), max(rank(filter)-2, 0))
	padding := l.down(window, l.spatial(x, "input"))
	in := []*graph.Value{l.shifted(x, "a0"), l.shifted(filter, "b0")}
	if !zero(l.c.Arg("bias")) {
		bias := l.Cast(l.tensor("bias"), tensor.Int32)
		in = append(in, l.Reshape(bias, 1, l.shape(bias).Len()))
	}
	sum := l.step("conv", in, attr("padding", padding), attr("stride", window.stride), attr("dilation", window.dilation),
		attr("groups", groups))
	return l.requantized(sum, d)
}
