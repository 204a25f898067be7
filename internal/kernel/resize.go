package kernel

import (
	"github.com/concord-nn/concord/internal/geometry"
	"github.com/concord-nn/concord/internal/simd"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// resizeRows are operators that make results of the elements beside them: of the nearest one, by any tier and in Go, or linearly, of pixels of
// blocks of channels.
func resizeRows(t *simd.Tier) []Kernel {
	var rows []Kernel
	for _, name := range []string{"resample", "resize", "multilinear_upsample"} {
		if t == nil && name != "multilinear_upsample" {
			rows = append(rows, Kernel{Name: "nearest", Op: name, In: []op.Types{float32s | bits8}, Prepare: nearest})
		}
		if t != nil && t.Lerp.Exists() {
			rows = append(rows, Kernel{Name: "elements", Op: name, In: []op.Types{float32s}, Prepare: func(r Region) *Plan { return interpolate(t, r) }})
		}
	}
	return rows
}

// mostPlaces bounds the places along dimensions that are found before a run.
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
	g := &chosen{places: places, unit: unit, step: geometry.Distances(in)}
	p := &Plan{In: []Layout{l}, Out: []Layout{l}, Pieces: 1}
	for _, list := range places[:len(places)-1] {
		p.Pieces *= len(list)
	}
	if p.Run = chooseWords[uint32](g); n.In[0].Type.DType.Size() == 1 {
		p.Run = chooseWords[uint8](g)
	}
	return p
}

// chosen is which elements a result has, each of so many words: 1, or a block.
type chosen struct {
	places [][]op.Between
	unit   int
	step   []int // of the operand, in elements
}

// source returns the first element of the operand's row that a row of the result is made of.
func (g *chosen) source(row int) int {
	from := 0
	for d := len(g.places) - 2; d >= 0; d-- {
		from += g.places[d][row%len(g.places[d])].A * g.step[d]
		row /= len(g.places[d])
	}
	return from
}

//go:noinline // tables of kernels would hold it more than once
func chooseWords[W word](g *chosen) op.Kernel {
	return func(c *op.Call, lo, hi int) {
		x, y, watch := tensor.Words[W](c.In[0]), tensor.Words[W](c.Out[0]), c.Watch()
		columns, before := g.places[len(g.places)-1], -1
		width := len(columns) * g.unit
		for row := lo; row < hi; row++ {
			if watch.Stops(width) {
				return
			}
			from, line := g.source(row)*g.unit, y[row*width:][:width]
			switch {
			case from == before:
				copy(line, y[(row-1)*width:])
			case g.unit == 1:
				for i := range line {
					line[i] = x[from+columns[i].A]
				}
			default:
				for i := range columns {
					moveArray((*[block]W)(line[i*block:]), (*[block]W)(x[from+columns[i].A*block:]))
				}
			}
			before = from
		}
	}
}

// lerpChannels is the least number of channels of a plain operand for which blocks are worth making.
const lerpChannels = 3

// interpolate prepares a linear interpolation along the last one or two dimensions of blocks of channels. A piece is a row of a block.
func interpolate(t *simd.Tier, r Region) *Plan {
	n := r.Root()
	in := n.In[0].Type.Shape
	if n.Attrs.Get("mode") != nil && n.Attrs.String("mode") != "linear" || len(in) < 3 || len(in) > 4 || in[1] < lerpChannels && r.Layouts[n.In[0]] != Blocked16 {
		return nil
	}
	places := ready(r)
	if places == nil || !stays(places[0], in[0]) || !stays(places[1], in[1]) || in[2:].Len() > 1<<25 {
		return nil
	}
	g := &lerped{rows: []op.Between{{}}, channels: in[1], blocks: blocked(in)[1], width: in[len(in)-1], height: 1}
	if len(in) == 4 {
		g.rows, g.height = places[2], in[2]
	}
	for _, p := range places[len(in)-1] {
		g.columns = append(g.columns, simd.LerpPlace{A: int32(p.A * blockBytes), B: int32(p.B * blockBytes), T: float32(p.T), Rest: 1 - float32(p.T)})
	}
	return &Plan{In: []Layout{Blocked16}, Out: []Layout{Blocked16}, Pieces: in[0] * g.blocks * len(g.rows),
		Nanos: int64(in[0]*g.blocks*len(g.rows)*len(g.columns)) * 3,
		Run:   func(c *op.Call, lo, hi int) { g.run(t, c, lo, hi) }}
}

// lerped is where the pixels of planes of blocks of channels lie.
type lerped struct {
	channels, blocks int
	width, height    int // of the operand
	rows             []op.Between
	columns          []simd.LerpPlace
}

// lerpPixels is how many pixels a call of the routine interpolates at most.
const lerpPixels = 4096

func (g *lerped) run(t *simd.Tier, c *op.Call, lo, hi int) {
	x, y, watch := tensor.Data[float32](c.In[0]), tensor.Data[float32](c.Out[0]), c.Watch()
	for p := lo; p < hi; p++ {
		plane, row := p/len(g.rows), &g.rows[p%len(g.rows)]
		if watch.Stops(len(g.columns)) {
			return
		}
		top, bottom := (plane*g.height+row.A)*g.width*block, (plane*g.height+row.B)*g.width*block
		for lane := 0; lane < min(block, g.channels-plane%g.blocks*block); lane += t.Lanes {
			for first := 0; first < len(g.columns); first += lerpPixels {
				args := simd.LerpArgs{Top: simd.At(x, top+lane), Bottom: simd.At(x, bottom+lane), Out: simd.At(y, (p*len(g.columns)+first)*block+lane),
					Places: simd.At(g.columns, first), Pixels: min(lerpPixels, len(g.columns)-first), T: float32(row.T), Rest: 1 - float32(row.T)}
				if args.T != 0 {
					args.Both = 1
				}
				t.Lerp.Run(&args)
			}
		}
	}
}
