package engine

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sort"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/kernel"
	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/internal/simd"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// unitsOf writes the units of a program as "conv1 add1; relu1", by the names of first results.
func unitsOf(units []*Unit) string {
	var list []string
	for _, u := range units {
		var names []string
		for _, n := range u.Nodes {
			names = append(names, n.Out[0].Name)
		}
		list = append(list, strings.Join(names, " "))
	}
	return strings.Join(list, "; ")
}

// sameAsReference runs a program on random inputs and compares every output with the interpreter's.
func sameAsReference(t *testing.T, g *graph.Graph, opts ...Options) (p *Program) {
	t.Helper()
	var in, want [3]map[string]*tensor.Tensor
	r := op.NewRand(7, 4)
	for i := range in {
		in[i] = make(map[string]*tensor.Tensor)
		for _, v := range g.Inputs {
			in[i][v.Name] = r.Tensor(v.Type.DType, v.Type.Shape)
		}
		values, err := op.NewInterpreter(g).RunNamed(context.Background(), in[i])
		want[i] = ok(t, values, err)
	}
	for _, o := range opts {
		made, err := Compile(g, o)
		p = ok(t, made, err)
		t.Cleanup(made.Close)
		checkPlan(t, p)
		for i := range in {
			got, err := p.Run(context.Background(), in[i])
			ok(t, got, err)
			for name, w := range want[i] {
				if string(got[name].Bytes()) != string(w.Contiguous().Bytes()) {
					t.Errorf("output %s differs from the references", name)
				}
			}
		}
	}
	return p
}

// TestAttention checks that weights of attention are normalized and used in the unit that computes them, in pieces of rows: also where all keys and values
// are copied in a round before.
func TestAttention(t *testing.T) {
	if !simd.AVX2.Has() {
		t.Skip("without vectors nothing yields rows")
	}
	for _, tt := range []struct {
		queries, rounds int
	}{{40, 0}, {360, 2}} {
		n := newNet(t)
		q, k, v := n.input("q", tensor.Float32, 3, tt.queries, 16), n.input("k", tensor.Float32, 3, tt.queries, 16), n.input("v", tensor.Float32, 3, 24, tt.queries)
		weights := n.op("mul", nil, n.op("matmul", graph.AttrsOf("transposeB", true), q, k), n.constant([]float32{0.25}))
		weights = n.op("softmax", graph.AttrsOf("axes", []int{2}), weights)
		y := n.op("matmul", graph.AttrsOf("transposeB", true), weights, v)
		n.output("y", n.op("matmul", nil, y, n.constant(make([]float32, 24*24), 1, 24, 24)))
		g, err := n.Build()
		p := sameAsReference(t, ok(t, g, err), Options{Threads: 2})
		if got, want := unitsOf(p.Units()), "matmul1 mul1 softmax1 matmul2; matmul3"; got != want {
			t.Errorf("%d queries: units %s; want %s", tt.queries, got, want)
		}
		if u := p.Units()[0]; len(u.rounds) != tt.rounds || len(u.rounds) == 0 && u.Pieces%3 != 0 || len(u.rounds) > 0 && u.rounds[1]%3 != 0 {
			t.Errorf("%d queries: %d pieces of three matrices, in rounds %v", tt.queries, u.Pieces, u.rounds)
		}
	}
}

// TestAttentionOfColumns checks that weights which several columns share, each of them computed as a row of the transpose, are not used before all are normalized.
func TestAttentionOfColumns(t *testing.T) {
	n := newNet(t)
	w := n.op("softmax", graph.AttrsOf("axes", []int{2}), n.input("x", tensor.Float32, 1, 64, 3000))
	n.output("y", n.op("matmul", graph.AttrsOf("transposeB", true), w, n.input("v", tensor.Float32, 64, 1, 3000)))
	g, err := n.Build()
	sameAsReference(t, ok(t, g, err), Options{Threads: 1}, Options{Threads: 2})
}

// TestFactorInTwoProducts multiplies by a constant that is one matrix and two, and by one that is a column and a row.
func TestFactorInTwoProducts(t *testing.T) {
	n, r := newNet(t), op.NewRand(1, 1)
	factor := func(d tensor.DType, shape ...int) *graph.Value {
		v, err := n.Constant("", "", r.Tensor(d, shape))
		return ok(t, v, err)
	}
	a, c := factor(tensor.Float32, 2, 30, 8), factor(tensor.Int32, 40, 1)
	n.output("one", n.op("matmul", nil, a, n.input("x", tensor.Float32, 1, 8, 1)))
	n.output("two", n.op("matmul", nil, a, n.input("y", tensor.Float32, 2, 8, 1)))
	n.output("row", n.op("matmul", attrs("transposeB", true), n.input("z", tensor.Int32, 30, 1), c))
	n.output("column", n.op("matmul", nil, n.input("w", tensor.Int32, 30, 40), c))
	g, err := n.Build()
	sameAsReference(t, ok(t, g, err), Options{Threads: 1})
}

func TestUnits(t *testing.T) {
	t.Setenv(simd.Variable, "portable") // so that units are the same on every machine
	axis := func(a int) graph.Attrs { return graph.Attrs{{Name: "axes", Value: []int{a}}} }
	for _, c := range []struct {
		name  string
		build func(n net)
		want  string
	}{
		{"a chain", func(n net) {
			x := n.input("x", tensor.Float32, 4, 6)
			w := n.constant(make([]float32, 36), 6, 6)
			y := n.op("matmul", nil, x, w)
			n.output("y", n.op("relu", nil, n.op("add", nil, y, n.input("b", tensor.Float32, 1, 6))))
		}, "matmul1 add1 relu1"},
		{"a result that is read twice, and one that is returned", func(n net) {
			x := n.input("x", tensor.Float32, 8)
			a := n.op("exp", nil, x)
			b := n.op("neg", nil, a)
			n.output("y", n.op("add", nil, a, b))
			n.output("b", b)
		}, "exp1; neg1; add1"},
		{"twice by one node", func(n net) {
			a := n.op("exp", nil, n.input("x", tensor.Float32, 8))
			n.output("y", n.op("mul", nil, a, a))
		}, "exp1; mul1"},
		{"a result that broadcasts", func(n net) {
			a := n.op("exp", nil, n.input("x", tensor.Float32, 1, 8))
			n.output("y", n.op("mul", nil, a, n.input("z", tensor.Float32, 4, 8)))
		}, "exp1; mul1"},
		{"a result of another type", func(n net) {
			a := n.op("exp", nil, n.input("x", tensor.Float32, 8))
			n.output("y", n.op("neg", nil, n.op("cast", graph.Attrs{{Name: "dtype", Value: tensor.Int32}}, a)))
		}, "exp1; cast1 neg1"},
		{"sums and what requantises them", func(n net) {
			k := n.constant(make([]float32, 3*4*3), 3, 4, 3)
			w := n.op("cast", graph.Attrs{{Name: "dtype", Value: tensor.Int8}}, k)
			sums := n.op("conv", graph.Attrs{{Name: "padding", Value: []int{1, 1}}}, n.input("x", tensor.Uint8, 2, 4, 9), w, nil, n.input("zero", tensor.Uint8))
			y := n.op("requantize", nil, sums, n.input("multiplier", tensor.Float32, 1, 3, 1), n.input("z", tensor.Int8))
			n.output("y", n.op("neg", nil, y))
		}, "conv1 requantize1; neg1"},
		{"behind what does not go element by element", func(n net) {
			x := n.op("softmax", axis(0), n.input("x", tensor.Float32, 8, 2))
			n.output("y", n.op("neg", nil, n.op("exp", nil, x)))
		}, "softmax1; exp1 neg1"},
		{"behind what moves elements, row by row", func(n net) {
			x := n.input("x", tensor.Float32, 5, 4)
			from := func(begin int) graph.Attrs {
				return graph.AttrsOf("axes", []int{1}, "begin", []int{begin}, "end", []int{begin + 2})
			}
			a := n.op("exp", nil, n.op("slice", from(0), x))
			b := n.op("neg", nil, n.op("slice", from(2), x))
			n.output("y", n.op("relu", nil, n.op("concat", graph.AttrsOf("axis", 1), a, b)))
		}, "slice1 exp1; slice2 neg1; concat1 relu1"},
		{"an operand that is made behind the first node, and before the one that reads it", func(n net) {
			sum := n.op("matmul", graph.AttrsOf("dtype", tensor.Int32), n.input("x", tensor.Int8, 2, 3), n.input("w", tensor.Int8, 3, 2))
			n.output("y", n.op("add", nil, sum, n.op("cast", graph.AttrsOf("dtype", tensor.Int32), n.input("z", tensor.Int8, 2, 2))))
		}, "cast1; matmul1 add1"},
		{"something in between", func(n net) {
			x := n.input("x", tensor.Float32, 8)
			a := n.op("exp", nil, x)
			b := n.op("softmax", axis(0), x)
			n.output("y", n.op("sub", nil, a, b))
		}, "exp1; softmax1; sub1"},
		{"more than a unit takes", func(n net) {
			x := n.input("x", tensor.Float32, 8)
			for range unitNodes + 2 {
				x = n.op("neg", nil, x)
			}
			n.output("y", x)
		}, "neg1 neg2 neg3 neg4 neg5 neg6 neg7 neg8 neg9 neg10 neg11 neg12 neg13 neg14 neg15 neg16; neg17 neg18"},
	} {
		t.Run(c.name, func(t *testing.T) {
			n := newNet(t)
			c.build(n)
			g, err := n.Build()
			ok(t, g, err)
			p := sameAsReference(t, g, Options{Threads: 2})
			if got := unitsOf(p.Units()); got != c.want {
				t.Errorf("the units are %s; want %s", got, c.want)
			}
			if got := sameAsReference(t, g, Options{NoOptimize: true}).Units(); len(got) != len(g.Nodes) {
				t.Errorf("without optimisation there are %d units for %d nodes", len(got), len(g.Nodes))
			}
		})
	}
}

// TestPlaces checks which parts of concatenations are computed in their place, and which results are parts of operands.
func TestPlaces(t *testing.T) {
	t.Setenv(simd.Variable, "portable") // so that units are the same on every machine
	axis := func(a int) graph.Attrs { return graph.Attrs{{Name: "axis", Value: a}} }
	for _, c := range []struct {
		name  string
		build func(n net)
		want  string // the units
		in    string // what lies in the memory of another value
	}{
		{"a concatenation in place", func(n net) {
			x, y := n.input("x", tensor.Float32, 2, 8), n.input("y", tensor.Float32, 3, 8)
			n.output("z", n.op("concat", axis(0), n.op("exp", nil, x), n.op("neg", nil, y)))
		}, "exp1; neg1", "exp1 in concat1, neg1 in concat1"},
		{"along an inner dimension", func(n net) {
			x := n.input("x", tensor.Float32, 2, 8)
			n.output("z", n.op("concat", axis(1), n.op("exp", nil, x), n.op("neg", nil, x)))
		}, "exp1; neg1; concat1", ""},
		{"an input, and a part twice", func(n net) {
			x := n.input("x", tensor.Float32, 2, 8)
			a := n.op("exp", nil, x)
			n.output("z", n.op("concat", axis(0), a, x, a))
		}, "exp1; concat1", "exp1 in concat1"},
		{"a concatenation in another", func(n net) {
			x := n.input("x", tensor.Float32, 2, 8)
			a := n.op("concat", axis(0), n.op("exp", nil, x), n.op("neg", nil, x))
			n.output("z", n.op("concat", axis(0), n.op("sin", nil, x), a))
			n.output("a", a)
		}, "exp1; neg1; sin1", "concat1 in concat2, exp1 in concat2, neg1 in concat2, sin1 in concat2"},
		{"in two concatenations", func(n net) {
			x := n.input("x", tensor.Float32, 2, 8)
			a, b := n.op("exp", nil, x), n.op("neg", nil, x)
			n.output("y", n.op("concat", axis(0), a, b))
			n.output("z", n.op("concat", axis(0), b, a))
		}, "exp1; neg1; concat1", "exp1 in concat2, neg1 in concat2"},
		{"a view as a part", func(n net) {
			x := n.input("x", tensor.Float32, 2, 8)
			a := n.op("reshape", reshapeTo(4, 4), n.op("exp", nil, x))
			n.output("z", n.op("concat", axis(0), a, n.op("reshape", reshapeTo(4, 4), x)))
		}, "exp1; concat1", "exp1 in concat1, reshape1 in concat1, reshape2 in x"},
		{"of nothing", func(n net) {
			x := n.input("x", tensor.Float32, 0, 8)
			n.output("z", n.op("concat", axis(0), n.op("exp", nil, x), n.op("neg", nil, x)))
		}, "exp1; neg1; concat1", ""},
		{"halves of a result", func(n net) {
			x := n.op("exp", nil, n.input("x", tensor.Float32, 4, 6))
			parts := n.ops("split", graph.Attrs{{Name: "axis", Value: 0}, {Name: "ratios", Value: []int{1, 3}}}, x)
			n.output("y", n.op("softmax", graph.Attrs{{Name: "axes", Value: []int{1}}}, parts[1]))
			n.output("z", parts[0])
		}, "exp1; softmax1", "split1 in exp1, split2 in exp1"},
		{"halves of an input that is returned", func(n net) {
			parts := n.ops("split", graph.Attrs{{Name: "axis", Value: 0}, {Name: "ratios", Value: []int{1, 1}}}, n.input("x", tensor.Float32, 4, 6))
			n.output("z", parts[0])
			n.output("y", n.op("exp", nil, parts[1]))
		}, "split1; exp1", "exp1 in split2"},
		{"a part that another part overwrites not", func(n net) {
			x := n.op("exp", nil, n.input("x", tensor.Float32, 2, 6))
			parts := n.ops("split", graph.Attrs{{Name: "axis", Value: 0}, {Name: "ratios", Value: []int{1, 1}}}, x)
			n.output("y", n.op("add", nil, parts[0], n.op("neg", nil, parts[1])))
		}, "exp1; neg1 add1", "add1 in neg1, split1 in exp1, split2 in exp1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			n := newNet(t)
			c.build(n)
			g, err := n.Build()
			ok(t, g, err)
			p := sameAsReference(t, g, Options{Threads: 2})
			if got := unitsOf(p.Units()); got != c.want {
				t.Errorf("the units are %s; want %s", got, c.want)
			}
			var inside []string
			for _, b := range p.Plan().Buffers {
				if b.In != nil {
					inside = append(inside, b.Value.Name+" in "+b.In.Name)
				}
			}
			sort.Strings(inside)
			if got := strings.Join(inside, ", "); got != c.in {
				t.Errorf("there lie %s; want %s", got, c.in)
			}
		})
	}
}

// trial puts a tier of kernels in front of the others for the time of a test.
func trial(t *testing.T, rows ...kernel.Kernel) {
	old := kernel.Tiers
	kernel.Tiers = []kernel.Tier{{Name: "trial", Kernels: rows}, old[len(old)-1]} // whatever the processor has
	t.Cleanup(func() { kernel.Tiers = old })
}

// blockedNeg negates in blocks of channels.
var blockedNeg = kernel.Kernel{Name: "blocks", Op: "neg", Prepare: func(r kernel.Region) *kernel.Plan {
	blocked := []kernel.Layout{kernel.Blocked16}
	if len(r.Nodes) > 1 || r.Root().Out[0].Type.Shape.Rank() < 3 {
		return nil
	}
	return &kernel.Plan{In: blocked, Out: blocked, Pieces: 1, Run: func(c *op.Call, _, _ int) {
		y := tensor.Data[float32](c.Out[0])
		for i, x := range tensor.Data[float32](c.In[0]) {
			y[i] = -x
		}
	}}
}}

// TestLayouts lets kernels work on blocks of channels, and checks that conversions stand where they must.
func TestLayouts(t *testing.T) {
	t.Setenv(simd.Variable, "portable") // so that units are the same on every machine
	trial(t, blockedNeg)
	n := newNet(t)
	x := n.input("x", tensor.Float32, 2, 19, 5)
	a := n.op("neg", nil, x)
	b := n.op("neg", nil, a) // in the same layout as a
	n.output("y", n.op("softmax", graph.Attrs{{Name: "axes", Value: []int{1}}}, b))
	n.output("b", b)
	n.output("flat", n.op("reshape", reshapeTo(2, 95), n.op("neg", nil, n.op("exp", nil, a))))
	g, err := n.Build()
	ok(t, g, err)
	var e *LimitError // a value in blocks takes more memory than in rows
	if _, err := Compile(g, Options{Threads: 1, Limits: Limits{Memory: 1024}}); !errors.As(err, &e) || e.Node != "node neg neg1" {
		t.Errorf("a value that does not fit: %v", err)
	}
	huge := newNet(t)
	huge.output("y", huge.op("neg", nil, huge.input("x", tensor.Float32, 1, 1, min(tensor.MaxElements>>2+1, limits.KernelElements))))
	h, err := huge.Build()
	if _, err := Compile(ok(t, h, err), Options{Limits: Limits{Memory: 1 << 36, Operations: -1}}); !errors.As(err, &e) || e.Need <= 1<<30 {
		t.Errorf("a value whose bytes in blocks exceed the memory: %v", err)
	}
	p := sameAsReference(t, g, Options{Threads: 2})
	var kernels []string
	for _, u := range p.Units() {
		kernels = append(kernels, kernelOf(u))
	}
	to, from := "plain to blocked16", "blocked16 to plain"
	want := []string{to, "trial blocks", "trial blocks", from, "reference", from, "reference", to, "trial blocks", from}
	if !slices.Equal(kernels, want) {
		t.Errorf("the kernels are\n%q\nwant\n%q", kernels, want)
	}
}

// kernelOf returns the name of a unit's kernel, of a conversion without the tier.
func kernelOf(u *Unit) string {
	if tier, name, _ := strings.Cut(u.Kernel, " "); tier != "trial" && strings.Contains(name, " to ") {
		return name
	}
	return u.Kernel
}

// TestPlacesInBlocks lets concatenations and splits of blocks of channels cost nothing, where these are whole, and no other ones.
func TestPlacesInBlocks(t *testing.T) {
	t.Setenv(simd.Variable, "portable") // so that units are the same on every machine
	trial(t, blockedNeg)
	concat, split := graph.Attrs{{Name: "axis", Value: 1}}, graph.Attrs{{Name: "axis", Value: 1}, {Name: "ratios", Value: []int{1, 2}}}
	to, from := "plain to blocked16", "blocked16 to plain"
	for _, c := range []struct {
		name  string
		build func(n net)
		want  []string
	}{
		{"whole blocks", func(n net) {
			x, y := n.input("x", tensor.Float32, 1, 16, 5), n.input("y", tensor.Float32, 1, 32, 5)
			z := n.op("concat", concat, n.op("neg", nil, x), n.op("neg", nil, y))
			n.output("z", n.op("neg", nil, z))
		}, []string{to, "trial blocks", to, "trial blocks", "trial blocks", from}},
		{"a block that is not full", func(n net) {
			x, y := n.input("x", tensor.Float32, 1, 8, 5), n.input("y", tensor.Float32, 1, 32, 5)
			z := n.op("concat", concat, n.op("neg", nil, x), n.op("neg", nil, y))
			n.output("z", n.op("neg", nil, z))
		}, []string{to, "trial blocks", from, to, "trial blocks", from, to, "trial blocks", from}},
		{"a part in row-major order", func(n net) {
			x, y := n.input("x", tensor.Float32, 1, 16, 5), n.input("y", tensor.Float32, 1, 32, 5)
			z := n.op("concat", concat, n.op("neg", nil, x), n.op("exp", nil, y))
			n.output("z", n.op("neg", nil, z))
		}, []string{to, "trial blocks", from, "reference", to, "trial blocks", from}},
		{"parts of blocks", func(n net) {
			x := n.op("neg", nil, n.input("x", tensor.Float32, 1, 48, 5))
			parts := n.ops("split", split, x)
			n.output("a", n.op("neg", nil, parts[0]))
			n.output("b", n.op("neg", nil, parts[1]))
		}, []string{to, "trial blocks", "trial blocks", from, "trial blocks", from}},
		{"read in another shape", func(n net) {
			x, y := n.input("x", tensor.Float32, 1, 16, 5), n.input("y", tensor.Float32, 1, 32, 5)
			z := n.op("concat", concat, n.op("neg", nil, x), n.op("neg", nil, y))
			n.output("z", n.op("exp", nil, n.op("reshape", reshapeTo(240), z)))
		}, []string{to, "trial blocks", to, "trial blocks", from, "reference"}},
		{"also read in row-major order", func(n net) {
			x, y := n.input("x", tensor.Float32, 1, 16, 5), n.input("y", tensor.Float32, 1, 32, 5)
			a := n.op("neg", nil, x)
			z := n.op("concat", concat, a, n.op("neg", nil, y))
			n.output("e", n.op("exp", nil, a))
			n.output("z", n.op("neg", nil, z))
			n.output("w", n.op("exp", nil, z))
		}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			n := newNet(t)
			c.build(n)
			g, err := n.Build()
			ok(t, g, err)
			var kernels []string
			for _, u := range sameAsReference(t, g, Options{Threads: 2}).Units() {
				kernels = append(kernels, kernelOf(u))
			}
			if c.want != nil && !slices.Equal(kernels, c.want) {
				t.Errorf("the kernels are\n%q\nwant\n%q", kernels, c.want)
			}
		})
	}
}

// TestStrips compares large values that pass from unit to unit by rows with the references, and leaves alone what strips do not suit.
func TestStrips(t *testing.T) {
	if !simd.AVX2.Has() {
		t.Skip("without vectors nothing computes rows alone")
	}
	setStripValue(t, 1)
	r := op.NewRand(1, 4)
	conv := func(n net, x *graph.Value, channels, size int) *graph.Value {
		w, err := n.Constant("", "", r.Tensor(tensor.Float32, tensor.Shape{channels, x.Type.Shape[1], size, size}))
		ok(t, w, err)
		return n.op("conv", graph.AttrsOf("padding", slices.Repeat([]int{size / 2}, 4)), x, w)
	}
	chain := func(n net) {
		n.output("y", conv(n, conv(n, conv(n, n.input("x", tensor.Float32, 1, 3, 12, 10), 16, 3), 32, 1), 16, 3))
	}
	for name, c := range map[string]struct {
		build func(n net)
		opts  Options
		want  bool
	}{
		"a chain":                  {chain, Options{Threads: 1}, true},
		"a chain in several bands": {chain, Options{Threads: 3}, true},
		"unit by unit":             {chain, Options{Threads: 1, NoOptimize: true}, false},
		"too many weights": {func(n net) {
			n.output("y", conv(n, conv(n, n.input("x", tensor.Float32, 1, 16, 5, 6), 64, 1), 64, 3))
		}, Options{Threads: 1}, false},
		"rows too large for windows": {func(n net) {
			n.output("y", conv(n, conv(n, n.input("x", tensor.Float32, 1, 3, 1, 1100), 128, 1), 16, 1))
		}, Options{Threads: 1}, false},
		"another value is added": {func(n net) {
			x := n.input("x", tensor.Float32, 1, 16, 12, 10)
			n.output("y", conv(n, n.op("add", nil, conv(n, x, 16, 3), n.op("relu", nil, x)), 16, 3))
		}, Options{Threads: 1}, false},
		"means of all rows": {func(n net) {
			x := conv(n, n.input("x", tensor.Float32, 1, 3, 12, 10), 16, 3)
			n.output("y", n.op("mean_reduce", graph.AttrsOf("axes", []int{2, 3}), x))
		}, Options{Threads: 1}, false},
	} {
		t.Run(name, func(t *testing.T) {
			n := newNet(t)
			c.build(n)
			g, err := n.Build()
			p := sameAsReference(t, ok(t, g, err), c.opts)
			i := slices.IndexFunc(p.Units(), func(u *Unit) bool { return u.strips != nil })
			for k := 0; i >= 0 && k < len(p.Units()[i].strips.windows); k++ {
				if _, there := p.layout.at[p.Units()[i].strips.windows[k].slot]; there {
					t.Error("what has a window also has a place in the arena")
				}
			}
			if i >= 0 != c.want || i >= 0 && (p.Units()[i].Pieces > 1) != (c.opts.Threads > 1) {
				t.Errorf("the units are %s", unitsOf(p.Units()))
			}
		})
	}
}

// TestObserveInBlocks sees values that only lie in blocks of channels as they are.
func TestObserveInBlocks(t *testing.T) {
	t.Setenv(simd.Variable, "portable")
	trial(t, blockedNeg)
	n := newNet(t)
	n.output("y", n.op("neg", nil, n.op("neg", nil, n.input("x", tensor.Float32, 2, 19, 5))))
	s := session(t, n.compile(Options{}))
	s.Observe(&Observer{Values: true, Node: func(o *Observation) {
		if got, want := o.Results[0], o.Node.Out[0].Type; !got.Shape().Equal(want.Shape) {
			t.Errorf("%s is %v; want %v", nameOf(o.Node), got.Describe(), want)
		}
	}})
	run(t, s)
}

// TestRounds lets a kernel compute some pieces after others, and hand on what it finds in memory that all workers share.
func TestRounds(t *testing.T) {
	trial(t, kernel.Kernel{Name: "rounds", Op: "cumulative_sum", Prepare: func(r kernel.Region) *kernel.Plan {
		const columns = 64
		if len(r.Nodes) > 1 {
			return nil
		}
		rows := r.Root().Out[0].Type.Shape[0]
		return &kernel.Plan{Pieces: rows * columns, Rounds: slices.Repeat([]int{columns}, rows), Shared: 4 * columns, Nanos: 1 << 30,
			Run: func(c *op.Call, lo, hi int) {
				x, y := tensor.Data[float32](c.In[0]), tensor.Data[float32](c.Out[0])
				shared, err := tensor.FromBytes(tensor.Float32, tensor.Shape{columns}, c.Shared)
				if err != nil {
					panic(err)
				}
				sums := tensor.Data[float32](shared)
				for i := lo; i < hi; i++ {
					column := i % columns
					if i < columns {
						sums[column] = 0
					}
					sums[column] += x[i]
					y[i] = sums[column]
				}
			}}
	}})
	n := newNet(t)
	x := n.input("x", tensor.Float32, 20, 64)
	n.output("y", n.op("cumulative_sum", graph.Attrs{{Name: "axis", Value: 0}}, n.op("exp", nil, x)))
	g, err := n.Build()
	ok(t, g, err)
	for threads := 1; threads <= 4; threads++ {
		p := sameAsReference(t, g, Options{Threads: threads})
		if u := p.Units()[1]; u.Kernel != "trial rounds" {
			t.Errorf("the sums are computed by %s", u.Kernel)
		}
	}
}

// packedAdd adds a constant that it reads in a form of its own, and counts how often that is filled.
func packedAdd(t *testing.T, fills *atomic.Int32) kernel.Kernel {
	return kernel.Kernel{Name: "packed", Op: "add", Prepare: func(r kernel.Region) *kernel.Plan {
		c := r.Root().In[1].Const
		if len(r.Nodes) > 1 || c == nil {
			return nil
		}
		pack := kernel.Pack{From: c, Form: "as it is", Size: len(c.Bytes()), Fill: func(dst []byte, _, n int) {
			fills.Add(1)
			if n != 1 {
				t.Errorf("a small constant is filled in %d parts", n)
			}
			copy(dst, c.Bytes())
		}}
		return &kernel.Plan{Pack: []kernel.Pack{pack}, Pieces: r.Root().Out[0].Type.Shape.Len(), Even: true, Run: func(c *op.Call, lo, hi int) {
			x, y := tensor.Data[float32](c.In[0]), tensor.Data[float32](c.Out[0])
			w, _ := tensor.FromBytes(tensor.Float32, c.In[1].Shape(), c.Packed[0])
			for i := lo; i < hi; i++ {
				y[i] = x[i] + tensor.Data[float32](w)[i]
			}
		}}
	}}
}

// TestPacks lets a kernel read its constant in a form of its own: filled once for all sessions, and counted against the limit.
func TestPacks(t *testing.T) {
	var fills atomic.Int32 // workers fill at the same time
	trial(t, packedAdd(t, &fills))
	n := newNet(t)
	w := n.constant([]float32{1, 2, 3, 4}, 4)
	other := n.constant([]float32{1, 1, 1, 1}, 4)
	a := n.op("add", nil, n.op("max", nil, n.input("x", tensor.Float32, 4), other), w)
	n.output("y", n.op("add", nil, n.op("softmax", graph.Attrs{{Name: "axes", Value: []int{0}}}, a), w))
	g, err := n.Build()
	ok(t, g, err)
	p := sameAsReference(t, g, Options{})
	session(t, p)
	if p.packs.plain[start(w.Const)] || !p.packs.plain[start(other.Const)] {
		t.Error("a constant is kept in memory that only its packed form is read of, or the other is not")
	}
	if fills.Load() != 1 || p.Plan().Packed != 64 || p.Units()[0].Packed != 16 {
		t.Errorf("the constant is packed %d times into %d bytes", fills.Load(), p.Plan().Packed)
	}
	need := p.Plan().Arena + p.Plan().Packed
	var e *LimitError
	if _, err := Compile(g, Options{Limits: Limits{Memory: need}}); err != nil {
		t.Error(err)
	}
	if _, err := Compile(g, Options{Limits: Limits{Memory: need - 1}}); !errors.As(err, &e) || e.What != "memory" || e.Need != need {
		t.Errorf("one byte less than %d: got %v", need, err)
	}
}

// TestPackingFails lets the packing of a constant panic: every session is told.
func TestPackingFails(t *testing.T) {
	var fills atomic.Int32
	k := packedAdd(t, &fills)
	prepare := k.Prepare
	k.Prepare = func(r kernel.Region) *kernel.Plan {
		p := prepare(r)
		p.Pack[0].Fill = func([]byte, int, int) { panic("a mistake") }
		return p
	}
	trial(t, k)
	n := newNet(t)
	n.output("y", n.op("add", nil, n.input("x", tensor.Float32, 4), n.constant([]float32{1, 2, 3, 4}, 4)))
	p := n.compile(Options{})
	for range 2 {
		var e *InternalError
		if _, err := p.NewSession(); !errors.As(err, &e) || e.Cause != "a mistake" {
			t.Errorf("%v", err)
		}
	}
	trial(t, packedAdd(t, &fills))
	session(t, n.compile(Options{})) // another program tries again
}

// TestSharedPacks compiles graphs that have a constant in common: it is packed once, by whoever comes first, counts once, and is there as long as one of the
// programs is.
func TestSharedPacks(t *testing.T) {
	var fills atomic.Int32
	trial(t, packedAdd(t, &fills))
	w := floats(t, []float32{1, 2, 3, 4}, 4)
	compile := func(computed bool) *Program {
		n := newNet(t)
		c, err := n.Constant("", "", w)
		ok(t, c, err)
		if computed {
			c = n.op("neg", nil, c)
		}
		n.output("y", n.op("add", nil, n.input("x", tensor.Float32, 4), c))
		g, err := n.Build()
		ok(t, g, err)
		p, err := Compile(g, Options{}) // which is not closed, and so not kept, at the end
		return ok(t, p, err)
	}
	programs := make([]*Program, 8)
	var all sync.WaitGroup
	for i := range programs {
		all.Go(func() {
			programs[i] = compile(false)
			y, err := programs[i].Run(context.Background(), map[string]*tensor.Tensor{"x": w})
			if err != nil || tensor.Data[float32](y["y"])[3] != 8 {
				t.Error(y, err)
			}
		})
	}
	all.Wait()
	own := compile(true)
	if _, err := own.NewSession(); err != nil || fills.Load() != 2 {
		t.Errorf("the constant is packed %d times; want once, and once what one program has computed of it; %v", fills.Load(), err)
	}
	if one, both := Shared(programs[0]), Shared(slices.Concat(programs, []*Program{nil, {}, own})...); one != 64 || both != 64+Shared(own) {
		t.Errorf("one program takes %d bytes and all of them %d, of which %d are those that one has computed", one, both, Shared(own))
	}
	key := programs[0].packs.list[0].key
	entry := func() bool {
		runtime.GC()
		registry.Lock()
		defer registry.Unlock()
		_, there := registry.of[key]
		return there
	}
	last := programs[3]
	programs, own = nil, nil
	if !entry() {
		t.Error("the constant is gone while a program has it")
	}
	runtime.KeepAlive(last) // from here on nobody has it
	for range 1000 {
		if !entry() {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Error("the constant is kept, which no program has any more")
}

// TestLetGo lets go of constants that Compile has computed, once they are packed; not of those that are read as they are, nor of the caller's.
func TestLetGo(t *testing.T) {
	var fills atomic.Int32 // workers fill at the same time
	trial(t, packedAdd(t, &fills))
	n := newNet(t)
	computed := func(op string) *graph.Value { return n.op(op, nil, n.constant([]float32{1, 2, 3, 4}, 4)) }
	x, given, only, kept, read := n.input("x", tensor.Float32, 4), n.constant([]float32{5, 6, 7, 8}, 4), computed("neg"), computed("exp"), computed("sin")
	y := x
	for _, w := range []*graph.Value{given, only, kept, read} {
		y = n.op("softmax", graph.Attrs{{Name: "axes", Value: []int{0}}}, n.op("add", nil, y, w))
	}
	n.output("y", n.op("max", nil, y, read))
	n.output("kept", kept)
	g, err := n.Build()
	ok(t, g, err)
	p := sameAsReference(t, g, Options{})
	if fills.Load() != 4 {
		t.Errorf("%d constants are packed", fills.Load())
	}
	for v := range p.Graph().Constants() {
		if gone := v.Const.Bytes() == nil; gone != (v.Name == only.Name) {
			t.Errorf("%s is let go of: %v", v.Name, gone)
		}
	}
	sameAsReference(t, g, Options{}) // the graph is as it was
}

// TestObserve looks at every node of the given graph, whatever the passes and units have made of it.
func TestObserve(t *testing.T) {
	n := newNet(t)
	x := n.input("x", tensor.Float32, 4, 4)
	half := n.op("cast", graph.Attrs{{Name: "dtype", Value: tensor.Float16}}, x)
	two := n.op("add", nil, n.constant([]float32{1}, 1, 1), n.constant([]float32{1}, 1, 1)) // folded
	a := n.op("relu", nil, n.op("mul", nil, n.op("matmul", nil, x, x), two))                // one unit
	same := n.op("relu", nil, n.op("mul", nil, n.op("matmul", nil, x, x), two))             // shared
	n.op("exp", nil, x)                                                                     // dead
	wide := n.op("exp", nil, half)                                                          // widened
	view := n.op("reshape", reshapeTo(2, 8), n.op("copy", nil, a))
	join := n.op("concat", graph.Attrs{{Name: "axis", Value: 0}}, n.op("neg", nil, view), n.op("abs", nil, view))
	n.output("join", join)
	n.output("same", same)
	n.output("wide", wide)
	g, err := n.Build()
	ok(t, g, err)
	in := op.NewRand(3, 4).Tensor(tensor.Float32, tensor.Shape{4, 4})
	for _, opts := range []Options{{Threads: 1}, {Threads: 3}, {NoOptimize: true}} {
		p, err := Compile(g, opts)
		ok(t, p, err)
		defer p.Close()
		s := session(t, p)
		ok(t, s, s.SetInput(0, in))
		i := op.NewInterpreter(g)
		at := 0
		s.Observe(&Observer{Values: true, Node: func(o *Observation) {
			if at == 0 {
				ok(t, i, i.Begin([]*tensor.Tensor{in}))
			}
			if o.Node != g.Nodes[at] || o.Took < 0 || o.Turn != 0 {
				t.Fatalf("observation %d is of %s, %v, turn %d", at, nameOf(o.Node), o.Took, o.Turn)
			}
			for k, v := range o.Node.In {
				want := i.Value(v)
				if o.Operands[k].Describe() != want.Describe() || string(o.Operands[k].Bytes()) != string(want.Bytes()) {
					t.Errorf("%s: operand %d differs", nameOf(o.Node), k)
				}
			}
			want, err := i.Step(context.Background(), o.Node)
			ok(t, want, err)
			for k := range want {
				if string(o.Results[k].Bytes()) != string(want[k].Bytes()) {
					t.Errorf("%s: result %d differs", nameOf(o.Node), k)
				}
			}
			if idle := !opts.NoOptimize && slices.Contains([]*graph.Node{two.Producer, g.Nodes[8], view.Producer, join.Producer},
				o.Node); (o.Unit == nil) != idle {
				t.Errorf("%s: the unit is %v", nameOf(o.Node), o.Unit)
			}
			at++
		}})
		run(t, s)
		if at != len(g.Nodes) {
			t.Errorf("%d of %d nodes are observed", at, len(g.Nodes))
		}
		s.Observe(nil)
		run(t, s)
		if at != len(g.Nodes) {
			t.Error("somebody observes after the end")
		}
	}
}

// TestObserveTimes checks that times belong to the first nodes of units, and that nothing is copied unless values are asked for.
func TestObserveTimes(t *testing.T) {
	n := newNet(t)
	x := n.input("x", tensor.Float32, 64, 64)
	n.output("y", n.op("relu", nil, n.op("matmul", nil, x, x)))
	s := session(t, n.compile(Options{}))
	var seen []string
	s.Observe(&Observer{Node: func(o *Observation) {
		if o.Operands != nil || o.Results != nil || o.Unit != s.frame.steps[0].Unit {
			t.Errorf("%s: %+v", nameOf(o.Node), o)
		}
		seen = append(seen, fmt.Sprint(o.Node.Op, " ", o.Took > 0))
	}})
	run(t, s)
	if want := []string{"matmul true", "relu false"}; !slices.Equal(seen, want) {
		t.Errorf("observed %q; want %q", seen, want)
	}
}

// TestScratch lets several workers compute units with working memory, of which a session has one for each worker, for all units.
func TestScratch(t *testing.T) {
	n := newNet(t)
	boxes := n.input("boxes", tensor.Float32, 8, 30, 4)
	for i := range 2 {
		scores := n.input(fmt.Sprint("scores", i), tensor.Float32, 8, 30)
		n.output(fmt.Sprint("kept", i), n.op("box_suppression", graph.Attrs{{Name: "iou_threshold", Value: 0.5}}, boxes, scores))
	}
	g, err := n.Build()
	ok(t, g, err)
	var first int64
	for _, threads := range []int{1, 3} {
		p := sameAsReference(t, g, Options{Threads: threads})
		plan := p.Plan()
		if plan.Scratch == 0 || plan.Workers > threads || plan.Session() != plan.Arena+plan.Scratch*int64(plan.Workers) {
			t.Errorf("%d threads: %d bytes for each of %d workers", threads, plan.Scratch, plan.Workers)
		}
		if first == 0 {
			first = plan.Scratch
		}
		if plan.Scratch != first {
			t.Errorf("%d threads: %d bytes for each; one thread takes %d", threads, plan.Scratch, first)
		}
		s := session(t, p)
		r := op.NewRand(1, 4)
		in := make(map[string]*tensor.Tensor)
		for _, v := range g.Inputs {
			in[v.Name] = r.Tensor(v.Type.DType, v.Type.Shape)
		}
		ok(t, s, s.setAll(in))
		split(s)
		want, err := op.NewInterpreter(g).RunNamed(context.Background(), in)
		ok(t, want, err)
		run(t, s)
		for i, o := range g.Outputs {
			if string(s.Output(i).Bytes()) != string(want[o.Name].Bytes()) {
				t.Errorf("%d threads: %s differs", threads, o.Name)
			}
		}
	}
}
