package op

import (
	"math"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/fmath"
	"github.com/concord-nn/concord/internal/geometry"
	"github.com/concord-nn/concord/tensor"
)

// Operators on regions of interest: boxes given by data.
var roiOps = []*Def{
	{
		Name: "avg_roi_pool",
		Doc: `Avg_roi_pool divides each region into cells and returns the average of the elements in each (NNEF, avg_roi_pool).

` + roiCells + ` A cell of no elements gives 0. Elements are
added to +0 one by one, in row-major order; the sum is divided with one rounding.`,
		Spec:     Spec{NNEF: "avg_roi_pool"},
		In:       roiOperands,
		Out:      []Result{{Name: "output", Like: "input", Doc: "(N, C, output_size)"}},
		Attrs:    []Attr{outputSizeAttr},
		Shape:    roiShape,
		Ref:      Reference{Kernels: floatKernels(avgRoiKernel[float32], avgRoiKernel[float64]), Pieces: roiPlanes},
		Work:     roiWork,
		Generate: func(r *Rand) Case { return r.regions() },
	},
	{
		Name: "max_roi_pool",
		Doc: `Max_roi_pool divides each region into cells and returns the greatest element in each (NNEF, max_roi_pool).

` + roiCells + ` A cell of no elements gives 0; NaN in a
cell gives NaN.`,
		Spec:     Spec{NNEF: "max_roi_pool"},
		In:       roiOperands,
		Out:      []Result{{Name: "output", Like: "input", Doc: "(N, C, output_size)"}},
		Attrs:    []Attr{outputSizeAttr},
		Shape:    roiShape,
		Ref:      Reference{Kernels: floatKernels(maxRoiKernel[float32], maxRoiKernel[float64]), Pieces: roiPlanes},
		Work:     roiWork,
		Generate: func(r *Rand) Case { return r.regions() },
	},
	{
		Name: "roi_resample",
		Doc: `Roi_resample resizes each region to one size by linear interpolation (NNEF, roi_resample, which leaves positions open).

Along each dimension result i of p in a region from s to e, r = e - s, lies at s + (i + 1/2)·(r/p) - 1/2 (symmetric), s + i·(r/p)
(asymmetric) or s + i·((r-1)/(p-1)) (aligned; s for p = 1), computed in float64 with a rounding after each operation, and
clamped to the input; NaN counts as 0. Neighbours and weights are as in multilinear_upsample.`,
		Spec:  Spec{NNEF: "roi_resample"},
		In:    roiOperands,
		Out:   []Result{{Name: "output", Like: "input", Doc: "(N, C, output_size)"}},
		Attrs: []Attr{outputSizeAttr, methodAttr},
		Shape: roiShape,
		Ref:   Reference{Kernels: floatKernels(roiResampleKernel[float32], roiResampleKernel[float64]), Pieces: roiPlanes},
		Work:  interpolationWork(2),
		Generate: func(r *Rand) Case {
			c := r.regions()
			c.Attrs = append(c.Attrs, graph.Attr{Name: "method", Value: Pick(r, methodAttr.Enum)})
			return c
		},
	},
	{
		Name: "roi_pool",
		Doc: `Roi_pool divides each region, given by integers, into overlapping bins and returns the greatest element in each (OpenVX, ROI pooling).

A region x0, y0, x1, y1 includes its end: its width is max(x1-x0, 0) + 1. Bin j of n in a row covers the columns from
x0 + floor(j·width/n) up to but without x0 + ceil((j+1)·width/n), and rows likewise; what lies outside the data is left out, and with
before = 'empty' all of a bin that begins before it. A bin of no elements gives 0; NaN in a bin gives NaN. With batch_index the regions are one
list, and region r takes batch item batch_index[r], clamped to the batch (ONNX, MaxRoiPool).`,
		Spec: Spec{OpenVX: "vxROIPoolingLayer"},
		In: []Operand{
			{Name: "data", Types: Numbers, Rank: Rank(4), Doc: "(B, C, height, width)"},
			{Name: "rois", Types: Integers, Rank: Rank(3), Doc: "(B, R, 4), with batch_index (1, R, 4): x0, y0, x1, y1 of each region, in elements"},
			{Name: "batch_index", Types: indexTypes, Rank: Rank(1), Optional: true, Doc: "(R): the batch item of each region"},
		},
		Out: []Result{{Name: "output", Like: "data", Doc: "(B, R, C, output_size), with batch_index (1, R, C, output_size)"}},
		Attrs: []Attr{outputSizeAttr, {Name: "before", Kind: graph.KindString, Default: "clamp", Enum: []string{"clamp", "empty"},
			Doc: "what a bin has that begins before the data: its elements within, or none, as in the OpenVX sample implementation"}},
		Shape: func(s *Sig) ([]tensor.Shape, error) {
			data, rois, size := s.In[0].Shape, s.In[1].Shape, s.Ints("output_size")
			lists := data[0]
			if s.Has(2) {
				lists = 1
			}
			switch {
			case rois[0] != lists || rois[2] != 4:
				return nil, s.Errorf("rois", "the shape is %v; it must be [%d,R,4]", rois, lists)
			case s.Has(2) && s.In[2].Shape[0] != rois[1]:
				return nil, s.Errorf("batch_index", "the shape is %v; it must be [%d]", s.In[2].Shape, rois[1])
			case s.Has(2) && data[0] == 0 && rois[1] > 0:
				return nil, s.Errorf("data", "a batch of 0 has no item for %d regions", rois[1])
			}
			if len(size) != 2 {
				return nil, s.Errorf("output_size", "%d extents are given; there must be 2, height and width", len(size))
			}
			return []tensor.Shape{{lists, rois[1], data[1], size[0], size[1]}}, nil
		},
		Ref: Reference{Kernels: merge(floatKernels(roiPoolKernel[float32], roiPoolKernel[float64]), integerKernels(
			roiPoolKernel[int8], roiPoolKernel[int16], roiPoolKernel[int32], roiPoolKernel[int64],
			roiPoolKernel[uint8], roiPoolKernel[uint16], roiPoolKernel[uint32], roiPoolKernel[uint64])),
			Pieces: func(_ *Sig, out []Type) int { return out[0].Shape[:3].Len() }},
		Work: func(s *Sig, out []tensor.Shape) Work {
			return Work{Ops: cellWork(out[0][:3].Len(), s.In[0].Shape[2:], out[0][3:])}
		},
		Generate: func(r *Rand) Case {
			data := tensor.Shape{r.Between(1, 2), r.Extent(), r.Extent(), r.Extent()}
			rois := r.Integers(r.DType(Signed), tensor.Shape{data[0], r.Between(1, 3), 4}, -2, r.Size+2)
			return Case{In: []*tensor.Tensor{r.Tensor(r.DType(Numbers), data), rois},
				Attrs: graph.Attrs{
					{Name: "output_size", Value: []int{r.Between(1, 3), r.Between(1, 3)}},
					{Name: "before", Value: Pick(r, []string{"clamp", "empty"})}}}
		},
		Further: func(r *Rand) Case {
			data, n := tensor.Shape{r.Between(1, 3), r.Extent(), r.Extent(), r.Extent()}, r.Between(1, 4)
			return Case{In: []*tensor.Tensor{r.Tensor(r.DType(Numbers), data), r.Integers(r.DType(Signed), tensor.Shape{1, n, 4}, -2, r.Size+2),
				r.Integers(r.DType(indexTypes), tensor.Shape{n}, -1, data[0])},
				Attrs: graph.Attrs{{Name: "output_size", Value: []int{r.Between(1, 3), r.Between(1, 3)}}}}
		},
	},
	roiAlignDef,
}

const roiCells = `Region n takes batch item batch_index[n], clamped to the batch. Its coordinates are rounded by floor(x + 1/2) and bounded
by ±2^30; NaN counts as 0. Along each dimension a region from s to e, r = max(e - s, 0), has p cells of extent ceil(r/p); cell i begins
at s + i·floor(r/p). Elements outside the input are left out.`

var outputSizeAttr = Attr{Name: "output_size", Kind: graph.KindInts, Range: [2]float64{1, gridLimit}, Doc: "extents of the result, one for each spatial dimension"}

var roiOperands = []Operand{
	{Name: "input", Types: Floats, Rank: AtLeast(3), Doc: "batch, channels and one or more spatial dimensions"},
	{Name: "rois", Types: Floats, Like: "input", Rank: Rank(2), Doc: "(N, 2·M): for each region where it begins in each of the M spatial dimensions, then where it ends"},
	{Name: "batch_index", Types: indexTypes, Rank: Ranks{1, 2}, Doc: "(N) or (N, 1): the batch item of each region"},
}

// roiShape is the shape rule of the NNEF operators.
func roiShape(s *Sig) ([]tensor.Shape, error) {
	in, rois, index, size := s.In[0].Shape, s.In[1].Shape, s.In[2].Shape, s.Ints("output_size")
	m := len(in) - 2
	if len(size) != m {
		return nil, s.Errorf("output_size", "%d extents are given; there must be one for each of the %d spatial dimensions", len(size), m)
	}
	if rois[1] != 2*m {
		return nil, s.Errorf("rois", "the shape is %v; it must be [N,%d]", rois, 2*m)
	}
	if index[0] != rois[0] || len(index) == 2 && index[1] != 1 {
		return nil, s.Errorf("batch_index", "the shape is %v; it must be [%d] or [%[2]d,1]", index, rois[0])
	}
	for d, n := range in[2:] {
		if n < 1 || n > gridLimit {
			return nil, s.Errorf("input", "extent %d of spatial dimension %d must be from 1 to %d", n, d, gridLimit)
		}
	}
	if in[0] == 0 && rois[0] > 0 {
		return nil, s.Errorf("input", "a batch of 0 has no item for %d regions", rois[0])
	}
	return []tensor.Shape{append(tensor.Shape{rois[0], in[1]}, size...)}, nil
}

func roiWork(s *Sig, out []tensor.Shape) Work {
	return Work{Ops: cellWork(out[0][:2].Len(), s.In[0].Shape[2:], out[0][2:])}
}

// cellWork counts the elements in the cells of so many planes, the worst case: along each dimension cells overlap by
// two elements at most.
func cellWork(planes int, in, cells tensor.Shape) int64 {
	counts := []int{planes}
	for d, n := range in {
		counts = append(counts, n+2*cells[d])
	}
	return times(counts...)
}

// roiPlanes makes each channel of each region a piece.
func roiPlanes(_ *Sig, out []Type) int { return out[0].Shape[:2].Len() }

// roiPlane returns the elements of piece n of an NNEF operator, those of the input from which it is made, and the coordinates of
// its region.
func roiPlane[T fmath.Float](c *Call, n int) (x, y, roi []T) {
	in, out := c.In[0].Shape(), c.Out[0].Shape()
	region, channel := n/in[1], n%in[1]
	items := geometry.IndicesOf(c.In[2])
	item := items.Among(region, in[0])
	nin, nout, m := in[2:].Len(), out[2:].Len(), 2*len(in[2:])
	x = tensor.Data[T](c.In[0])[(item*in[1]+channel)*nin:][:nin]
	y = tensor.Data[T](c.Out[0])[n*nout:][:nout]
	return x, y, tensor.Data[T](c.In[1])[region*m:][:m]
}

// roundCoordinate returns floor(v + 1/2) between ±2^30, 0 for NaN.
func roundCoordinate[T fmath.Float](v T) int {
	if v != v {
		return 0
	}
	return int(min(max(math.Floor(float64(v)+0.5), -gridLimit), gridLimit))
}

// roiCellRanges calls f for each cell of a plane of the result with its range of elements in the input along each dimension.
func roiCellRanges[T fmath.Float](in, size tensor.Shape, roi []T, f func(i int, lo, hi geometry.Position)) {
	m := len(in)
	var first, extent, stride, cell, lo, hi geometry.Position
	for d := range m {
		first[d] = roundCoordinate(roi[d])
		r := max(roundCoordinate(roi[m+d])-first[d], 0)
		extent[d], stride[d] = geometry.CeilDiv(r, size[d]), r/size[d]
	}
	for i := range size.Len() {
		for d := range m {
			at := first[d] + cell[d]*stride[d]
			lo[d] = min(max(at, 0), in[d])
			hi[d] = max(min(at+extent[d], in[d]), lo[d])
		}
		f(i, lo, hi)
		advance(&cell, nil, size)
	}
}

// advance moves to the next index in row-major order from lo, zeros if it is nil, up to but without hi; from the last one to lo.
func advance(at, lo *geometry.Position, hi []int) {
	for d := len(hi) - 1; d >= 0; d-- {
		if at[d]++; at[d] < hi[d] {
			return
		}
		if at[d] = 0; lo != nil {
			at[d] = lo[d]
		}
	}
}

// overRegion calls f for the elements from lo up to but without hi in row-major order and returns their number.
func overRegion[T fmath.Float](x []T, shape tensor.Shape, lo, hi *geometry.Position, f func(v T)) int {
	n := 1
	for d := range shape {
		n *= hi[d] - lo[d]
	}
	at := *lo
	for range n {
		i := 0
		for d, extent := range shape {
			i = i*extent + at[d]
		}
		f(x[i])
		advance(&at, lo, hi[:len(shape)])
	}
	return n
}

func avgRoiKernel[T fmath.Float](c *Call, lo, hi int) {
	in, size := c.In[0].Shape()[2:], c.Out[0].Shape()[2:]
	for n := lo; n < hi; n++ {
		x, y, roi := roiPlane[T](c, n)
		roiCellRanges(in, size, roi, func(i int, from, to geometry.Position) {
			sum := T(0)
			if count := overRegion(x, in, &from, &to, func(v T) { sum += v }); count > 0 {
				sum /= T(count)
			}
			y[i] = canonical(sum)
		})
	}
}

func maxRoiKernel[T fmath.Float](c *Call, lo, hi int) {
	in, size := c.In[0].Shape()[2:], c.Out[0].Shape()[2:]
	for n := lo; n < hi; n++ {
		x, y, roi := roiPlane[T](c, n)
		roiCellRanges(in, size, roi, func(i int, from, to geometry.Position) {
			greatest := T(math.Inf(-1))
			if overRegion(x, in, &from, &to, func(v T) { greatest = max(greatest, v) }) == 0 {
				greatest = 0
			}
			y[i] = canonical(greatest)
		})
	}
}

// regionGrid is the geometry of roi_resample for one region.
type regionGrid[T fmath.Float] struct {
	in, size tensor.Shape
	roi      []T
	method   string
}

// place returns where result i lies along dimension d, in which the input's elements are step apart.
func (g *regionGrid[T]) place(d, i, step int) tap {
	begin, end := float64(g.roi[d]), float64(g.roi[len(g.in)+d])
	extent, p := end-begin, float64(g.size[d])
	var u float64
	switch {
	case g.method == "symmetric":
		u = begin + float64((float64(i)+0.5)*(extent/p)) - 0.5
	case g.method == "asymmetric":
		u = begin + float64(float64(i)*(extent/p))
	case g.size[d] == 1:
		u = begin
	default:
		u = begin + float64(float64(i)*((extent-1)/(p-1)))
	}
	if u != u {
		u = 0
	}
	n := g.in[d]
	u = min(max(u, 0), float64(n-1))
	at := int(u)
	return tap{a: at * step, b: min(at+1, n-1) * step, t: u - math.Floor(u)}
}

func roiResampleKernel[T fmath.Float](c *Call, lo, hi int) {
	g := regionGrid[T]{in: c.In[0].Shape()[2:], size: c.Out[0].Shape()[2:], method: c.String("method")}
	rows := g.size.Len() / rowLen(g.size)
	for n := lo; n < hi; n++ {
		x, y, roi := roiPlane[T](c, n)
		g.roi = roi
		linearRows(x, y, g.in, g.size, 0, rows, g.place, canonical[T])
	}
}

// roiPoolKernel computes one plane of the result at a time.
func roiPoolKernel[T tensor.Number](c *Call, lo, hi int) {
	in, out := c.In[0].Shape(), c.Out[0].Shape()
	x, y := tensor.Data[T](c.In[0]), tensor.Data[T](c.Out[0])
	height, width, rows, columns, empty := in[2], in[3], out[3], out[4], c.String("before") == "empty"
	for n := lo; n < hi; n++ {
		region, channel := n/in[1], n%in[1] // the region among those of all batch items
		item := region / out[1]
		if c.Has(2) {
			items := geometry.IndicesOf(c.In[2])
			item = items.Among(region, in[0])
		}
		plane := x[(item*in[1]+channel)*height*width:][:height*width]
		result := y[n*rows*columns:][:rows*columns]
		corners := geometry.RegionOf(c.In[1], region)
		for i := range result {
			top, bottom := corners.Y.Bin(i/columns, rows, height, empty)
			left, right := corners.X.Bin(i%columns, columns, width, empty)
			var greatest T
			if top < bottom && left < right {
				greatest = plane[top*width+left]
			}
			for r := top; r < bottom; r++ {
				for _, v := range plane[r*width:][left:right] {
					greatest = max(greatest, v)
				}
			}
			if greatest != greatest {
				greatest = T(fmath.NaN())
			}
			result[i] = greatest
		}
	}
}

// regions generates a case of an NNEF operator on regions.
func (r *Rand) regions() Case {
	m, n := r.Between(1, 3), r.Between(1, 3)
	in, size := tensor.Shape{r.Between(1, 2), r.Between(1, 2)}, []int{}
	rois := make([]float32, 0, 2*m*n)
	for range m {
		in, size = append(in, r.Extent()), append(size, r.Between(1, 3))
	}
	for range n {
		begin := len(rois)
		for d := range m {
			rois = append(rois, float32(r.Between(-4, 4*in[2+d]))/4)
		}
		for d := range m {
			rois = append(rois, rois[begin+d]+float32(float32(r.Between(-4, 4*in[2+d]))/4))
		}
	}
	d := r.DType(Floats)
	regions := r.from(d, tensor.Shape{n, 2 * m}, rois)
	if r.IntN(8) == 0 {
		regions = r.Extremes(d, tensor.Shape{n, 2 * m})
	}
	index := r.Integers(r.DType(indexTypes), Pick(r, []tensor.Shape{{n}, {n, 1}}), -1, in[0])
	return Case{In: []*tensor.Tensor{r.Tensor(d, in), regions, index}, Attrs: graph.Attrs{{Name: "output_size", Value: size}}}
}
