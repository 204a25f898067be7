package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/concord-nn/concord/internal/testing/onnx/random"
	"github.com/concord-nn/concord/onnx"
	"github.com/concord-nn/concord/onnx/proto"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// The element types of operators are found by trying: random models of an operator, and samples of those that have none, get casts in front
// of operands, and those that are still translated say what there is.

// seeds is how many random models of an operator are tried.
const seeds = 24

// trial is the search for the types of an operator.
type trial struct {
	op     *onnx.Operator
	have   map[string]op.Types // found of each operand, attribute and result
	differ map[[2]string]bool  // which of them had different types at the same time
	beside map[[2]string]bool  // which of them there were at the same time
	tries  map[string]int      // of results with an operand of some type
	found  func(p *proto.Model)
}

// try finds the element types of an operator. The function is given each model that was translated.
func try(o *onnx.Operator, found func(p *proto.Model)) *trial {
	t := &trial{op: o, have: make(map[string]op.Types), differ: make(map[[2]string]bool), beside: make(map[[2]string]bool), tries: make(map[string]int), found: found}
	for _, x := range samples {
		if x.op == o.Name {
			t.vary(sample(x.op, x.text))
		}
	}
	if slices.Contains(random.Ops(), o.Name) {
		for seed := range uint64(seeds) {
			t.vary(random.Of(o.Name, seed))
		}
	}
	return t
}

// place is where an operand comes from: an operand of the node, or of that which makes the sequence that the node reads.
type place struct {
	node *proto.Node
	at   int
}

// operand is what has an element type of its own: an operand of a declaration, with all the places where it stands, or an attribute.
type operand struct {
	name   string
	dtype  tensor.DType
	places []place
	attr   *proto.Attribute
}

// vary tries a model, with each type for each operand, for those that have the same type as it has, and for all.
func (t *trial) vary(m *random.Model) {
	v := &variation{trial: t, model: m.Proto, node: subject(m.Proto.Graph, t.op.Name)}
	v.form = formAt(t.op, m.Opset, v.node.Domain)
	store(m)
	v.fetch()
	v.all = v.operands()
	v.try(nil, 0)
	for _, x := range v.all {
		var like []*operand
		for _, y := range v.all {
			if y.dtype == x.dtype && y.attr == nil {
				like = append(like, y)
			}
		}
		for _, d := range tensor.DTypes() {
			lacks := func(y *operand) bool { return !t.have[y.name].Has(d) }
			if x.attr == nil && len(like) > 1 && (slices.ContainsFunc(like, lacks) || v.fresh(x.name, d)) {
				v.try(like, d)
			}
			if d != x.dtype && (lacks(x) || !t.apart(x, like) || len(like) == 1 && v.fresh(x.name, d)) {
				v.try([]*operand{x}, d)
			}
			if x.attr != nil && len(v.all) > 1 && d != x.dtype {
				v.try(v.all, d)
			}
		}
	}
}

// fresh reports whether results of the node have not been seen often with an operand of some type: many are optional.
func (v *variation) fresh(operand string, d tensor.DType) bool {
	out := false
	for i, name := range v.node.Output {
		if key := fmt.Sprint(operand, d, i); name != "" && v.tries[key] < 2 {
			v.tries[key]++
			out = true
		}
	}
	return out
}

// apart reports whether an operand is known to have other types than those that are like it.
func (t *trial) apart(x *operand, like []*operand) bool {
	for _, y := range like {
		if y != x && !t.differ[[2]string{x.name, y.name}] {
			return false
		}
	}
	return true
}

// variation is a model whose types are varied.
type variation struct {
	*trial
	model *proto.Model
	node  *proto.Node // what it is a model of
	form  *onnx.Form
	all   []*operand
}

// fetch makes the results of the node outputs, unless they are sequences or optionals.
func (v *variation) fetch() {
	g := v.model.Graph
	for _, n := range g.Node {
		if n != v.node && slices.ContainsFunc(n.Input, func(name string) bool { return name == v.node.Output[0] }) && n.OpType != "Cast" && n.OpType != "Identity" {
			return
		}
	}
	g.Output = nil
	for _, name := range v.node.Output {
		if name != "" {
			g.Output = append(g.Output, &proto.ValueInfo{Name: name})
		}
	}
}

// try translates the model with another type of some operands.
func (v *variation) try(changed []*operand, d tensor.DType) {
	p := v.with(changed, d)
	results := translate(p)
	if results == nil {
		return
	}
	v.found(p)
	now := make(map[string]tensor.DType)
	for _, x := range v.all {
		if now[x.name] = x.dtype; slices.Contains(changed, x) {
			now[x.name] = d
		}
	}
	for i, name := range v.node.Output {
		if d, ok := results[name]; ok && name != "" {
			now[result+declaredName(v.form.Results, i)] = d
		}
	}
	for a, x := range now {
		v.have[a] |= op.TypeSet(x)
		for b, y := range now {
			v.beside[[2]string{a, b}] = true
			if x != y {
				v.differ[[2]string{a, b}] = true
			}
		}
	}
}

// result is in front of the names of results, which may be those of operands, too.
const result = ">"

// with returns the model with another type of some operands, which are cast.
func (v *variation) with(changed []*operand, d tensor.DType) *proto.Model {
	p, g := *v.model, *v.model.Graph
	p.Graph, g.Node = &g, slices.Clone(g.Node)
	copies := make(map[*proto.Node]*proto.Node)
	edit := func(n *proto.Node) *proto.Node {
		if copies[n] == nil {
			c := *n
			c.Input, c.Attribute = slices.Clone(n.Input), slices.Clone(n.Attribute)
			copies[n], g.Node[slices.Index(g.Node, n)] = &c, &c
		}
		return copies[n]
	}
	to := &proto.Attribute{Name: "to", Type: proto.AttributeInt, I: int64(proto.DataTypeOf(d))}
	for _, x := range changed {
		if x.attr != nil {
			n := edit(v.node)
			a := *x.attr
			if a.I = to.I; a.T != nil {
				a.I, a.T = 0, &proto.Tensor{Dims: []int64{1}, DataType: proto.DataTypeOf(d), RawData: make([]byte, max(d.Bits()/8, 1))}
			}
			n.Attribute[slices.Index(n.Attribute, x.attr)] = &a
		}
		for i, at := range x.places {
			n := edit(at.node)
			name := fmt.Sprint("cast ", x.name, i)
			g.Node = append(g.Node, &proto.Node{OpType: "Cast", Input: []string{n.Input[at.at]}, Output: []string{name}, Attribute: []*proto.Attribute{to}})
			n.Input[at.at] = name
		}
	}
	return &p
}

// translate returns the element types of the outputs, nil if the model cannot be translated.
func translate(p *proto.Model) map[string]tensor.DType {
	f, err := onnx.New(p)
	if err != nil {
		return nil
	}
	m, err := f.Network()
	if err != nil {
		return nil
	}
	g, err := m.Graph(nil)
	if err != nil {
		return nil
	}
	out := make(map[string]tensor.DType)
	for _, o := range g.Outputs {
		out[o.Name] = o.Value.Type.DType
	}
	return out
}

// store makes the inputs of a model initializers, so that all elements are known.
func store(m *random.Model) {
	g := m.Proto.Graph
	for _, in := range g.Input {
		if x := m.Inputs[in.Name]; x != nil {
			p, err := proto.NewTensor(in.Name, x)
			if err != nil {
				panic(err)
			}
			g.Initializer = append(g.Initializer, p)
		}
	}
	g.Input = nil
}

// subject returns the node that a model is about.
func subject(g *proto.Graph, name string) *proto.Node {
	for _, n := range slices.Backward(g.Node) {
		full := n.OpType
		if n.Domain != "" {
			full = n.Domain + "." + n.OpType
		}
		if full == name {
			return n
		}
	}
	panic("generate: a model without " + name)
}

// formAt returns the declaration of an operator in a version of the operator set.
func formAt(o *onnx.Operator, opset int, domain string) *onnx.Form {
	if domain != "" {
		opset = 1
	}
	var out *onnx.Form
	since := 0
	for i, f := range o.Forms {
		for _, v := range f.Since {
			if v <= opset && v > since {
				out, since = &o.Forms[i], v
			}
		}
	}
	return out
}

func declaredName(list []string, i int) string {
	return strings.TrimRight(list[min(i, len(list)-1)], "?…")
}

// typeAttributes are the attributes that are element types.
var typeAttributes = []string{"dtype", "output_datatype", "output_dtype", "stash_type", "to"}

// operands returns what of the node has an element type.
func (v *variation) operands() []*operand {
	g, node, form := v.model.Graph, v.node, v.form
	types := make(map[string]tensor.DType)
	makers := make(map[string]*proto.Node)
	for _, p := range g.Initializer {
		types[p.Name] = known(p.DataType)
	}
	for _, n := range g.Node {
		for _, name := range n.Output {
			makers[name] = n
		}
		for _, a := range n.Attribute {
			switch {
			case n.OpType == "Cast" && a.Name == "to":
				types[n.Output[0]] = known(proto.DataType(a.I))
			case n.OpType == "Constant" && a.T != nil:
				types[n.Output[0]] = known(a.T.DataType)
			}
		}
	}
	byName := make(map[string]*operand)
	var out []*operand
	add := func(name, from string, at place) {
		d := types[from]
		if d == tensor.Invalid {
			return
		}
		x := byName[name]
		if x == nil {
			x = &operand{name: name, dtype: d}
			byName[name] = x
			out = append(out, x)
		}
		if x.dtype == d {
			x.places = append(x.places, at)
		}
	}
	for i, from := range node.Input {
		name := declaredName(form.Operands, i)
		if maker := makers[from]; maker != nil && maker.OpType == "SequenceConstruct" {
			for k, element := range maker.Input {
				add(name, element, place{maker, k})
			}
			continue
		}
		add(name, from, place{node, i})
	}
	for _, a := range form.Attributes {
		name, value, ok := strings.Cut(a, "=")
		if n := ints(value); ok && slices.Contains(typeAttributes, name) && !slices.ContainsFunc(node.Attribute, func(a *proto.Attribute) bool { return a.Name == name }) {
			node.Attribute = append(node.Attribute, &proto.Attribute{Name: name, Type: proto.AttributeInt, I: n[0]})
		}
	}
	for _, a := range node.Attribute {
		switch {
		case slices.Contains(typeAttributes, a.Name) && a.Type == proto.AttributeInt:
			out = append(out, &operand{name: a.Name, dtype: known(proto.DataType(a.I)), attr: a})
		case a.T != nil:
			out = append(out, &operand{name: a.Name, dtype: known(a.T.DataType), attr: a})
		}
	}
	return out
}

func known(d proto.DataType) tensor.DType {
	out, err := d.DType()
	if err != nil {
		return tensor.Invalid
	}
	return out
}
