package main

import (
	"fmt"

	"github.com/concord-nn/concord/webnn/internal/idl"
)

func Example() {
	for _, o := range idl.WebNN.Operators() {
		if o.Name != "gather" {
			continue
		}
		fmt.Println(o)
		for _, m := range idl.WebNN.Dictionary(o.Options()).Members {
			fmt.Println(m)
		}
		for _, r := range idl.WebNN.LimitsOf(o.Name) {
			fmt.Println(r.Operand, r.Types, r.SameType, r.Ranks)
		}
	}
	// Output:
	// MLOperand gather(MLOperand input, MLOperand indices, optional MLGatherOptions options = {})
	// [EnforceRange] unsigned long axis = 0
	// input [any]  1 to N
	// indices [int32 uint32 int64]  N
	// output [] input 1 to N
}
