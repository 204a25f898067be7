package cvm

import (
	"maps"
	"slices"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/cvm/operators"
	"github.com/concord-nn/concord/internal/emit"
	"github.com/concord-nn/concord/tensor"
)

// storages are those of the storage plan in which an entry is overwritten while it is still needed, by number. The deployed runtime
// reads there what was written last, so they are lowered to states: lists of int32 that each writing replaces up to its length, and
// that last from one run to the next. Entries in other storages are values, as plans mean them.
type storages map[int]*storage

type storage struct {
	state   *graph.Value
	content *graph.Value // after the nodes that are lowered so far
	size    int          // elements
}

func (s storages) has(id int) bool { return s[id] != nil }

// shared makes the storages of a network. At first they hold parameters and zeros.
func (l *lowering) shared(consts []*tensor.Tensor) storages {
	if !l.n.compat {
		return nil
	}
	s := make(storages)
	for _, c := range l.n.conflicts() {
		s[l.n.entries[c.entry].storage] = &storage{}
	}
	for i := range l.n.entries {
		if at := s[l.n.entries[i].storage]; at != nil {
			at.size = max(at.size, l.n.entries[i].Shape.Len())
		}
	}
	for _, id := range slices.Sorted(maps.Keys(s)) {
		init := l.initial(id, s[id].size, consts)
		if l.Err != nil {
			return s
		}
		v, err := l.b.State("storage", "", init)
		l.Fail(err)
		s[id].state, s[id].content = v, v
	}
	return s
}

// initial returns what a storage holds when the parameters are loaded, one after the other.
func (l *lowering) initial(id, size int, consts []*tensor.Tensor) *tensor.Tensor {
	init, err := tensor.New(tensor.Int32, tensor.Shape{size})
	l.Fail(err)
	for _, i := range l.n.loaded {
		if consts[i] == nil || l.Err != nil || l.n.entries[l.n.nodes[i].out].storage != id {
			continue
		}
		t, err := tensor.Cast(consts[i], tensor.Int32)
		if l.Fail(err); err == nil {
			copy(tensor.Data[int32](init), tensor.Data[int32](t))
		}
	}
	return init
}

// read returns what an entry's elements are now.
func (s storages) read(l *lowering, e *entry) *graph.Value {
	if l.Err != nil {
		return nil
	}
	return l.Reshape(operators.First(&l.Emitter, s[e.storage].content, e.Shape.Len()), e.Shape...)
}

// write replaces as many elements as the entry has.
func (s storages) write(l *lowering, e *entry, v *graph.Value) {
	if l.Err != nil {
		return
	}
	at, n := s[e.storage], e.Shape.Len()
	v = l.Reshape(l.Cast(v, tensor.Int32), n)
	if n < at.size {
		rest := l.Node("slice", emit.Attr("axes", []int{0}, "begin", []int{n}, "end", []int{at.size}), at.content)
		v = l.Node("concat", emit.Attr("axis", 0), v, rest)
	}
	at.content = v
}

// end makes what the storages hold at the end of a run that with which the next one starts.
func (s storages) end(l *lowering) {
	for _, at := range s {
		if l.Err == nil && at.content != at.state {
			l.Fail(l.b.Update(at.state, at.content))
		}
	}
}
