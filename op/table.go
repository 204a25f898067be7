package op

import (
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
	selectOps,
	reduceOps,
	normOps,
	matmulOps,
	recurrentOps,
	convOps,
	windowOps,
	resizeOps,
	roiOps,
	reshapeOps,
	sliceOps,
	gatherOps,
	quantizeOps,
	integerOps,
	visionOps,
)

var byName = func() map[string]*Def {
	m := make(map[string]*Def, len(all))
	for _, d := range all {
		m[d.Name] = d
	}
	return m
}()

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

func (rules) Infer(name string, in []*graph.Value, attrs graph.Attrs) (graph.Attrs, []graph.Type, error) {
	d, ok := Lookup(name)
	if !ok {
		return nil, nil, fmt.Errorf("there is no operator %q", name)
	}
	types, concrete := make([]Type, len(in)), true
	for i, v := range in {
		if v == nil {
			continue
		}
		if v.Type.DType == tensor.Invalid {
			return nil, nil, &Error{Op: d.Name, Operand: d.operand(i).Name, Msg: "the operand has no type"}
		}
		shape, ok := v.Type.Shape.Extents()
		concrete = concrete && ok
		types[i] = Type{v.Type.DType, shape}
	}
	if !concrete {
		return d.inferTypes(types, attrs)
	}
	s, out, err := d.Bind(types, attrs)
	if err != nil {
		return nil, nil, err
	}
	result := make([]graph.Type, len(out))
	for i, t := range out {
		result[i] = graph.Type{DType: t.DType, Shape: graph.Fixed(t.Shape)}
	}
	return s.Attrs, result, nil
}

// TypesOf returns the types of values as the rules of operators see them. That of a nil value, or of one whose shape is not
// known in numbers, has no shape.
func TypesOf(values []*graph.Value) []Type {
	types := make([]Type, len(values))
	for i, v := range values {
		if v != nil {
			shape, _ := v.Type.Shape.Extents()
			types[i] = Type{v.Type.DType, shape}
		}
	}
	return types
}

// NodeCost returns the cost of a node whose shapes are known, and the bytes of working memory that each worker needs for its reference.
func NodeCost(n *graph.Node) (c Cost, scratch int64, err error) {
	d, ok := Lookup(n.Op)
	if !ok {
		return Cost{}, 0, fmt.Errorf("there is no operator %q", n.Op)
	}
	s, out, err := d.Bind(TypesOf(n.In), n.Attrs)
	if err != nil {
		return Cost{}, 0, err
	}
	if d.Ref.Scratch != nil {
		scratch = int64(d.Ref.Scratch(s, out))
	}
	return d.Cost(s, out), scratch, nil
}

// inferTypes infers element types where shapes are not yet known.
func (d *Def) inferTypes(in []Type, attrs graph.Attrs) (graph.Attrs, []graph.Type, error) {
	s, err := d.declared(in, attrs)
	if err != nil {
		return nil, nil, err
	}
	if d.Out[len(d.Out)-1].Variadic {
		return nil, nil, s.Errorf("", "the number of results depends on a shape that is not known yet")
	}
	out := make([]graph.Type, len(d.Out))
	for i := range out {
		out[i].DType = d.resultType(i, s)
	}
	return s.Attrs, out, nil
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
		} else if r.TypeAttr == "" {
			t = TypeSet(d.Out[i].Type)
		}
		sig.Results = append(sig.Results, graph.ResultSig{Name: r.Name, Variadic: r.Variadic, Type: nnefType(t)})
	}
	return sig, true
}

// nnefType returns the NNEF type of tensors with elements of the given types.
func nnefType(t Types) string {
	switch {
	case t&^Floats == 0:
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
