package op

import (
	"slices"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/tensor"
)

// reduction walks a tensor group by group. A group has the elements that differ only in their indices of the reduced
// axes; its elements are numbered in row-major order of these indices, the axes taken in ascending order.
type reduction struct {
	groups cursor // over the groups; operand 0 is the position of a group's first element
	rows   cursor // over a group's rows; operand 0 is the distance of a row's first element from the group's
	axis   int    // the axis along which rows lie: the last reduced one
	length int    // elements of a row
	step   int    // distance between neighbours in a row
	count  int    // elements of a group

	paramStep int // distance between neighbours of a row in the parameters

	watch Watch // ends a fold early
}

// start sets r to the group of number first.
func (r *reduction) start(shape tensor.Shape, axes []int, first int) {
	*r = reduction{groups: newCursor(shape), rows: newCursor(shape), length: 1, count: 1}
	var stride [tensor.MaxRank]int
	n := 1
	for d := len(shape) - 1; d >= 0; d-- {
		stride[d] = n
		n *= shape[d]
		if !slices.Contains(axes, d) {
			r.rows.extent[d] = 1
			continue
		}
		r.groups.extent[d] = 1
		r.count *= shape[d]
		if r.length == 1 && shape[d] != 1 { // Without this each row has one element.
			r.axis, r.length, r.step, r.rows.extent[d] = d, shape[d], stride[d], 1
		}
	}
	r.groups.strided(stride[:len(shape)])
	r.rows.strided(stride[:len(shape)])
	r.groups.seek(first)
}

// rowCount returns how many rows a group has.
func (r *reduction) rowCount() int { return r.count / max(r.length, 1) }

// fold reduces the current group of x in lanes; start must be the identity of merge.
func fold[T, A any](r *reduction, x []T, start A, step func(acc A, v T) A, merge func(a, b A) A) A {
	var acc [lanes]A
	for l := range acc {
		acc[l] = start
	}
	l := 0
	for range r.rowCount() {
		if r.watch.Stops(r.length) {
			break
		}
		p := r.groups.pos[0] + r.rows.pos[0]
		for range r.length {
			acc[l] = step(acc[l], x[p])
			l = (l + 1) % lanes
			p += r.step
		}
		r.rows.next()
	}
	return join(&acc, merge)
}

// each calls f with the position of each element of the current group and that of the element of the parameters, if
// there are any, that belongs to it.
func (r *reduction) each(f func(p, q int)) {
	for range r.rowCount() {
		p, q := r.groups.pos[0]+r.rows.pos[0], r.rows.pos[1]
		for range r.length {
			f(p, q)
			p += r.step
			q += r.paramStep
		}
		r.rows.next()
	}
}

// parameters lets each follow a tensor whose dimension i is the reduced axis axes[i].
func (r *reduction) parameters(shape tensor.Shape, axes []int) {
	var stride [tensor.MaxRank]int
	n := 1
	for i := len(axes) - 1; i >= 0; i-- {
		stride[axes[i]] = n
		n *= shape[i]
	}
	r.rows.strided(stride[:r.rows.rank])
	if r.length != 1 {
		r.paramStep = stride[r.axis]
	}
}

// reducer makes a kernel of a fold. Each result is a piece. Finish may be nil; it gets the number of elements.
//
//go:noinline // tables of kernels would hold it three times
func reducer[T, R tensor.Element](start T, step, merge func(acc, v T) T, finish func(c *Call, acc T, n int) R) Kernel {
	return func(c *Call, lo, hi int) {
		x, y := unsigned[T](c.In[0]), unsigned[R](c.Out[0])
		var r reduction
		r.start(c.In[0].Shape(), c.Ints("axes"), lo)
		r.watch = c.Watch()
		for i := lo; i < hi; i++ {
			y[i] = finish(c, fold(&r, x, start, step, merge), r.count)
			r.groups.next()
		}
	}
}

// perGroup makes each group of operand 0 a piece.
func perGroup(s *Sig, _ []Type) int {
	n := 1
	for d, extent := range s.In[0].Shape {
		if !slices.Contains(s.Ints("axes"), d) {
			n *= extent
		}
	}
	return n
}

// axesAttr is the attribute of all reductions over several axes.
var axesAttr = Attr{Name: "axes", Kind: graph.KindInts,
	Doc: "axes that are reduced, distinct and in any order; with none each element is a group of its own"}

// reducedShape is the shape rule of reductions: the reduced axes keep their place with extent 1.
func reducedShape(s *Sig) ([]tensor.Shape, error) {
	shape := s.In[0].Shape.Clone()
	set, err := s.axes(shape)
	if err != nil {
		return nil, err
	}
	for d := range shape {
		if set[d] {
			shape[d] = 1
		}
	}
	return []tensor.Shape{shape}, nil
}

// addWork counts an operation for each element of operand 0, mulAddWork a multiply-add.
func addWork(s *Sig, _ []tensor.Shape) Work    { return Work{Ops: int64(s.In[0].Shape.Len())} }
func mulAddWork(s *Sig, _ []tensor.Shape) Work { return Work{MACs: int64(s.In[0].Shape.Len())} }

// someAxes returns some of the dimensions of a shape of that rank, in any order.
func (r *Rand) someAxes(rank int) []int {
	axes := r.Axes(rank, r.Between(0, rank))
	r.Shuffle(len(axes), func(i, j int) { axes[i], axes[j] = axes[j], axes[i] })
	return axes
}
