// Command hardware runs each instruction of a list of assembly functions on each of some states of the processor. TestHardware of package
// interp writes the functions beside it and builds it. From standard input come the states, to standard output go for each function and
// state the words of the state that changed.
package main

import (
	"bufio"
	"encoding/binary"
	"io"
	"os"
	"strconv"
	"strings"
	"unsafe"
)

const words = 352 // of a state, as the test has them: 32 vectors, 8 masks, 16 registers, the flags, padding, memory

const (
	generalWord = 264
	memoryWord  = 288
	evex        = 0x62 // the first byte of instructions that want AVX-512
)

func table() uintptr
func call256(function, state uintptr)
func call512(function, state uintptr)

// main takes the number of functions, that of states, whether there is AVX-512, and the functions not to run.
func main() {
	functions, _ := strconv.Atoi(os.Args[1])
	states, _ := strconv.Atoi(os.Args[2])
	skip := map[string]bool{}
	for _, s := range strings.Split(os.Args[4], ",") {
		skip[s] = true
	}
	call, is512 := call256, os.Args[3] == "true"
	if is512 {
		call = call512
	}
	input := make([]uint64, words*states)
	raw := unsafe.Slice((*byte)(unsafe.Pointer(&input[0])), 8*len(input))
	if _, err := io.ReadFull(os.Stdin, raw); err != nil {
		panic(err)
	}
	buffer := make([]uint64, words+8)
	state := buffer[-uintptr(unsafe.Pointer(&buffer[0]))%64/8:][:words]
	address := uintptr(unsafe.Pointer(&state[0]))
	addresses := unsafe.Slice((*uintptr)(unsafe.Pointer(table())), functions)
	out := bufio.NewWriterSize(os.Stdout, 1<<16)
	defer out.Flush()
	changes := make([]byte, 0, 10*words)
	for i, function := range addresses {
		if skip[strconv.Itoa(i)] || !is512 && *(*byte)(unsafe.Pointer(function)) == evex {
			out.Write([]byte{0xFF, 0xFF})
			continue
		}
		for s := range states {
			before := input[s*words:][:words]
			copy(state, before)
			state[generalWord+6] = uint64(address + 8*memoryWord) // SI
			call(function, address)
			changes = changes[:0]
			for j, v := range state {
				if v != before[j] && j != generalWord+6 {
					changes = binary.LittleEndian.AppendUint16(changes, uint16(j))
					changes = binary.LittleEndian.AppendUint64(changes, v)
				}
			}
			var n [2]byte
			binary.LittleEndian.PutUint16(n[:], uint16(len(changes)/10))
			out.Write(n[:])
			out.Write(changes)
		}
	}
}
