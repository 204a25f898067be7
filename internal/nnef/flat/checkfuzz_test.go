package flat_test

import (
	"os"
	"testing"

	"github.com/concord-nn/concord/internal/nnef/eval"
	"github.com/concord-nn/concord/internal/nnef/flat"
	"github.com/concord-nn/concord/internal/nnef/std"
	"github.com/concord-nn/concord/internal/testdata"
	"github.com/concord-nn/concord/nnef/syntax"
)

// world is the library of a document whose operations yield tensors of the declared types.
type world struct {
	doc   *syntax.Document
	known map[string]*eval.Operation
}

func newWorld(doc *syntax.Document) *world {
	w := &world{doc, make(map[string]*eval.Operation)}
	for _, f := range doc.Fragments {
		op := eval.FromFragment(f, w)
		if f.Body == nil {
			op.Apply = apply
		}
		w.known[op.Name] = op
	}
	return w
}

func (w *world) Operation(name string) *eval.Operation {
	if op := w.known[name]; op != nil {
		return op
	}
	f, ok := std.Of(w.doc.Dialect).Lookup(name)
	if !ok {
		return nil
	}
	op := eval.FromFragment(f, w)
	op.Body, op.Source, op.Apply = nil, nil, apply
	w.known[name] = op
	return op
}

func apply(c *eval.Invocation) ([]eval.Value, error) {
	out := make([]eval.Value, len(c.Op.Results))
	for i := range out {
		out[i] = result(c, c.Op.Results[i].Type)
	}
	return out, nil
}

func result(c *eval.Invocation, t syntax.Type) eval.Value {
	switch t := t.(type) {
	case *syntax.TensorType:
		item := t.Item
		if item == syntax.GenericType {
			item = c.Type
		}
		return &tensor{item}
	case *syntax.ArrayType:
		list := make(eval.Array, min(len(c.Names), 100))
		for i := range list {
			list[i] = result(c, t.Item)
		}
		return list
	case *syntax.TupleType:
		list := make(eval.Tuple, len(t.Items))
		for i := range list {
			list[i] = result(c, t.Items[i])
		}
		return list
	}
	return 1
}

// FuzzCheck holds checking to ending without a panic, and to its promise: where it finds nothing, an evaluation finds only
// what depends on values.
func FuzzCheck(f *testing.F) {
	for _, text := range []string{
		"fragment f<?>( x: tensor<?>, n: integer = 2 ) -> ( y: tensor<?>[] ) { y = [for i in range_of([0] * n) yield x]; }\n" +
			"graph g( x ) -> ( y )\n{\n    x = external(shape = [2,3]);\n    [a, b] = f(x);\n    s = variable(shape = [2,3], label = 's_2_3');\n" +
			"    y = (a + s) * 0.5 if shape_of(b)[0] == 2 else b;\n    n = update(s, y);\n}\n",
		"fragment f( x: tensor<scalar>, p: (integer, string), l: tensor<scalar>[] ) -> ( y: tensor<scalar>, z: tensor<logical> ) {\n" +
			"y = l[p[0]] + 1.0 if 'a' in [p[1], 'b' + p[1][1:]] else f(x, p = (1, 'a'), l = l + [x])[0]; z = x < 0.0 || !(x == y); }\n" +
			"graph g( x ) -> ( y ) { x = external(shape = [2,3]); y, z = f(x, p = (0, 'x' * 2), l = [x, 1.0]); }",
		"graph g( x ) -> ( y ) { x = external(shape = [2]); y = cast<scalar>(x) if integer('1') + length_of([for i in [1], j in [2] if i > j yield (i, j)]) > 0 && false else -x ^ 2.0; }",
	} {
		f.Add(final + text)
	}
	f.Add("version 1.0\nfragment f( x: tensor, a: extent[] ) -> ( y: tensor, n: extent )\n{\ny, n = x * scalar(a[0]), a[1] + 1\n}\ngraph g( x ) -> ( y )\n{\nx = external(shape = [0, 2])\ny = relu(x)\n}")
	for _, name := range testdata.Glob(f, "conformance", "nnef", "*", "*.nnef") {
		text, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
	limits := eval.Limits{Depth: 20, Steps: 10000, Items: 5000, Calls: 500}
	f.Fuzz(func(t *testing.T, text string) {
		doc, err := syntax.Parse("fuzz", []byte(text), syntax.Options{Limits: syntax.Limits{Bytes: 1 << 14, Depth: 100}})
		if err != nil {
			return
		}
		list := flat.Check(doc, flat.Options{Limits: limits})
		_ = list.Render()
		e := eval.New(limits).For(doc)
		e.Graph(doc.Graph, newWorld(doc), nil)
		found := e.Diagnostics()
		_ = found.Render()
		if list.Err() != nil {
			return
		}
		for i := range found {
			if c := found[i].Class(); c != syntax.ClassEval && c != syntax.ClassStructure {
				t.Errorf("the evaluation of a checked document finds\n%s", found[i].Render())
			}
		}
	})
}

// tensor has elements of a type; nothing else is known of it.
type tensor struct{ item syntax.Primitive }

func (t *tensor) Item() syntax.Primitive        { return t.item }
func (t *tensor) Extents() ([]int, bool)        { return nil, false }
func (t *tensor) SameTensor(u eval.Tensor) bool { return u == eval.Tensor(t) }
