package kernel_test

import (
	"bytes"
	"cmp"
	"maps"
	"math"
	"slices"
	"testing"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/kernel"
	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/internal/simd"
	"github.com/concord-nn/concord/internal/testdata"
	"github.com/concord-nn/concord/internal/testing/long"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// TestFor holds regions to the kernels that take them, or to none.
func TestFor(t *testing.T) {
	t.Setenv(simd.Variable, "portable")
	pool := func(border string, dilation int, normalize bool) graph.Attrs {
		return graph.AttrsOf("size", []int{1, 3}, "padding", []int{0, 0, 1, 1}, "dilation", []int{1, dilation}, "border", border, "normalize", normalize)
	}
	flat := graph.AttrsOf("padding", []int{0, 0})
	for _, tt := range []struct {
		name  string
		op    string
		types []op.Type
		attrs graph.Attrs
		want  string
	}{
		{"bytes", "conv", types(tensor.Int8, tensor.Shape{1, 1, 9}, tensor.Uint8, tensor.Shape{1, 1, 3}), flat, "portable pairs of bytes"},
		{"too many elements", "conv", types(tensor.Int8, tensor.Shape{1, 1, math.MaxInt & (1 << 32)}, tensor.Int8, tensor.Shape{1, 1, 3}), flat, ""},
		{"words", "conv", types(tensor.Int16, tensor.Shape{1, 1, 9}, tensor.Uint16, tensor.Shape{1, 1, 3}), flat, "portable words of 16 bits"},
		{"two sizes", "conv", types(tensor.Int8, tensor.Shape{1, 1, 9}, tensor.Int16, tensor.Shape{1, 1, 3}), flat, "portable runs of integers"},
		{"floats", "conv", types(tensor.Float32, tensor.Shape{1, 1, 9}, tensor.Float32, tensor.Shape{1, 1, 3}), flat, "portable runs"},
		{"floats of 16 bits", "conv", types(tensor.Float16, tensor.Shape{1, 1, 9}, tensor.Float16, tensor.Shape{1, 1, 3}), flat, ""},
		{"no result", "conv", types(tensor.Float32, tensor.Shape{0, 1, 9}, tensor.Float32, tensor.Shape{1, 1, 3}), flat, ""},
		{"no rows", "matmul", types(tensor.Int8, tensor.Shape{0, 4}, tensor.Int8, tensor.Shape{4, 3}), nil, ""},
		{"averages of runs", "box", types(tensor.Int8, tensor.Shape{2, 9}), pool("ignore", 1, true), "portable rows of integers"},
		{"averages of scattered elements", "box", types(tensor.Int8, tensor.Shape{2, 9}), pool("ignore", 2, true), ""},
		{"averages of repeated elements", "box", types(tensor.Int8, tensor.Shape{2, 9}), pool("replicate", 1, true), ""},
		{"sums of scattered elements", "box", types(tensor.Int8, tensor.Shape{2, 9}), pool("ignore", 2, false), "portable rows of integers"},
		{"no kernel", "tanh", types(tensor.Float32, tensor.Shape{2}), nil, ""},
	} {
		n := nodeOf(t, tt.op, tt.types, tt.attrs)
		got := ""
		if p := kernel.For(kernel.Tiers, kernel.Region{Nodes: []*graph.Node{n}}); p != nil {
			got = p.Kernel
		}
		if got != tt.want {
			t.Errorf("%s: the kernel is %q, want %q", tt.name, got, tt.want)
		}
	}
}

// TestTakes holds rows to the types of each operand, also where two operands are one value.
func TestTakes(t *testing.T) {
	b := graph.NewBuilder(op.Rules, "square")
	x := must(b.Constant("", "", must(tensor.New(tensor.Float32, tensor.Shape{2, 2}))))
	y := must(b.One("matmul", []*graph.Value{x, x}, nil, ""))
	for _, tt := range []struct {
		row  kernel.Kernel
		want bool
	}{
		{kernel.Kernel{Op: "matmul", In: []op.Types{float32s, float32s}}, true},
		{kernel.Kernel{Op: "matmul", In: []op.Types{float32s, bits8}}, false},
		{kernel.Kernel{Op: "matmul", In: []op.Types{bits8, float32s}}, false},
		{kernel.Kernel{Op: "matmul", In: []op.Types{float32s}}, true},
		{kernel.Kernel{Op: "matmul", In: []op.Types{float32s, float32s, bits8}}, true},
		{kernel.Kernel{Op: "gemm", In: []op.Types{float32s, float32s}}, false},
	} {
		if got := tt.row.Takes(y.Producer); got != tt.want {
			t.Errorf("%+v: %t, want %t", tt.row, got, tt.want)
		}
	}
}

// TestKernelsDoNotAllocate holds kernels to working in the memory that they are given.
func TestKernelsDoNotAllocate(t *testing.T) {
	eachRow(t, func(t *testing.T, row *kernel.Kernel) {
		for seed := range uint64(testdata.Cases(4, 100)) {
			r := op.NewRand(seed, 4)
			c := draw(r, row)
			p := row.Prepare(kernel.Region{Nodes: []*graph.Node{node(t, r, row.Op, c)}})
			if p == nil {
				continue
			}
			x := newTrial(t, r, row.Op, c, p)
			call := x.worker(0)
			if allocs := testing.AllocsPerRun(3, func() { p.Run(&call, 0, p.Pieces) }); allocs > 0 {
				t.Errorf("%v allocations for %v %v", allocs, c.In, c.Attrs)
			}
			x.release()
		}
	})
}

// TestStop holds kernels to ending early when nobody waits for their results: at the first answer, and without beginning what they have not
// begun. Each row has to be among them, besides those on single elements, which take no longer than their results are large.
func TestStop(t *testing.T) {
	cases := long.Cases()
	few := func(name string, attrs graph.Attrs, x, filter tensor.Shape) { // weights that fit together in pairs
		in := append(long.Rising(tensor.Int8, x), long.Ending(tensor.Int8, filter, 3, 2))
		cases[name+" of pairs"] = long.Case{Op: name, Attrs: attrs, In: in, Parts: true}
	}
	few("conv", graph.AttrsOf("padding", []int{0, 0}), tensor.Shape{1, 64, 300}, tensor.Shape{64, 64, 3})
	few("deconv", graph.AttrsOf("padding", []int{0, 0}), tensor.Shape{1, 64, 300}, tensor.Shape{64, 64, 3})
	few("linear", nil, tensor.Shape{64, 256}, tensor.Shape{128, 256})
	cases["matmul of a row"] = long.Case{Op: "matmul", In: append(long.Rising(tensor.Int8, tensor.Shape{1, 1024}), long.Ending(tensor.Int8, tensor.Shape{1024, 1024}, 3, 2)), Parts: true}
	const n = 3 * limits.OpWatch
	maps.Copy(cases, map[string]long.Case{ // references take no longer than their results are large
		"cast":                   {Attrs: graph.AttrsOf("dtype", tensor.Int32), In: long.Rising(tensor.Int8, tensor.Shape{8, n / 8}), Parts: true},
		"valid_count rows":       {Op: "valid_count", In: long.Rising(tensor.Int32, tensor.Shape{1, n / 2, 6}), Parts: true},
		"resample linear":        {Op: "resample", Attrs: graph.AttrsOf("sizes", []int{n / 16, 128}, "mode", "linear"), In: long.Rising(tensor.Float32, tensor.Shape{n / 32, 64}), Parts: true},
		"resample of two planes": {Op: "resample", Attrs: graph.AttrsOf("sizes", []int{1, 2048, n / 512}, "mode", "linear"), In: long.Rising(tensor.Float32, tensor.Shape{2, 2048, n / 512}), Parts: true},
		"resize cubic":           {Op: "resize", Attrs: graph.AttrsOf("sizes", []int{n / 16, 128}, "mode", "cubic"), In: long.Rising(tensor.Int8, tensor.Shape{n / 32, 64}), Parts: true},
		"grid_sample":            {In: long.Rising(tensor.Float32, tensor.Shape{1, 16, 20, 20}, tensor.Shape{1, 400, 64, 2}), Parts: true},
		"roi_align": {Attrs: graph.AttrsOf("output_size", []int{7, 7}, "sampling_ratio", 9),
			In: append(long.Rising(tensor.Float32, tensor.Shape{1, 16, 20, 20}, tensor.Shape{300, 4}), must(tensor.New(tensor.Int32, tensor.Shape{300}))), Parts: true},
		"roi_align beside the input": {Op: "roi_align", Attrs: graph.AttrsOf("output_size", []int{1, 1}, "sampling_ratio", n),
			In: []*tensor.Tensor{must(tensor.New(tensor.Float32, tensor.Shape{1, 16, 4, 4})), must(tensor.FromSlice([]float32{0, 9, 2, 11}, 1, 4)),
				must(tensor.New(tensor.Int32, tensor.Shape{1}))}, Parts: true},
		"deform_conv": {Attrs: graph.AttrsOf("padding", []int{1, 1, 1, 1}),
			In: append(long.Rising(tensor.Float32, tensor.Shape{1, 16, 40, 40}, tensor.Shape{16, 16, 3, 3}, tensor.Shape{1, 18, 40, 40}), nil, nil), Parts: true},
		"multilinear_upsample": {Attrs: graph.AttrsOf("factor", []int{2, 4}, "border", "replicate"), In: long.Rising(tensor.Float32, tensor.Shape{1, 1, n / 64, 64}), Parts: true},
		"non_max_suppression":  {In: long.Boxes(1000)},
		"roi_pool channels": {Op: "roi_pool", Attrs: graph.AttrsOf("output_size", []int{4, 4}),
			In: append(long.Rising(tensor.Int8, tensor.Shape{1, 64, 32, 32}), must(tensor.FromSlice(slices.Repeat([]int32{0, 0, 31, 31}, 300), 1, 300, 4))), Parts: true},
		"deconv of channels": {Op: "deconv", Attrs: graph.AttrsOf("padding", make([]int, 4), "stride", []int{2, 2}, "groups", 64),
			In: long.Rising(tensor.Float32, tensor.Shape{1, 64, 64, 64}, tensor.Shape{64, 1, 4, 4}), Parts: true},
		"conv of groups": {Op: "conv", Attrs: graph.AttrsOf("padding", make([]int, 4), "groups", 32),
			In: long.Rising(tensor.Float32, tensor.Shape{1, 64, 64, 64}, tensor.Shape{64, 2, 4, 4}), Parts: true},
		"argmax_pool of places": {Op: "argmax_pool", Attrs: graph.AttrsOf("size", []int{1, 4}, "padding", make([]int, 4), "border", "ignore"),
			In: long.Rising(tensor.Float32, tensor.Shape{n / 64, 64}), Parts: true},
		"top_k of lines": {Op: "top_k", Attrs: graph.AttrsOf("axis", 1, "k", 9), In: long.Rising(tensor.Float32, tensor.Shape{8, n / 8}), Parts: true},
		"max_pool of few channels": {Op: "max_pool", Attrs: graph.AttrsOf("size", []int{1, 1, 3, 3}, "padding", make([]int, 8), "border", "ignore"),
			In: long.Rising(tensor.Float32, tensor.Shape{1, 2, n / 64, 64})},
		"gather_elements":       {In: long.Rising(tensor.Int32, tensor.Shape{128}, tensor.Shape{n}), Parts: true},
		"gather_nd":             {In: long.Rising(tensor.Int32, tensor.Shape{128, 64}, tensor.Shape{n / 64, 1}), Parts: true},
		"scatter_elements":      {In: long.Rising(tensor.Int32, tensor.Shape{n}, tensor.Shape{n}, tensor.Shape{n}), Parts: true},
		"scatter_nd":            {In: long.Rising(tensor.Int32, tensor.Shape{n / 64, 64}, tensor.Shape{n / 64, 1}, tensor.Shape{n / 64, 64}), Parts: true},
		"argmax_reduce":         {Attrs: graph.AttrsOf("axes", []int{0, 1}), In: long.Rising(tensor.Int32, tensor.Shape{8, n / 8})},
		"argmin_reduce":         {Attrs: graph.AttrsOf("axes", []int{0, 1}), In: []*tensor.Tensor{long.Ending(tensor.Int32, tensor.Shape{8, n / 8}, 3, 2)}},
		"argmax_reduce float32": {Op: "argmax_reduce", Attrs: graph.AttrsOf("axes", []int{0, 1}), In: long.Rising(tensor.Float32, tensor.Shape{8, n / 8})},
		"argmin_reduce float32": {Op: "argmin_reduce", Attrs: graph.AttrsOf("axes", []int{0, 1}),
			In: []*tensor.Tensor{long.Ending(tensor.Float32, tensor.Shape{8, n / 8}, 3, 2)}},
		"all_reduce": {Attrs: graph.AttrsOf("axes", []int{1}), In: []*tensor.Tensor{long.Ending(tensor.Bool, tensor.Shape{16, n / 8}, 1, 1)}, Parts: true},
	})
	for _, name := range []string{"cumulative_sum", "cumulative_product"} {
		cases[name+" of rows"] = long.Case{Op: name, Attrs: graph.AttrsOf("axis", 0), In: long.Rising(tensor.Float32, tensor.Shape{n / 64, 64}), Parts: true}
	}
	cases["scatter_nd_reduce of parts"] = long.Case{Op: "scatter_nd_reduce", Attrs: graph.AttrsOf("reduction", "add"), Parts: true,
		In: slices.Insert(long.Rising(tensor.Float32, tensor.Shape{n / 64, 64}, tensor.Shape{n / 64, 64}), 1, must(tensor.New(tensor.Int64, tensor.Shape{n / 64, 1})))}
	for _, name := range []string{"softmax", "layer_normalization"} {
		cases[name+" of rows"] = long.Case{Op: name, Attrs: graph.AttrsOf("axes", []int{1}), In: long.Rising(tensor.Float32, tensor.Shape{16, n / 8}), Parts: true}
	}
	for name, c := range maps.Clone(cases) {
		if c.In[0].DType() != tensor.Float32 || slices.ContainsFunc(c.In, func(x *tensor.Tensor) bool { return x == nil || x.DType() != tensor.Float32 }) {
			continue
		}
		c.Op, c.In = cmp.Or(c.Op, name), slices.Clone(c.In)
		if d, ok := op.Lookup(c.Op); ok && !d.In[0].Types.Has(tensor.Float64) {
			continue
		}
		for i, x := range c.In {
			c.In[i] = must(tensor.Cast(x, tensor.Float64))
		}
		cases[name+" of doubles"] = c
	}
	eachRow(t, func(t *testing.T, row *kernel.Kernel) {
		stopped := row.Name == "elements"
		for name, c := range cases {
			of, r := op.Case{In: c.In, Attrs: c.Attrs}, op.NewRand(1, 4)
			if c.Op == "" {
				c.Op = name
			}
			if c.Op != row.Op {
				continue
			}
			n := constantNode(t, c.Op, of)
			if !row.Takes(n) {
				continue
			}
			p := row.Prepare(kernel.Region{Nodes: []*graph.Node{n}})
			if p == nil {
				p = row.Prepare(kernel.Region{Nodes: []*graph.Node{n}, Layouts: map[*graph.Value]kernel.Layout{n.In[0]: kernel.Blocked16}})
			}
			if p == nil {
				continue
			}
			stopped = true
			t.Run(name, func(t *testing.T) {
				var results []*tensor.Tensor
				for _, v := range n.Out {
					results = append(results, must(tensor.New(v.Type.DType, v.Type.Shape)))
				}
				x := trialOf(t, r, of, p, results)
				defer x.release()
				stops(t, x.worker(0), p, c.Parts)
				if testdata.Cases(0, 1) == 0 {
					return // it must be long enough, which the exhaustive test finds
				}
				y := x.call.Out[0].Bytes()
				some := slices.Clone(y)
				for _, chunks := range x.divide() {
					for _, c := range chunks {
						x.run(c)
					}
				}
				if bytes.Equal(y, some) {
					t.Error("the kernel computes everything though nobody waits")
				}
			})
		}
		if !stopped {
			t.Error("no long case is for this row")
		}
	})
}

// TestAsks holds kernels to asking as often whether anybody waits as their work says, also where the reference makes results again.
func TestAsks(t *testing.T) {
	const n = 6 * limits.OpWatch
	infinite := must(tensor.FromSlice(slices.Repeat([]float32{float32(math.Inf(1))}, n), n/256, 256))
	doubles := must(tensor.Cast(infinite, tensor.Float64))
	network := func(batch, input, hidden int) long.Case {
		in := long.Rising(tensor.Float32, tensor.Shape{1, batch, input}, tensor.Shape{1, hidden, input}, tensor.Shape{1, hidden, hidden})
		return long.Case{Op: "rnn", Attrs: graph.AttrsOf("steps", 1, "hidden_size", hidden), In: append(in, make([]*tensor.Tensor, 4)...)}
	}
	for _, tt := range []struct {
		long.Case
		least int
	}{
		{long.Case{Op: "mean_reduce", Attrs: graph.AttrsOf("axes", []int{1}), In: []*tensor.Tensor{infinite}}, 11},
		{long.Case{Op: "mean_reduce", Attrs: graph.AttrsOf("axes", []int{1}), In: []*tensor.Tensor{doubles}}, 11},
		{long.Case{Op: "l2_reduce", Attrs: graph.AttrsOf("axes", []int{1}), In: []*tensor.Tensor{infinite}}, 11},
		{long.Case{Op: "layer_normalization", Attrs: graph.AttrsOf("axes", []int{0}), In: []*tensor.Tensor{infinite, nil, nil}}, 76},
		{network(64, 1<<12, 16), 64},
		{network(1<<10, 16, 512), 12},
	} {
		eachRow(t, func(t *testing.T, row *kernel.Kernel) {
			c := op.Case{In: tt.In, Attrs: tt.Attrs}
			n := constantNode(t, tt.Op, c)
			if row.Op != tt.Op || !row.Takes(n) {
				return
			}
			p := row.Prepare(kernel.Region{Nodes: []*graph.Node{n}})
			if p == nil {
				return
			}
			x := trialOf(t, op.NewRand(1, 4), c, p, []*tensor.Tensor{must(tensor.New(n.Out[0].Type.DType, n.Out[0].Type.Shape))})
			defer x.release()
			x.call.Attrs = n.Attrs
			call, asked := x.worker(0), 0
			call.Stop = func() bool { asked++; return false }
			if p.Run(&call, 0, p.Pieces); asked < tt.least {
				t.Errorf("%v: the kernel asks %d times, want %d", tt.In[0], asked, tt.least)
			}
		})
	}
}

// constantNode returns the node of a case, of which all operands behind the first are constants.
func constantNode(t *testing.T, name string, c op.Case) *graph.Node {
	t.Helper()
	b := graph.NewBuilder(op.Rules, "case")
	in := make([]*graph.Value, len(c.In))
	for i, x := range c.In {
		switch {
		case i == 0:
			in[i] = must(b.Input("input", graph.TypeOf(x)))
		case x != nil:
			in[i] = must(b.Constant("", "", x.Clone())) // which trials let go of
		}
	}
	return must(b.Node(name, in, c.Attrs, ""))[0].Producer
}

// stops runs a plan while nobody waits. It must ask once and not compute, if it computes part by part, the end.
func stops(t *testing.T, call op.Call, p *kernel.Plan, parts bool) {
	t.Helper()
	y, asked := call.Out[0].Bytes(), 0
	was := slices.Clone(y)
	call.Stop = func() bool { asked++; return true }
	p.Run(&call, 0, p.Pieces)
	if asked != 1 {
		t.Errorf("the kernel asks %d times though the first answer is yes", asked)
	}
	if end := len(y) - call.Out[0].DType().Size(); parts && !bytes.Equal(y[end:], was[end:]) {
		t.Error("the kernel writes to the end")
	}
}

// types returns the types that element types and shapes make, in turn.
func types(parts ...any) (list []op.Type) {
	for i := 0; i < len(parts); i += 2 {
		list = append(list, op.Type{DType: parts[i].(tensor.DType), Shape: parts[i+1].(tensor.Shape)})
	}
	return list
}

// nodeOf returns a node with operands of the given types, which need no memory.
func nodeOf(t *testing.T, name string, types []op.Type, attrs graph.Attrs) *graph.Node {
	t.Helper()
	b := graph.NewBuilder(op.Rules, "case")
	var in []*graph.Value
	for i, x := range types {
		v, err := b.Input("input"+string(rune('0'+i)), x)
		if err != nil {
			t.Fatal(err)
		}
		in = append(in, v)
	}
	out, err := b.Node(name, in, attrs, "")
	if err != nil {
		t.Fatal(err)
	}
	return out[0].Producer
}

// TestPackedMemory holds the packed forms of large right matrices to about twice the memory of these at most, however few columns there are.
func TestPackedMemory(t *testing.T) {
	eachRow(t, func(t *testing.T, row *kernel.Kernel) {
		if row.Op != "matmul" {
			return
		}
		for _, d := range []tensor.DType{tensor.Float32, tensor.Float64, tensor.Int32} {
			for _, columns := range []int{1, 2, 7, 17} {
				b := graph.NewBuilder(op.Rules, "product")
				left := must(b.Input("x", graph.Type{DType: d, Shape: tensor.Shape{5, 1 << 16}}))
				right := must(b.Constant("", "", must(tensor.New(d, tensor.Shape{1 << 16, columns}))))
				n := must(b.One("matmul", []*graph.Value{left, right}, nil, "")).Producer
				if !row.Takes(n) {
					continue
				}
				p := row.Prepare(kernel.Region{Nodes: []*graph.Node{n}})
				if p == nil {
					continue
				}
				for _, pack := range p.Pack {
					if most := 2 * len(pack.From.Bytes()); pack.Size > most {
						t.Errorf("%d columns of %v take %d bytes, want %d at most", columns, d, pack.Size, most)
					}
				}
			}
		}
	})
}

// TestPlacesOfEqualElements holds argmax_pool to its reference where all elements are equal and borders meet later ones first.
func TestPlacesOfEqualElements(t *testing.T) {
	for _, border := range []string{"ignore", "constant", "replicate", "reflect", "reflect-even"} {
		x, err := tensor.New(tensor.Float32, tensor.Shape{3, 6})
		if err != nil {
			t.Fatal(err)
		}
		c := op.Case{In: []*tensor.Tensor{x}, Attrs: graph.AttrsOf("size", []int{2, 3}, "padding", []int{1, 0, 2, 0}, "border", border, "dtype", tensor.Int32, "steps", []int{6, 1})}
		n := nodeOf(t, "argmax_pool", []op.Type{graph.TypeOf(x)}, c.Attrs)
		if p := kernel.For(kernel.Tiers, kernel.Region{Nodes: []*graph.Node{n}}); p != nil {
			newTrial(t, op.NewRand(1, 1), "argmax_pool", c, p).check()
		}
	}
}
