package engine

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// TestBlocks runs generated cases of the operators that own graphs, and compares them with the references.
func TestBlocks(t *testing.T) {
	for _, d := range op.All() {
		if len(d.Blocks) == 0 {
			continue
		}
		t.Run(d.Name, func(t *testing.T) {
			for seed := range uint64(60) {
				c := d.Draw(op.NewRand(seed, 1+int(seed)/10))
				n := newNet(t)
				var in []*graph.Value
				feed := make(map[string]*tensor.Tensor)
				for i, x := range c.In {
					if x == nil {
						in = append(in, nil)
						continue
					}
					name := fmt.Sprintf("x%d", i)
					in = append(in, n.input(name, x.DType(), x.Shape()...))
					feed[name] = x
				}
				out, err := n.Add(graph.Node{Op: d.Name, In: in, Attrs: c.Attrs, Blocks: c.Blocks})
				ok(t, out, err)
				for i, v := range out {
					n.output(fmt.Sprintf("y%d", i), v)
				}
				g, err := n.Build()
				ok(t, g, err)
				want, wrong := op.Eval(d, c.In, c.Attrs, c.Blocks...)
				for _, opts := range []Options{{Threads: 1}, {Threads: 3}, {NoOptimize: true}} {
					p, err := Compile(g, opts)
					ok(t, p, err)
					s := session(t, p)
					split(s)
					ok(t, s, s.setAll(feed))
					for range 2 {
						if err := s.Run(context.Background()); (err != nil) != (wrong != nil) {
							t.Fatalf("seed %d: got %v; want %v", seed, err, wrong)
						}
						for i := range want {
							if wrong == nil && string(s.Output(i).Bytes()) != string(want[i].Bytes()) {
								t.Fatalf("seed %d, %+v: result %d differs", seed, opts, i)
							}
						}
					}
					p.Close()
				}
			}
		})
	}
}

// counting is the graph of a loop that adds 1 to x as long as the sum is below a bound.
func counting(t *testing.T, most int, bound float32) *graph.Graph {
	t.Helper()
	b := newNet(t)
	b.input("turn", tensor.Int64)
	x := b.input("x", tensor.Float32)
	sum := b.op("add", nil, x, b.constant([]float32{1}))
	b.output("more", b.op("lt", nil, sum, b.constant([]float32{bound})))
	b.output("sum", sum)
	body, err := b.Build()
	ok(t, body, err)
	n := newNet(t)
	out, err := n.Add(graph.Node{Op: "loop", In: []*graph.Value{nil, nil, n.input("x", tensor.Float32)},
		Attrs: graph.AttrsOf("carried", 1, "most", most), Blocks: []*graph.Graph{body}})
	ok(t, out, err)
	n.output("turns", out[0])
	n.output("y", n.op("neg", nil, out[1]))
	g, err := n.Build()
	return ok(t, g, err)
}

// TestSliceForLoop gives a loop without a bound, which has no first operand, what a slice chooses: kernels look whether they read through slices.
func TestSliceForLoop(t *testing.T) {
	b := newNet(t)
	b.input("turn", tensor.Int64)
	sum := b.op("add", nil, b.input("x", tensor.Float32, 2), b.constant([]float32{1, 1}, 2))
	one := b.op("slice", graph.AttrsOf("axes", []int{0}, "begin", []int{0}, "end", []int{1}), sum)
	b.output("more", b.op("lt", nil, b.op("reshape", reshapeTo(), one), b.constant([]float32{3})))
	b.output("sum", sum)
	body, err := b.Build()
	ok(t, body, err)
	n := newNet(t)
	x := n.op("slice", graph.AttrsOf("axes", []int{0}, "begin", []int{0}, "end", []int{3}, "stride", []int{2}), n.input("x", tensor.Float32, 3))
	out, err := n.Add(graph.Node{Op: "loop", In: []*graph.Value{nil, nil, x}, Attrs: graph.AttrsOf("carried", 1, "most", 100), Blocks: []*graph.Graph{body}})
	ok(t, out, err)
	n.output("y", out[1])
	g, err := n.Build()
	sameAsReference(t, ok(t, g, err), Options{Threads: 1})
}

func TestLoopEnds(t *testing.T) {
	one := map[string]*tensor.Tensor{"x": tensor.Scalar(float32(0))}
	p, err := Compile(counting(t, 100, 10), Options{})
	ok(t, p, err)
	out, err := p.Run(context.Background(), one)
	ok(t, out, err)
	if turns, y := tensor.Data[int64](out["turns"])[0], tensor.Data[float32](out["y"])[0]; turns != 10 || y != -10 {
		t.Errorf("%d turns to %v; want 10 to -10", turns, y)
	}
	p, err = Compile(counting(t, 9, 10), Options{})
	ok(t, p, err)
	var e *LimitError
	if _, err := p.Run(context.Background(), one); !errors.As(err, &e) || e.What != "turns" || e.Need != 10 || e.Allowed != 9 {
		t.Errorf("a turn too many: got %v", err)
	}
	endless := counting(t, math.MaxInt32, float32(math.Inf(1)))
	p, err = Compile(endless, Options{Limits: Limits{Operations: 1000}})
	ok(t, p, err)
	for range 2 { // the second run may take as many
		if _, err := p.Run(context.Background(), one); !errors.As(err, &e) || e.What != "operations" || e.Need < 1000 || e.Need > 1010 || !strings.HasPrefix(e.Node, "node ") || err.Error() != e.Error() {
			t.Errorf("an endless loop of few operations: got %v", err)
		}
	}
	p, err = Compile(endless, Options{Limits: Limits{Time: 20 * time.Millisecond, Operations: -1}})
	ok(t, p, err)
	if _, err := p.Run(context.Background(), one); !errors.As(err, &e) || e.What != "time" {
		t.Errorf("an endless loop: got %v", err)
	}
	p, err = Compile(endless, Options{Limits: Limits{Operations: -1}})
	ok(t, p, err)
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	if _, err := p.Run(ctx, one); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a context that ends: got %v", err)
	}
}

// TestOpenLoops counts the turns of loops without a bound when they run, one in another too.
func TestOpenLoops(t *testing.T) {
	one := map[string]*tensor.Tensor{"x": tensor.Scalar(float32(0))}
	var e *LimitError
	p, err := Compile(counting(t, math.MaxInt32, float32(math.Inf(1))), Options{Limits: Limits{Operations: 1000}})
	ok(t, p, err)
	if _, err := p.Run(context.Background(), one); !errors.As(err, &e) || e.What != "operations" || e.Need <= 1000 || e.Need > 1010 {
		t.Errorf("a loop without a bound: got %v", err)
	}
	b := newNet(t) // its body is a loop without a bound, which ends
	b.input("turn", tensor.Int64)
	inner := counting(t, math.MaxInt32, 10)
	out, err := b.Add(graph.Node{Op: "loop", In: []*graph.Value{nil, nil, b.input("x", tensor.Float32)}, Attrs: inner.Nodes[0].Attrs, Blocks: inner.Nodes[0].Blocks})
	ok(t, out, err)
	b.output("more", b.op("lt", nil, out[1], b.constant([]float32{12})))
	b.output("sum", out[1])
	body, err := b.Build()
	ok(t, body, err)
	n := newNet(t)
	out, err = n.Add(graph.Node{Op: "loop", In: []*graph.Value{nil, nil, n.input("x", tensor.Float32)}, Attrs: inner.Nodes[0].Attrs, Blocks: []*graph.Graph{body}})
	ok(t, out, err)
	n.output("y", out[1])
	g, err := n.Build()
	ok(t, g, err)
	p, err = Compile(g, Options{})
	ok(t, p, err)
	got, err := p.Run(context.Background(), one)
	ok(t, got, err)
	if y := tensor.Data[float32](got["y"])[0]; y != 12 {
		t.Errorf("the loops count to %v; want 12", y)
	}
	p, err = Compile(g, Options{Limits: Limits{Operations: 20}})
	ok(t, p, err)
	if _, err := p.Run(context.Background(), one); !errors.As(err, &e) || e.What != "operations" {
		t.Errorf("a loop in a loop: got %v", err)
	}
}

// TestBlockPanics names the node in a block whose kernel panics.
func TestBlockPanics(t *testing.T) {
	p, err := Compile(counting(t, 100, 10), Options{NoOptimize: true})
	ok(t, p, err)
	s := session(t, p)
	for i := range s.frame.steps {
		if blocks := s.frame.steps[i].blocks; blocks != nil {
			st := &blocks.frames[0].steps[0]
			u := *st.Unit
			u.parts = []part{{run: func(*op.Call, int, int) { panic("a mistake") }, each: 1}}
			st.Unit = &u
			if err := s.Run(context.Background()); err == nil || !strings.HasPrefix(err.Error(), "node add ") {
				t.Errorf("%v", err)
			}
		}
	}
}

// TestBlockLimits counts what blocks take.
func TestBlockLimits(t *testing.T) {
	g := counting(t, 1000, 10)
	for _, c := range []struct {
		limits Limits
		what   string
	}{
		{Limits{Nodes: 4}, ""}, {Limits{Nodes: 3}, "nodes"},
		{Limits{Operations: 1 << 20}, ""}, {Limits{Operations: 1000}, "operations"},
		{Limits{Memory: 4096}, ""}, {Limits{Memory: 300}, "memory"},
	} {
		_, err := Compile(g, Options{Limits: c.limits})
		var e *LimitError
		if got := errors.As(err, &e); got != (c.what != "") || got && e.What != c.what {
			t.Errorf("%+v: got %v", c.limits, err)
		}
	}
}

// TestObserveBlocks sees the nodes of a block once for each turn.
func TestObserveBlocks(t *testing.T) {
	g := counting(t, 100, 3)
	p, err := Compile(g, Options{})
	ok(t, p, err)
	s := session(t, p)
	for range 2 {
		var seen []string
		s.Observe(&Observer{Values: true, Node: func(o *Observation) {
			seen = append(seen, fmt.Sprintf("%s %d", o.Node.Op, o.Turn))
			if o.Node.Op == "add" {
				if got := tensor.Data[float32](o.Results[0])[0]; got != float32(o.Turn+1) {
					t.Errorf("turn %d yields %v", o.Turn, got)
				}
			}
		}})
		for range 2 {
			seen = nil
			run(t, s)
			if want := []string{"add 0", "lt 0", "add 1", "lt 1", "add 2", "lt 2", "loop 0", "neg 0"}; !slices.Equal(seen, want) {
				t.Errorf("observed %q; want %q", seen, want)
			}
		}
	}
}

// TestObserveInlined observes a loop that stood in a branch which is always taken: its time belongs to the if, of which the block is not seen.
func TestObserveInlined(t *testing.T) {
	taken := counting(t, 100, 3)
	other := newNet(t)
	x := other.input("x", tensor.Float32)
	other.output("turns", other.graphConstant(tensor.Scalar(int64(0))))
	other.output("y", x)
	no, err := other.Build()
	ok(t, no, err)
	n := newNet(t)
	out, err := n.Add(graph.Node{Op: "if", In: []*graph.Value{n.graphConstant(tensor.Scalar(true)), n.input("x", tensor.Float32)}, Blocks: []*graph.Graph{taken, no}})
	ok(t, out, err)
	n.output("y", out[1])
	g, err := n.Build()
	ok(t, g, err)
	p, err := Compile(g, Options{})
	ok(t, p, err)
	s := session(t, p)
	var seen []string
	s.Observe(&Observer{Values: true, Node: func(o *Observation) {
		seen = append(seen, fmt.Sprintf("%s %v", o.Node.Op, tensor.Data[float32](o.Results[1])))
	}})
	run(t, s)
	if want := []string{"if [-3]"}; !slices.Equal(seen, want) {
		t.Errorf("observed %q; want %q", seen, want)
	}
}

// graphConstant adds a constant of any type.
func (n net) graphConstant(t *tensor.Tensor) *graph.Value {
	v, err := n.Constant("", "", t)
	return ok(n.tb, v, err)
}
