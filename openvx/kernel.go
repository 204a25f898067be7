package openvx

import (
	"fmt"
)

// Kernel is what nodes execute (vx_kernel): a layer of this package, a function of the application, or an imported model.
type Kernel struct {
	object
	kernelName string
	id         KernelID
	params     []param
	layer      *layer      // of a built-in kernel
	user       *UserKernel // of an application's
	model      *model      // of an imported one
	finalized  bool
	removed    bool
	nodes      int // that use it
	localSize  int
}

// param declares a parameter of a kernel.
type param struct {
	name   string // of built-in and imported ones
	dir    Direction
	kind   Type // of the object; in an application's kernel also that of a scalar's value
	value  Type // of a scalar's value, in a built-in kernel
	state  ParameterState
	static bool        // the standard calls it [static]: it is best a constant of the compiled graph
	meta   *MetaFormat // of imported kernels
}

// title is how messages call parameter i.
func (p param) title(i int) string {
	if p.name == "" {
		return fmt.Sprintf("parameter %d", i)
	}
	return fmt.Sprintf("parameter %d (%s)", i, p.name)
}

// takes says whether o is what the parameter declares.
func (p param) takes(o *object) bool {
	s, ok := o.self.(*Scalar)
	switch {
	case p.kind == TypeReference:
		return dataTypes[o.kind]
	case !ok:
		return p.kind == o.kind
	case p.kind == TypeScalar:
		return p.value == TypeInvalid || p.value == s.dtype
	}
	return p.kind == s.dtype
}

// wants describes what takes accepts.
func (p param) wants() string {
	switch {
	case p.kind == TypeReference:
		return "a data object"
	case dataTypes[p.kind] && p.value == TypeInvalid:
		return "a " + p.kind.noun()
	case p.kind == TypeScalar:
		return "a scalar of " + p.value.String()
	}
	return "a scalar of " + p.kind.String()
}

// describe says in messages what o is.
func (o *object) describe() string {
	if s, ok := o.self.(*Scalar); ok {
		return "a scalar of " + s.dtype.String()
	}
	return "a " + o.kind.noun()
}

// UserKernel is what an application says of its kernel. Its functions are called without a lock, by the goroutine that verifies, runs
// or releases the graph, and may use the context.
type UserKernel struct {
	// Run computes the outputs (vx_kernel_f).
	Run func(n *Node, params []Reference) error
	// Validate checks the parameters when the graph is verified, and describes each output in the MetaFormat of the same index
	// (vx_kernel_validate_f). Those of inputs are nil, as are the parameters that are not set.
	Validate func(n *Node, params []Reference, metas []*MetaFormat) error
	// Initialize is called after each Validate, Deinit before the next one and when the node goes (vx_kernel_initialize_f,
	// vx_kernel_deinitialize_f). They may be nil.
	Initialize func(n *Node, params []Reference) error
	Deinit     func(n *Node, params []Reference) error
}

// KernelInfo names a kernel (vx_kernel_info_t).
type KernelInfo struct {
	ID   KernelID
	Name string
}

// userKernelBase is the first number of user kernels, VX_KERNEL_BASE(VX_ID_USER, 0).
const userKernelBase KernelID = -0x200000

// A context gives numbers of library 0 away one by one, and the numbers of libraries, from 1 on, which have as many kernels each.
const (
	userKernels   = 4096
	userLibraries = 255
)

// MaxKernelParameters is how many parameters a kernel may have.
const MaxKernelParameters = 256

// kernelTable is the kernels of a context, and the libraries that they come from.
type kernelTable struct {
	list      []*Kernel // in the order in which they came
	byName    map[string]*Kernel
	byID      map[KernelID]*Kernel
	nextID    int // of AllocateKernelID
	nextLib   int // of AllocateKernelLibraryID
	libraries map[string]*library
}

// addLayers registers the built-in kernels.
func (c *Context) addLayers() {
	c.kernels = kernelTable{byName: map[string]*Kernel{}, byID: map[KernelID]*Kernel{}, libraries: map[string]*library{}}
	for _, l := range layers {
		c.addKernel(&Kernel{kernelName: l.name, id: l.id, params: l.params, layer: l}).publish()
	}
}

// addKernel registers a new kernel, with one reference of the application. It cannot be looked up yet.
func (c *Context) addKernel(k *Kernel) *Kernel {
	c.register(&k.object, k, TypeKernel)
	t := &c.kernels
	t.list = append(t.list, k)
	t.byName[k.kernelName], t.byID[k.id] = k, k
	return k
}

// publish makes the kernel live and be found without a reference of the application.
func (k *Kernel) publish() {
	k.finalized = true
	if k.user == nil {
		k.intern()
	} else {
		k.hold()
	}
}

// withdraw takes the kernel out of the table, if it is there.
func (k *Kernel) withdraw() {
	t := &k.ctx.kernels
	if t.byName[k.kernelName] != k {
		return
	}
	delete(t.byName, k.kernelName)
	delete(t.byID, k.id)
	for i, other := range t.list {
		if other == k {
			t.list = append(t.list[:i:i], t.list[i+1:]...)
			break
		}
	}
}

func (k *Kernel) destroy() {
	k.withdraw()
	for _, p := range k.params {
		if p.meta != nil {
			p.meta.drop()
		}
	}
}

// UniqueKernels returns how many kernels can be looked up (VX_CONTEXT_UNIQUE_KERNELS).
func (c *Context) UniqueKernels() int { return len(c.KernelTable()) }

// KernelTable returns the kernels that can be looked up, the built-in ones first (VX_CONTEXT_UNIQUE_KERNEL_TABLE).
func (c *Context) KernelTable() []KernelInfo {
	return query(&c.object, func() []KernelInfo {
		var table []KernelInfo
		for _, k := range c.kernels.list {
			if k.finalized {
				table = append(table, KernelInfo{k.id, k.kernelName})
			}
		}
		return table
	})
}

// KernelByName looks a kernel up and adds a reference of the application to it (vxGetKernelByName). If there is none, or it is not
// finalized, the error is ErrorInvalidParameters.
func (c *Context) KernelByName(name string) (*Kernel, error) {
	return create(c, c, "Context.KernelByName", func() (*Kernel, error) {
		if k := c.kernels.byName[name]; k != nil && k.finalized {
			k.external++
			return k, nil
		}
		return nil, failed(ErrorInvalidParameters, "there is no kernel named %q", name)
	})
}

// KernelByID is [Context.KernelByName] for a number (vxGetKernelByEnum).
func (c *Context) KernelByID(id KernelID) (*Kernel, error) {
	return create(c, c, "Context.KernelByID", func() (*Kernel, error) {
		if k := c.kernels.byID[id]; k != nil && k.finalized {
			k.external++
			return k, nil
		}
		return nil, failed(ErrorInvalidParameters, "there is no kernel numbered %s", id)
	})
}

// AllocateKernelID returns a number for a user kernel that nobody uses (vxAllocateUserKernelId). There are 4096 in a context, then the
// error is ErrorNoResources.
func (c *Context) AllocateKernelID() (KernelID, error) {
	var id KernelID
	err := c.do(c, "Context.AllocateKernelID", func() error {
		t := &c.kernels
		for t.nextID < userKernels {
			id = userKernelBase + KernelID(t.nextID)
			t.nextID++
			if t.byID[id] == nil {
				return nil
			}
		}
		id = 0
		return failed(ErrorNoResources, "all %d numbers of user kernels are in use", userKernels)
	})
	return id, err
}

// AllocateKernelLibraryID returns the number of a library, 1 to 255, that has not been returned before
// (vxAllocateUserKernelLibraryId). Its kernels are numbered 0xFFE00000 plus 4096 times that on. When there is none left the error is
// ErrorNoResources.
func (c *Context) AllocateKernelLibraryID() (int, error) {
	var id int
	err := c.do(c, "Context.AllocateKernelLibraryID", func() error {
		if c.kernels.nextLib == userLibraries {
			return failed(ErrorNoResources, "all %d numbers of libraries are in use", userLibraries)
		}
		c.kernels.nextLib++
		id = c.kernels.nextLib
		return nil
	})
	return id, err
}

// AddKernel begins to register a kernel of the application (vxAddUserKernel): then come AddParameter for each of its parameters and
// Finalize, before which it can neither be looked up nor used. The name has 1 to MaxKernelName bytes; neither it nor the number may
// be taken; params is 0 to MaxKernelParameters; k has Run and Validate. Otherwise the error is ErrorInvalidParameters.
func (c *Context) AddKernel(name string, id KernelID, params int, k UserKernel) (*Kernel, error) {
	return create(c, c, "Context.AddKernel", func() (*Kernel, error) {
		if err := checkName("a kernel", name, MaxKernelName); err != nil {
			return nil, err
		}
		switch t := &c.kernels; {
		case name == "":
			return nil, failed(ErrorInvalidParameters, "the kernel has no name")
		case t.byName[name] != nil:
			return nil, failed(ErrorInvalidParameters, "there is a kernel named %q already", name)
		case t.byID[id] != nil:
			return nil, failed(ErrorInvalidParameters, "the number %#x belongs to the kernel %q", uint32(id), t.byID[id].kernelName)
		case params < 0 || params > MaxKernelParameters:
			return nil, failed(ErrorInvalidParameters, "the kernel has %d parameters: 0 to %d are allowed", params, MaxKernelParameters)
		case k.Run == nil || k.Validate == nil:
			return nil, failed(ErrorInvalidParameters, "the kernel lacks a function: Run and Validate are required")
		}
		return c.addKernel(&Kernel{kernelName: name, id: id, params: make([]param, params), user: &k}), nil
	})
}

// unfinished returns an error unless the kernel is one of the application that is not finalized yet.
func (k *Kernel) unfinished(s Status) error {
	switch {
	case k.user == nil:
		return failed(s, "the kernel %q is not one of the application's", k.kernelName)
	case k.finalized:
		return failed(s, "the kernel %q has been finalized", k.kernelName)
	case k.removed:
		return failed(s, "the kernel %q has been removed", k.kernelName)
	}
	return nil
}

// AddParameter declares parameter i (vxAddParameterToKernel), in any order and once each: an Input or Output; of a kind of data object,
// of TypeReference for any, or of the type of a scalar's value. Delays can only be inputs. Whatever is wrong is
// ErrorInvalidParameters.
func (k *Kernel) AddParameter(i int, d Direction, kind Type, s ParameterState) error {
	return k.ctx.do(k, ".AddParameter", func() error {
		if err := k.unfinished(ErrorInvalidParameters); err != nil {
			return err
		}
		switch {
		case i < 0 || i >= len(k.params):
			return failed(ErrorInvalidParameters, "there is no parameter %d: the kernel has %d", i, len(k.params))
		case k.params[i].kind != TypeInvalid:
			return failed(ErrorInvalidParameters, "parameter %d has been declared already", i)
		case d != Input && d != Output:
			return failed(ErrorInvalidParameters, "the direction %s is neither VX_INPUT nor VX_OUTPUT", d)
		case s != ParameterStateRequired && s != ParameterStateOptional:
			return failed(ErrorInvalidParameters, "the state %s is neither required nor optional", s)
		case !dataTypes[kind] && k.ctx.scalarSize(kind) == 0:
			return failed(ErrorInvalidParameters, "%s is not the type of a data object or a scalar", kind)
		case kind == TypeDelay && d == Output:
			return failed(ErrorInvalidParameters, "a delay cannot be an output")
		}
		k.params[i] = param{dir: d, kind: kind, state: s}
		return nil
	})
}

// dataTypes are the kinds of data objects that a parameter may be declared as.
var dataTypes = map[Type]bool{
	TypeReference: true, TypeDelay: true, TypeLUT: true, TypeDistribution: true, TypePyramid: true, TypeThreshold: true, TypeMatrix: true,
	TypeConvolution: true, TypeScalar: true, TypeArray: true, TypeImage: true, TypeRemap: true, TypeObjectArray: true, TypeTensor: true,
}

// Finalize makes the kernel ready for use (vxFinalizeKernel). If a parameter has not been declared, or the kernel has been finalized
// before, the error is ErrorInvalidParameters.
func (k *Kernel) Finalize() error {
	return k.ctx.do(k, ".Finalize", func() error {
		if err := k.unfinished(ErrorInvalidParameters); err != nil {
			return err
		}
		for i, p := range k.params {
			if p.kind == TypeInvalid {
				return failed(ErrorInvalidParameters, "parameter %d of %d has not been declared", i, len(k.params))
			}
		}
		k.publish()
		return nil
	})
}

// Remove takes a kernel of the application out of the context, and with it the application's last reference (vxRemoveKernel). Another
// kernel is ErrorInvalidParameters; one that has further references, or nodes, is Failure.
func (k *Kernel) Remove() error {
	return k.ctx.do(k, ".Remove", func() error {
		switch {
		case k.user == nil:
			return failed(ErrorInvalidParameters, "the kernel %q is not one of the application's", k.kernelName)
		case k.external == 0 || k.removed:
			return failed(ErrorInvalidReference, "the application has no reference to the kernel %q", k.kernelName)
		case k.external > 1:
			return failed(Failure, "the application has %d more references to the kernel %q", k.external-1, k.kernelName)
		case k.nodes > 0:
			return failed(Failure, "%d nodes use the kernel %q; they, or their graphs, must be released first", k.nodes, k.kernelName)
		}
		k.removed = true
		k.withdraw()
		k.external--
		if k.finalized {
			k.drop()
		} else {
			k.bury()
		}
		return nil
	})
}

// KernelName returns the name by which the kernel is looked up (VX_KERNEL_NAME). Name is that of the object, as of any other.
func (k *Kernel) KernelName() string { return k.kernelName }

// ID returns the number by which the kernel is looked up (VX_KERNEL_ENUM); 0 for an imported one, which cannot be.
func (k *Kernel) ID() KernelID { return k.id }

// NumParameters returns how many parameters the kernel has (VX_KERNEL_PARAMETERS).
func (k *Kernel) NumParameters() int { return len(k.params) }

// LocalDataSize returns how many bytes of memory each node of the kernel gets for itself (VX_KERNEL_LOCAL_DATA_SIZE).
func (k *Kernel) LocalDataSize() int { return query(&k.object, func() int { return k.localSize }) }

// SetLocalDataSize changes [Kernel.LocalDataSize]. It must be called before Finalize, else the error is ErrorNotSupported. A negative
// size or one of more than 1 GiB is ErrorInvalidParameters.
func (k *Kernel) SetLocalDataSize(bytes int) error {
	return k.ctx.do(k, ".SetLocalDataSize", func() error {
		if err := k.unfinished(ErrorNotSupported); err != nil {
			return err
		}
		if err := checkLocalData(bytes); err != nil {
			return err
		}
		k.localSize = bytes
		return nil
	})
}

// Parameter returns parameter i as an object of its own (vxGetKernelParameterByIndex). An index that is not there is
// ErrorInvalidParameters.
func (k *Kernel) Parameter(i int) (*Parameter, error) {
	return create(k.ctx, k, ".Parameter", func() (*Parameter, error) { return k.ctx.newParameter(k, nil, i) })
}

// executable returns an error if nodes cannot be made of the kernel.
func (k *Kernel) executable() error {
	switch {
	case k.removed:
		return failed(ErrorInvalidReference, "the kernel %q has been removed", k.kernelName)
	case !k.finalized:
		return failed(ErrorInvalidParameters, "the kernel %q has not been finalized", k.kernelName)
	}
	return nil
}
