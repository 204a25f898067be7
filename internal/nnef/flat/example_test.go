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
