package engine

import (
	"context"
	"errors"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/testdata"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// chain builds a graph of a number of additions over tensors of n elements.
func chain(tb testing.TB, nodes, n int) *graph.Graph {
	b := newNet(tb)
	v := b.input("x", tensor.Float32, n)
	for range nodes {
		v = b.op("add", nil, v, v)
	}
	b.output("y", v)
	g, err := b.Build()
	return ok(tb, g, err)
}

func TestLimits(t *testing.T) {
	for _, c := range []struct {
		name   string
		limits Limits
		want   LimitError
		enough Limits
	}{
		{"nodes", Limits{Nodes: 2}, LimitError{What: "nodes", Need: 3, Allowed: 2, Node: "node add add3"}, Limits{Nodes: 3}},
		{"operations", Limits{Operations: 2500}, LimitError{What: "operations", Need: 3000, Allowed: 2500, Node: "node add add3"},
			Limits{Operations: 3000}},
		// Input, and one result that is overwritten by the next: two buffers of 4032 bytes.
		{"memory", Limits{Memory: 8000}, LimitError{What: "memory", Need: 8064, Allowed: 8000, Node: "node add add1"},
			Limits{Memory: 8064}},
		{"one value", Limits{Memory: 4000 - 1}, LimitError{What: "memory", Need: 4000, Allowed: 3999}, Limits{Memory: -1, Nodes: -1, Operations: -1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := chain(t, 3, 1000)
			_, err := Compile(g, Options{Limits: c.limits})
			var e *LimitError
			if !errors.As(err, &e) || *e != c.want {
				t.Errorf("got %v; want %v", err, &c.want)
			} else if !strings.Contains(err.Error(), e.What) || !strings.Contains(err.Error(), e.Node) {
				t.Errorf("the error does not name the limit, or the node: %v", err)
			}
			if _, err := Compile(g, Options{Limits: c.enough}); err != nil {
				t.Errorf("with just enough: %v", err)
			}
		})
	}
}

// TestHugeShapes compiles graphs whose sizes cannot be allocated or even counted.
func TestHugeShapes(t *testing.T) {
	for _, limits := range []Limits{{}, {Memory: -1, Operations: -1}} {
		n := newNet(t)
		x := n.input("x", tensor.Float32, 1<<20, 1)
		y := n.input("y", tensor.Float32, 1, tensor.MaxElements>>20)
		z := n.op("add", nil, x, y)
		for range 40 {
			z = n.op("add", nil, z, z)
		}
		n.output("z", z)
		g, err := n.Build()
		ok(t, g, err)
		var e *LimitError
		if _, err := Compile(g, Options{Limits: limits}); !errors.As(err, &e) || e.What != "memory" || e.Need <= 0 {
			t.Errorf("got %v; want a limit of memory", err)
		}
	}
	n := newNet(t) // of which two values at a time are in use
	x := n.input("x", tensor.Float32, tensor.MaxElements>>4)
	for range 80 {
		x = n.op("reverse", graph.AttrsOf("axes", []int{0}), x)
	}
	n.output("y", x)
	g, err := n.Build()
	ok(t, g, err)
	p, err := Compile(g, Options{Limits: Limits{Memory: -1, Operations: -1}, NoOptimize: true})
	if err != nil || p.Plan().Sum <= 0 {
		t.Errorf("values whose sum exceeds 64 bits: %v", err)
	}
}

// TestRefusedUnprepared refuses nodes whose values take more than there is before kernels prepare anything for them.
func TestRefusedUnprepared(t *testing.T) {
	n := newNet(t)
	x := n.input("x", tensor.Float32, 1, 1<<22, 2, 2) // for whose blocks of channels alone a kernel holds 6 MiB
	n.output("y", n.op("box", graph.AttrsOf("size", []int{1, 1, 2, 2}, "padding", make([]int, 8)), x))
	g, err := n.Build()
	ok(t, g, err)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err = Compile(g, Options{Limits: Limits{Memory: 1 << 20}})
	runtime.ReadMemStats(&after)
	if e := (*LimitError)(nil); !errors.As(err, &e) || e.What != "memory" {
		t.Errorf("got %v; want a limit of memory", err)
	}
	if took := after.TotalAlloc - before.TotalAlloc; took > 1<<20 {
		t.Errorf("%d bytes were taken before that", took)
	}
}

// TestDeclaredWork compiles nodes of little memory that would take very long: each must declare it.
func TestDeclaredWork(t *testing.T) {
	testdata.Wide(t)
	type node func(n net) *graph.Value
	ints := func(name string, values ...int) graph.Attr { return graph.Attr{Name: name, Value: values} }
	for name, build := range map[string]node{
		"box, a window of 2^30 in as much padding": func(n net) *graph.Value {
			return n.op("box", graph.Attrs{ints("size", 1<<30), ints("padding", 1<<29, 1<<29), {Name: "border", Value: "ignore"}},
				n.input("x", tensor.Float32, 1<<20))
		},
		"debox, one element into 2^24": func(n net) *graph.Value {
			return n.op("debox", graph.Attrs{ints("size", 1<<24, 1), ints("padding", 0, 0, 0, 0)}, n.input("x", tensor.Float32, 1, 1))
		},
		"deconv, one element into 2^24": func(n net) *graph.Value {
			return n.op("deconv", graph.Attrs{ints("padding", 0, 0, 0, 0)},
				n.input("x", tensor.Float32, 1, 1, 1, 1), n.input("f", tensor.Float32, 1, 1, 1<<24, 1))
		},
		"conv, a filter as long as its row": func(n net) *graph.Value {
			return n.op("conv", graph.Attrs{ints("padding", 1<<23, 1<<23)},
				n.input("x", tensor.Float32, 1, 1, 1<<24), n.input("f", tensor.Float32, 1, 1, 1<<24+1))
		},
		"local_response_normalization, a window of 2^30": func(n net) *graph.Value {
			return n.op("local_response_normalization", graph.Attrs{ints("size", 1<<30)}, n.input("x", tensor.Float32, 1<<20))
		},
		"concat, rows of empty chunks": func(n net) *graph.Value {
			empty := n.input("empty", tensor.Uint8, 1<<29, 0)
			in := append(slices.Repeat([]*graph.Value{empty}, 1<<15), n.input("x", tensor.Uint8, 1<<29, 1))
			return n.op("concat", graph.Attrs{{Name: "axis", Value: 1}}, in...)
		},
		"lstm, steps without an input": func(n net) *graph.Value {
			out, err := n.Node("lstm", []*graph.Value{n.input("x", tensor.Float32, huge, 1, 0), n.input("w", tensor.Float32, 1, 4, 0),
				n.input("r", tensor.Float32, 1, 4, 1)}, graph.Attrs{{Name: "hidden_size", Value: 1}, {Name: "steps", Value: huge}}, "")
			return ok(t, out, err)[0]
		},
		"non_max_suppression, every box with every other": func(n net) *graph.Value {
			return n.op("non_max_suppression", nil, n.input("x", tensor.Int32, 1, 1<<20, 6), n.input("n", tensor.Int32, 1))
		},
	} {
		t.Run(name, func(t *testing.T) {
			n := newNet(t)
			n.output("y", build(n))
			g, err := n.Build()
			ok(t, g, err)
			var e *LimitError
			if _, err := Compile(g, Options{}); !errors.As(err, &e) || e.What != "operations" {
				t.Errorf("got %v; want a limit of operations", err)
			}
		})
	}
}

// huge is a great extent of tensors without elements.
const huge = math.MaxInt / 1024

// TestNoElements runs nodes whose results have no elements but huge extents: nothing may walk through them.
func TestNoElements(t *testing.T) {
	for _, c := range []struct {
		op    string
		attrs graph.Attrs
		in    [][]int
	}{
		{"softmax", graph.Attrs{{Name: "axes", Value: []int{2}}}, [][]int{{huge, 3, 0}}},
		{"tile", graph.Attrs{{Name: "repeats", Value: []int{2, 1, 2}}}, [][]int{{huge, 3, 0}}},
		{"pad", graph.Attrs{{Name: "padding", Value: []int{1, 1, 0, 0}}}, [][]int{{huge, 0}}},
		{"triangular", nil, [][]int{{huge, 3, 0}}},
		{"cumulative_sum", graph.Attrs{{Name: "axis", Value: 1}}, [][]int{{huge, 0}}},
		{"instance_normalization", nil, [][]int{{huge, 3, 0}}},
		{"layer_normalization", graph.Attrs{{Name: "axes", Value: []int{1}}}, [][]int{{huge, 0}}},
		{"box_suppression", nil, [][]int{{huge, 0, 4}, {huge, 0}}},
		{"concat", graph.Attrs{{Name: "axis", Value: 1}}, [][]int{{huge, 0}, {huge, 0}}},
	} {
		t.Run(c.op, func(t *testing.T) {
			n := newNet(t)
			var in []*graph.Value
			for i, shape := range c.in {
				in = append(in, n.input(string(rune('a'+i)), tensor.Float32, shape...))
			}
			n.output("y", n.op(c.op, c.attrs, in...))
			s := session(t, n.compile(Options{NoOptimize: true}))
			if err := s.Run(context.Background()); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestFoldedMemory counts the constants that Compile computes against the memory limit.
func TestFoldedMemory(t *testing.T) {
	n := newNet(t)
	c := n.constant(make([]float32, 4096), 4096)
	n.output("y", n.op("add", nil, n.input("x", tensor.Float32, 4096), n.op("add", nil, c, c)))
	g, err := n.Build()
	ok(t, g, err)
	p, err := Compile(g, Options{Limits: Limits{Memory: 3 * 16384}})
	ok(t, p, err)
	if plan := p.Plan(); plan.Folded != 16384 || plan.Arena != 2*16384 {
		t.Errorf("folded %d, arena %d; want 16384 and 32768", plan.Folded, plan.Arena)
	}
	for _, memory := range []int64{3*16384 - 1, 16383} {
		var e *LimitError
		if _, err := Compile(g, Options{Limits: Limits{Memory: memory}}); !errors.As(err, &e) || e.Allowed != memory || e.Need <= memory {
			t.Errorf("%d bytes: got %v", memory, err)
		}
	}
}

// TestPlannedMemory compiles random graphs with the memory that their plans take, and with one byte less: also where holes between buffers, and not
// what is in use at one unit, need it.
func TestPlannedMemory(t *testing.T) {
	holes := 0
	for seed := range uint64(60) {
		g, _ := randomGraph(t, seed)
		p, err := Compile(g, Options{Threads: 1})
		ok(t, p, err)
		plan := p.Plan()
		p.Close()
		if plan.Arena > plan.Peak {
			holes++
		}
		need := plan.Session() + plan.Folded + plan.Packed
		for _, memory := range []int64{need, need - 1} {
			var e *LimitError
			p, err := Compile(g, Options{Threads: 1, Limits: Limits{Memory: memory}})
			if (err == nil) != (memory == need) || err != nil && !errors.As(err, &e) {
				t.Errorf("seed %d: %d bytes of %d: %v", seed, memory, need, err)
			}
			if err == nil {
				p.Close()
			}
		}
	}
	if holes == 0 {
		t.Error("no plan has holes")
	}
}

func TestTimeLimit(t *testing.T) {
	p, err := Compile(chain(t, 2, 10), Options{Limits: Limits{Time: time.Millisecond}, NoOptimize: true}) // a unit for each node
	ok(t, p, err)
	s := session(t, p)
	substitute(s, 0, func(*op.Call, int, int) { time.Sleep(2 * time.Millisecond) })
	s.frame.steps[1].time = blindTime // which is worth a look at the clock
	substitute(s, 1, func(*op.Call, int, int) { t.Error("the second node runs after the time is over") })
	var e *LimitError
	if err := s.Run(context.Background()); !errors.As(err, &e) || e.What != "time" || e.Node != "node add add2" || e.Need <= e.Allowed {
		t.Errorf("got %v", err)
	}
}

func TestResolvedLimits(t *testing.T) {
	defaults := DefaultLimits
	defaults.Memory = min(defaults.Memory, math.MaxInt/4)
	if got := (Limits{}).Resolved(); got != defaults {
		t.Errorf("zero limits are %+v; want %+v", got, defaults)
	}
	got := Limits{Nodes: -1, Memory: -1, Operations: -1, Time: -1}.Resolved()
	want := Limits{Nodes: math.MaxInt32, Memory: min(noLimit, math.MaxInt/4), Operations: math.MaxInt64, Time: math.MaxInt64}
	if got != want {
		t.Errorf("no limits are %+v; want %+v", got, want)
	}
}
