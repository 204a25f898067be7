package op

import (
	"math"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/fmath"
	"github.com/concord-nn/concord/tensor"
)

// Quantization: between floats and integers (WebNN), and as a rounding of floats (NNEF).
var quantizeOps = []*Def{quantizeLinearDef, dequantizeLinearDef, minMaxQuantizeDef, linearQuantizeDef, zeroPointQuantizeDef, logarithmicQuantizeDef}

// quantized are the element types of quantized tensors: WebNN's four and the 16-bit ones.
var quantized = TypeSet(tensor.Int8, tensor.Uint8, tensor.Int16, tensor.Uint16, tensor.Int32, tensor.Uint32)

var quantizeLinearDef = &Def{
	Name: "quantize_linear",
	Doc: "QuantizeLinear returns round_even(input / scale) + zero_point, saturated to the type of zero_point (WebNN quantizeLinear). " +
		"The quotient is rounded to a float, then to an integer; the sum is exact. NaN becomes 0.",
	Spec: Spec{WebNN: "quantizeLinear"},
	In: []Operand{
		{Name: "input", Types: Floats, Rank: AnyRank, Doc: "real numbers"},
		{Name: "scale", Types: Floats, Like: "input", Rank: AnyRank,
			Doc: "the real number that one step stands for; a scalar, or of input's rank with extents that divide input's, so that each element serves a block"},
		{Name: "zero_point", Types: quantized, Rank: AnyRank, Doc: "the integer that stands for 0; of scale's shape"},
	},
	Out:   []Result{{Name: "output", Like: "zero_point", Doc: "integers, of input's shape"}},
	Shape: blockwiseShape,
	Ref: Reference{
		Kernels:    floatKernel(func(c *Call, lo, hi int) { quantizeKernels[c.In[2].DType()](c, lo, hi) }),
		PerElement: true,
	},
	Traits: Elementwise,
	Work:   opsPerElement(4),
	Generate: func(r *Rand) Case {
		d := r.DType(Floats)
		input, scale, zero := r.blockwise(d)
		x := r.Uniform(d, input, -20, 20)
		if r.IntN(4) == 0 {
			x = r.Extremes(d, input)
		}
		return Case{In: []*tensor.Tensor{x, scale, zero}}
	},
}

var dequantizeLinearDef = &Def{
	Name: "dequantize_linear",
	Doc: "DequantizeLinear returns (input - zero_point) · scale (WebNN dequantizeLinear). " +
		"The difference is exact and rounded to a float, and so is the product.",
	Spec: Spec{WebNN: "dequantizeLinear"},
	In: []Operand{
		{Name: "input", Types: quantized, Rank: AnyRank, Doc: "integers"},
		{Name: "scale", Types: Floats, Rank: AnyRank,
			Doc: "the real number that one step stands for; a scalar, or of input's rank with extents that divide input's, so that each element serves a block"},
		{Name: "zero_point", Types: quantized, Like: "input", Rank: AnyRank, Doc: "the integer that stands for 0; of scale's shape"},
	},
	Out:   []Result{{Name: "output", Like: "scale", Doc: "real numbers, of input's shape"}},
	Shape: blockwiseShape,
	Ref: Reference{
		By:         1,
		Kernels:    floatKernel(func(c *Call, lo, hi int) { dequantizeKernels[c.In[0].DType()](c, lo, hi) }),
		PerElement: true,
	},
	Traits: Elementwise,
	Body: "k = " + blockwiseBody("scale") + ";\nz = " + blockwiseBody("cast<scalar>(zero_point)") + ";\n" +
		"output = (cast<scalar>(input) - z) * k;",
	Work: opsPerElement(3),
	Generate: func(r *Rand) Case {
		input, scale, zero := r.blockwise(r.DType(Floats))
		return Case{In: []*tensor.Tensor{r.Tensor(zero.DType(), input), scale, zero}}
	},
}

var (
	quantizeKernels = Kernels{
		tensor.Int8: quantizeLinear[int8], tensor.Int16: quantizeLinear[int16], tensor.Int32: quantizeLinear[int32],
		tensor.Uint8: quantizeLinear[uint8], tensor.Uint16: quantizeLinear[uint16], tensor.Uint32: quantizeLinear[uint32]}
	dequantizeKernels = Kernels{
		tensor.Int8: dequantizeLinear[int8], tensor.Int16: dequantizeLinear[int16], tensor.Int32: dequantizeLinear[int32],
		tensor.Uint8: dequantizeLinear[uint8], tensor.Uint16: dequantizeLinear[uint16], tensor.Uint32: dequantizeLinear[uint32]}
)

func quantizeLinear[T tensor.Integer](c *Call, lo, hi int) {
	x, scale, zero, y := tensor.Data[float32](c.In[0]), tensor.Data[float32](c.In[1]), tensor.Data[T](c.In[2]), tensor.Data[T](c.Out[0])
	least, most := bounds[T]()
	b := newBlocks(c.In[0].Shape(), c.In[1].Shape(), lo)
	for i := lo; i < hi; i++ {
		p := b.next()
		q := roundEven(x[i] / scale[p])
		if q != q {
			y[i] = 0
			continue
		}
		y[i] = T(min(max(bounded(q)+int64(zero[p]), int64(least)), int64(most)))
	}
}

func dequantizeLinear[T tensor.Integer](c *Call, lo, hi int) {
	x, scale, zero, y := tensor.Data[T](c.In[0]), tensor.Data[float32](c.In[1]), tensor.Data[T](c.In[2]), tensor.Data[float32](c.Out[0])
	b := newBlocks(c.In[0].Shape(), c.In[1].Shape(), lo)
	for i := lo; i < hi; i++ {
		p := b.next()
		y[i] = canonical(float32(int64(x[i])-int64(zero[p])) * scale[p])
	}
}

// blockwiseBody writes a tensor of the shape of scale, repeated so that each element fills its block, in NNEF: along a dimension
// of extent 1 behind each of its own.
func blockwiseBody(x string) string {
	const twice = "[for d in range_of(shape_of(scale) + shape_of(scale)) yield "
	return x + " if length_of(shape_of(scale)) == 0 else reshape(tile(\n" +
		"    reshape(" + x + ", shape = " + twice + "shape_of(scale)[d / 2] if d / 2 * 2 == d else 1]),\n" +
		"    repeats = " + twice + "1 if d / 2 * 2 == d else shape_of(input)[d / 2] / shape_of(scale)[d / 2]]), shape = shape_of(input))"
}

// bounded converts an integral float to an integer, cutting it at ±2^62, which no sum of quantized values cares about.
func bounded(q float32) int64 { return int64(min(max(q, -1<<62), 1<<62)) }

// blockwiseShape is the shape rule of operators whose scale and zero point serve blocks of the input (WebNN, "blockwise
// broadcasting").
func blockwiseShape(s *Sig) ([]tensor.Shape, error) {
	in, scale, zero := s.In[0].Shape, s.In[1].Shape, s.In[2].Shape
	if !scale.Equal(zero) {
		return nil, s.Errorf("zero_point", "the shape %v is not that of scale, %v", zero, scale)
	}
	if len(scale) != 0 && len(scale) != len(in) {
		return nil, s.Errorf("scale", "the shape %v has neither the rank of input's %v nor rank 0", scale, in)
	}
	for d, n := range scale {
		if n == 0 && in[d] != 0 || n > 0 && in[d]%n != 0 {
			return nil, s.Errorf("scale", "the extent %d of dimension %d does not divide input's, %d", n, d, in[d])
		}
	}
	return []tensor.Shape{in}, nil
}

// blocks walks an input in row-major order and finds the element of a smaller tensor whose block it is in.
type blocks struct {
	cur    cursor
	size   [tensor.MaxRank]int // of a block, in elements of the input
	stride [tensor.MaxRank]int // of the smaller tensor
}

// newBlocks returns blocks at element i.
func newBlocks(input, small tensor.Shape, i int) blocks {
	b := blocks{cur: newCursor(input)}
	n := 1
	for d := len(small) - 1; d >= 0; d-- {
		b.size[d], b.stride[d] = max(input[d]/max(small[d], 1), 1), n
		n *= small[d]
	}
	if n == 1 {
		b.cur.rank = 0 // one block
		return b
	}
	b.cur.seek(i)
	return b
}

// next returns the position for the current element and goes to the following one.
func (b *blocks) next() int {
	p := 0
	for d := range b.cur.rank {
		p += b.cur.index[d] / b.size[d] * b.stride[d]
	}
	b.cur.next()
	return p
}

// blockwise returns the shape of an input, and a scale of type d and a zero point that fit it.
func (r *Rand) blockwise(d tensor.DType) (input tensor.Shape, scale, zero *tensor.Tensor) {
	small := r.Shape(0, 4)
	input = small.Clone()
	for i := range input {
		input[i] *= r.Between(1, 3)
	}
	if r.IntN(4) == 0 {
		small = tensor.Shape{}
	}
	return input, r.Uniform(d, small, 0.03125, 2), r.Tensor(r.DType(quantized), small)
}

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
		{Name: "x", Types: Floats, Rank: AnyRank, Doc: "real numbers; broadcasts"},
		{Name: "min", Types: Floats, Like: "x", Rank: AnyRank, Doc: "the least number; broadcasts"},
		{Name: "max", Types: Floats, Like: "x", Rank: AnyRank, Doc: "the greatest number; broadcasts"},
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
		Kernels: floatKernel(func(c *Call, lo, hi int) {
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
		Kernels:    floatKernel(func(c *Call, lo, hi int) { minMaxQuantize(c, lo, hi, float32(codes(c.Int("bits")))) }),
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
	in := r.operands(r.DType(Floats), 3)
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
		{Name: "x", Types: Floats, Rank: AnyRank, Doc: "real numbers; broadcasts"},
		{Name: "zero_point", Types: quantized | TypeSet(tensor.Int64), Rank: AnyRank, Doc: "the code of 0, within ±2^62; broadcasts"},
		{Name: "scale", Types: Floats, Like: "x", Rank: AnyRank, Doc: "the number that one step stands for; broadcasts"},
	},
	Out:   []Result{{Name: "y", Like: "x", Doc: "rounded numbers"}},
	Attrs: quantizerAttrs,
	Shape: broadcastShape,
	Ref: Reference{
		Kernels:    floatKernel(func(c *Call, lo, hi int) { zeroPointKernels[c.In[1].DType()](c, lo, hi) }),
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

var zeroPointKernels = merge(Kernels{tensor.Int64: zeroPointQuantize[int64]}, Kernels{
	tensor.Int8: zeroPointQuantize[int8], tensor.Int16: zeroPointQuantize[int16], tensor.Int32: zeroPointQuantize[int32],
	tensor.Uint8: zeroPointQuantize[uint8], tensor.Uint16: zeroPointQuantize[uint16], tensor.Uint32: zeroPointQuantize[uint32]})

func zeroPointQuantize[T tensor.Integer](c *Call, lo, hi int) {
	x, zero, scale, y := tensor.Data[float32](c.In[0]), tensor.Data[T](c.In[1]), tensor.Data[float32](c.In[2]), tensor.Data[float32](c.Out[0])
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
		z := min(max(int64(zero[cur.pos[1]]), -1<<62), 1<<62-1)
		q := roundHalfUp(x[cur.pos[0]] / s)
		if q == q {
			code := min(max(bounded(q)+z, least), most)
			q = float32(code-z) * s
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
		{Name: "x", Types: Floats, Rank: AnyRank, Doc: "real numbers; broadcasts"},
		{Name: "max", Types: Floats, Like: "x", Rank: AnyRank, Doc: "the greatest magnitude, above 0; broadcasts"},
	},
	Out:   []Result{{Name: "y", Like: "x", Doc: "rounded numbers"}},
	Attrs: quantizerAttrs[:1],
	Shape: broadcastShape,
	Ref: Reference{
		Kernels: floatKernel(func(c *Call, lo, hi int) {
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

// opsPerElement is the work of operators that take n operations for each element of the result.
func opsPerElement(n int64) func(*Sig, []tensor.Shape) Work {
	return func(_ *Sig, out []tensor.Shape) Work { return Work{Ops: n * int64(out[0].Len())} }
}
