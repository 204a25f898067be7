package batch

import (
	"slices"
	"time"

	"github.com/concord-nn/concord/engine"
	"github.com/concord-nn/concord/serve/internal/oip"
)

// statistics count what happened, under the scheduler's lock.
type statistics struct {
	all  oip.ModelStatistics
	cuts [NumCuts]uint64
}

// Statistics returns what happened so far. Name and version are empty.
func (s *Scheduler) Statistics() oip.ModelStatistics {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := s.statistics.all
	out.Batches = slices.Clone(out.Batches)
	out.Cuts = make(map[string]uint64, NumCuts)
	for c, n := range s.statistics.cuts {
		if n > 0 {
			out.Cuts[Cut(c).String()] = n
		}
	}
	out.Pending, out.Memory = uint64(s.waiting), uint64(s.memory())
	return out
}

// Forget makes statistics begin again, as after a run that no client has asked for.
func (s *Scheduler) Forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.statistics = statistics{}
}

// Memory returns the bytes that programs, sessions and states of sequences take, without the model's own constants.
func (s *Scheduler) Memory() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.memory()
}

func (s *Scheduler) memory() int64 {
	total := s.kept
	var programs []*engine.Program
	for _, k := range s.kinds {
		select {
		case <-k.ready:
		default:
			continue // its sizes are being made
		}
		for _, z := range k.sizes {
			programs = append(programs, z.programs...)
			total += z.each * int64(len(z.free)+z.busy)
		}
	}
	return total + engine.Shared(programs...)
}

// Waiting returns how many requests wait, and how many runs there are at the moment.
func (s *Scheduler) Waiting() (requests, runs int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.waiting, s.running
}

// failed counts a request that has not been answered with outputs.
func (st *statistics) failed(err *oip.Error, took time.Duration) {
	if err.Code == oip.Canceled {
		st.all.Cancel.Add(took)
	} else {
		st.all.Fail.Add(took)
	}
}

// succeeded counts a request that has been answered with outputs.
func (st *statistics) succeeded(r *request, took time.Duration) {
	st.all.LastInference = time.Now()
	st.all.InferenceCount += uint64(r.samples)
	st.all.Success.Add(took)
	st.all.Queue.Add(r.result.Queued)
	st.all.ComputeInput.Add(r.result.Input)
	st.all.ComputeInfer.Add(r.result.Infer)
	st.all.ComputeOutput.Add(r.result.Output)
}

// ran counts a run.
func (st *statistics) ran(u *run, took times) {
	st.all.ExecutionCount++
	st.cuts[u.cut]++
	n := uint64(u.size.samples)
	i, ok := slices.BinarySearchFunc(st.all.Batches, n, func(b oip.BatchStatistics, n uint64) int { return int(b.Size) - int(n) })
	if !ok {
		st.all.Batches = slices.Insert(st.all.Batches, i, oip.BatchStatistics{Size: n})
	}
	b := &st.all.Batches[i]
	b.Input.Add(took.input)
	b.Infer.Add(took.infer)
	b.Output.Add(took.output)
}
