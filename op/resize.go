package op

import (
	"unsafe"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/fmath"
	"github.com/concord-nn/concord/internal/geometry"
	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/tensor"
)

// Interpolation on a regular grid.
var resizeOps = []*Def{
	{
		Name: "multilinear_upsample",
		Doc: `Multilinear_upsample enlarges the spatial dimensions of a tensor by integer factors, with linear interpolation (NNEF, multilinear_upsample).

Along each dimension result i with factor f and input extent n lies at u = (i - (f-1)/2)/f (symmetric), i/f (asymmetric) or
i·(n-1)/(n·f-1) (aligned; 0 for n·f = 1), an exact fraction. Its neighbours are the elements floor(u) and floor(u)+1, by the border rule
where they lie outside, and its weight t is u - floor(u), rounded to float64 and then to float32.

Two neighbours a and b give a if t is 0, and else fma(b, t, a·(1-t)) with 1-t and the product rounded; the last dimension is
interpolated first.`,
		Spec: Spec{NNEF: "multilinear_upsample"},
		In:   []Operand{{Name: "input", Types: Floats, Rank: AtLeast(3), Doc: "batch, channels and one or more spatial dimensions"}},
		Out:  []Result{{Name: "output", Like: "input", Doc: "spatial extents multiplied by the factors"}},
		Attrs: []Attr{
			{Name: "factor", Kind: graph.KindInts, Range: [2]float64{1, gridLimit}, Doc: "one factor for each spatial dimension"},
			methodAttr,
			{Name: "border", Kind: graph.KindString, Default: "replicate", Enum: geometry.FillNames, Doc: "what lies outside the input"},
		},
		Shape:    upsampleShape,
		Ref:      Reference{Kernels: floatKernels(upsampleKernel[float32], upsampleKernel[float64]), Pieces: gridRows},
		Work:     interpolationWork(2),
		Expand:   expandUpsample,
		BodyTol:  1e-6,
		Lane:     firstLane(func(_ *Sig, axis int) bool { return axis < 2 }),
		Generate: generateUpsample,
	},
	resampleDef,
	resizeDef,
	gridSampleDef,
}

var methodAttr = Attr{Name: "method", Kind: graph.KindString, Default: "symmetric", Enum: []string{"symmetric", "asymmetric", "aligned"},
	Doc: "how results are placed: centres on centres, first on first, or first on first and last on last"}

// gridLimit bounds the extents between which is interpolated, to keep the arithmetic of positions within an int.
const gridLimit = limits.OpGrid

func upsampleShape(s *Sig) ([]tensor.Shape, error) {
	in, factor := s.In[0].Shape, s.Ints("factor")
	if len(factor) != len(in)-2 {
		return nil, s.Errorf("factor", "%d numbers are given; there must be one for each of the %d spatial dimensions", len(factor), len(in)-2)
	}
	out := in.Clone()
	for i, f := range factor {
		if in[i+2] > gridLimit/f {
			return nil, s.Errorf("factor", "the extent %d·%d in dimension %d is too large", in[i+2], f, i+2)
		}
		out[i+2] *= f
	}
	return []tensor.Shape{out}, nil
}

// interpolationWork counts the additions and products of linear interpolation in all dimensions from the first.
func interpolationWork(first int) func(s *Sig, out []tensor.Shape) Work {
	return func(s *Sig, out []tensor.Shape) Work {
		n := out[0].Len()
		if s.String("mode") == "nearest-neighbor" {
			return Work{Ops: int64(n)}
		}
		return Work{MACs: times(n, 1<<(len(out[0])-min(first, len(out[0])))-1)}
	}
}

// tap is where one index of a result lies along one dimension: between the elements at two offsets, -1 for the zero of a
// constant border, with weight t of the second.
type tap struct {
	a, b int
	t    float64
}

// taps holds one tap for each dimension.
type taps [tensor.MaxRank]tap

// lerp interpolates between the elements at the taps of dimensions d…n-1, beyond the offset that the ones before give.
func lerp[T interpolable, A floatType](x []T, at *taps, d, n, offset int) A {
	if d == n {
		return A(x[offset])
	}
	p := &at[d]
	var a, b A
	if p.a >= 0 {
		a = lerp[T, A](x, at, d+1, n, offset+p.a)
	}
	t := A(p.t)
	if t == 0 {
		return a
	}
	if p.b >= 0 {
		b = lerp[T, A](x, at, d+1, n, offset+p.b)
	}
	return mulAddReal(b, t, A(a*A(1-t)))
}

// floatType are the types in which elements are interpolated, interpolable those that one of them holds exactly: float64 is for itself and for integers of 32 bits.
type (
	floatType    = fmath.Float
	interpolable interface {
		float32 | float64 | int8 | int16 | int32 | uint8 | uint16 | uint32
	}
)

// mulAddReal returns x·y + z, of float32 with one rounding and of float64 with two.
func mulAddReal[A floatType](x, y, z A) A {
	if unsafe.Sizeof(z) == 4 {
		return A(fma(float32(x), float32(y), float32(z)))
	}
	return A(x*y) + z
}

// fraction splits num/den into its floor and the rest.
func fraction(num, den int64) (floor int, rest float64) {
	n := num / den
	if num%den < 0 {
		n--
	}
	return int(n), float64(num-n*den) / float64(den)
}

// upsampler is the geometry of multilinear_upsample.
type upsampler struct {
	in     tensor.Shape
	factor []int
	method string
	border geometry.Border
}

// place returns where result i lies along dimension d, in which the operand's elements are step apart.
func (u *upsampler) place(d, i, step int) tap {
	if d < 2 {
		return tap{a: i * step}
	}
	n, f := u.in[d], u.factor[d-2]
	num, den := int64(i), int64(f)
	switch u.method {
	case "symmetric":
		num, den = 2*num-den+1, 2*den
	case "aligned":
		num, den = num*int64(n-1), max(int64(n)*den-1, 1)
	}
	at, t := fraction(num, den)
	p := tap{a: u.border.Index(at, n), b: u.border.Index(at+1, n), t: t}
	if p.a >= 0 {
		p.a *= step
	}
	if p.b >= 0 {
		p.b *= step
	}
	return p
}

// gridRows makes each row of the result a piece.
func gridRows(_ *Sig, out []Type) int {
	return out[0].Shape.Len() / rowLen(out[0].Shape)
}

// rowLen returns the last extent of a shape, 1 for a scalar.
func rowLen(shape tensor.Shape) int {
	if len(shape) == 0 {
		return 1
	}
	return shape[len(shape)-1]
}

// gridRow sets the taps of a row of results along all dimensions but the last.
func gridRow(at *taps, in, out tensor.Shape, row int, place func(d, i, step int) tap) {
	step := rowLen(in)
	for d := len(out) - 2; d >= 0; d-- {
		at[d] = place(d, row%out[d], step)
		row /= out[d]
		step *= in[d]
	}
}

func upsampleKernel[T fmath.Float](c *Call, lo, hi int) {
	u := upsampler{in: c.In[0].Shape(), factor: c.Ints("factor"), method: c.String("method"), border: geometry.BorderOf(c.Attrs)}
	linearRows(tensor.Data[T](c.In[0]), tensor.Data[T](c.Out[0]), u.in, c.Out[0].Shape(), lo, hi, u.place, canonical[T])
}

// linearRows interpolates rows of results.
func linearRows[T interpolable, A floatType](x, y []T, in, out tensor.Shape, lo, hi int, place func(d, i, step int) tap, round func(A) T) {
	last, width := max(len(out)-1, 0), rowLen(out)
	var at taps
	for row := lo; row < hi; row++ {
		gridRow(&at, in, out, row, place)
		for i := range width {
			if len(out) > 0 {
				at[last] = place(last, i, 1)
			}
			y[row*width+i] = round(lerp[T, A](x, &at, 0, len(out), 0))
		}
	}
}

func generateUpsample(r *Rand) Case {
	shape, factor := tensor.Shape{r.Between(1, 2), r.Between(1, 2)}, []int{}
	for range r.Between(1, 3) {
		shape, factor = append(shape, r.Extent()), append(factor, r.Between(1, 4))
	}
	d := r.DType(Floats)
	x := r.Tensor(d, shape)
	if r.IntN(6) == 0 {
		x = r.Extremes(d, shape)
	}
	return Case{In: []*tensor.Tensor{x}, Attrs: graph.Attrs{{Name: "factor", Value: factor},
		{Name: "method", Value: Pick(r, methodAttr.Enum)}, {Name: "border", Value: Pick(r, geometry.FillNames)}}}
}
