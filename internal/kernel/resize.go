package kernel

import (
	"github.com/concord-nn/concord/internal/geometry"
	"github.com/concord-nn/concord/internal/simd"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// resizeRows are operators that make results of the elements beside them: of the nearest one, or as sums along dimension after dimension.
func resizeRows(t *simd.Tier) []Kernel {
	var rows []Kernel
	for _, name := range []string{"resample", "resize", "multilinear_upsample"} {
		types := float32s
		if name != "multilinear_upsample" {
			types |= bits8 | bits16
		}
		if t == nil && name != "multilinear_upsample" {
			rows = append(rows, Kernel{Name: "nearest", Op: name, In: []op.Types{float32s | bits8 | bits16}, Prepare: nearest})
		}
		if t == nil || t.Weigh.Exists() {
			rows = append(rows, Kernel{Name: "sums", Op: name, In: []op.Types{types}, Prepare: func(r Region) *Plan { return resize(t, r) }})
		}
	}
	return rows
}

// mostPlaces bounds the places along dimensions, and the terms of their sums, that are found before a run.
const mostPlaces = 1 << 18

// ready returns the places of a node alone whose result has elements; else nil.
func ready(r Region) [][]op.Between {
	n := r.Root()
	if len(r.Nodes) > 1 || n.Out[0].Type.Shape.Len() == 0 || len(n.Out[0].Type.Shape) == 0 {
		return nil
	}
	return op.Interpolation(n, mostPlaces)
}

// stays reports whether the results of a dimension are its elements.
func stays(places []op.Between, n int) bool {
	for i, p := range places {
		if p.A != i || p.T != 0 {
			return false
		}
	}
	return len(places) == n
}

// nearest prepares a choice of elements, in the layout in which the operand is there. A piece is a row of results.
func nearest(r Region) *Plan {
	n := r.Root()
	if n.Attrs.String("mode") != "nearest-neighbor" {
		return nil
	}
	places := ready(r)
	if places == nil {
		return nil
	}
	in, unit, l := n.In[0].Type.Shape, 1, Plain
	if r.Layouts[n.In[0]] == Blocked16 && len(in) > 2 && stays(places[1], in[1]) {
		l, unit = Blocked16, block
		blocks := blocked(in)[1]
		in = in.Clone()
		in[1], places[1] = blocks, places[1][:blocks]
	}
	g := &chosen{places: places, unit: unit, step: geometry.Distances(in), double: twice(places[len(places)-1])}
	for _, at := range places[len(places)-1] {
		g.columns = append(g.columns, int32(at.A))
	}
	p := &Plan{In: []Layout{l}, Out: []Layout{l}, Pieces: 1}
	for _, list := range places[:len(places)-1] {
		p.Pieces *= len(list)
	}
	switch n.In[0].Type.DType.Size() {
	case 1:
		p.Run = chooseWords[uint8](g)
	case 2:
		p.Run = chooseWords[uint16](g)
	default:
		p.Run = chooseWords[uint32](g)
	}
	return p
}

// twice reports whether each element of a row, from the first one on, is chosen by two neighbours.
func twice(places []op.Between) bool {
	for i, p := range places {
		if p.A != i/2 {
			return false
		}
	}
	return len(places)%2 == 0
}

// chosen is which elements a result has, each of so many words: 1, or a block.
type chosen struct {
	places  [][]op.Between
	unit    int
	columns []int32 // the places in a row
	double  bool    // whether each element of a row is chosen by two neighbours
	step    []int   // of the operand, in elements
}

// rows returns the places along the dimension before the last one, of which there may be none, and how far its elements lie apart.
func (g *chosen) rows() ([]op.Between, int) {
	if d := len(g.places) - 2; d >= 0 {
		return g.places[d], g.step[d]
	}
	return make([]op.Between, 1), 0
}

// source returns the first element of the operand's rows of which some rows of the result are made: those that differ in the dimension before the last one.
func (g *chosen) source(row int) int {
	from := 0
	for d := len(g.places) - 3; d >= 0; d-- {
		from += g.places[d][row%len(g.places[d])].A * g.step[d]
		row /= len(g.places[d])
	}
	return from
}

// repeatTwice sets neighbours to one element each two.
func repeatTwice[W word](line, x []W) {
	for ; len(line) >= 8 && len(x) >= 4; line, x = line[8:], x[4:] {
		line[0], line[1], line[2], line[3] = x[0], x[0], x[1], x[1]
		line[4], line[5], line[6], line[7] = x[2], x[2], x[3], x[3]
	}
	for i := range line {
		line[i] = x[i/2]
	}
}

// chooseFrom sets a row to chosen elements of another one.
func chooseFrom[W word](line, x []W, columns []int32) {
	for ; len(line) >= 4 && len(columns) >= 4; line, columns = line[4:], columns[4:] {
		line[0], line[1], line[2], line[3] = x[columns[0]], x[columns[1]], x[columns[2]], x[columns[3]]
	}
	for i, from := range columns {
		line[i] = x[from]
	}
}

//go:noinline // tables of kernels would hold it more than once
func chooseWords[W word](g *chosen) op.Kernel {
	return func(c *op.Call, lo, hi int) {
		x, y, watch := tensor.Words[W](c.In[0]), tensor.Words[W](c.Out[0]), c.Watch()
		columns, before := g.places[len(g.places)-1], -1
		width := len(columns) * g.unit
		rows, step := g.rows()
		outer, at := lo/len(rows), lo%len(rows)
		base := g.source(outer)
		for row := lo; row < hi; row++ {
			if watch.Stops(width) {
				return
			}
			from, line := (base+rows[at].A*step)*g.unit, y[row*width:][:width]
			if at++; at == len(rows) {
				outer, at = outer+1, 0
				base = g.source(outer)
			}
			switch {
			case from == before:
				copy(line, y[(row-1)*width:])
			case g.unit == 1 && g.double:
				repeatTwice(line, x[from:])
			case g.unit == 1:
				chooseFrom(line, x[from:], g.columns)
			default:
				for i := range columns {
					moveArray((*[block]W)(line[i*block:]), (*[block]W)(x[from+columns[i].A*block:]))
				}
			}
			before = from
		}
	}
}
