package main

import (
	"fmt"
	"io"
	"math"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"github.com/concord-nn/concord/internal/escape"
)

// When progress is shown, and how often.
const (
	progressAfter = time.Second
	progressEvery = 150 * time.Millisecond
)

// progress shows on a terminal how far longer work has come, and nothing elsewhere: a bar on the last line, with the rate and the time that is left.
type progress struct {
	w      io.Writer // nil if nothing is shown
	width  int       // columns of the terminal
	what   string    // the units that are counted, or what is being done where none are
	start  time.Time
	ended  chan struct{}
	once   sync.Once
	n, of  atomic.Int64
	share  atomic.Uint64 // of the unit that is being done, the bits of a float64
	lock   sync.Mutex    // held by what writes to the terminal
	shown  bool
	colour bool
}

// current is what a terminal shows now, so that whatever else is written there can remove it.
var current atomic.Pointer[progress]

// newProgress returns the progress of work that is counted in the given units, or that is only known to go on. It must be cleared in the end.
func newProgress(w io.Writer, what string) *progress {
	p := &progress{what: what, start: time.Now(), ended: make(chan struct{})}
	if !isTerminal(w) {
		return p
	}
	p.w, p.width, p.colour = w, terminalWidth(w), coloured(w)
	current.Store(p)
	go p.watch()
	return p
}

// watch shows the progress now and then, until it is cleared.
func (p *progress) watch() {
	wait := time.NewTimer(progressAfter)
	defer wait.Stop()
	for {
		select {
		case <-p.ended:
			return
		case <-wait.C:
		}
		p.lock.Lock()
		p.draw(time.Now())
		p.lock.Unlock()
		wait.Reset(progressEvery)
	}
}

// update says that n of all units are done.
func (p *progress) update(n, of int) {
	p.share.Store(0)
	p.n.Store(int64(n))
	p.of.Store(int64(of))
}

// part says how much of the next unit is done, from 0 to 1.
func (p *progress) part(share float64) { p.share.Store(math.Float64bits(share)) }

// seen returns part, or nil if nothing is shown.
func (p *progress) seen() func(share float64) {
	if p.w == nil {
		return nil
	}
	return p.part
}

// over returns a writer to the same terminal, before which what is shown is removed.
func (p *progress) over(w io.Writer) io.Writer {
	if p.w == nil || !isTerminal(w) {
		return w
	}
	return &overProgress{p, w}
}

// overProgress writes where progress is shown.
type overProgress struct {
	*progress
	to io.Writer
}

// Unwrap returns what is written to.
func (o *overProgress) Unwrap() io.Writer { return o.to }

// Write implements [io.Writer].
func (o *overProgress) Write(data []byte) (int, error) {
	o.lock.Lock()
	defer o.lock.Unlock()
	o.erase()
	return o.to.Write(data)
}

// showProgress shows that a command is at work, and how far as it is said, until it is cleared; what the command writes goes above.
func showProgress(c *cobra.Command, what string) *progress {
	p := newProgress(c.ErrOrStderr(), what)
	c.SetOut(p.over(c.OutOrStdout()))
	c.SetErr(p.over(c.ErrOrStderr()))
	return p
}

// clear removes what is shown, for good.
func (p *progress) clear() {
	p.once.Do(func() { close(p.ended) })
	p.lock.Lock()
	defer p.lock.Unlock()
	p.erase()
	current.CompareAndSwap(p, nil)
}

// clearProgress removes what is shown by work that has not ended.
func clearProgress() {
	if p := current.Load(); p != nil {
		p.clear()
	}
}

func (p *progress) erase() {
	if p.shown {
		fmt.Fprint(p.w, "\r\x1b[K")
		p.shown = false
	}
}

func (p *progress) draw(now time.Time) {
	select {
	case <-p.ended:
		return
	default:
	}
	fmt.Fprint(p.w, "\r\x1b[K"+p.line(now.Sub(p.start)))
	p.shown = true
}

// line is what is shown after some time, one column less than the terminal has.
func (p *progress) line(took time.Duration) string {
	n, of := p.n.Load(), p.of.Load()
	share := math.Float64frombits(p.share.Load())
	if of <= 1 && n == 0 && share == 0 {
		return fitted(p.what+"  "+clock(took), p.width-1)
	}
	of = max(of, 1)
	done := min(float64(n)+min(share, 1), float64(of))
	all := done / float64(of)
	text := fmt.Sprintf(" %3.0f %%", math.Floor(100*all))
	if of > 1 {
		text += fmt.Sprintf("  %d of %d %s", n, of, p.what)
		if n > 0 {
			text += "  " + rate(float64(n)/took.Seconds())
		}
	} else {
		text += "  " + p.what
	}
	if all >= 0.01 {
		text += "  " + clock(time.Duration(float64(took)*(1-all)/all)) + " left"
	}
	room := p.width - 1 - len([]rune(text))
	if room < 8 {
		return fitted(strings.TrimSpace(text), p.width-1)
	}
	room = min(room, 40)
	full := int(math.Floor(float64(room) * all))
	bar := strings.Repeat("█", full)
	if p.colour && full > 0 {
		bar = "\x1b[32m" + bar + "\x1b[0m"
	}
	return bar + strings.Repeat("░", room-full) + text
}

// rate writes how many units are done in a second.
func rate(r float64) string {
	switch {
	case r >= 10:
		return fmt.Sprintf("%.0f/s", r)
	case r >= 1:
		return fmt.Sprintf("%.1f/s", r)
	}
	return fmt.Sprintf("%.1f s each", 1/r)
}

// clock writes a time as 1:02 or 1:02:03.
func clock(d time.Duration) string {
	s := int64(math.Round(d.Seconds()))
	if s >= 3600 {
		return fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60)
	}
	return fmt.Sprintf("%d:%02d", s/60, s%60)
}

// fitted cuts a text to a number of columns.
func fitted(text string, columns int) string {
	r := []rune(escape.Text(text))
	if columns < 1 || len(r) <= columns {
		return string(r)
	}
	return string(r[:columns-1]) + "…"
}
