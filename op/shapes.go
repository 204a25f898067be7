package op

import "github.com/concord-nn/concord/tensor"

// sameShape is the shape rule of operators whose one result has the shape of the first operand.
func sameShape(s *Sig) ([]tensor.Shape, error) { return []tensor.Shape{s.In[0].Shape}, nil }

// broadcastShape is the shape rule of element-wise operators with several operands; see [broadcast].
func broadcastShape(s *Sig) ([]tensor.Shape, error) {
	shape, err := broadcast(s)
	return []tensor.Shape{shape}, err
}

// broadcast returns the common shape of all operands given: their ranks are equal, scalars (rank 0) left aside, and
// in each dimension the extents are equal or 1. Front-ends that align shapes of different rank, on the left (NNEF) or on
// the right (WebNN, ONNX, CVM), insert a reshape first.
func broadcast(s *Sig) (tensor.Shape, error) {
	var shape tensor.Shape
	for i, t := range s.In {
		switch {
		case t.DType == tensor.Invalid || len(t.Shape) == 0:
			continue
		case shape == nil:
			shape = t.Shape.Clone()
			continue
		case len(t.Shape) != len(shape):
			return nil, s.Errorf(s.Def.operand(i).Name, "the ranks of shapes %v and %v differ", shape, t.Shape)
		}
		for d, n := range t.Shape {
			if shape[d] != 1 && n != 1 && n != shape[d] {
				return nil, s.Errorf(s.Def.operand(i).Name, "shape %v does not broadcast with %v: the extents %d and %d of dimension %d differ",
					t.Shape, shape, n, shape[d], d)
			}
		}
		for d, n := range t.Shape { // which the message above has not seen
			if shape[d] == 1 {
				shape[d] = n
			}
		}
	}
	return shape, nil
}

// axes returns the attribute axes as a set, after checking that they are distinct dimensions of shape.
func (s *Sig) axes(shape tensor.Shape) (set [tensor.MaxRank]bool, err error) {
	for _, a := range s.Ints("axes") {
		if a < 0 || a >= len(shape) {
			return set, s.noAxis("axes", a, shape)
		}
		if set[a] {
			return set, s.Errorf("axes", "axis %d is listed twice", a)
		}
		set[a] = true
	}
	return set, nil
}

// noAxis is the error for an axis that is not a dimension of shape.
func (s *Sig) noAxis(attr string, a int, shape tensor.Shape) error {
	if n := len(shape); a < 0 && a >= -n {
		return s.Errorf(attr, "axis %d is not a dimension of shape %v; axes count from 0, and this one is %d", a, shape, a+n)
	}
	return s.Errorf(attr, "axis %d is not a dimension of shape %v", a, shape)
}

// axis returns the attribute as a dimension of shape.
func (s *Sig) axis(attr string, shape tensor.Shape) (int, error) {
	a := s.Int(attr)
	if a < 0 || a >= len(shape) {
		return 0, s.noAxis(attr, a, shape)
	}
	return a, nil
}
