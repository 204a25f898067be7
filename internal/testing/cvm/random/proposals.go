package random

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/concord-nn/concord/internal/testing/cvm/formal"
)

// application is a proposed application, which may turn out not to be legal.
type application struct {
	*maker
	attrs map[string]string
	in    []operand
}

// existing adds an operand that satisfies a condition: nearly always a tensor of the graph, and of these often one of the last.
// It reports whether there is one.
func (a *application) existing(ok func(t *formal.Tensor) bool) *formal.Tensor {
	for range 12 {
		i := len(a.tensors) - 1 - a.IntN(min(len(a.tensors), pick(a.maker, 3, 8, 1000)))
		if t := a.tensors[i]; ok(t) {
			a.in = append(a.in, operand{i, t})
			return t
		}
	}
	return nil
}

// parameter adds an operand that is a new parameter.
func (a *application) parameter(precision int, shape ...int64) *formal.Tensor {
	t := a.filled(&formal.Tensor{Shape: slices.Clone(shape), Precision: precision})
	a.in = append(a.in, operand{-1, t})
	return t
}

func (a *application) any() *formal.Tensor {
	return a.existing(func(*formal.Tensor) bool { return true })
}

// either adds an existing operand, or else a parameter of the given ranks and precision.
func (a *application) either(minRank, maxRank, maxPrecision int, ok func(t *formal.Tensor) bool) *formal.Tensor {
	t := a.existing(func(t *formal.Tensor) bool {
		return minRank <= len(t.Shape) && len(t.Shape) <= maxRank && t.Precision <= maxPrecision && ok(t)
	})
	if t == nil {
		t = a.filled(a.fresh(minRank, maxRank, maxPrecision))
		a.in = append(a.in, operand{-1, t})
	}
	return t
}

func always(*formal.Tensor) bool { return true }

// int spells an integer attribute.
func (a *application) int(name string, v int) {
	a.attrs[name] = fmt.Sprintf(pick(a.maker, "%d", "%d", " %d", "%d "), v)
}

// bool spells a logical attribute; false may be left out.
func (a *application) bool(name string, v bool) {
	if v {
		a.attrs[name] = pick(a.maker, "true", "True", "1", "TRUE")
	} else if a.chance(0.5) {
		a.attrs[name] = pick(a.maker, "false", "False", "0", "FALSE")
	}
}

// tuple spells a tuple.
func (a *application) tuple(name string, v ...int) {
	suffix, separator, form := "", pick(a.maker, ",", ", ", " , "), pick(a.maker, "(%s)", "[%s]", "( %s )")
	if a.chance(0.1) { // after it there may be no blank
		suffix, separator, form = "L", pick(a.maker, ",", ", "), pick(a.maker, "(%s)", "[ %s]")
	}
	var parts []string
	for _, x := range v {
		parts = append(parts, strconv.Itoa(x)+suffix)
	}
	list := strings.Join(parts, separator)
	if len(v) == 1 && a.chance(0.3) {
		a.attrs[name] = strconv.Itoa(v[0])
		return
	}
	if len(v) > 0 && (len(v) == 1 || a.chance(0.2)) {
		list += ","
	}
	a.attrs[name] = fmt.Sprintf(form, list)
}

// pair spells a tuple of two small numbers, or leaves it out.
func (a *application) pair(name string, lo, hi int) {
	if a.chance(0.6) {
		a.tuple(name, a.between(lo, hi), a.between(lo, hi))
	}
}

// axis returns an axis of a tensor of rank n, counted from either end.
func (a *application) axis(n int) int { return a.between(-n, n-1) }

// axes returns some different axes of a tensor of rank n.
func (a *application) axes(n int) []int {
	axes := a.Perm(n)[:a.IntN(n+1)]
	for i := range axes {
		if a.chance(0.3) {
			axes[i] -= n
		}
	}
	return axes
}

// proposals has, for each operator, what chooses operands and attributes.
var proposals = map[string]func(a *application){
	"sum": reduce, "max": reduce,
	"broadcast_add": broadcast, "broadcast_sub": broadcast, "broadcast_mul": broadcast, "broadcast_div": broadcast,
	"broadcast_max": broadcast, "broadcast_greater": broadcast,
	"conv2d": conv2d, "dense": dense, "max_pool2d": maxPool, "upsampling": upsampling,
	"relu": unary, "abs": unary, "cvm_precision": unary, "negative": unary, "flatten": unary,
	"elemwise_add": elemwise, "elemwise_sub": elemwise,
	"clip": clip, "cvm_clip": toPrecision, "cvm_right_shift": shift, "cvm_left_shift": shift,
	"repeat": repeat, "tile": tile, "concatenate": concatenate, "transpose": transpose, "strided_slice": slice, "slice_like": sliceLike,
	"take": take, "cvm_lut": lut, "expand_dims": expandDims, "reshape": reshape, "squeeze": squeeze, "where": where,
	"get_valid_counts": validCounts, "non_max_suppression": suppression,
}

func unary(a *application) { a.any() }

func reduce(a *application) {
	n := len(a.any().Shape)
	if a.chance(0.8) {
		a.tuple("axis", a.axes(n)...)
	}
	a.bool("keepdims", a.chance(0.4))
	a.bool("exclude", a.chance(0.3))
	if a.chance(0.1) {
		a.attrs["dtype"] = "int32"
	}
}

// broadcastable returns a shape that broadcasts with another one.
func (a *application) broadcastable(shape []int64) []int64 {
	other := slices.Clone(shape[a.IntN(len(shape)):])
	for i, n := range other {
		if a.chance(0.3) {
			other[i] = 1
		} else if n == 1 && a.chance(0.3) {
			other[i] = int64(a.between(1, 4))
		}
	}
	for len(other) < 6 && a.chance(0.15) {
		other = slices.Insert(other, 0, int64(a.between(1, 2)))
	}
	return other
}

func broadcast(a *application) {
	x := a.any()
	if a.chance(0.5) {
		a.any()
	} else {
		a.parameter(a.precision(32), a.broadcastable(x.Shape)...)
	}
	if a.chance(0.5) {
		a.in[0], a.in[1] = a.in[1], a.in[0]
	}
}

func elemwise(a *application) {
	x := a.any()
	if a.chance(0.5) && a.existing(func(t *formal.Tensor) bool { return slices.Equal(t.Shape, x.Shape) }) != nil {
		return
	}
	a.parameter(a.precision(31), x.Shape...)
}

func conv2d(a *application) {
	x := a.either(4, 4, 8, func(t *formal.Tensor) bool { return t.Shape[1] <= 16 })
	c := int(x.Shape[1])
	groups := 1
	if a.chance(0.4) {
		groups = pick(a.maker, c, 1+a.IntN(c))
	}
	oc := groups * a.between(1, 3)
	kh, kw := a.between(1, 3), a.between(1, 3)
	a.int("channels", oc)
	a.tuple("kernel_size", kh, kw)
	a.pair("strides", 1, 3)
	a.pair("padding", 0, 2)
	a.pair("dilation", 1, 2)
	if groups > 1 || a.chance(0.3) {
		a.int("groups", groups)
	}
	if a.chance(0.2) {
		a.attrs["layout"], a.attrs["kernel_layout"] = "NCHW", "OIHW"
		a.attrs["out_dtype"] = pick(a.maker, "same", "int32")
	}
	a.parameter(a.precision(8), int64(oc), int64(c/groups), int64(kh), int64(kw))
	a.bias(oc)
}

// bias says use_bias and adds the operand.
func (a *application) bias(n int) {
	if a.chance(0.5) {
		if a.chance(0.3) {
			a.bool("use_bias", true)
		}
		a.parameter(a.precision(31), int64(n))
	} else {
		a.attrs["use_bias"] = pick(a.maker, "False", "0")
	}
}

func dense(a *application) {
	x := a.either(2, 2, 8, always)
	n := a.between(1, 5)
	a.int("units", n)
	if a.chance(0.2) && a.existing(func(t *formal.Tensor) bool {
		return len(t.Shape) == 2 && t.Shape[1] == x.Shape[1] && t.Precision <= 8
	}) != nil {
		n = int(a.in[1].Shape[0])
		a.int("units", n)
	} else {
		a.parameter(a.precision(8), int64(n), x.Shape[1])
	}
	a.bias(n)
}

func maxPool(a *application) {
	a.either(4, 4, 32, always)
	a.tuple("pool_size", a.between(1, 4), a.between(1, 4))
	a.pair("strides", 1, 3)
	if a.chance(0.3) {
		a.tuple("padding", a.between(0, 2))
	} else {
		a.pair("padding", 0, 2)
	}
	a.bool("ceil_mode", a.chance(0.4))
}

func upsampling(a *application) {
	a.either(4, 4, 32, always)
	a.int("scale", a.between(1, 3))
	if a.chance(0.2) {
		a.attrs["method"] = "NEAREST_NEIGHBOR"
	}
}

func clip(a *application) {
	x := a.any()
	most := int64(1)<<(x.Precision-1) - 1
	lo, hi := a.between64(-most-1, most), a.between64(-most, most+1)
	if a.chance(0.1) {
		lo, hi = 2-1<<31, 1<<31-2
	}
	a.int("a_min", int(max(lo, 2-1<<31)))
	a.int("a_max", int(min(hi, 1<<31-2)))
}

func toPrecision(a *application) {
	a.any()
	a.int("precision", a.precision(32))
	if a.chance(0.2) {
		a.bool("is_sign", true)
	}
}

func shift(a *application) {
	toPrecision(a)
	a.int("shift_bit", pick(a.maker, 1, 2, a.between(1, 8), a.between(1, 32)))
}

func repeat(a *application) {
	n := len(a.any().Shape)
	a.int("repeats", a.between(1, 3))
	if a.chance(0.7) {
		a.int("axis", a.axis(n))
	}
}

func tile(a *application) {
	a.any()
	var reps []int
	for range a.between(1, 6) {
		reps = append(reps, pick(a.maker, 1, 1, 2, 3))
	}
	a.tuple("reps", reps...)
}

func concatenate(a *application) {
	x := a.any()
	axis := 1
	if len(x.Shape) == 1 || a.chance(0.7) {
		axis = a.axis(len(x.Shape))
		a.int("axis", axis)
	}
	if axis < 0 {
		axis += len(x.Shape)
	}
	for range a.between(0, 3) {
		fits := func(t *formal.Tensor) bool {
			if len(t.Shape) != len(x.Shape) {
				return false
			}
			for i := range t.Shape {
				if i != axis && t.Shape[i] != x.Shape[i] {
					return false
				}
			}
			return true
		}
		if a.chance(0.6) && a.existing(fits) != nil {
			continue
		}
		shape := slices.Clone(x.Shape)
		shape[axis] = int64(a.between(1, 3))
		a.parameter(a.precision(32), shape...)
	}
	a.Shuffle(len(a.in), func(i, j int) { a.in[i], a.in[j] = a.in[j], a.in[i] })
}

func transpose(a *application) {
	n := len(a.any().Shape)
	if a.chance(0.2) {
		return
	}
	axes := a.Perm(n)
	for i := range axes {
		if a.chance(0.2) {
			axes[i] -= n
		}
	}
	a.tuple("axes", axes...)
}

func slice(a *application) {
	x := a.any()
	var begin, end, stride []int
	for _, extent := range x.Shape {
		n := int(extent)
		b, e, s := a.between(-n-1, n), a.between(-n-2, n+1), pick(a.maker, 1, 1, 2, 3, -1, -2)
		begin, end, stride = append(begin, b), append(end, e), append(stride, s)
	}
	if a.chance(0.9) {
		a.tuple("begin", begin[:a.IntN(len(begin)+1)]...)
	}
	if a.chance(0.9) {
		a.tuple("end", end[:a.IntN(len(end)+1)]...)
	}
	if a.chance(0.7) {
		a.tuple("stride", stride[:a.IntN(len(stride)+1)]...)
	}
}

func sliceLike(a *application) {
	x := a.any()
	shape := slices.Clone(x.Shape)
	for i, n := range shape {
		shape[i] = int64(a.between(1, int(n)))
	}
	if a.chance(0.5) {
		axes := a.axes(len(shape))
		if len(axes) > 0 && a.chance(0.5) {
			axes = append(axes, axes[0])
		}
		a.tuple("axis", axes...)
	}
	if a.chance(0.5) {
		a.any()
	} else {
		a.parameter(a.precision(32), shape...)
	}
}

// indices adds an operand of indices, not all of which are in range.
func (a *application) indices(n int64) {
	if a.chance(0.5) {
		a.any()
		return
	}
	t := a.fresh(1, 3, 32)
	t.Precision = max(t.Precision, 2)
	a.filled(t)
	most := int64(1)<<(t.Precision-1) - 1
	for i := range t.Data {
		if a.chance(0.7) {
			t.Data[i] = min(most, a.Int64N(n+2)-1)
		}
	}
	a.in = append(a.in, operand{-1, t})
}

func take(a *application) {
	x := a.any()
	n := x.Len()
	switch axis := a.axis(len(x.Shape)); {
	case a.chance(0.7):
		a.int("axis", axis)
		n = x.Shape[(axis+len(x.Shape))%len(x.Shape)]
	case a.chance(0.5):
		a.attrs["axis"] = "None"
	}
	a.indices(n)
}

func lut(a *application) {
	a.any()
	var table *formal.Tensor
	if a.chance(0.3) {
		table = a.any()
	} else {
		table = a.parameter(a.precision(32), pick(a.maker, []int64{int64(a.between(1, 20))}, []int64{2, 3})...)
	}
	a.int("in_dim", int(table.Len()))
}

func expandDims(a *application) {
	n := len(a.any().Shape)
	a.int("axis", a.between(-n-1, n))
	if a.chance(0.5) {
		a.int("num_newaxis", a.between(1, 3))
	}
}

func reshape(a *application) {
	x := a.any()
	var target []int
	inferred := false
	for i := 0; i < len(x.Shape); i++ {
		n := int(x.Shape[i])
		switch a.IntN(7) {
		case 0:
			target = append(target, 0)
		case 1:
			if !inferred {
				target, inferred = append(target, -1), true
				continue
			}
			target = append(target, n)
		case 2:
			target = append(target, -2)
			i = len(x.Shape)
		case 3:
			if i+1 < len(x.Shape) {
				target = append(target, -3)
				i++
				continue
			}
			target = append(target, n)
		case 4:
			part := pick(a.maker, 1, n, max(1, n/2))
			target = append(target, -4, part, pick(a.maker, n/part, -1))
		default:
			target = append(target, n)
		}
	}
	if a.chance(0.3) {
		target = []int{int(x.Len())}
		if x.Len()%2 == 0 && a.chance(0.5) {
			target = []int{-1, 2}
		}
	}
	a.tuple("shape", target...)
}

func squeeze(a *application) {
	x := a.any()
	if a.chance(0.5) {
		return
	}
	var axes []int
	for i, n := range x.Shape {
		if n == 1 && a.chance(0.6) {
			axes = append(axes, pick(a.maker, i, i-len(x.Shape)))
		}
	}
	if len(axes) > 0 && a.chance(0.2) {
		axes = append(axes, axes[0])
	}
	a.tuple("axis", axes...)
}

func where(a *application) {
	x := a.any()
	y := a.in
	a.in = nil
	if a.chance(0.5) {
		a.parameter(a.precision(32), x.Shape[0])
	} else if a.chance(0.4) || a.existing(func(t *formal.Tensor) bool { return slices.Equal(t.Shape, x.Shape) }) == nil {
		a.parameter(a.precision(32), x.Shape...)
	}
	a.in = append(a.in, y...)
	if a.chance(0.4) || a.existing(func(t *formal.Tensor) bool { return slices.Equal(t.Shape, x.Shape) }) == nil {
		a.parameter(a.precision(32), x.Shape...)
	}
	if a.chance(0.5) {
		a.in[1], a.in[2] = a.in[2], a.in[1]
	}
}

func validCounts(a *application) {
	x := a.either(3, 3, 32, func(t *formal.Tensor) bool { return t.Shape[2] >= 2 })
	if x.Shape[2] < 2 {
		a.in = nil
		x = a.parameter(a.precision(32), int64(a.between(1, 2)), int64(a.between(1, 6)), int64(a.between(2, 6)))
	}
	if a.chance(0.7) {
		most := int(int64(1)<<(x.Precision-1) - 1)
		a.int("score_threshold", pick(a.maker, 0, 1, -1, a.between(-most, most)))
	}
}

func suppression(a *application) {
	x := a.existing(func(t *formal.Tensor) bool { return len(t.Shape) == 3 && t.Shape[2] == 6 })
	if x == nil || a.chance(0.3) {
		a.in = nil
		x = a.boxes()
	}
	if a.existing(func(t *formal.Tensor) bool { return len(t.Shape) == 1 && t.Shape[0] == x.Shape[0] }) == nil {
		a.in = append(a.in, operand{-1, a.filled(&formal.Tensor{Shape: []int64{x.Shape[0]}, Precision: a.between(2, 6)})})
	}
	if a.chance(0.8) {
		a.int("iou_threshold", pick(a.maker, 1, 50, 101, a.between(1, 110)))
	}
	if a.chance(0.5) {
		a.int("top_k", a.between(-1, 8))
	}
	if a.chance(0.5) {
		a.int("max_output_size", a.between(-1, 8))
	}
	a.bool("force_suppress", a.chance(0.5))
}

// boxes adds an operand of rows (class, score, x1, y1, x2, y2), most of them boxes that overlap.
func (a *application) boxes() *formal.Tensor {
	t := a.parameter(a.between(6, 32), int64(a.between(1, 3)), int64(a.between(1, 10)), 6)
	most := int64(1)<<(t.Precision-1) - 1
	size := max(1, min(most/2, int64(1)<<a.IntN(31)))
	for row := t.Data; len(row) > 0; row = row[6:] {
		if a.chance(0.1) {
			continue
		}
		row[0] = int64(a.between(-1, 2))
		row[1] = int64(a.between(-3, 10))
		row[2], row[3] = a.Int64N(size), a.Int64N(size)
		row[4], row[5] = row[2]+a.Int64N(size), row[3]+a.Int64N(size)
	}
	return t
}
