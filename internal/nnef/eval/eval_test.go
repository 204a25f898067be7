package eval

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/concord-nn/concord/nnef/syntax"
)

// fake is a tensor that only has a type and a history.
type fake struct {
	item  syntax.Primitive
	shape []int
	how   string
}

func (t fake) Item() syntax.Primitive   { return t.item }
func (t fake) Extents() ([]int, bool)   { return t.shape, t.shape != nil }
func (t fake) SameTensor(u Tensor) bool { v, ok := u.(fake); return ok && v.how == t.how }

// fakes is a library whose atomic operations record how they were applied.
type fakes map[string]*Operation

func (l fakes) Operation(name string) *Operation { return l[name] }

func newFakes(t testing.TB, text string) fakes {
	t.Helper()
	list, err := syntax.ParseFragments("library", text)
	if err != nil {
		t.Fatal(err)
	}
	lib := make(fakes)
	for _, f := range list {
		op := FromFragment(f, lib)
		if f.Body == nil && op.Name != "unheard" {
			op.Apply = record
		}
		lib[op.Name] = op
	}
	return lib
}

func record(c *Invocation) ([]Value, error) {
	if c.Op.Name == "broken" {
		return nil, &Error{Code: CodeAttribute, Arg: "k", Msg: "k is broken"}
	}
	args := make([]string, len(c.Args))
	for i, a := range c.Args {
		args[i] = show(a)
	}
	how := fmt.Sprintf("%s(%s)", c.Op.Name, strings.Join(args, ", "))
	if len(c.Names) > 0 && c.Names[0] != "" {
		how = strings.Join(c.Names, ",") + ":" + how
	}
	var out []Value
	for _, r := range c.Op.Results {
		item := c.Type
		if list, ok := r.Type.(*syntax.ArrayType); ok {
			_ = list
			out = append(out, Array{fake{syntax.Scalar, []int{1}, how + ".0"}, fake{syntax.Scalar, []int{1}, how + ".1"}})
			continue
		}
		if t := r.Type.(*syntax.TensorType); t.Item != syntax.GenericType {
			item = t.Item
		}
		out = append(out, fake{item, []int{2, 3}, how})
	}
	return out, nil
}

func show(v Value) string {
	switch v := v.(type) {
	case fake:
		return v.how
	case Array:
		parts := make([]string, len(v))
		for i, x := range v {
			parts[i] = show(x)
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case Absent:
		return "absent"
	}
	return Text(v)
}

const library = `
fragment external<? = scalar>( shape: integer[] ) -> ( output: tensor<?> );
fragment copy<?>( x: tensor<?> ) -> ( y: tensor<?> );
fragment neg( x: tensor<scalar> ) -> ( y: tensor<scalar> );
fragment add( x: tensor<scalar>, y: tensor<scalar> ) -> ( z: tensor<scalar> );
fragment mul( x: tensor<scalar>, y: tensor<scalar> ) -> ( z: tensor<scalar> );
fragment lt( x: tensor<scalar>, y: tensor<scalar> ) -> ( z: tensor<logical> );
fragment not( x: tensor<logical> ) -> ( y: tensor<logical> );
fragment and( x: tensor<logical>, y: tensor<logical> ) -> ( z: tensor<logical> );
fragment pool( x: tensor<scalar>, size: integer[], pads: (integer,integer)[] = [], k: scalar = 1.0 ) -> ( y: tensor<scalar> );
fragment broken( x: tensor<scalar>, k: integer ) -> ( y: tensor<scalar> );
fragment split( x: tensor<scalar> ) -> ( y: tensor<scalar>[] );
fragment two( x: tensor<scalar> ) -> ( a: tensor<scalar>, b: tensor<scalar> );
fragment join<?>( x: tensor<?>[] ) -> ( y: tensor<?> );
fragment cast<?>( x: tensor<> ) -> ( y: tensor<?> );
fragment sum( x: tensor<scalar>[] ) -> ( y: tensor<scalar> ) { y = x[0] + sum(x[1:]) if length_of(x) > 0 else 0.0; }
fragment same<?>( x: tensor<?> ) -> ( y: tensor<?> ) { y = cast<?>(x); }
fragment pair( x: tensor<scalar> ) -> ( a: tensor<scalar>, b: tensor<scalar> ) { b = neg(x); a = b * 2.0; }
fragment deep( x: tensor<scalar> ) -> ( y: tensor<scalar> ) { y = deep(x); }
fragment take( p: (tensor<scalar>, integer)[] ) -> ( y: tensor<scalar> );
fragment unheard( x: tensor<scalar> ) -> ( y: tensor<scalar> );
fragment none( x: tensor<scalar> ) -> ( y: tensor<scalar> ) { z = neg(x); }
fragment copies( x: tensor<scalar> ) -> ( y: tensor<scalar>[] ) { y = [x] * 1000; }
fragment parts( x: tensor<scalar> ) -> ( y: tensor<scalar>[] ) { y = split(x); }
fragment mix( x: tensor<scalar> ) -> ( a: tensor<scalar>, b: tensor<scalar>[] ) { a = neg(x); b = split(x); }
fragment both( x: tensor<scalar> ) -> ( y: tensor<scalar> ) { y = both(x) + both(x); }
fragment again( x: tensor<scalar> ) -> ( y: tensor<scalar> ) { y = add(again(x), again(x)); }
fragment inner( x: tensor<scalar>, n: integer ) -> ( y: tensor<scalar> ) { y = broken(x, k = n / 0); }
`

// evaluate returns the value of an expression in which x, y are scalar tensors, c a logical one, v is [1, 2, 3] and a is
// absent.
func evaluate(t testing.TB, text string, limits Limits) (Value, error) {
	t.Helper()
	return evaluateBy(t, New(limits), text)
}

func evaluateBy(t testing.TB, e *Evaluator, text string) (Value, error) {
	t.Helper()
	x, err := syntax.ParseExpr("expr", text)
	if err != nil {
		t.Fatal(err)
	}
	f := &frame{place: &place{op: &Operation{Scope: newFakes(t, library), Source: syntax.NewSource("expr", text)}}, vars: scopeOf(map[string]Value{
		"x": fake{syntax.Scalar, []int{4, 5}, "x"}, "y": fake{syntax.Scalar, nil, "y"}, "c": fake{syntax.Logical, []int{}, "c"},
		"v": Array{int64(1), int64(2), int64(3)}, "a": Absent{}, "bad": poisoned{}, "n": Symbol("N")})}
	return e.eval(f, x, nil)
}

func scopeOf(values map[string]Value) scope {
	var s scope
	for name, v := range values {
		s.set(name, v)
	}
	return s
}

func TestExpressions(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"2 + 3 * 4", "14"}, {"7 / 2", "3"}, {"2 ^ 3 ^ 2", "64"}, {"true || false && false", "false"}, {"[1,2] * 2", "[1, 2, 1, 2]"},
		{"integer(-1.5)", "-2"}, {"-2 + 5", "3"}, {"-2 ^ 2", "4"}, {"2.0 ^ 0.5", "1.4142135623730951"}, {"2.0 ^ -2.0", "0.25"}, {"(-2.0) ^ 3.0", "-8.0"},
		{"1 < 2 && 2.0 >= 2.0", "true"}, {"'a' + 'b' * 3", "'abbb'"}, {"'ab'[1]", "'b'"}, {"'abc'[1:]", "'bc'"}, {"v[1:]", "[2, 3]"}, {"v[2:1]", "[]"},
		{"v[0]", "1"}, {"(1, 'z')[1]", "'z'"}, {"2 in v", "true"}, {"[1] in [[2], [1]]", "true"}, {"x in [y, x]", "true"},
		{"[for i in v if i != 2 yield i * 10]", "[10, 30]"}, {"[for i in v, j in range_of(v) yield (i, j)]", "[(1, 0), (2, 1), (3, 2)]"},
		{"shape_of(x)", "[4, 5]"}, {"shape_of(1.0)", "[]"}, {"length_of('four')", "4"}, {"range_of(v)", "[0, 1, 2]"},
		{"scalar('-1.5e1')", "-15.0"}, {"scalar(3)", "3.0"}, {"scalar(true)", "1.0"}, {"integer('12')", "12"}, {"integer(true)", "1"},
		{"logical(0.0)", "false"}, {"logical('')", "false"}, {"string(1.5)", "'1.5'"}, {"string(1.0)", "'1.0'"}, {"string('q')", "'q'"}, {"!true", "false"}, {"+3", "3"},
		{"1 if 2 > 1 else 1 / 0", "1"}, {"false && 1 / 0 == 1", "false"}, {"true || 1 / 0 == 1", "true"},
		{"x + 1.0", "add(x, 1.0)"}, {"-x * y", "mul(neg(x), y)"}, {"x < y && c", "and(lt(x, y), c)"}, {"pool(x, size = [1] + v)", "pool(x, [1, 1, 2, 3], [], 1.0)"},
		{"pool(x = x, k = 2.0, size = [], pads = [(1,2)])", "pool(x, [], [(1, 2)], 2.0)"}, {"join([x, y])", "join([x, y])"}, {"join([1, 2])", "join([1, 2])"},
		{"sum([x, y])", "add(x, add(y, 0.0))"}, {"same(c)", "cast(c)"}, {"[for z in [x, y] yield -z]", "[neg(x), neg(y)]"},
		{"integer(n)", "N"}, {"x + a", "x"}, {"a * x", "x"}, {"a - x", "absent"}, {"x / a", "x"}, {"neg(a)", "absent"}, {"-a", "absent"}, {"shape_of(a)", "[]"},
	} {
		v, err := evaluate(t, c.text, Limits{})
		if err != nil || show(v) != c.want {
			t.Errorf("%s: got %s, %v; want %s", c.text, show(v), err, c.want)
		}
	}
}

func TestExpressionErrors(t *testing.T) {
	for _, c := range []struct {
		text string
		code syntax.Code
		at   string // the part of the text that the error names
	}{
		{"unknown + 1", CodeUndefined, "unknown"}, {"f(x)", CodeUndeclared, "f"}, {"1 + 1.0", CodeOperands, "1 + 1.0"}, {"x + 1", CodeOperands, "x + 1"}, {"!x", CodeOperands, "!x"}, {"v == [1,2,3]", CodeOperands, "v == [1,2,3]"}, {"'a' in v", CodeOperands, "'a' in v"},
		{"v[3]", CodeIndex, "3"}, {"v[-1]", CodeIndex, "-1"}, {"v[1.0]", CodeOperands, "1.0"}, {"v[0:9]", CodeIndex, "v[0:9]"}, {"1[0]", CodeOperands, "1"}, {"x[0:1]", CodeOperands, "x"},
		{"1 / 0", CodeArithmetic, "1 / 0"}, {"2 ^ 63", CodeArithmetic, "2 ^ 63"}, {"2 ^ -1", CodeArithmetic, "2 ^ -1"}, {"9223372036854775807 + 1", CodeArithmetic, "9223372036854775807 + 1"},
		{"1.0 / 0.0", CodeArithmetic, "1.0 / 0.0"}, {"-(-9223372036854775807 - 1)", CodeArithmetic, "-(-9223372036854775807 - 1)"},
		{"[for i in v, j in [1] yield i]", CodeIteration, "[1]"}, {"[for v in v yield v]", CodeRedefined, "v"}, {"[for i in 1 yield i]", CodeOperands, "1"}, {"[for i in v if i yield i]", CodeOperands, "i"},
		{"1 if c else 2", CodeOperands, "c"}, {"integer('1x')", CodeConversion, "'1x'"}, {"integer(1.0e300)", CodeConversion, "1.0e300"}, {"scalar(v)", CodeOperands, "v"}, {"shape_of(y)", CodeUnknown, "shape_of(y)"},
		{"shape_of(v)", CodeOperands, "v"}, {"length_of(x)", CodeOperands, "x"}, {"1 in 2", CodeOperands, "2"}, {"true + false", CodeOperands, "true + false"}, {"[1] + 1", CodeOperands, "[1] + 1"}, {"n + 1", CodeUnknown, "n + 1"},
		{"add(x, y, x)", CodeTooMany, "x"}, {"add(x)", CodeMissing, "add(x)"}, {"add(x, x = y)", CodeDuplicate, "x"}, {"add(x, w = y)", CodeParameter, "w"}, {"pool(x, [1])", CodePositional, "[1]"},
		{"add(x = x, y)", CodePositional, "y"}, {"pool(x, size = [1.0])", CodeType, "[1.0]"}, {"pool(x, size = [], k = 1)", CodeType, "1"}, {"pool(x, size = [], pads = [(1,2,3)])", CodeType, "[(1,2,3)]"},
		{"neg(c)", CodeType, "c"}, {"neg<scalar>(x)", CodeGeneric, "neg<scalar>(x)"}, {"join([x, c])", CodeCommon, "c"}, {"[1, 2.0]", CodeCommon, "2.0"}, {"join([])", CodeGeneric, "join([])"}, {"cast(x)", CodeGeneric, "cast(x)"}, {"cast<?>(x)", CodeGeneric, "cast"},
		{"none(x)", CodeUnassigned, "none(x)"}, {"unheard(x)", CodeNoBody, "unheard(x)"}, {"scalar(n)", CodeUnknown, "scalar(n)"}, {"v[n]", CodeUnknown, "n"},
		{"[[], ['a']] + [[1]]", CodeOperands, "[[], ['a']] + [[1]]"}, {"[] - 1", CodeOperands, "[] - 1"},
		{"broken(x, k = 1)", CodeAttribute, "1"}, {"neg(two(x))", CodeNested, "two(x)"}, {"deep(x)", CodeLimit, ""}, {"inner(x, n = 1)", CodeArithmetic, ""},
	} {
		v, err := evaluate(t, c.text, Limits{})
		var d *fault
		if !errors.As(err, &d) || d.Code != c.code {
			t.Errorf("%s: got %s, %v; want code %v", c.text, show(v), err, c.code)
			continue
		}
		if got := d.Source.Text[d.From:d.To]; c.at != "" && got != c.at {
			t.Errorf("%s: the error names %q; want %q", c.text, got, c.at)
		}
	}
	if _, err := evaluate(t, "bad + 1", Limits{}); !errors.Is(err, follows{}) {
		t.Errorf("an identifier whose assignment failed gives %v", err)
	}
}

func TestLimits(t *testing.T) {
	for text, limits := range map[string]Limits{
		"[0] * 1000000000000":                                     {},
		"'a' * 4611686018427387904 * 4":                           {},
		"[0, 1] * 9223372036854775807":                            {},
		"[for i in [0] * 100 yield [for j in [0] * 100 yield j]]": {Items: 5000},
		"[for i in [0] * 100 yield i + 1]":                        {Steps: 50},
		"neg(neg(neg(x)))":                                        {Calls: 2},
		"deep(x)":                                                 {Depth: 10},
		"copies(x)":                                               {Items: 1500}, // once they are made, and once they are looked at
		"both(x)":                                                 {},
		"again(x)":                                                {},
		// Each of these does much with little text.
		"[for i in [0] * 1000000 yield length_of([1, 2, 3, 4])]": {Items: 1 << 20},
		"[for i in [0] * 500000 if 1 in [0] * 1000 yield i]":     {Items: 1 << 20},
		"[for i in [0] * 500000 if 'a' * 1000 == 'b' yield i]":   {Items: 1 << 20},
		"([[[[[v * 99] * 99] * 99] * 99] * 99] * 99) == v":       {Items: 1 << 20},
		"scalar('0' * 60000000)":                                 {Items: 1 << 20},
		"join([[x] * 40000000][0])":                              {Items: 1 << 20},
	} {
		_, err := evaluate(t, text, limits)
		var d *fault
		if !errors.As(err, &d) || d.Code != CodeLimit {
			t.Errorf("%s: got %v; want a limit", text, err)
		}
	}
	e := New(Limits{Steps: 4})
	e.checking = true
	_, err := evaluateBy(t, e, "add(x + y, y + x)")
	if e.report(err); len(e.Diagnostics()) != 1 {
		t.Errorf("a limit is told as %v", e.Diagnostics())
	}
}

// TestSharedItems holds values to being counted as large as they are to walk through, however few items are stored.
func TestSharedItems(t *testing.T) {
	body := "t0 = [1, 1];\n"
	for i := range 60 {
		body += fmt.Sprintf("t%d = [t%d, t%d];\n", i+1, i, i)
	}
	list, err := syntax.ParseFragments("f", "fragment f( x: tensor<scalar> ) -> ( y: tensor<scalar> ) {"+body+"y = x if t60 == t60 else -x; }")
	if err != nil {
		t.Fatal(err)
	}
	_, err = New(Limits{Items: 1 << 16}).Expand(FromFragment(list[0], newFakes(t, library)), []Value{fake{syntax.Scalar, nil, "x"}}, nil)
	var diags syntax.Diagnostics
	if !errors.As(err, &diags) || diags[0].Code != CodeLimit {
		t.Errorf("got %v; want a limit", err)
	}
	var nested Value = Tuple{int64(1), int64(2)}
	for range 60 {
		nested = Tuple{nested, nested}
	}
	if text := Text(nested) + new(Evaluator).typeName(nested); len(text) > 10000 {
		t.Errorf("a message would have %d bytes", len(text))
	}
}

// TestManyArguments finds each of many parameters by its name.
func TestManyArguments(t *testing.T) {
	var params, args []string
	for i := range 100 {
		params = append(params, fmt.Sprintf("p%d: integer", i))
		args = append(args, fmt.Sprintf("p%d = %d", 99-i, i))
	}
	lib := newFakes(t, library+"fragment many( "+strings.Join(params, ", ")+" ) -> ( y: integer ) { y = p7; }")
	x, err := syntax.ParseExpr("expr", "many("+strings.Join(args, ", ")+")")
	if err != nil {
		t.Fatal(err)
	}
	if v, err := New(Limits{}).eval(&frame{place: &place{op: &Operation{Scope: lib}}}, x, nil); err != nil || v != int64(92) {
		t.Errorf("got %v, %v; want 92", v, err)
	}
}

// graphOf evaluates the body of a graph and shows its values and diagnostics.
func graphOf(t *testing.T, body string) (func(name string) (Value, bool), syntax.Diagnostics) {
	t.Helper()
	text := "version 1.0;\ngraph net( p ) -> ( r )\n{\n" + body + "\n}\n"
	doc, err := syntax.Parse("g", []byte(text), syntax.Options{})
	if err != nil {
		t.Fatal(err)
	}
	e := New(Limits{})
	return e.Graph(doc.Graph, newFakes(t, library), nil), e.Diagnostics()
}

func TestGraph(t *testing.T) {
	vars, diags := graphOf(t, `p = external(shape = [2]);
m, n = pair(p);
[s, u] = split(m);
w = s + u;
[k, l] = parts(p);
o, [q, v] = mix(p);
r = sum([w, n]);`)
	if err := diags.Err(); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"n": "n:neg(p:external([2]))",
		"m": "m:mul(n:neg(p:external([2])), 2.0)",
		"u": "s,u:split(m:mul(n:neg(p:external([2])), 2.0)).1",
		"k": "k,l:split(p:external([2])).0",
		"v": "split(p:external([2])).1",
	} {
		v, _ := vars(name)
		if got := show(v); got != want {
			t.Errorf("%s = %s; want %s", name, got, want)
		}
	}
	r, _ := vars("r")
	if got := show(r); !strings.HasPrefix(got, "r:add(w:add(") {
		t.Errorf("r = %s", got)
	}
}

// TestGraphErrors holds an evaluation to reporting every mistake once, and nothing that follows from one.
func TestGraphErrors(t *testing.T) {
	_, diags := graphOf(t, `p = external(shape = [2]);
a = neg(q);
b = neg(a);
c = add(b, p);
k = add(b, nowhere);
d = neg(p, p);
p = neg(p);
e, f = neg(p);
[g, g2] = split(p);
h = split(p);
i = 1;
j = two(p);
kk = pair(p);
l = not(p);
`)
	var got []string
	for i := range diags {
		got = append(got, fmt.Sprintf("%d:%v", diags[i].Position().Line, diags[i].Code))
	}
	want := "2:NNEF0504 5:NNEF0501 8:NNEF0501 9:NNEF0601 10:NNEF0503 11:NNEF0801 13:NNEF0901 14:NNEF0901 15:NNEF0901 16:NNEF0901 17:NNEF0701"
	if text := strings.Join(got, " "); text != want {
		t.Errorf("got  %s\nwant %s\n%s", text, want, diags.Render())
	}
}

// TestGraphValues holds what depends on values to being found as long as nothing else is wrong.
func TestGraphValues(t *testing.T) {
	_, diags := graphOf(t, `p = external(shape = [2]);
[a] = split(p);
b = pool(p, size = [[1][3]]);
c = broken(p, k = 1 / 0);
d = neg(a);
r = neg(b);`)
	var got []string
	for i := range diags {
		got = append(got, fmt.Sprintf("%d:%v", diags[i].Position().Line, diags[i].Code))
	}
	if text := strings.Join(got, " "); text != "5:NNEF0801 6:NNEF1001 7:NNEF1004" {
		t.Errorf("got %s\n%s", text, diags.Render())
	}
}

// TestTrace holds an error in a fragment to naming its place and the invocation.
func TestTrace(t *testing.T) {
	text := "version 1.0;\nfragment f( x: tensor<scalar> ) -> ( y: tensor<scalar> )\n{\n    y = neg(z);\n}\n" +
		"graph net( p ) -> ( r )\n{\n    p = external(shape = [2]);\n    r = f(p);\n}\n"
	doc, err := syntax.Parse("g", []byte(text), syntax.Options{})
	if err != nil {
		t.Fatal(err)
	}
	lib := newFakes(t, library)
	lib["f"] = FromFragment(doc.Fragments[0], lib)
	e := New(Limits{})
	e.Graph(doc.Graph, lib, nil)
	want := `g:4:13: name error [NNEF0501]: z has no value here
  4 |     y = neg(z);
    |             ^
  g:9:9: in the invocation of f
  9 |     r = f(p);
    |         ^^^^
`
	if got := e.Diagnostics().Render(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestPower compares powers with exponents that are not integral to numbers known otherwise.
func TestPower(t *testing.T) {
	for _, c := range []struct{ a, b, want float64 }{
		{2, 0.25, 1.189207115002721}, {10, 0.3, 1.9952623149688795}, {0.5, 1.5, 0.35355339059327373}, {3, -2.5, 0.06415002990995841},
		{1e300, 0.1, 1e30}, {7, 2.75, 210.87233646228367}, {0, 0.5, 0}, {1, 0.123, 1},
	} {
		x := &syntax.Binary{Op: syntax.Power, X: &syntax.ScalarLit{Value: c.a}, Y: &syntax.ScalarLit{Value: c.b}}
		v, err := New(Limits{}).eval(&frame{place: &place{op: &Operation{}}}, x, nil)
		got, ok := v.(float64)
		if !ok || err != nil {
			t.Fatal(v, err)
		}
		if diff := (got - c.want) / max(c.want, 1); diff > 1e-9 || diff < -1e-9 {
			t.Errorf("%v ^ %v = %v; want %v", c.a, c.b, got, c.want)
		}
	}
}
