package nnef_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/concord-nn/concord/internal/nnef/flat"
	"github.com/concord-nn/concord/nnef"
	"github.com/concord-nn/concord/nnef/syntax"
	"github.com/concord-nn/concord/tensor"
)

// provisionalText returns a document of the provisional dialect with the given statements.
func provisionalText(statements string) []byte {
	return []byte("version 1.0\ngraph net( x ) -> ( y )\n{\n" + statements + "\n}\n")
}

// TestProvisionalShapes holds the rules for shapes that only the provisional dialect has: extents of 1 at the end do not
// count, and lists may be shorter than the rank.
func TestProvisionalShapes(t *testing.T) {
	for _, c := range []struct{ statements, want string }{
		{"x = external(shape = [2,3])\ny = sum_reduce(x, axes = [3])", "[2,3,1,1]"},
		{"x = external(shape = [2,3])\ny = concat([x, x], axis = 2)", "[2,3,2]"},
		{"x = external(shape = [2,3])\nw = external_(x)\ny = idn(x)", "undeclared"},
		{"x = external(shape = [2,3])\ny = box(x, size = [1,1,3,3])", "[2,3,1,1]"},
		{"x = external(shape = [2,3,8,8])\ny = max_pool(x, size = [1,1,2,2], stride = [1,1,2])", "[2,3,4,8]"},
		{"x = external(shape = [2,3,8,8])\ny = max_pool(x, size = [1,1,2], padding = [(0,0)])", "[2,3,7,8]"},
		{"x = external(shape = [2,3,8,8])\nw = variable(shape = [5,3,3,3], label = 'w')\ny = conv(x, w, stride = [2], padding = [(1,1)])", "[2,5,4,6]"},
		{"x = external(shape = [2,3,8,8])\nw = variable(shape = [5,3], label = 'w')\ny = conv(x, w)", "[2,5,8,8]"},
		{"x = external(shape = [2,3,8,8])\nw = variable(shape = [3,1,3,3], label = 'w')\ny = planewise_conv(x, w)", "[2,3,8,8]"},
		{"x = external(shape = [2,3,8,8])\nw = variable(shape = [3,1,3,3], label = 'w')\ny = planewise_deconv(x, w, stride = [2,2])", "[2,3,16,16]"},
		{"x = external(shape = [5,8,1,1])\nw = variable(shape = [4,8], label = 'w')\ny = linear(x, w)", "[5,4]"},
		{"x = external(shape = [8,5,1])\nw = variable(shape = [8,4], label = 'w')\ny = matmul(x, w, trA = true)", "[5,4]"},
		{"x = external(shape = [8,5,2])\nw = variable(shape = [8,4], label = 'w')\ny = matmul(x, w, trA = true)", "NNEF1201 the shape [8,5,2] is not that of a matrix"},
		{"x = external(shape = [2])\ns = variable(shape = [2,1], label = 's')\ny = update(s, x)", "[2,1]"},
		{"x = external(shape = [2,3])\nw = variable(shape = [1,1], label = 'w')\nc = gt(x, 0.0)\ny = select(c, w, x)", "[2,3]"},
		{"x = external(shape = [0,3])\nw = variable(shape = [2,2], label = 'w')\nz = softmax(w, axes = [5,5])\ny = relu(x)", "NNEF1101 softmax: axes: axis 5 is listed twice"},
		{"x = external(shape = [2,3,4])\ny = transpose(x, perm = [1,0])", "[3,2,4]"},
		{"x = external(shape = [2,3])\ny = transpose(x, perm = [2,0,1])", "[1,2,3]"},
		{"x = external(shape = [2,3])\nw = variable(shape = [2,3,1], label = 'w')\nc = gt(x, 0.0)\ny = select(c, x, w)", "[2,3,1]"},
		{"x = external(shape = [2,3])\nw = variable(shape = [2], label = 'w')\nc = gt(x, 0.0)\ny = select(c, x, w)", "NNEF1201"},
		{"x = external(shape = [0,3,8,8])\nw = variable(shape = [5,3,3,3], label = 'w')\ny = conv(x, w, stride = [2,2])", "[0,5,4,4]"},
		{"x = external(shape = [0,3,0,8])\ny = max_pool(x, size = [1,1,2,2], stride = [1,1,2,2])", "[0,3,0,4]"},
		{"x = external(shape = [0,3])\ny = reshape(x, shape = [3,-1])", "[3,0]"},
		{"x = external(shape = [0,3])\ny = reshape(x, shape = [6])", "null"},
		{"x = external(shape = [0,3])\nw = variable(shape = [2,2], label = 'w')\nz = add(w, w)\nu = matmul(z, x)\ny = relu(w)", "[2,2]"},
		{"x = external(shape = [0,3])\nw = variable(shape = [2,2], label = 'w')\nz = matmul(x, w)\ny = relu(z)", "null"},
	} {
		f, err := nnef.OpenText("p", provisionalText(c.statements), nnef.Options{})
		if err != nil {
			t.Errorf("%s: %v", c.statements, err)
			continue
		}
		got := ""
		g, err := f.Flatten(flat.User)
		if err == nil {
			text, err := json.Marshal(g.Outputs[0].Shape)
			if err != nil {
				t.Fatal(err)
			}
			got = string(text)
		} else {
			var list syntax.Diagnostics
			if errors.As(err, &list) {
				got = list[0].Code.String() + " " + list[0].Message
			}
			if strings.Contains(err.Error(), "no operation") {
				got = "undeclared"
			}
		}
		if got != c.want && (err == nil || !strings.HasPrefix(got, c.want)) {
			t.Errorf("%s: got %s, %v; want %s", c.statements, got, err, c.want)
		}
	}
}

// TestProvisionalFragments holds fragments of the provisional dialect to what only they may do: hold variables and updates,
// yield attributes and tuples, and depend on those extents of inputs that are specified.
func TestProvisionalFragments(t *testing.T) {
	const layer = `fragment layer( input: tensor, channels: extent, scope: string ) -> ( output: tensor )
{
    filter = variable(label = scope + '/filter', shape = [channels, shape_of(input)[1]] + [3,3])
    output = conv(input, filter, 0.0)
}
`
	for _, c := range []struct{ fragments, body, want string }{
		{layer, "x = external(shape = [0,3,8,8])\nt = layer(x, channels = 5, scope = 'a')\ny = layer(t, channels = 7, scope = 'b')", "[0 7 8 8]"},
		{layer, "x = external(shape = [1,0,8,8])\ny = layer(x, channels = 5, scope = 'a')", "depends on an extent of an input that is not specified"},
		{layer, "x = external(shape = [1,3,8,8])\nt = layer(x, channels = 5, scope = 'a')\ny = layer(t, channels = 7, scope = 'A')", "NNEF1202"},
		{"fragment cell( x: tensor ) -> ( y: tensor )\n{\n    s = variable(shape = [1,4], label = 's')\n    y = update(s, s * 0.5 + x)\n}\n",
			"x = external(shape = [1,4])\ny = cell(x)", "[1 4]"},
		{"fragment pair( x: tensor ) -> ( n: extent, t: tensor )\n{\n    n, t = 2, relu(x)\n}\n" +
			"fragment f( x: tensor ) -> ( y: tensor )\n{\n    n, t = pair(x)\n    y = max_pool(t, size = [1,n], stride = [1,n])\n}\n",
			"x = external(shape = [1,4])\ny = f(x)", "[1 2]"},
		{"fragment f( x: tensor ) -> ( y: tensor )\n{\n    y = reshape(x, shape = shape_of(x) + [1])\n}\n", "x = external(shape = [4])\ny = f(x)", "[4 1 1]"},
	} {
		text := strings.Replace(string(provisionalText(c.body)), "graph", c.fragments+"graph", 1)
		f, err := nnef.OpenText("p", []byte(text), nnef.Options{})
		if err != nil {
			t.Fatal(err)
		}
		g, err := f.Flatten(flat.User)
		got := fmt.Sprint(err)
		if err == nil {
			got = fmt.Sprint(g.Outputs[0].Shape)
		}
		if !strings.Contains(got, c.want) {
			t.Errorf("%s: got %s; want %s", c.body, got, c.want)
		}
	}
}

// TestProvisionalValues compares operations of the provisional dialect with those of the final one that mean the same.
func TestProvisionalValues(t *testing.T) {
	x, err := tensor.FromSlice([]float32{-3, -0.5, 0, 0.25, 0.8, 3, 7, 40}, 2, 4)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ provisional, final string }{
		{"linear_quantize(x, -2.0, 6.0, bits = 4)", "linear_quantize(x, -2.0, 6.0, bits = 4)"},
		{"logarithmic_quantize(x, 8.0, bits = 3)", "logarithmic_quantize(x, 8.0, bits = 3)"},
		{"tanh(x)", "tanh(x)"},
		{"elu(x)", "elu(x, alpha = 1.0)"},
		{"leaky_relu(x, alpha = 0.1)", "leaky_relu(x, alpha = 0.1)"},
		{"l1_normalization(x, axes = [1], bias = 0.5)", "l1_normalization(x, axes = [1], bias = 0.5)"},
		{"l2_normalization(x, axes = [1], bias = 0.5)", "l2_normalization(x, axes = [1], bias = 0.5)"},
		{"local_variance_normalization(x, size = [1,3], bias = 0.5)", "local_variance_normalization(x, size = [1,3], bias = 0.5)"},
		{"local_contrast_normalization(x, size = [1,3], bias = 0.5)", "local_contrast_normalization(x, size = [1,3], bias = 0.5)"},
		{"local_response_normalization(x, size = [1])", "local_response_normalization(x, size = [1,1])"},
		{"batch_normalization(x, 1.0, 2.0, 3.0, 4.0)", "batch_normalization(x, 1.0, 2.0, 3.0, 4.0, epsilon = 0.0)"},
		{"idn(x)", "copy(x)"},
		{"transpose(x, perm = [1,0])", "transpose(x, axes = [1,0])"},
		{"matmul(x, x, trB = true)", "matmul(x, x, transposeB = true)"},
	} {
		inputs := map[string]*tensor.Tensor{"x": x}
		g, err := nnef.Parse("p", provisionalText("x = external(shape = [2,4])\ny = "+c.provisional), nnef.Options{})
		if err != nil {
			t.Errorf("%s: %v", c.provisional, err)
			continue
		}
		h, err := nnef.Parse("f", []byte("version 1.0;\ngraph net( x ) -> ( y )\n{\nx = external(shape = [2,4]);\ny = "+c.final+";\n}\n"), nnef.Options{})
		if err != nil {
			t.Errorf("%s: %v", c.final, err)
			continue
		}
		got, want := evaluate(t, g, inputs)["y"], evaluate(t, h, inputs)["y"]
		if far := farthest(t, got, want); far > 1e-5 {
			t.Errorf("%s: got %v; want %v", c.provisional, tensor.Data[float32](got), tensor.Data[float32](want))
		}
	}
}

// TestProvisionalExtents binds extents that a document leaves open.
func TestProvisionalExtents(t *testing.T) {
	text := provisionalText("x = external(shape = [0,3])\ny = relu(x)")
	_, err := nnef.Parse("p", text, nnef.Options{})
	if err == nil || !strings.Contains(err.Error(), "p:4:22: graph error [NNEF0908]: the input x has the shape [0, 3]") {
		t.Errorf("got %v", err)
	}
	g, err := nnef.Parse("p", text, nnef.Options{Shapes: map[string]tensor.Shape{"x": {7, 3}}})
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(g.Output("y").Type); got != "float32[7,3]" {
		t.Errorf("got %s", got)
	}
}
