package engine

import "github.com/concord-nn/concord/op"

// work says how the evaluation of a unit is divided among workers. Each takes half of the pieces that are left of a share, so that the first
// chunks are large and the last ones small: who is late, slow or without a processor for a while holds the others up by a small chunk.
type work struct {
	least   int // pieces that are worth a chunk of their own
	most    int // pieces between two looks at the context and the clock
	workers int // how many goroutines may compute it at the same time; more than one where dividing it pays
}

// Estimates of time, in nanoseconds. They only decide how work is divided, never what it yields.
const (
	macTime      = 1              // one multiply-add of a reference
	operTime     = 2              // another operation on elements
	lineTime     = 4              // 64 bytes of memory
	parallelTime = 3_000          // below this, handing work to another goroutine costs more than it saves
	chunkTime    = 4_000          // the least work worth a chunk of its own
	stopTime     = 500_000        // the most work between two looks at the context and the clock
	longest      = int64(1) << 40 // about twenty minutes, beyond which times are all the same
)

// timeOf estimates how long an evaluation of the given cost takes where no kernel says it.
func timeOf(cost op.Cost) int64 {
	return macTime*min(cost.MACs, longest) + operTime*min(cost.Ops, longest) + lineTime*(min(cost.Read, longest)/64+min(cost.Written, longest)/64)
}

// divide divides an evaluation that takes one goroutine the given time among threads.
func divide(pieces int, time int64, threads int) work {
	during := func(t float64) int { return max(1, int(float64(pieces)*min(1, t/float64(max(time, 1))))) }
	w := work{least: during(chunkTime), most: during(stopTime), workers: 1}
	if threads > 1 && pieces > 1 && time >= parallelTime {
		w.workers = threads
	}
	return w
}

// take returns how many of the pieces that are left of a share make the next chunk.
func (w *work) take(left int) int {
	n := w.most
	if w.workers > 1 {
		n = min(n, max(w.least, left/2))
	}
	return min(n, left)
}
