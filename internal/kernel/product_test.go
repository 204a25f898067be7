package kernel_test

import (
	"slices"
	"strconv"
	"testing"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/kernel"
	"github.com/concord-nn/concord/internal/simd"
	"github.com/concord-nn/concord/internal/testdata"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// TestProductPlans holds products to what their shapes ask for: where matrices are read, and what their pieces are.
func TestProductPlans(t *testing.T) {
	type shape = tensor.Shape
	transposed := graph.AttrsOf("transposeB", true)
	for _, tt := range []struct {
		name         string
		left, right  shape
		attrs        graph.Attrs
		constant     bool
		packs        int // constants
		shared       int // numbers that all workers share
		rounds, even bool
		pieces       int
	}{
		{"weights for few rows, by columns", shape{1, 128, 768}, shape{1, 768, 768}, nil, true, 1, 0, false, false, 12},
		{"rows that share cache sets, copied for all", shape{128, 1024}, shape{1024, 768}, nil, true, 1, 128 * 1040, true, false, 4 + 12},
		{"weights for many rows, by rows", shape{512, 512}, shape{512, 512}, nil, true, 1, 0, false, true, 16},
		{"a batch that is one matrix", shape{4, 128, 512}, shape{1, 512, 512}, nil, true, 1, 0, false, true, 16},
		{"a vector", shape{1, 1024}, shape{1024, 1024}, nil, true, 1, 0, false, false, 2},
		{"few columns, as they are", shape{64, 256}, shape{256, 16}, nil, true, 0, 0, false, true, 1},
		{"what is near, as it is", shape{128, 128}, shape{128, 128}, nil, false, 0, 0, false, true, 4},
		{"heads of attention", shape{12, 128, 64}, shape{12, 64, 128}, nil, false, 0, 0, false, true, 12},
		{"transposed heads", shape{12, 128, 64}, shape{12, 128, 64}, transposed, false, 0, 0, false, true, 12},
		{"large and dynamic, copied for all", shape{512, 512}, shape{512, 512}, nil, false, 0, 512 * 512, true, true, 4 + 16},
		{"a column, as a row by lines", shape{1024, 256}, shape{256, 1}, nil, false, 0, 0, false, false, 2},
		{"many queries, all keys copied", shape{8, 512, 40}, shape{8, 512, 40}, transposed, false, 0, 8 * 40 * 512, true, true, 8*4 + 8*4},
		{"rows that share cache sets, copied", shape{8, 512, 40}, shape{8, 40, 512}, nil, false, 0, 8 * 40 * 512, true, true, 8*4 + 8*4},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := graph.NewBuilder(op.Rules, "product")
			in := []*graph.Value{must(b.Input("x", op.Type{DType: tensor.Float32, Shape: tt.left})), nil}
			if tt.constant {
				in[1] = must(b.Constant("", "", must(tensor.New(tensor.Float32, tt.right))))
			} else {
				in[1] = must(b.Input("y", op.Type{DType: tensor.Float32, Shape: tt.right}))
			}
			n := must(b.One("matmul", in, tt.attrs, "")).Producer
			p := rowOf(&simd.AVX512, "tiles", "matmul").Prepare(kernel.Region{Nodes: []*graph.Node{n}})
			if len(p.Pack) != tt.packs || p.Shared != 4*tt.shared || (p.Rounds != nil) != tt.rounds || p.Even != tt.even || p.Pieces != tt.pieces {
				t.Errorf("%d packed, %d numbers shared, rounds %v, even %t, %d pieces; want %+v", len(p.Pack), p.Shared/4, p.Rounds, p.Even, p.Pieces, tt)
			}
		})
	}
}

// TestTransposedFactors holds products that read factors through transposes of them to the references.
func TestTransposedFactors(t *testing.T) {
	eachRow(t, func(t *testing.T, row *kernel.Kernel) {
		if !row.Sources || row.Op != "matmul" {
			return
		}
		taken, cases := 0, testdata.Cases(60, 2000)
		for seed := range uint64(cases) {
			r := op.NewRand(seed, 3)
			m, k, n := matrixExtents(r)
			lead, transposeA, transposeB := r.Shape(1, 2), r.Bool(), r.Bool()
			shapes := []tensor.Shape{append(slices.Clone(lead), m, k), append(slices.Clone(lead), k, n)}
			if r.IntN(3) == 0 {
				shapes[r.IntN(2)][0] = 1
			}
			for i, swap := range []bool{transposeA, transposeB} {
				if s, d := shapes[i], len(lead); swap {
					s[d], s[d+1] = s[d+1], s[d]
				}
			}
			b := graph.NewBuilder(op.Rules, "case")
			elements := make(map[*graph.Value]*tensor.Tensor)
			var nodes []*graph.Node
			var in []*graph.Value
			var factors []*tensor.Tensor
			which := r.Between(1, 3)
			for i, shape := range shapes {
				axes, from := r.Perm(len(shape)), slices.Clone(shape)
				if which>>i&1 == 1 {
					for d, axis := range axes {
						from[axis] = shape[d]
					}
				}
				x := r.Tensor(tensor.Float32, from)
				v := must(b.Input(string(rune('a'+i)), graph.TypeOf(x)))
				elements[v] = x
				if which>>i&1 == 1 {
					v = must(b.One("transpose", []*graph.Value{v}, graph.AttrsOf("axes", axes), ""))
					nodes = append(nodes, v.Producer)
					x = must(op.Eval(found(op.Lookup("transpose")), []*tensor.Tensor{x}, v.Producer.Attrs))[0]
				}
				in, factors = append(in, v), append(factors, x)
			}
			v := must(b.One("matmul", in, graph.AttrsOf("transposeA", transposeA, "transposeB", transposeB), ""))
			region := kernel.Region{Nodes: append(nodes, v.Producer), Sources: len(nodes)}
			rectified := r.Bool()
			if rectified {
				region.Nodes = append(region.Nodes, must(b.One("relu", []*graph.Value{v}, nil, "")).Producer)
			}
			p := row.Prepare(region)
			if p == nil {
				continue // where neighbours are in neither rows nor columns
			}
			taken++
			want := evaluated("matmul", factors, v.Producer.Attrs)
			if rectified {
				want = must(op.Eval(found(op.Lookup("relu")), want, nil))
			}
			var c op.Case
			for _, v := range region.Operands() {
				c.In = append(c.In, elements[v])
			}
			trialOf(t, r, c, p, want).check()
		}
		if taken < cases/4 {
			t.Errorf("%d of %d are taken", taken, cases)
		}
	})
}

// TestCodedFactors holds products with dequantised constants to the references.
func TestCodedFactors(t *testing.T) {
	eachRow(t, func(t *testing.T, row *kernel.Kernel) {
		if row.Name != "tiles" || !row.Sources {
			return
		}
		taken, cases := 0, testdata.Cases(50, 4000)
		for seed := range uint64(cases) {
			if compareCoded(t, row, seed) {
				taken++
			}
		}
		if taken < cases/2 {
			t.Errorf("%d of %d are taken", taken, cases)
		}
	})
}

// TestRowsOfCodes has so many rows that the last block of them has one or two, for which no more panels may be decoded at once than for the others.
func TestRowsOfCodes(t *testing.T) {
	eachRow(t, func(t *testing.T, row *kernel.Kernel) {
		if row.Name != "tiles" || row.Op != "matmul" || !row.Sources {
			return
		}
		for _, m := range []int{1849, 4538} { // of tiles of 14 and of 6 rows
			r := op.NewRand(uint64(m), 1)
			b, left := graph.NewBuilder(op.Rules, "case"), r.Tensor(tensor.Float32, tensor.Shape{m, 2})
			right, w := dequantized(r, b, tensor.Shape{2, 2048})
			y := must(b.One("matmul", []*graph.Value{must(b.Input("x", graph.TypeOf(left))), w}, nil, ""))
			p := row.Prepare(kernel.Region{Nodes: []*graph.Node{w.Producer, y.Producer}, Sources: 1})
			want := evaluated("matmul", []*tensor.Tensor{left, right}, y.Producer.Attrs)
			trialOf(t, r, op.Case{In: []*tensor.Tensor{nil, nil, nil, left}}, p, want).check()
		}
	})
}

// TestSourcesOfOthers holds the kernel to sources that make the right factor, by what they are and not by how many codes they have.
func TestSourcesOfOthers(t *testing.T) {
	r, b := op.NewRand(1, 1), graph.NewBuilder(op.Rules, "case")
	_, w := dequantized(r, b, tensor.Shape{8, 8})
	in := func(name string, shape ...int) *graph.Value {
		return must(b.Input(name, op.Type{DType: tensor.Float32, Shape: shape}))
	}
	y := must(b.One("matmul", []*graph.Value{in("x", 8, 8), in("y", 8, 8)}, nil, ""))
	sum := must(b.One("add", []*graph.Value{y, w}, nil, ""))
	if rowOf(&simd.AVX512, "tiles", "matmul").Prepare(kernel.Region{Nodes: []*graph.Node{w.Producer, y.Producer, sum.Producer}, Sources: 1}) != nil {
		t.Error("an addend of codes is taken")
	}
	for axis, want := range []bool{true, true, false} { // behind the columns a row of codes becomes a column
		_, w := dequantized(r, b, tensor.Shape{1, 8})
		v := must(b.One("unsqueeze", []*graph.Value{w}, graph.AttrsOf("axes", []int{axis}), ""))
		x := in(strconv.Itoa(axis), 1, 4, v.Type.Shape[1])
		readers := map[*graph.Value]*graph.Node{w: v.Producer, v: must(b.One("matmul", []*graph.Value{x, v}, nil, "")).Producer}
		if got := kernel.IsSource(w.Producer, func(v *graph.Value) *graph.Node { return readers[v] }, nil); got != want {
			t.Errorf("%v becomes %v: a source is %t, want %t", w.Type.Shape, v.Type.Shape, got, want)
		}
	}
}

// dequantized adds a dequantised constant, with a scale for each column, and returns its numbers, too.
func dequantized(r *op.Rand, b *graph.Builder, shape tensor.Shape) (*tensor.Tensor, *graph.Value) {
	in := []*tensor.Tensor{r.Tensor(tensor.Int8, shape), r.Uniform(tensor.Float32, tensor.Shape{1, shape[1]}, -2, 2), r.Tensor(tensor.Int8, nil)}
	numbers := must(op.Eval(found(op.Lookup("dequantize_linear")), in, nil))[0] // before a trial takes its operands away
	var constants []*graph.Value
	for _, x := range in {
		constants = append(constants, must(b.Constant("", "", x)))
	}
	return numbers, must(b.One("dequantize_linear", constants, nil, ""))
}

// compareCoded compares a product with a dequantised constant, and reports whether the row takes it.
func compareCoded(t *testing.T, row *kernel.Kernel, seed uint64) bool {
	t.Helper()
	r := op.NewRand(seed, 3)
	m, k, n := matrixExtents(r)
	if r.IntN(3) == 0 { // a row, and panels in pairs
		m, n = 1, 64*r.Between(1, 3)
	}
	flipped, block := r.Bool(), op.Pick(r, []int{4, 8, 16, 32, 40, 64, k, k + 8})
	turned := flipped || row.Op == "linear"
	transposed := r.IntN(3) == 0
	if transposed {
		turned = !turned
	}
	codes, blocks := tensor.Shape{k, n}, []int{block, op.Pick(r, []int{1, 1, 1, 2, n})}
	if turned {
		codes[0], codes[1], blocks[0], blocks[1] = codes[1], codes[0], blocks[1], blocks[0]
	}
	scales, zeros := tensor.Shape{(codes[0]-1)/blocks[0] + 1, (codes[1]-1)/blocks[1] + 1}, tensor.Shape{}
	attrs := graph.AttrsOf("block", blocks)
	if r.IntN(5) == 0 {
		scales, attrs = tensor.Shape{}, nil
	}
	if r.Bool() {
		zeros = scales
	}
	d := op.Pick(r, []tensor.DType{tensor.Uint2, tensor.Int2, tensor.Uint4, tensor.Int4, tensor.Uint8, tensor.Int8})
	in := []*tensor.Tensor{r.Tensor(d, codes), r.Uniform(tensor.Float32, scales, -2, 2), r.Tensor(d, zeros)}
	if r.IntN(4) == 0 {
		in[1] = r.Extremes(tensor.Float32, scales)
	}
	elements := make(map[*graph.Value]*tensor.Tensor)
	b := graph.NewBuilder(op.Rules, "case")
	var constants []*graph.Value
	for _, x := range in { // of which nothing is read that is not packed
		constants = append(constants, must(b.Constant("", "", x)))
	}
	right := must(b.One("dequantize_linear", constants, attrs, ""))
	region := kernel.Region{Nodes: []*graph.Node{right.Producer}, Sources: 1}
	factor := must(op.Eval(found(op.Lookup("dequantize_linear")), in, attrs))[0]
	if transposed {
		right = must(b.One("transpose", []*graph.Value{right}, graph.AttrsOf("axes", []int{1, 0}), ""))
		region.Nodes, region.Sources = append(region.Nodes, right.Producer), 2
		factor = must(factor.Transpose(1, 0)).Contiguous()
	}
	left := tensor.Shape{m, k}
	if row.Op == "matmul" && r.Bool() {
		left = append(tensor.Shape{1}, left...)
		right = must(b.One("unsqueeze", []*graph.Value{right}, graph.AttrsOf("axes", []int{0}), ""))
		region.Nodes, region.Sources = append(region.Nodes, right.Producer), region.Sources+1
		factor = must(factor.Reshape(right.Type.Shape...))
	}
	factors, attrs := []*tensor.Tensor{r.Tensor(tensor.Float32, left), factor}, nil
	operands := []*graph.Value{must(b.Input("a", graph.TypeOf(factors[0]))), right}
	elements[operands[0]] = factors[0]
	scaled := false // which no tail follows
	switch row.Op {
	case "matmul":
		attrs = graph.AttrsOf("transposeB", flipped)
	case "gemm":
		alpha, beta := op.Pick(r, []float64{1, 1, 0.5}), op.Pick(r, []float64{1, 1, -2})
		scaled = alpha != 1 || beta != 1
		attrs = graph.AttrsOf("transposeB", flipped, "alpha", alpha, "beta", beta)
	}
	if row.Op != "matmul" {
		factors, operands = append(factors, nil), append(operands, nil)
		if r.Bool() {
			factors[2] = r.Tensor(tensor.Float32, tensor.Shape{1, n})
			operands[2] = must(b.Input("c", graph.TypeOf(factors[2])))
			elements[operands[2]] = factors[2]
		}
	}
	v := must(b.One(row.Op, operands, attrs, ""))
	region.Nodes = append(region.Nodes, v.Producer)
	want := evaluated(row.Op, factors, v.Producer.Attrs)
	if !scaled && r.Bool() {
		y := r.Tensor(tensor.Float32, want[0].Shape())
		addend := must(b.Input("b", graph.TypeOf(y)))
		elements[addend] = y
		v = must(b.One("add", []*graph.Value{v, addend}, nil, ""))
		region.Nodes = append(region.Nodes, v.Producer)
		want = evaluated("add", []*tensor.Tensor{want[0], y}, nil)
	}
	p := row.Prepare(region)
	if p == nil {
		if rows := 32 / d.Bits(); block%rows == 0 || block >= k {
			t.Errorf("seed %d: %v in blocks of %v are not taken", seed, codes, blocks)
		}
		return false
	}
	var c op.Case
	for _, v := range region.Operands() {
		c.In = append(c.In, elements[v])
	}
	trialOf(t, r, c, p, want).check()
	return true
}

// TestLines multiplies rows by columns that lie along lines, and matrices by a column.
func TestLines(t *testing.T) {
	eachRow(t, func(t *testing.T, row *kernel.Kernel) {
		if row.Name == "tiles" && row.Op == "matmul" && row.Sources {
			for seed := range uint64(testdata.Cases(40, 1000)) {
				compareLines(t, row, seed)
			}
		}
	})
}

// compareLines holds such a product, of extents around those that a routine takes at once, to the reference.
func compareLines(t *testing.T, row *kernel.Kernel, seed uint64) {
	t.Helper()
	r := op.NewRand(seed, 9)
	k, n := r.Between(1, 40), op.Pick(r, []int{64, 128, 192})+r.Between(-1, 2)
	shapes, attrs := []tensor.Shape{{r.Between(1, 2), 1, k}, {1, n, k}}, graph.AttrsOf("transposeB", true)
	if r.Bool() {
		shapes, attrs = []tensor.Shape{{r.Between(1, 2), n, k}, {1, k, 1}}, nil
	}
	b := graph.NewBuilder(op.Rules, "lines")
	var c op.Case
	var in []*graph.Value
	for i, shape := range shapes {
		c.In = append(c.In, r.Tensor(tensor.Float32, shape))
		in = append(in, must(b.Input(string(rune('a'+i)), graph.TypeOf(c.In[i]))))
	}
	node := must(b.One("matmul", in, attrs, "")).Producer
	c.Attrs = node.Attrs
	trialOf(t, r, c, row.Prepare(kernel.Region{Nodes: []*graph.Node{node}}), evaluated("matmul", c.In, node.Attrs)).check()
}
