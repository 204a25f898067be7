package openvx

// library is a library of user kernels, called module by the standard.
type library struct {
	publish, unpublish func(*Context) error
	registered         bool // by RegisterKernelLibrary; what OpenLibrary has found is looked for again
	loads              int  // less unloads
	changing           chan struct{}
}

// RegisterKernelLibrary makes the kernels of a library available to LoadKernels under a name (vxRegisterKernelLibrary): publish adds
// them by AddKernel, unpublish removes them by Kernel.Remove. An empty name, one that is registered, or a function that is nil is
// ErrorInvalidParameters.
func (c *Context) RegisterKernelLibrary(name string, publish, unpublish func(*Context) error) error {
	return do(c, ".RegisterKernelLibrary", func() {
		checkName("a library", name, MaxKernelName)
		switch {
		case name == "":
			refuse(ErrorInvalidParameters, "the library has no name")
		case c.kernels.libraries[name] != nil:
			refuse(ErrorInvalidParameters, "there is a library %q already", name)
		case publish == nil || unpublish == nil:
			refuse(ErrorInvalidParameters, "the library %q lacks a function: publish and unpublish are required", name)
		}
		c.kernels.libraries[name] = &library{publish: publish, unpublish: unpublish, registered: true}
	})
}

// LoadKernels calls publish of a library that has been registered under the name, or that Options.OpenLibrary finds (vxLoadKernels). A
// library is published once; further calls count, and UnloadKernels must be called as often. publish must not load its own library. A
// name that is unknown is ErrorInvalidParameters; if publish fails, that is the error, and the library is not loaded.
func (c *Context) LoadKernels(name string) error {
	return c.changeLibrary(".LoadKernels", name, 1)
}

// UnloadKernels calls unpublish of a library that has been loaded, when it is called as often as LoadKernels (vxUnloadKernels). A library
// that is not loaded is ErrorInvalidParameters; if unpublish fails, for example since a kernel is in use, that is the error, and the
// library remains loaded.
func (c *Context) UnloadKernels(name string) error {
	return c.changeLibrary(".UnloadKernels", name, -1)
}

// changeLibrary changes by 1 or -1 how often a library is loaded, and calls, without the lock, its function when that becomes 1 or 0. If
// the function fails nothing changes. Others who change the same library wait.
func (c *Context) changeLibrary(call, name string, change int) error {
	return do(c, call, func() {
		l := c.library(name, change > 0)
		l.loads += change
		f := l.unpublish
		switch {
		case change > 0 && l.loads == 1:
			f = l.publish
		case l.loads > 0:
			return
		}
		l.changing = make(chan struct{})
		done := 0
		defer func() { // also if f panics
			l.loads += done - change
			if l.loads == 0 && !l.registered {
				delete(c.kernels.libraries, name)
			}
			close(l.changing)
			l.changing = nil
		}()
		stop(c.unlocked(func() error { return f(c) }))
		done = change
	})
}

// library returns a library that nobody changes, and opens it if need be.
func (c *Context) library(name string, open bool) *library {
	for {
		l := c.kernels.libraries[name]
		switch {
		case l == nil && open:
			return c.openLibrary(name)
		case l == nil || !open && l.changing == nil && l.loads == 0:
			refuse(ErrorInvalidParameters, "the library %q is not loaded", name)
		case l.changing == nil:
			return l
		}
		changing := l.changing
		_ = c.unlocked(func() error {
			<-changing
			return nil
		})
	}
}

// openLibrary asks Options.OpenLibrary.
func (c *Context) openLibrary(name string) *library {
	if c.opts.OpenLibrary == nil {
		refuse(ErrorInvalidParameters, "no library is registered as %q", name)
	}
	var publish, unpublish func(*Context) error
	err := c.unlocked(func() (err error) {
		publish, unpublish, err = c.opts.OpenLibrary(c, name)
		return err
	})
	status := StatusOf(err)
	if status == Failure {
		status = ErrorInvalidParameters
	}
	because(err, status, "the library %s cannot be opened", name)
	if publish == nil || unpublish == nil {
		refuse(ErrorInvalidModule, "the library %q lacks vxPublishKernels or vxUnpublishKernels", name)
	}
	l := c.kernels.libraries[name]
	if l == nil { // nobody else was faster
		l = &library{publish: publish, unpublish: unpublish}
		c.kernels.libraries[name] = l
	}
	return l
}

// Modules returns how many libraries are loaded (VX_CONTEXT_MODULES).
func (c *Context) Modules() int {
	return query(c, func() int {
		n := 0
		for _, l := range c.kernels.libraries {
			if l.loads > 0 {
				n++
			}
		}
		return n
	})
}
