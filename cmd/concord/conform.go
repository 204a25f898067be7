package main

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/concord-nn/concord/internal/conform"
	"github.com/concord-nn/concord/internal/limits"
)

func newConform() *cobra.Command {
	var (
		filter, engine              string
		list, asJSON, verbose, hash bool
		timeout                     time.Duration
		threads                     int
	)
	var engines []string
	for _, e := range conform.Engines {
		engines = append(engines, fmt.Sprintf("%s (%s)", e.Name, e.Doc))
	}
	c := &cobra.Command{
		Use:   "conform PATH…",
		Short: "Run conformance cases kept as data",
		Long: `Run the conformance cases below each PATH, a folder or a file. Above the counts of a folder
stand its failures, each with its first difference, and the reasons for which cases were
skipped: their kind is not supported yet, or their data says that they are not required.
The last line counts all cases. The exit code is 1 if a case fails.

With --hash, and in JSON, sums say what was computed, to the bit: of each folder, and of all cases. They are the
same on every processor and in every tier (CONCORD_TIER), at every number of threads, and with every engine
but bodies.

An interrupt ends the work: what has a result is printed, and the exit code is 4.

The README beside the cases says what they are. Read are the cases of webnn, nnef, cvm and onnx. A
CVM case that refuses a model, as it must, but with the wrong class of error has failed; the
counts say how many there are.`,
		Example: `  concord conform wpt/webnn/conformance
  concord conform cases --filter 'numeric/conv' --verbose
  CONCORD_TIER=avx2 concord conform cases --hash --threads 2
  concord conform cases --list`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if timeout <= 0 {
				return refused("--timeout: it must be above 0")
			}
			opts := conform.Options{Timeout: timeout, Threads: threads}
			if filter != "" {
				re, err := regexp.Compile(filter)
				if err != nil {
					why := err.Error()
					if wrong, ok := errors.AsType[*syntax.Error](err); ok {
						why = wrong.Code.String()
					}
					return refused("--filter %s: it is no regular expression: %s", quoted(filter), why)
				}
				opts.Filter = re
			}
			for i := range conform.Engines {
				if conform.Engines[i].Name == engine {
					opts.Engine = &conform.Engines[i]
				}
			}
			if opts.Engine == nil {
				return refused("--engine: there is no engine %q", engine)
			}
			cases, err := conform.Find(args...)
			if err != nil {
				return err
			}
			selected := conform.Select(cases, opts.Filter)
			if len(selected) == 0 {
				return &codedError{exitUsage, nothingSelected(filter, cases)}
			}
			out := printed(c.OutOrStdout())
			if list {
				for _, k := range selected {
					if _, err := fmt.Fprintf(out, "%s/%s\n", k.Folder, k.Name); err != nil {
						return err
					}
				}
				return nil
			}
			bar := newProgress(c.ErrOrStderr(), "cases")
			opts.Done = bar.update
			results := conform.Run(c.Context(), cases, opts)
			bar.clear()
			if asJSON {
				err = writeJSON(out, struct {
					Results []conform.Result `json:"results"`
					conform.Summary
					SHA256 string `json:"sha256"`
				}{results, conform.Count(results), conform.Sum(results)})
			} else {
				err = conform.Write(out, results, conform.Report{Skipped: verbose, Hashes: hash})
			}
			if err == nil {
				err = c.Context().Err() // what is left out has neither failed nor passed
			}
			if err == nil && conform.Count(results).Failed > 0 {
				return errNegative
			}
			return err
		},
	}
	f := c.Flags()
	f.StringVar(&filter, "filter", "", "run only the cases whose FOLDER/NAME matches this regular `expression`")
	f.StringVar(&engine, "engine", conform.Engines[0].Name, "what evaluates the cases: "+strings.Join(engines, "; "))
	f.BoolVar(&list, "list", false, "list the cases instead of running them")
	f.BoolVarP(&verbose, "verbose", "v", false, "name every skipped case")
	f.BoolVar(&hash, "hash", false, "print the SHA-256 of what the cases of each folder compute, and of what all do")
	f.BoolVar(&asJSON, "json", false, "print JSON")
	f.Var(bounded{&threads, 0, limits.EngineThreads}, "threads", "threads of the engine to compute a case with; 0 for all processors. The result is the same")
	f.DurationVar(&timeout, "timeout", 30*time.Second, "time that one case may take")
	return c
}

// nothingSelected is the error that a filter matches no case, or that there are none.
func nothingSelected(filter string, cases []conform.Case) error {
	if len(cases) == 0 {
		return errors.New("there are no cases")
	}
	return fmt.Errorf("--filter %q matches none of the %d cases; it is matched with names like %s/%s", filter, len(cases),
		cases[0].Folder, cases[0].Name)
}
