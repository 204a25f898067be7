package eval_test

import (
	"fmt"

	"github.com/concord-nn/concord/internal/nnef/eval"
	"github.com/concord-nn/concord/internal/nnef/std"
	"github.com/concord-nn/concord/nnef/syntax"
)

// tensor is what an operation yields in the example: a name.
type tensor string

func (t tensor) Item() syntax.Primitive        { return syntax.Scalar }
func (t tensor) Extents() ([]int, bool)        { return nil, false }
func (t tensor) SameTensor(u eval.Tensor) bool { return u == eval.Tensor(t) }

// library has the fragments of a document, which are expanded, and the operations of the standard, which are printed.
type library map[string]*eval.Operation

func (l library) Operation(name string) *eval.Operation {
	if op := l[name]; op != nil {
		return op
	}
	f, ok := std.Of(syntax.Final).Lookup(name)
	if !ok {
		return nil
	}
	op := eval.FromFragment(f, l)
	op.Body = nil
	op.Apply = func(c *eval.Invocation) ([]eval.Value, error) {
		result := "_"
		if len(c.Names) > 0 && c.Names[0] != "" {
			result = c.Names[0]
		}
		fmt.Println(result, "=", c.Op.Name, c.Args)
		return []eval.Value{tensor(result)}, nil
	}
	return op
}

func Example() {
	doc, err := syntax.Parse("net.nnef", []byte(`version 1.0;
extension KHR_enable_fragment_definitions, KHR_enable_operator_expressions;
fragment scaled( x: tensor<scalar>, n: integer ) -> ( y: tensor<scalar> ) { y = relu(x * (2.0 ^ scalar(n))); }
graph net( x ) -> ( y )
{
    x = external(shape = [1, 8]);
    y = scaled(x, n = 3);
}
`), syntax.Options{Strict: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	lib := make(library)
	for _, f := range doc.Fragments {
		lib[f.Name.Name] = eval.FromFragment(f, lib)
	}
	e := eval.New(eval.Limits{}).For(doc)
	e.Graph(doc.Graph, lib, nil)
	fmt.Print(e.Diagnostics().Render())
	// Output:
	// x = external [[1 8]]
	// _ = mul [x 8]
	// y = relu [_]
}
