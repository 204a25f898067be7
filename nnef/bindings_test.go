package nnef_test

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/concord-nn/concord/internal/nnef/std"
	"github.com/concord-nn/concord/nnef"
	"github.com/concord-nn/concord/nnef/syntax"
	"github.com/concord-nn/concord/op"
)

// samples are arguments by their types' names.
var samples = map[string]string{"integer": "1", "scalar": "1.0", "logical": "true", "string": "'constant'", "?": "1.0", "tensor<logical>": "b", "tensor<integer>": "n"}

// sample returns an argument of a type.
func sample(ty syntax.Type) string {
	switch ty := ty.(type) {
	case *syntax.ArrayType:
		return "[" + sample(ty.Item) + "]"
	case *syntax.TupleType: // of padding
		return "(1, 1)"
	case *syntax.TensorType:
		return cmp.Or(samples["tensor<"+ty.Item.String()+">"], "x")
	}
	return samples[ty.(*syntax.PrimitiveType).Kind.String()]
}

// TestBindings calls every operation that a dialect declares, with arguments of the types that it declares: what is wrong with their values may be
// said, but each is bound to operators, or expanded by its body, or belongs to the document.
func TestBindings(t *testing.T) {
	for d, end := range map[syntax.Dialect]string{syntax.Final: ";\n", syntax.Provisional: "\n"} {
		for _, f := range std.Of(d).Fragments() {
			var args, results []string
			for i := range f.Params {
				if p := &f.Params[i]; p.Default == nil {
					args = append(args, p.Name.Name+" = "+sample(p.Type))
				}
			}
			for i := range f.Results {
				r := fmt.Sprint("y", i)
				if _, list := f.Results[i].Type.(*syntax.ArrayType); list {
					r = "[" + r + "]"
				}
				results = append(results, r)
			}
			name := strings.Replace(f.Name.Name, "cast", "cast<scalar>", 1)
			call := strings.Join(results, ", ") + " = " + name + "(" + strings.Join(args, ", ") + ")"
			text := "version 1.0" + end + "graph net( x ) -> ( y0 )\n{\n" +
				strings.Join([]string{"x = external(shape = [1])", "b = gt(x, x)", "n = argmax_pool(x, size = [1])", call, "}\n"}, end)
			_, err := nnef.Parse("doc", []byte(text), nnef.Options{})
			if list, _ := errors.AsType[syntax.Diagnostics](err); len(list) > 0 && list[0].Code < 900 { // among them eval.CodeNoBody
				t.Errorf("%v: %s: %v", d, call, err)
			}
		}
	}
}

// TestOperatorNames holds operators to naming an operation of the standard where they claim to.
func TestOperatorNames(t *testing.T) {
	for _, d := range op.All() {
		if d.Spec.NNEF == "" {
			continue
		}
		f, ok := std.Lookup(d.Spec.NNEF)
		if !ok {
			t.Errorf("operator %s: NNEF has no operation %s", d.Name, d.Spec.NNEF)
			continue
		}
		if d.Spec.NNEF != d.Name {
			continue
		}
		for i, in := range d.In[:min(len(d.In), tensors(f))] {
			if in.Name != f.Params[i].Name.Name {
				t.Errorf("operator %s: operand %d is %s; NNEF names it %s", d.Name, i, in.Name, f.Params[i].Name.Name)
			}
		}
	}
}

// tensors returns the number of tensor parameters, which come first.
func tensors(f *syntax.Fragment) int {
	n := 0
	for i := range f.Params {
		if _, ok := f.Params[i].Type.(*syntax.TensorType); ok {
			n++
		}
	}
	return n
}
