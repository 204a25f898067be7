package webnn

import (
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/tensor"
)

// MaxRank is the greatest rank of an operand.
const MaxRank = limits.WebNNRank

// maxDimension is the greatest "valid dimension" of the standard. It bounds element counts, too.
const maxDimension = limits.WebNNExtent

// DataTypes lists the element types of MLOperandDataType (https://www.w3.org/TR/webnn/#enumdef-mloperanddatatype).
var DataTypes = []tensor.DType{
	tensor.Float32, tensor.Float16, tensor.Int32, tensor.Uint32, tensor.Int64, tensor.Uint64, tensor.Int8, tensor.Uint8,
}

// OperandDescriptor is MLOperandDescriptor (https://www.w3.org/TR/webnn/#api-mloperanddescriptor): the type and shape of an
// operand. The shape of a scalar is empty.
type OperandDescriptor struct {
	DataType tensor.DType
	Shape    tensor.Shape
}

// check checks the data type and the shape of a descriptor from a caller.
func (d OperandDescriptor) check(maxByteLength int64) *fault {
	if f := checkDataType(d.DataType, "dataType"); f != nil {
		return f
	}
	return d.checkShape(maxByteLength)
}

// checkShape is "check dimensions" of the standard, with a greatest byte length.
func (d OperandDescriptor) checkShape(maxByteLength int64) *fault {
	if len(d.Shape) > MaxRank {
		return faultf("rank", "the shape %v has rank %d; at most %d is allowed", d.Shape, len(d.Shape), MaxRank)
	}
	count := 1
	for i, n := range d.Shape {
		if n <= 0 || n > maxDimension {
			return faultf("dimension", "extent %d of dimension %d is not from 1 to %d", n, i, maxDimension)
		}
		if count > maxDimension/n {
			return faultf("dimension", "the shape %v has more than %d elements", d.Shape, maxDimension)
		}
		count *= n
	}
	if size := d.byteLength(); size > maxByteLength {
		return faultf("byteLength", "%v%v takes %d bytes; a tensor has at most %d", d.DataType, d.Shape, size, maxByteLength)
	}
	return nil
}

// byteLength is the "byte length" of a descriptor that check lets pass.
func (d OperandDescriptor) byteLength() int64 {
	return (int64(d.Shape.Len())*int64(d.DataType.Bits()) + 7) / 8 // which need not fit an int
}

// Operand is MLOperand (https://www.w3.org/TR/webnn/#api-mloperand): a value of the graph that a builder makes.
type Operand struct {
	owner *GraphBuilder
	typ   graph.Type
	value *graph.Value // locked by the owner, which takes it away when it has built: a value keeps all that it depends on
	leaf  bool         // an input or a constant, not the result of an operator
}

// DataType is MLOperand.dataType.
func (o *Operand) DataType() tensor.DType { return orZero(o).typ.DType }

// Shape is MLOperand.shape. The caller owns it.
func (o *Operand) Shape() tensor.Shape {
	o = orZero(o)
	if o.owner == nil { // the zero Operand
		return nil
	}
	return o.typ.Shape.Clone()
}

// NamedOperands is MLNamedOperands: the outputs of a graph by their names.
type NamedOperands map[string]*Operand
