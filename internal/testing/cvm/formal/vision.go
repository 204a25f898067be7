package formal

import (
	"math"
	"slices"
)

var validCounts = operator{
	attrs:   "score_threshold:int",
	inputs:  count(1),
	outputs: 2,
	infer: func(c *call) {
		x := c.in[0].Shape
		check(len(x) == 3 && 2 <= x[2] && x[2] < 32, "data must be B×N×K with 2 ≤ K < 32")
		c.yield(bitlen(x[1]*x[2]+1)+1, x[0])
		c.yield(same(c), x...)
	},
	compute: func(c *call) {
		x, counts, y := c.in[0], c.out[0], c.out[1]
		threshold := c.intOr("score_threshold", 0)
		for b := range x.Shape[0] {
			counted := int64(0)
			for n := range x.Shape[1] {
				for k := range x.Shape[2] {
					y.set(-1, b, n, k)
				}
				if x.at(b, n, 1) > threshold {
					for k := range x.Shape[2] {
						y.set(x.at(b, n, k), b, counted, k)
					}
					counted++
				}
			}
			counts.set(counted, b)
		}
	},
}

var suppression = operator{
	attrs: "iou_threshold:int max_output_size:int top_k:int force_suppress:bool coord_start:int score_index:int id_index:int " +
		"return_indices:bool invalid_to_bottom:bool",
	inputs: count(2),
	infer: func(c *call) {
		check(c.intOr("iou_threshold", 50) > 0, "iou_threshold must be positive")
		check(c.intOr("coord_start", 2) == 2 && c.intOr("score_index", 1) == 1 && c.intOr("id_index", 0) == 0 &&
			!c.boolOr("return_indices", false) && c.boolOr("invalid_to_bottom", true), "the layout of rows is fixed")
		x, counts := c.in[0].Shape, c.in[1].Shape
		check(len(x) == 3 && x[2] == 6, "data must be B×N×6")
		check(len(counts) == 1 && counts[0] == x[0], "valid_count must have one element for each batch")
		c.yield(same(c), x...)
	},
	compute: func(c *call) {
		x, y := c.in[0], c.out[0]
		for i := range y.Data {
			y.Data[i] = -1
		}
		limit := func(name string) int64 {
			if m := c.intOr(name, -1); m >= 0 {
				return m
			}
			return 1 << 32
		}
		for b := range x.Shape[0] {
			t := max(min(x.Shape[1], c.in[1].at(b)), 0)
			var r [][]int64
			for i := range t {
				at := flattenIndex([]int64{b, i, 0}, x.Shape)
				r = append(r, x.Data[at:at+6])
			}
			slices.SortStableFunc(r, func(p, q []int64) int { // the greatest score first
				return int(greater(q[1], p[1]) - greater(p[1], q[1]))
			})
			for n, row := range kept(r[:min(t, limit("top_k"))], c.intOr("iou_threshold", 50), c.boolOr("force_suppress", false)) {
				if int64(n) < limit("max_output_size") {
					for k := range row {
						y.set(row[k], b, int64(n), int64(k))
					}
				}
			}
		}
	},
	base: func(c *call) int64 { return 20 * c.in[0].Shape[0] },
}

// kept returns the rows of U.
func kept(r [][]int64, threshold int64, force bool) [][]int64 {
	var u [][]int64
	for _, p := range r {
		dropped := p[0] < 0
		for _, q := range u {
			dropped = dropped || (force || p[0] == q[0]) && overlapRatio(p, q) >= threshold
		}
		if !dropped {
			u = append(u, p)
		}
	}
	return u
}

// overlapRatio is OLR in percent, a quotient of integers, truncated, as the original has it: 100 times the intersection by the union or,
// where that would exceed 63 bits, the intersection by a hundredth of the union. Differences of coordinates wrap in 32 bits, which only
// shows for data of 32 bits; the text has no bounds.
func overlapRatio(p, q []int64) int64 {
	area := func(r []int64) int64 { return wrap(r[4]-r[2]) * wrap(r[5]-r[3]) }
	total := area(p) + area(q)
	w := max(0, wrap(min(p[4], q[4])-max(p[2], q[2])))
	h := max(0, wrap(min(p[5], q[5])-max(p[3], q[3])))
	overlap := w * h
	union := total - overlap
	switch {
	case total <= 0 || union <= 0:
		return 0
	case overlap > math.MaxInt64/100:
		return overlap / max(union/100, 1)
	}
	return overlap * 100 / union
}
