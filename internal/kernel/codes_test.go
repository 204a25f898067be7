package kernel_test

import (
	"testing"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/kernel"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// TestSumsOfCodes holds kernels that read what their sources read to the references of all nodes, one after the other: sums of quantized numbers,
// as docs/numerics.md has them.
func TestSumsOfCodes(t *testing.T) {
	eachRow(t, func(t *testing.T, row *kernel.Kernel) {
		if !row.Sources || row.Op != "add" || !row.In[0].Has(tensor.Float32) {
			return
		}
		taken := 0
		for seed := range uint64(300) {
			r := op.NewRand(seed, 1+int(seed)/40)
			shape := tensor.Shape{r.Between(1, 2), r.Between(1, 40), r.Between(1, 9)}
			from, to := r.DType(bits8), r.DType(bits8)
			c := op.Case{}
			b := graph.NewBuilder(op.Rules, "case")
			input := func(x *tensor.Tensor) *graph.Value {
				c.In = append(c.In, x)
				return must(b.Input("x"+string(rune('0'+len(c.In))), graph.TypeOf(x)))
			}
			constant := func(x *tensor.Tensor) *graph.Value {
				c.In = append(c.In, x)
				return must(b.Constant("", "", x))
			}
			number := func(d tensor.DType, v float32) *tensor.Tensor {
				x := must(tensor.New(tensor.Float32, tensor.Shape{}))
				tensor.Data[float32](x)[0] = v
				return must(tensor.Cast(x, d))
			}
			dequantized := func() *graph.Value {
				in := []*graph.Value{input(r.Tensor(from, shape)), constant(r.Uniform(tensor.Float32, tensor.Shape{}, -2, 2)), constant(number(from, 0))}
				return must(b.Node("dequantize_linear", in, nil, ""))[0]
			}
			add := func(x, y *graph.Value) *graph.Value {
				if r.Bool() {
					x, y = y, x
				}
				return must(b.Node("add", []*graph.Value{x, y}, nil, ""))[0]
			}
			x, y := dequantized(), dequantized()
			shifted := add(x, constant(r.Uniform(tensor.Float32, tensor.Shape{1, 1, 1}, -50, 50)))
			sum := add(shifted, y)
			q := must(b.Node("quantize_linear", []*graph.Value{sum, constant(number(tensor.Float32, 1)), constant(number(to, 0))}, nil, ""))[0]
			nodes := []*graph.Node{x.Producer, y.Producer, shifted.Producer, sum.Producer, q.Producer}
			if r.Bool() {
				bounded := must(b.Node("clamp", []*graph.Value{q, constant(number(to, 0)), constant(number(to, 90))}, nil, ""))[0]
				nodes = append(nodes, bounded.Producer)
			}
			values := make(map[*graph.Value]*tensor.Tensor)
			at := 0
			for _, n := range nodes {
				var in []*tensor.Tensor
				for _, v := range n.In {
					if values[v] == nil {
						values[v] = c.In[at]
						at++
					}
					in = append(in, values[v])
				}
				values[n.Out[0]] = must(op.Eval(found(op.Lookup(n.Op)), in, n.Attrs))[0]
			}
			region := offered(r, nodes...)
			region.Sources = 2
			if p := row.Prepare(region); p != nil {
				taken++
				p.Kernel = row.Name
				trialOf(t, r, c, p, []*tensor.Tensor{values[nodes[len(nodes)-1].Out[0]]}).check()
			}
		}
		if taken < 200 {
			t.Errorf("the row takes %d sums", taken)
		}
	})
}

// TestSumsOfPlanes holds kernels that sum codes over planes to the references.
func TestSumsOfPlanes(t *testing.T) {
	eachRow(t, func(t *testing.T, row *kernel.Kernel) {
		if !row.Sources || row.Op != "sum_reduce" {
			return
		}
		for seed := range uint64(100) {
			r := op.NewRand(seed, 1+int(seed)/40)
			d, to := r.DType(bits8), r.DType(row.In[0])
			x := r.Tensor(d, tensor.Shape{r.Between(1, 2), r.Between(1, 40), r.Between(1, 40), r.Between(1, 9)}) // some sums wrap in 16 bits
			zero := must(tensor.Cast(r.Tensor(d, tensor.Shape{}), to))
			b := graph.NewBuilder(op.Rules, "case")
			c := op.Case{In: []*tensor.Tensor{x}}
			in := must(b.Input("x", graph.TypeOf(x)))
			v := must(b.Node("cast", []*graph.Value{in}, graph.AttrsOf("dtype", to), ""))[0]
			nodes := []*graph.Node{v.Producer}
			values := must(op.Eval(found(op.Lookup("cast")), []*tensor.Tensor{x}, v.Producer.Attrs))
			if r.Bool() {
				c.In = append(c.In, zero)
				v = must(b.Node("sub", []*graph.Value{v, must(b.Constant("", "", zero))}, nil, ""))[0]
				nodes = append(nodes, v.Producer)
				values = must(op.Eval(found(op.Lookup("sub")), []*tensor.Tensor{values[0], zero}, v.Producer.Attrs))
			}
			n := must(b.Node("sum_reduce", []*graph.Value{v}, graph.AttrsOf("axes", []int{2, 3}), ""))[0].Producer
			p := row.Prepare(kernel.Region{Nodes: append(nodes, n), Sources: len(nodes), Layouts: map[*graph.Value]kernel.Layout{in: kernel.Blocked16}})
			if p == nil {
				t.Fatal("the row does not take sums")
			}
			trialOf(t, r, c, p, must(op.Eval(found(op.Lookup("sum_reduce")), values, n.Attrs))).check()
		}
	})
}

// TestBoundedSums holds kernels that add bytes in a wider type, bound the sum and cast it back to the references.
func TestBoundedSums(t *testing.T) {
	eachRow(t, func(t *testing.T, row *kernel.Kernel) {
		if !row.Sources || row.Op != "add" || row.In[0].Has(tensor.Float32) {
			return
		}
		for seed := range uint64(100) {
			r := op.NewRand(seed, 1+int(seed)/40)
			from, to, wide := r.DType(bits8), r.DType(bits8), r.DType(wider)
			shape := tensor.Shape{r.Between(1, 2), r.Between(1, 40), r.Between(1, 9)}
			b := graph.NewBuilder(op.Rules, "case")
			c := op.Case{In: []*tensor.Tensor{r.Tensor(from, shape), r.Tensor(from, shape)}}
			var nodes []*graph.Node
			var values []*tensor.Tensor
			add := func(name string, attrs graph.Attrs, in []*graph.Value, of ...*tensor.Tensor) *graph.Value {
				v := must(b.Node(name, in, attrs, ""))[0]
				nodes = append(nodes, v.Producer)
				values = append(values, must(op.Eval(found(op.Lookup(name)), of, v.Producer.Attrs))[0])
				return v
			}
			var casts []*graph.Value
			for i, x := range c.In {
				in := must(b.Input("x"+string(rune('0'+i)), graph.TypeOf(x)))
				casts = append(casts, add("cast", graph.AttrsOf("dtype", wide), []*graph.Value{in}, x))
			}
			v := add("add", nil, casts, values...)
			if to == tensor.Uint8 || r.Bool() {
				v = add("relu", nil, []*graph.Value{v}, values[2])
			}
			v = add("clamp_precision", graph.AttrsOf("precision", r.Between(2, 8)), []*graph.Value{v}, values[len(values)-1])
			add("cast", graph.AttrsOf("dtype", to), []*graph.Value{v}, values[len(values)-1])
			region := offered(r, nodes...)
			region.Sources = 2
			p := row.Prepare(region)
			if p == nil {
				t.Fatal("the row does not take sums")
			}
			trialOf(t, r, c, p, values[len(values)-1:]).check()
		}
	})
}

// TestWidenedSlices holds kernels that cast what a slice chooses to the references.
func TestWidenedSlices(t *testing.T) {
	eachRow(t, func(t *testing.T, row *kernel.Kernel) {
		if !row.Sources || row.Op != "cast" {
			return
		}
		taken := 0
		for seed := range uint64(100) {
			r := op.NewRand(seed, 1+int(seed)/40)
			x := r.Tensor(r.DType(row.In[0]), tensor.Shape{r.Between(1, 3), r.Between(1, 40), r.Between(1, 9)})
			begin, end, stride := []int{0, 0, 0}, []int{1, 1, 1}, []int{1, r.Between(1, 3), 1}
			for d, n := range x.Shape() {
				begin[d] = r.Between(0, n-1)
				if end[d] = r.Between(begin[d]+1, n); r.IntN(4) == 0 {
					begin[d], end[d], stride[d] = end[d]-1, begin[d]-n-1, -stride[d]
				}
			}
			b := graph.NewBuilder(op.Rules, "case")
			in := must(b.Input("x", graph.TypeOf(x)))
			v := must(b.Node("slice", []*graph.Value{in}, graph.AttrsOf("axes", []int{0, 1, 2}, "begin", begin, "end", end, "stride", stride), ""))[0]
			n := must(b.Node("cast", []*graph.Value{v}, graph.AttrsOf("dtype", r.DType(op.TypeSet(tensor.Int16, tensor.Uint16, tensor.Int32, tensor.Uint32))), ""))[0].Producer
			if p := row.Prepare(kernel.Region{Nodes: []*graph.Node{v.Producer, n}, Sources: 1}); p != nil {
				taken++
				some := must(op.Eval(found(op.Lookup("slice")), []*tensor.Tensor{x}, v.Producer.Attrs))
				trialOf(t, r, op.Case{In: []*tensor.Tensor{x}}, p, must(op.Eval(found(op.Lookup("cast")), some, n.Attrs))).check()
			}
		}
		if taken < 30 {
			t.Errorf("the row takes %d slices", taken)
		}
	})
}
