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
		{op.Integers, []string{"add", "sub", "bitwise_and", "bitwise_or", "bitwise_xor"}},
		{op.TypeSet(tensor.Int32, tensor.Int64, tensor.Uint32, tensor.Uint64), []string{"shift_left", "shift_right"}},
		{op.Bools, []string{"and", "or", "xor"}},
	} {
		for _, name := range family.names {
			rows = append(rows, Kernel{Name: "elements", Op: name, In: []op.Types{family.types, family.types}, Prepare: func(r Region) *Plan { return pairsOf(t, r) }})
		}
	}
	return rows
}

func pairsOf(t *simd.Tier, r Region) *Plan {
	n := r.Root()
	out := n.Out[0].Type
	if len(r.Nodes) > 1 || out.Shape.Len() == 0 {
		return nil
	}
	p := &pairing{size: out.DType.Size()}
	first := n.In[0]
	var steps []string
	var operands []int
	var numbers [2]int64
	switch {
	case n.Op == "clamp_precision":
		v, _ := boundsOf(n)
		steps, operands, numbers = []string{"min", "max"}, []int{none, none}, [2]int64{v.to, v.from}
	case n.Op == "abs":
		steps, operands = []string{"abs"}, []int{none}
	case n.Op == "relu":
		steps, operands = []string{"max"}, []int{none}
	case n.Op == "clamp":
		for _, bound := range []struct {
			operand int
			name    string
		}{{2, "min"}, {1, "max"}} {
			if len(n.In) > bound.operand && n.In[bound.operand] != nil {
				steps, operands = append(steps, bound.name), append(operands, bound.operand)
			}
		}
	case n.Attrs.String("overflow") == "saturate":
		steps, operands = []string{n.Op + "_saturate"}, []int{1}
	default:
		steps, operands = []string{n.Op}, []int{1}
	}
	if !first.Type.Shape.Equal(out.Shape) && len(operands) == 1 && operands[0] == 1 && !slices.Contains([]string{"sub", "shift_left", "shift_right"}, n.Op) {
		p.from, operands[0] = 1, 0
		first = n.In[1]
	}
	if !first.Type.Shape.Equal(out.Shape) || len(steps) == 0 {
		return nil
	}
	layout, in := r.Layouts[first], make([]Layout, len(n.In))
	in[p.from] = layout
	for i, name := range steps {
		s := pairStep{operand: operands[i], single: true}
		var ok bool
		if s.routine, ok = pairRoutine(t, name, out.DType); !ok {
			return nil
		}
		var number [8]byte
		one := number[:p.size]
		binary.LittleEndian.PutUint64(number[:], uint64(numbers[i]))
		if k := s.operand; k != none {
			v := n.In[k]
			if one = nil; v.Const != nil {
				one = v.Const.Bytes()
			}
			if s.single = v.Type.Shape.Len() == 1 && out.Shape.Len() > 1; !s.single {
				// What a step overwrites the next one must not need.
				if len(steps) > 1 || !v.Type.Shape.Equal(out.Shape) || v.Const != nil && layout != Plain {
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
