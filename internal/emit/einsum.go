package emit

import (
	"slices"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/tensor"
)

// Labelled is a tensor whose dimensions have names. In those of one name the indices are equal; extents of 1 broadcast to others.
type Labelled struct {
	Value  *graph.Value
	Labels []string
}

// extent returns the extent of the dimension of that name; 1, which broadcasts, if there is none.
func (t Labelled) extent(label string) int {
	if d := slices.Index(t.Labels, label); d >= 0 {
		return t.Value.Type.Shape[d]
	}
	return 1
}

// joint returns the extent of a dimension in what two tensors broadcast to.
func joint(a, b Labelled, label string) int {
	if n := a.extent(label); n != 1 {
		return n
	}
	return b.extent(label)
}

// Einsum returns the products of the elements of all operands, one at least, summed over the dimensions whose names are not among those of the
// result, in their element type. The operands are joined from left to right, two at a time, and a sum is taken as soon as nothing to come has its name.
// Products of integers of less than 64 bits are summed in int32. The result must have names that operands have, none of them twice.
func (e *Emitter) Einsum(operands []Labelled, out []string) *graph.Value {
	last := make(map[string]int) // the last operand that has a dimension
	for i, t := range operands {
		for _, l := range t.Labels {
			last[l] = i
		}
	}
	for _, l := range out {
		last[l] = len(operands)
	}
	var y Labelled
	for i, t := range operands {
		var needed []string
		for l, at := range last {
			if at > i {
				needed = append(needed, l)
			}
		}
		if t = e.diagonals(t); i == 0 {
			y = e.summed(t, needed)
			continue
		}
		t = e.summed(t, slices.Concat(needed, y.Labels))
		y = e.contract(e.summed(y, slices.Concat(needed, t.Labels)), t, needed)
	}
	return e.arranged(y, out)
}

// diagonals leaves one dimension of those of one name: the elements whose indices in them are equal.
func (e *Emitter) diagonals(t Labelled) Labelled {
	for i, l := range t.Labels {
		j := i + 1 + slices.Index(t.Labels[i+1:], l)
		if j == i || e.Err != nil {
			continue
		}
		// The two in front, as one dimension, of which the diagonal is every n+1st element.
		n := t.Value.Type.Shape[i]
		rest := slices.DeleteFunc(Counting(0, len(t.Labels)), func(d int) bool { return d == i || d == j })
		v := e.Transpose(t.Value, append([]int{i, j}, rest...)...)
		v = e.Reshape(v, append([]int{n * n}, v.Type.Shape[2:]...)...)
		if n > 1 {
			v = e.Node("slice", Attr("axes", []int{0}, "begin", []int{0}, "end", []int{n * n}, "stride", []int{n + 1}), v)
		}
		labels := []string{l}
		for _, d := range rest {
			labels = append(labels, t.Labels[d])
		}
		return e.diagonals(Labelled{v, labels})
	}
	return t
}

// summed sums over the dimensions that are not needed.
func (e *Emitter) summed(t Labelled, needed []string) Labelled {
	var axes []int
	var labels []string
	for d, l := range t.Labels {
		if slices.Contains(needed, l) {
			labels = append(labels, l)
		} else {
			axes = append(axes, d)
		}
	}
	if axes == nil {
		return t
	}
	return Labelled{e.Squeeze(e.Node("sum_reduce", Attr("axes", axes), t.Value), axes...), labels}
}

// contract multiplies two tensors and sums over the dimensions that both have and that are not needed: it is a product of matrices, or
// one of elements if there is no such dimension.
func (e *Emitter) contract(a, b Labelled, needed []string) Labelled {
	var batch, summed, rows, columns []string
	for _, l := range a.Labels {
		switch both := slices.Contains(b.Labels, l); {
		case !both:
			rows = append(rows, l)
		case slices.Contains(needed, l):
			batch = append(batch, l)
		default:
			summed = append(summed, l)
		}
	}
	for _, l := range b.Labels {
		if !slices.Contains(a.Labels, l) {
			columns = append(columns, l)
		}
	}
	labels := slices.Concat(batch, rows, columns)
	if summed == nil {
		return Labelled{e.Node("mul", nil, e.spread(a, labels), e.spread(b, labels)), labels}
	}
	x, transposeA := e.matrices(a, b, batch, rows, summed)
	y, transposeB := e.matrices(b, a, batch, summed, columns)
	if e.Err != nil {
		return Labelled{x, labels}
	}
	d, sums := x.Type.DType, tensor.Int32
	if d.Size() == 8 {
		sums = tensor.Int64
	}
	product := e.Node("matmul", Attr("transposeA", transposeA, "transposeB", transposeB, "dtype", sums), x, y)
	shape := make([]int, len(labels))
	for i, l := range labels {
		shape[i] = joint(a, b, l)
	}
	return Labelled{e.Reshape(e.Cast(product, d), shape...), labels}
}

// spread gives a tensor the dimensions of the given names, with extents of 1 for those that it does not have.
func (e *Emitter) spread(t Labelled, labels []string) *graph.Value {
	var own []string
	var missing []int
	for d, l := range labels {
		if slices.Contains(t.Labels, l) {
			own = append(own, l)
		} else {
			missing = append(missing, d)
		}
	}
	return e.Unsqueeze(e.arranged(t, own), missing...)
}

// matrices makes a tensor matrices to be multiplied by those of another: batches, rows and columns of several dimensions each. They may be
// transposed, if that is how they lie already.
func (e *Emitter) matrices(t, other Labelled, batch, rows, columns []string) (v *graph.Value, transposed bool) {
	transposed = slices.Equal(t.Labels, slices.Concat(batch, columns, rows)) && len(rows) > 0
	if transposed {
		rows, columns = columns, rows
	}
	labels := slices.Concat(batch, rows, columns)
	if v = e.arranged(t, labels); e.Err != nil {
		return v, transposed
	}
	shape := make(tensor.Shape, len(labels))
	for d, l := range labels {
		shape[d] = joint(t, other, l)
	}
	if !shape.Equal(v.Type.Shape) {
		v = e.Node("expand", Attr("shape", []int(shape)), v)
	}
	b, r := len(batch), len(batch)+len(rows)
	return e.Reshape(v, shape[:b].Len(), shape[b:r].Len(), shape[r:].Len()), transposed
}

// arranged transposes a tensor to dimensions of the given names, which are its own.
func (e *Emitter) arranged(t Labelled, labels []string) *graph.Value {
	axes := make([]int, len(labels))
	for i, l := range labels {
		axes[i] = slices.Index(t.Labels, l)
	}
	return e.Transpose(t.Value, axes...)
}
