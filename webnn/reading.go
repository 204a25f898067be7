package webnn

import (
	"context"
	"runtime"

	"github.com/concord-nn/concord/tensor"
)

// Reading is a read that was enqueued by [Context.EnqueueRead]. It may be asked by any number of goroutines.
//
// As a promise is settled between the turns of a page's script, a reading is settled no sooner than somebody asks for it: if
// the tensor or the context is destroyed before that, it fails, no matter how far the timeline has come.
type Reading struct {
	context *Context
	store   *store
	done    chan struct{}
	held    *holding // while the bytes are not the caller's

	// Locked by the context.
	asked, copied, settled bool
	bytes                  []byte
	err                    error
}

// EnqueueRead is MLContext.readTensor(tensor) (https://www.w3.org/TR/webnn/#api-mlcontext-readtensor) without waiting. The
// reading gets the content that the tensor has after what was enqueued before. It fails with a TypeError if the tensor
// belongs to another context, is destroyed or is not readable, with an InvalidStateError if the context is lost, and with an
// UnknownError if the readings that nobody has asked for take more bytes than [Memory] allows.
func (c *Context) EnqueueRead(t *Tensor) (*Reading, error) {
	return orZero(c).enqueueRead(t, func() error { return nil })
}

// readMethod is that of all reads.
const readMethod = "MLContext.readTensor"

func (c *Context) readable(t *Tensor) error {
	if err := c.usable(readMethod, t); err != nil {
		return err
	}
	if !t.Readable() {
		return reject(TypeError, readMethod, "tensor.readable", "the tensor is not readable")
	}
	return nil
}

// enqueueRead is EnqueueRead with a check that is made of a tensor that can be read.
func (c *Context) enqueueRead(t *Tensor, check func() error) (*Reading, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.readable(t); err != nil {
		return nil, err
	}
	if err := check(); err != nil {
		return nil, err
	}
	if c.options.CheckOnly {
		return &Reading{context: c, store: t.store, done: closed, asked: true, settled: true}, nil
	}
	held := c.memory.reading()
	if err := c.reserve(UnknownError, readMethod, held, t.descriptor.byteLength()+taskBytes); err != nil {
		return nil, err
	}
	if err := c.readable(t); err != nil { // things may have changed while memory was looked for
		held.release()
		return nil, err
	}
	r := &Reading{context: c, store: t.store, done: make(chan struct{}), held: held}
	runtime.AddCleanup(r, (*holding).release, held)
	r.store.pending[r] = struct{}{}
	c.enqueue(func() {
		c.mu.Lock()
		settled := r.settled
		c.mu.Unlock()
		if !settled {
			r.take()
		}
		runtime.KeepAlive(t) // until here the reading must not fail because nobody else can reach the tensor
	})
	return r, nil
}

// take copies the content, on the timeline.
func (r *Reading) take() {
	bytes := tensor.AppendRaw([]byte{}, r.store.data)
	r.context.mu.Lock()
	defer r.context.mu.Unlock()
	r.bytes, r.copied = bytes, true
	delete(r.store.pending, r)
	r.settle()
}

// settle ends the reading if the time has come. The context is locked.
func (r *Reading) settle() {
	switch {
	case r.settled:
		return
	case r.context.info != nil:
		r.err = r.context.checkState(readMethod)
	case r.store.doomed:
		r.err = reject(InvalidStateError, readMethod, "destroyed", "the tensor was destroyed before it was read")
	case !r.copied || !r.asked:
		return
	}
	if r.err != nil {
		r.bytes = nil
	}
	r.settled = true
	r.held.release()
	delete(r.store.pending, r)
	close(r.done)
}

// Done returns a channel that is closed when the reading has ended, well or not.
func (r *Reading) Done() <-chan struct{} {
	r = orZero(r)
	if r.context == nil { // the zero Reading
		return nil
	}
	r.context.mu.Lock()
	defer r.context.mu.Unlock()
	r.asked = true
	r.settle()
	return r.done
}

// Wait waits for the bytes, little-endian on any machine; every call returns the same slice. It fails with an
// InvalidStateError if the tensor or the context was destroyed, and with ctx.Err() if ctx ends before; the reading goes on
// then.
func (r *Reading) Wait(ctx context.Context) ([]byte, error) {
	r = orZero(r)
	if ctx == nil {
		return nil, reject(TypeError, readMethod, "ctx", "the context.Context is nil")
	}
	if r.context == nil {
		return nil, reject(InvalidStateError, readMethod, "state", "the reading was not made by EnqueueRead")
	}
	done := r.Done()
	select {
	case <-done:
		return r.bytes, r.err
	default:
	}
	select {
	case <-done:
		return r.bytes, r.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// ReadTensor is MLContext.readTensor(tensor) (https://www.w3.org/TR/webnn/#api-mlcontext-readtensor): it waits for what was
// enqueued before and returns the content, little-endian on any machine. Errors are those of [Context.EnqueueRead] and
// [Reading.Wait].
func (c *Context) ReadTensor(ctx context.Context, t *Tensor) ([]byte, error) {
	c = orZero(c)
	r, err := c.EnqueueRead(t)
	if err != nil {
		return nil, err
	}
	return r.Wait(ctx)
}

// ReadTensorInto is MLContext.readTensor(tensor, outputData) (https://www.w3.org/TR/webnn/#api-mlcontext-readtensor-byob): as
// [Context.ReadTensor], but the content is copied to the beginning of data, which is []byte or a slice of the data type. Data
// that is too short or of another type is a TypeError. Data is only touched before the call returns, and not if it fails.
func (c *Context) ReadTensorInto(ctx context.Context, t *Tensor, data any) error {
	var view []byte
	r, err := orZero(c).enqueueRead(t, func() error {
		var f *fault
		if view, f = bytesOf(data, t.DataType()); f != nil {
			return f.reject(readMethod, "outputData")
		}
		if size := t.descriptor.byteLength(); int64(len(view)) < size {
			return reject(TypeError, readMethod, "outputData.byteLength", "the buffer has %d bytes; the tensor has %d", len(view), size)
		}
		return nil
	})
	if err != nil {
		return err
	}
	bytes, err := r.Wait(ctx)
	if _, raw := data.([]byte); !raw {
		bytes = tensor.Native(t.DataType(), bytes)
	}
	copy(view, bytes)
	return err
}
