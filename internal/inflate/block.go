package inflate

import "encoding/binary"

// block reads the header of a block, or the trailer behind the last one.
func (r *Reader) block() error {
	if r.last {
		r.last = false
		return r.trailer()
	}
	if err := r.need(); err != nil {
		return err
	}
	r.last = r.take(1) == 1
	switch r.take(2) {
	case 0:
		if err := r.bytes(); err != nil {
			return err
		}
		n, err := r.number(4)
		if err != nil {
			return err
		}
		if n>>16 != ^n&0xFFFF {
			return ErrCorrupt
		}
		r.stored, r.decode = int(n&0xFFFF), r.plain
		return nil
	case 1:
		r.fixed()
	case 2:
		if err := r.dynamic(); err != nil {
			return err
		}
	default:
		return ErrCorrupt
	}
	r.decode = r.coded
	return nil
}

// plain copies a stored block.
func (r *Reader) plain() error {
	if r.stored == 0 {
		r.decode = r.block
		return nil
	}
	if r.pos == r.end {
		var err error
		if r.pos, err = r.more(r.pos); err != nil {
			return err
		}
		if r.pos == r.end {
			return r.cut()
		}
	}
	n := copy(r.out[r.write:], r.in[r.pos:min(r.end, r.pos+r.stored)])
	r.pos, r.write, r.stored = r.pos+n, r.write+n, r.stored-n
	return nil
}

// The lengths of the codes of a fixed block.
var fixedLengths = func() (l [288 + 30]byte) {
	for i := range l {
		switch {
		case i < 144:
			l[i] = 8
		case i < 256:
			l[i] = 9
		case i < 280:
			l[i] = 7
		case i < 288:
			l[i] = 8
		default:
			l[i] = 5
		}
	}
	return l
}()

// fixed makes the codes of a fixed block. Those that stand for nothing are there, too, and are refused when they come.
func (r *Reader) fixed() {
	var lengths [maxLiterals + maxOffsets]byte
	copy(lengths[:], fixedLengths[:288])
	_ = r.literals.make(lengths[:288], literalEntries[:], literalBits)
	copy(lengths[:], fixedLengths[288:])
	lengths[30], lengths[31] = 5, 5
	_ = r.offsets.make(lengths[:32], offsetEntries[:], offsetBits)
}

// lengthOrder is the order in which the lengths of the codes of lengths come.
var lengthOrder = [19]byte{16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15}

// dynamic reads the codes of a block.
func (r *Reader) dynamic() error {
	literals, offsets, n := 257+int(r.take(5)), 1+int(r.take(5)), 4+int(r.take(4))
	if literals > 286 || offsets > 30 {
		return ErrCorrupt
	}
	var lengths [maxLiterals + maxOffsets]byte
	for _, i := range lengthOrder[:n] {
		if err := r.need(); err != nil {
			return err
		}
		lengths[i] = byte(r.take(3))
	}
	if !r.literals.make(lengths[:19], lengthEntries[:], lengthBits) {
		return ErrCorrupt
	}
	clear(lengths[:19])
	for i := 0; i < literals+offsets; {
		if err := r.need(); err != nil {
			return err
		}
		e := r.literals.at(r.bits)
		if e == 0 {
			return ErrCorrupt
		}
		r.take(e.bits())
		switch v := e.value(); {
		case v < 16:
			lengths[i] = byte(v)
			i++
		default:
			again := int(v-16) + int(r.take(e.extra()))
			var length byte
			if v == 16+3 && e.extra() == 2 { // the last one again
				if i == 0 {
					return ErrCorrupt
				}
				length = lengths[i-1]
			}
			if i+again > literals+offsets {
				return ErrCorrupt
			}
			for range again {
				lengths[i] = length
				i++
			}
		}
	}
	if !r.literals.make(lengths[:literals], literalEntries[:], literalBits) || !r.offsets.make(lengths[literals:literals+offsets], offsetEntries[:], offsetBits) {
		return ErrCorrupt
	}
	return nil
}

// coded decodes a block of codes, until it ends or the memory is full.
func (r *Reader) coded() (err error) {
	lit, off, out, start := &r.literals, &r.offsets, r.out, r.start
	pos, write, bits, n := r.pos, r.write, r.bits, r.n // in registers
	for write <= outBytes-longest {
		if pos+lookahead > r.end {
			if pos, err = r.more(pos); err != nil {
				break
			}
		}
		bits |= binary.LittleEndian.Uint64(r.in[pos:]) << (n & 63)
		pos += int(63-n) >> 3
		n |= 56
		e := lit.at(bits)
		// Three codes take no more than 45 bits.
		for range 2 {
			if e&literal == 0 {
				break
			}
			bits >>= e.bits()
			n -= e.bits()
			out[write] = byte(e.value())
			write++
			e = lit.at(bits)
		}
		bits >>= e.bits()
		n -= e.bits()
		if e&literal != 0 {
			out[write] = byte(e.value())
			write++
			continue
		}
		if e&end != 0 {
			r.decode = r.block
			break
		}
		length := int(e.value()) + int(bits&(1<<e.extra()-1))
		bits >>= e.extra()
		n -= e.extra()
		if n < 15+13 { // which an offset may take
			if pos+lookahead > r.end {
				if pos, err = r.more(pos); err != nil {
					break
				}
			}
			bits |= binary.LittleEndian.Uint64(r.in[pos:]) << (n & 63)
			pos += int(63-n) >> 3
			n |= 56
		}
		o := off.at(bits)
		bits >>= o.bits()
		n -= o.bits()
		back := int(o.value()) + int(bits&(1<<o.extra()-1))
		bits >>= o.extra()
		n -= o.extra()
		from := write - back
		if e == 0 || o == 0 || from < start {
			err = ErrCorrupt
			break
		}
		if back >= length {
			copy(out[write:write+length], out[from:])
		} else {
			for i := range length {
				out[write+i] = out[from+i]
			}
		}
		write += length
	}
	r.pos, r.write, r.bits, r.n = pos, write, bits, n
	return err
}
