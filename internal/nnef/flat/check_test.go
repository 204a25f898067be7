package flat_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/concord-nn/concord/internal/nnef/eval"
	"github.com/concord-nn/concord/internal/nnef/flat"
	"github.com/concord-nn/concord/internal/nnef/std"
	"github.com/concord-nn/concord/nnef/syntax"
)

const final = "version 1.0; extension KHR_enable_fragment_definitions, KHR_enable_operator_expressions;\n"

// found lists findings as line:column code.
func found(list syntax.Diagnostics) string {
	var parts []string
	for i := range list {
		p := list[i].Position()
		text := fmt.Sprintf("%d:%d %d", p.Line, p.Column, list[i].Code)
		if list[i].Severity == syntax.Warning {
			text += "w"
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, ", ")
}

// run checks what may be a graph's statements only: it is completed then to a document whose second line they begin in,
// with the input x and the variable v.
func run(t *testing.T, text string, opts flat.Options) (syntax.Diagnostics, string) {
	t.Helper()
	if !strings.Contains(text, "graph ") {
		text = "graph g( x ) -> ( y ) { x = external(shape = [2, 3]);\n" + text + "\n}"
	}
	if !strings.HasPrefix(text, "version") {
		text = final + text
	}
	doc, err := syntax.Parse("doc", []byte(text), syntax.Options{Lenient: opts.Lenient})
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return flat.Check(doc, opts), text
}

func TestCheck(t *testing.T) {
	const graph = "\ngraph g( x ) -> ( y ) { x = external(shape = [2, 3]); y = exp(x); }"
	fragment := func(body string) string {
		return "fragment f( x: tensor<scalar>, l: tensor<scalar>[], n: integer, s: scalar, b: logical, t: string, a: integer[], p: (integer, scalar) ) -> ( y: tensor<scalar> ) {\n" +
			body + "\n}" + graph
	}
	for _, c := range []struct{ name, text, want string }{
		{"nothing", "y = exp(x);", ""},

		// Declarations.
		{"two fragments", "fragment f( x: tensor<scalar> ) -> ( y: tensor<scalar> ) { y = x; }\nfragment f( x: tensor<scalar> ) -> ( y: tensor<scalar> ) { y = q; }" + graph, "3:10 401, 3:64 501"},
		{"standard name", "fragment conv( x: tensor<scalar> ) -> ( y: tensor<scalar> ) { y = x; }" + graph, "2:10 401"},
		{"standard name without a body", "fragment conv( x: tensor<scalar> ) -> ( y: tensor<scalar> );" + graph, "2:10 401"},
		{"two parameters", "fragment f( x: tensor<scalar>, x: integer ) -> ( y: tensor<scalar> ) { y = x + 1.0; }" + graph, "2:32 401"},
		{"two results", "fragment f( x: tensor<scalar> ) -> ( y: tensor<scalar>, y: tensor<scalar> ) { y = x; }" + graph, "2:57 401"},
		{"parameter and result", "fragment f( y: tensor<scalar> ) -> ( y: tensor<scalar> ) { y = exp(y); }" + graph, "2:38 401"},
		{"order", "fragment f( n: integer, x: tensor<scalar>, m: integer, z: tensor<scalar>[] ) -> ( y: tensor<scalar> ) { y = x; }" + graph, "2:25 402, 2:56 402"},
		{"defaults", "fragment f( x: tensor<scalar> = 1, n: integer = 1.0, s: scalar = 1, a: integer[] = [1, 2.0], p: (integer, scalar)[] = [(1, 1.0)], e: integer[] = [] ) -> ( y: tensor<scalar> ) { y = x; }" +
			"\ngraph g( x ) -> ( y ) { x = external(shape = [2, 3]); y = f(x); }", "2:33 403, 2:49 403, 2:66 403, 2:88 403"},
		{"generic default", "fragment f<?>( x: tensor<?>, v: ? = 1.0 ) -> ( y: tensor<?> ) { y = select(true, x, v); }" + graph, ""},
		{"unused mark", "fragment f<?>( x: tensor<scalar> ) -> ( y: tensor<scalar> ) { y = x; }\ngraph g( x ) -> ( y ) { x = external(shape = [2, 3]); y = f(x); }", "2:11 404"},
		{"missing mark", "fragment f( x: tensor<?> ) -> ( y: tensor<?> ) { y = copy(x); }\ngraph g( x ) -> ( y ) { x = external(shape = [2, 3]); y = f(x); }", "2:10 404"},
		{"attribute result", "fragment f( n: integer ) -> ( m: integer ) { m = n + 1; }" + graph, "2:31 405"},
		{"unbound result", "fragment f( x: tensor<scalar> ) -> ( y: tensor<> ) { y = x; }" + graph, "2:38 405"},
		{"mixed tuple", "fragment f( p: (tensor<scalar>, integer) ) -> ( y: tensor<scalar> ) { y = p[0]; }" + graph, "2:13 406"},
		{"graph parameters", "graph g( x, z, x ) -> ( y, y )\n{\nx = external(shape = [1]);\nz = external(shape = [1]);\ny = add(x, z);\n}", "2:16 401, 2:28 401"},

		// Names.
		{"undefined", "y = add(x, nowhere);", "3:12 501"},
		{"nothing follows", "a = exp(q);\nb = exp(a);\nc = add(b, r);\ny = add(c, x);", "3:9 501, 5:12 501"},
		{"used before", "y = exp(z);\nz = exp(x);", "3:9 501"},
		{"undeclared", "y = ext(x);", "3:5 502"},
		{"forward fragment", "fragment f( x: tensor<scalar> ) -> ( y: tensor<scalar> ) { y = h(x); }\nfragment h( x: tensor<scalar> ) -> ( y: tensor<scalar> ) { y = x; }" + graph, "2:64 502"},
		{"recursive fragment", "fragment f( x: tensor<scalar>, n: integer ) -> ( y: tensor<scalar> ) { y = f(x, n = n - 1) if n > 0 else x; }" + graph, ""},
		{"twice", "y = exp(x);\ny = log(x);", "4:1 503"},
		{"twice in a pattern", "[y, y] = split(x, axis = 0, ratios = [1, 1]);", "3:5 503"},
		{"parameter assigned", fragment("x = exp(x); y = x;"), "3:1 503"},
		{"iterator", fragment("y = l[0]; z = [for n in a yield n];"), "3:20 503"},
		{"unassigned", fragment("z = x;"), "2:141 504"},
		{"unassigned graph result", "z = exp(x);", "2:19 504"},

		// Arguments.
		{"too many", "y = exp(x, x);", "3:12 601"},
		{"missing", "y = conv(x, stride = [1, 1]);", "3:5 602"},
		{"duplicate", "y = softmax(x, axes = [1], axes = [0]);", "3:28 603"},
		{"unknown", "y = softmax(x, axis = [1]);", "3:16 604"},
		{"positional attribute", "y = softmax(x, [1]);", "3:16 605"},
		{"positional after named", "y = add(x = x, x);", "3:16 605"},
		{"several statements", "a = exp(x, x);\nb = softmax(x, axis = [1]);\ny = add(x);", "3:12 601, 4:16 604, 5:5 602"},

		// Types.
		{"literals", "y = leaky_relu(x, alpha = 1);", "3:27 701"},
		{"attributes", "y = softmax(x, axes = [1.0]);", "3:23 701"},
		{"a tensor for an attribute", "y = softmax(x, axes = x);", "3:23 701"},
		{"operators", fragment("y = x + (n * s); z = x * s + 1; u = !b; w = -t; v = t + t * n; i = a + a * n; j = a == a; k = n < n && b == b;"), "3:10 702, 3:22 702, 3:45 702, 3:83 702"},
		{"builtins", fragment("y = x; c = length_of(x); d = range_of(n); e = scalar(a); h = shape_of(a); i = shape_of(n); j = string(b) + t;"), "3:22 702, 3:39 702, 3:54 702, 3:71 702"},
		{"subscripts", fragment("y = l[n]; c = x[0]; d = a[s]; e = p[n]; h = p[0:1]; i = t[1:n]; j = a[:n][0]; k = p[1]; m = k + s;"), "3:15 702, 3:27 702, 3:37 702, 3:45 702"},
		{"tuple subscript", fragment("y = x; c = p[2];"), "3:14 702"},
		{"generics", "a = relu<scalar>(x);\nb = cast(x);\nc = copy<?>(x);\nd = select(x < 0.0, x, true);\ny = select(x < 0.0, x, 1.0);", "3:5 703, 4:5 703, 5:5 703, 6:24 701"},
		{"generic body", "fragment f<?>( x: tensor<?>, v: ? ) -> ( y: tensor<?> ) { a = exp(x); b = select(true, x, 0.0); c = v == v; d = v + v; y = copy<?>(x); }" + graph, "2:67 701, 2:91 701, 2:113 702"},
		{"result", "fragment f( x: tensor<scalar>, n: integer ) -> ( y: tensor<logical>, z: tensor<scalar>, w: tensor<scalar> ) { y = exp(x); z = n; w = 0.5; }" + graph, "2:111 704, 2:123 704"},
		{"array items", fragment("y = x; c = [x, 1.0, s]; d = [1, s]; e = [x, n]; h = [[1], []]; i = [(1, 1.0), (2, n)];"), "3:33 705, 3:45 705, 3:79 705"},
		{"branches", fragment("y = x if b else 0.0; c = n if b else s; d = x if x < 0.0 else x; e = [] if b else a;"), "3:26 705, 3:50 702"},
		{"branch not taken", "y = exp(x) if true else exp(x, x);", "3:32 601"},
		{"lazy operands", fragment("y = x if false && 1 else x; c = true || a[0];"), "3:10 702, 3:33 702"},
		{"comprehension", fragment("y = l[0]; c = [for i in n yield i]; d = [for i in a if i yield i]; e = [for i in [] yield i + s]; h = [for i in a, z in l yield z * scalar(i)][0] + x; k = [for i in a yield i + s];"),
			"3:25 702, 3:56 702, 3:174 702"},
		{"values are not looked at", fragment("y = x; c = [1][5]; d = 1 / 0; e = integer('x'); h = [for i in [1], j in [1, 2] yield i]; k = 'a'[9:1];"), ""},
		{"several results as one", "y = exp(moments(x, axes = [1]));", "3:9 706"},

		// Structure.
		{"patterns", "a, b = exp(x);\n[c] = exp(x);\n(d, e) = split(x, axis = 0, ratios = [1, 1]);\n[h, i] = moments(x, axes = [0]);\nj, k, l = moments(x, axes = [0]);\n[m, n] = [x, exp(x), x];\ny = x;",
			"3:1 801, 4:1 801, 5:1 801, 6:1 801, 7:1 801, 8:1 1007"},
		{"array of a primitive", fragment("y = x; c = split(x, axis = 0, ratios = [1, 1]); [d, e] = split(x, axis = 0, ratios = [1, 1]); h = copy_n(x, times = 2); i, j = (1, 2); k = moments(x, axes = [0]); u = k[0];"), "3:8 801"},

		// Graphs.
		{"one tensor", "a = 1.0;\nb = [x, x];\nc = split(x, axis = 0, ratios = [1, 1]);\nd = moments(x, axes = [0]);\nw = x;\ny = 0.5;", "3:1 901, 4:1 901, 5:1 901, 6:1 901"},
		{"shared data updated once", "v = variable(shape = [2, 3], label = 'v');\nw = variable(shape = [2, 3], label = 'V');\na = update(w, x);\ny = add(v, a);", ""},
		{"parameter as result", "graph g( x ) -> ( x, y, y ) { x = external(shape = [2, 3]);\ny = exp(x); }", "2:19 401, 2:25 401"},
		{"tuple for an array", "y = concat((x, x), axis = 0);", "3:12 701"},
		{"parameter as result of the text form", "version 1.0;\nextension concord_operators;\ngraph g( x ) -> ( x ) { x = external<scalar>(shape = [2, 3]); }", ""},
		{"mistakes beside others", "y = leaky_relu(x, beta = 1.0) + 1;", "3:5 702, 3:19 604"},
		{"no mistake beside one", "y = exp(copy(x, q = 1));", "3:17 604"},
		{"a mistake beside a default type", "y = not(constant(shape = [1], value = [1.0], q = 1));", "3:9 701, 3:46 604"},
		{"two mistakes of a default type", "y = not(constant(shape = [1.0], value = [1.0]));", "3:9 701, 3:26 701"},
		{"length of a comprehension", fragment("[c, d] = [for i in [1, 2] yield x]; [e, h, j] = [for i in [1, 2] yield x]; y = c;"), "3:37 1007"},
		{"length of a sum", fragment("[c, d, e] = [x] + [x]; y = c;"), "3:1 1007"},
		{"graph only", fragment("y = x; c = external(shape = [1]); d = variable(shape = [1], label = 'd'); e = update(d, x);"), "3:12 905, 3:39 905, 3:79 905"},

		// Extensions.
		{"extensions", "version 1.0;\nextension KHR_enable_fragment_definition, VENDOR_x;" + graph, "2:11 304, 2:43 304"},

		// Custom operations.
		{"custom", "fragment c( x: tensor<scalar>, k: integer = 1 ) -> ( y: tensor<scalar>[], z: tensor<logical> );\ngraph g( x ) -> ( y )\n{\nx = external(shape = [1]);\n([a, b], z) = c(x, k = 1.0);\n([e, h], i) = c(x);\ny = select(i, e, h);\n}", "6:24 701"},

		// The provisional dialect.
		{"provisional", "version 1.0\nfragment f( x: tensor, n: extent, s: scalar ) -> ( y: tensor, m: extent )\n{\ny = select(x > 0.0, x, 1.0) + s\nm = n + 1\nv = variable(shape = [1], label = 'v')\nw = x + 1\nu = n + s\nk = [i + 1 for i in [n]]\nj = +x\n}\n" +
			"graph g( x ) -> ( y )\n{\nx = external(shape = [0, 2])\ny = copy(x)\n}", "7:5 702, 8:5 702, 15:5 502"},
		{"provisional casts", "version 1.0\nfragment f( x: tensor, c: logical = true, z: tensor = 1, w: tensor = 2.0 ) -> ( y: tensor )\n{\na, b = 1, 2.0\ny = select(c, x, b)\nd = select(x, x, true)\n}\ngraph g( x ) -> ( y )\n{\nx = external(shape = [2])\ny = f(x)\n}", "2:55 403"},
	} {
		list, text := run(t, c.text, flat.Options{})
		if got := found(list); got != c.want {
			t.Errorf("%s:\ngot  %s\nwant %s\n%s\n%s", c.name, got, c.want, text, list.Render())
		}
		for i := range list {
			if list[i].Source == nil || list[i].Message == "" || list[i].To <= list[i].From {
				t.Errorf("%s: a finding without a place or a text: %+v", c.name, list[i])
			}
		}
	}
}

// TestHints holds findings to saying what would be right.
func TestHints(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"version 1.0;\nextension VENDOR_x;\ngraph g( x ) -> ( y ) { x = external(shape = [2, 3]); y = exp(x); }", "a document that needs an extension cannot be understood without knowing it"},
		{"graph g( x ) -> ( x ) { x = external(shape = [2, 3]);\ny = exp(x); }", "name the result otherwise and assign it by copy(x)"},
		{"fragment f( x: tensor<scalar> ) -> ( y: tensor<scalar> ) { y = h(x); }\nfragment h( x: tensor<scalar> ) -> ( y: tensor<scalar> ) { y = x; }\n" +
			"graph g( x ) -> ( y ) { x = external(shape = [2, 3]); y = f(x); }", "move the declaration of h above this one"},
		{"version 1.0\ngraph g( x ) -> ( y ) { x = external(shape = [2, 3])\ny = copy(x) }", "copy is an operation of the final dialect"},
		{"y = rellu(x);", "do you mean relu?"},
		{"y = Relu(x);", "do you mean relu?"},
		{"y = idn(x);", "idn is an operation of the provisional dialect; the final one has copy"},
		{"y = softmax(x, axis = [1]);", "do you mean axes?"},
		{"y = softmax(x, axes = [extent(1.0)]);", "the final dialect has integer(…)"},
		{"y = softmax(x, axes = 1);", "write an array: [1]"},
		{"y = relu(x) if true else 1;", "write scalars with a point or an exponent: 1.0"},
		{"y = select(true, 1, x);", "write 1.0"},
		{"y = softmax(x, dimension = [1]);", "its parameters are x, axes"},
		{"inner = exp(x); y = exp(iner);", "do you mean inner?"},
		{"y = leaky_relu(x, alpha = 1);", "write 1.0"},
		{"y = constant(shape = [1], value = [1]);", "scalars have a point or an exponent: 1.0"},
		{"y = softmax(x, axes = [1.0]);", "integers have no point and no exponent: 1"},
		{"y = box(x, size = [1, 1], normalize = 'true');", "write true without quotes"},
		{"y = concat(x, axis = 0);", "write an array: […]"},
		{"y = relu(argmax_reduce(x, axes = [1]));", "cast<scalar>(…) converts it"},
		{"y = x + 1;", "write 1.0"},
		{"y = max_pool_with_index(x, size = [1, 1]);", "name each result: (…) with 2 names"},
		{"y = split(x, axis = 0, ratios = [1, 1]);", "name each item: […] with one name for each"},
		{"y = leaky_relu(x);", "write alpha = …"},
	} {
		list, _ := run(t, c.text, flat.Options{})
		if len(list) != 1 || list[0].Hint != c.want {
			t.Errorf("%s: %s; want the hint %q", c.text, list.Render(), c.want)
		}
	}
}

// TestRelated holds findings to showing the other place.
func TestRelated(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"y = exp(x);\ny = log(x);", "3:1"},
		{"y = exp(z);\nz = exp(x);", "4:1"},
		{"fragment f( x: tensor<scalar>, k: integer ) -> ( y: tensor<scalar> ) { y = x; }\ngraph g( x ) -> ( y ) { x = external(shape = [2, 3]); y = f(x, k = 1.0); }", "2:32"},
		{"d = select(true, x, 1); y = x;", "3:18"},
	} {
		list, _ := run(t, c.text, flat.Options{})
		if len(list) != 1 || len(list[0].Related) != 1 {
			t.Errorf("%s: %s", c.text, list.Render())
			continue
		}
		r := list[0].Related[0]
		p := list[0].Source.Position(r.From)
		if got := fmt.Sprintf("%d:%d", p.Line, p.Column); got != c.want {
			t.Errorf("%s: the related place is %s; want %s", c.text, got, c.want)
		}
	}
}

func TestOptions(t *testing.T) {
	const forward = "fragment f( x: tensor<scalar> ) -> ( y: tensor<scalar> ) { y = h(x) + h(x); }\nfragment h( x: tensor<scalar> ) -> ( y: tensor<scalar> ) { y = x; }\n" +
		"graph g( x ) -> ( y ) { x = external(shape = [2, 3]); y = f(x); }"
	for _, c := range []struct {
		name, text string
		opts       flat.Options
		want       string
	}{
		{"lenient order", forward, flat.Options{Lenient: true}, "3:10 502w"},
		{"lenient, and nowhere", strings.ReplaceAll(forward, "h(x)", "k(x)"), flat.Options{Lenient: true}, "2:64 502"},
		{"lenient extension", "version 1.0;\nextension VENDOR_x;\ngraph g( x ) -> ( y ) { x = external(shape = [2, 3]); y = exp(x); }", flat.Options{Lenient: true}, "2:11 304w"},
		{"extension", "version 1.0;\nextension VENDOR_x;\ngraph g( x ) -> ( y ) { x = external(shape = [2, 3]); y = exp(x); }", flat.Options{Extensions: []string{"VENDOR_x"}}, ""},
		{"known", "y = reshape(x, shape = [N, -1]);", flat.Options{Symbols: map[string]eval.Value{"N": eval.Symbol("N")}}, ""},
		{"known and negative", "y = reshape(x, shape = [-N, -1]);", flat.Options{Symbols: map[string]eval.Value{"N": eval.Symbol("N")}}, ""},
		{"known is no tensor", "N = exp(x);\ny = exp(N);", flat.Options{Symbols: map[string]eval.Value{"N": eval.Symbol("N")}}, "3:1 503, 4:9 701"},
		{"few errors", "a = exp(p);\nb = exp(q);\nc = exp(r);\ny = exp(s);", flat.Options{Limits: eval.Limits{Errors: 2}}, "3:9 501, 4:9 501, 5:9 212"},
	} {
		list, _ := run(t, c.text, c.opts)
		if got := found(list); got != c.want {
			t.Errorf("%s: got %s; want %s\n%s", c.name, got, c.want, list.Render())
		}
	}
}

// TestHostile holds checking to limits, whatever the document is.
func TestHostile(t *testing.T) {
	repeat := func(n int, format string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, strings.ReplaceAll(format, "#", "%[1]d"), i)
		}
		return b.String()
	}
	const graph = "graph g( x ) -> ( y ) { x = external(shape = [2, 3]); y = exp(x); }"
	var shared strings.Builder
	for i := range 60 {
		fmt.Fprintf(&shared, "t%d = (t%d, t%d); ", i+1, i, i)
	}
	for name, text := range map[string]string{
		"shared tuples":      "fragment f( x: tensor<scalar>, t0: (integer, integer) ) -> ( y: tensor<scalar> ) {" + shared.String() + "y = x if t60 == t60 else -x; }" + graph,
		"branches":           "fragment f( x: tensor<scalar>, b: logical ) -> ( y: tensor<scalar> ) { y = " + strings.Repeat("exp(x) if b else ", 900) + "x; }" + graph,
		"nested branches":    "fragment f( x: tensor<scalar>, b: logical ) -> ( y: tensor<scalar> ) { y = " + strings.Repeat("(", 300) + "x" + strings.Repeat(" if b else -x)", 300) + "; }" + graph,
		"many parameters":    "fragment f( x: tensor<scalar>" + repeat(5000, ", p#: integer") + " ) -> ( y: tensor<scalar> ) { y = x; }" + graph,
		"many arguments":     "fragment f( x: tensor<scalar>" + repeat(5000, ", p#: integer") + " ) -> ( y: tensor<scalar> ) { y = f(x" + repeat(5000, ", p# = #") + "); }" + graph,
		"many names":         "graph g( x" + repeat(5000, ", p#") + " ) -> ( y" + repeat(5000, ", r#") + " ) { x = external(shape = [2, 3]); y = exp(x); }",
		"many mistakes":      "graph g( x ) -> ( y ) { x = external(shape = [2, 3]);" + repeat(5000, "a_very_long_name_of_a_tensor_# = exp(a_very_long_name_of_another_#);") + " y = exp(x); }",
		"many labels":        "graph g( x ) -> ( y ) { x = external(shape = [2, 3]);" + repeat(5000, "v# = variable(shape = [#], label = 'v');") + " y = exp(x); }",
		"many updates":       "graph g( x ) -> ( y ) { x = external(shape = [2, 3]); v = variable(shape = [2, 3], label = 'v');" + repeat(5000, "u# = update(v, x);") + " y = exp(x); }",
		"repeated":           "graph g( x ) -> ( y ) { x = external(shape = [2, 3]); y = exp(x) if [0] * 1000000000 * 1000000000 == 'a' * 1000000000 else x; }",
		"calls of itself":    "fragment f( x: tensor<scalar> ) -> ( y: tensor<scalar> ) { y = f(f(f(x))); }" + graph,
		"mutual recursion":   "fragment f( x: tensor<scalar> ) -> ( y: tensor<scalar> ) { y = f(h(x)); }\nfragment h( x: tensor<scalar> ) -> ( y: tensor<scalar> ) { y = f(h(x)); }" + graph,
		"long array":         "graph g( x ) -> ( y ) { x = external(shape = [2, 3]); y = constant(shape = [1], value = [" + strings.Repeat("1.0, ", 50000) + "1]); }",
		"nested arrays":      "graph g( x ) -> ( y ) { x = external(shape = [2, 3]); y = exp(" + strings.Repeat("[", 500) + "1" + strings.Repeat("]", 500) + "); }",
		"nested type":        "fragment f( x: integer" + strings.Repeat("[]", 500) + " ) -> ( y: tensor<scalar> ) { y = x; }" + graph,
		"long comprehension": "graph g( x ) -> ( y ) { x = external(shape = [2, 3]); y = exp(" + strings.Repeat("[for i in ", 200) + "[1]" + strings.Repeat(" yield i]", 200) + "); }",
	} {
		start := time.Now()
		list, _ := run(t, text, flat.Options{})
		t.Logf("%s: %v, %d findings", name, time.Since(start).Round(time.Millisecond), len(list))
		if len(list) > 51 {
			t.Errorf("%s: %d findings", name, len(list))
		}
		_ = list.Render()
	}
}

// TestStandard holds the bodies that package std has to the rules.
func TestStandard(t *testing.T) {
	for _, d := range []syntax.Dialect{syntax.Final, syntax.Provisional} {
		lib := newWorld(&syntax.Document{Dialect: d})
		for _, f := range std.Of(d).Fragments() {
			e := eval.New(eval.Limits{})
			e.CheckFragment(eval.FromFragment(f, lib))
			if list := e.Diagnostics(); len(list) > 0 {
				t.Errorf("%v dialect: %s", d, list.Render())
			}
		}
	}
}
