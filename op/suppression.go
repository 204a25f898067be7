package op

import (
	"math"
	"unsafe"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/tensor"
)

var classSuppressionDef = &Def{
	Name: "class_box_suppression",
	Doc: `Class_box_suppression returns the boxes that a detector keeps of each batch and class, and how many they are (ONNX NonMaxSuppression).

Each row of selected is (batch, class, box): all of the first class of the first batch, best first, then of the next class; rows from count on
are 0. Of each batch and class, boxes are visited, dropped and kept as by box_suppression with corners x1 ≤ x2, y1 ≤ y2: those of two opposite
corners are the lesser and the greater of both, those of a centre are x - w/2, y - h/2, x + w/2, y + h/2. No score of NaN is kept.`,
	In: []Operand{
		{Name: "boxes", Types: TypeSet(tensor.Float32), Rank: Rank(3), Doc: "of shape [B, N, 4]: y1, x1, y2, x2, or x, y, w, h if centered"},
		{Name: "scores", Types: TypeSet(tensor.Float32), Rank: Rank(3), Doc: "of shape [B, C, N]"},
	},
	Out: []Result{
		{Name: "selected", Type: tensor.Int64, Doc: "of shape [B·C·min(N, max_output_size), 3]"},
		countResult("rows of selected that mean a box"),
	},
	Attrs: []Attr{
		{Name: "max_output_size", Kind: graph.KindInt, Range: [2]float64{0, math.MaxInt32}, Doc: "the greatest number of boxes to keep of a batch and class"},
		{Name: "iou_threshold", Kind: graph.KindFloat, Default: 0.0, Range: [2]float64{0, 1}, Doc: "overlap above which a box is dropped, 0 to 1"},
		{Name: "score_threshold", Kind: graph.KindFloat, Default: -math.MaxFloat32, Doc: "the score that a box must exceed"},
		{Name: "centered", Kind: graph.KindBool, Default: false, Doc: "whether boxes are given by centre and extents, and not by two opposite corners"},
	},
	Shape: func(s *Sig) ([]tensor.Shape, error) {
		boxes, scores := s.In[0].Shape, s.In[1].Shape
		if err := sameBatch(s, 4); err != nil {
			return nil, err
		}
		if scores[2] != boxes[1] {
			return nil, s.Errorf("scores", "shape %v has %d scores for a class; boxes of shape %v has %d boxes", scores, scores[2], boxes, boxes[1])
		}
		return []tensor.Shape{{scores[0] * scores[1] * min(scores[2], s.Int("max_output_size")), 3}, {}}, nil
	},
	Ref: Reference{Kernels: singleKernel(classSuppression), Scratch: func(s *Sig, _ []Type) int {
		return 5 * orderScratch(s, nil) // the numbers of boxes, and their corners
	}},
	NonNegative: always,
	Work: func(s *Sig, out []tensor.Shape) Work {
		b, c, n := s.In[1].Shape[0], s.In[1].Shape[1], s.In[1].Shape[2]
		kept := min(n, s.Int("max_output_size"))
		return Work{Ops: 1 + max(times(10, b, max(c, 1), n), times(10, b, c, n, kept))}
	},
	Generate: func(r *Rand) Case {
		b, c, n := r.Extent(), r.Between(1, 3), r.Between(1, 4*r.Size)
		return Case{
			In: []*tensor.Tensor{r.Uniform(tensor.Float32, tensor.Shape{b, n, 4}, 0, 1), r.Uniform(tensor.Float32, tensor.Shape{b, c, n}, 0, 1)},
			Attrs: graph.Attrs{{Name: "max_output_size", Value: r.Between(0, n+1)}, {Name: "iou_threshold", Value: r.Float64()},
				{Name: "score_threshold", Value: r.Float64() / 2}, {Name: "centered", Value: r.Bool()}},
		}
	},
}

// classSuppression computes the whole results: where a row stands depends on all before.
func classSuppression(c *Call, _, _ int) {
	boxes, scores, selected := tensor.Data[float32](c.In[0]), tensor.Data[float32](c.In[1]), tensor.Data[int64](c.Out[0])
	iou, least, watch := float32(c.Float("iou_threshold")), float32(c.Float("score_threshold")), c.Watch()
	shape := c.In[1].Shape()
	n, limit, count := shape[2], min(shape[2], c.Int("max_output_size")), 0
	if total := tensor.Data[int64](c.Out[1]); len(selected) == 0 {
		total[0] = 0
		return
	}
	corners := unsafe.Slice((*float32)(unsafe.Pointer(unsafe.SliceData(c.Scratch[4*n:]))), 4*n)
	for b := range shape[0] {
		setCorners(corners, boxes[b*n*4:(b+1)*n*4], c.Bool("centered"))
		for class := range shape[1] {
			// The numbers of boxes stand first where the rows will, which are made of them from the last one on.
			rows, score := selected[3*count:], scores[(b*shape[1]+class)*n:][:n]
			size := keepBest(corners, score, order(c, n), rows[:limit], iou, least, &watch)
			if watch.Stops(n) { // Without this it would end in the next class.
				return
			}
			for i := size - 1; i >= 0; i-- {
				rows[3*i], rows[3*i+1], rows[3*i+2] = int64(b), int64(class), rows[i]
			}
			count += size
		}
	}
	clear(selected[3*count:])
	tensor.Data[int64](c.Out[1])[0] = int64(count)
}

// setCorners sets the corners x1, y1, x2, y2 of boxes that are given in another way.
func setCorners(corners, boxes []float32, centered bool) {
	for i := 0; i < len(boxes); i += 4 {
		to, b := corners[i:i+4], boxes[i:i+4]
		if centered {
			w, h := float32(b[2]/2), float32(b[3]/2)
			to[0], to[1], to[2], to[3] = b[0]-w, b[1]-h, b[0]+w, b[1]+h
		} else {
			to[0], to[1], to[2], to[3] = min(b[1], b[3]), min(b[0], b[2]), max(b[1], b[3]), max(b[0], b[2])
		}
	}
}
