package lint_test

import (
	"os"
	"strings"
	"testing"

	"github.com/concord-nn/concord/internal/nnef/lint"
	"github.com/concord-nn/concord/nnef/syntax"
)

const bothExtensions = "version 1.0;\nextension KHR_enable_fragment_definitions, KHR_enable_operator_expressions;\n"

func TestDocument(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		want       string // line:column code, one for each warning
	}{
		{"nothing", "version 1.0;\ngraph g( x ) -> ( y )\n{\nx = external(shape = [1]);\ny = relu(x);\n}\n", ""},
		{"unused", "version 1.0;\ngraph g( x ) -> ( y )\n{\nx = external(shape = [1]);\nz = exp(x);\ny = relu(x);\n}\n", "5:1 NNEF0590"},
		{"unused input", "version 1.0;\ngraph g( x, z ) -> ( y )\n{\nx = external(shape = [1]);\nz = external(shape = [1]);\ny = relu(x);\n}\n", "5:1 NNEF0590"},
		{"one result of two", "version 1.0;\ngraph g( x ) -> ( y )\n{\nx = external(shape = [1]);\n(y, v) = moments(x, axes = [0]);\n}\n", ""},
		{"no result of two", "version 1.0;\ngraph g( x ) -> ( y )\n{\nx = external(shape = [1]);\n(m, v) = moments(x, axes = [0]);\ny = exp(x);\n}\n", "5:1 NNEF0590"},
		{"update", "version 1.0;\ngraph g( x ) -> ( y )\n{\nx = external(shape = [1]);\nv = variable(shape = [1], label = 'v');\nu = update(v, x);\ny = exp(x);\n}\n", ""},
		{"parameter", bothExtensions + "fragment f( x: tensor<scalar>, a: scalar ) -> ( y: tensor<scalar> )\n{\ny = x + 1.0;\n}\n" +
			"graph g( x ) -> ( y )\n{\nx = external(shape = [1]);\ny = f(x, a = 1.0);\n}\n", "3:32 NNEF0590"},
		{"a name of a parameter is no use", bothExtensions + "fragment f( x: tensor<scalar>, alpha: scalar ) -> ( y: tensor<scalar> )\n{\ny = elu(x + 1.0, alpha = 1.0);\n}\n" +
			"graph g( x ) -> ( y )\n{\nx = external(shape = [1]);\ny = f(x, alpha = 1.0);\n}\n", "3:32 NNEF0590"},
		{"nested use", bothExtensions + "fragment f( x: tensor<scalar>, alpha: scalar ) -> ( y: tensor<scalar> )\n{\ny = exp(softplus(x * alpha));\n}\n" +
			"graph g( x ) -> ( y )\n{\nx = external(shape = [1]);\ny = f(x, alpha = 1.0);\n}\n", ""},
		{"custom operation", "version 1.0;\nextension KHR_enable_fragment_definitions;\nfragment f( x: tensor<scalar>, a: scalar ) -> ( y: tensor<scalar> );\n" +
			"graph g( x ) -> ( y )\n{\nx = external(shape = [1]);\ny = f(x, a = 1.0);\n}\n", ""},
		{"extensions", bothExtensions + "graph g( x ) -> ( y )\n{\nx = external(shape = [1]);\ny = relu(x);\n}\n", "2:11 NNEF0390 2:44 NNEF0390"},
		{"deprecated", "version 1.0;\nextension KHR_enable_operator_expressions;\ngraph g( x ) -> ( y )\n{\nx = external(shape = [1, 8]);\n" +
			"z = linear_quantize(x = x, 0.0, max = 1.0, bits = 8);\nw = slice(z, axes = [1], begin = [1], end = [0]);\ny = reshape(w, shape = shape_of(w));\n}\n",
			"6:5 NNEF0591 6:21 NNEF0690 7:46 NNEF1190 8:24 NNEF0790"},
		{"slice backwards", "version 1.0;\ngraph g( x ) -> ( y )\n{\nx = external(shape = [8]);\ny = slice(x, axes = [0], begin = [7], end = [0], stride = [-1]);\n}\n", ""},
		{"labels", "version 1.0;\ngraph g( x ) -> ( y )\n{\nx = external(shape = [1]);\na = variable(shape = [1], label = 'w');\n" +
			"b = variable(shape = [1], label = 'W');\nc = variable(shape = [1], label = 'w');\nd = add(a, b);\ne = add(c, d);\ny = add(x, e);\n}\n", "6:35 NNEF0990"},
		{"tract", "version 1.0;\nextension tract_registry tract_core;\ngraph g( x ) -> ( y )\n{\nx = external(shape = [1]);\ny = relu(x = x);\n}\n", ""},
		{"provisional", "version 1.0\nfragment f( x: tensor, n: extent ) -> ( y: tensor )\n{\ny = reshape(x, shape = shape_of(x))\n}\n" +
			"graph g( x ) -> ( y )\n{\nx = external(shape = [1])\ny = f(x = x, n = 2)\n}\n", "2:24 NNEF0590"},
	} {
		doc, err := syntax.Parse("", []byte(tt.text), syntax.Options{})
		if err != nil {
			t.Fatalf("%s: %v", tt.name, err)
		}
		var got []string
		for _, d := range lint.Document(doc) {
			if d.Severity != syntax.Warning || d.Message == "" || d.Source != doc.Source {
				t.Errorf("%s: %+v", tt.name, d)
			}
			got = append(got, d.Position().String()+" "+d.Code.String())
		}
		if strings.Join(got, " ") != tt.want {
			t.Errorf("%s: %q; want %q", tt.name, got, tt.want)
		}
	}
}

// TestWords looks at what warnings say, and at what is none.
func TestWords(t *testing.T) {
	const slice = "extension KHR_enable_fragment_definitions;\nfragment slice( x: tensor<scalar>, end: integer[] ) -> ( y: tensor<scalar> );\n"
	for _, tt := range []struct{ extensions, body, want string }{
		{"", "m, v = moments(x, axes = [0]);\ny = exp(x);", "m, v are never used"},
		{"", "m = log(x);\ny = exp(x);", "m is never used"},
		{"", "y = select(x < x, true_value = x, x);", "hint: leave out the name\n"},
		{"", "y = add(y = x, x = x);", "hint: leave out the name and make it argument 2\n"},
		{"", "y = unheard(x = x, label = 1);", ""},
		{slice, "y = slice(x, end = [0]);", ""},
		{"", "y = pad(x, end = [0]);", ""},
		{"", "v = variable(shape = [1], label = 1);\nw = variable(shape = [1]);\ny = x + v + w;", ""},
	} {
		text := "version 1.0;\n" + tt.extensions + "graph g( x ) -> ( y )\n{\nx = external(shape = [1]);\n" + tt.body + "\n}\n"
		doc, err := syntax.Parse("", []byte(text), syntax.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := lint.Document(doc).Render(); !strings.Contains(got, tt.want) || tt.want == "" && got != "" {
			t.Errorf("%s: %s; want %s", tt.body, got, tt.want)
		}
	}
}

func TestQuantization(t *testing.T) {
	q, err := syntax.ParseQuant("graph.quant", []byte(`"x": linear_quantize(min = 0.0, max = 1.0, bits = 8);`), syntax.Final, syntax.Options{})
	if err != nil {
		t.Fatal(err)
	}
	list := lint.Quantization(q)
	if len(list) != 1 || list[0].Code != lint.CodeOperation || list.Err() != nil {
		t.Errorf("%v", list)
	}
}

// TestStandard holds the deprecated operations to the declarations.
func TestStandard(t *testing.T) {
	text, err := os.ReadFile("../std/standard.nnef")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), "fragment linear_quantize(") || !strings.Contains(string(text), "fragment min_max_linear_quantize(") {
		t.Error("an operation that warnings speak of is not in the standard")
	}
}
