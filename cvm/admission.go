package cvm

import (
	"fmt"
	"math"
	"slices"

	"github.com/concord-nn/concord/cvm/fault"
	"github.com/concord-nn/concord/cvm/params"
	"github.com/concord-nn/concord/cvm/symbol"
	"github.com/concord-nn/concord/engine"
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/cvm/operators"
	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/tensor"
)

// Admission is what is known of a model before anything runs.
type Admission struct {
	Version     string `json:"version"`
	Postprocess string `json:"postprocess"`
	Compat      bool   `json:"compat"`

	Gas     int64 `json:"gas"`     // operations, by the original's formula
	Storage int64 `json:"storage"` // bytes of the storage plan, by the original's formula
	Memory  int64 `json:"memory"`  // bytes that one session of ours takes, with activations at the width of their precision

	InputLength    int64 `json:"inputLength"`    // bytes of an input; 0 for a graph without data
	InputTypeSize  int   `json:"inputTypeSize"`  // 1 or 4
	OutputLength   int64 `json:"outputLength"`   // bytes of the output
	OutputTypeSize int   `json:"outputTypeSize"` // 1 or 4

	Nodes   []NodeInfo   `json:"nodes"`
	Tensors []TensorInfo `json:"tensors"`
	Input   int          `json:"input"` // number of the tensor that takes the input; -1 for a graph without data
	Heads   []int        `json:"heads"` // numbers of the tensors that are outputs
}

// NodeInfo is a node of an admitted graph.
type NodeInfo struct {
	Name     string `json:"name"`
	Operator string `json:"operator"` // empty for a variable
	// Attrs are the attributes of the operator as the graph spells them.
	Attrs   map[string]string `json:"attributes,omitempty"`
	Gas     int64             `json:"gas"`
	Inputs  []int             `json:"inputs"` // numbers of tensors
	Outputs []int             `json:"outputs"`
}

// TensorInfo is a tensor of an admitted graph.
type TensorInfo struct {
	Name      string       `json:"name"` // that of its node, and :k for output k > 0
	Shape     tensor.Shape `json:"shape"`
	Precision int          `json:"precision"`
	Storage   int          `json:"storage"` // its storage id
	Type      string       `json:"type"`    // the element type in which it is stored: int8, int16 or int32
}

// Admit checks everything that can be checked before a run and returns what the model costs. Without parameters it checks the graph
// alone, which then needs no data, and Memory is an estimate. Errors are *Error.
//
// What the original refuses is refused first and with its class: the text, the graph, the storage plan, the outputs and, where there are
// parameters, data and the parameters. Then follow a plan that overlaps tensors in use, the limits of gas and those of opts.Engine.
func Admit(f Files, opts Options) (*Admission, error) {
	a, err := admit(f, opts)
	if err != nil {
		return nil, err
	}
	p, err := a.compile(opts.Engine)
	if err != nil {
		return nil, err
	}
	p.Close()
	return a.Admission, nil
}

// admitted is a model that has passed all checks but those of the engine.
type admitted struct {
	*Admission
	files  Files
	net    *network
	consts []*tensor.Tensor // by node; nil without parameters
}

// admit makes all checks but those of the engine, and fills in all of the admission but Memory.
func admit(f Files, opts Options) (_ *admitted, err error) {
	defer func() { err = f.located(err) }()
	s, err := symbol.Parse(f.Symbol)
	if err != nil {
		return nil, err
	}
	n, err := resolve(s, opts.Compat)
	if err != nil {
		return nil, err
	}
	a := &admitted{files: f, net: n}
	storage, err := n.loadable(f.Params != nil)
	if err != nil {
		return nil, err
	}
	if f.Params != nil {
		if a.consts, err = n.load(f.Params); err != nil {
			return nil, err
		}
	}
	if !opts.Compat {
		if err := n.checkConflicts(); err != nil {
			return nil, err
		}
	}
	gas, byNode, err := n.gas()
	if err != nil {
		return nil, err
	}
	a.Admission = n.describe(byNode)
	a.Gas, a.Storage = gas, storage
	return a, nil
}

// loadable makes the checks that the original makes when it loads a graph but not when it counts gas, in its order, and returns the bytes
// of the storage plan.
func (n *network) loadable(needData bool) (storage int64, err error) {
	for i, d := range n.applications {
		if _, alias := operators.Lookup(funcName(&n.symbol.Nodes[i])); alias {
			return 0, n.place(i, fault.Logicf(fault.Lookup, "no kernel has this name, by which only gas is counted").With("", d.call.Operator.Name))
		}
	}
	if storage, err = n.storageSize(); err != nil {
		return 0, err
	}
	if len(n.heads) == 0 {
		return 0, fault.Logicf(fault.Graph, "the graph has no output").With("heads", "one or more")
	}
	if needData && n.data < 0 {
		return 0, fault.Runtimef(fault.Graph, "no variable takes the input").With("nodes", fmt.Sprintf("a variable named %q", DataName))
	}
	for k, eid := range n.heads {
		if eid < 0 {
			h := n.symbol.Heads[k]
			return 0, fault.Logicf(fault.Graph, "the graph has no entry [%d, %d]", h.Node, h.Output).With(fmt.Sprintf("heads[%d]", k), "")
		}
	}
	return storage, nil
}

// load reads a parameter file and binds its arrays.
func (n *network) load(file []byte) ([]*tensor.Tensor, error) {
	if len(file) == 0 {
		return nil, fault.Logicf(fault.Params, "the parameter file is empty")
	}
	list, err := params.Parse(file)
	if err != nil {
		return nil, err
	}
	return n.bind(list)
}

// bind checks parameters against the variables of the network, in the order of their file, and returns their tensors, of type int8 or
// int32, by node; nil for data, to which a file may give a value that no run sees.
// It notes the order, which counts for variables that share a storage, as they may in compatible mode.
func (n *network) bind(list []params.Param) ([]*tensor.Tensor, error) {
	byName := make(map[string]int)
	for i, d := range slices.Backward(n.nodes) {
		if d.call == nil {
			byName[d.name] = i
		}
	}
	bound := make([]*tensor.Tensor, len(n.nodes))
	n.loaded = nil
	for _, p := range list {
		i, ok := byName[p.Name]
		if !ok {
			e := fault.Runtimef(fault.Params, "the graph has no variable of this name")
			e.Part, e.Offset = p.Name, p.Offset
			return nil, e
		}
		if err := n.checkParameter(i, p); err != nil {
			return nil, err
		}
		bound[i], n.loaded = p.Tensor, append(n.loaded, i)
	}
	for i := range n.nodes {
		if n.nodes[i].call == nil && i != n.data && bound[i] == nil {
			return nil, n.place(i, fault.Logicf(fault.Params, "the parameter is missing"))
		}
	}
	if n.data >= 0 {
		bound[n.data] = nil
	}
	return bound, nil
}

// checkParameter checks the shape and the values of a parameter. The place of an error is that in the parameter file.
func (n *network) checkParameter(i int, p params.Param) error {
	var e *fault.Error
	want := &n.entries[n.nodes[i].out]
	if got := p.Tensor.Shape(); !slices.Equal(got, want.Shape) {
		e = fault.Logicf(fault.Params, "the shape is %v", got).With("", want.Shape.String())
	} else if k, x := exceeds(p.Tensor, want.Precision); k >= 0 && i != n.data {
		most := operators.Bound(want.Precision)
		e = fault.Logicf(fault.Params, "element %d is %d, beyond precision %d", k, x, want.Precision).With("", fmt.Sprintf("%d…%d", -most, most))
	}
	if e == nil {
		return nil
	}
	e.Node, e.Name, e.Part, e.Offset = i, n.nodes[i].name, p.Name, p.Offset
	return e
}

// exceeds returns the first element of a parameter beyond a precision, and its index; -1 if there is none.
func exceeds(t *tensor.Tensor, precision int) (int, int64) {
	if t.DType() == tensor.Int8 {
		return beyond(tensor.Data[int8](t), precision)
	}
	return beyond(tensor.Data[int32](t), precision)
}

func beyond[T int8 | int32](elements []T, precision int) (int, int64) {
	most := int64(operators.Bound(precision))
	for k, x := range elements {
		if v := int64(x); v > most || v < -most {
			return k, v
		}
	}
	return -1, 0
}

// describe returns the admission of the network without sums and what the engine knows.
func (n *network) describe(gas []int64) *Admission {
	a := &Admission{Version: n.symbol.Version, Postprocess: n.symbol.Postprocess, Compat: n.compat, Input: -1, Heads: n.heads}
	for i := range n.nodes {
		d := &n.nodes[i]
		info := NodeInfo{Name: d.name, Gas: gas[i], Inputs: append([]int{}, d.in...)}
		if d.call != nil {
			info.Operator = d.call.Operator.Name
			info.Attrs, _ = symbol.ParseAttrs(n.symbol.OpAttrs[i], symbol.Pos{}) // which has been parsed before
		}
		for k := range d.outputs() {
			info.Outputs = append(info.Outputs, d.out+k)
		}
		a.Nodes = append(a.Nodes, info)
	}
	for i := range n.entries {
		e := &n.entries[i]
		a.Tensors = append(a.Tensors, TensorInfo{
			Name: n.tensorName(i), Shape: e.Shape, Precision: e.Precision, Storage: e.storage, Type: e.dtype().String(),
		})
	}
	if n.data >= 0 {
		a.Input = n.nodes[n.data].out
		a.InputTypeSize = inputType(n.entries[a.Input].Precision).Size()
		a.InputLength = int64(n.inputShape().Len()) * int64(a.InputTypeSize)
	}
	a.OutputTypeSize = n.encodedType().Size()
	a.OutputLength = n.outputElements() * int64(a.OutputTypeSize)
	return a
}

// inputShape returns the shape of an input. The deployed runtime looks it up under the number that data has among the variables, as if no
// operator preceded it. Where that is another shape, every run fails there, and so it does here in compatible mode.
func (n *network) inputShape() tensor.Shape {
	eid := n.nodes[n.data].out
	if n.compat {
		eid = 0
		for i := range n.data {
			if n.nodes[i].call == nil {
				eid++
			}
		}
	}
	return n.entries[eid].Shape
}

// refusal returns why no run of a model that loads can succeed, or nil.
func (n *network) refusal() error {
	data := n.nodes[n.data].out
	if got, want := n.inputShape(), n.entries[data].Shape; !got.Equal(want) {
		return n.place(n.data, fault.Logicf(fault.Input, "the deployed runtime takes an input of shape %v for data", got).With("", want.String()))
	}
	return n.joinable()
}

// outputElements returns the number of elements of the encoded output, as the original reports it: of a detection it supposes that the
// rows of the first output are all in its last two dimensions.
func (n *network) outputElements() int64 {
	var elements, lines, width int64
	for _, eid := range n.heads {
		count, length := rows(n.entries[eid].Shape)
		elements += int64(count) * int64(length)
		lines += int64(count)
		width += int64(length)
	}
	switch n.symbol.Postprocess {
	case argmax:
		return lines
	case detection:
		shape := n.entries[n.heads[0]].Shape
		if len(shape) < 2 {
			return 0
		}
		return int64(shape[len(shape)-2]) * width
	}
	return elements
}

// lower makes a graph of what is admitted.
func (a *admitted) lower(how form) (*graph.Graph, error) {
	g, err := a.net.lower(a.consts, how)
	if err != nil {
		return nil, a.files.located(wrapped(err, fault.Limits, uncompiled))
	}
	return g, nil
}

// compile makes a program of what is admitted, and completes the admission with Memory. Outputs that should be joined and cannot be stay apart:
// such a model loads, and only its runs fail.
func (a *admitted) compile(opts engine.Options) (*engine.Program, error) {
	g, err := a.lower(form{encode: a.net.joinable() == nil})
	if err != nil {
		return nil, err
	}
	opts.Limits = Limits(opts.Limits)
	p, err := engine.Compile(g, opts)
	if err != nil {
		return nil, a.files.located(wrapped(err, fault.Limits, uncompiled))
	}
	plan := p.Plan()
	// Scratch is that of one worker, so that it is the same on every machine.
	a.Memory = limits.Add(limits.Add(plan.Arena, plan.Scratch), limits.Add(plan.Packed, plan.Folded))
	for _, b := range plan.Buffers {
		if b.Use == engine.UseInput && b.Value.Name != DataName {
			a.Memory -= b.Size // a parameter that is not known, which is no input of a session of the model
		}
	}
	return p, nil
}

// sessionMemory is the limit of memory where none is given. A storage plan may have 2^32 bytes; the engine holds the input apart, its
// operators do not work in place, and some of the standard's are several of its own.
const sessionMemory = min(limits.CVMMemory, math.MaxInt)

// Limits sets the limits that are not given so that they meet those of the standard: what is admitted runs. It limits the nodes by gas and by what
// their text is, and the time of a run by gas and the engine's limits of operations and time. [Load] and [Open] do so by themselves.
func Limits(l engine.Limits) engine.Limits {
	if l.Nodes == 0 {
		l.Nodes = -1
	}
	if l.Memory == 0 {
		l.Memory = sessionMemory
	}
	return l
}

// uncompiled says that a model is beyond the limits of the engine: a resource that runs out, as opposed to a rule.
const uncompiled = "the model cannot be compiled"
