package kernel

import (
	"encoding/binary"

	"github.com/concord-nn/concord/internal/geometry"
	"github.com/concord-nn/concord/internal/simd"
	"github.com/concord-nn/concord/tensor"
)

// copy makes the strip: what the window meets, in the form in which routines read it, from a block of input channels on. Rows of padding are left alone if
// they are there, because the strip has held other blocks before.
func (p *dotPart) copy(first int, padded bool) {
	rows, columns, top, left := p.metRows(p.rows), p.X.Reach(p.columns), p.row*p.Y.Stride-p.Y.Before, p.column*p.X.Stride-p.X.Before
	within := func(at, n, extent int) (from, to int) { // which of n from at on are within the input
		from = min(max(-at, 0), n)
		return from, max(min(extent-at, n), from)
	}
	y0, y1 := within(top, rows, p.Y.In)
	x0, x1 := within(left, columns, p.X.In)
	for plane := range p.planesRead() {
		if p.watch.Stops(rows * columns) {
			return
		}
		dst := p.strip[plane*p.StripRows*p.StripCols*p.pixel():]
		if p.Plain {
			p.interleave(dst, rows, columns, top, left)
			continue
		}
		if p.product {
			p.copyColumns(dst, plane, columns)
			continue
		}
		at := (p.batch*p.planes() + first + plane) * p.Y.In * p.X.In
		if p.border == geometry.BorderIgnore {
			if !padded {
				p.copyRows(dst, 0, y0, 0, 0, columns, 0)
			}
			p.copyRows(dst, y0, y1, at+(top+y0)*p.X.In+left+x0, x0, x1, columns)
			if !padded || p.Every > 1 { // whose routine writes beyond the last pair
				p.copyRows(dst, y1, rows, 0, 0, columns, 0)
			}
			continue
		}
		for r := range rows {
			at := at + p.border.Index(top+r, p.Y.In)*p.X.In
			p.copyRows(dst, r, r+1, at+left+x0, x0, x1, columns)
			for j := range columns {
				if j >= x0 && j < x1 {
					continue
				}
				if from := at + p.border.Index(left+j, p.X.In); p.paired() {
					p.pair(dst[r*p.StripCols*p.pixel():], j, from)
				} else {
					p.copyRows(dst[j*p.pixel():], r, r+1, from, 0, 1, 1)
				}
			}
		}
	}
}

// copyRows sets the rows from…to-1 of a plane of the strip: their pixels x0…x1-1 to those of the input from one on, the others up to x1 or n to
// what stands for 0.
func (p *dotPart) copyRows(dst []byte, from, to, at, x0, x1, n int) {
	if from == to {
		return
	}
	row := p.StripCols * p.pixel()
	left, inside, right := x0, x1-x0, n-x1
	if n == 0 { // nothing of the input
		left, inside, right = x1, 0, 0
	}
	if p.paired() {
		p.copyPairs(simd.At(dst, from*row), to-from, at, left, inside, right)
		return
	}
	if p.Words {
		for r := from; r < to; r++ {
			dst := dst[r*row:]
			clear(dst[:max(x1, n)*p.pixel()])
			if n > 0 && x0 < x1 {
				copy(dst[x0*p.pixel():x1*p.pixel()], p.x[(at+(r-from)*p.X.In)*p.pixel():])
			}
		}
		return
	}
	args := simd.CopyRowsArgs{From: simd.At(p.x, at*block), To: simd.At(dst, from*row), FromRow: p.X.In * block, ToRow: row, ToPixel: p.pixel(), Rows: to - from,
		Left: left, N: inside, Right: right}
	args.Change, args.Signed = p.change()
	args.Pad = p.padding()
	p.copyRoutine().Run(&args)
}

// copyPairs is copyRows for pairs of neighbouring pixels: of so many from one of the input on, with padding on the left and on the right.
func (p *dotPart) copyPairs(to uintptr, rows, at, left, inside, right int) {
	size := p.c.In[0].DType().Size() * block
	args := simd.CopyPairsArgs{From: simd.At(p.x, at*size), To: to, FromRow: p.X.In * size, ToRow: p.StripCols * p.pixel(), Rows: rows,
		Left: left, N: inside, Right: right, Toggle: (p.Every - 1) * p.pixel()}
	if args.Change, _ = p.change(); p.Words {
		args.Kind = 2
	} else if p.signed {
		args.Kind = 1
	}
	p.tier.CopyPairs.Run(&args)
}

// pair sets pixel j in the pairs of a row to one of the input.
func (p *dotPart) pair(row []byte, j, at int) {
	var pixel [block]int64
	geometry.Load(pixel[:], p.c.In[0], at*block, 1)
	for half := range 2 {
		first := j - half
		if first < 0 || first%p.Every > 0 {
			continue
		}
		for k, v := range pixel {
			binary.LittleEndian.PutUint16(row[first/p.Every*p.pixel()+4*k+2*half:], uint16(v-p.zero))
		}
	}
}

// copyRoutine returns the routine that copies rows.
func (d *dotConv) copyRoutine() *simd.Routine[simd.CopyRowsArgs] {
	if d.Size == 1 {
		return &d.tier.CopyRowsBytes
	}
	return &d.tier.CopyRows
}

// change returns what becomes of elements that are copied, as routines are told it.
func (p *dotPart) change() (change uint32, signed int) {
	if p.Size == 1 {
		return 0x01010101 * uint32(p.flip()), 0
	}
	return 0x00010001 * uint32(uint16(p.zero)), int(p.flip())
}

// padding returns what stands for 0, in four bytes.
func (p *dotPart) padding() uint32 {
	if p.Size == 1 {
		return 0x01010101 * uint32(byte(p.zero)^p.flip())
	}
	return 0
}

// copyColumns makes the part of a strip that has sixteen columns of rows of a matrix.
func (p *dotPart) copyColumns(dst []byte, plane, rows int) {
	at := p.left + p.column*p.In + plane*block
	if p.planar {
		for channel := plane * block; channel < min((plane+1)*block, p.In); channel++ {
			p.loadChannel(dst[channel%block*p.Size:], block, p.left+channel*p.X.In+p.column, rows)
		}
		return
	}
	if p.Words {
		n := 2 * min(p.In-plane*block, block)
		for r := range rows {
			copy(dst[r*p.pixel():][:n], p.x[2*(at+r*p.In):])
		}
		return
	}
	if n := p.In - plane*block; n < block {
		for r := range rows {
			to := dst[r*p.pixel():]
			for k, v := range p.x[at+r*p.In:][:n] {
				switch {
				case p.Size == 1:
					to[k] = v ^ p.flip()
				case p.signed:
					binary.LittleEndian.PutUint16(to[2*k:], uint16(int16(int8(v))-int16(p.zero)))
				default:
					binary.LittleEndian.PutUint16(to[2*k:], uint16(int16(v)-int16(p.zero)))
				}
			}
		}
		return
	}
	args := simd.CopyRowsArgs{From: simd.At(p.x, at), To: simd.At(dst, 0), FromRow: p.In, ToRow: p.pixel(), ToPixel: p.pixel(), Rows: rows, N: 1}
	args.Change, args.Signed = p.change()
	p.copyRoutine().Run(&args)
}

// flip returns which bits of a byte change when signed bytes become unsigned ones, 128 greater.
func (p *dotPart) flip() byte {
	if p.signed {
		return 0x80
	}
	return 0
}

// interleave makes the strip of a plain input of few channels, of which a pixel has four: those of some rows, one below the other.
func (p *dotPart) interleave(dst []byte, rows, columns, top, left int) {
	from := min(max(-left, 0), columns) // the columns from…to-1 are within the input
	to := max(min(p.X.In-left, columns), from)
	padding := p.strip[p.paddingAt:][:columns]
	for i := range padding {
		padding[i] = byte(p.zero)
	}
	line := p.StripCols * p.pixel()
	begin := min(max(-top, 0), rows) // all rows of the window that a pixel of the rows begin…end-1 has are within the input
	end := max(min(p.Y.In-top-(p.Under-1)*p.Y.Dilation, rows), begin)
	for r, n := 0, 0; r < rows; r += n {
		if n = 1; r == begin {
			n = max(end-begin, 1)
		}
		if from < to {
			p.load(dst[r*line+from*p.pixel():], padding, top+r, left+from, to-from, n)
		}
	}
	zero := p.padding()
	for r := range rows {
		row := dst[r*line:][:columns*p.pixel()]
		if p.border == geometry.BorderIgnore {
			pad(row[:from*p.pixel()], zero)
			pad(row[to*p.pixel():], zero)
			continue
		}
		for j := range columns {
			if j < from || j >= to {
				p.load(row[j*p.pixel():], padding, top+r, p.border.Index(left+j, p.X.In), 1, 1)
			}
		}
	}
}

// pad sets bytes of the strip to what stands for 0, of which four are given.
func pad(dst []byte, zero uint32) {
	for ; len(dst) > 0; dst = dst[4:] {
		binary.LittleEndian.PutUint32(dst, zero)
	}
}

// load sets n pixels of some rows of the strip to those of the input from a row, the uppermost of a pixel, and column on: of one row, or of several that
// are within the input. Padding is n elements of the input that stand for 0.
func (p *dotPart) load(dst, padding []byte, top, x, n, rows int) {
	var from [4]int // where the channels' elements are; negative for padding
	i, plane := 0, p.Y.In*p.X.In
	for y := top; i < p.Under*p.In; y += p.Y.Dilation {
		in := y
		if uint(y) >= uint(p.Y.In) {
			in = p.border.Index(y, p.Y.In)
		}
		at := (p.batch*p.In*p.Y.In+in)*p.X.In + x
		for range p.In {
			if from[i] = at; in < 0 {
				from[i] = -1
			}
			at += plane
			i++
		}
	}
	some := from[:p.Under*p.In]
	if routine := p.pixelRoutine(); n >= 8 && !p.Words && routine.Exists() {
		args := simd.PixelsArgs{To: simd.At(dst, 0), N: n, Rows: rows, FromRow: p.X.In, ToRow: p.StripCols * p.pixel()}
		args.Change, args.Signed = p.change()
		for i, to := range [4]*uintptr{&args.A, &args.B, &args.C, &args.D} {
			if at := from[i]; i >= len(some) {
				*to = args.A // of which there are no weights
			} else if at < 0 {
				*to = simd.At(padding, 0)
			} else {
				*to = simd.At(p.x, at)
			}
		}
		routine.Run(&args)
		return
	}
	for i, at := range some {
		to := dst[i*p.Size:]
		for r := 0; r < rows && at >= 0; r++ {
			p.loadChannel(to[r*p.StripCols*p.pixel():], 4, at+r*p.X.In, n)
		}
		for j, b := 0, p.padding(); j < n && at < 0; j++ {
			if to[4*j*p.Size] = byte(b); p.Size == 2 {
				to[4*j*p.Size+1] = byte(b)
			}
		}
	}
}

// pixelRoutine returns the routine that makes pixels of four planes.
func (d *dotConv) pixelRoutine() *simd.Routine[simd.PixelsArgs] {
	if d.Size == 1 {
		return &d.tier.PixelsBytes
	}
	return &d.tier.Pixels
}

// loadChannel sets a channel of n pixels, of step elements, to elements of the input.
func (p *dotPart) loadChannel(to []byte, step, at, n int) {
	switch {
	case p.Words:
		interleaveWords(to, step, tensor.Data[int16](p.c.In[0])[at:][:n], 0)
	case p.Size == 1:
		interleave(to, step, p.x[at:][:n], p.flip())
	case p.signed:
		interleaveWords(to, step, tensor.Data[int8](p.c.In[0])[at:][:n], int16(p.zero))
	default:
		interleaveWords(to, step, p.x[at:][:n], int16(p.zero))
	}
}

// interleave sets bytes that are so many apart.
func interleave(dst []byte, step int, x []byte, flip byte) {
	for i, v := range x {
		dst[step*i] = v ^ flip
	}
}

// interleaveWords sets words that are so many apart.
func interleaveWords[T int8 | uint8 | int16](dst []byte, step int, x []T, zero int16) {
	for i, v := range x {
		binary.LittleEndian.PutUint16(dst[2*step*i:], uint16(int16(v)-zero))
	}
}
