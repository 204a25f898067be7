package serve

import (
	"cmp"
	"crypto/tls"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/concord-nn/concord"
	"github.com/concord-nn/concord/engine"
	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/serve/internal/metrics"
	"github.com/concord-nn/concord/serve/internal/repository"
)

// Options say what is served, and how. A field that is zero has its default.
type Options struct {
	// Dir is the folder of the models, which is only read.
	Dir string
	// Model makes the folder that of one model of this name, with its versions or without.
	Model string
	// Control says what decides which models are loaded: "poll", the default, for the folder, which is watched; "explicit" for calls of the
	// protocol; "none" for the folder as it is at the start.
	Control string
	// Load names the models that are loaded at the start with "explicit".
	Load []string
	// Poll is the time between two looks at the folder; a second.
	Poll time.Duration
	// Versions says which versions of a model are served: "latest", the default, "all", or numbers such as "1,3".
	Versions string
	// Loader says how models are read.
	Loader concord.Loader
	// Mapped maps files into memory, where else they are read. That takes less memory, but files must then never change: they may only be
	// exchanged for others.
	Mapped bool

	// Memory is what all loaded models may take, in bytes; those not used for the longest time are unloaded. 0 is no limit.
	Memory int64
	// Limits bound what a model may take, and a run.
	Limits engine.Limits
	// Threads is how many threads compute a run; 0 for all processors.
	Threads int

	// Batch is how many samples a run has at most; 0 for 8 where the model leaves their number open, and for 1 where it fixes that. BatchDelay is how long
	// a request waits for others.
	Batch      int
	BatchDelay time.Duration
	// Queue is how many requests to a model may wait; 256.
	Queue int
	// Workers is how many runs of a model there are at the same time; 1.
	Workers int
	// Priorities is how many levels of urgency requests have; 1.
	Priorities int

	// MaxBody is how long the body of a request may be, in bytes, MaxHeader its header. MaxBodies is what all bodies
	// and answers may take in memory at the same time, with the tensors and texts that they become and the pixels of pictures; 1 GiB.
	MaxBody, MaxBodies int64
	MaxHeader          int
	// ReadTimeout is how long a request may take to arrive, HeaderTimeout its header, WriteTimeout its answer to be taken, IdleTimeout how long a
	// connection may be without one; a minute, 10 seconds, a minute, 2 minutes.
	ReadTimeout, HeaderTimeout, WriteTimeout, IdleTimeout time.Duration
	// Grace is how long requests that run may take when the server goes down; 30 seconds.
	Grace time.Duration

	// TLS makes connections secure; nil for plain ones.
	TLS *tls.Config
	// Tokens are what clients must show, one of them, in a header "Authorization: Bearer TOKEN", unless they ask about health. Nil lets all in.
	Tokens []string

	// Metrics says which names metrics have: "own", the default, or "triton" for those of Triton; "off" for no metrics.
	Metrics string
	// Log takes what happens, a line for each request; nil for nobody.
	Log *slog.Logger
	// Version is the server's own, as its metadata says it.
	Version string
}

// What options may be at most: numbers, how long requests may wait for others, and all other times.
const (
	MostBatch      = 128
	MostQueue      = 1 << 20
	MostWorkers    = 1 << 10
	MostPriorities = 1 << 10
	MostDelay      = time.Hour
	MostTime       = 24 * time.Hour
)

// OptionError says that an option cannot be as it is.
type OptionError struct {
	Option string // the field of [Options]
	Why    string
}

// Error names the option.
func (e *OptionError) Error() string {
	e = cmp.Or(e, new(OptionError))
	return "option " + e.Option + ": " + e.Why
}

func option(name, format string, args ...any) error {
	return &OptionError{name, fmt.Sprintf(format, args...)}
}

// within refuses an option beyond what it may be.
func within[N int64 | time.Duration](name string, value, most N) error {
	if value < 0 || value > most {
		return option(name, "it is %v; it must be between %v and %v", value, N(0), most)
	}
	return nil
}

// resolved returns the options with defaults in the places of zeros. An option that cannot be is an error that names it.
func (o Options) resolved() (Options, error) {
	if o.Dir == "" {
		return o, option("Dir", "there must be a folder of models")
	}
	o.Control = cmp.Or(o.Control, "poll")
	if _, ok := controls[o.Control]; !ok {
		return o, option("Control", `%q; it must be "poll", "explicit" or "none"`, o.Control)
	}
	if o.Metrics = cmp.Or(o.Metrics, "own"); metricNames[o.Metrics] == "" {
		return o, option("Metrics", `%q; it must be "own", "triton" or "off"`, o.Metrics)
	}
	if len(o.Load) > 0 && o.Control != "explicit" {
		return o, option("Load", `the folder says what is loaded, unless control is "explicit"; it is %q`, o.Control)
	}
	if _, _, err := o.versions(); err != nil {
		return o, err
	}
	if err := cmp.Or(
		within("Poll", o.Poll, MostTime), within("Memory", o.Memory, 1<<60), within("Threads", int64(o.Threads), limits.EngineThreads),
		within("Batch", int64(o.Batch), MostBatch), within("BatchDelay", o.BatchDelay, MostDelay), within("Queue", int64(o.Queue), MostQueue),
		within("Workers", int64(o.Workers), MostWorkers), within("Priorities", int64(o.Priorities), MostPriorities),
		within("MaxBody", o.MaxBody, 1<<40), within("MaxBodies", o.MaxBodies, 1<<50), within("MaxHeader", int64(o.MaxHeader), 1<<24),
		within("ReadTimeout", o.ReadTimeout, MostTime), within("HeaderTimeout", o.HeaderTimeout, MostTime),
		within("WriteTimeout", o.WriteTimeout, MostTime), within("IdleTimeout", o.IdleTimeout, MostTime), within("Grace", o.Grace, MostTime),
	); err != nil {
		return o, err
	}
	for _, t := range o.Tokens {
		if t == "" || strings.ContainsFunc(t, func(r rune) bool { return r <= ' ' || r > '~' }) {
			return o, option("Tokens", "one is empty, or has characters that no header has")
		}
	}
	o.Poll = cmp.Or(o.Poll, time.Second)
	o.ReadTimeout = cmp.Or(o.ReadTimeout, time.Minute)
	o.HeaderTimeout = cmp.Or(o.HeaderTimeout, 10*time.Second)
	o.WriteTimeout = cmp.Or(o.WriteTimeout, time.Minute)
	o.IdleTimeout = cmp.Or(o.IdleTimeout, 2*time.Minute)
	o.Grace = cmp.Or(o.Grace, 30*time.Second)
	o.MaxBodies = cmp.Or(o.MaxBodies, limits.ServeHeld)
	o.MaxHeader = cmp.Or(o.MaxHeader, limits.ServeHeader)
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return o, nil
}

var controls = map[string]repository.Control{"poll": repository.Poll, "explicit": repository.Explicit, "none": repository.Once}

// metricNames are what metrics can be called.
var metricNames = map[string]metrics.Names{"own": metrics.Own, "triton": metrics.Triton, "off": metrics.Own}

// versions returns whether all versions are served, or else which; nil for the newest alone.
func (o *Options) versions() (all bool, some []string, err error) {
	switch o.Versions {
	case "", "latest":
		return false, nil, nil
	case "all":
		return true, nil, nil
	}
	for v := range strings.SplitSeq(o.Versions, ",") {
		if v = strings.TrimSpace(v); !repository.IsVersion(v) {
			return false, nil, option("Versions", `%q is no version; it must be "latest", "all" or numbers such as "1,3"`, v)
		}
		some = append(some, v)
	}
	return false, some, nil
}
