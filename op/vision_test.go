package op_test

import (
	"math"
	"slices"
	"testing"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

func TestNonMaxSuppression(t *testing.T) {
	// Rows of class, score, x1, y1, x2, y2. The second overlaps the first by 81 %, the third is of another class, the
	// fourth stands apart and ties with the fifth, which has no class.
	rows := []int32{
		0, 90, 0, 0, 10, 10,
		0, 80, 1, 0, 10, 9,
		1, 70, 0, 0, 10, 10,
		0, 60, 50, 50, 60, 60,
		-1, 60, 70, 70, 80, 80,
		0, 99, 90, 90, 95, 95, // beyond valid_count
	}
	for _, c := range []struct {
		name  string
		valid int32
		attrs graph.Attrs
		want  []int // the rows kept
	}{
		{"defaults", 5, nil, []int{0, 2, 3}},
		{"all rows", 100, nil, []int{5, 0, 2, 3}},
		{"no rows", -4, nil, nil},
		{"threshold met", 5, graph.Attrs{{Name: "iou_threshold", Value: 81}}, []int{0, 2, 3}},
		{"threshold missed", 5, graph.Attrs{{Name: "iou_threshold", Value: 82}}, []int{0, 1, 2, 3}},
		{"any class", 5, graph.Attrs{{Name: "force_suppress", Value: true}}, []int{0, 3}},
		{"top 2", 5, graph.Attrs{{Name: "top_k", Value: 2}}, []int{0}},
		{"top 0", 5, graph.Attrs{{Name: "top_k", Value: 0}}, nil},
		{"two boxes", 5, graph.Attrs{{Name: "max_output_size", Value: 2}}, []int{0, 2}},
		{"no boxes", 5, graph.Attrs{{Name: "max_output_size", Value: 0}}, nil},
	} {
		got := apply[int32](t, "non_max_suppression", c.attrs, must(tensor.FromSlice(rows, 1, 6, 6)), vec(c.valid))
		var want []int32
		for _, i := range c.want {
			want = append(want, rows[6*i:6*i+6]...)
		}
		for len(want) < len(rows) {
			want = append(want, -1)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", c.name, got, want)
		}
	}
	data := must(tensor.FromSlice(rows, 1, 6, 6))
	rejected(t, "non_max_suppression", graph.Attrs{{Name: "iou_threshold", Value: 0}}, data, vec[int32](1))
	rejected(t, "non_max_suppression", nil, data, vec[int32](1, 1))
	rejected(t, "non_max_suppression", nil, must(tensor.FromSlice(rows, 1, 9, 4)), vec[int32](1))
}

func TestSuppressionKeepsOrderOfTies(t *testing.T) {
	var rows []int32
	for i := range int32(40) {
		rows = append(rows, 0, 7-i%2, 10*i, 0, 10*i+5, 5)
	}
	got := apply[int32](t, "non_max_suppression", nil, must(tensor.FromSlice(rows, 1, 40, 6)), vec[int32](40))
	for i := range 40 {
		want := int32(20*i) * 1
		if i >= 20 {
			want = int32(20*(i-20) + 10)
		}
		if got[6*i+2] != want {
			t.Fatalf("row %d starts at %d, want %d", i, got[6*i+2], want)
		}
	}
}

func TestPercentOverlap(t *testing.T) {
	for _, c := range []struct {
		name string
		a, b [4]int32
		want int64
	}{
		{"same", [4]int32{0, 0, 4, 4}, [4]int32{0, 0, 4, 4}, 100},
		{"a third, truncated", [4]int32{0, 0, 2, 1}, [4]int32{1, 0, 3, 1}, 33},
		{"touching", [4]int32{0, 0, 2, 2}, [4]int32{2, 0, 4, 2}, 0},
		{"no area", [4]int32{1, 1, 1, 1}, [4]int32{1, 1, 1, 1}, 0},
		{"turned over", [4]int32{4, 4, 0, 0}, [4]int32{0, 0, 4, 4}, 0},
		{"negative area", [4]int32{4, 0, 0, 4}, [4]int32{0, 0, 4, 4}, 0},
		{"almost no union after wrapping", [4]int32{-math.MaxInt32, 0, math.MaxInt32, 1 << 30}, [4]int32{0, 0, 1<<30 + 1, 1<<30 + 2}, 1<<60 + 1<<30},
		{"no union after wrapping", [4]int32{-math.MaxInt32, 0, math.MaxInt32, 4}, [4]int32{0, 0, 4, 6}, 0},
		{"beyond 2^63/100", [4]int32{0, 0, 1 << 29, 1 << 29}, [4]int32{0, 0, 1 << 29, 1 << 28}, 50},
	} {
		row := func(score int32, box [4]int32) []int32 { return append([]int32{0, score}, box[:]...) }
		boxes := ints32(append(row(2, c.a), row(1, c.b)...), 1, 2, 6)
		most := min(c.want, math.MaxInt32)
		for threshold, kept := range map[int64]bool{max(most, 1): most == 0, most + 1: true} {
			if threshold > math.MaxInt32 {
				continue
			}
			out := evalAll(t, "non_max_suppression", graph.AttrsOf("iou_threshold", int(threshold)), boxes, vec[int32](2))
			if got := tensor.Data[int32](out[0])[7] == 1; got != kept {
				t.Errorf("%s: the other box is kept %v with a threshold of %d, want %v", c.name, got, threshold, kept)
			}
		}
	}
}

func TestValidCount(t *testing.T) {
	data := must(tensor.FromSlice([]int32{1, 5, 2, 6, 3, 7, 4, 4, 5, -9, 6, 5}, 2, 3, 2))
	d, _ := op.Lookup("valid_count")
	out, err := op.Eval(d, []*tensor.Tensor{data}, graph.Attrs{{Name: "score_threshold", Value: 5}})
	if err != nil {
		t.Fatal(err)
	}
	if got := tensor.Data[int32](out[0]); !slices.Equal(got, []int32{2, 0}) {
		t.Errorf("counts = %v", got)
	}
	if got := tensor.Data[int32](out[1]); !slices.Equal(got, []int32{2, 6, 3, 7, -1, -1, -1, -1, -1, -1, -1, -1}) {
		t.Errorf("boxes = %v", got)
	}
	rejected(t, "valid_count", nil, must(tensor.FromSlice([]int32{1, 2}, 1, 2, 1)))
}

func TestBoxSuppression(t *testing.T) {
	boxes := must(tensor.FromSlice([]float32{
		0, 0, 1, 1,
		0, 0, 1, 0.5, // half of the first
		2, 2, 3, 3,
		2, 2, 3, 3,
		5, 5, 4, 4, // no sides
		5, 5, 4, 4,
	}, 1, 6, 4))
	scores := must(tensor.FromSlice([]float32{0.9, 0.95, 0.8, 0.8, 0.75, nan}, 1, 6))
	for _, c := range []struct {
		name  string
		attrs graph.Attrs
		want  []int64
	}{
		{"defaults", nil, []int64{1, 2, 4, -1, -1, -1}},
		{"half is not above a half", graph.Attrs{{Name: "iou_threshold", Value: 0.5}}, []int64{1, 0, 2, 4, -1, -1}},
		{"scores above 0.8", graph.Attrs{{Name: "score_threshold", Value: 0.8125}}, []int64{1, -1, -1, -1, -1, -1}},
		{"two boxes", graph.Attrs{{Name: "max_output_size", Value: 2}}, []int64{1, 2, -1, -1, -1, -1}},
	} {
		if got := apply[int64](t, "box_suppression", c.attrs, boxes, scores); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
	rejected(t, "box_suppression", nil, boxes, must(tensor.FromSlice([]float32{1, 1}, 1, 2)))
}
