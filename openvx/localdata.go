package openvx

import (
	"slices"

	"github.com/concord-nn/concord/internal/limits"
)

// localData is the memory that a node's kernel has for itself (VX_NODE_LOCAL_DATA_SIZE, VX_NODE_LOCAL_DATA_PTR).
type localData struct {
	size   int
	ptr    any     // of the application, or the bytes of memory
	memory *memory // if this package gave it
	open   bool    // Initialize or Deinit of the kernel is being called: it may change size and ptr
}

// provide gives size bytes of memory, unless there is some.
func (l *localData) provide(c *Context) {
	if l.size == 0 || l.ptr != nil {
		return
	}
	l.memory = c.newMemory(l.size)
	l.ptr = l.memory.data
}

// release takes back the memory that provide gave.
func (l *localData) release() {
	if l.memory != nil {
		l.memory.abandon()
		l.memory, l.ptr = nil, nil
	}
}

// checkLocalData refuses if a kernel cannot have so many bytes.
func checkLocalData(bytes int) {
	if bytes < 0 || bytes > limits.VXLocalData {
		refuse(ErrorInvalidParameters, "%d bytes of local data are asked for: 0 to %d are possible", bytes, limits.VXLocalData)
	}
}

// SetLocalDataSize asks for memory of the node. Only Initialize and Deinit of a kernel without LocalDataSize can do so, else the error is
// ErrorNotSupported. When Initialize returns the memory is there, unless SetLocalData has set something else.
func (n *Node) SetLocalDataSize(bytes int) error {
	return do(n, ".SetLocalDataSize", func() {
		n.checkWritable("the size of local data")
		checkLocalData(bytes)
		n.local.size = bytes
	})
}

// SetLocalData lets the kernel keep something of its own with the node. Only Initialize and Deinit of a kernel without LocalDataSize
// can do so, and not Deinit if there is memory that this package gave; else the error is ErrorNotSupported.
func (n *Node) SetLocalData(ptr any) error {
	return do(n, ".SetLocalData", func() {
		n.checkWritable("local data")
		if n.local.memory != nil {
			refuse(ErrorNotSupported, "the local data is memory that was asked for by its size")
		}
		n.local.ptr = ptr
	})
}

// checkWritable refuses unless the kernel may set its local data now.
func (n *Node) checkWritable(what string) {
	switch {
	case n.kernel.localSize > 0:
		refuse(ErrorNotSupported, "%s cannot be set: the kernel has asked for %d bytes", what, n.kernel.localSize)
	case !n.local.open:
		refuse(ErrorNotSupported, "%s can be set only in the kernel's functions that initialize and deinitialize", what)
	}
}

// prepare makes local data what it is before a kernel's Validate. The caller holds the lock.
func (n *Node) prepare() {
	if n.kernel.localSize == 0 {
		n.local.release()
		n.local = localData{}
		return
	}
	n.local.size = n.kernel.localSize
	n.local.provide(n.ctx)
}

// initialize calls the kernel's Initialize, after prepare and Validate, and gives the memory that it asks for. The caller holds the lock.
func (n *Node) initialize() {
	if initialize := n.kernel.user.Initialize; initialize != nil {
		params := n.arguments(0)
		n.local.open = true
		err := n.ask("initialize", func() error { return initialize(n, params) })
		n.local.open = false
		stop(err)
	}
	n.initialized = true
	n.ctx.initialized[n] = struct{}{}
	n.local.provide(n.ctx)
}

// deinitialize calls the kernel's Deinit if the node is initialized. The caller holds the lock.
func (n *Node) deinitialize() {
	if !n.initialized {
		return
	}
	n.initialized = false
	delete(n.ctx.initialized, n)
	deinit := n.kernel.user.Deinit
	if deinit == nil {
		return
	}
	params := slices.Clone(n.params)
	n.local.open = true
	if err := n.ask("deinitialize", func() error { return deinit(n, params) }); err != nil {
		_ = n.ctx.unlocked(func() error { return n.ctx.report(n, "the kernel's Deinit", err) }) // there is nobody to tell but the log
	}
	n.local.open = false
}
