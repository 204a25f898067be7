package main

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"runtime/metrics"
	"runtime/pprof"
	"strconv"
	"time"

	"github.com/concord-nn/concord/engine"
	"github.com/concord-nn/concord/model"
	"github.com/concord-nn/concord/onnx"
	"github.com/concord-nn/concord/onnx/proto"
	"github.com/concord-nn/concord/tensor"
)

func info(name string) *proto.ValueInfo {
	return &proto.ValueInfo{Name: name, Type: &proto.Type{Tensor: &proto.TensorType{ElemType: proto.Float, Shape: &proto.Shape{Dim: []*proto.Dim{{Known: true, Value: 2}}}}}}
}
func out(name string) *proto.ValueInfo { return &proto.ValueInfo{Name: name} }
func nd(op string, in, outs []string, a ...*proto.Attribute) *proto.Node {
	return &proto.Node{OpType: op, Input: in, Output: outs, Attribute: a}
}
func s(x ...string) []string { return x }
func v(i int) string         { return "v" + strconv.Itoa(i) }
func scalar(name string, x float32) *proto.Tensor {
	t, _ := tensor.FromSlice([]float32{x, x}, 2)
	p, _ := proto.NewTensor(name, t)
	return p
}
func make_(kind string, n int) *proto.Model {
	g := &proto.Graph{Name: "g", Input: []*proto.ValueInfo{info("x")}}
	switch kind {
	case "relu": // a chain
		prev := "x"
		for i := range n {
			g.Node = append(g.Node, nd("Relu", s(prev), s(v(i))))
			prev = v(i)
		}
		g.Output = []*proto.ValueInfo{out(prev)}
	case "reverse": // a chain, in reverse order
		for i := n - 1; i >= 0; i-- {
			in := "x"
			if i > 0 {
				in = v(i - 1)
			}
			g.Node = append(g.Node, nd("Relu", s(in), s(v(i))))
		}
		g.Output = []*proto.ValueInfo{out(v(n - 1))}
	case "wide": // all read x, none is an output
		for i := range n {
			g.Node = append(g.Node, nd("Relu", s("x"), s(v(i))))
		}
		g.Output = []*proto.ValueInfo{out(v(0))}
	case "wideout": // all outputs
		for i := range n {
			g.Node = append(g.Node, nd("Relu", s("x"), s(v(i))))
			g.Output = append(g.Output, out(v(i)))
		}
	case "same": // all have one name of a node
		prev := "x"
		for i := range n {
			x := nd("Relu", s(prev), s(v(i)))
			x.Name = "same"
			g.Node = append(g.Node, x)
			prev = v(i)
		}
		g.Output = []*proto.ValueInfo{out(prev)}
	case "const": // a chain of constants
		g.Initializer = append(g.Initializer, scalar("c", 1))
		prev := "c"
		for i := range n {
			g.Node = append(g.Node, nd("Relu", s(prev), s(v(i))))
			prev = v(i)
		}
		g.Node = append(g.Node, nd("Add", s("x", prev), s("y")))
		g.Output = []*proto.ValueInfo{out("y")}
	case "init": // initializers and Add
		prev := "x"
		for i := range n {
			g.Initializer = append(g.Initializer, scalar("c"+strconv.Itoa(i), 1))
			g.Node = append(g.Node, nd("Add", s(prev, "c"+strconv.Itoa(i)), s(v(i))))
			prev = v(i)
		}
		g.Output = []*proto.ValueInfo{out(prev)}
	case "constant": // Constant and Add
		prev := "x"
		for i := range n / 2 {
			g.Node = append(g.Node, nd("Constant", nil, s("c"+strconv.Itoa(i)), &proto.Attribute{Name: "value", Type: proto.AttributeTensor, T: scalar("", 1)}))
			g.Node = append(g.Node, nd("Add", s(prev, "c"+strconv.Itoa(i)), s(v(i))))
			prev = v(i)
		}
		g.Output = []*proto.ValueInfo{out(prev)}
	case "shapes": // Shape -> Add of integers -> ...: what symbolic computation does
		g.Node = append(g.Node, nd("Shape", s("x"), s("s")))
		prev := "s"
		for i := range n {
			g.Node = append(g.Node, nd("Add", s(prev, "s"), s(v(i))))
			prev = v(i)
		}
		g.Output = []*proto.ValueInfo{out(prev)}
	case "ident":
		prev := "x"
		for i := range n {
			g.Node = append(g.Node, nd("Identity", s(prev), s(v(i))))
			prev = v(i)
		}
		g.Output = []*proto.ValueInfo{out(prev)}
	case "if": // nodes with graphs
		prev := "x"
		g.Initializer = append(g.Initializer, func() *proto.Tensor { t, _ := proto.NewTensor("t", tensor.Scalar(true)); return t }())
		for i := range n / 3 {
			b := func() *proto.Attribute {
				return &proto.Attribute{Type: proto.AttributeGraph, G: &proto.Graph{Name: "b", Node: []*proto.Node{nd("Relu", s(prev), s("r"+strconv.Itoa(i)))}, Output: []*proto.ValueInfo{out("r" + strconv.Itoa(i))}}}
			}
			x, y := b(), b()
			x.Name, y.Name = "then_branch", "else_branch"
			g.Node = append(g.Node, nd("If", s("t"), s(v(i)), x, y))
			prev = v(i)
		}
		g.Output = []*proto.ValueInfo{out(prev)}
	case "ifdyn":
		prev := "x"
		c := info("t")
		c.Type.Tensor.ElemType = proto.Bool
		c.Type.Tensor.Shape.Dim = nil
		g.Input = append(g.Input, c)
		for i := range n / 3 {
			b := func() *proto.Attribute {
				return &proto.Attribute{Type: proto.AttributeGraph, G: &proto.Graph{Name: "b", Node: []*proto.Node{nd("Relu", s(prev), s("r"+strconv.Itoa(i)))}, Output: []*proto.ValueInfo{out("r" + strconv.Itoa(i))}}}
			}
			x, y := b(), b()
			x.Name, y.Name = "then_branch", "else_branch"
			g.Node = append(g.Node, nd("If", s("t"), s(v(i)), x, y))
			prev = v(i)
		}
		g.Output = []*proto.ValueInfo{out(prev)}
	case "qdq":
		g.Initializer = append(g.Initializer, func() *proto.Tensor { t, _ := proto.NewTensor("sc", tensor.Scalar[float32](0.5)); return t }(), func() *proto.Tensor { t, _ := proto.NewTensor("zp", tensor.Scalar[uint8](3)); return t }())
		prev := "x"
		for i := range n / 3 {
			k := strconv.Itoa(i)
			g.Node = append(g.Node, nd("QuantizeLinear", s(prev, "sc", "zp"), s("q"+k)), nd("DequantizeLinear", s("q"+k, "sc", "zp"), s("d"+k)), nd("Relu", s("d"+k), s(v(i))))
			prev = v(i)
		}
		g.Output = []*proto.ValueInfo{out(prev)}
	case "nonzero": // each waits
		prev := "x"
		for i := range n / 2 {
			k := strconv.Itoa(i)
			g.Node = append(g.Node, nd("NonZero", s(prev), s("n"+k)), nd("Cast", s("n"+k), s(v(i)), &proto.Attribute{Name: "to", Type: proto.AttributeInt, I: 1}))
			prev = v(i)
		}
		g.Output = []*proto.ValueInfo{out(prev)}
	case "onenz": // one asks, all others wait
		g.Node = append(g.Node, nd("NonZero", s("x"), s("n")), nd("Cast", s("n"), s("z"), &proto.Attribute{Name: "to", Type: proto.AttributeInt, I: 1}))
		prev := "z"
		for i := range n {
			g.Node = append(g.Node, nd("Relu", s(prev), s(v(i))))
			prev = v(i)
		}
		g.Output = []*proto.ValueInfo{out(prev)}
	case "functions":
		// one function called n times
		f := &proto.Function{Name: "F", Domain: "own", Input: s("a"), Output: s("b"), OpsetImport: []*proto.OperatorSet{{Version: 17}}, Node: []*proto.Node{nd("Relu", s("a"), s("b"))}}
		prev := "x"
		for i := range n {
			x := nd("F", s(prev), s(v(i)))
			x.Domain = "own"
			g.Node = append(g.Node, x)
			prev = v(i)
		}
		g.Output = []*proto.ValueInfo{out(prev)}
		return &proto.Model{IRVersion: 8, Graph: g, Functions: []*proto.Function{f}, OpsetImport: []*proto.OperatorSet{{Version: 17}, {Domain: "own", Version: 1}}}
	case "unused": // results that nobody reads
		for i := range n {
			g.Node = append(g.Node, nd("Relu", s("x"), s(v(i))))
		}
		g.Node = append(g.Node, nd("Relu", s("x"), s("y")))
		g.Output = []*proto.ValueInfo{out("y")}
	case "wrong": // every node is a mistake
		for i := range n {
			g.Node = append(g.Node, nd("Odd", s("x"), s(v(i))))
		}
		g.Output = []*proto.ValueInfo{out("v0")}
	case "concat": // one node of n operands
		g.Node = append(g.Node, nd("Relu", s("x"), s("r")))
		in := make([]string, n)
		for i := range in {
			in[i] = "r"
		}
		g.Node = append(g.Node, nd("Concat", in, s("y"), &proto.Attribute{Name: "axis", Type: proto.AttributeInt, I: 0}))
		g.Output = []*proto.ValueInfo{out("y")}
	case "split": // one node of n results
		outs := make([]string, n)
		for i := range outs {
			outs[i] = v(i)
		}
		g.Node = append(g.Node, nd("Split", s("x"), outs))
		g.Output = []*proto.ValueInfo{out("v0")}
	case "seq": // a sequence that grows
		g.Node = append(g.Node, nd("SequenceConstruct", s("x"), s("q")))
		prev := "q"
		for i := range n {
			g.Node = append(g.Node, nd("SequenceInsert", s(prev, "x"), s(v(i))))
			prev = v(i)
		}
		g.Node = append(g.Node, nd("SequenceLength", s(prev), s("y")))
		g.Output = []*proto.ValueInfo{out("y")}
	}
	return &proto.Model{IRVersion: 8, Graph: g, OpsetImport: []*proto.OperatorSet{{Version: 17}}}
}

var start time.Time

func bytes() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

func main() {
	kind := os.Args[1]
	n, _ := strconv.Atoi(os.Args[2])
	name := "/tmp/mk/" + kind + "-" + os.Args[2] + ".onnx"
	if len(os.Args) > 3 && os.Args[3] == "make" {
		if err := proto.WriteFile(name, make_(kind, n), false); err != nil {
			panic(err)
		}
		return
	}
	if p := os.Getenv("PROF"); p != "" {
		f, _ := os.Create(p)
		pprof.StartCPUProfile(f)
		defer pprof.StopCPUProfile()
	}
	if os.Getenv("MEM") != "" {
		runtime.MemProfileRate = 4096
	}
	fmt.Printf("%-10s %8d", kind, n)
	begin, b := time.Now(), bytes()
	tell := func(what string, err error) {
		now, nb := time.Now(), bytes()
		fmt.Printf("  %s %.2fs %dM", what, now.Sub(begin).Seconds(), (nb-b)>>20)
		if err != nil {
			x := err.Error()
			fmt.Printf(" [%.60s]", x)
		}
		begin, b = time.Now(), bytes()
	}
	p, err := proto.Open(name)
	tell("decode", err)
	if err == nil {
		p.Close()
	}
	p = nil
	f, err := onnx.Open(name)
	tell("open", err)
	if err != nil {
		fmt.Println()
		return
	}
	err = f.Check()
	tell("check", err)
	if err == nil {
		m, err := f.Network()
		tell("net", err)
		shapes := model.Shapes{"x": {2}}
		if kind == "ifdyn" {
			shapes["t"] = tensor.Shape{}
		}
		part, err := m.Part(shapes)
		tell("part", err)
		if err == nil && part.Graph != nil {
			_, err := engine.Compile(part.Graph, engine.Options{})
			tell("compile", err)
		}
		if err == nil {
			pr := model.NewPrograms(m, engine.Options{}, 0)
			x, _ := tensor.FromSlice([]float32{1, 2}, 2)
			in := model.Values{"x": x}
			if kind == "ifdyn" {
				in["t"] = tensor.Scalar(true)
			}
			_, err := pr.Run(context.Background(), in)
			tell("run", err)
		}
	}
	if p := os.Getenv("MEM"); p != "" {
		f, _ := os.Create(p)
		pprof.Lookup("allocs").WriteTo(f, 0)
		f.Close()
	}
	var ms runtime.MemStats
	runtime.ReadMemStats(&ms)
	fmt.Printf("  sys %dM\n", ms.Sys>>20)
}
