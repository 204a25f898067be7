package onnx_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/concord-nn/concord/model"
	"github.com/concord-nn/concord/onnx/proto"
	"github.com/concord-nn/concord/tensor"
)

// rowCase is a model of one node whose results are named y, or y and z.
type rowCase struct {
	opset int64
	node  *proto.Node
	in    []*tensor.Tensor // one for each operand that is not left out
	want  []*tensor.Tensor // nil for a result that the case does not look at
	err   string           // or what the error says
}

// checkRows runs each case twice: with operands that come with the run, and with operands that the model stores.
func checkRows(t *testing.T, cases ...rowCase) {
	t.Helper()
	for _, c := range cases {
		for _, known := range []bool{false, true} {
			out, err := c.run(t, known)
			if c.err != "" {
				if err == nil || !strings.Contains(err.Error(), c.err) {
					t.Errorf("%s of opset %d, known %v: the error is %v; it must say %q", c.node.OpType, c.opset, known, err, c.err)
				}
				continue
			}
			if err != nil {
				t.Errorf("%s of opset %d, known %v: %v", c.node.OpType, c.opset, known, err)
				continue
			}
			for i, want := range c.want {
				if want == nil {
					continue
				}
				if err := nearCase(out[c.node.Output[i]], want); err != nil {
					t.Errorf("%s %v of opset %d, known %v: result %d: %v", c.node.OpType, c.node.Attribute, c.opset, known, i, err)
				}
			}
		}
	}
}

func (c *rowCase) run(t *testing.T, known bool) (model.Values, error) {
	t.Helper()
	m, in := c.model(t, known)
	return eval(t, m, in)
}

// model makes a model of the node, with operands that are stored in it or given.
func (c *rowCase) model(t testing.TB, known bool) (*proto.Model, model.Values) {
	t.Helper()
	g := &proto.Graph{Name: "test", Node: []*proto.Node{c.node}}
	in := make(model.Values)
	next := 0
	for _, name := range c.node.Input {
		if name == "" {
			continue
		}
		x := c.in[next]
		next++
		p, err := proto.NewTensor(name, x)
		if err != nil {
			t.Fatal(err)
		}
		if known {
			g.Initializer = append(g.Initializer, p)
			continue
		}
		in[name] = x
		g.Input = append(g.Input, proto.NewValueInfo(name, p.DataType, proto.NewShape(x.Shape())))
	}
	for i, name := range c.node.Output {
		if name != "" && i < max(len(c.want), 1) {
			g.Output = append(g.Output, &proto.ValueInfo{Name: name})
		}
	}
	return modelOf(c.opset, g), in
}

// of lists tensors.
func of(list ...*tensor.Tensor) []*tensor.Tensor { return list }

// f, i and b make tensors of float32, int64 and bool of a shape that s makes.
func f(shape []int, x ...float32) *tensor.Tensor { return array(shape, x...) }
func i(shape []int, x ...int64) *tensor.Tensor   { return array(shape, x...) }
func b(shape []int, x ...bool) *tensor.Tensor    { return array(shape, x...) }
func s(shape ...int) []int                       { return shape }

// iota makes a tensor of the numbers from 0 on.
func counted(shape ...int) *tensor.Tensor {
	x := make([]float32, tensor.Shape(shape).Len())
	for k := range x {
		x[k] = float32(k)
	}
	return array(shape, x...)
}

// list makes a tensor of one dimension.
func list(x ...int64) *tensor.Tensor { return array(s(len(x)), x...) }

// nearCase holds a result to what the standard says, as its own tests do.
func nearCase(got, want *tensor.Tensor) error {
	if got == nil {
		return fmt.Errorf("is missing")
	}
	if got.DType() != want.DType() || !got.Shape().Equal(want.Shape()) {
		return fmt.Errorf("is %v; it must be %v", got, want)
	}
	rel := 1e-3
	if want.DType().IsHalf() {
		rel = 1e-2
	}
	a, err := tensor.Cast(got, tensor.Float64)
	if err != nil {
		return err
	}
	b, err := tensor.Cast(want, tensor.Float64)
	if err != nil {
		return err
	}
	x, y := tensor.Data[float64](a), tensor.Data[float64](b)
	for i := range x {
		if math.IsNaN(x[i]) && math.IsNaN(y[i]) || x[i] == y[i] {
			continue
		}
		if !want.DType().IsFloat() || !(math.Abs(x[i]-y[i]) <= 1e-7+rel*math.Abs(y[i])) {
			return fmt.Errorf("element %d is %v; it must be %v", i, x[i], y[i])
		}
	}
	return nil
}
