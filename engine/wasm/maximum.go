package wasm

import (
	"github.com/concord-nn/concord/internal/geometry"
	"github.com/concord-nn/concord/internal/kernel"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// byteMaximum is a max_pool of integers of 8 bits over planes: a vector is a block of channels.
type byteMaximum struct {
	lines
	signed bool
}

func greatestBytes(r kernel.Region) *kernel.Plan {
	n := r.Root()
	in, out := n.In[0].Type.Shape, n.Out[0].Type.Shape
	planes, ok := geometry.Spatial(n.Attrs, in, out)
	if !ok || len(r.Nodes) > 1 || in.Len() == 0 || out.Len() == 0 || planes.Border != geometry.BorderIgnore || planes.Rank > 2 {
		return nil
	}
	v := &byteMaximum{lines{in: in, out: out, each: true, channels: block, element: 1}, n.In[0].Type.DType == tensor.Int8}
	v.slide(&planes, block)
	for _, d := range []*geometry.Slide{&v.rows, &v.columns} {
		for _, r := range d.Stretches(0, d.Out) {
			if r.Begin == r.End {
				return nil // nothing has a maximum
			}
		}
	}
	return &kernel.Plan{In: []kernel.Layout{kernel.Blocked16}, Out: []kernel.Layout{kernel.Blocked16},
		Pieces: in[0] * v.parts() * v.rows.Out, Code: makes(v.make)}
}

// make adds the function.
func (v *byteMaximum) make(m *maker, c *op.Call) (int, error) {
	return v.lines.make(m, c, packed{}, func(int) int { return octetPixels }, func(f *function, at tileAt, pixels int, r geometry.Stretch) {
		v.tile(f, at, pixels, r.End-r.Begin)
	})
}

// tile computes pixels that as many columns of taps meet.
func (v *byteMaximum) tile(f *function, at tileAt, pixels, columns int) {
	least, greater := uint32(0), uint32(i8x16MaxU)
	if v.signed {
		least, greater = 0x80808080, i8x16MaxS
	}
	var most []int
	for range pixels {
		most = append(most, f.v128())
		f.wideWords(least)
		f.Set(most[len(most)-1])
	}
	x := f.copied(at.x)
	f.repeat(f.copied(at.taps), func() {
		f.loop(columns, func() {
			for p, y := range most {
				f.load(x, p*v.columns.Stride*block)
				f.Get(y)
				f.SIMD(greater)
				f.Set(y)
			}
			f.move(x, v.columns.Dilation*block)
		})
		f.move(x, v.rows.Dilation*v.columns.In*block-columns*v.columns.Dilation*block)
	})
	for p, y := range most {
		f.store(at.out, p*block, y)
	}
}
