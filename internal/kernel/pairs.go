package kernel

import (
	"encoding/binary"
	"slices"
	"strings"

	"github.com/concord-nn/concord/internal/simd"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// pairing is an element-wise operator on integers: one or two steps, of which each combines what is there with an operand that has the elements of
// the result, or one for all.
type pairing struct {
	size  int // bytes of an element
	from  int // the operand that is there before
	steps []pairStep
}

// pairStep is a routine and its operand: that of the call, or what it repeats for all elements, if that is known.
type pairStep struct {
	routine simd.Routine[simd.PairsArgs]
	operand int
	single  bool
	known   []byte // pairBytes, or nil
}

// pairBytes is how many bytes a routine takes at a time.
const pairBytes = 64

// pairRows returns the rows of operators on integers, some of up to 32 bits, and on truths.
func pairRows(t *simd.Tier) []Kernel {
	if t.Pairs == nil {
		return nil
	}
	narrow := bits8 | bits16 | op.TypeSet(tensor.Int32, tensor.Uint32)
	var rows []Kernel
	for _, family := range []struct {
		types op.Types
		names []string
	}{
		{narrow, []string{"mul", "max", "min", "abs", "relu", "clamp", "clamp_precision"}},
		{op.Integers, []string{"add", "sub", "bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_not"}},
		{op.TypeSet(tensor.Int32, tensor.Int64, tensor.Uint32, tensor.Uint64), []string{"shift_left", "shift_right"}},
		{op.Bools, []string{"and", "or", "xor"}},
		{bits8, []string{"eq", "ne", "lt", "le", "gt", "ge"}},
	} {
		for _, name := range family.names {
			rows = append(rows, Kernel{Name: "elements", Op: name, In: []op.Types{family.types, family.types}, Prepare: func(r Region) *Plan { return pairsOf(t, r) }})
		}
	}
	return rows
}

// pairOf is a routine that computes what is there and an operand of the call, or a number if that is none.
type pairOf struct {
	name    string
	operand int
	number  int64
}

// symmetric are the operators whose operands may change places.
var symmetric = []string{"add", "mul", "max", "min", "bitwise_and", "bitwise_or", "bitwise_xor", "and", "or", "xor", "eq", "ne"}

// comparisonOfBytes returns the steps of a comparison of integers of 8 bits, and which operand is there before: how they differ, in a saturated number or in their
// bits, becomes 1, or 0 where they do not or the wrong one is greater; then the contrary, if that is what is asked.
func comparisonOfBytes(name string, signed bool) (steps []pairOf, from int) {
	switch name {
	case "eq", "ne":
		steps, signed = []pairOf{{"xor", 1, 0}}, false
	case "lt", "ge":
		steps, from = []pairOf{{"sub_saturate", 0, 0}}, 1
	default:
		steps = []pairOf{{"sub_saturate", 1, 0}}
	}
	if signed {
		steps = append(steps, pairOf{"max", none, 0})
	}
	steps = append(steps, pairOf{"min", none, 1})
	if name == "eq" || name == "le" || name == "ge" {
		steps = append(steps, pairOf{"xor", none, 1})
	}
	return steps, from
}

func pairsOf(t *simd.Tier, r Region) *Plan {
	n := r.Root()
	out := n.Out[0].Type
	if len(r.Nodes) > 1 || out.Shape.Len() == 0 {
		return nil
	}
	p := &pairing{size: out.DType.Size()}
	first, d, steps := n.In[0], n.In[0].Type.DType, []pairOf(nil)
	switch {
	case n.Op == "clamp_precision":
		v, _ := boundsOf(n)
		steps = []pairOf{{"min", none, v.to}, {"max", none, v.from}}
	case n.Op == "abs":
		steps = []pairOf{{"abs", none, 0}}
	case n.Op == "relu":
		steps = []pairOf{{"max", none, 0}}
	case n.Op == "bitwise_not":
		steps = []pairOf{{"xor", none, -1}}
	case n.Op == "clamp":
		for _, bound := range []pairOf{{"min", 2, 0}, {"max", 1, 0}} {
			if len(n.In) > bound.operand && n.In[bound.operand] != nil {
				steps = append(steps, bound)
			}
		}
	case out.DType == tensor.Bool && d != tensor.Bool:
		steps, p.from = comparisonOfBytes(n.Op, d.IsSigned())
		if first = n.In[p.from]; n.Op == "eq" || n.Op == "ne" {
			d = tensor.Uint8 // of bits that differ
		}
	case n.Attrs.String("overflow") == "saturate":
		steps = []pairOf{{n.Op + "_saturate", 1, 0}}
	default:
		steps = []pairOf{{n.Op, 1, 0}}
	}
	if !first.Type.Shape.Equal(out.Shape) && len(n.In) == 2 && steps[0].operand == 1 && slices.Contains(symmetric, n.Op) {
		p.from, steps[0].operand = 1, 0
		first = n.In[1]
	}
	if !first.Type.Shape.Equal(out.Shape) || len(steps) == 0 {
		return nil
	}
	layout, in := r.Layouts[first], make([]Layout, len(n.In))
	in[p.from] = layout
	for i, of := range steps {
		s := pairStep{operand: of.operand, single: true}
		var ok bool
		if s.routine, ok = pairRoutine(t, of.name, d); !ok {
			return nil
		}
		var number [8]byte
		one := number[:p.size]
		binary.LittleEndian.PutUint64(number[:], uint64(of.number))
		if k := s.operand; k != none {
			v := n.In[k]
			if one = nil; v.Const != nil {
				one = v.Const.Bytes()
			}
			if s.single = v.Type.Shape.Len() == 1 && out.Shape.Len() > 1; !s.single {
				// What a step overwrites the next one must not need.
				if i > 0 || !v.Type.Shape.Equal(out.Shape) || v.Const != nil && layout != Plain {
					return nil
				}
				in[k] = layout
			}
		}
		if s.single && one != nil {
			s.known = make([]byte, pairBytes)
			fillBytes(s.known, one)
		}
		p.steps = append(p.steps, s)
	}
	elements := layout.Shape(out.Shape).Len()
	each := largestDivisor(elements)
	return &Plan{In: in, Out: []Layout{layout}, Pieces: elements / each, Even: true, Scratch: (2 + len(steps)) * pairBytes, Nanos: int64(elements*p.size) / 16,
		Run: func(c *op.Call, lo, hi int) { p.compute(c, lo*each, hi*each) }}
}

// pairRoutine returns the routine of an operator for a type. Sums and products that wrap, and bits moved up, do not depend on the sign, and bits on nothing.
func pairRoutine(t *simd.Tier, name string, d tensor.DType) (simd.Routine[simd.PairsArgs], bool) {
	if r, ok := t.Pairs[strings.TrimPrefix(name, "bitwise_")]; ok {
		return r, ok
	}
	if slices.Contains([]string{"add", "sub", "mul", "shift_left"}, name) {
		r, ok := t.Pairs[name+"_"+strings.TrimPrefix(d.String(), "u")]
		return r, ok
	}
	r, ok := t.Pairs[name+"_"+d.String()]
	return r, ok
}

// fillBytes repeats some bytes.
func fillBytes(to, from []byte) {
	for at := copy(to, from); at < len(to); {
		at += copy(to[at:], to[:at])
	}
}

// compute computes the elements lo…hi-1: whole blocks of 64 bytes, and the rest in working memory.
func (p *pairing) compute(c *op.Call, lo, hi int) {
	const most = 1 << 14
	watch := c.Watch()
	lo, hi = lo*p.size, hi*p.size
	for i := range p.steps {
		if s := &p.steps[i]; s.single && s.known == nil {
			fillBytes(c.Scratch[(2+i)*pairBytes:][:pairBytes], c.In[s.operand].Bytes())
		}
	}
	for lo < hi && !watch.Stops(most/p.size) {
		n := min(hi-lo, most)
		from, to := c.In[p.from].Bytes()[lo:][:n], c.Out[0].Bytes()[lo:][:n]
		whole := n &^ (pairBytes - 1)
		for i := range p.steps {
			s := &p.steps[i]
			other, mask := s.known, pairBytes-1
			if !s.single {
				other, mask = c.In[s.operand].Bytes()[lo:][:n], -1
			} else if other == nil {
				other = c.Scratch[(2+i)*pairBytes:][:pairBytes]
			}
			if whole > 0 {
				s.routine.Run(&simd.PairsArgs{X: simd.At(from, 0), Y: simd.At(other, 0), Out: simd.At(to, 0), N: whole / pairBytes, YMask: mask})
			}
			if whole < n {
				last, rest := c.Scratch[:pairBytes], other
				copy(last, from[whole:])
				if !s.single {
					rest = c.Scratch[pairBytes:][:pairBytes]
					copy(rest, other[whole:])
				}
				s.routine.Run(&simd.PairsArgs{X: simd.At(last, 0), Y: simd.At(rest, 0), Out: simd.At(last, 0), N: 1, YMask: -1})
				copy(to[whole:], last)
			}
			from = to
		}
		lo += n
	}
}
