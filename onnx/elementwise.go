package onnx

import "github.com/concord-nn/concord/graph"

// Operators on each element.
var elementwiseRows = []row{
	direct("Abs", "abs", "1 6 13"),
	direct("Add", "add", "1 6 7 13 14"),
}

// direct is the row of an operator that is one of ours: its operands are aligned at the last dimension, its attributes none.
func direct(name, operator, versions string) row {
	operands := "X"
	if operator == "add" {
		operands = "A, B"
	}
	return row{name: name, forms: forms(versions, operands), lower: func(c *call) []*graph.Value {
		return []*graph.Value{c.Node(operator, nil, c.AlignRight(c.All(0)...)...)}
	}}
}
