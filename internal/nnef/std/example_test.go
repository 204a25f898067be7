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
	text, err := syntax.FormatExpr(f.Body[0].Right, syntax.Final)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(text)
	// Output: x ^ 2.0
}
