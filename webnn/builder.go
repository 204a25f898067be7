package webnn

import (
	"fmt"
	"slices"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// MaxRank is the greatest rank of an operand.
const MaxRank = 8

// DataTypes lists the element types of MLOperandDataType.
var DataTypes = []tensor.DType{
	tensor.Float32, tensor.Float16, tensor.Int32, tensor.Uint32, tensor.Int64, tensor.Uint64, tensor.Int8, tensor.Uint8,
}

// Descriptor is MLOperandDescriptor: the type and shape of an operand.
type Descriptor struct {
	DataType tensor.DType
	Shape    tensor.Shape
}

// GraphBuilder is MLGraphBuilder: it makes one graph. It must not be used by several goroutines at once.
type GraphBuilder struct {
	b     *graph.Builder
	built bool
}

// Operand is MLOperand: a value of the graph that is being built.
type Operand struct {
	owner *GraphBuilder
	value *graph.Value
}

// NewGraphBuilder returns the builder of a new graph.
func NewGraphBuilder() *GraphBuilder {
	return &GraphBuilder{b: graph.NewBuilder(op.Rules, "webnn")}
}

// DataType returns the element type of the operand.
func (o *Operand) DataType() tensor.DType { return o.value.Type.DType }

// Shape returns the extents of the operand.
func (o *Operand) Shape() tensor.Shape {
	s, _ := o.value.Type.Shape.Extents() // every shape in WebNN is known
	return s
}

// Input adds a named graph input (MLGraphBuilder.input).
func (b *GraphBuilder) Input(name string, d Descriptor) (*Operand, error) {
	if b.built {
		return nil, errBuilt
	}
	if name == "" {
		return nil, fmt.Errorf("input: the name is empty")
	}
	if err := d.check(); err != nil {
		return nil, fmt.Errorf("input %q: %w", name, err)
	}
	v, err := b.b.Input(name, graph.Type{DType: d.DataType, Shape: graph.Fixed(d.Shape)})
	if err != nil {
		return nil, err
	}
	return &Operand{b, v}, nil
}

// Constant adds a constant (MLGraphBuilder.constant). The tensor must not change any more.
func (b *GraphBuilder) Constant(t *tensor.Tensor) (*Operand, error) {
	if b.built {
		return nil, errBuilt
	}
	if err := (Descriptor{t.DType(), t.Shape()}).check(); err != nil {
		return nil, fmt.Errorf("constant: %w", err)
	}
	v, err := b.b.Constant("", "", t.Contiguous())
	if err != nil {
		return nil, err
	}
	return &Operand{b, v}, nil
}

// Build returns the graph with the named outputs, in the order of names, and ends the building.
func (b *GraphBuilder) Build(names []string, outputs []*Operand) (*graph.Graph, error) {
	if b.built {
		return nil, errBuilt
	}
	if len(names) != len(outputs) {
		return nil, fmt.Errorf("build: %d names for %d outputs", len(names), len(outputs))
	}
	for i, o := range outputs {
		if o == nil || o.owner != b {
			return nil, fmt.Errorf("build: output %q does not belong to this builder", names[i])
		}
		if o.value.Producer == nil {
			return nil, fmt.Errorf("build: output %q is an input or a constant", names[i])
		}
		if err := b.b.Output(names[i], o.value); err != nil {
			return nil, err
		}
	}
	b.built = true
	return b.b.Build()
}

var errBuilt = fmt.Errorf("the builder has built its graph")

func (d Descriptor) check() error {
	if !slices.Contains(DataTypes, d.DataType) {
		return fmt.Errorf("the data type %v is not one of %v", d.DataType, DataTypes)
	}
	if len(d.Shape) > MaxRank {
		return fmt.Errorf("shape %v has rank %d; at most %d is allowed", d.Shape, len(d.Shape), MaxRank)
	}
	for i, n := range d.Shape {
		if n <= 0 || n > 1<<31-1 {
			return fmt.Errorf("extent %d of dimension %d is not from 1 to 2147483647", n, i)
		}
	}
	return d.Shape.Check()
}
