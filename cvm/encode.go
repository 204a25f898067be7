package cvm

import (
	"github.com/concord-nn/concord/cvm/fault"
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/emit"
	"github.com/concord-nn/concord/tensor"
)

// The ways in which outputs are post-processed. Any other name means none.
const (
	argmax    = "argmax"
	detection = "detection"
)

// encodedType returns the element type of the encoded output, by the precisions that the deployed runtime infers.
func (n *network) encodedType() tensor.DType {
	precision := 0
	for _, e := range n.heads {
		precision = max(precision, n.entries[e].Precision)
	}
	if p := n.symbol.Postprocess; p == argmax || p == detection {
		return tensor.Int32
	}
	return inputType(precision)
}

// joined reports whether outputs are joined row by row.
func (n *network) joined() bool {
	p := n.symbol.Postprocess
	return p != argmax && (p == detection || len(n.heads) > 1)
}

// joinable returns why the outputs cannot be joined though they must, or nil. Such a model loads, but does not run.
func (n *network) joinable() error {
	if !n.joined() {
		return nil
	}
	if len(n.heads) == 1 {
		return fault.Logicf(fault.Run, "a detection has one output; there must be two or more to join")
	}
	first, _ := rows(n.entries[n.heads[0]].Shape)
	for _, e := range n.heads[1:] {
		if m, _ := rows(n.entries[e].Shape); m != first {
			return fault.Logicf(fault.Run, "the outputs %q and %q have %d and %d rows; to be joined they need equally many",
				n.tensorName(n.heads[0]), n.tensorName(e), first, m)
		}
	}
	return nil
}

// rows returns the number of rows, which lie along the last dimension, and their length.
func rows(s tensor.Shape) (count, length int) {
	length = s[len(s)-1]
	return s.Len() / length, length
}

// encode adds the output of an inference: the heads post-processed.
func (l *lowering) encode(heads []*graph.Value) {
	l.Label = "output"
	if err := l.n.joinable(); err != nil {
		l.Fail(err)
	}
	if l.Err != nil {
		return
	}
	d := l.n.encodedType()
	parts := make([]*graph.Value, len(heads))
	for i, v := range heads {
		count, length := rows(v.Type.Shape)
		switch {
		case l.n.symbol.Postprocess == argmax:
			// Of each element the low 8 bits count, as a signed number; of several greatest ones the first.
			bytes := l.Cast(l.Reshape(v, count, length), tensor.Int8)
			parts[i] = l.Reshape(l.Node("argmax_reduce", emit.Attr("axes", []int{1}, "dtype", tensor.Int32), bytes), count)
		case l.n.joined():
			parts[i] = l.Cast(l.Reshape(v, count, length), d)
		default:
			parts[i] = l.Cast(v, d)
		}
	}
	v := parts[0]
	if len(parts) > 1 {
		axis := 0
		if l.n.joined() {
			axis = 1
		}
		v = l.Node("concat", emit.Attr("axis", axis), parts...)
	}
	l.output("output", v)
}

// decodeInput sets the elements of an input from its bytes.
func decodeInput(t *tensor.Tensor, b []byte) error {
	if to := t.Bytes(); t.DType() == tensor.Int8 && len(to) == len(b) {
		copy(to, b) // as they are, without a tensor of them
		return nil
	}
	x, err := tensor.FromRaw(t.DType(), t.Shape(), b)
	if err != nil {
		return err
	}
	return t.CopyFrom(x)
}
