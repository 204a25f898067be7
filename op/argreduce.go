package op

import (
	"math"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/tensor"
)

func argReduce(name, which, webnn string, kernels Kernels) *Def {
	return &Def{
		Name: name,
		Doc: "Ar" + name[2:] + " returns the index of the " + which + " element along the axes (NNEF, " + name + "; WebNN, " + webnn + "). " +
			"It is the row-major index over the reduced axes in ascending order; the first element counts on ties, zeros of both signs tie, " +
			"and the first NaN counts before every number. No axes give 0.",
		Spec:  Spec{NNEF: name, WebNN: webnn},
		In:    []Operand{{Name: "input", Types: Numbers, Rank: AnyRank, Doc: "elements to compare"}},
		Out:   []Result{{Name: "index", TypeAttr: "dtype", Doc: "indices, in the shape of input with extent 1 along the axes"}},
		Attrs: []Attr{axesAttr, {Name: "dtype", Kind: graph.KindDType, Default: tensor.Int64, Types: TypeSet(tensor.Int32, tensor.Int64), Doc: "element type of the index"}},
		Shape: func(s *Sig) ([]tensor.Shape, error) {
			out, err := reducedShape(s)
			if err != nil {
				return nil, err
			}
			n := 1
			for _, a := range s.Ints("axes") {
				n *= s.In[0].Shape[a]
			}
			switch {
			case n == 0 && out[0].Len() > 0:
				return nil, s.Errorf("input", "there is no %s element: an axis of %v in %v has extent 0", which, s.Ints("axes"), s.In[0])
			case s.DType("dtype") == tensor.Int32 && n-1 > math.MaxInt32:
				return nil, s.Errorf("dtype", "int32 does not hold the indices of %d elements; it must be int64", n)
			}
			return out, nil
		},
		Ref:    Reference{Kernels: kernels, PerElement: true},
		Work:   addWork,
		Expand: expandArgReduce,
		Lane:   firstLane(besideAxes),
		Generate: func(r *Rand) Case {
			c := reduceCase(r, Numbers)
			if r.Bool() { // few values, so that ties are frequent
				c.In[0] = r.Uniform(c.In[0].DType(), c.In[0].Shape(), 0, 0.08)
			}
			c.Attrs = append(c.Attrs, graph.Attr{Name: "dtype", Value: Pick(r, []tensor.DType{tensor.Int32, tensor.Int64})})
			return c
		},
	}
}

var (
	argmaxKernels = merge(floatKernels(argument(greaterAt[float32]), argument(greaterAt[float64])),
		integerKernels(argument(greaterAt[int8]), argument(greaterAt[int16]), argument(greaterAt[int32]), argument(greaterAt[int64]),
			argument(greaterAt[uint8]), argument(greaterAt[uint16]), argument(greaterAt[uint32]), argument(greaterAt[uint64])))
	argminKernels = merge(floatKernels(argument(lessAt[float32]), argument(lessAt[float64])),
		integerKernels(argument(lessAt[int8]), argument(lessAt[int16]), argument(lessAt[int32]), argument(lessAt[int64]),
			argument(lessAt[uint8]), argument(lessAt[uint16]), argument(lessAt[uint32]), argument(lessAt[uint64])))
)

// greaterAt and lessAt return whether element i counts before element j, which comes first.
func greaterAt[T tensor.Number](bytes []byte, i, j int) bool {
	list := elements[T](bytes)
	x, y := list[i], list[j]
	return y == y && (x > y || x != x)
}

func lessAt[T tensor.Number](bytes []byte, i, j int) bool {
	list := elements[T](bytes)
	x, y := list[i], list[j]
	return y == y && (x < y || x != x)
}

// argument makes a kernel that finds the first element before which no other counts. Each result is a piece.
func argument(before func(bytes []byte, i, j int) bool) Kernel {
	return func(c *Call, lo, hi int) {
		x := c.In[0].Bytes()
		y32, y64 := tensor.Data[int32](c.Out[0]), tensor.Data[int64](c.Out[0])
		var r reduction
		r.start(c.In[0].Shape(), c.Ints("axes"), lo)
		for i := lo; i < hi; i++ {
			at, k, best := 0, 0, r.groups.pos[0]
			for range r.rowCount() {
				p := r.groups.pos[0] + r.rows.pos[0]
				for range r.length {
					if before(x, p, best) {
						at, best = k, p
					}
					k++
					p += r.step
				}
				r.rows.next()
			}
			if y32 != nil {
				y32[i] = int32(at)
			} else {
				y64[i] = int64(at)
			}
			r.groups.next()
		}
	}
}
