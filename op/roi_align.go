package op

import (
	"math"
	"sort"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/fmath"
	"github.com/concord-nn/concord/internal/geometry"
	"github.com/concord-nn/concord/tensor"
)

var roiAlignDef = &Def{
	Name: "roi_align",
	Doc: `Roi_align divides each region into cells and returns the average or maximum of places in each, without rounding their coordinates (ONNX, RoiAlign).

Region n takes batch item batch_index[n], clamped to the batch. Its corners are multiplied by spatial_scale, and 1/2 is subtracted with half_pixel;
without, a side of less than 1 counts as 1. NaN counts as 0, and corners are bounded by ±2^30. Along each dimension a side r has p cells of
extent c = r/p, and a cell s places: sampling_ratio or, if that is 0, ceil(c), at least none. Place i of cell j lies at
u = (begin + j·c) + ((i + 1/2)·c)/s. All this is rounded to float32, operation by operation.

A place with u < -1 or u > extent in a dimension gives 0. Elsewhere u is clamped to 0…extent-1, t is u - floor(u), and the four neighbours have
the weights (1-ty)·(1-tx), (1-ty)·tx, ty·(1-tx) and ty·tx. Mode avg adds their products to +0 by fused multiply-adds, those of weight 0
left out, place by place in row-major order, and divides by the number of places. Mode max returns the greatest of all
products of a weight and its neighbour, those of weight 0 being 0, as ONNX has it. A cell without places gives 0.`,
	In: []Operand{
		{Name: "input", Types: Floats, Rank: Rank(4), Doc: "(B, C, height, width)"},
		{Name: "rois", Types: Floats, Like: "input", Rank: Rank(2), Doc: "(N, 4): x and y where each region begins, then where it ends"},
		{Name: "batch_index", Types: indexTypes, Rank: Rank(1), Doc: "(N): the batch item of each region"},
	},
	Out: []Result{{Name: "output", Like: "input", Doc: "(N, C, output_size)"}},
	Attrs: []Attr{
		outputSizeAttr,
		{Name: "mode", Kind: graph.KindString, Default: "avg", Enum: []string{"avg", "max"}, Doc: "what becomes of the places in a cell"},
		{Name: "sampling_ratio", Kind: graph.KindInt, Default: 0, Range: [2]float64{0, gridLimit}, Doc: "number of places in a cell along each dimension; 0 for one for each element that it spans"},
		{Name: "spatial_scale", Kind: graph.KindFloat, Default: 1.0, Doc: "elements of the input for a unit of the corners"},
		{Name: "half_pixel", Kind: graph.KindBool, Default: true, Doc: "whether integral corners lie on edges between elements, not on elements"},
	},
	Shape: func(s *Sig) ([]tensor.Shape, error) {
		in, rois, index, size := s.In[0].Shape, s.In[1].Shape, s.In[2].Shape, s.Ints("output_size")
		switch {
		case len(size) != 2:
			return nil, s.Errorf("output_size", "%d extents are given; there must be 2, height and width", len(size))
		case rois[1] != 4:
			return nil, s.Errorf("rois", "the shape is %v; it must be [N,4]", rois)
		case index[0] != rois[0]:
			return nil, s.Errorf("batch_index", "the shape is %v; it must be [%d]", index, rois[0])
		case rois[0] > 0 && in[0] == 0 || min(in[2], in[3]) < 1 || max(in[2], in[3]) > gridLimit:
			return nil, s.Errorf("input", "the shape is %v; there must be a batch item, height and width from 1 to %d", in, gridLimit)
		}
		return []tensor.Shape{{rois[0], in[1], size[0], size[1]}}, nil
	},
	Ref: Reference{Kernels: floatKernels(roiAlignKernel[float32], roiAlignKernel[float64]), Pieces: roiPlanes},
	// Work counts the places in regions that cover the input where their number depends on data.
	Work: func(s *Sig, out []tensor.Shape) Work {
		counts := []int{out[0][:2].Len(), 4}
		for d, n := range s.In[0].Shape[2:] {
			if ratio := s.Int("sampling_ratio"); ratio > 0 {
				counts = append(counts, ratio, out[0][2+d])
			} else {
				counts = append(counts, n+out[0][2+d])
			}
		}
		return Work{MACs: times(counts...)}
	},
	Generate: func(r *Rand) Case {
		in, n := tensor.Shape{r.Between(1, 2), r.Between(1, 3), r.Extent() + 1, r.Extent() + 1}, r.Between(1, 4)
		d := r.DType(Floats)
		rois := make([]float32, 0, 4*n)
		for range n {
			x, y := r.Between(-4, 4*in[3]), r.Between(-4, 4*in[2])
			rois = append(rois, float32(x)/2, float32(y)/2, float32(x+r.Between(-3, 4*in[3]))/2, float32(y+r.Between(-3, 4*in[2]))/2)
		}
		regions := r.from(d, tensor.Shape{n, 4}, rois)
		if r.IntN(8) == 0 {
			regions = r.Extremes(d, tensor.Shape{n, 4})
		}
		return Case{In: []*tensor.Tensor{r.Tensor(d, in), regions, r.Integers(r.DType(indexTypes), tensor.Shape{n}, -1, in[0])}, Attrs: graph.Attrs{
			{Name: "output_size", Value: []int{r.Between(1, 3), r.Between(1, 3)}}, {Name: "mode", Value: Pick(r, []string{"avg", "max"})},
			{Name: "sampling_ratio", Value: r.Between(0, 3)}, {Name: "spatial_scale", Value: Pick(r, []float64{1, 0.5, 0.25})},
			{Name: "half_pixel", Value: r.Bool()}}}
	},
}

// side is a region along one dimension of an extent.
type side[T fmath.Float] struct {
	extent      int
	begin, cell T
	places      int  // in a cell
	all         bool // whether every place is looked at; if not, only those inside the input
}

// sideOf returns the part of a region between two corners along a dimension that is divided into p cells.
func sideOf[T fmath.Float](a graph.Attrs, from, to T, extent, p int) side[T] {
	scale, shift := T(a.Float("spatial_scale")), T(0)
	if a.Bool("half_pixel") {
		shift = 0.5
	}
	corner := func(v T) T {
		if v = T(v*scale) - shift; v != v {
			return 0
		}
		return min(max(v, -gridLimit), gridLimit)
	}
	v := side[T]{extent: extent, begin: corner(from), places: a.Int("sampling_ratio"), all: true}
	length := corner(to) - v.begin
	if shift == 0 {
		length = max(length, 1)
	}
	v.cell = length / T(p)
	if v.places == 0 {
		v.places, v.all = int(max(math.Ceil(float64(v.cell)), 0)), false
	}
	return v
}

// place returns where place i of cell j lies.
func (v *side[T]) place(j, i int) T {
	return (v.begin + T(T(j)*v.cell)) + T((T(i)+0.5)*v.cell)/T(v.places)
}

// within returns the places of cell j to be looked at: all others give 0. Where their number comes from data it is bounded so by the extent.
func (v *side[T]) within(j int) (lo, hi int) {
	if v.all { // also if a cell has a negative extent, where places descend
		return 0, v.places
	}
	lo = sort.Search(v.places, func(i int) bool { return v.place(j, i) >= -1 })
	hi = sort.Search(v.places, func(i int) bool { return v.place(j, i) > T(v.extent) })
	return lo, max(lo, hi)
}

// tap returns the neighbours of a place, which are step apart, and false if it lies outside.
func (v *side[T]) tap(j, i, step int) (tap, bool) {
	u := v.place(j, i)
	if u < -1 || u > T(v.extent) {
		return tap{}, false
	}
	u = min(max(u, 0), T(v.extent-1))
	at := min(int(u), v.extent-1)
	return tap{a: at * step, b: min(at+1, v.extent-1) * step, t: float64(u) - math.Floor(float64(u))}, true
}

// alignedRegion returns the batch item of a region, and its parts along both dimensions.
func alignedRegion[T fmath.Float](a graph.Attrs, c *Call, n int, in, out tensor.Shape) (item int, rows, columns side[T]) {
	roi := tensor.Data[T](c.In[1])[4*n:][:4]
	items := geometry.IndicesOf(c.In[2])
	return items.Among(n, in[0]), sideOf(a, roi[1], roi[3], in[2], out[2]), sideOf(a, roi[0], roi[2], in[3], out[3])
}

func roiAlignKernel[T fmath.Float](c *Call, lo, hi int) {
	in, out := c.In[0].Shape(), c.Out[0].Shape()
	x, y := tensor.Data[T](c.In[0]), tensor.Data[T](c.Out[0])
	watch, greatest := c.Watch(), c.String("mode") == "max"
	for n := lo; n < hi; n++ {
		region, channel := n/in[1], n%in[1]
		item, rows, columns := alignedRegion[T](c.Attrs, c, region, in, out)
		plane := x[(item*in[1]+channel)*in[2]*in[3]:]
		for i := range out[2] * out[3] {
			cell := alignedCell[T]{row: i / out[3], column: i % out[3], greatest: greatest}
			if !cell.gather(plane, &rows, &columns, &watch) {
				return
			}
			y[n*out[2]*out[3]+i] = cell.value(float64(rows.places) * float64(columns.places))
		}
	}
}

// alignedCell is a cell and what has been found in it.
type alignedCell[T fmath.Float] struct {
	row, column int
	greatest    bool
	sum, most   T
}

// gather takes the places of the cell and returns false if nobody waits for them.
func (a *alignedCell[T]) gather(plane []T, rows, columns *side[T], watch *Watch) bool {
	top, bottom := rows.within(a.row)
	left, right := columns.within(a.column)
	a.most = T(math.Inf(-1))
	if bottom-top < rows.places || right-left < columns.places {
		a.most = 0
	}
	for i := top; i < bottom; i++ {
		v, inRow := rows.tap(a.row, i, columns.extent)
		for j := left; j < right; j++ {
			if watch.Stops(4) {
				return false
			}
			if h, ok := columns.tap(a.column, j, 1); ok && inRow {
				a.take(plane, v, h)
			} else {
				a.most = max(a.most, 0)
			}
		}
	}
	return true
}

// take adds the products of a place's neighbours.
func (a *alignedCell[T]) take(plane []T, v, h tap) {
	ty, tx := T(v.t), T(h.t)
	for k, weight := range [4]T{(1 - ty) * (1 - tx), (1 - ty) * tx, ty * (1 - tx), ty * tx} {
		at := v.a
		if k >= 2 {
			at = v.b
		}
		if k%2 == 0 {
			at += h.a
		} else {
			at += h.b
		}
		switch {
		case weight == 0:
			a.most = max(a.most, 0)
		case a.greatest:
			a.most = max(a.most, T(weight*plane[at]))
		default:
			a.sum = fma(weight, plane[at], a.sum)
		}
	}
}

// value returns what the cell gives, of which there are so many places.
func (a *alignedCell[T]) value(places float64) T {
	switch {
	case places == 0:
		return 0
	case a.greatest:
		return canonical(a.most)
	}
	return canonical(a.sum / T(places))
}
