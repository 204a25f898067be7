package engine

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/simd"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// net builds graphs in tests; every mistake ends the test.
type net struct {
	tb testing.TB
	*graph.Builder
}

func newNet(tb testing.TB) net { return net{tb, graph.NewBuilder(op.Rules, "net")} }

func ok[T any](tb testing.TB, v T, err error) T {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
	return v
}

func (n net) input(name string, d tensor.DType, shape ...int) *graph.Value {
	n.tb.Helper()
	v, err := n.Input(name, graph.Type{DType: d, Shape: shape})
	return ok(n.tb, v, err)
}

func (n net) constant(values []float32, shape ...int) *graph.Value {
	n.tb.Helper()
	v, err := n.Constant("", "", floats(n.tb, values, shape...))
	return ok(n.tb, v, err)
}

func (n net) state(values []float32, shape ...int) *graph.Value {
	n.tb.Helper()
	v, err := n.State("", "", floats(n.tb, values, shape...))
	return ok(n.tb, v, err)
}

func (n net) op(name string, attrs graph.Attrs, in ...*graph.Value) *graph.Value {
	n.tb.Helper()
	v, err := n.One(name, in, attrs, "")
	return ok(n.tb, v, err)
}

func (n net) ops(name string, attrs graph.Attrs, in ...*graph.Value) []*graph.Value {
	n.tb.Helper()
	v, err := n.Node(name, in, attrs, "")
	return ok(n.tb, v, err)
}

func (n net) output(name string, v *graph.Value) {
	n.tb.Helper()
	if err := n.Output(name, v); err != nil {
		n.tb.Fatal(err)
	}
}

func (n net) update(state, next *graph.Value) {
	n.tb.Helper()
	if err := n.Update(state, next); err != nil {
		n.tb.Fatal(err)
	}
}

func (n net) compile(opts Options) *Program {
	n.tb.Helper()
	g, err := n.Build()
	if err != nil {
		n.tb.Fatal(err)
	}
	p, err := Compile(g, opts)
	if err != nil {
		n.tb.Fatal(err)
	}
	n.tb.Cleanup(p.Close)
	return p
}

func floats(tb testing.TB, values []float32, shape ...int) *tensor.Tensor {
	tb.Helper()
	t, err := tensor.FromSlice(values, shape...)
	return ok(tb, t, err)
}

func reshapeTo(shape ...int) graph.Attrs { return graph.Attrs{{Name: "shape", Value: shape}} }

// want fails unless t has the given elements.
func want(tb testing.TB, t *tensor.Tensor, values ...float32) {
	tb.Helper()
	if got := tensor.Data[float32](t); !slices.Equal(got, values) {
		tb.Errorf("got %v; want %v", got, values)
	}
}

// session returns a session of p.
func session(tb testing.TB, p *Program) *Session {
	tb.Helper()
	s, err := p.NewSession()
	return ok(tb, s, err)
}

// run runs s and fails on an error.
func run(tb testing.TB, s *Session) {
	tb.Helper()
	if err := s.Run(context.Background()); err != nil {
		tb.Fatal(err)
	}
}

// each calls f with the optimiser on and off.
func each(t *testing.T, f func(t *testing.T, opts Options)) {
	t.Run("optimised", func(t *testing.T) { f(t, Options{Threads: 2}) })
	t.Run("plain", func(t *testing.T) { f(t, Options{Threads: 2, NoOptimize: true}) })
}

func TestRun(t *testing.T) {
	each(t, func(t *testing.T, opts Options) {
		n := newNet(t)
		x, y := n.input("x", tensor.Float32, 2, 2), n.input("y", tensor.Float32, 2, 2)
		n.output("sum", n.op("add", nil, x, y))
		n.output("scaled", n.op("mul", nil, x, n.constant([]float32{10}, 1, 1)))
		p := n.compile(opts)
		view, err := floats(t, []float32{1, 3, 2, 4}, 2, 2).Transpose()
		in := map[string]*tensor.Tensor{"x": ok(t, view, err), "y": floats(t, []float32{5, 6, 7, 8}, 2, 2)}
		out, err := p.Run(context.Background(), in)
		ok(t, out, err)
		again, err := p.Run(context.Background(), map[string]*tensor.Tensor{"x": in["y"], "y": in["y"]})
		ok(t, again, err)
		want(t, out["sum"], 6, 8, 10, 12)
		want(t, out["scaled"], 10, 20, 30, 40)
		want(t, again["sum"], 10, 12, 14, 16)
		if got := p.Inputs()[1].String(); got != "y: float32[2,2]" {
			t.Errorf("input 1 is %q", got)
		}
		if got := p.Outputs()[1].String(); got != "scaled: float32[2,2]" {
			t.Errorf("output 1 is %q", got)
		}
	})
}

// TestOutputsAlias covers outputs that are no results of their own: inputs, constants, states, views of these, and
// values that are returned twice.
func TestOutputsAlias(t *testing.T) {
	each(t, func(t *testing.T, opts Options) {
		n := newNet(t)
		x := n.input("x", tensor.Float32, 2)
		c := n.constant([]float32{7, 8}, 2)
		s := n.state([]float32{1, 2}, 2)
		sum := n.op("add", nil, x, c)
		n.output("input", x)
		n.output("input_copy", n.op("copy", nil, x))
		n.output("input_view", n.op("reshape", reshapeTo(2, 1), x))
		n.output("constant", c)
		n.output("constant_view", n.op("reshape", reshapeTo(1, 2), c))
		n.output("state", s)
		n.output("state_view", n.op("reshape", reshapeTo(1, 2), s))
		n.output("sum", sum)
		n.output("sum_again", sum)
		n.output("sum_view", n.op("reshape", reshapeTo(1, 2), sum))
		n.update(s, sum)
		p := n.compile(opts)
		sess := session(t, p)
		copy(tensor.Data[float32](sess.Input(0)), []float32{100, 200})
		run(t, sess)
		// What the caller does to an input now must not reach an output.
		clear(tensor.Data[float32](sess.Input(0)))
		results := [][]float32{{100, 200}, {100, 200}, {100, 200}, {7, 8}, {7, 8}, {1, 2}, {1, 2}, {107, 208}, {107, 208}, {107, 208}}
		for i, values := range results {
			t.Run(p.Outputs()[i].Name, func(t *testing.T) { want(t, sess.Output(i), values...) })
		}
		for i := range results {
			clear(sess.Output(i).Bytes())
		}
		run(t, sess)
		want(t, sess.Output(0), 0, 0)
		want(t, sess.Output(3), 7, 8)
		want(t, sess.Output(6), 107, 208)
		want(t, sess.Output(9), 7, 8)
	})
}

// TestStates counts, delays and swaps.
func TestStates(t *testing.T) {
	each(t, func(t *testing.T, opts Options) {
		n := newNet(t)
		x := n.input("x", tensor.Float32, 1)
		count, last, a, b := n.state([]float32{0}, 1), n.state([]float32{-1}, 1), n.state([]float32{10}, 1), n.state([]float32{20}, 1)
		fixed := n.state([]float32{5}, 1)
		next := n.op("add", nil, count, n.constant([]float32{1}, 1))
		n.update(count, next)
		n.update(last, x)
		n.update(a, n.op("copy", nil, b))
		n.update(b, a)
		n.output("count", next)
		n.output("last", last)
		n.output("a", n.op("add", nil, a, fixed))
		p := n.compile(opts)
		s := session(t, p)
		step := func(in, count, last, a float32) {
			t.Helper()
			tensor.Data[float32](s.Input(0))[0] = in
			run(t, s)
			want(t, s.Output(0), count)
			want(t, s.Output(1), last)
			want(t, s.Output(2), a)
		}
		step(3, 1, -1, 15)
		step(4, 2, 3, 25)
		step(5, 3, 4, 15)
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		if err := s.Run(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v; want %v", err, context.Canceled)
		}
		step(6, 4, 5, 25)
		s.Reset()
		step(7, 1, -1, 15)
		for range 2 { // a run of the program always starts afresh
			out, err := p.Run(context.Background(), map[string]*tensor.Tensor{"x": floats(t, []float32{1}, 1)})
			ok(t, out, err)
			want(t, out["count"], 1)
		}
	})
}

func TestInputErrors(t *testing.T) {
	n := newNet(t)
	n.output("z", n.op("add", nil, n.input("image", tensor.Float32, 1, 3, 240, 320), n.input("bias", tensor.Float32, 1, 3, 1, 1)))
	p := n.compile(Options{})
	zeros := func(d tensor.DType, shape ...int) *tensor.Tensor {
		x, err := tensor.New(d, shape)
		return ok(t, x, err)
	}
	for _, c := range []struct {
		name string
		in   map[string]*tensor.Tensor
		want string
	}{
		{"shape", map[string]*tensor.Tensor{"image": zeros(tensor.Float32, 1, 3, 10, 10), "bias": zeros(tensor.Float32, 1, 3, 1, 1)},
			"input image: got float32[1,3,10,10]; want float32[1,3,240,320]"},
		{"dtype", map[string]*tensor.Tensor{"image": zeros(tensor.Float32, 1, 3, 240, 320), "bias": zeros(tensor.Int8, 1, 3, 1, 1)},
			"input bias: got int8[1,3,1,1]; want float32[1,3,1,1]"},
		{"names", map[string]*tensor.Tensor{"picture": zeros(tensor.Float32, 1), "bias": zeros(tensor.Float32, 1, 3, 1, 1), "a": nil},
			"input image: it is missing; want float32[1,3,240,320]\n" +
				"input a: the program has no input of this name\ninput picture: the program has no input of this name"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := p.Run(context.Background(), c.in)
			var e *InputError
			if !errors.As(err, &e) || err.Error() != c.want {
				t.Errorf("got  %v\nwant %s", err, c.want)
			}
		})
	}
	s := session(t, p)
	if err := s.SetInput(2, zeros(tensor.Float32)); err == nil {
		t.Error("input 2 of 2 is accepted")
	}
	if s.Input(-1) != nil || s.Output(1) != nil {
		t.Error("tensors of ports that do not exist")
	}
}

func TestCompileErrors(t *testing.T) {
	if _, err := Compile(nil, Options{}); err == nil {
		t.Error("no graph is accepted")
	}
	n := newNet(t)
	n.output("z", n.input("x", tensor.Float32, 1))
	g, err := n.Build()
	ok(t, g, err)
	for _, threads := range []int{-1, maxThreads + 1} {
		if _, err := Compile(g, Options{Threads: threads}); err == nil {
			t.Errorf("%d threads are accepted", threads)
		}
	}
	t.Setenv(simd.Variable, "abacus")
	if _, err := Compile(g, Options{}); err == nil || !strings.Contains(err.Error(), "CONCORD_TIER=abacus: this processor has no such tier; it has ") {
		t.Errorf("an unknown tier: %v", err)
	}
	t.Setenv(simd.Variable, "")
	// Graphs made by hand: every violation is reported.
	bad := &graph.Graph{Name: "bad", Inputs: g.Inputs, Nodes: []*graph.Node{
		{Op: "no_such_operator", In: g.Inputs},
		{Op: "add", In: g.Inputs},
	}}
	_, err = Compile(bad, Options{})
	if err == nil || !strings.Contains(err.Error(), "no_such_operator") || !strings.Contains(err.Error(), "add") {
		t.Errorf("got %v; want both violations", err)
	}
	if _, err := Compile(&graph.Graph{Nodes: []*graph.Node{nil}}, Options{}); err == nil {
		t.Error("a nil node is accepted")
	}
}
