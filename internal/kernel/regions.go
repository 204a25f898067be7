package kernel

import (
	"github.com/concord-nn/concord/internal/geometry"
	"github.com/concord-nn/concord/internal/simd"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// Pooling of regions, many channels at a time. The data is copied first, so that the channels of an element, a chunk of them, lie together. Of a row of
// bins the greatest elements of the columns are found, and then those of the bins among these.

// regionPool is a pooling of regions.
type regionPool[W word] struct {
	channels, height, width int
	rows, columns           int // of bins
	empty                   bool
	lanes, chunks           int // channels of a chunk, in whole vectors, and how many chunks there are
	together, parts         int // rows that are copied together, and how many times that is done for a chunk
	copies                  int // pieces that copy
	larger                  func(to, x, y []W)
	move                    interleaver[W]
}

const (
	regionChunk = 256     // bytes of the channels of a chunk, at most
	regionRow   = 1 << 16 // bytes of a row of the copy, at most
	regionCopy  = 1 << 28 // bytes of the copy, at most
	regionBins  = 64      // bins whose channels go to their planes together
)

// regionRows has the row of roi_pool, for tiers that bring channels together.
func regionRows(t *simd.Tier) []Kernel {
	if !t.Interleave4.Exists() {
		return nil
	}
	types := bits8 | bits16 | op.TypeSet(tensor.Int32, tensor.Uint32, tensor.Float32)
	return []Kernel{{Name: "regions", Op: "roi_pool", In: []op.Types{types, op.Integers, op.TypeSet(tensor.Int32, tensor.Int64)}, Prepare: alone(func(a *application) *Plan {
		switch a.in[0].DType.Size() {
		case 1:
			return poolRegions[uint8](t, a)
		case 2:
			return poolRegions[uint16](t, a)
		}
		return poolRegions[uint32](t, a)
	})}}
}

func poolRegions[W word](t *simd.Tier, a *application) *Plan {
	in, out, size := a.in[0].Shape, a.out[0].Shape, a.in[0].DType.Size()
	p := &regionPool[W]{channels: in[1], height: in[2], width: in[3], rows: out[3], columns: out[4], empty: a.String("before") == "empty",
		larger: largerOf[W](t, a.in[0].DType), move: interleaverOf[W](t)}
	chunk := min((p.channels*size+63)&^63, regionChunk)
	if p.width*chunk > regionRow {
		chunk = 64
	}
	p.lanes = chunk / size
	p.chunks = geometry.CeilDiv(p.channels, p.lanes)
	plane, regions := p.height*p.width, out[0]*out[1]
	// Few channels fill no vector, and what few bins need of the data is less than all of it.
	if plane == 0 || 2*p.channels*size < chunk || p.width*chunk > regionRow || in.Len() > regionCopy/2/size || regions*p.rows < geometry.CeilDiv(plane, 8*p.columns) {
		return nil
	}
	p.together = min(max(spreadChunk/p.width, 1), p.height)
	p.parts = geometry.CeilDiv(p.height, p.together)
	p.copies = in[0] * p.chunks * p.parts
	pieces := regions * p.chunks
	return &Plan{Pieces: p.copies + pieces, Rounds: []int{p.copies, pieces}, Shared: in[0] * p.chunks * plane * chunk, Scratch: (p.width + regionBins) * chunk,
		Nanos: int64(in.Len()*size)/16 + int64(out.Len())*int64(size)/5, Run: p.run}
}

// largerOf returns what finds the greater ones of elements of a type, a whole number of vectors.
func largerOf[W word](t *simd.Tier, d tensor.DType) func(to, x, y []W) {
	if d == tensor.Float32 {
		routine := t.Elements["max"]
		return func(to, x, y []W) {
			routine.Run(&simd.ElementsArgs{X: simd.At(x, 0), Y: simd.At(y, 0), Z: simd.At(to, 0), XMask: -1, YMask: -1, N: len(to)})
		}
	}
	routine, _ := pairRoutine(t, "max", d)
	vector := pairBytes / d.Size()
	return func(to, x, y []W) {
		routine.Run(&simd.PairsArgs{X: simd.At(x, 0), Y: simd.At(y, 0), Out: simd.At(to, 0), YMask: -1, N: len(to) / vector})
	}
}

// run computes the pieces lo…hi-1: the copies, and then chunks of regions.
func (p *regionPool[W]) run(c *op.Call, lo, hi int) {
	watch := c.Watch()
	for ; lo < min(hi, p.copies) && !watch.Stops(p.together*p.width*p.lanes/2); lo++ {
		p.copy(c, lo)
	}
	for lo -= p.copies; lo < hi-p.copies && !watch.Stops(0); lo++ {
		p.pool(c, lo/p.chunks, lo%p.chunks, &watch)
	}
}

// copy brings the channels of some rows of a chunk together.
func (p *regionPool[W]) copy(c *op.Call, piece int) {
	x, to, plane := wordsOf[W](c.In[0]), elementsOfType[W](c.Shared), p.height*p.width
	chunk, first := piece/p.parts, piece%p.parts*p.together*p.width // among those of all items, and the first element
	item, channel := chunk/p.chunks, chunk%p.chunks*p.lanes
	n := min(p.together*p.width, plane-first)
	p.move.transpose(to[(chunk*plane+first)*p.lanes:], p.lanes, x[(item*p.channels+channel)*plane+first:], plane, min(p.lanes, p.channels-channel), n)
}

// pool computes a chunk of the channels of a region.
func (p *regionPool[W]) pool(c *op.Call, region, chunk int, watch *op.Watch) {
	item := region / c.Out[0].Shape()[1]
	if c.Has(2) {
		item = int(min(max(integerAt(c.In[2], region), 0), int64(c.In[0].Shape()[0]-1)))
	}
	r, plane := geometry.RegionOf(c.In[1], region), p.height*p.width*p.lanes
	x, scratch := elementsOfType[W](c.Shared)[(item*p.chunks+chunk)*plane:][:plane], elementsOfType[W](c.Scratch)
	line, bins := scratch[:p.width*p.lanes], scratch[p.width*p.lanes:]
	from, end := r.X.Bin(0, 1, p.width, false) // of all columns
	channel, each := chunk*p.lanes, p.rows*p.columns
	y := wordsOf[W](c.Out[0])[(region*p.channels+channel)*each:]
	n, at := 0, 0
	for i := range p.rows {
		top, bottom := r.Y.Bin(i, p.rows, p.height, p.empty)
		if watch.Stops((bottom - top) * (end - from) * p.lanes / block) {
			return
		}
		row := p.greatest(line[from*p.lanes:end*p.lanes], x[from*p.lanes:], top, bottom, p.width*p.lanes)
		for j := range p.columns {
			left, right := r.X.Bin(j, p.columns, p.width, p.empty)
			bin := bins[n*p.lanes:][:p.lanes]
			if n++; top == bottom || left == right {
				clear(bin)
			} else {
				p.greatest(bin, row, left-from, right-from, p.lanes)
			}
			if n == regionBins || i == p.rows-1 && j == p.columns-1 {
				p.move.transpose(y[at:], each, bins, p.lanes, n, min(p.lanes, p.channels-channel))
				if n, at = 0, at+n; watch.Stops(regionBins) {
					return
				}
			}
		}
	}
}

// greatest sets elements to the greatest ones of some rows, and returns them.
func (p *regionPool[W]) greatest(to, x []W, first, end, step int) []W {
	if first == end || len(to) == 0 {
		return to
	}
	x = x[first*step:]
	p.larger(to, x, x[min(1, end-first-1)*step:])
	for k := 2; k < end-first; k++ {
		p.larger(to, to, x[k*step:])
	}
	return to
}
