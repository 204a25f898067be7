package std_test

import (
	"fmt"

	"github.com/concord-nn/concord/internal/nnef/std"
	"github.com/concord-nn/concord/nnef/syntax"
)

func Example() {
	f, ok := std.Of(syntax.Final).Lookup("sqr")
	if !ok {
		return
	}
	text, err := syntax.FormatFragment(f, syntax.Final)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(string(text))
	// Output:
	// fragment sqr( x: tensor<scalar> ) -> ( y: tensor<scalar> )
	// {
	//     y = x ^ 2.0;
	// }
}
