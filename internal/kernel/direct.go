package kernel

import (
	"fmt"
	"slices"
	"strconv"
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
// The weights of a group for some blocks of input channels fit into the nearest cache together with a tile's input, and serve all tiles of a
// strip of lines; the input of a strip fits into the next cache and serves all groups. Between passes over blocks of input channels the
// sums lie in the result. A strip and a group are a piece.
const (
	convWeights   = 18 << 10  // bytes of weights in a pass
	convStrip     = 320 << 10 // bytes of input of a strip
	convLine      = 168       // pixels of a line at most, which the pixels of tiles divide
	convCall      = 2 << 20   // multiply-adds for a line at most, so that no call takes long
	convFlat      = 1024      // pixels of a plane that may be one line though it has padding
	convPlain     = 4         // channels up to which a plain input is read as it is
	convMostLines = 1 << 20   // of a plane
	convPieces    = 16        // as many as it takes to divide the work well
)

// directRows lists the rows of direct convolution.
func directRows(t *simd.Tier) []Kernel {
	tiles := t.ConvTiles()
	if len(tiles) == 0 {
		return nil
	}
	return []Kernel{{Name: "tiles", Op: "conv", In: []op.Types{float32s, float32s}, Prepare: func(r Region) *Plan { return convolveTiles(tiles, r) }}}
}

// direct is a convolution as it is divided.
type direct struct {
	tiles []simd.ConvTile
	tail  *tail
	v     *geometry.Convolution
	at    placement // where elements of the input lie

	batch, groups       int // of the convolution, which share no channels
	blocks              int // of input channels in a group of these
	lines               []directLine
	classes             []directClass
	parts               []directPart // of the channels of the result
	strip, strips       int          // lines of a strip, and strips of a plane
	pass                [2]int       // blocks of input channels in a pass, and passes
	outItem             int          // bytes of the result
	outBlock, pixelStep int
	dynamic             bool // whether weights are packed with each evaluation
	packed              int  // bytes
}

// placement says where the elements of the input lie: bytes between items, blocks of channels, channels, pixels.
type placement struct{ item, block, channel, pixel int }

// directLine is a line of the result: neighbouring pixels, of which also the elements of the input that a tap meets have equal distances.
type directLine struct {
	in, out int // bytes from the beginning of the plane
	class   int
}

// directClass is how a line is divided into tiles, for each width of groups.
type directClass struct {
	pixels int
	runs   map[int][]directRun
}

// directRun is some neighbouring tiles.
type directRun struct {
	first  int // pixel
	tile   *simd.ConvTile
	tiles  int
	last   int            // pixels of the last tile, as bits
	tables []simd.ConvTap // of each tile, or one for all
	step   int            // bytes between tables
}

// directPart is some channels of the result, as many as a tile has, of which the last ones need not exist.
type directPart struct {
	group   int // of the convolution
	first   int // channel of the result
	width   int // channels
	weights int // where its weights begin, in bytes
}

func convolveTiles(tiles []simd.ConvTile, r Region) *Plan {
	n := r.Root()
	a := application{n.Attrs, graph.TypesOf(n.In), graph.TypesOf(n.Out)}
	if a.out[0].Shape.Len() == 0 || a.in[0].Shape.Len() == 0 || a.in[1].Shape.Len() == 0 {
		return nil
	}
	v := a.convolution(false)
	in, out := a.in[0].Shape, a.out[0].Shape
	d := &direct{tiles: tiles, v: v, batch: in[0], groups: in[1] / v.GroupIn, blocks: geometry.CeilDiv(v.GroupIn, block), dynamic: n.In[1].Const == nil}
	if d.groups > 1 && (v.GroupIn%block != 0 || v.GroupOut%block != 0) {
		return nil
	}
	if v.Border != geometry.BorderIgnore && reachesOut(&v.Sliding) {
		return nil
	}
	var ok bool
	if d.tail, ok = tailOf(r, 1, 2); !ok {
		return nil
	}
	p := &Plan{In: make([]Layout, d.operands(r)), Out: make([]Layout, 1)}
	p.In[0] = d.inputLayout(r, in)
	if v.OutPlane > 1 || out[1]%block != 0 {
		p.Out[0] = Blocked16
	}
	for _, i := range d.tail.tensors {
		p.In[i] = p.Out[0]
	}
	d.outBlock = v.OutPlane * block * 4
	d.outItem = geometry.CeilDiv(out[1], block) * d.outBlock
	d.divideChannels()
	d.dividePasses()
	if !d.divideLines() {
		return nil
	}
	d.divideStrips()
	p.Scratch = d.tail.size(block * 8)
	p.Pieces = d.batch * d.strips * len(d.parts)
	p.Nanos = int64(float64(v.OutPlane*v.Channels*d.batch) * float64(v.GroupIn*v.Taps) / 40)
	if d.dynamic {
		p.Shared = d.packed
		p.Rounds = []int{len(d.parts), p.Pieces}
		p.Pieces += len(d.parts)
	} else {
		p.Pack = []Pack{{From: n.In[1].Const, Form: d.form(), Size: d.packed, Fill: func(dst []byte, i, of int) {
			for g := i * len(d.parts) / of; g < (i+1)*len(d.parts)/of; g++ {
				d.pack(dst, tensor.Data[float32](n.In[1].Const), &d.parts[g])
			}
		}}}
	}
	p.Run = d.run
	return p
}

// operands returns how many operands a call of the region has.
func (d *direct) operands(r Region) int {
	n := 0
	for i, node := range r.Nodes {
		n += len(node.In)
		if i > 0 {
			n--
		}
	}
	return n
}

// reachesOut reports whether a window reaches beyond the operand.
func reachesOut(g *geometry.Sliding) bool {
	for i := range g.Rank {
		if d := &g.Dim[i]; d.Before > 0 || (d.Out-1)*d.Stride-d.Before+(d.Size-1)*d.Dilation >= d.In {
			return true
		}
	}
	return false
}

// inputLayout chooses how the input is read, and sets where its elements lie. An element of a plane of one pixel lies where it does in blocks.
func (d *direct) inputLayout(r Region, in tensor.Shape) Layout {
	plane := d.v.InPlane
	blocks := geometry.CeilDiv(in[1], block)
	if plane == 1 {
		d.at = placement{item: in[1] * 4, block: block * 4, channel: 4, pixel: block * 4}
		return Plain
	}
	if in[1] <= convPlain && r.Layouts[r.Root().In[0]] == Plain {
		d.at = placement{item: in[1] * plane * 4, block: block * plane * 4, channel: plane * 4, pixel: 4}
		return Plain
	}
	d.at = placement{item: blocks * block * plane * 4, block: block * plane * 4, channel: 4, pixel: block * 4}
	return Blocked16
}

// divideChannels divides the channels of the result: into as many as the largest tiles have, and the rest into smaller ones.
func (d *direct) divideChannels() {
	perGroup, least := d.v.Channels/d.groups, d.tiles[len(d.tiles)-1].Channels
	for g := range d.groups {
		for first := 0; first < perGroup; {
			rest := geometry.CeilDiv(perGroup-first, least) * least
			tile := slices.IndexFunc(d.tiles, func(t simd.ConvTile) bool { return t.Channels <= rest })
			p := directPart{g, g*perGroup + first, d.tiles[tile].Channels, d.packed}
			d.parts = append(d.parts, p)
			d.packed += p.width * d.v.GroupIn * d.v.Taps * 4
			first += p.width
		}
	}
}

// form names the order of the packed weights.
func (d *direct) form() string {
	form := fmt.Sprint("conv/", d.groups)
	for i := range d.tiles {
		form += fmt.Sprint(" ", d.tiles[i].Channels)
	}
	return form
}

// pack sets the weights of a group: by block of input channels, window position, channel, and channel of the result.
func (d *direct) pack(to []byte, filter []float32, p *directPart) {
	lanes := p.width
	n := d.v.GroupIn * d.v.Taps
	dst := unsafe.Slice((*float32)(unsafe.Pointer(&to[p.weights])), lanes*n)
	count := min(lanes, d.v.Channels/d.groups*(p.group+1)-p.first)
	rows := filter[p.first*n:][:count*n]
	for b := 0; b < d.v.GroupIn; b += block {
		channels := min(block, d.v.GroupIn-b)
		for k := range d.v.Taps {
			for c := range channels {
				from := rows[(b+c)*d.v.Taps+k:]
				line := dst[:lanes]
				for l := range line[:count] {
					line[l] = from[l*n]
				}
				clear(line[count:])
				dst = dst[lanes:]
			}
		}
	}
}

// dividePasses decides how many blocks of input channels are a pass.
func (d *direct) dividePasses() {
	weights := d.tiles[0].Channels * block * d.v.Taps * 4
	d.pass[0] = min(max(convWeights/weights, 1), d.blocks)
	d.pass[1] = geometry.CeilDiv(d.blocks, d.pass[0])
	d.pass[0] = geometry.CeilDiv(d.blocks, d.pass[1])
}

// divideStrips decides how many lines are a strip.
func (d *direct) divideStrips() {
	input := d.v.GroupIn * 4 // what is read of it
	for i := range d.v.Rank {
		s := &d.v.Dim[i]
		input *= min(s.In, s.Out*min(s.Stride, s.Size))
	}
	d.strips = max(geometry.CeilDiv(input, convStrip), geometry.CeilDiv(convPieces, d.batch*len(d.parts)))
	d.strips = min(d.strips, len(d.lines))
	d.strip = geometry.CeilDiv(len(d.lines), d.strips)
	d.strips = geometry.CeilDiv(len(d.lines), d.strip)
}

// run computes pieces.
func (d *direct) run(c *op.Call, lo, hi int) {
	var weights []byte
	if d.dynamic {
		for weights = c.Shared; lo < min(hi, len(d.parts)); lo++ {
			d.pack(weights, tensor.Data[float32](c.In[1]), &d.parts[lo])
		}
		lo -= len(d.parts)
		hi -= len(d.parts)
	} else {
		weights = c.Packed[0]
	}
	watch := c.Watch()
	in, out, filter := simd.At(c.In[0].Bytes(), 0), simd.At(c.Out[0].Bytes(), 0), simd.At(weights, 0)
	for ; lo < hi; lo++ {
		p, strip := &d.parts[lo%len(d.parts)], lo/len(d.parts)
		item, first := strip/d.strips, strip%d.strips*d.strip
		lines := d.lines[first:min(first+d.strip, len(d.lines))]
		from := in + uintptr(item*d.at.item+p.group*d.blocks*d.at.block)
		to := out + uintptr(item*d.outItem+p.first/block*d.outBlock+p.first%block*4)
		steps := d.tail.set(c, c.Scratch, p.first, p.width)
		if d.piece(&watch, p, lines, from, to, filter+uintptr(p.weights), steps) {
			return
		}
	}
}

// piece computes a group of some lines, and reports whether it stopped early.
func (d *direct) piece(watch *op.Watch, p *directPart, lines []directLine, in, out, weights, steps uintptr) bool {
	channel := p.width * 4
	for pass := range d.pass[1] {
		first := pass * d.pass[0]
		blocks := min(d.pass[0], d.blocks-first)
		channels := d.v.GroupIn - first*block
		base := simd.ConvArgs{
			PixelStep: d.pixelStep, ChannelStep: d.at.channel, OutStep: block * 4, BlockStep: d.outBlock,
			Blocks: blocks, InStep: d.at.block, WeightsStep: d.v.Taps * block * channel,
			TapBytes: block * channel,
		}
		channels = min(channels, blocks*block) - (blocks-1)*block // of the last block
		base.Quads, base.Ones = d.quads(block)
		base.LastQuads, base.LastOnes = d.quads(channels)
		base.LastTapBytes = channels * channel
		if pass == 0 {
			base.First = 1
		}
		if pass == d.pass[1]-1 {
			base.Steps = steps
		}
		work := blocks * block * d.v.Taps * p.width
		ahead := blocks * base.WeightsStep
		for i := range lines {
			l := &lines[i]
			class := &d.classes[l.class]
			for j := range class.runs[p.width] {
				r := &class.runs[p.width][j]
				args := base
				args.In = in + uintptr(l.in+r.first*d.pixelStep+first*d.at.block)
				args.Out = out + uintptr(l.out+r.first*block*4)
				args.Weights = weights + uintptr(first*d.v.Taps*block*channel)
				if i == 0 && j == 0 {
					args.Ahead = ahead
				}
				args.Table, args.TableStep, args.Tiles, args.LastPixels = simd.At(r.tables, 0), r.step, r.tiles, r.last
				r.tile.Run(&args)
			}
			if watch.Stops(work * class.pixels) {
				return true
			}
		}
	}
	return false
}

// quads returns how many times four channels, and how many single ones, a routine takes for so many.
func (d *direct) quads(channels int) (quads, ones int) {
	if d.at.channel != 4 {
		return 0, channels
	}
	return channels / 4, channels % 4
}

// divideLines divides the plane of the result into lines, and lines into tiles. It returns false where they are too many.
func (d *direct) divideLines() bool {
	g := &d.v.Sliding
	last := g.Rank - 1
	d.pixelStep = g.Dim[last].Stride * d.at.pixel
	steps := make([]int, g.Rank) // bytes between neighbours of the input along each dimension
	step := d.at.pixel
	for i := last; i >= 0; i-- {
		steps[i] = step
		step *= g.Dim[i].In
	}
	rows, width := d.v.OutPlane/g.Dim[last].Out, g.Dim[last].Out
	if d.flat() {
		rows, width = 1, d.v.OutPlane
	}
	most := d.tiles[0].Pixels
	work := min(convCall/(d.pass[0]*d.v.Taps*block*d.tiles[0].Channels), convLine)
	length := max(work/most*most, most)
	if rows*geometry.CeilDiv(width, length) > convMostLines || work == 0 {
		return false
	}
	classes := make(map[string]int)
	line := lineOf{direct: d, steps: steps, outside: reachesOut(g)}
	for row := range rows {
		for first := 0; first < width; first += length {
			line.first, line.pixels = row*width+first, min(length, width-first)
			key := line.key()
			class, ok := classes[key]
			if !ok {
				class = len(d.classes)
				classes[key] = class
				d.classes = append(d.classes, line.class())
			}
			d.lines = append(d.lines, directLine{line.input(), line.first * block * 4, class})
		}
	}
	return true
}

// flat reports whether the plane of the result is one line: whether the next pixel of the result is also the next one of the input, at the ends of
// rows, too. With padding each tile of such a line has a table of its own.
func (d *direct) flat() bool {
	g := &d.v.Sliding
	for i := range g.Rank {
		if s := &g.Dim[i]; s.Stride != 1 || i > 0 && s.In != s.Out {
			return false
		}
	}
	return g.Rank == 1 || d.v.OutPlane <= convFlat && g.Last().Out%d.tiles[0].Pixels != 0
}

// lineOf is a line whose tables are made.
type lineOf struct {
	*direct
	steps         []int
	outside       bool // whether any window reaches beyond the input
	first, pixels int
}

// input returns where the elements of the input lie from which the offsets of the taps are counted.
func (l *lineOf) input() int {
	o, at := l.v.Result(l.first), 0
	for i := range l.v.Rank {
		at += o[i] * l.v.Dim[i].Stride * l.steps[i]
	}
	return at
}

// inner reports whether no pixel of the line meets anything outside the input.
func (l *lineOf) inner() bool {
	if !l.outside {
		return true
	}
	a, b := l.v.Result(l.first), l.v.Result(l.first+l.pixels-1)
	for i := range l.v.Rank {
		s := &l.v.Dim[i]
		if b[i] < a[i] || i < l.v.Rank-1 && b[i] != a[i] {
			return false // more than a row
		}
		if a[i]*s.Stride < s.Before || b[i]*s.Stride-s.Before+(s.Size-1)*s.Dilation >= s.In {
			return false
		}
	}
	return true
}

// key returns what two lines have in common if they have the same tables.
func (l *lineOf) key() string {
	if l.inner() {
		return strconv.Itoa(l.pixels)
	}
	a, b := l.v.Result(l.first), l.v.Result(l.first+l.pixels-1)
	last := l.v.Rank - 1
	if last > 0 && !slices.Equal(a[:last], b[:last]) {
		return fmt.Sprint(l.pixels, "at", l.first)
	}
	key := fmt.Sprint(l.pixels, "from", a[last])
	for i := range last {
		s := &l.v.Dim[i]
		at := a[i]*s.Stride - s.Before
		from, to := max(geometry.CeilDiv(-at, s.Dilation), 0), min(geometry.CeilDiv(s.In-at, s.Dilation), s.Size)
		key += fmt.Sprint(" ", from, to)
	}
	return key
}

// class divides the line into runs of tiles.
func (l *lineOf) class() directClass {
	class := directClass{l.pixels, make(map[int][]directRun)}
	for i := range l.parts {
		if width := l.parts[i].width; class.runs[width] == nil {
			class.runs[width] = l.runs(width)
		}
	}
	return class
}

// runs divides the line into tiles of so many channels.
func (l *lineOf) runs(channels int) (runs []directRun) {
	first := 0
	for _, n := range l.split(channels) {
		for tiles := n.tiles; tiles > 0; {
			run := directRun{first: first, tile: n.tile, tiles: tiles, last: 1<<n.tile.Pixels - 1}
			if whole := (l.pixels - first) / n.tile.Pixels; tiles > whole { // the last tile has fewer pixels
				if run.tiles = whole; whole == 0 {
					run.tiles, run.last = 1, 1<<(l.pixels-first)-1
				}
			}
			l.tabulate(&run)
			runs = append(runs, run)
			tiles -= run.tiles
			first += run.tiles * n.tile.Pixels
		}
	}
	return runs
}

// someTiles is a number of tiles.
type someTiles struct {
	tile  *simd.ConvTile
	tiles int
}

// split chooses tiles of so many channels that have the pixels of the line, and together few more: of two sizes at most.
func (l *lineOf) split(channels int) []someTiles {
	large := slices.IndexFunc(l.tiles, func(t simd.ConvTile) bool { return t.Channels == channels })
	small := large
	if large+1 < len(l.tiles) && l.tiles[large+1].Channels == channels {
		small++
	}
	p, q := l.tiles[large].Pixels, l.tiles[small].Pixels
	var best []someTiles
	least := 0
	for a := l.pixels / p; a >= 0 && (large != small || best == nil); a-- {
		b := geometry.CeilDiv(l.pixels-a*p, q)
		const each = 2 // a tile takes as long as half a pixel, besides its pixels
		if cost := a*(each*p+1) + b*(each*q+1); best == nil || cost < least {
			best, least = []someTiles{{&l.tiles[large], a}, {&l.tiles[small], b}}, cost
		}
	}
	return best
}

// tabulate makes the tables of a run: one for each tile, or one for all where no tile meets anything outside the input.
func (l *lineOf) tabulate(run *directRun) {
	if l.inner() {
		run.tables = l.table(run.first, min(run.tile.Pixels, l.pixels-run.first))
		return
	}
	each := l.v.Taps + 1
	run.step = each * int(unsafe.Sizeof(simd.ConvTap{}))
	run.tables = make([]simd.ConvTap, each*run.tiles)
	for t := range run.tiles {
		first := run.first + t*run.tile.Pixels
		copy(run.tables[t*each:], l.table(first, min(run.tile.Pixels, l.pixels-first)))
	}
}

// table returns the table of a tile, given by its first pixel in the line and the number of pixels.
func (l *lineOf) table(first, pixels int) []simd.ConvTap {
	places := make([]geometry.Position, pixels)
	places[0] = l.v.Result(l.first + first)
	for i := range pixels - 1 {
		places[i+1] = places[i]
		l.v.NextResult(&places[i+1])
	}
	list := make([]simd.ConvTap, 1, l.v.Taps+1)
	var k geometry.Position
	for number, more := 0, true; more; number, more = number+1, l.v.NextPosition(&k) {
		tap := simd.ConvTap{Number: int32(number)}
		for i := range l.v.Rank {
			tap.In += (k[i]*l.v.Dim[i].Dilation - l.v.Dim[i].Before) * l.steps[i]
		}
		for p := range places {
			if l.v.Source(&places[p], &k) >= 0 {
				tap.Pixels |= 1 << p
			}
		}
		if tap.Pixels != 0 {
			list = append(list, tap)
		}
	}
	list[0].In = len(list) - 1
	return list
}
