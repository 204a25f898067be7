package syntax_test

import (
	"errors"
	"fmt"

	"github.com/concord-nn/concord/nnef/syntax"
)

func ExampleParse() {
	text := `version 1.0;
graph net( input ) -> ( output )
{
    input = external(shape = [1, 3, 8, 8]);
    output = max_pool(input, size = [1, 1, 2, 2], border = 'ignore');
}
`
	doc, err := syntax.Parse("net.nnef", []byte(text), syntax.Options{Strict: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	syntax.Walk(doc, func(n syntax.Node) bool {
		if call, ok := n.(*syntax.Call); ok {
			fmt.Println(doc.Source.Position(call.Pos()), call.Name.Name)
		}
		return true
	})
	// Output:
	// net.nnef:4:13 external
	// net.nnef:5:14 max_pool
}

func ExampleDiagnostics_Render() {
	text := "version 1.0;\ngraph net( x ) -> ( y )\n{\n    x = external(shape = [1, 2)\n    y = relu(x);\n}\n"
	_, err := syntax.Parse("net.nnef", []byte(text), syntax.Options{})
	var list syntax.Diagnostics
	if errors.As(err, &list) {
		fmt.Print(list.Render())
	}
	// Output:
	// net.nnef:4:31: syntax error [NNEF0202]: expected ']' or ',' in an array, found ')'
	//   4 |     x = external(shape = [1, 2)
	//     |                               ^
	//   net.nnef:4:26: this '[' is not closed
	//   4 |     x = external(shape = [1, 2)
	//     |                          ^
}

func ExampleFormat() {
	text := "version 1.0; graph net(x)->(y) {x=external(shape=[1,2]); y=leaky_relu(x,alpha=1e-1);# slope\n}"
	doc, err := syntax.Parse("net.nnef", []byte(text), syntax.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	out, err := syntax.Format(doc)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(string(out))
	// Output:
	// version 1.0;
	//
	// graph net( x ) -> ( y )
	// {
	//     x = external(shape = [1, 2]);
	//     y = leaky_relu(x, alpha = 0.1); # slope
	// }
}

func ExampleParseBody() {
	body, err := syntax.ParseBody("silu", "y = x * sigmoid(x);")
	if err != nil {
		fmt.Println(err)
		return
	}
	text, err := syntax.FormatExpr(body[0].Right, syntax.Final)
	fmt.Println(text, err)
	// Output: x * sigmoid(x) <nil>
}
