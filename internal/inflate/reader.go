package inflate

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
)

// The errors of data that are no gzip. Data that are cut off give io.ErrUnexpectedEOF.
var (
	ErrHeader   = errors.New("this is not gzip")
	ErrChecksum = errors.New("the checksum is wrong: the data are damaged")
	ErrCorrupt  = errors.New("the compressed data are damaged")
)

const (
	window       = 32 << 10 // how far back a match may lie
	outBytes     = window + 64<<10
	longest      = 2 + 258 // bytes that one step writes: two literals and a match
	inBytes      = 64 << 10
	trailerBytes = 8
	lookahead    = 8 // bytes of the input that a look at it reads, whether they are there or not
)

// Reader is an io.Reader of what members of gzip, one behind the other, unpack to.
type Reader struct {
	src    io.Reader
	in     []byte // what was read of src, from pos on not yet decoded; behind its end there may be zeros
	pos    int
	end    int
	taken  int64 // bytes read of src
	ended  error // from src
	bits   uint64
	n      uint // bits in bits, of which more may be right than are counted
	out    []byte
	read   int // out[read:write] is to be handed out
	write  int
	start  int // where in out the member begins, or what is left of it
	summed int // up to here out is in sum
	sum    uint32
	size   uint32
	err    error // behind what is to be handed out

	decode   func() error // the rest of the block, or the next thing that there is
	last     bool         // the block is the member's last
	stored   int          // bytes of a stored block to come
	literals codes
	offsets  codes
}

// NewReader reads the header of the first member.
func NewReader(src io.Reader) (*Reader, error) {
	r := &Reader{src: src, in: make([]byte, inBytes+lookahead), out: make([]byte, outBytes)}
	return r, r.member()
}

// Taken returns the number of bytes read of the source.
func (r *Reader) Taken() int64 { return r.taken }

// Read implements io.Reader.
func (r *Reader) Read(p []byte) (int, error) {
	for r.read == r.write {
		if r.err != nil {
			return 0, r.err
		}
		if len(p) == 0 {
			return 0, nil
		}
		r.fill()
	}
	n := copy(p, r.out[r.read:r.write])
	r.read += n
	return n, nil
}

// fill decodes until the memory for it is full, or the data end.
func (r *Reader) fill() {
	if keep := min(r.write, window); r.write > outBytes-longest {
		copy(r.out, r.out[r.write-keep:r.write])
		r.start = max(0, r.start-(r.write-keep))
		r.read, r.write, r.summed = keep, keep, keep
	}
	for r.err == nil && r.write <= outBytes-longest {
		r.err = r.decode()
	}
	if r.err == ErrCorrupt && r.ended != nil && r.end-r.pos+int(r.n>>3) < trailerBytes { //nolint:errorlint // it is never wrapped
		r.err = r.cut() // what makes no sense are the zeros behind the end
	}
	r.count()
}

// count enters what was decoded into the checksum.
func (r *Reader) count() {
	r.sum = crc32.Update(r.sum, crc32.IEEETable, r.out[r.summed:r.write])
	r.size += uint32(r.write - r.summed)
	r.summed = r.write
}

// more makes room for a look at the input: eight bytes from pos on. Behind its end they are zeros, but not more of them than that. It returns
// where pos is then.
func (r *Reader) more(pos int) (int, error) {
	if pos > r.end {
		return pos, r.cut()
	}
	from := max(0, pos-lookahead) // of which bytes may be given back
	r.end = copy(r.in, r.in[from:r.end])
	pos -= from
	for r.end < pos+lookahead && r.ended == nil {
		var n int
		n, r.ended = r.src.Read(r.in[r.end:inBytes])
		r.end += n
		r.taken += int64(n)
	}
	clear(r.in[r.end : r.end+lookahead])
	return pos, nil
}

// cut returns the error of data that end too early.
func (r *Reader) cut() error {
	if r.ended == io.EOF { //nolint:errorlint // io.Reader says so
		return io.ErrUnexpectedEOF
	}
	return r.ended
}

// need brings at least 56 bits of the input into bits.
func (r *Reader) need() (err error) {
	if r.pos+lookahead > r.end {
		if r.pos, err = r.more(r.pos); err != nil {
			return err
		}
	}
	r.bits |= binary.LittleEndian.Uint64(r.in[r.pos:]) << r.n
	r.pos += int(63-r.n) >> 3
	r.n |= 56
	return nil
}

// take takes up to 16 bits, of those that need has brought.
func (r *Reader) take(n uint) uint {
	v := uint(r.bits) & (1<<n - 1)
	r.bits >>= n
	r.n -= n
	return v
}

// bytes gives back what was looked at beyond the byte that the stream stands in. The rest of that byte is skipped.
func (r *Reader) bytes() error {
	if r.pos -= int(r.n >> 3); r.pos > r.end {
		return r.cut()
	}
	r.bits, r.n = 0, 0
	return nil
}

// next returns the next byte of the input, which stands at a whole byte.
func (r *Reader) next() (byte, error) {
	if r.pos == r.end {
		var err error
		if r.pos, err = r.more(r.pos); err != nil {
			return 0, err
		}
		if r.pos == r.end {
			return 0, r.cut()
		}
	}
	r.pos++
	return r.in[r.pos-1], nil
}

// number returns the next n bytes, little-endian.
func (r *Reader) number(n int) (uint32, error) {
	var v uint32
	for i := range n {
		b, err := r.next()
		if err != nil {
			return 0, err
		}
		v |= uint32(b) << (8 * i)
	}
	return v, nil
}

// The flags of a member's header.
const (
	flagSum     = 1 << 1
	flagExtra   = 1 << 2
	flagName    = 1 << 3
	flagComment = 1 << 4
)

// member reads the header of a member. The error is io.EOF where the data end.
func (r *Reader) member() error {
	if _, err := r.next(); err != nil {
		if r.ended == io.EOF { //nolint:errorlint // io.Reader says so
			return io.EOF
		}
		return err
	}
	r.pos--
	r.sum = 0
	var begin [10]byte
	for i := range begin {
		var err error
		if begin[i], err = r.header(); err != nil {
			return err
		}
	}
	if begin[0] != 0x1F || begin[1] != 0x8B || begin[2] != 8 {
		return ErrHeader
	}
	flags := begin[3]
	if flags&flagExtra != 0 {
		low, err := r.header()
		if err != nil {
			return err
		}
		high, err := r.header()
		for n := int(high)<<8 | int(low); n > 0 && err == nil; n-- {
			_, err = r.header()
		}
		if err != nil {
			return err
		}
	}
	for _, f := range []byte{flagName, flagComment} {
		for b := flags & f; b != 0; {
			var err error
			if b, err = r.header(); err != nil {
				return err
			}
		}
	}
	if flags&flagSum != 0 {
		sum := r.sum & 0xFFFF
		if given, err := r.number(2); err != nil {
			return err
		} else if given != sum {
			return ErrHeader
		}
	}
	r.sum, r.size, r.start, r.decode = 0, 0, r.write, r.block
	return nil
}

// header returns the next byte of a member's header.
func (r *Reader) header() (byte, error) {
	b, err := r.next()
	r.sum = crc32.Update(r.sum, crc32.IEEETable, []byte{b})
	return b, err
}

// trailer checks the sums behind a member and goes on to the next one.
func (r *Reader) trailer() error {
	r.count()
	if err := r.bytes(); err != nil {
		return err
	}
	sum, err := r.number(4)
	if err != nil {
		return err
	}
	size, err := r.number(4)
	switch {
	case err != nil:
		return err
	case sum != r.sum || size != r.size:
		return ErrChecksum
	}
	return r.member()
}
