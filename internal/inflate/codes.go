package inflate

import "math/bits"

// entry says what a code stands for: in its low bits how long the code is, then how many further bits belong to it, flags, and in the
// upper half a value. 0 stands for nothing.
type entry uint32

const (
	literal  entry = 1 << 9  // the value is a byte
	end      entry = 1 << 10 // of the block
	indirect entry = 1 << 11 // the value is where in codes.more the entries of longer codes begin

	extraShift = 5
	valueShift = 16
)

func (e entry) bits() uint    { return uint(e & 15) }
func (e entry) extra() uint   { return uint(e>>extraShift) & 15 }
func (e entry) value() uint32 { return uint32(e >> valueShift) }

const (
	maxLiterals = 288
	maxOffsets  = 32
	maxLength   = 15 // of a code, in bits

	// The bits of the input that the first look at a table takes.
	literalBits = 11
	offsetBits  = 8
	lengthBits  = 7
)

// codes is a table of what comes next in the input.
type codes struct {
	first [1 << literalBits]entry
	mask  uint64
	shift uint
	more  []entry
}

// at returns the entry of the code that the bits begin with.
func (t *codes) at(bits uint64) entry {
	e := t.first[bits&t.mask&(1<<literalBits-1)]
	if e&indirect != 0 {
		e = t.more[uint64(e.value())+bits>>t.shift&(1<<e.extra()-1)]
	}
	return e
}

// make makes the table of codes of the given lengths, with what they stand for. It returns false if these are no lengths of codes.
func (t *codes) make(lengths []byte, meaning []entry, first uint) bool {
	var count, next [maxLength + 1]int
	most := 0
	for _, l := range lengths {
		count[l]++
		most = max(most, int(l))
	}
	count[0] = 0
	code, sum := 0, 0
	for l := 1; l <= maxLength; l++ {
		code = (code + count[l-1]) << 1
		next[l] = code
		sum += count[l] << (maxLength - l)
	}
	if whole := sum == 1<<maxLength; !whole && most > 0 && (most > 1 || count[1] > 1) {
		return false
	}
	t.mask, t.shift, t.more = 1<<first-1, first, t.more[:0]
	clear(t.first[:1<<first])
	for symbol, l := range lengths {
		if l == 0 {
			continue
		}
		e := meaning[symbol]
		if e != 0 {
			e |= entry(l)
		}
		at := int(bits.Reverse16(uint16(next[l])) >> (16 - l))
		next[l]++
		list := t.first[:1<<first]
		if uint(l) > first {
			list = t.beyond(at&(1<<first-1), uint(most)-first)
			at, l = at>>first, l-byte(first)
		}
		for ; at < len(list); at += 1 << l {
			list[at] = e
		}
	}
	return true
}

// beyond returns the entries of codes that are longer than a first look and begin with the given one.
func (t *codes) beyond(first int, further uint) []entry {
	if t.first[first] == 0 {
		t.first[first] = indirect | entry(further)<<extraShift | entry(len(t.more))<<valueShift
		t.more = append(t.more, make([]entry, 1<<further)...)
	}
	at := int(t.first[first].value())
	return t.more[at : at+1<<further]
}

// What the codes of literals and lengths, of offsets, and of lengths of codes stand for.
var literalEntries, offsetEntries, lengthEntries = func() (lit [maxLiterals]entry, off [maxOffsets]entry, length [19]entry) {
	for i := range 256 {
		lit[i] = literal | entry(i)<<valueShift
	}
	lit[256] = end
	value := 3
	for i := 257; i < 285; i++ {
		extra := max(0, (i-261)/4)
		lit[i] = entry(extra)<<extraShift | entry(value)<<valueShift
		value += 1 << extra
	}
	lit[285] = 258 << valueShift
	value = 1
	for i := range 30 {
		extra := max(0, i/2-1)
		off[i] = entry(extra)<<extraShift | entry(value)<<valueShift
		value += 1 << extra
	}
	for i := range 16 {
		length[i] = literal | entry(i)<<valueShift
	}
	length[16] = 2<<extraShift | (16+3)<<valueShift
	length[17] = 3<<extraShift | (16+3)<<valueShift
	length[18] = 7<<extraShift | (16+11)<<valueShift
	return lit, off, length
}()
