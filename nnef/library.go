package nnef

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"sync"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/nnef/element"
	"github.com/concord-nn/concord/internal/nnef/eval"
	"github.com/concord-nn/concord/nnef/syntax"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// operators is the library of the operators of package op, as declarations.
type operators struct{}

// Operation implements [eval.Library].
func (operators) Operation(name string) *eval.Operation {
	if d, ok := operatorOf(name); ok {
		return declaration(d)
	}
	return nil
}

// keywords are the operators whose names are no identifiers of NNEF, by the identifiers that are written for them.
var keywords = sync.OnceValue(func() map[string]*op.Def {
	m := make(map[string]*op.Def)
	for _, d := range op.All() {
		if id := graph.Identifier(d.Name); id != d.Name {
			m[id] = d
		}
	}
	return m
})

// operatorOf returns the operator that the text form writes by a name, and false if there is none.
func operatorOf(name string) (*op.Def, bool) {
	if d, ok := keywords()[name]; ok {
		return d, true
	}
	d, ok := op.Lookup(name)
	return d, ok && graph.Identifier(name) == name
}

// canonical is the library of the operators of package op, which add to a sink.
type canonical struct {
	*sink
	known map[string]*eval.Operation
}

func newCanonical(s *sink) *canonical {
	return &canonical{sink: s, known: make(map[string]*eval.Operation)}
}

// Operation implements [eval.Library].
func (s *canonical) Operation(name string) *eval.Operation {
	if o, ok := s.known[name]; ok { // Without this it would be made again.
		return o
	}
	d, ok := operatorOf(name)
	if !ok {
		return nil
	}
	o := declaration(d)
	o.Apply = func(c *eval.Invocation) ([]eval.Value, error) {
		values, err := s.lower(d, c)
		if err != nil {
			return nil, err
		}
		return results(c.Op, values), nil
	}
	s.known[name] = o
	return o
}

// typeAttr returns the attribute that NNEF writes as the generic type of the operation, "" if there is none.
func typeAttr(d *op.Def) string {
	for _, a := range d.Attrs {
		if a.Kind == graph.KindDType && a.Default == nil && d.Spec.NNEF == d.Name {
			return a.Name
		}
	}
	return ""
}

// declaration returns an operator as an operation on tensors of any types.
func declaration(d *op.Def) *eval.Operation {
	o := &eval.Operation{Name: graph.Identifier(d.Name)}
	for _, in := range d.In {
		p := eval.Param{Name: in.Name, List: in.Variadic}
		if in.Optional {
			p.Default = eval.Absent{}
		}
		o.Params = append(o.Params, p)
	}
	generic := typeAttr(d)
	for _, a := range d.Attrs {
		p := eval.Param{Name: a.Name, Type: attrTypes[a.Kind]}
		if a.Pairs {
			p.Type = &syntax.ArrayType{Item: &syntax.TupleType{Items: []syntax.Type{attrTypes[graph.KindInt], attrTypes[graph.KindInt]}}}
		}
		switch {
		case a.Default != nil:
			p.Default = attrValue(a.Default, a.Pairs)
		case a.Name == generic:
			o.Generic, o.GenericDefault, p.Default = true, syntax.Scalar, ""
		}
		o.Params = append(o.Params, p)
	}
	for _, b := range d.Blocks {
		o.Params = append(o.Params, eval.Param{Name: graph.Identifier(b.Name), Type: attrTypes[graph.KindString], Block: true})
	}
	for _, r := range d.Out {
		result := eval.Result{Name: r.Name}
		if r.Variadic {
			result.Type = &syntax.ArrayType{Item: &syntax.TensorType{}}
		}
		o.Results = append(o.Results, result)
	}
	return o
}

var attrTypes = func() map[graph.Kind]syntax.Type {
	m := make(map[graph.Kind]syntax.Type)
	for _, k := range []struct {
		one, list graph.Kind
		item      syntax.Primitive
	}{
		{graph.KindBool, 0, syntax.Logical},
		{graph.KindInt, graph.KindInts, syntax.Integer},
		{graph.KindFloat, graph.KindFloats, syntax.Scalar},
		{graph.KindString, graph.KindStrings, syntax.String},
		{graph.KindDType, 0, syntax.String},
	} {
		m[k.one] = &syntax.PrimitiveType{Kind: k.item}
		if k.list != 0 {
			m[k.list] = &syntax.ArrayType{Item: m[k.one]}
		}
	}
	return m
}()

// attrValue returns an attribute of a node as the value of an expression.
func attrValue(v any, pairs bool) eval.Value {
	switch v := v.(type) {
	case tensor.DType:
		return v.String()
	case int:
		return int64(v)
	case []int:
		list := integers(v)
		if !pairs {
			return list
		}
		tuples := eval.Array{}
		for pair := range slices.Chunk(list, 2) {
			tuples = append(tuples, eval.Tuple(pair))
		}
		return tuples
	case []float64:
		return arrayOf(v)
	case []string:
		return arrayOf(v)
	}
	return v
}

func integers(items []int) eval.Array {
	list := make(eval.Array, len(items))
	for i, n := range items {
		list[i] = int64(n)
	}
	return list
}

func arrayOf[T any](items []T) eval.Array {
	list := make(eval.Array, len(items))
	for i, x := range items {
		list[i] = x
	}
	return list
}

// attribute returns the value of an expression, which the evaluator has checked, as what the attribute takes. An extent that is not specified
// is the given number, unless that is 0.
func attribute(a *op.Attr, v eval.Value, open int) (any, error) {
	list, isList := v.(eval.Array)
	switch {
	case a.Kind == graph.KindDType:
		name, _ := v.(string)
		return tensor.ParseDType(name)
	case a.Kind == graph.KindInt:
		return extent(a, v, open)
	case !isList:
		return v, nil
	case a.Kind == graph.KindFloats:
		return itemsOf[float64](list)
	case a.Kind == graph.KindStrings:
		return itemsOf[string](list)
	}
	out := make([]int, 0, len(list))
	for _, x := range list {
		items := []eval.Value{x}
		if t, ok := x.(eval.Tuple); ok {
			items = t
		}
		for _, item := range items {
			n, err := extent(a, item, open)
			if err != nil {
				return nil, err
			}
			out = append(out, n)
		}
	}
	return out, nil
}

// extent returns a number, and the given one for an extent that is not specified.
func extent(a *op.Attr, v eval.Value, open int) (int, error) {
	n, ok := v.(int64)
	if _, symbol := v.(eval.Symbol); symbol && open > 0 {
		return open, nil
	}
	if !ok {
		return 0, fmt.Errorf("%s is not known before symbols have values", eval.Text(v))
	}
	return narrow(n, a.Place)
}

// narrow returns an integer as one of a graph, which on processors of 32 bits has no more than these. Of a place in a dimension the nearest
// that there is means the same.
func narrow(n int64, place bool) (int, error) {
	if int64(int(n)) == n {
		return int(n), nil
	}
	if place { // Without this it would be refused on processors of 32 bits.
		return int(min(max(n, math.MinInt), math.MaxInt)), nil
	}
	return 0, fmt.Errorf("the integer %d is too large for this processor; it has integers of %d bits", n, strconv.IntSize)
}

func itemsOf[T any](list eval.Array) (any, error) {
	out := make([]T, len(list))
	for i, x := range list {
		out[i], _ = x.(T)
	}
	return out, nil
}

// lower adds a node for an invocation of an operator.
func (s *canonical) lower(d *op.Def, c *eval.Invocation) ([]*graph.Value, error) {
	types := s.literalTypes(d, c)
	var in []*graph.Value
	add := func(o *op.Operand, v eval.Value) error {
		if x, ok := s.ValueOf(v); ok {
			in = append(in, x)
			return nil
		}
		switch v := v.(type) {
		case eval.Absent:
			in = append(in, nil)
		default:
			t := types[group(o)]
			if t == tensor.Invalid || len(d.Blocks) > 0 { // what blocks take has types of its own
				t = element.TypeOf(v)
			}
			x, err := s.literal(o.Name, v, t)
			if err != nil {
				return &eval.Error{Code: eval.CodeType, Arg: o.Name, Msg: fmt.Sprintf("%s: %s: %v", d.Name, o.Name, err)}
			}
			in = append(in, x)
		}
		return nil
	}
	for i := range d.In {
		values := []eval.Value{c.Args[i]}
		if d.In[i].Variadic {
			values, _ = c.Args[i].(eval.Array)
		}
		for _, v := range values {
			if err := add(&d.In[i], v); err != nil {
				return nil, err
			}
		}
	}
	attrs := make(graph.Attrs, 0, len(d.Attrs))
	generic := typeAttr(d)
	for i, a := range d.Attrs {
		v := c.Args[len(d.In)+i]
		if a.Name == generic && v == "" {
			v = element.Natural(c.Type).String()
		}
		x, err := attribute(&a, v, s.open)
		if err != nil {
			return nil, &eval.Error{Code: eval.CodeAttribute, Arg: a.Name, Msg: fmt.Sprintf("%s: %s: %v", d.Name, a.Name, err)}
		}
		attrs = append(attrs, graph.Attr{Name: a.Name, Value: x})
	}
	n := graph.Node{Op: d.Name, In: in, Attrs: attrs}
	for i := range d.Blocks {
		b, err := s.block(d, &n, i, c)
		if err != nil {
			return nil, err
		}
		n.Blocks = append(n.Blocks, b)
	}
	return s.Add(n, c.Names)
}

// block makes a block of a node, of the fragment that an invocation names.
func (s *canonical) block(d *op.Def, n *graph.Node, i int, c *eval.Invocation) (*graph.Graph, error) {
	types, err := d.BlockTypes(graph.TypesOf(n.In), n.Attrs, i)
	if err != nil {
		return nil, diagnosed(err)
	}
	arg := graph.Identifier(d.Blocks[i].Name)
	name, _ := c.Arg(arg).(string)
	args := make([]element.Argument, len(types))
	for i, t := range types {
		args[i].Type = t
	}
	g, err := s.fragment(name, args)
	var at *eval.Error
	if errors.As(err, &at) && at.Arg == "" {
		at.Arg = arg
	}
	return g, err
}

// group names the operands that share one element type.
func group(o *op.Operand) string {
	if o.Like != "" {
		return o.Like
	}
	return o.Name
}

// literalTypes returns the element type of each group of operands that has a tensor: that of literals in the group.
func (s *sink) literalTypes(d *op.Def, c *eval.Invocation) map[string]tensor.DType {
	types := make(map[string]tensor.DType)
	for i := range d.In {
		values := []eval.Value{c.Args[i]}
		if d.In[i].Variadic {
			values, _ = c.Args[i].(eval.Array)
		}
		for _, v := range values {
			if x, ok := s.ValueOf(v); ok && types[group(&d.In[i])] == tensor.Invalid {
				types[group(&d.In[i])] = x.Type.DType
			}
		}
	}
	return types
}
