package flat_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/concord-nn/concord/internal/nnef/flat"
	"github.com/concord-nn/concord/internal/testdata/golden"
	"github.com/concord-nn/concord/nnef/syntax"
)

// TestMessages holds what is said of a mistake, and what would be right, to a golden file: each line of statements is a document of its own.
func TestMessages(t *testing.T) {
	const fragments = "version 1.0;\nextension KHR_enable_fragment_definitions, KHR_enable_operator_expressions;\n" +
		"fragment f( x: tensor<scalar>, l: tensor<scalar>[] = [], k: integer = 1 ) -> ( y: tensor<scalar> ) { y = x * scalar(k); }\n" +
		"fragment same<?>( x: tensor<?>, z: tensor<?> ) -> ( y: tensor<?> ) { y = x; }\n" +
		"fragment pairs( x: tensor<scalar>, p: (integer,integer)[] = [] ) -> ( y: tensor<scalar> ) { y = x; }\n" +
		"fragment one( x: tensor<scalar> ) -> ( y: tensor<scalar> ) { y = x; }\n" +
		"fragment many( l: tensor<scalar>[], x: tensor<scalar> ) -> ( y: tensor<scalar> ) { y = x; }\n"
	var b strings.Builder
	for _, body := range []string{
		// Arguments.
		"y = conv(x);", "y = reshape(x);", "y = conv(x, x, x, x);", "y = f(x, k = 1, k = 2);", "y = f(x, kk = 2);", "y = one(x, k = 2);", "y = f(k = 2, x);",
		"y = f(x, [x], 2);", "y = concat(x, x, axis = 1);", "y = many([x], x, 2);", "y = one<scalar>(x);", "y = one(x, x);", "y = f(exp(q), k = q);",
		// Types of arguments.
		"y = f(x, k = 1.0);", "y = f(x, k = 1.5);", "y = f(x, k = 'a');", "y = f(x, k = x);", "y = f(x, k = [1]);", "y = f(x, l = x);", "y = f(x, l = [x, 'a']);", "y = leaky_relu(x, alpha = 1);",
		"y = matmul(x, x, transposeA = 'true');", "y = reduce(x);", "y = sum_reduce(x, axes = 1);", "y = pairs(x, p = [[1, 1]]);", "y = pairs(x, p = (1, 1));", "y = pairs(x, p = [(1, 1, 1)]);", "y = sum_reduce(x, axes = (0, 1));",
		"y = conv(x, x, padding = 'same');", "y = exp(moments(x, axes = [0]));", "y = exp((x, 1));", "y = exp('a');", "y = exp(x < 0.0);", "y = same(x, x < 0.0);", "y = same(1, x);", "y = add(x, 1);",
		"y = select(x, x, x);", "z = constant(shape = [1], value = [x]); y = x;", "y = reshape(x, shape = [x]);", "y = same(1.0, 2);",
		// Operators.
		"y = x + 1;", "y = x + 'a';", "y = !x;", "y = x && x;", "y = -(x < 0.0);", "y = x * scalar(1 + 1.0);", "y = f(x, k = 'a' - 1);", "y = f(x, k = 1 in 2);", "y = f(x, k = 1 if 'a' in [1] else 2);",
		"y = f(x, k = 1 if [1] < [2] else 2);", "y = x if x > 0.0 else -x;", "y = x if 1 else -x;", "y = f(x, k = 1 if true else 'a');", "y = f(x, k = !1);", "y = f(x, k = length_of(1));",
		"y = f(x, k = integer(x));", "y = f(x, k = shape_of('a')[0]);", "y = f(x, k = integer([1]));",
		// Subscripts and comprehensions.
		"y = f(x, k = [1, 2][x]);", "y = f(x, k = x[0]);", "y = f(x, k = 1[0]);", "y = f(x, k = (1, 2)[5]);", "y = f(x, k = [1][1]);", "y = f(x, k = [1][-1]);", "y = f(x, k = length_of('ab'[1:4]));", "y = f(x, k = length_of(x[0:1]));",
		"y = f(x, l = [for i in 3 yield x]);", "y = f(x, l = [for x in [1] yield x]);", "y = f(x, l = [for i in [1], j in [1, 2] yield x]);", "y = f(x, l = [for i in [1] if 3 yield x]);",
		"y = f(x, k = [1, 2.0][0]);", "y = f(x, k = [1, 'a'][0]);", "y = f(x, k = []  [0]);",
		// Left sides.
		"[y, z] = moments(x, axes = [0]);", "(y, z) = split(x, axis = 0, ratios = [1, 1]);", "(y, z) = exp(x);", "[y, z] = exp(x);", "[y, z] = split(x, axis = 0, ratios = [1, 1, 1]);",
		"(y, z, w) = moments(x, axes = [0]);", "(y, z) = [x, x];", "[y, z] = [x, x, x];", "[y] = (x, x);",
		// Names and the graph.
		"y = exp(z); z = exp(x);", "y = exp(w);", "y = exp(True);", "y = expp(x);", "y = later(x);", "y = exp(x); y = log(x);", "y = exp(x); z = [x, x];", "y = exp(x); z = 1;", "y = exp(x); z = moments(x, axes = [0]);",
		"y = exp(x); z = split(x, axis = 0, ratios = [1, 1]);", "y = exp(x); z = [];", "z = exp(x);", "y = idn(x);", "y = f(x, k = extent(1.0));", "y = planewise_conv(x, x);",
		// Values.
		"y = f(x, k = 1 / 0);", "y = f(x, k = 9223372036854775807 + 1);", "y = f(x, k = -(-9223372036854775807 - 1));", "y = x * (1.0 / 0.0);", "y = f(x, k = integer('a'));", "y = f(x, k = 2 ^ -1);", "y = f(x, k = integer(1e30));",
		"y = f(x, k = (-9223372036854775807 - 1) / -1);", "y = f(x, k = 3 ^ 70);", "y = f(x, k = 9223372036854775807 * 2);",
	} {
		b.WriteString("== " + body + "\n" + mistakes(t, fragments+"graph g( x ) -> ( y ) { x = external(shape = [2, 3]);\n"+body+"\n}\n"))
	}
	for _, fragment := range []string{
		"fragment g( x: tensor<scalar>, k: integer ) -> ( y: tensor<scalar> ) { k = 2; y = x; }", "fragment g( x: tensor<scalar> ) -> ( y: tensor<scalar> ) { z = y; y = x; }",
		"fragment g( x: tensor<scalar> ) -> ( y: tensor<scalar> ) { z = x; }", "fragment g( x: tensor<scalar> ) -> ( y: tensor<scalar> ) { y = x < 0.0; }", "fragment g( x: tensor<scalar>, k: integer = 1.0 ) -> ( y: tensor<scalar> ) { y = x; }",
		"fragment g( x: tensor<scalar>, k: integer[] = [1, 'a'] ) -> ( y: tensor<scalar> ) { y = x; }", "fragment g<?>( x: tensor<?> ) -> ( y: tensor<?> ) { y = exp(x); }", "fragment g<?>( x: tensor<?>, n: ? ) -> ( y: tensor<?> ) { y = x + n; }",
		"fragment g( x: tensor<scalar> ) -> ( y: tensor<scalar> ) { y = cast<?>(x); }", "fragment g( x: tensor<scalar> ) -> ( y: tensor<scalar> ) { z = split(x, axis = 0, ratios = [1, 1]); y = x; }",
		"fragment g( x: tensor<scalar>, t: integer[] ) -> ( y: tensor<scalar> ) { (a, b) = t; y = x; }", "fragment g( x: tensor<scalar>, t: integer[] ) -> ( y: tensor<scalar> ) { [a, b] = t; y = exp(x, axes = [a, c]); }",
		"fragment g( x: tensor<scalar>, y: integer ) -> ( y: tensor<scalar> ) { y = x; }", "fragment g( x: tensor<scalar>, s: scalar ) -> ( y: tensor<scalar> ) { y = sum_reduce(x, axes = [s]); }",
		"fragment g( x: tensor<scalar>, n: integer ) -> ( y: tensor<scalar> ) { y = x * n; }", "fragment g<?>( x: tensor<?> ) -> ( y: tensor<?> ) { y = same(x, 1.0); }",
		"fragment g( x: tensor<scalar>, p: (integer, integer), n: integer ) -> ( y: tensor<scalar> ) { y = x * scalar(p[n]); }",
	} {
		b.WriteString("== " + fragment + "\n" + mistakes(t, fragments+fragment+"\ngraph h( x ) -> ( y ) { x = external(shape = [2, 3]); y = exp(x); }\n"))
	}
	golden.Compare(t, filepath.Join("testdata", "messages.golden"), b.String())
}

// mistakes renders what is wrong with a document, first without evaluation.
func mistakes(t *testing.T, text string) string {
	t.Helper()
	doc, err := syntax.Parse("doc", []byte(text), syntax.Options{})
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	list := flat.Check(doc, flat.Options{})
	if len(list) == 0 {
		_, err := flat.Flatten(doc, flat.Options{})
		errors.As(err, &list)
	}
	if len(list) == 0 {
		t.Errorf("nothing is wrong with\n%s", text)
	}
	return list.Render()
}
