package syntax

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"
)

// dump writes an expression with all its structure in parentheses.
func dump(x Expr) string {
	list := func(items []Expr) string {
		parts := make([]string, len(items))
		for i, item := range items {
			parts[i] = dump(item)
		}
		return strings.Join(parts, " ")
	}
	switch x := x.(type) {
	case nil:
		return "_"
	case *IntegerLit:
		return strconv.FormatInt(x.Value, 10)
	case *ScalarLit:
		return FormatScalar(x.Value)
	case *LogicalLit:
		return strconv.FormatBool(x.Value)
	case *StringLit:
		return fmt.Sprintf("%q", x.Value)
	case *Ident:
		return x.Name
	case *Array:
		return "[" + list(x.Items) + "]"
	case *Tuple:
		return "(tuple " + list(x.Items) + ")"
	case *Subscript:
		return "(at " + list([]Expr{x.X, x.Index}) + ")"
	case *Range:
		return "(range " + list([]Expr{x.X, x.First, x.Last}) + ")"
	case *Unary:
		return "(" + x.Op.String() + " " + dump(x.X) + ")"
	case *Binary:
		return "(" + x.Op.String() + " " + dump(x.X) + " " + dump(x.Y) + ")"
	case *Select:
		return "(if " + list([]Expr{x.Cond, x.Then, x.Else}) + ")"
	case *Comprehension:
		parts := []string{"(for"}
		for _, it := range x.Iterators {
			parts = append(parts, it.Name.Name+":"+dump(it.In))
		}
		return strings.Join(append(parts, dump(x.Cond), dump(x.Item)), " ") + ")"
	case *BuiltinCall:
		return "(" + x.Func.String() + "! " + dump(x.Arg) + ")"
	case *Call:
		head := "(" + x.Name.Name
		if x.Type != NoPrimitive {
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
		x, err := ParseExpr("expr", c.text)
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
		text, err := FormatExpr(x, Final)
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		again, err := ParseExpr("formatted", text)
		if err != nil || dump(again) != c.want {
			t.Errorf("%s is written %s: %v", c.text, text, err)
		}
	}
}

func TestBadExpressions(t *testing.T) {
	for _, c := range []struct {
		text string
		code Code
		at   Pos
	}{
		{"", CodeUnexpected, 0}, {"1 2", CodeUnexpected, 2}, {"a +", CodeUnexpected, 3}, {"()", CodeTuple, 0},
		{"(a", CodeUnexpected, 2}, {"[a, ]", CodeUnexpected, 4}, {"a[]", CodeEmpty, 2}, {"a[1", CodeUnexpected, 3},
		{"f()", CodeEmpty, 2}, {"f(a, )", CodeUnexpected, 5}, {"f(a = )", CodeUnexpected, 6}, {"length_of(a, b)", CodeUnexpected, 11},
		{"length_of", CodeUnexpected, 9}, {"a if b", CodeUnexpected, 6}, {"[for i in a]", CodeUnexpected, 11},
		{"[i for i in a]", CodeOtherDialect, 3}, {"f<float>(x)", CodeUnexpected, 2}, {"f<tensor>(x)", CodeUnexpected, 2},
		{"graph", CodeUnexpected, 0}, {"a & b", CodeCharacter, 2}, {"a @ b", CodeCharacter, 2}, {"é", CodeCharacter, 0},
		{"1.2.3", CodeNumber, 0}, {".5", CodeNumber, 0}, {"1.", CodeNumber, 0}, {"0x48", CodeNumber, 0}, {"1e", CodeNumber, 0},
		{"1e+", CodeNumber, 0}, {"1_000", CodeNumber, 0}, {"9223372036854775808", CodeRange, 0},
		{"-9223372036854775809", CodeRange, 0}, {"1e999", CodeRange, 0}, {"'abc", CodeUnterminated, 0}, {"'a\nb'", CodeUnterminated, 0},
		{`'a\nb'`, CodeEscape, 2}, {`'a\"b'`, CodeEscape, 2}, {`'abc\'`, CodeUnterminated, 0}, {"'a\tb'", CodeStringContent, 2},
		{"'é'", CodeStringContent, 1}, {"'\xff'", CodeStringContent, 1}, {`i"a"`, CodeUnexpected, 1},
	} {
		_, err := ParseExpr("expr", c.text)
		var list Diagnostics
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
		doc := mustParse(t, oldFragment(c.body), Options{})
		if got := dump(doc.Fragments[0].Body[0].Right); got != c.want {
			t.Errorf("%s: %s, want %s", c.body, got, c.want)
		}
		checkRoundTrip(t, doc, Options{})
	}
}

func TestParseBody(t *testing.T) {
	text := "m, v = moments(x, axes = axes);\n# normalised\ny = (x - m) / sqrt(v + epsilon);"
	list, err := ParseBody("normalize", text)
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
	if at := NewSource("normalize", text).Position(list[1].Right.Pos()); at.String() != "normalize:3:5" {
		t.Errorf("position %v", at)
	}
	for text, want := range map[string]string{
		"":          "normalize:1:1: syntax error [NNEF0206]: a body needs at least one assignment",
		"y = x":     "normalize:1:6: syntax error [NNEF0203]: expected ';' before the end of the text",
		"y = x; }":  "normalize:1:8: syntax error [NNEF0202]: expected the left side of an assignment, found '}'",
		"y = a, b;": "normalize:1:6: syntax error [NNEF0205]: a tuple on the right needs parentheses",
	} {
		if _, err := ParseBody("normalize", text); err == nil || err.Error() != want {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestParseFragments(t *testing.T) {
	list, err := ParseFragments("library", "# conv\nfragment conv( input: tensor<scalar> ) -> ( output: tensor<scalar> );\n"+
		"fragment copy<?>( x: tensor<?> ) -> ( y: tensor<?> ) { y = x; }")
	if err != nil || len(list) != 2 || list[0].Body != nil || list[1].Generic == nil {
		t.Fatalf("%v %+v", err, list)
	}
	f := &formatter{}
	f.fragment(list[0])
	if text, err := string(f.b), f.err; err != nil || text != "# conv\nfragment conv( input: tensor<scalar> ) -> ( output: tensor<scalar> );\n" {
		t.Errorf("%s %v", text, err)
	}
	if _, err := ParseFragments("library", "graph g( x ) -> ( y ) { y = x; }"); err == nil {
		t.Error("a graph is no library")
	}
}
