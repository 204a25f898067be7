package op

import "github.com/concord-nn/concord/internal/limits"

// watchWork is how many operations of a kernel may pass between two looks at Call.Stop: less than a millisecond.
const watchWork = limits.OpWatch

// Watch lets a kernel whose pieces may take long look now and then whether the results are still wanted.
type Watch struct {
	stop func() bool
	work int
	over bool
}

// Watch returns a watch that asks Stop.
func (c *Call) Watch() Watch { return Watch{stop: c.Stop} }

// Stops counts operations and reports whether the kernel should return.
func (w *Watch) Stops(operations int) bool {
	if w.work += operations; w.work < watchWork {
		return w.over
	}
	return w.ask()
}

// ask is not inlined, so that Stops is.
//
//go:noinline
func (w *Watch) ask() bool {
	w.work = 0
	w.over = w.stop != nil && w.stop()
	return w.over
}

// Copy copies bytes and reports whether the kernel should return.
func (w *Watch) Copy(to, from []byte) bool {
	for len(to) > watchWork {
		if w.Stops(copy(to[:watchWork], from)) {
			return true
		}
		to, from = to[watchWork:], from[watchWork:]
	}
	return w.Stops(copy(to, from))
}
