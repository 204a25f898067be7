package cvm

import (
	"fmt"
	"slices"

	"github.com/concord-nn/concord/cvm/fault"
	"github.com/concord-nn/concord/cvm/params"
	"github.com/concord-nn/concord/internal/cvm/operators"
	"github.com/concord-nn/concord/tensor"
)

// bind checks parameters against the variables of the network, in the order of their file, and returns their tensors, of type int8 or
// int32, by node; nil for data, to which a file may give a value that no run sees.
// It notes the order, which counts for variables that share a storage, as they may in compatible mode.
func (n *network) bind(list []params.Param) ([]*tensor.Tensor, error) {
	byName := make(map[string]int)
	for i := range n.nodes {
		if _, ok := byName[n.nodes[i].name]; !ok && n.nodes[i].call == nil {
			byName[n.nodes[i].name] = i
		}
	}
	bound := make([]*tensor.Tensor, len(n.nodes))
	n.loaded = nil
	for _, p := range list {
		i, ok := byName[p.Name]
		if !ok {
			return nil, misfit(p, fault.Runtimef(fault.Params, "the graph has no variable of this name"))
		}
		if err := n.checkParameter(i, p); err != nil {
			return nil, err
		}
		bound[i], n.loaded = p.Tensor, append(n.loaded, i)
	}
	for i := range n.nodes {
		if n.nodes[i].call == nil && i != n.data && bound[i] == nil {
			return nil, n.place(i, fault.Logicf(fault.Params, "the parameter is missing"))
		}
	}
	if n.data >= 0 {
		bound[n.data] = nil
	}
	return bound, nil
}

// misfit gives an error its parameter.
func misfit(p params.Param, e *fault.Error) *fault.Error {
	e.Part, e.Offset = p.Name, p.Offset
	return e
}

// checkParameter checks the shape and the values of a parameter. The place of an error is that in the parameter file.
func (n *network) checkParameter(i int, p params.Param) error {
	var e *fault.Error
	want := &n.entries[n.nodes[i].out]
	if got := p.Tensor.Shape(); !slices.Equal(got, want.Shape) {
		e = fault.Logicf(fault.Params, "the shape is %v", got).With("", want.Shape.String())
	} else if k, x := exceeds(p.Tensor, want.Precision); k >= 0 && i != n.data {
		most := operators.Bound(want.Precision)
		e = fault.Logicf(fault.Params, "element %d is %d, beyond precision %d", k, x, want.Precision).With("", fmt.Sprintf("%d…%d", -most, most))
	}
	if e == nil {
		return nil
	}
	e.Node, e.Name = i, n.nodes[i].name
	return misfit(p, e)
}

// exceeds returns the first element of a parameter beyond a precision, and its index; -1 if there is none.
func exceeds(t *tensor.Tensor, precision int) (int, int64) {
	if t.DType() == tensor.Int8 {
		return beyond(tensor.Data[int8](t), precision)
	}
	return beyond(tensor.Data[int32](t), precision)
}

func beyond[T int8 | int32](elements []T, precision int) (int, int64) {
	most := int64(operators.Bound(precision))
	for k, x := range elements {
		if v := int64(x); v > most || v < -most {
			return k, v
		}
	}
	return -1, 0
}
