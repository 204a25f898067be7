package conform_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/concord-nn/concord/internal/conform"
	"github.com/concord-nn/concord/onnx/proto"
)

// TestONNX runs cases of the standard's kind: what is equal, what differs, and what is out of scope.
func TestONNX(t *testing.T) {
	value := func(name string, kind proto.DataType, dims []int64, raw ...byte) *proto.Tensor {
		return &proto.Tensor{Name: name, DataType: kind, Dims: dims, RawData: raw}
	}
	declared := func(name string, kind proto.DataType, optional bool, dims ...int64) *proto.ValueInfo {
		shape := &proto.Shape{}
		for _, n := range dims {
			shape.Dim = append(shape.Dim, &proto.Dim{Known: true, Value: n})
		}
		typ := &proto.Type{Tensor: &proto.TensorType{ElemType: kind, Shape: shape}}
		if optional {
			typ = &proto.Type{Optional: &proto.ElementType{ElemType: typ}}
		}
		return &proto.ValueInfo{Name: name, Type: typ}
	}
	identity := func(kind proto.DataType, dims ...int64) *proto.Graph {
		return &proto.Graph{Name: "g", Input: []*proto.ValueInfo{declared("x", kind, false, dims...)}, Output: []*proto.ValueInfo{{Name: "y"}},
			Node: []*proto.Node{{OpType: "Identity", Input: []string{"x"}, Output: []string{"y"}}}}
	}
	asks := &proto.Graph{Name: "g", Input: []*proto.ValueInfo{declared("x", proto.Int32, true)}, Output: []*proto.ValueInfo{{Name: "y"}},
		Node: []*proto.Node{{OpType: "OptionalHasElement", Input: []string{"x"}, Output: []string{"y"}}}}
	labelled := identity(proto.Float, 1)
	labelled.Node[0].OpType, labelled.Node[0].Name = "Relu", "a label"
	absent := []byte{0x0a, 1, 'x', 0x10, 0} // an optional of no kind
	two := []int64{2}
	for _, c := range []struct {
		name     string
		graph    *proto.Graph
		in, want any // tensors, or files
		status   conform.Status
		detail   string
	}{
		{"equal", identity(proto.Int8, 2), value("x", proto.Int8, two, 1, 2), value("y", proto.Int8, two, 1, 2), conform.Passed, ""},
		{"differs", identity(proto.Int8, 2), value("x", proto.Int8, two, 1, 2), value("y", proto.Int8, two, 1, 3), conform.Failed, "element 1 differs: its bytes have 02; want 03"},
		{"zeros of small floats", identity(proto.Float4E2M1, 2), value("x", proto.Float4E2M1, two, 0x18), value("y", proto.Float4E2M1, two, 0x10), conform.Passed, ""},
		{"small floats differ", identity(proto.Float4E2M1, 2), value("x", proto.Float4E2M1, two, 0x18), value("y", proto.Float4E2M1, two, 0x20), conform.Failed,
			"element 1 is 0.5; want 1"},
		{"infinities", identity(proto.Float, 1), value("x", proto.Float, []int64{1}, 0, 0, 128, 127), value("y", proto.Float, []int64{1}, 0, 0, 128, 127), conform.Passed, ""},
		{"no infinity", identity(proto.Float, 1), value("x", proto.Float, []int64{1}, 0, 0, 128, 63), value("y", proto.Float, []int64{1}, 0, 0, 128, 127), conform.Failed,
			"element 0 is 1; want +Inf"},
		{"a folder [1]", identity(proto.Int8, 2), value("x", proto.Int8, two, 1, 2), value("y", proto.Int8, two, 1, 3), conform.Failed, "element 1 differs"},
		{"a label", labelled, value("x", proto.Float, []int64{1}, 0, 0, 128, 63), value("y", proto.Float, []int64{1}, 0, 0, 128, 63), conform.Passed, ""},
		{"no value", asks, absent, value("y", proto.Bool, nil, 0), conform.Passed, ""},
		{"no value where one must be", identity(proto.Int8), absent, value("y", proto.Int8, nil, 0), conform.Failed, "there is no value"},
		{"no value to compare with", identity(proto.Int8), value("x", proto.Int8, nil, 0), absent, conform.Failed, "there is no value"},
		{"strings", identity(proto.String), absent, absent, conform.Skipped, "out of scope"},
	} {
		dir := filepath.Join(t.TempDir(), c.name)
		set := filepath.Join(dir, "test_data_set_0")
		if err := os.MkdirAll(set, 0o700); err != nil {
			t.Fatal(err)
		}
		model, err := proto.Encode(&proto.Model{IRVersion: 13, OpsetImport: []*proto.OperatorSet{{Version: 25}}, Graph: c.graph})
		if err != nil {
			t.Fatal(err)
		}
		for path, content := range map[string]any{"model.onnx": model, "test_data_set_0/input_0.pb": c.in, "test_data_set_0/output_0.pb": c.want} {
			data, ok := content.([]byte)
			if !ok {
				if data, err = proto.EncodeTensor(content.(*proto.Tensor)); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.WriteFile(filepath.Join(dir, path), data, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		cases, err := conform.Find(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range conform.Engines {
			for _, r := range conform.Run(context.Background(), cases, conform.Options{Engine: &e}) {
				if r.Status != c.status || !strings.Contains(r.Detail, c.detail) {
					t.Errorf("%s, %s: %s, %q; want %s, %q", e.Name, c.name, r.Status, r.Detail, c.status, c.detail)
				}
			}
		}
	}
}
