package op

import (
	"math/bits"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/fmath"
	"github.com/concord-nn/concord/tensor"
)

// Element-wise operators with two operands, whose shapes broadcast as [broadcast] says.
var binaryOps = []*Def{
	withSign(ofFloats(ifAll), withTraits(Commutative, arithmetic("add", "Add returns x + y.", "add", "add", "vxTensorAddNode", "broadcast_add, elemwise_add", overflowAttr,
		floatAdd, floatAdd, integerAdd))),
	arithmetic("sub", "Sub returns x - y.", "sub", "sub", "vxTensorSubtractNode", "broadcast_sub, elemwise_sub", overflowAttr,
		floatSub, floatSub, integerSub),
	mulDef(),
	arithmetic("div", "Div returns x / y. Integers are truncated toward zero, x/0 is 0 and the least value divided by -1 wraps to itself.",
		"div", "div", "", "broadcast_div", nil,
		floatDiv, floatDiv, integerDiv),
	arithmetic("pow", "Pow returns x to the power of y. Integers wrap; a negative exponent truncates the exact value toward zero, and 0 to a negative power is 0.",
		"pow", "pow", "", "", nil,
		fmath.Pow, fmath.Pow, integerPow),
	withOrder(withTraits(Commutative, arithmetic("max", "Max returns the greater of x and y: NaN if either is NaN, +0 for zeros of different sign.",
		"max", "max", "", "broadcast_max", nil,
		floatMax, floatMax, integerMax))),
	withOrder(withTraits(Commutative, arithmetic("min", "Min returns the lesser of x and y: NaN if either is NaN, -0 for zeros of different sign.",
		"min", "min", "", "", nil,
		floatMin, floatMin, integerMin))),
	comparison("lt", "Lt returns whether x < y.", "lesser", "", Numbers, ltKernels),
	comparison("gt", "Gt returns whether x > y.", "greater", "broadcast_greater", Numbers, gtKernels),
	comparison("le", "Le returns whether x ≤ y.", "lesserOrEqual", "", Numbers, leKernels),
	comparison("ge", "Ge returns whether x ≥ y.", "greaterOrEqual", "", Numbers, geKernels),
	withTraits(Commutative, comparison("eq", "Eq returns whether x = y. NaN equals nothing; zeros of both signs are equal.", "equal", "", AnyType, eqKernels)),
	withTraits(Commutative, comparison("ne", "Ne returns whether x ≠ y: the negation of eq.", "notEqual", "", AnyType, neKernels)),
	logical("and", "and", "And returns whether both x and y hold.", "logicalAnd", func(x, y bool) bool { return x && y }),
	logical("or", "or", "Or returns whether x or y or both hold.", "logicalOr", func(x, y bool) bool { return x || y }),
	logical("xor", "", "Xor returns whether exactly one of x and y holds.", "logicalXor", func(x, y bool) bool { return x != y }),
	modDef,
}

func mulDef() *Def {
	d := withSign(ofFloats(ifAll), withTraits(Commutative, arithmetic("mul", "Mul returns x · y.", "mul", "mul", "vxTensorMultiplyNode", "broadcast_mul", overflowAttr,
		floatMul, floatMul, integerMul)))
	d.Simplify = ifGated
	return d
}

// ifGated makes a silu of x · sigmoid(x), as most networks write it: what makes x then need not keep it for two readers. Of 16-bit floats the sigmoid
// is rounded once more than that of silu.
func ifGated(n *graph.Node) (*graph.Value, *graph.Node) {
	if d := n.In[0].Type.DType; d != tensor.Float32 && d != tensor.Float64 {
		return nil, nil
	}
	for i, x := range n.In {
		if p := n.In[1-i].Producer; p != nil && p.Op == "sigmoid" && p.In[0] == x {
			return nil, &graph.Node{Op: "silu", In: []*graph.Value{x}, Out: n.Out, Label: n.Label}
		}
	}
	return nil, nil
}

// overflowAttr says what integers do beyond the range of their type.
var overflowAttr = []Attr{{Name: "overflow", Kind: graph.KindString, Default: "wrap", Enum: []string{"wrap", "saturate"},
	Doc: "what integers do beyond the range of their type: keep the low bits or take the nearest bound; floats ignore it"}}

func binaryOperands(types Types) []Operand {
	return []Operand{
		{Name: "x", Types: types, Rank: AnyRank, Doc: "left operand"},
		{Name: "y", Types: types, Like: "x", Rank: AnyRank, Doc: "right operand; broadcasts with x"},
	}
}

func arithmetic(name, doc, nnef, webnn, openvx, cvm string, attrs []Attr,
	single func(x, y float32) float32, double func(x, y float64) float64, integers Kernels) *Def {
	d := &Def{
		Name:  name,
		Doc:   doc,
		Spec:  Spec{NNEF: nnef, WebNN: webnn, OpenVX: openvx, CVM: cvm},
		In:    binaryOperands(Numbers),
		Out:   []Result{{Name: "z", Like: "x", Doc: "result, in the shape to which x and y broadcast"}},
		Attrs: attrs,
		Shape: broadcastShape,
		Ref: Reference{
			Kernels:    merge(float2(single, double), integers),
			PerElement: true,
		},
		Traits: Elementwise,
		Generate: func(r *Rand) Case {
			c := Case{In: r.operands(r.DType(Numbers), 2)}
			if attrs != nil {
				c.Attrs = graph.Attrs{{Name: "overflow", Value: Pick(r, attrs[0].Enum)}}
			}
			return c
		},
	}
	if attrs != nil {
		d.Expand = expandArithmetic
	}
	return d
}

func comparison(name, doc, webnn, cvm string, types Types, kernels Kernels) *Def {
	return &Def{
		Name:     name,
		Doc:      doc,
		Spec:     Spec{NNEF: name, WebNN: webnn, CVM: cvm},
		In:       binaryOperands(types),
		Out:      []Result{{Name: "z", Type: tensor.Bool, Doc: "whether it holds, in the shape to which x and y broadcast"}},
		Shape:    broadcastShape,
		Ref:      Reference{Kernels: kernels, PerElement: true},
		Traits:   Elementwise,
		Generate: func(r *Rand) Case { return Case{In: r.operands(r.DType(types), 2)} },
	}
}

func logical(name, nnef, doc, webnn string, f func(x, y bool) bool) *Def {
	return &Def{
		Name:     name,
		Doc:      doc,
		Spec:     Spec{NNEF: nnef, WebNN: webnn},
		In:       binaryOperands(Bools),
		Out:      []Result{{Name: "z", Type: tensor.Bool, Doc: "truth, in the shape to which x and y broadcast"}},
		Shape:    broadcastShape,
		Ref:      Reference{Kernels: Kernels{tensor.Bool: elementwise2(f)}, PerElement: true},
		Traits:   Elementwise | Commutative,
		Generate: func(r *Rand) Case { return Case{In: r.operands(tensor.Bool, 2)} },
	}
}

// operands returns n tensors that broadcast with one another, of the type d.
func (r *Rand) operands(d tensor.DType, n int) []*tensor.Tensor {
	shape := r.Shape(0, 4)
	out := make([]*tensor.Tensor, n)
	for i := range out {
		s := shape
		if i > 0 || r.IntN(3) == 0 {
			s = r.Broadcastable(shape)
		}
		if d.IsFloat() && r.IntN(4) == 0 {
			out[i] = r.Extremes(d, s)
		} else {
			out[i] = r.Tensor(d, s)
		}
	}
	return out
}

// elementwise2 applies f to pairs of broadcast elements; each element of the result is a piece.
//
//go:noinline // tables of kernels would hold it three times
func elementwise2[T, R tensor.Element](f func(x, y T) R) Kernel {
	return func(c *Call, lo, hi int) { mapPairs(c, lo, hi, f) }
}

// mapPairs sets elements lo…hi-1 of the result to f of those of the first two operands, broadcast.
func mapPairs[T, R tensor.Element](c *Call, lo, hi int, f func(x, y T) R) {
	x, y, z := tensor.Data[T](c.In[0]), tensor.Data[T](c.In[1]), tensor.Data[R](c.Out[0])
	if len(x) == len(z) && len(y) == len(z) { // Without this a cursor would find each element.
		for i := lo; i < hi; i++ {
			z[i] = f(x[i], y[i])
		}
		return
	}
	cur := newCursor(c.Out[0].Shape())
	cur.operands(c.In[0].Shape(), c.In[1].Shape())
	cur.seek(lo)
	for i := lo; i < hi; i++ {
		z[i] = f(x[cur.pos[0]], y[cur.pos[1]])
		cur.next()
	}
}

// overflowing makes a kernel of a wrapping and a saturating function, chosen by the attribute.
func overflowing[T tensor.Integer](wrap, saturate func(x, y T) T) Kernel {
	wrapping, saturating := elementwise2(wrap), elementwise2(saturate)
	return func(c *Call, lo, hi int) {
		if c.String("overflow") == "saturate" {
			saturating(c, lo, hi)
		} else {
			wrapping(c, lo, hi)
		}
	}
}

var (
	integerAdd = integerKernels(adder[int8](), adder[int16](), adder[int32](), adder[int64](),
		adder[uint8](), adder[uint16](), adder[uint32](), adder[uint64]())
	integerSub = integerKernels(subber[int8](), subber[int16](), subber[int32](), subber[int64](),
		subber[uint8](), subber[uint16](), subber[uint32](), subber[uint64]())
	integerMul = integerKernels(multiplier[int8](), multiplier[int16](), multiplier[int32](), multiplier[int64](),
		multiplier[uint8](), multiplier[uint16](), multiplier[uint32](), multiplier[uint64]())
	integerDiv = integerKernels(elementwise2(divide[int8]), elementwise2(divide[int16]), elementwise2(divide[int32]), elementwise2(divide[int64]),
		elementwise2(divide[uint8]), elementwise2(divide[uint16]), elementwise2(divide[uint32]), elementwise2(divide[uint64]))
	integerPow = integerKernels(elementwise2(power[int8]), elementwise2(power[int16]), elementwise2(power[int32]), elementwise2(power[int64]),
		elementwise2(power[uint8]), elementwise2(power[uint16]), elementwise2(power[uint32]), elementwise2(power[uint64]))
	integerMax = integerKernels(elementwise2(greater[int8]), elementwise2(greater[int16]), elementwise2(greater[int32]), elementwise2(greater[int64]),
		elementwise2(greater[uint8]), elementwise2(greater[uint16]), elementwise2(greater[uint32]), elementwise2(greater[uint64]))
	integerMin = integerKernels(elementwise2(lesser[int8]), elementwise2(lesser[int16]), elementwise2(lesser[int32]), elementwise2(lesser[int64]),
		elementwise2(lesser[uint8]), elementwise2(lesser[uint16]), elementwise2(lesser[uint32]), elementwise2(lesser[uint64]))

	ltKernels = merge(floatKernels(elementwise2(less[float32]), elementwise2(less[float64])),
		integerKernels(elementwise2(less[int8]), elementwise2(less[int16]), elementwise2(less[int32]), elementwise2(less[int64]),
			elementwise2(less[uint8]), elementwise2(less[uint16]), elementwise2(less[uint32]), elementwise2(less[uint64])))
	eqKernels = merge(Kernels{tensor.Bool: elementwise2(equal[bool])}, floatKernels(elementwise2(equal[float32]), elementwise2(equal[float64])),
		integerKernels(elementwise2(equal[int8]), elementwise2(equal[int16]), elementwise2(equal[int32]), elementwise2(equal[int64]),
			elementwise2(equal[uint8]), elementwise2(equal[uint16]), elementwise2(equal[uint32]), elementwise2(equal[uint64])))
	leKernels = merge(floatKernels(elementwise2(lessEqual[float32]), elementwise2(lessEqual[float64])),
		integerKernels(elementwise2(lessEqual[int8]), elementwise2(lessEqual[int16]), elementwise2(lessEqual[int32]), elementwise2(lessEqual[int64]),
			elementwise2(lessEqual[uint8]), elementwise2(lessEqual[uint16]), elementwise2(lessEqual[uint32]), elementwise2(lessEqual[uint64])))
	gtKernels = merge(floatKernels(elementwise2(more[float32]), elementwise2(more[float64])),
		integerKernels(elementwise2(more[int8]), elementwise2(more[int16]), elementwise2(more[int32]), elementwise2(more[int64]),
			elementwise2(more[uint8]), elementwise2(more[uint16]), elementwise2(more[uint32]), elementwise2(more[uint64])))
	geKernels = merge(floatKernels(elementwise2(moreEqual[float32]), elementwise2(moreEqual[float64])),
		integerKernels(elementwise2(moreEqual[int8]), elementwise2(moreEqual[int16]), elementwise2(moreEqual[int32]), elementwise2(moreEqual[int64]),
			elementwise2(moreEqual[uint8]), elementwise2(moreEqual[uint16]), elementwise2(moreEqual[uint32]), elementwise2(moreEqual[uint64])))
	neKernels = merge(Kernels{tensor.Bool: elementwise2(unequal[bool])}, floatKernels(elementwise2(unequal[float32]), elementwise2(unequal[float64])),
		integerKernels(elementwise2(unequal[int8]), elementwise2(unequal[int16]), elementwise2(unequal[int32]), elementwise2(unequal[int64]),
			elementwise2(unequal[uint8]), elementwise2(unequal[uint16]), elementwise2(unequal[uint32]), elementwise2(unequal[uint64])))
)

// float2 is the table of a function of pairs of floats, whose NaN results become canonical.
func float2(single func(x, y float32) float32, double func(x, y float64) float64) Kernels {
	return floatKernels(elementwise2(func(x, y float32) float32 { return canonical(single(x, y)) }),
		elementwise2(func(x, y float64) float64 { return canonical(double(x, y)) }))
}

func floatAdd[T fmath.Float](x, y T) T { return x + y }
func floatSub[T fmath.Float](x, y T) T { return x - y }
func floatMul[T fmath.Float](x, y T) T { return T(x * y) }
func floatDiv[T fmath.Float](x, y T) T { return x / y }
func floatMax[T fmath.Float](x, y T) T { return max(x, y) }
func floatMin[T fmath.Float](x, y T) T { return min(x, y) }

func less[T tensor.Number](x, y T) bool      { return x < y }
func lessEqual[T tensor.Number](x, y T) bool { return x <= y }
func more[T tensor.Number](x, y T) bool      { return x > y }
func moreEqual[T tensor.Number](x, y T) bool { return x >= y }
func equal[T tensor.Element](x, y T) bool    { return x == y }
func unequal[T tensor.Element](x, y T) bool  { return x != y }
func greater[T tensor.Integer](x, y T) T     { return max(x, y) }
func lesser[T tensor.Integer](x, y T) T      { return min(x, y) }

// bounds returns the least and greatest value of T.
func bounds[T tensor.Integer]() (lo, hi T) {
	l, h := tensor.TypeOf[T]().IntRange()
	return T(l), T(h)
}

// adder makes a kernel of x + y, subber one of x - y. Where a saturating result is out of range, the wrapped one lies on the wrong side of x.
func adder[T tensor.Integer]() Kernel {
	lo, hi := bounds[T]()
	return overflowing(plus[T], func(x, y T) T {
		z := x + y
		switch {
		case y > 0 && z < x:
			return hi
		case y < 0 && z > x:
			return lo
		}
		return z
	})
}

func subber[T tensor.Integer]() Kernel {
	lo, hi := bounds[T]()
	return overflowing(func(x, y T) T { return x - y }, func(x, y T) T {
		z := x - y
		switch {
		case y > 0 && z > x:
			return lo
		case y < 0 && z < x:
			return hi
		}
		return z
	})
}

func multiplier[T tensor.Integer]() Kernel {
	lo, hi := bounds[T]()
	return overflowing(func(x, y T) T { return x * y }, func(x, y T) T {
		over, under := bits.Mul64(magnitude(x), magnitude(y))
		if negative := (x < 0) != (y < 0); negative {
			if over != 0 || under > magnitude(lo) {
				return lo
			}
			return -T(under)
		}
		if over != 0 || under > uint64(hi) {
			return hi
		}
		return T(under)
	})
}

// magnitude returns |x|.
func magnitude[T tensor.Integer](x T) uint64 {
	if x < 0 {
		return -uint64(x)
	}
	return uint64(x)
}

func divide[T tensor.Integer](x, y T) T {
	if y == 0 {
		return 0
	}
	return x / y // Go wraps the least value divided by -1
}

func power[T tensor.Integer](x, y T) T {
	if y < 0 {
		switch {
		case x == 1 || x+1 == 0 && y&1 == 0:
			return 1
		case x+1 == 0:
			return x
		}
		return 0
	}
	z := T(1)
	for ; y != 0; y >>= 1 {
		if y&1 != 0 {
			z *= x
		}
		x *= x
	}
	return z
}
