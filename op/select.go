package op

import (
	"slices"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/fmath"
	"github.com/concord-nn/concord/tensor"
)

// Element-wise operators that choose, bound or convert elements.
var selectOps = []*Def{selectDef, clampDef, castDef}

var selectDef = &Def{
	Name: "select",
	Doc:  "Select returns the element of true_value where condition holds, and else that of false_value, bit by bit (NNEF select, WebNN where).",
	Spec: Spec{NNEF: "select", WebNN: "where", CVM: "where"},
	In: []Operand{
		{Name: "condition", Types: Bools, Rank: AnyRank, Doc: "which of the two to take; broadcasts"},
		{Name: "true_value", Types: Movable, Rank: AnyRank, Doc: "elements where the condition holds; broadcasts"},
		{Name: "false_value", Types: Movable, Like: "true_value", Rank: AnyRank, Doc: "elements where it does not; broadcasts"},
	},
	Out:   []Result{{Name: "output", Like: "true_value", Doc: "the chosen elements"}},
	Shape: broadcastShape,
	Ref: Reference{
		By:         1,
		Kernels:    sized(selectWords[uint8], selectWords[uint16], selectWords[uint32], selectWords[uint64]),
		PerElement: true,
	},
	Traits: Elementwise,
	Takes:  func(*Sig) Taken { return Taken{From: 1, To: 3} },
	Generate: func(r *Rand) Case {
		in := r.operands(r.DType(AnyType), 3)
		in[0] = r.Tensor(tensor.Bool, in[0].Shape())
		return Case{In: in}
	},
}

func selectWords[W uint8 | uint16 | uint32 | uint64](c *Call, lo, hi int) {
	cond, x, y, z := tensor.Data[bool](c.In[0]), words[W](c.In[1]), words[W](c.In[2]), words[W](c.Out[0])
	cur := newCursor(c.Out[0].Shape())
	cur.operands(c.In[0].Shape(), c.In[1].Shape(), c.In[2].Shape())
	cur.seek(lo)
	for i := lo; i < hi; i++ {
		if cond[cur.pos[0]] {
			z[i] = x[cur.pos[1]]
		} else {
			z[i] = y[cur.pos[2]]
		}
		cur.next()
	}
}

var clampDef = &Def{
	Name: "clamp",
	Doc: "Clamp returns max(min(x, b), a), by the rules of max and min: NaN if any of them is NaN, a where a > b. " +
		"A bound that is absent does not bound (NNEF clamp; WebNN clamp, which forbids a > b).",
	Spec: Spec{NNEF: "clamp", WebNN: "clamp", OpenVX: "vxActivationLayer", CVM: "clip"},
	In: []Operand{
		{Name: "x", Types: Numbers, Rank: AnyRank, Doc: "operand; broadcasts"},
		{Name: "a", Types: Numbers, Like: "x", Rank: AnyRank, Optional: true, Doc: "lower bound; broadcasts"},
		{Name: "b", Types: Numbers, Like: "x", Rank: AnyRank, Optional: true, Doc: "upper bound; broadcasts"},
	},
	Out:   []Result{{Name: "y", Like: "x", Doc: "result"}},
	Shape: broadcastShape,
	Ref: Reference{
		Kernels: merge(floatKernels(clampFloats[float32], clampFloats[float64]), integerKernels(
			clampElements[int8], clampElements[int16], clampElements[int32], clampElements[int64],
			clampElements[uint8], clampElements[uint16], clampElements[uint32], clampElements[uint64])),
		PerElement: true,
	},
	Traits:      Elementwise,
	Takes:       byOrder,
	NonNegative: func(s *Sig, in []bool) bool { return s.Has(1) && in[1] }, // the lower bound counts last
	Work: func(s *Sig, out []tensor.Shape) Work {
		w := Work{}
		for i := 1; i < len(s.In); i++ {
			if s.Has(i) {
				w.Ops += int64(out[0].Len())
			}
		}
		return w
	},
	Expand: expandClamp,
	Generate: func(r *Rand) Case {
		in := r.operands(r.DType(Numbers), 3)
		if absent := r.IntN(6); absent == 1 || absent == 2 {
			in[absent] = nil
		}
		return Case{In: in}
	},
}

func clampElements[T tensor.Number](c *Call, lo, hi int) {
	x, z := tensor.Data[T](c.In[0]), tensor.Data[T](c.Out[0])
	var bound [2][]T // a and b; nil where absent
	cur := newCursor(c.Out[0].Shape())
	cur.operands(c.In[0].Shape())
	for k := range bound {
		if c.Has(k + 1) {
			bound[k] = tensor.Data[T](c.In[k+1])
			cur.operands(c.In[k+1].Shape())
		} else {
			cur.operands(nil)
		}
	}
	cur.seek(lo)
	for i := lo; i < hi; i++ {
		v := x[cur.pos[0]]
		if bound[1] != nil {
			v = min(v, bound[1][cur.pos[2]])
		}
		if bound[0] != nil {
			v = max(v, bound[0][cur.pos[1]])
		}
		z[i] = v
		cur.next()
	}
}

func clampFloats[T fmath.Float](c *Call, lo, hi int) {
	clampElements[T](c, lo, hi)
	y := tensor.Data[T](c.Out[0])[lo:hi]
	for i, v := range y {
		y[i] = canonical(v)
	}
}

var castDef = &Def{
	Name: "cast",
	Doc: "Cast converts each element to another type by the rules of WebNN's cast and ONNX's Cast. " +
		"To a float: the nearest value, ties to even, beyond the range an infinity. Float to integer: truncated; beyond the range the nearest bound, NaN to 0 " +
		"(the standards leave both open). Integer to integer, and into 4 or 2 bits: the low bits. To a float of 8 or 4 bits: the nearest value, beyond the range " +
		"the greatest; to float8e8m0 the power of two that round says. A bool counts as 0 and 1; every value but zero becomes true, NaN too. " +
		"NNEF's cast rounds a scalar to the integer below instead: floor before cast.",
	Spec: Spec{NNEF: "cast", WebNN: "cast", OpenVX: "vxTensorConvertDepthNode"},
	In:   []Operand{{Name: "input", Types: Stored, Rank: AnyRank, Doc: "elements to convert"}},
	Out:  []Result{{Name: "output", TypeAttr: "dtype", Doc: "converted elements"}},
	Attrs: []Attr{
		{Name: "dtype", Kind: graph.KindDType, Types: Stored, Doc: "the element type of the result"},
		{Name: "saturate", Kind: graph.KindBool, Default: true,
			Doc: "whether numbers beyond the range of a float of 8 bits become its greatest; else they become infinite or NaN. Other types ignore it"},
		{Name: "round", Kind: graph.KindString, Default: "up", Enum: roundings,
			Doc: "where a magnitude between two powers of two goes in float8e8m0: up, down or to the nearest, up from the middle. Other types ignore it"},
	},
	Shape: sameShape,
	Ref: Reference{
		Kernels: alike(func(c *Call, lo, hi int) {
			n := c.Out[0].DType().PerByte()
			o := tensor.CastOptions{Unbounded: !c.Bool("saturate"), Round: tensor.Rounding(slices.Index(roundings, c.String("round")))}
			// It fails only for tensors of different size, which the shape rule excludes, and parts of bytes.
			_ = o.CastRange(c.Out[0], c.In[0], lo*n, min(hi*n, c.Out[0].Len()))
		}, Stored),
		PerElement: true,
	},
	Traits: Elementwise,
	// A cast of floats makes every NaN canonical, so it stays unless they are so already; one of small floats may bound infinities too.
	Simplify: func(n *graph.Node) (*graph.Value, *graph.Node) {
		if d := n.In[0].Type.DType; d.IsSmallFloat() || d.IsFloat() && !canonicalNaNs(n.In[0]) {
			return nil, nil
		}
		return ifSameType(n)
	},
	Generate: func(r *Rand) Case {
		return Case{In: r.operands(r.DType(AnyType), 1), Attrs: graph.Attrs{{Name: "dtype", Value: r.DType(AnyType)}}}
	},
}

// roundings are the values of the attribute round, as ONNX names them, in the order of [tensor.Rounding].
var roundings = []string{"up", "down", "nearest"}

// canonicalNaNs reports whether v is the result of arithmetic, whose NaNs are canonical. An operator that merely moves
// elements has kernels for 16-bit floats of its own, as a cast has.
func canonicalNaNs(v *graph.Value) bool {
	if v.Producer == nil {
		return false
	}
	d, ok := Lookup(v.Producer.Op)
	return ok && (d.Name == "cast" || d.Widens(tensor.Float16))
}
