package operators_test

import (
	"fmt"

	"github.com/concord-nn/concord/internal/cvm/operators"
	"github.com/concord-nn/concord/tensor"
)

func Example() {
	o, _ := operators.Lookup("sum_7")
	attrs, err := o.ParseAttrs(map[string]string{"axis": "(-1, 0)", "keepdims": "True"})
	if err != nil {
		fmt.Println(err)
		return
	}
	c := &operators.Call{Operator: o, Attrs: attrs, In: []operators.Tensor{{Shape: tensor.Shape{2, 3, 4}, Precision: 8}}}
	if c.Out, err = o.Shapes(c); err != nil {
		fmt.Println(err)
		return
	}
	precisions, err := o.Precisions(c)
	fmt.Println(c.Out, precisions, err)
	fmt.Println("gas for each element:", o.Base(c))
	fmt.Println(o.FormatAttrs(attrs))
	// Output:
	// [[1,3,1]] [12] <nil>
	// gas for each element: 8
	// map[axis:(-1, 0) keepdims:true]
}

func ExampleOperator_ParseAttrs() {
	o, _ := operators.Lookup("upsampling")
	_, err := o.ParseAttrs(map[string]string{"scale": "2.0"})
	fmt.Println(err)
	// Output:
	// attr_parse: scale: "2.0" is not legal; want an integer in -2147483648…2147483647
}
