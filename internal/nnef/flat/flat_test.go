package flat_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/internal/nnef/eval"
	"github.com/concord-nn/concord/internal/nnef/flat"
	"github.com/concord-nn/concord/nnef/syntax"
)

const head = "version 1.0; extension KHR_enable_fragment_definitions, KHR_enable_operator_expressions;\n"

// flatten returns the graph of a document, or the error.
func flatten(text string, opts flat.Options) (*flat.Graph, error) {
	doc, err := syntax.Parse("doc", []byte(text), syntax.Options{})
	if err != nil {
		return nil, err
	}
	return flat.Flatten(doc, opts)
}

// body returns the graph of statements with the input x and the output y.
func body(t *testing.T, fragments, statements string, opts flat.Options) *flat.Graph {
	t.Helper()
	g, err := flatten(head+fragments+"graph net( x ) -> ( y )\n{\nx = external(shape = [1,4]);\n"+statements+"\n}\n", opts)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func written(t *testing.T, g *flat.Graph) string {
	t.Helper()
	var b bytes.Buffer
	if err := g.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// statements returns the written graph without its frame, in one line.
func statements(t *testing.T, g *flat.Graph) string {
	t.Helper()
	_, rest, _ := strings.Cut(written(t, g), "{\n")
	var list []string
	for line := range strings.Lines(strings.TrimSuffix(rest, "}\n")) {
		if line = strings.TrimSpace(line); !strings.Contains(line, "= external") {
			list = append(list, line)
		}
	}
	return strings.Join(list, " ")
}

func TestFlatten(t *testing.T) {
	for _, c := range []struct {
		name, fragments, body string
		level                 flat.Level
		want                  string
	}{
		{"names do not collide", "", "relu1 = exp(x); y = tanh(relu(relu1) + 1.0);", flat.User,
			"relu1 = exp(x); relu_1 = relu(relu1); add2 = add(relu_1, 1.0); y = tanh(add2);"},
		{"names that are taken", "", "add1 = exp(x); y = (x + add1) * 2.0;", flat.User, "add1 = exp(x); add_1 = add(x, add1); y = mul(add_1, 2.0);"},
		{"a result that is an existing tensor", "", "t = relu(x); y = t;", flat.User, "t = relu(x); y = copy(t);"},
		{"an identifier for an existing tensor", "fragment f( x: tensor<scalar> ) -> ( y: tensor<scalar> ) { y = x; }\n", "t = f(x); y = relu(t);", flat.User,
			"y = relu(x); t = copy(x);"},
		{"a literal", "fragment f( x: tensor<scalar> ) -> ( y: tensor<scalar> ) { y = 2.0; }\n", "y = f(x);", flat.User, "y = copy(2.0);"},
		{"compounds stay", "", "y = relu(x);", flat.User, "y = relu(x);"},
		{"compounds are expanded", "", "y = relu(x);", flat.All, "gt1 = gt(x, 0.0); y = select(gt1, x, 0.0);"},
		{"compounds in compounds", "", "y = clamp(x, 0.0, 1.0);", flat.All,
			"lt1 = lt(x, 1.0); select2 = select(lt1, x, 1.0); gt3 = gt(select2, 0.0); y = select(gt3, select2, 0.0);"},
		{"pooling", "", "y = max_pool(x, size = [1,2]);", flat.All, "argmax_pool1 = argmax_pool(x, size = [1, 2], border = 'constant', padding = [], stride = [], dilation = []); " +
			"y = sample(x, argmax_pool1, size = [1, 2], border = 'constant', padding = [], stride = [], dilation = []);"},
		{"pooling that sample cannot do", "", "y = max_pool(x, size = [1,2], border = 'ignore');", flat.All,
			"y = max_pool(x, size = [1, 2], border = 'ignore', padding = [], stride = [], dilation = []);"},
		{"another compound with the border", "", "y = avg_pool(x, size = [1,2], border = 'ignore');", flat.All,
			"y = box(x, size = [1, 2], border = 'ignore', padding = [], stride = [], dilation = [], normalize = true);"},
		{"a literal beside a name like its own", "fragment f( z: tensor<integer> ) -> ( y: tensor<scalar> ) { y = cast<scalar>(z); }\n", "literal1 = exp(x); y = f(3);", flat.User,
			"literal1 = exp(x); literal2 = copy(3); y = cast<scalar>(literal2);"},
		{"a pattern in a fragment", "fragment acme( x: tensor<scalar> ) -> ( y: tensor<scalar>[] );\nfragment f( x: tensor<scalar> ) -> ( y: tensor<scalar> ) { [a, b] = acme(x); y = add(a, b); }\n",
			"y = relu(f(x));", flat.User, "[acme1, acme2] = acme(x); add3 = add(acme1, acme2); y = relu(add3);"},
		{"arrays", "", "[a, b] = split(x, axis = 1, ratios = [1,3]); y = add_n([a, b, 1.0]);", flat.User,
			"[a, b] = split(x, axis = 1, ratios = [1, 3]); y = add_n([a, b, 1.0]);"},
		{"several results", "", "(m, v) = moments(x, axes = [1]); y = m + v;", flat.User, "m, v = moments(x, axes = [1]); y = add(m, v);"},
		{"generic types", "", "c = constant<integer>(shape = [1], value = [3]); y = cast<scalar>(c);", flat.User,
			"c = constant<integer>(shape = [1], value = [3]); y = cast<scalar>(c);"},
		{"custom operations", "fragment acme<?>( x: tensor<?>, n: integer = 2, s: string ) -> ( y: tensor<?> );\n", "y = acme(x, s = 'a\\'b');", flat.User,
			"y = acme(x, n = 2, s = 'a\\'b');"},
		{"a literal of any type", "fragment f( z: tensor<integer> ) -> ( y: tensor<scalar> ) { y = cast<scalar>(z); }\n", "y = f(3);", flat.User,
			"literal1 = copy(3); y = cast<scalar>(literal1);"},
		{"scalars", "", "y = leaky_relu(x, alpha = 1.0 / 3.0);", flat.User, "y = leaky_relu(x, alpha = 0.3333333333333333);"},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := body(t, c.fragments, c.body, flat.Options{Level: c.level})
			if got := statements(t, g); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
			if name := g.Outputs[0].Name; name != "y" {
				t.Errorf("the output is %s", name)
			}
			doc, err := syntax.Parse("written", []byte(written(t, g)), syntax.Options{Strict: true})
			if err != nil {
				t.Fatal(err)
			}
			back, err := flat.Flatten(doc, flat.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if again := written(t, back); again != written(t, g) {
				t.Errorf("what was written reads back as %s", again)
			}
		})
	}
}

// manyCopies returns n statements that make many tensors each.
func manyCopies(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "z%d = add_n(copy_n(x, times = 65536)); ", i)
	}
	return b.String() + "y = relu(x);"
}

func TestFlattenErrors(t *testing.T) {
	for _, c := range []struct{ name, fragments, body, want string }{
		{"unknown operation", "", "y = acme(x);", "NNEF0502"},
		{"shape without shapes", "", "y = reshape(x, shape = shape_of(x));", "NNEF1006"},
		{"no variable", "", "y = update(x, x);", "doc:5:12: graph error [NNEF0903]: x is no variable"},
		{"no identifier", "", "y = update(1.0, x);", "doc:5:12: graph error [NNEF0903]: update takes the identifier"},
		{"update of an update", "", "v = variable(shape = [1], label = 'v'); u = update(v, x); y = update(u, x);", "u is no variable"},
		{"no parameter", "", "z = external(shape = [1]); y = add(x, z);", "doc:5:5: graph error [NNEF0902]: z is external but no parameter"},
		{"nested", "", "y = add(x, external(shape = [1]));", "doc:5:12: graph error [NNEF0902]: external1 is external but no parameter"},
		{"two updates", "", "v = variable(shape = [1], label = 'v'); u = update(v, x); y = update(v, x);", "NNEF0903"},
		{"update of shared data", "", "v = variable(shape = [2], label = 'v'); w = variable(shape = [2], label = 'V'); a = update(w, x); y = update(v, x);", "w and v share the label v"},
		{"label", "", "y = variable(shape = [1], label = 'a b');", "doc:5:35: value error [NNEF1104]"},
		{"path", "", "y = variable(shape = [1], label = 'a/../../b');", "leads out of the folder"},
		{"labels", "", "v = variable(shape = [1], label = 'v'); y = variable(shape = [2], label = 'V');", "the variables v and y share the label V"},
		{"no ratios", "", "[y] = split(x, axis = 1, ratios = []);", "NNEF1101"},
		{"copies", "", "[y] = copy_n(x, times = 100000000);", "NNEF1101"},
		{"many copies", "", manyCopies(20), "NNEF1005"},
		{"unstacked literal", "", "[y] = unstack(1.0, axis = 0);", "a tensor without dimensions cannot be divided"},
		{"unstacked in an expression", "", "y = concat(unstack(x, axis = 1), axis = 0);", "NNEF1006"},
	} {
		_, err := flatten(head+c.fragments+"graph net( x ) -> ( y )\n{\nx = external(shape = [1,4]);\n"+c.body+"\n}\n", flat.Options{})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v; want %s", c.name, err, c.want)
		}
	}
	_, err := flatten(head+"graph net( x, z ) -> ( y )\n{\nx = external(shape = [1,4]);\ny = exp(exp(exp(x)));\nz = external(shape = [1]);\n}\n", flat.Options{Limits: eval.Limits{Steps: 9}})
	var list syntax.Diagnostics
	if !errors.As(err, &list) || len(list) != 1 || list[0].Code != eval.CodeLimit {
		t.Errorf("a limit: %v", err)
	}
	for _, doc := range []*syntax.Document{nil, {}} {
		if _, err := flat.Flatten(doc, flat.Options{}); err == nil || !strings.Contains(err.Error(), "there is no document") {
			t.Errorf("no document: %v", err)
		}
	}
}

// TestManyStatements flattens a graph with more statements than there may be operations else.
func TestManyStatements(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes seconds")
	}
	const n = limits.EvalCalls + 1
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "t%d = relu(x); ", i)
	}
	g := body(t, "", b.String()+"y = relu(x);", flat.Options{})
	if len(g.Ops) != n+2 {
		t.Errorf("%d operations; want %d", len(g.Ops), n+2)
	}
}

// TestParameters holds the parameters of a graph to being the results of external.
func TestParameters(t *testing.T) {
	for body, want := range map[string]string{
		"x = external(shape = [1]); y = exp(x);":                "doc:2:15: name error [NNEF0504]: the parameter z of the graph is never assigned",
		"x = external(shape = [1]); z = exp(x); y = exp(z);":    "doc:2:15: graph error [NNEF0902]: the parameter z of the graph is not the result of external",
		"x = external(shape = [1]); z = nothing(x); y = log(z)": "NNEF0502",
	} {
		_, err := flatten(head+"graph net( x, z ) -> ( y )\n{\n"+strings.TrimSuffix(body, ";")+";\n}\n", flat.Options{})
		var list syntax.Diagnostics
		if !errors.As(err, &list) || len(list) != 1 || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v; want %s", body, err, want)
		}
	}
	g, err := flatten("version 1.0;\nextension tract_registry tract_core;\ngraph net( x, z ) -> ( y )\n{\nx = external(shape = [1]); y = exp(x);\n}\n", flat.Options{})
	if err != nil || len(g.Inputs) != 1 {
		t.Errorf("a parameter that tract does not assign: %v", err)
	}
}

// fixed infers that every tensor has the shape of its operation's first argument, or the one that it states.
type fixed struct{ calls int }

func (f *fixed) Infer(op *flat.Op) error {
	f.calls++
	for _, t := range op.Outputs() {
		if in := op.Inputs(); len(in) > 0 {
			t.Shape, t.Known = in[0].Shape, in[0].Known
			continue
		}
		list, _ := op.Arg("shape").(eval.Array)
		t.Shape, t.Known = nil, true
		for _, x := range list {
			n, _ := x.(int64)
			if n < 0 {
				return &eval.Error{Code: eval.CodeAttribute, Arg: "shape", Msg: "negative"}
			}
			t.Shape = append(t.Shape, int(n))
		}
	}
	return nil
}

// TestShapesOnDemand holds shape_of to inferring what was recorded so far, each operation once.
func TestShapesOnDemand(t *testing.T) {
	shapes := &fixed{}
	g := body(t, "", "t = relu(x); y = reshape(t, shape = [shape_of(t)[1], 1]); z = relu(y);", flat.Options{Shapes: shapes})
	if got := statements(t, g); !strings.Contains(got, "shape = [4, 1]") {
		t.Errorf("got %s", got)
	}
	if shapes.calls != len(g.Ops) {
		t.Errorf("%d operations were inferred; want %d", shapes.calls, len(g.Ops))
	}
	shapes = &fixed{}
	body(t, "", "t = relu(x); y = reshape(t, shape = shape_of(x)); z = relu(y);", flat.Options{Shapes: shapes, Deferred: true})
	if shapes.calls != 2 {
		t.Errorf("%d operations were inferred; want the 2 before shape_of", shapes.calls)
	}
	g = body(t, "", "y = relu(x);", flat.Options{Shapes: &fixed{}, Extents: map[string][]int{"x": {7, 9}}})
	if got := fmt.Sprint(g.Outputs[0].Shape); got != "[7 9]" {
		t.Errorf("the shape of the input is not replaced: %s", got)
	}
}

// TestShapeErrors holds errors of shapes to their places, without those that follow.
func TestShapeErrors(t *testing.T) {
	_, err := flatten(head+"graph net( x ) -> ( y )\n{\nx = external(shape = [-1]);\nt = relu(x);\ny = relu(t);\n}\n", flat.Options{Shapes: &fixed{}})
	if err == nil || err.Error() != "doc:4:22: value error [NNEF1101]: negative" {
		t.Errorf("got %v", err)
	}
}

func TestJSON(t *testing.T) {
	g := body(t, "", "[a, b] = split(x, axis = 1, ratios = [1,3]); c = constant<integer>(shape = [1], value = [3]); "+
		"d = pad(a, padding = [(0,1),(0,0)]); y = add(d, 1e-7);", flat.Options{})
	got, err := json.Marshal(g)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"inputs":["x"],"outputs":["y"],"ops":[` +
		`{"op":"external","dtype":"scalar","args":{"shape":[1,4]},"results":{"output":{"t":"x"}}},` +
		`{"op":"split","dtype":"scalar","args":{"value":{"t":"x"},"axis":1,"ratios":[1,3]},"results":{"values":[{"t":"a"},{"t":"b"}]}},` +
		`{"op":"constant","dtype":"integer","args":{"shape":[1],"value":[3]},"results":{"output":{"t":"c"}}},` +
		`{"op":"pad","args":{"input":{"t":"a"},"padding":[{"tuple":[0,1]},{"tuple":[0,0]}],"border":"constant","value":{"f":0.0}},"results":{"output":{"t":"d"}}},` +
		`{"op":"add","args":{"x":{"t":"d"},"y":{"f":1e-07}},"results":{"z":{"t":"y"}}}],` +
		`"tensors":{"x":{"dtype":"scalar","shape":null},"a":{"dtype":"scalar","shape":null},"b":{"dtype":"scalar","shape":null},` +
		`"c":{"dtype":"integer","shape":null},"d":{"dtype":"scalar","shape":null},"y":{"dtype":"scalar","shape":null}}}`
	if string(got) != strings.ReplaceAll(want, "1e-07", syntax.FormatScalar(1e-7)) {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	g.Ops[4].Args[1] = math.Inf(1)
	if _, err := json.Marshal(g); err == nil || !strings.Contains(err.Error(), "unsupported value: +Inf") {
		t.Errorf("a scalar that is not finite: %v", err)
	}
	got, err = json.Marshal(body(t, "", "y = copy(2.0);", flat.Options{Shapes: &fixed{}}))
	if err != nil || !strings.HasSuffix(string(got), `"y":{"dtype":"scalar","shape":[]}}}`) {
		t.Errorf("a tensor without dimensions: %s, %v", got, err)
	}
}

func TestProvisional(t *testing.T) {
	g, err := flatten("version 1.0\ngraph net( x ) -> ( y )\n{\nx = external(shape = [0,4])\ni = argmax_pool(x, size = [1,2])\ny = idn(x)\n}\n", flat.Options{Shapes: &fixed{}})
	if err != nil {
		t.Fatal(err)
	}
	text := written(t, g)
	if !strings.HasPrefix(text, "version 1.0\n") || !strings.Contains(text, "idn(x)") {
		t.Errorf("got %s", text)
	}
	out, err := json.Marshal(g)
	if err != nil {
		t.Fatal(err)
	}
	if s := string(out); strings.Contains(s, `"op":"external","dtype"`) || !strings.Contains(s, `"i":{"dtype":"coordinate","shape":[0,4]}`) {
		t.Errorf("got %s", s)
	}
}
