package openvx

import (
	"fmt"
	"math"
	"slices"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/emit"
	"github.com/concord-nn/concord/tensor"
)

// layer is a built-in kernel.
type layer struct {
	name   string // in the standard
	id     KernelID
	params []param // the result is the last one
	// check refuses operands, once all inputs are known, and fills in what the last one leaves open. That operands are given, and scalars of the
	// declared types, has been checked for every kernel.
	check func(c *call)
	// lower makes the result of the operands: it only translates, everything has been checked. Its value has the type and, in
	// reverse order, the extents of the last operand.
	lower func(l *lowering) *graph.Value
}

// call is a layer applied to operands.
type call struct {
	layer      *layer
	compatible bool
	operands   []operand
}

// operand is a parameter of a node as a layer sees it.
type operand struct {
	given  bool
	format        // of a tensor, or of a LUT with its number of elements as the only extent
	scalar any    // the value of a scalar: int8 … uint64, float32, float64, bool, an enumeration, …Params, or int for TypeSize
	bytes  []byte // of the same value
}

// last returns the index of the result.
func (c *call) last() int { return len(c.operands) - 1 }

// out returns the result.
func (c *call) out() *operand { return &c.operands[c.last()] }

// extent returns an extent of the result, 0 if it is still open.
func (c *call) extent(axis int) int { return c.out().extent(axis) }

// argument returns the value of a scalar operand, whose type has been checked.
func argument[T any](c *call, i int) T {
	v, _ := c.operands[i].scalar.(T)
	return v
}

// infer checks the operands of a built-in or imported kernel and completes its results.
func (k *Kernel) infer(c *call) error {
	if k.model != nil {
		return k.model.infer(c, k.params)
	}
	return k.layer.infer(c)
}

// lower adds what a built-in or imported kernel computes, and returns the results by parameter.
func (k *Kernel) lower(c *call, b *graph.Builder, label string, values []*graph.Value) ([]*graph.Value, error) {
	if k.model != nil {
		return k.model.lower(c, k.params, b, label, values)
	}
	l := &lowering{Emitter: emit.Emitter{Target: b, Label: label}, call: c, values: values}
	v := k.layer.lower(l)
	results := make([]*graph.Value, len(values))
	results[len(results)-1] = v
	return results, l.Err
}

// stateful reports whether runs of the kernel depend on those before.
func (k *Kernel) stateful() bool { return k.model != nil && len(k.model.graph.States) > 0 }

// lowering turns a call into nodes of a graph.
type lowering struct {
	emit.Emitter
	*call
	values []*graph.Value // of the operands that are tensors and LUTs; of rank len(dims), slowest first
}

// real adds a float32.
func (l *lowering) real(x float32) *graph.Value { return l.Constant(tensor.Scalar(x)) }

// integer adds an int64.
func (l *lowering) integer(n int) *graph.Value { return l.Constant(tensor.Scalar(int64(n))) }

// result gives a value the shape of the result.
func (l *lowering) result(v *graph.Value) *graph.Value {
	return l.Reshape(v, reversed(l.out().dims)...)
}

// reversed returns extents in the order of graphs, the slowest first.
func reversed(dims []int) []int {
	s := slices.Clone(dims)
	slices.Reverse(s)
	return s
}

// batched returns the shape of a tensor whose dimensions from the given one on are a batch, nested or not: the extents in front of
// them, in the order of graphs, behind their product.
func batched(dims []int, rank int) []int {
	return append([]int{product(dims[rank:])}, reversed(dims[:rank])...)
}

func product(dims []int) int { return tensor.Shape(dims).Len() }

// Fixed-point numbers. A tensor of position p holds raw integers r that stand for r/2^p. Products of two of them have 2·p fractional
// digits; sums of products keep these until they are rounded once, at the end.

// toReal returns the numbers that the elements of a tensor of format f stand for, as float32.
func (l *lowering) toReal(v *graph.Value, f format) *graph.Value {
	return l.times(exp2(-int(f.fixed)), l.Cast(v, tensor.Float32))
}

// scaled returns real numbers as raw numbers of format f that have not been rounded yet.
func (l *lowering) scaled(v *graph.Value, f format) *graph.Value {
	return l.times(exp2(int(f.fixed)), v)
}

// fromReal returns real numbers as elements of format f: truncated toward zero, and the nearest bound beyond the range. The standard
// leaves both open; the sample implementation does so.
func (l *lowering) fromReal(v *graph.Value, f format) *graph.Value {
	return l.Cast(l.scaled(v, f), f.element())
}

func exp2(n int) float32 { return float32(math.Ldexp(1, n)) }

// eachElement applies a function that maps each element by itself. Of a type of 8 bits it is applied to all 256 numbers, which the
// engine does once, and the elements are looked up in the results; so it is with one of 16 bits if there are as many elements as numbers.
func (l *lowering) eachElement(x *graph.Value, f func(x *graph.Value) *graph.Value) *graph.Value {
	d := x.Type.DType
	if d.Bits() > 16 || d.Bits() == 16 && product(l.out().dims) < 1<<16 {
		return f(x)
	}
	least, _ := d.IntRange()
	numbers := make([]int64, 1<<d.Bits())
	for i := range numbers {
		numbers[i] = least + int64(i)
	}
	all := must(tensor.Cast(must(tensor.FromSlice(numbers, len(numbers))), d))
	return l.Node("lookup", emit.Attr("offset", int(-least)), x, f(l.Constant(all)))
}

// accumulator returns the element type that holds, exactly, a sum of products of two elements of format f, beside which may be another
// element aligned with them.
func accumulator(f format, products int) tensor.DType {
	if f.element().IsFloat() {
		return f.element()
	}
	greatest := 1 << f.element().Bits() // the greatest magnitude of an element
	if f.element().IsSigned() {
		greatest /= 2
	}
	if products <= (math.MaxInt32-greatest<<f.fixed)/(greatest*greatest) {
		return tensor.Int32
	}
	return tensor.Int64
}

// sums returns the attribute of operators that gives sums of integers the type of an accumulator.
func sums(acc tensor.DType) graph.Attrs {
	if acc.IsFloat() {
		return nil
	}
	return emit.Attr("dtype", acc)
}

// aligned returns elements of format f as terms of a sum of products. v may be nil.
func (l *lowering) aligned(v *graph.Value, f format, acc tensor.DType) *graph.Value {
	switch {
	case v == nil:
		return nil
	case f.fixed == 0:
		return l.Cast(v, acc)
	}
	return l.Node("rescale", emit.Attr("dtype", acc), v, l.integer(-int(f.fixed)))
}

// rounded returns sums of products of the result's format as its elements.
func (l *lowering) rounded(v *graph.Value, rounding string, p ConvertPolicy) *graph.Value {
	if v.Type.DType.IsFloat() {
		return v
	}
	f := l.out().format
	if f.fixed == 0 {
		rounding = "floor" // nothing is cut off
	}
	return l.Node("rescale", emit.Attr("rounding", rounding, "overflow", p.overflow(), "dtype", f.element()), v, l.integer(int(f.fixed)))
}

// rounding returns what operators call a policy.
func (p RoundPolicy) rounding() string {
	if p == RoundPolicyToNearestEven {
		return "half_even"
	}
	return "to_zero"
}

// overflow returns what operators call a policy.
func (p ConvertPolicy) overflow() string {
	if p == ConvertPolicySaturate {
		return "saturate"
	}
	return "wrap"
}

// layerFormats are the formats that layers compute with: those of the extensions of 8 and of 16 bits, and float32.
var layerFormats = []format{{dtype: TypeUint8}, {dtype: TypeInt8}, {dtype: TypeInt16, fixed: 8}, {dtype: TypeFloat32}}

// element returns the type of elements in a graph.
func (f format) element() tensor.DType { return f.dtype.elementType() }

// String names the element type and, unless it is 0, the fixed point position.
func (f format) String() string {
	if f.fixed == 0 {
		return f.dtype.String()
	}
	return fmt.Sprintf("%v with fixed point position %d", f.dtype, f.fixed)
}
