package op

import (
	"math"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/fmath"
	"github.com/concord-nn/concord/internal/geometry"
	"github.com/concord-nn/concord/tensor"
)

var gridSampleDef = &Def{
	Name: "grid_sample",
	Doc: `Grid_sample takes elements from places that a tensor names, between neighbours by interpolation (ONNX, GridSample).

The place v along a dimension of extent n lies at u = (v + 1)/2·(n - 1) with align_corners, else at ((v + 1)·n - 1)/2, each operation
rounded; NaN counts as 0, and u is bounded by ±2^30. With padding_mode border u is clamped to 0…n-1, but for mode cubic, and elements outside are
those at the edge. With reflection u is mirrored, in float64, at 0 and n-1 (align_corners) or at -1/2 and n-1/2, until it lies between them;
elements outside are those that an index mirrored so finds. With zeros they are 0.

Mode linear interpolates the elements floor(u) and floor(u) + 1 as multilinear_upsample does. Mode nearest takes the element nearest to u, ties
to even. Mode cubic adds the four elements around u with the weights that resize gives for a = -3/4; zeros are left out.`,
	In: []Operand{
		{Name: "input", Types: Floats, Rank: AtLeast(3), Doc: "(B, C, X…): batch, channels and one or more spatial dimensions"},
		{Name: "grid", Types: Floats, Like: "input", Rank: AtLeast(3), Doc: "(B, x…, M): for each result its place in each of the M dimensions X…, the last one first"},
	},
	Out: []Result{{Name: "output", Like: "input", Doc: "(B, C, x…)"}},
	Attrs: []Attr{
		{Name: "mode", Kind: graph.KindString, Default: "linear", Enum: sampleModes, Doc: "how elements between those of the input are made"},
		{Name: "padding_mode", Kind: graph.KindString, Default: "zeros", Enum: paddingModes, Doc: "what lies outside the input"},
		{Name: "align_corners", Kind: graph.KindBool, Default: false, Doc: "whether -1 and 1 are the centres of the outermost elements, not their outer edges"},
	},
	Shape: func(s *Sig) ([]tensor.Shape, error) {
		in, grid := s.In[0].Shape, s.In[1].Shape
		m := len(in) - 2
		if len(grid) != m+2 || grid[0] != in[0] || grid[m+1] != m {
			return nil, s.Errorf("grid", "the shape is %v; it must be [%d, extents of the %d spatial dimensions of the result, %d]", grid, in[0], m, m)
		}
		out := append(tensor.Shape{in[0], in[1]}, grid[1:m+1]...)
		for d, n := range in[2:] {
			if n > gridLimit || n < 1 && out.Len() > 0 {
				return nil, s.Errorf("input", "extent %d of spatial dimension %d must be from 1 to %d", n, d, gridLimit)
			}
		}
		return []tensor.Shape{out}, nil
	},
	Ref: Reference{Kernels: floatKernels(gridSampleKernel[float32], gridSampleKernel[float64]), Pieces: func(s *Sig, out []Type) int {
		return out[0].Shape[0] * out[0].Shape[2:].Len()
	}},
	Work: func(s *Sig, out []tensor.Shape) Work {
		neighbours := map[string]int{"linear": 2, "nearest": 1, "cubic": 4}[s.String("mode")]
		steps, m := []int{out[0].Len()}, len(out[0])-2
		for range m {
			steps = append(steps, neighbours)
		}
		return Work{MACs: times(steps...), Ops: times(out[0][0], out[0][2:].Len(), m, 8)}
	},
	Lane: itemLane("input", "grid"),
	Generate: func(r *Rand) Case {
		in, out := r.Shape(3, 5), tensor.Shape{}
		for range in[2:] {
			out = append(out, r.Extent())
		}
		grid := append(append(tensor.Shape{in[0]}, out...), len(in)-2)
		d := r.DType(Floats)
		places := r.Uniform(d, grid, -1.5, 1.5)
		if r.IntN(6) == 0 {
			places = r.Extremes(d, grid)
		}
		return Case{In: []*tensor.Tensor{r.Tensor(d, in), places}, Attrs: graph.Attrs{
			{Name: "mode", Value: Pick(r, sampleModes)}, {Name: "padding_mode", Value: Pick(r, paddingModes)}, {Name: "align_corners", Value: r.Bool()}}}
	},
}

var sampleModes, paddingModes = []string{"linear", "nearest", "cubic"}, []string{"zeros", "border", "reflection"}

// grid is how grid_sample finds elements.
type grid struct {
	padding string
	aligned bool
	border  geometry.Border
}

func newGrid(a graph.Attrs) grid {
	g := grid{padding: a.String("padding_mode"), aligned: a.Bool("align_corners")}
	switch {
	case g.padding == "zeros":
		g.border = geometry.BorderConstant
	case g.padding == "border":
		g.border = geometry.BorderReplicate
	case g.aligned:
		g.border = geometry.BorderReflect
	default:
		g.border = geometry.BorderReflectEven
	}
	return g
}

// positionOf returns where a place lies among n elements.
func positionOf[T fmath.Float](g *grid, v T, n int) float64 {
	var u T
	if g.aligned {
		u = T((v + 1) / 2 * T(n-1))
	} else {
		u = (T((v+1)*T(n)) - 1) / 2
	}
	if u != u {
		u = 0
	}
	return min(max(float64(u), -gridLimit), gridLimit)
}

// inside returns a position clamped or mirrored as the padding says.
func (g *grid) inside(u float64, n int) float64 {
	least, most := 0.0, float64(n-1)
	if g.padding == "zeros" {
		return u
	}
	if g.padding == "border" {
		return min(max(u, least), most)
	}
	if !g.aligned {
		least, most = -0.5, most+0.5
	}
	away := max(least-u, u-most)
	if away <= 0 { // as everywhere if there is one element and places are aligned
		return u
	}
	length := most - least
	turns := math.Floor(away / length)
	rest := min(max(away-float64(turns*length), 0), length)
	if (math.Mod(turns, 2) == 0) == (u < least) {
		return least + rest
	}
	return most - rest
}

// nearest, linear and cubic set a tap, or weights, to what a position along a dimension of n elements that are step apart takes.

func (g *grid) nearest(u float64, n, step int) tap {
	return tap{a: g.offset(int(math.RoundToEven(u)), n, step)}
}

func (g *grid) linear(u float64, n, step int) tap {
	u = g.inside(u, n)
	at := int(math.Floor(u))
	return tap{a: g.offset(at, n, step), b: g.offset(at+1, n, step), t: u - math.Floor(u)}
}

func (g *grid) cubic(u float64, n, step int, of *[4]float64, at *[4]int) {
	// Beyond a border the weights go on, as in PyTorch.
	// Without this those of a place that is mirrored are the same, in another order.
	if g.padding == "reflection" {
		u = g.inside(u, n)
	}
	floor := math.Floor(u)
	for i := range at {
		of[i] = keys(math.Abs(float64(i-1)-(u-floor)), -0.75)
		at[i] = g.offset(int(floor)+i-1, n, step)
	}
}

// offset returns where element i of a dimension lies, a negative number for the zero of a border.
func (g *grid) offset(i, n, step int) int { return g.border.Index(i, n) * step }

func gridSampleKernel[T fmath.Float](c *Call, lo, hi int) {
	in, out, g, mode, watch := c.In[0].Shape(), c.Out[0].Shape(), newGrid(c.Attrs), c.String("mode"), c.Watch()
	x, places, y := tensor.Data[T](c.In[0]), tensor.Data[T](c.In[1]), tensor.Data[T](c.Out[0])
	m, channels, plane, points := len(in)-2, in[1], in[2:].Len(), out[2:].Len()
	var at taps
	var w weights
	var of [tensor.MaxRank][4]float64
	var offsets [tensor.MaxRank][4]int
	for p := lo; p < hi; p++ {
		step := 1
		for d := m - 1; d >= 0; d-- {
			n := in[2+d]
			u := positionOf(&g, places[p*m+m-1-d], n)
			switch mode {
			case "nearest":
				at[d] = g.nearest(u, n, step)
			case "linear":
				at[d] = g.linear(u, n, step)
			default:
				g.cubic(u, n, step, &of[d], &offsets[d])
				w.of[d], w.at[d] = of[d][:], offsets[d][:]
			}
			step *= n
		}
		for ch := range channels {
			from := x[(p/points*channels+ch)*plane:][:plane]
			var v T
			if mode == "cubic" {
				v = weigh[T, T](from, &w, 0, m, 0, &watch)
			} else {
				v = lerp[T, T](from, &at, 0, m, 0)
			}
			if y[(p/points*channels+ch)*points+p%points] = canonical(v); watch.Stops(1 << m) {
				return
			}
		}
	}
}
