package main

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/concord-nn/concord/internal/wasmobj"
)

// The linker of Go leaves out every run of 8 zero bytes of the memory that a program begins with, which makes 100,000 segments, each with an address that
// does not compress. pack writes the data section with few segments, and without what only stack traces read.

// gap is how many zero bytes lie between two segments at least.
const gap = 512

// mostMemory bounds the memory that data may lie in.
const mostMemory = 1 << 28

const dataSection = 11

var errDamaged = errors.New("the module is damaged")

// pack returns a module of Go's linker with another data section.
func pack(module []byte) ([]byte, error) {
	if len(module) < 8 {
		return nil, errDamaged
	}
	out := append([]byte(nil), module[:8]...)
	for r := (reader{b: module[8:]}); len(r.b) > 0; {
		id := r.bytes(1)
		body := r.bytes(r.uint())
		if r.bad {
			return nil, errDamaged
		}
		if id[0] == dataSection {
			memory, err := initial(body)
			if err != nil {
				return nil, err
			}
			if err := dropLines(memory); err != nil {
				return nil, err
			}
			body = segments(memory)
		}
		out = binary.AppendUvarint(append(out, id[0]), uint64(len(body)))
		out = append(out, body...)
	}
	return out, nil
}

// initial returns the memory that a data section describes (Core, 5.5.14).
func initial(section []byte) ([]byte, error) {
	var memory []byte
	r := reader{b: section}
	for range r.uint() {
		kind, code := r.uint(), r.bytes(1)
		at := r.int()
		end := r.bytes(1)
		b := r.bytes(r.uint())
		if r.bad || kind != 0 || code[0] != 0x41 || end[0] != 0x0B || at < 0 || at+len(b) > mostMemory {
			return nil, fmt.Errorf("%w: a segment is not one of Go's", errDamaged)
		}
		if n := at + len(b) - len(memory); n > 0 {
			memory = append(memory, make([]byte, n)...)
		}
		copy(memory[at:], b)
	}
	if r.bad {
		return nil, errDamaged
	}
	return memory, nil
}

// segments returns the data section that describes memory.
func segments(memory []byte) []byte {
	var list []byte
	count, first, last := 0, -1, -1 // of the segment at hand
	flush := func() {
		if first >= 0 {
			var at wasmobj.Code
			at.I32(int32(first))
			list = append(append(append(list, 0), at.Bytes...), 0x0B)
			list = append(binary.AppendUvarint(list, uint64(last+1-first)), memory[first:last+1]...)
			count++
		}
	}
	for i, b := range memory {
		if b == 0 {
			continue
		}
		if first < 0 || i-last > gap {
			flush()
			first = i
		}
		last = i
	}
	flush()
	return append(binary.AppendUvarint(nil, uint64(count)), list...)
}

// reader reads the binary format. After an error it is bad, and has nothing more.
type reader struct {
	b   []byte
	bad bool
}

func (r *reader) bytes(n int) []byte {
	if n > len(r.b) {
		r.b, r.bad = nil, true
		return make([]byte, min(n, 1))
	}
	b := r.b[:n]
	r.b = r.b[n:]
	return b
}

func (r *reader) uint() int {
	x, n := binary.Uvarint(r.b)
	if n <= 0 || x > mostMemory {
		r.b, r.bad = nil, true
		return 0
	}
	r.b = r.b[n:]
	return int(x)
}

// int reads a signed number of 32 bits.
func (r *reader) int() int {
	x := int64(0)
	for shift := 0; shift < 35; shift += 7 {
		b := r.bytes(1)[0]
		x |= int64(b&0x7F) << shift
		if b < 0x80 {
			if b&0x40 != 0 {
				x |= -1 << (shift + 7)
			}
			return int(x)
		}
	}
	r.bad = true
	return 0
}
