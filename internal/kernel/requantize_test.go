package kernel

import (
	"testing"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// TestRequantizedSums holds kernels of sums of products that requantize these to the references of both nodes, one after the other.
func TestRequantizedSums(t *testing.T) {
	for _, name := range []string{"conv", "matmul", "linear"} {
		t.Run(name, func(t *testing.T) {
			taken := map[string]int{}
			for seed := range 300 {
				r := op.NewRand(uint64(seed), 1+seed/30)
				root, tail, c := requantized(t, r, name)
				region := Region{Nodes: []*graph.Node{root, tail}}
				p := For(region)
				if p == nil {
					continue
				}
				taken[p.Kernel]++
				x := trialOf(t, r, c, p, evaluated(t, root, tail, c))
				x.check()
				if call := x.worker(); seed < 30 {
					if allocs := testing.AllocsPerRun(3, func() { p.Run(&call, 0, p.Pieces) }); allocs > 0 {
						t.Errorf("%v allocations for %v %v", allocs, c.In, c.Attrs)
					}
				}
			}
			if len(taken) == 0 || name == "conv" && len(taken) < 2 {
				t.Error("no kernel takes requantized sums")
			}
		})
	}
}

// requantized returns a product of integers and its requantisation, with the operands of both.
func requantized(t *testing.T, r *op.Rand, name string) (root, tail *graph.Node, c op.Case) {
	rows := map[string][]*Kernel{}
	for i := range portable.Kernels {
		if k := &portable.Kernels[i]; !k.In[0].Has(tensor.Float32) {
			rows[k.Op] = append(rows[k.Op], k)
		}
	}
	c = draw(r, op.Pick(r, rows[name]))
	root = node(t, r, name, c)
	sums := root.Out[0].Type
	to := r.DType(op.TypeSet(tensor.Int8, tensor.Uint8, tensor.Int16, tensor.Uint16))
	axis := len(sums.Shape) - 1
	if name == "conv" {
		axis = 1
	}
	small := tensor.Shape{}
	if r.Bool() {
		for range sums.Shape {
			small = append(small, 1)
		}
		if r.Bool() {
			small[axis] = sums.Shape[axis]
		}
	}
	more := []*tensor.Tensor{r.Uniform(tensor.Float32, small, 0.0001, 0.1), r.Tensor(to, tensor.Shape{})}
	if r.IntN(6) == 0 {
		more[0] = r.Extremes(tensor.Float32, small)
	}
	tail = &graph.Node{Op: "requantize", In: []*graph.Value{root.Out[0]}, Attrs: graph.AttrsOf("block", []int{})}
	for _, x := range more {
		tail.In = append(tail.In, &graph.Value{Type: graph.TypeOf(x), Const: x})
	}
	tail.Out = []*graph.Value{{Type: op.Type{DType: to, Shape: sums.Shape}, Producer: tail}}
	c.In = append(c.In, more...)
	return root, tail, c
}

func evaluated(t *testing.T, root, tail *graph.Node, c op.Case) []*tensor.Tensor {
	t.Helper()
	n := len(c.In) - 2
	first, second := found(op.Lookup(root.Op)), found(op.Lookup(tail.Op))
	sums := must(op.Eval(first, c.In[:n], c.Attrs))
	return must(op.Eval(second, append(sums, c.In[n:]...), tail.Attrs))
}

func found[T any](v T, ok bool) T {
	if !ok {
		panic("there is no such operator")
	}
	return v
}

// TestNoRequantizedSums holds kernels to leaving alone what they do not requantize.
func TestNoRequantizedSums(t *testing.T) {
	conv := nodeOf(t, "conv", types(tensor.Int8, tensor.Shape{1, 2, 9}, tensor.Uint8, tensor.Shape{3, 2, 3}), graph.AttrsOf("padding", []int{0, 0}))
	sums := conv.Out[0].Type
	with := func(multiplier, zero tensor.Shape, to tensor.DType, block ...int) *graph.Node {
		n := nodeOf(t, "requantize", []op.Type{sums, {DType: tensor.Float32, Shape: multiplier}, {DType: to, Shape: zero}}, graph.AttrsOf("block", block))
		n.In[0] = conv.Out[0]
		return n
	}
	other := with(tensor.Shape{}, tensor.Shape{}, tensor.Int8)
	other.In[0] = conv.In[0]
	for name, tt := range map[string]struct {
		tail *graph.Node
		want bool
	}{
		"one multiplier":             {with(tensor.Shape{}, tensor.Shape{}, tensor.Int8), true},
		"by channel":                 {with(tensor.Shape{1, 3, 1}, tensor.Shape{}, tensor.Uint16), true},
		"by place":                   {with(tensor.Shape{1, 1, 7}, tensor.Shape{}, tensor.Int8), false},
		"by channel and place":       {with(tensor.Shape{1, 3, 7}, tensor.Shape{}, tensor.Int8), false},
		"blocks of channels":         {with(tensor.Shape{1, 2, 1}, tensor.Shape{}, tensor.Int8, 1, 2, 7), false},
		"zero points by channel":     {with(tensor.Shape{1, 3, 1}, tensor.Shape{1, 3, 1}, tensor.Int8), false},
		"to int32":                   {with(tensor.Shape{}, tensor.Shape{}, tensor.Int32), false},
		"of something else":          {other, false},
		"of what is not requantized": {nodeOf(t, "relu", []op.Type{sums}, nil), false},
	} {
		if p := For(Region{Nodes: []*graph.Node{conv, tt.tail}}); (p != nil) != tt.want {
			t.Errorf("%s: the region is taken: %v", name, p != nil)
		}
	}
}
