package geometry

import "github.com/concord-nn/concord/tensor"

// Region is a region of roi_pool: what it covers of rows and of columns.
type Region struct{ X, Y Reach }

// Reach is what a region covers of a dimension, with its last element: one if that lies before the first.
type Reach struct{ First, Last int }

// regionMost bounds the magnitude of corners.
const regionMost = 1 << 30

// RegionOf returns region i of a tensor of integers, x0, y0, x1, y1 of each. Corners are bounded by ±2^30.
func RegionOf(t *tensor.Tensor, i int) (r Region) {
	corners := IndicesOf(t)
	for k, to := range [...]*int{&r.X.First, &r.Y.First, &r.X.Last, &r.Y.Last} {
		*to = int(min(max(corners.At(4*i+k), -regionMost), regionMost))
	}
	return r
}

// Bin returns the elements, within an extent, of bin i of n. If empty is set, one that begins before the extent has none.
//
//go:noinline // kernels of every element type would hold it
func (r Reach) Bin(i, n, extent int, empty bool) (lo, hi int) {
	from, bins, most := int64(r.First), int64(n), int64(extent) // of which products may not fit an int
	size := max(int64(r.Last)-from, 0) + 1
	begin := from + int64(i)*size/bins
	if empty && begin < 0 {
		return 0, 0
	}
	end := from + (int64(i+1)*size+bins-1)/bins
	lo = int(min(max(begin, 0), most))
	return lo, max(lo, int(min(max(end, 0), most)))
}
