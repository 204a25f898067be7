package openvx_test

import "math/big"

// Skip returns the smallest step between windows for which span, what is left of the padded input when one window is taken away,
// gives out windows; 0 if there is none.
func Skip(span, out int, ceiling bool) int {
	if span < 0 {
		return 0
	}
	for skip := 1; skip <= span+1; skip++ {
		n := span / skip
		if ceiling {
			n = (span + skip - 1) / skip
		}
		if n+1 == out {
			return skip
		}
	}
	return 0
}

func mustSkip(span, out int, ceiling bool) int {
	s := Skip(span, out, ceiling)
	if s == 0 {
		panic("exact: the extents of windows are inconsistent")
	}
	return s
}

// Pooling is vxPoolingLayer.
type Pooling struct {
	Average       bool
	Size, Padding [2]int
	Ceiling       bool
	// Compatible takes a maximum only of what lies inside the image, or the least element if nothing does, and divides by Size always.
	Compatible bool
}

// Apply returns the result of extents out. Padding is zeros, in a maximum as in an average. If the number of windows is rounded up, the
// last one may reach beyond the padding: the text is silent, but what lies there is no data, and does not count. A window of no data
// yields 0. An average is truncated.
func (p Pooling) Apply(f Format, in *exactTensor, out []int) Result {
	var skip [2]int
	for i := range skip {
		skip[i] = mustSkip(in.Dims[i]+2*p.Padding[i]-p.Size[i], out[i], p.Ceiling)
	}
	return certain(out, func(index []int) int64 {
		total, greatest, count := int64(0), f.Min(), 0
		each(p.Size[:], func(w []int) {
			x, y := index[0]*skip[0]-p.Padding[0]+w[0], index[1]*skip[1]-p.Padding[1]+w[1]
			v := int64(0)
			switch {
			case x >= 0 && y >= 0 && x < in.Dims[0] && y < in.Dims[1]:
				v = in.at(append([]int{x, y}, index[2:]...)...)
			case p.Compatible || x >= in.Dims[0]+p.Padding[0] || y >= in.Dims[1]+p.Padding[1]:
				return
			}
			total += v
			greatest = max(greatest, v)
			count++
		})
		switch {
		case p.Compatible && !p.Average:
			return greatest
		case p.Compatible:
			count = p.Size[0] * p.Size[1]
		case count == 0:
			return 0
		}
		if !p.Average {
			return greatest
		}
		return f.encode(new(big.Rat).Mul(f.value(total), big.NewRat(1, int64(count))), Policy{})
	})
}

// ROIPooling is vxROIPoolingLayer.
type ROIPooling struct {
	// Compatible moves a bin's bound that is negative to the end of the image.
	Compatible bool
}

// Apply returns the result of extents out: [width, height, channels, rois] and a batch, if there is one. Coordinates are the elements
// themselves, in every format. The last one belongs to the region, which has at least one element; a bin outside the image is 0.
func (p ROIPooling) Apply(f Format, in, rois *exactTensor, out []int) Result {
	return certain(out, func(index []int) int64 {
		var from, to [2]int
		for axis := range from {
			at := func(i int) int { return int(rois.at(append([]int{i, index[3]}, index[4:]...)...)) }
			first, last := at(axis), at(axis+2)
			extent := max(last-first, 0) + 1
			from[axis] = p.clamp(first+index[axis]*extent/out[axis], in.Dims[axis])
			to[axis] = p.clamp(first+((index[axis]+1)*extent+out[axis]-1)/out[axis], in.Dims[axis])
		}
		if from[0] >= to[0] || from[1] >= to[1] {
			return 0
		}
		greatest := f.Min()
		for y := from[1]; y < to[1]; y++ {
			for x := from[0]; x < to[0]; x++ {
				greatest = max(greatest, in.at(append([]int{x, y, index[2]}, index[4:]...)...))
			}
		}
		return greatest
	})
}

func (p ROIPooling) clamp(v, end int) int {
	if v < 0 && p.Compatible {
		return end
	}
	return max(0, min(v, end))
}
