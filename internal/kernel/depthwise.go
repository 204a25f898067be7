package kernel

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/geometry"
	"github.com/concord-nn/concord/internal/simd"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// depthwiseRows are convolutions of which each channel is a group by itself, in blocks of channels.
func depthwiseRows(t *simd.Tier) []Kernel {
	if !t.Depthwise.Exists() {
		return nil
	}
	row := func(name string) Kernel {
		return Kernel{Name: "depthwise", Op: name, In: []op.Types{float32s, float32s}, Prepare: func(r Region) *Plan { return depthwise(t, r) }}
	}
	return []Kernel{row("conv"), row("deconv")}
}

func depthwise(t *simd.Tier, r Region) *Plan {
	n := r.Root()
	a := application{n.Attrs, graph.TypesOf(n.In), graph.TypesOf(n.Out)}
	in, filter, out := a.in[0].Shape, a.in[1].Shape, a.out[0].Shape
	weights := n.In[1].Const
	if out.Len() == 0 || in[1] == 1 || weights == nil || filter[0] != in[1] || filter[1] != 1 || out[1] != in[1] || a.String("border") != "constant" {
		return nil
	}
	d, h, w, ok := slides(n.Attrs, 2, in, out, filter[2:])
	if !ok {
		return nil
	}
	var g *planes
	var order []int // of the elements of a channel's filter, if it is another one
	if geometry.SlidesUp(n.Attrs) {
		g, order = upPlanes(in, d, h, w)
	} else {
		g = newPlanes(in, 4, d, h, w, simd.DepthwisePixels, false)
	}
	p := g.plan(t, &t.Depthwise, r, 2)
	if p != nil {
		p.Pack = []Pack{packChannels(weights, order)}
	}
	return p
}

// mostLattices bounds the lattices of a transposed convolution.
const mostLattices = 1 << 10

// upPlanes returns the geometry of a transposed convolution along rows and columns, and the order of the elements of a channel's filter. Seen from the last
// pixel to the first one, the windows of a lattice slide over the operand as those of a convolution do, with some of the elements, in their order.
func upPlanes(in tensor.Shape, d, h, w geometry.Slide) (g *planes, order []int) {
	rows, columns := min(h.Stride, h.Out), min(w.Stride, w.Out)
	if d != geometry.Unmoved || h.Dilation != 1 || w.Dilation != 1 || rows > mostLattices/columns {
		return nil, nil
	}
	var lattices []lattice
	for i := range rows {
		y, top := latticeOf(&h, i)
		for j := range columns {
			x, left := latticeOf(&w, j)
			lattices = append(lattices, lattice{d: d, h: y, w: x, in: (h.In*w.In - 1) * blockBytes, weights: len(order) * blockBytes,
				out:      ((i+(y.Out-1)*h.Stride)*w.Out + j + (x.Out-1)*w.Stride) * blockBytes,
				inColumn: -blockBytes, inRow: -w.In * blockBytes, outColumn: -w.Stride * blockBytes, outRow: -h.Stride * w.Out * blockBytes})
			for k := range y.Size {
				for l := range x.Size {
					order = append(order, (top+k*h.Stride)*w.Size+left+l*w.Stride)
				}
			}
		}
	}
	return planesOf(in, 4, h.Size*w.Size, h.Out*w.Out, lattices, simd.DepthwisePixels, false), order
}

// latticeOf returns the windows, along one dimension and seen from its end, of every stride-th result from one on, and the first element of the filter that
// they have.
func latticeOf(s *geometry.Slide, at int) (of geometry.Slide, first int) {
	shift := geometry.FloorDiv(at+s.Before, s.Stride)
	first = at + s.Before - shift*s.Stride
	n := geometry.CeilDiv(s.Out-at, s.Stride)
	return geometry.Slide{In: s.In, Out: n, Size: max(geometry.CeilDiv(s.Size-first, s.Stride), 0), Stride: 1, Dilation: 1, Before: n - s.In + shift}, first
}

// packChannels is elements of a tensor (C, n…), channel by channel in blocks: block, those of an order or all, channel.
func packChannels(from *tensor.Tensor, order []int) Pack {
	channels, form := from.Shape()[0], "channels in blocks"
	all := from.Len() / channels
	n := all
	if order != nil {
		n, form = len(order), fmt.Sprint(form, order)
	}
	blocks := geometry.CeilDiv(channels, block)
	x := tensor.Data[float32](from)
	return Pack{From: from, Form: form, Size: blocks * all * blockBytes, Fill: func(dst []byte, part, parts int) {
		for i := part * blocks / parts; i < (part+1)*blocks/parts; i++ {
			for k := range n {
				element := k
				if order != nil {
					element = order[k]
				}
				for l := range min(block, channels-i*block) {
					binary.NativeEndian.PutUint32(dst[((i*all+k)*block+l)*4:], math.Float32bits(x[(i*block+l)*all+element]))
				}
			}
		}
	}}
}
