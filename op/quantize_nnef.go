package op

import (
	"math"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/fmath"
	"github.com/concord-nn/concord/internal/geometry"
	"github.com/concord-nn/concord/tensor"
)

// Quantization as a rounding of floats (NNEF).
var quantizerOps = []*Def{minMaxQuantizeDef, linearQuantizeDef, zeroPointQuantizeDef, logarithmicQuantizeDef}

// quantizerAttrs are the attributes that NNEF's quantizations share.
var quantizerAttrs = []Attr{
	{Name: "bits", Kind: graph.KindInt, Range: [2]float64{1, 32}, Doc: "digits of a code, 1 to 32"},
	{Name: "signed", Kind: graph.KindBool, Doc: "whether codes have a sign"},
	{Name: "symmetric", Kind: graph.KindBool, Doc: "whether signed codes leave out the least one, so that the range is symmetric"},
}

// quantizers draws values of quantizerAttrs.
func (r *Rand) quantizers() graph.Attrs {
	return graph.Attrs{{Name: "bits", Value: r.Between(2, 12)}, {Name: "signed", Value: r.Bool()}, {Name: "symmetric", Value: r.Bool()}}
}

var minMaxQuantizeDef = &Def{
	Name: "min_max_linear_quantize",
	Doc: "MinMaxLinearQuantize rounds x to one of r + 1 equidistant numbers from min to max (NNEF 1.0.5 min_max_linear_quantize). " +
		"With r = 2^bits - 1, one less if signed and symmetric, and z = max(min(x, max), min): " +
		"q = round((z - min) / (max - min) · r) and y = q / r · (max - min) + min, every operation rounded.",
	Spec: Spec{NNEF: "min_max_linear_quantize"},
	In: []Operand{
		{Name: "x", Types: Singles, Rank: AnyRank, Doc: "real numbers; broadcasts"},
		{Name: "min", Types: Singles, Like: "x", Rank: AnyRank, Doc: "the least number; broadcasts"},
		{Name: "max", Types: Singles, Like: "x", Rank: AnyRank, Doc: "the greatest number; broadcasts"},
	},
	Out:   []Result{{Name: "y", Like: "x", Doc: "rounded numbers"}},
	Attrs: quantizerAttrs,
	Shape: func(s *Sig) ([]tensor.Shape, error) {
		if s.Int("bits") == 1 && s.Bool("signed") && s.Bool("symmetric") {
			return nil, s.Errorf("bits", "one bit has only one symmetric code; at least 2 are needed")
		}
		return broadcastShape(s)
	},
	Ref: Reference{
		Kernels: singleKernel(func(c *Call, lo, hi int) {
			steps := codes(c.Int("bits"))
			if c.Bool("signed") && c.Bool("symmetric") {
				steps--
			}
			minMaxQuantize(c, lo, hi, float32(steps))
		}),
		PerElement: true,
	},
	Traits: Elementwise,
	Body: "r = scalar(2 ^ bits - 1 - integer(signed && symmetric)); z = clamp(x, min, max); " +
		"q = round((z - min) / (max - min) * r); y = q / r * (max - min) + min;",
	Work: opsPerElement(10),
	Generate: func(r *Rand) Case {
		return Case{In: r.ranges(), Attrs: r.quantizers()}
	},
}

var linearQuantizeDef = &Def{
	Name:  "linear_quantize",
	Doc:   "LinearQuantize is min_max_linear_quantize with unsigned codes (NNEF 1.0.5 linear_quantize).",
	Spec:  Spec{NNEF: "linear_quantize"},
	In:    minMaxQuantizeDef.In,
	Out:   minMaxQuantizeDef.Out,
	Attrs: quantizerAttrs[:1],
	Shape: broadcastShape,
	Ref: Reference{
		Kernels:    singleKernel(func(c *Call, lo, hi int) { minMaxQuantize(c, lo, hi, float32(codes(c.Int("bits")))) }),
		PerElement: true,
	},
	Traits:   Elementwise,
	Body:     "y = min_max_linear_quantize(x, min, max, bits = bits, signed = false, symmetric = false);",
	Work:     opsPerElement(10),
	Generate: func(r *Rand) Case { return Case{In: r.ranges(), Attrs: r.quantizers()[:1]} },
}

// codes returns the greatest unsigned number of that many bits.
func codes(bits int) int64 { return 1<<bits - 1 }

// ranges draws operands x, min and max that broadcast.
func (r *Rand) ranges() []*tensor.Tensor {
	in := r.operands(r.DType(Singles), 3)
	in[0] = r.Uniform(in[0].DType(), in[0].Shape(), -5, 5)
	in[1] = r.Uniform(in[0].DType(), in[1].Shape(), -4, 0)
	in[2] = r.Uniform(in[0].DType(), in[2].Shape(), 0.5, 4)
	return in
}

func minMaxQuantize(c *Call, lo, hi int, steps float32) {
	mapFloats3(c, lo, hi, func(x, least, most float32) float32 {
		z, width := max(min(x, most), least), most-least
		q := roundHalfUp(float32((z - least) / width * steps))
		return float32(q/steps*width) + least
	})
}

// mapFloats3 sets elements lo…hi-1 of the result to f of those of three broadcast operands.
func mapFloats3(c *Call, lo, hi int, f func(x, y, z float32) float32) {
	x, y, z, out := tensor.Data[float32](c.In[0]), tensor.Data[float32](c.In[1]), tensor.Data[float32](c.In[2]), tensor.Data[float32](c.Out[0])
	cur := newCursor(c.Out[0].Shape())
	cur.operands(c.In[0].Shape(), c.In[1].Shape(), c.In[2].Shape())
	cur.seek(lo)
	for i := lo; i < hi; i++ {
		out[i] = canonical(f(x[cur.pos[0]], y[cur.pos[1]], z[cur.pos[2]]))
		cur.next()
	}
}

var zeroPointQuantizeDef = &Def{
	Name: "zero_point_linear_quantize",
	Doc: "ZeroPointLinearQuantize rounds x to a number that a code of a linear quantization stands for (NNEF 1.0.5 zero_point_linear_quantize). " +
		"With q = round(x / scale) + zero_point, bounded to 0…2^bits - 1, if signed to -2^(bits-1)…2^(bits-1) - 1, and if also symmetric to " +
		"±(2^(bits-1) - 1): y = (q - zero_point) · scale. Quotient and product are rounded, the rest is exact; NaN stays NaN.",
	Spec: Spec{NNEF: "zero_point_linear_quantize"},
	In: []Operand{
		{Name: "x", Types: Singles, Rank: AnyRank, Doc: "real numbers; broadcasts"},
		{Name: "zero_point", Types: quantized | TypeSet(tensor.Int64), Rank: AnyRank, Doc: "the code of 0, within ±2^62; broadcasts"},
		{Name: "scale", Types: Singles, Like: "x", Rank: AnyRank, Doc: "the number that one step stands for; broadcasts"},
	},
	Out:   []Result{{Name: "y", Like: "x", Doc: "rounded numbers"}},
	Attrs: quantizerAttrs,
	Shape: broadcastShape,
	Ref: Reference{
		Kernels:    singleKernel(zeroPointQuantize),
		PerElement: true,
	},
	Traits: Elementwise,
	Body: "z = cast<scalar>(zero_point); r = scalar(2 ^ (bits - 1) - 1 if signed else 2 ^ bits - 1); " +
		"q = clamp(round(x / scale) + z, 0.0 if !signed else -r if symmetric else -r - 1.0, r); y = (q - z) * scale;",
	BodyTol: 1e-6,
	Work:    opsPerElement(7),
	Generate: func(r *Rand) Case {
		in := r.ranges()
		in[1] = r.Tensor(r.DType(quantized|TypeSet(tensor.Int64)), in[1].Shape())
		in[2] = r.Uniform(in[0].DType(), in[2].Shape(), 0.03125, 2)
		return Case{In: in, Attrs: r.quantizers()}
	},
}

func zeroPointQuantize(c *Call, lo, hi int) {
	x, zero, scale, y := tensor.Data[float32](c.In[0]), geometry.IndicesOf(c.In[1]), tensor.Data[float32](c.In[2]), tensor.Data[float32](c.Out[0])
	least, most := int64(0), codes(c.Int("bits"))
	if c.Bool("signed") {
		most = codes(c.Int("bits") - 1)
		if least = -most; !c.Bool("symmetric") {
			least--
		}
	}
	cur := newCursor(c.Out[0].Shape())
	cur.operands(c.In[0].Shape(), c.In[1].Shape(), c.In[2].Shape())
	cur.seek(lo)
	for i := lo; i < hi; i++ {
		s := scale[cur.pos[2]]
		z := min(max(zero.At(cur.pos[1]), -1<<62), 1<<62-1)
		q := roundHalfUp(x[cur.pos[0]] / s)
		if q == q {
			code := min(max(bounded(q)+z, least), most)
			q = tensor.NearestFloat32(code-z) * s
		}
		y[i] = canonical(q)
		cur.next()
	}
}

var logarithmicQuantizeDef = &Def{
	Name: "logarithmic_quantize",
	Doc: "LogarithmicQuantize rounds |x| to a power of two and keeps its sign; zeros become 0 (NNEF 1.0.5 logarithmic_quantize). " +
		"With m = ceil(log2(max)) and r = 2^bits - 1: y = sign(x) · 2^q, where q = round(log2(|x|) bounded to m - r … m).",
	Spec: Spec{NNEF: "logarithmic_quantize"},
	In: []Operand{
		{Name: "x", Types: Singles, Rank: AnyRank, Doc: "real numbers; broadcasts"},
		{Name: "max", Types: Singles, Like: "x", Rank: AnyRank, Doc: "the greatest magnitude, above 0; broadcasts"},
	},
	Out:   []Result{{Name: "y", Like: "x", Doc: "rounded numbers"}},
	Attrs: quantizerAttrs[:1],
	Shape: broadcastShape,
	Ref: Reference{
		Kernels: singleKernel(func(c *Call, lo, hi int) {
			r := float32(codes(c.Int("bits")))
			mapPairs(c, lo, hi, func(x, most float32) float32 { return canonical(logarithmicQuantize(x, most, r)) })
		}),
		PerElement: true,
	},
	Traits: Elementwise,
	Body:   "m = ceil(log2(max)); r = scalar(2 ^ bits - 1); q = round(clamp(log2(abs(x)), m - r, m)); y = sign(x) * 2.0 ^ q;",
	Work:   opsPerElement(8),
	Generate: func(r *Rand) Case {
		in := r.ranges()
		return Case{In: []*tensor.Tensor{in[0], in[2]}, Attrs: graph.Attrs{{Name: "bits", Value: r.Between(1, 6)}}}
	},
}

func logarithmicQuantize(x, most, r float32) float32 {
	m := ceil(fmath.Log2(most))
	q := roundHalfUp(max(min(fmath.Log2(absolute(x)), m), m-r))
	if q != q {
		return q
	}
	// Exact: a power of two, or beyond the range of float32 the infinity or zero that rounding makes of it.
	return sign(x) * float32(math.Ldexp(1, int(min(max(q, -1000), 1000))))
}
