package export

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/kit"
	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/internal/mapfile"
	"github.com/concord-nn/concord/internal/naming"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/openvx"
	"github.com/concord-nn/concord/tensor"
)

// Options says how a graph is exported.
type Options struct {
	// Float is what numbers of float types become: Q78, as the zero value also says, or Float32.
	Float Format
}

// Refusal is one part of a graph that cannot be expressed.
type Refusal = kit.Refusal

// Error lists all parts of a graph that cannot be expressed in OpenVX.
type Error = kit.Error

// New exports a graph. An *[Error] lists all that cannot be expressed.
func New(g *graph.Graph, opts Options) (_ *Network, err error) {
	defer mapfile.Recover(mapfile.Watch(), &err)
	w, err := kit.Start(g, "OpenVX", "the export keeps no values between runs; make the state an input and its next value an output")
	if err != nil {
		return nil, err
	}
	switch opts.Float {
	case Format{}:
		opts.Float = Q78
	case Q78, Float32:
	default:
		return nil, fmt.Errorf("numbers of float types can become Q7.8 or float32, not %v", opts.Float)
	}
	most := limits.Add(limits.VXMade, limits.Times(g.ConstantBytes(), limits.FoldTotal))
	folded := beforehand
	folded.Bytes = most
	e := &exporter{left: most, net: &Network{Name: graph.Identifier(g.Name)}, float: opts.Float, rows: table, names: maps.Clone(reserved),
		wishes: make(map[*graph.Value]string), users: g.Uses(), tensors: make(map[*graph.Value]*Tensor),
		folder: op.NewFolder(folded), waiting: make(map[*graph.Value]*graph.Node), norms: make(map[*graph.Node]*graph.Node), stored: make(map[string]*Tensor)}
	e.Exporter = &kit.Exporter[*graph.Value]{Walk: w, Values: make(map[*graph.Value]*graph.Value), Emit: e.emit, Stub: e.stub,
		Constant:    func(v *graph.Value) (*graph.Value, error) { return v, nil },
		Approximate: func(a Approximation) { e.net.Approximations = append(e.net.Approximations, a) }}
	e.prepare(g)
	e.All(nil)
	e.ports(g)
	if err := w.Err(); err != nil {
		return nil, err
	}
	e.net.Tensors = e.ordered()
	e.rename()
	return e.net, nil
}

// exporter makes the network of one graph. What stands for a value is the value itself; where it lies, is found when it is read.
type exporter struct {
	*kit.Exporter[*graph.Value]
	net   *Network
	float Format
	rows  *kit.Table[row] // the table, to which the functions of its own rows could not refer

	names  naming.Set
	wishes map[*graph.Value]string // names of values that are outputs
	users  map[*graph.Value][]*graph.Node

	tensors map[*graph.Value]*Tensor     // where values lie
	folder  *op.Folder                   // knows results that depend on constants only
	waiting map[*graph.Value]*graph.Node // results that have no tensor: what reads them says what becomes of them
	norms   map[*graph.Node]*graph.Node  // convolutions and the normalizations that become part of them
	stored  map[string]*Tensor           // weights, by name, format, extents and the hash of the elements
	left    int64                        // bytes that further ones may have
}

// prepare notes what the emission of a node wants to know of others.
func (e *exporter) prepare(g *graph.Graph) {
	for _, v := range g.Inputs {
		e.Values[v] = v
	}
	for _, o := range g.Outputs {
		e.wishes[o.Value] = o.Name
	}
	for _, n := range g.Nodes {
		e.absorb(n)
	}
}

// only reports whether one node reads a value and nothing else.
func (e *exporter) only(v *graph.Value) bool {
	_, output := e.wishes[v]
	return len(e.users[v]) == 1 && !output
}

// areConstant reports whether no value depends on inputs; absent ones do not.
func (e *exporter) areConstant(values []*graph.Value) bool {
	return !slices.ContainsFunc(values, func(v *graph.Value) bool { return v != nil && e.constant(v) == nil })
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
	return e.names.Take(identifier(wish))
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
		if e.left -= int64(len(t.Bytes())); e.left < 0 {
			kit.Refuse("the constants of the export take more than %d MiB beside eight times those of the model", limits.VXMade>>20)
		}
		w = &Tensor{Name: e.name(name), Kind: Weights, Format: f, Dims: slices.Clone(dims), Data: tensor.Raw(t), held: t}
		e.net.Tensors = append(e.net.Tensors, w)
		e.stored[key] = w
	}
	return w
}

// source follows values that have the same elements, and those that stand for others in bodies, to the first one.
func (e *exporter) source(v *graph.Value) *graph.Value {
	for s := e.Values[v]; s != nil && s != v; s = e.Values[v] {
		v = s
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
		kit.Refuse("its operand %s is %s of type %v, which can only be read by rescale, as sums that are rounded to 8 or 16 bits", s.Name, n.Op, s.Type)
	}
	if why := e.misfit(v.Type); why != "" {
		kit.Refuse("its operand %s: %s", v.Name, why)
	}
	if dims == nil {
		dims = dimsOf(v.Type.Shape)
	}
	f, _ := e.formatOf(v.Type.DType)
	if c := e.constant(v); c != nil {
		return e.weights(s.Name, f, dims, c)
	}
	if s.Producer != nil {
		kit.Refuse("its operand %s cannot be had", s.Name)
	}
	t := &Tensor{Name: e.name(e.wish(s)), Kind: Input, Format: f, Dims: slices.Clone(dims)}
	e.net.Tensors = append(e.net.Tensors, t)
	e.tensors[s] = t
	return t
}

// stub lets a tensor that nothing writes stand for a value that has been refused.
func (e *exporter) stub(v *graph.Value) {
	if f, ok := e.formatOf(v.Type.DType); ok && e.misfit(v.Type) == "" {
		e.tensors[v], e.Values[v] = e.virtual(v.Name, f, dimsOf(v.Type.Shape)), v
	}
}

// emit makes the calls for a node.
func (e *exporter) emit(n *graph.Node, _ []*graph.Value) []*graph.Value {
	if t := kit.Must(e.folder.Constant(n.Out[0])); t != nil {
		return n.Out
	}
	c := &emission{e: e, Node: kit.NodeOf(n), out: n.Out[0], name: e.wish(n.Out[0]), rounding: openvx.RoundPolicyToNearestEven, overflow: openvx.ConvertPolicySaturate}
	if !c.isFloat() && c.Str("overflow") == "wrap" {
		c.overflow = openvx.ConvertPolicyWrap
	}
	row, d := e.rows.Of(n.Op), n.Out[0].Type.DType
	switch _, ok := e.formatOf(d); {
	case row.Form == kit.Body:
		return nil
	case !ok && d.IsInteger() && row.wide:
		e.waiting[n.Out[0]] = n
		return n.Out
	case !row.types.Has(d) && row.Form != kit.Refused:
		kit.Refuse("it has no exact expression for elements of type %v", d)
	}
	if row.emit(c); c.simpler {
		return nil
	}
	if e.float == Float32 && c.isFloat() && !c.exact {
		e.Near(row.Tolerance)
	}
	if c.same != nil {
		return []*graph.Value{c.same}
	}
	return n.Out
}

// ports makes tensors of outputs accessible, and lists what the application sees.
func (e *exporter) ports(g *graph.Graph) {
	for _, o := range g.Outputs {
		if _, ok := e.Operand(o.Value); !ok {
			continue // what yields it has been refused
		}
		if why := kit.Try(func() { e.output(o) }); why != "" {
			e.Refused.Add("output", "", o.Name, why)
		}
	}
	for _, v := range g.Inputs {
		if t := e.tensors[v]; t != nil && t.Kind == Input {
			e.net.Inputs = append(e.net.Inputs, Port{v.Name, t, v.Type.DType, v.Type.Shape.Clone()})
		}
	}
}

// output makes the tensor of an output. One that cannot be accessible, or is an output already, is copied.
func (e *exporter) output(o graph.Output) {
	if why := e.misfit(o.Value.Type); why != "" {
		kit.Refuse("%s", why)
	}
	t := e.tensor(o.Value)
	if t.Kind == Virtual {
		t.Kind = Output
	} else {
		c := &emission{e: e, Node: kit.Node{Node: &graph.Node{}}, name: o.Name, out: o.Value}
		y := e.virtual(o.Name, t.Format, t.Dims)
		y.Kind = Output
		c.copy(t, y)
		t = y
	}
	e.net.Outputs = append(e.net.Outputs, Port{o.Name, t, o.Value.Type.DType, o.Value.Type.Shape.Clone()})
}

// ordered returns the tensors that calls use, those first of which others are views.
func (e *exporter) ordered() []*Tensor {
	used := make(map[*Tensor]bool)
	for _, c := range e.net.Calls {
		for _, a := range c.Args {
			if p, ok := a.(Part); ok {
				a = p.Of
			}
			if t, ok := a.(*Tensor); ok {
				used[t] = true
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
		if done[t] || done[other] || reserved.Has(want) {
			continue
		}
		if other != nil {
			other.Name, holder[t.Name] = t.Name, other
		}
		t.Name, holder[want], done[t] = want, t, true
	}
}
