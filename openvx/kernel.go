package openvx

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

func (k *Kernel) destroy() {
	k.withdraw()
	for _, p := range k.params {
		if p.meta != nil {
			p.meta.drop()
		}
	}
}

// AddKernel begins to register a kernel of the application (vxAddUserKernel): then come AddParameter for each of its parameters and
// Finalize, before which it can neither be looked up nor used. The name has 1 to MaxKernelName bytes; neither it nor the number may
// be taken; params is 0 to MaxKernelParameters; k has Run and Validate. Otherwise the error is ErrorInvalidParameters.
func (c *Context) AddKernel(name string, id KernelID, params int, k UserKernel) (*Kernel, error) {
	return create(c, ".AddKernel", func() *Kernel {
		checkName("a kernel", name, MaxKernelName)
		switch t := &c.kernels; {
		case name == "":
			refuse(ErrorInvalidParameters, "the kernel has no name")
		case t.byName[name] != nil:
			refuse(ErrorInvalidParameters, "there is a kernel named %q already", name)
		case t.byID[id] != nil:
			refuse(ErrorInvalidParameters, "the number %#x belongs to the kernel %q", uint32(id), t.byID[id].kernelName)
		case params < 0 || params > MaxKernelParameters:
			refuse(ErrorInvalidParameters, "the kernel has %d parameters: 0 to %d are allowed", params, MaxKernelParameters)
		case k.Run == nil || k.Validate == nil:
			refuse(ErrorInvalidParameters, "the kernel lacks a function: Run and Validate are required")
		}
		return c.addKernel(&Kernel{kernelName: name, id: id, params: make([]param, params), user: &k})
	})
}

// checkUnfinished refuses unless the kernel is one of the application that is not finalized yet.
func (k *Kernel) checkUnfinished(s Status) {
	switch {
	case k.user == nil:
		refuse(s, "the kernel %q is not one of the application's", k.kernelName)
	case k.finalized:
		refuse(s, "the kernel %q has been finalized", k.kernelName)
	case k.removed:
		refuse(s, "the kernel %q has been removed", k.kernelName)
	}
}

// AddParameter declares parameter i (vxAddParameterToKernel), in any order and once each: an Input or Output; of a kind of data object,
// of TypeReference for any, or of the type of a scalar's value. Delays can only be inputs. Whatever is wrong is
// ErrorInvalidParameters.
//
//go:noinline // each caller would have a copy of what it does
func (k *Kernel) AddParameter(i int, d Direction, kind Type, s ParameterState) error {
	return do(k, ".AddParameter", func() {
		k.checkUnfinished(ErrorInvalidParameters)
		switch {
		case i < 0 || i >= len(k.params):
			refuse(ErrorInvalidParameters, "there is no parameter %d: the kernel has %d", i, len(k.params))
		case k.params[i].kind != TypeInvalid:
			refuse(ErrorInvalidParameters, "parameter %d has been declared already", i)
		case d != Input && d != Output:
			refuse(ErrorInvalidParameters, "the direction %s is neither VX_INPUT nor VX_OUTPUT", d)
		case s != ParameterStateRequired && s != ParameterStateOptional:
			refuse(ErrorInvalidParameters, "the state %s is neither required nor optional", s)
		case !kind.isData() && k.ctx.scalarSize(kind) == 0:
			refuse(ErrorInvalidParameters, "%s is not the type of a data object or a scalar", kind)
		case kind == TypeDelay && d == Output:
			refuse(ErrorInvalidParameters, "a delay cannot be an output")
		}
		k.params[i] = param{dir: d, kind: kind, state: s}
	})
}

// Finalize makes the kernel ready for use (vxFinalizeKernel). If a parameter has not been declared, or the kernel has been finalized
// before, the error is ErrorInvalidParameters.
//
//go:noinline // each caller would have a copy of what it does
func (k *Kernel) Finalize() error {
	return do(k, ".Finalize", func() {
		k.checkUnfinished(ErrorInvalidParameters)
		for i, p := range k.params {
			if p.kind == TypeInvalid {
				refuse(ErrorInvalidParameters, "parameter %d of %d has not been declared", i, len(k.params))
			}
		}
		k.publish()
	})
}

// Remove takes a kernel of the application out of the context, and with it the application's last reference (vxRemoveKernel). Another
// kernel is ErrorInvalidParameters; one that has further references, or nodes, is Failure.
//
//go:noinline // each caller would have a copy of what it does
func (k *Kernel) Remove() error {
	return do(k, ".Remove", func() {
		switch {
		case k.user == nil:
			refuse(ErrorInvalidParameters, "the kernel %q is not one of the application's", k.kernelName)
		case k.external == 0 || k.removed:
			refuse(ErrorInvalidReference, "the application has no reference to the kernel %q", k.kernelName)
		case k.external > 1:
			refuse(Failure, "the application has %d more references to the kernel %q", k.external-1, k.kernelName)
		case k.nodes > 0:
			refuse(Failure, "%d nodes use the kernel %q; they, or their graphs, must be released first", k.nodes, k.kernelName)
		}
		k.removed = true
		k.withdraw()
		k.external--
		if k.finalized {
			k.drop()
		} else {
			k.bury()
		}
	})
}

// SetLocalDataSize changes [Kernel.LocalDataSize]. It must be called before Finalize, else the error is ErrorNotSupported. A negative
// size or one of more than 1 GiB is ErrorInvalidParameters.
func (k *Kernel) SetLocalDataSize(bytes int) error {
	return do(k, ".SetLocalDataSize", func() {
		k.checkUnfinished(ErrorNotSupported)
		checkLocalData(bytes)
		k.localSize = bytes
	})
}

// Parameter returns parameter i as an object of its own (vxGetKernelParameterByIndex). An index that is not there is
// ErrorInvalidParameters.
func (k *Kernel) Parameter(i int) (*Parameter, error) {
	return create(k, ".Parameter", func() *Parameter { return k.ctx.newParameter(k, nil, i) })
}

// checkExecutable refuses if nodes cannot be made of the kernel.
func (k *Kernel) checkExecutable() {
	switch {
	case k.removed:
		refuse(ErrorInvalidReference, "the kernel %q has been removed", k.kernelName)
	case !k.finalized:
		refuse(ErrorInvalidParameters, "the kernel %q has not been finalized", k.kernelName)
	}
}
