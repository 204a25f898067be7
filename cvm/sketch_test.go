package cvm

import (
	"fmt"
	"testing"

	"github.com/concord-nn/concord/cvm/params"
	"github.com/concord-nn/concord/cvm/symbol"
	"github.com/concord-nn/concord/tensor"
)

// sketch is a model that a test builds node by node, in version 1.0.0 with every list, each entry on a storage of its own.
type sketch struct {
	symbol.Symbol
	params []params.Param
}

func newSketch() *sketch {
	return &sketch{Symbol: symbol.Symbol{Version: symbol.V100, NodeRowPtr: []int{0}}}
}

// add adds a node with outputs of the given shapes and returns its number.
func (s *sketch) add(n symbol.Node, attrs string, precision int, shapes ...tensor.Shape) int {
	if n.Op == symbol.Variable {
		s.ArgNodes = append(s.ArgNodes, len(s.Nodes))
	}
	s.Nodes = append(s.Nodes, n)
	s.OpAttrs = append(s.OpAttrs, attrs)
	for _, shape := range shapes {
		s.StorageID = append(s.StorageID, len(s.Shape))
		s.Shape = append(s.Shape, shape)
		s.Precision = append(s.Precision, precision)
		s.DLType = append(s.DLType, "int32")
	}
	s.NodeRowPtr = append(s.NodeRowPtr, len(s.Shape))
	return len(s.Nodes) - 1
}

// variable adds a variable without elements.
func (s *sketch) variable(name string, precision int, shape ...int) int {
	return s.add(symbol.Node{Op: symbol.Variable, Name: name, Inputs: []symbol.Entry{}}, "{}", precision, shape)
}

// parameter adds a variable with elements.
func (s *sketch) parameter(name string, precision int, shape tensor.Shape, data []int32) int {
	x, err := tensor.FromSlice(data, shape...)
	if err != nil {
		panic(err)
	}
	s.params = append(s.params, params.Param{Name: name, Tensor: x})
	return s.variable(name, precision, shape...)
}

// operand adds operand i of a model of one operator: the first is data, the others are parameters if they have elements.
func (s *sketch) operand(i, precision int, shape tensor.Shape, data []int32) int {
	switch name := fmt.Sprint("p", i); {
	case i == 0:
		return s.variable(DataName, precision, shape...)
	case data == nil:
		return s.variable(name, precision, shape...)
	default:
		return s.parameter(name, precision, shape, data)
	}
}

// encoded returns elements as an input's bytes.
func encoded[T int32 | int64](precision int, data []T) []byte {
	var b []byte
	for _, v := range data {
		if b = append(b, byte(v)); precision > 8 {
			b = append(b, byte(v>>8), byte(v>>16), byte(v>>24))
		}
	}
	return b
}

// apply adds an operator with one output, whose operands are the first outputs of nodes.
func (s *sketch) apply(operator, attrs string, shape tensor.Shape, in ...int) int {
	return s.operator(operator, attrs, in, shape)
}

// operator adds an operator on the first outputs of nodes.
func (s *sketch) operator(operator, attrs string, in []int, shapes ...tensor.Shape) int {
	n := symbol.Node{Op: symbol.Operator, Name: operator + "_node", Inputs: []symbol.Entry{}, Attrs: &symbol.NodeAttrs{FuncName: operator}}
	for _, i := range in {
		n.Inputs = append(n.Inputs, symbol.Entry{Node: i})
	}
	return s.add(n, attrs, -1, shapes...)
}

// head makes the first outputs of nodes outputs of the model.
func (s *sketch) head(nodes ...int) *sketch {
	for _, i := range nodes {
		s.Heads = append(s.Heads, symbol.Entry{Node: i})
	}
	return s
}

// text writes the symbol down, so that what is read has places.
func (s *sketch) text(t testing.TB) []byte {
	t.Helper()
	b, err := s.AppendText(nil)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// files returns the model with its parameters.
func (s *sketch) files(t testing.TB) Files {
	t.Helper()
	f, err := Encode(&s.Symbol, s.params)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// small is data, a parameter w, their sum and its relu.
func small() *sketch {
	s := newSketch()
	data, w := s.variable("data", 8, 2, 3), s.variable("w", 8, 2, 3)
	sum := s.apply("elemwise_add", "{}", tensor.Shape{2, 3}, data, w)
	return s.head(s.apply("relu", "{}", tensor.Shape{2, 3}, sum))
}
