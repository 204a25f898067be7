package onnx_test

import (
	"testing"

	"github.com/concord-nn/concord/internal/testdata"
	"github.com/concord-nn/concord/internal/testing/onnx/random"
	"github.com/concord-nn/concord/onnx/proto"
)

// TestRandomGraphsHaveAll makes many graphs and looks at how much there is in them.
func TestRandomGraphsHaveAll(t *testing.T) {
	ops := make(map[string]int)
	for seed := range uint64(500) {
		m := random.Graph(seed)
		count := 0
		look := func(n *proto.Node, around string) {
			name := n.OpType
			if n.Domain == "random" {
				name = "call"
			}
			ops[name]++
			ops[name+" in "+around]++
			count++
		}
		visit(m.Proto.Graph.Node, "graph", look)
		for _, f := range m.Proto.Functions {
			visit(f.Node, "function", look)
		}
		if count < 3 || len(m.Proto.Graph.Output) == 0 {
			t.Errorf("seed %d has %d nodes and %d outputs", seed, count, len(m.Proto.Graph.Output))
		}
	}
	for _, op := range []string{"Add", "Conv", "Gemm", "MatMul", "If", "Loop", "Scan", "Reshape", "Constant", "QuantizeLinear", "NonZero", "Compress", "TopK", "LayerNormalization",
		"Loop in If", "Loop in Loop", "If in Loop", "If in function", "call in Loop"} {
		if ops[op] < 5 {
			t.Errorf("there are %d nodes %s", ops[op], op)
		}
	}
	t.Log(ops)
}

// visit looks at nodes and those of their graphs, with what these are in.
func visit(nodes []*proto.Node, around string, f func(n *proto.Node, around string)) {
	for _, n := range nodes {
		f(n, around)
		for _, a := range n.Attribute {
			if a.G != nil {
				visit(a.G.Node, n.OpType, f)
			}
		}
	}
}

// TestRandomModelsOfAll makes many models of every operator.
func TestRandomModelsOfAll(t *testing.T) {
	for _, op := range random.Ops() {
		func() {
			defer func() {
				if x := recover(); x != nil {
					t.Errorf("%s: %v", op, x)
				}
			}()
			for seed := range uint64(testdata.Cases(60, 300)) {
				random.Of(op, seed)
			}
		}()
	}
}
