package op

import (
	"unsafe"

	"github.com/concord-nn/concord/tensor"
)

var detDef = &Def{
	Name: "det",
	Doc: `Det returns the determinant of each square matrix (ONNX Det).

Elimination with partial pivoting, every operation rounded: for each column k, the pivot is the element of greatest magnitude from row k on, the
first one of several; a NaN counts as the greatest. If it is 0, the determinant is +0. Its row is exchanged with row k, which changes the sign of
the result. Then aᵢⱼ = aᵢⱼ - (aᵢₖ/aₖₖ)·aₖⱼ for all i, j > k. The result is the product of the pivots one after the other, from 1 on, and 1 for no rows.`,
	In:  []Operand{{Name: "x", Types: Floats, Rank: AtLeast(2), Doc: "matrices (…, N, N)"}},
	Out: []Result{{Name: "y", Like: "x", Doc: "determinants (…)"}},
	Shape: func(s *Sig) ([]tensor.Shape, error) {
		in := s.In[0].Shape
		batch := len(in) - 2
		if in[batch] != in[batch+1] {
			return nil, s.Errorf("x", "matrices of %d rows and %d columns in shape %v are not square", in[batch], in[batch+1], in)
		}
		return []tensor.Shape{in[:batch]}, nil
	},
	Ref: Reference{
		Kernels:    Kernels{tensor.Float32: determinants[float32], tensor.Float64: determinants[float64]},
		PerElement: true,
		Scratch: func(s *Sig, _ []Type) int {
			in := s.In[0].Shape
			if in.Len() == 0 {
				return 0
			}
			return 8 * in[len(in)-2:].Len()
		},
	},
	Work: func(s *Sig, out []tensor.Shape) Work {
		n := s.In[0].Shape[len(s.In[0].Shape)-1]
		return Work{MACs: times(out[0].Len(), n, n, n) / 3, Ops: int64(s.In[0].Shape.Len())}
	},
	Lane: firstLane(leading),
	Generate: func(r *Rand) Case {
		n, d := r.Between(0, r.Size), r.DType(Floats)
		shape := append(r.Shape(0, 2), n, n)
		x := r.Tensor(d, shape)
		switch r.IntN(6) {
		case 0:
			x = r.Extremes(d, shape)
		case 1:
			x = r.fewValues(d, shape) // often singular, with equal pivots
		}
		return Case{In: []*tensor.Tensor{x}}
	},
}

func determinants[T float32 | float64](c *Call, lo, hi int) {
	x, y := tensor.Data[T](c.In[0]), tensor.Data[T](c.Out[0])
	shape := c.In[0].Shape()
	n := shape[len(shape)-1]
	a, watch := unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(c.Scratch))), n*n), c.Watch()
	for i := lo; i < hi; i++ {
		copy(a, x[i*n*n:])
		det := determinant(a, n, &watch)
		if watch.Stops(n) {
			return
		}
		y[i] = finish(det)
	}
}

// determinant overwrites the matrix.
func determinant[T float32 | float64](a []T, n int, watch *Watch) T {
	det := T(1)
	for k := range n {
		top := a[k*n : (k+1)*n]
		if p := pivot(a, n, k); p != k {
			for j, v := range a[p*n : (p+1)*n] {
				a[p*n+j], top[j] = top[j], v
			}
			det = -det
		}
		if top[k] == 0 {
			return 0
		}
		det *= top[k]
		for i := k + 1; i < n; i++ {
			if watch.Stops(n - k) { // Without this it would end after the matrix.
				return det
			}
			row := a[i*n : (i+1)*n]
			f := row[k] / top[k]
			for j := k + 1; j < n; j++ {
				row[j] -= T(f * top[j])
			}
		}
	}
	return det
}

// pivot returns the row of the pivot of column k.
func pivot[T float32 | float64](a []T, n, k int) int {
	best, at := T(-1), k
	for i := k; i < n; i++ {
		switch v := max(a[i*n+k], -a[i*n+k]); {
		case v != v:
			return i
		case v > best:
			best, at = v, i
		}
	}
	return at
}
