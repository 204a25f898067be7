package flatdiff

import (
	"fmt"
	"strings"
	"testing"

	"github.com/concord-nn/concord/internal/nnef/flat"
	"github.com/concord-nn/concord/nnef/syntax"
)

const head = "version 1.0; extension KHR_enable_fragment_definitions, KHR_enable_operator_expressions;\n"

// flatten returns the graph of a document, or the error.
func flatten(text string) (*flat.Graph, error) {
	doc, err := syntax.Parse("doc", []byte(text), syntax.Options{})
	if err != nil {
		return nil, err
	}
	return flat.Flatten(doc, flat.Options{})
}

// body returns the graph of statements with the input x and the output y.
func body(t *testing.T, statements string) *flat.Graph {
	t.Helper()
	g, err := flatten(head + "graph net( x ) -> ( y )\n{\nx = external(shape = [1,4]);\n" + statements + "\n}\n")
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func TestCompare(t *testing.T) {
	for _, c := range []struct{ name, a, b, want string }{
		{"equal", "y = relu(x);", "y = relu(x);", ""},
		{"other names", "t = relu(x); y = exp(t);", "u = relu(x); y = exp(u);", ""},
		{"another order", "a = relu(x); b = exp(x); y = add(a, b);", "b = exp(x); a = relu(x); y = add(a, b);", ""},
		{"copies", "y = relu(x);", "t = copy(x); u = relu(t); y = copy(u);", ""},
		{"copy of a literal", "y = add(x, 1.0);", "t = copy(1.0); y = add(x, t);", ""},
		{"tolerance", "y = leaky_relu(x, alpha = 0.1);", "y = leaky_relu(x, alpha = 0.10000000001);", ""},
		{"attribute", "y = leaky_relu(x, alpha = 0.1);", "y = leaky_relu(x, alpha = 0.1001);", "y = leaky_relu(…): argument alpha: 0.1; 0.1001"},
		{"root cause only", "t = softmax(x, axes = [0]); u = exp(t); y = relu(u);", "t = softmax(x, axes = [1]); u = exp(t); y = relu(u);",
			"t = softmax(…): argument axes: [0]; [1]"},
		{"operation", "y = relu(x);", "y = exp(x);", "y = relu(…): operation: y = relu(x); y = exp(x)"},
		{"operand", "a = relu(x); b = exp(x); y = neg(a);", "a = relu(x); b = exp(x); y = neg(b);", "y = neg(…): argument x: a; b"},
		{"one more", "y = relu(x);", "z = exp(x); y = relu(x);", "only the second graph has z = exp(x)"},
		{"twice", "z = exp(x); y = relu(x);", "z = exp(x); w = exp(x); y = relu(x);", "only the second graph has w = exp(x)"},
		{"inserted", "a = relu(x); y = exp(a);", "a = relu(x); b = tanh(a); y = exp(b);", "y = exp(…): argument x: a; b, only the second graph has b = tanh(a)"},
		{"type", "c = constant<integer>(shape = [1], value = [1]); y = relu(x);", "c = constant<logical>(shape = [1], value = [true]); y = relu(x);",
			"c = constant(…): type: integer; logical, c = constant(…): argument value: [1]; [true]"},
		{"results of one operation", "(m, v) = moments(x, axes = [1]); y = neg(m);", "(m, v) = moments(x, axes = [1]); y = neg(v);", "y = neg(…): argument x: m; v"},
	} {
		t.Run(c.name, func(t *testing.T) {
			a, b := body(t, c.a), body(t, c.b)
			var got []string
			for _, d := range Compare(a, b) {
				got = append(got, d.String())
			}
			if s := strings.Join(got, ", "); s != c.want {
				t.Errorf("got  %s\nwant %s", s, c.want)
			}
			if back := Compare(b, a); (len(back) == 0) != (c.want == "") {
				t.Errorf("the other way round: %v", back)
			}
		})
	}
}

// TestCompareLong compares graphs whose keys, written out, would grow exponentially.
func TestCompareLong(t *testing.T) {
	text := func(last string) string {
		var b strings.Builder
		b.WriteString(head + "graph net( x ) -> ( y )\n{\nx = external(shape = [1]);\nt0 = relu(x);\n")
		for i := range 20000 {
			fmt.Fprintf(&b, "t%d = add(t%d, t%d);\n", i+1, i, i)
		}
		fmt.Fprintf(&b, "y = %s(t20000);\n}\n", last)
		return b.String()
	}
	a, err := flatten(text("relu"))
	if err != nil {
		t.Fatal(err)
	}
	b, err := flatten(text("exp"))
	if err != nil {
		t.Fatal(err)
	}
	if d := Compare(a, a); len(d) != 0 {
		t.Errorf("a graph differs from itself: %v", d)
	}
	if d := Compare(a, b); len(d) != 1 {
		t.Errorf("got %d differences; want 1", len(d))
	}
}
