package op_test

import (
	"slices"
	"testing"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/tensor"
)

// TestClassBoxSuppression has the cases of ONNX's test_nonmaxsuppression.
func TestClassBoxSuppression(t *testing.T) {
	corners := []float32{0, 0, 1, 1, 0, 0.1, 1, 1.1, 0, -0.1, 1, 0.9, 0, 10, 1, 11, 0, 10.1, 1, 11.1, 0, 100, 1, 101}
	flipped := []float32{1, 1, 0, 0, 0, 0.1, 1, 1.1, 0, 0.9, 1, -0.1, 0, 10, 1, 11, 1, 10.1, 0, 11.1, 1, 101, 0, 100}
	centered := []float32{0.5, 0.5, 1, 1, 0.5, 0.6, 1, 1, 0.5, 0.4, 1, 1, 0.5, 10.5, 1, 1, 0.5, 10.6, 1, 1, 0.5, 100.5, 1, 1}
	scores := []float32{0.9, 0.75, 0.6, 0.95, 0.5, 0.3}
	identical := make([]float32, 0, 40)
	for range 10 {
		identical = append(identical, 0, 0, 1, 1)
	}
	ties := []float32{0.9, 0.9, 0.9, 0.9, 0.9, 0.9, 0.9, 0.9, 0.9, 0.9}
	three := []int64{0, 0, 3, 0, 0, 0, 0, 0, 5}
	for _, c := range []struct {
		name                    string
		boxes, scores           []float32
		batches, classes, limit int
		iou, least              float64
		more                    graph.Attrs
		want                    []int64
	}{
		{"suppress by IOU", corners, scores, 1, 1, 3, 0.5, 0, nil, three},
		{"and by scores", corners, scores, 1, 1, 3, 0.5, 0.4, nil, three[:6]},
		{"flipped coordinates", flipped, scores, 1, 1, 3, 0.5, 0, nil, three},
		{"center point box", centered, scores, 1, 1, 3, 0.5, 0, graph.Attrs{with("centered", true)}, three},
		{"centers far enough apart", []float32{0, 0, 4, 4, 3, 3, 4, 4}, []float32{0.9, 0.8}, 1, 1, 2, 0.05, 0, graph.Attrs{with("centered", true)}, []int64{0, 0, 0, 0, 0, 1}},
		{"identical boxes", identical, ties, 1, 1, 3, 0.5, 0, nil, []int64{0, 0, 0}},
		{"limit output size", corners, scores, 1, 1, 2, 0.5, 0, nil, three[:6]},
		{"more than there are", corners, scores, 1, 1, 100, 0.5, 0, nil, three},
		{"none", corners, scores, 1, 1, 0, 0.5, 0, nil, nil},
		{"single box", corners[:4], scores[:1], 1, 1, 3, 0.5, 0, nil, []int64{0, 0, 0}},
		{"two classes", corners, slices.Repeat(scores, 2), 1, 2, 2, 0.5, 0, nil, []int64{0, 0, 3, 0, 0, 0, 0, 1, 3, 0, 1, 0}},
		{"two batches", slices.Repeat(corners, 2), slices.Repeat(scores, 2), 2, 1, 2, 0.5, 0, nil, []int64{0, 0, 3, 0, 0, 0, 1, 0, 3, 1, 0, 0}},
		{"IOU at the threshold", []float32{0, 0, 1, 1, 0, 0, 1, 0.5}, []float32{0.9, 0.8}, 1, 1, 2, 0.5, 0, nil, []int64{0, 0, 0, 0, 0, 1}},
		{"IOU above the threshold", []float32{0, 0, 1, 1, 0, 0, 1, 0.5}, []float32{0.9, 0.8}, 1, 1, 2, 0.49, 0, nil, []int64{0, 0, 0}},
		{"no NaN", corners[:8], []float32{nan, -1}, 1, 1, 2, 0.5, -2, nil, []int64{0, 0, 1}},
	} {
		n := len(c.boxes) / 4 / c.batches
		attrs := append(graph.Attrs{with("max_output_size", c.limit), with("iou_threshold", c.iou), with("score_threshold", c.least)}, c.more...)
		out := evalAll(t, "class_box_suppression", attrs, shaped(tensor.Shape{c.batches, n, 4}, c.boxes...), shaped(tensor.Shape{c.batches, c.classes, n}, c.scores...))
		bound := 3 * c.batches * c.classes * min(n, c.limit)
		sameInts(t, c.name, out[0], slices.Concat(c.want, make([]int64, bound-len(c.want)))...)
		sameInts(t, c.name+", count", out[1], int64(len(c.want)/3))
	}
	boxes := shaped(tensor.Shape{1, 6, 4}, corners...)
	limit := graph.Attrs{with("max_output_size", 1)}
	rejected(t, "class_box_suppression", nil, boxes, shaped(tensor.Shape{1, 1, 6}, scores...))
	rejected(t, "class_box_suppression", limit, boxes, shaped(tensor.Shape{1, 1, 5}, scores[:5]...))
	rejected(t, "class_box_suppression", limit, boxes, shaped(tensor.Shape{2, 1, 3}, scores...))
	empty := evalAll(t, "class_box_suppression", limit, must(tensor.New(tensor.Float32, tensor.Shape{0, 3, 4})), must(tensor.New(tensor.Float32, tensor.Shape{0, 2, 3})))
	sameInts(t, "no batch", empty[1], 0)
}
