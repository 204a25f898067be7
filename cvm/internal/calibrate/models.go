package main

import (
	"fmt"
	"strconv"

	"github.com/concord-nn/concord/internal/testing/cvm/formal"
)

// model is the application of an operator.
type model struct {
	op          string
	attrs       map[string]string
	in          []*formal.Tensor
	postprocess string
}

func (m model) String() string { return fmt.Sprint(m.op, " of ", m.in[0].Shape) }

// graph makes a graph in which the first operand is data and the others are parameters.
func (m model) graph() *formal.Graph {
	g := &formal.Graph{Strict: true, Postprocess: m.postprocess}
	node := formal.Node{Name: "y", Op: m.op, Attrs: m.attrs}
	for i, t := range m.in {
		name := fmt.Sprint("p", i)
		if i == 0 {
			name = "data"
			t = &formal.Tensor{Shape: t.Shape, Precision: t.Precision}
		}
		g.Nodes = append(g.Nodes, formal.Node{Name: name, Variable: t})
		node.In = append(node.In, i)
	}
	g.Nodes = append(g.Nodes, node)
	g.Heads = []int{len(m.in)}
	return g
}

// filled makes a tensor with elements over the range of its precision.
func filled(precision int, shape ...int64) *formal.Tensor {
	t := &formal.Tensor{Shape: shape, Precision: precision}
	most := int64(1)<<(precision-1) - 1
	for i := range t.Len() {
		t.Data = append(t.Data, i*7919%(2*most+1)-most)
	}
	return t
}

// boxes makes rows of boxes side by side, all of which are kept.
func boxes(batches, n int64) *formal.Tensor {
	t := filled(16, batches, n, 6)
	for i := range batches * n {
		copy(t.Data[6*i:], []int64{0, i % 100, 10 * i, 0, 10*i + 5, 5})
	}
	return t
}

// counts makes a valid_count beyond all rows.
func counts(batches int64) *formal.Tensor {
	t := filled(30, batches)
	for i := range t.Data {
		t.Data[i] = 1 << 20
	}
	return t
}

// models returns applications of all operators to tensors of several sizes and types.
func models() []model {
	type attrs = map[string]string
	var list []model
	add := func(op string, a attrs, in ...*formal.Tensor) { list = append(list, model{op: op, attrs: a, in: in}) }
	for _, n := range []int64{1, 16, 64, 128} { // planes of n×n
		for _, p := range []int{8, 14, 17} {
			x, same, row := filled(p, 1, 8, n, n), filled(p, 1, 8, n, n), filled(p, n)
			for _, op := range []string{"relu", "abs", "negative", "cvm_precision", "transpose", "flatten"} {
				add(op, nil, x)
			}
			for _, op := range []string{"elemwise_add", "elemwise_sub"} {
				add(op, nil, x, same)
			}
			for _, op := range []string{"broadcast_add", "broadcast_sub", "broadcast_max", "broadcast_div", "broadcast_greater"} {
				add(op, nil, x, same)
				add(op, nil, x, row)
			}
			add("broadcast_mul", nil, x, filled(8, n))
			add("broadcast_mul", nil, x, filled(8, 1, 8, n, n))
			add("sum", attrs{"axis": "(2, 3)"}, x)
			add("sum", attrs{"axis": "1"}, x)
			add("max", attrs{"axis": "(2, 3)"}, x)
			add("max", attrs{"axis": "1"}, x)
			add("clip", attrs{"a_min": "-3", "a_max": "100"}, x)
			add("cvm_clip", attrs{"precision": "7"}, x)
			add("cvm_right_shift", attrs{"precision": "8", "shift_bit": "4"}, x)
			add("cvm_left_shift", attrs{"precision": "20", "shift_bit": "4"}, x)
			add("max_pool2d", attrs{"pool_size": "(3, 3)", "padding": "1"}, x)
			add("max_pool2d", attrs{"pool_size": "(2, 2)", "strides": "(2, 2)", "padding": "1"}, x)
			add("upsampling", attrs{"scale": "2"}, x)
			add("repeat", attrs{"repeats": "2", "axis": "3"}, x)
			add("tile", attrs{"reps": "(2, 1, 1, 1)"}, x)
			add("concatenate", nil, x, same)
			add("strided_slice", attrs{"begin": "(0, 0, 0, -1)", "end": fmt.Sprintf("(1, 8, %d, %d)", n, -n-1), "stride": "(1, 2, 1, -1)"}, x)
			add("slice_like", attrs{"axis": "1"}, x, filled(8, 1, 4))
			add("take", nil, x, same)
			add("take", attrs{"axis": "1"}, x, filled(4, 8))
			add("cvm_lut", attrs{"in_dim": "256"}, x, filled(p, 256))
			add("where", nil, x, same, same)
			add("get_valid_counts", nil, filled(p, 1, n*n, 6))
			list = append(list, model{op: "relu", in: []*formal.Tensor{x}, postprocess: "argmax"})
		}
	}
	for _, n := range []int64{1, 30, 100, 300} {
		add("non_max_suppression", nil, boxes(1, n), counts(1))
		add("non_max_suppression", attrs{"force_suppress": "1"}, boxes(2, n), counts(2))
	}
	for _, n := range []int64{1, 16, 128, 512} {
		add("dense", attrs{"units": strconv.FormatInt(n, 10), "use_bias": "0"}, filled(8, 1, n), filled(8, n, n))
		add("dense", attrs{"units": strconv.FormatInt(n, 10)}, filled(8, 8, n), filled(8, n, n), filled(20, n))
	}
	for _, c := range []int64{1, 16, 64} {
		for _, n := range []int64{3, 16, 56} {
			for _, k := range []int64{1, 3, 5} {
				add("conv2d", attrs{"channels": strconv.FormatInt(c, 10), "kernel_size": fmt.Sprintf("(%d, %d)", k, k),
					"padding": fmt.Sprintf("(%d, %d)", k/2, k/2), "use_bias": "0"},
					filled(8, 1, c, n, n), filled(8, c, c, k, k))
			}
			add("conv2d", attrs{"channels": strconv.FormatInt(c, 10), "kernel_size": "(3, 3)", "groups": strconv.FormatInt(c, 10),
				"strides": "(2, 2)"},
				filled(8, 1, c, n, n), filled(8, c, 1, 3, 3), filled(20, c))
		}
	}
	return list
}
