package batch

import (
	"cmp"
	"fmt"
	"time"

	"github.com/concord-nn/concord"
	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/manifest"
)

// Options say how requests are run. The zero Options are right for most models.
type Options struct {
	// Largest is how many samples a run has at most; 0 for 8 if the model leaves their number open. One that fixes it at 1 computes several
	// together only if a number is given, and the network can have it.
	Largest int
	// Delay is how long a request waits for others to fill a run. With 0 nothing waits that could run: a run takes what has come while others ran.
	Delay time.Duration
	// Queue is how many requests may wait; 0 for 256.
	Queue int
	// Workers is how many runs there are at the same time; 0 for 1. Each needs memory of its own.
	Workers int
	// Priorities is how many levels of urgency there are, of which 1 is the most urgent; 0 for 1. Priority is the level of requests that have
	// none; 0 for the middle. Those above it do not wait for Delay. A level makes a request as urgent as one that came a Step earlier on the level
	// below, 0 for a second: so nothing waits for ever.
	Priorities, Priority int
	Step                 time.Duration
	// Compile says how the model is compiled. If its shapes say all that the model leaves open but the number of samples, or there is nothing to
	// say, New compiles the programs of all numbers of samples; others are compiled when they are first asked for, while requests run on.
	Compile concord.Options
	// Manifest, if there is one, says which inputs have a value if a request gives none, and which are states.
	Manifest *manifest.Manifest
	// Memory is what programs for the shapes of requests may take in all, and their sessions: beyond, those not used for the longest time are
	// forgotten. 0 is no limit. That of one run, Compile says.
	Memory int64
	// Sequences bounds what models with a state keep.
	Sequences Sequences
}

// Sequences bounds the sequences of a model.
type Sequences struct {
	Idle  time.Duration // after so long without a request, a sequence is forgotten; 0 for a minute
	Count int           // how many there are at the same time; 0 for 256
	Bytes int64         // what their states take; 0 for 1 GiB
}

// resolved returns the options with numbers in the places of zeros.
func (o Options) resolved() (Options, error) {
	for _, n := range []struct {
		name       string
		value, max int64
	}{
		{"the largest number of samples", int64(o.Largest), mostSamples},
		{"the delay", int64(o.Delay), int64(time.Hour)},
		{"the queue", int64(o.Queue), 1 << 20},
		{"the number of workers", int64(o.Workers), 1 << 10},
		{"the number of priorities", int64(o.Priorities), 1 << 10},
		{"the step of priorities", int64(o.Step), int64(time.Hour)},
		{"the priority of requests that have none", int64(o.Priority), int64(max(o.Priorities, 1))},
		{"the time of idle sequences", int64(o.Sequences.Idle), int64(24 * 365 * time.Hour)},
		{"the number of sequences", int64(o.Sequences.Count), 1 << 20},
		{"the bytes of sequences", o.Sequences.Bytes, 1 << 50},
	} {
		if n.value < 0 || n.value > n.max {
			return o, fmt.Errorf("%s is %d; it must be between 0 and %d", n.name, n.value, n.max)
		}
	}
	o.Largest = cmp.Or(o.Largest, 8)
	o.Queue = cmp.Or(o.Queue, limits.ServeQueue)
	o.Workers = cmp.Or(o.Workers, 1)
	o.Priorities = cmp.Or(o.Priorities, 1)
	o.Priority = cmp.Or(o.Priority, (o.Priorities+1)/2)
	o.Step = cmp.Or(o.Step, time.Second)
	o.Sequences.Idle = cmp.Or(o.Sequences.Idle, time.Minute)
	o.Sequences.Count = cmp.Or(o.Sequences.Count, limits.ServeSequences)
	o.Sequences.Bytes = cmp.Or(o.Sequences.Bytes, limits.ServeStates)
	return o, nil
}

// mostSamples is the greatest number of samples of a run: those of its powers of two are as many programs as are kept of a model.
const mostSamples = 128

// sizes returns the numbers of samples of which there are programs: powers of two, and the largest.
func (o *Options) sizes() []int {
	var sizes []int
	for n := 1; n < o.Largest; n *= 2 {
		sizes = append(sizes, n)
	}
	return append(sizes, o.Largest)
}
