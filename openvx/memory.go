package openvx

import "github.com/concord-nn/concord/tensor"

// memory is the storage of a tensor that is no view, or of a table. Delays exchange it between tensors.
type memory struct {
	data    []byte         // from the first element on; nil for a handle that is not there
	free    func()         // takes data back; nil if there is nothing to do
	version uint64         // another one after each write by the application, and never that of other memory
	maps    int            // patches of it that the application has mapped
	runs    int            // of graphs that use it
	dead    bool           // no object has it any more
	whole   *tensor.Tensor // what elements returned for all of it
}

// number returns a number that has not been returned before: for mapped patches, and for versions of contents.
func (c *Context) number() uint64 {
	c.serial++
	return c.serial
}

// newMemory returns n bytes of zeros.
func (c *Context) newMemory(n int) *memory {
	m := &memory{version: c.number()}
	if c.opts.Memory == nil {
		zeros, err := tensor.New(tensor.Uint8, tensor.Shape{n})
		because(err, ErrorNoMemory, "there is no memory for the object")
		m.data = zeros.Bytes()
		return m
	}
	data, free, err := c.opts.Memory(n)
	if err == nil && len(data) < n {
		err = failed(ErrorNoMemory, "%d bytes were given for %d", len(data), n)
		if free != nil {
			free()
		}
	}
	because(err, ErrorNoMemory, "there is no memory for the object")
	m.data, m.free = data[:n:n], free
	return m
}

// abandon says that no object has the memory any more: it is given back as soon as nobody uses it.
func (m *memory) abandon() {
	m.dead = true
	m.reclaim()
}

func (m *memory) reclaim() {
	if !m.dead || m.runs > 0 || m.maps > 0 {
		return
	}
	if m.free != nil {
		m.free()
	}
	m.data, m.free, m.whole = nil, nil, nil
}

// mappings are the patches of an object that the application has mapped, by number.
type mappings map[uint64]mapping

// mapping is memory that the application may access. A delay may have given it to another object since.
type mapping struct {
	memory *memory
	usage  Usage
}

// add returns the number of a patch of memory that is mapped from now on.
func (m *mappings) add(c *Context, of *memory, u Usage) uint64 {
	if *m == nil {
		*m = make(mappings)
	}
	id := c.number()
	(*m)[id] = mapping{of, u}
	of.maps++
	return id
}

// remove ends what add began.
func (m mappings) remove(c *Context, id uint64) {
	p, ok := m[id]
	if !ok {
		refuse(ErrorInvalidParameters, "there is no mapped patch %d of this object", id)
	}
	delete(m, id)
	if p.usage != ReadOnly {
		p.memory.version = c.number()
	}
	p.memory.maps--
	p.memory.reclaim()
}

// checkCopy refuses if nothing can be copied with the usage.
func (u Usage) checkCopy() {
	if u != ReadOnly && u != WriteOnly {
		refuse(ErrorInvalidParameters, "the usage %s: a copy is VX_READ_ONLY or VX_WRITE_ONLY", u)
	}
}

// checkMap refuses if nothing can be mapped with the usage.
func (u Usage) checkMap() {
	if u != ReadOnly && u != WriteOnly && u != ReadAndWrite {
		refuse(ErrorInvalidParameters, "the usage %s: it must be VX_READ_ONLY, VX_WRITE_ONLY or VX_READ_AND_WRITE", u)
	}
}

// pin keeps the memory where it is until unpin: a graph that uses it runs.
func (m *memory) pin() { m.runs++ }

func (m *memory) unpin() {
	m.runs--
	m.reclaim()
}

// checkIdle refuses if the memory is in use, so that nobody may put other memory in its place.
func (m *memory) checkIdle() {
	switch {
	case m == nil:
		return
	case m.maps > 0:
		refuse(Failure, "%d patches of the memory are mapped; they must be unmapped first", m.maps)
	case m.runs > 0:
		refuse(ErrorGraphScheduled, "a graph that uses the memory is running")
	}
}

// allocated returns the memory that t shows, or shows a part of, and makes it if it is not there.
func (t *Tensor) allocated() *memory {
	r := t.root
	switch {
	case r.strides == nil:
		refuse(ErrorNotAllocated, "the tensor's extents and type are not known before its graph is verified")
	case r.memory == nil:
		r.memory = t.ctx.newMemory(r.span())
	case r.memory.data == nil:
		refuse(ErrorNotAllocated, "the tensor has no memory; SwapHandle gives it some")
	}
	return r.memory
}

// span returns how many bytes there are from the first element to the end of the last.
func (t *Tensor) span() int {
	n := t.size()
	for i, extent := range t.dims {
		n += (extent - 1) * t.strides[i]
	}
	return n
}

// offset returns how many bytes the first element is behind root's.
func (t *Tensor) offset() int {
	n := 0
	for i, at := range t.start {
		n += at * t.root.strides[i]
	}
	return n
}

// elements returns the tensor as Concord sees it: extents and strides in reverse order, over the memory as it is now, which it makes if
// it is not there. It allocates nothing as long as the memory is the same. Bools are foreign: only CopyFrom reads them. The caller
// holds the lock.
func (t *Tensor) elements() *tensor.Tensor {
	m := t.allocated()
	// What shows all of the memory stays with it, as a delay gives it to another tensor of the same format.
	if t.root == t && m.whole != nil {
		return m.whole
	}
	if t.root != t && t.shown.of == m {
		return t.shown.as
	}
	x, err := t.patch(t.dims, m.data[t.offset():]).as(t.element())
	because(err, ErrorInvalidParameters, "the tensor's memory does not fit")
	if t.root == t {
		m.whole = x
	} else {
		t.shown.of, t.shown.as = m, x
	}
	return x
}

// version returns a number that is another one when the application has written to the memory or exchanged it, and 0 if there is none.
func (t *Tensor) version() uint64 {
	if t.root.memory == nil {
		return 0
	}
	return t.root.memory.version
}

// touched tells that elements may have changed, by others than the nodes of the graph that runs.
func (t *Tensor) touched() {
	if m := t.root.memory; m != nil {
		m.version = t.ctx.number()
	}
}

// hidden reports whether the application must not see the contents of a virtual object: it may only in a kernel of its own that a graph is
// running, if that is the object's.
func (o *object) hidden() bool { return o.scope != nil && o.scope.calling == 0 }

// checkVisible refuses, as ErrorOptimizedAway, what is hidden.
func (o *object) checkVisible() {
	if o.hidden() {
		refuse(ErrorOptimizedAway, "a virtual object can be accessed only by nodes of its graph")
	}
}

// checkVisible is that of the object for a tensor: a virtual one that only its own segment reads is not in memory.
func (t *Tensor) checkVisible() {
	t.object.checkVisible()
	if t.scope != nil && t.root.memory == nil {
		refuse(ErrorOptimizedAway, "the virtual tensor is not in memory, as only layers that were fused refer to it")
	}
}
