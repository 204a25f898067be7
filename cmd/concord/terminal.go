package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"
	"golang.org/x/term"
)

// What all commands share about how they show things. One process runs one command.
var (
	quiet     bool
	colourful = "auto"
)

// colourings are what --color takes.
var colourings = []string{"auto", "always", "never"}

// addShared gives all commands the flags that say how things are shown.
func addShared(root *cobra.Command) {
	quiet, colourful = false, "auto"
	flags := root.PersistentFlags()
	flags.BoolVarP(&quiet, "quiet", "q", false, "print results and errors only: no progress, no notes, no names of written files")
	flags.StringVar(&colourful, "color", "auto", "use colours for text: auto (on a terminal, without NO_COLOR), always or never")
	flags.Bool("json", false, "print errors as JSON") // those of commands that print more as JSON count more
	before := root.PersistentPreRunE
	root.PersistentPreRunE = func(c *cobra.Command, args []string) error {
		if !slices.Contains(colourings, colourful) {
			return refused("--color: %q is not allowed; it must be one of %s (the channels of a picture are --colour)",
				colourful, strings.Join(colourings, ", "))
		}
		if err := effective(c, args); err != nil {
			return err
		}
		if quiet {
			c.SetErr(io.Discard) // errors are written by the caller
		}
		return before(c, args)
	}
}

// held is text that is not shown yet, and laid out for where it will be.
type held struct {
	bytes.Buffer
	to io.Writer
}

// Unwrap returns where the text will be shown.
func (h *held) Unwrap() io.Writer { return h.to }

// isTerminal reports whether somebody reads along.
func isTerminal(w io.Writer) bool {
	f := fileOf(w)
	return f != nil && term.IsTerminal(int(f.Fd()))
}

// fileOf returns the file that a writer writes to; nil if it is none.
func fileOf(w io.Writer) *os.File {
	for {
		inner, ok := w.(interface{ Unwrap() io.Writer })
		if !ok {
			break
		}
		w = inner.Unwrap()
	}
	f, _ := w.(*os.File)
	return f
}

// coloured reports whether text is written in colours.
func coloured(w io.Writer) bool {
	switch colourful {
	case "always":
		return true
	case "never":
		return false
	}
	return isTerminal(w) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
}

// terminalWidth returns how many columns a terminal has; 0 for what is none, or does not say.
func terminalWidth(w io.Writer) int {
	if !isTerminal(w) {
		return 0
	}
	width, _, err := term.GetSize(int(fileOf(w).Fd()))
	if err != nil {
		return 0
	}
	return cmp.Or(width, 80) // of a terminal without a size, such as one of a script
}

// note writes a line about what was done, unless nobody wants to know.
func note(w io.Writer, format string, args ...any) error {
	if quiet {
		return nil
	}
	_, err := fmt.Fprintf(w, format, args...)
	return err
}

// awaited is standard input until a signal ends the command: it ends the other programs of a pipe, too, and what came of them by then is not all.
type awaited struct {
	*os.File
	ctx context.Context
}

// Read reads what comes; its end is an error if there was a signal.
func (a awaited) Read(p []byte) (int, error) {
	n, err := a.File.Read(p)
	if err != nil {
		err = cmp.Or(a.ctx.Err(), err)
	}
	return n, err
}

// watched is standard output, of which the first error counts even where nobody looks, as in package cobra's help.
type watched struct {
	io.Writer
	lock sync.Mutex
	err  error
}

// Write hands on what is written.
func (w *watched) Write(p []byte) (int, error) {
	n, err := w.Writer.Write(p)
	w.lock.Lock()
	defer w.lock.Unlock()
	w.err = cmp.Or(w.err, err)
	return n, err
}

// Unwrap returns where it is written to.
func (w *watched) Unwrap() io.Writer { return w.Writer }

// instead returns the error of a command that ended with err: that of its output, unless it has one to tell.
func (w *watched) instead(err error) error {
	w.lock.Lock()
	defer w.lock.Unlock()
	if err == nil || errors.Is(err, errNegative) {
		return cmp.Or(w.err, err)
	}
	return err
}
