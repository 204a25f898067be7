package main

import (
	"bytes"
	"encoding/binary"
	"errors"
)

// The tables of functions that a Go program carries say for each instruction from which file and line it is, and which calls were inlined there. Only
// traces of goroutines read that: without it they have the names of functions. Other tables, by which the collector knows what is a pointer, stay.

// The layout of Go 1.20 and later: runtime.pcHeader and runtime._func in runtime/symtab.go and runtime2.go. A program with another one is refused.
const (
	pcMagic    = 0xfffffff1
	pcWordSize = 8

	// Words of 64 bits of the header: the number of functions, and where tables lie.
	pcFunctions, pcUnits, pcFiles, pcTab, pcFuncTab = 0, 4, 5, 6, 7

	// Words of 32 bits of a function: offsets of its tables in pcTab, where 0 is none, how many more of them there are behind it, the unit that its
	// files are numbered in, and its first line.
	fnPointers, fnFile, fnLine, fnTables, fnUnit, fnStart, fnWords = 4, 5, 6, 7, 8, 9, 11
	fnDataCount                                                    = 43 // a byte: how many offsets of other data there are behind the tables

	// Of those tables, the one of inlined calls, and of the data their list; an offset of all ones is none.
	inlineTable, inlineData = 2, 3
	noData                  = 0xffffffff
)

var errLines = errors.New("the tables of functions of the program are not as those of Go 1.20 and later; -plain leaves them alone")

// dropLines removes files, lines and inlined calls.
func dropLines(memory []byte) error {
	head := binary.LittleEndian.AppendUint32(nil, pcMagic)
	at := bytes.Index(memory, append(head, 0, 0, 1, pcWordSize))
	if at < 0 {
		return errLines
	}
	t := funcTables{memory: memory[at:]}
	n := t.header(pcFunctions)
	units, tab, funcs := t.header(pcUnits), t.header(pcTab), t.header(pcFuncTab)
	if t.bad || units > tab || tab > funcs || funcs > len(t.memory) {
		return errLines
	}
	used := make([]bool, funcs-tab)
	for i := range n {
		f := funcs + t.word(funcs+8*i+4)
		for _, k := range []int{fnFile, fnLine, fnUnit, fnStart} {
			t.set(f+4*k, 0)
		}
		tables := t.word(f + 4*fnTables)
		if tables > inlineTable {
			t.set(f+4*(fnWords+inlineTable), 0)
		}
		if t.byte(f+fnDataCount) > inlineData {
			t.set(f+4*(fnWords+tables+inlineData), noData)
		}
		t.mark(used, tab, t.word(f+4*fnPointers))
		for k := range tables {
			t.mark(used, tab, t.word(f+4*(fnWords+k)))
		}
	}
	if t.bad {
		return errLines
	}
	clear(t.memory[units:tab])
	for i, u := range used {
		if !u {
			t.memory[tab+i] = 0
		}
	}
	return nil
}

// funcTables are the tables of functions. After an access beyond them they are bad.
type funcTables struct {
	memory []byte
	bad    bool
}

func (t *funcTables) at(i, n int) []byte {
	if i < 0 || i+n > len(t.memory) {
		t.bad = true
		return make([]byte, n)
	}
	return t.memory[i : i+n]
}

func (t *funcTables) byte(i int) int      { return int(t.at(i, 1)[0]) }
func (t *funcTables) word(i int) int      { return int(binary.LittleEndian.Uint32(t.at(i, 4))) }
func (t *funcTables) set(i int, x uint32) { binary.LittleEndian.PutUint32(t.at(i, 4), x) }
func (t *funcTables) header(i int) int {
	return int(min(binary.LittleEndian.Uint64(t.at(8+pcWordSize*i, pcWordSize)), mostMemory))
}

// mark marks the bytes of the table at an offset, which ends with a pair of numbers of which the first is 0.
func (t *funcTables) mark(used []bool, tab, offset int) {
	if offset <= 0 || offset >= len(used) || used[offset] {
		t.bad = t.bad || offset >= len(used)
		return
	}
	end := offset
	for first := true; ; first = false {
		delta, n := binary.Uvarint(t.memory[tab+end:])
		if n <= 0 || delta == 0 && !first {
			break
		}
		end += n
		if _, n = binary.Uvarint(t.memory[tab+end:]); n <= 0 || end+n >= len(used) {
			t.bad = true
			return
		}
		end += n
	}
	for i := offset; i <= end; i++ {
		used[i] = true
	}
}
