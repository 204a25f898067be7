package main

import (
	"cmp"
	"os"
	"path/filepath"
	"strings"

	"github.com/concord-nn/concord/onnx/proto"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// opset is the version of ONNX's operators that models of one node are made of, unless the node says another.
const opset = 21

// node is a network of one node, which this program writes.
type node struct {
	op       string // its domain in front, if it has one: com.microsoft:MatMulNBits
	operands []operand
	attrs    []*proto.Attribute
	outputs  int // 0 for one
	opset    int // 0 for the constant
}

// operand is an input of the model with random elements, unless it is a constant; the zero value is an operand that is left out.
type operand struct {
	dtype    tensor.DType
	shape    []int
	lo, hi   float64 // between which the elements lie
	constant bool
	values   *tensor.Tensor // of a constant that is not random
}

// in is an input of float32 between −1 and 1, ints one of integers from lo to hi.
func in(shape ...int) operand { return operand{dtype: tensor.Float32, shape: shape, lo: -1, hi: 1} }

func ints(d tensor.DType, lo, hi float64, shape ...int) operand {
	return operand{dtype: d, shape: shape, lo: lo, hi: hi}
}

// of changes the type of the elements, within their range, fixed makes a constant of an input.
func (o operand) of(d tensor.DType) operand          { o.dtype = d; return o }
func (o operand) within(lo, hi float64) operand      { o.lo, o.hi = lo, hi; return o }
func (o operand) fixed() operand                     { o.constant = true; return o }
func constant[T tensor.Element](values ...T) operand { return stored(values, len(values)) }
func scalar[T tensor.Element](value T) operand       { return stored([]T{value}) }

// each is a constant of n equal elements.
func each[T tensor.Element](n int, value T) operand {
	values := make([]T, n)
	for i := range values {
		values[i] = value
	}
	return constant(values...)
}

func stored[T tensor.Element](values []T, shape ...int) operand {
	t, err := tensor.FromSlice(values, shape...)
	if err != nil {
		panic(err) // in a table of this program
	}
	return operand{constant: true, values: t}
}

// tensor returns the elements, which are the same each time.
func (o operand) tensor(rng *op.Rand) *tensor.Tensor {
	switch {
	case o.values != nil:
		return o.values
	case o.dtype.IsInteger():
		return rng.Integers64(o.dtype, o.shape, int64(o.lo), int64(o.hi))
	}
	return rng.Uniform(o.dtype, o.shape, o.lo, o.hi)
}

// attr is an attribute of a table of this program.
func attr(name string, value any) *proto.Attribute {
	a, err := proto.NewAttribute(name, value)
	if err != nil {
		panic(err)
	}
	return a
}

// write writes the model and its inputs into a folder.
func (n *node) write(folder, name string) (*entry, error) {
	e := &entry{File: filepath.Join(folder, name+".onnx")}
	rng := op.NewRand(1, 1)
	domain, operator, found := strings.Cut(n.op, ":")
	if !found {
		domain, operator = "", n.op
	}
	of := &proto.Node{OpType: operator, Domain: domain, Attribute: n.attrs}
	g := &proto.Graph{Name: name, Node: []*proto.Node{of}}
	opsets := []*proto.OperatorSet{{Version: int64(cmp.Or(n.opset, opset))}}
	if domain != "" {
		opsets = append(opsets, &proto.OperatorSet{Domain: domain, Version: 1})
	}
	for i := range max(n.outputs, 1) {
		y := "y" + strings.Repeat("'", i)
		of.Output, g.Output, e.Outputs = append(of.Output, y), append(g.Output, &proto.ValueInfo{Name: y}), append(e.Outputs, y)
	}
	for i, o := range n.operands {
		if o.shape == nil && o.values == nil {
			of.Input = append(of.Input, "")
			continue
		}
		x, t := string(rune('a'+i)), o.tensor(rng)
		of.Input = append(of.Input, x)
		if o.constant {
			w, err := proto.NewTensor(x, t)
			if err != nil {
				return nil, err
			}
			g.Initializer = append(g.Initializer, w)
			continue
		}
		g.Input = append(g.Input, proto.NewValueInfo(x, proto.DataTypeOf(t.DType()), proto.NewShape(t.Shape())))
		file := filepath.Join(folder, name+"."+x+".bin")
		e.Inputs = append(e.Inputs, array{x, t.DType().String(), t.Shape(), file})
		if err := os.WriteFile(file, tensor.AppendRaw(nil, t), 0o600); err != nil {
			return nil, err
		}
	}
	return e, proto.WriteFile(e.File, &proto.Model{IRVersion: 10, OpsetImport: opsets, Graph: g}, false)
}

// product is a square float32 product.
func product(n int, fixed bool) *node {
	right := in(n, n)
	right.constant = fixed
	return &node{op: "MatMul", operands: []operand{in(n, n), right}}
}

// coded is a product of rows with n² weights of 4 bits.
func coded(rows, n int) *node {
	const block = 32
	return &node{op: "com.microsoft:MatMulNBits", attrs: []*proto.Attribute{attr("K", n), attr("N", n), attr("bits", 4), attr("block_size", block)},
		operands: []operand{in(rows, n), ints(tensor.Uint8, 0, 255, n, n/block, block/2).fixed(), in(n*n/block).within(0, 0.1).fixed()}}
}
