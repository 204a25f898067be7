package flat_test

import (
	"fmt"

	"github.com/concord-nn/concord/internal/nnef/flat"
	"github.com/concord-nn/concord/nnef/syntax"
)

func ExampleCheck() {
	doc, err := syntax.Parse("net.nnef", []byte(`version 1.0;
extension KHR_enable_fragment_definitions, KHR_enable_operator_expressions;

fragment scaled( x: tensor<scalar>, factor: scalar ) -> ( y: tensor<scalar> )
{
    y = x * factor + 1;
}

graph net( x ) -> ( y )
{
    x = external(shape = [1, 8]);
    z = rellu(x);
    y = scaled(z, factr = 2.0);
}
`), syntax.Options{Strict: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(flat.Check(doc, flat.Options{}).Render())
	// Output:
	// net.nnef:6:9: type error [NNEF0702]: the operator + does not take tensor<scalar> and integer
	//   6 |     y = x * factor + 1;
	//     |         ^^^^^^^^^^^^^^
	//   hint: write 1.0
	// net.nnef:12:9: name error [NNEF0502]: there is no operation rellu
	//   12 |     z = rellu(x);
	//      |         ^^^^^
	//   hint: do you mean relu?
	// net.nnef:13:19: argument error [NNEF0604]: scaled has no parameter factr
	//   13 |     y = scaled(z, factr = 2.0);
	//      |                   ^^^^^
	//   hint: do you mean factor?
	//   net.nnef:4:10: scaled is declared here
	//   4 | fragment scaled( x: tensor<scalar>, factor: scalar ) -> ( y: tensor<s…
	//     |          ^^^^^^
}
