package main

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/concord-nn/concord"
	"github.com/concord-nn/concord/engine"
	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/internal/mapfile"
	"github.com/concord-nn/concord/serve"
)

// serveFlags are the flags of the serve command.
type serveFlags struct {
	http, grpc     string
	options        serve.Options
	together       bool     // --batch is given, also for models that fix one sample
	memory         byteSize // of all models
	modelMemory    byteSize
	time           patienceFlag
	maxBody        byteSize
	maxBodies      byteSize
	maxHeader      byteSize
	certificate    string
	key, authority string
	tokens         string
	level          slog.Level
	config         string
}

func newServe() *cobra.Command {
	var f serveFlags
	c := &cobra.Command{
		Use:   "serve DIR",
		Short: "Serve the models of a folder to clients of the Open Inference Protocol",
		Long: `Answer requests for the models in the folder DIR by the Open Inference Protocol, version 2: REST,
gRPC, metrics for Prometheus and a page for people, all on one address.

A model is NAME/VERSION/model.onnx, or model.nnef and so on; a folder NAME/VERSION that is a model;
or NAME.onnx, NAME.nnef and so on in DIR itself. NAME=DIR serves one folder as the model NAME. The
folder is watched: a new version is loaded, run once, and takes the place of the one before when
that has answered its requests; a broken one leaves it serving. Nothing in it is ever written.

SIGTERM or SIGINT ends the server: it is not ready any more at once, takes no new connections,
finishes what runs within --grace, and ends with code 0. It logs to the standard error, a JSON
object a line. docs/serve.md says what can be asked.`,
		Example: `  concord serve models
  concord serve models --http :8080 --memory 4GiB --token-file tokens
  concord serve digits=examples/digits/model.nnef
  curl localhost:8080/v2/models/digits`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if f.config != "" {
				if err := configure(c.Flags(), f.config); err != nil {
					return err
				}
			}
			f.together = c.Flags().Changed("batch")
			return f.serve(c, args[0])
		},
	}
	f.register(c.Flags())
	return c
}

func (f *serveFlags) register(fs *pflag.FlagSet) {
	o := &f.options
	f.http, o.Poll, o.Batch, o.Queue, o.Workers, o.Priorities = "localhost:8080", time.Second, 8, 256, 1, 1
	o.HeaderTimeout, o.ReadTimeout, o.WriteTimeout, o.IdleTimeout, o.Grace = 10*time.Second, time.Minute, time.Minute, 2*time.Minute, 30*time.Second
	fs.Var(address{&f.http}, "http", "the `address` to listen at; gRPC is answered there, too")
	fs.Var(address{&f.grpc}, "grpc", "a second `address` to listen at, for clients of gRPC that have one of their own")
	fs.StringVar(&o.Control, "model-control", "poll", "what decides which models are loaded: poll, the folder, which is watched; explicit, calls of the protocol; none, the folder as it is at the start")
	fs.Var((*texts)(&o.Load), "load", "with --model-control explicit, the `name` of a model to load at the start; may be repeated")
	fs.Var(boundedTime{&o.Poll, 1, serve.MostTime}, "poll", "how often to look at the folder")
	fs.StringVar(&o.Versions, "versions", "latest", "which versions of a model are served: latest, all, or numbers such as 1,3")
	fs.BoolVar(&o.Loader.Lenient, "lenient", false, "accept constructs of the other dialect and missing extensions of NNEF")
	fs.BoolVar(&o.Loader.Compat, "compat", false, "CVM: follow the deployed rules, in precision of where and overlapping storage plans")
	fs.BoolVar(&o.Mapped, "map", false, "map files of models into memory in place of reading them, which takes less; then nobody may write into them, only exchange them")
	fs.Var(&f.memory, "memory", "what all loaded models may take; those not used for the longest time are unloaded, and loaded again when they are asked")
	fs.Var(&f.modelMemory, "model-memory", "what the runs of a model may take at most, such as 500MB or 6GiB, beside its own weights")
	fs.Var(&f.time, "time", "how long a run may take; ten minutes if it is not given")
	fs.Var(bounded{&o.Threads, 0, limits.EngineThreads}, "threads", "threads to compute a run with; 0 for all processors. The result is the same")
	fs.Var(bounded{&o.Batch, 1, serve.MostBatch}, "batch", "how many samples a run has at most, of requests that wait together; 1 for none. If it is given, models that fix one sample have more, too, where they can. The result is the same")
	fs.Var(boundedTime{&o.BatchDelay, 0, serve.MostDelay}, "batch-delay", "how long a request waits for others; 0 takes those that came while others ran")
	fs.Var(bounded{&o.Queue, 1, serve.MostQueue}, "queue", "how many requests to a model may wait")
	fs.Var(bounded{&o.Workers, 1, serve.MostWorkers}, "workers", "how many runs of a model there are at the same time, each with memory of its own")
	fs.Var(bounded{&o.Priorities, 1, serve.MostPriorities}, "priorities", "how many levels of urgency requests have")
	fs.Var(&f.maxBody, "max-body", "how long a request may be; 64MiB if it is not given")
	fs.Var(&f.maxBodies, "max-bodies", "what all requests and their answers may take in memory, from when their size is known until they are written; 1GiB if it is not given")
	fs.Var(&f.maxHeader, "max-header", "how long the header of a request may be; 32KiB if it is not given")
	fs.Var(boundedTime{&o.HeaderTimeout, 1, serve.MostTime}, "header-timeout", "how long the header of a request may take to arrive")
	fs.Var(boundedTime{&o.ReadTimeout, 1, serve.MostTime}, "read-timeout", "how long a request may take to arrive")
	fs.Var(boundedTime{&o.WriteTimeout, 1, serve.MostTime}, "write-timeout", "how long a client may take to read an answer")
	fs.Var(boundedTime{&o.IdleTimeout, 1, serve.MostTime}, "idle-timeout", "how long a connection may be without a request")
	fs.StringVar(&f.certificate, "tls-cert", "", "the `file` with the server's certificate, in PEM, for TLS; it is read again when it changes")
	fs.StringVar(&f.key, "tls-key", "", "the `file` with the key of the certificate")
	fs.StringVar(&f.authority, "client-ca", "", "a `file` with certificates of authorities, of one of which clients must have a certificate, but to ask about health")
	fs.StringVar(&f.tokens, "token-file", "", "a `file` with tokens, one a line, of which clients must show one (Authorization: Bearer TOKEN), but to ask about health")
	fs.StringVar(&o.Metrics, "metrics", "own", "the names of the metrics: own, triton for those of Triton, or off for no metrics")
	fs.Var(boundedTime{&o.Grace, 1, serve.MostTime}, "grace", "how long requests that run may take when the server is told to end")
	fs.Var(level{&f.level}, "log-level", "what is logged: debug for every request, info, warn or error")
	fs.StringVar(&f.config, "config", "", "a JSON `file` with a member for each flag to set; the command line counts more")
}

// resolved returns the options of the server, with what files and addresses say.
func (f *serveFlags) resolved(dir string, log *slog.Logger) (serve.Options, error) {
	o := f.options
	o.Dir, o.Log, o.Version = dir, log, buildVersion()
	if name, folder, ok := strings.Cut(dir, "="); ok && name != "" && !there(dir) {
		o.Model, o.Dir = name, folder
	}
	o.Loader = concord.Loader{Lenient: o.Loader.Lenient, Compat: o.Loader.Compat, Threads: o.Threads}
	o.Limits = engine.Limits{Memory: int64(f.modelMemory), Time: time.Duration(f.time)}
	o.Memory, o.MaxBody, o.MaxBodies, o.MaxHeader = int64(f.memory), int64(f.maxBody), int64(f.maxBodies), int(min(f.maxHeader, 1<<30))
	if !f.together {
		o.Batch = 0
	}
	switch {
	case f.http == "" && f.grpc == "":
		return o, refused("there is no address to listen at: give --http or --grpc")
	case (f.certificate == "") != (f.key == ""):
		return o, refused("--tls-cert and --tls-key go together")
	case f.authority != "" && f.certificate == "":
		return o, refused("--client-ca needs --tls-cert and --tls-key")
	}
	var err error
	if f.certificate != "" {
		if o.TLS, err = serve.TLS(f.certificate, f.key, f.authority); err != nil {
			return o, err
		}
	}
	if f.tokens != "" {
		o.Tokens, err = readTokens(f.tokens)
	}
	return o, err
}

// maxTokens is the greatest length of a file of tokens, or of flags.
const maxTokens = 1 << 20

// readTokens reads a file with one token a line. Empty lines, and those that begin with #, do not count.
func readTokens(name string) (list []string, err error) {
	text, err := mapfile.ReadFile(name, maxTokens)
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(mapfile.Text(text))) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			list = append(list, line)
		}
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("%s: it holds no token", name)
	}
	return list, nil
}

// flagOf has the flags of options of which package serve knows what they may be.
var flagOf = map[string]string{"Control": "model-control", "Load": "load", "Metrics": "metrics", "Tokens": "token-file", "Versions": "versions"}

func (f *serveFlags) serve(c *cobra.Command, dir string) error {
	log := slog.New(slog.NewJSONHandler(c.ErrOrStderr(), &slog.HandlerOptions{Level: f.level}))
	opts, err := f.resolved(dir, log)
	if err != nil {
		return err
	}
	server, err := serve.New(opts)
	if wrong := (*serve.OptionError)(nil); errors.As(err, &wrong) && flagOf[wrong.Option] != "" {
		return refused("--%s: %s", flagOf[wrong.Option], wrong.Why)
	} else if err != nil {
		return &codedError{exitUsage, err}
	}
	if info, err := os.Stat(opts.Dir); err != nil {
		return err
	} else if !info.IsDir() {
		return fmt.Errorf("%s: it must be a folder of models; NAME=FOLDER serves one model", opts.Dir)
	}
	var listeners []net.Listener
	for _, at := range []struct{ flag, address string }{{"http", f.http}, {"grpc", f.grpc}} {
		if at.address == "" {
			continue
		}
		l, err := new(net.ListenConfig).Listen(c.Context(), "tcp", at.address)
		if err != nil {
			for _, l := range listeners {
				err = errors.Join(err, l.Close())
			}
			return fmt.Errorf("--%s %s: %w", at.flag, at.address, err)
		}
		listeners = append(listeners, l)
	}
	patience.Store(int64(opts.Grace + 5*time.Second)) // models are closed after the last request
	return server.Serve(c.Context(), listeners...)
}

// there reports whether something has a name.
func there(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}
