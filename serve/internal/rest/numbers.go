package rest

import (
	"github.com/concord-nn/concord/serve/internal/budget"
	"github.com/concord-nn/concord/tensor"
)

// Numbers reads a JSON object with the elements of inputs by their names, as the data of a request are read: lists in lists, which say the shape, or
// one list of all elements. of says which type an input has, and its shape if it is known, or fails if there is no such input. FP16 and BF16, which
// have no JSON form of their own, are rounded from FP64. The elements count in a lease.
func Numbers(text []byte, l *budget.Lease, of func(name string) (tensor.DType, tensor.Shape, error)) (map[string]*tensor.Tensor, error) {
	p := &reader{text: text, lease: l}
	list := make(map[string]*tensor.Tensor)
	err := p.object("the body", func(name string) (bool, error) {
		d, known, err := of(name)
		if err != nil {
			return false, err
		}
		list[name], err = p.elements(d, known)
		return true, err
	})
	if err == nil {
		err = p.end()
	}
	if err != nil {
		return nil, err
	}
	return list, nil
}

// elements reads the elements of a tensor with a shape that follows from them. One list may have a known shape.
func (p *reader) elements(d tensor.DType, known tensor.Shape) (*tensor.Tensor, error) {
	if p.peek() != '[' {
		return nil, p.wanted("a list of numbers, or of lists,")
	}
	begin := p.at
	shape, err := p.extents()
	if err != nil {
		return nil, err
	}
	if p.at = begin; len(shape) == 1 && known != nil && known.Len() == shape[0] {
		shape = known
	}
	if err := shape.Check(); err != nil {
		return nil, p.errorf("%v", err)
	}
	if d == tensor.Float16 || d == tensor.BFloat16 {
		t, err := p.data(tensor.Float64, shape)
		if err != nil {
			return nil, err
		}
		return tensor.Cast(t, d)
	}
	return p.data(d, shape)
}

// extents passes a value, and returns how many items it has if it is a list, and its first items have.
func (p *reader) extents() (shape tensor.Shape, err error) {
	if p.peek() != '[' {
		return nil, p.skip()
	}
	if p.depth++; p.depth > tensor.MaxRank {
		return nil, p.errorf("lists are nested deeper than %d", tensor.MaxRank)
	}
	defer func() { p.depth-- }()
	n := 0
	err = p.array("the elements", len(p.text), func() (err error) {
		if n++; n > 1 {
			return p.skip()
		}
		shape, err = p.extents()
		return err
	})
	return append(tensor.Shape{n}, shape...), err
}
