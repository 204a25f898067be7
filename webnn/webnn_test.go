package webnn_test

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
	"github.com/concord-nn/concord/webnn"
)

// builderMethods are the methods of MLGraphBuilder in the specification that make operands from operands.
const builderMethods = `abs add argMax argMin averagePool2d batchNormalization cast ceil clamp concat conv2d convTranspose2d cos
cumulativeSum dequantizeLinear div elu equal erf exp expand floor gather gatherElements gatherND gelu gemm greater greaterOrEqual
gru gruCell hardSigmoid hardSwish identity instanceNormalization isInfinite isNaN l2Pool2d layerNormalization leakyRelu lesser
lesserOrEqual linear log logicalAnd logicalNot logicalOr logicalXor lstm lstmCell matmul max maxPool2d min mul neg notEqual pad pow
prelu quantizeLinear reciprocal reduceL1 reduceL2 reduceLogSum reduceLogSumExp reduceMax reduceMean reduceMin reduceProduct reduceSum
reduceSumSquare relu resample2d reshape reverse roundEven scatterElements scatterND sigmoid sign sin slice softmax softplus softsign
split sqrt sub tan tanh tile transpose triangular where`

func TestMethodsAreTheSpecifications(t *testing.T) {
	want := strings.Fields(builderMethods)
	got := webnn.Methods()
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("the methods are\n%v\nwant\n%v", got, want)
	}
}

// TestInterface compares the list above with a copy of the specification's source, if the environment names one.
func TestInterface(t *testing.T) {
	path := os.Getenv("CONCORD_WEBNN_BS")
	if path == "" {
		t.Skip("set CONCORD_WEBNN_BS to the path of the specification's index.bs to compare with it")
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	methods := regexp.MustCompile(`(?m)^  (?:MLOperand|sequence<MLOperand>) (\w+)\(`)
	want := strings.Fields(builderMethods)
	for _, m := range methods.FindAllStringSubmatch(string(text), -1) {
		if name := m[1]; name != "input" && name != "constant" && !slices.Contains(want, name) {
			t.Errorf("the specification has the method %s", name)
		}
	}
}

func TestCallRejects(t *testing.T) {
	b, other := webnn.NewGraphBuilder(), webnn.NewGraphBuilder()
	input := func(b *webnn.GraphBuilder, name string, d tensor.DType, shape ...int) *webnn.Operand {
		t.Helper()
		o, err := b.Input(name, webnn.Descriptor{DataType: d, Shape: shape})
		if err != nil {
			t.Fatal(err)
		}
		return o
	}
	x := input(b, "x", tensor.Float32, 2, 3)
	image := input(b, "image", tensor.Float32, 1, 5, 5, 2)
	foreign := input(other, "x", tensor.Float32, 2, 3)
	for _, tt := range []struct {
		method  string
		args    []any
		options webnn.Options
		want    string
	}{
		{"nothing", nil, nil, `no method "nothing"`},
		{"relu", nil, nil, "0 arguments are given; there are 1"},
		{"relu", []any{foreign}, nil, "another builder"},
		{"relu", []any{3}, nil, "another kind"},
		{"relu", []any{x}, webnn.Options{"alpha": 1.0}, `no option "alpha"`},
		{"elu", []any{x}, webnn.Options{"alpha": "much", "label": "here"}, "[here] elu: alpha"},
		{"logicalNot", []any{x}, nil, "must be uint8"},
		{"softmax", []any{x, 2}, nil, "axis"},
		{"conv2d", []any{image, image}, webnn.Options{"inputLayout": "hcwn"}, `no layout "hcwn"`},
		{"conv2d", []any{x, image}, nil, "rank"},
		{"slice", []any{x, []int{0, 0}, []int{2, 4}}, nil, "not within dimension 1"},
		{"split", []any{x, 2}, webnn.Options{"axis": 1}, "not divisible by 2"},
		{"pad", []any{x, []int{1}, []int{1}}, nil, "must have 2"},
		{"resample2d", []any{image}, webnn.Options{"scales": []float64{1}}, "there must be 2"},
		{"averagePool2d", []any{image}, webnn.Options{"layout": "nhwc", "windowDimensions": []int{6, 6}}, "larger than the padded input"},
	} {
		if _, err := b.Call(tt.method, tt.args, tt.options); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: the error is %v; want %q", tt.method, err, tt.want)
		}
	}
	y, err := b.Call("relu", []any{x}, nil)
	if err != nil {
		t.Fatal(err)
	}
	g, err := b.Build([]string{"y"}, y)
	if err != nil {
		t.Fatal(err)
	}
	if len(g.Nodes) != 1 {
		t.Errorf("rejected calls have left nodes behind: %d", len(g.Nodes))
	}
	if _, err := b.Call("relu", []any{x}, nil); err == nil {
		t.Error("a builder that has built builds on")
	}
}

func TestInputRejects(t *testing.T) {
	for name, d := range map[string]webnn.Descriptor{
		"bool": {DataType: tensor.Bool, Shape: tensor.Shape{1}},
		"rank": {DataType: tensor.Float32, Shape: make(tensor.Shape, 9)},
		"zero": {DataType: tensor.Float32, Shape: tensor.Shape{0}},
		"huge": {DataType: tensor.Float32, Shape: tensor.Shape{1<<31 - 1, 1<<31 - 1, 1<<31 - 1}},
	} {
		if _, err := webnn.NewGraphBuilder().Input("x", d); err == nil {
			t.Errorf("%s: the descriptor is accepted", name)
		}
	}
}

func Example() {
	b := webnn.NewGraphBuilder()
	x, err := b.Input("x", webnn.Descriptor{DataType: tensor.Float32, Shape: tensor.Shape{2, 2}})
	if err != nil {
		fmt.Println(err)
		return
	}
	y, err := b.Call("leakyRelu", []any{x}, webnn.Options{"alpha": 0.1, "label": "activation"})
	if err != nil {
		fmt.Println(err)
		return
	}
	g, err := b.Build([]string{"y"}, y)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(graph.Text(g, op.Rules))
	// Output:
	// version 1.0;
	//
	// extension concord_operators;
	// extension concord_label y 'activation';
	//
	// graph webnn( x ) -> ( y )
	// {
	//     x = external<scalar>(shape = [2, 2]);
	//     y = leaky_relu(x, alpha = 0.1);  # float32[2,2]
	// }
}
