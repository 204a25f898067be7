package op

import (
	"math"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/fmath"
	"github.com/concord-nn/concord/internal/geometry"
	"github.com/concord-nn/concord/tensor"
)

var deformConvDef = &Def{
	Name: "deform_conv",
	Doc: `Deform_conv returns a convolution whose window positions are moved by offsets that a tensor holds (ONNX, DeformConv).

Along each dimension window position k of result x lies at u = x·stride - before + k·dilation, plus its offset, rounded once; NaN counts as 0. The element there is interpolated between its neighbours as by multilinear_upsample, with zeros outside the input,
and multiplied by its mask, if there is one.

y[b,o,x…] = bias[o] + Σ element · filter[o,c,k…] over the channels c of the group of o. Each element of the result starts at +0 and takes one
fused multiply-add for each, in the order of conv. Positions at or beyond one element outside the input are skipped. The bias, if given, is
added last, with one rounding. Extents as in conv.`,
	In: []Operand{
		{Name: "input", Types: Floats, Rank: AtLeast(3), Doc: "(B, C, X…): batch, channels and M ≥ 1 spatial dimensions"},
		{Name: "filter", Types: Floats, Like: "input", Rank: AtLeast(3), Doc: "(O, C/groups, f…)"},
		{Name: "offset", Types: Floats, Like: "input", Rank: AtLeast(3),
			Doc: "(B, offset_groups·F·M, x…): for each group, each of the F window positions in row-major order and each dimension the offset in elements"},
		{Name: "bias", Types: Floats, Like: "input", Rank: Rank(1), Optional: true, Doc: "(O)"},
		{Name: "mask", Types: Floats, Like: "input", Rank: AtLeast(3), Optional: true, Doc: "(B, offset_groups·F, x…): factors of the elements; 1 if absent"},
	},
	Out: []Result{{Name: "output", Like: "input", Doc: "(B, O, x…)"}},
	Attrs: append(slideAttrs("spatial dimension"),
		Attr{Name: "groups", Kind: graph.KindInt, Default: 1, Range: [2]float64{1, math.MaxInt32},
			Doc: "number of groups into which the channels are divided; each maps its own input channels to its own output channels"},
		Attr{Name: "offset_groups", Kind: graph.KindInt, Default: 1, Range: [2]float64{1, math.MaxInt32},
			Doc: "number of groups into which the input channels are divided, each with offsets of its own"}),
	Shape:    deformShape,
	Ref:      Reference{Kernels: floatKernels(deformKernel[float32], deformKernel[float64]), PerElement: true},
	Work:     deformWork,
	Lane:     itemLane("input", "offset", "mask"),
	Generate: generateDeform,
}

func deformShape(s *Sig) ([]tensor.Shape, error) {
	in, filter, groups, moved := s.In[0].Shape, s.In[1].Shape, s.Int("groups"), s.Int("offset_groups")
	m := len(in) - 2
	switch {
	case len(filter) != len(in):
		return nil, s.Errorf("filter", "the rank of %v must be %d, that of the input", filter, len(in))
	case in[1]%moved != 0:
		return nil, s.Misfit("offset_groups", "%d groups do not divide %d input channels", moved, in[1])
	}
	out, err := s.convExtents(groups)
	if err != nil {
		return nil, err
	}
	for d, n := range in[2:] {
		if n > gridLimit || n < 1 && out.Len() > 0 {
			return nil, s.Errorf("input", "extent %d of spatial dimension %d must be from 1 to %d", n, d, gridLimit)
		}
	}
	positions := times(moved, filter[2:].Len())
	for _, o := range []struct {
		index int
		count int64
	}{{2, times(moved, filter[2:].Len(), m)}, {4, positions}} {
		if !s.Has(o.index) {
			continue
		}
		shape := s.In[o.index].Shape
		if len(shape) != len(in) || shape[0] != in[0] || int64(shape[1]) != o.count || !shape[2:].Equal(out[2:]) {
			return nil, s.Errorf(s.Def.In[o.index].Name, "shape %v; it must be that of the result %v with %d in place of %d", shape, out, o.count, out[1])
		}
	}
	if s.Has(3) && s.In[3].Shape[0] != filter[0] {
		return nil, s.Errorf("bias", "shape %v; it must be [%d]", s.In[3].Shape, filter[0])
	}
	return []tensor.Shape{out}, nil
}

// deformWork counts an interpolation and a product for each tap.
func deformWork(s *Sig, out []tensor.Shape) Work {
	taps := times(out[0].Len(), s.In[1].Shape[1:].Len())
	return Work{MACs: taps, Ops: times(out[0].Len(), s.In[1].Shape[1:].Len(), 1<<(len(out[0])-2), 2)}
}

// deformed is the geometry of deform_conv.
type deformed[T fmath.Float] struct {
	in, out, filter          tensor.Shape
	dim                      [tensor.MaxRank]geometry.Slide
	m, window, plane, points int
	perGroup, perOffset      int // input channels
	offset, mask             []T
}

func newDeformed[T fmath.Float](a graph.Attrs, in, filter, out tensor.Shape) deformed[T] {
	v := deformed[T]{in: in, filter: filter, out: out}
	v.m, v.window, v.plane, v.points = len(v.in)-2, v.filter[2:].Len(), v.in[2:].Len(), v.out[2:].Len()
	v.perGroup, v.perOffset = v.filter[1], v.in[1]/a.Int("offset_groups")
	for d := range v.m {
		v.dim[d] = geometry.SlideOf(a, d, v.in[2+d], v.out[2+d], v.filter[2+d])
	}
	return v
}

// read sets what a call reads.
func (v *deformed[T]) read(c *Call) { v.offset, v.mask = tensor.Data[T](c.In[2]), optional[T](c, 4) }

// place sets the taps of window position k, number n, of a group of offsets for the result at index o, number p of its plane, in a batch item. It
// returns the mask there, and false if the place lies outside.
func (v *deformed[T]) place(at *taps, item, group, n, p int, o, k *geometry.Position) (mask T, ok bool) {
	which := (item*(v.in[1]/v.perOffset)+group)*v.window + n
	step := 1
	for d := v.m - 1; d >= 0; d-- {
		extent := v.in[2+d]
		i, _ := v.dim[d].Source(o[d], k[d])
		u := T(i) + v.offset[(which*v.m+d)*v.points+p]
		if u != u {
			u = 0
		}
		if u <= -1 || u >= T(extent) {
			return 0, false
		}
		floor := math.Floor(float64(u))
		a, b := int(floor), int(floor)+1
		at[d] = tap{a: a * step, b: b * step, t: float64(u) - floor}
		if b >= extent {
			at[d].b = -1
		}
		step *= extent
	}
	if v.mask == nil {
		return 1, true
	}
	return v.mask[which*v.points+p], true
}

func deformKernel[T fmath.Float](c *Call, lo, hi int) {
	v := newDeformed[T](c.Attrs, c.In[0].Shape(), c.In[1].Shape(), c.Out[0].Shape())
	v.read(c)
	x, y, w, watch := tensor.Data[T](c.In[0]), tensor.Data[T](c.Out[0]), tensor.Data[T](c.In[1]), c.Watch()
	outPerGroup := v.out[1] / c.Int("groups")
	bias := optional[T](c, 3)
	var at taps
	for i := lo; i < hi; i++ {
		p, item, channel := i%v.points, i/v.points/v.out[1], i/v.points%v.out[1]
		first := channel / outPerGroup * v.perGroup // input channel of the group
		var o geometry.Position
		for d, n := v.m-1, p; d >= 0; d-- {
			o[d] = n % v.out[2+d]
			n /= v.out[2+d]
		}
		sum := T(0)
		for block := 0; block < v.perGroup; block += channelBlock {
			var k geometry.Position
			for n := range v.window {
				group, mask, ok := -1, T(0), false
				for ch := block; ch < min(block+channelBlock, v.perGroup); ch++ {
					if watch.Stops(2 << v.m) {
						return
					}
					if g := (first + ch) / v.perOffset; g != group {
						group = g
						mask, ok = v.place(&at, item, g, n, p, &o, &k)
					}
					if ok {
						element := lerp[T, T](x[(item*v.in[1]+first+ch)*v.plane:][:v.plane], &at, 0, v.m, 0)
						sum = fma(T(element*mask), w[(channel*v.perGroup+ch)*v.window+n], sum)
					}
				}
				advance(&k, nil, v.filter[2:])
			}
		}
		if bias != nil {
			sum += bias[channel]
		}
		y[i] = canonical(sum)
	}
}

func generateDeform(r *Rand) Case {
	m, groups, moved := r.Between(1, 3), Pick(r, []int{1, 1, 2}), Pick(r, []int{1, 1, 2})
	channels := groups * moved * r.Between(1, 2)
	if r.IntN(6) == 0 {
		channels *= channelBlock
	}
	n, f, _, attrs := r.window(m, false)
	in := append(tensor.Shape{r.Between(1, 2), channels}, n...)
	filter := append(tensor.Shape{groups * r.Between(1, 2), channels / groups}, f...)
	attrs = append(attrs, graph.Attr{Name: "groups", Value: groups}, graph.Attr{Name: "offset_groups", Value: moved})
	window := &Sig{In: []Type{{DType: tensor.Float32, Shape: in}}, Attrs: attrs}
	out := must(window.extents(in[2:], filter[2:], nil))
	positions, d := moved*filter[2:].Len(), r.DType(Floats)
	with := func(channels int) tensor.Shape { return append(tensor.Shape{in[0], channels}, out...) }
	c := Case{In: []*tensor.Tensor{r.Tensor(d, in), r.Tensor(d, filter), r.Tensor(d, with(positions*m)), r.Tensor(d, filter[:1]), r.Tensor(d, with(positions))}, Attrs: attrs}
	if r.IntN(8) == 0 {
		c.In[2] = r.Extremes(d, with(positions*m))
	}
	c.In = r.drop(c.In, 3)
	return c
}
