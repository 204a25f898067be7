package flat_test

import (
	"fmt"
	"log"
	"os"

	"github.com/concord-nn/concord/internal/nnef/flat"
	"github.com/concord-nn/concord/nnef/syntax"
)

const netText = `version 1.0;
extension KHR_enable_fragment_definitions;
extension KHR_enable_operator_expressions;

fragment block( x: tensor<scalar>, sizes: integer[] ) -> ( y: tensor<scalar> )
{
    y = max_pool(relu(x + 1.0), size = [for n in sizes yield 2 * n]);
}

graph net( x ) -> ( y )
{
    x = external(shape = [1, 3, 8, 8]);
    y = block(x, sizes = [1, 2]);
}
`

// A document is parsed and flattened; its operations are walked, and it is written without fragments and expressions.
// None of this needs an engine.
func Example() {
	doc, err := syntax.Parse("net.nnef", []byte(netText), syntax.Options{Strict: true})
	if err != nil {
		log.Fatal(err)
	}
	g, err := flat.Flatten(doc, flat.Options{})
	if err != nil {
		log.Fatal(err)
	}
	for _, op := range g.Ops {
		for _, t := range op.Outputs() {
			fmt.Printf("%s makes %s, a tensor of type %v\n", op.Name(), t.Name, t.Type)
		}
	}
	if err := g.Write(os.Stdout); err != nil {
		log.Fatal(err)
	}
	// Output:
	// external makes x, a tensor of type scalar
	// add makes add1, a tensor of type scalar
	// relu makes relu2, a tensor of type scalar
	// max_pool makes y, a tensor of type scalar
	// version 1.0;
	//
	// graph net( x ) -> ( y )
	// {
	//     x = external(shape = [1, 3, 8, 8]);
	//     add1 = add(x, 1.0);
	//     relu2 = relu(add1);
	//     y = max_pool(relu2, size = [2, 4], border = 'constant', padding = [], stride = [], dilation = []);
	// }
}

// Two graphs are compared by structure. The names of tensors between inputs and outputs do not matter.
func ExampleDiff() {
	graph := func(body string) *flat.Graph {
		text := "version 1.0;\ngraph net( x ) -> ( y )\n{\n    x = external(shape = [1, 8]);\n" + body + "}\n"
		doc, err := syntax.Parse("", []byte(text), syntax.Options{})
		if err != nil {
			log.Fatal(err)
		}
		g, err := flat.Flatten(doc, flat.Options{})
		if err != nil {
			log.Fatal(err)
		}
		return g
	}
	a := graph("    t = leaky_relu(x, alpha = 0.1);\n    y = softmax(t);\n")
	b := graph("    u = leaky_relu(x, alpha = 0.2);\n    y = softmax(u);\n")
	for _, d := range flat.Diff(a, b) {
		fmt.Println(d)
	}
	// Output: t = leaky_relu(…): argument alpha: 0.1; 0.2
}
