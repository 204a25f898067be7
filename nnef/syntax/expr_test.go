package syntax_test

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/concord-nn/concord/nnef/syntax"
)

// dump writes an expression with all its structure in parentheses.
func dump(x syntax.Expr) string {
	list := func(items []syntax.Expr) string {
		parts := make([]string, len(items))
		for i, item := range items {
			parts[i] = dump(item)
		}
		return strings.Join(parts, " ")
	}
	switch x := x.(type) {
	case nil:
		return "_"
	case *syntax.IntegerLit:
		return strconv.FormatInt(x.Value, 10)
	case *syntax.ScalarLit:
		return syntax.FormatScalar(x.Value)
	case *syntax.LogicalLit:
		return strconv.FormatBool(x.Value)
	case *syntax.StringLit:
		return fmt.Sprintf("%q", x.Value)
	case *syntax.Ident:
		return x.Name
	case *syntax.Array:
		return "[" + list(x.Items) + "]"
	case *syntax.Tuple:
		return "(tuple " + list(x.Items) + ")"
	case *syntax.Subscript:
		return "(at " + list([]syntax.Expr{x.X, x.Index}) + ")"
	case *syntax.Range:
		return "(range " + list([]syntax.Expr{x.X, x.First, x.Last}) + ")"
	case *syntax.Unary:
		return "(" + x.Op.String() + " " + dump(x.X) + ")"
	case *syntax.Binary:
		return "(" + x.Op.String() + " " + dump(x.X) + " " + dump(x.Y) + ")"
	case *syntax.Select:
		return "(if " + list([]syntax.Expr{x.Cond, x.Then, x.Else}) + ")"
	case *syntax.Comprehension:
		parts := []string{"(for"}
		for _, it := range x.Iterators {
			parts = append(parts, it.Name.Name+":"+dump(it.In))
		}
		return strings.Join(append(parts, dump(x.Cond), dump(x.Item)), " ") + ")"
	case *syntax.BuiltinCall:
		return "(" + x.Func.String() + "! " + dump(x.Arg) + ")"
	case *syntax.Call:
		head := "(" + x.Name.Name
		if x.Type != syntax.NoPrimitive {
			head += "<" + x.Type.String() + ">"
		}
		parts := []string{head}
		for _, arg := range x.Args {
			name := ""
			if arg.Name != nil {
				name = arg.Name.Name + "="
			}
			parts = append(parts, name+dump(arg.Value))
		}
		return strings.Join(parts, " ") + ")"
	}
	return fmt.Sprintf("%T", x)
}

func TestExpressions(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"1", "1"}, {"007", "7"}, {"-5", "-5"}, {"- 5", "-5"}, {"--5", "(- -5)"}, {"-(5)", "(- 5)"},
		{"-9223372036854775808", "-9223372036854775808"}, {"9223372036854775807", "9223372036854775807"},
		{"1.5", "1.5"}, {"10e3", "10000.0"}, {"2.5E-2", "0.025"}, {"-1e-3", "-0.001"}, {"1e-400", "0.0"},
		{"'a'", `"a"`}, {`"it's"`, `"it's"`}, {`'it\'s \\'`, `"it's \\"`}, {"true", "true"},
		{"a+b*c", "(+ a (* b c))"}, {"a-b-c", "(- (- a b) c)"}, {"2 ^ 3 ^ 2", "(^ (^ 2 3) 2)"},
		{"-x*2+1", "(+ (* (- x) 2) 1)"}, {"-x ^ 2", "(^ (- x) 2)"}, {"-2 ^ 2", "(^ -2 2)"}, {"-x[0]", "(- (at x 0))"},
		{"-1[0]", "(- (at 1 0))"}, {"!a && b", "(&& (! a) b)"}, {"a || b && c", "(&& (|| a b) c)"},
		{"a < b && c >= d", "(&& (< a b) (>= c d))"}, {"a == b + 1", "(== a (+ b 1))"}, {"i in a + b", "(in i (+ a b))"},
		{"a && b in c", "(in (&& a b) c)"}, {"(a + b) * c", "(* (+ a b) c)"}, {"+x", "(+ x)"}, {"!!x", "(! (! x))"},
		{"a if b else c", "(if b a c)"}, {"a if b else c if d else e", "(if b a (if d c e))"},
		{"a if b if c else d else e", "(if (if c b d) a e)"}, {"a + 1 if b else c", "(if b (+ a 1) c)"},
		{"[]", "[]"}, {"[1, [2, x]]", "[1 [2 x]]"}, {"(1, (a, b))", "(tuple 1 (tuple a b))"}, {"((a))", "a"},
		{"a[1]", "(at a 1)"}, {"a[1:2]", "(range a 1 2)"}, {"a[:]", "(range a _ _)"}, {"a[i+1:][:2]", "(range (range a (+ i 1) _) _ 2)"},
		{"[1.0][0]", "(at [1.0] 0)"}, {"(1, 2)[0]", "(at (tuple 1 2) 0)"}, {"f(x)[0]", "(at (f x) 0)"},
		{"[for i in a yield i]", "(for i:a _ i)"},
		{"[for i in a, j in b if i < j yield i if j else k]", "(for i:a j:b (< i j) (if j i k))"},
		{"f(x, y = 1)", "(f x y=1)"}, {"f(x == 1)", "(f (== x 1))"}, {"f<integer>(x)", "(f<integer> x)"}, {"f<?>(x)", "(f<?> x)"},
		{"a < integer(b)", "(< a (integer! b))"}, {"a < scalar(b) > c", "(> (< a (scalar! b)) c)"}, {"a < b > c", "(> (< a b) c)"},
		{"length_of(a + b)", "(length_of! (+ a b))"}, {"string(1)", "(string! 1)"}, {"extent(x)", "(extent x)"},
	} {
		x, err := syntax.ParseExpr("expr", c.text)
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		if got := dump(x); got != c.want {
			t.Errorf("%s: %s, want %s", c.text, got, c.want)
		}
		if x.Pos() != 0 && c.text[0] != '(' {
			t.Errorf("%s: starts at %d", c.text, x.Pos())
		}
		if int(x.End()) != len(c.text) && c.text[0] != '(' && c.text[0] != '-' {
			t.Errorf("%s: ends at %d", c.text, x.End())
		}
		text, err := syntax.FormatExpr(x, syntax.Final)
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		again, err := syntax.ParseExpr("formatted", text)
		if err != nil || dump(again) != c.want {
			t.Errorf("%s is written %s: %v", c.text, text, err)
		}
	}
}

func TestBadExpressions(t *testing.T) {
	for _, c := range []struct {
		text string
		code syntax.Code
		at   syntax.Pos
	}{
		{"", syntax.CodeUnexpected, 0}, {"1 2", syntax.CodeUnexpected, 2}, {"a +", syntax.CodeUnexpected, 3}, {"()", syntax.CodeTuple, 0},
		{"(a", syntax.CodeUnexpected, 2}, {"[a, ]", syntax.CodeUnexpected, 4}, {"a[]", syntax.CodeEmpty, 2}, {"a[1", syntax.CodeUnexpected, 3},
		{"f()", syntax.CodeEmpty, 2}, {"f(a, )", syntax.CodeUnexpected, 5}, {"f(a = )", syntax.CodeUnexpected, 6}, {"length_of(a, b)", syntax.CodeUnexpected, 11},
		{"length_of", syntax.CodeUnexpected, 9}, {"a if b", syntax.CodeUnexpected, 6}, {"[for i in a]", syntax.CodeUnexpected, 11},
		{"[i for i in a]", syntax.CodeOtherDialect, 3}, {"f<float>(x)", syntax.CodeUnexpected, 2}, {"f<tensor>(x)", syntax.CodeUnexpected, 2},
		{"graph", syntax.CodeUnexpected, 0}, {"a & b", syntax.CodeCharacter, 2}, {"a @ b", syntax.CodeCharacter, 2}, {"é", syntax.CodeCharacter, 0},
		{"1.2.3", syntax.CodeNumber, 0}, {".5", syntax.CodeNumber, 0}, {"1.", syntax.CodeNumber, 0}, {"0x48", syntax.CodeNumber, 0}, {"1e", syntax.CodeNumber, 0},
		{"1e+", syntax.CodeNumber, 0}, {"1_000", syntax.CodeNumber, 0}, {"9223372036854775808", syntax.CodeRange, 0},
		{"-9223372036854775809", syntax.CodeRange, 0}, {"1e999", syntax.CodeRange, 0}, {"'abc", syntax.CodeUnterminated, 0}, {"'a\nb'", syntax.CodeUnterminated, 0},
		{`'a\nb'`, syntax.CodeEscape, 2}, {`'a\"b'`, syntax.CodeEscape, 2}, {`'abc\'`, syntax.CodeUnterminated, 0}, {"'a\tb'", syntax.CodeStringContent, 2},
		{"'é'", syntax.CodeStringContent, 1}, {"'\xff'", syntax.CodeStringContent, 1}, {`i"a"`, syntax.CodeUnexpected, 1},
	} {
		_, err := syntax.ParseExpr("expr", c.text)
		var list syntax.Diagnostics
		if !errors.As(err, &list) {
			t.Errorf("%q is accepted", c.text)
			continue
		}
		if list[0].Code != c.code || list[0].From != c.at {
			t.Errorf("%q: %v at %d, want %v at %d", c.text, list[0].Error(), list[0].From, c.code, c.at)
		}
	}
}

func TestProvisionalExpressions(t *testing.T) {
	for _, c := range []struct{ body, want string }{
		{"y = [i if i > 1 else 2 for i in a if i < 3]", "(for i:a (< i 3) (if (> i 1) i 2))"},
		{"y = a, b if c else d, 1", "(tuple a (if c b d) 1)"},
		{"y = extent(x) + integer(x)", "(+ (integer! x) (integer x))"},
		{"y = yield", "yield"},
		// What follows in the next line begins a new assignment or continues the expression.
		{"y = x\n[a, b] = z", "x"}, {"y = x[a]\n(a, b) = z", "(at x a)"}, {"y = x\n(a, [b]) = z", "x"}, {"y = x\n[] = z", "x"},
		{"y = x\n[a]", "(at x a)"}, {"y = x\n(a, b)", "(x a b)"}, {"y = x [a == b]", "(at x (== a b))"},
		{"y = -1\n[a, b] = z", "-1"}, {"y = x # [\n[a, # ]\nb] = z", "x"}, {"y = (x)\n(a, b) = z", "x"},
		{"y = f(x)\na, b = z", "(f x)"}, {"y = f(x);a = b", "(f x)"},
	} {
		doc := mustParse(t, oldFragment(c.body), syntax.Options{})
		if got := dump(doc.Fragments[0].Body[0].Right); got != c.want {
			t.Errorf("%s: %s, want %s", c.body, got, c.want)
		}
		checkRoundTrip(t, doc, syntax.Options{})
	}
}

func TestParseBody(t *testing.T) {
	text := "m, v = moments(x, axes = axes);\n# normalised\ny = (x - m) / sqrt(v + epsilon);"
	list, err := syntax.ParseBody("normalize", text)
	if err != nil {
		t.Fatal(err)
	}
	if len(list) != 2 || list[1].Comments.Before[0] != "# normalised" {
		t.Fatalf("%+v", list)
	}
	var names []string
	for id := range list[0].Names() {
		names = append(names, id.Name)
	}
	if strings.Join(names, " ") != "m v" {
		t.Errorf("names %v", names)
	}
	if at := syntax.NewSource("normalize", text).Position(list[1].Right.Pos()); at.String() != "normalize:3:5" {
		t.Errorf("position %v", at)
	}
	for text, want := range map[string]string{
		"":          "normalize:1:1: syntax error [NNEF0206]: a body needs at least one assignment",
		"y = x":     "normalize:1:6: syntax error [NNEF0203]: expected ';' before the end of the text",
		"y = x; }":  "normalize:1:8: syntax error [NNEF0202]: expected the left side of an assignment, found '}'",
		"y = a, b;": "normalize:1:6: syntax error [NNEF0205]: a tuple on the right needs parentheses",
	} {
		if _, err := syntax.ParseBody("normalize", text); err == nil || err.Error() != want {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestParseFragments(t *testing.T) {
	list, err := syntax.ParseFragments("library", "# conv\nfragment conv( input: tensor<scalar> ) -> ( output: tensor<scalar> );\n"+
		"fragment copy<?>( x: tensor<?> ) -> ( y: tensor<?> ) { y = x; }")
	if err != nil || len(list) != 2 || list[0].Body != nil || list[1].Generic == nil {
		t.Fatalf("%v %+v", err, list)
	}
	if c := list[0].Comments; c == nil || len(c.Before) != 1 || c.Before[0] != "# conv" {
		t.Errorf("the comments are %+v", c)
	}
	if _, err := syntax.ParseFragments("library", "graph g( x ) -> ( y ) { y = x; }"); err == nil {
		t.Error("a graph is no library")
	}
}
