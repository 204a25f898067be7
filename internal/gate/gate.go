// Package gate ends what can be closed when those have left who are at work in it.
package gate

import "sync"

// Gate counts who is inside. Any number of goroutines may use it. The zero Gate is open.
type Gate struct {
	mu     sync.Mutex
	inside int
	closed bool
	end    func() error
}

// Enter lets somebody in, who must leave, and reports whether it is open.
func (g *Gate) Enter() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.closed {
		g.inside++
	}
	return !g.closed
}

// Leave is for each who was let in.
func (g *Gate) Leave() {
	g.mu.Lock()
	g.inside--
	end := g.last()
	g.mu.Unlock()
	if end != nil {
		_ = end() // whom it could be told, Close has told already that it is closed
	}
}

// Close lets nobody in any more. The first call has end called, at once if nobody is inside, and else by the last one who leaves, so that somebody
// inside may close it, too.
func (g *Gate) Close(end func() error) error {
	g.mu.Lock()
	if !g.closed {
		g.closed, g.end = true, end
	}
	end = g.last()
	g.mu.Unlock()
	if end == nil {
		return nil
	}
	return end()
}

// last returns what is to be called now that nobody is inside; nil if it is not the time, or was.
func (g *Gate) last() (end func() error) {
	if g.inside == 0 {
		end, g.end = g.end, nil
	}
	return end
}
