package nnef

import (
	"slices"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/nnef/eval"
	"github.com/concord-nn/concord/nnef/flat"
)

// inferred remembers what operations yielded, where only types are asked for. Models consist of blocks that are repeated:
// the same operation with equal attributes and operands of the same types yields results of the same types.
type inferred map[*eval.Operation]*inferences

// inferences are the last ones of an operation.
type inferences struct {
	list [4]inference
	next int
}

type inference struct {
	op      *flat.Op // nil if there is none
	results []*graph.Value
	added   int // nodes
}

// infer lowers an operation of the standard, or repeats what a like one yielded.
func (d *document) infer(o *flat.Op) ([]*graph.Value, error) {
	if !d.light {
		return d.lib.lower(&d.call)
	}
	known := d.inferred[o.Operation]
	if known == nil {
		known = new(inferences)
		d.inferred[o.Operation] = known
	}
	for i := range known.list {
		if k := &known.list[i]; k.op != nil && k.op.Type == o.Type && d.added+k.added <= d.most && d.alikeLists(k.op.Args, o.Args) {
			d.added += k.added
			return renamed(k.results, d.results), nil
		}
	}
	before := d.added
	values, err := d.lib.lower(&d.call)
	if err == nil && !slices.Contains(values, nil) {
		known.list[known.next] = inference{o, values, d.added - before}
		known.next = (known.next + 1) % len(known.list)
	}
	return values, err
}

// renamed returns values of the same types.
func renamed(values []*graph.Value, names []string) []*graph.Value {
	list := make([]graph.Value, len(values))
	out := make([]*graph.Value, len(values))
	for i, v := range values {
		out[i] = &list[i]
		if list[i].Type = v.Type; i < len(names) {
			list[i].Name = names[i]
		}
	}
	return out
}

// alike reports whether two arguments are equal, or tensors of one type.
func (d *document) alike(a, b eval.Value) bool {
	switch a := a.(type) {
	case *flat.Tensor:
		b, ok := b.(*flat.Tensor)
		if !ok {
			return false
		}
		v, w := d.values[a.Index], d.values[b.Index]
		return v != nil && w != nil && v.Const == nil && w.Const == nil && v.Type.Equal(w.Type)
	case eval.Array:
		b, ok := b.(eval.Array)
		return ok && d.alikeLists(a, b)
	case eval.Tuple:
		b, ok := b.(eval.Tuple)
		return ok && d.alikeLists(a, b)
	}
	switch b.(type) {
	case *flat.Tensor, eval.Array, eval.Tuple:
		return false
	}
	return a == b
}

func (d *document) alikeLists(a, b []eval.Value) bool {
	if len(a) != len(b) {
		return false
	}
	if len(a) == 0 || &a[0] == &b[0] { // literals are shared
		return true
	}
	for i := range a {
		if !d.alike(a[i], b[i]) {
			return false
		}
	}
	return true
}
