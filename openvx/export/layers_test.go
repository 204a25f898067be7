package export_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/testdata"
	"github.com/concord-nn/concord/internal/testdata/single"
	"github.com/concord-nn/concord/internal/testing/exported"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/openvx/export"
	"github.com/concord-nn/concord/tensor"
)

// net is a graph that is built for a test.
type net struct {
	*exported.Net
	r *op.Rand

	grid bool // constants are numbers of Q7.8
}

func newNet(t testing.TB, seed uint64) *net {
	return &net{Net: exported.NewNet(t, "net"), r: op.NewRand(seed, 4)}
}

// drawn adds a constant of random elements of the magnitude.
func (n *net) drawn(d tensor.DType, magnitude float64, shape ...int) *graph.Value {
	n.T.Helper()
	x := uniform(n.T, n.r, d, magnitude, shape...)
	if n.grid {
		x = n.onGrid(x)
	}
	return n.Constant("", x)
}

// uniform returns random elements between -magnitude and magnitude, or from 0 on if the type has no sign.
func uniform(t testing.TB, r *op.Rand, d tensor.DType, magnitude float64, shape ...int) *tensor.Tensor {
	t.Helper()
	low := -magnitude
	if d == tensor.Uint8 {
		low = 0
	}
	x, err := tensor.Cast(r.Uniform(tensor.Float32, shape, low, magnitude), d)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// inputsOf returns random inputs of a graph.
func inputsOf(t testing.TB, g *graph.Graph, seed uint64, magnitude float64) map[string]*tensor.Tensor {
	t.Helper()
	in := make(map[string]*tensor.Tensor)
	r := op.NewRand(seed, 4)
	for _, v := range g.Inputs {
		s := v.Type.Shape
		in[v.Name] = uniform(t, r, v.Type.DType, magnitude, s...)
	}
	return in
}

var attrs = graph.AttrsOf

// made exports a graph, which must be possible.
func made(t testing.TB, g *graph.Graph, f export.Format) *export.Network {
	t.Helper()
	n, err := export.New(g, export.Options{Float: f})
	if err != nil {
		t.Fatalf("%v\n%s", err, graph.Text(g, op.Rules))
	}
	return n
}

// window draws attributes of windows over two dimensions of n elements, at least one of which there is.
func (n *net) window(size [2]int, in [2]int, dilated bool) (padding, stride, dilation []int) {
	for i := range size {
		d := 1
		if dilated {
			d = n.r.Between(1, 2)
		}
		span := (size[i]-1)*d + 1
		before, after := n.r.IntN(span), n.r.IntN(span)
		for before+after+in[i] < span {
			after++
		}
		padding = append(padding, before, after)
		stride = append(stride, n.r.Between(1, 4))
		dilation = append(dilation, d)
	}
	return padding, stride, dilation
}

// TestConvolutions exports convolutions with windows of all kinds: the bits are the engine's. Without dilation each can be said.
func TestConvolutions(t *testing.T) {
	said := 0
	const cases = 400
	for seed := range uint64(cases) {
		n := newNet(t, seed)
		r := n.r
		in, size := [2]int{r.Between(1, 9), r.Between(1, 9)}, [2]int{r.Between(1, 4), r.Between(1, 4)}
		dilated := seed%4 == 0
		padding, stride, dilation := n.window(size, in, dilated)
		groups := op.Pick(r, []int{1, 1, 2, 3})
		batch, channels, filters := r.Between(1, 2), groups*r.Between(1, 2), groups*r.Between(1, 2)
		x := n.Input("x", tensor.Float32, batch, channels, in[0], in[1])
		f := n.drawn(tensor.Float32, 1, filters, channels/groups, size[0], size[1])
		var b *graph.Value
		if r.Bool() {
			b = n.drawn(tensor.Float32, 1, 1, filters)
		}
		g := n.Graph(n.Node("conv", attrs("padding", padding, "stride", stride, "dilation", dilation, "groups", groups), x, f, b))
		m, err := export.New(g, export.Options{Float: export.Float32})
		var refused *export.Error
		if errors.As(err, &refused) && dilated {
			continue
		}
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, graph.Text(g, op.Rules))
		}
		said++
		inputs := inputsOf(t, g, seed, 1)
		if want, got := exported.Run(t, g, inputs), runs(t, m, inputs); !equal(got["y0"], want["y0"]) {
			t.Fatalf("seed %d: %v\n%s\ngot  %v\nwant %v", seed, m.Calls[0].Args, graph.Text(g, op.Rules), single.Numbers(got["y0"]), single.Numbers(want["y0"]))
		}
	}
	if said < cases*9/10 {
		t.Errorf("%d of %d convolutions can be said", said, cases)
	}
}

// TestDeconvolutions does the same for deconvolutions.
func TestDeconvolutions(t *testing.T) {
	said := 0
	const cases = 300
	for seed := range uint64(cases) {
		n := newNet(t, seed)
		r := n.r
		in, size := [2]int{r.Between(1, 5), r.Between(1, 5)}, [2]int{r.Between(1, 4), r.Between(1, 4)}
		groups := op.Pick(r, []int{1, 1, 2, 3})
		channels, perGroup := groups*r.Between(1, 2), r.Between(1, 2)
		var padding, stride []int
		out := []int{1, groups * perGroup}
		for i := range in {
			s, before := r.Between(1, 3), r.IntN(size[i])
			after := r.IntN(before + 1)
			n := (in[i]-1)*s + size[i] - before - after
			if n < 1 {
				before, after, n = 0, 0, (in[i]-1)*s+size[i]
			}
			if stride, padding = append(stride, s), append(padding, before, after); seed%3 == 0 {
				n += r.IntN(s)
			}
			out = append(out, n)
		}
		x := n.Input("x", tensor.Float32, 1, channels, in[0], in[1])
		f := n.drawn(tensor.Float32, 1, channels, perGroup, size[0], size[1])
		b := n.drawn(tensor.Float32, 1, 1, groups*perGroup)
		if seed%3 != 0 {
			out = nil
		}
		g := n.Graph(n.Node("deconv", attrs("padding", padding, "stride", stride, "groups", groups, "output_shape", out), x, f, b))
		m, err := export.New(g, export.Options{Float: export.Float32})
		if err != nil {
			continue
		}
		said++
		inputs := inputsOf(t, g, seed, 1)
		if want, got := exported.Run(t, g, inputs), runs(t, m, inputs); distance(got["y0"], want["y0"]) > 1e-6 {
			t.Fatalf("seed %d: %v\n%s\ngot  %v\nwant %v", seed, m.Calls[0].Args, graph.Text(g, op.Rules), single.Numbers(got["y0"]), single.Numbers(want["y0"]))
		}
	}
	if said < cases*9/10 {
		t.Errorf("%d of %d deconvolutions can be said", said, cases)
	}
}

// TestPoolings exports windows of max_pool, box and debox over inputs that are never negative: all can be said, if not of all averages.
func TestPoolings(t *testing.T) {
	for seed := range uint64(testdata.Cases(200, 2000)) {
		n := newNet(t, seed)
		r := n.r
		in, size := [2]int{r.Between(1, 9), r.Between(1, 9)}, [2]int{r.Between(1, 4), r.Between(1, 4)}
		padding, stride, _ := n.window(size, in, false)
		x := n.Node("relu", nil, n.Input("x", tensor.Float32, r.Between(1, 2), r.Between(1, 3), in[0], in[1]))
		operator := op.Pick(r, []string{"max_pool", "box", "box", "debox"})
		a := attrs("size", []int{1, 1, size[0], size[1]}, "stride", []int{1, 1, stride[0], stride[1]}, "border", op.Pick(r, []string{"constant", "ignore"}))
		if operator == "debox" {
			padding = []int{0, 0, 0, 0}
		}
		a = append(a, attrs("padding", append([]int{0, 0, 0, 0}, padding...))...)
		if operator != "max_pool" {
			a = append(a, attrs("normalize", operator == "box" && r.Bool())...)
		}
		g := n.Graph(n.Node(operator, a, x))
		m := made(t, g, export.Float32)
		inputs := inputsOf(t, g, seed, 1)
		if want, got := exported.Run(t, g, inputs), runs(t, m, inputs); distance(got["y0"], want["y0"]) > 1e-6 {
			t.Fatalf("seed %d: %v\n%s\ngot  %v\nwant %v", seed, m.Calls[1].Args, graph.Text(g, op.Rules), single.Numbers(got["y0"]), single.Numbers(want["y0"]))
		}
	}
}

// integerNets are networks of integers as layers compute them.
var integerNets = map[string]func(n *net, d tensor.DType) *graph.Value{
	"conv": func(n *net, d tensor.DType) *graph.Value {
		x := n.Input("x", d, 1, 4, 6, 6)
		sum := n.Node("conv", attrs("padding", []int{1, 1, 1, 1}, "groups", 2, "dtype", tensor.Int64), x, n.drawn(d, 100, 6, 2, 3, 3))
		return n.rounded(sum, d, "half_even", "saturate")
	},
	"conv with bias": func(n *net, d tensor.DType) *graph.Value {
		x := n.Input("x", d, 1, 2, 6, 6)
		bias := n.Node("rescale", attrs("dtype", tensor.Int32), n.drawn(d, 100, 3), n.number(tensor.Int64, -int64(fixed(d))))
		sum := n.Node("conv", attrs("padding", []int{0, 0, 0, 0}, "stride", []int{2, 2}), x, n.drawn(d, 20, 3, 2, 2, 2), bias)
		return n.rounded(sum, d, "to_zero", "wrap")
	},
	"conv with a bias for each element": func(n *net, d tensor.DType) *graph.Value {
		x := n.Input("x", d, 2, 2, 4, 5)
		sum := n.Node("conv", attrs("padding", []int{0, 0, 0, 0}, "dtype", tensor.Int64), x, n.drawn(d, 20, 3, 2, 1, 1))
		bias := n.Node("rescale", attrs("dtype", tensor.Int64), n.drawn(d, 100, 1, 3, 4, 5), n.number(tensor.Int64, -int64(fixed(d))))
		return n.rounded(n.Node("add", nil, sum, bias), d, "to_zero", "saturate")
	},
	"deconv": func(n *net, d tensor.DType) *graph.Value {
		x := n.Input("x", d, 1, 2, 3, 3)
		sum := n.Node("deconv", attrs("padding", []int{1, 0, 0, 0}, "stride", []int{2, 1}, "dtype", tensor.Int64), x, n.drawn(d, 50, 2, 3, 3, 2))
		return n.rounded(sum, d, "half_even", "saturate")
	},
	"linear behind layers": func(n *net, d tensor.DType) *graph.Value {
		x := n.Node("relu", nil, n.Input("x", d, 2, 2, 4, 4))
		x = n.Node("max_pool", attrs("size", []int{1, 1, 2, 2}, "stride", []int{1, 1, 2, 2}, "padding", make([]int, 8), "border", "ignore"), x)
		x = n.Node("reshape", attrs("shape", []int{2, 8}), x)
		bias := n.Node("rescale", attrs("dtype", tensor.Int64), n.drawn(d, 100, 1, 5), n.number(tensor.Int64, -int64(fixed(d))))
		sum := n.Node("linear", attrs("dtype", tensor.Int64), x, n.drawn(d, 50, 5, 8), bias)
		return n.rounded(sum, d, "half_even", "saturate")
	},
	"matmul": func(n *net, d tensor.DType) *graph.Value {
		x := n.Input("x", d, 2, 3, 4)
		sum := n.Node("matmul", attrs("dtype", tensor.Int64), x, n.drawn(d, 50, 1, 4, 5))
		return n.rounded(sum, d, "to_zero", "saturate")
	},
	"products": func(n *net, d tensor.DType) *graph.Value {
		x, y := n.Input("x", d, 1, 3, 2, 2), n.Input("y", d, 1, 3, 1, 1)
		product := n.Node("mul", nil, n.Node("cast", attrs("dtype", tensor.Int32), x), n.Node("cast", attrs("dtype", tensor.Int32), y))
		return n.Node("rescale", attrs("rounding", "half_even", "overflow", "saturate", "dtype", d), product, n.number(tensor.Int64, int64(fixed(d)+3)), n.number(tensor.Int64, 3))
	},
	"products of products": func(n *net, d tensor.DType) *graph.Value {
		x := n.Node("cast", attrs("dtype", tensor.Int64), n.Input("x", d, 4))
		product := n.Node("mul", nil, x, x)
		return n.Node("rescale", attrs("rounding", "to_zero", "dtype", d), product, n.number(tensor.Int64, int64(fixed(d)+2)))
	},
	"sums": func(n *net, d tensor.DType) *graph.Value {
		x, y := n.Input("x", d, 3, 4), n.Input("y", d, 3, 4)
		sum := n.Node("add", attrs("overflow", "saturate"), x, y)
		return n.Node("sub", nil, n.Node("mul", attrs("overflow", "saturate"), sum, n.drawn(d, 5, 1, 4)), y)
	},
	"averages": func(n *net, d tensor.DType) *graph.Value {
		return n.Node("box", attrs("size", []int{1, 1, 3, 3}, "stride", []int{1, 1, 2, 2}, "padding", []int{0, 0, 0, 0, 1, 1, 0, 1}, "normalize", true),
			n.Input("x", d, 1, 2, 5, 7))
	},
	"moves": func(n *net, d tensor.DType) *graph.Value {
		x, y := n.Input("x", d, 2, 3, 4), n.Input("y", d, 2, 4, 1)
		x = n.Node("transpose", attrs("axes", []int{0, 2, 1}), x)
		z := n.Node("concat", attrs("axis", 2), x, y)
		z = n.Node("slice", attrs("axes", []int{1, 2}, "begin", []int{1, -3}, "end", []int{4, 4}), z)
		return n.Node("pad", attrs("padding", []int{0, 0, 1, 0, 0, 2}, "value", 7.0), z)
	},
	"rescale": func(n *net, d tensor.DType) *graph.Value {
		x := n.Node("rescale", attrs("rounding", "half_even", "overflow", "saturate", "dtype", d), n.Input("x", d, 3, 5), n.number(tensor.Int64, 2))
		return n.Node("clamp", nil, n.Node("rescale", attrs("overflow", "saturate", "dtype", d), x, n.number(tensor.Int64, -1)),
			n.number(d, 0), n.number(d, 77))
	},
}

// TestInexactIntegers refuses what layers would compute with other bits.
func TestInexactIntegers(t *testing.T) {
	const d = tensor.Int16
	for says, build := range map[string]func(n *net) *graph.Value{
		"layers round to_zero or half_even": func(n *net) *graph.Value {
			sum := n.Node("linear", attrs("dtype", tensor.Int64), n.Input("x", d, 1, 4), n.drawn(d, 50, 2, 4))
			return n.rounded(sum, d, "half_up", "saturate")
		},
		"a layer shifts by 8": func(n *net) *graph.Value {
			sum := n.Node("linear", attrs("dtype", tensor.Int64), n.Input("x", d, 1, 4), n.drawn(d, 50, 2, 4))
			return n.Node("rescale", attrs("rounding", "to_zero", "dtype", d), sum, n.number(tensor.Int64, 7))
		},
		"may leave the range of int32": func(n *net) *graph.Value {
			sum := n.Node("linear", nil, n.Input("x", d, 1, 40), n.drawn(d, 32000, 2, 40))
			return n.rounded(sum, d, "to_zero", "saturate")
		},
		"no multiples of 256": func(n *net) *graph.Value {
			sum := n.Node("linear", attrs("dtype", tensor.Int64), n.Input("x", d, 1, 4), n.drawn(d, 50, 2, 4), n.drawn(tensor.Int64, 1000, 1, 2))
			return n.rounded(sum, d, "to_zero", "saturate")
		},
		"one number for each output": func(n *net) *graph.Value {
			sum := n.Node("conv", attrs("padding", []int{0, 0, 0, 0}, "dtype", tensor.Int64), n.Input("x", d, 1, 4, 2, 4), n.drawn(d, 50, 4, 4, 1, 1))
			bias := n.Node("rescale", attrs("dtype", tensor.Int64), n.drawn(d, 100, 1, 1, 1, 4), n.number(tensor.Int64, -8))
			return n.rounded(n.Node("add", nil, sum, bias), d, "to_zero", "saturate")
		},
		"a layer has one type": func(n *net) *graph.Value {
			sum := n.Node("linear", nil, n.Input("x", tensor.Uint8, 1, 4), n.drawn(tensor.Int8, 50, 2, 4))
			return n.rounded(sum, tensor.Uint8, "to_zero", "saturate")
		},
		"layers round sums and products as soon as these are made": func(n *net) *graph.Value {
			sum := n.Node("linear", attrs("dtype", tensor.Int64), n.Input("x", d, 1, 4), n.drawn(d, 50, 2, 4))
			return n.rounded(n.Node("rescale", attrs("dtype", tensor.Int64), sum, n.number(tensor.Int64, 1)), d, "to_zero", "saturate")
		},
		"it has no exact expression for elements of type int64": func(n *net) *graph.Value {
			sum := n.Node("linear", attrs("dtype", tensor.Int64), n.Input("x", d, 1, 4), n.drawn(d, 50, 2, 4))
			return n.rounded(n.Node("relu", nil, sum), d, "to_zero", "saturate")
		},
		"it rounds products of int64 to int16": func(n *net) *graph.Value {
			x := n.Node("cast", attrs("dtype", tensor.Int64), n.Input("x", tensor.Uint64, 4)) // which keeps the bits, not the number
			return n.rounded(n.Node("mul", nil, x, x), d, "to_zero", "saturate")
		},
	} {
		n := newNet(t, 1)
		_, err := export.New(n.Graph(build(n)), export.Options{})
		var refused *export.Error
		if !errors.As(err, &refused) || !strings.Contains(err.Error(), says) {
			t.Errorf("%q is not said: %v", says, err)
		}
	}
}

// number adds a constant of one element.
func (n *net) number(d tensor.DType, x int64) *graph.Value {
	n.T.Helper()
	t, err := tensor.Cast(tensor.Scalar(x), d)
	n.Check(err)
	return n.Constant("", t)
}

// fixed returns the position of elements of a type.
func fixed(d tensor.DType) int {
	if d == tensor.Int16 {
		return 8
	}
	return 0
}

// rounded adds the end of a layer.
func (n *net) rounded(sum *graph.Value, d tensor.DType, rounding, overflow string) *graph.Value {
	n.T.Helper()
	return n.Node("rescale", attrs("rounding", rounding, "overflow", overflow, "dtype", d), sum, n.number(tensor.Int64, int64(fixed(d))))
}

// TestIntegers exports networks of integers: what layers compute has the same bits, over the whole range of the elements.
func TestIntegers(t *testing.T) {
	for name, build := range integerNets {
		for _, d := range []tensor.DType{tensor.Int16, tensor.Uint8, tensor.Int8} {
			t.Run(fmt.Sprintf("%s, %v", name, d), func(t *testing.T) {
				for seed := range uint64(20) {
					n := newNet(t, seed)
					g := n.Graph(build(n, d))
					m := made(t, g, export.Q78)
					magnitude := math.Ldexp(1, 8*d.Size()-1)
					if d == tensor.Uint8 {
						magnitude = 255.9
					}
					if seed%2 == 0 {
						magnitude /= 20 // few sums leave the range
					}
					inputs := inputsOf(t, g, seed, magnitude)
					if want, got := exported.Run(t, g, inputs), runs(t, m, inputs); !equal(got["y0"], want["y0"]) {
						t.Fatalf("seed %d:\n%s\ngot  %v\nwant %v", seed, graph.Text(g, op.Rules), single.Numbers(got["y0"]), single.Numbers(want["y0"]))
					}
				}
			})
		}
	}
}

// TestEdges exports what has a number for an operand, bounds that bound nothing, or windows that reach no element.
func TestEdges(t *testing.T) {
	inf := float32(math.Inf(1))
	around := attrs("size", []int{1, 1, 1, 1}, "padding", []int{0, 0, 0, 0, 0, 0, 2, 2}, "stride", []int{1, 1, 1, 3}, "border", "ignore", "normalize", true)
	for says, build := range map[string]func(n *net) *graph.Value{
		"a number in prelu": func(n *net) *graph.Value {
			return n.Node("prelu", nil, n.Input("x", tensor.Float32), n.drawn(tensor.Float32, 1, 2, 1, 3))
		},
		"no bounds": func(n *net) *graph.Value {
			return n.Node("clamp", nil, n.Input("x", tensor.Float32, 2, 3), n.real(-inf), n.real(inf))
		},
		"a bound of NaN": func(n *net) *graph.Value {
			return n.Node("clamp", nil, n.Input("x", tensor.Float32, 2, 3), n.real(inf-inf), n.real(1))
		},
		"windows beside the elements": func(n *net) *graph.Value {
			return n.Node("box", around, n.Input("x", tensor.Float32, 1, 2, 2, 3))
		},
	} {
		g := func() *graph.Graph { n := newNet(t, 1); return n.Graph(build(n)) }()
		if exporter.Graph(t, says, g) == strings.Contains(says, "NaN") {
			t.Errorf("%s: is it refused?", says)
		}
	}
}
