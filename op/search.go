package op

import (
	"unsafe"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/tensor"
)

// Operators that find elements. Where their number is known only when they are found, results have room for the greatest one, a scalar
// says how many there are, and what is behind them is 0.
var searchOps = []*Def{topKDef, nonZeroDef, uniqueDef}

// countResult is the result that says how many elements of the others mean something.
func countResult(what string) Result {
	return Result{Name: "count", Type: tensor.Int64, Doc: "the number of " + what + ", a scalar"}
}

// ordering are the elements of a tensor of any type in the order in which they are sorted: ascending, zeros of both signs equal, NaNs equal to one
// another and greater than every number.
type ordering struct {
	bytes []byte
	of    func(bytes []byte, i, j int) int
}

func orderingOf(t *tensor.Tensor) ordering { return ordering{t.Bytes(), orders[t.DType()]} }

// compare returns whether element i comes before element j, -1, is equal to it, 0, or comes behind it, 1.
func (o *ordering) compare(i, j int) int { return o.of(o.bytes, i, j) }

var orders = [tensor.NumDTypes]func(bytes []byte, i, j int) int{
	tensor.Bool: compareElements[uint8], tensor.Float32: compareElements[float32], tensor.Float64: compareElements[float64],
	tensor.Int8: compareElements[int8], tensor.Int16: compareElements[int16], tensor.Int32: compareElements[int32], tensor.Int64: compareElements[int64],
	tensor.Uint8: compareElements[uint8], tensor.Uint16: compareElements[uint16], tensor.Uint32: compareElements[uint32], tensor.Uint64: compareElements[uint64],
}

func compareElements[T numeric](bytes []byte, i, j int) int {
	list := elements[T](bytes)
	switch x, y := list[i], list[j]; {
	case x < y || x == x && y != y:
		return -1
	case x > y || x != x && y == y:
		return 1
	}
	return 0
}

// positions returns the scratch memory as n positions of elements.
func positions(c *Call, n int) []int64 {
	return unsafe.Slice((*int64)(unsafe.Pointer(unsafe.SliceData(c.Scratch))), n)
}

var nonZeroDef = &Def{
	Name: "non_zero",
	Doc: "Non_zero finds the elements of x that are not zero: their indices, in row-major order, and how many there are (ONNX NonZero). " +
		"Column j of indices is the index of the j-th element that is found; columns from count on are 0. " +
		"NaN is not zero, -0 is; of bools, false is. A scalar has an index without numbers: indices has no elements then, and count is 0 or 1.",
	In: []Operand{{Name: "x", Types: AnyType, Rank: Ranks{0, tensor.MaxRank}, Doc: "elements to look at"}},
	Out: []Result{
		{Name: "indices", Type: tensor.Int64, Doc: "of shape [rank of x, elements of x]: a row for each dimension"},
		countResult("elements that are not zero"),
	},
	Shape: func(s *Sig) ([]tensor.Shape, error) {
		in := s.In[0].Shape
		return []tensor.Shape{{in.Rank(), in.Len()}, {}}, nil
	},
	Ref: Reference{Kernels: merge(Kernels{
		tensor.Float16: findNonZero(func(x tensor.F16) bool { return x<<1 != 0 }), tensor.BFloat16: findNonZero(func(x tensor.BF16) bool { return x<<1 != 0 }),
		tensor.Float32: findNonZero(notZero[float32]), tensor.Float64: findNonZero(notZero[float64]),
	}, sized(findNonZero(notZero[uint8]), findNonZero(notZero[uint16]), findNonZero(notZero[uint32]), findNonZero(notZero[uint64])))},
	NonNegative: always,
	Work: func(s *Sig, out []tensor.Shape) Work {
		return Work{Ops: int64(out[0].Len()) + int64(s.In[0].Shape.Len())}
	},
	Generate: func(r *Rand) Case {
		d, shape := r.DType(AnyType), r.Shape(0, 4)
		if d.IsFloat() && r.IntN(3) == 0 {
			return Case{In: []*tensor.Tensor{r.Extremes(d, shape)}}
		}
		return Case{In: []*tensor.Tensor{r.fewValues(d, shape)}}
	},
}

func notZero[T numeric](x T) bool { return x != 0 }

// findNonZero makes the kernel of a predicate. It computes the whole results: where an index is stored depends on all elements before.
//
//go:noinline // tables of kernels would hold it three times
func findNonZero[T tensor.Element](found func(x T) bool) Kernel {
	return func(c *Call, _, _ int) {
		shape, indices, count := c.In[0].Shape(), tensor.Data[int64](c.Out[0]), 0
		outer, width := rowsOf(shape)
		cur, n := newCursor(outer), shape.Len()
		last, watch := indices[min(len(outer)*n, len(indices)):], c.Watch()
		for x := unsigned[T](c.In[0]); len(x) > 0; x = x[width:] {
			first := count
			for i, v := range x[:width] {
				if watch.Stops(1) {
					return
				}
				if found(v) {
					if len(last) > 0 {
						last[count] = int64(i)
					}
					count++
				}
			}
			for d := range outer {
				fillWords(indices[d*n+first:d*n+count], int64(cur.index[d]))
			}
			cur.next()
		}
		for d := range shape {
			clear(indices[d*n+count : (d+1)*n])
		}
		tensor.Data[int64](c.Out[1])[0] = int64(count)
	}
}

// fewValues returns a tensor of few different elements, zero among them.
func (r *Rand) fewValues(d tensor.DType, shape tensor.Shape) *tensor.Tensor {
	if d == tensor.Bool {
		return r.Tensor(d, shape)
	}
	least := 0
	if !d.IsUnsigned() {
		least = -1
	}
	return r.Integers(d, shape, least, 2)
}

// axisOf returns the attribute axis for a case.
func axisOf(axis int) graph.Attr { return graph.Attr{Name: "axis", Value: axis} }
