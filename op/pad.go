package op

import (
	"math"
	"slices"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/geometry"
	"github.com/concord-nn/concord/tensor"
)

var padDef = &Def{
	Name: "pad",
	Doc: "Pad adds elements before and after each dimension, or takes away as many where the number is negative. " +
		"The border says what they are: the constant fill (or value); the nearest element (replicate); the elements mirrored without " +
		"repeating the outermost (reflect) or with it (reflect-even), over and over if there are not enough " +
		"(NNEF shape operations, WebNN pad, whose modes edge and reflection are replicate and reflect).",
	Spec: Spec{NNEF: "pad", WebNN: "pad"},
	In: []Operand{
		{Name: "input", Types: Movable, Rank: AnyRank, Doc: "the tensor"},
		{Name: "fill", Types: Movable, Like: "input", Rank: Rank(0), Optional: true,
			Doc: "the constant, where value does not do: any element of the type, exactly"},
	},
	Out: []Result{{Name: "output", Like: "input", Doc: "the padded tensor"}},
	Attrs: []Attr{
		{Name: "padding", Kind: graph.KindInts, Pairs: true, Range: [2]float64{-tensor.MaxElements, tensor.MaxElements},
			Doc: "two numbers for each dimension: how many elements to add before and after it"},
		{Name: "border", Kind: graph.KindString, Default: "constant",
			Enum: geometry.FillNames, Doc: "what is added"},
		{Name: "value", Kind: graph.KindFloat, Default: 0.0,
			Doc: "the constant if fill is absent, rounded to the nearest float; for integers it must be one of the type, for bool 0 or 1"},
	},
	Shape: func(s *Sig) ([]tensor.Shape, error) {
		in, padding := s.In[0].Shape, s.Ints("padding")
		if len(padding) != 2*len(in) {
			return nil, s.Errorf("padding", "%d numbers are given; shape %v needs %d", len(padding), in, 2*len(in))
		}
		out := in.Clone()
		for d, n := range in {
			before, after := padding[2*d], padding[2*d+1]
			if out[d] += before + after; out[d] < 0 {
				return nil, s.Misfit("padding", "%d and %d take away more than the extent %d of dimension %d", before, after, n, d)
			}
			if n == 0 && out[d] > 0 && s.String("border") != "constant" {
				return nil, s.Errorf("border", "dimension %d has no element to repeat; only a constant border is possible", d)
			}
		}
		if _, ok := elementBits(s.In[0].DType, s.Float("value")); !ok && !s.Has(1) {
			return nil, s.Errorf("value", "%v is no %v; give the operand fill", s.Float("value"), s.In[0].DType)
		}
		return []tensor.Shape{out}, nil
	},
	Ref: Reference{
		Kernels: sized(padRows[uint8], padRows[uint16], padRows[uint32], padRows[uint64]),
		Pieces: func(_ *Sig, out []Type) int {
			outer, _ := rowsOf(out[0].Shape)
			return outer.Len()
		},
	},
	Simplify: func(n *graph.Node) (*graph.Value, *graph.Node) {
		if slices.ContainsFunc(n.Attrs.Ints("padding"), func(p int) bool { return p != 0 }) {
			return nil, nil
		}
		return n.In[0], nil
	},
	Expand: expandPad,
	Lane:   firstLane(func(s *Sig, axis int) bool { return s.Ints("padding")[2*axis] == 0 && s.Ints("padding")[2*axis+1] == 0 }),
	Generate: func(r *Rand) Case {
		shape := r.Shape(0, 4)
		c := Case{In: []*tensor.Tensor{r.arbitrary(shape), nil}}
		padding := make([]int, 0, 2*len(shape))
		for _, n := range shape {
			padding = append(padding, r.Between(-n/2, 4), r.Between(-n/3, 4))
		}
		value := 0.0
		switch d := c.In[0].DType(); {
		case r.Bool():
			c.In[1] = r.Tensor(d, nil)
		case d.IsFloat():
			value = Pick(r, []float64{0, -1.5, 0.1, 1e9})
		default:
			value = float64(r.IntN(2))
		}
		c.Attrs = graph.Attrs{{Name: "padding", Value: padding},
			{Name: "border", Value: Pick(r, geometry.FillNames)},
			{Name: "value", Value: value}}
		return c
	},
}

// rowsOf splits a shape into its outer dimensions and the extent of the last, 1 for a scalar.
func rowsOf(shape tensor.Shape) (outer tensor.Shape, last int) {
	if len(shape) == 0 {
		return shape, 1
	}
	return shape[:len(shape)-1], shape[len(shape)-1]
}

// padRows computes rows of the result.
func padRows[W uint8 | uint16 | uint32 | uint64](c *Call, lo, hi int) {
	src, dst, padding := words[W](c.In[0]), words[W](c.Out[0]), c.Ints("padding")
	border := geometry.BorderOf(c.Attrs)
	bits, _ := elementBits(c.In[0].DType(), c.Float("value"))
	fill := W(bits)
	if c.Has(1) {
		fill = words[W](c.In[1])[0]
	}
	in, n := rowsOf(c.In[0].Shape())
	out, width := rowsOf(c.Out[0].Shape())
	before := 0
	if len(padding) > 0 {
		before = padding[len(padding)-2]
	}
	// Columns from first to last of the result are copied from the operand, the others are border.
	first := min(max(before, 0), width)
	last := max(min(before+n, width), first)
	for r := lo; r < hi; r++ {
		row := dst[r*width : (r+1)*width]
		base, inside := 0, true // of the operand's row
		for d, rest, step := len(out)-1, r, n; d >= 0; d-- {
			i := border.Index(rest%out[d]-padding[2*d], in[d])
			inside = inside && i >= 0
			base += i * step
			rest /= out[d]
			step *= in[d]
		}
		if !inside {
			fillWords(row, fill)
			continue
		}
		if first < last {
			copy(row[first:last], src[base+first-before:])
		}
		if border == geometry.BorderConstant {
			fillWords(row[:first], fill)
			fillWords(row[last:], fill)
			continue
		}
		for j := range first {
			row[j] = src[base+border.Index(j-before, n)]
		}
		for j := last; j < width; j++ {
			row[j] = src[base+border.Index(j-before, n)]
		}
	}
}

func fillWords[W any](dst []W, value W) {
	for i := range dst {
		dst[i] = value
	}
}

// elementBits returns the bits of a number as an element of type d: floats are rounded once, to nearest even; of other
// types only the numbers that they hold are allowed.
func elementBits(d tensor.DType, v float64) (bits uint64, ok bool) {
	switch {
	case d == tensor.Float32:
		return uint64(math.Float32bits(float32(v))), true
	case d == tensor.Float64:
		return math.Float64bits(v), true
	case d == tensor.Float16:
		return uint64(tensor.RoundF16(v)), true
	case d == tensor.BFloat16:
		return uint64(tensor.RoundBF16(v)), true
	case d.IsSmallFloat():
		return uint64(tensor.RoundSmall(d, v, tensor.CastOptions{})), true
	case d == tensor.Bool:
		return uint64(v), v == 0 || v == 1
	case v != math.Trunc(v):
		return 0, false
	case d.IsUnsigned():
		_, hi := d.IntRange()
		return uint64(v), v >= 0 && v < float64(hi)+1
	}
	lo, hi := d.IntRange()
	return uint64(int64(v)), v >= float64(lo) && v < float64(hi)+1
}
