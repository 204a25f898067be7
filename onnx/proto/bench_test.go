package proto_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/concord-nn/concord/onnx/proto"
)

// manyNodes returns a model with a chain of nodes.
func manyNodes(n int) *proto.Model {
	g := &proto.Graph{Name: "chain"}
	last := "input"
	for i := range n {
		out := fmt.Sprintf("/model/layer.%d/Mul_output_0", i)
		g.Node = append(g.Node, &proto.Node{Name: fmt.Sprintf("/model/layer.%d/Mul", i), OpType: "Mul", Input: []string{last, "weight"}, Output: []string{out},
			Attribute: []*proto.Attribute{{Name: "axes", Type: proto.AttributeInts, Ints: []int64{0, int64(i)}}}})
		last = out
	}
	return &proto.Model{IRVersion: 8, Graph: g}
}

// BenchmarkDecode reads a million nodes.
func BenchmarkDecode(b *testing.B) {
	data, err := proto.Encode(manyNodes(1_000_000))
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := proto.Decode(data); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkEncode writes a million nodes.
func BenchmarkEncode(b *testing.B) {
	m := manyNodes(1_000_000)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := proto.Encode(m); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkOpen opens models with initializers of 1 MiB.
func BenchmarkOpen(b *testing.B) {
	for _, size := range []int{100, 350} {
		b.Run(fmt.Sprint(size, "MiB"), func(b *testing.B) {
			m, raw := manyNodes(1000), make([]byte, 1<<20)
			for i := range size {
				m.Graph.Initializer = append(m.Graph.Initializer,
					&proto.Tensor{Name: fmt.Sprint("w", i), DataType: proto.Float, Dims: []int64{1 << 18}, RawData: raw})
			}
			name := filepath.Join(b.TempDir(), "model.onnx")
			if err := proto.WriteFile(name, m, false); err != nil {
				b.Fatal(err)
			}
			b.SetBytes(int64(size) << 20)
			b.ReportAllocs()
			for b.Loop() {
				f, err := proto.Open(name)
				if err != nil {
					b.Fatal(err)
				}
				if err := f.Close(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
