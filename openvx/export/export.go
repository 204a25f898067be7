package export

import (
	"crypto/sha256"
	"fmt"
	"slices"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/emit/refusal"
	"github.com/concord-nn/concord/internal/mapfile"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/openvx"
	"github.com/concord-nn/concord/tensor"
)

// Options says how a graph is exported.
type Options struct {
	// Float is what numbers of float types become: Q78, as the zero value also says, or Float32.
	Float Format
}

// New exports a graph. An *[Error] lists all that cannot be expressed.
func New(g *graph.Graph, opts Options) (_ *Network, err error) {
	defer mapfile.Recover(mapfile.Watch(), &err)
	if err := graph.Verify(g, op.Rules); err != nil {
		return nil, err
	}
	switch opts.Float {
	case Format{}:
		opts.Float = Q78
	case Q78, Float32:
	default:
		return nil, fmt.Errorf("numbers of float types can become Q7.8 or float32, not %v", opts.Float)
	}
	e := &exporter{net: &Network{Name: graph.Identifier(g.Name)}, float: opts.Float, live: g.Reachable(), rows: rowOf,
		names: make(map[string]bool), wishes: make(map[*graph.Value]string), inputs: make(map[*graph.Value]bool), users: make(map[*graph.Value][]*graph.Node),
		tensors: make(map[*graph.Value]*Tensor), same: make(map[*graph.Value]*graph.Value), folder: op.NewFolder(beforehand),
		waiting: make(map[*graph.Value]*graph.Node), lost: make(map[*graph.Value]bool),
		norms: make(map[*graph.Node]*graph.Node), stored: make(map[string]*Tensor)}
	e.prepare(g)
	for _, n := range g.Nodes {
		if !e.decided(n.Out[0]) && !e.lost[n.Out[0]] && slices.ContainsFunc(n.Out, func(v *graph.Value) bool { return e.live[v] }) {
			e.node(n)
		}
	}
	e.ports(g)
	if err := e.refused.Err("OpenVX", g.Name); err != nil {
		return nil, err
	}
	e.net.Tensors = e.ordered()
	e.rename()
	return e.net, nil
}

// exporter makes the network of one graph.
type exporter struct {
	net     *Network
	float   Format
	live    map[*graph.Value]bool
	rows    map[string]*row // rowOf, to which the functions of its own rows could not refer
	refused refusal.List

	names  map[string]bool
	wishes map[*graph.Value]string // names of values that are outputs
	inputs map[*graph.Value]bool
	users  map[*graph.Value][]*graph.Node // readers, nil for an output

	tensors map[*graph.Value]*Tensor      // where values lie
	same    map[*graph.Value]*graph.Value // values that have the elements of others, in the same order
	folder  *op.Folder                    // knows results that depend on constants only
	waiting map[*graph.Value]*graph.Node  // results that have no tensor: what reads them says what becomes of them
	lost    map[*graph.Value]bool         // results that cannot be had, which has been refused
	norms   map[*graph.Node]*graph.Node   // convolutions and the normalizations that become part of them
	stored  map[string]*Tensor            // weights, by name, format, extents and the hash of the elements
}

// prepare notes what the emission of a node wants to know of others.
func (e *exporter) prepare(g *graph.Graph) {
	for _, s := range g.States {
		if e.live[s.Value] || s.Next != nil {
			e.refused.Add("state", "", s.Value.Name, "the export keeps no values between runs; make the state an input and its next value an output")
			e.lost[s.Value] = true
		}
	}
	for _, v := range g.Inputs {
		e.inputs[v] = true
	}
	for _, n := range g.Nodes {
		for _, v := range n.In {
			e.users[v] = append(e.users[v], n)
		}
	}
	for _, o := range g.Outputs {
		e.users[o.Value] = append(e.users[o.Value], nil)
		e.wishes[o.Value] = o.Name
	}
	for _, n := range g.Nodes {
		if !slices.ContainsFunc(n.Out, func(v *graph.Value) bool { return e.live[v] }) {
			continue
		}
		if _, err := e.folder.Constant(n.Out[0]); err != nil {
			e.refused.Add(n.Op, n.Label, n.Out[0].Name, err.Error())
			for _, v := range n.Out {
				e.lost[v] = true
			}
		}
	}
	for _, n := range g.Nodes {
		if n.Op != "batch_normalization" || n.Attrs.Int("axis") != 1 {
			continue
		}
		if c := n.In[0].Producer; c != nil && len(e.users[n.In[0]]) == 1 &&
			c.Op == "conv" && e.areConstant(c.In[1:]) && e.areConstant(n.In[1:]) {
			e.norms[c] = n
		}
	}
}

// decided reports whether a value is known because it depends on constants only.
func (e *exporter) decided(v *graph.Value) bool {
	t, _ := e.folder.Constant(v)
	return t != nil
}

// areConstant reports whether no value depends on inputs; absent ones do not.
func (e *exporter) areConstant(values []*graph.Value) bool {
	return !slices.ContainsFunc(values, func(v *graph.Value) bool { return v != nil && e.constant(v) == nil })
}

// at returns operand i, nil if it is absent.
func at(in []*graph.Value, i int) *graph.Value {
	if i < len(in) {
		return in[i]
	}
	return nil
}

// formatOf returns the format that elements of a type have, and false if there is none.
func (e *exporter) formatOf(d tensor.DType) (Format, bool) {
	switch d {
	case tensor.Float16, tensor.BFloat16, tensor.Float32:
		return e.float, true
	case tensor.Int16:
		return Q78, true
	case tensor.Uint8:
		return Uint8, true
	case tensor.Int8:
		return Int8, true
	}
	return Format{}, false
}

// misfit says why a value of that type cannot lie in a tensor, or returns "".
func (e *exporter) misfit(t graph.Type) string {
	shape := t.Shape
	if _, ok := e.formatOf(t.DType); !ok {
		return fmt.Sprintf("layers do not compute with elements of type %v", t.DType)
	}
	if slices.Contains(shape, 0) {
		return fmt.Sprintf("shape %v has no elements, which OpenVX does not allow", shape)
	}
	if len(dimsOf(shape)) > openvx.MaxTensorDims {
		return fmt.Sprintf("shape %v has more than %d dimensions", shape, openvx.MaxTensorDims)
	}
	return ""
}

// ints is shorthand for a list of integers.
type ints = []int

// dimsOf returns extents in the order of OpenVX, the fastest first. A scalar has one.
func dimsOf(shape ints) ints {
	if len(shape) == 0 {
		return ints{1}
	}
	dims := slices.Clone(shape)
	slices.Reverse(dims)
	return dims
}

// name returns an identifier like the wished one that nothing else has.
func (e *exporter) name(wish string) string {
	base := identifier(wish)
	name := base
	for n := 2; e.names[name] || reserved[name]; n++ {
		name = fmt.Sprintf("%s_%d", base, n)
	}
	e.names[name] = true
	return name
}

// wish returns what the tensor of a value should be called: as the output that it is, or else as the value.
func (e *exporter) wish(v *graph.Value) string {
	if name, ok := e.wishes[v]; ok {
		return name
	}
	return v.Name
}

// virtual adds a tensor that only nodes see.
func (e *exporter) virtual(name string, f Format, dims ints) *Tensor {
	t := &Tensor{Name: e.name(name), Format: f, Dims: slices.Clone(dims)}
	e.net.Tensors = append(e.net.Tensors, t)
	return t
}

// view adds a view of a tensor, which is the tensor itself if it shows all of it.
func (e *exporter) view(t *Tensor, name string, start, end ints) *Tensor {
	if slices.Equal(end, t.Dims) && slices.Max(start) == 0 {
		return t
	}
	v := &Tensor{Name: e.name(name), Kind: View, Format: t.Format, Of: t, Start: start, End: end}
	for i := range end {
		v.Dims = append(v.Dims, end[i]-start[i])
	}
	e.net.Tensors = append(e.net.Tensors, v)
	return v
}

// weights adds a tensor with elements, one for all that are equal. The elements are given in the order of memory.
func (e *exporter) weights(name string, f Format, dims ints, t *tensor.Tensor) *Tensor {
	t = e.inFormat(name, f, t)
	key := fmt.Sprintf("%s %v %v %x", name, f, dims, sha256.Sum256(t.Bytes()))
	w := e.stored[key]
	if w == nil {
		w = &Tensor{Name: e.name(name), Kind: Weights, Format: f, Dims: slices.Clone(dims), Data: tensor.AppendRaw(nil, t)}
		e.net.Tensors = append(e.net.Tensors, w)
		e.stored[key] = w
	}
	return w
}

// source follows values that have the same elements to the first one.
func (e *exporter) source(v *graph.Value) *graph.Value {
	for e.same[v] != nil {
		v = e.same[v]
	}
	return v
}

// constant returns what the elements of a value are if they do not depend on inputs, in the shape of the value, and else nil.
func (e *exporter) constant(v *graph.Value) *tensor.Tensor {
	if v == nil {
		return nil
	}
	s := e.source(v)
	t, err := e.folder.Constant(s)
	if err != nil || t == nil || s == v {
		return t
	}
	t, err = t.Reshape(v.Type.Shape...)
	if err != nil {
		return nil
	}
	return t
}

// number is constant with floats as float32.
func (e *exporter) number(v *graph.Value) *tensor.Tensor {
	t := e.constant(v)
	if t != nil && t.DType().IsHalf() {
		t = eval("cast", attrs("dtype", tensor.Float32), t)
	}
	return t
}

// tensor returns where the elements of a value lie, in any grouping of extents. That of an input is the one in which it is read first.
func (e *exporter) tensor(v *graph.Value) *Tensor { return e.tensorAs(v, nil) }

// tensorAs is tensor with the extents that a value is given which nobody has read yet; nil for those of its shape.
func (e *exporter) tensorAs(v *graph.Value, dims ints) *Tensor {
	s := e.source(v)
	if t := e.tensors[s]; t != nil {
		return t
	}
	if n := e.waiting[s]; n != nil {
		refuse("its operand %s is %s of type %v, which can only be read by rescale, as sums that are rounded to 8 or 16 bits", s.Name, n.Op, s.Type)
	}
	if why := e.misfit(v.Type); why != "" {
		refuse("its operand %s: %s", v.Name, why)
	}
	if dims == nil {
		dims = dimsOf(v.Type.Shape)
	}
	f, _ := e.formatOf(v.Type.DType)
	if c := e.constant(v); c != nil {
		return e.weights(s.Name, f, dims, c)
	}
	if !e.inputs[s] {
		refuse("its operand %s cannot be had", s.Name)
	}
	t := &Tensor{Name: e.name(e.wish(s)), Kind: Input, Format: f, Dims: slices.Clone(dims)}
	e.net.Tensors = append(e.net.Tensors, t)
	e.tensors[s] = t
	return t
}

// node makes the calls for one node. If it is refused, tensors that nothing writes stand for its results, so that the nodes that read them
// are examined too.
func (e *exporter) node(n *graph.Node) {
	if slices.ContainsFunc(n.In, func(v *graph.Value) bool { return v != nil && e.lost[e.source(v)] }) {
		for _, v := range n.Out {
			e.lost[v] = true
		}
		return
	}
	why := e.emit(n)
	if why == "" {
		return
	}
	e.refused.Add(n.Op, n.Label, n.Out[0].Name, why)
	for _, v := range n.Out {
		if e.misfit(v.Type) == "" {
			f, _ := e.formatOf(v.Type.DType)
			e.tensors[v] = e.virtual(v.Name, f, dimsOf(v.Type.Shape))
		} else {
			e.lost[v] = true
		}
	}
}

// emit makes the calls for a node. It returns the reason if it cannot.
func (e *exporter) emit(n *graph.Node) (why string) {
	defer refusal.Caught(&why)
	d, ok := op.Lookup(n.Op)
	if !ok {
		return "there is no such operator"
	}
	c := &call{e: e, n: n, d: d, out: n.Out[0], name: e.wish(n.Out[0]), rounding: openvx.RoundPolicyToNearestEven, overflow: openvx.ConvertPolicySaturate}
	row := e.rows[n.Op]
	if _, ok := e.formatOf(n.Out[0].Type.DType); !ok && n.Out[0].Type.DType.IsInteger() && row.wide {
		e.waiting[n.Out[0]] = n
		return ""
	}
	if !row.types.Has(n.Out[0].Type.DType) && row.Form != Refused {
		return fmt.Sprintf("it has no exact expression for elements of type %v", n.Out[0].Type.DType)
	}
	row.emit(c)
	if row.Tolerance > 0 && e.float == Float32 && c.isFloat() && !c.exact {
		e.net.Approximations = append(e.net.Approximations, Approximation{n.Op, n.Label, n.Out[0].Name, row.Tolerance})
	}
	return ""
}

// ports makes tensors of outputs accessible, and lists what the application sees.
func (e *exporter) ports(g *graph.Graph) {
	for _, o := range g.Outputs {
		if e.lost[e.source(o.Value)] {
			continue
		}
		if why := e.output(o); why != "" {
			e.refused.Add("output", "", o.Name, why)
		}
	}
	for _, v := range g.Inputs {
		if t := e.tensors[v]; t != nil && t.Kind == Input {
			e.net.Inputs = append(e.net.Inputs, Port{v.Name, t, v.Type.DType, v.Type.Shape.Clone()})
		}
	}
}

// output makes the tensor of an output. One that cannot be accessible, or is an output already, is copied.
func (e *exporter) output(o graph.Output) (why string) {
	defer refusal.Caught(&why)
	if why := e.misfit(o.Value.Type); why != "" {
		return why
	}
	t := e.tensor(o.Value)
	if t.Kind == Virtual {
		t.Kind = Output
	} else {
		c := &call{e: e, name: o.Name, out: o.Value}
		y := e.virtual(o.Name, t.Format, t.Dims)
		y.Kind = Output
		c.copy(t, y)
		t = y
	}
	e.net.Outputs = append(e.net.Outputs, Port{o.Name, t, o.Value.Type.DType, o.Value.Type.Shape.Clone()})
	return ""
}

// ordered returns the tensors that calls use, those first of which others are views.
func (e *exporter) ordered() []*Tensor {
	used := make(map[*Tensor]bool)
	for _, c := range e.net.Calls {
		for _, a := range c.Args {
			switch a := a.(type) {
			case *Tensor:
				used[a] = true
			case Part:
				used[a.Of] = true
			}
		}
	}
	var list []*Tensor
	done := make(map[*Tensor]bool)
	var add func(t *Tensor)
	add = func(t *Tensor) {
		if t == nil || done[t] {
			return
		}
		done[t] = true
		add(t.Of)
		list = append(list, t)
	}
	for _, t := range e.net.Tensors {
		if used[t] {
			add(t)
		}
	}
	return list
}

// rename gives the tensors of inputs and outputs the names of these, of two that are equal the first one.
func (e *exporter) rename() {
	holder := make(map[string]*Tensor)
	for _, t := range e.net.Tensors {
		holder[t.Name] = t
	}
	done := make(map[*Tensor]bool)
	for _, p := range slices.Concat(e.net.Inputs, e.net.Outputs) {
		want, t := identifier(p.Name), p.Tensor
		other := holder[want]
		if done[t] || done[other] || reserved[want] {
			continue
		}
		if other != nil {
			other.Name, holder[t.Name] = t.Name, other
		}
		t.Name, holder[want], done[t] = want, t, true
	}
}
