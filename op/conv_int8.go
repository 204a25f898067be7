package op

import "github.com/concord-nn/concord/tensor"

// Convolution of int8 with an int8 filter to int32, several output channels at a time. Sums of integers do not depend on their order, so
// it gives what the general kernel gives, faster: one multiplication of 64-bit numbers yields the products for two output channels.
const (
	octet   = 8   // output channels at a time, in pairs
	tilePos = 64  // elements of a result plane at a time
	tileTap = 256 // taps at a time; their sums are far within 32 bits
)

// int8Tile has the operands of tilePos·octet results: elements of the input by tap and position, and the filter by tap and pair of
// output channels, of which the second counts 2^32.
type int8Tile struct {
	x [tileTap * tilePos]int8
	w [tileTap][octet / 2]int64
}

// byOctets reports whether conv is computed for several output channels at a time. It is not worth it for fewer than half of them.
func byOctets(c *Call) bool {
	filter, groups := c.In[1].Shape(), max(c.In[0].Shape()[1]/max(c.In[1].Shape()[1], 1), 1)
	return c.In[0].DType() == tensor.Int8 && c.In[1].DType() == tensor.Int8 && c.Out[0].DType() == tensor.Int32 && filter[0]/groups >= octet/2
}

// octets returns the number of blocks of output channels in all groups.
func (v *convolution) octets() int { return v.channels / v.groupOut * ceilDiv(v.groupOut, octet) }

// convolveOctets makes a row of the result, in a block of output channels, a piece.
func convolveOctets(c *Call, lo, hi int) {
	v := newConvolution(c, false)
	width := v.last().out
	perGroup := ceilDiv(v.groupOut, octet)
	var tile int8Tile
	for lo < hi {
		block, row := lo/v.rows, lo%v.rows
		n := min(hi-lo, v.rows-row, max(1, tilePos/max(width, 1)))
		b, block := block/v.octets(), block%v.octets()
		first := block/perGroup*v.groupOut + block%perGroup*octet
		channels := min(octet, v.groupOut-block%perGroup*octet)
		for col := 0; col < width; col += tilePos {
			part := octetPart{c: c, v: &v, batch: b, channel: first, channels: channels, row: row, rows: n, col: col, cols: min(width-col, tilePos)}
			part.compute(&tile)
		}
		lo += n
	}
}

// octetPart is a part of the result: so many rows and columns of so many output channels.
type octetPart struct {
	c                 *Call
	v                 *convolution
	batch             int
	channel, channels int
	row, rows         int
	col, cols         int // all columns, or of one row
}

// plane returns the part in one output channel, in which it is contiguous.
func (p *octetPart) plane(y []int32, channel int) []int32 {
	at := (p.batch*p.v.channels+p.channel+channel)*p.v.outPlane + p.row*p.v.last().out + p.col
	return y[at : at+p.rows*p.cols]
}

func (p *octetPart) compute(t *int8Tile) {
	y := tensor.Data[int32](p.c.Out[0])
	for o := range p.channels {
		plane := p.plane(y, o)
		clear(plane)
		if p.c.Has(2) {
			addBias(plane, tensor.Data[int32](p.c.In[2]), p.channel+o)
		}
	}
	// A tile has the same window positions of some channels of the group.
	positions := min(p.v.volume, tileTap)
	channels := tileTap / positions
	var k position
	for at := 0; at < p.v.volume; at += positions {
		n := min(positions, p.v.volume-at)
		next := k
		for c := 0; c < p.v.groupIn; c += channels {
			m := min(channels, p.v.groupIn-c)
			next = p.load(t, k, n, c, m)
			p.weigh(t, at, n, c, m)
			p.add(t, y, n*m)
		}
		k = next
	}
}

// load sets x to the elements that m channels from c on meet at n window positions from k on, and returns the position behind.
func (p *octetPart) load(t *int8Tile, k position, n, c, m int) position {
	v, size := p.v, p.rows*p.cols
	from := p.batch*p.c.In[0].Shape()[1] + p.channel/v.groupOut*v.groupIn + c
	x := tensor.Data[int8](p.c.In[0])[from*v.inPlane:]
	clear(t.x[:n*m*size])
	for i := range n {
		index := v.row(p.row)
		for r := range p.rows {
			v.spans(&index, &k, func(s span) {
				skip := max(p.col-s.out, 0)
				count := min(s.out+s.n, p.col+p.cols) - s.out - skip
				if s.outside || count <= 0 {
					return
				}
				to, at := i*m*size+r*p.cols+s.out+skip-p.col, s.in+skip*s.inStep
				for range m {
					if row := t.x[to : to+count]; s.inStep == 1 {
						copy(row, x[at:])
					} else {
						for j := range row {
							row[j] = x[at+j*s.inStep]
						}
					}
					to, at = to+size, at+v.inPlane
				}
			})
			v.nextRow(&index)
		}
		v.nextPosition(&k)
	}
	return k
}

// weigh sets w to the filter elements of m channels from c on at n window positions from k on.
func (p *octetPart) weigh(t *int8Tile, k, n, c, m int) {
	filter := tensor.Data[int8](p.c.In[1])
	clear(t.w[:n*m])
	for o := range p.channels {
		at := (p.channel+o)*p.v.groupIn + c
		for j := range m {
			for i, w := range filter[(at+j)*p.v.volume+k:][:n] {
				t.w[i*m+j][o/2] += int64(w) << (32 * (o % 2))
			}
		}
	}
}

// add adds the products of n taps to the result.
func (p *octetPart) add(t *int8Tile, y []int32, n int) {
	var planes [octet][]int32
	for o := range p.channels {
		planes[o] = p.plane(y, o)
	}
	size := p.rows * p.cols
	for j := range size {
		sums := pairSums(t.w[:n], t.x[j:], size)
		for o := range p.channels {
			low := int32(sums[o/2])
			if o%2 != 0 {
				low = int32((sums[o/2] - int64(low)) >> 32)
			}
			planes[o][j] += low
		}
	}
}

// pairSums returns the sums of x·w for pairs of output channels, over elements of x that lie step apart.
func pairSums(w [][octet / 2]int64, x []int8, step int) [octet / 2]int64 {
	var a, b, c, d int64
	at := 0
	for i := range w {
		v := int64(x[at])
		p := &w[i]
		a += v * p[0]
		b += v * p[1]
		c += v * p[2]
		d += v * p[3]
		at += step
	}
	return [octet / 2]int64{a, b, c, d}
}
