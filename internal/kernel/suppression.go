package kernel

import (
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// Suppression of boxes of integers, in Go. Rows come from a heap, as most are never looked at. Pairs of boxes that do not overlap, or of different classes,
// which most do not or are, are passed over by one jump for all reasons.

// suppressionKernels has the row of non_max_suppression.
var suppressionKernels = []Kernel{{Name: "boxes", Op: "non_max_suppression", In: []op.Types{op.TypeSet(tensor.Int8, tensor.Int16, tensor.Int32)},
	Prepare: alone(func(a *application) *Plan {
		switch a.in[0].DType {
		case tensor.Int8:
			return suppressionOf[int8](a)
		case tensor.Int16:
			return suppressionOf[int16](a)
		}
		return suppressionOf[int32](a)
	})}}

// rowBox is the box of a row (class, score, x1, y1, x2, y2).
type rowBox struct {
	class          int32
	x1, y1, x2, y2 int32
	area           int64
}

const (
	boxElements = 6
	rowBoxBytes = 32
	boxKeyBytes = 8
	boxBits     = 31 // that number a row
)

func suppressionOf[T int8 | int16 | int32](a *application) *Plan {
	n, threshold := a.in[0].Shape[1], int64(a.Int("iou_threshold"))
	looked, limit, sameClass := n, n, int32(-1)
	if k := a.Int("top_k"); k >= 0 {
		looked = min(k, n)
	}
	if k := a.Int("max_output_size"); k >= 0 {
		limit = min(k, n)
	}
	if a.Bool("force_suppress") {
		sameClass = 0
	}
	keysSize := n * boxKeyBytes
	run := func(c *op.Call, lo, hi int) {
		counts, watch := tensor.Data[int32](c.In[1]), c.Watch()
		keys, boxes := elementsOfType[int64](c.Scratch[:keysSize]), elementsOfType[rowBox](c.Scratch[keysSize:])
		for ; lo < hi; lo++ {
			rows, kept := tensor.Data[T](c.In[0])[lo*n*boxElements:][:n*boxElements], tensor.Data[T](c.Out[0])[lo*n*boxElements:][:n*boxElements]
			best := bestRows(rows, keys[:min(max(int(counts[lo]), 0), n)], &watch)
			size := 0
			for left := looked; left > 0 && len(best) > 0 && size < limit; left-- {
				row := rows[int(best[0]&(1<<boxBits-1))*boxElements:][:boxElements]
				best = best.pop()
				if watch.Stops(8 + 2*size) {
					return
				}
				b := rowBox{int32(row[0]), int32(row[2]), int32(row[3]), int32(row[4]), int32(row[5]), 0}
				b.area = int64(b.x2-b.x1) * int64(b.y2-b.y1)
				if b.class >= 0 && !b.overlaps(boxes[:size], threshold, sameClass) {
					boxes[size] = b
					copy(kept[size*boxElements:][:boxElements], row)
					size++
				}
			}
			for rest := kept[size*boxElements:]; len(rest) > 0 && !watch.Stops(len(rest)); rest = nil {
				for i := range rest {
					rest[i] = -1
				}
			}
		}
	}
	return &Plan{Pieces: a.out[0].Shape[0], Scratch: keysSize + limit*rowBoxBytes, Nanos: int64(a.out[0].Shape[0]) * (int64(n)*4 + int64(looked)*int64(20+limit/2)), Run: run}
}

// overlaps reports whether a box overlaps one of some others by threshold percent; of those of its class, or, if the bits of sameClass are 0, of any.
func (b *rowBox) overlaps(others []rowBox, threshold int64, sameClass int32) bool {
	for i := range others {
		o := &others[i]
		w, h := int64(min(b.x2, o.x2)-max(b.x1, o.x1)), int64(min(b.y2, o.y2)-max(b.y1, o.y1)) // differences of 32 bits wrap
		differ := int64((b.class ^ o.class) & sameClass)
		if (w-1)|(h-1)|differ|-differ < 0 {
			continue // the sign is that of any
		}
		overlap, sum := w*h, b.area+o.area
		union := sum - overlap
		switch {
		case sum <= 0 || union <= 0: // none
		case overlap > (1<<63-1)/100:
			if overlap/max(union/100, 1) >= threshold {
				return true
			}
		case overlap*100/union >= threshold:
			return true
		}
	}
	return false
}

// boxHeap is the rows of boxes that have not been looked at, the best first: the greatest score, and of equal ones the first row. A key has the score
// in its high bits, all inverted, and the number of the row in its low ones.
type boxHeap []int64

// bestRows makes a heap of the first rows, as many as there are keys.
func bestRows[T int8 | int16 | int32](rows []T, keys []int64, watch *op.Watch) boxHeap {
	for i := range keys {
		keys[i] = int64(^int32(rows[i*boxElements+1]))<<boxBits | int64(i)
	}
	h := boxHeap(keys)
	for i := len(h)/2 - 1; i >= 0 && !watch.Stops(4); i-- {
		h.sink(i, h[i])
	}
	return h
}

// pop takes the first key away.
func (h boxHeap) pop() boxHeap {
	last := len(h) - 1
	key := h[last]
	if h = h[:last]; last > 0 {
		h.sink(0, key)
	}
	return h
}

// sink puts a key in the place of key i and restores the order below. It goes down to the end, as most keys that are put there belong there, and from there
// up.
func (h boxHeap) sink(i int, key int64) {
	at := i
	for child := 2*at + 1; child < len(h); child = 2*at + 1 {
		if next := child + 1; next < len(h) {
			child += int(uint64(h[next]-h[child]) >> 63) // the lesser one; keys have 63 bits, so that differences do not wrap
		}
		h[at] = h[child]
		at = child
	}
	for at > i {
		parent := (at - 1) / 2
		if h[parent] <= key {
			break
		}
		h[at] = h[parent]
		at = parent
	}
	h[at] = key
}
