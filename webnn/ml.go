package webnn

import (
	"cmp"
	"slices"

	"github.com/concord-nn/concord/engine"
	"github.com/concord-nn/concord/internal/limits"
)

// ContextOptions is MLContextOptions (https://www.w3.org/TR/webnn/#api-mlcontextoptions), and beyond it the bounds that a Go
// program may set.
type ContextOptions struct {
	PowerPreference PowerPreference
	// Accelerated is what [Context.Accelerated] returns, true if it is nil. It has no effect: there is only the processor.
	Accelerated *bool

	// Threads is how many threads compute a dispatch; 0 lets PowerPreference decide. Results do not depend on it.
	Threads int
	// Limits bound what one graph may take; see [engine.Limits].
	Limits engine.Limits
	// MaxTensorByteLength is the greatest size of a tensor or an operand. 0 is the default, 2147483647.
	MaxTensorByteLength int64
	// MaxMemory bounds the bytes that the context holds, as [Memory] counts them. 0 is the default, 4 GiB.
	MaxMemory int64
	// Memory, if it is not nil, is what the context takes its bytes from, together with others; MaxMemory has no meaning then.
	Memory *Memory
	// CheckOnly makes a context that checks calls, with the same errors, and computes nothing: tensors have no content, and
	// readings yield none; buffers may be given as a [Length]; graphs are not compiled; dispatches and writes end with the check.
	// It is for a program in front of the one that computes.
	CheckOnly bool
}

// The defaults of ContextOptions.
const (
	defaultMaxTensorByteLength = limits.WebNNTensorBytes
	defaultMaxMemory           = limits.WebNNMemory
)

// maxThreads bounds ContextOptions.Threads; no machine has as many processors.
const maxThreads = limits.WebNNThreads

// orZero makes a nil pointer an object that nobody has made: every method has an answer for that.
func orZero[T any](object *T) *T {
	if object == nil {
		return new(T)
	}
	return object
}

// ML is the entry to the interface, as navigator.ml is on a page (https://www.w3.org/TR/webnn/#api-ml). Its zero value is
// ready.
type ML struct{}

// CreateContext is ML.createContext (https://www.w3.org/TR/webnn/#api-ml-createcontext). Options may be nil. It fails with a
// TypeError for a power preference that the standard does not have and for bounds that are negative, and with an UnknownError if
// the Memory that it is to share is full.
func (ML) CreateContext(options *ContextOptions) (*Context, error) {
	const method = "ML.createContext"
	o := ContextOptions{}
	if options != nil {
		o = *options
	}
	o.PowerPreference = cmp.Or(o.PowerPreference, PowerDefault)
	switch {
	case !slices.Contains(enumPowerPreference.words, string(o.PowerPreference)):
		return nil, reject(TypeError, method, "powerPreference", "there is no power preference %q; there are %q",
			o.PowerPreference, enumPowerPreference.words)
	case o.Threads < 0 || o.Threads > maxThreads:
		return nil, reject(TypeError, method, "threads", "%d threads are asked for; it must be from 0 to %d", o.Threads, maxThreads)
	case o.MaxTensorByteLength < 0:
		return nil, reject(TypeError, method, "maxTensorByteLength", "the bound is %d; it must not be negative", o.MaxTensorByteLength)
	case o.MaxMemory < 0:
		return nil, reject(TypeError, method, "maxMemory", "the bound is %d; it must not be negative", o.MaxMemory)
	}
	if o.Threads == 0 && o.PowerPreference == LowPower {
		o.Threads = 1
	}
	if o.Accelerated != nil {
		o.Accelerated = new(*o.Accelerated) // the caller may change its own
	}
	if o.MaxTensorByteLength == 0 {
		o.MaxTensorByteLength = defaultMaxTensorByteLength
	}
	return newContext(method, o)
}
