package export

import (
	"math"
	"slices"

	"github.com/concord-nn/concord/webnn"
)

// What lies outside of tensors.

// crop takes away what negative padding removes; first is the dimension of the window's first item.
func (c *call) crop(x *webnn.Operand, w *window, first int) (*webnn.Operand, *window) {
	start, count := make(ints, rank(x)), shape(x)
	v := *w
	v.before, v.after = slices.Clone(w.before), slices.Clone(w.after)
	for i := range v.before {
		start[first+i] = max(-v.before[i], 0)
		count[first+i] -= start[first+i] + max(-v.after[i], 0)
		if count[first+i] <= 0 {
			refuse("the padding takes all elements of a dimension away")
		}
		v.before[i], v.after[i] = max(v.before[i], 0), max(v.after[i], 0)
	}
	return c.slice(x, start, count, slices.Repeat(ints{1}, rank(x))), &v
}

// border adds the padding of a window to an operand, unless the method skips what lies there.
func (c *call) border(x *webnn.Operand, w *window, first int, skips ...string) (*webnn.Operand, *window) {
	if slices.Contains(skips, w.border) {
		return c.crop(x, w, first)
	}
	return c.surround(x, w, first, nil), w.without()
}

// surround adds the padding of a window to an operand. A border may repeat elements that negative padding then takes away.
func (c *call) surround(x *webnn.Operand, w *window, first int, fill any) *webnn.Operand {
	before, after := make(ints, rank(x)), make(ints, rank(x))
	for i := range w.before {
		before[first+i], after[first+i] = max(w.before[i], 0), max(w.after[i], 0)
	}
	x = c.padded(x, before, after, w.border, fill)
	v := *w
	v.before, v.after = make(ints, len(w.before)), make(ints, len(w.after))
	for i := range w.before {
		v.before[i], v.after[i] = min(w.before[i], 0), min(w.after[i], 0)
	}
	x, _ = c.crop(x, &v, first)
	return x
}

// extended adds, to an operand of which the windows are scattered, what the border says lies outside, as far as it reaches the
// result. first is the dimension of the window's first item.
func (c *call) extended(x *webnn.Operand, w *window, first int, out ints) (*webnn.Operand, *window) {
	if w.border == "constant" || w.border == "ignore" {
		return x, w
	}
	v := *w
	v.before, v.after = slices.Clone(w.before), slices.Clone(w.after)
	begin, end := make(ints, rank(x)), make(ints, rank(x))
	for i := range w.size {
		n, s := shape(x)[first+i], w.stride[i]
		reach := (w.size[i]-1)*w.dilation[i] - w.before[i]
		begin[first+i] = max(0, (reach+s-1)/s)
		end[first+i] = max(0, (out[first+i]-1+w.before[i])/s-(n-1))
		v.before[i] += begin[first+i] * s
		// What is left after the result is cut off, as its extents are given.
		whole := (n+begin[first+i]+end[first+i]-1)*s + (w.size[i]-1)*w.dilation[i] + 1
		v.after[i] = whole - v.before[i] - out[first+i]
	}
	v.border = "constant"
	return c.padded(x, begin, end, w.border, nil), &v
}

// zeros reports whether all numbers are 0.
func zeros(list ints) bool {
	return !slices.ContainsFunc(list, func(n int) bool { return n != 0 })
}

// padded adds elements around an operand. The fill is a scalar, nil for 0.
func (c *call) padded(x *webnn.Operand, before, after ints, border string, fill any) *webnn.Operand {
	if zeros(before) && zeros(after) {
		return x
	}
	mode := map[string]string{"constant": "constant", "replicate": "edge", "reflect": "reflection"}[border]
	for d, n := range shape(x) {
		if border == "reflect" && max(before[d], after[d]) >= n {
			mode = "" // the method mirrors once
		}
	}
	if mode != "" {
		o := options{}
		if mode != "constant" {
			o["mode"] = mode
		}
		if x, ok := fill.(float64); fill != nil && !(ok && x == 0 && !math.Signbit(x)) { // the default is 0
			o["value"] = fill
		}
		return c.do("pad", o, x, before, after)
	}
	for d, n := range shape(x) {
		if before[d] == 0 && after[d] == 0 {
			continue
		}
		// Which elements the border consists of, says the operator, of the indices.
		from := c.eval("pad", attrs("padding", ints{before[d], after[d]}, "border", border), c.indicesOf(n))
		x = c.do("gather", options{"axis": d}, x, c.constant(from))
	}
	return x
}
