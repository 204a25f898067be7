package op

import (
	"math"
	"math/rand/v2"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/fmath"
	"github.com/concord-nn/concord/tensor"
)

// Case is a legal application of an operator.
type Case struct {
	In    []*tensor.Tensor // nil for an absent operand
	Attrs graph.Attrs

	Blocks []*graph.Graph
}

// Draw returns a random legal case, of Generate or of Further. A quarter of the sources draw it on float64.
func (d *Def) Draw(r *Rand) Case {
	defer func(double bool) { r.Double = double }(r.Double)
	r.Double = r.Double || r.doubles
	if d.Further != nil && r.IntN(3) == 0 {
		return d.Further(r)
	}
	return d.Generate(r)
}

// Rand draws the parts of random cases. Size bounds the extents it draws: generators begin small.
type Rand struct {
	*rand.Rand
	Size   int
	Double bool // whether floats are float64 wherever they may be; else none are

	doubles bool // whether [Def.Draw] sets Double
}

// NewRand returns a source that draws the same cases for the same seed.
func NewRand(seed uint64, size int) *Rand {
	return &Rand{Rand: rand.New(rand.NewPCG(seed, 0x636f6e636f7264)), Size: max(size, 1), doubles: seed%4 == 3}
}

// Between returns an integer from lo to hi, both included.
func (r *Rand) Between(lo, hi int) int { return int(int64(lo) + r.Int64N(int64(hi)-int64(lo)+1)) }

// Bool returns true half the time.
func (r *Rand) Bool() bool { return r.IntN(2) == 0 }

// Extent returns a number from 1 to Size.
func (r *Rand) Extent() int { return r.Between(1, r.Size) }

// Shape returns a shape of a rank from lo to hi.
func (r *Rand) Shape(lo, hi int) tensor.Shape {
	s := make(tensor.Shape, r.Between(lo, hi))
	for i := range s {
		s[i] = r.Extent()
	}
	return s
}

// Broadcastable returns a shape that broadcasts to s: some extents are 1, or it is a scalar.
func (r *Rand) Broadcastable(s tensor.Shape) tensor.Shape {
	if r.IntN(6) == 0 {
		return tensor.Shape{}
	}
	out := s.Clone()
	for i := range out {
		if r.IntN(3) == 0 {
			out[i] = 1
		}
	}
	return out
}

// DType returns a member of the set. It is float64 if r.Double asks for it.
func (r *Rand) DType(set Types) tensor.DType {
	double := TypeSet(tensor.Float64)
	if r.Double && set&double != 0 || set == double {
		return tensor.Float64
	}
	return Pick(r, (set &^ double).List())
}

// Pick returns an item of list.
func Pick[T any](r *Rand, list []T) T { return list[r.IntN(len(list))] }

// Axes returns n distinct dimensions of a shape of the given rank, in ascending order.
func (r *Rand) Axes(rank, n int) []int {
	axes := []int{}
	for d := range rank {
		if r.IntN(rank-d) < n-len(axes) {
			axes = append(axes, d)
		}
	}
	return axes
}

// Tensor returns a tensor of moderate values: floats within ±4 in steps of 2^-16, or float64 of 2^-40, integers within ±100 and their type.
func (r *Rand) Tensor(d tensor.DType, shape tensor.Shape) *tensor.Tensor {
	return r.Uniform(d, shape, -4, 4)
}

// Uniform returns a tensor of floats from lo to hi. Integer tensors get values from 25·lo to 25·hi within their type.
func (r *Rand) Uniform(d tensor.DType, shape tensor.Shape, lo, hi float64) *tensor.Tensor {
	if d.IsInteger() {
		lo, hi = math.Ceil(25*lo), math.Floor(25*hi)
		least, most := d.IntRange()
		lo, hi = max(lo, float64(least)), min(hi, float64(most))
		return r.Integers64(d, shape, int64(lo), int64(max(lo, hi)))
	}
	if d == tensor.Float64 {
		return r.ofDoubles(shape, func() float64 { return math.Round((lo+float64(r.Float64()*(hi-lo)))*0x1p40) * 0x1p-40 })
	}
	values := make([]float32, shape.Len())
	for i := range values {
		if d == tensor.Bool {
			values[i] = float32(r.IntN(2))
		} else {
			values[i] = float32(math.Round((lo+float64(r.Float64()*(hi-lo)))*0x1p16) * 0x1p-16)
		}
	}
	return r.from(d, shape, values)
}

// Integers returns a tensor of integers from lo to hi, in any type that holds them.
func (r *Rand) Integers(d tensor.DType, shape tensor.Shape, lo, hi int) *tensor.Tensor {
	return r.Integers64(d, shape, int64(lo), int64(hi))
}

// Integers64 is [Rand.Integers] for numbers that an int may not hold. They must differ by less than 2⁶³.
func (r *Rand) Integers64(d tensor.DType, shape tensor.Shape, lo, hi int64) *tensor.Tensor {
	values := make([]int64, shape.Len())
	for i := range values {
		values[i] = lo + r.Int64N(hi-lo+1)
	}
	t, err := tensor.FromSlice(values, shape...)
	return must(cast(t, err, d))
}

// Extremes returns a float tensor of values that break careless code: zeros of both signs, infinities, NaN, subnormals
// and the greatest values among ordinary ones.
func (r *Rand) Extremes(d tensor.DType, shape tensor.Shape) *tensor.Tensor {
	if d == tensor.Float64 {
		special := []float64{0, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), math.NaN(), 0x1p-1074, -0x1p-1060,
			math.MaxFloat64, -math.MaxFloat64, 1, -1, 0.5, 709.8, -745, 1e-6}
		return r.ofDoubles(shape, func() float64 {
			if r.IntN(3) == 0 {
				return float64(r.Float64()*40) - 20
			}
			return Pick(r, special)
		})
	}
	inf := float32(math.Inf(1))
	special := []float32{0, float32(math.Copysign(0, -1)), inf, -inf, float32(math.NaN()), 0x1p-149, -0x1p-140,
		math.MaxFloat32, -math.MaxFloat32, 1, -1, 0.5, 88.8, -104, 1e-6}
	values := make([]float32, shape.Len())
	for i := range values {
		values[i] = Pick(r, special)
		if r.IntN(3) == 0 {
			values[i] = float32(float64(r.Float64()*40) - 20)
		}
	}
	return r.from(d, shape, values)
}

// ofDoubles returns a tensor of float64, each of which value draws.
func (r *Rand) ofDoubles(shape tensor.Shape, value func() float64) *tensor.Tensor {
	values := make([]float64, shape.Len())
	for i := range values {
		values[i] = fmath.Canonical(value())
	}
	return must(tensor.FromSlice(values, shape...))
}

func (r *Rand) from(d tensor.DType, shape tensor.Shape, values []float32) *tensor.Tensor {
	t, err := tensor.FromSlice(values, shape...)
	return must(cast(t, err, d))
}

func cast(t *tensor.Tensor, err error, d tensor.DType) (*tensor.Tensor, error) {
	if err != nil {
		return nil, err
	}
	return tensor.Cast(t, d)
}

// must panics on an error, which would be a mistake in a generator.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
