package main

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"strconv"

	"github.com/concord-nn/concord/cvm"
	"github.com/concord-nn/concord/cvm/params"
	"github.com/concord-nn/concord/cvm/symbol"
	"github.com/concord-nn/concord/internal/naming"
	"github.com/concord-nn/concord/tensor"
)

// network is a CVM model that grows layer by layer.
type network struct {
	symbol symbol.Symbol
	params []params.Param
	last   int     // the node whose result goes on
	scale  float64 // a number x of the model with floats is the integer x·scale in that result
}

// newNetwork begins with the input: numbers from 0 to 1 as integers from 0 to 127.
func newNetwork(shape tensor.Shape) *network {
	n := &network{symbol: symbol.Symbol{Version: symbol.V110}, scale: 127}
	n.last = n.variable("data", shape, 8)
	return n
}

func (n *network) node(name string, shape tensor.Shape, precision int, opAttrs string) int {
	s := &n.symbol
	s.Nodes = append(s.Nodes, symbol.Node{Op: "null", Name: name})
	s.OpAttrs = append(s.OpAttrs, opAttrs)
	s.Shape = append(s.Shape, shape)
	s.Precision = append(s.Precision, precision)
	s.StorageID = append(s.StorageID, len(s.StorageID)) // each tensor has room of its own
	return len(s.Nodes) - 1
}

func (n *network) variable(name string, shape tensor.Shape, precision int) int {
	return n.node(name, shape, precision, "{}")
}

// param adds round(values·scale).
func (n *network) param(name string, values *tensor.Tensor, scale float64, precision int) (int, error) {
	shape := values.Shape().Clone()
	if len(shape) == 2 && shape[0] == 1 { // NNEF's biases
		shape = shape[1:]
	}
	var elements []int32
	for _, x := range tensor.Data[float32](values) {
		elements = append(elements, int32(math.Round(float64(x)*scale)))
	}
	t, err := tensor.FromSlice(elements, shape...)
	if err != nil {
		return 0, err
	}
	if precision <= 8 {
		if t, err = tensor.Cast(t, tensor.Int8); err != nil {
			return 0, err
		}
	}
	n.params = append(n.params, params.Param{Name: name, Tensor: t})
	return n.variable(name, shape, precision), nil
}

// apply adds an operator whose first operand is the result so far.
func (n *network) apply(name, operator string, attrs map[string]string, shape tensor.Shape, more ...int) {
	inputs := []symbol.Entry{{Node: n.last}}
	for _, m := range more {
		inputs = append(inputs, symbol.Entry{Node: m})
	}
	n.last = n.node(name, shape, -1, symbol.FormatAttrs(attrs))
	node := &n.symbol.Nodes[n.last]
	node.Op, node.Inputs, node.Attrs = "cvm_op", inputs, &symbol.NodeAttrs{FuncName: operator}
}

// product adds a convolution or a dense layer. The filter gets 8 bits, by a power of two that uses as much of them as can be.
func (n *network) product(layer, operator string, attrs map[string]string, shape tensor.Shape, filter, bias *tensor.Tensor) error {
	greatest := 0.0
	for _, x := range tensor.Data[float32](filter) {
		greatest = max(greatest, math.Abs(float64(x)))
	}
	scale := math.Exp2(math.Floor(math.Log2(127 / greatest)))
	f, err := n.param(layer+"_filter", filter, scale, 8)
	if err != nil {
		return err
	}
	n.scale *= scale
	b, err := n.param(layer+"_bias", bias, n.scale, 24)
	if err != nil {
		return err
	}
	n.apply(layer, operator, attrs, shape, f, b)
	return nil
}

// narrow shifts the result so far to the right until it has 8 bits on every sample.
func (n *network) narrow(name string, samples [][]byte) error {
	greatest, err := n.greatest(samples)
	if err != nil {
		return err
	}
	shift := max(1, bits.Len32(uint32(greatest))-7)
	n.apply(name, "cvm_right_shift", map[string]string{"precision": "8", "shift_bit": strconv.Itoa(shift)}, n.symbol.Shape[n.last])
	n.scale /= float64(uint64(1) << shift)
	return nil
}

// greatest runs what there is so far and returns the greatest magnitude in the result.
func (n *network) greatest(samples [][]byte) (int32, error) {
	model, err := n.load()
	if err != nil {
		return 0, err
	}
	defer model.Close()
	var greatest int32
	for _, s := range samples {
		out, err := model.Run(context.Background(), s)
		if err != nil {
			return 0, err
		}
		for ; len(out) > 0; out = out[4:] {
			x := int32(binary.LittleEndian.Uint32(out))
			greatest = max(greatest, x, -x)
		}
	}
	return greatest, nil
}

// files returns the two files of the model so far.
func (n *network) files() (cvm.Files, error) {
	s := n.symbol
	s.Heads = []symbol.Entry{{Node: n.last}}
	return cvm.Encode(&s, n.params)
}

func (n *network) load() (*cvm.Model, error) {
	files, err := n.files()
	if err != nil {
		return nil, err
	}
	return cvm.Load(files, cvm.Options{})
}

// convert makes an integer model of the digits network, whose weights are given by their labels.
func convert(weights map[string]*tensor.Tensor, samples [][]byte) (cvm.Files, error) {
	for _, name := range []string{"conv1", "conv2", "conv3", "dense"} {
		if weights[name+"_filter"] == nil || weights[name+"_bias"] == nil {
			return cvm.Files{}, fmt.Errorf("there are no weights of %s among %v", name, naming.Sorted(weights))
		}
	}
	n := newNetwork(tensor.Shape{1, 1, 28, 28})
	size, channels := 28, 0
	for i, padding := range []int{1, 0, 0} {
		number := strconv.Itoa(i + 1)
		layer := "conv" + number
		filter := weights[layer+"_filter"]
		channels = filter.Shape()[0]
		size += 2*padding - 2
		shape := tensor.Shape{1, channels, size, size}
		p := strconv.Itoa(padding)
		attrs := map[string]string{
			"channels": strconv.Itoa(channels), "kernel_size": "(3, 3)", "padding": "(" + p + ", " + p + ")",
		}
		if err := n.product(layer, "conv2d", attrs, shape, filter, weights[layer+"_bias"]); err != nil {
			return cvm.Files{}, err
		}
		n.apply("relu"+number, "relu", nil, shape)
		size /= 2
		shape = tensor.Shape{1, channels, size, size}
		n.apply("pool"+number, "max_pool2d", map[string]string{"pool_size": "(2, 2)", "strides": "(2, 2)"}, shape)
		if err := n.narrow("narrow"+number, samples); err != nil {
			return cvm.Files{}, err
		}
	}
	n.apply("flat", "flatten", nil, tensor.Shape{1, channels * size * size})
	attrs := map[string]string{"units": "10"}
	if err := n.product("dense", "dense", attrs, tensor.Shape{1, 10}, weights["dense_filter"], weights["dense_bias"]); err != nil {
		return cvm.Files{}, err
	}
	return n.files()
}
