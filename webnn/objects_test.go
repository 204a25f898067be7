package webnn_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"math"
	"math/big"
	"reflect"
	"runtime"
	"slices"
	"testing"

	"github.com/concord-nn/concord/engine"
	"github.com/concord-nn/concord/internal/testdata"
	"github.com/concord-nn/concord/tensor"
	"github.com/concord-nn/concord/webnn"
)

func float32s(shape ...int) webnn.OperandDescriptor {
	return webnn.OperandDescriptor{DataType: tensor.Float32, Shape: shape}
}

func newTensor(t testing.TB, c *webnn.Context, d webnn.OperandDescriptor) *webnn.Tensor {
	t.Helper()
	x, err := c.CreateTensor(webnn.TensorDescriptor{OperandDescriptor: d, Readable: true, Writable: true})
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func apply(t testing.TB, b *webnn.GraphBuilder, method string, args ...any) *webnn.Operand {
	t.Helper()
	out, err := b.Call(method, args, nil)
	if err != nil {
		t.Fatal(err)
	}
	return out[0]
}

// newSum builds sum = lhs + rhs and product = lhs * rhs.
func newSum(t testing.TB, c *webnn.Context, shape ...int) *webnn.Graph {
	t.Helper()
	b := newBuilder(t, c)
	lhs, err := b.Input("lhs", float32s(shape...))
	if err != nil {
		t.Fatal(err)
	}
	rhs, err := b.Input("rhs", float32s(shape...))
	if err != nil {
		t.Fatal(err)
	}
	g, err := b.Build(t.Context(), webnn.NamedOperands{"sum": apply(t, b, "add", lhs, rhs), "product": apply(t, b, "mul", lhs, rhs)})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func mustRead(t testing.TB, c *webnn.Context, x *webnn.Tensor) []float32 {
	t.Helper()
	content := make([]float32, x.Shape().Len())
	if err := c.ReadTensorInto(t.Context(), x, content); err != nil {
		t.Fatal(err)
	}
	return content
}

func mustWrite(t testing.TB, c *webnn.Context, x *webnn.Tensor, data any) {
	t.Helper()
	if err := c.WriteTensor(x, data); err != nil {
		t.Fatal(err)
	}
}

func TestCreateContext(t *testing.T) {
	for _, p := range []webnn.PowerPreference{"", webnn.PowerDefault, webnn.HighPerformance, webnn.LowPower} {
		accelerated := p == webnn.HighPerformance
		c := newContext(t, &webnn.ContextOptions{PowerPreference: p, Accelerated: &accelerated})
		accelerated = !accelerated
		if want := max(p, webnn.PowerDefault); p == "" && c.PowerPreference() != want || p != "" && c.PowerPreference() != p {
			t.Errorf("%q: the power preference is %q", p, c.PowerPreference())
		}
		if c.Accelerated() != (p == webnn.HighPerformance) {
			t.Errorf("%q: accelerated is %v", p, c.Accelerated())
		}
	}
	if !newContext(t, nil).Accelerated() {
		t.Error("accelerated is not true by default")
	}
	for rule, o := range map[string]webnn.ContextOptions{
		"powerPreference":     {PowerPreference: "none"},
		"threads":             {Threads: -1},
		"maxTensorByteLength": {MaxTensorByteLength: -1},
		"maxMemory":           {MaxMemory: -1},
	} {
		_, err := webnn.ML{}.CreateContext(&o)
		rejected(t, err, webnn.TypeError, "ML.createContext", "createContext."+rule)
	}
}

// invalidDescriptors are what "check dimensions" rejects, by the rule.
var invalidDescriptors = []struct {
	rule string
	d    webnn.OperandDescriptor
}{
	{"dataType", webnn.OperandDescriptor{DataType: tensor.Bool, Shape: tensor.Shape{1}}},
	{"dataType", webnn.OperandDescriptor{}},
	{"dataType", webnn.OperandDescriptor{DataType: 200}},
	{"rank", float32s(make([]int, 9)...)},
	{"dimension", float32s(2, 0)},
	{"dimension", float32s(-1)},
	{"dimension", float32s(math.MaxInt)},
	{"dimension", float32s(math.MaxInt32, math.MaxInt32, math.MaxInt32)},
	{"dimension", float32s(1<<16, 1<<16)},
	{"byteLength", float32s(1 << 29)},
}

func TestDescriptors(t *testing.T) {
	testdata.Wide(t)
	c := newContext(t, nil)
	b := newBuilder(t, c)
	for _, tt := range invalidDescriptors {
		_, err := c.CreateTensor(webnn.TensorDescriptor{OperandDescriptor: tt.d})
		rejected(t, err, webnn.TypeError, "MLContext.createTensor", "createTensor.descriptor."+tt.rule)
		_, err = c.CreateConstantTensor(tt.d, []byte{})
		rejected(t, err, webnn.TypeError, "MLContext.createConstantTensor", "createConstantTensor.descriptor."+tt.rule)
		_, err = b.Input("x", tt.d)
		rejected(t, err, webnn.TypeError, "MLGraphBuilder.input", "input.descriptor."+tt.rule)
		_, err = b.Constant(tt.d, []byte{})
		rejected(t, err, webnn.TypeError, "MLGraphBuilder.constant", "constant.descriptor."+tt.rule)
	}
	for i, shape := range []tensor.Shape{nil, {}, {1, 1, 1, 1, 1, 1, 1, 1}, {1<<29 - 1}} {
		if o, err := b.Input(string(rune('a'+i)), float32s(shape...)); err != nil || !o.Shape().Equal(shape) {
			t.Errorf("%v: %v", shape, err)
		}
	}
}

func TestBuffers(t *testing.T) {
	c := newContext(t, nil)
	b := newBuilder(t, c)
	for _, tt := range []struct {
		d    tensor.DType
		data any // of two elements
		rule string
	}{
		{tensor.Float32, []float32{1, 2}, ""},
		{tensor.Float16, []tensor.F16{1, 2}, ""},
		{tensor.Float16, []uint16{1, 2}, ""},
		{tensor.Int32, []int32{1, 2}, ""},
		{tensor.Uint32, []uint32{1, 2}, ""},
		{tensor.Int64, []int64{1, 2}, ""},
		{tensor.Uint64, []uint64{1, 2}, ""},
		{tensor.Int8, []int8{1, 2}, ""},
		{tensor.Uint8, []uint8{1, 2}, ""},
		{tensor.Float32, make([]byte, 8), ""},
		{tensor.Float32, []int32{1, 2}, "type"},
		{tensor.Float16, []int32{1, 2}, "type"},
		{tensor.Int8, []bool{true, false}, "type"},
		{tensor.Float32, [2]float32{}, "type"},
		{tensor.Float32, nil, "type"},
		{tensor.Float32, "12345678", "type"},
		{tensor.Float32, []float32{1}, "byteLength"},
		{tensor.Float32, []float32{1, 2, 3}, "byteLength"},
		{tensor.Float32, []byte(nil), "byteLength"},
		{tensor.Int64, []int64(nil), "byteLength"},
	} {
		d := webnn.OperandDescriptor{DataType: tt.d, Shape: tensor.Shape{2}}
		x := newTensor(t, c, d)
		errs := map[string]error{"MLContext.writeTensor inputData": c.WriteTensor(x, tt.data)}
		_, errs["MLContext.createConstantTensor inputData"] = c.CreateConstantTensor(d, tt.data)
		_, errs["MLGraphBuilder.constant buffer"] = b.Constant(d, tt.data)
		for place, err := range errs {
			method, arg, _ := bytes.Cut([]byte(place), []byte(" "))
			_, member, _ := bytes.Cut(method, []byte("."))
			if tt.rule == "" && err != nil {
				t.Errorf("%s: %v %T: %v", place, tt.d, tt.data, err)
			} else if tt.rule != "" {
				rejected(t, err, webnn.TypeError, string(method), string(member)+"."+string(arg)+"."+tt.rule)
			}
		}
	}
}

func TestReadInto(t *testing.T) {
	c := newContext(t, nil)
	x := newTensor(t, c, float32s(2))
	mustWrite(t, c, x, []float32{1, 2})
	for rule, data := range map[string]any{"type": []int32{1, 2}, "byteLength": []float32{1}} {
		err := c.ReadTensorInto(t.Context(), x, data)
		rejected(t, err, webnn.TypeError, "MLContext.readTensor", "readTensor.outputData."+rule)
	}
	larger := []float32{7, 7, 7}
	if err := c.ReadTensorInto(t.Context(), x, larger); err != nil || !slices.Equal(larger, []float32{1, 2, 7}) {
		t.Errorf("a larger buffer holds %v: %v", larger, err)
	}
	raw := make([]byte, 8)
	if err := c.ReadTensorInto(t.Context(), x, raw); err != nil || math.Float32frombits(binary.LittleEndian.Uint32(raw[4:])) != 2 {
		t.Errorf("the bytes are %v: %v", raw, err)
	}
}

func TestZeroReading(t *testing.T) {
	_, err := new(webnn.Reading).Wait(t.Context())
	rejected(t, err, webnn.InvalidStateError, "MLContext.readTensor", "readTensor.state")
	if new(webnn.Reading).Done() != nil {
		t.Error("the zero reading can be done")
	}
}

func TestTensorAttributes(t *testing.T) {
	c := newContext(t, nil)
	shape := tensor.Shape{2, 3}
	x, err := c.CreateTensor(webnn.TensorDescriptor{OperandDescriptor: webnn.OperandDescriptor{DataType: tensor.Int8, Shape: shape}, Readable: true})
	if err != nil {
		t.Fatal(err)
	}
	shape[0] = 9
	if x.DataType() != tensor.Int8 || !x.Shape().Equal(tensor.Shape{2, 3}) || !x.Readable() || x.Writable() || x.Constant() {
		t.Errorf("the tensor has %v %v %v %v %v", x.DataType(), x.Shape(), x.Readable(), x.Writable(), x.Constant())
	}
	k, err := c.CreateConstantTensor(float32s(1), []float32{1})
	if err != nil {
		t.Fatal(err)
	}
	if k.Readable() || k.Writable() || !k.Constant() {
		t.Errorf("the constant has %v %v %v", k.Readable(), k.Writable(), k.Constant())
	}
	content, err := c.ReadTensor(t.Context(), x)
	if err != nil || !bytes.Equal(content, make([]byte, 6)) {
		t.Errorf("a new tensor holds %v: %v", content, err)
	}
}

// TestTensorUse has every step of readTensor and writeTensor that rejects a tensor.
func TestTensorUse(t *testing.T) {
	c, other, gone := newContext(t, nil), newContext(t, nil), newContext(t, nil)
	plain, err := c.CreateTensor(webnn.TensorDescriptor{OperandDescriptor: float32s(1)})
	if err != nil {
		t.Fatal(err)
	}
	foreign, lost, destroyed := newTensor(t, other, float32s(1)), newTensor(t, gone, float32s(1)), newTensor(t, c, float32s(1))
	gone.Destroy()
	destroyed.Destroy()
	for _, tt := range []struct {
		context     *webnn.Context
		x           *webnn.Tensor
		name        webnn.ErrorName
		read, write string
	}{
		{c, nil, webnn.TypeError, "tensor.kind", "tensor.kind"},
		{c, &webnn.Tensor{}, webnn.TypeError, "tensor.context", "tensor.context"},
		{c, foreign, webnn.TypeError, "tensor.context", "tensor.context"},
		{gone, foreign, webnn.TypeError, "tensor.context", "tensor.context"},
		{gone, lost, webnn.InvalidStateError, "state", "state"},
		{c, destroyed, webnn.InvalidStateError, "tensor.destroyed", "tensor.destroyed"},
		{c, plain, webnn.TypeError, "tensor.readable", "tensor.writable"},
	} {
		_, err := tt.context.ReadTensor(t.Context(), tt.x)
		rejected(t, err, tt.name, "MLContext.readTensor", "readTensor."+tt.read)
		_, err = tt.context.EnqueueRead(tt.x)
		rejected(t, err, tt.name, "MLContext.readTensor", "readTensor."+tt.read)
		err = tt.context.ReadTensorInto(t.Context(), tt.x, make([]float32, 1))
		rejected(t, err, tt.name, "MLContext.readTensor", "readTensor."+tt.read)
		err = tt.context.WriteTensor(tt.x, make([]float32, 1))
		rejected(t, err, tt.name, "MLContext.writeTensor", "writeTensor."+tt.write)
	}
}

// TestDispatchSteps has every step of dispatch that rejects.
func TestDispatchSteps(t *testing.T) {
	c, other, gone := newContext(t, nil), newContext(t, nil), newContext(t, nil)
	g, foreignGraph, lostGraph, destroyedGraph := newSum(t, c, 2), newSum(t, other, 2), newSum(t, gone, 2), newSum(t, c, 2)
	gone.Destroy()
	destroyedGraph.Destroy()
	x, y, p, q := newTensor(t, c, float32s(2)), newTensor(t, c, float32s(2)), newTensor(t, c, float32s(2)), newTensor(t, c, float32s(2))
	foreign, destroyed := newTensor(t, other, float32s(2)), newTensor(t, c, float32s(2))
	destroyed.Destroy()
	wide, ints := newTensor(t, c, float32s(3)), newTensor(t, c, webnn.OperandDescriptor{DataType: tensor.Int32, Shape: tensor.Shape{2}})
	constant, err := c.CreateConstantTensor(float32s(2), []float32{1, 2})
	if err != nil {
		t.Fatal(err)
	}
	type tensors = webnn.NamedTensors
	in, out := tensors{"lhs": x, "rhs": y}, tensors{"sum": p, "product": q}
	for _, tt := range []struct {
		g       *webnn.Graph
		in, out tensors
		name    webnn.ErrorName
		rule    string
	}{
		{nil, in, out, webnn.TypeError, "graph.kind"},
		{&webnn.Graph{}, in, out, webnn.TypeError, "graph.context"},
		{foreignGraph, in, out, webnn.TypeError, "graph.context"},
		{destroyedGraph, in, out, webnn.InvalidStateError, "graph.destroyed"},
		{g, tensors{"lhs": x, "rhs": nil}, out, webnn.TypeError, "tensor.kind"},
		{g, tensors{"lhs": x, "rhs": x}, out, webnn.TypeError, "duplicate"},
		{g, in, tensors{"sum": p, "product": p}, webnn.TypeError, "duplicate"},
		{g, in, tensors{"sum": x, "product": q}, webnn.TypeError, "duplicate"},
		{g, tensors{"lhs": x, "rhs": foreign}, out, webnn.TypeError, "tensor.context"},
		{g, in, tensors{"sum": &webnn.Tensor{}, "product": q}, webnn.TypeError, "tensor.context"},
		{g, tensors{"lhs": x, "rhs": destroyed}, out, webnn.TypeError, "tensor.destroyed"},
		{g, tensors{"lhs": x}, out, webnn.TypeError, "inputs.names"},
		{g, nil, nil, webnn.TypeError, "inputs.names"},
		{g, tensors{"lhs": x, "RHS": y}, out, webnn.TypeError, "inputs.names"},
		{g, tensors{"lhs": x, "rhs": y, "more": wide}, out, webnn.TypeError, "inputs.names"},
		{g, in, tensors{"sum": p}, webnn.TypeError, "outputs.names"},
		{g, in, tensors{"sum": p, "product": q, "": wide}, webnn.TypeError, "outputs.names"},
		{g, tensors{"lhs": constant, "rhs": y}, out, webnn.TypeError, "inputs.constant"},
		{g, in, tensors{"sum": constant, "product": q}, webnn.TypeError, "outputs.constant"},
		{g, tensors{"lhs": wide, "rhs": y}, out, webnn.TypeError, "inputs.descriptor"},
		{g, in, tensors{"sum": ints, "product": q}, webnn.TypeError, "outputs.descriptor"},
	} {
		rejected(t, c.Dispatch(tt.g, tt.in, tt.out), tt.name, "MLContext.dispatch", "dispatch."+tt.rule)
	}
	rejected(t, gone.Dispatch(lostGraph, in, out), webnn.InvalidStateError, "MLContext.dispatch", "dispatch.state")

	mustWrite(t, c, x, []float32{1, 2})
	mustWrite(t, c, y, []float32{3, 4})
	if err := c.Dispatch(g, in, out); err != nil {
		t.Fatal(err)
	}
	in["lhs"], out["sum"] = wide, nil // the arguments are the caller's again
	if sum, product := mustRead(t, c, p), mustRead(t, c, q); !slices.Equal(sum, []float32{4, 6}) || !slices.Equal(product, []float32{3, 8}) {
		t.Errorf("the outputs are %v and %v", sum, product)
	}
}

// TestBuilderState has every method on builders that can not build.
func TestBuilderState(t *testing.T) {
	c, gone := newContext(t, nil), newContext(t, nil)
	built, orphan := newBuilder(t, c), newBuilder(t, gone)
	for _, b := range []*webnn.GraphBuilder{built, orphan} {
		x, err := b.Input("x", float32s(2))
		if err != nil {
			t.Fatal(err)
		}
		if b == built {
			if _, err := b.Network(webnn.NamedOperands{"y": apply(t, b, "relu", x)}); err != nil {
				t.Fatal(err)
			}
		}
	}
	gone.Destroy()
	_, err := webnn.NewGraphBuilder(gone)
	rejected(t, err, webnn.InvalidStateError, "MLGraphBuilder.constructor", "constructor.state")
	_, err = webnn.NewGraphBuilder(&webnn.Context{})
	rejected(t, err, webnn.InvalidStateError, "MLGraphBuilder.constructor", "constructor.state")
	_, err = webnn.NewGraphBuilder(nil)
	rejected(t, err, webnn.TypeError, "MLGraphBuilder.constructor", "constructor.context.kind")
	for _, b := range []*webnn.GraphBuilder{built, orphan, {}} {
		_, err := b.Input("", webnn.OperandDescriptor{})
		rejected(t, err, webnn.InvalidStateError, "MLGraphBuilder.input", "input.state")
		_, err = b.Constant(webnn.OperandDescriptor{}, nil)
		rejected(t, err, webnn.InvalidStateError, "MLGraphBuilder.constant", "constant.state")
		_, err = b.ConstantNumber(tensor.Bool, nil)
		rejected(t, err, webnn.InvalidStateError, "MLGraphBuilder.constant", "constant.state")
		_, err = b.Call("relu", nil, nil)
		rejected(t, err, webnn.InvalidStateError, "MLGraphBuilder.relu", "relu.state")
		_, err = b.Build(t.Context(), nil)
		rejected(t, err, webnn.InvalidStateError, "MLGraphBuilder.build", "build.state")
		_, err = b.Network(nil)
		rejected(t, err, webnn.InvalidStateError, "MLGraphBuilder.build", "build.state")
	}
}

func TestInputNames(t *testing.T) {
	b := newBuilder(t, newContext(t, nil))
	for name, rule := range map[string]string{"": "name.empty", "a\xff": "name.encoding"} {
		_, err := b.Input(name, float32s())
		rejected(t, err, webnn.TypeError, "MLGraphBuilder.input", "input."+rule)
	}
	var sums []*webnn.Operand
	for range 2 { // inputs of one name, which only a graph that needs both cannot have
		x, err := b.Input("x", float32s())
		if err != nil {
			t.Fatal(err)
		}
		sums = append(sums, apply(t, b, "add", x, x))
	}
	_, err := b.Network(webnn.NamedOperands{"a": sums[0], "b": sums[1]})
	rejected(t, err, webnn.TypeError, "MLGraphBuilder.build", "build.inputs.duplicate")
	if g, err := b.Network(webnn.NamedOperands{"a": sums[0]}); err != nil || len(g.Inputs) != 1 || g.Inputs[0].Name != "x" {
		t.Errorf("the graph of one of them: %v", err)
	}
}

// TestNamesOfInputs has inputs whose names results have, or would have, and names that are no identifiers.
func TestNamesOfInputs(t *testing.T) {
	c := newContext(t, nil)
	b := newBuilder(t, c)
	names := []string{"relu1", "relu1_", "input 3", "relu2", "relu2_", "const1", "🤦🏼‍♂️124DS#!F", "a b", "'", "graph", "\u202e"}
	first, err := b.Input("first", float32s(1))
	if err != nil {
		t.Fatal(err)
	}
	sum := apply(t, b, "relu", apply(t, b, "relu", first)) // two results with names of their own
	in := webnn.NamedTensors{"first": newTensor(t, c, float32s(1))}
	for i, name := range names {
		o, err := b.Input(name, float32s(1))
		if err != nil {
			t.Fatal(err)
		}
		sum = apply(t, b, "add", sum, o)
		in[name] = newTensor(t, c, float32s(1))
		mustWrite(t, c, in[name], []float32{float32(int(1) << i)})
	}
	g, err := b.Build(t.Context(), webnn.NamedOperands{"relu1": sum})
	if err != nil {
		t.Fatal(err)
	}
	out := newTensor(t, c, float32s(1))
	if err := c.Dispatch(g, in, webnn.NamedTensors{"relu1": out}); err != nil {
		t.Fatal(err)
	}
	if got := mustRead(t, c, out)[0]; got != float32(int(1)<<len(names)-1) {
		t.Errorf("the sum is %v", got)
	}
}

// TestNobodyMadeIt calls every method of nil pointers and of zero values. None panics, and all that can fail do.
func TestNobodyMadeIt(t *testing.T) {
	contextType := reflect.TypeFor[context.Context]()
	errorType := reflect.TypeFor[error]()
	for _, object := range []any{
		(*webnn.Context)(nil), (*webnn.GraphBuilder)(nil), (*webnn.Tensor)(nil), (*webnn.Graph)(nil), (*webnn.Operand)(nil), (*webnn.Reading)(nil),
		&webnn.Context{}, &webnn.GraphBuilder{}, &webnn.Tensor{}, &webnn.Graph{}, &webnn.Operand{}, &webnn.Reading{},
	} {
		v := reflect.ValueOf(object)
		for i := range v.NumMethod() {
			m := v.Method(i)
			args := make([]reflect.Value, m.Type().NumIn())
			for k := range args {
				args[k] = reflect.Zero(m.Type().In(k))
				if m.Type().In(k) == contextType {
					args[k] = reflect.ValueOf(t.Context())
				}
			}
			for _, out := range m.Call(args) {
				if out.Type() == errorType && out.IsNil() {
					t.Errorf("%T.%s does not fail", object, v.Type().Method(i).Name)
				}
			}
		}
	}
	select {
	case <-new(webnn.Context).Lost():
	default:
		t.Error("the zero Context is not lost")
	}
}

// TestBigIntTypes has a BigInt for a data type of fewer than 64 bits.
func TestBigIntTypes(t *testing.T) {
	b := newBuilder(t, newContext(t, nil))
	n := webnn.BigInt{Int: big.NewInt(1)}
	for _, d := range webnn.DataTypes {
		_, err := b.ConstantNumber(d, n)
		x, inputErr := b.Input(d.String(), webnn.OperandDescriptor{DataType: d, Shape: tensor.Shape{1}})
		if inputErr != nil {
			t.Fatal(inputErr)
		}
		_, clampErr := b.Clamp(x, &webnn.ClampOptions{MaxValue: n})
		_, padErr := b.Pad(x, []int{1}, []int{1}, &webnn.PadOptions{Value: n})
		_, edgeErr := b.Pad(x, []int{1}, []int{1}, &webnn.PadOptions{Mode: webnn.PadEdge, Value: n})
		if d == tensor.Int64 || d == tensor.Uint64 {
			if err := errors.Join(err, clampErr, padErr, edgeErr); err != nil {
				t.Errorf("%v: %v", d, err)
			}
			continue
		}
		rejected(t, err, webnn.TypeError, "MLGraphBuilder.constant", "constant.value.bigint")
		rejected(t, clampErr, webnn.TypeError, "MLGraphBuilder.clamp", "clamp.maxValue.bigint")
		rejected(t, padErr, webnn.TypeError, "MLGraphBuilder.pad", "pad.value.bigint")
		rejected(t, edgeErr, webnn.TypeError, "MLGraphBuilder.pad", "pad.value.bigint")
	}
}

// TestMeaningless has a call that the standard accepts though it has no meaning.
func TestMeaningless(t *testing.T) {
	b := newBuilder(t, newContext(t, nil))
	x, err := b.Input("x", float32s(1, 1, 5, 5))
	if err != nil {
		t.Fatal(err)
	}
	filter, err := b.Input("filter", float32s(1, 1, 3, 3))
	if err != nil {
		t.Fatal(err)
	}
	y, err := b.ConvTranspose2d(x, filter, &webnn.ConvTranspose2dOptions{Groups: new(3), Label: "odd"})
	if err != nil || !slices.Equal(y.Shape(), tensor.Shape{1, 3, 7, 7}) {
		t.Fatalf("the result is %v, %v", y, err)
	}
	_, err = b.Build(t.Context(), webnn.NamedOperands{"y": apply(t, b, "relu", y)})
	rejected(t, err, webnn.OperationError, "MLGraphBuilder.convTranspose2d", "convTranspose2d.meaning")
}

func TestConstantNumber(t *testing.T) {
	c := newContext(t, nil)
	huge := new(big.Int).Lsh(big.NewInt(1), 70)
	for _, tt := range []struct {
		d     tensor.DType
		value webnn.Number
		want  any
	}{
		{tensor.Float32, webnn.Float(0.1), []float32{0.1}},
		{tensor.Float32, webnn.Float(math.Inf(-1)), []float32{float32(math.Inf(-1))}},
		{tensor.Float32, webnn.Int(1<<24 + 1), []float32{1 << 24}},
		{tensor.Float16, webnn.Float(1), []uint16{0x3c00}},
		{tensor.Float16, webnn.Float(65519.999), []uint16{0x7bff}}, // nearer to 65520 among the float32
		{tensor.Float16, webnn.Float(65520), []uint16{0x7c00}},
		{tensor.Float16, webnn.Float(1.0004882812499998), []uint16{0x3c00}}, // just below a tie
		{tensor.Float16, webnn.Float(1.0004882812500002), []uint16{0x3c01}}, // just above it
		{tensor.Float16, webnn.Float(math.Copysign(0, -1)), []uint16{0x8000}},
		{tensor.Int32, webnn.Float(-3.9), []int32{-3}},
		{tensor.Int8, webnn.Float(300), []int8{127}},
		{tensor.Uint8, webnn.Int(-1), []uint8{0}},
		{tensor.Uint32, webnn.Float(math.NaN()), []uint32{0}},
		{tensor.Int64, webnn.Int(math.MinInt64), []int64{math.MinInt64}},
		{tensor.Uint64, webnn.Uint(math.MaxUint64), []uint64{math.MaxUint64}},
		{tensor.Uint64, webnn.BigInt{Int: huge}, []uint64{math.MaxUint64}},
		{tensor.Int64, webnn.BigInt{Int: new(big.Int).Neg(huge)}, []int64{math.MinInt64}},
	} {
		b := newBuilder(t, c)
		var got *tensor.Tensor
		k, err := b.ConstantNumber(tt.d, tt.value)
		if err != nil || k.DataType() != tt.d || len(k.Shape()) != 0 {
			t.Errorf("%v of %v: %v", tt.d, tt.value, err)
			continue
		}
		g, err := b.Network(webnn.NamedOperands{"y": apply(t, b, "identity", k)})
		if err != nil {
			t.Fatal(err)
		}
		for v := range g.Constants() {
			got = v.Const
		}
		x := newTensor(t, c, webnn.OperandDescriptor{DataType: tt.d})
		mustWrite(t, c, x, tt.want)
		if want, err := c.ReadTensor(t.Context(), x); err != nil || !bytes.Equal(tensor.Raw(got), want) {
			t.Errorf("%v of %v is %v; want %v", tt.d, tt.value, tensor.Raw(got), want)
		}
	}
	b := newBuilder(t, c)
	for _, tt := range []struct {
		d     tensor.DType
		value webnn.Number
		rule  string
	}{
		{tensor.Bool, webnn.Int(1), "dataType.enum"},
		{tensor.Int8, nil, "value.kind"},
		{tensor.Int8, webnn.BigInt{}, "value.kind"},
	} {
		_, err := b.ConstantNumber(tt.d, tt.value)
		rejected(t, err, webnn.TypeError, "MLGraphBuilder.constant", "constant."+tt.rule)
	}
}

func TestConstantTensor(t *testing.T) {
	c, other, gone := newContext(t, nil), newContext(t, nil), newContext(t, nil)
	constant := func(c *webnn.Context) *webnn.Tensor {
		k, err := c.CreateConstantTensor(float32s(2), []float32{1, 2})
		if err != nil {
			t.Fatal(err)
		}
		return k
	}
	k, destroyed, foreign, lost := constant(c), constant(c), constant(other), constant(gone)
	destroyed.Destroy()
	b, orphan := newBuilder(t, c), newBuilder(t, gone)
	gone.Destroy()
	for _, tt := range []struct {
		b    *webnn.GraphBuilder
		x    *webnn.Tensor
		rule string
	}{
		{b, nil, "tensor.kind"},
		{b, &webnn.Tensor{}, "tensor.context"},
		{&webnn.GraphBuilder{}, &webnn.Tensor{}, "tensor.context"},
		{b, foreign, "tensor.context"},
		{b, destroyed, "tensor.destroyed"},
		{orphan, lost, "tensor.destroyed"}, // the tensors of a lost context are destroyed
		{b, newTensor(t, c, float32s(2)), "tensor.constant"},
	} {
		_, err := tt.b.ConstantTensor(tt.x)
		rejected(t, err, webnn.TypeError, "MLGraphBuilder.constant", "constant."+tt.rule)
	}
	o, err := b.ConstantTensor(k)
	if err != nil {
		t.Fatal(err)
	}
	g, err := b.Build(t.Context(), webnn.NamedOperands{"y": apply(t, b, "neg", o)}) // there are no inputs
	if err != nil {
		t.Fatal(err)
	}
	k.Destroy()
	y := newTensor(t, c, float32s(2))
	if err := c.Dispatch(g, nil, webnn.NamedTensors{"y": y}); err != nil {
		t.Fatal(err)
	}
	if got := mustRead(t, c, y); !slices.Equal(got, []float32{-1, -2}) {
		t.Errorf("the output is %v", got)
	}
	_, err = b.ConstantTensor(constant(c))
	rejected(t, err, webnn.InvalidStateError, "MLGraphBuilder.constant", "constant.state")
}

func TestBuildSteps(t *testing.T) {
	c := newContext(t, nil)
	b, other := newBuilder(t, c), newBuilder(t, c)
	x, err := b.Input("x", float32s(2))
	if err != nil {
		t.Fatal(err)
	}
	unused, err := b.Input("unused", float32s(2))
	if err != nil {
		t.Fatal(err)
	}
	k, err := b.Constant(float32s(2), []float32{1, 2})
	if err != nil {
		t.Fatal(err)
	}
	fx, err := other.Input("x", float32s(2))
	if err != nil {
		t.Fatal(err)
	}
	y, foreign := apply(t, b, "add", x, k), apply(t, other, "relu", fx)
	apply(t, b, "mul", unused, unused)
	type operands = webnn.NamedOperands
	for _, tt := range []struct {
		outputs operands
		rule    string
	}{
		{nil, "outputs.empty"},
		{operands{}, "outputs.empty"},
		{operands{"": y}, "outputs.name.empty"},
		{operands{"\xff": y}, "outputs.name.encoding"},
		{operands{"y": nil}, "outputs.kind"},
		{operands{"y": y, "z": foreign}, "outputs.builder"},
		{operands{"y": {}}, "outputs.builder"},
		{operands{"y": y, "x": x}, "outputs.leaf"},
		{operands{"k": k}, "outputs.leaf"},
	} {
		_, err := b.Build(t.Context(), tt.outputs)
		rejected(t, err, webnn.TypeError, "MLGraphBuilder.build", "build."+tt.rule)
	}
	_, err = b.Build(nil, operands{"y": y}) //nolint:staticcheck // what a careless caller does
	rejected(t, err, webnn.TypeError, "MLGraphBuilder.build", "build.ctx")
	g, err := b.Build(t.Context(), operands{"y": y, "same": y})
	if err != nil {
		t.Fatal(err)
	}
	if in := g.Inputs(); len(in) != 1 || !in["x"].Shape.Equal(tensor.Shape{2}) || in["x"].DataType != tensor.Float32 {
		t.Errorf("the inputs are %v", in)
	}
	if out := g.Outputs(); len(out) != 2 || !out["same"].Shape.Equal(tensor.Shape{2}) {
		t.Errorf("the outputs are %v", out)
	}
	tx, ty, tz := newTensor(t, c, float32s(2)), newTensor(t, c, float32s(2)), newTensor(t, c, float32s(2))
	mustWrite(t, c, tx, []float32{10, 20})
	if err := c.Dispatch(g, webnn.NamedTensors{"x": tx}, webnn.NamedTensors{"y": ty, "same": tz}); err != nil {
		t.Fatal(err)
	}
	if a, b := mustRead(t, c, ty), mustRead(t, c, tz); !slices.Equal(a, []float32{11, 22}) || !slices.Equal(a, b) {
		t.Errorf("the outputs are %v and %v", a, b)
	}
}

func TestBuildFails(t *testing.T) {
	c := newContext(t, &webnn.ContextOptions{Limits: engine.Limits{Operations: 10}})
	b := newBuilder(t, c)
	x, err := b.Input("x", float32s(100))
	if err != nil {
		t.Fatal(err)
	}
	y := apply(t, b, "relu", x)
	_, err = b.Build(t.Context(), webnn.NamedOperands{"y": y})
	rejected(t, err, webnn.OperationError, "MLGraphBuilder.build", "build.compile")
	var limit *engine.LimitError
	if !errors.As(err, &limit) || limit.What != "operations" {
		t.Errorf("the cause of %v is not the limit", err)
	}
	_, err = b.Build(t.Context(), webnn.NamedOperands{"y": y})
	rejected(t, err, webnn.InvalidStateError, "MLGraphBuilder.build", "build.state")
}

// TestCopies changes what was passed after each call.
func TestCopies(t *testing.T) {
	c := newContext(t, nil)
	b := newBuilder(t, c)
	data, shape := []float32{1, 2}, []int{2}
	k, err := b.Constant(float32s(shape...), data)
	if err != nil {
		t.Fatal(err)
	}
	ct, err := c.CreateConstantTensor(float32s(shape...), data)
	if err != nil {
		t.Fatal(err)
	}
	x := newTensor(t, c, float32s(shape...))
	mustWrite(t, c, x, data)
	in, err := b.Input("x", float32s(shape...))
	if err != nil {
		t.Fatal(err)
	}
	data[0], shape[0] = 100, 100
	in.Shape()[0], k.Shape()[0], x.Shape()[0] = 50, 50, 50
	kt, err := b.ConstantTensor(ct)
	if err != nil {
		t.Fatal(err)
	}
	outputs := webnn.NamedOperands{"y": apply(t, b, "add", apply(t, b, "add", k, kt), in)}
	g, err := b.Build(t.Context(), outputs)
	if err != nil {
		t.Fatal(err)
	}
	clear(outputs)
	g.Outputs()["y"].Shape[0] = 7
	delete(g.Inputs(), "x")
	y := newTensor(t, c, float32s(2))
	if err := c.Dispatch(g, webnn.NamedTensors{"x": x}, webnn.NamedTensors{"y": y}); err != nil {
		t.Fatal(err)
	}
	if got := mustRead(t, c, y); !slices.Equal(got, []float32{3, 6}) {
		t.Errorf("the output is %v", got)
	}
}

func TestMemory(t *testing.T) {
	c := newContext(t, &webnn.ContextOptions{MaxMemory: 1000, MaxTensorByteLength: 800})
	_, err := c.CreateTensor(webnn.TensorDescriptor{OperandDescriptor: float32s(201)})
	rejected(t, err, webnn.TypeError, "MLContext.createTensor", "createTensor.descriptor.byteLength")
	x, y := newTensor(t, c, float32s(200)), newTensor(t, c, float32s(50))
	_, err = c.CreateTensor(webnn.TensorDescriptor{OperandDescriptor: float32s(1)})
	rejected(t, err, webnn.UnknownError, "MLContext.createTensor", "createTensor.memory")
	_, err = c.CreateConstantTensor(float32s(1), []float32{1})
	rejected(t, err, webnn.UnknownError, "MLContext.createConstantTensor", "createConstantTensor.memory")
	for range 10 { // writes wait for one another rather than pile up
		mustWrite(t, c, x, make([]float32, 200))
	}
	x.Destroy()
	x = newTensor(t, c, float32s(200)) // waits for the release
	y.Destroy()
	y.Destroy()
	y = newTensor(t, c, float32s(50))
	_, err = c.CreateTensor(webnn.TensorDescriptor{OperandDescriptor: float32s(1)})
	rejected(t, err, webnn.UnknownError, "MLContext.createTensor", "createTensor.memory")
	runtime.KeepAlive([]*webnn.Tensor{x, y})
	newTensor(t, c, float32s(200)) // now that nobody can reach the others
}

func TestRecord(t *testing.T) {
	c := newContext(t, nil)
	b := newBuilder(t, c)
	var calls []webnn.Call
	b.Record(func(call webnn.Call) { calls = append(calls, call) })
	ct, err := c.CreateConstantTensor(float32s(1), []float32{5})
	if err != nil {
		t.Fatal(err)
	}
	err = webnn.Try(func(must *webnn.Must) {
		x := must.One(b.Input("x", float32s(1)))
		k := must.One(b.Constant(float32s(1), []float32{2}))
		n := must.One(b.ConstantNumber(tensor.Float32, webnn.Int(3)))
		s := must.One(b.ConstantTensor(ct))
		parts := must.All(b.Call("split", []any{must.All(b.Call("add", []any{x, k}, nil))[0], 1}, webnn.Options{"label": "s"}))
		y := must.All(b.Call("mul", []any{parts[0], must.All(b.Call("add", []any{n, s}, nil))[0]}, nil))[0]
		if _, err := b.Input("", float32s(1)); err == nil {
			t.Error("an input without a name")
		}
		_, err := b.Network(webnn.NamedOperands{"y": y})
		must.One(nil, err)
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"input", "constant", "constant", "constant", "add", "split", "add", "mul", "build"}
	var got []string
	for _, c := range calls {
		got = append(got, c.Method)
	}
	if !slices.Equal(got, want) {
		t.Fatalf("the calls are %v; want %v", got, want)
	}
	if d, ok := calls[0].Args[1].(webnn.OperandDescriptor); !ok || calls[0].Args[0] != "x" || !d.Shape.Equal(tensor.Shape{1}) || calls[0].Results[0] == nil {
		t.Errorf("the input is recorded as %v", calls[0])
	}
	for i, want := range map[int]float32{1: 2, 3: 5} {
		d, _ := calls[i].Args[0].(webnn.OperandDescriptor)
		k, ok := calls[i].Args[1].(*tensor.Tensor)
		if !ok || d.DataType != tensor.Float32 || tensor.Data[float32](k)[0] != want {
			t.Errorf("the constant is recorded as %v", calls[i])
		}
	}
	if calls[2].Args[0] != tensor.Float32 || calls[2].Args[1] != webnn.Int(3) {
		t.Errorf("the number is recorded as %v", calls[2])
	}
	if calls[5].Options["label"] != "s" {
		t.Errorf("split is recorded as %v", calls[5])
	}
	if o, ok := calls[8].Args[0].(webnn.NamedOperands); !ok || o["y"] != calls[7].Results[0] || calls[8].Results != nil {
		t.Errorf("the building is recorded as %v", calls[8])
	}
}

func TestTry(t *testing.T) {
	if err := webnn.Try(nil); !errors.Is(err, webnn.TypeError) {
		t.Errorf("no function gives the error %v", err)
	}
	c := newContext(t, nil)
	b := newBuilder(t, c)
	reached := false
	err := webnn.Try(func(must *webnn.Must) {
		must.One(b.Input("x", float32s(1)))
		must.One(b.Input("", float32s(1)))
		reached = true
	})
	rejected(t, err, webnn.TypeError, "MLGraphBuilder.input", "input.name.empty")
	if reached {
		t.Error("the function goes on after an error")
	}
	outer := webnn.Try(func(must *webnn.Must) {
		inner := webnn.Try(func(*webnn.Must) { must.One(nil, context.Canceled) })
		t.Errorf("the error of another Must is taken for an own one: %v", inner)
	})
	if !errors.Is(outer, context.Canceled) {
		t.Errorf("the error is %v", outer)
	}
	if err := webnn.Try(func(must *webnn.Must) { must.One(b.Input("y", float32s(1))) }); err != nil {
		t.Error(err)
	}
	defer func() {
		if cause := recover(); cause != "mine" {
			t.Errorf("the panic is %v", cause)
		}
	}()
	err = webnn.Try(func(*webnn.Must) { panic("mine") })
	t.Errorf("a panic has become %v", err)
}
