package kernel

import (
	"unsafe"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// application is a node as a kernel for one node alone sees it: attributes, and types of operands and results.
type application struct {
	graph.Attrs
	in, out []op.Type
}

// alone makes the function Prepare of a kernel for a node without a tail. The kernel need not care for results without elements, of which
// the other extents may be any numbers.
//
//go:noinline // tables of kernels would hold it more than once
func alone(prepare func(a *application) *Plan) func(Region) *Plan {
	return func(r Region) *Plan {
		n := r.Root()
		a := application{n.Attrs, graph.TypesOf(n.In), graph.TypesOf(n.Out)}
		if len(r.Nodes) > 1 || a.out[0].Shape.Len() == 0 {
			return nil
		}
		return prepare(&a)
	}
}

// summed makes the function Prepare of a kernel for sums of integer products, alone or with a requantisation of the sums behind it, whose
// multiplier may have one element for each index along an axis of the sums, 1 or, counted from the last, -1. It is nil where there is none.
func summed(axis int, prepare func(a *application, q *requantization) *Plan) func(Region) *Plan {
	return func(r Region) *Plan {
		n := r.Root()
		a := application{n.Attrs, graph.TypesOf(n.In), graph.TypesOf(n.Out)}
		if a.out[0].Shape.Len() == 0 || len(r.Nodes) > 2 {
			return nil
		}
		if len(r.Nodes) == 1 {
			return prepare(&a, nil)
		}
		if q := requantizationOf(r, axis); q != nil {
			return prepare(&a, q)
		}
		return nil
	}
}

// evenly returns the plan of a kernel that computes each of n equal runs of the elements of the result by itself.
func evenly(n int, run op.Kernel) *Plan { return &Plan{Pieces: n, Even: true, Run: run} }

// scratch returns the working memory of a call as elements of A.
func scratch[A tensor.Integer](c *op.Call) []A { return elementsOfType[A](c.Scratch) }

// elementsOfType returns memory as elements of A.
func elementsOfType[A, B any](b []B) []A {
	var to A
	var from B
	return unsafe.Slice((*A)(unsafe.Pointer(unsafe.SliceData(b))), len(b)*int(unsafe.Sizeof(from))/int(unsafe.Sizeof(to)))
}

// has reports whether operand i is given.
func (a *application) has(i int) bool { return i < len(a.in) && a.in[i].DType != tensor.Invalid }

// wide reports whether integers are summed in 64 bits.
func (a *application) wide() bool { return a.out[0].DType == tensor.Int64 }

// integer returns the one of the functions that is for an integer type.
func integer[F any](d tensor.DType, i8, i16, i32, i64, u8, u16, u32, u64 F) F {
	return map[tensor.DType]F{tensor.Int8: i8, tensor.Int16: i16, tensor.Int32: i32, tensor.Int64: i64,
		tensor.Uint8: u8, tensor.Uint16: u16, tensor.Uint32: u32, tensor.Uint64: u64}[d]
}

// ofFloats makes the function Prepare of a kernel for a node without a tail, on float32 or on float64.
func ofFloats(single, double func(a *application) *Plan) func(Region) *Plan {
	return alone(func(a *application) *Plan {
		if a.in[0].DType == tensor.Float64 {
			return double(a)
		}
		return single(a)
	})
}

// The element types that rows of tables name.
var (
	float32s = op.TypeSet(tensor.Float32)
	float64s = op.TypeSet(tensor.Float64)
	floats   = float32s | float64s
	bits8    = op.TypeSet(tensor.Int8, tensor.Uint8)
	bits16   = op.TypeSet(tensor.Int16, tensor.Uint16)
)
