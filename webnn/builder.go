package webnn

import (
	"context"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"sync"
	"unicode/utf8"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/naming"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// GraphBuilder is MLGraphBuilder (https://www.w3.org/TR/webnn/#api-mlgraphbuilder): it makes one graph. Its methods may be
// called by any number of goroutines. Every method fails with an InvalidStateError if the builder has built or its context is
// lost, and with an UnknownError if [Memory] does not suffice; it leaves no trace if it fails.
type GraphBuilder struct {
	context *Context

	held    *holding
	cleanup runtime.Cleanup // gives back what is held if nobody builds

	mu       sync.Mutex // of what follows; the context is locked later
	b        *graph.Builder
	operands []*Operand
	inputs   map[*graph.Value]string // the names that they were given; in the graph they may have others until it is built
	built    bool
	failure  error // of the build
	record   func(Call)

	unbuildable []unbuildable
}

// unbuildable is a result that the standard accepts though it has no meaning.
type unbuildable struct {
	value *graph.Value
	err   error // of a build that needs it
}

// NewGraphBuilder is the constructor MLGraphBuilder(context)
// (https://www.w3.org/TR/webnn/#api-mlgraphbuilder-constructor). A context that is nil is a TypeError, one that is lost an
// InvalidStateError.
func NewGraphBuilder(c *Context) (*GraphBuilder, error) {
	const method = "MLGraphBuilder.constructor"
	if c == nil {
		return nil, reject(TypeError, method, "context.kind", "the context is nil")
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.checkState(method); err != nil {
		return nil, err
	}
	b := &GraphBuilder{context: c, held: c.memory.holding(), b: graph.NewBuilder(op.Rules, "webnn"), inputs: make(map[*graph.Value]string)}
	c.owned[lone{b.held}] = struct{}{}
	b.cleanup = runtime.AddCleanup(b, func(h *holding) {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.discard(h)
	}, b.held)
	return b, nil
}

// canBuild is the condition of that name in the standard.
func (b *GraphBuilder) canBuild() bool { return b.context != nil && !b.built && !b.context.isLost() }

// errState rejects a call on a builder that can not build.
func (b *GraphBuilder) errState(method, label string) *Error {
	why := "it has built its graph"
	switch {
	case b.failure != nil:
		why = "its build has failed: " + b.failure.Error()
	case b.context == nil:
		why = "it was not made by NewGraphBuilder"
	case b.context.isLost():
		why = "its context is lost"
	}
	return rejection(InvalidStateError, method, label, "state", "the builder can not build: %s; make another one", why)
}

func (b *GraphBuilder) maxTensorByteLength() int64 { return b.context.options.MaxTensorByteLength }

// Call is one call of a method of a builder, as [GraphBuilder.Record] reports it.
//
// The arguments are those that [GraphBuilder.Call] takes, and for the other methods: a name and an OperandDescriptor (input);
// an OperandDescriptor and a *tensor.Tensor with its content (constant with a buffer or an MLTensor); a tensor.DType and a
// [Number] (constant with a number); NamedOperands (build).
type Call struct {
	Method  string // the name of the method in the standard
	Args    []any
	Options Options    // nil where the method takes none
	Results []*Operand // nil for build
}

// Record makes the builder report every later call that succeeds, in order, to f; nil ends that. The call of
// [GraphBuilder.Build] or [GraphBuilder.Network] is reported before the graph is compiled. What is reported must not be
// changed, and f must not call the builder.
func (b *GraphBuilder) Record(f func(Call)) {
	b = orZero(b)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.record = f
}

func (b *GraphBuilder) report(method string, results []*Operand, args ...any) {
	if b.record != nil {
		b.record(Call{Method: method, Args: args, Results: results})
	}
}

// add adds an operand by a method that has no label, on a builder that can build. The builder is locked while f makes it.
func (b *GraphBuilder) add(method string, f func() (*Operand, error)) (*Operand, error) {
	b = orZero(b)
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.canBuild() {
		return nil, b.errState(method, "")
	}
	return f()
}

// The methods that add what does not depend on operands.
const (
	inputMethod    = "MLGraphBuilder.input"
	constantMethod = "MLGraphBuilder.constant"
)

// Input is MLGraphBuilder.input (https://www.w3.org/TR/webnn/#api-mlgraphbuilder-input): it adds an input of the graph. It
// fails with a TypeError if the name is empty or no UTF-8, or if no operand can have the type and shape. As in browsers, it is
// Build that rejects two inputs of one name, if it needs both.
func (b *GraphBuilder) Input(name string, d OperandDescriptor) (*Operand, error) {
	return b.add(inputMethod, func() (*Operand, error) {
		if f := checkName(name); f != nil {
			return nil, reject(TypeError, inputMethod, f.rule, "%s", f.reason)
		}
		if f := d.check(b.maxTensorByteLength()); f != nil {
			return nil, f.reject(inputMethod, "descriptor")
		}
		if err := b.reserve(inputMethod, int64(operandBytes+len(name))); err != nil {
			return nil, err
		}
		d.Shape = append(tensor.Shape{}, d.Shape...)
		// No result has such a name, as those are identifiers. Network puts the right one in its place.
		v, err := b.b.Input(fmt.Sprintf("input %d", len(b.inputs)), graph.Type{DType: d.DataType, Shape: d.Shape})
		if err != nil {
			return nil, reject(TypeError, inputMethod, "operator", "%w", err)
		}
		b.inputs[v] = name
		o := b.operand(v, true)
		b.report("input", []*Operand{o}, name, d)
		return o, nil
	})
}

func checkName(name string) *fault {
	switch {
	case name == "":
		return faultf("name.empty", "the name is empty")
	case !utf8.ValidString(name):
		return faultf("name.encoding", "the name %q is no UTF-8", name)
	}
	return nil
}

// Constant is MLGraphBuilder.constant(descriptor, buffer)
// (https://www.w3.org/TR/webnn/#api-mlgraphbuilder-constant-buffer): it adds a constant with a copy of data, which is []byte,
// little-endian as in an ArrayBuffer on any machine, or a slice of the data type. It fails with a TypeError if no operand can have the type and
// shape, or if data does not fit them.
func (b *GraphBuilder) Constant(d OperandDescriptor, data any) (*Operand, error) {
	return b.add(constantMethod, func() (*Operand, error) {
		if f := d.check(b.maxTensorByteLength()); f != nil {
			return nil, f.reject(constantMethod, "descriptor")
		}
		view, f := b.context.buffer(d, data)
		if f != nil {
			return nil, f.reject(constantMethod, "buffer")
		}
		if err := b.reserve(constantMethod, d.byteLength()+operandBytes); err != nil {
			return nil, err
		}
		d.Shape = append(tensor.Shape{}, d.Shape...)
		if b.context.options.CheckOnly {
			return b.addConstant(d, nil, d, nil)
		}
		t, err := tensor.New(d.DataType, d.Shape)
		if err != nil {
			return nil, reject(TypeError, constantMethod, "descriptor.byteLength", "%w", err)
		}
		copy(t.Bytes(), view)
		return b.addConstant(d, t, d, t)
	})
}

// ConstantNumber is MLGraphBuilder.constant(dataType, value)
// (https://www.w3.org/TR/webnn/#api-mlgraphbuilder-constant-datatype-value): it adds a scalar constant. The number is cast to
// the data type: to the nearest float, or to an integer by truncation and within the type's range. A data type that the
// standard does not have, a number that is nil, or a BigInt for another type than int64 and uint64 is a TypeError.
func (b *GraphBuilder) ConstantNumber(d tensor.DType, value Number) (*Operand, error) {
	return b.add(constantMethod, func() (*Operand, error) {
		if f := checkDataType(d, "enum"); f != nil {
			return nil, f.reject(constantMethod, "dataType")
		}
		n, f := param{name: "value", kind: kindNumber}.toNumber(value)
		var t *tensor.Tensor
		if f == nil {
			t, f = castNumber(n, d)
		}
		if f != nil {
			return nil, reject(TypeError, constantMethod, "value."+f.rule, "value: %s", f.reason)
		}
		if err := b.reserve(constantMethod, operandBytes); err != nil {
			return nil, err
		}
		return b.addConstant(OperandDescriptor{DataType: d}, t, d, value)
	})
}

// ConstantTensor is MLGraphBuilder.constant(tensor)
// (https://www.w3.org/TR/webnn/#api-mlgraphbuilder-constant-tensor): it adds a constant with the content of a tensor made by
// [Context.CreateConstantTensor], whose memory it shares. It fails with a TypeError if the tensor belongs to another context,
// is destroyed or not constant. The tensor may be destroyed once the graph is built.
func (b *GraphBuilder) ConstantTensor(t *Tensor) (*Operand, error) {
	b = orZero(b)
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case t == nil:
		return nil, reject(TypeError, constantMethod, "tensor.kind", "the tensor is nil")
	case b.context == nil || t.context != b.context:
		return nil, reject(TypeError, constantMethod, "tensor.context", "the tensor belongs to another context than the builder")
	}
	b.context.mu.Lock()
	defer b.context.mu.Unlock()
	if err := b.checkConstant(t); err != nil {
		return nil, err
	}
	if err := b.context.reserve(UnknownError, constantMethod, b.held, operandBytes); err != nil {
		return nil, err
	}
	if err := b.checkConstant(t); err != nil { // reserve may have let others have the context
		return nil, err
	}
	b.held.keep(t.store.held)
	data := t.store.data // nothing writes a constant, and only what Destroy enqueues takes it away
	d := t.descriptor.OperandDescriptor
	return b.addConstant(d, data, d, data)
}

// checkConstant makes the checks of a constant tensor that need the context locked.
func (b *GraphBuilder) checkConstant(t *Tensor) error {
	switch {
	case t.isDestroyed():
		return reject(TypeError, constantMethod, "tensor.destroyed", "the tensor is destroyed")
	case !t.constant:
		return reject(TypeError, constantMethod, "tensor.constant", "the tensor is not constant; make it by createConstantTensor")
	case !b.canBuild():
		return b.errState(constantMethod, "")
	}
	return nil
}

// SharedConstant is [GraphBuilder.Constant] with a tensor that the constant shares in place of a copy, for weights that are in
// memory already. The tensor must not change while the builder or its graph is in use; its bytes do not count in [Memory]. It fails
// with a TypeError if it is nil, if it is not contiguous, or if no operand can have its type and shape.
func (b *GraphBuilder) SharedConstant(t *tensor.Tensor) (*Operand, error) {
	return b.add(constantMethod, func() (*Operand, error) {
		if t == nil || !t.IsContiguous() {
			return nil, reject(TypeError, constantMethod, "tensor.kind", "the tensor is nil or not contiguous")
		}
		d := OperandDescriptor{t.DType(), t.Shape()}
		if f := d.check(b.maxTensorByteLength()); f != nil {
			return nil, f.reject(constantMethod, "descriptor")
		}
		if err := b.reserve(constantMethod, operandBytes); err != nil {
			return nil, err
		}
		return b.addConstant(d, t, d, t)
	})
}

// reserve counts memory of the builder.
func (b *GraphBuilder) reserve(method string, bytes int64) error {
	if b.held.grow(bytes) {
		return nil
	}
	b.context.mu.Lock()
	defer b.context.mu.Unlock()
	return b.context.reserve(UnknownError, method, b.held, bytes)
}

// operand returns a new operand.
func (b *GraphBuilder) operand(v *graph.Value, leaf bool) *Operand {
	o := &Operand{owner: b, typ: v.Type, value: v, leaf: leaf}
	b.operands = append(b.operands, o)
	return o
}

// addConstant adds a constant that shares t, and reports the call. Where there is no content a value without a producer stands for it.
func (b *GraphBuilder) addConstant(d OperandDescriptor, t *tensor.Tensor, args ...any) (*Operand, error) {
	var v *graph.Value
	var err error
	if t == nil {
		v, err = b.b.Input(fmt.Sprintf("constant %d", len(b.operands)), graph.Type{DType: d.DataType, Shape: d.Shape})
	} else {
		v, err = b.b.Constant("", "", t)
	}
	if err != nil {
		return nil, reject(TypeError, constantMethod, "operator", "%w", err)
	}
	o := b.operand(v, true)
	b.report("constant", []*Operand{o}, args...)
	return o, nil
}

// Build is MLGraphBuilder.build (https://www.w3.org/TR/webnn/#api-mlgraphbuilder-build): it compiles the graph of what the
// outputs depend on, and waits for it. It fails with a TypeError if there are no outputs, if a name is empty or no UTF-8, if an
// operand is of another builder or is an input or a constant, or if the outputs depend on two inputs of one name; the builder is
// as before then. After any other error it can not build any more: an OperationError if the graph cannot be compiled, such as by
// [ContextOptions.Limits] and [Memory]; an InvalidStateError if the context is lost; ctx.Err() if ctx ends.
//
// Builds of one context run one after the other, and hold up no dispatches. One that nobody waits for any more is left out if it
// has not begun, and else dropped when it has ended.
func (b *GraphBuilder) Build(ctx context.Context, outputs NamedOperands) (*Graph, error) {
	b = orZero(b)
	if ctx == nil {
		return nil, reject(TypeError, "MLGraphBuilder.build", "ctx", "the context.Context is nil")
	}
	g, err := b.network(outputs)
	if err != nil {
		return nil, err
	}
	b.cleanup.Stop()
	built, err := b.context.compile(ctx, g, b.held)
	if err != nil {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.failure = err
	}
	return built, err
}

// Network ends the building as Build does, but returns the graph without compiling it. Outputs are in the order of their
// names; inputs that no output depends on are left out. What the graph holds does not count in [Memory].
func (b *GraphBuilder) Network(outputs NamedOperands) (*graph.Graph, error) {
	b = orZero(b)
	g, err := b.network(outputs)
	if err == nil {
		b.discard()
	}
	return g, err
}

func (b *GraphBuilder) discard() {
	b.context.mu.Lock()
	defer b.context.mu.Unlock()
	b.context.discard(b.held)
}

func (b *GraphBuilder) network(outputs NamedOperands) (g *graph.Graph, err error) {
	const method = "MLGraphBuilder.build"
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.canBuild() {
		return nil, b.errState(method, "")
	}
	if len(outputs) == 0 {
		return nil, reject(TypeError, method, "outputs.empty", "there is no output")
	}
	names := naming.Sorted(outputs)
	for _, name := range names {
		if f := b.checkOutput(name, outputs[name]); f != nil {
			return nil, f.reject(method, "outputs")
		}
	}
	reached := graph.Graph{Nodes: b.b.Since(0)}
	for _, name := range names {
		reached.Outputs = append(reached.Outputs, graph.Output{Name: name, Value: outputs[name].value})
	}
	needed := reached.Reachable()
	if f := b.checkInputs(needed); f != nil {
		return nil, f.reject(method, "inputs")
	}
	b.built = true
	defer func() {
		b.dismantle()
		if err != nil {
			b.discard()
		}
	}()
	if err := b.meaningless(needed); err != nil {
		return nil, err
	}
	for _, name := range names {
		if err := b.b.Output(name, outputs[name].value); err != nil {
			return nil, reject(OperationError, method, "compile", "%w", err)
		}
	}
	b.b.Prune()
	if g, err = b.b.Build(); err != nil {
		return nil, reject(OperationError, method, "compile", "%w", err)
	}
	g.Inputs = slices.DeleteFunc(g.Inputs, func(v *graph.Value) bool { return !needed[v] || b.inputs[v] == "" }) // as only constants have
	b.rename(g)
	b.report("build", nil, maps.Clone(outputs))
	return g, nil
}

// dismantle lets go of all that only building needs, so that operands which a caller keeps do not keep the graph.
func (b *GraphBuilder) dismantle() {
	for _, o := range b.operands {
		o.value = nil
	}
	b.b, b.operands, b.inputs, b.unbuildable = nil, nil, nil, nil
}

// meaningless returns the error of a value that cannot be built, if there is one: the one that was made first.
func (b *GraphBuilder) meaningless(needed map[*graph.Value]bool) error {
	for _, u := range b.unbuildable {
		if needed[u.value] {
			return u.err
		}
	}
	return nil
}

func (b *GraphBuilder) checkOutput(name string, o *Operand) *fault {
	if f := checkName(name); f != nil {
		return f
	}
	switch {
	case o == nil:
		return faultf("kind", "the output %q is nil", name)
	case o.owner != b:
		return faultf("builder", "the output %q belongs to another builder", name)
	case o.leaf:
		return faultf("leaf", "the output %q is an input or a constant; apply identity to it", name)
	}
	return nil
}

// checkInputs looks for two inputs of one name among values.
func (b *GraphBuilder) checkInputs(values map[*graph.Value]bool) *fault {
	seen := make(map[string]bool)
	for v, name := range b.inputs {
		if values[v] && seen[name] {
			return faultf("duplicate", "two inputs are named %q", name)
		}
		seen[name] = seen[name] || values[v]
	}
	return nil
}

// rename gives the inputs of a graph the names that they were given, and other values that have such a name another one.
func (b *GraphBuilder) rename(g *graph.Graph) {
	taken := naming.Of()
	for _, v := range g.Inputs {
		v.Name = taken.Take(b.inputs[v])
	}
	for v := range g.Values() {
		if v.Producer != nil || v.Const != nil {
			v.Name = taken.Take(v.Name)
		}
	}
}
