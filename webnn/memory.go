package webnn

import (
	"runtime"
	"sync"
	"time"
)

// Memory bounds the bytes that contexts hold: their tensors, the constants and operators of their builders, and their graphs
// with what running these takes. As many bytes again may be on the way in writes and dispatches that wait for their turn, and as
// many in readings that nobody has collected. Several contexts may share a Memory, by [ContextOptions.Memory].
type Memory struct {
	most int64

	mu       sync.Mutex
	held     int64 // by holdings
	incoming int64 // by writes and dispatches that are queued
	outgoing int64 // by readings that are not settled
}

// NewMemory returns a Memory of that many bytes; 0 or less stands for the default of [ContextOptions.MaxMemory].
func NewMemory(bytes int64) *Memory {
	if bytes <= 0 {
		bytes = defaultMaxMemory
	}
	return &Memory{most: bytes}
}

// What small things are counted as, which is about what they take.
const (
	taskBytes    = 256      // a task in the queue
	operandBytes = 1 << 10  // an operand, or a node of the graph
	linkBytes    = 16       // an operand of a node
	contextBytes = 64 << 10 // a context that shares its Memory with others
)

// fits says whether a sum may grow. What is on the way may always be one thing.
func (m *Memory) fits(sum *int64, bytes int64) bool {
	return bytes <= m.most-*sum || sum != &m.held && *sum == 0
}

// holding is a part of one of the sums. Its owner may pass it on.
type holding struct {
	memory *Memory
	sum    *int64

	// Locked by the memory.
	bytes    int64
	released bool
	parts    []*holding // of tensors that it keeps
	keepers  int        // holdings of which it is a part
}

func (m *Memory) holding() *holding { return &holding{memory: m, sum: &m.held} }
func (m *Memory) reading() *holding { return &holding{memory: m, sum: &m.outgoing} }
func (m *Memory) queue() *holding   { return &holding{memory: m, sum: &m.incoming} }

// grow counts more bytes, unless there are too few. What has been released counts nothing any more.
func (h *holding) grow(bytes int64) bool {
	h.memory.mu.Lock()
	defer h.memory.mu.Unlock()
	switch {
	case h.released:
		return true
	case !h.memory.fits(h.sum, bytes):
		return false
	}
	h.bytes += bytes
	*h.sum += bytes
	return true
}

// shrink gives bytes back.
func (h *holding) shrink(bytes int64) {
	h.memory.mu.Lock()
	defer h.memory.mu.Unlock()
	if !h.released {
		h.bytes -= bytes
		*h.sum -= bytes
	}
}

// free is by how much it may grow.
func (h *holding) free() int64 {
	h.memory.mu.Lock()
	defer h.memory.mu.Unlock()
	return max(0, h.memory.most-*h.sum)
}

// release gives all bytes back, once, but for those that others keep.
func (h *holding) release() {
	h.memory.mu.Lock()
	defer h.memory.mu.Unlock()
	if h.released {
		return
	}
	h.released = true
	h.settle()
	for _, p := range h.parts {
		p.keepers--
		p.settle()
	}
	h.parts = nil
}

func (h *holding) isEmpty() bool {
	h.memory.mu.Lock()
	defer h.memory.mu.Unlock()
	return h.bytes == 0
}

// settle gives the bytes back if nobody has use for them. The memory is locked.
func (h *holding) settle() {
	if h.released && h.keepers == 0 {
		*h.sum -= h.bytes
		h.bytes = 0
	}
}

// keep makes the bytes of a part count for as long as h is not released, too.
func (h *holding) keep(part *holding) {
	h.memory.mu.Lock()
	defer h.memory.mu.Unlock()
	if !h.released {
		part.keepers++
		h.parts = append(h.parts, part)
	}
}

// lone is a holding that belongs to no other resource: that of a builder, or of a context itself.
type lone struct{ *holding }

func (lone) doom(*Context)   {}
func (l lone) free(*Context) { l.release() }

// reserve makes a holding grow. Where memory is short it waits for queued releases, and then looks for what nobody can reach any
// more. The context is locked before and after, not in between.
func (c *Context) reserve(name ErrorName, method string, h *holding, bytes int64) error {
	if h.grow(bytes) {
		return nil
	}
	for round := range 1 + collections {
		if bytes > c.memory.most || round > 0 && c.options.CheckOnly {
			break // whatever is released; and who has objects elsewhere destroys them when they cannot be reached any more
		}
		if round > 0 {
			c.collect()
		}
		c.flush()
		if err := c.checkState(method); err != nil {
			return err
		}
		if h.grow(bytes) {
			return nil
		}
	}
	return reject(name, method, "memory", "%d bytes are needed; %d of %d are free", bytes, h.free(), c.memory.most)
}

// collections is how often reserve looks: cleanups of one collection run side by side, so that the one that collect waits for may
// come before others, and a word left on a stack may hide what is unreachable until the next time.
const collections = 3

// collect waits until what is unreachable has been dropped. The context is locked before and after, not in between.
func (c *Context) collect() {
	done := make(chan struct{})
	mark := &[]chan struct{}{done}
	runtime.AddCleanup(mark, func(done chan struct{}) { close(done) }, done)
	runtime.KeepAlive(mark)
	c.unlocked(func() {
		runtime.GC()
		select {
		case <-done:
		case <-c.lost:
		case <-time.After(collectTime): // a cleanup may be held up by another context's lock
		}
	})
}

// collectTime is how long collect waits for cleanups at most; they take far less.
const collectTime = time.Second

// bring counts what is on its way to the timeline, when there is room for it, if check says that it may go there, also after waiting for
// that. The context is locked before and after, not in between.
func (c *Context) bring(method string, bytes int64, check func() error) error {
	err := check()
	for err == nil && !c.queued.grow(bytes) {
		if c.queued.isEmpty() { // so that the room is that of other contexts
			return reject(UnknownError, method, "memory", "what other contexts have in their queues takes all memory; wait for it")
		}
		c.flush()
		err = check()
	}
	return err
}

// bringing enqueues a task that bring has counted, and that count for nothing when it has ended.
func (c *Context) bringing(bytes int64, task func()) {
	c.enqueue(func() {
		task()
		c.queued.shrink(bytes)
	})
}
