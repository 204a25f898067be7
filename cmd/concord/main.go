// Command concord runs and examines neural networks.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"github.com/concord-nn/concord/engine"
	"github.com/concord-nn/concord/internal/escape"
	"github.com/concord-nn/concord/internal/feed"
	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/internal/mapfile"
	"github.com/concord-nn/concord/internal/samples"
	"github.com/concord-nn/concord/internal/stage"
	"github.com/concord-nn/concord/nnef/syntax"
)

// Exit codes. They are documented in docs/command-line.md and in the help of the root command.
const (
	exitFailure = 1 // the work was done and its result is negative: check finds errors, admit refuses, a conformance case fails
	exitUsage   = 2 // the command line is wrong
	exitInput   = 3 // a file is missing, broken or does not fit
	exitCancel  = 4 // interrupted, or beyond a limit of time
)

// codedError carries the exit code that an error ends the program with.
type codedError struct {
	code int
	err  error
}

func (e *codedError) Error() string { return e.err.Error() }
func (e *codedError) Unwrap() error { return e.err }

// refused is the error of a command line that cannot be meant.
func refused(format string, args ...any) error {
	return &codedError{exitUsage, fmt.Errorf(format, args...)}
}

func main() {
	collectLater()
	collectInTime()
	ctx, stop := interruptible()
	context.AfterFunc(ctx, func() { time.AfterFunc(2*usualPatience, stop) }) // then another one ends at once what is held up; some senders send two
	done := make(chan error, 1)
	go func() { done <- perform(ctx) }()
	err := await(ctx, done, func() time.Duration {
		wait := time.Duration(patience.Load())
		if wait == 0 && stage.Abandon() {
			return usualPatience // to say that it is done
		}
		return wait
	})
	stage.Abandon() // outputs that are not complete do not stay
	os.Exit(conclude(os.Stderr, err, os.Args[1:]))
}

// perform does what the command line says. A file that is lost while it is read is an error, and so is output that nobody takes.
func perform(ctx context.Context) (err error) {
	defer mapfile.Recover(mapfile.Watch(), &err)
	root, out := newRoot(), &watched{Writer: os.Stdout}
	root.SetIn(awaited{os.Stdin, ctx})
	root.SetOut(out)
	if len(os.Args) > 1 && strings.HasPrefix(os.Args[1], cobra.ShellCompRequestCmd) {
		addCompletion(root)
	}
	return out.instead(root.ExecuteContext(ctx))
}

// collectLater puts the first collection of garbage off until the heap has 24 MB, which short runs do not reach; from then on it is as usual.
func collectLater() {
	if os.Getenv("GOGC") != "" {
		return
	}
	usual := debug.SetGCPercent(600)
	runtime.AddCleanup(new([64]byte), func(percent int) { debug.SetGCPercent(percent) }, usual)
}

// collectInTime lets the collector know how much memory there is, so that garbage is not what exceeds it.
func collectInTime() {
	if _, known := limits.Free(); known && os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(limits.Memory())
	}
}

// usualPatience is how long a command that a signal ends may take to say what it has done. Reading a model, for one, or the standard input, goes on.
// A command that has something to finish sets its own patience.
const usualPatience = 150 * time.Millisecond

var patience atomic.Int64 // a [time.Duration]

func init() { patience.Store(int64(usualPatience)) }

// endAtOnce lets a signal end a command that then has nothing to say, as nothing stays of what it has begun.
func endAtOnce() { patience.Store(0) }

// interruptible returns a context that ends with the first signal that asks the program to end. Signals that it was told to ignore, as by nohup, it ignores.
func interruptible() (context.Context, context.CancelFunc) {
	heard := slices.DeleteFunc(slices.Clone(endings), signal.Ignored)
	if len(heard) == 0 {
		return context.WithCancel(context.Background()) // none would stand for all of them
	}
	return signal.NotifyContext(context.Background(), heard...)
}

// await returns how a command ends. Once ctx has ended it waits no longer than patience.
func await(ctx context.Context, done <-chan error, patience func() time.Duration) error {
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	}
	wait := patience()
	if wait == 0 {
		return ctx.Err() // whatever else has come of it
	}
	select {
	case err := <-done:
		return err
	case <-time.After(wait):
		return ctx.Err()
	}
}

// conclude writes the error of a command line as one block and returns the exit code. Diagnostics are written with the lines they are about.
func conclude(w io.Writer, err error, args []string) int {
	clearProgress()
	if err == nil {
		return 0
	}
	if wantsJSON(args) {
		_ = printJSONError(w, err, args) // nobody can be told
	} else {
		printError(w, err)
	}
	return exitCode(err)
}

// printError writes an error as one block, unless it has no message.
func printError(w io.Writer, err error) {
	text := escape.Lines(errorText(err)) // names in it may come from a model
	var found syntax.Diagnostics
	if errors.As(err, &found) {
		text = strings.TrimRight(found.Render(), "\n")
		if fixed := (*samples.FixedError)(nil); errors.As(err, &fixed) {
			text = "--batch: " + escape.Text(fixed.Reason()) + ":\n" + text
		}
	}
	name := "concord: "
	if coloured(w) {
		text, name = inColours(text), rendered(red, name)
	}
	if text != "" {
		fmt.Fprintln(w, name+strings.ReplaceAll(text, "\n", "\n  "))
	}
}

// errorText is the message of an error, without the names of system calls.
func errorText(err error) string {
	text := strings.ReplaceAll(err.Error(), context.Canceled.Error(), "interrupted")
	var number *strconv.NumError
	if errors.As(err, &number) {
		text = strings.ReplaceAll(text, number.Error(), fmt.Sprintf("%q is no number that fits", number.Num))
	}
	var at *fs.PathError
	if !errors.As(err, &at) {
		return text
	}
	why := at.Err.Error()
	if errors.Is(at, fs.ErrNotExist) {
		why = "there is no such file or folder"
	}
	return strings.ReplaceAll(text, at.Error(), at.Path+": "+why)
}

// exitCode returns the code with which an error ends the program.
func exitCode(err error) int {
	var coded *codedError
	var limit *engine.LimitError
	var usage *feed.UsageError
	switch {
	case errors.As(err, &coded):
		return coded.code
	case errors.As(err, &usage):
		return exitUsage
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded),
		errors.As(err, &limit) && limit.What == "time":
		return exitCancel
	}
	return exitInput
}

// errNegative ends the program with exitFailure and no further message.
var errNegative = &codedError{exitFailure, errors.New("")}

func newRoot() *cobra.Command {
	var asked bool // for the version
	root := &cobra.Command{
		Use:   "concord",
		Short: "Run and examine neural networks, with the same bits on every processor",
		Long: `Concord runs neural networks and examines them. It reads NNEF and ONNX models, WebNN
sessions and CVM models and gives the same result bits on every processor, at every number of threads.

Exit codes: 0 done; 1 the result is negative (check finds errors, admit refuses a model, a
conformance case fails); 2 the command line is wrong; 3 a file is missing, broken or does not fit; 4 interrupted or
out of time.`,
		Example: `  concord run examples/digits/model.nnef examples/digits/drawings/seven.png
  concord inspect examples/digits/model.nnef
  concord check model.nnef
  concord ops conv`,
		Args:              noCommand,
		PersistentPreRunE: checkTier,
		RunE: func(c *cobra.Command, _ []string) error {
			if asked {
				_, err := fmt.Fprintln(c.OutOrStdout(), versionLine())
				return err
			}
			return c.Help()
		},
		SuggestionsMinimumDistance: 2,
		SilenceUsage:               true,
		SilenceErrors:              true,
	}
	root.AddCommand(newRun(), newBulk(), newBench(), newProfile(), newInspect(), newAdmit(), newOps(), newConform(), newDiff(), newConvert(), newCheck(), newFlatten(), newShapes(), newExplain(), newFmt(), newMigrate(), newExport(), newManifest(), newServe(), newVersion())
	root.Flags().BoolVarP(&asked, "version", "v", false, "version for concord")
	forPeople(root)
	addShared(root)
	fitHelp(root)
	return root
}
