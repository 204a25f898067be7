package nnef

import (
	"slices"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/nnef/element"
	"github.com/concord-nn/concord/internal/nnef/eval"
	"github.com/concord-nn/concord/internal/nnef/std"
	"github.com/concord-nn/concord/nnef/syntax"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// standardRules is the operator set with the parameters that the standard's operations of the same names have.
type standardRules struct{ graph.Rules }

// Signature implements [graph.Rules].
func (r standardRules) Signature(name string) (graph.Signature, bool) {
	sig, ok := r.Rules.Signature(name)
	f, _ := std.Lookup(name) // which it is in a standard graph
	own := sig.Attrs
	sig.Attrs = nil
	o := eval.FromFragment(f, nil)
	for i := range o.Params {
		p := &o.Params[i]
		k := slices.IndexFunc(own, func(a graph.AttrSig) bool { return a.Name == p.Name })
		if k < 0 {
			continue
		}
		a := own[k]
		if a.Default = nil; p.Default != nil {
			a.Default, _ = attribute(&op.Attr{Kind: a.Kind}, p.Default, 0) // defaults of the standard are known values
		}
		sig.Attrs = append(sig.Attrs, a)
	}
	if k := slices.IndexFunc(own, func(a graph.AttrSig) bool { return a.Kind == graph.KindDType && a.Default == nil }); k >= 0 {
		sig.Attrs = append(sig.Attrs, own[k]) // the generic type
	}
	return sig, ok
}

// isStandard reports whether a graph can be said with the operations and types of the standard, so that reading the text
// gives the same graph.
func isStandard(g *graph.Graph) bool {
	var names []string
	for _, v := range g.Inputs {
		names = append(names, v.Name)
	}
	for _, o := range g.Outputs {
		names = append(names, o.Name)
	}
	seen := make(map[string]bool, len(names))
	for _, name := range names {
		if graph.Identifier(name) != name || seen[name] {
			return false
		}
		seen[name] = true
	}
	for v := range g.Values() {
		if v.Type.Shape.Len() == 0 || element.Natural(element.ItemOf(v.Type.DType)) != v.Type.DType {
			return false
		}
	}
	for _, n := range g.Nodes {
		if !standardNode(n) {
			return false
		}
	}
	return len(g.Inputs) > 0
}

// standardNode reports whether an application of an operator can be written as an invocation of the standard's
// operation of the same name, and means the same there.
func standardNode(n *graph.Node) bool {
	d, ok := op.Lookup(n.Op)
	f, standard := std.Lookup(n.Op)
	if !ok || !standard || d.Spec.NNEF != d.Name {
		return false
	}
	o := eval.FromFragment(f, nil)
	generic := tensor.Invalid
	for i := range max(len(n.In), len(d.In)) {
		declared := &d.In[min(i, len(d.In)-1)]
		k := o.Index(declared.Name)
		if i >= len(n.In) || n.In[i] == nil {
			if k >= 0 && o.Params[k].Default == nil && !declared.Variadic {
				return false
			}
			continue
		}
		if k < 0 || !standardOperand(o.Params[k].Type, n.In[i].Type.DType, &generic) || declared.Name == "bias" && !standardBias(n.In[i]) {
			return false
		}
	}
	for i := range d.Attrs {
		a := &d.Attrs[i]
		k := o.Index(a.Name)
		if k < 0 && a.Default != nil && n.Op != "gelu" && graph.Literal(n.Attrs.Get(a.Name)) != graph.Literal(a.Default) {
			return false
		}
	}
	check := standardOnly[n.Op]
	return check == nil || check(n)
}

// standardOperand reports whether elements of type d suit a parameter.
func standardOperand(t syntax.Type, d tensor.DType, generic *tensor.DType) bool {
	switch t := t.(type) {
	case *syntax.ArrayType:
		return standardOperand(t.Item, d, generic)
	case *syntax.TensorType:
		switch t.Item {
		case syntax.NoPrimitive:
			return true
		case syntax.GenericType:
			if *generic == tensor.Invalid {
				*generic = d
			}
			return *generic == d
		}
		return element.Natural(t.Item) == d
	}
	return false
}

// standardOnly holds further conditions under which the standard's operation means what the operator means.
var standardOnly = map[string]func(n *graph.Node) bool{
	// The standard has no attribute approximate: its formula is the one with a sigmoid.
	"gelu": func(n *graph.Node) bool { return n.Attrs.String("approximate") == "sigmoid" },
	"cast": func(n *graph.Node) bool {
		x, d := n.In[0], n.Attrs.DType("dtype")
		return element.Natural(element.ItemOf(d)) == d && (!d.IsInteger() || !x.Type.DType.IsFloat() || x.Producer != nil && integral(x.Producer.Op))
	},
	"batch_normalization": func(n *graph.Node) bool { return byChannel(n.In) },
}

// byChannel reports whether the operands of a normalisation behind the first are one number each, or one for each channel.
func byChannel(in []*graph.Value) bool {
	for _, v := range in[1:] {
		for i, d := range v.Type.Shape {
			if d != 1 && i != 1 {
				return false
			}
		}
	}
	return len(in[0].Type.Shape) >= 2
}

// standardBias reports whether a bias is a number other than the literal 0.0, which means absence, or of shape (1, C).
func standardBias(bias *graph.Value) bool {
	switch shape := bias.Type.Shape; len(shape) {
	case 0:
		return bias.Const == nil || graph.Stored(bias) || tensor.Data[float32](bias.Const)[0] != 0
	case 1:
		return shape[0] == 1
	}
	return true
}
