package openvx

import (
	"slices"

	"github.com/concord-nn/concord/internal/limits"
)

// kernelTable is the kernels of a context, and the libraries that they come from.
type kernelTable struct {
	list      []*Kernel // in the order in which they came
	byName    map[string]*Kernel
	byID      map[KernelID]*Kernel
	nextID    int // of AllocateKernelID
	nextLib   int // of AllocateKernelLibraryID
	libraries map[string]*library
}

// KernelInfo names a kernel (vx_kernel_info_t).
type KernelInfo struct {
	ID   KernelID
	Name string
}

// userKernelBase is the first number of user kernels, VX_KERNEL_BASE(VX_ID_USER, 0).
const userKernelBase KernelID = -0x200000

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
	t.list = slices.DeleteFunc(t.list, func(other *Kernel) bool { return other == k })
}

// UniqueKernels returns how many kernels can be looked up (VX_CONTEXT_UNIQUE_KERNELS).
func (c *Context) UniqueKernels() int { return len(c.KernelTable()) }

// KernelTable returns the kernels that can be looked up, the built-in ones first (VX_CONTEXT_UNIQUE_KERNEL_TABLE).
func (c *Context) KernelTable() []KernelInfo {
	return query(c, func() []KernelInfo {
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
	return create(c, ".KernelByName", func() *Kernel { return c.kernels.byName[name].found("named %q", name) })
}

// KernelByID is [Context.KernelByName] for a number (vxGetKernelByEnum).
func (c *Context) KernelByID(id KernelID) (*Kernel, error) {
	return create(c, ".KernelByID", func() *Kernel { return c.kernels.byID[id].found("numbered %s", id) })
}

// found adds a reference of the application to a kernel that has been looked up, or says that there is none.
func (k *Kernel) found(how string, by any) *Kernel {
	if k == nil || !k.finalized {
		refuse(ErrorInvalidParameters, "there is no kernel "+how, by)
	}
	k.external++
	return k
}

// AllocateKernelID returns a number for a user kernel that nobody uses (vxAllocateUserKernelId). There are 4096 in a context, then the
// error is ErrorNoResources.
func (c *Context) AllocateKernelID() (KernelID, error) {
	return create(c, ".AllocateKernelID", func() KernelID {
		for t := &c.kernels; ; t.nextID++ {
			if t.nextID == limits.VXKernels {
				refuse(ErrorNoResources, "all %d numbers of user kernels are in use", limits.VXKernels)
			}
			if id := userKernelBase + KernelID(t.nextID); t.byID[id] == nil {
				t.nextID++
				return id
			}
		}
	})
}

// AllocateKernelLibraryID returns the number of a library, 1 to 255, that has not been returned before
// (vxAllocateUserKernelLibraryId). Its kernels are numbered 0xFFE00000 plus 4096 times that on. When there is none left the error is
// ErrorNoResources.
func (c *Context) AllocateKernelLibraryID() (int, error) {
	return create(c, ".AllocateKernelLibraryID", func() int {
		if c.kernels.nextLib == limits.VXLibraries {
			refuse(ErrorNoResources, "all %d numbers of libraries are in use", limits.VXLibraries)
		}
		c.kernels.nextLib++
		return c.kernels.nextLib
	})
}
