package h2

import "time"

// A request that has come whole, on a connection on which nothing else runs, is answered by the goroutine that has read it, before it reads on: to wake
// another one takes longer than a small call. What the client sends meanwhile is late, so that goroutine must not be away for long: a clock looks
// after it, and lets another one read when it does not come back. The clock ticks while there are such requests; a timer for each of them
// would wake somebody, too.

// tick is the time between two looks.
const tick = time.Millisecond

// lend reports whether the goroutine that reads may run a handler first.
func (c *conn) lend(st *stream) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.running > 1 || !st.ended || c.slow {
		return false
	}
	c.lent = true
	c.loans++
	if !c.ticks {
		c.ticks = true
		c.clock.Reset(tick)
	}
	return true
}

// back reports whether that goroutine still has to read.
func (c *conn) back() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	still := c.lent
	c.lent = false
	return still
}

// relieve lets another goroutine read.
func (c *conn) relieve() {
	if c.lent {
		c.lent = false
		go c.read()
	}
}

// tick relieves a goroutine that was away at the last one.
func (c *conn) tick() {
	c.mu.Lock()
	defer c.mu.Unlock()
	same := c.seen == c.loans
	c.seen = c.loans
	if same && c.lent {
		c.slow = true // the next one will be, too
		c.relieve()
	}
	if c.ticks = !same; c.ticks {
		c.clock.Reset(tick)
	}
}
