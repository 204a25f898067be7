package nnef_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/testdata"
	"github.com/concord-nn/concord/nnef"
	"github.com/concord-nn/concord/nnef/syntax"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// zeros stores a tensor of zeros under every label of the form name_2_3, which gives its shape, int_… and bool_….
func zeros(label string) (*tensor.Tensor, error) {
	var shape tensor.Shape
	d := tensor.Float32
	for i, part := range strings.Split(label, "_") {
		n := 0
		switch _, err := fmt.Sscan(part, &n); {
		case i == 0 && part == "int":
			d = tensor.Int32
		case i == 0 && part == "bool":
			d = tensor.Bool
		case i == 0 && part == "missing":
			return nil, errors.New("the model has no file missing.dat")
		case i > 0 && err == nil:
			shape = append(shape, n)
		}
	}
	return tensor.New(d, shape)
}

// version is the first line of documents that may hold anything.
const version = "version 1.0; extension KHR_enable_fragment_definitions, KHR_enable_operator_expressions;\n"

// lowered returns the nodes of the graph of a document body, one in a line.
func lowered(t *testing.T, head, body string) string {
	t.Helper()
	text := version + head + "graph net( x ) -> ( y )\n{\n" + body + "\n}\n"
	g, err := nnef.Parse("doc", []byte(text), nnef.Options{Variables: zeros})
	if err != nil {
		var list syntax.Diagnostics
		if errors.As(err, &list) {
			t.Fatal(list.Render())
		}
		t.Fatal(err)
	}
	if err := graph.Verify(g, op.Rules); err != nil {
		t.Fatal(err)
	}
	var lines []string
	_, printed, _ := strings.Cut(graph.Text(g, op.Rules), "{\n")
	for line := range strings.Lines(strings.TrimSuffix(printed, "}\n")) {
		line, _, _ = strings.Cut(strings.TrimSpace(line), ";")
		if !strings.Contains(line, "= external") && !strings.Contains(line, "= variable") {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}

// TestLowering shows what becomes of operations that are not written as operators one to one.
func TestLowering(t *testing.T) {
	for _, c := range []struct{ name, body, want string }{
		{"automatic padding", "x = external(shape = [1,3,7,6]);\nw = variable(shape = [8,3,3,3], label = 'w_8_3_3_3');\ny = conv(x, w, stride = [2,2]);",
			"y = conv(x, w, padding = [(1,1), (0,1)], stride = [2, 2])"},
		{"bias", "x = external(shape = [1,3,7,6]);\nw = variable(shape = [8,3,1,1], label = 'w_8_3_1_1');\nb = variable(shape = [1,8,1,1], label = 'b_1_8_1_1');\n" +
			"y = conv(x, w, b, padding = [(0,0),(0,0)]);",
			"reshape1 = reshape(b, shape = [1, 8])\ny = conv(x, w, reshape1, padding = [(0,0), (0,0)])"},
		{"left-aligned broadcasting", "x = external(shape = [2,3,4]);\nb = variable(shape = [2,3], label = 'b_2_3');\ny = add(b, x);",
			"unsqueeze1 = unsqueeze(b, axes = [2])\ny = add(unsqueeze1, x)"},
		{"literals", "x = external(shape = [2,3,4]);\ny = clamp(x, 0.0, 6.0);", "y = clamp(x, 0.0, 6.0)"},
		{"transposed convolution", "x = external(shape = [1,2,4,4]);\nw = variable(shape = [2,3,3,3], label = 'w_2_3_3_3');\ny = deconv(x, w, stride = [2,2]);",
			"y = deconv(x, w, padding = [(0,1), (0,1)], stride = [2, 2], output_shape = [1, 3, 8, 8])"},
		{"groups of one channel", "x = external(shape = [1,2,4,4]);\nw = variable(shape = [2,1,1,1], label = 'w_2_1_1_1');\ny = deconv(x, w, stride = [2,2], groups = 0);",
			"y = deconv(x, w, padding = [(0,0), (0,0)], stride = [2, 2], output_shape = [1, 2, 8, 8], groups = 0)"},
		{"average", "x = external(shape = [1,2,4,4]);\ny = avg_pool(x, size = [1,1,2,2], stride = [1,1,2,2], border = 'ignore');",
			"y = box(x, size = [1, 1, 2, 2], border = 'ignore', padding = [(0,0), (0,0), (0,0), (0,0)], stride = [1, 1, 2, 2], normalize = true)"},
		{"cast rounds down", "x = external(shape = [3]);\ni = cast<integer>(x);\ny = cast<scalar>(i);",
			"floor1 = floor(x)\ni = cast<integer>(floor1)\ny = cast<scalar>(i)"},
		{"cast of integral numbers", "x = external(shape = [3]);\nr = round(x);\ny = cast<integer>(r);", "r = round(x)\ny = cast<integer>(r)"},
		{"names of steps", "x = external(shape = [1,3]);\nv = variable(shape = [1], label = 'a_1');\nu = add(x, v);\nunsqueeze1 = variable(shape = [1,3], label = 'b_1_3');\ny = add(unsqueeze1, u);",
			"unsqueeze2 = unsqueeze(v, axes = [1])\nu = add(x, unsqueeze2)\ny = add(unsqueeze1, u)"},
		{"leaky_relu", "x = external(shape = [1,3]);\na = variable(shape = [1,3], label = 'a_1_3');\nz = leaky_relu(x, alpha = 0.125);\ny = prelu(z, a);",
			"z = leaky_relu(x, alpha = 0.125)\ny = prelu(z, a)"},
		{"compound", "x = external(shape = [1,4]);\ny = l2_normalization(x, axes = [1], epsilon = 0.5);",
			"sqr1 = sqr(x)\nsum_reduce1 = sum_reduce(sqr1, axes = [1])\nsqrt1 = sqrt(sum_reduce1)\nadd1 = add(sqrt1, 0.0)\nmax1 = max(add1, 0.5)\ny = div(x, max1)"},
		{"one summand", "x = external(shape = [1,4]);\nz = add_n([x]);\ny = relu(z);", "y = relu(x)"},
		{"window over the result", "x = external(shape = [1,1,4,4]);\ny = debox(x, size = [1,1,2,2], stride = [1,1,2,2]);",
			"y = debox(x, size = [1, 1, 2, 2], padding = [(0,0), (0,0), (0,0), (0,0)], stride = [1, 1, 2, 2], output_shape = [1, 1, 8, 8])"},
		{"many summands", "x = external(shape = [1,4]);\ny = add_n([x, x, x]);", "add1 = add(x, x)\ny = add(x, add1)"},
		{"copies of one tensor", "x = external(shape = [1,4]);\n[a, b] = copy_n(x, times = 2);\ny = sub(a, b);", "y = sub(x, x)"},
		{"several results", "x = external(shape = [1,1,4]);\nm, i = max_pool_with_index(x, size = [1,1,2], stride = [1,1,2], border = 'ignore');\n[a, b] = split(m, axis = 2, ratios = [1,1]);\ny = add(a, b);",
			"m = max_pool(x, size = [1, 1, 2], border = 'ignore', padding = [(0,0), (0,0), (0,0)], stride = [1, 1, 2])\n" +
				"i = argmax_pool(x, size = [1, 1, 2], border = 'ignore', padding = [(0,0), (0,0), (0,0)], stride = [1, 1, 2])\n" +
				"[a, b] = split(m, axis = 2, ratios = [1, 1])\ny = add(a, b)"},
		{"linear with a bias of columns", "x = external(shape = [2,4]);\nw = variable(shape = [3,4], label = 'w_3_4');\nb = variable(shape = [1,3], label = 'b_1_3');\ny = linear(x, w, b);",
			"y = linear(x, w, b)"},
		{"linear with another bias", "x = external(shape = [2,4]);\nw = variable(shape = [3,4], label = 'w_3_4');\nb = variable(shape = [2], label = 'b_2');\ny = linear(x, w, b);",
			"matmul1 = matmul(x, w, transposeB = true)\nunsqueeze1 = unsqueeze(b, axes = [1])\ny = add(matmul1, unsqueeze1)"},
		{"normalization per channel", "x = external(shape = [2,4,5]);\nm = variable(shape = [1,4], label = 'm_1_4');\ny = batch_normalization(x, m, 1.0, 0.0, m, epsilon = 0.001);",
			"y = batch_normalization(x, m, 1.0, 0.0, m, epsilon = 0.001)"},
		{"constant", "x = external(shape = [2,2]);\nk = constant<integer>(shape = [2,2], value = [3]);\ny = gather(x, k, axis = 0);",
			"k = constant<integer>(shape = [2, 2], value = [3, 3, 3, 3])\ny = gather(x, k)"},
		{"large constant", "x = external(shape = [1,1]);\nk = constant(shape = [1000,1000], value = [0.5]);\ny = add(x, k);",
			"const1 = constant<scalar>(shape = [1, 1], value = [0.5])\nk = expand(const1, shape = [1000, 1000])\ny = add(x, k)"},
		{"state", "x = external(shape = [3]);\ns = variable(shape = [3], label = 's_3');\ny = add(s, x);\nn = update(s, y);", "y = add(s, x)\ns_next = update(s, y)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := lowered(t, "", c.body); got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}

// TestFragments shows expressions and fragments with bodies.
func TestFragments(t *testing.T) {
	head := `extension KHR_enable_fragment_definitions, KHR_enable_operator_expressions;
fragment block( x: tensor<scalar>, depth: integer ) -> ( y: tensor<scalar> )
{
    y = block(relu(x), depth = depth - 1) if depth > 0 else x * 0.5;
}
`
	got := lowered(t, head, "x = external(shape = [2]);\nb = block(x, depth = 2);\ny = (b + x) ^ 2.0 if length_of(shape_of(b)) == 1 else x;")
	want := "relu1 = relu(x)\nrelu2 = relu(relu1)\nb = mul(relu2, 0.5)\nadd3 = add(b, x)\ny = pow(add3, 2.0)"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestTypes holds variables to the types that the document gives them, whatever the files hold.
func TestTypes(t *testing.T) {
	text := `version 1.0;
extension concord_operators;
extension concord_type w float16;
graph net( x ) -> ( y, z, s )
{
    x = external(shape = [2]);
    w = variable(shape = [2], label = 'w_2');
    i = variable<integer>(shape = [2], label = 'int_2');
    y = copy(w);
    z = copy(i);
    u = squeeze(slice(w, axes = [0], begin = [0], end = [1]), axes = [0]);
    s = stack([u, 0.5], axis = 0);
}
`
	g, err := nnef.Parse("types", []byte(text), nnef.Options{Variables: zeros})
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(g.Output("y").Type, g.Output("z").Type, g.Output("s").Type); got != "float16[2] int64[2] float16[2]" {
		t.Errorf("got %s", got)
	}
}

func TestDiagnostics(t *testing.T) {
	for _, c := range []struct{ name, head, body, want string }{
		{"shape", "", "x = external(shape = [2,3]);\nz = variable(shape = [3,3], label = 'z_3_3');\ny = add(x, z);",
			"6:12: shape error [NNEF1201]: add: y: shape [3,3] does not broadcast with [2,3]: the extents 3 and 2 of dimension 0 differ"},
		{"attribute", "", "x = external(shape = [2,3]);\ny = softmax(x, axes = [2]);", "5:23: value error [NNEF1101]: softmax: axes: axis 2 is not a dimension of shape [2,3]"},
		{"border", "", "x = external(shape = [1,1,4]);\ny = box(x, size = [1,1,2], border = 'round');", "5:37: value error [NNEF1101]: box: border: \"round\" is not allowed"},
		{"stride", "", "x = external(shape = [1,1,4]);\ny = box(x, size = [1,1,2], stride = [2]);", "5:37: value error [NNEF1101]: stride: 1 number is given; there must be 3, one for each dimension"},
		{"border by the name of the document", "", "x = external(shape = [1,1,4]);\ny = avg_pool(x, size = [1,1,2], border = 'round');",
			"5:42: value error [NNEF1101]: avg_pool: border: \"round\" is not allowed"},
		{"size without batch and channels", "", "x = external(shape = [1,1,4,4]);\ny = max_pool(x, size = [2,2], border = 'ignore');",
			"5:24: value error [NNEF1101]: size: 2 numbers are given; there must be 4, one for each dimension; hint: batch and channels count, too: [1, 1, 2, 2]"},
		{"stride with batch and channels", "", "x = external(shape = [1,1,4]);\nw = variable(shape = [1,1,1], label = 'w_1_1_1');\ny = conv(x, w, stride = [1,1,2]);",
			"6:25: value error [NNEF1101]: stride: 3 numbers are given; there must be 1, one for each spatial dimension; hint: batch and channels do not count: [2]"},
		{"padding with batch and channels", "", "x = external(shape = [1,1,4]);\nw = variable(shape = [1,1,1], label = 'w_1_1_1');\ny = conv(x, w, padding = [(0,0),(0,0),(1,1)]);",
			"6:26: value error [NNEF1101]: padding: 3 pairs are given; there must be 1, one for each spatial dimension; hint: batch and channels do not count: [(1, 1)]"},
		{"rank of a convolution", "", "x = external(shape = [4]);\nw = variable(shape = [1,1,1], label = 'w_1_1_1');\ny = conv(x, w);",
			"6:10: shape error [NNEF1201]: the rank of [4] is 1; it must be at least 3: batch, channels and spatial dimensions"},
		{"rank of a filter", "", "x = external(shape = [1,1,4]);\nw = variable(shape = [1,1,1,1], label = 'w_1_1_1_1');\ny = conv(x, w);",
			"6:13: shape error [NNEF1201]: the rank of the filter is 4; it must be 3, that of the input"},
		{"channels on the right", "", "x = external(shape = [2,3]);\nb = variable(shape = [3], label = 'b_3');\ny = add(x, b);",
			"6:12: shape error [NNEF1201]: add: y: shape [3,1] does not broadcast with [2,3]: the extents 3 and 2 of dimension 0 differ; hint: dimensions are aligned on the left"},
		{"bias", "", "x = external(shape = [1,1,4]);\nw = variable(shape = [5,1,1], label = 'w_5_1_1');\nb = variable(shape = [5], label = 'b_5');\ny = conv(x, w, b);",
			"7:16: shape error [NNEF1201]: the bias has shape [5]; only its second extent may differ from 1"},
		{"type", "", "x = external<integer>(shape = [2]);\ny = relu(x);", "5:10: type error [NNEF0701]: the argument x of relu is tensor<integer>; it must be tensor<scalar>"},
		{"string", "", "x = external<string>(shape = [2]);\ny = copy(x);", "4:5: type error [NNEF0703]: there are no tensors of type string"},
		{"extent", "", "x = external(shape = [0]);\ny = relu(x);", "4:22: value error [NNEF1101]: the extent 0 is not allowed"},
		{"no external", "", "y = relu(1.0);", "2:12: name error [NNEF0504]: the parameter x of the graph is never assigned"},
		{"no parameter", "", "x = external(shape = [2]);\nz = external(shape = [2]);\ny = add(x, z);", "5:5: graph error [NNEF0902]: z is external but no parameter"},
		{"update of a constant", "", "x = external(shape = [2]);\ny = update(x, x);", "5:12: graph error [NNEF0903]: x is no variable"},
		{"update twice", "", "x = external(shape = [2]);\ns = variable(shape = [2], label = 's_2');\na = update(s, x);\ny = update(s, x);", "7:12: graph error [NNEF0903]: the variable s is updated twice"},
		{"update through another label", "", "x = external(shape = [3]);\ns = variable(shape = [2], label = 's_2');\nu = variable(shape = [2], label = 's_2');\ny = update(u, x);",
			"7:15: shape error [NNEF1201]: the variable u is float32[2]; the new value is float32[3]"},
		{"update by a literal beyond float32", "", "x = external(shape = [2]);\ns = variable(shape = [], label = 's');\ny = update(s, 1e300);", "6:15: value error [NNEF1103]"},
		{"update of another shape", "", "x = external(shape = [3]);\ns = variable(shape = [2], label = 's_2');\ny = update(s, x);", "6:15: shape error [NNEF1201]: the variable s is float32[2]; the new value is float32[3]"},
		{"label", "", "x = external(shape = [2]);\ns = variable(shape = [2], label = 'a b');\ny = add(s, x);", "5:35: value error [NNEF1104]: the label 'a b' is not allowed"},
		{"label outside", "", "x = external(shape = [2]);\ns = variable(shape = [2], label = '../s_2');\ny = add(s, x);", "5:35: value error [NNEF1104]: the label '../s_2' is not allowed; it leads out of"},
		{"label outside of Windows", "", "x = external(shape = [2]);\ns = variable(shape = [2], label = 'a\\\\..\\\\..\\\\s_2');\ny = add(s, x);", "5:35: value error [NNEF1104]"},
		{"equal labels", "", "x = external(shape = [2]);\ns = variable(shape = [2], label = 's_2');\nu = variable(shape = [3], label = 'S_2');\ny = add(s, u);",
			"6:22: shape error [NNEF1202]: the variables s and u share the label S_2; their types are scalar[2] and scalar[3] and must be equal"},
		{"stored shape", "", "x = external(shape = [2]);\ns = variable(shape = [2], label = 's_3');\ny = add(s, x);", "5:22: graph error [NNEF0906]: the data of variable s_3 has shape [3]; the document says [2]"},
		{"stored type", "", "x = external(shape = [2]);\ns = variable(shape = [2], label = 'int_2');\ny = add(s, x);", "5:35: graph error [NNEF0906]: the data of variable int_2 holds elements of type integer; the document says scalar"},
		{"input of absurd size", "", "x = external(shape = [2000000000, 2000000000, 2000000000]);\ny = copy(x);", "4:22: shape error [NNEF1201]: input \"x\": shape [2000000000,2000000000,2000000000] has more elements than can be addressed"},
		{"missing data", "", "x = external(shape = [2]);\ns = variable(shape = [2], label = 'missing');\ny = add(s, x);", "5:35: graph error [NNEF0906]: the model has no file missing.dat"},
		{"constant", "", "x = external(shape = [2]);\ns = constant(shape = [3], value = [1.0, 2.0]);\ny = add(s, x);", "5:35: value error [NNEF1102]: 2 values are given; shape [3] takes 3, or one for all"},
		{"constant beyond float32", "", "x = external(shape = [2]);\ns = constant(shape = [1], value = [1e39]);\ny = add(s, x);", "5:35: value error [NNEF1103]: the scalar 1e39 is beyond the range of float32"},
		{"literal beyond float32", "", "x = external(shape = [2]);\ny = add(x, -1e300);", "5:12: value error [NNEF1103]: the scalar -1e300 is beyond the range of float32"},
		{"attribute beyond float32", "", "x = external(shape = [2]);\ny = leaky_relu(x, alpha = 1e300);", "5:27: value error [NNEF1103]"},
		{"string constant", "", "x = external(shape = [2]);\ns = constant<string>(shape = [1], value = ['a']);\ny = copy(x);", "5:5: type error [NNEF0703]: there are no tensors of type string"},
		{"variable of absurd size", "", "x = external(shape = [2]);\ns = variable(shape = [4000000000, 4000000000], label = 's');\ny = copy(x);", "5:22: value error [NNEF1101]"},
		{"extension", "extension acme_magic;\n", "x = external(shape = [2]);\ny = relu(x);", "2:11: extension error [NNEF0304]: the extension acme_magic is not known"},
		{"type of an extension", "extension concord_type x int32;\n", "x = external(shape = [2]);\ny = relu(x);",
			"5:5: extension error [NNEF0304]: an extension says that x has elements of type int32; it is declared as scalar"},
		{"constant beyond its type", "extension concord_type k int8;\n", "x = external(shape = [2]);\nk = constant<integer>(shape = [1], value = [300]);\ny = copy(x);",
			"6:44: type error [NNEF0701]: 300 is no element of type int8"},
		{"codes of small floats", "extension concord_type w float8e4m3fn;\n", "x = external(shape = [2]);\nw = variable(shape = [2], label = 'w_2');\ny = copy(w);",
			"6:35: graph error [NNEF0906]: the data of variable w_2 holds elements of type float32; for the type float8e4m3fn it must hold codes of 8 bits"},
		{"list of operands", "extension concord_operators;\n", "x = external(shape = [2]);\ny = concat(x, axis = 0);",
			"6:12: type error [NNEF0701]: the argument values of concat is tensor<scalar>; it must be an array of tensors"},
		{"symbol in an attribute", "extension concord_operators;\nextension concord_symbol N;\n", "x = external(shape = [2]);\ny = reshape(x, shape = [N]);",
			"7:24: value error [NNEF1101]: reshape: shape: N is not known before symbols have values"},
		{"symbol of a standard operation", "extension concord_symbol N;\n", "x = external(shape = [2]);\ny = reshape(x, shape = [N]);",
			"6:24: eval error [NNEF1006]: the extent N is not given"},
		{"symbol statement", "extension concord_symbol N M;\n", "x = external(shape = [2]);\ny = relu(x);", "2:11: extension error [NNEF0304]: the statement of extension concord_symbol is broken"},
		{"statement", "extension concord_type x;\n", "x = external(shape = [2]);\ny = relu(x);", "2:11: extension error [NNEF0304]: the statement of extension concord_type is broken"},
		{"fragment", "fragment relu( x: tensor<scalar> ) -> ( y: tensor<scalar> ) { y = x; }\n", "x = external(shape = [2]);\ny = relu(x);", "2:10: declaration error [NNEF0401]: the fragment relu has the name of an operation of the standard"},
		{"parameters", "fragment f( x: tensor<scalar>, x: integer ) -> ( y: tensor<scalar> ) { y = x; }\n", "x = external(shape = [2]);\ny = relu(x);", "2:32: declaration error [NNEF0401]: two parameters are named x"},
		{"results", "fragment f( x: tensor<scalar> ) -> ( y: tensor<scalar>, y: tensor<scalar> ) { y = x; }\n", "x = external(shape = [2]);\ny = relu(x);", "2:57: declaration error [NNEF0401]: two results are named y"},
		{"many nodes", "", "x = external(shape = [2]);\ny = add_n([" + strings.Repeat("x,", 300000) + "x]);", "5:5: eval error [NNEF1005]: the graph has more than 262152 nodes"},
		{"custom", "fragment acme( x: tensor<scalar> ) -> ( y: tensor<scalar> );\n", "x = external(shape = [2]);\ny = acme(x);", "6:5: name error [NNEF0505]: the operation acme is declared without a body and not known"},
		{"source in a fragment", "fragment f( x: tensor<scalar> ) -> ( y: tensor<scalar> ) { v = variable(shape = [2], label = 's_2'); y = x + v; }\n",
			"x = external(shape = [2]);\ny = f(x);", "2:64: graph error [NNEF0905]: variable stands in a fragment"},
		{"symbol", "extension concord_operators;\nextension concord_symbol N;\n", "x = external(shape = [N]);\ny = relu(x);", "6:22: graph error [NNEF0908]: the input x has the shape [N]; the extent N is not given"},
		{"body of a compound", "", "x = external(shape = [2,2]);\n(y, v) = moments(x, axes = [5]);", "5:28: value error [NNEF1101]: moments: axes: axis 5"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if len(c.body) > 1<<16 {
				testdata.Exhaustive(t, "it makes as many nodes as a graph may have")
			}
			text := version + c.head + "graph net( x ) -> ( y )\n{\n" + c.body + "\n}\n"
			_, err := nnef.Parse("doc", []byte(text), nnef.Options{Variables: zeros})
			var list syntax.Diagnostics
			if !errors.As(err, &list) {
				t.Fatalf("got %v", err)
			}
			found := false
			for i := range list {
				found = found || strings.HasPrefix(list[i].Error()+"; hint: "+list[i].Hint, "doc:"+c.want)
			}
			if !found {
				t.Errorf("got\n%swant %s", list.Render(), c.want)
			}
		})
	}
}

// TestVariablesShare holds variables of one label to sharing memory, converted or not.
func TestVariablesShare(t *testing.T) {
	calls := 0
	half := func(string) (*tensor.Tensor, error) {
		calls++
		return tensor.New(tensor.Float16, tensor.Shape{2})
	}
	text := `version 1.0;
extension concord_operators;
extension concord_type c float16;
extension concord_operators;
graph net( x ) -> ( y, z )
{
    x = external(shape = [2]);
    a = variable(shape = [2], label = 'w');
    b = variable(shape = [2], label = 'w');
    c = variable(shape = [2], label = 'w');
    y = add(a, b);
    z = copy(c);
}
`
	g, err := nnef.Parse("share", []byte(text), nnef.Options{Variables: half})
	if err != nil {
		t.Fatal(err)
	}
	memory := make(map[*byte]bool)
	for v := range g.Constants() {
		memory[&v.Const.Bytes()[0]] = true
	}
	if calls != 1 || len(memory) != 1 {
		t.Errorf("the data is read %d times and held %d times; want 1 and 1", calls, len(memory))
	}
}

// TestFilledConstants bounds the memory that constants of one value take together.
func TestFilledConstants(t *testing.T) {
	testdata.Exhaustive(t, "it fills as much memory as it may")
	var text strings.Builder
	text.WriteString("version 1.0;\ngraph net( x ) -> ( y )\n{\n    x = external(shape = [1]);\n    y = relu(x);\n")
	for i := range 1000 {
		fmt.Fprintf(&text, "    c%d = constant(shape = [65536], value = [1.0]);\n", i)
	}
	text.WriteString("}\n")
	g, err := nnef.Parse("filled", []byte(text.String()), nnef.Options{Variables: nil})
	if err != nil {
		t.Fatal(err)
	}
	if n := countElements(g); n > 1<<24+1000 {
		t.Errorf("%d elements are held", n)
	}
}

func TestParseWithoutVariables(t *testing.T) {
	text := "version 1.0;\ngraph g( x ) -> ( y )\n{\nx = external(shape = [2]);\nv = variable(shape = [2], label = 'v');\ny = add(x, v);\n}\n"
	for _, f := range []func(string) (*tensor.Tensor, error){nil, func(string) (*tensor.Tensor, error) { return nil, nil }} {
		if _, err := nnef.Parse("doc", []byte(text), nnef.Options{Variables: f}); err == nil || !strings.Contains(err.Error(), "the data of variable v is not at hand") {
			t.Errorf("got %v", err)
		}
	}
}
