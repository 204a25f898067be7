package lend

import (
	"sync"
	"time"
)

// Tick is the time between two looks.
const Tick = time.Millisecond

// Clock looks after the goroutine that reads one connection. It ticks while there are requests; a timer for each of them would wake somebody, too. All
// methods are called under the lock of the connection.
type Clock struct {
	lock    sync.Locker
	relieve func()

	lent        bool // the goroutine that reads answers
	slow        bool // the last one took long
	ticks       bool // the clock does
	loans, seen int  // and those at its last tick
	timer       *time.Timer
}

// New returns the clock of a connection. Relieve begins to read in the place of a goroutine that is away too long; it is called under the lock.
func New(lock sync.Locker, relieve func()) *Clock { return &Clock{lock: lock, relieve: relieve} }

// Lend notes that the goroutine that reads answers a request. It reports false, and notes nothing, if the last one took long: then this one will, too.
func (c *Clock) Lend() bool {
	if c.slow {
		return false
	}
	c.lent = true
	c.loans++
	if !c.ticks {
		c.ticks = true
		if c.timer == nil {
			c.timer = time.AfterFunc(Tick, c.tick)
		} else {
			c.timer.Reset(Tick)
		}
	}
	return true
}

// Back reports whether that goroutine still has to read.
func (c *Clock) Back() bool {
	still := c.lent
	c.lent = false
	return still
}

// Took notes how long an answer took.
func (c *Clock) Took(d time.Duration) { c.slow = c.slow && d >= Tick }

// Relieve lets another goroutine read if the one that does is away.
func (c *Clock) Relieve() {
	if c.lent {
		c.lent = false
		c.relieve()
	}
}

// tick relieves a goroutine that was away at the last one.
func (c *Clock) tick() {
	c.lock.Lock()
	defer c.lock.Unlock()
	same := c.seen == c.loans
	c.seen = c.loans
	if same && c.lent {
		c.slow = true
		c.Relieve()
	}
	if c.ticks = !same; c.ticks {
		c.timer.Reset(Tick)
	}
}
