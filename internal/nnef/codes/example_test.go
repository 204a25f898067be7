package codes_test

import (
	"fmt"

	"github.com/concord-nn/concord/internal/nnef/codes"
)

func ExampleLookup() {
	code, err := codes.Parse("NNEF0605")
	if err != nil {
		fmt.Println(err)
		return
	}
	e, _ := codes.Lookup(code)
	fmt.Println(e.Title)
	fmt.Println(e.Wrong)
	fmt.Println(e.Right)
	// Output:
	// an argument that needs a name
	// y = softmax(x, [1]);
	// y = softmax(x, axes = [1]);
}
