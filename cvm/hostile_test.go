package cvm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/concord-nn/concord/cvm/fault"
	"github.com/concord-nn/concord/internal/testing/cvm/formal"
	"github.com/concord-nn/concord/internal/testing/cvm/random"
)

// variable makes a variable with n elements that repeat the given ones.
func variable(precision int, shape []int64, elements ...int64) *formal.Tensor {
	t := &formal.Tensor{Shape: shape, Precision: precision}
	for i := range t.Len() {
		if len(elements) > 0 {
			t.Data = append(t.Data, elements[int(i)%len(elements)])
		} else {
			t.Data = append(t.Data, 0)
		}
	}
	return t
}

// applied makes a graph of one operator. The first operand is data, the others are parameters.
func applied(op string, attrs map[string]string, in ...*formal.Tensor) *formal.Graph {
	g := &formal.Graph{Strict: true}
	node := formal.Node{Name: "y", Op: op, Attrs: attrs}
	for i, t := range in {
		v := formal.Node{Name: fmt.Sprint("p", i), Variable: t}
		if i == 0 {
			v = formal.Node{Name: "data", Variable: &formal.Tensor{Shape: t.Shape, Precision: t.Precision}}
		}
		g.Nodes = append(g.Nodes, v)
		node.In = append(node.In, i)
	}
	g.Nodes = append(g.Nodes, node)
	g.Heads = []int{len(in)}
	return g
}

// TestEndsOfRanges applies operators with attributes and precisions at both ends of their ranges and just beyond.
func TestEndsOfRanges(t *testing.T) {
	type dict = map[string]string
	const most, least = math.MaxInt32, -math.MaxInt32
	wide := variable(32, []int64{5}, most, least, 0, 1, -1)
	plane := variable(8, []int64{1, 1, 4, 4}, 127, -127, 0, 1, -1, 64)
	kernel := variable(8, []int64{1, 1, 1, 1}, 127)
	conv := func(more dict) dict {
		d := dict{"channels": "1", "kernel_size": "(1, 1)", "use_bias": "0"}
		for k, v := range more {
			d[k] = v
		}
		return d
	}
	const ok, logic, runtime = fault.OK, fault.Logic, fault.Runtime
	for _, c := range []struct {
		op    string
		attrs dict
		in    []*formal.Tensor
		class fault.Class
	}{
		{"cvm_clip", dict{"precision": "1"}, []*formal.Tensor{wide}, ok},
		{"cvm_clip", dict{"precision": "32"}, []*formal.Tensor{wide}, ok},
		{"cvm_clip", dict{"precision": "0"}, []*formal.Tensor{wide}, logic},
		{"cvm_clip", dict{"precision": "33"}, []*formal.Tensor{wide}, logic},
		{"cvm_clip", dict{"precision": "-2147483648"}, []*formal.Tensor{wide}, logic},
		{"cvm_clip", dict{"precision": "2147483648"}, []*formal.Tensor{wide}, runtime},
		{"cvm_right_shift", dict{"precision": "32", "shift_bit": "1"}, []*formal.Tensor{wide}, ok},
		{"cvm_right_shift", dict{"precision": "1", "shift_bit": "1"}, []*formal.Tensor{wide}, ok},
		{"cvm_right_shift", dict{"precision": "32", "shift_bit": "31"}, []*formal.Tensor{wide}, ok},
		{"cvm_right_shift", dict{"precision": "32", "shift_bit": "32"}, []*formal.Tensor{wide}, ok},
		{"cvm_right_shift", dict{"precision": "32", "shift_bit": "33"}, []*formal.Tensor{wide}, logic},
		{"cvm_right_shift", dict{"precision": "32", "shift_bit": "0"}, []*formal.Tensor{wide}, logic},
		{"cvm_left_shift", dict{"precision": "32", "shift_bit": "1"}, []*formal.Tensor{variable(31, []int64{3}, 1<<30-1, 1-1<<30, 1)}, ok},
		{"cvm_left_shift", dict{"precision": "1", "shift_bit": "31"}, []*formal.Tensor{variable(1, []int64{1}, 0)}, ok},
		{"cvm_left_shift", dict{"precision": "32", "shift_bit": "1"}, []*formal.Tensor{wide}, runtime},
		{"cvm_left_shift", dict{"precision": "32", "shift_bit": "32"}, []*formal.Tensor{variable(1, []int64{1}, 0)}, runtime},
		{"clip", dict{"a_min": "-2147483646", "a_max": "2147483646"}, []*formal.Tensor{wide}, ok},
		{"clip", dict{"a_min": "-2147483647", "a_max": "0"}, []*formal.Tensor{wide}, logic},
		{"clip", dict{"a_min": "-2147483648", "a_max": "0"}, []*formal.Tensor{wide}, logic},
		{"clip", dict{"a_min": "0", "a_max": "0"}, []*formal.Tensor{wide}, logic},
		{"clip", dict{"a_min": "-127", "a_max": "127"}, []*formal.Tensor{wide}, ok},
		{"abs", nil, []*formal.Tensor{wide}, ok},
		{"negative", nil, []*formal.Tensor{wide}, ok},
		{"cvm_precision", nil, []*formal.Tensor{wide}, ok},
		{"sum", dict{"axis": "0", "exclude": "1"}, []*formal.Tensor{wide}, logic},
		{"elemwise_add", nil, []*formal.Tensor{wide, wide}, logic},
		{"elemwise_add", nil, []*formal.Tensor{variable(31, []int64{2}, 1<<30-1, 1-1<<30), variable(31, []int64{2}, 1<<30-1, 1-1<<30)}, ok},
		{"broadcast_mul", nil, []*formal.Tensor{variable(16, []int64{2}, 1<<15-1, 1-1<<15), variable(16, []int64{1}, 1-1<<15)}, ok},
		{"broadcast_mul", nil, []*formal.Tensor{variable(16, []int64{2}), variable(17, []int64{1})}, logic},
		{"broadcast_div", nil, []*formal.Tensor{wide, variable(2, []int64{5}, -1, -1, 0, 1)}, ok},
		{"conv2d", conv(dict{"strides": "(4096, 4096)"}), []*formal.Tensor{plane, kernel}, ok},
		{"conv2d", conv(dict{"strides": "(4096, 4097)"}), []*formal.Tensor{plane, kernel}, logic},
		{"conv2d", conv(dict{"strides": "(0, 1)"}), []*formal.Tensor{plane, kernel}, logic},
		{"conv2d", conv(dict{"padding": "(4096, 0)", "strides": "(4096, 1)"}), []*formal.Tensor{plane, kernel}, ok},
		{"conv2d", conv(dict{"padding": "(4097, 0)"}), []*formal.Tensor{plane, kernel}, logic},
		{"conv2d", conv(dict{"padding": "(-1, 0)"}), []*formal.Tensor{plane, kernel}, logic},
		{"conv2d", conv(dict{"dilation": "(4096, 4096)"}), []*formal.Tensor{plane, kernel}, ok},
		{"conv2d", conv(dict{"dilation": "(4097, 1)"}), []*formal.Tensor{plane, kernel}, logic},
		{"conv2d", conv(dict{"groups": "0"}), []*formal.Tensor{plane, kernel}, logic},
		{"conv2d", conv(dict{"groups": "2147483647"}), []*formal.Tensor{plane, kernel}, logic},
		{"conv2d", conv(dict{"kernel_size": "(2147483647, 2147483647)"}), []*formal.Tensor{plane, kernel}, logic},
		{"conv2d", conv(nil), []*formal.Tensor{variable(9, []int64{1, 1, 2, 2}), kernel}, logic},
		{"conv2d", conv(nil), []*formal.Tensor{plane, variable(9, []int64{1, 1, 1, 1})}, logic},
		{"dense", dict{"units": "0"}, []*formal.Tensor{variable(8, []int64{1, 2}), variable(8, []int64{1, 2}), variable(8, []int64{1})}, runtime},
		{"dense", dict{"units": "1"},
			[]*formal.Tensor{variable(8, []int64{1, 2}, 127), variable(8, []int64{1, 2}, -127), variable(31, []int64{1}, 1-1<<30)}, ok},
		{"dense", dict{"units": "1"}, []*formal.Tensor{variable(8, []int64{1, 2}), variable(8, []int64{1, 2}), variable(32, []int64{1})}, logic},
		{"max_pool2d", dict{"pool_size": "(4, 4)", "padding": "3", "ceil_mode": "1", "strides": "(3, 1)"}, []*formal.Tensor{plane}, ok},
		{"max_pool2d", dict{"pool_size": "(0, 1)"}, []*formal.Tensor{plane}, logic},
		{"max_pool2d", dict{"pool_size": "(5, 1)"}, []*formal.Tensor{plane}, logic},
		{"max_pool2d", dict{"pool_size": "(1, 1)", "padding": "1"}, []*formal.Tensor{plane}, logic},
		{"upsampling", dict{"scale": "4096"}, []*formal.Tensor{variable(8, []int64{1, 1, 1, 1}, 1)}, ok},
		{"upsampling", dict{"scale": "4097"}, []*formal.Tensor{variable(8, []int64{1, 1, 1, 1}, 1)}, logic},
		{"upsampling", dict{"scale": "0"}, []*formal.Tensor{variable(8, []int64{1, 1, 1, 1}, 1)}, logic},
		{"repeat", dict{"repeats": "16777216"}, []*formal.Tensor{variable(8, []int64{1}, 1)}, ok},
		{"repeat", dict{"repeats": "16777217"}, []*formal.Tensor{variable(8, []int64{1}, 1)}, logic},
		{"repeat", dict{"repeats": "2147483647", "axis": "-2147483648"}, []*formal.Tensor{variable(8, []int64{1}, 1)}, logic},
		{"tile", dict{"reps": "(4096, 4096)"}, []*formal.Tensor{variable(8, []int64{1}, 1)}, ok},
		{"tile", dict{"reps": "(4096, 4096, 4096)"}, []*formal.Tensor{variable(8, []int64{1}, 1)}, logic},
		{"tile", dict{"reps": "4097"}, []*formal.Tensor{variable(8, []int64{1}, 1)}, logic},
		{"tile", dict{"reps": "(1, 1, 1, 1, 1, 1, 1)"}, []*formal.Tensor{variable(8, []int64{1}, 1)}, logic},
		{"expand_dims", dict{"axis": "-2", "num_newaxis": "5"}, []*formal.Tensor{variable(8, []int64{2}, 1)}, ok},
		{"expand_dims", dict{"axis": "0", "num_newaxis": "6"}, []*formal.Tensor{variable(8, []int64{2}, 1)}, logic},
		{"expand_dims", dict{"axis": "0", "num_newaxis": "0"}, []*formal.Tensor{variable(8, []int64{2}, 1)}, runtime},
		{"expand_dims", dict{"axis": "0", "num_newaxis": "2147483647"}, []*formal.Tensor{variable(8, []int64{2}, 1)}, logic},
		{"strided_slice", dict{"begin": "2147483647", "end": "-2147483648", "stride": "-2147483648"}, []*formal.Tensor{wide}, ok},
		{"strided_slice", dict{"begin": "-2147483648", "end": "2147483647", "stride": "2147483647"}, []*formal.Tensor{wide}, ok},
		{"strided_slice", dict{"begin": "0", "end": "-9223372036854775808"}, []*formal.Tensor{wide}, logic},
		{"strided_slice", dict{"stride": "0"}, []*formal.Tensor{wide}, logic},
		{"take", nil, []*formal.Tensor{wide, wide}, ok},
		{"take", dict{"axis": "0"}, []*formal.Tensor{wide, wide}, ok},
		{"cvm_lut", dict{"in_dim": "5"}, []*formal.Tensor{wide, wide}, ok},
		{"cvm_lut", dict{"in_dim": "-2147483648"}, []*formal.Tensor{wide, wide}, logic},
		{"reshape", dict{"shape": "(9223372036854775807, 9223372036854775807)"}, []*formal.Tensor{wide}, logic},
		{"reshape", dict{"shape": "(-9223372036854775808, 5)"}, []*formal.Tensor{wide}, ok},
		{"reshape", dict{"shape": "(-4, -1, 2147483647)"}, []*formal.Tensor{wide}, logic},
		{"get_valid_counts", dict{"score_threshold": "-2147483648"}, []*formal.Tensor{variable(32, []int64{1, 2, 2}, least, most)}, ok},
		{"get_valid_counts", dict{"score_threshold": "2147483647"}, []*formal.Tensor{variable(32, []int64{1, 2, 2}, least, most)}, ok},
		{"non_max_suppression", dict{"iou_threshold": "2147483647", "top_k": "2147483647", "max_output_size": "2147483647"},
			[]*formal.Tensor{variable(32, []int64{1, 3, 6}, 0, 1, least, least, most, most), variable(32, []int64{1}, most)}, ok},
		{"non_max_suppression", dict{"top_k": "-2147483648", "max_output_size": "-2147483648", "force_suppress": "1"},
			[]*formal.Tensor{variable(32, []int64{1, 3, 6}, most, 1, least, 0, most, most, 0, 0), variable(32, []int64{1}, least)}, ok},
		// Differences of coordinates wrap and leave a union of 2 for an intersection beyond 2^60.
		{"non_max_suppression", dict{"force_suppress": "1"}, []*formal.Tensor{
			variable(32, []int64{1, 2, 6}, 0, 2, least, 0, most, 1<<30, 0, 1, 0, 0, 1<<30+1, 1<<30+2), variable(8, []int64{1}, 2)}, ok},
		{"non_max_suppression", dict{"iou_threshold": "0"}, []*formal.Tensor{variable(8, []int64{1, 1, 6}), variable(8, []int64{1})}, logic},
	} {
		t.Run(fmt.Sprint(c.op, c.attrs, c.in[0].Shape), func(t *testing.T) {
			g := applied(c.op, c.attrs, c.in...)
			m, refusal := random.Of(1, g)
			if c.class != fault.OK {
				r := new(formal.Refusal)
				if !errors.As(refusal, &r) || r.Runtime != (c.class == fault.Runtime) {
					t.Fatalf("the formalisation says %v", refusal)
				}
				m = refusedModel(c.op, c.attrs, c.in)
				_, err := Load(Files{Symbol: m.Symbol, Params: m.Params}, Options{})
				checkFault(t, err, c.class)
				return
			}
			if refusal != nil {
				t.Fatal(refusal)
			}
			if a, err := Admit(Files{Symbol: m.Symbol, Params: m.Params}, Options{}); err != nil {
				t.Fatal(err)
			} else if a.OutputLength < 1<<20 {
				checkRun(t, m, Options{}, encoded(c.in[0].Precision, c.in[0].Data))
			}
		})
	}
}

// refusedModel writes a model whose last node is then exchanged for one that is not legal, and so has the declared shape of another.
func refusedModel(op string, attrs map[string]string, in []*formal.Tensor) *random.Model {
	outputs := "abs"
	if op == "get_valid_counts" {
		outputs = op
	}
	g := applied(outputs, nil, in...)
	g.Nodes[len(in)].In = []int{0}
	m, err := random.Exchanged(1, g, len(in), formal.Node{Name: "y", Op: op, Attrs: attrs, In: applied(op, attrs, in...).Nodes[len(in)].In})
	if err != nil {
		panic(err)
	}
	return m
}

// checkRun loads and runs a model and compares the bytes with the formalisation.
func checkRun(t *testing.T, m *random.Model, o Options, input []byte) {
	t.Helper()
	machine, err := formal.NewMachine(m.Graph, m.Order)
	if err != nil {
		t.Fatal(err)
	}
	heads, err := machine.Run(m.Graph.Decode(input))
	if err != nil {
		t.Fatal(err)
	}
	want, err := m.Graph.Encode(heads)
	if err != nil {
		t.Fatal(err)
	}
	model, err := Load(Files{Symbol: m.Symbol, Params: m.Params}, o)
	if err != nil {
		t.Fatal(err)
	}
	defer model.Close()
	if got, err := model.Run(context.Background(), input); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%x, %v, want %x", got, err, want)
	}
}

// TestLeastInteger has -2^31 wherever it can come up. No legal value is: inputs are clamped and parameters refused.
func TestLeastInteger(t *testing.T) {
	wide := variable(32, []int64{2}, math.MinInt32, 5)
	m, err := random.Of(1, applied("abs", nil, wide))
	if err != nil {
		t.Fatal(err)
	}
	checkRun(t, m, Options{}, encoded(wide.Precision, wide.Data))
	narrow := variable(8, []int64{2}, -128, 5)
	if m, err = random.Of(1, applied("abs", nil, narrow)); err != nil {
		t.Fatal(err)
	}
	checkRun(t, m, Options{}, encoded(narrow.Precision, narrow.Data))

	for _, in := range []*formal.Tensor{wide, narrow} {
		if m, err = random.Of(1, applied("broadcast_max", nil, variable(8, []int64{1}, 0), in)); err != nil {
			t.Fatal(err)
		}
		_, err := Load(Files{Symbol: m.Symbol, Params: m.Params}, Options{})
		checkFault(t, err, fault.Logic)
	}
}

// TestDeployedPrecisionWraps gives every operator -2^31 and other numbers beyond the deployed precision of where, which is that of its
// condition. Arithmetic then wraps, in all forms alike.
func TestDeployedPrecisionWraps(t *testing.T) {
	type dict = map[string]string
	for _, c := range []struct {
		op    string
		attrs dict
		more  []*formal.Tensor
	}{
		{"abs", nil, nil}, {"negative", nil, nil}, {"relu", nil, nil}, {"cvm_precision", nil, nil}, {"flatten", nil, nil}, {"transpose", nil, nil},
		{"clip", dict{"a_min": "-2147483646", "a_max": "5"}, nil},
		{"cvm_clip", dict{"precision": "32"}, nil},
		{"cvm_right_shift", dict{"precision": "32", "shift_bit": "1"}, nil}, {"cvm_right_shift", dict{"precision": "32", "shift_bit": "32"}, nil},
		{"cvm_left_shift", dict{"precision": "32", "shift_bit": "1"}, nil}, {"cvm_left_shift", dict{"precision": "20", "shift_bit": "29"}, nil},
		{"sum", nil, nil}, {"max", nil, nil}, {"sum", dict{"axis": "3", "exclude": "1"}, nil},
		{"broadcast_add", nil, []*formal.Tensor{variable(3, []int64{4}, -3, 3, 1)}},
		{"broadcast_sub", nil, []*formal.Tensor{variable(3, []int64{4}, -3, 3, 1)}},
		{"broadcast_mul", nil, []*formal.Tensor{variable(3, []int64{4}, -3, 3, 1)}},
		{"broadcast_div", nil, []*formal.Tensor{variable(3, []int64{4}, -1, 0, 1, 2)}},
		{"broadcast_max", nil, []*formal.Tensor{variable(3, []int64{4}, -3)}},
		{"broadcast_greater", nil, []*formal.Tensor{variable(3, []int64{4}, -3)}},
		{"conv2d", dict{"channels": "1", "kernel_size": "(2, 1)", "use_bias": "0"}, []*formal.Tensor{variable(8, []int64{1, 1, 2, 1}, 127, -3)}},
		{"max_pool2d", dict{"pool_size": "(2, 2)", "padding": "1"}, nil},
		{"upsampling", dict{"scale": "2"}, nil},
		{"tile", dict{"reps": "2"}, nil}, {"repeat", dict{"repeats": "2"}, nil},
		{"take", nil, []*formal.Tensor{variable(3, []int64{4}, -1, 3, 1, 0)}},
		{"concatenate", nil, []*formal.Tensor{variable(3, []int64{1, 1, 3, 4}, -1)}},
		{"strided_slice", nil, nil}, {"squeeze", nil, nil},
	} {
		t.Run(fmt.Sprint(c.op, c.attrs), func(t *testing.T) {
			shape := []int64{1, 1, 3, 4}
			g := &formal.Graph{Nodes: []formal.Node{
				{Name: "data", Variable: &formal.Tensor{Shape: shape, Precision: 2}},
				{Name: "x", Variable: variable(32, shape, math.MaxInt32, -math.MaxInt32, 1000, -129, 1<<20)},
				{Name: "one", Variable: variable(2, []int64{1}, 1)},
				{Name: "where", Op: "where", In: []int{0, 1, 1}},
				{Name: "beyond", Op: "broadcast_sub", In: []int{3, 2}}, // -2^31 among others, of deployed precision 3
			}}
			node := formal.Node{Name: "y", Op: c.op, Attrs: c.attrs, In: []int{4}}
			for i, p := range c.more {
				node.In = append(node.In, 5+i)
				g.Nodes = append(g.Nodes, formal.Node{Name: fmt.Sprint("p", i), Variable: p})
			}
			g.Nodes = append(g.Nodes, node)
			g.Heads = []int{len(g.Nodes) - 1}
			m, err := random.Of(1, g)
			if err != nil {
				t.Fatal(err)
			}
			checkRun(t, m, Options{Compat: true}, make([]byte, 12))
			_, err = Load(Files{Symbol: m.Symbol, Params: m.Params}, Options{})
			checkFault(t, err, fault.Logic)
		})
	}
}
