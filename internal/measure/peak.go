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

// slice is how long a loop runs at a time: long enough that starting costs nothing, and shorter than what an operating system lets others take.
const (
	slice = time.Millisecond
	tries = 40
)

// Arithmetic measures the peaks of arithmetic on threads at the same time. It takes about a tenth of a second.
func Arithmetic(threads int) Peaks {
	l := processorLoops()
	p := Peaks{Threads: threads, Float32: best(threads, l.float32)}
	p.Int16, p.Int8 = best(threads, l.int16), best(threads, l.int8)
	return p
}

// levels are the sizes of memory that are read: within the caches of most processors, and beyond them.
var levels = []int64{16 << 10, 256 << 10, 4 << 20, 64 << 20}

// Memory adds how fast memory is read, for which it needs 64 MiB for each thread.
func (p *Peaks) Memory() {
	l := processorLoops()
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
				l.read(memory[thread][:size])
			}
			return int64(turns) * size
		})
		p.Read = append(p.Read, Level{size, rate})
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

// together runs f on threads again and again and returns the most that it did in a second. Threads of which the system holds one back count
// less, and another time.
func together(threads int, f func(thread int) int64) float64 {
	most := 0.0
	for range tries {
		start, done := make(chan struct{}), make([]int64, threads)
		var all sync.WaitGroup
		for i := range threads {
			all.Go(func() {
				<-start
				done[i] = f(i)
			})
		}
		begin := time.Now()
		close(start)
		all.Wait()
		took, sum := time.Since(begin), int64(0)
		for _, n := range done {
			sum += n
		}
		most = max(most, float64(sum)/took.Seconds())
	}
	return most
}
