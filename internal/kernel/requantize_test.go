package kernel_test

import (
	"slices"
	"testing"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/kernel"
	"github.com/concord-nn/concord/internal/testdata"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// TestRequantizedSums holds kernels of sums of products that requantize and bound these to the references of all nodes, one after the other.
func TestRequantizedSums(t *testing.T) {
	cases := testdata.Cases(3, 60) // that a row must take
	eachRow(t, func(t *testing.T, row *kernel.Kernel) {
		if !requantizes(row) {
			return
		}
		taken := 0
		for seed := 0; seed < max(10*cases, 60) && taken < cases; seed++ {
			x := compareRequantized(t, op.NewRand(uint64(seed), 1+seed%300/30), row)
			if x == nil {
				continue
			}
			taken++
			if call := x.worker(0); taken < 4 {
				if allocs := testing.AllocsPerRun(3, func() { x.plan.Run(&call, 0, x.plan.Pieces) }); allocs > 0 {
					t.Errorf("%v allocations for %v %v", allocs, x.of.In, x.of.Attrs)
				}
			}
		}
		if t.Logf("%d regions are taken", taken); taken == 0 && row.Op == "conv" && row.In[0] == bits8 {
			t.Error("the row takes no requantized sums")
		}
	})
}

// requantizes reports whether a row is for products of integers, which may be requantized.
func requantizes(row *kernel.Kernel) bool {
	return slices.Contains([]string{"conv", "deconv", "matmul", "linear"}, row.Op) && op.Integers.Has(row.In[0].List()[0])
}

// compareRequantized holds a row to the references of a random product and what follows on it; it returns nil if the row does not take that.
func compareRequantized(t *testing.T, r *op.Rand, row *kernel.Kernel) *trial {
	t.Helper()
	nodes, c, want := requantized(t, r, row)
	if !row.Takes(nodes[0]) {
		return nil
	}
	p := row.Prepare(offered(r, nodes...))
	if p == nil {
		return nil
	}
	p.Kernel = row.Name
	x := trialOf(t, r, c, p, want())
	x.check()
	return x
}

// requantized returns a product of integers for a row, its requantisation and sometimes bounds, with the operands of all and what yields their results.
func requantized(t *testing.T, r *op.Rand, row *kernel.Kernel) (nodes []*graph.Node, c op.Case, want func() []*tensor.Tensor) {
	c = draw(r, row)
	root := node(t, r, row.Op, c)
	sums := root.Out[0].Type
	to := r.DType(op.TypeSet(tensor.Int8, tensor.Uint8, tensor.Int8, tensor.Uint8, tensor.Int16, tensor.Uint16))
	axis := len(sums.Shape) - 1
	if row.Op == "conv" || row.Op == "deconv" {
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
	factors, attrs := c.In, c.Attrs
	want = func() []*tensor.Tensor { return evaluated(row.Op, factors, attrs) }
	nodes = append(nodes, root)
	follow := func(name string, attrs graph.Attrs, more ...*tensor.Tensor) {
		n := &graph.Node{Op: name, In: []*graph.Value{nodes[len(nodes)-1].Out[0]}, Attrs: attrs}
		types := []op.Type{n.In[0].Type}
		for _, x := range more {
			var v *graph.Value
			var of op.Type
			if x != nil {
				v = &graph.Value{Type: graph.TypeOf(x), Const: x}
				of = v.Type
			}
			n.In, types = append(n.In, v), append(types, of)
		}
		d, before := found(op.Lookup(name)), want
		_, out, err := d.Bind(types, attrs)
		if err != nil {
			t.Fatal(err)
		}
		want = func() []*tensor.Tensor { return must(op.Eval(d, append(before(), more...), attrs)) }
		n.Out = []*graph.Value{{Type: out[0], Producer: n}}
		nodes, c.In = append(nodes, n), append(c.In, more...)
	}
	if row.Op == "matmul" && r.IntN(3) == 0 {
		addend := ones(sums.Shape)
		addend[axis] = op.Pick(r, []int{1, sums.Shape[axis]})
		follow("add", graph.AttrsOf("overflow", op.Pick(r, []string{"wrap", "wrap", "saturate"})), r.Integers(sums.DType, addend, -100_000, 100_000))
	}
	if sums.DType == tensor.Int64 && r.Bool() || r.IntN(3) == 0 {
		if r.Bool() {
			follow("relu", nil)
		}
		follow("rescale", graph.AttrsOf("axis", 1, "rounding", op.Pick(r, []string{"half_up", "floor", "to_zero", "half_even", "half_away"}),
			"overflow", op.Pick(r, []string{"saturate", "wrap"}), "dtype", to), tensor.Scalar(int64(r.Between(0, op.Pick(r, []int{12, 45})))))
		if r.Bool() {
			follow("clamp_precision", graph.AttrsOf("precision", r.Between(2, 9)))
		}
		return nodes, c, want
	}
	follow("requantize", graph.AttrsOf("block", []int{}), more...)
	for range r.IntN(3) {
		bounds := []*tensor.Tensor{nil, nil}
		for i := range bounds {
			if r.Bool() {
				bounds[i] = r.Tensor(to, ones(sums.Shape))
			}
		}
		follow("clamp", nil, bounds...)
	}
	return nodes, c, want
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
		if p := kernel.For(kernel.Tiers, kernel.Region{Nodes: []*graph.Node{conv, tt.tail}}); (p != nil) != tt.want {
			t.Errorf("%s: the region is taken: %v", name, p != nil)
		}
	}
}
