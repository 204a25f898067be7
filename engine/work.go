package engine

import "github.com/concord-nn/concord/op"

// work says how the evaluation of a node is divided into chunks of pieces.
type work struct {
	chunk   int // pieces in a chunk; the last may have fewer
	chunks  int
	workers int // how many goroutines may compute it at the same time; more than one where dividing it pays
}

// Estimates of time, in nanoseconds. They only decide how work is divided, never what it yields.
const (
	macTime      = 1       // one multiply-add
	operTime     = 2       // another operation on elements
	lineTime     = 4       // 64 bytes of memory
	parallelTime = 40_000  // below this, handing work to another goroutine costs more than it saves
	chunkTime    = 10_000  // the least work worth a chunk of its own
	stopTime     = 500_000 // the most work between two looks at the context and the clock
)

// divide divides an evaluation of the given cost among threads. Chunks are smaller than an equal share, so that a
// goroutine that is late or slow leaves its share to the others.
func divide(pieces int, cost op.Cost, threads int) work {
	const most = 1 << 40 // about twenty minutes
	time := macTime*min(cost.MACs, most) + operTime*min(cost.Ops, most) + lineTime*(min(cost.Read, most)/64+min(cost.Written, most)/64)
	w := work{workers: 1}
	if threads > 1 && pieces > 1 && time >= parallelTime {
		w.workers = threads
	}
	chunks := 1 + time/stopTime
	if w.workers > 1 {
		chunks = max(chunks, min(int64(4*threads), time/chunkTime))
	}
	chunks = max(1, min(chunks, int64(pieces)))
	w.chunk = (pieces + int(chunks) - 1) / int(chunks)
	w.chunks = (pieces + w.chunk - 1) / max(w.chunk, 1)
	return w
}
