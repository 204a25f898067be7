package kernel

import (
	"math"

	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// Suppression of boxes of integers, in Go. Pairs of boxes that do not overlap, or of different classes, as most, are passed over by one jump for all reasons.

// suppressionKernels has the rows of non_max_suppression and valid_count.
var suppressionKernels = func() (rows []Kernel) {
	row := func(name string, i8, i16, i32 func(*application) *Plan) {
		rows = append(rows, Kernel{Name: "boxes", Op: name, In: []op.Types{op.TypeSet(tensor.Int8, tensor.Int16, tensor.Int32)}, Prepare: alone(func(a *application) *Plan {
			return map[tensor.DType]func(*application) *Plan{tensor.Int8: i8, tensor.Int16: i16, tensor.Int32: i32}[a.in[0].DType](a)
		})})
	}
	row("non_max_suppression", suppressionOf[int8], suppressionOf[int16], suppressionOf[int32])
	row("valid_count", validOf[int8], validOf[int16], validOf[int32])
	return rows
}()

// validOf prepares valid_count for rows of boxes. Each row is copied behind those that are kept, where the next one overwrites it if it is not.
func validOf[T int8 | int16 | int32](a *application) *Plan {
	n, least := a.in[0].Shape[1], a.Int("score_threshold")
	if a.in[0].Shape[2] != boxElements {
		return nil
	}
	return &Plan{Pieces: a.out[0].Shape[0], Nanos: int64(a.in[0].Shape.Len()) / 2, Run: func(c *op.Call, lo, hi int) {
		counts, watch := tensor.Data[int32](c.Out[0]), c.Watch()
		for ; lo < hi; lo++ {
			rows, kept := tensor.Data[T](c.In[0])[lo*n*boxElements:][:n*boxElements], tensor.Data[T](c.Out[1])[lo*n*boxElements:][:n*boxElements]
			size := 0
			for ; len(rows) >= boxElements; rows = rows[boxElements:] {
				if watch.Stops(1) {
					return
				}
				row := (*[boxElements]T)(rows)
				moveArray((*[boxElements]T)(kept[size*boxElements:]), row)
				size += int(uint64(int64(least)-int64(row[1])) >> 63)
			}
			counts[lo] = int32(size)
			if fillBoxes(kept[size*boxElements:], &watch) {
				return
			}
		}
	}}
}

// fillBoxes sets the elements of rows to -1, and reports whether the kernel should return.
func fillBoxes[T int8 | int16 | int32](rest []T, watch *op.Watch) bool {
	for len(rest) > 0 {
		part := rest[:min(len(rest), longRun*boxElements)]
		if watch.Stops(len(part)) {
			return true
		}
		rest = rest[len(part):]
		for ; len(part) >= boxElements; part = part[boxElements:] {
			*(*[boxElements]T)(part) = [boxElements]T{-1, -1, -1, -1, -1, -1}
		}
	}
	return false
}

// rowBox is the box of a row (class, score, x1, y1, x2, y2).
type rowBox struct {
	class          int32 // 0 where boxes of all classes are compared
	x1, y1, x2, y2 int32
	area           int64
}

const (
	boxElements = 6
	rowBoxBytes = 32
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
	orderSize := 2 * 4 * n
	run := func(c *op.Call, lo, hi int) {
		counts, watch := tensor.Data[int32](c.In[1]), c.Watch()
		order, boxes := elementsOfType[int32](c.Scratch[:orderSize]), elementsOfType[rowBox](c.Scratch[orderSize:])
		for ; lo < hi; lo++ {
			rows, kept := tensor.Data[T](c.In[0])[lo*n*boxElements:][:n*boxElements], tensor.Data[T](c.Out[0])[lo*n*boxElements:][:n*boxElements]
			valid := min(max(int(counts[lo]), 0), n)
			best := bestRows(rows, order[:valid], order[n:][:valid], &watch)
			size := 0
			for _, i := range best[:min(looked, len(best))] {
				if watch.Stops(8 + 2*size) {
					return
				}
				if size == limit {
					break
				}
				row := (*[boxElements]T)(rows[int(i)*boxElements:])
				b := &boxes[size]
				b.class, b.x1, b.y1, b.x2, b.y2 = int32(row[0])&sameClass, int32(row[2]), int32(row[3]), int32(row[4]), int32(row[5])
				b.area = int64(b.x2-b.x1) * int64(b.y2-b.y1)
				if row[0] >= 0 && !b.overlaps(boxes[:size], threshold) {
					moveArray((*[boxElements]T)(kept[size*boxElements:]), row)
					size++
				}
			}
			if fillBoxes(kept[size*boxElements:], &watch) {
				return
			}
		}
	}
	return &Plan{Pieces: a.out[0].Shape[0], Scratch: orderSize + limit*rowBoxBytes, Nanos: int64(a.out[0].Shape[0]) * (int64(n)*4 + int64(looked)*int64(20+limit/2)), Run: run}
}

// overlaps reports whether a box overlaps one of some others of its class by threshold percent.
func (b *rowBox) overlaps(others []rowBox, threshold int64) bool {
	for i := range others {
		o := &others[i]
		w, h := min(b.x2, o.x2)-max(b.x1, o.x1), min(b.y2, o.y2)-max(b.y1, o.y1) // wrap
		differ := b.class ^ o.class
		if min(w, h)|differ|-differ <= 0 {
			continue // this is the lesser extent of what they have in common, and negative where classes differ
		}
		overlap, sum := int64(w)*int64(h), b.area+o.area
		union := sum - overlap
		switch {
		case sum <= 0 || union <= 0: // none
		case uint64(overlap|union|threshold) < 1<<31: // as products are less than 2⁶³, so that nothing is divided
			if overlap*100 >= threshold*union {
				return true
			}
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

// bestRows returns the numbers of as many of the first rows as there is room for, the greatest score first and equal ones in their order, in one of two parts
// of working memory: sorted by the eight low bits of how far they are from the greatest one, then by the next eight, as far as there are any.
func bestRows[T int8 | int16 | int32](rows []T, list, other []int32, watch *op.Watch) []int32 {
	score := func(i int32) int32 { return int32(rows[int(i)*boxElements+1]) }
	least, most := int32(math.MaxInt32), int32(math.MinInt32)
	for i := range list {
		list[i] = int32(i)
		s := score(int32(i))
		least, most = min(least, s), max(most, s)
	}
	for shift := 0; shift < 32 && uint32(most-least)>>shift > 0 && !watch.Stops(0); shift += 8 {
		var starts [256]int32
		used := starts[:min(uint32(most-least)>>shift, 255)+1]
		for _, i := range list {
			starts[uint8(uint32(most-score(i))>>shift)]++
		}
		sum := int32(0)
		for k, n := range used {
			used[k] = sum
			sum += n
		}
		for at := 0; at < len(list); at += longRun {
			if watch.Stops(longRun) {
				return nil
			}
			for _, i := range list[at:min(at+longRun, len(list))] {
				to := &starts[uint8(uint32(most-score(i))>>shift)]
				other[*to] = i
				*to++
			}
		}
		list, other = other, list
	}
	return list
}
