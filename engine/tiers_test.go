package engine

import (
	"context"
	"fmt"
	"testing"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/geometry"
	"github.com/concord-nn/concord/internal/kernel"
	"github.com/concord-nn/concord/internal/simd"
	"github.com/concord-nn/concord/internal/testdata"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// planes draws graphs as networks for pictures have them, out of operators that work on planes of channels in one layout or another.
type planes struct {
	net
	r      *op.Rand
	values []*graph.Value          // of shape (batch, channels, height, width)
	filled map[string]*graph.Value // constants by their shapes, which others may have, too
}

func planesGraph(tb testing.TB, seed uint64) (*graph.Graph, []*tensor.Tensor) {
	p := &planes{net: newNet(tb), r: op.NewRand(seed, 4), filled: make(map[string]*graph.Value)}
	batch := op.Pick(p.r, []int{1, 1, 1, 2, 3})
	h, w := op.Pick(p.r, []int{p.r.Between(1, 9), p.r.Between(1, 9), 15, p.r.Between(10, 30)}), p.r.Between(1, 17)
	var inputs []*tensor.Tensor
	for i := range p.r.Between(1, 2) {
		t := p.r.Tensor(tensor.Float32, tensor.Shape{batch, p.channels(), h, w})
		inputs = append(inputs, t)
		p.values = append(p.values, p.input(fmt.Sprint("in", i), tensor.Float32, t.Shape()...))
	}
	for range p.r.Between(2, 9) {
		p.keep(op.Pick(p.r, planeSteps)(p, op.Pick(p.r, p.values)))
	}
	for i := range p.r.Between(1, 3) {
		p.output(fmt.Sprint("out", i), p.values[len(p.values)-1-p.r.IntN(min(3, len(p.values)))])
	}
	g, err := p.Build()
	return ok(tb, g, err), inputs
}

// planeSteps make values of others.
var planeSteps = []func(p *planes, v *graph.Value) *graph.Value{
	(*planes).conv,
	(*planes).conv,
	(*planes).depthwise,
	(*planes).deconv,
	(*planes).pool,
	(*planes).function,
	(*planes).attention,
	func(p *planes, v *graph.Value) *graph.Value { // an inverted residual
		c := v.Type.Shape[1]
		wide := p.mix(v, p.channels(), p.random(1))
		wide = p.function(p.depthwise(p.function(wide)))
		return p.added(p.mix(wide, c, nil), v)
	},
	func(p *planes, v *graph.Value) *graph.Value { // squeeze and excitation
		c, n := v.Type.Shape[1], p.channels()
		mean := p.op("mean_reduce", attrs("axes", []int{2, 3}), v)
		less := p.op("relu", nil, p.mix(mean, n, p.random(n)))
		return p.op("mul", nil, v, p.op("sigmoid", nil, p.mix(less, c, nil)))
	},
	func(p *planes, v *graph.Value) *graph.Value {
		return p.op("mean_reduce", attrs("axes", []int{2, 3}), v)
	},
	func(p *planes, v *graph.Value) *graph.Value { return p.op("concat", attrs("axis", 1), v, p.like(v)) },
	func(p *planes, v *graph.Value) *graph.Value {
		c := v.Type.Shape[1]
		if c%16 != 0 || c <= 16 {
			return v
		}
		parts := p.ops("split", attrs("axis", 1, "ratios", []int{1, c/16 - 1}), v)
		p.keep(parts[0])
		return parts[1]
	},
	func(p *planes, v *graph.Value) *graph.Value {
		return p.op(op.Pick(p.r, []string{"add", "mul", "sub"}), nil, v, p.like(v))
	},
	func(p *planes, v *graph.Value) *graph.Value {
		return p.op("transpose", attrs("axes", []int{0, 1, 3, 2}), v)
	},
	func(p *planes, v *graph.Value) *graph.Value { // shuffled channels
		s := v.Type.Shape
		if s[1]%2 > 0 {
			return v
		}
		groups := p.op("reshape", reshapeTo(s[0], 2, s[1]/2, s[2], s[3]), v)
		return p.op("reshape", reshapeTo(s...), p.op("transpose", attrs("axes", []int{0, 2, 1, 3, 4}), groups))
	},
	func(p *planes, v *graph.Value) *graph.Value { // along the channels
		rows := p.op("transpose", attrs("axes", []int{0, 2, 3, 1}), v)
		if p.r.Bool() {
			rows = p.op("softmax", attrs("axes", []int{3}), rows)
		} else {
			rows = p.op("layer_normalization", attrs("axes", []int{3}), rows, nil, nil)
		}
		return p.op("transpose", attrs("axes", []int{0, 3, 1, 2}), rows)
	},
	func(p *planes, v *graph.Value) *graph.Value {
		return p.op("instance_normalization", nil, v, p.random(v.Type.Shape[1]), p.random(v.Type.Shape[1]))
	},
	func(p *planes, v *graph.Value) *graph.Value { // a product of rows
		s := v.Type.Shape
		flat := p.op("reshape", reshapeTo(s[0]*s[1]*s[2], s[3]), v)
		return p.op("reshape", reshapeTo(s...), p.op("matmul", nil, flat, p.random(s[3], s[3])))
	},
	func(p *planes, v *graph.Value) *graph.Value { // a product with codes, too many to be folded
		s, block := v.Type.Shape, op.Pick(p.r, []int{16, 32, 128})
		k := s[2] * s[3]
		n := 1<<14/max(k, 1) + p.r.Between(1, 64)
		if n > 1<<10 {
			return v
		}
		numbers := func(t *tensor.Tensor) *graph.Value {
			c, err := p.Constant("", "", t)
			return ok(p.tb, c, err)
		}
		scales := numbers(p.r.Uniform(tensor.Float32, tensor.Shape{n, geometry.CeilDiv(k, block)}, -1, 1))
		w := p.op("dequantize_linear", attrs("block", []int{1, block}), numbers(p.r.Tensor(tensor.Int4, tensor.Shape{n, k})), scales, numbers(p.r.Tensor(tensor.Int4, nil)))
		y := p.op("reshape", reshapeTo(s[0]*s[1], k), v)
		if p.r.Bool() {
			y = p.op("matmul", attrs("transposeB", true), y, w)
		} else {
			y = p.op("linear", nil, y, w, p.random(n))
		}
		return p.op("reshape", reshapeTo(s[0], s[1], 1, n), y)
	},
	func(p *planes, v *graph.Value) *graph.Value { // batch normalisation
		c := v.Type.Shape[1]
		return p.op("mul", nil, p.op("add", nil, v, p.random(1, c, 1, 1)), p.random(1, c, 1, 1))
	},
	func(p *planes, v *graph.Value) *graph.Value {
		s := v.Type.Shape
		mode := op.Pick(p.r, []string{"nearest-neighbor", "linear"})
		return p.op("resample", attrs("mode", mode, "sizes", []int{s[0], s[1], s[2] * p.r.Between(1, 2), p.r.Between(1, 2*s[3])}), v)
	},
	func(p *planes, v *graph.Value) *graph.Value {
		return p.op("pad", attrs("padding", []int{0, 0, 0, p.r.Between(0, 1) * 16, p.r.IntN(2), p.r.IntN(3), p.r.IntN(2), p.r.IntN(3)}), v)
	},
	func(p *planes, v *graph.Value) *graph.Value { // halves and whole floats again
		half := p.op("cast", attrs("dtype", tensor.Float16), v)
		return p.op("cast", attrs("dtype", tensor.Float32), p.op(op.Pick(p.r, []string{"relu", "copy", "sigmoid"}), nil, half))
	},
}

var attrs = graph.AttrsOf

// keep keeps a value for others to use, unless it is large or empty.
func (p *planes) keep(v *graph.Value) {
	if n := v.Type.Shape.Len(); n > 0 && n < 1<<15 {
		p.values = append(p.values, v)
	}
}

func (p *planes) channels() int { return op.Pick(p.r, []int{1, 3, 8, 16, 16, 24, 32, 40, 48, 64, 96}) }

func (p *planes) random(shape ...int) *graph.Value {
	key := fmt.Sprint(shape)
	if v := p.filled[key]; v != nil && p.r.IntN(3) > 0 {
		return v
	}
	v, err := p.Constant("", "", p.r.Tensor(tensor.Float32, shape))
	p.filled[key] = v
	return ok(p.tb, v, err)
}

// window draws the attributes of one with k×k elements.
func (p *planes) window(k int) (padding, stride, dilation []int) {
	dilation = []int{1, 1}
	if p.r.IntN(4) == 0 {
		dilation = []int{p.r.Between(1, 3), p.r.Between(1, 3)}
	}
	for _, d := range dilation {
		around := (k - 1) * d
		before := around / 2
		if p.r.IntN(4) == 0 {
			before = p.r.Between(0, around)
		}
		padding = append(padding, before, around-before)
	}
	s := op.Pick(p.r, []int{1, 1, 2})
	return padding, []int{s, op.Pick(p.r, []int{s, s, s, 3 - s})}, dilation
}

// mix is a convolution of single elements to n channels.
func (p *planes) mix(v *graph.Value, n int, bias *graph.Value) *graph.Value {
	return p.op("conv", attrs("padding", make([]int, 4)), v, p.random(n, v.Type.Shape[1], 1, 1), bias)
}

// conv is a convolution, as a rule with something behind it.
func (p *planes) conv(v *graph.Value) *graph.Value {
	c, n, groups := v.Type.Shape[1], p.channels(), 1
	if p.r.IntN(4) == 0 {
		for groups = 4; c%groups > 0 || n%groups > 0; {
			groups /= 2
		}
	}
	k := op.Pick(p.r, []int{1, 1, 2, 3, 3, 5})
	padding, stride, dilation := p.window(k)
	var bias *graph.Value
	if p.r.Bool() {
		bias = p.random(op.Pick(p.r, []int{1, n}))
	}
	made := p.op("conv", attrs("padding", padding, "stride", stride, "dilation", dilation, "groups", groups), v, p.random(n, c/groups, k, k), bias)
	switch p.r.IntN(6) {
	case 0:
		return made
	case 1:
		made = p.op("add", nil, made, p.random(1, n, 1, 1))
	case 2:
		made = p.added(made, p.like(made))
	case 3:
		made = p.op("add", nil, p.op("mul", nil, made, p.random(1, n, 1, 1)), p.random(1, n, 1, 1))
	}
	return p.function(made)
}

// added returns the sum of two values if they have one shape, else the first.
func (p *planes) added(v, w *graph.Value) *graph.Value {
	if !v.Type.Equal(w.Type) || v == w {
		return v
	}
	if p.r.Bool() {
		v, w = w, v
	}
	return p.op("add", nil, v, w)
}

// depthwise is a convolution of each channel, or one of each that makes several.
func (p *planes) depthwise(v *graph.Value) *graph.Value {
	c, k := v.Type.Shape[1], op.Pick(p.r, []int{2, 3, 3, 3, 5, 5, 7})
	padding, stride, dilation := p.window(k)
	n := c * op.Pick(p.r, []int{1, 1, 1, 2})
	return p.op("conv", attrs("padding", padding, "stride", stride, "dilation", dilation, "groups", 0), v, p.random(n, 1, k, k), p.random(n))
}

func (p *planes) deconv(v *graph.Value) *graph.Value {
	c, n, k := v.Type.Shape[1], p.channels(), p.r.Between(1, 4)
	stride := p.r.Between(1, 2)
	padding := make([]int, 4)
	if k > 2 {
		padding = []int{1, p.r.IntN(2), 1, p.r.IntN(2)}
	}
	return p.function(p.op("deconv", attrs("padding", padding, "stride", []int{stride, stride}), v, p.random(c, n, k, k), nil))
}

func (p *planes) pool(v *graph.Value) *graph.Value {
	k := p.r.Between(2, 3)
	padding, stride, dilation := p.window(k)
	at := attrs("size", []int{1, 1, k, k}, "padding", append([]int{0, 0, 0, 0}, padding...), "border", op.Pick(p.r, []string{"ignore", "constant"}),
		"stride", append([]int{1, 1}, stride...), "dilation", append([]int{1, 1}, dilation...))
	if p.r.Bool() {
		return p.op("max_pool", at, v)
	}
	return p.op("box", append(at, attrs("normalize", true)...), v)
}

// function applies one to each element.
func (p *planes) function(v *graph.Value) *graph.Value {
	switch name := op.Pick(p.r, []string{"relu", "relu", "clamp", "clamp", "sigmoid", "tanh", "exp", "hard_swish", "hard_sigmoid", "leaky_relu", "prelu", "silu", "gelu", "elu"}); name {
	case "clamp":
		return p.op(name, nil, v, p.constant([]float32{0}), p.constant([]float32{6}))
	case "prelu":
		return p.op(name, nil, v, p.random(1, v.Type.Shape[1], 1, 1))
	case "silu":
		return p.op("mul", nil, v, p.op("sigmoid", nil, v))
	default:
		return p.op(name, nil, v)
	}
}

func (p *planes) attention(v *graph.Value) *graph.Value {
	weights := p.op("matmul", attrs("transposeB", true), v, p.like(v))
	return p.op("matmul", nil, p.op("softmax", attrs("axes", []int{op.Pick(p.r, []int{3, 3, 2})}), weights), p.random(1, 1, weights.Type.Shape[3], p.r.Between(1, 40)))
}

// like returns a value with the type of v, which may be v.
func (p *planes) like(v *graph.Value) *graph.Value {
	for range 4 {
		if w := op.Pick(p.r, p.values); w.Type.Equal(v.Type) {
			return w
		}
	}
	return v
}

// compareTiers runs a graph on kernels of each tier of this machine, and compares what comes out with the references.
func compareTiers(t *testing.T, g *graph.Graph, inputs []*tensor.Tensor) {
	t.Helper()
	want := interpret(t, g, inputs, 2)
	for _, tier := range kernel.TiersInUse() {
		t.Setenv(simd.Variable, tier)
		p, err := Compile(g, Options{Threads: 2})
		ok(t, p, err)
		checkPlan(t, p)
		s := session(t, p)
		litter(s)
		split(s)
		for k := range want {
			for i, in := range inputs {
				ok(t, 0, s.SetInput(i, in))
			}
			ok(t, 0, s.Run(context.Background()))
			for i, w := range want[k] {
				if string(s.Output(i).Bytes()) != string(w.Contiguous().Bytes()) {
					t.Fatalf("tier %s, run %d: output %d is not as the references compute it:\n%s", tier, k, i, graph.Text(g, op.Rules))
				}
			}
		}
		p.Close()
	}
	t.Setenv(simd.Variable, "")
}

// TestTiers compares random networks and random graphs between tiers.
func TestTiers(t *testing.T) {
	seeds := uint64(testdata.Cases(40, 1000))
	for seed := range seeds {
		setStripValue(t, int64(seed%2)<<20)
		g, inputs := planesGraph(t, seed)
		compareTiers(t, g, inputs)
		g, inputs = randomGraph(t, seed)
		compareTiers(t, g, inputs)
	}
}

// setStripValue sets from how many bytes on values pass from unit to unit in strips, until the end of the test.
func setStripValue(t *testing.T, bytes int64) {
	before := stripValue
	t.Cleanup(func() { stripValue = before })
	stripValue = bytes
}

// FuzzTiers does so for any seeds.
func FuzzTiers(f *testing.F) {
	f.Add(uint64(0), false)
	f.Add(uint64(1), true)
	f.Fuzz(func(t *testing.T, seed uint64, mixed bool) {
		made := planesGraph
		if mixed {
			made = randomGraph
		}
		g, inputs := made(t, seed)
		compareTiers(t, g, inputs)
	})
}

// TestSharedFilters gives convolutions of small and of large planes one filter, as networks that look for things of several sizes have it: its packed
// form must be one that both read.
func TestSharedFilters(t *testing.T) {
	r := op.NewRand(1, 5)
	for _, channels := range [][2]int{{32, 64}, {16, 40}} {
		n := newNet(t)
		for _, size := range []int{1, 3} {
			w, err := n.Constant("", "", r.Tensor(tensor.Float32, tensor.Shape{channels[1], channels[0], size, size}))
			ok(t, w, err)
			for _, side := range []int{14, 5} {
				x := n.input(fmt.Sprint("x", size, side), tensor.Float32, 1, channels[0], side, side)
				n.output(fmt.Sprint("y", size, side), n.op("conv", graph.AttrsOf("padding", []int{size / 2, size / 2, size / 2, size / 2}), x, w, nil))
			}
		}
		g, err := n.Build()
		ok(t, g, err)
		var tiers []Options
		for i := range kernel.Tiers {
			tiers = append(tiers, Options{Tiers: kernel.Tiers[i:]})
		}
		sameAsReference(t, g, tiers...)
	}
}
