package syntax

import (
	"math"
	"strings"
	"testing"
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
		doc := mustParse(t, c.text, Options{})
		got, err := Format(doc)
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != c.want {
			t.Errorf("%s: got\n%s", c.name, got)
		}
		checkRoundTrip(t, doc, Options{})
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
		got := FormatScalar(c.v)
		if got != c.want {
			t.Errorf("%s, want %s", got, c.want)
		}
		x, err := ParseExpr("scalar", got)
		if err != nil {
			t.Error(err)
		} else if lit, ok := x.(*ScalarLit); !ok || lit.Value != c.v {
			t.Errorf("%s reads back as %s", got, dump(x))
		}
	}
}

// TestFormatInvalid refuses trees that no text stands for.
func TestFormatInvalid(t *testing.T) {
	graph := func(x Expr) *Document {
		return &Document{Graph: &Graph{Name: &Ident{Name: "g"}, Params: []*Ident{{Name: "x"}}, Results: []*Ident{{Name: "y"}},
			Body: []Assignment{{Left: &Ident{Name: "y"}, Right: x}}}}
	}
	if _, err := Format(graph(&Call{Name: &Ident{Name: "f"}, Args: []Arg{{Value: &Ident{Name: "x"}}}})); err != nil {
		t.Fatal(err)
	}
	for want, x := range map[string]Expr{
		"no literal":    &ScalarLit{Value: math.Inf(1)},
		"has no":        &ScalarLit{Value: math.NaN()},
		"no identifier": &Ident{Name: "a/b"},
		"is no ident":   &Ident{Name: "graph"},
		"cannot":        &StringLit{Value: "a\nb"},
		"two items":     &Tuple{},
		"an iterator":   &Comprehension{Item: &Ident{Name: "a"}},
		"missing":       nil,
		"is missing":    &Binary{Op: Plus, X: &Ident{Name: "a"}},
	} {
		if _, err := Format(graph(x)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
	if _, err := Format(&Document{}); err == nil {
		t.Error("a document without a graph")
	}
	param := []Param{{Name: &Ident{Name: "x"}, Type: &TensorType{Item: Scalar}}}
	body := graph(&Ident{Name: "x"}).Graph.Body
	for want, f := range map[string]*Fragment{
		"at least one result":     {Name: &Ident{Name: "f"}, Params: param, Body: body},
		"at least one assignment": {Name: &Ident{Name: "f"}, Params: param, Results: param, Body: []Assignment{}},
		"a name is missing":       {Params: param, Results: param, Body: body},
	} {
		doc := graph(&Ident{Name: "x"})
		doc.Fragments = []*Fragment{f}
		if _, err := Format(doc); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
	if _, err := Format(nil); err == nil {
		t.Error("no document")
	}
	for want, x := range map[string]Expr{"(-1)[0]": &IntegerLit{Value: -1}, "(-1.0)[0]": &ScalarLit{Value: -1}} {
		if got, err := FormatExpr(&Subscript{X: x, Index: &IntegerLit{}}, Final); err != nil || got != want {
			t.Errorf("%s, %v; want %s", got, err, want)
		}
	}
	comment := graph(&Ident{Name: "x"})
	comment.Graph.Body[0].Comments = &Comments{After: "two\nlines"}
	if _, err := Format(comment); err == nil {
		t.Error("a comment of two lines")
	}
	comment.Graph.Body[0].Comments.After = "shape (1, 2)"
	if text, err := Format(comment); err != nil || !strings.Contains(string(text), "y = x; # shape (1, 2)\n") {
		t.Errorf("%s %v", text, err)
	}
}

func TestQuant(t *testing.T) {
	text := "# weights\n\"w\": q(min = [[-1.0, 2.0]], bits = 8); # eight\n\n\"a/b\": q(x);\n# end\n"
	q, err := ParseQuant("graph.quant", []byte(text), Final, Options{})
	if err != nil || len(q.Entries) != 2 || q.Entries[0].Tensor.Value != "w" {
		t.Fatalf("%v %+v", err, q)
	}
	out, err := FormatQuant(q)
	if err != nil || string(out) != text {
		t.Errorf("%v\n%s", err, out)
	}
	if _, err := ParseQuant("graph.quant", []byte("'x': q(a = 1)\n'y': q(a = 2)"), Provisional, Options{}); err != nil {
		t.Error(err)
	}
	for text, want := range map[string]string{
		"'x': q(a = 1)\n":                 "q:2:1: syntax error [NNEF0203]",
		"x: q(a = 1);":                    "q:1:1: syntax error [NNEF0202]",
		"'x' q(a = 1);":                   "q:1:5: syntax error [NNEF0202]",
		"'x': q();":                       "q:1:8: syntax error [NNEF0206]",
		"'x': q(a = 1 + 2);\n'y': q(1 2)": "q:1:14: syntax error [NNEF0202]",
	} {
		if _, err := ParseQuant("q", []byte(text), Final, Options{}); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
	if q, err := ParseQuant("q", nil, Final, Options{}); err != nil || len(q.Entries) != 0 {
		t.Error(err)
	}
}
