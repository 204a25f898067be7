package migrate_test

import (
	"fmt"

	"github.com/concord-nn/concord/internal/nnef/flat"
	"github.com/concord-nn/concord/internal/nnef/migrate"
	"github.com/concord-nn/concord/nnef/syntax"
)

func ExampleDocument() {
	doc, err := syntax.Parse("net.nnef", []byte(`version 1.0
fragment scaled( x: tensor, by: extent[] ) -> ( y: tensor )
{
    y = x * scalar(length_of(by)) # by its length
}
graph net( x ) -> ( y )
{
    x = external(shape = [1, 8])
    extension = idn(x)
    y = scaled(extension, by = [1, 2])
}
`), syntax.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	g, err := flat.Flatten(doc, flat.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	migrated, notes, err := migrate.Document(doc, g, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, n := range notes {
		fmt.Println(n.Error())
	}
	text, err := syntax.Format(migrated)
	fmt.Print(string(text), err)
	// Output:
	// net.nnef:9:5: extension note [NNEF0330]: extension becomes extension_: the final dialect reserves the word
	// version 1.0;
	//
	// extension KHR_enable_fragment_definitions;
	// extension KHR_enable_operator_expressions;
	//
	// fragment scaled( x: tensor<scalar>, by: integer[] ) -> ( y: tensor<scalar> )
	// {
	//     y = x * scalar(length_of(by)); # by its length
	// }
	//
	// graph net( x ) -> ( y )
	// {
	//     x = external(shape = [1, 8]);
	//     extension_ = copy(x);
	//     y = scaled(extension_, by = [1, 2]);
	// }
	// <nil>
}
