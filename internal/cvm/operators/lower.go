package operators

import (
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/emit"
	"github.com/concord-nn/concord/tensor"
)

// Application is a call that is added to a graph, on operators of package op. Its rules have been checked before, so that an error is a mistake
// of ours or a tensor beyond what the machine can address.
type Application struct {
	*emit.Emitter
	*Call
	Args    []*graph.Value
	ArgBits []int          // bounds of the operands' elements; see [Call.Bits]
	Want    []tensor.DType // the types in which the results are stored; lowering may return others that hold them

	Together bool // whether the storage plan has all results in one shared storage
}

// one makes the lowering of an operator with one result.
func one(f func(*Application) *graph.Value) func(*Application) []*graph.Value {
	return func(a *Application) []*graph.Value { return []*graph.Value{f(a)} }
}

// number adds a scalar constant of a signed integer type that holds it.
func (a *Application) number(x int, d tensor.DType) *graph.Value {
	t, err := tensor.Cast(tensor.Scalar(int64(x)), d)
	a.Fail(err)
	return a.Stored("", "", t)
}

// common casts the operands to the widest type among them and the first result.
func (a *Application) common() []*graph.Value {
	d := a.Want[0]
	for _, v := range a.Args {
		d = widest(d, v.Type.DType)
	}
	return a.all(d)
}

// all casts the operands to a type.
func (a *Application) all(d tensor.DType) []*graph.Value {
	out := make([]*graph.Value, len(a.Args))
	for i, v := range a.Args {
		out[i] = a.Cast(v, d)
	}
	return out
}

// widest returns the wider of two signed integer types.
func widest(a, b tensor.DType) tensor.DType {
	if b.Size() > a.Size() {
		return b
	}
	return a
}

// First takes the first elements along each axis, as many as the shape says.
func First(e *emit.Emitter, v *graph.Value, shape ...int) *graph.Value {
	if v.Type.Shape.Equal(shape) {
		return v
	}
	return e.Node("slice", emit.Attr("axes", emit.Counting(0, len(shape)), "begin", make([]int, len(shape)), "end", shape), v)
}
