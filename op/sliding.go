package op

import (
	"math"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/geometry"
	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/tensor"
)

// The attributes of sliding windows.
var slideRange = [2]float64{1, limits.OpSlide}

func borderAttr(doc string, rules ...string) Attr {
	return Attr{Name: "border", Kind: graph.KindString, Default: "constant", Enum: rules, Doc: doc}
}

func slideAttrs(dims string) []Attr {
	return []Attr{
		{Name: "padding", Kind: graph.KindInts, Pairs: true, Range: [2]float64{-limits.OpSlide, limits.OpSlide},
			Doc: "elements added before and after each " + dims + ", alternating; negative numbers crop"},
		{Name: "stride", Kind: graph.KindInts, Default: []int{}, Range: slideRange,
			Doc: "distance of neighbouring windows in each " + dims + "; empty for ones"},
		{Name: "dilation", Kind: graph.KindInts, Default: []int{}, Range: slideRange,
			Doc: "distance of neighbouring window positions in each " + dims + "; empty for ones"},
	}
}

var outputShapeAttr = Attr{Name: "output_shape", Kind: graph.KindInts, Default: []int{}, Range: [2]float64{0, math.MaxInt},
	Doc: "shape of the result, which the window must map down to the operand's; empty for the smallest such shape"}

// windowed returns the geometry of an operator whose window covers all dimensions of its first operand and result.
func windowed(c *Call) geometry.Sliding {
	return geometry.NewSliding(c.Attrs, c.In[0].Shape(), c.Out[0].Shape(), c.Ints("size"), geometry.SlidesUp(c.Attrs))
}

// extents returns the extents of the result along the dimensions that a window of the given size slides over. One that
// slides over the result gives want, if it is not nil, after checking that the window maps it down to in.
func (s *Sig) extents(in, size, want []int) ([]int, error) {
	padding, stride, dilation := s.Ints("padding"), s.Ints("stride"), s.Ints("dilation")
	n := len(in)
	if len(padding) != 2*n {
		return nil, s.Errorf("padding", "%d numbers are given; there must be %d, two for each of the %d dimensions", len(padding), 2*n, n)
	}
	for _, a := range []struct {
		name string
		list []int
	}{{"stride", stride}, {"dilation", dilation}} {
		if len(a.list) != 0 && len(a.list) != n {
			return nil, s.Errorf(a.name, "%d numbers are given; there must be one for each of the %d dimensions, or none", len(a.list), n)
		}
	}
	out, w, up := make([]int, n), geometry.WindowOf(s.Attrs, size), geometry.SlidesUp(s.Attrs)
	for i := range n {
		if in[i] == 0 && size[i] == 1 && padding[2*i] == 0 && padding[2*i+1] == 0 && (want == nil || want[i] == 0) {
			continue // such as an empty batch
		}
		const limit = math.MaxInt / 4 // leaves room to add paddings
		if size[i] < 1 || w.Span(i)-1 > limit {
			return nil, s.Errorf("dilation", "a window of extent %d dilated by %d in dimension %d is not possible", size[i], w.Dilation[i], i)
		}
		step, added := w.Stride[i], int(w.Added(i))
		if !up {
			if w.Room(i, in[i]) < 0 {
				return nil, s.Misfit("padding", "the window spans %d elements in dimension %d; extent %d and padding %d make only %d",
					w.Span(i), len(s.In[0].Shape)-n+i, in[i], added, in[i]+added)
			}
			out[i] = int(w.Count(i, in[i], false))
			continue
		}
		if in[i] < 1 || geometry.Times(in[i]-1, step) > limit {
			return nil, s.Errorf("stride", "extent %d with stride %d in dimension %d is not possible", in[i], step, i)
		}
		out[i] = int(w.Reach(i, in[i])) - added
		if want != nil {
			if w.Count(i, want[i], false) != int64(in[i]) {
				return nil, s.Misfit("output_shape", "extent %d does not map down to %d in dimension %d; it must be from %d to %d",
					want[i], in[i], i, out[i], out[i]+step-1)
			}
			out[i] = want[i]
		}
		if out[i] < 0 {
			return nil, s.Misfit("padding", "the result would have the negative extent %d in dimension %d", out[i], i)
		}
	}
	return out, nil
}

// maxVolume bounds the positions of a pooling window, so that indices fit int32 and counts are exact.
const maxVolume = limits.OpWindow

// volume returns the number of positions of a window.
func (s *Sig) volume(size []int) (int, error) {
	volume := 1
	for _, n := range size {
		if n > maxVolume/volume {
			return 0, s.Errorf("size", "the window %v has more than %d positions", size, maxVolume)
		}
		volume *= max(n, 1)
	}
	return volume, nil
}

// windowShape is the shape rule of operators whose window covers all dimensions of the first operand.
func windowShape(s *Sig) ([]tensor.Shape, error) {
	in, size := s.In[0].Shape, s.Ints("size")
	if len(size) != len(in) {
		return nil, s.Errorf("size", "%d numbers are given; there must be one for each of the %d dimensions", len(size), len(in))
	}
	if _, err := s.volume(size); err != nil {
		return nil, err
	}
	want, err := s.wanted(in)
	if err != nil {
		return nil, err
	}
	out, err := s.extents(in, size, want)
	return []tensor.Shape{out}, err
}

// wanted returns the shape that the attribute output_shape gives, nil if it gives none.
func (s *Sig) wanted(in tensor.Shape) (tensor.Shape, error) {
	w := tensor.Shape(s.Ints("output_shape"))
	if len(w) == 0 {
		return nil, nil
	}
	if len(w) != len(in) {
		return nil, s.Errorf("output_shape", "rank %d; it must be %d, that of the input", len(w), len(in))
	}
	if err := w.Check(); err != nil {
		return nil, s.Errorf("output_shape", "%v", err)
	}
	return w, nil
}

// rows returns the number of rows, along the last dimension, of a shape; 0 if they have no elements.
func rows(shape tensor.Shape) int { return shape.Len() / max(rowLen(shape), 1) }

// times returns the product of counts, at most the greatest int64.
func times(counts ...int) int64 {
	n := int64(1)
	for _, c := range counts {
		if c == 0 {
			return 0
		}
		if n > math.MaxInt64/int64(c) {
			n = math.MaxInt64
		} else {
			n *= int64(c)
		}
	}
	return n
}
