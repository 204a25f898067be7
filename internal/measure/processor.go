package measure

import "github.com/concord-nn/concord/internal/simd"

// fastest has the loops of this processor, of all of its tiers whatever is to be used: shares are of what the machine can do.
var fastest = processorLoops()

// callRounds is how many rounds a routine makes in one call, some 20 µs: the garbage collector waits for calls.
const callRounds = 512

// processorLoops returns the loops with the fastest instructions that the processor has.
func processorLoops() loops {
	l := plainLoops
	for _, t := range []*simd.Tier{&simd.NEON, &simd.AVX2, &simd.AVX512, &simd.VNNI} { // the last one that has a loop counts
		if !t.Hardware() {
			continue
		}
		if t.Peak.Name != "" {
			l.float32 = multiplyAdds(&t.Peak, t.Lanes)
		}
		if t.PeakInt16.Name != "" {
			l.int16 = multiplyAdds(&t.PeakInt16, 2*t.Lanes)
			l.int8 = l.int16 // bytes that are widened, where there are no products of bytes that do not saturate
		}
		if t.PeakInt8.Name != "" {
			l.int8 = multiplyAdds(&t.PeakInt8, 4*t.Lanes)
		}
		if t.PeakRead.Name != "" {
			l.read = func(memory []byte) { readAll(&t.PeakRead, memory) }
		}
	}
	return l
}

// multiplyAdds returns the loop of a routine that does so many multiply-adds with each instruction.
func multiplyAdds(r *simd.Routine[simd.PeakArgs], each int) func(int) int64 {
	return func(rounds int) int64 {
		calls := 1 + rounds/callRounds
		for range calls {
			r.Run(&simd.PeakArgs{Rounds: callRounds})
		}
		return int64(calls) * callRounds * simd.PeakAdds * int64(each)
	}
}

// readAll reads memory, of which the size is a multiple of what a routine reads at a time, in calls of some 10 µs.
func readAll(r *simd.Routine[simd.ReadArgs], memory []byte) {
	const call = 128 << 10
	for len(memory) > 0 {
		n := min(len(memory), call)
		r.Run(&simd.ReadArgs{From: simd.At(memory, 0), Count: n / simd.ReadBytes})
		memory = memory[n:]
	}
}
