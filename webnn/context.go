package webnn

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"sync"

	"github.com/concord-nn/concord/internal/escape"
)

// Context is MLContext (https://www.w3.org/TR/webnn/#api-mlcontext): it owns tensors and graphs and runs dispatches, in
// order, on a timeline of its own. It is made by [ML.CreateContext]. All methods may be called by any number of goroutines.
//
// A context is lost when it is destroyed, and when a dispatch fails while it runs: as the standard has no way to report
// that, no result of such a context can be read any more, and [Context.LostInfo] says which dispatch failed and why.
type Context struct {
	options ContextOptions // with defaults filled in
	lost    chan struct{}  // closed when the context is lost; nil in the zero Context, which counts as lost
	timeline
	builds timeline // which no dispatch waits for
	memory *Memory
	queued *holding // its part of what is on the way to timelines

	running context.Context // of dispatches; ends when the context is lost
	stop    context.CancelFunc

	mu    sync.Mutex // of what follows, of the state of tensors, graphs and readings, and of the order of the timeline
	info  *ContextLostInfo
	owned map[resource]struct{}
}

// ContextLostInfo is MLContextLostInfo.
type ContextLostInfo struct {
	Message string // says why the context was lost
}

// resource is what a context owns until it is destroyed, dropped, or the context is lost.
type resource interface {
	doom(c *Context) // makes what waits for the resource fail; the context is locked
	free(c *Context) // gives the memory back, on the timeline
}

// handle is how a program holds a tensor or a graph.
type handle struct {
	context   *Context
	owned     resource
	destroyed bool // locked by the context
}

// own makes a resource the context's. The context is locked.
func (c *Context) own(r resource) handle {
	c.owned[r] = struct{}{}
	return handle{context: c, owned: r}
}

func (h *handle) destroy() {
	c := h.context
	if c == nil {
		return // nobody has made it
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if h.isDestroyed() {
		return
	}
	h.destroyed = true
	h.owned.doom(c)
	c.release(h.owned)
}

// isDestroyed needs the context locked.
func (h *handle) isDestroyed() bool { return h.destroyed || h.context.isLost() }

func newContext(method string, o ContextOptions) (*Context, error) {
	c := &Context{options: o, lost: make(chan struct{}), owned: make(map[resource]struct{}), memory: o.Memory}
	if c.memory == nil {
		c.memory = NewMemory(o.MaxMemory)
	} else if err := c.share(method); err != nil {
		return nil, err
	}
	c.queued = c.memory.queue()
	c.running, c.stop = context.WithCancel(context.Background())
	if runtime.GOARCH == "wasm" {
		c.running = yielding{c.running}
	}
	c.failed = func(cause any) { c.lose(escape.Text(fmt.Sprintf("internal error: %v", cause))) }
	c.builds.failed = c.failed
	return c, nil
}

// share counts the context itself in a Memory that others may use, too.
func (c *Context) share(method string) error {
	h := c.memory.holding()
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.reserve(UnknownError, method, h, contextBytes); err != nil {
		return err
	}
	c.owned[lone{h}] = struct{}{}
	runtime.AddCleanup(c, (*holding).release, h)
	return nil
}

// yielding lets other goroutines run whenever the engine asks whether to go on. Where goroutines share one thread and are not
// preempted, nobody could stop a dispatch otherwise.
type yielding struct{ context.Context }

// Err yields first.
func (y yielding) Err() error {
	runtime.Gosched()
	return y.Context.Err()
}

// Accelerated is MLContext.accelerated: the hint that the context was created with.
func (c *Context) Accelerated() bool { return *cmp.Or(orZero(c).options.Accelerated, new(true)) }

// PowerPreference returns what the context was created with, [PowerDefault] if nothing was said.
func (c *Context) PowerPreference() PowerPreference { return orZero(c).options.PowerPreference }

// Lost is MLContext.lost: a channel that is closed when the context is lost; [Context.LostInfo] then says why.
func (c *Context) Lost() <-chan struct{} {
	if c = orZero(c); c.lost == nil {
		return closed
	}
	return c.lost
}

// closed is what a context that nobody made is lost by.
var closed = func() chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}()

// LostInfo returns why the context was lost, and false while it is not.
func (c *Context) LostInfo() (ContextLostInfo, bool) {
	c = orZero(c)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.info == nil {
		return ContextLostInfo{}, false
	}
	return *c.info, true
}

// Destroy is MLContext.destroy (https://www.w3.org/TR/webnn/#api-mlcontext-destroy): the context is lost, and its graphs and
// tensors are destroyed. A dispatch under way is stopped, queued ones do not run, and waiting reads and builds fail with an
// InvalidStateError. Destroying it again does nothing.
func (c *Context) Destroy() { orZero(c).lose("destroy was called") }

// isLost reports whether the context is lost. The zero Context counts as lost.
func (c *Context) isLost() bool {
	select {
	case <-c.lost:
		return true
	default:
		return c.lost == nil
	}
}

// lose makes the context lost, unless it is already.
func (c *Context) lose(message string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.isLost() {
		return
	}
	c.info = &ContextLostInfo{Message: message}
	close(c.lost)
	c.stop()
	c.abandon()
	c.builds.abandon()
	c.queued.release()
	for r := range c.owned {
		r.doom(c)
		c.release(r)
	}
}

// release frees a resource after all that is queued, once. The context is locked.
func (c *Context) release(r resource) {
	if _, owned := c.owned[r]; !owned {
		return
	}
	delete(c.owned, r)
	c.enqueue(func() { r.free(c) })
}

// discard forgets a holding that nothing on the timeline needs. The context is locked.
func (c *Context) discard(h *holding) {
	delete(c.owned, lone{h})
	h.release()
}

// drop is release for a resource that nobody can reach any more.
func (c *Context) drop(r resource) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.release(r)
}

// flush waits for what is queued, or until the context is lost. The context is locked before and after, not in between.
func (c *Context) flush() {
	done := make(chan struct{})
	c.enqueue(func() { close(done) })
	c.unlocked(func() {
		select {
		case <-done:
		case <-c.lost:
		}
	})
}

// checkState rejects calls on a lost context.
func (c *Context) checkState(method string) error {
	if !c.isLost() {
		return nil
	}
	why := "it was not made by ML.CreateContext"
	if c.info != nil {
		why = c.info.Message
	}
	return reject(InvalidStateError, method, "state", "the context is lost: %s", why)
}

// checkCreation makes the checks that creating a tensor begins with.
func (c *Context) checkCreation(method string, d OperandDescriptor) error {
	if err := c.checkState(method); err != nil {
		return err
	}
	if f := d.check(c.options.MaxTensorByteLength); f != nil {
		return f.reject(method, "descriptor")
	}
	return nil
}

// CreateTensor is MLContext.createTensor (https://www.w3.org/TR/webnn/#api-mlcontext-createtensor): it makes a tensor of
// zeros. It fails with a TypeError if no operand can have the type and shape, with an InvalidStateError if the context is
// lost, and with an UnknownError if [ContextOptions.MaxMemory] does not suffice; before that it waits for queued work that
// may release memory.
func (c *Context) CreateTensor(d TensorDescriptor) (*Tensor, error) {
	c = orZero(c)
	const method = "MLContext.createTensor"
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.checkCreation(method, d.OperandDescriptor); err != nil {
		return nil, err
	}
	return c.newTensor(method, d, false, nil)
}

// CreateConstantTensor is MLContext.createConstantTensor (https://www.w3.org/TR/webnn/#api-mlcontext-createconstanttensor): it
// makes a tensor for [GraphBuilder.ConstantTensor], with a copy of the data, which is []byte or a slice of the data type. Its
// errors are those of CreateTensor, and a TypeError if the data does not fit the descriptor.
func (c *Context) CreateConstantTensor(d OperandDescriptor, data any) (*Tensor, error) {
	c = orZero(c)
	const method = "MLContext.createConstantTensor"
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.checkCreation(method, d); err != nil {
		return nil, err
	}
	content, f := c.buffer(d, data)
	if f != nil {
		return nil, f.reject(method, "inputData")
	}
	return c.newTensor(method, TensorDescriptor{OperandDescriptor: d}, true, content)
}

// usable makes the checks that reading and writing a tensor begin with.
func (c *Context) usable(method string, t *Tensor) error {
	switch {
	case t == nil:
		return reject(TypeError, method, "tensor.kind", "the tensor is nil")
	case t.context != c:
		return reject(TypeError, method, "tensor.context", "the tensor belongs to another context")
	}
	if err := c.checkState(method); err != nil {
		return err
	}
	if t.isDestroyed() {
		return reject(InvalidStateError, method, "tensor.destroyed", "the tensor is destroyed")
	}
	return nil
}

// WriteTensor is MLContext.writeTensor (https://www.w3.org/TR/webnn/#api-mlcontext-writetensor): after what was enqueued
// before it, the tensor holds what data, which is []byte or a slice of the data type, held at the call. It fails with a
// TypeError if the tensor belongs to another context or is not writable, or if data does not fit it, and with an
// InvalidStateError if the tensor is destroyed or the context lost. It returns at once, unless writes of more bytes than [Memory]
// allows are waiting.
func (c *Context) WriteTensor(t *Tensor, data any) error {
	c = orZero(c)
	const method = "MLContext.writeTensor"
	c.mu.Lock()
	defer c.mu.Unlock()
	var view []byte
	check := func() (err error) {
		view, err = c.writable(method, t, data)
		return err
	}
	if err := check(); err != nil || c.options.CheckOnly {
		return err
	}
	size := int64(len(view)) + taskBytes
	if err := c.bring(method, size, check); err != nil {
		return err
	}
	var content []byte
	c.unlocked(func() { content = append(content, view...) })
	if err := c.usable(method, t); err != nil {
		c.queued.shrink(size)
		return err
	}
	store := t.store
	c.bringing(size, func() { copy(store.data.Bytes(), content) })
	return nil
}

// writable makes the checks of a write and returns the bytes.
func (c *Context) writable(method string, t *Tensor, data any) ([]byte, error) {
	if err := c.usable(method, t); err != nil {
		return nil, err
	}
	if !t.Writable() {
		return nil, reject(TypeError, method, "tensor.writable", "the tensor is not writable")
	}
	view, f := c.buffer(t.descriptor.OperandDescriptor, data)
	if f != nil {
		return nil, f.reject(method, "inputData")
	}
	return view, nil
}

// unlocked runs f, which takes its time, without the lock.
func (c *Context) unlocked(f func()) {
	c.mu.Unlock()
	defer c.mu.Lock()
	f()
}

// OpSupportLimits is MLContext.opSupportLimits.
func (c *Context) OpSupportLimits() *OpSupportLimits {
	c = orZero(c)
	return opSupportLimits(c.options.MaxTensorByteLength)
}
