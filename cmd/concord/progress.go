package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"golang.org/x/term"
)

// progress shows on a terminal how far longer work has come, and nothing elsewhere.
type progress struct {
	w     io.Writer // nil if nothing is shown
	what  string
	start time.Time
	shown time.Time
}

// newProgress returns the progress of work that is counted in the given units.
func newProgress(w io.Writer, what string) *progress {
	p := &progress{what: what, start: time.Now()}
	if f, ok := w.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		p.w = w
	}
	return p
}

// update shows that n of all units are done. Work of less than half a second stays silent.
func (p *progress) update(n, of int) {
	now := time.Now()
	if p.w == nil || now.Sub(p.start) < 500*time.Millisecond || now.Sub(p.shown) < 100*time.Millisecond {
		return
	}
	p.shown = now
	fmt.Fprintf(p.w, "\r\x1b[K%d of %d %s", n, of, p.what)
}

// clear removes what update has shown.
func (p *progress) clear() {
	if p.w != nil && !p.shown.IsZero() {
		fmt.Fprint(p.w, "\r\x1b[K")
	}
}
