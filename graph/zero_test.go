package graph_test

import (
	"reflect"
	"testing"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/tensor"
)

// TestZeroValues calls every method of builders and rewriters that nothing has made: those that can fail do, the others do nothing.
func TestZeroValues(t *testing.T) {
	values := map[reflect.Type]reflect.Value{
		reflect.TypeFor[*tensor.Tensor](): reflect.ValueOf(tensor.Scalar(float32(1))),
		reflect.TypeFor[*graph.Value]():   reflect.ValueOf(&graph.Value{}),
		reflect.TypeFor[[]*graph.Value](): reflect.ValueOf([]*graph.Value{{}}),
		reflect.TypeFor[*graph.Graph]():   reflect.ValueOf(&graph.Graph{}),
		reflect.TypeFor[func() error]():   reflect.ValueOf(func() error { return nil }),
		reflect.TypeFor[string]():         reflect.ValueOf("name"),
	}
	for _, zero := range []any{&graph.Builder{}, &graph.Rewriter{}, (*graph.Builder)(nil)} {
		v := reflect.ValueOf(zero)
		for i := range v.NumMethod() {
			m := v.Method(i)
			for _, given := range []bool{false, true} {
				var in []reflect.Value
				for k := range m.Type().NumIn() - map[bool]int{true: 1}[m.Type().IsVariadic()] {
					x := reflect.Zero(m.Type().In(k))
					if of, ok := values[x.Type()]; ok && given {
						x = of
					}
					in = append(in, x)
				}
				out := m.Call(in)
				if n := len(out); n > 0 && out[n-1].Type() == reflect.TypeFor[error]() && out[n-1].IsNil() {
					t.Errorf("%T.%s: no error", zero, v.Type().Method(i).Name)
				}
			}
		}
	}
}
