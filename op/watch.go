package op

import "github.com/concord-nn/concord/internal/limits"

// watchWork is how many operations of a kernel may pass between two looks at Call.Stop: less than a millisecond.
const watchWork = limits.OpWatch

// watch lets a kernel whose pieces may take long look now and then whether the results are still wanted.
type watch struct {
	stop func() bool
	work int
	over bool
}

func (c *Call) watch() watch { return watch{stop: c.Stop} }

// stops counts operations and reports whether the kernel should return.
func (w *watch) stops(operations int) bool {
	if w.work += operations; w.work < watchWork {
		return w.over
	}
	return w.ask()
}

// ask is not inlined, so that stops is.
//
//go:noinline
func (w *watch) ask() bool {
	w.work = 0
	w.over = w.over || w.stop != nil && w.stop()
	return w.over
}

// copy copies bytes and reports whether the kernel should return.
func (w *watch) copy(to, from []byte) bool {
	for len(to) > watchWork {
		if w.stops(copy(to[:watchWork], from)) {
			return true
		}
		to, from = to[watchWork:], from[watchWork:]
	}
	return w.stops(copy(to, from))
}
