package export_test

import (
	"math"
	"testing"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/testdata"
	"github.com/concord-nn/concord/internal/testdata/single"
	"github.com/concord-nn/concord/internal/testing/exported"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/openvx/export"
	"github.com/concord-nn/concord/tensor"
)

// step adds a part of a network to a value of the shape (1, C, H, W), which keeps its rank.
type step struct {
	name string
	add  func(n *net, x *graph.Value) *graph.Value
}

// shapeOf returns the extents of a value.
func shapeOf(v *graph.Value) []int {
	return v.Type.Shape.Clone()
}

// plain is a step of an operator without attributes.
func plain(name string) step {
	return step{name, func(n *net, x *graph.Value) *graph.Value { return n.Node(name, nil, x) }}
}

var unchanged = make([]int, 8)

// steps are parts of networks that are exported.
var steps = []step{
	{"conv", func(n *net, x *graph.Value) *graph.Value {
		s, groups := shapeOf(x), 1
		if n.r.Bool() {
			groups = s[1]
		}
		f := n.drawn(tensor.Float32, 0.4, groups*n.r.Between(1, 2), s[1]/groups, 3, 2)
		return n.Node("conv", attrs("padding", []int{1, 1, 0, 1}, "groups", groups), x, f, n.drawn(tensor.Float32, 0.5, 1, shapeOf(f)[0]))
	}},
	{"conv and normalization", func(n *net, x *graph.Value) *graph.Value {
		c := shapeOf(x)[1]
		y := n.Node("conv", attrs("padding", []int{0, 0, 0, 0}), x, n.drawn(tensor.Float32, 0.5, c, c, 1, 1))
		return n.normalized(y)
	}},
	{"normalization", func(n *net, x *graph.Value) *graph.Value { return n.normalized(x) }},
	plain("relu"), plain("sigmoid"), plain("tanh"), plain("abs"), plain("softplus"), plain("neg"), plain("hard_swish"), plain("silu"),
	{"leaky", func(n *net, x *graph.Value) *graph.Value { return n.Node("leaky_relu", attrs("alpha", 0.25), x) }},
	{"clamp", func(n *net, x *graph.Value) *graph.Value {
		return n.Node("clamp", nil, x, n.real(-0.5), n.real(0.75))
	}},
	{"greatest", func(n *net, x *graph.Value) *graph.Value {
		y := n.Node("max", nil, n.real(0), x)
		return n.Node("min", nil, n.Node("max", nil, n.Node("tanh", nil, x), y), x)
	}},
	{"skip", func(n *net, x *graph.Value) *graph.Value { return n.Node("add", nil, n.Node("tanh", nil, x), x) }},
	{"gate", func(n *net, x *graph.Value) *graph.Value {
		c := shapeOf(x)[1]
		y := n.Node("mean_reduce", attrs("axes", []int{2, 3}), x)
		y = n.Node("reshape", attrs("shape", []int{1, c}), y)
		y = n.Node("sigmoid", nil, n.Node("linear", nil, y, n.drawn(tensor.Float32, 0.5, c, c)))
		return n.Node("mul", nil, x, n.Node("reshape", attrs("shape", []int{1, c, 1, 1}), y))
	}},
	{"branches", func(n *net, x *graph.Value) *graph.Value {
		return n.Node("concat", attrs("axis", 1), n.Node("relu", nil, x), x, n.Node("sigmoid", nil, x))
	}},
	{"halves", func(n *net, x *graph.Value) *graph.Value {
		c := shapeOf(x)[1]
		a := n.Node("slice", attrs("axes", []int{1}, "begin", []int{0}, "end", []int{1}), x)
		b := n.Node("slice", attrs("axes", []int{1}, "begin", []int{c - 1}, "end", []int{c}), x)
		return n.Node("concat", attrs("axis", 1), b, n.Node("tanh", nil, a), b)
	}},
	{"pool", func(n *net, x *graph.Value) *graph.Value {
		return n.Node("max_pool", attrs("size", []int{1, 1, 1, 2}, "padding", unchanged, "border", "ignore"), n.padded(x))
	}},
	{"average", func(n *net, x *graph.Value) *graph.Value {
		return n.Node("box", attrs("size", []int{1, 1, 3, 3}, "padding", []int{0, 0, 0, 0, 1, 1, 1, 1}, "normalize", true, "border", "ignore"), x)
	}},
	{"larger", func(n *net, x *graph.Value) *graph.Value {
		return n.Node("debox", attrs("size", []int{1, 1, 2, 2}, "stride", []int{1, 1, 2, 2}, "padding", unchanged), x)
	}},
	{"turned", func(n *net, x *graph.Value) *graph.Value {
		return n.Node("transpose", attrs("axes", op.Pick(n.r, [][]int{{0, 1, 3, 2}, {0, 3, 1, 2}, {0, 2, 1, 3}})), x)
	}},
}

func (n *net) real(x float32) *graph.Value {
	n.T.Helper()
	return n.Constant("", tensor.Scalar(x))
}

// normalized adds a batch normalization.
func (n *net) normalized(x *graph.Value) *graph.Value {
	c := shapeOf(x)[1]
	variance := n.Node("abs", nil, n.drawn(tensor.Float32, 1, c))
	return n.Node("batch_normalization", attrs("epsilon", 0.5), x, n.drawn(tensor.Float32, 1, c), variance, n.drawn(tensor.Float32, 1, c))
}

// padded adds columns of zeros.
func (n *net) padded(x *graph.Value) *graph.Value {
	return n.Node("pad", attrs("padding", []int{0, 0, 0, 0, 0, 0, 1, 1}), x)
}

// network draws a network of up to eight steps and one of several ends.
func network(t testing.TB, seed uint64) *graph.Graph {
	n := newNet(t, seed)
	x := n.Input("x", tensor.Float32, 1, n.r.Between(1, 3), n.r.Between(2, 5), n.r.Between(2, 5))
	for range n.r.Between(1, 8) {
		if s := shapeOf(x); s[1]*s[2]*s[3] > 2000 {
			break
		}
		x = op.Pick(n.r, steps).add(n, x)
	}
	s := shapeOf(x)
	switch n.r.IntN(4) {
	case 0: // classes
		features := s[1] * s[2] * s[3]
		y := n.Node("reshape", attrs("shape", []int{1, features}), x)
		return n.Graph(n.Node("softmax", nil, n.Node("linear", nil, y, n.drawn(tensor.Float32, 0.1, 5, features), n.drawn(tensor.Float32, 1, 1, 5))), x)
	case 1: // boxes
		y := n.Node("transpose", attrs("axes", []int{0, 2, 3, 1}), x)
		y = n.Node("reshape", attrs("shape", []int{1, -1, s[1]}), y)
		return n.Graph(n.Node("softmax", attrs("axes", []int{2}), n.Node("concat", attrs("axis", 1), y, n.Node("relu", nil, y))))
	case 2: // a map
		return n.Graph(n.Node("softmax", nil, x))
	}
	return n.Graph(x)
}

// TestNetworks exports random networks in float32: they compute what the engine does, within the tolerance of each step times what those
// behind it make of it.
func TestNetworks(t *testing.T) {
	for seed := range uint64(testdata.Cases(100, 1000)) {
		g := network(t, seed)
		m := made(t, g, export.Float32)
		inputs := inputsOf(t, g, seed, 1)
		want, got := exported.Run(t, g, inputs), runs(t, m, inputs)
		for name, w := range want {
			tolerance := 0.0
			if len(m.Approximations) > 0 {
				tolerance = 1e-4
			}
			if far := distance(got[name], w); far > tolerance {
				t.Fatalf("seed %d: output %s differs by %v; %v is allowed\n%s", seed, name, far, tolerance, graph.Text(g, op.Rules))
			}
		}
	}
}

// TestFixedPoint exports networks of one step in Q7.8 with inputs and weights that it holds exactly. A step rounds once, to the nearest
// number, or a function of real numbers is truncated: less than 1/256 is lost.
func TestFixedPoint(t *testing.T) {
	once := map[string]bool{"conv": true, "relu": true, "sigmoid": true, "tanh": true, "abs": true, "softplus": true, "neg": true,
		"branches": true, "pool": true, "larger": true, "turned": true, "skip": true}
	for _, s := range steps {
		if !once[s.name] {
			continue
		}
		for seed := range uint64(20) {
			n := newNet(t, seed)
			n.grid = true
			x := n.Input("x", tensor.Float32, 1, 3, 4, 4)
			g := n.Graph(s.add(n, x))
			m := made(t, g, export.Q78)
			inputs := map[string]*tensor.Tensor{"x": n.onGrid(inputsOf(t, g, seed, 4)["x"])}
			want, got := exported.Run(t, g, inputs)["y0"], runs(t, m, inputs)["y0"]
			a, b := single.Numbers(got), single.Numbers(want)
			for i := range a {
				if math.Abs(a[i]-b[i]) >= 1.0/256 {
					t.Fatalf("%s: %v in place of %v\n%s", s.name, a[i], b[i], graph.Text(g, op.Rules))
				}
			}
			for _, r := range m.Rounded {
				if r.Greatest != 0 || r.Saturated != 0 || r.Vanished != 0 {
					t.Errorf("%s: rounding is reported where there is none: %+v", s.name, r)
				}
			}
		}
	}
}

// onGrid returns the numbers of Q7.8 that are nearest to those of a tensor.
func (n *net) onGrid(x *tensor.Tensor) *tensor.Tensor {
	n.T.Helper()
	raw, err := export.Q78.Encode(x)
	n.Check(err)
	back, err := export.Q78.Decode(raw, tensor.Float32)
	n.Check(err)
	return back
}

// TestTables exports functions that no layer has: in Q7.8 the results are the nearest numbers to those of the operator.
func TestTables(t *testing.T) {
	tables := 0
	for _, r := range export.Table() {
		if r.To != "vxTensorTableLookupNode" || r.Op == "lookup" {
			continue
		}
		tables++
		n := newNet(t, 1)
		x := n.Input("x", tensor.Float32, 16, 64)
		in := []*graph.Value{x}
		if r.Op == "pow" {
			in = append(in, n.real(3))
		}
		g := n.Graph(n.Node(r.Op, nil, in...))
		inputs := map[string]*tensor.Tensor{"x": n.onGrid(inputsOf(t, g, 1, 9)["x"])}
		want, got := exported.Run(t, g, inputs)["y0"], runs(t, made(t, g, export.Q78), inputs)["y0"]
		if nearest := n.onGrid(want); !equal(got, nearest) {
			t.Errorf("%s gives\n%v\nin place of\n%v", r.Op, single.Numbers(got), single.Numbers(nearest))
		}
	}
	if tables == 0 {
		t.Error("no operator is looked up")
	}
}
