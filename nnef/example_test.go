package nnef_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/nnef/flat"
	"github.com/concord-nn/concord/nnef"
	"github.com/concord-nn/concord/nnef/syntax"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

func ExampleParse() {
	text := `version 1.0;
extension KHR_enable_operator_expressions;
graph net( x ) -> ( y )
{
    x = external(shape = [1, 3, 8, 8]);
    filter = constant(shape = [4, 3, 1, 1], value = [0.5]);
    y = relu(conv(x, filter, stride = [2, 2]) - 1.0);
}
`
	g, err := nnef.Parse("net.nnef", []byte(text), nnef.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, n := range g.Nodes {
		fmt.Println(n.Op, n.Out[0].Type)
	}
	// Output:
	// conv float32[1,4,4,4]
	// sub float32[1,4,4,4]
	// relu float32[1,4,4,4]
}

func ExampleParse_diagnostics() {
	text := `version 1.0;
graph net( x ) -> ( y )
{
    x = external(shape = [1, 3]);
    y = leaky_relu(x, alpha = 1);
}
`
	_, err := nnef.Parse("net.nnef", []byte(text), nnef.Options{})
	var list syntax.Diagnostics
	if errors.As(err, &list) {
		fmt.Print(list.Render())
	}
	// Output:
	// net.nnef:5:31: type error [NNEF0701]: the argument alpha of leaky_relu is integer; it must be scalar
	//   5 |     y = leaky_relu(x, alpha = 1);
	//     |                               ^
	//   hint: write 1.0
}

// A document is opened, checked and flattened. Shapes are inferred, for the shape in the text and for another one.
func ExampleOpenText() {
	text := `version 1.0;
extension KHR_enable_fragment_definitions, KHR_enable_operator_expressions;

fragment block( x: tensor<scalar>, size: integer ) -> ( y: tensor<scalar> )
{
    y = max_pool(relu(x), size = [1, 1] + [size] * 2, stride = [1, 1, 2, 2]);
}

graph net( x ) -> ( y )
{
    x = external(shape = [1, 3, 8, 8]);
    y = block(x, size = 3);
}
`
	for _, shapes := range []map[string]tensor.Shape{nil, {"x": {4, 3, 32, 20}}} {
		f, err := nnef.OpenText("net.nnef", []byte(text), nnef.Options{Shapes: shapes})
		if err != nil {
			fmt.Println(err)
			return
		}
		for _, d := range f.Check() {
			fmt.Println(d.Error())
		}
		g, err := f.Flatten(flat.User)
		if err != nil {
			fmt.Println(err)
			return
		}
		for _, op := range g.Ops {
			fmt.Println(op.Name(), op.Outputs()[0].Shape)
		}
	}
	// Output:
	// external [1 3 8 8]
	// relu [1 3 8 8]
	// max_pool [1 3 4 4]
	// external [4 3 32 20]
	// relu [4 3 32 20]
	// max_pool [4 3 16 10]
}

func ExampleLoad() {
	m, err := nnef.Load("../examples/digits/model.nnef", nnef.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer m.Close()
	for _, v := range m.Graph.Inputs {
		fmt.Println("input", v.Name, v.Type)
	}
	for _, o := range m.Graph.Outputs {
		fmt.Println("output", o.Name, o.Value.Type)
	}
	// Output:
	// input x float32[1,1,28,28]
	// output y float32[1,10]
}

func ExampleSave() {
	b := graph.NewBuilder(op.Rules, "scale")
	x, err := b.Input("x", graph.Type{DType: tensor.Float32, Shape: tensor.Shape{3}})
	if err != nil {
		fmt.Println(err)
		return
	}
	k, err := b.Constant("k", "", tensor.Scalar[float32](0.1))
	if err != nil {
		fmt.Println(err)
		return
	}
	y, err := b.One("mul", []*graph.Value{x, k}, nil, "")
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := b.Output("y", y); err != nil {
		fmt.Println(err)
		return
	}
	g, err := b.Build()
	if err != nil {
		fmt.Println(err)
		return
	}
	dir, err := os.MkdirTemp("", "scale")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	if err := nnef.Save(dir, g); err != nil {
		fmt.Println(err)
		return
	}
	text, err := os.ReadFile(filepath.Join(dir, "graph.nnef"))
	fmt.Print(string(text), err)
	// Output:
	// version 1.0;
	//
	// graph scale( x ) -> ( y )
	// {
	//     x = external<scalar>(shape = [3]);
	//     y = mul(x, 0.1);  # float32[3]
	// }
	// <nil>
}

func ExampleExpandBody() {
	d, _ := op.Lookup("silu")
	g, err := nnef.ExpandBody(d, []op.Type{{DType: tensor.Float32, Shape: tensor.Shape{2}}}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(graph.Text(g, op.Rules))
	// Output:
	// version 1.0;
	//
	// extension concord_operators;
	//
	// graph silu( x ) -> ( y )
	// {
	//     x = external<scalar>(shape = [2]);
	//     sigmoid1 = sigmoid(x);  # float32[2]
	//     y = mul(x, sigmoid1);  # float32[2]
	// }
}
