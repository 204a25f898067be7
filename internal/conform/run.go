package conform

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"regexp"
	"runtime"
	"sync"
	"time"
)

// Status is how a case ended.
type Status string

// The ways a case ends.
const (
	Passed  Status = "passed"
	Failed  Status = "failed"
	Skipped Status = "skipped" // its kind is not supported, or it fails and its data says that it is not required
)

// Result is the outcome of a case.
type Result struct {
	Folder    string `json:"folder"`
	Name      string `json:"name"`
	Status    Status `json:"status"`
	Detail    string `json:"detail,omitempty"`    // the first difference, why the case was skipped, or a remark on a case that passed
	ClassOnly bool   `json:"classOnly,omitempty"` // it failed, but only by the class of an error
	SHA256    string `json:"sha256,omitempty"`    // of the outputs of all evaluations of the case; empty if there are none, or it was interrupted
}

// Options says what Run runs.
type Options struct {
	Filter  *regexp.Regexp // runs only the cases whose folder/name matches; nil runs all
	Engine  *Engine        // what evaluates graphs; nil is Engines[0]
	Threads int            // of the engine; 0 for all processors
	Timeout time.Duration  // for one case; 30 seconds unless it is positive
	Workers int            // cases that run at the same time; one per processor unless it is positive
	Done    func(n, of int)
}

// Select returns the cases that a filter lets pass.
func Select(cases []Case, filter *regexp.Regexp) []Case {
	if filter == nil {
		return cases
	}
	var out []Case
	for _, c := range cases {
		if filter.MatchString(c.Folder + "/" + c.Name) {
			out = append(out, c)
		}
	}
	return out
}

// Interrupted is the detail of a case that was skipped since the context of [Run] ended before it had a result.
const Interrupted = "interrupted"

// Run runs cases and returns their results in the same order. A case that panics or exceeds its time has failed. If ctx ends, the
// cases without a result are skipped as [Interrupted].
func Run(ctx context.Context, cases []Case, opts Options) []Result {
	cases = Select(cases, opts.Filter)
	if opts.Engine == nil {
		opts.Engine = &Engines[0]
	}
	if opts.Timeout <= 0 {
		opts.Timeout = 30 * time.Second
	}
	if opts.Workers <= 0 {
		opts.Workers = runtime.GOMAXPROCS(0)
	}
	opts.Workers = min(opts.Workers, len(cases))
	results := make([]Result, len(cases))
	next := make(chan int)
	var (
		wg   sync.WaitGroup
		mu   sync.Mutex
		done int
	)
	for range opts.Workers {
		wg.Go(func() {
			for i := range next {
				results[i] = runCase(ctx, &cases[i], opts)
				mu.Lock()
				done++
				if opts.Done != nil {
					opts.Done(done, len(cases))
				}
				mu.Unlock()
			}
		})
	}
	for i := range cases {
		next <- i
	}
	close(next)
	wg.Wait()
	return results
}

func runCase(ctx context.Context, c *Case, opts Options) Result {
	r := Result{Folder: c.Folder, Name: c.Name, Status: Skipped, Detail: c.skip}
	if c.run == nil {
		return r
	}
	if ctx.Err() != nil {
		r.Detail = Interrupted
		return r
	}
	limited, cancel := context.WithTimeout(ctx, opts.Timeout)
	defer cancel()
	e := &evaluator{engine: opts.Engine, threads: opts.Threads}
	err := guard(func() error { return c.run(limited, e) })
	if limited.Err() == nil {
		r.SHA256 = e.sum()
	}
	var small minor
	switch {
	case err != nil && ctx.Err() != nil: // which may be the cause of err
		r.Detail = Interrupted
	case err == nil:
		r.Status, r.Detail = Passed, ""
	case errors.As(err, &small):
		r.Status, r.Detail = Passed, small.Error()
	case c.skip != "":
		r.Detail = fmt.Sprintf("%s (%v)", c.skip, err)
	default:
		r.Status, r.Detail = Failed, err.Error()
		r.ClassOnly = errors.As(err, new(wrongClass))
	}
	return r
}

// minor is a difference that the README of the cases calls a minor deviation: the case passes with a remark.
type minor struct{ error }

// wrongClass is the error that a model is refused, as it should be, with an error of another class than it should have.
type wrongClass struct{ error }

// guard turns a panic into an error, so that one broken case does not end the run.
func guard(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	return f()
}

// Summary counts results.
type Summary struct {
	Passed    int `json:"passed"`
	Failed    int `json:"failed"`
	Skipped   int `json:"skipped"`
	ClassOnly int `json:"classOnly,omitempty"` // those of the failed that differ in the class of an error only
}

// String writes "N passed, N failed, N skipped", and how many of the failed differ in the class of an error only.
func (s Summary) String() string {
	class := ""
	if s.ClassOnly > 0 {
		class = fmt.Sprintf(" (%d by the class of an error only)", s.ClassOnly)
	}
	return fmt.Sprintf("%d passed, %d failed%s, %d skipped", s.Passed, s.Failed, class, s.Skipped)
}

// Count returns the summary of results.
func Count(results []Result) Summary {
	var s Summary
	for _, r := range results {
		switch r.Status {
		case Passed:
			s.Passed++
		case Failed:
			s.Failed++
			if r.ClassOnly {
				s.ClassOnly++
			}
		default:
			s.Skipped++
		}
	}
	return s
}

// Sum returns the SHA-256 of what the cases have computed: of a line for each of them that has a sum, with this and its name.
func Sum(results []Result) string {
	h := sha256.New()
	for _, r := range results {
		if r.SHA256 != "" {
			fmt.Fprintf(h, "%s  %s\n", r.SHA256, r.Name)
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}

// Report says what [Write] writes beside the rest.
type Report struct {
	Skipped bool // every skipped case by its name
	Hashes  bool // sums of what was computed: of every folder and of all cases, by [Sum]
}

// Write writes a report: folder by folder the failures, the reasons of skipping with their numbers, and the counts; then
// the counts of all, as the last line.
func Write(w io.Writer, results []Result, report Report) error {
	if w == nil {
		return errors.New("there is nothing to write to: the writer is nil")
	}
	var errs []error
	printf := func(format string, args ...any) {
		_, err := fmt.Fprintf(w, format, args...)
		errs = append(errs, err)
	}
	for lo := 0; lo < len(results); {
		hi := lo
		for hi < len(results) && results[hi].Folder == results[lo].Folder {
			hi++
		}
		folder := results[lo:hi]
		lo = hi
		var reasons []string
		count := make(map[string]int)
		for _, r := range folder {
			switch {
			case r.Status == Failed:
				printf("FAIL %s: %s\n     %s\n", r.Folder, r.Name, r.Detail)
			case r.Status == Passed && r.Detail != "":
				printf("note %s: %s\n     %s\n", r.Folder, r.Name, r.Detail)
			case r.Status == Skipped && report.Skipped:
				printf("skip %s: %s\n     %s\n", r.Folder, r.Name, r.Detail)
			case r.Status == Skipped:
				if count[r.Detail]++; count[r.Detail] == 1 {
					reasons = append(reasons, r.Detail)
				}
			}
		}
		for _, reason := range reasons {
			printf("skip %s: %d: %s\n", folder[0].Folder, count[reason], reason)
		}
		if report.Hashes {
			printf("%s  %s\n", Sum(folder), folder[0].Folder)
		}
		printf("%s: %v\n", folder[0].Folder, Count(folder))
	}
	if report.Hashes {
		printf("%s  all\n", Sum(results))
	}
	printf("%v\n", Count(results))
	return errors.Join(errs...)
}
