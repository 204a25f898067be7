package parquet

import "encoding/binary"

// The types of the compact protocol of Thrift.
const (
	tTrue   = 1
	tFalse  = 2
	tByte   = 3
	tI32    = 5
	tI64    = 6
	tBinary = 8
	tList   = 9
	tStruct = 12
)

// compact writes a structure by the compact protocol of Thrift. Fields are written in the order of their numbers.
type compact struct {
	b    []byte
	last []int // number of the field before, of each structure that is open
}

func (c *compact) begin() { c.last = append(c.last, 0) }

func (c *compact) end() {
	c.b = append(c.b, 0)
	c.last = c.last[:len(c.last)-1]
}

// field writes the head of a field, whose number is at most 15 above that of the one before.
func (c *compact) field(number int, kind byte) {
	at := len(c.last) - 1
	c.b = append(c.b, byte(number-c.last[at])<<4|kind)
	c.last[at] = number
}

func (c *compact) i32(number int, v int) {
	c.field(number, tI32)
	c.b = binary.AppendVarint(c.b, int64(v)) // which is the zigzag form of Thrift
}

func (c *compact) i64(number int, v int64) {
	c.field(number, tI64)
	c.b = binary.AppendVarint(c.b, v)
}

func (c *compact) bool(number int, v bool) {
	if v {
		c.field(number, tTrue)
	} else {
		c.field(number, tFalse)
	}
}

func (c *compact) byte(number int, v byte) {
	c.field(number, tByte)
	c.b = append(c.b, v)
}

func (c *compact) text(number int, s string) {
	c.field(number, tBinary)
	c.rawText(s)
}

func (c *compact) rawText(s string) {
	c.b = append(binary.AppendUvarint(c.b, uint64(len(s))), s...)
}

// list writes the head of a list, behind which its elements stand.
func (c *compact) list(number int, kind byte, n int) {
	c.field(number, tList)
	if n < 15 {
		c.b = append(c.b, byte(n)<<4|kind)
		return
	}
	c.b = binary.AppendUvarint(append(c.b, 0xf0|kind), uint64(n))
}

// structure writes a field that is a structure.
func (c *compact) structure(number int, write func()) {
	c.field(number, tStruct)
	c.begin()
	write()
	c.end()
}
