package op

import (
	"math"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/fmath"
	"github.com/concord-nn/concord/tensor"
)

// Reductions. The order in which floats are accumulated is that of [fold], whatever the layout in memory.
var reduceOps = []*Def{
	sumReduce,
	withSign(ifAll, reduceDef("mean_reduce", "Mean_reduce returns the arithmetic mean over the axes: the sum, as sum_reduce gives it, divided by the number of elements (NNEF, mean_reduce; WebNN, reduceMean). The mean of nothing is NaN. It is found, too, where the sum overflows: of elements times 2^-80 (float64: 2^-600).",
		Spec{NNEF: "mean_reduce", WebNN: "reduceMean"}, Floats, addWork,
		floatKernels(mean[float32](), mean[float64]()),
		"output = sum_reduce(input, axes = axes, normalize = true);")),
	withSign(ofElements(ifAll), withOrder(reduceDef("max_reduce", "Max_reduce returns the greatest element along the axes: NaN if there is one, +0 before -0 (NNEF, max_reduce; WebNN, reduceMax; CVM, max). Of nothing it is -Inf, or the least integer.",
		Spec{NNEF: "max_reduce", WebNN: "reduceMax", CVM: "max"}, Numbers, addWork,
		merge(floatKernels(reducer(float32(math.Inf(-1)), floatMax, floatMax, plain), reducer(math.Inf(-1), floatMax, floatMax, plain)), maxIntegers), ""))),
	withOrder(reduceDef("min_reduce", "Min_reduce returns the least element along the axes: NaN if there is one, -0 before +0 (NNEF, min_reduce; WebNN, reduceMin). Of nothing it is +Inf, or the greatest integer.",
		Spec{NNEF: "min_reduce", WebNN: "reduceMin"}, Numbers, addWork,
		merge(floatKernels(reducer(float32(math.Inf(1)), floatMin, floatMin, plain), reducer(math.Inf(1), floatMin, floatMin, plain)), minIntegers), "")),
	reduceDef("product_reduce", "Product_reduce returns the product of the elements along the axes, ∏x (WebNN, reduceProduct). Floats are multiplied in lanes as sum_reduce adds, from 1 on. The product of nothing is 1; integers wrap.",
		Spec{WebNN: "reduceProduct"}, Numbers, addWork,
		wrapping(reducer(1, floatMul, floatMul, plain[float32]), reducer(1, floatMul, floatMul, plain[float64]),
			productOf[uint8](), productOf[uint16](), productOf[uint32](), productOf[uint64]()), ""),
	reduceDef("l1_reduce", "L1_reduce returns the sum of the absolute values along the axes, ∑|x| (WebNN, reduceL1). Integers wrap.",
		Spec{WebNN: "reduceL1"}, Numbers, addWork,
		merge(floatKernels(reducer(0, floatAddAbs, floatAdd, plain[float32]), reducer(0, floatAddAbs, floatAdd, plain[float64])), l1Integers),
		"output = sum_reduce(abs(input), axes = axes);"),
	withTolerance(1e-5, reduceDef("l2_reduce", "L2_reduce returns the Euclidean norm along the axes, √∑x² (WebNN, reduceL2). Each square is added with one rounding. Where the sum overflows, it is that of elements times 2^-80 (float64: 2^-600).",
		Spec{WebNN: "reduceL2"}, Floats, mulAddWork,
		floatKernels(rescuer(floatAddSquare, rootOf, timesHuge[float32]), rescuer(floatAddSquare, rootOf, timesHuge[float64])),
		"output = sqrt(sum_reduce(sqr(input), axes = axes));")),
	withTolerance(1e-5, reduceDef("sum_square_reduce", "Sum_square_reduce returns the sum of the squares along the axes, ∑x² (WebNN, reduceSumSquare). Each square is added with one rounding; integers wrap.",
		Spec{WebNN: "reduceSumSquare"}, Numbers, mulAddWork,
		wrapping(reducer(0, floatAddSquare, floatAdd, plain[float32]), reducer(0, floatAddSquare, floatAdd, plain[float64]),
			sumSquareOf[uint8](), sumSquareOf[uint16](), sumSquareOf[uint32](), sumSquareOf[uint64]()),
		"output = sum_reduce(sqr(input), axes = axes);")),
	reduceDef("log_sum_reduce", "Log_sum_reduce returns the natural logarithm of the sum along the axes, ln ∑x (WebNN, reduceLogSum). A sum below zero gives NaN, of zero -Inf. Where it overflows, it is that of elements times 2^-80 (float64: 2^-600).",
		Spec{WebNN: "reduceLogSum"}, Floats, addWork,
		floatKernels(rescuer(floatAdd, logOf, plusLogHuge[float32]), rescuer(floatAdd, logOf, plusLogHuge[float64])),
		"output = log(sum_reduce(input, axes = axes));"),
	reduceDef("log_sum_exp_reduce", "Log_sum_exp_reduce returns ln ∑eˣ along the axes, computed as m + ln ∑e^(x-m) (WebNN, reduceLogSumExp). Here m is the greatest element, or the nearest finite number if that is infinite.",
		Spec{WebNN: "reduceLogSumExp"}, Floats, addWork,
		floatKernels(logSumExp(float32(math.MaxFloat32)), logSumExp(math.MaxFloat64)),
		"m = clamp(max_reduce(input, axes = axes), -3.4028234663852886e38, 3.4028234663852886e38);\n"+
			"output = m + log(sum_reduce(exp(input - m), axes = axes));"),
	argReduce("argmax_reduce", "greatest", "argMax", argmaxKernels),
	argReduce("argmin_reduce", "least", "argMin", argminKernels),
	reduceDef("all_reduce", "All_reduce returns whether all elements along the axes hold (NNEF, all_reduce). Of nothing it is true.",
		Spec{NNEF: "all_reduce"}, Bools, addWork,
		Kernels{tensor.Bool: reducer(true, logicalAnd, logicalAnd, same[bool])}, ""),
	reduceDef("any_reduce", "Any_reduce returns whether any element along the axes holds (NNEF, any_reduce). Of nothing it is false.",
		Spec{NNEF: "any_reduce"}, Bools, addWork,
		Kernels{tensor.Bool: reducer(false, logicalOr, logicalOr, same[bool])}, ""),
	cumulativeSum,
	cumulativeProduct,
}

var sumReduce = &Def{
	Name: "sum_reduce",
	Doc: "Sum_reduce returns the sum of the elements along the axes, or with normalize their mean (NNEF, sum_reduce; WebNN, reduceSum; CVM, sum). " +
		"Floats are added from +0 in 16 lanes by row-major index over the reduced axes, and the lanes are joined by halving. " +
		"Integers wrap; normalize then divides truncating toward zero, and 0/0 is 0 (NaN for floats).",
	Spec:   Spec{NNEF: "sum_reduce", WebNN: "reduceSum", CVM: "sum"},
	In:     []Operand{{Name: "input", Types: Numbers, Rank: AnyRank, Doc: "elements to add"}},
	Out:    []Result{{Name: "output", Like: "input", Doc: "sums, in the shape of input with extent 1 along the axes"}},
	Attrs:  []Attr{axesAttr, {Name: "normalize", Kind: graph.KindBool, Default: false, Doc: "whether to divide by the number of elements"}},
	Shape:  reducedShape,
	Ref:    Reference{Kernels: merge(floatKernels(sumOrMean[float32](), sumOrMean[float64]()), sumIntegers), PerElement: true},
	Work:   addWork,
	Expand: expandSum,
	Lane:   firstLane(besideAxes),
	Generate: func(r *Rand) Case {
		c := reduceCase(r, Numbers)
		c.Attrs = append(c.Attrs, graph.Attr{Name: "normalize", Value: r.Bool()})
		return c
	},
}

func reduceDef(name, doc string, spec Spec, types Types, work func(*Sig, []tensor.Shape) Work, kernels Kernels, body string) *Def {
	return &Def{
		Name:     name,
		Doc:      doc,
		Spec:     spec,
		In:       []Operand{{Name: "input", Types: types, Rank: AnyRank, Doc: "elements to reduce"}},
		Out:      []Result{{Name: "output", Like: "input", Doc: "results, in the shape of input with extent 1 along the axes"}},
		Attrs:    []Attr{axesAttr},
		Shape:    reducedShape,
		Ref:      Reference{Kernels: kernels, PerElement: true},
		Body:     body,
		Work:     work,
		Lane:     firstLane(besideAxes),
		Generate: func(r *Rand) Case { return reduceCase(r, types) },
	}
}

// ofElements restricts a rule to reductions of at least one element.
func ofElements(rule func(*Sig, []bool) bool) func(*Sig, []bool) bool {
	return func(s *Sig, in []bool) bool { return s.In[0].Shape.Len() > 0 && rule(s, in) }
}

func withTolerance(tol float64, d *Def) *Def {
	d.BodyTol = tol
	return d
}

// reduceCase returns a case of an operator with the attribute axes on elements of the given types.
func reduceCase(r *Rand, types Types) Case {
	shape, d := r.Shape(0, 4), r.DType(types)
	x := r.Tensor(d, shape)
	if d.IsFloat() && r.IntN(6) == 0 {
		x = r.Extremes(d, shape)
	}
	return Case{In: []*tensor.Tensor{x}, Attrs: graph.Attrs{{Name: "axes", Value: r.someAxes(len(shape))}}}
}

func floatAddSquare[T fmath.Float](a, x T) T { return fma(x, x, a) }
func floatAddAbs[T fmath.Float](a, x T) T    { return a + absolute(x) }
func logicalAnd(a, b bool) bool              { return a && b }
func logicalOr(a, b bool) bool               { return a || b }

// plain and same finish a reduction whose result is the fold itself.
func plain[T fmath.Float](_ *Call, acc T, _ int) T   { return canonical(acc) }
func same[T tensor.Element](_ *Call, acc T, _ int) T { return acc }

// rootOf and logOf finish reductions whose result is a function of a sum.
func rootOf[T fmath.Float](_ *Call, acc T, _ int) T { return fmath.Sqrt(acc) }
func logOf[T fmath.Float](_ *Call, acc T, _ int) T  { return fmath.Log(acc) }

// plusLogHuge restores the logarithm of a sum.
func plusLogHuge[T fmath.Float](y T) T { return y + fmath.Log(huge[T]()) }

// divided finishes a mean.
func divided[T fmath.Float](_ *Call, acc T, n int) T { return canonical(acc / T(n)) }

// mean makes the kernel of mean_reduce, and of sum_reduce with its attribute normalize.
func mean[T fmath.Float]() Kernel { return rescuer(floatAdd, divided, timesHuge[T]) }

// sumOrMean makes the kernel of sum_reduce.
func sumOrMean[T fmath.Float]() Kernel {
	sum, mean := reducer(0, floatAdd, floatAdd, plain[T]), mean[T]()
	return func(c *Call, lo, hi int) {
		if c.Bool("normalize") {
			mean(c, lo, hi)
		} else {
			sum(c, lo, hi)
		}
	}
}

// dividedInteger finishes a sum of integers, which is divided only with the attribute normalize.
func dividedInteger[T tensor.Integer](c *Call, acc T, n int) T {
	switch {
	case !c.Bool("normalize"):
		return acc
	case n == 0:
		return 0
	case acc < 0: // n may be beyond the range of T, but not of int64
		return T(int64(acc) / int64(n))
	}
	return T(uint64(acc) / uint64(n))
}

// logSumExp makes a kernel with the greatest number of its type. Each result is a piece.
//
//go:noinline // tables of kernels would hold it three times
func logSumExp[T fmath.Float](most T) Kernel {
	return func(c *Call, lo, hi int) {
		x, y := tensor.Data[T](c.In[0]), tensor.Data[T](c.Out[0])
		var r reduction
		r.start(c.In[0].Shape(), c.Ints("axes"), lo)
		r.watch = c.Watch()
		for i := lo; i < hi; i++ {
			m := fold(&r, x, T(math.Inf(-1)), floatMax, floatMax)
			m = max(min(m, most), -most)
			sum := fold(&r, x, 0, func(acc, v T) T { return acc + fmath.Exp(v-m) }, floatAdd)
			y[i] = canonical(m + fmath.Log(sum))
			r.groups.next()
		}
	}
}

var (
	sumIntegers = integerKernels(sumOf[int8](), sumOf[int16](), sumOf[int32](), sumOf[int64](),
		sumOf[uint8](), sumOf[uint16](), sumOf[uint32](), sumOf[uint64]())
	maxIntegers = integerKernels(maxOf[int8](), maxOf[int16](), maxOf[int32](), maxOf[int64](),
		maxOf[uint8](), maxOf[uint16](), maxOf[uint32](), maxOf[uint64]())
	minIntegers = integerKernels(minOf[int8](), minOf[int16](), minOf[int32](), minOf[int64](),
		minOf[uint8](), minOf[uint16](), minOf[uint32](), minOf[uint64]())
	l1Integers = integerKernels(l1Of[int8](), l1Of[int16](), l1Of[int32](), l1Of[int64](),
		l1Of[uint8](), l1Of[uint16](), l1Of[uint32](), l1Of[uint64]())
)

func sumOf[T tensor.Integer]() Kernel {
	return reducer(0, plus[T], plus[T], dividedInteger[T])
}

func maxOf[T tensor.Integer]() Kernel {
	lo, _ := bounds[T]()
	return reducer(lo, greater[T], greater[T], same[T])
}

func minOf[T tensor.Integer]() Kernel {
	_, hi := bounds[T]()
	return reducer(hi, lesser[T], lesser[T], same[T])
}

func productOf[T tensor.Integer]() Kernel {
	return reducer(1, multiplied[T], multiplied[T], same[T])
}

func l1Of[T tensor.Integer]() Kernel {
	return reducer(0, func(acc, v T) T { return acc + T(magnitude(v)) }, plus[T], same[T])
}

func sumSquareOf[T tensor.Integer]() Kernel {
	return reducer(0, func(acc, v T) T { return acc + v*v }, plus[T], same[T])
}

func plus[T tensor.Integer](a, b T) T       { return a + b }
func multiplied[T tensor.Integer](a, b T) T { return a * b }
