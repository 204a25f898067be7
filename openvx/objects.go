// Code generated from objects.txt by cmd/libopenvx/generate; DO NOT EDIT.

package openvx

import "slices"

// Context returns the context that the object belongs to.
func (c *Context) Context() *Context { return fact(c, func() *Context { return c.ctx }) }

// Type returns what kind of object it is (VX_REFERENCE_TYPE), such as TypeTensor.
func (c *Context) Type() Type { return fact(c, func() Type { return c.kind }) }

// Name returns what SetName gave, or "" (VX_REFERENCE_NAME).
func (c *Context) Name() string { return query(c, func() string { return c.name }) }

// SetName names the object in messages (vxSetReferenceName). A name of more than MaxReferenceName bytes is ErrorInvalidParameters.
func (c *Context) SetName(name string) error { return do(c, ".SetName", func() { c.setName(name) }) }

// Count returns the number of the application's references to the object (VX_REFERENCE_COUNT).
func (c *Context) Count() int { return query(c, func() int { return c.external }) }

// Virtual reports whether the object is one that only nodes of one graph can access.
func (c *Context) Virtual() bool { return query(c, func() bool { return c.scope != nil }) }

// Retain adds a reference of the application (vxRetainReference).
func (c *Context) Retain() error { return do(c, ".Retain", func() { c.external++ }) }

// Release takes a reference of the application back (vxReleaseReference). Without one the error is ErrorInvalidReference.
func (c *Context) Release() error { return do(c, ".Release", func() { c.release() }) }

// VendorID returns the number of the implementation's vendor (VX_CONTEXT_VENDOR_ID): that of those who have none.
func (c *Context) VendorID() uint16 { return fact(c, func() uint16 { return 0xFFF }) }

// Version returns the version of OpenVX that is implemented (VX_CONTEXT_VERSION): 0x0103 is 1.3.
func (c *Context) Version() uint16 { return fact(c, func() uint16 { return 1<<8 | 3 }) }

// Implementation returns the name of the implementation (VX_CONTEXT_IMPLEMENTATION).
func (c *Context) Implementation() string { return fact(c, func() string { return "concord" }) }

// Extensions returns the names of the extensions, separated by spaces (VX_CONTEXT_EXTENSIONS).
func (c *Context) Extensions() string {
	return fact(c, func() string { return "KHR_NN_8 KHR_NN_16 vx_khr_nn vx_khr_import_kernel" })
}

// References returns the number of objects that live in the context, itself and its kernels among them (VX_CONTEXT_REFERENCES).
func (c *Context) References() int { return query(c, func() int { return c.references }) }

// ImmediateBorder returns what SetImmediateBorder has set; the mode is BorderUndefined before (VX_CONTEXT_IMMEDIATE_BORDER).
func (c *Context) ImmediateBorder() BorderValue {
	return query(c, func() BorderValue { return c.border })
}

// SetImmediateBorder sets the border of immediate calls. An unknown mode is ErrorInvalidValue.
func (c *Context) SetImmediateBorder(b BorderValue) error {
	return do(c, ".SetImmediateBorder", func() { b.check(); c.border = b })
}

// ImmediateBorderPolicy returns what SetImmediateBorderPolicy has set; BorderPolicyDefaultToUndefined before
// (VX_CONTEXT_IMMEDIATE_BORDER_POLICY).
func (c *Context) ImmediateBorderPolicy() BorderPolicy {
	return query(c, func() BorderPolicy { return c.policy })
}

// SetImmediateBorderPolicy says what becomes of borders that an immediate call does not support. As none here looks beyond its input, each
// supports all: the policy changes nothing. An unknown one is ErrorInvalidValue.
func (c *Context) SetImmediateBorderPolicy(p BorderPolicy) error {
	return do(c, ".SetImmediateBorderPolicy", func() { p.check(); c.policy = p })
}

// Compatible says whether layers compute what the sample implementation computes; see [Options].
func (c *Context) Compatible() bool { return query(c, func() bool { return c.opts.Compatible }) }

// SetCompatible changes [Context.Compatible] for graphs that run from now on.
func (c *Context) SetCompatible(on bool) error {
	return do(c, ".SetCompatible", func() { c.opts.Compatible = on })
}

// Threads returns how many goroutines compute one node, 0 for as many as there are processors; see [Options].
func (c *Context) Threads() int { return query(c, func() int { return c.opts.Threads }) }

// Context returns the context that the object belongs to.
func (g *Graph) Context() *Context { return fact(g, func() *Context { return g.ctx }) }

// Type returns what kind of object it is (VX_REFERENCE_TYPE), such as TypeTensor.
func (g *Graph) Type() Type { return fact(g, func() Type { return g.kind }) }

// Name returns what SetName gave, or "" (VX_REFERENCE_NAME).
func (g *Graph) Name() string { return query(g, func() string { return g.name }) }

// SetName names the object in messages (vxSetReferenceName). A name of more than MaxReferenceName bytes is ErrorInvalidParameters.
func (g *Graph) SetName(name string) error { return do(g, ".SetName", func() { g.setName(name) }) }

// Count returns the number of the application's references to the object (VX_REFERENCE_COUNT).
func (g *Graph) Count() int { return query(g, func() int { return g.external }) }

// Virtual reports whether the object is one that only nodes of one graph can access.
func (g *Graph) Virtual() bool { return query(g, func() bool { return g.scope != nil }) }

// Retain adds a reference of the application (vxRetainReference).
func (g *Graph) Retain() error { return do(g, ".Retain", func() { g.external++ }) }

// Release takes a reference of the application back (vxReleaseReference). Without one the error is ErrorInvalidReference.
func (g *Graph) Release() error { return do(g, ".Release", func() { g.release() }) }

// IsVerified reports whether the graph can run as it is (vxIsGraphVerified).
func (g *Graph) IsVerified() bool { return query(g, func() bool { return g.course != nil }) }

// State says what became of the graph (VX_GRAPH_STATE).
func (g *Graph) State() GraphState { return query(g, func() GraphState { return g.state }) }

// Nodes returns the number of nodes (VX_GRAPH_NUMNODES).
func (g *Graph) Nodes() int { return query(g, func() int { return len(g.nodes) }) }

// NumParameters returns the number of the graph's own parameters (VX_GRAPH_NUMPARAMETERS).
func (g *Graph) NumParameters() int { return query(g, func() int { return len(g.params) }) }

// Performance returns the times of the graph's runs so far that were measured (VX_GRAPH_PERFORMANCE).
func (g *Graph) Performance() Performance { return query(g, func() Performance { return g.perf }) }

// Context returns the context that the object belongs to.
func (n *Node) Context() *Context { return fact(n, func() *Context { return n.ctx }) }

// Type returns what kind of object it is (VX_REFERENCE_TYPE), such as TypeTensor.
func (n *Node) Type() Type { return fact(n, func() Type { return n.kind }) }

// Name returns what SetName gave, or "" (VX_REFERENCE_NAME).
func (n *Node) Name() string { return query(n, func() string { return n.name }) }

// SetName names the object in messages (vxSetReferenceName). A name of more than MaxReferenceName bytes is ErrorInvalidParameters.
func (n *Node) SetName(name string) error { return do(n, ".SetName", func() { n.setName(name) }) }

// Count returns the number of the application's references to the object (VX_REFERENCE_COUNT).
func (n *Node) Count() int { return query(n, func() int { return n.external }) }

// Virtual reports whether the object is one that only nodes of one graph can access.
func (n *Node) Virtual() bool { return query(n, func() bool { return n.scope != nil }) }

// Retain adds a reference of the application (vxRetainReference).
func (n *Node) Retain() error { return do(n, ".Retain", func() { n.external++ }) }

// Release takes a reference of the application back (vxReleaseReference). Without one the error is ErrorInvalidReference.
func (n *Node) Release() error { return do(n, ".Release", func() { n.release() }) }

// LocalDataSize returns how many bytes of memory the kernel has for this node (VX_NODE_LOCAL_DATA_SIZE).
func (n *Node) LocalDataSize() int { return query(n, func() int { return n.local.size }) }

// LocalData returns that memory: a []byte, if this package gave it, else what SetLocalData has set (VX_NODE_LOCAL_DATA_PTR).
func (n *Node) LocalData() any { return query(n, func() any { return n.local.ptr }) }

// Kernel returns what the node executes. It adds no reference.
func (n *Node) Kernel() *Kernel { return fact(n, func() *Kernel { return n.kernel }) }

// Graph returns the graph that the node was made in. It adds no reference.
func (n *Node) Graph() *Graph { return fact(n, func() *Graph { return n.graph }) }

// Status returns the status of the node's last run (VX_NODE_STATUS), Success before the first.
func (n *Node) Status() Status { return query(n, func() Status { return n.status }) }

// NumParameters returns how many parameters the node has, whether they are set or not (VX_NODE_PARAMETERS).
func (n *Node) NumParameters() int { return query(n, func() int { return len(n.params) }) }

// IsReplicated says whether the node stands for several, by [Graph.ReplicateNode] (VX_NODE_IS_REPLICATED).
func (n *Node) IsReplicated() bool { return query(n, func() bool { return n.replicated != nil }) }

// Replicated returns which parameters of a replicated node differ between its replicas (VX_NODE_REPLICATE_FLAGS), or nil.
func (n *Node) Replicated() []bool {
	return query(n, func() []bool { return slices.Clone(n.replicated) })
}

// Border returns how the kernel is asked to treat what is outside of its input (VX_NODE_BORDER); BorderUndefined at first.
func (n *Node) Border() BorderValue { return query(n, func() BorderValue { return n.border }) }

// Callback returns what SetCallback has set, or nil (vxRetrieveNodeCallback).
func (n *Node) Callback() NodeCallback { return query(n, func() NodeCallback { return n.callback }) }

// Performance returns the times of the node's runs while DirectiveEnablePerformance was in force (VX_NODE_PERFORMANCE).
func (n *Node) Performance() Performance { return query(n, func() Performance { return n.perf }) }

// Context returns the context that the object belongs to.
func (k *Kernel) Context() *Context { return fact(k, func() *Context { return k.ctx }) }

// Type returns what kind of object it is (VX_REFERENCE_TYPE), such as TypeTensor.
func (k *Kernel) Type() Type { return fact(k, func() Type { return k.kind }) }

// Name returns what SetName gave, or "" (VX_REFERENCE_NAME).
func (k *Kernel) Name() string { return query(k, func() string { return k.name }) }

// SetName names the object in messages (vxSetReferenceName). A name of more than MaxReferenceName bytes is ErrorInvalidParameters.
func (k *Kernel) SetName(name string) error { return do(k, ".SetName", func() { k.setName(name) }) }

// Count returns the number of the application's references to the object (VX_REFERENCE_COUNT).
func (k *Kernel) Count() int { return query(k, func() int { return k.external }) }

// Virtual reports whether the object is one that only nodes of one graph can access.
func (k *Kernel) Virtual() bool { return query(k, func() bool { return k.scope != nil }) }

// Retain adds a reference of the application (vxRetainReference).
func (k *Kernel) Retain() error { return do(k, ".Retain", func() { k.external++ }) }

// Release takes a reference of the application back (vxReleaseReference). Without one the error is ErrorInvalidReference.
func (k *Kernel) Release() error { return do(k, ".Release", func() { k.release() }) }

// KernelName returns the name by which the kernel is looked up (VX_KERNEL_NAME). Name is that of the object, as of any other.
func (k *Kernel) KernelName() string { return query(k, func() string { return k.kernelName }) }

// ID returns the number by which the kernel is looked up (VX_KERNEL_ENUM); 0 for an imported one, which cannot be.
func (k *Kernel) ID() KernelID { return query(k, func() KernelID { return k.id }) }

// NumParameters returns how many parameters the kernel has (VX_KERNEL_PARAMETERS).
func (k *Kernel) NumParameters() int { return query(k, func() int { return len(k.params) }) }

// LocalDataSize returns how many bytes of memory each node of the kernel gets for itself (VX_KERNEL_LOCAL_DATA_SIZE).
func (k *Kernel) LocalDataSize() int { return query(k, func() int { return k.localSize }) }

// Context returns the context that the object belongs to.
func (p *Parameter) Context() *Context { return fact(p, func() *Context { return p.ctx }) }

// Type returns what kind of object it is (VX_REFERENCE_TYPE), such as TypeTensor.
func (p *Parameter) Type() Type { return fact(p, func() Type { return p.kind }) }

// Name returns what SetName gave, or "" (VX_REFERENCE_NAME).
func (p *Parameter) Name() string { return query(p, func() string { return p.name }) }

// SetName names the object in messages (vxSetReferenceName). A name of more than MaxReferenceName bytes is ErrorInvalidParameters.
func (p *Parameter) SetName(name string) error { return do(p, ".SetName", func() { p.setName(name) }) }

// Count returns the number of the application's references to the object (VX_REFERENCE_COUNT).
func (p *Parameter) Count() int { return query(p, func() int { return p.external }) }

// Virtual reports whether the object is one that only nodes of one graph can access.
func (p *Parameter) Virtual() bool { return query(p, func() bool { return p.scope != nil }) }

// Retain adds a reference of the application (vxRetainReference).
func (p *Parameter) Retain() error { return do(p, ".Retain", func() { p.external++ }) }

// Release takes a reference of the application back (vxReleaseReference). Without one the error is ErrorInvalidReference.
func (p *Parameter) Release() error { return do(p, ".Release", func() { p.release() }) }

// Index returns the place of the parameter, from 0 on (VX_PARAMETER_INDEX).
func (p *Parameter) Index() int { return fact(p, func() int { return p.index }) }

// Direction returns Input or Output (VX_PARAMETER_DIRECTION).
func (p *Parameter) Direction() Direction {
	return query(p, func() Direction { return p.kernel.params[p.index].dir })
}

// Kind returns what kind of object goes there (VX_PARAMETER_TYPE). In kernels of the application it may be TypeReference, for any data
// object, and the type of a scalar's value.
func (p *Parameter) Kind() Type {
	return query(p, func() Type { return p.kernel.params[p.index].kind })
}

// State returns whether the parameter must be set (VX_PARAMETER_STATE).
func (p *Parameter) State() ParameterState {
	return query(p, func() ParameterState { return p.kernel.params[p.index].state })
}

// Context returns the context that the object belongs to.
func (t *Tensor) Context() *Context { return fact(t, func() *Context { return t.ctx }) }

// Type returns what kind of object it is (VX_REFERENCE_TYPE), such as TypeTensor.
func (t *Tensor) Type() Type { return fact(t, func() Type { return t.kind }) }

// Name returns what SetName gave, or "" (VX_REFERENCE_NAME).
func (t *Tensor) Name() string { return query(t, func() string { return t.name }) }

// SetName names the object in messages (vxSetReferenceName). A name of more than MaxReferenceName bytes is ErrorInvalidParameters.
func (t *Tensor) SetName(name string) error { return do(t, ".SetName", func() { t.setName(name) }) }

// Count returns the number of the application's references to the object (VX_REFERENCE_COUNT).
func (t *Tensor) Count() int { return query(t, func() int { return t.external }) }

// Virtual reports whether the object is one that only nodes of one graph can access.
func (t *Tensor) Virtual() bool { return query(t, func() bool { return t.scope != nil }) }

// Retain adds a reference of the application (vxRetainReference).
func (t *Tensor) Retain() error { return do(t, ".Retain", func() { t.external++ }) }

// Release takes a reference of the application back (vxReleaseReference). Without one the error is ErrorInvalidReference.
func (t *Tensor) Release() error { return do(t, ".Release", func() { t.release() }) }

// String names the type of the elements and, unless it is 0, the fixed point position.
func (t *Tensor) String() string { return fact(t, func() string { return t.format.String() }) }

// Dims returns the extents, the fastest dimension first (VX_TENSOR_NUMBER_OF_DIMS, VX_TENSOR_DIMS). Those of a virtual tensor may be 0
// before the graph is verified.
func (t *Tensor) Dims() []int { return query(t, func() []int { return slices.Clone(t.dims) }) }

// DataType returns the type of the elements (VX_TENSOR_DATA_TYPE).
func (t *Tensor) DataType() Type { return query(t, func() Type { return t.dtype }) }

// FixedPointPosition returns how many bits of an integer element are fractional (VX_TENSOR_FIXED_POINT_POSITION).
func (t *Tensor) FixedPointPosition() int8 { return query(t, func() int8 { return t.fixed }) }

// Context returns the context that the object belongs to.
func (s *Scalar) Context() *Context { return fact(s, func() *Context { return s.ctx }) }

// Type returns what kind of object it is (VX_REFERENCE_TYPE), such as TypeTensor.
func (s *Scalar) Type() Type { return fact(s, func() Type { return s.kind }) }

// Name returns what SetName gave, or "" (VX_REFERENCE_NAME).
func (s *Scalar) Name() string { return query(s, func() string { return s.name }) }

// SetName names the object in messages (vxSetReferenceName). A name of more than MaxReferenceName bytes is ErrorInvalidParameters.
func (s *Scalar) SetName(name string) error { return do(s, ".SetName", func() { s.setName(name) }) }

// Count returns the number of the application's references to the object (VX_REFERENCE_COUNT).
func (s *Scalar) Count() int { return query(s, func() int { return s.external }) }

// Virtual reports whether the object is one that only nodes of one graph can access.
func (s *Scalar) Virtual() bool { return query(s, func() bool { return s.scope != nil }) }

// Retain adds a reference of the application (vxRetainReference).
func (s *Scalar) Retain() error { return do(s, ".Retain", func() { s.external++ }) }

// Release takes a reference of the application back (vxReleaseReference). Without one the error is ErrorInvalidReference.
func (s *Scalar) Release() error { return do(s, ".Release", func() { s.release() }) }

// Kind returns the type of the value (VX_SCALAR_TYPE).
func (s *Scalar) Kind() Type { return query(s, func() Type { return s.dtype }) }

// Size returns the bytes of the value in C.
func (s *Scalar) Size() int { return query(s, func() int { return len(s.data) }) }

// Context returns the context that the object belongs to.
func (l *LUT) Context() *Context { return fact(l, func() *Context { return l.ctx }) }

// Type returns what kind of object it is (VX_REFERENCE_TYPE), such as TypeTensor.
func (l *LUT) Type() Type { return fact(l, func() Type { return l.kind }) }

// Name returns what SetName gave, or "" (VX_REFERENCE_NAME).
func (l *LUT) Name() string { return query(l, func() string { return l.name }) }

// SetName names the object in messages (vxSetReferenceName). A name of more than MaxReferenceName bytes is ErrorInvalidParameters.
func (l *LUT) SetName(name string) error { return do(l, ".SetName", func() { l.setName(name) }) }

// Count returns the number of the application's references to the object (VX_REFERENCE_COUNT).
func (l *LUT) Count() int { return query(l, func() int { return l.external }) }

// Virtual reports whether the object is one that only nodes of one graph can access.
func (l *LUT) Virtual() bool { return query(l, func() bool { return l.scope != nil }) }

// Retain adds a reference of the application (vxRetainReference).
func (l *LUT) Retain() error { return do(l, ".Retain", func() { l.external++ }) }

// Release takes a reference of the application back (vxReleaseReference). Without one the error is ErrorInvalidReference.
func (l *LUT) Release() error { return do(l, ".Release", func() { l.release() }) }

// Kind returns the type of the elements (VX_LUT_TYPE).
func (l *LUT) Kind() Type { return query(l, func() Type { return l.table.dtype }) }

// NumElements returns the number of elements (VX_LUT_COUNT).
func (l *LUT) NumElements() int { return query(l, func() int { return l.table.extent(0) }) }

// Size returns the number of bytes (VX_LUT_SIZE).
func (l *LUT) Size() int { return query(l, func() int { return l.table.extent(0) * l.table.size() }) }

// Offset returns the index of the element for the value 0 (VX_LUT_OFFSET): half of them for TypeInt16, else 0.
func (l *LUT) Offset() int {
	return query(l, func() int { return tableOffset(l.table.dtype, l.table.extent(0)) })
}

// Context returns the context that the object belongs to.
func (i *Image) Context() *Context { return fact(i, func() *Context { return i.ctx }) }

// Type returns what kind of object it is (VX_REFERENCE_TYPE), such as TypeTensor.
func (i *Image) Type() Type { return fact(i, func() Type { return i.kind }) }

// Name returns what SetName gave, or "" (VX_REFERENCE_NAME).
func (i *Image) Name() string { return query(i, func() string { return i.name }) }

// SetName names the object in messages (vxSetReferenceName). A name of more than MaxReferenceName bytes is ErrorInvalidParameters.
func (i *Image) SetName(name string) error { return do(i, ".SetName", func() { i.setName(name) }) }

// Count returns the number of the application's references to the object (VX_REFERENCE_COUNT).
func (i *Image) Count() int { return query(i, func() int { return i.external }) }

// Virtual reports whether the object is one that only nodes of one graph can access.
func (i *Image) Virtual() bool { return query(i, func() bool { return i.scope != nil }) }

// Retain adds a reference of the application (vxRetainReference).
func (i *Image) Retain() error { return do(i, ".Retain", func() { i.external++ }) }

// Release takes a reference of the application back (vxReleaseReference). Without one the error is ErrorInvalidReference.
func (i *Image) Release() error { return do(i, ".Release", func() { i.release() }) }

// Width returns the number of pixels of a line (VX_IMAGE_WIDTH); 0 if it is for a node to decide.
func (i *Image) Width() int { return query(i, func() int { return i.pixels.dims[0] }) }

// Height returns the number of lines (VX_IMAGE_HEIGHT); 0 if it is for a node to decide.
func (i *Image) Height() int { return query(i, func() int { return i.pixels.dims[1] }) }

// Format returns the format of the pixels (VX_IMAGE_FORMAT).
func (i *Image) Format() ImageFormat { return query(i, func() ImageFormat { return i.imageFormat }) }

// Context returns the context that the object belongs to.
func (d *Delay) Context() *Context { return fact(d, func() *Context { return d.ctx }) }

// Type returns what kind of object it is (VX_REFERENCE_TYPE), such as TypeTensor.
func (d *Delay) Type() Type { return fact(d, func() Type { return d.kind }) }

// Name returns what SetName gave, or "" (VX_REFERENCE_NAME).
func (d *Delay) Name() string { return query(d, func() string { return d.name }) }

// SetName names the object in messages (vxSetReferenceName). A name of more than MaxReferenceName bytes is ErrorInvalidParameters.
func (d *Delay) SetName(name string) error { return do(d, ".SetName", func() { d.setName(name) }) }

// Count returns the number of the application's references to the object (VX_REFERENCE_COUNT).
func (d *Delay) Count() int { return query(d, func() int { return d.external }) }

// Virtual reports whether the object is one that only nodes of one graph can access.
func (d *Delay) Virtual() bool { return query(d, func() bool { return d.scope != nil }) }

// Retain adds a reference of the application (vxRetainReference).
func (d *Delay) Retain() error { return do(d, ".Retain", func() { d.external++ }) }

// Release takes a reference of the application back (vxReleaseReference). Without one the error is ErrorInvalidReference.
func (d *Delay) Release() error { return do(d, ".Release", func() { d.release() }) }

// Kind returns the kind of the objects (VX_DELAY_TYPE).
func (d *Delay) Kind() Type { return query(d, func() Type { return d.slots[0].base().kind }) }

// Slots returns how many objects there are (VX_DELAY_SLOTS).
func (d *Delay) Slots() int { return query(d, func() int { return len(d.slots) }) }

// Context returns the context that the object belongs to.
func (a *ObjectArray) Context() *Context { return fact(a, func() *Context { return a.ctx }) }

// Type returns what kind of object it is (VX_REFERENCE_TYPE), such as TypeTensor.
func (a *ObjectArray) Type() Type { return fact(a, func() Type { return a.kind }) }

// Name returns what SetName gave, or "" (VX_REFERENCE_NAME).
func (a *ObjectArray) Name() string { return query(a, func() string { return a.name }) }

// SetName names the object in messages (vxSetReferenceName). A name of more than MaxReferenceName bytes is ErrorInvalidParameters.
func (a *ObjectArray) SetName(name string) error {
	return do(a, ".SetName", func() { a.setName(name) })
}

// Count returns the number of the application's references to the object (VX_REFERENCE_COUNT).
func (a *ObjectArray) Count() int { return query(a, func() int { return a.external }) }

// Virtual reports whether the object is one that only nodes of one graph can access.
func (a *ObjectArray) Virtual() bool { return query(a, func() bool { return a.scope != nil }) }

// Retain adds a reference of the application (vxRetainReference).
func (a *ObjectArray) Retain() error { return do(a, ".Retain", func() { a.external++ }) }

// Release takes a reference of the application back (vxReleaseReference). Without one the error is ErrorInvalidReference.
func (a *ObjectArray) Release() error { return do(a, ".Release", func() { a.release() }) }

// ItemType returns the kind of the objects (VX_OBJECT_ARRAY_ITEMTYPE).
func (a *ObjectArray) ItemType() Type { return query(a, func() Type { return a.items[0].base().kind }) }

// NumItems returns how many objects there are (VX_OBJECT_ARRAY_NUMITEMS).
func (a *ObjectArray) NumItems() int { return query(a, func() int { return len(a.items) }) }

// Context returns the context that the object belongs to.
func (m *MetaFormat) Context() *Context { return fact(m, func() *Context { return m.ctx }) }

// Type returns what kind of object it is (VX_REFERENCE_TYPE), such as TypeTensor.
func (m *MetaFormat) Type() Type { return fact(m, func() Type { return m.kind }) }

// Name returns what SetName gave, or "" (VX_REFERENCE_NAME).
func (m *MetaFormat) Name() string { return query(m, func() string { return m.name }) }

// SetName names the object in messages (vxSetReferenceName). A name of more than MaxReferenceName bytes is ErrorInvalidParameters.
func (m *MetaFormat) SetName(name string) error { return do(m, ".SetName", func() { m.setName(name) }) }

// Count returns the number of the application's references to the object (VX_REFERENCE_COUNT).
func (m *MetaFormat) Count() int { return query(m, func() int { return m.external }) }

// Virtual reports whether the object is one that only nodes of one graph can access.
func (m *MetaFormat) Virtual() bool { return query(m, func() bool { return m.scope != nil }) }

// Retain adds a reference of the application (vxRetainReference).
func (m *MetaFormat) Retain() error { return do(m, ".Retain", func() { m.external++ }) }

// Release takes a reference of the application back (vxReleaseReference). Without one the error is ErrorInvalidReference.
func (m *MetaFormat) Release() error { return do(m, ".Release", func() { m.release() }) }

// String says what is described.
func (m *MetaFormat) String() string { return fact(m, func() string { return m.description.String() }) }

// Of returns the kind of object that is described: the parameter's, or TypeReference if any is allowed and nothing has been set.
func (m *MetaFormat) Of() Type { return query(m, func() Type { return m.of }) }
