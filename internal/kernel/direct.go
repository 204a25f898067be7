package kernel

import (
	"fmt"
	"slices"
	"unsafe"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/geometry"
	"github.com/concord-nn/concord/internal/simd"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// Direct convolution of float32, by the routines of tiles. A tile is some neighbouring pixels of a line of the result and some
// channels; its sums stay in registers while the taps go by. Padding is passed over: a table says for each tap of a tile which
// pixels take it.
//
// The weights of a part of the channels, as many as a tile has, for some blocks of input channels serve all tiles of a strip of lines, and come from
// the next cache at most; the input of a strip fits into that and serves all parts. Between passes over blocks of input channels the sums lie in the
// result, which therefore must not take the place of a tensor that the tail adds. A strip and a part are a piece. Where windows pass over some of the
// input, what a position of theirs meets may be copied first, so that it lies together: see [direct.sift].
const (
	convWeights    = 32 << 10  // bytes of weights in a pass of the largest tile: they come in a stream, and fewer passes write fewer sums
	convStrip      = 320 << 10 // bytes of input of a strip
	convFar        = 2         // times as long as the input take weights, which come from farther away
	convLine       = 168       // pixels of a line at most, which the pixels of tiles divide
	convCall       = 2 << 20   // multiply-adds for a line at most, so that no call takes long
	convFlat       = 1024      // pixels of a plane that may be one line though it has padding
	convHalves     = 16        // pixels of a plane from which on it is two lines where there is nothing else to divide
	convSmall      = 196       // pixels of a plane below which there are few tiles in a line
	convMostParts  = 1 << 16   // of the channels of the result, each for one group
	convMostLines  = 1 << 20   // of a plane
	convMostTaps   = 1 << 18   // in all tables of a plane
	convRate       = 32        // multiply-adds that take as long as an operation of a reference
	convSifted     = 32        // channels of a group of the result from which on it pays to copy the input for windows of several elements
	convMostSifted = 16        // elements along a dimension of such windows
	convCopied     = 2         // times as much as the input the copy takes at most, with strides that reach beyond the end
	convPieces     = 16        // as many as it takes to divide the work well
)

// directRows lists the rows of direct convolution.
func directRows(t *simd.Tier) []Kernel {
	tiles := t.ConvTiles()
	if len(tiles) == 0 {
		return nil
	}
	row := func(name string) Kernel {
		return Kernel{Name: "tiles", Op: name, In: []op.Types{float32s, float32s}, Prepare: func(r Region) *Plan { return convolveTiles(tiles, r) }}
	}
	return []Kernel{row("conv"), row("deconv")}
}

// direct is a convolution as it is divided.
type direct struct {
	tiles []simd.ConvTile
	tail  *tail
	v     *geometry.Convolution
	at    placement // where elements of the input lie

	batch, groups      int // of the convolution, which share no channels
	blocks             int // of input channels in a group of these
	lines              []directLine
	classes            []directClass
	parts              []directPart // of the channels of the result
	strip, strips      int          // lines of a strip, and strips of a plane
	pass               [2]int       // blocks of input channels in a pass, and passes
	outItem            int          // bytes of the result
	outBlock           int          // bytes between blocks of the result
	pixelStep, outStep int          // bytes between pixels of a line
	large              bool         // whether the input is more than a strip
	dynamic            bool         // whether weights are packed with each evaluation
	runs               bool         // whether elements beside each other, which a window meets in the one channel that there is, stand for channels
	packed             int          // bytes

	lattices *inputLattices // as the input is copied, or nil
	copies   int            // pieces that copy
	copyAt   int            // where the copy lies in the shared memory
	lineAt   int            // where a line of channels that groups share lies in the working memory
}

// inputLattices are parts of the input, each of the elements whose indices have the same remainders by the strides. The first element of each belongs to the first
// element of the result, and so on: a window position meets neighbours for neighbours, also from row to row.
type inputLattices struct {
	remainders [tensor.MaxRank][]int // along each dimension, of those that windows meet
	count      int
}

// placement says where the elements of the input lie: bytes between items, blocks of channels, channels, pixels.
type placement struct{ item, block, channel, pixel int }

// directPart is some channels of the result, as many as a tile has, of which the last ones need not exist.
type directPart struct {
	group   int          // of the convolution
	first   int          // channel of the result
	tile    int          // the index of the first tile that has as many channels
	width   int          // channels
	weights int          // where its weights begin, in bytes
	tail    []byte       // [tail.ready]
	others  []directPart // of the same channels, for the next groups, where the groups of the convolution end between those of a tile
}

func convolveTiles(tiles []simd.ConvTile, r Region) *Plan {
	n := r.Root()
	a := application{n.Attrs, graph.TypesOf(n.In), graph.TypesOf(n.Out)}
	if a.out[0].Shape.Len() == 0 || a.in[0].Shape.Len() == 0 || a.in[1].Shape.Len() == 0 {
		return nil
	}
	v := a.convolution()
	in, out := a.in[0].Shape, a.out[0].Shape
	d := &direct{tiles: tiles, v: v, batch: in[0], groups: in[1] / v.GroupIn, dynamic: n.In[1].Const == nil}
	if d.runs = in[1] == 1 && isRun(&v.Sliding); d.runs {
		last := v.Last()
		v.GroupIn, v.Taps, last.Size = last.Size, 1, 1
	}
	d.blocks = geometry.CeilDiv(v.GroupIn, block)
	if d.groups > 1 && v.GroupIn == 1 && v.GroupOut == 1 { // a tile would be computed for each of its channels
		return nil
	}
	if v.Border != geometry.BorderIgnore && reachesOut(&v.Sliding) || v.Channels/d.least()+d.groups > convMostParts {
		return nil
	}
	var ok bool
	if d.tail, ok = tailOf(r, 1, 2); !ok {
		return nil
	}
	p := &Plan{In: make([]Layout, len(r.Operands())), Out: make([]Layout, 1)}
	d.sift(in)
	p.In[0] = d.inputLayout(r, in)
	if v.OutPlane > 1 || out[1]%block != 0 {
		p.Out[0] = Blocked16
	}
	for _, i := range d.tail.tensors {
		p.In[i] = p.Out[0]
	}
	d.outBlock = v.OutPlane * block * 4
	d.outItem = geometry.CeilDiv(out[1], block) * d.outBlock
	if d.divideChannels() && len(d.tail.tensors) > 0 { // which lie relative to the result
		return nil
	}
	d.dividePasses()
	if !d.divideLines() {
		return nil
	}
	d.divideStrips()
	p.Scratch = d.scratch()
	p.Pieces = d.batch * d.strips * len(d.parts)
	p.Nanos = d.nanos()
	first := d.copies
	if d.dynamic {
		p.Shared = (d.packed + 63) &^ 63
		first += len(d.parts)
	} else {
		p.Pack = []Pack{{From: n.In[1].Const, Form: d.form(), Size: d.packed, Fill: func(dst []byte, i, of int) {
			for g := i * len(d.parts) / of; g < (i+1)*len(d.parts)/of; g++ {
				d.packAll(dst, tensor.Data[float32](n.In[1].Const), &d.parts[g])
			}
		}}}
	}
	if d.lattices != nil {
		d.copyAt = p.Shared
		p.Shared += d.batch * d.at.item
	}
	if first > 0 {
		p.Rounds = []int{first, p.Pieces}
		p.Pieces += first
	}
	p.Run = d.run
	p.Rows = d.rows(p.In[0], in, out)
	return p
}

// isRun reports whether all that a window meets of a channel lies together, inside of it: its sum takes one after the other as if they were channels.
func isRun(g *geometry.Sliding) bool {
	for i := range g.Rank - 1 {
		if g.Dim[i].Size > 1 {
			return false
		}
	}
	last := g.Last()
	return last.Size > 1 && last.Dilation == 1 && !reachesOut(g)
}

// sift decides whether the input is copied to lattices: where windows pass over some of it, or where lines that do not fill tiles become one.
func (d *direct) sift(in tensor.Shape) {
	g := &d.v.Sliding
	if d.v.Up || d.v.InPlane == d.v.OutPlane || d.v.OutPlane == 1 || in[1] <= FewChannels || d.groups > 1 && d.v.GroupIn%block != 0 {
		return
	}
	if d.v.Taps == 1 && reachesOut(g) || d.v.Taps > 1 && (d.v.GroupOut < convSifted || d.v.OutPlane > convFlat || !d.wasteful()) {
		return
	}
	l := &inputLattices{count: 1}
	for i := range g.Rank {
		s := &g.Dim[i]
		if s.Size > convMostSifted || s.Out != geometry.CeilDiv(s.In, s.Stride) {
			return
		}
		for k := range s.Size {
			x := k*s.Dilation - s.Before
			if r := x - geometry.FloorDiv(x, s.Stride)*s.Stride; !slices.Contains(l.remainders[i], r) {
				l.remainders[i] = append(l.remainders[i], r)
			}
		}
		l.count *= len(l.remainders[i])
	}
	if l.count*d.v.OutPlane > convCopied*d.v.InPlane {
		return
	}
	d.lattices, d.copies = l, d.batch*geometry.CeilDiv(in[1], block)
}

// nanos estimates how long it takes, by as many multiply-adds as a nanosecond has. Channels that tiles have beyond those of the result count.
func (d *direct) nanos() int64 {
	pixels := d.v.OutPlane
	if d.v.Up {
		pixels = d.v.InPlane
	}
	return int64(float64(d.batch*pixels) * float64(d.packed) / (4 * 40))
}

// inputLayout chooses how the input is read, and sets where its elements lie. An element of a plane of one pixel lies where it does in blocks.
func (d *direct) inputLayout(r Region, in tensor.Shape) Layout {
	plane := d.v.InPlane
	if d.runs {
		d.at = placement{item: plane * 4, block: block * 4, channel: 4, pixel: 4}
		return Plain
	}
	if d.lattices != nil {
		plane = d.lattices.count * d.v.OutPlane
	}
	blocks := geometry.CeilDiv(in[1], block)
	if plane == 1 {
		d.at = placement{item: in[1] * 4, block: block * 4, channel: 4, pixel: block * 4}
		return Plain
	}
	apart := d.groups > 1 && d.v.GroupIn%block != 0 && block%d.v.GroupIn != 0 // blocks have not the channels of a group together
	if apart || in[1] <= FewChannels && r.Layouts[r.Root().In[0]] == Plain {
		d.at = placement{item: in[1] * plane * 4, block: block * plane * 4, channel: plane * 4, pixel: 4}
		return Plain
	}
	d.at = placement{item: blocks * block * plane * 4, block: block * plane * 4, channel: 4, pixel: block * 4}
	return Blocked16
}

// least returns the number of channels of the smallest tile.
func (d *direct) least() int { return d.tiles[len(d.tiles)-1].Channels }

// divideChannels divides the channels of the result: into as many as the largest tiles have, and the rest into smaller ones. A part is whole
// blocks or lies in one. It reports whether groups share the channels of a part.
func (d *direct) divideChannels() (shared bool) {
	perGroup := d.v.Channels / d.groups
	widest := d.widest()
	middle := d.middle(perGroup, widest)
	for first := 0; first < d.v.Channels; {
		g := first / perGroup
		stop := (g + 1) * perGroup
		if half := g*perGroup + middle; first < half {
			stop = half
		}
		rest := geometry.CeilDiv(stop-first, d.least()) * d.least()
		switch {
		case stop == d.v.Channels && rest > block/2:
			rest = max(rest, block) // one tile with lanes that nobody needs takes no longer than two small ones
		case stop < d.v.Channels && first+rest > stop: // the last tile is of the next group, too
			rest = max(rest-d.least(), d.least())
		}
		tile := slices.IndexFunc(d.tiles, func(t simd.ConvTile) bool {
			return t.Channels <= min(rest, widest) && first%min(t.Channels, block) == 0
		})
		p := d.newPart(g, first, tile)
		for g++; g < d.groups && g*perGroup < first+p.width; g++ {
			p.others, shared = append(p.others, d.newPart(g, first, tile)), true
		}
		d.parts = append(d.parts, p)
		first += p.width
	}
	return shared
}

// newPart returns a part whose weights lie behind all others.
func (d *direct) newPart(group, first, tile int) directPart {
	p := directPart{group: group, first: first, tile: tile, width: d.tiles[tile].Channels, weights: d.packed}
	p.tail = d.tail.ready(first, p.width)
	d.packed += p.width * d.v.GroupIn * d.v.Taps * 4
	return p
}

// own returns the first channel of a part that is one of its group, and the number of these.
func (d *direct) own(p *directPart) (first, count int) {
	perGroup := d.v.Channels / d.groups
	first = max(p.first, p.group*perGroup)
	return first, min(p.first+p.width, (p.group+1)*perGroup) - first
}

// middle returns where channels are divided into halves, each of its own parts: where parts are all pieces that there are, and an odd number, one of two
// threads would wait for the last one. Elsewhere it is behind all channels.
func (d *direct) middle(channels, widest int) int {
	parts := geometry.CeilDiv(channels, widest)
	if d.batch*d.groups > 1 || parts%2 == 0 || parts < 3 || parts >= convPieces || !d.flat() || d.v.OutPlane > convLine {
		return channels
	}
	return geometry.CeilDiv(channels, 2*block) * block
}

// widest returns how many channels tiles have at most. Tiles of two blocks have twice as many sums to write at once, which the processor cannot hold: the
// next tile waits for some 85 cycles, where tiles of one block take 4. But they need half as many calls for a line, and read the input half as often.
func (d *direct) widest() int {
	g := &d.v.Sliding
	parted := d.v.OutPlane <= convFlat && (g.Last().Stride > 1 || d.v.Taps > 1 && g.Last().Out%d.tiles[0].Pixels != 0)
	if d.v.OutPlane < convSmall || parted {
		return d.tiles[0].Channels
	}
	return block
}

// form names the order of the packed weights: by the parts of the result's channels, which planes of other sizes may divide in another way.
func (d *direct) form() string {
	form := fmt.Append(nil, "conv/", d.groups, d.v.Up)
	for i := range d.parts {
		form = fmt.Append(form, " ", d.parts[i].width)
	}
	return string(form)
}

// packAll sets the weights of a part and of those with the same channels.
func (d *direct) packAll(to []byte, filter []float32, p *directPart) {
	d.pack(to, filter, p)
	for i := range p.others {
		d.pack(to, filter, &p.others[i])
	}
}

// pack sets the weights of a part: by block of input channels, window position, channel, and channel of the result.
func (d *direct) pack(to []byte, filter []float32, p *directPart) {
	dst := unsafe.Slice((*float32)(unsafe.Pointer(&to[p.weights])), p.width*d.v.GroupIn*d.v.Taps)
	channel, count := d.own(p)
	first, step := d.v.Weights(channel)
	next := step * d.v.GroupIn // channel of the result
	if d.v.Up {
		next = d.v.Taps
	}
	if count < p.width {
		clear(dst)
	}
	for b := 0; b < d.v.GroupIn; b += block {
		channels := min(block, d.v.GroupIn-b)
		for i := range count {
			row, at := filter[first+b*step+i*next:], channel-p.first+i
			for k := range d.v.Taps {
				for c := range channels {
					dst[at] = row[c*step+k]
					at += p.width
				}
			}
		}
		dst = dst[channels*d.v.Taps*p.width:]
	}
}

// dividePasses decides how many blocks of input channels are a pass.
func (d *direct) dividePasses() {
	d.pass[0] = min(max(convWeights/(block*d.v.Taps*d.tiles[0].Channels*4), 1), d.blocks)
	d.pass[1] = geometry.CeilDiv(d.blocks, d.pass[0])
	d.pass[0] = geometry.CeilDiv(d.blocks, d.pass[1])
}

// divideStrips decides how many lines are a strip. Each strip reads all weights; where that takes longer than reading all of the input for each part, it
// is one strip.
func (d *direct) divideStrips() {
	input := d.v.GroupIn * 4 // what is read of it
	for i := range d.v.Rank {
		if s := &d.v.Dim[i]; s.Up {
			input *= s.In
		} else {
			input *= min(s.In, s.Out*min(s.Stride, s.Size))
		}
	}
	d.large = input > convStrip
	strips := geometry.CeilDiv(input, convStrip)
	if input*len(d.parts) < convFar*d.packed*(strips-1) {
		strips = 1
	}
	d.strips = max(strips, geometry.CeilDiv(convPieces, d.batch*len(d.parts)))
	d.strips = min(d.strips, len(d.lines))
	d.strip = geometry.CeilDiv(len(d.lines), d.strips)
	d.strips = geometry.CeilDiv(len(d.lines), d.strip)
}

// run computes pieces.
func (d *direct) run(c *op.Call, lo, hi int) {
	input, weights := c.In[0].Bytes(), []byte(nil)
	if d.dynamic {
		for weights = c.Shared; lo < min(hi, len(d.parts)); lo++ {
			d.packAll(weights, tensor.Data[float32](c.In[1]), &d.parts[lo])
		}
		lo -= len(d.parts)
		hi -= len(d.parts)
	} else {
		weights = c.Packed[0]
	}
	if d.lattices != nil {
		watch := c.Watch()
		for input = c.Shared[d.copyAt:]; lo < min(hi, d.copies); lo++ {
			d.copyMet(&watch, floatsOf(input), tensor.Data[float32](c.In[0]), lo)
		}
		lo -= d.copies
		hi -= d.copies
	}
	r := d.begin(c, input, weights)
	for ; lo < hi; lo++ {
		strip := lo / len(d.parts)
		first := strip % d.strips * d.strip
		if r.part(&d.parts[lo%len(d.parts)], d.lines[first:min(first+d.strip, len(d.lines))], strip/d.strips, 0, 0) {
			return
		}
	}
}

// directCall is a call under way.
type directCall struct {
	*direct
	c                *op.Call
	watch            op.Watch
	in, out, weights uintptr
	addend           int // bytes from the result to what the tail adds
}

// begin returns the call that reads this input and these packed weights.
func (d *direct) begin(c *op.Call, input, weights []byte) directCall {
	r := directCall{direct: d, c: c, watch: c.Watch(), in: simd.At(input, 0), out: simd.At(c.Out[0].Bytes(), 0), weights: simd.At(weights, 0)}
	if len(d.tail.tensors) > 0 {
		r.addend = int(simd.At(c.In[d.tail.tensors[0]].Bytes(), 0) - r.out)
	}
	return r
}

// part computes a part of some lines of an item, where input and result lie so many bytes from where they lie otherwise. It reports whether it
// stopped early.
func (r *directCall) part(p *directPart, lines []directLine, item, in, out int) bool {
	out += item*r.outItem + p.first/block*r.outBlock + p.first%block*4
	if r.compute(p, lines, item, in, r.out+uintptr(out)) {
		return true
	}
	for i := range p.others {
		if r.insert(&p.others[i], lines, item, in, out) {
			return true
		}
	}
	return false
}

// compute computes a part of some lines of an item, to an address.
func (r *directCall) compute(p *directPart, lines []directLine, item, in int, to uintptr) bool {
	channel := p.group * r.v.GroupIn
	from := r.in + uintptr(item*r.at.item+channel/block*r.at.block+channel%block*r.at.channel+in)
	steps := r.tail.at(r.c, p.tail, p.first, p.width)
	return r.piece(&r.watch, p, lines, from, to, r.weights+uintptr(p.weights), steps, r.addend)
}

// insert computes a part, line by line, in the working memory, and copies what is of its group to the result.
func (r *directCall) insert(p *directPart, lines []directLine, item, in, out int) bool {
	first, count := r.own(p)
	lane, step := first-p.first, r.outStep/4
	line, result := floatsOf(r.c.Scratch[r.lineAt:]), floatsOf(r.c.Out[0].Bytes())
	for i := range lines {
		l := &lines[i]
		if r.compute(p, lines[i:i+1], item, in, simd.At(line, 0)-uintptr(l.out)) {
			return true
		}
		from, to := line[lane:], result[(out+l.out)/4+lane:]
		for j := range r.classes[l.class].pixels {
			copy(to[j*step:][:count], from[j*step:][:count])
		}
	}
	return false
}

// scratch returns the size of the working memory, behind whose tail a line lies where groups share channels.
func (d *direct) scratch() int {
	size := d.tail.size(block * 8)
	for i := range d.parts {
		if len(d.parts[i].others) == 0 {
			continue
		}
		d.lineAt = (size + 63) &^ 63
		for _, c := range d.classes {
			size = max(size, d.lineAt+c.pixels*d.outStep)
		}
		break
	}
	return size
}

// rows returns how rows of a result of a shape are computed alone, with the input in a layout; nil if they cannot be.
func (d *direct) rows(layout Layout, in, out tensor.Shape) *Rows {
	if len(out) != 4 || d.v.Up || d.v.OutPlane == 1 || d.dynamic || d.lineAt > 0 || d.lattices != nil && layout != Blocked16 {
		return nil
	}
	of := needs(in[2], 1, 0, 1)
	if d.v.Rank > 1 {
		s := &d.v.Dim[0]
		of = needs(s.In, s.Stride, s.Before, s.Span())
	}
	return &Rows{out[2], of, func(c Cuts) op.Kernel { return d.cut(in, out, c) }, len(d.tail.tensors) > 0}
}

// cut returns what computes ranges of rows.
func (d *direct) cut(in, out tensor.Shape, c Cuts) op.Kernel {
	e := *d
	e.lattices = nil
	inRow, outRow := in[3]*e.at.pixel, out[3]*block*4
	if d.lattices != nil {
		e.at.block = in[2] * inRow
		e.at.item = blocked(in)[1] * e.at.block
	}
	if c.In > 0 {
		e.at.block, e.at.item, e.large = c.In*inRow, 0, false
	}
	if c.Out > 0 {
		e.outBlock, e.outItem = c.Out*outRow, 0
	}
	each := out[3] // pixels that lie behind each other
	l := e.beginLines(1)
	begins := []int{0}
	for _, g := range c.Ranges {
		if e.v.Rank == 1 { // all rows
			each = (g.End - g.First) * out[3]
		}
		length := l.length(each)
		for at := g.First * out[3]; at < g.End*out[3]; at += each {
			if length == 0 || !l.add(at, each, length) {
				return nil
			}
		}
		begins = append(begins, len(e.lines))
	}
	return func(call *op.Call, lo, hi int) {
		r := e.begin(call, call.In[0].Bytes(), call.Packed[0])
		for ; lo < hi; lo++ {
			i := lo % len(c.Ranges)
			g, lines := &c.Ranges[i], e.lines[begins[i]:begins[i+1]]
			for i := range e.parts {
				if r.part(&e.parts[i], lines, lo/len(c.Ranges), -g.In*inRow, -g.Out*outRow) {
					return
				}
			}
		}
	}
}

// copyMet copies what windows meet of a block of channels, row by row of each lattice, as long as that is wanted. A panel of AVX2 has as many numbers as a
// pixel of a block.
func (d *direct) copyMet(watch *op.Watch, to, from []float32, number int) {
	g, last := &d.v.Sliding, d.v.Last()
	to, from = to[number*d.lattices.count*d.v.OutPlane*block:], from[number*d.v.InPlane*block:]
	line := simd.PanelArgs{ToStep: block * 4, FromStep: uintptr(last.Stride) * block * 4, Panels: 1}
	for lattice := range d.lattices.count {
		for row := range g.Rows() {
			if watch.Stops(last.Out * block) {
				return
			}
			o, rest, at, step, there := g.Row(row), lattice, 0, 1, true
			for i := g.Rank - 1; i >= 0; i-- {
				s, remainders := &g.Dim[i], d.lattices.remainders[i]
				x := o[i]*s.Stride + remainders[rest%len(remainders)]
				if i == g.Rank-1 {
					line.K = geometry.CeilDiv(s.In-x, s.Stride)
				}
				there = there && x < s.In
				at, step, rest = at+x*step, step*s.In, rest/len(remainders)
			}
			if there {
				line.To, line.From = simd.At(to, (lattice*d.v.OutPlane+row*last.Out)*block), simd.At(from, at*block)
				copyPanels(simd.Common, line)
			}
		}
	}
}

// piece computes a part of some lines, and reports whether it stopped early.
func (d *direct) piece(watch *op.Watch, p *directPart, lines []directLine, in, out, weights, steps uintptr, addend int) bool {
	fresh := d.large && p.first == p.group*d.v.GroupOut // whether nobody has read the input yet
	channel := p.width * 4
	for pass := range d.pass[1] {
		first := pass * d.pass[0]
		blocks := min(d.pass[0], d.blocks-first)
		channels := d.v.GroupIn - first*block
		args := simd.ConvArgs{
			PixelStep: d.pixelStep, ChannelStep: d.at.channel, OutStep: d.outStep, BlockStep: d.outBlock,
			Weights: weights + uintptr(first*d.v.Taps*block*channel),
			Blocks:  blocks, InStep: d.at.block, WeightsStep: d.v.Taps * block * channel,
			Whole: d.counts(block, channel),
		}
		if channels < blocks*block || d.at.channel != 4 {
			args.Last = d.counts(min(channels, blocks*block)-(blocks-1)*block, channel)
			args.Blocks, args.Rest = 0, blocks
			if d.at.channel == 4 {
				args.Blocks, args.Rest = blocks-1, 1
			}
		}
		args.Fetch = args.Weights + uintptr(blocks*args.WeightsStep) // of the next pass, or part
		args.FetchTaps = args.Blocks * args.WeightsStep / (4 * 64 * max(p.width/block, 1))
		if pass == 0 {
			args.First = 1
		}
		if pass == d.pass[1]-1 {
			args.Steps, args.Addend = steps, addend
		}
		work := blocks * block * d.v.Taps * p.width
		for i := range lines {
			l := &lines[i]
			class := &d.classes[l.class]
			for j := range class.runs[p.tile] {
				r := &class.runs[p.tile][j]
				args.In = in + uintptr(l.in+r.first*d.pixelStep+first*d.at.block)
				args.Out = out + uintptr(l.out+r.first*d.outStep)
				args.NextLine, args.Alone = 0, 0
				if fresh && i+1 < len(lines) {
					args.NextLine = lines[i+1].in - l.in
				}
				args.Ahead = args.NextLine | args.FetchTaps
				if args.Rest == 0 && r.alone() {
					args.Alone = 1
				}
				args.Table, args.TableStep, args.Tiles, args.LastPixels = simd.At(r.tables, 0), r.step, r.tiles, r.last
				r.tile.Run(&args)
			}
			if watch.Stops(work * class.pixels / convRate) {
				return true
			}
		}
	}
	return false
}

// counts returns how a routine takes so many channels of the input, each with so many bytes of weights.
func (d *direct) counts(channels, bytes int) simd.ConvCounts {
	c := simd.ConvCounts{TapBytes: channels * bytes}
	switch {
	case d.at.channel == 4:
		c.Quads, c.Ones = channels/4, channels%4
	case channels == 3:
		c.Three = 1
	default:
		c.Ones = channels
	}
	return c
}
