package openvx

import (
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/concord-nn/concord/engine"
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/limits"
)

// Options say how a context works. The zero Options are the standard's behaviour in Go memory.
type Options struct {
	// Compatible makes layers compute what the sample implementation computes where that differs from the standard's formulas
	// (docs/deviations.md lists it). The environment variable CONCORD_OPENVX_COMPAT=1 has the same effect.
	Compatible bool
	// Threads is how many goroutines compute one node; see engine.Options.
	Threads int
	// Limits bound the graphs that nodes become; see engine.Limits.
	Limits engine.Limits
	// MaxTensorBytes bounds the memory of one tensor. 0 is 4 GiB.
	MaxTensorBytes int64
	// Memory gives objects their memory: n bytes of zeros, aligned to 64, and a function that takes them back. Nil is Go's memory. It
	// must not call the context.
	Memory func(n int) (data []byte, free func(), err error)
	// Dead is told of objects that are gone, of which all uses fail from now on; of a context after, or instead of, the objects in it.
	// It must not call the context.
	Dead func(r Reference)
	// Importers make kernels of the models of a type, for [Context.ImportKernel]: "nnef" is the one that the standard knows.
	Importers map[string]Importer
	// OpenLibrary finds the functions of a library of user kernels for [Context.LoadKernels], when no library of that name has been
	// registered.
	OpenLibrary func(c *Context, name string) (publish, unpublish func(*Context) error, err error)
}

// Importer loads the model at url as a graph.
type Importer func(url string) (*graph.Graph, error)

// Context owns all other objects (vx_context).
type Context struct {
	object
	mu    sync.Mutex
	opts  Options
	made  time.Time
	after []func() // to be called when mu is released

	references  int // live objects (VX_CONTEXT_REFERENCES)
	kernels     kernelTable
	structs     []userStruct
	log         logger
	performance bool // DirectiveEnablePerformance was given
	border      BorderValue
	policy      BorderPolicy
	closing     bool
	serial      uint64             // see number
	blocks      map[*byte]func()   // what frees memory of Options.Memory that has not been given back, by its first byte
	initialized map[*Node]struct{} // nodes whose kernels' Deinit is to be called
}

// BorderValue is how a kernel treats what lies outside its input (vx_border_t). Layers of this package do not use it.
type BorderValue struct {
	Mode  Border   // BorderUndefined, BorderConstant or BorderReplicate
	Value [16]byte // of the constant, in the image's format (vx_pixel_value_t)
}

// NewContext makes a context (vxCreateContext), with one reference of the application.
func NewContext(o Options) (*Context, error) {
	if os.Getenv("CONCORD_OPENVX_COMPAT") == "1" {
		o.Compatible = true
	}
	c := &Context{opts: o, made: time.Now(), blocks: map[*byte]func(){}, initialized: map[*Node]struct{}{}}
	c.register(&c.object, c, TypeContext)
	c.ctx = c
	if o.Memory != nil {
		c.opts.Memory = c.tracked(o.Memory)
	}
	c.border.Mode, c.policy = BorderUndefined, BorderPolicyDefaultToUndefined
	c.addLayers()
	return c, nil
}

// close ends the context when the application has no reference left and nothing runs any more. The caller holds the lock.
func (c *Context) close() {
	if c.closing {
		return
	}
	c.closing = true
	c.later(func() {
		c.mu.Lock()
		defer c.unlock()
		c.deinitializeAll()
		if c.internal > 0 { // somebody has begun to run a graph since the lock was released: the context ends with that
			c.closing = false
			return
		}
		for _, free := range c.blocks {
			free()
		}
		clear(c.blocks)
		c.dead, c.references = true, 0
		c.log = logger{}
		c.gone(c)
	})
}

// gone tells the application's Options.Dead of an object that has died.
func (c *Context) gone(r Reference) {
	if c.opts.Dead != nil {
		c.opts.Dead(r)
	}
}

// deinitializeAll lets the kernels of all nodes give back what they hold. The objects are still there for them.
func (c *Context) deinitializeAll() {
	for _, n := range slices.Collect(maps.Keys(c.initialized)) { // which changes meanwhile
		n.deinitialize()
	}
}

// tracked makes a source of memory remember what has not been given back, for close. All calls are under the lock.
func (c *Context) tracked(memory func(int) ([]byte, func(), error)) func(int) ([]byte, func(), error) {
	return func(n int) ([]byte, func(), error) {
		data, free, err := memory(n)
		if err != nil || free == nil || len(data) == 0 {
			return data, free, err
		}
		c.blocks[&data[0]] = free
		return data, func() {
			c.forget(data)
			free()
		}, nil
	}
}

// forget leaves it to the application to free memory of Options.Memory.
func (c *Context) forget(data []byte) {
	if len(data) > 0 {
		delete(c.blocks, &data[0])
	}
}

func (b BorderValue) check() {
	if all, is := membersOf(b.Mode, borderNames); !is {
		refuse(ErrorInvalidValue, "the border mode is %s; it must be %s", b.Mode, all)
	}
}

func (p BorderPolicy) check() {
	if all, is := membersOf(p, borderPolicyNames); !is {
		refuse(ErrorInvalidValue, "the border policy is %s; it must be %s", p, all)
	}
}

// SetImmediateModeTarget says where immediate calls run (vxSetImmediateModeTarget). There is one target, see [Node.SetTarget].
func (c *Context) SetImmediateModeTarget(t Target, name string) error {
	return do(c, ".SetImmediateModeTarget", func() { checkTarget(t, name) })
}

// checkTarget refuses what is no target. The name is for TargetString; case does not matter.
func checkTarget(t Target, name string) {
	if t == TargetAny || t == TargetString && strings.EqualFold(name, "any") {
		return
	}
	refuse(ErrorNotSupported, `there is no target %s %q: VX_TARGET_ANY, or the string "any", is the only one`, t, name)
}

// SetThreads changes [Context.Threads] for graphs that run from now on. Results do not depend on it. A number that is negative, or more than
// there can be, is ErrorInvalidValue.
func (c *Context) SetThreads(n int) error {
	return do(c, ".SetThreads", func() {
		if n < 0 || n > limits.EngineThreads {
			refuse(ErrorInvalidValue, "%d threads; 0 to %d are possible", n, limits.EngineThreads)
		}
		c.opts.Threads = n
	})
}

// Directive turns logging on or off for an object or, by the context itself, for all of them, and the measurement of times for the
// context (vxDirective). Any other directive or object is ErrorNotSupported.
func (c *Context) Directive(on Reference, d Directive) error {
	return do(c, ".Directive", func() {
		o := c.check(on, "the object")
		switch d {
		case DirectiveDisableLogging, DirectiveEnableLogging:
			o.quiet = d == DirectiveDisableLogging
			return
		case DirectiveDisablePerformance, DirectiveEnablePerformance:
			if o != &c.object {
				refuse(ErrorNotSupported, "%s is for contexts, not for a %s", d, o.kind.noun())
			}
			c.performance = d == DirectiveEnablePerformance
			return
		}
		refuse(ErrorNotSupported, "the directive %s is unknown", d)
	})
}

// Hint tells what the application prefers (vxHint). The standard's hints are accepted for any object and change nothing; others are
// ErrorNotSupported.
func (c *Context) Hint(on Reference, h Hint, _ []byte) error {
	return do(c, ".Hint", func() {
		c.check(on, "the object")
		if hintNames[h] == "" {
			refuse(ErrorNotSupported, "the hint %s is unknown", h)
		}
	})
}
