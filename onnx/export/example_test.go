package export_test

import (
	"fmt"

	"github.com/concord-nn/concord/nnef"
	"github.com/concord-nn/concord/onnx/export"
)

// A graph becomes a model. What the standard's operators do not say is said by Concord's own, and by functions for other runtimes.
func Example() {
	g, err := nnef.Parse("net", []byte(`version 1.0;
graph net( x ) -> ( y )
{
    x = external(shape = [1, 3]);
    r = round(x);
    y = softmax(r);
}`), nnef.Options{})
	if err != nil {
		panic(err)
	}
	m, err := export.New(g, export.Options{})
	if err != nil {
		panic(err)
	}
	for _, n := range m.Graph.Node {
		fmt.Println(n.Output, "=", n.Domain, n.OpType, n.Input)
	}
	for _, n := range m.Functions[0].Node {
		fmt.Println(" ", n.Output, "=", n.OpType, n.Input)
	}
	// Output:
	// [r] = org.concord round [x]
	// [y] =  Softmax [r]
	//   [floor1] = Floor [x]
	//   [sub1] = Sub [x floor1]
	//   [const1] = Constant []
	//   [ge1] = GreaterOrEqual [sub1 const1]
	//   [const2] = Constant []
	//   [add1] = Add [floor1 const2]
	//   [y] = Where [ge1 add1 floor1]
}
