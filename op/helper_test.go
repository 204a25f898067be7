package op_test

import (
	"slices"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/fmath"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// must returns v, and panics if there is an error.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// def returns the operator of a name.
func def(name string) *op.Def {
	d, ok := op.Lookup(name)
	if !ok {
		panic("there is no operator " + name)
	}
	return d
}

// defs returns the operators that have what f asks for.
func defs(f func(d *op.Def) bool) []*op.Def {
	return slices.DeleteFunc(op.All(), func(d *op.Def) bool { return !f(d) })
}

// operand returns the declaration of operand i, which may be one of many that the last one stands for.
func operand(d *op.Def, i int) *op.Operand { return &d.In[min(i, len(d.In)-1)] }

// namesOf returns the values that an attribute may have.
func namesOf(d *op.Def, attr string) []string {
	return d.Attrs[slices.IndexFunc(d.Attrs, func(a op.Attr) bool { return a.Name == attr })].Enum
}

func typesOf(list []*tensor.Tensor) []op.Type {
	out := make([]op.Type, len(list))
	for i, t := range list {
		if t != nil {
			out[i] = graph.TypeOf(t)
		}
	}
	return out
}

func axisOf(axis int) graph.Attr { return with("axis", axis) }

func floatAdd(x, y float32) float32 { return x + y }
func floatMul(x, y float32) float32 { return x * y }
func fma(x, y, z float32) float32   { return fmath.FMA(x, y, z) }

func canonical(x float32) float32 { return fmath.Canonical(x) }
