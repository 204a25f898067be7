// Command concord-beam runs a model over many inputs on the machines that a runner of Apache Beam has. What it writes are the bytes of concord bulk.
//
//	concord-beam --model classifier.onnx --inputs photos/ --output out --shards 16
//	concord-beam --runner=flink --endpoint=jobs:8099 --model /data/classifier.onnx --inputs '/data/photos/*.jpg' --output /data/out --shards 256
//
// The other flags are Beam's. See docs/bulk.md.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/x/beamx"

	"github.com/concord-nn/concord/beam/shards"
	"github.com/concord-nn/concord/bulk"
)

// Exit codes, as those of concord bulk.
const (
	exitError = 1
	exitUsage = 2
	exitInput = 3 // inputs could not be computed and were skipped
)

// list is a flag that may be given several times.
type list []string

func (l *list) String() string { return strings.Join(*l, " ") }

func (l *list) Set(value string) error {
	*l = append(*l, value)
	return nil
}

var (
	cfg     shards.Config
	onError string
	asJSON  bool
)

func init() {
	o := &cfg.Options
	beams := flag.NewFlagSet("", flag.ContinueOnError)
	flag.VisitAll(func(f *flag.Flag) { beams.Var(f.Value, f.Name, f.Usage) })
	own := flag.NewFlagSet("", flag.ContinueOnError)
	own.StringVar(&cfg.Model, "model", "", "path of the model, the same on all machines")
	own.Var((*list)(&o.Inputs), "inputs", "a file, folder, pattern or list, as concord bulk takes it, the same on all machines; may be given several times")
	own.StringVar(&cfg.Output, "output", "", "folder for what is written, which all machines share, or gs://bucket/folder")
	own.IntVar(&o.Shards, "shards", 1, "into how many parts the list is divided: what one worker computes at a time, and again if it fails")
	own.StringVar((*string)(&o.Format), "format", string(bulk.JSONLines), "jsonl, npz or parquet")
	own.BoolVar(&o.Rows, "rows", false, "make an input of each row of .npz and .npy files")
	own.StringVar(&onError, "on_error", "stop", "what an input does that cannot be computed: stop, or skip")
	own.IntVar(&o.Workers, "threads", 1, "threads for one shard; runners compute several shards on a machine at the same time")
	own.IntVar(&o.Batch, "batch", 0, "how many inputs are computed in one run, where the model allows it; the results are the same")
	own.StringVar(&o.Cache, "cache", "", "folder of answers that need not be computed again")
	own.BoolVar(&cfg.Force, "force", false, "begin shards anew that were begun with another model, other options or other inputs")
	own.BoolVar(&asJSON, "json", false, "print what was done as JSON")
	own.VisitAll(func(f *flag.Flag) { flag.Var(f.Value, f.Name, f.Usage) })
	flag.Usage = func() {
		fmt.Println("Usage: concord-beam --model FILE --inputs INPUT [--inputs INPUT]… --output DIR [flags]")
		own.SetOutput(os.Stdout)
		own.PrintDefaults()
		fmt.Println("\nFlags of Beam:")
		beams.SetOutput(os.Stdout)
		beams.PrintDefaults()
	}
}

func main() {
	flag.Parse()
	beam.Init() // which does not return in a worker
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code, err := run(ctx)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "concord-beam:", err)
	}
	os.Exit(code)
}

// run starts the pipeline, waits for it, unless it is asynchronous, and returns the exit code.
func run(ctx context.Context) (int, error) {
	switch {
	case flag.NArg() > 0:
		return exitUsage, fmt.Errorf("%q is no flag; inputs are given by --inputs, one each", flag.Arg(0))
	case cfg.Model == "" || cfg.Output == "" || len(cfg.Options.Inputs) == 0:
		return exitUsage, errors.New("--model, --inputs and --output must be given")
	case cfg.Options.Shards < 1:
		return exitUsage, errors.New("--shards: it must be 1 or more")
	case onError != "skip" && onError != "stop":
		return exitUsage, fmt.Errorf("--on_error: %q is not allowed; it must be stop or skip", onError)
	}
	cfg.Options.SkipErrors = onError == "skip"
	p, s := beam.NewPipelineWithRoot()
	if _, err := shards.Compute(ctx, s, cfg); err != nil {
		return exitError, err
	}
	if err := beamx.Run(ctx, p); err != nil {
		return exitError, err
	}
	if *jobopts.Async {
		return 0, nil
	}
	t, err := shards.ReadTotal(ctx, cfg.Output, cfg.Options.Shards)
	if err != nil {
		return exitError, err
	}
	if asJSON {
		err = json.NewEncoder(os.Stdout).Encode(t)
	} else {
		_, err = fmt.Printf("written: %s, %d shards, %d inputs, %d failed, sha256 %s\n", cfg.Output, t.Shards, t.Inputs, t.Failed, t.SHA256)
	}
	if err != nil {
		return exitError, err
	}
	if t.Failed > 0 {
		return exitInput, nil
	}
	return 0, nil
}
