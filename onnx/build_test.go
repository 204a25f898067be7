package onnx_test

import (
	"context"
	"strings"
	"testing"

	"github.com/concord-nn/concord/engine"
	"github.com/concord-nn/concord/model"
	"github.com/concord-nn/concord/onnx"
	"github.com/concord-nn/concord/onnx/proto"
	"github.com/concord-nn/concord/tensor"
)

// Helpers that make small models.

// node applies an operator: "A, B -> C", an empty name for what is left out. Attributes are values of Go.
func node(op, values string, attrs ...any) *proto.Node {
	in, out, _ := strings.Cut(values, "->")
	n := &proto.Node{OpType: op, Input: names(in), Output: names(out)}
	if domain, name, ok := cutLast(op, "."); ok {
		n.Domain, n.OpType = domain, name
	}
	for i := 0; i+1 < len(attrs); i += 2 {
		n.Attribute = append(n.Attribute, attr(attrs[i].(string), attrs[i+1]))
	}
	return n
}

func cutLast(s, sep string) (before, after string, found bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(sep):], true
}

func names(text string) []string {
	if strings.TrimSpace(text) == "" {
		return nil
	}
	list := strings.Split(text, ",")
	for i := range list {
		list[i] = strings.TrimSpace(list[i])
	}
	return list
}

// reference is an attribute of a function.
type reference struct {
	name string
	kind proto.AttributeType
}

func attr(name string, value any) *proto.Attribute {
	if r, ok := value.(reference); ok {
		return &proto.Attribute{Name: name, Type: r.kind, RefAttrName: r.name}
	}
	a, err := proto.NewAttribute(name, value)
	if err != nil {
		panic(err)
	}
	return a
}

// graphOf makes a graph: "x: float[2,N], c -> y"; a value without a type has none.
func graphOf(values string, nodes ...*proto.Node) *proto.Graph {
	in, out, _ := strings.Cut(values, "->")
	return &proto.Graph{Name: "test", Node: nodes, Input: infos(in), Output: infos(out)}
}

var typeNames = map[string]proto.DataType{"float": proto.Float, "int64": proto.Int64, "int32": proto.Int32, "bool": proto.Bool, "double": proto.Double,
	"uint8": proto.Uint8, "int8": proto.Int8, "float16": proto.Float16, "string": proto.String}

func infos(text string) []*proto.ValueInfo {
	var out []*proto.ValueInfo
	for _, item := range strings.Split(strings.ReplaceAll(strings.TrimSpace(text), ", ", "|"), "|") {
		if item == "" {
			continue
		}
		name, typ, typed := strings.Cut(strings.TrimSpace(item), ": ")
		v := &proto.ValueInfo{Name: name}
		if typed {
			elem, dims, ranked := strings.Cut(strings.TrimSuffix(typ, "]"), "[")
			t := &proto.TensorType{ElemType: typeNames[elem]}
			if ranked {
				t.Shape = &proto.Shape{}
				for _, d := range names(dims) {
					dim := &proto.Dim{Param: d}
					if n, ok := number(d); ok {
						dim = &proto.Dim{Known: true, Value: n}
					}
					t.Shape.Dim = append(t.Shape.Dim, dim)
				}
			}
			v.Type = &proto.Type{Tensor: t}
		}
		out = append(out, v)
	}
	return out
}

func number(s string) (int64, bool) {
	n := int64(0)
	for _, c := range s {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int64(c-'0')
	}
	return n, s != ""
}

// modelOf makes a model of a graph, in an opset.
func modelOf(opset int64, g *proto.Graph, functions ...*proto.Function) *proto.Model {
	return &proto.Model{IRVersion: 8, Graph: g, Functions: functions,
		OpsetImport: []*proto.OperatorSet{{Version: opset}, {Domain: "com.microsoft", Version: 1}, {Domain: "ai.onnx.preview", Version: 1}, {Domain: "own", Version: 1}}}
}

// stored adds a tensor to a graph.
func stored[T tensor.Element](g *proto.Graph, name string, shape []int, values ...T) *proto.Graph {
	g.Initializer = append(g.Initializer, message(name, shape, values...))
	return g
}

func message[T tensor.Element](name string, shape []int, values ...T) *proto.Tensor {
	t := array(shape, values...)
	p, err := proto.NewTensor(name, t)
	if err != nil {
		panic(err)
	}
	return p
}

// array makes a tensor; a shape of nil is that of a scalar.
func array[T tensor.Element](shape []int, values ...T) *tensor.Tensor {
	t, err := tensor.FromSlice(values, shape...)
	if err != nil {
		panic(err)
	}
	return t
}

// network reads a model.
func network(t *testing.T, m *proto.Model) (*model.Model, error) {
	t.Helper()
	f, err := onnx.New(m)
	if err != nil {
		return nil, err
	}
	return f.Network()
}

// eval runs a model once.
func eval(t *testing.T, m *proto.Model, in model.Values) (model.Values, error) {
	t.Helper()
	n, err := network(t, m)
	if err != nil {
		return nil, err
	}
	p := model.NewPrograms(n, engine.Options{Threads: 1}, 0)
	defer p.Close()
	return p.Run(context.Background(), in)
}

// expect runs a model and compares an output.
func expect[T tensor.Element](t *testing.T, m *proto.Model, in model.Values, output string, shape []int, want ...T) {
	t.Helper()
	out, err := eval(t, m, in)
	if err != nil {
		t.Error(err)
		return
	}
	got := out[output]
	if got == nil {
		t.Errorf("there is no output %q", output)
		return
	}
	if w := array(shape, want...); got.DType() != w.DType() || !got.Shape().Equal(w.Shape()) || string(got.Bytes()) != string(w.Bytes()) {
		if got.DType() == w.DType() {
			t.Errorf("%s = %v %v, want %v %v", output, got, tensor.Data[T](got), w, want)
		} else {
			t.Errorf("%s = %v, want %v", output, got, w)
		}
	}
}

// refused runs a model, or only reads it, and compares the error.
func refused(t *testing.T, m *proto.Model, in model.Values, want string) {
	t.Helper()
	if _, err := eval(t, m, in); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("the error is %v; it must say %q", err, want)
	}
}
