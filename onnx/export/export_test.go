package export_test

import (
	"context"
	"testing"

	"github.com/concord-nn/concord/engine"
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/testing/exported"
	"github.com/concord-nn/concord/model"
	"github.com/concord-nn/concord/onnx"
	"github.com/concord-nn/concord/onnx/export"
	"github.com/concord-nn/concord/onnx/proto"
	"github.com/concord-nn/concord/tensor"
)

// written returns the model that a graph becomes, written and read again.
func written(t testing.TB, g *graph.Graph) *proto.Model {
	t.Helper()
	m, err := export.New(g, export.Options{})
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
func runs(m *proto.Model, inputs map[string]*tensor.Tensor, o engine.Options) (model.Values, error) {
	f, err := onnx.New(m)
	if err != nil {
		return nil, err
	}
	n, err := f.Network()
	if err != nil {
		return nil, err
	}
	p := model.NewPrograms(n, o, 0)
	defer p.Close()
	return p.Run(context.Background(), inputs)
}

// same reports whether two tensors have the same type and bits.
func same(got, want *tensor.Tensor) bool {
	return exported.Bits(got, want) && got.DType() == want.DType()
}
