package measure

import (
	"encoding/binary"
	"math"
	"math/bits"
	"sync/atomic"
)

// sink keeps compilers from leaving out what nobody reads.
var sink atomic.Uint64

// plainLoops are in Go, where there is no assembly.
var plainLoops = loops{float32: plainFMA, int16: plainProducts, int8: plainProducts, read: plainRead}

// plainFMA does eight multiply-adds a round that do not wait for one another.
func plainFMA(rounds int) int64 {
	var a [8]float64
	x, y := 0.999, 0.001
	a0, a1, a2, a3, a4, a5, a6, a7 := a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7]
	for range rounds {
		a0, a1, a2, a3 = math.FMA(a0, x, y), math.FMA(a1, x, y), math.FMA(a2, x, y), math.FMA(a3, x, y)
		a4, a5, a6, a7 = math.FMA(a4, x, y), math.FMA(a5, x, y), math.FMA(a6, x, y), math.FMA(a7, x, y)
	}
	sink.Add(math.Float64bits(a0+a1+a2+a3) + math.Float64bits(a4+a5+a6+a7))
	return 8 * int64(rounds)
}

// plainProducts does four multiply-adds of integers a round.
func plainProducts(rounds int) int64 {
	var a, b, c, d int32 = 1, 2, 3, 4
	for i := range int32(rounds) {
		a, b, c, d = a+i*3, b+i*5, c+i*7, d+i*9
	}
	sink.Add(uint64(a) + uint64(b) + uint64(c) + uint64(d))
	return 4 * int64(rounds)
}

func plainRead(memory []byte) {
	var a, b, c, d uint64
	for ; len(memory) >= 32; memory = memory[32:] {
		a ^= binary.LittleEndian.Uint64(memory)
		b ^= binary.LittleEndian.Uint64(memory[8:])
		c ^= binary.LittleEndian.Uint64(memory[16:])
		d ^= binary.LittleEndian.Uint64(memory[24:])
	}
	sink.Add(uint64(bits.OnesCount64(a ^ b ^ c ^ d)))
}
