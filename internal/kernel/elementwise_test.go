package kernel_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/fmath"
	"github.com/concord-nn/concord/internal/kernel"
	"github.com/concord-nn/concord/internal/simd"
	"github.com/concord-nn/concord/internal/testdata"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

func init() {
	for name := range opsOf("elements") {
		d, other := found(op.Lookup(name)), aroundTiles[name]
		if !d.Traits.Has(op.Elementwise) || strings.Contains(name, "quantize") { // which have scales for channels
			continue
		}
		aroundTiles[name] = func(r *op.Rand) op.Case {
			if other != nil && r.Bool() {
				return other(r)
			}
			return aroundRuns(r, d)
		}
	}
	anything := aroundTiles["cast"]
	aroundTiles["cast"] = func(r *op.Rand) op.Case {
		c := anything(r)
		whole := []tensor.DType{tensor.Int8, tensor.Uint8, tensor.Int16, tensor.Uint16, tensor.Int32}
		if c.In[0].DType() == tensor.Float32 {
			c.Attrs = graph.AttrsOf("dtype", op.Pick(r, whole))
		} else {
			c.Attrs = graph.AttrsOf("dtype", tensor.Float32)
		}
		return c
	}
	simple := aroundTiles["pow"]
	aroundTiles["pow"] = func(r *op.Rand) op.Case {
		c := simple(r)
		exponents := []float32{2, 0.5, -0.5, 3, -1, -2, 0.75, 1, 0, 1e10, -3e20, 1e-20, 150.5, -149}
		if r.Bool() {
			c.In[1] = tensor.Scalar(op.Pick(r, exponents))
			return c
		}
		inf := float32(math.Inf(1))
		for k, some := range [][]float32{{0, float32(math.Copysign(0, -1)), 1, -1, -2, 3, inf, -inf, fmath.NaN()}, append(exponents, inf, -inf, fmath.NaN())} {
			x := tensor.Data[float32](c.In[k])
			for i := range x {
				if r.IntN(3) == 0 {
					x[i] = op.Pick(r, some)
				}
			}
		}
		return c
	}
	aroundTiles["local_response_normalization"] = func(r *op.Rand) op.Case {
		shape := chainRuns(r)
		size := make([]int, len(shape))
		for d := range size {
			size[d] = op.Pick(r, []int{1, 1, 2, 3, 5})
		}
		return op.Case{In: []*tensor.Tensor{r.Tensor(tensor.Float32, shape)}, Attrs: graph.AttrsOf("size", size, "alpha", 0.5, "beta",
			op.Pick(r, []float64{0.5, 0.75, 1, 2, -1}), "bias", op.Pick(r, []float64{1, -1}))}
	}
	aroundTiles["batch_normalization"] = func(r *op.Rand) op.Case {
		shape := chainRuns(r)
		axis := r.IntN(len(shape))
		c := op.Case{In: []*tensor.Tensor{r.Tensor(tensor.Float32, shape)}, Attrs: graph.AttrsOf("epsilon", 1e-5, "axis", axis)}
		for range 4 {
			s := tensor.Shape{1}
			if r.IntN(4) > 0 {
				s[0] = shape[axis]
			}
			c.In = append(c.In, r.Uniform(tensor.Float32, s, 0.25, 4))
		}
		return c
	}
}

// aroundRuns returns a case of an element-wise operator, of elements in runs around what is computed at a time.
func aroundRuns(r *op.Rand, d *op.Def) op.Case {
	c, shape := d.Draw(r), chainRuns(r)
	full := r.IntN(len(c.In))
	for i, x := range c.In {
		switch {
		case x == nil:
		case i == full || r.Bool():
			c.In[i] = r.Tensor(x.DType(), shape)
		default:
			c.In[i] = r.Tensor(x.DType(), r.Broadcastable(shape))
		}
	}
	if c.In[full] == nil {
		c.In[0] = r.Tensor(c.In[0].DType(), shape)
	}
	return c
}

// chainRuns returns a shape whose last extents, or their product, are around a vector, a short run or a chunk.
func chainRuns(r *op.Rand) tensor.Shape {
	near := func(n int) int { return max(1, n+r.Between(-2, 2)) }
	switch r.IntN(16) { // few large ones, which take long to compare
	case 0, 1, 2, 3:
		return tensor.Shape{r.Between(1, 3), near(16), near(16)}
	case 4, 5, 6, 7:
		return tensor.Shape{r.Between(1, 2), near(4), near(shortRun)}
	case 8:
		return tensor.Shape{r.Between(1, 2), near(chainRun)}
	case 9:
		return tensor.Shape{near(chainRun / 4), r.Between(1, 5)}
	}
	return tensor.Shape{r.Between(1, 2), r.Between(14, 34), r.Between(1, 8), r.Between(1, 8)}
}

// TestGeluByErf holds what networks write for GELU, and what is only like it, to references.
func TestGeluByErf(t *testing.T) {
	for i := range kernel.Tiers {
		if tier := &kernel.Tiers[i]; tier.Has == nil || tier.Has() {
			compareGelu(t, tier, testdata.Cases(30, 1000))
		}
	}
}

func compareGelu(t *testing.T, tier *kernel.Tier, cases int) {
	t.Helper()
	for seed := range uint64(cases) {
		r := op.NewRand(seed, 1+int(seed)/20)
		shape := chainRuns(r)
		x := r.Tensor(tensor.Float32, shape)
		if r.IntN(3) == 0 {
			x = r.Extremes(tensor.Float32, shape)
		}
		b := graph.NewBuilder(op.Rules, "case")
		first := must(b.Input("x", graph.TypeOf(x)))
		var nodes []*graph.Node
		var c op.Case
		last, value := first, x
		add := func(name string, with ...*tensor.Tensor) { // x itself stands for that value
			in, of := []*graph.Value{last}, []*tensor.Tensor{value}
			if last == first {
				c.In = append(c.In, x)
			}
			for _, w := range with {
				v := first
				if w != x {
					v = must(b.Constant("", "", w))
				}
				in, of, c.In = append(in, v), append(of, w), append(c.In, w)
			}
			if len(with) > 0 && found(op.Lookup(name)).Traits.Has(op.Commutative) && r.Bool() {
				slices.Reverse(in)
				slices.Reverse(of)
			}
			value = must(op.Eval(found(op.Lookup(name)), of, nil))[0]
			last = must(b.One(name, in, nil, ""))
			nodes = append(nodes, last.Producer)
		}
		number := func(v float32) *tensor.Tensor {
			s := op.Pick(r, []tensor.Shape{ones(shape), ones(shape), shape})
			return r.Uniform(tensor.Float32, s, float64(v)*0.9, float64(v))
		}
		add("div", number(1.5))
		add("erf")
		add("add", number(1))
		add("mul", op.Pick(r, []*tensor.Tensor{x, x, x, number(2)}))
		add("mul", number(0.5))
		if r.IntN(3) == 0 {
			add("relu")
		}
		region := offered(r, nodes...)
		for k := range tier.Kernels {
			if row := &tier.Kernels[k]; row.Takes(nodes[0]) {
				if p := row.Prepare(region); p != nil {
					trialOf(t, r, c, p, []*tensor.Tensor{value}).check()
				}
			}
		}
	}
}

// TestElementsOfFewChannels holds elements to the order that they have in blocks only where enough lanes of these are channels.
func TestElementsOfFewChannels(t *testing.T) {
	for channels, want := range map[int]kernel.Layout{1: kernel.Plain, 4: kernel.Plain, 5: kernel.Blocked16, 16: kernel.Blocked16} {
		b := graph.NewBuilder(op.Rules, "sigmoid")
		x := must(b.Input("x", op.Type{DType: tensor.Float32, Shape: tensor.Shape{1, channels, 9, 9}}))
		n := must(b.One("sigmoid", []*graph.Value{x}, nil, "")).Producer
		rows := tierOf(&simd.AVX2).Kernels
		row := &rows[slices.IndexFunc(rows, func(row kernel.Kernel) bool { return row.Takes(n) })]
		p := row.Prepare(kernel.Region{Nodes: []*graph.Node{n}, Layouts: map[*graph.Value]kernel.Layout{x: kernel.Blocked16}})
		if got := layoutOf(p.In, 0); got != want {
			t.Errorf("%d channels are read in layout %v; want %v", channels, got, want)
		}
	}
}
