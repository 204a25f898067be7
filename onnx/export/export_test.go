package export_test

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"testing"

	"github.com/concord-nn/concord/engine"
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/model"
	"github.com/concord-nn/concord/nnef"
	"github.com/concord-nn/concord/onnx"
	"github.com/concord-nn/concord/onnx/export"
	"github.com/concord-nn/concord/onnx/proto"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// application returns a graph that applies an operator to the operands of a case: to inputs, or to constants where constant says so.
func application(t testing.TB, d *op.Def, c op.Case, constant func(i int) bool) (*graph.Graph, map[string]*tensor.Tensor) {
	t.Helper()
	b := graph.NewBuilder(op.Rules, d.Name)
	in := make([]*graph.Value, len(c.In))
	inputs := make(map[string]*tensor.Tensor)
	for i, x := range c.In {
		if x == nil {
			continue
		}
		var err error
		if name := fmt.Sprintf("in%d", i); constant(i) {
			in[i], err = b.Constant(name, "", x.Contiguous())
		} else {
			inputs[name] = x
			in[i], err = b.Input(name, graph.TypeOf(x))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	out, err := b.Add(graph.Node{Op: d.Name, In: in, Attrs: c.Attrs, Blocks: c.Blocks})
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range out {
		if err := b.Output(fmt.Sprintf("out%d", i), v); err != nil {
			t.Fatal(err)
		}
	}
	g, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return g, inputs
}

var update = flag.Bool("update", false, "write golden files anew")

// golden compares with a file of testdata, or writes it.
func golden(t testing.TB, path string, got []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s is not up to date; if that is meant, run go test ./onnx/export -update. Got:\n%s", path, got)
	}
}

// exported returns the model that a graph becomes, written and read again.
func exported(t testing.TB, g *graph.Graph) *proto.Model {
	t.Helper()
	m, err := export.New(g, export.Options{Expand: nnef.ExpandBody})
	if err != nil {
		t.Fatal(err)
	}
	return again(t, m)
}

// again writes and reads a model.
func again(t testing.TB, m *proto.Model) *proto.Model {
	t.Helper()
	data, err := proto.Encode(m)
	if err != nil {
		t.Fatal(err)
	}
	m, err = proto.Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// runs evaluates a model.
func runs(m *proto.Model, inputs map[string]*tensor.Tensor) (model.Values, error) {
	f, err := onnx.New(m)
	if err != nil {
		return nil, err
	}
	n, err := f.Network()
	if err != nil {
		return nil, err
	}
	p := model.NewPrograms(n, engine.Options{Threads: 1}, 0)
	defer p.Close()
	return p.Run(context.Background(), inputs)
}

// same reports whether two tensors have the same bits.
func same(got, want *tensor.Tensor) bool {
	return got != nil && got.DType() == want.DType() && got.Shape().Equal(want.Shape()) &&
		bytes.Equal(got.Contiguous().Bytes(), want.Contiguous().Bytes())
}
