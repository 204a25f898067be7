package session

import (
	"cmp"

	"github.com/concord-nn/concord/tensor"
	"github.com/concord-nn/concord/webnn"
)

// handlers perform the calls whose arguments are not those of an operator.
var handlers = map[string]func(x *execution, receiver any, args []any) error{
	"ML.createContext": createContext,

	"MLContext.dispatch":             dispatch,
	"MLContext.createTensor":         createTensor,
	"MLContext.createConstantTensor": createConstantTensor,
	"MLContext.readTensor":           readTensor,
	"MLContext.writeTensor":          writeTensor,
	"MLContext.opSupportLimits":      opSupportLimits,
	"MLContext.lost":                 lost,

	"MLContext.destroy": destroy,
	"MLTensor.destroy":  destroy,
	"MLGraph.destroy":   destroy,

	"MLGraphBuilder.constructor": newBuilder,
	"MLGraphBuilder.input":       input,
	"MLGraphBuilder.constant":    constant,
	"MLGraphBuilder.build":       build,
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

func createContext(x *execution, _ any, args []any) error {
	options := x.turn.host.options.Context
	given, _ := args[0].(map[string]any)
	if power, ok := given["powerPreference"].(string); ok {
		options.PowerPreference = webnn.PowerPreference(power)
	}
	if accelerated, ok := given["accelerated"].(bool); ok {
		options.Accelerated = &accelerated
	}
	c, err := webnn.ML{}.CreateContext(&options)
	return x.result(c, err)
}

func newBuilder(x *execution, _ any, args []any) error {
	c := args[0].(*webnn.Context)
	b, err := webnn.NewGraphBuilder(c)
	x.context = c
	return x.result(b, err)
}

// descriptor returns an MLOperandDescriptor that has been converted.
func descriptor(v any) webnn.OperandDescriptor {
	d := v.(map[string]any)
	shape := values(d["shape"].([]any), func(n any) int { return n.(int) })
	return webnn.OperandDescriptor{DataType: d["dataType"].(tensor.DType), Shape: shape}
}

func createTensor(x *execution, receiver any, args []any) error {
	d := webnn.TensorDescriptor{OperandDescriptor: descriptor(args[0])}
	d.Readable, _ = args[0].(map[string]any)["readable"].(bool)
	d.Writable, _ = args[0].(map[string]any)["writable"].(bool)
	t, err := receiver.(*webnn.Context).CreateTensor(d)
	return x.result(t, err)
}

func createConstantTensor(x *execution, receiver any, args []any) error {
	d := descriptor(args[0])
	data, err := x.contents("inputData", args[1].(*Buffer), d.DataType)
	if err != nil {
		return err
	}
	t, err := receiver.(*webnn.Context).CreateConstantTensor(d, data)
	return x.result(t, err)
}

// contents returns the bytes of a buffer for an operand of type d.
func (x *execution) contents(argument string, b *Buffer, d tensor.DType) (any, error) {
	if !b.holds(d) {
		return nil, x.reject(argument+".type", "the buffer is a %s; for %v it must be a %s or an ArrayBuffer", b.Type, d, TypedArray(d))
	}
	return b.content(), nil
}

// writeTensor takes the bytes of any view, as readTensor fills any that is large enough: the tests of the platform write an
// Uint32Array to a tensor of int32, which the table of compatible views leaves out.
func writeTensor(x *execution, receiver any, args []any) error {
	return receiver.(*webnn.Context).WriteTensor(args[0].(*webnn.Tensor), args[1].(*Buffer).content())
}

func readTensor(x *execution, receiver any, args []any) error {
	t, h := args[0].(*webnn.Tensor), x.turn.host
	pending, err := receiver.(*webnn.Context).EnqueueRead(t)
	if err != nil {
		return err
	}
	if len(args) > 1 {
		given, size := args[1].(*Buffer).size(), t.DataType().Bytes(t.Shape().Len())
		if given < size {
			return x.reject("outputData.byteLength", "the buffer has %d bytes; the tensor has %d", given, size)
		}
	}
	if h.options.Context.CheckOnly {
		return nil
	}
	return x.background(func() error {
		<-x.turn.ended // until then nobody asks for the bytes
		data, err := pending.Wait(h.ctx)
		x.reply.Data, x.reply.ByteLength = data, new(len(data))
		return err
	})
}

func dispatch(_ *execution, receiver any, args []any) error {
	return receiver.(*webnn.Context).Dispatch(args[0].(*webnn.Graph), named[*webnn.Tensor](args[1]), named[*webnn.Tensor](args[2]))
}

// named returns a record of objects.
func named[T any](record any) map[string]T {
	out := make(map[string]T)
	for name, v := range record.(map[string]any) {
		out[name] = v.(T)
	}
	return out
}

func destroy(_ *execution, receiver any, _ []any) error {
	receiver.(interface{ Destroy() }).Destroy()
	return nil
}

func lost(x *execution, receiver any, _ []any) error {
	c, h := receiver.(*webnn.Context), x.turn.host
	return x.background(func() error {
		select {
		case <-c.Lost():
			info, _ := c.LostInfo()
			x.reply.Value = map[string]any{"message": info.Message}
			return nil
		case <-h.ctx.Done():
			return h.ctx.Err()
		}
	})
}

func input(x *execution, receiver any, args []any) error {
	name, d := args[0].(string), descriptor(args[1])
	if shape, given := x.turn.host.shapes[name]; given {
		d.Shape = shape
	}
	o, err := receiver.(*webnn.GraphBuilder).Input(name, d)
	return x.result(o, err)
}

func constant(x *execution, receiver any, args []any) error {
	b := receiver.(*webnn.GraphBuilder)
	switch a := args[0].(type) {
	case *webnn.Tensor:
		o, err := b.ConstantTensor(a)
		return x.result(o, err)
	case tensor.DType:
		o, err := b.ConstantNumber(a, number(args[1]))
		return x.result(o, err)
	}
	d := descriptor(args[0])
	data, err := x.contents("buffer", args[1].(*Buffer), d.DataType)
	if err != nil {
		return err
	}
	if x.turn.host.network != nil { // where the buffers outlive the graph
		if t := shared(d, data.([]byte)); t != nil {
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

func build(x *execution, receiver any, args []any) error {
	b, h := receiver.(*webnn.GraphBuilder), x.turn.host
	outputs := named[*webnn.Operand](args[0])
	if h.network != nil {
		g, err := b.Network(outputs)
		h.network(g)
		return err
	}
	if h.options.Context.CheckOnly {
		g, err := b.Build(h.ctx, outputs)
		return x.result(g, err)
	}
	// What comes later for the graph waits for it, and what comes for the builder, whose state the build changes.
	known, ready := make(chan struct{}), make(chan struct{})
	defer close(known)
	graph := x.object((*webnn.Graph)(nil))
	graph.ready = ready
	err := x.background(func() error {
		<-known
		g, err := b.Build(h.ctx, outputs)
		if err != nil {
			graph.err = err
			h.forget(x.call.ID, graph)
		} else {
			graph.value, x.reply.Result = g, describe(g)
		}
		close(ready)
		<-x.turn.ended
		return cmp.Or(err, x.checkLost())
	})
	if err != nil {
		return err
	}
	h.keep(x.call.ID, graph)
	h.mu.Lock()
	defer h.mu.Unlock()
	x.receiver.ready = ready
	return nil
}

// forget takes an id from an object that could not be made.
func (h *Host) forget(id string, o *object) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.objects[id] == o {
		delete(h.objects, id)
	}
}

func opSupportLimits(x *execution, receiver any, _ []any) error {
	x.reply.Value = receiver.(*webnn.Context).OpSupportLimits() // which has the JSON form of the dictionary
	return nil
}
