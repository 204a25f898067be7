package kernel

import (
	"encoding/binary"
	"slices"

	"github.com/concord-nn/concord/internal/geometry"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// Element-wise operators in Go, without a call for each element: operands that broadcast are spread out first, some elements at a time.

// elementKernels are rows for what no tier has in vectors: comparisons, quotients and remainders of integers, shifts, choices of any elements, and operands
// that broadcast.
var elementKernels = slices.Concat(
	integerRows("add", "sub", "mul", "div", "mod", "max", "min", "bitwise_and", "bitwise_or", "bitwise_xor", "shift_left", "shift_right"),
	loneRows("neg", "abs", "sign"),
	clampRows(),
	comparisonRows("eq", "ne", "lt", "le", "gt", "ge"),
	truthRows("and", "or", "xor", "eq", "ne"),
	[]Kernel{{Name: "elements", Op: "select", In: []op.Types{op.Bools, wholeBytes}, Prepare: alone(choice)}},
)

// spread is how the elements of an operand are read by those of the result.
type spread struct {
	way     way // whole, once or filled
	extents []int
	stride  []int
}

// spreadChunk is how many elements are spread out at a time.
const spreadChunk = 1024

// spreads returns how the operands of an element-wise operator are read.
func (a *application) spreads() (list []spread) {
	out := a.out[0].Shape
	for _, t := range a.in {
		s := spread{extents: out, stride: make([]int, len(out))}
		switch n := t.Shape.Len(); {
		case n == out.Len():
		case n == 1:
			s.way = once
		default:
			s.way = filled
			for d, far := range geometry.Distances(t.Shape) {
				if t.Shape[d] > 1 {
					s.stride[len(out)-len(t.Shape)+d] = far
				}
			}
		}
		list = append(list, s)
	}
	return list
}

// spreadRoom returns how many elements of each operand working memory must have, for n elements of the result: none, if no operand is spread out.
func spreadRoom(n int, list []spread) int {
	if slices.ContainsFunc(list, func(s spread) bool { return s.way != whole }) {
		return min(n, spreadChunk)
	}
	return 0
}

// partOf returns the n elements of an operand that belong to those of the result from at on, if need be in working memory.
func partOf[W word](s *spread, x []W, at, n int, work []W) []W {
	if s.way == whole {
		return x[at:][:n]
	}
	if work = work[:n]; s.way == once {
		return work // where alike has put it
	}
	for to, last := 0, len(s.extents)-1; to < len(work); {
		from, rest := 0, at+to
		for d := last; d >= 0; d-- {
			from += rest % s.extents[d] * s.stride[d]
			rest /= s.extents[d]
		}
		run := work[to:]
		run = run[:min(len(run), s.extents[last]-(at+to)%s.extents[last])]
		if to += len(run); s.stride[last] == 0 {
			splat(run, x[from])
			continue
		}
		copy(run, x[from:])
	}
	return work
}

// alike spreads out an operand of one element, for all calls of partOf.
func alike[W word](s *spread, x, work []W) {
	if s.way == once {
		splat(work, x[0])
	}
}

// pairwise returns the plan of an operator with two operands by a loop over elements.
func pairwise[T, R tensor.Element](a *application, loop func(z []R, x, y []T)) *Plan {
	if loop == nil {
		return nil
	}
	return pairwiseIn(a, 0, func(_ []byte, z []R, x, y []T) { loop(z, x, y) })
}

// pairwiseIn is pairwise for a loop that needs some bytes of working memory.
func pairwiseIn[T, R tensor.Element](a *application, room int, loop func(work []byte, z []R, x, y []T)) *Plan {
	over := func(work, z, x, y []byte) {
		loop(work, elementsOfType[R](z), elementsOfType[T](x), elementsOfType[T](y))
	}
	switch a.in[0].DType.Size() {
	case 1:
		return pairsOfWords[uint8](a, room, over)
	case 2:
		return pairsOfWords[uint16](a, room, over)
	case 4:
		return pairsOfWords[uint32](a, room, over)
	}
	return pairsOfWords[uint64](a, room, over)
}

// pairsOfWords is pairwiseIn for all types of a size: how elements are spread out depends on nothing else.
func pairsOfWords[W word](a *application, room int, loop func(work, z, x, y []byte)) *Plan {
	s, n, size, result := a.spreads(), a.out[0].Shape.Len(), a.in[0].DType.Size(), a.out[0].DType.Size()
	each := spreadRoom(n, s)
	p := evenly(n, func(c *op.Call, lo, hi int) {
		x, y, z, work := elementsOfType[W](c.In[0].Bytes()), elementsOfType[W](c.In[1].Bytes()), c.Out[0].Bytes(), elementsOfType[W](c.Scratch)
		watch := c.Watch()
		alike(&s[0], x, work[:each])
		alike(&s[1], y, work[each:][:each])
		for lo < hi && !watch.Stops(spreadChunk) {
			some := min(hi-lo, spreadChunk)
			left, right := partOf(&s[0], x, lo, some, work), partOf(&s[1], y, lo, some, work[each:])
			loop(c.Scratch[2*each*size:], z[lo*result:][:some*result], elementsOfType[byte](left), elementsOfType[byte](right))
			lo += some
		}
	})
	p.Scratch, p.Nanos = 2*each*size+room, int64(n)*2/3+1
	return p
}

// mapped returns the plan of an operator on the elements of an operand.
func mapped[T tensor.Element, R tensor.Element](a *application, loop func(c *op.Call, z []R, x []T)) *Plan {
	return evenly(a.out[0].Shape.Len(), func(c *op.Call, lo, hi int) {
		x, z, watch := tensor.Data[T](c.In[0]), tensor.Data[R](c.Out[0]), c.Watch()
		for ; lo < hi && !watch.Stops(spreadChunk); lo += spreadChunk {
			n := min(hi-lo, spreadChunk)
			loop(c, z[lo:][:n], x[lo:][:n])
		}
	})
}

// clampBetween prepares clamp between two numbers, those where a bound is absent being given.
func clampBetween[T tensor.Number](a *application, least, most T, loop func(z, x []T, least, most T)) *Plan {
	for i, t := range a.in {
		if a.has(i) && (i == 0 && t.Shape.Len() != a.out[0].Shape.Len() || i > 0 && t.Shape.Len() != 1) {
			return nil
		}
	}
	return mapped(a, func(c *op.Call, z, x []T) {
		least, most := least, most
		for i, bound := range []*T{&least, &most} {
			if c.Has(1 + i) {
				*bound = tensor.Data[T](c.In[1+i])[0]
			}
		}
		loop(z, x, least, most)
	})
}

// clampRows returns the row of clamp of integers.
func clampRows() []Kernel {
	return []Kernel{{Name: "elements", Op: "clamp", In: []op.Types{op.Integers}, Prepare: alone(func(a *application) *Plan {
		return integer(a.in[0].DType, clampIntegers[int8], clampIntegers[int16], clampIntegers[int32], clampIntegers[int64],
			clampIntegers[uint8], clampIntegers[uint16], clampIntegers[uint32], clampIntegers[uint64])(a)
	})}}
}

func clampIntegers[T tensor.Integer](a *application) *Plan {
	least, most := tensor.TypeOf[T]().IntRange()
	return clampBetween(a, T(least), T(most), clamps[T])
}

func clamps[T tensor.Integer](z, x []T, least, most T) {
	for i, v := range x {
		z[i] = max(min(v, most), least)
	}
}

// loneRows returns the rows of operators on one integer.
func loneRows(names ...string) (rows []Kernel) {
	for _, name := range names {
		d, _ := op.Lookup(name)
		rows = append(rows, Kernel{Name: "elements", Op: name, In: []op.Types{op.Integers & d.In[0].Types}, Prepare: alone(func(a *application) *Plan {
			return integer(a.in[0].DType, loneOf[int8], loneOf[int16], loneOf[int32], loneOf[int64], loneOf[uint8], loneOf[uint16], loneOf[uint32], loneOf[uint64])(a, name)
		})})
	}
	return rows
}

func loneOf[T tensor.Integer](a *application, name string) *Plan {
	least := T(0)
	if ^least < 0 {
		least--
	}
	return mapped(a, func(_ *op.Call, z, x []T) {
		switch {
		case name == "neg":
			for i, v := range x {
				z[i] = -v
			}
		case name == "sign":
			clamps(z, x, least, 1)
		case least == 0:
			copy(z, x)
		default:
			for i, v := range x {
				z[i] = max(v, -v)
			}
		}
	})
}

// choice prepares select.
func choice(a *application) *Plan {
	s, n, size := a.spreads(), a.out[0].Shape.Len(), a.in[1].DType.Size()
	var run op.Kernel
	switch size {
	case 1:
		run = eitherWords(spreadRoom(n, s), s, eitherBytes)
	case 2:
		run = eitherWords(spreadRoom(n, s), s, either[uint16])
	case 4:
		run = eitherWords(spreadRoom(n, s), s, either[uint32])
	default:
		run = eitherWords(spreadRoom(n, s), s, either[uint64])
	}
	p := evenly(n, run)
	p.Scratch, p.Nanos = spreadRoom(n, s)*(1+2*size), int64(n)+1
	return p
}

//go:noinline // tables of kernels would hold it more than once
func eitherWords[W word](each int, s []spread, loop func(z, yes, no []W, truths []byte)) op.Kernel {
	return func(c *op.Call, lo, hi int) {
		truths, watch := c.In[0].Bytes(), c.Watch()
		x, y, z, work := tensor.Words[W](c.In[1]), tensor.Words[W](c.In[2]), tensor.Words[W](c.Out[0]), elementsOfType[W](c.Scratch)
		spreadTruths := c.Scratch[len(c.Scratch)-each:]
		alike(&s[0], truths, spreadTruths)
		alike(&s[1], x, work[:each])
		alike(&s[2], y, work[each:][:each])
		for lo < hi && !watch.Stops(spreadChunk) {
			some := min(hi-lo, spreadChunk)
			t := partOf(&s[0], truths, lo, some, spreadTruths)
			loop(z[lo:][:some], partOf(&s[1], x, lo, some, work), partOf(&s[2], y, lo, some, work[each:]), t)
			lo += some
		}
	}
}

// either is the loop of select.
func either[W word](z, yes, no []W, truths []byte) {
	z, yes, no = z[:len(truths)], yes[:len(truths)], no[:len(truths)]
	for i, holds := range truths {
		mask := -W(holds)
		z[i] = yes[i]&mask | no[i]&^mask
	}
}

// eitherBytes is either for eight bytes at a time.
func eitherBytes(z, yes, no []byte, truths []byte) {
	const size = 8
	for ; len(truths) >= size; z, yes, no, truths = z[size:], yes[size:], no[size:], truths[size:] {
		mask := 0xFF * binary.LittleEndian.Uint64(truths)
		binary.LittleEndian.PutUint64(z, binary.LittleEndian.Uint64(yes)&mask|binary.LittleEndian.Uint64(no)&^mask)
	}
	either(z, yes, no, truths)
}

// integerRows returns the rows of operators that yield integers of the type of their operands.
func integerRows(names ...string) (rows []Kernel) {
	for _, name := range names {
		rows = append(rows, Kernel{Name: "elements", Op: name, In: []op.Types{op.Integers}, Prepare: alone(func(a *application) *Plan {
			name, overflow := name, a.String("overflow")
			if name == "mod" && a.String("sign") == "dividend" {
				name = "remainder"
			}
			prepare := integer(a.in[0].DType, integersOf[int8], integersOf[int16], integersOf[int32], integersOf[int64],
				integersOf[uint8], integersOf[uint16], integersOf[uint32], integersOf[uint64])
			return prepare(a, name, overflow == "saturate")
		})})
	}
	return rows
}

// comparisonRows returns the rows of comparisons of numbers.
func comparisonRows(names ...string) (rows []Kernel) {
	types := op.Integers | op.TypeSet(tensor.Float32, tensor.Float64)
	for _, name := range names {
		rows = append(rows, Kernel{Name: "elements", Op: name, In: []op.Types{types}, Prepare: alone(func(a *application) *Plan {
			switch a.in[0].DType {
			case tensor.Float32:
				return comparisonOf[float32](a, name)
			case tensor.Float64:
				return comparisonOf[float64](a, name)
			}
			prepare := integer(a.in[0].DType, comparisonOf[int8], comparisonOf[int16], comparisonOf[int32], comparisonOf[int64],
				comparisonOf[uint8], comparisonOf[uint16], comparisonOf[uint32], comparisonOf[uint64])
			return prepare(a, name)
		})})
	}
	return rows
}

func comparisonOf[T tensor.Number](a *application, name string) *Plan {
	return pairwise(a, comparing[T](name))
}

// comparing returns the loop of a comparison.
func comparing[T tensor.Number](name string) func(z []bool, x, y []T) {
	switch name {
	case "eq":
		return func(z []bool, x, y []T) {
			y, z = y[:len(x)], z[:len(x)]
			for i, v := range x {
				z[i] = v == y[i]
			}
		}
	case "ne":
		return func(z []bool, x, y []T) {
			y, z = y[:len(x)], z[:len(x)]
			for i, v := range x {
				z[i] = v != y[i]
			}
		}
	case "lt":
		return func(z []bool, x, y []T) {
			y, z = y[:len(x)], z[:len(x)]
			for i, v := range x {
				z[i] = v < y[i]
			}
		}
	case "le":
		return func(z []bool, x, y []T) {
			y, z = y[:len(x)], z[:len(x)]
			for i, v := range x {
				z[i] = v <= y[i]
			}
		}
	case "gt":
		return func(z []bool, x, y []T) {
			y, z = y[:len(x)], z[:len(x)]
			for i, v := range x {
				z[i] = v > y[i]
			}
		}
	}
	return func(z []bool, x, y []T) {
		y, z = y[:len(x)], z[:len(x)]
		for i, v := range x {
			z[i] = v >= y[i]
		}
	}
}

// truthRows returns the rows of operators on two truths.
func truthRows(names ...string) (rows []Kernel) {
	for _, name := range names {
		rows = append(rows, Kernel{Name: "elements", Op: name, In: []op.Types{op.Bools}, Prepare: alone(func(a *application) *Plan {
			if name == "eq" || name == "ne" {
				return pairwise(a, comparing[uint8](name))
			}
			return pairwise(a, wrapping[uint8]("bitwise_"+name)) // truths are 0 and 1
		})})
	}
	return rows
}

func integersOf[T tensor.Integer](a *application, name string, saturate bool) *Plan {
	if saturate && name != "max" && name != "min" {
		return pairwise(a, saturating[T](name))
	}
	return pairwise(a, wrapping[T](name))
}

// wrapping returns the loop of an operator whose results wrap.
func wrapping[T tensor.Integer](name string) func(z, x, y []T) {
	switch name {
	case "add":
		return func(z, x, y []T) {
			for i, v := range x {
				z[i] = v + y[i]
			}
		}
	case "sub":
		return func(z, x, y []T) {
			for i, v := range x {
				z[i] = v - y[i]
			}
		}
	case "mul":
		return func(z, x, y []T) {
			for i, v := range x {
				z[i] = v * y[i]
			}
		}
	case "max":
		return func(z, x, y []T) {
			for i, v := range x {
				z[i] = max(v, y[i])
			}
		}
	case "min":
		return func(z, x, y []T) {
			for i, v := range x {
				z[i] = min(v, y[i])
			}
		}
	case "div":
		return func(z, x, y []T) {
			for i, v := range x {
				d, q := y[i], T(0)
				if d != 0 {
					q = v / d
				}
				z[i] = q
			}
		}
	case "mod":
		return func(z, x, y []T) {
			for i, v := range x {
				d, r := y[i], T(0)
				if d != 0 {
					r = v % d
				}
				other := r + d // of the sign that a remainder has that is not 0
				if r == 0 || (r^d) >= 0 {
					other = r
				}
				z[i] = other
			}
		}
	case "remainder":
		return func(z, x, y []T) {
			for i, v := range x {
				d, q := y[i], T(0)
				if d != 0 {
					q = v % d
				}
				z[i] = q
			}
		}
	case "shift_left":
		return func(z, x, y []T) {
			for i, v := range x {
				z[i] = v << uint64(y[i])
			}
		}
	case "shift_right":
		return func(z, x, y []T) {
			for i, v := range x {
				z[i] = v >> uint64(y[i])
			}
		}
	case "bitwise_and":
		return func(z, x, y []T) {
			for i, v := range x {
				z[i] = v & y[i]
			}
		}
	case "bitwise_or":
		return func(z, x, y []T) {
			for i, v := range x {
				z[i] = v | y[i]
			}
		}
	}
	return func(z, x, y []T) {
		for i, v := range x {
			z[i] = v ^ y[i]
		}
	}
}

// saturating returns the loop of sums that do not wrap. Those of 64 bits, which need more than that, and products are left to the reference.
func saturating[T tensor.Integer](name string) func(z, x, y []T) {
	least, most := tensor.TypeOf[T]().IntRange()
	lo, hi, sign := least, int64(most), int64(1)
	if name == "sub" {
		sign = -1
	}
	if tensor.TypeOf[T]().Size() == 8 || name != "add" && name != "sub" {
		return nil
	}
	return func(z, x, y []T) {
		for i, v := range x {
			z[i] = T(min(max(int64(v)+sign*int64(y[i]), lo), hi))
		}
	}
}
