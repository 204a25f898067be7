package measure

import (
	"sync"
	"time"

	"github.com/concord-nn/concord/tensor"
)

// Peaks are what the machine at hand does at most, as short loops measure it which do nothing else.
type Peaks struct {
	Threads int `json:"threads"` // that the loops ran on at the same time
	// Float32, Int16 and Int8 are multiply-adds in a second: fused ones of float32, and products of integers that are added as int32.
	Float32 float64 `json:"float32"`
	Int16   float64 `json:"int16"`
	Int8    float64 `json:"int8"`
	Read    []Level `json:"read,omitempty"` // by size, smallest first
}

// Level is how fast memory is read that each thread reads again and again.
type Level struct {
	Bytes int64   `json:"bytes"` // for each thread
	Rate  float64 `json:"rate"`  // bytes in a second, of all threads together
}

// loops are the loops of a machine, which the fastest instructions that it has stand in. Each works for about so many rounds of itself and
// returns the multiply-adds that it has done.
type loops struct {
	float32, int16, int8 func(rounds int) int64
	read                 func(memory []byte) // all of it, once
}

// slice is how long a loop runs at a time, at least: long enough that starting costs nothing, and shorter than what an operating system lets others
// take. The best of so many tries counts, as many as there is patience for.
const (
	slice = 500 * time.Microsecond
	tries = 100
)

// Patience is how long one loop is tried on, beyond three times. Tests that want any number have none.
var Patience = 60 * time.Millisecond

// Arithmetic measures the peaks of arithmetic on threads at the same time. It takes less than a fifth of a second.
func Arithmetic(threads int) Peaks {
	rate := func(loop func(int) int64) float64 { return Round(best(threads, loop), 5) }
	return Peaks{Threads: threads, Float32: rate(fastest.float32), Int16: rate(fastest.int16), Int8: rate(fastest.int8)}
}

// Max takes over what another measurement on as many threads found to be more.
func (p *Peaks) Max(o Peaks) {
	p.Float32, p.Int16, p.Int8 = max(p.Float32, o.Float32), max(p.Int16, o.Int16), max(p.Int8, o.Int8)
	for i := range min(len(p.Read), len(o.Read)) {
		p.Read[i].Rate = max(p.Read[i].Rate, o.Read[i].Rate)
	}
}

// Of returns the multiply-adds in a second of elements of a type; of types that no loop is for, those of float32.
func (p *Peaks) Of(d tensor.DType) float64 {
	switch d {
	case tensor.Int8, tensor.Uint8:
		return p.Int8
	case tensor.Int16, tensor.Uint16:
		return p.Int16
	}
	return p.Float32
}

// levels are the sizes of memory that are read: within the caches of most processors, and beyond them.
var levels = []int64{16 << 10, 256 << 10, 4 << 20, 16 << 20, 64 << 20}

// Memory adds how fast memory is read, for which it needs 64 MiB for each thread.
func (p *Peaks) Memory() {
	memory := make([][]byte, p.Threads)
	for i := range memory {
		memory[i] = tensor.AlignedBytes(int(levels[len(levels)-1]))
		for k := 0; k < len(memory[i]); k += 4096 {
			memory[i][k] = 1 // so that pages are there
		}
	}
	for _, size := range levels {
		turns := max(1, int((1<<20)/size))
		rate := together(p.Threads, func(thread int) int64 {
			for range turns {
				fastest.read(memory[thread][:size])
			}
			return int64(turns) * size
		})
		p.Read = append(p.Read, Level{size, Round(rate, 4)})
	}
}

// Rate returns the bytes in a second at which memory of a size is read, by all threads together.
func (p *Peaks) Rate(bytes int64) float64 {
	for _, l := range p.Read {
		if bytes <= l.Bytes*int64(p.Threads) {
			return l.Rate
		}
	}
	if len(p.Read) == 0 {
		return 0
	}
	return p.Read[len(p.Read)-1].Rate
}

// best returns the most multiply-adds in a second of a loop on threads at the same time.
func best(threads int, loop func(int) int64) float64 {
	rounds := 1024
	for begin := time.Now(); ; begin = time.Now() {
		if loop(rounds); time.Since(begin) > slice {
			break
		}
		rounds *= 2
	}
	return together(threads, func(int) int64 { return loop(rounds) })
}

// together runs f on threads at the same time, again and again, and returns the most that they did in a second: the sum of what each did when the
// system let it run, as it does not always let all of them.
func together(threads int, f func(thread int) int64) float64 {
	most := make([]float64, threads)
	var all sync.WaitGroup
	for i := range most {
		all.Go(func() {
			for start, n := time.Now(), 0; n < tries && (n < 3 || time.Since(start) < Patience); n++ {
				begin := time.Now()
				done := f(i)
				most[i] = max(most[i], float64(done)/time.Since(begin).Seconds())
			}
		})
	}
	all.Wait()
	sum := 0.0
	for _, m := range most {
		sum += m
	}
	return sum
}
