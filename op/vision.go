package op

import (
	"cmp"
	"slices"
	"unsafe"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/tensor"
)

// Steps of object detectors. The batches are their pieces.
var visionOps = []*Def{nonMaxSuppressionDef, validCountDef, boxSuppressionDef, classSuppressionDef}

// perBatch makes each index of the first dimension of the first result a piece.
func perBatch(_ *Sig, out []Type) int { return out[0].Shape[0] }

// boxTypes are the element types of rows with boxes, and boxInteger the same in Go.
var boxTypes = TypeSet(tensor.Int8, tensor.Int16, tensor.Int32)

type boxInteger interface{ int8 | int16 | int32 }

// boxKernels returns a table for boxTypes.
func boxKernels(i8, i16, i32 Kernel) Kernels {
	return Kernels{tensor.Int8: i8, tensor.Int16: i16, tensor.Int32: i32}
}

// The columns of a row of non_max_suppression's data.
const (
	columnClass = iota
	columnScore
	columnBox  // x1, y1, x2, y2
	boxColumns = 6
)

var nonMaxSuppressionDef = &Def{
	Name: "non_max_suppression",
	Doc: "NonMaxSuppression keeps the boxes that no better one of their class overlaps (CVM non_max_suppression). " +
		"A row of data is (class, score, x1, y1, x2, y2). Of each batch the first valid_count rows (at least 0, at most N) are sorted by score, " +
		"greatest first, equal ones in their order. Among the first top_k of them, rows of class < 0 are skipped, and a row is dropped if its overlap " +
		"with a row already kept, of its class unless force_suppress, is at least iou_threshold. At most max_output_size rows are kept; all others are -1. " +
		"The overlap is 100 · intersection / union, truncated, and 0 for a union or a sum of areas ≤ 0, in 64 bits; beyond (2^63-1)/100 it is " +
		"intersection / max(union / 100, 1). Differences of coordinates are computed in 32 bits, in which they wrap.",
	Spec: Spec{CVM: "non_max_suppression"},
	In: []Operand{
		{Name: "data", Types: boxTypes, Rank: Rank(3), Doc: "boxes, of shape [B, N, 6]"},
		{Name: "valid_count", Types: TypeSet(tensor.Int32), Rank: Rank(1), Doc: "how many rows of each batch count, of shape [B]"},
	},
	Out: []Result{{Name: "output", Like: "data", Doc: "the rows that are kept, best first, then rows of -1"}},
	Attrs: []Attr{
		{Name: "iou_threshold", Kind: graph.KindInt, Default: 50, Range: [2]float64{1, 1<<31 - 1}, Doc: "overlap from which a box is dropped, in percent; at least 1"},
		{Name: "max_output_size", Kind: graph.KindInt, Default: -1, Doc: "the greatest number of boxes to keep in a batch; negative for no limit"},
		{Name: "top_k", Kind: graph.KindInt, Default: -1, Doc: "how many of the best boxes of a batch are looked at; negative for all"},
		{Name: "force_suppress", Kind: graph.KindBool, Default: false, Doc: "whether a box may drop one of another class"},
	},
	Shape: func(s *Sig) ([]tensor.Shape, error) {
		return []tensor.Shape{s.In[0].Shape}, sameBatch(s, boxColumns)
	},
	Ref: Reference{
		Kernels: boxKernels(nonMaxSuppression[int8], nonMaxSuppression[int16], nonMaxSuppression[int32]),
		Pieces:  perBatch,
		Scratch: orderScratch,
	},
	Work: suppressionWork,
	Lane: itemLane("data", "valid_count"),
	Generate: func(r *Rand) Case {
		b, n := r.Extent(), r.Between(1, 4*r.Size)
		data := r.Integers(tensor.Int32, tensor.Shape{b, n, boxColumns}, 0, 60)
		rows := tensor.Data[int32](data)
		for at := 0; at < len(rows); at += boxColumns {
			rows[at+columnClass] = int32(r.Between(-1, 2))
			rows[at+columnBox+2] += rows[at+columnBox]
			rows[at+columnBox+3] += rows[at+columnBox+1]
		}
		return Case{
			In: []*tensor.Tensor{must(tensor.Cast(data, r.DType(boxTypes))), r.Integers(tensor.Int32, tensor.Shape{b}, -1, n+1)},
			Attrs: graph.Attrs{{Name: "iou_threshold", Value: r.Between(1, 60)}, {Name: "max_output_size", Value: r.Between(-1, n)},
				{Name: "top_k", Value: r.Between(-1, n)}, {Name: "force_suppress", Value: r.Bool()}},
		}
	},
}

// sameBatch checks that the rows of the first operand have so many elements, that the second one has one element, or row, for each batch of the
// first, and that boxes can be numbered by int32.
func sameBatch(s *Sig, columns int) error {
	if rows := s.In[0].Shape; rows[2] != columns {
		return s.Errorf(s.Def.In[0].Name, "shape %v has rows of %d elements; they must have %d", rows, rows[2], columns)
	}
	if n := s.In[0].Shape[1]; n > limits.OpBoxes {
		return s.Errorf(s.Def.In[0].Name, "there are %d boxes in a batch; at most %d are allowed", n, limits.OpBoxes)
	}
	if a, b := s.In[0].Shape, s.In[1].Shape; a[0] != b[0] {
		return s.Errorf(s.Def.In[1].Name, "shape %v has %d batches; %s of shape %v has %d", b, b[0], s.Def.In[0].Name, a, a[0])
	}
	return nil
}

// suppressionWork counts some ten operations for each box and, the worst case, each pair of one that is looked at and one that is kept.
func suppressionWork(s *Sig, _ []tensor.Shape) Work {
	b, n := s.In[0].Shape[0], s.In[0].Shape[1]
	looked := atMost(s.Attrs, "top_k", n)
	kept := atMost(s.Attrs, "max_output_size", looked)
	return Work{Ops: max(times(10, b, n), times(10, b, looked, kept))}
}

// atMost returns n, or what an attribute limits it to: nothing where that is negative or not given.
func atMost(attrs graph.Attrs, name string, n int) int {
	if limit, ok := attrs.Get(name).(int); ok && limit >= 0 {
		return min(limit, n)
	}
	return n
}

// orderScratch is room for one int32 for each box of a batch.
func orderScratch(s *Sig, _ []Type) int { return 4 * min(s.In[0].Shape[0], 1) * s.In[0].Shape[1] }

// order returns the scratch memory as the numbers of n boxes.
func order(c *Call, n int) []int32 {
	return unsafe.Slice((*int32)(unsafe.Pointer(unsafe.SliceData(c.Scratch))), n)
}

func nonMaxSuppression[T boxInteger](c *Call, lo, hi int) {
	data, counts, out := tensor.Data[T](c.In[0]), tensor.Data[int32](c.In[1]), tensor.Data[T](c.Out[0])
	threshold, force := int64(c.Int("iou_threshold")), c.Bool("force_suppress")
	n := c.In[0].Shape()[1]
	watch := c.Watch()
	for b := lo; b < hi; b++ {
		rows, kept := data[b*n*boxColumns:(b+1)*n*boxColumns], out[b*n*boxColumns:(b+1)*n*boxColumns]
		valid := min(max(int(counts[b]), 0), n)
		best := order(c, n)[:valid]
		for i := range best {
			best[i] = int32(i)
		}
		slices.SortFunc(best, func(i, j int32) int {
			if watch.Stops(1) {
				return 0 // then the sort ends soon
			}
			if x, y := rows[int(i)*boxColumns+columnScore], rows[int(j)*boxColumns+columnScore]; x != y {
				return cmp.Compare(y, x)
			}
			return int(i) - int(j)
		})
		if k := c.Int("top_k"); k >= 0 && k < valid {
			best = best[:k]
		}
		limit := n
		if m := c.Int("max_output_size"); m >= 0 {
			limit = min(m, n)
		}
		size := 0
		for _, i := range best {
			if size == limit {
				break
			}
			if watch.Stops(1 + 8*size) {
				return
			}
			row := rows[int(i)*boxColumns:][:boxColumns]
			if row[columnClass] >= 0 && !overlapsAny(row, kept[:size*boxColumns], threshold, force) {
				copy(kept[size*boxColumns:], row)
				size++
			}
		}
		for i := size * boxColumns; i < len(kept); i++ {
			kept[i] = -1
		}
	}
}

// overlapsAny reports whether row overlaps one of the kept rows, of its class or any, by threshold percent.
func overlapsAny[T boxInteger](row, kept []T, threshold int64, anyClass bool) bool {
	box := corners(row)
	for ; len(kept) > 0; kept = kept[boxColumns:] {
		if (anyClass || kept[columnClass] == row[columnClass]) && percentOverlap(box, corners(kept)) >= threshold {
			return true
		}
	}
	return false
}

// corners returns the box of a row.
func corners[T boxInteger](row []T) [4]int32 {
	b := row[columnBox:boxColumns]
	return [4]int32{int32(b[0]), int32(b[1]), int32(b[2]), int32(b[3])}
}

// percentOverlap returns the intersection of two boxes in percent of their union.
func percentOverlap(a, b [4]int32) int64 {
	w, h := min(a[2], b[2])-max(a[0], b[0]), min(a[3], b[3])-max(a[1], b[1])
	if w <= 0 || h <= 0 {
		return 0 // as most pairs of boxes
	}
	sum := int64(a[2]-a[0])*int64(a[3]-a[1]) + int64(b[2]-b[0])*int64(b[3]-b[1])
	overlap := int64(w) * int64(h)
	union := sum - overlap
	if sum <= 0 || union <= 0 {
		return 0
	}
	if overlap > (1<<63-1)/100 {
		return overlap / max(union/100, 1) // differences that have wrapped can leave hardly any union
	}
	return overlap * 100 / union
}

var validCountDef = &Def{
	Name: "valid_count",
	Doc: "ValidCount moves the rows whose score, their element 1, is above score_threshold to the front, in their order, and counts them; " +
		"the rest is filled with -1 (CVM get_valid_counts).",
	Spec: Spec{CVM: "get_valid_counts"},
	In:   []Operand{{Name: "data", Types: boxTypes, Rank: Rank(3), Doc: "rows, of shape [B, N, K] with K ≥ 2"}},
	Out: []Result{
		{Name: "count", Type: tensor.Int32, Doc: "the number of rows kept in each batch, of shape [B]"},
		{Name: "boxes", Like: "data", Doc: "the rows kept, then rows of -1"},
	},
	Attrs: []Attr{{Name: "score_threshold", Kind: graph.KindInt, Default: 0, Doc: "a row is kept if its score is greater"}},
	Shape: func(s *Sig) ([]tensor.Shape, error) {
		data := s.In[0].Shape
		if data[2] < 2 {
			return nil, s.Errorf("data", "shape %v has rows of %d elements; they need at least 2", data, data[2])
		}
		return []tensor.Shape{{data[0]}, data}, nil
	},
	Ref: Reference{Kernels: boxKernels(validCount[int8], validCount[int16], validCount[int32]), Pieces: perBatch},
	Work: func(s *Sig, _ []tensor.Shape) Work {
		return Work{Ops: int64(s.In[0].Shape.Len())}
	},
	Lane: itemLane("data"),
	Generate: func(r *Rand) Case {
		shape := tensor.Shape{r.Extent(), r.Extent(), r.Between(2, 7)}
		return Case{In: []*tensor.Tensor{r.Tensor(r.DType(boxTypes), shape)}, Attrs: graph.Attrs{{Name: "score_threshold", Value: r.Between(-50, 50)}}}
	},
}

func validCount[T boxInteger](c *Call, lo, hi int) {
	data, counts, boxes := tensor.Data[T](c.In[0]), tensor.Data[int32](c.Out[0]), tensor.Data[T](c.Out[1])
	n, k := c.In[0].Shape()[1], c.In[0].Shape()[2]
	threshold := c.Int("score_threshold")
	watch := c.Watch()
	for b := lo; b < hi; b++ {
		kept := boxes[b*n*k : (b+1)*n*k]
		size := 0
		for i := range n {
			if watch.Stops(k) {
				return
			}
			if row := data[(b*n+i)*k:][:k]; int(row[1]) > threshold {
				copy(kept[size*k:], row)
				size++
			}
		}
		counts[b] = int32(size)
		for i := size * k; i < len(kept); i++ {
			kept[i] = -1
		}
	}
}

var boxSuppressionDef = &Def{
	Name: "box_suppression",
	Doc: "BoxSuppression returns the indices of the boxes that a detector keeps, best first. " +
		"Of each batch, the boxes with a score above score_threshold are visited by descending score, equal ones in their order. A box is dropped if its " +
		"overlap with a box already kept is above iou_threshold. The overlap is intersection / (area + area - intersection), and 0 where that is not " +
		"above 0; sides that are negative count as 0, and every operation is rounded. At most max_output_size boxes are kept.",
	In: []Operand{
		{Name: "boxes", Types: Singles, Rank: Rank(3), Doc: "corners x1, y1, x2, y2, of shape [B, N, 4]"},
		{Name: "scores", Types: Singles, Like: "boxes", Rank: Rank(2), Doc: "of shape [B, N]; NaN is never kept"},
	},
	Out: []Result{{Name: "indices", Type: tensor.Int64, Doc: "of shape [B, N]: positions of the boxes kept, then -1"}},
	Attrs: []Attr{
		{Name: "iou_threshold", Kind: graph.KindFloat, Default: 0.3, Range: [2]float64{0, 1}, Doc: "overlap above which a box is dropped, 0 to 1"},
		{Name: "score_threshold", Kind: graph.KindFloat, Default: 0.7, Doc: "the score that a box must exceed"},
		{Name: "max_output_size", Kind: graph.KindInt, Default: -1, Doc: "the greatest number of boxes to keep in a batch; negative for no limit"},
	},
	Shape: func(s *Sig) ([]tensor.Shape, error) {
		boxes, scores := s.In[0].Shape, s.In[1].Shape
		if err := sameBatch(s, 4); err != nil {
			return nil, err
		}
		if scores[1] != boxes[1] {
			return nil, s.Errorf("scores", "shape %v has %d scores a batch; boxes of shape %v has %d boxes", scores, scores[1], boxes, boxes[1])
		}
		return []tensor.Shape{scores}, nil
	},
	Ref:  Reference{Kernels: singleKernel(boxSuppression), Pieces: perBatch, Scratch: orderScratch},
	Work: suppressionWork,
	Lane: itemLane("boxes", "scores"),
	Generate: func(r *Rand) Case {
		b, n, d := r.Extent(), r.Between(1, 4*r.Size), r.DType(Singles)
		boxes := r.Uniform(tensor.Float32, tensor.Shape{b, n, 4}, 0, 1)
		corners := tensor.Data[float32](boxes)
		for at := 0; at < len(corners); at += 4 {
			corners[at+2] += corners[at]
			corners[at+3] += corners[at+1]
		}
		return Case{
			In: []*tensor.Tensor{must(tensor.Cast(boxes, d)), r.Uniform(d, tensor.Shape{b, n}, 0, 1)},
			Attrs: graph.Attrs{{Name: "iou_threshold", Value: r.Float64()}, {Name: "score_threshold", Value: r.Float64()},
				{Name: "max_output_size", Value: r.Between(-1, n)}},
		}
	},
}

func boxSuppression(c *Call, lo, hi int) {
	boxes, scores, out := tensor.Data[float32](c.In[0]), tensor.Data[float32](c.In[1]), tensor.Data[int64](c.Out[0])
	iou, least := float32(c.Float("iou_threshold")), float32(c.Float("score_threshold"))
	n, watch := c.In[0].Shape()[1], c.Watch()
	for b := lo; b < hi; b++ {
		rows, kept := boxes[b*n*4:(b+1)*n*4], out[b*n:(b+1)*n]
		limit := atMost(c.Attrs, "max_output_size", n)
		size := keepBest(rows, scores[b*n:(b+1)*n], order(c, n), kept[:limit], iou, least, &watch)
		for i := size; i < n; i++ {
			kept[i] = -1
		}
	}
}

// keepBest sets kept to the numbers of the boxes to keep, best first, and returns how many they are, at most as many as kept has room for.
// It overwrites best, which is as long as score.
func keepBest(boxes, score []float32, best []int32, kept []int64, iou, least float32, watch *Watch) int {
	best = best[:0]
	for i, s := range score {
		if s > least {
			best = append(best, int32(i)) // within the scratch memory
		}
	}
	slices.SortFunc(best, func(i, j int32) int {
		if watch.Stops(1) { // Without this it would end after the sort.
			return 0
		}
		return cmp.Or(cmp.Compare(score[j], score[i]), cmp.Compare(i, j))
	})
	size := 0
	for _, i := range best {
		if size == len(kept) || watch.Stops(1+8*size) {
			break
		}
		box := [4]float32(boxes[4*int(i):])
		if !slices.ContainsFunc(kept[:size], func(k int64) bool { return overlapRatio(box, [4]float32(boxes[4*k:])) > iou }) {
			kept[size] = int64(i)
			size++
		}
	}
	return size
}

// overlapRatio returns the intersection of two boxes over their union.
func overlapRatio(a, b [4]float32) float32 {
	area := func(x1, y1, x2, y2 float32) float32 { return float32(max(x2-x1, 0) * max(y2-y1, 0)) }
	overlap := area(max(a[0], b[0]), max(a[1], b[1]), min(a[2], b[2]), min(a[3], b[3]))
	union := area(a[0], a[1], a[2], a[3]) + area(b[0], b[1], b[2], b[3]) - overlap
	if union > 0 {
		return overlap / union
	}
	return 0
}
