package kernel

import (
	"encoding/binary"
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
	return []Kernel{{Name: "depthwise", Op: "conv", In: []op.Types{float32s, float32s}, Prepare: func(r Region) *Plan { return depthwise(t, r) }}}
}

func depthwise(t *simd.Tier, r Region) *Plan {
	n := r.Root()
	a := application{n.Attrs, graph.TypesOf(n.In), graph.TypesOf(n.Out)}
	in, filter, out := a.in[0].Shape, a.in[1].Shape, a.out[0].Shape
	weights := n.In[1].Const
	if out.Len() == 0 || in[1] == 1 || weights == nil || filter[0] != in[1] || filter[1] != 1 || a.String("border") != "constant" {
		return nil
	}
	d, h, w, ok := slides(n.Attrs, 2, in, out, filter[2:])
	if !ok {
		return nil
	}
	p := newPlanes(in, 4, d, h, w, simd.DepthwisePixels, false).plan(t, &t.Depthwise, r, 2)
	if p != nil {
		p.Pack = []Pack{packChannels(weights, d.Size*h.Size*w.Size)}
	}
	return p
}

// packChannels is the elements of a tensor (C, n…), channel by channel in blocks: block, n, channel.
func packChannels(from *tensor.Tensor, n int) Pack {
	channels := from.Len() / n
	blocks := geometry.CeilDiv(channels, block)
	x := tensor.Data[float32](from)
	return Pack{From: from, Form: "channels in blocks", Size: blocks * n * blockBytes, Fill: func(dst []byte, part, parts int) {
		for i := part * blocks / parts; i < (part+1)*blocks/parts; i++ {
			for k := range n {
				for l := range min(block, channels-i*block) {
					binary.NativeEndian.PutUint32(dst[((i*n+k)*block+l)*4:], math.Float32bits(x[(i*block+l)*n+k]))
				}
			}
		}
	}}
}
