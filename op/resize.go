package op

import (
	"math"

	"github.com/concord-nn/concord/graph"
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
			{Name: "border", Kind: graph.KindString, Default: "replicate", Enum: geometry.BorderNames[:geometry.BorderIgnore], Doc: "what lies outside the input"},
		},
		Shape:    upsampleShape,
		Ref:      Reference{Kernels: floatKernel(upsampleKernel), Pieces: gridRows},
		Work:     interpolationWork(2),
		Generate: generateUpsample,
	},
	{
		Name: "resample",
		Doc: `Resample resizes a tensor to the given extents, taking the nearest element or interpolating linearly (WebNN, resample2d; CVM, upsampling).

Along each dimension result o lies at u = (o + 1/2)/scale - 1/2, clamped to 0…n-1, where n is the input's extent. Without
scales, scale is the quotient of the extents and u an exact fraction; with scales, u is computed in float64 from left to right.

Mode nearest-neighbor takes element ceil(u - 1/2) in each dimension. Mode linear interpolates the elements floor(u) and
ceil(u) as multilinear_upsample does. 8- and 16-bit integers are interpolated as float32 and rounded to nearest, ties to even.`,
		Spec: Spec{WebNN: "resample2d", CVM: "upsampling"},
		In:   []Operand{{Name: "input", Types: Numbers, Rank: AnyRank, Doc: "any tensor; mode linear does not take integers of more than 16 bits"}},
		Out:  []Result{{Name: "output", Like: "input", Doc: "the shape that sizes gives"}},
		Attrs: []Attr{
			{Name: "mode", Kind: graph.KindString, Default: "nearest-neighbor", Enum: []string{"nearest-neighbor", "linear"}, Doc: "how elements between those of the input are made"},
			{Name: "sizes", Kind: graph.KindInts, Range: [2]float64{0, resampleLimit}, Doc: "extents of the result, one for each dimension"},
			{Name: "scales", Kind: graph.KindFloats, Default: []float64{}, Range: [2]float64{0x1p-1022, math.MaxFloat64},
				Doc: "factor by which each dimension is enlarged; empty for the quotients of the extents"},
		},
		Shape:    resampleShape,
		Ref:      Reference{Kernels: resampleKernels, Pieces: gridRows},
		Work:     interpolationWork(0),
		Generate: generateResample,
	},
}

var methodAttr = Attr{Name: "method", Kind: graph.KindString, Default: "symmetric", Enum: []string{"symmetric", "asymmetric", "aligned"},
	Doc: "how results are placed: centres on centres, first on first, or first on first and last on last"}

// gridLimit bounds the extents between which is interpolated, to keep the arithmetic of positions within an int; resampleLimit
// does so for resample, which counts in 64 bits.
const (
	gridLimit     = limits.OpGrid
	resampleLimit = limits.OpResample
)

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

func resampleShape(s *Sig) ([]tensor.Shape, error) {
	in, sizes, scales := s.In[0], s.Ints("sizes"), s.Floats("scales")
	if len(sizes) != len(in.Shape) {
		return nil, s.Errorf("sizes", "%d extents are given; there must be %d, the rank of the input", len(sizes), len(in.Shape))
	}
	if len(scales) != 0 && len(scales) != len(sizes) {
		return nil, s.Errorf("scales", "%d factors are given; there must be %d, the rank of the input, or none", len(scales), len(sizes))
	}
	if s.String("mode") == "linear" && in.DType.IsInteger() && in.DType.Size() > 2 {
		return nil, s.Errorf("input", "mode linear does not take %v; it must be a float or an integer of at most 16 bits", in.DType)
	}
	for i, n := range in.Shape {
		if n == 0 && sizes[i] != 0 || n > resampleLimit {
			return nil, s.Errorf("input", "extent %d in dimension %d cannot be resized to %d", n, i, sizes[i])
		}
	}
	return []tensor.Shape{tensor.Shape(sizes).Clone()}, nil
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
	t    float32
}

// taps holds one tap for each dimension.
type taps [tensor.MaxRank]tap

// lerp interpolates between the elements at the taps of dimensions d…n-1, beyond the offset that the ones before give.
func lerp[T interpolable](x []T, at *taps, d, n, offset int) float32 {
	if d == n {
		return float32(x[offset])
	}
	p := &at[d]
	var a, b float32
	if p.a >= 0 {
		a = lerp(x, at, d+1, n, offset+p.a)
	}
	if p.t == 0 {
		return a
	}
	if p.b >= 0 {
		b = lerp(x, at, d+1, n, offset+p.b)
	}
	return mix(a, b, p.t)
}

// interpolable are the types that float32 holds exactly.
type interpolable interface {
	float32 | int8 | int16 | uint8 | uint16
}

// mix returns the value between a and b at t.
func mix(a, b, t float32) float32 { return fma(b, t, float32(a*float32(1-t))) }

// fraction splits num/den into its floor and the rest.
func fraction(num, den int64) (floor int, rest float32) {
	n := num / den
	if num%den < 0 {
		n--
	}
	return int(n), float32(float64(num-n*den) / float64(den))
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

func upsampleKernel(c *Call, lo, hi int) {
	u := upsampler{in: c.In[0].Shape(), factor: c.Ints("factor"), method: c.String("method"), border: geometry.BorderOf(c.Attrs)}
	linearRows(tensor.Data[float32](c.In[0]), tensor.Data[float32](c.Out[0]), u.in, c.Out[0].Shape(), lo, hi, u.place, canonical)
}

// linearRows interpolates rows of results.
func linearRows[T interpolable](x, y []T, in, out tensor.Shape, lo, hi int, place func(d, i, step int) tap, round func(float32) T) {
	last, width := max(len(out)-1, 0), rowLen(out)
	var at taps
	for row := lo; row < hi; row++ {
		gridRow(&at, in, out, row, place)
		for i := range width {
			if len(out) > 0 {
				at[last] = place(last, i, 1)
			}
			y[row*width+i] = round(lerp(x, &at, 0, len(out), 0))
		}
	}
}

// nearestRows copies rows of results from their first taps.
func nearestRows[W any](x, y []W, in, out tensor.Shape, lo, hi int, place func(d, i, step int) tap) {
	last, width := len(out)-1, rowLen(out)
	var at taps
	for row := lo; row < hi; row++ {
		gridRow(&at, in, out, row, place)
		from := 0
		for d := range last {
			from += at[d].a
		}
		for i := range width {
			j := 0
			if last >= 0 {
				j = place(last, i, 1).a
			}
			y[row*width+i] = x[from+j]
		}
	}
}

// resampler is the geometry of resample.
type resampler struct {
	in, out tensor.Shape
	scales  []float64
	nearest bool
}

func newResampler(c *Call) resampler {
	return resampler{c.In[0].Shape(), c.Out[0].Shape(), c.Floats("scales"), c.String("mode") == "nearest-neighbor"}
}

// place returns where result o lies along dimension d, in which the operand's elements are step apart.
func (r *resampler) place(d, o, step int) tap {
	in, out := r.in[d], r.out[d]
	var at int
	var t float32
	if len(r.scales) > 0 {
		u := min(max((float64(o)+0.5)/r.scales[d]-0.5, 0), float64(in-1))
		if r.nearest {
			at = int(math.Ceil(u - 0.5))
		} else {
			at, t = int(u), float32(u-math.Floor(u))
		}
	} else { // u = num/den
		n, den := int64(in), 2*int64(out)
		num := min(max((2*int64(o)+1)*n-int64(out), 0), den*(n-1))
		if r.nearest {
			if at = int(num / den); num%den > int64(out) {
				at++
			}
		} else {
			at, t = fraction(num, den)
		}
	}
	return tap{a: at * step, b: min(at+1, in-1) * step, t: t}
}

var resampleKernels = merge(
	floatKernel(resampleKernel(canonical)),
	Kernels{
		tensor.Int8: resampleKernel(roundTo[int8]), tensor.Int16: resampleKernel(roundTo[int16]),
		tensor.Uint8: resampleKernel(roundTo[uint8]), tensor.Uint16: resampleKernel(roundTo[uint16]),
		tensor.Int32: nearestKernel[uint32], tensor.Uint32: nearestKernel[uint32],
		tensor.Int64: nearestKernel[uint64], tensor.Uint64: nearestKernel[uint64],
	})

// resampleKernel returns the kernel for a type that can be interpolated.
func resampleKernel[T interpolable](round func(float32) T) Kernel {
	return func(c *Call, lo, hi int) {
		r, x, y := newResampler(c), tensor.Data[T](c.In[0]), tensor.Data[T](c.Out[0])
		if r.nearest {
			nearestRows(x, y, r.in, r.out, lo, hi, r.place)
		} else {
			linearRows(x, y, r.in, r.out, lo, hi, r.place, round)
		}
	}
}

func nearestKernel[W uint32 | uint64](c *Call, lo, hi int) {
	r := newResampler(c)
	nearestRows(words[W](c.In[0]), words[W](c.Out[0]), r.in, r.out, lo, hi, r.place)
}

// roundTo rounds to the nearest integer, ties to even. What is interpolated between two values of T lies in its range.
func roundTo[T int8 | uint8 | int16 | uint16](v float32) T { return T(math.RoundToEven(float64(v))) }

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
		{Name: "method", Value: Pick(r, methodAttr.Enum)}, {Name: "border", Value: Pick(r, geometry.BorderNames[:geometry.BorderIgnore])}}}
}

func generateResample(r *Rand) Case {
	mode, types := "nearest-neighbor", Numbers
	if r.Bool() {
		mode, types = "linear", Floats|TypeSet(tensor.Int8, tensor.Int16, tensor.Uint8, tensor.Uint16)
	}
	in := r.Shape(0, 4)
	sizes, scales := make([]int, len(in)), []float64{}
	for i, n := range in {
		sizes[i] = n
		if r.Bool() {
			sizes[i] = r.Between(1, 3*n)
		}
	}
	if r.IntN(3) == 0 {
		for i, n := range in {
			scales = append(scales, (float64(sizes[i])+float64(r.Float64()))/float64(n))
		}
	}
	return Case{In: []*tensor.Tensor{r.Tensor(r.DType(types), in)},
		Attrs: graph.Attrs{{Name: "mode", Value: mode}, {Name: "sizes", Value: sizes}, {Name: "scales", Value: scales}}}
}
