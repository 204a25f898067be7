package op

import (
	"slices"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/tensor"
)

// Quantization: between floats and integers (WebNN, ONNX), and as a rounding of floats (NNEF).
var quantizeOps = slices.Concat([]*Def{quantizeLinearDef, dequantizeLinearDef, requantizeDef}, quantizerOps)

// quantized are the element types of quantized tensors of whole bytes: WebNN's four and the 16-bit ones.
var quantized = TypeSet(tensor.Int8, tensor.Uint8, tensor.Int16, tensor.Uint16, tensor.Int32, tensor.Uint32)

// quantizedTypes are the element types of quantized tensors: these, and ONNX's of 8 bits and less.
var quantizedTypes = quantized | (Packed|SmallFloats)&^TypeSet(tensor.Float8E8M0)

var quantizeLinearDef = &Def{
	Name: "quantize_linear",
	Doc: "QuantizeLinear returns round_even(input / scale) + zero_point, saturated to the type of zero_point (WebNN quantizeLinear, ONNX QuantizeLinear). " +
		"The quotient is rounded to a float, then to an integer; the sum is exact. NaN becomes 0. To a small float the quotient, to which a zero point " +
		"other than 0 is added as a float, is converted as cast does.",
	Spec: Spec{WebNN: "quantizeLinear"},
	In: []Operand{
		{Name: "input", Types: Singles, Rank: AnyRank, Doc: "real numbers"},
		{Name: "scale", Types: Singles, Like: "input", Rank: AnyRank, Doc: "the real number that one step stands for; " + blockwiseDoc},
		{Name: "zero_point", Types: quantizedTypes, Rank: AnyRank, Doc: "the number that stands for 0; of scale's shape, or a scalar"},
	},
	Out: []Result{{Name: "output", Like: "zero_point", Doc: "quantized numbers, of input's shape"}},
	Attrs: []Attr{blockAttr, {Name: "saturate", Kind: graph.KindBool, Default: true,
		Doc: "whether numbers beyond the range of a float of 8 bits become its greatest; else they become infinite or NaN. Other types ignore it"}},
	Shape: blockwiseShape,
	Ref: Reference{
		Kernels:    singleKernel(func(c *Call, lo, hi int) { quantizeKernels[c.In[2].DType()](c, lo, hi) }),
		PerElement: true,
	},
	Traits: Elementwise,
	Work:   opsPerElement(4),
	Generate: func(r *Rand) Case {
		d := r.DType(Singles)
		input, scale, zero := r.blockwise(d)
		x := r.Uniform(d, input, -20, 20)
		if r.IntN(4) == 0 {
			x = r.Extremes(d, input)
		}
		return Case{In: []*tensor.Tensor{x, scale, zero}}
	},
	Further: func(r *Rand) Case {
		d := r.DType(Singles)
		input, scale, zero, attrs := r.uneven(d, r.DType(quantizedTypes))
		return Case{In: []*tensor.Tensor{r.Uniform(d, input, -20, 20), scale, zero}, Attrs: append(attrs, graph.Attr{Name: "saturate", Value: r.Bool()})}
	},
}

var dequantizeLinearDef = &Def{
	Name: "dequantize_linear",
	Doc: "DequantizeLinear returns (input - zero_point) · scale (WebNN dequantizeLinear, ONNX DequantizeLinear). " +
		"The difference is exact and rounded to a float, and so is the product.",
	Spec: Spec{WebNN: "dequantizeLinear"},
	In: []Operand{
		{Name: "input", Types: quantizedTypes, Rank: AnyRank, Doc: "quantized numbers"},
		{Name: "scale", Types: Singles, Rank: AnyRank, Doc: "the real number that one step stands for; " + blockwiseDoc},
		{Name: "zero_point", Types: quantizedTypes, Like: "input", Rank: AnyRank, Doc: "the number that stands for 0; of scale's shape, or a scalar"},
	},
	Out:   []Result{{Name: "output", Like: "scale", Doc: "real numbers, of input's shape"}},
	Attrs: []Attr{blockAttr},
	Shape: blockwiseShape,
	Ref: Reference{
		By:         1,
		Kernels:    singleKernel(func(c *Call, lo, hi int) { dequantizeKernels[c.In[0].DType()](c, lo, hi) }),
		PerElement: true,
	},
	Traits: Elementwise,
	Body: "k = " + blockwiseBody("scale", "scale") + ";\nz = " + blockwiseBody("cast<scalar>(zero_point)", "zero_point") + ";\n" +
		"output = (cast<scalar>(input) - z) * k;",
	Work: opsPerElement(3),
	Generate: func(r *Rand) Case {
		input, scale, zero := r.blockwise(r.DType(Singles))
		return Case{In: []*tensor.Tensor{r.Tensor(zero.DType(), input), scale, zero}}
	},
	Further: func(r *Rand) Case {
		input, scale, zero, attrs := r.uneven(r.DType(Singles), r.DType(quantizedTypes))
		return Case{In: []*tensor.Tensor{r.Tensor(zero.DType(), input), scale, zero}, Attrs: attrs}
	},
}

var requantizeDef = &Def{
	Name: "requantize",
	Doc: "Requantize returns round_even(x · multiplier) + zero_point, saturated to the type of zero_point: what sums of products of quantized numbers " +
		"become (ONNX Runtime, QLinearConv). x is rounded to a float32, the product to a float32 and then to an integer; the sum is exact. NaN becomes 0.",
	In: []Operand{
		{Name: "x", Types: TypeSet(tensor.Int32, tensor.Int64), Rank: AnyRank, Doc: "sums"},
		{Name: "multiplier", Types: TypeSet(tensor.Float32), Rank: AnyRank, Doc: "how many steps of the result are one of x; " + blockwiseDoc},
		{Name: "zero_point", Types: quantized, Rank: AnyRank, Doc: "the integer that stands for 0 in the result; of multiplier's shape, or a scalar"},
	},
	Out:   []Result{{Name: "y", Like: "zero_point", Doc: "integers, of the shape of x"}},
	Attrs: []Attr{blockAttr},
	Shape: blockwiseShape,
	Ref: Reference{
		By:         2,
		Kernels:    requantizeKernels,
		PerElement: true,
	},
	Traits: Elementwise,
	Work:   opsPerElement(4),
	Expand: expandRequantize,
	Generate: func(r *Rand) Case {
		input, multiplier, zero, attrs := r.uneven(tensor.Float32, r.DType(quantized))
		d := r.DType(TypeSet(tensor.Int32, tensor.Int64))
		x := r.Integers(d, input, -30000, 30000)
		if r.IntN(4) == 0 {
			multiplier = r.Extremes(tensor.Float32, multiplier.Shape())
		}
		return Case{In: []*tensor.Tensor{x, multiplier, zero}, Attrs: attrs}
	},
}

var (
	quantizeKernels = merge(quantizedKernels(quantizeLinear[int8], quantizeLinear[int16], quantizeLinear[int32],
		quantizeLinear[uint8], quantizeLinear[uint16], quantizeLinear[uint32]), alike(quantizeCodes, Stored))
	dequantizeKernels = merge(quantizedKernels(dequantizeLinear[int8], dequantizeLinear[int16], dequantizeLinear[int32],
		dequantizeLinear[uint8], dequantizeLinear[uint16], dequantizeLinear[uint32]), alike(dequantizeCodes, Stored))
	requantizeKernels = quantizedKernels(requantizeTo[int8](), requantizeTo[int16](), requantizeTo[int32](),
		requantizeTo[uint8](), requantizeTo[uint16](), requantizeTo[uint32]())
)

func quantizedKernels(i8, i16, i32, u8, u16, u32 Kernel) Kernels {
	return integerKernels(i8, i16, i32, nil, u8, u16, u32, nil)
}

func quantizeLinear[T tensor.Integer](c *Call, lo, hi int) {
	x, scale, zero, y := tensor.Data[float32](c.In[0]), tensor.Data[float32](c.In[1]), tensor.Data[T](c.In[2]), tensor.Data[T](c.Out[0])
	b := c.blocks()
	for lo < hi {
		p, end := b.Next(lo, hi)
		s, z := scale[p], int64(zero[p%len(zero)])
		for i := lo; i < end; i++ {
			y[i] = code[T](x[i]/s, z)
		}
		lo = end
	}
}

// code returns round_even(q) + zero, saturated; 0 for NaN.
func code[T tensor.Integer](q float32, zero int64) T {
	least, most := bounds[T]()
	if q = roundEven(q); q != q {
		return 0
	}
	return T(min(max(bounded(q)+zero, int64(least)), int64(most)))
}

// bounded converts an integral float to an integer, cutting it at ±2^62, which no sum of quantized values cares about.
func bounded(q float32) int64 { return int64(min(max(q, -1<<62), 1<<62)) }

func dequantizeLinear[T tensor.Integer](c *Call, lo, hi int) {
	x, scale, zero, y := tensor.Data[T](c.In[0]), tensor.Data[float32](c.In[1]), tensor.Data[T](c.In[2]), tensor.Data[float32](c.Out[0])
	b := c.blocks()
	for lo < hi {
		p, end := b.Next(lo, hi)
		s, z := scale[p], int64(zero[p%len(zero)])
		for i := lo; i < end; i++ {
			y[i] = canonical(tensor.NearestFloat32(int64(x[i])-z) * s)
		}
		lo = end
	}
}

// requantizeTo returns the kernel for results of T.
func requantizeTo[T tensor.Integer]() Kernel {
	return func(c *Call, lo, hi int) {
		if c.In[0].DType() == tensor.Int64 {
			requantize[int64, T](c, lo, hi)
		} else {
			requantize[int32, T](c, lo, hi)
		}
	}
}

func requantize[S, T tensor.Integer](c *Call, lo, hi int) {
	x, multiplier, zero, y := tensor.Data[S](c.In[0]), tensor.Data[float32](c.In[1]), tensor.Data[T](c.In[2]), tensor.Data[T](c.Out[0])
	b := c.blocks()
	for lo < hi {
		p, end := b.Next(lo, hi)
		m, z := multiplier[p], int64(zero[p%len(zero)])
		for i := lo; i < end; i++ {
			y[i] = code[T](tensor.NearestFloat32(x[i])*m, z)
		}
		lo = end
	}
}

// opsPerElement is the work of operators that take n operations for each element of the result.
func opsPerElement(n int64) func(*Sig, []tensor.Shape) Work {
	return func(_ *Sig, out []tensor.Shape) Work { return Work{Ops: n * int64(out[0].Len())} }
}
