package kernel_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/kernel"
	"github.com/concord-nn/concord/internal/simd"
	"github.com/concord-nn/concord/internal/testdata"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// TestRowsOfPlanes checks that only planes of two dimensions are computed by rows.
func TestRowsOfPlanes(t *testing.T) {
	if !simd.AVX2.Has() {
		t.Skip("without vectors nothing is computed by rows")
	}
	for _, shape := range []tensor.Shape{{1, 16, 8}, {1, 16, 8, 8}} {
		g := graph.NewBuilder(op.Rules, "pool")
		x := must(g.Input("x", op.Type{DType: tensor.Float32, Shape: shape}))
		size := append([]int{1, 1}, slices.Repeat([]int{2}, len(shape)-2)...)
		y := must(g.One("max_pool", []*graph.Value{x}, graph.AttrsOf("size", size, "stride", size, "padding", make([]int, 2*len(shape))), ""))
		r := kernel.Region{Nodes: []*graph.Node{y.Producer}, Layouts: map[*graph.Value]kernel.Layout{x: kernel.Blocked16}}
		if p := kernel.For(kernel.Tiers, r); !strings.HasSuffix(p.Kernel, "planes") || (p.Rows != nil) != (len(shape) == 4) {
			t.Errorf("%v: kernel %s, rows %v", shape, p.Kernel, p.Rows)
		}
	}
}

// TestStrips compares chains that are evaluated strip by strip with the same, region by region.
func TestStrips(t *testing.T) {
	for i := range kernel.Tiers {
		tier := &kernel.Tiers[i]
		floats := slices.ContainsFunc(tier.Kernels, func(k kernel.Kernel) bool { return k.Op == "conv" && k.In[0].Has(tensor.Float32) })
		if tier.Has == nil || !tier.Has() || !floats { // the portable tier computes no rows alone, and chains are of floats
			continue
		}
		t.Run(tier.Name, func(t *testing.T) {
			taken := 0
			for seed := range testdata.Cases(150, 3000) {
				c := &stripChain{T: t, r: op.NewRand(uint64(seed), 4), tier: tier}
				if c.build() && c.compare() {
					taken++
				}
				if t.Failed() {
					t.Fatalf("seed %d", seed)
				}
			}
			t.Logf("%d chains in strips", taken)
			if taken == 0 {
				t.Error("no chain is taken")
			}
		})
	}
}

// stripChain is regions that each read the result of the one before.
type stripChain struct {
	*testing.T
	r       *op.Rand
	tier    *kernel.Tier
	regions []kernel.Region
	plans   []*kernel.Plan
	values  []op.Type // what passes between them
	batch   int
}

// build makes a random chain. It returns false if a kernel of the tier cannot compute rows alone.
func (c *stripChain) build() bool {
	r := c.r
	c.batch = 1 + r.IntN(2)
	g := graph.NewBuilder(op.Rules, "chain")
	channels, h, w := 1+r.IntN(40), 1+r.IntN(24), 1+r.IntN(24)
	x := must(g.Input("x", op.Type{DType: tensor.Float32, Shape: tensor.Shape{c.batch, channels, h, w}}))
	layouts := map[*graph.Value]kernel.Layout{}
	number := func(n int) *graph.Value {
		return must(g.Constant("", "", r.Uniform(tensor.Float32, tensor.Shape{n}, 0.5, 1)))
	}
	for range 2 + r.IntN(4) {
		in := x.Type.Shape
		size, stride, dilation := 1+r.IntN(3), 1+r.IntN(2), 1+r.IntN(2)
		window := (size-1)*dilation + 1
		padding := []int{r.IntN(window), r.IntN(window), r.IntN(window), r.IntN(window)}
		for d := range 2 {
			if in[2+d]+padding[2*d]+padding[2*d+1] < window {
				return false
			}
		}
		attrs := func(lead int) graph.Attrs {
			var p, s, dil []int
			for range lead {
				p, s, dil = append(p, 0, 0), append(s, 1), append(dil, 1)
			}
			return graph.AttrsOf("padding", append(p, padding...), "stride", append(s, stride, stride), "dilation", append(dil, dilation, dilation))
		}
		var region kernel.Region
		add := func(name string, more graph.Attrs, in ...*graph.Value) {
			x = must(g.One(name, in, more, ""))
			region.Nodes = append(region.Nodes, x.Producer)
		}
		kind := r.IntN(4)
		if r.IntN(8) == 0 {
			kind = 4
		}
		switch out := 1 + r.IntN(40); kind {
		case 4: // which computes no rows alone, or must compute them as others do
			filter := must(g.Constant("", "", r.Uniform(tensor.Float32, tensor.Shape{in[1], 1, size, size}, -1, 1)))
			add("deconv", graph.AttrsOf("groups", 0, "padding", make([]int, 4)), x, filter)
		case 0:
			filter := must(g.Constant("", "", r.Uniform(tensor.Float32, tensor.Shape{in[1], 1, size, size}, -1, 1)))
			add("conv", append(attrs(0), graph.AttrsOf("groups", 0)...), x, filter, number(in[1]))
		case 1:
			add("max_pool", append(attrs(2), graph.AttrsOf("size", []int{1, 1, size, size}, "border", "ignore")...), x)
		default:
			filter := must(g.Constant("", "", r.Uniform(tensor.Float32, tensor.Shape{out, in[1], size, size}, -1, 1)))
			add("conv", attrs(0), x, filter)
			if r.IntN(2) == 0 {
				add("batch_normalization", graph.AttrsOf("epsilon", 1e-5, "axis", 1), x, number(out), number(out), number(out), number(out))
			}
		}
		if r.IntN(2) == 0 {
			add("relu", nil, x)
		}
		region.Layouts = layouts
		p := kernel.For([]kernel.Tier{*c.tier}, region)
		if p == nil || p.Rows == nil || len(c.plans) > 0 && layoutOf(p.In, 0) != kernel.Blocked16 || layoutOf(p.Out, 0) != kernel.Blocked16 {
			return false
		}
		layouts[x] = kernel.Blocked16
		if len(c.plans) > 0 {
			c.values = append(c.values, region.Root().In[0].Type)
		}
		c.regions, c.plans = append(c.regions, region), append(c.plans, p)
	}
	return true
}

// compare evaluates the chain in both ways. It returns false if the strips would not fit.
func (c *stripChain) compare() bool {
	var rows []*kernel.Rows
	for _, p := range c.plans {
		rows = append(rows, p.Rows)
	}
	s := kernel.NewStrips(rows, c.values, 1+c.r.IntN(3), 1<<(10+c.r.IntN(9)))
	if s == nil {
		return false
	}
	first := c.regions[0].Root().In[0].Type
	input := c.r.Uniform(tensor.Float32, layoutOf(c.plans[0].In, 0).Shape(first.Shape), -1, 1)
	whole, strips := c.calls(input, nil), c.calls(input, s.Windows)
	for i, p := range c.plans {
		if i > 0 {
			whole[i].In[0] = whole[i-1].Out[0]
			strips[i].In[0] = strips[i-1].Out[0]
		}
		p.Run(&whole[i], 0, p.Pieces)
	}
	for i := range strips { // what they have held before counts for nothing
		for k, b := 0, strips[i].Out[0].Bytes(); k < len(b); k++ {
			b[k] = 0xff
		}
	}
	order := c.r.IntN(2)
	for i := range s.Pieces {
		if order == 1 {
			i = s.Pieces - 1 - i
		}
		s.Run(strips, i, i+1)
	}
	last := len(c.plans) - 1
	shape := c.regions[last].Nodes[len(c.regions[last].Nodes)-1].Out[0].Type.Shape
	want, got := tensor.Data[float32](whole[last].Out[0]), tensor.Data[float32](strips[last].Out[0])
	for at, w := range want {
		if i := elementAt(kernel.Blocked16, shape, at); i >= 0 && math.Float32bits(w) != math.Float32bits(got[at]) {
			c.Errorf("element %d is %v; want %v", i, got[at], w)
			return true
		}
	}
	return true
}

// calls returns the calls of the regions, whose results are windows of so many rows, if they are given, but for the last.
func (c *stripChain) calls(input *tensor.Tensor, windows []int) (calls []op.Call) {
	for i, p := range c.plans {
		call := op.Call{Scratch: tensor.AlignedBytes(p.Scratch), Shared: tensor.AlignedBytes(p.Shared), In: []*tensor.Tensor{input}}
		for _, v := range c.regions[i].Operands()[1:] {
			call.In = append(call.In, v.Const)
		}
		nodes := c.regions[i].Nodes
		shape := kernel.Blocked16.Shape(nodes[len(nodes)-1].Out[0].Type.Shape)
		if windows != nil && i < len(windows) {
			shape[0], shape[2] = 1, windows[i]
		}
		call.Out = []*tensor.Tensor{must(tensor.New(tensor.Float32, shape))}
		for _, pack := range p.Pack {
			packed := tensor.AlignedBytes(pack.Size)
			pack.Fill(packed, 0, 1)
			call.Packed = append(call.Packed, packed)
		}
		calls = append(calls, call)
	}
	return calls
}
