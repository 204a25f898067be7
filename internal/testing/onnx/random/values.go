package random

import (
	"math"
	"strings"

	"github.com/concord-nn/concord/tensor"
)

// values says what elements are drawn from.
type values struct {
	lo, hi float64
	edges  bool // also infinities, NaN, zeros with either sign, great and small numbers; of integers, all that their type has
	apart  bool // each only once
}

// What elements are drawn from.
var (
	some     = values{lo: -5, hi: 5}
	edges    = values{lo: -5, hi: 5, edges: true}
	few      = values{lo: -2, hi: 2}
	positive = values{lo: 0.25, hi: 5}
	distinct = values{lo: -400, hi: 400, apart: true}
)

// fill returns a tensor with elements at random.
func (m *maker) fill(d tensor.DType, shape []int, v values) *tensor.Tensor {
	n := tensor.Shape(shape).Len()
	switch {
	case d == tensor.Bool:
		v = values{lo: 0, hi: 1}
		fallthrough
	case d.IsInteger():
		return reshape(cast(slice(m.integers(d, n, v)), d), shape)
	case d == tensor.Float64:
		return reshape(slice(m.numbers(n, v)), shape)
	default:
		return reshape(cast(slice(m.numbers(n, v)), d), shape)
	}
}

func (m *maker) integers(d tensor.DType, n int, v values) []int64 {
	if v.apart {
		v.hi = max(v.hi, v.lo+float64(n))
	}
	least, most := d.IntRange()
	if d == tensor.Bool {
		most = 1
	}
	lo, hi := int64(math.Ceil(v.lo)), int64(math.Floor(v.hi))
	lo, hi = max(lo, least), int64(min(uint64(max(hi, 0)), most))
	if v.hi < 0 {
		hi = int64(math.Floor(v.hi))
	}
	wild := v.edges && m.chance(0.3)
	out := make([]int64, n)
	seen := make(map[int64]bool)
	for i := range out {
		out[i] = lo + m.Int64N(max(hi-lo, 0)+1)
		if wild {
			out[i] = int64(m.Uint64()) >> m.IntN(64)
		}
		for v.apart && seen[out[i]] && int64(len(seen)) < hi-lo {
			out[i] = lo + m.Int64N(hi-lo+1)
		}
		seen[out[i]] = true
	}
	return out
}

var edgeNumbers = []float64{math.Inf(1), math.Inf(-1), math.NaN(), 0, math.Copysign(0, -1), 1e-30, -1e-30, 3e38, -3e38, 65504, 1, -1, 0.5, -0.5, 1.5, 2.5, 88, -104}

func (m *maker) numbers(n int, v values) []float64 {
	grid, wild := m.chance(0.5), v.edges && m.chance(0.3)
	seen := make(map[float64]bool)
	draw := func() float64 {
		switch {
		case wild && m.chance(0.3):
			return one(m, edgeNumbers...)
		case v.apart:
			return float64(m.between(int(v.lo), int(v.hi))) // which all types of floats can tell apart
		case grid:
			return math.Min(v.lo+math.Floor(m.Float64()*((v.hi-v.lo)*4+1))/4, v.hi)
		}
		return float64(float32(v.lo + m.Float64()*(v.hi-v.lo)))
	}
	out := make([]float64, n)
	for i := range out {
		out[i] = draw()
		for tries := 0; v.apart && seen[out[i]] && tries < 100; tries++ {
			out[i] = draw()
		}
		seen[out[i]] = true
	}
	return out
}

// shape returns one of a rank from least to most.
func (m *maker) shape(least, most int) []int {
	return m.extents(m.between(least, most), 1, 5)
}

// maybeEmpty is shape, now and then of a tensor without elements.
func (m *maker) maybeEmpty(least, most int) []int {
	s := m.shape(least, most)
	if len(s) > 0 && m.chance(0.04) {
		s[m.IntN(len(s))] = 0
	}
	return s
}

// extents returns n of them.
//
//go:noinline
func (m *maker) extents(n, lo, hi int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = m.between(lo, hi)
	}
	return out
}

// broadcast returns a shape that broadcasts to another.
func (m *maker) broadcast(shape []int) []int {
	out := append([]int{}, shape...)
	if m.chance(0.4) {
		return out
	}
	out = out[m.IntN(len(out)+1):]
	for i := range out {
		if m.chance(0.3) {
			out[i] = 1
		}
	}
	return out
}

// axis returns one of a tensor, which may count from the end.
func (m *maker) axis(rank int) int {
	if m.opset >= 11 && m.chance(0.5) {
		return -1 - m.IntN(rank)
	}
	return m.IntN(rank)
}

// axes returns different ones of a tensor, in any order.
func (m *maker) axes(rank, n int) []int {
	out := m.Perm(rank)[:n]
	for i := range out {
		if m.opset >= 11 && m.chance(0.3) {
			out[i] -= rank
		}
	}
	return out
}

// positive returns an axis as it counts from the beginning.
func count(axis, rank int) int {
	if axis < 0 {
		return axis + rank
	}
	return axis
}

// with returns a copy of a shape with another extent.
func with(shape []int, axis, n int) []int {
	out := append([]int{}, shape...)
	out[axis] = n
	return out
}

// join returns a shape of several parts.
func join(parts ...[]int) []int {
	out := []int{}
	for _, p := range parts {
		out = append(out, p...)
	}
	return out
}

// product returns that of extents.
func product(shape []int) int { return tensor.Shape(shape).Len() }

func slice[T tensor.Element](x []T) *tensor.Tensor {
	t, err := tensor.FromSlice(x, len(x))
	if err != nil {
		panic(err)
	}
	return t
}

func reshape(x *tensor.Tensor, shape []int) *tensor.Tensor {
	t, err := x.Reshape(shape...)
	if err != nil {
		panic(err)
	}
	return t
}

func cast(x *tensor.Tensor, d tensor.DType) *tensor.Tensor {
	t, err := tensor.Cast(x, d)
	if err != nil {
		panic(err)
	}
	return t
}

// vector returns a tensor of rank 1.
func vector(d tensor.DType, list ...int) *tensor.Tensor {
	wide := make([]int64, len(list))
	for i, x := range list {
		wide[i] = int64(x)
	}
	return cast(slice(wide), d)
}

func scalar(d tensor.DType, x float64) *tensor.Tensor { return cast(tensor.Scalar(x), d) }

// names are the element types as rules write them.
var names = map[string]tensor.DType{
	"bool": tensor.Bool, "i8": tensor.Int8, "i16": tensor.Int16, "i32": tensor.Int32, "i64": tensor.Int64, "u8": tensor.Uint8, "u16": tensor.Uint16,
	"u32": tensor.Uint32, "u64": tensor.Uint64, "f16": tensor.Float16, "bf16": tensor.BFloat16, "f32": tensor.Float32, "f64": tensor.Float64,
	"i4": tensor.Int4, "u4": tensor.Uint4, "i2": tensor.Int2, "u2": tensor.Uint2, "e4m3fn": tensor.Float8E4M3FN, "e4m3fnuz": tensor.Float8E4M3FNUZ,
	"e5m2": tensor.Float8E5M2, "e5m2fnuz": tensor.Float8E5M2FNUZ,
}

// Element types that many rules draw from.
const (
	single   = "f32 f32 f16"
	floats   = "f32 f32 f16 f64"
	ints     = "i8 i16 i32 i64 u8 u16 u32 u64"
	nums     = "f32 f32 f32 f16 f64 " + ints
	all      = "f32 f32 f16 f64 bool bf16 " + ints
	small    = "e4m3fn e4m3fnuz e5m2 e5m2fnuz"
	tiny     = "i4 u4 i2 u2"
	anything = all + " " + small
)

func types(text string) []tensor.DType {
	var out []tensor.DType
	for _, s := range strings.Fields(text) {
		d, ok := names[s]
		if !ok {
			panic("random: type " + s)
		}
		out = append(out, d)
	}
	return out
}

// firstOpset says from when on models can have element types.
var firstOpset = map[tensor.DType]int{tensor.BFloat16: 13, tensor.Float8E4M3FN: 19, tensor.Float8E4M3FNUZ: 19, tensor.Float8E5M2: 19, tensor.Float8E5M2FNUZ: 19,
	tensor.Int4: 21, tensor.Uint4: 21, tensor.Int2: 25, tensor.Uint2: 25}

// feedable reports whether models can be fed with a type, by onnxruntime-node too.
func feedable(d tensor.DType) bool { return firstOpset[d] == 0 }
