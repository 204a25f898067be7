package eval

import (
	"errors"
	"strings"
	"testing"

	"github.com/concord-nn/concord/nnef/syntax"
)

// TestCheckedExpressions holds the types of expressions whose values are not known.
func TestCheckedExpressions(t *testing.T) {
	prim := func(p syntax.Primitive) Value { return unknowns[p] }
	vars := map[string]Value{
		"x": unknownTensor{syntax.Scalar}, "c": unknownTensor{syntax.Logical}, "u": unknownTensor{syntax.NoPrimitive}, "q": unknownTensor{syntax.GenericType},
		"any": unknownTensor{anyItem}, "n": prim(syntax.Integer), "s": prim(syntax.Scalar), "b": prim(syntax.Logical), "t": prim(syntax.String),
		"v": Unknown{arrayTypes[syntax.Integer], 3}, "w": Unknown{arrayOf(tensorType(syntax.Scalar)), -1},
		"p": Tuple{prim(syntax.Integer), unknownTensor{syntax.Scalar}},
	}
	for _, c := range []struct{ text, want string }{
		{"n + 1", "integer"}, {"s ^ 2.0", "scalar"}, {"t + 'a' * n", "string"}, {"v + [n] * 2", "integer[]"}, {"n < 2", "logical"}, {"!b && n == 1", "logical"},
		{"x + s", "tensor<scalar>"}, {"x < y(x)", "undeclared"}, {"x < s", "tensor<logical>"}, {"-x", "tensor<scalar>"}, {"c && b", "tensor<logical>"},
		{"v[n]", "integer"}, {"v[n:]", "integer[]"}, {"w[0]", "tensor<scalar>"}, {"t[n]", "string"}, {"p[0]", "integer"}, {"p[1]", "tensor<scalar>"}, {"'abc'[n]", "string"},
		{"[x, 1.0]", "tensor<scalar>[]"}, {"[[], [1]]", "integer[][]"}, {"[(n, x), (1, 2.0)]", "(integer, tensor<scalar>)[]"}, {"[]", "[]"},
		{"x if b else 0.0", "tensor<scalar>"}, {"[] if b else v", "integer[]"}, {"n in v", "logical"}, {"x in [x]", "logical"},
		{"[for i in v, z in w yield z * scalar(i)]", "tensor<scalar>[]"}, {"[for i in v if i > 0 yield i]", "integer[]"},
		{"shape_of(x)", "integer[]"}, {"length_of(t)", "integer"}, {"range_of(v)", "integer[]"}, {"string(n)", "string"}, {"integer(s)", "integer"},
		{"two(x)", "(tensor<scalar>, tensor<scalar>)"}, {"split(x)", "tensor<scalar>[]"}, {"join([c])", "tensor<logical>"}, {"join([q])", "tensor<?>"},
		{"join([any])", "tensor"}, {"cast<scalar>(u)", "tensor<scalar>"}, {"deep(x)", "tensor<scalar>"}, {"neg(any)", "tensor<scalar>"},
		{"[1][5]", "integer"}, {"1 / 0", "integer"}, {"integer('x')", "integer"}, {"[for i in [1], j in [1, 2] yield i]", "integer[]"},
		{"[][0:0]", "[]"}, {"[x, any]", "tensor[]"}, {"neg(u)", "type"}, {"neg(q)", "type"}, {"s if n else s", "type"}, {"n if b else s", "type"}, {"[n, s]", "type"}, {"n in [s]", "type"}, {"v == v", "type"},
		{"s + n", "type"}, {"q + 1.0", "type"}, {"p[n]", "type"}, {"p[0:1]", "type"}, {"neg(p[0])", "type"}, {"[for i in n yield i]", "type"}, {"1 if true else neg(n)", "type"},
		{"false && neg(n)", "type"}, {"[for i in v yield i + s]", "type"}, {"two(two(x)[0])[1]", "tensor<scalar>"}, {"neg(two(x))", "type"},
	} {
		x, err := syntax.ParseExpr("expr", c.text)
		if err != nil {
			t.Fatal(err)
		}
		e := New(Limits{})
		e.checking = true
		v, err := e.eval(&frame{place: &place{op: &Operation{Scope: newFakes(t, library), Source: syntax.NewSource("expr", c.text)}}, vars: scopeOf(vars)}, x, nil)
		got := e.typeName(v)
		e.report(err)
		if list := e.Diagnostics(); len(list) > 0 {
			d := &list[0]
			got = d.Class().String()
			if d.Code == CodeUndeclared {
				got = "undeclared"
			}
		}
		if got != c.want {
			t.Errorf("%s: %s, %v; want %s", c.text, got, e.Diagnostics(), c.want)
		}
	}
}

// TestConstants holds literals in the places of tensors to being operands of operations, not of arithmetic.
func TestConstants(t *testing.T) {
	fragments := `
fragment f( x: tensor<scalar>, a: tensor<scalar> = 0.5 ) -> ( y: tensor<scalar> ) { y = x * (a + 1.0); }
fragment g( x: tensor<scalar>, a: scalar = 0.5 ) -> ( y: tensor<scalar> ) { y = x * (a + 1.0); }
fragment half( x: tensor<scalar> ) -> ( y: tensor<scalar> ) { y = 0.5; }
fragment h( x: tensor<scalar> ) -> ( y: tensor<scalar> ) { y = half(x) + 1.0; }
fragment k( x: tensor<scalar>[] ) -> ( y: tensor<scalar> ) { y = x[0] + x[1]; }
fragment m( x: tensor<scalar> ) -> ( y: tensor<scalar> ) { z = x if false else 2.0; y = z + 1.0; }
fragment tup( p: (tensor<scalar>, integer) ) -> ( y: tensor<scalar> ) { y = take([p]); }
fragment twice( x: tensor<scalar>[] ) -> ( y: tensor<scalar> ) { a = join(x); y = x[0] + x[1]; }
fragment o( x: tensor<scalar> ) -> ( y: tensor<scalar> ) { z = [x, 1.0]; y = z[1] + 1.0; }
`
	for text, want := range map[string]string{
		"f(x)":              "mul(x, add(0.5, 1.0))",
		"f(x, 2.0)":         "mul(x, add(2.0, 1.0))",
		"g(x)":              "mul(x, 1.5)",
		"h(x)":              "add(0.5, 1.0)",
		"k([1.0, 2.0])":     "add(1.0, 2.0)",
		"twice([1.0, 2.0])": "add(1.0, 2.0)",
		"tup((2.0, 1))":     "take([(2.0, 1)])",
		"k([x, 2.0])":       "add(x, 2.0)",
		"m(x)":              "add(2.0, 1.0)",
		"o(x)":              "add(1.0, 1.0)",
		"join([1.0, 2.0])":  "join([1.0, 2.0])",
	} {
		x, err := syntax.ParseExpr("expr", text)
		if err != nil {
			t.Fatal(err)
		}
		f := &frame{place: &place{op: &Operation{Scope: newFakes(t, library+fragments)}}, vars: scopeOf(map[string]Value{"x": fake{syntax.Scalar, nil, "x"}})}
		if v, err := New(Limits{}).eval(f, x, nil); err != nil || show(v) != want {
			t.Errorf("%s: %s, %v; want %s", text, show(v), err, want)
		}
	}
}

// TestUntyped holds tensors of which the caller does not know the type, results of custom operations for instance, to
// fitting everywhere.
func TestUntyped(t *testing.T) {
	for text, want := range map[string]string{
		"neg(z)": "neg(z)", "join([z, z])": "join([z, z])", "join([z, x])": "join([z, x])", "same(z)": "cast(z)", "z + 1.0": "add(z, 1.0)", "z && z": "and(z, z)",
		"with(z)": "join([z, 1.0])", "strange(z)": "remove <?>",
	} {
		x, err := syntax.ParseExpr("expr", text)
		if err != nil {
			t.Fatal(err)
		}
		f := &frame{place: &place{op: &Operation{Scope: newFakes(t, library+`
fragment with<?>( x: tensor<?> ) -> ( y: tensor<?> ) { y = join<?>([x, 1.0]); }
fragment strange<?>( x: tensor<?> ) -> ( y: tensor<?> ) { y = neg<?>(x); }
`)}}, vars: scopeOf(map[string]Value{"x": fake{syntax.Scalar, nil, "x"}, "z": fake{syntax.NoPrimitive, nil, "z"}})}
		v, err := New(Limits{}).eval(f, x, nil)
		got := show(v)
		if d := (*fault)(nil); errors.As(err, &d) {
			got = d.Hint
		}
		if y, ok := v.(fake); got != want || ok && y.item == anyItem {
			t.Errorf("%s: %s, %v; want %s", text, got, err, want)
		}
	}
}

// TestSite holds the place of an invocation to naming the bodies around it and the arguments that are given.
func TestSite(t *testing.T) {
	text := "version 1.0;\nfragment f( x: tensor<scalar> ) -> ( y: tensor<scalar> )\n{\n    y = pool(-x, size = [1]);\n}\n" +
		"graph net( p ) -> ( r )\n{\n    p = external(shape = [2]);\n    r = f(p);\n}\n"
	doc, err := syntax.Parse("g", []byte(text), syntax.Options{})
	if err != nil {
		t.Fatal(err)
	}
	lib := newFakes(t, library)
	lib["f"] = FromFragment(doc.Fragments[0], lib)
	sites := make(map[string]*Site)
	for _, op := range lib {
		if op.Apply != nil {
			op.Apply = func(c *Invocation) ([]Value, error) {
				sites[c.Op.Name] = c.Site
				return record(c)
			}
		}
	}
	e := New(Limits{})
	e.Graph(doc.Graph, lib, nil)
	if err := e.Diagnostics().Err(); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"pool": "f: pool(-x, size = [1]) < net: f(p)", "neg": "f: -x < net: f(p)", "external": "net: external(shape = [2])"} {
		var steps []string
		for _, s := range sites[name].Trace() {
			steps = append(steps, s.Name+": "+s.Source.Text[s.Span.From:s.Span.To])
		}
		if got := strings.Join(steps, " < "); got != want {
			t.Errorf("%s: %s; want %s", name, got, want)
		}
	}
	var given []bool
	for i := range 5 {
		given = append(given, sites["pool"].Given(i))
	}
	if want := []bool{true, true, false, false, false}; [5]bool(given) != [5]bool(want) {
		t.Errorf("given arguments of pool: %v; want %v", given, want)
	}
	d := sites["pool"].Diagnostic(&Error{Code: CodeAttribute, Arg: "size", Msg: "wrong"})
	if got := text[d.From:d.To]; got != "[1]" || len(d.Related) != 1 {
		t.Errorf("the diagnostic is about %q: %s", got, d.Render())
	}
	sum, err := syntax.ParseExpr("expr", "a + b")
	if err != nil {
		t.Fatal(err)
	}
	if s := (&Site{op: lib["add"], x: sum}); s.Names(0)[0] != "a" || s.Names(1)[0] != "b" {
		t.Errorf("the operands are %v and %v", s.Names(0), s.Names(1))
	}
	d = sites["neg"].Diagnostic(errors.New("wrong"))
	if got := text[d.From:d.To]; got != "-x" || d.Code != CodeShape {
		t.Errorf("the diagnostic is about %q: %s", got, d.Render())
	}
}

// TestRepeatedLists holds literals that occur again to having their own values.
func TestRepeatedLists(t *testing.T) {
	for text, want := range map[string]string{
		"[[1, 2], [1, 2], [2, 1], [1.0], [-0.0], [0.0]][0:3] + [[1, 2]]": "",
		"[(1, 2), (1, 2), (2, 1)] + [(1, 2)]":                            "[(1, 2), (1, 2), (2, 1), (1, 2)]",
		"[[1, 2], [1, 2], [2, 1]] + [[1, 2] + [3]]":                      "[[1, 2], [1, 2], [2, 1], [1, 2, 3]]",
		"string([1.0][0]) + string([1][0]) + string([-1][0])":            "'1.01-1'",
		"[1, 2] * 2 + [1, 2]":                                            "[1, 2, 1, 2, 1, 2]",
	} {
		v, err := evaluate(t, text, Limits{})
		if got := Text(v); want == "" && err == nil || want != "" && (err != nil || got != want) {
			t.Errorf("%s: %s, %v; want %s", text, got, err, want)
		}
	}
}

// TestDialect holds messages to the words of the provisional dialect.
func TestDialect(t *testing.T) {
	text := "version 1.0\nfragment f( x: tensor, n: extent ) -> ( y: tensor )\n{\n    y = x + n\n    z = n + 1.0\n    w = lt(x, 0.5) + n\n}\ngraph net( p ) -> ( r )\n{\n    p = external(shape = [2])\n    r = f(p, n = 1)\n}\n"
	doc, err := syntax.Parse("g", []byte(text), syntax.Options{})
	if err != nil {
		t.Fatal(err)
	}
	lib := newFakes(t, library)
	e := New(Limits{}).For(doc)
	e.CheckFragment(FromFragment(doc.Fragments[0], lib))
	got := e.Diagnostics().Render()
	for _, want := range []string{"+ does not take tensor and extent", "+ does not take extent and scalar", "+ does not take tensor of logical and extent", "scalar(…) or extent(…)"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing:\n%s", want, got)
		}
	}
}
