package bulk_test

import (
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/concord-nn/concord/bulk"
	"github.com/concord-nn/concord/onnx/proto"
)

// lookup writes a model that takes rows of a table, any number of samples at a time.
func lookup(t *testing.T) string {
	t.Helper()
	value := func(name string, d proto.DataType, last ...*proto.Dim) *proto.ValueInfo {
		shape := &proto.Shape{Dim: append([]*proto.Dim{{Param: "N"}}, last...)}
		return proto.NewValueInfo(name, d, shape)
	}
	table := &proto.Tensor{Name: "table", DataType: proto.Float, Dims: []int64{3, 2}, FloatData: []float32{1, 2, 3, 4, 5, 6}}
	m := &proto.Model{IRVersion: 8, OpsetImport: []*proto.OperatorSet{{Version: 17}}, Graph: &proto.Graph{
		Name: "lookup", Input: []*proto.ValueInfo{value("x", proto.Int64)}, Initializer: []*proto.Tensor{table},
		Output: []*proto.ValueInfo{value("y", proto.Float, &proto.Dim{Known: true, Value: 2})},
		Node:   []*proto.Node{{OpType: "Gather", Input: []string{"table", "x"}, Output: []string{"y"}}},
	}}
	name := filepath.Join(t.TempDir(), "lookup.onnx")
	if err := proto.WriteFile(name, m, false); err != nil {
		t.Fatal(err)
	}
	return name
}

// TestBatchErrors has inputs that cannot be computed, and one of two samples, among others: the records are those of each alone, and whether there
// is a batch does not make it another job.
func TestBatchErrors(t *testing.T) {
	list := listed(t, "x.jsonl", `{"x": [0]}`, `{"x": [2]}`, `{"x": [1, 1]}`, `{"x": [1.5]}`, `{"x": [1]}`)
	model := lookup(t)
	for _, format := range bulk.Formats {
		opts := bulk.Options{Inputs: []string{list}, SkipErrors: true, Format: format}
		if format == bulk.NPZ { // which has no room for an input of two samples
			opts.Inputs = []string{listed(t, "y.jsonl", `{"x": [0]}`, `{"x": ["a"]}`, `{"x": [2]}`, `{"x": [1]}`)}
		}
		alone := open(t, model, opts)
		opts.Batch = 4
		together := open(t, model, opts)
		if a, b := written(t, alone, 0), written(t, together, 0); a != b {
			t.Errorf("in a batch %s, alone %s", b, a)
		}
		if alone.Digest() != together.Digest() {
			t.Errorf("%s: the batch decides about the digest of the job", format)
		}
	}
}

// TestBatchPictures finds boxes in pictures of different sizes: each stands in the pixels of its own picture.
func TestBatchPictures(t *testing.T) {
	model := network(t, `graph n(x) -> (y, s)
{
    x = external<scalar>(shape = [1,1,2,2]);
    y = reshape(x, shape = [0,1,4]);
    m = max_reduce(x, axes = [1,2,3]);
    s = reshape(m, shape = [0,1,1]);
}
`)
	write(t, model+".concord.json", []byte(`{"version": 1,
		"inputs": {"x": {"kind": "image", "resize": "stretch", "colour": "gray", "std": 255}},
		"outputs": {"y": {"kind": "boxes", "scores": "s", "labels": ["half"]}}}`))
	dir := t.TempDir()
	for k := range 5 {
		picture := image.NewGray(image.Rect(0, 0, 2*k+2, 2))
		for x := range 2*k + 2 {
			picture.SetGray(x, 1, color.Gray{Y: 255})
		}
		f, err := os.Create(filepath.Join(dir, fmt.Sprintf("%d.png", k)))
		if err != nil {
			t.Fatal(err)
		}
		if err := png.Encode(f, picture); err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
	want := written(t, open(t, model, bulk.Options{Inputs: []string{dir}}), 0)
	if !strings.Contains(want, `"right":10,`) {
		t.Fatal(want)
	}
	for _, n := range []int{2, 3, 5} {
		if got := written(t, open(t, model, bulk.Options{Inputs: []string{dir}, Batch: n, Workers: 2}), 0); got != want {
			t.Errorf("batches of %d give %s, want %s", n, got, want)
		}
	}
}
