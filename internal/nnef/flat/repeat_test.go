package flat_test

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/concord-nn/concord/internal/nnef/eval"
	"github.com/concord-nn/concord/internal/nnef/flat"
	"github.com/concord-nn/concord/nnef/syntax"
)

// Fragments that are invoked several times; # stands for a number that tells them apart.
const repeatedFragments = `
fragment inner#( x: tensor<scalar>, k: integer ) -> ( y: tensor<scalar> )
{ y = max_pool(x, size = [1, 1, k, k + 1], border = 'ignore') * 2.0; }
fragment block#( x: tensor<scalar>, z: tensor<scalar> = 0.0, sizes: integer[] = [1, 2], s: scalar = 0.0 ) -> ( y: tensor<scalar> )
{ a = inner#(x + z, k = sizes[0]); b = inner#(a, k = sizes[1]); y = concat([a, b, x], axis = length_of(sizes)) * s; }
fragment pair#( x: tensor<scalar>, z: tensor<scalar> ) -> ( y: tensor<scalar>, w: tensor<scalar>[] )
{ y = add(x, z); w = [x, relu(y), z, y]; }
fragment same#<?>( x: tensor<?>, z: tensor<?> ) -> ( y: tensor<?> )
{ y = select(true, x, z); }
fragment parts#( x: tensor<scalar>, n: integer ) -> ( y: tensor<scalar> )
{ list = split(x, axis = 0, ratios = [1] * n); y = add_n(list); }
fragment choice#( x: tensor<scalar>, up: logical, name: string = 'a' ) -> ( y: tensor<scalar> )
{ y = relu(x) if up && name == 'a' else block#(x); }
fragment literal#( x: tensor<scalar> ) -> ( y: tensor<scalar> ) { y = 1.0; }
fragment ranked#( x: tensor<scalar> ) -> ( y: tensor<scalar> )
{ y = pad(inner#(x, k = 2), padding = [for n in shape_of(x) yield (n, 0)]); }
fragment own#( label: string ) -> ( y: tensor<scalar> ) { v = variable<scalar>(shape = [1, 4], label = label); y = v * 2.0; }
`

// TestRepeatedFragments flattens invocations of few fragments, and the same invocations of fragments that are invoked once
// each: nothing may depend on what was expanded before.
func TestRepeatedFragments(t *testing.T) {
	statements := []string{
		"b@ = block#(x, u);", "b@ = block#(x, x);", "b@ = block#(u, x, sizes = [3, 4]);", "b@ = block#(x);", "b@ = block#(x, 0.5);",
		"b@ = block#(x, s = -0.0);", "b@ = block#(1.0, x);", "b@ = block#(relu(x), u, sizes = [1, 2] + [5]);",
		"(b@, [c@, d@, e@, f@]) = pair#(x, u);", "(b@, [c@, d@, e@, f@]) = pair#(x, x);", "(b@, [c@, d@, e@, f@]) = pair#(x, 0.0);",
		"b@ = same#(x, u);", "b@ = same#(i, i);", "b@ = same#(x, 1.0);", "b@ = same#<scalar>(x, u);", "b@ = same#(i, 1);",
		"b@ = parts#(x, n = 2);", "b@ = parts#(x, n = 3);",
		"b@ = choice#(x, up = true);", "b@ = choice#(x, up = false);", "b@ = choice#(x, up = true, name = 'b');",
		"b@ = literal#(x);", "b@ = pow(literal#(x), block#(x));", "b@ = own#(label = 'l@');", "b@ = own#(label = 'l');",
		"b@ = ranked#(x);", "b@ = ranked#(v);",
	}
	for _, order := range [][]int{{1}, {7}, {11}} { // steps through the statements
		var repeated, once, copies strings.Builder
		for i := range 8 * len(statements) {
			n := strconv.Itoa(i)
			s := strings.ReplaceAll(statements[i*order[0]%len(statements)], "@", n)
			repeated.WriteString(strings.ReplaceAll(s, "#", "") + "\n")
			once.WriteString(strings.ReplaceAll(s, "#", n) + "\n")
			copies.WriteString(strings.ReplaceAll(repeatedFragments, "#", n))
		}
		a := flattenRepeated(t, strings.ReplaceAll(repeatedFragments, "#", ""), repeated.String())
		b := flattenRepeated(t, copies.String(), once.String())
		if list := flat.Diff(a, b); len(list) > 0 {
			t.Errorf("step %d: %v", order[0], list[0])
		}
		if len(a.Ops) != len(b.Ops) {
			t.Fatalf("%d and %d operations", len(a.Ops), len(b.Ops))
		}
		for i := range a.Ops {
			p, q := a.Ops[i], b.Ops[i]
			if eval.Text(eval.Array(p.Args)) != eval.Text(eval.Array(q.Args)) || p.Type != q.Type || p.Outputs()[0].Name != q.Outputs()[0].Name {
				t.Fatalf("operation %d: %s%v %s and %s%v %s", i, p.Name(), p.Args, p.Outputs()[0].Name, q.Name(), q.Args, q.Outputs()[0].Name)
			}
			if x, y := places(p), places(q); !slices.Equal(x, y) {
				t.Fatalf("operation %d stands at %v and %v", i, x, y)
			}
		}
	}
}

func flattenRepeated(t *testing.T, fragments, statements string) *flat.Graph {
	t.Helper()
	g, err := flatten(head+fragments+"graph net( x, u, v, i ) -> ( y )\n{\nx = external<scalar>(shape = [1,4]);\n"+
		"u = external<scalar>(shape = [1,4]);\nv = external<scalar>(shape = [2,5]);\ni = external<integer>(shape = [1,4]);\n"+statements+"y = copy(x);\n}\n", flat.Options{Shapes: likeFirst{}})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// places returns the texts of the invocations that an operation stands in, without numbers.
func places(op *flat.Op) []string {
	if op.Site == nil {
		return nil
	}
	var list []string
	for _, f := range op.Site.Trace() {
		text := strings.Map(func(r rune) rune {
			if '0' <= r && r <= '9' {
				return -1
			}
			return r
		}, f.Source.Text[f.Span.From:f.Span.To])
		list = append(list, strings.TrimRight(f.Name, "0123456789")+": "+text)
	}
	return list
}

// TestRepeatedErrors holds mistakes that show only in some invocations of a fragment to their places, and limits to what
// they count.
func TestRepeatedErrors(t *testing.T) {
	const fragments = `
fragment leaf( x: tensor<scalar>, v: tensor<scalar> ) -> ( y: tensor<scalar> ) { y = update(v, x + 1.0); }
fragment twice( x: tensor<scalar>, v: tensor<scalar> ) -> ( y: tensor<scalar> ) { y = leaf(relu(x), v = v); }
`
	var variables, lines strings.Builder
	for i := range 8 {
		fmt.Fprintf(&variables, "v%d = variable<scalar>(shape = [1, 4], label = 'v%[1]d'); ", i)
		fmt.Fprintf(&lines, "z%d = twice(x, v%[1]d);\n", i) // from line 9 on
	}
	for _, c := range []struct {
		name   string
		limits eval.Limits
		code   syntax.Code
		line   int
	}{
		{"update", eval.Limits{}, flat.CodeUpdate, 17}, // behind the eight
		{"calls", eval.Limits{Calls: 1 + 8 + 3*5 + 2}, eval.CodeLimit, 14},
		{"steps", eval.Limits{Steps: 200}, eval.CodeLimit, 14},
		{"depth", eval.Limits{Depth: 1}, eval.CodeLimit, 9},
	} {
		text := head + fragments + "\ngraph net( x ) -> ( y )\n{\nx = external<scalar>(shape = [1,4]); " + variables.String() + "\n" +
			lines.String() + "y = twice(x, v5);\n}\n"
		_, err := flatten(text, flat.Options{Limits: c.limits})
		var list syntax.Diagnostics
		if !errors.As(err, &list) || list[0].Code != c.code {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		last := list[0].Related[len(list[0].Related)-1]
		if line := last.Source.Position(last.Span.From).Line; line != c.line || last.Message != "in the invocation of twice" {
			t.Errorf("%s: line %d, %q", c.name, line, last.Message)
		}
	}
}

// likeFirst gives results the shapes of first operands.
type likeFirst struct{}

func (likeFirst) Infer(op *flat.Op) error {
	for _, t := range op.Outputs() {
		t.Known = true
		if in := op.Inputs(); len(in) > 0 {
			t.Shape = in[0].Shape
			continue
		}
		list, _ := op.Arg("shape").(eval.Array)
		for _, n := range list {
			t.Shape = append(t.Shape, int(n.(int64)))
		}
	}
	return nil
}
