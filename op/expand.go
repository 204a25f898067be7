package op

import (
	"errors"
	"fmt"
	"slices"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/emit"
	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/tensor"
)

// Expanded is what an application of an operator means in simpler ones.
type Expanded struct {
	*graph.Graph
	// Args are what stands for the operands in the graph, nil where one is absent: inputs, and constants for those that are constants.
	Args []*graph.Value
	// Tolerance is the greatest difference of the results, relative to max(1, |result|); 0 means equal bits.
	Tolerance float64
}

// Expanded returns what an application means, by the function Expand of the definition. The elements of operands that are constants may decide
// it. An error says why there are no simpler operators for this application.
func (d *Def) Expanded(in []*graph.Value, attrs graph.Attrs) (_ *Expanded, err error) {
	if d == nil {
		return nil, errors.New("there is no operator: the definition is nil")
	}
	if d.Expand == nil {
		return nil, fmt.Errorf("no simpler operators are known that say %s", d.Name)
	}
	s, types, err := d.Bind(graph.TypesOf(in), attrs)
	if err != nil {
		return nil, err
	}
	b := graph.NewBuilder(Rules, d.Name)
	x := &Expansion{Sig: s, Args: make([]*graph.Value, len(s.In)), Types: types, e: &emit.Emitter{Target: b}, tolerance: d.BodyTol}
	out := &Expanded{Args: make([]*graph.Value, len(in))}
	for i, v := range in {
		if v == nil {
			continue
		}
		if v.Const != nil {
			out.Args[i], err = b.Constant(v.Name, v.Label, v.Const)
		} else {
			out.Args[i], err = b.Input(fmt.Sprintf("%s%d", d.operand(i).Name, i), v.Type)
		}
		if err != nil {
			return nil, err
		}
		if x.Args[i] = out.Args[i]; d.Widens(v.Type.DType) {
			x.Args[i] = x.e.Cast(x.Args[i], tensor.Float32)
		}
	}
	results, err := x.results()
	if err != nil {
		return nil, err
	}
	for i, v := range results {
		if v = x.cast(v, types[i].DType); v.Type.String() != types[i].String() {
			return nil, fmt.Errorf("its expansion yields %v; the operator yields %v", v.Type, types[i])
		}
		if err := b.Output(fmt.Sprintf("%s%d", d.result(i).Name, i), v); err != nil {
			return nil, err
		}
	}
	out.Tolerance = x.tolerance
	out.Graph, err = b.Build()
	return out, err
}

// Expansion is an application of an operator while it is said in simpler ones. Operands that are 16-bit floats where the operator computes in
// float32 have been cast to that; results are cast back.
type Expansion struct {
	*Sig
	Args  []*graph.Value // the operands, nil where one is absent
	Types []Type         // of the results
	e     *emit.Emitter
	// tolerance is that of this application, which may give the bits of the reference where others do not.
	tolerance float64
}

// unexpanded is the panic that ends an expansion.
type unexpanded struct{}

// results adds the simpler operators.
func (x *Expansion) results() (out []*graph.Value, err error) {
	defer func() {
		if r := recover(); r == (unexpanded{}) {
			err = x.e.Err
		} else if r != nil {
			panic(r)
		}
	}()
	if slices.ContainsFunc(x.Types, func(t Type) bool { return t.Shape.Len() > 0 }) {
		return x.Def.Expand(x), x.e.Err
	}
	for _, t := range x.Types { // of no elements nothing is to be computed
		out = append(out, x.constant(must(tensor.New(t.DType, t.Shape))))
	}
	return out, x.e.Err
}

// fail ends the expansion, as there is none.
func (x *Expansion) fail(format string, args ...any) {
	x.e.Fail(fmt.Errorf(format, args...))
	panic(unexpanded{})
}

// none ends the expansion of an application for which nothing simpler is known.
func (x *Expansion) none() { x.fail("no simpler operators say it") }

// made is a result of the emitter, unless there was an error.
func (x *Expansion) made(v *graph.Value) *graph.Value {
	if x.e.Err != nil { // Without this what is asked of a value that is not there would be a panic.
		panic(unexpanded{})
	}
	return v
}

// node adds an operator with one result. do is node for one without attributes.
func (x *Expansion) node(op string, attrs graph.Attrs, in ...*graph.Value) *graph.Value {
	return x.made(x.e.Node(op, attrs, in...))
}

func (x *Expansion) do(op string, in ...*graph.Value) *graph.Value { return x.node(op, nil, in...) }

func (x *Expansion) cast(v *graph.Value, d tensor.DType) *graph.Value { return x.made(x.e.Cast(v, d)) }
func (x *Expansion) reshape(v *graph.Value, shape ...int) *graph.Value {
	return x.made(x.e.Reshape(v, shape...))
}
func (x *Expansion) transpose(v *graph.Value, axes ...int) *graph.Value {
	return x.made(x.e.Transpose(v, axes...))
}
func (x *Expansion) constant(t *tensor.Tensor) *graph.Value { return x.made(x.e.Constant(t)) }

// number is a scalar of an element type, which must be able to hold it. integer is number for those that a float64 may not hold.
func (x *Expansion) number(d tensor.DType, v float64) *graph.Value {
	return x.constant(must(tensor.Cast(tensor.Scalar(v), d)))
}

func (x *Expansion) integer(d tensor.DType, v int64) *graph.Value {
	return x.constant(must(tensor.Cast(tensor.Scalar(v), d)))
}

// full is a tensor of equal elements.
func (x *Expansion) full(d tensor.DType, v float64, shape []int) *graph.Value {
	return x.node("expand", emit.Attr("shape", slices.Clone(shape)), x.aligned(x.number(d, v), len(shape)))
}

// aligned gives a scalar a rank.
func (x *Expansion) aligned(v *graph.Value, rank int) *graph.Value {
	return x.reshape(v, slices.Repeat([]int{1}, rank)...)
}

// indices is a list of places along a dimension.
func (x *Expansion) indices(list []int32) *graph.Value {
	return x.constant(must(tensor.FromSlice(list, len(list))))
}

// but are the attributes with others in the place of some: names and values in turn.
func (x *Expansion) but(pairs ...any) graph.Attrs {
	attrs := x.Attrs
	for _, a := range emit.Attr(pairs...) {
		attrs = attrs.With(a.Name, a.Value)
	}
	return attrs
}

// gather takes the elements at places along a dimension; nothing is to be done if these are all, in their order.
func (x *Expansion) gather(v *graph.Value, axis int, places []int32) *graph.Value {
	same := len(places) == v.Type.Shape[axis]
	for i, at := range places {
		same = same && int(at) == i
	}
	if same { // Without this a node would change nothing.
		return v
	}
	return x.node("gather", emit.Attr("axis", axis), v, x.indices(places))
}

// eval evaluates the operator itself for other operands: what it does to places and weights need not be said again.
func (x *Expansion) eval(attrs graph.Attrs, in ...*tensor.Tensor) *tensor.Tensor {
	out, err := Expanding.Eval(x.Def, in, attrs)
	if err != nil {
		x.fail("%v", err)
	}
	return out[0]
}

// Expanding bounds an evaluation of constants while a node is expressed by others.
var Expanding = Budget{Bytes: limits.ExpandedBytes, Operations: limits.ExportOperations, Result: limits.ExpandedBytes}

// room ends the expansion if a constant of so many elements would be made.
func (x *Expansion) room(extents ...int) {
	if n := times(extents...); n > limits.ExpandedBytes/4 {
		x.fail("a constant of %v elements would be needed, which are more than %d", extents, limits.ExpandedBytes/4)
	}
}

// toleratesFloats says that integers are the same to the bit.
func (x *Expansion) toleratesFloats() {
	if x.Types[0].DType.IsInteger() {
		x.tolerance = 0
	}
}

// only is the list of one result.
func only(v *graph.Value) []*graph.Value { return []*graph.Value{v} }
