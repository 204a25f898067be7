package onnx_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/concord-nn/concord/model"
	"github.com/concord-nn/concord/onnx"
	"github.com/concord-nn/concord/onnx/proto"
	"github.com/concord-nn/concord/tensor"
)

// TestHostileRows makes graphs of single nodes whose operands and attributes are arbitrary: no row may fall over them.
func TestHostileRows(t *testing.T) {
	rounds := 100
	if testing.Short() {
		rounds = 20
	}
	for _, o := range onnx.Operators() {
		r := rand.New(rand.NewPCG(1, 2))
		for range rounds {
			m, shapes := hostileModel(r, o)
			f, err := onnx.New(m)
			if err != nil {
				continue
			}
			net, err := f.Network()
			if err != nil {
				continue
			}
			if _, err = net.Part(shapes); err != nil && strings.Contains(err.Error(), "internal error") {
				t.Errorf("%v\nof %v %v", err, m.Graph.Node[0].Attribute, shapes)
				break
			}
		}
	}
}

// hostileModel makes a model of a node of an operator, as one of its versions declares it.
func hostileModel(r *rand.Rand, o onnx.Operator) (*proto.Model, model.Shapes) {
	form := o.Forms[r.IntN(len(o.Forms))]
	name := o.Name
	n := &proto.Node{OpType: name}
	if k := strings.LastIndex(name, "."); k >= 0 {
		n.Domain, n.OpType = name[:k], name[k+1:]
	}
	g := &proto.Graph{Name: "hostile", Node: []*proto.Node{n}}
	shapes := make(model.Shapes)
	common := make([]int, 2+r.IntN(4)) // many operands have a shape like others
	for d := range common {
		common[d] = r.IntN(5)
	}
	types := []tensor.DType{tensor.Float32, tensor.Float32, tensor.Int64, tensor.Int32, tensor.Uint8, tensor.Bool, tensor.Float16}
	for k, operand := range form.Operands {
		times := 1
		if strings.HasSuffix(operand, "...") {
			times = r.IntN(3)
		}
		for range times {
			if strings.HasSuffix(operand, "?") && r.IntN(3) == 0 {
				n.Input = append(n.Input, "")
				continue
			}
			shape := append([]int(nil), common...)
			switch r.IntN(4) {
			case 0:
				shape = shape[:r.IntN(len(shape))]
			case 1:
				shape = make([]int, r.IntN(6))
				for d := range shape {
					shape[d] = r.IntN(4)
				}
			}
			d := types[0]
			if r.IntN(4) == 0 || k > 0 && r.IntN(2) == 0 {
				d = types[r.IntN(len(types))]
			}
			input := fmt.Sprintf("x%d", len(n.Input))
			n.Input = append(n.Input, input)
			x, err := tensor.New(d, shape)
			if err != nil {
				panic(err)
			}
			wide, _ := tensor.New(tensor.Float64, shape)
			for e := range tensor.Data[float64](wide) {
				tensor.Data[float64](wide)[e] = float64(hostileNumber(r))
			}
			if y, err := tensor.Cast(wide, d); err == nil {
				x = y
			}
			p, err := proto.NewTensor(input, x)
			if err != nil {
				panic(err)
			}
			if r.IntN(2) == 0 {
				g.Initializer = append(g.Initializer, p)
				continue
			}
			dims := &proto.Shape{}
			for _, e := range shape {
				dims.Dim = append(dims.Dim, &proto.Dim{Known: true, Value: int64(e)})
			}
			g.Input = append(g.Input, &proto.ValueInfo{Name: input, Type: &proto.Type{Tensor: &proto.TensorType{ElemType: p.DataType, Shape: dims}}})
			shapes[input] = shape
		}
	}
	for k := range form.Results {
		n.Output = append(n.Output, fmt.Sprintf("y%d", k))
	}
	g.Output = append(g.Output, &proto.ValueInfo{Name: "y0"})
	for _, text := range form.Attributes {
		if a := hostileAttribute(r, text, len(common)); a != nil {
			n.Attribute = append(n.Attribute, a)
		}
	}
	m := modelOf(int64(min(max(form.Since[0], 1), 28)), g)
	m.OpsetImport = append(m.OpsetImport, &proto.OperatorSet{Domain: "ai.onnx.ml", Version: 5})
	if n.Domain != "" {
		m.OpsetImport[0].Version = 28
	}
	return m, shapes
}

// hostileNumber returns a number that is often small and sometimes as large as numbers are.
func hostileNumber(r *rand.Rand) int64 {
	switch r.IntN(8) {
	case 0:
		return -1 - r.Int64N(4)
	case 1:
		return []int64{math.MaxInt64, math.MinInt64, math.MaxInt32, math.MinInt32, 1 << 40, -1 << 40, 1 << 30, 1 << 62}[r.IntN(8)]
	}
	return r.Int64N(5)
}

// hostileAttribute gives an attribute that is declared so a value, or leaves it out.
func hostileAttribute(r *rand.Rand, text string, rank int) *proto.Attribute {
	name, kind, typed := strings.Cut(text, ":")
	if !typed {
		name, kind, _ = strings.Cut(text, "=")
	}
	required := strings.HasSuffix(kind, "!")
	if !required && r.IntN(2) == 0 {
		return nil
	}
	kind = strings.TrimSuffix(strings.TrimSpace(kind), "!")
	n := []int{0, 1, 2, 4, rank, max(rank-2, 0), 2 * max(rank-2, 0), 2 * rank}[r.IntN(8)]
	numbers := make([]int64, n)
	floats := make([]float32, n)
	for k := range numbers {
		numbers[k], floats[k] = hostileNumber(r), float32(hostileNumber(r))
	}
	words := []string{"", "constant", "SAME_UPPER", "SAME_LOWER", "nearest", "linear", "cubic", "bidirectional", "reverse", "mean", "sum", "none", "gated", "Relu", "Tanh"}
	a := &proto.Attribute{Name: name}
	switch {
	case kind == "ints":
		a.Type, a.Ints = proto.AttributeInts, numbers
	case kind == "floats":
		a.Type, a.Floats = proto.AttributeFloats, floats
	case kind == "strings":
		a.Type = proto.AttributeStrings
		for range n {
			a.Strings = append(a.Strings, words[r.IntN(len(words))])
		}
	case kind == "string" || strings.HasPrefix(kind, `"`):
		a.Type, a.S = proto.AttributeString, words[r.IntN(len(words))]
	case kind == "float" || strings.ContainsAny(kind, ".e") && !typed:
		a.Type, a.F = proto.AttributeFloat, []float32{0, 1, -1, 0.5, float32(math.Inf(1)), float32(math.NaN()), 1e38}[r.IntN(7)]
	case kind == "int" || !typed:
		a.Type, a.I = proto.AttributeInt, hostileNumber(r)
	case kind == "tensor":
		a.Type, a.T = proto.AttributeTensor, message("", []int{2}, float32(1), 2)
	default:
		return nil
	}
	return a
}
