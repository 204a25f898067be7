package op

import (
	"slices"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/fmath"
	"github.com/concord-nn/concord/internal/geometry"
	"github.com/concord-nn/concord/tensor"
)

// Operators that combine the elements that meet in one place.
var accumulateOps = []*Def{scatterElementsReduceDef, scatterNDReduceDef, colToImDef, nGramCountDef}

// finish is what becomes of each result: NaNs of floats get their canonical bits.
func finish[T numeric](x T) T {
	if nan := fmath.NaN(); x != x {
		return T(nan)
	}
	return x
}

// reductionDoc says how updates are combined.
const reductionDoc = "The updates are combined one after the other in row-major order, starting with the element of input, each step rounded. " +
	"Integers wrap; max and min are those of the operators. "

var reductionAttr = Attr{Name: "reduction", Kind: graph.KindString, Enum: []string{"add", "mul", "max", "min"}, Doc: "how an element and an update are combined"}

// reducing are the operands of an operator that combines updates with elements of input.
func reducing(indices, updates string) []Operand {
	return []Operand{
		{Name: "input", Types: Numbers, Rank: AtLeast(1), Doc: "the tensor"},
		{Name: "indices", Types: wholeIndices, Rank: AtLeast(1), Doc: indices},
		{Name: "updates", Types: Numbers, Like: "input", Rank: AnyRank, Doc: updates},
	}
}

// reducedSign says when combined elements are not negative: the sums and products of integers wrap.
func reducedSign(s *Sig, in []bool) bool {
	wraps := s.String("reduction") == "add" || s.String("reduction") == "mul"
	return in[0] && in[2] && (s.In[0].DType.IsFloat() || !wraps)
}

var scatterElementsReduceDef = &Def{
	Name: "scatter_elements_reduce",
	Doc: "Scatter_elements_reduce returns input with one element combined for each index: with axis = 0, " +
		"output[indices[i,j,…],j,…] = f(output[indices[i,j,…],j,…], updates[i,j,…]). " +
		reductionDoc + indexRule + "Without a reduction it is scatter_elements (ONNX ScatterElements).",
	In:  reducing("the indices, of the rank of input; the other extents are those of input", "the updates, of the shape of indices"),
	Out: []Result{{Name: "output", Like: "input", Doc: "input with the updates"}},
	Attrs: []Attr{
		{Name: "axis", Kind: graph.KindInt, Default: 0, Doc: "the dimension of input that is indexed"},
		reductionAttr,
		negativeAttr,
	},
	Shape: scatterElementsDef.Shape,
	Ref: Reference{
		Kernels: merge(Kernels{tensor.Float32: reduceSingles[float32], tensor.Float64: reduceSingles[float64]},
			integerKernels(reduceSingles[int8], reduceSingles[int16], reduceSingles[int32], reduceSingles[int64],
				reduceSingles[uint8], reduceSingles[uint16], reduceSingles[uint32], reduceSingles[uint64])),
		Pieces: func(s *Sig, _ []Type) int { return s.In[0].Shape[:s.Int("axis")].Len() },
	},
	NonNegative: reducedSign,
	Work:        scatterWork,
	Lane:        allLane(besideAxis),
	Generate: func(r *Rand) Case {
		d, shape := r.DType(Numbers), r.Shape(1, 4)
		axis := r.IntN(len(shape))
		input, n := r.Tensor(d, shape), shape[axis]
		shape[axis] = r.Between(1, 3*r.Size)
		return Case{
			In:    []*tensor.Tensor{input, r.wholeIndices(shape, n), r.updates(d, shape)},
			Attrs: graph.Attrs{axisOf(axis), r.reduction(), {Name: "negative", Value: r.Bool()}},
		}
	},
}

// reduceSingles computes blocks of the result, the parts from the axis on: an update never leaves its block.
func reduceSingles[T numeric](c *Call, lo, hi int) {
	in, axis, negative := c.In[0].Shape(), c.Int("axis"), c.Bool("negative")
	indices, updates, y := geometry.IndicesOf(c.In[1]), tensor.Data[T](c.In[2]), tensor.Data[T](c.Out[0])
	n, inner, block := in[axis], in[axis+1:].Len(), c.In[1].Shape()[axis:].Len()
	reduction, watch := reductionOf(c), c.Watch()
	for i, x := range tensor.Data[T](c.In[0])[lo*n*inner : hi*n*inner] {
		y[lo*n*inner+i] = finish(x)
	}
	for i := lo * block; i < hi*block; i++ {
		if watch.Stops(1) {
			return
		}
		to := (i/block*n+locate(indices.At(i), n, negative))*inner + i%inner
		y[to] = combined(reduction, y[to], updates[i])
	}
}

var scatterNDReduceDef = &Def{
	Name: "scatter_nd_reduce",
	Doc: "Scatter_nd_reduce returns input with one part combined for each coordinate. " +
		"Output[indices[i…,0], …, indices[i…,k-1], …] = f(output[indices[i…,0], …, indices[i…,k-1], …], updates[i…, …]). " + reductionDoc + indexRule +
		"The last dimension of indices, of extent k, holds the coordinates along the first k dimensions of input. Without a reduction it is scatter_nd (ONNX ScatterND).",
	In:    reducing("the coordinates; its last extent is at most the rank of input", "the updates: the extents of indices without the last, then those of a part of input"),
	Out:   []Result{{Name: "output", Like: "input", Doc: "input with the updates"}},
	Attrs: []Attr{reductionAttr, negativeAttr},
	Shape: scatterNDDef.Shape,
	Ref: Reference{Kernels: merge(Kernels{tensor.Float32: reduceParts[float32], tensor.Float64: reduceParts[float64]},
		integerKernels(reduceParts[int8], reduceParts[int16], reduceParts[int32], reduceParts[int64],
			reduceParts[uint8], reduceParts[uint16], reduceParts[uint32], reduceParts[uint64]))},
	NonNegative: reducedSign,
	Work:        scatterWork,
	Generate: func(r *Rand) Case {
		d, shape := r.DType(Numbers), r.Shape(1, 4)
		k := r.Between(1, len(shape))
		outer := r.Shape(0, 2)
		return Case{
			In: []*tensor.Tensor{r.Tensor(d, shape), r.wholeIndices(append(outer.Clone(), k), max(shape[0], shape[k-1])),
				r.updates(d, append(outer.Clone(), shape[k:]...))},
			Attrs: graph.Attrs{r.reduction(), {Name: "negative", Value: r.Bool()}},
		}
	},
}

// reduceParts computes the whole result: two updates may name one part, so their order counts.
func reduceParts[T numeric](c *Call, _, _ int) {
	in, negative := c.In[0].Shape(), c.Bool("negative")
	_, k := rowsOf(c.In[1].Shape())
	indices, updates, y := geometry.IndicesOf(c.In[1]), tensor.Data[T](c.In[2]), tensor.Data[T](c.Out[0])
	reduction, watch, part := reductionOf(c), c.Watch(), in[k:].Len()
	for i, x := range tensor.Data[T](c.In[0]) {
		y[i] = finish(x)
	}
	for i := range coordinates(c.In[1].Shape()) {
		if watch.Stops(part) {
			return
		}
		to := y[partAt(&indices, i, in[:k], negative)*part:][:part]
		for j, u := range updates[i*part : (i+1)*part] {
			to[j] = combined(reduction, to[j], u)
		}
	}
}

// The reductions of [reductionAttr], in its order.
const (
	reducesByAdd = iota
	reducesByMul
	reducesByMax
	reducesByMin
)

// reductionOf returns the reduction of a call: its name would be compared for each element.
func reductionOf(c *Call) int { return slices.Index(reductionAttr.Enum, c.String("reduction")) }

// combined returns what a reduction makes of an element and an update.
func combined[T numeric](reduction int, x, y T) T {
	switch reduction {
	case reducesByAdd:
		x += y
	case reducesByMul:
		x *= y
	case reducesByMax:
		x = max(x, y)
	case reducesByMin:
		x = min(x, y)
	}
	return finish(x)
}

// wholeIndices are the types of indices in operators that choose their kernel by another operand.
var wholeIndices = TypeSet(tensor.Int32, tensor.Int64)

// wholeIndices returns indices for a dimension of extent n, some of them out of range.
func (r *Rand) wholeIndices(shape tensor.Shape, n int) *tensor.Tensor {
	return must(tensor.Cast(r.Integers(tensor.Int64, shape, -n-r.IntN(2), n-1+r.IntN(2)), r.DType(wholeIndices)))
}

// updates returns numbers to combine with those that [Rand.Tensor] draws.
func (r *Rand) updates(d tensor.DType, shape tensor.Shape) *tensor.Tensor {
	if d.IsFloat() && r.IntN(4) == 0 {
		return r.Extremes(d, shape)
	}
	return r.Tensor(d, shape)
}

func (r *Rand) reduction() graph.Attr {
	return graph.Attr{Name: "reduction", Value: Pick(r, reductionAttr.Enum)}
}
