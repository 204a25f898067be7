package operators_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/concord-nn/concord/cvm/fault"
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/cvm/operators"
	"github.com/concord-nn/concord/internal/emit"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

type (
	dict = map[string]string
	s    = tensor.Shape
)

// call makes a call with operands of precision 8 and infers its shapes.
func call(t *testing.T, op string, attrs dict, shapes ...s) (*operators.Call, error) {
	t.Helper()
	o, _ := operators.Lookup(op)
	values, err := o.ParseAttrs(attrs)
	if err != nil {
		t.Fatalf("%s %v: %v", op, attrs, err)
	}
	c := &operators.Call{Operator: o, Attrs: values}
	for _, shape := range shapes {
		c.In = append(c.In, operators.Tensor{Shape: shape, Precision: 8})
	}
	c.Out, err = o.Shapes(c)
	return c, err
}

const (
	maxInt = "9223372036854775807"
	minInt = "-9223372036854775808"
)

// TestShapes has the bounds of attributes and shapes. A case without a result is an error of class Logic and stage Shape, or
// as its fields say, with the given part.
func TestShapes(t *testing.T) {
	const million = 1 << 20
	for _, c := range []struct {
		op    string
		attrs dict
		in    []s
		out   []s
		part  string
		class fault.Class
		stage fault.Stage
	}{
		{op: "relu", in: []s{{1}}, out: []s{{1}}},
		{op: "relu", in: []s{{1, 1, 1, 1, 1, 1 << 24}}, out: []s{{1, 1, 1, 1, 1, 1 << 24}}},
		{op: "relu", in: []s{{}}, part: "data", stage: fault.Limits},
		{op: "relu", in: []s{{1, 1, 1, 1, 1, 1, 1}}, part: "data", stage: fault.Limits},
		{op: "relu", in: []s{{0}}, part: "data", stage: fault.Limits},
		{op: "relu", in: []s{{-1}}, part: "data", stage: fault.Limits},
		{op: "relu", in: []s{{1<<24 + 1}}, part: "data", stage: fault.Limits},
		{op: "relu", in: []s{{1 << 24, 65}}, part: "data", stage: fault.Limits},
		{op: "relu", in: []s{{math.MaxInt, math.MaxInt}}, part: "data", stage: fault.Limits},
		{op: "relu", stage: fault.NumInputs},
		{op: "relu", in: []s{{1}, {1}}, stage: fault.NumInputs},

		{op: "sum", attrs: dict{"axis": "(0,2)"}, in: []s{{2, 3, 4}}, out: []s{{3}}},
		{op: "sum", attrs: dict{"axis": "(-1,0)", "keepdims": "1"}, in: []s{{2, 3, 4}}, out: []s{{1, 3, 1}}},
		{op: "sum", attrs: dict{"axis": "(-3,0)"}, in: []s{{2, 3, 4}}, part: "axis"},
		{op: "sum", attrs: dict{"axis": "-4"}, in: []s{{2, 3, 4}}, part: "axis"},
		{op: "sum", attrs: dict{"axis": minInt}, in: []s{{2, 3, 4}}, part: "axis"},
		{op: "sum", attrs: dict{"axis": maxInt}, in: []s{{2, 3, 4}}, part: "axis"},
		{op: "sum", attrs: dict{"axis": "(" + strings.Repeat("0,", 100000) + ")"}, in: []s{{2, 3, 4}}, part: "axis"},
		{op: "max", attrs: dict{"exclude": "1"}, in: []s{{2, 3}}, out: []s{{1}}},
		{op: "max", attrs: dict{"exclude": "1", "keepdims": "1"}, in: []s{{2, 3}}, out: []s{{1, 1}}},
		{op: "max", attrs: dict{"exclude": "1", "axis": "(1,0)"}, in: []s{{2, 3}}, out: []s{{2, 3}}},
		{op: "max", attrs: dict{"exclude": "1", "axis": "-1"}, in: []s{{2, 3}}, out: []s{{3}}},

		{op: "broadcast_add", in: []s{{3, 1}, {2, 1, 4}}, out: []s{{2, 3, 4}}},
		{op: "broadcast_add", in: []s{{2, 3}, {2, 3, 4}}, part: "rhs"},
		{op: "broadcast_mul", in: []s{{1 << 15, 1}, {1, 1 << 15}}, out: []s{{1 << 15, 1 << 15}}},
		{op: "broadcast_mul", in: []s{{1 << 15, 1}, {1, 1<<15 + 1}}, part: "output", stage: fault.Limits},
		{op: "elemwise_sub", in: []s{{2, 3}, {3}}, part: "rhs"},

		{op: "conv2d", attrs: conv(dict{}), in: []s{{1, 4, 5, 5}, {6, 4, 3, 3}}, out: []s{{1, 6, 3, 3}}},
		{op: "conv2d", attrs: conv(dict{"padding": "(4096,4096)", "strides": "(4096,4096)", "dilation": "(4096,4096)"}), in: []s{{1, 4, 5, 5}, {6, 4, 3, 3}}, out: []s{{1, 6, 1, 1}}},
		{op: "conv2d", attrs: conv(dict{"padding": "(4097,0)"}), in: []s{{1, 4, 5, 5}, {6, 4, 3, 3}}, part: "padding"},
		{op: "conv2d", attrs: conv(dict{"padding": "(0," + minInt + ")"}), in: []s{{1, 4, 5, 5}, {6, 4, 3, 3}}, part: "padding"},
		{op: "conv2d", attrs: conv(dict{"padding": "1"}), in: []s{{1, 4, 5, 5}, {6, 4, 3, 3}}, part: "padding"},
		{op: "conv2d", attrs: conv(dict{"strides": "(1,4097)"}), in: []s{{1, 4, 5, 5}, {6, 4, 3, 3}}, part: "strides"},
		{op: "conv2d", attrs: conv(dict{"dilation": "(4097,1)"}), in: []s{{1, 4, 5, 5}, {6, 4, 3, 3}}, part: "dilation"},
		{op: "conv2d", attrs: conv(dict{"dilation": "(3,2)"}), in: []s{{1, 4, 5, 5}, {6, 4, 3, 3}}, part: "kernel_size"},
		{op: "conv2d", attrs: conv(dict{"dilation": "(2,2)"}), in: []s{{1, 4, 5, 5}, {6, 4, 3, 3}}, out: []s{{1, 6, 1, 1}}},
		{op: "conv2d", attrs: conv(dict{"kernel_size": "(" + maxInt + ",3)", "dilation": "(4096,1)"}), in: []s{{1, 4, 5, 5}, {6, 4, 3}}, part: "kernel_size"},
		{op: "conv2d", attrs: conv(dict{"kernel_size": "(0,3)"}), in: []s{{1, 4, 5, 5}, {6, 4, 3}}, part: "kernel_size"},
		{op: "conv2d", attrs: conv(dict{"groups": "2"}), in: []s{{1, 4, 5, 5}, {6, 2, 3, 3}}, out: []s{{1, 6, 3, 3}}},
		{op: "conv2d", attrs: conv(dict{"groups": "2"}), in: []s{{1, 4, 5, 5}, {6, 4, 3, 3}}, part: "weight"},
		{op: "conv2d", attrs: conv(dict{"groups": "3"}), in: []s{{1, 4, 5, 5}, {6, 2, 3, 3}}, part: "groups"},
		{op: "conv2d", attrs: conv(dict{"groups": "-2147483648"}), in: []s{{1, 4, 5, 5}, {6, 2, 3, 3}}, part: "groups"},
		{op: "conv2d", attrs: conv(dict{}), in: []s{{1, 4, 5, 5}, {6, 4, 3, 2}}, part: "weight"},
		{op: "conv2d", attrs: conv(dict{"channels": "0"}), in: []s{{1, 4, 5, 5}, {6, 4, 3, 3}}, part: "output", stage: fault.Limits},
		{op: "conv2d", attrs: conv(dict{"channels": "-6"}), in: []s{{1, 4, 5, 5}, {6, 4, 3, 3}}, part: "output", stage: fault.Limits},
		{op: "conv2d", attrs: conv(dict{"channels": "-6", "use_bias": "1"}), in: []s{{1, 4, 5, 5}, {6, 4, 3, 3}, {6}}, part: "bias", class: fault.Runtime},
		{op: "conv2d", attrs: conv(dict{"channels": "0", "use_bias": "1"}), in: []s{{1, 4, 5, 5}, {6, 4, 3, 3}, {6}}, part: "output", stage: fault.Limits},
		{op: "conv2d", attrs: conv(dict{"use_bias": "1"}), in: []s{{1, 4, 5, 5}, {6, 4, 3, 3}, {1, 6}}, part: "bias", class: fault.Runtime},
		{op: "conv2d", attrs: conv(dict{"use_bias": "1"}), in: []s{{1, 4, 5, 5}, {6, 4, 3, 2}, {5}}, part: "bias", class: fault.Runtime},
		{op: "conv2d", attrs: conv(dict{"use_bias": "1", "groups": "0"}), in: []s{{1, 4, 5, 5}, {6, 4, 3, 3}, {5}}, part: "groups"},
		{op: "conv2d", attrs: conv(dict{"kernel_layout": "HWIO"}), in: []s{{1, 4, 5, 5}, {6, 4, 3, 3}}, part: "kernel_layout"},
		{op: "conv2d", attrs: conv(dict{"out_dtype": "int32"}), in: []s{{1, 4, 5, 5}, {6, 4, 3, 3}}, out: []s{{1, 6, 3, 3}}},
		{op: "conv2d", attrs: conv(dict{"out_dtype": "int8"}), in: []s{{1, 4, 5, 5}, {6, 4, 3, 3}}, part: "out_dtype"},
		{op: "conv2d", attrs: conv(dict{"out_layout": "NCHW"}), in: []s{{1, 4, 5, 5}, {6, 4, 3, 3}}, out: []s{{1, 6, 3, 3}}},
		{op: "conv2d", attrs: conv(dict{"out_layout": "NHWC"}), in: []s{{1, 4, 5, 5}, {6, 4, 3, 3}}, part: "out_layout"},
		{op: "conv2d", attrs: conv(dict{"out_layout": "NCHW16c"}), in: []s{{1, 4, 5, 5}, {6, 4, 3, 3}}, part: "out_layout"},
		{op: "conv2d", attrs: conv(dict{"out_layout": ""}), in: []s{{1, 4, 5, 5}, {6, 4, 3, 3}}, part: "out_layout", class: fault.Runtime},
		{op: "conv2d", attrs: conv(dict{"out_layout": "nchw"}), in: []s{{1, 4, 5, 5}, {6, 4, 3, 3}}, part: "out_layout", class: fault.Runtime},
		{op: "conv2d", attrs: conv(dict{"out_layout": "NCHH"}), in: []s{{1, 4, 5, 5}, {6, 4, 3, 3}}, part: "out_layout", class: fault.Runtime},
		{op: "conv2d", attrs: conv(dict{"out_layout": "N16c"}), in: []s{{1, 4, 5, 5}, {6, 4, 3, 3}}, part: "out_layout", class: fault.Runtime},

		{op: "dense", attrs: dict{"units": "4", "use_bias": "0"}, in: []s{{2, 3}, {4, 3}}, out: []s{{2, 4}}},
		{op: "dense", attrs: dict{"units": "4", "use_bias": "0"}, in: []s{{2, 3}, {4, 2}}, part: "weight", class: fault.Runtime},
		{op: "dense", attrs: dict{"units": "4"}, in: []s{{2, 3}, {4, 3}, {1, 4}}, part: "bias", class: fault.Runtime},
		{op: "dense", attrs: dict{"units": "4"}, in: []s{{2, 3}, {4}, {4}}, part: "weight"},

		{op: "max_pool2d", attrs: dict{"pool_size": "(2,2)", "padding": "1"}, in: []s{{1, 1, 4, 4}}, out: []s{{1, 1, 5, 5}}},
		{op: "max_pool2d", attrs: dict{"pool_size": "(6,6)", "padding": "(1,1)"}, in: []s{{1, 1, 4, 4}}, out: []s{{1, 1, 1, 1}}},
		{op: "max_pool2d", attrs: dict{"pool_size": "(7,6)", "padding": "(1,1)"}, in: []s{{1, 1, 4, 4}}, part: "pool_size"},
		{op: "max_pool2d", attrs: dict{"pool_size": "(2,2)", "padding": "(1,2)"}, in: []s{{1, 1, 4, 4}}, part: "pool_size"},
		{op: "max_pool2d", attrs: dict{"pool_size": "(2,2)", "padding": "(1,1,1,1)"}, in: []s{{1, 1, 4, 4}}, part: "padding"},
		{op: "max_pool2d", attrs: dict{"pool_size": "(" + maxInt + ",2)"}, in: []s{{1, 1, 4, 4}}, part: "pool_size"},
		{op: "max_pool2d", attrs: dict{"pool_size": "(2,2)", "strides": "(3,3)"}, in: []s{{1, 1, 6, 6}}, out: []s{{1, 1, 2, 2}}},
		{op: "max_pool2d", attrs: dict{"pool_size": "(2,2)", "strides": "(3,3)", "ceil_mode": "1"}, in: []s{{1, 1, 6, 6}}, part: "ceil_mode"},
		{op: "max_pool2d", attrs: dict{"pool_size": "(2,2)", "strides": "(3,3)", "ceil_mode": "1"}, in: []s{{1, 1, 7, 7}}, out: []s{{1, 1, 3, 3}}},

		{op: "upsampling", attrs: dict{"scale": "4096"}, in: []s{{1, 1, 1, 4096}}, out: []s{{1, 1, 4096, 1 << 24}}, part: "output", stage: fault.Limits},
		{op: "upsampling", attrs: dict{"scale": "4097"}, in: []s{{1, 1, 1, 1}}, part: "scale"},
		{op: "upsampling", attrs: dict{"scale": "-2147483648"}, in: []s{{1, 1, 1, 1}}, part: "scale"},

		{op: "repeat", attrs: dict{"repeats": "2147483647"}, in: []s{{1 << 24}}, part: "output", stage: fault.Limits},
		{op: "repeat", attrs: dict{"repeats": "0"}, in: []s{{1}}, part: "repeats"},
		{op: "repeat", attrs: dict{"repeats": "3", "axis": "-1"}, in: []s{{2, 3}}, out: []s{{2, 9}}},
		{op: "repeat", attrs: dict{"repeats": "3", "axis": "-2147483648"}, in: []s{{2, 3}}, part: "axis"},
		{op: "tile", attrs: dict{"reps": "(2,1,3)"}, in: []s{{2, 3}}, out: []s{{2, 2, 9}}},
		{op: "tile", attrs: dict{"reps": "3"}, in: []s{{2, 3}}, out: []s{{2, 9}}},
		{op: "tile", attrs: dict{"reps": "(1,1,1,1,1,1,1)"}, in: []s{{2, 3}}, part: "output", stage: fault.Limits},
		{op: "tile", attrs: dict{"reps": "(" + strings.Repeat("4096,", 50000) + ")"}, in: []s{{2}}, part: "output", stage: fault.Limits},
		{op: "tile", attrs: dict{"reps": maxInt}, in: []s{{2, 3}}, part: "reps"},

		{op: "flatten", in: []s{{7}}, out: []s{{7, 1}}},
		{op: "flatten", in: []s{{1, 1 << 13, 1 << 13}}, part: "output", stage: fault.Limits},
		{op: "concatenate", stage: fault.Shape, part: "data"},
		{op: "concatenate", attrs: dict{"axis": "-1"}, in: []s{{2, 3}}, out: []s{{2, 3}}},
		{op: "concatenate", attrs: dict{"axis": "0"}, in: []s{{1 << 24}, {1}}, part: "output", stage: fault.Limits},
		{op: "concatenate", attrs: dict{"axis": "0"}, in: []s{{2, 3}, {1, 3}, {4, 2}}, part: "data[2]"},
		{op: "concatenate", attrs: dict{"axis": "2147483647"}, in: []s{{2, 3}}, part: "axis"},
		{op: "transpose", attrs: dict{"axes": "(-1,0,1)"}, in: []s{{2, 3, 4}}, out: []s{{4, 2, 3}}},
		{op: "transpose", attrs: dict{"axes": "(1,-2,0)"}, in: []s{{2, 3, 4}}, part: "axes"},
		{op: "transpose", attrs: dict{"axes": "(0,1)"}, in: []s{{2, 3, 4}}, part: "axes"},

		{op: "strided_slice", in: []s{{5, 3}}, out: []s{{1, 3}}},
		{op: "strided_slice", attrs: dict{"begin": "(1,0,9)", "end": "(4,3,0)", "stride": "(2,1,0)"}, in: []s{{5, 3}}, out: []s{{2, 3}}},
		{op: "strided_slice", attrs: dict{"begin": minInt, "end": maxInt}, in: []s{{5}}, out: []s{{5}}},
		{op: "strided_slice", attrs: dict{"begin": maxInt, "end": minInt, "stride": "-1"}, in: []s{{5}}, out: []s{{5}}},
		{op: "strided_slice", attrs: dict{"begin": "4", "end": "-6", "stride": "-2"}, in: []s{{5}}, out: []s{{3}}},
		{op: "strided_slice", attrs: dict{"begin": "4", "end": "-1", "stride": "-2"}, in: []s{{5}}, part: "end"},
		{op: "strided_slice", attrs: dict{"begin": "0", "end": "5", "stride": maxInt}, in: []s{{5}}, out: []s{{1}}},
		{op: "strided_slice", attrs: dict{"begin": "4", "end": "0", "stride": minInt}, in: []s{{5}}, out: []s{{1}}},
		{op: "strided_slice", attrs: dict{"begin": "()", "end": "()"}, in: []s{{5}}, out: []s{{5}}},
		{op: "strided_slice", attrs: dict{"stride": "0"}, in: []s{{5}}, part: "stride"},
		{op: "slice_like", attrs: dict{"axis": "(-1,1)"}, in: []s{{4, 5}, {9, 2}}, out: []s{{4, 2}}},
		{op: "slice_like", attrs: dict{"axis": "(-2147483648)"}, in: []s{{4, 5}, {9, 2}}, part: "axis"},
		{op: "slice_like", in: []s{{4, 5}, {4}}, part: "shape_like"},
		{op: "take", attrs: dict{"axis": "-1"}, in: []s{{4, 5}, {2, 3}}, out: []s{{4, 2, 3}}},
		{op: "take", in: []s{{4, 5}, {2, 3}}, out: []s{{2, 3}}},
		{op: "take", attrs: dict{"axis": "2"}, in: []s{{4, 5}, {2, 3}}, part: "axis"},
		{op: "take", attrs: dict{"axis": "0"}, in: []s{{1, 1, 1, 1, 1, 1}, {1, 1}}, part: "output", stage: fault.Limits},
		{op: "cvm_lut", attrs: dict{"in_dim": "6"}, in: []s{{9}, {2, 3}}, out: []s{{9}}},
		{op: "cvm_lut", attrs: dict{"in_dim": "-6"}, in: []s{{9}, {2, 3}}, part: "in_dim"},
		{op: "expand_dims", attrs: dict{"axis": "-3", "num_newaxis": "2"}, in: []s{{4, 5}}, out: []s{{1, 1, 4, 5}}},
		{op: "expand_dims", attrs: dict{"axis": "2"}, in: []s{{4, 5}}, out: []s{{4, 5, 1}}},
		{op: "expand_dims", attrs: dict{"axis": "3"}, in: []s{{4, 5}}, part: "axis"},
		{op: "expand_dims", attrs: dict{"axis": "0", "num_newaxis": "4097"}, in: []s{{4, 5}}, part: "num_newaxis"},
		{op: "expand_dims", attrs: dict{"axis": "0", "num_newaxis": "4096"}, in: []s{{4, 5}}, part: "output", stage: fault.Limits},
		{op: "squeeze", in: []s{{1, 1}}, out: []s{{1}}},
		{op: "squeeze", in: []s{{2, 1, 3}}, out: []s{{2, 3}}},
		{op: "squeeze", attrs: dict{"axis": "(-1,0,0)"}, in: []s{{1, 1, 1}}, out: []s{{1}}},
		{op: "squeeze", attrs: dict{"axis": minInt}, in: []s{{1}}, part: "axis"},
		{op: "where", in: []s{{2}, {2, 3}, {2, 3}}, out: []s{{2, 3}}},
		{op: "where", in: []s{{1}, {2, 3}, {2, 3}}, part: "condition"},
		{op: "where", in: []s{{2, 3}, {2, 3}, {3}}, part: "y"},

		{op: "reshape", attrs: dict{"shape": "(-2)"}, in: []s{{2, 3, 4}}, out: []s{{2, 3, 4}}},
		{op: "reshape", attrs: dict{"shape": "(0,-3)"}, in: []s{{2, 3, 4}}, out: []s{{2, 12}}},
		{op: "reshape", attrs: dict{"shape": "(-3,-3)"}, in: []s{{2, 3, 4}}, part: "shape"},
		{op: "reshape", attrs: dict{"shape": "(-4,1,-1,-2)"}, in: []s{{2, 3, 4}}, out: []s{{1, 2, 3, 4}}},
		{op: "reshape", attrs: dict{"shape": "(-4,-1,2,-2)"}, in: []s{{2, 3, 4}}, out: []s{{1, 2, 3, 4}}},
		{op: "reshape", attrs: dict{"shape": "(-4,-1,-1,-2)"}, in: []s{{2, 3, 4}}, part: "shape"},
		{op: "reshape", attrs: dict{"shape": "(-4,-1,0,-2)"}, in: []s{{2, 3, 4}}, part: "shape"},
		{op: "reshape", attrs: dict{"shape": "(-4,-1,-2,-2)"}, in: []s{{2, 3, 4}}, part: "shape"},
		{op: "reshape", attrs: dict{"shape": "(-4,-2,-1,-2)"}, in: []s{{2, 3, 4}}, part: "shape"},
		{op: "reshape", attrs: dict{"shape": "(-4,4294967297,2,-2)"}, in: []s{{2, 3, 4}}, part: "shape"},
		{op: "reshape", attrs: dict{"shape": "(65536,65536,-1)"}, in: []s{{2, 3, 4}}, part: "shape"},
		{op: "reshape", attrs: dict{"shape": "(" + maxInt + "," + maxInt + ")"}, in: []s{{1}}, part: "shape"},
		{op: "reshape", attrs: dict{"shape": "(24," + minInt + ",-5)"}, in: []s{{2, 3, 4}}, out: []s{{24}}},
		{op: "reshape", attrs: dict{"shape": "(-5)"}, in: []s{{1}}, part: "output", stage: fault.Limits},
		{op: "reshape", attrs: dict{"shape": "(1048576,-1)"}, in: []s{{million}}, out: []s{{million, 1}}},
		{op: "reshape", attrs: dict{"shape": "(1," + strings.Repeat("-5,", 50000) + ")"}, in: []s{{1}}, out: []s{{1}}},
		// The place of -1 is that in the attribute.
		{op: "reshape", attrs: dict{"shape": "(2,-2,-1)"}, in: []s{{4, 6}}, out: []s{{2, 6, 2}}},
		{op: "reshape", attrs: dict{"shape": "(2,-2,-1)"}, in: []s{{4, 6, 1}}, out: []s{{2, 6, 2, 1}}},
		{op: "reshape", attrs: dict{"shape": "(2,-2,-1)"}, in: []s{{4, 1, 6}}, part: "shape"},
		{op: "reshape", attrs: dict{"shape": "(-4,1,2,-1)"}, in: []s{{2}}, out: []s{{1, 2, 1}}},
		{op: "reshape", attrs: dict{"shape": "(-4,1,2,-1)"}, in: []s{{2, 3}}, part: "shape"},

		{op: "get_valid_counts", in: []s{{2, 3, 31}}, out: []s{{2}, {2, 3, 31}}},
		{op: "get_valid_counts", in: []s{{2, 3, 32}}, part: "data"},
		{op: "non_max_suppression", in: []s{{2, 3, 6}, {2}}, out: []s{{2, 3, 6}}},
		{op: "non_max_suppression", in: []s{{2, 3, 6}, {3}}, part: "valid_count"},
		{op: "non_max_suppression", in: []s{{2, 3, 5}, {2}}, part: "data"},
		{op: "non_max_suppression", attrs: dict{"iou_threshold": "0"}, in: []s{{2, 3, 6}, {2}}, part: "iou_threshold"},
		{op: "non_max_suppression", attrs: dict{"id_index": "1"}, in: []s{{2, 3, 6}, {2}}, part: "id_index"},
	} {
		got, err := call(t, c.op, c.attrs, c.in...)
		if c.part == "" && c.stage == "" {
			if err != nil || !reflect.DeepEqual(got.Out, c.out) {
				t.Errorf("%s %v of %v is %v, %v; want %v", c.op, c.attrs, c.in, got.Out, err, c.out)
			}
			continue
		}
		if err == nil {
			t.Errorf("%s %v of %v is %v; want an error", c.op, c.attrs, c.in, got.Out)
			continue
		}
		class, stage := c.class, c.stage
		if class == fault.OK {
			class = fault.Logic
		}
		if stage == "" {
			stage = fault.Shape
		}
		isFault(t, err, class, stage, c.part)
	}
}

// conv adds what conv2d needs.
func conv(attrs dict) dict {
	all := dict{"channels": "6", "kernel_size": "(3,3)", "use_bias": "0"}
	for k, v := range attrs {
		all[k] = v
	}
	return all
}

// TestPrecisions has the bounds of the rules of precisions, and where strict and deployed rules differ.
func TestPrecisions(t *testing.T) {
	for _, c := range []struct {
		op     string
		attrs  dict
		compat bool
		in     []operators.Tensor
		out    []int
		part   string
		class  fault.Class
	}{
		{op: "where", in: []operators.Tensor{{s{2}, 1}, {s{2}, 9}, {s{2}, 7}}, out: []int{9}},
		{op: "where", compat: true, in: []operators.Tensor{{s{2}, 1}, {s{2}, 9}, {s{2}, 7}}, out: []int{1}},
		{op: "sum", in: []operators.Tensor{{s{2, 4}, 8}}, out: []int{12}},
		{op: "sum", attrs: dict{"axis": "(0,1)", "exclude": "1"}, in: []operators.Tensor{{s{2, 4}, 8}}, out: []int{9}},
		{op: "conv2d", attrs: conv(dict{}), in: []operators.Tensor{{s{1, 4, 3, 3}, 8}, {s{6, 4, 3, 3}, 8}}, out: []int{22}},
		{op: "conv2d", attrs: conv(dict{"use_bias": "1"}), in: []operators.Tensor{{s{1, 4, 3, 3}, 1}, {s{6, 4, 3, 3}, 1}, {s{6}, 30}}, out: []int{31}},
		{op: "conv2d", attrs: conv(dict{}), in: []operators.Tensor{{s{1, 4, 3, 3}, 8}, {s{6, 4, 3, 3}, 9}}, part: "weight"},
		{op: "conv2d", attrs: conv(dict{}), in: []operators.Tensor{{s{1, 4, 3, 3}, 8}, {s{6, 4, 9}, 8}}, part: "weight"},
		{op: "dense", attrs: dict{"units": "2", "use_bias": "0"}, in: []operators.Tensor{{s{2, 1 << 15}, 8}, {s{2, 1 << 15}, 8}}, out: []int{32}},
		{op: "dense", attrs: dict{"units": "2", "use_bias": "0"}, in: []operators.Tensor{{s{2, 3}, 9}, {s{2, 3}, 8}}, part: "data"},
		{op: "clip", attrs: dict{"a_min": "-126", "a_max": "5"}, in: []operators.Tensor{{s{2}, 32}}, out: []int{8}},
		{op: "clip", attrs: dict{"a_min": "5", "a_max": "127"}, in: []operators.Tensor{{s{2}, 32}}, out: []int{9}},
		{op: "clip", attrs: dict{"a_min": "-2147483646", "a_max": "2147483646"}, in: []operators.Tensor{{s{2}, 32}}, out: []int{32}},
		{op: "clip", attrs: dict{"a_min": "-2147483647", "a_max": "0"}, in: []operators.Tensor{{s{2}, 32}}, part: "output 0"},
		{op: "clip", attrs: dict{"a_min": "-2147483648", "a_max": "0"}, in: []operators.Tensor{{s{2}, 32}}, part: "a_min"},
		{op: "clip", attrs: dict{"a_min": "0", "a_max": "-2147483648"}, in: []operators.Tensor{{s{2}, 32}}, part: "a_max"},
		{op: "clip", attrs: dict{"a_min": "0", "a_max": "0"}, in: []operators.Tensor{{s{2}, 32}}, part: "a_min"},
		{op: "cvm_clip", attrs: dict{"precision": "1"}, in: []operators.Tensor{{s{2}, 32}}, out: []int{1}},
		{op: "cvm_clip", attrs: dict{"precision": "0"}, in: []operators.Tensor{{s{2}, 32}}, part: "precision"},
		{op: "cvm_right_shift", attrs: dict{"precision": "32", "shift_bit": "32"}, in: []operators.Tensor{{s{2}, 32}}, out: []int{32}},
		{op: "cvm_right_shift", attrs: dict{"precision": "32", "shift_bit": "-2147483648"}, in: []operators.Tensor{{s{2}, 32}}, part: "shift_bit"},
		{op: "cvm_left_shift", attrs: dict{"precision": "4", "shift_bit": "24"}, in: []operators.Tensor{{s{2}, 8}}, out: []int{4}},
		{op: "cvm_left_shift", attrs: dict{"precision": "4", "shift_bit": "25"}, in: []operators.Tensor{{s{2}, 8}}, part: "shift_bit", class: fault.Runtime},
		{op: "cvm_left_shift", attrs: dict{"precision": "4", "shift_bit": "33"}, in: []operators.Tensor{{s{2}, 8}}, part: "shift_bit"},
		{op: "get_valid_counts", in: []operators.Tensor{{s{9, 21, 3}, 8}}, out: []int{8, 8}},
		{op: "get_valid_counts", in: []operators.Tensor{{s{9, 31, 2}, 8}}, out: []int{7, 8}},
		{op: "concatenate", attrs: dict{"axis": "0"}, in: []operators.Tensor{{s{1}, 3}, {s{1}, 5}, {s{1}, 4}}, out: []int{5}},
		{op: "cvm_lut", attrs: dict{"in_dim": "3"}, in: []operators.Tensor{{s{2}, 3}, {s{3}, 5}}, out: []int{5}},
		{op: "broadcast_mul", in: []operators.Tensor{{s{2}, 3}, {s{2}, 5}}, out: []int{8}},
		{op: "broadcast_greater", in: []operators.Tensor{{s{2}, 1}, {s{2}, 5}}, out: []int{1}},
	} {
		o, _ := operators.Lookup(c.op)
		attrs, err := o.ParseAttrs(c.attrs)
		if err != nil {
			t.Fatal(err)
		}
		call := &operators.Call{Operator: o, Attrs: attrs, In: c.in, Compat: c.compat}
		if call.Out, err = o.Shapes(call); err != nil {
			t.Errorf("%s %v: %v", c.op, c.attrs, err)
			continue
		}
		got, err := o.Precisions(call)
		if c.part == "" {
			if err != nil || !slices.Equal(got, c.out) {
				t.Errorf("%s %v of %v has precision %v, %v; want %v", c.op, c.attrs, c.in, got, err, c.out)
			}
			continue
		}
		class := c.class
		if class == fault.OK {
			class = fault.Logic
		}
		isFault(t, err, class, fault.Precision, c.part)
	}
}

// lowered adds a call with operands of int32 to a graph, and returns the results.
func lowered(t *testing.T, c *operators.Call) []*graph.Value {
	t.Helper()
	b := graph.NewBuilder(op.Rules, "test")
	a := &operators.Application{Emitter: &emit.Emitter{Target: b}, Call: c}
	for i, in := range c.In {
		d := tensor.Int32
		if i < 2 && strings.Contains(c.Operator.Operands, "weight") {
			d = tensor.Int8 // of which alone there are products
		}
		v, err := b.Input(fmt.Sprint("in", i), graph.Type{DType: d, Shape: in.Shape})
		if err != nil {
			t.Fatal(err)
		}
		a.Args, a.ArgBits = append(a.Args, v), append(a.ArgBits, in.Precision)
	}
	for range c.Out {
		a.Want = append(a.Want, tensor.Int32)
	}
	out := c.Operator.Lower(a)
	if a.Err != nil {
		t.Fatalf("%s %v of %v: %v", c.Operator.Name, c.Attrs, c.In, a.Err)
	}
	for k, v := range out {
		if !v.Type.Shape.Equal(c.Out[k]) {
			t.Fatalf("%s %v of %v: output %d is %v in the graph, and %v by the rule", c.Operator.Name, c.Attrs, c.In, k, v.Type.Shape, c.Out[k])
		}
	}
	return out
}

// TestLowered has what attributes become of the nodes that operators are lowered to, and which nodes these are.
func TestLowered(t *testing.T) {
	for _, c := range []struct {
		op    string
		attrs dict
		in    []s
		want  string // the last node with its attributes
	}{
		{"sum", dict{"axis": "(-1,0)", "keepdims": "1"}, []s{{2, 3, 4}}, "sum_reduce[axes=[0 2] normalize=false]"},
		{"max", dict{"axis": "(-1,0)"}, []s{{2, 3, 4}}, "reshape"},
		{"sum", dict{"axis": "(1,0)", "exclude": "1"}, []s{{2, 3}}, ""},
		{"strided_slice", dict{"begin": "(9,-2)", "end": "(-9,3)", "stride": "(-2)"}, []s{{5, 3, 2}},
			"slice[axes=[0 1 2] begin=[4 1 0] end=[-6 3 2] stride=[-2 1 1]]"},
		{"concatenate", dict{"axis": "-1"}, []s{{2, 3}, {2, 3}}, "concat[axis=1]"},
		{"repeat", dict{"axis": "-2", "repeats": "1"}, []s{{2, 3}}, "reshape"},
		{"expand_dims", dict{"axis": "-1"}, []s{{2, 3}}, "unsqueeze[axes=[2]]"},
		{"expand_dims", dict{"axis": "-3"}, []s{{2, 3}}, "unsqueeze[axes=[0]]"},
		{"take", dict{"axis": "-1"}, []s{{2, 3}, {1}}, "gather[axis=1 negative=false]"},
		{"take", nil, []s{{2, 3}, {1}}, "lookup"},
		{"transpose", dict{"axes": "(-1,0,1)"}, []s{{2, 3, 4}}, "transpose[axes=[2 0 1]]"},
		{"tile", dict{"reps": "2"}, []s{{2, 3}}, "tile[repeats=[1 2]]"},
		{"tile", dict{"reps": "(2,3,4)"}, []s{{5}}, "tile[repeats=[2 3 4]]"},
		{"broadcast_add", nil, []s{{3}, {2, 3}}, "add"},
		{"where", nil, []s{{2}, {2, 3, 4}, {2, 3, 4}}, "select"},
		{"max_pool2d", dict{"pool_size": "(2,2)", "strides": "(3,3)", "padding": "1", "ceil_mode": "1"}, []s{{1, 1, 6, 6}}, "max_pool"},
	} {
		call, err := call(t, c.op, c.attrs, c.in...)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if n := lowered(t, call)[0].Producer; n != nil {
			got = n.Op
			var attrs []string
			for _, a := range n.Attrs {
				attrs = append(attrs, fmt.Sprintf("%s=%v", a.Name, a.Value))
			}
			if strings.Contains(c.want, "[") {
				got += "[" + strings.Join(attrs, " ") + "]"
			}
		}
		if got != c.want {
			t.Errorf("%s %v of %v is %s; want %s", c.op, c.attrs, c.in, got, c.want)
		}
	}
	if operators.Bound(1) != 0 || operators.Bound(8) != 127 || operators.Bound(32) != math.MaxInt32 {
		t.Error("Bound is wrong")
	}
}

// TestWindows lowers random windows: what the rules of CVM and those of package op say of their extents is the same.
func TestWindows(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	accepted := 0
	for range 4000 {
		n := s{1, 1, 1 + r.IntN(12), 1 + r.IntN(12)}
		two := func(least, n int) []int { return []int{least + r.IntN(n), least + r.IntN(n)} }
		c := &operators.Call{In: []operators.Tensor{{Shape: n, Precision: 8}}}
		if r.IntN(2) == 0 {
			size := two(1, 4)
			c.Operator, _ = operators.Lookup("conv2d")
			c.Attrs, _ = c.Operator.ParseAttrs(conv(dict{"channels": "1"}))
			c.Attrs = c.Attrs.With("kernel_size", size).With("dilation", two(1, 3))
			c.In = append(c.In, operators.Tensor{Shape: s{1, 1, size[0], size[1]}, Precision: 8})
		} else {
			c.Operator, _ = operators.Lookup("max_pool2d")
			c.Attrs, _ = c.Operator.ParseAttrs(dict{"pool_size": "()"})
			c.Attrs = c.Attrs.With("pool_size", two(1, 4)).With("ceil_mode", r.IntN(2) == 0)
		}
		c.Attrs = c.Attrs.With("padding", two(0, 3)).With("strides", two(1, 4))
		var err error
		if c.Out, err = c.Operator.Shapes(c); err == nil {
			accepted++
			lowered(t, c)
		}
	}
	if accepted < 1000 {
		t.Errorf("only %d of the calls are legal", accepted)
	}
}

// TestHostileCalls infers shapes and precisions for random attributes and operands.
func TestHostileCalls(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	accepted := map[string]int{}
	for range 3000 {
		for _, o := range operators.All() {
			c := &operators.Call{Operator: o, Attrs: randomValues(r, o), Compat: r.IntN(2) == 0}
			for range r.IntN(4) {
				c.In = append(c.In, operators.Tensor{Shape: randomShape(r), Precision: 1 + r.IntN(32)})
			}
			if checkCall(t, c) {
				accepted[o.Name]++
			}
		}
	}
	for _, o := range operators.All() {
		if rare := []string{"conv2d", "dense", "max_pool2d", "non_max_suppression"}; accepted[o.Name] == 0 && !slices.Contains(rare, o.Name) {
			t.Errorf("no call of %s was legal", o.Name)
		}
	}
}

func randomShape(r *rand.Rand) s {
	shape := make(s, r.IntN(6)+r.IntN(2)*r.IntN(3))
	for i := range shape {
		shape[i] = 1 + r.IntN(1+r.IntN(6))
		if r.IntN(60) == 0 {
			shape[i] = []int{0, -1, 1 << 24, 1<<24 + 1, 1 << 30, math.MaxInt, math.MinInt}[r.IntN(7)]
		}
	}
	return shape
}

// checkCall infers shapes and precisions and checks that they are within the limits, or that what is wrong is told. It reports
// whether the call is legal.
func checkCall(t *testing.T, c *operators.Call) bool {
	t.Helper()
	known := func(err error, stages ...fault.Stage) {
		var e *fault.Error
		if !errors.As(err, &e) || !slices.Contains(stages, e.Stage) || e.Class == fault.OK || e.Msg == "" {
			t.Fatalf("%s %v of %v: %#v", c.Operator.Name, c.Attrs, c.In, err)
		}
	}
	var err error
	if c.Out, err = c.Operator.Shapes(c); err != nil {
		known(err, fault.NumInputs, fault.Limits, fault.Shape)
		return false
	}
	if len(c.Out) != c.Operator.Outputs {
		t.Fatalf("%s has %d outputs, not %d", c.Operator.Name, len(c.Out), c.Operator.Outputs)
	}
	for _, out := range c.Out {
		if err := operators.CheckShape(out); err != nil {
			t.Fatalf("%s %v of %v: %v", c.Operator.Name, c.Attrs, c.In, err)
		}
	}
	p, err := c.Operator.Precisions(c)
	if err != nil {
		known(err, fault.Precision)
		return false
	}
	if len(p) != len(c.Out) || slices.Min(p) < 1 || slices.Max(p) > operators.MaxPrecision {
		t.Fatalf("%s %v of %v has the precisions %v", c.Operator.Name, c.Attrs, c.In, p)
	}
	if c.Operator.Base(c) < 1 {
		t.Fatalf("%s %v of %v has a base of %d", c.Operator.Name, c.Attrs, c.In, c.Operator.Base(c))
	}
	return true
}

// FuzzShapes infers shapes and precisions for attributes and operands made of bytes: eight for each number.
func FuzzShapes(f *testing.F) {
	for i := range operators.All() {
		f.Add(uint8(i), uint64(i), []byte{2, 4, 1, 0, 0, 0, 0, 0, 0, 0, 8, 3})
	}
	f.Fuzz(func(t *testing.T, op uint8, seed uint64, data []byte) {
		o := operators.All()[int(op)%len(operators.All())]
		c := &operators.Call{Operator: o, Attrs: randomValues(rand.New(rand.NewPCG(seed, 0)), o)}
		next := func(width int) uint64 {
			var b [8]byte
			data = data[copy(b[:width], data):]
			return binary.LittleEndian.Uint64(b[:])
		}
		for range next(1) % 5 {
			in := operators.Tensor{Shape: make(s, next(1)%9), Precision: 1 + int(next(1)%32)}
			for i := range in.Shape {
				in.Shape[i] = int(next([]int{1, 1, 1, 1, 1, 1, 3, 8}[next(1)%8]))
			}
			c.In = append(c.In, in)
		}
		checkCall(t, c)
	})
}
