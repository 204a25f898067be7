package export_test

import (
	"fmt"

	"github.com/concord-nn/concord/cvm/export"
	"github.com/concord-nn/concord/cvm/symbol"
	"github.com/concord-nn/concord/nnef"
)

// A graph from elsewhere becomes a model of CVM. The input is called data there.
func ExampleFromGraph() {
	g, err := nnef.Parse("model", []byte(`version 1.0;
extension concord_operators;
extension KHR_enable_fragment_definitions;
extension concord_type x int32;
fragment clamp_precision( x: tensor<integer>, precision: integer ) -> ( y: tensor<integer> );
graph g( x ) -> ( y )
{
    x = external<integer>(shape = [2, 3]);
    a = clamp_precision(x, precision = 10); # which says the precision of the input
    b = relu(a);
    y = sum_reduce(b, axes = [1]);
}`), nnef.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	files, err := export.FromGraph(g, export.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	s, err := symbol.Parse(files.Symbol)
	if err != nil {
		fmt.Println(err)
		return
	}
	for i, n := range s.Nodes {
		fmt.Println(n.Op, n.Name, s.OpAttrs[i], s.Precision[i], s.StorageID[i])
	}
	// Output:
	// null data {} 10 0
	// cvm_op b {} 10 1
	// cvm_op y {"axis": "(1,)", "keepdims": "true"} 12 2
}
