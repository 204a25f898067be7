package webnn_test

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
	"github.com/concord-nn/concord/webnn"
)

// call is a call of a method and what comes of it. Operands are written by their types, such as "float32[2,3]": each is an
// input of its own.
type call struct {
	args    []any
	options webnn.Options
	want    string // the types of the results, or "!" and the rule by which the call is rejected
}

var operandText = regexp.MustCompile(`^(u?int\d+|float\d+)\[([\d,]*)\]$`)

// callBuilder makes the operands of calls.
type callBuilder struct {
	*webnn.GraphBuilder
	t      *testing.T
	inputs map[string]*webnn.Operand
}

func newCallBuilder(t *testing.T) *callBuilder {
	t.Helper()
	c, err := webnn.ML{}.CreateContext(nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Destroy)
	b, err := webnn.NewGraphBuilder(c)
	if err != nil {
		t.Fatal(err)
	}
	return &callBuilder{b, t, make(map[string]*webnn.Operand)}
}

// operandList is an argument that is a list of operands, written by their types.
type operandList []string

// value returns a new input for text that names its type, a list of them for a list, and anything else as it is.
func (b *callBuilder) value(v any) any {
	b.t.Helper()
	if list, ok := v.(operandList); ok {
		operands := make([]*webnn.Operand, len(list))
		for i, s := range list {
			operands[i] = b.value(s).(*webnn.Operand)
		}
		return operands
	}
	s, ok := v.(string)
	if !ok || !operandText.MatchString(s) {
		return v
	}
	d, shape := parseType(s)
	name := fmt.Sprint("x", len(b.inputs))
	o, err := b.Input(name, webnn.OperandDescriptor{DataType: d, Shape: shape})
	if err != nil {
		b.t.Fatal(err)
	}
	b.inputs[name] = o
	return o
}

// parseType reads text that operandText matches.
func parseType(text string) (tensor.DType, tensor.Shape) {
	m := operandText.FindStringSubmatch(text)
	d, err := tensor.ParseDType(m[1])
	if err != nil {
		panic(err)
	}
	shape := tensor.Shape{}
	for _, extent := range strings.FieldsFunc(m[2], func(r rune) bool { return r == ',' }) {
		n, err := strconv.Atoi(extent)
		if err != nil {
			panic(err)
		}
		shape = append(shape, n)
	}
	return d, shape
}

// make calls the method.
func (b *callBuilder) make(method string, c call) ([]*webnn.Operand, error) {
	b.t.Helper()
	args, options := make([]any, len(c.args)), webnn.Options{"label": "here"}
	for i, v := range c.args {
		args[i] = b.value(v)
	}
	for name, v := range c.options {
		options[name] = b.value(v)
	}
	return b.Call(method, args, options)
}

// typesOf writes the types of operands.
func typesOf(operands []*webnn.Operand) string {
	list := make([]string, len(operands))
	for i, o := range operands {
		list[i] = o.DataType().String() + o.Shape().String()
	}
	return strings.Join(list, " ")
}

// checkCalls makes calls of a method and compares what comes of them.
func checkCalls(t *testing.T, calls map[string][]call) {
	for method, list := range calls {
		t.Run(method, func(t *testing.T) {
			for _, c := range list {
				b := newCallBuilder(t)
				out, err := b.make(method, c)
				if rule, rejected := strings.CutPrefix(c.want, "!"); rejected {
					var e *webnn.Error
					if !errors.As(err, &e) || e.Rule != method+"."+rule || e.Name != webnn.TypeError || !strings.Contains(err.Error(), "[here]") {
						t.Errorf("%v %v: %v; want a TypeError by rule %s", c.args, c.options, err, rule)
					}
					continue
				}
				if err != nil {
					t.Errorf("%v %v: %v", c.args, c.options, err)
				} else if got := typesOf(out); got != c.want {
					t.Errorf("%v %v: %s; want %s", c.args, c.options, got, c.want)
				}
			}
		})
	}
}

// run evaluates operands y0, y1, … on the operators' references, with random inputs x0, x1, …, and checks the types of what
// comes out. It returns nothing if some are large.
func (b *callBuilder) run(seed uint64, operands []*webnn.Operand) (results, inputs map[string]*tensor.Tensor) {
	b.t.Helper()
	r := op.NewRand(seed, 4)
	inputs = make(map[string]*tensor.Tensor)
	for name, o := range b.inputs {
		inputs[name] = r.Tensor(o.DataType(), o.Shape())
	}
	outputs := make(webnn.NamedOperands)
	for i, o := range operands {
		if o.Shape().Len() > 1<<16 {
			return nil, nil
		}
		outputs[fmt.Sprint("y", i)] = o
	}
	g, err := b.Network(outputs)
	if err != nil {
		b.t.Fatal(err)
	}
	results = interpret(b.t, g, inputs)
	for name, o := range outputs {
		if y := results[name]; y.DType() != o.DataType() || !y.Shape().Equal(o.Shape()) {
			b.t.Errorf("the result is %v%v; want %v%v", y.DType(), y.Shape(), o.DataType(), o.Shape())
		}
	}
	return results, inputs
}

// TestMessages has mistakes that are often made. The message names what is wrong and what would be right.
func TestMessages(t *testing.T) {
	type o = webnn.Options
	b := newCallBuilder(t)
	filter := "float32[8,3,3,3]"
	for _, tt := range []struct {
		method string
		call   call
		want   string
	}{
		{"conv2d", call{args: in("float32[1,5,5,3]", filter)},
			"filter: shape [8,3,3,3] has 3 input channels; it must have 5, those of a group (input [1,5,5,3] as nchw, filter [8,3,3,3] as oihw)"},
		{"conv2d", call{args: in("float32[3,5,5]", filter)}, "the rank of input, which has shape [3,5,5], is 3; it must be 4"},
		{"conv2d", call{args: in("float32[1,3,2,5]", filter)},
			"padding: the window spans 3 elements in dimension 2; extent 2 and padding 0 make only 2 (input [1,3,2,5] as nchw, filter [8,3,3,3] as oihw)"},
		{"conv2d", call{args: in("float32[1,3,5,5]", filter), options: o{"bias": "float32[3]"}},
			"the shape of bias is [3]; it must be [8], the output channels of the filter"},
		{"convTranspose2d", call{args: in("float32[1,5,5,3]", filter)},
			"filter: shape [8,3,3,3] has 8 input channels; it must have 5 (input [1,5,5,3] as nchw, filter [8,3,3,3] as iohw)"},
		{"conv2d", call{args: in("float32[1,5,5,3]", "float32[3,3,5,8]"), options: o{"inputLayout": "nhwc", "filterLayout": "hwio"}},
			"filter: shape [8,5,3,3] has 5 input channels; it must have 3, those of a group " +
				"(input [1,5,5,3] as nhwc, which is seen as nchw, filter [3,3,5,8] as hwio, which is seen as oihw)"},
		{"averagePool2d", call{args: in("float32[1,3,5,4]"), options: o{"windowDimensions": []int{5, 5}}},
			"the window covers 5 elements of the width, but the padded input has only 4"},
		{"batchNormalization", call{args: in("float32[1,5,4,3]", "float32[3]", "float32[3]")},
			"the shape of mean is [3]; it must be [5], the extent of dimension 1 of the input [1,5,4,3]"},
		{"instanceNormalization", call{args: in("float32[1,5,4,3]"), options: o{"scale": "float32[3]"}},
			"the shape of scale is [3]; it must be [5], the channels of the input [1,5,4,3] as nchw"},
		{"layerNormalization", call{args: in("float32[2,3,4]"), options: o{"bias": "float32[4,3]"}},
			"bias: shape [4,3]; it must be [3,4], the extents of the axes [1,2] of [2,3,4]"},
		{"gruCell", call{args: in("float32[2,4]", "float32[9,4]", "float32[9,3]", "float32[3,2]", 3)},
			"hiddenState: shape [3,2]; it must be [2,3] for input [2,4] and hiddenSize 3"},
		{"add", call{args: in("float32[2,1,4]", "float32[3]")},
			"b: shape [1,1,3] does not broadcast with [2,1,4]: the extents 3 and 4 of dimension 2 differ (aligned to one rank: [3] as [1,1,3])"},
		{"softmax", call{args: in("float32[2,4]", 2)}, "axis: axis 2 is not a dimension of shape [2,4]"},
	} {
		_, err := b.make(tt.method, tt.call)
		if want := "TypeError: [here] MLGraphBuilder." + tt.method + ": " + tt.want; err == nil || err.Error() != want {
			t.Errorf("the error is\n%v; want\n%s", err, want)
		}
	}
}
