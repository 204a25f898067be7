package batch

import (
	"bytes"
	"slices"
	"sync"
	"time"

	"github.com/concord-nn/concord/model"
	"github.com/concord-nn/concord/serve/internal/budget"
	"github.com/concord-nn/concord/tensor"
)

// Request asks for the outputs of some samples. The tensors must not be changed before Run returns.
type Request struct {
	Inputs   model.Values
	Priority int           // a level of [Options.Priorities]; 0 for that of requests which have none
	Timeout  time.Duration // how long the request may wait for its run; 0 for as long as its context
	Sequence string        // of a model with a state, to which the request belongs; "" if it is one of its own
	Start    bool          // the request is the first of its sequence
	End      bool          // the request is the last of its sequence
}

// Result is what a request is answered.
type Result struct {
	Outputs model.Values // which belong to the caller
	Batch   int          // the samples of the run, with those of other requests; of the last run if there were several
	Cut     Cut          // why that run had no more samples
	Queued  time.Duration
	Input   time.Duration // in which inputs were put together
	Infer   time.Duration // of the runs
	Output  time.Duration // in which outputs were taken apart
}

// Cut is why a run has no more samples than it has.
type Cut uint8

// The reasons.
const (
	Alone    Cut = iota // samples of the model, or of the sequence, run one by one
	Full                // it has as many as [Options.Largest]
	Size                // more were waiting, but there is no program for so many
	Delay               // the longest delay was over
	Idle                // nothing else was waiting, and a worker was free
	Shape               // the others that waited have other shapes, or share an input of another value
	Priority            // an urgent request did not wait
	Deadline            // one would have been too late
	Drained             // the scheduler is being closed
	NumCuts  int = iota
)

var cutNames = [NumCuts]string{"alone", "full", "size", "delay", "idle", "shape", "priority", "deadline", "drained"}

// String returns the reason in a word, as "full".
func (c Cut) String() string { return cutNames[c] }

// request is a [Request] on its way.
type request struct {
	Request
	own     model.Values // inputs that the client has given
	samples int
	came    time.Time
	rank    time.Time // what orders requests: when it came, later for a lower priority
	latest  time.Time // when it must have begun, or be answered; zero if there is no limit
	line    *line     // in which it waits or has waited

	lease      *budget.Lease // of the client, for the answer
	held       int64         // bytes that it holds
	taken      int           // samples that are running or have run
	left       int           // samples that have not run
	runs       []*run        // that are running
	first      time.Time     // when its first samples were taken
	once       sync.Once     // makes the outputs
	outputs    []*tensor.Tensor
	names      []string
	result     Result
	failed     error // of a run
	badOutputs error
	err        error
	answered   bool
	done       chan struct{} // closed when it is answered
}

// given reports whether the client has given an input.
func (r *request) given(name string) bool { return r.own[name] != nil }

// hold makes the client's lease hold so many bytes for the outputs.
func (r *request) hold(bytes int64) error {
	if err := r.lease.Take(bytes - r.held); err != nil {
		return err
	}
	r.held = max(r.held, bytes)
	return nil
}

// line is where requests wait that run together, or one after the other.
type line struct {
	kind     *kind
	sequence *sequence // nil for requests that do not depend on others
	busy     bool      // a request of the sequence runs
	waiting  []*request
}

// insert puts a request behind those that are not less urgent.
func (l *line) insert(r *request) {
	i, _ := slices.BinarySearchFunc(l.waiting, r, func(a, b *request) int {
		if l.sequence != nil || !a.rank.After(b.rank) {
			return -1
		}
		return 1
	})
	l.waiting = slices.Insert(l.waiting, i, r)
}

// remove takes a request out, and reports whether it was there.
func (l *line) remove(r *request) bool {
	i := slices.Index(l.waiting, r)
	if i >= 0 {
		l.waiting = slices.Delete(l.waiting, i, i+1)
	}
	return i >= 0
}

// count returns how many samples wait.
func (l *line) count() int {
	n := 0
	for _, r := range l.waiting {
		n += r.samples - r.taken
	}
	return n
}

// like returns how many samples wait whose requests have equal inputs of some names, counting to most.
func (l *line) like(names []string, most int) int {
	n := 0
	for _, r := range l.waiting {
		if n >= most {
			return most
		}
		for _, name := range names {
			if r != l.waiting[0] && !bytes.Equal(r.Inputs[name].Contiguous().Bytes(), l.waiting[0].Inputs[name].Contiguous().Bytes()) {
				return n
			}
		}
		n += r.samples - r.taken
	}
	return min(n, most)
}

// run is one evaluation: of samples of requests, or of a request as it is.
type run struct {
	line   *line
	size   *size
	cut    Cut
	parts  []part
	fresh  bool          // it begins with the initial state of its sequence
	live   int           // parts for which somebody waits
	cancel func()        // ends the run; nil if who asks executes it
	read   chan struct{} // closed when nothing reads the tensors of requests any more
}

// part are the samples of a request in a run.
type part struct {
	r       *request
	from, n int // of the request
	at      int // the first one's place in the run
}
