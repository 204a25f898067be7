package kernel

import (
	"slices"
	"strconv"
	"unsafe"

	"github.com/concord-nn/concord/internal/geometry"
	"github.com/concord-nn/concord/internal/simd"
	"github.com/concord-nn/concord/tensor"
)

// How the plane of a convolution's result is divided: into lines of pixels, and these into tiles, with tables of the taps that pixels take.

// directLine is a line of the result: pixels at equal distances, of which also the elements of the input that a tap meets have equal distances.
type directLine struct {
	in, out int // bytes from the beginning of the plane; taps are counted from there
	class   int
}

// directClass is how a line is divided into tiles, by the index of the first one that has as many channels.
type directClass struct {
	pixels int
	runs   [][]directRun
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

// divideLines divides the plane of the result into lines, and lines into tiles. It returns false where they are too many.
//
// Of a transposed convolution, neighbouring pixels of the result do not meet the same window positions, but those in a distance of the stride do: each
// row has as many lines.
func (d *direct) divideLines() bool {
	last := d.v.Last()
	phases, rows, width := 1, d.v.OutPlane/last.Out, last.Out
	switch {
	case d.v.Up:
		phases = last.Stride
	case d.flat():
		rows, width = 1, d.v.OutPlane
	}
	l := d.beginLines(phases)
	length := l.length(width)
	if length == 0 {
		return false
	}
	if pieces := d.batch * len(d.parts) * rows * phases * geometry.CeilDiv(width, length); pieces == 1 && width >= convHalves {
		length = geometry.CeilDiv(width, 2)
	}
	if rows*geometry.CeilDiv(width, length) > convMostLines || phases > convMostLines/rows {
		return false
	}
	for at := range rows * phases {
		row, phase := at/phases, at%phases
		if !l.add(row*width+phase, geometry.CeilDiv(width-phase, phases), length) {
			return false
		}
	}
	return true
}

// beginLines begins the list of lines, whose pixels have a distance.
func (d *direct) beginLines(phases int) *lineOf {
	g := &d.v.Sliding
	d.lines, d.classes = nil, nil
	d.outStep = phases * block * 4
	d.pixelStep = g.Last().Stride / phases * d.at.pixel
	l := &lineOf{direct: d, phases: phases, outside: reachesOut(g), classOf: make(map[string]int)}
	step, lattice := d.at.pixel, d.at.pixel*d.v.OutPlane
	if d.lattices != nil {
		d.pixelStep = step
	}
	for i := g.Rank - 1; i >= 0; i-- {
		l.steps[i], l.latticeSteps[i] = step, lattice
		if step *= g.Dim[i].In; d.lattices != nil {
			step = l.steps[i] * g.Dim[i].Out
			lattice *= len(d.lattices.remainders[i])
		}
	}
	return l
}

// place returns what an index along a dimension, which may lie outside, adds to the place of an element, in bytes.
func (l *lineOf) place(i, index int) int {
	if l.lattices == nil {
		return index * l.steps[i]
	}
	stride := l.v.Dim[i].Stride
	at := geometry.FloorDiv(index, stride)
	return at*l.steps[i] + slices.Index(l.lattices.remainders[i], index-at*stride)*l.latticeSteps[i]
}

// length returns the pixels of lines of about equal length into which so many pixels are divided, or 0 if each would take too long.
func (l *lineOf) length(pixels int) int {
	most := l.tiles[0].Pixels
	work := min(convCall/(l.pass[0]*l.v.Taps*block*l.tiles[0].Channels), convLine)
	if work == 0 {
		return 0
	}
	lines := geometry.CeilDiv(pixels, max(work/most*most, most))
	return geometry.CeilDiv(geometry.CeilDiv(pixels, lines), most) * most
}

// add adds the lines of some length that so many pixels make, from one on. It returns false where the tables become too large.
func (l *lineOf) add(at, pixels, length int) bool {
	for first := 0; first < pixels; first += length {
		l.first, l.pixels = at+first*l.phases, min(length, pixels-first)
		key := l.key()
		class, ok := l.classOf[key]
		if !ok {
			class = len(l.classes)
			l.classOf[key] = class
			l.classes = append(l.classes, l.class())
			if l.taps > convMostTaps {
				return false
			}
		}
		l.lines = append(l.lines, directLine{l.input(), l.first * block * 4, class})
	}
	return true
}

// flat reports whether the plane of the result is one line: whether the next pixel of the result is also the next one of the input, at the ends of
// rows, too. With padding each tile of such a line has a table of its own.
func (d *direct) flat() bool {
	g := &d.v.Sliding
	if d.lattices != nil {
		return true
	}
	for i := range g.Rank {
		if s := &g.Dim[i]; s.Stride != 1 || i > 0 && s.In != s.Out {
			return false
		}
	}
	return g.Rank == 1 || d.v.OutPlane <= convFlat && g.Last().Out%d.tiles[0].Pixels != 0
}

// reachesOut reports whether a window may reach beyond the operand.
func reachesOut(g *geometry.Sliding) bool {
	for i := range g.Rank {
		if d := &g.Dim[i]; d.Up || d.Outside() {
			return true
		}
	}
	return false
}

// lineOf is a line whose tables are made.
type lineOf struct {
	*direct
	steps         [tensor.MaxRank]int // bytes between neighbours of the input along each dimension
	latticeSteps  [tensor.MaxRank]int // and between lattices
	phases        int                 // the distance of neighbouring pixels
	outside       bool                // whether any window may reach beyond the input
	first, pixels int
	taps          int            // in all tables
	classOf       map[string]int // the class of lines by what these have in common
}

// pixel returns the index of a pixel.
func (l *lineOf) pixel(i int) geometry.Position { return l.v.Result(l.first + i*l.phases) }

// origin returns the index of the input from which the window positions for index o of the result are counted, which is that of the first one of a
// convolution. From it on, indices of the input grow with those of the line.
func origin(s *geometry.Slide, o int) int {
	if s.Up {
		return geometry.FloorDiv(o+s.Before, s.Stride)
	}
	return o*s.Stride - s.Before
}

// input returns where the elements of the input lie from which the offsets of the taps are counted.
func (l *lineOf) input() int {
	o, at := l.pixel(0), 0
	for i := range l.v.Rank {
		at += l.place(i, origin(&l.v.Dim[i], o[i]))
	}
	return at
}

// inner reports whether no pixel of the line meets anything outside the input.
func (l *lineOf) inner() bool { return !l.outside || l.inside(0, l.pixels, 0) }

// inside reports whether some pixels of the line are of one row and, along the dimensions from one on, meet nothing outside the input.
func (l *lineOf) inside(first, pixels, from int) bool {
	a, b := l.pixel(first), l.pixel(first+pixels-1)
	for i := range l.v.Rank {
		s := &l.v.Dim[i]
		if b[i] < a[i] || i < l.v.Rank-1 && b[i] != a[i] {
			return false // more than a row
		}
		for k := range s.Size {
			x, met := s.Source(a[i], k)
			if y, _ := s.Source(b[i], k); i >= from && met && (x < 0 || y >= s.In) {
				return false
			}
		}
	}
	return true
}

// key returns what lines have in common that have the same tables.
func (l *lineOf) key() string {
	key := strconv.AppendInt(nil, int64(l.pixels), 10)
	a, b := l.pixel(0), l.pixel(l.pixels-1)
	for i := range l.v.Rank {
		if s := &l.v.Dim[i]; s.Up {
			key = strconv.AppendInt(append(key, '%'), int64((a[i]+s.Before)%s.Stride), 10)
		}
	}
	if l.inner() {
		return string(key)
	}
	last := l.v.Rank - 1
	if last > 0 && !slices.Equal(a[:last], b[:last]) {
		return string(strconv.AppendInt(append(key, '@'), int64(l.first), 10))
	}
	key = strconv.AppendInt(append(key, ':'), int64(a[last]), 10)
	for i := range last {
		s := &l.v.Dim[i]
		key = append(key, '/')
		for k := range s.Size {
			if x, ok := s.Source(a[i], k); ok && x >= 0 && x < s.In {
				key = strconv.AppendInt(append(key, ' '), int64(k), 10)
			}
		}
	}
	return string(key)
}

// alone reports whether its tiles have one tap that all pixels take.
func (r *directRun) alone() bool {
	return r.step == 0 && len(r.tables) == 2 && r.tables[1].Pixels == 1<<r.tile.Pixels-1
}

// class divides the line into runs of tiles.
func (l *lineOf) class() directClass {
	class := directClass{l.pixels, make([][]directRun, len(l.tiles))}
	for i := range l.parts {
		if tile := l.parts[i].tile; class.runs[tile] == nil {
			class.runs[tile] = l.runs(tile)
		}
	}
	return class
}

// runs divides the line into tiles of as many channels as one has.
func (l *lineOf) runs(tile int) (runs []directRun) {
	first := 0
	for _, n := range l.split(tile) {
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

// split chooses tiles, of as many channels as the one that is given by its index, that have the pixels of the line and together few more: of two
// sizes at most.
func (l *lineOf) split(large int) []someTiles {
	small := large
	if large+1 < len(l.tiles) && l.tiles[large+1].Channels == l.tiles[large].Channels {
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

// wasteful reports whether tiles of a row of the result have more than a tenth of pixels that nobody needs.
func (d *direct) wasteful() bool {
	pixels := d.v.Last().Out
	row, more := lineOf{direct: d, pixels: pixels}, -pixels
	for _, n := range row.split(0) {
		more += n.tiles * n.tile.Pixels
	}
	return 10*more > pixels
}

const tapSize = int(unsafe.Sizeof(simd.ConvTap{}))

// tabulate makes the tables of a run: one for each tile, or one for all where no tile meets anything outside the input.
func (l *lineOf) tabulate(run *directRun) {
	if l.inner() {
		run.tables = l.table(run.first, min(run.tile.Pixels, l.pixels-run.first))
		return
	}
	each := l.v.Taps + 1
	run.step = each * tapSize
	run.tables = make([]simd.ConvTap, each*run.tiles)
	for t := range run.tiles {
		first, table := run.first+t*run.tile.Pixels, run.tables[t*each:]
		n := min(run.tile.Pixels, l.pixels-first)
		if t > 0 && n == run.tile.Pixels && l.inside(first-n, 2*n, l.v.Rank-1) { // as the one before
			copy(table[:each], run.tables[(t-1)*each:])
			l.taps += table[0].In/tapSize + 1
			continue
		}
		copy(table, l.table(first, n))
	}
}

// table returns the table of a tile, given by its first pixel in the line and the number of pixels.
func (l *lineOf) table(first, pixels int) []simd.ConvTap {
	places := make([]geometry.Position, pixels)
	for i := range places {
		places[i] = l.pixel(first + i)
	}
	list := make([]simd.ConvTap, 1, l.v.Taps+1)
	var k geometry.Position
	for number, more := 0, true; more; number, more = number+1, l.v.NextPosition(&k) {
		tap := simd.ConvTap{Number: int32(number)}
		for i := range l.v.Rank {
			x, _ := l.v.Dim[i].Source(places[0][i], k[i])
			tap.In += l.place(i, x) - l.place(i, origin(&l.v.Dim[i], places[0][i]))
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
	list[0].In = (len(list) - 1) * tapSize
	l.taps += len(list)
	return list
}
