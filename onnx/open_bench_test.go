package onnx_test

import (
	"fmt"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/concord-nn/concord/internal/testdata"
	"github.com/concord-nn/concord/onnx"
	"github.com/concord-nn/concord/onnx/proto"
)

// BenchmarkOpen opens models with weights of 1 MiB in layers of eight nodes and makes their graphs.
func BenchmarkOpen(b *testing.B) {
	for _, size := range []int{100, 350} {
		b.Run(fmt.Sprint(size, "MiB"), func(b *testing.B) {
			path := filepath.Join(b.TempDir(), "model.onnx")
			if err := proto.WriteFile(path, layers(size), false); err != nil {
				b.Fatal(err)
			}
			b.SetBytes(int64(size) << 20)
			b.ReportAllocs()
			for b.Loop() {
				open(b, path)
			}
		})
	}
}

// TestOpen holds the weights of a model to staying where they are in the file when its graph is made.
func TestOpen(t *testing.T) {
	testdata.LittleEndian(t)
	path := filepath.Join(t.TempDir(), "model.onnx")
	if err := proto.WriteFile(path, layers(16), false); err != nil {
		t.Fatal(err)
	}
	open(t, path)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	open(t, path)
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; n > 2<<20 {
		t.Errorf("%d bytes are allocated for a model of 16 MiB", n)
	}
}

func open(tb testing.TB, path string) {
	tb.Helper()
	f, err := onnx.Open(path)
	if err != nil {
		tb.Fatal(err)
	}
	m, err := f.Network()
	if err != nil {
		tb.Fatal(err)
	}
	if _, err := m.Graph(nil); err != nil {
		tb.Fatal(err)
	}
	if err := f.Close(); err != nil {
		tb.Fatal(err)
	}
}

// layers returns a model of as many layers with a weight of 1 MiB, whose shapes are computed by nodes as exporters write them.
func layers(n int) *proto.Model {
	raw := make([]byte, 1<<20)
	g := &proto.Graph{Name: "layers", Input: []*proto.ValueInfo{infos("x: float[1,512]")[0]}, Output: []*proto.ValueInfo{infos("y: float[1,512]")[0]}}
	last := "x"
	for i := range n {
		at := func(name string) string { return fmt.Sprintf("/layer.%d/%s", i, name) }
		g.Initializer = append(g.Initializer,
			&proto.Tensor{Name: at("weight"), DataType: proto.Float, Dims: []int64{512, 512}, RawData: raw},
			&proto.Tensor{Name: at("bias"), DataType: proto.Float, Dims: []int64{512}, RawData: raw[:2048]},
			&proto.Tensor{Name: at("first"), DataType: proto.Int64, Dims: []int64{1}, RawData: make([]byte, 8)},
			&proto.Tensor{Name: at("rest"), DataType: proto.Int64, Dims: []int64{1}, RawData: []byte{255, 255, 255, 255, 255, 255, 255, 255}})
		g.Node = append(g.Node,
			node("MatMul", last+","+at("weight")+"->"+at("product")), node("Add", at("product")+","+at("bias")+"->"+at("sum")),
			node("Shape", at("sum")+"->"+at("shape")), node("Gather", at("shape")+","+at("first")+"->"+at("batch")),
			node("Concat", at("batch")+","+at("rest")+"->"+at("target"), "axis", 0), node("Reshape", at("sum")+","+at("target")+"->"+at("flat")),
			node("Relu", at("flat")+"->"+at("relu")), node("Add", at("relu")+","+last+"->"+at("out")))
		last = at("out")
	}
	g.Node = append(g.Node, node("Identity", last+"->y"))
	return &proto.Model{IRVersion: 8, OpsetImport: []*proto.OperatorSet{{Version: 17}}, Graph: g}
}
