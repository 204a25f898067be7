package session

import (
	"math/big"

	"github.com/concord-nn/concord/tensor"
	"github.com/concord-nn/concord/webnn"
)

// operation is a member of an interface that is no attribute and makes no operands from operands.
type operation struct {
	async   bool // it returns a promise
	perform func(x *execution, a *arguments) error
}

var operations = map[string]operation{
	"ML.createContext": {true, createContext},

	"MLContext.dispatch":             {false, dispatch},
	"MLContext.createTensor":         {true, createTensor},
	"MLContext.createConstantTensor": {true, createConstantTensor},
	"MLContext.readTensor":           {true, readTensor},
	"MLContext.writeTensor":          {false, writeTensor},
	"MLContext.opSupportLimits":      {false, opSupportLimits},
	"MLContext.lost":                 {true, lost},

	"MLContext.destroy": {false, destroy},
	"MLTensor.destroy":  {false, destroy},
	"MLGraph.destroy":   {false, destroy},

	"MLGraphBuilder.constructor": {false, newBuilder},
	"MLGraphBuilder.input":       {false, input},
	"MLGraphBuilder.constant":    {false, constant},
	"MLGraphBuilder.build":       {true, build},
}

// describe returns the attributes of an object.
func describe(object any) Description {
	operand := func(iface string, d tensor.DType, s tensor.Shape) Description {
		return Description{"interface": iface, "dataType": d.String(), "shape": append([]int{}, s...)}
	}
	switch o := object.(type) {
	case *webnn.Context:
		return Description{"interface": "MLContext", "accelerated": o.Accelerated()}
	case *webnn.Tensor:
		d := operand("MLTensor", o.DataType(), o.Shape())
		d["readable"], d["writable"], d["constant"] = o.Readable(), o.Writable(), o.Constant()
		return d
	case *webnn.Operand:
		return operand("MLOperand", o.DataType(), o.Shape())
	case *webnn.GraphBuilder:
		return Description{"interface": "MLGraphBuilder"}
	}
	return Description{"interface": "MLGraph"}
}

func createContext(x *execution, a *arguments) error {
	options := x.turn.host.options.Context
	if a.more() && x.call.Args[0] != nil {
		given := argument[Dict](a, "options", "a dictionary")
		if power, ok := given["powerPreference"]; ok {
			text, ok := power.(string)
			if !ok {
				a.fail("powerPreference", "the value is %s; it must be a string", nameOf(power))
			}
			options.PowerPreference = webnn.PowerPreference(text)
		}
		if accelerated, ok := a.flag(given, "accelerated"); ok {
			options.Accelerated = &accelerated
		}
	}
	if a.err != nil {
		return a.err
	}
	c, err := webnn.ML{}.CreateContext(&options)
	return x.result(c, err)
}

func newBuilder(x *execution, a *arguments) error {
	c := argument[*webnn.Context](a, "context", "an MLContext")
	if a.err != nil {
		return a.err
	}
	x.context = c
	b, err := webnn.NewGraphBuilder(c)
	return x.result(b, err)
}

func (x *execution) on() *webnn.Context { return x.receiver.value.(*webnn.Context) }

func createTensor(x *execution, a *arguments) error {
	d := a.descriptor()
	if a.err != nil {
		return a.err
	}
	t, err := x.on().CreateTensor(d)
	return x.result(t, err)
}

func createConstantTensor(x *execution, a *arguments) error {
	d := a.descriptor().OperandDescriptor
	data := a.contents("inputData", d.DataType)
	if a.err != nil {
		return a.err
	}
	t, err := x.on().CreateConstantTensor(d, data)
	return x.result(t, err)
}

// writeTensor takes the bytes of any view, as readTensor fills any that is large enough: the tests of the platform write an
// Uint32Array to a tensor of int32, which the table of compatible views leaves out.
func writeTensor(x *execution, a *arguments) error {
	t, b := argument[*webnn.Tensor](a, "tensor", "an MLTensor"), a.buffer("inputData")
	if a.err != nil {
		return a.err
	}
	return x.on().WriteTensor(t, b.content())
}

func readTensor(x *execution, a *arguments) error {
	t, size := argument[*webnn.Tensor](a, "tensor", "an MLTensor"), -1
	if a.more() {
		size = a.buffer("outputData").size()
	}
	if a.err != nil {
		return a.err
	}
	pending, err := x.on().EnqueueRead(t)
	if err != nil {
		return err
	}
	if least := t.DataType().Bytes(t.Shape().Len()); size >= 0 && size < least {
		return x.reject("outputData.byteLength", "the buffer has %d bytes; the tensor has %d", size, least)
	}
	x.wait = func() error {
		data, err := pending.Wait(x.turn.ctx)
		x.reply.Data, x.reply.ByteLength = data, new(len(data))
		return err
	}
	return nil
}

func dispatch(x *execution, a *arguments) error {
	g := argument[*webnn.Graph](a, "graph", "an MLGraph")
	inputs, outputs := named[*webnn.Tensor](a, "inputs", "an MLTensor"), named[*webnn.Tensor](a, "outputs", "an MLTensor")
	if a.err != nil {
		return a.err
	}
	return x.on().Dispatch(g, inputs, outputs)
}

func destroy(x *execution, _ *arguments) error {
	x.receiver.value.(interface{ Destroy() }).Destroy()
	return nil
}

func lost(x *execution, _ *arguments) error {
	h := x.turn.host
	if n := len(h.waiting); n >= h.options.MaxPending {
		return hostError(webnn.UnknownError, "pending", "%d calls wait for their replies, as many as may", n)
	}
	x.later = true
	h.waiting = append(h.waiting, x)
	return nil
}

func (x *execution) builder() *webnn.GraphBuilder { return x.receiver.value.(*webnn.GraphBuilder) }

func input(x *execution, a *arguments) error {
	name, d := argument[string](a, "name", "a string"), a.descriptor().OperandDescriptor
	if a.err != nil {
		return a.err
	}
	if shape, given := x.turn.host.shapes[name]; given {
		d.Shape = shape
	}
	o, err := x.builder().Input(name, d)
	return x.result(o, err)
}

func constant(x *execution, a *arguments) error {
	if !a.more() {
		return x.reject("arguments", "arguments given: 0; there must be a tensor, a type and a number, or a descriptor and a buffer")
	}
	b := x.builder()
	switch x.call.Args[0].(type) {
	case Ref:
		t := argument[*webnn.Tensor](a, "tensor", "an MLTensor")
		if a.err != nil {
			return a.err
		}
		o, err := b.ConstantTensor(t)
		return x.result(o, err)
	case string:
		d, n := a.dataType(a.next("dataType")), number(a.next("value"))
		var value webnn.Number
		switch n := n.(type) {
		case float64:
			value = webnn.Float(n)
		case *big.Int:
			value = webnn.BigInt{Int: n}
		default:
			a.fail("value", "the value is %s; it must be a number", nameOf(n))
		}
		if a.err != nil {
			return a.err
		}
		o, err := b.ConstantNumber(d, value)
		return x.result(o, err)
	}
	d := a.descriptor().OperandDescriptor
	data := a.contents("buffer", d.DataType)
	if a.err != nil {
		return a.err
	}
	if bytes, ok := data.([]byte); ok && x.turn.host.network != nil { // where the buffers outlive the graph
		if t := shared(d, bytes); t != nil {
			o, err := b.SharedConstant(t)
			return x.result(o, err)
		}
	}
	o, err := b.Constant(d, data)
	return x.result(o, err)
}

// shared returns a tensor over bytes; nil if they do not fit it, or not in the machine's order.
func shared(d webnn.OperandDescriptor, bytes []byte) *tensor.Tensor {
	t, err := tensor.FromRaw(d.DataType, d.Shape, bytes)
	if err != nil || len(bytes) == 0 || &t.Bytes()[0] != &bytes[0] {
		return nil
	}
	return t
}

func build(x *execution, a *arguments) error {
	b, h := x.builder(), x.turn.host
	outputs := named[*webnn.Operand](a, "outputs", "an MLOperand")
	if a.err != nil {
		return a.err
	}
	if h.network != nil {
		g, err := b.Network(outputs)
		h.network(g)
		return err
	}
	g, err := b.Build(x.turn.ctx, outputs)
	return x.result(g, err)
}

func opSupportLimits(x *execution, _ *arguments) error {
	x.reply.Value = x.on().OpSupportLimits() // which has the JSON form of the dictionary
	return nil
}
