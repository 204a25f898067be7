package kernel

import (
	"encoding/binary"

	"github.com/concord-nn/concord/internal/geometry"
	"github.com/concord-nn/concord/internal/simd"
	"github.com/concord-nn/concord/tensor"
)

// copy makes the strip: what the window meets, in the form in which routines read it, from a block of input channels on.
func (p *dotPart) copy(first int) {
	rows, columns, top, left := met(&p.Y, p.rows), met(&p.X, p.columns), p.row*p.Y.Stride-p.Y.Before, p.column*p.X.Stride-p.X.Before
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
			p.copyRows(dst, 0, y0, 0, 0, columns, 0)
			p.copyRows(dst, y0, y1, at+(top+y0)*p.X.In+left+x0, x0, x1, columns)
			p.copyRows(dst, y1, rows, 0, 0, columns, 0)
			continue
		}
		for r := range rows {
			at := at + p.border.Index(top+r, p.Y.In)*p.X.In
			p.copyRows(dst, r, r+1, at+left+x0, x0, x1, columns)
			for j := range columns {
				if j < x0 || j >= x1 {
					p.copyRows(dst[j*p.pixel():], r, r+1, at+p.border.Index(left+j, p.X.In), 0, 1, 1)
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
	if p.Words {
		for r := from; r < to; r++ {
			dst := dst[r*row:]
			clear(dst[:max(x1, n)*p.pixel()])
			if n > 0 {
				copy(dst[x0*p.pixel():x1*p.pixel()], p.x[(at+(r-from)*p.X.In)*p.pixel():])
			}
		}
		return
	}
	args := simd.CopyRowsArgs{From: simd.At(p.x, at*block), To: simd.At(dst, from*row), FromRow: p.X.In * block, ToRow: row, Rows: to - from,
		Left: x0, N: x1 - x0, Right: n - x1}
	if n == 0 { // nothing of the input
		args.Left, args.N, args.Right = x1, 0, 0
	}
	p.change(&args)
	p.copyRoutine().Run(&args)
}

// copyRoutine returns the routine that copies rows.
func (d *dotConv) copyRoutine() *simd.Routine[simd.CopyRowsArgs] {
	if d.Size == 1 {
		return &d.tier.CopyRowsBytes
	}
	return &d.tier.CopyRows
}

// change sets what becomes of elements that are copied.
func (p *dotPart) change(args *simd.CopyRowsArgs) {
	if p.Size == 1 {
		args.Change = 0x01010101 * uint32(p.flip())
		args.Pad = args.Change ^ 0x01010101*uint32(uint8(p.zero))
		return
	}
	args.Change = 0x00010001 * uint32(uint16(p.zero))
	args.Signed = int(p.flip())
}

// copyColumns makes the part of a strip that has sixteen columns of rows of a matrix.
func (p *dotPart) copyColumns(dst []byte, plane, rows int) {
	at := p.column*p.In + plane*block
	if p.planar {
		for channel := plane * block; channel < min((plane+1)*block, p.In); channel++ {
			p.loadChannel(dst[channel%block*p.Size:], block, channel, 0, p.column, rows)
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
	args := simd.CopyRowsArgs{From: simd.At(p.x, at), To: simd.At(dst, 0), FromRow: p.In, ToRow: p.pixel(), Rows: rows, N: 1}
	p.change(&args)
	p.copyRoutine().Run(&args)
}

// flip returns which bits of a byte change when signed bytes become unsigned ones, 128 greater.
func (p *dotPart) flip() byte {
	if p.signed {
		return 0x80
	}
	return 0
}

// interleave makes the strip of a plain input of few channels, of which a pixel has four.
func (p *dotPart) interleave(dst []byte, rows, columns, top, left int) {
	from := min(max(-left, 0), columns) // the columns from…to-1 are within the input
	to := max(min(p.X.In-left, columns), from)
	for r := range rows {
		row := dst[r*p.StripCols*p.pixel():][:columns*p.pixel()]
		y := p.border.Index(top+r, p.Y.In)
		if y < 0 {
			p.pad(row)
			continue
		}
		if from < to {
			p.load(row[from*p.pixel():], y, left+from, to-from)
		}
		for j := 0; j < columns; j++ {
			if j >= from && j < to {
				j = to - 1
				continue
			}
			at := row[j*p.pixel():][:p.pixel()]
			if x := p.border.Index(left+j, p.X.In); x >= 0 {
				p.load(at, y, x, 1)
			} else {
				p.pad(at)
			}
		}
	}
}

// pad sets bytes of the strip to what stands for 0.
func (p *dotPart) pad(dst []byte) {
	clear(dst)
	if b := byte(p.zero) ^ p.flip(); p.Size == 1 && b != 0 {
		for i := range dst {
			dst[i] = b
		}
	}
}

// load sets n pixels of the strip to those of the input from a row and column on.
func (p *dotPart) load(dst []byte, y, x, n int) {
	if p.In == 3 && p.Size == 1 {
		plane := p.Y.In * p.X.In
		at := p.batch*3*plane + y*p.X.In + x
		change := 0x00010101 * uint32(p.flip())
		if whole := n / 16; whole > 0 {
			args := simd.PixelsArgs{A: simd.At(p.x, at), B: simd.At(p.x, at+plane), C: simd.At(p.x, at+2*plane), To: simd.At(dst, 0), N: whole, Change: change}
			p.tier.Pixels.Run(&args)
			at, dst, n = at+16*whole, dst[64*whole:], n%16
		}
		interleaveThree(dst, p.x[at:][:n], p.x[at+plane:][:n], p.x[at+2*plane:][:n], change)
		return
	}
	for channel := range p.In {
		p.loadChannel(dst[channel*p.Size:], 4, channel, y, x, n)
	}
}

// loadChannel sets a channel of n pixels, of step elements, to those of the input from a row and column on.
func (p *dotPart) loadChannel(to []byte, step, channel, y, x, n int) {
	switch at := (p.batch*p.In+channel)*p.Y.In*p.X.In + y*p.X.In + x; {
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

// interleaveThree sets three of every four bytes.
func interleaveThree(dst, a, b, c []byte, flip uint32) {
	b, c, dst = b[:len(a)], c[:len(a)], dst[:4*len(a)]
	for i, v := range a {
		binary.LittleEndian.PutUint32(dst[4*i:4*i+4], (uint32(v)|uint32(b[i])<<8|uint32(c[i])<<16)^flip)
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
