package op

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/tensor"
)

// all is the table of operators, family by family. Each family's list stands at the head of its file.
var all = slices.Concat(
	unaryOps,
	activationOps,
	binaryOps,
	bitOps,
	selectOps,
	reduceOps,
	normOps,
	matmulOps,
	recurrentOps,
	convOps,
	windowOps,
	resizeOps,
	fourierOps,
	roiOps,
	reshapeOps,
	sliceOps,
	gatherOps,
	searchOps,
	accumulateOps,
	quantizeOps,
	integerOps,
	visionOps,
	controlOps,
)

var byName = make(map[string]*Def)

// The index is made here as rules of definitions look up operators.
func init() {
	for _, d := range all {
		byName[d.Name] = d
	}
}

// All returns every operator, grouped by family.
func All() []*Def { return slices.Clone(all) }

// Lookup returns the operator of that name, and false if there is none.
func Lookup(name string) (*Def, bool) {
	d, ok := byName[name]
	return d, ok
}

// Rules is the operator set as package graph sees it.
var Rules graph.Rules = rules{}

type rules struct{}

func (rules) Infer(name string, in []Type, attrs graph.Attrs, blocks []*graph.Graph) (graph.Attrs, []Type, error) {
	d, ok := Lookup(name)
	if !ok {
		return nil, nil, fmt.Errorf("there is no operator %q", name)
	}
	s, out, err := d.Bind(in, attrs, blocks...)
	if err != nil {
		return nil, nil, err
	}
	return s.Attrs, out, nil
}

// operator returns the definition of a node's operator; none of no node.
func operator(n *graph.Node) (*Def, bool) {
	if n == nil {
		return nil, false
	}
	return Lookup(n.Op)
}

var errNoNode = errors.New("the node is nil")

// Of returns the definition of a node's operator and the node as its rules see it. The node has been bound when it was made, so that
// nothing is checked again.
func Of(n *graph.Node) (*Sig, error) {
	if n == nil {
		return nil, errNoNode
	}
	d, ok := Lookup(n.Op)
	if !ok {
		return nil, fmt.Errorf("there is no operator %q", n.Op)
	}
	s := d.sig(graph.TypesOf(n.In))
	s.Attrs, s.Blocks = n.Attrs, n.Blocks
	return s, nil
}

// NodeCost returns the cost of a node.
func NodeCost(n *graph.Node) (Cost, error) {
	s, err := Of(n)
	if err != nil {
		return Cost{}, err
	}
	return s.Def.Cost(s, graph.TypesOf(n.Out)), nil
}

func (rules) Signature(name string) (graph.Signature, bool) {
	d, ok := Lookup(name)
	if !ok {
		return graph.Signature{}, false
	}
	sig := graph.Signature{Doc: d.Summary(), Standard: d.Spec.NNEF == d.Name}
	for _, o := range d.In {
		sig.Operands = append(sig.Operands, graph.OperandSig{
			Name: o.Name, Optional: o.Optional, Variadic: o.Variadic, Type: nnefType(o.Types)})
	}
	for _, a := range d.Attrs {
		sig.Attrs = append(sig.Attrs, graph.AttrSig{Name: a.Name, Kind: a.Kind, Default: a.Default, Pairs: a.Pairs})
	}
	for i, r := range d.Out {
		t := AnyType
		if r.Like != "" {
			t = d.In[d.index(r.Like)].Types
		} else if r.TypeAttr == "" && r.Type != tensor.Invalid {
			t = TypeSet(d.Out[i].Type)
		}
		sig.Results = append(sig.Results, graph.ResultSig{Name: r.Name, Variadic: r.Variadic, Type: nnefType(t)})
	}
	for _, b := range d.Blocks {
		sig.Blocks = append(sig.Blocks, b.Name)
	}
	return sig, true
}

// nnefType returns the NNEF type of tensors with elements of the given types.
func nnefType(t Types) string {
	switch {
	case t&^(Floats|SmallFloats) == 0:
		return "scalar"
	case t&^Integers == 0:
		return "integer"
	case t&^Bools == 0:
		return "logical"
	}
	return "?"
}

// Summary returns the first sentence of the documentation.
func (d *Def) Summary() string {
	end := len(d.Doc)
	for _, mark := range []string{". ", ".\n"} {
		if i := strings.Index(d.Doc, mark); i >= 0 {
			end = min(end, i+1)
		}
	}
	return d.Doc[:end]
}
