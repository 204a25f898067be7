package onnx_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/testdata"
	"github.com/concord-nn/concord/onnx"
	"github.com/concord-nn/concord/onnx/proto"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// ownModel is a model of a graph that imports the operators of Concord.
func ownModel(version int64, g *proto.Graph, functions ...*proto.Function) *proto.Model {
	m := modelOf(21, g)
	m.OpsetImport = append(m.OpsetImport, &proto.OperatorSet{Domain: onnx.OwnDomain, Version: version})
	m.Functions = functions
	return m
}

// own makes a node of the domain.
func own(op, values string, attrs ...any) *proto.Node {
	return node(onnx.OwnDomain+"."+op, values, attrs...)
}

func doubles(list ...float64) *proto.Tensor {
	t, err := tensor.FromSlice(list, len(list))
	if err != nil {
		panic(err)
	}
	p, err := proto.NewTensor("", t)
	if err != nil {
		panic(err)
	}
	return p
}

// double is a tensor of rank 0.
func double(x float64) *proto.Tensor {
	p := doubles(x)
	p.Dims = nil
	return p
}

// TestOwn: nodes of the domain of Concord are its operators. Functions of their names count only where the version is another one.
func TestOwn(t *testing.T) {
	round := graphOf("x: float[2] -> y", own("affine", "x -> y", "alpha", float32(2), "beta", double(0.5)))
	expect(t, ownModel(1, round), two, "y", []int{2}, float32(2.5), 4.5)

	negative := &proto.Function{Domain: onnx.OwnDomain, Name: "affine", Input: []string{"a"}, Output: []string{"b"}, Attribute: []string{"alpha", "beta"},
		Node: []*proto.Node{node("Neg", "a -> b")}, OpsetImport: []*proto.OperatorSet{{Version: 21}}}
	expect(t, ownModel(1, round, negative), two, "y", []int{2}, float32(2.5), 4.5)
	expect(t, ownModel(2, round, negative), two, "y", []int{2}, float32(-1), -2)
	unknown := &proto.Function{Domain: onnx.OwnDomain, Name: "later", Input: []string{"a"}, Output: []string{"b"},
		Node: []*proto.Node{node("Neg", "a -> b")}, OpsetImport: []*proto.OperatorSet{{Version: 21}}}
	expect(t, ownModel(1, graphOf("x: float[2] -> y", own("later", "x -> y")), unknown), two, "y", []int{2}, float32(-1), -2)
	// A body that cannot be read is not looked at.
	wrong := &proto.Function{Domain: onnx.OwnDomain, Name: "affine", Input: []string{"a"}, Output: []string{"b"}, Node: []*proto.Node{node("Odd", "c -> b")}}
	expect(t, ownModel(1, round, wrong, wrong), two, "y", []int{2}, float32(2.5), 4.5)

	loop := graphOf("x: float[2] -> n: int64[], y", own("loop", ", , x -> n, y", "carried", 1, "most", 3,
		"body", graphOf("i: int64[], a: float[2] -> more: bool[], b: float[2]", node("Add", "a, a -> b"), node("Less", "i, two -> more"))))
	loop.Node[0].Attribute[2].G.Initializer = stored(graphOf("->"), "two", nil, int64(2)).Initializer
	expect(t, ownModel(1, loop), two, "y", []int{2}, float32(8), 16)
}

// TestOwnMistakes: what is wrong with a node of the domain is an error that says what would be right.
func TestOwnMistakes(t *testing.T) {
	body := func() *proto.Graph { return graphOf("-> y: float[2]", node("Neg", "x -> y")) }
	for want, n := range map[string]*proto.Node{
		"gamma: the operator has no such attribute; there are alpha, beta":    own("affine", "x -> y", "gamma", 1),
		"alpha: the attribute is a string; it must be a float, or a double":   own("affine", "x -> y", "alpha", "1"),
		"alpha: the tensor is float64[2]; it must be of rank 0":               own("affine", "x -> y", "alpha", doubles(1, 2)),
		"scales: the attribute is an integer; it must be floats, or doubles":  own("resample", "x -> y", "sizes", []int64{2}, "scales", 1),
		"sizes: the attribute is missing":                                     own("resample", "x -> y"),
		"axes: the attribute is floats; it must be integers":                  own("softmax", "x -> y", "axes", []float32{1}),
		"dtype: the attribute is a string; it must be an integer, that of an": own("cast", "x -> y", "dtype", "float32"),
		"dtype: data type 99 is not known":                                    own("cast", "x -> y", "dtype", 99),
		"dtype: -1 is no element type":                                        own("cast", "x -> y", "dtype", -1),
		"approximate: \"best\" is not allowed":                                own("gelu", "x -> y", "approximate", "best"),
		"2 operands are named; there are 1":                                   own("relu", "x, x -> y"),
		"x: the operand is missing":                                           own("relu", " -> y"),
		"axes: axis 7 is not a dimension":                                     own("softmax", "x -> y", "axes", []int64{7}),
		"then: the attribute is missing":                                      own("if", "c -> y"),
		"else: the attribute is an integer; it must be a graph":               own("if", "c -> y", "then", body(), "else", 1),
		"then: the graph reads \"x\" from around it":                          own("if", "c -> y", "then", body(), "else", body()),
		"then: the graph has 2 inputs; it must have 1":                        own("if", "c, x -> y", "then", graphOf("a, b -> a"), "else", graphOf("a -> a")),
		"the operator is not supported":                                       own("no_such_operator", "x -> y"),
	} {
		g := graphOf("x: float[2], c: bool[] -> y", n)
		refused(t, ownModel(1, g), nil, want)
	}
	refused(t, modelOf(21, graphOf("x: float[2] -> y", own("relu", "x -> y"))), two, `imports no version of the operators of domain "org.concord"`)
}

// TestOwnAttributes: attributes of all kinds are written, and read as what they were.
func TestOwnAttributes(t *testing.T) {
	for _, value := range []any{true, 7, 0.5, 0.1, 1e300, "text", tensor.BFloat16, []int{}, []int{1, -2}, []float64{}, []float64{0.5}, []float64{0.1, 2}, []string{"a"}} {
		a, err := onnx.OwnAttribute("a", value)
		if err != nil || a.Name != "a" || a.Type == proto.AttributeUndefined {
			t.Errorf("%v: %v, error %v", value, a, err)
		}
	}
	if _, err := onnx.OwnAttribute("a", struct{}{}); err == nil {
		t.Error("there is an attribute for a value of no kind")
	}
}

// TestHostileOwn makes nodes of the domain with arbitrary attributes and operands: nothing may fall over them.
func TestHostileOwn(t *testing.T) {
	rounds := testdata.Cases(40, 400)
	r := rand.New(rand.NewPCG(3, 4))
	types := []tensor.DType{tensor.Float32, tensor.Float32, tensor.Int64, tensor.Int32, tensor.Uint8, tensor.Bool, tensor.Int4}
	legal := 0
	for _, d := range op.All() {
		for range rounds {
			n := &proto.Node{OpType: d.Name, Domain: onnx.OwnDomain, Output: []string{"y"}}
			g := &proto.Graph{Name: "hostile", Node: []*proto.Node{n}, Output: []*proto.ValueInfo{{Name: "y"}}}
			for _, o := range d.In {
				if o.Optional && r.IntN(2) == 0 {
					n.Input = append(n.Input, "")
					continue
				}
				name := "x_" + o.Name
				n.Input = append(n.Input, name)
				shape := &proto.Shape{}
				for range r.IntN(5) {
					shape.Dim = append(shape.Dim, &proto.Dim{Known: true, Value: r.Int64N(4)})
				}
				dtype := proto.DataTypeOf(types[r.IntN(len(types))])
				g.Input = append(g.Input, proto.NewValueInfo(name, dtype, shape))
			}
			for _, a := range d.Attrs {
				if a.Default == nil || r.IntN(2) == 0 {
					made, err := onnx.OwnAttribute(a.Name, hostileValue(r, a))
					if err != nil {
						t.Fatal(err)
					}
					n.Attribute = append(n.Attribute, made)
				}
			}
			for _, b := range d.Blocks {
				n.Attribute = append(n.Attribute, attr(b.Name, graphOf("i: int64[] -> i")))
			}
			f, err := onnx.New(ownModel(1, g))
			if err != nil {
				t.Fatal(err)
			}
			net, err := f.Network()
			if err != nil {
				t.Fatal(err)
			}
			_, err = net.Part(nil)
			if err == nil {
				legal++
			}
			if err != nil && strings.Contains(err.Error(), "internal error") {
				t.Fatalf("%v\nof %v", err, n)
			}
		}
	}
	if legal == 0 {
		t.Error("no node was legal")
	}
}

// hostileValue returns a value of the kind that an attribute has.
func hostileValue(r *rand.Rand, a op.Attr) any {
	number := func() int { return int(hostileNumber(r)) }
	switch a.Kind {
	case graph.KindBool:
		return r.IntN(2) == 0
	case graph.KindInt:
		return number()
	case graph.KindInts:
		list := make([]int, r.IntN(5))
		for i := range list {
			list[i] = number()
		}
		return list
	case graph.KindFloat:
		return float64(number()) / 3
	case graph.KindFloats:
		list := make([]float64, r.IntN(5))
		for i := range list {
			list[i] = float64(number()) / 3
		}
		return list
	case graph.KindDType:
		return tensor.DTypes()[r.IntN(len(tensor.DTypes()))]
	case graph.KindStrings:
		return slices.Repeat([]string{"relu"}, r.IntN(5))
	}
	if len(a.Enum) > 0 {
		return a.Enum[r.IntN(len(a.Enum))]
	}
	return "text"
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
