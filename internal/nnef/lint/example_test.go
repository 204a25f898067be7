package lint_test

import (
	"fmt"

	"github.com/concord-nn/concord/internal/nnef/lint"
	"github.com/concord-nn/concord/nnef/syntax"
)

func Example() {
	doc, err := syntax.Parse("net.nnef", []byte(`version 1.0;
graph net( x ) -> ( y )
{
    x = external(shape = [1, 8]);
    z = exp(x);
    y = slice(x, axes = [1], begin = [1], end = [0]);
}
`), syntax.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, d := range lint.Document(doc) {
		fmt.Println(d.Error())
	}
	// Output:
	// net.nnef:5:5: name warning [NNEF0590]: z is never used
	// net.nnef:6:50: value warning [NNEF1190]: end = 0 for “to the end” is deprecated
}
