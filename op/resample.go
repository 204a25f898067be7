package op

import (
	"math"
	"unsafe"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/tensor"
)

var resampleDef = &Def{
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
		{Name: "mode", Kind: graph.KindString, Default: "nearest-neighbor", Enum: resizeModes[:2], Doc: "how elements between those of the input are made"},
		sizesAttr,
		scalesAttr([2]float64{0x1p-1022, math.MaxFloat64}),
	},
	Shape: func(s *Sig) ([]tensor.Shape, error) {
		if in := s.In[0]; s.String("mode") == "linear" && in.DType.IsInteger() && in.DType.Size() > 2 {
			return nil, s.Errorf("input", "mode linear does not take %v; it must be a float or an integer of at most 16 bits", in.DType)
		}
		return resampleShape(s)
	},
	Ref:      Reference{Kernels: resizeKernels, Pieces: gridRows},
	Work:     interpolationWork(0),
	Expand:   expandResample,
	BodyTol:  1e-6,
	Takes:    nearest,
	Lane:     single("sizes", firstLane(resizeFree)),
	Generate: generateResample,
}

var resizeDef = &Def{
	Name: "resize",
	Doc: `Resize resizes a tensor to the given extents, in any of ONNX's ways (ONNX, Resize and Upsample). Resample is the commonest of them.

Along each dimension, of extents n before and m after, result o lies at u, as the attribute coordinates says, with L = scale·n and
[b, e] the dimension's part of roi:

half_pixel: (o + 1/2)/scale - 1/2; half_pixel_symmetric: n/2·(1 - m/L) + (o + 1/2)/scale - 1/2; pytorch_half_pixel: as half_pixel, 0 for
m = 1; align_corners: o·(n-1)/(L-1), 0 for m = 1; asymmetric: o/scale; tf_half_pixel_for_nn: (o + 1/2)/scale; tf_crop_and_resize:
o·(e-b)·(n-1)/(m-1) + b·(n-1), for m = 1 (e-b)·(n-1)/2 + b·(n-1), and the result is extrapolation_value if that is below 0 or above n-1 in
any dimension.

Without scales, scale is m/n and u an exact fraction; with scales, and with tf_crop_and_resize, u is computed in float64 from left to right.
at is floor(u) and t is u - at.

Mode nearest-neighbor takes element at or at + 1, by nearest_mode: the nearer one and at (round_prefer_floor) or at + 1
(round_prefer_ceil) where both are as near, always at (floor), or at + 1 unless t is 0 (ceil). Indices outside are clamped.

Mode linear without antialias clamps u to 0…n-1 and interpolates at and at + 1 as multilinear_upsample does.

Mode cubic, and linear with antialias, adds the elements i around u with weights f((i - u)·z), z being 1 or, with antialias, scale if that is less:
f(x) is 1 - |x| below 1 (linear), or with a = cubic_coeff_a (((a+2)·|x| - (a+3))·|x|²) + 1 up to 1 and ((a·|x| - 5a)·|x| + 8a)·|x| - 4a up to 2
(cubic), and 0 beyond, as for cubic at whole numbers but 0, where it is 1. Elements outside are those at the edge, or with
exclude_outside none. With antialias or exclude_outside each weight is divided by the sum of all. Weights are computed in float64 and rounded
once; sums begin at +0 and take a fused multiply-add for each weight that is not 0, in ascending order, the last dimension first.

Along a dimension that is not resized (m = n, scale 1, and all of it if there is a region) o lies at o, and with weights has 1 alone.

Integers of 8 and 16 bits are computed in float32, those of 32 bits in float64, where products and sums are rounded one by one; the result is
rounded to nearest, ties to even, and saturated.`,
	In:  []Operand{{Name: "input", Types: Numbers, Rank: AnyRank, Doc: "any tensor; integers of 64 bits only with mode nearest-neighbor"}},
	Out: []Result{{Name: "output", Like: "input", Doc: "the shape that sizes gives"}},
	Attrs: []Attr{
		{Name: "mode", Kind: graph.KindString, Default: resizeModes[0], Enum: resizeModes, Doc: "how elements between those of the input are made"},
		sizesAttr,
		scalesAttr([2]float64{0x1p-64, 0x1p64}),
		{Name: "coordinates", Kind: graph.KindString, Default: resizeCoordinates[0], Enum: resizeCoordinates, Doc: "where a result lies among the elements of the input"},
		{Name: "nearest_mode", Kind: graph.KindString, Default: nearestModes[0], Enum: nearestModes, Doc: "which element mode nearest-neighbor takes"},
		{Name: "cubic_coeff_a", Kind: graph.KindFloat, Default: -0.75, Range: [2]float64{-0x1p20, 0x1p20}, Doc: "the coefficient a of mode cubic"},
		{Name: "exclude_outside", Kind: graph.KindBool, Default: false, Doc: "whether elements outside the input have no weight"},
		{Name: "antialias", Kind: graph.KindBool, Default: false, Doc: "whether modes linear and cubic widen their weights where the result is smaller"},
		{Name: "roi", Kind: graph.KindFloats, Default: []float64{}, Range: [2]float64{-gridLimit, gridLimit},
			Doc: "for tf_crop_and_resize where the region begins in each dimension, then where it ends, 0 being the first element and 1 the last; empty for all of the input"},
		{Name: "extrapolation_value", Kind: graph.KindFloat, Default: 0.0, Doc: "result of tf_crop_and_resize outside the input"},
	},
	Shape:    resizeShape,
	Ref:      Reference{Kernels: resizeKernels, Pieces: gridRows, Scratch: resizeScratch},
	Takes:    nearest,
	Simplify: simplerResize,
	Work:     resizeWork,
	Lane:     single("sizes", firstLane(resizeFree)),
	Generate: generateResize,
}

var (
	resizeModes       = []string{"nearest-neighbor", "linear", "cubic"}
	resizeCoordinates = []string{"half_pixel", "half_pixel_symmetric", "pytorch_half_pixel", "align_corners", "asymmetric", "tf_half_pixel_for_nn",
		"tf_crop_and_resize"}
	nearestModes = []string{"round_prefer_floor", "round_prefer_ceil", "floor", "ceil"}

	sizesAttr = Attr{Name: "sizes", Kind: graph.KindInts, Range: [2]float64{0, resampleLimit}, Doc: "extents of the result, one for each dimension"}
)

func scalesAttr(bounds [2]float64) Attr {
	return Attr{Name: "scales", Kind: graph.KindFloats, Default: []float64{}, Range: bounds,
		Doc: "factor by which each dimension is enlarged; empty for the quotients of the extents"}
}

// nearest is for results that are elements of the input: not interpolated ones, nor those beyond it.
func nearest(s *Sig) Taken {
	if s.String("mode") != "nearest-neighbor" || s.String("coordinates") == "tf_crop_and_resize" {
		return Taken{}
	}
	return fromFirst(s)
}

// resampleShape is the part of the shape rules that resample and resize have in common.
func resampleShape(s *Sig) ([]tensor.Shape, error) {
	in, sizes, scales := s.In[0], s.Ints("sizes"), s.Floats("scales")
	if len(sizes) != len(in.Shape) {
		return nil, s.Errorf("sizes", "%d extents are given; there must be %d, the rank of the input", len(sizes), len(in.Shape))
	}
	if len(scales) != 0 && len(scales) != len(sizes) {
		return nil, s.Errorf("scales", "%d factors are given; there must be %d, the rank of the input, or none", len(scales), len(sizes))
	}
	for i, n := range in.Shape {
		if n == 0 && sizes[i] != 0 || n > resampleLimit {
			return nil, s.Errorf("input", "extent %d in dimension %d cannot be resized to %d", n, i, sizes[i])
		}
	}
	return []tensor.Shape{tensor.Shape(sizes).Clone()}, nil
}

func resizeShape(s *Sig) ([]tensor.Shape, error) {
	out, err := resampleShape(s)
	if err != nil {
		return nil, err
	}
	in, mode, roi := s.In[0], s.String("mode"), s.Floats("roi")
	if mode != resizeModes[0] && in.DType.IsInteger() && in.DType.Size() > 4 {
		return nil, s.Errorf("input", "mode %s does not take %v; it must be a float or an integer of at most 32 bits", mode, in.DType)
	}
	if len(roi) != 0 && len(roi) != 2*len(in.Shape) {
		return nil, s.Errorf("roi", "%d numbers are given; there must be %d, two for each dimension, or none", len(roi), 2*len(in.Shape))
	}
	for d, scale := range s.Floats("scales") {
		if n := float64(in.Shape[d]); s.Bool("antialias") && n > 0 && 2*scale*n < 1 {
			return nil, s.Misfit("scales", "%v in dimension %d would make less than half an element of %v; with antialias it must be at least %v",
				scale, d, in.Shape[d], 0.5/n)
		}
	}
	return out, nil
}

// simplerResize makes a resample of what is one.
func simplerResize(n *graph.Node) (*graph.Value, *graph.Node) {
	a, in := n.Attrs, n.In[0].Type
	mode, scales, out := a.String("mode"), a.Floats("scales"), n.Out[0].Type.Shape
	switch a.String("coordinates") {
	case "half_pixel":
	case "half_pixel_symmetric":
		if len(scales) > 0 {
			return nil, nil
		}
	case "pytorch_half_pixel":
		for d, m := range out {
			if m == 1 && in.Shape[d] != 1 {
				return nil, nil
			}
		}
	default:
		return nil, nil
	}
	switch {
	case mode == "nearest-neighbor" && a.String("nearest_mode") == nearestModes[0]:
	case mode == "linear" && !a.Bool("antialias") && (!in.DType.IsInteger() || in.DType.Size() <= 2):
	default:
		return nil, nil
	}
	return nil, &graph.Node{Op: "resample", In: n.In, Out: n.Out, Label: n.Label,
		Attrs: graph.Attrs{{Name: "mode", Value: mode}, {Name: "sizes", Value: a.Ints("sizes")}, {Name: "scales", Value: scales}}}
}

// resizer is the geometry of resample and resize.
type resizer struct {
	in, out                   tensor.Shape
	scales, roi               []float64
	mode, coordinates, choice string
	a                         float64
	antialias, exclude        bool
}

func newResizer(in, out tensor.Shape, a graph.Attrs) resizer {
	r := resizer{in: in, out: out, scales: a.Floats("scales"), mode: a.String("mode"), coordinates: resizeCoordinates[0]}
	if a.Get("coordinates") != nil { // resize
		r.coordinates, r.choice, r.roi = a.String("coordinates"), a.String("nearest_mode"), a.Floats("roi")
		r.a, r.antialias, r.exclude = a.Float("cubic_coeff_a"), a.Bool("antialias"), a.Bool("exclude_outside")
	}
	return r
}

// position returns where result o lies along dimension d: by t of their distance behind element at, which may lie outside.
func (r *resizer) position(d, o int) (at int, t float64) {
	if r.still(d) {
		return o, 0
	}
	if len(r.scales) == 0 && r.coordinates != "tf_crop_and_resize" {
		return fraction(r.ratio(int64(o), int64(r.in[d]), int64(r.out[d])))
	}
	const far = 1 << 40
	u := min(max(r.coordinate(d, o), -far), far)
	return int(math.Floor(u)), u - math.Floor(u)
}

// still reports whether a dimension is not resized.
func (r *resizer) still(d int) bool {
	if r.in[d] != r.out[d] || len(r.scales) > 0 && r.scales[d] != 1 {
		return false
	}
	return r.coordinates != "tf_crop_and_resize" || len(r.roi) == 0 || r.roi[d] == 0 && r.roi[len(r.in)+d] == 1
}

// ratio returns where result o of m lies among n elements, as a quotient.
func (r *resizer) ratio(o, n, m int64) (num, den int64) {
	switch r.coordinates {
	case "pytorch_half_pixel":
		if m == 1 {
			return 0, 1
		}
	case "align_corners":
		return o * (n - 1), max(m-1, 1)
	case "asymmetric":
		return o * n, m
	case "tf_half_pixel_for_nn":
		return (2*o + 1) * n, 2 * m
	}
	return (2*o+1)*n - m, 2 * m
}

// coordinate returns where result o lies along dimension d if a scale or region says so.
func (r *resizer) coordinate(d, o int) float64 {
	x, n, m, scale := float64(o), float64(r.in[d]), float64(r.out[d]), 1.0
	if len(r.scales) > 0 {
		scale = r.scales[d]
	}
	switch r.coordinates {
	case "half_pixel_symmetric":
		return float64(n/2*(1-m/float64(scale*n))) + (x+0.5)/scale - 0.5
	case "pytorch_half_pixel":
		if m == 1 {
			return 0
		}
	case "align_corners":
		if m == 1 { // Without this the place would be 0/0.
			return 0
		}
		return float64(x*(n-1)) / (float64(scale*n) - 1)
	case "asymmetric":
		return x / scale
	case "tf_half_pixel_for_nn":
		return (x + 0.5) / scale
	case "tf_crop_and_resize":
		begin, end := 0.0, 1.0
		if len(r.roi) > 0 {
			begin, end = r.roi[d], r.roi[len(r.in)+d]
		}
		if m == 1 {
			return float64(float64((end-begin)*(n-1))/2) + float64(begin*(n-1))
		}
		return float64(float64(x*(end-begin))*(n-1))/(m-1) + float64(begin*(n-1))
	}
	return (x+0.5)/scale - 0.5
}

// nearest returns the element that result o takes along dimension d, in which they are step apart.
func (r *resizer) nearest(d, o, step int) tap {
	at, t := r.position(d, o)
	up := t > 0.5
	switch r.choice {
	case "round_prefer_ceil":
		up = t >= 0.5
	case "floor":
		up = false
	case "ceil":
		up = t > 0
	}
	if up {
		at++
	}
	return tap{a: min(max(at, 0), r.in[d]-1) * step}
}

// between returns the elements between which result o is interpolated along dimension d, in which they are step apart.
func (r *resizer) between(d, o, step int) tap {
	at, t := r.position(d, o)
	if at < 0 || at >= r.in[d]-1 {
		at, t = min(max(at, 0), r.in[d]-1), 0
	}
	return tap{a: at * step, b: min(at+1, r.in[d]-1) * step, t: t}
}

// outside reports whether result o is extrapolated along dimension d.
func (r *resizer) outside(d, o int) bool {
	u := r.coordinate(d, o)
	return !r.still(d) && (u < 0 || u > float64(r.in[d]-1))
}

// weighted reports whether elements are added with weights rather than interpolated pair by pair.
func (r *resizer) weighted() bool { return r.mode == "cubic" || r.mode == "linear" && r.antialias }

// shrink returns the factor of the distances to the elements along dimension d.
func (r *resizer) shrink(d int) float64 {
	switch {
	case !r.antialias:
		return 1
	case len(r.scales) > 0:
		return min(r.scales[d], 1)
	}
	return min(float64(r.out[d])/float64(r.in[d]), 1)
}

// count returns how many elements may have a weight along dimension d: 1 if it is not resized, else an even number.
func (r *resizer) count(d int) int {
	if r.still(d) { // Without this zeros would be weights of its neighbours.
		return 1
	}
	width := 1.0
	if r.mode == "cubic" {
		width = 2
	}
	return 2 * int(math.Ceil(width/r.shrink(d)))
}

// weigh sets the weights for result o along dimension d, in which elements are step apart.
func (r *resizer) weigh(w *weights, d, o, step int) {
	n := len(w.of[d])
	at, t := r.position(d, o)
	before := n/2 - 1
	if n == 1 {
		at, before = o, 0
	}
	shrink, sum := r.shrink(d), 0.0
	for i := range n {
		k, weight := at-before+i, 1.0
		switch {
		case r.exclude && (k < 0 || k >= r.in[d]):
			weight = 0
		case n > 1:
			weight = r.filter(math.Abs((float64(i-before) - t) * shrink))
		}
		w.of[d][i], w.at[d][i] = weight, min(max(k, 0), r.in[d]-1)*step
		sum += weight
	}
	if !r.exclude && !r.antialias || sum == 0 {
		return
	}
	for i := range n {
		w.of[d][i] /= sum
	}
}

// filter returns the weight of an element at a distance.
func (r *resizer) filter(x float64) float64 {
	if r.mode == "linear" {
		return max(1-x, 0)
	}
	return keys(x, r.a)
}

// keys is Keys' cubic convolution: the weight of an element at a distance, given the coefficient a.
func keys(x, a float64) float64 {
	switch {
	case x == 1 || x >= 2:
		return 0
	case x < 1:
		return float64((float64((a+2)*x)-(a+3))*float64(x*x)) + 1
	}
	return float64((float64((float64(a*x)-float64(5*a))*x)+float64(8*a))*x) - float64(4*a)
}

// weights are those of the elements around a place: for each dimension their numbers and offsets, -1 for the zero of a border.
type weights struct {
	of [tensor.MaxRank][]float64
	at [tensor.MaxRank][]int
}

// weigh returns the sum, over dimensions d…n-1, of the elements beyond an offset with their weights.
func weigh[T interpolable, A floatType](x []T, w *weights, d, n, offset int, watch *Watch) A {
	if d == n {
		return A(x[offset])
	}
	sum := A(0)
	for i, weight := range w.of[d] {
		if watch.Stops(1) {
			return 0
		}
		if t, at := A(weight), w.at[d][i]; t != 0 && at >= 0 {
			sum = mulAddReal(t, weigh[T, A](x, w, d+1, n, offset+at, watch), sum)
		}
	}
	return sum
}

// weighedRows computes rows of results as sums with weights.
func weighedRows[T interpolable, A floatType](c *Call, r *resizer, lo, hi int, round func(A) T) {
	x, y, watch := tensor.Data[T](c.In[0]), tensor.Data[T](c.Out[0]), c.Watch()
	var w weights
	var steps [tensor.MaxRank]int
	memory, step := c.Scratch, 1
	for d := len(r.in) - 1; d >= 0; d-- {
		n := r.count(d)
		w.of[d] = unsafe.Slice((*float64)(unsafe.Pointer(unsafe.SliceData(memory))), n)
		w.at[d] = unsafe.Slice((*int)(unsafe.Pointer(unsafe.SliceData(memory[8*n:]))), n)
		memory = memory[16*n:]
		steps[d] = step
		step *= r.in[d]
	}
	last, width := len(r.in)-1, rowLen(r.out)
	for row := lo; row < hi; row++ {
		for d, n := last-1, row; d >= 0; d-- {
			r.weigh(&w, d, n%r.out[d], steps[d])
			n /= r.out[d]
		}
		for i := range width {
			if last >= 0 {
				r.weigh(&w, last, i, 1)
			}
			if y[row*width+i] = round(weigh[T, A](x, &w, 0, last+1, 0, &watch)); watch.Stops(1) {
				return
			}
		}
	}
}

// nearestRows copies rows of results from their first taps.
func nearestRows[T any](x, y []T, in, out tensor.Shape, lo, hi int, place func(d, i, step int) tap) {
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

// extrapolate sets the results in rows that lie outside to a value.
func extrapolate[T any](y []T, r *resizer, lo, hi int, value T) {
	if r.coordinates != "tf_crop_and_resize" {
		return
	}
	last, width := len(r.out)-1, rowLen(r.out)
	for row := lo; row < hi; row++ {
		outside := false
		for d, n := last-1, row; d >= 0; d-- {
			outside = outside || r.outside(d, n%r.out[d])
			n /= r.out[d]
		}
		for i := range width {
			if outside || last >= 0 && r.outside(last, i) {
				y[row*width+i] = value
			}
		}
	}
}

var resizeKernels = merge(
	floatKernels(resizeKernel(canonical[float32]), resizeKernel(canonical[float64])),
	Kernels{
		tensor.Int8: resizeKernel(roundTo[int8, float32]), tensor.Int16: resizeKernel(roundTo[int16, float32]),
		tensor.Uint8: resizeKernel(roundTo[uint8, float32]), tensor.Uint16: resizeKernel(roundTo[uint16, float32]),
		tensor.Int32: resizeKernel(roundTo[int32, float64]), tensor.Uint32: resizeKernel(roundTo[uint32, float64]),
		tensor.Int64: nearestKernel[int64], tensor.Uint64: nearestKernel[uint64],
	})

// resizeKernel returns the kernel for a type that can be interpolated in A.
//
//go:noinline // tables of kernels would hold it three times
func resizeKernel[T interpolable, A floatType](round func(A) T) Kernel {
	return func(c *Call, lo, hi int) {
		r, x, y := newResizer(c.In[0].Shape(), c.Out[0].Shape(), c.Attrs), tensor.Data[T](c.In[0]), tensor.Data[T](c.Out[0])
		switch {
		case r.mode == "nearest-neighbor":
			nearestRows(x, y, r.in, r.out, lo, hi, r.nearest)
		case r.weighted():
			weighedRows(c, &r, lo, hi, round)
		default:
			linearRows(x, y, r.in, r.out, lo, hi, r.between, round)
		}
		extrapolate(y, &r, lo, hi, round(A(c.Float("extrapolation_value"))))
	}
}

func nearestKernel[T int64 | uint64](c *Call, lo, hi int) {
	r, y := newResizer(c.In[0].Shape(), c.Out[0].Shape(), c.Attrs), tensor.Data[T](c.Out[0])
	nearestRows(tensor.Data[T](c.In[0]), y, r.in, r.out, lo, hi, r.nearest)
	extrapolate(y, &r, lo, hi, roundTo[T](c.Float("extrapolation_value")))
}

// roundTo rounds to the nearest integer, ties to even, and saturates.
func roundTo[T tensor.Integer, A floatType](v A) T {
	lo, hi := bounds[T]()
	switch w := math.RoundToEven(float64(v)); {
	case w >= float64(hi):
		return hi
	case w > float64(lo):
		return T(w)
	}
	return lo
}

// resizeScratch asks for the weights of one result along each dimension, and where they belong.
func resizeScratch(s *Sig, out []Type) int {
	r := newResizer(s.In[0].Shape, out[0].Shape, s.Attrs)
	if !r.weighted() || out[0].Shape.Len() == 0 { // Without this memory would be asked for that nothing uses.
		return 0
	}
	n := 0
	for d := range r.in {
		n += r.count(d)
	}
	return 16 * n // a number and an offset for each
}

func resizeWork(s *Sig, out []tensor.Shape) Work {
	r := newResizer(s.In[0].Shape, out[0], s.Attrs)
	if !r.weighted() || out[0].Len() == 0 {
		return interpolationWork(0)(s, out)
	}
	steps, sum := []int{out[0].Len()}, 0
	for d := range r.in {
		steps, sum = append(steps, r.count(d)), sum+r.count(d)
	}
	return Work{MACs: times(steps...), Ops: times(out[0].Len(), sum)}
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

func generateResize(r *Rand) Case {
	mode, types := Pick(r, resizeModes), Numbers
	if mode != "nearest-neighbor" {
		types &^= TypeSet(tensor.Int64, tensor.Uint64)
	}
	in := r.Shape(0, 4)
	sizes, scales, roi := make([]int, len(in)), []float64{}, []float64{}
	scaled, cropped := r.IntN(3) == 0, r.Bool()
	for i, n := range in {
		sizes[i] = n
		if r.Bool() {
			sizes[i] = r.Between(1, 3*n)
		}
		if scaled {
			scales = append(scales, (float64(sizes[i])+float64(float64(r.IntN(2))*r.Float64()))/float64(n))
		}
	}
	for range 2 * len(in) {
		if cropped {
			roi = append(roi, float64(r.Between(-2, 10))/8)
		}
	}
	x := r.Tensor(r.DType(types), in)
	if x.DType().IsFloat() && r.IntN(6) == 0 {
		x = r.Extremes(x.DType(), in)
	}
	return Case{In: []*tensor.Tensor{x}, Attrs: graph.Attrs{
		{Name: "mode", Value: mode}, {Name: "sizes", Value: sizes}, {Name: "scales", Value: scales},
		{Name: "coordinates", Value: Pick(r, append(resizeCoordinates, resizeCoordinates[:2]...))},
		{Name: "nearest_mode", Value: Pick(r, nearestModes)},
		{Name: "cubic_coeff_a", Value: Pick(r, []float64{-0.75, -0.5, -1})},
		{Name: "exclude_outside", Value: r.Bool()}, {Name: "antialias", Value: r.IntN(3) == 0},
		{Name: "roi", Value: roi}, {Name: "extrapolation_value", Value: float64(r.Between(-8, 8))},
	}}
}

// resampleLimit bounds the extents between which is resampled, which is counted in 64 bits.
const resampleLimit = limits.OpResample
