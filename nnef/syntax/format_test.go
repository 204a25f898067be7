package syntax_test

import (
	"math"
	"strings"
	"testing"

	"github.com/concord-nn/concord/nnef/syntax"
)

func TestFormat(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"comments", `# licence

#   second part
version   1.0 ;# final
# about the extension
extension   A,B ; # both


# a fragment
fragment f(x:tensor<scalar>, # the input
   n : integer[ ]=[ 1,2 ])->(y:tensor<scalar>){ # head
  y=conv(x,stride=n) ;   # result

  # end of f
} # after f
# the graph
graph net(x,z)->(y)
{

    # first
    x = external( # inside
       shape = [1,2]); # behind


    # detached

    z = external(shape=[1]);
    (y,w)=f(x);[a]=g(w);# both
}

# the end
`, `# licence

#   second part
version 1.0; # final

# about the extension
extension A;
extension B; # both

# a fragment
# the input
fragment f( x: tensor<scalar>, n: integer[] = [1, 2] ) -> ( y: tensor<scalar> )
{
    # head
    y = conv(x, stride = n); # result

    # end of f
} # after f

# the graph
graph net( x, z ) -> ( y )
{
    # first
    # inside
    x = external(shape = [1, 2]); # behind

    # detached

    z = external(shape = [1]);
    y, w = f(x);
    [a] = g(w); # both
}

# the end
`},
		{"expressions", finalGraph(`y=a+b*(c-d)/-e^2.50;z=(a if b else c)if(d)else[for i in x,j in y if i<j yield(i,j)][ 0 ];s="it's";n=1e10;`),
			`version 1.0;

graph g( x ) -> ( y )
{
    y = a + b * (c - d) / -e ^ 2.5;
    z = (a if b else c) if d else [for i in x, j in y if i < j yield (i, j)][0];
    s = 'it\'s';
    n = 10000000000.0;
}
`},
		{"provisional", "version 1.0 fragment f(x:tensor,n:extent=1)->(y:tensor[]){y=[i for i in x if i]a,b=extent(n),2}graph g(x)->(y){y=f(x)}",
			`version 1.0

fragment f( x: tensor, n: extent = 1 ) -> ( y: tensor[] )
{
    y = [i for i in x if i];
    a, b = (extent(n), 2);
}

graph g( x ) -> ( y )
{
    y = f(x);
}
`},
		{"long head", "version 1.0;fragment long_name<? = scalar>(first_input: tensor<?>, second_input: tensor<?>, padding: (integer,integer)[] = [], groups: integer = 1)->(output: tensor<?>);graph g(x)->(y){y=f(x);}",
			`version 1.0;

fragment long_name<? = scalar>(
    first_input: tensor<?>,
    second_input: tensor<?>,
    padding: (integer, integer)[] = [],
    groups: integer = 1 )
-> ( output: tensor<?> );

graph g( x ) -> ( y )
{
    y = f(x);
}
`},
		{"long statements", finalGraph("output=conv(input, variable_of_the_filter, bias, border='constant',padding=[(1,1),(1,1)],stride=[1,1],dilation=[1,1],groups=1);" +
			"value=constant(shape=[40],value=[" + strings.TrimSuffix(strings.Repeat("1.25,", 40), ",") + "]);" +
			"sum = first_operand_of_the_sum * second_operand_of_the_sum + third_operand_of_the_sum * fourth_operand_of_the_whole_sum;"),
			`version 1.0;

graph g( x ) -> ( y )
{
    output = conv(input, variable_of_the_filter, bias, border = 'constant', padding = [(1, 1), (1, 1)], stride = [1, 1],
        dilation = [1, 1], groups = 1);
    value = constant(shape = [40],
        value = [1.25, 1.25, 1.25, 1.25, 1.25, 1.25, 1.25, 1.25, 1.25, 1.25, 1.25, 1.25, 1.25, 1.25, 1.25, 1.25, 1.25,
        1.25, 1.25, 1.25, 1.25, 1.25, 1.25, 1.25, 1.25, 1.25, 1.25, 1.25, 1.25, 1.25, 1.25, 1.25, 1.25, 1.25, 1.25,
        1.25, 1.25, 1.25, 1.25, 1.25]);
    sum = first_operand_of_the_sum * second_operand_of_the_sum +
        third_operand_of_the_sum * fourth_operand_of_the_whole_sum;
}
`},
	} {
		doc := mustParse(t, c.text, syntax.Options{})
		got, err := syntax.Format(doc)
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != c.want {
			t.Errorf("%s: got\n%s", c.name, got)
		}
		checkRoundTrip(t, doc, syntax.Options{})
	}
}

func TestFormatScalar(t *testing.T) {
	for _, c := range []struct {
		v    float64
		want string
	}{
		{1, "1.0"}, {0, "0.0"}, {math.Copysign(0, -1), "-0.0"}, {0.1, "0.1"}, {1e-5, "1e-5"},
		{1.5e-6, "1.5e-6"}, {1e15, "1e15"}, {123456789, "123456789.0"},
		{float64(float32(0.1)), "0.10000000149011612"}, {math.MaxFloat64, "1.7976931348623157e308"}, {5e-324, "5e-324"},
	} {
		got := syntax.FormatScalar(c.v)
		if got != c.want {
			t.Errorf("%s, want %s", got, c.want)
		}
		x, err := syntax.ParseExpr("scalar", got)
		if err != nil {
			t.Error(err)
		} else if lit, ok := x.(*syntax.ScalarLit); !ok || lit.Value != c.v {
			t.Errorf("%s reads back as %s", got, dump(x))
		}
	}
}

// TestFormatInvalid refuses trees that no text stands for.
func TestFormatInvalid(t *testing.T) {
	graph := func(x syntax.Expr) *syntax.Document {
		return &syntax.Document{Graph: &syntax.Graph{Name: &syntax.Ident{Name: "g"}, Params: []*syntax.Ident{{Name: "x"}}, Results: []*syntax.Ident{{Name: "y"}},
			Body: []syntax.Assignment{{Left: &syntax.Ident{Name: "y"}, Right: x}}}}
	}
	if _, err := syntax.Format(graph(&syntax.Call{Name: &syntax.Ident{Name: "f"}, Args: []syntax.Arg{{Value: &syntax.Ident{Name: "x"}}}})); err != nil {
		t.Fatal(err)
	}
	for want, x := range map[string]syntax.Expr{
		"no literal":    &syntax.ScalarLit{Value: math.Inf(1)},
		"has no":        &syntax.ScalarLit{Value: math.NaN()},
		"no identifier": &syntax.Ident{Name: "a/b"},
		"is no ident":   &syntax.Ident{Name: "graph"},
		"cannot":        &syntax.StringLit{Value: "a\nb"},
		"two items":     &syntax.Tuple{},
		"an iterator":   &syntax.Comprehension{Item: &syntax.Ident{Name: "a"}},
		"missing":       nil,
		"is missing":    &syntax.Binary{Op: syntax.Plus, X: &syntax.Ident{Name: "a"}},
	} {
		if _, err := syntax.Format(graph(x)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
	if _, err := syntax.Format(&syntax.Document{}); err == nil {
		t.Error("a document without a graph")
	}
	param := []syntax.Param{{Name: &syntax.Ident{Name: "x"}, Type: &syntax.TensorType{Item: syntax.Scalar}}}
	body := graph(&syntax.Ident{Name: "x"}).Graph.Body
	for want, f := range map[string]*syntax.Fragment{
		"at least one result":     {Name: &syntax.Ident{Name: "f"}, Params: param, Body: body},
		"at least one assignment": {Name: &syntax.Ident{Name: "f"}, Params: param, Results: param, Body: []syntax.Assignment{}},
		"a name is missing":       {Params: param, Results: param, Body: body},
	} {
		doc := graph(&syntax.Ident{Name: "x"})
		doc.Fragments = []*syntax.Fragment{f}
		if _, err := syntax.Format(doc); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
	if _, err := syntax.Format(nil); err == nil {
		t.Error("no document")
	}
	for want, x := range map[string]syntax.Expr{"(-1)[0]": &syntax.IntegerLit{Value: -1}, "(-1.0)[0]": &syntax.ScalarLit{Value: -1}} {
		if got, err := syntax.FormatExpr(&syntax.Subscript{X: x, Index: &syntax.IntegerLit{}}, syntax.Final); err != nil || got != want {
			t.Errorf("%s, %v; want %s", got, err, want)
		}
	}
	for _, e := range []syntax.Extension{{Name: "KHR_a", Text: "b"}, {Name: "tract_a", Text: "b\nc"}, {Name: "tract_a", Text: "b; c"}} {
		doc := graph(&syntax.Ident{Name: "x"})
		doc.Extensions = []syntax.Extension{e}
		if _, err := syntax.Format(doc); err == nil || !strings.Contains(err.Error(), "the text of extension "+e.Name+" cannot be written") {
			t.Errorf("%q: %v", e.Text, err)
		}
	}
	comment := graph(&syntax.Ident{Name: "x"})
	comment.Graph.Body[0].Comments = &syntax.Comments{After: "two\nlines"}
	if _, err := syntax.Format(comment); err == nil {
		t.Error("a comment of two lines")
	}
	comment.Graph.Body[0].Comments.After = "shape (1, 2)"
	if text, err := syntax.Format(comment); err != nil || !strings.Contains(string(text), "y = x; # shape (1, 2)\n") {
		t.Errorf("%s %v", text, err)
	}
}

func TestQuant(t *testing.T) {
	text := "# weights\n\"w\": q(min = [[-1.0, 2.0]], bits = 8); # eight\n\n\"a/b\": q(x);\n# end\n"
	q, err := syntax.ParseQuant("graph.quant", []byte(text), syntax.Final, syntax.Options{})
	if err != nil || len(q.Entries) != 2 || q.Entries[0].Tensor.Value != "w" {
		t.Fatalf("%v %+v", err, q)
	}
	out, err := syntax.FormatQuant(q)
	if err != nil || string(out) != text {
		t.Errorf("%v\n%s", err, out)
	}
	if _, err := syntax.ParseQuant("graph.quant", []byte("'x': q(a = 1)\n'y': q(a = 2)"), syntax.Provisional, syntax.Options{}); err != nil {
		t.Error(err)
	}
	for text, want := range map[string]string{
		"'x': q(a = 1)\n":                 "q:2:1: syntax error [NNEF0203]",
		"x: q(a = 1);":                    "q:1:1: syntax error [NNEF0202]",
		"'x' q(a = 1);":                   "q:1:5: syntax error [NNEF0202]",
		"'x': q();":                       "q:1:8: syntax error [NNEF0206]",
		"'x': q(a = 1 + 2);\n'y': q(1 2)": "q:1:14: syntax error [NNEF0202]",
	} {
		if _, err := syntax.ParseQuant("q", []byte(text), syntax.Final, syntax.Options{}); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
	if q, err := syntax.ParseQuant("q", nil, syntax.Final, syntax.Options{}); err != nil || len(q.Entries) != 0 {
		t.Error(err)
	}
}
