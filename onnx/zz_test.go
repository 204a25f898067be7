package onnx_test

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/concord-nn/concord/engine"
	"github.com/concord-nn/concord/model"
	"github.com/concord-nn/concord/onnx"
	"github.com/concord-nn/concord/onnx/proto"
	"github.com/concord-nn/concord/tensor"
)

func heap() uint64 { runtime.GC(); var m runtime.MemStats; runtime.ReadMemStats(&m); return m.HeapAlloc }

func TestMeasure(t *testing.T) {
	want := os.Getenv("Z")
	chain := func(n int, f func(i int) *proto.Node) []*proto.Node {
		out := make([]*proto.Node, n)
		for i := range out { out[i] = f(i) }
		return out
	}
	nm := func(p string, i int) string { return fmt.Sprintf("%s%d", p, i) }
	cases := map[string]func() *proto.Model{
		"chain": func() *proto.Model {
			n := 1000000
			return modelOf(13, graphOf(fmt.Sprintf("v0: float[2] -> v%d", n), chain(n, func(i int) *proto.Node { return &proto.Node{OpType: "Abs", Input: []string{nm("v", i)}, Output: []string{nm("v", i+1)}} })...))
		},
		"chain60k": func() *proto.Model {
			n := 60000
			return modelOf(13, graphOf(fmt.Sprintf("v0: float[2] -> v%d", n), chain(n, func(i int) *proto.Node { return &proto.Node{OpType: "Abs", Input: []string{nm("v", i)}, Output: []string{nm("v", i+1)}} })...))
		},
		"constchain": func() *proto.Model {
			n := 1000000
			g := graphOf(fmt.Sprintf("x: float[2] -> y"), chain(n, func(i int) *proto.Node { return &proto.Node{OpType: "Abs", Input: []string{nm("v", i)}, Output: []string{nm("v", i+1)}} })...)
			g.Node = append(g.Node, node("Reshape", fmt.Sprintf("x, v%d -> y", n)))
			return modelOf(13, stored(g, "v0", []int{1}, int64(2)))
		},
		"backwards": func() *proto.Model {
			n := 1000000
			return modelOf(13, graphOf(fmt.Sprintf("v%d: float[2] -> v0", n), chain(n, func(i int) *proto.Node { return &proto.Node{OpType: "Abs", Input: []string{nm("v", i+1)}, Output: []string{nm("v", i)}} })...))
		},
		"initializers": func() *proto.Model {
			n := 100000
			g := graphOf("x: float[2] -> y")
			s := &proto.Node{OpType: "Sum", Output: []string{"y"}, Input: []string{"x"}}
			for i := range n { stored(g, nm("w", i), []int{1}, float32(i)); s.Input = append(s.Input, nm("w", i)) }
			g.Node = append(g.Node, s)
			return modelOf(13, g)
		},
		"inputs": func() *proto.Model {
			n := 100000
			g := graphOf("x: float[2] -> y")
			s := &proto.Node{OpType: "Concat", Output: []string{"y"}, Input: []string{"x"}}
			for i := range n { g.Input = append(g.Input, infos(nm("w", i)+": float[2]")...); s.Input = append(s.Input, nm("w", i)) }
			s.Attribute = append(s.Attribute, attr("axis", 0))
			g.Node = append(g.Node, s)
			return modelOf(13, g)
		},
		"outputs": func() *proto.Model {
			n := 60000
			g := graphOf("x: float[2] -> ", chain(n, func(i int) *proto.Node { return &proto.Node{OpType: "Abs", Input: []string{"x"}, Output: []string{nm("v", i+1)}} })...)
			for i := range n { g.Output = append(g.Output, infos(nm("v", i+1))...) }
			return modelOf(13, g)
		},
		"operands": func() *proto.Model {
			n := 1000000
			g := graphOf("x: float[2] -> y")
			s := &proto.Node{OpType: "Concat", Output: []string{"y"}}
			for range n { s.Input = append(s.Input, "x") }
			s.Attribute = append(s.Attribute, attr("axis", 0))
			g.Node = append(g.Node, s)
			return modelOf(13, g)
		},
		"einsum": func() *proto.Model {
			n := 1000000
			g := graphOf("x: float[2] -> y")
			s := &proto.Node{OpType: "Einsum", Output: []string{"y"}}
			for range n { s.Input = append(s.Input, "x") }
			s.Attribute = append(s.Attribute, attr("equation", strings.Repeat("i,", n-1)+"i->i"))
			g.Node = append(g.Node, s)
			return modelOf(13, g)
		},
		"doubling": func() *proto.Model {
			var fs []*proto.Function
			for i := range 40 {
				callee := nm("own.F", i-1)
				a, b := node(callee, "a -> b"), node(callee, "b -> c")
				if i == 0 { a, b = node("Abs", "a -> b"), node("Abs", "b -> c") }
				fs = append(fs, &proto.Function{Name: nm("F", i), Domain: "own", Input: []string{"a"}, Output: []string{"c"}, Node: []*proto.Node{a, b}, OpsetImport: []*proto.OperatorSet{{Version: 13}, {Domain: "own", Version: 1}}})
			}
			return modelOf(13, graphOf("x: float[2] -> y", node("own.F39", "x -> y")), fs...)
		},
		"doublingconst": func() *proto.Model {
			var fs []*proto.Function
			for i := range 40 {
				callee := nm("own.F", i-1)
				a, b := node(callee, "a -> b"), node(callee, "b -> c")
				if i == 0 { a, b = node("Identity", "a -> b"), node("Identity", "b -> c") }
				fs = append(fs, &proto.Function{Name: nm("F", i), Domain: "own", Input: []string{"a"}, Output: []string{"c"}, Node: []*proto.Node{a, b}, OpsetImport: []*proto.OperatorSet{{Version: 13}, {Domain: "own", Version: 1}}})
			}
			return modelOf(13, graphOf("x: float[2] -> y", node("own.F39", "x -> y")), fs...)
		},
		"endless": func() *proto.Model {
			body := graphOf("i: int64[], c: bool[], v: float -> c, v, i")
			return modelOf(13, stored(graphOf("x: float[2] -> y, z", node("Loop", "m, , x -> y, z", "body", body)), "m", nil, int64(1)<<62))
		},
		"growing": func() *proto.Model {
			body := graphOf("i: int64[], c: bool[], v: float -> c, w", node("Concat", "v, x -> w", "axis", 0))
			return modelOf(13, stored(graphOf("x: float[2] -> y", node("Loop", "m, , x -> y", "body", body)), "m", nil, int64(1)<<62))
		},
		"doublingloop": func() *proto.Model {
			body := graphOf("i: int64[], c: bool[], v: float -> c, w", node("Concat", "v, v -> w", "axis", 0))
			return modelOf(13, stored(graphOf("x: float[2] -> y", node("Loop", "m, , x -> y", "body", body)), "m", nil, int64(1)<<62))
		},
		"nestedloops": func() *proto.Model {
			body := graphOf("i: int64[], c: bool[], v: float -> c, w", node("Concat", "v, x -> w", "axis", 0))
			for range 30 {
				body = graphOf("i: int64[], c: bool[], v: float -> c, w", node("Loop", "one, , v -> w", "body", body))
			}
			return modelOf(13, stored(graphOf("x: float[2] -> y", node("Loop", "one, , x -> y", "body", body)), "one", nil, int64(1)))
		},
		"nestedifs": func() *proto.Model {
			then, other := graphOf("-> y", node("Abs", "x -> y")), graphOf("-> y", node("NonZero", "x -> y"))
			for range 30 {
				then = graphOf("-> y", node("If", "c -> y", "then_branch", then, "else_branch", other))
			}
			return modelOf(13, graphOf("x: float[2], c: bool[] -> y", node("If", "c -> y", "then_branch", then, "else_branch", other)))
		},
		"sequences": func() *proto.Model {
			n := 100000
			g := graphOf(fmt.Sprintf("x: float[2] -> y"), node("SequenceEmpty", "-> s0"))
			for i := range n { g.Node = append(g.Node, node("SequenceInsert", fmt.Sprintf("s%d, x -> s%d", i, i+1))) }
			g.Node = append(g.Node, node("ConcatFromSequence", fmt.Sprintf("s%d -> y", n), "axis", 0))
			return modelOf(13, g)
		},
		"sequenceloop": func() *proto.Model {
			body := graphOf("i: int64[], c: bool[], v: float -> c, w", node("SequenceInsert", "v, x -> w"))
			return modelOf(13, stored(graphOf("x: float[2] -> y", node("SequenceEmpty", "-> s"), node("Loop", "m, , s -> t", "body", body), node("SequenceLength", "t -> y")), "m", nil, int64(1)<<62))
		},
		"map": func() *proto.Model {
			body := graphOf("v -> w", chain(1000, func(i int) *proto.Node { return node("Abs", fmt.Sprintf("v -> %s", map[bool]string{true: "w", false: nm("u", i)}[i == 0])) })...)
			return modelOf(17, graphOf("x: float[1000000] -> y", node("SplitToSequence", "x -> s"), node("SequenceMap", "s -> t", "body", body), node("SequenceLength", "t -> y")))
		},
		"mapempty": func() *proto.Model {
			body := graphOf("v -> v")
			return modelOf(17, graphOf("x: float[1000000] -> y", node("SplitToSequence", "x -> s"), node("SequenceMap", "s -> t", "body", body), node("SequenceLength", "t -> y")))
		},
		"asks": func() *proto.Model {
			n := 300000
			g := graphOf("x: float[2], k: int64[1] -> ")
			for i := range n { g.Node = append(g.Node, node("Reshape", fmt.Sprintf("x, k -> cast%d", i))) }
			g.Output = infos("cast5")
			return modelOf(13, g)
		},
		"names": func() *proto.Model {
			n := 100000
			g := graphOf("x: float[2], k: int64[1] -> ")
			for i := range n { g.Node = append(g.Node, node("Abs", fmt.Sprintf("x -> log_softmax%d", i))) }
			for i := range n { g.Node = append(g.Node, node("Pad", fmt.Sprintf("x, k -> y%d", i))) }
			g.Output = infos("y5")
			return modelOf(13, g)
		},
		"wrong": func() *proto.Model {
			n := 1000000
			g := graphOf("x: float[2] -> y1")
			for i := range n { g.Node = append(g.Node, node("Odd", fmt.Sprintf("x -> y%d", i))) }
			return modelOf(13, g)
		},
	}
	for name, make := range cases {
		if want != "" && name != want { continue }
		m := make()
		h0 := heap(); a0 := allocated(); b := time.Now()
		f, err := onnx.New(m)
		t1 := time.Since(b)
		var n *model.Model
		var t2, t3, t4 time.Duration
		var h1 uint64
		if err == nil {
			b = time.Now(); n, err = f.Network(); t2 = time.Since(b)
		}
		if err == nil {
			b = time.Now(); var p *model.Part; p, err = n.Part(nil); t3 = time.Since(b)
			h1 = heap()
			if err == nil && (os.Getenv("RUN") != "") {
				b = time.Now()
				pr := model.NewPrograms(n, engine.Options{Threads: 1, Limits: engine.Limits{Time: 5*time.Second}}, 0)
				in := model.Values{}
				for _, x := range n.Inputs() { e, _ := x.Shape.Extents(); in[x.Name], _ = zeros(x.DType, e) }
				_, err = pr.Run(context.Background(), in)
				t4 = time.Since(b)
			}
			runtime.KeepAlive(p)
		}
		msg := fmt.Sprint(err); if len(msg) > 200 { msg = msg[:200] }
		t.Logf("%-14s new %v net %v part %v run %v; %d MiB live, %d MiB allocated: %s", name, t1, t2, t3, t4, (int64(h1)-int64(h0))>>20, (allocated()-a0)>>20, msg)
	}
}

var zeros = tensor.New
