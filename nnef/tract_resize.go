package nnef

import (
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/internal/nnef/eval"
	"github.com/concord-nn/concord/tensor"
)

// resizers say at which place of the input an element of the result lies: element i of out, at a scale, of n elements.
var resizers = map[string]func(i, scale, n, out float32) float32{
	"half_pixel": func(i, scale, _, _ float32) float32 { return (i+0.5)/scale - 0.5 },
	"asymmetric": func(i, scale, _, _ float32) float32 { return i / scale },
	"align_corners": func(i, scale, n, _ float32) float32 {
		wide := float32(scale * n) // the conversions here and below keep products apart from sums on every processor
		if wide == 1 {
			return 0
		}
		return float32(i*(n-1)) / (wide - 1)
	},
	"pytorch_half_pixel": func(i, scale, _, out float32) float32 {
		if out > 1 {
			return (i+0.5)/scale - 0.5
		}
		return -0.5
	},
	"half_pixel_symmetric": func(i, scale, n, out float32) float32 {
		return float32(n/2*(1-out/float32(scale*n))) + (i+0.5)/scale - 0.5
	},
	"tf_half_pixel_for_nn": func(i, scale, _, _ float32) float32 { return (i + 0.5) / scale },
}

// weights returns the weights of the elements around a place that lies r behind the second of them or before it: 0 < r ≤ 1.
// The first is left of it by half their number.
func weights(interpolator, nearest string, r float32) []float32 {
	switch interpolator {
	case "nearest":
		if r == 1 || nearest == "round_prefer_ceil" && r >= 0.5 {
			return []float32{0, 1}
		}
		return []float32{1, 0}
	case "linear":
		return []float32{1 - r, r}
	}
	cubic := func(x float32) float32 {
		const a = -0.75
		switch x = max(x, -x); {
		case x <= 1:
			return float32(float32((float32((a+2)*x)-(a+3))*x)*x) + 1
		case x <= 2:
			return float32((float32((float32(a*x)-5*a)*x)+8*a)*x) - 4*a
		}
		return 0
	}
	return []float32{cubic(r + 1), cubic(r), cubic(1 - r), cubic(2 - r)}
}

// resizing is what the arguments of tract_core_resize say.
type resizing struct {
	place                 func(i, scale, n, out float32) float32
	interpolator, nearest string
	scales                []float64 // or sizes
	sizes                 []int
}

// choices are the names that an argument of tract_core_resize may have.
var choices = map[string][]string{
	"coord_transformer": slices.Sorted(maps.Keys(resizers)),
	"interpolator":      {"nearest", "linear", "cubic"},
	"nearest_mode":      {"floor", "round_prefer_ceil"},
}

func (l *tractLowering) resizing(rank int) resizing {
	for _, arg := range []string{"coord_transformer", "interpolator", "nearest_mode"} {
		if name := l.string(arg); !slices.Contains(choices[arg], name) {
			l.fail(eval.CodeAttribute, arg, "the %s %q is not supported; only %s", arg, name, strings.Join(choices[arg], ", "))
		}
	}
	r := resizing{
		place: resizers[l.string("coord_transformer")], interpolator: l.string("interpolator"), nearest: l.string("nearest_mode"),
		scales: l.floats("scales"), sizes: l.ints("sizes"),
	}
	if (len(r.scales) == rank) == (len(r.sizes) == rank) {
		l.fail(eval.CodeMissing, "scales", "give either scales or sizes, one number for each of %d dimensions", rank)
	}
	return r
}

// extent returns the extent that a dimension of n elements becomes, and by which factor.
func (r *resizing) extent(axis, n int) (out int, scale float32) {
	if axis < len(r.scales) {
		scale = float32(r.scales[axis])
		return int(min(float32(n)*scale, maxResized+1)), scale
	}
	return r.sizes[axis], float32(r.sizes[axis]) / float32(n)
}

// maxResized bounds an extent that is made.
const maxResized = limits.TractResized

// tractResize gathers, along one dimension after another, the elements around each place and adds them by weights.
func tractResize(l *tractLowering) []*graph.Value {
	in := l.tensor("input")
	shape := l.shape(in)
	r := l.resizing(len(shape))
	if l.Err != nil {
		return nil
	}
	v := in
	if r.interpolator != "nearest" {
		v = l.Cast(in, tensor.Float32)
	}
	for axis, n := range shape {
		out, scale := r.extent(axis, n)
		if out < 1 || out > maxResized || n < 1 {
			l.fail(eval.CodeAttribute, "scales", "the extent %d cannot become %d; it must be from 1 to %d", n, out, maxResized)
			return nil
		}
		if l.Err == nil && (out != n || scale != 1) {
			v = l.resized(v, axis, r.taps(out, n, scale), n)
		}
	}
	return l.result("cast", []*graph.Value{v}, attr("dtype", in.Type.DType))
}

// tap is the elements that make one element of a result: their weights, and the index of the first.
type tap struct {
	weights []float32
	begin   int
}

// taps returns what makes each of out elements of n.
func (r *resizing) taps(out, n int, scale float32) []tap {
	list := make([]tap, out)
	for i := range list {
		x := float64(r.place(float32(i), scale, float32(n), float32(out)))
		cell := math.Ceil(x) - 1
		weights := weights(r.interpolator, r.nearest, float32(x-cell))
		list[i] = tap{weights, int(max(min(cell, 1<<30), -1<<30)) + 1 - len(weights)/2}
	}
	return list
}

// resized makes elements along a dimension of n, the outermost ones in place of those beyond the border.
func (l *tractLowering) resized(v *graph.Value, axis int, taps []tap, n int) *graph.Value {
	out := len(taps)
	single := !slices.ContainsFunc(taps, func(t tap) bool { return slices.Max(t.weights) != 1 }) // each takes one element
	count := len(taps[0].weights)
	if single {
		count = 1
	}
	shape := slices.Repeat([]int{1}, rank(v))
	shape[axis] = out
	var sum *graph.Value
	for k := range count {
		indices, factors := make([]eval.Value, out), make([]eval.Value, out)
		for i, t := range taps {
			at := k
			if single {
				at = slices.Index(t.weights, 1)
			}
			indices[i], factors[i] = int64(min(max(t.begin+at, 0), n-1)), float64(t.weights[at])
		}
		part := l.step("gather", []*graph.Value{v, l.constant(indices, tensor.Int64, tensor.Shape{out})}, attr("axis", axis))
		if single {
			return part
		}
		part = l.step("mul", []*graph.Value{part, l.constant(factors, tensor.Float32, shape)})
		if k > 0 {
			part = l.step("add", []*graph.Value{sum, part})
		}
		sum = part
	}
	return sum
}
