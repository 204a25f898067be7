package diff

import (
	"encoding/binary"
	"hash/maphash"
	"slices"
)

// alignment says which operators of two networks correspond.
//
// Operators are matched in rounds. In each one every operator gets a key of itself and of what its operands are computed
// by, back to the inputs, and operators of equal keys are matched; then keys of itself and of what its results go into,
// down to the outputs. What was matched before stands in such keys for itself, so that keys reach from one difference to
// the next. The first round compares arguments and the elements of constants, later ones leave out more and more. Then
// matches spread from operators to the ones beside them, and what remains is matched in its order.
type alignment struct {
	sides [2]*side
	seed  maphash.Seed
	fresh uint64 // the last class that was given
}

// side is one network of an alignment.
type side struct {
	net     *Network
	match   []int      // of each operator: the id of the one it corresponds to, or -1
	classes []uint64   // of each operator: equal for operators that may stand for each other; 0 for none
	values  []uint64   // of each value, likewise
	content []uint64   // of each value: a hash of its elements, for constants and states
	outputs [][]uint64 // of each value: the outputs that it is
	alone   [details][]uint64
	left    int // operators without a match
}

// detail is how much of an operator its key tells.
type detail uint8

const (
	everything detail = iota
	noElements        // constants are known by their types only
	nameOnly          // the operator's name and its slots
	details
)

func align(a, b *Network) *alignment {
	al := &alignment{seed: maphash.MakeSeed()}
	for i, n := range []*Network{a, b} {
		s := &side{
			net: n, left: len(n.ops), match: make([]int, len(n.ops)), classes: make([]uint64, len(n.ops)),
			values: make([]uint64, len(n.values)), content: make([]uint64, len(n.values)), outputs: make([][]uint64, len(n.values)),
		}
		for k := range s.match {
			s.match[k] = -1
		}
		for _, v := range n.values {
			s.content[v.id] = al.contentOf(v, n.labelled)
		}
		al.sides[i] = s
	}
	al.ports()
	for range maxRounds {
		before := al.fresh
		for _, d := range []detail{everything, noElements, nameOnly} {
			if al.sides[0].left == 0 || al.sides[1].left == 0 {
				return al
			}
			al.round(al.keys(d, al.forward), al.keys(d, al.backward))
			al.round(al.keys(d, al.backward), al.keys(d, al.forward))
		}
		al.spread()
		if al.inOrder(); al.fresh == before {
			break
		}
	}
	return al
}

// maxRounds bounds the rounds; more than three are rarely of use.
const maxRounds = 8

// contentOf returns a hash of the elements of a constant, with its label if that has a meaning.
func (al *alignment) contentOf(v *value, labelled bool) uint64 {
	h := al.hasher()
	if labelled {
		h.text(v.label)
	}
	if v.data != nil {
		h.number(maphash.Bytes(al.seed, v.data.Contiguous().Bytes()))
	}
	return h.Sum64()
}

// class returns a class that nothing has yet.
func (al *alignment) class() uint64 {
	al.fresh++
	return al.fresh
}

// join matches two operators and gives them and their results a class.
func (al *alignment) join(p, q *operator, class uint64) {
	a, b := al.sides[0], al.sides[1]
	a.match[p.id], b.match[q.id] = q.id, p.id
	a.left, b.left = a.left-1, b.left-1
	a.classify(p, class)
	b.classify(q, class)
}

func (s *side) classify(o *operator, class uint64) {
	s.classes[o.id] = class
	for _, v := range o.out {
		s.values[v.id] = class
	}
}

// keys are the keys of all operators of both sides.
type keys [2][]uint64

func (al *alignment) keys(d detail, of func(s *side, d detail) []uint64) keys {
	return keys{of(al.sides[0], d), of(al.sides[1], d)}
}

// round matches the unmatched operators that have equal keys: first those whose keys in the other direction are equal,
// too, then the others in their order. Those of equal keys share a class, as one is as good as the other, also if there
// are more of them on one side.
func (al *alignment) round(by, other keys) {
	classes := make(map[uint64]uint64)
	al.pair(classes, by, func(side, op int) [2]uint64 { return [2]uint64{by[side][op], other[side][op]} })
	al.pair(classes, by, func(side, op int) [2]uint64 { return [2]uint64{by[side][op]} })
	for i, s := range al.sides {
		for _, o := range s.net.ops {
			if class := classes[by[i][o.id]]; class != 0 && s.match[o.id] < 0 {
				s.classify(o, class)
			}
		}
	}
}

// pair matches the unmatched operators for which key returns the same, in their order. Their classes are those of the
// keys by.
func (al *alignment) pair(classes map[uint64]uint64, by keys, key func(side, op int) [2]uint64) {
	buckets := make(map[[2]uint64][]*operator)
	for _, q := range al.sides[1].net.ops {
		if al.sides[1].match[q.id] < 0 {
			k := key(1, q.id)
			buckets[k] = append(buckets[k], q)
		}
	}
	if len(buckets) == 0 {
		return
	}
	for _, p := range al.sides[0].net.ops {
		if al.sides[0].match[p.id] >= 0 {
			continue
		}
		k := key(0, p.id)
		bucket := buckets[k]
		if len(bucket) == 0 {
			continue
		}
		class := by[0][p.id]
		if classes[class] == 0 {
			classes[class] = al.class()
		}
		al.join(p, bucket[0], classes[class])
		buckets[k] = bucket[1:]
	}
}

// hasher builds keys.
type hasher struct {
	maphash.Hash
	word [8]byte
}

func (h *hasher) number(x uint64) {
	binary.LittleEndian.PutUint64(h.word[:], x)
	_, _ = h.Write(h.word[:]) // never fails
}

func (h *hasher) text(s string) {
	h.number(uint64(len(s)))
	_, _ = h.WriteString(s)
}

func (al *alignment) hasher() *hasher {
	h := new(hasher)
	h.SetSeed(al.seed)
	return h
}

// forward returns the keys of the operators of s by their arguments.
func (al *alignment) forward(s *side, d detail) []uint64 {
	h, keys, selves := al.hasher(), make([]uint64, len(s.net.ops)), al.selves(s, d)
	for _, o := range s.net.ops {
		h.Reset()
		h.number(selves[o.id])
		o.operands(func(_ slot, v *value) {
			switch {
			case v == nil:
				h.number(0)
			case s.values[v.id] != 0:
				h.number(s.values[v.id])
			case v.from != nil:
				h.number(keys[v.from.id])
			default:
				h.number(1)
			}
			if v != nil {
				h.number(uint64(v.index))
			}
		})
		keys[o.id] = h.Sum64()
	}
	return keys
}

// backward returns the keys of the operators of s by what reads their results.
func (al *alignment) backward(s *side, d detail) []uint64 {
	h, keys, selves := al.hasher(), make([]uint64, len(s.net.ops)), al.selves(s, d)
	for _, o := range slices.Backward(s.net.ops) {
		var users []uint64
		for _, v := range o.out {
			for _, u := range v.uses {
				h.Reset()
				h.number(uint64(v.index))
				h.text(u.slot.arg)
				h.number(uint64(u.slot.index))
				if s.classes[u.by.id] != 0 {
					h.number(s.classes[u.by.id])
				} else {
					h.number(keys[u.by.id])
				}
				users = append(users, h.Sum64())
			}
			for _, c := range s.outputs[v.id] {
				h.Reset()
				h.number(uint64(v.index))
				h.number(c)
				users = append(users, h.Sum64())
			}
		}
		slices.Sort(users)
		h.Reset()
		h.number(selves[o.id])
		for _, u := range users {
			h.number(u)
		}
		keys[o.id] = h.Sum64()
	}
	return keys
}

// selves returns the key of each operator alone, without what it is connected to.
func (al *alignment) selves(s *side, d detail) []uint64 {
	if s.alone[d] == nil {
		h := al.hasher()
		s.alone[d] = make([]uint64, len(s.net.ops))
		for _, o := range s.net.ops {
			h.Reset()
			s.self(h, o, d)
			s.alone[d][o.id] = h.Sum64()
		}
	}
	return s.alone[d]
}

// self adds what an operator is without what it is connected to.
func (s *side) self(h *hasher, o *operator, d detail) {
	h.text(o.name)
	for i := range o.args {
		a := &o.args[i]
		if d != nameOnly {
			h.text(a.name)
			h.text(a.text)
		}
		for _, v := range a.in {
			if v == nil || v.from != nil || v.kind == input || d == nameOnly {
				continue
			}
			h.text(v.typ)
			if d == everything {
				h.number(s.content[v.id])
			}
		}
	}
}

// partner returns the operator of b that corresponds to one of a, or nil.
func (al *alignment) partner(p *operator) *operator {
	if m := al.sides[0].match[p.id]; m >= 0 {
		return al.sides[1].net.ops[m]
	}
	return nil
}

// same reports whether two values correspond; those that have data, by their content.
func (al *alignment) same(v, w *value) bool {
	if v == nil || w == nil {
		return v == w
	}
	c, d := al.sides[0].values[v.id], al.sides[1].values[w.id]
	if c != 0 || d != 0 {
		return c == d && v.index == w.index
	}
	return v.from == nil && w.from == nil && v.kind == w.kind && v.typ == w.typ &&
		al.sides[0].content[v.id] == al.sides[1].content[w.id]
}
