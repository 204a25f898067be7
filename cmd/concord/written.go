package main

import (
	"io"

	"github.com/concord-nn/concord/internal/escape"
)

// writeJSON writes all JSON that the program prints, with < and > as they are, and nothing in it that a terminal obeys.
func writeJSON(w io.Writer, v any) error { return escape.WriteJSON(w, v) }

// printed writes reports and messages: names in them are foreign, and nothing in them is obeyed by a terminal.
func printed(w io.Writer) io.Writer { return escape.Writer(w) }

// document writes what files hold. Into a file or a pipe it goes as it is, to a terminal as [printed] writes it.
func document(w io.Writer) io.Writer {
	if isTerminal(w) {
		return printed(w)
	}
	return w
}
