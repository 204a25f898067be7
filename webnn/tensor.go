package webnn

import (
	"runtime"

	"github.com/concord-nn/concord/tensor"
)

// TensorDescriptor is MLTensorDescriptor (https://www.w3.org/TR/webnn/#api-mltensordescriptor).
type TensorDescriptor struct {
	OperandDescriptor
	Readable bool // whether its content can be read
	Writable bool // whether its content can be written
}

// Tensor is MLTensor (https://www.w3.org/TR/webnn/#api-mltensor): memory of a context that dispatches read and write. It is
// made by [Context.CreateTensor] or [Context.CreateConstantTensor]. Its methods may be called by any number of goroutines.
type Tensor struct {
	handle
	descriptor TensorDescriptor
	constant   bool
	store      *store
}

// store is the memory of a tensor. Work in the queue holds on to it, not to the tensor, so that a tensor that nobody can
// reach any more is found out and its memory given back.
type store struct {
	held    *holding
	data    *tensor.Tensor // only touched on the timeline; nil once it is released, and where a context only checks
	pending map[*Reading]struct{}
	doomed  bool // the tensor was destroyed
}

// newTensor makes a tensor that holds a copy of content, or zeros if it is nil. The context is locked before and after, not in
// between.
func (c *Context) newTensor(method string, d TensorDescriptor, constant bool, content []byte) (*Tensor, error) {
	d.Shape = append(tensor.Shape{}, d.Shape...)
	size := d.byteLength()
	held := c.memory.holding()
	if err := c.reserve(UnknownError, method, held, size); err != nil {
		return nil, err
	}
	var data *tensor.Tensor
	var err error
	c.unlocked(func() {
		if c.options.CheckOnly {
			return
		}
		if data, err = tensor.New(d.DataType, d.Shape); err == nil {
			copy(data.Bytes(), content)
		}
	})
	if err != nil {
		err = reject(UnknownError, method, "memory", "%w", err)
	} else {
		err = c.checkState(method)
	}
	if err != nil {
		held.release()
		return nil, err
	}
	s := &store{held: held, data: data, pending: make(map[*Reading]struct{})}
	t := &Tensor{handle: c.own(s), descriptor: d, constant: constant, store: s}
	runtime.AddCleanup(t, c.drop, resource(s))
	return t, nil
}

func (s *store) doom(*Context) {
	s.doomed = true
	for r := range s.pending {
		r.settle()
	}
}

func (s *store) free(*Context) {
	s.data = nil
	s.held.release()
}

// DataType is MLTensor.dataType.
func (t *Tensor) DataType() tensor.DType { return orZero(t).descriptor.DataType }

// Shape is MLTensor.shape. The caller owns it.
func (t *Tensor) Shape() tensor.Shape { return orZero(t).descriptor.Shape.Clone() }

// Readable is MLTensor.readable: whether [Context.ReadTensor] may read it.
func (t *Tensor) Readable() bool { return orZero(t).descriptor.Readable }

// Writable is MLTensor.writable: whether [Context.WriteTensor] may write it.
func (t *Tensor) Writable() bool { return orZero(t).descriptor.Writable }

// Constant is MLTensor.constant: whether it was made by [Context.CreateConstantTensor].
func (t *Tensor) Constant() bool { return orZero(t).constant }

// Destroy is MLTensor.destroy (https://www.w3.org/TR/webnn/#api-mltensor-destroy). Reads that wait fail with an
// InvalidStateError; queued dispatches and writes run; after them the memory is given back. A graph with the tensor as a
// constant keeps it. Destroying it again does nothing. A tensor that is no longer reachable is destroyed by itself.
func (t *Tensor) Destroy() { orZero(t).destroy() }
