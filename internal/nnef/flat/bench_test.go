package flat_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/concord-nn/concord/internal/nnef/flat"
	"github.com/concord-nn/concord/internal/testdata"
	"github.com/concord-nn/concord/nnef/syntax"
)

// fragmentText returns a document whose graph consists of n invocations of fragments.
func fragmentText(n int) string {
	var b strings.Builder
	b.WriteString(`version 1.0;
extension KHR_enable_fragment_definitions, KHR_enable_operator_expressions;

fragment scaled( x: tensor<scalar>, factor: scalar, extents: integer[] ) -> ( y: tensor<scalar> )
{
    window = [for i in extents yield i + 1 if i > 1 else 1];
    y = max_pool(x, size = window, border = 'ignore') * (2.0 * factor);
}

fragment block( x: tensor<scalar>, w: tensor<scalar>, size: integer[] = [1, 1, 2, 2] ) -> ( y: tensor<scalar> )
{
    c = conv(x, w, padding = [(1, 1)] * 2);
    y = scaled(relu(c) + x, factor = 0.5, extents = size);
}

graph net( x ) -> ( y )
{
    x = external<scalar>(shape = [1, 8, 16, 16]);
    w = variable<scalar>(shape = [8, 8, 3, 3], label = 'weights');
    a0 = copy(x);
`)
	for i := range n {
		fmt.Fprintf(&b, "    a%d = block(a%d, w, size = [1, 1, %d, %d]);\n", i+1, i, 2+i%2, 3)
	}
	fmt.Fprintf(&b, "    y = copy(a%d);\n}\n", n)
	return b.String()
}

// plainFragmentText returns a document whose lines invoke a fragment of five operations, without expressions on attributes.
func plainFragmentText(n int) string {
	var b strings.Builder
	b.WriteString(`version 1.0;
extension KHR_enable_fragment_definitions;

fragment block( x: tensor<scalar>, filter: tensor<scalar>, bias: tensor<scalar>, padding: (integer,integer)[], stride: integer[] )
-> ( y: tensor<scalar> )
{
    c = conv(x, filter, bias, padding = padding, stride = stride, dilation = [1, 1], groups = 1);
    n = batch_normalization(c, 0.0, 1.0, bias, bias, epsilon = 0.001);
    r = relu(n);
    p = max_pool(r, size = [1, 1, 3, 3], padding = [(0, 0), (0, 0), (1, 1), (1, 1)], border = 'ignore');
    y = add(p, x);
}

graph net( x ) -> ( y )
{
    x = external<scalar>(shape = [1, 8, 16, 16]);
    w = variable<scalar>(shape = [8, 8, 3, 3], label = 'weights');
    b = variable<scalar>(shape = [1, 8], label = 'bias');
    a0 = copy(x);
`)
	for i := range n {
		fmt.Fprintf(&b, "    a%d = block(a%d, w, b, padding = [(1, 1), (1, 1)], stride = [1, 1]);\n", i+1, i)
	}
	fmt.Fprintf(&b, "    y = copy(a%d);\n}\n", n)
	return b.String()
}

// arrayText returns a document whose statements consist of arrays and of expressions on them.
func arrayText(n int) string {
	var b strings.Builder
	b.WriteString(`version 1.0;
extension KHR_enable_operator_expressions;

graph net( x ) -> ( y )
{
    x = external<scalar>(shape = [1, 8, 16, 16]);
    a0 = copy(x);
`)
	for i := range n {
		fmt.Fprintf(&b, "    a%d = pad(a%d, padding = [for i in range_of([%d, 2, 3, 4]) yield (i * 2, i + 1 if i > 1 else 1)]);\n", i+1, i, i)
		fmt.Fprintf(&b, "    [s%d, t%[1]d, u%[1]d] = split(a%[1]d, axis = 1, ratios = [1] + [%[1]d, 3 * 2]);\n", i)
		fmt.Fprintf(&b, "    r%d = reshape(a%[1]d, shape = [[1, 2, 3, 4][2], %[1]d] + [4, 5, %[1]d][0:2], axis_start = length_of([1, %[1]d]) - 2);\n", i)
		fmt.Fprintf(&b, "    m%d = concat([s%[1]d, t%[1]d, u%[1]d, r%[1]d], axis = 0 if %[1]d in [1, 2, 3] else 1);\n", i)
	}
	fmt.Fprintf(&b, "    y = copy(a%d);\n}\n", n)
	return b.String()
}

// constantText returns a document with n constants of 4096 numbers each.
func constantText(n int) string {
	var b strings.Builder
	b.WriteString("version 1.0;\n\ngraph net( x ) -> ( y )\n{\n    x = external<scalar>(shape = [64, 64]);\n    a0 = copy(x);\n")
	for i := range n {
		fmt.Fprintf(&b, "    c%d = constant<scalar>(shape = [64, 64], value = [", i)
		for k := range 4096 {
			if k > 0 {
				b.WriteString(", ")
			}
			fmt.Fprintf(&b, "%.7f", float32(k*i+1)/4093)
		}
		fmt.Fprintf(&b, "]);\n    a%d = add(a%d, c%d);\n", i+1, i, i)
	}
	fmt.Fprintf(&b, "    y = copy(a%d);\n}\n", n)
	return b.String()
}

// BenchmarkFlatten parses and flattens texts, without shapes.
func BenchmarkFlatten(b *testing.B) {
	for _, c := range []struct {
		name, text string
	}{
		{"ordinary", testdata.NetworkText(5000)},
		{"fragments", plainFragmentText(20000)},
		{"expressions", fragmentText(20000)},
		{"arrays", arrayText(5000)},
		{"constants", constantText(50)},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(len(c.text)))
			b.ReportAllocs()
			for range b.N {
				doc, err := syntax.Parse("net.nnef", []byte(c.text), syntax.Options{Strict: true})
				if err != nil {
					b.Fatal(err)
				}
				if _, err := flat.Flatten(doc, flat.Options{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
