package kernel

import (
	"math"
	"math/bits"

	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// Suppression of boxes, in Go. What does not depend on the other box is computed once for each, so that a pair needs one product and one jump.

// suppressionKernels has the rows of non_max_suppression and valid_count.
var suppressionKernels = func() (rows []Kernel) {
	row := func(name string, i8, i16, i32 func(*application) *Plan) {
		rows = append(rows, Kernel{Name: "boxes", Op: name, In: []op.Types{op.TypeSet(tensor.Int8, tensor.Int16, tensor.Int32)}, Prepare: alone(func(a *application) *Plan {
			return map[tensor.DType]func(*application) *Plan{tensor.Int8: i8, tensor.Int16: i16, tensor.Int32: i32}[a.in[0].DType](a)
		})})
	}
	row("non_max_suppression", suppressionOf[int8], suppressionOf[int16], suppressionOf[int32])
	row("valid_count", validOf[int8], validOf[int16], validOf[int32])
	return append(rows, Kernel{Name: "corners", Op: "class_box_suppression", In: []op.Types{float32s, float32s}, Prepare: alone(suppressClasses)})
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

// rowBox is the box of a row whose coordinates are near: extents and areas do not wrap, so that of two boxes that overlap each has an area at least as
// great as what they have in common, and
//
//	100 · overlap / (area + area' - overlap) ≥ threshold  ⇔  (100 + threshold) · overlap ≥ threshold · area + threshold · area'
type rowBox struct {
	x1, x2 int64 // of each class elsewhere
	y1, y2 int64 // times 100 + threshold
	area   int64 // times threshold; positive
}

const (
	boxElements = 6
	rowBoxBytes = 40
	near        = 1 << 26 // of which those products have less than 64 bits
)

// suppressor is the attributes of non_max_suppression, of n boxes each.
type suppressor struct {
	n, looked, limit int
	threshold        int64
	sameClass        int64 // 0 where boxes of all classes are compared, else -1
}

func suppressionOf[T int8 | int16 | int32](a *application) *Plan {
	n := a.in[0].Shape[1]
	if n > math.MaxInt/(2*8+rowBoxBytes) { // Without this the bytes of working memory would wrap where an int has 32 bits.
		return nil
	}
	s := suppressor{n: n, looked: n, limit: n, threshold: int64(a.Int("iou_threshold")), sameClass: -1}
	if k := a.Int("top_k"); k >= 0 {
		s.looked = min(k, n)
	}
	if k := a.Int("max_output_size"); k >= 0 {
		s.limit = min(k, n)
	}
	if a.Bool("force_suppress") {
		s.sameClass = 0
	}
	orderSize := 2 * 8 * n
	run := func(c *op.Call, lo, hi int) {
		counts, watch := tensor.Data[int32](c.In[1]), c.Watch()
		order, boxes := elementsOfType[uint64](c.Scratch[:orderSize]), elementsOfType[rowBox](c.Scratch[orderSize:])
		for ; lo < hi; lo++ {
			rows, kept := tensor.Data[T](c.In[0])[lo*n*boxElements:][:n*boxElements], tensor.Data[T](c.Out[0])[lo*n*boxElements:][:n*boxElements]
			valid := min(max(int(counts[lo]), 0), n)
			best := bestRows(rows, order[:valid], order[n:][:valid], &watch)
			size := keepBest(&s, rows, kept, best[:min(s.looked, len(best))], boxes, &watch)
			if watch.Stops(0) || fillBoxes(kept[size*boxElements:], &watch) {
				return
			}
		}
	}
	return &Plan{Pieces: a.out[0].Shape[0], Scratch: orderSize + s.limit*rowBoxBytes, Nanos: int64(a.out[0].Shape[0]) * (int64(n)*4 + int64(s.looked)*int64(20+s.limit/2)), Run: run}
}

// keepBest copies those of the best rows that no one before them suppresses, and returns how many they are. It ends early if the evaluation should.
func keepBest[T int8 | int16 | int32](s *suppressor, rows, kept []T, best []uint64, boxes []rowBox, watch *op.Watch) (size int) {
	allNear := true
	for _, k := range best {
		if size == s.limit || watch.Stops(8+2*size) {
			break
		}
		row := (*[boxElements]T)(rows[int(uint32(k))*boxElements:])
		if row[0] < 0 {
			continue
		}
		b := &boxes[size]
		allNear = allNear && s.box(b, int64(row[0]), int64(row[2]), int64(row[3]), int64(row[4]), int64(row[5]))
		if allNear {
			if b.overlaps(boxes[:size]) {
				continue
			}
		} else if overlapsRow(s, row, kept[:size*boxElements]) {
			continue
		}
		moveArray((*[boxElements]T)(kept[size*boxElements:]), row)
		size++
	}
	return size
}

// box sets the box of a row, and reports whether it is near.
func (s *suppressor) box(b *rowBox, class, x1, y1, x2, y2 int64) bool {
	threshold, apart := min(s.threshold, 101), (class&s.sameClass)*(4*near) // no overlap is more than 100 percent
	b.x1, b.x2, b.y1, b.y2 = x1+apart, x2+apart, y1*(100+threshold), y2*(100+threshold)
	b.area = max((x2-x1)*(y2-y1), 1) * threshold
	return uint64((x1+near)|(y1+near)|(x2+near)|(y2+near)) < 2*near
}

// overlaps reports whether a box overlaps one of some others by the threshold.
func (b *rowBox) overlaps(others []rowBox) bool {
	x1, x2, y1, y2, area := b.x1, b.x2, b.y1, b.y2, b.area
	for i := range others {
		o := &others[i]
		w, h := min(o.x2, x2)-max(o.x1, x1), min(o.y2, y2)-max(o.y1, y1)
		if max(w, 0)*max(h, 0) >= area+o.area {
			return true
		}
	}
	return false
}

// overlapsRow is overlaps by the definition, for any coordinates.
func overlapsRow[T int8 | int16 | int32](s *suppressor, row *[boxElements]T, others []T) bool {
	area := func(x1, y1, x2, y2 int32) int64 { return int64(x2-x1) * int64(y2-y1) } // extents wrap
	for ; len(others) >= boxElements; others = others[boxElements:] {
		o := (*[boxElements]T)(others)
		var b, c [4]int32
		for i := range b {
			b[i], c[i] = int32(row[2+i]), int32(o[2+i])
		}
		w, h := min(b[2], c[2])-max(b[0], c[0]), min(b[3], c[3])-max(b[1], c[1])
		if (int64(row[0])^int64(o[0]))&s.sameClass != 0 || w <= 0 || h <= 0 {
			continue
		}
		overlap, sum := int64(w)*int64(h), area(b[0], b[1], b[2], b[3])+area(c[0], c[1], c[2], c[3])
		union := sum - overlap
		percent := int64(0)
		switch {
		case sum <= 0 || union <= 0: // none
		case overlap > (1<<63-1)/100:
			percent = overlap / max(union/100, 1)
		default:
			percent = overlap * 100 / union
		}
		if percent >= s.threshold {
			return true
		}
	}
	return false
}

// bestRows returns the numbers of as many of the first rows as there is room for, the greatest score first and equal ones in their order, in the low halves
// of what is in one of two parts of working memory. How far scores are from the greatest one of their type stands in the high halves.
func bestRows[T int8 | int16 | int32](rows []T, list, other []uint64, watch *op.Watch) []uint64 {
	return sortByBits(list, other, numberRows(rows, list)<<32, watch)
}

// sortByBits returns the numbers of a list, sorted by some of their bits, in one of two parts of working memory: by the eight lowest bits if one of them is
// asked for, then by the next eight. Those that are equal stay in their order. What it returns is in no order if the evaluation should end.
func sortByBits(list, other []uint64, by uint64, watch *op.Watch) []uint64 {
	other = other[:len(list)]
	for shift := 0; shift < 64 && by>>shift > 0 && !watch.Stops(0); shift += 8 {
		mask := by >> shift & 0xff
		if mask == 0 {
			continue
		}
		var starts [256]uint32
		digit := digit{&starts, shift, uint64(1)<<bits.Len64(mask) - 1}
		digit.count(list)
		sum := uint32(0)
		for k, n := range starts[:digit.mask+1] {
			starts[k] = sum
			sum += n
		}
		for at := 0; at < len(list); at += longRun {
			if watch.Stops(longRun) {
				return list
			}
			digit.place(list[at:min(at+longRun, len(list))], other)
		}
		list, other = other, list
	}
	return list
}

// numberRows sets a list for bestRows, and returns the bits in which scores differ.
//
//go:noinline
func numberRows[T int8 | int16 | int32](rows []T, list []uint64) uint64 {
	some, all, at := uint64(0), ^uint64(0), 1
	for i := range list {
		far := uint64(uint32(math.MaxInt32 - int32(rows[at])))
		some, all = some|far, all&far
		list[i] = far<<32 | uint64(i)
		at += boxElements
	}
	return some &^ all
}

// digit is some bits of what is sorted, and where the next one with each value of them goes. Its loops are not inlined, as registers do not suffice for them there.
type digit struct {
	starts *[256]uint32
	shift  int
	mask   uint64
}

//go:noinline
func (d digit) count(list []uint64) {
	for _, k := range list {
		d.starts[uint8(k>>(d.shift&63)&d.mask)]++
	}
}

//go:noinline
func (d digit) place(list, to []uint64) {
	for _, k := range list {
		at := &d.starts[uint8(k>>(d.shift&63)&d.mask)]
		to[*at] = k
		*at++
	}
}

// cornerBox is a box of floats by two opposite corners, the lesser ones first.
type cornerBox struct{ x1, y1, x2, y2, area float32 }

const cornerBoxBytes = 20

func suppressClasses(a *application) *Plan {
	shape, centered := a.in[1].Shape, a.Bool("centered")
	n, iou, least := shape[2], float32(a.Float("iou_threshold")), float32(a.Float("score_threshold"))
	limit := min(n, a.Int("max_output_size"))
	if n > math.MaxInt/(2*8+2*cornerBoxBytes) || uint64(n) > math.MaxUint32 {
		return nil
	}
	run := func(c *op.Call, _, _ int) {
		corners, scores, selected, watch := tensor.Data[float32](c.In[0]), tensor.Data[float32](c.In[1]), tensor.Data[int64](c.Out[0]), c.Watch()
		order, boxes := elementsOfType[uint64](c.Scratch[:2*8*n]), elementsOfType[cornerBox](c.Scratch[2*8*n:])
		boxes, kept := boxes[:n], boxes[n:]
		count := 0
		for b := range shape[0] {
			setBoxes(boxes, corners[b*n*4:], centered)
			for class := range shape[1] {
				list := order[:0]
				for i, s := range scores[(b*shape[1]+class)*n:][:n] {
					if s > least {
						list = append(list, rank(s, math.MaxUint32)<<32|uint64(i)) // within the working memory
					}
				}
				if watch.Stops(16 * n) {
					return
				}
				size := 0
				for _, k := range sortByBits(list, order[n:], differing(list)>>32<<32, &watch) {
					if size == limit || watch.Stops(1+8*size) {
						break
					}
					if box := &boxes[uint32(k)]; !box.overlaps(kept[:size], iou) {
						kept[size] = *box
						to := selected[3*(count+size):]
						to[0], to[1], to[2] = int64(b), int64(class), int64(uint32(k))
						size++
					}
				}
				if watch.Stops(0) { // Without this it would end in the next class.
					return
				}
				count += size
			}
		}
		clear(selected[3*count:])
		tensor.Data[int64](c.Out[1])[0] = int64(count)
	}
	work := int64(n) * int64(10+min(limit, 100)) * int64(shape[0]*shape[1])
	return &Plan{Pieces: 1, Scratch: (2*8+cornerBoxBytes)*n + cornerBoxBytes*limit, Nanos: work, Run: run}
}

// setBoxes sets boxes that are given by any two opposite corners, y before x, or by a centre and extents.
func setBoxes(boxes []cornerBox, from []float32, centered bool) {
	for i := range boxes {
		b, to := from[4*i:][:4], &boxes[i]
		if centered {
			w, h := float32(b[2]/2), float32(b[3]/2)
			*to = cornerBox{b[0] - w, b[1] - h, b[0] + w, b[1] + h, 0}
		} else {
			*to = cornerBox{min(b[1], b[3]), min(b[0], b[2]), max(b[1], b[3]), max(b[0], b[2]), 0}
		}
		to.area = float32(max(to.x2-to.x1, 0) * max(to.y2-to.y1, 0))
	}
}

// overlaps reports whether the intersection of a box with one of some others is more than a share of their union.
func (b *cornerBox) overlaps(others []cornerBox, share float32) bool {
	x1, y1, x2, y2, area := b.x1, b.y1, b.x2, b.y2, b.area
	for i := range others {
		o := &others[i]
		if x2 <= o.x1 || o.x2 <= x1 || y2 <= o.y1 || o.y2 <= y1 { // they have nothing in common, or something is no number
			continue
		}
		overlap := float32(max(min(x2, o.x2)-max(x1, o.x1), 0) * max(min(y2, o.y2)-max(y1, o.y1), 0))
		if union := area + o.area - overlap; union > 0 && overlap/union > share {
			return true
		}
	}
	return false
}
