package engine

import (
	"context"
	"fmt"
	"testing"

	"github.com/concord-nn/concord/graph"
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
	values []*graph.Value          // of shape (1, channels, height, width)
	filled map[string]*graph.Value // constants by their shapes, which others may have, too
}

func planesGraph(tb testing.TB, seed uint64) (*graph.Graph, []*tensor.Tensor) {
	p := &planes{net: newNet(tb), r: op.NewRand(seed, 4), filled: make(map[string]*graph.Value)}
	h, w := op.Pick(p.r, []int{p.r.Between(1, 9), p.r.Between(1, 9), 15}), p.r.Between(1, 17)
	var inputs []*tensor.Tensor
	for i := range p.r.Between(1, 2) {
		t := p.r.Tensor(tensor.Float32, tensor.Shape{1, p.channels(), h, w})
		inputs = append(inputs, t)
		p.values = append(p.values, p.input(fmt.Sprint("in", i), tensor.Float32, t.Shape()...))
	}
	for range p.r.Between(2, 9) {
		p.grow()
	}
	for i := range p.r.Between(1, 3) {
		p.output(fmt.Sprint("out", i), p.values[len(p.values)-1-p.r.IntN(min(3, len(p.values)))])
	}
	g, err := p.Build()
	return ok(tb, g, err), inputs
}

func (p *planes) channels() int { return op.Pick(p.r, []int{1, 3, 8, 16, 16, 24, 32, 48}) }

func (p *planes) random(shape ...int) *graph.Value {
	key := fmt.Sprint(shape)
	if v := p.filled[key]; v != nil && p.r.IntN(3) > 0 {
		return v
	}
	v, err := p.Constant("", "", p.r.Tensor(tensor.Float32, shape))
	p.filled[key] = v
	return ok(p.tb, v, err)
}

// grow adds a node, or some.
func (p *planes) grow() {
	v := op.Pick(p.r, p.values)
	shape := v.Type.Shape
	c := shape[1]
	attr := graph.AttrsOf
	var made *graph.Value
	switch p.r.IntN(15) {
	case 0, 1: // a convolution, as a rule with something behind it
		k, stride := op.Pick(p.r, []int{1, 1, 2, 3}), p.r.Between(1, 2)
		made = p.op("conv", attr("padding", []int{1, 1, 1, 1}, "stride", []int{stride, stride}), v, p.random(p.channels(), c, k, k), nil)
		if s := made.Type.Shape; p.r.Bool() {
			made = p.op("relu", nil, p.op("add", nil, made, p.random(1, s[1], 1, 1)))
		}
	case 2: // channel by channel
		made = p.op("conv", attr("padding", []int{1, 1, 1, 1}, "groups", 0), v, p.random(c, 1, 3, 3), p.random(c))
	case 3:
		made = p.op("max_pool", attr("size", []int{1, 1, 2, 2}, "padding", []int{0, 0, 0, 0, 1, 1, 1, 1}, "border", "ignore"), v)
	case 4:
		made = p.op("mean_reduce", attr("axes", []int{2, 3}), v)
	case 5:
		made = p.op("concat", attr("axis", 1), v, p.like(v))
	case 6:
		if c%16 == 0 && c > 16 {
			parts := p.ops("split", attr("axis", 1, "ratios", []int{1, c/16 - 1}), v)
			p.values = append(p.values, parts[0])
			made = parts[1]
		}
	case 7:
		made = p.op(op.Pick(p.r, []string{"add", "mul", "sub"}), nil, v, p.like(v))
	case 8:
		made = p.op(op.Pick(p.r, []string{"relu", "sigmoid", "tanh", "exp", "hard_swish"}), nil, v)
	case 9:
		made = p.op("transpose", attr("axes", []int{0, 1, 3, 2}), v)
	case 10: // along the channels
		rows := p.op("transpose", attr("axes", []int{0, 2, 3, 1}), v)
		rows = p.op("softmax", attr("axes", []int{3}), rows)
		made = p.op("transpose", attr("axes", []int{0, 3, 1, 2}), rows)
	case 11:
		flat := p.op("reshape", reshapeTo(c*shape[2], shape[3]), v)
		product := p.op("matmul", nil, flat, p.random(shape[3], shape[3]))
		made = p.op("reshape", reshapeTo(shape...), product)
	case 14: // attention
		weights := p.op("matmul", attr("transposeB", true), v, p.like(v))
		made = p.op("matmul", nil, p.op("softmax", attr("axes", []int{op.Pick(p.r, []int{3, 3, 2})}), weights), p.random(1, 1, weights.Type.Shape[3], p.r.Between(1, 40)))
	case 12:
		made = p.op("clamp", nil, v, p.constant([]float32{0}), p.constant([]float32{6}))
	case 13:
		made = p.op("mul", nil, p.op("add", nil, v, p.random(1, c, 1, 1)), p.random(1, c, 1, 1))
	}
	if made != nil && made.Type.Shape.Len() > 0 && made.Type.Shape.Len() < 1<<15 {
		p.values = append(p.values, made)
	}
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
	seeds := uint64(testdata.Cases(60, 1000))
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
		for i := range kernel.Tiers {
			sameAsReference(t, g, Options{Tiers: kernel.Tiers[i:]})
		}
	}
}
