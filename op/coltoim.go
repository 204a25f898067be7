package op

import (
	"math"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/geometry"
	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/tensor"
)

var colToImDef = &Def{
	Name: "col_to_im",
	Doc: `Col_to_im adds up the blocks of an image, which may overlap: the adjoint of cutting it into them (ONNX Col2Im).

y[n, c, X] = Σ x[n, c·volume + k, l] over all block positions k and all blocks l with l·stride - before + k·dilation = X. Volume is the number
of positions; positions and blocks are numbered in row-major order. Along each dimension there are
floor((before + X + after - (size-1)·dilation - 1) / stride) + 1 blocks. Elements are added to +0 one by one, in row-major order of k; sums of
integers wrap.`,
	In:  []Operand{{Name: "input", Types: Numbers, Rank: Rank(3), Doc: "columns (N, C·volume, blocks)"}},
	Out: []Result{{Name: "output", Like: "input", Doc: "images (N, C, …)"}},
	Attrs: append([]Attr{
		{Name: "output_size", Kind: graph.KindInts, Range: [2]float64{1, math.MaxInt32}, Doc: "the extents of an image, one or more"},
		{Name: "size", Kind: graph.KindInts, Range: [2]float64{1, maxVolume}, Doc: "the extents of a block, one for each dimension of an image"},
	}, slideAttrs("dimension of an image")...),
	Shape: colToImShape,
	Ref: Reference{
		Kernels:    wrapping(colToIm[float32], colToIm[float64], colToIm[uint8], colToIm[uint16], colToIm[uint32], colToIm[uint64]),
		PerElement: true,
	},
	NonNegative: ofFloats(ifAll),
	Work: func(s *Sig, out []tensor.Shape) Work {
		return Work{Ops: limits.Add(int64(s.In[0].Shape.Len()), times(append([]int{out[0].Len()}, s.Ints("size")...)...))}
	},
	Lane: itemLane("input"),
	Generate: func(r *Rand) Case {
		image, size, _, attrs := r.window(r.Between(1, 3), false)
		attrs = append(graph.Attrs{{Name: "output_size", Value: image}, {Name: "size", Value: size}}, attrs...)
		count := blockCounts(attrs)
		d, shape := r.DType(Numbers), tensor.Shape{r.Between(1, 2), tensor.Shape(size).Len() * r.Between(1, 2), tensor.Shape(count[:len(image)]).Len()}
		return Case{In: []*tensor.Tensor{r.updates(d, shape)}, Attrs: attrs}
	},
}

func colToImShape(s *Sig) ([]tensor.Shape, error) {
	in, image, size := s.In[0].Shape, s.Ints("output_size"), s.Ints("size")
	if len(image) == 0 || len(image) > tensor.MaxRank-2 {
		return nil, s.Errorf("output_size", "an image has %d dimensions; there must be from 1 to %d", len(image), tensor.MaxRank-2)
	}
	if len(size) != len(image) {
		return nil, s.Errorf("size", "%d numbers are given; there must be one for each of the %d dimensions of an image", len(size), len(image))
	}
	volume, err := s.volume(size)
	if err != nil {
		return nil, err
	}
	if in[1]%volume != 0 {
		return nil, s.Errorf("input", "shape %v has %d rows; it must have a multiple of %d, the positions of a block", in, in[1], volume)
	}
	// Blocks lie as the windows do that slide over the images.
	out := append(tensor.Shape{in[0], in[1] / volume}, image...)
	slide := &Sig{Def: s.Def, In: []Type{{DType: s.In[0].DType, Shape: out}}, Attrs: s.Attrs}
	blocks, err := slide.extents(image, size, nil)
	if err != nil {
		return nil, err
	}
	if n := times(blocks...); int64(in[2]) != n {
		return nil, s.Errorf("input", "shape %v has %d columns; there must be %d, one for each of %v blocks", in, in[2], n, tensor.Shape(blocks))
	}
	return []tensor.Shape{out}, nil
}

// blockCounts returns how many blocks lie along each dimension of an image.
func blockCounts(a graph.Attrs) (count [tensor.MaxRank]int) {
	size, padding := a.Ints("size"), a.Ints("padding")
	for i, n := range a.Ints("output_size") {
		d := geometry.SlideOf(a, i, n, 0, size[i])
		count[i] = (n+padding[2*i]+padding[2*i+1]-d.Span())/d.Stride + 1
	}
	return count
}

// colToImRun is how many elements of a row are added up together at most.
const colToImRun = 1 << 8

// colToIm computes elements of the images.
func colToIm[T numeric](c *Call, lo, hi int) {
	x, y, image, count := unsigned[T](c.In[0]), unsigned[T](c.Out[0]), c.Ints("output_size"), blockCounts(c.Attrs)
	g := geometry.NewSliding(c.Attrs, count[:len(image)], image, c.Ints("size"), true)
	g.Border = geometry.BorderIgnore
	plane, volume, blocks, last := tensor.Shape(image).Len(), g.Volume(), c.In[0].Shape()[2], &g.Dim[g.Rank-1]
	watch := c.Watch()
	for i, width := lo, 0; i < hi; i += width {
		o := g.Result(i % plane)
		first := o[g.Rank-1]
		width = min(hi-i, last.Out-first, colToImRun)
		sums, rows := y[i:][:width], i/plane*volume
		clear(sums)
		for k, more := g.FirstMet(&o, g.Rank, width); more; more = g.NextMet(&k, &o, g.Rank, width) {
			at := g.Offset(&o, &k, g.Rank-1)
			if watch.Stops(1) {
				return
			}
			if at < 0 { // Nor is there anything at the other positions along the row.
				k[g.Rank-1] = last.Size - 1
				continue
			}
			before := first + last.Before - k[g.Rank-1]*last.Dilation // of the first block that is met
			from, end := max(geometry.CeilDiv(before, last.Stride), 0), min(geometry.CeilDiv(before+width, last.Stride), last.In)
			if from >= end {
				continue
			}
			if watch.Stops(end - from) {
				return
			}
			blocksOf := x[(rows+g.Number(&k))*blocks+at:][from:end]
			to, apart := sums[from*last.Stride-before:], last.Stride
			if apart == 1 {
				to = to[:len(blocksOf)]
				for j, v := range blocksOf {
					to[j] += v
				}
				continue
			}
			for j, v := range blocksOf {
				to[j*apart] += v
			}
		}
		for j, sum := range sums {
			sums[j] = finish(sum)
		}
	}
}
